"""The laboratory's inventory, through its tools: what each gives, what it refuses, and what exactly changes."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from envfactory.catalogue.research.lab_inventory import LabInventory
from envfactory.environment import DEFAULT_NOW, build_scenario
from tests.catalogue.support import Desk, Row, Rows, keyed

# The clock stands at Monday, 2 March 2026, 9:00; waste is collected on Friday, 6 March.

TODAY = "2026-03-02"
OPEN = ("waiting", "ordered")


def chemical(key: str, name: str, hazard: str, training: str, temperature: str = "room", **changes: Any) -> Row:
    return {
        "id": key, "name": name, "hazard": hazard, "temperature": temperature, "training": training, "pack_ml": 500,
        "price": 100.0, "open_days": 30, "limit_ml": 10000, **changes,
    }  # fmt: skip


CHEMICALS = keyed(
    chemical("H-1", "acetone", "flammable", "solvents"),
    chemical("H-2", "bleach", "oxidising", "oxidisers", "fridge"),
    chemical("H-3", "acetic acid", "acid", "corrosives"),
    chemical("H-4", "lye", "base", "corrosives"),
    chemical("H-5", "phenol", "toxic", "toxics"),
    chemical("H-6", "serum", "harmless", "general_safety", "freezer", price=200.25, open_days=7),
    chemical("H-7", "medium", "harmless", "general_safety", "fridge"),
)
PLACES = keyed(
    {"id": "P-1", "name": "solvent cabinet", "room": "B1", "temperature": "room", "free": 5},
    {"id": "P-2", "name": "acid cabinet", "room": "B1", "temperature": "room", "free": 3},
    {"id": "P-3", "name": "full shelf", "room": "B2", "temperature": "room", "free": 0},
    {"id": "P-4", "name": "fridge", "room": "B2", "temperature": "fridge", "free": 2},
    {"id": "P-5", "name": "freezer", "room": "B2", "temperature": "freezer", "free": 9},
    {"id": "P-6", "name": "open shelf", "room": "B3", "temperature": "room", "free": 5},
)


def container(key: str, chemical_id: str = "H-1", **changes: Any) -> Row:
    """A full container that is stored in the first place and good until June."""
    what = CHEMICALS[chemical_id]
    place = changes.get("place_id", "P-1") if changes.get("status", "stored") == "stored" else None
    where: Row = {"place_id": place, "place": PLACES[place]["name"]} if place else {}
    row: Row = {
        "id": key, "chemical_id": chemical_id, "chemical": what["name"], "hazard": what["hazard"],
        "temperature": what["temperature"], "lot": f"L{key[2:]}", "amount_ml": 500, "use_by": "2026-06-30",
        "status": "stored", "aliquot": False, "contaminated": False, **where, **changes,
    }  # fmt: skip
    return row


OUT: Row = {"status": "checked_out", "holder_id": "M-1", "back_by": "2026-03-06"}
OPENED: Row = {"opened_on": "2026-02-20", "use_by": "2026-03-22", "amount_ml": 300}
WASTE: Row = {"status": "waste", "holder_id": "M-1", "collected_on": "2026-03-06"}
MINE: Row = {"aliquot": True, "owner_id": "M-1", "split_from": "C-2", "amount_ml": 20}
CONTAINERS = keyed(
    container("C-1"),
    container("C-2", **OUT),
    container("C-3", "H-3", place_id="P-2", use_by="2026-03-01"),
    container("C-4", **OUT, **OPENED),
    container("C-5", **MINE, use_by="2026-05-01"),
    container("C-6", status="checked_out", holder_id="M-2", back_by="2026-03-05"),
    container("C-7", aliquot=True, owner_id="M-2", amount_ml=30),
    container("C-8", **WASTE, **OPENED),
    container("C-9", "H-5", **OUT, **OPENED),
)


def entry(key: str, container_id: str = "C-4", amount: int = 50, day: str = TODAY, member: str = "M-1") -> Row:
    row = CONTAINERS[container_id]
    return {
        "id": key, "member_id": member, "container_id": container_id, "chemical": row["chemical"],
        "hazard": row["hazard"], "lot": row["lot"], "amount_ml": amount, "left_ml": 300, "taken_on": day,
    }  # fmt: skip


def request(key: str, chemical_id: str, status: str, arrives: str, member: str = "M-1", packs: int = 2) -> Row:
    return {
        "id": key, "member_id": member, "chemical_id": chemical_id, "chemical": CHEMICALS[chemical_id]["name"],
        "packs": packs, "total": 200.0, "express": False, "requested_on": "2026-02-27", "arrives_on": arrives,
        "status": status,
    }  # fmt: skip


def certificate(key: str, training: str, until: str, member: str = "M-1") -> Row:
    return {"id": key, "member_id": member, "training": training, "valid_until": until}


STATE: dict[str, Any] = {
    "member_id": "M-1",
    "members": keyed(
        {"id": "M-1", "name": "Ada Berg", "email": "ada@mail.example"},
        {"id": "M-2", "name": "Ben Cole", "email": "ben@mail.example"},
    ),
    "certificates": keyed(
        certificate("E-1", "solvents", "2026-12-31"),
        certificate("E-2", "general_safety", "2027-03-01"),
        certificate("E-3", "corrosives", "2026-03-06"),
        certificate("E-4", "toxics", "2026-09-01"),
        certificate("E-5", "oxidisers", "2026-03-01"),
        certificate("E-6", "solvents", "2025-12-31"),
        certificate("E-9", "oxidisers", "2027-12-31", "M-2"),
    ),
    "chemicals": CHEMICALS,
    "places": PLACES,
    "containers": CONTAINERS,
    "requests": keyed(
        request("R-1", "H-3", "ordered", "2026-03-05"),
        request("R-2", "H-6", "waiting", "2026-03-10"),
        request("R-3", "H-5", "ordered", TODAY),
        request("R-4", "H-1", "delivered", "2026-02-20"),
        request("R-5", "H-2", "declined", "2026-02-10"),
        request("R-6", "H-1", "cancelled", "2026-02-12"),
        request("R-9", "H-7", "ordered", "2026-03-05", "M-2"),
    ),
    "usages": keyed(
        entry("U-1"),
        entry("U-2", day="2026-03-01", amount=70),
        entry("U-3", "C-9", 20),
        entry("U-4", "C-8", 10),
        entry("U-5", "C-1", 15),
        entry("U-6", "C-6", 15),
        entry("U-9", member="M-2"),
    ),
}


def desk(rows: dict[str, Rows] | None = None, **changes: Any) -> Desk:
    return Desk(LabInventory, STATE, rows=rows, **changes)


def own(*rows: Row) -> dict[str, Rows]:
    return {"containers": keyed(*rows)}


def on(day: str) -> dt.datetime:
    return dt.datetime.fromisoformat(f"{day}T09:00:00")


# -- looking


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["E-6", "E-5", "E-3", "E-4", "E-1", "E-2"]),
        ({"valid_on": "2026-03-06"}, ["E-3", "E-4", "E-1", "E-2"]),
        ({"valid_on": "2026-03-07"}, ["E-4", "E-1", "E-2"]),
    ],
)
def test_the_member_s_own_certificates_are_listed(arguments: Row, found: list[str]) -> None:
    assert desk().ids("list_certificates", **arguments) == found


def test_certificates_of_one_day_are_in_order() -> None:
    rows = {"certificates": keyed(certificate("E-0", "toxics", "2026-12-31"))}
    assert desk(rows).ids("list_certificates", valid_on="2026-12-01") == ["E-0", "E-1", "E-2"]


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["H-3", "H-1", "H-2", "H-4", "H-7"]),
        ({"page": 2}, ["H-5", "H-6"]),
        ({"hazard": "harmless"}, ["H-7", "H-6"]),
        ({"training": "corrosives"}, ["H-3", "H-4"]),
        ({"training": "corrosives", "hazard": "base"}, ["H-4"]),
        ({"training": "toxics", "hazard": "base"}, []),
    ],
)
def test_chemicals_are_searched_by_hazard_and_training(arguments: Row, found: list[str]) -> None:
    assert desk().ids("search_chemicals", **arguments) == found


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["C-3", "C-4", "C-8", "C-9", "C-5"]),
        ({"page": 2}, ["C-1", "C-2", "C-6"]),
        ({"chemical_id": "H-5"}, ["C-9"]),
        ({"status": "waste"}, ["C-8"]),
        ({"status": "stored"}, ["C-3", "C-5", "C-1"]),
        ({"at_least_ml": 500}, ["C-3", "C-1", "C-2", "C-6"]),
        ({"at_least_ml": 501}, []),
        ({"expired": True}, ["C-3"]),
        ({"mine": True}, ["C-4", "C-8", "C-9", "C-5", "C-2"]),
        ({"mine": True, "chemical_id": "H-1", "status": "checked_out"}, ["C-4", "C-2"]),
    ],
)
def test_containers_are_found_but_not_others_aliquots(arguments: Row, found: list[str]) -> None:
    assert desk().ids("find_containers", **arguments) == found


def test_a_container_may_be_used_on_its_last_day_and_is_found_by_a_known_chemical() -> None:
    at = desk(own(container("C-3", use_by=TODAY), container("C-2", **OUT, amount_ml=0)))
    assert "C-2" in at.ids("find_containers", mine=True)
    assert at.ids("find_containers", expired=True) == []
    assert at.gives("find_containers", chemical_id="H-5")["containers"] == [CONTAINERS["C-9"]]
    at.refuses("find_containers", "not_found", "no chemical with the id 'H-99'", chemical_id="H-99")


def test_a_container_is_described() -> None:
    assert desk().gives("get_container", container_id="C-1") == {
        "container_id": "C-1", "chemical": "acetone", "lot": "L1", "hazard": "flammable", "status": "stored",
        "amount_ml": 500, "use_by": "2026-06-30", "expired": False, "place": "solvent cabinet", "room": "B1",
        "training": "solvents", "cleared_until": "2026-12-31", "out_until": "2026-03-16",
    }  # fmt: skip
    assert desk().gives("get_container", container_id="C-4") == {
        "container_id": "C-4", "chemical": "acetone", "lot": "L4", "hazard": "flammable", "status": "checked_out",
        "amount_ml": 300, "use_by": "2026-03-22", "expired": False, "opened_on": "2026-02-20", "holder": "Ada Berg",
        "back_by": "2026-03-06", "training": "solvents", "cleared_until": "2026-12-31",
    }  # fmt: skip
    waste = desk().gives("get_container", container_id="C-8")
    assert (waste["collected_on"], waste["status"]) == ("2026-03-06", "waste")


@pytest.mark.parametrize(
    ("row", "cleared", "until", "expired"),
    [
        (container("C-1", "H-3"), "2026-03-06", "2026-03-06", False),
        (container("C-1", use_by="2026-03-04"), "2026-12-31", "2026-03-04", False),
        (container("C-1", use_by=TODAY), "2026-12-31", TODAY, False),
        (container("C-1", use_by="2026-03-01"), "2026-12-31", None, True),
        (container("C-1", "H-2", place_id="P-4"), None, None, False),
        (container("C-1", "H-7", place_id="P-4"), "2027-03-01", "2026-03-05", False),
        (container("C-1", "H-6", place_id="P-5"), "2027-03-01", "2026-03-03", False),
    ],
)
def test_until_when_it_could_be_checked_out(row: Row, cleared: str | None, until: str | None, expired: bool) -> None:
    given = desk(own(row)).gives("get_container", container_id="C-1")
    assert (given.get("cleared_until"), given.get("out_until"), given["expired"]) == (cleared, until, expired)


def test_a_certificate_is_valid_on_its_last_day() -> None:
    given = desk(now=on("2026-03-06")).gives("get_container", container_id="C-3")
    assert given["cleared_until"] == "2026-03-06"
    assert "cleared_until" not in desk(now=on("2026-03-07")).gives("get_container", container_id="C-3")


OTHERS = ("get_container", "find_places", "list_usage", "dispose_container")


@pytest.mark.parametrize("tool", [*OTHERS, "check_out", "put_away", "take_amount", "split_container"])
def test_others_aliquots_are_out_of_reach(tool: str) -> None:
    further: Row = {
        "check_out": {"back_by": TODAY}, "put_away": {"place_id": "P-6"}, "take_amount": {"amount_ml": 5},
        "split_container": {"parts": 2, "amount_ml": 5, "place_id": "P-6"},
    }.get(tool, {})  # fmt: skip
    words = "That container belongs to somebody else"
    desk().refuses(tool, "permission_denied", words, container_id="C-7", **further)
    desk().refuses(tool, "not_found", "no container with the id 'C-99'", container_id="C-99", **further)


@pytest.mark.parametrize("tool", ["find_places", "dispose_container", "put_away", "take_amount", "split_container"])
def test_what_others_have_is_out_of_reach(tool: str) -> None:
    further: Row = {
        "put_away": {"place_id": "P-6"}, "take_amount": {"amount_ml": 5},
        "split_container": {"parts": 2, "amount_ml": 5, "place_id": "P-6"},
    }.get(tool, {})  # fmt: skip
    words = "The acetone of lot L6 is checked out until 2026-03-05 by somebody else; choose another container"
    desk().refuses(tool, "permission_denied", words, container_id="C-6", **further)


# -- checking out


def test_a_container_is_checked_out() -> None:
    at = desk()
    given = at.gives("check_out", container_id="C-1", back_by="2026-03-16")
    row = {key: value for key, value in CONTAINERS["C-1"].items() if key not in ("place", "place_id")}
    assert given == {**row, "status": "checked_out", "holder_id": "M-1", "back_by": "2026-03-16"}
    changed = at.changed()
    assert changed["places.changed"] == {"P-1": {"free": 6}}
    assert list(changed["containers.changed"]) == ["C-1"]
    assert at.ids("find_containers", mine=True, at_least_ml=500) == ["C-1", "C-2"]
    desk().gives("check_out", container_id="C-5", back_by=TODAY)


@pytest.mark.parametrize(
    ("row", "back_by", "code", "words"),
    [
        (container("C-1"), "2026-03-17", "invalid_argument", "choose a day from 2026-03-02 to 2026-03-16"),
        (container("C-1"), "2026-03-01", "invalid_argument", "The acetone of lot L1 is kept at room temperature and"),
        (container("C-1", use_by="2026-03-04"), "2026-03-05", "invalid_argument", "good until 2026-03-04; choose"),
        (container("C-1", "H-7"), "2026-03-06", "invalid_argument", "kept in a fridge and good until 2026-06-30"),
        (container("C-1", "H-6"), "2026-03-04", "invalid_argument", "choose a day from 2026-03-02 to 2026-03-03"),
        (container("C-1", use_by="2026-03-01"), TODAY, "precondition_failed", "good until 2026-03-01; dispose of it"),
        (container("C-1", **WASTE), TODAY, "precondition_failed", "is in the waste; check out another container"),
        (container("C-1", **OUT), TODAY, "conflict", "is checked out by you until 2026-03-06; put it away"),
        (CONTAINERS["C-6"] | {"id": "C-1"}, TODAY, "conflict", "by somebody else until 2026-03-05; choose another"),
        (
            container("C-1", "H-3"),
            "2026-03-07",
            "permission_denied",
            "valid on 2026-03-07; yours ends on 2026-03-06. Choose a day up to 2026-03-06 or a chemical that you are",
        ),
        (container("C-1", "H-2"), TODAY, "permission_denied", "yours ended on 2026-03-01. Choose a chemical"),
    ],
)
def test_what_cannot_be_checked_out(row: Row, back_by: str, code: str, words: str) -> None:
    desk(own(row)).refuses("check_out", code, words, container_id="C-1", back_by=back_by)


@pytest.mark.parametrize(
    ("row", "back_by"),
    [
        (container("C-1", "H-3"), "2026-03-06"),
        (container("C-1", "H-7"), "2026-03-05"),
        (container("C-1", "H-6"), "2026-03-03"),
        (container("C-1", use_by=TODAY), TODAY),
    ],
)
def test_the_last_day_counts(row: Row, back_by: str) -> None:
    assert desk(own(row)).gives("check_out", container_id="C-1", back_by=back_by)["back_by"] == back_by


def test_who_never_had_a_certificate_is_told() -> None:
    words = (
        "This is flammable and takes a certificate for solvents that is valid on 2026-03-02; you have never had one."
    )
    at = desk(certificates=keyed(certificate("E-2", "general_safety", "2027-03-01")))
    at.refuses("check_out", "permission_denied", f"{words} Choose a chemical", container_id="C-1", back_by=TODAY)


def test_eight_containers_can_be_out() -> None:
    more = own(*(container(f"D-{n}", **OUT) for n in range(4)))
    at = desk(more)
    at.gives("check_out", container_id="C-1", back_by=TODAY)
    words = "You have 8 containers checked out, which is the most; put one away first"
    at.refuses("check_out", "limit_exceeded", words, container_id="C-5", back_by=TODAY)
    at.gives("put_away", container_id="D-0", place_id="P-6")
    at.gives("check_out", container_id="C-5", back_by=TODAY)


# -- places


@pytest.mark.parametrize(
    ("row", "arguments", "found", "rooms", "apart"),
    [
        (container("D-1", **OUT), {}, ["P-1", "P-6", "P-2"], ["B1", "B3"], ["oxidising"]),
        (container("D-1", **OUT), {"room": "B1"}, ["P-1", "P-2"], ["B1", "B3"], ["oxidising"]),
        (container("D-1", **OUT), {"page": 2}, [], ["B1", "B3"], ["oxidising"]),
        (container("D-1"), {}, ["P-6", "P-2"], ["B1", "B3"], ["oxidising"]),
        (container("D-1", "H-4", **OUT), {}, ["P-1", "P-6"], ["B1", "B3"], ["acid"]),
        (container("D-1", "H-5", **OUT), {}, ["P-1", "P-6"], ["B1", "B3"], ["acid"]),
        (container("D-1", "H-2", **OUT), {}, ["P-4"], ["B2"], ["flammable"]),
        (container("D-1", "H-7", **OUT), {"room": "B1"}, [], ["B2"], []),
        (container("D-1", "H-6", **OUT), {}, ["P-5"], ["B2"], []),
    ],
)
def test_places_are_found(row: Row, arguments: Row, found: list[str], rooms: list[str], apart: list[str]) -> None:
    given = desk(own(row)).gives("find_places", container_id="D-1", **arguments)
    assert [each["id"] for each in given["places"]] == found
    assert (given["rooms"], given["apart_from"]) == (rooms, apart)


@pytest.mark.parametrize(
    ("hazards", "together"),
    [
        (("H-1", "H-2"), False), (("H-3", "H-4"), False), (("H-3", "H-5"), False), (("H-4", "H-5"), True),
        (("H-1", "H-3"), True), (("H-2", "H-3"), True), (("H-1", "H-1"), True), (("H-7", "H-5"), True),
    ],
)  # fmt: skip
def test_what_must_be_apart_is_whichever_comes_first(hazards: tuple[str, str], together: bool) -> None:
    for first, second in (hazards, hazards[::-1]):
        cool: Row = {"temperature": "freezer"}
        rows = own(container("D-1", first, **cool, place_id="P-5"), container("D-2", second, **OUT, **cool))
        at = desk(rows)
        if together:
            at.gives("put_away", container_id="D-2", place_id="P-5")
        else:
            name, hazard = CHEMICALS[first]["name"].capitalize(), CHEMICALS[first]["hazard"]
            words = f"{name} ({hazard}) stands in the freezer in B2, not to be near what is"
            at.refuses("put_away", "precondition_failed", words, container_id="D-2", place_id="P-5")


def test_a_container_is_put_away() -> None:
    at = desk()
    given = at.gives("put_away", container_id="C-2", place_id="P-2")
    row = {key: value for key, value in CONTAINERS["C-2"].items() if key not in ("holder_id", "back_by")}
    assert given == {**row, "status": "stored", "place_id": "P-2", "place": "acid cabinet"}
    assert at.changed()["places.changed"] == {"P-2": {"free": 2}}
    assert list(at.changed()["containers.changed"]) == ["C-2"]


def test_a_stored_container_is_moved_and_leaves_its_room() -> None:
    at = desk()
    given = at.gives("put_away", container_id="C-1", place_id="P-6")
    assert (given["place_id"], given["place"], given["status"]) == ("P-6", "open shelf", "stored")
    assert at.changed()["places.changed"] == {"P-1": {"free": 6}, "P-6": {"free": 4}}


def test_what_was_given_up_by_mistake_is_taken_out_of_the_waste() -> None:
    at = desk()
    given = at.gives("put_away", container_id="C-8", place_id="P-6")
    assert given == container("C-8", **OPENED, place_id="P-6")
    at = desk()
    at.gives("dispose_container", container_id="C-2")
    at.gives("put_away", container_id="C-2", place_id="P-6")
    desk(now=on("2026-03-05")).gives("put_away", container_id="C-8", place_id="P-6")


@pytest.mark.parametrize(
    ("row", "place_id", "code", "words"),
    [
        (container("C-1"), "P-1", "conflict", "is in the solvent cabinet in B1 already; choose another place"),
        (container("C-1"), "P-3", "conflict", "There is room for 0 in the full shelf in B2, not for 1; find a place"),
        (
            container("C-1"),
            "P-4",
            "precondition_failed",
            "Acetone is kept at room temperature, and the fridge in B2 is at fridge temperature; find a fitting place",
        ),
        (container("C-1"), "P-9", "not_found", "no storage place with the id 'P-9'"),
        (container("C-1", use_by="2026-03-01"), "P-6", "precondition_failed", "good until 2026-03-01; dispose of it"),
        (container("C-1", **OUT, amount_ml=0), "P-6", "precondition_failed", "L1 is empty; dispose of it"),
        (container("C-1", **WASTE, amount_ml=0), "P-6", "precondition_failed", "is empty, so it stays in the waste"),
        (container("C-1", **WASTE, use_by="2026-03-01"), "P-6", "precondition_failed", "is expired, so it stays"),
        (container("C-1", **WASTE, contaminated=True), "P-6", "precondition_failed", "is contaminated, so it stays"),
        (
            container("C-1", **{**WASTE, "collected_on": TODAY}),
            "P-6",
            "precondition_failed",
            "was collected on 2026-03-02; check out another",
        ),
        (
            container("C-1", **{**WASTE, "holder_id": "M-2"}),
            "P-6",
            "permission_denied",
            "L1 was given to waste by some",
        ),
        (container("C-1", "H-2"), "P-4", "permission_denied", "takes a certificate for oxidisers"),
    ],
)
def test_what_cannot_be_put_somewhere(row: Row, place_id: str, code: str, words: str) -> None:
    desk(own(row)).refuses("put_away", code, words, container_id="C-1", place_id=place_id)


def test_what_one_has_can_be_put_away_without_a_certificate_and_overdue() -> None:
    late = container("D-1", "H-2", **{**OUT, "back_by": "2026-02-20"})
    assert desk(own(late)).gives("put_away", container_id="D-1", place_id="P-4")["status"] == "stored"
    good = container("D-1", **WASTE, use_by=TODAY)
    assert desk(own(good)).gives("put_away", container_id="D-1", place_id="P-6")["status"] == "stored"


def test_the_last_room_is_taken() -> None:
    at = desk({"places": keyed({**PLACES["P-6"], "free": 1})})
    at.gives("put_away", container_id="C-2", place_id="P-6")
    at.refuses("put_away", "conflict", "There is room for 0 in the open shelf", container_id="C-4", place_id="P-6")
    at.gives("check_out", container_id="C-2", back_by=TODAY)
    at.gives("put_away", container_id="C-4", place_id="P-6")


# -- taking

REST: Row = {"status": "checked_out", "aliquot": False, "contaminated": False, **OUT}
"""What a difference tells as well once a field is there that was not before."""


def test_an_amount_is_taken_and_opens_the_container() -> None:
    at = desk()
    given = at.gives("take_amount", container_id="C-2", amount_ml=120)
    assert given == {**entry("LU-1001", "C-2", 120), "left_ml": 380}
    assert at.changed() == {
        "usages.created": {"LU-1001": given},
        "containers.changed": {"C-2": {**REST, "amount_ml": 380, "opened_on": TODAY, "use_by": "2026-04-01"}},
    }
    at = desk()
    assert at.gives("take_amount", container_id="C-4", amount_ml=300)["left_ml"] == 0
    assert at.changed()["containers.changed"] == {"C-4": {"amount_ml": 0}}


def test_opening_never_puts_the_last_day_off() -> None:
    at = desk(own(container("C-2", **OUT, use_by="2026-03-10")))
    at.gives("take_amount", container_id="C-2", amount_ml=1)
    assert at.gives("get_container", container_id="C-2")["use_by"] == "2026-03-10"


HELD_REFUSALS = [
    (container("C-2"), "precondition_failed", "L2 is in the solvent cabinet; check it out first"),
    (container("C-2", **WASTE), "precondition_failed", "L2 is in the waste; check out another container"),
    (container("C-2", **OUT, use_by="2026-03-01"), "precondition_failed", "was good until 2026-03-01; dispose of it"),
    (container("C-2", **OUT, amount_ml=0), "precondition_failed", "L2 is empty; dispose of it and use another"),
    (
        container("C-2", **{**OUT, "back_by": "2026-03-01"}),
        "precondition_failed",
        "had to be back by 2026-03-01; put it away, then check it out again",
    ),
    (container("C-2", "H-2", **OUT), "permission_denied", "This is oxidising and takes a certificate for oxidisers"),
]


@pytest.mark.parametrize(("row", "code", "words"), HELD_REFUSALS)
def test_nothing_comes_out_of_what_is_not_at_hand_and_good(row: Row, code: str, words: str) -> None:
    at = desk(own(row))
    at.refuses("take_amount", code, words, container_id="C-2", amount_ml=5)
    at.refuses("split_container", code, words, container_id="C-2", parts=2, amount_ml=5, place_id="P-6")


def test_it_can_be_used_on_the_day_it_is_due_back() -> None:
    desk(own(container("C-2", **{**OUT, "back_by": TODAY}))).gives("take_amount", container_id="C-2", amount_ml=5)


def test_no_more_is_taken_than_there_is() -> None:
    words = "The acetone of lot L4 holds 300 ml, not 301 ml; take less or another one"
    desk().refuses("take_amount", "limit_exceeded", words, container_id="C-4", amount_ml=301)


def test_of_toxic_chemicals_fifty_millilitres_are_taken_a_day() -> None:
    at = desk()
    words = "you may take 50 ml a day, and 20 ml are taken today; take at most 30 ml, or go on tomorrow"
    at.refuses("take_amount", "limit_exceeded", words, container_id="C-9", amount_ml=31)
    at.gives("take_amount", container_id="C-9", amount_ml=30)
    made = at.gives("split_container", container_id="C-9", parts=2, amount_ml=20, place_id="P-6")["aliquots"]
    at.gives("check_out", container_id=made[0]["id"], back_by=TODAY)
    words = "50 ml are taken today; take at most 0 ml"
    at.refuses("take_amount", "limit_exceeded", words, container_id=made[0]["id"], amount_ml=1)
    at.gives("strike_usage", usage_id="U-3")
    at.gives("take_amount", container_id=made[0]["id"], amount_ml=20)


def test_what_was_taken_yesterday_or_by_others_is_not_counted() -> None:
    rows = {"usages": keyed(entry("U-3", "C-9", 50, "2026-03-01"), entry("U-7", "C-9", 50, member="M-2"))}
    assert desk(rows).gives("take_amount", container_id="C-9", amount_ml=50)["left_ml"] == 250


@pytest.mark.parametrize(
    ("arguments", "found", "total"),
    [
        ({}, ["U-6", "U-5", "U-4", "U-3", "U-1"], 180),
        ({"page": 2}, ["U-2"], 180),
        ({"container_id": "C-4"}, ["U-1", "U-2"], 120),
        ({"container_id": "C-4", "since": TODAY}, ["U-1"], 50),
        ({"since": "2026-03-03"}, [], 0),
    ],
)
def test_the_member_s_own_log_is_listed(arguments: Row, found: list[str], total: int) -> None:
    given = desk().gives("list_usage", **arguments)
    assert ([row["id"] for row in given["usages"]], given["total_ml"]) == (found, total)


def test_an_entry_is_struck() -> None:
    at = desk()
    assert at.gives("strike_usage", usage_id="U-1") == {**CONTAINERS["C-4"], "amount_ml": 350}
    changed = at.changed()
    assert list(changed) == ["containers.changed", "usages.deleted"]
    assert changed["containers.changed"] == {"C-4": {"amount_ml": 350}}
    assert list(changed["usages.deleted"]) == ["U-1"]
    at = desk()
    made = at.gives("take_amount", container_id="C-4", amount_ml=10)
    at.gives("strike_usage", usage_id=made["id"])
    assert at.changed() == {}


@pytest.mark.parametrize(
    ("usage_id", "code", "words"),
    [
        ("U-2", "precondition_failed", "this one is of 2026-03-01; it stays. Strike only entries of 2026-03-02"),
        ("U-4", "precondition_failed", "L8 is in the waste, so its entries stay"),
        ("U-5", "precondition_failed", "L1 is not in your hands any more; check it out again to strike its entries"),
        ("U-6", "precondition_failed", "L6 is not in your hands any more"),
        ("U-9", "permission_denied", "That log entry belongs to somebody else"),
        ("U-99", "not_found", "no log entry with the id 'U-99'"),
    ],
)
def test_what_is_not_struck(usage_id: str, code: str, words: str) -> None:
    desk().refuses("strike_usage", code, words, usage_id=usage_id)


# -- splitting


def test_a_container_is_split() -> None:
    at = desk()
    given = at.gives("split_container", container_id="C-2", parts=2, amount_ml=100, place_id="P-6")
    made: Row = {"lot": "L2A2", "opened_on": TODAY, "use_by": "2026-04-01", "amount_ml": 100, "place_id": "P-6"}
    part = container("LC-1001", "H-1", **{**MINE, **made})
    aliquots = [part, {**part, "id": "LC-1002", "lot": "L2A3"}]
    assert given == {"container_id": "C-2", "chemical": "acetone", "aliquots": aliquots, "left_ml": 300}
    assert at.changed() == {
        "containers.created": keyed(*aliquots),
        "containers.changed": {"C-2": {**REST, "amount_ml": 300, "opened_on": TODAY, "use_by": "2026-04-01"}},
        "places.changed": {"P-6": {"free": 3}},
    }


def test_a_container_is_split_up_to_its_last_millilitre() -> None:
    assert desk().gives("split_container", container_id="C-4", parts=3, amount_ml=100, place_id="P-6")["left_ml"] == 0


@pytest.mark.parametrize(
    ("row", "arguments", "code", "words"),
    [
        (container("C-2", **OUT), {"amount_ml": 251}, "limit_exceeded", "holds 500 ml, not 502 ml; take less"),
        (container("C-2", **OUT), {"parts": 4, "place_id": "P-2"}, "conflict", "room for 3 in the acid cabinet in B1"),
        (container("C-2", "H-4", **OUT), {"place_id": "P-2"}, "precondition_failed", "Acetic acid (acid) stands in"),
        (container("C-2", **OUT), {"place_id": "P-4"}, "precondition_failed", "the fridge in B2 is at fridge"),
        (container("C-2", **OUT), {"place_id": "P-9"}, "not_found", "no storage place with the id 'P-9'"),
        (container("C-2", **OUT, aliquot=True, owner_id="M-1"), {}, "precondition_failed", "which is not split again"),
        (container("C-2", **OUT), {"parts": 1}, "invalid_argument", "parts"),
        (container("C-2", **OUT), {"parts": 11}, "invalid_argument", "parts"),
    ],
)
def test_what_cannot_be_split(row: Row, arguments: Row, code: str, words: str) -> None:
    given: Row = {"parts": 2, "amount_ml": 5, "place_id": "P-6", **arguments}
    desk(own(row)).refuses("split_container", code, words, container_id="C-2", **given)


def test_as_many_as_there_is_room_for() -> None:
    desk().gives("split_container", container_id="C-2", parts=3, amount_ml=1, place_id="P-2")


# -- waste


def test_a_container_is_disposed_of() -> None:
    at = desk()
    given = at.gives("dispose_container", container_id="C-4", contaminated=True)
    row = {key: value for key, value in CONTAINERS["C-4"].items() if key != "back_by"}
    assert given == {**row, "status": "waste", "contaminated": True, "collected_on": "2026-03-06"}
    assert list(at.changed()) == ["containers.changed"]
    words = "L4 is contaminated, so it stays in the waste; check out another container"
    at.refuses("put_away", "precondition_failed", words, container_id="C-4", place_id="P-6")


def test_what_is_expired_goes_from_its_place() -> None:
    at = desk()
    given = at.gives("dispose_container", container_id="C-3")
    assert (given["status"], given["holder_id"], given["contaminated"]) == ("waste", "M-1", False)
    assert "place" not in given
    assert "place_id" not in given
    assert at.changed()["places.changed"] == {"P-2": {"free": 4}}
    words = "L3 is expired, so it stays in the waste"
    at.refuses("put_away", "precondition_failed", words, container_id="C-3", place_id="P-2")
    at.refuses("dispose_container", "conflict", "in the waste already, collected on 2026-03-06", container_id="C-3")


@pytest.mark.parametrize(
    ("today", "collected"),
    [("2026-03-05", "2026-03-06"), ("2026-03-06", "2026-03-13"), ("2026-03-07", "2026-03-13")],
)
def test_waste_is_collected_on_the_next_friday(today: str, collected: str) -> None:
    assert desk(now=on(today)).gives("dispose_container", container_id="C-4")["collected_on"] == collected


@pytest.mark.parametrize(
    ("row", "contaminated", "code", "words"),
    [
        (container("C-1"), False, "precondition_failed", "stored and good until 2026-06-30; check it out first"),
        (container("C-1", use_by=TODAY), False, "precondition_failed", "good until 2026-03-02; check it out first"),
        (container("C-1", **OUT), True, "invalid_argument", "was never opened, so it is not contaminated; dispose of"),
        (container("C-1", "H-2", use_by="2026-03-01"), False, "permission_denied", "takes a certificate for oxidisers"),
    ],
)
def test_what_is_not_given_to_waste(row: Row, contaminated: bool, code: str, words: str) -> None:
    desk(own(row)).refuses("dispose_container", code, words, container_id="C-1", contaminated=contaminated)


def test_what_one_has_can_be_disposed_of_without_a_certificate() -> None:
    at = desk(own(container("D-1", "H-2", **OUT, amount_ml=0)))
    assert at.gives("dispose_container", container_id="D-1")["status"] == "waste"


# -- requests


@pytest.mark.parametrize(
    ("packs", "express", "total", "status", "arrives"),
    [
        (4, False, 400.0, "ordered", "2026-03-09"),
        (5, False, 500.0, "waiting", "2026-03-11"),
        (3, True, 330.0, "ordered", "2026-03-03"),
        (4, True, 430.0, "waiting", "2026-03-05"),
    ],
)
def test_a_chemical_is_requested(packs: int, express: bool, total: float, status: str, arrives: str) -> None:
    at = desk()
    given = at.gives("request_chemical", chemical_id="H-1", packs=packs, express=express)
    row = request("LR-1001", "H-1", status, arrives, packs=packs)
    assert given == {**row, "total": total, "express": express, "requested_on": TODAY}
    assert at.changed() == {"requests.created": {"LR-1001": given}}


def test_a_total_is_in_cents() -> None:
    rows = {"requests": keyed(request("R-2", "H-6", "declined", TODAY))}
    assert desk(rows).gives("request_chemical", chemical_id="H-6", packs=1, express=True)["total"] == 230.25


@pytest.mark.parametrize(
    ("chemical_id", "packs", "code", "words"),
    [
        (
            "H-4",
            1,
            "permission_denied",
            "on 2026-03-09; yours ends on 2026-03-06. Choose an earlier delivery up to 2026",
        ),
        ("H-2", 1, "permission_denied", "This is oxidising and takes a certificate for oxidisers"),
        ("H-6", 1, "conflict", "Your request for 2 packs of serum is waiting for 2026-03-10; cancel that one to ask"),
        ("H-5", 1, "conflict", "Your request for 2 packs of phenol is ordered for 2026-03-02"),
        ("H-99", 1, "not_found", "no chemical with the id 'H-99'"),
        ("H-1", 0, "invalid_argument", "packs"),
        ("H-1", 11, "invalid_argument", "packs"),
    ],
)
def test_what_is_not_requested(chemical_id: str, packs: int, code: str, words: str) -> None:
    desk().refuses("request_chemical", code, words, chemical_id=chemical_id, packs=packs)


def test_express_comes_while_the_certificate_is_valid() -> None:
    given = desk().gives("request_chemical", chemical_id="H-4", packs=3, express=True)
    assert given["arrives_on"] == "2026-03-03"


@pytest.mark.parametrize(
    ("limit", "packs", "words"),
    [
        (2000, 1, None),  # a pack that is here, two that are ordered by somebody else
        (2000, 2, "may hold 2000 ml of medium, and 500 ml are left; request at most 1 (a pack holds 500 ml)"),
        (1999, 1, "and 499 ml are left; choose another chemical, or use up or dispose of some first"),
        (1000, 1, "and 0 ml are left; choose another chemical"),
    ],
)
def test_the_laboratory_holds_no_more_than_it_may(limit: int, packs: int, words: str | None) -> None:
    rows = {
        "chemicals": keyed({**CHEMICALS["H-7"], "limit_ml": limit}),
        "containers": keyed(container("D-1", "H-7", place_id="P-4"), container("D-2", "H-7", **WASTE, amount_ml=400)),
    }
    at = desk(rows)
    if words is None:
        at.gives("request_chemical", chemical_id="H-7", packs=packs)
    else:
        at.refuses("request_chemical", "limit_exceeded", words, chemical_id="H-7", packs=packs)


def limited(limit_ml: int) -> Desk:
    """A laboratory with 700 ml of medium in two containers, and two packs that somebody else has ordered."""
    return desk(
        {
            "chemicals": keyed({**CHEMICALS["H-7"], "limit_ml": limit_ml}),
            "containers": keyed(container("D-1", "H-7", **OUT), container("D-2", "H-7", **OUT, amount_ml=200)),
        }
    )


@pytest.mark.parametrize(("limit", "left"), [(1700, 0), (2199, 499)])
def test_what_was_given_to_waste_comes_back_only_while_there_is_room_for_it(limit: int, left: int) -> None:
    at = limited(limit)
    at.gives("dispose_container", container_id="D-1")
    made = at.gives("request_chemical", chemical_id="H-7", packs=1)
    words = f"may hold {limit} ml of medium, and {left} ml are left; cancel a request for it to have 500 ml back"
    at.refuses("put_away", "limit_exceeded", words, container_id="D-1", place_id="P-4")
    at.gives("cancel_request", request_id=made["id"])
    at.gives("put_away", container_id="D-1", place_id="P-4")


def test_an_entry_is_struck_only_while_there_is_room_for_its_amount() -> None:
    at = limited(1700)
    usage = at.gives("take_amount", container_id="D-1", amount_ml=500)
    made = at.gives("request_chemical", chemical_id="H-7", packs=1)
    words = "and 0 ml are left; cancel a request for it to have 500 ml back"
    at.refuses("strike_usage", "limit_exceeded", words, usage_id=usage["id"])
    at.gives("cancel_request", request_id=made["id"])
    assert at.gives("strike_usage", usage_id=usage["id"])["amount_ml"] == 500


def test_what_is_at_hand_is_put_away_even_if_there_is_too_much_of_it() -> None:
    limited(100).gives("put_away", container_id="D-1", place_id="P-4")


def test_a_certificate_that_ends_today_leaves_today() -> None:
    at = desk(own(container("C-1", "H-3", place_id="P-2")), now=on("2026-03-06"))
    words = "yours ends on 2026-03-06. Choose a day up to 2026-03-06 or"
    at.refuses("check_out", "permission_denied", words, container_id="C-1", back_by="2026-03-07")
    at.gives("check_out", container_id="C-1", back_by="2026-03-06")


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["R-2", "R-1", "R-3", "R-4", "R-6"]),
        ({"page": 2}, ["R-5"]),
        ({"status": "ordered"}, ["R-1", "R-3"]),
        ({"status": "declined"}, ["R-5"]),
    ],
)
def test_the_member_s_own_requests_are_listed(arguments: Row, found: list[str]) -> None:
    assert desk().ids("list_requests", **arguments) == found


@pytest.mark.parametrize("request_id", ["R-1", "R-2"])
def test_a_request_is_cancelled_and_can_be_made_anew(request_id: str) -> None:
    at = desk()
    assert at.gives("cancel_request", request_id=request_id)["status"] == "cancelled"
    assert at.changed() == {"requests.changed": {request_id: {"status": "cancelled"}}}
    chemical_id = STATE["requests"][request_id]["chemical_id"]
    at.gives("request_chemical", chemical_id=chemical_id, packs=1, express=True)


@pytest.mark.parametrize(
    ("request_id", "code", "words"),
    [
        ("R-3", "precondition_failed", "The phenol arrives on 2026-03-02; it could be cancelled until the day before"),
        ("R-4", "precondition_failed", "acetone is delivered and cannot be cancelled; only waiting and ordered"),
        ("R-5", "precondition_failed", "bleach is declined and cannot be cancelled"),
        ("R-6", "precondition_failed", "acetone is cancelled and cannot be cancelled"),
        ("R-9", "permission_denied", "That request belongs to somebody else"),
        ("R-99", "not_found", "no request with the id 'R-99'"),
    ],
)
def test_what_is_not_cancelled(request_id: str, code: str, words: str) -> None:
    desk().refuses("cancel_request", code, words, request_id=request_id)


def test_an_ordered_request_is_cancelled_the_day_before_and_a_waiting_one_at_any_time() -> None:
    desk(now=on("2026-03-04")).gives("cancel_request", request_id="R-1")
    desk(now=on("2026-03-10")).gives("cancel_request", request_id="R-2")


# -- scenarios


@pytest.mark.parametrize(("seed", "size"), [(1, 10), (2, 60), (3, 300), (4, 10), (5, 300)])
@pytest.mark.parametrize("days", range(0, 7, 3))
def test_a_scenario_keeps_its_own_rules(seed: int, size: int, days: int) -> None:
    now = DEFAULT_NOW + dt.timedelta(days=days)
    lab: Any = build_scenario(LabInventory, seed, size, now)
    today = now.date()
    rows: list[Any] = list(lab.containers.values())
    apart = {("flammable", "oxidising"), ("acid", "base"), ("acid", "toxic")}
    for place in lab.places.values():
        there = [row for row in rows if row.place_id == place.id]
        kinds = {row.hazard for row in there}
        assert not any({*pair} <= kinds for pair in apart)
        assert all(row.temperature == place.temperature for row in there)
    assert len({row.lot for row in rows}) == len(rows)
    for row in rows:
        assert (row.status == "stored") == (row.place_id is not None) == (row.holder_id is None)
        assert (row.back_by is not None) == (row.status == "checked_out")
        if row.opened_on:
            assert row.use_by <= row.opened_on + dt.timedelta(days=lab.chemicals[row.chemical_id].open_days)
        if row.collected_on:
            assert row.collected_on.weekday() == 4
        if row.split_from:
            assert row.opened_on == lab.containers[row.split_from].opened_on
        if row.owner_id not in (None, lab.member_id) or (row.holder_id or lab.member_id) != lab.member_id:
            trainings = [
                c.training for c in lab.certificates.values() if c.member_id == (row.owner_id or row.holder_id)
            ]
            assert lab.chemicals[row.chemical_id].training in trainings
    pending: set[tuple[str, str]] = set()
    for request in lab.requests.values():
        if request.status in OPEN:
            assert (request.total > 400) == (request.status == "waiting")
            assert request.arrives_on >= today
            assert (request.member_id, request.chemical_id) not in pending
            pending.add((request.member_id, request.chemical_id))
    for chemical in lab.chemicals.values():
        here = sum(row.amount_ml for row in rows if row.chemical_id == chemical.id and row.status != "waste")
        due = sum(r.packs for r in lab.requests.values() if r.chemical_id == chemical.id and r.status in OPEN)
        assert here + due * chemical.pack_ml <= chemical.limit_ml
    own = [row for row in rows if row.holder_id == lab.member_id and row.status == "checked_out"]
    assert len(own) == 6
    assert sum(row.use_by < today and row.status == "stored" for row in rows) >= 2
