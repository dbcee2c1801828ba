"""How words are meant, by the form of the sentence they stand in: as an order, a question, or neither.

English has few forms of asking ("could you ...", "I need you to ...", "would you mind ..."), and many of saying
something else; so the former are listed, and whatever else stands before a verb makes it no request: "don't ...", "my
sister told me to ...", "what happens if I ...". Texts are as `phrasebook.spelled` has them.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Literal

Mood = Literal["order", "leave", "question", "none"]
"""How words are meant: wanted; asked whether one may; asked for an answer; none of these."""

_NOW_AND_THEN = r"(?:(?:really|still|now|also|just|only) )*"
_ME = r"(?:i|we|i'm|we're|i've|we've)"
_TO_DO = r"(?: (?:for )?(?:you|u|we|i))?(?: (?:to|could|can|would|will))?"
_ASKING = (
    r"(?:can|could|would|will|can't|couldn't|won't|wouldn't|why don't) (?:you|u|someone|somebody)(?: mind)?"
    rf"|{_ME} (?:(?:am|was|were|are) )?{_NOW_AND_THEN}(?:need|want|must|wish|ask|hoping|wondering if|looking|trying)"
    rf"{_TO_DO}|(?:{_ME} would|i'd|we'd) {_NOW_AND_THEN}(?:like|love|prefer|want|appreciate it if"
    rf"|be (?:very )?(?:grateful|happy|glad) if){_TO_DO}|{_ME} {_NOW_AND_THEN}(?:have|got|had better) to"
    r"|let's|make sure(?: that)?(?: you| to)?|be sure to|go ahead and|looking (?:for|to)|hoping to"
    r"|(?:is it|would it be) possible(?: for you)? to"
    r"|(?:is there )?(?:a|any) (?:way|chance) (?:for you to|to|you could|you can)"
    r"|feel free to|(?:do you )?think you could|what i (?:need|want) is(?: for you)? to"
    r"|(?:it|that) would be (?:great|nice|good|lovely|helpful) if you (?:could|can|would)"
    r"|do me a favou?r|(?:you )?help me(?: to)?|be so kind(?: as)? to|time to"
)
_LEAD = (
    r"(?:hi|hey|hello|morning|good (?:morning|afternoon|evening))(?: there)?"
    r"|thanks(?: a lot| so much)?|thank you(?: very much| so much)?|thx|ty|cheers"
    r"|ok|okay|right|all right|alright|sure|yes|great|good|nice|cool|sweet|perfect|lovely|awesome|brilliant|got it"
    r"|oh|ah|hm|hmm|well|now|actually|wait|sorry|sry|maybe|perhaps|quickly|once|again|just|please|pls|plz|kindly"
    r"|first|next|finally|lastly|also|then|and|or|while you're at it|after that|in addition|besides|one more thing"
    r"|on second thought|(?:i've |i )?changed my mind"
)
_LEADS = f"(?:(?:{_LEAD}) )*"
_FRAME = re.compile(
    rf" {_LEADS}(?:(?P<asks>{_ASKING}) |(?P<leave>(?:can|could|may|might) (?:i|we)) )?"
    r"(?:(?:also|please|pls|kindly|just|quickly|maybe|perhaps|possibly|now|then|to|ask you to|"
    r"go ahead and|help me(?: to)?) )*"
)
"""What may stand before an order: greetings and the like, and a form of asking."""
_PLEASE = re.compile(r" (?:please|pls|plz|kindly) ")
_PAUSE = re.compile(r"(?<= )(,|:|but|so|instead)(?= )")
_NEVER = r"(?:don't|do not|dont|never|not)"
_PARENTHESIS = re.compile(rf" {_LEADS}{_NEVER}(?: ever)? ")
"""A refusal that is broken off: "please don't, under any circumstances, ..."."""
_TAKEN_BACK = re.compile(
    rf" {_LEADS}(?:no )?(?:never ?mind(?: (?:that|it|about (?:it|that)|all that))?"
    r"|forget (?:it|that|about (?:it|that)|i asked)|scratch that|no|no way|just kidding"
    rf"|{_NEVER}(?: do (?:it|that|so|this|anything))?|no need(?: to do (?:it|that|so))?"
    r"|leave (?:it|that|everything)(?: (?:as it is|alone|for now))?|not (?:any ?more|after all|now|yet)"
    r"|i (?:don't|do not|no longer) (?:want|need)(?: (?:it|that|this|to))?(?: any ?more| after all| done)?"
    r"|i(?:'d| would) rather (?:not|you didn't)) "
)
"""A sentence that takes back what was said before it."""
_REFUSING = frozenset(("don't", "dont", "do", "never", "refrain", "avoid"))
_STATING = frozenset((
    "i", "we", "he", "she", "it", "they", "you", "is", "was", "were", "there", "somebody", "someone", "everybody",
    "nobody", "not", "no", "what", "why", "how", "my", "our", "your", "his", "her", "their", "the", "that", "this",
    "these", "those", "yesterday", "last",
))  # fmt: skip
"""What statements begin with; within a sentence a value may begin like that as well: "the driest first"."""
_QUESTION = re.compile(
    r" (?:(?:what|which|who|whom|whose|when|where|how|any) (?!i |we |it |to )"
    r"|(?:is|are|do|does|did|have|has|isn't|aren't|doesn't|hasn't|haven't) "
    r"(?:i|we|you|there|it|they|any|my|our|the|that|all|#+) )"
)


def without_what_is_taken_back(text: str) -> str:
    """A text from the last sentence on that takes back what came before: "never mind"."""
    sentences = text.split("|")
    taken = [place for place, words in enumerate(sentences) if _TAKEN_BACK.fullmatch(words.replace(" ,", ""))]
    return "|".join(sentences[max(taken, default=0) :])


def sentence_of(text: str, place: int) -> int:
    """Where the sentence begins in which a place is."""
    return text.rfind("|", 0, place + 1) + 1


def is_polite(text: str) -> bool:
    """Whether "please" is said."""
    return _PLEASE.search(text) is not None


def opening(text: str, start: int, end: int, verbs: Collection[str]) -> tuple[Literal["", "question", "order"], int]:
    """What begins at a place: a question, something wanted, or nothing; and where it goes on after its form of asking.

    Args:
        text: spelled.
        start: before the first word.
        end: where the sentence ends.
        verbs: what orders begin with.
    """
    frame = _FRAME.match(text, start, end)
    body = frame.end() - 1 if frame else start
    word = text[body + 1 : text.find(" ", body + 1)]
    if frame and (frame["asks"] or frame["leave"] or is_polite(frame.group())):
        return "" if word in ("not", "never") else "order", body
    if _QUESTION.match(text, body, end):
        return "question", body
    return "order" if word in verbs else "", body


def mood_at(text: str, place: int, verbs: Collection[str]) -> Mood:
    """How the words from a place on are meant, by what stands before them in the sentence.

    Args:
        text: spelled.
        place: before the first word.
        verbs: what orders begin with.
    """
    prefix = text[sentence_of(text, place) : place + 1].replace(" go ahead and ", " ")  # which joins nothing
    *earlier, last = _PAUSE.split(prefix)
    parts, joint = earlier[::2], "".join(earlier[-1:])
    if any(_PARENTHESIS.fullmatch(part) for part in parts):
        return "none"
    before, goes_on, tail = last.rpartition(" and ")
    if goes_on:
        parts, joint, last = [*parts, f"{before} "], "and", f" {tail}"
    frame = _FRAME.fullmatch(last)
    if frame is None:
        return "none"
    if frame["leave"]:
        return "leave"
    return "order" if frame["asks"] or joint not in ("and", ":") else _governed(parts, verbs)


def _governed(parts: list[str], verbs: Collection[str]) -> Mood:
    """How a sentence is meant that goes on with "and" or a colon: as what came before."""
    for place in reversed(range(len(parts))):
        frame = _FRAME.match(parts[place])
        words = parts[place][frame.end() - 1 if frame else 0 :].split()
        if not words:
            continue
        if (frame and frame["asks"]) or words[0] in verbs:
            return "order"
        if words[0] in _REFUSING or (not place and words[0] in _STATING):
            return "none"
    return "order"
