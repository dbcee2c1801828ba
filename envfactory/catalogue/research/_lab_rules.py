"""Who may work with what, where it may stand and how long it is good, what may be bought, and what goes to waste."""

import datetime as dt
from collections.abc import Iterable

from envfactory.catalogue.research._lab_records import (
    ContainerDetails,
    Hazard,
    LabCertificate,
    LabChemical,
    LabContainer,
    LabMember,
    LabPlace,
    LabRequest,
    LabUsage,
    Temperature,
    Training,
)
from envfactory.environment import ToolError, add_workdays, cents, owned, said

TRAINING: dict[Hazard, Training] = {
    "flammable": "solvents", "oxidising": "oxidisers", "acid": "corrosives", "base": "corrosives",
    "toxic": "toxics", "harmless": "general_safety",
}  # fmt: skip
"""Training that working with a hazard class takes."""
APART: dict[Hazard, tuple[Hazard, ...]] = {
    "flammable": ("oxidising",), "oxidising": ("flammable",), "acid": ("base", "toxic"), "base": ("acid",),
    "toxic": ("acid",), "harmless": (),
}  # fmt: skip
"""Hazard classes that must not stand in the same place."""
OUT_DAYS: dict[Temperature, int] = {"room": 14, "fridge": 3, "freezer": 1}
"""For how many days a container may be checked out."""
MAX_OUT = 8
"""Containers that a member may have checked out at a time."""
TOXIC_ML = 50
"""What a member may take of toxic chemicals in a day, in millilitres."""
APPROVED_UP_TO = 400.0
"""Requests of so much at most are ordered at once."""
APPROVAL_DAYS, STANDARD_DAYS, EXPRESS_DAYS = 2, 5, 1
"""Workdays for the approval, and for the two ways of delivery."""
EXPRESS_FEE = 30.0
FRIDAY = 4
"""Day of the week on which waste is collected."""
OPEN = ("waiting", "ordered")
"""Where a request stands that is still to come."""


def named(container: LabContainer) -> str:
    """A container as a sentence begins with it."""
    return f"The {container.chemical} of lot {container.lot}"


def cleared_until(hazard: Hazard, certificates: Iterable[LabCertificate]) -> dt.date | None:
    """The last day on which certificates allow working with a hazard class."""
    return max((c.valid_until for c in certificates if c.training == TRAINING[hazard]), default=None)


def check_cleared(
    hazard: Hazard, certificates: Iterable[LabCertificate], day: dt.date, today: dt.date, sooner: str = "a day"
) -> None:
    """Refuse what takes a certificate that is not there or has ended by a day.

    Args:
        hazard: class of the chemical.
        certificates: those of the member.
        day: when it has to be valid.
        today: the day of the clock.
        sooner: what would have to be chosen for an earlier day.
    """
    until = cleared_until(hazard, certificates)
    if until is None or until < day:
        training, valid = said(TRAINING[hazard]), until is not None and until >= today
        state = f"yours end{'s' if valid else 'ed'} on {until}" if until else "you have never had one"
        words = f"This is {hazard} and takes a certificate for {training} that is valid on {day}; {state}."
        instead = f"Choose {sooner} up to {until} or" if valid else "Choose"
        raise ToolError("permission_denied", f"{words} {instead} a chemical that you are cleared for.")


def shared(container: LabContainer, member_id: str) -> LabContainer:
    """A container that is everybody's or a member's own; an aliquot of somebody else is refused."""
    return container if container.owner_id is None else owned(container, "owner_id", member_id)


def check_hands(container: LabContainer, member_id: str) -> None:
    """Refuse a container that somebody else has, or gave to waste."""
    if container.holder_id not in (None, member_id):
        waste = container.status == "waste"
        state = "was given to waste by" if waste else f"is checked out until {container.back_by} by"
        words = f"{named(container)} {state} somebody else; choose another container."
        raise ToolError("permission_denied", words)


def held(container: LabContainer, member_id: str, today: dt.date) -> LabContainer:
    """A container that a member has checked out, in time, and that is good: one that can be taken from."""
    if container.status == "waste":
        raise ToolError("precondition_failed", f"{named(container)} is in the waste; check out another container.")
    if container.status == "stored":
        raise ToolError("precondition_failed", f"{named(container)} is in the {container.place}; check it out first.")
    check_hands(container, member_id)
    check_good(container, today)
    if container.back_by and today > container.back_by:
        words = f"{named(container)} had to be back by {container.back_by}; put it away, then check it out again."
        raise ToolError("precondition_failed", words)
    return container


def check_good(container: LabContainer, today: dt.date) -> None:
    """Refuse a container that is past its day, or empty."""
    if today > container.use_by:
        words = f"{named(container)} was good until {container.use_by}; dispose of it and use another container."
        raise ToolError("precondition_failed", words)
    if container.amount_ml == 0:
        raise ToolError("precondition_failed", f"{named(container)} is empty; dispose of it and use another container.")


