"""Every role once by the real local model: launchers/local_model/setup.sh builds it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from envfactory.embedding import Lexical
from envfactory.environment import InProcess, Session
from envfactory.llm import AnswerError, BlockingClient, Client, EndpointSettings, LimitSettings, ModelLedger
from envfactory.llm.voice import Speech, Voice
from envfactory.querygen import RulePlanner, RuleWriter
from envfactory.querygen.assistant import system_prompt
from envfactory.querygen.choose import RuleJudge
from envfactory.querygen.model import (
    AssistantLimits,
    ModelAssistant,
    ModelInitialState,
    ModelJudge,
    ModelPlanner,
    ModelRefiner,
    ModelUser,
    ModelWriter,
)  # fmt: skip
from envfactory.querygen.refine import RefinementSettings, RuleRefiner, Strength
from envfactory.querygen.solvable import problems
from envfactory.serving.local import LocalModel, local_model
from envfactory.toolgraph import Settings, build_graph
from envfactory.toolgraph.adviser import ModelAdviser
from envfactory.trajectory import Persona, Turn
from tests.evidence.local_model import conversations
from tests.querygen.conftest import Grounding, Programming
from tests.toolgraph.test_adviser import GATE

pytestmark = [pytest.mark.local_model, pytest.mark.timeout(1500)]

PERSONA = Persona(name="Ana Silva", manner="plain", about="A nurse.")
CHAIN = (["search_hotels", "get_hotel"], [(1, "hotel_id", 0, "hotels[].id")])


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Voice]:
    folder: Path = tmp_path_factory.mktemp("model")
    served = LocalModel()
    with local_model(served, start_timeout_s=300) as url, ModelLedger(folder / "models.jsonl") as ledger:
        settings = EndpointSettings(model=served.name, base_url=url, timeout_s=600.0, limits=LimitSettings(in_flight=1))
        with BlockingClient(Client(settings, ledger=ledger)) as client:
            yield Voice(client, "test", Speech(temperature=0.2, rounds=2))


def asked(voice: Voice, role: str) -> int:
    counts = voice.counts()
    return sum(counts.get(f"{role}:{what}", 0) for what in ("answered", "unanswered", "messages"))


def test_the_planner_and_the_writer_make_requests_that_say_what_must_be_said(
    model: Voice, hotels: InProcess, grounding: Grounding, programming: Programming
) -> None:
    gold = grounding(*CHAIN, seed=3)
    planner = ModelPlanner(model, fewest=1, most=2, turns=2, fallback=RulePlanner(1, 2, 2))
    plan = planner.plan(gold, hotels.specs, random.Random(1))
    richer = ModelInitialState(model, hotels, 1, fallback=True).enriched(gold, plan.persona, random.Random(1))
    assert richer.calls == gold.calls
    assert sum(plan.gold.turns) == 2
    requests = ModelWriter(model, RuleWriter(), fallback=True).write(
        programming(gold, *plan.gold.turns), plan.persona, random.Random(1)
    )
    assert len(requests) == len(plan.gold.turns)
    assert gold.calls[0].arguments["city"].value in requests[0].text  # pyright: ignore[reportAttributeAccessIssue]
    assert asked(model, "planner") == 1
    assert asked(model, "initial_state") == 1
    assert asked(model, "writer") == len(requests)


def test_the_refiner_words_a_reference(
    model: Voice, hotels: InProcess, grounding: Grounding, programming: Programming
) -> None:
    program = programming(grounding(*CHAIN, seed=3), 1, 1)
    never = Strength(enabled=False, probability=0)
    settings = RefinementSettings(
        implicit_reference=Strength(probability=1), action_compression=never, ambiguity=never, goal_expansion=never
    )
    requests = RuleWriter().write(program, PERSONA, random.Random(5))
    refined = ModelRefiner(model, RuleRefiner(hotels, settings)).refine(program, requests, PERSONA, random.Random(2))
    assert refined.changes
    assert refined.changes[-1].after == refined.requests[-1].text
    assert asked(model, "refiner") == len({change.turn for change in refined.changes})


def test_assistant_and_user_talk_and_the_judge_grades_them(
    model: Voice, hotels: InProcess, grounding: Grounding, programming: Programming
) -> None:
    program = programming(grounding(*CHAIN, seed=3), 1, 1)
    requests = RuleWriter().write(program, PERSONA, random.Random(5))
    user = ModelUser(model, program, requests, PERSONA, random.Random(1))
    with Session(hotels, program.gold.reference) as session:
        prompt = system_prompt(program.specs.values(), PERSONA.name, program.gold.reference.now)
        said = user.speak()
        assert said is not None
        assistant = ModelAssistant(model, "schema", AssistantLimits(messages=3, tokens=150))
        steps = assistant.conversation(session, prompt).turn(said.text, 1)
    assert any(call.tool.startswith("hotel_reservations-") for step in steps for call in step.calls)
    assert user.speak(steps[-1].text or "Which of them do you want?") is not None
    turns = [Turn(user=said.text, steps=tuple(steps))]
    try:
        assert 1 <= ModelJudge(model, RuleJudge()).grades(turns, 1).natural <= 5
    except AnswerError:
        assert model.counts()["judge:unanswered"] == 1
    assert asked(model, "assistant") >= 1
    assert asked(model, "user") == 1
    assert asked(model, "judge") == 1


def test_the_graph_is_advised(model: Voice) -> None:
    graph = build_graph(
        GATE.specs.values(), Lexical(), Settings(scenario_size=8), GATE, ModelAdviser(model, GATE.specs)
    )
    assert all(edge.proof.state == "proved" for edge in graph.edges)
    assert asked(model, "graph") == 2


def test_the_first_conversation_of_the_page_is_planned_and_written_again(model: Voice) -> None:
    """Not word for word: another processor rounds otherwise, and then says something else."""
    before = asked(model, "planner"), asked(model, "writer")
    (conversation,) = conversations(model, "writer", 1)
    assert conversation.plan is not None
    assert conversation.program is not None
    assert len(conversation.written) == len(conversation.plan.gold.turns)
    assert list(problems(conversation.program, conversation.written)) == []
    assert asked(model, "planner") > before[0]
    assert asked(model, "writer") >= before[1] + len(conversation.written)
