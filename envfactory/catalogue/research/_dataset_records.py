"""Records and results of the dataset registry: datasets in versions, their files, who asks for them, who took them."""

import datetime as dt
from typing import Annotated, Literal

from pydantic import Field

from envfactory.environment import FreeText, Output, Page, Ranked, Record, Ref, Unit, Value

DatasetId = Annotated[str, Ref("Dataset")]
AccountId = Annotated[str, Ref("RegistryAccount")]
FileId = Annotated[str, Ref("DataFile")]
RequestId = Annotated[str, Ref("AccessRequest")]
Topic = Annotated[
    Literal["climate_science", "immunology", "linguistics", "machine_learning", "marine_biology", "neuroscience"],
    Value("research_topic", "Field of research."),
]
Licence = Annotated[Literal["CC0", "CC-BY", "CC-BY-NC"], Value("licence", "What others may do with the data.")]
Order = Literal["newest", "most_downloaded", "smallest"]
Stage = Literal["unpublished", "published", "reopened"]
Format = Literal["CSV", "JSON", "NetCDF", "Parquet"]
Purpose = Annotated[Literal["research", "teaching", "commercial"], Value("data_purpose", "What data are used for.")]
Style = Annotated[Literal["APA", "BibTeX", "plain"], Value("citation_style", "How a citation is written.")]
Decision = Annotated[Literal["grant", "refuse"], Value("access_decision", "How a request is answered.")]
Answer = Annotated[
    Literal["pending", "granted", "refused"], Value("access_answer", "Whether a request is answered, and how.")
]
Access = Annotated[
    Literal["own", "open", "none", "asked", "granted", "refused"],
    Value("data_access", "How the signed-in person stands to files: has them, may have them, has to ask, or may not."),
]
Name = Annotated[str, Value("dataset_name", "What a dataset is called.")]
PersonName = Annotated[str, Value("researcher_name", "Name of a researcher.")]
StoredName = Annotated[str, Value("file_name", "What a file is called.")]
Megabytes = Annotated[int, Field(ge=0), Unit("megabyte")]
MostMegabytes = Annotated[int, Field(ge=1), Unit("megabyte")]
UploadMegabytes = Annotated[int, Field(ge=1, le=5000), Unit("megabyte")]
DatasetName = Annotated[
    str,
    Field(min_length=3, max_length=60, pattern=r"^\S"),
    FreeText(
        (
            "pilot study answers", "weekend field notes", "lab sensor logs", "reading times", "station photographs",
            "survey wave two", "tagged interviews", "night recordings", "calibration runs", "student essays",
        )
    ),
]  # fmt: skip
FileName = Annotated[
    str,
    Field(min_length=3, max_length=60, pattern=r"^\S"),
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
    transfer: Megabytes
    """How much can be downloaded in a month."""


class Dataset(Record, noun="dataset", label="the {name} dataset", listing="{name} ({size}, {licence}, {status})"):
    """Files that belong together, under one name."""

    id: DatasetId
    """Identifier of the dataset."""
    name: Name
    topic: Topic
    owner_name: PersonName
    mine: bool
    """Whether it belongs to the signed-in person."""
    licence: Licence
    gated: bool
    """Whether its owner decides who may download it."""
    my_access: Access
    status: Stage
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

    @property
    def doi(self) -> str:
        """The lasting name of the published version."""
        return f"{DOI_PREFIX}/{self.id.lower()}.{self.version}"


class DataFile(
    Record,
    noun="file",
    label="the {name} file[ of the {dataset_name} dataset]",
    listing="{name} ({file_format}, {size}[!published?, not yet out][, under embargo until {embargo_until}])",
):
    """One file of a dataset."""

    id: FileId
    """Identifier of the file."""
    dataset_id: DatasetId
    """Dataset that it belongs to."""
    dataset_name: Name
    name: StoredName
    file_format: Format
    """Format of the file."""
    size: Annotated[Megabytes, Ranked("smallest", "largest")]
    """How large it is."""
    since_version: Annotated[int, Field(ge=1)]
    """Version that it came with, or will come with."""
    published: bool
    """Whether it is out with that version."""
    embargo_until: dt.date | None = None
    """Day from which others can have it, where that was put off when it was published."""


class AccessRequest(
    Record,
    noun="request",
    label="the request by {person}[ for the {dataset_name} dataset]",
    listing="{person} ({purpose}, {status})",
):
    """Somebody who wants the files of a gated dataset of the signed-in person's."""

    id: RequestId
    """Identifier of the request."""
    person: PersonName
    """Who asks."""
    dataset_id: DatasetId
    """Dataset that is asked for."""
    dataset_name: Name
    purpose: Purpose
    asked_on: dt.date
    """When it was made."""
    status: Answer = "pending"


class SentRequest(Record, noun="request", label="my request for the {dataset_name} dataset"):
    """What the signed-in person has asked the owner of a gated dataset for."""

    id: Annotated[str, Ref("SentRequest")]
    """Identifier of the request."""
    dataset_id: DatasetId
    """Dataset that is asked for."""
    dataset_name: Name
    owner_name: PersonName
    purpose: Purpose
    asked_on: dt.date
    """When it was made."""
    status: Answer = "pending"


class Download(Record, noun="download", label="the download of the {dataset_name} dataset"):
    """Files that the signed-in person has taken."""

    id: Annotated[str, Ref("DatasetDownload")]
    """Identifier of the download."""
    dataset_id: DatasetId
    """Dataset that was downloaded."""
    dataset_name: Name
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
    transfer_left: Megabytes
    """How much can still be downloaded this month."""


class RequestPage(Page):
    """A page of the requests for a dataset."""

    requests: tuple[AccessRequest, ...]
    """The requests on this page."""
    dataset_name: Name
    waiting: Annotated[int, Field(ge=0), Unit("request")]
    """How many requests for the dataset are not answered yet."""


class DatasetDetails(Output):
    """A dataset with its files."""

    dataset_id: DatasetId
    """Dataset asked about."""
    name: Name
    topic: Topic
    owner_name: PersonName
    licence: Licence
    gated: bool
    """Whether its owner decides who may download it."""
    my_access: Access
    version: int
    """Number of the version that is published, 0 if none is."""
    published_on: dt.date | None = None
    """Day on which the version was published."""
    taken_version: int | None = None
    """Last version that the signed-in person has downloaded."""
    files: tuple[DataFile, ...]
    """The files that the signed-in person can see, by name; of one's own also those that are yet to be published."""


class DatasetCitation(Output):
    """How a dataset is cited."""

    dataset_id: DatasetId
    """Dataset to be cited."""
    doi: str
    """The lasting name of the version."""
    text: str
    """What to write."""


class Withdrawn(Output):
    """A request that was taken back."""

    dataset_name: Name
    owner_name: PersonName
    asked_on: dt.date
    """When it had been made."""


class Removed(Output):
    """What removing a file comes to."""

    dataset_id: DatasetId
    """Dataset that it belonged to."""
    dataset_name: Name
    name: StoredName
    storage_left: Megabytes
    """How much can still be uploaded."""


class Discarded(Output):
    """What was thrown away with a draft or a revision."""

    dataset_id: DatasetId
    """Dataset that it was."""
    dataset_name: Name
    files: Annotated[int, Field(ge=0), Unit("file")]
    """How many files that were not published are gone."""
    version: int | None = None
    """Version that stays published; without one, the dataset is gone."""
    storage_left: Megabytes
    """How much can still be uploaded."""
