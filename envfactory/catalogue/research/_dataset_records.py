"""Records and results of the dataset registry, and how a dataset is cited."""

import datetime as dt
from typing import Annotated, Literal

from pydantic import Field

from envfactory.environment import FreeText, Output, Page, Ranked, Record, Ref, Unit, Value

DatasetId = Annotated[str, Ref("Dataset")]
AccountId = Annotated[str, Ref("RegistryAccount")]
RequestId = Annotated[str, Ref("AccessRequest")]
Topic = Annotated[
    Literal["climate_science", "immunology", "linguistics", "machine_learning", "marine_biology", "neuroscience"],
    Value("research_topic", "Field of research."),
]
Licence = Annotated[Literal["CC0", "CC-BY", "CC-BY-NC"], Value("licence", "What others may do with the data.")]
Format = Literal["CSV", "JSON", "NetCDF", "Parquet"]
Purpose = Annotated[Literal["research", "teaching", "commercial"], Value("data_purpose", "What data are used for.")]
Style = Annotated[Literal["APA", "BibTeX", "plain"], Value("citation_style", "How a citation is written.")]
Decision = Annotated[Literal["granted", "refused"], Value("access_decision", "How a request is answered.")]
PersonName = Annotated[str, Value("researcher_name", "Name of a researcher.")]
Megabytes = Annotated[int, Field(ge=0), Unit("megabyte")]
DatasetName = Annotated[
    str,
    Field(min_length=3, max_length=60),
    FreeText(
        (
            "pilot study answers", "weekend field notes", "lab sensor logs", "reading times", "station photographs",
            "survey wave two", "tagged interviews", "night recordings", "calibration runs", "student essays",
        )
    ),
]  # fmt: skip
FileName = Annotated[
    str,
    Field(min_length=3, max_length=60),
    FreeText(("measurements", "codebook", "raw answers", "corrections", "time series", "labels", "site list")),
]

DOI_PREFIX = "10.5555"


class RegistryAccount(Record, noun="account", label="{name}"):
    """Somebody who is registered."""

    id: AccountId
    """Identifier of the account."""
    name: str
    """Full name."""
    email: Annotated[str, Value("email", "E-mail address.")]
    storage_left: Megabytes
    """How much can still be uploaded."""
    transfer_left: Megabytes
    """How much can still be downloaded this month."""


class Dataset(Record, noun="dataset", label="the {name} dataset", listing="{name} ({size}, {licence}, {status})"):
    """Files that belong together, under one name."""

    id: DatasetId
    """Identifier of the dataset."""
    name: str
    """What it is called."""
    topic: Topic
    owner_name: PersonName
    mine: bool
    """Whether it belongs to the signed-in person."""
    licence: Licence
    gated: bool
    """Whether its owner decides who may download it."""
    my_access: Literal["own", "open", "none", "asked", "granted"]
    """How the signed-in person stands to its files: has them, may have them, or has to ask."""
    status: Literal["unpublished", "published", "reopened"]
    """Whether it is yet to be published, is published, or is open again for a new version."""
    ready: bool = False
    """Whether it has files that are yet to be published."""
    version: Annotated[int, Field(ge=0)] = 0
    """Number of the version that is published, 0 if none is."""
    formats: tuple[Format, ...] = ()
    """Format of each of its published files, once each."""
    size: Annotated[Megabytes, Ranked("smallest", "largest")] = 0
    """How large the published files are together."""
    downloads: Annotated[int, Field(ge=0), Unit("download"), Ranked("least downloaded", "most downloaded")] = 0
    """How often it was downloaded."""
    published_on: dt.date | None = None
    """Day on which the version was published."""
    embargo_until: dt.date | None = None
    """Day from which others can have the files, where that was put off."""

    @property
    def doi(self) -> str:
        """The lasting name of the published version."""
        return f"{DOI_PREFIX}/{self.id.lower()}.{self.version}"


