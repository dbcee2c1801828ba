"""Imports point downwards only: a folder knows nothing of what is built on it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import envfactory

PACKAGE = Path(envfactory.__file__).parent
ROOT = Path(__file__).parents[1]

LAYERS = {
    "files": 0, "environment": 0, "llm": 0, "embedding": 0, "config": 0,
    "toolgraph": 1, "catalogue": 1,
    "gold": 2, "sampling": 2, "reward": 2, "trajectory": 2,
    "envgen": 3, "querygen": 3, "dataset": 3,
    "training": 4, "evaluation": 4, "serving": 4,
    "reporting": 5,
    "pipeline": 6, "__main__": 6,
}  # fmt: skip
"""Folder or module of the package to its layer; what is not here must be given a place."""

MODULES = sorted(path for path in PACKAGE.rglob("*.py") if path != PACKAGE / "__init__.py")


def unit_of(path: Path) -> str:
    first = path.relative_to(PACKAGE).parts[0]
    return first.removesuffix(".py")


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """Yield line and unit of every import of the package, wherever in the module it stands."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            inner = [f"envfactory.{alias.name}" for alias in node.names]
            names = inner if node.module == "envfactory" else [node.module]
        for name in names:
            parts = name.split(".")
            if parts[0] == "envfactory" and len(parts) > 1 and not parts[1].startswith("__version"):
                yield getattr(node, "lineno", 0), parts[1]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_a_module_imports_nothing_above_it(path: Path) -> None:
    unit = unit_of(path)
    assert unit in LAYERS, f"envfactory/{unit} has no layer yet: give it one in {Path(__file__).name}"
    for line, other in imports(path):
        if other != unit:
            assert LAYERS[other] <= LAYERS[unit], f"{path}:{line} imports {other}, which lies above {unit}"


def test_nothing_names_the_host_of_a_package_registry() -> None:
    """Which one is asked is the business of the machine that installs."""
    hosts = ("pypi" + ".org", "python" + "hosted.org", "registry.npm" + "js.org")
    folders = [ROOT / name for name in ("conf", "docs", "envfactory", "launchers", "tests", ".ci")]
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    files += [path for path in ROOT.iterdir() if path.suffix in (".toml", ".txt", ".md") or path.name == "Makefile"]
    named = {str(path): host for path in files for host in hosts if host.encode() in path.read_bytes()}
    assert len(files) > 300
    assert not named
