"""The turns for reinforcement learning: what a rollout is given, and that the file gives back what went in."""

from __future__ import annotations

from functools import cache

import orjson
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from envfactory.dataset import RLRow, read_rl_rows, rl_rows, samples, step_text, tool_file, write_rl_rows
from envfactory.dataset.check import check_file
from envfactory.environment import DEFAULT_NOW, Reference, Session
from envfactory.gold import Const, FromUser, Gold, GoldCall, ListOf, ObjectOf, Out, replay
from envfactory.querygen.knowledge import knowledge_by_turn
from tests.dataset.support import asking, booking, hotels, looking
from tests.dataset.test_sft import relabelled

TOOLS = tool_file(hotels().specs)


@cache
def rows() -> list[RLRow]:
    first = list(rl_rows(booking(), TOOLS, "train"))
    return [*first, *rl_rows(looking(), TOOLS, "train", len(first))]


def test_every_user_turn_is_a_row_that_ends_with_what_the_user_says() -> None:
    found = rows()
    assert [row.id for row in found] == ["t-0001/0", "t-0001/1", "t-0002/0"]
    assert [row.extra_info.index for row in found] == [0, 1, 2]
    said = [turn.user for trajectory in (booking(), looking()) for turn in trajectory.conversation.turns]
    assert [row.prompt[-1].content for row in found] == said
    assert {row.prompt[-1].role for row in found} == {"user"}


def test_a_turn_in_which_the_assistant_asks_back_is_no_row_but_in_the_history_of_the_next() -> None:
    found = list(rl_rows(asking(), TOOLS, "train", 4))
    assert [row.id for row in found] == ["t-0003/0", "t-0003/2"]
    assert [row.extra_info.index for row in found] == [4, 5]
    assert [len(row.gold) for row in found] == [3, 2]
    last = [(message.role, message.content) for message in found[1].prompt[-3:]]
    assert last == [
        ("user", "Book a hotel for me."),
        ("assistant", "Which one, and for when?"),
        ("user", asking().conversation.turns[2].user),
    ]


def test_a_question_that_gold_does_not_ask_is_in_the_history_and_its_answer_ends_the_row() -> None:
    turns = booking().conversation.turns
    question = turns[0].model_copy(update={"steps": (turns[0].steps[-1].model_copy(update={"text": "Shall I?"}),)})
    answered = turns[0].model_copy(update={"user": "Yes."})
    candidate = booking().candidates[booking().chosen].model_copy(update={"turns": (question, answered, *turns[1:])})
    longer = booking().model_copy(update={"candidates": (candidate,), "chosen": 0, "cleaned": None})
    plain, found = list(rl_rows(booking(), TOOLS, "train")), with_user(longer)
    assert [row.gold for row in found] == [row.gold for row in plain]
    assert [row.before for row in found] == [row.before for row in plain]
    assert [message.content for message in found[0].prompt[-3:]] == [turns[0].user, "Shall I?", "Yes."]
    shorter = candidate.model_copy(update={"turns": turns[:1]})
    with pytest.raises(ValueError, match="expected at least 2 turns"):
        list(rl_rows(longer.model_copy(update={"candidates": (shorter,)}), TOOLS, "train"))


def with_user(trajectory, first: int = 0) -> list[RLRow]:
    """The rows of a trajectory as stage export makes them."""
    knowledge = knowledge_by_turn(hotels(), trajectory.gold)
    return list(rl_rows(trajectory, TOOLS, "train", first, knowledge))


def test_with_a_simulated_user_a_row_begins_with_the_request_that_is_asked_back_about() -> None:
    first, second = with_user(asking())
    assert first.opening(simulated=True) == first.opening(simulated=False) == first.prompt
    assert second.opening(simulated=False) == second.prompt
    opening = second.opening(simulated=True)
    assert [message.content for message in opening][-1] == "Book a hotel for me."
    assert second.prompt[len(opening) :] == second.prompt[-2:]
    assert opening[: len(first.prompt)] == first.prompt


