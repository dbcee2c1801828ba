"""How the arguments of real calls to the hotel service hang together, tool by tool."""

from envfactory.environment import After, Differing, Ends, FieldOf, FromNow, Graded, Having, NamedIn, Owned, Within

TITLES = (
    (4, ("too loud to sleep", "the room was not clean", "not worth the money", "we would not go back")),
    (7, ("all right for a night", "good location, but small rooms", "nothing special", "friendly but a bit worn")),
    (10, ("lovely stay", "spotless and quiet", "great staff and a good breakfast", "we will be back")),
)
"""What guests write with such a score at most."""
_OWN = Owned(parameter="reservation_id", field="guest_id", by="guest_id")
_CONFIRMED = (_OWN, Having(parameter="reservation_id", field="status", among=("confirmed",)))
_DATES = (
    FromNow(parameter="check_in", days=(4, 80)),
    After(parameter="check_out", other="check_in", days=(1, 7)),
)

SEARCHING = (Within(parameter="max_rate", low=90, high=220, step=10),)
COMPARING = (*_DATES, Within(parameter="guests", low=1, high=4))
BOOKING = (
    *_DATES,
    FieldOf(parameter="room_kind", other="hotel_id", field="rooms[].kind"),
    Within(parameter="guests", low=1, high=2),
)
LOOKING = (_OWN,)
MOVING = (*_CONFIRMED, *_DATES)
SWITCHING = (*_CONFIRMED, Differing(parameter="room_kind", other="reservation_id", field="room_kind"))
CANCELLING = (*_CONFIRMED, Ends(parameter="reservation_id"))
REVIEWING = (
    NamedIn(parameter="hotel_id", entity="Reservation", field="hotel_id", status="status", among=("completed",)),
    Graded(parameter="title", other="score", bands=TITLES),
)
