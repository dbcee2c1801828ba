"""The dataset registry, through its tools: what each gives, what it refuses, and what exactly changes."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from envfactory.catalogue.research.dataset_registry import DatasetRegistry
from envfactory.environment import DEFAULT_NOW, build_scenario
from tests.catalogue.support import Desk, Row, Rows, keyed

NEVER = dt.date.max

# The clock stands at Monday, 2 March 2026, 9:00.


def dataset(key: str, **changes: Any) -> Row:
    """Somebody else's open dataset, published in one version."""
    return {
        "id": key, "name": f"Set {key[2:]}", "topic": "immunology", "owner_name": "Ada Mei Bauer", "mine": False,
        "licence": "CC-BY", "gated": False, "my_access": "open", "status": "published", "ready": False, "version": 1,
        "formats": ["CSV"], "size": 100, "downloads": 7, "published_on": "2025-06-01", **changes,
    }  # fmt: skip


def own(key: str, status: str = "published", **changes: Any) -> Row:
    row = dataset(key, mine=True, my_access="own", owner_name="Maya Novak", topic="linguistics", status=status)
    if status == "unpublished":
        del row["published_on"]
        row |= {"version": 0, "formats": [], "size": 0, "downloads": 0}
    return {**row, **changes}


DATASETS = keyed(
    dataset("D-1", published_on="2026-01-10", size=240, downloads=40, formats=["CSV", "JSON"]),
    dataset("D-2", published_on="2025-09-10", size=50, downloads=90, licence="CC0"),
    dataset("D-3", gated=True, my_access="none", licence="CC-BY-NC", published_on="2025-01-10"),
    dataset("D-4", gated=True, my_access="asked", published_on="2024-01-10"),
    dataset("D-5", gated=True, my_access="granted", published_on="2023-01-10", topic="neuroscience"),
    dataset("D-6", published_on="2022-01-10"),
    dataset("D-7", published_on="2021-01-10"),
    dataset("D-8", gated=True, my_access="none", topic="neuroscience", published_on="2020-01-10"),
    own("D-11", gated=True, licence="CC-BY-NC"),
    own("D-12", "unpublished", ready=True),
    own("D-13", "unpublished", topic="immunology"),
    own("D-14", "reopened", ready=True, version=2),
    own("D-15", "reopened"),
    own("D-16"),
    dataset("D-21", status="unpublished", version=0, topic="immunology"),
    dataset("D-22", gated=True, my_access="refused", topic="neuroscience", published_on="2019-01-10"),
)


def file(key: str, dataset_id: str, size: int = 100, since: int = 1, **changes: Any) -> Row:
    return {
        "id": key, "dataset_id": dataset_id, "dataset_name": f"Set {dataset_id[2:]}", "name": f"file {key[2:]}",
        "file_format": "CSV", "size": size,
        "since_version": since, "published": True, **changes,
    }  # fmt: skip


FILES = keyed(
    file("F-1", "D-1", 200, name="zebra"),
    file("F-2", "D-1", 40, name="ant", file_format="JSON"),
    file("F-3", "D-5"),
    file("F-4", "D-6", embargo_until="2026-03-04"),
    file("F-12", "D-6", embargo_until="2026-03-03"),
    file("F-5", "D-7", embargo_until="2026-03-02"),
    file("F-13", "D-7", 5, 2, embargo_until="2026-03-03", file_format="JSON"),
    file("F-6", "D-12", 30, published=False),
    file("F-7", "D-14", 60, 2, file_format="Parquet"),
    file("F-8", "D-14", 20, 3, name="notes", published=False),
    file("F-9", "D-16", 10, embargo_until="2026-08-01"),
    file("F-10", "D-15"),
    file("F-11", "D-14", 15, 1),
    file("F-14", "D-12", 40, name="codebook", file_format="JSON", published=False),
)


def request(key: str, asked_on: str, status: str = "pending", **changes: Any) -> Row:
    return {
        "id": key, "person": f"Person {key[2:]}", "dataset_id": "D-11",
        "dataset_name": "Set 11", "purpose": "research", "asked_on": asked_on, "status": status, **changes,
    }  # fmt: skip


