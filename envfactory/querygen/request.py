"""`Request`: what the user says in a turn, and the draft that it was put into words from.

A draft is the request before it is text: which calls are asked for, with which phrasing, and how the records in it are
named. Refinements that need no language model work on drafts; the text follows from them (`draft.Wording`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Style = Literal["name", "context", "ordinal"]
"""How a record is referred to: by name; by context; by its place in a list that was shown, where it has one."""


@dataclass(frozen=True, slots=True)
class Clause:
    """The part of a request that asks for one call.

    Attributes:
        call: index of the call.
        template: the phrasing chosen among the tool's `ask`.
        styles: how the records in it are referred to, by the argument's concrete path; by name where nothing is said.
        instead: words that stand for an argument whatever it is, by concrete path.
    """

    call: int
    template: str
    styles: Mapping[str, Style] = field(default_factory=dict[str, "Style"])
    instead: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class Draft:
    """A request before it is text.

    Attributes:
        clauses: what is asked for, in order.
        seed: decides greeting and joints, so that they stay the same whatever is refined.
        folded: searches that are said as a noun phrase inside a clause ("the cheapest hotel in Rome").
        changes_mind: whether the turn undoes or changes what the last one did.
    """

    clauses: tuple[Clause, ...]
    seed: int
    folded: frozenset[int] = frozenset()
    changes_mind: bool = False


@dataclass(frozen=True, slots=True)
class Request:
    """What the user says in a turn.

    Attributes:
        text: the words.
        asked: the calls that they ask for outright.
        question: what the assistant asks in return before it does anything; then the turn has no calls, and the next
            request is the answer. Empty in every other turn.
        tells: names of the secrets that this is the answer to a question about.
        done: whether it only says that what they were told to do themselves is done.
        draft: what the text was made from; None where it was written as text.
        spoken: of a draft, the words that stand for each argument taken from a result, by call and concrete path.
    """

    text: str
    asked: frozenset[int]
    question: str = ""
    tells: tuple[str, ...] = ()
    done: bool = False
    draft: Draft | None = None
    spoken: Mapping[tuple[int, str], str] = field(default_factory=dict[tuple[int, str], str])
