"""A task is gold as it was executed, whether all of it was executed again or only what is new."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from envfactory.environment import Actor, Result, Session
from envfactory.gold import Gold
from envfactory.querygen.played import gold_as_played
from envfactory.querygen.program import Program
from envfactory.querygen.task import Task, play_gold, without_calls
from tests.querygen.playing import environments, golds, task_of


def _fresh(gold: Gold, like: Task) -> Task:
    session = Session(environments(), gold.reference)
    return play_gold(Program(gold, session.specs, {}, {}, session.documents()), like.requests, session)


def _told(task: Task) -> tuple[Any, ...]:
    calls = range(len(task.gold.calls))
    return (
        [task.program.calls[call] for call in calls],
        [task.program.outputs[call] for call in calls],
        [task.diff(call) for call in range(len(task.gold.calls) + 1)],
        task.gold,
        [task.answer(turn) for turn in range(len(task.requests))],
    )


@pytest.mark.parametrize("number", range(6))
def test_what_begins_alike_need_not_be_executed_again(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    call: Callable[..., Result] = Session.call

    def counted(session: Session, name: str, arguments: Any, by: Actor = "agent") -> Result:
        made.append(name)
        return call(session, name, arguments, by)

    with task_of(golds(6)[number]) as task:
        last = len(task.gold.calls) - 1
        gold, requests = without_calls(task.gold, task.requests, set(range(last)))
        monkeypatch.setattr(Session, "call", counted)
        shorter = play_gold(task.program.with_run(gold, {}, {}), requests, task.session, task)
        assert made == []
        longer = play_gold(task.program.with_run(task.gold, {}, {}), task.requests, task.session, shorter)
        assert made == [task.gold.calls[last].tool]
        monkeypatch.undo()
        assert _told(longer) == _told(_fresh(task.gold, task))
        assert _told(shorter) == _told(_fresh(gold, shorter))


def test_gold_is_played_as_one_conversation_however_often_it_is_asked_for() -> None:
    with task_of(golds(1)[0]) as task:
        assert gold_as_played(task) is gold_as_played(task)
        assert gold_as_played(task).exact
        assert [move.executed for move in gold_as_played(task).moves] == task.executed
