"""A weather service: forecasts day by day, public alerts, and watches that tell somebody of bad weather beforehand.

How bad a day is follows from its figures, by one table for alerts and watches. What many people report is believed: the
third report of a day raises an alert that nobody had issued.
"""

import datetime as dt
from typing import Literal, Self

from envfactory.catalogue.utilities import _weather_records as rec
from envfactory.catalogue.utilities import _weather_relations as relations
from envfactory.catalogue.utilities import _weather_rules as rules
from envfactory.catalogue.utilities._weather_outlooks import Outlooks
from envfactory.catalogue.utilities._weather_scenario import weather
from envfactory.environment import Environment, PageNumber, Table, World, owned, standing, tool

DAYS_A_PAGE = 3
"""How many days fit for an activity a page shows."""


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

    subscriber_id: rec.SubscriberId
    """Subscriber whose session this is."""
    subscribers: Table[rec.WeatherSubscriber]
    outlooks: Table[rec.WeatherOutlook]
    places: Table[rec.WeatherPlace]
    watches: Table[rec.WeatherWatch]
    alerts: Table[rec.WeatherAlert]
    sightings: Table[rec.WeatherSighting]

    @tool(
        ask=(
            "get me the forecast for {city}[ for {days}]",
            "tell me what the weather will be like in {city}[ over {days}]",
            "check the weather forecast of {city}[ for the next {days}]",
            "look up how the weather in {city} turns out[ for {days}]",
        ),
        reply=("The forecast: {days}.", "There is no forecast for {city}."),
        where=relations.FORECAST,
    )
    def get_forecast(self, city: rec.City, days: rec.Days = 3) -> rec.Forecast:
        """Get the forecast of a city, day by day from today on.

        Args:
            city: City to ask about.
            days: How many days.
        """
        return self._outlooks.forecast(city, days)

    @tool(
        ask=(
            "find the best days for {activity} in {city}[ until {until}]",
            "see when the weather in {city} is right for {activity}[, up to {until}]",
            "look for a good day for {activity} in {city}[ no later than {until}]",
            "tell me on which days {activity} makes sense in {city}[ until {until}]",
        ),
        noun="good day for {activity} in {city}[ until {until}]",
        reply=("These days are fit for it: {outlooks}.", "No day is fit for {activity} there."),
        where=relations.BEST_DAYS,
    )
    def find_best_days(
        self, city: rec.City, activity: rec.Activity, until: dt.date | None = None, page: PageNumber = 1
    ) -> rec.OutlookPage:
        """Find the days fit for an activity outside, the driest first, and of those the calmest.

        Args:
            city: City to do it in.
            activity: What is to be done.
            until: Only days up to this one.
            page: Page of the results, three days each.
        """
        return rec.OutlookPage.of(self._outlooks.fit_for(activity, city, until), page, DAYS_A_PAGE)

    @tool(
        ask=(
            "compare the weather of all cities on {day}[, the {order} first]",
            "look up what the weather is like everywhere on {day}[, the {order} cities first]",
            "see how the cities compare on {day}[, the {order} ones first]",
            "line up the forecasts of all cities for {day}[, beginning with the {order}]",
        ),
        reply=("This is what {day} brings: {outlooks}.", "There is no forecast for {day} yet."),
        where=relations.COMPARING,
    )
    def compare_cities(self, day: dt.date, order: rec.Comparison = "warmest", page: PageNumber = 1) -> rec.OutlookPage:
        """Compare the forecasts of all cities for one day.

        Args:
            day: Day to ask about.
            order: Which cities come first.
            page: Page of the results, five cities each.
        """
        return rec.OutlookPage.of(self._outlooks.compared(day, order), page)

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
        city: rec.City | None = None,
        hazard: rec.Hazard | None = None,
        severity: Literal["moderate", "severe", "extreme"] | None = None,
        page: PageNumber = 1,
    ) -> rec.AlertPage:
        """List the alerts in force that are not over, the worst first, and of those the ones that begin first.

        Args:
            city: Only alerts for this city.
            hazard: Only alerts about this.
            severity: Only alerts that are at least so bad.
            page: Page of the results, five alerts each.
        """
        return rec.AlertPage.of(rules.worst(self._holding(), city, hazard, severity), page)

    @tool(
        writes=True,
        ask=(
            "[muted? mute][!muted? unmute] {alert_id}",
            "[muted? stop telling me][!muted? tell me again] about {alert_id}",
            "[muted? silence {alert_id} for me][!muted? let me hear of {alert_id} again]",
            "turn notices about {alert_id} [muted? off][!muted? back on]",
        ),
        reply=("The {hazard} alert for {city} is {notices} now.",),
        where=relations.MUTING,
    )
    def mute_alert(self, alert_id: rec.AlertId, muted: bool) -> rec.Muted:
        """Stop being told of a minor or moderate alert in force, or be told of it again.

        Args:
            alert_id: Alert to mute, or to hear of again.
            muted: Whether to hear no more of it.
        """
        alert = standing(self.alerts.require(alert_id), ("in_force",), "muted")
        rules.check_mutable(alert, self.now.date(), muted=muted)
        return rules.as_muted(self.alerts.replace(alert.evolve(muted=muted)))

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
    def list_places(self, kind: rec.Kind | None = None, alerted: bool = False, page: PageNumber = 1) -> rec.PlacePage:
        """List the signed-in subscriber's saved places, by city.

        Args:
            kind: Only places of this kind.
            alerted: Only places with an alert in force that is not muted.
            page: Page of the results, five places each.
        """
        warned = {alert.city for alert in self._holding() if not alert.muted}
        kept = [place for place in self._my_places() if kind in (None, place.kind)]
        found = [place for place in kept if place.city in warned or not alerted]
        found.sort(key=lambda place: place.city)
        return rec.PlacePage.of(found, page)

    @tool(
        writes=True,
        ask=(
            "save {city} as a {kind} place",
            "add {city} to my places as a {kind} one",
            "keep {city} among my saved places, as a {kind} place",
            "remember {city} for me as a {kind} place",
        ),
        reply=("{city} is saved as a {kind} place.",),
        where=relations.SAVING,
    )
    def save_place(self, city: rec.City, kind: Literal["work", "family", "holiday"]) -> rec.WeatherPlace:
        """Save a city of which the signed-in subscriber wants to be told.

        Args:
            city: City to save.
            kind: What the subscriber does there.
        """
        self._outlooks.check_city(city)
        rules.check_new_place(city, self._my_places())
        new = rec.WeatherPlace(id=self.new_id("PL"), subscriber_id=self.subscriber_id, city=city, kind=kind)
        return self.places.insert(new)

    @tool(
        writes=True,
        ask=(
            "remove {place_id} from my saved places",
            "forget {place_id} and whatever I watch there",
            "delete {place_id} along with its watches",
            "take {place_id} off my list in the weather service",
        ),
        reply=("{city} is no longer among your places; {watches_removed} went with it.",),
        where=relations.REMOVING,
    )
    def remove_place(self, place_id: rec.PlaceId) -> rec.Removed:
        """Remove a saved place that is not the home, with all watches for it.

        Args:
            place_id: Place to remove.
        """
        place = self._my_place(place_id)
        rules.check_removable(place)
        gone = rules.watches_at(place, self.watches.values())
        for watch in gone:
            self.watches.delete(watch.id)
        self.places.delete(place.id)
        return rec.Removed(city=place.city, watches_removed=len(gone))

    @tool(
        ask=(
            "list my weather watches[ for {place_id}][firing? that will go off soon]",
            "show me which watches I have set[ for {place_id}][firing?, only those about to go off]",
            "check which weather watches I have[ for {place_id}][firing? that the forecast will set off]",
            "go through my bad weather watches[ for {place_id}][firing?, those with something coming]",
        ),
        noun="weather watch of mine[ for {place_id}][firing? that will go off]",
        reply=("Your watches: {watches}.", "You have no such watch."),
        where=relations.WATCHES,
    )
    def list_watches(
        self, place_id: rec.PlaceId | None = None, firing: bool = False, page: PageNumber = 1
    ) -> rec.WatchPage:
        """List the signed-in subscriber's watches, by city and hazard.

        Args:
            place_id: Only watches for this place.
            firing: Only watches that the present forecast will set off.
            page: Page of the results, five watches each.
        """
        if place_id is not None:
            self._my_place(place_id)
        mine = [watch for watch in self.watches.values() if watch.subscriber_id == self.subscriber_id]
        there = [watch for watch in mine if place_id in (None, watch.place_id)]
        found = [watch for watch in there if not firing or self._outlooks.fires(watch)]
        found.sort(key=lambda watch: (watch.city, watch.hazard))
        return rec.WatchPage.of(found, page)

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
        where=relations.WATCHING,
    )
    def create_watch(
        self,
        place_id: rec.PlaceId,
        hazard: rec.Hazard,
        level: rec.Severity,
        channel: rec.Channel = "email",
        notice: rec.Notice = 1,
    ) -> rec.Watched:
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
        there = rules.watches_at(place, self.watches.values())
        watch = rules.new_watch(self.new_id("WT"), place, hazard, level, channel, notice, there)
        return self._outlooks.watched(self.watches.insert(watch))

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
        where=relations.CHANGING,
    )
    def change_watch(
        self, watch_id: rec.WatchId, level: rec.Severity | None = None, channel: rec.Channel | None = None,
        notice: rec.Notice | None = None,
    ) -> rec.Watched:  # fmt: skip
        """Change what a watch tells, how, and how long before.

        Args:
            watch_id: Watch to change.
            level: How bad it must be at least from now on.
            channel: How to be told from now on.
            notice: How many days ahead to be told from now on.
        """
        watch = rules.changed(self._my_watch(watch_id), level, channel, notice)
        return self._outlooks.watched(self.watches.replace(watch))

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
        where=relations.SWITCHING,
    )
    def switch_watch(self, watch_id: rec.WatchId, on: bool) -> rec.Watched:
        """Pause a watch, or resume one that is paused.

        Args:
            watch_id: Watch to pause or resume.
            on: Whether it shall tell of bad weather.
        """
        watch = rules.switched(self._my_watch(watch_id), on=on)
        return self._outlooks.watched(self.watches.replace(watch))

    @tool(
        writes=True,
        ask=(
            "delete {watch_id}",
            "get rid of {watch_id} for good",
            "drop {watch_id}, I no longer need it",
            "remove {watch_id} from my watches",
        ),
        reply=("The {hazard} watch for {city} is deleted.",),
        where=relations.DELETING,
    )
    def delete_watch(self, watch_id: rec.WatchId) -> rec.WeatherWatch:
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
    def report_weather(self, city: rec.City, hazard: rec.Hazard, note: rec.Note | None = None) -> rec.Reported:
        """Report bad weather that the signed-in subscriber sees; the third report of a day raises a minor alert.

        Args:
            city: City that it is seen in.
            hazard: What is seen.
            note: What it is like.
        """
        self._outlooks.check_city(city)
        today = self.now.date()
        seen = rules.seen(self.sightings.values(), city, hazard, today)
        report = rules.new_report(self.new_id("RP"), self.subscriber_id, city, hazard, note, today, seen)
        self.sightings.insert(report)
        count = len(seen) + 1
        if count < rules.BELIEVED or rules.worst(self._holding(), city, hazard, None):
            return rec.Reported(city=city, hazard=hazard, reports_today=count)
        alert = self.alerts.insert(rules.raised(self.new_id("AL"), city, hazard, today))
        return rec.Reported(city=city, hazard=hazard, reports_today=count, alert_id=alert.id, alert_until=alert.ends_on)

    @property
    def _outlooks(self) -> Outlooks:
        return Outlooks(self.now.date(), self.outlooks.values())

    def _holding(self) -> list[rec.WeatherAlert]:
        """The alerts in force that are not over."""
        return rules.holding(self.alerts.values(), self.now.date())

    def _my_places(self) -> list[rec.WeatherPlace]:
        return [place for place in self.places.values() if place.subscriber_id == self.subscriber_id]

    def _my_place(self, place_id: str) -> rec.WeatherPlace:
        return owned(self.places.require(place_id), "subscriber_id", self.subscriber_id)

    def _my_watch(self, watch_id: str) -> rec.WeatherWatch:
        return owned(self.watches.require(watch_id), "subscriber_id", self.subscriber_id)

    @classmethod
    def scenario(cls, world: World, size: int) -> Self:
        """Fair and foul days, alerts of every severity, places and watches of the subscriber and of others."""
        return cls.model_validate(weather(world, size))
