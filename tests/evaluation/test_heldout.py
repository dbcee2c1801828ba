"""Held-out turns, played with words that are known: what is counted, what is left out, what fails."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from envfactory.dataset import ChatMessage, RLRow
from envfactory.evaluation.heldout import PlayedTurn, TurnLimits, play, play_all, summary
from envfactory.reward import COMPOSITE
from envfactory.serving.chat import Answer, ChatError
from envfactory.training.episode import EpisodeLimits
from envfactory.training.task import Tasks
from envfactory.training.tokens import render_words
from tests.dataset.support import asking, booking, hotels
from tests.training.support import Bytes, Counting, call, rows_of, rows_with_user, words

LIMITS = TurnLimits(EpisodeLimits(), prompt_tokens=100_000, response_tokens=100_000, thinking=False)


class Script:
    """A model that says what is written for it, by the last thing that it was told."""

    def __init__(self, texts: Sequence[str], *, whole: bool = True, fails_at: int = -1) -> None:
        self.texts, self.whole, self.fails_at = list(texts), whole, fails_at
        self.asked: list[tuple[Sequence[ChatMessage], list[dict[str, Any]], int]] = []

    def ask(self, messages: Sequence[ChatMessage], tools: list[dict[str, Any]], max_tokens: int) -> Answer:
        if len(self.asked) == self.fails_at:
            raise ChatError("the server is gone")
        self.asked.append((messages, tools, max_tokens))
        text = self.texts[len(self.asked) - 1]
        return Answer(text, self.whole, 0)


@pytest.fixture
def rows() -> list[RLRow]:
    return rows_of(booking())


def played(row: RLRow, script: Script, limits: TurnLimits = LIMITS, backend: Any = None) -> PlayedTurn:
    return play(row, "sft", script, Tasks(backend or hotels()), limits, COMPOSITE, Bytes())


def test_gold_is_worth_everything_and_is_kept_as_it_was_said(rows: list[RLRow]) -> None:
    for turn, row in enumerate(rows):
        script = Script(words(booking(), turn))
        found = played(row, script)
        assert found.terms["reward"] == 1
        assert [message.content for message in found.messages if message.role == "assistant"] == script.texts
        assert len(found.calls) == found.terms["calls"] == len(row.gold)
        # The model was shown the history and what came after it, and every schema whole.
        messages, tools, _ = script.asked[-1]
        assert messages[: len(row.prompt)] == row.prompt
        assert messages[len(row.prompt) :] == found.messages[:-1]
        assert [tool["function"]["name"] for tool in tools] == list(booking().tools)
        assert PlayedTurn.model_validate_json(found.model_dump_json()) == found


def test_saying_nothing_is_worth_nothing(rows: list[RLRow]) -> None:
    found = played(rows[0], Script(["Done."]))
    assert (found.terms["reward"], found.terms["calls"], found.failure) == (0, 0, "")


def test_a_turn_is_played_with_the_same_user_as_a_rollout() -> None:
    row = rows_with_user(asking())[1]
    limits = replace(LIMITS, episode=EpisodeLimits(max_user_replies=4))
    script = Script(["Which one, and for when?", *words(booking(), 1)])
    found = played(row, script, limits)
    assert (found.terms["reward"], found.terms["user_replies"]) == (1, 1)
    opening = row.opening(simulated=True)
    assert script.asked[0][0] == opening
    assert script.asked[1][0] == row.prompt  # the conversation went as it once did
    assert found.messages[1] == row.prompt[-1]
    assert summary([found])["user_replies"] == 1
    without = played(row, Script(["Which one, and for when?"]))
    assert (without.terms["reward"], without.terms["user_replies"], len(without.messages)) == (0, 0, 1)


def test_the_room_for_an_answer_shrinks_by_what_the_user_says() -> None:
    class Counted(Script):
        def ask(self, messages: Sequence[ChatMessage], tools: list[dict[str, Any]], max_tokens: int) -> Answer:
            return Answer(super().ask(messages, tools, max_tokens).text, True, self.prompt + 50)

        prompt = 0

    row = rows_with_user(asking())[1]
    limits = replace(LIMITS, episode=EpisodeLimits(max_user_replies=4), response_tokens=5_000)
    script = Counted(["Which one, and for when?", "Done."])
    script.prompt = played(row, Script(["Done."]), limits).prompt_tokens
    found = played(row, script, limits)
    shown = render_words(found.messages[1].content, thinking=False)
    assert [asked[2] for asked in script.asked] == [5_000, 5_000 - 50 - len(Bytes().encode(shown))]


def test_a_prompt_that_is_too_long_is_left_out_and_opens_nothing(rows: list[RLRow]) -> None:
    counting = Counting(hotels())
    limits = TurnLimits(EpisodeLimits(), prompt_tokens=100, response_tokens=1000, thinking=False)
    script = Script([])
    found = played(rows[0], script, limits, counting)
    assert found.left_out
    assert found.prompt_tokens > 100
    assert (script.asked, counting.opened) == ([], [])


def test_a_message_that_was_cut_ends_the_turn(rows: list[RLRow]) -> None:
    script = Script(words(booking(), 0), whole=False)
    found = played(rows[0], script)
    assert len(script.asked) == 1
    assert found.terms["steps"] == 1


def test_the_room_for_an_answer_shrinks_by_what_was_said_and_shown(rows: list[RLRow]) -> None:
    class Counted(Script):
        def ask(self, messages: Sequence[ChatMessage], tools: list[dict[str, Any]], max_tokens: int) -> Answer:
            answer = super().ask(messages, tools, max_tokens)
            return Answer(answer.text, True, self.prompt + 50)

        prompt = 0

    script = Counted(words(booking(), 0))
    script.prompt = played(rows[0], Script(["Done."])).prompt_tokens
    found = played(rows[0], script, TurnLimits(EpisodeLimits(), 100_000, 5_000, thinking=False))
    first, second = script.asked[0][2], script.asked[1][2]
    shown = sum(len(m.content) for m in found.messages[1:] if m.role == "tool")
    assert first == 5_000
    assert 5_000 - 50 - shown - 200 < second < 5_000 - 50


def test_a_server_that_fails_fails_the_turn_and_the_session_is_released(rows: list[RLRow]) -> None:
    counting = Counting(hotels())
    found = played(rows[0], Script(words(booking(), 0), fails_at=1), backend=counting)
    assert found.failure == "endpoint: the server is gone"
    assert found.terms == {"failed": 1.0}
    assert counting.open_now == 0
    assert found.messages[0].role == "assistant"


def test_turns_are_played_at_once_and_come_as_they_end(rows: list[RLRow]) -> None:
    second_is_out = threading.Event()

    def played(row: RLRow) -> PlayedTurn:
        if row is rows[0]:
            assert second_is_out.wait(60)
        return PlayedTurn(model="rl", id=row.id, prompt_tokens=1)

    found = play_all(rows[:2], played, concurrency=2)
    first = next(found)
    second_is_out.set()
    assert [turn.id for turn in (first, *found)] == [rows[1].id, rows[0].id]


def test_who_stops_waits_for_no_turn_and_begins_none(rows: list[RLRow]) -> None:
    second, stopped, over = threading.Event(), threading.Event(), threading.Event()
    begun: list[str] = []

    def played(row: RLRow) -> PlayedTurn:
        begun.append(row.id)
        if len(begun) > 1:
            second.set()
            assert stopped.wait(60)
            over.set()
        return PlayedTurn(model="rl", id=row.id, prompt_tokens=1)

    found = play_all([rows[0]] * 5, played, concurrency=1)
    next(found)
    assert second.wait(60)
    # It goes on until the next line was reached.
    found.close()
    stopped.set()
    assert over.wait(60)
    assert len(begun) == 2


def test_the_summary_tells_failed_and_left_out_turns_apart(rows: list[RLRow]) -> None:
    good = played(rows[0], Script(words(booking(), 0)))
    bad = played(rows[0], Script([call("hotel_reservations-nothing"), "Done."]))
    failed = played(rows[0], Script([], fails_at=0))
    out = PlayedTurn(model="sft", id="x", prompt_tokens=9, left_out=True)
    found = summary([good, bad, failed, out])
    assert {name: found[name] for name in ("turns", "left_out", "failed", "solved", "called")} == {
        "turns": 4, "left_out": 1, "failed": 1, "solved": 0.5, "called": 0.5,
    }  # fmt: skip
    assert found["unknown_tools"] == 0.5
    assert summary([failed, out]) == {"turns": 2, "left_out": 1, "failed": 1}
