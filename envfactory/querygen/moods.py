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
_TO_DO = r"(?: (?:you'd|you'll)|(?: (?:for )?(?:you|u|we|i))?(?: (?:to|could|can|would|will|might))?)"
_ASKING = (
    r"(?:can|could|would|will|can't|couldn't|won't|wouldn't|why don't) (?:you|u|someone|somebody)(?: mind)?"
    rf"|{_ME} (?:(?:am|was|were|are) )?{_NOW_AND_THEN}"
    rf"(?:need|want|must|wish|ask|hoping|wonder(?:ing)? if|looking|trying|gonna need)"
    rf"{_TO_DO}|(?:{_ME} would|i'd|we'd) {_NOW_AND_THEN}(?:like|love|prefer|rather|want|appreciate it if"
    rf"|be (?:(?:very|so|much|most) )*(?:grateful|happy|glad|obliged|thankful) if){_TO_DO}"
    rf"|{_ME} {_NOW_AND_THEN}(?:have|got|had better) to"
    rf"|{_ME} {_NOW_AND_THEN}(?:have )?decided to|(?:i'm|we're|i am|we are) (?:writing|calling|here) to"
    r"|(?:(?:would|will) you be|are you) able to"
    r"|let's|make sure(?: that)?(?: you| to)?|be sure to|(?:you can )?go ahead and|looking (?:for|to)|hoping to"
    r"|(?:is it|would it be) possible(?: for you)? to"
    r"|(?:is there )?(?:a|any) (?:way|chance) (?:for you to|to|you could|you can)"
    r"|feel free to|(?:do you )?think you could|(?:what|all) i(?:'d like| would like| need| want) is"
    r"(?: for you)? to"
    r"|(?:can|could) we|please would you|how about you|i think it's (?:best|better|time) to"
    r"|gonna need you to|(?:the )?time has come(?: for you)? to"
    r"|(?:may|might|can|could) i (?:ask|get|trouble|bother) you to|(?:do you )?mind if i ask you to"
    r"|(?:would you )?be (?:so kind as to|a dear and)|would it be (?:ok|okay|fine|all right|alright)(?: for you)? to"
    r"|you'd do me a (?:(?:huge|big|great) )?favou?r if (?:you (?:could|can|would)|you'd)"
    r"|(?:(?:it|that) would|it'd|that'd) (?:really |very much )?(?:be (?:great|nice|good|lovely|helpful|wonderful)|help"
    r"|help me(?: out)?|make my (?:day|week|morning)|mean a lot(?: to me)?|save me)"
    r" if (?:you (?:could|can|would)|you'd)"
    r"|do me a favou?r|(?:you )?help me(?: to)?|(?:it's |it is )?time(?: for you)? to"
)
_LEAD = (
    r"(?:hi|hiya|hey|hello|morning|evening|good (?:morning|afternoon|evening))(?: there)?"
    r"|thanks(?: a lot| so much)?|thank you(?: very much| so much)?|thx|ty|cheers"
    r"|ok|okay|right|all right|alright|sure|yes|great|good|nice|cool|sweet|perfect|lovely|awesome|brilliant|got it"
    r"|oh|ah|hm|hmm|well|now|actually|wait|sorry|sry|maybe|perhaps|quickly|once|again|just|please|pls|plz|kindly"
    r"|first|next|finally|lastly|also|then|and|or|while you're at it|after that|in addition|besides|one more thing"
    r"|unfortunately|sadly|regrettably|i'm afraid(?: that)?|i am afraid(?: that)?|i (?:think|guess|suppose)(?: that)?"
    r"|on second thoughts?|(?:i've |i )?changed my mind"
)
_LEADS = f"(?:(?:{_LEAD}) )*"
_FRAME = re.compile(
    rf" {_LEADS}(?:(?P<asks>{_ASKING}) |(?P<leave>(?:can|could|may|might) (?:i|we)) )?"
    r"(?:(?:also|please|pls|kindly|just|quickly|maybe|perhaps|possibly|now|then|to|ask you to|"
    r"do(?! (?:i|we|you|there|it|they|any|my|our|the|that|all|not|#+) )|go ahead and|help me(?: to)?) )*"
)
"""What may stand before an order: greetings and the like, and a form of asking."""
_PLEASE = re.compile(r" (?:please|pls|plz|kindly) ")
_PAUSE = re.compile(r"(?<= )(,|:|(?<!anything )(?<!everything )but|so(?! kind )|instead)(?= )")
_NEVER = r"(?:don't|do not|dont|never|not)"
_PARENTHESIS = re.compile(rf" {_LEADS}{_NEVER}(?: ever)? ")
"""A refusal that is broken off: "please don't, under any circumstances, ..."."""
_TAKEN_BACK = re.compile(
    rf" {_LEADS}(?:(?:no|nope|nah|haha|stop|hold on) )?{_LEADS}"
    r"(?:never ?mind(?: (?:that|it|about (?:it|that)|all that))?|absolutely not|god forbid"
    r"|forget (?:it|that|about (?:it|that)|i asked)|scratch that|no|nope|nah|no way|just kidding"
    r"|i don't think so|cancel that|not really|keep (?:it|that)"
    rf"|{_NEVER}(?: do (?:it|that|so|this|anything))?|no need(?: to do (?:it|that|so))?"
    r"|leave (?:it|that|everything)(?: (?:as it is|alone|for now))?"
    r"|not (?:any ?more|after all)"
    r"|i (?:don't|do not|no longer) (?:want|need)(?: (?:it|that|this|to))?(?: any ?more| after all| done)?"
    r"|i(?:'d| would) rather (?:not|you didn't)) "
)
"""A sentence that takes back what was said before it; where it may be an order as well, `_BACK` must begin it."""
_RETRACTS = re.compile(
    rf" {_LEADS}(?:(?:no|nope|nah|oops|stop|hold on|though|hang on) )*{_LEADS}(?:"
    r"(?:ignore|disregard|forget|scratch|strike|dismiss) (?:(?:that|this|it|everything|all(?: of)? that)"
    r"(?: please)? (?:$|(?:i|we|i'm|it) )"
    r"|everything i |i (?:said|wrote|asked)"
    r"|(?:about|what) (?:i |it |that |this )|(?:my|the|this) (?:last|previous|request|message|above))"
    r"|(?:i'm|i am|i was|we're|we were|that was|it was) (?:(?:only|just|meant as) )*"
    r"(?:kidding|joking|testing|a joke|a test)"
    r"|(?:(?:only|just) )*(?:kidding|joking|testing|asking)(?=(?: (?:ha)+)* $| \|)"
    r"|absolutely not |not before $|wrong (?:chat|window|person|number) "
    r"|i take (?:it|that|this|all that) back|(?:please )?pretend i |skip (?:it|that) "
    r"|i'm good $|i(?:'ve| have) reconsidered"
    r"|let's (?:drop|forget|skip|leave) (?:it|that|this) |i didn't mean (?:it|that|this) |(?:no )*wrong one |hang on "
    r"|i meant (?:someone|somebody) "
    r"|that (?:was|is) (?:(?:meant )?for (?:someone|somebody) else|wrong) |that's (?:not right|wrong) "
    r"|my (?:mistake|bad) "
    r"|(?:let's|better|rather) not "
    r"|(?:don't|do not|dont) (?:bother|proceed|do (?:it|that|so|this|anything))|do nothing "
    r"|(?:i've |i have |i )changed my mind $|i (?:wouldn't|don't|won't|shouldn't) $"
    r"|leave (?:it|that|this|everything|them) (?:as (?:it|they|is)|alone|be) "
    r"|(?:just |but )*not (?:right )?(?:now|yet|today|just yet) |(?:wait|hold off)(?: on (?:it|this|that))?"
    r"(?: (?:for now|until|till|with|for (?!the |a |an |#)))"
    r"|cancel my (?:last |previous )?(?:request|message) $"
    r"|(?:that's|that is) what [^|]+ but i don't $)"
)
"""What a sentence begins with that takes back, or puts off, what was said before it."""
_BACK = re.compile(r" (?:no|nope|nah|wait|haha|stop|hold on|scratch|actually|on second thoughts?) ")
_ORDERED = re.compile(r" (?:cancel that|keep (?:it|that)) $")
_TAIL = re.compile(r"(?<= )(?:,|but)(?= (?!or ))")
_NEEDLESS = re.compile(r" i (?:don't|do not|no longer) (?:want|need)(?: (?:it|that|this))?(?: any ?more)? ")
_REMOVING = re.compile(
    r" (?:cancel|delete|discard|drop|end|erase|remove|return|scrap|stop|unwatch|withdraw"
    r"|(?:call|take|strike|get|throw|let) [^|]*?(?:off|out|rid|away|go)) "
)
_SUPPOSING = re.compile(
    r" if (?:(?:i|you|we|they|he|she|it|somebody|someone|anyone) (?:were|asked|wanted|told|had|said)) "
    r"| is what (?:(?:my|the|our) )?(?!i |we |you )[^ ,|]+(?: [^ ,|]+)? (?:says|said|wants|wanted|wrote|asked)"
    r"|, (?:(?:my|the|our) )?(?!i |we )[^ ,|]+ (?:says|said|asked|replied|wrote|joked|suggested|told (?:me|us)) $"
)
"""What makes of an order before it a supposition, or somebody else's."""
_QUOTING = re.compile(r" (?:(?:my|the|our) )?(?!i |we )[^ ,|]+ (?:writes|wrote|says|said|reads) $")
_QUOTED = re.compile(r" (?:as|like) (?!i |we )[^ ]+(?: [^ ]+)? (?:say|says|said|put it|goes) $")
_TO_BE_DONE = re.compile(
    rf" {_LEADS}(?:(?:{_ME}) (?:need|want|would like) )?(?:my|our|the|that|this|it|#+)"
    r"(?: (?!not |never |no |says |said |told |thinks |asked |wants |if )[^ |]+)*?"
    r" (?:(?:still |now |also )?(?:needs?|has|have|is|are) to be|(?:must|should)(?: please| now| also)? be"
    r"|needs?(?= [^ ]+ed )) (?!not )[^ |]+ed (?!if |before |by then )"
)
_REFUSING = frozenset(("don't", "dont", "do", "not", "never", "refrain", "avoid"))
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
    """A text from the last sentence on that takes back what came before: "never mind"; or from the end of one on."""
    sentences = text.split("|")
    for place in reversed(range(len(sentences))):
        words = sentences[place]
        if _takes_back(words):
            # "Cancel that" is an order where nothing came before it.
            return "|".join([" ", *sentences[place + 1 :]] if place and _ORDERED.search(words) else sentences[place:])
        tails = (joint for joint in _TAIL.finditer(words) if not _is_reason(words, joint))
        if any(_takes_back(words[joint.end() :]) for joint in tails):
            return "|".join([" ", *sentences[place + 1 :]])
    return text


