"""Subsets of the catalogue: fixed, nested, balanced over the domains."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Literal

import pytest
from omegaconf import OmegaConf

from envfactory.catalogue import domains, environment_names
from envfactory.catalogue.registry import FOLDER
from envfactory.config import catalogue_names
from envfactory.config.commandline import read_command
from envfactory.config.making import DomainConfig

ALL = environment_names()


def chosen(
    names: Literal["all"] | tuple[str, ...] = "all", environments: Literal["all"] | int = "all"
) -> tuple[str, ...]:
    return DomainConfig(names=names, environments=environments).chosen()


def domain_of(name: str) -> str:
    return next(domain for domain, names in catalogue_names().items() if name in names)


def test_the_order_names_every_environment_of_the_catalogue() -> None:
    order = OmegaConf.to_container(OmegaConf.load(FOLDER / "order.yaml"))
    assert isinstance(order, dict)
    assert {domain: sorted(names) for domain, names in order.items()} == {
        domain: list(environment_names(domain)) for domain in domains()
    }
    assert catalogue_names() == {domain: tuple(names) for domain, names in order.items()}


def test_of_two_subsets_the_smaller_is_in_the_larger_one() -> None:
    subsets = [set(chosen(environments=count)) for count in range(1, len(ALL) + 1)]
    assert [len(subset) for subset in subsets] == list(range(1, len(ALL) + 1))
    assert all(smaller < larger for smaller, larger in pairwise(subsets))
    assert subsets[-1] == set(ALL) == set(chosen())


def test_every_domain_has_its_turn_before_another_has_two() -> None:
    sizes = {domain: len(names) for domain, names in catalogue_names().items()}
    for count in range(1, len(ALL) + 1):
        have = Counter(domain_of(name) for name in chosen(environments=count))
        least = min(have[domain] for domain in sizes if have[domain] < sizes[domain]) if count < len(ALL) else 0
        assert count == len(ALL) or max(have.values()) <= least + 1


def test_a_subset_of_some_domains_has_no_other() -> None:
    assert {domain_of(name) for name in chosen(("travel", "finance"))} == {"travel", "finance"}
    assert {domain_of(name) for name in chosen(("office", "travel"), 2)} == {
        "travel", "office",
    }  # fmt: skip


def test_the_order_of_the_domains_named_decides_nothing() -> None:
    for count in (1, 2, 3):
        assert chosen(("office", "travel"), count) == chosen(("travel", "office", "travel"), count)


def test_what_the_order_does_not_name_comes_last(tmp_path: Path) -> None:
    for name in ("travel/a.py", "travel/b.py", "travel/c.py", "office/d.py", "art/e.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    (tmp_path / "order.yaml").write_text("travel: [c]\noffice: []\n")
    assert list(catalogue_names(tmp_path).items()) == [("travel", ("c", "a", "b")), ("office", ("d",)), ("art", ("e",))]


@pytest.mark.parametrize("experiment", ["sft_with_user", "sft_without_user", "rl_tasks", "refinement_ablation"])
def test_experiments_of_the_paper_take_the_whole_catalogue(experiment: str) -> None:
    (cell, *_) = read_command([f"+experiment={experiment}"]).cells
    assert cell.config is not None
    assert set(cell.config.domain.chosen()) == set(ALL)


def test_a_run_that_chooses_nothing_has_one_environment_of_every_domain() -> None:
    (cell,) = read_command([]).cells
    assert cell.config is not None
    assert sorted(map(domain_of, cell.config.domain.chosen())) == list(domains())


def test_without_a_user_who_is_asked_no_request_is_made_ambiguous() -> None:
    cells = [read_command([f"+experiment={name}"]).cells[0] for name in ("sft_without_user", "sft_with_user")]
    assert [cell.config is not None and cell.config.refinement.ambiguity.enabled for cell in cells] == [False, True]
    assert [cell.config is not None and cell.config.querygen.imperfections.question for cell in cells] == [0, 0.1]
