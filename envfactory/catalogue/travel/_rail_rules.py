"""What tickets cost and allow, which seats are free, and what a late train pays."""

import datetime as dt
from collections.abc import Iterable
from typing import Literal, get_args

from envfactory.catalogue.travel import _rail_records as rec
from envfactory.environment import ToolError, cents

FACTOR = {"saver": 1.0, "semi_flex": 1.3, "flex": 1.7}
"""What a fare costs, in saver fares."""
PERCENT = {"quarter": 25, "half": 50}
"""What a railcard takes off the fare of the passenger who holds it."""
CARD_PRICE = {"quarter": 59.0, "half": 199.0}
RENEWAL_DAYS = 30
"""A railcard can be renewed when it is good for so many days at most."""
SEATS = {"second": 40, "first": 12}
"""How many seats a train has that can be reserved."""
SAVER_SEATS = 8
"""Savers are sold while more seats than this are left."""
SEAT_FEE = 4.0
CHANGE_FEE = 8.0
REFUND_FEE = 12.0
"""What reserving, changing and refunding cost for a passenger, where they are not free."""
CLAIM_DAYS = 60
"""A delay can be claimed for so many days after the journey."""
VOUCHER_BONUS = 1.1
"""What a compensation is worth in vouchers, in cash."""
_SORTED_BY = {"departure": "departs", "price": "price", "duration": "minutes"}


# -- trains


def check_journey(origin: str, destination: str, day: dt.date, today: dt.date) -> None:
    """Refuse a journey that leads nowhere, and one that is over."""
    if origin == destination:
        raise ToolError("invalid_argument", f"A journey from {origin} leads to another city.")
    if day < today:
        raise ToolError("invalid_argument", f"The trains of {day} have all left.")


def in_order(
    trains: Iterable[rec.Train], sort: Literal["departure", "price", "duration"] = "departure"
) -> list[rec.Train]:
    """Trains by what they are sorted by, then by departure."""
    return sorted(trains, key=lambda train: (vars(train)[_SORTED_BY[sort]], train.departs, train.id))


def running(train: rec.Train, now: dt.datetime) -> rec.Train:
    """A train that somebody can still buy a ticket for."""
    if train.status == "cancelled":
        raise ToolError("precondition_failed", f"{train.number} on {train.day} is cancelled.")
    if train.leaves_at <= now:
        raise ToolError("precondition_failed", f"{train.number} on {train.day} has left.")
    return train


def check_room(train: rec.Train, travel_class: rec.TravelClass, passengers: int) -> None:
    """Refuse more passengers than a class has seats left."""
    left = train.left(travel_class)
    if left < passengers:
        raise ToolError("conflict", f"{train.number} has {left} seats left in {travel_class} class.")


# -- what tickets cost


def percent_on(day: dt.date, cards: Iterable[rec.Railcard]) -> int:
    """What the best of somebody's railcards that is good on a day takes off."""
    return max((PERCENT[card.kind] for card in cards if card.valid_until >= day), default=0)


def price_of(train: rec.Train, travel_class: rec.TravelClass, fare: rec.Fare, passengers: int, percent: int) -> float:
    """What a ticket costs; a railcard takes `percent` off for one passenger, its holder."""
    each = cents((train.first_price if travel_class == "first" else train.price) * FACTOR[fare])
    return cents(each * (passengers - 1) + each * (100 - percent) / 100)


def has_savers(train: rec.Train, travel_class: rec.TravelClass) -> bool:
    """Whether savers are still sold for a class of a train."""
    return train.left(travel_class) > SAVER_SEATS


def offers(
    train: rec.Train, passengers: int, travel_class: rec.TravelClass | None, percent: int
) -> tuple[rec.FareOffer, ...]:
    """What can be bought for a train with seats enough, in one class or both."""
    fares: tuple[rec.Fare, ...] = get_args(get_args(rec.Fare)[0])
    return tuple(
        rec.FareOffer(fare=fare, travel_class=kind, total=price_of(train, kind, fare, passengers, percent))
        for kind in ("second", "first")
        if travel_class in (None, kind) and train.left(kind) >= passengers
        for fare in fares
        if fare != "saver" or has_savers(train, kind)
    )


def check_sellable(train: rec.Train, fare: rec.Fare, travel_class: rec.TravelClass, passengers: int) -> None:
    """Refuse to sell more seats than there are, and savers on a full train."""
    check_room(train, travel_class, passengers)
    if fare == "saver" and not has_savers(train, travel_class):
        raise ToolError("conflict", f"Savers for {train.number} in {travel_class} class are sold out.")


