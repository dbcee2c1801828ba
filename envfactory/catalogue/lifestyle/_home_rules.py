"""Rules of the smart home: who may use what, what a device can be set to, what scenes change, when routines clash."""

import datetime as dt
from collections.abc import Iterable, Mapping
from typing import TypeVar

from envfactory.catalogue.lifestyle._home_records import (
    Capability,
    Days,
    DeviceSetting,
    DeviceUse,
    EnergyReading,
    HomeDevice,
    HomeGuest,
    HomeRoom,
    HomeRoutine,
    HomeScene,
    RoomView,
    SkippedDevice,
    State,
)
from envfactory.environment import ToolError, cents, check_span

WAYS: dict[Capability, str] = {
    "switch": "turned on and off",
    "level": "set to a percentage",
    "temperature": "set to a temperature",
    "lock": "locked and unlocked",
}
STEP = 0.5
"""Thermostats take half degrees."""
PRICE = 0.32
"""Dollars a kilowatt-hour."""
KEPT_DAYS = 14
"""Readings are kept for so many days, today among them."""
MOST_GUESTS = 5
"""Guests whom a member may have at one time."""
MOST_DAYS = 60
"""A guest is let in for so many days from today at most."""
GRID = 5
"""Routines run on full five minutes."""
_FIELDS = ("on", "level", "temperature", "locked")


def open_to(email: str, guests: Iterable[HomeGuest], today: dt.date) -> dict[str, dt.date]:
    """Rooms that somebody may use as a guest today, each with the last day of it."""
    current = [guest for guest in guests if guest.email == email and guest.until >= today]
    current.sort(key=lambda guest: guest.until)  # the last of several days counts
    return {room.room_id: guest.until for guest in current for room in guest.rooms}


def lets_into(guest: HomeGuest, room_id: str | None) -> bool:
    """Whether a room is, or was, open to a guest; if none is named, yes."""
    return room_id is None or any(room.room_id == room_id for room in guest.rooms)


def usable(thing: HomeDevice | HomeRoom, member_id: str, until: dt.date | None) -> bool:
    """Whether a member may see and use a device or room: the owner, and guests until their last day."""
    return thing.owner_id == member_id or until is not None


def check_open(thing: HomeDevice | HomeRoom, member_id: str, until: dt.date | None) -> None:
    """Refuse a device or room that a member may not use."""
    if not usable(thing, member_id, until):
        words = f"That {thing.noun} is not open to you; use one of those that are found in your rooms."
        raise ToolError("permission_denied", words)


M = TypeVar("M", HomeGuest, HomeRoutine, HomeScene)


def mine(records: Iterable[M], member_id: str) -> list[M]:
    """Those records that are a member's own."""
    return [record for record in records if record.owner_id == member_id]


def sets(scene: HomeScene, device_id: str | None) -> bool:
    """Whether a scene sets a device; if none is named, yes."""
    return device_id is None or any(setting.device_id == device_id for setting in scene.settings)


def room_view(room: HomeRoom, devices: Iterable[HomeDevice], until: dt.date | None) -> RoomView:
    """A room with how its devices stand; `until` is the last day of a guest, none for the owner."""
    there = [device for device in devices if device.room_id == room.id]
    return RoomView(
        id=room.id, name=room.name, home=room.home, devices=len(there),
        on=sum(device.state == "on" for device in there),
        offline=sum(device.state == "offline" for device in there),
        measured=next((device.measured for device in there if device.measured is not None), None),
        shared_until=until,
    )  # fmt: skip


def uses(
    devices: Iterable[HomeDevice], readings: Iterable[EnergyReading], since: dt.date, until: dt.date
) -> list[DeviceUse]:
    """What devices that are measured used over some days, and what that costs."""
    used: dict[str, float] = {}
    for reading in readings:
        if since <= reading.day <= until:
            used[reading.device_id] = round(used.get(reading.device_id, 0.0) + reading.used, 2)
    return [
        DeviceUse(
            device_id=device.id, device=device.name, room=device.room, used=used[device.id],
            cost=cents(used[device.id] * PRICE),
        )
        for device in devices
        if device.id in used
    ]  # fmt: skip


def check_days(since: dt.date, until: dt.date, today: dt.date) -> None:
    """Refuse days of which no readings are kept."""
    check_span(since, until)
    first = today - dt.timedelta(days=KEPT_DAYS - 1)
    if since < first or until > today:
        raise ToolError("invalid_argument", f"Readings are kept from {first} to {today}; choose days among them.")


