"""Templates: values in braces, optional parts in brackets, and mistakes found when the environment is described."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envfactory.environment import DeclarationError, describe
from envfactory.environment.templates import Segment, Slot, check_ask, check_reply, parse_template, slots
from tests.environment.library import Library

TOOLS = describe(Library).tool_by_name


def test_a_template_is_text_slots_and_optional_parts():
    assert parse_template("find {genre}[ by {author} in {city}][gift? as a gift][!gift? for me].") == (
        "find ",
        Slot("genre"),
        Segment((" by ", Slot("author"), " in ", Slot("city"))),
        Segment((" as a gift",), "gift", wanted=True),
        Segment((" for me",), "gift", wanted=False),
        ".",
    )
    assert parse_template("") == ()
    assert parse_template("{items[].product_id}") == (Slot("items[].product_id"),)


def test_a_part_names_what_it_needs():
    template = parse_template("{a}[ {b}{c}][d? {e}]")
    assert list(slots(template)) == ["a", "b", "c", "e", "d"]
    assert list(slots(template, optional=False)) == ["a"]
    assert isinstance(template[2], Segment)
    assert template[2].names == ("e",)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a [b", "a [ without its ]"),
        ("a ]b", "a ] without its ["),
        ("a [b [c]]", "optional parts do not nest"),
        ("a {b", "cannot be read at '{b'"),
        ("a }b", "cannot be read at '}b'"),
        ("a {b c}", "cannot be read at '{b c}'"),
        ("a {B}", "cannot be read at '{B}'"),
        ("a {}", "cannot be read at '{}'"),
    ],
)
def test_a_template_that_cannot_be_read_says_where(text: str, problem: str):
    with pytest.raises(DeclarationError, match=re.escape(f"template {text!r}")) as caught:
        parse_template(text)
    assert problem in str(caught.value)


@given(st.lists(st.sampled_from(["text", " ", "{a}", "{b.c}", "[ x]", "[a? y]", "[!a? {b.c}]"])))
def test_a_template_says_everything_that_was_written(parts: list[str]):
    text = "".join(parts)
    written = "".join(
        part if isinstance(part, str)
        else f"{{{part.name}}}" if isinstance(part, Slot)
        else "[" + (f"{'' if part.wanted else '!'}{part.flag}?" if part.flag else "")
        + "".join(p if isinstance(p, str) else f"{{{p.name}}}" for p in part.parts) + "]"
        for part in parse_template(text)
    )  # fmt: skip
    assert written == text


@pytest.mark.parametrize(
    ("tool", "text", "problem"),
    [
        ("get_book", "show me {book}", "names 'book', which the tool does not take"),
        ("search_books", "find a {genre} of {max_pages}", "needs 'max_pages', which is optional; put it in [ ]"),
        ("search_books", "find a {genre}[max_pages? briefly]", "has the flag 'max_pages', which is no boolean"),
        ("search_books", "find a {genre}[bound? briefly]", "names 'bound'"),
        ("order", "order {lines[].to.street}", "needs 'lines[].to.street', which is optional"),
        ("get_book", "Show me {book_id}", "starts with a capital"),
        ("get_book", "show me {book_id}.", "ends with punctuation"),
        ("get_book", "can I see {book_id}?", "ends with punctuation"),
    ],
)
def test_an_ask_that_does_not_fit_its_tool_is_refused(tool: str, text: str, problem: str):
    with pytest.raises(DeclarationError, match=re.escape(f"library-{tool}: ask {text!r}")) as caught:
        check_ask(TOOLS[tool], text)
    assert problem in str(caught.value)


@pytest.mark.parametrize(
    ("tool", "text"),
    [
        ("search_books", "find a {genre}[ of {max_pages} pages][illustrated? with pictures][!illustrated? without]"),
        ("order", "order {lines[].book_id}"),
        ("order", "order {lines}[ to {to}]"),
        ("get_book", "I'd like to see {book_id}"),
    ],
)
def test_an_ask_that_fits_is_taken(tool: str, text: str):
    check_ask(TOOLS[tool], text)


def test_a_noun_is_called_a_noun():
    with pytest.raises(DeclarationError, match=r"noun '\{author\}' names 'author'"):
        check_ask(TOOLS["search_books"], "{author}", noun=True)


def test_a_reply_may_speak_of_outputs_lists_of_them_and_arguments():
    for text in ("{books}", "{books.title}", "{books[].title}", "{genre}", "{total} of {max_pages}"):
        check_reply(TOOLS["search_books"], text)
    with pytest.raises(DeclarationError, match=r"reply 'By \{author\}\.' names 'author', neither an output nor an arg"):
        check_reply(TOOLS["search_books"], "By {author}.")
