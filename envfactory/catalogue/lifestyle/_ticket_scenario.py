"""The box office of a scenario: events in every condition, and the user's requests and tickets at every step."""

import datetime as dt
from typing import Any, NamedTuple

from envfactory.catalogue.lifestyle import _ticket_rules as rules
from envfactory.catalogue.lifestyle._ticket_records import (
    EventStatus,
    EventTicket,
    Fan,
    Kind,
    LiveEvent,
    PresaleCode,
    PriceSection,
    RequestStatus,
    SeatRequest,
    TicketStatus,
    Tier,
)
from envfactory.environment import Person, World, by_id, cents

_KINDS: tuple[Kind, ...] = ("concert", "theatre", "sport")
_TIERS: tuple[Tier, ...] = ("basic", "standard", "premium")
_RATES = (1.0, 1.5, 2.2)
"""What the tiers cost, by the price of the first."""
_SECTIONS: dict[Kind, tuple[str, str, str]] = {
    "concert": ("upper tier", "lower tier", "front block"),
    "theatre": ("balcony", "dress circle", "stalls"),
    "sport": ("north end", "east stand", "main stand"),
}
_VENUES: dict[Kind, str] = {"concert": "Arena", "theatre": "Playhouse", "sport": "Stadium"}
_BASE: dict[Kind, tuple[int, int]] = {"concert": (36, 68), "theatre": (26, 52), "sport": (24, 48)}
_PLAYS = (
    "Hamlet", "Macbeth", "Othello", "King Lear", "The Tempest", "Twelfth Night", "The Cherry Orchard",
    "Three Sisters", "The Seagull", "Uncle Vanya", "Hedda Gabler", "Ghosts", "Peer Gynt", "Miss Julie", "Antigone",
    "Medea", "Electra", "Tartuffe", "The Miser", "The Misanthrope", "Faust", "Cyrano de Bergerac", "Pygmalion",
    "An Ideal Husband", "Carmen", "La Traviata", "The Magic Flute", "Swan Lake", "Giselle", "The Nutcracker",
    "Don Giovanni", "Tosca", "Rigoletto", "Aida", "The Firebird", "Coriolanus",
)  # fmt: skip
_MOODS = ("Paper", "Velvet", "Silver", "Northern", "Quiet", "Electric", "Golden", "Midnight", "Crimson", "Hollow")
_BANDS = ("Lanterns", "Foxes", "Harbours", "Satellites", "Orchards", "Tigers", "Parade", "Choir")
_TEAMS = (
    "Falcons", "Lynx", "Rovers", "Comets", "Mariners", "Wolves", "Dynamos", "Pioneers", "Ravens", "Titans", "Storks",
    "Bisons",
)  # fmt: skip


class _Night(NamedTuple):
    """One of the first events: in how many days, and what is special about it."""

    ahead: int
    status: EventStatus = "scheduled"
    refund: int = 0
    """In how many days full refunds end, if it was moved or cancelled."""
    on_sale: int = -60
    """In how many days everybody can buy."""
    limit: int = 6
    full: tuple[int, ...] = ()
    """Sections that are sold out."""


_NIGHTS = (
    _Night(34), _Night(20), _Night(48), _Night(27, "moved", 9), _Night(16, "cancelled", 30), _Night(30), _Night(41),
    _Night(12), _Night(23, "moved", -4), _Night(0), _Night(-9), _Night(37, limit=2), _Night(70, on_sale=6),
    _Night(31, full=(2,)), _Night(26, full=(1,)), _Night(55), _Night(44, full=(2,)), _Night(60, "cancelled", 40),
    _Night(19), _Night(65, on_sale=9), _Night(33, full=(0, 1)), _Night(50), _Night(28, full=(2,)),
    _Night(39, "moved", 12),
)  # fmt: skip


class _Bought(NamedTuple):
    """Tickets of the user's: for which event and section, how many, since when, and how they stand."""

    event: int
    tier: int
    seats: int
    days: int
    """How many days ago they were bought; 0 is three hours ago."""
    status: TicketStatus = "valid"
    protect: bool = False
    received: bool = False


_TICKETS = (
    _Bought(0, 0, 2, 20),
    _Bought(1, 0, 2, 15, protect=True),
    _Bought(2, 0, 2, 0),
    _Bought(3, 0, 2, 33),
    _Bought(4, 1, 2, 28),
    _Bought(5, 1, 1, 11, "listed"),
    _Bought(5, 0, 1, 11),
    _Bought(6, 0, 2, 24, "sent"),
    _Bought(6, 1, 1, 9),
    _Bought(7, 0, 2, 30, received=True),
    _Bought(8, 0, 1, 26),
    _Bought(9, 0, 1, 17),
    _Bought(10, 1, 2, 40),
    _Bought(11, 0, 2, 7),
    _Bought(18, 0, 2, 13, protect=True),
    _Bought(18, 1, 1, 13, "listed"),
    _Bought(22, 0, 2, 0),
    _Bought(22, 1, 1, 5, "sent"),
    _Bought(23, 1, 2, 21),
    _Bought(23, 0, 1, 19, "listed"),
    _Bought(21, 0, 1, 16, "returned"),
)


