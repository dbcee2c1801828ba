"""The claims desk of a scenario: policies of this year and the last, the user's claims at every step, visits."""

import datetime as dt
from typing import Any, NamedTuple

from envfactory.catalogue.finance import _claims_rules as rules
from envfactory.catalogue.finance._claims_records import (
    AdjusterSlot,
    Contention,
    Document,
    InsuranceClaim,
    InsuranceCover,
    InsurancePolicy,
    Line,
    PayoutAccount,
    Peril,
    PolicyHolder,
    Status,
)
from envfactory.environment import World, by_id, cents, is_workday, workday


class _Terms(NamedTuple):
    """What covers of one peril have in common."""

    sums: tuple[int, ...]
    deductible: float
    waiting: int
    """Days of the period before it pays."""
    report_days: int
    documents: tuple[Document, ...]
    inspected: bool = False


_PERILS: dict[Line, dict[Peril, _Terms]] = {
    "home": {
        "water_damage": _Terms((20000, 40000), 300, 0, 30, ("photos", "repair_estimate"), True),
        "burglary": _Terms((10000, 15000), 250, 0, 14, ("police_report", "receipts"), True),
        "fire": _Terms((60000, 90000), 500, 0, 30, ("photos", "repair_estimate"), True),
        "storm": _Terms((20000, 30000), 400, 0, 21, ("photos", "repair_estimate"), True),
        "broken_glass": _Terms((2000, 3000), 100, 0, 30, ("photos",)),
        "bicycle_theft": _Terms((2500, 4000), 150, 30, 14, ("police_report", "receipts")),
    },
    "car": {
        "collision": _Terms((25000, 35000), 500, 0, 14, ("photos", "police_report", "repair_estimate"), True),
        "hail": _Terms((8000, 12000), 300, 0, 30, ("photos", "repair_estimate"), True),
        "windscreen": _Terms((1500, 2000), 150, 0, 60, ("repair_estimate",)),
        "car_theft": _Terms((20000, 30000), 500, 0, 10, ("police_report",)),
    },
    "travel": {
        "trip_cancellation": _Terms((4000, 6000), 100, 14, 30, ("booking_confirmation", "medical_report")),
        "lost_baggage": _Terms((2000, 3000), 75, 0, 10, ("airline_report", "receipts")),
        "illness_abroad": _Terms((30000, 50000), 100, 0, 60, ("medical_report", "receipts")),
    },
    "pet": {
        "vet_treatment": _Terms((3000, 5000), 120, 30, 45, ("vet_invoice",)),
        "surgery": _Terms((6000, 9000), 250, 90, 45, ("vet_invoice", "medical_report")),
    },
}
_CARS = (
    "the Skoda Octavia", "the Toyota Yaris", "the Volkswagen Golf", "the Renault Clio", "the Volvo V60", "the Kia Ceed",
)  # fmt: skip
_PETS = ("Bella the dog", "Milo the cat", "Rocky the dog", "Luna the cat", "Oscar the dog", "Nala the cat")
_BANKS = ("Harbour Bank", "Linden Savings Bank", "Northside Credit Union", "Mill Trust Bank", "Bridge Street Bank")
_HOURS = (9, 11, 14, 16)
_BOOKED_HOURS = (8, 10, 12, 15, 17)
"""When the user is visited: one hour a claim, so that no two fall together whatever weekday it is today."""
_MINE: tuple[tuple[Line, int, int], ...] = (
    ("home", -200, 164), ("home", -90, 274), ("car", -120, 244), ("car", -700, -336), ("travel", -150, 214),
    ("pet", -170, 194), ("pet", -50, 314),
)  # fmt: skip
"""The user's policies with their first and last days from today; the fourth is over.

The surgery cover of the last is still in its waiting period."""


class _Kind(NamedTuple):
    """One of the user's claims: with which policy, after what, how long ago, and where it stands."""

    policy: int
    peril: Peril
    amount: float
    days: int
    """How many days ago it happened."""
    status: Status
    lacks: int = 0
    """How many of its documents are missing."""
    visit: int = 0
    """In how many days an adjuster comes; negative if one was there, 0 if no visit is booked."""
    share: float = 1.0
    """How much of what could be paid is offered."""
    left: int = 0
    """In how many days the offer ends; negative if it is over."""
    because: Contention | None = None
    old: int = 2
    """How many days it took to file it."""


