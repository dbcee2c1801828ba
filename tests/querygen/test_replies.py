"""What is said of a result is what the result says."""

from __future__ import annotations

import orjson

from envfactory.catalogue import backend
from envfactory.environment import Reference, Session
from envfactory.gold import FromUser, Gold, GoldCall
from envfactory.querygen.replies import report
from tests.grounded import replayed

PAPERS = "paper_library"


def test_an_optional_part_is_said_only_if_the_flag_of_the_result_is_set() -> None:
    environments = backend([PAPERS])
    reference = Reference(environments={PAPERS: ""}, seed=3)
    with Session(environments, reference) as session:
        papers = orjson.loads(session.dump_of(PAPERS))["papers"].values()
    chosen = [next(row["id"] for row in papers if row["retracted"] is retracted) for retracted in (True, False)]
    calls = tuple(GoldCall(tool=f"{PAPERS}-get_paper", arguments={"paper_id": FromUser(value=key)}) for key in chosen)
    gold = Gold(reference=reference, calls=calls, turns=(2,))
    program = replayed(environments, gold)
    assert ["has retracted it" in report(program, index) for index in (0, 1)] == [True, False]
