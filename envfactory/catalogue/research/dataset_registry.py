"""A registry of research data: find, cite and download datasets, make and publish one's own, and say who may have them.

A dataset is published in versions: files that are uploaded belong to the next one, and nobody else sees them before it
is published. Whether its files can be had follows from gate, embargo, and what the month's transfer leaves.
"""

import datetime as dt
from typing import Annotated, Literal, Self

from pydantic import Field

from envfactory.catalogue.research._dataset_records import (
    AccessRequest,
    AccountId,
    Asked,
    DataFile,
    Dataset,
    DatasetCitation,
    DatasetDetails,
    DatasetId,
    DatasetName,
    DatasetPage,
    Decision,
    Download,
    FileName,
    Format,
    Licence,
    OwnPage,
    Purpose,
    RegistryAccount,
    RequestId,
    RequestPage,
    Style,
    Topic,
    Uploaded,
    cite,
)
from envfactory.catalogue.research._dataset_scenario import registry
from envfactory.environment import (
    Environment,
    FieldOf,
    FromNow,
    Having,
    PageNumber,
    Table,
    ToolError,
    Unit,
    Within,
    World,
    standing,
    tool,
)

EMBARGO_DAYS = 365
FILES = 10

OWN = Having(parameter="dataset_id", field="mine", among=(True,))
PUBLISHED = Having(parameter="dataset_id", field="status", among=("published", "reopened"))


