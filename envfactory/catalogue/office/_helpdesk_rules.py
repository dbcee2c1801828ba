"""Rules of the help desk that need nothing but the rows: the working hours, when tickets are due, what may be done."""

import datetime as dt
from collections.abc import Iterable

from envfactory.catalogue.office._helpdesk_records import (
    DeskCustomer,
    Plan,
    Priority,
    Queue,
    Reason,
    Status,
    SupportMessage,
    SupportTicket,
    TicketDetails,
)
from envfactory.environment import ToolError, is_workday, standing

OPENS, CLOSES = dt.time(9), dt.time(17)
PRIORITIES: tuple[Priority, ...] = ("low", "normal", "high", "urgent")
REPLY_MINUTES = {"urgent": 30, "high": 120, "normal": 240, "low": 480}
"""Working minutes until the first answer."""
SOLVE_MINUTES = {"urgent": 240, "high": 480, "normal": 1440, "low": 2400}
"""Working minutes until the solution."""
REASONS: dict[Queue, tuple[Reason, ...]] = {
    "accounts": ("a_hacked_account", "a_legal_question"),
    "billing": ("a_large_refund", "a_legal_question"),
    "deliveries": ("a_lost_shipment", "a_legal_question"),
    "technical": ("a_software_fault",),
}
"""What the second line of a queue looks at."""
MOST_TICKETS = 8
"""Open and pending tickets that one agent may hold."""
REOPEN_DAYS = 7


def hours_of(day: dt.date) -> tuple[dt.datetime, dt.datetime]:
    """When the desk opens and closes on a day; on Saturdays and Sundays it closes at once."""
    opens = dt.datetime.combine(day, OPENS)
    return opens, dt.datetime.combine(day, CLOSES) if is_workday(day) else opens


def worked(start: dt.datetime, end: dt.datetime) -> int:
    """Working minutes between two moments."""
    found = dt.timedelta()
    for n in range((end.date() - start.date()).days + 1):
        opens, closes = hours_of(start.date() + dt.timedelta(days=n))
        found += max(dt.timedelta(), min(end, closes) - max(start, opens))
    return int(found.total_seconds()) // 60


def after(start: dt.datetime, minutes: int) -> dt.datetime:
    """The moment that lies so many working minutes after another."""
    left, moment = dt.timedelta(minutes=minutes), start
    while True:
        opens, closes = hours_of(moment.date())
        moment = max(moment, opens)
        if moment + left <= closes:
            return moment + left
        left -= max(dt.timedelta(), closes - moment)
        moment = dt.datetime.combine(moment.date() + dt.timedelta(days=1), dt.time())


def target(minutes: dict[str, int], priority: Priority, plan: Plan) -> int:
    """Working minutes that a priority leaves; customers on the premium plan wait half as long."""
    return minutes[priority] // 2 if plan == "premium" else minutes[priority]


def allowed(plan: Plan) -> tuple[Priority, ...]:
    """Priorities that a plan allows: urgent is for premium."""
    return PRIORITIES if plan == "premium" else PRIORITIES[:3]


def timed(ticket: SupportTicket, plan: Plan) -> SupportTicket:
    """The ticket with the due times that follow from its priority; an answer that was given keeps its own."""
    opened, priority = ticket.opened_at, ticket.priority
    reply_due = after(opened, target(REPLY_MINUTES, priority, plan)) if ticket.replied_at is None else ticket.reply_due
    return ticket.evolve(
        reply_due=reply_due, solve_due=after(opened, target(SOLVE_MINUTES, priority, plan) + ticket.paused)
    )


def reprioritised(ticket: SupportTicket, priority: Priority, plan: Plan, now: dt.datetime) -> SupportTicket:
    """The ticket with another priority. What would be due in the past by it counts from now, but becomes no later."""
    changed, at = timed(ticket.evolve(priority=priority), plan), ticket.stopped_at or now
    reply, solve = (target(minutes, priority, plan) for minutes in (REPLY_MINUTES, SOLVE_MINUTES))
    return changed.evolve(
        reply_due=_due(changed.reply_due, ticket.reply_due, after(at, reply), at),
        solve_due=_due(changed.solve_due, ticket.solve_due, after(at, solve), at),
    )


def _due(due: dt.datetime, was: dt.datetime, anew: dt.datetime, at: dt.datetime) -> dt.datetime:
    """A due time that has changed: what was past stays as it was, and what was not does not become so."""
    if was < at:
        return was
    return min(was, anew) if due < at else due


