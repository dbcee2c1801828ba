"""When a prescription is refilled, what keeps a patient from a medicine, what an order costs and where it can go."""

import datetime as dt
from collections.abc import Iterable

from envfactory.catalogue.lifestyle import _pharmacy_records as rec
from envfactory.environment import ToolError, add_workdays, cents, days_after, fits, said

EARLY_PERCENT, EARLY_CONTROLLED = 25, 10
"""How much of a refill may be left when the next is ordered, in percent of its days."""
PACK_DAYS = 30
DELIVERY, COLD_BOX = 4.99, 6.0
"""Fees in US dollars."""
COPAY, BRAND_SHARE = 10.0, 0.4
"""What the plan leaves to pay of a generic at most, and of a brand."""
RENEW_LEFT, RENEW_DAYS, LAPSED_DAYS = 1, 30, 180
"""With so few refills left, or so long before a prescription expires, and so long after that, it is renewed."""
ANSWER_DAYS = 3
"""So many working days prescribers take to answer."""
PLAN_DAYS = 60
"""So far ahead refills are put on one day."""
OPEN: tuple[rec.OrderStatus, ...] = ("waiting", "being_prepared", "ready")
"""Where an order stands that was not handed over."""
UNFILLED: tuple[rec.OrderStatus, ...] = ("waiting", "being_prepared")


# -- pharmacies


def is_open(pharmacy: rec.ChainPharmacy, day: dt.date) -> bool:
    """Whether a pharmacy is open on a day."""
    return pharmacy.sundays or day.isoweekday() < 7


def serves(pharmacy: rec.ChainPharmacy, city: str, service: rec.Service | None, day: dt.date | None) -> bool:
    """Whether a pharmacy is in a city, offers a service and is open on a day, as far as those are asked for."""
    offers = service is None or service in pharmacy.services
    return pharmacy.city == city and offers and (day is None or is_open(pharmacy, day))


def ready_on(pharmacy: rec.ChainPharmacy, today: dt.date) -> dt.date:
    """Day on which a refill that is begun today is ready: the next on which the pharmacy is open."""
    day = days_after(today, 1)
    return day if is_open(pharmacy, day) else days_after(day, 1)


# -- what keeps somebody from a medicine


def clashes(medicine: rec.Medicine, others: Iterable[rec.Prescription], today: dt.date) -> list[rec.Prescription]:
    """Which of a patient's medicines, of which there is or will be a supply, a medicine must not be taken with."""
    taken = [row for row in others if row.supply_until > today or row.automatic]
    return [row for row in taken if row.ingredient in medicine.interacts]


def allergy(patient: rec.CarePatient, medicine: rec.Medicine) -> str | None:
    """Why a patient cannot have a medicine that they are allergic to."""
    groups = [said(each) for each in medicine.allergens if each in patient.allergies]
    if not groups:
        return None
    words = f"{patient.name} is allergic to {groups[0]}, which {medicine.name} belongs to"
    return f"{words}; ask the prescriber for another medicine."


def allergic(patient: rec.CarePatient, allergen: rec.Allergen) -> rec.CarePatient:
    """A patient with an allergy more."""
    if allergen in patient.allergies:
        words = f"{patient.name} is known to be allergic to {said(allergen)}; there is nothing to add."
        raise ToolError("conflict", words)
    return patient.evolve(allergies=(*patient.allergies, allergen))


def obstacle(
    row: rec.Prescription, medicine: rec.Medicine, patient: rec.CarePatient, theirs: Iterable[rec.Prescription],
    today: dt.date,
) -> str | None:  # fmt: skip
    """What keeps a patient from a medicine: an allergy, what else they take, or the same from another prescription."""
    if found := allergy(patient, medicine):
        return found
    others = [each for each in theirs if each.id != row.id]
    for other in clashes(medicine, others, today):
        words = f"{medicine.name} must not be taken with {other.medicine}, which {row.patient} takes"
        return f"{words}; ask the prescriber which of them to go on with."
    for other in others:
        if other.ingredient == row.ingredient and (other.refill_from > today or other.automatic):
            words = f"{row.patient} gets {other.medicine} from another prescription"
            then = f"from {other.refill_from} on, unless that one is refilled by itself"
            return f"{words}; this one can be filled {then}."
    return None


def check_none(found: str | None) -> None:
    """Refuse what something stands in the way of."""
    if found:
        raise ToolError("precondition_failed", found)


# -- prescriptions


def spare(days: int, *, controlled: bool) -> int:
    """How many days a supply may last still when the next refill is ordered."""
    return days * (EARLY_CONTROLLED if controlled else EARLY_PERCENT) // 100


