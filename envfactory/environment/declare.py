"""What an environment says about its values and tools, beside the code that runs.

A type annotation carries a value's meaning: `Ref` names an entity, `Value` a domain of values shared by records and
parameters, `FreeText` prose, `Secret` what only the person has, `Unit` how a number is said, `Ranked` what its extremes
are called, `Volatile` that it does not count when states are compared. `tool` marks a method as part of the interface.
All of it ends up in the `Spec`, from which graph, grounding, conversation and evaluation work without ever touching the
class.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from envfactory.environment.relations import Relation

Actor = Literal["agent", "user"]
_F = TypeVar("_F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Ref:
    """The value is the id of a record of `entity` (a `Record` class name), which is the same entity everywhere."""

    entity: str


@dataclass(frozen=True, slots=True)
class Value:
    """The value belongs to a named domain of values, such as `city`, in records, tools and environments alike."""

    name: str
    description: str = ""


@dataclass(frozen=True, slots=True)
class FreeText:
    """Prose: compared by presence, never word for word. `examples` are what a person might write there."""

    examples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Secret:
    """Only the person has the value, and says it when asked for it by `name`: a PIN, a security word.

    On a field of a record it is where the value stands, which no tool may give; on a tool's input it is the value of
    the one record that the call is about, or else of the person whose session it is (see `secrets`).
    """

    name: str


@dataclass(frozen=True, slots=True)
class Unit:
    """How a number is said: an ISO currency (`USD`), or a noun (`night`, `km`)."""

    name: str


@dataclass(frozen=True, slots=True)
class Ranked:
    """What a person calls the record with the lowest and the highest value of this field (`cheapest`, `best rated`)."""

    low: str = ""
    high: str = ""


@dataclass(frozen=True, slots=True)
class Volatile:
    """The field does not count when two states are compared."""


@dataclass(frozen=True, slots=True)
class ToolDeclaration:
    """What `@tool` was told; see `tool`."""

    writes: bool
    by: Actor
    ask: tuple[str, ...]
    noun: str
    reply: tuple[str, ...]
    where: tuple[Relation, ...]
    first: str


def tool(
    *,
    ask: tuple[str, ...],
    reply: tuple[str, ...],
    noun: str = "",
    writes: bool = False,
    by: Actor = "agent",
    where: tuple[Relation, ...] = (),
    first: str = "",
) -> Callable[[_F], _F]:
    """Mark a method of an `Environment` as a tool.

    Templates: `{name}` is the argument (in `reply`: output field, or else argument) as a person says it; `[ ... ]` is
    left out unless everything named in it is given; `[flag? ...]` is kept only if the boolean `flag` is true.

    Args:
        ask: how different people would ask for this, as imperative clauses without capital or full stop
            (`"find me a hotel in {city} from {check_in} to {check_out}[ for {guests} guests]"`). Of a tool of the
            user's: how an assistant tells them to do it, after "please".
        reply: how an assistant reports the result, whole sentences; the first whose every name has a value is used, so
            end with one that always fits (`"I found nothing that matches."`). Of a tool of the user's: how they say
            that it is done.
        noun: for a search, the noun phrase of one thing found, without article
            (`"hotel in {city}[ under {max_price}]"`), so that a request can say "book the cheapest hotel in Rome"
            instead of listing steps.
        writes: whether the tool may change the state. A tool without it sees a sealed state.
        by: `user` for what only the person can do (confirm a code, open a door); never offered to the agent.
        where: relations between arguments that real calls obey (see `relations`); grounding draws by them.
        first: what the person must have done before: name of a tool of theirs, whose arguments are among this one's.
    """
    declaration = ToolDeclaration(writes=writes, by=by, ask=ask, noun=noun, reply=reply, where=where, first=first)

    def mark(function: _F) -> _F:
        function.__tool__ = declaration  # pyright: ignore[reportFunctionMemberAccess]
        return function

    return mark
