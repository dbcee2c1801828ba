"""When a cover pays, how much, what a claim needs before it is looked at, and until when an offer stands."""

import datetime as dt
from collections.abc import Iterable

from envfactory.catalogue.finance._claims_records import (
    AdjusterSlot,
    Contention,
    Document,
    Estimate,
    InsuranceClaim,
    InsuranceCover,
    Payout,
    PayoutAccount,
    Status,
)
from envfactory.environment import ToolError, cents, said

VISIT_FROM = 1500.0
"""An adjuster sees losses of so much or more, where the cover says so."""
FAST = 500.0
"""So much at most is offered at once, if no adjuster has to come."""
SUBMIT_DAYS, OFFER_DAYS, ARRIVAL_DAYS = 30, 14, 3
DRAFT: tuple[Status, ...] = ("incomplete", "ready")
"""Where a claim stands before it is submitted."""
VISITED: tuple[Status, ...] = (*DRAFT, "in_review")
"""Where a claim stands while an adjuster may still come."""
OPEN: tuple[Status, ...] = (*VISITED, "offered", "disputed")
"""Where a claim stands until it is settled or given up."""
ANSWER_DAYS: dict[Contention, int] = {
    "the_costs_are_higher": 14,
    "something_was_left_out": 10,
    "the_deductible_is_wrong": 5,
}
"""How long a second assessor needs."""
NEXT: dict[Status, str] = {
    "incomplete": "send what is missing, and book a visit if it needs one",
    "ready": "submit it first",
    "in_review": "wait for the offer, or withdraw the claim",
    "offered": "accept or dispute the offer, or withdraw the claim",
    "disputed": "accept the offer after all, or wait for the second assessor",
    "paid": "file a new claim if something else happened",
    "declined": "file a new claim if something else happened",
    "withdrawn": "file it anew while that is possible",
}
"""What can be done with a claim instead."""


def at_step(claim: InsuranceClaim, among: tuple[Status, ...], done: str) -> None:
    """Refuse a claim that is at another step, and say what is possible there."""
    if claim.status not in among:
        words = f"The claim is {said(claim.status)}, so it cannot be {done}; {NEXT[claim.status]}."
        raise ToolError("precondition_failed", words)


def check_submittable(claim: InsuranceClaim, today: dt.date) -> None:
    """Refuse a claim that was not submitted in time."""
    if today > claim.submit_by:
        words = f"The claim had to be submitted by {claim.submit_by}; withdraw it, and file it anew if there is time."
        raise ToolError("precondition_failed", words)


def check_event(cover: InsuranceCover, day: dt.date, today: dt.date) -> None:
    """Refuse an event that a cover does not pay for, or that should have been told earlier."""
    name = f"The {said(cover.peril)} cover for {cover.insured}"
    if day > today:
        raise ToolError("invalid_argument", f"{day} is still to come; give the day on which it happened.")
    if not cover.covered_from <= day <= cover.covered_until:
        words = f"{name} pays for events from {cover.covered_from} to {cover.covered_until}, not on {day}."
        raise ToolError("precondition_failed", f"{words} Look for a cover of that time.")
    if today > report_by(cover, day):
        words = f"{name} pays for what is filed within {cover.report_days} days, by {report_by(cover, day)} here."
        raise ToolError("precondition_failed", f"{words} It is too late for this event.")


def report_by(cover: InsuranceCover, day: dt.date) -> dt.date:
    """The last day on which an event can be filed."""
    return day + dt.timedelta(days=cover.report_days)


def check_new(cover: InsuranceCover, day: dt.date, amount: float, claims: Iterable[InsuranceClaim]) -> None:
    """Refuse a claim that would bring nothing, or that was filed before."""
    if cover.left <= 0:
        words = f"Earlier claims used up the {cover.sum_insured:,.0f} dollars of this cover until {cover.covered_until}"
        raise ToolError("limit_exceeded", f"{words}; look for another cover that pays.")
    if amount <= cover.deductible:
        words = f"The deductible is {cover.deductible:,.0f} dollars; only a loss above that can be claimed."
        raise ToolError("precondition_failed", words)
    for claim in claims:
        if (claim.cover_id, claim.happened_on) != (cover.id, day):
            continue
        if claim.status != "withdrawn":
            words = f"The {said(cover.peril)} claim for {day} is {said(claim.status)} already; {NEXT[claim.status]}."
            raise ToolError("conflict", words)
        if claim.offer is not None:
            raise ToolError("conflict", f"What was offered for {day} was turned down; file only another event.")


def needs_visit(cover: InsuranceCover, amount: float) -> bool:
    """Whether an adjuster has to see a loss."""
    return cover.inspected and amount >= VISIT_FROM


def payable(cover: InsuranceCover, amount: float) -> float:
    """What a cover pays for a loss: what is above the deductible, up to what is left."""
    return cents(min(max(amount - cover.deductible, 0.0), cover.left))


