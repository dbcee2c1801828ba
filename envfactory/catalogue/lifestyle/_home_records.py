"""Records and results of the smart home: rooms, devices and what they can do, scenes, routines, guests, energy."""

import datetime as dt
from typing import Annotated, Literal

from pydantic import Field

from envfactory.environment import Output, Page, Ranked, Record, Ref, Unit, Value

MemberId = Annotated[str, Ref("HomeMember")]
RoomId = Annotated[str, Ref("HomeRoom")]
DeviceId = Annotated[str, Ref("HomeDevice")]
SceneId = Annotated[str, Ref("HomeScene")]
RoutineId = Annotated[str, Ref("HomeRoutine")]
GuestId = Annotated[str, Ref("HomeGuest")]
HomeName = Annotated[str, Value("home_name", "Name of a home: the street it is in.")]
Email = Annotated[str, Value("email", "E-mail address.")]
Kind = Annotated[
    Literal["light", "plug", "thermostat", "blind", "lock"], Value("home_device_kind", "What a device is.")
]
Capability = Annotated[
    Literal["switch", "level", "temperature", "lock"],
    Value("device_capability", "What can be done with a device: on or off, a percentage, a temperature, locking."),
]
State = Annotated[
    Literal["on", "off", "open", "closed", "heating", "idle", "locked", "unlocked", "offline"],
    Value("home_device_state", "How a device stands; an offline one cannot be reached."),
]
Days = Annotated[Literal["every_day", "weekdays", "weekends"], Value("routine_days", "Days on which a routine runs.")]
AccessEnd = Annotated[dt.date, Value("access_end", "Last day on which a guest may use rooms.")]
Since = Annotated[dt.date, Value("energy_since", "First day of energy use that is counted.")]
Until = Annotated[dt.date, Value("energy_until", "Last day of energy use that is counted.")]
Level = Annotated[int, Field(ge=0, le=100), Unit("%")]
Temperature = Annotated[float, Field(ge=5, le=30), Unit("degree")]
Energy = Annotated[float, Field(ge=0), Unit("kilowatt-hour")]
Count = Annotated[int, Field(ge=0), Unit("device")]


class HomeMember(Record, noun="member", label="{name}"):
    """Somebody who owns a home."""

    id: MemberId
    """Identifier of the member."""
    name: str
    """Full name."""
    email: Email


class HomeRoom(Record, noun="room", label="the {name}[ at {home}]"):
    """A room of a home."""

    id: RoomId
    """Identifier of the room."""
    name: str
    """What it is called."""
    home: HomeName
    owner_id: MemberId
    """Whose home it is in."""


class HomeDevice(
    Record,
    noun="device",
    label="the {name}[ in the {room}][ at {home}]",
    listing="{name} in the {room}, {home} ({state})",
):
    """A device; which settings it has follows from what it can do."""

    id: DeviceId
    """Identifier of the device."""
    name: str
    """What it is called."""
    kind: Kind
    room_id: RoomId
    """Room that it is in."""
    room: str
    """Name of that room."""
    home: HomeName
    owner_id: MemberId
    """Whose home it is in."""
    capabilities: tuple[Capability, ...]
    """What can be done with it."""
    state: State
    online: bool = True
    """Whether it can be reached."""
    on: bool | None = None
    """Whether a light or plug is on."""
    level: Level | None = None
    """How bright a light is when it is on, or how far a blind is open."""
    min_level: Level | None = None
    """The least level that it takes."""
    temperature: Temperature | None = None
    """What a thermostat heats to."""
    min_temperature: Temperature | None = None
    """The least that it heats to."""
    max_temperature: Temperature | None = None
    """The most that it heats to."""
    measured: Annotated[float, Unit("degree")] | None = None
    """How warm its room is."""
    locked: bool | None = None
    """Whether a door is locked."""
    owner_only: bool = False
    """Whether only the owner of the home may lock and unlock it."""
    door_open: bool = False
    """Whether the door of a lock stands open."""
    child_lock: bool = False
    """Whether a plug is locked against being switched on; that is taken off at the plug itself."""


class DeviceSetting(Output, noun="setting", label="the {device}[ in the {room}]", listing="{room} {device} {means}"):
    """How a device is set, or shall be; what is not named is left as it is."""

    device_id: DeviceId
    """The device."""
    device: str
    """What it is called."""
    room: str
    """Name of its room."""
    means: str
    """The setting in words."""
    on: bool | None = None
    """Whether it is on."""
    level: Level | None = None
    """How bright it is, or how far open."""
    temperature: Temperature | None = None
    """What it heats to."""
    locked: bool | None = None
    """Whether it is locked."""


