"""What a class declares is what its spec says, and a declaration that does not hold together is refused."""

from __future__ import annotations

from typing import Annotated, Any

import pytest

from envfactory.environment import (
    After,
    AtMost,
    Dated,
    DeclarationError,
    Environment,
    Having,
    NamedIn,
    Output,
    Owned,
    Record,
    Ref,
    Sharing,
    Some,
    Table,
    describe,
    tool,
)
from tests.environment.library import Library

SPEC = describe(Library)


class Card(Record, noun="card"):
    id: Annotated[str, Ref("Card")]
    limit: int


class Done(Output):
    number: int


def test_the_class_is_described_as_data():
    assert (SPEC.name, SPEC.title, SPEC.domain) == ("library", "Library", "test")
    assert SPEC.description == "Find books, and lend them."
    assert SPEC.policy == "Three loans at a time."
    assert [table.name for table in SPEC.tables] == ["books", "members", "loans"]
    assert [(field.path, field.ref, field.required) for field in SPEC.fields] == [
        ("now", "", True), ("member_id", "Member", True), ("opened", "", False),
    ]  # fmt: skip


def test_a_tool_is_described_with_everything_that_was_declared():
    borrow = SPEC.tool_by_name["borrow"]
    declared = Library.tools["borrow"].declaration
    assert (borrow.writes, borrow.by, borrow.where) == (True, "agent", declared.where)
    assert (borrow.ask, borrow.reply, borrow.noun) == (declared.ask, declared.reply, "")
    assert SPEC.tool_by_name["sign"].by == "user"
    assert [(leaf.path, leaf.required) for leaf in borrow.inputs] == [
        ("book_id", True), ("due", True), ("note", False),
    ]  # fmt: skip
    assert borrow.output_shapes[0].entity == "Loan"
    assert [shape.path for shape in SPEC.tool_by_name["order"].input_shapes] == ["lines[]", "lines[].to", "to"]


def test_how_people_speak_of_records_is_described():
    (books,) = [shape for shape in SPEC.tool_by_name["search_books"].output_shapes if shape.path == "books[]"]
    assert (books.noun, books.label, books.listing) == ("book", "{title}", "{title} ({pages} pages)")
    assert books.record
    assert not SPEC.tool_by_name["order"].input_shapes[0].record


def test_describing_twice_gives_the_same_object():
    assert describe(Library) is SPEC


def declared(*where: Any, ask: str = "do it", reply: str = "Done.", noun: str = "") -> type[Environment]:
    class Odd(Environment):
        """Odd."""

        domain = "test"
        policy = "None."
        sources = ("none",)

        cards: Table[Card]

        @tool(ask=(ask,), reply=(reply,), noun=noun, where=where)
        def act(self, card_id: Annotated[str, Ref("Card")], amount: int, who: Annotated[str, Ref("Person")]) -> Done:
            """Act."""
            return Done(number=amount + len(card_id) + len(who))

    return Odd


@pytest.mark.parametrize(
    ("relation", "message"),
    [
        (After(parameter="day", other="amount", days=(1, 2)), "names day, which it does not take"),
        (After(parameter="amount", other="day", days=(1, 2)), "names day, which it does not take"),
        (Some("amount", "size"), "names size, which it does not take"),
        (Owned(parameter="card_id", field="limit", by="holder_id"), "names holder_id, which it does not take"),
        (Having(parameter="card_id", field="status", among=("open",)), r"no field 'status' \(id, limit\)"),
        (AtMost(parameter="amount", other="card_id", field="credit"), r"no field 'credit' \(id, limit\)"),
        (AtMost(parameter="amount", other="who", field="limit"), "no field 'limit' .who is no Ref to a table"),
        (AtMost(parameter="amount", other="amount", field="limit"), "amount is no Ref to a table"),
        (Dated(parameter="card_id", field="due", days=(0, 9)), r"no field 'due' \(id, limit\)"),
        (NamedIn(parameter="card_id", entity="Bill", field="card_id"), "no field 'card_id'"),
        (Sharing(parameter="card_id", other="card_id", fields=("limit", "bank")), "no field 'bank'"),
        (Sharing(parameter="who", other="card_id", fields=("limit",)), "who is no Ref to a table"),
    ],
)
def test_a_relation_on_what_is_not_there_is_refused(relation: Any, message: str):
    with pytest.raises(DeclarationError, match=f"odd-act: .*{message}"):
        describe(declared(relation))


def test_a_relation_on_what_is_there_is_taken():
    relations = (
        AtMost(parameter="amount", other="card_id", field="limit"),
        Owned(parameter="card_id", field="limit", by="amount"),
    )
    assert describe(declared(*relations)).tool_by_name["act"].where == relations


class Receipts(Environment):
    """Receipts that their owner signs."""

    domain = "test"
    policy = "The owner signs first."
    sources = ("made up",)

    cards: Table[Card]

    @tool(writes=True, by="user", ask=("sign for {card_id}",), reply=("Signed.",))
    def sign(self, card_id: Annotated[str, Ref("Card")]) -> Done:
        """Sign."""
        return Done(number=len(card_id))

    @tool(writes=True, ask=("close {card_id} after {days} days",), reply=("Closed.",), first="sign")
    def close(self, card_id: Annotated[str, Ref("Card")], days: int) -> Done:
        """Close."""
        return Done(number=days + len(card_id))


def test_what_the_person_does_first_takes_its_arguments_from_the_call() -> None:
    spec = describe(Receipts)
    sign, close = spec.tools
    assert (sign.first, close.first) == ("", "sign")
    assert spec.done_first(sign, {"card_id": "C-1"}) is None
    assert spec.done_first(close, {"card_id": "C-1", "days": 3}) == (sign, {"card_id": "C-1"})


@pytest.mark.parametrize(
    ("first", "by", "message"),
    [
        ("sing", "agent", "first='sing' expected a tool by=.user"),
        ("close", "agent", "first='close' expected a tool by=.user"),
        ("sign", "user", "first='sign' expected a tool by=.user"),
        ("sign", "agent", "sign takes card_id, which it does not take alike"),
    ],
)
def test_what_the_person_cannot_do_first_is_refused(first: str, by: Any, message: str) -> None:
    class Odd(Receipts):
        """Odd receipts."""

        @tool(writes=True, by=by, ask=("act on {card_id}",), reply=("Acted.",), first=first)
        def act(self, card_id: int) -> Done:
            """Act."""
            return Done(number=card_id)

    with pytest.raises(DeclarationError, match=f"act: .*{message}"):
        describe(Odd)


@pytest.mark.parametrize(
    ("templates", "message"),
    [
        ({"ask": "pay {sum}"}, "ask 'pay {sum}' names 'sum'"),
        ({"reply": "{sum}."}, "reply '{sum}.' names 'sum'"),
        ({"noun": "{sum}"}, "noun '{sum}' names 'sum'"),
        ({"ask": "pay {amount"}, "cannot be read"),
    ],
)
def test_a_template_that_does_not_fit_is_refused(templates: dict[str, str], message: str):
    with pytest.raises(DeclarationError) as caught:
        describe(declared(**templates))
    assert message in str(caught.value)


def test_a_table_of_records_outside_the_dialect_is_refused():
    class Blob(Record, noun="blob"):
        id: str
        data: bytes

    class Store(Environment):
        """Store."""

        domain = "test"
        policy = "None."
        sources = ("none",)

        blobs: Table[Blob]

    with pytest.raises(DeclarationError, match="data: <class 'bytes'> has no place"):
        describe(Store)