class _Asked(NamedTuple):
    """A request of the user's: for which event and section, how many seats, how long ago, and how it stands."""

    event: int
    tier: int
    seats: int
    minutes: int
    status: RequestStatus = "held"


_DAY = 1440
_REQUESTS = (
    _Asked(14, 0, 1, 4),
    _Asked(15, 0, 1, 3),
    _Asked(13, 1, 1, 2),
    _Asked(20, 2, 1, 1),
    _Asked(16, 2, 1, 5 * _DAY),
    _Asked(13, 2, 2, 4 * _DAY, "waiting"),
    _Asked(14, 1, 1, 6 * _DAY, "waiting"),
    _Asked(20, 1, 2, 3 * _DAY, "waiting"),
    _Asked(16, 0, 2, 9 * _DAY, "released"),
    _Asked(1, 2, 2, 2 * _DAY, "expired"),
    _Asked(15, 2, 1, 10 * _DAY, "expired"),
)
"""Those held for more than a day came off the waiting list. What is held is one seat, for events without tickets of
the user's, so that the ticket that comes of it can be spoken of by its event alone."""
_CODES = ((12, 10, 5), (13, 15, 20), (15, 10, 12), (21, 20, 9), (0, 5, 14), (5, 10, -3))
"""The user's codes: event, percent off, and in how many days they end; the last is over."""


