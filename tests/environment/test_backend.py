"""In process: reads cannot write, writes are whole or not at all, and scenarios are shared until somebody writes."""

from __future__ import annotations

import datetime as dt
import sys
import time
from typing import Any

import pytest

from envfactory.environment import (
    DEFAULT_NOW,
    Environment,
    EnvironmentFailure,
    InProcess,
    Output,
    ReadOnlyError,
    Record,
    Start,
    Table,
    ToolError,
    World,
    build_scenario,
    dump_state,
    tool,
)
from envfactory.environment.backend import LocalInstance
from tests.environment.library import LIBRARY, Library


class Row(Record, noun="row"):
    id: str


class Told(Output):
    number: int


class OtherTold(Output):
    number: int


SAY: dict[str, Any] = {"ask": ("go on",), "reply": ("{number}.",)}


class Rogue(Environment):
    """Breaks the rules, a tool each."""

    domain = "test"
    policy = "None."
    sources = ("none",)

    rows: Table[Row]
    level: int = 0

    @tool(**SAY)
    def read_inserts(self) -> Told:
        """Insert in a read."""
        self.rows.insert(Row(id="R-9"))
        return Told(number=1)

    @tool(**SAY)
    def read_deletes(self) -> Told:
        """Delete in a read."""
        self.rows.delete("R-1")
        return Told(number=1)

    @tool(**SAY)
    def read_sets(self) -> Told:
        """Set a field in a read."""
        self.level = 1
        return Told(number=1)

    @tool(**SAY)
    def read_counts(self) -> Told:
        """Take an id in a read."""
        return Told(number=len(self.new_id("R")))

    @tool(writes=True, **SAY)
    def write(self) -> Told:
        """Write in every way."""
        self.rows.insert(Row(id=self.new_id("R")))
        self.rows.delete("R-1")
        self.level += 1
        return Told(number=self.level)

    @tool(writes=True, **SAY)
    def refuse_late(self) -> Told:
        """Write, then refuse."""
        self.write()
        raise ToolError("conflict", "After all, no.")

    @tool(writes=True, **SAY)
    def stumble_late(self) -> Told:
        """Write, then fail."""
        self.write()
        raise ZeroDivisionError("no reason")

    @tool(writes=True, **SAY)
    def exit_late(self) -> Told:
        """Write, then try to end the process."""
        self.write()
        sys.exit(3)

    @tool(writes=True, **SAY)
    def answer_wrongly(self) -> Told:
        """Write, then return another type."""
        self.write()
        return OtherTold(number=1)  # pyright: ignore[reportReturnType]

    @tool(writes=True, **SAY)
    def dawdle(self) -> Told:
        """Write, and take a while."""
        until = time.perf_counter() + 0.002
        while time.perf_counter() < until:
            pass
        return self.write()

    @classmethod
    def scenario(cls, world: World, size: int) -> Rogue:
        rows: Any = {f"R-{n}": Row(id=f"R-{n}") for n in range(1, size + 1)}
        return cls(now=world.now, rows=rows)


START = Start(seed=1, size=5, now=DEFAULT_NOW)


def rogue(call_seconds: float = 5.0) -> LocalInstance:
    return InProcess({"rogue": Rogue}, call_seconds).open("rogue", START)


@pytest.mark.parametrize("name", ["read_inserts", "read_deletes", "read_sets", "read_counts"])
def test_a_read_that_writes_fails_at_the_spot(name: str):
    instance = rogue()
    before = instance.dump()
    with pytest.raises(EnvironmentFailure, match=f"Rogue.{name}: ReadOnlyError: .* not marked writes=True") as caught:
        instance.call(name, {})
    assert caught.value.kind == "bug"
    assert isinstance(caught.value.__cause__, ReadOnlyError)
    assert instance.dump() == before
    assert instance.call("write", {}).ok


