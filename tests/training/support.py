"""What rollouts are tested with: rows of real conversations, a backend that keeps count, words of a model."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from envfactory.dataset import RLRow, rl_rows, step_text, tool_file
from envfactory.dataset.rl import ExtraInfo, RewardModel
from envfactory.environment import Backend, Reference, Spec, Start
from envfactory.gold import GoldCall
from envfactory.querygen.knowledge import knowledge_by_turn
from envfactory.training.episode import Episode, Outcome
from envfactory.training.task import Tasks
from envfactory.trajectory import Trajectory
from tests.dataset.support import hotels

TOOLS = tool_file(hotels().specs)


def rows_of(trajectory: Trajectory) -> list[RLRow]:
    return list(rl_rows(trajectory, TOOLS, "train"))


def rows_with_user(trajectory: Trajectory) -> list[RLRow]:
    """The rows of a trajectory as stage export makes them: with what the person knows."""
    return list(rl_rows(trajectory, TOOLS, "train", 0, knowledge_by_turn(hotels(), trajectory.gold)))


def row_of(specs: dict[str, Spec], gold: Sequence[GoldCall], before: Sequence[GoldCall] = (), seed: int = 0) -> RLRow:
    """A row of environments that are not in the catalogue."""
    tools = tool_file(specs)
    return RLRow(
        id="t-x/0",
        data_source="envfactory/test",
        prompt=({"role": "system", "content": "Serve."}, {"role": "user", "content": "Go."}),  # pyright: ignore[reportArgumentType]
        tools=tools.schemas(tools.tools),
        reference=Reference(environments=dict.fromkeys(specs, ""), seed=seed),
        before=tuple(before),
        gold=tuple(gold),
        reward_model=RewardModel(ground_truth="t-x/0"),
        extra_info=ExtraInfo(index=0, split="train"),
    )


def words(trajectory: Trajectory, turn: int) -> list[str]:
    """What the assistant of a conversation says in a turn, message by message."""
    return [step_text(step) for step in trajectory.conversation.turns[turn].steps]


def call(tool: str, **arguments: Any) -> str:
    return f"<tool_call>\n{json.dumps({'name': tool, 'arguments': arguments})}\n</tool_call>"


def play(row: RLRow, tasks: Tasks, messages: Iterable[str], **given: Any) -> Outcome:
    """Play messages until the episode is over or there are no more."""
    with Episode(row, tasks, **given) as episode:
        for message in messages:
            if episode.done:
                break
            episode.step(message)
        return episode.finish()


class Counting:
    """A backend that knows how many of its instances are open."""

    def __init__(self, inner: Backend) -> None:
        self.inner = inner
        self.opened: list[_Counted] = []

    @property
    def specs(self):
        return self.inner.specs

    @property
    def open_now(self) -> int:
        return sum(not counted.closed for counted in self.opened)

    def open(self, environment: str, start: Start) -> Any:
        counted = _Counted(self.inner.open(environment, start))
        self.opened.append(counted)
        return counted


class _Counted:
    def __init__(self, inner: Any) -> None:
        self.inner = inner
        self.closed = False

    def close(self) -> None:
        self.closed = True
        self.inner.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)


class Bytes:
    """A tokenizer whose tokens are the bytes of UTF-8."""

    def encode(self, text: str, *, add_special_tokens: bool = True) -> list[int]:
        return list(text.encode())

    def decode(self, token_ids: list[int], /, **_: Any) -> str:
        return bytes(token_ids).decode(errors="replace")
