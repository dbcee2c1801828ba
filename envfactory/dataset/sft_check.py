"""What must hold in a row of `sft.json`, so that LlamaFactory neither drops it nor learns something else from it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Literal, cast

import orjson
from pydantic import BaseModel, ConfigDict, Field

from envfactory.dataset.problems import Problem, shown
from envfactory.dataset.sft import RESULT_SEPARATOR

CALL = re.compile(r"<tool_call>\n(.*?)\n</tool_call>", re.DOTALL)


class _Plain(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class MessageRow(_Plain):
    """A message as it stands in the file."""

    author: Literal["human", "gpt", "observation"] = Field(alias="from")
    value: str


class SampleRow(_Plain):
    """A sample as it stands in the file."""

    id: str
    conversations: tuple[MessageRow, ...] = Field(min_length=2)
    system: str
    tools: str


class SampleCheck:
    """Checks samples of one file; remembers their ids."""

    def __init__(self) -> None:
        self._rows: dict[str, int] = {}

    def problems(self, sample: SampleRow, row: int) -> Iterator[Problem]:
        """Everything that does not hold in a sample."""
        first = self._rows.setdefault(sample.id, row)
        if first != row:
            yield Problem(row, "id", f"ids are unique; {sample.id!r} stands in row {first} already")
        names = tool_names(sample.tools)
        if names is None:
            yield Problem(row, "tools", "expected the JSON text of a list of function schemas")
        asked = 0
        for index, message in enumerate(sample.conversations):
            field = f"conversations[{index}]"
            last = index == len(sample.conversations) - 1
            expected = "gpt" if index % 2 else ("observation" if asked else "human")
            if message.author != expected:
                yield Problem(row, f"{field}.from", f"expected {expected!r} here, found {message.author!r}")
                return  # everything after it would be out of step
            if not message.value.strip():
                yield Problem(row, f"{field}.value", "expected text; it is empty")
            if message.author == "observation" and (given := message.value.count(RESULT_SEPARATOR) + 1) != asked:
                yield Problem(row, f"{field}.value", f"expected the results of {asked} calls, found {given}")
            if message.author == "gpt":
                blocks = CALL.findall(message.value)
                asked = len(blocks)
                if message.value.count("<tool_call>") != asked:
                    yield Problem(row, f"{field}.value", "expected every <tool_call> closed, on lines of its own")
                if last:
                    for block in blocks:
                        if wrong := _wrong_call(block, names):
                            yield Problem(row, f"{field}.value", wrong)
        if sample.conversations[-1].author != "gpt":
            yield Problem(row, "conversations", "expected the assistant's message last: it is what is learned")


def _wrong_call(block: str, names: set[str] | None) -> str:
    """What is wrong with a call that is learned."""
    try:
        call: Any = orjson.loads(block)
    except orjson.JSONDecodeError as error:
        return f"expected a call as JSON: {error}"
    if not isinstance(call, dict) or not isinstance(cast("dict[str, Any]", call).get("arguments"), dict):
        return f'expected {{"name": ..., "arguments": {{...}}}}, found {shown(call)}'
    name: Any = cast("dict[str, Any]", call).get("name")
    known = names is None or name in names
    return "" if known else f"expected a call of one of the sample's tools, found {shown(name)}"


def tool_names(text: str) -> set[str] | None:
    """Names of the tools in the JSON text of a list of function schemas; None if it is no such text."""
    try:
        names = {tool["function"]["name"] for tool in orjson.loads(text)}
    except (orjson.JSONDecodeError, KeyError, TypeError):
        return None
    return names or None