def settled(device: HomeDevice) -> HomeDevice:
    """The device with the state that follows from its settings."""
    return device.evolve(state=_state(device))


def _state(device: HomeDevice) -> State:
    if not device.online:
        return "offline"
    if device.locked is not None:
        return "locked" if device.locked else "unlocked"
    if device.temperature is not None and device.measured is not None:
        return "heating" if device.measured < device.temperature else "idle"
    if device.on is not None:
        return "on" if device.on else "off"
    return "open" if device.level else "closed"


def check_can(device: HomeDevice, capability: Capability) -> None:
    """Refuse what a device cannot do, or any device that cannot be reached."""
    if capability not in device.capabilities:
        ways = " or ".join(WAYS[each] for each in device.capabilities)
        words = f"The {device.name} is a {device.kind} that cannot be {WAYS[capability]}; it can be {ways}."
        raise ToolError("invalid_argument", words)
    if not device.online:
        words = f"The {device.name} is offline; it can be used once it has power and is connected again."
        raise ToolError("precondition_failed", words)


def check_switch(device: HomeDevice, on: bool) -> None:
    """Refuse to turn on what is on already, or a plug whose child lock is on; and so on for off."""
    if device.on == on:
        raise ToolError("conflict", f"The {device.name} is {device.state} already; leave it as it is.")
    if on and device.child_lock:
        words = f"The child lock of the {device.name} is on, so it stays off; take that off at the plug first."
        raise ToolError("precondition_failed", words)


def at_level(device: HomeDevice, level: int) -> HomeDevice:
    """A device at a level, on if it is a light; refused below what it takes, and for the level that it has."""
    least = device.min_level or 0
    if level < least:
        words = f"The {device.name} takes {least} to 100 percent, not {level}; turn it off to have it dark."
        raise ToolError("invalid_argument", words)
    if device.level == level and device.on is not False:
        raise ToolError("conflict", f"The {device.name} is at {level} percent already; choose another level.")
    return settled(device.evolve(level=level, on=None if device.on is None else True))


def check_temperature(device: HomeDevice, temperature: float) -> None:
    """Refuse a temperature out of a thermostat's range, between its steps, or the one that it has."""
    low, high = device.min_temperature or 0, device.max_temperature or 0
    if not low <= temperature <= high or temperature % STEP:
        words = f"The {device.name} takes {low:g} to {high:g} degrees in steps of half a degree, not {temperature:g}."
        raise ToolError("invalid_argument", words)
    if temperature == device.temperature:
        words = f"The {device.name} is set to {temperature:g} degrees already; choose another temperature."
        raise ToolError("conflict", words)


def check_door(device: HomeDevice, locked: bool, *, owner: bool) -> None:
    """Refuse a lock that only the owner may use, what is locked or unlocked already, or to lock an open door."""
    if device.owner_only and not owner:
        words = f"Only the owner of the home may lock and unlock the {device.name}; ask the owner to do it."
        raise ToolError("permission_denied", words)
    if device.locked == locked:
        raise ToolError("conflict", f"The {device.name} is {device.state} already; leave it as it is.")
    if locked and device.door_open:
        raise ToolError("precondition_failed", f"The {device.name} stands open; close it first, then lock it.")


def setting_of(device: HomeDevice, **wanted: object) -> DeviceSetting:
    """How a device is set, or shall be if settings are given."""
    values = wanted or {field: vars(device)[field] for field in _FIELDS}
    bare = DeviceSetting.model_validate(
        {"device_id": device.id, "device": device.name, "room": device.room, "means": "", **values}
    )
    return bare.evolve(means=_words(bare))


def _words(setting: DeviceSetting) -> str:
    if setting.locked is not None:
        return "locked" if setting.locked else "unlocked"
    if setting.temperature is not None:
        return f"at {setting.temperature:g} degrees"
    if setting.on is False:
        return "off"
    return "on" if setting.level is None else f"at {setting.level} percent"


def agrees(device: HomeDevice, setting: DeviceSetting) -> bool:
    """Whether a device is set like that already."""
    return all(vars(device)[field] == value for field, value in _values(setting).items())


def apply(device: HomeDevice, setting: DeviceSetting) -> HomeDevice:
    """The device, set like that."""
    return settled(device.evolve(**_values(setting)))


def _values(setting: DeviceSetting) -> dict[str, object]:
    return {field: value for field in _FIELDS if (value := vars(setting)[field]) is not None}


