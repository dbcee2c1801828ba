"""What holds for alerts, places, watches and reports: how many there may be, what is refused, what is believed."""

import datetime as dt
from collections.abc import Iterable, Sequence

from envfactory.catalogue.utilities._weather_records import (
    SEVERITIES,
    Channel,
    Hazard,
    Muted,
    Severity,
    WeatherAlert,
    WeatherPlace,
    WeatherSighting,
    WeatherWatch,
)
from envfactory.environment import ToolError

MOST_PLACES = 7
MOST_WATCHES = 3
"""Watches for one place."""
BELIEVED = 3
"""Reports of one day that raise an alert."""
ADVICE: dict[Hazard, str] = {
    "rain": "Stay away from rivers and underpasses.",
    "wind": "Keep clear of trees and tie down what is outside.",
    "heat": "Drink enough and stay in the shade.",
    "frost": "Mind icy roads and protect water pipes.",
}
"""What an alert tells people to do."""


def holding(alerts: Iterable[WeatherAlert], today: dt.date) -> list[WeatherAlert]:
    """The alerts in force that are not over."""
    return [alert for alert in alerts if alert.status == "in_force" and alert.ends_on >= today]


def worst(
    alerts: Iterable[WeatherAlert], city: str | None, hazard: Hazard | None, least: Severity | None
) -> list[WeatherAlert]:
    """Alerts for a city, about a hazard or of a severity at least if so asked: the worst first, then the earliest."""
    bound = 0 if least is None else SEVERITIES.index(least)
    here = [alert for alert in alerts if city in (None, alert.city) and hazard in (None, alert.hazard)]
    found = [alert for alert in here if SEVERITIES.index(alert.severity) >= bound]
    return sorted(found, key=lambda alert: (-SEVERITIES.index(alert.severity), alert.starts_on, alert.id))


def check_mutable(alert: WeatherAlert, today: dt.date, *, muted: bool) -> None:
    """Refuse to mute or unmute an alert in force that is over, or is so already; severe ones are always heard."""
    if alert.ends_on < today:
        raise ToolError("precondition_failed", f"The {alert.hazard} alert for {alert.city} is over.")
    if alert.muted == muted:
        words = "muted already" if muted else "not muted"
        raise ToolError("conflict", f"The {alert.hazard} alert for {alert.city} is {words}.")
    if muted and SEVERITIES.index(alert.severity) >= SEVERITIES.index("severe"):
        raise ToolError("permission_denied", f"Nobody can mute an alert that is {alert.severity}.")


def as_muted(alert: WeatherAlert) -> Muted:
    """Whether one is told of an alert."""
    notices = "muted" if alert.muted else "unmuted"
    return Muted(alert_id=alert.id, city=alert.city, hazard=alert.hazard, notices=notices)


def check_new_place(city: str, own: Sequence[WeatherPlace]) -> None:
    """Refuse to save a city twice, and one place too many."""
    if any(place.city == city for place in own):
        raise ToolError("conflict", f"{city} is among your places already.")
    if len(own) >= MOST_PLACES:
        raise ToolError("limit_exceeded", f"You have {MOST_PLACES} places, as many as can be: remove one first.")


def check_removable(place: WeatherPlace) -> None:
    """Refuse to remove the home."""
    if place.kind == "home":
        raise ToolError("precondition_failed", f"{place.city} is your home, which stays saved.")


def watches_at(place: WeatherPlace, watches: Iterable[WeatherWatch]) -> list[WeatherWatch]:
    """The watches for a place."""
    return [watch for watch in watches if watch.place_id == place.id]


def new_watch(
    key: str, place: WeatherPlace, hazard: Hazard, level: Severity, channel: Channel, notice: int,
    there: Sequence[WeatherWatch],
) -> WeatherWatch:  # fmt: skip
    """A watch for a place, beside those that are there.

    Raises:
        ToolError: one of them watches for the same, or the place has as many as it takes.
    """
    if any(watch.hazard == hazard for watch in there):
        raise ToolError("conflict", f"{place.city} is watched for {hazard} already: change that watch instead.")
    if len(there) >= MOST_WATCHES:
        words = f"{place.city} has {MOST_WATCHES} watches, as many as can be: delete one first."
        raise ToolError("limit_exceeded", words)
    return WeatherWatch(
        id=key, subscriber_id=place.subscriber_id, place_id=place.id, city=place.city, hazard=hazard, level=level,
        channel=channel, notice=notice,
    )  # fmt: skip


def changed(watch: WeatherWatch, level: Severity | None, channel: Channel | None, notice: int | None) -> WeatherWatch:
    """A watch that is different in what is given.

    Raises:
        ToolError: it would be the same.
    """
    new = watch.evolve(
        level=level or watch.level,
        channel=channel or watch.channel,
        notice=watch.notice if notice is None else notice,
    )
    if new == watch:
        raise ToolError("invalid_argument", "Say what shall be different: level, channel, or days ahead.")
    return new


def switched(watch: WeatherWatch, *, on: bool) -> WeatherWatch:
    """A watch that is paused, or resumed if it is to be `on`.

    Raises:
        ToolError: it is so already.
    """
    if watch.on == on:
        raise ToolError("conflict", f"That watch is {'on' if on else 'paused'} already.")
    return watch.evolve(on=on)


def seen(reports: Iterable[WeatherSighting], city: str, hazard: Hazard, day: dt.date) -> list[WeatherSighting]:
    """Reports of a hazard in a city on a day."""
    return [report for report in reports if (report.city, report.hazard, report.seen_on) == (city, hazard, day)]


def new_report(
    key: str, subscriber_id: str, city: str, hazard: Hazard, note: str | None, today: dt.date,
    others: Iterable[WeatherSighting],
) -> WeatherSighting:  # fmt: skip
    """A subscriber's report, beside the others of the day.

    Raises:
        ToolError: one of those is theirs.
    """
    if any(report.subscriber_id == subscriber_id for report in others):
        raise ToolError("conflict", f"You have reported {hazard} in {city} today.")
    return WeatherSighting(id=key, subscriber_id=subscriber_id, city=city, hazard=hazard, note=note, seen_on=today)


def raised(key: str, city: str, hazard: Hazard, today: dt.date) -> WeatherAlert:
    """An alert that reports of today raise."""
    return WeatherAlert(
        id=key, city=city, hazard=hazard, severity="minor", status="in_force", starts_on=today,
        ends_on=today + dt.timedelta(days=1), advice=ADVICE[hazard],
    )  # fmt: skip
