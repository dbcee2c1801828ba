"""Types become one flat dialect of JSON Schema, and leaves that keep what annotations say."""

from __future__ import annotations

import datetime as dt
from typing import Annotated, Any, Literal, Optional

import orjson
import pytest
from jsonschema import Draft202012Validator
from pydantic import Field as Bounds
from pydantic import TypeAdapter

from envfactory.catalogue import backend, environment_names
from envfactory.environment import (
    Argument,
    DeclarationError,
    FreeText,
    Output,
    Parameter,
    Ranked,
    Record,
    Ref,
    Shape,
    Unit,
    Value,
    Volatile,
    describe,
)
from envfactory.environment.schema import Field, flattened_schema, leaves, model_fields, without_none
from tests.environment.library import Library

SPECS = [*backend(environment_names()).specs.values(), describe(Library)]
ALLOWED = {
    "type", "format", "description", "enum", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength",
    "maxLength", "pattern", "minItems", "maxItems", "default", "properties", "required", "items",
}  # fmt: skip


class Inner(Argument):
    """An inner thing."""

    name: str
    weight: float = 1.5


class Outer(Output):
    """An outer thing."""

    kind: Literal["only"]
    inner: Inner
    """What is inside."""
    rows: tuple[Inner, ...]
    note: str | None = None


def leaf(annotation: Any, **more: Any) -> Parameter:
    (found,) = leaves(iter([Field("it", annotation, **more)]))
    assert isinstance(found, Parameter)
    return found


def parts(schema: Any) -> list[Any]:
    inner = [*schema.get("properties", {}).values(), *([schema["items"]] if "items" in schema else [])]
    return [schema, *(part for child in inner for part in parts(child))]


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)
def test_every_schema_is_valid_and_uses_nothing_but_the_dialect(spec: Any):
    for tool in spec.tools:
        for text in (tool.parameters, tool.output_schema):
            schema = orjson.loads(text)
            Draft202012Validator.check_schema(schema)
            assert schema["type"] == "object"
            for part in parts(schema):
                assert set(part) <= ALLOWED
                assert part["type"] in {"object", "array", "string", "integer", "number", "boolean"}
                if part["type"] == "object":
                    assert set(part.get("required", ())) <= set(part["properties"])


def test_references_nulls_titles_and_constants_are_gone_and_optional_means_not_required():
    schema = orjson.loads(flattened_schema(TypeAdapter(Outer)))
    inner = {
        "type": "object", "description": "What is inside.",
        "properties": {"name": {"type": "string"}, "weight": {"type": "number", "default": 1.5}},
        "required": ["name", "weight"],
    }  # fmt: skip
    assert schema["properties"] == {
        "kind": {"type": "string", "enum": ["only"]},
        "inner": inner,
        "rows": {"type": "array", "items": {**inner, "description": "An inner thing."}},
        "note": {"type": "string"},
    }
    assert schema["required"] == ["kind", "inner", "rows"]


def test_arguments_show_defaults_bounds_and_descriptions():
    schema = orjson.loads(describe(Library).tool_by_name["search_books"].parameters)
    assert schema == {
        "type": "object",
        "properties": {
            "genre": {"type": "string", "description": "What kind of book.", "enum": ["novel", "poetry", "travel"]},
            "max_pages": {
                "type": "integer", "description": "Only books that are no longer.", "exclusiveMinimum": 0,
                "exclusiveMaximum": 2000,
            },
            "illustrated": {"type": "boolean", "default": False},
            "page": {"type": "integer", "minimum": 1, "default": 1},
        },
        "required": ["genre"],
    }  # fmt: skip


def test_nested_arguments_are_inline_objects_to_depth_two():
    lines = orjson.loads(describe(Library).tool_by_name["order"].parameters)["properties"]["lines"]
    assert (lines["minItems"], lines["maxItems"]) == (1, 3)
    assert lines["items"]["required"] == ["book_id"]
    assert lines["items"]["properties"]["to"]["properties"]["city"] == {"type": "string", "default": "Lisbon"}


def test_objects_deeper_than_two_are_refused_by_path():
    class Third(Argument):
        name: str

    class Second(Argument):
        third: Third

    class First(Argument):
        second: tuple[Second, ...]

    assert len(list(leaves(iter([Field("second", Second)])))) == 3
    with pytest.raises(DeclarationError, match=r"first\.second\[\]\.third: objects nest to depth 2 at most"):
        list(leaves(iter([Field("first", First)])))


