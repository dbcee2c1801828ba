"""Places of the world's cities, and rides in every condition: about to begin, ahead, past, disputable, unpaid."""

import datetime as dt
import math
from itertools import pairwise
from typing import Any

from envfactory.catalogue.travel import _ride_fares as fares
from envfactory.catalogue.travel import _ride_records as rec
from envfactory.catalogue.travel import _ride_rules as rules
from envfactory.environment import World, by_id, said

_KNOWN: dict[str, tuple[str, str, str, str]] = {
    "Lisbon": ("Santa Apolonia Station", "Humberto Delgado Airport", "Belem Tower", "Rossio Square"),
    "Porto": ("Sao Bento Station", "Francisco Sa Carneiro Airport", "Ribeira Square", "Clerigos Tower"),
    "Barcelona": ("Sants Station", "El Prat Airport", "Park Guell", "Camp Nou"),
    "Seville": ("Santa Justa Station", "San Pablo Airport", "Plaza de Espana", "Triana Market"),
    "Paris": ("Gare de Lyon", "Charles de Gaulle Airport", "Place de la Bastille", "Montmartre"),
    "Lyon": ("Part-Dieu Station", "Saint-Exupery Airport", "Place Bellecour", "Fourviere Hill"),
    "Rome": ("Termini Station", "Fiumicino Airport", "Piazza Navona", "Villa Borghese"),
    "Florence": ("Santa Maria Novella Station", "Peretola Airport", "Ponte Vecchio", "Piazzale Michelangelo"),
    "Berlin": ("Ostbahnhof", "Brandenburg Airport", "Potsdamer Platz", "Checkpoint Charlie"),
    "Hamburg": ("Altona Station", "Helmut Schmidt Airport", "Miniatur Wunderland", "Landungsbruecken"),
    "Vienna": ("Westbahnhof", "Schwechat Airport", "Schoenbrunn Palace", "Stephansplatz"),
    "Prague": ("Prague Main Station", "Vaclav Havel Airport", "Prague Castle", "Wenceslas Square"),
    "Copenhagen": ("Copenhagen Central Station", "Kastrup Airport", "Tivoli Gardens", "Nyhavn"),
    "Oslo": ("Oslo Central Station", "Gardermoen Airport", "Vigeland Park", "Aker Brygge"),
    "Dublin": ("Heuston Station", "Dublin Airport", "Trinity College", "Phoenix Park"),
    "Edinburgh": ("Waverley Station", "Edinburgh Airport", "Edinburgh Castle", "Holyrood Palace"),
    "Athens": ("Larissa Station", "Eleftherios Venizelos Airport", "Syntagma Square", "Monastiraki"),
    "Krakow": ("Krakow Main Station", "Balice Airport", "Wawel Castle", "Kazimierz"),
    "Zurich": ("Zurich Main Station", "Kloten Airport", "Bellevueplatz", "Bahnhofstrasse"),
    "Amsterdam": ("Amsterdam Central Station", "Schiphol Airport", "Vondelpark", "Dam Square"),
}
"""Of each city: a train station, an airport and two landmarks."""
_HOTELS = ("Hotel Meridian", "Hotel Aurora", "Hotel Bellevue", "Hotel Magnolia", "Hotel Astoria", "Hotel Corona",
           "Hotel Miramar", "Hotel Splendid", "Hotel Fontana", "Hotel Victoria", "Hotel Panorama", "Hotel Regina",
           "Hotel Continental", "Hotel Tivoli", "Hotel Savoy", "Hotel Bristol")  # fmt: skip
_HOSPITALS = ("Saint Anna Hospital", "Saint Luke Hospital", "Mercy Hospital", "University Hospital",
              "Saint Elias Hospital", "Holy Cross Hospital", "Memorial Hospital", "Garden Hospital")  # fmt: skip
