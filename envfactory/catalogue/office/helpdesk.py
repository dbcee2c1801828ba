"""A help desk: answer customers' tickets, pass them on, escalate and merge them, each before it is due.

Due times run in working hours from when the customer wrote, stop while a ticket waits for the customer or is solved,
and follow from priority and plan. Who holds a ticket may work on it; how many somebody holds is counted.
"""

import datetime as dt
from typing import Annotated, Literal, Self

from pydantic import Field

from envfactory.catalogue.office._helpdesk_records import (
    ColleagueId,
    ColleagueLoad,
    ColleaguePage,
    CustomerName,
    DeskAgent,
    DeskAgentId,
    DeskColleague,
    DeskCustomer,
    HeldBy,
    MacroId,
    MacroPage,
    Priority,
    Queue,
    QueueReport,
    Reason,
    Status,
    SupportMacro,
    SupportMessage,
    SupportTicket,
    TicketDetails,
    TicketId,
    TicketPage,
)
from envfactory.catalogue.office._helpdesk_rules import (
    PRIORITIES,
    REOPEN_DAYS,
    by_me,
    check_room,
    details,
    is_copy,
    joined,
    left,
    load,
    overdue,
    reprioritised,
    thread,
)
from envfactory.catalogue.office._helpdesk_scenario import help_desk
from envfactory.environment import (
    Differing,
    Differs,
    Ends,
    Environment,
    FieldOf,
    FreeText,
    Having,
    PageNumber,
    Sharing,
    Table,
    ToolError,
    World,
    standing,
    tool,
)

MINE = Having(parameter="ticket_id", field="held_by", among=("me",))
FIRST = Having(parameter="ticket_id", field="line", among=("first",))
OPEN = Having(parameter="ticket_id", field="status", among=("open",))
ANSWERED = Having(parameter="ticket_id", field="answered", among=(True,))
UNSOLVED = Having(parameter="ticket_id", field="status", among=("open", "pending"))


