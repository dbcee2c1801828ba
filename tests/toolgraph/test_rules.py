from __future__ import annotations

from typing import Any

import pytest

from envfactory.environment import Parameter, Shape
from envfactory.toolgraph.leaves import Leaf, leaves_of
from envfactory.toolgraph.rules import declared, echo_inputs, objection
from tests.toolgraph.worlds import made, spec


def leaf(**more: Any) -> Leaf:
    parameter = Parameter.model_validate({"path": "thing", "type": "string", "description": "A thing.", **more})
    return leaves_of([spec("a", made("a", "tool", inputs=(parameter,)))]).inputs[0]


@pytest.mark.parametrize(
    ("output", "into", "reason"),
    [
        ({"ref": "Hotel"}, {"ref": "Guest"}, "entity"),
        ({"ref": "Hotel"}, {}, "id"),
        ({}, {"ref": "Hotel"}, "id"),
        ({"value": "city"}, {"value": "email"}, "value"),
        ({"value": "city"}, {}, "one-sided"),
        ({}, {"value": "city"}, "one-sided"),
        ({"free_text": True}, {}, "free text"),
        ({}, {"free_text": True}, "free text"),
        ({}, {"secret": "PIN"}, "secret"),
        ({"ref": "Hotel"}, {"secret": "PIN"}, "secret"),
        ({"type": "boolean"}, {"type": "boolean"}, "boolean"),
        ({"enum": ("a", "b")}, {}, "enum"),
        ({}, {"enum": ("a", "b")}, "enum"),
        ({"path": "total", "type": "integer"}, {"path": "page", "type": "integer"}, "paging"),
        ({"type": "integer"}, {"type": "integer"}, "number"),
        ({"type": "number", "unit": "USD"}, {"type": "number", "unit": "EUR"}, "unit"),
        ({"type": "number", "unit": "USD"}, {"type": "number"}, "unit"),
        ({"type": "number", "unit": "USD", "value": "due"}, {"type": "number", "unit": "EUR", "value": "due"}, "unit"),
    ],
)
def test_each_rule_gives_its_reason(output: dict[str, Any], into: dict[str, Any], reason: str):
    assert objection(leaf(**output), leaf(**into)).partition(":")[0] == reason


@pytest.mark.parametrize(
    ("output", "into"),
    [
        ({"ref": "Hotel"}, {"ref": "Hotel"}),
        ({"value": "city"}, {"value": "city"}),
        ({"enum": ("a", "b"), "value": "kind"}, {"enum": ("a", "b"), "value": "kind"}),
        ({"type": "integer", "value": "seats"}, {"type": "integer", "value": "seats"}),
        ({"type": "number", "unit": "USD"}, {"type": "number", "unit": "USD"}),
        ({}, {}),
    ],
)
def test_agreeing_declarations_and_plain_words_meet_no_objection(output: dict[str, Any], into: dict[str, Any]):
    assert objection(leaf(**output), leaf(**into)) == ""


ID = Parameter(path="note_id", type="string", description="Note.", ref="Note")


@pytest.mark.parametrize(
    ("output", "gives_back"),
    [
        (Parameter(path="id", type="string", ref="Note"), True),
        (Parameter(path="lines[].note_id", type="string", ref="Note"), True),
        (Parameter(path="similar[].id", type="string", ref="Note"), False),
        (Parameter(path="owner_id", type="string", ref="Person"), False),
        (Parameter(path="title", type="string"), False),
    ],
)
def test_a_tool_that_demands_an_id_echoes_it(output: Parameter, gives_back: bool):
    leaves = leaves_of([spec("a", made("a", "get", inputs=(ID,), outputs=(output,)))])
    assert bool(echo_inputs(leaves, leaves.outputs[0])) is gives_back


def test_a_tool_that_may_be_given_an_id_does_not_echo_it():
    leaves = leaves_of(
        [spec("a", made("a", "find", inputs=(ID.model_copy(update={"required": False}),), outputs=(ID,)))]
    )
    assert echo_inputs(leaves, leaves.outputs[0]) == ()


def test_the_plain_id_of_a_record_is_the_id_of_that_record():
    shapes = (Shape(path="", entity="Page"), Shape(path="notes[]", entity="Note", record=True))
    plain = Parameter(path="notes[].id", type="string", description="Identifier.")
    leaves = leaves_of(
        [spec("a", made("a", "list", outputs=(plain,), output_shapes=shapes), made("a", "get", inputs=(ID,)))]
    )
    assert leaves.outputs[0].key == leaves.inputs[0].key == "entity Note"
    assert leaves.outputs[0].text == "note_id (string): Identifier."
    assert list(declared(leaves, top=1)) == [(0, 0)]


def test_declared_pairs_are_all_at_home_and_few_abroad_from_many_environments():
    city = Parameter(path="city", type="string", value="city")
    home = [made("a", f"give{n}", outputs=(city,)) for n in range(5)]
    abroad = [spec(f"x{n}", *[made(f"x{n}", f"give{m}", outputs=(city,)) for m in range(5)]) for n in range(3)]
    leaves = leaves_of([spec("a", *home, made("a", "take", inputs=(city,))), *abroad])
    pairs = list(declared(leaves, top=3))
    givers = [leaves.tools[leaves.outputs[output].tool].environment for output, _ in pairs]
    assert givers.count("a") == 5
    assert [givers.count(f"x{n}") for n in range(3)] == [1, 1, 1]
