"""The page of thirty turns is what the recorded replies still make of it."""

from __future__ import annotations

from envfactory.files import read_json, read_jsonl
from tests.evidence import local_model


def test_the_page_is_what_the_recorded_replies_make() -> None:
    written = local_model.PAGE.read_text(encoding="utf-8")
    assert written == local_model.replayed(), f"the page is stale; make it anew: {local_model.COMMAND}"


def test_every_role_has_spoken_and_every_turn_was_read() -> None:
    found = {record["asked"]["request"]["messages"][0]["text"][:40] for record in read_jsonl(local_model.REPLIES)}
    assert len(found) >= len(local_model.ROLES) + 1  # the user too
    page = local_model.PAGE.read_text(encoding="utf-8")
    assert "not yet read" not in page
    assert set(read_json(local_model.VERDICTS)) >= set()
