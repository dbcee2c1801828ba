"""Digests of environments: what decides their behaviour, and nothing else.

An environment's digest covers the syntax tree of its module, of every catalogue module that it imports (and so on), and
`RUNTIME_VERSION`. Comments and formatting do not count; docstrings do, because they are the descriptions that agents
read. The runtime itself is covered by its declared version alone, which `lock` keeps honest.
"""

from __future__ import annotations

import ast
import hashlib
import threading
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from envfactory.catalogue.registry import PACKAGE, module_of
from envfactory.files import digest_json

ROOT = Path(__file__).parents[2]
"""The folder in which the package lies."""

_PARSING = threading.Lock()


def digests(names: Iterable[str], root: Path = ROOT) -> dict[str, str]:
    """Return the source digest of environments, by name, in the order given; no environment is imported.

    Args:
        names: environments of the catalogue.
        root: the folder in which the `envfactory` package lies.

    Raises:
        KeyError: no such environment.
    """
    return {name: module_digest(module_of(name), root) for name in names}


def module_digest(module: str, root: Path = ROOT) -> str:
    """Return the digest of an environment's module with its helpers and the runtime's version."""
    from envfactory.environment.spec import RUNTIME_VERSION

    sources = {name: source_digest(path.read_bytes()) for name, path in _closure(module, root).items()}
    return digest_json({"runtime": RUNTIME_VERSION, "modules": sources})


@lru_cache(maxsize=1024)
def source_digest(source: bytes) -> str:
    """Return the SHA-256 of a Python source's syntax tree: comments, blank lines and layout do not count.

    The tree is written without positions, absent and empty fields, so that Python versions which only add fields agree.
    """
    total = hashlib.sha256()
    for piece in _pieces(_tree(source)):
        total.update(piece.encode())
    return total.hexdigest()


def _tree(source: bytes) -> ast.AST:
    # One at a time: on some versions of Python 3.11, trees that are built in several threads at once raise SystemError.
    with _PARSING:
        return ast.parse(source)


def _pieces(node: Any) -> Iterator[str]:
    if isinstance(node, ast.AST):
        yield f"({type(node).__name__}"
        for name, value in ast.iter_fields(node):
            # The context (load, store) follows from the place, and an absent field says nothing.
            if name not in ("ctx", "type_ignores") and value is not None and value != []:
                yield f" {name}="
                yield from _pieces(value)
            elif isinstance(node, ast.Constant) and name == "value":
                yield " value=None"
        yield ")"
    elif isinstance(node, list):
        yield "["
        for item in node:  # pyright: ignore[reportUnknownVariableType]
            yield from _pieces(item)
        yield "]"
    else:
        yield f"{type(node).__name__}:{node!r};"


def _closure(module: str, root: Path) -> dict[str, Path]:
    """The module and every catalogue module that it imports, directly or not, sorted by name."""
    found: dict[str, Path] = {}
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        path = _file(name, root)
        if path is None:
            raise FileNotFoundError(f"{name} has no source under {root}")
        found[name] = path
        waiting += _imports(path.read_bytes(), root)
    return dict(sorted(found.items()))


def _imports(source: bytes, root: Path) -> Iterator[str]:
    for node in ast.walk(_tree(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if _within(alias.name))
        elif isinstance(node, ast.ImportFrom) and node.module and _within(node.module):
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if _file(inner, root) else node.module


def _within(module: str) -> bool:
    return module == PACKAGE or module.startswith(f"{PACKAGE}.")


def _file(module: str, root: Path) -> Path | None:
    base = root.joinpath(*module.split("."))
    return next((path for path in (base.with_suffix(".py"), base / "__init__.py") if path.is_file()), None)
