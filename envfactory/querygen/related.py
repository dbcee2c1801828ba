"""How well calls go together in one request: what is about one thing does, four errands in one breath do not.

Two calls belong together if one takes what the other gave, or what they are mainly about is the same record: the payee
of a payment, not the account that it leaves from. `Relations` knows that of a gold program, and weighs each stretch of
its calls as a request.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from envfactory.environment import Parameter, Spec, ToolSpec, tool_of
from envfactory.environment.draw import Drawer
from envfactory.environment.paths import spec_path
from envfactory.environment.spec import SEPARATOR
from envfactory.gold import Binding, Gold, Out, bindings_of
from envfactory.sampling.sense import is_closing, main_argument

ERRANDS = (1.0, 1.0, 0.4, 0.01)
"""Weight of a request by the number of unlike errands in it; of one with more, the last squared."""

ELSEWHERE = 0.15
"""Weight of a request that speaks of more than one environment."""

FORETOLD = 0.0005
"""Weight of one that asks for a search and calls by its name what the search will find."""

CHECKED = 0.005
"""Weight of one that makes or changes something and asks to see it, or does the same once more."""

AGAIN = 1e-4
"""Weight of one that makes or changes something and changes it once more: nobody does that in one breath."""

LONG = (1.0, 1.0, 1.0, 1.0, 0.15, 0.02)
"""Weight of a request by its calls; of one with more, the last."""

TWICE = 0.01
"""Weight of one that searches twice through the same: who asks so means one search."""

AFTERWARDS = 0.15
"""Weight of one that does something with a record and then asks about it or does something else with it, or asks what
there is of such things."""

MISPLACED = 1e-30
"""Weight of one in which what the person has to do themselves does not come first, or comes alone: only if there is no
other way."""

Origin = tuple[int, str]


def is_misplaced(users: Sequence[bool]) -> bool:
    """Whether among the calls of a request what the person has to do themselves does not come first, or comes alone.

    Args:
        users: of each call, whether it is for the user alone to make.
    """
    return any(users) and (all(users) or any(later > mine for mine, later in pairwise(users)))


class Relations:
    """See the module docstring."""

    def __init__(self, gold: Gold, specs: Mapping[str, Spec]) -> None:
        """Look at the calls of a program."""
        self._tools = [_tool(gold, index, specs) for index in range(len(gold.calls))]
        self._users = [
            call.tool.partition(SEPARATOR)[0] in specs and tool_of(specs, call.tool).by == "user" for call in gold.calls
        ]
        self._takes = [list(_outs(gold, index, tool)) for index, tool in enumerate(self._tools)]
        self._origins = [
            {origin for out in outs if (origin := _origin(gold, out, specs)) is not None} for outs in self._takes
        ]
        self._rows = [{(out.call, out.path.rpartition(".")[0]) for out in outs} for outs in self._takes]
        self._names = [_names(gold, index, tool) for index, tool in enumerate(self._tools)]
        self._main = [_main(gold, index, specs) for index in range(len(gold.calls))]
        self._changed = [_changed(gold, index, specs) for index in range(len(gold.calls))]
        self._made = [_made(gold, index, specs) for index in range(len(gold.calls))]
        self._concerns = [own.ref if tool and (own := _own_id(tool)) else "" for tool in self._tools]
        self._lists = [_listed(tool) if tool else frozenset[str]() for tool in self._tools]
        self._public = [_finds_what_is_anybodys(tool, specs) for tool in self._tools]
        # Filled as stretches are weighed: who asks about one needs no more than its calls.
        self._near: dict[int, set[int]] = {}
        self._damped: dict[int, list[tuple[int, float]]] = {}

    def weight(self, start: int, stop: int) -> float:
        """How likely a person is to ask for the calls from `start` to `stop` at once, 1 at most."""
        calls: Sequence[int] = range(start, stop)
        if is_misplaced(self._users[start:stop]):
            return MISPLACED
        calls = [call for call in calls if not self._users[call]]
        if len(calls) < 2 or any(self._tools[call] is None for call in calls):
            return 1.0
        errands = self._errands(calls)
        weight = ERRANDS[errands] if errands < len(ERRANDS) else ERRANDS[-1] ** 2
        weight *= LONG[min(len(calls), len(LONG) - 1)]
        if len({tool.environment for call in calls if (tool := self._tools[call]) is not None}) > 1:
            weight *= ELSEWHERE
        for call in calls:
            if call not in self._damped:
                self._damped[call] = list(self._damping(call))
            foretold, *others = self._damped[call]
            if foretold[0] >= start:
                weight *= FORETOLD
            weight *= next((factor for last, factor in others if last >= start), 1.0)
        return weight

    def _damping(self, call: int) -> Iterator[tuple[int, float]]:
        """What makes a call unlikely in one request with an earlier one: the last such call (-1: none), and a weight.

        That it is foretold comes first; of the others only the first holds.
        """
        kinds = (
            (self._foretells, FORETOLD),
            (self._changes_again, AGAIN),
            (self._checks, CHECKED),
            (self._looks_up_a_name, CHECKED),
            (self._searches_again, TWICE),
            (self._comes_late, AFTERWARDS),
        )
        for holds, weight in kinds:
            yield next((before for before in range(call - 1, -1, -1) if holds(call, before)), -1), weight

    def _changes_again(self, call: int, before: int) -> bool:
        """Whether a call changes once more the record that an earlier one made or changed."""
        mine = self._changed[call]
        return mine is not None and mine in (self._changed[before], self._made[before])

    def _checks(self, call: int, before: int) -> bool:
        """Whether a call looks up what an earlier one made or changed, or does the same to the same records."""
        tool, other = self._tools[call], self._tools[before]
        if tool is None or other is None:
            return False
        if tool.writes:
            return tool is other and self._origins[call] == self._origins[before]
        return bool(self._origins[call] & {self._changed[before], self._made[before]})

    def _looks_up_a_name(self, call: int, before: int) -> bool:
        """Whether one of two calls searches by the name of a record that the other takes: who knows it needs none."""
        return any(self._rows[one] & self._names[other] for one, other in ((call, before), (before, call)))

    def _searches_again(self, call: int, before: int) -> bool:
        """Whether both calls are searches by one tool that is about no record."""
        tool = self._tools[call]
        return tool is not None and not tool.writes and tool is self._tools[before] and self._main[call] is None

    def _comes_late(self, call: int, before: int) -> bool:
        """Whether an earlier call has done something with what a call is about, or with one of what it lists."""
        tool, other, mine = self._tools[call], self._tools[before], self._main[call]
        if tool is None or other is None:
            return False
        if mine is None:
            return tool is other or (other.writes and not tool.writes and self._concerns[before] in self._lists[call])
        return other.writes and mine == self._main[before]

    def _foretells(self, call: int, before: int) -> bool:
        """Whether a call takes an item of what an earlier search finds, and nobody could know its name yet."""
        return self._public[before] and any(
            out.call == before and "[" in out.path and out.pick is not None and out.pick.by not in ("low", "high")
            for out in self._takes[call]
        )

    def _errands(self, calls: Sequence[int]) -> int:
        """How many groups there are of calls that belong together."""
        groups: list[set[int]] = []
        for call in calls:
            if call not in self._near:
                self._near[call] = {other for other in range(call) if self._belong(call, other)}
            near = [group for group in groups if not self._near[call].isdisjoint(group)]
            groups = [group for group in groups if group not in near]
            groups.append({call}.union(*near))
        return len(groups)

    def _belong(self, call: int, before: int) -> bool:
        same = self._main[call] is not None and self._main[call] == self._main[before]
        return same or any(out.call == before for out in self._takes[call])


def _outs(gold: Gold, index: int, tool: ToolSpec | None) -> Iterator[Out]:
    """The records that a call takes from results."""
    for path, binding in bindings_of(gold.calls[index]):
        if isinstance(binding, Out) and tool is not None and tool.input_by_path[spec_path(path)].ref:
            yield binding


def _names(gold: Gold, index: int, tool: ToolSpec | None) -> set[Origin]:
    """The items of results of which a search takes what they are called, or another of their values."""
    if tool is None or tool.writes or any(leaf.ref for leaf in tool.inputs if leaf.path in tool.required):
        return set()
    bound = (binding for _, binding in bindings_of(gold.calls[index]) if isinstance(binding, Out))
    return {(out.call, out.path.rpartition(".")[0]) for out in bound if "[" in out.path}


def _main(gold: Gold, index: int, specs: Mapping[str, Spec]) -> Origin | None:
    """Where the record comes from that a call is mainly about: its own, or else the last one that it must be given."""
    tool = _tool(gold, index, specs)
    if tool is None:
        return None
    path = _about(tool) or main_argument(tool)
    origin = _origin(gold, gold.calls[index].arguments.get(path), specs) if path else None
    return origin and (origin[0], origin[1].rpartition(".")[0])


def _listed(tool: ToolSpec) -> frozenset[str]:
    """The entities of which a tool lists records."""
    return frozenset(shape.entity for shape in tool.output_shapes if shape.record and shape.path.endswith("[]"))


def _finds_what_is_anybodys(tool: ToolSpec | None, specs: Mapping[str, Spec]) -> bool:
    """Whether a tool lists records that belong to nobody, so that a person learns their names from it."""
    if tool is None or tool.writes:
        return False
    spec = specs[tool.environment]
    tables = [
        spec.table_of_entity[shape.entity]
        for shape in tool.output_shapes
        if shape.record and shape.path.endswith("[]") and shape.entity in spec.table_of_entity
    ]
    return any(not Drawer(spec).has_owner(table) for table in tables)


def changes_again(gold: Gold, index: int, specs: Mapping[str, Spec], since: int) -> bool:
    """Whether a call changes once more a record that a call from `since` on made or changed."""
    return any(True for _ in _changed_before(gold, index, specs, since))


def changes_mind(gold: Gold, index: int, specs: Mapping[str, Spec], since: int) -> bool:
    """Whether a call takes back what a call from `since` on did with a record, or says otherwise what that one said.

    Another room in a stay that was just booked is a change of mind, a seat on a ticket that was just bought is not.
    """
    tool = _tool(gold, index, specs)
    if tool is None:
        return False
    mine = {name: value for name, value in gold.calls[index].arguments.items() if name != _about(tool)}
    return any(
        is_closing(tool) or _otherwise(mine, gold.calls[earlier].arguments)
        for earlier in _changed_before(gold, index, specs, since)
    )


def _otherwise(said: Mapping[str, Binding], before: Mapping[str, Binding]) -> bool:
    """Whether something is said anew, and nothing once more as it was."""
    anew = said.keys() & before.keys()
    return bool(anew) and all(said[name] != before[name] for name in anew)


def _changed_before(gold: Gold, index: int, specs: Mapping[str, Spec], since: int) -> Iterator[int]:
    """The calls from `since` on that made or changed the record which a call changes."""
    mine = _changed(gold, index, specs)
    for earlier in range(since, index) if mine is not None else ():
        if mine in (_changed(gold, earlier, specs), _made(gold, earlier, specs)):
            yield earlier


def _tool(gold: Gold, index: int, specs: Mapping[str, Spec]) -> ToolSpec | None:
    """The tool of a call of the assistant's; what the user does themselves goes with the call after it."""
    environment, _, name = gold.calls[index].tool.partition(SEPARATOR)
    tool = specs[environment].tool_by_name[name] if environment in specs else None
    return tool if tool is not None and tool.by == "agent" else None


