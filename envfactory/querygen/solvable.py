"""Whether a conversation's requests can be served: checks on the finished text that do not know who wrote it.

Of every call it must be said, by the turn that makes it, what only the person knows, and which records it is about; a
look-up that nobody asks for must be one that the rest of the request makes necessary. Nothing may be asked for that the
program does not do, and no word may be one that only the interface uses. What is wrong has a reason, for counting:

    unsaid         a value that the user must say is not said by then
    unresolved     nothing in the text refers to the record that a call is about, and to no other
    wrong_record   the text names a record that no call of the turn is about
    misplaced      two values of one kind have changed places: the words give each to what the other is for
    not_asked      the words do not ask for a call: for one that changes something, or a look-up that nothing else needs
    unfounded      the text asks for what no call of the turn does
    leaked         a word of the interface: the name of a tool or a parameter, an id
    not_ambiguous  the assistant asks back although the request was clear, or what was asked does not fit two records
    unanswered     a request that is asked back about has no answer after it
    volunteered    a secret is told before it is asked for
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from envfactory.environment import tool_of
from envfactory.querygen.asking import Asking
from envfactory.querygen.beginnings import things_asked
from envfactory.querygen.flags import flags_beyond, flags_of, unsaid_flags
from envfactory.querygen.forms import in_known_forms
from envfactory.querygen.hearing import is_heard
from envfactory.querygen.phrasebook import phrasebook, spelled
from envfactory.querygen.placing import misplaced
from envfactory.querygen.program import Program
from envfactory.querygen.reading import Exchange, Reading, find_all
from envfactory.querygen.request import Request
from envfactory.querygen.surplus import SHORT, values_beyond
from envfactory.querygen.wording import is_one

REASONS = (
    "unsaid", "unresolved", "wrong_record", "misplaced", "not_asked", "unfounded", "leaked", "not_ambiguous",
    "unanswered", "volunteered",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Unsolvable:
    """What is wrong with a request: a reason of `REASONS`, the turn, and what it is about."""

    reason: str
    turn: int
    detail: str

    def __str__(self) -> str:
        return f"{self.reason} in turn {self.turn}: {self.detail}"


def problems(program: Program, requests: Sequence[Request]) -> Iterator[Unsolvable]:
    """Everything for which the requests of a conversation cannot be served, in the order of the turns."""
    heard: list[str] = []
    for last, exchange in exchanges(program, requests):
        heard += exchange.texts
        yield from turn_problems(program, last, exchange, "\n".join(heard))


def exchanges(program: Program, requests: Sequence[Request]) -> Iterator[tuple[int, Exchange]]:
    """The exchanges of a conversation, with the turn in which each ends.

    A turn without calls, in which the assistant asks back, belongs to the exchange of the turn after it. An answer that
    tells a secret says nothing else, and is looked at apart (`secrets`); one that something is done says no more.
    """
    slices = program.slices
    texts: list[str] = []
    before = range(0)
    shown: set[int] = set()
    for turn, (request, calls) in enumerate(zip(requests, slices, strict=True)):
        if not request.tells and not request.done:
            texts.append(request.text)
        if calls or turn == len(slices) - 1:
            asked = request.asked.intersection(calls)
            yield turn, Exchange(tuple(texts), calls, before, frozenset(shown), asked)
            shown |= told(request.asked, calls)
            texts, before = [], calls


def told(asked: Collection[int], calls: range) -> set[int]:
    """The calls of a turn whose results the assistant tells: those asked for, or else the last one."""
    return {call for call in calls if call in asked} or set(calls[-1:])


def turn_problems(program: Program, turn: int, exchange: Exchange, heard: str) -> Iterator[Unsolvable]:
    """Everything for which one exchange cannot be served.

    Args:
        program: the whole program.
        turn: the turn in which the exchange ends.
        exchange: its words and calls.
        heard: everything that the user has said by then.
    """
    key = exchange, heard
    if key not in program.verdicts:
        found = _turn_problems(program, turn, exchange, heard.casefold())
        program.verdicts[key] = tuple((problem.reason, problem.detail) for problem in found)
    yield from (Unsolvable(reason, turn, detail) for reason, detail in program.verdicts[key])


def _turn_problems(program: Program, turn: int, exchange: Exchange, heard: str) -> Iterator[Unsolvable]:
    for text in exchange.texts:
        for word in leaked_words(program, text):
            yield Unsolvable("leaked", turn, word)
    if not exchange.calls:
        yield Unsolvable("unanswered", turn, "the assistant asks back, and nothing follows")
        return
    if (known := in_known_forms(program, exchange.calls, heard)) != heard:
        texts = tuple(in_known_forms(program, exchange.calls, text) for text in exchange.texts)
        heard, exchange = known, replace(exchange, texts=texts)
    reading = Reading(program, exchange)
    values = _said_values(program, exchange.calls)
    calls = list(_asked_of_assistant(program, exchange))
    for call in calls:
        for path in unsaid_values(program, call, heard, exchange.calls, values):
            yield Unsolvable("unsaid", turn, f"{program.gold.calls[call].tool}.{path}")
    yield from (Unsolvable("misplaced", turn, argument) for argument in misplaced(program, reading))
    asking = _asking(program, reading, values)
    for call in calls:
        for flag in unsaid_flags(program, call, asking.text, calls):
            yield Unsolvable("unsaid", turn, f"{program.gold.calls[call].tool}.{flag}")
    plain = _plain(program, reading, values)
    beyond = values_beyond(program, "\n".join(exchange.texts), plain, exchange.calls)
    if any(flags_of(program.tool(call)) for call in exchange.calls):
        beyond = chain(beyond, flags_beyond(program, spelled(plain), exchange.calls))
    yield from (Unsolvable("unfounded", turn, words) for words in beyond)
    yield from (Unsolvable("not_asked", turn, tool) for tool in _not_asked(program, reading, asking))
    yield from _records(program, turn, exchange, reading)
    yield from _beyond(program, turn, exchange, reading, values)
    tools = Counter(program.gold.calls[call].tool for call in exchange.calls)
    yield from (Unsolvable("unfounded", turn, wish) for wish in asking.wishes_beyond(tools))
    if len(exchange.texts) > 1:
        yield from _asked_back(program, turn, exchange)


def _asked_of_assistant(program: Program, exchange: Exchange) -> Iterator[int]:
    """The calls of an exchange but for what the user does themselves, when they are told to."""
    return (call for call in exchange.calls if not program.is_users(call))


# -- values -----------------------------------------------------------------------------------------------------------


def unsaid_values(program: Program, call: int, heard: str, calls: range, said: Collection[str]) -> Iterator[str]:
    """Arguments whose values must have been heard by a call and have not: what only the user knows, and figures.

    One of a thing counts as said if the thing is; a figure from a result need not be said where it follows from a call
    of the same turn. Booleans have no words of their own, and are read by `flags`.

    Args:
        program: the program.
        call: index of the call.
        heard: what the user has said by then, in lower case.
        calls: those of the turn.
        said: what the user says as values in it.
    """
    tool = program.tool(call)
    for value in program.values[call]:
        if value.out is None:
            if isinstance(value.value, bool) or (value.leaf is not None and value.leaf.secret):
                continue
        elif value.out.pick is None and value.out.call in calls:
            continue
        one = "[" in value.path and is_one(value.value, value.leaf)
        if not one and not is_heard(value, tool, heard, said):
            yield value.path


def _said_values(program: Program, calls: range) -> set[str]:
    """What the user says as values in a turn, in lower case: these words mean what they say, and nobody's name."""
    return {value.words for call in calls for value in program.values[call] if value.words}


