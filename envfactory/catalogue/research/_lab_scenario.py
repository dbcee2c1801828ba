"""The laboratory of a scenario: chemicals and containers in fitting places, the user's at every step, requests, log."""

import datetime as dt
from typing import Any, NamedTuple

from envfactory.catalogue.research import _lab_rules as rules
from envfactory.catalogue.research._lab_records import (
    ContainerStatus,
    Hazard,
    LabCertificate,
    LabChemical,
    LabContainer,
    LabMember,
    LabPlace,
    LabRequest,
    LabUsage,
    RequestStatus,
    Temperature,
    Training,
)
from envfactory.environment import World, add_workdays, by_id

_CHEMICALS: tuple[tuple[str, Hazard, Temperature, int, int, int], ...] = (
    ("acetone", "flammable", "room", 1000, 28, 180), ("ethanol", "flammable", "room", 2500, 64, 365),
    ("methanol", "flammable", "room", 1000, 35, 365), ("isopropanol", "flammable", "room", 1000, 31, 365),
    ("ethyl acetate", "flammable", "room", 500, 42, 180), ("diethyl ether", "flammable", "fridge", 500, 58, 90),
    ("potassium permanganate solution", "oxidising", "room", 500, 38, 120),
    ("hydrogen peroxide", "oxidising", "fridge", 500, 45, 60),
    ("sodium hypochlorite solution", "oxidising", "fridge", 1000, 27, 45),
    ("hydrochloric acid", "acid", "room", 1000, 33, 365), ("acetic acid", "acid", "room", 1000, 36, 365),
    ("phosphoric acid", "acid", "room", 500, 49, 365), ("trifluoroacetic acid", "acid", "fridge", 100, 88, 120),
    ("sodium hydroxide solution", "base", "room", 1000, 30, 180), ("ammonia solution", "base", "room", 1000, 34, 120),
    ("triethylamine", "base", "fridge", 500, 76, 120), ("formaldehyde solution", "toxic", "room", 500, 52, 120),
    ("acrylamide solution", "toxic", "fridge", 500, 95, 60),
    ("cycloheximide solution", "toxic", "freezer", 100, 160, 30),
    ("phosphate buffer", "harmless", "room", 1000, 22, 60), ("glycerol", "harmless", "room", 1000, 41, 365),
    ("cell culture medium", "harmless", "fridge", 500, 48, 30),
    ("trypsin solution", "harmless", "freezer", 100, 72, 14),
    ("fetal bovine serum", "harmless", "freezer", 500, 390, 30),
)  # fmt: skip
"""Name, hazard class, where it is kept, what a pack holds and costs at least, and how long it is good once opened."""
_PLACES: tuple[tuple[str, str, Temperature, tuple[Hazard, ...]], ...] = (
    ("solvent cabinet", "B204", "room", ("flammable",)), ("acid cabinet", "B204", "room", ("acid",)),
    ("alkali cabinet", "B206", "room", ("base",)), ("poison cabinet", "B206", "room", ("toxic",)),
    ("oxidiser cabinet", "B206", "room", ("oxidising",)), ("buffer shelf", "B204", "room", ("harmless",)),
    ("vented cabinet", "C110", "room", ()), ("bench shelf", "C110", "room", ()),
    ("spark-free fridge", "B204", "fridge", ("flammable",)), ("tall fridge", "B206", "fridge", ("acid",)),
    ("glass-door fridge", "B206", "fridge", ("oxidising",)), ("walk-in fridge", "C110", "fridge", ("base", "toxic")),
    ("sample fridge", "C110", "fridge", ("harmless",)), ("upright freezer", "B204", "freezer", ("toxic",)),
    ("chest freezer", "C110", "freezer", ("harmless",)), ("bench freezer", "B206", "freezer", ()),
)  # fmt: skip
"""Name, room, temperature and what stands there."""
_FULL = "bench shelf"
"""A place without any room left."""
_TRAININGS: tuple[tuple[Training, int], ...] = (
    ("general_safety", 410), ("solvents", 160), ("corrosives", 34), ("toxics", 220), ("oxidisers", -24),
    ("solvents", -370), ("general_safety", -320),
)  # fmt: skip
"""The user's certificates, with the days that they have left."""