def with_supply(row: rec.Prescription, until: dt.date) -> rec.Prescription:
    """A prescription whose patient has enough until a day, and which can be refilled when that is nearly used up."""
    begins = days_after(until, -spare(row.days, controlled=row.controlled))
    return row.evolve(supply_until=until, refill_from=max(row.written_on, begins))


def check_valid(row: rec.Prescription, day: dt.date) -> None:
    """Refuse a prescription that is expired on a day, or has no refills left."""
    instead = "see the prescriber, as it is a controlled medicine" if row.controlled else "ask for a renewal"
    if row.expires_on < day:
        words = f"The prescription of {row.medicine} for {row.patient} is good until {row.expires_on}"
        raise ToolError("precondition_failed", f"{words}; {instead}.")
    if not row.refills_left:
        words = f"No refills of {row.medicine} for {row.patient} are left"
        raise ToolError("precondition_failed", f"{words}; {instead}.")


def check_settled(row: rec.Prescription) -> None:
    """Refuse a prescription of which an order was not handed over."""
    if row.on_order:
        words = f"{row.medicine} of {row.patient} is on order"
        raise ToolError("conflict", f"{words}; have that handed over, or cancel the order while it is not filled.")


def check_uncontrolled(row: rec.Prescription | rec.RefillOrder, done: str, instead: str) -> None:
    """Refuse what is not done with controlled medicines."""
    if row.controlled:
        words = f"{row.medicine} is a controlled medicine and cannot be {done}"
        raise ToolError("precondition_failed", f"{words}; {instead}.")


def check_refill(row: rec.Prescription, today: dt.date) -> None:
    """Refuse a refill that is too early, or that comes anyway."""
    check_valid(row, today)
    check_settled(row)
    if row.automatic:
        words = f"{row.medicine} of {row.patient} is refilled by itself on {row.refill_on}"
        raise ToolError("conflict", f"{words}; stop automatic refill to order it by hand.")
    if today < row.refill_from:
        words = f"{row.patient} has {row.medicine} until {row.supply_until}"
        raise ToolError("precondition_failed", f"{words}; the next refill can be ordered from {row.refill_from} on.")


def switched(row: rec.Prescription, kind: rec.Kind, makes: Iterable[rec.Medicine], today: dt.date) -> rec.Prescription:
    """A prescription whose next refill gives the generic, or again the brand that was prescribed."""
    check_valid(row, today)
    check_settled(row)
    if kind == row.kind:
        raise ToolError("conflict", f"The next refill gives {row.medicine}, a {kind}, already; nothing is to switch.")
    if kind != row.prescribed_kind and kind == "brand":
        words = f"{row.prescribed} was prescribed, and no brand can be given instead"
        raise ToolError("precondition_failed", f"{words}; ask {row.prescriber} to prescribe one.")
    if kind != row.prescribed_kind and not row.substitution:
        words = f"{row.prescriber} allows nothing instead of {row.medicine}"
        raise ToolError("precondition_failed", f"{words}; speak to them about the generic.")
    same = [each for each in makes if fits(each, ingredient=row.ingredient, strength=row.strength, kind=kind)]
    if not same:
        words = f"The chain has no {kind} of {row.medicine}"
        raise ToolError("precondition_failed", f"{words}; refill it as it is.")
    price = cents(same[0].price * row.days / PACK_DAYS)
    return row.evolve(medicine_id=same[0].id, medicine=same[0].name, kind=kind, price=price)


def switching(old: rec.Prescription, new: rec.Prescription) -> rec.KindSwitched:
    """What a switch changes."""
    return rec.KindSwitched(
        prescription_id=new.id, patient=new.patient, medicine=new.medicine, instead_of=old.medicine,
        price=new.price, price_before=old.price,
    )  # fmt: skip


def transferred(
    row: rec.Prescription, medicine: rec.Medicine, pharmacy: rec.ChainPharmacy, today: dt.date
) -> rec.Prescription:
    """A prescription that another pharmacy keeps from now on."""
    check_uncontrolled(row, "transferred", f"it stays at the {row.pharmacy}")
    check_valid(row, today)
    check_settled(row)
    if pharmacy.id == row.pharmacy_id:
        raise ToolError("conflict", f"The {pharmacy.name} keeps {row.medicine} already; choose another pharmacy.")
    if row.transferred:
        words = f"{row.medicine} was transferred once already and stays at the {row.pharmacy}"
        raise ToolError("limit_exceeded", f"{words}; ask {row.prescriber} to send a new one elsewhere.")
    if medicine.cold and "cold_storage" not in pharmacy.services:
        words = f"The {pharmacy.name} has no cold storage for {medicine.name}"
        raise ToolError("precondition_failed", f"{words}; choose a pharmacy that has.")
    return row.evolve(pharmacy_id=pharmacy.id, pharmacy=pharmacy.name, city=pharmacy.city, transferred=True)


