"""Whether a message tells a person to do what only they can: by the form of each sentence, with the person as "you".

Told is who is ordered ("please approve it in your banking app"), asked ("could you sign ...") or obliged to ("you need
to ...", "once you confirm ...", "it has to be confirmed in the app"). Not told is who hears what the assistant does
itself, what is not to be done, what was done, or words in no sentence. To confirm, approve or accept something may be
asked of them right here; so an order to do that says where, or that they do it themselves.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any

from envfactory.environment import ToolSpec
from envfactory.querygen.knowledge import words_in
from envfactory.querygen.moods import without_what_is_taken_back
from envfactory.querygen.phrasebook import spelled
from envfactory.querygen.provisos import is_tied
from envfactory.querygen.wording import say

_CONSENTING = frozenset(("confirm", "approve", "accept", "authorise", "authorize", "allow", "validate", "verify"))
"""Verbs that are said for one another."""
_SIGNING = frozenset(("sign", "give", "put"))
"""Verbs of putting one's name to something; any of these three sets may begin what an order goes on with."""
_MOVING = frozenset(("open", "go", "head", "log", "launch", "start", "visit", "use", "tap"))
"""Verbs of getting to where something is done."""
_DOING = frozenset(("do", "complete", "handle"))
"""Verbs that say nothing of what is done."""
_LEADS = (
    r"(?: (?:ok|okay|sure|alright|all right|right|yes|hello|hi|thanks|thank you|great|well|now|first|next|then|finally"
    r"|also|but|so|sorry|unfortunately|however|otherwise|still|afterwards|to do so|for that|for this|before that))*"
)  # fmt: skip
_HOW = (
    r"(?: (?:please|kindly|now|just|only|first|also|still|then|simply|quickly|yourself|actually|go ahead and"
    r"|in (?:the|your)(?: \w+)? app))*"
)
_FORM = (
    rf"(?:(?: (?:please|kindly)){_HOW}"
    rf"| you(?:'ll|'ve|'re| will| would)?{_HOW} (?:need to|have to|must|should|ought to|got to|required to|asked to"
    rf"|are required to|are asked to|need first to){_HOW}"
    rf"| (?:i|we)(?:'ll|'d| will| would| do)?{_HOW} (?:need|want|ask|like|require|must ask|have to ask) you to{_HOW}"
    rf"| (?:can|could|would|will) you{_HOW}"
    rf"| (?:once|as soon as|until|unless|after) you(?: have|'ve)?{_HOW}"
    rf"| (?:make sure|be sure|remember)(?: you| to){_HOW}| it is up to you to{_HOW})"
)
_ORDER = re.compile(rf"(?: (?:to|for|before|in order to) .*?)?{_LEADS}{_FORM} ")
_OBLIGED = re.compile(r" (?:need|have|must|should|ought|got|required|once|as soon as|until|unless|after) ")
_ASIDE = re.compile(rf"{_LEADS} ")
_INTRODUCTION = re.compile(rf"{_LEADS} (?:to|for|before|in order to|as|if|since|because|once|when) ")
_OWN = re.compile(rf"{_LEADS} (?:i|we|it|this|that|the|there|your|my|as|since|because|before|for|to|i'm|it's) ")
_JOINTS = re.compile(r"(?<= )(?:,|:|and|then|so|but|or)(?= )|(?<= )(?=(?:once|as soon as|until|unless|after) you )")
_NOT = re.compile(
    r" (?:not|never|no|nothing|nobody|neither|nor|without|cannot|dont|\w+n't|avoid|refrain|stop|forget|skip"
    r"|instead of|rather than) "
)
_ENDS = re.compile(r" (?:,|:|and|then|so|but|otherwise|or|because|as|since|which|that|before|if) ")
_AFTER_ALL = re.compile(
    r" (?:,|but) (?:(?:but|please|just|actually) )*(?:don't|do not|never ?mind|no |not (?:now|yet|today|really|any))"
)
_SOMETHING = re.compile(r" (?:(?:for|to|off|on) )?(?:the|your|this|that|it|both|all|its|a|an|these|those|\d\w*) ")
_IT = re.compile(
    r" (?:(?:it|this|that|them|both|so)(?: (?:in|on|via|through|with|using|there|yourself|first|now|before|and|then|,"
    r"|to|directly|once|so)(?= )| $)|(?:the|this|that|your)(?: new)? (?:change|request|amount|step) )"
)  # fmt: skip
_OUGHT_TO_BE = r" (?:(?:needs|has|have|need)(?: \w+)? to|must)(?: \w+)? be (?:{done}) "
_NEEDS_YOURS = re.compile(r" (?:needs?|requires?) your (?:confirmation|approval|signature|authori[sz]ation) ")
_DOUBTED = re.compile(rf"{_LEADS} (?:do|does|did|is|if|whether|when|had|would|will|has) ")
_ID = re.compile(r"\b[A-Za-z]{1,5}-\d{2,}\b")
_FOREIGN = re.compile(
    r"[\u20ac\u00a3\u00a5]\s?\d|\b(?:EUR|GBP|CHF|JPY)\b|\d\s?(?:euros?|pounds?|francs?|yen)\b", re.IGNORECASE
)
"""Amounts that are not in dollars."""
_NO_AMOUNT = frozenset(("minute", "minutes", "hour", "hours", "day", "days", "second", "seconds", "times", "steps"))


