from __future__ import annotations

import random

from envfactory.environment import InProcess, Session
from envfactory.querygen import RuleWriter
from envfactory.querygen.choose import examine
from envfactory.querygen.filter import filtered
from envfactory.querygen.model import ModelAssistant, ModelPlayer
from envfactory.querygen.model.assistant import REPLY
from envfactory.querygen.played import candidate_of
from envfactory.querygen.program import Program
from envfactory.querygen.task import play_gold
from envfactory.trajectory import Persona
from tests.answering import voice
from tests.querygen.acting import LIMIT, grounded, told
from tests.querygen.conftest import Grounding, Programming

PERSONA = Persona(name="Ana Silva", manner="plain")
CHAIN = (["search_hotels", "book_room"], [(1, "hotel_id", 0, "hotels[].id")])


def says(text: str) -> dict[str, object]:
    return {"tool": REPLY, "arguments": {"message": text}}


def played(hotels: InProcess, program: Program, *messages: object):
    with Session(hotels, program.gold.reference) as session, voice(*messages) as (model, _):
        requests = RuleWriter().write(program, PERSONA, random.Random(1))
        task = play_gold(Program(program.gold, program.specs, {}, {}, program.bases), requests, session)
        session.restore(task.snapshots[0])
        found = ModelPlayer(ModelAssistant(model, "schema"), None).play(task, PERSONA, session, random.Random(1))
        return found, examine(task, found), filtered(task, found)


def moves(program: Program) -> list[dict[str, object]]:
    return [{"tool": call.tool, "arguments": call.arguments} for call in program.calls.values()]


def total(program: Program) -> str:
    return f"It is booked, for {program.outputs[1]['total']} dollars."


def test_a_model_that_does_what_gold_does_passes_and_all_is_kept(
    hotels: InProcess, grounding: Grounding, programming: Programming
):
    program = programming(grounding(*CHAIN, seed=3), 2)
    search, book = moves(program)
    found, verdict, labels = played(hotels, program, search, book, says(total(program)))
    assert verdict.passed
    assert [move.gold for move in found.moves] == [0, 1]
    assert found.turns[0].reports == [1]
    assert labels.labels == {}


def test_a_needless_look_up_of_a_model_is_removed(hotels: InProcess, grounding: Grounding, programming: Programming):
    program = programming(grounding(*CHAIN, seed=3), 2)
    search, book = moves(program)
    needless = {"tool": "hotel_reservations-list_reservations", "arguments": {}}
    found, verdict, labels = played(hotels, program, search, needless, book, says(total(program)))
    assert verdict.passed
    assert [move.gold for move in found.moves] == [0, None, 1]
    assert labels.labels == {1: "remove"}
    assert labels.cleaned is not None
    assert [move.executed.tool for move in labels.cleaned.moves] == [search["tool"], book["tool"]]


def test_a_refused_call_that_is_made_again_is_hidden(hotels: InProcess, grounding: Grounding, programming: Programming):
    program = programming(grounding(*CHAIN, seed=3), 2)
    search, book = moves(program)
    wrong = {**book, "arguments": {**program.calls[1].arguments, "hotel_id": "H-9999"}}
    _, verdict, labels = played(hotels, program, search, wrong, book, says(total(program)))
    assert verdict.passed
    assert labels.labels == {1: "hide"}


def test_a_model_that_does_nothing_or_makes_things_up_does_not_pass(
    hotels: InProcess, grounding: Grounding, programming: Programming
):
    program = programming(grounding(*CHAIN, seed=3), 2)
    _, lazy, _ = played(hotels, program, says("Done."))
    assert not lazy.passed
    assert lazy.missing == 2
    search, book = moves(program)
    _, lying, _ = played(hotels, program, search, book, says("It is booked, for 17.35 dollars."))
    assert not lying.passed
    assert lying.unsupported == 1


def test_unknown_tools_and_unreadable_arguments_are_moves_too(
    hotels: InProcess, grounding: Grounding, programming: Programming
):
    program = programming(grounding(*CHAIN, seed=3), 2)
    search, book = moves(program)
    messages = ({"tool": "fly", "arguments": {}}, {"tool": search["tool"], "arguments": "{no"}, search, book)
    found, verdict, labels = played(hotels, program, *messages, says(total(program)))
    assert verdict.passed
    assert [move.executed.ok for move in found.moves] == [False, False, True, True]
    assert set(labels.labels.values()) == {"hide"}


def test_what_the_user_does_is_theirs_and_what_the_model_does_after_it_passes() -> None:
    with told(grounded(LIMIT), 2) as task:
        call = {"tool": task.executed[1].tool, "arguments": task.executed[1].arguments}
        tells = says("Please confirm the new daily limit in your banking app.")
        limit = task.program.outputs[1]
        done = says(f"Your limit is {limit['daily_limit']:.0f} dollars, {limit['left_today']:.0f} of it left today.")
        with voice(call, tells, call, done) as (model, endpoint):
            found = ModelPlayer(ModelAssistant(model, "schema"), None).play(
                task, PERSONA, task.session, random.Random(1)
            )
        verdict, labels = examine(task, found), filtered(task, found)
        trajectory = candidate_of(found, equivalent=True, complete=True, labels=labels.labels)
        assert task.executed[0].tool not in str(endpoint.asked)
    assert verdict.passed
    assert [(move.executed.ok, move.gold) for move in found.moves] == [(False, None), (True, 0), (True, 1)]
    assert [turn.done for turn in found.turns] == [[], [1]]
    assert [[call.gold for call in turn.done] for turn in trajectory.turns] == [[], [0]]
    assert [call.tool for call in trajectory.calls()] == [task.executed[1].tool] * 2
    assert labels.labels.get(1, "keep") == "keep"


def test_a_model_that_does_not_tell_the_user_fails_although_it_calls_as_gold_does() -> None:
    with told(grounded(LIMIT), 2) as task:
        call = {"tool": task.executed[1].tool, "arguments": task.executed[1].arguments}
        with voice(call, says("I am sorry, that did not work.")) as (model, _):
            found = ModelPlayer(ModelAssistant(model, "schema"), None).play(
                task, PERSONA, task.session, random.Random(1)
            )
        verdict = examine(task, found)
    assert not verdict.passed
    assert not verdict.equivalent
    assert found.users() == set()
