"""Until when a ride can be booked, changed or cancelled, and what is given back, paid or blocked afterwards."""

import datetime as dt
from collections.abc import Iterable, Sequence

from envfactory.catalogue.travel._ride_fares import TARIFFS, lacks, price, totalled
from envfactory.catalogue.travel._ride_records import Car, Ground, Item, Ride, RideContact, RidePlace
from envfactory.environment import ToolError, cents, said, standing

POLICY = """Rides are booked 2 hours (wheelchair_van and large_van: 4) to 30 days ahead, in one city, never two at a
time, and not by somebody who owes over 60 dollars or is overdue. They can be changed until 2 hours before. Cancelling
is free until 24 hours before and for 10 minutes after booking, then 5 dollars, and in the last 2 hours half of the
price, but 5 dollars at least; putting a ride off in its last day does not change that. A fee is unpaid until
pay_ride, and due in 14 days. A ride has 3 stops, 3 sharers and one promotion at most: another takes the place of the
first, which is free again; a change under which it would not hold is refused. Shares are final. A ride is rated and
disputed in 30 days, disputed and tipped once; what was left in a car is reported in 14 days. Credit is given for a
route over a fifth longer than planned, and for waiting that began with a late car. Never make up a tip, rating or
reason."""
"""What an agent has to keep to; the figures below are the same."""
HORIZON = dt.timedelta(days=30)
"""How far ahead rides are booked."""
CHANGE = dt.timedelta(hours=2)
"""Rides can be changed until so long before they begin; from then on cancelling costs half of the price."""
FREE = dt.timedelta(hours=24)
"""Rides are cancelled for free until so long before they begin."""
GRACE = dt.timedelta(minutes=10)
"""How long after booking a ride is cancelled for free in any case."""
LATE_FEE, HALF = 5.0, 0.5
"""What cancelling costs in the last day, in dollars, and in the last two hours, if more, as a share of the price."""
MOST_SHARERS = 3
WAITING_MINUTE, WAITING_FREE = 0.5, 5
"""What a minute of waiting costs, and how many are free."""
CHARGED, DETOUR = 1.1, 1.2
"""How many times as long as planned a route is charged anew, and can be disputed."""
AFTER_DAYS, REPORT_DAYS, PAY_DAYS = 30, 14, 14
"""How long a ride can be rated and disputed, things in it reported as lost, and a charge left unpaid."""
MOST_OWED = 60.0


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
        if not left:
            raise ToolError("not_found", "The ride makes no stops, so there is none to leave out.")
        words = f"The ride stops at {', '.join(stop.name for stop in left)}, not at {name}; name one of its stops."
        raise ToolError("not_found", words)
    return ride.evolve(stops=left)


def through(ride: Ride, place: RidePlace) -> Ride:
    """The ride with a place on its route called as it is now."""
    stops = (stop.evolve(name=place.name) if stop.place_id == place.id else stop for stop in ride.stops)
    return ride.evolve(
        pickup=place.name if ride.pickup_id == place.id else ride.pickup,
        dropoff=place.name if ride.dropoff_id == place.id else ride.dropoff, stops=tuple(stops),
    )  # fmt: skip


def shared(ride: Ride, contact: str, contacts: Iterable[RideContact]) -> Ride:
    """The ride with one more who pays a share of it."""
    if len(ride.split_with) == MOST_SHARERS:
        words = f"A fare is shared with {MOST_SHARERS} contacts at most, here {', '.join(ride.split_with)}"
        raise ToolError("limit_exceeded", f"{words}; leave it as it is.")
    known = {each.name: each for each in contacts}
    left = sorted(each.name for each in known.values() if each.has_account and each.name not in ride.split_with)
    if contact not in known:
        raise ToolError("not_found", f"{contact} is none of your contacts; name one of {', '.join(left)}.")
    if contact in ride.split_with:
        raise ToolError("conflict", f"{contact} pays a share already; name one of {', '.join(left)}.")
    if contact not in left:
        words = f"{contact} has no account, so nothing can be charged to them; name one of {', '.join(left)}."
        raise ToolError("precondition_failed", words)
    return totalled(ride.evolve(split_with=(*ride.split_with, contact)))


# -- cancelling and paying


def free_until(ride: Ride) -> dt.datetime:
    """Last moment at which cancelling a ride costs nothing."""
    return max(ride.fees_from - FREE, ride.booked_at + GRACE)


def cancel_fee(ride: Ride, now: dt.datetime) -> float:
    """What cancelling a ride costs."""
    if now <= free_until(ride):
        return 0.0
    return LATE_FEE if now <= ride.fees_from - CHANGE else max(LATE_FEE, cents(price(ride) * HALF))


def cancelled(ride: Ride, now: dt.datetime) -> Ride:
    """The ride cancelled; the fee, if there is one, is unpaid at first."""
    standing(ride, ("booked",), "cancelled")
    if now >= ride.pickup_at:
        words = f"The ride began at {ride.pickup_at}, so it cannot be cancelled any more; report it once it is over."
        raise ToolError("precondition_failed", words)
    gone = totalled(ride.evolve(status="cancelled", cancel_fee=cancel_fee(ride, now), on_the_way=()))
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
        words = f"The ride could be {done} until {last}, {days} days after it; choose one that is not so long ago."
        raise ToolError("precondition_failed", words)


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
