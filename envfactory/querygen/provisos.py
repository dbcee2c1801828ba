"""Provisos: what ties a wish to something that has yet to happen, or puts it off.

"Cancel it if it rains", "once I am back, ...", "..., but not yet": whoever served such a request now would do what was
not asked. Politeness ("if you don't mind"), what a look-up would show ("see if ...") and what is met by serving the
request ("if it's available") are none. Texts are as `phrasebook.spelled` has them.
"""

from __future__ import annotations

import re

_BEFORE_IF = "".join(
    rf"(?<! {words})"
    for words in (
        "see", "check", "know", "find out", "tell me", "show me", "look", "ask", "wonder", "wondering", "say", "sure",
        "verify", "confirm", "appreciate it", "grateful", "glad", "happy", "great", "nice", "good", "lovely", "helpful",
        "obliged", "thankful", "mind", "ok", "okay", "fine", "favour", "favor", "as", "even", "what", "wish", "find",
    )
)  # fmt: skip
"""What may stand before an "if" that makes no condition."""
_AFTER_IF = (
    r"possible|necessary|needed|required|applicable|need be|so|not|any|anything|nothing else|in doubt"
    r"|you(?:'d| would| wouldn't| could| can| may| will| want| like| please| wish| don't| do not| do| need| prefer"
    r"| know| think| see fit| have (?:a|the|time|any)| get (?:a|the|time))"
    r"|(?:it's|it is|that's|that is)(?: still)?"
    r" (?:ok|okay|possible|all right|alright|fine|available|in stock|not|no|allowed|convenient)"
    r"|it (?:isn't|is not|wouldn't be)"
    r"|(?:that|it) (?:works|suits|helps)|i (?:may|might|could|can|remember|recall)"
    r"|i'm (?:not mistaken|right)|there(?:'s| is| are) (?:any|no|an? (?:problem|issue|error|question|change))"
)
"""What may stand after one: politeness, and what serving the request shows."""
_SOMEBODY = r"(?:my|our|the|i|i'm|i've|we|we're|he|she|they|everyone|somebody|#+)"
_PROVISO = re.compile(
    rf"{_BEFORE_IF} (?:if|in case) (?!(?:{_AFTER_IF}) )"
    rf"|{_BEFORE_IF} when (?:i'm|we're|(?:i|we|he|she|they) (?:am|are|is|get|come|have|return|finish|arrive)s?"
    r"|(?:my|our) [^ |]+ (?:arrives|comes|returns|gets|is|are|turns)) "
    r"| whenever (?!you )| depending on | should (?:the|my|our|he|she|it|they|we|there) [^ |]+(?: [^ |]+)? (?=\||$)"
    r"| only (?:if|when|once|after|from|next) "
    r"| (?:unless|assuming(?: that)?|supposing(?: that)?|in the event (?:of|that)|on condition that) "
    rf"| provid(?:ed|ing) (?:that|it|this|you|{_SOMEBODY}) | the (?:moment|minute|second) (?:it|that|{_SOMEBODY}) "
    rf"| (?:as|so) long as (?!you |possible )| as soon as (?!possible |you )| after (?!the ){_SOMEBODY} "
    rf"| once (?:it|it's|that|this|{_SOMEBODY}) (?!(?:is )?(?:done|finished|ready|through) )"
    r"| (?:not|don't|wait|hold off|hold on|hang on) [^|]*(?:until|till) (?:i|we|my|our|further|you hear)"
    r"| wait (?:for|till|until) my | hold off | (?:at some (?:point|time|stage)|some other time|another time|one day) "
    r"| sometime | later (?:on|today|this|,|\|)| not (?:right )?(?:now|yet|today|just yet|this (?:week|month|year)) "
    r"| do (?:it|that|this) (?:next|later|tomorrow|some other time) | remind me (?:to|next|in|on|tomorrow|later) "
)
_OPENING = re.compile(
    r" (?:(?:and|but|so|please|well|ok|okay|also) )*(?:when(?:ever)? (?!you )|should (?!i |we |you ))[^|,]+, "
)
"""What begins a sentence and is a condition, if a wish follows the comma."""


_WORDS = frozenset(
    """after another assuming case condition day depending event hold if later long minute moment now once only provided
    providing point remind second should some sometime soon stage supposing time today till unless until wait week when
    whenever month year yet tomorrow next""".split()  # noqa: SIM905 - read more easily than a list of strings
)
"""Of these some word is in every proviso."""


def may_be_tied(text: str) -> bool:
    """Whether a text has any of the words without which nothing is tied."""
    return not _WORDS.isdisjoint(text.split())


def is_tied(text: str, start: int, end: int) -> bool:
    """Whether something in a stretch of a text, which is a sentence or more, ties what is asked for in it.

    Args:
        text: spelled; what is a phrasing of a tool is blank.
        start: where the stretch begins.
        end: where it ends.
    """
    return _PROVISO.search(text, start, end) is not None or _OPENING.match(text, start, end) is not None
