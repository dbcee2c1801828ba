"""`Gold`: a session reference, the calls with where each argument comes from, and the state they lead to.

A `Binding` is a constant, a value the user says (in turn n), an output of an earlier call, or a list or object of
bindings. Paths into outputs are concrete (`hotels[2].id`), and a `Pick` says by which mark a person would single out
that item, so that a request can say "the cheapest one".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from envfactory.environment import Reference, StateDiff
from envfactory.environment.trusted import trusted

_PART = re.compile(r"([^.\[\]]+)|\[(\d+)\]")


class _Plain(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Const(_Plain):
    """A value that nobody says: a default, or what the situation implies."""

    source: Literal["const"] = "const"
    value: Any


class FromUser(_Plain):
    """A value that the user says in turn `turn` (counted from 0) or before."""

    source: Literal["user"] = "user"
    value: Any
    turn: int = 0


class Pick(_Plain):
    """How a person singles out an item of a list: the `only` one, the `first`, by `name`, or by its `field`.

    By its field: the item with the `low`est or the `high`est value.
    """

    by: Literal["only", "first", "name", "low", "high"]
    field: str = ""


class Out(_Plain):
    """An output of call `call` (counted from 0), at a concrete path; `pick` says how an item of a list was chosen."""

    source: Literal["call"] = "call"
    call: int
    path: str
    pick: Pick | None = None


class ListOf(_Plain):
    """A list of bindings."""

    source: Literal["list"] = "list"
    items: tuple[Binding, ...]


class ObjectOf(_Plain):
    """An object of bindings."""

    source: Literal["object"] = "object"
    fields: dict[str, Binding]


Leaf = Const | FromUser | Out
"""A scalar binding."""
Binding = Annotated[Const | FromUser | Out | ListOf | ObjectOf, Field(discriminator="source")]
ListOf.model_rebuild()
ObjectOf.model_rebuild()


class GoldCall(_Plain):
    """One call of the program.

    Attributes:
        tool: wire name.
        arguments: where each argument comes from.
        masked: argument paths that do not count when calls are compared (free text, and what changes nothing).
    """

    tool: str
    arguments: dict[str, Binding]
    masked: tuple[str, ...] = ()


class Gold(_Plain):
    """The program of a task.

    Attributes:
        reference: what the session starts from.
        calls: in order.
        turns: how many of the calls belong to each user turn; empty while undivided.
        diff: what the calls change, by environment.
    """

    reference: Reference
    calls: tuple[GoldCall, ...]
    turns: tuple[int, ...] = ()
    diff: dict[str, StateDiff] = {}

    def turn_slices(self) -> list[range]:
        """Indexes of the calls of each turn."""
        found: list[range] = []
        start = 0
        for count in self.turns or (len(self.calls),):
            found.append(range(start, start + count))
            start += count
        return found


def leaf_bindings(binding: Binding, path: str) -> Iterator[tuple[str, Leaf]]:
    """The scalar bindings below one, with concrete paths (`items[0].product_id`)."""
    # By the source: `isinstance` of another model is slow, and most bindings are scalars.
    if binding.source == "list":
        for position, item in enumerate(binding.items):
            yield from leaf_bindings(item, f"{path}[{position}]")
    elif binding.source == "object":
        for name, field in binding.fields.items():
            yield from leaf_bindings(field, f"{path}.{name}")
    else:
        yield path, binding


def bound(value: Any, path: str, leaf: Callable[[Any, str], Leaf]) -> Binding:
    """The binding of a JSON value, put together from those of its leaves.

    Args:
        value: the value of an argument.
        path: its concrete path.
        leaf: gives the binding of a leaf, from its value and path.
    """
    if isinstance(value, dict):
        fields: dict[str, Any] = value  # pyright: ignore[reportUnknownVariableType]
        return ObjectOf(fields={name: bound(child, f"{path}.{name}", leaf) for name, child in fields.items()})
    if isinstance(value, list):
        items: list[Any] = value  # pyright: ignore[reportUnknownVariableType]
        return ListOf(items=tuple(bound(item, f"{path}[{n}]", leaf) for n, item in enumerate(items)))
    return leaf(value, path)


def bindings_of(call: GoldCall) -> Iterator[tuple[str, Leaf]]:
    """Every scalar binding of a call, with concrete paths."""
    for name, binding in call.arguments.items():
        yield from leaf_bindings(binding, name)


def rewritten(arguments: Mapping[str, Binding], change: Callable[[Leaf], Leaf]) -> dict[str, Binding]:
    """Arguments with every scalar binding changed, in lists and objects too."""

    def of(binding: Binding) -> Binding:
        match binding:
            case ListOf():
                return trusted(ListOf, source="list", items=tuple(of(item) for item in binding.items))
            case ObjectOf():
                fields = {name: of(field) for name, field in binding.fields.items()}
                return trusted(ObjectOf, source="object", fields=fields)
            case _:
                return change(binding)

    return {name: of(binding) for name, binding in arguments.items()}


def renumbered(arguments: Mapping[str, Binding], place: Callable[[int], int]) -> dict[str, Binding]:
    """Arguments in a program whose calls are counted anew: `place` tells the new number of a call."""

    def moved(binding: Leaf) -> Leaf:
        if not isinstance(binding, Out):
            return binding
        return trusted(Out, source="call", call=place(binding.call), path=binding.path, pick=binding.pick)

    return rewritten(arguments, moved)


def value_at(document: Any, path: str) -> Any:
    """The value at a concrete path.

    Raises:
        KeyError: nothing stands there.
    """
    value = document
    for name, position in _PART.findall(path):
        try:
            if isinstance(value, str):  # has places too, but no parts
                raise TypeError
            value = value[name] if name else value[int(position)]
        except (KeyError, IndexError, TypeError):
            raise KeyError(f"nothing stands at {path!r}") from None
    return value


def resolve(binding: Binding, outputs: Mapping[int, Any]) -> Any:
    """The value of a binding.

    Args:
        binding: what to resolve.
        outputs: parsed outputs of the calls that ran, by index.

    Raises:
        KeyError: it names a call that did not run, or a path that its output does not have.
    """
    match binding:
        case Const() | FromUser():
            return binding.value
        case Out():
            if binding.call not in outputs:
                raise KeyError(f"call {binding.call} did not run")
            return value_at(outputs[binding.call], binding.path)
        case ListOf():
            return [resolve(item, outputs) for item in binding.items]
        case ObjectOf():
            return {name: resolve(field, outputs) for name, field in binding.fields.items()}