def sent(key: str, dataset_id: str, status: str = "pending", asked_on: str = "2026-02-23", **changes: Any) -> Row:
    return {
        "id": key, "dataset_id": dataset_id, "dataset_name": f"Set {dataset_id[2:]}", "owner_name": "Ada Mei Bauer",
        "purpose": "research", "asked_on": asked_on, "status": status, **changes,
    }  # fmt: skip


REQUESTS = keyed(
    request("A-1", "2026-02-20"),
    request("A-2", "2026-02-12", "granted"),
    request("A-3", "2026-02-22", "refused"),
    request("A-4", "2026-02-23", dataset_id="D-8", dataset_name="Set 8"),
    request("A-5", "2026-02-11", purpose="commercial"),
    request("A-6", "2026-02-25", dataset_id="D-16", dataset_name="Set 16", purpose="commercial"),
    request("A-7", "2026-02-20", purpose="teaching"),
    request("A-8", "2026-02-27"),
)

STATE: dict[str, Any] = {
    "account_id": "U-1",
    "accounts": keyed(
        {"id": "U-1", "name": "Maya Novak", "email": "maya@mail.example", "storage_left": 300, "transfer": 340},
        {"id": "U-2", "name": "Leo Rossi", "email": "leo@mail.example", "storage_left": 1, "transfer": 1},
    ),
    "datasets": DATASETS,
    "files": FILES,
    "requests": REQUESTS,
    "sent": keyed(
        sent("Q-1", "D-4"), sent("Q-2", "D-5", "granted"), sent("Q-3", "D-22", "refused"),
    ),
    "downloads": keyed(
        {"id": "L-1", "dataset_id": "D-2", "dataset_name": "Set 2", "version": 1, "files": 1, "size": 100, "taken_on":
         "2026-03-01"},
        {"id": "L-2", "dataset_id": "D-14", "dataset_name": "Set 14", "version": 1, "files": 1, "size": 900,
         "taken_on": "2026-02-28"},
    ),
}  # fmt: skip


def desk(rows: dict[str, Rows] | None = None, **changes: Any) -> Desk:
    return Desk(DatasetRegistry, STATE, rows=rows, **changes)


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({"topic": "immunology"}, ["D-1", "D-2", "D-3", "D-4", "D-6"]),
        ({"topic": "immunology", "page": 2}, ["D-7"]),
        ({"topic": "immunology", "licence": "CC0"}, ["D-2"]),
        ({"topic": "immunology", "max_size": 100}, ["D-2", "D-3", "D-4", "D-6", "D-7"]),
        ({"topic": "immunology", "max_size": 99}, ["D-2"]),
        ({"topic": "immunology", "sort": "most_downloaded"}, ["D-2", "D-1", "D-3", "D-4", "D-6"]),
        ({"topic": "immunology", "sort": "smallest"}, ["D-2", "D-3", "D-4", "D-6", "D-7"]),
        ({"topic": "linguistics"}, ["D-16", "D-15", "D-14", "D-11"]),
        ({"topic": "marine_biology"}, []),
    ],
)
def test_published_datasets_are_searched_and_sorted(arguments: Row, found: list[str]) -> None:
    assert desk().ids("search_datasets", **arguments) == found


def test_a_dataset_is_shown_with_its_published_files() -> None:
    assert desk().gives("get_dataset", dataset_id="D-1") == {
        "dataset_id": "D-1", "name": "Set 1", "topic": "immunology", "owner_name": "Ada Mei Bauer",
        "licence": "CC-BY", "gated": False, "my_access": "open", "version": 1, "published_on": "2026-01-10",
        "files": [FILES["F-2"], FILES["F-1"]],
    }  # fmt: skip
    shown = desk().gives("get_dataset", dataset_id="D-5")
    assert (shown["gated"], shown["my_access"]) == (True, "granted")
    desk().refuses("get_dataset", "not_found", "no dataset with the id 'D-99'", dataset_id="D-99")


