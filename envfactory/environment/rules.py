"""What nearly every service asks of its records, and what it refuses: those of others, those past a step, odd spans.

What refuses gives back what it was asked about, or raises the `ToolError` that says why not.
"""

from __future__ import annotations

import datetime as dt
from typing import TypeVar

from envfactory.environment.errors import ToolError
from envfactory.environment.records import Record

R = TypeVar("R", bound=Record)


def said(word: str) -> str:
    """Return a value as a sentence says it: `part received` for `part_received`."""
    return word.replace("_", " ")


def fits(record: Record, **wanted: object) -> bool:
    """Whether fields have the values that are asked for; what is None is not asked for."""
    return all(value is None or vars(record)[name] == value for name, value in wanted.items())


def owned(record: R, field: str, owner: str) -> R:
    """Return a record that belongs to `owner`, the id in its `field`.

    Raises:
        ToolError: `permission_denied`, it belongs to somebody else.
    """
    if vars(record)[field] != owner:
        raise ToolError("permission_denied", f"That {record.noun} belongs to somebody else.")
    return record


def standing(record: R, among: tuple[str, ...], done: str, field: str = "status") -> R:
    """Return a record whose status is one of `among`: the step of its life in which something can be done with it.

    Args:
        record: the record asked about.
        among: statuses in which it is possible.
        done: what would be done, as a participle (`cancelled`).
        field: where the status stands.

    Raises:
        ToolError: `precondition_failed`, it is in another status.
    """
    status: str = vars(record)[field]
    if status not in among:
        raise ToolError("precondition_failed", f"The {record.noun} is {said(status)}, so it cannot be {done}.")
    return record


def check_span(since: dt.date | None, until: dt.date | None) -> None:
    """Refuse a span of days that ends before it begins; either end may be open.

    Raises:
        ToolError: `invalid_argument`.
    """
    if since and until and until < since:
        raise ToolError("invalid_argument", f"The search would end on {until}, before it begins on {since}.")