_CLAIMS = (
    _Kind(0, "water_damage", 3200, 9, "incomplete", lacks=2),
    _Kind(1, "burglary", 2400, 12, "incomplete", lacks=1, visit=4),
    _Kind(4, "lost_baggage", 850, 8, "incomplete", lacks=1),
    _Kind(1, "storm", 1900, 16, "incomplete"),
    _Kind(2, "windscreen", 480, 10, "ready"),
    _Kind(2, "collision", 4100, 13, "ready", visit=3),
    _Kind(2, "hail", 1200, 47, "ready", old=5),
    _Kind(1, "broken_glass", 520, 9, "ready"),
    _Kind(5, "surgery", 2600, 11, "ready"),
    _Kind(0, "storm", 2750, 19, "in_review", visit=6),
    _Kind(5, "vet_treatment", 900, 15, "in_review"),
    _Kind(0, "fire", 8300, 38, "offered", visit=-20, share=0.7, left=8),
    _Kind(1, "broken_glass", 340, 24, "offered", left=5),
    _Kind(2, "collision", 2300, 52, "offered", visit=-30, share=0.8, left=3),
    _Kind(4, "illness_abroad", 5400, 33, "offered", share=0.65, left=11),
    _Kind(0, "bicycle_theft", 1700, 58, "offered", share=0.75, left=-6),
    _Kind(4, "trip_cancellation", 2100, 44, "disputed", share=0.6, left=4, because="something_was_left_out"),
    _Kind(6, "vet_treatment", 780, 17, "incomplete", lacks=1),
    _Kind(5, "vet_treatment", 1450, 95, "paid"),
    _Kind(1, "broken_glass", 1250, 70, "paid"),
    _Kind(3, "windscreen", 2200, 400, "paid"),
    _Kind(2, "hail", 1350, 80, "declined"),
    _Kind(4, "lost_baggage", 600, 66, "withdrawn"),
    _Kind(0, "broken_glass", 5200, 110, "paid"),
)
"""The seventh was not submitted in time; the last used up its cover."""