def test_only_its_owner_sees_what_is_yet_to_be_published() -> None:
    shown = desk().gives("get_dataset", dataset_id="D-14")
    assert shown["files"] == [FILES["F-11"], FILES["F-7"], FILES["F-8"]]
    at = desk({"files": keyed(file("F-30", "D-1", published=False))})
    assert at.gives("get_dataset", dataset_id="D-1")["files"] == [FILES["F-2"], FILES["F-1"]]


@pytest.mark.parametrize(
    ("tool", "more"),
    [
        ("get_dataset", {}),
        ("cite_dataset", {"style": "plain"}),
        ("download_dataset", {}),
        ("request_access", {"purpose": "research"}),
        ("withdraw_request", {}),
        ("list_access_requests", {}),
        ("publish_dataset", {}),
        ("upload_file", {"name": "labels", "file_format": "JSON", "size": 1}),
        ("revise_dataset", {}),
        ("discard_draft", {}),
    ],
)
def test_a_draft_of_somebody_else_stays_unseen(tool: str, more: Row) -> None:
    desk().refuses(tool, "permission_denied", "That dataset is somebody else's draft.", dataset_id="D-21", **more)


def test_a_dataset_says_which_version_was_taken_last() -> None:
    at = desk()
    assert at.gives("get_dataset", dataset_id="D-14")["taken_version"] == 1
    at.gives("download_dataset", dataset_id="D-14")
    assert at.gives("get_dataset", dataset_id="D-14")["taken_version"] == 2


@pytest.mark.parametrize(
    ("style", "text"),
    [
        ("APA", "Bauer, A. (2026). Set 1 (Version 1) [Data set]. 10.5555/d-1.1"),
        ("BibTeX", "@misc{bauer2026, author={Bauer, Ada Mei}, title={Set 1}, doi={10.5555/d-1.1}}"),
        ("plain", "Ada Mei Bauer: Set 1, version 1, 2026, 10.5555/d-1.1"),
    ],
)
def test_a_dataset_is_cited_in_three_styles(style: str, text: str) -> None:
    cited = desk().gives("cite_dataset", dataset_id="D-1", style=style)
    assert cited == {"dataset_id": "D-1", "doi": "10.5555/d-1.1", "text": text}


def test_what_is_published_is_cited_also_while_it_is_revised() -> None:
    assert desk().gives("cite_dataset", dataset_id="D-14", style="plain")["doi"] == "10.5555/d-14.2"
    words = "The dataset is unpublished, so it cannot be cited"
    desk().refuses("cite_dataset", "precondition_failed", words, dataset_id="D-12", style="plain")
    desk().refuses("cite_dataset", "not_found", "D-99", dataset_id="D-99", style="plain")


@pytest.mark.parametrize(
    ("arguments", "files", "size"),
    [
        ({"dataset_id": "D-1"}, 2, 240),
        ({"dataset_id": "D-1", "file_format": "JSON"}, 1, 40),
        ({"dataset_id": "D-5"}, 1, 100),
        ({"dataset_id": "D-7"}, 1, 100),
        ({"dataset_id": "D-14"}, 2, 75),
        ({"dataset_id": "D-16"}, 1, 10),
    ],
)
def test_a_download_takes_published_files_from_the_transfer(arguments: Row, files: int, size: int) -> None:
    at = desk()
    about = DATASETS[arguments["dataset_id"]]
    taken = at.gives("download_dataset", **arguments)
    assert taken == {
        "id": "DL-1001", "dataset_id": about["id"], "dataset_name": about["name"], "version": about["version"],
        "files": files, "size": size, "taken_on": "2026-03-02",
    }  # fmt: skip
    assert at.changed() == {
        "downloads.created": {"DL-1001": taken},
        "datasets.changed": {about["id"]: {"downloads": 8 if about["id"] != "D-1" else 41}},
    }
    assert at.gives("list_my_datasets")["transfer_left"] == 240 - size


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ({"dataset_id": "D-3"}, "permission_denied", "Ada Mei Bauer decides who may have Set 3: ask for access first"),
        ({"dataset_id": "D-4"}, "permission_denied", "Ada Mei Bauer has not answered your request for Set 4 yet"),
        ({"dataset_id": "D-22"}, "permission_denied", "Ada Mei Bauer has refused your request for Set 22"),
        ({"dataset_id": "D-6"}, "precondition_failed", "The files of Set 6 are under embargo until 2026-03-03"),
        ({"dataset_id": "D-7", "file_format": "JSON"}, "precondition_failed", "under embargo until 2026-03-03"),
        ({"dataset_id": "D-1", "file_format": "NetCDF"}, "not_found", "Set 1 has no published files in NetCDF"),
        ({"dataset_id": "D-12"}, "precondition_failed", "is unpublished, so it cannot be downloaded"),
        ({"dataset_id": "D-99"}, "not_found", "D-99"),
    ],
)
def test_files_that_cannot_be_had_are_refused(arguments: Row, code: str, words: str) -> None:
    desk().refuses("download_dataset", code, words, **arguments)


