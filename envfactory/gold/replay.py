"""Replay: run a gold program in a session, whole or in part.

Outputs are rebound on the way, so ids may differ from run to run. Calls can be dropped, to see whether they were
needed, and a run can start from the middle, at a snapshot whose outputs are known. What is a tool of the user's, the
user calls.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, ConfigDict

from envfactory.environment import Session, Snapshot, StateDiff
from envfactory.environment.trusted import trusted
from envfactory.gold.program import Gold, resolve


class Call(BaseModel):
    """An executed call: what was asked of which tool, and what it gave.

    Attributes:
        tool: wire name.
        arguments: as given; not an object if the caller's JSON was none.
        result: JSON text of the output or the error.
        ok: whether the tool did what was asked.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    tool: str
    arguments: Any
    result: str
    ok: bool


class ReplayError(RuntimeError):
    """A program did not run through; `call` is the index of the call that failed."""

    def __init__(self, call: int, message: str) -> None:
        super().__init__(f"call {call}: {message}")
        self.call = call


@dataclass(slots=True)
class Replay:
    """A run.

    Attributes:
        calls: what was executed, by index in the program.
        outputs: parsed outputs, by index.
        snapshots: with `keep_snapshots`, the state before each call and, last, after all of them.
        diff: what changed since the session was opened.
    """

    calls: dict[int, Call] = field(default_factory=dict)
    outputs: dict[int, Any] = field(default_factory=dict)
    snapshots: list[Snapshot] = field(default_factory=list)
    diff: dict[str, StateDiff] = field(default_factory=dict)


def replay(
    gold: Gold,
    session: Session,
    *,
    drop: Collection[int] = (),
    start: int = 0,
    stop: int | None = None,
    outputs: dict[int, Any] | None = None,
    keep_snapshots: bool = False,
) -> Replay:
    """Run the calls `start` to `stop` in a session.

    Args:
        gold: the program.
        session: stands where call `start` begins.
        drop: indexes of calls to leave out.
        start: index of the first call to run.
        stop: index of the first call not to run; None: run to the end.
        outputs: what the calls before `start` gave.
        keep_snapshots: also keep the state before each call.

    Raises:
        ReplayError: a call was refused, or needs the output of one that did not run.
        EnvironmentFailure: infrastructure failed.
    """
    run = Replay(outputs=dict(outputs or {}))
    for index, call in enumerate(gold.calls[:stop]):
        if index < start:
            continue
        if keep_snapshots:
            run.snapshots.append(session.snapshot())
        if index in drop:
            continue
        try:
            arguments = {name: resolve(binding, run.outputs) for name, binding in call.arguments.items()}
        except KeyError as error:
            raise ReplayError(index, f"{call.tool} cannot be given its arguments: {error.args[0]}") from None
        result = session.call(call.tool, arguments, by=session.actor(call.tool))
        if not result.ok:
            raise ReplayError(index, f"{call.tool} was refused: {result.text}")
        run.calls[index] = trusted(Call, tool=call.tool, arguments=arguments, result=result.text, ok=True)
        run.outputs[index] = result.value
    if keep_snapshots:
        run.snapshots.append(session.snapshot())
    run.diff = session.diff()
    return run
