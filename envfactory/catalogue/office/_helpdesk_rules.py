"""Rules of the help desk that need nothing but the rows: the working hours, when tickets are due, what may be done."""

import datetime as dt
from collections.abc import Iterable

from envfactory.catalogue.office._helpdesk_records import (
    ColleagueLoad,
    DeskColleague,
    DeskCustomer,
    HeldBy,
    Plan,
    Priority,
    Queue,
    QueueReport,
    Reason,
    Sort,
    Status,
    SupportMacro,
    SupportMessage,
    SupportTicket,
    TicketDetails,
)
from envfactory.environment import ToolError, is_workday, standing

OPENS, CLOSES = dt.time(9), dt.time(17)
PRIORITIES: tuple[Priority, ...] = ("low", "normal", "high", "urgent")
UNSOLVED: tuple[Status, ...] = ("open", "pending")
"""Where a ticket stands that still has to be solved."""
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


def by_me(ticket: SupportTicket, done: str, among: tuple[Status, ...]) -> SupportTicket:
    """Refuse a ticket that the signed-in agent does not hold, or that is past the step at which something is done."""
    if ticket.held_by != "me":
        unsolved = ticket.status in UNSOLVED
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


def sought(tickets: Iterable[SupportTicket], status: Status | None, customer: str | None) -> list[SupportTicket]:
    """Tickets with a status or of a customer; those that are not solved yet if neither is given."""
    wanted = UNSOLVED if status is None else (status,)
    found = [ticket for ticket in tickets if ticket.status in wanted or (customer and not status)]
    return [t for t in found if customer is None or t.customer_name.casefold() == customer.casefold()]


def ordered(tickets: Iterable[SupportTicket], sort: Sort) -> list[SupportTicket]:
    """Tickets in one of the orders of a search."""
    found = sorted(tickets, key=lambda ticket: (ticket.opened_at if sort == "age" else ticket.solve_due, ticket.id))
    if sort == "priority":
        found.sort(key=lambda ticket: -PRIORITIES.index(ticket.priority))
    return found


def check_takeable(ticket: SupportTicket, holder: DeskColleague | None) -> None:
    """Refuse to take a ticket that the signed-in agent holds, or one out of others' hands that was not passed on."""
    if ticket.held_by == "me":
        raise ToolError("conflict", f"You hold the {ticket.subject} ticket already.")
    if ticket.passed_on:
        return
    if ticket.line == "second":
        raise ToolError("permission_denied", "Only specialists take tickets of the second line.")
    if holder and holder.presence == "in":
        raise ToolError("permission_denied", f"{ticket.colleague_name} holds that ticket and is not away.")


def check_hand_over(ticket: SupportTicket, colleague: DeskColleague) -> None:
    """Refuse to hand a ticket over to somebody who works on others, or is away."""
    if (colleague.queue, colleague.line) != (ticket.queue, ticket.line):
        raise ToolError(
            "invalid_argument",
            f"{colleague.name} works on the {colleague.line} line of {colleague.queue}, not on {ticket.queue}.",
        )
    if colleague.presence == "away":
        raise ToolError("precondition_failed", f"{colleague.name} is away.")


def held(ticket: SupportTicket, held_by: HeldBy, colleague: DeskColleague | None = None) -> SupportTicket:
    """The ticket in other hands; who passes it on can take it back."""
    return ticket.evolve(
        held_by=held_by, passed_on=held_by != "me",
        colleague_id=colleague and colleague.id, colleague_name=colleague and colleague.name,
    )  # fmt: skip


def check_macro(macro: SupportMacro, ticket: SupportTicket, messages: Iterable[SupportMessage]) -> None:
    """Refuse a macro that is for other tickets, no longer in use, or among what was sent on the ticket."""
    if macro.queue != ticket.queue:
        raise ToolError("invalid_argument", f"The {macro.name} macro is for {macro.queue}, not {ticket.queue}.")
    if not macro.active:
        raise ToolError("precondition_failed", f"The {macro.name} macro is no longer in use.")
    if any(message.macro_id == macro.id for message in thread(messages, ticket.id)):
        raise ToolError("conflict", f"The {macro.name} macro was sent on that ticket already; write an answer.")


