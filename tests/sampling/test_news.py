"""What a look-up tells that has not been told yet."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from envfactory.catalogue import backend
from envfactory.environment import Reference, Session
from envfactory.sampling.news import LISTED, Fact, facts, has_news

PARCELS = "parcel_tracking"


class Talk:
    """A session in which calls are made one after the other, and what they have told."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.told: list[frozenset[Fact]] = []
        self.made: set[str] = set()

    def call(self, name: str, **arguments: Any) -> tuple[Any, bool]:
        """Make a call: its output, and whether it had news."""
        tool = self.session.specs[PARCELS].tool_by_name[name]
        result = self.session.call(tool.wire_name, arguments)
        assert result.ok, result.text
        news = tool.writes or has_news(tool, arguments, result.value, self.told, self.made)
        self.told.append(facts(tool, arguments, result.value))
        if tool.writes and not any(leaf.ref for leaf in tool.inputs):
            self.made.add(result.value["id"])
        return result.value, news


@pytest.fixture
def talk() -> Iterator[Talk]:
    with Session(backend([PARCELS]), Reference(environments={PARCELS: ""}, seed=3)) as session:
        yield Talk(session)


def test_where_a_parcel_is_that_was_just_sent_is_no_news(talk: Talk) -> None:
    sent, _ = talk.call(
        "send_parcel", partner="Ada Novak", address="7 Mill Lane", city="Vienna", size="small", speed="standard"
    )
    _, news = talk.call("track_parcel", parcel_id=sent["id"])
    assert not news


def test_where_a_parcel_is_that_is_on_its_way_is_news_and_once_told_none(talk: Talk) -> None:
    found, _ = talk.call("list_parcels", status="in_transit")
    parcel = found["parcels"][0]["id"]
    _, news = talk.call("track_parcel", parcel_id=parcel)
    assert news
    _, news = talk.call("track_parcel", parcel_id=parcel)
    assert not news


def test_a_list_is_news_unless_all_that_an_answer_names_of_it_was_named_before(talk: Talk) -> None:
    everything, news = talk.call("list_parcels")
    assert news
    assert everything["total"] > LISTED
    named = {row["id"] for row in everything["parcels"][:LISTED]}
    for status in sorted({row["status"] for row in everything["parcels"]}):
        found, news = talk.call("list_parcels", status=status)
        assert news == any(row["id"] not in named for row in found["parcels"][:LISTED])
        named |= {row["id"] for row in found["parcels"][:LISTED]}


def test_what_was_changed_is_known_to_whoever_asked_for_it(talk: Talk) -> None:
    found, _ = talk.call("list_parcels", status="in_transit")
    parcel = found["parcels"][0]["id"]
    talk.call("track_parcel", parcel_id=parcel)
    talk.call("leave_instructions", parcel_id=parcel, text="please call before")
    _, news = talk.call("track_parcel", parcel_id=parcel)
    assert not news
