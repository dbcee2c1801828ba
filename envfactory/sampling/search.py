"""`Search`: the grounding of one chain, call by call, with its draws, returns and calls left out; see `grounding`."""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict, deque
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson

from envfactory.environment import Differs, FieldOf, Result, Session, ToolSpec
from envfactory.environment.draw import Undrawable
from envfactory.environment.paths import spec_path
from envfactory.environment.session import Snapshot
from envfactory.gold import Binding, FromUser, Out, bound
from envfactory.sampling.chain import Chain, Link
from envfactory.sampling.keeping import kept_to
from envfactory.sampling.news import Fact, facts
from envfactory.sampling.picks import Choice, choices, takeable
from envfactory.sampling.sense import Done, Sense

if TYPE_CHECKING:
    from envfactory.sampling.grounding import Grounder

_INDEX = re.compile(r"\[\d+\]")
Taken = dict[str, list[tuple[int, Choice]]]
"""Values chosen for the linked arguments of a call: by input path, which call gave it and which of its values."""

STAYING = 0.85
"""How often a call that could take any item of a result takes the one that an earlier call took."""

OPTIONAL_SHARE = 0.3
"""How often an optional argument that a person could mention is given."""

NARROWED_SHARE = 0.6
"""The same for a look-up that has been drawn in vain several times."""


LEANS = "leans_on_left_out"
"""Why a call is left out that would take a value from one that is."""


class Ungroundable(Exception):
    """A chain found no values in this scenario.

    Attributes:
        reason: a short key for counting.
        back_to: the call whose result is to blame, if another one might help.
        faults: the links that found no value; of a whole chain also those into and from the calls that `failed`.
        failed: of a whole chain, the calls that could not be made.
    """

    def __init__(
        self, reason: str, tool: str, detail: str, *, back_to: int | None = None, faults: tuple[Link, ...] = ()
    ) -> None:
        super().__init__(f"{tool}: {reason}: {detail}")
        self.reason = reason
        self.tool = tool
        self.back_to = back_to
        self.faults = faults
        self.failed: frozenset[int] = frozenset()


@dataclass(slots=True)
class _Step:
    """A grounded call: its bindings, its output, the state before it, what it tells."""

    before: Snapshot
    arguments: dict[str, Any]
    bindings: dict[str, Binding]
    output: Any
    state: Any
    facts: frozenset[Fact]


@dataclass(frozen=True, slots=True)
class _Drawn:
    """A draw of a call that succeeded, the links that are drawn instead, and those that its result has no value for."""

    arguments: dict[str, Any]
    taken: Taken
    cut: set[Link]
    missing: list[Link]
    output: Any


