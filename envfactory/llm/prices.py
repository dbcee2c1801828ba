"""What tokens cost: a table of prices a million tokens, by patterns of model names.

The table knows no currency: money is in whatever its amounts are in. Of the rows whose pattern a model's name matches
(``*`` any characters, ``?`` one, capital or small), the one that spells most of the name out holds. A model without a
row costs nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase

from envfactory.llm.chat import Usage
from envfactory.llm.settings import PriceSettings

__all__ = ["most_of", "price_for", "price_of", "row_for"]

MILLION = 1_000_000
FREE = PriceSettings(input=0.0, output=0.0)
"""What a model costs that the table has no row for."""

_WILD = re.compile(r"\[.*?\]|[*?]")


def row_for(model: str, patterns: Iterable[str]) -> str | None:
    """Return the pattern whose row holds for a model; None if there is none."""
    name = model.lower()
    fitting = [pattern for pattern in patterns if fnmatchcase(name, pattern.lower())]
    # Of two that spell out as much, the first.
    return max(fitting, key=lambda pattern: len(_WILD.sub("", pattern)), default=None)


def price_for(model: str, table: Mapping[str, PriceSettings]) -> PriceSettings:
    """Return what a table says of a model."""
    row = row_for(model, table)
    return FREE if row is None else table[row]


def price_of(usage: Usage, price: PriceSettings) -> float:
    """Return what tokens cost."""
    cached = price.input if price.cached_input is None else price.cached_input
    reasoning = price.output if price.reasoning is None else price.reasoning
    read = (usage.prompt - usage.cached) * price.input + usage.cached * cached
    written = (usage.completion - usage.reasoning) * price.output + usage.reasoning * reasoning
    return (read + written) / MILLION


def most_of(estimate: Usage, price: PriceSettings) -> float:
    """Return what tokens may cost at most, where it is not known yet which are cached and which are reasoning."""
    read = estimate.prompt * max(price.input, price.cached_input or 0.0)
    written = estimate.completion * max(price.output, price.reasoning or 0.0)
    return (read + written) / MILLION
