"""Records and results of a chain of pharmacies: patients, medicines, stock, prescriptions, refill orders."""

import datetime as dt
from typing import Annotated, Literal

from pydantic import Field

from envfactory.environment import FreeText, Money, Output, Page, Ranked, Record, Ref, Unit, Value

AccountId = Annotated[str, Ref("PharmacyAccount")]
PatientId = Annotated[str, Ref("CarePatient")]
PharmacyId = Annotated[str, Ref("ChainPharmacy")]
MedicineId = Annotated[str, Ref("Medicine")]
PrescriptionId = Annotated[str, Ref("Prescription")]
OrderId = Annotated[str, Ref("RefillOrder")]
City = Annotated[str, Value("city", "City, by its English name.")]
Address = Annotated[str, Value("address", "Street and number.")]
PersonName = Annotated[str, Value("person_name", "Full name of a person.")]
Called = Annotated[str, Value("patient_called", "How the account holder speaks of a patient: myself, my mother Ruth.")]
PharmacyName = Annotated[str, Value("pharmacy_name", "Name of a pharmacy.")]
MedicineName = Annotated[str, Value("medicine_name", "Name of a medicine, with its strength.")]
Ingredient = Annotated[str, Value("medicine_ingredient", "Active ingredient of a medicine.")]
AmountDue = Annotated[Money, Value("amount_due", "Amount to be paid.")]
Allergen = Annotated[
    Literal["penicillins", "macrolides", "sulfonamides", "statins", "opioids", "nonsteroidal_painkillers"],
    Value("medicine_allergen", "Group of medicines that somebody may be allergic to."),
]
Use = Annotated[
    Literal[
        "high_blood_pressure", "diabetes", "high_cholesterol", "blood_clots", "asthma", "heartburn", "depression",
        "sleeplessness", "pain", "infections", "hay_fever", "migraine",
    ],
    Value("medicine_use", "What a medicine is taken for."),
]  # fmt: skip
Kind = Annotated[Literal["generic", "brand"], Value("medicine_kind", "Whether a medicine is a generic or a brand.")]
Service = Annotated[
    Literal["delivery", "drive_through", "cold_storage", "vaccinations"],
    Value("pharmacy_service", "What a pharmacy offers."),
]
OrderStatus = Annotated[
    Literal["waiting", "being_prepared", "ready", "handed_over", "cancelled"],
    Value("refill_order_status", "Where an order stands; waiting: the pharmacy has too little of the medicine."),
]
Place = Annotated[
    Literal["the_pharmacy", "home", "work"],
    Value("handover_place", "Where an order is handed over: at the_pharmacy, or delivered to home or work."),
]
Method = Annotated[
    Literal["card", "health_account"],
    Value("pharmacy_payment", "With what an order is paid; health_account: what was saved for health costs."),
]
RenewalNote = Annotated[
    str, FreeText(("the dose works well", "I am away from next week on", "we are down to the last tablets"))
]
Days = Annotated[int, Field(ge=1, le=90), Unit("day")]
Packs = Annotated[int, Field(ge=0), Unit("pack")]
Count = Annotated[int, Field(ge=0)]
LastDay = Annotated[dt.date, Ranked("most urgent", "least urgent")]


class PharmacyAccount(Record, noun="account", label="{name}"):
    """Somebody with an account, and the drug plan that pays for everybody on it."""

    id: AccountId
    """Identifier of the account."""
    name: PersonName
    email: Annotated[str, Value("email", "E-mail address.")]
    city: City
    home: Address
    work: Address
    deductible_left: Money
    """What still has to be paid in full, in US dollars, before the plan begins to pay this year."""
    health_account: Money
    """What is saved for health costs, in US dollars."""


class CarePatient(Record, noun="family member", label="{called}", listing="{name}, born {born_on}"):
    """The account holder, or somebody in their care."""

    id: PatientId
    """Identifier of the patient."""
    account_id: AccountId
    """Account that they are on."""
    name: PersonName
    called: Called
    born_on: Annotated[dt.date, Ranked("oldest", "youngest")]
    """Day of birth."""
    allergies: tuple[Allergen, ...] = ()
    """Groups of medicines that they are allergic to."""


