"""The cloud, through its tools: what each gives, what it refuses, and what exactly changes."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from envfactory.catalogue.utilities import _cloud_rules as rules
from envfactory.catalogue.utilities.cloud_machines import CloudMachines
from envfactory.environment import DEFAULT_NOW, build_scenario
from tests.catalogue.support import Desk, Row, Rows, keyed

# The clock stands at Monday, 2 March 2026, 9:00.


def project(key: str, name: str, role: str, machine_limit: int = 9, core_limit: int = 40) -> Row:
    return {"id": key, "name": name, "role": role, "machine_limit": machine_limit, "core_limit": core_limit}


PROJECTS = keyed(
    project("P-1", "shop", "owner"),
    project("P-2", "lab", "operator"),
    project("P-3", "wiki", "viewer"),
    project("P-4", "bank", "none"),
)


def kind(key: str, cores: int, disk: int, monthly: float, architecture: str = "x86", **changes: Any) -> Row:
    return {
        "id": key, "name": f"size-{key[2:]}", "architecture": architecture, "cores": cores, "memory_gb": 2 * cores,
        "disk_gb": disk, "monthly": monthly, "regions": ["Frankfurt", "Helsinki", "Virginia", "Singapore"], **changes,
    }  # fmt: skip


TYPES = keyed(
    kind("T-1", 2, 40, 5.0),
    kind("T-2", 4, 80, 10.0),
    kind("T-3", 8, 80, 20.0, regions=["Frankfurt", "Helsinki"]),
    kind("T-4", 4, 40, 8.0, memory_gb=32),
    kind("T-5", 2, 40, 4.0, "arm"),
    kind("T-6", 16, 160, 40.0, regions=[]),
    kind("T-7", 40, 160, 90.0, regions=["Frankfurt"]),
)


def image(key: str, **changes: Any) -> Row:
    return {
        "id": key, "name": f"system {key[2:]}", "kind": "system", "architecture": "x86", "needs_gb": 10,
        "status": "current", "made_on": "2025-06-01", "usable": True, **changes,
    }  # fmt: skip


def kept(key: str, expires_on: str = "2026-03-20", disk: int = 40, name: str = "shop", **changes: Any) -> Row:
    return image(
        key, kind="snapshot", name=f"old-{key[2:]} snapshot", project_name=name, needs_gb=disk, expires_on=expires_on,
        made_on="2026-02-18", **changes,
    )  # fmt: skip


IMAGES = keyed(
    image("I-1"),
    image("I-2", made_on="2025-08-01"),
    image("I-3", architecture="arm"),
    image("I-4", status="retired"),
    kept("I-5", "2026-03-02"),
    kept("I-6", "2026-03-01", disk=400),
    kept("I-7", usable=False, name="wiki"),
    kept("I-8", disk=80, name="lab"),
)


def machine(key: str, type_id: str = "T-1", project_id: str = "P-1", *, on: bool = True, **changes: Any) -> Row:
    row, home = TYPES[type_id], PROJECTS[project_id]
    return {
        "id": key, "project_id": project_id, "project_name": home["name"], "role": home["role"],
        "name": f"vm-{key[2:]}", "type_id": type_id, "type_name": row["name"], "architecture": row["architecture"],
        "cores": row["cores"], "disk_gb": row["disk_gb"], "region": "Frankfurt", "image_name": "system 1", "on": on,
        "power": "running" if on else "off", "protected": False, "monthly": row["monthly"],
        "sizes": SIZES.get(type_id, []), **changes,
    }  # fmt: skip


SIZES = {"T-1": ["T-4", "T-2", "T-3", "T-7"], "T-2": ["T-3", "T-7"], "T-4": ["T-1", "T-2", "T-3", "T-7"]}
"""The types that a machine in Frankfurt can be resized to, the cheapest first."""
MACHINES = keyed(
    machine("M-1"),
    machine("M-2", "T-2", on=False),
    machine("M-3", "T-2", protected=True, on=False),
    machine("M-4", "T-4", region="Virginia", monthly=8.8, sizes=["T-1", "T-2"]),
    machine("M-5", "T-2", "P-2", on=False),
    machine("M-6", project_id="P-3", on=False),
    machine("M-7", project_id="P-4", on=False),
    machine("M-8", "T-5"),
)


def volume(key: str, machine_id: str = "", size: int = 10, project_id: str = "P-1", **changes: Any) -> Row:
    home = PROJECTS[project_id]
    row = {
        "id": key, "project_id": project_id, "project_name": home["name"], "role": home["role"],
        "name": f"vol-{key[2:]}", "region": "Frankfurt", "size_gb": size, "status": "free", **changes,
    }  # fmt: skip
    if not machine_id:
        return row
    by = MACHINES[machine_id]
    return {**row, "status": "attached", "machine_id": machine_id, "machine_name": by["name"], "machine_on": by["on"]}


VOLUMES = keyed(
    volume("V-1", "M-1", 100),
    volume("V-2", "M-2", 20),
    volume("V-3", "M-2", 50),
    volume("V-4"),
    volume("V-5", region="Virginia"),
    volume("V-6", project_id="P-2"),
    volume("V-7", "M-6", project_id="P-3"),
    volume("V-8", "M-7", project_id="P-4"),
)
STATE: dict[str, Any] = {
    "user_id": "U-1",
    "users": keyed({"id": "U-1", "name": "Ada Kim", "email": "ada.kim@mail.example"}),
    "projects": PROJECTS,
    "types": TYPES,
    "images": IMAGES,
    "machines": MACHINES,
    "volumes": VOLUMES,
}


def desk(rows: dict[str, Rows] | None = None, **changes: Any) -> Desk:
    return Desk(CloudMachines, STATE, rows=rows, **changes)


def free(row: Row) -> Row:
    return {key: value for key, value in row.items() if not key.startswith("machine_")} | {"status": "free"}


# -- looking ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["P-2", "P-1", "P-3"]),
        ({"sort": "costs"}, ["P-1", "P-2", "P-3"]),
        ({"role": "operator"}, ["P-2"]),
        ({"role": "viewer"}, ["P-3"]),
        ({"page": 2}, []),
    ],
)
def test_ones_own_projects_are_listed(arguments: Row, found: list[str]) -> None:
    assert desk().ids("list_projects", **arguments) == found


def test_a_project_says_what_is_used_of_its_limits_and_what_a_month_costs() -> None:
    rows = desk().gives("list_projects")["projects"]
    assert rows[1] == {
        "id": "P-1", "name": "shop", "role": "owner", "machines": 5, "machine_limit": 9, "cores": 8, "core_limit": 40,
        "machine_costs": 5.0 + 4.0 + 4.0 + 8.8 + 4.0, "volume_costs": 9.5, "snapshot_costs": 2.0,
        "monthly_total": 37.3,
    }  # fmt: skip
    assert (rows[0]["cores"], rows[0]["snapshot_costs"], rows[0]["monthly_total"]) == (0, 4.0, 8.5)


def test_what_cannot_be_seen_costs_what_it_costs() -> None:
    at = desk()
    before = at.gives("list_projects")["projects"][1]
    at.gives("switch_power", machine_id="M-1", on=False)
    after = at.gives("list_projects")["projects"][1]
    assert after == {
        **before, "cores": 6, "machine_costs": 22.8, "monthly_total": 34.3,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["T-5", "T-1", "T-4", "T-2", "T-3"]),
        ({"page": 2}, ["T-7"]),
        ({"architecture": "arm"}, ["T-5"]),
        ({"min_cores": 4}, ["T-4", "T-2", "T-3", "T-7"]),
        ({"min_cores": 8, "sort": "memory"}, ["T-7", "T-3"]),
        ({"sort": "memory"}, ["T-7", "T-4", "T-3", "T-2", "T-1"]),
        ({"region": "Virginia", "sort": "memory"}, ["T-4", "T-2", "T-1", "T-5"]),
        ({"region": "Virginia", "min_cores": 5}, []),
    ],
)
def test_types_that_can_be_had_are_searched_by_what_is_asked(arguments: Row, found: list[str]) -> None:
    assert desk().ids("search_machine_types", **{"region": "Frankfurt", **arguments}) == found


@pytest.mark.parametrize(
    ("region", "monthly"), [("Frankfurt", 10.0), ("Helsinki", 9.0), ("Virginia", 11.0), ("Singapore", 13.0)]
)
def test_a_type_costs_by_region(region: str, monthly: float) -> None:
    rows = desk().gives("search_machine_types", region=region)["types"]
    assert next(row for row in rows if row["id"] == "T-2") == {
        "id": "T-2", "name": "size-2", "region": region, "architecture": "x86", "cores": 4, "memory_gb": 8,
        "disk_gb": 80, "monthly": monthly,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["I-8", "I-5", "I-2", "I-3", "I-1"]),
        ({"page": 2}, []),
        ({"kind": "snapshot"}, ["I-8", "I-5"]),
        ({"kind": "system"}, ["I-2", "I-3", "I-1"]),
        ({"architecture": "arm"}, ["I-3"]),
    ],
)
def test_images_that_can_be_used_are_listed_the_latest_first(arguments: Row, found: list[str]) -> None:
    assert desk().ids("list_images", **arguments) == found


def test_what_an_image_is_stands_in_the_list() -> None:
    assert desk().gives("list_images", kind="snapshot")["images"] == [IMAGES["I-8"], IMAGES["I-5"]]


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["M-1", "M-2", "M-3", "M-4", "M-5"]),
        ({"page": 2}, ["M-6", "M-8"]),
        ({"sort": "price"}, ["M-2", "M-3", "M-5", "M-4", "M-1"]),
        ({"project_id": "P-3"}, ["M-6"]),
        ({"region": "Virginia"}, ["M-4"]),
        ({"on": True}, ["M-1", "M-4", "M-8"]),
        ({"on": False, "project_id": "P-1"}, ["M-2", "M-3"]),
        ({"region": "Singapore"}, []),
    ],
)
def test_machines_are_listed(arguments: Row, found: list[str]) -> None:
    assert desk().ids("list_machines", **arguments) == found


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["V-1", "V-3", "V-2", "V-4", "V-5"]),
        ({"page": 2}, ["V-6", "V-7"]),
        ({"status": "free"}, ["V-4", "V-5", "V-6"]),
        ({"status": "attached", "project_id": "P-1"}, ["V-1", "V-3", "V-2"]),
        ({"region": "Virginia"}, ["V-5"]),
        ({"project_id": "P-2", "status": "attached"}, []),
    ],
)
def test_volumes_are_listed_the_largest_first(arguments: Row, found: list[str]) -> None:
    assert desk().ids("list_volumes", **arguments) == found


@pytest.mark.parametrize("tool", ["list_machines", "list_volumes"])
def test_nothing_is_listed_of_projects_of_others(tool: str) -> None:
    desk().refuses(tool, "permission_denied", "no member of that project; ask one of its owners", project_id="P-4")
    desk().refuses(tool, "not_found", "no project with the id 'P-99'", project_id="P-99")


def test_a_machine_is_shown_with_its_volumes_and_sizes() -> None:
    assert desk().gives("get_machine", machine_id="M-2") == {
        "machine_id": "M-2", "name": "vm-2", "project_name": "shop", "type_name": "size-2", "cores": 4, "memory_gb": 8,
        "disk_gb": 80, "region": "Frankfurt", "image_name": "system 1", "on": False, "protected": False,
        "volumes": [VOLUMES["V-2"], VOLUMES["V-3"]], "resizable_to": ["size-3", "size-7"], "monthly_costs": 7.5,
    }  # fmt: skip
    assert desk().gives("get_machine", machine_id="M-1")["monthly_costs"] == 10.0
    assert desk().gives("get_machine", machine_id="M-6")["project_name"] == "wiki"


# -- who may ----------------------------------------------------------------------------------------------------------

NEW: Row = {"project_id": "P-1", "name": "new-1", "type_id": "T-1", "region": "Frankfurt", "image_id": "I-1"}
ON_MACHINES: list[tuple[str, Row]] = [
    ("get_machine", {}),
    ("switch_power", {"on": True}),
    ("resize_machine", {"type_id": "T-2"}),
    ("set_protection", {"protected": True}),
    ("attach_volume", {"volume_id": "V-4"}),
    ("delete_machine", {}),
]


@pytest.mark.parametrize(("tool", "more"), ON_MACHINES)
def test_a_machine_of_others_or_none_at_all_is_refused(tool: str, more: Row) -> None:
    desk().refuses(tool, "permission_denied", "no member of that project", machine_id="M-7", **more)
    desk().refuses(tool, "not_found", "no machine with the id 'M-99'", machine_id="M-99", **more)


@pytest.mark.parametrize(("tool", "more"), ON_MACHINES[1:])
def test_viewers_change_nothing(tool: str, more: Row) -> None:
    needed = "owner" if tool == "set_protection" else "owner or operator"
    words = f"Your role in wiki is viewer; ask an {needed} of it to do this"
    desk().refuses(tool, "permission_denied", words, machine_id="M-6", **more)


def test_viewers_make_no_machines_and_part_no_volumes() -> None:
    at = desk()
    words = "Your role in wiki is viewer; ask an owner or operator of it"
    at.refuses("create_machine", "permission_denied", words, **{**NEW, "project_id": "P-3"})
    at.refuses("create_machine", "permission_denied", "no member", **{**NEW, "project_id": "P-4"})
    at.refuses("detach_volume", "permission_denied", words, volume_id="V-7")
    at.refuses("detach_volume", "permission_denied", "no member", volume_id="V-8")
    at.refuses("attach_volume", "permission_denied", words, volume_id="V-7", machine_id="M-1")
    at.refuses("attach_volume", "permission_denied", "no member", volume_id="V-8", machine_id="M-1")
    for tool, more in (("attach_volume", {"machine_id": "M-1"}), ("detach_volume", {})):
        at.refuses(tool, "not_found", "no volume with the id 'V-99'", volume_id="V-99", **more)


def test_operators_change_all_but_the_protection() -> None:
    at = desk()
    words = "Your role in lab is operator; ask an owner of it"
    at.refuses("set_protection", "permission_denied", words, machine_id="M-5", protected=True)
    made = at.gives("create_machine", **{**NEW, "project_id": "P-2"})
    assert (made["project_name"], made["role"]) == ("lab", "operator")
    at.refuses("set_protection", "permission_denied", words, machine_id=made["id"], protected=True)
    at.gives("attach_volume", volume_id="V-6", machine_id="M-5")
    at.gives("detach_volume", volume_id="V-6")
    at.gives("resize_machine", machine_id="M-5", type_id="T-3")
    at.gives("switch_power", machine_id="M-5", on=True)
    at.gives("switch_power", machine_id="M-5", on=False)
    at.gives("delete_machine", machine_id="M-5")


# -- making -----------------------------------------------------------------------------------------------------------


def test_a_machine_is_made_and_runs() -> None:
    at = desk()
    given = {**NEW, "type_id": "T-2", "region": "Virginia", "image_id": "I-8"}
    made = at.gives("create_machine", **given)
    assert made == machine(
        "VM-1001", "T-2", name="new-1", region="Virginia", image_name="old-8 snapshot", monthly=11.0, sizes=[]
    )
    assert at.changed() == {"machines.created": {"VM-1001": made}}
    at.gives("create_machine", **{**given, "project_id": "P-2"})
    words = "shop has a machine called new-1 already; choose another name"
    at.refuses("create_machine", "conflict", words, **given)


def test_a_new_machine_knows_its_sizes() -> None:
    assert desk().gives("create_machine", **NEW)["sizes"] == SIZES["T-1"]
    assert desk().gives("create_machine", **{**NEW, "region": "Singapore"})["sizes"] == ["T-4", "T-2"]
    arm = {**NEW, "type_id": "T-5", "image_id": "I-3"}
    assert desk().gives("create_machine", **arm)["sizes"] == []


@pytest.mark.parametrize(
    ("changes", "code", "words"),
    [
        ({"type_id": "T-3", "region": "Virginia"}, "precondition_failed",
         "The size-3 type cannot be had in Virginia at present; it can be had in Frankfurt and Helsinki."),
        ({"type_id": "T-6"}, "precondition_failed",
         "The size-6 type cannot be had in Frankfurt at present, nor anywhere else; choose another type."),
        ({"image_id": "I-3"}, "precondition_failed",
         "The system 3 image is for arm, but the size-1 type is x86; choose an image for x86."),
        ({"image_id": "I-4"}, "precondition_failed", "The system 4 image is retired; choose one that is listed."),
        ({"image_id": "I-6"}, "precondition_failed",
         "The old-6 snapshot image expired on 2026-03-01; choose one that is listed."),
        ({"image_id": "I-7"}, "permission_denied", "you may change nothing; choose one that is listed"),
        ({"image_id": "I-8"}, "precondition_failed",
         "needs a disk of 80 gigabytes, the size-1 type has 40; choose a type with a larger disk."),
        ({"name": "vm-2"}, "conflict", "shop has a machine called vm-2 already"),
        ({"type_id": "T-7"}, "limit_exceeded",
         "shop has 32 of its 40 cores left, and this needs 40; shut a machine down or take a smaller type."),
        ({"project_id": "P-99"}, "not_found", "no project with the id 'P-99'"),
        ({"type_id": "T-99"}, "not_found", "no machine type with the id 'T-99'"),
        ({"image_id": "I-99"}, "not_found", "no image with the id 'I-99'"),
        ({"name": "New"}, "invalid_argument", "name"),
        ({"name": "a"}, "invalid_argument", "name"),
    ],
)  # fmt: skip
def test_a_machine_that_cannot_be_is_refused(changes: Row, code: str, words: str) -> None:
    desk().refuses("create_machine", code, words, **{**NEW, **changes})


def test_a_snapshot_is_used_until_its_last_day() -> None:
    desk().gives("create_machine", **{**NEW, "image_id": "I-5"})
    late = desk(now=DEFAULT_NOW + dt.timedelta(days=1))
    late.refuses("create_machine", "precondition_failed", "expired on 2026-03-02", **{**NEW, "image_id": "I-5"})


def test_machines_are_limited_running_or_not() -> None:
    at = desk({"projects": keyed(project("P-1", "shop", "owner", machine_limit=6))})
    at.gives("create_machine", **NEW)
    words = "shop has 6 machines and may have 6; delete one first."
    at.refuses("create_machine", "limit_exceeded", words, **{**NEW, "name": "new-2"})
    at.gives("delete_machine", machine_id="M-2")
    at.gives("create_machine", **{**NEW, "name": "new-2"})


# -- power ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("machine_id", "on", "volumes"), [("M-1", False, ["V-1"]), ("M-2", True, ["V-2", "V-3"])])
def test_a_machine_is_started_and_shut_down_and_its_volumes_know(machine_id: str, on: bool, volumes: list[str]) -> None:
    at = desk()
    after = {"on": on, "power": "running" if on else "off"}
    assert at.gives("switch_power", machine_id=machine_id, on=on) == {**MACHINES[machine_id], **after}
    assert at.changed() == {
        "machines.changed": {machine_id: after},
        "volumes.changed": {key: {"machine_on": on} for key in volumes},
    }
    words = f"{MACHINES[machine_id]['name']} is {'running' if on else 'off'} already"
    at.refuses("switch_power", "conflict", words, machine_id=machine_id, on=on)
    at.gives("switch_power", machine_id=machine_id, on=not on)
    assert at.changed() == {}


def test_cores_are_limited_for_what_runs_in_the_project() -> None:
    at = desk({"projects": keyed(project("P-1", "shop", "owner", core_limit=12))})
    words = "shop has 0 of its 12 cores left, and this needs 4; shut a machine down or take a smaller type."
    at.gives("switch_power", machine_id="M-2", on=True)
    at.refuses("switch_power", "limit_exceeded", words, machine_id="M-3", on=True)
    at.refuses("create_machine", "limit_exceeded", "has 0 of its 12 cores left, and this needs 2", **NEW)
    at.gives("switch_power", machine_id="M-4", on=False)
    at.gives("switch_power", machine_id="M-3", on=True)
    at.gives("switch_power", machine_id="M-5", on=True)


def test_what_runs_in_other_projects_takes_no_cores() -> None:
    at = desk({"projects": keyed(project("P-2", "lab", "operator", core_limit=4))})
    at.gives("switch_power", machine_id="M-5", on=True)
    words = "lab has 0 of its 4 cores left, and this needs 2"
    at.refuses("create_machine", "limit_exceeded", words, **{**NEW, "project_id": "P-2"})


def test_a_machine_that_was_made_larger_while_off_needs_its_cores_to_start() -> None:
    at = desk({"projects": keyed(project("P-1", "shop", "owner", core_limit=12))})
    at.gives("resize_machine", machine_id="M-2", type_id="T-3")
    at.refuses(
        "switch_power", "limit_exceeded", "has 4 of its 12 cores left, and this needs 8", machine_id="M-2", on=True
    )


# -- resizing ---------------------------------------------------------------------------------------------------------


def test_a_machine_is_resized_and_back_while_its_disk_stays() -> None:
    at = desk({"machines": keyed(machine("M-1", on=False))})
    after = {
        "type_id": "T-2",
        "type_name": "size-2",
        "cores": 4,
        "monthly": 10.0,
        "sizes": ["T-1", "T-4", "T-3", "T-7"],
    }
    assert at.gives("resize_machine", machine_id="M-1", type_id="T-2") == {**machine("M-1", on=False), **after}
    assert at.changed() == {"machines.changed": {"M-1": after}}
    at.gives("resize_machine", machine_id="M-1", type_id="T-1")
    assert at.changed() == {}


def test_a_disk_that_has_grown_never_shrinks() -> None:
    at = desk({"machines": keyed(machine("M-1", on=False))})
    grown = at.gives("resize_machine", machine_id="M-1", type_id="T-2", grow_disk=True)
    assert (grown["disk_gb"], grown["sizes"]) == (80, ["T-3", "T-7"])
    words = "The disk of vm-1 has 80 gigabytes and cannot shrink to 40; choose a type with a disk as large."
    at.refuses("resize_machine", "precondition_failed", words, machine_id="M-1", type_id="T-1")
    at.refuses("resize_machine", "precondition_failed", words, machine_id="M-1", type_id="T-1", grow_disk=True)
    assert at.gives("resize_machine", machine_id="M-1", type_id="T-3")["disk_gb"] == 80


@pytest.mark.parametrize(
    ("machine_id", "type_id", "code", "words"),
    [
        ("M-1", "T-2", "precondition_failed", "vm-1 is running; shut it down before it is resized."),
        ("M-2", "T-2", "conflict", "vm-2 is of the size-2 type already; choose another."),
        ("M-2", "T-5", "precondition_failed", "vm-2 is x86, but the size-5 type arm; choose a type for x86."),
        ("M-2", "T-6", "precondition_failed", "cannot be had in Frankfurt at present, nor anywhere else"),
        ("M-9", "T-3", "precondition_failed", "cannot be had in Virginia at present; it can be had in Frankfurt and"),
        ("M-2", "T-99", "not_found", "no machine type with the id 'T-99'"),
    ],
)
def test_a_size_that_cannot_be_is_refused(machine_id: str, type_id: str, code: str, words: str) -> None:
    at = desk({"machines": keyed(machine("M-9", on=False, region="Virginia"))})
    at.refuses("resize_machine", code, words, machine_id=machine_id, type_id=type_id)


def test_a_price_follows_the_region() -> None:
    at = desk({"machines": keyed(machine("M-9", on=False, region="Helsinki", monthly=4.5))})
    assert at.gives("resize_machine", machine_id="M-9", type_id="T-3")["monthly"] == 18.0


# -- protecting and deleting ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("machine_id", "protected", "words"),
    [
        ("M-1", True, "vm-1 is protected already; nothing"),
        ("M-3", False, "vm-3 is unprotected already; nothing to do."),
    ],
)
def test_protection_is_switched_by_owners(machine_id: str, protected: bool, words: str) -> None:
    at = desk()
    after = at.gives("set_protection", machine_id=machine_id, protected=protected)
    assert after == {**MACHINES[machine_id], "protected": protected}
    assert at.changed() == {"machines.changed": {machine_id: {"protected": protected}}}
    at.refuses("set_protection", "conflict", words, machine_id=machine_id, protected=protected)


def test_a_machine_is_deleted_and_its_volumes_become_free() -> None:
    at = desk()
    freed = [free(VOLUMES["V-2"]), free(VOLUMES["V-3"])]
    assert at.gives("delete_machine", machine_id="M-2") == {"name": "vm-2", "project_name": "shop", "freed": freed}
    gone = {"status": "free", "machine_id": None, "machine_name": None, "machine_on": None}
    changed = at.changed()
    assert list(changed) == ["machines.deleted", "volumes.changed"]
    assert list(changed["machines.deleted"]) == ["M-2"]
    assert {key: {**dict.fromkeys(gone), **row} for key, row in changed["volumes.changed"].items()} == {
        "V-2": gone, "V-3": gone
    }  # fmt: skip
    at.refuses("get_machine", "not_found", "no machine with the id 'M-2'", machine_id="M-2")
    at.gives("attach_volume", volume_id="V-2", machine_id="M-1")


def test_a_snapshot_of_a_deleted_machine_makes_a_new_one_within_thirty_days() -> None:
    at = desk()
    given = at.gives("delete_machine", machine_id="M-5", keep_snapshot=True)
    assert given == {
        "name": "vm-5", "project_name": "lab", "image_id": "IMG-1001", "image_name": "vm-5 snapshot",
        "expires_on": "2026-04-01", "freed": [],
    }  # fmt: skip
    snapshot = {
        "id": "IMG-1001", "name": "vm-5 snapshot", "kind": "snapshot", "architecture": "x86", "needs_gb": 80,
        "status": "current", "made_on": "2026-03-02", "project_name": "lab", "usable": True,
        "expires_on": "2026-04-01",
    }  # fmt: skip
    assert at.changed()["images.created"] == {"IMG-1001": snapshot}
    assert at.ids("list_images", kind="snapshot")[0] == "IMG-1001"
    assert at.gives("list_projects")["projects"][0]["snapshot_costs"] == 8.0
    again = {**NEW, "image_id": "IMG-1001", "type_id": "T-2", "name": "vm-5", "project_id": "P-2"}
    assert at.gives("create_machine", **again)["image_name"] == "vm-5 snapshot"
    words = "needs a disk of 80 gigabytes"
    at.refuses("create_machine", "precondition_failed", words, **{**again, "name": "small", "type_id": "T-1"})


def test_what_is_protected_or_running_is_not_deleted() -> None:
    at = desk({"machines": keyed(machine("M-9", project_id="P-2", protected=True))})
    words = "vm-3 is protected from deletion; an owner of shop can lift that first."
    at.refuses("delete_machine", "precondition_failed", words, machine_id="M-3")
    words = "vm-9 is protected from deletion; an owner of lab can lift that first."
    at.refuses("delete_machine", "precondition_failed", words, machine_id="M-9")
    words = "vm-1 is running; shut it down before it is deleted."
    at.refuses("delete_machine", "precondition_failed", words, machine_id="M-1", keep_snapshot=True)
    at.gives("set_protection", machine_id="M-3", protected=False)
    at.gives("delete_machine", machine_id="M-3")


# -- volumes ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("machine_id", "on"), [("M-1", True), ("M-3", False)])
def test_a_volume_is_attached_and_detached_again(machine_id: str, on: bool) -> None:
    at = desk()
    after = {"status": "attached", "machine_id": machine_id, "machine_name": f"vm-{machine_id[2:]}", "machine_on": on}
    assert at.gives("attach_volume", volume_id="V-4", machine_id=machine_id) == {**VOLUMES["V-4"], **after}
    assert at.changed() == {"volumes.changed": {"V-4": after}}
    if on:
        words = f"{after['machine_name']} is running; shut it down before it is parted from a volume."
        at.refuses("detach_volume", "precondition_failed", words, volume_id="V-4")
        at.gives("switch_power", machine_id=machine_id, on=False)
    assert at.gives("detach_volume", volume_id="V-4") == VOLUMES["V-4"]
    words = "The vol-4 volume is free already; it can be attached to a machine."
    at.refuses("detach_volume", "conflict", words, volume_id="V-4")


@pytest.mark.parametrize(
    ("volume_id", "machine_id", "code", "words"),
    [
        ("V-1", "M-2", "conflict", "vol-1 is attached to vm-1; detach it first."),
        ("V-1", "M-1", "conflict", "vol-1 is attached to vm-1 already; nothing to do."),
        ("V-6", "M-1", "precondition_failed", "vol-6 is of lab, but vm-1 of shop; choose a machine of lab."),
        ("V-5", "M-1", "precondition_failed",
         "vol-5 is in Virginia, but vm-1 in Frankfurt; choose a machine in Virginia."),
        ("V-4", "M-7", "permission_denied", "no member of that project"),
    ],
)  # fmt: skip
def test_a_volume_goes_to_a_machine_beside_it(volume_id: str, machine_id: str, code: str, words: str) -> None:
    desk().refuses("attach_volume", code, words, volume_id=volume_id, machine_id=machine_id)


def test_a_machine_has_three_volumes_at_most() -> None:
    at = desk({"volumes": keyed(volume("V-9"))})
    at.gives("attach_volume", volume_id="V-4", machine_id="M-2")
    words = "vm-2 has 3 volumes already, which is the most; detach one first."
    at.refuses("attach_volume", "limit_exceeded", words, volume_id="V-9", machine_id="M-2")
    at.gives("detach_volume", volume_id="V-2")
    at.gives("attach_volume", volume_id="V-9", machine_id="M-2")


# -- scenarios --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("size", [20, 60])
def test_a_scenario_has_its_edge_cases(seed: int, size: int) -> None:
    world = build_scenario(CloudMachines, seed, size, DEFAULT_NOW)
    mine = [row for row in world.machines.values() if row.role == "owner"]
    assert {(row.on, row.protected) for row in mine} == {(True, True), (True, False), (False, True), (False, False)}
    assert {row.role for row in world.projects.values()} == {"owner", "operator", "viewer", "none"}
    assert sum(row.role != "none" for row in world.projects.values()) > 5, "a list has a second page"
    used = [rules.usage(p, world.machines.values(), (), (), world.now.date()) for p in _mine(world)]
    assert any(row.machines == row.machine_limit for row in used), "no machine left"
    assert any(row.core_limit - row.cores == 1 for row in used), "hardly a core left"
    changing = [row for row in world.volumes.values() if row.role in rules.CHANGING]
    assert {row.machine_on for row in changing} == {True, False, None}
    most = [sum(v.machine_id == m.id for v in world.volumes.values()) for m in mine]
    assert max(most) == rules.MOST_VOLUMES
    assert any(not row.regions for row in world.types.values()), "a type that cannot be had"
    assert {row.status for row in world.images.values()} == {"current", "retired"}
    snapshots = [row for row in world.images.values() if row.kind == "snapshot"]
    assert {rules.expired(row, world.now.date()) for row in snapshots} == {True, False}
    assert {row.usable for row in snapshots} == {True, False}
    assert any(len(row.sizes) > 2 for row in mine if not row.on)
    free_ones = [row for row in changing if row.status == "free"]
    beside = [(m.project_id, m.region) for m in world.machines.values()]
    assert all((row.project_id, row.region) in beside for row in free_ones)


def _mine(world: CloudMachines) -> list[Any]:
    return [row for row in world.projects.values() if row.role in rules.CHANGING]


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("size", [10, 50, 60, 300])
def test_a_scenario_keeps_its_own_rules(seed: int, size: int) -> None:
    world = build_scenario(CloudMachines, seed, size, DEFAULT_NOW)
    today, types = world.now.date(), world.types
    assert len({row.name for row in world.projects.values()}) == len(world.projects)
    for project in world.projects.values():
        own = [row for row in world.machines.values() if row.project_id == project.id]
        assert len({row.name for row in own}) == len(own) <= project.machine_limit
        assert rules.running_cores(project, own) <= project.core_limit
    for row in world.machines.values():
        project, kind = world.projects[row.project_id], types[row.type_id]
        assert (row.project_name, row.role) == (project.name, project.role)
        assert rules.fitted(row, kind, types.values()) == row
        assert rules.switched(row, on=row.on) == row
        assert row.region in kind.regions
        assert (row.disk_gb, row.architecture) == (kind.disk_gb, kind.architecture)
        image = next(each for each in world.images.values() if each.name == row.image_name)
        assert image.architecture == row.architecture
        assert image.needs_gb <= row.disk_gb
    for row in world.volumes.values():
        project = world.projects[row.project_id]
        assert (row.project_name, row.role) == (project.name, project.role)
        by = world.machines[row.machine_id] if row.machine_id else None
        assert rules.attached(row, by) == row
        assert by is None or (by.project_id, by.region) == (row.project_id, row.region)
    for row in world.machines.values():
        assert sum(each.machine_id == row.id for each in world.volumes.values()) <= rules.MOST_VOLUMES
    for row in world.images.values():
        assert row.made_on <= today
        if row.kind == "snapshot":
            (project,) = [each for each in world.projects.values() if each.name == row.project_name]
            assert row.usable is (project.role in rules.CHANGING)
            assert row.expires_on == row.made_on + dt.timedelta(days=rules.KEPT_DAYS)
