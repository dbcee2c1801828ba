"""Records and results of the weather service, and what counts as how severe."""

import datetime as dt
from typing import Annotated, Literal

from pydantic import Field

from envfactory.environment import FreeText, Output, Page, Ranked, Record, Ref, Unit, Value

SubscriberId = Annotated[str, Ref("WeatherSubscriber")]
PlaceId = Annotated[str, Ref("WeatherPlace")]
AlertId = Annotated[str, Ref("WeatherAlert")]
WatchId = Annotated[str, Ref("WeatherWatch")]
City = Annotated[str, Value("city", "City, by its English name.")]
Hazard = Annotated[Literal["rain", "wind", "heat", "frost"], Value("weather_hazard", "Kind of bad weather.")]
Severity = Literal["minor", "moderate", "severe", "extreme"]
Channel = Literal["email", "text_message", "phone_call"]
Activity = Annotated[
    Literal["hiking", "cycling", "sailing", "stargazing"], Value("outdoor_activity", "What somebody does outside.")
]
Sky = Literal["clear", "cloudy", "foggy", "rainy", "stormy", "snowy"]
Kind = Literal["home", "work", "family", "holiday"]
Notice = Annotated[int, Field(ge=0, le=5), Unit("day")]
Days = Annotated[int, Field(ge=1, le=7), Unit("day")]
Comparison = Literal["warmest", "driest", "calmest"]
Note = Annotated[
    str,
    Field(min_length=3, max_length=200),
    FreeText(("it began an hour ago", "worse than I have ever seen", "it comes and goes", "all over town")),
]
Degrees = Annotated[int, Unit("degree")]

SEVERITIES: tuple[Severity, ...] = ("minor", "moderate", "severe", "extreme")
STARTS_AT: dict[Hazard, tuple[int, int, int, int]] = {
    "rain": (5, 15, 30, 50),
    "wind": (20, 30, 42, 56),
    "heat": (25, 30, 35, 40),
    "frost": (2, -2, -8, -15),
}
"""From where bad weather is minor, moderate, severe and extreme: millimetres, knots, highest and lowest degrees."""


class WeatherSubscriber(Record, noun="subscriber", label="{name}"):
    """Somebody who uses the service."""

    id: SubscriberId
    """Identifier of the subscriber."""
    name: str
    """Full name."""
    email: Annotated[str, Value("email", "E-mail address.")]


class WeatherOutlook(Record, noun="forecast", label="{city} on {day}", listing="{city} on {day} ({sky}, up to {high})"):
    """What the weather of a city will be on a day."""

    id: Annotated[str, Ref("WeatherOutlook")]
    """Identifier of the outlook."""
    city: City
    day: dt.date
    """Day that it is for."""
    sky: Sky
    """What the sky looks like."""
    low: Annotated[Degrees, Ranked("coldest")]
    """Lowest temperature, in degrees Celsius."""
    high: Annotated[Degrees, Ranked(high="warmest")]
    """Highest temperature, in degrees Celsius."""
    rain: Annotated[int, Field(ge=0), Unit("millimetre"), Ranked("driest", "wettest")]
    """How much falls, in millimetres."""
    wind: Annotated[int, Field(ge=0), Unit("knot"), Ranked("calmest", "windiest")]
    """Strongest wind, in knots."""

    def severity(self, hazard: Hazard) -> int:
        """How bad the day is in one respect: place among `SEVERITIES`, or -1 if it is not bad."""
        reached = {"rain": self.rain, "wind": self.wind, "heat": self.high, "frost": -self.low}[hazard]
        bounds = STARTS_AT[hazard]
        return sum(reached >= (-bound if hazard == "frost" else bound) for bound in bounds) - 1


class WeatherPlace(Record, noun="place", label="my place in {city}", listing="{city} ({kind})"):
    """A city that somebody wants to be told about."""

    id: PlaceId
    """Identifier of the place."""
    subscriber_id: SubscriberId
    """Who saved it."""
    city: City
    kind: Kind
    """What the subscriber does there."""