# -- what is asked for -----------------------------------------------------------------------------------------------


def _asking(program: Program, reading: Reading, values: Collection[str]) -> Asking:
    """What the words of an exchange ask for, read with names and longer values blank."""
    blank = _plain(program, reading, [value for value in values if " " in value])
    return Asking(phrasebook(tuple(program.specs.values())), spelled(blank), values)


def _plain(program: Program, reading: Reading, values: Collection[str]) -> str:
    """The words of an exchange with names and values blank."""
    blank = _masked(reading.text, values, "#")
    for entity in {bound.entity for call in reading.exchange.calls for bound in program.records[call]}:
        for name in reading.names(entity):
            if reading.was_there(name.ids):
                blank = _blanked(blank, name.start, name.end, "#")
    return blank


def _not_asked(program: Program, reading: Reading, asking: Asking) -> Iterator[str]:
    """Tools of which the words do not ask for a call that they must ask for."""
    calls = list(_asked_of_assistant(program, reading.exchange))
    needed = {source for call in calls for source in program.sources[call]}
    tools = Counter(program.gold.calls[call].tool for call in calls if program.tool(call).writes or call not in needed)
    among = {program.gold.calls[call].tool for call in calls}
    yield from (tool for tool, count in tools.items() if not asking.asks(tool, count, among))
    yield from (program.gold.calls[call].tool for call in calls if _left_out(program, reading, call))


