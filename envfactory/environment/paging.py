"""Pages and money: the two small things that nearly every environment needs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, TypeVar

from pydantic import Field

from envfactory.environment.declare import Unit
from envfactory.environment.records import Output

T = TypeVar("T")

Money = Annotated[float, Field(ge=0), Unit("USD")]
"""An amount in US dollars, two decimals."""

Balance = Annotated[float, Unit("USD")]
"""An amount in US dollars that may be negative."""


class Page(Output):
    """A page of results; a subclass adds the list itself."""

    total: int
    """How many match in all."""
    page: int
    """Number of this page, from 1."""
    pages: int
    """How many pages there are."""


def cents(amount: float) -> float:
    """Round an amount to cents, halves away from zero."""
    return round(amount + (1e-9 if amount >= 0 else -1e-9), 2)


def page_of(rows: Sequence[T], page: int, size: int) -> dict[str, int]:
    """The counts of a `Page`, to be given on with `page_rows`."""
    return {"total": len(rows), "page": page, "pages": max(1, -(-len(rows) // size))}


def page_rows(rows: Sequence[T], page: int, size: int) -> tuple[T, ...]:
    """The rows of one page, from 1; a page past the end is empty."""
    return tuple(rows[(page - 1) * size : page * size])
