"""The page of thirty turns is what the recorded replies still make of it."""

from __future__ import annotations

import re

import pytest

from envfactory.files import read_jsonl
from envfactory.querygen.model.prompts import FOLDER
from tests.evidence import local_model

pytestmark = pytest.mark.skipif(
    not local_model.REPLIES.exists(), reason=f"the model has not been asked yet: {local_model.COMMAND}"
)


def test_the_page_is_what_the_recorded_replies_make() -> None:
    written = local_model.PAGE.read_text(encoding="utf-8")
    assert written == local_model.replayed(), f"the page is stale; make it anew: {local_model.COMMAND}"


def test_every_role_has_spoken() -> None:
    heard = {record["asked"]["request"]["messages"][0]["text"][-80:] for record in read_jsonl(local_model.REPLIES)}
    for path in (FOLDER / f"{role}.jinja" for role in (*local_model.ROLES, "user")):
        own = path.read_text(encoding="utf-8").split("--- user ---")[0].strip()[-80:]
        if "{{" not in own:
            assert own in heard, f"nobody spoke as {path.stem}"


def test_every_turn_was_read() -> None:
    assert "not yet read" not in local_model.PAGE.read_text(encoding="utf-8")


def test_the_page_shows_thirty_turns_at_least_and_what_is_told_of_it_is_so() -> None:
    page = local_model.PAGE.read_text(encoding="utf-8")
    counts = next(line for line in page.splitlines() if re.match(r"\| \d", line)).strip("| ").split(" | ")
    turns, natural, _, done, *_ = map(int, counts[:5])
    assert turns >= 30
    told = " ".join((local_model.FOLDER.parent / "roles.md").read_text(encoding="utf-8").split())
    assert f"{turns} turns with this model" in told
    assert f"a reader found {natural} of the requests natural" in told
    assert f"it did {done} of the turns as gold does" in told
