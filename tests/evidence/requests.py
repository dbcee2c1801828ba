"""Forty requests by rules, as drawn for a reader, and the page that shows what the reader said of each.

    python -m tests.evidence.requests draw     makes the conversations and draws one request of each, for a reader
    python -m tests.evidence.requests page     writes the page anew

A verdict holds for its words alone: once a request is written another way, it is not read yet, and the page is stale.
"""

from __future__ import annotations

import random
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from envfactory.files import JsonlWriter, read_json, read_jsonl, write_bytes_atomic
from envfactory.trajectory import Trajectory

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "evidence"
PAGE = FOLDER / "requests.md"
DRAWN = FOLDER / "requests" / "drawn.jsonl"
VERDICTS = FOLDER / "requests" / "verdicts.json"
ENVIRONMENTS = (
    "marketplace_orders", "inventory_warehouse", "retail_banking", "hotel_reservations", "rail_tickets",
    "calendar_scheduling", "task_board", "parcel_tracking",
)  # fmt: skip
"""Named, so that another environment in the catalogue leaves these conversations as they were read."""
OVERRIDES = (
    "+experiment=smoke", "domain=all", f"domain.environments=[{','.join(ENVIRONMENTS)}]", "scale.trajectories=40",
    "scale.sft=20", "scale.rl=20", "seed=21",
)  # fmt: skip
BAR = 0.8

COMMAND = f"python -m envfactory {shlex.join(OVERRIDES)}"

INTRODUCTION = f"""Made by rules, over {len(ENVIRONMENTS)} environments:

    {COMMAND}

One turn was drawn at random from each of the 40 conversations and read together with the turn before it, once, by
somebody who had neither
written the rules nor seen them: could a person have typed this, in that place of the conversation? The bar is
{BAR:.0%}.
A test draws them again and fails when a request is no longer the one that was read; then they are drawn anew
(`python -m tests.evidence.requests draw`) and read anew."""


def drawn() -> list[dict[str, Any]]:
    """Make the conversations, and draw one request of each."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "envfactory", *OVERRIDES, "stages=[synthesize]", f"paths.outputs={folder}"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
        if done.returncode != 0:
            raise RuntimeError(done.stderr)
        file = Path(folder) / "latest" / "artifacts" / "synthesize" / "trajectories.jsonl"
        chance = random.Random(4)
        rows = (Trajectory.model_validate(row) for row in read_jsonl(file))
        return [_one(number, row, chance) for number, row in enumerate(rows, start=1)]


def _one(number: int, trajectory: Trajectory, chance: random.Random) -> dict[str, Any]:
    turns = trajectory.conversation.turns
    place = chance.randrange(len(turns))
    before = turns[place - 1] if place else None
    return {
        "number": number,
        "trajectory": trajectory.id,
        "turn": place + 1,
        "before": [before.user, before.steps[-1].text] if before else [],
        "text": turns[place].user,
    }


def page() -> str:
    """The page, from what was drawn and what was said of it."""
    return "\n".join(_page(list(read_jsonl(DRAWN)), read_json(VERDICTS))) + "\n"


def accepted(rows: list[dict[str, Any]], verdicts: dict[str, str]) -> int:
    """How many requests the reader took for a person's; a verdict is found by the words of the request."""
    return sum(verdicts.get(row["text"], "").startswith("yes") for row in rows)


def _page(rows: list[dict[str, Any]], verdicts: dict[str, str]) -> Iterator[str]:
    count = accepted(rows, verdicts)
    yield "# 40 requests by rules, read by somebody who had not written them"
    yield ""
    yield from INTRODUCTION.splitlines()
    yield ""
    yield f"Accepted: {count} of {len(rows)} ({count / len(rows):.0%})."
    yield ""
    yield "| # | trajectory | turn | text | typed by a person? |"
    yield "|---|---|---|---|---|"
    for row in rows:
        said = verdicts.get(row["text"], "not yet read")
        yield f"| {row['number']} | {row['trajectory']} | {row['turn']} | {_cell(row['text'])} | {_cell(said)} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


if __name__ == "__main__":
    if sys.argv[1:2] == ["draw"]:
        DRAWN.parent.mkdir(parents=True, exist_ok=True)
        with JsonlWriter(DRAWN) as writer:
            for row in drawn():
                writer.write(row)
    write_bytes_atomic(PAGE, page().encode())