def test_the_transfer_of_a_month_bounds_downloads() -> None:
    at = desk({"accounts": keyed({**STATE["accounts"]["U-1"], "transfer": 339})})
    at.refuses("download_dataset", "limit_exceeded", "240 megabytes, only 239 are left this month", dataset_id="D-1")


def test_another_month_has_its_own_transfer() -> None:
    at = desk(now=dt.datetime(2026, 4, 1, 0, 0))
    assert at.gives("list_my_datasets")["transfer_left"] == 340


def test_an_embargo_ends_by_itself() -> None:
    at = desk(now=dt.datetime(2026, 3, 3, 9, 0))
    taken = at.gives("download_dataset", dataset_id="D-6")
    assert (taken["files"], taken["size"]) == (1, 100)


@pytest.mark.parametrize(("dataset_id", "purpose"), [("D-3", "teaching"), ("D-8", "commercial"), ("D-8", "research")])
def test_access_is_asked_for(dataset_id: str, purpose: str) -> None:
    at = desk()
    made = at.gives("request_access", dataset_id=dataset_id, purpose=purpose)
    assert made == sent("SR-1001", dataset_id, "pending", "2026-03-02", purpose=purpose)
    assert at.changed() == {
        "sent.created": {"SR-1001": made},
        "datasets.changed": {dataset_id: {"my_access": "asked"}},
    }
    words = "has not answered your last request"
    at.refuses("request_access", "conflict", words, dataset_id=dataset_id, purpose=purpose)


@pytest.mark.parametrize(
    ("dataset_id", "purpose", "code", "words"),
    [
        ("D-3", "commercial", "precondition_failed", "Set 3 is not licensed for commercial purposes"),
        ("D-4", "research", "conflict", "has not answered"),
        ("D-22", "research", "precondition_failed", "has refused it; nobody can ask twice"),
        ("D-1", "research", "precondition_failed", "can download Set 1 without asking"),
        ("D-5", "research", "precondition_failed", "without asking"),
        ("D-11", "research", "precondition_failed", "without asking"),
        ("D-99", "research", "not_found", "D-99"),
    ],
)
def test_access_that_needs_no_asking_or_cannot_be_is_refused(
    dataset_id: str, purpose: str, code: str, words: str
) -> None:
    desk().refuses("request_access", code, words, dataset_id=dataset_id, purpose=purpose)


def test_a_request_is_withdrawn_and_can_be_made_again() -> None:
    at = desk()
    told = {"dataset_name": "Set 4", "owner_name": "Ada Mei Bauer", "asked_on": "2026-02-23"}
    assert at.gives("withdraw_request", dataset_id="D-4") == told
    assert at.changed() == {"sent.deleted": ("Q-1",), "datasets.changed": {"D-4": {"my_access": "none"}}}
    at.refuses("withdraw_request", "precondition_failed", "no request for Set 4", dataset_id="D-4")
    at.gives("request_access", dataset_id="D-4", purpose="teaching")