_PROMOTIONS: tuple[tuple[str, int, float, float, rec.Car | None, int], ...] = (
    ("SPRING20", 20, 8, 8, None, 34), ("AIRPORT15", 15, 10, 12, None, 48), ("COMFORT30", 30, 9, 10, "comfort_car", 41),
    ("THANKS10", 10, 5, 0, None, 60), ("CITY25", 25, 6, 10, None, 37), ("LONGRIDE12", 12, 15, 30, None, 52),
    ("WEEKEND18", 18, 7, 9, None, 30), ("FRIEND40", 40, 6, 8, None, 75), ("WINTER20", 20, 8, 8, None, -3),
    ("FIRST50", 50, 12, 6, None, -40), ("SOON15", 15, 5, 6, None, 4),
)  # fmt: skip
"""Name, percent, most, least fare, kind of car, and for how many days from today: the user's open and expired ones."""
_TAKEN = (("RAINY10", 10, 4.0), ("EVENING15", 15, 6.0), ("AUTUMN25", 25, 9.0), ("WELCOME30", 30, 10.0))
"""Name, percent and most of promotions on booked rides of the user; the last was used up."""
_OTHERS = ("HELLO20", "LUCKY15", "BRIDGE25", "SUNNY10", "METRO30", "NIGHT12", "PIONEER20", "OCEAN15", "FOREST10")
_AHEAD = (2, 3, 5, 6, 8, 9, 11, 13, 15, 18, 20, 22, 24, 26)
"""In how many days the user's rides begin, beside those of the next hours."""
_PAST = (1, 2, 3, 4, 5, 7, 8, 10, 11, 13, 16, 19, 22, 25, 28, 30, 33, 41, 60)
"""How many days ago the user rode."""
_HOURS = ((8, 15), (14, 0), (17, 30), (11, 0), (20, 15), (9, 30), (13, 45), (18, 0), (22, 30))
_CARS: tuple[rec.Car, ...] = ("standard_car", "comfort_car", "large_van", "standard_car", "premium_car",
                              "wheelchair_van")  # fmt: skip
_ITEMS: tuple[rec.Item, ...] = ("phone", "umbrella", "jacket", "backpack")


def city_rides(world: World, size: int) -> dict[str, Any]:
    """Draw the fields of the state, about `size` records and thirty more."""
    it = _Rides(world, size)
    it.map_cities()
    it.promote()
    it.mine()
    for number, rider in enumerate(it.riders[1:]):
        it.theirs(number, rider)
    return {
        "now": world.now,
        "rider_id": it.riders[0].id,
        "riders": by_id(it.riders),
        "contacts": by_id(it.contacts),
        "places": by_id(it.places),
        "rides": it.rides,
        "promotions": it.promotions,
    }


