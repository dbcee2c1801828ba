"""What the beginning of a known phrasing asks for."""

from __future__ import annotations

from envfactory.catalogue import backend
from envfactory.querygen.beginnings import things_asked


def test_a_place_that_has_come_up_is_there_in_the_beginning_of_a_phrasing_too() -> None:
    spec = backend(["inventory_warehouse"]).specs["inventory_warehouse"]
    for words in ("list the lots there", "list the lots at the Rome warehouse"):
        ((begun, tools),) = things_asked((spec,), words)
        assert begun.startswith("list the lots")
        assert "inventory_warehouse-list_lots" in tools


def test_a_single_word_asks_for_something_only_where_a_clause_can_begin() -> None:
    spec = backend(["hotel_reservations"]).specs["hotel_reservations"]
    assert [begun for begun, _ in things_asked((spec,), "please book it")] == ["book"]
    assert list(things_asked((spec,), "that book of mine")) == []
