"""What every environment of the catalogue has to be: large enough, told in many words, and clean by every check."""

from __future__ import annotations

import inspect
import itertools
from pathlib import Path

import orjson
import pytest

from envfactory.catalogue import backend, environment_names, load
from envfactory.environment import InProcess, Reference, Session
from envfactory.environment.checks import check

LINES = 450
"""Of the module that holds an environment's class: what can be read in five minutes."""


@pytest.fixture(scope="module")
def catalogue() -> InProcess:
    return backend(environment_names())


def test_there_are_enough_tools_and_many_of_them_write(catalogue: InProcess) -> None:
    agents = [tool for spec in catalogue.specs.values() for tool in spec.agent_tools]
    assert len(agents) >= 370
    assert sum(tool.writes for tool in agents) >= 0.4 * len(agents)


@pytest.mark.parametrize("name", environment_names())
def test_an_environment_is_at_the_bar(catalogue: InProcess, name: str) -> None:
    spec = catalogue.specs[name]
    assert len(spec.agent_tools) >= 8
    assert any(tool.writes for tool in spec.agent_tools)
    assert any(not tool.writes for tool in spec.agent_tools)
    assert spec.policy
    assert spec.sources
    few = [tool.name for tool in spec.tools if len(set(tool.ask)) < 4]
    assert few == [], "fewer than four ways to ask"
    path = Path(inspect.getfile(load([name])[name]))
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LINES, f"{path.name} cannot be read in five minutes"


@pytest.mark.parametrize("name", environment_names())
def test_a_scenario_has_fifty_records(catalogue: InProcess, name: str) -> None:
    with Session(catalogue, Reference(environments={name: ""}, seed=3, size=50)) as session:
        state = orjson.loads(session.dump_of(name))
    rows = itertools.chain.from_iterable(state[table.name] for table in catalogue.specs[name].tables)
    assert len(list(rows)) >= 50


@pytest.mark.heavy
@pytest.mark.parametrize("name", environment_names())
def test_an_environment_is_clean_by_every_check(name: str) -> None:
    report = check(load([name])[name])
    assert report.ok, str(report)
