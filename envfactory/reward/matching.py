"""Which executed calls do what gold's calls do.

An executed call fits a gold call if it was not refused, is of the same tool, and has an equal value at every argument
leaf that is not masked; an omitted argument has its default, 1 equals 1.0 but not true, prose is compared by presence,
dates and times by what they say. Gold calls and executed calls are matched one to one, as many as possible.

An id made in the session is compared by what it names. What a gold call made is what the executed call that it is
matched with made: to move the second of two bookings is to move what the second booking's counterpart made, even if the
final states look alike. Only where the making call has no counterpart (the candidate got there another way) does the
renaming count that the state comparison found.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import orjson

from envfactory.environment import SEPARATOR, Parameter, Spec, tool_of
from envfactory.environment.equivalence import Comparison, Made, Name, names_in
from envfactory.environment.paths import scalars, spec_path
from envfactory.gold import Call, Gold

CHOICES = 1000
"""How many steps to take in choosing which calls made what gold's calls made, before the best so far is taken."""

_Maker = tuple[int, dict[str, Name]]
"""A gold call, and by path of its result what it made."""

_Twins = dict["tuple[str, bytes, str] | None", "_Leaves"]
"""Leaves by what a call asks for and gave: see `_words`."""

_TRUTH = {True: "\0true", False: "\0false"}  # equal to no number
_UNKNOWN = "\0unknown"
_PROSE = "\0prose"


def is_malformed(call: Call) -> bool:
    """Whether a call was refused because its arguments are no JSON object."""
    return not call.ok and not isinstance(_parsed(call.arguments), dict)


def match_calls(
    gold: Gold, gold_calls: Sequence[Call], calls: Sequence[Call], comparison: Comparison, specs: Mapping[str, Spec]
) -> dict[int, int]:
    """A maximum one-to-one matching.

    Args:
        gold: the program, for its masks.
        gold_calls: its calls as executed.
        calls: the candidate's executed calls.
        comparison: the candidate on the left, gold on the right.
        specs: the session's environments.

    Returns:
        Index of the gold call to index of the executed call.
    """
    return GoldCalls(gold, gold_calls, specs).match(calls, comparison)


class GoldCalls:
    """Gold's calls made ready to be matched with those of many candidates; those of the user's are not among them."""

    def __init__(self, gold: Gold, gold_calls: Sequence[Call], specs: Mapping[str, Spec]) -> None:
        """Make ready; see `match_calls`.

        Raises:
            ValueError: `gold_calls` are not the calls of `gold`.
        """
        if [call.tool for call in gold_calls] != [call.tool for call in gold.calls]:
            raise ValueError(f"{len(gold_calls)} executed gold calls do not fit the {len(gold.calls)} of the program")
        pairs = zip(gold.calls, gold_calls, strict=True)
        mine = [(i, *pair) for i, pair in enumerate(pairs) if tool_of(specs, pair[0].tool).by == "agent"]
        self._places = [i for i, _, _ in mine]
        self._gold = [written for _, written, _ in mine]
        self._calls = [call for _, _, call in mine]
        self._specs = specs
        self._tools = {call.tool for call in self._calls}
        self._environments = {tool.partition(SEPARATOR)[0] for tool in self._tools}
        self._read: tuple[Made, list[_Leaves], list[_Maker], _Twins] | None = None

    def __len__(self) -> int:
        return len(self._calls)

    def match(self, calls: Sequence[Call], comparison: Comparison) -> dict[int, int]:
        """A maximum one-to-one matching; see `match_calls`."""
        mine, made = comparison.made
        golden, makers, twins = self._leaves(made)
        names = {name: names_in(mine, name) for name in self._environments}
        if mine != made:
            twins = {}
        executed = {
            # Where the same things were made, a call that asks for and gives what one of gold's does is read already.
            i: twins.get(_words(call)) or _Leaves(call, names, self._specs)
            for i, call in enumerate(calls)
            if call.ok and call.tool in self._tools
        }
        search = _Search(golden, makers, executed, comparison.renaming)
        search.choose(0, {}, {}, frozenset())
        return {self._places[i]: place for i, place in search.best.items()}

    def _leaves(self, made: Made) -> tuple[list[_Leaves], list[_Maker], _Twins]:
        """The leaves of gold's calls, the makers among them, and the leaves of calls that do what one of gold's does.

        What gold made is as a rule always the same.
        """
        read = self._read  # once, since threads share it
        if read is None or read[0] != made:
            names = {name: names_in(made, name) for name in self._environments}
            golden = [
                _Leaves(call, names, self._specs, written.masked)
                for written, call in zip(self._gold, self._calls, strict=True)
            ]
            twins = {
                _words(call): _Leaves(call, names, self._specs) if leaves.masked else leaves
                for call, leaves in zip(self._calls, golden, strict=True)
            }
            twins.pop(None, None)
            read = self._read = (made, golden, _makers(golden), twins)
        return read[1:]


