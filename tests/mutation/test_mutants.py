"""Mutants are small, named, complete and harmless; scores are true for the code as it stands."""

from __future__ import annotations

import time
from functools import cached_property
from types import FunctionType, ModuleType
from typing import Any

import pytest

from envfactory.catalogue import environment_names
from tests.mutation.mutants import Mutant, mutants
from tests.mutation.runner import Overrun, bounded, live
from tests.mutation.scores import excluded, helpers, present, recorded

SOURCE = '''
class Till:
    """A till."""

    @property
    def open(self) -> bool:
        """Whether it is open."""
        return not self.closed

    def pay(self, amount: float, rows: list[int], more: int = 1):
        """Pay."""
        if amount <= 10 and rows:
            raise ToolError("conflict", f"{amount + 1} is 1.")
        self.book(amount, note="x")
        return [row * 2 for row in rows if row in ("a", "b")]

    @classmethod
    def scenario(cls, world):
        return 1 + 1


def largest(values):
    return max(values)
'''
NAMES = [mutant.name for mutant in mutants(SOURCE, "till.py")]


def test_everything_that_decides_is_changed_and_nothing_that_is_only_said():
    pay = [name.removeprefix("Till.pay: ") for name in NAMES if name.startswith("Till.pay")]
    assert sorted(pay) == sorted(
        [
            "amount <= 10 and rows -> True",
            "amount <= 10 and rows -> False",
            "amount <= 10 and rows -> amount <= 10 or rows",
            "amount <= 10 -> amount < 10",
            "10 -> 11",
            "'conflict' -> 'invalid_argument'",
            "self.book(amount, note='x') -> pass",
            "self.book(amount, note='x') -> self.book(amount)",
            "row * 2 -> row / 2",
            "2 -> 3",
            "row in ('a', 'b') -> True",
            "row in ('a', 'b') -> False",
            "row in ('a', 'b') -> row not in ('a', 'b')",
            "('a', 'b') -> ('b',)",
            "('a', 'b') -> ('a',)",
        ]
    )
    assert [name for name in NAMES if not name.startswith("Till.pay")] == [
        "Till.open: not self.closed -> self.closed",
        "largest: max -> min",
    ]


def test_the_same_change_in_two_places_has_two_names():
    found = [mutant.name for mutant in mutants("def f(a, b):\n    return (a < b) + (a < b)\n", "f.py")]
    assert found[1:] == ["f: a < b -> a <= b", "f: a < b -> a <= b (#2)"]


def test_a_name_does_not_depend_on_other_code():
    moved = SOURCE.replace("class Till", "ONE = 1\n\n\ndef zero():\n    return None\n\n\nclass Till")
    assert [mutant.name for mutant in mutants(moved, "till.py")] == NAMES


def test_a_mutant_takes_the_place_of_a_functions_code():
    namespace: dict[str, Any] = {}
    exec(SOURCE, namespace)
    function: FunctionType = namespace["largest"]
    (mutant,) = [m for m in mutants(SOURCE, "till.py") if m.function == "largest"]
    assert isinstance(mutant, Mutant)
    original = function.__code__
    function.__code__ = mutant.code
    assert function([1, 2]) == 1
    function.__code__ = original
    assert function([1, 2]) == 2


def endless() -> None:
    while time.process_time() >= 0:
        pass


def test_what_is_kept_once_computed_is_changed_like_anything_else():
    class Till:
        @cached_property
        def total(self) -> int:
            return 1

    module = ModuleType("till")
    module.Till = Till  # pyright: ignore[reportAttributeAccessIssue]
    assert live(module, "Till.total")(None) == 1


def test_the_rules_of_an_environment_are_changed_however_they_are_imported():
    package = "envfactory.catalogue.travel"
    assert f"{package}._car_rules" in helpers("car_rental")  # "from package import _car_rules as rules"
    assert f"{package}._visa_records" in helpers("visa_and_passport")  # "from package._visa_records import ..."
    assert not any(module.endswith("_scenario") for name in environment_names() for module in helpers(name))


def test_what_does_not_come_to_an_end_is_stopped():
    with pytest.raises(Overrun), bounded(0.05):
        endless()


# -- the recorded scores -----------------------------------------------------------------------------------------------

NEEDED = 0.8
MOST_EXCLUDED = 0.05


@pytest.mark.parametrize("name", environment_names())
def test_the_tests_of_an_environment_notice_at_least_four_mutants_in_five(name: str):
    known = recorded()
    again = f"run: python -m tests.mutation.runner {name}"
    assert name in known, f"{name} has no mutation score; {again}"
    assert known[name].digest == present(name), f"the mutation score of {name} is stale; {again}"
    assert known[name].share >= NEEDED, "\n".join(known[name].survivors)
    assert known[name].excluded <= MOST_EXCLUDED * known[name].mutants
    assert all(reason.strip() for reason in excluded(name).values())


def test_no_score_is_kept_of_what_is_gone():
    assert set(recorded()) <= set(environment_names())
