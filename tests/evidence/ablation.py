"""The two ablations of refinement, as the command line runs them, and the page that shows what they gave.

    python -m tests.evidence.ablation          runs both, at their full size and small; writes the figures and the page
    python -m tests.evidence.ablation small    runs both small alone: the page says that the full size is to be run
    python -m tests.evidence.ablation page     writes the page anew

The small runs are what a test repeats: what they give changes with whatever would change the full ones.
"""

from __future__ import annotations

import csv
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from envfactory.files import digest_json, read_json, write_bytes_atomic, write_json_atomic
from envfactory.trajectory import REFINEMENTS

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "evidence"
PAGE = FOLDER / "ablation.md"
FIGURES = FOLDER / "ablation" / "figures.json"
EXPERIMENTS = ("refinement_ablation", "refinement_paper")
SMALL = ("domain=first", "scale.trajectories=12", "scale.sft=12")
"""What makes a run small enough to be repeated."""

FULL_SECONDS, SMALL_SECONDS = 7200, 600

KEPT = (
    "sample.chains", "synthesize.trajectories", "synthesize.turns_mean", "synthesize.calls_mean",
    "synthesize.requests.words_mean", "synthesize.requests.named_share", "synthesize.requests.asked_share",
    "synthesize.requests.distinct_3", "synthesize.requests.self_similarity", "synthesize.requests.exchanges",
    "synthesize.requests.base_digest", "synthesize.requests.extension_digest",
    *(f"synthesize.requests.changed.{kind}" for kind in REFINEMENTS),
    "export.sft", "export.sft_validation",
)  # fmt: skip
"""The columns of a sweep's table that are kept."""

COLUMNS = (
    ("words a request", "requests.words_mean", "{:.1f}"), ("named", "requests.named_share", "{:.0%}"),
    ("asked", "requests.asked_share", "{:.0%}"), ("distinct-3", "requests.distinct_3", "{:.3f}"),
    ("self-similarity", "requests.self_similarity", "{:.3f}"), ("turns", "turns_mean", "{:.2f}"),
    ("calls", "calls_mean", "{:.2f}"), ("asked back", "requests.exchanges", "{:.0f}"), ("undone", "undone", "{:.0f}"),
)  # fmt: skip
"""What the page shows of stage synthesize: name, figure, form."""

INTRODUCTION = """Both run as a sweep, by rules, seed 0:

    python -m envfactory +experiment=refinement_ablation -m
    python -m envfactory +experiment=refinement_paper -m

All cells of a sweep are over the same chains and the same gold: whether a chain becomes a conversation is decided by
what is asked for outright, before anything is refined; the planner, the writer and each refinement draw apart; and
each conversation is played once, straight. Gold as it was before refinement (the calls with their arguments and the
state that they start from, divided into turns) has one digest in all cells (`base_digest`). A further goal is a
longer gold by its nature: its calls are recorded as `changes`, stand in gold in no other cells than those with goal
expansion, and are the same ones in all of these (`extension_digest`).

*Named*: records called by their names, of all that calls take from results; *asked*: calls asked for outright;
*distinct-3*: different sequences of three words, of all, over the first 4,000 requests; *self-similarity*: mean
greatest Jaccard overlap of such sequences with another request, over the first 400; *asked back*: turns in which the
assistant asks back, for a secret too; *undone*: refinements tried and undone, because the request could not be served
with them. All of these stand in every run's `metrics.json` and in a sweep's `sweep.csv`."""

FOOT = """A test repeats both sweeps small (`{small}`) and fails when they no longer give what stands in
`ablation/figures.json`; then `python -m tests.evidence.ablation` makes the page anew."""


def command(experiment: str, outputs: Path, *overrides: str) -> list[str]:
    """The sweep; in one process, since a cell is made before others have started, and gives the same."""
    return [
        sys.executable, "-m", "envfactory", f"+experiment={experiment}", "-m", f"paths.outputs='{outputs}'",
        "querygen.processes=1", *overrides,
    ]  # fmt: skip


def swept(experiment: str, outputs: Path, seconds: int, *overrides: str) -> list[dict[str, Any]]:
    """Run a sweep, and read of its table what is kept, a row a cell."""
    done = subprocess.run(
        command(experiment, outputs, *overrides), capture_output=True, text=True, timeout=seconds, check=False
    )
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    (table,) = (outputs / experiment / "sweeps").glob("*/sweep.csv")
    with table.open(newline="", encoding="utf-8") as stream:
        return [_kept(row) for row in csv.DictReader(stream)]


