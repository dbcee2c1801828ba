"""What a ride costs, until when it can be changed or cancelled, and what is given back, paid or blocked afterwards.

Prices follow from the planned route, the kind of car and the hour, and are reckoned anew whenever one of them changes.
"""

import datetime as dt
import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from envfactory.catalogue.travel._ride_records import (
    Car,
    CarQuote,
    Ground,
    Item,
    Ride,
    RideContact,
    RidePlace,
    RidePromotion,
)
from envfactory.environment import ToolError, cents, standing


class Tariff(NamedTuple):
    """What a kind of car holds and costs, and how many hours ahead it has to be booked."""

    seats: int
    bags: int
    child_seats: bool
    base: float
    per_km: float
    per_minute: float
    least: float
    lead: int


TARIFFS: dict[Car, Tariff] = {
    "standard_car": Tariff(4, 2, True, 2.5, 1.1, 0.25, 6, 2),
    "wheelchair_van": Tariff(3, 2, True, 2.5, 1.1, 0.25, 6, 4),
    "comfort_car": Tariff(4, 3, True, 3.5, 1.45, 0.32, 9, 2),
    "large_van": Tariff(6, 6, True, 5, 1.95, 0.42, 14, 4),
    "premium_car": Tariff(4, 3, False, 7, 2.6, 0.6, 18, 2),
}
HORIZON = dt.timedelta(days=30)
"""How far ahead rides are booked."""
CHANGE = dt.timedelta(hours=2)
"""Rides can be changed until so long before they begin; from then on cancelling costs half of the price."""
FREE = dt.timedelta(hours=24)
"""Rides are cancelled for free until so long before they begin."""
GRACE = dt.timedelta(minutes=10)
"""How long after booking a ride is cancelled for free in any case."""
LATE_FEE, HALF = 5.0, 0.5
"""What cancelling costs in the last day, in dollars, and in the last two hours, as a share of the price."""
MOST_STOPS, STOP_FEE, STOP_MINUTES = 3, 2.0, 3
CHILD_SEAT_FEE = 5.0
MOST_SHARERS = 3
NEAREST = 0.3
"""Two places that are nearer than this, in kilometres, are one and the same to a driver."""
WAITING_MINUTE, WAITING_FREE = 0.5, 5
"""What a minute of waiting costs, and how many are free."""
CHARGED, DETOUR = 1.1, 1.2
"""How many times as long as planned a route is charged anew, and can be disputed."""
AFTER_DAYS, REPORT_DAYS, PAY_DAYS = 30, 14, 14
"""How long a ride can be rated and disputed, things in it reported as lost, and a charge left unpaid."""
MOST_OWED = 60.0


def said(word: str) -> str:
    """A value as it is said."""
    return word.replace("_", " ")


# -- routes and prices


def distance(one: RidePlace, other: RidePlace) -> float:
    """Length of the way between two places of a city, in kilometres."""
    return round(1.3 * math.hypot(one.x_km - other.x_km, one.y_km - other.y_km), 1)


def length(route: Sequence[RidePlace]) -> float:
    """Length of a route, in kilometres."""
    return round(sum(distance(one, other) for one, other in pairwise(route)), 1)


def check_route(route: Sequence[RidePlace]) -> None:
    """Refuse a route with too many stops, that leaves the city, or goes from a place to itself."""
    if len(route) > MOST_STOPS + 2:
        words = f"A ride makes {MOST_STOPS} stops at most; remove one first, or book a second ride."
        raise ToolError("limit_exceeded", words)
    for one, other in pairwise(route):
        if one.city != other.city:
            words = f"{one.name} is in {one.city} and {other.name} in {other.city}; rides stay in one city"
            raise ToolError("invalid_argument", f"{words}, so choose another place (find_places).")
        if distance(one, other) < NEAREST:
            words = f"{other.name} is no ride away from {one.name}, which comes before it; choose another place."
            raise ToolError("invalid_argument", words)


def surge(car: Car, at: dt.datetime) -> float:
    """What prices are multiplied by at an hour: more when people go to work, home, or out on Friday and Saturday."""
    if car == "wheelchair_van":
        return 1.0
    weekday, hour = at.weekday(), at.hour
    if weekday <= 4 and 7 <= hour < 10:
        return 1.3
    if weekday <= 4 and 16 <= hour < 19:
        return 1.4
    return 1.6 if weekday in (4, 5) and hour >= 22 else 1.0


def minutes(route: Sequence[RidePlace]) -> int:
    """How long a ride takes."""
    return 4 + round(2 * length(route)) + STOP_MINUTES * (len(route) - 2)


