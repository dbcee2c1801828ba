"""The prompts of the roles, one file each in `querygen/prompts`."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from envfactory.llm.prompt import Prompt

FOLDER = Path(__file__).resolve().parents[1] / "prompts"


@cache
def prompt(name: str) -> Prompt:
    """The prompt of a role.

    Raises:
        OSError: there is none of this name.
    """
    return Prompt(FOLDER / f"{name}.jinja")
