"""A signature is a contract: what a call may say is checked in full, and everything wrong is told at once."""

from __future__ import annotations

import math
from functools import cache
from typing import Annotated, Any

import orjson
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import Field

from envfactory.catalogue import environment_names, load
from envfactory.environment import DeclarationError, Environment, Session, ToolError, describe, tool
from envfactory.environment.moments import text_only
from envfactory.environment.tools import argument_text, tools_of
from tests.environment.library import Library, Told, library

ENVIRONMENTS: dict[str, type[Environment]] = {**load(environment_names()), "library": Library}
TOOLS = [(environment, name) for environment, owner in ENVIRONMENTS.items() for name in owner.tools]
BORROW = {"book_id": "B-1", "due": "2026-03-05"}


@pytest.fixture(scope="module")
def session() -> Session:
    return library()


def refusal(session: Session, tool: str, arguments: Any) -> str:
    before = session.dump()
    result = session.call(f"library-{tool}", arguments)
    assert (result.ok, result.code) == (False, "invalid_argument"), result
    assert session.dump() == before
    return result.value["error"]["message"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "missing argument 'book_id'; missing argument 'due'."),
        ({**BORROW, "bookid": 1}, "unknown argument 'bookid' (did you mean 'book_id'?)."),
        ({**BORROW, "zzz": None}, "unknown argument 'zzz' (this tool takes book_id, due, note)."),
        ({**BORROW, "note": None}, "argument 'note' is null; leave it out instead."),
        ({**BORROW, "note": 5}, "argument 'note' is 5: input should be a valid string."),
        ({**BORROW, "due": math.nan}, "argument 'due' is null; leave it out instead."),
        ({**BORROW, "note": "n" * 99, "due": "x" * 99}, f"argument 'due' is '{'x' * 56}...: input should be a date"),
        (
            {"due": "86400", "dew": 1, "note": []},
            (
                "missing argument 'book_id'; argument 'due' is '86400': input should be a date such as 2026-03-02; "
                "argument 'note' is []: input should be a valid string; unknown argument 'dew' (did you mean 'due'?)."
            ),
        ),
    ],
)
def test_everything_wrong_with_a_call_is_told_at_once(session: Session, arguments: Any, message: str):
    assert message in refusal(session, "borrow", arguments)


def test_a_tool_without_arguments_says_so(session: Session):
    assert refusal(session, "count_loans", {"all": True}) == "unknown argument 'all' (this tool takes no arguments)."


def test_wrong_values_inside_nested_arguments_are_named_by_path(session: Session):
    lines = [{"book_id": "B-1"}, {"copies": 10, "to": {"town": "Rome"}}]
    message = refusal(session, "order", {"lines": lines, "tags": ["novel", "prose"]})
    for part in (
        "missing argument 'lines[1].book_id'",
        "argument 'lines[1].copies' is 10: input should be less than or equal to 9",
        "missing argument 'lines[1].to.street'",
        "unknown argument 'lines[1].to.town'",
        "argument 'tags[1]' is 'prose'",
    ):
        assert part in message
    assert "lines[0]" not in message


@pytest.mark.parametrize("given", [1, 1.5, True, "1", [], {}])
def test_nothing_is_coerced(session: Session, given: Any):
    wanted = {"row": int, "shelf": str}
    for name, kind in wanted.items():
        arguments = {"row": 1, "shelf": "north", "place": 1, name: given}
        if type(given) is kind:
            assert session.call("library-move", arguments).ok
        else:
            assert f"argument '{name}' is" in refusal(session, "move", arguments)


def test_a_whole_number_will_do_for_a_fraction(session: Session):
    assert session.call("library-spend", {"member_id": "M-1", "amount": 1, "at": "2026-03-02T09:30:00"}).ok