def fare(car: Car, at: dt.datetime, route: Sequence[RidePlace], *, child_seat: bool) -> float:
    """Price of a ride without any promotion."""
    tariff = TARIFFS[car]
    driven = tariff.base + tariff.per_km * length(route) + tariff.per_minute * minutes(route)
    extras = STOP_FEE * (len(route) - 2) + (CHILD_SEAT_FEE if child_seat else 0)
    return cents(max(driven, tariff.least) * surge(car, at) + extras)


def price(ride: Ride) -> float:
    """Price of a ride for all who share it."""
    return cents(ride.fare - ride.discount)


def totalled(ride: Ride) -> Ride:
    """The ride with what its rider pays for it in all."""
    if ride.status == "cancelled":
        return ride.evolve(total=ride.cancel_fee)
    share = cents(price(ride) / (1 + len(ride.split_with)))
    return ride.evolve(total=cents(share + ride.detour_charge + ride.waiting_fee + (ride.tip or 0) - ride.credit))


def priced(ride: Ride, route: Sequence[RidePlace], promotion: RidePromotion | None) -> Ride:
    """The booked ride with what follows from its route, car, hour and promotion.

    Raises:
        ToolError: the route is no route, or the promotion does not hold for the ride.
    """
    check_route(route)
    whole = fare(ride.car, ride.pickup_at, route, child_seat=ride.child_seat)
    bare = ride.evolve(
        km=length(route), ends_at=ride.pickup_at + dt.timedelta(minutes=minutes(route)), fare=whole,
        surge=surge(ride.car, ride.pickup_at),
    )  # fmt: skip
    if promotion is not None:
        check_promotion(promotion, bare)
        off = min(promotion.max_off, cents(whole * promotion.percent_off / 100))
        bare = bare.evolve(discount=off, promotion_id=promotion.id, promotion=promotion.name)
    return totalled(bare)


def obstacle(promotion: RidePromotion, ride: Ride) -> str | None:
    """Why a promotion does not hold for a ride, if so."""
    if ride.pickup_at.date() > promotion.valid_until:
        return f"is for rides until {promotion.valid_until}"
    if promotion.only_for not in (None, ride.car):
        return f"is only for a {said(str(promotion.only_for))}"
    if ride.fare < promotion.min_fare:
        return f"is for fares of {promotion.min_fare:,.2f} dollars or more, and this one is {ride.fare:,.2f}"
    return None


def check_promotion(promotion: RidePromotion, ride: Ride) -> None:
    """Refuse a promotion that does not hold for a ride."""
    if reason := obstacle(promotion, ride):
        words = f"The promotion {promotion.name} {reason}; leave the ride as it is, or take another promotion"
        raise ToolError("precondition_failed", f"{words} (get_ride shows those that hold).")


def lacks(car: Car, passengers: int, bags: int, *, child_seat: bool) -> str | None:
    """What a kind of car has not got, if anything."""
    tariff = TARIFFS[car]
    if passengers > tariff.seats:
        return f"takes {tariff.seats} passengers at most"
    if bags > tariff.bags:
        return f"takes {tariff.bags} bags at most"
    return "has no child seat" if child_seat and not tariff.child_seats else None


def quotes(
    at: dt.datetime, now: dt.datetime, route: Sequence[RidePlace], passengers: int, bags: int, *, child_seat: bool
) -> list[CarQuote]:
    """What a route costs with each kind of car that holds everybody and can be booked, the cheapest first."""
    check_horizon(at, now)
    found = [
        CarQuote(
            car=car, price=fare(car, at, route, child_seat=child_seat), seats=tariff.seats, room_for=tariff.bags,
            child_seats=tariff.child_seats, book_by=at - dt.timedelta(hours=tariff.lead),
        )
        for car, tariff in TARIFFS.items()
        if not lacks(car, passengers, bags, child_seat=child_seat)
    ]  # fmt: skip
    return sorted((each for each in found if each.book_by >= now), key=lambda each: each.price)


# -- booking and changing


def check_time(car: Car, at: dt.datetime, now: dt.datetime) -> None:
    """Refuse a pick-up time that is too near or too far for a kind of car."""
    lead = dt.timedelta(hours=TARIFFS[car].lead)
    if at < now + lead:
        words = f"A {said(car)} is booked {TARIFFS[car].lead} hours ahead at least"
        raise ToolError("precondition_failed", f"{words}, so the first pick-up time is {now + lead}.")
    check_horizon(at, now)


def check_horizon(at: dt.datetime, now: dt.datetime) -> None:
    """Refuse a pick-up time that is too far for any car."""
    if at > now + HORIZON:
        words = f"Rides are booked up to 30 days ahead; the last pick-up time is {now + HORIZON}."
        raise ToolError("precondition_failed", words)


def check_car(ride: Ride) -> None:
    """Refuse a kind of car that does not hold all who ride and what they bring."""
    if reason := lacks(ride.car, ride.passengers, ride.bags, child_seat=ride.child_seat):
        words = f"A {said(ride.car)} {reason}; choose another kind of car (estimate_fares)."
        raise ToolError("precondition_failed", words)


