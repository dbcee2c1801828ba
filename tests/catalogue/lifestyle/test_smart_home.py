"""The smart home, through its tools: what each gives, what it refuses, and what exactly changes."""

from __future__ import annotations

import datetime as dt
import itertools
import random
from typing import Any

import pytest

from envfactory.catalogue.lifestyle import _home_rules as rules
from envfactory.catalogue.lifestyle.smart_home import SmartHome
from envfactory.environment import DEFAULT_NOW, build_scenario, describe
from envfactory.environment.draw import Drawer
from tests.catalogue.support import Desk, Row, Rows, keyed

# The clock stands at Monday, 2 March 2026, 9:00. M-1 is signed in; two rooms of M-2 are open to them, none of M-3 is.

ROOMS = {
    "R-1": ("living room", "Mill Lane", "M-1"),
    "R-2": ("kitchen", "Mill Lane", "M-1"),
    "R-3": ("hall", "Mill Lane", "M-1"),
    "R-4": ("hall", "Castle Hill", "M-2"),
    "R-5": ("study", "Castle Hill", "M-2"),
    "R-6": ("attic", "Castle Hill", "M-2"),
    "R-7": ("hall", "River Walk", "M-3"),
}


def device(key: str, name: str, kind: str, room: str, state: str, *can: str, **more: Any) -> Row:
    room_name, home, owner = ROOMS[room]
    return {
        "id": key, "name": name, "kind": kind, "room_id": room, "room": room_name, "home": home, "owner_id": owner,
        "capabilities": list(can), "state": state, "online": True, "owner_only": False, "door_open": False,
        "child_lock": False, **more,
    }  # fmt: skip


def lamp(key: str, name: str, room: str, level: int | None = None, *, on: bool = True, **more: Any) -> Row:
    dims: Row = {} if level is None else {"level": level, "min_level": 10}
    can = ("switch",) if level is None else ("switch", "level")
    return device(key, name, "light", room, "on" if on else "off", *can, on=on, **dims, **more)


def plug(key: str, name: str, room: str, *, on: bool, **more: Any) -> Row:
    return device(key, name, "plug", room, "on" if on else "off", "switch", on=on, **more)


def blind(key: str, name: str, room: str, level: int, **more: Any) -> Row:
    return device(key, name, "blind", room, "open" if level else "closed", "level", level=level, min_level=0, **more)


def radiator(key: str, name: str, room: str, temperature: float, measured: float, **more: Any) -> Row:
    state = "heating" if measured < temperature else "idle"
    ends: Row = {"measured": measured, "min_temperature": 16.0, "max_temperature": 24.0}
    return device(key, name, "thermostat", room, state, "temperature", temperature=temperature, **ends, **more)


def door(key: str, name: str, room: str, *, locked: bool, **more: Any) -> Row:
    return device(key, name, "lock", room, "locked" if locked else "unlocked", "lock", locked=locked, **more)


DEVICES = keyed(
    lamp("D-1", "ceiling lamp", "R-1", 60),
    lamp("D-2", "reading lamp", "R-1", 45, on=False),
    blind("D-3", "blind", "R-1", 70),
    radiator("D-4", "radiator", "R-1", 20.0, 18.5),
    lamp("D-5", "floor lamp", "R-1", on=True, online=False) | {"state": "offline"},
    plug("D-6", "kettle plug", "R-2", on=False, child_lock=True),
    plug("D-7", "dishwasher plug", "R-2", on=True),
    plug("D-8", "heater plug", "R-2", on=True, child_lock=True),
    door("D-9", "front door", "R-3", locked=False, owner_only=True),
    door("D-10", "terrace door", "R-3", locked=False, door_open=True),
    door("D-11", "cellar door", "R-3", locked=True),
    lamp("D-21", "hall lamp", "R-4", 50),
    door("D-22", "house door", "R-4", locked=True, owner_only=True),
    door("D-23", "side door", "R-4", locked=True),
    plug("D-24", "printer plug", "R-5", on=True),
    lamp("D-25", "attic lamp", "R-6"),
    lamp("D-31", "hall lamp", "R-7", 50),
)


def sets(key: str, means: str, **values: Any) -> Row:
    row = DEVICES[key]
    return {"device_id": key, "device": row["name"], "room": row["room"], "means": means, **values}


def scene(key: str, name: str, *settings: Row, owner: str = "M-1", before: list[Row] | None = None) -> Row:
    return {
        "id": key, "name": name, "owner_id": owner, "settings": list(settings), "in_effect": before is not None,
        "before": before or [],
    }  # fmt: skip


FILM = (
    sets("D-1", "off", on=False),
    sets("D-2", "at 20 percent", on=True, level=20),
    sets("D-3", "at 0 percent", level=0),
    sets("D-7", "on", on=True),
)
NIGHT = (
    sets("D-1", "off", on=False),
    sets("D-4", "at 17 degrees", temperature=17.0),
    sets("D-5", "off", on=False),
    sets("D-6", "on", on=True),
    sets("D-9", "locked", locked=True),
    sets("D-10", "locked", locked=True),
    sets("D-11", "unlocked", locked=False),
)
SCENES = keyed(
    scene("S-1", "film", *FILM),
    scene("S-2", "night", *NIGHT),
    scene("S-3", "sun", sets("D-3", "at 30 percent", level=30)),
    scene("S-4", "stuck", sets("D-5", "off", on=False), sets("D-6", "on", on=True)),
    scene("S-5", "as it is", sets("D-7", "on", on=True), sets("D-11", "locked", locked=True)),
    scene("S-6", "tea", sets("D-7", "off", on=False), sets("D-6", "on", on=True)),
    scene("S-9", "theirs", sets("D-21", "off", on=False), owner="M-2", before=[sets("D-21", "on", on=True)]),
)


