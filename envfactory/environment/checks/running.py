"""`check`: run the properties, by name."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator

from envfactory.environment.checks.arguments import every_argument_matters, ids_not_from_caller
from envfactory.environment.checks.execution import every_tool_runs, failures_are_atomic, reads_do_not_write
from envfactory.environment.checks.interface import bad_arguments_refused, schemas_valid
from envfactory.environment.checks.replay import backends_agree, deterministic, sessions_isolated, state_round_trips
from envfactory.environment.checks.report import Outcome, Report
from envfactory.environment.checks.scenarios import scenario_consistent
from envfactory.environment.checks.subject import Subject
from envfactory.environment.environment import Environment

Property = Callable[[Subject], Iterator[str]]

_PROPERTIES: tuple[Property, ...] = (
    schemas_valid, scenario_consistent, every_tool_runs, reads_do_not_write, failures_are_atomic, bad_arguments_refused,
    state_round_trips, sessions_isolated, deterministic, backends_agree, every_argument_matters, ids_not_from_caller,
)  # fmt: skip
PROPERTIES: tuple[str, ...] = tuple(found.__name__ for found in _PROPERTIES)
"""Names of the properties, in the order in which they are checked."""
MOST_FINDINGS = 20
"""How many findings of a property are told one by one."""


def check(environment: type[Environment], only: Iterable[str] = PROPERTIES) -> Report:
    """Check the properties of an environment that need no model; takes seconds, and starts two worker processes.

    Args:
        environment: the class; other processes must be able to import it.
        only: the properties to check.

    Returns:
        What was found. A property that cannot be judged, say because there is no scenario, is a finding of its own.

    Raises:
        KeyError: an unknown property.
        DeclarationError: the environment's declarations do not hold together, so that it has no spec.
    """
    wanted = set(only)
    for name in sorted(wanted.difference(PROPERTIES)):
        near = difflib.get_close_matches(name, PROPERTIES, 1)
        hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(PROPERTIES)}"
        raise KeyError(f"no property {name!r}; {hint}")
    subject = Subject(environment)
    outcomes = tuple(
        Outcome(name=found.__name__, meaning=_meaning(found), findings=_findings(found, subject))
        for found in _PROPERTIES
        if found.__name__ in wanted
    )
    return Report(environment=subject.name, outcomes=outcomes)


def _meaning(found: Property) -> str:
    return (found.__doc__ or "").splitlines()[0]


def _findings(found: Property, subject: Subject) -> tuple[str, ...]:
    findings: dict[str, None] = {}
    try:
        for finding in found(subject):
            findings[finding] = None
    except Exception as error:  # noqa: BLE001 (anything can come out of an environment's code)
        findings[f"It could not be judged: {type(error).__name__}: {error}"] = None
    told = tuple(findings)
    return told if len(told) <= MOST_FINDINGS else (*told[:MOST_FINDINGS], f"... and {len(told) - MOST_FINDINGS} more.")