@pytest.mark.parametrize("arguments", ["[]", "null", "5", '"text"', [], None, 5, "true"])
def test_arguments_that_are_no_object_are_refused(session: Session, arguments: Any):
    assert refusal(session, "count_loans", arguments).startswith("The arguments must be a JSON object")


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "{", "{}}", "{'a': 1}", '{"a": NaN}', '{"a": -Infinity}', '{"a": 1e999}', '{"a": "\\ud800"}',
        '{"a": "\ud800"}', b'{"a": "\xff"}', "[" * 5000,
    ],
)  # fmt: skip
def test_text_that_is_not_json_is_refused(session: Session, text: str | bytes):
    assert refusal(session, "count_loans", text).startswith("The arguments are not valid JSON")


@pytest.mark.parametrize("value", [2**64, -(2**63) - 1, "\ud800", {1: 2}, {3}, object(), b"x"])
def test_values_that_json_cannot_say_are_refused(session: Session, value: Any):
    assert refusal(session, "move", {"row": value}).startswith("The arguments cannot be written as JSON")


@pytest.mark.parametrize("row", [2**64, -(2**63) - 1, 2**200])
def test_a_number_beyond_64_bits_is_no_whole_number_in_text_either(session: Session, row: int):
    assert "argument 'row' is" in refusal(session, "move", f'{{"row": {row}, "place": 1, "shelf": "north"}}')


scalars = (
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False, allow_infinity=False)
)
json_values = st.recursive(
    scalars | st.text(), lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3)
)


@given(json_values.filter(lambda value: not isinstance(value, str)))
@example({"row": 1, "place": 2, "shelf": "north"})
def test_arguments_mean_the_same_as_values_and_as_text(arguments: Any):
    session = library()
    wanted = session.call("library-move", arguments)
    text = orjson.dumps(arguments)
    assert session.call("library-move", text) == session.call("library-move", text.decode()) == wanted
    assert argument_text(text) == text


# -- our verdict and that of JSON Schema ------------------------------------------------------------------------------


def closed(schema: Any) -> Any:
    """A schema that says what ours means: what is not named is refused."""
    if schema["type"] == "object":
        properties = {name: closed(child) for name, child in schema["properties"].items()}
        return {**schema, "properties": properties, "additionalProperties": False}
    if schema["type"] == "array":
        return {**schema, "items": closed(schema["items"])}
    return schema


def near_values(schema: Any) -> st.SearchStrategy[Any]:
    """Values that nearly fit: mostly of the right type, at and around every bound."""
    match schema["type"]:
        case "object":
            properties = {name: near_values(child) for name, child in schema["properties"].items()}
            required = {name: properties[name] for name in schema.get("required", ())}
            optional = {name: value for name, value in properties.items() if name not in required}
            fitting = st.fixed_dictionaries(required, optional=optional)
            odd = st.fixed_dictionaries({}, optional={**properties, "other": scalars})
            return st.one_of(fitting, fitting, fitting, odd)
        case "array":
            return st.lists(near_values(schema["items"]), max_size=schema.get("maxItems", 3) + 1)
        case "string":
            moments = ["2026-03-02", "2026-03-02T09:30:00", "86400", "", "2026-13-02", "09:30:00"]
            return st.sampled_from([*schema.get("enum", ()), *moments]) | st.text(max_size=6) | scalars
        case "boolean":
            return st.booleans() | scalars
        case kind:
            keys = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "default")
            edges = {schema[key] + step for key in keys if key in schema for step in (-1, 0, 1)} | {1}
            shaped = [int(e) if kind == "integer" else float(e) for e in sorted(edges)]
            return st.sampled_from([*shaped, *schema.get("enum", ())]) | scalars


def without_whole_floats(value: Any) -> Any:
    """JSON Schema takes 1.0 for an integer; we do not, so that is left out of the comparison."""
    if isinstance(value, float) and value.is_integer():
        return value + 0.5 if abs(value) < 2**50 else 0.5
    if isinstance(value, list):
        return [without_whole_floats(item) for item in value]
    if isinstance(value, dict):
        return {key: without_whole_floats(child) for key, child in value.items()}
    return value