class Helpdesk(Environment):
    """Take, answer, pass on, escalate, merge and solve the tickets of a support desk before they are due."""

    domain = "office"
    policy = """The user is an agent of the first line and works only on tickets that they hold. Tickets are due by
    priority, in working hours (Monday to Friday, 9 to 17): urgent 4 hours, high 8, normal 24, low 40; the first answer
    after half an hour, 2, 4 and 8. Premium customers wait half as long, and only theirs can be urgent. The clock of a
    ticket stands still while it waits for the customer or is solved. A new priority counts from when the customer
    wrote, or from now if its hours are over; what is overdue stays so and gets no lower priority. A ticket can be taken
    if nobody holds it, if its holder is away, or back from whom the user passed it to; nobody holds more than eight. It
    is solved only once the desk had the last word, and can be reopened within a week. No macro is sent twice on a
    ticket. Escalation needs a first answer, hacked accounts aside. Duplicates are open tickets of one customer in one
    queue; merging cannot be undone. Never answer a customer without knowing what to say."""
    sources = (
        "Zendesk Support API, Tickets, Ticket Merge, Macros and SLA Policies",
        "Freshdesk API v2, Tickets, Canned Responses and SLA Policies",
        "Jira Service Management Cloud REST API, Requests, Queues and SLA Information",
        "Help Scout Inbox API 2.0, Conversations and Threads",
    )

    agent_id: DeskAgentId
    """Agent whose session this is."""
    agents: Table[DeskAgent]
    colleagues: Table[DeskColleague]
    customers: Table[DeskCustomer]
    macros: Table[SupportMacro]
    tickets: Table[SupportTicket]
    messages: Table[SupportMessage]

    @tool(
        ask=(
            (
                "find[late? overdue][ {status}] tickets[ from {customer}][ in {queue}][ held by {held_by}]"
                "[ with {priority} priority][, by {sort}]"
            ),
            (
                "list the[late? overdue][ {priority} priority] tickets[ in {queue}][ held by {held_by}]"
                "[ with the status {status}][ from {customer}][, ordered by {sort}]"
            ),
            (
                "show me[late? overdue][ {status}] tickets[ with {priority} priority][ from {customer}][ in {queue}]"
                "[ held by {held_by}][, sorted by {sort}]"
            ),
            (
                "go through the[late? overdue][ {status}][ {priority} priority] tickets[ of {customer}][ in {queue}]"
                "[ held by {held_by}][, sorted by {sort}]"
            ),
        ),
        noun="[late? overdue ][{status} ]ticket[ with {priority} priority][ from {customer}][ in {queue}]"
        "[ held by {held_by}]",
        reply=("I found {tickets}.", "There is no such ticket."),
    )
    def search_tickets(
        self,
        queue: Queue | None = None,
        status: Status | None = None,
        priority: Priority | None = None,
        held_by: HeldBy | None = None,
        customer: CustomerName | None = None,
        late: bool = False,
        sort: Literal["due_time", "priority", "age"] = "due_time",
        page: PageNumber = 1,
    ) -> TicketPage:
        """Search the tickets of both lines; those that are solved, closed or merged are found by status or customer.

        Args:
            queue: Only tickets of this queue.
            status: Only tickets with this status; open and pending ones if neither it nor a customer is given.
            priority: Only tickets with this priority.
            held_by: Only tickets that the signed-in agent, nobody, or a colleague holds.
            customer: Only tickets of the customer with this full name.
            late: Only tickets that are past their due time.
            sort: Order: earliest due time first, most urgent first, or oldest first.
            page: Page of the results, five tickets each.
        """
        wanted = (status,) if status else ("open", "pending")
        found = [
            ticket
            for ticket in self.tickets.values()
            if queue in (None, ticket.queue)
            and (ticket.status in wanted or (customer and not status))
            and priority in (None, ticket.priority)
            and held_by in (None, ticket.held_by)
            and (customer is None or ticket.customer_name.casefold() == customer.casefold())
            and (not late or overdue(ticket, self.now))
        ]
        found.sort(key=lambda ticket: (ticket.opened_at if sort == "age" else ticket.solve_due, ticket.id))
        if sort == "priority":
            found.sort(key=lambda ticket: -PRIORITIES.index(ticket.priority))
        return TicketPage.of(found, page)

    @tool(
        ask=(
            "open {ticket_id} and tell me what was written",
            "show me the conversation on {ticket_id}",
            "check who sent {ticket_id} and by when it has to be solved",
            "get me the details of {ticket_id}",
        ),
        reply=(
            "{customer_name} ({plan}) wrote about {subject}; it is {status}, due {solve_due}. {messages}.",
            "{customer_name} ({plan}) wrote about {subject}; it is {status}, due {solve_due}.",
        ),
    )
    def get_ticket(self, ticket_id: TicketId) -> TicketDetails:
        """Get a ticket: the customer and plan, when answer and solution are due, and everything that was written.

        Args:
            ticket_id: Ticket to look at.
        """
        ticket = self.tickets.require(ticket_id)
        return details(ticket, self.customers.require(ticket.customer_id), self.messages.values(), self.now)

    @tool(
        ask=(
            "check how the {queue} queue stands",
            "tell me how many {queue} tickets are waiting and which come next",
            "see what is next in the {queue} queue",
            "find out how busy the {queue} queue is",
        ),
        reply=(
            "In {queue}: {waiting} waiting, {overdue} overdue, {present} in. Next: {next}.",
            "In {queue}: nothing waiting, {overdue} overdue, {present} in.",
        ),
    )
    def check_queue(self, queue: Queue) -> QueueReport:
        """Check how a queue of the first line stands and which of its tickets should be taken next.

        Args:
            queue: Queue to look at.
        """
        unsolved = [
            ticket
            for ticket in self.tickets.values()
            if (ticket.queue, ticket.line) == (queue, "first") and ticket.status in ("open", "pending")
        ]
        waiting = sorted((t for t in unsolved if t.held_by == "nobody"), key=lambda t: (t.solve_due, t.id))
        there = [c for c in self.colleagues.values() if (c.queue, c.line, c.presence) == (queue, "first", "in")]
        return QueueReport(
            queue=queue, waiting=len(waiting), overdue=sum(overdue(ticket, self.now) for ticket in unsolved),
            present=len(there), next=tuple(waiting[:3]),
        )  # fmt: skip

    @tool(
        writes=True,
        ask=(
            "assign {ticket_id} to me",
            "take {ticket_id} for me",
            "put me down for {ticket_id}",
            "give {ticket_id} to me",
        ),
        reply=("You hold the {subject} ticket now; it is due {solve_due}.",),
        where=(UNSOLVED, FIRST, Having(parameter="ticket_id", field="held_by", among=("nobody",))),
    )
    def take_ticket(self, ticket_id: TicketId) -> SupportTicket:
        """Take a ticket that nobody holds or whose holder is away, or take back one that the signed-in agent passed on.

        A ticket that is taken back from the second line is no longer escalated.

        Args:
            ticket_id: Ticket to take.
        """
        ticket = standing(self.tickets.require(ticket_id), ("open", "pending"), "taken")
        if ticket.held_by == "me":
            raise ToolError("conflict", f"You hold the {ticket.subject} ticket already.")
        if not ticket.passed_on:
            if ticket.line == "second":
                raise ToolError("permission_denied", "Only specialists take tickets of the second line.")
            if ticket.colleague_id and self.colleagues.require(ticket.colleague_id).presence == "in":
                raise ToolError("permission_denied", f"{ticket.colleague_name} holds that ticket and is not away.")
        check_room("You have", load(self.tickets.values(), None))
        return self._hold(ticket, "me", line="first", escalated_for=None)

    @tool(
        writes=True,
        ask=(
            "put {ticket_id} back into its queue",
            "unassign me from {ticket_id}",
            "give {ticket_id} back so that somebody else can take it",
            "release {ticket_id} to its queue again",
        ),
        reply=("Nobody holds the {subject} ticket now; it stays due {solve_due}.",),
        where=(MINE, UNSOLVED),
    )
    def release_ticket(self, ticket_id: TicketId) -> SupportTicket:
        """Put a ticket that the signed-in agent holds back into its queue, where anybody can take it.

        Args:
            ticket_id: Ticket to give back.
        """
        return self.tickets.replace(self._mine(ticket_id, "given back").evolve(held_by="nobody"))

    @tool(
        ask=(
            "list who works on {queue} tickets[available? and is not away]",
            "show me[available? available] colleagues for {queue}, the least busy first",
            "find out who in {queue} has the fewest tickets[available? and is in today]",
            "check how busy the[available? available] colleagues in {queue} are",
        ),
        noun="[available? available ]colleague who works on {queue} tickets",
        reply=("These work on {queue}: {colleagues}.", "Nobody else works on {queue} at present."),
    )
    def list_colleagues(self, queue: Queue, available: bool = False, page: PageNumber = 1) -> ColleaguePage:
        """List the colleagues of the first line in a queue, the one with the fewest tickets first.

        Args:
            queue: Queue that they work on.
            available: Only colleagues who are not away.
            page: Page of the results, five colleagues each.
        """
        found = [
            ColleagueLoad(
                id=c.id,
                name=c.name,
                queue=c.queue,
                presence=c.presence,
                open_tickets=load(self.tickets.values(), c.id),
            )
            for c in self.colleagues.values()
            if (c.queue, c.line) == (queue, "first") and not (available and c.presence == "away")
        ]
        found.sort(key=lambda colleague: (colleague.open_tickets, colleague.name, colleague.id))
        return ColleaguePage.of(found, page)

    @tool(
        writes=True,
        ask=(
            "hand {ticket_id} over to {colleague_id}",
            "reassign {ticket_id} to {colleague_id}",
            "let {colleague_id} look after {ticket_id}",
            "pass {ticket_id} on to {colleague_id}",
        ),
        reply=("{colleague_name} looks after the {subject} ticket now.",),
        where=(
            MINE,
            UNSOLVED,
            Sharing(parameter="colleague_id", other="ticket_id", fields=("queue", "line")),
            Having(parameter="colleague_id", field="presence", among=("in",)),
        ),
    )
    def hand_over_ticket(self, ticket_id: TicketId, colleague_id: ColleagueId) -> SupportTicket:
        """Hand a ticket that the signed-in agent holds over to a colleague of its queue; it can be taken back.

        Args:
            ticket_id: Ticket to hand over.
            colleague_id: Colleague who shall look after it.
        """
        ticket, colleague = self._mine(ticket_id, "handed over"), self.colleagues.require(colleague_id)
        if (colleague.queue, colleague.line) != (ticket.queue, ticket.line):
            raise ToolError(
                "invalid_argument",
                f"{colleague.name} works on the {colleague.line} line of {colleague.queue}, not on {ticket.queue}.",
            )
        if colleague.presence == "away":
            raise ToolError("precondition_failed", f"{colleague.name} is away.")
        check_room(f"{colleague.name} has", load(self.tickets.values(), colleague.id))
        return self._hold(ticket, "a_colleague", colleague)

    @tool(
        writes=True,
        ask=(
            "answer {ticket_id} with '{text}'[await_answer? and wait for the customer]",
            "write back on {ticket_id}: '{text}'[await_answer? (it is then up to them)]",
            "reply '{text}' to {ticket_id}[await_answer? and set it to pending]",
            "tell the customer on {ticket_id}: '{text}'[await_answer? and leave it waiting for their answer]",
        ),
        reply=("{customer_name} has your answer; the ticket is {status}, due {solve_due}.",),
        where=(MINE, UNSOLVED),
    )
    def reply_to_customer(
        self,
        ticket_id: TicketId,
        text: Annotated[
            str,
            Field(min_length=3, max_length=500),
            FreeText(
                (
                    "could you tell us a bit more about it",
                    "please send us a screenshot or a photo",
                    "we have corrected it, please have a look",
                    "when did you first notice it",
                )
            ),
        ],
        await_answer: bool = False,
    ) -> SupportTicket:
        """Answer the customer on a ticket that the signed-in agent holds.

        Args:
            ticket_id: Ticket to answer.
            text: What the customer is told.
            await_answer: Whether the ticket is pending from now on, its clock stopped until it is reopened; else it is
                open.
        """
        ticket = self._mine(ticket_id, "answered")
        return self._answer(ticket, text, "pending" if await_answer else "open")

    @tool(
        ask=(
            "list the macros for {queue}[ that leave a ticket {leaves}]",
            "show me which ready answers there are for {queue}[ that leave a ticket {leaves}]",
            "find a macro for {queue} tickets[ that leaves them {leaves}]",
            "look up the canned answers for {queue}[ after which a ticket is {leaves}]",
        ),
        noun="macro for {queue}[ that leaves a ticket {leaves}]",
        reply=("These can be sent: {macros}.", "There is no such macro."),
    )
    def list_macros(
        self,
        queue: Queue,
        leaves: Literal["open", "pending", "solved"] | None = None,
        page: PageNumber = 1,
    ) -> MacroPage:
        """List the macros of a queue that may be used, the most used first.

        Args:
            queue: Queue whose tickets they answer.
            leaves: Only macros that leave a ticket so.
            page: Page of the results, five macros each.
        """
        found = [m for m in self.macros.values() if m.queue == queue and m.active and leaves in (None, m.leaves)]
        found.sort(key=lambda macro: (-macro.used, macro.id))
        return MacroPage.of(found, page)

    @tool(
        writes=True,
        ask=(
            "send {macro_id} on {ticket_id}",
            "answer {ticket_id} with {macro_id}",
            "use {macro_id} for {ticket_id}",
            "apply {macro_id} to {ticket_id}",
        ),
        reply=("{customer_name} has that answer, and the {subject} ticket is {status}.",),
        where=(
            MINE,
            UNSOLVED,
            Sharing(parameter="macro_id", other="ticket_id", fields=("queue",)),
            Having(parameter="macro_id", field="active", among=(True,)),
        ),
    )
    def apply_macro(self, ticket_id: TicketId, macro_id: MacroId) -> SupportTicket:
        """Send a ready answer on a ticket that the signed-in agent holds, which leaves it open, pending or solved.

        Args:
            ticket_id: Ticket to answer.
            macro_id: Macro of the ticket's queue.
        """
        ticket, macro = self._mine(ticket_id, "answered"), self.macros.require(macro_id)
        if macro.queue != ticket.queue:
            raise ToolError("invalid_argument", f"The {macro.name} macro is for {macro.queue}, not {ticket.queue}.")
        if not macro.active:
            raise ToolError("precondition_failed", f"The {macro.name} macro is no longer in use.")
        if any(m.macro_id == macro.id for m in thread(self.messages.values(), ticket.id)):
            raise ToolError("conflict", f"The {macro.name} macro was sent on that ticket already; write an answer.")
        self.macros.replace(macro.evolve(used=macro.used + 1))
        return self._answer(ticket, macro.text, macro.leaves, macro.id)

    @tool(
        writes=True,
        ask=(
            "mark {ticket_id} as solved",
            "solve {ticket_id}",
            "set {ticket_id} to solved",
            "call {ticket_id} done",
        ),
        reply=("The {subject} ticket is solved.",),
        where=(MINE, UNSOLVED, ANSWERED),
    )
    def solve_ticket(self, ticket_id: TicketId) -> SupportTicket:
        """Mark a ticket that the signed-in agent holds as solved, once the desk had the last word on it.

        Args:
            ticket_id: Ticket that is solved.
        """
        ticket = self._mine(ticket_id, "solved")
        if not ticket.answered:
            raise ToolError("precondition_failed", f"{ticket.customer_name} waits for an answer; write one first.")
        return self.tickets.replace(left(ticket, "solved", self.now))

    @tool(
        writes=True,
        ask=(
            "reopen {ticket_id}",
            "open {ticket_id} again",
            "put {ticket_id} back to open",
            "set {ticket_id} to open again",
        ),
        reply=("The {subject} ticket is open again, due {solve_due}.",),
        where=(MINE, Having(parameter="ticket_id", field="status", among=("pending", "solved"))),
    )
    def reopen_ticket(self, ticket_id: TicketId) -> SupportTicket:
        """Open a ticket that waits for the customer, or that was solved within a week; its clock runs on.

        Args:
            ticket_id: Ticket that the signed-in agent holds.
        """
        ticket = self._mine(ticket_id, "reopened", ("pending", "solved"))
        if ticket.solved_at:
            if self.now - ticket.solved_at > dt.timedelta(days=REOPEN_DAYS):
                raise ToolError("precondition_failed", f"It was solved over {REOPEN_DAYS} days ago, so it stays so.")
            check_room("You have", load(self.tickets.values(), None))
        return self.tickets.replace(left(ticket, "open", self.now))

    @tool(
        writes=True,
        ask=(
            "set the priority of {ticket_id} to {priority}",
            "make {ticket_id} {priority} priority",
            "change {ticket_id} to {priority} priority",
            "give {ticket_id} {priority} priority",
        ),
        reply=("The {subject} ticket has {priority} priority now and is due {solve_due}.",),
        where=(
            MINE,
            UNSOLVED,
            FieldOf(parameter="priority", other="ticket_id", field="priorities[]"),
            Differing(parameter="priority", other="ticket_id", field="priority"),
        ),
    )
    def set_priority(self, ticket_id: TicketId, priority: Priority) -> SupportTicket:
        """Change the priority of a ticket that the signed-in agent holds; its due times follow from it.

        They count from when the customer wrote; what would be past by that counts from now, but becomes no later.

        Args:
            ticket_id: Ticket to change.
            priority: Priority that it shall have; urgent only for customers on the premium plan.
        """
        ticket = self._mine(ticket_id, "changed")
        if priority == ticket.priority:
            raise ToolError("conflict", f"The {ticket.subject} ticket has {priority} priority already.")
        if priority not in ticket.priorities:
            raise ToolError("precondition_failed", f"{ticket.customer_name} is on the standard plan: high at most.")
        lower = PRIORITIES.index(priority) < PRIORITIES.index(ticket.priority)
        if lower and overdue(ticket, self.now):
            raise ToolError("precondition_failed", f"It was due {ticket.solve_due}, so it gets no lower priority.")
        plan = self.customers.require(ticket.customer_id).plan
        return self.tickets.replace(reprioritised(ticket, priority, plan, self.now))

    @tool(
        writes=True,
        ask=(
            "escalate {ticket_id} because of {reason}",
            "send {ticket_id} up to the second line as {reason}",
            "bring {ticket_id} to the specialists, as it is about {reason}",
            "pass {ticket_id} up to the second line, since this is {reason}",
        ),
        reply=("The {subject} ticket is with the second line now; it stays due {solve_due}.",),
        where=(
            MINE,
            OPEN,
            ANSWERED,
            FieldOf(parameter="reason", other="ticket_id", field="reasons[]"),
            Ends(parameter="ticket_id"),
        ),
    )
    def escalate_ticket(self, ticket_id: TicketId, reason: Reason) -> SupportTicket:
        """Pass an open ticket that the signed-in agent holds to the second line; it can be taken back.

        Args:
            ticket_id: Ticket to escalate.
            reason: What it needs the second line for; only a hacked account goes up without a first answer.
        """
        ticket = self._mine(ticket_id, "escalated", ("open",))
        if reason not in ticket.reasons:
            known = " or ".join(ticket.reasons).replace("_", " ")
            raise ToolError("invalid_argument", f"The second line of {ticket.queue} looks at {known}.")
        if ticket.replied_at is None and reason != "a_hacked_account":
            raise ToolError("precondition_failed", f"{ticket.customer_name} has had no answer yet; write one first.")
        return self._hold(ticket, "nobody", line="second", escalated_for=reason)

    @tool(
        ask=(
            "check whether {ticket_id} has duplicates",
            "find other open tickets about the same as {ticket_id}",
            "see if the customer of {ticket_id} wrote more than once",
            "look for duplicates of {ticket_id}",
        ),
        noun="duplicate of {ticket_id}",
        reply=("These are from the same customer: {tickets}.", "It has no duplicate."),
        where=(MINE, OPEN),
    )
    def find_duplicates(self, ticket_id: TicketId, page: PageNumber = 1) -> TicketPage:
        """Find the open tickets that could be merged into one: of its customer, in its queue, held by no colleague.

        Args:
            ticket_id: Open ticket to compare with.
            page: Page of the results, five tickets each.
        """
        ticket = standing(self.tickets.require(ticket_id), ("open",), "merged")
        found = [other for other in self.tickets.values() if is_copy(other, ticket)]
        found.sort(key=lambda other: (other.opened_at, other.id))
        return TicketPage.of(found, page)

    @tool(
        writes=True,
        ask=(
            "merge {duplicate_id} into {ticket_id}",
            "join {duplicate_id} to {ticket_id}",
            "make {duplicate_id} part of {ticket_id}",
            "fold {duplicate_id} into {ticket_id}",
        ),
        reply=("They are one ticket now, {subject}; it is due {solve_due}.",),
        where=(
            MINE,
            OPEN,
            Sharing(parameter="duplicate_id", other="ticket_id", fields=("customer_id", "queue", "line", "status")),
            Having(parameter="duplicate_id", field="held_by", among=("me", "nobody")),
            Differs(parameter="duplicate_id", other="ticket_id"),
            Ends(parameter="duplicate_id"),
        ),
    )
    def merge_tickets(self, duplicate_id: TicketId, ticket_id: TicketId) -> SupportTicket:
        """Merge a duplicate into a ticket that the signed-in agent holds, with all that was written on it.

        The ticket is then as old as the older one, has the higher priority, and is due when the first of them was.

        Args:
            duplicate_id: Open ticket of the same customer and queue, which ends.
            ticket_id: Ticket that stays.
        """
        ticket = self._mine(ticket_id, "merged", ("open",))
        copy = standing(self.tickets.require(duplicate_id), ("open",), "merged")
        if copy.id == ticket.id:
            raise ToolError("invalid_argument", "A ticket cannot be merged into itself.")
        if not is_copy(copy, ticket):
            raise ToolError(
                "precondition_failed",
                f"Only tickets of {ticket.customer_name} in {ticket.queue} that no colleague holds are merged into it.",
            )
        for message in thread(self.messages.values(), copy.id):
            self.messages.replace(message.evolve(ticket_id=ticket.id))
        self.tickets.replace(copy.evolve(status="merged", merged_into_id=ticket.id, stopped_at=self.now))
        return self.tickets.replace(joined(ticket, copy, thread(self.messages.values(), ticket.id)[-1]))

    def _mine(self, ticket_id: str, done: str, among: tuple[Status, ...] = ("open", "pending")) -> SupportTicket:
        return by_me(self.tickets.require(ticket_id), done, among)

    def _hold(
        self, ticket: SupportTicket, held_by: HeldBy, colleague: DeskColleague | None = None, **more: object
    ) -> SupportTicket:
        """Put a ticket into other hands; who passes it on can take it back."""
        return self.tickets.replace(
            ticket.evolve(
                held_by=held_by,
                colleague_id=colleague and colleague.id,
                colleague_name=colleague and colleague.name,
                passed_on=held_by != "me",
                **more,
            )
        )

    def _answer(self, ticket: SupportTicket, text: str, status: str, macro_id: str | None = None) -> SupportTicket:
        """Write to the customer, and leave the ticket open, pending or solved."""
        self.messages.insert(
            SupportMessage(
                id=self.new_id("MSG"), ticket_id=ticket.id, author="desk", text=text, sent_at=self.now,
                name=self.agents.require(self.agent_id).name, macro_id=macro_id,
            )
        )  # fmt: skip
        said = ticket.evolve(answered=True, replied_at=ticket.replied_at or self.now)
        return self.tickets.replace(left(said, status, self.now))

    @classmethod
    def scenario(cls, world: World, size: int) -> Self:
        """Tickets of four queues in every condition, the user's own among them, some of them duplicates."""
        return cls.model_validate(help_desk(world, size))
