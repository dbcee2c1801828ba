"""The registry of a scenario: a busy field, datasets open, gated and embargoed, and one's own in every condition."""

from typing import Any, Literal, NamedTuple, get_args

from envfactory.catalogue.research._dataset_records import (
    Access,
    AccessRequest,
    Answer,
    DataFile,
    Dataset,
    Download,
    Format,
    Licence,
    Purpose,
    RegistryAccount,
    SentRequest,
    Topic,
)
from envfactory.environment import Person, World, by_id

_TOPICS: tuple[Topic, ...] = get_args(get_args(Topic)[0])
_LICENCES: tuple[Licence, ...] = get_args(get_args(Licence)[0])
_FORMATS: tuple[Format, ...] = get_args(Format)
_PURPOSES: tuple[Purpose, ...] = ("research", "teaching", "research", "commercial")
_SUBJECTS: dict[Topic, tuple[str, ...]] = {
    "climate_science": ("rain gauges", "soil moisture", "street heat", "river levels", "pollen counts", "snow depth"),
    "immunology": ("flu cohort", "allergy tests", "antibody panel", "blood counts", "vaccine diary", "sepsis cases"),
    "linguistics": ("dialect atlas", "radio speech", "street signs", "child stories", "old letters", "sign videos"),
    "machine_learning": ("traffic images", "parking logs", "shop receipts", "tram delays", "bike counts", "air photos"),
    "marine_biology": ("harbour noise", "seagrass maps", "gull counts", "plankton nets", "fish landings", "buoy data"),
    "neuroscience": ("sleep lab", "reaction times", "gait study", "smell tests", "memory games", "pain diaries"),
}
_GATES: tuple[Access, ...] = ("asked", "none", "refused", "none", "asked", "none", "granted")
"""How the person stands to the gated datasets of others, in turn."""
_ANSWERS: dict[Access, Answer] = {"asked": "pending", "granted": "granted", "refused": "refused"}
_LATELY = 20
"""Days in which nothing was published, and everything was asked for."""
_FILES = ("samples", "metadata", "readings", "index")


class _Own(NamedTuple):
    """One of the person's own datasets: how it stands, and what is new in it."""

    status: Literal["unpublished", "published", "reopened"]
    ready: bool = False
    gated: bool = False
    embargo: bool = False


_OWN = (
    _Own("published", gated=True),
    _Own("unpublished", ready=True),
    _Own("published"),
    _Own("unpublished", gated=True),
    _Own("reopened", ready=True, gated=True),
    _Own("published", embargo=True),
    _Own("reopened"),
    _Own("published", gated=True),
    _Own("unpublished", ready=True),
)