class DatasetRegistry(Environment):
    """Search, cite and download research datasets, ask for gated ones, and publish datasets of one's own."""

    domain = "research"
    policy = """Drafts are seen by their owner alone. A gated dataset is downloaded only by those whom its owner has
    granted access, and an embargoed one by its owner alone until the day of the embargo, a year ahead at most. Data
    under CC-BY-NC are never given for commercial purposes. Downloads count towards a monthly transfer, uploads towards
    a storage quota; a dataset takes ten files. Files go into a draft or a revision, and are out once it is published;
    a version that is published is not changed. Never publish or answer a request unless asked to."""
    sources = (
        "Zenodo REST API, depositions, new versions, embargoes and quotas",
        "Hugging Face Hub API, gated datasets and their access requests",
        "DataCite REST API and DOI citation formatting",
        "Dataverse Native API, datasets, versions, files and guestbooks",
    )

    account_id: AccountId
    """Account whose session this is."""
    accounts: Table[RegistryAccount]
    datasets: Table[Dataset]
    files: Table[DataFile]
    requests: Table[AccessRequest]
    downloads: Table[Download]

    @tool(
        ask=(
            "find datasets on {topic}[ under {licence}][ of at most {max_size}][, {sort} first]",
            "search for {topic} data[ with a {licence} licence][, no more than {max_size}][, {sort} on top]",
            "look up[ {licence}] datasets in {topic}[ of up to {max_size}][, starting with the {sort}]",
            "see what data there are on {topic}[ under a {licence} licence][ below {max_size}][, the {sort} first]",
        ),
        noun="[{licence} ]dataset on {topic}[ of at most {max_size}]",
        reply=("I found {datasets}.", "There is no such dataset on {topic}."),
    )
    def search_datasets(
        self,
        topic: Topic,
        licence: Licence | None = None,
        max_size: Annotated[int, Field(ge=1), Unit("megabyte")] | None = None,
        sort: Literal["newest", "most_downloaded", "smallest"] = "newest",
        page: PageNumber = 1,
    ) -> DatasetPage:
        """Search the published datasets in a field of research.

        Args:
            topic: Field of research.
            licence: Only datasets under this licence.
            max_size: Only datasets whose files are at most so large together.
            sort: Order: published last, downloaded most often, or smallest first.
            page: Page of the results, five datasets each.
        """
        found = [
            dataset
            for dataset in self.datasets.values()
            if dataset.topic == topic
            and dataset.version > 0
            and licence in (None, dataset.licence)
            and (max_size is None or dataset.size <= max_size)
        ]
        found.sort(key=lambda dataset: (dataset.published_on or dt.date.min, dataset.id), reverse=True)
        if sort != "newest":
            found.sort(key=lambda dataset: -dataset.downloads if sort == "most_downloaded" else dataset.size)
        return DatasetPage.of(found, page)

    @tool(
        ask=(
            "tell me more about {dataset_id}",
            "see which files {dataset_id} has",
            "look up the owner and the files of {dataset_id}",
            "check what is in {dataset_id} and who can have it",
        ),
        reply=(
            "{name} belongs to {owner_name} ({licence}, {access}). It has {files}; not yet published: {new_files}.",
            "{name} belongs to {owner_name} ({licence}, {access}). It has {files}.",
            "{name} belongs to {owner_name} ({licence}, {access}). Nothing of it is published yet: {new_files}.",
            "{name} belongs to {owner_name} ({licence}, {access}). It has no files yet.",
        ),
    )
    def get_dataset(self, dataset_id: DatasetId) -> DatasetDetails:
        """Get a dataset with its owner, licence, access and files.

        Args:
            dataset_id: Dataset to look at.
        """
        dataset = self.datasets.require(dataset_id)
        access = "embargoed" if self._is_embargoed(dataset) else "gated" if dataset.gated else "open"
        return DatasetDetails(
            dataset_id=dataset.id,
            name=dataset.name,
            owner_name=dataset.owner_name,
            licence=dataset.licence,
            access=access,
            version=dataset.version,
            files=tuple(self._published(dataset)),
            new_files=tuple(self._new(dataset) if dataset.mine else ()),
        )

    @tool(
        ask=(
            "give me the {style} citation of {dataset_id}",
            "write out how to cite {dataset_id} in {style} style",
            "get me a {style} reference for {dataset_id}",
            "cite {dataset_id} for me, in {style} format",
        ),
        reply=("{text}",),
        where=(PUBLISHED,),
    )
    def cite_dataset(self, dataset_id: DatasetId, style: Style) -> DatasetCitation:
        """Cite the published version of a dataset.

        Args:
            dataset_id: Dataset to cite.
            style: How the citation is written.
        """
        dataset = standing(self.datasets.require(dataset_id), ("published", "reopened"), "cited")
        return DatasetCitation(dataset_id=dataset.id, doi=dataset.doi, text=cite(dataset, style))

    @tool(
        writes=True,
        ask=(
            "download {dataset_id}[, only the {file_format} files]",
            "get me the[ {file_format}] files of {dataset_id}",
            "fetch {dataset_id} for me[, just what is in {file_format}]",
            "pull[ the {file_format} files of] {dataset_id} onto my account",
        ),
        reply=("I took {files} of version {version} of the {dataset_name} dataset, {size} in all.",),
        where=(
            PUBLISHED,
            Having(parameter="dataset_id", field="my_access", among=("own", "open", "granted")),
            FieldOf(parameter="file_format", other="dataset_id", field="formats[]"),
        ),
    )
    def download_dataset(self, dataset_id: DatasetId, file_format: Format | None = None) -> Download:
        """Download the published files of a dataset, within the month's transfer.

        Args:
            dataset_id: Dataset to download.
            file_format: Only files in this format.
        """
        dataset = standing(self.datasets.require(dataset_id), ("published", "reopened"), "downloaded")
        if dataset.my_access in ("none", "asked"):
            raise ToolError("permission_denied", f"{dataset.owner_name} has not granted access to {dataset.name}.")
        if self._is_embargoed(dataset) and not dataset.mine:
            raise ToolError("precondition_failed", f"{dataset.name} is under embargo until {dataset.embargo_until}.")
        files = [file for file in self._published(dataset) if file_format in (None, file.file_format)]
        if not files:
            raise ToolError("not_found", f"{dataset.name} has no files in {file_format}.")
        size = sum(file.size for file in files)
        account = self._account
        if size > account.transfer_left:
            left = f"only {account.transfer_left} are left this month"
            raise ToolError("limit_exceeded", f"The files have {size} megabytes, {left}.")
        self.accounts.replace(account.evolve(transfer_left=account.transfer_left - size))
        self.datasets.replace(dataset.evolve(downloads=dataset.downloads + 1))
        return self.downloads.insert(
            Download(
                id=self.new_id("DL"), dataset_id=dataset.id, dataset_name=dataset.name, version=dataset.version,
                files=len(files), size=size, taken_on=self.now.date(),
            )
        )  # fmt: skip

    @tool(
        writes=True,
        ask=(
            "ask for access to {dataset_id} for {purpose} purposes",
            "request {dataset_id} from its owner, for {purpose} use",
            "apply for {dataset_id}, as I need it for {purpose} purposes",
            "send the owner of {dataset_id} a request for {purpose} use",
        ),
        reply=("{owner_name} has been asked for the {dataset_name} dataset.",),
        where=(Having(parameter="dataset_id", field="my_access", among=("none",)), PUBLISHED),
    )
    def request_access(self, dataset_id: DatasetId, purpose: Purpose) -> Asked:
        """Ask the owner of a gated dataset for access to its files.

        Args:
            dataset_id: Dataset to ask for.
            purpose: What the data shall be used for.
        """
        dataset = self.datasets.require(dataset_id)
        if dataset.my_access in ("own", "open", "granted"):
            raise ToolError("precondition_failed", f"You can download {dataset.name} without asking.")
        if dataset.my_access == "asked":
            raise ToolError("conflict", f"{dataset.owner_name} has not answered your last request yet.")
        self._allowed(dataset, purpose)
        self.datasets.replace(dataset.evolve(my_access="asked"))
        self.requests.insert(
            AccessRequest(
                id=self.new_id("AR"), direction="outgoing", person=dataset.owner_name, dataset_id=dataset.id,
                dataset_name=dataset.name, purpose=purpose, asked_on=self.now.date(),
            )
        )  # fmt: skip
        return Asked(
            dataset_id=dataset.id, dataset_name=dataset.name, owner_name=dataset.owner_name, purpose=purpose
        )  # fmt: skip

    @tool(
        ask=(
            "list my[ {status}][ {direction}] access requests",
            "show me the[ {status}][ {direction}] requests for datasets",
            "check the[ {status}][ {direction}] data requests on my account",
            "go through my[ {status}][ {direction}] requests for data",
        ),
        noun="[{status} ][{direction} ]access request of mine",
        reply=("There are {requests}; {pending} wait for an answer.", "There is no such request."),
    )
    def list_access_requests(
        self,
        direction: Literal["incoming", "outgoing"] | None = None,
        status: Literal["pending", "granted", "refused"] | None = None,
        page: PageNumber = 1,
    ) -> RequestPage:
        """List requests for the signed-in person's datasets, and those that they have made, the latest first.

        Args:
            direction: Only requests that came, or only requests that were made.
            status: Only requests that stand like this.
            page: Page of the results, five requests each.
        """
        found = [
            request
            for request in self.requests.values()
            if direction in (None, request.direction) and status in (None, request.status)
        ]
        found.sort(key=lambda request: (request.asked_on, request.id), reverse=True)
        return RequestPage.of(found, page, pending=sum(request.status == "pending" for request in found))

    @tool(
        writes=True,
        ask=(
            "mark {request_id} as {decision}",
            "put down {request_id} as {decision}",
            "have {request_id} {decision}",
            "record that {request_id} is {decision}",
        ),
        reply=("The request by {person} for the {dataset_name} dataset is {status}.",),
        where=(
            Having(parameter="request_id", field="direction", among=("incoming",)),
            Having(parameter="request_id", field="status", among=("pending",)),
        ),
    )
    def answer_request(self, request_id: RequestId, decision: Decision) -> AccessRequest:
        """Answer a request for one of the signed-in person's datasets.

        Args:
            request_id: Request to answer.
            decision: Whether access is granted.
        """
        request = self.requests.require(request_id)
        if request.direction != "incoming":
            raise ToolError("permission_denied", f"Only {request.person} can answer that request.")
        standing(request, ("pending",), "answered")
        if decision == "granted":
            self._allowed(self.datasets.require(request.dataset_id), request.purpose)
        return self.requests.replace(request.evolve(status=decision))

    @tool(
        ask=(
            "list my own datasets[ that are {status}][ on {topic}]",
            "show me which datasets[ on {topic}] I have[ that are {status}]",
            "go through the datasets[ on {topic}] that belong to me[, only those that are {status}]",
            "check my own[ {topic}] datasets[, just the {status} ones]",
        ),
        noun="[{status} ]dataset of mine[ on {topic}]",
        reply=("You have {datasets}, with {storage_left} of storage left.", "You have no such dataset."),
    )
    def list_my_datasets(
        self,
        status: Literal["unpublished", "published", "reopened"] | None = None,
        topic: Topic | None = None,
        page: PageNumber = 1,
    ) -> OwnPage:
        """List the signed-in person's datasets by name, drafts too, and the storage that is left.

        Args:
            status: Only datasets that stand like this.
            topic: Only datasets in this field of research.
            page: Page of the results, five datasets each.
        """
        found = [
            dataset
            for dataset in self.datasets.values()
            if dataset.mine and status in (None, dataset.status) and topic in (None, dataset.topic)
        ]
        found.sort(key=lambda dataset: (dataset.name, dataset.id))
        return OwnPage.of(found, page, storage_left=self._account.storage_left)

    @tool(
        writes=True,
        ask=(
            "create a[gated? gated] dataset called '{name}' on {topic} under {licence}",
            "start a new[gated? gated] {topic} dataset, '{name}', with a {licence} licence",
            "set up '{name}' as a[gated? gated] {licence} dataset in {topic}",
            "open a draft for '{name}', a[gated? gated] dataset on {topic} licensed as {licence}",
        ),
        reply=("The {name} dataset is a draft now, under {licence}.",),
    )
    def create_dataset(self, name: DatasetName, topic: Topic, licence: Licence, gated: bool = False) -> Dataset:
        """Create a dataset as a draft, without files.

        Args:
            name: What to call it.
            topic: Field of research.
            licence: What others may do with the data.
            gated: Whether the owner shall decide who may download it.
        """
        if any(dataset.mine and dataset.name == name for dataset in self.datasets.values()):
            raise ToolError("conflict", f"You have a dataset called {name} already.")
        return self.datasets.insert(
            Dataset(
                id=self.new_id("DS"), name=name, topic=topic, owner_name=self._account.name, mine=True,
                licence=licence, gated=gated, my_access="own", status="unpublished",
            )
        )  # fmt: skip

    @tool(
        writes=True,
        ask=(
            "upload '{name}', a {file_format} file of {size}, to {dataset_id}",
            "add '{name}' to {dataset_id}, a {file_format} file of {size}",
            "put the {file_format} file '{name}' ({size}) into {dataset_id}",
            "store '{name}' in {dataset_id}, {size} of {file_format}",
        ),
        reply=("{name} is in the {dataset_name} dataset; {storage_left} of storage are left.",),
        where=(
            OWN,
            Having(parameter="dataset_id", field="status", among=("unpublished", "reopened")),
            Within(parameter="size", low=20, high=400, step=20),
        ),
    )
    def upload_file(
        self,
        dataset_id: DatasetId,
        name: FileName,
        file_format: Format,
        size: Annotated[int, Field(ge=1, le=5000), Unit("megabyte")],
    ) -> Uploaded:
        """Upload a file to a draft or a revision; one of the same name that is not yet published gives way to it.

        Args:
            dataset_id: Dataset to put it into.
            name: Name of the file.
            file_format: Format of the file.
            size: How large the file is.
        """
        dataset = standing(self._own(dataset_id), ("unpublished", "reopened"), "given files before a revision is begun")
        former = next((file for file in self._new(dataset) if file.name == name), None)
        if former is None and sum(file.dataset_id == dataset.id for file in self.files.values()) >= FILES:
            raise ToolError("limit_exceeded", f"{dataset.name} has {FILES} files, which is as many as it takes.")
        account = self._account
        left = account.storage_left + (former.size if former else 0) - size
        if left < 0:
            raise ToolError("limit_exceeded", f"The file is {-left} megabytes larger than what your storage leaves.")
        if former is not None:
            self.files.delete(former.id)
        self.files.insert(
            DataFile(
                id=self.new_id("DF"), dataset_id=dataset.id, name=name, file_format=file_format, size=size,
                since_version=dataset.version + 1,
            )
        )  # fmt: skip
        self.accounts.replace(account.evolve(storage_left=left))
        self.datasets.replace(dataset.evolve(ready=True))
        return Uploaded(
            dataset_id=dataset.id, dataset_name=dataset.name, name=name, replaced=former is not None, storage_left=left
        )

    @tool(
        writes=True,
        ask=(
            "publish {dataset_id}[, with an embargo until {embargo_until}]",
            "make {dataset_id} public[, but keep its files back until {embargo_until}]",
            "release {dataset_id}[, under embargo until {embargo_until}]",
            "put {dataset_id} out[ and hold the files back until {embargo_until}]",
        ),
        reply=("Version {version} of the {name} dataset is published, {size} in all.",),
        where=(
            OWN,
            Having(parameter="dataset_id", field="ready", among=(True,)),
            FromNow(parameter="embargo_until", days=(20, 300)),
        ),
    )
    def publish_dataset(self, dataset_id: DatasetId, embargo_until: dt.date | None = None) -> Dataset:
        """Publish the next version of a dataset, with the files that were uploaded since the last one.

        Args:
            dataset_id: Dataset to publish.
            embargo_until: Day until which only the owner has the files, a year ahead at most.
        """
        dataset, today = standing(self._own(dataset_id), ("unpublished", "reopened"), "published"), self.now.date()
        if not self._new(dataset):
            raise ToolError("precondition_failed", f"{dataset.name} has no files that are yet to be published.")
        if embargo_until is not None and not 0 < (embargo_until - today).days <= EMBARGO_DAYS:
            raise ToolError("invalid_argument", "An embargo ends on a day to come, within a year.")
        out = dataset.evolve(version=dataset.version + 1)
        files = self._published(out)
        return self.datasets.replace(
            out.evolve(
                status="published", ready=False, published_on=today, embargo_until=embargo_until,
                size=sum(file.size for file in files), formats=tuple(sorted({file.file_format for file in files})),
            )
        )  # fmt: skip

    @tool(
        writes=True,
        ask=(
            "begin a new version of {dataset_id}",
            "open {dataset_id} for revision",
            "start revising {dataset_id}",
            "make a new draft version of {dataset_id}",
        ),
        reply=("The {name} dataset is open for a new version; version {version} stays published.",),
        where=(OWN, Having(parameter="dataset_id", field="status", among=("published",))),
    )
    def revise_dataset(self, dataset_id: DatasetId) -> Dataset:
        """Begin a new version of a published dataset, which stays as it is until the new one is published.

        Args:
            dataset_id: Dataset to revise.
        """
        dataset = standing(self._own(dataset_id), ("published",), "revised")
        return self.datasets.replace(dataset.evolve(status="reopened"))

    @property
    def _account(self) -> RegistryAccount:
        return self.accounts.require(self.account_id)

    def _own(self, dataset_id: str) -> Dataset:
        dataset = self.datasets.require(dataset_id)
        if not dataset.mine:
            raise ToolError("permission_denied", f"{dataset.name} belongs to {dataset.owner_name}.")
        return dataset

    def _published(self, dataset: Dataset) -> list[DataFile]:
        """The files of the versions up to the one that is published, by name."""
        files = [f for f in self.files.values() if f.dataset_id == dataset.id and f.since_version <= dataset.version]
        return sorted(files, key=lambda file: (file.name, file.id))

    def _new(self, dataset: Dataset) -> list[DataFile]:
        """The files that come with the next version."""
        return [f for f in self.files.values() if f.dataset_id == dataset.id and f.since_version > dataset.version]

    def _is_embargoed(self, dataset: Dataset) -> bool:
        return dataset.embargo_until is not None and dataset.embargo_until > self.now.date()

    def _allowed(self, dataset: Dataset, purpose: Purpose) -> None:
        if purpose == "commercial" and dataset.licence == "CC-BY-NC":
            raise ToolError("precondition_failed", f"{dataset.name} is not licensed for commercial purposes.")

    @classmethod
    def scenario(cls, world: World, size: int) -> Self:
        """A busy field with two pages of datasets, others, and one's own in every condition, with requests for them."""
        return cls.model_validate(registry(world, size))
