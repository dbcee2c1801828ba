"""An environment whose tools do to their process what code that nobody has read might do."""

from __future__ import annotations

import datetime as dt
import os
import re
import signal
import sys
from typing import Annotated, Self

from envfactory.environment import Environment, Output, Record, Ref, Table, ToolError, World, tool


class Note(Record, noun="note", label="{text}"):
    """A line of text."""

    id: Annotated[str, Ref("Note")]
    text: str


class Told(Output):
    """A number."""

    number: int


class Hostile(Environment):
    """Loops, dies and prints."""

    domain = "test"
    policy = "None."
    sources = ("none",)

    day: dt.date
    tags: tuple[str, ...] = ()
    notes: Table[Note]

    @tool(writes=True, ask=("write",), reply=("Written.",))
    def write(self, text: str) -> Note:
        """Write a note."""
        self.day += dt.timedelta(days=1)
        self.tags = (*self.tags, text)
        return self.notes.insert(Note(id=self.new_id("N"), text=text))

    @tool(ask=("count",), reply=("{number}.",))
    def count(self) -> Told:
        """Count the notes."""
        return Told(number=len(self.notes))

    @tool(ask=("loop",), reply=("{number}.",))
    def loop(self) -> Told:
        """Never return."""
        while True:
            pass

    @tool(ask=("hold",), reply=("{number}.",))
    def hold(self) -> Told:
        """Never return, and never let another thread of the process run."""
        return Told(number=len(re.findall(r"(a+)+$", "a" * 64 + "b")))

    @tool(ask=("die",), reply=("{number}.",))
    def die(self) -> Told:
        """Kill the process."""
        os.kill(os.getpid(), signal.SIGKILL)
        return Told(number=0)

    @tool(ask=("leave",), reply=("{number}.",))
    def leave(self) -> Told:
        """End the process as if all were well."""
        os._exit(0)

    @tool(ask=("chatter",), reply=("{number}.",))
    def chatter(self) -> Told:
        """Write to standard output what is no answer."""
        os.write(1, b"\0\0\0\2{}")
        print("{}")
        return Told(number=len(sys.stdin.read()))

    @tool(ask=("spawn",), reply=("{number}.",))
    def spawn(self) -> Told:
        """Start a process that outlives the call and holds all that this one has open; tell its number."""
        number = os.fork()
        while number == 0:
            signal.pause()
        return Told(number=number)

    @tool(by="user", ask=("confirm",), reply=("{number}.",))
    def confirm(self) -> Told:
        """Confirm, as only a person can."""
        return Told(number=1)

    @tool(ask=("stumble",), reply=("{number}.",))
    def stumble(self) -> Told:
        """Fail with a bug."""
        raise ZeroDivisionError("no reason")

    @tool(ask=("refuse",), reply=("{number}.",))
    def refuse(self) -> Told:
        """Refuse, in letters of several alphabets."""
        raise ToolError("conflict", "Grüße, 東京 \U0001f3e8 \n\n {}")

    @classmethod
    def scenario(cls, world: World, size: int) -> Self:
        if size == 13:
            raise ZeroDivisionError("unlucky")
        while size == 14:
            pass
        notes = {f"N-{n}": Note(id=f"N-{n}", text="é" * n) for n in range(size)}
        return cls.model_validate({"now": world.now, "day": world.today, "notes": notes})
