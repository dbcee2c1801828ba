"""The claims desk, through its tools: what each gives, what it refuses, and what exactly changes."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from envfactory.catalogue.finance.insurance_claims import InsuranceClaims
from envfactory.environment import DEFAULT_NOW, build_scenario
from tests.catalogue.support import Desk, Row, Rows, keyed

# The clock stands at Monday, 2 March 2026, 9:00.

TODAY = "2026-03-02"


def policy(key: str, line: str, insured: str, since: str, until: str, holder: str = "H-1") -> Row:
    return {
        "id": key, "holder_id": holder, "line": line, "insured": insured, "city": "Oslo", "since": since,
        "until": until, "premium": 400.0,
    }  # fmt: skip


def cover(key: str, policy_id: str, line: str, insured: str, peril: str, **changes: Any) -> Row:
    return {
        "id": key, "policy_id": policy_id, "holder_id": "H-1", "line": line, "insured": insured, "peril": peril,
        "covered_from": "2025-09-01", "covered_until": "2026-08-31", "sum_insured": 20000.0, "left": 20000.0,
        "deductible": 300.0, "report_days": 30, "documents": ["photos", "repair_estimate"], "inspected": True,
        **changes,
    }  # fmt: skip


HOME, CAR, PET = ("P-1", "home", "1 Mill Lane"), ("P-2", "car", "the Kia Ceed"), ("P-4", "pet", "Bella the dog")
GLASS: Row = {"sum_insured": 2000.0, "left": 1400.0, "deductible": 100.0, "documents": ["photos"], "inspected": False}
VET: Row = {
    "sum_insured": 3000.0, "left": 3000.0, "deductible": 120.0, "documents": ["vet_invoice"], "inspected": False,
    "covered_from": "2026-02-20", "covered_until": "2027-01-31", "report_days": 10,
}  # fmt: skip
COVERS = keyed(
    cover("C-1", *HOME, "water_damage"),
    cover("C-2", *HOME, "broken_glass", **GLASS),
    cover("C-3", *HOME, "storm", left=0.0),
    cover("C-4", *CAR, "collision", deductible=500.0),
    cover("C-5", *PET, "vet_treatment", **VET),
    cover("C-6", "P-3", "car", "the Kia Ceed", "hail", covered_from="2025-02-20", covered_until="2026-02-19"),
    cover("C-9", "P-9", "home", "9 Mill Lane", "fire", holder_id="H-2"),
)


def claim(key: str, cover_id: str = "C-1", **changes: Any) -> Row:
    """A claim over 1,000 dollars that is ready, for what happened on 20 February."""
    paying = COVERS[cover_id]
    return {
        "id": key, "holder_id": paying["holder_id"], "cover_id": cover_id, "line": paying["line"],
        "insured": paying["insured"], "city": "Oslo", "peril": paying["peril"], "happened_on": "2026-02-20",
        "amount": 1000.0, "deductible": paying["deductible"], "filed_on": "2026-02-21", "submit_by": "2026-03-23",
        "missing": [], "documents": paying["documents"], "visit_needed": False, "visit_missing": False,
        "status": "ready", "disputable": False, **changes,
    }  # fmt: skip


def slot(key: str, starts: str, status: str = "free", line: str = "home", city: str = "Oslo") -> Row:
    return {"id": key, "adjuster": "Dan Eck", "line": line, "city": city, "starts": starts, "status": status}


BARE: Row = {"missing": ["photos", "repair_estimate"], "documents": [], "status": "incomplete"}
SEEN: Row = {"amount": 2500.0, "visit_needed": True, "visit_missing": True}
VISIT: Row = {**SEEN, "visit_missing": False, "slot_id": "S-3", "visit_at": "2026-03-04T09:00:00"}
OFFER: Row = {"status": "offered", "offer": 500.0, "offer_until": "2026-03-10", "disputable": True}
DISPUTE: Row = {
    **OFFER, "status": "disputed", "disputable": False, "disputed_because": "the_costs_are_higher",
    "answer_by": "2026-03-12",
}  # fmt: skip
PAID: Row = {"status": "paid", "offer": 700.0, "offer_until": "2026-03-01", "paid": 700.0, "closed_on": "2026-02-25"}
CLAIMS = keyed(
    claim("L-1", **BARE, **SEEN, happened_on="2026-02-26", filed_on="2026-02-27", submit_by="2026-03-29"),
    claim("L-2", **VISIT, happened_on="2026-02-25"),
    claim("L-3", "C-2", amount=500.0, happened_on="2026-02-24"),
    claim("L-4", "C-4", status="in_review", happened_on="2026-02-23"),
    claim("L-5", **OFFER, happened_on="2026-02-22"),
    claim("L-6", **DISPUTE, happened_on="2026-02-21"),
    claim("L-7", **PAID, paid_to="Mill Bank"),
    claim("L-8", status="declined", happened_on="2026-02-19", closed_on="2026-02-28"),
    claim("L-9", status="withdrawn", happened_on="2026-02-18", closed_on="2026-02-28"),
    claim("L-90", "C-9", **OFFER),
)
SLOTS = keyed(
    slot("S-1", "2026-03-02T16:00:00"),
    slot("S-2", "2026-03-03T09:00:00"),
    slot("S-3", "2026-03-04T09:00:00", "taken"),
    slot("S-4", "2026-03-04T14:00:00"),
    slot("S-5", "2026-03-05T12:00:00"),
    slot("S-6", "2026-03-05T11:00:00", line="car"),
    slot("S-7", "2026-03-05T11:00:00", city="Rome"),
    slot("S-8", "2026-03-06T09:00:00", "taken"),
    slot("S-9", "2026-03-06T11:00:00"),
)


def account(key: str, bank: str, *, verified: bool = True, holder: str = "H-1") -> Row:
    return {"id": key, "holder_id": holder, "bank": bank, "last_four": "1234", "verified": verified}


STATE: dict[str, Any] = {
    "holder_id": "H-1",
    "holders": keyed(
        {"id": "H-1", "name": "Ada Berg", "email": "ada@mail.example"},
        {"id": "H-2", "name": "Ben Cole", "email": "ben@mail.example"},
    ),
    "policies": keyed(
        policy(*HOME, "2025-09-01", "2026-08-31"),
        policy(*CAR, "2025-09-01", "2026-08-31"),
        policy("P-3", "car", "the Kia Ceed", "2025-02-20", "2026-02-19"),
        policy(*PET, "2026-02-01", "2027-01-31"),
        policy("P-9", "home", "9 Mill Lane", "2025-09-01", "2026-08-31", "H-2"),
    ),
    "covers": COVERS,
    "claims": CLAIMS,
    "slots": SLOTS,
    "accounts": keyed(
        account("A-1", "Mill Bank"),
        account("A-2", "Hill Bank"),
        account("A-3", "Cliff Bank", verified=False),
        account("A-9", "Dale Bank", holder="H-2"),
    ),
}


def desk(rows: dict[str, Rows] | None = None, **changes: Any) -> Desk:
    return Desk(InsuranceClaims, STATE, rows=rows, **changes)


def own(*rows: Row) -> dict[str, Rows]:
    return {"claims": keyed(*rows)}


def on(day: str) -> dt.datetime:
    return dt.datetime.fromisoformat(f"{day}T09:00:00")


# -- looking


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["P-4", "P-1", "P-2", "P-3"]),
        ({"line": "car"}, ["P-2", "P-3"]),
        ({"line": "car", "current": True}, ["P-2"]),
        ({"line": "travel"}, []),
        ({"page": 2}, []),
    ],
)
def test_the_holder_s_own_policies_are_listed(arguments: Row, found: list[str]) -> None:
    assert desk().ids("list_policies", **arguments) == found


@pytest.mark.parametrize(("since", "until", "runs"), [(TODAY, TODAY, 1), ("2026-03-03", "2026-09-01", 0)])
def test_a_policy_runs_from_its_first_to_its_last_day(since: str, until: str, runs: int) -> None:
    at = desk({"policies": keyed(policy("P-7", "travel", "trips worldwide", since, until))})
    assert len(at.ids("list_policies", line="travel", current=True)) == runs
    assert desk().gives("list_policies", line="pet")["policies"] == [STATE["policies"]["P-4"]]


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["C-1", "C-2", "C-3", "C-4", "C-6"]),
        ({"page": 2}, ["C-5"]),
        ({"policy_id": "P-1"}, ["C-1", "C-2", "C-3"]),
        ({"peril": "hail"}, ["C-6"]),
        ({"policy_id": "P-1", "peril": "hail"}, []),
        ({"peril": "fire"}, []),
    ],
)
def test_the_holder_s_own_covers_are_found(arguments: Row, found: list[str]) -> None:
    assert desk().ids("find_covers", **arguments) == found


def test_a_cover_is_described_and_others_policies_are_not_looked_into() -> None:
    assert desk().gives("find_covers", peril="broken_glass")["covers"] == [COVERS["C-2"]]
    desk().refuses("find_covers", "permission_denied", "That policy belongs to somebody else", policy_id="P-9")
    desk().refuses("find_covers", "not_found", "no policy with the id 'P-99'", policy_id="P-99")


def test_a_pay_out_is_estimated() -> None:
    at = desk()
    assert at.gives("estimate_payout", cover_id="C-1", happened_on="2026-03-01", amount=1500) == {
        "cover_id": "C-1", "peril": "water_damage", "happened_on": "2026-03-01", "amount": 1500, "deductible": 300,
        "left": 20000, "pays": 1200, "report_by": "2026-03-31", "visit_needed": True,
        "documents": ["photos", "repair_estimate"],
    }  # fmt: skip
    assert at.changed() == {}


@pytest.mark.parametrize(
    ("cover_id", "amount", "pays", "visit"),
    [
        ("C-1", 1499.99, 1199.99, False),
        ("C-1", 1499.996, 1200.0, True),
        ("C-1", 300.0, 0.0, False),
        ("C-1", 120.0, 0.0, False),
        ("C-1", 0.01, 0.0, False),
        ("C-1", 20300.0, 20000.0, True),
        ("C-2", 1500.0, 1400.0, False),
        ("C-2", 5000.0, 1400.0, False),
        ("C-3", 5000.0, 0.0, True),
    ],
)
def test_what_is_above_the_deductible_is_paid_up_to_what_is_left(
    cover_id: str, amount: float, pays: float, visit: bool
) -> None:
    given = desk().gives("estimate_payout", cover_id=cover_id, happened_on="2026-03-01", amount=amount)
    assert (given["pays"], given["visit_needed"]) == (pays, visit)


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["L-1", "L-2", "L-3", "L-4", "L-5"]),
        ({"page": 2}, ["L-6", "L-7", "L-8", "L-9"]),
        ({"status": "offered"}, ["L-5"]),
        ({"line": "car"}, ["L-4"]),
        ({"line": "car", "status": "offered"}, []),
        ({"sort": "amount"}, ["L-1", "L-2", "L-4", "L-5", "L-6"]),
        ({"sort": "amount", "page": 2}, ["L-7", "L-8", "L-9", "L-3"]),
    ],
)
def test_the_holder_s_own_claims_are_listed(arguments: Row, found: list[str]) -> None:
    assert desk().ids("list_claims", **arguments) == found


@pytest.mark.parametrize("tool", ["estimate_payout", "file_claim"])
@pytest.mark.parametrize("amount", [0, 0.004, 1_000_001])
def test_a_loss_is_at_least_a_cent_and_at_most_a_million(tool: str, amount: float) -> None:
    desk().refuses(tool, "invalid_argument", "amount", cover_id="C-1", happened_on="2026-03-01", amount=amount)


def test_a_claim_is_shown() -> None:
    assert desk().gives("get_claim", claim_id="L-6") == CLAIMS["L-6"]


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["S-2", "S-4", "S-5", "S-9"]),
        ({"part": "morning"}, ["S-2", "S-9"]),
        ({"part": "afternoon"}, ["S-4", "S-5"]),
        ({"since": "2026-03-05"}, ["S-5", "S-9"]),
        ({"since": "2026-03-05", "part": "morning"}, ["S-9"]),
        ({"page": 2}, []),
    ],
)
def test_visits_are_found_that_are_free_and_fit_the_claim(arguments: Row, found: list[str]) -> None:
    assert desk().ids("find_visits", claim_id="L-1", **arguments) == found


def test_visits_at_one_time_are_in_order_and_only_for_claims_that_need_them() -> None:
    early = slot("S-0", "2026-03-04T14:00:00")
    assert desk({"slots": keyed(early)}).ids("find_visits", claim_id="L-1") == ["S-2", "S-0", "S-4", "S-5", "S-9"]
    assert desk().gives("find_visits", claim_id="L-1", page=1)["visits"][0] == SLOTS["S-2"]
    for key in ("L-3", "L-4"):
        words = "The claim needs no visit; it can be submitted without one"
        desk().refuses("find_visits", "precondition_failed", words, claim_id=key)
    words = "The claim is offered, so it cannot be visited; accept or dispute the offer, or withdraw the claim"
    desk().refuses("find_visits", "precondition_failed", words, claim_id="L-5")


@pytest.mark.parametrize(
    ("verified", "banks"), [(False, ["Cliff Bank", "Hill Bank", "Mill Bank"]), (True, ["Hill Bank", "Mill Bank"])]
)
def test_the_holder_s_own_accounts_are_listed(verified: bool, banks: list[str]) -> None:
    rows = desk().gives("list_accounts", verified=verified)["accounts"]
    assert [row["bank"] for row in rows] == banks
    assert rows[-1] == STATE["accounts"]["A-1"]


# -- filing


def test_a_claim_is_filed() -> None:
    at = desk()
    filed = at.gives("file_claim", cover_id="C-1", happened_on="2026-03-01", amount=1500)
    assert filed == {
        **claim("CL-1001", **BARE), "happened_on": "2026-03-01", "filed_on": TODAY, "submit_by": "2026-04-01",
        "amount": 1500, "visit_needed": True, "visit_missing": True,
    }  # fmt: skip
    assert at.changed() == {"claims.created": {"CL-1001": filed}}
    small = at.gives("file_claim", cover_id="C-1", happened_on="2026-02-28", amount=1499.991)
    assert (small["visit_needed"], small["visit_missing"], small["amount"]) == (False, False, 1499.99)
    assert at.gives("file_claim", cover_id="C-2", happened_on=TODAY, amount=2000)["visit_needed"] is False
    elsewhere = {"policies": keyed({**STATE["policies"]["P-4"], "city": "Rome"})}
    pet = {"cover_id": "C-5", "happened_on": TODAY, "amount": 900}
    assert desk(elsewhere).gives("file_claim", **pet)["city"] == "Rome"


@pytest.mark.parametrize("tool", ["estimate_payout", "file_claim"])
@pytest.mark.parametrize(
    ("cover_id", "day", "code", "words"),
    [
        ("C-1", "2026-03-03", "invalid_argument", "2026-03-03 is still to come; give the day on which it happened"),
        ("C-1", "2026-01-30", "precondition_failed", "filed within 30 days, by 2026-03-01 here"),
        (
            "C-5",
            "2026-02-19",
            "precondition_failed",
            "pays for events from 2026-02-20 to 2027-01-31, not on 2026-02-19",
        ),
        ("C-6", "2026-02-20", "precondition_failed", "The hail cover for the Kia Ceed pays for events from 2025-02-20"),
        ("C-9", "2026-03-01", "permission_denied", "That cover belongs to somebody else"),
        ("C-99", "2026-03-01", "not_found", "no cover with the id 'C-99'"),
    ],
)
def test_what_is_not_covered_is_not_filed(tool: str, cover_id: str, day: str, code: str, words: str) -> None:
    desk().refuses(tool, code, words, cover_id=cover_id, happened_on=day, amount=900)


@pytest.mark.parametrize(
    ("cover_id", "day"), [("C-1", "2026-01-31"), ("C-5", "2026-02-20"), ("C-6", "2026-02-19"), ("C-1", TODAY)]
)
def test_the_first_and_the_last_day_count(cover_id: str, day: str) -> None:
    at = desk()
    at.gives("estimate_payout", cover_id=cover_id, happened_on=day, amount=900)
    at.gives("file_claim", cover_id=cover_id, happened_on=day, amount=900)


def test_a_claim_that_brings_nothing_is_not_filed() -> None:
    at = desk()
    words = "Earlier claims used up the 20,000 dollars of this cover until 2026-08-31; look for another cover"
    at.refuses("file_claim", "limit_exceeded", words, cover_id="C-3", happened_on="2026-03-01", amount=900)
    words = "The deductible is 300 dollars; only a loss above that can be claimed"
    for amount in (300, 299, 300.004):
        at.refuses("file_claim", "precondition_failed", words, cover_id="C-1", happened_on=TODAY, amount=amount)
    at.gives("file_claim", cover_id="C-1", happened_on=TODAY, amount=300.01)


def test_an_event_is_filed_once_unless_its_claim_was_withdrawn() -> None:
    at = desk()
    for day, how in (("2026-02-20", "paid"), ("2026-02-19", "declined")):
        words = f"The water damage claim for {day} is {how} already; file a new claim if something else happened"
        at.refuses("file_claim", "conflict", words, cover_id="C-1", happened_on=day, amount=900)
    words = "The water damage claim for 2026-02-26 is incomplete already; send what is missing"
    at.refuses("file_claim", "conflict", words, cover_id="C-1", happened_on="2026-02-26", amount=900)
    at.gives("file_claim", cover_id="C-1", happened_on="2026-02-18", amount=900)
    at.gives("file_claim", cover_id="C-2", happened_on="2026-02-20", amount=900)
    at.refuses("file_claim", "conflict", "already", cover_id="C-2", happened_on="2026-02-20", amount=900)
    at.gives("withdraw_claim", claim_id="CL-1002")
    at.gives("file_claim", cover_id="C-2", happened_on="2026-02-20", amount=900)


@pytest.mark.parametrize(("key", "day"), [("L-5", "2026-02-22"), ("L-6", "2026-02-21")])
def test_what_was_offered_is_not_claimed_anew_for_more_or_less(key: str, day: str) -> None:
    at = desk()
    at.gives("withdraw_claim", claim_id=key)
    words = f"What was offered for {day} was turned down; file only another event"
    at.refuses("file_claim", "conflict", words, cover_id="C-1", happened_on=day, amount=700)
    at.gives("file_claim", cover_id="C-2", happened_on=day, amount=700)


# -- documents


def test_documents_make_a_claim_ready() -> None:
    at = desk(own(claim("L-20", **BARE)))
    first = at.gives("add_document", claim_id="L-20", document="repair_estimate")
    changes: Row = {"missing": ["photos"], "documents": ["repair_estimate"]}
    assert first == {**claim("L-20", **BARE), **changes}
    assert at.changed() == {"claims.changed": {"L-20": changes}}
    second = at.gives("add_document", claim_id="L-20", document="photos")
    assert second == claim("L-20", documents=["repair_estimate", "photos"])


def test_documents_do_not_make_up_for_a_visit() -> None:
    at = desk()
    for document in ("photos", "repair_estimate"):
        assert at.gives("add_document", claim_id="L-1", document=document)["status"] == "incomplete"
    words = "The claim is incomplete: it needs no document and an adjuster's visit; book one first"
    at.refuses("submit_claim", "precondition_failed", words, claim_id="L-1")
    assert at.gives("book_visit", claim_id="L-1", slot_id="S-2")["status"] == "ready"


def test_only_what_a_claim_is_missing_is_added() -> None:
    at = desk()
    words = "The claim asks for no police report; it still needs photos and repair estimate"
    at.refuses("add_document", "invalid_argument", words, claim_id="L-1", document="police_report")
    words = "The claim has the photos already; it still needs no document"
    at.refuses("add_document", "conflict", words, claim_id="L-2", document="photos")
    words = "The claim is in review, so it cannot be given documents; wait for the offer, or withdraw the claim"
    at.refuses("add_document", "precondition_failed", words, claim_id="L-4", document="police_report")


@pytest.mark.parametrize(("day", "possible"), [("2026-03-23", True), ("2026-03-24", False)])
def test_a_claim_is_completed_and_submitted_within_thirty_days(day: str, possible: bool) -> None:
    late = slot("S-20", "2026-04-01T09:00:00")
    at = desk(
        {**own(claim("L-20", **BARE), claim("L-21", **SEEN, status="incomplete")), "slots": keyed(late)}, now=on(day)
    )
    calls: list[tuple[str, Row]] = [
        ("add_document", {"claim_id": "L-20", "document": "photos"}),
        ("find_visits", {"claim_id": "L-21"}),
        ("book_visit", {"claim_id": "L-21", "slot_id": "S-20"}),
        ("submit_claim", {"claim_id": "L-3"}),
    ]
    for tool, arguments in calls:
        if possible:
            at.gives(tool, **arguments)
        else:
            words = "had to be submitted by 2026-03-23; withdraw it, and file it anew if there is time"
            at.refuses(tool, "precondition_failed", words, **arguments)


# -- visits


def test_a_visit_is_booked_moved_and_cancelled() -> None:
    at = desk()
    booked = at.gives("book_visit", claim_id="L-1", slot_id="S-2")
    visit = {"slot_id": "S-2", "visit_at": "2026-03-03T09:00:00", "visit_missing": False}
    assert booked == {**CLAIMS["L-1"], **visit}
    assert at.changed() == {"claims.changed": {"L-1": visit}, "slots.changed": {"S-2": {"status": "taken"}}}
    at.gives("book_visit", claim_id="L-1", slot_id="S-4")
    moved = {"slot_id": "S-4", "visit_at": "2026-03-04T14:00:00", "visit_missing": False}
    assert at.changed() == {"claims.changed": {"L-1": moved}, "slots.changed": {"S-4": {"status": "taken"}}}
    assert at.gives("cancel_visit", claim_id="L-1") == CLAIMS["L-1"]
    assert at.changed() == {}


def test_a_ready_claim_without_its_visit_is_incomplete() -> None:
    at = desk()
    at.gives("cancel_visit", claim_id="L-2")
    assert at.changed() == {
        "claims.changed": {"L-2": {"slot_id": None, "visit_at": None, "visit_missing": True, "status": "incomplete"}},
        "slots.changed": {"S-3": {"status": "free"}},
    }
    assert at.gives("book_visit", claim_id="L-2", slot_id="S-3") == CLAIMS["L-2"]


@pytest.mark.parametrize(
    ("slot_id", "code", "words"),
    [
        ("S-1", "precondition_failed", "Visits are booked until the day before, so not 2026-03-02 16:00"),
        ("S-3", "conflict", "The visit on 2026-03-04 09:00:00 is taken; find one that is free"),
        ("S-6", "invalid_argument", "Dan Eck sees car losses in Oslo; find a visit for home in Oslo"),
        ("S-7", "invalid_argument", "Dan Eck sees home losses in Rome; find a visit for home in Oslo"),
        ("S-99", "not_found", "no visit with the id 'S-99'"),
    ],
)
def test_a_visit_that_does_not_fit_is_not_booked(slot_id: str, code: str, words: str) -> None:
    desk().refuses("book_visit", code, words, claim_id="L-1", slot_id=slot_id)


def test_a_visit_that_the_claim_has_already_is_not_booked_again() -> None:
    words = "The claim has the visit on 2026-03-04 09:00:00 already; choose another one to move it"
    desk().refuses("book_visit", "conflict", words, claim_id="L-2", slot_id="S-3")


def test_the_holder_is_not_visited_twice_at_a_time() -> None:
    same = slot("S-20", "2026-03-04T09:00:00")
    at = desk({"slots": keyed(same)})
    words = "There is another visit of yours on 2026-03-04 09:00:00; choose another time"
    at.refuses("book_visit", "conflict", words, claim_id="L-1", slot_id="S-20")
    at.gives("book_visit", claim_id="L-2", slot_id="S-20")  # with somebody else at the same time
    reviewed = {**own(claim("L-2", **{**VISIT, "status": "in_review"})), "slots": keyed(same)}
    desk(reviewed).refuses("book_visit", "conflict", words, claim_id="L-1", slot_id="S-20")
    over = {**own(claim("L-2", **{**VISIT, "status": "declined"})), "slots": keyed(same)}
    desk(over).gives("book_visit", claim_id="L-1", slot_id="S-20")
    theirs = {**own(claim("L-2", "C-9", **VISIT)), "slots": keyed(same)}
    desk(theirs).gives("book_visit", claim_id="L-1", slot_id="S-20")


def test_claims_that_need_no_visit_get_none() -> None:
    words = "The claim needs no visit; it can be submitted without one"
    desk().refuses("book_visit", "precondition_failed", words, claim_id="L-3", slot_id="S-2")
    words = "The claim is paid, so it cannot be visited; file a new claim if something else happened"
    desk().refuses("book_visit", "precondition_failed", words, claim_id="L-7", slot_id="S-2")
    words = "No visit is booked for the claim, so there is nothing to cancel"
    desk().refuses("cancel_visit", "conflict", words, claim_id="L-1")
    words = "The claim is in review, so it cannot be left without a visit"
    desk().refuses("cancel_visit", "precondition_failed", words, claim_id="L-4")


@pytest.mark.parametrize(("day", "possible"), [("2026-03-03", True), ("2026-03-04", False)])
def test_a_visit_is_changed_until_the_day_before(day: str, possible: bool) -> None:
    for tool, more in (("book_visit", {"slot_id": "S-9"}), ("cancel_visit", {})):
        at = desk(now=on(day))
        if possible:
            at.gives(tool, claim_id="L-2", **more)
        else:
            words = "The visit of 2026-03-04 09:00:00 is today or over, so it stays; go on with the claim"
            at.refuses(tool, "precondition_failed", words, claim_id="L-2", **more)


def test_what_is_in_review_keeps_a_visit_but_can_have_another_one() -> None:
    at = desk()
    at.gives("submit_claim", claim_id="L-2")
    words = "The claim is in review and needs its visit; book another one to move it, or withdraw the claim"
    at.refuses("cancel_visit", "precondition_failed", words, claim_id="L-2")
    moved = at.gives("book_visit", claim_id="L-2", slot_id="S-9")
    assert (moved["status"], moved["visit_at"]) == ("in_review", "2026-03-06T11:00:00")
    late = desk(own(claim("L-20", **VISIT, submit_by="2026-03-01")))
    late.refuses("submit_claim", "precondition_failed", "had to be submitted by 2026-03-01", claim_id="L-20")
    review = claim("L-20", **{**VISIT, "status": "in_review", "submit_by": "2026-03-01"})
    assert desk(own(review)).gives("book_visit", claim_id="L-20", slot_id="S-9")["status"] == "in_review"


# -- submitting and withdrawing


def test_a_small_claim_gets_an_offer_at_once() -> None:
    at = desk()
    offered = at.gives("submit_claim", claim_id="L-3")
    changes = {"status": "offered", "offer": 400, "offer_until": "2026-03-16"}
    assert offered == {**CLAIMS["L-3"], **changes}
    assert at.changed() == {"claims.changed": {"L-3": changes}}
    words = "The offer of 400.00 dollars is all that the cover pays; accept it, or withdraw the claim"
    at.refuses("dispute_offer", "precondition_failed", words, claim_id="L-3", reason="the_costs_are_higher")


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"amount": 600.0}, "offered"),
        ({"amount": 600.01}, "in_review"),
        ({"amount": 500.0, "visit_needed": True, "slot_id": "S-3", "visit_at": "2026-03-04T09:00:00"}, "in_review"),
    ],
)
def test_what_is_more_or_has_to_be_seen_is_reviewed(changes: Row, status: str) -> None:
    at = desk(own(claim("L-20", "C-2", **changes)))
    assert at.gives("submit_claim", claim_id="L-20")["status"] == status
    if status == "in_review":
        assert at.changed() == {"claims.changed": {"L-20": {"status": "in_review"}}}


def test_an_offer_is_no_more_than_is_left() -> None:
    little = {"covers": keyed({**COVERS["C-2"], "left": 250.0}), **own(claim("L-20", "C-2", amount=900.0))}
    assert desk(little).gives("submit_claim", claim_id="L-20")["offer"] == 250
    nothing = {"covers": keyed({**COVERS["C-2"], "left": 0.0})}
    words = "Earlier claims used up this cover; withdraw the claim"
    desk(nothing).refuses("submit_claim", "limit_exceeded", words, claim_id="L-3")


def test_an_incomplete_claim_says_what_it_needs() -> None:
    words = "The claim is incomplete: it needs photos and repair estimate and an adjuster's visit; book one first."
    desk().refuses("submit_claim", "precondition_failed", words, claim_id="L-1")
    at = desk(own(claim("L-20", **{**VISIT, **BARE}), claim("L-21", **BARE)))
    at.refuses("submit_claim", "precondition_failed", "it needs photos and repair estimate.", claim_id="L-20")
    at.refuses("submit_claim", "precondition_failed", "it needs photos and repair estimate.", claim_id="L-21")
    words = "The claim is in review, so it cannot be submitted; wait for the offer, or withdraw the claim"
    at.refuses("submit_claim", "precondition_failed", words, claim_id="L-4")


@pytest.mark.parametrize("key", ["L-1", "L-3", "L-4", "L-5", "L-6"])
def test_a_claim_is_withdrawn(key: str) -> None:
    at = desk()
    withdrawn = at.gives("withdraw_claim", claim_id=key)
    changes: Row = {"status": "withdrawn", "closed_on": TODAY, "disputable": False, "visit_missing": False}
    assert withdrawn == {**CLAIMS[key], **changes}
    new = {name: value for name, value in changes.items() if CLAIMS[key].get(name) != value}
    assert at.changed() == {"claims.changed": {key: new}}
    words = "The claim is withdrawn, so it cannot be withdrawn; file it anew while that is possible"
    at.refuses("withdraw_claim", "precondition_failed", words, claim_id=key)


def test_a_withdrawn_claim_calls_off_a_visit_that_is_still_to_come() -> None:
    at = desk()
    at.gives("withdraw_claim", claim_id="L-2")
    changes = {"slot_id": None, "visit_at": None, "status": "withdrawn", "closed_on": TODAY}
    assert at.changed() == {"claims.changed": {"L-2": changes}, "slots.changed": {"S-3": {"status": "free"}}}
    in_review = desk(own(claim("L-2", **{**VISIT, "status": "in_review"})))
    in_review.gives("withdraw_claim", claim_id="L-2")
    assert in_review.changed() == at.changed() | {"claims.changed": {"L-2": changes}}
    on_the_day = desk(now=on("2026-03-04"))
    on_the_day.gives("withdraw_claim", claim_id="L-2")
    assert on_the_day.changed() == {"claims.changed": {"L-2": {"status": "withdrawn", "closed_on": "2026-03-04"}}}


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("L-7", "The claim is paid, so it cannot be withdrawn; file a new claim if something else happened"),
        ("L-8", "The claim is declined, so it cannot be withdrawn; file a new claim if something else happened"),
    ],
)
def test_what_is_settled_is_not_withdrawn(key: str, words: str) -> None:
    desk().refuses("withdraw_claim", "precondition_failed", words, claim_id=key)


# -- offers


@pytest.mark.parametrize("key", ["L-5", "L-6"])
def test_an_offer_is_accepted_and_paid(key: str) -> None:
    at = desk()
    assert at.gives("accept_offer", claim_id=key, account_id="A-2") == {
        "claim_id": key, "peril": "water_damage", "paid": 500, "account_id": "A-2", "bank": "Hill Bank",
        "arrives_on": "2026-03-05", "left": 19500,
    }  # fmt: skip
    changes: Row = {"status": "paid", "paid": 500, "paid_to": "Hill Bank", "closed_on": TODAY, "disputable": False}
    new = {name: value for name, value in changes.items() if CLAIMS[key].get(name) != value}
    assert at.changed() == {"claims.changed": {key: new}, "covers.changed": {"C-1": {"left": 19500}}}
    words = "The claim is paid, so it cannot be accepted; file a new claim"
    at.refuses("accept_offer", "precondition_failed", words, claim_id=key, account_id="A-2")


def test_offers_of_one_cover_do_not_pay_more_than_it_has() -> None:
    at = desk({"covers": keyed({**COVERS["C-1"], "left": 700.25})})
    assert at.gives("accept_offer", claim_id="L-5", account_id="A-1")["left"] == 200.25
    last = at.gives("accept_offer", claim_id="L-6", account_id="A-1")
    assert (last["paid"], last["left"]) == (200.25, 0)
    at = desk({"covers": keyed({**COVERS["C-1"], "left": 0.0})})
    words = "Other claims used up this cover since; withdraw the claim"
    at.refuses("accept_offer", "limit_exceeded", words, claim_id="L-5", account_id="A-1")
    at.gives("estimate_payout", cover_id="C-1", happened_on=TODAY, amount=900)


def test_the_last_dollar_of_a_cover_is_paid() -> None:
    at = desk({"covers": keyed({**COVERS["C-1"], "left": 1.0}, {**COVERS["C-2"], "left": 1.0})})
    at.gives("file_claim", cover_id="C-1", happened_on="2026-03-01", amount=900)
    assert at.gives("submit_claim", claim_id="L-3")["offer"] == 1
    assert at.gives("accept_offer", claim_id="L-5", account_id="A-1")["paid"] == 1


def test_money_goes_to_a_verified_account_of_the_holder() -> None:
    at = desk()
    words = "Cliff Bank is not verified yet; choose a verified one: Mill Bank or Hill Bank"
    at.refuses("accept_offer", "precondition_failed", words, claim_id="L-5", account_id="A-3")
    words = "That account belongs to somebody else"
    at.refuses("accept_offer", "permission_denied", words, claim_id="L-5", account_id="A-9")
    at.refuses("accept_offer", "not_found", "A-99", claim_id="L-5", account_id="A-99")
    none = {key: {**STATE["accounts"][key], "verified": False} for key in ("A-1", "A-2")}
    words = "choose a verified one: none so far"
    desk({"accounts": none}).refuses("accept_offer", "precondition_failed", words, claim_id="L-5", account_id="A-1")


@pytest.mark.parametrize(("day", "possible"), [("2026-03-10", True), ("2026-03-11", False)])
def test_an_offer_stands_until_its_last_day(day: str, possible: bool) -> None:
    calls: list[tuple[str, Row, str]] = [
        ("accept_offer", {"claim_id": "L-5", "account_id": "A-1"}, "withdraw the claim."),
        ("accept_offer", {"claim_id": "L-6", "account_id": "A-1"}, "wait for the second assessor"),
        ("dispute_offer", {"claim_id": "L-5", "reason": "the_costs_are_higher"}, "withdraw the claim"),
    ]
    for tool, arguments, instead in calls:
        at = desk(now=on(day))
        if possible:
            at.gives(tool, **arguments)
        else:
            at.refuses(tool, "precondition_failed", f"The offer ended on 2026-03-10; {instead}", **arguments)


@pytest.mark.parametrize(
    ("reason", "answer_by"),
    [
        ("the_costs_are_higher", "2026-03-16"),
        ("something_was_left_out", "2026-03-12"),
        ("the_deductible_is_wrong", "2026-03-07"),
    ],
)
def test_an_offer_is_disputed_and_accepted_all_the_same(reason: str, answer_by: str) -> None:
    at = desk()
    disputed = at.gives("dispute_offer", claim_id="L-5", reason=reason)
    changes = {"status": "disputed", "disputable": False, "disputed_because": reason, "answer_by": answer_by}
    assert disputed == {**CLAIMS["L-5"], **changes}
    assert at.changed() == {"claims.changed": {"L-5": changes}}
    words = "The claim is disputed, so it cannot be disputed; accept the offer after all, or wait for the second"
    at.refuses("dispute_offer", "precondition_failed", words, claim_id="L-5", reason=reason)
    at.gives("accept_offer", claim_id="L-5", account_id="A-1")


@pytest.mark.parametrize(("left", "possible"), [(500.01, True), (500.0, False)])
def test_an_offer_of_all_that_is_left_by_now_is_not_disputed(left: float, possible: bool) -> None:
    at = desk({"covers": keyed({**COVERS["C-1"], "left": left})})
    arguments = {"claim_id": "L-5", "reason": "the_costs_are_higher"}
    if possible:
        at.gives("dispute_offer", **arguments)
    else:
        words = "The offer of 500.00 dollars is all that the cover pays; accept it, or withdraw the claim"
        at.refuses("dispute_offer", "precondition_failed", words, **arguments)


@pytest.mark.parametrize(
    ("key", "instead"),
    [
        ("L-1", "send what is missing, and book a visit if it needs one"),
        ("L-2", "submit it first"),
        ("L-4", "wait for the offer, or withdraw the claim"),
        ("L-8", "file a new claim if something else happened"),
        ("L-9", "file it anew while that is possible"),
    ],
)
def test_only_an_offer_is_accepted_or_disputed(key: str, instead: str) -> None:
    at = desk()
    at.refuses("accept_offer", "precondition_failed", f"; {instead}", claim_id=key, account_id="A-1")
    at.refuses("dispute_offer", "precondition_failed", f"; {instead}", claim_id=key, reason="the_costs_are_higher")


# -- other people's claims


@pytest.mark.parametrize(
    ("tool", "more"),
    [
        ("get_claim", {}),
        ("add_document", {"document": "photos"}),
        ("find_visits", {}),
        ("book_visit", {"slot_id": "S-2"}),
        ("cancel_visit", {}),
        ("submit_claim", {}),
        ("withdraw_claim", {}),
        ("accept_offer", {"account_id": "A-1"}),
        ("dispute_offer", {"reason": "the_costs_are_higher"}),
    ],
)
def test_others_claims_are_out_of_reach(tool: str, more: Row) -> None:
    desk().refuses(tool, "permission_denied", "That claim belongs to somebody else", claim_id="L-90", **more)
    desk().refuses(tool, "not_found", "no claim with the id 'L-99'", claim_id="L-99", **more)


# -- scenarios


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("size", [10, 60, 300])
@pytest.mark.parametrize("now", [DEFAULT_NOW, *(dt.datetime(2026, 3, day, 15) for day in range(3, 9))])
def test_a_scenario_keeps_the_rules_of_the_insurer(seed: int, size: int, now: dt.datetime) -> None:
    world = build_scenario(InsuranceClaims, seed, size, now)
    today, mine = now.date(), [row for row in world.claims.values() if row.holder_id == world.holder_id]
    assert {row.status for row in mine} == {
        "incomplete", "ready", "in_review", "offered", "disputed", "paid", "declined", "withdrawn"
    }  # fmt: skip
    assert len([p for p in world.policies.values() if p.holder_id == world.holder_id]) > 5, "a second page"
    assert any(row.status == "ready" and row.submit_by < today for row in mine), "not submitted in time"
    assert any(row.offer_until and row.offer_until < today for row in mine if row.status == "offered")
    assert {row.verified for row in world.accounts.values() if row.holder_id == world.holder_id} == {True, False}
    own_covers = [row for row in world.covers.values() if row.holder_id == world.holder_id]
    assert any(row.left == 0 for row in own_covers)
    assert any(row.covered_from > today for row in own_covers)
    assert any(row.covered_until < today for row in own_covers)
    events = [(row.cover_id, row.happened_on) for row in world.claims.values() if row.status != "withdrawn"]
    assert len(events) == len(set(events))
    times = [row.visit_at for row in mine if row.visit_at and row.visit_at > now]
    assert len(times) == len(set(times)) >= 3
    shifts = [(row.adjuster, row.starts) for row in world.slots.values()]
    assert len(shifts) == len(set(shifts)), "no adjuster is in two places"
    for row in world.claims.values():
        paying = world.covers[row.cover_id]
        contract = world.policies[paying.policy_id]
        assert (row.line, row.insured, row.city) == (contract.line, contract.insured, contract.city)
        assert (row.peril, row.deductible, row.holder_id) == (paying.peril, paying.deductible, contract.holder_id)
        assert paying.covered_from <= row.happened_on <= paying.covered_until
        assert row.happened_on <= row.filed_on <= row.happened_on + dt.timedelta(days=paying.report_days)
        assert row.filed_on <= today
        assert row.submit_by == row.filed_on + dt.timedelta(days=30)
        assert (*row.documents, *row.missing) == paying.documents
        assert row.visit_needed == (paying.inspected and row.amount >= 1500)
        assert row.amount > row.deductible
        assert row.visit_missing == (row.visit_needed and row.visit_at is None)
        complete = not row.missing and (row.visit_at is not None or not row.visit_needed)
        assert complete == (row.status != "incomplete")
        assert (row.offer is not None) == (row.status in ("offered", "disputed", "paid"))
        assert (row.closed_on is not None) == (row.status in ("paid", "declined", "withdrawn"))
        if row.offer is not None and row.offer_until is not None:
            assert row.offer <= row.amount - row.deductible
            assert row.offer_until - dt.timedelta(days=14) >= row.filed_on
            assert row.offer_until - dt.timedelta(days=14) <= today
            assert not row.disputable or row.offer < row.amount - row.deductible
        if row.status in ("in_review", "declined"):
            assert row.visit_needed or row.amount - row.deductible > 500
        if row.slot_id:
            slot = world.slots[row.slot_id]
            assert (slot.line, slot.city, slot.starts, slot.status) == (row.line, row.city, row.visit_at, "taken")
            assert row.visit_needed
        if row.paid is not None:
            payees = [a.bank for a in world.accounts.values() if a.holder_id == row.holder_id and a.verified]
            assert row.paid_to in payees
            assert row.paid == row.offer
    for cover in world.covers.values():
        paid = sum(row.paid or 0 for row in world.claims.values() if row.cover_id == cover.id)
        assert cover.left == pytest.approx(cover.sum_insured - paid)
        assert cover.left >= 0
    for visit in world.slots.values():
        assert visit.starts.weekday() < 5
    assert {row.line for row in world.slots.values() if row.status == "free"} == {"home", "car"}
