"""A smart home: devices by what they can do, scenes that can be undone, routines that must not clash, guests, energy.

A member uses the devices of the own home, and those in rooms of other homes that are open to them as a guest. What a
scene sets is kept in the scene, and how things were before, so that the scene that was run last can be undone.
"""

import datetime as dt
from typing import Self

from envfactory.catalogue.lifestyle import _home_records as rec
from envfactory.catalogue.lifestyle import _home_rules as rules
from envfactory.catalogue.lifestyle._home_relations import DAYS, able, changing, having, own
from envfactory.catalogue.lifestyle._home_rules import mine
from envfactory.catalogue.lifestyle._home_scenario import smart_home
from envfactory.environment import Environment, FromNow, Having, PageNumber, Table, Within, World, owned, tool


class SmartHome(Environment):
    """Find and set the devices of a home, run and undo scenes, move routines, let guests in, and look at energy."""

    domain = "lifestyle"
    policy = """The user owns a home and may use the devices of rooms that others have opened to them, until a last day;
    scenes, routines, guests and energy are those of the own home only. Devices do what they are made for, within range:
    lights from their least level to 100 percent (off is not a level), blinds from 0 (closed) to 100 (open), thermostats
    in half degrees. Devices that are offline change nothing. A plug whose child lock is on can be turned off but not
    on. A door that stands open cannot be locked; some locks only the owner may use. A scene leaves what is offline,
    child-locked or open as it is and unlocks no door, run or undone. Only the scene that was run last can be undone,
    once; what was set otherwise since stays. No two routines set one device at one time on the same day; they run on
    full five minutes. Up to five guests have access at one time, for 60 days from today at most; yesterday as the last
    day ends it at once. Energy readings are kept for 14 days; a kilowatt-hour costs $0.32. Never unlock a door that was
    not asked for."""
    sources = (
        "Home Assistant REST API, States, Services and Scenes",
        "SmartThings API, Devices, Capabilities, Scenes and Rules",
        "Matter Application Cluster and Device Library: On/Off, Level Control, Thermostat, Window Covering, Door Lock",
        "Philips Hue CLIP API v2, Rooms, Scenes and Smart Scenes",
    )

    member_id: rec.MemberId
    """Member whose session this is."""
    members: Table[rec.HomeMember]
    rooms: Table[rec.HomeRoom]
    devices: Table[rec.HomeDevice]
    scenes: Table[rec.HomeScene]
    routines: Table[rec.HomeRoutine]
    guests: Table[rec.HomeGuest]
    readings: Table[rec.EnergyReading]

    @tool(
        ask=(
            "list the rooms[ at {home}][lit? where something is on]",
            "show me which rooms there are[ at {home}][lit? with something on]",
            "check the rooms[ at {home}][lit? that have lights or plugs on]",
            "look up the rooms[ at {home}][lit? in which something is still on]",
        ),
        noun="room[ at {home}][lit? where something is on]",
        reply=("There are {rooms}.", "There is no such room."),
    )
    def list_rooms(self, home: rec.HomeName | None = None, lit: bool = False, page: PageNumber = 1) -> rec.RoomPage:
        """List the rooms that the signed-in member may use, by name: the own ones, and those of others open to them.

        Args:
            home: Only rooms of the home in this street.
            lit: Only rooms in which a light or plug is on.
            page: Page of the results, five rooms each.
        """
        until = self._open_rooms()
        usable = [r for r in self.rooms.values() if rules.usable(r, self.member_id, until.get(r.id))]
        views = [rules.room_view(r, self.devices.values(), until.get(r.id)) for r in usable]
        found = [view for view in views if home in (None, view.home) and (view.on or not lit)]
        found.sort(key=lambda room: (room.name, room.id))
        return rec.RoomPage.of(found, page)

    @tool(
        ask=(
            "find[ {kind}] devices[ in {room_id}][ that are {state}]",
            "show me the[ {kind}] devices[ in {room_id}][ that are {state}]",
            "list the[ {kind}] devices[ of {room_id}][ that are {state}]",
            "see which[ {kind}] devices there are[ in {room_id}][ that are {state}]",
        ),
        noun="[{kind} ]device[ in {room_id}][ that is {state}]",
        reply=("I found {devices}.", "There is no such device."),
        where=(own("room_id"),),
    )
    def find_devices(
        self,
        room_id: rec.RoomId | None = None,
        kind: rec.Kind | None = None,
        state: rec.State | None = None,
        page: PageNumber = 1,
    ) -> rec.DevicePage:
        """Find the devices that the signed-in member may use, by room and name.

        Args:
            room_id: Only devices in this room.
            kind: Only devices of this kind.
            state: Only devices that stand like this: lights and plugs on or off, blinds open or closed, thermostats
                heating or idle, doors locked or unlocked, any of them offline.
            page: Page of the results, five devices each.
        """
        until = self._open_rooms()
        if room_id is not None:
            rules.check_open(self.rooms.require(room_id), self.member_id, until.get(room_id))
        found = [
            device
            for device in self.devices.values()
            if rules.usable(device, self.member_id, until.get(device.room_id))
            and room_id in (None, device.room_id)
            and kind in (None, device.kind)
            and state in (None, device.state)
        ]
        found.sort(key=lambda device: (device.home, device.room, device.name, device.id))
        return rec.DevicePage.of(found, page)

    @tool(
        ask=(
            "check how {device_id} is set",
            "tell me how {device_id} stands and which scenes use it",
            "look up the settings of {device_id}",
            "show me {device_id} with its scenes and routines",
        ),
        reply=(
            (
                "The {device.name} is {device.state}[, set to {device.temperature}][, with its level at {device.level}]"
                "[; scenes: {scenes}][; routines: {routines}]."
            ),
        ),
        where=(own("device_id"),),
    )
    def get_device(self, device_id: rec.DeviceId) -> rec.DeviceDetails:
        """Get a device that the signed-in member may use: settings, range, and own scenes and routines that set it.

        Args:
            device_id: Device to look at.
        """
        device = self._device(device_id)
        scenes = tuple(s for s in mine(self.scenes.values(), self.member_id) if rules.sets(s, device_id))
        used = {scene.id for scene in scenes}
        routines = tuple(routine for routine in self.routines.values() if routine.scene_id in used)
        return rec.DeviceDetails(device=device, scenes=scenes, routines=routines)

    @tool(
        writes=True,
        ask=(
            "turn {device_id}[on? on][!on? off]",
            "switch {device_id}[on? on][!on? off]",
            "have {device_id} turned[on? on][!on? off]",
            "get {device_id} switched[on? on][!on? off]",
        ),
        reply=("The {name} is {state} now.",),
        where=(*able("switch", "on"), having("child_lock", False)),
    )
    def switch_device(self, device_id: rec.DeviceId, on: bool) -> rec.HomeDevice:
        """Turn a light or plug on or off; a light comes on with its level from before.

        Args:
            device_id: Light or plug.
            on: Whether it shall be on.
        """
        device = self._device(device_id, "switch")
        rules.check_switch(device, on)
        return self.devices.replace(rules.settled(device.evolve(on=on)))

    @tool(
        writes=True,
        ask=(
            "bring {device_id} to {level}",
            "adjust {device_id} to {level}",
            "put {device_id} at {level}",
            "change {device_id} to {level}",
        ),
        reply=("The {name} is at {level} now.",),
        where=(*able("level", "level"), Within(parameter="level", low=20, high=100, step=10)),
    )
    def set_level(self, device_id: rec.DeviceId, level: rec.Level) -> rec.HomeDevice:
        """Dim a light, which turns it on, or move a blind.

        Args:
            device_id: Light that can be dimmed, or blind.
            level: Percent: how bright the light is, or how far the blind is open (0 is closed).
        """
        return self.devices.replace(rules.at_level(self._device(device_id, "level"), level))

    @tool(
        writes=True,
        ask=(
            "set {device_id} to {temperature}",
            "make {device_id} heat to {temperature}",
            "have {device_id} keep {temperature}",
            "set the target of {device_id} to {temperature}",
        ),
        reply=("The {name} in the {room} is set to {temperature} and is {state} now.",),
        where=(*able("temperature", "temperature"), Within(parameter="temperature", low=17, high=22, step=0.5)),
    )
    def set_temperature(self, device_id: rec.DeviceId, temperature: rec.Temperature) -> rec.HomeDevice:
        """Set what a thermostat heats to, within its range.

        Args:
            device_id: Thermostat.
            temperature: Degrees Celsius, in steps of half a degree.
        """
        device = self._device(device_id, "temperature")
        rules.check_temperature(device, temperature)
        return self.devices.replace(rules.settled(device.evolve(temperature=temperature)))

    @tool(
        writes=True,
        ask=(
            "[locked? lock][!locked? unlock] {device_id}",
            "have {device_id}[locked? locked][!locked? unlocked]",
            "see to it that {device_id} is[locked? locked][!locked? unlocked]",
            "get {device_id}[locked? locked][!locked? unlocked]",
        ),
        reply=("The {name} is {state} now.",),
        where=(*able("lock", "locked"), having("door_open", False)),
    )
    def set_lock(self, device_id: rec.DeviceId, locked: bool) -> rec.HomeDevice:
        """Lock or unlock a door; some only the owner of the home may use.

        Args:
            device_id: Lock of the door.
            locked: Whether it shall be locked.
        """
        device = self._device(device_id, "lock")
        rules.check_door(device, locked, owner=device.owner_id == self.member_id)
        return self.devices.replace(rules.settled(device.evolve(locked=locked)))

    @tool(
        ask=(
            "list my scenes[ that use {device_id}]",
            "show me the scenes[ that set {device_id}]",
            "check which scenes I have[ for {device_id}]",
            "look up my scenes[ with {device_id} in them]",
        ),
        noun="scene[ that sets {device_id}]",
        reply=("You have {scenes}.", "There is no such scene."),
        where=(own("device_id"),),
    )
    def list_scenes(self, device_id: rec.DeviceId | None = None, page: PageNumber = 1) -> rec.ScenePage:
        """List the signed-in member's scenes with what they set, by name, and which was run last.

        Args:
            device_id: Only scenes that set this device.
            page: Page of the results, five scenes each.
        """
        if device_id is not None:
            self._device(device_id)
        scenes = mine(self.scenes.values(), self.member_id)
        found = sorted((scene for scene in scenes if rules.sets(scene, device_id)), key=lambda scene: scene.name)
        return rec.ScenePage.of(found, page)

    @tool(
        writes=True,
        ask=("run {scene_id}", "start {scene_id}", "activate {scene_id}", "put {scene_id} on"),
        reply=("{name} is on: {changed}. Left as they are: {skipped}.", "{name} is on: {changed}."),
        where=(own("scene_id"), Having(parameter="scene_id", field="in_effect", among=(False,))),
    )
    def run_scene(self, scene_id: rec.SceneId) -> rec.SceneReport:
        """Set the devices of a scene at once; what is offline, child-locked or open is left and told.

        Args:
            scene_id: Scene to run.
        """
        scene = owned(self.scenes.require(scene_id), "owner_id", self.member_id)
        changed, skipped = rules.to_run(scene, self.devices)
        before = tuple(rules.setting_of(self.devices[setting.device_id]) for setting in changed)
        for other in mine(self.scenes.values(), self.member_id):
            self.scenes.replace(other.evolve(in_effect=False, before=()))
        return self._set(scene.evolve(in_effect=True, before=before), changed, skipped)

    @tool(
        writes=True,
        ask=("undo {scene_id}", "reverse {scene_id}", "roll {scene_id} back", "put back what {scene_id} changed"),
        reply=("Undone: {changed}. Left as they are: {skipped}.", "Undone: {changed}."),
        where=(own("scene_id"), Having(parameter="scene_id", field="in_effect", among=(True,))),
    )
    def undo_scene(self, scene_id: rec.SceneId) -> rec.SceneReport:
        """Put back what the last run changed, except what was set otherwise since and doors, which stay locked.

        Args:
            scene_id: The one that was run last.
        """
        scene = owned(self.scenes.require(scene_id), "owner_id", self.member_id)
        scenes = mine(self.scenes.values(), self.member_id)
        return self._set(scene.evolve(in_effect=False, before=()), *rules.to_undo(scene, self.devices, scenes))

    @tool(
        ask=(
            "list my routines[ for {scene_id}][, {days} only]",
            "show me the routines[ that run {scene_id}][, {days} only]",
            "check which routines I have[ for {scene_id}][, {days} only]",
            "look up when my routines run[, just those for {scene_id}][, {days} only]",
        ),
        noun="routine[ for {scene_id}][ that runs {days}]",
        reply=("You have {routines}.", "There is no such routine."),
        where=(own("scene_id"),),
    )
    def list_routines(
        self, scene_id: rec.SceneId | None = None, days: rec.Days | None = None, page: PageNumber = 1
    ) -> rec.RoutinePage:
        """List the signed-in member's routines, the earliest time of day first.

        Args:
            scene_id: Only routines that run this scene.
            days: Only routines with exactly these days.
            page: Page of the results, five routines each.
        """
        if scene_id is not None:
            owned(self.scenes.require(scene_id), "owner_id", self.member_id)
        routines = mine(self.routines.values(), self.member_id)
        found = [each for each in routines if scene_id in (None, each.scene_id) and days in (None, each.days)]
        found.sort(key=lambda routine: (routine.at, routine.name))
        return rec.RoutinePage.of(found, page)

    @tool(
        writes=True,
        ask=(
            "move {routine_id} to {at}[, {days}]",
            "reschedule {routine_id} to {at}[, {days}]",
            "have {routine_id} run at {at}[, {days}]",
            "shift {routine_id} to {at}[, {days}]",
        ),
        reply=("The {name} routine runs at {at}, {days}.",),
        where=(*changing("routine_id", "at", "days"), FromNow(parameter="at", days=(0, 0))),
    )
    def move_routine(self, routine_id: rec.RoutineId, at: dt.time, days: rec.Days | None = None) -> rec.HomeRoutine:
        """Change when a routine runs; no other routine may set one of its devices at that time.

        Args:
            routine_id: Routine to move.
            at: Time of day, in full five minutes.
            days: Days on which it runs from now on; those of before if not given.
        """
        routine = owned(self.routines.require(routine_id), "owner_id", self.member_id)
        moved = routine.evolve(at=at, days=days or routine.days)
        rules.check_routine(routine, moved, self.scenes, self.routines.values())
        return self.routines.replace(moved)

    @tool(
        ask=(
            "list my guests[ who may use {room_id}][current? and have access now]",
            "show me the guests[ of {room_id}][current? who have access today]",
            "check who has been given access[ to {room_id}][current? and still has it]",
            "look up which guests I have[ for {room_id}][current? whose access is still running]",
        ),
        noun="[current? current ]guest[ who may use {room_id}]",
        reply=("Your guests: {guests}.", "There is no such guest."),
        where=(own("room_id"),),
    )
    def list_guests(
        self, room_id: rec.RoomId | None = None, current: bool = False, page: PageNumber = 1
    ) -> rec.GuestPage:
        """List the signed-in member's guests, the one whose access ends last on top.

        Args:
            room_id: Only guests who may use this room.
            current: Only guests whose access has not ended.
            page: Page of the results, five guests each.
        """
        if room_id is not None:
            owned(self.rooms.require(room_id), "owner_id", self.member_id)
        guests = [each for each in mine(self.guests.values(), self.member_id) if rules.lets_into(each, room_id)]
        found = [guest for guest in guests if not (current and guest.until < self.now.date())]
        found.sort(key=lambda guest: (-guest.until.toordinal(), guest.name))
        return rec.GuestPage.of(found, page)

    @tool(
        writes=True,
        ask=(
            "let {guest_id} in until {until}",
            "give {guest_id} access until {until}",
            "set the last day of {guest_id} to {until}",
            "allow {guest_id} in up to {until}",
        ),
        reply=("{name} may use {rooms} until {until}.",),
        where=(*changing("guest_id", "until"), FromNow(parameter="until", days=(1, 40))),
    )
    def let_guest_in(self, guest_id: rec.GuestId, until: rec.AccessEnd) -> rec.HomeGuest:
        """Change the last day on which a guest may use the rooms that are open to them, sooner or later.

        Args:
            guest_id: Guest; one whose access has ended is let in again.
            until: Last day, from today to 60 days ahead; yesterday ends access at once.
        """
        guest = owned(self.guests.require(guest_id), "owner_id", self.member_id)
        rules.check_until(guest, until, self.guests.values(), self.now.date())
        return self.guests.replace(guest.evolve(until=until))

    @tool(
        ask=(
            "check how much energy was used from {since}[ to {until}][ in {room_id}]",
            "show me what my devices have used since {since}[ until {until}][ in {room_id}]",
            "find out which device used most from {since}[ to {until}][ in {room_id}]",
            "look up the power consumption from {since}[ to {until}][ of {room_id}]",
        ),
        noun="device that used energy from {since}[ to {until}][ in {room_id}]",
        reply=("It was {all_used} in all: {devices}.", "Nothing was measured."),
        where=(own("room_id"), *DAYS),
    )
    def read_energy(
        self, since: rec.Since, until: rec.Until | None = None, room_id: rec.RoomId | None = None, page: PageNumber = 1
    ) -> rec.EnergyPage:
        """Read what plugs of the own home used in kilowatt-hours, and its cost in dollars, the hungriest first.

        Args:
            since: First day, at most 13 days ago.
            until: Last day; today if not given.
            room_id: Only devices in this room.
            page: Page of the results, five devices each.
        """
        last = until or self.now.date()
        rules.check_days(since, last, self.now.date())
        if room_id is not None:
            owned(self.rooms.require(room_id), "owner_id", self.member_id)
        there = [d for d in self.devices.values() if d.owner_id == self.member_id and room_id in (None, d.room_id)]
        found = rules.uses(there, self.readings.values(), since, last)
        found.sort(key=lambda use: (-use.used, use.device_id))
        all_used = round(sum(use.used for use in found), 2)
        return rec.EnergyPage.of(found, page, since=since, until=last, all_used=all_used)

    def _open_rooms(self) -> dict[str, dt.date]:
        """Rooms that the signed-in member may use as a guest, each with the last day of it."""
        email = self.members.require(self.member_id).email
        return rules.open_to(email, self.guests.values(), self.now.date())

    def _device(self, device_id: str, capability: rec.Capability | None = None) -> rec.HomeDevice:
        """A device that the signed-in member may use, and that can do this now."""
        device = self.devices.require(device_id)
        rules.check_open(device, self.member_id, self._open_rooms().get(device.room_id))
        if capability:
            rules.check_can(device, capability)
        return device

    def _set(
        self, scene: rec.HomeScene, changed: list[rec.DeviceSetting], skipped: list[rec.SkippedDevice]
    ) -> rec.SceneReport:
        """Make settings, and keep the scene that they are of."""
        for setting in changed:
            self.devices.replace(rules.apply(self.devices[setting.device_id], setting))
        self.scenes.replace(scene)
        return rec.SceneReport(scene_id=scene.id, name=scene.name, changed=tuple(changed), skipped=tuple(skipped))

    @classmethod
    def scenario(cls, world: World, size: int) -> Self:
        """Three homes with devices in every state, scenes, routines, guests, and two weeks of energy readings."""
        return cls.model_validate(smart_home(world, size))
