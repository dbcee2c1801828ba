"""The weather of a scenario: days fair and foul by season and country, alerts in force and over, places, watches."""

import datetime as dt
from typing import Any

from envfactory.catalogue.utilities._weather_records import (
    SEVERITIES,
    STARTS_AT,
    Channel,
    Hazard,
    Kind,
    Sky,
    WeatherAlert,
    WeatherOutlook,
    WeatherPlace,
    WeatherSighting,
    WeatherSubscriber,
    WeatherWatch,
)
from envfactory.catalogue.utilities._weather_rules import ADVICE
from envfactory.environment import World, by_id

_WARMER = {"Portugal": 5, "Spain": 6, "Italy": 5, "Greece": 7, "France": 2, "Norway": -7, "Denmark": -3, "Poland": -3}
_SEASON = (-8, -7, -3, 1, 5, 9, 11, 11, 7, 2, -3, -7)
"""How much warmer than the year each month is."""
_HAZARDS: tuple[Hazard, ...] = ("rain", "wind", "frost", "heat")
_KINDS: tuple[Kind, ...] = ("home", "work", "family", "holiday", "family")
_CHANNELS: tuple[Channel, ...] = ("email", "text_message", "phone_call")


def weather(world: World, size: int) -> dict[str, Any]:
    """Draw the fields of the state, about `size` records in all."""
    user = WeatherSubscriber(id="SUB-1", name=world.user.name, email=world.user.email)
    others = [
        WeatherSubscriber(id=f"SUB-{2 + n}", name=p.name, email=p.email)
        for n, p in enumerate(world.people(max(3, size // 12)))
    ]
    cities = world.cities
    outlooks = [
        outlook.evolve(id=f"FC-{101 + n}")
        for n, outlook in enumerate(
            _spell(_outlook(world, city, country, ahead), k, ahead)
            for k, (city, country) in enumerate(cities)
            for ahead in range(max(4, min(10, size // 8)))
        )
    ]
    mine = [
        WeatherPlace(id=f"PL-{11 + n}", subscriber_id=user.id, city=cities[n][0], kind=kind)
        for n, kind in enumerate(_KINDS)
    ]
    theirs = [
        WeatherPlace(id=f"PL-{31 + n}", subscriber_id=each.id, city=cities[n % 8][0], kind=_KINDS[n % 4])
        for n, each in enumerate(others)
    ]
    watches = [
        WeatherWatch(
            id=f"WT-{501 + n}", subscriber_id=place.subscriber_id, place_id=place.id, city=place.city,
            hazard=_HAZARDS[(n + k) % 3], level=SEVERITIES[(n + k) % 3], channel=_CHANNELS[n % 3], notice=1 + n % 3,
            on=n % 4 != 1,
        )
        for n, (place, k) in enumerate([(place, k) for place in mine[:4] for k in (0, 1)] + [(p, 0) for p in theirs])
    ]  # fmt: skip
    alerts = _alerts(outlooks)
    alerts.append(
        alerts[0].evolve(
            id="AL-690", severity="severe", muted=False, starts_on=world.date(-9, -7), ends_on=world.date(-6, -3)
        )
    )
    alerts.append(alerts[-2].evolve(id="AL-691", status="withdrawn"))
    sightings = [
        WeatherSighting(
            id=f"RP-{901 + n}", subscriber_id=others[n % len(others)].id, city=cities[n // 2 % 8][0],
            hazard=_HAZARDS[(n // 2 + n // 16) % 2], seen_on=world.today - dt.timedelta(days=n // 16),
        )
        for n in range(max(12, size // 5))
    ]  # fmt: skip
    return {
        "now": world.now,
        "subscriber_id": user.id,
        "subscribers": by_id([user, *others]),
        "outlooks": by_id(outlooks),
        "places": by_id(mine + theirs),
        "watches": by_id(watches),
        "alerts": by_id(alerts),
        "sightings": by_id(sightings),
    }


def _spell(outlook: WeatherOutlook, city: int, ahead: int) -> WeatherOutlook:
    """Two days of heavy rain or strong wind, of another severity in each of four cities."""
    if city % 4 + ahead % 4 not in (3, 4) or ahead > 4:
        return outlook
    hazard: Hazard = "rain" if city < 4 else "wind"
    figure = STARTS_AT[hazard][city % 4] + 3
    wet: Sky = "snowy" if outlook.high <= 1 else "rainy"
    if hazard == "rain":
        return outlook.evolve(rain=figure, sky=wet)
    return outlook.evolve(wind=figure, rain=0, sky="clear")


def _alerts(outlooks: list[WeatherOutlook]) -> list[WeatherAlert]:
    """An alert for each city and hazard of the forecast, as bad as its worst day."""
    found: list[WeatherAlert] = []
    for city in sorted({outlook.city for outlook in outlooks}):
        for hazard in _HAZARDS:
            bad = [each for each in outlooks if each.city == city and each.severity(hazard) >= 0]
            worst = max((each.severity(hazard) for each in bad), default=0)
            if not bad or (worst == 0 and len(found) % 3 == 2):  # some of the minor ones are left to reports
                continue
            found.append(
                WeatherAlert(
                    id=f"AL-{701 + len(found)}", city=city, hazard=hazard, severity=SEVERITIES[worst],
                    status="in_force", starts_on=bad[0].day, ends_on=bad[-1].day, advice=ADVICE[hazard],
                )
            )  # fmt: skip
    mild = [n for n, alert in enumerate(found) if alert.severity in ("minor", "moderate")]
    found[mild[0]] = found[mild[0]].evolve(muted=True)
    return found


def _outlook(world: World, city: str, country: str, ahead: int) -> WeatherOutlook:
    day = world.today + dt.timedelta(days=ahead)
    high = 14 + _WARMER.get(country, 0) + _SEASON[day.month - 1] + world.integer(-4, 4)
    rain = world.weighted({0: 5.0, world.integer(1, 6): 2.0, world.integer(8, 34): 2.0})
    wind = world.weighted({world.integer(3, 13): 4.0, world.integer(14, 28): 3.0, world.integer(30, 45): 1.0})
    wet: Sky = "snowy" if high <= 1 else "stormy" if wind >= 30 else "rainy"
    dry: Sky = world.weighted({"clear": 5.0, "cloudy": 4.0, "foggy": 1.0 if wind < 14 else 0.0})
    sky = wet if rain else dry
    return WeatherOutlook(
        id="FC-0", city=city, day=day, sky=sky, low=high - world.integer(4, 10), high=high, rain=rain, wind=wind
    )
