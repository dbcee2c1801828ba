"""A weather service: forecasts day by day, public alerts, and watches that tell somebody of bad weather beforehand.

How bad a day is follows from its figures, by one table for alerts and watches. What many people report is believed: the
third report of a day raises an alert that nobody had issued.
"""

import datetime as dt
from typing import Annotated, Literal, Self

from pydantic import Field

from envfactory.catalogue.utilities._weather_records import (
    NEEDS,
    SEVERITIES,
    Activity,
    AlertId,
    AlertPage,
    Channel,
    City,
    Forecast,
    Hazard,
    Kind,
    Muted,
    Notice,
    OutlookPage,
    PlaceId,
    PlacePage,
    Removed,
    Reported,
    Severity,
    SubscriberId,
    Watched,
    WatchId,
    WatchPage,
    WeatherAlert,
    WeatherOutlook,
    WeatherPlace,
    WeatherSighting,
    WeatherSubscriber,
    WeatherWatch,
)
from envfactory.catalogue.utilities._weather_scenario import ADVICE, weather
from envfactory.environment import (
    Differing,
    Ends,
    Environment,
    FreeText,
    FromNow,
    Having,
    New,
    Owned,
    PageNumber,
    Some,
    Table,
    ToolError,
    Unit,
    Within,
    World,
    owned,
    standing,
    tool,
)

MOST_PLACES = 7
WATCHES_A_PLACE = 3
BELIEVED = 3
"""Reports of one day that raise an alert."""
BEST_DAYS = 3
"""Days on a page of those fit for an activity."""

OWN_PLACE = Owned(parameter="place_id", field="subscriber_id", by="subscriber_id")
OWN_WATCH = Owned(parameter="watch_id", field="subscriber_id", by="subscriber_id")


