"""What a ride costs: the planned route, the kind of car, the hour and a promotion make its price.

Prices are reckoned anew whenever one of these changes; a promotion that would not hold any more stops the change.
"""

import datetime as dt
import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from envfactory.catalogue.travel._ride_records import Car, CarQuote, Ride, RidePlace, RidePromotion
from envfactory.environment import ToolError, cents, said


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
MOST_STOPS, STOP_FEE, STOP_MINUTES = 3, 2.0, 3
HANDY = 3
"""How many places a rider is offered for one more stop."""
CHILD_SEAT_FEE = 5.0
NEAREST = 0.3
"""Two places that are nearer than this, in kilometres, are one and the same to a driver."""


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
            words = (
                f"{other.name} is no ride away from {one.name}, which comes before it; choose another place or stop."
            )
            raise ToolError("invalid_argument", words)


def on_the_way(route: Sequence[RidePlace], places: Iterable[RidePlace]) -> tuple[str, ...]:
    """Names of the places where one more stop would be the smallest detours; none if there is no room for one."""
    if len(route) == MOST_STOPS + 2:
        return ()
    *_, last, end = route
    fit = [each for each in places if each not in route and min(distance(last, each), distance(each, end)) >= NEAREST]
    fit.sort(key=lambda each: (length((last, each, end)), each.name))
    return tuple(each.name for each in fit[:HANDY])


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
    found = [
        CarQuote(
            car=car, price=fare(car, at, route, child_seat=child_seat), seats=tariff.seats, room_for=tariff.bags,
            child_seats=tariff.child_seats, book_by=at - dt.timedelta(hours=tariff.lead),
        )
        for car, tariff in TARIFFS.items()
        if not lacks(car, passengers, bags, child_seat=child_seat)
    ]  # fmt: skip
    return sorted((each for each in found if each.book_by >= now), key=lambda each: each.price)