class _Row(NamedTuple):
    """A container of the user's: what, how much of a pack is left, and where it is."""

    chemical: str
    share: float
    status: ContainerStatus = "checked_out"
    opened: int = 0
    """How many days ago it was opened; not yet if 0."""
    back: int = 0
    """In how many days it is due back, or was given to waste."""
    contaminated: bool = False
    aliquot: bool = False
    """Whether it is the user's own."""


_MINE = (
    _Row("acetone", 0.8, opened=12, back=6),
    _Row("sodium hydroxide solution", 0.7, opened=20, back=9),
    _Row("formaldehyde solution", 0.9, opened=5, back=4),
    _Row("cell culture medium", 1.0, back=2),
    _Row("methanol", 0.6, opened=40, back=-3),  # overdue
    _Row("glycerol", 0.0, opened=30, back=5),  # used up
    _Row("ethanol", 0.4, "waste", opened=70),
    _Row("acetic acid", 0.5, "waste", opened=50, contaminated=True),
    _Row("phosphate buffer", 0.3, "waste", opened=30, back=-9),
    _Row("ethyl acetate", 0.5, "waste", opened=25),
    _Row("acetone", 0.1, "stored", opened=12, aliquot=True),
    _Row("fetal bovine serum", 0.1, "stored", opened=8, aliquot=True),
    _Row("cell culture medium", 0.1, "stored", opened=6, aliquot=True),
    _Row("triethylamine", 0.1, "stored", opened=30, aliquot=True),
    _Row("trypsin solution", 0.1, "stored", opened=20, aliquot=True),  # expired
    _Row("diethyl ether", 0.1, "stored", opened=97, aliquot=True),  # expired
)
_REQUESTS: tuple[tuple[str, int, int, RequestStatus, bool], ...] = (
    ("isopropanol", 3, -1, "ordered", False), ("hydrochloric acid", 2, -2, "ordered", False),
    ("triethylamine", 4, -3, "ordered", False), ("phosphate buffer", 6, -1, "ordered", False),
    ("trypsin solution", 2, -1, "ordered", True),  # arrives today
    ("fetal bovine serum", 2, -1, "waiting", False), ("acrylamide solution", 5, -1, "waiting", False),
    ("cycloheximide solution", 3, -2, "waiting", True), ("ethanol", 7, -1, "waiting", False),
    ("acetone", 2, -20, "delivered", False), ("glycerol", 1, -33, "delivered", False),
    ("cell culture medium", 4, -41, "delivered", True), ("methanol", 2, -27, "cancelled", False),
    ("hydrogen peroxide", 3, -45, "declined", False), ("ammonia solution", 2, -52, "cancelled", True),
)  # fmt: skip
"""The user's requests: what, how many packs, how many workdays ago, where it stands, and whether by express."""
_USES: tuple[tuple[int, int, int], ...] = (
    (0, 50, 0), (1, 30, 0), (2, 15, 0), (0, 100, -4), (1, 120, -6), (2, 20, -1), (4, 75, -9), (5, 200, -2),
    (4, 60, -16), (0, 50, -8), (6, 250, -12), (10, 10, -3), (1, 40, -13), (2, 15, -4),
)  # fmt: skip
"""The user's log: which container, how much, and how many days ago."""


