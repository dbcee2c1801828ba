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


def module_tree(environment: type[Environment]) -> ast.Module:
    """The syntax tree of the module that holds an environment."""
    return ast.parse(inspect.getsource(sys.modules[environment.__module__]))


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
