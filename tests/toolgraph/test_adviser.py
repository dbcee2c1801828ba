"""What a model says of the graph counts only as far as execution bears it out."""

from __future__ import annotations

from collections.abc import Collection

import pytest

from envfactory.embedding import Lexical
from envfactory.environment import Environment, InProcess, Output, ToolError, World, tool
from envfactory.toolgraph import Settings, ToolGraph, build_graph, leaves_of
from envfactory.toolgraph.adviser import Advice, ModelAdviser
from envfactory.toolgraph.leaves import Leaves
from envfactory.toolgraph.propose import Pair, Texts
from tests.answering import voice
from tests.toolgraph.worlds import ASK, Archiving, Keeping

PROVING = Settings(scenario_size=8)
PLAIN = Settings(prove=False, scenario_size=8)


class Word(Output):
    word: str
    """What the sphinx murmurs."""


class Riddling(Environment):
    """A sphinx at a gate."""

    domain = "test"
    policy = "One riddle a day."
    sources = ("Sphinx API",)

    @tool(ask=ASK, reply=("It is {word}.",))
    def listen(self) -> Word:
        """Listen to the sphinx."""
        return Word(word="mankind")

    @tool(ask=ASK, reply=("Open: {word}.",))
    def pass_gate(self, solution: str) -> Word:
        """Pass the gate.

        Args:
            solution: Reply to her riddle.
        """
        if solution != "mankind":
            raise ToolError("invalid_argument", "Wrong.")
        return Word(word="open")

    @tool(ask=ASK, reply=("Said: {word}.",))
    def greet(self, greeting: str) -> Word:
        """Greet the sphinx, who never answers.

        Args:
            greeting: Kind phrase.
        """
        raise ToolError("not_found", f"No answer to {greeting}.")

    @classmethod
    def scenario(cls, world: World, size: int) -> Riddling:
        return cls(now=world.now)


GATE = InProcess({"riddling": Riddling})
NOTES = InProcess({"keeping": Keeping, "archiving": Archiving})


class Saying:
    """Advises what a test says: pairs by `<tool>.<output> > <tool>.<input>`; all others shown are refused."""

    def __init__(self, kept: Collection[str], refused: Collection[str] = (), **kinds: str) -> None:
        self.kept, self.refused, self.kinds = kept, refused, kinds

    def advise(self, leaves: Leaves, texts: Texts, suggested: Collection[Pair]) -> Advice:
        def name(pair: Pair) -> str:
            output, into = leaves.outputs[pair[0]], leaves.inputs[pair[1]]
            return f"{leaves.tools[output.tool].name}.{output.path} > {leaves.tools[into.tool].name}.{into.path}"

        every = [(o, i) for o in range(len(leaves.outputs)) for i in range(len(leaves.inputs))]
        kinds = {leaf: self.kinds[leaf.path] for leaf in leaves.inputs if leaf.path in self.kinds}
        kept = frozenset(pair for pair in every if name(pair) in self.kept)
        refused = frozenset(pair for pair in every if name(pair) in self.refused)
        return Advice(kept, refused, kinds)  # pyright: ignore[reportArgumentType]


def gate(adviser: Saying | None, settings: Settings = PROVING) -> ToolGraph:
    return build_graph(GATE.specs.values(), Lexical(), settings, GATE, adviser)


def found(graph: ToolGraph) -> set[tuple[str, str]]:
    return {(edge.producer.partition("-")[2], edge.consumer.partition("-")[2]) for edge in graph.edges}


def test_an_edge_that_a_model_adds_stands_if_execution_proves_it():
    assert ("listen", "pass_gate") not in found(gate(None))
    graph = gate(Saying(["listen.word > pass_gate.solution", "listen.word > greet.greeting"]))
    edge = graph.between("riddling-listen", "riddling-pass_gate")[0]
    assert (edge.proposed, edge.reasons) == (False, ("model: says that it holds this value",))
    assert edge.proof.outcome == "ok"
    assert ("listen", "greet") not in found(graph)
    fallen = next(pruned for pruned in graph.pruned if pruned.consumer == "riddling-greet")
    assert fallen.reason == "unproved: a model alone proposed it (not_found)"


