"""Which environments there are: `<domain>/<name>.py` holds the one class whose snake-case name is `<name>`.

Files and folders whose names begin with an underscore are helpers, not environments. Listing imports nothing.
"""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from envfactory.environment import Environment, InProcess

PACKAGE = "envfactory.catalogue"
FOLDER = Path(__file__).parent


@cache
def modules() -> dict[str, str]:
    """Every environment's name and the dotted name of its module, sorted by name.

    Raises:
        ValueError: two domains hold a module of the same name; wire names would clash.
    """
    found: dict[str, str] = {}
    for path in sorted(FOLDER.glob("[a-z]*/[a-z]*.py")):
        module = f"{PACKAGE}.{path.parent.name}.{path.stem}"
        if path.stem in found:
            raise ValueError(f"two environments are called {path.stem!r}: {found[path.stem]} and {module}; rename one")
        found[path.stem] = module
    return dict(sorted(found.items()))


def domains() -> tuple[str, ...]:
    """The domains that have environments, sorted."""
    return tuple(sorted({module.split(".")[-2] for module in modules().values()}))


def environment_names(domain: str | None = None) -> tuple[str, ...]:
    """The names of the environments of a domain (None: of all), sorted; nothing is imported.

    Raises:
        KeyError: no such domain; the message names the nearest.
    """
    if domain is None:
        return tuple(modules())
    if domain not in domains():
        raise KeyError(_unknown("domain", domain, domains()))
    return tuple(name for name, module in modules().items() if module.split(".")[-2] == domain)


def module_of(name: str) -> str:
    """The dotted module name of an environment.

    Raises:
        KeyError: no such environment; the message names the nearest.
    """
    if name not in modules():
        raise KeyError(_unknown("environment", name, tuple(modules())))
    return modules()[name]


def load(names: Iterable[str]) -> dict[str, type[Environment]]:
    """Import environments and return their classes by name, in the order given.

    Raises:
        KeyError: no such environment.
        TypeError: a module has no environment class of its own name.
    """
    from envfactory.environment import Environment

    found: dict[str, type[Environment]] = {}
    for name in names:
        module = importlib.import_module(module_of(name))
        classes = [
            value for value in vars(module).values() if isinstance(value, type) and issubclass(value, Environment)
        ]
        matching = [cls for cls in classes if cls.__module__ == module.__name__ and cls.environment_name() == name]
        if len(matching) != 1:
            raise TypeError(f"{module.__name__} must define one Environment whose name in snake case is {name!r}")
        found[name] = matching[0]
    return found


def backend(names: Iterable[str]) -> InProcess:
    """Return a backend that opens these environments in this process.

    Raises:
        KeyError: no such environment.
    """
    from envfactory.environment import InProcess

    return InProcess(load(names))


def _unknown(kind: str, name: str, known: tuple[str, ...]) -> str:
    near = difflib.get_close_matches(name, known, 1)
    return f"no {kind} {name!r}; " + (f"did you mean {near[0]!r}?" if near else f"there are {', '.join(known)}")
