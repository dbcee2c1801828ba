"""Who sees and may have a dataset, what it may be asked for, what there is room for, what publishing makes of it."""

import datetime as dt
from collections.abc import Iterable, Sequence

from envfactory.catalogue.research._dataset_files import Files
from envfactory.catalogue.research._dataset_records import (
    AccessRequest,
    Answer,
    DataFile,
    Dataset,
    DatasetDetails,
    Decision,
    Discarded,
    Download,
    Format,
    Licence,
    Order,
    Purpose,
    RegistryAccount,
    Removed,
    SentRequest,
    Stage,
    Style,
    Topic,
)
from envfactory.environment import ToolError

EMBARGO_DAYS = 365


def visible(dataset: Dataset) -> Dataset:
    """Return a dataset that the signed-in person can know of.

    Raises:
        ToolError: it is somebody else's and was never published.
    """
    if dataset.version == 0 and not dataset.mine:
        raise ToolError("permission_denied", "That dataset is somebody else's draft.")
    return dataset


def own(dataset: Dataset) -> Dataset:
    """Return a dataset of the signed-in person's own.

    Raises:
        ToolError: it belongs to somebody else.
    """
    if not visible(dataset).mine:
        raise ToolError("permission_denied", f"{dataset.name} belongs to {dataset.owner_name}.")
    return dataset


def found(datasets: Iterable[Dataset], topic: Topic, licence: Licence | None, max_size: int | None) -> list[Dataset]:
    """The published datasets in a field, of a licence and a size at most if so asked."""
    return [
        dataset
        for dataset in datasets
        if dataset.topic == topic
        and dataset.version > 0
        and licence in (None, dataset.licence)
        and (max_size is None or dataset.size <= max_size)
    ]


def ranked(datasets: Iterable[Dataset], order: Order) -> list[Dataset]:
    """Datasets as they are listed; what is alike comes with the one published last on top."""
    newest = sorted(datasets, key=lambda dataset: (dataset.published_on or dt.date.min, dataset.id), reverse=True)
    if order == "newest":
        return newest
    return sorted(newest, key=lambda dataset: -dataset.downloads if order == "most_downloaded" else dataset.size)


def mine(datasets: Iterable[Dataset], status: Stage | None, topic: Topic | None) -> list[Dataset]:
    """The signed-in person's datasets by name, that stand like this or are on a topic if so asked."""
    own_ones = [dataset for dataset in datasets if dataset.mine]
    those = [each for each in own_ones if status in (None, each.status) and topic in (None, each.topic)]
    return sorted(those, key=lambda dataset: (dataset.name, dataset.id))


def check_access(dataset: Dataset) -> None:
    """Refuse files that their owner has not let the signed-in person have."""
    told = {
        "none": "decides who may have {name}: ask for access first",
        "asked": "has not answered your request for {name} yet",
        "refused": "has refused your request for {name}",
    }.get(dataset.my_access)
    if told:
        raise ToolError("permission_denied", f"{dataset.owner_name} {told.format(name=dataset.name)}.")


def check_request(dataset: Dataset, purpose: Purpose) -> None:
    """Refuse a request that is needless, made before, refused before, or for what the licence rules out."""
    if dataset.my_access in ("own", "open", "granted"):
        raise ToolError("precondition_failed", f"You can download {dataset.name} without asking.")
    if dataset.my_access == "asked":
        raise ToolError("conflict", f"{dataset.owner_name} has not answered your last request yet.")
    if dataset.my_access == "refused":
        raise ToolError("precondition_failed", f"{dataset.owner_name} has refused it; nobody can ask twice.")
    check_purpose(dataset, purpose)


def check_purpose(dataset: Dataset, purpose: Purpose) -> None:
    """Refuse what the licence of a dataset rules out."""
    if purpose == "commercial" and dataset.licence == "CC-BY-NC":
        raise ToolError("precondition_failed", f"{dataset.name} is not licensed for commercial purposes.")


def sent(key: str, dataset: Dataset, purpose: Purpose, today: dt.date) -> SentRequest:
    """What the signed-in person asks the owner of a dataset for."""
    return SentRequest(
        id=key, dataset_id=dataset.id, dataset_name=dataset.name, owner_name=dataset.owner_name, purpose=purpose,
        asked_on=today,
    )  # fmt: skip


def unanswered(dataset: Dataset, requests: Iterable[SentRequest]) -> SentRequest:
    """The signed-in person's request for a dataset that waits for an answer.

    Raises:
        ToolError: there is none.
    """
    waiting = (row for row in requests if (row.dataset_id, row.status) == (dataset.id, "pending"))
    if (request := next(waiting, None)) is None:
        raise ToolError("precondition_failed", f"You have no request for {dataset.name} that is not answered.")
    return request


def came_for(dataset: Dataset, requests: Iterable[AccessRequest]) -> list[AccessRequest]:
    """The requests for a dataset, who waits longest first."""
    came = (request for request in requests if request.dataset_id == dataset.id)
    return sorted(came, key=lambda request: (request.asked_on, request.id))


def answered(request: AccessRequest, dataset: Dataset, decision: Decision) -> AccessRequest:
    """A request for a dataset with its answer.

    Raises:
        ToolError: that is its answer already, or the licence rules out what it is for.
    """
    answer: Answer = "granted" if decision == "grant" else "refused"
    if request.status == answer:
        raise ToolError("conflict", f"The request by {request.person} is {answer} already.")
    if answer == "granted":
        check_purpose(dataset, request.purpose)
    return request.evolve(status=answer)


