"""What mutation runs found: scores by environment in a file beside this one, each with the digest of what it rates."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from envfactory.catalogue.digest import ROOT, source_digest
from envfactory.catalogue.registry import module_of
from envfactory.files import digest_json, read_json, write_json_atomic
from tests.mutation.mutants import OPERATORS, bare, functions

FOLDER = Path(__file__).parent
SCORES = FOLDER / "scores.json"
EXCLUSIONS = FOLDER / "exclusions.json"
"""Mutants that no test could notice, because they mean the same: by environment and name, each with its reason."""


class Score(BaseModel):
    """What became of an environment's mutants.

    Attributes:
        digest: what the score was found for (`present`).
        mutants: how many there are.
        excluded: how many of them were left out.
        survivors: names of those that no test noticed.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    digest: str
    mutants: int
    excluded: int
    survivors: tuple[str, ...]

    @property
    def counted(self) -> int:
        """Mutants that count."""
        return self.mutants - self.excluded

    @property
    def killed(self) -> int:
        """Mutants that some test noticed."""
        return self.counted - len(self.survivors)

    @property
    def share(self) -> float:
        """Share of the mutants that count which were noticed."""
        return self.killed / self.counted


def tests_of(name: str) -> Path:
    """The file of an environment's black-box tests."""
    domain = module_of(name).split(".")[-2]
    return ROOT / "tests" / "catalogue" / domain / f"test_{name}.py"


def helpers(name: str) -> list[str]:
    """Modules of an environment's own beside its main one, scenarios aside: what it imports of its folder, and so on.

    "from package._x_rules import fee" and "from package import _x_rules as rules" alike.
    """
    module = module_of(name)
    package = module.rpartition(".")[0]
    found: set[str] = set()
    ahead = [module]
    while ahead:
        for node in ast.walk(ast.parse(_path(ahead.pop()).read_bytes())):
            if not isinstance(node, ast.ImportFrom):
                continue
            whole = [f"{node.module}.{alias.name}" for alias in node.names if node.module == package]
            own = [each for each in whole or [node.module or ""] if each.startswith(f"{package}._")]
            new = {each for each in own if not each.endswith("_scenario")} - found
            found |= new
            ahead += sorted(new)
    return sorted(found)


def present(name: str) -> str:
    """Digest of all that decides an environment's score: what its functions do, and its tests."""
    bodies: dict[str, str] = {}
    for module in (module_of(name), *helpers(name)):
        found = functions(ast.parse(_path(module).read_bytes()))
        bodies[module] = source_digest("\n".join(ast.unparse(bare(function)) for _, function, _ in found).encode())
    tests = source_digest(tests_of(name).read_bytes())
    return digest_json({"operators": OPERATORS, "bodies": bodies, "tests": tests, "excluded": sorted(excluded(name))})


def excluded(name: str) -> Mapping[str, str]:
    """Mutants of an environment that are left out, with the reasons."""
    return read_json(EXCLUSIONS).get(name, {}) if EXCLUSIONS.exists() else {}


def recorded() -> dict[str, Score]:
    """Every recorded score, by environment."""
    return {name: Score(**row) for name, row in read_json(SCORES).items()} if SCORES.exists() else {}


def record(name: str, score: Score) -> None:
    """Write down a score."""
    known = {**recorded(), name: score}
    write_json_atomic(SCORES, {key: known[key].model_dump(mode="json") for key in sorted(known)})


def _path(module: str) -> Path:
    return ROOT.joinpath(*module.split(".")).with_suffix(".py")