def test_a_row_tells_what_the_person_knows_and_is_otherwise_the_same() -> None:
    for row, without in zip(with_user(booking()), rows(), strict=False):
        assert row.user is not None
        assert row.user.knows.facts
        assert row.model_copy(update={"user": None}) == without
        assert without.opening(simulated=True) == without.prompt
        assert {name: value for name, value in row.columns().items() if name != "user"} == {
            name: value for name, value in without.columns().items() if name != "user"
        }
        assert without.columns()["user"] == "null"
        assert orjson.loads(row.columns()["user"]) == row.user.model_dump(mode="json")


def test_rows_with_users_are_read_back_and_have_no_problems(tmp_path) -> None:
    path = tmp_path / "rl_train.parquet"
    found = [*with_user(asking()), *with_user(booking(), 2)]
    write_rl_rows(path, found)
    assert list(read_rl_rows(path)) == found
    assert check_file(path).ok


def test_a_file_of_an_earlier_format_is_refused_by_its_number(tmp_path) -> None:
    path = tmp_path / "rl_train.parquet"
    write_rl_rows(path, rows())
    table = parquet.read_table(path).drop_columns(["user"])
    parquet.write_table(table.replace_schema_metadata({"format": "envfactory.rl/1"}), path)
    with pytest.raises(ValueError, match=r"expected the format 'envfactory.rl/2' .* found 'envfactory.rl/1'"):
        list(read_rl_rows(path))


def test_a_row_without_gold_calls_is_a_fault(tmp_path) -> None:
    assert first_problem(broken(tmp_path, 0, gold="[]"))[1:] == (
        "gold", "expected a call: where there is none, nothing can be rewarded",
    )  # fmt: skip


def test_the_programs_of_a_row_are_those_of_the_turns_before_and_of_its_own() -> None:
    first, second, _ = rows()
    calls = booking().gold.calls
    assert (first.before, first.gold) == ((), calls[:3])
    assert (second.before, second.gold) == (calls[:3], calls[3:])


def test_the_program_before_leads_to_the_state_in_which_the_turn_begins() -> None:
    _, second, _ = rows()
    with Session(hotels(), second.reference) as session:
        run = replay(Gold(reference=second.reference, calls=second.before), session)
        assert run.diff == booking().conversation.turns[0].diff
        whole = Gold(reference=second.reference, calls=(*second.before, *second.gold))
        assert replay(whole, session, start=3, outputs=run.outputs).diff == booking().gold.diff


def test_the_history_says_what_the_samples_of_supervised_fine_tuning_say() -> None:
    _, second, _ = rows()
    sample = next(sample for sample in samples(booking(), TOOLS) if sample.id == "t-0001/1/0")
    assert second.tools == sample.tools
    assert second.prompt[0].content == sample.system
    texts = [message.content for message in second.prompt[1:]]
    in_sample = [text for message in sample.messages[:-1] for text in message.value.split(
        "\n</tool_response>\n<tool_response>\n")]  # fmt: skip
    assert texts == in_sample
    assert [message.role for message in second.prompt] == [
        "system", "user", "assistant", "tool", "assistant", "tool", "tool", "assistant", "user",
    ]  # fmt: skip


def test_a_removed_step_is_not_in_the_history() -> None:
    step = booking().conversation.turns[0].steps[1]
    _, second = rl_rows(relabelled(booking(), {(0, 1): "remove"}), TOOLS, "train")
    texts = [message.content for message in second.prompt]
    assert step_text(step) not in texts
    assert step.calls[1].result not in texts
    with pytest.raises(ValueError, match="turn 0"):
        list(rl_rows(relabelled(booking(), {(0, 2): "remove"}), TOOLS, "train"))


def test_what_is_written_is_read_back(tmp_path) -> None:
    path = tmp_path / "rl_train.parquet"
    assert write_rl_rows(path, iter(rows())) == 3
    assert list(read_rl_rows(path)) == rows()
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


def test_verl_finds_its_columns_in_the_shape_that_it_demands(tmp_path) -> None:
    path = tmp_path / "rl_train.parquet"
    write_rl_rows(path, rows())
    first = parquet.read_table(path).to_pylist()[1]
    assert first["prompt"] == [message.model_dump() for message in rows()[1].prompt]
    assert first["agent_name"] == "envfactory"
    assert first["data_source"] == "envfactory/travel"
    assert first["extra_info"] == {"index": 1, "split": "train"}
    assert first["reward_model"] == {"style": "rule", "ground_truth": "t-0001/1"}


