"""Runs an environment's black-box tests against every mutant of it, all in one process.

Tests are collected once. A mutant takes the place of its function's code object, so that every reference to the
function meets it; then those tests run that ever called the function, until one fails. A survivor is a mutant under
which none does.

    python -m tests.mutation.runner                run what has changed since its score was recorded
    python -m tests.mutation.runner NAME ...       run these
"""

from __future__ import annotations

import importlib
import io
import signal
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager, redirect_stdout
from functools import cached_property
from pathlib import Path
from types import FrameType, FunctionType, ModuleType
from typing import Any

import pytest
from _pytest.runner import runtestprotocol
from hypothesis import Phase, settings

from envfactory.catalogue.registry import environment_names, module_of
from tests.mutation.mutants import Mutant, mutants
from tests.mutation.scores import Score, excluded, helpers, present, record, recorded, tests_of

CPU_SECONDS = 5.0
"""What one test may take: a mutant may never come to an end, which a test would notice."""


class Overrun(Exception):
    """A test under a mutant does not come to an end."""


class MutationRun:
    """A pytest plugin that replaces the loop over tests by the loop over mutants."""

    def __init__(self, modules: Sequence[ModuleType], skipped: frozenset[str]) -> None:
        self.modules = modules
        self.skipped = skipped
        self.names: list[str] = []
        self.survivors: list[str] = []
        self.broken: list[str] = []

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run all tests once to see that they pass and what they call, then the mutants."""
        callers = self._callers(session.items)
        if self.broken:
            return True
        for module in self.modules:
            path = Path(str(module.__file__))
            for mutant in mutants(path.read_text(encoding="utf-8"), str(path)):
                self.names.append(mutant.name)
                if mutant.name in self.skipped:
                    continue
                items = callers.get((str(path), mutant.function), [])
                if not self._killed(live(module, mutant.function), mutant, items):
                    self.survivors.append(mutant.name)
        self.broken = [item.nodeid for item in session.items if not passes(item)]  # no mutant left a trace
        return True

    def _callers(self, items: Sequence[pytest.Item]) -> dict[tuple[str, str], list[pytest.Item]]:
        """Tests by the functions that they call, each function by file and qualified name."""
        files = {str(module.__file__) for module in self.modules}
        found: dict[tuple[str, str], list[pytest.Item]] = {}
        for item in items:
            called: set[tuple[str, str]] = set()

            def note(frame: FrameType, event: str, _: Any, called: set[tuple[str, str]] = called) -> None:
                if event == "call" and frame.f_code.co_filename in files:
                    called.add((frame.f_code.co_filename, frame.f_code.co_qualname))

            sys.setprofile(note)
            try:
                passed = passes(item)
            finally:
                sys.setprofile(None)
            if not passed:
                self.broken.append(item.nodeid)
            for key in called:
                found.setdefault(key, []).append(item)
        return found

    def _killed(self, function: FunctionType, mutant: Mutant, items: Sequence[pytest.Item]) -> bool:
        original = function.__code__
        function.__code__ = mutant.code
        try:
            return any(not passes(item) for item in items)
        finally:
            function.__code__ = original


def passes(item: pytest.Item) -> bool:
    """Run a test once more, and say whether it passed."""
    getattr(item, "_initrequest", int)()  # fixtures are built anew
    with bounded(CPU_SECONDS):
        reports = runtestprotocol(item, log=False, nextitem=None)
    return all(report.passed for report in reports)


@contextmanager
def bounded(seconds: float) -> Generator[None]:
    """Raise `Overrun` in the code inside once it has used so much processor time."""

    def stop(*_: object) -> None:
        raise Overrun

    previous = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, previous)


def live(module: ModuleType, qualified_name: str) -> FunctionType:
    """The function object of a module that everybody calls."""
    holder: Any = module
    *classes, name = qualified_name.split(".")
    for part in classes:
        holder = vars(holder)[part]
    found = vars(holder)[name]
    if isinstance(found, property):
        return found.fget  # pyright: ignore[reportReturnType]
    if isinstance(found, cached_property):
        return found.func  # pyright: ignore[reportReturnType, reportUnknownMemberType, reportUnknownVariableType]
    return getattr(found, "__func__", found)


def run(name: str) -> Score:
    """Run the tests of an environment against its mutants.

    Raises:
        RuntimeError: its tests fail as they are.
    """
    settings.register_profile("mutation", database=None, max_examples=25, phases=[Phase.generate], deadline=None)
    settings.load_profile("mutation")
    modules = [importlib.import_module(module) for module in (module_of(name), *helpers(name))]
    reasons = excluded(name)
    plugin = MutationRun(modules, frozenset(reasons))
    options = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
    options += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # hypothesis is imported already
    with redirect_stdout(io.StringIO()) as said:
        code = pytest.main([*options, str(tests_of(name))], plugins=[plugin])
    if code == pytest.ExitCode.INTERNAL_ERROR:
        raise RuntimeError(f"the run of the mutants of {name} broke off: {said.getvalue()}")
    if plugin.broken or not plugin.names:
        raise RuntimeError(
            f"the tests of {name} fail before or after all mutants: {', '.join(plugin.broken) or said.getvalue()}"
        )
    unknown = sorted(set(reasons) - set(plugin.names))
    if unknown:
        raise RuntimeError(f"exclusions of {name} name no mutant: {', '.join(unknown)}; take them out")
    return Score(
        digest=present(name), mutants=len(plugin.names), excluded=len(reasons), survivors=tuple(plugin.survivors)
    )


def main(arguments: Sequence[str]) -> int:
    """Run environments and record their scores."""
    known = recorded()
    names = list(arguments) or [n for n in environment_names() if n not in known or known[n].digest != present(n)]
    for name in names:
        score = run(name)
        record(name, score)
        print(f"{name}: {score.killed} of {score.counted} mutants are noticed, {score.share:.1%}")
        for survivor in score.survivors:
            print(f"  survives  {survivor}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
