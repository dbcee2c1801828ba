"""What is wrong with a configuration, and how to say it: all problems at once, each with what would be right."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import orjson

__all__ = ["ConfigError", "Problem", "nearest", "shown"]


@dataclass(frozen=True)
class Problem:
    """One thing wrong.

    Attributes:
        key: the dotted key or the group.
        value: what it was given, as a person would type it; None where nothing was given.
        expected: what would be right.
        hint: what was probably meant, as a whole phrase; empty if nothing is near.
    """

    key: str
    value: str | None
    expected: str
    hint: str = ""

    def __str__(self) -> str:
        given = self.key if self.value is None else f"{self.key}={self.value}"
        return f"{given}: {self.expected}" + (f" ({self.hint})" if self.hint else "")


class ConfigError(ValueError):
    """The configuration cannot be used; `problems` holds everything that is wrong with it."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(dict.fromkeys(problems))
        count = len(self.problems)
        lines = "".join(f"\n  {problem}" for problem in self.problems)
        super().__init__(f"{count} problem{'s' if count > 1 else ''} in the configuration, nothing was run:{lines}")


def nearest(name: str, valid: Sequence[str]) -> str:
    """Return a hint at the valid name nearest to a wrong one, or an empty string where none is near."""
    for cutoff, words in ((0.6, "did you mean {}?"), (0.3, "nearest is {}")):
        found = difflib.get_close_matches(name, valid, n=1, cutoff=cutoff)
        if found:
            return words.format(found[0])
    return ""


def shown(value: Any) -> str:
    """Write a value as a person would type it on the command line."""
    if isinstance(value, str):
        return value
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(shown, cast("Sequence[Any]", value))) + "]"
    if isinstance(value, float):
        # JSON has no word for nan and inf.
        return repr(value)
    try:
        return orjson.dumps(value).decode()
    except TypeError:
        return str(value)
