"""Tool calls in a model's raw text, in the form of Hermes and Qwen3, read tolerantly and without executing a thought.

    <think> ... </think> text <tool_call> {"name": ..., "arguments": {...}} </tool_call>

What counts: calls in `<tool_call>` outside of thinking, wherever in the message, several in a block too, in code fences
too. What does not: anything in `<think>`, closed or not; anything before a `</think>` whose beginning stood in the
prompt; JSON outside of the tags. What is nearly right is *repaired* and told so: whole JSON without an end tag, and
braces missing right before one. A call that the end of the message cuts is not guessed at. What cannot be read is a
call with a `problem`, to be answered in band: nothing is dropped without a word, and nothing here raises.

The raw text is kept, since rendering parsed calls anew would change spaces, order and escapes, and so the tokens.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NoReturn, cast

_TAG = re.compile(r"<think>|</think>|<tool_call>|</tool_call>")
_ENDS = ("<|im_end|>", "<|endoftext|>")
_FENCE = re.compile(r"\s*```[a-zA-Z]*\s*")
_BETWEEN = re.compile(r"[\s,;]*")
_MEMBERS = {"name", "arguments", "id"}
_FORM = 'write {"name": <tool>, "arguments": {...}}.'
_LONGEST_NAME = 200
"""Characters of a name; what is longer names no tool, and is not worth comparing with those there are."""


@dataclass(frozen=True, slots=True)
class ParsedCall:
    """A call as it was written.

    Attributes:
        name: of the tool; empty if none can be read.
        arguments: the object, or the text that stood in its place; the raw call if none can be read.
        raw: the text of the call.
        problem: why it cannot be executed; empty if it can.
        repaired: whether it was not quite in the form that a strict reader takes.
    """

    name: str
    arguments: Any
    raw: str
    problem: str = ""
    repaired: bool = False


@dataclass(frozen=True, slots=True)
class ParsedMessage:
    """A message of the assistant.

    Attributes:
        raw: the text as it was given.
        thinking: what stood in thinking.
        text: what is said to the user, thinking and calls left out.
        calls: in the order in which they were written.
    """

    raw: str
    thinking: str
    text: str
    calls: tuple[ParsedCall, ...]


def parse_message(raw: str) -> ParsedMessage:
    """Read a message; never raises."""
    text = raw.rstrip()
    while text.endswith(_ENDS):
        text = text[: text.rindex("<|")].rstrip()
    thinking: list[str] = []
    said: list[str] = []
    calls: list[ParsedCall] = []
    place = 0
    while tag := _TAG.search(text, place):
        said.append(text[place : tag.start()])
        place = tag.end()
        match tag.group():
            case "<think>":
                end = text.find("</think>", place)
                end, after = (len(text), len(text)) if end < 0 else (end, end + len("</think>"))
                thinking.append(text[place:end])
                place = after
            case "</think>":  # the prompt began it, so all that was read up to here was a thought
                thinking, said, calls = [text[: tag.start()]], [], []
            case "<tool_call>":
                found, place = _block(text, place)
                calls.extend(found)
            case _:  # an end tag alone
                continue
    said.append(text[place:])
    return ParsedMessage(raw, "".join(thinking).strip(), "".join(said).strip(), tuple(calls))


def _block(text: str, start: int) -> tuple[list[ParsedCall], int]:
    """The calls of a block that begins at `start`, and where what follows it begins."""
    alone = _alone(text, start)
    if alone is not None:
        return alone
    calls: list[ParsedCall] = []
    fenced = _FENCE.match(text, start)
    place = fenced.end() if fenced else _BETWEEN.match(text, start).end()  # pyright: ignore[reportOptionalMemberAccess]
    while place < len(text) and text[place] in "{[":
        try:
            found, end = _DECODER.raw_decode(text, place)
        except (ValueError, RecursionError):
            break
        calls.extend(_calls(found, text[place:end], bool(fenced or calls)))
        place = end
        if fence := _FENCE.match(text, place):
            place = fence.end()
        place = _BETWEEN.match(text, place).end()  # pyright: ignore[reportOptionalMemberAccess]
    tag = _TAG.search(text, place)
    end = tag.start() if tag else len(text)
    closed = tag is not None and tag.group() == "</tool_call>"
    rest = text[place:end].strip()
    unreadable = list(_unreadable(rest, closed, bool(calls))) if rest or not calls else []
    if calls and not unreadable and (rest or not closed):
        calls[-1] = replace(calls[-1], repaired=True)
    return calls + unreadable, tag.end() if tag is not None and closed else end


def _alone(text: str, start: int) -> tuple[list[ParsedCall], int] | None:
    """The call of a block that has one JSON object and nothing else, as nearly all do; None if it is no such block."""
    end = text.find("</tool_call>", start)
    raw = text[start:end].strip() if end >= 0 else ""
    if not raw.startswith("{"):
        return None
    try:
        found, stop = _DECODER.raw_decode(raw)
    except (ValueError, RecursionError):
        return None
    return (list(_calls(found, raw, repaired=False)), end + len("</tool_call>")) if stop == len(raw) else None


def _unreadable(rest: str, closed: bool, following: bool) -> Iterator[ParsedCall]:
    """What to make of the text of a block that is no JSON."""
    if closed and rest.startswith("{"):
        try:
            found, _ = _DECODER.raw_decode(rest + _missing(rest))
        except (ValueError, RecursionError):
            pass
        else:
            yield from _calls(found, rest, repaired=True)
            return
    if not rest:
        yield ParsedCall("", "", "", "The call is empty.")
    elif not closed:
        yield ParsedCall("", rest, rest, "The call has no end: </tool_call> is missing and its JSON is not whole.")
    elif not following or rest.startswith(("{", "[")):
        yield ParsedCall("", rest, rest, "The call is not valid JSON.")
    # Else these are words, or braces too many, after a call in its block.


def _calls(found: Any, raw: str, repaired: bool) -> Iterator[ParsedCall]:
    """The calls that a JSON value writes: one, or those of a list."""
    if isinstance(found, list):
        items = cast("list[Any]", found)
        if not items:
            yield ParsedCall("", raw, raw, "The call is an empty list.")
        for item in items:
            yield from _calls(item if isinstance(item, dict) else str(item), json.dumps(item), repaired=True)
        return
    call = cast("dict[str, Any]", found) if isinstance(found, dict) else {}
    name, arguments = call.get("name"), call.get("arguments", {})
    if not isinstance(name, str) or not name or len(name) > _LONGEST_NAME:
        yield ParsedCall("", raw, raw, f"The call has no name of a tool; {_FORM}", repaired)
    elif not call.keys() <= _MEMBERS:
        unknown = min(call.keys() - _MEMBERS)
        yield ParsedCall(name, raw, raw, f"The call has a member {unknown!r}; {_FORM}", repaired)
    else:
        yield ParsedCall(name, arguments, raw, "", repaired or not isinstance(call.get("arguments"), dict))


def _missing(text: str) -> str:
    """The braces and brackets that are open at the end of a JSON text."""
    closers: list[str] = []
    in_string = escaped = False
    for character in text:
        if in_string:
            if escaped:
                escaped = False
            elif character == "\\":
                escaped = True
            else:
                in_string = character != '"'
        elif character == '"':
            in_string = True
        elif character in "{[":
            closers.append("}" if character == "{" else "]")
        elif character in "}]" and closers:
            closers.pop()
    return "".join(reversed(closers))


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is no JSON")


# Line breaks in strings are let pass: they mean what they say. NaN and Infinity are not.
_DECODER = json.JSONDecoder(strict=False, parse_constant=_no_number)
