"""Supervised fine-tuning files as LlamaFactory reads them: `sft.json`, `sft_validation.json`, `dataset_info.json`.

One sample for each step that is to be learned, cut at it: the history, then that step as the last message. Trained with
`mask_history: true` the loss falls on the last message alone, that is on exactly the steps labelled `keep`, each once.
Steps labelled `hide` stand in histories only, those labelled `remove` nowhere.

The format is ShareGPT (`human`, `gpt`, `observation`). Assistant messages carry the raw text of their calls in the form
that Qwen3's chat template renders, because the loader's own `function_call` messages lose or reorder text beside calls.
Results of parallel calls are one observation, joined as the template would join them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Literal

import orjson
from pydantic import BaseModel, ConfigDict

from envfactory.dataset.tools import ToolFile
from envfactory.files import Replacing
from envfactory.trajectory import PlayedCall, Step, Trajectory

RESULT_SEPARATOR = "\n</tool_response>\n<tool_response>\n"


class Message(BaseModel):
    """A message; its author is called `from` in the file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    author: Literal["human", "gpt", "observation"]
    value: str


class Sample(BaseModel):
    """A sample.

    Attributes:
        id: `<trajectory>/<turn>/<step>` of the step that is learned, counted from 0 in the trajectory.
        messages: `conversations` in the file; the last one is learned.
        system: the system prompt.
        tools: JSON text of the function schemas.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    messages: tuple[Message, ...]
    system: str
    tools: str

    def row(self) -> dict[str, Any]:
        """The sample as it stands in the file."""
        conversations = [{"from": message.author, "value": message.value} for message in self.messages]
        return {"id": self.id, "conversations": conversations, "system": self.system, "tools": self.tools}


def samples(trajectory: Trajectory, tools: ToolFile) -> Iterator[Sample]:
    """The samples of a trajectory's chosen conversation, in order.

    Raises:
        ValueError: what is left after `remove` does not alternate (a turn without a closing answer, or words of the
            assistant in the middle of one), which the loader would drop without a word.
        KeyError: a tool that `tools` does not have.
    """
    schemas = tools.schemas(trajectory.tools)
    history: list[Message] = []
    for turn_index, turn in enumerate(trajectory.conversation.turns):
        history.append(Message(author="human", value=turn.user))
        for step_index, step in steps_without_removed(trajectory, turn_index):
            history.append(Message(author="gpt", value=step_text(step)))
            if step.label == "keep":
                identifier = f"{trajectory.id}/{turn_index}/{step_index}"
                yield Sample(id=identifier, messages=tuple(history), system=trajectory.system, tools=schemas)
            if step.calls:
                results = RESULT_SEPARATOR.join(call.result for call in step.calls)
                history.append(Message(author="observation", value=results))


def steps_without_removed(trajectory: Trajectory, turn: int) -> list[tuple[int, Step]]:
    """The steps of a turn of the chosen conversation that are not removed, with their places in the turn.

    Raises:
        ValueError: they do not alternate with results: calls, and last an answer without calls.
    """
    steps = trajectory.conversation.turns[turn].steps
    kept = [(index, step) for index, step in enumerate(steps) if step.label != "remove"]
    if [bool(step.calls) for _, step in kept] != [True] * (len(kept) - 1) + [False]:
        raise ValueError(
            f"trajectory {trajectory.id}, turn {turn}: the steps that are not removed must be calls, and "
            f"last an answer without calls; they are {[_kind(step) for _, step in kept]}"
        )
    return kept


def step_text(step: Step) -> str:
    """An assistant message as raw text: what it says, then its calls, as Qwen3's chat template renders them."""
    blocks = [f"<tool_call>\n{_call_text(call)}\n</tool_call>" for call in step.calls]
    if step.text.rstrip().endswith("</think>"):
        # Nothing is said after the thought: what follows is set off as words would be.
        return f"{step.text.rstrip()}\n\n" + "\n".join(blocks)
    return "\n".join([step.text, *blocks] if step.text else blocks)


def write_samples(path: Path, found: Iterable[Sample]) -> int:
    """Write samples as a JSON list, one a line, in constant memory; the file appears whole or not at all.

    Returns:
        How many there are.
    """
    count = 0
    with Replacing(path) as stream:
        stream.write(b"[")
        for sample in found:
            stream.write((b",\n" if count else b"\n") + orjson.dumps(sample.row()))
            count += 1
        stream.write(b"\n]\n")
    return count


def dataset_info(files: dict[str, str]) -> dict[str, Any]:
    """`dataset_info.json`: how LlamaFactory is to read each file.

    Args:
        files: name of the data set to its file.
    """
    return {
        name: {
            "file_name": file,
            "formatting": "sharegpt",
            "columns": {"messages": "conversations", "system": "system", "tools": "tools"},
            "tags": {
                "role_tag": "from",
                "content_tag": "value",
                "user_tag": "human",
                "assistant_tag": "gpt",
                "observation_tag": "observation",
                "function_tag": "function_call",
            },
        }
        for name, file in files.items()
    }


def _call_text(call: PlayedCall) -> str:
    # The spacing of json.dumps is that of the template's `tojson`. Arguments that were no object stay as they were.
    arguments = call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments, ensure_ascii=False)
    return f'{{"name": {json.dumps(call.tool)}, "arguments": {arguments}}}'


def _kind(step: Step) -> str:
    return "calls" if step.calls else "answer"
