"""Records and results of the help desk: tickets and what was written on them, customers, colleagues, macros."""

import datetime as dt
from typing import Annotated, Literal

from pydantic import Field

from envfactory.environment import FreeText, Output, Page, Ranked, Record, Ref, Unit, Value

DeskAgentId = Annotated[str, Ref("DeskAgent")]
ColleagueId = Annotated[str, Ref("DeskColleague")]
CustomerId = Annotated[str, Ref("DeskCustomer")]
TicketId = Annotated[str, Ref("SupportTicket")]
MacroId = Annotated[str, Ref("SupportMacro")]
CustomerName = Annotated[str, Value("support_customer", "Full name of a customer who asked for help.")]
Email = Annotated[str, Value("email", "E-mail address.")]
Queue = Annotated[
    Literal["accounts", "billing", "deliveries", "technical"], Value("support_queue", "Queue that a ticket waits in.")
]
Priority = Annotated[
    Literal["low", "normal", "high", "urgent"], Value("ticket_priority", "How soon a ticket has to be solved.")
]
Status = Annotated[
    Literal["open", "pending", "solved", "closed", "merged"],
    Value("ticket_status", "Where a ticket stands; pending is waiting for the customer."),
]
HeldBy = Annotated[
    Literal["me", "nobody", "a_colleague"],
    Value("ticket_holder", "Who works on a ticket: the signed-in agent, nobody yet, or somebody else."),
]
Presence = Annotated[Literal["in", "away"], Value("presence", "Whether a colleague is at work at present.")]
Line = Annotated[Literal["first", "second"], Value("support_line", "First line, or the specialists of the second.")]
Reason = Annotated[
    Literal["a_hacked_account", "a_large_refund", "a_lost_shipment", "a_software_fault", "a_legal_question"],
    Value("escalation_reason", "What a ticket needs the second line for."),
]
Plan = Annotated[Literal["standard", "premium"], Value("support_plan", "What a customer pays for; premium is faster.")]
Tickets = Annotated[int, Field(ge=0), Unit("ticket")]
Minutes = Annotated[int, Field(ge=0), Unit("minute")]
Text = Annotated[str, FreeText()]
Sort = Literal["due_time", "priority", "age"]
"""What a search puts first: the earliest due time, the most urgent, or the oldest."""
Outcome = Literal["open", "pending", "solved"]
"""What a ticket is after an answer."""
Words = Annotated[
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
]


class DeskAgent(Record, noun="agent", label="{name}"):
    """Who is signed in, an agent of the first line."""

    id: DeskAgentId
    """Identifier of the agent."""
    name: str
    """Full name."""
    email: Email


class DeskColleague(Record, noun="colleague", label="{name}"):
    """Another agent."""

    id: ColleagueId
    """Identifier of the colleague."""
    name: str
    """Full name."""
    queue: Queue
    line: Line
    presence: Presence


class DeskCustomer(Record, noun="customer", label="{name}"):
    """Somebody who asks for help."""

    id: CustomerId
    """Identifier of the customer."""
    name: CustomerName
    email: Email
    plan: Plan


class SupportMacro(Record, noun="macro", label="the {name} macro", listing="{name} (leaves a ticket {leaves})"):
    """An answer that is ready to be sent."""

    id: MacroId
    """Identifier of the macro."""
    name: str
    """What it is called."""
    queue: Queue
    text: Text
    """What the customer is told."""
    leaves: Annotated[Outcome, Value("macro_outcome", "What a ticket is afterwards.")]
    active: bool = True
    """Whether it may still be used."""
    used: Annotated[int, Field(ge=0), Unit("time"), Ranked("least used", "most used")] = 0
    """How often it was sent."""