@pytest.mark.parametrize(
    ("annotation", "kind", "form"),
    [
        (str, "string", ""),
        (int, "integer", ""),
        (float, "number", ""),
        (bool, "boolean", ""),
        (dt.date, "string", "date"),
        (dt.datetime, "string", "date-time"),
        (dt.time, "string", "time"),
        (str | None, "string", ""),
    ],
)
def test_a_scalar_is_a_leaf_of_its_json_type(annotation: Any, kind: str, form: str):
    found = leaf(annotation)
    assert (found.path, found.type, found.format) == ("it", kind, form)


def test_annotations_end_up_in_the_leaf_however_deep_they_stand():
    base = Annotated[int, Unit("night"), Bounds(ge=2)]
    found = leaf(Annotated[Annotated[base, Ranked("fewest", "most")] | None, Volatile(), Bounds(le=9)])
    assert (found.unit, found.ranked, found.volatile) == ("night", ("fewest", "most"), True)
    assert (found.minimum, found.maximum) == (2, 9)
    assert leaf(Annotated[str, Ref("Book")]).ref == "Book"
    prose = leaf(Annotated[str, FreeText(("a", "b"))])
    assert (prose.free_text, prose.examples) == (True, ("a", "b"))


def test_a_domain_of_values_describes_what_nothing_else_describes():
    city = Annotated[str, Value("city", "A city.")]
    assert (leaf(city).value, leaf(city).description) == ("city", "A city.")
    assert leaf(city, description="Where to.").description == "Where to."


def test_exclusive_bounds_of_whole_numbers_are_told_as_what_is_allowed():
    found = leaf(Annotated[int, Bounds(gt=0, lt=10)])
    assert (found.minimum, found.maximum) == (1, 9)


@pytest.mark.parametrize("options", [("only",), ("a", "b"), (1, 2), (True,)])
def test_a_literal_is_an_enum_of_its_type(options: tuple[Any, ...]):
    found = leaf(Literal[options])
    assert found.enum == options
    assert found.type == {str: "string", int: "integer", bool: "boolean"}[type(options[0])]


def test_paths_mark_lists_and_objects_and_shapes_say_what_holds_what():
    found = list(leaves(model_fields(Outer), "top"))
    assert [(type(part).__name__, part.path) for part in found] == [
        ("Parameter", "top.kind"),
        ("Shape", "top.inner"),
        ("Parameter", "top.inner.name"),
        ("Parameter", "top.inner.weight"),
        ("Shape", "top.rows[]"),
        ("Parameter", "top.rows[].name"),
        ("Parameter", "top.rows[].weight"),
        ("Parameter", "top.note"),
    ]
    assert isinstance(found[1], Shape)
    assert (found[1].entity, found[1].record) == ("Inner", False)


def test_a_default_is_filled_in_what_a_tool_gives_but_may_be_left_out_of_an_argument():
    class Row(Record, noun="row"):
        id: str
        state: str = "new"
        note: str | None = None

    assert [(f.name, f.required) for f in model_fields(Row)] == [("id", True), ("state", True), ("note", False)]
    assert [(f.name, f.required) for f in model_fields(Inner)] == [("name", True), ("weight", False)]


@pytest.mark.parametrize(
    ("annotation", "message"),
    [
        (int | str, "it: a union of several types"),
        (dict[str, int], "it: dict.* has no place in the schema dialect"),
        (list[int], "it: list.* has no place"),
        (bytes, "it: <class 'bytes'> has no place"),
        (tuple[int, str], r"it: write lists as tuple\[item, ...\]"),
        (tuple[bytes, ...], r"it\[\]: <class 'bytes'> has no place"),
        (Any, "it: typing.Any has no place"),
    ],
)
def test_a_type_outside_the_dialect_is_refused_by_path(annotation: Any, message: str):
    with pytest.raises(DeclarationError, match=message):
        leaf(annotation)


def test_a_union_cannot_be_flattened():
    class Either(Output):
        value: int | str

    with pytest.raises(DeclarationError, match="a union of several types"):
        flattened_schema(TypeAdapter(Either))


@pytest.mark.parametrize(
    ("annotation", "expected"),
    [
        (int, int),
        (int | None, int),
        (Annotated[int | None, "x"], Annotated[int, "x"]),
        (Optional[Annotated[int, "x"]], Annotated[int, "x"]),  # noqa: UP045 (as a value, not as a type)
    ],
)
def test_an_optional_type_without_its_none_keeps_everything_else(annotation: Any, expected: Any):
    assert without_none(annotation) == expected
