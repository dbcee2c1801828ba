"""The dataset registry, through its tools: what each gives, what it refuses, and what exactly changes."""

from __future__ import annotations

from typing import Any

import pytest

from envfactory.catalogue.research.dataset_registry import DatasetRegistry
from envfactory.environment import DEFAULT_NOW, build_scenario
from tests.catalogue.support import Desk, Row, Rows, keyed

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
    dataset("D-6", embargo_until="2026-03-03", published_on="2022-01-10"),
    dataset("D-7", embargo_until="2026-03-02", published_on="2021-01-10"),
    dataset("D-8", gated=True, my_access="none", topic="neuroscience", published_on="2020-01-10"),
    own("D-11", gated=True, licence="CC-BY-NC"),
    own("D-12", "unpublished", ready=True),
    own("D-13", "unpublished", topic="immunology"),
    own("D-14", "reopened", ready=True, version=2),
    own("D-15", "reopened"),
    own("D-16", embargo_until="2026-08-01"),
)


def file(key: str, dataset_id: str, size: int = 100, since: int = 1, **changes: Any) -> Row:
    return {
        "id": key, "dataset_id": dataset_id, "name": f"file {key[2:]}", "file_format": "CSV", "size": size,
        "since_version": since, **changes,
    }  # fmt: skip


FILES = keyed(
    file("F-1", "D-1", 200, name="zebra"),
    file("F-2", "D-1", 40, name="ant", file_format="JSON"),
    file("F-3", "D-5"),
    file("F-4", "D-6"),
    file("F-5", "D-7"),
    file("F-6", "D-12", 30),
    file("F-7", "D-14", 60, 2, file_format="Parquet"),
    file("F-8", "D-14", 20, 3, name="notes"),
    file("F-9", "D-16", 10),
    file("F-10", "D-1", 500, 2),
    file("F-11", "D-14", 15, 1),
)


def request(key: str, asked_on: str, status: str = "pending", **changes: Any) -> Row:
    return {
        "id": key, "direction": "incoming", "person": f"Person {key[2:]}", "dataset_id": "D-11",
        "dataset_name": "Set 11", "purpose": "research", "asked_on": asked_on, "status": status, **changes,
    }  # fmt: skip


REQUESTS = keyed(
    request("A-1", "2026-02-20"),
    request("A-2", "2026-02-21", "granted"),
    request("A-3", "2026-02-22", "refused"),
    request("A-4", "2026-02-23", direction="outgoing", dataset_id="D-4", dataset_name="Set 4", person="Ada Mei Bauer"),
    request("A-5", "2026-02-24", purpose="commercial"),
    request("A-6", "2026-02-25", dataset_id="D-12", dataset_name="Set 12", purpose="commercial"),
)

STATE: dict[str, Any] = {
    "account_id": "U-1",
    "accounts": keyed(
        {"id": "U-1", "name": "Maya Novak", "email": "maya@mail.example", "storage_left": 300, "transfer_left": 240},
        {"id": "U-2", "name": "Leo Rossi", "email": "leo@mail.example", "storage_left": 1, "transfer_left": 1},
    ),
    "datasets": DATASETS,
    "files": FILES,
    "requests": REQUESTS,
    "downloads": {},
}


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
        "dataset_id": "D-1", "name": "Set 1", "owner_name": "Ada Mei Bauer", "licence": "CC-BY", "access": "open",
        "version": 1, "files": [FILES["F-2"], FILES["F-1"]], "new_files": [],
    }  # fmt: skip
    desk().refuses("get_dataset", "not_found", "no dataset with the id 'D-99'", dataset_id="D-99")


def test_only_its_owner_sees_what_is_yet_to_be_published() -> None:
    shown = desk().gives("get_dataset", dataset_id="D-14")
    assert (shown["files"], shown["new_files"]) == ([FILES["F-11"], FILES["F-7"]], [FILES["F-8"]])
    assert desk().gives("get_dataset", dataset_id="D-12")["new_files"] == [FILES["F-6"]]