def routine(key: str, name: str, scene_id: str, at: str, days: str, owner: str = "M-1") -> Row:
    return {
        "id": key, "name": name, "owner_id": owner, "scene_id": scene_id, "scene": SCENES[scene_id]["name"],
        "at": f"{at}:00", "days": days,
    }  # fmt: skip


ROUTINES = keyed(
    routine("U-1", "evening film", "S-1", "20:00", "weekends"),
    routine("U-2", "bedtime", "S-2", "22:30", "every_day"),
    routine("U-3", "noon shade", "S-3", "12:00", "weekdays"),
    routine("U-4", "tea time", "S-6", "16:00", "weekdays"),
    routine("U-9", "theirs", "S-9", "12:00", "every_day", "M-2"),
)


def guest(key: str, name: str, until: str, *rooms: str, owner: str = "M-1", **more: Any) -> Row:
    open_rooms = [{"room_id": room, "name": ROOMS[room][0]} for room in rooms]
    email = f"{name.lower()}@mail.example"
    return {"id": key, "name": name, "email": email, "owner_id": owner, "rooms": open_rooms, "until": until, **more}


GUESTS = keyed(
    guest("G-1", "Ben", "2026-03-10", "R-1", "R-3"),
    guest("G-2", "Cleo", "2026-03-02", "R-3"),
    guest("G-3", "Dan", "2026-03-01", "R-1"),
    guest("G-4", "Eve", "2026-03-10", "R-2"),
    guest("G-8", "Ada", "2026-03-02", "R-4", "R-5", owner="M-2"),
    guest("G-9", "Ada", "2026-03-01", "R-7", owner="M-3"),
)


def reading(key: str, device_id: str, day: str, used: float) -> Row:
    return {"id": key, "device_id": device_id, "day": day, "used": used}


STATE: dict[str, Any] = {
    "member_id": "M-1",
    "members": keyed(
        {"id": "M-1", "name": "Ada Berg", "email": "ada@mail.example"},
        {"id": "M-2", "name": "Flo Gray", "email": "flo@mail.example"},
        {"id": "M-3", "name": "Gus Holm", "email": "gus@mail.example"},
    ),
    "rooms": keyed(*({"id": k, "name": n, "home": h, "owner_id": o} for k, (n, h, o) in ROOMS.items())),
    "devices": DEVICES,
    "scenes": SCENES,
    "routines": ROUTINES,
    "guests": GUESTS,
    "readings": keyed(
        reading("E-1", "D-7", "2026-02-17", 1.25),
        reading("E-2", "D-7", "2026-02-25", 1.1),
        reading("E-3", "D-7", "2026-03-02", 0.7),
        reading("E-4", "D-8", "2026-02-25", 2.0),
        reading("E-5", "D-1", "2026-03-01", 0.1),
        reading("E-6", "D-24", "2026-02-25", 9.0),
    ),
}


def desk(rows: dict[str, Rows] | None = None, **changes: Any) -> Desk:
    return Desk(SmartHome, STATE, rows=rows, **changes)


def devices(*rows: Row) -> dict[str, Rows]:
    return {"devices": keyed(*rows)}


# -- rooms and devices


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["R-3", "R-4", "R-2", "R-1", "R-5"]),
        ({"page": 2}, []),
        ({"home": "Mill Lane"}, ["R-3", "R-2", "R-1"]),
        ({"home": "Castle Hill"}, ["R-4", "R-5"]),
        ({"home": "River Walk"}, []),
        ({"lit": True}, ["R-4", "R-2", "R-1", "R-5"]),
        ({"lit": True, "home": "Mill Lane"}, ["R-2", "R-1"]),
    ],
)
def test_rooms_are_those_of_the_own_home_and_those_that_are_open(arguments: Row, found: list[str]) -> None:
    assert desk().ids("list_rooms", **arguments) == found


def test_a_room_says_how_its_devices_stand() -> None:
    rooms = {room["id"]: room for room in desk().gives("list_rooms")["rooms"]}
    assert rooms["R-1"] == {
        "id": "R-1", "name": "living room", "home": "Mill Lane", "devices": 5, "on": 1, "offline": 1, "measured": 18.5,
    }  # fmt: skip
    assert rooms["R-4"] == {
        "id": "R-4", "name": "hall", "home": "Castle Hill", "devices": 3, "on": 1, "offline": 0,
        "shared_until": "2026-03-02",
    }  # fmt: skip


def test_the_last_of_several_days_of_access_counts() -> None:
    more = (("G-6", "2026-03-05"), ("G-7", "2026-03-03"))
    rows = {"guests": keyed(*(guest(key, "Ada", day, "R-4", owner="M-2") for key, day in more))}
    rooms = {room["id"]: room for room in desk(rows).gives("list_rooms")["rooms"]}
    assert (rooms["R-4"]["shared_until"], rooms["R-5"]["shared_until"]) == ("2026-03-05", "2026-03-02")


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["D-21", "D-22", "D-23", "D-24", "D-11"]),
        ({"page": 2}, ["D-9", "D-10", "D-7", "D-8", "D-6"]),
        ({"page": 3}, ["D-3", "D-1", "D-5", "D-4", "D-2"]),
        ({"room_id": "R-1"}, ["D-3", "D-1", "D-5", "D-4", "D-2"]),
        ({"room_id": "R-4"}, ["D-21", "D-22", "D-23"]),
        ({"kind": "blind"}, ["D-3"]),
        ({"kind": "light", "state": "on"}, ["D-21", "D-1"]),
        ({"state": "off"}, ["D-6", "D-2"]),
        ({"state": "offline"}, ["D-5"]),
        ({"state": "unlocked"}, ["D-9", "D-10"]),
        ({"room_id": "R-3", "state": "locked"}, ["D-11"]),
        ({"state": "closed"}, []),
    ],
)
def test_devices_are_found_by_what_and_where_they_are(arguments: Row, found: list[str]) -> None:
    assert desk().ids("find_devices", **arguments) == found


