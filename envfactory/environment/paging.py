"""Pages and money: the two small things that nearly every environment needs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Self

from pydantic import Field

from envfactory.environment.declare import Unit
from envfactory.environment.records import Output, Record

PAGE_SIZE = 5
"""How many rows a page has unless the service says otherwise."""

PageNumber = Annotated[int, Field(ge=1)]
"""Which page of the results, from 1."""

Money = Annotated[float, Field(ge=0), Unit("USD")]
"""An amount in US dollars, two decimals."""

Balance = Annotated[float, Unit("USD")]
"""An amount in US dollars that may be negative."""


class Page(Output):
    """A page of results; a subclass adds the list itself, as the first of its fields."""

    total: int
    """How many match in all."""
    page: int
    """Number of this page, from 1."""
    pages: int
    """How many pages there are."""

    @classmethod
    def of(cls, rows: Sequence[Output | Record], page: int, size: int = PAGE_SIZE, **more: Any) -> Self:
        """Cut one page out of all that match; a page past the end is empty.

        Args:
            rows: everything that matches, in order.
            page: which page, from 1.
            size: rows on a page.
            more: the subclass's further fields.
        """
        listed = next(name for name in cls.model_fields if name not in Page.model_fields)
        cut = tuple(rows[(page - 1) * size : page * size])
        return cls(**{listed: cut}, total=len(rows), page=page, pages=max(1, -(-len(rows) // size)), **more)


def cents(amount: float) -> float:
    """Round an amount to cents, halves away from zero."""
    return round(amount + (1e-9 if amount >= 0 else -1e-9), 2)