class _Leaves:
    """A call's argument leaves by concrete path: plain values, or the `Name` of what was made in the session."""

    def __init__(
        self, call: Call, names: Mapping[str, Mapping[str, Name]], specs: Mapping[str, Spec], masked: Sequence[str] = ()
    ) -> None:
        self.tool = call.tool
        self.result = call.result
        self.masked = masked
        self.made = names[call.tool.partition(SEPARATOR)[0]]
        self.spec = tool_of(specs, call.tool)
        self.values: dict[str, Any] = {}
        self._walk(_parsed(call.arguments), "", "")
        if masked:
            self.values = {path: value for path, value in self.values.items() if not self.is_masked(path)}
        self.names: dict[str, Name] = {path: value for path, value in self.values.items() if type(value) is tuple}
        self._makes: list[tuple[str, Name]] | None = None

    def fits(self, other: _Leaves, naming: Mapping[Name, Name]) -> bool:
        """Whether an executed call does what this gold call does, given what its names correspond to."""
        values = other.values
        if self.masked:
            values = {path: value for path, value in values.items() if not self.is_masked(path)}
        if other.names:
            values = {p: naming.get(value, _UNKNOWN) if p in other.names else value for p, value in values.items()}
        return values == self.values

    def may_fit(self, other: _Leaves) -> bool:
        """Whether an executed call fits under some naming, at best."""
        if self.names.keys() != {path for path in other.names if not self.is_masked(path)}:
            return False
        return self.fits(other, {other.names[path]: name for path, name in self.names.items()})

    def is_masked(self, path: str) -> bool:
        """Whether a mask names this leaf, something that holds it, or its place in every item of a list."""
        general = spec_path(path)
        return any(
            place == mask or place.startswith((f"{mask}.", f"{mask}["))
            for mask in self.masked
            for place in (path, general)
        )

    def makes(self) -> list[tuple[str, Name]]:
        """What was made in the session and stands in the result, by concrete path."""
        if self._makes is None:
            found = scalars(_parsed(self.result)) if self.made else ()
            self._makes = [
                (path, self.made[value]) for path, value in found if isinstance(value, str) and value in self.made
            ]
        return self._makes

    def _walk(self, value: Any, path: str, general: str) -> None:
        if isinstance(value, dict):
            members = cast("dict[str, Any]", value)
            before, general_before = (f"{path}.", f"{general}.") if general else (path, general)
            for name, child in members.items():
                self._walk(child, before + name, general_before + name)
            for leaf in self.spec.defaults.get(general, ()):
                name = leaf.path[len(general_before) :]
                if name not in members:
                    self._walk(leaf.default, before + name, leaf.path)
        elif isinstance(value, list):
            for position, child in enumerate(cast("list[Any]", value)):
                self._walk(child, f"{path}[{position}]", f"{general}[]")
        else:
            leaf = self.spec.input_by_path.get(general)
            if leaf is None or not leaf.free_text:
                self.values[path] = self._plain(value, leaf)
            elif value:  # an empty text says as much as none
                self.values[path] = _PROSE

    def _plain(self, value: Any, leaf: Parameter | None) -> Any:
        if isinstance(value, bool):
            return _TRUTH[value]
        if not isinstance(value, str):
            return value
        if leaf is not None and leaf.format:
            return _moment(value, leaf.format)
        return self.made.get(value, value)


def _words(call: Call) -> tuple[str, bytes, str] | None:
    """What a call asks for and what it gave, as text, in which 1 is not true; None if that cannot be written."""
    try:
        return call.tool, orjson.dumps(call.arguments), call.result
    except TypeError:
        return None


def _parsed(text: Any) -> Any:
    """Arguments or a result as a document; text that is no JSON stays text."""
    if not isinstance(text, (str, bytes)):
        return text
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return text


