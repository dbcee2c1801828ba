"""Counterfactual filtering: which calls of a conversation were needed, shown by playing it without them.

A call that was accepted is *needed* if

- the answer of a turn tells of its result, or
- a needed call takes one of its outputs, or
- it changes the final state: replayed without it (and without what takes its outputs) the conversation ends elsewhere.

Whatever does not change the state by itself may be one of two calls that undo each other, or of a whole set of them:
so writing calls are also left out two by two, and all together in each environment. What is left out together and
leaves the final state equivalent is redundant. A look-up cannot change a state, so its use alone decides.

From this follows the label of a call:

- `keep`: it is needed.
- `hide`: it was refused, and in the same turn a call that is kept does what it tried (the same tool; after an unknown
  tool, any); or it is a redundant look-up between the two, which is how the assistant found out. It stays in the
  history, so that the way back is seen, and nothing is learned from it.
- `remove`: it is redundant, or was refused and led to nothing.

What the user has done themselves is kept, whatever comes of it: it is no call of the assistant's.

A question to the user is needed if the answer says something that a kept call takes; else the exchange is removed. The
conversation is then played anew without what is removed: results, ids and states are those of a session in which it
never happened. If that cannot be done, or an answer would no longer be true, nothing is removed but hidden.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, cast

from envfactory.environment import SEPARATOR, Session, tool_of
from envfactory.environment.equivalence import compare_states
from envfactory.environment.paths import spec_path
from envfactory.environment.trusted import trusted
from envfactory.gold import Call, FromUser, ReplayError, bindings_of, replay
from envfactory.gold.program import resolve
from envfactory.querygen.played import Label, Move, Played, PlayedTurn, unsupported_facts
from envfactory.querygen.task import Task, calls_read, rebound
from envfactory.querygen.wording import say

_WORD = re.compile(r"[\w-]+")


@dataclass(slots=True)
class Filtered:
    """What filtering found.

    Attributes:
        labels: of the moves that are not kept.
        needless: the turns whose question is removed.
        cleaned: the conversation without what is removed; None if nothing is.
        replays: how often it was replayed in part.
        moves: how many calls it has.
    """

    labels: dict[int, Label] = field(default_factory=dict)
    needless: frozenset[int] = frozenset()
    cleaned: Played | None = None
    replays: int = 0
    moves: int = 0

    def kept(self) -> Filtered:
        """The labels of the cleaned conversation."""
        every = (self.labels.get(place, "keep") for place in range(self.moves))
        left = [label for label in every if label != "remove"]
        hidden: dict[int, Label] = {place: label for place, label in enumerate(left) if label == "hide"}
        return Filtered(hidden)


def needed_calls(task: Task, played: Played) -> set[int]:
    """The places of the accepted calls that are needed.

    Raises:
        EnvironmentFailure: infrastructure failed.
    """
    return _Search(task, played).needed()


def filtered(task: Task, played: Played) -> Filtered:
    """Label the calls of a conversation, and play it without what is redundant.

    Raises:
        EnvironmentFailure: infrastructure failed.
    """
    search = _Search(task, played)
    search.told |= played.users()  # what the user has done is theirs: no assistant can leave it out
    needed = search.needed()
    labels = _labels(task, played, needed)
    needless = frozenset(number for number in played.exchanges() if not _tells(task, played, number, needed))
    found = Filtered(labels, needless, replays=search.replays, moves=len(played.moves))
    while needless or "remove" in labels.values():
        cleaned, again = _play_without(task, played, labels, needless)
        if cleaned is not None:
            found.cleaned = cleaned
            return found
        if again is None:  # cannot be told without it: it stays, unlearned
            found.labels = dict.fromkeys(labels, "hide")
            found.needless = frozenset()
            return found
        labels[again] = "remove"
    return found


class _Search:
    """Looks for what can be left out of a conversation; `kept` is what is left of its accepted calls."""

    def __init__(self, task: Task, played: Played) -> None:
        self.task = task
        self.moves = played.moves
        self.program = played.program(task.gold)
        self.outputs = {place: move.output for place, move in enumerate(played.moves) if move.executed.ok}
        self.refused = played.refused()
        self.final = played.diff
        self.takes = {place: calls_read(move.call) for place, move in enumerate(played.moves)}
        self.writes = {place for place in self.outputs if tool_of(task.specs, played.moves[place].executed.tool).writes}
        self.told = {place for turn in played.turns for place in turn.reports if place in self.outputs}
        self.replays = 0

    def needed(self) -> set[int]:
        """The accepted calls that are needed."""
        writes = set(self.writes)
        while True:
            kept = self._with_sources(self.told | writes)
            dropped = self._droppable(kept, writes - self._with_sources(self.told))
            if not dropped:
                return kept
            writes -= dropped

    def _with_sources(self, places: Iterable[int]) -> set[int]:
        """Calls, and those whose outputs they take."""
        found: set[int] = set()
        waiting = list(places)
        while waiting:
            place = waiting.pop()
            if place not in found:
                found.add(place)
                waiting.extend(self.takes[place])
        return found

    def _droppable(self, kept: set[int], doubtful: set[int]) -> set[int]:
        """Writing calls, none of whose results an answer rests on, that can be left out together."""
        for group in self._groups(sorted(doubtful, reverse=True)):
            without = self._with_users(group, kept)
            if (
                without <= doubtful | (kept - self.writes)
                and not without & self.told
                and self._ends_alike(kept, without)
            ):
                return without & self.writes
        return set()

    def _groups(self, doubtful: list[int]) -> list[tuple[int, ...]]:
        """What to try to leave out: each call, each two of one environment, all of one environment.

        Gold's own calls are left out last, since something else may have the same effect; later calls before earlier.
        """
        found: list[tuple[int, ...]] = [(place,) for place in doubtful]
        for environment in dict.fromkeys(map(self._environment, doubtful)):
            together = [place for place in doubtful if self._environment(place) == environment]
            found += combinations(together, 2)
            if len(together) > 2:
                found.append(tuple(together))
        return sorted(found, key=lambda places: sum(self.moves[place].gold is not None for place in places))

    def _environment(self, place: int) -> str:
        return self.moves[place].executed.tool.partition(SEPARATOR)[0]

    def _with_users(self, places: Collection[int], kept: set[int]) -> set[int]:
        """Calls, and those that take their outputs."""
        found = set(places)
        for place in sorted(kept):
            if self.takes[place] & found:
                found.add(place)
        return found

    def _ends_alike(self, kept: set[int], without: set[int]) -> bool:
        """Whether the kept calls lead to the same final state without some of them."""
        self.replays += 1
        start = min(without)
        session = self.task.session
        session.restore(self.moves[start].before)
        known = {place: output for place, output in self.outputs.items() if place < start}
        left_out = {place for place in range(start, len(self.moves)) if place not in kept or place in without}
        try:
            run = replay(self.program, session, drop=left_out, start=start, outputs=known)
        except ReplayError:
            return False
        return (
            run.diff == self.final
            or compare_states(self.task.specs, self.task.program.bases, run.diff, self.final).equal
        )


def _labels(task: Task, played: Played, needed: set[int]) -> dict[int, Label]:
    labels: dict[int, Label] = {}
    turn_of = played.turn_of()
    refused = played.refused()
    told = {place for turn in played.turns for place in turn.reports}
    users = played.users()
    for place, move in enumerate(played.moves):
        if place in users:
            continue
        if place not in needed:
            labels.setdefault(place, "remove")
        if place not in refused:
            continue
        if place in told:  # its refusal is what the answer tells
            labels[place] = "hide"
        after = [
            other for other in sorted(needed) if other > place and turn_of[other] == turn_of[place]
            and _does_what(task, played.moves[other], move)
        ]  # fmt: skip
        if after:
            labels[place] = "hide"
            for between in range(place + 1, after[0]):
                writes = between in refused or tool_of(task.specs, played.moves[between].executed.tool).writes
                if between not in needed and not writes:
                    labels[between] = "hide"
    return labels


def _does_what(task: Task, move: Move, refused: Move) -> bool:
    environment, _, name = refused.executed.tool.partition(SEPARATOR)
    known = environment in task.specs and name in task.specs[environment].tool_by_name
    return not known or move.executed.tool == refused.executed.tool


def _tells(task: Task, played: Played, number: int, needed: set[int]) -> bool:
    """Whether the user's answer to a question says something that a kept call takes and that was not said before."""
    answer = played.turns[number + 1].user.casefold()
    before = "\n".join(turn.user for turn in played.turns[: number + 1]).casefold()
    now = task.gold.reference.now
    for step in played.turns[number + 1].steps:
        for place in step:
            if place not in needed:
                continue
            move = played.moves[place]
            leaves = tool_of(task.specs, move.executed.tool).input_by_path
            for path, binding in bindings_of(move.call):
                # A flag is said by how something is asked for, never by the "yes" of an answer.
                if isinstance(binding, FromUser) and not isinstance(binding.value, bool):
                    words = say(binding.value, leaves.get(spec_path(path)), now).casefold()
                    if words in answer and words not in before:
                        return True
    return False


