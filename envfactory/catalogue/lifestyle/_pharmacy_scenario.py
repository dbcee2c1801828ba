"""The pharmacies of a scenario: a family with prescriptions in every condition, and orders at every step."""

import datetime as dt
from typing import Any, Literal, NamedTuple

from envfactory.catalogue.lifestyle import _pharmacy_records as rec
from envfactory.catalogue.lifestyle import _pharmacy_rules as rules
from envfactory.environment import World, by_id, cents, days_after
from envfactory.environment.world import STREETS

_Step = Literal[
    "due", "unfilled", "early", "used_up", "expired", "lapsed", "expiring", "automatic", "renewing",
    "waiting", "being_prepared", "paid", "ready", "ready_paid",
]  # fmt: skip
"""Where a prescription stands, with the order of it that there is."""
_ORDERED = ("waiting", "being_prepared", "paid", "ready", "ready_paid")
_Wish = Literal["generic", "brand", "only", "switched"]
"""What was prescribed: only: a brand without substitution; switched: a brand, and the generic is given."""


class _Kind(NamedTuple):
    """An ingredient in the strength that the chain has."""

    ingredient: str
    strength: str
    use: rec.Use
    price: float
    brand: tuple[str, float] | None
    allergens: tuple[rec.Allergen, ...] = ()
    traits: str = ""