class _Rides:
    """Places, rides and promotions as they are added."""

    def __init__(self, world: World, size: int) -> None:
        self.world, self.more = world, size // 60
        people = world.people(size // 20 + 26)
        crew = [world.user, *people[: 2 + self.more]]
        self.riders = [rec.Rider(id=f"RR-{11 + n}", name=each.name, email=each.email) for n, each in enumerate(crew)]
        self.contacts = [
            rec.RideContact(id=f"RC-{21 + n}", rider_id="RR-11", name=each.name, has_account=n % 5 != 3)
            for n, each in enumerate(people[-8:])
        ]
        self.drivers = [each.name.split()[0] for each in people[-18:-8]]
        self.cities = [name for name, _ in world.cities[: min(8, 3 + size // 100)]]
        self.places: list[rec.RidePlace] = []
        self.rides: dict[str, rec.Ride] = {}
        self.promotions: dict[str, rec.RidePromotion] = {}

    # -- places

    def map_cities(self) -> None:
        """Add the places of every city, the user's saved ones, and one of somebody else."""
        hotels, hospitals = self.world.sample(_HOTELS, 16), self.world.sample(_HOSPITALS, 8)
        for n, city in enumerate(self.cities):
            station, airport, *sights = _KNOWN[city]
            self.place(city, station, "train_station", 1.1)
            self.place(city, airport, "airport", self.world.integer(9, 19))
            for place, name in enumerate((*sights, *hotels[2 * n : 2 * n + 2], hospitals[n])):
                kind: rec.PlaceKind = "landmark" if place < 2 else "hotel" if place < 4 else "hospital"
                self.place(city, name, kind, 2 + 0.9 * place)
        own: tuple[tuple[int, rec.SavedAs, str], ...] = (
            (0, "home", "RR-11"), (0, "work", "RR-11"), (1, "my_gym", "RR-11"), (2, "home", "RR-12")
        )  # fmt: skip
        for city, name, rider_id in own:
            self.place(self.cities[city], name, "saved_place", 3.2 if name == "home" else 5.9, rider_id, name)

    def place(
        self, city: str, name: str, kind: rec.PlaceKind, away: float, rider_id: str | None = None,
        saved_as: rec.SavedAs | None = None,
    ) -> None:  # fmt: skip
        """Add a place so many kilometres from the middle of its city."""
        angle = self.world.integer(0, 359)
        known = {place.address for place in self.places}
        address = next(each for each in iter(self.world.address, "") if each not in known)
        self.places.append(
            rec.RidePlace(
                id=f"PL-{101 + len(self.places)}", name=said(name), kind=kind, city=city, address=address,
                x_km=round(away * math.cos(math.radians(angle)), 2), saved_by=rider_id, saved_as=saved_as,
                y_km=round(away * math.sin(math.radians(angle)), 2),
            )
        )  # fmt: skip

    def route(self, rider_id: str, city: str, stops: int) -> list[rec.RidePlace]:
        """A route between places that a rider knows, some kilometres apart."""
        known = [each for each in self.places if each.city == city and each.saved_by in (None, rider_id)]
        while True:
            found = self.world.sample(known, stops + 2)
            legs = [fares.distance(one, other) for one, other in pairwise(found)]
            if min(legs) >= 1 and (stops or legs[0] >= 3):
                return found

    # -- promotions

    def promote(self) -> None:
        """Add the user's promotions that are on no ride."""
        for name, percent, most, least, car, days in _PROMOTIONS:
            self.promotion("RR-11", name, percent, most, days, least=least, car=car)
        for n, name in enumerate(_OTHERS[: 1 + self.more]):
            self.promotion(self.riders[1 + n].id, name, 10 + 5 * (n % 4), 6, 45)

    def promotion(
        self, rider_id: str, name: str, percent: int, most: float, days: int, *, least: float = 0.0,
        car: rec.Car | None = None, status: rec.PromotionStatus = "open",
    ) -> rec.RidePromotion:  # fmt: skip
        """Add a promotion."""
        new = rec.RidePromotion(
            id=f"RP-{301 + len(self.promotions)}", rider_id=rider_id, name=name, percent_off=percent,
            max_off=float(most), min_fare=float(least), only_for=car, status=status,
            valid_until=self.world.today + dt.timedelta(days=days),
        )  # fmt: skip
        self.promotions[new.id] = new
        return new

    # -- rides

    def mine(self) -> None:
        """Add the user's rides."""
        for n, minutes in enumerate((90, 23 * 60 + 30)):
            self.ride("RR-11", n, self.world.now + dt.timedelta(minutes=minutes), booked=2, stops=n)
        for n, days in enumerate(_AHEAD):
            stops = 3 if n == 4 else 2 if n % 4 == 3 else int(n % 5 != 2)
            promotion = None
            if n % 4 == 2:
                promotion = self.promotion("RR-11", *_TAKEN[n // 4], 50, status="on_a_ride")
            new = self.ride("RR-11", n, self.at(days, n), booked=min(1 + n % 6, 29 - days), stops=stops, on=promotion)
            if n % 5 == 1:
                for contact in self.contacts[: 3 if n == 6 else 1]:
                    new = rules.shared(new, contact.name, self.contacts)
            if n == 1:  # it was put off in its last day
                new = new.evolve(fees_from=self.world.now + dt.timedelta(hours=6), booked_at=self.ago(4))
            self.rides[new.id] = new
        used = self.promotion("RR-11", *_TAKEN[-1], 20, status="used")
        days_ago = (*_PAST, *(63 + 3 * n for n in range(6 * (self.more - 1))))
        taken = [self.taken("RR-11", n, days, on=used if n == 5 else None) for n, days in enumerate(days_ago)]
        cheap = sorted((ride for ride in taken[:10] if not ride.tip), key=lambda ride: (ride.total, ride.id))
        for n, days in enumerate((-1, -6, -7, -9, -12)):
            self.dropped("RR-11", n, days, fee=rules.LATE_FEE if n != 1 else 0.0)
        for ride in cheap[:2]:  # what is owed leaves room for one more fee
            if rules.owes(self.rides.values()) + ride.total <= rules.MOST_OWED - rules.LATE_FEE:
                self.rides[ride.id] = rules.charged(ride, ride.pickup_at.date())
        half = self.dropped("RR-11", 7, -24, fee=None)
        self.rides[half.id] = rules.paid(half)
        self.dropped("RR-11", 8, 4, fee=0.0)

    def theirs(self, number: int, rider: rec.Rider) -> None:
        """Add the rides of somebody else; the first of them is overdue with a payment."""
        for n in range(2):
            self.ride(rider.id, number + n, self.at(4 + 7 * n, number), booked=2)
            self.taken(rider.id, number + n, 6 + 8 * n)
        self.dropped(rider.id, number, -20 if number == 0 else 6, fee=rules.LATE_FEE if number == 0 else 0.0)

    def ago(self, days: int) -> dt.datetime:
        """So many days ago, in the evening."""
        return dt.datetime.combine(self.world.today - dt.timedelta(days=days), dt.time(19, 40))

    def at(self, days: int, n: int) -> dt.datetime:
        """A pick-up time on the day that lies so far from today."""
        return dt.datetime.combine(self.world.today + dt.timedelta(days=days), dt.time(*_HOURS[n % len(_HOURS)]))

    def ride(
        self, rider_id: str, n: int, at: dt.datetime, *, booked: int, stops: int = 0,
        on: rec.RidePromotion | None = None,
    ) -> rec.Ride:  # fmt: skip
        """Add a ride as it was booked some days before today, or before it began if that is earlier."""
        city = self.cities[(n * 2 + n // 3) % len(self.cities)]
        route, car = self.route(rider_id, city, stops), _CARS[n % len(_CARS)]
        booked_at = min(self.ago(booked), at - dt.timedelta(days=booked))
        bare = rec.Ride(
            id=f"RD-{201 + len(self.rides)}", rider_id=rider_id, city=city, pickup_id=route[0].id,
            pickup=route[0].name, dropoff_id=route[-1].id, dropoff=route[-1].name, pickup_at=at, ends_at=at,
            stops=tuple(rec.Stop(place_id=each.id, name=each.name) for each in route[1:-1]), booked_at=booked_at,
            fees_from=at, car=car, passengers=1 + n % 3, bags=n % 3, child_seat=n % 6 == 3, km=0.0, surge=1.0,
            fare=0.0, total=0.0,
        )  # fmt: skip
        public = [each for each in self.places if each.city == city and not each.saved_by]
        priced = fares.priced(bare, route, on)
        new = self.rides[bare.id] = priced.evolve(on_the_way=fares.on_the_way(route, public))
        return new

    def taken(self, rider_id: str, n: int, days: int, *, on: rec.RidePromotion | None = None) -> rec.Ride:
        """Add a ride that was taken: on the planned route or not, with a car that came in time or not."""
        old = self.ride(rider_id, n, self.at(-days, n + 1), booked=2, stops=int(n % 4 == 3), on=on)
        waited = 8 + n % 5 if n % 3 == 0 else n % 4
        driven = round(old.km * (1.35 if n % 4 == 1 else 1.15 if n % 8 == 6 else 1.02), 1)
        new = rules.paid(
            old.evolve(
                status="completed", on_the_way=(), driver=self.drivers[n % len(self.drivers)], driven_km=driven,
                detour_charge=rules.detour_charge(old, driven), waited=waited, waiting_fee=rules.waiting_fee(waited),
                driver_late=6 if n % 6 == 0 else 0, stars=5 - n % 2 if n % 3 == 1 else None,
                tip=2.0 + n % 3 if n % 5 == 2 else None, left_behind=(_ITEMS[n % 4],) if n % 7 == 4 else (),
            )
        )  # fmt: skip
        new = fares.totalled(new.evolve(grounds=rules.grounds(new)))
        if new.grounds and n % 4 == 1 and days > 18:
            ridden = dt.datetime.combine(new.ends_at.date() + dt.timedelta(days=1), dt.time(10))
            new = rules.credited(new, new.grounds[0], ridden)
        self.rides[new.id] = new
        return new

    def dropped(self, rider_id: str, n: int, days: int, *, fee: float | None) -> rec.Ride:
        """Add a ride that was cancelled: for free, late for a fee, or in the last two hours for half of the price."""
        old = self.ride(rider_id, n, self.at(days, n), booked=5)
        before = dt.timedelta(hours=1 if fee is None else 9 if fee else 24 * 5)
        gone = rules.cancelled(old, max(old.booked_at, old.pickup_at - before))
        self.rides[gone.id] = gone
        return gone