def renewing(row: rec.Prescription, note: str | None, today: dt.date) -> rec.Prescription:
    """A prescription that the prescriber was asked to renew."""
    check_uncontrolled(row, "renewed from afar", f"see {row.prescriber} about a new prescription")
    if row.renewal_asked_on:
        words = f"{row.prescriber} was asked to renew {row.medicine} on {row.renewal_asked_on}"
        raise ToolError("conflict", f"{words}; wait for the answer.")
    left = row.refills_left + row.on_order  # the order may be cancelled yet
    if left > RENEW_LEFT and row.expires_on > days_after(today, RENEW_DAYS):
        words = f"{row.medicine} has {left} refills left until {row.expires_on}"
        words += ", one of them on order" if row.on_order else ""
        words += f", and a renewal is asked for from the last one on, or in the last {RENEW_DAYS} days"
        raise ToolError("precondition_failed", f"{words}; use those first.")
    if row.expires_on < days_after(today, -LAPSED_DAYS):
        words = f"{row.medicine} expired on {row.expires_on}, over {LAPSED_DAYS} days ago"
        raise ToolError("precondition_failed", f"{words}; see {row.prescriber} about a new prescription.")
    return row.evolve(renewal_asked_on=today, renewal_note=note)


def asked(row: rec.Prescription, today: dt.date) -> rec.RenewalAsked:
    """What the prescriber of a prescription was asked today."""
    return rec.RenewalAsked(
        prescription_id=row.id, patient=row.patient, medicine=row.prescribed, prescriber=row.prescriber,
        answer_by=add_workdays(today, ANSWER_DAYS), note=row.renewal_note,
    )  # fmt: skip


def with_automatic(row: rec.Prescription, today: dt.date, *, automatic: bool) -> rec.Prescription:
    """A prescription that is refilled by itself from now on, or not any more."""
    if row.automatic == automatic:
        words = f"Automatic refill of {row.medicine} for {row.patient} is {'on' if automatic else 'off'} already"
        raise ToolError("conflict", f"{words}; there is nothing to change.")
    if not automatic:
        return row.evolve(automatic=False, refill_on=None)
    check_uncontrolled(row, "refilled by itself", "order each refill by hand")
    check_settled(row)
    day = max(row.refill_from, days_after(today, 1))
    check_valid(row, day)
    return row.evolve(automatic=True, refill_on=day)


# -- one day for all


def can_come(row: rec.Prescription, day: dt.date) -> bool:
    """Whether a prescription with refills left can be refilled by itself on a day to come."""
    return row.refill_from <= day <= row.expires_on and not row.controlled and not row.on_order


def check_plan(patient: rec.CarePatient, day: dt.date, together: list[rec.Prescription], today: dt.date) -> None:
    """Refuse a day on which refills cannot be put, or which changes nothing."""
    first, last = days_after(today, 1), days_after(today, PLAN_DAYS)
    if not first <= day <= last:
        raise ToolError("invalid_argument", f"Refills are put on a day from {first} to {last}, not on {day}.")
    if len(together) < 2:
        words = f"Fewer than two medicines of {patient.name} can be refilled on {day}"
        raise ToolError("precondition_failed", f"{words}; choose a later day, or ask for renewals first.")
    if all(row.refill_on == day for row in together):
        raise ToolError("conflict", f"The refills of {patient.name} are on {day} already; choose another day.")


def names(rows: Iterable[rec.Prescription | rec.RefillOrder]) -> tuple[rec.MedicineName, ...]:
    """The medicines of prescriptions or orders, each once."""
    return tuple(dict.fromkeys(row.medicine for row in rows))


def plan(
    patient: rec.CarePatient, day: dt.date, together: list[rec.Prescription], rows: list[rec.Prescription]
) -> rec.RefillPlan:
    """What comes on one day, and what of the valid prescriptions does not."""
    return rec.RefillPlan(
        patient_id=patient.id, name=patient.name, day=day, together=names(together),
        left_out=names(row for row in rows if row not in together),
        short=names(row for row in together if row.supply_until < day),
    )  # fmt: skip


# -- orders


def own_part(price: float, deductible_left: float) -> float:
    """What of a price falls under the deductible."""
    return min(price, deductible_left)


def share(price: float, kind: rec.Kind, deductible_left: float) -> float:
    """What the plan leaves to pay of a price: the deductible, and of the rest a co-pay or a part."""
    own = own_part(price, deductible_left)
    rest = price - own
    return cents(own + (rest * BRAND_SHARE if kind == "brand" else min(rest, COPAY)))


