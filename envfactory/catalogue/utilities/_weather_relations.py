"""How the arguments of real calls to the weather service hang together: what a subscriber would call each tool with."""

from envfactory.environment import Differing, Ends, FromNow, Having, New, Owned, Some, Within

_OWN_PLACE = Owned(parameter="place_id", field="subscriber_id", by="subscriber_id")
_OWN_WATCH = Owned(parameter="watch_id", field="subscriber_id", by="subscriber_id")
_NOTICE = Within(parameter="notice", low=2, high=4)

FORECAST = (Within(parameter="days", low=2, high=6),)
BEST_DAYS = (FromNow(parameter="until", days=(2, 6)),)
COMPARING = (FromNow(parameter="day", days=(0, 5)),)
MUTING = (
    Having(parameter="alert_id", field="status", among=("in_force",)),
    Having(parameter="alert_id", field="severity", among=("minor", "moderate")),
    Differing(parameter="muted", other="alert_id", field="muted"),
)
SAVING = (New(parameter="city", entity="WeatherPlace", field="city"),)
REMOVING = (
    _OWN_PLACE,
    Having(parameter="place_id", field="kind", among=("work", "family", "holiday")),
    Ends(parameter="place_id"),
)
WATCHES = (_OWN_PLACE,)
WATCHING = (_OWN_PLACE, _NOTICE)
CHANGING = (
    _OWN_WATCH,
    Some("level", "channel", "notice"),
    Differing(parameter="level", other="watch_id", field="level"),
    Differing(parameter="channel", other="watch_id", field="channel"),
    _NOTICE,
)
SWITCHING = (_OWN_WATCH, Differing(parameter="on", other="watch_id", field="on"))
DELETING = (_OWN_WATCH, Ends(parameter="watch_id"))