@pytest.mark.parametrize("dataset_id", ["D-1", "D-3", "D-5", "D-11", "D-22"])
def test_only_a_request_that_is_not_answered_is_withdrawn(dataset_id: str) -> None:
    words = f"You have no request for Set {dataset_id[2:]} that is not answered"
    desk().refuses("withdraw_request", "precondition_failed", words, dataset_id=dataset_id)
    desk().refuses("withdraw_request", "not_found", "D-99", dataset_id="D-99")


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["A-5", "A-2", "A-1", "A-7", "A-3"]),
        ({"page": 2}, ["A-8"]),
        ({"status": "pending"}, ["A-5", "A-1", "A-7", "A-8"]),
        ({"status": "granted"}, ["A-2"]),
        ({"status": "refused"}, ["A-3"]),
    ],
)
def test_requests_for_an_own_dataset_are_listed_the_oldest_first(arguments: Row, found: list[str]) -> None:
    assert desk().ids("list_access_requests", dataset_id="D-11", **arguments) == found
    told = desk().gives("list_access_requests", dataset_id="D-11", **arguments)
    assert (told["dataset_name"], told["waiting"]) == ("Set 11", 4)


def test_who_asks_for_data_of_others_is_their_owners_business() -> None:
    words = "Set 4 belongs to Ada Mei Bauer"
    desk().refuses("list_access_requests", "permission_denied", words, dataset_id="D-4")
    desk().refuses("list_access_requests", "not_found", "D-99", dataset_id="D-99")
    assert desk().ids("list_access_requests", dataset_id="D-12") == []


@pytest.mark.parametrize(
    ("request_id", "decision", "status"),
    [
        ("A-1", "grant", "granted"),
        ("A-1", "refuse", "refused"),
        ("A-5", "refuse", "refused"),
        ("A-6", "grant", "granted"),
        ("A-2", "refuse", "refused"),
        ("A-3", "grant", "granted"),
    ],
)
def test_a_request_is_answered_and_an_answer_changed(request_id: str, decision: str, status: str) -> None:
    at = desk()
    answered = at.gives("answer_request", request_id=request_id, decision=decision)
    assert answered == {**REQUESTS[request_id], "status": status}
    assert at.changed() == {"requests.changed": {request_id: {"status": status}}}
    words = f"The request by Person {request_id[2:]} is {status} already"
    at.refuses("answer_request", "conflict", words, request_id=request_id, decision=decision)


@pytest.mark.parametrize(
    ("request_id", "code", "words"),
    [
        ("A-4", "permission_denied", "Set 8 belongs to Ada Mei Bauer"),
        ("A-5", "precondition_failed", "Set 11 is not licensed for commercial purposes"),
        ("A-99", "not_found", "no request with the id 'A-99'"),
    ],
)
def test_a_request_that_cannot_be_granted_is_refused(request_id: str, code: str, words: str) -> None:
    desk().refuses("answer_request", code, words, request_id=request_id, decision="grant")


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["D-11", "D-12", "D-13", "D-14", "D-15"]),
        ({"page": 2}, ["D-16"]),
        ({"status": "unpublished"}, ["D-12", "D-13"]),
        ({"status": "reopened"}, ["D-14", "D-15"]),
        ({"topic": "immunology"}, ["D-13"]),
        ({"topic": "neuroscience"}, []),
    ],
)
def test_own_datasets_are_listed_by_name(arguments: Row, found: list[str]) -> None:
    assert desk().ids("list_my_datasets", **arguments) == found
    told = desk().gives("list_my_datasets", **arguments)
    assert (told["storage_left"], told["transfer_left"]) == (300, 240)


def test_a_name_decides_the_place_in_the_list() -> None:
    at = desk({"datasets": keyed({**DATASETS["D-11"], "name": "Set 99"})})
    assert at.ids("list_my_datasets")[0] == "D-12"


