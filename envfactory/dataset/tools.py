"""`tools.json`: the tools that trajectories name, once for a whole file, as agents are given them.

A trajectory lists wire names alone; name, description and parameters stand here. The parameters are JSON *text*, so
that what a training sample, a prompt and `tools/list` show is the same byte for byte.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

import orjson
from pydantic import BaseModel, ConfigDict

from envfactory.environment import Spec
from envfactory.files import read_json, write_json_atomic

TOOLS_FORMAT = "envfactory.tools/1"


class _Plain(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ToolEntry(_Plain):
    """A tool.

    Attributes:
        environment: the first half of the wire name.
        domain: of the environment.
        description: what an agent reads.
        parameters: JSON Schema of the arguments, as JSON text.
        writes: whether it may change the state.
    """

    environment: str
    domain: str
    description: str
    parameters: str
    writes: bool


class ToolFile(_Plain):
    """The whole file: tools by wire name."""

    format: Literal["envfactory.tools/1"] = TOOLS_FORMAT
    tools: dict[str, ToolEntry]

    def schemas(self, names: Iterable[str]) -> str:
        """The tools as chat models are given them: a JSON list of function schemas, in the order of the names.

        Raises:
            KeyError: a name that the file does not have.
        """
        functions: list[dict[str, Any]] = []
        for name in names:
            if name not in self.tools:
                raise KeyError(f"no tool {name!r} in tools.json; it has {len(self.tools)}")
            tool = self.tools[name]
            function = {"name": name, "description": tool.description, "parameters": orjson.loads(tool.parameters)}
            functions.append({"type": "function", "function": function})
        return orjson.dumps(functions).decode()


def tool_file(specs: Mapping[str, Spec]) -> ToolFile:
    """The tools that agents are offered in these environments, sorted by wire name."""
    tools = {
        tool.wire_name: ToolEntry(
            environment=spec.name,
            domain=spec.domain,
            description=tool.description,
            parameters=tool.parameters,
            writes=tool.writes,
        )
        for spec in specs.values()
        for tool in spec.agent_tools
    }
    return ToolFile(tools=dict(sorted(tools.items())))


def write_tools(path: Path, specs: Mapping[str, Spec]) -> None:
    """Write `tools.json`."""
    write_json_atomic(path, tool_file(specs).model_dump())


def read_tools(path: Path) -> ToolFile:
    """Read `tools.json`.

    Raises:
        ValueError: it is not such a file (a `pydantic.ValidationError` says where).
    """
    return ToolFile.model_validate(read_json(path))