def _left_out(program: Program, reading: Reading, call: int) -> bool:
    """Whether a change is about a record that is named only to leave it out ("not X", "but keep X", "except X").

    Nor is one asked for of what a sentence only tells of when another was named before: "Cancel X. I loved Y."
    """
    tool = program.tool(call)
    if not tool.writes or any(_LEAVING.search(text.casefold()) for text in tool.ask):
        return False
    for bound in program.records[call]:
        named = reading.names(bound.entity)
        text = reading.text
        for name in named:
            text = _blanked(text, name.start, name.end, "#")
        said = [name for name in named if bound.key in name.ids]
        if said and all(_OUT.search(text[: name.start]) for name in said):
            return True
        if said and len(named) > len(said) and all(_is_told_of(text, name.start) for name in said):
            return True
    return False


def _is_told_of(text: str, place: int) -> bool:
    """Whether a name stands in the last sentence of several, one that tells what somebody thinks of it."""
    begins = max(text.rfind(end, 0, place) for end in (". ", "! ", "? ", "\n"))
    return begins >= 0 and bool(_TELLING.match(text, begins)) and not re.search(r"[.!?\n]\s+\w", text[place:])


# -- records ----------------------------------------------------------------------------------------------------------


def _records(program: Program, turn: int, exchange: Exchange, reading: Reading) -> Iterator[Unsolvable]:
    """Every record that a call is about is referred to, or follows."""
    referred = {
        (bound.entity, bound.key)
        for call in exchange.calls
        for bound in program.records[call]
        if reading.refers(bound.entity, bound.key, call)
    }
    yield from (Unsolvable("wrong_record", turn, f"the {word} one") for word in _pointed_elsewhere(program, reading))
    vague = _VAGUE.search(reading.text)
    if vague and not any(vague.group() in text.casefold() for text in _asks(program, exchange)):
        yield Unsolvable("unresolved", turn, vague.group())
    for call in _asked_of_assistant(program, exchange):
        for bound in program.records[call]:
            out = bound.out
            follows = not program.tool(call).writes and out.pick is None and out.call in exchange.calls
            if (bound.entity, bound.key) not in referred and not follows:
                yield Unsolvable("unresolved", turn, f"{program.gold.calls[call].tool}: {bound.entity} {bound.key}")


def _pointed_elsewhere(program: Program, reading: Reading) -> Iterator[str]:
    """Marks and places in what was shown ("the second one") at which none of the records stands that calls take."""
    taken: dict[str, set[str]] = {}
    for call in reading.exchange.calls:
        for bound in program.records[call]:
            taken.setdefault(bound.entity, set()).add(bound.key)
    for entity, keys in taken.items():
        meant: dict[str, set[str]] = {}
        for word, items in reading.pointed_at(entity):
            meant.setdefault(word, set()).update(items)
        yield from (word for word, items in meant.items() if items and not items & keys)


def _asks(program: Program, exchange: Exchange) -> Iterator[str]:
    """The phrasings of the tools that an exchange calls."""
    return (text for call in exchange.calls for text in program.tool(call).ask)


def _beyond(
    program: Program, turn: int, exchange: Exchange, reading: Reading, values: Collection[str]
) -> Iterator[Unsolvable]:
    """What the text speaks of beyond the calls of its turn: other records by name, other things to do."""
    text = reading.text
    masked = _masked(text, values)
    entities = {bound.entity for call in exchange.calls for bound in program.records[call]}
    wanted = {(entity, key) for call in exchange.calls for entity, key in _touched(program, call)}
    spans = [(found.start, found.end) for entity in entities for found in reading.names(entity)]
    for entity in sorted(entities):
        for found in reading.names(entity):
            inside = any(start <= found.start and found.end <= end and (start, end) != (found.start, found.end)
                         for start, end in spans)  # fmt: skip
            plain = masked[found.start : found.end] == text[found.start : found.end]
            if plain and not inside and not any((entity, key) in wanted for key in found.ids):
                yield Unsolvable("wrong_record", turn, text[found.start : found.end])
    called = {program.gold.calls[call].tool for call in exchange.calls}
    for name in (name for entity in entities for name in reading.names(entity)):
        masked = _blanked(masked, name.start, name.end)
    for phrase, tools in things_asked(tuple(program.specs.values()), masked):
        goes_on = (text.casefold() for tool in called for text in tool_of(program.specs, tool).ask)
        if not called & tools and not any(f" {phrase}" in text for text in goes_on):
            yield Unsolvable("unfounded", turn, phrase)


