"""The manifest of requirements holds: its tests exist, and code that cites the paper is accounted for."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from tests.requirements_manifest import PAPER, REQUIREMENTS, Requirement

TESTS = Path(__file__).parent
ROOT = TESTS.parent
CITED = re.compile(re.escape(PAPER) + r", section (\d(?:\.\d)?)")


@cache
def named_in(path: Path) -> frozenset[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    return frozenset(function.name for function in functions if function.name.startswith("test_"))


@pytest.mark.parametrize("requirement", REQUIREMENTS, ids=lambda r: f"{r.source}: {r.behaviour[:50]}")
def test_a_requirement_is_shown_by_tests_that_exist(requirement: Requirement) -> None:
    assert requirement.tests
    for name in requirement.tests:
        file, _, test = name.partition("::")
        assert (TESTS / file).is_file(), f"{file} does not exist"
        assert test in named_in(TESTS / file), f"tests/{file} has no {test}"


def test_a_module_that_cites_a_section_is_named_by_a_requirement_of_it() -> None:
    named = {(requirement.source, module) for requirement in REQUIREMENTS for module in requirement.modules}
    cited = {
        (section, path.relative_to(ROOT).as_posix())
        for path in sorted((ROOT / "envfactory").rglob("*.py"))
        for section in CITED.findall(path.read_text(encoding="utf-8").replace("\n", " "))
    }
    assert cited == named