class ChainPharmacy(
    Record,
    noun="pharmacy",
    label="the {name}[ in {city}]",
    listing="{name}, {address} (from {opens} to {closes})",
):
    """A pharmacy of the chain."""

    id: PharmacyId
    """Identifier of the pharmacy."""
    name: PharmacyName
    city: City
    address: Address
    opens: dt.time
    """When it opens."""
    closes: dt.time
    """When it closes."""
    sundays: bool
    """Whether it is open on Sundays too."""
    services: tuple[Service, ...]
    """What it offers; medicines that are kept cold need cold_storage."""


class Medicine(Record, noun="medicine", label="{name}", listing="{name} ({kind}, {price} for thirty days)"):
    """A medicine in one strength."""

    id: MedicineId
    """Identifier of the medicine."""
    name: MedicineName
    ingredient: Ingredient
    strength: str
    """How much of the ingredient there is in one dose."""
    kind: Kind
    use: Use
    price: Annotated[Money, Ranked("cheapest", "most expensive")]
    """Price of a pack, which lasts 30 days, in US dollars."""
    allergens: tuple[Allergen, ...] = ()
    """Groups that it belongs to."""
    interacts: tuple[Ingredient, ...] = ()
    """Ingredients that it must not be taken with."""
    controlled: bool = False
    """Whether it is a controlled medicine."""
    cold: bool = False
    """Whether it is kept cold on its way."""


class ShelfStock(Record, noun="stock", label="{medicine} at the {pharmacy}", listing="{packs} at the {pharmacy}"):
    """What a pharmacy has of a medicine."""

    id: str
    """Identifier of the stock."""
    pharmacy_id: str
    """Identifier of the pharmacy where it is."""
    pharmacy: PharmacyName
    medicine_id: str
    """Identifier of what it is."""
    medicine: MedicineName
    packs: Packs
    """Packs that are not set aside for an order."""


class Prescription(
    Record,
    noun="prescription",
    label="{prescribed} for {called}[ from {prescriber}]",
    listing="{prescribed} of {patient} (as {kind}, lasts until {supply_until}, {refills_left} left until {expires_on})",
):
    """What a prescriber allows a patient to get: so many days' supply, so many times, until a day."""

    id: PrescriptionId
    """Identifier of the prescription."""
    account_id: AccountId
    """Account that it is on."""
    patient_id: PatientId
    """For whom it is."""
    patient: PersonName
    called: Called
    medicine_id: MedicineId
    """Medicine that the next refill gives."""
    medicine: MedicineName
    kind: Kind
    prescribed: MedicineName
    prescribed_kind: Kind
    ingredient: Ingredient
    strength: str
    """How much of the ingredient there is in one dose."""
    substitution: bool
    """Whether the prescriber allows the generic instead."""
    controlled: bool
    """Whether it is a controlled medicine."""
    prescriber: Annotated[str, Value("doctor_name", "Name of a doctor.")]
    pharmacy_id: PharmacyId
    """Pharmacy that keeps it and fills its refills."""
    pharmacy: PharmacyName
    city: City
    days: Days
    """How long one refill lasts."""
    price: Annotated[Money, Ranked("cheapest", "most expensive")]
    """Full price of one refill, in US dollars."""
    refills_left: Annotated[Count, Unit("refill")]
    """How many more times it can be filled."""
    written_on: dt.date
    """Day on which it was written."""
    expires_on: dt.date
    """Last day on which it can be filled."""
    supply_until: LastDay
    """Day until which the patient has enough, with what is on order; the day of writing if it was never filled."""
    refill_from: dt.date
    """First day on which it can be refilled."""
    on_order: bool = False
    """Whether an order of it was not handed over yet."""
    automatic: bool = False
    """Whether it is refilled by itself."""
    transferred: bool = False
    """Whether it was transferred from another pharmacy, which is possible once."""
    refill_on: dt.date | None = None
    """Day of the next automatic refill."""
    renewal_asked_on: dt.date | None = None
    """Day on which the prescriber was asked for a new one."""
    renewal_note: RenewalNote | None = None
    """What the prescriber was told with that."""