def last_out(container: LabContainer, today: dt.date) -> dt.date:
    """The last day until which a container can be checked out."""
    return min(container.use_by, today + dt.timedelta(days=OUT_DAYS[container.temperature]))


def checked_out(
    container: LabContainer, member_id: str, back_by: dt.date, rows: Iterable[LabContainer], today: dt.date
) -> LabContainer:
    """The container in the hands of a member until a day.

    Args:
        container: what is checked out.
        member_id: who takes it.
        back_by: last day of use.
        rows: everything in the laboratory.
        today: the day of the clock.
    """
    if container.status == "waste":
        raise ToolError("precondition_failed", f"{named(container)} is in the waste; check out another container.")
    if container.status == "checked_out":
        mine = container.holder_id == member_id
        instead = "put it away to check it out anew" if mine else "choose another container"
        who = "you" if mine else "somebody else"
        words = f"{named(container)} is checked out by {who} until {container.back_by}; {instead}."
        raise ToolError("conflict", words)
    check_good(container, today)
    last = last_out(container, today)
    if not today <= back_by <= last:
        kept = "at room temperature" if container.temperature == "room" else f"in a {container.temperature}"
        words = f"{named(container)} is kept {kept} and good until {container.use_by}"
        raise ToolError("invalid_argument", f"{words}; choose a day from {today} to {last}.")
    if sum((row.status, row.holder_id) == ("checked_out", member_id) for row in rows) >= MAX_OUT:
        words = f"You have {MAX_OUT} containers checked out, which is the most; put one away first."
        raise ToolError("limit_exceeded", words)
    return container.evolve(status="checked_out", holder_id=member_id, back_by=back_by, place_id=None, place=None)


def storable(container: LabContainer, member_id: str, today: dt.date) -> LabContainer:
    """A container that a member may put somewhere: one that is not past its day, empty, given up or another's."""
    check_hands(container, member_id)
    if container.status == "waste":
        if container.collected_on and today >= container.collected_on:
            words = f"{named(container)} was collected on {container.collected_on}; check out another container."
            raise ToolError("precondition_failed", words)
        if container.contaminated or container.amount_ml == 0 or today > container.use_by:
            state = "contaminated" if container.contaminated else "expired" if container.amount_ml else "empty"
            words = f"{named(container)} is {state}, so it stays in the waste; check out another container."
            raise ToolError("precondition_failed", words)
    check_good(container, today)
    return container


def check_place(container: LabContainer, place: LabPlace, rows: Iterable[LabContainer], count: int = 1) -> None:
    """Refuse a place that is too warm or too cold, too full, or where something stands that must not be near.

    Args:
        container: what is to be put there.
        place: where to.
        rows: everything in the laboratory.
        count: how many containers there will be more.
    """
    name = f"the {place.name} in {place.room}"
    if container.status == "stored" and place.id == container.place_id:
        raise ToolError("conflict", f"{named(container)} is in {name} already; choose another place to move it.")
    if place.temperature != container.temperature:
        words = f"{container.chemical.capitalize()} is kept at {container.temperature} temperature, and {name}"
        raise ToolError("precondition_failed", f"{words} is at {place.temperature} temperature; find a fitting place.")
    for other in rows:
        if other.place_id == place.id and other.hazard in APART[container.hazard]:
            words = f"{other.chemical.capitalize()} ({other.hazard}) stands in {name}, not to be near what is"
            raise ToolError("precondition_failed", f"{words} {container.hazard}; find a fitting place.")
    if place.free < count:
        words = f"There is room for {place.free} in {name}, not for {count}; find a place with more room."
        raise ToolError("conflict", words)


def matching(
    rows: Iterable[LabContainer], chemical_id: str | None, status: str | None, at_least_ml: int, before: dt.date | None
) -> list[LabContainer]:
    """Containers of a chemical, in a status, with so much left, expired before a day; the first to expire on top."""
    found = [row for row in rows if chemical_id in (None, row.chemical_id) and status in (None, row.status)]
    found = [row for row in found if row.amount_ml >= at_least_ml and (before is None or row.use_by < before)]
    return sorted(found, key=lambda row: (row.use_by, row.id))


def fitting(container: LabContainer, places: Iterable[LabPlace], rows: Iterable[LabContainer]) -> list[LabPlace]:
    """The places that a container could be put in, the emptiest on top.

    Args:
        container: what is to be put somewhere.
        places: all places.
        rows: everything in the laboratory.
    """
    everything = list(rows)
    return sorted((p for p in places if _fits(container, p, everything)), key=lambda place: (-place.free, place.id))


def _fits(container: LabContainer, place: LabPlace, rows: list[LabContainer]) -> bool:
    try:
        check_place(container, place, rows)
    except ToolError:
        return False
    return True