class SupportTicket(
    Record,
    noun="ticket",
    label="the {subject} ticket[ from {customer_name}]",
    listing="{subject} from {customer_name} ({priority}, {status}, due {solve_due})",
):
    """What one customer wants of the desk."""

    id: TicketId
    """Identifier of the ticket."""
    subject: Text
    """What it is about."""
    customer_id: CustomerId
    """Customer who asks."""
    customer_name: CustomerName
    queue: Queue
    line: Line = "first"
    status: Status
    priority: Priority
    priorities: tuple[Priority, ...]
    """Priorities that the plan of the customer allows."""
    held_by: HeldBy
    reasons: tuple[Reason, ...]
    """What the second line of its queue looks at."""
    passed_on: bool = False
    """Whether the signed-in agent passed it on and can take it back, as nobody has answered it since."""
    answered: bool = False
    """Whether the last word was the desk's, not the customer's."""
    opened_at: dt.datetime
    """When the customer wrote first."""
    reply_due: dt.datetime
    """When the first answer is, or was, due."""
    solve_due: Annotated[dt.datetime, Ranked("most pressing", "least pressing")]
    """When it is to be solved, as far as its clock has run."""
    paused: Minutes = 0
    """Working minutes for which the clock stood still before."""
    replied_at: dt.datetime | None = None
    """When the first answer was given."""
    escalated_for: Reason | None = None
    colleague_id: ColleagueId | None = None
    """Colleague who works on it."""
    colleague_name: str | None = None
    """Name of that colleague."""
    stopped_at: dt.datetime | None = None
    """Since when its clock stands still: it waits for the customer, or is solved."""
    solved_at: dt.datetime | None = None
    """When it was solved."""
    merged_into_id: TicketId | None = None
    """Ticket that it became part of."""


class SupportMessage(Record, noun="message", label="the message of {sent_at}", listing="{name} at {sent_at}: '{text}'"):
    """Something written on a ticket."""

    id: Annotated[str, Ref("SupportMessage")]
    """Identifier of the message."""
    ticket_id: TicketId
    """Ticket that it stands on."""
    author: Literal["customer", "desk"]
    """Whose side wrote it."""
    name: str
    """Who wrote it."""
    text: Text
    """What it says."""
    sent_at: dt.datetime
    """When it was written."""
    macro_id: MacroId | None = None
    """Macro that it came from."""


class TicketPage(Page):
    """A page of tickets."""

    tickets: tuple[SupportTicket, ...]
    """The tickets on this page."""


class MacroPage(Page):
    """A page of macros."""

    macros: tuple[SupportMacro, ...]
    """The macros on this page."""


class ColleagueLoad(Output, noun="colleague", label="{name}", listing="{name} ({presence}, {open_tickets})"):
    """A colleague and how much is on that desk."""

    id: ColleagueId
    """Identifier of the colleague."""
    name: str
    """Full name."""
    queue: Queue
    presence: Presence
    open_tickets: Annotated[Tickets, Ranked("least busy", "busiest")]
    """Open and pending tickets that the colleague holds."""


class ColleaguePage(Page):
    """A page of colleagues."""

    colleagues: tuple[ColleagueLoad, ...]
    """The colleagues on this page."""


class TicketDetails(Output):
    """A ticket with who asks and everything that was written."""

    ticket_id: TicketId
    """Ticket asked about."""
    subject: Text
    """What it is about."""
    customer_name: CustomerName
    customer_email: Email
    plan: Plan
    queue: Queue
    line: Line
    escalated_for: Reason | None = None
    status: Status
    priority: Priority
    priorities: tuple[Priority, ...]
    """Priorities that the plan of the customer allows."""
    held_by: HeldBy
    passed_on: bool
    """Whether the signed-in agent passed it on and can take it back."""
    colleague_name: str | None = None
    """Colleague who works on it."""
    reply_due: dt.datetime
    """When the first answer is, or was, due."""
    replied_at: dt.datetime | None = None
    """When the first answer was given."""
    solve_due: dt.datetime
    """When it is to be solved, as far as its clock has run."""
    overdue: bool
    """Whether it is past that, or was when its clock was stopped."""
    answered: bool
    """Whether the last word was the desk's, not the customer's."""
    reasons: tuple[Reason, ...]
    """What the second line of its queue looks at."""
    messages: tuple[SupportMessage, ...]
    """What was written, the first message first."""


class QueueReport(Output):
    """How a queue of the first line stands."""

    queue: Queue
    waiting: Tickets
    """Tickets that nobody has taken yet."""
    overdue: Tickets
    """Tickets, taken or not, that should be solved by now."""
    present: Annotated[int, Field(ge=0), Unit("colleague")]
    """Colleagues of the queue who are not away."""
    next: tuple[SupportTicket, ...]
    """The three that should be taken first, the one with the earliest due time first."""