@pytest.mark.parametrize("gated", [True, False])
def test_a_dataset_begins_as_an_empty_draft(gated: bool) -> None:
    at = desk()
    about: Row = {"name": "lab sensor logs", "topic": "neuroscience", "licence": "CC0"}
    made = at.gives("create_dataset", **about, **({"gated": True} if gated else {}))
    assert made == own("DS-1001", "unpublished", **about, gated=gated)
    assert at.changed() == {"datasets.created": {"DS-1001": made}}
    words = "a dataset called Lab Sensor Logs already"
    at.refuses("create_dataset", "conflict", words, **{**about, "name": "Lab Sensor Logs"})
    at.refuses("create_dataset", "invalid_argument", "name", **{**about, "name": "    "})


def test_a_name_of_somebody_elses_dataset_is_free() -> None:
    about = {"topic": "neuroscience", "licence": "CC0"}
    assert desk().gives("create_dataset", name="Set 1", **about)["name"] == "Set 1"
    desk().refuses("create_dataset", "conflict", "Set 13", name="Set 13", **about)


FILE: Row = {"name": "labels", "file_format": "JSON", "size": 300}


@pytest.mark.parametrize(("dataset_id", "since"), [("D-13", 1), ("D-15", 2)])
def test_a_file_goes_into_the_next_version(dataset_id: str, since: int) -> None:
    at = desk()
    new = file("DF-1001", dataset_id, since=since, published=False, **FILE)
    assert at.gives("upload_file", dataset_id=dataset_id, **FILE) == new
    assert at.changed() == {
        "files.created": {"DF-1001": new},
        "datasets.changed": {dataset_id: {"ready": True}},
        "accounts.changed": {"U-1": {"storage_left": 0}},
    }


def test_a_new_file_of_the_same_name_gives_way() -> None:
    at = desk()
    at.gives("upload_file", dataset_id="D-14", name="notes", file_format="CSV", size=320)
    changed = at.changed()
    assert changed["accounts.changed"] == {"U-1": {"storage_left": 0}}
    assert changed["files.deleted"] == ("F-8",)
    assert list(changed["files.created"]) == ["DF-1001"]
    words = "Set 14 has a published file called file 7; give it another name"
    at.refuses("upload_file", "conflict", words, dataset_id="D-14", name="file 7", file_format="CSV", size=1)


def test_a_dataset_takes_ten_files() -> None:
    at = desk({"files": keyed(*(file(f"F-{n}", "D-13", 1, published=n < 24) for n in range(21, 30)))})
    at.gives("upload_file", dataset_id="D-13", name="labels", file_format="CSV", size=1)
    words = "Set 13 has 10 files"
    at.refuses("upload_file", "limit_exceeded", words, dataset_id="D-13", name="codebook", file_format="CSV", size=1)
    at.gives("upload_file", dataset_id="D-13", name="labels", file_format="CSV", size=2)


@pytest.mark.parametrize(
    ("dataset_id", "more", "code", "words"),
    [
        ("D-13", {"size": 301}, "limit_exceeded", "1 megabytes more than what is left of your storage"),
        ("D-13", {"size": 0}, "invalid_argument", "size"),
        ("D-13", {"size": 5001}, "invalid_argument", "size"),
        ("D-11", {}, "precondition_failed", "is published, so it cannot be given files before a revision is begun"),
        ("D-1", {}, "permission_denied", "Set 1 belongs to Ada Mei Bauer"),
        ("D-99", {}, "not_found", "D-99"),
    ],
)
def test_a_file_without_its_place_is_refused(dataset_id: str, more: Row, code: str, words: str) -> None:
    desk().refuses("upload_file", code, words, dataset_id=dataset_id, **{**FILE, **more})


def test_a_file_is_removed_before_it_is_published() -> None:
    at = desk()
    told = {"dataset_id": "D-12", "dataset_name": "Set 12", "name": "codebook", "storage_left": 340}
    assert at.gives("remove_file", file_id="F-14") == told
    assert at.changed() == {"files.deleted": ("F-14",), "accounts.changed": {"U-1": {"storage_left": 340}}}
    assert at.gives("remove_file", file_id="F-6")["storage_left"] == 370
    assert at.changed()["datasets.changed"] == {"D-12": {"ready": False}}


