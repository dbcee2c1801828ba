"""Manners of writing: how clauses become a message of one person rather than a list of orders."""

from __future__ import annotations

import random
import re

from envfactory.querygen.wording import sentence

_OPENINGS: dict[str, tuple[tuple[str, str], ...]] = {
    "brief": (("", "."),),
    "plain": (("", "."), ("can you ", "?"), ("please ", "."), ("could you ", "?"), ("I need you to ", ".")),
    "polite": (
        ("could you please ", "?"), ("would you ", "?"), ("I'd like you to ", "."), ("could you ", "?"),
        ("would you please ", "?"), ("please ", "."),
    ),
    "chatty": (
        ("can you ", "?"), ("I'd like you to ", "."), ("could you ", "?"), ("I was hoping you could ", "."),
        ("can you quickly ", "?"),
    ),
    "casual": (("", "."), ("can you ", "?"), ("pls ", "."), ("could you ", "?"), ("can u ", "?")),
}  # fmt: skip
_GREETINGS: dict[str, tuple[str, ...]] = {
    "brief": ("",),
    "plain": ("", "", "Hi, ", "Hello, "),
    "polite": ("Hello, ", "Good morning, ", "Hi there, ", "Hello there, "),
    "chatty": ("Hey, ", "Hi! ", "Hello there! ", "Hey there! ", "Good morning! "),
    "casual": ("", "hey, ", "hi, ", "hello, ", "morning, "),
}
_CONTINUINGS: dict[str, tuple[str, ...]] = {
    "brief": ("", "", "", "Ok. ", "Right. "),
    "plain": ("", "", "Thanks. ", "Okay, ", "Good. ", "Got it. ", "All right, ", "Now, "),
    "polite": ("", "Thank you. ", "Thanks a lot. ", "That helps, thanks. ", "Very kind, thanks. ", "I see, thanks. "),
    "chatty": ("", "Great, thanks! ", "Perfect. ", "Nice! ", "Awesome, thanks. ", "Lovely! ", "Brilliant. ", "Good. "),
    "casual": ("", "", "ok, ", "cool. ", "thx. ", "nice. ", "alright, ", "sweet. "),
}  # fmt: skip
_CLOSINGS: dict[str, tuple[str, ...]] = {
    "brief": ("Thanks.",),
    "plain": ("Thanks.", "Thank you."),
    "polite": ("Thank you!", "Many thanks.", "Thanks in advance."),
    "chatty": ("Thanks!", "That would be great!", "Thanks so much!"),
    "casual": ("thx!", "cheers!", "ty!"),
}
CLOSED = 0.12
"""How often a request ends with a word of thanks, unless it begins with one."""
_FURTHER: dict[str, tuple[tuple[str, str], ...]] = {
    "brief": (("also ", "."), ("", "."), ("and ", ".")),
    "plain": (("also, ", "."), ("and ", "."), ("then ", "."), ("and can you ", "?")),
    "polite": (("I'd also like you to ", "."), ("could you also ", "?"), ("and please ", "."), ("and would you ", "?")),
    "chatty": (("oh, and ", "."), ("and could you also ", "?"), ("also, ", "."), ("and while you're at it, ", ".")),
    "casual": (("also ", "."), ("and ", "."), ("then ", "."), ("and pls ", "."), ("oh and ", ".")),
}


_SECOND_THOUGHTS: dict[str, tuple[str, ...]] = {
    "brief": ("Actually, ", "Change of plan: "),
    "plain": ("Actually, ", "On second thought, ", "I've changed my mind: "),
    "polite": ("Sorry, one more change: ", "On second thought, ", "Sorry, I've changed my mind. "),
    "chatty": ("Hmm, actually, ", "Oh wait, ", "Sorry, I changed my mind! "),
    "casual": ("wait, ", "hm no, ", "actually ", "sry, changed my mind, "),
}


def compose(clauses: list[str], manner: str, turn: int, rng: random.Random, *, changes_mind: bool = False) -> str:
    """Join the clauses of a turn into one message.

    Args:
        clauses: imperative clauses without capital or full stop, in a sensible order.
        manner: one of `planner.MANNERS`.
        turn: counted from 0; the first one greets.
        rng: chooses among equals.
        changes_mind: whether the turn undoes or changes what the last one did.
    """
    groups: list[str] = []
    rest = list(clauses)
    while rest:
        first = rest.pop(0)
        if (
            rest
            and " and " not in first
            and " and " not in rest[0]
            and len(first) + len(rest[0]) < 130
            and rng.random() < 0.6
        ):
            first = f"{first}{', and' if ', ' in first else ' and'} {rest.pop(0)}"
        groups.append(first)
    leads = _GREETINGS if turn == 0 else _SECOND_THOUGHTS if changes_mind else _CONTINUINGS
    lead = rng.choice(leads[manner])
    opening, end = rng.choice(_OPENINGS[manner])
    begun = _typed if manner == "casual" else sentence
    text = f"{opening}{groups[0]}{end}"
    text = f"{lead}{text if lead.endswith((', ', ': ')) else begun(text)}" if lead else begun(text)
    used: set[str] = set()
    for group in groups[1:]:
        options = [option for option in _FURTHER[manner] if option[0] not in used] or list(_FURTHER[manner])
        opening, end = rng.choice(options)
        used.add(opening)
        text += " " + begun(f"{opening}{group}{end}")
    if rng.random() < CLOSED and not _THANKED.search(lead):
        return f"{text} {rng.choice(_CLOSINGS[manner])}"
    return text.removesuffix(".") if manner == "casual" else text


_THANKED = re.compile(r"thank|thx", re.IGNORECASE)


def _typed(text: str) -> str:
    """A sentence as it is typed in haste: it begins as it comes."""
    return text if text.endswith((".", "!", "?")) else f"{text}."