def check_free(ride: Ride, rides: Iterable[Ride]) -> None:
    """Refuse a ride at a time at which its rider has another one."""
    for other in rides:
        booked = other.status == "booked" and other.id != ride.id
        if booked and ride.pickup_at < other.ends_at and other.pickup_at < ride.ends_at:
            words = f"You have a ride from {other.pickup} to {other.dropoff} from {other.pickup_at} to {other.ends_at}"
            raise ToolError("conflict", f"{words}; choose another time, or move or cancel that one.")


def owes(rides: Iterable[Ride]) -> float:
    """What a rider owes for all rides."""
    return cents(sum(ride.owed for ride in rides))


def is_blocked(rides: Sequence[Ride], today: dt.date) -> bool:
    """Whether a rider owes too much, or for too long, to book."""
    return owes(rides) > MOST_OWED or any(ride.pay_by is not None and ride.pay_by < today for ride in rides)


def check_account(rides: Sequence[Ride], today: dt.date) -> None:
    """Refuse a booking by somebody who has to pay first."""
    if is_blocked(rides, today):
        words = f"You owe {owes(rides):,.2f} dollars, which is over {MOST_OWED:,.0f} or overdue"
        raise ToolError("precondition_failed", f"{words}; pay for the unpaid rides first (find_past_rides, pay_ride).")


def check_changeable(ride: Ride, now: dt.datetime, done: str) -> None:
    """Refuse to change a ride that does not lie ahead, or is about to begin."""
    standing(ride, ("booked",), done)
    if now > ride.fees_from - CHANGE:
        words = f"The ride could be {done} until {ride.fees_from - CHANGE}, two hours before its time; take it as it is"
        raise ToolError("precondition_failed", f"{words}, or cancel it for a fee.")


def moved(ride: Ride, at: dt.datetime, now: dt.datetime) -> Ride:
    """The ride at another time; in its last day no later time makes cancelling cheaper."""
    if at == ride.pickup_at:
        raise ToolError("conflict", f"The ride begins at {at} already; give another time.")
    late = now > free_until(ride)
    return ride.evolve(pickup_at=at, fees_from=min(at, ride.fees_from) if late else at)


def switched(ride: Ride, car: Car) -> Ride:
    """The ride with another kind of car."""
    if car == ride.car:
        raise ToolError("conflict", f"A {said(car)} comes for the ride already; choose another kind of car.")
    return ride.evolve(car=car)


def without_stop(ride: Ride, name: str) -> Ride:
    """The ride without one of its stops."""
    left = tuple(stop for stop in ride.stops if stop.name != name)
    if len(left) == len(ride.stops):
        stops = ", ".join(stop.name for stop in ride.stops)
        words = f"The ride stops at {stops}" if stops else "The ride makes no stops"
        raise ToolError("not_found", f"{words}, not at {name}; name one of its stops.")
    return ride.evolve(stops=left)


def shared(ride: Ride, contact: str, contacts: Iterable[RideContact]) -> Ride:
    """The ride with one more who pays a share of it."""
    known = {each.name: each for each in contacts}
    if contact not in known:
        words = f"{contact} is none of your contacts, who are {', '.join(sorted(known))}; name one of them."
        raise ToolError("not_found", words)
    if not known[contact].has_account:
        words = f"{contact} has no account, so nothing can be charged to them; choose another contact."
        raise ToolError("precondition_failed", words)
    if contact in ride.split_with:
        raise ToolError("conflict", f"{contact} pays a share already; choose another contact.")
    if len(ride.split_with) == MOST_SHARERS:
        words = f"A fare is shared with {MOST_SHARERS} contacts at most, here {', '.join(ride.split_with)}."
        raise ToolError("limit_exceeded", words)
    return totalled(ride.evolve(split_with=(*ride.split_with, contact)))


# -- cancelling and paying


def free_until(ride: Ride) -> dt.datetime:
    """Last moment at which cancelling a ride costs nothing."""
    return max(ride.fees_from - FREE, ride.booked_at + GRACE)


def cancel_fee(ride: Ride, now: dt.datetime) -> float:
    """What cancelling a ride costs."""
    if now <= free_until(ride):
        return 0.0
    return LATE_FEE if now <= ride.fees_from - CHANGE else cents(price(ride) * HALF)


def cancelled(ride: Ride, now: dt.datetime) -> Ride:
    """The ride cancelled; the fee, if there is one, is unpaid at first."""
    standing(ride, ("booked",), "cancelled")
    if now >= ride.pickup_at:
        words = f"The ride began at {ride.pickup_at}, so it cannot be cancelled any more; report it once it is over."
        raise ToolError("precondition_failed", words)
    gone = totalled(ride.evolve(status="cancelled", cancel_fee=cancel_fee(ride, now)))
    return charged(gone, now.date()) if gone.total else gone