def message(
    key: str, ticket: SupportTicket, name: str, text: str, now: dt.datetime, macro_id: str | None
) -> SupportMessage:
    """What an agent of this name tells the customer on a ticket."""
    return SupportMessage(
        id=key, ticket_id=ticket.id, author="desk", text=text, sent_at=now, name=name, macro_id=macro_id
    )


def answered(ticket: SupportTicket, leaves: str, now: dt.datetime) -> SupportTicket:
    """The ticket once the desk has answered, which leaves it open, pending or solved."""
    return left(ticket.evolve(answered=True, replied_at=ticket.replied_at or now), leaves, now)


def solved(ticket: SupportTicket, now: dt.datetime) -> SupportTicket:
    """The ticket solved; refuse one on which the customer had the last word."""
    if not ticket.answered:
        raise ToolError("precondition_failed", f"{ticket.customer_name} waits for an answer; write one first.")
    return left(ticket, "solved", now)


def check_reopenable(ticket: SupportTicket, held: int, now: dt.datetime) -> None:
    """Refuse to reopen a ticket that was solved too long ago, or for which an agent with so many has no room."""
    if ticket.solved_at:
        if now - ticket.solved_at > dt.timedelta(days=REOPEN_DAYS):
            raise ToolError("precondition_failed", f"It was solved over {REOPEN_DAYS} days ago, so it stays so.")
        check_room("You have", held)


def check_priority(ticket: SupportTicket, priority: Priority, now: dt.datetime) -> None:
    """Refuse a priority that a ticket has, that the plan does not allow, or that would excuse its being overdue."""
    if priority == ticket.priority:
        raise ToolError("conflict", f"The {ticket.subject} ticket has {priority} priority already.")
    if priority not in ticket.priorities:
        raise ToolError("precondition_failed", f"{ticket.customer_name} is on the standard plan: high at most.")
    lower = PRIORITIES.index(priority) < PRIORITIES.index(ticket.priority)
    if lower and overdue(ticket, now):
        raise ToolError("precondition_failed", f"It was due {ticket.solve_due}, so it gets no lower priority.")


def check_escalation(ticket: SupportTicket, reason: Reason) -> None:
    """Refuse a reason that the second line of the queue does not look at, and what has had no answer yet."""
    if reason not in ticket.reasons:
        known = " or ".join(ticket.reasons).replace("_", " ")
        raise ToolError("invalid_argument", f"The second line of {ticket.queue} looks at {known}.")
    if ticket.replied_at is None and reason != "a_hacked_account":
        raise ToolError("precondition_failed", f"{ticket.customer_name} has had no answer yet; write one first.")


def check_merge(ticket: SupportTicket, copy: SupportTicket) -> None:
    """Refuse to merge into a ticket what is no copy of it."""
    if copy.id == ticket.id:
        raise ToolError("invalid_argument", "A ticket cannot be merged into itself.")
    if not is_copy(copy, ticket):
        raise ToolError(
            "precondition_failed",
            f"Only tickets of {ticket.customer_name} in {ticket.queue} that no colleague holds are merged into it.",
        )


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
    unsolved = (ticket for ticket in tickets if ticket.status in UNSOLVED)
    return sum(t.held_by == "me" if colleague_id is None else t.colleague_id == colleague_id for t in unsolved)


def loaded(colleague: DeskColleague, tickets: Iterable[SupportTicket]) -> ColleagueLoad:
    """A colleague with how much is on that desk."""
    return ColleagueLoad(
        id=colleague.id, name=colleague.name, queue=colleague.queue, presence=colleague.presence,
        open_tickets=load(tickets, colleague.id),
    )  # fmt: skip


def report(
    queue: Queue, tickets: Iterable[SupportTicket], colleagues: Iterable[DeskColleague], now: dt.datetime
) -> QueueReport:
    """How a queue of the first line stands, and which of its tickets come next."""
    inside = [ticket for ticket in tickets if (ticket.queue, ticket.line) == (queue, "first")]
    unsolved = [ticket for ticket in inside if ticket.status in UNSOLVED]
    waiting = sorted((t for t in unsolved if t.held_by == "nobody"), key=lambda t: (t.solve_due, t.id))
    return QueueReport(
        queue=queue, waiting=len(waiting), overdue=sum(overdue(ticket, now) for ticket in unsolved),
        present=sum((c.queue, c.line, c.presence) == (queue, "first", "in") for c in colleagues),
        next=tuple(waiting[:3]),
    )  # fmt: skip


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
