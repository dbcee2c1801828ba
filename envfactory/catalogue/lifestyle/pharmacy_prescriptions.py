"""A chain of pharmacies: prescriptions of a family, their refills, and how those are paid and handed over.

A supply lasts as long as what is on order, so a refill that is ordered moves the day of the next one, and a
cancelled order moves it back.
"""

import datetime as dt
from typing import Self

from envfactory.catalogue.lifestyle import _pharmacy_records as rec
from envfactory.catalogue.lifestyle import _pharmacy_relations as relations
from envfactory.catalogue.lifestyle import _pharmacy_rules as rules
from envfactory.catalogue.lifestyle._pharmacy_counter import Counter
from envfactory.catalogue.lifestyle._pharmacy_scenario import chain
from envfactory.environment import Environment, PageNumber, Table, World, fits, tool


class PharmacyPrescriptions(Environment):
    """Look after a family's prescriptions: refill, pay, deliver, transfer, renew and plan them, and note allergies."""

    domain = "lifestyle"
    policy = """A refill is ordered once at most a quarter of the last supply is left (a tenth of a controlled
    medicine), while refills are left, until the prescription expires. Nobody gets what they are allergic to, what must
    not be taken with another of their medicines, or the same medicine from two prescriptions at a time. What a pharmacy
    lacks waits; a waiting order can be moved to a pharmacy that has it. An order can be cancelled until it is paid or
    ready, which gives the refill back. Payment is final: it uses up the deductible, then generics cost 10 dollars at
    most and brands 40 percent. Pharmacies with delivery bring orders home or to work in their own city for 4.99, and 6
    more if kept cold. Controlled medicines are not delivered, moved, transferred, renewed or refilled by themselves. A
    prescription is transferred once, and what is kept cold only to a pharmacy with cold storage. The generic is given
    where the prescriber allows it. A renewal is asked for once, when at most one refill is left, what is on order
    included, or from 30 days before to 180 days after it expires. What is refilled by itself is not ordered by hand. An
    allergy that is noted stays, and cancels orders that are neither paid nor filled. Never make up an allergy."""
    sources = (
        "HL7 FHIR R4, MedicationRequest, MedicationDispense and AllergyIntolerance resources",
        "NCPDP SCRIPT Standard, RxRenewal, RxTransfer and RxFill transactions",
        "NLM RxNorm API, concepts of ingredients, brand names and strengths",
        "Walgreens Prescription Refill API, Refills and Transfers",
    )

    account_id: rec.AccountId
    """Account whose session this is."""
    accounts: Table[rec.PharmacyAccount]
    patients: Table[rec.CarePatient]
    pharmacies: Table[rec.ChainPharmacy]
    medicines: Table[rec.Medicine]
    stock: Table[rec.ShelfStock]
    prescriptions: Table[rec.Prescription]
    orders: Table[rec.RefillOrder]

    @tool(
        ask=(
            "find a pharmacy in {city}[ with {service}][ that has {medicine_id}][, open on {day}]",
            "look for pharmacies in {city}[ that offer {service}][ where they have {medicine_id}][, open on {day}]",
            "show me the pharmacies in {city}[ with {service}][ where {medicine_id} is in stock][, if open on {day}]",
            "see what pharmacies there are in {city}[ with {service}][ that stock {medicine_id}][, open on {day}]",
        ),
        noun="pharmacy in {city}[ with {service}][ that has {medicine_id}][ open on {day}]",
        reply=("I found {pharmacies}.", "There is no such pharmacy."),
        where=relations.PHARMACIES,
    )
    def find_pharmacies(
        self, city: rec.City, service: rec.Service | None = None, medicine_id: rec.MedicineId | None = None,
        day: dt.date | None = None, page: PageNumber = 1,
    ) -> rec.PharmacyPage:  # fmt: skip
        """Find the chain's pharmacies in a city, by name, with what they have of a medicine.

        Args:
            city: City to look in.
            service: Only pharmacies that offer this.
            medicine_id: Only pharmacies that have a pack of this medicine.
            day: Only pharmacies that are open on this day.
            page: Page of the results, five pharmacies each.
        """
        found = [each for each in self.pharmacies.values() if rules.serves(each, city, service, day)]
        found.sort(key=lambda each: (each.name, each.id))
        if medicine_id is None:
            return rec.PharmacyPage.of(found, page, stock=())
        shelves = self._counter.shelves(found, medicine_id)
        found = [each for each in found if each.id in shelves]
        return rec.PharmacyPage.of(found, page, stock=tuple(shelves.values()))

    @tool(
        ask=(
            "find[ {kind}] medicines for {use}[ that are safe for {patient_id}]",
            "look up the[ {kind}] medicines for {use}[ that would suit {patient_id}]",
            "show me what[ {kind}] medicines there are for {use}[, only those without risk for {patient_id}]",
            "search for[ {kind}] medicines for {use}[ and leave out what is unsafe for {patient_id}]",
        ),
        noun="[{kind} ]medicine for {use}[ that is safe for {patient_id}]",
        reply=("I found {medicines}.", "There is no such medicine."),
        where=relations.PATIENT,
    )
    def search_medicines(
        self, use: rec.Use, kind: rec.Kind | None = None, patient_id: rec.PatientId | None = None, page: PageNumber = 1
    ) -> rec.MedicinePage:
        """Search medicines by what they are taken for, the cheapest first: strength, price, what they do not go with.

        Args:
            use: What they are taken for.
            kind: Only generics, or only brands.
            patient_id: Only medicines to which this patient is not allergic and that go with what they take.
            page: Page of the results, five medicines each.
        """
        found = [each for each in self.medicines.values() if fits(each, use=use, kind=kind)]
        if patient_id is not None:
            found = self._counter.safe(found, patient_id)
        found.sort(key=lambda each: (each.price, each.name))
        return rec.MedicinePage.of(found, page)

    @tool(
        ask=(
            "show me who is on my account[ and allergic to {allergen}]",
            "tell me who of us[ is allergic to {allergen} and] is looked after on my account",
            "list the family members that you have[ with an allergy to {allergen}], and what is left of my deductible",
            "look up whom I can order for[ and who must not have {allergen}]",
        ),
        noun="person on my account[ who is allergic to {allergen}]",
        reply=(
            "On your account: {patients}; {deductible_left} of the deductible is left, {health_account} is saved.",
            "Nobody on your account is; {deductible_left} of the deductible is left.",
        ),
    )
    def list_family(self, allergen: rec.Allergen | None = None, page: PageNumber = 1) -> rec.FamilyPage:
        """List the patients on the signed-in account with their allergies, the oldest first, and how the plan stands.

        Args:
            allergen: Only patients who are allergic to this.
            page: Page of the results, five patients each.
        """
        mine = self._counter.mine(self.patients)
        found = [who for who in mine if allergen is None or allergen in who.allergies]
        found.sort(key=lambda who: (who.born_on, who.id))
        left, saved = self._counter.account.deductible_left, self._counter.account.health_account
        return rec.FamilyPage.of(found, page, deductible_left=left, health_account=saved)

    @tool(
        ask=(
            "list the prescriptions[ for {patient_id}][refillable? due now][ that are used up by {runs_out_by}]",
            "show me the prescriptions[ for {patient_id}][refillable? I can refill][ that only last to {runs_out_by}]",
            "check the prescriptions[ for {patient_id}][refillable? due for refill][, running out by {runs_out_by}]",
            "go through the prescriptions[ for {patient_id}][refillable? to refill][, out of supply by {runs_out_by}]",
        ),
        noun="prescription[ for {patient_id}][refillable? that can be refilled][ running out by {runs_out_by}]",
        reply=("I found {prescriptions}.", "There is no such prescription."),
        where=relations.PRESCRIPTIONS,
    )
    def list_prescriptions(
        self, patient_id: rec.PatientId | None = None, refillable: bool = False, runs_out_by: dt.date | None = None,
        page: PageNumber = 1,
    ) -> rec.PrescriptionPage:  # fmt: skip
        """List the prescriptions on the signed-in account, the one whose supply ends first on top.

        Args:
            patient_id: Only prescriptions of this patient.
            refillable: Only those of which a refill could be ordered today.
            runs_out_by: Only those whose supply lasts to this day at most.
            page: Page of the results, five prescriptions each.
        """
        found = self._counter.listed(patient_id, refillable=refillable, until=runs_out_by)
        found.sort(key=lambda row: (row.supply_until, row.id))
        return rec.PrescriptionPage.of(found, page)

    @tool(
        writes=True,
        ask=(
            "order a refill of {prescription_id}",
            "refill {prescription_id}",
            "get {prescription_id} filled again",
            "have a new supply of {prescription_id} made up",
        ),
        reply=(
            "{medicine} for {patient} will be at the {pharmacy}, ready on {ready_on}; {due} is to be paid.",
            "The {pharmacy} lacks {medicine}, so the order for {patient} waits; {due} is to be paid.",
        ),
        where=relations.REFILLING,
    )
    def order_refill(self, prescription_id: rec.PrescriptionId) -> rec.RefillOrder:
        """Order a refill at the pharmacy that keeps the prescription, for pick-up; what it lacks makes the order wait.

        Args:
            prescription_id: Prescription to refill.
        """
        row = self._counter.prescription(prescription_id)
        return self._counter.refill(row, self.pharmacies.require(row.pharmacy_id), self.new_id("RO"))

    @tool(
        ask=(
            "list the refill orders[ for {patient_id}][ that are {status}]",
            "show me the orders of medicines[ for {patient_id}][ that are {status}]",
            "tell me how the refill orders[ for {patient_id}] stand[, only those that are {status}]",
            "look up the refills[ for {patient_id}] that were ordered[ and are {status}]",
        ),
        noun="refill order[ for {patient_id}][ that is {status}]",
        reply=("The orders: {orders}.", "There is no such order."),
        where=relations.PATIENT,
    )
    def list_orders(
        self, patient_id: rec.PatientId | None = None, status: rec.OrderStatus | None = None, page: PageNumber = 1
    ) -> rec.OrderPage:
        """List the refill orders on the signed-in account, the latest first.

        Args:
            patient_id: Only orders for this patient.
            status: Only orders that stand like this.
            page: Page of the results, five orders each.
        """
        counter = self._counter
        found = counter.mine(self.orders, patient_id=counter.patient(patient_id), status=status)
        found.sort(key=lambda order: (order.placed_on, order.id), reverse=True)
        return rec.OrderPage.of(found, page)

    @tool(
        writes=True,
        ask=(
            "move {order_id} to {pharmacy_id}",
            "have {order_id} filled by {pharmacy_id} instead, as it is waiting",
            "let {pharmacy_id} take over {order_id}",
            "redirect {order_id} to {pharmacy_id}, where they have it",
        ),
        reply=("The order of {medicine} is at the {pharmacy} now, ready on {ready_on}.",),
        where=relations.MOVING,
    )
    def move_order(self, order_id: rec.OrderId, pharmacy_id: rec.PharmacyId) -> rec.RefillOrder:
        """Move a waiting order to a pharmacy that has the medicine by now; the prescription stays where it is.

        Args:
            order_id: Order that waits for its medicine.
            pharmacy_id: Pharmacy with enough packs of it.
        """
        order = self._counter.order(order_id, ("waiting",), "moved")
        return self._counter.move(order, self.pharmacies.require(pharmacy_id))

    @tool(
        writes=True,
        ask=(
            "choose {place} as the place where we get {order_id}",
            "have {order_id} handed over at {place}",
            "arrange for {order_id} to be handed over at {place}",
            "see to it that {order_id} is given to us at {place}",
        ),
        reply=("The order of {medicine} is handed over at {place}, with a fee of {fee}; {due} is to be paid.",),
        where=relations.HANDING_OVER,
    )
    def choose_handover(self, order_id: rec.OrderId, place: rec.Place) -> rec.RefillOrder:
        """Choose where an unpaid order is handed over: picked up at its pharmacy, or delivered for a fee.

        Args:
            order_id: Order that was not handed over yet.
            place: the_pharmacy for free, or home or work for 4.99 US dollars and 6 more for what is kept cold.
        """
        order = self._counter.order(order_id, rules.OPEN, "sent elsewhere")
        rules.check_handover(order, place, self.pharmacies.require(order.pharmacy_id), self._counter.account)
        cold = self.medicines.require(order.medicine_id).cold
        return self.orders.replace(rules.handed_over_at(order, place, cold=cold))

    @tool(
        writes=True,
        ask=(
            "pay for {order_id} with my {method}",
            "settle {order_id} and take it from my {method}",
            "use my {method} to pay what {order_id} costs",
            "charge {order_id} to my {method}",
        ),
        reply=(
            "{medicine} is paid: {amount}, and {plan_pays} by the plan; {deductible_left} of the deductible is left.",
        ),
        where=relations.PAYING,
    )
    def pay_order(self, order_id: rec.OrderId, method: rec.Method) -> rec.Payment:
        """Pay for an order that is being prepared or ready, which is final; the plan pays what exceeds the own share.

        Args:
            order_id: Order to pay.
            method: With the card, or from the health account, which has to suffice.
        """
        return self._counter.pay(self._counter.order(order_id, ("being_prepared", "ready"), "paid"), method)

    @tool(
        writes=True,
        ask=(
            "cancel {order_id}",
            "call off {order_id}",
            "stop {order_id} before it is filled",
            "take back {order_id}, we do not need it now",
        ),
        reply=("The order of {medicine} for {patient} is cancelled, and the refill is on the prescription again.",),
        where=relations.CANCELLING,
    )
    def cancel_order(self, order_id: rec.OrderId) -> rec.RefillOrder:
        """Cancel an order before it is paid or filled; the refill can be used later.

        Args:
            order_id: Order that is waiting or being prepared.
        """
        return self._counter.cancel(self._counter.order(order_id, rules.UNFILLED, "cancelled"))

    @tool(
        writes=True,
        ask=(
            "switch {prescription_id} to the {kind}",
            "let the next refill of {prescription_id} be the {kind}",
            "make it the {kind} when you next fill {prescription_id}",
            "change {prescription_id} over to the {kind}",
        ),
        reply=("{patient} gets {medicine} for {price} next, instead of {instead_of} for {price_before}.",),
        where=relations.SWITCHING,
    )
    def switch_kind(self, prescription_id: rec.PrescriptionId, kind: rec.Kind) -> rec.KindSwitched:
        """Have the generic dispensed where the prescriber does not insist on the brand, or the brand again.

        Args:
            prescription_id: Which one to dispense otherwise.
            kind: What the next refills give: generic, or brand if that was prescribed.
        """
        old = self._counter.prescription(prescription_id)
        new = rules.switched(old, kind, self.medicines.values(), self.now.date())
        self.prescriptions.replace(new)
        return rules.switching(old, new)

    @tool(
        writes=True,
        ask=(
            "transfer {prescription_id} to {pharmacy_id}",
            "send {prescription_id} over to {pharmacy_id} for good",
            "have {pharmacy_id} keep {prescription_id} from now on",
            "bring {prescription_id} to {pharmacy_id} for all refills to come",
        ),
        reply=("The {pharmacy} keeps the prescription of {prescribed} for {patient} from now on.",),
        where=relations.TRANSFERRING,
    )
    def transfer_prescription(
        self, prescription_id: rec.PrescriptionId, pharmacy_id: rec.PharmacyId
    ) -> rec.Prescription:
        """Transfer a prescription to another pharmacy of the chain, once and for good, while nothing of it is on order.

        Args:
            prescription_id: Prescription with refills left, not of a controlled medicine.
            pharmacy_id: Pharmacy that keeps it from now on.
        """
        row, pharmacy = self._counter.prescription(prescription_id), self.pharmacies.require(pharmacy_id)
        medicine = self.medicines.require(row.medicine_id)
        return self.prescriptions.replace(rules.transferred(row, medicine, pharmacy, self.now.date()))

    @tool(
        writes=True,
        ask=(
            "ask the prescriber to renew {prescription_id}[ and mention that {note}]",
            "request a renewal of {prescription_id}[ with the remark that {note}]",
            "get {prescription_id} renewed[, and tell the doctor that {note}]",
            "have a new prescription written for {prescription_id}[, with a note that {note}]",
        ),
        reply=(
            "{prescriber} answers by {answer_by} whether {medicine} for {patient} is renewed[; your note: {note}].",
        ),
        where=relations.RENEWING,
    )
    def request_renewal(
        self, prescription_id: rec.PrescriptionId, note: rec.RenewalNote | None = None
    ) -> rec.RenewalAsked:
        """Send the prescriber a request to renew what runs out: one refill or none is left, or it expires.

        Args:
            prescription_id: Which one to renew; controlled medicines need a visit instead.
            note: What the prescriber should know.
        """
        return self._counter.renew(self._counter.prescription(prescription_id), note)

    @tool(
        writes=True,
        ask=(
            "[automatic? turn on][!automatic? turn off] automatic refill of {prescription_id}",
            "[automatic? start][!automatic? stop] refilling {prescription_id} by itself",
            "[automatic? put][!automatic? take] {prescription_id}[automatic? on][!automatic? off] automatic refill",
            "[automatic? enrol][!automatic? drop] {prescription_id}[automatic? in][!automatic? from] automatic refill",
        ),
        reply=(
            "{prescribed} for {patient} is refilled by itself now, on {refill_on} for the first time.",
            "{prescribed} for {patient} is not refilled by itself any more.",
        ),
        where=relations.AUTOMATIC,
    )
    def set_automatic_refill(self, prescription_id: rec.PrescriptionId, automatic: bool) -> rec.Prescription:
        """Start or stop automatic refill; it begins on the first day on which a refill is possible.

        Args:
            prescription_id: What comes without being ordered each time; neither controlled nor on order now.
            automatic: Whether it is refilled by itself.
        """
        return self._counter.set_automatic(self._counter.prescription(prescription_id), automatic=automatic)

    @tool(
        writes=True,
        ask=(
            "put the refills for {patient_id} on one day, {day}",
            "synchronise the refills for {patient_id} to {day}",
            "let everything for {patient_id} be refilled together on {day}",
            "line up all the medicines for {patient_id} so that they come on {day}",
        ),
        reply=("On {day} come {together}[; not possible then: {left_out}][; used up before: {short}].",),
        where=relations.PLANNING,
    )
    def plan_refills(self, patient_id: rec.PatientId, day: dt.date) -> rec.RefillPlan:
        """Have all of a patient's medicines that can be refilled on a day come by automatic refill on that day.

        Args:
            patient_id: Patient with two such medicines or more.
            day: Day of all these refills, from tomorrow to 60 days from now.
        """
        return self._counter.plan(self._counter.own(self.patients, patient_id), day)

    @tool(
        writes=True,
        ask=(
            "note an allergy to {allergen} for {patient_id}",
            "record that there is an allergy to {allergen} for {patient_id}",
            "add {allergen} to the known allergies for {patient_id}",
            "put {allergen} down as an allergy for {patient_id}",
        ),
        reply=(
            (
                "The allergy of {name} to {allergen} is noted[; not refilled any more: {blocked}]"
                "[; orders cancelled: {cancelled}][; ask the pharmacist about {beware} before taking it]."
            ),
        ),
        where=relations.PATIENT,
    )
    def record_allergy(self, patient_id: rec.PatientId, allergen: rec.Allergen) -> rec.AllergyNoted:
        """Note an allergy of a patient for good: blocks such medicines and cancels unpaid orders that are not filled.

        Args:
            patient_id: Who is allergic.
            allergen: Group of medicines that they do not bear.
        """
        who = rules.allergic(self._counter.own(self.patients, patient_id), allergen)
        return self._counter.stop_allergen(self.patients.replace(who), allergen)

    @property
    def _counter(self) -> Counter:
        """What is done for the account by now."""
        return Counter(
            self.account_id, self.now.date(), self.accounts, self.patients, self.medicines, self.stock,
            self.prescriptions, self.orders,
        )  # fmt: skip

    @classmethod
    def scenario(cls, world: World, size: int) -> Self:
        """Prescriptions in every condition for the user's family, orders at every step, gaps in stock."""
        return cls.model_validate(chain(world, size))
