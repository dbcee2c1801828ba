"""`World`: the seeded source that scenarios are drawn from.

One seed gives one world, in any process: the generator is seeded by text (SHA-512 inside `random`, never `hash`).
Whole numbers are drawn here, from its bits: a scenario draws thousands, and the layers of `random` would take half of
the time that it takes to build.
People and places come from the same lists for every environment and seed, so that environments of one session speak of
the same cities and the same person.
"""

from __future__ import annotations

import datetime as dt
import random
from bisect import bisect
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TypeVar

T = TypeVar("T")

_POOL = 21
"""Out of so few, `random.sample` draws from a pool."""

FIRST_NAMES = (
    "Ada", "Amara", "Anders", "Beatriz", "Bilal", "Camille", "Carlos", "Chloe", "Daniel", "Dina", "Elena", "Emeka",
    "Farah", "Felix", "Grace", "Hana", "Hugo", "Imani", "Ines", "Isaac", "Jonas", "Julia", "Kavya", "Kenji", "Laila",
    "Leo", "Lucia", "Magnus", "Maya", "Mei", "Nadia", "Noah", "Olivia", "Omar", "Paula", "Priya", "Rafael", "Rosa",
    "Samir", "Sofia", "Tariq", "Thea", "Tomas", "Uma", "Victor", "Wanda", "Yusuf", "Zoe",
)  # fmt: skip
LAST_NAMES = (
    "Abara", "Almeida", "Andersen", "Bauer", "Bianchi", "Carter", "Castillo", "Chen", "Costa", "Dubois", "Eriksen",
    "Farouk", "Fischer", "Garcia", "Haddad", "Hoffmann", "Ibrahim", "Ivanov", "Jansen", "Kapoor", "Keller", "Kim",
    "Kowalski", "Laurent", "Lindgren", "Lopez", "Marino", "Meyer", "Moreau", "Nakamura", "Novak", "Okafor", "Olsen",
    "Park", "Petrov", "Quinn", "Rahman", "Reyes", "Romano", "Rossi", "Sato", "Schmidt", "Silva", "Singh", "Tanaka",
    "Vargas", "Weber", "Young",
)  # fmt: skip
CITIES = (
    ("Lisbon", "Portugal"), ("Porto", "Portugal"), ("Barcelona", "Spain"), ("Seville", "Spain"), ("Paris", "France"),
    ("Lyon", "France"), ("Rome", "Italy"), ("Florence", "Italy"), ("Berlin", "Germany"), ("Hamburg", "Germany"),
    ("Vienna", "Austria"), ("Prague", "Czechia"), ("Copenhagen", "Denmark"), ("Oslo", "Norway"), ("Dublin", "Ireland"),
    ("Edinburgh", "United Kingdom"), ("Athens", "Greece"), ("Krakow", "Poland"), ("Zurich", "Switzerland"),
    ("Amsterdam", "Netherlands"),
)  # fmt: skip
STREETS = (
    "Harbour Street", "Mill Lane", "Station Road", "Garden Avenue", "Church Street", "Market Square", "River Walk",
    "Castle Hill", "Orchard Way", "Linden Street", "Museum Road", "Bridge Street",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody: full name and the e-mail address that goes with it."""

    name: str
    email: str


class World:
    """Draws for one scenario.

    Attributes:
        now: the session's clock at the start.
        random: the generator behind every draw.
    """

    def __init__(self, seed: int, now: dt.datetime, environment: str) -> None:
        self.now = now
        self.random = random.Random(f"{seed}/{environment}")
        self._bits = self.random.getrandbits
        shared = random.Random(f"{seed}/shared")
        self.user = _person(shared)
        self.cities: tuple[tuple[str, str], ...] = tuple(shared.sample(CITIES, 8))

    @property
    def today(self) -> dt.date:
        """The date of the clock."""
        return self.now.date()

    def choice(self, options: Sequence[T]) -> T:
        """One of the options."""
        return options[self._below(len(options))]

    def sample(self, options: Sequence[T], count: int) -> list[T]:
        """Up to `count` different options, in random order."""
        pool = list(options)
        left = len(pool)
        if left > _POOL:
            return self.random.sample(pool, min(count, left))
        found: list[T] = []
        for _ in range(min(count, left)):
            place = self._below(left)
            left -= 1
            found.append(pool[place])
            pool[place] = pool[left]
        return found

    def weighted(self, options: dict[T, float]) -> T:
        """One of the options, by weight."""
        bounds = list(accumulate(options.values()))
        return list(options)[bisect(bounds, self.random.random() * (bounds[-1] + 0.0), 0, len(bounds) - 1)]

    def integer(self, low: int, high: int) -> int:
        """A whole number from `low` to `high`, both included."""
        return low + self._below(high - low + 1)

    def _below(self, count: int) -> int:
        """A whole number from 0 to `count`, `count` excluded, as `random` draws one.

        Raises:
            ValueError: there is none.
        """
        if count <= 0:
            raise ValueError(f"nothing can be drawn out of {count} possibilities")
        bits = self._bits
        size = count.bit_length()
        found = bits(size)
        while found >= count:
            found = bits(size)
        return found

    def chance(self, probability: float) -> bool:
        """True with this probability."""
        return self.random.random() < probability

    def money(self, low: float, high: float, ending: float = 0.0) -> float:
        """An amount between `low` and `high` in whole units, plus `ending` (0.99 for shop prices)."""
        return round(self.integer(int(low), int(high)) + ending, 2)

    def date(self, low: int, high: int) -> dt.date:
        """A date from `low` to `high` days after today (negative: before)."""
        return self.today + dt.timedelta(days=self.integer(low, high))

    def moment(self, low: int, high: int) -> dt.datetime:
        """A time in whole minutes, from `low` to `high` days after now (negative: before)."""
        return self.now + dt.timedelta(minutes=self.integer(low * 1440, high * 1440))

    def city(self) -> tuple[str, str]:
        """City and country, out of the eight that this seed's world has in every environment."""
        return self.choice(self.cities)

    def person(self) -> Person:
        """Somebody other than the session's own user, as a rule."""
        return _person(self.random)

    def people(self, count: int) -> list[Person]:
        """Different people, none of them the session's user."""
        found: dict[str, Person] = {}
        while len(found) < count:
            person = self.person()
            if person.name != self.user.name:
                found.setdefault(person.name, person)
        return list(found.values())

    def address(self) -> str:
        """Street and number."""
        return f"{self.integer(1, 180)} {self.choice(STREETS)}"


def _person(source: random.Random) -> Person:
    first, last = source.choice(FIRST_NAMES), source.choice(LAST_NAMES)
    return Person(f"{first} {last}", f"{first}.{last}@mail.example".lower())