def laboratory(world: World, size: int) -> dict[str, Any]:
    """Draw the fields of the state, about `size` records and a hundred more."""
    people = [world.user, *world.people(max(5, size // 15))]
    members = [LabMember(id=f"LM-{11 + n}", name=p.name, email=p.email) for n, p in enumerate(people)]
    certificates = _certificates(world, members)
    lab = _Lab(world, members, certificates)
    for row in _MINE:
        lab.own(row)
    for n in range(max(28, size * 2 // 3)):
        lab.stock(n)
    for n, (name, packs, day, status, express) in enumerate(_REQUESTS):
        lab.request(n, members[0], name, packs, day, status, express)
    for n, member in enumerate(members[1:]):
        lab.aliquot(member)
        status: RequestStatus = ("ordered", "delivered", "cancelled")[n % 3]
        name = world.choice(lab.known(member)).name
        lab.request(len(_REQUESTS) + n, member, name, 1, -2 if n % 3 == 0 else -20, status, n % 3 == 1)
    lab.use()
    lab.limits()
    return {
        "now": world.now,
        "member_id": members[0].id,
        "members": by_id(members),
        "certificates": by_id(certificates),
        "chemicals": by_id(list(lab.chemicals.values())),
        "places": by_id(lab.places),
        "containers": by_id(lab.containers),
        "requests": by_id(lab.requests),
        "usages": by_id(lab.usages),
    }


def _certificates(world: World, members: list[LabMember]) -> list[LabCertificate]:
    rows = [(members[0], n, days, days) for n, (_, days) in enumerate(_TRAININGS)]
    for n, member in enumerate(members[1:]):
        rows += [(member, (n + step) % 5, 30, 700) for step in range(2)]
    return [
        LabCertificate(
            id=f"CE-{101 + n}", member_id=member.id, training=_TRAININGS[kind][0], valid_until=world.date(low, high)
        )
        for n, (member, kind, low, high) in enumerate(rows)
    ]


class _Lab:
    """Containers, requests and log entries as they are added, with the room that they take up."""

    def __init__(self, world: World, members: list[LabMember], certificates: list[LabCertificate]) -> None:
        self.world, self.members, self.certificates = world, members, certificates
        self.chemicals = {
            name: LabChemical(
                id=f"CH-{201 + n}", name=name, hazard=hazard, temperature=temperature, pack_ml=pack,
                training=rules.TRAINING[hazard], price=world.money(price, price + 9), open_days=days, limit_ml=0,
            )
            for n, (name, hazard, temperature, pack, price, days) in enumerate(_CHEMICALS)
        }  # fmt: skip
        self.places = [
            LabPlace(
                id=f"LP-{301 + n}",
                name=name,
                room=room,
                temperature=temperature,
                free=0 if name == _FULL else world.integer(6, 16),
            )
            for n, (name, room, temperature, _) in enumerate(_PLACES)
        ]
        self.containers: list[LabContainer] = []
        self.requests: list[LabRequest] = []
        self.usages: list[LabUsage] = []
        self.first_lot = world.integer(0, 8999)

    def add(self, chemical: LabChemical, amount_ml: int, opened: int, left: int) -> LabContainer:
        """A container that is in nobody's hands, opened some days ago (not if 0), with so many days left."""
        n, world = len(self.containers), self.world
        lot = 1000 + (self.first_lot + n * 3571) % 9000  # none comes twice
        row = LabContainer(
            id=f"LC-{401 + n}", chemical_id=chemical.id, chemical=chemical.name, hazard=chemical.hazard,
            temperature=chemical.temperature, lot=f"{world.choice('BDFHKMR')}{lot}",
            amount_ml=amount_ml, use_by=world.today + dt.timedelta(days=left),
            opened_on=world.today - dt.timedelta(days=opened) if opened else None,
        )  # fmt: skip
        self.containers.append(row)
        return row

    def store(self, row: LabContainer) -> None:
        """Put the last container where its like stands."""
        n = next(n for n, place in enumerate(_PLACES) if place[2] == row.temperature and row.hazard in place[3])
        self.containers[-1] = rules.stored(row, self.places[n])

    def known(self, member: LabMember) -> list[LabChemical]:
        """Chemicals that a member has a certificate for."""
        own = [each.training for each in self.certificates if each.member_id == member.id]
        return [each for each in self.chemicals.values() if each.training in own]

    def own(self, kind: _Row) -> None:
        """Add a container of the user's."""
        chemical, me, today = self.chemicals[kind.chemical], self.members[0].id, self.world.today
        left = min(self.world.integer(60, 300), chemical.open_days - kind.opened) if kind.opened else 200
        row = self.add(chemical, int(chemical.pack_ml * kind.share), kind.opened, left)
        due = today + dt.timedelta(days=kind.back)
        if kind.aliquot:
            whole = [
                each
                for each in self.containers[:-1]
                if each.chemical == row.chemical and each.opened_on and not each.aliquot
            ]
            lot, number = (whole[0].lot, whole[0].id) if whole else (row.lot, None)
            row = row.evolve(lot=f"{lot}A1", aliquot=True, owner_id=me, split_from=number)
        if kind.status == "stored":
            self.store(row)
            return
        row = row.evolve(status=kind.status, holder_id=me, contaminated=kind.contaminated)
        waste = kind.status == "waste"
        self.containers[-1] = row.evolve(collected_on=rules.collection(due)) if waste else row.evolve(back_by=due)

    def stock(self, n: int) -> None:
        """Add a container of the laboratory's; every ninth is expired, every eleventh is with somebody else."""
        chemical = self.chemicals[_CHEMICALS[n % len(_CHEMICALS)][0]]
        opened = self.world.integer(1, chemical.open_days // 2) if n % 2 else 0
        left = -self.world.integer(3, 40) if n % 9 == 8 else self.world.integer(20, 400)
        if opened:
            left = min(left, chemical.open_days - opened)
        share = self.world.integer(3, 9) if opened else 10
        row = self.add(chemical, chemical.pack_ml * share // 10, opened, left)
        if n % 11 == 10 and left > 0:
            by = self.world.date(1, 1 if chemical.temperature == "freezer" else 3)
            holder = self.world.choice([each for each in self.members[1:] if chemical in self.known(each)]).id
            self.containers[-1] = row.evolve(status="checked_out", holder_id=holder, back_by=min(by, row.use_by))
        else:
            self.store(row)

    def aliquot(self, member: LabMember) -> None:
        """Add an aliquot of somebody else's."""
        chemical = self.world.choice(self.known(member))
        row = self.add(chemical, chemical.pack_ml // 10, 3, chemical.open_days - 3)
        self.store(row.evolve(lot=f"{row.lot}A1", aliquot=True, owner_id=member.id))

    def request(
        self, n: int, member: LabMember, name: str, packs: int, day: int, status: RequestStatus, express: bool
    ) -> None:
        """Add a request of so many workdays ago."""
        asked = add_workdays(self.world.today, day)
        row = rules.requested(f"LR-{501 + n}", member.id, self.chemicals[name], packs, express, asked)
        self.requests.append(row if status in rules.OPEN else row.evolve(status=status))

    def use(self) -> None:
        """Add the user's log."""
        for n, (place, amount_ml, day) in enumerate(_USES):
            row = self.containers[place]
            self.usages.append(
                LabUsage(
                    id=f"LU-{601 + n}", member_id=self.members[0].id, container_id=row.id, chemical=row.chemical,
                    hazard=row.hazard, lot=row.lot, amount_ml=amount_ml,
                    left_ml=row.amount_ml + sum(a for p, a, d in _USES if p == place and d > day),
                    taken_on=self.world.today + dt.timedelta(days=day),
                )
            )  # fmt: skip

    def limits(self) -> None:
        """Let the laboratory hold of every chemical what is there and ordered, and some packs more, or none."""
        for n, (name, chemical) in enumerate(self.chemicals.items()):
            here = sum(c.amount_ml for c in self.containers if c.chemical_id == chemical.id and c.status != "waste")
            packs = sum(r.packs for r in self.requests if r.chemical_id == chemical.id and r.status in rules.OPEN)
            room = 0 if n % 8 == 4 else self.world.integer(5, 9)
            most = here + (packs + room) * chemical.pack_ml
            self.chemicals[name] = chemical.evolve(limit_ml=-(-most // 500) * 500)
