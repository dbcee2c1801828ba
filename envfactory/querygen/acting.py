"""What only the person can do: the assistant tells them to, they do it, and only then its own call succeeds.

A tool of theirs (`@tool(by="user")`) comes into a program by the call that needs it done first (`@tool(first=...)`). In
the conversation a turn with such a call becomes two: the request, which the assistant answers by telling what the
person has to do, and their word that it is done, after which the assistant's calls follow. What they do is no call of
the assistant's: it does not make it, is not shown its result, and earns nothing by it.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import orjson

from envfactory.environment import Session, Snapshot, ToolSpec
from envfactory.gold import Call
from envfactory.gold.program import resolve
from envfactory.querygen.draft import Unsayable
from envfactory.querygen.knowledge import words_in
from envfactory.querygen.program import Program
from envfactory.querygen.related import is_misplaced
from envfactory.querygen.replies import filled
from envfactory.querygen.request import Request
from envfactory.querygen.secrets import Asked
from envfactory.querygen.telling import told_of
from envfactory.querygen.wording import listed, sentence
from envfactory.trajectory import Change

_TELLING = (
    "For that I need you to act first: please {acts}, and tell me when it is done.",
    "Before I can do that, please {acts}. Let me know once you have.",
    "You have to do one thing yourself: please {acts}, and I will go on from there.",
)
_NO_WORDS = frozenset(["the", "and", "for", "that", "with", "your", "you", "please", "new"])
"""Words that tell nothing about what is to be done."""


@dataclass(frozen=True, slots=True)
class Act:
    """Something that the person has done.

    Attributes:
        gold: the call of the program that it is.
        executed: what was given and what came of it.
        output: its parsed output; None if it was refused.
        before: the state before it.
    """

    gold: int
    executed: Call
    output: Any
    before: Snapshot

    @property
    def refusal(self) -> str:
        """Why it did not work, in words; empty if it did."""
        return "" if self.executed.ok else orjson.loads(self.executed.result)["error"]["message"]


class Hands:
    """What a person does in a session, each thing once."""

    def __init__(self, program: Program, session: Session | None) -> None:
        """Have done nothing yet.

        Args:
            program: what is wanted, with the calls that are theirs to make.
            session: where they act; None: there they are taken to have done everything already.
        """
        self._program, self._session = program, session
        self._done: set[int] = set()

    def pending(self, calls: Sequence[int]) -> list[int]:
        """Those of some calls of the program that are the person's, and that they have not made yet."""
        return [call for call in calls if self._program.is_users(call) and call not in self._done]

    def told(self, heard: str, calls: Sequence[int]) -> tuple[list[int], str]:
        """Likewise, those that a message tells them to make; and what they have against others, empty if nothing."""
        pending = self.pending(calls)
        acts = [(self._program.tool(call), self._arguments(call)) for call in pending]
        told, against = told_of(acts, heard, self._program.gold.reference.now)
        return [pending[place] for place in told], against

    def act(self, calls: Sequence[int]) -> tuple[Act, ...]:
        """Make some calls of the program; one that is refused may be made again.

        Raises:
            EnvironmentFailure: infrastructure failed.
        """
        if self._session is None:
            self._done.update(calls)
            return ()
        return tuple(self._make(call, self._session) for call in calls)

    def _arguments(self, index: int) -> dict[str, Any]:
        """What a call of theirs is made with."""
        outputs = {earlier: self._program.outputs[earlier] for earlier in range(index)}
        bindings = self._program.gold.calls[index].arguments
        return {name: resolve(binding, outputs) for name, binding in bindings.items()}

    def _make(self, index: int, session: Session) -> Act:
        call, arguments = self._program.gold.calls[index], self._arguments(index)
        before = session.snapshot()
        result = session.call(call.tool, arguments, by="user")
        if result.ok:
            self._done.add(index)
        done = Call(tool=call.tool, arguments=arguments, result=result.text, ok=result.ok)
        return Act(index, done, result.value if result.ok else None, before)


def mentions(heard: str, tools: Sequence[ToolSpec]) -> bool:
    """Whether a message speaks of what some tools of the person's do: with any word that tells what it is about."""
    words = words_in(heard)
    return any(not words.isdisjoint(_about(tool.ask)) for tool in tools)


@cache
def _about(ask: tuple[str, ...]) -> frozenset[str]:
    """The verbs that phrasings begin with, and the words that are in all of them."""
    plain = [re.sub(r"\{\w+\}", " ", text) for text in ask]
    verbs = frozenset(text.split()[0].casefold() for text in plain)
    common = frozenset[str].intersection(*(words_in(text) for text in plain))
    return verbs | (frozenset(word for word in common if len(word) > 2) - _NO_WORDS)


def tell_to_act(program: Program, requests: Sequence[Request], changes: Sequence[Change], rng: random.Random) -> Asked:
    """Put in the exchanges in which the person is told what to do themselves, each before the calls that need it.

    Args:
        program: the whole program.
        requests: one for each of its turns; those that ask for secrets are in already.
        changes: what the refinements changed; their turns are counted anew.
        rng: source of every choice; nothing is drawn where there is nothing to do.

    Raises:
        Unsayable: they would have to act in the middle of a turn, or for nothing.
    """
    found: list[Request] = []
    turns: list[int] = []
    place: dict[int, int] = {}
    for turn, (request, calls) in enumerate(zip(requests, program.slices, strict=True)):
        place[turn] = len(found)
        acts = [call for call in calls if program.is_users(call)]
        if not acts:
            found.append(request)
            turns.append(len(calls))
            continue
        if is_misplaced([program.is_users(call) for call in calls]):
            raise Unsayable(program.gold.calls[acts[0]].tool, "the person has to act before the calls of a turn")
        told = [_phrase(program, call, program.tool(call).ask, rng) for call in acts]
        question = rng.choice(_TELLING).format(acts=listed(told, most=len(told)))
        done = " ".join(sentence(_phrase(program, call, program.tool(call).reply, rng)) for call in acts)
        found.append(replace(request, asked=frozenset(), question=question))
        found.append(Request(done, request.asked, done=True))
        turns += [0, len(calls)]
    if len(found) == len(requests):
        return Asked(program, list(requests), tuple(changes))
    moved = tuple(change.model_copy(update={"turn": place[change.turn]}) for change in changes)
    return Asked(program.in_turns(tuple(turns)), found, moved)


def _phrase(program: Program, call: int, templates: Sequence[str], rng: random.Random) -> str:
    """One of the templates that a call has words for."""
    fitting = [words for template in templates if (words := filled(program, call, template)) is not None]
    if not fitting:
        raise Unsayable(program.gold.calls[call].tool, "no phrasing fits what the person has to do")
    return rng.choice(fitting)
