"""Sources: what the code says of itself, where running it twice within a second shows nothing."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Iterator

from envfactory.environment.environment import Environment

_CLOCKS = {"today", "now", "utcnow", "time", "time_ns", "localtime", "gmtime", "monotonic", "perf_counter"}
_HOLDERS = {"date", "datetime", "time"}
_CHANCE = {"random", "secrets", "uuid"}
_SEEDED = {"Random", "UUID", "uuid3", "uuid5"}
"""What the modules of chance have that is not chance: a generator with a seed of its own, ids made from names."""


def module_trees(environment: type[Environment]) -> Iterator[tuple[str, ast.Module]]:
    """The syntax trees of the module that holds an environment, and of those beside it that serve it alone, by name.

    These are the modules of its package, with an underscore before their names, that it or another of them imports.
    """
    package = environment.__module__.rpartition(".")[0]
    waiting, seen = [environment.__module__], set[str]()
    while waiting:
        name = waiting.pop(0)
        if name in seen or name not in sys.modules:
            continue
        seen.add(name)
        tree = ast.parse(inspect.getsource(sys.modules[name]))
        yield name, tree
        imports = (node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module)
        for node in imports:
            names = [node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)]
            waiting += [other for other in names if package and other.startswith(f"{package}._")]


def unrepeatable_calls(environment: type[Environment]) -> Iterator[str]:
    """Calls in an environment's modules that read the wall clock or draw without a seed, as sentences."""
    for name, tree in module_trees(environment):
        where = "" if name == environment.__module__ else f"In {name.rpartition('.')[2]}: "
        yield from (f"{where}{said}" for said in unrepeatable(tree))


def unrepeatable(tree: ast.Module) -> Iterator[str]:
    """Calls that read the wall clock or draw without a seed, as sentences."""
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        holder, called = _last_name(node.func.value), node.func.attr
        said = f"Line {node.lineno} calls {ast.unparse(node.func)}"
        if holder in _HOLDERS and called in _CLOCKS:
            yield f"{said}, the wall clock; the session's clock is self.now, and a scenario's world.now."
        elif isinstance(node.func.value, ast.Name) and holder in _CHANCE and called not in _SEEDED:
            yield f"{said}, which no seed governs; draw from the world that a scenario is given."


def _last_name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