@pytest.mark.parametrize("room_id", ["R-6", "R-7"])
def test_a_room_that_is_not_open_is_not_looked_into(room_id: str) -> None:
    words = "That room is not open to you; use one of those that are found in your rooms"
    desk().refuses("find_devices", "permission_denied", words, room_id=room_id)
    desk().refuses("find_devices", "not_found", "no room with the id 'R-99'", room_id="R-99")


def test_a_device_is_shown_with_what_sets_it() -> None:
    shown = desk().gives("get_device", device_id="D-3")
    assert shown == {
        "device": DEVICES["D-3"], "scenes": [SCENES["S-1"], SCENES["S-3"]],
        "routines": [ROUTINES["U-1"], ROUTINES["U-3"]],
    }  # fmt: skip
    assert desk().gives("get_device", device_id="D-21") == {"device": DEVICES["D-21"], "scenes": [], "routines": []}


USES: list[tuple[str, Row]] = [
    ("get_device", {}),
    ("list_scenes", {}),
    ("switch_device", {"on": False}),
    ("set_level", {"level": 40}),
    ("set_temperature", {"temperature": 20.0}),
    ("set_lock", {"locked": True}),
]


@pytest.mark.parametrize(("tool", "more"), USES)
@pytest.mark.parametrize("device_id", ["D-25", "D-31"])
def test_what_is_not_open_to_the_user_is_not_used(tool: str, more: Row, device_id: str) -> None:
    words = "That device is not open to you; use one of those that are found in your rooms"
    desk().refuses(tool, "permission_denied", words, device_id=device_id, **more)
    desk().refuses(tool, "not_found", "no device with the id 'D-99'", device_id="D-99", **more)


def test_access_ends_after_its_last_day() -> None:
    at = desk(now=DEFAULT_NOW + dt.timedelta(days=1))
    at.refuses("switch_device", "permission_denied", "not open to you", device_id="D-21", on=False)
    assert at.ids("find_devices", kind="light") == ["D-1", "D-5", "D-2"]


# -- setting devices


def test_lights_and_plugs_are_turned_on_and_off() -> None:
    at = desk()
    assert at.gives("switch_device", device_id="D-1", on=False) == {**DEVICES["D-1"], "on": False, "state": "off"}
    at.gives("switch_device", device_id="D-2", on=True)
    at.gives("switch_device", device_id="D-21", on=False)  # as a guest
    assert at.changed() == {
        "devices.changed": {
            "D-1": {"on": False, "state": "off"},
            "D-2": {"on": True, "state": "on"},
            "D-21": {"on": False, "state": "off"},
        }
    }
    at.gives("switch_device", device_id="D-1", on=True)
    at.gives("switch_device", device_id="D-2", on=False)
    at.gives("switch_device", device_id="D-21", on=True)
    assert at.changed() == {}


def test_a_plug_with_its_child_lock_on_goes_off_but_not_on() -> None:
    at = desk()
    words = "The child lock of the kettle plug is on, so it stays off; take that off at the plug first"
    at.refuses("switch_device", "precondition_failed", words, device_id="D-6", on=True)
    at.gives("switch_device", device_id="D-8", on=False)
    at.refuses("switch_device", "precondition_failed", "stays off", device_id="D-8", on=True)


def test_what_is_so_already_is_not_switched() -> None:
    at = desk()
    at.refuses(
        "switch_device", "conflict", "The ceiling lamp is on already; leave it as it is", device_id="D-1", on=True
    )
    at.refuses("switch_device", "conflict", "The kettle plug is off already", device_id="D-6", on=False)
    at.refuses("set_level", "conflict", "is at 60 percent already; choose another level", device_id="D-1", level=60)
    at.refuses("set_level", "conflict", "The blind is at 70 percent already", device_id="D-3", level=70)
    words = "The radiator is set to 20 degrees already; choose another temperature"
    at.refuses("set_temperature", "conflict", words, device_id="D-4", temperature=20.0)
    at.refuses(
        "set_lock", "conflict", "The cellar door is locked already; leave it as it is", device_id="D-11", locked=True
    )
    at.refuses("set_lock", "conflict", "The terrace door is unlocked already", device_id="D-10", locked=False)


def test_a_light_is_dimmed_and_comes_on() -> None:
    at = desk()
    dimmed = at.gives("set_level", device_id="D-2", level=10)
    assert dimmed == {**DEVICES["D-2"], "level": 10, "on": True, "state": "on"}
    at.gives("set_level", device_id="D-1", level=100)
    assert at.changed() == {"devices.changed": {"D-2": {"level": 10, "on": True, "state": "on"}, "D-1": {"level": 100}}}
    assert desk().gives("set_level", device_id="D-2", level=45)["state"] == "on"  # its own level, but it was off


def test_a_blind_is_moved() -> None:
    at = desk()
    assert at.gives("set_level", device_id="D-3", level=0) == {**DEVICES["D-3"], "level": 0, "state": "closed"}
    assert at.changed() == {"devices.changed": {"D-3": {"level": 0, "state": "closed"}}}
    assert at.gives("set_level", device_id="D-3", level=1)["state"] == "open"


@pytest.mark.parametrize(
    ("level", "words"),
    [
        (9, "The ceiling lamp takes 10 to 100 percent, not 9; turn it off to have it dark"),
        (0, "10 to 100"),
        (-1, "level"),
        (101, "level"),
    ],
)
def test_a_light_has_a_least_level(level: int, words: str) -> None:
    desk().refuses("set_level", "invalid_argument", words, device_id="D-1", level=level)


