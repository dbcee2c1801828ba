"""Lockers at a station: each has a PIN, and each guest a pass word, which no tool tells."""

from __future__ import annotations

from typing import Annotated

from envfactory.environment import (
    Environment,
    Output,
    Owned,
    Record,
    Ref,
    Secret,
    Table,
    ToolError,
    World,
    tool,
)

LockerId = Annotated[str, Ref("Locker")]
GuestId = Annotated[str, Ref("Guest")]
Pin = Annotated[str, Secret("PIN")]
Word = Annotated[str, Secret("pass word")]
LOCKERS = 8


class Locker(Record, noun="locker", label="locker {number}"):
    id: LockerId
    guest_id: GuestId
    number: int
    is_open: bool = False


class Code(Record, noun="code"):
    """What opens a locker; apart from it, since lockers are shown."""

    id: str
    locker_id: LockerId
    pin: Pin


class Guest(Record, noun="guest", label="{name}"):
    id: GuestId
    name: str
    word: Word


class Done(Output):
    number: int


class Shown(Output):
    lockers: tuple[Locker, ...]


class Station(Environment):
    """Look after lockers at a station."""

    domain = "test"
    policy = "Ask for the PIN."
    sources = ("none",)

    guest_id: GuestId
    lockers: Table[Locker]
    codes: Table[Code]
    guests: Table[Guest]

    @tool(ask=("list my lockers",), reply=("You have {lockers}.", "You have none."))
    def list_lockers(self) -> Shown:
        """List the lockers of the person."""
        return Shown(lockers=tuple(each for each in self.lockers.values() if each.guest_id == self.guest_id))

    @tool(
        writes=True,
        ask=("open {locker_id}",),
        reply=("Locker {number} is open.",),
        where=(Owned(parameter="locker_id", field="guest_id", by="guest_id"),),
    )
    def open_locker(self, pin: Pin, locker_id: LockerId) -> Done:
        """Open a locker.

        Args:
            pin: Its PIN.
            locker_id: Locker to open.
        """
        locker = self.lockers.require(locker_id)
        code = next(each for each in self.codes.values() if each.locker_id == locker_id)
        if code.pin != pin:
            raise ToolError("permission_denied", "That is not its PIN.")
        self.lockers.replace(locker.evolve(is_open=True))
        return Done(number=locker.number)

    @tool(writes=True, ask=("close every locker of mine",), reply=("Closed {number}.",))
    def close_all(self, word: Word) -> Done:
        """Close the lockers of the person.

        Args:
            word: Their pass word.
        """
        if self.guests.require(self.guest_id).word != word:
            raise ToolError("permission_denied", "That is not the pass word.")
        mine = [each for each in self.lockers.values() if each.guest_id == self.guest_id]
        for locker in mine:
            self.lockers.replace(locker.evolve(is_open=False))
        return Done(number=len(mine))

    @classmethod
    def scenario(cls, world: World, size: int) -> Station:
        guests = [
            Guest(id=f"G-{n}", name=person.name, word=f"{world.choice(('tulip', 'falcon', 'pebble'))}{n}")
            for n, person in enumerate(world.people(3))
        ]
        lockers = [Locker(id=f"L-{n}", guest_id=f"G-{n % 3}", number=10 + n) for n in range(LOCKERS)]
        codes = [Code(id=f"C-{n}", locker_id=f"L-{n}", pin=f"{world.integer(100, 999)}{n}") for n in range(LOCKERS)]
        tables = {"guests": guests, "lockers": lockers, "codes": codes}
        keyed = {name: {row.id: row for row in rows} for name, rows in tables.items()}
        return cls.model_validate({"now": world.now, "guest_id": "G-1", **keyed})