def test_no_rows_are_a_file_with_its_columns(tmp_path) -> None:
    path = tmp_path / "rl_val.parquet"
    assert write_rl_rows(path, []) == 0
    assert list(read_rl_rows(path)) == []
    assert set(parquet.read_schema(path).names) == set(RLRow.model_fields)
    assert check_file(path).ok


def test_the_same_rows_are_the_same_bytes(tmp_path) -> None:
    for name in ("one.parquet", "two.parquet"):
        write_rl_rows(tmp_path / name, rows())
    assert (tmp_path / "one.parquet").read_bytes() == (tmp_path / "two.parquet").read_bytes()


def test_a_file_that_could_not_be_finished_leaves_nothing(tmp_path) -> None:
    def breaking():
        yield rows()[0]
        raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        write_rl_rows(tmp_path / "rl_train.parquet", breaking())
    assert list(tmp_path.iterdir()) == []


# What arguments of calls may hold: JSON, with members that differ from row to row.
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abc", max_size=2), inner, max_size=3),
    max_leaves=6,
)  # fmt: skip
LEAVES = (
    st.builds(Const, value=VALUES)
    | st.builds(FromUser, value=VALUES, turn=st.integers(0, 3))
    | st.builds(Out, call=st.integers(0, 9), path=st.just("hotels[0].id"))
)
BINDINGS = st.recursive(
    LEAVES,
    lambda inner: (
        st.builds(ListOf, items=st.lists(inner, max_size=2).map(tuple))
        | st.builds(ObjectOf, fields=st.dictionaries(st.text("xy", min_size=1), inner, max_size=2))
    ),
    max_leaves=4,
)
CALLS = st.lists(
    st.builds(GoldCall, tool=st.just("a-b"), arguments=st.dictionaries(st.text("pq", min_size=1), BINDINGS)), max_size=3
).map(tuple)


@settings(deadline=None, max_examples=30)  # each writes a file to the disk
@given(st.lists(st.tuples(CALLS, CALLS, st.dictionaries(st.text("e", min_size=1), st.text('{}"s'))), max_size=4))
def test_nested_parts_of_any_shape_survive_the_file(tmp_path_factory, parts) -> None:
    path = tmp_path_factory.mktemp("rl") / "rl_train.parquet"
    reference = Reference(environments={"e": ""}, now=DEFAULT_NOW)
    given_rows = [
        rows()[0].model_copy(
            update={"before": before, "gold": gold, "reference": reference.model_copy(update={"states": states})}
        )
        for before, gold, states in parts
    ]
    write_rl_rows(path, given_rows)
    read = list(read_rl_rows(path))
    assert read == given_rows
    # Equality of models forgives 1 for 1.0 and for true; the bytes do not.
    assert [row.model_dump_json() for row in read] == [row.model_dump_json() for row in given_rows]


def broken(tmp_path, row: int, **columns):
    """A file of the real rows in which some columns of one row are others."""
    found = [one.columns() for one in rows()]
    found[row].update(columns)
    path = tmp_path / "rl_train.parquet"
    write_rl_rows(path, rows())
    parquet.write_table(pa.Table.from_pylist(found, schema=parquet.read_schema(path)), path)
    return check_file(path)


def first_problem(checked) -> tuple[int, str, str]:
    assert not checked.ok
    return checked.problems[0].row, checked.problems[0].field, checked.problems[0].message


def test_a_good_file_has_no_problems(tmp_path) -> None:
    checked = broken(tmp_path, 0)
    assert (checked.ok, checked.rows, checked.kind) == (True, 3, "turns for reinforcement learning")


def call(tool: str, **arguments):
    return GoldCall(tool=f"hotel_reservations-{tool}", arguments=arguments).model_dump(mode="json")


def text(value) -> str:
    return orjson.dumps(value).decode()


PROMPT = [message.model_dump() for message in rows()[1].prompt]