def _own_id(tool: ToolSpec) -> Parameter | None:
    """The output that names the record which the result is about: `id`, or else the first reference."""
    refs = [leaf for leaf in tool.outputs if leaf.ref and leaf.path == leaf.name]
    return next((leaf for leaf in refs if leaf.name == "id"), refs[0] if refs else None)


def _about(tool: ToolSpec) -> str | None:
    """The argument that names the record which the result is about; None where it is about something new."""
    own = _own_id(tool)
    return next((leaf.path for leaf in tool.inputs if own and leaf.ref == own.ref and leaf.path == leaf.name), None)


def _changed(gold: Gold, index: int, specs: Mapping[str, Spec]) -> Origin | None:
    """Where the record that a call changes comes from: call and path."""
    tool = _tool(gold, index, specs)
    about = _about(tool) if tool is not None and tool.writes else None
    return _origin(gold, gold.calls[index].arguments.get(about), specs) if about else None


def _made(gold: Gold, index: int, specs: Mapping[str, Spec]) -> Origin | None:
    tool = _tool(gold, index, specs)
    own = _own_id(tool) if tool is not None and tool.writes and _about(tool) is None else None
    return (index, own.path) if own else None


def _origin(gold: Gold, binding: Binding | None, specs: Mapping[str, Spec]) -> Origin | None:
    """The first result that a record's id was taken from: a call about a record passes its id on."""
    while isinstance(binding, Out):
        tool = _tool(gold, binding.call, specs)
        own = _own_id(tool) if tool else None
        about = _about(tool) if tool and own and own.path == binding.path else None
        source = gold.calls[binding.call].arguments.get(about) if about else None
        if not isinstance(source, Out):
            return binding.call, binding.path
        binding = source
    return None