_KINDS = (
    _Kind("Lisinopril", "10 mg", "high_blood_pressure", 9.5, ("Presalor", 38.0)),
    _Kind("Amlodipine", "5 mg", "high_blood_pressure", 8.0, ("Amlodura", 34.0)),
    _Kind("Losartan", "50 mg", "high_blood_pressure", 11.0, ("Cozavel", 42.0)),
    _Kind("Spironolactone", "25 mg", "high_blood_pressure", 10.5, None),
    _Kind("Metformin", "500 mg", "diabetes", 7.0, ("Glucaviva", 29.0)),
    _Kind("Insulin glargine", "100 units/ml", "diabetes", 62.0, ("Basalora", 98.0), (), "cold"),
    _Kind("Liraglutide", "6 mg/ml", "diabetes", 140.0, None, (), "cold"),
    _Kind("Atorvastatin", "20 mg", "high_cholesterol", 12.0, ("Liparion", 52.0), ("statins",)),
    _Kind("Simvastatin", "40 mg", "high_cholesterol", 9.0, ("Simvexa", 40.0), ("statins",)),
    _Kind("Ezetimibe", "10 mg", "high_cholesterol", 16.0, ("Zetilor", 47.0)),
    _Kind("Warfarin", "5 mg", "blood_clots", 8.5, None),
    _Kind("Apixaban", "5 mg", "blood_clots", 45.0, ("Clotavia", 120.0)),
    _Kind("Salbutamol", "100 mcg", "asthma", 14.0, ("Airlight", 36.0)),
    _Kind("Fluticasone", "50 mcg", "asthma", 24.0, ("Breathena", 58.0)),
    _Kind("Montelukast", "10 mg", "asthma", 13.0, ("Montavia", 44.0)),
    _Kind("Omeprazole", "20 mg", "heartburn", 8.0, ("Gastrelo", 31.0)),
    _Kind("Pantoprazole", "40 mg", "heartburn", 9.0, None),
    _Kind("Sertraline", "50 mg", "depression", 10.0, ("Serelia", 46.0)),
    _Kind("Zolpidem", "10 mg", "sleeplessness", 12.0, ("Somnatil", 39.0), (), "controlled"),
    _Kind("Tramadol", "50 mg", "pain", 14.0, None, ("opioids",), "controlled"),
    _Kind("Pregabalin", "75 mg", "pain", 19.0, ("Pregalia", 55.0), (), "controlled"),
    _Kind("Ibuprofen", "600 mg", "pain", 8.0, ("Ibusana", 22.0), ("nonsteroidal_painkillers",)),
    _Kind("Naproxen", "500 mg", "pain", 9.5, None, ("nonsteroidal_painkillers",)),
    _Kind("Amoxicillin", "500 mg", "infections", 11.0, None, ("penicillins",)),
    _Kind("Clarithromycin", "500 mg", "infections", 17.0, None, ("macrolides",)),
    _Kind("Sulfadiazine", "500 mg", "infections", 13.0, None, ("sulfonamides",)),
    _Kind("Cetirizine", "10 mg", "hay_fever", 7.0, ("Histaluna", 19.0)),
    _Kind("Sumatriptan", "50 mg", "migraine", 18.0, ("Migralight", 61.0)),
    _Kind("Propranolol", "40 mg", "migraine", 9.0, None),
)
_PAIRS = (
    ("Warfarin", "Ibuprofen"), ("Warfarin", "Naproxen"), ("Apixaban", "Naproxen"), ("Simvastatin", "Clarithromycin"),
    ("Sertraline", "Tramadol"), ("Lisinopril", "Spironolactone"), ("Salbutamol", "Propranolol"),
    ("Zolpidem", "Pregabalin"),
)  # fmt: skip
"""What must not be taken together."""
_FAMILY: tuple[tuple[tuple[str, ...], str, int, tuple[rec.Allergen, ...]], ...] = (
    ((), "", 44, ("penicillins",)),
    (("Robin", "Alex", "Sam", "Charlie"), "partner", 42, ("macrolides",)),
    (("Ruth", "Clara", "Irene", "Helen"), "mother", 71, ("nonsteroidal_painkillers", "sulfonamides")),
    (("Walter", "Henry", "Oscar", "Arthur"), "father", 74, ()),
    (("Mia", "Nora", "Lily", "Emma"), "daughter", 17, ("opioids",)),
)
"""Who is on the user's account: names, kinship, age, allergies."""
_PLAN: tuple[tuple[int, str, _Wish, _Step], ...] = (
    (0, "Lisinopril", "brand", "due"), (0, "Atorvastatin", "brand", "due"), (0, "Omeprazole", "generic", "automatic"),
    (0, "Cetirizine", "switched", "early"), (0, "Sumatriptan", "brand", "waiting"),
    (0, "Zolpidem", "generic", "due"), (0, "Ezetimibe", "generic", "used_up"),
    (0, "Montelukast", "generic", "being_prepared"), (0, "Amoxicillin", "generic", "unfilled"),
    (0, "Fluticasone", "brand", "ready"),
    (1, "Sertraline", "only", "due"), (1, "Losartan", "brand", "automatic"), (1, "Cetirizine", "generic", "waiting"),
    (1, "Fluticasone", "brand", "being_prepared"), (1, "Pantoprazole", "generic", "due"),
    (1, "Ibuprofen", "generic", "early"), (1, "Sumatriptan", "switched", "ready"),
    (1, "Metformin", "generic", "used_up"), (1, "Pregabalin", "generic", "ready"),
    (1, "Montelukast", "generic", "used_up"),
    (2, "Warfarin", "generic", "automatic"), (2, "Amlodipine", "brand", "being_prepared"),
    (2, "Insulin glargine", "brand", "due"), (2, "Atorvastatin", "switched", "due"),
    (2, "Omeprazole", "brand", "waiting"), (2, "Salbutamol", "generic", "ready_paid"),
    (2, "Cetirizine", "brand", "due"), (2, "Ezetimibe", "brand", "automatic"),
    (2, "Losartan", "generic", "expiring"), (2, "Tramadol", "generic", "early"),
    (2, "Montelukast", "generic", "being_prepared"),
    (2, "Pantoprazole", "generic", "used_up"),
    (3, "Simvastatin", "brand", "automatic"), (3, "Lisinopril", "generic", "being_prepared"),
    (3, "Apixaban", "brand", "early"), (3, "Naproxen", "generic", "unfilled"), (3, "Metformin", "brand", "waiting"),
    (3, "Pantoprazole", "generic", "renewing"), (3, "Liraglutide", "generic", "ready"),
    (3, "Amlodipine", "generic", "due"), (3, "Cetirizine", "brand", "used_up"),
    (3, "Ezetimibe", "brand", "due"), (3, "Amlodipine", "brand", "early"), (3, "Zolpidem", "brand", "paid"),
    (3, "Montelukast", "generic", "lapsed"),
    (4, "Fluticasone", "generic", "due"), (4, "Salbutamol", "brand", "automatic"),
    (4, "Montelukast", "brand", "ready"), (4, "Cetirizine", "only", "used_up"),
    (4, "Omeprazole", "generic", "expired"), (4, "Sulfadiazine", "generic", "waiting"),
)  # fmt: skip
"""Whose prescription it is, of what, and where it stands: an allergy, medicines that clash and one that a patient has
from two prescriptions are among them."""
_SPANS: dict[_Step, tuple[int, int]] = {
    "due": (-3, 5), "early": (12, 20), "used_up": (2, 9), "expired": (-40, -10), "lapsed": (-300, -220),
    "expiring": (1, 6), "automatic": (8, 20), "renewing": (-2, 5), "waiting": (1, 4), "being_prepared": (0, 5),
    "paid": (0, 2), "ready": (-1, 3), "ready_paid": (-1, 3),
}  # fmt: skip
"""In how many days the supply ends, without what is on order."""
_OTHERS: tuple[tuple[str, _Step], ...] = (("Metformin", "due"), ("Losartan", "waiting"), ("Fluticasone", "early"))
"""What somebody else has."""
_DEDUCTIBLE = 60.0