def stored(container: LabContainer, place: LabPlace) -> LabContainer:
    """The container in a place."""
    return container.evolve(
        status="stored", place_id=place.id, place=place.name, holder_id=None, back_by=None, collected_on=None
    )


def opened(container: LabContainer, amount_ml: int, chemical: LabChemical, today: dt.date) -> LabContainer:
    """The container with an amount less; the first time opens it, from when on it is good for some days only."""
    if amount_ml > container.amount_ml:
        words = f"{named(container)} holds {container.amount_ml} ml, not {amount_ml} ml; take less or another one."
        raise ToolError("limit_exceeded", words)
    left = container.evolve(amount_ml=container.amount_ml - amount_ml)
    if left.opened_on is None:
        by = today + dt.timedelta(days=chemical.open_days)
        left = left.evolve(opened_on=today, use_by=min(left.use_by, by))
    return left


def check_toxic(container: LabContainer, amount_ml: int, log: Iterable[LabUsage], today: dt.date) -> None:
    """Refuse more of toxic chemicals than the holder of a container may take in a day."""
    if container.hazard != "toxic":
        return
    mine = [usage for usage in log if usage.member_id == container.holder_id and usage.taken_on == today]
    taken = sum(usage.amount_ml for usage in mine if usage.hazard == "toxic")
    if taken + amount_ml > TOXIC_ML:
        words = f"Of toxic chemicals you may take {TOXIC_ML} ml a day, and {taken} ml are taken today"
        raise ToolError("limit_exceeded", f"{words}; take at most {max(TOXIC_ML - taken, 0)} ml, or go on tomorrow.")


def logged(usage_id: str, before: LabContainer, left: LabContainer, member_id: str, today: dt.date) -> LabUsage:
    """The log entry of what was taken from a container."""
    return LabUsage(
        id=usage_id, member_id=member_id, container_id=left.id, chemical=left.chemical, hazard=left.hazard,
        lot=left.lot, amount_ml=before.amount_ml - left.amount_ml, left_ml=left.amount_ml, taken_on=today,
    )  # fmt: skip


def check_whole(container: LabContainer) -> None:
    """Refuse to split what was split off before."""
    if container.aliquot:
        words = f"{named(container)} is an aliquot, which is not split again; split a container of the laboratory."
        raise ToolError("precondition_failed", words)


def aliquots(
    left: LabContainer, numbers: list[str], amount_ml: int, place: LabPlace, rows: Iterable[LabContainer]
) -> list[LabContainer]:
    """Equal parts of a container, as a member's own.

    Args:
        left: the container they come from, as it is afterwards.
        numbers: their identifiers.
        amount_ml: what each holds.
        place: where they are put.
        rows: everything in the laboratory.
    """
    before = sum(row.split_from == left.id for row in rows)
    return [
        stored(left, place).evolve(
            id=number, lot=f"{left.lot}A{before + n + 1}", amount_ml=amount_ml, owner_id=left.holder_id,
            aliquot=True, split_from=left.id,
        )
        for n, number in enumerate(numbers)
    ]  # fmt: skip


def check_strike(usage: LabUsage, container: LabContainer, today: dt.date) -> None:
    """Refuse to correct an entry of another day, or of a container that was given out of hand since."""
    if usage.taken_on != today:
        words = f"Log entries can be struck on their own day, and this one is of {usage.taken_on}; it stays."
        raise ToolError("precondition_failed", f"{words} Strike only entries of {today}.")
    if container.status == "waste":
        raise ToolError("precondition_failed", f"{named(container)} is in the waste, so its entries stay.")
    if container.status == "stored" or container.holder_id != usage.member_id:
        words = f"{named(container)} is not in your hands any more; check it out again to strike its entries."
        raise ToolError("precondition_failed", words)


def collection(today: dt.date) -> dt.date:
    """The day on which waste of today is collected: the next Friday after it."""
    return today + dt.timedelta(days=(FRIDAY - today.weekday() - 1) % 7 + 1)


def disposed(container: LabContainer, member_id: str, contaminated: bool, today: dt.date) -> LabContainer:
    """The container in the waste, collected on the next Friday after today."""
    if container.status == "waste":
        words = f"{named(container)} is in the waste already, collected on {container.collected_on}."
        raise ToolError("conflict", f"{words} Choose another container.")
    check_hands(container, member_id)
    if container.status == "stored" and today <= container.use_by:
        words = f"{named(container)} is stored and good until {container.use_by}; check it out first to dispose of it."
        raise ToolError("precondition_failed", words)
    if contaminated and container.opened_on is None:
        words = f"{named(container)} was never opened, so it is not contaminated; dispose of it without saying so."
        raise ToolError("invalid_argument", words)
    return container.evolve(
        status="waste", holder_id=member_id, back_by=None, place_id=None, place=None, contaminated=contaminated,
        collected_on=collection(today),
    )  # fmt: skip