class Search:
    """The search for one chain.

    Attributes:
        steps: the calls that are grounded, by index, in order.
        cut: the links whose values are drawn instead.
        left_out: why a call is left out, by index.
    """

    def __init__(self, grounder: Grounder, chain: Chain, session: Session, rng: random.Random) -> None:
        self.grounder, self.chain, self.session, self.rng = grounder, chain, session, rng
        self.tools = [grounder.tool(name) for name in chain.tools]
        self.links: dict[int, list[Link]] = defaultdict(list)
        self.needs: dict[int, list[Link]] = defaultdict(list)
        for link in chain.links:
            self.links[link.consumer].append(link)
            self.needs[link.producer].append(link)
        self.steps: dict[int, _Step] = {}
        self.cut: set[Link] = set()
        self.left_out: dict[int, Ungroundable] = {}
        self.parsed: deque[tuple[object, Any]] = deque(maxlen=16)

    def run(self) -> None:
        """Ground what can be grounded, up to `max_tools` calls: `steps` by index, in order, and `left_out`."""
        returns: Counter[int] = Counter()
        index = 0
        while index < len(self.tools) and len(self.steps) < self.grounder.settings.max_tools:
            returns_left = returns[index] < self.grounder.settings.backtracks
            problem = None if index in self.left_out else self._extend(index, returns_left=returns_left)
            if problem is None:
                index += 1
            elif problem.back_to is not None and returns_left:
                returns[index] += 1
                self._return_to(problem.back_to)
                index = problem.back_to
            else:
                self._leave_out(index, problem)

    def failure(self) -> Ungroundable:
        """Why too little remains: the first reason, and what all of them speak of."""
        failed = {n: problem for n, problem in self.left_out.items() if problem.reason != LEANS}
        first = next(iter(failed.values()))
        first.failed = frozenset(failed)
        beside = {link for n in failed for link in (*self.links[n], *self.needs[n])}
        faults = beside.union(*(problem.faults for problem in failed.values()))
        first.faults = tuple(link for link in self.chain.links if link in faults)
        return first

    def _return_to(self, index: int) -> None:
        self.session.restore(self.steps[index].before)
        self.steps = {earlier: step for earlier, step in self.steps.items() if earlier < index}

    def _leave_out(self, index: int, problem: Ungroundable) -> None:
        if index not in self.left_out:
            self.left_out[index] = problem
            for link in self.needs[index]:
                self._leave_out(link.consumer, Ungroundable(LEANS, self.chain.tools[link.consumer], ""))

    def _needed(self, index: int) -> list[Link]:
        """The links from a call to those that have not been left out."""
        return [link for link in self.needs[index] if link.consumer not in self.left_out]

    def _extend(self, index: int, *, returns_left: bool) -> Ungroundable | None:
        """Ground the call at `index`, or say why it cannot be done from here.

        With `returns_left`, a result that costs later calls is not kept where an earlier call might help.
        """
        tool = self.tools[index]
        before = self.session.snapshot()
        state = self._state(tool.environment)
        problem = Ungroundable("no_draw", tool.wire_name, "no draw was tried")
        prefer, suiting = self._preferred(index)
        best: tuple[tuple[int, int], _Drawn] | None = None
        tried: set[bytes] = set()
        for attempt in range(self.grounder.settings.draws):
            try:
                taken = self._take(index, state)
                given = {
                    path: [c.value for _, c in found] if "[]" in path else found[0][1].value
                    for path, found in taken.items()
                }
                said = self._said(tool, given) if attempt < self.grounder.settings.draws // 2 else {}
                drawer = self.grounder.drawers[tool.environment]
                said = {
                    path: value
                    for path, value in said.items()
                    if value not in drawer.unsaid(tool.name, path, state)
                    and _is_offered(value, drawer.offered(tool.name, path, state, given))
                }
                include = self._include(tool, attempt)
                arguments = drawer.draw(tool.name, state, self.rng, {**said, **given}, include, prefer)
            except Ungroundable as error:
                return error
            except Undrawable as error:
                problem = Ungroundable("undrawable", tool.wire_name, str(error))
                continue
            if (text := orjson.dumps(arguments)) in tried:
                continue
            tried.add(text)
            if any(step.arguments == arguments and self.tools[n] is tool for n, step in self.steps.items()):
                problem = Ungroundable("repeats", tool.wire_name, "the same call was made before")
                continue
            result = self._call(tool, arguments, before)
            if not result.ok:
                problem = Ungroundable(f"refused:{result.code}", tool.wire_name, result.text)
                continue
            if self.grounder.settings.sensible and not self._sense().tells(tool, arguments, result.value):
                problem = Ungroundable("repeats", tool.wire_name, "nothing but what is known already")
                continue
            missing = [
                link
                for link in self._needed(index)
                if not self._feeds(link, result.value, *suiting.get(link, (None, ())))
            ]
            drawn = _Drawn(arguments, taken, set(self.cut), missing, result.value)
            if not missing:
                self._keep(index, drawn, before, state)
                return None
            self.session.restore(before)
            back_to = next((found[0][0] for found in taken.values()), None)
            detail = f"nothing fits {missing[0].output}"
            problem = Ungroundable("empty_result", tool.wire_name, detail, back_to=back_to)
            loss = len(self._lost(missing)), len(missing)
            if best is None or loss < best[0]:
                best = loss, drawn
        if best is None or (best[0][0] and returns_left and problem.back_to is not None):
            return problem
        _, drawn = best
        self._call(tool, drawn.arguments, before)  # as it went before, from the same state
        self.cut = drawn.cut
        self._keep(index, drawn, before, state)
        lost = self._lost(drawn.missing)
        for link in drawn.missing:
            if link.consumer in lost:
                detail = f"nothing fits {link.output}"
                self._leave_out(link.consumer, Ungroundable("empty_result", tool.wire_name, detail, faults=(link,)))
        return None

    def _call(self, tool: ToolSpec, arguments: dict[str, Any], before: Snapshot) -> Result:
        """Call a tool, after what the person has to do first; a refusal of either leaves the state as it was before."""
        act = self.grounder.specs[tool.environment].done_first(tool, arguments)
        if act is None:
            return self.session.call(tool.wire_name, arguments)
        result = self.session.call(act[0].wire_name, act[1], by="user")
        if result.ok:
            result = self.session.call(tool.wire_name, arguments)
            if not result.ok:
                self.session.restore(before)
        return result

    def _keep(self, index: int, drawn: _Drawn, before: Snapshot, state: Any) -> None:
        bindings = self._bind(drawn.arguments, drawn.taken)
        told = facts(self.tools[index], drawn.arguments, drawn.output)
        self.steps[index] = _Step(before, drawn.arguments, bindings, drawn.output, state, told)

    def _lost(self, missing: Collection[Link]) -> set[int]:
        """The calls that cannot be made without values for some links, with all that lean on them."""
        lost: set[int] = set()
        ahead = [link.consumer for link in missing if not self._is_free(self.tools[link.consumer], link)]
        while ahead:
            index = ahead.pop()
            if index not in lost and index not in self.left_out:
                lost.add(index)
                ahead += [link.consumer for link in self.needs[index]]
        return lost

    def _include(self, tool: ToolSpec, attempt: int) -> Any:
        sayable = self.grounder.sayable[tool.wire_name]
        # A search that did not show what is wanted is narrowed down.
        narrowed = not tool.writes and 2 * attempt >= self.grounder.settings.draws
        share = NARROWED_SHARE if narrowed else OPTIONAL_SHARE

        def include(path: str) -> bool:
            top = path.split(".", maxsplit=1)[0].removesuffix("[]")
            drawn = top in sayable and (tool.wire_name, path) not in self.grounder.internal
            return drawn and self.rng.random() < share

        return include

    # -- links ----------------------------------------------------------------------------------------------------

    def _take(self, index: int, state: Any) -> Taken:
        """Choose values for the linked arguments of a call, those first that its relations allow."""
        tool = self.tools[index]
        drawer = self.grounder.drawers[tool.environment]
        taken: Taken = {}
        sense = self._sense() if self.grounder.settings.sensible else None
        self.cut.difference_update(self.links[index])
        leaning = {relation.parameter for relation in tool.where if isinstance(relation, FieldOf)}
        for link in sorted(self.links[index], key=lambda link: link.input in leaning):
            found = choices(self.tools[link.producer], self.steps[link.producer].output, link.output, self.rng)
            banned = {
                c.value
                for relation in tool.where
                if isinstance(relation, Differs)
                for c in self._other(relation, link, taken)
            }
            allowed = drawer.fitting(tool.name, link.input, state)
            offered = drawer.offered(
                tool.name, link.input, state, {p: c[0][1].value for p, c in taken.items() if len(c) == 1}
            )
            fitting = [
                c
                for c in found
                if c.value not in banned and (allowed is None or c.value in allowed) and _is_offered(c.value, offered)
            ]
            if sense is not None:
                unsaid = drawer.unsaid(tool.name, link.input, state)
                fitting = [
                    c
                    for c in fitting
                    if c.value not in unsaid and sense.takes(tool, link.input, c.value, link.producer, c.path, state)
                ]
            if not fitting and self._is_free(tool, link):
                self.cut.add(link)  # it is drawn instead
                continue
            if not fitting:
                # What a call has just made stays as it is, however often it is made anew.
                made = link.output == "id" and self.tools[link.producer].writes
                detail = f"{link.input}: no result of call {link.producer} fits"
                back_to = None if made else link.producer
                raise Ungroundable("unfit", tool.wire_name, detail, back_to=back_to, faults=(link,))
            chosen = self._kept(link, fitting) or fitting[0]
            taken.setdefault(link.input, []).append((link.producer, chosen))
        return taken

    def _sense(self) -> Sense:
        """What is sensible after the calls so far."""
        done = {
            n: Done(self.tools[n], step.arguments, step.output, step.state, step.facts)
            for n, step in self.steps.items()
        }
        return Sense(self.grounder.specs, done)

    def _is_free(self, tool: ToolSpec, link: Link) -> bool:
        """Whether a linked argument could be said as well, so that the call can do without the link."""
        leaf = tool.input_by_path[link.input]
        return (
            self.grounder.settings.sensible
            and not leaf.ref
            and "[]" not in link.input
            and (tool.wire_name, link.input) not in self.grounder.internal
        )

    def _other(self, relation: Differs, link: Link, taken: Taken) -> list[Choice]:
        """What was chosen for the argument from which a linked one must differ."""
        pair = {relation.parameter, relation.other}
        return (
            [choice for path in pair - {link.input} for _, choice in taken.get(path, ())] if link.input in pair else []
        )

    def _kept(self, link: Link, fitting: list[Choice]) -> Choice | None:
        """The choice that an earlier call made from the same results, as a rule: people stay with what they chose."""
        for step in reversed(self.steps.values()):
            for binding in step.bindings.values():
                if isinstance(binding, Out) and binding.call == link.producer:
                    same = next((choice for choice in fitting if choice.path == binding.path), None)
                    if same is not None and self.rng.random() < STAYING:
                        return Choice(same.path, same.value, binding.pick)
        return None

    def _feeds(self, link: Link, output: Any, fitting: Collection[str] | None, known: Collection[str]) -> bool:
        """Whether a result has a value for a later call: one that its relations allow as things stand, or a new one."""
        values = takeable(self.tools[link.producer], output, link.output)
        if not fitting:
            return bool(values)
        return any(value in fitting or value not in known for value in values)

    def _preferred(self, index: int) -> tuple[dict[str, set[str]], dict[Link, tuple[set[str], Collection[str]]]]:
        """What later calls could take as things stand.

        By entity, the records that suit all of them, or some if none does; and for each link the records that suit its
        call, and all there are.
        """
        found: dict[str, set[str]] = {}
        suiting: dict[Link, tuple[set[str], Collection[str]]] = {}
        if self.tools[index].writes:
            return found, suiting  # what it returns is not as it was
        for link in self._needed(index):
            consumer = self.tools[link.consumer]
            entity = consumer.input_by_path[link.input].ref
            if entity not in self.grounder.specs[consumer.environment].table_of_entity:
                continue
            state = self._state(consumer.environment)
            drawer = self.grounder.drawers[consumer.environment]
            fitting = drawer.fitting(consumer.name, link.input, state) or set()
            found[entity] = (found[entity] & fitting or found[entity] | fitting) if entity in found else fitting
            suiting[link] = fitting, drawer.records(entity, state).keys()
        return found, suiting

    def _state(self, environment: str) -> Any:
        """The parsed state document of an environment; parsed once a state, however often calls are drawn on it."""
        mark = self.session.snapshot().marks[environment]
        for known, document in self.parsed:
            if known is mark:
                return document
        document = orjson.loads(self.session.dump_of(environment))
        self.parsed.append((mark, document))
        return document

    # -- what was said --------------------------------------------------------------------------------------------

    def _said(self, tool: ToolSpec, given: Mapping[str, Any]) -> dict[str, Any]:
        """Values said before that this call takes as well: a person keeps to the same dates and the same city."""
        sayable = self.grounder.sayable[tool.wire_name]
        open_to = [mine for mine in tool.inputs if mine.path not in given and mine.top in sayable]
        earlier = [(self.tools[index], step.bindings) for index, step in self.steps.items()]
        said = kept_to(tool, open_to, earlier, sensible=self.grounder.settings.sensible)
        known = self.grounder.internal
        keeps = self.rng.random() < STAYING
        return {
            path: value
            for path, value in said.items()
            if (tool.wire_name, path) not in known and (path in tool.required or keeps)
        }

    # -- bindings -------------------------------------------------------------------------------------------------

    def _bind(self, arguments: dict[str, Any], taken: Taken) -> dict[str, Binding]:
        def leaf(value: Any, path: str) -> Out | FromUser:
            return _taken_or_said(value, path, taken)

        return {name: bound(value, name, leaf) for name, value in arguments.items()}


def _taken_or_said(value: Any, path: str, taken: Taken) -> Out | FromUser:
    """The binding of a leaf: to what was taken for it from a result, or else to what the person says."""
    position = int(found[0][1:-1]) if (found := _INDEX.findall(path)) else 0
    chosen = taken.get(spec_path(path), [])
    if position < len(chosen):
        call, choice = chosen[position]
        return Out(call=call, path=choice.path, pick=choice.pick)
    return FromUser(value=value)


def _is_offered(value: Any, offered: Collection[Any] | None) -> bool:
    return offered is None or value in offered