def new_ticket(
    key: str, passenger_id: str, train: rec.Train, fare: rec.Fare, travel_class: rec.TravelClass, passengers: int,
    percent: int,
) -> rec.TrainTicket:  # fmt: skip
    """A ticket for a train; a railcard takes `percent` off."""
    return rec.TrainTicket(
        id=key, passenger_id=passenger_id, train_id=train.id, train_number=train.number, origin=train.origin,
        destination=train.destination, day=train.day, departs=train.departs, travel_class=travel_class, fare=fare,
        passengers=passengers, price=price_of(train, travel_class, fare, passengers, percent),
    )  # fmt: skip


# -- what tickets allow


def held(train: rec.Train, mine: Iterable[rec.TrainTicket]) -> bool:
    """Whether one of a passenger's tickets is for a train."""
    return any((ticket.train_id, ticket.status) == (train.id, "booked") for ticket in mine)


def check_not_held(train: rec.Train, mine: Iterable[rec.TrainTicket]) -> None:
    """Refuse a passenger's second ticket for a train."""
    if held(train, mine):
        raise ToolError("conflict", f"You have a ticket for {train.number} on {train.day} already.")


def ahead(train: rec.Train, done: str, now: dt.datetime) -> rec.Train:
    """A train that has not left, or never will, so that something can be done with tickets for it."""
    if train.status != "cancelled" and train.leaves_at <= now:
        raise ToolError("precondition_failed", f"{train.number} has left, so the ticket cannot be {done}.")
    return train


def check_flexible(ticket: rec.TrainTicket, train: rec.Train, done: str, today: dt.date) -> None:
    """Refuse what the fare does not allow, unless the train does not run."""
    if train.status == "cancelled":
        return
    if ticket.fare == "saver":
        raise ToolError("precondition_failed", f"Saver tickets cannot be {done}.")
    if ticket.fare == "semi_flex" and train.day <= today:
        raise ToolError("precondition_failed", f"Semi flex tickets can be {done} until the day before the journey.")


def free_of_charge(ticket: rec.TrainTicket, train: rec.Train) -> bool:
    """Whether a ticket that can be changed or refunded is so without a fee."""
    return ticket.fare == "flex" or train.status == "cancelled"


def could_take(ticket: rec.TrainTicket, train: rec.Train) -> bool:
    """Whether a train runs and has seats enough for a ticket in its class."""
    return train.status == "scheduled" and train.left(ticket.travel_class) >= ticket.passengers


def check_swap(old: rec.Train, new: rec.Train) -> None:
    """Refuse to change to the same train, and to one that goes elsewhere."""
    if new.id == old.id:
        raise ToolError("invalid_argument", f"The ticket is for {new.number} already.")
    if (new.origin, new.destination) != (old.origin, old.destination):
        raise ToolError("invalid_argument", f"{new.number} does not run from {old.origin} to {old.destination}.")


def swapped(
    ticket: rec.TrainTicket, old: rec.Train, new: rec.Train, percent: int
) -> tuple[rec.TrainTicket, rec.Change]:
    """A ticket for another train, without the seats that were reserved, and what the change comes to."""
    price = price_of(new, ticket.travel_class, ticket.fare, ticket.passengers, percent)
    if old.status == "cancelled":
        price = ticket.price
    fee = 0.0 if free_of_charge(ticket, old) else CHANGE_FEE * ticket.passengers
    changed = ticket.evolve(
        train_id=new.id, train_number=new.number, day=new.day, departs=new.departs, seats=(),
        price=max(price, ticket.price), fees=cents(ticket.fees + fee),
    )  # fmt: skip
    to_pay = cents(fee + changed.price - ticket.price)
    return changed, rec.Change(
        ticket_id=ticket.id, train_number=new.number, departs=new.departs, fee=fee, to_pay=to_pay
    )


def check_upgrade(ticket: rec.TrainTicket, train: rec.Train) -> None:
    """Refuse an upgrade on a train that does not run, of a first-class ticket, and without seats enough."""
    if train.status == "cancelled":
        raise ToolError("precondition_failed", f"{train.number} is cancelled, so the ticket cannot be upgraded.")
    if ticket.travel_class == "first":
        raise ToolError("invalid_argument", "The ticket is for first class already.")
    check_room(train, "first", ticket.passengers)


def upgraded(ticket: rec.TrainTicket, train: rec.Train, percent: int) -> rec.TrainTicket:
    """A ticket for first class, without the seats that were reserved; a saver costs semi flex without savers there."""
    fare: rec.Fare = "semi_flex" if ticket.fare == "saver" and not has_savers(train, "first") else ticket.fare
    price = price_of(train, "first", fare, ticket.passengers, percent)
    return ticket.evolve(travel_class="first", price=max(price, ticket.price), seats=())


