"""The homes of a scenario: the user's own, one in which some rooms are open to the user, and those of others."""

import datetime as dt
from typing import Any, NamedTuple

from envfactory.catalogue.lifestyle._home_records import (
    Capability,
    Days,
    DeviceSetting,
    EnergyReading,
    HomeDevice,
    HomeGuest,
    HomeMember,
    HomeRoom,
    HomeRoutine,
    HomeScene,
    Kind,
    OpenRoom,
)
from envfactory.catalogue.lifestyle._home_rules import KEPT_DAYS, apply, setting_of, settled
from envfactory.environment import World, by_id
from envfactory.environment.world import STREETS


class _Device(NamedTuple):
    """A device of a room: what it is called, what it is, and what is special about it."""

    name: str
    kind: Kind
    dims: bool = False
    online: bool = True
    child_lock: bool = False
    door_open: bool = False
    owner_only: bool = False
    daily: float = 0.0
    """Kilowatt-hours that a plug uses a day."""


_ROOMS: dict[str, tuple[_Device, ...]] = {
    "living room": (
        _Device("ceiling lamp", "light", dims=True),
        _Device("reading lamp", "light", dims=True),
        _Device("floor lamp", "light", online=False),
        _Device("window blind", "blind"),
        _Device("television plug", "plug", daily=0.9),
        _Device("speaker plug", "plug", daily=0.3),
        _Device("radiator", "thermostat"),
        _Device("terrace door", "lock", door_open=True),
    ),
    "kitchen": (
        _Device("ceiling lamp", "light", dims=True),
        _Device("worktop light", "light"),
        _Device("kettle plug", "plug", child_lock=True, daily=0.6),
        _Device("dishwasher plug", "plug", daily=1.1),
        _Device("window blind", "blind"),
    ),
    "hall": (
        _Device("wall light", "light"),
        _Device("front door", "lock", owner_only=True),
        _Device("cellar door", "lock"),
        _Device("scooter plug", "plug", daily=0.5),
    ),
    "bedroom": (
        _Device("bedside lamp", "light", dims=True),
        _Device("window blind", "blind"),
        _Device("fan plug", "plug", daily=0.4),
        _Device("radiator", "thermostat"),
    ),
    "study": (
        _Device("desk lamp", "light", dims=True),
        _Device("monitor plug", "plug", daily=0.7),
        _Device("window blind", "blind", online=False),
        _Device("radiator", "thermostat"),
    ),
    "bathroom": (
        _Device("mirror light", "light", dims=True),
        _Device("towel heater plug", "plug", daily=1.4),
        _Device("radiator", "thermostat"),
    ),
    "children's room": (
        _Device("night light", "light", dims=True),
        _Device("window blind", "blind"),
        _Device("heater plug", "plug", child_lock=True, daily=0.8),
        _Device("radiator", "thermostat"),
    ),
    "guest room": (
        _Device("ceiling lamp", "light", dims=True),
        _Device("heated blanket plug", "plug", daily=0.2),
        _Device("radiator", "thermostat"),
    ),
    "garage": (
        _Device("work light", "light"),
        _Device("garage door", "lock"),
        _Device("car charger plug", "plug", daily=6.5),
    ),
    "laundry": (
        _Device("strip light", "light", online=False),
        _Device("washing machine plug", "plug", daily=1.2),
        _Device("dryer plug", "plug", daily=1.9),
    ),
}
_SHARED = ("living room", "hall", "guest room")
"""The rooms of everybody else; the first two of the first such home are open to the user."""

