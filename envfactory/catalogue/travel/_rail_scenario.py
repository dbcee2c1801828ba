"""The railway of a scenario: a busy route with two pages of trains a day, others, and tickets in every condition."""

import datetime as dt
from typing import Any, NamedTuple

from envfactory.catalogue.travel._rail_records import (
    DelayClaim,
    Fare,
    Passenger,
    Railcard,
    Train,
    TrainTicket,
    TravelClass,
)
from envfactory.catalogue.travel._rail_rules import CARD_PRICE, PERCENT, price_of
from envfactory.environment import World, by_id, cents


class _Mine(NamedTuple):
    """One of the user's tickets: for which kind of train, and as what."""

    train: str
    fare: Fare
    travel_class: TravelClass = "second"
    passengers: int = 1
    status: str = "booked"
    seats: tuple[int, ...] = ()


_MINE = (
    _Mine("busy", "saver"),
    _Mine("busy", "semi_flex", passengers=2, seats=(5, 8)),
    _Mine("busy", "flex"),
    _Mine("quiet", "semi_flex"),
    _Mine("quiet", "flex", "first"),
    _Mine("soon", "semi_flex"),
    _Mine("cancelled", "saver"),
    _Mine("late", "saver", status="travelled"),
    _Mine("late", "flex", passengers=2, status="travelled"),
    _Mine("very late", "semi_flex", status="travelled"),
    _Mine("punctual", "saver", status="travelled"),
    _Mine("long ago", "flex", status="travelled"),
    _Mine("quiet", "flex", status="refunded"),
)
_KINDS = ("IC", "RE", "EC", "ICE", "TGV")


def railway(world: World, size: int) -> dict[str, Any]:
    """Draw the fields of the state, about `size` records in all."""
    people = [world.user, *world.people(max(4, size // 10))]
    passengers = [Passenger(id=f"PA-{11 + n}", name=p.name, email=p.email) for n, p in enumerate(people)]
    user, *others = passengers
    trains = _Trains(world)
    (busy, quiet), back = world.sample(_routes(world), 2), world.sample(_routes(world), max(4, size // 10))
    first, second = world.date(8, 20), world.date(6, 25)
    pools = {
        "busy": [trains.add(busy, first) for _ in range(7)] + [trains.add(busy, first + dt.timedelta(1))],
        "quiet": [trains.add(quiet, second) for _ in range(5)],
        "soon": [trains.add(busy, world.today + dt.timedelta(1)) for _ in range(2)],
        "cancelled": [trains.add(quiet, second, status="cancelled")],
        "late": [trains.add(busy, world.date(-20, -4), status="arrived", delay=d) for d in (64, 88)],
        "very late": [trains.add(quiet, world.date(-30, -10), status="arrived", delay=135)],
        "punctual": [trains.add(quiet, world.date(-30, -10), status="arrived", delay=4)],
        "long ago": [trains.add(busy, world.date(-120, -90), status="arrived", delay=95)],
        "other": [trains.add(back[n % len(back)], world.date(3, 30)) for n in range(max(8, size // 6))],
    }
    trains.rows[0] = trains.rows[0].evolve(second_left=0)  # sold out but for first class
    trains.rows[1] = trains.rows[1].evolve(second_left=5)  # no savers any more
    pools["busy"][:2] = trains.rows[:2]
    cards: list[Railcard] = []
    for n, person in enumerate(passengers):
        kind = "half" if n % 3 == 2 else "quarter"
        until = world.today + dt.timedelta(22) if n == 0 else world.date(-40, 200)
        cards.append(
            Railcard(id=f"RC-{31 + n}", passenger_id=person.id, kind=kind, price=CARD_PRICE[kind], valid_until=until)
        )
    card_of = {card.passenger_id: card for card in cards}
    tickets = [
        _ticket(n, card_of[user.id], pools[mine.train][-1 - n % len(pools[mine.train])], mine)
        for n, mine in enumerate(_MINE)
    ]
    for n in range(max(6, size // 4)):
        pool = "late" if n % 3 == 0 else "other"
        about = _Mine(pool, world.choice(("saver", "flex")), status="travelled" if pool == "late" else "booked")
        train = world.choice(pools[pool])
        aboard = {ticket.passenger_id for ticket in tickets if ticket.train_id == train.id}
        free = [person for person in others if person.id not in aboard]
        if free:
            tickets.append(_ticket(len(tickets), card_of[world.choice(free).id], train, about))
    claimed = [t for t in tickets[len(_MINE) - 5 :] if t.status == "travelled" and t.train_id == pools["late"][0].id]
    delays = {train.id: train.delay for train in trains.rows}
    return {
        "now": world.now,
        "passenger_id": user.id,
        "trains": by_id(trains.rows),
        "passengers": by_id(passengers),
        "railcards": by_id(cards),
        "tickets": by_id(tickets),
        "claims": by_id(_claim(world, n, ticket, delays) for n, ticket in enumerate([tickets[8], *claimed])),
    }


def _routes(world: World) -> list[tuple[str, str]]:
    """Pairs of the world's cities, the first four as starting points."""
    return [(start, end) for start, _ in world.cities[:4] for end, _ in world.cities if start != end]


class _Trains:
    """Trains as they are added, each with a number of its own."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.rows: list[Train] = []

    def add(self, route: tuple[str, str], day: dt.date, **more: Any) -> Train:
        world, n = self.world, len(self.rows)
        leaves = dt.datetime.combine(day, dt.time(6 + n * 2 % 13, world.choice((5, 20, 35, 50))))
        minutes = world.integer(18, 60) * 5  # all arrive on the day on which they leave
        price = world.money(18, 90, 0.5)
        train = Train(
            id=f"TR-{101 + n}", number=f"{world.choice(_KINDS)} {210 + n * 17 + world.integer(0, 16)}",
            origin=route[0], destination=route[1], day=day, departs=leaves.time(),
            arrives=(leaves + dt.timedelta(minutes=minutes)).time(), minutes=minutes, direct=n % 3 != 1, price=price,
            first_price=cents(price * 1.6), second_left=world.integer(12, 36), first_left=world.integer(2, 9),
            platform=world.integer(1, 14), **more,
        )  # fmt: skip
        self.rows.append(train)
        return train


def _ticket(number: int, card: Railcard, train: Train, about: _Mine) -> TrainTicket:
    """A ticket of the holder of a card, which lowers its price if it is good on the day."""
    percent = PERCENT[card.kind] if card.valid_until >= train.day else 0
    return TrainTicket(
        id=f"TK-{401 + number}", passenger_id=card.passenger_id, train_id=train.id, train_number=train.number,
        origin=train.origin, destination=train.destination, day=train.day, departs=train.departs,
        travel_class=about.travel_class, fare=about.fare, passengers=about.passengers,
        price=price_of(train, about.travel_class, about.fare, about.passengers, percent),
        seats=about.seats, fees=4.0 * len(about.seats),
        status=about.status,  # pyright: ignore[reportArgumentType] (checked by the record)
    )  # fmt: skip


def _claim(world: World, number: int, ticket: TrainTicket, delays: dict[str, int]) -> DelayClaim:
    return DelayClaim(
        id=f"DC-{601 + number}", passenger_id=ticket.passenger_id, ticket_id=ticket.id,
        train_number=ticket.train_number, destination=ticket.destination, day=ticket.day,
        delay=delays[ticket.train_id], payout="cash", amount=cents(ticket.price / 4),
        filed_on=min(world.today, ticket.day + dt.timedelta(2)),
    )  # fmt: skip