def test_without_proof_nothing_is_added():
    graph = gate(Saying(["listen.word > pass_gate.solution"]), PLAIN)
    assert found(graph) == set()


def notes(adviser: Saying | None, settings: Settings = PROVING) -> ToolGraph:
    return build_graph(NOTES.specs.values(), Lexical(), settings, NOTES, adviser)


def test_what_execution_proved_stands_whatever_is_advised():
    edge = notes(Saying([], ["list_notes.notes[].id > get_note.note_id"])).between(
        "keeping-list_notes", "keeping-get_note"
    )[0]
    assert "model: refused, but overruled by the proof" in edge.reasons


def test_what_is_not_proved_falls_if_the_model_refuses_it():
    graph = notes(Saying([], ["list_notes.notes[].id > get_note.note_id"]), PLAIN)
    assert not graph.between("keeping-list_notes", "keeping-get_note")
    reasons = {pruned.reason for pruned in graph.pruned if pruned.consumer == "keeping-get_note"}
    assert "model: says that it does not hold this value" in reasons


def test_an_input_is_classed_as_advised_only_where_execution_agrees():
    plain = notes(None).classes
    advised = notes(Saying([], [], note_id="external", title="internal", topic="internal")).classes
    assert plain["keeping-get_note"]["note_id"].kind == advised["keeping-get_note"]["note_id"].kind == "internal"
    assert "but a tool was proved to give it" in advised["keeping-get_note"]["note_id"].reason
    assert advised["keeping-print_note"]["title"].kind == "external"
    assert "but no tool was proved to give it" in advised["keeping-print_note"]["title"].reason
    topic = advised["archiving-search_archive"]["topic"]
    assert (plain["archiving-search_archive"]["topic"].kind, topic.kind) == ("external", "internal")


def answer(name: str, kind: str, *sources: int) -> dict[str, object]:
    return {"inputs": [{"input": name, "kind": kind, "sources": list(sources)}]}


@pytest.fixture
def texts() -> tuple[Leaves, Texts]:
    leaves = leaves_of(GATE.specs.values())
    return leaves, Texts.embed(leaves, Lexical())


def test_a_model_is_asked_about_each_tool_by_what_its_leaves_are_called(texts: tuple[Leaves, Texts]):
    with voice(answer("greeting", "external"), answer("solution", "internal", 1)) as (model, endpoint):
        advice = ModelAdviser(model, GATE.specs).advise(*texts, set())
    leaves = texts[0]
    (kept,) = advice.kept
    assert (leaves.outputs[kept[0]].path, leaves.inputs[kept[1]].path) == ("word", "solution")
    assert {leaf.path: kind for leaf, kind in advice.kinds.items()} == {"greeting": "external", "solution": "internal"}
    assert len(advice.refused) == 3
    shown = endpoint.asked[1]["messages"][-1]["content"]
    assert "pass_gate: Pass the gate." in shown
    assert "listen, word (string): What the sphinx murmurs." in shown


def test_numbers_that_were_not_shown_are_told_and_a_tool_without_an_answer_is_left_as_it_is(
    texts: tuple[Leaves, Texts],
):
    with voice("?", "?", "?", answer("solution", "internal", 9), answer("solution", "internal", 1)) as (
        model,
        endpoint,
    ):
        advice = ModelAdviser(model, GATE.specs).advise(*texts, set())
        assert model.counts()["graph:by_rules"] == 1
    assert "sources [9] are not among those listed" in endpoint.prompt(4)
    assert {leaf.path for leaf in advice.kinds} == {"solution"}
    assert len(advice.kept) == 1