def _play_without(
    task: Task, played: Played, labels: dict[int, Label], needless: frozenset[int]
) -> tuple[Played | None, int | None]:
    """Play a conversation without what is removed.

    Returns:
        The conversation; or None, and the hidden call that must be removed as well (None: it cannot be done).
    """
    session = task.session
    refused = played.refused()
    first = min((place for place, label in labels.items() if label == "remove"), default=len(played.moves))
    cleaned = Played()
    places: dict[int, int] = {}
    outputs: dict[int, Any] = {}
    renamed: dict[str, str] = {}
    if first < len(played.moves):
        session.restore(played.moves[first].before)
    asked: str | None = None  # a request whose answer was a question that is removed
    other_state = False
    done: list[int] = []  # by the user, up to what they say next
    for number, turn in enumerate(played.turns):
        user, asked = (turn.user if asked is None else asked), None
        steps = [tuple(turn.done), *turn.steps]
        if number in needless:
            asked, steps = user, steps[:1]
        mine = PlayedTurn(user, turn.task, answer=turn.answer, diff=turn.diff)
        for position, step in enumerate(steps):
            fresh: list[int] = done if position == 0 else []
            for place in step:
                other_state = other_state or place >= first
                if labels.get(place) == "remove":
                    continue
                move = played.moves[place]
                if other_state:
                    made = _again(session, move, outputs)
                    if made is None or made.executed.ok == (place in refused):
                        return None, place if labels.get(place) == "hide" else None
                    renamed |= _renamed(move.output, made.output)
                    move = made
                if move.executed.ok:
                    outputs[place] = move.output
                fresh.append(len(cleaned.moves))
                cleaned.moves.append(replace(move, call=rebound(move.call, places)))
                places[place] = fresh[-1]
            if fresh and position:
                mine.steps.append(tuple(fresh))
        if number in needless:
            continue
        mine.done, done = done, []
        mine.reports = [places[place] for place in turn.reports if place in places]
        mine.answer = _with_words(turn.answer, renamed)
        if other_state:
            mine.diff = session.diff()
        cleaned.turns.append(mine)
    return (None, None) if any(unsupported_facts(task, cleaned)) else (cleaned, None)