def told_of(acts: Sequence[tuple[ToolSpec, Mapping[str, Any]]], heard: str, now: datetime) -> tuple[list[int], str]:
    """What of all that is open to a person a message tells them to do.

    Args:
        acts: what they could do, each with what they would do it with.
        heard: the message.
        now: the time of the conversation.

    Returns:
        Places of what they are told to do, and what they have against others, empty if nothing.
    """
    alone = len(acts) == 1
    named = {found.casefold() for found in _ID.findall(heard)}
    against = [
        None
        if named and named.isdisjoint(_ids(tool, arguments))
        else _objection(tool, arguments, heard, now, alone=alone)
        for tool, arguments in acts
    ]
    return [place for place, words in enumerate(against) if words == ""], next(filter(None, against), "")


def _objection(tool: ToolSpec, arguments: Mapping[str, Any], heard: str, now: datetime, *, alone: bool) -> str | None:
    """What the person has against doing what a message tells them to; None if it does not tell them.

    Args:
        tool: what they could do.
        arguments: what they would do it with.
        heard: the message.
        now: the time of the conversation.
        alone: whether it is all that is open to them; then "it" is enough.

    Returns:
        What they say if it names another amount than theirs, or another currency; empty if they have nothing against.
    """
    said = list(_tellings(tool, heard, alone))
    if not said:
        return None
    for leaf in tool.inputs:
        value = arguments.get(leaf.path)
        if leaf.type in ("integer", "number") and value is not None:
            amounts = [amount for sentence in said for amount in _amounts(sentence)]
            if leaf.unit == "USD" and _FOREIGN.search(heard):
                return f"I have not done that: I want {say(value, leaf, now)}."
            if amounts and not any(abs(amount - value) < 0.005 for amount in amounts):
                return f"I have not done that: I want {say(value, leaf, now)}."
    return ""


def _tellings(tool: ToolSpec, heard: str, alone: bool) -> Iterator[str]:
    """The sentences of a message that tell the person to use a tool, spelled."""
    plain = re.sub(r"(?<=\d),(?=\d{3})", "", heard)
    plain = re.sub(r"(?<=\d) ?(?:k|thousand)\b", "000", plain, flags=re.IGNORECASE)
    plain = re.sub(r"(?<=\d)\.(?=\d)", "p", plain)  # a number stays one word
    for words in without_what_is_taken_back(spelled(plain)).split("|"):
        sentence = f" {words.strip()} "
        if _tells(tool, sentence, alone) and not is_tied(sentence, 0, len(sentence)):
            yield sentence


def _ids(tool: ToolSpec, arguments: Mapping[str, Any]) -> set[str]:
    """The ids that an act would be done with, in lower case."""
    return {str(arguments[leaf.path]).casefold() for leaf in tool.inputs if leaf.ref and leaf.path in arguments}


