"""A file that has none of the tests that are asked for is not even imported."""

from __future__ import annotations

from pathlib import Path

import pytest


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """With `-m heavy` and the like, look for tests only in files that have the mark; they hold it in plain words."""
    mark: str = config.option.markexpr
    if mark.isidentifier() and collection_path.suffix == ".py":
        return f"mark.{mark}" not in collection_path.read_text(encoding="utf-8") or None
    return None
