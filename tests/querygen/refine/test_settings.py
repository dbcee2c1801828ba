"""The config group says what the settings are, and its mistakes are told by key."""

from __future__ import annotations

import pytest

from envfactory.config import ConfigError
from envfactory.config.commandline import read_command
from envfactory.querygen.refine import RefinementSettings
from envfactory.trajectory import REFINEMENTS, RefinementKind


def settings_of(*overrides: str) -> RefinementSettings:
    config = read_command(list(overrides)).cells[0].config
    return RefinementSettings.model_validate(config.refinement.model_dump())


def enabled(settings: RefinementSettings) -> set[RefinementKind]:
    return {kind for kind in REFINEMENTS if getattr(settings, kind).enabled}


def test_the_choices_of_the_group_switch_what_they_say() -> None:
    assert settings_of("refinement=all") == settings_of() == RefinementSettings()
    assert enabled(settings_of("refinement=none")) == set()
    assert enabled(settings_of("refinement=wording")) == {"implicit_reference", "action_compression"}


def test_each_is_switched_and_weighted_alone() -> None:
    settings = settings_of("refinement.ambiguity.enabled=false", "+refinement.domains.travel.goal_expansion=3")
    assert enabled(settings) == set(REFINEMENTS) - {"ambiguity"}
    assert settings.domains == {"travel": {"goal_expansion": 3}}


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("+refinement.domains.travl.ambiguity=2", "no such domain"),
        ("+refinement.domains.travel.ambigity=2", "ambiguity"),
        ("+refinement.domains.travel.ambiguity=-1", "refinement.domains"),
        ("refinement.ambiguity.probability=1.5", "a number from 0 to 1"),
    ],
)
def test_a_mistake_is_told(override: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        read_command([override])


def test_the_ablation_has_a_cell_for_each_combination_and_one_set_of_chains() -> None:
    cells = [cell.config for cell in read_command(["+experiment=refinement_ablation", "-m"]).cells]
    switched = [tuple(getattr(cell.refinement, kind).enabled for kind in REFINEMENTS) for cell in cells]
    assert len(set(switched)) == len(cells) == 16
    chains = ("domain", "embedder", "graph", "sampler", "scale", "seed")
    assert len({str(cell.identity(chains)) for cell in cells}) == 1


def test_the_papers_ablation_is_with_and_without() -> None:
    with_, without = (cell.config for cell in read_command(["+experiment=refinement_paper", "-m"]).cells)
    assert with_.refinement.ambiguity.enabled
    assert not any(getattr(without.refinement, kind).enabled for kind in REFINEMENTS)
    assert with_.scale == without.scale
    assert with_.scale.trajectories == 250