def transfer_left(account: RegistryAccount, downloads: Iterable[Download], today: dt.date) -> int:
    """What can still be downloaded in the month of a day."""
    month = today.replace(day=1)
    return account.transfer - sum(row.size for row in downloads if row.taken_on >= month)


def check_transfer(files: Iterable[DataFile], left: int) -> None:
    """Refuse to download more than is left of the month's transfer."""
    size = sum(file.size for file in files)
    if size > left:
        raise ToolError("limit_exceeded", f"The files have {size} megabytes, only {left} are left this month.")


def download(key: str, dataset: Dataset, files: Sequence[DataFile], today: dt.date) -> Download:
    """Files of a dataset that the signed-in person takes."""
    return Download(
        id=key, dataset_id=dataset.id, dataset_name=dataset.name, version=dataset.version, files=len(files),
        size=sum(file.size for file in files), taken_on=today,
    )  # fmt: skip


def check_name(name: str, datasets: Iterable[Dataset]) -> None:
    """Refuse the signed-in person two datasets of one name."""
    if any(dataset.mine and dataset.name.casefold() == name.casefold() for dataset in datasets):
        raise ToolError("conflict", f"You have a dataset called {name} already.")


def new_dataset(key: str, name: str, topic: Topic, licence: Licence, owner_name: str, *, gated: bool) -> Dataset:
    """A draft of the signed-in person's, without files."""
    return Dataset(
        id=key, name=name, topic=topic, owner_name=owner_name, mine=True, licence=licence, gated=gated,
        my_access="own", status="unpublished",
    )  # fmt: skip


def storing(account: RegistryAccount, size: int, former: DataFile | None) -> RegistryAccount:
    """An account that stores one more file, in the place of the `former` one if there is one.

    Raises:
        ToolError: there is not so much storage left.
    """
    left = account.storage_left + (former.size if former else 0) - size
    if left < 0:
        raise ToolError("limit_exceeded", f"The file has {-left} megabytes more than what is left of your storage.")
    return account.evolve(storage_left=left)


def new_file(key: str, dataset: Dataset, name: str, file_format: Format, size: int) -> DataFile:
    """A file that comes with the next version of a dataset."""
    return DataFile(
        id=key, dataset_id=dataset.id, dataset_name=dataset.name, name=name, file_format=file_format, size=size,
        since_version=dataset.version + 1, published=False,
    )  # fmt: skip


def check_removable(file: DataFile) -> None:
    """Refuse to remove what is published."""
    if file.published:
        words = f"{file.name} came out with version {file.since_version}, so it stays."
        raise ToolError("precondition_failed", words)


def removed(file: DataFile, storage_left: int) -> Removed:
    """What removing a file comes to."""
    return Removed(
        dataset_id=file.dataset_id, dataset_name=file.dataset_name, name=file.name, storage_left=storage_left
    )


def check_embargo(until: dt.date | None, today: dt.date) -> None:
    """Refuse an embargo that ends before it begins, or that is longer than a year."""
    if until is not None and not 0 < (until - today).days <= EMBARGO_DAYS:
        last = today + dt.timedelta(days=EMBARGO_DAYS)
        raise ToolError("invalid_argument", f"An embargo ends on a day to come, on {last} at the latest.")


def published(dataset: Dataset, files: Sequence[DataFile], today: dt.date) -> Dataset:
    """A dataset whose next version comes out today, which makes all these files public."""
    return dataset.evolve(
        version=dataset.version + 1, status="published", ready=False, published_on=today,
        size=sum(file.size for file in files), formats=tuple(sorted({file.file_format for file in files})),
    )  # fmt: skip


def discarded(dataset: Dataset, files: Sequence[DataFile], storage_left: int) -> Discarded:
    """What throwing away a draft with these files comes to."""
    return Discarded(
        dataset_id=dataset.id, dataset_name=dataset.name, files=len(files), version=dataset.version or None,
        storage_left=storage_left,
    )  # fmt: skip


def details(dataset: Dataset, files: Files, taken_version: int | None) -> DatasetDetails:
    """A dataset with the files that the signed-in person can see, and the version that they have."""
    return DatasetDetails(
        dataset_id=dataset.id, name=dataset.name, topic=dataset.topic, owner_name=dataset.owner_name,
        licence=dataset.licence, gated=dataset.gated, my_access=dataset.my_access, version=dataset.version,
        published_on=dataset.published_on, taken_version=taken_version, files=tuple(files.seen),
    )  # fmt: skip


def cite(dataset: Dataset, style: Style) -> str:
    """How a published dataset is cited."""
    given, _, family = dataset.owner_name.rpartition(" ")
    year = dataset.published_on.year if dataset.published_on else 0
    match style:
        case "APA":
            return (
                f"{family}, {given[0]}. ({year}). {dataset.name} (Version {dataset.version}) [Data set]. {dataset.doi}"
            )
        case "BibTeX":
            key = f"{family.lower()}{year}"
            return f"@misc{{{key}, author={{{family}, {given}}}, title={{{dataset.name}}}, doi={{{dataset.doi}}}}}"
        case _:
            return f"{dataset.owner_name}: {dataset.name}, version {dataset.version}, {year}, {dataset.doi}"
