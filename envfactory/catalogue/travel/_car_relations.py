"""How the arguments of real calls to the car rental hang together, tool by tool."""

from envfactory.catalogue.travel._car_records import RentalStatus
from envfactory.environment import After, Differing, Ends, FieldOf, FromNow, Having, Owned, Within

_OWN = Owned(parameter="rental_id", field="renter_id", by="renter_id")


def _mine(*among: RentalStatus) -> tuple[Owned, Having]:
    """The renter's own rentals that stand like this."""
    return _OWN, Having(parameter="rental_id", field="status", among=among)


_BOOKED = _mine("booked")
_CURRENT = _mine("booked", "running")

RENTING = (
    FromNow(parameter="pick_up", days=(3, 60)),
    After(parameter="return_on", other="pick_up", days=(2, 12)),
)
"""When cars are looked for and rented."""
LOOKING = (_OWN,)
ADDING_EXTRAS = (*_BOOKED, Within(parameter="count", low=2, high=2))
REMOVING_EXTRAS = (*_BOOKED, FieldOf(parameter="extra_id", other="rental_id", field="extras[].extra_id"))
ADDING_DRIVERS = (*_CURRENT, Within(parameter="age", low=22, high=68))
REMOVING_DRIVERS = (*_BOOKED, FieldOf(parameter="name", other="rental_id", field="drivers[].name"))
PROTECTING = (*_BOOKED, Differing(parameter="protection", other="rental_id", field="protection"))
EXTENDING = (*_CURRENT, Within(parameter="days", low=1, high=5))
RETURNING = (
    *_CURRENT,
    Having(parameter="rental_id", field="category", among=("economy", "compact", "family", "premium")),
    Having(parameter="station_id", field="one_way", among=(True,)),
    Differing(parameter="station_id", other="rental_id", field="return_station_id"),
)
CANCELLING = (*_BOOKED, Ends(parameter="rental_id"))
DAMAGING = _mine("running")