@pytest.mark.parametrize(
    ("temperature", "state"), [(16.0, "idle"), (24.0, "heating"), (18.5, "idle"), (19.0, "heating")]
)
def test_a_thermostat_is_set_within_its_range(temperature: float, state: str) -> None:
    at = desk()
    set_to = at.gives("set_temperature", device_id="D-4", temperature=temperature)
    assert set_to == {**DEVICES["D-4"], "temperature": temperature, "state": state}
    at.gives("set_temperature", device_id="D-4", temperature=20.0)
    assert at.changed() == {}


@pytest.mark.parametrize("temperature", [15.5, 24.5, 20.25, 19.9])
def test_a_thermostat_is_not_set_out_of_its_range_or_between_its_steps(temperature: float) -> None:
    words = f"The radiator takes 16 to 24 degrees in steps of half a degree, not {temperature:g}"
    desk().refuses("set_temperature", "invalid_argument", words, device_id="D-4", temperature=temperature)


@pytest.mark.parametrize(
    ("tool", "device_id", "more", "words"),
    [
        ("switch_device", "D-3", {"on": True}, "The blind is a blind that cannot be turned on and off; it can be set"),
        ("switch_device", "D-9", {"on": True}, "is a lock that cannot be turned on and off; it can be locked and"),
        ("set_level", "D-7", {"level": 50}, "cannot be set to a percentage; it can be turned on and off."),
        ("set_level", "D-4", {"level": 50}, "cannot be set to a percentage; it can be set to a temperature."),
        ("set_temperature", "D-1", {"temperature": 20.0}, "it can be turned on and off or set to a percentage."),
        ("set_lock", "D-1", {"locked": True}, "is a light that cannot be locked and unlocked; it can"),
        ("set_level", "D-5", {"level": 50}, "cannot be set to a percentage"),
    ],
)
def test_a_device_does_only_what_it_can(tool: str, device_id: str, more: Row, words: str) -> None:
    desk().refuses(tool, "invalid_argument", words, device_id=device_id, **more)


@pytest.mark.parametrize(
    ("row", "tool", "more"),
    [
        (lamp("D-50", "lamp", "R-1", 40, online=False), "switch_device", {"on": False}),
        (lamp("D-50", "lamp", "R-1", 40, online=False), "set_level", {"level": 50}),
        (radiator("D-50", "lamp", "R-1", 20.0, 18.0, online=False), "set_temperature", {"temperature": 21.0}),
        (door("D-50", "lamp", "R-1", locked=False, online=False), "set_lock", {"locked": True}),
    ],
)
def test_a_device_that_is_offline_changes_nothing(row: Row, tool: str, more: Row) -> None:
    at = desk(devices({**row, "state": "offline"}))
    words = "The lamp is offline; it can be used once it has power and is connected again"
    at.refuses(tool, "precondition_failed", words, device_id="D-50", **more)
    assert at.gives("get_device", device_id="D-50")["device"]["state"] == "offline"


@pytest.mark.parametrize(
    ("tool", "kinds"),
    [
        ("switch_device", {"light", "plug"}),
        ("set_level", {"light", "blind"}),
        ("set_temperature", {"thermostat"}),
        ("set_lock", {"lock"}),
    ],
)
def test_calls_are_drawn_for_devices_of_the_own_home_that_can_do_it_now(tool: str, kinds: set[str]) -> None:
    state = {"now": DEFAULT_NOW.isoformat(), "counters": {}, **STATE}
    drawer, rng = Drawer(describe(SmartHome)), random.Random(1)
    drawn = [drawer.draw(tool, state, rng)["device_id"] for _ in range(30)]
    rows = [DEVICES[key] for key in drawn]
    assert {row["kind"] for row in rows} == kinds
    assert {(row["online"], row["owner_id"], row["child_lock"], row["door_open"]) for row in rows} == {
        (True, "M-1", False, False)
    }


# -- doors


def test_a_door_is_locked_and_unlocked() -> None:
    at = desk()
    at.gives("set_lock", device_id="D-9", locked=True)
    assert at.gives("set_lock", device_id="D-11", locked=False) == {
        **DEVICES["D-11"], "locked": False, "state": "unlocked"
    }  # fmt: skip
    at.gives("set_lock", device_id="D-23", locked=False)  # as a guest
    assert at.changed() == {
        "devices.changed": {
            "D-9": {"locked": True, "state": "locked"},
            "D-11": {"locked": False, "state": "unlocked"},
            "D-23": {"locked": False, "state": "unlocked"},
        }
    }


@pytest.mark.parametrize("locked", [True, False])
def test_some_locks_are_the_owners_only(locked: bool) -> None:
    words = "Only the owner of the home may lock and unlock the house door; ask the owner to do it"
    desk().refuses("set_lock", "permission_denied", words, device_id="D-22", locked=locked)


def test_an_open_door_is_not_locked() -> None:
    words = "The terrace door stands open; close it first, then lock it"
    desk().refuses("set_lock", "precondition_failed", words, device_id="D-10", locked=True)


# -- scenes


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["S-5", "S-1", "S-2", "S-4", "S-3"]),
        ({"page": 2}, ["S-6"]),
        ({"device_id": "D-1"}, ["S-1", "S-2"]),
        ({"device_id": "D-21"}, []),
    ],
)
def test_scenes_are_the_users_own(arguments: Row, found: list[str]) -> None:
    assert desk().ids("list_scenes", **arguments) == found


FILM_BEFORE = [
    sets("D-1", "at 60 percent", on=True, level=60),
    sets("D-2", "off", on=False, level=45),
    sets("D-3", "at 70 percent", level=70),
]
FILM_RUN = {
    "D-1": {"on": False, "state": "off"},
    "D-2": {"on": True, "level": 20, "state": "on"},
    "D-3": {"level": 0, "state": "closed"},
}


