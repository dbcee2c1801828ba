"""What services refuse in the same words."""

from __future__ import annotations

import datetime as dt

import pytest

from envfactory.environment import Record, ToolError, by_id, check_span, fits, owned, said, standing


class Parcel(Record, noun="parcel"):
    id: str
    owner_id: str = "P-1"
    status: str = "in_transit"
    payment: str = "open"


PARCEL = Parcel(id="A")


def test_a_record_of_ones_own_is_given_back() -> None:
    assert owned(PARCEL, "owner_id", "P-1") is PARCEL


def test_a_record_of_somebody_else_is_refused_by_what_it_is() -> None:
    with pytest.raises(ToolError, match="That parcel belongs to somebody else") as refused:
        owned(PARCEL, "owner_id", "P-2")
    assert refused.value.code == "permission_denied"


def test_a_record_that_stands_right_is_given_back() -> None:
    assert standing(PARCEL, ("ready", "in_transit"), "redirected") is PARCEL
    assert standing(PARCEL, ("open",), "paid", "payment") is PARCEL


def test_a_record_past_its_step_is_refused_in_words() -> None:
    with pytest.raises(ToolError, match="The parcel is in transit, so it cannot be cancelled") as refused:
        standing(PARCEL, ("ready",), "cancelled")
    assert refused.value.code == "precondition_failed"
    with pytest.raises(ToolError, match="The parcel is open, so it cannot be refunded"):
        standing(PARCEL, ("paid",), "refunded", "payment")


DAY = dt.date(2026, 3, 2)


@pytest.mark.parametrize(("since", "until"), [(None, None), (DAY, None), (None, DAY), (DAY, DAY)])
def test_an_open_span_or_one_day_is_a_span(since: dt.date | None, until: dt.date | None) -> None:
    check_span(since, until)


def test_a_span_that_ends_before_it_begins_is_refused() -> None:
    with pytest.raises(ToolError, match="end on 2026-03-01, before it begins on 2026-03-02") as refused:
        check_span(DAY, dt.date(2026, 3, 1))
    assert refused.value.code == "invalid_argument"


def test_records_are_keyed_by_their_ids() -> None:
    assert by_id([PARCEL, Parcel(id="B")]) == {"A": PARCEL, "B": Parcel(id="B")}


def test_what_is_none_is_not_asked_for() -> None:
    assert fits(PARCEL)
    assert fits(PARCEL, owner_id="P-1", status=None)
    assert not fits(PARCEL, owner_id="P-1", status="delivered")


def test_a_value_is_said_with_spaces() -> None:
    assert said(PARCEL.status) == "in transit"
