"""A session is one trajectory's private copy: wire names in, results out, and nothing shared with any other."""

from __future__ import annotations

import datetime as dt
import hashlib
import random
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import orjson
import pytest

from envfactory.catalogue import backend, digests, environment_names
from envfactory.environment import (
    DEFAULT_NOW,
    Environment,
    EnvironmentFailure,
    InProcess,
    Output,
    Reference,
    Session,
    World,
    apply_diff,
    tool,
)
from envfactory.environment.draw import Drawer, Undrawable
from tests.environment.library import LIBRARY, REFERENCE, library

BORROW = ("library-borrow", {"book_id": "B-1", "due": "2026-03-09"})
LATER = DEFAULT_NOW + dt.timedelta(hours=3)


@pytest.fixture(scope="module")
def everything() -> tuple[InProcess, Reference]:
    names = environment_names()
    return backend(names), Reference(environments=digests(names), seed=2, size=40)


def test_tools_are_called_by_wire_name_with_an_object_or_its_text():
    session = library()
    assert session.environments == ("library",)
    assert session.call("library-get_book", {"book_id": "B-1"}) == session.call("library-get_book", '{"book_id":"B-1"}')
    assert session.call("library-get_book", {"book_id": "B-99"}).code == "not_found"


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("library-get_books", " Did you mean 'library-get_book'?"),
        ("get_book", " Did you mean 'library-get_book'?"),
        ("librarian-borrow", " Did you mean 'library-borrow'?"),
        ("library-", ""),
        ("", ""),
        ("library-snapshot", ""),
        ("library-__init__", ""),
        ("library-scenario", ""),
    ],
)
def test_an_unknown_tool_is_a_refusal_with_the_nearest_name(name: str, hint: str):
    result = library().call(name, {})
    assert result.value == {"error": {"code": "unknown_tool", "message": f"There is no tool {name!r}.{hint}"}}


def test_what_only_the_user_does_is_refused_to_the_agent_and_the_other_way_round():
    session = library()
    assert "sign" not in {tool.name for tool in session.tools()}
    assert [tool.name for tool in session.tools(by="user")] == ["sign"]
    before = session.digest()
    refused = session.call("library-sign", {})
    assert refused.code == "unknown_tool"
    assert "Did you mean 'library-sign'" not in refused.text
    assert session.call("library-get_book", {"book_id": "B-1"}, by="user").code == "unknown_tool"
    assert session.digest() == before
    assert session.call("library-sign", {}, by="user").ok
    assert session.digest() != before


def test_snapshots_bring_back_state_and_clock():
    session = library()
    start = session.snapshot()
    session.call(*BORROW)
    session.advance(LATER)
    borrowed, digest = session.snapshot(), session.digest()
    session.restore(start)
    assert (session.now, session.diff(), session.digest()) == (DEFAULT_NOW, {}, library().digest())
    session.restore(borrowed)
    assert (session.now, session.digest()) == (LATER, digest)


def test_a_snapshot_of_a_session_with_the_same_reference_will_do_and_another_will_not(
    everything: tuple[InProcess, Reference],
):
    one, other = Session(*everything), Session(*everything)
    name = "hotel_reservations-cancel_reservation"
    drawn = Drawer(one.specs["hotel_reservations"]).draw(
        "cancel_reservation", orjson.loads(one.dump_of("hotel_reservations")), random.Random(0)
    )
    assert one.call(name, drawn).ok
    other.restore(one.snapshot())
    assert other.dump() == one.dump()
    with pytest.raises(ValueError, match=r"the snapshot is of library, but the session has .*hotel_reservations"):
        other.restore(library().snapshot())
    assert other.dump() == one.dump()


def test_the_clock_moves_for_every_environment_and_never_back(everything: tuple[InProcess, Reference]):
    session = Session(*everything)
    session.advance(LATER)
    assert {orjson.loads(document)["now"] for document in session.dump().values()} == {LATER.isoformat()}
    assert set(session.diff()) == set(session.environments)
    with pytest.raises(
        ValueError, match="the clock stands at 2026-03-02T12:00:00, it does not go back to 2026-03-02T09"
    ):
        session.advance(DEFAULT_NOW)
    assert session.now == LATER


def test_a_clock_that_one_environment_cannot_follow_moves_none(everything: tuple[InProcess, Reference]):
    used, reference = everything
    names = list(reference.environments)
    ahead = Session(used, reference)
    ahead.advance(LATER)
    states = {names[-1]: ahead.dump_of(names[-1]).decode()}
    session = Session(used, reference.model_copy(update={"states": states}))
    before = session.digest()
    with pytest.raises(ValueError, match="the clock stands at 2026-03-02T12:00:00"):
        session.advance(DEFAULT_NOW + dt.timedelta(hours=1))
    assert (session.digest(), session.now) == (before, DEFAULT_NOW)


def test_the_digest_is_over_the_very_documents():
    session = library()
    session.call(*BORROW)
    (document,) = session.dump().values()
    assert document == session.dump_of("library")
    wanted = hashlib.sha256(b"library\0%d\0%s" % (len(document), document)).hexdigest()
    assert session.digest() == wanted != library().digest()


