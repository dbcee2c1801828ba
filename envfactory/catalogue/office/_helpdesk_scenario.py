"""The desk of a scenario: four queues on two lines, tickets in every condition, some of them written twice."""

import datetime as dt
from typing import Any, NamedTuple, get_args

from envfactory.catalogue.office._helpdesk_records import (
    DeskAgent,
    DeskColleague,
    DeskCustomer,
    HeldBy,
    Line,
    Priority,
    Queue,
    Reason,
    Status,
    SupportMacro,
    SupportMessage,
    SupportTicket,
)
from envfactory.catalogue.office._helpdesk_rules import (
    MOST_TICKETS,
    PRIORITIES,
    REASONS,
    REPLY_MINUTES,
    SOLVE_MINUTES,
    after,
    allowed,
    hours_of,
    load,
    target,
    timed,
    worked,
)
from envfactory.environment import World, by_id

_QUEUES: tuple[Queue, ...] = get_args(get_args(Queue)[0])
_SUBJECTS: dict[Queue, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "accounts": (
        ("password", "e-mail", "profile", "username", "two-factor", "newsletter", "team"),
        ("reset", "change", "lockout", "mix-up", "warning", "removal", "transfer"),
    ),
    "billing": (
        ("January", "February", "yearly", "team plan", "upgrade", "trial", "card"),
        ("invoice", "double charge", "refund", "discount", "receipt", "charge", "payment"),
    ),
    "deliveries": (
        ("lamp", "desk", "bookcase", "armchair", "mirror", "carpet", "kettle"),
        ("delay", "damage", "address", "missing part", "return", "pickup", "exchange"),
    ),
    "technical": (
        ("app", "tablet", "printer", "export", "search", "calendar", "upload"),
        ("crash", "error", "sync", "freeze", "login", "update", "slowness"),
    ),
}
_WRITTEN: dict[Queue, tuple[str, ...]] = {
    "accounts": ("I cannot get into my account.", "Please change this for me.", "I did not ask for this."),
    "billing": ("The amount does not look right.", "I was charged twice.", "Please send me the document."),
    "deliveries": ("It has not arrived yet.", "It came broken.", "It went to the wrong address."),
    "technical": ("It stops as soon as I start it.", "It worked until yesterday.", "I only see an error."),
}
_ANSWERS = ("We are looking into it.", "Could you tell us more?", "Please try once more.", "Thank you, we have it.")
_AGAIN = ("Any news?", "It is still the same.", "That did not help.")
_MACROS: tuple[tuple[Queue, str, str, str], ...] = (
    ("accounts", "password link", "solved", "Here is a link to set a new password."),
    ("accounts", "identity check", "pending", "Please confirm your date of birth and your city."),
    ("accounts", "account review", "open", "We are checking your account."),
    ("accounts", "profile steps", "pending", "Please open your profile, choose Edit, and tell us what you see."),
    ("accounts", "old sign-in page", "solved", "Please use the old sign-in page."),
    ("billing", "invoice copy", "solved", "Here is a copy of your invoice."),
    ("billing", "order number", "pending", "Please send us the number of your order."),
    ("billing", "payment check", "open", "We are asking our bank about your payment."),
    ("billing", "refund sent", "solved", "Your refund is on its way and takes up to five days."),
    ("billing", "bank details", "pending", "Please tell us which account the refund should go to."),
    ("billing", "tax form", "solved", "Here is the form for your tax office."),
    ("billing", "old price list", "solved", "Here is our price list."),
    ("deliveries", "photo of the damage", "pending", "Please send us a photo of the damage."),
    ("deliveries", "carrier asked", "open", "We have asked the carrier where your parcel is."),
    ("deliveries", "return label", "solved", "Here is your label; any post office takes the parcel."),
    ("deliveries", "address check", "pending", "Please send us your full address."),
    ("deliveries", "holiday delays", "solved", "Parcels take longer over the holidays."),
    ("technical", "restart steps", "pending", "Please restart the device and tell us what happens."),
    ("technical", "known fault", "open", "We know of this fault and are working on it."),
    ("technical", "new version", "solved", "The new version puts this right; please install it."),
    ("technical", "log file", "pending", "Please send us the log file."),
    ("technical", "old driver", "solved", "Please install the old driver."),
)
_RETIRED = ("old sign-in page", "old price list", "holiday delays", "old driver")


class _Kind(NamedTuple):
    """One ticket: in which queue and condition, in whose hands, and of which customer if that matters."""

    queue: Queue
    status: Status = "open"
    held_by: HeldBy = "me"
    priority: Priority = "normal"
    answered: bool = False
    late: bool = False
    customer: int = -1
    days: int = 0
    """How many days ago it was solved."""
    line: Line = "first"
    passed_on: bool = False
    colleague: int = -1
    reason: Reason | None = None