def left(ticket: SupportTicket, status: str, now: dt.datetime) -> SupportTicket:
    """The ticket open, pending or solved. What is not open has its clock stopped, from when it was first stopped.

    Once it is open again it is due later by as long as its clock stood still.
    """
    if status != "open":
        solved_at = now if status == "solved" else None
        return ticket.evolve(status=status, stopped_at=ticket.stopped_at or now, solved_at=solved_at)
    stood = worked(ticket.stopped_at, now) if ticket.stopped_at else 0
    return ticket.evolve(
        status="open", stopped_at=None, solved_at=None, paused=ticket.paused + stood,
        solve_due=after(ticket.solve_due, stood),
    )  # fmt: skip


def overdue(ticket: SupportTicket, now: dt.datetime) -> bool:
    """Whether a ticket is past its due time, or was when its clock was stopped."""
    return (ticket.stopped_at or now) > ticket.solve_due


def by_me(ticket: SupportTicket, done: str, among: tuple[Status, ...] = ("open", "pending")) -> SupportTicket:
    """Refuse a ticket that the signed-in agent does not hold, or that is past the step at which something is done."""
    if ticket.held_by != "me":
        unsolved = ticket.status in ("open", "pending")
        if ticket.passed_on and unsolved:
            raise ToolError("permission_denied", "You passed that ticket on; take it back first.")
        if ticket.held_by == "nobody" and ticket.line == "first" and unsolved:
            raise ToolError("permission_denied", "Nobody holds that ticket yet; take it first.")
        holder = ticket.colleague_name or "the second line"
        raise ToolError("permission_denied", f"That ticket is with {holder}, not with you.")
    if ticket.status in ("pending", "solved") and ticket.status not in among:
        words = f"The ticket is {ticket.status}, so it cannot be {done} until it is reopened."
        raise ToolError("precondition_failed", words)
    return standing(ticket, among, done)


def is_copy(other: SupportTicket, ticket: SupportTicket) -> bool:
    """Whether another ticket can be merged into one: open, of its customer and queue, and held by no colleague."""
    same = (ticket.customer_id, ticket.queue, ticket.line, "open")
    free = other.id != ticket.id and other.held_by != "a_colleague"
    return free and (other.customer_id, other.queue, other.line, other.status) == same


def details(
    ticket: SupportTicket, customer: DeskCustomer, messages: Iterable[SupportMessage], now: dt.datetime
) -> TicketDetails:
    """A ticket with who asks and everything that was written."""
    return TicketDetails(
        ticket_id=ticket.id, subject=ticket.subject, customer_name=customer.name, customer_email=customer.email,
        plan=customer.plan, queue=ticket.queue, line=ticket.line, escalated_for=ticket.escalated_for,
        status=ticket.status, priority=ticket.priority, held_by=ticket.held_by, colleague_name=ticket.colleague_name,
        reply_due=ticket.reply_due, replied_at=ticket.replied_at, solve_due=ticket.solve_due,
        priorities=ticket.priorities, reasons=ticket.reasons, answered=ticket.answered, passed_on=ticket.passed_on,
        overdue=overdue(ticket, now), messages=tuple(thread(messages, ticket.id)),
    )  # fmt: skip


def load(tickets: Iterable[SupportTicket], colleague_id: str | None) -> int:
    """How many open and pending tickets a colleague holds; None is the signed-in agent."""
    unsolved = (ticket for ticket in tickets if ticket.status in ("open", "pending"))
    return sum(t.held_by == "me" if colleague_id is None else t.colleague_id == colleague_id for t in unsolved)


def check_room(name: str, held: int) -> None:
    """Refuse one more ticket to somebody who holds as many as one may."""
    if held >= MOST_TICKETS:
        raise ToolError("limit_exceeded", f"{name} {held} tickets that are not solved, {MOST_TICKETS} at most.")


def thread(messages: Iterable[SupportMessage], *ticket_ids: str) -> list[SupportMessage]:
    """What was written on tickets, the first message first."""
    return sorted((m for m in messages if m.ticket_id in ticket_ids), key=lambda m: (m.sent_at, m.id))


def joined(main: SupportTicket, copy: SupportTicket, last: SupportMessage) -> SupportTicket:
    """A ticket that has taken in a copy of it: as old, as pressing and as answered as both together."""
    older = min(main, copy, key=lambda ticket: ticket.opened_at)
    return main.evolve(
        opened_at=older.opened_at, paused=older.paused, answered=last.author == "desk",
        reply_due=min(main.reply_due, copy.reply_due), solve_due=min(main.solve_due, copy.solve_due),
        replied_at=min(filter(None, (main.replied_at, copy.replied_at)), default=None),
        priority=max(main.priority, copy.priority, key=PRIORITIES.index),
    )  # fmt: skip
