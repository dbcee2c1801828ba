"""A help desk: answer customers' tickets, pass them on, escalate and merge them, each before it is due.

Due times run in working hours from when the customer wrote, stop while a ticket waits for the customer or is solved,
and follow from priority and plan. Who holds a ticket may work on it; how many somebody holds is counted.
"""

from typing import Self

from envfactory.catalogue.office import _helpdesk_records as rec
from envfactory.catalogue.office import _helpdesk_relations as relations
from envfactory.catalogue.office import _helpdesk_rules as rules
from envfactory.catalogue.office._helpdesk_scenario import help_desk
from envfactory.environment import Environment, PageNumber, Table, World, standing, tool


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

    agent_id: rec.DeskAgentId
    """Agent whose session this is."""
    agents: Table[rec.DeskAgent]
    colleagues: Table[rec.DeskColleague]
    customers: Table[rec.DeskCustomer]
    macros: Table[rec.SupportMacro]
    tickets: Table[rec.SupportTicket]
    messages: Table[rec.SupportMessage]

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
        queue: rec.Queue | None = None,
        status: rec.Status | None = None,
        priority: rec.Priority | None = None,
        held_by: rec.HeldBy | None = None,
        customer: rec.CustomerName | None = None,
        late: bool = False,
        sort: rec.Sort = "due_time",
        page: PageNumber = 1,
    ) -> rec.TicketPage:
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
        found = rules.sought(self.tickets.values(), status, customer)
        found = [ticket for ticket in found if queue in (None, ticket.queue) and priority in (None, ticket.priority)]
        found = [ticket for ticket in found if held_by in (None, ticket.held_by)]
        found = [ticket for ticket in found if not late or rules.overdue(ticket, self.now)]
        return rec.TicketPage.of(rules.ordered(found, sort), page)

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
    def get_ticket(self, ticket_id: rec.TicketId) -> rec.TicketDetails:
        """Get a ticket: the customer and plan, when answer and solution are due, and everything that was written.

        Args:
            ticket_id: Ticket to look at.
        """
        ticket = self.tickets.require(ticket_id)
        return rules.details(ticket, self.customers.require(ticket.customer_id), self.messages.values(), self.now)

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
    def check_queue(self, queue: rec.Queue) -> rec.QueueReport:
        """Check how a queue of the first line stands and which of its tickets should be taken next.

        Args:
            queue: Queue to look at.
        """
        return rules.report(queue, self.tickets.values(), self.colleagues.values(), self.now)

    @tool(
        writes=True,
        ask=(
            "assign {ticket_id} to me",
            "take {ticket_id} for me",
            "put me down for {ticket_id}",
            "give {ticket_id} to me",
        ),
        reply=("You hold the {subject} ticket now; it is due {solve_due}.",),
        where=relations.TAKING,
    )
    def take_ticket(self, ticket_id: rec.TicketId) -> rec.SupportTicket:
        """Take a ticket that nobody holds or whose holder is away, or take back one that the signed-in agent passed on.

        A ticket that is taken back from the second line is no longer escalated.

        Args:
            ticket_id: Ticket to take.
        """
        ticket = standing(self.tickets.require(ticket_id), rules.UNSOLVED, "taken")
        holder = self.colleagues.require(ticket.colleague_id) if ticket.colleague_id else None
        rules.check_takeable(ticket, holder)
        rules.check_room("You have", rules.load(self.tickets.values(), None))
        return self.tickets.replace(rules.held(ticket, "me").evolve(line="first", escalated_for=None))

    @tool(
        writes=True,
        ask=(
            "put {ticket_id} back into its queue",
            "unassign me from {ticket_id}",
            "give {ticket_id} back so that somebody else can take it",
            "release {ticket_id} to its queue again",
        ),
        reply=("Nobody holds the {subject} ticket now; it stays due {solve_due}.",),
        where=relations.RELEASING,
    )
    def release_ticket(self, ticket_id: rec.TicketId) -> rec.SupportTicket:
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
    def list_colleagues(self, queue: rec.Queue, available: bool = False, page: PageNumber = 1) -> rec.ColleaguePage:
        """List the colleagues of the first line in a queue, the one with the fewest tickets first.

        Args:
            queue: Queue that they work on.
            available: Only colleagues who are not away.
            page: Page of the results, five colleagues each.
        """
        inside = [c for c in self.colleagues.values() if (c.queue, c.line) == (queue, "first")]
        present = [c for c in inside if not (available and c.presence == "away")]
        found = [rules.loaded(colleague, self.tickets.values()) for colleague in present]
        found.sort(key=lambda colleague: (colleague.open_tickets, colleague.name, colleague.id))
        return rec.ColleaguePage.of(found, page)

    @tool(
        writes=True,
        ask=(
            "hand {ticket_id} over to {colleague_id}",
            "reassign {ticket_id} to {colleague_id}",
            "let {colleague_id} look after {ticket_id}",
            "pass {ticket_id} on to {colleague_id}",
        ),
        reply=("{colleague_name} looks after the {subject} ticket now.",),
        where=relations.HANDING_OVER,
    )
    def hand_over_ticket(self, ticket_id: rec.TicketId, colleague_id: rec.ColleagueId) -> rec.SupportTicket:
        """Hand a ticket that the signed-in agent holds over to a colleague of its queue; it can be taken back.

        Args:
            ticket_id: Ticket to hand over.
            colleague_id: Colleague who shall look after it.
        """
        ticket, colleague = self._mine(ticket_id, "handed over"), self.colleagues.require(colleague_id)
        rules.check_hand_over(ticket, colleague)
        rules.check_room(f"{colleague.name} has", rules.load(self.tickets.values(), colleague.id))
        return self.tickets.replace(rules.held(ticket, "a_colleague", colleague))

    @tool(
        writes=True,
        ask=(
            "answer {ticket_id} with '{text}'[await_answer? and wait for the customer]",
            "write back on {ticket_id}: '{text}'[await_answer? (it is then up to them)]",
            "reply '{text}' to {ticket_id}[await_answer? and set it to pending]",
            "tell the customer on {ticket_id}: '{text}'[await_answer? and leave it waiting for their answer]",
        ),
        reply=("{customer_name} has your answer; the ticket is {status}, due {solve_due}.",),
        where=relations.ANSWERING,
    )
    def reply_to_customer(
        self, ticket_id: rec.TicketId, text: rec.Words, await_answer: bool = False
    ) -> rec.SupportTicket:
        """Answer the customer on a ticket that the signed-in agent holds.

        Args:
            ticket_id: Ticket to answer.
            text: What the customer is told.
            await_answer: Whether the ticket is pending from now on, its clock stopped until it is reopened; else it is
                open.
        """
        ticket = self._mine(ticket_id, "answered")
        return self._answer(ticket, text, "pending" if await_answer else "open", None)

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
    def list_macros(self, queue: rec.Queue, leaves: rec.Outcome | None = None, page: PageNumber = 1) -> rec.MacroPage:
        """List the macros of a queue that may be used, the most used first.

        Args:
            queue: Queue whose tickets they answer.
            leaves: Only macros that leave a ticket so.
            page: Page of the results, five macros each.
        """
        found = [m for m in self.macros.values() if m.queue == queue and m.active and leaves in (None, m.leaves)]
        found.sort(key=lambda macro: (-macro.used, macro.id))
        return rec.MacroPage.of(found, page)

    @tool(
        writes=True,
        ask=(
            "send {macro_id} on {ticket_id}",
            "answer {ticket_id} with {macro_id}",
            "use {macro_id} for {ticket_id}",
            "apply {macro_id} to {ticket_id}",
        ),
        reply=("{customer_name} has that answer, and the {subject} ticket is {status}.",),
        where=relations.SENDING,
    )
    def apply_macro(self, ticket_id: rec.TicketId, macro_id: rec.MacroId) -> rec.SupportTicket:
        """Send a ready answer on a ticket that the signed-in agent holds, which leaves it open, pending or solved.

        Args:
            ticket_id: Ticket to answer.
            macro_id: Macro of the ticket's queue.
        """
        ticket, macro = self._mine(ticket_id, "answered"), self.macros.require(macro_id)
        rules.check_macro(macro, ticket, self.messages.values())
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
        where=relations.SOLVING,
    )
    def solve_ticket(self, ticket_id: rec.TicketId) -> rec.SupportTicket:
        """Mark a ticket that the signed-in agent holds as solved, once the desk had the last word on it.

        Args:
            ticket_id: Ticket that is solved.
        """
        return self.tickets.replace(rules.solved(self._mine(ticket_id, "solved"), self.now))

    @tool(
        writes=True,
        ask=(
            "reopen {ticket_id}",
            "open {ticket_id} again",
            "put {ticket_id} back to open",
            "set {ticket_id} to open again",
        ),
        reply=("The {subject} ticket is open again, due {solve_due}.",),
        where=relations.REOPENING,
    )
    def reopen_ticket(self, ticket_id: rec.TicketId) -> rec.SupportTicket:
        """Open a ticket that waits for the customer, or that was solved within a week; its clock runs on.

        Args:
            ticket_id: Ticket that the signed-in agent holds.
        """
        ticket = self._mine(ticket_id, "reopened", ("pending", "solved"))
        rules.check_reopenable(ticket, rules.load(self.tickets.values(), None), self.now)
        return self.tickets.replace(rules.left(ticket, "open", self.now))

    @tool(
        writes=True,
        ask=(
            "set the priority of {ticket_id} to {priority}",
            "make {ticket_id} {priority} priority",
            "change {ticket_id} to {priority} priority",
            "give {ticket_id} {priority} priority",
        ),
        reply=("The {subject} ticket has {priority} priority now and is due {solve_due}.",),
        where=relations.CHANGING,
    )
    def set_priority(self, ticket_id: rec.TicketId, priority: rec.Priority) -> rec.SupportTicket:
        """Change the priority of a ticket that the signed-in agent holds; its due times follow from it.

        They count from when the customer wrote; what would be past by that counts from now, but becomes no later.

        Args:
            ticket_id: Ticket to change.
            priority: Priority that it shall have; urgent only for customers on the premium plan.
        """
        ticket = self._mine(ticket_id, "changed")
        rules.check_priority(ticket, priority, self.now)
        plan = self.customers.require(ticket.customer_id).plan
        return self.tickets.replace(rules.reprioritised(ticket, priority, plan, self.now))

    @tool(
        writes=True,
        ask=(
            "escalate {ticket_id} because of {reason}",
            "send {ticket_id} up to the second line as {reason}",
            "bring {ticket_id} to the specialists, as it is about {reason}",
            "pass {ticket_id} up to the second line, since this is {reason}",
        ),
        reply=("The {subject} ticket is with the second line now; it stays due {solve_due}.",),
        where=relations.ESCALATING,
    )
    def escalate_ticket(self, ticket_id: rec.TicketId, reason: rec.Reason) -> rec.SupportTicket:
        """Pass an open ticket that the signed-in agent holds to the second line; it can be taken back.

        Args:
            ticket_id: Ticket to escalate.
            reason: What it needs the second line for; only a hacked account goes up without a first answer.
        """
        ticket = self._mine(ticket_id, "escalated", ("open",))
        rules.check_escalation(ticket, reason)
        return self.tickets.replace(rules.held(ticket, "nobody").evolve(line="second", escalated_for=reason))

    @tool(
        ask=(
            "check whether {ticket_id} has duplicates",
            "find other open tickets about the same as {ticket_id}",
            "see if the customer of {ticket_id} wrote more than once",
            "look for duplicates of {ticket_id}",
        ),
        noun="duplicate of {ticket_id}",
        reply=("These are from the same customer: {tickets}.", "It has no duplicate."),
        where=relations.COMPARING,
    )
    def find_duplicates(self, ticket_id: rec.TicketId, page: PageNumber = 1) -> rec.TicketPage:
        """Find the open tickets that could be merged into one: of its customer, in its queue, held by no colleague.

        Args:
            ticket_id: Open ticket to compare with.
            page: Page of the results, five tickets each.
        """
        ticket = standing(self.tickets.require(ticket_id), ("open",), "merged")
        found = [other for other in self.tickets.values() if rules.is_copy(other, ticket)]
        found.sort(key=lambda other: (other.opened_at, other.id))
        return rec.TicketPage.of(found, page)

    @tool(
        writes=True,
        ask=(
            "merge {duplicate_id} into {ticket_id}",
            "join {duplicate_id} to {ticket_id}",
            "make {duplicate_id} part of {ticket_id}",
            "fold {duplicate_id} into {ticket_id}",
        ),
        reply=("They are one ticket now, {subject}; it is due {solve_due}.",),
        where=relations.MERGING,
    )
    def merge_tickets(self, duplicate_id: rec.TicketId, ticket_id: rec.TicketId) -> rec.SupportTicket:
        """Merge a duplicate into a ticket that the signed-in agent holds, with all that was written on it.

        The ticket is then as old as the older one, has the higher priority, and is due when the first of them was.

        Args:
            duplicate_id: Open ticket of the same customer and queue, which ends.
            ticket_id: Ticket that stays.
        """
        ticket = self._mine(ticket_id, "merged", ("open",))
        copy = standing(self.tickets.require(duplicate_id), ("open",), "merged")
        rules.check_merge(ticket, copy)
        for message in rules.thread(self.messages.values(), copy.id):
            self.messages.replace(message.evolve(ticket_id=ticket.id))
        self.tickets.replace(copy.evolve(status="merged", merged_into_id=ticket.id, stopped_at=self.now))
        return self.tickets.replace(rules.joined(ticket, copy, rules.thread(self.messages.values(), ticket.id)[-1]))

    def _mine(self, ticket_id: str, done: str, among: tuple[rec.Status, ...] = rules.UNSOLVED) -> rec.SupportTicket:
        return rules.by_me(self.tickets.require(ticket_id), done, among)

    def _answer(self, ticket: rec.SupportTicket, text: str, leaves: str, macro_id: str | None) -> rec.SupportTicket:
        """Write to the customer, and leave the ticket open, pending or solved."""
        name = self.agents.require(self.agent_id).name
        self.messages.insert(rules.message(self.new_id("MSG"), ticket, name, text, self.now, macro_id))
        return self.tickets.replace(rules.answered(ticket, leaves, self.now))

    @classmethod
    def scenario(cls, world: World, size: int) -> Self:
        """Tickets of four queues in every condition, the user's own among them, some of them duplicates."""
        return cls.model_validate(help_desk(world, size))