def chain(world: World, size: int) -> dict[str, Any]:
    """Draw the fields of the state, about `size` records and two hundred more."""
    it = _Chain(world)
    it.account(world.user.name, world.user.email)
    for n, place in enumerate((0, 0, 0, 0, 0, 1, 1, 2, 2, *(3 + n % 5 for n in range(size // 20)))):
        it.pharmacy(n, world.cities[place % 8][0])
    for kind in _KINDS:
        it.kind(kind)
    it.shelve()
    mine = it.accounts[0]
    family = [it.member(mine, *each) for each in _FAMILY]
    for who, ingredient, wish, step in _PLAN:
        it.prescribe(family[who], ingredient, wish, step)
    for other in world.people(2 + size // 20):
        account = it.account(other.name, other.email)
        patient = it.member(account, (), "", 50, ())
        for ingredient, step in _OTHERS:
            it.prescribe(patient, ingredient, "generic", step)
    return {
        "now": world.now, "account_id": mine.id, "accounts": by_id(it.accounts), "patients": by_id(it.patients),
        "pharmacies": by_id(it.pharmacies), "medicines": by_id(it.medicines.values()),
        "stock": by_id(it.stock.values()), "prescriptions": by_id(it.prescriptions), "orders": by_id(it.orders),
    }  # fmt: skip


class _Chain:
    """What there is, as it is added."""

    def __init__(self, world: World) -> None:
        self.world, self.today = world, world.today
        self.accounts: list[rec.PharmacyAccount] = []
        self.patients: list[rec.CarePatient] = []
        self.pharmacies: list[rec.ChainPharmacy] = []
        self.medicines: dict[tuple[str, rec.Kind], rec.Medicine] = {}
        self.stock: dict[tuple[str, str], rec.ShelfStock] = {}
        self.prescriptions: list[rec.Prescription] = []
        self.orders: list[rec.RefillOrder] = []
        self.prescribers = [f"Dr. {person.name}" for person in world.people(9)]
        self.streets = world.sample(STREETS, len(STREETS))

    def account(self, name: str, email: str) -> rec.PharmacyAccount:
        """Add an account, in the first of the cities."""
        new = rec.PharmacyAccount(
            id=f"PA-{11 + len(self.accounts)}", name=name, email=email, city=self.world.cities[0][0],
            home=self.world.address(), work=self.world.address(), deductible_left=_DEDUCTIBLE, health_account=120.0,
        )  # fmt: skip
        self.accounts.append(new)
        return new

    def member(
        self, account: rec.PharmacyAccount, names: tuple[str, ...], kinship: str, age: int,
        allergies: tuple[rec.Allergen, ...],
    ) -> rec.CarePatient:  # fmt: skip
        """Add somebody on an account: the holder, or a relative."""
        first, last = account.name.split(" ", 1)
        name = self.world.choice([each for each in names if each != first]) if kinship else first
        new = rec.CarePatient(
            id=f"PT-{101 + len(self.patients)}", account_id=account.id, name=f"{name} {last}",
            called=f"my {kinship} {name}" if kinship else "myself", allergies=allergies,
            born_on=days_after(self.today, -365 * age - self.world.integer(30, 300)),
        )  # fmt: skip
        self.patients.append(new)
        return new

    def pharmacy(self, place: int, city: str) -> None:
        """Add a pharmacy; those that deliver and those that do not take turns."""
        services: tuple[rec.Service, ...] = ("drive_through",) if place % 2 else ("vaccinations",)
        if place % 4 != 2:
            services = ("delivery", "cold_storage", *services)
        street = self.streets[place % len(self.streets)]
        self.pharmacies.append(
            rec.ChainPharmacy(
                id=f"PH-{21 + place}", name=f"{street} Pharmacy", city=city,
                address=f"{self.world.integer(1, 90)} {street}", opens=dt.time(7 + place % 3, 30),
                closes=dt.time(18 + place % 4), sundays=place % 3 == 0, services=services,
            )
        )  # fmt: skip

    def kind(self, kind: _Kind) -> None:
        """Add an ingredient: the generic, and the brand if there is one."""
        clashing = tuple(a if b == kind.ingredient else b for a, b in _PAIRS if kind.ingredient in (a, b))
        makes: list[tuple[rec.Kind, str, float]] = [("generic", kind.ingredient, kind.price)]
        if kind.brand:
            makes.append(("brand", *kind.brand))
        for make, name, price in makes:
            self.medicines[kind.ingredient, make] = rec.Medicine(
                id=f"MD-{301 + len(self.medicines)}", name=f"{name} {kind.strength}", ingredient=kind.ingredient,
                strength=kind.strength, kind=make, use=kind.use, price=price, allergens=kind.allergens,
                interacts=clashing, controlled=kind.traits == "controlled", cold=kind.traits == "cold",
            )  # fmt: skip

    def shelve(self) -> None:
        """Stock every pharmacy, with gaps: what is kept cold only where that is possible."""
        for pharmacy in self.pharmacies:
            for medicine in self.medicines.values():
                if not medicine.cold or "cold_storage" in pharmacy.services:
                    packs = 0 if self.world.chance(0.06) else self.world.integer(4, 24)
                    self.put(pharmacy, medicine, packs)

    def put(self, pharmacy: rec.ChainPharmacy, medicine: rec.Medicine, packs: int) -> None:
        """Have a pharmacy keep so many packs of a medicine."""
        old = self.stock.get((pharmacy.id, medicine.id))
        self.stock[pharmacy.id, medicine.id] = rec.ShelfStock(
            id=old.id if old else f"ST-{1001 + len(self.stock)}", pharmacy_id=pharmacy.id, pharmacy=pharmacy.name,
            medicine_id=medicine.id, medicine=medicine.name, packs=packs,
        )  # fmt: skip

    def prescribe(self, who: rec.CarePatient, ingredient: str, wish: _Wish, step: _Step) -> None:
        """Add a prescription that stands like this, with the orders of it."""
        n, world = len(self.prescriptions), self.world
        written = self.medicines[ingredient, "generic" if wish == "generic" else "brand"]
        given = self.medicines[ingredient, "generic"] if wish == "switched" else written
        pharmacy = self.pharmacies[(0, 1, 3, 0, 1, 2)[n % 6]]
        if written.cold and "cold_storage" not in pharmacy.services:
            pharmacy = self.pharmacies[0]
        long = n % 5 == 2 and not written.controlled and step not in ("early", "automatic")
        days, fresh = 90 if long else 30, step == "unfilled"
        ago = world.integer(3, 5) if step.startswith("ready") else 0
        supply = days_after(self.today, world.integer(*_SPANS.get(step, (0, 0))))
        if step in ("due", *_ORDERED):
            spare = rules.spare(days, controlled=written.controlled)
            supply = min(supply, days_after(self.today, spare - ago))
        written_on = days_after(self.today, -world.integer(3, 9)) if fresh else days_after(supply, -2 * days)
        expires = days_after(written_on, 360)
        if step in ("expired", "lapsed"):
            written_on, expires = days_after(supply, -355), days_after(supply, world.integer(4, 8))
        if step == "expiring":
            written_on, expires = days_after(self.today, -340), days_after(self.today, 20)
        left = 0 if step in ("used_up", "renewing") else world.choice((1, 1, 2, 3))
        row = rec.Prescription(
            id=f"RX-{5001 + n}", account_id=who.account_id, patient_id=who.id, patient=who.name,
            called=who.called, medicine_id=given.id, medicine=given.name,
            kind=given.kind, prescribed=written.name, prescribed_kind=written.kind, ingredient=ingredient,
            strength=written.strength, substitution=wish != "only", controlled=written.controlled,
            prescriber=self.prescribers[n % len(self.prescribers)], pharmacy_id=pharmacy.id, pharmacy=pharmacy.name,
            city=pharmacy.city,
            days=days, price=cents(given.price * days / rules.PACK_DAYS),
            refills_left=left + (step in _ORDERED), written_on=written_on, expires_on=expires,
            supply_until=written_on, refill_from=written_on, transferred=n % 7 == 3,
        )  # fmt: skip
        if step == "renewing":
            row = row.evolve(renewal_asked_on=days_after(self.today, -2))
        if not fresh:
            self.past(row, pharmacy, supply)
            row = rules.with_supply(row, supply)
        if step == "automatic":
            row = row.evolve(automatic=True, refill_on=max(row.refill_from, days_after(self.today, 1)))
        if step in _ORDERED:
            row = self.order(row, pharmacy, step, days_after(self.today, -ago))
        self.prescriptions.append(row)

    def past(self, row: rec.Prescription, pharmacy: rec.ChainPharmacy, supply: dt.date) -> None:
        """Add the order that the present supply came from; the deductible paid none of it by then."""
        begun = days_after(supply, -row.days)
        order = rules.ordered(f"RO-{101 + len(self.orders)}", row, self.accounts[0], days_after(begun, -2))
        done = rules.begun(order, pharmacy, order.placed_on)
        method: rec.Method = "card" if len(self.orders) % 3 else "health_account"
        self.orders.append(
            done.evolve(status="handed_over", due=row.price, paid=True, paid_with=method, supply_before=begun)
        )

    def order(self, row: rec.Prescription, pharmacy: rec.ChainPharmacy, step: _Step, day: dt.date) -> rec.Prescription:
        """Add an order of a day that stands like this, and give the prescription as it is with it."""
        account = next(each for each in self.accounts if each.id == row.account_id)
        order = rules.ordered(f"RO-{101 + len(self.orders)}", row, account, day)
        medicine = next(each for each in self.medicines.values() if each.id == row.medicine_id)
        if step == "waiting":
            self.put(pharmacy, medicine, 0)
        else:
            order = rules.begun(order, pharmacy, day)
        if step.startswith("ready"):
            order = order.evolve(status="ready")
        if len(self.orders) % 3 == 0 and not row.controlled and "delivery" in pharmacy.services:
            order = rules.handed_over_at(order, "home", cold=medicine.cold)
        if step.endswith("paid"):
            order = order.evolve(paid=True, paid_with="card", due=cents(row.price + order.fee))
        self.orders.append(order)
        return rules.taken_out(row, day)