def requested(
    request_id: str, member_id: str, chemical: LabChemical, packs: int, express: bool, today: dt.date
) -> LabRequest:
    """A new request; above what is ordered at once it waits for approval first.

    Args:
        request_id: its identifier.
        member_id: who asks.
        chemical: what is asked for.
        packs: how many packs.
        express: whether it is to come by express.
        today: the day of the clock.
    """
    total = cents(chemical.price * packs + (EXPRESS_FEE if express else 0.0))
    waits = total > APPROVED_UP_TO
    days = (EXPRESS_DAYS if express else STANDARD_DAYS) + (APPROVAL_DAYS if waits else 0)
    return LabRequest(
        id=request_id, member_id=member_id, chemical_id=chemical.id, chemical=chemical.name, packs=packs, total=total,
        express=express, requested_on=today, arrives_on=add_workdays(today, days),
        status="waiting" if waits else "ordered",
    )  # fmt: skip


def room_for(chemical: LabChemical, rows: Iterable[LabRequest], containers: Iterable[LabContainer]) -> int:
    """How many millilitres of a chemical the laboratory may still come to hold, beside what is requested."""
    here = sum(c.amount_ml for c in containers if c.chemical_id == chemical.id and c.status != "waste")
    packs = sum(row.packs for row in rows if row.chemical_id == chemical.id and row.status in OPEN)
    return max(chemical.limit_ml - here - chemical.pack_ml * packs, 0)


def check_back(
    chemical: LabChemical, amount_ml: int, rows: Iterable[LabRequest], containers: Iterable[LabContainer]
) -> None:
    """Refuse to have an amount back, from the waste or the log, whose room was given to a request since."""
    room = room_for(chemical, rows, containers)
    if amount_ml > room:
        words = f"The laboratory may hold {chemical.limit_ml} ml of {chemical.name}, and {room} ml are left"
        raise ToolError("limit_exceeded", f"{words}; cancel a request for it to have {amount_ml} ml back.")


def check_request(
    request: LabRequest, chemical: LabChemical, rows: Iterable[LabRequest], containers: Iterable[LabContainer]
) -> None:
    """Refuse a second request for a chemical, or more than the laboratory may hold of it.

    Args:
        request: the new one.
        chemical: what it is for.
        rows: everybody's requests.
        containers: everything in the laboratory.
    """
    pending = [row for row in rows if row.chemical_id == chemical.id and row.status in OPEN]
    for row in pending:
        if row.member_id == request.member_id:
            words = f"Your request for {row.packs} packs of {chemical.name} is {row.status} for {row.arrives_on}"
            raise ToolError("conflict", f"{words}; cancel that one to ask for another amount.")
    room = room_for(chemical, pending, containers)
    if chemical.pack_ml * request.packs > room:
        words = f"The laboratory may hold {chemical.limit_ml} ml of {chemical.name}, and {room} ml are left"
        most = room // chemical.pack_ml
        instead = f"request at most {most}" if most else "choose another chemical, or use up or dispose of some first"
        raise ToolError("limit_exceeded", f"{words}; {instead} (a pack holds {chemical.pack_ml} ml).")


def cancelled(request: LabRequest, today: dt.date) -> LabRequest:
    """The request called off, which an ordered one can be until the day before it arrives."""
    if request.status not in OPEN:
        words = f"The request for {request.chemical} is {request.status} and cannot be cancelled"
        raise ToolError("precondition_failed", f"{words}; only waiting and ordered ones can be.")
    if request.status == "ordered" and today >= request.arrives_on:
        words = f"The {request.chemical} arrives on {request.arrives_on}; it could be cancelled until the day before"
        raise ToolError("precondition_failed", f"{words}. Check it out once it is there, and dispose of it.")
    return request.evolve(status="cancelled")


def details(
    container: LabContainer, place: LabPlace | None, holder: LabMember | None, certificates: list[LabCertificate],
    today: dt.date,
) -> ContainerDetails:  # fmt: skip
    """Everything about a container."""
    expired, until = today > container.use_by, cleared_until(container.hazard, certificates)
    until = until if until and until >= today else None
    can = until and container.status == "stored" and not expired
    return ContainerDetails(
        container_id=container.id, chemical=container.chemical, lot=container.lot, hazard=container.hazard,
        status=container.status, amount_ml=container.amount_ml, use_by=container.use_by, expired=expired,
        opened_on=container.opened_on, place=container.place, room=place and place.room, holder=holder and holder.name,
        back_by=container.back_by, collected_on=container.collected_on, training=TRAINING[container.hazard],
        cleared_until=until, out_until=min(last_out(container, today), until) if until and can else None,
    )  # fmt: skip