def box_office(world: World, size: int) -> dict[str, Any]:
    """Draw the fields of the state, about `size` records and a hundred and fifty more."""
    people = [world.user, *world.people(max(8, size // 8))]
    fans = [
        Fan(id=f"FN-{11 + n}", name=p.name, email=p.email, friends=tuple(_friends(people, n)))
        for n, p in enumerate(people)
    ]
    house = _House(world, fans)
    house.open(max(len(_NIGHTS), size // 3))
    for night, percent, days in _CODES:
        house.code(fans[0], house.events[night], percent, days)
    for bought in _TICKETS:
        house.buy(fans[0], bought)
    for asked in _REQUESTS:
        house.ask(fans[0], asked)
    for n, fan in enumerate(fans[1:]):
        house.code(fan, house.events[(12, 19)[n % 2]], 10, 4)
        house.buy(fan, _Bought(len(_NIGHTS) - 24 + (0, 3, 5, 15)[n % 4], n % 2, 1, 14 + n % 9))
        night, tier = ((13, 2), (20, 1), (20, 0), (16, 2))[n % 4]
        house.ask(fan, _Asked(night, tier, 2, (2 + n % 6) * _DAY + 30 + n, "waiting"))
    return {
        "now": world.now,
        "fan_id": fans[0].id,
        "fans": by_id(fans),
        "events": by_id(house.events),
        "sections": by_id(house.sections),
        "codes": by_id(house.codes),
        "requests": by_id(house.requests),
        "tickets": by_id(house.tickets),
    }


def _friends(people: list[Person], place: int) -> list[str]:
    """Addresses of two of the others, the user's not among them."""
    others = [each for n, each in enumerate(people[1:], 1) if n != place]
    return [others[(place + step) % len(others)].email for step in (0, 3)]


class _House:
    """Events, sections, codes, requests and tickets as they are added."""

    def __init__(self, world: World, fans: list[Fan]) -> None:
        self.world, self.fans = world, fans
        self.events: list[LiveEvent] = []
        self.sections: list[PriceSection] = []
        self.codes: list[PresaleCode] = []
        self.requests: list[SeatRequest] = []
        self.tickets: list[EventTicket] = []

    def open(self, count: int) -> None:
        """Add events, in every city and of every kind, with their sections."""
        world = self.world
        bands = [f"The {mood} {band}" for mood in _MOODS for band in _BANDS]
        games = [f"{one} vs {other}" for n, one in enumerate(_TEAMS) for other in _TEAMS[n + 1 :]]
        titles = {kind: world.sample(names, 40) for kind, names in zip(_KINDS, (bands, _PLAYS, games), strict=True)}
        addresses = {city: [world.address() for _ in _KINDS] for city, _ in world.cities}
        taken: set[tuple[str, dt.date]] = set()
        for n in range(count):
            place, city = n % len(_KINDS), world.cities[n % len(world.cities)][0]
            kind = _KINDS[place]
            venue = f"{city} {_VENUES[kind]}"
            ahead = world.integer(3, 75)
            while n >= len(_NIGHTS) and (venue, world.today + dt.timedelta(days=ahead)) in taken:
                ahead += 1
            night = _NIGHTS[n] if n < len(_NIGHTS) else _Night(ahead, limit=world.choice((4, 6, 8)))
            event = self._event(n, titles[kind].pop(), kind, city, venue, addresses[city][place], night)
            taken.add((venue, event.starts_at.date()))
            self.events.append(event)
            self._seat(event, night)

    def _event(
        self, n: int, title: str, kind: Kind, city: str, venue: str, address: str, night: _Night
    ) -> LiveEvent:  # fmt: skip
        world = self.world
        starts = dt.datetime.combine(world.today + dt.timedelta(days=night.ahead), dt.time(19 + n % 2, 30))
        event = LiveEvent(
            id=f"EV-{101 + n}", title=title, kind=kind, city=city, venue=venue, address=address, status=night.status,
            starts_at=starts if night.ahead else starts.replace(hour=22), limit=night.limit,
            on_sale_from=world.today + dt.timedelta(days=night.on_sale), resale_cap=world.choice((100, 110, 120)),
        )  # fmt: skip
        if night.status != "scheduled":
            event = event.evolve(refund_until=world.today + dt.timedelta(days=night.refund))
        if night.status == "moved":
            event = event.evolve(moved_from=starts - dt.timedelta(days=21))
        return event

    def _seat(self, event: LiveEvent, night: _Night) -> None:
        """Add the sections of an event."""
        world = self.world
        base, fee = world.integer(*_BASE[event.kind]), world.choice((3.5, 4.0, 4.5, 6.0))
        for place, (tier, rate, name) in enumerate(zip(_TIERS, _RATES, _SECTIONS[event.kind], strict=True)):
            full = place in night.full or (len(self.events) > len(_NIGHTS) and world.chance(0.12))
            section = PriceSection(
                id=f"PS-{201 + len(self.sections)}", event_id=event.id, event=event.title, name=name, tier=tier,
                starts_at=event.starts_at, on_sale_from=event.on_sale_from, price=float(round(base * rate)), fee=fee,
                left=0, status="available" if rules.is_on(event, world.now) else "closed",
                next_seat=world.integer(20, 180),
            )  # fmt: skip
            self.sections.append(rules.with_left(section, 0 if full else world.integer(3, 140)))

    def code(self, fan: Fan, event: LiveEvent, percent: int, days: int) -> None:
        """Add a presale code."""
        number = f"PC-{self.world.integer(10, 99)}{301 + len(self.codes)}"
        until = self.world.today + dt.timedelta(days=days)
        self.codes.append(
            PresaleCode(
                id=number, fan_id=fan.id, event_id=event.id, event=event.title, percent_off=percent, valid_until=until
            )
        )

    def buy(self, fan: Fan, bought: _Bought) -> None:
        """Add tickets, with the request by which they were bought."""
        event, place = self.events[bought.event], 3 * bought.event + bought.tier
        section = self.sections[place]
        buyer = self.fans[3] if bought.received else fan
        at = self.world.now - (dt.timedelta(days=bought.days) if bought.days else dt.timedelta(hours=3))
        request = self._request(buyer, section, event, bought.seats, at).evolve(status="booked", expires_at=None)
        self.requests.append(request)
        self.sections[place] = section.evolve(next_seat=section.next_seat + bought.seats)
        for n in range(bought.seats):
            number = f"ET-{701 + len(self.tickets)}"
            ticket = rules.ticket_of(number, request, section, event, section.next_seat + n, at, protect=bought.protect)
            ticket = rules.valued(ticket.evolve(owner_id=fan.id, received=bought.received), event)
            status = "used" if event.starts_at <= self.world.now else bought.status
            if status == "sent":
                ticket = ticket.evolve(recipient=fan.friends[n])
            if status == "listed":
                ticket = ticket.evolve(asks=cents(ticket.max_ask - 2))
            if status == "returned":
                ticket = ticket.evolve(refund_until=None)
            self.tickets.append(ticket.evolve(status=status))

    def ask(self, fan: Fan, asked: _Asked) -> None:
        """Add a request for seats."""
        event, section, now = self.events[asked.event], self.sections[3 * asked.event + asked.tier], self.world.now
        at = now - dt.timedelta(minutes=asked.minutes)
        request = self._request(fan, section, event, asked.seats, at)
        until = None
        if asked.status == "held":
            until = rules.kept_until(event, at, rules.HOLD)
            if until <= now:  # it waited first
                until = now + dt.timedelta(hours=20)
        self.requests.append(request.evolve(status=asked.status, expires_at=until))

    def _request(self, fan: Fan, section: PriceSection, event: LiveEvent, seats: int, at: dt.datetime) -> SeatRequest:
        number = f"SR-{501 + len(self.requests)}"
        return rules.asked(number, fan.id, section, event, None, seats, at)