@pytest.mark.parametrize(
    ("columns", "field", "message"),
    [
        ({"gold": "[{"}, "gold", "expected JSON text"),
        ({"gold": "{}"}, "gold", "found {}"),
        ({"before": text([{"tool": "a"}])}, "before[0].arguments", "required"),
        ({"agent_name": "someone"}, "agent_name", "someone"),
        ({"id": "t-0001/0"}, "id", "stands in row 1 already"),
        ({"extra_info": {"index": 7, "split": "train"}}, "extra_info.index", "expected 1, found 7"),
        ({"extra_info": {"index": 1, "split": "test"}}, "extra_info.split", "test"),
        ({"reward_model": {"style": "rule", "ground_truth": "x"}}, "reward_model.ground_truth", "row's id"),
        ({"prompt": PROMPT[1:]}, "prompt[0].role", "expected 'system'"),
        ({"prompt": [*PROMPT[:3], *PROMPT[4:]]}, "prompt[3].role", "expected 'tool' here, found 'assistant'"),
        ({"prompt": PROMPT[:-1]}, "prompt", "user says last"),
        ({"prompt": [*PROMPT[:-1], {"role": "user", "content": " "}]}, "prompt[8].content", "empty"),
        ({"tools": "nothing"}, "tools", "function schemas"),
        ({"gold": text([call("nap")])}, "gold[0].tool", "offered"),
        ({"gold": text([call("get_hotel", hotel_id=Out(call=3, path="id"))])},
         "gold[0].arguments.hotel_id.call", "before call 3"),
        ({"gold": text([call("get_hotel", hotel_id=Const(value="H-0"))])}, "gold", "do not run: call 3"),
        ({"before": text([call("list_reservations")]), "gold": text([])}, "before", "1 results are not there"),
        ({"user": "[]"}, "user", "found []"),
        ({"user": text({"begins": 1, "knows": {}})}, "user.begins", "2"),
        ({"user": text({"begins": 3, "knows": {}})}, "user.begins", "one of the user, found 3"),
        ({"user": text({"begins": 40, "knows": {}})}, "user.begins", "one of the user, found 40"),
        ({"user": text({"begins": 2, "knows": {"facts": [{"about": [], "words": "Rome"}]}})},
         "user.knows.facts[0].about", "1"),
        ({"reference": text({"environments": {"moon_base": ""}})}, "reference.environments.moon_base", "catalogue"),
        ({"reference": text({"environments": {"hotel_reservations": "0" * 64}})},
         "reference.environments.hotel_reservations", "another version"),
    ],
)  # fmt: skip
def test_a_fault_is_found_by_row_and_field(tmp_path, columns, field, message) -> None:
    row, where, said = first_problem(broken(tmp_path, 1, **columns))
    assert (row, where) == (2, field)
    assert message in said


def test_a_column_that_is_missing_or_of_another_type_is_named(tmp_path) -> None:
    path = tmp_path / "rl_train.parquet"
    write_rl_rows(path, rows())
    table = parquet.read_table(path)
    parquet.write_table(table.drop_columns(["before"]), path)
    assert first_problem(check_file(path)) == (0, "before", "expected a column of type string, found nothing")
    parquet.write_table(table.append_column("mood", pa.array(["", "", ""])), path)
    assert first_problem(check_file(path)) == (0, "mood", "expected a column of type nothing, found string")
    parquet.write_table(table.replace_schema_metadata({}), path)
    assert "envfactory.rl/2" in first_problem(check_file(path))[2]


def test_a_file_that_is_no_parquet_is_told(tmp_path) -> None:
    path = tmp_path / "rl_train.parquet"
    path.write_bytes(b"PAR1 and nothing more")
    assert "not a Parquet file" in first_problem(check_file(path))[2]
    with pytest.raises(ValueError, match="not a Parquet file"):
        list(read_rl_rows(path))


def test_reading_a_broken_row_names_file_and_row(tmp_path) -> None:
    broken(tmp_path, 1, gold="{}")
    with pytest.raises(ValueError, match=r"rl_train.parquet: row 2, gold: .*stages=\[check\]"):
        list(read_rl_rows(tmp_path / "rl_train.parquet"))


def test_another_name_is_told_by_its_content(tmp_path) -> None:
    path = tmp_path / "mine.parquet"
    write_rl_rows(path, rows())
    assert check_file(path).ok