def _tells(tool: ToolSpec, sentence: str, alone: bool) -> bool:
    verbs, done, places = _doing(tool.ask)
    nouns = frozenset(tool.name.split("_")[1:])
    at_hand = " yourself " in sentence or not places.isdisjoint(words_in(sentence))
    for found in re.finditer(_OUGHT_TO_BE.format(done=done), sentence):
        before = _parts(sentence[: found.start() + 1])[-1]
        named = nouns <= words_in(before) or (alone and _OWN.match(before))
        if named and (at_hand or " by you " in sentence) and _is_stated(sentence, before, found.end() - 1):
            return True
    for found in _NEEDS_YOURS.finditer(sentence):
        before = _parts(sentence[: found.start() + 1])[-1]
        if at_hand and (alone or nouns <= words_in(sentence)) and _is_stated(sentence, before, found.end() - 1):
            return True
    for found in re.finditer(r"(?<= )[a-z]+(?= )", sentence):
        verb, before, after = found.group(), sentence[: found.start()], sentence[found.end() :]
        parts = _parts(before)
        if verb not in verbs:
            finished = bool(done) and re.fullmatch(done, verb) and re.search(r" you(?: have|'ve) $", parts[-1])
            if not finished or not re.search(r" (?:once|as soon as|until|unless|after) you", parts[-1]):
                continue
        named = verb not in _DOING and nouns <= words_in(after) and _SOMETHING.match(after)
        meant = alone and at_hand and _IT.match(after)
        plain = verb not in _CONSENTING and verb not in _DOING
        clear = at_hand or plain or _OBLIGED.search(parts[-1])
        if (named or meant) and clear and _is_order(parts) and not _is_undone(after):
            return True
    return False


def _parts(before: str) -> list[str]:
    """What stands before a verb, parted where a sentence goes on with something else."""
    return [f" {part.strip()} ".replace("  ", " ") for part in _JOINTS.split(before)]


def _is_order(parts: Sequence[str], *, within: bool = False) -> bool:
    """Whether a sentence orders what follows its first parts; a part without an order of its own goes on with one.

    Args:
        parts: those before the verb, or before what goes on with them.
        within: whether the last one has a verb of its own.
    """
    *earlier, last = parts
    earlier = [part for part in earlier if part.strip()]
    if _NOT.search(last):
        return False
    if _ORDER.match(last) if within else _ORDER.fullmatch(last):
        return not any(_NOT.search(part) and not _OWN.match(part) for part in earlier)
    if not (within and _begins(last)) and not _ASIDE.fullmatch(last):
        return False
    if not earlier or _is_order(earlier, within=True):
        return True
    return len(earlier) == 1 and _INTRODUCTION.match(earlier[0]) is not None


def _begins(part: str) -> bool:
    """Whether a part of a sentence begins with an order."""
    aside = _ASIDE.match(part)
    return (part[aside.end() :] if aside else part.lstrip()).split(" ")[0] in _CONSENTING | _MOVING | _SIGNING


def _is_undone(after: str) -> bool:
    """Whether what follows an order takes it back."""
    return bool(_NOT.search(f"{_ENDS.split(after)[0]} ") or _AFTER_ALL.search(after))


def _is_stated(sentence: str, before: str, end: int) -> bool:
    """Whether a sentence says that something has to be done, by nobody else."""
    after = sentence[end:]
    others = re.search(r" by (?:me|us|him|her|them|someone) ", after)
    return not (others or _NOT.search(before) or _DOUBTED.match(before) or _is_undone(after))


def _amounts(sentence: str) -> Iterator[float]:
    """The amounts in a sentence."""
    words = sentence.split()
    for word, following in zip(words, [*words[1:], ""], strict=True):
        if re.fullmatch(r"\d+(?:p\d+)?", word) and following not in _NO_AMOUNT:
            yield float(word.replace("p", "."))


@cache
def _doing(ask: tuple[str, ...]) -> tuple[frozenset[str], str, frozenset[str]]:
    """The verbs of some phrasings with those said for them, what they become once done, and where it is to be done.

    The second is a pattern; the third the place in which all of the phrasings have it.
    """
    plain = [re.sub(r"\{\w+\}", "it", text).casefold() for text in ask]
    found = frozenset(word for text in plain for word in re.findall(r"(?:^|\band )([a-z]+)", text))
    verbs = found - _MOVING or found  # "open the app and sign" is about signing, "open the parcel" about opening
    if verbs & _CONSENTING:
        verbs |= _CONSENTING
    places = (re.findall(r"\b(?:in|on|at|to|open) the (?:\w+ )?(\w+)(?= and | with |$)", text) for text in plain)
    done = "|".join(re.escape(f"{verb}{'' if verb.endswith('e') else 'e'}d") for verb in sorted(verbs - _DOING))
    return verbs | _DOING, done, frozenset[str].intersection(*map(frozenset, places))
