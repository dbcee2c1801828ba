"""Who may have the files of a dataset, and what they may be asked for."""

import datetime as dt
from collections.abc import Iterable

from envfactory.catalogue.research._dataset_records import DataFile, Dataset, Format, Purpose
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


def check_embargo(until: dt.date | None, today: dt.date) -> None:
    """Refuse an embargo that ends before it begins, or that is longer than a year."""
    if until is not None and not 0 < (until - today).days <= EMBARGO_DAYS:
        last = today + dt.timedelta(days=EMBARGO_DAYS)
        raise ToolError("invalid_argument", f"An embargo ends on a day to come, on {last} at the latest.")


def can_be_had(dataset: Dataset, files: Iterable[DataFile], form: Format | None, today: dt.date) -> list[DataFile]:
    """The published files, in one format if so asked, that the signed-in person can download now.

    Raises:
        ToolError: there are none in the format, or all of them are under embargo.
    """
    found = [file for file in files if form in (None, file.file_format)]
    if not found:
        raise ToolError("not_found", f"{dataset.name} has no published files in {form}.")
    out = [file for file in found if dataset.mine or file.embargo_until is None or file.embargo_until <= today]
    if not out:
        day = min(file.embargo_until for file in found if file.embargo_until)
        raise ToolError("precondition_failed", f"The files of {dataset.name} are under embargo until {day}.")
    return out