def _kept(row: Mapping[str, str]) -> dict[str, Any]:
    undone = [int(value) for name, value in row.items() if name.startswith("synthesize.refinements_undone.") and value]
    values = {name: _value(row[name]) for name in KEPT if row.get(name)}
    return {
        "switches": {name: value for name, value in row.items() if name.partition(".")[0] == "refinement"},
        **values,
        "synthesize.undone": sum(undone),
    }


def _value(text: str) -> int | float | str:
    for form in (int, float):
        try:
            return form(text)
        except ValueError:
            continue
    return text


def small(outputs: Path) -> dict[str, list[dict[str, Any]]]:
    """Both sweeps, small."""
    return {experiment: swept(experiment, outputs, SMALL_SECONDS, *SMALL) for experiment in EXPERIMENTS}


def page(figures: Mapping[str, Any]) -> str:
    """The page."""
    return "\n".join(_page(figures)) + "\n"


def _page(figures: Mapping[str, Any]) -> Iterator[str]:
    shown = figures.get("full") or figures["small"]
    ablation, paper = (shown[experiment] for experiment in EXPERIMENTS)
    yield "# Refinement switched off and on"
    yield ""
    yield from INTRODUCTION.splitlines()
    yield ""
    if "full" not in figures:
        yield f"**The full size was not run yet: these are the small sweeps (`{' '.join(SMALL)}`).**"
        yield ""
    yield "## Each of the four, on and off"
    yield ""
    yield from _told(ablation)
    yield ""
    head = [kind.replace("_", " ") for kind in REFINEMENTS]
    yield from _table(head, [[_switch(row, kind) for kind in REFINEMENTS] for row in ablation], ablation)
    yield ""
    yield "What each does to a figure, on average over the eight pairs of cells that differ in nothing else:"
    yield ""
    yield from _effects(ablation)
    yield ""
    yield "## The paper's own: with refinement and without"
    yield ""
    yield from _told(paper)
    yield ""
    yield from _table(["refinement"], [[row["switches"]["refinement"]] for row in paper], paper)
    yield ""
    yield from FOOT.format(small=" ".join(SMALL)).splitlines()
    yield f"Figures: {digest_json(figures)[:16]}."


def _told(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """What the cells have in common."""
    bases = {row["synthesize.requests.base_digest"] for row in rows}
    counts = {row["synthesize.trajectories"] for row in rows}
    (base,), (count,) = bases, counts
    yield f"{len(rows)} cells of {count} trajectories each, base `{base[:16]}` in all of them."


def _switch(row: Mapping[str, Any], kind: str) -> str:
    return "yes" if row["switches"][f"refinement.{kind}.enabled"] == "True" else "-"


def _table(head: Sequence[str], keys: Sequence[Sequence[str]], rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    names = [*head, *(name for name, _, _ in COLUMNS)]
    yield "| " + " | ".join(names) + " |"
    yield "|" + "---|" * len(names)
    for key, row in zip(keys, rows, strict=True):
        cells = [form.format(row[f"synthesize.{figure}"]) for _, figure, form in COLUMNS]
        yield "| " + " | ".join([*key, *cells]) + " |"


def _effects(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    yield "| | " + " | ".join(name for name, _, _ in COLUMNS) + " |"
    yield "|" + "---|" * (len(COLUMNS) + 1)
    for kind in REFINEMENTS:
        cells = [form.replace(":", ":+").format(effect(rows, kind, figure)) for _, figure, form in COLUMNS]
        yield f"| {kind.replace('_', ' ')} | " + " | ".join(cells) + " |"


def effect(rows: Sequence[Mapping[str, Any]], kind: str, figure: str) -> float:
    """The mean difference that a switch makes to a figure."""
    signed = [row[f"synthesize.{figure}"] * (1 if _switch(row, kind) == "yes" else -1) for row in rows]
    return sum(signed) / (len(rows) / 2)


def make(*, full: bool) -> None:
    """Run the sweeps, and write the figures."""
    with tempfile.TemporaryDirectory() as folder:
        figures = {"small": small(Path(folder) / "small")}
        if full:
            figures["full"] = {name: swept(name, Path(folder) / "full", FULL_SECONDS) for name in EXPERIMENTS}
    FIGURES.parent.mkdir(parents=True, exist_ok=True)
    write_json_atomic(FIGURES, figures)


if __name__ == "__main__":
    if sys.argv[1:] != ["page"]:
        make(full=sys.argv[1:] != ["small"])
    write_bytes_atomic(PAGE, page(read_json(FIGURES)).encode())
