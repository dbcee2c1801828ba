"""Wishes beyond what is done: clauses that ask for a change which no call makes, and "twice", "the same for the rest".

A verb counts where a clause begins with it, no called tool is asked for by that verb, and it does not only say how the
call is to be made ("and pay by card", "call it 'Holiday'"). Texts are as `phrasebook.spelled` has them.
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
    r"|make (?:it|that|them) (?:recurring|permanent|weekly|monthly|daily)|have (?:somebody|someone) )"
)


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