def test_a_scene_sets_its_devices_and_keeps_how_they_were() -> None:
    at = desk()
    report = at.gives("run_scene", scene_id="S-1")
    assert report == {"scene_id": "S-1", "name": "film", "changed": list(FILM[:3]), "skipped": []}
    assert at.changed() == {
        "devices.changed": FILM_RUN, "scenes.changed": {"S-1": {"in_effect": True, "before": FILM_BEFORE}}
    }  # fmt: skip


def test_a_scene_is_undone() -> None:
    at = desk()
    at.gives("run_scene", scene_id="S-1")
    report = at.gives("undo_scene", scene_id="S-1")
    assert report == {"scene_id": "S-1", "name": "film", "changed": FILM_BEFORE, "skipped": []}
    assert at.changed() == {}
    words = "Only the scene that was run last can be undone, and none is left to undo; set the devices one by one"
    at.refuses("undo_scene", "precondition_failed", words, scene_id="S-1")


def test_a_scene_leaves_what_is_in_its_way() -> None:
    at = desk()
    report = at.gives("run_scene", scene_id="S-2")
    assert report["changed"] == [NIGHT[0], NIGHT[1], NIGHT[4]]
    assert report["skipped"] == [
        {"device_id": "D-5", "device": "floor lamp", "room": "living room", "reason": "it is offline"},
        {"device_id": "D-6", "device": "kettle plug", "room": "kitchen", "reason": "its child lock is on"},
        {"device_id": "D-10", "device": "terrace door", "room": "hall", "reason": "the door stands open"},
        {"device_id": "D-11", "device": "cellar door", "room": "hall", "reason": "scenes unlock no doors"},
    ]
    assert at.changes().tables["devices"].changed == {
        "D-1": {"on": False, "state": "off"},
        "D-4": {"temperature": 17.0, "state": "idle"},
        "D-9": {"locked": True, "state": "locked"},
    }


def test_how_things_were_before_a_scene_is_told() -> None:
    at = desk()
    for scene_id, words in [("S-2", ["at 60 percent", "at 20 degrees", "unlocked"]), ("S-6", ["on"])]:
        at.gives("run_scene", scene_id=scene_id)
        rows = [row for page in (1, 2) for row in at.gives("list_scenes", page=page)["scenes"]]
        assert [each["means"] for row in rows if row["id"] == scene_id for each in row["before"]] == words


def test_undoing_a_scene_unlocks_no_door() -> None:
    at = desk()
    at.gives("run_scene", scene_id="S-2")
    undone = at.gives("undo_scene", scene_id="S-2")
    assert [each["device_id"] for each in undone["changed"]] == ["D-1", "D-4"]
    assert undone["skipped"] == [
        {"device_id": "D-9", "device": "front door", "room": "hall", "reason": "scenes unlock no doors"}
    ]
    assert at.changed() == {"devices.changed": {"D-9": {"locked": True, "state": "locked"}}}


def test_undoing_a_scene_turns_no_plug_on_whose_child_lock_is_on() -> None:
    off = scene("S-7", "off", sets("D-8", "off", on=False), sets("D-1", "off", on=False))
    at = desk({"scenes": keyed(off)})
    at.gives("run_scene", scene_id="S-7")
    undone = at.gives("undo_scene", scene_id="S-7")
    assert undone["skipped"] == [
        {"device_id": "D-8", "device": "heater plug", "room": "kitchen", "reason": "its child lock is on"}
    ]
    assert at.changed() == {"devices.changed": {"D-8": {"on": False, "state": "off"}}}


def test_what_was_set_otherwise_since_stays() -> None:
    at = desk()
    at.gives("run_scene", scene_id="S-1")
    at.gives("set_level", device_id="D-2", level=90)
    at.gives("switch_device", device_id="D-1", on=True)
    at.gives("switch_device", device_id="D-1", on=False)
    undone = at.gives("undo_scene", scene_id="S-1")
    assert [each["device_id"] for each in undone["changed"]] == ["D-1", "D-3"]
    reason = "it was set otherwise since"
    assert undone["skipped"] == [
        {"device_id": "D-2", "device": "reading lamp", "room": "living room", "reason": reason}
    ]
    assert at.changed() == {"devices.changed": {"D-2": {"level": 90, "on": True, "state": "on"}}}


def test_a_level_that_was_changed_since_stays_though_the_scene_names_none() -> None:
    at = desk()
    at.gives("run_scene", scene_id="S-1")
    at.gives("set_level", device_id="D-1", level=90)
    at.gives("switch_device", device_id="D-1", on=False)  # as the scene has it, but for its level
    undone = at.gives("undo_scene", scene_id="S-1")
    assert [each["device"] for each in undone["skipped"]] == ["ceiling lamp"]
    assert at.changed() == {"devices.changed": {"D-1": {"level": 90, "on": False, "state": "off"}}}


def test_a_scene_of_which_nothing_can_be_undone_stays_in_effect() -> None:
    at = desk()
    at.gives("run_scene", scene_id="S-3")
    at.gives("set_level", device_id="D-3", level=50)
    words = "The sun scene can change nothing now (living room blind: it was set otherwise since); put that right"
    at.refuses("undo_scene", "precondition_failed", words, scene_id="S-3")
    at.gives("set_level", device_id="D-3", level=30)
    at.gives("undo_scene", scene_id="S-3")
    assert at.changed() == {}