def refund_of(ticket: rec.TrainTicket, train: rec.Train) -> rec.Refund:
    """What giving a ticket back comes to; a fee is never more than the ticket cost."""
    fee = 0.0 if free_of_charge(ticket, train) else min(ticket.price, REFUND_FEE * ticket.passengers)
    return rec.Refund(ticket_id=ticket.id, fee=fee, refund=cents(ticket.price - fee))


# -- seats


def position_of(seat: int) -> rec.Seat:
    """Where a seat is: rows of four, the outer two at windows."""
    return "window" if seat % 4 in (0, 1) else "aisle"


def free_seats(ticket: rec.TrainTicket, position: rec.Seat, tickets: Iterable[rec.TrainTicket]) -> list[int]:
    """Numbers of the seats in a ticket's train and class that nobody has reserved, where somebody wants to sit."""
    taken = {
        seat
        for other in tickets
        if (other.train_id, other.travel_class, other.status) == (ticket.train_id, ticket.travel_class, "booked")
        for seat in other.seats
    }
    seats = range(1, SEATS[ticket.travel_class] + 1)
    return [seat for seat in seats if seat not in taken and position_of(seat) == position]


def seated(
    ticket: rec.TrainTicket, train: rec.Train, position: rec.Seat, tickets: Iterable[rec.TrainTicket]
) -> rec.TrainTicket:
    """A ticket with a seat for every passenger, the lowest numbers that are free, and with what they cost."""
    if train.status == "cancelled":
        raise ToolError("precondition_failed", f"{train.number} is cancelled, so it has no seats to reserve.")
    if ticket.seats and all(position_of(seat) == position for seat in ticket.seats):
        raise ToolError("invalid_argument", f"The ticket has {position} seats already.")
    free = free_seats(ticket, position, tickets)
    if len(free) < ticket.passengers:
        raise ToolError("conflict", f"{train.number} has {len(free)} {position} seats left in this class.")
    fee = 0.0 if ticket.travel_class == "first" or ticket.fare == "flex" else SEAT_FEE * ticket.passengers
    return ticket.evolve(seats=tuple(free[: ticket.passengers]), fees=cents(ticket.fees + fee))


# -- claims and railcards


def check_claim(ticket: rec.TrainTicket, train: rec.Train, claims: Iterable[rec.DelayClaim], today: dt.date) -> None:
    """Refuse to claim twice, too late, and for too little a delay."""
    if any(claim.ticket_id == ticket.id for claim in claims):
        raise ToolError("conflict", f"You have claimed for {train.number} on {train.day} already.")
    if (today - train.day).days > CLAIM_DAYS:
        raise ToolError("precondition_failed", f"The journey was on {train.day}, over {CLAIM_DAYS} days ago.")
    if train.delay < 60:
        raise ToolError("precondition_failed", f"{train.number} was {train.delay} minutes late, less than an hour.")


def new_claim(
    key: str, ticket: rec.TrainTicket, train: rec.Train, payout: rec.Payout, today: dt.date
) -> rec.DelayClaim:
    """The claim for a late train: a quarter of the price, half of it from two hours on, and more in vouchers."""
    amount = ticket.price * (0.5 if train.delay >= 120 else 0.25) * (VOUCHER_BONUS if payout == "vouchers" else 1)
    return rec.DelayClaim(
        id=key, passenger_id=ticket.passenger_id, ticket_id=ticket.id, train_number=train.number,
        destination=train.destination, day=train.day, delay=train.delay, payout=payout, amount=cents(amount),
        filed_on=today,
    )  # fmt: skip


def check_new_card(kind: rec.CardKind, cards: Iterable[rec.Railcard], today: dt.date) -> None:
    """Refuse a railcard to who holds as good a one for longer than its last month."""
    last = today + dt.timedelta(days=RENEWAL_DAYS)
    held = [card for card in cards if PERCENT[card.kind] >= PERCENT[kind] and card.valid_until > last]
    if held:
        raise ToolError("conflict", f"You hold a {held[0].kind} fare card until {held[0].valid_until} already.")


def new_card(key: str, passenger_id: str, kind: rec.CardKind, today: dt.date) -> rec.Railcard:
    """A railcard that is good for a year."""
    until = today + dt.timedelta(days=365)
    return rec.Railcard(id=key, passenger_id=passenger_id, kind=kind, valid_until=until, price=CARD_PRICE[kind])
