"""`tools.json` has each tool as agents are given it."""

from __future__ import annotations

import orjson
import pytest

from envfactory.dataset import read_tools, write_tools
from tests.dataset.support import hotels


def test_a_schema_is_the_one_that_the_environment_declares_byte_for_byte(tmp_path) -> None:
    write_tools(tmp_path / "tools.json", hotels().specs)
    tools = read_tools(tmp_path / "tools.json")
    spec = hotels().specs["hotel_reservations"]
    assert list(tools.tools) == sorted(tool.wire_name for tool in spec.agent_tools)
    for tool in spec.agent_tools:
        assert tools.tools[tool.wire_name].parameters == tool.parameters
        assert tools.tools[tool.wire_name].writes == tool.writes
        assert tools.schemas([tool.wire_name]) == orjson.dumps([tool.function_schema()]).decode()


def test_schemas_keep_the_order_asked_for_and_an_unknown_name_is_told(tmp_path) -> None:
    write_tools(tmp_path / "tools.json", hotels().specs)
    tools = read_tools(tmp_path / "tools.json")
    names = ["hotel_reservations-write_review", "hotel_reservations-book_room"]
    assert [schema["function"]["name"] for schema in orjson.loads(tools.schemas(names))] == names
    with pytest.raises(KeyError, match="no tool 'hotel_reservations-nap'"):
        tools.schemas(["hotel_reservations-nap"])