def test_only_the_scene_that_was_run_last_is_undone_and_once() -> None:
    at = desk()
    at.gives("run_scene", scene_id="S-1")
    at.gives("run_scene", scene_id="S-3")
    scenes = at.changes().tables["scenes"].changed
    assert scenes == {"S-3": {"in_effect": True, "before": [sets("D-3", "at 0 percent", level=0)]}}
    words = "Only the scene that was run last can be undone, that is sun"
    at.refuses("undo_scene", "precondition_failed", words, scene_id="S-1")
    at.gives("undo_scene", scene_id="S-3")
    assert at.changed() == {"devices.changed": FILM_RUN}
    at.refuses("undo_scene", "precondition_failed", "none is left to undo", scene_id="S-1")
    at.refuses("undo_scene", "precondition_failed", "none is left to undo", scene_id="S-3")


def test_a_scene_that_is_run_again_is_undone_to_what_was_before_the_second_time() -> None:
    at = desk()
    at.gives("run_scene", scene_id="S-1")
    at.refuses("run_scene", "conflict", "Everything is set as the film scene has it already", scene_id="S-1")
    at.gives("set_level", device_id="D-3", level=50)
    again = at.gives("run_scene", scene_id="S-1")
    assert (again["changed"], again["skipped"]) == ([FILM[2]], [])
    at.gives("undo_scene", scene_id="S-1")
    assert at.changes().tables["devices"].changed["D-3"] == {"level": 50}
    assert at.changes().tables["devices"].changed["D-2"] == FILM_RUN["D-2"]


def test_a_scene_that_changes_nothing_is_refused_and_the_last_one_can_still_be_undone() -> None:
    at = desk()
    at.gives("run_scene", scene_id="S-3")
    words = "can change nothing now (living room floor lamp: it is offline; kitchen kettle plug: its child lock is on)"
    at.refuses("run_scene", "precondition_failed", words, scene_id="S-4")
    at.refuses("run_scene", "conflict", "run another scene or change one device", scene_id="S-5")
    at.gives("undo_scene", scene_id="S-3")
    assert at.changed() == {}


@pytest.mark.parametrize("tool", ["run_scene", "undo_scene", "list_routines"])
def test_other_peoples_scenes_are_not_used(tool: str) -> None:
    desk().refuses(tool, "permission_denied", "That scene belongs to somebody else", scene_id="S-9")
    desk().refuses(tool, "not_found", "no scene with the id 'S-99'", scene_id="S-99")


def test_a_plug_that_is_on_already_needs_not_be_turned_on() -> None:
    on = scene("S-7", "warm", sets("D-8", "on", on=True), sets("D-1", "off", on=False))
    report = desk({"scenes": keyed(on)}).gives("run_scene", scene_id="S-7")
    assert ([each["device_id"] for each in report["changed"]], report["skipped"]) == (["D-1"], [])


# -- routines


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["U-3", "U-4", "U-1", "U-2"]),
        ({"page": 2}, []),
        ({"scene_id": "S-1"}, ["U-1"]),
        ({"scene_id": "S-4"}, []),
        ({"days": "weekdays"}, ["U-3", "U-4"]),
        ({"days": "every_day"}, ["U-2"]),
        ({"days": "weekends", "scene_id": "S-2"}, []),
    ],
)
def test_routines_are_listed_by_their_time(arguments: Row, found: list[str]) -> None:
    assert desk().ids("list_routines", **arguments) == found


def test_a_routine_is_moved_and_moved_back() -> None:
    at = desk()
    moved = at.gives("move_routine", routine_id="U-3", at="13:05:00")
    assert moved == {**ROUTINES["U-3"], "at": "13:05:00"}
    at.gives("move_routine", routine_id="U-3", at="13:05:00", days="every_day")
    assert at.changed() == {"routines.changed": {"U-3": {"at": "13:05:00", "days": "every_day"}}}
    at.gives("move_routine", routine_id="U-3", at="12:00:00", days="weekdays")
    assert at.changed() == {}


@pytest.mark.parametrize(
    ("routine_id", "at_time", "days", "clash"),
    [
        (
            "U-3",
            "20:00",
            "weekends",
            "The evening film routine sets the living room blind at 20:00 too; choose another time or days",
        ),
        ("U-3", "20:00", "every_day", "evening film"),
        ("U-3", "20:00", None, ""),  # on weekdays
        ("U-3", "20:05", "every_day", ""),
        ("U-1", "22:30", None, "The bedtime routine sets the living room ceiling lamp at 22:30"),
        ("U-2", "20:00", None, "The evening film routine sets the living room ceiling lamp at 20:00"),
        ("U-1", "12:00", None, ""),
        ("U-1", "12:00", "weekdays", "The noon shade routine sets the living room blind"),
        ("U-3", "22:30", None, ""),  # no device of both
        ("U-3", "12:00", "every_day", ""),  # not even of somebody else's
        ("U-4", "20:00", "weekends", "sets the kitchen dishwasher plug"),
    ],
)
def test_no_two_routines_set_a_device_at_one_time(routine_id: str, at_time: str, days: str | None, clash: str) -> None:
    arguments = {"routine_id": routine_id, "at": f"{at_time}:00", **({"days": days} if days else {})}
    if clash:
        desk().refuses("move_routine", "conflict", clash, **arguments)
    else:
        assert desk().gives("move_routine", **arguments)["at"] == f"{at_time}:00"


@pytest.mark.parametrize("at_time", ["20:01:00", "20:00:01", "19:58:00", "20:00:00.000001"])
def test_routines_run_on_full_five_minutes(at_time: str) -> None:
    words = "Routines run on full 5 minutes, such as 07:30 or 07:35"
    desk().refuses("move_routine", "invalid_argument", words, routine_id="U-3", at=at_time)


