"""What a model is told about a request that cannot be served: the solvability checker's findings, as sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from envfactory.querygen.program import Program
from envfactory.querygen.request import Request
from envfactory.querygen.solvable import problems

_TOLD = {
    "unresolved": "the message does not make clear which one is meant; refer to it as the draft does",
    "wrong_record": "the message names {detail!r}, which is another one than the draft means",
    "misplaced": "the message gives values to the wrong thing; say of each what the draft says it is for",
    "not_asked": "the message does not ask for all that the draft asks for; ask for each thing as the draft does",
    "unfounded": "the message asks for something that the draft does not ask for: {detail!r}",
    "leaked": "the message says {detail!r}, which only computers say",
    "not_ambiguous": "the message is too clear: the draft leaves open which one is meant",
}


def unclear(program: Program, requests: Sequence[Request], turn: int) -> Iterator[str]:
    """Why the request of a turn cannot be served, in sentences; missing values are told by `kept.lost`."""
    for problem in problems(program, requests):
        # A turn that is asked back about is read together with the answer, in the turn after it.
        asked_back = problem.reason == "not_ambiguous" and problem.turn == turn + 1
        if problem.reason in _TOLD and (asked_back or problem.turn == turn):
            yield _TOLD[problem.reason].format(detail=problem.detail)
