"""The same value said another way: "March 9" for "9 March", "40 dollars" for "$40", "9am" for "09:00".

A text that does not say a value as `wording.say` does is searched for its other forms; where one stands, the text is
read as if it had the value's own words, which all that reads texts looks for. Only what can mean nothing else counts:
not "9/3", which is a day in March or in September.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from envfactory.environment import ToolSpec
from envfactory.environment.paths import spec_path
from envfactory.querygen.hearing import around_of
from envfactory.querygen.program import Program, Value
from envfactory.querygen.reading import find_all


def in_known_forms(program: Program, calls: Iterable[int], text: str) -> str:
    """A text in which the values of some calls that are said another way have their own words.

    Args:
        program: the program.
        calls: indexes of the calls.
        text: what is said; lower case where something is rewritten, else as it is.
    """
    low = text.casefold()
    changed = low
    for call in calls:
        for value in program.values[call]:
            leaf = value.leaf
            if value.words and leaf is not None and (leaf.format or leaf.type in ("integer", "number")):
                exact = value.words in changed and any(True for _ in find_all(value.words, changed))
                if not exact or (".00" in changed and value.words[0] in _CURRENCIES):
                    for pattern in _forms(program.tool(call), value):
                        changed = pattern.sub(lambda _, words=value.words: words, changed)
    return text if changed == low else changed


def _forms(tool: ToolSpec, value: Value) -> Iterator[re.Pattern[str]]:
    assert value.leaf is not None
    match value.leaf.format:
        case "date":
            yield _of_day(value.value, value.words)
        case "time":
            yield _of_time(value.value[:5])
        case "date-time":
            yield _of_moment(value.value[:16], value.words.partition(" at ")[0])
        case _ if value.words[0] in _CURRENCIES:
            yield _of_amount(value.words)
        case _:
            number, _, unit = value.words.partition(" ")
            word = _IN_WORDS.get(number)
            if word and unit:
                yield _pattern(rf"{word} {re.escape(unit)}")
            elif word and number != "1":
                around = around_of(tool).get(spec_path(value.path))
                after = {words.split()[0] for words in around.after if words.split()} if around else set[str]()
                before = {words.split()[-1] for words in around.before if words.split()} if around else set[str]()
                for beside in (rf"(?= (?:{_any(after)}))" if after else "", ""):
                    lead = rf"(?<= )(?<={re.escape(max(before))} )" if before and not beside else ""
                    if beside or lead:
                        yield _pattern(rf"{lead}{word}{beside}")


def _any(words: Iterable[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(words))


@lru_cache(maxsize=4096)
def _pattern(inner: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w$€£])(?:{inner})(?!\w)")


def _day(iso: str, words: str) -> str:
    """A day in all forms, without what may stand around it."""
    day = dt.date.fromisoformat(iso)
    month = f"{day:%B}".casefold()
    months = rf"(?:{month}|{month[:3]}\b\.?)" if month != "september" else r"(?:september|sept?\b\.?)"
    ending = "th" if day.day in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(day.day % 10, "th")
    year = rf"(?:,? {day.year})" + ("" if words.endswith(str(day.year)) else "?")
    number = rf"(?:{day.day}(?:{ending})?)"
    return rf"(?:{iso}|(?:the )?{number}(?: of)? {months}{year}|{months} (?:the )?{number}{year})(?!,? \d{{4}}\b)"


@lru_cache(maxsize=4096)
def _of_day(iso: str, words: str) -> re.Pattern[str]:
    return _pattern(rf"(?<! or )(?<!\d[-/]){_day(iso, words)}(?![-/:]\d)")


def _time(clock: str) -> str:
    """A time of day in all forms."""
    hour, minute = int(clock[:2]), int(clock[3:])
    twelve, half = (hour - 1) % 12 + 1, r" ?a\.?m\.?" if hour < 12 else r" ?p\.?m\.?"
    minutes = rf"(?:[:.]{minute:02d})" + ("?" if not minute else "")
    forms = [rf"0?{twelve}{minutes}{half}", rf"{hour}[:.]{minute:02d}(?! ?[ap]\.?m)"]
    if hour < 12 or hour == 12:  # "half past nine" is in the morning where nothing else is said
        later = r"(?! (?:in the (?:afternoon|evening)|at night|tonight|p\.?m))"
        name = _IN_WORDS.get(str(twelve), "")
        nexts = _IN_WORDS.get(str(twelve % 12 + 1), "")
        past = {30: f"half past {name}", 15: f"quarter past {name}", 45: f"quarter to {nexts}"}.get(minute)
        if past:
            forms.append(rf"(?:a )?{past}{later}")
    if clock == "12:00":
        forms.append("noon")
    return f"(?:{'|'.join(forms)})"


@lru_cache(maxsize=1024)
def _of_time(clock: str) -> re.Pattern[str]:
    return _pattern(_time(clock))


@lru_cache(maxsize=1024)
def _of_moment(iso: str, day_words: str) -> re.Pattern[str]:
    day, time = _day(iso[:10], day_words), _time(iso[11:])
    return _pattern(rf"(?:{day}(?:,? at|,)? {time}|{time},? (?:on )?{day})")


@lru_cache(maxsize=4096)
def _of_amount(words: str) -> re.Pattern[str]:
    sign, number = words[0], words[1:].replace(",", "")
    whole, _, cents = number.partition(".")
    grouped = re.escape(f"{int(whole):,}")
    digits = rf"(?:{whole}|{grouped})" + (rf"\.{cents}" if cents else r"(?:\.00)?")
    name = _IN_WORDS.get(number, "")
    said = rf"(?:{digits}|{name})" if name else digits
    names, code = _CURRENCIES[sign]
    inner = rf"{re.escape(sign)} ?{digits}|{said} ?(?:{names}|{code})|{code} ?{digits}"
    return re.compile(rf"(?<![\w.,$€£-])(?:{inner})(?![\w])(?![.,]\d)")


_CURRENCIES = {"$": ("(?:us )?dollars?|bucks", "usd"), "€": ("euros?", "eur"), "£": ("pounds?", "gbp")}
_SMALL = """one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen twenty""".split()  # noqa: SIM905 - read more easily than a list of strings
_TENS = ("thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_IN_WORDS = {
    **{str(number): word for number, word in enumerate(_SMALL, 1)},
    **{str(number * 10): word for number, word in enumerate(_TENS, 3)},
}
