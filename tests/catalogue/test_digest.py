from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from envfactory.catalogue import digests
from envfactory.catalogue.digest import module_digest, source_digest

MODULE = "envfactory.catalogue.travel.inns"
INNS = '''"""Inns."""
from envfactory.catalogue._prices import RATE
from envfactory.catalogue import _places
import datetime

LIMIT = 3  # nights


def total(nights: int) -> float:
    """What a stay costs."""
    return RATE * min(nights, LIMIT)
'''


@pytest.fixture
def root(tmp_path: Path) -> Path:
    catalogue = tmp_path / "envfactory" / "catalogue"
    (catalogue / "travel").mkdir(parents=True)
    (catalogue / "travel" / "inns.py").write_text(INNS)
    (catalogue / "_prices.py").write_text("from envfactory.catalogue._tax import TAX\nRATE = 100 * TAX\n")
    (catalogue / "_tax.py").write_text("TAX = 1.2\n")
    (catalogue / "_places.py").write_text("PLACES = ()\n")
    (catalogue / "_other.py").write_text("OTHER = 1\n")
    return tmp_path


def edited(root: Path, file: str, old: str, new: str) -> str:
    path = root / "envfactory" / "catalogue" / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    return module_digest(MODULE, root)


def test_comments_and_layout_change_nothing(root: Path):
    before = module_digest(MODULE, root)
    assert edited(root, "travel/inns.py", "  # nights", "  # a stay is short") == before
    assert (
        edited(root, "travel/inns.py", "RATE * min(nights, LIMIT)", "(\n        RATE * min(nights, LIMIT)\n    )")
        == before
    )
    assert edited(root, "_prices.py", "RATE =", "\n\n# in dollars\nRATE =") == before


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("LIMIT = 3", "LIMIT = 4"),
        ("What a stay costs", "The price"),
        ("RATE * min", "RATE + min"),
        ("LIMIT = 3", "LIMIT = None"),
    ],
)
def test_a_constant_a_description_or_an_operator_changes_it(root: Path, old: str, new: str):
    before = module_digest(MODULE, root)
    assert edited(root, "travel/inns.py", old, new) != before


@pytest.mark.parametrize(
    ("file", "old", "new"), [("_prices.py", "100", "90"), ("_tax.py", "1.2", "1.1"), ("_places.py", "()", "(1,)")]
)
def test_an_edit_in_a_helper_that_is_imported_even_indirectly_changes_it(root: Path, file: str, old: str, new: str):
    before = module_digest(MODULE, root)
    assert edited(root, file, old, new) != before


def test_an_edit_in_a_module_that_is_not_imported_changes_nothing(root: Path):
    before = module_digest(MODULE, root)
    assert edited(root, "_other.py", "1", "2") == before


def test_the_runtime_version_is_part_of_it(root: Path, monkeypatch: pytest.MonkeyPatch):
    before = module_digest(MODULE, root)
    monkeypatch.setattr("envfactory.environment.spec.RUNTIME_VERSION", 10_000)
    assert module_digest(MODULE, root) != before


def test_a_string_is_not_mistaken_for_a_name_or_a_number():
    sources = (
        b"x = 1",
        b"x = '1'",
        b"x = 1.0",
        b"x = True",
        b"x = None",
        b"x = y",
        b"x = 'y'",
        b"y = x",
        b"x = ...",
        b"x = b'y'",
    )
    assert len({source_digest(source) for source in sources}) == len(sources)


def test_digests_come_in_the_order_asked_for():
    assert list(digests(["hotel_reservations"])) == ["hotel_reservations"]
    assert digests([]) == {}


def test_many_threads_may_ask_at_once() -> None:
    sources = [b"value = {'a': [1, (2, {3: f'{4}'})]}\n" * 40 + b"# %d" % number for number in range(64)]
    alone = source_digest(sources[0] + b"0")
    with ThreadPoolExecutor(16) as threads:
        assert set(threads.map(source_digest, sources)) == {alone}
