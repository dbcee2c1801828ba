"""Relations are short to write and plain JSON to read."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from envfactory.environment import AtMost, Relation, Some, Together, Within
from envfactory.environment.relations import RELATIONS

RELATION: TypeAdapter[Any] = TypeAdapter(Relation)

EXAMPLES: list[dict[str, Any]] = [
    {"kind": "after", "parameter": "end", "other": "start", "days": [1, 4]},
    {"kind": "from_now", "parameter": "day", "days": [-3, 3]},
    {"kind": "within", "parameter": "amount", "low": 5.0, "high": 50.0, "step": 1.0},
    {"kind": "owned", "parameter": "card_id", "field": "holder_id", "by": "holder_id"},
    {"kind": "having", "parameter": "card_id", "field": "status", "among": ["open", 3, True]},
    {"kind": "dated", "parameter": "bill_id", "field": "due", "days": [-9, -1], "unset": True},
    {
        "kind": "named_in", "parameter": "book_id", "entity": "Loan", "field": "book_id", "status": "status",
        "among": ["open"],
    },
    {"kind": "at_most", "parameter": "amount", "other": "card_id", "field": "limit", "share": 0.5},
    {"kind": "field_of", "parameter": "room", "other": "hotel_id", "field": "rooms[].kind"},
    {"kind": "sharing", "parameter": "train_id", "other": "ticket_id", "fields": ["origin", "destination"]},
    {"kind": "differs", "parameter": "to", "other": "from"},
    {"kind": "differing", "parameter": "room", "other": "stay_id", "field": "room"},
    {"kind": "some", "parameters": ["a", "b"]},
    {"kind": "together", "parameters": ["a", "b"]},
    {"kind": "graded", "parameter": "title", "other": "score", "bands": [[4.0, ["no"]], [10.0, ["yes", "well"]]]},
    {"kind": "new", "parameter": "street", "entity": "Address", "field": "street"},
    {"kind": "ends", "parameter": "stay_id"},
]  # fmt: skip


def test_there_is_an_example_of_every_kind():
    assert [example["kind"] for example in EXAMPLES] == [kind.model_fields["kind"].default for kind in RELATIONS]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example["kind"])
def test_a_relation_is_the_same_after_a_round_trip_through_json(example: dict[str, Any]):
    relation = RELATION.validate_python(example)
    assert relation.model_dump(mode="json") == example
    assert RELATION.validate_json(relation.model_dump_json()) == relation
    with pytest.raises(ValidationError, match="frozen"):
        relation.kind = "other"
    with pytest.raises(ValidationError):
        RELATION.validate_python({**example, "unknown": 1})


def test_names_of_parameters_may_be_given_one_by_one():
    assert Some("a", "b") == Some(parameters=("a", "b"))
    assert Together("a", "b").parameters == ("a", "b")


def test_what_need_not_be_said_has_a_plain_default():
    assert Within(parameter="amount", low=1, high=2).step == 1
    assert AtMost(parameter="amount", other="card_id", field="limit").share == 1


def test_what_a_relation_needs_must_be_given():
    with pytest.raises(ValidationError, match="days"):
        RELATION.validate_python({"kind": "after", "parameter": "end", "other": "start"})
    with pytest.raises(ValidationError, match="parameters"):
        Some()