def estimate(cover: InsuranceCover, day: dt.date, amount: float, today: dt.date) -> Estimate:
    """What a cover would pay for a loss, and what the claim would need."""
    check_event(cover, day, today)
    return Estimate(
        cover_id=cover.id, peril=cover.peril, happened_on=day, amount=amount, deductible=cover.deductible,
        left=cover.left, pays=payable(cover, amount), report_by=report_by(cover, day),
        visit_needed=needs_visit(cover, amount), documents=cover.documents,
    )  # fmt: skip


def checked(claim: InsuranceClaim) -> InsuranceClaim:
    """A claim that is not submitted yet: ready once it has everything that it needs."""
    unseen = claim.visit_needed and claim.visit_at is None
    return claim.evolve(visit_missing=unseen, status="incomplete" if claim.missing or unseen else "ready")


def filed(
    claim_id: str, cover: InsuranceCover, city: str, day: dt.date, amount: float, today: dt.date,
    claims: Iterable[InsuranceClaim],
) -> InsuranceClaim:  # fmt: skip
    """A new claim, which needs everything still.

    Args:
        claim_id: its identifier.
        cover: what shall pay.
        city: where what is insured is.
        day: when it happened.
        amount: what it comes to, in US dollars.
        today: the day of filing.
        claims: the holder's others.
    """
    check_event(cover, day, today)
    check_new(cover, day, amount, claims)
    return InsuranceClaim(
        id=claim_id, holder_id=cover.holder_id, cover_id=cover.id, line=cover.line, insured=cover.insured, city=city,
        peril=cover.peril, happened_on=day, amount=amount, deductible=cover.deductible, filed_on=today,
        submit_by=today + dt.timedelta(days=SUBMIT_DAYS), missing=cover.documents,
        visit_needed=needs_visit(cover, amount), visit_missing=needs_visit(cover, amount), status="incomplete",
    )  # fmt: skip


def with_document(claim: InsuranceClaim, document: Document, today: dt.date) -> InsuranceClaim:
    """The claim with one more of the documents that it needs."""
    at_step(claim, DRAFT, "given documents")
    check_submittable(claim, today)
    if document in claim.documents:
        raise ToolError("conflict", f"The claim has the {said(document)} already; it still needs {_missing(claim)}.")
    if document not in claim.missing:
        words = f"The claim asks for no {said(document)}; it still needs {_missing(claim)}."
        raise ToolError("invalid_argument", words)
    missing = tuple(each for each in claim.missing if each != document)
    return checked(claim.evolve(missing=missing, documents=(*claim.documents, document)))


def submitted(claim: InsuranceClaim, cover: InsuranceCover, today: dt.date) -> InsuranceClaim:
    """The claim in review, or with an offer at once if it is small and nobody has to come."""
    if claim.status == "incomplete":
        visit = " and an adjuster's visit; book one first" if claim.visit_missing else ""
        words = f"The claim is incomplete: it needs {_missing(claim)}{visit}."
        raise ToolError("precondition_failed", words)
    at_step(claim, ("ready",), "submitted")
    check_submittable(claim, today)
    pays = payable(cover, claim.amount)
    if pays <= 0:
        raise ToolError("limit_exceeded", "Earlier claims used up this cover; withdraw the claim.")
    if claim.visit_needed or pays > FAST:
        return claim.evolve(status="in_review")
    return claim.evolve(status="offered", offer=pays, offer_until=today + dt.timedelta(days=OFFER_DAYS))


def _missing(claim: InsuranceClaim) -> str:
    return " and ".join(map(said, claim.missing)) or "no document"


def free_visits(claim: InsuranceClaim, slots: Iterable[AdjusterSlot], today: dt.date) -> list[AdjusterSlot]:
    """When an adjuster could see the loss of a claim: from tomorrow on, the earliest first."""
    check_visit(claim, today)
    free = [slot for slot in slots if (slot.line, slot.city, slot.status) == (claim.line, claim.city, "free")]
    return sorted((slot for slot in free if slot.starts.date() > today), key=lambda slot: (slot.starts, slot.id))


def check_visit(claim: InsuranceClaim, today: dt.date) -> None:
    """Refuse a visit where none is needed or the claim is past it."""
    at_step(claim, VISITED, "visited")
    if not claim.visit_needed:
        raise ToolError("precondition_failed", "The claim needs no visit; it can be submitted without one.")
    if claim.status in DRAFT:
        check_submittable(claim, today)