def ordered(order_id: str, row: rec.Prescription, account: rec.PharmacyAccount, today: dt.date) -> rec.RefillOrder:
    """A new order, for pick-up at the pharmacy that keeps the prescription; it waits until it is begun."""
    return rec.RefillOrder(
        id=order_id, account_id=row.account_id, prescription_id=row.id, patient_id=row.patient_id,
        patient=row.patient, called=row.called, medicine_id=row.medicine_id, medicine=row.medicine, kind=row.kind,
        controlled=row.controlled, pharmacy_id=row.pharmacy_id, pharmacy=row.pharmacy, city=row.city, days=row.days,
        packs=row.days // PACK_DAYS, price=row.price, due=share(row.price, row.kind, account.deductible_left),
        placed_on=today, status="waiting", supply_before=row.supply_until,
    )  # fmt: skip


def begun(order: rec.RefillOrder, pharmacy: rec.ChainPharmacy, today: dt.date) -> rec.RefillOrder:
    """An order that a pharmacy prepares now."""
    return order.evolve(
        status="being_prepared", pharmacy_id=pharmacy.id, pharmacy=pharmacy.name, city=pharmacy.city,
        ready_on=ready_on(pharmacy, today),
    )  # fmt: skip


def taken_out(row: rec.Prescription, today: dt.date) -> rec.Prescription:
    """A prescription of which a refill is on order."""
    until = days_after(max(row.supply_until, today), row.days)
    return with_supply(row.evolve(on_order=True, refills_left=row.refills_left - 1), until)


def put_back(row: rec.Prescription, order: rec.RefillOrder) -> rec.Prescription:
    """A prescription whose order was cancelled."""
    return with_supply(row.evolve(on_order=False, refills_left=row.refills_left + 1), order.supply_before)


def check_open(order: rec.RefillOrder, among: tuple[rec.OrderStatus, ...], done: str) -> None:
    """Refuse an order that is paid, or past the steps at which something can be done with it."""
    if order.paid:
        words = f"The order of {order.medicine} is paid, so it cannot be {done}"
        raise ToolError("precondition_failed", f"{words} any more; the {order.pharmacy} can help.")
    if order.status not in among:
        steps = " or ".join(said(each) for each in among)
        words = f"The order of {order.medicine} is {said(order.status)} and cannot be {done}"
        raise ToolError("precondition_failed", f"{words}; that is possible while an order is {steps}.")


def check_handover(
    order: rec.RefillOrder, place: rec.Place, pharmacy: rec.ChainPharmacy, account: rec.PharmacyAccount
) -> None:
    """Refuse a delivery that is not possible from a pharmacy."""
    if place == "the_pharmacy":
        return
    check_uncontrolled(order, "delivered", f"have it handed over at the {order.pharmacy}")
    if "delivery" not in pharmacy.services:
        words = f"The {pharmacy.name} does not deliver"
        raise ToolError("precondition_failed", f"{words}; have the order handed over at the pharmacy.")
    if pharmacy.city != account.city:
        words = f"The {pharmacy.name} delivers within {pharmacy.city}, not to {account.city}"
        raise ToolError("precondition_failed", f"{words}; have the order handed over at the pharmacy.")


def handed_over_at(order: rec.RefillOrder, place: rec.Place, *, cold: bool) -> rec.RefillOrder:
    """An order that is handed over somewhere else, with the fee for that."""
    if place == order.place:
        where = "at the pharmacy" if place == "the_pharmacy" else f"at {place}"
        raise ToolError(
            "conflict", f"The order of {order.medicine} is handed over {where} already; nothing is to change."
        )
    fee = 0.0 if place == "the_pharmacy" else cents(DELIVERY + (COLD_BOX if cold else 0.0))
    return order.evolve(place=place, fee=fee, due=cents(order.due - order.fee + fee))


def repriced(order: rec.RefillOrder, account: rec.PharmacyAccount) -> rec.RefillOrder:
    """An unpaid order as the plan stands by now."""
    return order.evolve(due=cents(share(order.price, order.kind, account.deductible_left) + order.fee))


def charged(account: rec.PharmacyAccount, order: rec.RefillOrder, method: rec.Method) -> rec.PharmacyAccount:
    """An account that has paid an order."""
    saved = account.health_account
    if method == "health_account":
        if order.due > saved:
            words = f"The health account has ${saved:.2f}, and ${order.due:.2f} are to be paid"
            raise ToolError("precondition_failed", f"{words}; pay with the card.")
        saved = cents(saved - order.due)
    left = cents(account.deductible_left - own_part(order.price, account.deductible_left))
    return account.evolve(deductible_left=left, health_account=saved)


def payment(order: rec.RefillOrder, method: rec.Method, account: rec.PharmacyAccount) -> rec.Payment:
    """What was paid, and what the account is left with."""
    return rec.Payment(
        order_id=order.id, medicine=order.medicine, amount=order.due,
        plan_pays=cents(order.price + order.fee - order.due), method=method,
        deductible_left=account.deductible_left, health_account=account.health_account,
    )  # fmt: skip