def has_odd_moments(problems: str) -> bool:
    """JSON Schema leaves formats open; dates have tests of their own."""
    return "input should be a date" in problems or "input should be a time" in problems


@cache
def sayings(environment: str, name: str) -> tuple[Draft202012Validator, st.SearchStrategy[Any]]:
    """What JSON Schema says of a tool's arguments, and arguments that nearly fit."""
    schema = closed(orjson.loads(describe(ENVIRONMENTS[environment]).tool_by_name[name].parameters))
    return Draft202012Validator(schema), near_values(schema).map(without_whole_floats)


@pytest.mark.parametrize(("environment", "name"), TOOLS, ids=lambda value: value)
@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_json_schema_and_we_agree_on_what_may_be_said(environment: str, name: str, data: st.DataObject):
    schema, strategy = sayings(environment, name)
    arguments = data.draw(strategy)
    valid = schema.is_valid(arguments)
    try:
        ENVIRONMENTS[environment].tools[name].arguments(argument_text(arguments))
        refused = ""
    except ToolError as error:
        refused = error.message
    if not valid:
        assert refused
    elif not has_odd_moments(refused):
        assert not refused


# -- declarations ----------------------------------------------------------------------------------------------------

GOOD: dict[str, Any] = {"ask": ("do it",), "reply": ("Done.",)}


def test_the_description_is_the_docstring_on_one_line():
    assert Library.tools["search_books"].description == "Find books of a genre."
    assert describe(Library).tool_by_name["search_books"].description == "Find books of a genre."


def test_tools_stand_in_the_order_of_their_definition_and_are_inherited():
    class Child(Library):
        """More."""

        @tool(**GOOD)
        def more(self) -> Told:
            """Do more."""
            return Told(number=1)

        @tool(**GOOD)
        def count_loans(self) -> Told:
            """Count in another way."""
            return Told(number=-1)

    assert list(Child.tools) == [*Library.tools, "more"]
    assert Child.tools["count_loans"].description == "Count in another way."
    assert Library.tools["count_loans"].description != "Count in another way."


class NoOutput:
    @tool(**GOOD)
    def act(self) -> int:
        """Act."""
        return 1


class NoDocstring:
    @tool(**GOOD)
    def act(self) -> Told:
        return Told(number=1)


class NoneByDefault:
    @tool(**GOOD)
    def act(self, size: int | None) -> Told:
        """Act."""
        return Told(number=size or 0)


class OtherDefault:
    @tool(**GOOD)
    def act(self, size: Annotated[int | None, Field(ge=1)] = 3) -> Told:
        """Act."""
        return Told(number=size or 0)


class Stranger:
    @tool(**GOOD)
    def act(self) -> Told:
        """Act.

        Args:
            size: How large.
        """
        return Told(number=1)


@pytest.mark.parametrize(
    ("owner", "message"),
    [
        (NoOutput, r"NoOutput\.act must return a Record or an Output, not <class 'int'>"),
        (NoDocstring, r"NoDocstring\.act needs a docstring"),
        (NoneByDefault, r"NoneByDefault\.act: size may be None, so its default must be None"),
        (OtherDefault, r"OtherDefault\.act: size may be None, so its default must be None"),
        (Stranger, r"Stranger\.act: the docstring describes size, which it does not take"),
    ],
)
def test_a_declaration_that_breaks_a_rule_says_what_and_where(owner: type, message: str):
    with pytest.raises(DeclarationError, match=message):
        tools_of(owner)


def test_a_refusal_has_one_of_the_known_codes():
    with pytest.raises(ValueError, match="ToolError code 'teapot' is not one of conflict, invalid_argument"):
        ToolError("teapot", "No.")  # pyright: ignore[reportArgumentType]


def test_dates_are_held_to_plain_text_once_however_often_it_is_asked_for():
    schema = text_only({"type": "date"})
    assert text_only(schema) == schema
