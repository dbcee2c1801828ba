"""Secrets in conversations: asked for by their name, told then and never before, and right to the letter."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import chain

import pytest

from envfactory.catalogue import backend
from envfactory.dataset import rl_rows, tool_file
from envfactory.dataset.rl import RLRow
from envfactory.environment import InProcess, Reference, Session
from envfactory.gold import FromUser, Gold, GoldCall, Out, replay
from envfactory.querygen import Imperfections, Masker, RuleAssistant, RulePlanner, RuleWriter, Synthesizer
from envfactory.querygen.draft import Unsayable
from envfactory.querygen.imperfect import Wrong
from envfactory.querygen.knowledge import asks_for, knowledge_by_turn, knowledge_of
from envfactory.querygen.model import ModelUser
from envfactory.querygen.model.planner import steps_in_words
from envfactory.querygen.model.user import known
from envfactory.querygen.program import Program, divided
from envfactory.querygen.refine import RefinementSettings, RuleRefiner, Strength
from envfactory.querygen.request import Request
from envfactory.querygen.secrets import ask_for_secrets, secret_problems, secrets_in, stands
from envfactory.querygen.solvable import problems
from envfactory.querygen.synthesize import Story
from envfactory.querygen.user import RuleUser
from envfactory.sampling import Chain, Link
from envfactory.sampling.grounding import Grounder
from envfactory.sampling.search import Ungroundable
from envfactory.trajectory import REFINEMENTS, Change, Persona
from tests.answering import voice
from tests.environment.station import Station
from tests.grounded import replayed

BANK = "retail_banking"
CHAIN = Chain(
    (f"{BANK}-list_accounts", f"{BANK}-get_account", f"{BANK}-replace_card", f"{BANK}-list_payees"),
    (Link(1, "account_id", 0, "accounts[].id"), Link(2, "card_id", 1, "cards[].id")),
)
INTERNAL = {(f"{BANK}-get_account", "account_id"), (f"{BANK}-replace_card", "card_id")}
PERSONA = Persona(name="Ada Bauer", manner="plain")
QUESTION = "Could you tell me your security word, please?"


@cache
def bank() -> InProcess:
    return backend([BANK])


@cache
def golds(count: int) -> list[Gold]:
    """Programs in which a card is replaced."""
    found: list[Gold] = []
    grounder = Grounder(bank(), INTERNAL)
    seed = 0
    while len(found) < count:
        try:
            grounded = grounder.ground(CHAIN, Reference(environments={BANK: ""}, seed=seed), random.Random(seed))
        except Ungroundable:
            grounded = None
        if grounded is not None and grounded.chain == CHAIN:
            found.append(grounded.gold)
        seed += 1
    return found


def program(*turns: int, seed: int = 0) -> Program:
    return replayed(bank(), divided(golds(4)[seed], turns))


def asking(program: Program, manner: str = "plain") -> tuple[Program, list[Request]]:
    persona = PERSONA.model_copy(update={"manner": manner})
    requests = RuleWriter().write(program, persona, random.Random(1))
    asked = ask_for_secrets(program, requests, (), persona, random.Random(1))
    return asked.program, asked.requests


def word(program: Program) -> str:
    (kept,) = secrets_in(program, range(len(program.gold.calls)))
    return kept.words


def stories(count: int, **more: object) -> Iterator[Story]:
    strengths = {kind: Strength(enabled=True, probability=1) for kind in REFINEMENTS}
    refiner = RuleRefiner(bank(), RefinementSettings.model_validate(strengths))
    for number, gold in enumerate(golds(count)):
        maker = Synthesizer(bank(), RulePlanner(), RuleWriter(), refiner=refiner, masker=Masker(bank().specs), **more)  # pyright: ignore[reportArgumentType]
        yield maker.story(gold, random.Random(number))


def told(program: Program, requests: list[Request]) -> list[str]:
    return [problem.reason for problem in secret_problems(program, requests)]


# -- the exchange -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("manner", ["brief", "plain", "polite", "chatty", "casual"])
def test_the_assistant_asks_before_the_call_and_the_person_answers_to_the_letter(manner: str) -> None:
    parted, requests = asking(program(2, 2), manner)
    assert parted.gold.turns == (2, 0, 2)
    first, opening, answer = requests
    assert (first.question, answer.question) == ("", "")
    assert asks_for(opening.question, "security word")
    assert (opening.asked, answer.asked) == (frozenset(), {2, 3})
    assert word(parted) in answer.text
    assert not any(stands(word(parted), request.text) for request in (first, opening))
    assert parted.gold.calls[2].arguments["security_word"] == FromUser(value=word(parted), turn=2)
    assert list(chain(problems(parted, requests), secret_problems(parted, requests))) == []


def test_what_was_told_is_not_asked_for_again() -> None:
    whole = program(2, 2)
    calls = (*whole.gold.calls, GoldCall(tool=f"{BANK}-replace_card", arguments={
        "card_id": Out(call=2, path="id"), "security_word": whole.gold.calls[2].arguments["security_word"],
    }))  # fmt: skip
    gold = divided(whole.gold.model_copy(update={"calls": calls}), (2, 2, 1))
    parted, requests = asking(replayed(bank(), gold))
    assert parted.gold.turns == (2, 0, 2, 1)
    assert sum(bool(request.question) for request in requests) == 1
    assert told(parted, requests) == []


def test_without_secrets_nothing_is_drawn_and_nothing_changes() -> None:
    gold = golds(1)[0].model_copy(update={"calls": golds(1)[0].calls[:2], "diff": {}})
    with Session(bank(), gold.reference) as session:
        plain = Program(gold, session.specs, {}, {}, session.documents())
    requests, rng = [Request("List my accounts.", frozenset({0}))], random.Random(1)
    asked = ask_for_secrets(plain, requests, (), PERSONA, rng)
    assert (asked.program, asked.requests) == (plain, requests)
    assert rng.random() == random.Random(1).random()


def test_the_turns_of_changes_are_counted_anew() -> None:
    parted = program(2, 1, 1)
    requests = [Request(f"Part {turn}.", frozenset()) for turn in range(3)]
    changes = [Change(kind="implicit_reference", turn=turn, before="a", after="b") for turn in range(3)]
    asked = ask_for_secrets(parted, requests, changes, PERSONA, random.Random(1))
    assert [change.turn for change in asked.changes] == [0, 1, 3]
    assert [request.text for request in asked.requests if not request.tells] == ["Part 0.", "Part 1.", "Part 2."]


def test_two_pins_cannot_be_asked_for_in_one_breath_but_one_after_the_other() -> None:
    station = InProcess({"station": Station})
    reference = Reference(environments={"station": ""}, seed=1)
    with Session(station, reference) as session:
        bases = session.documents()
        pins = {row["locker_id"]: row["pin"] for row in bases["station"]["codes"].values()}
        calls = [GoldCall(tool="station-list_lockers", arguments={})]
        for place in range(2):
            key = [row["id"] for row in bases["station"]["lockers"].values() if row["guest_id"] == "G-1"][place]
            taken = Out(call=0, path=f"lockers[{place}].id")
            calls.append(GoldCall(tool="station-open_locker", arguments={
                "pin": FromUser(value=pins[key]), "locker_id": taken
            }))  # fmt: skip
        gold = Gold(reference=reference, calls=tuple(calls))
        run = replay(gold, session)
        both, apart = (
            Program(divided(gold, turns), session.specs, run.calls, run.outputs, bases) for turns in ((1, 2), (1, 1, 1))
        )
    with pytest.raises(Unsayable, match="station-open_locker: the turn needs two secrets called PIN"):
        asking(both)
    parted, requests = asking(apart)
    assert parted.gold.turns == (1, 0, 1, 0, 1)
    assert list(chain(problems(parted, requests), secret_problems(parted, requests))) == []


# -- what is wrong ----------------------------------------------------------------------------------------------------


def test_a_secret_that_is_not_asked_for_or_told_too_early_or_not_at_all_is_found() -> None:
    parted, (first, opening, answer) = asking(program(2, 2))
    secret = word(parted)
    early = replace(first, text=f"{first.text} My word is {secret.upper()}.")
    assert told(parted, [early, opening, answer]) == ["volunteered"]
    assert told(parted, [first, replace(opening, text=f"{opening.text} {secret}"), answer]) == ["volunteered"]
    assert told(parted, [first, replace(opening, question="Shall I go ahead?"), answer]) == ["volunteered", "unsaid"]
    assert told(parted, [first, opening, replace(answer, tells=())]) == ["volunteered", "unsaid"]
    assert told(parted, [first, opening, replace(answer, text="Never mind.")]) == ["unsaid"]


# -- conversations ----------------------------------------------------------------------------------------------------


def test_every_conversation_that_replaces_a_card_asks_for_the_word_and_passes() -> None:
    for story in stories(8):
        trajectory = story.trajectory
        assert trajectory.pass_rate == 1
        secret = next(
            str(binding.value) for call in trajectory.gold.calls
            if isinstance(binding := call.arguments.get("security_word"), FromUser)
        )  # fmt: skip
        turns = trajectory.conversation.turns
        (place,) = [number for number, turn in enumerate(turns) if secret in turn.user]
        assert asks_for(turns[place - 1].steps[-1].text, "security word")
        assert not any(step.calls for step in turns[place - 1].steps)
        assert any(call.tool == f"{BANK}-replace_card" for step in turns[place].steps for call in step.calls)
        assert not any(secret in step.text for turn in turns for step in turn.steps)
        assert all("security_word" not in call.masked for call in trajectory.gold.calls)


def test_refined_requests_keep_what_was_changed_with_their_turns() -> None:
    changed = 0
    for story in stories(8):
        turns = story.trajectory.candidates[0].turns
        for turn in range(len(turns)):
            changes = [change for change in story.trajectory.changes if change.turn == turn]
            if changes:
                assert changes[-1].after == turns[turn].user
                changed += 1
    assert changed > 4


def test_a_flawed_assistant_never_uses_a_secret_that_it_was_not_told() -> None:
    wrong, documents = Wrong(bank().specs), {}
    with Session(bank(), golds(1)[0].reference) as session:
        documents = session.documents()
    drawn = {
        call.tool
        for seed in range(200)
        for draw in (wrong.change, wrong.look_up)
        if (call := draw(bank().specs, documents, random.Random(seed))) is not None
    }
    assert f"{BANK}-replace_card" not in drawn
    assert f"{BANK}-freeze_card" in drawn
    whole = program(4)
    state = documents[BANK]
    for seed in range(40):
        other = wrong.other_value(
            whole.gold.calls[2], whole.calls[2].arguments, whole.tool(2), state, random.Random(seed)
        )
        assert other is None or other.arguments["security_word"] == whole.gold.calls[2].arguments["security_word"]


def test_candidates_with_imperfections_still_pass() -> None:
    flawed = RuleAssistant(bank(), Imperfections(redundant_read=0.4, failed_call=0.4, question=0.5, detour=0.5))
    rates = [story.trajectory.pass_rate for story in stories(4, assistant=flawed, candidates=3)]
    assert rates == [1.0] * 4


# -- the user ---------------------------------------------------------------------------------------------------------


def rule_user(parted: Program, requests: list[Request]) -> RuleUser:
    """A user who has just made the request that needs the secret."""
    user = RuleUser(parted, requests)
    user.speak()
    said = user.speak("Here you are.")
    assert said is not None
    assert said.text == requests[1].text
    return user


def test_the_user_tells_the_word_when_asked_for_it_and_to_no_other_question() -> None:
    parted, requests = asking(program(2, 2))
    secret = word(parted)
    user = rule_user(parted, requests)
    for question in ("Shall I go ahead?", "Which card?", "What is the word?", "For security, could you wait?"):
        said = user.speak(question)
        assert said is not None
        assert secret not in said.text
    user = rule_user(parted, requests)
    said = user.speak(QUESTION)
    assert said is not None
    assert (said.text, said.turn, said.opens) == (requests[2].text, 2, True)
    again = user.speak("Sorry, what was your security word?")
    assert again is not None
    assert again.text == f"The security word is {secret}."


def test_a_user_who_is_never_asked_never_tells() -> None:
    parted, requests = asking(program(1, 1, 1, 1))
    assert [bool(request.tells) for request in requests] == [False, False, False, True, False]
    user = RuleUser(parted, requests)
    said = [user.speak(), *(user.speak("That is done.") for _ in range(4))]
    texts = [utterance.text for utterance in said if utterance is not None]
    assert texts == [request.text for request in requests if not request.tells]
    assert user.outcome == "served"


def test_what_is_known_of_a_secret_is_kept_with_the_turn() -> None:
    parted, _ = asking(program(2, 2))
    knows = knowledge_of(parted, parted.slices[2])
    (fact,) = [fact for fact in knows.facts if fact.secret]
    assert (fact.secret, fact.about) == (word(parted), ("security", "word"))
    assert knows.answer("May I have your security word?") == f"The security word is {word(parted)}."
    assert word(parted) not in knows.answer("Which word do you mean, and for which card? Shall I go ahead?")


def test_a_model_may_tell_the_word_only_when_it_is_asked_for() -> None:
    parted, requests = asking(program(2, 2))
    secret = word(parted)
    facts = list(known(parted, requests, 1))
    assert f"security word: {secret} (say it only when you are asked for your security word)" in facts
    early, instead = {"message": f"Yes. It's {secret}.", "done": False}, {"message": "Yes, please.", "done": False}
    with voice({"message": "Thanks.", "done": True}, early, instead) as (model, endpoint):
        user = ModelUser(model, parted, requests, PERSONA, random.Random(1))
        user.speak()
        user.speak("Here you are.")
        said = user.speak("Shall I go ahead?")
        assert said is not None
        assert said.text == "Yes, please."
        assert f"you said '{secret}', which you say only when you are asked for your security word" in str(
            endpoint.asked[-1]
        )
        told = user.speak(QUESTION)
        assert told is not None
        assert told.text == requests[2].text
    assert len(endpoint.asked) == 3


def test_a_model_that_plans_is_not_told_the_word() -> None:
    whole = program(4)
    steps = " ".join(steps_in_words(whole.gold, whole.specs))
    assert "Replace a card" in steps
    assert word(whole) not in steps


# -- rollouts ---------------------------------------------------------------------------------------------------------


def rows() -> tuple[str, list[RLRow]]:
    trajectory = next(story.trajectory for story in stories(1))
    knowledge = knowledge_by_turn(bank(), trajectory.gold)
    found = list(rl_rows(trajectory, tool_file(bank().specs), "train", 0, knowledge))
    secret = next(
        call.arguments["security_word"] for call in trajectory.gold.calls if "security_word" in call.arguments
    )
    assert isinstance(secret, FromUser)
    return str(secret.value), found


def test_a_row_holds_the_word_in_its_history_or_else_with_the_person() -> None:
    secret, found = rows()
    (row,) = [row for row in found if any("security_word" in call.arguments for call in row.gold)]
    plain, simulated = row.opening(simulated=False), row.opening(simulated=True)
    assert plain[-1].role == "user"
    assert secret in plain[-1].content
    assert asks_for(plain[-2].content, "security word")
    assert not any(secret in message.content for message in simulated)
    assert row.user is not None
    assert [fact.secret for fact in row.user.knows.facts if fact.secret] == [secret]
    assert row.gold[[call.tool for call in row.gold].index(f"{BANK}-replace_card")].masked == ()
