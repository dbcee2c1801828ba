"""Tools by hand, and two little environments that share the name of an entity but not its records."""

from __future__ import annotations

from typing import Annotated, Any

import orjson

from envfactory.environment import (
    Environment,
    Output,
    Parameter,
    Record,
    Ref,
    Shape,
    Spec,
    Table,
    ToolError,
    ToolSpec,
    Value,
    World,
    tool,
)

ASK = ("do it", "please do it", "get it done", "see to it")
NoteId = Annotated[str, Ref("Note")]
Topic = Annotated[str, Value("topic", "Topic.")]


def spec(name: str, *tools: ToolSpec) -> Spec:
    return Spec(
        name=name, title=name, domain="test", description=name, policy=name, sources=(name,), tables=(), fields=(),
        tools=tools,
    )  # fmt: skip


def made(
    environment: str, name: str, inputs: tuple[Parameter, ...] = (), outputs: tuple[Parameter, ...] = (), **more: Any
) -> ToolSpec:
    """A tool whose arguments are all at the top, so that `required` says what it says."""
    schema = {
        "type": "object",
        "properties": {leaf.path: {"type": leaf.type} for leaf in inputs},
        "required": [leaf.path for leaf in inputs if leaf.required],
    }
    fields: dict[str, Any] = {
        "environment": environment, "name": name, "description": name, "writes": False, "by": "agent",
        "parameters": orjson.dumps(schema).decode(), "output_schema": "{}", "inputs": inputs, "outputs": outputs,
        "input_shapes": (), "output_shapes": (Shape(path="", entity="Thing"),), "ask": ASK, "reply": ("Done.",),
        "noun": "", "where": (),
    }  # fmt: skip
    return ToolSpec(**{**fields, **more})


class Note(Record, noun="note", label="{title}"):
    id: NoteId
    """Identifier of the note."""
    title: str
    """Title of the note."""
    topic: Topic


class NoteList(Output):
    notes: tuple[Note, ...]
    """The notes."""


class Keeping(Environment):
    """Keep notes."""

    domain = "test"
    policy = "Notes are kept."
    sources = ("Notes API",)
    notes: Table[Note]

    @tool(ask=ASK, reply=("Here: {notes}.", "None."), noun="note")
    def list_notes(self) -> NoteList:
        """List all notes."""
        return NoteList(notes=tuple(self.notes.values()))

    @tool(ask=ASK, reply=("It is {title}.",))
    def get_note(self, note_id: NoteId) -> Note:
        """Get a note.

        Args:
            note_id: Note to look at.
        """
        return self.notes.require(note_id)

    @tool(ask=ASK, reply=("Done: {title}.",), writes=True)
    def copy_note(self, note_id: NoteId) -> Note:
        """Make a copy of a note.

        Args:
            note_id: Note to copy.
        """
        return self.notes.insert(self.notes.require(note_id).evolve(id=self.new_id("N")))

    @tool(ask=ASK, reply=("Shared: {title}.",))
    def share_note(self, note_id: NoteId) -> Note:
        """Share a note; one of the odd ones only.

        Args:
            note_id: Note to share.
        """
        note = self.notes.require(note_id)
        if not note_id.endswith(("1", "3", "5", "7", "9")):
            raise ToolError("precondition_failed", "Even notes are private.")
        return note

    @tool(ask=ASK, reply=("Gone: {title}.",), writes=True)
    def drop_note(self, note_id: NoteId) -> Note:
        """Throw a note away.

        Args:
            note_id: Note to throw away.
        """
        return self.notes.delete(note_id)

    @tool(ask=ASK, reply=("Back: {title}.",))
    def bring_back(self, note_id: NoteId) -> Note:
        """Bring a note back from the bin, which is always empty.

        Args:
            note_id: Note to bring back.
        """
        raise ToolError("precondition_failed", f"{note_id} is not in the bin.")

    @tool(ask=ASK, reply=("Printed: {title}.",))
    def print_note(self, title: str) -> Note:
        """Print a note; there is no printer.

        Args:
            title: Title of the note.
        """
        raise ToolError("precondition_failed", f"{title} cannot be printed.")

    @tool(ask=ASK, reply=("Confirmed.",), by="user")
    def confirm(self, note_id: NoteId) -> Note:
        """Confirm a note by hand.

        Args:
            note_id: Note to confirm.
        """
        return self.notes.require(note_id)

    @classmethod
    def scenario(cls, world: World, size: int) -> Keeping:
        notes = [Note(id=f"N-{n}", title=f"Note {n}", topic=world.choice(("red", "blue"))) for n in range(size)]
        return cls(now=world.now, notes=Table({note.id: note for note in notes}))


class Archiving(Environment):
    """Search an archive that has notes of its own."""

    domain = "test"
    policy = "The archive is read only."
    sources = ("Archive API",)
    notes: Table[Note]

    @tool(ask=ASK, reply=("Here: {notes}.", "None."), noun="note on {topic}")
    def search_archive(self, topic: Topic) -> NoteList:
        """Search the archive.

        Args:
            topic: Topic of the notes.
        """
        return NoteList(notes=tuple(note for note in self.notes.values() if note.topic == topic))

    @tool(ask=ASK, reply=("It is {title}.",))
    def read_archived(self, note_id: NoteId) -> Note:
        """Read a note of the archive.

        Args:
            note_id: Note to read.
        """
        return self.notes.require(note_id)

    @classmethod
    def scenario(cls, world: World, size: int) -> Archiving:
        notes = [Note(id=f"A-{n}", title=f"Old {n}", topic=world.choice(("red", "blue"))) for n in range(size)]
        return cls(now=world.now, notes=Table({note.id: note for note in notes}))
