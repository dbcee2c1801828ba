"""Stage graph while the model that advises on it misbehaves: no fault changes a graph, no answer breaks one."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.llm.server import Body, Fault, completion, fails, well
from tests.pipeline.roleplay import WRONG, Made, asking, run, serving
from tests.pipeline.test_faulty_roles import GARBAGE, LINE, PATIENT

pytestmark = pytest.mark.heavy


class Built(Made):
    """What came of a run of the stage."""

    @property
    def graph(self) -> bytes:
        """The file; nothing if there is none."""
        file = self.folder / "tool_graph.json"
        return file.read_bytes() if file.is_file() else b""


def build(
    outputs: Path, reply: Callable[[Body], Body | Fault] | None, *script: Fault, settings: tuple[str, ...] = ()
) -> tuple[Built, list[Body]]:
    """Run the stage, advised by what answers at a server with a script of replies; and its requests."""
    command = ["+experiment=smoke", "domain=hotels", "stages=[graph]", "logger.progress=off"]
    command += [f"paths.outputs={outputs}", *settings]
    if reply is None:
        return _built(outputs, command), []
    with serving(reply, *script) as server:
        return _built(outputs, [*command, *asking(server), "generator.roles.graph=model"]), list(server.requests)


def _built(outputs: Path, command: list[str]) -> Built:
    outcome, said = run(command)
    (folder, *_) = [*(outputs / "artifacts" / "graph").glob("[0-9a-f]*"), outputs]
    return Built(outcome, said, folder)


def advice(body: Body) -> Body:
    """An answer of the right form: the first of the outputs listed for an input, and that only the system knows it."""
    text = [each["content"] for each in body["messages"] if each["role"] == "user" and WRONG not in each["content"]][-1]
    inputs: list[dict[str, Any]] = []
    for block in re.split(r"^Input ", text, flags=re.MULTILINE)[1:]:
        numbers = [int(number) for number in re.findall(r"^\s+(\d+)\. ", block, re.MULTILINE)]
        name = block.split(" (")[0]
        inputs.append(
            {"input": name, "kind": "internal" if name.endswith("_id") else "external", "sources": numbers[:1]}
        )
    return completion(body, content=orjson.dumps({"inputs": inputs}).decode())


@pytest.fixture(scope="module")
def calm(tmp_path_factory: pytest.TempPathFactory) -> tuple[Built, list[Body]]:
    """The graph that a model advised on undisturbed, and what it was asked."""
    built, asked = build(tmp_path_factory.mktemp("calm"), advice)
    assert built.outcome.state == "done", built.said
    return built, asked


def test_faults_of_the_line_change_no_graph(calm: tuple[Built, list[Body]], tmp_path: Path) -> None:
    undisturbed, asked = calm
    assert undisturbed.answers == {"graph:answered": len(asked)}
    built, again = build(tmp_path, advice, *LINE, settings=PATIENT)
    assert built.outcome.state == "done", built.said
    assert (built.graph, built.answers) == (undisturbed.graph, undisturbed.answers)
    assert len(again) >= len(asked) + len(LINE)


def test_a_model_that_never_answers_as_asked_leaves_the_graph_to_the_rules(tmp_path: Path) -> None:
    by_rules, _ = build(tmp_path / "rules", None)
    for place, garbage in enumerate(GARBAGE[:3]):
        built, asked = build(tmp_path / str(place), lambda body, said=garbage: completion(body, content=said))
        assert built.outcome.state == "done", built.said
        assert built.answers["graph:by_rules"] == built.answers["graph:unanswered"] > 0
        assert len(asked) > built.answers["graph:unanswered"]  # it was told what was wrong
        assert _edges(built.graph) == _edges(by_rules.graph)


def test_answers_that_are_none_are_told_and_asked_for_again(calm: tuple[Built, list[Body]], tmp_path: Path) -> None:
    def reply(body: Body) -> Body:
        told = WRONG in str(body["messages"][-1]["content"])
        return advice(body) if told else completion(body, content=GARBAGE[0])

    built, _ = build(tmp_path, reply)
    assert built.graph == calm[0].graph
    assert built.answers["graph:repaired"] == built.answers["graph:answered"] == calm[0].answers["graph:answered"]


def test_a_fault_that_stays_stops_the_stage_and_what_was_answered_is_not_asked_again(
    calm: tuple[Built, list[Body]], tmp_path: Path
) -> None:
    undisturbed, asked = calm
    half = len(asked) // 2
    stays = [*[well] * half, *[fails(500)] * 60]
    built, before = build(tmp_path, advice, *stays, settings=("+generator.endpoint.retry.attempts=2",))
    assert (built.outcome.state, built.outcome.exit_code, built.graph) == ("failed", 1, b"")
    assert "the same command goes on from here" in built.said
    built, after = build(tmp_path, advice)
    assert built.outcome.state == "done", built.said
    assert built.graph == undisturbed.graph
    assert not [body for body in after if body in before[:half]]


def _edges(graph: bytes) -> set[tuple[str, ...]]:
    keys = ("consumer", "input", "producer", "output")
    return {tuple(edge[key] for key in keys) for edge in orjson.loads(graph)["edges"]}