class WeatherWatch(
    Record,
    noun="watch",
    label="my {hazard} watch for {city}",
    listing="{hazard} in {city} (from {level} on, by {channel})",
):
    """Bad weather of a place that somebody wants to be told of beforehand."""

    id: WatchId
    """Identifier of the watch."""
    subscriber_id: SubscriberId
    """Whose it is."""
    place_id: PlaceId
    """Place that is watched."""
    city: City
    hazard: Hazard
    level: Severity
    """How bad it must be at least."""
    channel: Channel = "email"
    """How the subscriber is told."""
    notice: Notice = 1
    """How many days ahead it tells."""
    on: bool = True
    """Whether it tells anything for now."""


class WeatherAlert(
    Record,
    noun="alert",
    label="the {hazard} alert for {city}[ from {starts_on}]",
    listing="{severity} {hazard} in {city} until {ends_on}",
):
    """A public warning about bad weather in a city."""

    id: AlertId
    """Identifier of the alert."""
    city: City
    hazard: Hazard
    severity: Severity
    """How bad it will be."""
    status: Literal["in_force", "withdrawn"]
    """Whether it still holds."""
    starts_on: dt.date
    """First day."""
    ends_on: dt.date
    """Last day."""
    advice: str
    """What people should do."""
    muted: bool = False
    """Whether the signed-in person does not want to hear of it any more."""


class WeatherSighting(Record, noun="report", label="the {hazard} report from {city}"):
    """Bad weather that somebody saw."""

    id: Annotated[str, Ref("WeatherSighting")]
    """Identifier of the report."""
    subscriber_id: SubscriberId
    """Who saw it."""
    city: City
    hazard: Hazard
    note: Annotated[str | None, FreeText()] = None
    """What it is like."""
    seen_on: dt.date
    """When it was seen."""


class Forecast(Output):
    """What the weather of a city will be."""

    city: City
    days: tuple[WeatherOutlook, ...]
    """One for each day, from today on."""


class OutlookPage(Page):
    """A page of days, or of cities on a day."""

    outlooks: tuple[WeatherOutlook, ...]
    """What the weather will be."""


class PlacePage(Page):
    """A page of saved places."""

    places: tuple[WeatherPlace, ...]
    """The places on this page."""


class WatchPage(Page):
    """A page of watches."""

    watches: tuple[WeatherWatch, ...]
    """The watches on this page."""


class AlertPage(Page):
    """A page of alerts."""

    alerts: tuple[WeatherAlert, ...]
    """The alerts on this page."""


class Watched(Output):
    """A watch with what it comes to by the present forecast."""

    watch_id: WatchId
    """The watch."""
    city: City
    hazard: Hazard
    level: Severity
    """How bad it must be at least."""
    channel: Channel
    """How the subscriber is told."""
    state: Literal["on", "paused"]
    """Whether it tells anything for now."""
    bad_days: tuple[dt.date, ...]
    """Days of the forecast that are so bad."""
    told_on: dt.date | None = None
    """Day on which it will tell of the first of them."""


class Muted(Output):
    """An alert that was muted, or is heard again."""

    alert_id: AlertId
    """The alert."""
    city: City
    hazard: Hazard
    notices: Literal["muted", "unmuted"]
    """Whether the subscriber is told of it."""


class Removed(Output):
    """What removing a place comes to."""

    city: City
    watches_removed: Annotated[int, Unit("watch")]
    """How many watches went with it."""


class Reported(Output):
    """What reporting bad weather comes to."""

    city: City
    hazard: Hazard
    reports_today: Annotated[int, Unit("report")]
    """How many people have reported it today."""
    alert_id: AlertId | None = None
    """Alert that was raised because of them, if any."""
    alert_until: dt.date | None = None
    """Last day of that alert."""
