"""Relations that the arguments of real calls obey, declared with `@tool(where=...)`.

Blind draws ground almost nothing (a random guest does not own a random card, a random check-out precedes its
check-in), so an environment says how its arguments hang together. A relation is plain JSON in the `Spec`; `draw`
proposes values by it and `RELATIONS` lists every kind. None of them is a check: the tool's own code decides what is
refused.

In every relation `parameter` is the argument path it speaks of (`items[].product_id` for nested ones).
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class _Relation(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class After(_Relation):
    """A date that lies `days` (least, most) after the date in `other`."""

    kind: Literal["after"] = "after"
    parameter: str
    other: str
    days: tuple[int, int]


class FromNow(_Relation):
    """A date or time that lies `days` (least, most; negative is past) from the session's clock."""

    kind: Literal["from_now"] = "from_now"
    parameter: str
    days: tuple[int, int]


class Within(_Relation):
    """A number that people would say between `low` and `high`, in steps of `step`."""

    kind: Literal["within"] = "within"
    parameter: str
    low: float
    high: float
    step: float = 1


class Owned(_Relation):
    """The record named by `parameter` has in `field` the id given by `by`: a parameter, or a field of the state."""

    kind: Literal["owned"] = "owned"
    parameter: str
    field: str
    by: str


class Having(_Relation):
    """The record named by `parameter` has in `field` one of the values `among`."""

    kind: Literal["having"] = "having"
    parameter: str
    field: str
    among: tuple[str | int | bool, ...]


class Dated(_Relation):
    """The record named by `parameter` has in `field` a day that lies `days` (least, most; negative is past) from today.

    With `unset`, one without such a day will do as well (an invoice of which nobody was reminded yet).
    """

    kind: Literal["dated"] = "dated"
    parameter: str
    field: str
    days: tuple[int, int]
    unset: bool = False


class NamedIn(_Relation):
    """The record named by `parameter` is named in `field` of a record of `entity` that is the session's own.

    With `status` and `among`, only of those whose field `status` has one of these values (a hotel of a completed stay).
    """

    kind: Literal["named_in"] = "named_in"
    parameter: str
    entity: str
    field: str
    status: str = ""
    among: tuple[str | int | bool, ...] = ()


class AtMost(_Relation):
    """A number of at most `share` of `field` in the record that `other` names (an amount within a balance)."""

    kind: Literal["at_most"] = "at_most"
    parameter: str
    other: str
    field: str
    share: float = 1.0


class FieldOf(_Relation):
    """The value stands in `field` of the record that `other` names (a room type that this hotel has).

    `field` may lead through lists, which give any of their items: `rooms[].kind`.
    """

    kind: Literal["field_of"] = "field_of"
    parameter: str
    other: str
    field: str


class Sharing(_Relation):
    """The record named by `parameter` has the same `fields` as the record that `other` names (a train on its route)."""

    kind: Literal["sharing"] = "sharing"
    parameter: str
    other: str
    fields: tuple[str, ...]


class Differs(_Relation):
    """The value is not the one of `other` (two different accounts)."""

    kind: Literal["differs"] = "differs"
    parameter: str
    other: str


class Differing(_Relation):
    """The value is not the present `field` of the record that `other` names (a change that changes something)."""

    kind: Literal["differing"] = "differing"
    parameter: str
    other: str
    field: str


class Some(_Relation):
    """At least one of the optional `parameters` is given (an update that updates something)."""

    kind: Literal["some"] = "some"
    parameters: tuple[str, ...]

    def __init__(self, *names: str, **values: Any) -> None:
        super().__init__(**({"parameters": names} if names else {}), **values)


class Together(_Relation):
    """The optional `parameters` are given all or none."""

    kind: Literal["together"] = "together"
    parameters: tuple[str, ...]

    def __init__(self, *names: str, **values: Any) -> None:
        super().__init__(**({"parameters": names} if names else {}), **values)


class Graded(_Relation):
    """Prose that goes with a grade: what people write with a number in `other` up to the bound of a band.

    `bands` are (bound, texts), the lowest first: nobody gives one star "for the lovely staff".
    """

    kind: Literal["graded"] = "graded"
    parameter: str
    other: str
    bands: tuple[tuple[float, tuple[str, ...]], ...]


class New(_Relation):
    """The value does not stand in `field` of any of the session's own records of `entity` (an address to save)."""

    kind: Literal["new"] = "new"
    parameter: str
    entity: str
    field: str


class Ends(_Relation):
    """The call ends what the record named by `parameter` is about (a stay that is cancelled).

    Whoever asks for it has not just made or changed that record, and wants nothing more of it.
    """

    kind: Literal["ends"] = "ends"
    parameter: str


Relation = Annotated[
    After
    | FromNow
    | Within
    | Owned
    | Having
    | Dated
    | NamedIn
    | AtMost
    | FieldOf
    | Sharing
    | Differs
    | Differing
    | Some
    | Together
    | Graded
    | New
    | Ends,
    Field(discriminator="kind"),
]
RELATIONS: tuple[type[_Relation], ...] = (
    After, FromNow, Within, Owned, Having, Dated, NamedIn, AtMost, FieldOf, Sharing, Differs, Differing, Some,
    Together, Graded, New, Ends,
)  # fmt: skip