_MINE = (
    _Kind("billing", priority="high", answered=True, customer=1),
    _Kind("billing", customer=1),  # the same customer once more
    _Kind("technical", answered=True, customer=2),
    _Kind("technical", held_by="nobody", priority="high", customer=2),  # and nobody has seen that it is the same
    _Kind("accounts", "pending", answered=True, priority="low", customer=3),
    _Kind("deliveries", late=True, customer=4),
    _Kind("deliveries", held_by="nobody", customer=4),
    _Kind("technical", "solved", answered=True, days=2, customer=5),
    _Kind("billing", "solved", answered=True, days=5, customer=6),
    _Kind("deliveries", "closed", answered=True, days=20, customer=7),
    _Kind("accounts", held_by="nobody", answered=True, line="second", passed_on=True, reason="a_legal_question"),
    _Kind("technical", held_by="a_colleague", answered=True, line="second", reason="a_software_fault"),
    _Kind("deliveries", held_by="a_colleague", answered=True, passed_on=True),
)
"""The user's own, and what they passed on."""


def help_desk(world: World, size: int) -> dict[str, Any]:
    """Draw the fields of the state, about `size` records and a hundred more."""
    user = DeskAgent(id="AG-1", name=world.user.name, email=world.user.email)
    people = world.people(16 + max(14, size // 4))
    colleagues = [
        DeskColleague(
            id=f"AG-{11 + n}", name=people[n].name, queue=_QUEUES[n % 4], line="second" if n >= 12 else "first",
            presence="away" if n in (8, 11) else "in",
        )
        for n in range(16)
    ]  # fmt: skip
    customers = [
        DeskCustomer(id=f"CU-{101 + n}", name=p.name, email=p.email, plan="premium" if n % 3 == 1 else "standard")
        for n, p in enumerate(people[16:])
    ]
    macros = [
        SupportMacro(
            id=f"MA-{201 + n}", name=name, queue=queue, text=text, active=name not in _RETIRED,
            leaves=leaves,  # pyright: ignore[reportArgumentType] (checked by the record)
            used=world.integer(3, 90),
        )
        for n, (queue, name, leaves, text) in enumerate(_MACROS)
    ]  # fmt: skip
    full = colleagues[5].id  # of billing
    kinds = [*_MINE, *(_Kind("billing", held_by="a_colleague", colleague=5) for _ in range(MOST_TICKETS))]
    kinds += [_other(world, n) for n in range(max(16, size // 3))]
    desk = _Desk(world, user, colleagues, customers, full)
    for kind in kinds:
        desk.add(kind)
    return {
        "now": world.now,
        "agent_id": user.id,
        "agents": by_id([user]),
        "colleagues": by_id(colleagues),
        "customers": by_id(customers),
        "macros": by_id(macros),
        "tickets": by_id(desk.tickets),
        "messages": by_id(desk.messages),
    }


def _other(world: World, n: int) -> _Kind:
    """What others hold or nobody yet: half of it waits."""
    queue, answered = _QUEUES[n % 4], world.chance(0.6)
    priority = world.weighted(dict(zip(PRIORITIES, (2, 4, 2, 1), strict=True)))
    if n % 8 < 4:
        return _Kind(queue, held_by="nobody", priority=priority, late=n % 16 == 1)
    if n % 16 == 4:
        return _Kind(queue, held_by="nobody", priority=priority, answered=True, line="second", reason=REASONS[queue][0])
    status: Status = ("open", "solved", "pending", "open")[n // 8 % 4]
    days = world.integer(1, 6) if status == "solved" else 0
    answered = answered or status != "open"
    return _Kind(queue, status, "a_colleague", priority, answered, late=n % 8 == 6, days=days)


class _Desk:
    """Tickets as they are added, with what was written on them."""

    def __init__(
        self, world: World, user: DeskAgent, colleagues: list[DeskColleague], customers: list[DeskCustomer], full: str
    ) -> None:
        self.world, self.user, self.colleagues, self.customers, self.full = world, user, colleagues, customers, full
        self.tickets: list[SupportTicket] = []
        self.messages: list[SupportMessage] = []
        self.subjects = {
            queue: world.sample([f"{thing} {trouble}" for thing in things for trouble in troubles], 49)
            for queue, (things, troubles) in _SUBJECTS.items()
        }

    def add(self, kind: _Kind) -> None:
        """Add a ticket of this kind; its times follow from how long it has been worked on."""
        world, n = self.world, len(self.tickets)
        customer = self.customers[kind.customer] if kind.customer >= 0 else world.choice(self.customers[8:])
        priorities = allowed(customer.plan)
        priority = kind.priority if kind.priority in priorities else "high"
        minutes = target(SOLVE_MINUTES, priority, customer.plan)
        ended = world.now - dt.timedelta(days=kind.days, minutes=world.integer(10, 200) if kind.days else 0)
        share = world.integer(120, 170) if kind.late else world.integer(25, 80)
        opened = _before(ended, minutes * share // 100)
        answered = kind.answered or (kind.status == "open" and kind.held_by == "a_colleague")
        gone = worked(opened, ended)
        replied = after(opened, min(target(REPLY_MINUTES, priority, customer.plan), gone // 2)) if answered else None
        colleague = self._holder(kind)
        if colleague is None and kind.held_by == "a_colleague":  # as all of them hold what they may
            kind = kind._replace(held_by="nobody")
        ticket = SupportTicket(
            id=f"ST-{301 + n}", subject=self._subject(kind.queue, customer.id), customer_id=customer.id,
            customer_name=customer.name, queue=kind.queue, line=kind.line, status=kind.status, priority=priority,
            priorities=priorities, held_by=kind.held_by, colleague_id=colleague and colleague.id,
            colleague_name=colleague and colleague.name, passed_on=kind.passed_on, answered=kind.answered,
            reasons=REASONS[kind.queue], escalated_for=kind.reason, opened_at=opened, reply_due=opened,
            solve_due=opened,
        )  # fmt: skip
        ticket = timed(ticket, customer.plan).evolve(replied_at=replied)
        self._write(ticket, "customer", customer.name, world.choice(_WRITTEN[kind.queue]), opened)
        if replied:
            self._write(ticket, "desk", self._writer(kind, colleague), world.choice(_ANSWERS), replied)
            if not kind.answered:
                self._write(ticket, "customer", customer.name, world.choice(_AGAIN), after(replied, gone // 4))
        if kind.status in ("pending", "solved", "closed"):
            solved = ended if kind.days else None
            ticket = ticket.evolve(stopped_at=solved or replied, solved_at=solved)
        self.tickets.append(ticket)

    def _subject(self, queue: Queue, customer_id: str) -> str:
        """What a ticket is about: of one customer in one queue the same thing, as long as it has more faults."""
        pool = self.subjects[queue]
        before = [t.subject for t in self.tickets if (t.customer_id, t.queue) == (customer_id, queue)]
        if not before:
            return pool[len(self.tickets) % 49]
        thing = next(thing for thing in _SUBJECTS[queue][0] if before[0].startswith(f"{thing} "))
        left = [subject for subject in pool if subject not in before]
        return next((subject for subject in left if subject.startswith(f"{thing} ")), left[0])

    def _holder(self, kind: _Kind) -> DeskColleague | None:
        """The colleague who holds it, if it is with one who has room for it."""
        if kind.held_by != "a_colleague":
            return None
        if kind.colleague >= 0:
            return self.colleagues[kind.colleague]
        team = [c for c in self.colleagues if (c.queue, c.line) == (kind.queue, kind.line) and c.id != self.full]
        there = [c for c in team if not (kind.passed_on and c.presence == "away")]
        held = {c.id: load(self.tickets, c.id) for c in there}
        first = min(there, key=lambda c: (held[c.id], c.id))
        return None if held[first.id] == MOST_TICKETS and kind.status in ("open", "pending") else first

    def _writer(self, kind: _Kind, colleague: DeskColleague | None) -> str:
        """Who gave the first answer: the first line did before it passed a ticket on."""
        if kind.held_by == "me" or kind.passed_on:
            return self.user.name
        if colleague is None or colleague.line == "second":
            colleague = next(c for c in self.colleagues if (c.queue, c.line) == (kind.queue, "first"))
        return colleague.name

    def _write(self, ticket: SupportTicket, author: str, name: str, text: str, at: dt.datetime) -> None:
        number = 501 + len(self.messages)
        self.messages.append(
            SupportMessage(
                id=f"MSG-{number}", ticket_id=ticket.id, name=name, text=text, sent_at=at,
                author=author,  # pyright: ignore[reportArgumentType] (checked by the record)
            )
        )  # fmt: skip


def _before(end: dt.datetime, minutes: int) -> dt.datetime:
    """The moment that lies so many working minutes before another."""
    left, moment = dt.timedelta(minutes=minutes), end
    while True:
        opens, closes = hours_of(moment.date())
        moment = min(moment, closes)
        if moment - left >= opens and moment > opens:
            return moment - left
        left -= max(dt.timedelta(), moment - opens)
        moment = dt.datetime.combine(moment.date(), dt.time()) - dt.timedelta(microseconds=1)
