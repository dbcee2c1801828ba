"""Wishes beyond what is done: clauses that ask for a change which no call makes, and "twice", "the same for the rest".

A verb counts where a clause begins with it, no called tool is asked for by that verb, and it does not only say how the
call is to be made ("and pay by card", "call it 'Holiday'"). Beside the verbs that are known, any word counts that is
said of no called tool and stands where a verb does, with what is done to after it ("and iron my shirts"). Texts are as
`phrasebook.spelled` has them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from envfactory.querygen.phrasebook import stem

CHANGES = frozenset(
    """archive block book buy cancel close decline delete discard erase forward freeze invite lock merge order pay print
    publish refund reject remove rename renew reschedule reserve revert sell share subscribe transfer undo unlock
    unsubscribe upgrade withdraw
    add arrange call change clean convert copy double download email enrol export fix give inform install lower mail
    notify phone raise register remind repair replace report ring send set sign start stop tell text translate
    water""".split()  # noqa: SIM905 - read more easily than a list of strings
)
"""Verbs that wish for a change wherever a clause begins with one."""
_HOW = re.compile(
    r"(?:add|call|change|copy|email|export|fix|lock|mail|order|print|raise|report|ring|set|share|sign|start|stop|text"
    r"|water) (?!(?:an?|my|our|the|another|some|all|every|each|me|him|her|whoever|#+) )"
    r"|pay (?:with|by|using|in|it|that|for (?:it|that|them)) |order by |add up "
    r"|(?:email|mail|text) (?:me|us) (?!an? |the |my )|(?:tell|give|send|show) (?:me|us) "
    r"|(?:add|arrange|call|change|clean|convert|copy|fix|give|invite|lock|lower|order|print|raise|register|replace|report"
    r"|ring|send|set|share|sign|start|stop|tell|unlock) (?:it|that|this|them|him|her|for|to|at|on|from|with|in|by) "
)
"""Clauses with such a verb that say how a call is to be made, or what is to be told."""
_OFTEN = re.compile(r" (twice|thrice|(?:two|three|four|five|\d+) times|again and again)(?= )")
_MORE = re.compile(
    r" (?:(?:do|repeat) the same (?:for|to|with)|(?:and|plus|as well as) (?:everything|whatever) else"
    r"|(?:and|plus) all (?:the )?others"
    r"|(?:give|get|grant|offer) (?:me|us) an? (?:[^ |]+ )?(?:discount|refund|rebate|upgrade)"
    r"|(?:send|give) (?:me|us) an? (?:[^ |]+ )?(?:confirmation|receipt|copy|invoice)"
    r"|(?:want|need|like) an? (?:[^ |]+ )?(?:discount|refund|rebate|upgrade|receipt)"
    r"|(?:and|also|then) (?:find|get|make|bring|put|take|post) (?:me (?:an?|some|through)|my|another|rid of all) "
    r"|(?:and|also|then) (?:hire|feed|double) |likewise for "
    r"|make (?:it|that|them) (?:recurring|permanent|weekly|monthly|daily)|have (?:somebody|someone) "
    r"|same (?:for|with|treatment) |same goes for "
    r"|(?:likes?|wants?|needs?) (?:that|it|one|this|the same) (?:as well|too) "
    r"|(?:in addition to|on top of|along with|followed by|besides [^ |]+ing|furthermore ,? ?i|additionally) "
    r"|(?:i|we|i'd|we'd)(?: would)?(?: also)? (?:love|like|want|need|wish|expect|appreciate) (?:an?|some|another) "
    r"|needs? [^ |]+ing |(?:and|plus) (?:an?|another|some) (?!bit |little |moment |minute |second |lot |half |few ))"
)
_SOMEBODY = (
    r"(?:the|my|our|his|her|their|its|an?|it|them|him|us|me|this|that|these|those|all|every(?:one|body|thing)?|each"
    r"|some(?:one|body|thing)?|any(?:one|body|thing)?|whatever|whoever|another|nobody)"
)
"""What may follow a verb and be what is done to."""
_NUMBER = r"(?:\d\S*|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|both)"
_SOFTLY = (
    r"(?: (?:,|also|please|pls|just|then|now|next|quickly|kindly|maybe|afterwards|first|finally|oh|and|after that"
    r"|while (?:you're|you are) (?:at it|there)))*"
)
_PARTICLE = r"(?: (?:in|out|up|down|off|over|away|back|on|to|for))?"
_UNKNOWN = re.compile(
    rf"(?: (?:and|then|plus|but|as well as)| \||^){_SOFTLY} (?!make (?:it|that|them|sure) )(?P<joined>[a-z]{{2,}})"
    rf"(?={_PARTICLE} (?:{_SOMEBODY}|#+|{_NUMBER}) )"
    rf"| ,{_SOFTLY} (?P<listed>[a-z]{{2,}})(?={_PARTICLE} {_SOMEBODY} )"
    r"| (?:(?:could|can|would|will) you|(?:want|need|like|ask|expect|beg) you to)(?! not)"
    rf"{_SOFTLY} (?P<asked>[a-z]{{2,}}) "
)
"""A word in the place of a verb, with what is done to after it."""
_BY_OTHERS = re.compile(
    r" (?:and|then|,) (have (?:it|that|them|#+)(?: \w+)? \w+(?:ed|wn|ght|lt|pt))(?= )"
    r"| (let (?:(?:the|my|our) \w+|everyone|everybody|somebody|#+|him|her|them) know) "
)
"""What somebody is to do, or to be told."""
_NO_VERB = frozenset(
    """about above according across after against all along also although am amid among an and another any anyway are
    around as at be because been before behind being believe below beneath beside besides between beyond both
    but by can cheers concerning could dear despite did do does down due during each early either enough even
    every everyone except few fine following for free friday from get give good got great guess had half happy
    has have having help hello here hey hi hope hopefully how however i'm i've if in including inside instead into is
    it it's just know late least less let like likewise many may maybe me meanwhile might mine minus monday more
    most much must my near need neither new next no none nor not now of off okay on once one only onto or other
    otherwise our out outside over owe past per perhaps please pls plus quite rather ready really regarding
    round said same saturday say see shall should show since so some soon sorry still such sunday sure tell than
    thanks that that's the their then there there's therefore these they think this those though through
    throughout thursday till to today tomorrow tonight too toward towards tuesday two under underneath unless
    unlike until up upon us very via want was we wednesday well were what whatever when where whether which
    while who whoever whom whose why will wish with within without would yes yesterday yet you your""".split()  # noqa: SIM905
)
"""Words that stand before such a thing and are no verb of a further wish, or verbs of what is said, not done."""


_LOOKING = frozenset(
    """bring check describe detail display explain fetch find gather get give grab list look obtain outline present
    print provide pull read recap report retrieve reveal review run search send share summarise summarize supply view
    walk""".split()  # noqa: SIM905 - read more easily than a list of strings
)
"""Verbs with which anything may be looked up: "provide me with", "fetch", "walk me through"."""


def unknown_verbs(text: str, known: Collection[str], *, looking: bool) -> Iterator[str]:
    """Words in the place of a verb that are none of the called tools', where phrasings of these are blank.

    Args:
        text: spelled.
        known: stems that are said of the called tools.
        looking: whether one of them is a look-up, which may be asked for by other verbs than its own.
    """
    for match in _UNKNOWN.finditer(text):
        word = match[match.lastgroup or 0]
        if looking and word in _LOOKING:
            continue
        if word not in _NO_VERB and not word.endswith("ly") and stem(word) not in known:
            yield word
    for match in _BY_OTHERS.finditer(text):
        if stem(match[0].split()[-1]) not in known:
            yield match[0].strip()


def is_extra(clause: str, heads: Collection[str]) -> bool:
    """Whether a clause that begins with a verb of a change asks for one that no called tool is asked for by.

    Args:
        clause: its words, each with a space after it.
        heads: stems of the verbs that ask for the called tools.
    """
    return stem(clause.partition(" ")[0]) not in heads and not _HOW.match(clause)


def times(text: str) -> Iterator[str]:
    """Words that ask for something more than once."""
    return (match[1] for match in _OFTEN.finditer(text))


def more(text: str) -> Iterator[str]:
    """Words that ask for more of the same, or for what somebody gives; where phrasings of called tools are blank."""
    return (match.group().strip() for match in _MORE.finditer(text))
