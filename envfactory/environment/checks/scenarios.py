"""Scenarios: worlds of three sizes and ten seeds hold together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import orjson

from envfactory.environment.backend import build_scenario
from envfactory.environment.checks.subject import SIZE, Subject
from envfactory.environment.paths import values_at
from envfactory.environment.session import DEFAULT_NOW
from envfactory.environment.spec import Parameter, Spec
from envfactory.environment.states import State, dump_state, load_state

SIZES = (SIZE // 3, SIZE, SIZE * 3)
SEEDS = range(10)
FEWEST_RECORDS = 50
"""How many records a scenario of `SIZE` has at least."""


def scenario_consistent(subject: Subject) -> Iterator[str]:
    """Scenarios of any size and seed build and load, name only records that exist, and grow with their size."""
    counts: dict[int, list[int]] = {size: [] for size in SIZES}
    documents: set[bytes] = set()
    for size in SIZES:
        for seed in SEEDS:
            where = f"The scenario of seed {seed} and size {size}"
            try:
                document = dump_state(build_scenario(subject.environment, seed, size, DEFAULT_NOW))
                load_state(subject.environment, document)
            except Exception as error:  # noqa: BLE001 (anything can come out of an environment's code)
                yield f"{where} cannot be built and loaded: {type(error).__name__}: {error}"
                continue
            if document != dump_state(build_scenario(subject.environment, seed, size, DEFAULT_NOW)):
                yield f"{where} is another one when it is built again."
            state: State = orjson.loads(document)
            if state["now"] != DEFAULT_NOW.isoformat():
                yield f"{where} has the clock {state['now']}, not the world's {DEFAULT_NOW.isoformat()}."
            records = sum(len(state[table.name]) for table in subject.spec.tables)
            counts[size].append(records)
            if size == SIZE:
                documents.add(document)
                if records < FEWEST_RECORDS:
                    yield f"{where} has {records} records; it needs at least {FEWEST_RECORDS}."
            yield from (f"{where}: {problem}" for problem in dangling(subject.spec, state))
    if len(documents) == 1:
        yield f"The scenarios of {len(SEEDS)} seeds are all the same; draw them from the world that is given."
    yield from _growth(counts)


def _growth(counts: dict[int, Sequence[int]] | dict[int, list[int]]) -> Iterator[str]:
    totals = [sum(counts[size]) for size in SIZES if len(counts[size]) == len(SEEDS)]
    if totals != sorted(totals) or (len(totals) == len(SIZES) and totals[0] == totals[-1]):
        means = ", ".join(f"{total / len(SEEDS):g} at size {size}" for size, total in zip(SIZES, totals, strict=False))
        yield f"Scenarios do not grow with their size: there are {means} records on average."


def dangling(spec: Spec, state: State) -> Iterator[str]:
    """Every reference in a state to a record that is not there, where the entity has a table, as a sentence."""
    tables = {entity: state[table.name] for entity, table in spec.table_of_entity.items()}

    def missing(leaf: Parameter, holder: Any) -> Iterator[str]:
        if leaf.ref in tables:
            yield from (str(value) for value in values_at(holder, leaf.path) if value not in tables[leaf.ref])

    for leaf in spec.fields:
        for value in missing(leaf, state):
            yield f"{leaf.path} is {value}, and there is no such {leaf.ref}."
    for table in spec.tables:
        for key, row in state[table.name].items():
            for leaf in table.fields:
                for value in missing(leaf, row):
                    yield f"{table.name} {key} has {value} in {leaf.path}, and there is no such {leaf.ref}."
