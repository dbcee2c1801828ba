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
BorrowerId = Annotated[str, Ref("Borrower")]
ItemId = Annotated[str, Ref("Item")]
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


class Borrower(Record, noun="borrower", label="{name}"):
    id: BorrowerId
    """Identifier of the borrower."""
    name: str
    """Name of the borrower."""


class Item(Record, noun="item", label="{name}"):
    id: ItemId
    """Identifier of the item."""
    name: str
    """Name of the item."""
    sealed: bool
    """Whether it stays where it is."""
    borrower_id: BorrowerId | None = None
    """Borrower who has it."""


class ItemList(Output):
    items: tuple[Item, ...]
    """The items."""


class ItemCount(Output):
    items: int
    """How many there are."""
    borrower_id: BorrowerId | None = None
    """Borrower who has all of them."""


class Lending(Environment):
    """Lend things; at first nothing is lent."""

    domain = "test"
    policy = "Sealed items are not lent."
    sources = ("Lending API",)
    items: Table[Item]
    borrowers: Table[Borrower]

    @tool(ask=ASK, reply=("Here: {items}.", "None."), noun="item")
    def list_items(self) -> ItemList:
        """List the items."""
        return ItemList(items=tuple(self.items.values()))

    @tool(ask=ASK, reply=("Here: {items}.", "None."), noun="sealed item")
    def find_sealed(self) -> ItemList:
        """List the items that are sealed."""
        return ItemList(items=tuple(item for item in self.items.values() if item.sealed))

    @tool(ask=ASK, reply=("There are {items}.",))
    def count_items(self) -> ItemCount:
        """Count the items."""
        return ItemCount(items=len(self.items))

    @tool(ask=ASK, reply=("Lent: {name}.",), writes=True)
    def lend(self, item_id: ItemId, borrower_id: BorrowerId) -> Item:
        """Lend an item.

        Args:
            item_id: Item to lend.
            borrower_id: Borrower who gets it.
        """
        item, borrower = self.items.require(item_id), self.borrowers.require(borrower_id)
        if item.sealed:
            raise ToolError("invalid_argument", f"The {item.name} is sealed.")
        return self.items.replace(item.evolve(borrower_id=borrower.id))

    @tool(ask=ASK, reply=("Reminded: {name}.",))
    def remind(self, borrower_id: BorrowerId) -> Borrower:
        """Remind a borrower.

        Args:
            borrower_id: Borrower to remind.
        """
        return self.borrowers.require(borrower_id)

    @classmethod
    def scenario(cls, world: World, size: int) -> Lending:
        items = [Item(id=f"I-{n}", name=f"Item {n}", sealed=n % 4 == 0) for n in range(size)]
        borrowers = [Borrower(id=f"B-{n}", name=f"Borrower {n}") for n in range(3)]
        return cls(
            now=world.now,
            items=Table({item.id: item for item in items}),
            borrowers=Table({borrower.id: borrower for borrower in borrowers}),
        )