class WeatherAndAlerts(Environment):
    """Look up forecasts and alerts, keep places and be told of bad weather there, and report what one sees."""

    domain = "utilities"
    policy = """Everybody saves up to 7 places, one a city, and has at most 3 watches a place, one for each hazard. A
    watch tells of days that its level or worse is forecast for. The home stays saved; other places take their watches
    with them when they are removed. Minor and moderate alerts can be muted and heard again, severe and extreme ones
    cannot be muted. Nobody reports the same hazard of a city twice a day; three reports of a day raise a minor alert
    where none holds. Never report weather that the user has not seen."""
    sources = (
        "US National Weather Service API, Forecasts and Alerts (Common Alerting Protocol)",
        "OpenWeather One Call API 3.0 and Weather Triggers API",
        "Open-Meteo Forecast API",
        "Deutscher Wetterdienst Warn-Wetter, Warnings and Crowd Reports",
    )

    subscriber_id: SubscriberId
    """Subscriber whose session this is."""
    subscribers: Table[WeatherSubscriber]
    outlooks: Table[WeatherOutlook]
    places: Table[WeatherPlace]
    watches: Table[WeatherWatch]
    alerts: Table[WeatherAlert]
    sightings: Table[WeatherSighting]

    @tool(
        ask=(
            "get me the forecast for {city}[ for {days}]",
            "tell me what the weather will be like in {city}[ over {days}]",
            "check the weather forecast of {city}[ for the next {days}]",
            "look up how the weather in {city} turns out[ for {days}]",
        ),
        reply=("The forecast: {days}.", "There is no forecast for {city}."),
        where=(Within(parameter="days", low=2, high=6),),
    )
    def get_forecast(self, city: City, days: Annotated[int, Field(ge=1, le=7), Unit("day")] = 3) -> Forecast:
        """Get the forecast of a city, day by day from today on.

        Args:
            city: City to ask about.
            days: How many days.
        """
        self._known(city)
        return Forecast(city=city, days=tuple(self._ahead(city)[:days]))

    @tool(
        ask=(
            "find the best days for {activity} in {city}[ until {until}]",
            "see when the weather in {city} is right for {activity}[, up to {until}]",
            "look for a good day for {activity} in {city}[ no later than {until}]",
            "tell me on which days {activity} makes sense in {city}[ until {until}]",
        ),
        noun="good day for {activity} in {city}[ until {until}]",
        reply=("These days are fit for it: {outlooks}.", "No day is fit for {activity} there."),
        where=(FromNow(parameter="until", days=(2, 6)),),
    )
    def find_best_days(
        self, city: City, activity: Activity, until: dt.date | None = None, page: PageNumber = 1
    ) -> OutlookPage:
        """Find the days fit for an activity outside, the driest first, and of those the calmest.

        Args:
            city: City to do it in.
            activity: What is to be done.
            until: Only days up to this one.
            page: Page of the results, three days each.
        """
        self._known(city)
        if until is not None and until < self.now.date():
            raise ToolError("invalid_argument", f"{until} is past.")
        found = [
            day for day in self._ahead(city) if NEEDS[activity].met_by(day) and (until is None or day.day <= until)
        ]
        found.sort(key=lambda day: (day.rain, day.wind, day.day))
        return OutlookPage.of(found, page, BEST_DAYS)

    @tool(
        ask=(
            "compare the weather of all cities on {day}[, the {order} first]",
            "look up what the weather is like everywhere on {day}[, the {order} cities first]",
            "see how the cities compare on {day}[, the {order} ones first]",
            "line up the forecasts of all cities for {day}[, beginning with the {order}]",
        ),
        reply=("This is what {day} brings: {outlooks}.", "There is no forecast for {day} yet."),
        where=(FromNow(parameter="day", days=(0, 5)),),
    )
    def compare_cities(
        self, day: dt.date, order: Literal["warmest", "driest", "calmest"] = "warmest", page: PageNumber = 1
    ) -> OutlookPage:
        """Compare the forecasts of all cities for one day.

        Args:
            day: Day to ask about.
            order: Which cities come first.
            page: Page of the results, five cities each.
        """
        if day < self.now.date():
            raise ToolError("invalid_argument", f"{day} is past.")
        found = [outlook for outlook in self.outlooks.values() if outlook.day == day]
        found.sort(key=lambda o: ({"warmest": -o.high, "driest": o.rain, "calmest": o.wind}[order], o.city))
        return OutlookPage.of(found, page)

    @tool(
        ask=(
            "check the weather alerts[ for {city}][ about {hazard}][, {severity} ones or worse]",
            "list the weather warnings[ in {city}][ of {hazard}][ that are {severity} or worse]",
            "see which weather alerts are out[ for {city}][ because of {hazard}][, at least {severity} ones]",
            "look up the official warnings[ for {city}][ about {hazard}][, {severity} or worse]",
        ),
        noun="weather alert[ for {city}][ about {hazard}]",
        reply=("These alerts hold: {alerts}.", "There is no such alert."),
    )
    def list_alerts(
        self,
        city: City | None = None,
        hazard: Hazard | None = None,
        severity: Literal["moderate", "severe", "extreme"] | None = None,
        page: PageNumber = 1,
    ) -> AlertPage:
        """List the alerts in force that are not over, the worst first, and of those the ones that begin first.

        Args:
            city: Only alerts for this city.
            hazard: Only alerts about this.
            severity: Only alerts that are at least so bad.
            page: Page of the results, five alerts each.
        """
        least = 0 if severity is None else SEVERITIES.index(severity)
        found = [
            alert
            for alert in self._holding()
            if city in (None, alert.city)
            and hazard in (None, alert.hazard)
            and SEVERITIES.index(alert.severity) >= least
        ]
        found.sort(key=lambda alert: (-SEVERITIES.index(alert.severity), alert.starts_on, alert.id))
        return AlertPage.of(found, page)

    @tool(
        writes=True,
        ask=(
            "[muted? mute][!muted? unmute] {alert_id}",
            "[muted? stop telling me][!muted? tell me again] about {alert_id}",
            "[muted? silence {alert_id} for me][!muted? let me hear of {alert_id} again]",
            "turn notices about {alert_id} [muted? off][!muted? back on]",
        ),
        reply=("The {hazard} alert for {city} is {notices} now.",),
        where=(
            Having(parameter="alert_id", field="status", among=("in_force",)),
            Having(parameter="alert_id", field="severity", among=("minor", "moderate")),
            Differing(parameter="muted", other="alert_id", field="muted"),
        ),
    )
    def mute_alert(self, alert_id: AlertId, muted: bool) -> Muted:
        """Stop being told of a minor or moderate alert in force, or be told of it again.

        Args:
            alert_id: Alert to mute, or to hear of again.
            muted: Whether to hear no more of it.
        """
        alert = standing(self.alerts.require(alert_id), ("in_force",), "muted")
        if alert.ends_on < self.now.date():
            raise ToolError("precondition_failed", f"The {alert.hazard} alert for {alert.city} is over.")
        if alert.muted == muted:
            words = "muted already" if muted else "not muted"
            raise ToolError("conflict", f"The {alert.hazard} alert for {alert.city} is {words}.")
        if muted and SEVERITIES.index(alert.severity) >= SEVERITIES.index("severe"):
            raise ToolError("permission_denied", f"Nobody can mute an alert that is {alert.severity}.")
        self.alerts.replace(alert.evolve(muted=muted))
        notices = "muted" if muted else "unmuted"
        return Muted(alert_id=alert.id, city=alert.city, hazard=alert.hazard, notices=notices)

    @tool(
        ask=(
            "list my saved[ {kind}] places[alerted? that have an alert out]",
            "show me which[ {kind}] places I have saved[alerted?, only those with an alert]",
            "go through my[ {kind}] places in the weather service[alerted? that are under an alert]",
            "look up my saved[ {kind}] places[alerted? with a warning in force]",
        ),
        noun="saved[ {kind}] place of mine[alerted? with an alert]",
        reply=("Your places: {places}.", "You have no such place."),
    )
    def list_places(self, kind: Kind | None = None, alerted: bool = False, page: PageNumber = 1) -> PlacePage:
        """List the signed-in subscriber's saved places, by city.

        Args:
            kind: Only places of this kind.
            alerted: Only places with an alert in force that is not muted.
            page: Page of the results, five places each.
        """
        warned = {alert.city for alert in self._holding() if not alert.muted}
        found = [
            place for place in self._my_places() if kind in (None, place.kind) and (place.city in warned or not alerted)
        ]
        found.sort(key=lambda place: place.city)
        return PlacePage.of(found, page)

    @tool(
        writes=True,
        ask=(
            "save {city} as a {kind} place",
            "add {city} to my places as a {kind} one",
            "keep {city} among my saved places, as a {kind} place",
            "remember {city} for me as a {kind} place",
        ),
        reply=("{city} is saved as a {kind} place.",),
        where=(New(parameter="city", entity="WeatherPlace", field="city"),),
    )
    def save_place(self, city: City, kind: Literal["work", "family", "holiday"]) -> WeatherPlace:
        """Save a city of which the signed-in subscriber wants to be told.

        Args:
            city: City to save.
            kind: What the subscriber does there.
        """
        self._known(city)
        mine = self._my_places()
        if any(place.city == city for place in mine):
            raise ToolError("conflict", f"{city} is among your places already.")
        if len(mine) >= MOST_PLACES:
            raise ToolError("limit_exceeded", f"You have {MOST_PLACES} places, as many as can be: remove one first.")
        return self.places.insert(
            WeatherPlace(id=self.new_id("PL"), subscriber_id=self.subscriber_id, city=city, kind=kind)
        )

    @tool(
        writes=True,
        ask=(
            "remove {place_id} from my saved places",
            "forget {place_id} and whatever I watch there",
            "delete {place_id} along with its watches",
            "take {place_id} off my list in the weather service",
        ),
        reply=("{city} is no longer among your places; {watches_removed} went with it.",),
        where=(
            OWN_PLACE,
            Having(parameter="place_id", field="kind", among=("work", "family", "holiday")),
            Ends(parameter="place_id"),
        ),
    )
    def remove_place(self, place_id: PlaceId) -> Removed:
        """Remove a saved place that is not the home, with all watches for it.

        Args:
            place_id: Place to remove.
        """
        place = self._my_place(place_id)
        if place.kind == "home":
            raise ToolError("precondition_failed", f"{place.city} is your home, which stays saved.")
        gone = [watch.id for watch in self.watches.values() if watch.place_id == place.id]
        for watch_id in gone:
            self.watches.delete(watch_id)
        self.places.delete(place.id)
        return Removed(city=place.city, watches_removed=len(gone))

    @tool(
        ask=(
            "list my weather watches[ for {place_id}][firing? that will go off soon]",
            "show me which watches I have set[ for {place_id}][firing?, only those about to go off]",
            "check which weather watches I have[ for {place_id}][firing? that the forecast will set off]",
            "go through my bad weather watches[ for {place_id}][firing?, those with something coming]",
        ),
        noun="weather watch of mine[ for {place_id}][firing? that will go off]",
        reply=("Your watches: {watches}.", "You have no such watch."),
        where=(OWN_PLACE,),
    )
    def list_watches(self, place_id: PlaceId | None = None, firing: bool = False, page: PageNumber = 1) -> WatchPage:
        """List the signed-in subscriber's watches, by city and hazard.

        Args:
            place_id: Only watches for this place.
            firing: Only watches that the present forecast will set off.
            page: Page of the results, five watches each.
        """
        if place_id is not None:
            self._my_place(place_id)
        found = [
            watch
            for watch in self.watches.values()
            if watch.subscriber_id == self.subscriber_id
            and place_id in (None, watch.place_id)
            and (not firing or (watch.on and self._bad_days(watch)))
        ]
        found.sort(key=lambda watch: (watch.city, watch.hazard))
        return WatchPage.of(found, page)

    @tool(
        writes=True,
        ask=(
            "watch {place_id} for {level} {hazard}[ and tell me by {channel}][, {notice} ahead]",
            "warn me of {level} {hazard} at {place_id}[ by {channel}][, {notice} before]",
            "let me know when {level} {hazard} is coming to {place_id}[, by {channel}][, {notice} beforehand]",
            "set up a watch for {level} {hazard} at {place_id}[, sent by {channel}][, {notice} in advance]",
        ),
        reply=(
            "{city} is watched for {hazard}. It is forecast for {bad_days}, and you will be told on {told_on}.",
            "{city} is watched for {level} {hazard}; nothing of the kind is forecast.",
        ),
        where=(OWN_PLACE, Within(parameter="notice", low=2, high=4)),
    )
    def create_watch(
        self, place_id: PlaceId, hazard: Hazard, level: Severity, channel: Channel = "email", notice: Notice = 1
    ) -> Watched:
        """Watch a saved place, so as to be told of a hazard beforehand.

        Args:
            place_id: Place to watch.
            hazard: What to watch for.
            level: How bad it must be at least. Minor, moderate, severe, extreme begin at 5, 15, 30, 50 millimetres of
                rain, 20, 30, 42, 56 knots of wind, highs of 25, 30, 35, 40 and lows of 2, -2, -8, -15 degrees.
            channel: How to be told.
            notice: How many days ahead to be told.
        """
        place = self._my_place(place_id)
        there = [watch for watch in self.watches.values() if watch.place_id == place.id]
        if any(watch.hazard == hazard for watch in there):
            raise ToolError("conflict", f"{place.city} is watched for {hazard} already: change that watch instead.")
        if len(there) >= WATCHES_A_PLACE:
            words = f"{place.city} has {WATCHES_A_PLACE} watches, as many as can be: delete one first."
            raise ToolError("limit_exceeded", words)
        watch = WeatherWatch(
            id=self.new_id("WT"), subscriber_id=self.subscriber_id, place_id=place.id, city=place.city, hazard=hazard,
            level=level, channel=channel, notice=notice,
        )  # fmt: skip
        return self._watched(self.watches.insert(watch))

    @tool(
        writes=True,
        ask=(
            "have {watch_id} tell me[ only of {level} cases or worse][ by {channel}][ {notice} ahead]",
            "make {watch_id} warn me[ from {level} on][ by {channel}][ {notice} in advance]",
            "change {watch_id} so that it tells me[ of {level} cases or worse][ by {channel}][ {notice} beforehand]",
            "let {watch_id} reach me[ by {channel}][ from {level} on][ {notice} early]",
        ),
        reply=(
            "The {hazard} watch for {city} is set from {level} on, by {channel}; you will be told on {told_on}.",
            "The {hazard} watch for {city} is set from {level} on, by {channel}; it has nothing to tell for now.",
        ),
        where=(
            OWN_WATCH,
            Some("level", "channel", "notice"),
            Differing(parameter="level", other="watch_id", field="level"),
            Differing(parameter="channel", other="watch_id", field="channel"),
            Within(parameter="notice", low=2, high=4),
        ),
    )
    def change_watch(
        self, watch_id: WatchId, level: Severity | None = None, channel: Channel | None = None,
        notice: Notice | None = None,
    ) -> Watched:  # fmt: skip
        """Change what a watch tells, how, and how long before.

        Args:
            watch_id: Watch to change.
            level: How bad it must be at least from now on.
            channel: How to be told from now on.
            notice: How many days ahead to be told from now on.
        """
        watch = self._my_watch(watch_id)
        new = watch.evolve(
            level=level or watch.level,
            channel=channel or watch.channel,
            notice=watch.notice if notice is None else notice,
        )
        if new == watch:
            raise ToolError("invalid_argument", "Say what shall be different: level, channel, or days ahead.")
        return self._watched(self.watches.replace(new))

    @tool(
        writes=True,
        ask=(
            "[on? resume][!on? pause] {watch_id}",
            "turn {watch_id} [on? back on][!on? off for now]",
            "put {watch_id} [on? to work again][!on? on hold]",
            "let {watch_id} [on? start again][!on? rest for a while]",
        ),
        reply=(
            "The {hazard} watch for {city} is {state} and will tell you on {told_on}.",
            "The {hazard} watch for {city} is {state}; it has nothing to tell for now.",
        ),
        where=(OWN_WATCH, Differing(parameter="on", other="watch_id", field="on")),
    )
    def switch_watch(self, watch_id: WatchId, on: bool) -> Watched:
        """Pause a watch, or resume one that is paused.

        Args:
            watch_id: Watch to pause or resume.
            on: Whether it shall tell of bad weather.
        """
        watch = self._my_watch(watch_id)
        if watch.on == on:
            raise ToolError("conflict", f"That watch is {'on' if on else 'paused'} already.")
        return self._watched(self.watches.replace(watch.evolve(on=on)))

    @tool(
        writes=True,
        ask=(
            "delete {watch_id}",
            "get rid of {watch_id} for good",
            "drop {watch_id}, I no longer need it",
            "remove {watch_id} from my watches",
        ),
        reply=("The {hazard} watch for {city} is deleted.",),
        where=(OWN_WATCH, Ends(parameter="watch_id")),
    )
    def delete_watch(self, watch_id: WatchId) -> WeatherWatch:
        """Delete a watch for good.

        Args:
            watch_id: Watch to delete.
        """
        return self.watches.delete(self._my_watch(watch_id).id)

    @tool(
        writes=True,
        ask=(
            "report {hazard} in {city}[ with the note '{note}']",
            "send in a report of {hazard} from {city}[, saying '{note}']",
            "let the weather service know that there is {hazard} in {city}[: '{note}']",
            "pass on that I see {hazard} in {city}[, and add '{note}']",
        ),
        reply=(
            "Thank you: that makes {reports_today} of {hazard} in {city} today, so an alert holds until {alert_until}.",
            "Thank you: that makes {reports_today} of {hazard} in {city} today.",
        ),
    )
    def report_weather(
        self,
        city: City,
        hazard: Hazard,
        note: Annotated[
            str,
            Field(min_length=3, max_length=200),
            FreeText(("it began an hour ago", "worse than I have ever seen", "it comes and goes", "all over town")),
        ]
        | None = None,
    ) -> Reported:
        """Report bad weather that the signed-in subscriber sees; the third report of a day raises a minor alert.

        Args:
            city: City that it is seen in.
            hazard: What is seen.
            note: What it is like.
        """
        self._known(city)
        today = self.now.date()
        seen = [s for s in self.sightings.values() if (s.city, s.hazard, s.seen_on) == (city, hazard, today)]
        if any(sighting.subscriber_id == self.subscriber_id for sighting in seen):
            raise ToolError("conflict", f"You have reported {hazard} in {city} today.")
        self.sightings.insert(
            WeatherSighting(
                id=self.new_id("RP"), subscriber_id=self.subscriber_id, city=city, hazard=hazard, note=note,
                seen_on=today,
            )
        )  # fmt: skip
        count = len(seen) + 1
        if count < BELIEVED or any((a.city, a.hazard) == (city, hazard) for a in self._holding()):
            return Reported(city=city, hazard=hazard, reports_today=count)
        alert = self.alerts.insert(
            WeatherAlert(
                id=self.new_id("AL"), city=city, hazard=hazard, severity="minor", status="in_force", starts_on=today,
                ends_on=today + dt.timedelta(days=1), advice=ADVICE[hazard],
            )
        )  # fmt: skip
        return Reported(city=city, hazard=hazard, reports_today=count, alert_id=alert.id, alert_until=alert.ends_on)

    def _known(self, city: str) -> None:
        if all(outlook.city != city for outlook in self.outlooks.values()):
            known = ", ".join(sorted({outlook.city for outlook in self.outlooks.values()}))
            raise ToolError("not_found", f"There is no forecast for {city}, only for {known}.")

    def _ahead(self, city: str) -> list[WeatherOutlook]:
        """The days of a city's forecast from today on, in order."""
        days = (o for o in self.outlooks.values() if o.city == city and o.day >= self.now.date())
        return sorted(days, key=lambda outlook: outlook.day)

    def _holding(self) -> list[WeatherAlert]:
        """The alerts in force that are not over."""
        return [a for a in self.alerts.values() if a.status == "in_force" and a.ends_on >= self.now.date()]

    def _my_places(self) -> list[WeatherPlace]:
        return [place for place in self.places.values() if place.subscriber_id == self.subscriber_id]

    def _my_place(self, place_id: str) -> WeatherPlace:
        return owned(self.places.require(place_id), "subscriber_id", self.subscriber_id)

    def _my_watch(self, watch_id: str) -> WeatherWatch:
        return owned(self.watches.require(watch_id), "subscriber_id", self.subscriber_id)

    def _bad_days(self, watch: WeatherWatch) -> list[dt.date]:
        least = SEVERITIES.index(watch.level)
        return [day.day for day in self._ahead(watch.city) if day.severity(watch.hazard) >= least]

    def _watched(self, watch: WeatherWatch) -> Watched:
        bad_days = self._bad_days(watch)
        told_on = None
        if bad_days and watch.on:
            told_on = max(self.now.date(), bad_days[0] - dt.timedelta(days=watch.notice))
        return Watched(
            watch_id=watch.id, city=watch.city, hazard=watch.hazard, level=watch.level, channel=watch.channel,
            state="on" if watch.on else "paused", bad_days=tuple(bad_days), told_on=told_on,
        )  # fmt: skip

    @classmethod
    def scenario(cls, world: World, size: int) -> Self:
        """Fair and foul days, alerts of every severity, places and watches of the subscriber and of others."""
        return cls.model_validate(weather(world, size))
