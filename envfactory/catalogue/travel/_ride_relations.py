"""How the arguments of real calls to a ride app hang together: what a rider would call each tool with."""

from envfactory.catalogue.travel._ride_records import RideStatus
from envfactory.catalogue.travel._ride_rules import AFTER_DAYS, REPORT_DAYS
from envfactory.environment import (
    AtMost,
    Dated,
    Differing,
    Differs,
    Ends,
    FieldOf,
    FromNow,
    Having,
    New,
    Owned,
    Sharing,
    Within,
)

_MINE = Owned(parameter="ride_id", field="rider_id", by="rider_id")


def _status(status: RideStatus) -> Having:
    """Rides that stand like this."""
    return Having(parameter="ride_id", field="status", among=(status,))


_CHANGEABLE = (_MINE, _status("booked"), Dated(parameter="ride_id", field="fees_from", days=(1, 60)))
_OVER = (_MINE, _status("completed"))
ROUTE = (
    Sharing(parameter="dropoff_id", other="pickup_id", fields=("city",)),
    Differs(parameter="dropoff_id", other="pickup_id"),
    FromNow(parameter="pickup_at", days=(1, 28)),
    Within(parameter="passengers", low=2, high=3),
    Within(parameter="bags", low=1, high=2),
)

PARTY = "[, for {passengers}][, with {bags}][child_seat?, plus a child seat]"
"""How people say who and what comes along, after a route."""
AHEAD = (FromNow(parameter="until", days=(7, 20)),)
LOOKING = (_MINE,)
SHARING = (*_CHANGEABLE, Differing(parameter="contact", other="ride_id", field="split_with[]"))
STOPPING = (*_CHANGEABLE, FieldOf(parameter="place", other="ride_id", field="on_the_way[]"))
SKIPPING = (*_CHANGEABLE, FieldOf(parameter="stop", other="ride_id", field="stops[].name"))
MOVING = (*_CHANGEABLE, FromNow(parameter="pickup_at", days=(1, 28)))
SWITCHING = (*_CHANGEABLE, Differing(parameter="car", other="ride_id", field="car"))
APPLYING = (
    *_CHANGEABLE,
    Owned(parameter="promotion_id", field="rider_id", by="rider_id"),
    Having(parameter="promotion_id", field="status", among=("open",)),
    Dated(parameter="promotion_id", field="valid_until", days=(28, 400)),
)
CANCELLING = (_MINE, _status("booked"), Ends(parameter="ride_id"))
RATING = (
    *_OVER,
    Dated(parameter="ride_id", field="pickup_at", days=(-AFTER_DAYS, -1)),
    Within(parameter="tip", low=1, high=8),
    AtMost(parameter="tip", other="ride_id", field="fare", share=0.5),
    Differing(parameter="stars", other="ride_id", field="stars"),
)
REPORTING = (
    *_OVER,
    Dated(parameter="ride_id", field="pickup_at", days=(-REPORT_DAYS, -1)),
    Differing(parameter="item", other="ride_id", field="left_behind[]"),
)
DISPUTING = (
    *_OVER,
    Dated(parameter="ride_id", field="pickup_at", days=(-AFTER_DAYS, -1)),
    FieldOf(parameter="reason", other="ride_id", field="grounds[]"),
)
PAYING = (_MINE, Having(parameter="ride_id", field="payment", among=("unpaid",)))
SAVING = (New(parameter="saved_as", entity="RidePlace", field="saved_as"),)