def hindrance(device: HomeDevice, setting: DeviceSetting) -> str:
    """Why a scene leaves a device that is set otherwise as it is; empty if nothing is in its way."""
    if not device.online:
        return "it is offline"
    if device.child_lock and setting.on:
        return "its child lock is on"
    if setting.locked and device.door_open:
        return "the door stands open"
    if setting.locked is False:
        return "scenes unlock no doors"
    return ""


Plan = tuple[list[DeviceSetting], list[SkippedDevice]]


def to_run(scene: HomeScene, devices: Mapping[str, HomeDevice]) -> Plan:
    """What running a scene changes, and what it leaves because something is in the way."""
    wanted = [setting for setting in scene.settings if not agrees(devices[setting.device_id], setting)]
    if not wanted:
        words = f"Everything is set as the {scene.name} scene has it already; run another scene or change one device."
        raise ToolError("conflict", words)
    return _parted(scene, [(setting, hindrance(devices[setting.device_id], setting)) for setting in wanted])


def to_undo(scene: HomeScene, devices: Mapping[str, HomeDevice], mine: Iterable[HomeScene]) -> Plan:
    """What undoing a scene changes, and what it leaves; of a member's own only the one that was run last can be."""
    if not scene.in_effect:
        last = next((each.name for each in mine if each.in_effect), "")
        way = f"that is {last}" if last else "and none is left to undo; set the devices one by one"
        raise ToolError("precondition_failed", f"Only the scene that was run last can be undone, {way}.")
    made = {setting.device_id: _values(setting) for setting in scene.settings}
    steps: list[tuple[DeviceSetting, str]] = []
    for old in scene.before:
        device = devices[old.device_id]
        as_left = agrees(device, old.evolve(**made[device.id]))
        steps.append((old, hindrance(device, old) if as_left else "it was set otherwise since"))
    return _parted(scene, steps)


def _parted(scene: HomeScene, steps: list[tuple[DeviceSetting, str]]) -> Plan:
    """What can be done and what cannot; refused if nothing can."""
    skipped = [
        SkippedDevice(device_id=step.device_id, device=step.device, room=step.room, reason=reason)
        for step, reason in steps
        if reason
    ]
    if len(skipped) == len(steps):
        why = "; ".join(f"{each.room} {each.device}: {each.reason}" for each in skipped)
        words = f"The {scene.name} scene can change nothing now ({why}); put that right or set single devices."
        raise ToolError("precondition_failed", words)
    return [step for step, reason in steps if not reason], skipped


def overlap(days: Days, others: Days) -> bool:
    """Whether two routines run on a day in common."""
    return days == others or "every_day" in (days, others)


def check_routine(
    was: HomeRoutine, moved: HomeRoutine, scenes: Mapping[str, HomeScene], routines: Iterable[HomeRoutine]
) -> None:
    """Refuse a routine at an odd time, at its own, or one that sets a device at the time at which another one does."""
    if moved.at.minute % GRID or moved.at.second or moved.at.microsecond:
        raise ToolError("invalid_argument", f"Routines run on full {GRID} minutes, such as 07:30 or 07:35.")
    if moved == was:
        raise ToolError("conflict", f"The {was.name} routine runs at that time already; choose another time or days.")
    mine = {setting.device_id for setting in scenes[moved.scene_id].settings}
    for other in routines:
        if other.id == moved.id or other.at != moved.at or not overlap(other.days, moved.days):
            continue
        if both := [f"{each.room} {each.device}" for each in scenes[other.scene_id].settings if each.device_id in mine]:
            words = f"The {other.name} routine sets the {both[0]} at {moved.at:%H:%M} too; choose another time or days."
            raise ToolError("conflict", words)


def check_until(guest: HomeGuest, until: dt.date, guests: Iterable[HomeGuest], today: dt.date) -> None:
    """Refuse a last day too far off, or one more guest than a member may have; yesterday ends access at once."""
    over, last = today - dt.timedelta(days=1), today + dt.timedelta(days=MOST_DAYS)
    if not over <= until <= last:
        words = f"The last day of a guest lies from {today} to {last}, or is {over} to end access now, not {until}."
        raise ToolError("invalid_argument", words)
    if until < today and guest.until < today:
        words = f"The access of {guest.name} has ended already; choose a day from {today} on to let them in again."
        raise ToolError("conflict", words)
    if until == guest.until:
        raise ToolError("conflict", f"{guest.name} has access until {until} already; choose another day.")
    current = [each for each in guests if each.owner_id == guest.owner_id and each.until >= today]
    if guest.until < today and len(current) >= MOST_GUESTS:
        words = f"You have {MOST_GUESTS} guests, the most there may be; make {over} the last day of one of them first."
        raise ToolError("limit_exceeded", words)
