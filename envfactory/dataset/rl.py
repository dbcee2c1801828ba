"""Rows for reinforcement learning as verl reads them, `rl_train.parquet` and `rl_val.parquet`: one row a user turn.

A turn without gold calls, in which the assistant has to ask back, gives no row: doing nothing would be as right as the
question, so there is nothing to reward. It stands in the history of the turn that follows. Where a simulated user is in
the loop, that exchange is left to the rollout: it begins with the request that has to be asked back about. Likewise
with what only the person can do: without such a user it is done when the turn begins; with one they do it when told to.

A row is all that a rollout needs: the history as the model reads it, what the session starts from, the program that
brings it to the state in which the turn begins, gold of the turn, and what the person knows. States are not in it: they
are rebuilt.

Columns hold text and numbers alone, nested parts as JSON text, since columnar files merge structs and invent members
that a row never had. The exceptions have the same members in every row, in the shape that verl demands: `prompt`,
`reward_model` and `extra_info`. Assistant messages are raw text, as in the samples of supervised fine-tuning.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any, Literal

import orjson
from pydantic import BaseModel, ConfigDict, Field

from envfactory.dataset.parquet import Column, read_parquet, write_parquet
from envfactory.dataset.problems import Problem, parse
from envfactory.dataset.sft import step_text, steps_without_removed
from envfactory.dataset.tools import ToolFile
from envfactory.environment import Reference
from envfactory.gold import GoldCall
from envfactory.querygen.knowledge import Knowledge
from envfactory.trajectory import Trajectory, Turn

RL_FORMAT = "envfactory.rl/2"
AGENT = "envfactory"
"""The name of the agent loop that plays the rows."""
NESTED = ("reference", "before", "gold", "user")
"""Columns that hold JSON text of what the row has as values."""


class _Plain(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ChatMessage(_Plain):
    """A message of the history; an assistant's is raw text, its calls included."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str


class RewardModel(_Plain):
    """What verl demands of a row whose reward comes by rules; `ground_truth` is the row's id."""

    style: Literal["rule"] = "rule"
    ground_truth: str


class ExtraInfo(_Plain):
    """What verl passes on: the `index` of the row in its file, and the `split` that it belongs to."""

    index: int = Field(ge=0)
    split: Literal["train", "validation"]


class RowUser(_Plain):
    """The person of a turn, for rollouts with a simulated user in the loop.

    Attributes:
        begins: messages of the row's prompt with which such a rollout begins, the last of them a request. What the
            person says after it in the prompt is what they hold back until they are asked.
        knows: what they know beside it.
        acts: how many of the last calls of the row's `before` are theirs, made when they were told to; in such a
            rollout they are made when the assistant says so. That they are done is the last thing said in the prompt.
    """

    begins: int = Field(ge=2)
    knows: Knowledge
    acts: int = Field(default=0, ge=0)


class RLRow(_Plain):
    """A user turn.

    Attributes:
        id: `<trajectory>/<turn>`, turns from 0.
        agent_name: the agent loop that plays it.
        data_source: `envfactory/` and the domains, joined by `+`; validation is told apart by it.
        prompt: system prompt, turns before with calls and results, and what the user says now.
        tools: JSON text of the function schemas, byte for byte as in the samples of supervised fine-tuning.
        reference: what the session starts from.
        before: the program of the turns before, and what the person has done themselves in this one; run in the session
            it gives the state that the turn begins with.
        gold: the assistant's program of this turn; its outputs are counted on from those of `before`.
        user: who can be asked; None: nobody can.
        reward_model, extra_info: as verl demands.
    """

    id: str
    agent_name: Literal["envfactory"] = AGENT
    data_source: str
    prompt: tuple[ChatMessage, ...] = Field(min_length=2)
    tools: str
    reference: Reference
    before: tuple[GoldCall, ...]
    gold: tuple[GoldCall, ...]
    user: RowUser | None = None
    reward_model: RewardModel
    extra_info: ExtraInfo

    def opening(self, *, simulated: bool) -> tuple[ChatMessage, ...]:
        """The messages that a rollout begins with.

        Args:
            simulated: whether a simulated user is in the loop.
        """
        return self.prompt[: self.user.begins] if simulated and self.user else self.prompt

    def columns(self) -> dict[str, Any]:
        """The row as it stands in the file."""
        found = self.model_dump(mode="json")
        return {name: orjson.dumps(value).decode() if name in NESTED else value for name, value in found.items()}