def _touched(program: Program, call: int) -> Iterator[tuple[str, str]]:
    """The records that a call names, or that the record named by it goes with."""
    for bound in program.records[call]:
        yield bound.entity, bound.key
    for entity, ids in program.names.ids_in(call).items():
        if program.tool(call).writes:
            yield from ((entity, key) for key in ids)


def _blanked(text: str, start: int, end: int, blank: str = " ") -> str:
    """A text with a part of it blank; what follows stays where it is."""
    return text[:start] + blank * (end - start) + text[end:]


def _masked(text: str, values: Collection[str], blank: str = " ") -> str:
    """A text in which what is said as a value is blank."""
    for words in sorted(values, key=len, reverse=True):
        if len(words) > SHORT:
            for start in find_all(words, text):
                text = _blanked(text, start, start + len(words), blank)
    return text


# -- asking back ------------------------------------------------------------------------------------------------------


def _asked_back(program: Program, turn: int, exchange: Exchange) -> Iterator[Unsolvable]:
    """What the assistant asks back about must not be clear without the answer."""
    alone = Reading(program, replace(exchange, texts=exchange.texts[:-1]))
    open_to = [
        bound
        for call in exchange.calls
        for bound in program.records[call]
        if not (bound.out.call in exchange.calls and bound.out.pick is None)
        and not alone.refers(bound.entity, bound.key, call)
    ]
    if not open_to:
        yield Unsolvable("not_ambiguous", turn, "the request is clear without the answer")
    elif not any(alone.fits_several(bound.entity, bound.key) for bound in open_to):
        yield Unsolvable("not_ambiguous", turn, "nothing that was asked for fits two records")


# -- words ------------------------------------------------------------------------------------------------------------


def leaks(program: Program, requests: Sequence[str]) -> Iterator[str]:
    """Words in the requests that only the interface uses: tool names, parameter names with an underscore, ids."""
    for text in requests:
        yield from leaked_words(program, text)


def leaked_words(program: Program, text: str) -> Iterator[str]:
    """Likewise, of one request."""
    coded = [spec.identifiers for spec in program.specs.values()]
    for token in _TOKEN.findall(text):
        if any(token in names for names in coded) or _ID.fullmatch(token) or _is_id(program, token.upper()):
            yield token


def _is_id(program: Program, word: str) -> bool:
    """Whether a word is the id of a record, however it is written."""
    return bool(_ID.fullmatch(word)) and any(program.base_record(entity, word) for entity in program.tables)


_VAGUE = re.compile(
    r"\b(?:the other one|(?:a|the) similar one|another one|whichever(?: one)?|either (?:one|of them)|any one of them"
    r"|something (?:similar|like)|the one (?:after|before|next to|above|below))\b"
)
"""What points at a record that nobody can be sure of."""
_TELLING = re.compile(
    r"[.!?\n]\s+(?:by the way,? |btw,? |oh,? |and |also,? )*(?:i|we|my \w+|everybody|everyone) "
    r"(?:really |just |also |always |still )*"
    r"(?:love|like|enjoy|hate|dislike|prefer|remember|miss|recommend)(?:e?d|s|es)?\b(?! to\b)"
)
_LEAVING = re.compile(r"\b(?:not|except|excluding|keep|leave|but)\b")
_OUT = re.compile(
    r"\b(?:not|except(?:ing)?|excluding|apart from|other than|(?:everything|anything|all|any \w+|every \w+) but"
    r"|(?:but|and|,|please) (?:keep|leave))(?: (?:the|my|our|for|one|at|in|on|to|with|from|of))* "
    r"(?:#+(?:,| and|,? or|, and) (?:(?:the|my|our) )?)*$"
)
"""What stands before a name, or several, to take it out of what is asked for."""
_TOKEN = re.compile(r"[A-Za-z0-9_-]+")
_ID = re.compile(r"[A-Z]{1,5}-\d+")