def test_a_routine_is_moved_to_another_time() -> None:
    at = desk()
    words = "The noon shade routine runs at that time already; choose another time or days"
    at.refuses("move_routine", "conflict", words, routine_id="U-3", at="12:00:00")
    at.refuses("move_routine", "conflict", words, routine_id="U-3", at="12:00:00", days="weekdays")
    at.refuses("move_routine", "permission_denied", "belongs to somebody else", routine_id="U-9", at="13:00:00")
    at.refuses("move_routine", "not_found", "no routine with the id 'U-99'", routine_id="U-99", at="13:00:00")


# -- guests


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["G-1", "G-4", "G-2", "G-3"]),
        ({"page": 2}, []),
        ({"current": True}, ["G-1", "G-4", "G-2"]),
        ({"room_id": "R-1"}, ["G-1", "G-3"]),
        ({"room_id": "R-1", "current": True}, ["G-1"]),
        ({"room_id": "R-3"}, ["G-1", "G-2"]),
    ],
)
def test_guests_are_listed_by_when_their_access_ends(arguments: Row, found: list[str]) -> None:
    assert desk().ids("list_guests", **arguments) == found


def test_guests_of_other_peoples_rooms_are_not_told() -> None:
    desk().refuses("list_guests", "permission_denied", "That room belongs to somebody else", room_id="R-4")
    desk().refuses("list_guests", "not_found", "R-99", room_id="R-99")


@pytest.mark.parametrize("until", ["2026-03-02", "2026-03-31", "2026-05-01"])
def test_a_guest_is_let_in_until_a_day(until: str) -> None:
    at = desk()
    assert at.gives("let_guest_in", guest_id="G-1", until=until) == {**GUESTS["G-1"], "until": until}
    assert at.changed() == {"guests.changed": {"G-1": {"until": until}}}
    at.gives("let_guest_in", guest_id="G-1", until="2026-03-10")
    assert at.changed() == {}


def test_yesterday_as_the_last_day_ends_access_at_once() -> None:
    at = desk({"guests": keyed(guest("G-5", "Fay", "2026-02-01", "R-1"))})
    at.gives("let_guest_in", guest_id="G-1", until="2026-03-01")
    assert at.ids("list_guests", current=True) == ["G-4", "G-2"]
    assert at.changed() == {"guests.changed": {"G-1": {"until": "2026-03-01"}}}
    for guest_id, name in [("G-1", "Ben"), ("G-3", "Dan"), ("G-5", "Fay")]:
        words = f"The access of {name} has ended already; choose a day from 2026-03-02 on to let them in again"
        at.refuses("let_guest_in", "conflict", words, guest_id=guest_id, until="2026-03-01")
    at.gives("let_guest_in", guest_id="G-1", until="2026-03-10")
    assert at.changed() == {}


def test_access_on_this_day_alone_is_given_and_ended() -> None:
    at = desk()
    at.gives("let_guest_in", guest_id="G-3", until="2026-03-02")
    at.gives("let_guest_in", guest_id="G-2", until="2026-03-01")
    assert at.changed() == {
        "guests.changed": {"G-3": {"until": "2026-03-02"}, "G-2": {"until": "2026-03-01"}},
    }


@pytest.mark.parametrize("until", ["2026-02-28", "2026-05-02"])
def test_access_ends_within_sixty_days(until: str) -> None:
    words = f"lies from 2026-03-02 to 2026-05-01, or is 2026-03-01 to end access now, not {until}"
    desk().refuses("let_guest_in", "invalid_argument", words, guest_id="G-1", until=until)


def test_who_is_no_guest_of_the_users_is_not_let_in() -> None:
    at = desk()
    words = "Ben has access until 2026-03-10 already; choose another day"
    at.refuses("let_guest_in", "conflict", words, guest_id="G-1", until="2026-03-10")
    day = "2026-03-20"
    at.refuses("let_guest_in", "permission_denied", "That guest belongs to somebody else", guest_id="G-8", until=day)
    at.refuses("let_guest_in", "not_found", "no guest with the id 'G-99'", guest_id="G-99", until=day)


@pytest.mark.parametrize(("more", "room"), [(1, True), (2, False)])
def test_five_guests_have_access_at_one_time(more: int, room: bool) -> None:
    rows = [guest(f"G-2{n}", f"Guest {n}", "2026-03-02", "R-1") for n in range(more)]  # beside three
    others = [guest(f"G-3{n}", f"Guest {n}", "2026-03-20", "R-4", owner="M-2") for n in range(6)]
    at = desk({"guests": keyed(*rows, *others)})
    if room:
        at.gives("let_guest_in", guest_id="G-3", until="2026-03-20")
        assert at.ids("list_guests", room_id="R-1", current=True)[0] == "G-3"
    else:
        words = "You have 5 guests, the most there may be; make 2026-03-01 the last day of one of them first"
        at.refuses("let_guest_in", "limit_exceeded", words, guest_id="G-3", until="2026-03-20")
        at.gives("let_guest_in", guest_id="G-2", until="2026-03-20")  # who is one of them
        at.gives("let_guest_in", guest_id="G-2", until="2026-03-01")
        at.gives("let_guest_in", guest_id="G-3", until="2026-03-20")


# -- energy


def use(key: str, used: float, cost: float) -> Row:
    row = DEVICES[key]
    return {"device_id": key, "device": row["name"], "room": row["room"], "used": used, "cost": cost}


def test_energy_is_added_up_and_costs() -> None:
    at = desk()
    assert at.gives("read_energy", since="2026-02-17") == {
        "since": "2026-02-17", "until": "2026-03-02", "all_used": 5.15, "total": 3, "page": 1, "pages": 1,
        "devices": [use("D-7", 3.05, 0.98), use("D-8", 2.0, 0.64), use("D-1", 0.1, 0.03)],
    }  # fmt: skip
    days = at.gives("read_energy", since="2026-02-18", until="2026-02-25")
    assert (days["devices"], days["all_used"]) == ([use("D-8", 2.0, 0.64), use("D-7", 1.1, 0.35)], 3.1)
    assert at.gives("read_energy", since="2026-02-26", until="2026-03-01")["devices"] == [use("D-1", 0.1, 0.03)]
    assert at.gives("read_energy", since="2026-03-02")["devices"] == [use("D-7", 0.7, 0.22)]


