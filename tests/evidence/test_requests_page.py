"""The page of forty requests is what was drawn and read, and the requests are still written so."""

from __future__ import annotations

import pytest

from envfactory.files import read_json, read_jsonl
from tests.evidence import requests


def test_the_page_is_what_was_drawn_and_read() -> None:
    assert requests.PAGE.read_text(encoding="utf-8") == requests.page()


def test_enough_requests_were_taken_for_a_persons() -> None:
    rows, verdicts = list(read_jsonl(requests.DRAWN)), read_json(requests.VERDICTS)
    assert {row["text"] for row in rows} == verdicts.keys()
    assert requests.accepted(rows, verdicts) >= requests.BAR * len(rows)


@pytest.mark.heavy
@pytest.mark.timeout(700)
def test_the_requests_are_still_written_as_they_were_read() -> None:
    read = [row["text"] for row in read_jsonl(requests.DRAWN)]
    assert [row["text"] for row in requests.drawn()] == read, "the page is stale: draw anew, and have them read"
