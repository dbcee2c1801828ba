"""What a pharmacy does behind its counter: look up what is on an account, fill orders from the shelf, take payment."""

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

from envfactory.catalogue.lifestyle import _pharmacy_records as rec
from envfactory.catalogue.lifestyle import _pharmacy_rules as rules
from envfactory.environment import Table, ToolError, fits, owned

R = TypeVar("R", rec.CarePatient, rec.Prescription, rec.RefillOrder)


@dataclass(frozen=True, slots=True)
class Counter:
    """The counter as somebody with an account stands at it on a day."""

    account_id: str
    today: dt.date
    accounts: Table[rec.PharmacyAccount]
    patients: Table[rec.CarePatient]
    medicines: Table[rec.Medicine]
    stock: Table[rec.ShelfStock]
    prescriptions: Table[rec.Prescription]
    orders: Table[rec.RefillOrder]

    @property
    def account(self) -> rec.PharmacyAccount:
        """The account itself."""
        return self.accounts.require(self.account_id)

    def mine(self, table: Table[R], **wanted: object) -> list[R]:
        """The rows on the account with what is wanted."""
        return [row for row in table.values() if fits(row, account_id=self.account_id, **wanted)]

    def own(self, table: Table[R], key: str) -> R:
        """A record on the account."""
        return owned(table.require(key), "account_id", self.account_id)

    def patient(self, key: str | None) -> str | None:
        """Identifier of a patient on the account, if one is asked for."""
        return key if key is None else self.own(self.patients, key).id

    def prescription(self, key: str) -> rec.Prescription:
        """A prescription on the account."""
        return self.own(self.prescriptions, key)

    def order(self, key: str, among: tuple[rec.OrderStatus, ...], done: str) -> rec.RefillOrder:
        """An order on the account that is not paid, at one of the steps at which something can be done with it."""
        order = self.own(self.orders, key)
        rules.check_open(order, among, done)
        return order

    def safe(self, medicines: list[rec.Medicine], patient_id: str) -> list[rec.Medicine]:
        """The medicines to which a patient is not allergic, and that go with what they take."""
        who = self.own(self.patients, patient_id)
        taken = self.mine(self.prescriptions, patient_id=who.id)
        borne = [each for each in medicines if not rules.allergy(who, each)]
        return [each for each in borne if not rules.clashes(each, taken, self.today)]

    def shelves(self, pharmacies: Iterable[rec.ChainPharmacy], medicine_id: str) -> dict[str, rec.ShelfStock]:
        """What each of these pharmacies has of a medicine, those left out that have none."""
        wanted = self.medicines.require(medicine_id).id
        return {each.id: shelf for each in pharmacies if (shelf := self.shelf(each.id, wanted))}

    def shelf(self, pharmacy_id: str, medicine_id: str) -> rec.ShelfStock | None:
        """What a pharmacy has of a medicine, if there is any."""
        wanted = {"pharmacy_id": pharmacy_id, "medicine_id": medicine_id}
        return next((row for row in self.stock.values() if row.packs and fits(row, **wanted)), None)

    def obstacle(self, row: rec.Prescription) -> str | None:
        """What keeps the patient from the medicine of a prescription."""
        who, medicine = self.patients.require(row.patient_id), self.medicines.require(row.medicine_id)
        return rules.obstacle(row, medicine, who, self.mine(self.prescriptions, patient_id=who.id), self.today)

    def check_refill(self, row: rec.Prescription) -> None:
        """Refuse a prescription of which no refill can be ordered today."""
        rules.check_refill(row, self.today)
        rules.check_none(self.obstacle(row))

    def is_due(self, row: rec.Prescription) -> bool:
        """Whether a refill can be ordered today."""
        try:
            self.check_refill(row)
        except ToolError:
            return False
        return True

    def listed(self, patient_id: str | None, *, refillable: bool, until: dt.date | None) -> list[rec.Prescription]:
        """The prescriptions on the account, of a patient, due, or used up by a day, as far as those are asked for."""
        found = self.mine(self.prescriptions, patient_id=self.patient(patient_id))
        found = [row for row in found if until is None or row.supply_until <= until]
        return [row for row in found if not refillable or self.is_due(row)]

    def refill(self, row: rec.Prescription, pharmacy: rec.ChainPharmacy, order_id: str) -> rec.RefillOrder:
        """Order a refill of a prescription at the pharmacy that keeps it."""
        self.check_refill(row)
        order = rules.ordered(order_id, row, self.account, self.today)
        self.prescriptions.replace(rules.taken_out(row, self.today))
        return self.orders.insert(self.begun(order, pharmacy) or order)

    def begun(self, order: rec.RefillOrder, pharmacy: rec.ChainPharmacy) -> rec.RefillOrder | None:
        """The order as a pharmacy prepares it, with its packs set aside; none if it has too few."""
        shelf = self.shelf(pharmacy.id, order.medicine_id)
        if shelf is None or shelf.packs < order.packs:
            return None
        self.stock.replace(shelf.evolve(packs=shelf.packs - order.packs))
        return rules.begun(order, pharmacy, self.today)

    def move(self, order: rec.RefillOrder, pharmacy: rec.ChainPharmacy) -> rec.RefillOrder:
        """Have a waiting order filled by a pharmacy that has enough."""
        rules.check_uncontrolled(order, "moved", f"it has to wait at the {order.pharmacy}, or be cancelled")
        rules.check_handover(order, order.place, pharmacy, self.account)
        moved = self.begun(order, pharmacy)
        if moved is None:
            words = f"The {pharmacy.name} has too little {order.medicine} for {order.days} days"
            raise ToolError("precondition_failed", f"{words}; find a pharmacy that has it.")
        return self.orders.replace(moved)

    def cancel(self, order: rec.RefillOrder) -> rec.RefillOrder:
        """Cancel an order: its refill goes back on the prescription, and packs that were set aside on the shelf."""
        self.prescriptions.replace(rules.put_back(self.prescriptions.require(order.prescription_id), order))
        if order.status == "being_prepared":
            wanted = {"pharmacy_id": order.pharmacy_id, "medicine_id": order.medicine_id}
            shelf = next(row for row in self.stock.values() if fits(row, **wanted))
            self.stock.replace(shelf.evolve(packs=shelf.packs + order.packs))
        return self.orders.replace(order.evolve(status="cancelled", ready_on=None, fee=0.0, due=0.0))

    def pay(self, order: rec.RefillOrder, method: rec.Method) -> rec.Payment:
        """Pay an order; what others cost changes with the deductible that is left."""
        rules.check_none(
            rules.allergy(self.patients.require(order.patient_id), self.medicines.require(order.medicine_id))
        )
        account = self.accounts.replace(rules.charged(self.account, order, method))
        self.orders.replace(order.evolve(paid=True, paid_with=method))
        for other in self.mine(self.orders, paid=False):
            if other.status in rules.OPEN:
                self.orders.replace(rules.repriced(other, account))
        return rules.payment(order, method, account)

    def renew(self, row: rec.Prescription, note: str | None) -> rec.RenewalAsked:
        """Ask the prescriber to renew a prescription."""
        asked = rules.renewing(row, note, self.today)
        rules.check_none(rules.allergy(self.patients.require(row.patient_id), self.medicines.require(row.medicine_id)))
        return rules.asked(self.prescriptions.replace(asked), self.today)

    def set_automatic(self, row: rec.Prescription, *, automatic: bool) -> rec.Prescription:
        """Start or stop refilling a prescription by itself."""
        changed = rules.with_automatic(row, self.today, automatic=automatic)
        rules.check_none(self.obstacle(row) if automatic else None)
        return self.prescriptions.replace(changed)

    def plan(self, who: rec.CarePatient, day: dt.date) -> rec.RefillPlan:
        """Put all refills of a patient that can come on a day on that day."""
        mine = self.mine(self.prescriptions, patient_id=who.id)
        rows = [row for row in mine if row.refills_left and row.expires_on >= self.today]
        together: list[rec.Prescription] = []
        for row in rows:  # one after the other, as what is refilled by itself may keep the next from it
            if rules.can_come(row, day) and not self.obstacle(row):
                self.prescriptions.replace(row.evolve(automatic=True, refill_on=day))
                together.append(row)
        rules.check_plan(who, day, together, self.today)
        return rules.plan(who, day, together, rows)

    def stop_allergen(self, who: rec.CarePatient, allergen: rec.Allergen) -> rec.AllergyNoted:
        """Cancel unfilled orders, and stop automatic refills, of what a patient is found to be allergic to."""
        hit = {each.id for each in self.medicines.values() if allergen in each.allergens}
        orders = [order for order in self.mine(self.orders, patient_id=who.id) if order.medicine_id in hit]
        stopped = [order for order in orders if order.status in rules.UNFILLED and not order.paid]
        kept = [order for order in orders if order.status in rules.OPEN and order not in stopped]
        for order in stopped:
            self.cancel(order)
        rows = [row for row in self.mine(self.prescriptions, patient_id=who.id) if row.medicine_id in hit]
        for row in rows:
            self.prescriptions.replace(row.evolve(automatic=False, refill_on=None))
        valid = [row for row in rows if row.refills_left and row.expires_on >= self.today]
        return rec.AllergyNoted(
            patient_id=who.id, name=who.name, allergen=allergen, blocked=rules.names(valid),
            cancelled=rules.names(stopped), beware=rules.names(kept),
        )  # fmt: skip