def registry(world: World, size: int) -> dict[str, Any]:
    """Draw the fields of the state, about `size` records in all."""
    people = world.people(max(14, size // 5))
    accounts = [
        RegistryAccount(
            id=f"RA-{11 + n}", name=person.name, email=person.email, storage_left=world.integer(12, 30) * 100,
            transfer=world.integer(30, 60) * 100,
        )
        for n, person in enumerate([world.user, *people[:2]])
    ]  # fmt: skip
    places = world.sample([(city, n) for city, _ in world.cities for n in range(6)], 48)
    order = world.sample(_TOPICS, len(_TOPICS))
    datasets: list[Dataset] = []
    files: list[DataFile] = []
    for n in range(len(_OWN) + max(12, size // 4)):
        own = _OWN[n] if n < len(_OWN) else None
        topic = order[0] if n < 3 or len(_OWN) <= n < len(_OWN) + 5 else order[n % 6]
        city, place = places[n % 48]
        name = f"{city} {_SUBJECTS[topic][(place + n // 48) % 6]}"
        row = _dataset(world, n, name, topic, own, people)
        out = [
            _file(world, len(files) + k, row, k, 1 + k % row.version)
            for k in range(world.integer(1, 2) if row.version else 0)
        ]
        if own.embargo if own else n % 10 == 3:
            day = world.date(20, 200)
            out = [file.evolve(embargo_until=day) for file in out]
        added = [*out]
        if row.ready:
            added.append(_file(world, len(files) + len(out), row, 3 if row.version else 0, row.version + 1))
        formats = tuple(sorted({file.file_format for file in out}))
        datasets.append(row.evolve(size=sum(file.size for file in out), formats=formats))
        files += added
    return {
        "now": world.now,
        "account_id": accounts[0].id,
        "accounts": by_id(accounts),
        "datasets": by_id(datasets),
        "files": by_id(files),
        "requests": by_id(_requests(world, datasets, people, max(8, size // 8))),
        "sent": by_id(_sent(world, datasets)),
        "downloads": by_id(_downloads(world, datasets[len(_OWN) :], files)),
    }  # fmt: skip


def _dataset(world: World, number: int, name: str, topic: Topic, own: _Own | None, people: list[Person]) -> Dataset:
    draft = own is not None and own.status == "unpublished"
    gated = own.gated if own else number % 5 in (0, 1, 3)
    access = _GATES[number % len(_GATES)] if gated else "open"
    return Dataset(
        id=f"DS-{101 + number}", name=name, topic=topic,
        owner_name=world.user.name if own else people[number % 12].name, mine=own is not None,
        licence=_LICENCES[(number + number // 3) % 3], gated=gated, my_access="own" if own else access,
        status=own.status if own else "published", ready=own.ready if own else False,
        version=0 if draft else world.integer(1, 3), downloads=0 if draft else world.integer(3, 900),
        published_on=None if draft else world.date(-1500, -_LATELY),
    )  # fmt: skip


def _file(world: World, number: int, dataset: Dataset, place: int, version: int) -> DataFile:
    return DataFile(
        id=f"DF-{301 + number}", dataset_id=dataset.id, dataset_name=dataset.name, name=_FILES[place],
        file_format=_FORMATS[(number + place) % 4],
        size=world.integer(1, 30) * 10, since_version=version, published=version <= dataset.version,
    )  # fmt: skip


def _requests(world: World, datasets: list[Dataset], people: list[Person], count: int) -> list[AccessRequest]:
    """Requests that came for one's own gated datasets, most of them not answered."""
    wanted = [dataset for dataset in datasets if dataset.mine and dataset.gated and dataset.version]
    found: list[AccessRequest] = []
    for n in range(count):
        dataset = wanted[n % len(wanted)]
        status = "granted" if n % 6 == 2 else "refused" if n % 6 == 5 else "pending"
        found.append(
            AccessRequest(
                id=f"AR-{501 + n}", person=people[n % len(people)].name, dataset_id=dataset.id,
                dataset_name=dataset.name, purpose=_PURPOSES[n % 4], asked_on=world.date(1 - _LATELY, -1),
                status=status,
            )
        )  # fmt: skip
    return found


def _sent(world: World, datasets: list[Dataset]) -> list[SentRequest]:
    return [
        SentRequest(
            id=f"SR-{601 + n}", dataset_id=row.id, dataset_name=row.name, owner_name=row.owner_name,
            purpose=world.choice(("research", "teaching")), asked_on=world.date(1 - _LATELY, -5),
            status=_ANSWERS[row.my_access],
        )
        for n, row in enumerate(row for row in datasets if row.my_access in _ANSWERS)
    ]  # fmt: skip


def _downloads(world: World, others: list[Dataset], files: list[DataFile]) -> list[Download]:
    """What the person has taken of three datasets that are open, one of them this month."""
    free = [row for row in others if row.my_access == "open" and not any(_held(file, row) for file in files)]
    return [
        Download(
            id=f"DL-{701 + n}", dataset_id=row.id, dataset_name=row.name, version=row.version,
            files=sum(file.dataset_id == row.id for file in files), size=row.size,
            taken_on=world.today if n == 0 else world.date(1 - _LATELY, -3),
        )
        for n, row in enumerate(free[:3])
    ]  # fmt: skip


def _held(file: DataFile, dataset: Dataset) -> bool:
    return file.dataset_id == dataset.id and file.embargo_until is not None