def test_a_write_is_whole():
    instance = rogue()
    assert instance.call("write", {}).text == '{"number":1}'
    assert list(instance.state.__dict__["rows"]) == ["R-2", "R-3", "R-4", "R-5", "R-1001"]
    assert instance.call("write", {}).code == "not_found"


@pytest.mark.parametrize("name", ["refuse_late", "stumble_late", "exit_late", "answer_wrongly"])
def test_a_write_that_fails_leaves_the_state_byte_for_byte(name: str):
    instance = rogue()
    before, state = instance.dump(), instance.state
    if name == "refuse_late":
        assert instance.call(name, {}).text == '{"error":{"code":"conflict","message":"After all, no."}}'
    else:
        with pytest.raises(EnvironmentFailure) as caught:
            instance.call(name, {})
        assert caught.value.kind == "bug"
    assert instance.state is state
    assert instance.dump() == before
    assert not instance.diff()


def test_a_result_of_another_type_is_a_bug_that_says_so():
    with pytest.raises(EnvironmentFailure, match="TypeError: answer_wrongly returned OtherTold, not Told"):
        rogue().call("answer_wrongly", {})


def test_an_overrun_is_noticed_afterwards_and_changes_nothing():
    instance = rogue(call_seconds=0.001)
    before = instance.dump()
    with pytest.raises(EnvironmentFailure, match=r"Rogue\.dawdle took over 0\.001 s") as caught:
        instance.call("dawdle", {})
    assert caught.value.kind == "timeout"
    assert instance.dump() == before


def test_an_unknown_tool_is_refused_with_the_nearest_name():
    assert "Did you mean 'write'?" in rogue().call("writes", {}).text
    result = rogue().call("xyz", {})
    assert (result.code, "Did you mean" in result.text) == ("unknown_tool", False)


def test_instances_of_one_scenario_share_it_and_nothing_else():
    backend = InProcess({"rogue": Rogue})
    one, other = backend.open("rogue", START), backend.open("rogue", START)
    assert one.state is other.state
    one.call("write", {})
    assert other.dump() == backend.open("rogue", START).dump() != one.dump()


def test_a_scenario_or_a_document_is_what_an_instance_opens_with():
    backend = InProcess(LIBRARY)
    instance = backend.open("library", START)
    assert instance.dump() == dump_state(build_scenario(Library, 1, 5, DEFAULT_NOW))
    instance.call("borrow", {"book_id": "B-1", "due": "2026-03-09"})
    again = backend.open("library", Start(now=DEFAULT_NOW, document=instance.dump().decode()))
    assert again.dump() == instance.dump()
    assert not again.diff()


def test_an_unknown_environment_is_named_with_those_there_are():
    with pytest.raises(KeyError, match="no environment 'hotel'; there are library, rogue"):
        InProcess({"rogue": Rogue, **LIBRARY}).open("hotel", START)


def test_the_clock_goes_forward_only():
    instance = rogue()
    later = DEFAULT_NOW + dt.timedelta(days=1)
    instance.advance(later)
    instance.advance(later)
    assert instance.state.now == later
    with pytest.raises(ValueError, match="the clock stands at 2026-03-03T09:00:00, it does not go back"):
        instance.advance(DEFAULT_NOW)


def test_a_snapshot_brings_back_the_very_state():
    instance = rogue()
    mark = instance.snapshot()
    instance.call("write", {})
    instance.restore(mark)
    assert instance.snapshot() is mark
    assert not instance.diff()
    with pytest.raises(TypeError, match="not a snapshot of Rogue"):
        instance.restore(InProcess(LIBRARY).open("library", START).snapshot())


def test_a_closed_instance_is_of_no_more_use():
    instance = rogue()
    mark = instance.snapshot()
    instance.close()
    instance.close()
    for use in (
        lambda: instance.call("write", {}),
        instance.dump,
        instance.diff,
        instance.snapshot,
        lambda: instance.restore(mark),
        lambda: instance.advance(DEFAULT_NOW),
    ):
        with pytest.raises(EnvironmentFailure) as caught:
            use()
        assert caught.value.kind == "closed"
