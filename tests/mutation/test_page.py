"""The page of the catalogue says what there is."""

from __future__ import annotations

from envfactory.catalogue import environment_names
from tests.mutation.page import PAGE, page


def test_the_page_of_the_catalogue_is_what_it_would_be_written_as_now():
    written = PAGE.read_text(encoding="utf-8")
    assert written == page(), "run: python -m tests.mutation.page"
    assert all(f"## {name}\n" in written for name in environment_names())