_Wanted = dict[str, dict[str, Any]]
"""Settings by room and device: a slash between them."""
_OFF = {"on": False}
_SCENES: dict[str, _Wanted] = {
    "movie night": {
        "living room/ceiling lamp": _OFF,
        "living room/reading lamp": {"on": True, "level": 20},
        "living room/window blind": {"level": 0},
        "living room/television plug": {"on": True},
    },
    "reading": {
        "living room/reading lamp": {"on": True, "level": 80},
        "living room/ceiling lamp": {"on": True, "level": 30},
        "living room/floor lamp": {"on": True},
    },
    "dining": {
        "kitchen/ceiling lamp": {"on": True, "level": 50},
        "kitchen/worktop light": _OFF,
        "kitchen/window blind": {"level": 20},
    },
    "good night": {
        "living room/reading lamp": _OFF,
        "living room/terrace door": {"locked": True},
        "hall/front door": {"locked": True},
        "bedroom/radiator": {"temperature": 17.0},
        "bedroom/window blind": {"level": 0},
    },
    "wake up": {
        "bedroom/bedside lamp": {"on": True, "level": 60},
        "bedroom/window blind": {"level": 100},
        "bedroom/radiator": {"temperature": 20.0},
        "kitchen/kettle plug": {"on": True},
    },
    "focus": {
        "study/desk lamp": {"on": True, "level": 100},
        "study/radiator": {"temperature": 21.0},
        "study/monitor plug": {"on": True},
    },
    "sun shade": {
        "living room/window blind": {"level": 30},
        "kitchen/window blind": {"level": 30},
        "study/window blind": {"level": 30},
    },
    "leaving home": {
        "living room/ceiling lamp": _OFF,
        "living room/radiator": {"temperature": 17.0},
        "hall/wall light": _OFF,
        "hall/front door": {"locked": True},
        "hall/cellar door": {"locked": True},
    },
}
_LAST = "dining"
"""The scene that was run last."""
_LEVELS = (35, 45, 55, 65, 75, 85, 95)
"""None of them is one of a scene's."""
_DEGREES = (18.5, 19.5, 20.5, 21.5)
_ROUTINES: tuple[tuple[str, str, dt.time, Days], ...] = (  # names of no time of day, since routines are moved
    ("going out", "leaving home", dt.time(7, 45), "weekdays"),
    ("desk", "focus", dt.time(9, 15), "weekdays"),
    ("shade", "sun shade", dt.time(11, 45), "every_day"),
    ("nap", "good night", dt.time(13, 15), "weekends"),
    ("end of nap", "wake up", dt.time(14, 45), "weekends"),
    ("story", "reading", dt.time(17, 45), "weekdays"),
    ("film", "movie night", dt.time(17, 45), "weekends"),  # the same lamps at the same time on other days
    ("meal", "dining", dt.time(18, 15), "every_day"),
)
_CURRENT = 4
"""Guests of the user's who have access; one more may be let in."""


