"""A lending library: small, and with every kind of declaration that an environment can make."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from envfactory.environment import (
    DEFAULT_NOW,
    After,
    Argument,
    AtMost,
    Differing,
    Differs,
    Environment,
    FieldOf,
    FreeText,
    FromNow,
    Having,
    InProcess,
    Money,
    NamedIn,
    Output,
    Owned,
    Page,
    Ranked,
    Record,
    Ref,
    Reference,
    Session,
    Some,
    Table,
    Together,
    ToolError,
    Unit,
    Value,
    Volatile,
    Within,
    World,
    tool,
)

BookId = Annotated[str, Ref("Book")]
MemberId = Annotated[str, Ref("Member")]
LoanId = Annotated[str, Ref("Loan")]
Shelf = Annotated[str, Value("shelf", "Where it stands.")]
Genre = Literal["novel", "poetry", "travel"]
GENRES: tuple[Genre, ...] = ("novel", "poetry", "travel")


class Edition(Record, noun="edition", label="{binding}"):
    binding: Literal["paperback", "hardcover"]
    year: int
    """Year of print."""


class Book(Record, noun="book", label="{title}", listing="{title} ({pages} pages)"):
    id: BookId
    title: str
    """What it is called."""
    genre: Genre
    shelf: Shelf
    pages: Annotated[int, Field(ge=1), Unit("page"), Ranked("shortest", "longest")]
    """How long it is."""
    editions: tuple[Edition, ...]


class Member(Record, noun="member", label="{name}"):
    id: MemberId
    name: str
    credit: Money
    """What may be spent."""
    seen: Annotated[int, Volatile()] = 0
    """How often they came."""


class Loan(Record, noun="loan", label="the loan of {book_id}"):
    id: LoanId
    book_id: BookId
    member_id: MemberId
    due: Annotated[dt.date, Value("due")]
    status: Literal["open", "returned"] = "open"
    note: Annotated[str | None, FreeText()] = None


class Books(Page):
    books: tuple[Book, ...]


class Told(Output):
    number: int


class Place(Argument, label="{street} in {city}"):
    """Where something is sent."""

    street: str
    """Street and number."""
    city: Annotated[str, Value("city", "A city.")] = "Lisbon"


class Line(Argument, label="{copies} of {book_id}"):
    """What is ordered of one book."""

    book_id: BookId
    copies: Annotated[int, Field(ge=1, le=9)] = 1
    to: Place | None = None
    """Where these go."""


class Library(Environment):
    """Find books, and lend
    them."""

    domain = "test"
    policy = "Three loans   at a time."
    sources = ("none",)

    member_id: MemberId
    """Whose session this is."""
    books: Table[Book]
    members: Table[Member]
    loans: Table[Loan]
    opened: dt.date | None = None
    """When it was opened last."""

    @tool(
        ask=("find me a {genre}[ of at most {max_pages} pages][illustrated? with pictures]", "show me every {genre}"),
        noun="{genre}[ under {max_pages} pages]",
        reply=("I found {books}.", "There is no {genre}."),
    )
    def search_books(
        self,
        genre: Genre,
        max_pages: Annotated[int, Field(gt=0, lt=2000), Unit("page")] | None = None,
        illustrated: bool = False,
        page: Annotated[int, Field(ge=1)] = 1,
    ) -> Books:
        """Find   books
        of a genre.

        Args:
            genre: What kind
                of book.
            max_pages: Only books that are no longer.
        """
        found = [b for b in self.books.values() if b.genre == genre and b.pages <= (max_pages or b.pages)]
        found = [b for b in found if not illustrated or len(b.editions) > 1]
        return Books.of(found, page, 3)

    @tool(ask=("show me {book_id}",), reply=("{title} has {pages}.",))
    def get_book(self, book_id: BookId) -> Book:
        """Look at a book."""
        return self.books.require(book_id)

    @tool(ask=("say how many loans are open",), reply=("{number}.",))
    def count_loans(self) -> Told:
        """Count the loans that are open."""
        return Told(number=sum(loan.status == "open" for loan in self.loans.values()))

    @tool(
        writes=True,
        ask=("lend me {book_id} until {due}[ and note {note}]",),
        reply=("It is yours until {due}.",),
        where=(FromNow(parameter="due", days=(1, 20)),),
    )
    def borrow(
        self,
        book_id: BookId,
        due: dt.date,
        note: Annotated[str, FreeText(("for Ada", "handle with care"))] | None = None,
    ) -> Loan:
        """Borrow a book."""
        book = self.books.require(book_id)
        loan = self.loans.insert(
            Loan(id=self.new_id("L"), book_id=book.id, member_id=self.member_id, due=due, note=note)
        )
        if due <= self.now.date():
            raise ToolError("invalid_argument", f"{due} is not in the future.")
        return loan

    @tool(
        writes=True,
        ask=("give back {loan_id}",),
        reply=("Thank you.",),
        where=(
            Owned(parameter="loan_id", field="member_id", by="member_id"),
            Having(parameter="loan_id", field="status", among=("open",)),
        ),
    )
    def give_back(self, loan_id: LoanId) -> Loan:
        """Give a book back."""
        loan = self.loans.require(loan_id)
        if loan.status != "open":
            raise ToolError("precondition_failed", "It is back already.")
        return self.loans.replace(loan.evolve(status="returned"))

    @tool(
        writes=True,
        ask=("swap {loan_id} for {book_id}[ in {binding}]",),
        reply=("Done.",),
        where=(
            Owned(parameter="loan_id", field="member_id", by="member_id"),
            Differing(parameter="book_id", other="loan_id", field="book_id"),
            FieldOf(parameter="binding", other="book_id", field="editions[].binding"),
        ),
    )
    def swap(self, loan_id: LoanId, book_id: BookId, binding: Literal["paperback", "hardcover"] | None = None) -> Loan:
        """Have another book instead."""
        return self.loans.replace(self.loans.require(loan_id).evolve(book_id=self.books.require(book_id).id))

    @tool(
        ask=("plan a trip from {start} to {end} with {first} and {second}",),
        reply=("{number}.",),
        where=(
            FromNow(parameter="start", days=(2, 9)),
            After(parameter="end", other="start", days=(1, 4)),
            Differs(parameter="second", other="first"),
            NamedIn(parameter="first", entity="Loan", field="book_id", status="status", among=("open",)),
            Within(parameter="budget", low=10, high=50, step=5),
        ),
    )
    def plan(self, end: dt.date, start: dt.date, second: BookId, first: BookId, budget: float = 10) -> Told:
        """Plan a trip with two books."""
        return Told(number=(end - start).days + len(first + second) + int(budget))

    @tool(
        ask=("let {member_id} spend {amount} at {at}",),
        reply=("{number}.",),
        where=(AtMost(parameter="amount", other="member_id", field="credit", share=0.5),),
    )
    def spend(self, member_id: MemberId, amount: Money, at: dt.datetime) -> Told:
        """See what spending would leave."""
        return Told(number=int(self.members.require(member_id).credit - amount) + at.hour)

    @tool(
        ask=("change[ {shelf}][ {row}][ {place}][ {name}]",),
        reply=("{number}.",),
        where=(Together("shelf", "row"), Together("row", "place"), Some("name", "shelf")),
    )
    def move(
        self, shelf: Shelf | None = None, row: int | None = None, place: int | None = None, name: Genre | None = None
    ) -> Told:
        """See where something would go."""
        return Told(number=(row or 0) + (place or 0) + len((shelf or "") + (name or "")))

    @tool(ask=("order {lines}[ to {to}][ with {tags}]",), reply=("{number}.",))
    def order(
        self,
        lines: Annotated[tuple[Line, ...], Field(min_length=1, max_length=3)],
        to: Place | None = None,
        tags: tuple[Genre, ...] = (),
    ) -> Told:
        """Order books.

        Args:
            lines: What to order.
            to: Where it goes.
        """
        return Told(number=sum(line.copies for line in lines) + len(tags) + len(to.city if to else ""))

    @tool(writes=True, by="user", ask=("sign the receipt",), reply=("{number}.",))
    def sign(self) -> Told:
        """Sign for what was handed over."""
        self.opened = self.now.date()
        return Told(number=1)

    @classmethod
    def scenario(cls, world: World, size: int) -> Library:
        """Books on four shelves, and members with loans."""
        books = [_book(world, n) for n in range(max(6, size))]
        people = (world.user, *world.people(3))
        members = [
            Member(id=f"M-{n}", name=person.name, credit=world.money(20, 90)) for n, person in enumerate(people, 1)
        ]
        loans = [
            Loan(
                id=f"L-{n}",
                book_id=world.choice(books).id,
                member_id=members[n % 3].id,
                due=world.date(1, 20),
                status="returned" if n % 4 == 0 else "open",
            )
            for n in range(1, 11)
        ]
        return cls(
            now=world.now,
            member_id=members[0].id,
            books=_by_id(books),
            members=_by_id(members),
            loans=_by_id(loans),
        )


def _by_id(rows: Sequence[Any]) -> Any:
    return {row.id: row for row in rows}


def _book(world: World, number: int) -> Book:
    bindings: tuple[Literal["paperback", "hardcover"], ...] = ("paperback", "hardcover")
    return Book(
        id=f"B-{number + 1}",
        title=f"{world.choice(('The Quiet', 'A Green', 'The Last'))} {world.choice(('River', 'Garden', 'Harbour'))}",
        genre=GENRES[number % 3],
        shelf=world.choice(("north", "south", "east", "west")),
        pages=world.integer(60, 900),
        editions=tuple(Edition(binding=b, year=world.integer(1950, 2025)) for b in bindings[: 1 + number % 2]),
    )


LIBRARY = {"library": Library}
REFERENCE = Reference(environments={"library": "test"}, seed=1, size=12, now=DEFAULT_NOW)


def library() -> Session:
    """A session of the library, apart from every other."""
    return Session(InProcess(LIBRARY), REFERENCE)
