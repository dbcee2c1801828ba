"""A good file passes; each planted defect is found at its row and field."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from envfactory.dataset import Sizes, group_of, samples, split, tool_file, write_samples, write_splits
from envfactory.dataset.check import check_file, kind_of
from envfactory.embedding import Lexical
from envfactory.environment import Session, Start, apply_diff
from envfactory.files import read_jsonl
from envfactory.gold import replay
from envfactory.reward import Rescorer
from envfactory.toolgraph.build import Settings, build_graph
from envfactory.trajectory import Trajectory
from tests.dataset.support import asking, booking, hotels, looking, write


def edited(folder: Path, edit: Callable[[dict[str, Any]], Any]) -> Path:
    """A file of two trajectories, the second of which was edited."""
    path = write(folder, [looking(), booking()])
    first, second = path.read_bytes().splitlines()
    row = orjson.loads(second)
    edit(row)
    path.write_bytes(first + b"\n" + orjson.dumps(row) + b"\n")
    return path


def turn(row: dict[str, Any], index: int) -> dict[str, Any]:
    return row["candidates"][0]["turns"][index]


def put(path: list[Any], value: Any) -> Callable[[Any], None]:
    def edit(row: Any) -> None:
        for part in path[:-1]:
            row = row[part]
        row[path[-1]] = value

    return edit


def put_copy(value: Any, path: list[Any], new: Any) -> Any:
    copy = orjson.loads(orjson.dumps(value))
    put(path, new)(copy)
    return copy


TURNS = ["candidates", 0, "turns"]
STEPS = [*TURNS, 0, "steps"]
DIFF = ["gold", "diff", "hotel_reservations", "tables"]
DEFECTS: list[tuple[Callable[[dict[str, Any]], Any], str, str]] = [
    (put(["chosen"], 1), "chosen", "one of 1 candidates, found 1"),
    (put(["chosen"], "0"), "chosen", "valid integer; found"),
    (put(["mood"], "good"), "mood", "no such field"),
    (lambda row: row.pop("persona"), "persona", "required"),
    (put(["id"], "t-0002"), "id", "stands in row 1 already"),
    (put(["format"], "envfactory.trajectory/9"), "format", "envfactory.trajectory/2"),
    (put(["tools", 0], "hotel_reservations-nap"), "tools[0]", "stands in tools.json"),
    (lambda row: row["tools"].remove("hotel_reservations-book_room"), "gold.calls[3].tool", "a tool that is offered"),
    (put(["gold", "turns"], [3, 3]), "gold.turns", "add up to 5 calls; they give 6"),
    (put(["gold", "calls", 1, "arguments", "hotel_id", "call"], 1), "gold.calls[1].arguments.hotel_id.call", "before"),
    (put(["gold", "calls", 0, "arguments", "city", "turn"], 1), "gold.calls[0].arguments.city.turn", "by turn 0"),
    (put(["gold", "calls", 0, "arguments", "city", "source"], "sky"), "gold.calls[0].arguments.city", "'sky'"),
    (put(["gold", "calls", 1, "arguments", "hotel_id", "path"], "hotels[99].id"), "gold.calls", "does not replay"),
    (put(["candidates", 0, "equivalent"], False), "candidates[0].equivalent", "expected true"),
    (put([*STEPS, 0, "calls", 0, "gold"], 9), "candidates[0].turns[0].steps[0].calls[0].gold", "5 gold calls, found 9"),
    (put([*STEPS, 0, "calls", 0, "gold"], 1), "candidates[0].turns[0].steps[0].calls[0].gold", "gold call 1 is"),
    (put([*STEPS, 0, "calls", 0, "result"], "{"), "candidates[0].turns[0].steps[0].calls[0].result", "JSON text"),
    (lambda row: turn(row, 0)["steps"].pop(), "candidates[0].turns[0].steps[1]", "ends with an answer"),
    (put([*STEPS, 2, "text"], " "), "candidates[0].turns[0].steps[2]", "not empty"),
    (put([*STEPS, 1, "calls"], []), "candidates[0].turns[0].steps[1]", "in a row"),
    (put([*TURNS, 1, "user"], ""), "candidates[0].turns[1].user", "what the user says"),
    (put([*TURNS, 1, "steps"], []), "candidates[0].turns[1].steps", "no steps"),
    (put([*DIFF, "reservations", "deleted"], ["RES-9"]), "gold.diff.hotel_reservations.tables.reservations.deleted",
     "'RES-9'"),
    (put([*DIFF, "rooms"], {}), "gold.diff.hotel_reservations.tables.rooms", "no such table"),
    (put([*DIFF, "reservations", "created", "RES-1001", "total"], "much"), "gold.diff.hotel_reservations", "not load"),
    (put([*DIFF, "reservations", "created", "RES-1001", "total"], 1.0), "gold.diff", "something else"),
    (put([*TURNS, 0, "diff"], {"moon_base": {}}), "candidates[0].turns[0].diff.moon_base", "one of the environments"),
    (put([*STEPS, 0, "calls", 0, "result"], "{}"), "candidates[0].turns[0].steps[0].calls[0].result", "something else"),
    (put([*TURNS, 1, "diff"], {}), "candidates[0].turns[1].diff", "change something else"),
    (put(["candidates", 0, "complete"], False), "candidates[0].complete", "5 of 5 are made"),
    (put(["pass_rate"], 0.5), "pass_rate", "share of the candidates that serve, 1, found 0.5"),
    (put([*STEPS, 1, "label"], "remove"), "cleaned", "there is none"),
    (put(["gold", "calls", 0, "masked"], ["weather"]), "gold.calls[0].masked", "no argument 'weather'"),
    (lambda row: row.update(cleaned=put_copy(row["candidates"][0], ["turns", 0, "steps", 1, "label"], "remove")),
     "cleaned.turns[0].steps[1].label", "nothing is left to remove"),
    (lambda row: row.update(cleaned=put_copy(row["candidates"][0], ["turns", 0, "steps", 1, "calls"],
                                             turn(row, 0)["steps"][1]["calls"][:1])),
     "cleaned", "expected the 5 calls of the chosen candidate"),
    (put(["gold", "reference", "environments"], {"hotel_reservations": "0" * 64}),
     "gold.reference.environments.hotel_reservations", "another version, 000000000000"),
    (put(["gold", "reference", "environments"], {"moon_base": "0" * 64}),
     "gold.reference.environments.moon_base", "of the catalogue"),
]  # fmt: skip


def test_real_trajectories_have_no_problems(tmp_path) -> None:
    checked = check_file(write(tmp_path, [booking(), looking(), asking()]))
    assert (checked.kind, checked.rows, list(checked.lines())[1:]) == ("trajectories", 3, [])
    assert checked.ok


@pytest.mark.parametrize(("edit", "field", "message"), DEFECTS, ids=[field for _, field, _ in DEFECTS])
def test_a_defect_is_found_where_it_is(tmp_path, edit, field, message) -> None:
    problems = check_file(edited(tmp_path, edit)).problems
    assert (2, field) in [(problem.row, problem.field) for problem in problems], problems
    assert any(message in problem.message for problem in problems if problem.field == field), problems


def test_a_gold_call_that_is_played_twice_is_found(tmp_path) -> None:
    def edit(row: dict[str, Any]) -> None:
        calls = turn(row, 0)["steps"][0]["calls"]
        calls.append(calls[0])

    (problem,) = check_file(edited(tmp_path, edit)).problems
    assert problem.field == "candidates[0].turns[0].steps[0].calls[1].gold"
    assert "played already, by candidates[0].turns[0].steps[0].calls[0]" in problem.message


def test_rows_that_are_no_json_hide_no_others(tmp_path) -> None:
    path = write(tmp_path, [looking()])
    good = path.read_bytes()
    path.write_bytes(b"\n{oops}\n" + good + good[:-20])
    checked = check_file(path)
    assert [(problem.row, problem.field) for problem in checked.problems] == [(1, ""), (2, ""), (4, "")]
    assert "ends inside this row" in checked.problems[-1].message


def test_missing_tools_are_a_problem_of_the_file(tmp_path) -> None:
    path = write(tmp_path, [looking()])
    (tmp_path / "tools.json").unlink()
    (problem,) = check_file(path).problems
    assert problem.row == 0
    assert "expected tools.json beside it" in problem.message


def test_the_first_problems_are_shown_and_all_are_counted(tmp_path) -> None:
    path = write(tmp_path, [looking()])
    path.write_bytes(b"{}\n" * 30)
    checked = check_file(path, limit=5)
    assert len(checked.problems) == 5
    assert checked.total == 30 * 8
    assert list(checked.lines())[-1] == "  ... and 235 more"


def samples_file(folder: Path, edit: Callable[[list[dict[str, Any]]], Any] = len) -> Path:
    path = folder / "sft.json"
    write_samples(path, samples(booking(), tool_file(hotels().specs)))
    rows = orjson.loads(path.read_bytes())
    edit(rows)
    path.write_bytes(orjson.dumps(rows))
    return path


def test_real_samples_have_no_problems(tmp_path) -> None:
    checked = check_file(samples_file(tmp_path))
    assert (checked.kind, checked.rows, checked.problems) == ("samples", 6, [])


SAMPLE_DEFECTS: list[tuple[Callable[[list[dict[str, Any]]], Any], int, str, str]] = [
    (lambda rows: rows[1]["conversations"].pop(), 2, "conversations", "assistant's message last"),
    (lambda rows: rows[2]["conversations"].pop(2), 3, "conversations[2].from", "expected 'observation' here"),
    (put([1, "conversations", 2, "value"], " "), 2, "conversations[2].value", "empty"),
    (put([2, "conversations", 4, "value"], "{}"), 3, "conversations[4].value", "results of 2 calls, found 1"),
    (put([1, "conversations", 0, "from"], "user"), 2, "conversations[0].from", "found"),
    (put([0, "conversations", 1, "value"], "<tool_call>\n{]\n</tool_call>"), 1, "conversations[1].value", "as JSON"),
    (put([0, "conversations", 1, "value"], '<tool_call>\n{"name": "a"}\n</tool_call>'), 1, "conversations[1].value",
     "arguments"),
    (put([0, "conversations", 1, "value"], '<tool_call>\n{"name": "a", "arguments": {}}\n</tool_call>'), 1,
     "conversations[1].value", "one of the sample's tools"),
    (put([0, "conversations", 1, "value"], "<tool_call> {}"), 1, "conversations[1].value", "closed"),
    (put([3, "tools"], "{}"), 4, "tools", "list of function schemas"),
    (put([4, "id"], "t-0001/0/0"), 5, "id", "row 1 already"),
]  # fmt: skip


@pytest.mark.parametrize(("edit", "row", "field", "message"), SAMPLE_DEFECTS)
def test_a_defect_of_a_sample_is_found_where_it_is(tmp_path, edit, row, field, message) -> None:
    problems = check_file(samples_file(tmp_path, edit)).problems
    assert (row, field) in [(problem.row, problem.field) for problem in problems], problems
    assert any(message in problem.message for problem in problems if problem.field == field), problems


def test_files_that_are_one_value_are_checked_as_such(tmp_path) -> None:
    path = tmp_path / "splits.json"
    write_splits(path, split({"t-1": group_of(["a-b"])}, Sizes(1, 0, 0, 0), 0))
    assert check_file(path).ok
    path.write_bytes(path.read_bytes().replace(b'"t-1": "sft"', b'"t-1": "dev"'))
    (problem,) = check_file(path).problems
    assert (problem.row, problem.field) == (0, "sets.t-1")
    path = tmp_path / "tools.json"
    path.write_bytes(b'{"format": "envfactory.tools/1"}')
    assert [problem.field for problem in check_file(path).problems] == ["tools"]


def test_a_file_of_another_name_is_known_by_its_first_row(tmp_path) -> None:
    path = write(tmp_path, [looking()])
    assert kind_of(path.rename(tmp_path / "mine.jsonl")) == "trajectories"
    assert kind_of(samples_file(tmp_path).rename(tmp_path / "mine.json")) == "samples"
    (tmp_path / "notes.txt").write_text("hello")
    with pytest.raises(ValueError, match=r"notes\.txt: cannot tell what this file should hold"):
        kind_of(tmp_path / "notes.txt")


def chains_file(folder: Path, edit: Callable[[dict[str, Any]], Any] = len) -> Path:
    gold = booking().gold
    links = [{"consumer": 1, "input": "hotel_id", "producer": 0, "output": "hotels[].id"}]
    tools = [call.tool for call in gold.calls]
    row = {"chain": 3, "tools": tools, "links": links, "gold": gold.model_dump(mode="json")}
    edit(row)
    path = folder / "chains.jsonl"
    path.write_bytes(2 * (orjson.dumps(row) + b"\n"))
    return path


def test_chains_are_numbered_once(tmp_path) -> None:
    (problem,) = check_file(chains_file(tmp_path)).problems
    assert (problem.row, problem.field) == (2, "chain")


@pytest.mark.parametrize(
    ("edit", "field"),
    [
        (put(["tools", 0], "hotel_reservations-nap"), "gold.calls"),
        (put(["links", 0, "producer"], 1), "links[0]"),
        (put(["links", 0, "consumer"], 5), "links[0]"),
        (put(["links", 0, "through"], "x"), "links[0].through"),
        (lambda row: row.pop("gold"), "gold"),
    ],
)
def test_a_defect_of_a_chain_is_found_where_it_is(tmp_path, edit, field) -> None:
    problems = check_file(chains_file(tmp_path, edit)).problems
    assert (1, field) in [(problem.row, problem.field) for problem in problems], problems


def scores_file(folder: Path, edit: Callable[[dict[str, Any]], Any] = len) -> Path:
    (row,) = Rescorer(hotels()).rows(booking())
    document = row.model_dump(mode="json")
    edit(document)
    path = folder / "scores.jsonl"
    path.write_bytes(orjson.dumps(document) + b"\n")
    return path


def test_real_scores_have_no_problems(tmp_path) -> None:
    assert check_file(scores_file(tmp_path)).ok


@pytest.mark.parametrize(
    ("name", "value"),
    [("r_traj", 1.5), ("r_state", -0.5), ("matched", 6), ("reward", "high"), ("candidate", -1)],
)
def test_a_defect_of_a_score_is_found_where_it_is(tmp_path, name, value) -> None:
    (problem,) = check_file(scores_file(tmp_path, put([name], value))).problems
    assert (problem.row, problem.field) == (1, name)


def test_a_turn_without_calls_costs_nothing() -> None:
    (asked,), (straight,) = Rescorer(hotels()).rows(asking()), Rescorer(hotels()).rows(booking())
    assert asked.model_dump(exclude={"id"}) == straight.model_dump(exclude={"id"})
    assert asked.reward == 1


def test_a_candidate_is_scored_once(tmp_path) -> None:
    path = scores_file(tmp_path)
    path.write_bytes(path.read_bytes() * 2)
    (problem,) = check_file(path).problems
    assert (problem.row, problem.field) == (2, "candidate")


def test_a_graph_is_checked_by_its_schema(tmp_path) -> None:
    graph = build_graph(hotels().specs.values(), Lexical(), Settings(prove=False))
    path = tmp_path / "tool_graph.json"
    graph.save(path)
    assert check_file(path).ok
    document = orjson.loads(path.read_bytes())
    document["edges"][0]["producer"] = "hotel_reservations-nap"
    path.write_bytes(orjson.dumps(document))
    (problem,) = check_file(path).problems
    assert "hotel_reservations-nap" in problem.message


def test_a_state_comes_back_from_its_diff_byte_for_byte(tmp_path) -> None:
    path = write(tmp_path, [booking()])
    (row,) = read_jsonl(path)
    trajectory = Trajectory.model_validate(row)
    with Session(hotels(), trajectory.gold.reference) as session:
        base = orjson.loads(session.dump()["hotel_reservations"])
        replay(trajectory.gold, session)
        wanted = session.dump()["hotel_reservations"]
    state = apply_diff(base, trajectory.conversation.turns[-1].diff["hotel_reservations"])
    start = Start(now=trajectory.gold.reference.now, document=orjson.dumps(state).decode())
    assert hotels().open("hotel_reservations", start).dump() == wanted