@pytest.mark.parametrize(
    ("dataset_id", "access"), [("D-3", "gated"), ("D-6", "embargoed"), ("D-7", "open"), ("D-16", "embargoed")]
)
def test_a_dataset_says_who_can_have_it(dataset_id: str, access: str) -> None:
    assert desk().gives("get_dataset", dataset_id=dataset_id)["access"] == access


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
        "accounts.changed": {"U-1": {"transfer_left": 240 - size}},
        "datasets.changed": {about["id"]: {"downloads": 8 if about["id"] != "D-1" else 41}},
    }


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ({"dataset_id": "D-3"}, "permission_denied", "Ada Mei Bauer has not granted access to Set 3"),
        ({"dataset_id": "D-4"}, "permission_denied", "has not granted access to Set 4"),
        ({"dataset_id": "D-6"}, "precondition_failed", "Set 6 is under embargo until 2026-03-03"),
        ({"dataset_id": "D-1", "file_format": "NetCDF"}, "not_found", "Set 1 has no files in NetCDF"),
        ({"dataset_id": "D-12"}, "precondition_failed", "is unpublished, so it cannot be downloaded"),
        ({"dataset_id": "D-99"}, "not_found", "D-99"),
    ],
)
def test_files_that_cannot_be_had_are_refused(arguments: Row, code: str, words: str) -> None:
    desk().refuses("download_dataset", code, words, **arguments)


def test_the_transfer_of_a_month_bounds_downloads() -> None:
    at = desk({"accounts": keyed({**STATE["accounts"]["U-1"], "transfer_left": 239})})
    at.refuses("download_dataset", "limit_exceeded", "240 megabytes, only 239 are left this month", dataset_id="D-1")


@pytest.mark.parametrize(("dataset_id", "purpose"), [("D-3", "teaching"), ("D-8", "commercial"), ("D-8", "research")])
def test_access_is_asked_for(dataset_id: str, purpose: str) -> None:
    at = desk()
    name = DATASETS[dataset_id]["name"]
    assert at.gives("request_access", dataset_id=dataset_id, purpose=purpose) == {
        "dataset_id": dataset_id, "dataset_name": name, "owner_name": "Ada Mei Bauer", "purpose": purpose,
    }  # fmt: skip
    made = request(
        "AR-1001", "2026-03-02", direction="outgoing", person="Ada Mei Bauer", dataset_id=dataset_id,
        dataset_name=name, purpose=purpose,
    )  # fmt: skip
    assert at.changed() == {
        "requests.created": {"AR-1001": made},
        "datasets.changed": {dataset_id: {"my_access": "asked"}},
    }
    words = "has not answered your last request"
    at.refuses("request_access", "conflict", words, dataset_id=dataset_id, purpose=purpose)