@pytest.mark.parametrize(
    ("file_id", "code", "words"),
    [
        ("F-7", "precondition_failed", "file 7 came out with version 2, so it stays"),
        ("F-1", "permission_denied", "Set 1 belongs to Ada Mei Bauer"),
        ("F-99", "not_found", "no file with the id 'F-99'"),
    ],
)
def test_a_file_that_is_out_or_of_others_is_not_removed(file_id: str, code: str, words: str) -> None:
    desk().refuses("remove_file", code, words, file_id=file_id)


EMBARGO = {"embargo_until": "2027-03-02"}


@pytest.mark.parametrize(
    ("dataset_id", "more", "out", "expected"),
    [
        ("D-12", {}, ["F-6", "F-14"], {"version": 1, "size": 70, "formats": ["CSV", "JSON"]}),
        ("D-14", {}, ["F-8"], {"version": 3, "size": 95, "formats": ["CSV", "Parquet"]}),
        ("D-14", EMBARGO, ["F-8"], {"version": 3, "size": 95, "formats": ["CSV", "Parquet"]}),
        ("D-12", {"embargo_until": "2026-03-03"}, ["F-6", "F-14"], {"version": 1, "size": 70}),
    ],
)
def test_a_version_is_published_with_its_new_files(dataset_id: str, more: Row, out: list[str], expected: Row) -> None:
    at = desk()
    told = at.gives("publish_dataset", dataset_id=dataset_id, **more)
    new = {"status": "published", "ready": False, "published_on": "2026-03-02", "formats": ["CSV", "JSON"], **expected}
    assert told == {**DATASETS[dataset_id], **new}
    changed = {key: value for key, value in new.items() if DATASETS[dataset_id].get(key) != value}
    assert at.changed() == {
        "datasets.changed": {dataset_id: changed},
        "files.changed": {key: {"published": True, **more} for key in out},
    }


def test_an_embargo_outlives_a_later_version_and_holds_back_nothing_that_was_out() -> None:
    at = desk()
    at.gives("revise_dataset", dataset_id="D-16")
    at.gives("upload_file", dataset_id="D-16", **FILE)
    at.gives("publish_dataset", dataset_id="D-16")
    first, second = at.gives("get_dataset", dataset_id="D-16")["files"]
    assert (first["embargo_until"], second.get("embargo_until")) == ("2026-08-01", None)


@pytest.mark.parametrize(
    ("dataset_id", "more", "code", "words"),
    [
        ("D-13", {}, "precondition_failed", "Set 13 has no files that are yet to be published"),
        ("D-15", {}, "precondition_failed", "Set 15 has no files"),
        ("D-11", {}, "precondition_failed", "is published, so it cannot be published"),
        ("D-12", {"embargo_until": "2026-03-02"}, "invalid_argument", "on a day to come, on 2027-03-02 at the latest"),
        ("D-12", {"embargo_until": "2027-03-03"}, "invalid_argument", "at the latest"),
        ("D-1", {}, "permission_denied", "belongs to Ada Mei Bauer"),
        ("D-99", {}, "not_found", "D-99"),
    ],
)
def test_what_cannot_be_published_is_refused(dataset_id: str, more: Row, code: str, words: str) -> None:
    desk().refuses("publish_dataset", code, words, dataset_id=dataset_id, **more)


def test_a_published_dataset_is_opened_again() -> None:
    at = desk()
    assert at.gives("revise_dataset", dataset_id="D-11") == {**DATASETS["D-11"], "status": "reopened"}
    assert at.changed() == {"datasets.changed": {"D-11": {"status": "reopened"}}}
    at.gives("upload_file", dataset_id="D-11", **FILE)
    assert at.gives("publish_dataset", dataset_id="D-11")["version"] == 2


