"""One seed is one world, in any process."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envfactory.catalogue import environment_names, load
from envfactory.environment import DEFAULT_NOW, World, build_scenario, digest, dump_state
from envfactory.environment.world import CITIES

ROOT = Path(__file__).parents[2]
DIGESTS = """
from envfactory.catalogue import environment_names, load
from envfactory.environment import DEFAULT_NOW, build_scenario, digest, dump_state
from tests.environment.library import Library
for name, cls in {**load(environment_names()), "library": Library}.items():
    for seed, size in ((0, 20), (7, 60)):
        print(name, seed, size, digest(dump_state(build_scenario(cls, seed, size, DEFAULT_NOW))))
"""


def test_scenarios_are_the_same_bytes_under_any_hash_seed():
    printed: list[str] = []
    for hash_seed in ("0", "1", "4242"):
        variables = {**os.environ, "PYTHONHASHSEED": hash_seed}
        command = [sys.executable, "-c", DIGESTS]
        done = subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, text=True, timeout=120, check=True)
        printed.append(done.stdout)
    assert printed[0].count("\n") == 2 * (len(environment_names()) + 1)
    assert len(set(printed)) == 1


@pytest.mark.parametrize("name", environment_names())
def test_another_seed_or_size_is_another_scenario(name: str):
    (cls,) = load([name]).values()
    documents = [dump_state(build_scenario(cls, *way, DEFAULT_NOW)) for way in ((0, 60), (1, 60), (0, 120))]
    assert len({digest(document) for document in documents}) == 3


def test_environments_of_one_seed_share_the_person_and_the_cities_but_not_the_draws():
    one, other = World(5, DEFAULT_NOW, "bank"), World(5, DEFAULT_NOW, "shop")
    assert (one.user, one.cities) == (other.user, other.cities)
    assert [one.integer(0, 10**9) for _ in range(3)] != [other.integer(0, 10**9) for _ in range(3)]
    assert World(6, DEFAULT_NOW, "bank").user != one.user


@given(st.integers(0, 10**6), st.integers(-50, 50), st.integers(0, 50))
def test_draws_keep_within_their_bounds(seed: int, low: int, width: int):
    world = World(seed, DEFAULT_NOW, "test")
    high = low + width
    assert low <= world.integer(low, high) <= high
    assert low <= (world.date(low, high) - world.today).days <= high
    moment = world.moment(low, high)
    assert low * 1440 <= (moment - world.now).total_seconds() / 60 <= high * 1440
    assert (moment.second, moment.microsecond) == (0, 0)
    assert low <= world.money(low, high) <= high
    assert world.city() in world.cities
    assert set(world.cities) <= set(CITIES)
    assert world.choice("abc") in "abc"
    assert world.weighted({"never": 0, "always": 1}) == "always"
    assert not world.chance(0)
    assert world.chance(1)
    assert sorted(world.sample("abc", 5)) == ["a", "b", "c"]


@given(st.integers(0, 10**6), st.data())
def test_draws_are_those_of_the_standard_library(seed: int, data: st.DataObject):
    """Scenarios are the same bytes whichever of the two draws."""
    world, plain = World(seed, DEFAULT_NOW, "test"), random.Random(f"{seed}/test")
    for _ in range(5):
        low = data.draw(st.integers(-50, 50))
        high = data.draw(st.integers(low, low + 300))
        options = list(range(data.draw(st.integers(1, 40))))
        count = data.draw(st.integers(0, 45))
        weights = data.draw(st.lists(st.floats(0.1, 9), min_size=1, max_size=6))
        assert world.integer(low, high) == plain.randint(low, high)
        assert world.choice(options) == plain.choice(options)
        assert world.sample(options, count) == plain.sample(options, min(count, len(options)))
        assert world.weighted(dict(enumerate(weights))) == plain.choices(range(len(weights)), weights)[0]
        assert world.chance(0.5) == (plain.random() < 0.5)


def test_nothing_can_be_drawn_out_of_nothing():
    world = World(0, DEFAULT_NOW, "test")
    with pytest.raises(ValueError, match="nothing can be drawn out of 0"):
        world.choice([])
    with pytest.raises(ValueError, match="nothing can be drawn out of -1"):
        world.integer(3, 1)
    assert world.sample([], 3) == []


@given(st.integers(0, 10**6))
def test_people_are_different_and_none_of_them_is_the_user(seed: int):
    world = World(seed, DEFAULT_NOW, "test")
    people = world.people(20)
    names = [person.name for person in people]
    assert len(set(names)) == 20
    assert world.user.name not in names
    for person in people:
        assert person.email == f"{person.name.replace(' ', '.').lower()}@mail.example"
    assert world.address().split()[0].isdigit()
