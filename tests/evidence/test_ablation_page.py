"""The ablations run by their one command, over the same chains and gold, and the page is what they give."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from envfactory.files import digest_json, read_json, read_jsonl
from envfactory.gold import Gold
from envfactory.querygen.base import added_calls, base_gold
from envfactory.querygen.program import divided
from envfactory.trajectory import REFINEMENTS
from tests.evidence import ablation

EXPANDS = "refinement.goal_expansion.enabled"
BASE, EXTENSION = "synthesize.requests.base_digest", "synthesize.requests.extension_digest"


def test_the_page_is_what_the_figures_say() -> None:
    assert ablation.PAGE.read_text(encoding="utf-8") == ablation.page(read_json(ablation.FIGURES))


@pytest.mark.parametrize("size", sorted(read_json(ablation.FIGURES)))
def test_every_cell_stands_on_the_same_chains_and_gold(size: str) -> None:
    for rows in read_json(ablation.FIGURES)[size].values():
        assert len({row[BASE] for row in rows}) == 1
        assert len({row["sample.chains"] for row in rows}) == 1
    rows = read_json(ablation.FIGURES)[size]["refinement_ablation"]
    assert len({tuple(row["switches"].values()) for row in rows}) == len(rows) == 16
    longer = {row[EXTENSION] for row in rows if row["switches"][EXPANDS] == "True"}
    plain = {row[EXTENSION] for row in rows if row["switches"][EXPANDS] == "False"}
    assert len(longer) == len(plain) == 1
    assert (longer != plain) == any(row["synthesize.requests.changed.goal_expansion"] for row in rows)


def test_a_switch_that_is_off_changes_nothing_of_its_kind() -> None:
    for row in (row for size in read_json(ablation.FIGURES).values() for row in size["refinement_ablation"]):
        for kind in REFINEMENTS:
            on = row["switches"][f"refinement.{kind}.enabled"] == "True"
            assert on or not row[f"synthesize.requests.changed.{kind}"]


def test_an_effect_is_the_mean_difference_between_cells_that_differ_in_one_switch() -> None:
    rows: list[dict[str, Any]] = [
        {"switches": {f"refinement.{kind}.enabled": str(on) for kind in REFINEMENTS}, "synthesize.x": value}
        for on, value in ((True, 5.0), (False, 2.0), (True, 7.0), (False, 3.0))
    ]
    assert ablation.effect(rows, "ambiguity", "x") == pytest.approx(3.5)


@pytest.mark.heavy
@pytest.mark.timeout(1300)
def test_the_sweeps_still_give_what_stands_on_the_page_over_the_same_chains(tmp_path: Path) -> None:
    found = ablation.small(tmp_path)
    assert found == read_json(ablation.FIGURES)["small"], "the page is stale: python -m tests.evidence.ablation"
    (path,) = (tmp_path / "artifacts" / "sample").glob("*/chains.jsonl")
    chains = {program(row["gold"]): number for number, row in enumerate(read_jsonl(path))}
    made = sorted((tmp_path / "artifacts" / "synthesize").glob("*/trajectories.jsonl"))
    assert len(made) == 16, "the paper's own two cells are two of these"
    # The trajectories of every cell hold, call by call, the whole programs of the same chains in the same order.
    used = [[chains[program(row["gold"], row["changes"])] for row in read_jsonl(path)] for path in made]
    assert len(used[0]) == 12
    assert all(numbers == used[0] for numbers in used)


def program(gold: dict[str, Any], changes: list[dict[str, Any]] | None = None) -> str:
    """The digest of a program as it was before refinement, undivided."""
    base = base_gold(Gold.model_validate(gold), added_calls(changes or []))
    return digest_json(divided(base, (len(base.calls),)).model_dump(mode="json"))