def charged(ride: Ride, day: dt.date) -> Ride:
    """The ride with its total not paid yet."""
    return ride.evolve(payment="unpaid", owed=ride.total, pay_by=day + dt.timedelta(days=PAY_DAYS))


def check_unpaid(ride: Ride) -> Ride:
    """Return a ride for which something is owed, and refuse any other."""
    if ride.payment != "unpaid":
        words = "Nothing is owed for this ride; find_past_rides shows which ones are unpaid."
        raise ToolError("precondition_failed", words)
    return ride


def paid(ride: Ride) -> Ride:
    """The ride with nothing left to pay."""
    return ride.evolve(payment="paid", owed=0.0, pay_by=None)


# -- after the ride


def waiting_fee(waited: int) -> float:
    """What waiting costs."""
    return cents(max(0, waited - WAITING_FREE) * WAITING_MINUTE)


def detour_charge(ride: Ride, driven_km: float) -> float:
    """What a route costs that was longer than planned by more than a tenth."""
    more = cents((driven_km - ride.km) * TARIFFS[ride.car].per_km * ride.surge)
    return more if driven_km > CHARGED * ride.km else 0.0


def grounds(ride: Ride) -> tuple[Ground, ...]:
    """On what grounds a charge of a completed ride can be disputed."""
    found: list[Ground] = []
    if ride.driven_km is not None and ride.driven_km > DETOUR * ride.km:
        found.append("wrong_route")
    if ride.driver_late and ride.waiting_fee:
        found.append("waiting_time")
    return tuple(found)


def check_recent(ride: Ride, now: dt.datetime, days: int, done: str) -> None:
    """Refuse what is done after a ride if it was not taken, or too long ago."""
    standing(ride, ("completed",), done)
    last = ride.pickup_at.date() + dt.timedelta(days=days)
    if now.date() > last:
        raise ToolError("precondition_failed", f"The ride could be {done} until {last}, {days} days after it.")


def rated(ride: Ride, stars: int, tip: float | None, now: dt.datetime) -> Ride:
    """The ride with stars for its driver and, once, a tip."""
    check_recent(ride, now, AFTER_DAYS, "rated")
    if tip is None:
        if stars == ride.stars:
            raise ToolError("conflict", f"The ride has a rating of {stars} already; give another one, or a tip.")
        return ride.evolve(stars=stars)
    if ride.tip:
        words = f"{ride.driver} got a tip of {ride.tip:,.2f} dollars already, and there is one a ride; leave it out."
        raise ToolError("conflict", words)
    if tip > price(ride):
        words = f"A tip is at most the price of the ride, {price(ride):,.2f} dollars; give less."
        raise ToolError("limit_exceeded", words)
    return totalled(ride.evolve(stars=stars, tip=cents(tip)))


def reported(ride: Ride, item: Item, now: dt.datetime) -> Ride:
    """The ride with something that was left in its car."""
    check_recent(ride, now, REPORT_DAYS, "searched for lost things")
    if item in ride.left_behind:
        words = f"The {item} is reported already, and {ride.driver} is looking for it; wait for an answer."
        raise ToolError("conflict", words)
    return ride.evolve(left_behind=(*ride.left_behind, item))


def credited(ride: Ride, ground: Ground, now: dt.datetime) -> Ride:
    """The ride with what is given back for a charge that was not right; what is owed for it comes down first."""
    check_recent(ride, now, AFTER_DAYS, "disputed")
    if ride.disputed:
        words = f"The ride was disputed for {said(ride.disputed)}, with {ride.credit:,.2f} dollars of credit"
        raise ToolError("conflict", f"{words}; that is done once a ride.")
    if ground not in ride.grounds:
        if ground == "wrong_route":
            words = f"The route was {ride.driven_km:g} km long instead of {ride.km:g} km; a credit is given only"
            raise ToolError("precondition_failed", f"{words} for more than a fifth more.")
        words = f"{ride.driver} came {ride.driver_late} minutes late and waiting cost {ride.waiting_fee:,.2f} dollars"
        raise ToolError(
            "precondition_failed", f"{words}; a credit is given only for waiting that began with a late car."
        )
    back = ride.detour_charge
    if ground == "waiting_time":
        back = min(ride.waiting_fee, cents(ride.driver_late * WAITING_MINUTE))
    owed = max(0.0, cents(ride.owed - back))
    new = totalled(ride.evolve(disputed=ground, credit=back, grounds=(), owed=owed))
    return new if owed or ride.payment == "paid" else paid(new)


def in_time(ride: Ride) -> tuple[dt.datetime, str]:
    """What rides are sorted by."""
    return ride.pickup_at, ride.id
