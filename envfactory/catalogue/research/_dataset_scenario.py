"""The registry of a scenario: a busy field, datasets open, gated and embargoed, and one's own in every condition."""

from typing import Any, Literal, NamedTuple, get_args

from envfactory.catalogue.research._dataset_records import (
    AccessRequest,
    DataFile,
    Dataset,
    Download,
    Format,
    Licence,
    Purpose,
    RegistryAccount,
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
_FILES = ("samples", "metadata", "readings", "index")


class _Own(NamedTuple):
    """One of the person's own datasets: how it stands, and what is new in it."""

    status: Literal["unpublished", "published", "reopened"]
    ready: bool = False
    gated: bool = False
    embargo: bool = False


_OWN = (
    _Own("published", gated=True), _Own("unpublished", ready=True), _Own("published"), _Own("unpublished"),
    _Own("reopened", ready=True), _Own("published", embargo=True), _Own("reopened"), _Own("published", gated=True),
    _Own("unpublished", ready=True),
)  # fmt: skip


def registry(world: World, size: int) -> dict[str, Any]:
    """Draw the fields of the state, about `size` records in all."""
    people = world.people(max(14, size // 5))
    accounts = [
        RegistryAccount(
            id=f"RA-{11 + n}", name=person.name, email=person.email, storage_left=world.integer(12, 30) * 100,
            transfer_left=world.integer(30, 60) * 100,
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
        first = row.version > 0
        added = [
            _file(world, len(files) + k, row, k, 1 + k % row.version if first else 1)
            for k in range(world.integer(1, 2) if first or (own and own.ready) else 0)
        ]
        if own is not None and own.ready and first:
            added.append(_file(world, len(files) + len(added), row, 3, row.version + 1))
        out = [file for file in added if file.since_version <= row.version]
        formats = tuple(sorted({file.file_format for file in out}))
        datasets.append(row.evolve(size=sum(file.size for file in out), formats=formats))
        files += added
    return {
        "now": world.now,
        "account_id": accounts[0].id,
        "accounts": by_id(accounts),
        "datasets": by_id(datasets),
        "files": by_id(files),
        "requests": by_id(_requests(world, datasets, people, max(6, size // 10))),
        "downloads": by_id(
            Download(
                id=f"DL-{701 + n}", dataset_id=row.id, dataset_name=row.name, version=1,
                files=1, size=min(row.size, 100), taken_on=world.date(-28, -2),
            )
            for n, row in enumerate(datasets[len(_OWN) : len(_OWN) + 2])
        ),
    }  # fmt: skip


def _dataset(world: World, number: int, name: str, topic: Topic, own: _Own | None, people: list[Person]) -> Dataset:
    draft = own is not None and own.status == "unpublished"
    gated = own.gated if own else number % 3 == 1
    embargoed = own.embargo if own else number % 10 == 3
    access = ("asked", "none", "none", "none", "granted")[number // 3 % 5] if gated else "open"
    return Dataset(
        id=f"DS-{101 + number}", name=name, topic=topic,
        owner_name=world.user.name if own else people[number % 12].name, mine=own is not None,
        licence=_LICENCES[(number + number // 3) % 3], gated=gated, my_access="own" if own else access,
        status=own.status if own else "published", ready=own.ready if own else False,
        version=0 if draft else world.integer(1, 3), downloads=0 if draft else world.integer(3, 900),
        published_on=None if draft else world.date(-1500, -20),
        embargo_until=world.date(20, 200) if embargoed else None,
    )  # fmt: skip


def _file(world: World, number: int, dataset: Dataset, place: int, version: int) -> DataFile:
    return DataFile(
        id=f"DF-{301 + number}", dataset_id=dataset.id, name=_FILES[place], file_format=_FORMATS[(number + place) % 4],
        size=world.integer(1, 30) * 10, since_version=version,
    )  # fmt: skip


def _requests(world: World, datasets: list[Dataset], people: list[Person], count: int) -> list[AccessRequest]:
    """Requests that came for one's own gated datasets, most of them open, and those that were made."""
    wanted = [dataset for dataset in datasets if dataset.mine and dataset.gated]
    found: list[AccessRequest] = []
    for n in range(count):
        dataset = wanted[n % len(wanted)]
        status = "granted" if n % 6 == 2 else "refused" if n % 6 == 5 else "pending"
        found.append(
            AccessRequest(
                id=f"AR-{501 + n}", direction="incoming", person=people[n % len(people)].name, dataset_id=dataset.id,
                dataset_name=dataset.name, purpose=_PURPOSES[n % 4], asked_on=world.date(-40, -1), status=status,
            )
        )  # fmt: skip
    for dataset in datasets:
        if dataset.my_access in ("asked", "granted"):
            found.append(
                AccessRequest(
                    id=f"AR-{501 + len(found)}", direction="outgoing", person=dataset.owner_name,
                    dataset_id=dataset.id, dataset_name=dataset.name, purpose="research",
                    asked_on=world.date(-90, -5), status="granted" if dataset.my_access == "granted" else "pending",
                )
            )  # fmt: skip
    return found
