"""How fast environments run. One process; `make bench`.

`reference` is a loop of plain Python on the same machine in the same minute: where other work takes the machine's time,
compare the ratios to it.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import orjson
import pytest

from envfactory.catalogue import backend, digests
from envfactory.environment import DEFAULT_NOW, Reference, Session, Start, build_scenario
from envfactory.environment.draw import Drawer, Undrawable

NAME = "hotel_reservations"
REFERENCE = Reference(environments=digests([NAME]), seed=1, size=60)
BACKEND = backend([NAME])
SPEC = BACKEND.specs[NAME]
Call = tuple[str, dict[str, Any]]
Benchmark = Callable[..., Any]


def drawn(session: Session, tool: str, count: int = 1, **given: Any) -> list[Call]:
    """Calls of a tool that succeed in the session's present state."""
    state = orjson.loads(session.dump_of(NAME))
    rng = random.Random(tool)
    mark = session.snapshot()
    found: list[Call] = []
    while len(found) < count:
        call = f"{NAME}-{tool}", Drawer(SPEC).draw(tool, state, rng, given, include=0.0)
        if session.call(*call).ok:
            found.append(call)
        session.restore(mark)
    return found


@pytest.fixture
def session() -> Session:
    return Session(BACKEND, REFERENCE)


def test_reference(benchmark: Benchmark) -> None:
    """100,000 additions."""

    def loop() -> int:
        total = 0
        for number in range(100_000):
            total += number
        return total

    benchmark(loop)


def test_isolated_episode(benchmark: Benchmark, session: Session) -> None:
    """Open, five calls of which two write, save what changed, close."""
    (booking,) = drawn(session, "book_room")
    stay = {key: booking[1][key] for key in ("hotel_id", "check_in", "check_out")}
    calls = [
        *drawn(session, "get_hotel"),
        *drawn(session, "check_availability", **stay),
        booking,
        *drawn(session, "get_reservation"),
        *drawn(session, "cancel_reservation"),
    ]

    def episode() -> list[str]:
        with Session(BACKEND, REFERENCE) as own:
            assert all(own.call(*call).ok for call in calls)
            return [diff.model_dump_json() for diff in own.diff().values()]

    (saved,) = benchmark(episode)
    assert orjson.loads(saved)["tables"]["reservations"]["created"].keys() == {"RES-1001"}


def test_a_hundred_mixed_calls(benchmark: Benchmark, session: Session) -> None:
    """A hundred validated, atomic calls, 80 of them reads, in a warm session."""
    reads = [*drawn(session, "get_hotel", 4), *drawn(session, "get_reservation", 4)]
    writes = drawn(session, "cancel_reservation", 2)
    writes[1] = next(call for call in drawn(session, "cancel_reservation", 12) if call != writes[0])
    mark = session.snapshot()

    def mixed() -> None:
        for _ in range(10):
            session.restore(mark)
            for number, write in enumerate(writes):
                for call in reads[4 * number : 4 * number + 4]:
                    session.call(*call)
                assert session.call(*write).ok

    benchmark(mixed)


def test_a_hundred_draws(benchmark: Benchmark, session: Session) -> None:
    """Arguments for a hundred calls, every tool in turn."""
    state = orjson.loads(session.dump_of(NAME))
    drawer = Drawer(SPEC)

    def draw() -> int:
        rng = random.Random(0)
        found = 0
        for number in range(100):
            try:
                drawer.draw(SPEC.tools[number % len(SPEC.tools)].name, state, rng)
                found += 1
            except Undrawable:
                continue
        return found

    assert benchmark(draw) > 90


def test_scenario(benchmark: Benchmark) -> None:
    """A world of size 60."""
    environment = type(BACKEND.open(NAME, Start(now=DEFAULT_NOW)).state)
    benchmark(build_scenario, environment, 1, 60, DEFAULT_NOW)


def test_snapshot_and_restore(benchmark: Benchmark, session: Session) -> None:
    """A mark, and back to it."""
    benchmark(lambda: session.restore(session.snapshot()))


def test_dump_and_digest(benchmark: Benchmark, session: Session) -> None:
    """The whole state as JSON, and its SHA-256."""
    benchmark(session.digest)