COLUMNS: dict[str, Column] = {
    "id": "text",
    "agent_name": "text",
    "data_source": "text",
    "prompt": [{"role": "text", "content": "text"}],
    "tools": "text",
    "reference": "text",
    "before": "text",
    "gold": "text",
    "user": "text",
    "reward_model": {"style": "text", "ground_truth": "text"},
    "extra_info": {"index": "number", "split": "text"},
}
"""How a row stands in the file."""


def rl_rows(
    trajectory: Trajectory,
    tools: ToolFile,
    split: Literal["train", "validation"],
    first: int = 0,
    knowledge: Sequence[Knowledge] = (),
) -> Iterator[RLRow]:
    """The rows of a trajectory's chosen conversation, in order; see above for turns without gold calls.

    Args:
        trajectory: what was played.
        tools: the schemas of its tools.
        split: the set that it belongs to.
        first: index of its first row in the file.
        knowledge: what the person knows in each of its turns; empty: nobody can be asked.

    Raises:
        ValueError: what is left after `remove` does not alternate.
        KeyError: a tool that `tools` does not have.
    """
    schemas = tools.schemas(trajectory.tools)
    prompt = [ChatMessage(role="system", content=trajectory.system)]
    calls, offered = trajectory.gold.calls, frozenset(trajectory.tools)
    row = first
    begins = 0
    for index, (turn, number, indexes) in enumerate(_with_gold(trajectory)):
        prompt.append(ChatMessage(role="user", content=turn.user))
        begins = begins or len(prompt)
        identifier = f"{trajectory.id}/{index}"
        acts = sum(1 for _ in takewhile(lambda call: call.tool not in offered, calls[indexes.start : indexes.stop]))
        start = indexes.start + acts
        if start < indexes.stop:
            yield RLRow(
                id=identifier,
                data_source=f"envfactory/{'+'.join(trajectory.domains)}",
                prompt=tuple(prompt),
                tools=schemas,
                reference=trajectory.gold.reference,
                before=calls[:start],
                gold=calls[start : indexes.stop],
                user=RowUser(begins=begins, knows=knowledge[number], acts=acts) if knowledge else None,
                reward_model=RewardModel(ground_truth=identifier),
                extra_info=ExtraInfo(index=row, split=split),
            )
            row += 1
            begins = 0
        for _, step in steps_without_removed(trajectory, index):
            prompt.append(ChatMessage(role="assistant", content=step_text(step)))
            prompt.extend(ChatMessage(role="tool", content=call.result) for call in step.calls)


def _with_gold(trajectory: Trajectory) -> Iterator[tuple[Turn, int, range]]:
    """The turns of the chosen conversation, each with its turn of gold and the calls of that.

    Where the assistant asked what gold does not ask, that turn has no calls, and the next one has those of both.
    """
    slices = trajectory.gold.turn_slices()
    turns = trajectory.conversation.turns
    extra, number = len(turns) - len(slices), 0
    if extra < 0:
        raise ValueError(f"{trajectory.id}: expected at least {len(slices)} turns, one for each of gold's")
    for turn in turns:
        if extra and len(slices[number]) and not any(step.calls for step in turn.steps):
            extra -= 1
            yield turn, number, range(slices[number].start, slices[number].start)
            continue
        yield turn, number, slices[number]
        number += 1


def write_rl_rows(path: Path, found: Iterable[RLRow]) -> int:
    """Write rows in constant memory; the file appears whole or not at all.

    Returns:
        How many there are.
    """
    return write_parquet(path, (row.columns() for row in found), COLUMNS, RL_FORMAT)


def read_rl_rows(path: Path) -> Iterator[RLRow]:
    """Read the rows of a file, a group at a time.

    Raises:
        ValueError: a row is not what it should be; `check` says what is wrong with a file.
        OSError: the file cannot be read.
    """
    for row, document in documents(path):
        found = [document] if isinstance(document, Problem) else parse(RLRow, document, row)
        if isinstance(found, list):
            raise ValueError(f"{path}: {found[0]}; stages=[check] check.path={path} tells all")
        yield found


def documents(path: Path) -> Iterator[tuple[int, bytes | Problem]]:
    """The rows of a file as JSON documents, counted from 1; in the place of one that cannot be read, what is wrong."""
    row = 0
    for found in read_parquet(path, COLUMNS, RL_FORMAT):
        if isinstance(found, Problem):
            yield 0, found
        else:
            row += 1
            yield row, _document(found, row)


def _document(columns: dict[str, Any], row: int) -> bytes | Problem:
    for name in NESTED:
        try:
            columns[name] = orjson.loads(columns[name])
        except (orjson.JSONDecodeError, TypeError) as error:
            return Problem(row, name, f"expected JSON text: {error}")
    return orjson.dumps(columns)