@pytest.mark.parametrize(
    ("dataset_id", "purpose", "code", "words"),
    [
        ("D-3", "commercial", "precondition_failed", "Set 3 is not licensed for commercial purposes"),
        ("D-4", "research", "conflict", "has not answered"),
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


@pytest.mark.parametrize(
    ("arguments", "found", "pending"),
    [
        ({}, ["A-6", "A-5", "A-4", "A-3", "A-2"], 4),
        ({"page": 2}, ["A-1"], 4),
        ({"direction": "outgoing"}, ["A-4"], 1),
        ({"status": "pending", "direction": "incoming"}, ["A-6", "A-5", "A-1"], 3),
        ({"status": "granted"}, ["A-2"], 0),
    ],
)
def test_requests_are_listed_the_latest_first(arguments: Row, found: list[str], pending: int) -> None:
    assert desk().ids("list_access_requests", **arguments) == found
    assert desk().gives("list_access_requests", **arguments)["pending"] == pending


@pytest.mark.parametrize(
    ("request_id", "decision"), [("A-1", "granted"), ("A-1", "refused"), ("A-5", "refused"), ("A-6", "granted")]
)
def test_a_request_is_answered_once(request_id: str, decision: str) -> None:
    at = desk()
    answered = at.gives("answer_request", request_id=request_id, decision=decision)
    assert answered == {**REQUESTS[request_id], "status": decision}
    assert at.changed() == {"requests.changed": {request_id: {"status": decision}}}
    words = f"is {decision}, so it cannot be answered"
    at.refuses("answer_request", "precondition_failed", words, request_id=request_id, decision="refused")


@pytest.mark.parametrize(
    ("request_id", "code", "words"),
    [
        ("A-4", "permission_denied", "Only Ada Mei Bauer can answer"),
        ("A-5", "precondition_failed", "Set 11 is not licensed for commercial purposes"),
        ("A-2", "precondition_failed", "is granted"),
        ("A-99", "not_found", "no request with the id 'A-99'"),
    ],
)
def test_a_request_that_cannot_be_granted_is_refused(request_id: str, code: str, words: str) -> None:
    desk().refuses("answer_request", code, words, request_id=request_id, decision="granted")


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
    assert desk().gives("list_my_datasets", **arguments)["storage_left"] == 300


@pytest.mark.parametrize("gated", [True, False])
def test_a_dataset_begins_as_an_empty_draft(gated: bool) -> None:
    at = desk()
    about: Row = {"name": "lab sensor logs", "topic": "neuroscience", "licence": "CC0"}
    made = at.gives("create_dataset", **about, **({"gated": True} if gated else {}))
    assert made == own("DS-1001", "unpublished", **about, gated=gated)
    assert at.changed() == {"datasets.created": {"DS-1001": made}}
    at.refuses("create_dataset", "conflict", "a dataset called lab sensor logs already", **about)


def test_a_name_of_somebody_elses_dataset_is_free() -> None:
    about = {"topic": "neuroscience", "licence": "CC0"}
    assert desk().gives("create_dataset", name="Set 1", **about)["name"] == "Set 1"
    desk().refuses("create_dataset", "conflict", "Set 13", name="Set 13", **about)


FILE: Row = {"name": "labels", "file_format": "JSON", "size": 300}


@pytest.mark.parametrize(("dataset_id", "since"), [("D-13", 1), ("D-15", 2)])
def test_a_file_goes_into_the_next_version(dataset_id: str, since: int) -> None:
    at = desk()
    assert at.gives("upload_file", dataset_id=dataset_id, **FILE) == {
        "dataset_id": dataset_id, "dataset_name": DATASETS[dataset_id]["name"], "name": "labels", "replaced": False,
        "storage_left": 0,
    }  # fmt: skip
    assert at.changed() == {
        "files.created": {"DF-1001": file("DF-1001", dataset_id, 300, since, name="labels", file_format="JSON")},
        "datasets.changed": {dataset_id: {"ready": True}},
        "accounts.changed": {"U-1": {"storage_left": 0}},
    }


def test_a_new_file_of_the_same_name_gives_way() -> None:
    at = desk()
    told = at.gives("upload_file", dataset_id="D-14", name="notes", file_format="CSV", size=320)
    assert (told["replaced"], told["storage_left"]) == (True, 0)
    changed = at.changed()
    assert changed["files.deleted"] == ("F-8",)
    assert list(changed["files.created"]) == ["DF-1001"]
    assert desk().gives("upload_file", dataset_id="D-14", name="file 7", file_format="CSV", size=1)["replaced"] is False


def test_a_dataset_takes_ten_files() -> None:
    at = desk({"files": keyed(*(file(f"F-{n}", "D-13", 1) for n in range(21, 30)))})
    at.gives("upload_file", dataset_id="D-13", name="labels", file_format="CSV", size=1)
    words = "Set 13 has 10 files"
    at.refuses("upload_file", "limit_exceeded", words, dataset_id="D-13", name="codebook", file_format="CSV", size=1)
    assert at.gives("upload_file", dataset_id="D-13", name="labels", file_format="CSV", size=2)["replaced"] is True


@pytest.mark.parametrize(
    ("dataset_id", "more", "code", "words"),
    [
        ("D-13", {"size": 301}, "limit_exceeded", "1 megabytes larger than what your storage leaves"),
        ("D-13", {"size": 0}, "invalid_argument", "size"),
        ("D-13", {"size": 5001}, "invalid_argument", "size"),
        ("D-11", {}, "precondition_failed", "is published, so it cannot be given files before a revision is begun"),
        ("D-1", {}, "permission_denied", "Set 1 belongs to Ada Mei Bauer"),
        ("D-99", {}, "not_found", "D-99"),
    ],
)
def test_a_file_without_its_place_is_refused(dataset_id: str, more: Row, code: str, words: str) -> None:
    desk().refuses("upload_file", code, words, dataset_id=dataset_id, **{**FILE, **more})


@pytest.mark.parametrize(
    ("dataset_id", "more", "expected"),
    [
        ("D-12", {}, {"version": 1, "size": 30, "formats": ["CSV"]}),
        ("D-14", {}, {"version": 3, "size": 95, "formats": ["CSV", "Parquet"]}),
        ("D-12", {"embargo_until": "2026-03-03"}, {"version": 1, "size": 30, "formats": ["CSV"]}),
        ("D-12", {"embargo_until": "2027-03-02"}, {"version": 1, "size": 30, "formats": ["CSV"]}),
    ],
)
def test_a_version_is_published_with_its_new_files(dataset_id: str, more: Row, expected: Row) -> None:
    at = desk()
    out = at.gives("publish_dataset", dataset_id=dataset_id, **more)
    told = {"status": "published", "ready": False, "published_on": "2026-03-02", **expected, **more}
    assert out == {**DATASETS[dataset_id], **told}
    changed = {key: value for key, value in told.items() if DATASETS[dataset_id].get(key) != value}
    assert at.changed() == {"datasets.changed": {dataset_id: changed}}


@pytest.mark.parametrize(
    ("dataset_id", "more", "code", "words"),
    [
        ("D-13", {}, "precondition_failed", "Set 13 has no files that are yet to be published"),
        ("D-15", {}, "precondition_failed", "Set 15 has no files"),
        ("D-11", {}, "precondition_failed", "is published, so it cannot be published"),
        ("D-12", {"embargo_until": "2026-03-02"}, "invalid_argument", "a day to come, within a year"),
        ("D-12", {"embargo_until": "2027-03-03"}, "invalid_argument", "within a year"),
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


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("size", [20, 60, 150])
def test_a_scenario_has_its_edge_cases(seed: int, size: int) -> None:
    world = build_scenario(DatasetRegistry, seed, size, DEFAULT_NOW)
    rows = list(world.datasets.values())
    mine = [row for row in rows if row.mine]
    assert {row.status for row in mine} == {"unpublished", "published", "reopened"}
    assert {row.my_access for row in rows} == {"own", "open", "none", "asked", "granted"}
    assert any(row.embargo_until and not row.mine for row in rows)
    assert len({row.name for row in rows}) == len(rows)
    for row in rows:
        files = [file for file in world.files.values() if file.dataset_id == row.id]
        out = [file for file in files if file.since_version <= row.version]
        assert (row.size, {*row.formats}) == (sum(f.size for f in out), {f.file_format for f in out})
        assert row.ready == (len(files) > len(out))
        assert (row.version > 0) == bool(out) == (row.status != "unpublished") == (row.published_on is not None)
    incoming = [request for request in world.requests.values() if request.direction == "incoming"]
    assert {request.status for request in incoming} == {"pending", "granted", "refused"}
    assert {world.datasets[request.dataset_id].mine for request in incoming} == {True}
    asked = {r.dataset_id for r in world.requests.values() if r.direction == "outgoing" and r.status == "pending"}
    assert asked == {row.id for row in rows if row.my_access == "asked"}
