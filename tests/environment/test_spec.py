"""A spec is plain JSON, and says the same after a round trip."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from pydantic import ValidationError

from envfactory.catalogue import backend, environment_names
from envfactory.environment import RUNTIME_VERSION, SEPARATOR, Parameter, Spec, describe
from tests.environment.library import Library

SPECS = [*backend(environment_names()).specs.values(), describe(Library)]
LIBRARY = describe(Library)


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)
def test_a_spec_is_the_same_after_a_round_trip_through_json(spec: Spec):
    text = spec.model_dump_json()
    again = Spec.model_validate_json(text)
    assert again == spec
    assert again.model_dump_json() == text
    assert again.runtime == RUNTIME_VERSION


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)
def test_wire_names_are_unique_and_fit_what_model_providers_accept(spec: Spec):
    names = [tool.wire_name for tool in spec.tools]
    assert len(set(names)) == len(names)
    for name in names:
        assert len(name) <= 64
        assert name.count(SEPARATOR) == 1
        assert name.replace(SEPARATOR, "").replace("_", "").isalnum()


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)
def test_a_tool_is_offered_with_the_very_schema_that_validates_it(spec: Spec):
    for tool in spec.tools:
        function = tool.function_schema()["function"]
        assert tool.function_schema()["type"] == "function"
        assert list(function) == ["name", "description", "parameters"]
        assert orjson.dumps(function["parameters"]).decode() == tool.parameters
        assert (function["name"], function["description"]) == (tool.wire_name, tool.description)


def test_what_only_the_user_does_is_never_offered_to_the_agent():
    assert "sign" in LIBRARY.tool_by_name
    assert "sign" not in {tool.name for tool in LIBRARY.agent_tools}
    assert len(LIBRARY.agent_tools) == len(LIBRARY.tools) - 1


@pytest.mark.parametrize(
    ("path", "name", "top", "holder"),
    [
        ("city", "city", "city", ""),
        ("tags[]", "tags", "tags", ""),
        ("items[].product_id", "product_id", "items", "items[]"),
        ("items[].to.city", "city", "items", "items[].to"),
        ("items[].sizes[]", "sizes", "items", "items[]"),
        ("rows[][]", "rows", "rows", ""),
    ],
)
def test_a_path_tells_its_name_its_top_and_its_holder(path: str, name: str, top: str, holder: str):
    leaf = Parameter(path=path, type="string")
    assert (leaf.name, leaf.top, leaf.holder) == (name, top, holder)


def test_leaves_are_found_by_path_and_records_by_entity():
    order = LIBRARY.tool_by_name["order"]
    assert list(order.input_by_path) == [leaf.path for leaf in order.inputs]
    assert order.required == ("lines",)
    assert {holder: [leaf.name for leaf in found] for holder, found in order.defaults.items()} == {
        "lines[]": ["copies"], "lines[].to": ["city"], "to": ["city"],
    }  # fmt: skip
    assert LIBRARY.table_of_entity["Book"] is LIBRARY.table_by_name["books"]
    assert LIBRARY.table_by_name["books"].field_by_path["editions[].year"].description == "Year of print."
    assert LIBRARY.tool_by_name["get_book"].output_by_path["editions[].binding"].enum == ("paperback", "hardcover")


@pytest.mark.parametrize("change", [{"path": "x", "type": "list"}, {"path": "x", "type": "string", "kind": 1}])
def test_a_spec_takes_nothing_unknown(change: Any):
    with pytest.raises(ValidationError):
        Parameter(**change)
    with pytest.raises(ValidationError, match="frozen"):
        LIBRARY.name = "other"
