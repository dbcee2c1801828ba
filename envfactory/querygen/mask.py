"""Masking: which arguments of gold's calls do not matter, shown by varying them.

An argument is masked if it is prose, or if the call with any other valid value in its place (as many as are asked for,
drawn as for a real call; leaving an optional one out is one of them) leads to an equivalent state and gives everything
that is used of its result: every value that a later call takes can still be taken, singled out by the same mark, and
what the answer tells is told in the same words. An argument that was not given is varied too: if giving it changes
nothing, a candidate may give it. One for which no other valid value is found is not masked, nor is one that an answer
is about: what the user said, or an earlier result gave, for a call of whose result the answer tells. A secret has to be
right and is never masked. Arguments that are
masked one by one are then varied together; those that matter together are not masked.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from envfactory.environment import Parameter, Result, Spec, ToolSpec, tool_of
from envfactory.environment.draw import Drawer, Undrawable
from envfactory.environment.equivalence import compare_states
from envfactory.environment.paths import spec_path, values_at
from envfactory.gold import Call, Const, GoldCall, Out, ReplayError, bindings_of, replay, value_at
from envfactory.querygen.program import Program
from envfactory.querygen.replies import report
from envfactory.querygen.task import Task
from envfactory.sampling.picks import marks_of

TOGETHER = 3
"""How often the arguments that are masked one by one are varied together."""
AGAIN = 3
"""Values drawn again in a row after which there seem to be no others."""


class Masker:
    """Finds masks in the environments of one backend."""

    def __init__(self, specs: Mapping[str, Spec], variations: int = 6) -> None:
        """Prepare.

        Args:
            specs: the environments, by name.
            variations: how many other values of an argument are tried; 0: only prose is masked.
        """
        self.drawers = {name: Drawer(spec) for name, spec in specs.items()}
        self.variations = variations

    def masks(self, task: Task, rng: random.Random) -> list[tuple[str, ...]]:
        """The masked argument paths of each gold call, in the order of the tool's parameters; none of the user's own.

        Raises:
            EnvironmentFailure: infrastructure failed.
        """
        return [
            () if task.program.is_users(index) else _Call(self, task, index, rng).masks()
            for index in range(len(task.gold.calls))
        ]


class _Call:
    """One gold call whose arguments are varied."""

    def __init__(self, masker: Masker, task: Task, index: int, rng: random.Random) -> None:
        self.masker, self.task, self.index, self.rng = masker, task, index, rng
        self.gold: GoldCall = task.gold.calls[index]
        self.tool: ToolSpec = tool_of(task.specs, self.gold.tool)
        self.arguments: dict[str, Any] = task.program.calls[index].arguments
        self.valid: dict[str, list[dict[str, Any]]] = {}
        self.output = task.program.outputs[index]
        self.told = any(index in reported for reported in task.reported)
        self.asked_for = {spec_path(path) for path, binding in bindings_of(self.gold) if not isinstance(binding, Const)}
        self.taken = [
            binding
            for call in task.gold.calls[index + 1 :]
            for _, binding in bindings_of(call)
            if isinstance(binding, Out) and binding.call == index
        ]

    def masks(self) -> tuple[str, ...]:
        prose = [leaf.path for leaf in self.tool.inputs if leaf.free_text]
        counted = [leaf for leaf in self.tool.inputs if not leaf.free_text and not leaf.secret]
        inert = [leaf for leaf in counted if self._is_inert(leaf)]
        while len(inert) > 1 and not self._are_inert(inert):
            inert.pop()
        masked = {*self.gold.masked, *prose, *(leaf.path for leaf in inert)}
        return tuple(leaf.path for leaf in self.tool.inputs if leaf.path in masked)

    def _is_inert(self, leaf: Parameter) -> bool:
        if self.told and leaf.path in self.asked_for:
            return False
        valid: list[dict[str, Any]] = []
        for arguments in self._variations(leaf):
            outcome = self._outcome(arguments)
            if outcome is False:
                return False
            if outcome:
                valid.append(arguments)
        self.valid[leaf.top] = valid
        return bool(valid)

    def _are_inert(self, leaves: list[Parameter]) -> bool:
        """Whether arguments can be varied at once."""
        for _ in range(TOGETHER):
            arguments = dict(self.arguments)
            for name in dict.fromkeys(leaf.top for leaf in leaves):
                other = self.rng.choice(self.valid[name])
                arguments.pop(name, None)
                if name in other:
                    arguments[name] = other[name]
            if self._outcome(arguments) is False:
                return False
        return True

    def _variations(self, leaf: Parameter) -> Iterator[dict[str, Any]]:
        """The arguments with other values in the place of a leaf's, each once."""
        seen = {self._meaning(leaf, self.arguments)}
        again = 0
        for changed in self._drawn(leaf):
            text = self._meaning(leaf, changed)
            again = again + 1 if text in seen else 0
            if again == AGAIN or len(seen) > self.masker.variations:
                return
            if not again:
                seen.add(text)
                yield changed

    def _meaning(self, leaf: Parameter, arguments: dict[str, Any]) -> bytes:
        """What a leaf's values are: one that is left out has its default."""
        return orjson.dumps(list(values_at(arguments, leaf.path)) or [leaf.default])

    def _drawn(self, leaf: Parameter) -> Iterator[dict[str, Any]]:
        base = self.arguments
        at_top = leaf.path == leaf.name
        if at_top and leaf.path in base and leaf.path not in self.tool.required:
            yield {name: value for name, value in base.items() if name != leaf.path}
        if at_top and (leaf.enum or leaf.type == "boolean"):
            for value in leaf.enum or (True, False):
                if value != base.get(leaf.path, leaf.default):
                    yield {**base, leaf.path: value}
            return
        if not at_top and leaf.top not in base:
            return  # an object that was not given is not made up
        given: dict[str, Any] = {}
        for other in self.tool.inputs:
            if other.path != leaf.path and (found := list(values_at(base, other.path))):
                given[other.path] = found if "[]" in other.path else found[0]
        state = self.task.state(self.index, self.tool.environment)
        drawer = self.masker.drawers[self.tool.environment]
        for _ in range(2 * self.masker.variations):
            try:
                drawn = drawer.draw(self.tool.name, state, self.rng, given, lambda path: path == leaf.path)
            except Undrawable:
                return
            rest = [list(values_at(drawn, other.path)) for other in self.tool.inputs if other.path != leaf.path]
            same = [list(values_at(base, other.path)) for other in self.tool.inputs if other.path != leaf.path]
            if rest == same:
                yield drawn

    def _outcome(self, arguments: dict[str, Any]) -> bool | None:
        """Whether the call with other arguments leads to the same; None if it is refused: they are not valid."""
        task, session = self.task, self.task.session
        right = task.diff(self.index + 1) if self.tool.writes else {}
        session.restore(task.snapshots[self.index])
        result = session.call(self.gold.tool, arguments)
        if not result.ok:
            return None
        if not self._gives(result, arguments):
            return False
        if not self.tool.writes:
            return True
        diff = session.diff()
        if diff == right:
            return True
        return compare_states(task.specs, task.program.bases, diff, right).equal and self._goes_on(result)

    def _gives(self, result: Result, arguments: dict[str, Any]) -> bool:
        """Whether a result has everything that is used of the right one."""
        task = self.task
        if result.text == task.program.calls[self.index].result:
            return not self.told or self._tells(result, arguments)
        if not all(self._can_take(out, result.value) for out in self.taken):
            return False
        return not self.told or self._tells(result, arguments)

    def _tells(self, result: Result, arguments: dict[str, Any]) -> bool:
        """Whether the answer would be the same."""
        program = self.task.program
        call = Call.model_construct(tool=self.gold.tool, arguments=arguments, result=result.text, ok=True)
        calls = {**program.calls, self.index: call}
        outputs = {**program.outputs, self.index: result.value}
        other = Program(program.gold, program.specs, calls, outputs, program.bases)
        return report(other, self.index) == self.task.sentence(self.index)

    def _can_take(self, out: Out, output: Any) -> bool:
        """Whether the value that a later call takes stands in an output, and its mark still singles it out."""
        value, path = value_at(self.output, out.path), spec_path(out.path)
        if out.pick is None:
            return value in list(values_at(output, path))
        return out.pick in marks_of(self.tool, output, path, value)

    def _goes_on(self, result: Result) -> bool:
        """Whether all that follows gives the same results; asked where states are equivalent and not identical."""
        task = self.task
        outputs = {**{i: task.program.outputs[i] for i in range(self.index)}, self.index: result.value}
        try:
            run = replay(task.gold, task.session, start=self.index + 1, outputs=outputs)
        except ReplayError:
            return False
        return all(run.calls[i].result == task.program.calls[i].result for i in run.calls)