def smart_home(world: World, size: int) -> dict[str, Any]:
    """Draw the fields of the state, about `size` records and a hundred more, most of them readings."""
    others = 3 + size // 60
    people = world.people(others + 6 + size // 30)
    owners = [world.user, *people[:others]]
    members = [HomeMember(id=f"HM-{1 + n}", name=p.name, email=p.email) for n, p in enumerate(owners)]
    streets = world.sample(STREETS, len(STREETS))
    builder = _Builder(world)
    own = list(_ROOMS)[: min(len(_ROOMS), 5 + size // 30)]
    for n, member in enumerate(members):
        builder.build(member, f"{streets[n % 12]} {n + 2}" if n >= 12 else streets[n], own if n == 0 else _SHARED)
    scenes = [
        builder.scene(f"SC-{1 + n}", members[0], name, wanted) for n, (name, wanted) in enumerate(_SCENES.items())
    ]
    scenes = [builder.ran(scene) if scene.name == _LAST else scene for scene in scenes]
    named = {scene.name: scene for scene in scenes}
    theirs = {"living room/ceiling lamp": _OFF, "hall/wall light": _OFF}
    scenes += [builder.scene(f"SC-{21 + n}", member, "all off", theirs) for n, member in enumerate(members[1:])]
    routines = [
        HomeRoutine(
            id=f"RU-{1 + n}", name=name, owner_id=members[0].id, scene_id=named[scene].id, scene=scene, at=at, days=days
        )
        for n, (name, scene, at, days) in enumerate(_ROUTINES)
    ]
    routines += [
        HomeRoutine(
            id=f"RU-{21 + n}", name="lights out", owner_id=scene.owner_id, scene_id=scene.id, scene=scene.name,
            at=dt.time(23, 15), days="every_day",
        )
        for n, scene in enumerate(scenes[len(_SCENES) :])
    ]  # fmt: skip
    guests = [
        builder.guest(n, members[0], person.name, person.email, world.sample(own, 1 + n % 3), n < _CURRENT)
        for n, person in enumerate(people[others:])
    ]
    for n, member in enumerate(members[1:]):
        me = world.user
        guests.append(builder.guest(len(guests), member, me.name, me.email, list(_SHARED[:2]), n == 0))
    return {
        "now": world.now,
        "member_id": members[0].id,
        "members": by_id(members),
        "rooms": by_id(builder.rooms),
        "devices": builder.devices,
        "scenes": by_id(scenes),
        "routines": by_id(routines),
        "guests": by_id(guests),
        "readings": by_id(builder.readings),
    }


class _Builder:
    """Rooms, devices and readings as they are added."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.rooms: list[HomeRoom] = []
        self.devices: dict[str, HomeDevice] = {}
        self.readings: list[EnergyReading] = []

    def build(self, owner: HomeMember, home: str, rooms: list[str] | tuple[str, ...]) -> None:
        """Add a home with these rooms."""
        for name in rooms:
            room = HomeRoom(id=f"RM-{1 + len(self.rooms)}", name=name, home=home, owner_id=owner.id)
            self.rooms.append(room)
            warm = 18 + self.world.integer(0, 7) / 2
            for kind in _ROOMS[name]:
                self._add(room, kind, warm)

    def _add(self, room: HomeRoom, each: _Device, warm: float) -> None:
        world = self.world
        abilities: dict[Kind, tuple[Capability, ...]] = {
            "light": ("switch", "level") if each.dims else ("switch",), "plug": ("switch",),
            "thermostat": ("temperature",), "blind": ("level",), "lock": ("lock",),
        }  # fmt: skip
        values: dict[str, Any] = {}
        if each.kind in ("light", "plug"):
            values["on"] = world.chance(0.5) and not each.child_lock
            values["child_lock"] = each.child_lock
        if each.dims or each.kind == "blind":
            values["level"] = world.choice(_LEVELS)
            values["min_level"] = world.choice((1, 5, 10)) if each.dims else 0
        if each.kind == "thermostat":
            low, high = world.choice(((7.0, 28.0), (10.0, 26.0), (16.0, 24.0)))
            values.update(temperature=world.choice(_DEGREES), measured=warm, min_temperature=low, max_temperature=high)
        if each.kind == "lock":
            values.update(
                locked=not each.door_open and world.chance(0.4), door_open=each.door_open, owner_only=each.owner_only
            )
        device = settled(
            HomeDevice(
                id=f"DV-{101 + len(self.devices)}", name=each.name, kind=each.kind, room_id=room.id, room=room.name,
                home=room.home, owner_id=room.owner_id, capabilities=abilities[each.kind], state="off",
                online=each.online, **values,
            )
        )  # fmt: skip
        self.devices[device.id] = device
        for n in range(KEPT_DAYS if each.daily else 0):
            used = round(each.daily * world.integer(60, 140) / 100, 2)
            day = world.today - dt.timedelta(days=n)
            self.readings.append(
                EnergyReading(id=f"EN-{1001 + len(self.readings)}", device_id=device.id, day=day, used=used)
            )

    def _find(self, owner: HomeMember, place: str) -> HomeDevice:
        return next(d for d in self.devices.values() if d.owner_id == owner.id and f"{d.room}/{d.name}" == place)

    def scene(self, key: str, owner: HomeMember, name: str, wanted: _Wanted) -> HomeScene:
        """A scene of settings."""
        settings = tuple(setting_of(self._find(owner, place), **values) for place, values in wanted.items())
        return HomeScene(id=key, name=name, owner_id=owner.id, settings=settings)

    def ran(self, scene: HomeScene) -> HomeScene:
        """The scene, run just now: its devices are as it sets them."""
        before: list[DeviceSetting] = []
        for setting in scene.settings:
            device = self.devices[setting.device_id]
            if setting.on is False:
                device = device.evolve(on=True)
            before.append(setting_of(device))
            self.devices[device.id] = apply(device, setting)
        return scene.evolve(in_effect=True, before=tuple(before))

    def guest(self, n: int, owner: HomeMember, name: str, email: str, rooms: list[str], current: bool) -> HomeGuest:
        """Somebody to whom some rooms of a home are open, or were."""
        open_rooms = [room for room in self.rooms if room.owner_id == owner.id and room.name in rooms]
        return HomeGuest(
            id=f"GU-{1 + n}", name=name, email=email, owner_id=owner.id,
            rooms=tuple(OpenRoom(room_id=room.id, name=room.name) for room in open_rooms),
            until=self.world.date(4, 50) if current else self.world.date(-60, -3),
        )  # fmt: skip