def claims_desk(world: World, size: int) -> dict[str, Any]:
    """Draw the fields of the state, about `size` records and a hundred more."""
    people = [world.user, *world.people(max(4, size // 10))]
    holders = [PolicyHolder(id=f"PH-{11 + n}", name=p.name, email=p.email) for n, p in enumerate(people)]
    desk = _Desk(world)
    desk.accounts += [
        PayoutAccount(
            id=f"PA-{701 + n}", holder_id=holders[max(0, n - 3)].id, bank=bank, verified=n != 2,
            last_four=f"{world.integer(0, 9999):04d}",
        )
        for n, bank in enumerate([*world.sample(_BANKS, 4), *(world.choice(_BANKS) for _ in holders[1:])])
    ]  # fmt: skip
    for line, first, last in _MINE:
        desk.insure(holders[0], line, first, last)
    for n, holder in enumerate(holders[1:]):
        for line in world.sample(tuple(_PERILS), 1 + n % 2):
            first = -world.integer(60, 300)
            desk.insure(holder, line, first, first + 364)
    desk.visits()
    for kind in _CLAIMS:
        desk.claim(desk.policies[kind.policy], kind)
    for n, policy in enumerate(desk.policies[len(_MINE) :]):
        perils: list[Peril] = [peril for peril, terms in _PERILS[policy.line].items() if terms.waiting < 35]
        status: Status = ("in_review", "paid", "incomplete", "offered")[n % 4]
        amount, days = world.money(11, 14) * 100, world.integer(9, 25)
        lacks, left = int(status == "incomplete"), max(3, 16 - days)
        desk.claim(policy, _Kind(0, world.choice(perils), amount, days, status, lacks, left=left))
    return {
        "now": world.now,
        "holder_id": holders[0].id,
        "holders": by_id(holders),
        "policies": by_id(desk.policies),
        "covers": by_id(desk.covers),
        "claims": by_id(desk.claims),
        "slots": by_id(desk.slots),
        "accounts": by_id(desk.accounts),
    }


class _Desk:
    """Policies, covers, visits and claims as they are added."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.policies: list[InsurancePolicy] = []
        self.covers: list[InsuranceCover] = []
        self.claims: list[InsuranceClaim] = []
        self.slots: list[AdjusterSlot] = []
        self.accounts: list[PayoutAccount] = []

    def insure(self, holder: PolicyHolder, line: Line, first: int, last: int) -> None:
        """Add a policy with its covers."""
        world, n = self.world, len(self.policies)
        since = world.today + dt.timedelta(days=first)
        mine = [p for p in self.policies if p.holder_id == holder.id]
        policy = InsurancePolicy(
            id=f"IP-{101 + n}", holder_id=holder.id, line=line, since=since, premium=world.money(12, 90) * 10,
            insured=self._thing(line), city=mine[0].city if mine else world.city()[0],
            until=world.today + dt.timedelta(days=last),
        )  # fmt: skip
        self.policies.append(policy)
        for peril, terms in _PERILS[line].items():
            total = float(world.choice(terms.sums))
            self.covers.append(
                InsuranceCover(
                    id=f"IC-{201 + len(self.covers)}", policy_id=policy.id, holder_id=holder.id, line=line,
                    insured=policy.insured, peril=peril, covered_from=since + dt.timedelta(days=terms.waiting),
                    covered_until=policy.until, sum_insured=total, left=total, deductible=terms.deductible,
                    report_days=terms.report_days, documents=terms.documents, inspected=terms.inspected,
                )
            )  # fmt: skip

    def _thing(self, line: Line) -> str:
        """What is insured, other than what is already."""
        taken = [policy.insured for policy in self.policies]
        if line == "home":
            return self.world.address()
        things = {"car": _CARS, "travel": ("trips in Europe", "trips worldwide"), "pet": _PETS}[line]
        return self.world.choice([thing for thing in things if thing not in taken] or things)

    def visits(self) -> None:
        """Add visits in every city where something is insured that is inspected."""
        world = self.world
        seen: tuple[Line, ...] = ("home", "car")
        places: dict[tuple[Line, str], None] = dict.fromkeys(
            (line, p.city) for p in self.policies for line in seen if line == p.line
        )
        for n, (line, city) in enumerate(places):
            adjuster = world.person().name
            for ahead in range(1, 13 if n < 2 else 5):
                day = world.today + dt.timedelta(days=ahead)
                for hour in world.sample(_HOURS, 2) if is_workday(day) else ():
                    self._slot(adjuster, line, city, dt.datetime.combine(day, dt.time(hour)), free=world.chance(0.75))

    def _slot(self, adjuster: str, line: Line, city: str, starts: dt.datetime, *, free: bool) -> AdjusterSlot:
        slot = AdjusterSlot(
            id=f"AV-{401 + len(self.slots)}", adjuster=adjuster, line=line, city=city, starts=starts,
            status="free" if free else "taken",
        )  # fmt: skip
        self.slots.append(slot)
        return slot

    def claim(self, policy: InsurancePolicy, kind: _Kind) -> None:
        """Add a claim; what it has follows from where it stands."""
        place = next(n for n, c in enumerate(self.covers) if (c.policy_id, c.peril) == (policy.id, kind.peril))
        cover, today = self.covers[place], self.world.today
        happened = today - dt.timedelta(days=kind.days)
        filed = happened + dt.timedelta(days=kind.old)
        number = f"CL-{501 + len(self.claims)}"
        claim = rules.filed(number, cover, policy.city, happened, kind.amount, filed, self.claims)
        has = len(claim.missing) - kind.lacks
        claim = claim.evolve(documents=claim.missing[:has], missing=claim.missing[has:])
        if kind.visit:
            claim = self._visited(claim, kind.visit)
        claim = rules.checked(claim).evolve(status=kind.status)
        pays = cents(rules.payable(cover, kind.amount) * kind.share)
        closed = filed + dt.timedelta(days=5)
        if kind.status in ("offered", "disputed"):
            claim = claim.evolve(
                offer=pays, offer_until=today + dt.timedelta(days=kind.left), disputed_because=kind.because,
                disputable=kind.share < 1 and kind.status == "offered",
            )  # fmt: skip
        if kind.because:
            claim = claim.evolve(answer_by=today + dt.timedelta(days=rules.ANSWER_DAYS[kind.because] - 2))
        if kind.status == "paid":
            self.covers[place] = cover.evolve(left=cents(cover.left - pays))
            claim = claim.evolve(
                offer=pays, offer_until=closed + dt.timedelta(days=9), paid=pays, closed_on=closed,
                paid_to=next(a.bank for a in self.accounts if a.holder_id == policy.holder_id),
            )  # fmt: skip
        if kind.status in ("declined", "withdrawn"):
            claim = claim.evolve(closed_on=closed)
        self.claims.append(claim)

    def _visited(self, claim: InsuranceClaim, ahead: int) -> InsuranceClaim:
        """The claim with a visit of its own, some days from today or, if that is a weekend, on the Monday after."""
        day = workday(self.world.today + dt.timedelta(days=ahead))
        starts = dt.datetime.combine(day, dt.time(_BOOKED_HOURS[sum(c.slot_id is not None for c in self.claims)]))
        adjuster = next(s.adjuster for s in self.slots if (s.line, s.city) == (claim.line, claim.city))
        slot = self._slot(adjuster, claim.line, claim.city, starts, free=False)
        return claim.evolve(slot_id=slot.id, visit_at=slot.starts)