class HomeScene(Record, noun="scene", label="the {name} scene", listing="{name}"):
    """Settings of several devices that are made at once."""

    id: SceneId
    """Identifier of the scene."""
    name: str
    """What it is called."""
    owner_id: MemberId
    """Whose scene it is."""
    settings: tuple[DeviceSetting, ...]
    """How it sets each of its devices."""
    in_effect: bool = False
    """Whether it is the one of its owner's that was run last, and can be undone."""
    before: tuple[DeviceSetting, ...] = ()
    """How the devices that it changed were set before."""


class HomeRoutine(Record, noun="routine", label="the {name} routine", listing="{name} ({scene}, {days}, {at})"):
    """A scene that runs at a time of day."""

    id: RoutineId
    """Identifier of the routine."""
    name: str
    """What it is called."""
    owner_id: MemberId
    """Whose routine it is."""
    scene_id: SceneId
    """Scene that it runs."""
    scene: str
    """Name of that scene."""
    at: dt.time
    """When it runs."""
    days: Days


class OpenRoom(Output, noun="room", label="the {name}"):
    """A room that a guest may use."""

    room_id: RoomId
    """The room."""
    name: str
    """What it is called."""


class HomeGuest(Record, noun="guest", label="{name}", listing="{name} (until {until})"):
    """Somebody who may use some rooms of a home until a day."""

    id: GuestId
    """Identifier of the guest."""
    name: str
    """Full name."""
    email: Email
    owner_id: MemberId
    """Whose guest it is."""
    rooms: tuple[OpenRoom, ...]
    """Rooms that are open to the guest."""
    until: AccessEnd


class EnergyReading(Record, noun="reading", label="the reading of {day}"):
    """What a device used on one day."""

    id: Annotated[str, Ref("EnergyReading")]
    """Identifier of the reading."""
    device_id: DeviceId
    """Device that was measured."""
    day: dt.date
    """Day of the measurement."""
    used: Energy
    """What it used."""


class RoomView(
    Output, noun="room", label="the {name}[ at {home}]", listing="{name} ({on} on[, open to you until {shared_until}])"
):
    """A room and how its devices stand."""

    id: RoomId
    """Identifier of the room."""
    name: str
    """What it is called."""
    home: HomeName
    devices: Count
    """How many devices are in it."""
    on: Annotated[Count, Ranked("darkest", "busiest")]
    """How many lights and plugs are on."""
    offline: Count
    """How many cannot be reached."""
    measured: Annotated[float, Unit("degree")] | None = None
    """How warm it is."""
    shared_until: dt.date | None = None
    """Last day on which the signed-in member may use it as a guest; not given in the member's own home."""


class DeviceUse(Output, noun="device", label="the {device}[ in the {room}]", listing="{device} ({used}, {cost})"):
    """What a device used over some days."""

    device_id: DeviceId
    """The device."""
    device: str
    """What it is called."""
    room: str
    """Name of its room."""
    used: Annotated[Energy, Ranked("thriftiest", "hungriest")]
    """What it used in all."""
    cost: Annotated[float, Unit("USD")]
    """What that costs."""


class RoomPage(Page):
    """A page of rooms."""

    rooms: tuple[RoomView, ...]
    """The rooms on this page."""


class DevicePage(Page):
    """A page of devices."""

    devices: tuple[HomeDevice, ...]
    """The devices on this page."""


class ScenePage(Page):
    """A page of scenes."""

    scenes: tuple[HomeScene, ...]
    """The scenes on this page."""


class RoutinePage(Page):
    """A page of routines."""

    routines: tuple[HomeRoutine, ...]
    """The routines on this page."""


class GuestPage(Page):
    """A page of guests."""

    guests: tuple[HomeGuest, ...]
    """The guests on this page."""


class EnergyPage(Page):
    """A page of devices with what they used."""

    devices: tuple[DeviceUse, ...]
    """The devices on this page."""
    since: dt.date
    """First day that was counted."""
    until: dt.date
    """Last day that was counted."""
    all_used: Energy
    """What all of them used, those on other pages too."""


class DeviceDetails(Output):
    """A device with the scenes and routines that set it."""

    device: HomeDevice
    """The device."""
    scenes: tuple[HomeScene, ...]
    """Scenes of its owner that set it; shown to the owner only."""
    routines: tuple[HomeRoutine, ...]
    """Routines that run these scenes; shown to the owner only."""


class SkippedDevice(Output, noun="device", label="the {device}[ in the {room}]", listing="{room} {device} ({reason})"):
    """A device that was left as it is."""

    device_id: DeviceId
    """The device."""
    device: str
    """What it is called."""
    room: str
    """Name of its room."""
    reason: str
    """Why it was left."""


class SceneReport(Output):
    """What running or undoing a scene came to."""

    scene_id: SceneId
    """The scene."""
    name: str
    """What it is called."""
    changed: tuple[DeviceSetting, ...]
    """How the devices are set now that were set otherwise before."""
    skipped: tuple[SkippedDevice, ...]
    """Devices that were left as they are, and why."""