class DataFile(Record, noun="file", label="the {name} file", listing="{name} ({file_format}, {size})"):
    """One file of a dataset."""

    id: Annotated[str, Ref("DataFile")]
    """Identifier of the file."""
    dataset_id: DatasetId
    """Dataset that it belongs to."""
    name: Annotated[str, FreeText()]
    """What it is called."""
    file_format: Format
    """Format of the file."""
    size: Annotated[Megabytes, Ranked("smallest", "largest")]
    """How large it is."""
    since_version: Annotated[int, Field(ge=1)]
    """Version that it came with, or will come with."""


class AccessRequest(
    Record,
    noun="request",
    label="the request by {person}[ for the {dataset_name} dataset]",
    listing="{person} for the {dataset_name} dataset ({purpose}, {status})",
):
    """Somebody who wants the files of a gated dataset."""

    id: RequestId
    """Identifier of the request."""
    direction: Literal["incoming", "outgoing"]
    """Whether it came to the signed-in person, or was made by them."""
    person: PersonName
    """Who asks, or who is asked."""
    dataset_id: DatasetId
    """Dataset that is asked for."""
    dataset_name: str
    """What that is called."""
    purpose: Purpose
    asked_on: dt.date
    """When it was made."""
    status: Literal["pending", "granted", "refused"] = "pending"
    """Whether it is answered, and how."""


class Download(Record, noun="download", label="the download of the {dataset_name} dataset"):
    """Files that the signed-in person has taken."""

    id: Annotated[str, Ref("DatasetDownload")]
    """Identifier of the download."""
    dataset_id: DatasetId
    """Dataset that was downloaded."""
    dataset_name: str
    """What that is called."""
    version: Annotated[int, Field(ge=1)]
    """Version that was downloaded."""
    files: Annotated[int, Field(ge=1), Unit("file")]
    """How many files that were."""
    size: Megabytes
    """How large they are together."""
    taken_on: dt.date
    """When they were taken."""


class DatasetPage(Page):
    """A page of datasets."""

    datasets: tuple[Dataset, ...]
    """The datasets on this page."""


class OwnPage(Page):
    """A page of one's own datasets."""

    datasets: tuple[Dataset, ...]
    """The datasets on this page."""
    storage_left: Megabytes
    """How much can still be uploaded."""


class RequestPage(Page):
    """A page of requests."""

    requests: tuple[AccessRequest, ...]
    """The requests on this page."""
    pending: int
    """How many of all that match are not answered yet."""


class DatasetDetails(Output):
    """A dataset with its files."""

    dataset_id: DatasetId
    """Dataset asked about."""
    name: str
    """What it is called."""
    owner_name: PersonName
    licence: Licence
    access: Literal["open", "gated", "embargoed"]
    """Whether anybody can have the files, who the owner lets, or nobody yet."""
    version: int
    """Number of the version that is published, 0 if none is."""
    files: tuple[DataFile, ...]
    """The files that the signed-in person can see, by name."""
    new_files: tuple[DataFile, ...]
    """Files that are yet to be published, of one's own dataset."""


class DatasetCitation(Output):
    """How a dataset is cited."""

    dataset_id: DatasetId
    """Dataset to be cited."""
    doi: str
    """The lasting name of the version."""
    text: str
    """What to write."""


class Asked(Output):
    """A request that was made."""

    dataset_id: DatasetId
    """Dataset that is asked for."""
    dataset_name: str
    """What that is called."""
    owner_name: PersonName
    purpose: Purpose


class Uploaded(Output):
    """What uploading a file comes to."""

    dataset_id: DatasetId
    """Dataset that it belongs to."""
    dataset_name: str
    """What that is called."""
    name: Annotated[str, FreeText()]
    """Name of the file."""
    replaced: bool
    """Whether another file of this name gave way to it."""
    storage_left: Megabytes
    """How much can still be uploaded."""


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