def check_slot(slot: AdjusterSlot, claim: InsuranceClaim, claims: Iterable[InsuranceClaim], today: dt.date) -> None:
    """Refuse a time at which an adjuster cannot come."""
    if (slot.line, slot.city) != (claim.line, claim.city):
        words = (
            f"{slot.adjuster} sees {slot.line} losses in {slot.city}; find a visit for {claim.line} in {claim.city}."
        )
        raise ToolError("invalid_argument", words)
    if slot.starts.date() <= today:
        raise ToolError("precondition_failed", f"Visits are booked until the day before, so not {slot.starts}.")
    if slot.id == claim.slot_id:
        raise ToolError("conflict", f"The claim has the visit on {slot.starts} already; choose another one to move it.")
    if slot.status != "free":
        raise ToolError("conflict", f"The visit on {slot.starts} is taken; find one that is free.")
    if any(c.visit_at == slot.starts and c.id != claim.id and c.status in VISITED for c in claims):
        raise ToolError("conflict", f"There is another visit of yours on {slot.starts}; choose another time.")


def booked(
    claim: InsuranceClaim, slot: AdjusterSlot, claims: Iterable[InsuranceClaim], today: dt.date
) -> InsuranceClaim:
    """The claim with a visit, or with another one than before."""
    check_visit(claim, today)
    check_movable(claim, today)
    check_slot(slot, claim, claims, today)
    seen = claim.evolve(slot_id=slot.id, visit_at=slot.starts)
    return checked(seen) if claim.status in DRAFT else seen


def without_visit(claim: InsuranceClaim, today: dt.date) -> InsuranceClaim:
    """The claim without its visit; what was submitted keeps one."""
    if claim.status == "in_review" and claim.slot_id:
        words = "The claim is in review and needs its visit; book another one to move it, or withdraw the claim."
        raise ToolError("precondition_failed", words)
    at_step(claim, DRAFT, "left without a visit")
    if claim.slot_id is None:
        raise ToolError("conflict", "No visit is booked for the claim, so there is nothing to cancel.")
    check_movable(claim, today)
    return checked(claim.evolve(slot_id=None, visit_at=None))


def withdrawn(claim: InsuranceClaim, today: dt.date) -> InsuranceClaim:
    """The claim given up, without a visit that is still to come."""
    at_step(claim, OPEN, "withdrawn")
    if claim.visit_at is not None and claim.visit_at.date() > today:
        claim = claim.evolve(slot_id=None, visit_at=None)
    return claim.evolve(status="withdrawn", visit_missing=False, disputable=False, closed_on=today)


def check_movable(claim: InsuranceClaim, today: dt.date) -> None:
    """Refuse to change a visit that is today or over."""
    if claim.visit_at is not None and claim.visit_at.date() <= today:
        words = f"The visit of {claim.visit_at} is today or over, so it stays; go on with the claim, or withdraw it."
        raise ToolError("precondition_failed", words)


def check_offer(claim: InsuranceClaim, done: str, today: dt.date, among: tuple[Status, ...]) -> float:
    """What is offered for a claim; refused if that no longer stands."""
    at_step(claim, among, done)
    if claim.offer is None or claim.offer_until is None or today > claim.offer_until:
        instead = "wait for the second assessor" if claim.status == "disputed" else "withdraw the claim"
        words = f"The offer ended on {claim.offer_until}; {instead}."
        raise ToolError("precondition_failed", words)
    return claim.offer


def disputed(claim: InsuranceClaim, cover: InsuranceCover, because: Contention, today: dt.date) -> InsuranceClaim:
    """The claim before a second assessor; what was offered stands until its day."""
    offer = check_offer(claim, "disputed", today, ("offered",))
    if not claim.disputable or offer >= payable(cover, claim.amount):
        words = f"The offer of {offer:,.2f} dollars is all that the cover pays; accept it, or withdraw the claim."
        raise ToolError("precondition_failed", words)
    answer_by = today + dt.timedelta(days=ANSWER_DAYS[because])
    return claim.evolve(status="disputed", disputable=False, disputed_because=because, answer_by=answer_by)


def check_account(account: PayoutAccount, own: Iterable[PayoutAccount]) -> None:
    """Refuse to pay to an account that was not checked."""
    if not account.verified:
        others = " or ".join(each.bank for each in own if each.verified) or "none so far"
        raise ToolError("precondition_failed", f"{account.bank} is not verified yet; choose a verified one: {others}.")


def settled(
    claim: InsuranceClaim, cover: InsuranceCover, account: PayoutAccount, own: Iterable[PayoutAccount], today: dt.date
) -> Payout:
    """What is paid to one of the holder's own accounts for an offer: no more than the cover has left by now."""
    check_account(account, own)
    offer = check_offer(claim, "accepted", today, ("offered", "disputed"))
    paid = min(offer, cover.left)
    if paid <= 0:
        raise ToolError("limit_exceeded", "Other claims used up this cover since; withdraw the claim.")
    return Payout(
        claim_id=claim.id, peril=claim.peril, paid=paid, account_id=account.id, bank=account.bank,
        left=cents(cover.left - paid), arrives_on=today + dt.timedelta(days=ARRIVAL_DAYS),
    )  # fmt: skip