def _takes_back(words: str) -> bool:
    """Whether a sentence, or the end of one, takes back what came before it."""
    words = words.replace(" ,", "")
    if _RETRACTS.match(words):
        return True
    return bool(_TAKEN_BACK.fullmatch(words)) and not (_ORDERED.search(words) and not _BACK.match(words))


def _is_reason(words: str, joint: re.Match[str]) -> bool:
    """Whether what follows only says why something is to go: "cancel it, I no longer need it"."""
    return bool(_NEEDLESS.fullmatch(words, joint.end()) and _REMOVING.search(words, 0, joint.start()))


def sentence_of(text: str, place: int) -> int:
    """Where the sentence begins in which a place is."""
    return text.rfind("|", 0, place + 1) + 1


def is_polite(text: str) -> bool:
    """Whether "please" is said."""
    return _PLEASE.search(text) is not None


def is_to_be_done(words: str) -> bool:
    """Whether the words wish for something in the passive: "my stay needs to be cancelled", not "stays have to be"."""
    return _TO_BE_DONE.match(words) is not None


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
    prefix = text[sentence_of(text, place) : place + 1]
    for words in (" you can go ahead and ", " go ahead and "):  # which joins nothing
        prefix = prefix.replace(words, " please " if words.startswith(" you") else " ")
    end = text.find("|", place + 1)
    if _SUPPOSING.search(text, place, end if end >= 0 else len(text)):
        return "none"
    *earlier, last = _PAUSE.split(prefix)
    parts, joint = earlier[::2], "".join(earlier[-1:])
    if any(_PARENTHESIS.fullmatch(part) or _QUOTED.fullmatch(part) for part in parts):
        return "none"
    if joint == ":" and _QUOTING.fullmatch(parts[-1]):
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