def _moment(text: str, form: str) -> Any:
    kind = {"date": dt.date, "date-time": dt.datetime, "time": dt.time}.get(form)
    try:
        return kind.fromisoformat(text) if kind else text
    except ValueError:
        return text


class _Search:
    """Chooses, for each gold call that made what later ones name, the executed call that made its counterpart."""

    def __init__(
        self,
        golden: Sequence[_Leaves],
        makers: Sequence[_Maker],
        executed: Mapping[int, _Leaves],
        renaming: Mapping[Name, Name],
    ) -> None:
        self.golden = golden
        self.makers = makers
        self.executed = executed
        self.renaming = renaming
        self.best: dict[int, int] = {}
        self.ceiling = len(golden)
        self.choices = 0

    def choose(
        self, place: int, chosen: dict[int, int | None], naming: dict[Name, Name], taken: frozenset[int]
    ) -> None:
        """Try every choice for the makers from `place` on that can still do better than the best.

        Args:
            place: how many makers have been chosen for.
            chosen: by gold call, the executed call; None: it has no counterpart.
            naming: what was made by the chosen calls, to gold's names.
            taken: the chosen calls.
        """
        lost = sum(call is None for call in chosen.values())
        if self.ceiling <= len(self.best) or len(self.golden) - lost <= len(self.best) or self.choices == CHOICES:
            return
        self.choices += 1
        if place == len(self.makers):
            found = self._matching(chosen, self._complete(naming))
            if len(found) > len(self.best):
                self.best = found
            if self.makers and len(found) < self.ceiling == len(self.golden):
                self.ceiling = len(_maximum_matching([self._options(each, _Leaves.may_fit) for each in self.golden]))
            return
        maker, places = self.makers[place]
        complete = self._complete(naming)
        for index, leaves in self.executed.items():
            if (
                index in taken
                or leaves.tool != self.golden[maker].tool
                or not self.golden[maker].fits(leaves, complete)
            ):
                continue
            made = {name: places[path] for path, name in leaves.makes() if path in places}
            if len(made) == len(places):
                self.choose(place + 1, {**chosen, maker: index}, {**naming, **made}, taken | {index})
        self.choose(place + 1, {**chosen, maker: None}, naming, taken)

    def _complete(self, naming: Mapping[Name, Name]) -> Mapping[Name, Name]:
        """A naming with what the states say of all else."""
        if not naming:
            return self.renaming
        named_already = set(naming.values())
        rest = {mine: name for mine, name in self.renaming.items() if name not in named_already}
        return {**rest, **naming}

    def _matching(self, chosen: Mapping[int, int | None], naming: Mapping[Name, Name]) -> dict[int, int]:
        edges: list[list[int]] = []
        for place, each in enumerate(self.golden):
            if place in chosen:
                call = chosen[place]
                edges.append([] if call is None else [call])
            else:
                edges.append(self._options(each, lambda gold, leaves: gold.fits(leaves, naming)))
        return _maximum_matching(edges)

    def _options(self, gold: _Leaves, fitting: Callable[[_Leaves, _Leaves], bool]) -> list[int]:
        return [i for i, leaves in self.executed.items() if leaves.tool == gold.tool and fitting(gold, leaves)]


def _makers(golden: Sequence[_Leaves]) -> list[_Maker]:
    """The gold calls that made what gold calls name, and by path what their result has of it."""
    unmade = {name for leaves in golden for name in leaves.names.values()}
    makers: list[_Maker] = []
    for index, leaves in enumerate(golden):
        if unmade and leaves.spec.writes:
            places: dict[str, Name] = {}
            for path, name in leaves.makes():
                if name in unmade:
                    unmade.discard(name)
                    places[path] = name
            if places:
                makers.append((index, places))
    return makers


def _maximum_matching(edges: Sequence[Sequence[int]]) -> dict[int, int]:
    """Match as many of `edges` (by index, each with what it may take) as possible, by augmenting paths.

    For at most some fifty calls these few lines are far quicker than building a graph for a library.
    """
    taken: dict[int, int] = {}

    def augment(index: int, seen: set[int]) -> bool:
        for option in edges[index]:
            if option not in seen:
                seen.add(option)
                if option not in taken or augment(taken[option], seen):
                    taken[option] = index
                    return True
        return False

    for index in range(len(edges)):
        augment(index, set())
    return {index: option for option, index in taken.items()}