def test_energy_is_read_by_room_and_page() -> None:
    at = desk()
    assert at.gives("read_energy", since="2026-02-17", room_id="R-1")["devices"] == [use("D-1", 0.1, 0.03)]
    assert at.gives("read_energy", since="2026-02-17", room_id="R-3")["all_used"] == 0
    second = at.gives("read_energy", since="2026-02-17", page=2)
    assert (second["devices"], second["all_used"]) == ([], 5.15)
    at.refuses("read_energy", "permission_denied", "room belongs to somebody else", since="2026-02-25", room_id="R-5")
    at.refuses("read_energy", "not_found", "R-99", since="2026-02-25", room_id="R-99")


@pytest.mark.parametrize(
    ("days", "words"),
    [
        ({"since": "2026-02-16"}, "Readings are kept from 2026-02-17 to 2026-03-02; choose days among them"),
        ({"since": "2026-02-20", "until": "2026-03-03"}, "Readings are kept from"),
        ({"since": "2026-02-25", "until": "2026-02-24"}, "before it begins"),
        ({"since": "2026-03-03"}, "before it begins"),
    ],
)
def test_energy_is_read_for_days_that_are_kept(days: Row, words: str) -> None:
    desk().refuses("read_energy", "invalid_argument", words, **days)


# -- scenarios


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("size", [10, 60, 300])
def test_a_scenario_has_its_edge_cases(seed: int, size: int) -> None:
    world = build_scenario(SmartHome, seed, size, DEFAULT_NOW)
    today, me = world.now.date(), world.member_id
    mine = [row for row in world.devices.values() if row.owner_id == me]
    assert {row.kind for row in mine} == {"light", "plug", "thermostat", "blind", "lock"}
    assert {row.state for row in mine} >= {"on", "off", "offline", "unlocked", "open"}
    assert any(row.child_lock for row in mine)
    assert any(row.door_open for row in mine)
    assert any(row.owner_only and row.owner_id != me for row in world.devices.values())
    current = [row.until >= today for row in world.guests.values() if row.owner_id == me]
    assert sum(current) == 4 < len(current)
    email = world.members[me].email
    assert {row.until >= today for row in world.guests.values() if row.email == email} == {True, False}
    skipped = [
        rules.to_run(row, world.devices)[1] for row in rules.mine(world.scenes.values(), me) if not row.in_effect
    ]
    assert {bool(each) for each in skipped} == {True, False}, "each can be run, some of them in part only"
    assert len(rules.mine(world.scenes.values(), me)) > 5, "a list has a second page"


def test_the_settings_of_a_scene_are_told_in_words() -> None:
    world = build_scenario(SmartHome, 1, 60, DEFAULT_NOW)
    said = {row.name: [each.means for each in row.settings] for row in rules.mine(world.scenes.values(), "HM-1")}
    assert said["good night"] == ["off", "locked", "locked", "at 17 degrees", "at 0 percent"]
    assert said["reading"] == ["at 80 percent", "at 30 percent", "on"]


def test_the_name_of_a_routine_fixes_no_time_of_day() -> None:
    world = build_scenario(SmartHome, 1, 60, DEFAULT_NOW)
    words = {word for row in rules.mine(world.routines.values(), world.member_id) for word in row.name.split()}
    assert not words & {"time", "morning", "noon", "evening", "night", "school", "breakfast", "lunch", "dinner"}


def test_every_guest_of_a_large_scenario_has_an_id_of_their_own() -> None:
    world = build_scenario(SmartHome, 1, 1600, DEFAULT_NOW)
    of_mine = [row for row in world.guests.values() if row.owner_id == world.member_id]
    assert len(of_mine) == 6 + 1600 // 30
    assert len(world.guests) - len(of_mine) == len(world.members) - 1


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("size", [10, 60, 300])
def test_a_scenario_keeps_its_own_rules(seed: int, size: int) -> None:
    world = build_scenario(SmartHome, seed, size, DEFAULT_NOW)
    for row in world.devices.values():
        room = world.rooms[row.room_id]
        assert (row.room, row.home, row.owner_id) == (room.name, room.home, room.owner_id)
        assert rules.settled(row) == row
        assert not (row.door_open and row.locked)
        assert row.level is None or row.level >= (row.min_level or 0)
        if row.temperature is not None and row.min_temperature is not None and row.max_temperature is not None:
            assert row.min_temperature <= row.temperature <= row.max_temperature
    last = [row for row in world.scenes.values() if row.in_effect]
    assert [row.owner_id for row in last] == [world.member_id]
    assert all(rules.agrees(world.devices[each.device_id], each) for each in last[0].settings)
    assert rules.to_undo(last[0], world.devices, world.scenes.values())[1] == []
    for one, other in itertools.combinations(world.routines.values(), 2):
        if one.at == other.at and rules.overlap(one.days, other.days):
            both = {each.device_id for each in world.scenes[one.scene_id].settings}
            assert not both & {each.device_id for each in world.scenes[other.scene_id].settings}
    for row in world.scenes.values():
        assert all(world.devices[each.device_id].owner_id == row.owner_id for each in row.settings)
        assert all(each.locked is not False for each in row.settings)
    homes = {(row.home, row.owner_id) for row in world.rooms.values()}
    assert len({home for home, _ in homes}) == len({owner for _, owner in homes}) == len(homes)