def test_reads_and_refusals_change_no_digest_and_a_detour_comes_back_to_it():
    session = library()
    before = session.digest()
    session.call("library-get_book", {"book_id": "B-1"})
    session.call("library-borrow", {"book_id": "B-1", "due": "2026-03-01"})
    session.call("library-borrow", {"book_id": "B-99", "due": "2026-03-09"})
    session.call("library-move", {"row": "x"})
    assert session.digest() == before


def test_the_difference_names_what_changed_and_leads_to_the_document():
    session = library()
    base = orjson.loads(session.dump_of("library"))
    assert session.diff() == {}
    session.call(*BORROW)
    (diff,) = session.diff().values()
    assert list(diff.tables) == ["loans"]
    assert list(diff.tables["loans"].created) == ["L-1001"]
    assert orjson.dumps(apply_diff(base, diff)) == session.dump_of("library")


def test_a_session_opens_from_full_states_where_they_are_given(everything: tuple[InProcess, Reference]):
    used, reference = everything
    first = Session(used, reference)
    first.advance(LATER)
    states = {name: document.decode() for name, document in first.dump().items()}
    again = Session(used, reference.model_copy(update={"states": states, "now": LATER}))
    assert again.dump() == first.dump()
    assert again.diff() == {}


def test_a_reference_is_the_same_after_a_round_trip_through_json():
    reference = Reference(environments={"library": "abc"}, seed=3, states={"library": "{}"})
    assert Reference.model_validate_json(reference.model_dump_json()) == reference
    assert reference.start("library").document == "{}"
    assert REFERENCE.start("library").document is None


def test_a_closed_session_is_of_no_more_use_and_closes_twice():
    with library() as session:
        mark = session.snapshot()
    session.close()
    uses: list[Callable[[], Any]] = [
        lambda: session.call(*BORROW),
        session.snapshot,
        lambda: session.restore(mark),
        session.dump,
        lambda: session.dump_of("library"),
        session.digest,
        session.diff,
        lambda: session.advance(LATER),
    ]
    for use in uses:
        with pytest.raises(EnvironmentFailure, match="this session was closed") as caught:
            use()
        assert caught.value.kind == "closed"


def test_a_session_that_cannot_open_says_which_environment_is_missing():
    with pytest.raises(KeyError, match="no environment 'hotels'; there are library"):
        Session(InProcess(LIBRARY), Reference(environments={"library": "", "hotels": ""}))


# -- many at once ----------------------------------------------------------------------------------------------------


def play(used: InProcess, reference: Reference, seed: int, steps: int = 25) -> tuple[str, ...]:
    """Drawn calls in a session of one's own: what they said, and the digest they led to."""
    rng = random.Random(seed)
    with Session(used, reference) as session:
        told: list[str] = []
        tools = list(session.tools())
        for _ in range(steps):
            declared = rng.choice(tools)
            state = orjson.loads(session.dump_of(declared.environment))
            try:
                arguments = Drawer(session.specs[declared.environment]).draw(declared.name, state, rng)
            except Undrawable:
                continue
            told.append(session.call(declared.wire_name, arguments).text)
        return (*told, session.digest())


def test_sessions_interleaved_in_sixteen_threads_are_each_as_if_alone(everything: tuple[InProcess, Reference]):
    used, reference = everything
    barrier = threading.Barrier(16)

    def together(seed: int) -> tuple[str, ...]:
        barrier.wait(timeout=60)
        return play(used, reference, seed)

    with ThreadPoolExecutor(16) as pool:
        results = list(pool.map(together, range(16), timeout=120))
    assert len({result[-1] for result in results}) > 8
    fresh = backend(environment_names())
    assert results == [play(fresh, reference, seed) for seed in range(16)]
    assert Session(used, reference).digest() == Session(fresh, reference).digest()


class Count(Output):
    number: int


class Counter(Environment):
    """Counts, and notices whether two calls are inside at once."""

    domain = "test"
    policy = "None."
    sources = ("none",)

    number: int = 0

    @tool(writes=True, ask=("count",), reply=("{number}.",))
    def count(self) -> Count:
        """Count one on, giving other threads every occasion to come in between."""
        global inside  # noqa: PLW0603
        inside += 1
        seen, before = inside, self.number
        GAP.wait(0.0001)
        inside -= 1
        self.number = before + 1
        return Count(number=before + 1 if seen == 1 else -1)

    @classmethod
    def scenario(cls, world: World, size: int) -> Counter:
        return cls(now=world.now)


GAP = threading.Event()
inside = 0


def test_one_session_takes_the_calls_of_many_threads_one_after_the_other():
    session = Session(InProcess({"counter": Counter}), Reference(environments={"counter": ""}))
    with ThreadPoolExecutor(16) as pool:
        results = list(pool.map(lambda _: session.call("counter-count", {}).value["number"], range(200), timeout=60))
    assert sorted(results) == list(range(1, 201))
