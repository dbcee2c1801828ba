"""The outlooks of all cities as they are today: which days lie ahead, what they are fit for, and how bad they get."""

import datetime as dt
from collections.abc import Iterable
from typing import NamedTuple

from envfactory.catalogue.utilities._weather_records import (
    SEVERITIES,
    Activity,
    Comparison,
    Forecast,
    Sky,
    Watched,
    WeatherOutlook,
    WeatherWatch,
)
from envfactory.environment import ToolError


class Needs(NamedTuple):
    """Weather in which something can be done outside."""

    rain: int
    wind: tuple[int, int]
    high: tuple[int, int]
    skies: tuple[Sky, ...] = ("clear", "cloudy", "foggy", "rainy")

    def met_by(self, day: WeatherOutlook) -> bool:
        """Whether a day is good enough."""
        return (
            day.rain <= self.rain
            and self.wind[0] <= day.wind <= self.wind[1]
            and self.high[0] <= day.high <= self.high[1]
            and day.sky in self.skies
        )


NEEDS: dict[Activity, Needs] = {
    "hiking": Needs(rain=2, wind=(0, 22), high=(5, 28), skies=("clear", "cloudy")),
    "cycling": Needs(rain=1, wind=(0, 14), high=(8, 30)),
    "sailing": Needs(rain=5, wind=(10, 25), high=(8, 35)),
    "stargazing": Needs(rain=0, wind=(0, 25), high=(-10, 35), skies=("clear",)),
}


class Outlooks(NamedTuple):
    """All outlooks, on a day."""

    today: dt.date
    all: Iterable[WeatherOutlook]

    def check_city(self, city: str) -> None:
        """Refuse a city that there is no forecast for."""
        known = sorted({outlook.city for outlook in self.all})
        if city not in known:
            raise ToolError("not_found", f"There is no forecast for {city}, only for {', '.join(known)}.")

    def check_day(self, day: dt.date | None) -> None:
        """Refuse a day that is past."""
        if day is not None and day < self.today:
            raise ToolError("invalid_argument", f"{day} is past.")

    def ahead(self, city: str) -> list[WeatherOutlook]:
        """The days of a city's forecast from today on, in order."""
        days = (outlook for outlook in self.all if outlook.city == city and outlook.day >= self.today)
        return sorted(days, key=lambda outlook: outlook.day)

    def forecast(self, city: str, days: int) -> Forecast:
        """The forecast of a city for so many days."""
        self.check_city(city)
        return Forecast(city=city, days=tuple(self.ahead(city)[:days]))

    def fit_for(self, activity: Activity, city: str, until: dt.date | None) -> list[WeatherOutlook]:
        """Days of a city up to a last one that are fit for an activity: the driest first, and of those the calmest."""
        self.check_city(city)
        self.check_day(until)
        days = [day for day in self.ahead(city) if until is None or day.day <= until]
        fit = [day for day in days if NEEDS[activity].met_by(day)]
        return sorted(fit, key=lambda day: (day.rain, day.wind, day.day))

    def compared(self, day: dt.date, order: Comparison) -> list[WeatherOutlook]:
        """The outlooks of all cities for a day."""
        self.check_day(day)
        found = [outlook for outlook in self.all if outlook.day == day]
        return sorted(found, key=lambda o: ({"warmest": -o.high, "driest": o.rain, "calmest": o.wind}[order], o.city))

    def bad_days(self, watch: WeatherWatch) -> list[dt.date]:
        """Days ahead that a watch tells of."""
        least = SEVERITIES.index(watch.level)
        return [day.day for day in self.ahead(watch.city) if day.severity(watch.hazard) >= least]

    def fires(self, watch: WeatherWatch) -> bool:
        """Whether a watch will tell of anything."""
        return watch.on and bool(self.bad_days(watch))

    def watched(self, watch: WeatherWatch) -> Watched:
        """A watch with what it comes to."""
        bad_days = self.bad_days(watch)
        told_on = None
        if bad_days and watch.on:
            told_on = max(self.today, bad_days[0] - dt.timedelta(days=watch.notice))
        return Watched(
            watch_id=watch.id, city=watch.city, hazard=watch.hazard, level=watch.level, channel=watch.channel,
            state="on" if watch.on else "paused", bad_days=tuple(bad_days), told_on=told_on,
        )  # fmt: skip