@pytest.mark.parametrize(
    ("dataset_id", "code", "words"),
    [
        ("D-12", "precondition_failed", "is unpublished, so it cannot be revised"),
        ("D-14", "precondition_failed", "is reopened, so it"),
        ("D-1", "permission_denied", "belongs to"),
        ("D-99", "not_found", "no dataset with the id 'D-99'"),
    ],
)
def test_only_an_own_published_dataset_is_revised(dataset_id: str, code: str, words: str) -> None:
    desk().refuses("revise_dataset", code, words, dataset_id=dataset_id)


def test_a_revision_is_discarded_and_what_was_published_stays() -> None:
    at = desk()
    assert at.gives("discard_draft", dataset_id="D-14") == {
        "dataset_id": "D-14", "dataset_name": "Set 14", "files": 1, "version": 2, "storage_left": 320,
    }  # fmt: skip
    assert at.changed() == {
        "files.deleted": ("F-8",),
        "datasets.changed": {"D-14": {"status": "published", "ready": False}},
        "accounts.changed": {"U-1": {"storage_left": 320}},
    }


def test_a_draft_is_discarded_with_its_files() -> None:
    at = desk()
    told = at.gives("discard_draft", dataset_id="D-12")
    assert (told["files"], told.get("version"), told["storage_left"]) == (2, None, 370)
    changed = at.changed()
    assert (changed["datasets.deleted"], sorted(changed["files.deleted"])) == (("D-12",), ["F-14", "F-6"])
    at.refuses("get_dataset", "not_found", "D-12", dataset_id="D-12")


@pytest.mark.parametrize(
    ("dataset_id", "code", "words"),
    [
        ("D-11", "precondition_failed", "The dataset is published, so it cannot be discarded"),
        ("D-1", "permission_denied", "belongs to"),
        ("D-99", "not_found", "D-99"),
    ],
)
def test_what_is_published_or_of_others_is_not_discarded(dataset_id: str, code: str, words: str) -> None:
    desk().refuses("discard_draft", code, words, dataset_id=dataset_id)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("size", [20, 60, 150])
def test_a_scenario_has_its_edge_cases(seed: int, size: int) -> None:
    world = build_scenario(DatasetRegistry, seed, size, DEFAULT_NOW)
    rows = list(world.datasets.values())
    mine = [row for row in rows if row.mine]
    assert {row.status for row in mine} == {"unpublished", "published", "reopened"}
    assert {row.my_access for row in rows} == {"own", "open", "none", "asked", "granted", "refused"}
    held = {file.dataset_id for file in world.files.values() if file.embargo_until}
    assert {world.datasets[key].mine for key in held} == {True, False}
    assert len({row.name for row in rows}) == len(rows)
    for row in rows:
        files = [file for file in world.files.values() if file.dataset_id == row.id]
        out = [file for file in files if file.published]
        assert (row.size, {*row.formats}) == (sum(f.size for f in out), {f.file_format for f in out})
        assert row.ready == (len(files) > len(out))
        assert (row.version > 0) == bool(out) == (row.status != "unpublished") == (row.published_on is not None)
        assert {file.published for file in files if file.since_version > row.version} <= {False}
        assert len({file.name for file in files}) == len(files)
    requests = list(world.requests.values())
    assert {request.status for request in requests} == {"pending", "granted", "refused"}
    assert all(world.datasets[request.dataset_id].mine for request in requests)
    made = list(world.sent.values())
    assert all(row.asked_on > (world.datasets[row.dataset_id].published_on or NEVER) for row in [*requests, *made])
    stands = {"asked": "pending", "granted": "granted", "refused": "refused"}
    told = {row.dataset_id: row.status for row in made}
    assert told == {row.id: stands[row.my_access] for row in rows if row.my_access in stands}
    downloads = list(world.downloads.values())
    assert {download.taken_on.month for download in downloads} == {2, 3}
    for download in downloads:
        row = world.datasets[download.dataset_id]
        assert (row.my_access, row.version, row.size) == ("open", download.version, download.size)
        assert row.id not in held
