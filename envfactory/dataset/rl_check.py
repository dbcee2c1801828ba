"""What must hold in a row of `rl_train.parquet`, so that a rollout of it can be played and judged.

The programs are run: the reference opens with the present environments, what stands before the turn leads to what the
history shows, and gold of the turn runs from there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache

from envfactory.catalogue import backend, environment_names
from envfactory.dataset.opening import open_for_check
from envfactory.dataset.problems import Problem
from envfactory.dataset.rl import RLRow
from envfactory.dataset.sft_check import CALL, tool_names
from envfactory.environment import EnvironmentFailure
from envfactory.gold import Gold, Out, ReplayError, bindings_of, replay

_Found = Iterator[tuple[str, str]]
"""Fields and messages."""


class RLRowCheck:
    """Checks rows of one file; remembers their ids."""

    def __init__(self) -> None:
        self._rows: dict[str, int] = {}

    def problems(self, found: RLRow, row: int) -> Iterator[Problem]:
        """Everything that does not hold in a row; what builds on a failed check is not looked at."""
        first = self._rows.setdefault(found.id, row)
        if first != row:
            yield Problem(row, "id", f"ids are unique; {found.id!r} stands in row {first} already")
        if found.extra_info.index != row - 1:
            yield Problem(row, "extra_info.index", f"expected {row - 1}, found {found.extra_info.index}")
        if found.reward_model.ground_truth != found.id:
            yield Problem(row, "reward_model.ground_truth", f"expected the row's id, {found.id!r}")
        for field, message in (*_history(found), *_user(found), *_programs(found)):
            yield Problem(row, field, message)
        if not found.gold:
            yield Problem(row, "gold", "expected a call: where there is none, nothing can be rewarded")


def _history(row: RLRow) -> _Found:
    """System prompt, then turns: the user's words, calls each followed by its results, an answer; the user's last."""
    results = 0
    before = "system"
    for index, message in enumerate(row.prompt):
        if results:
            expected = "tool"
        else:
            expected = {"system": "system", "user": "assistant", "tool": "assistant", "assistant": "user"}[before]
        if index == 1:
            expected = "user"
        if message.role != expected:
            yield f"prompt[{index}].role", f"expected {expected!r} here, found {message.role!r}"
            return  # everything after it would be out of step
        if not message.content.strip():
            yield f"prompt[{index}].content", "expected text; it is empty"
        if message.role == "assistant":
            results = len(CALL.findall(message.content))
        elif message.role == "tool":
            results -= 1
        before = message.role
    if row.prompt[-1].role != "user":
        yield "prompt", "expected what the user says last: it is what the rollout answers"


def _user(row: RLRow) -> _Found:
    """A rollout with a simulated user begins where somebody has said something."""
    if row.user is None:
        return
    last = row.prompt[row.user.begins - 1] if row.user.begins <= len(row.prompt) else None
    if last is None or last.role != "user":
        message = f"expected as many messages of the prompt as end with one of the user, found {row.user.begins}"
        yield "user.begins", message

    acts = row.before[len(row.before) - row.user.acts :]
    if row.user.acts > len(row.before) or not _users(tuple(row.reference.environments)).issuperset(
        call.tool for call in acts
    ):
        yield (
            "user.acts",
            f"expected as many of the last calls of before as only the user can make, found {row.user.acts}",
        )


@cache
def _users(environments: tuple[str, ...]) -> frozenset[str]:
    """The tools that only the user has, where the environments are known."""
    known = [name for name in environments if name in environment_names()]
    specs = backend(known).specs.values()
    return frozenset(tool.wire_name for spec in specs for tool in spec.tools if tool.by == "user")


def _programs(row: RLRow) -> _Found:
    names = tool_names(row.tools)
    if names is None:
        yield "tools", "expected the JSON text of a list of function schemas"
        return
    sound = True
    calls = (*row.before, *row.gold)
    users = _users(tuple(row.reference.environments))
    for index, call in enumerate(calls):
        offset = len(row.before)
        field = f"before[{index}]" if index < offset else f"gold[{index - offset}]"
        if call.tool not in names and not (index < offset and call.tool in users):
            sound = False
            yield f"{field}.tool", f"expected a tool that is offered; {call.tool!r} is not in tools"
        for path, binding in bindings_of(call):
            if isinstance(binding, Out) and not 0 <= binding.call < index:
                sound = False
                yield (
                    f"{field}.arguments.{path}.call",
                    f"expected the index of a call before call {index}, found {binding.call}",
                )
    if not sound:
        return
    session = open_for_check(row.reference)
    if isinstance(session, tuple):
        field, message = session
        yield f"reference.{field}", message
        return
    with session:
        try:
            run = replay(Gold(reference=row.reference, calls=calls), session)
        except (ReplayError, EnvironmentFailure) as error:
            yield "gold", f"the programs do not run: {error}"
            return
    given = Counter(run.calls[index].result for index, call in enumerate(row.before) if call.tool in names)
    shown = Counter(message.content for message in row.prompt if message.role == "tool")
    if missing := given - shown:
        yield "before", f"expected what its calls give in the history; {sum(missing.values())} results are not there"
