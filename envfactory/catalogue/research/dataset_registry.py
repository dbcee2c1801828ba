"""A registry of research data: find, cite and download datasets, make and publish one's own, and say who may have them.

A dataset is published in versions: files that are uploaded belong to the next one, and nobody else sees them before it
is published. Whether files can be had follows from the gate of the dataset, the embargo that each was published with,
and what is left of the month's transfer.
"""

import datetime as dt
from typing import Annotated, Literal, Self

from pydantic import Field

from envfactory.catalogue.research._dataset_records import (
    AccessRequest,
    AccountId,
    Answer,
    DataFile,
    Dataset,
    DatasetCitation,
    DatasetDetails,
    DatasetId,
    DatasetName,
    DatasetPage,
    Decision,
    Discarded,
    Download,
    FileId,
    FileName,
    Format,
    Licence,
    OwnPage,
    Purpose,
    RegistryAccount,
    Removed,
    RequestId,
    RequestPage,
    SentRequest,
    Style,
    Topic,
    Withdrawn,
    cite,
)
from envfactory.catalogue.research._dataset_rules import (
    can_be_had,
    check_access,
    check_embargo,
    check_purpose,
    check_request,
    own,
    visible,
)
from envfactory.catalogue.research._dataset_scenario import registry
from envfactory.environment import (
    Ends,
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

FILES = 10
"""How many files a dataset takes."""

OWN = Having(parameter="dataset_id", field="mine", among=(True,))
PUBLISHED = Having(parameter="dataset_id", field="status", among=("published", "reopened"))
OPEN = Having(parameter="dataset_id", field="status", among=("unpublished", "reopened"))


class DatasetRegistry(Environment):
    """Search, cite and download research datasets, ask for gated ones, and publish datasets of one's own."""

    domain = "research"
    policy = """Drafts are seen by their owner alone. A gated dataset is downloaded only by those whom its owner has
    granted access; owners can change their answer, but who was refused cannot ask again. Files under embargo are
    downloaded by their owner alone until the day it ends, a year ahead at most; it is set when they are published and
    stays. Data under CC-BY-NC are never given for commercial purposes. Downloads count towards the transfer of a
    calendar month, uploads towards a storage quota; a dataset takes ten files. Files go into a draft or a revision and
    can be removed from it again; what is published is not changed. Never publish, discard or answer a request unless
    asked to."""
    sources = (
        "Zenodo REST API, depositions, their files, publish and discard, embargoes and quotas",
        "Hugging Face Hub API, gated datasets: access requests by dataset, and how they are answered",
        "DataCite REST API and DOI citation formatting",
        "Dataverse Native API, datasets, versions, file embargoes and guestbooks",
    )

    account_id: AccountId
    """Account whose session this is."""
    accounts: Table[RegistryAccount]
    datasets: Table[Dataset]
    files: Table[DataFile]
    requests: Table[AccessRequest]
    sent: Table[SentRequest]
    downloads: Table[Download]

    @tool(
        ask=(
            "find datasets on {topic}[ under {licence}][ of at most {max_size}][, {sort} first]",
            "search for {topic} data[ with a {licence} licence][, no more than {max_size}][, {sort} on top]",
            "look up[ {licence}] datasets in {topic}[ of up to {max_size}][, starting with the {sort}]",
            "see what data there are on {topic}[ under a {licence} licence][ with at most {max_size}][, {sort} first]",
        ),
        noun="[{licence} ]dataset on {topic}[ of at most {max_size}]",
        reply=("I found {datasets}.", "There is no such dataset on {topic}."),
        where=(Within(parameter="max_size", low=150, high=500, step=50),),
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
            "{name} belongs to {owner_name} ({licence}[gated?, gated]). It has {files}.",
            "{name} belongs to {owner_name} ({licence}[gated?, gated]). It has no files yet.",
        ),
    )
    def get_dataset(self, dataset_id: DatasetId) -> DatasetDetails:
        """Get a dataset with its owner, licence, files, their embargoes, and how one stands to them.

        Args:
            dataset_id: Dataset to look at.
        """
        dataset = visible(self.datasets.require(dataset_id))
        taken = [download.version for download in self.downloads.values() if download.dataset_id == dataset.id]
        return DatasetDetails(
            dataset_id=dataset.id,
            name=dataset.name,
            topic=dataset.topic,
            owner_name=dataset.owner_name,
            licence=dataset.licence,
            gated=dataset.gated,
            my_access=dataset.my_access,
            version=dataset.version,
            published_on=dataset.published_on,
            taken_version=max(taken, default=None),
            files=tuple(self._files(dataset) if dataset.mine else self._published(dataset)),
        )

    @tool(
        ask=(
            "give me the {style} citation of {dataset_id}",
            "write out how to cite {dataset_id} in {style} style",
            "get me the {style} reference for {dataset_id}",
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
        dataset = standing(visible(self.datasets.require(dataset_id)), ("published", "reopened"), "cited")
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
        """Download the published files of a dataset that are not under embargo, within the month's transfer.

        Args:
            dataset_id: Dataset to download.
            file_format: Only files in this format.
        """
        dataset = visible(self.datasets.require(dataset_id))
        standing(dataset, ("published", "reopened"), "downloaded")
        check_access(dataset)
        files = can_be_had(dataset, self._published(dataset), file_format, self.now.date())
        size, left = sum(file.size for file in files), self._transfer_left()
        if size > left:
            raise ToolError("limit_exceeded", f"The files have {size} megabytes, only {left} are left this month.")
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
        reply=("{owner_name} has been asked for the {dataset_name} dataset, for {purpose} purposes.",),
        where=(Having(parameter="dataset_id", field="my_access", among=("none",)), PUBLISHED),
    )
    def request_access(self, dataset_id: DatasetId, purpose: Purpose) -> SentRequest:
        """Ask the owner of a gated dataset for access to its files.

        Args:
            dataset_id: Dataset to ask for.
            purpose: What the data shall be used for.
        """
        dataset = visible(self.datasets.require(dataset_id))
        check_request(dataset, purpose)
        self.datasets.replace(dataset.evolve(my_access="asked"))
        return self.sent.insert(
            SentRequest(
                id=self.new_id("SR"), dataset_id=dataset.id, dataset_name=dataset.name, owner_name=dataset.owner_name,
                purpose=purpose, asked_on=self.now.date(),
            )
        )  # fmt: skip

    @tool(
        writes=True,
        ask=(
            "withdraw my request for {dataset_id}",
            "take back my access request for {dataset_id}",
            "cancel my request for access to {dataset_id}",
            "call off my request for {dataset_id}",
        ),
        reply=("Your request of {asked_on} for the {dataset_name} dataset is taken back.",),
        where=(Having(parameter="dataset_id", field="my_access", among=("asked",)), PUBLISHED),
    )
    def withdraw_request(self, dataset_id: DatasetId) -> Withdrawn:
        """Take back one's own request for a gated dataset, as long as it is not answered.

        Args:
            dataset_id: Dataset that was asked for.
        """
        dataset = visible(self.datasets.require(dataset_id))
        waiting = (row for row in self.sent.values() if (row.dataset_id, row.status) == (dataset.id, "pending"))
        if (request := next(waiting, None)) is None:
            raise ToolError("precondition_failed", f"You have no request for {dataset.name} that is not answered.")
        self.datasets.replace(dataset.evolve(my_access="none"))
        self.sent.delete(request.id)
        return Withdrawn(dataset_name=dataset.name, owner_name=dataset.owner_name, asked_on=request.asked_on)

    @tool(
        ask=(
            "list the[ {status}] access requests for {dataset_id}",
            "show me who has asked for {dataset_id}[, only requests that are {status}]",
            "check the[ {status}] requests for access to {dataset_id}",
            "go through the[ {status}] requests that came for {dataset_id}",
        ),
        noun="[{status} ]access request for {dataset_id}",
        reply=(
            "For the {dataset_name} dataset: {requests}.",
            "There is no such request for the {dataset_name} dataset.",
        ),
        where=(OWN, PUBLISHED, Having(parameter="dataset_id", field="gated", among=(True,))),
    )
    def list_access_requests(
        self, dataset_id: DatasetId, status: Answer | None = None, page: PageNumber = 1
    ) -> RequestPage:
        """List who has asked for one of the signed-in person's datasets, who waits longest first.

        Args:
            dataset_id: Dataset that was asked for.
            status: Only requests that are not answered, or answered like this.
            page: Page of the results, five requests each.
        """
        dataset = own(self.datasets.require(dataset_id))
        came = sorted(
            (request for request in self.requests.values() if request.dataset_id == dataset.id),
            key=lambda request: (request.asked_on, request.id),
        )
        waiting = sum(request.status == "pending" for request in came)
        shown = came if status is None else [request for request in came if request.status == status]
        return RequestPage.of(shown, page, dataset_name=dataset.name, waiting=waiting)

    @tool(
        writes=True,
        ask=(
            "answer {request_id} and {decision} it",
            "reply to {request_id} and {decision} it",
            "decide on {request_id} and {decision} it",
            "settle {request_id} and {decision} it",
        ),
        reply=("The request by {person} for the {dataset_name} dataset is {status}.",),
        where=(Having(parameter="request_id", field="status", among=("pending",)),),
    )
    def answer_request(self, request_id: RequestId, decision: Decision) -> AccessRequest:
        """Answer a request for one of the signed-in person's datasets, or change the answer that was given.

        Args:
            request_id: Request to answer.
            decision: Whether access is granted or refused.
        """
        request = self.requests.require(request_id)
        dataset = own(self.datasets.require(request.dataset_id))
        answer: Answer = "granted" if decision == "grant" else "refused"
        if request.status == answer:
            raise ToolError("conflict", f"The request by {request.person} is {answer} already.")
        if answer == "granted":
            check_purpose(dataset, request.purpose)
        return self.requests.replace(request.evolve(status=answer))

    @tool(
        ask=(
            "list my own datasets[ that are {status}][ on {topic}]",
            "show me which datasets[ on {topic}] I have[ that are {status}]",
            "go through the datasets[ on {topic}] that belong to me[, only those that are {status}]",
            "check my own[ {topic}] datasets[, just the {status} ones]",
        ),
        noun="[{status} ]dataset of mine[ on {topic}]",
        reply=(
            "You have {datasets}. {storage_left} of storage are left, and {transfer_left} of transfer this month.",
            "You have no such dataset.",
        ),
    )
    def list_my_datasets(
        self,
        status: Literal["unpublished", "published", "reopened"] | None = None,
        topic: Topic | None = None,
        page: PageNumber = 1,
    ) -> OwnPage:
        """List the signed-in person's datasets by name, drafts too, and what is left of storage and transfer.

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
        return OwnPage.of(found, page, storage_left=self._account.storage_left, transfer_left=self._transfer_left())

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
        if any(dataset.mine and dataset.name.casefold() == name.casefold() for dataset in self.datasets.values()):
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
        reply=("{name} ({size}) will come out with version {since_version} of the {dataset_name} dataset.",),
        where=(
            OWN,
            OPEN,
            Within(parameter="size", low=20, high=400, step=20),
        ),
    )
    def upload_file(
        self,
        dataset_id: DatasetId,
        name: FileName,
        file_format: Format,
        size: Annotated[int, Field(ge=1, le=5000), Unit("megabyte")],
    ) -> DataFile:
        """Upload a file to a draft or a revision; one of the same name that is not yet published gives way to it.

        Args:
            dataset_id: Dataset to put it into.
            name: Name of the file.
            file_format: Format of the file.
            size: How large the file is.
        """
        dataset = own(self.datasets.require(dataset_id))
        standing(dataset, ("unpublished", "reopened"), "given files before a revision is begun")
        if any(file.name == name for file in self._published(dataset)):
            raise ToolError("conflict", f"{dataset.name} has a published file called {name}; give it another name.")
        former = next((file for file in self._new(dataset) if file.name == name), None)
        if former is None and len(self._files(dataset)) >= FILES:
            raise ToolError("limit_exceeded", f"{dataset.name} has {FILES} files, which is as many as it takes.")
        account = self._account
        left = account.storage_left + (former.size if former else 0) - size
        if left < 0:
            raise ToolError("limit_exceeded", f"The file has {-left} megabytes more than what is left of your storage.")
        if former is not None:
            self.files.delete(former.id)
        self.accounts.replace(account.evolve(storage_left=left))
        self.datasets.replace(dataset.evolve(ready=True))
        return self.files.insert(
            DataFile(
                id=self.new_id("DF"), dataset_id=dataset.id, dataset_name=dataset.name, name=name,
                file_format=file_format, size=size, since_version=dataset.version + 1, published=False,
            )
        )  # fmt: skip

    @tool(
        writes=True,
        ask=(
            "remove {file_id} from its dataset",
            "take {file_id} out of the draft again",
            "delete {file_id} before it is published",
            "drop {file_id} from what is to be published",
        ),
        reply=("{name} is out of the {dataset_name} dataset; {storage_left} of storage are left.",),
        where=(Having(parameter="file_id", field="published", among=(False,)), Ends(parameter="file_id")),
    )
    def remove_file(self, file_id: FileId) -> Removed:
        """Remove a file that is not yet published from a dataset of one's own.

        Args:
            file_id: File to remove.
        """
        file = self.files.require(file_id)
        dataset = own(self.datasets.require(file.dataset_id))
        if file.published:
            raise ToolError(
                "precondition_failed", f"{file.name} came out with version {file.since_version}, so it stays."
            )
        self.files.delete(file.id)
        self.datasets.replace(dataset.evolve(ready=bool(self._new(dataset))))
        return Removed(
            dataset_id=dataset.id, dataset_name=dataset.name, name=file.name, storage_left=self._give_back(file.size)
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
            embargo_until: Day until which only the owner has the files that come out now, a year ahead at most.
        """
        dataset, today = own(self.datasets.require(dataset_id)), self.now.date()
        standing(dataset, ("unpublished", "reopened"), "published")
        new = self._new(dataset)
        if not new:
            raise ToolError("precondition_failed", f"{dataset.name} has no files that are yet to be published.")
        check_embargo(embargo_until, today)
        for file in new:
            self.files.replace(file.evolve(published=True, embargo_until=embargo_until))
        files = self._published(dataset)
        return self.datasets.replace(
            dataset.evolve(
                version=dataset.version + 1, status="published", ready=False, published_on=today,
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
        dataset = standing(own(self.datasets.require(dataset_id)), ("published",), "revised")
        return self.datasets.replace(dataset.evolve(status="reopened"))

    @tool(
        writes=True,
        ask=(
            "discard what is not yet published of {dataset_id}",
            "throw away the draft of {dataset_id}",
            "give up the draft of {dataset_id}",
            "get rid of the draft of {dataset_id}",
        ),
        reply=(
            "The draft of the {dataset_name} dataset is gone with {files}; version {version} stays published.",
            "The draft of the {dataset_name} dataset is gone with {files}.",
        ),
        where=(OWN, OPEN, Ends(parameter="dataset_id")),
    )
    def discard_draft(self, dataset_id: DatasetId) -> Discarded:
        """Throw away a draft, or what a revision has brought, with the files that are not yet published.

        Args:
            dataset_id: Dataset that is a draft or under revision.
        """
        dataset = own(self.datasets.require(dataset_id))
        standing(dataset, ("unpublished", "reopened"), "discarded")
        new = self._new(dataset)
        for file in new:
            self.files.delete(file.id)
        if dataset.version:
            self.datasets.replace(dataset.evolve(status="published", ready=False))
        else:
            self.datasets.delete(dataset.id)
        return Discarded(
            dataset_id=dataset.id, dataset_name=dataset.name, files=len(new), version=dataset.version or None,
            storage_left=self._give_back(sum(file.size for file in new)),
        )  # fmt: skip

    @property
    def _account(self) -> RegistryAccount:
        return self.accounts.require(self.account_id)

    def _give_back(self, size: int) -> int:
        """Storage that is left once so much of it is free again."""
        account = self._account
        return self.accounts.replace(account.evolve(storage_left=account.storage_left + size)).storage_left

    def _transfer_left(self) -> int:
        """What can still be downloaded in the month of the clock."""
        month = self.now.date().replace(day=1)
        return self._account.transfer - sum(row.size for row in self.downloads.values() if row.taken_on >= month)

    def _files(self, dataset: Dataset) -> list[DataFile]:
        """All files of a dataset, by name."""
        files = [file for file in self.files.values() if file.dataset_id == dataset.id]
        return sorted(files, key=lambda file: (file.name, file.id))

    def _published(self, dataset: Dataset) -> list[DataFile]:
        return [file for file in self._files(dataset) if file.published]

    def _new(self, dataset: Dataset) -> list[DataFile]:
        """The files that come with the next version."""
        return [file for file in self._files(dataset) if not file.published]

    @classmethod
    def scenario(cls, world: World, size: int) -> Self:
        """A busy field with two pages of datasets, others, and one's own in every condition, with requests for them."""
        return cls.model_validate(registry(world, size))