class RefillOrder(
    Record,
    noun="refill order",
    label="the order of {medicine} for {called}[ placed on {placed_on}]",
    listing="{medicine} of {patient} from the {pharmacy} ({status}, {due})",
):
    """A refill that was ordered, until it is handed over."""

    id: OrderId
    """Identifier of the order."""
    account_id: AccountId
    """Account that pays for it."""
    prescription_id: str
    """Identifier of the prescription that it refills."""
    patient_id: PatientId
    """For whom it is."""
    patient: PersonName
    called: Called
    medicine_id: MedicineId
    """What was ordered."""
    medicine: MedicineName
    kind: Kind
    controlled: bool
    """Whether it is a controlled medicine."""
    pharmacy_id: PharmacyId
    """Pharmacy that fills it."""
    pharmacy: PharmacyName
    city: City
    days: Days
    """How long it lasts."""
    packs: Packs
    """How many packs that are."""
    price: Money
    """Full price of the medicine, in US dollars."""
    fee: Money = 0.0
    """Fee for delivery, in US dollars."""
    due: AmountDue
    """What the account holder pays, fee included: as the plan stands, or what was paid; nothing once cancelled."""
    place: Place = "the_pharmacy"
    placed_on: Annotated[dt.date, Ranked("earliest", "latest")]
    """Day of the order."""
    status: OrderStatus
    paid: bool = False
    """Whether it was paid, which is final."""
    supply_before: dt.date
    """Day until which the patient had enough without it."""
    ready_on: dt.date | None = None
    """Day from which it can be handed over; none while it waits for the medicine."""
    paid_with: Method | None = None
    """With what it was paid."""


class PharmacyPage(Page):
    """A page of pharmacies."""

    pharmacies: tuple[ChainPharmacy, ...]
    """The pharmacies on this page."""
    stock: tuple[ShelfStock, ...]
    """What all that were found have of the medicine that was asked for."""


class MedicinePage(Page):
    """A page of medicines."""

    medicines: tuple[Medicine, ...]
    """The medicines on this page."""


class FamilyPage(Page):
    """A page of patients, with how the plan of their account stands."""

    patients: tuple[CarePatient, ...]
    """The patients on this page."""
    deductible_left: Money
    """What still has to be paid in full, in US dollars, before the plan begins to pay."""
    health_account: Money
    """What is saved for health costs, in US dollars."""


class PrescriptionPage(Page):
    """A page of prescriptions."""

    prescriptions: tuple[Prescription, ...]
    """The prescriptions on this page."""


class OrderPage(Page):
    """A page of refill orders."""

    orders: tuple[RefillOrder, ...]
    """The orders on this page."""


class Payment(Output):
    """An order that was paid, and what is left for the next."""

    order_id: OrderId
    """What was paid."""
    medicine: MedicineName
    amount: Money
    """What was paid, in US dollars."""
    plan_pays: Money
    """What the plan pays of it, in US dollars."""
    method: Method
    deductible_left: Money
    """What still has to be paid in full, in US dollars, before the plan begins to pay."""
    health_account: Money
    """What is saved for health costs now, in US dollars."""


class KindSwitched(Output):
    """What the next refill gives, and what that changes."""

    prescription_id: PrescriptionId
    """What was switched."""
    patient: PersonName
    medicine: MedicineName
    instead_of: MedicineName
    price: Money
    """Full price of one refill from now on, in US dollars."""
    price_before: Money
    """Full price of one refill up to now, in US dollars."""


class RenewalAsked(Output):
    """What a prescriber was asked."""

    prescription_id: PrescriptionId
    """What is to be renewed."""
    patient: PersonName
    medicine: MedicineName
    prescriber: Annotated[str, Value("doctor_name", "Name of a doctor.")]
    answer_by: dt.date
    """Day by which the prescriber answers."""
    note: RenewalNote | None = None
    """What the prescriber was told."""


class RefillPlan(Output):
    """Refills of a patient that come on one day."""

    patient_id: PatientId
    """Whose refills they are."""
    name: PersonName
    day: dt.date
    """Day of all these refills."""
    together: tuple[MedicineName, ...]
    """Medicines that come on that day."""
    left_out: tuple[MedicineName, ...]
    """Medicines that cannot be refilled then."""
    short: tuple[MedicineName, ...]
    """Medicines of those that come, whose supply ends before that day."""


class AllergyNoted(Output):
    """What follows from a new allergy."""

    patient_id: PatientId
    """Who is allergic."""
    name: PersonName
    allergen: Allergen
    blocked: tuple[MedicineName, ...]
    """Medicines of the patient that are not refilled any more."""
    cancelled: tuple[MedicineName, ...]
    """Medicines whose orders are cancelled."""
    beware: tuple[MedicineName, ...]
    """Medicines that are paid or ready already and must not be taken; the pharmacist sees to those."""
