"""The planner: who asks, and how the calls of a chain fall into turns (arXiv 2605.18703, section 3.3, planning)."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from envfactory.environment import Spec, World
from envfactory.gold import Gold
from envfactory.querygen.program import divided
from envfactory.querygen.related import Relations
from envfactory.trajectory import Persona

MANNERS = ("brief", "plain", "polite", "chatty", "casual")

TOO_LONG = 1e-20
"""Weight of a last turn that is too long: only if there is no other way."""

ONE_MORE = 1e-3
"""Weight of each further call in it."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A persona, and the gold program divided into turns."""

    persona: Persona
    gold: Gold


class Planner(Protocol):
    """Turns a grounded chain into the plan of a conversation."""

    def plan(self, gold: Gold, specs: Mapping[str, Spec], rng: random.Random) -> Plan:
        """Choose a persona and divide the calls."""
        ...


@dataclass(frozen=True, slots=True)
class RulePlanner:
    """Divides at random: after each call the turn ends with probability (its calls so far) / `most`.

    Of all divisions into at most `turns` turns, each is as likely as that makes it, times the weight of every turn as a
    request (`related`): what belongs together is asked for at once, what is unlike or leans on an answer is not.

    Attributes:
        fewest, most: bounds of the calls in a turn; the last one may be shorter.
        turns: bound of the turns; what is left over goes into the last one, which then may be too long to be accepted.
    """

    fewest: int = 1
    most: int = 5
    turns: int = 8

    def plan(self, gold: Gold, specs: Mapping[str, Spec], rng: random.Random) -> Plan:
        """Choose a persona and divide the calls."""
        turns = self._division(len(gold.calls), Relations(gold, specs).weight, rng)
        name = World(gold.reference.seed, gold.reference.now, "persona").user.name
        return Plan(Persona(name=name, manner=rng.choice(MANNERS)), divided(gold, tuple(turns)))

    def _division(self, calls: int, weight: Callable[[int, int], float], rng: random.Random) -> list[int]:
        """Draw the sizes of the turns: sum over the divisions of what is left, then turn by turn from the front."""
        chances = [
            {
                stop: chance * weight(start, stop)
                for stop in range(start + 1, calls + 1)
                if (chance := self._chance(stop - start, last=stop == calls))
            }
            for start in range(calls)
        ]
        # By how many turns are left and where they begin: the weight of all divisions of the calls from there on.
        left = [[0.0] * calls + [1.0]]
        for _ in range(min(self.turns, calls)):
            sums = [sum(chance * left[-1][stop] for stop, chance in stops.items()) for stops in chances]
            left.append([*sums, 1.0])
        sizes: list[int] = []
        at = 0
        while at < calls:
            rest = left[len(left) - 2 - len(sizes)]
            stop = rng.choices(list(chances[at]), [chance * rest[stop] for stop, chance in chances[at].items()])[0]
            sizes.append(stop - at)
            at = stop
        return sizes

    def _chance(self, size: int, *, last: bool) -> float:
        """The probability of a turn of a size; of one that is too long, and the last, hardly any."""
        if size > self.most:
            return TOO_LONG * ONE_MORE ** (size - self.most) if last else 0.0
        ends = [length / self.most if length >= self.fewest else 0.0 for length in range(1, size + 1)]
        return math.prod(1 - end for end in ends[:-1]) * (1 if last else ends[-1])
