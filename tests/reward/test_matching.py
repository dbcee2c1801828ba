"""Executed calls are matched with gold's by what they do, whatever it is called and however it is written."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envfactory.environment import Environment, FreeText, InProcess, Output, Record, Ref, Table, World, tool
from envfactory.environment.records import Argument
from envfactory.gold import Call
from envfactory.reward.matching import _maximum_matching, is_malformed

TicketId = Annotated[str, Ref("Ticket")]
_WORDS: dict[str, Any] = {"ask": ("do it",), "reply": ("Done.",)}


class Line(Argument):
    part: str
    """What is wanted."""
    quantity: int = 1
    """How many."""
    remark: Annotated[str | None, FreeText()] = None
    """What to watch out for."""


class Ticket(Record, noun="ticket", label="{id}"):
    id: TicketId
    """Identifier."""
    title: str
    """What it is about."""
    weight: float
    """How much it counts."""
    urgent: bool
    """Whether it cannot wait."""
    due: dt.datetime | None = None
    """When it must be done."""
    parts: tuple[str, ...] = ()
    """What it takes."""
    blocks: TicketId | None = None
    """The ticket that waits for it."""


class Closed(Output):
    ticket_id: TicketId
    """The ticket that is gone."""


class Tickets(Output):
    tickets: tuple[Ticket, ...]
    """All of them."""


class Desk(Environment):
    """Open tickets, close them and forget them."""

    domain = "test"
    policy = "None."
    sources = ("none",)

    tickets: Table[Ticket]

    @tool(writes=True, **_WORDS)
    def open_ticket(
        self,
        title: str,
        weight: float = 1.0,
        urgent: bool = False,
        size: int = 1,
        due: dt.datetime | None = None,
        lines: tuple[Line, ...] = (),
        blocks: TicketId | None = None,
        note: Annotated[str | None, FreeText()] = None,
        kind: Literal["a", "b"] = "a",
    ) -> Ticket:
        """Open a ticket.

        Args:
            title: What it is about.
            weight: How much it counts.
            urgent: Whether it cannot wait.
            size: How large it is.
            due: When it must be done.
            lines: What it takes.
            blocks: The ticket that waits for it.
            note: What else there is to say.
            kind: Sort of ticket.
        """
        parts = tuple(f"{line.quantity} {line.part}" for line in lines)
        ticket = Ticket(
            id=self.new_id("T"), title=f"{title} {kind} {size}", weight=weight, urgent=urgent, due=due, parts=parts,
            blocks=blocks,
        )  # fmt: skip
        return self.tickets.insert(ticket)

    @tool(writes=True, **_WORDS)
    def close_ticket(self, ticket_id: TicketId) -> Closed:
        """Close a ticket for good.

        Args:
            ticket_id: The ticket.
        """
        return Closed(ticket_id=self.tickets.delete(ticket_id).id)

    @tool(writes=True, **_WORDS)
    def weigh_ticket(self, ticket_id: TicketId, weight: float) -> Ticket:
        """Weigh a ticket anew.

        Args:
            ticket_id: The ticket.
            weight: How much it counts.
        """
        return self.tickets.replace(self.tickets.require(ticket_id).evolve(weight=weight))

    @tool(writes=True, **_WORDS)
    def copy_ticket(self, ticket_id: TicketId) -> Closed:
        """Open a ticket like another one, which is all that is told.

        Args:
            ticket_id: The other one.
        """
        self.tickets.insert(self.tickets.require(ticket_id).evolve(id=self.new_id("T"), weight=8.0))
        return Closed(ticket_id=ticket_id)

    @tool(**_WORDS)
    def list_tickets(self) -> Tickets:
        """List all tickets."""
        return Tickets(tickets=tuple(self.tickets.values()))

    @tool(**_WORDS)
    def get_ticket(self, ticket_id: TicketId) -> Ticket:
        """Look at a ticket.

        Args:
            ticket_id: The ticket.
        """
        return self.tickets.require(ticket_id)

    @classmethod
    def scenario(cls, world: World, size: int) -> Desk:
        """A desk with two tickets."""
        rows: Any = {f"T-{n}": Ticket(id=f"T-{n}", title="old", weight=1.0, urgent=False) for n in (1, 2)}
        return cls(now=world.now, tickets=rows)


BACKEND = InProcess({"desk": Desk})


@pytest.fixture
def desk(make_task: Any) -> Callable[..., Any]:
    return lambda *calls: make_task(BACKEND, ["desk"], calls)


@pytest.mark.parametrize(
    ("gold", "other"),
    [
        ({"weight": 2.0}, {"weight": 2}),
        ({}, {"weight": 1.0}),
        ({}, {"weight": 1, "urgent": False, "size": 1, "kind": "a", "lines": []}),
        ({"urgent": False}, {}),
        ({"note": "red"}, {"note": "something else"}),
        ({}, {"note": ""}),
        ({"due": "2026-03-04T10:00:00"}, {"due": "2026-03-04T10:00:00.000"}),
        ({"lines": [{"part": "x"}]}, {"lines": [{"part": "x", "quantity": 1}]}),
        ({"lines": [{"part": "x", "remark": "a"}]}, {"lines": [{"part": "x", "remark": "b"}]}),
        ({"blocks": "T-1"}, {"blocks": "T-1"}),
    ],
)
def test_arguments_that_mean_the_same_match(desk: Callable[..., Any], gold: dict[str, Any], other: dict[str, Any]):
    for one, two in ((gold, other), (other, gold)):
        found = desk(("open_ticket", {"title": "t", **one})).score(("open_ticket", {"title": "t", **two}))
        assert found.refused == 0
        assert found.matched == 1


@pytest.mark.parametrize(
    ("gold", "other"),
    [
        ({"weight": 2.0}, {"weight": 2.5}),
        ({"weight": 2.0}, {}),
        ({"urgent": True}, {}),
        ({"kind": "b"}, {}),
        ({"note": "red"}, {}),
        ({"due": "2026-03-04T10:00:00"}, {"due": "2026-03-04T10:01:00"}),
        ({"lines": [{"part": "x"}]}, {"lines": [{"part": "x", "quantity": 2}]}),
        ({"lines": [{"part": "x"}]}, {"lines": [{"part": "x"}, {"part": "x"}]}),
        ({"lines": [{"part": "x"}, {"part": "y"}]}, {"lines": [{"part": "y"}, {"part": "x"}]}),
        ({"blocks": "T-1"}, {"blocks": "T-2"}),
        ({"title": "T"}, {}),
    ],
)
def test_arguments_that_mean_something_else_do_not_match(
    desk: Callable[..., Any], gold: dict[str, Any], other: dict[str, Any]
):
    for one, two in ((gold, other), (other, gold)):
        found = desk(("open_ticket", {"title": "t", **one})).score(("open_ticket", {"title": "t", **two}))
        assert found.refused == 0
        assert found.matched == 0


def test_true_is_not_one(desk: Callable[..., Any]):
    task = desk(("open_ticket", {"title": "t", "size": 1}))
    calls, diff = task.play(("open_ticket", {"title": "t"}))
    forged = calls[0].model_copy(update={"arguments": {"title": "t", "size": True}})
    assert task.judge((calls, diff)).matched == 1
    assert task.judge(([forged], diff)).matched == 0


@pytest.mark.parametrize("mask", ["lines", "lines[]", "lines[].quantity", "lines[1].quantity"])
def test_masks_may_be_concrete_general_or_whole(desk: Callable[..., Any], mask: str):
    lines = [{"part": "x", "quantity": 2}, {"part": "y", "quantity": 2}]
    task = desk(("open_ticket", {"title": "t", "lines": lines}, [mask]))
    other = [{"part": "x", "quantity": 2}, {"part": "y", "quantity": 7}]
    assert task.score(("open_ticket", {"title": "t", "lines": other})).matched == 1
    assert task.score(("open_ticket", {"title": "u", "lines": other})).matched == 0


def test_a_mask_covers_no_more_than_it_names(desk: Callable[..., Any]):
    lines = [{"part": "x", "quantity": 2}, {"part": "y", "quantity": 2}]
    task = desk(("open_ticket", {"title": "t", "lines": lines}, ["lines[1].quantity", "line", "lines[1].part"]))
    other = [{"part": "x", "quantity": 7}, {"part": "y", "quantity": 2}]
    assert task.score(("open_ticket", {"title": "t", "lines": other})).matched == 0
    assert task.score(("open_ticket", {"title": "t", "lines": [lines[0], {"part": "z"}]})).matched == 1


NEW = ("open_ticket", {"title": "t"})
OTHER = ("open_ticket", {"title": "u"})


def test_ids_are_matched_by_what_they_name(desk: Callable[..., Any]):
    task = desk(NEW, ("get_ticket", {"ticket_id": "$0.id"}))
    assert task.score(NEW, ("get_ticket", {"ticket_id": "$0.id"})).matched == 2
    assert task.score(OTHER, NEW, ("get_ticket", {"ticket_id": "$1.id"})).matched == 2
    assert task.score(OTHER, NEW, ("get_ticket", {"ticket_id": "$0.id"})).matched == 1
    assert task.score(NEW, ("get_ticket", {"ticket_id": "T-1"})).matched == 1


def test_the_same_letters_do_not_name_the_same_thing(desk: Callable[..., Any]):
    task = desk(NEW, ("get_ticket", {"ticket_id": "$0.id"}))
    calls, diff = task.play(OTHER, ("get_ticket", {"ticket_id": "$0.id"}))
    assert calls[1].arguments == task.gold_calls[1].arguments
    assert task.judge((calls, diff)).matched == 0


def test_what_was_made_and_is_gone_is_known_by_the_call_that_made_it(desk: Callable[..., Any]):
    task = desk(NEW, ("close_ticket", {"ticket_id": "$0.id"}))
    assert task.score(NEW, ("close_ticket", {"ticket_id": "$0.id"})).reward == 1
    assert task.score(OTHER, NEW, ("close_ticket", {"ticket_id": "$1.id"})).matched == 2
    assert task.score(OTHER, NEW, ("close_ticket", {"ticket_id": "$0.id"})).matched == 1
    assert task.score(OTHER, ("close_ticket", {"ticket_id": "$0.id"})).matched == 0


def test_what_ended_up_different_is_known_by_the_call_that_made_it(desk: Callable[..., Any]):
    task = desk(NEW, ("weigh_ticket", {"ticket_id": "$0.id", "weight": 3}), ("get_ticket", {"ticket_id": "$0.id"}))
    wrong = ("weigh_ticket", {"ticket_id": "$1.id", "weight": 4})
    found = task.score(OTHER, NEW, wrong, ("get_ticket", {"ticket_id": "$1.id"}))
    assert (found.matched, found.states) == (2, {"desk": False})


def test_alike_things_that_remain_are_told_apart_by_what_was_done_with_them(desk: Callable[..., Any]):
    task = desk(NEW, NEW, ("get_ticket", {"ticket_id": "$0.id"}))
    for one in ("$0.id", "$1.id"):
        assert task.score(NEW, NEW, ("get_ticket", {"ticket_id": one})).reward == 1


def test_what_came_about_another_way_is_known_by_how_it_ended_up(desk: Callable[..., Any]):
    task = desk(("open_ticket", {"title": "t", "weight": 3}), ("get_ticket", {"ticket_id": "$0.id"}))
    detour = (OTHER, NEW, ("weigh_ticket", {"ticket_id": "$1.id", "weight": 3}))
    assert task.score(*detour, ("get_ticket", {"ticket_id": "$1.id"})).matched == 1
    assert task.score(*detour, ("get_ticket", {"ticket_id": "$0.id"})).matched == 0


def test_a_place_in_a_list_says_nothing_of_who_made_what(desk: Callable[..., Any]):
    look = ("get_ticket", {"ticket_id": "$1.tickets[2].id"})
    task = desk(("copy_ticket", {"ticket_id": "T-1"}), ("list_tickets", {}), look)
    found = task.score(
        NEW, ("copy_ticket", {"ticket_id": "T-1"}), ("list_tickets", {}), ("get_ticket", {"ticket_id": "T-1002"})
    )
    assert found.matched == 3


def test_chains_of_what_is_gone_are_followed(desk: Callable[..., Any]):
    gold = (
        NEW,
        ("open_ticket", {"title": "v", "blocks": "$0.id"}),
        ("close_ticket", {"ticket_id": "$1.id"}),
        ("close_ticket", {"ticket_id": "$0.id"}),
    )
    task = desk(*gold)
    assert task.score(*gold).matched == 4
    moved = (
        OTHER,
        NEW,
        ("open_ticket", {"title": "v", "blocks": "$1.id"}),
        ("close_ticket", {"ticket_id": "$2.id"}),
        ("close_ticket", {"ticket_id": "$1.id"}),
    )
    assert task.score(*moved).matched == 4
    crossed = (OTHER, NEW, ("open_ticket", {"title": "v", "blocks": "$0.id"}), ("close_ticket", {"ticket_id": "$2.id"}))
    assert task.score(*crossed).matched == 1


def test_alike_things_that_are_gone_are_told_apart_by_what_was_done_with_them(desk: Callable[..., Any]):
    def weighed(first: int, second: int) -> tuple[Any, ...]:
        return (
            NEW,
            NEW,
            ("weigh_ticket", {"ticket_id": f"${first}.id", "weight": 2}),
            ("weigh_ticket", {"ticket_id": f"${second}.id", "weight": 3}),
            ("close_ticket", {"ticket_id": f"${first}.id"}),
            ("close_ticket", {"ticket_id": f"${second}.id"}),
        )

    task = desk(*weighed(0, 1))
    assert task.score(*weighed(1, 0)).matched == 6
    assert task.score(*weighed(0, 1)).matched == 6
    both = (*weighed(0, 1)[:3], ("weigh_ticket", {"ticket_id": "$0.id", "weight": 3}))
    assert task.score(*both).matched == 3


def test_many_alike_things_that_are_gone_are_matched_but_for_the_wrong_one(desk: Callable[..., Any]):
    gold = [NEW] * 20 + [("close_ticket", {"ticket_id": f"${number}.id"}) for number in range(20)]
    task = desk(*gold)
    assert task.score(*gold).matched == 40
    assert task.score(*gold[:-1], ("close_ticket", {"ticket_id": "T-1"})).matched == 39
    assert task.score(*gold[:20]).matched == 20


def test_a_call_with_more_than_its_arguments_matches_only_what_gold_gave(desk: Callable[..., Any]):
    task = desk(("get_ticket", {"ticket_id": "T-1"}))
    calls, diff = task.play(("get_ticket", {"ticket_id": "T-1"}))
    forged = calls[0].model_copy(update={"arguments": {"ticket_id": "T-1", "more": 1}})
    assert task.judge(([forged], diff)).matched == 0


def test_an_executed_call_of_a_tool_outside_the_session_matches_nothing(desk: Callable[..., Any]):
    task = desk(("get_ticket", {"ticket_id": "T-1"}))
    calls, diff = task.play(("get_ticket", {"ticket_id": "T-1"}))
    outside = Call(tool="think", arguments={"ticket_id": "T-1"}, result="{}", ok=True)
    assert task.judge(([outside, *calls], diff)).reward == 0.95


def test_a_call_that_was_executed_is_not_malformed():
    assert is_malformed(Call(tool="t", arguments="[", result="{}", ok=False))
    assert not is_malformed(Call(tool="t", arguments="{}", result="{}", ok=False))
    assert not is_malformed(Call(tool="t", arguments="[", result="{}", ok=True))


@settings(deadline=None)
@given(st.lists(st.lists(st.integers(0, 5), unique=True, max_size=4), max_size=6))
def test_a_matching_is_one_to_one_along_edges_and_as_large_as_can_be(edges: list[list[int]]):
    found = _maximum_matching(edges)
    assert all(option in edges[index] for index, option in found.items())
    assert len(set(found.values())) == len(found)

    def largest(index: int, taken: frozenset[int]) -> int:
        if index == len(edges):
            return 0
        options = [1 + largest(index + 1, taken | {o}) for o in edges[index] if o not in taken]
        return max([largest(index + 1, taken), *options])

    assert len(found) == largest(0, frozenset())