def _again(session: Session, move: Move, outputs: dict[int, Any]) -> Move | None:
    """Make a call once more; None if it takes what is not given any more."""
    before = session.snapshot()
    try:
        arguments = {name: resolve(binding, outputs) for name, binding in move.call.arguments.items()}
    except KeyError:
        return None
    result = session.call(move.executed.tool, arguments, by=session.actor(move.executed.tool))
    done = trusted(Call, tool=move.executed.tool, arguments=arguments, result=result.text, ok=result.ok)
    return replace(move, executed=done, output=result.value if result.ok else None, before=before)


def _renamed(before: Any, after: Any) -> dict[str, str]:
    """Words that stand in the same place of two results and differ: ids that were made anew."""
    if isinstance(before, dict) and isinstance(after, dict):
        before, after = cast("dict[str, Any]", before), cast("dict[str, Any]", after)
        return {k: v for name in before if name in after for k, v in _renamed(before[name], after[name]).items()}
    if isinstance(before, list) and isinstance(after, list):
        before, after = cast("list[Any]", before), cast("list[Any]", after)
        if len(before) != len(after):
            return {}
        return {k: v for pair in zip(before, after, strict=True) for k, v in _renamed(*pair).items()}
    if isinstance(before, str) and isinstance(after, str) and before != after and _WORD.fullmatch(before):
        return {before: after}
    return {}


def _with_words(text: str, renamed: dict[str, str]) -> str:
    """A text with other words in the place of some."""
    return _WORD.sub(lambda word: renamed.get(word.group(), word.group()), text) if renamed else text
