"""A registry of research data: find, cite and download datasets, make and publish one's own, and say who may have them.

A dataset is published in versions: files that are uploaded belong to the next one, and nobody else sees them before it
is published. Whether files can be had follows from the gate of the dataset, the embargo that each was published with,
and what is left of the month's transfer.
"""

import datetime as dt
from typing import Self

from envfactory.catalogue.research import _dataset_records as rec
from envfactory.catalogue.research import _dataset_relations as relations
from envfactory.catalogue.research import _dataset_rules as rules
from envfactory.catalogue.research._dataset_files import Files
from envfactory.catalogue.research._dataset_scenario import registry
from envfactory.environment import Environment, PageNumber, Table, World, standing, tool


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

    account_id: rec.AccountId
    """Account whose session this is."""
    accounts: Table[rec.RegistryAccount]
    datasets: Table[rec.Dataset]
    files: Table[rec.DataFile]
    requests: Table[rec.AccessRequest]
    sent: Table[rec.SentRequest]
    downloads: Table[rec.Download]

    @tool(
        ask=(
            "find datasets on {topic}[ under {licence}][ of at most {max_size}][, {sort} first]",
            "search for {topic} data[ with a {licence} licence][, no more than {max_size}][, {sort} on top]",
            "look up[ {licence}] datasets in {topic}[ of up to {max_size}][, starting with the {sort}]",
            "see what data there are on {topic}[ under a {licence} licence][ with at most {max_size}][, {sort} first]",
        ),
        noun="[{licence} ]dataset on {topic}[ of at most {max_size}]",
        reply=("I found {datasets}.", "There is no such dataset on {topic}."),
        where=relations.SEARCHING,
    )
    def search_datasets(
        self,
        topic: rec.Topic,
        licence: rec.Licence | None = None,
        max_size: rec.MostMegabytes | None = None,
        sort: rec.Order = "newest",
        page: PageNumber = 1,
    ) -> rec.DatasetPage:
        """Search the published datasets in a field of research.

        Args:
            topic: Field of research.
            licence: Only datasets under this licence.
            max_size: Only datasets whose files are at most so large together.
            sort: Order: published last, downloaded most often, or smallest first.
            page: Page of the results, five datasets each.
        """
        found = rules.found(self.datasets.values(), topic, licence, max_size)
        return rec.DatasetPage.of(rules.ranked(found, sort), page)

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
    def get_dataset(self, dataset_id: rec.DatasetId) -> rec.DatasetDetails:
        """Get a dataset with its owner, licence, files, their embargoes, and how one stands to them.

        Args:
            dataset_id: Dataset to look at.
        """
        dataset = rules.visible(self.datasets.require(dataset_id))
        taken = [download.version for download in self.downloads.values() if download.dataset_id == dataset.id]
        return rules.details(dataset, self._files(dataset), max(taken, default=None))

    @tool(
        ask=(
            "give me the {style} citation of {dataset_id}",
            "write out how to cite {dataset_id} in {style} style",
            "get me the {style} reference for {dataset_id}",
            "cite {dataset_id} for me, in {style} format",
        ),
        reply=("{text}",),
        where=relations.CITING,
    )
    def cite_dataset(self, dataset_id: rec.DatasetId, style: rec.Style) -> rec.DatasetCitation:
        """Cite the published version of a dataset.

        Args:
            dataset_id: Dataset to cite.
            style: How the citation is written.
        """
        dataset = standing(rules.visible(self.datasets.require(dataset_id)), ("published", "reopened"), "cited")
        return rec.DatasetCitation(dataset_id=dataset.id, doi=dataset.doi, text=rules.cite(dataset, style))

    @tool(
        writes=True,
        ask=(
            "download {dataset_id}[, only the {file_format} files]",
            "get me the[ {file_format}] files of {dataset_id}",
            "fetch {dataset_id} for me[, just what is in {file_format}]",
            "pull[ the {file_format} files of] {dataset_id} onto my account",
        ),
        reply=("I took {files} of version {version} of the {dataset_name} dataset, {size} in all.",),
        where=relations.DOWNLOADING,
    )
    def download_dataset(self, dataset_id: rec.DatasetId, file_format: rec.Format | None = None) -> rec.Download:
        """Download the published files of a dataset that are not under embargo, within the month's transfer.

        Args:
            dataset_id: Dataset to download.
            file_format: Only files in this format.
        """
        dataset = rules.visible(self.datasets.require(dataset_id))
        standing(dataset, ("published", "reopened"), "downloaded")
        rules.check_access(dataset)
        today = self.now.date()
        files = self._files(dataset).can_be_had(file_format, today)
        rules.check_transfer(files, self._transfer_left())
        self.datasets.replace(dataset.evolve(downloads=dataset.downloads + 1))
        return self.downloads.insert(rules.download(self.new_id("DL"), dataset, files, today))

    @tool(
        writes=True,
        ask=(
            "ask for access to {dataset_id} for {purpose} purposes",
            "request {dataset_id} from its owner, for {purpose} use",
            "apply for {dataset_id}, as I need it for {purpose} purposes",
            "send the owner of {dataset_id} a request for {purpose} use",
        ),
        reply=("{owner_name} has been asked for the {dataset_name} dataset, for {purpose} purposes.",),
        where=relations.REQUESTING,
    )
    def request_access(self, dataset_id: rec.DatasetId, purpose: rec.Purpose) -> rec.SentRequest:
        """Ask the owner of a gated dataset for access to its files.

        Args:
            dataset_id: Dataset to ask for.
            purpose: What the data shall be used for.
        """
        dataset = rules.visible(self.datasets.require(dataset_id))
        rules.check_request(dataset, purpose)
        self.datasets.replace(dataset.evolve(my_access="asked"))
        return self.sent.insert(rules.sent(self.new_id("SR"), dataset, purpose, self.now.date()))

    @tool(
        writes=True,
        ask=(
            "withdraw my request for {dataset_id}",
            "take back my access request for {dataset_id}",
            "cancel my request for access to {dataset_id}",
            "call off my request for {dataset_id}",
        ),
        reply=("Your request of {asked_on} for the {dataset_name} dataset is taken back.",),
        where=relations.WITHDRAWING,
    )
    def withdraw_request(self, dataset_id: rec.DatasetId) -> rec.Withdrawn:
        """Take back one's own request for a gated dataset, as long as it is not answered.

        Args:
            dataset_id: Dataset that was asked for.
        """
        dataset = rules.visible(self.datasets.require(dataset_id))
        request = rules.unanswered(dataset, self.sent.values())
        self.datasets.replace(dataset.evolve(my_access="none"))
        self.sent.delete(request.id)
        return rec.Withdrawn(dataset_name=dataset.name, owner_name=dataset.owner_name, asked_on=request.asked_on)

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
        where=relations.LISTING,
    )
    def list_access_requests(
        self, dataset_id: rec.DatasetId, status: rec.Answer | None = None, page: PageNumber = 1
    ) -> rec.RequestPage:
        """List who has asked for one of the signed-in person's datasets, who waits longest first.

        Args:
            dataset_id: Dataset that was asked for.
            status: Only requests that are not answered, or answered like this.
            page: Page of the results, five requests each.
        """
        dataset = rules.own(self.datasets.require(dataset_id))
        came = rules.came_for(dataset, self.requests.values())
        waiting = sum(request.status == "pending" for request in came)
        shown = came if status is None else [request for request in came if request.status == status]
        return rec.RequestPage.of(shown, page, dataset_name=dataset.name, waiting=waiting)

    @tool(
        writes=True,
        ask=(
            "answer {request_id} and {decision} it",
            "reply to {request_id} and {decision} it",
            "decide on {request_id} and {decision} it",
            "settle {request_id} and {decision} it",
        ),
        reply=("The request by {person} for the {dataset_name} dataset is {status}.",),
        where=relations.ANSWERING,
    )
    def answer_request(self, request_id: rec.RequestId, decision: rec.Decision) -> rec.AccessRequest:
        """Answer a request for one of the signed-in person's datasets, or change the answer that was given.

        Args:
            request_id: Request to answer.
            decision: Whether access is granted or refused.
        """
        request = self.requests.require(request_id)
        dataset = rules.own(self.datasets.require(request.dataset_id))
        return self.requests.replace(rules.answered(request, dataset, decision))

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
        self, status: rec.Stage | None = None, topic: rec.Topic | None = None, page: PageNumber = 1
    ) -> rec.OwnPage:
        """List the signed-in person's datasets by name, drafts too, and what is left of storage and transfer.

        Args:
            status: Only datasets that stand like this.
            topic: Only datasets in this field of research.
            page: Page of the results, five datasets each.
        """
        found = rules.mine(self.datasets.values(), status, topic)
        return rec.OwnPage.of(found, page, storage_left=self._account.storage_left, transfer_left=self._transfer_left())

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
    def create_dataset(
        self, name: rec.DatasetName, topic: rec.Topic, licence: rec.Licence, gated: bool = False
    ) -> rec.Dataset:
        """Create a dataset as a draft, without files.

        Args:
            name: What to call it.
            topic: Field of research.
            licence: What others may do with the data.
            gated: Whether the owner shall decide who may download it.
        """
        rules.check_name(name, self.datasets.values())
        owner = self._account.name
        return self.datasets.insert(rules.new_dataset(self.new_id("DS"), name, topic, licence, owner, gated=gated))

    @tool(
        writes=True,
        ask=(
            "upload '{name}', a {file_format} file of {size}, to {dataset_id}",
            "add '{name}' to {dataset_id}, a {file_format} file of {size}",
            "put the {file_format} file '{name}' ({size}) into {dataset_id}",
            "store '{name}' in {dataset_id}, {size} of {file_format}",
        ),
        reply=("{name} ({size}) will come out with version {since_version} of the {dataset_name} dataset.",),
        where=relations.UPLOADING,
    )
    def upload_file(
        self, dataset_id: rec.DatasetId, name: rec.FileName, file_format: rec.Format, size: rec.UploadMegabytes
    ) -> rec.DataFile:
        """Upload a file to a draft or a revision; one of the same name that is not yet published gives way to it.

        Args:
            dataset_id: Dataset to put it into.
            name: Name of the file.
            file_format: Format of the file.
            size: How large the file is.
        """
        dataset = rules.own(self.datasets.require(dataset_id))
        standing(dataset, ("unpublished", "reopened"), "given files before a revision is begun")
        former = self._files(dataset).giving_way(name)
        self.accounts.replace(rules.storing(self._account, size, former))
        if former is not None:
            self.files.delete(former.id)
        self.datasets.replace(dataset.evolve(ready=True))
        return self.files.insert(rules.new_file(self.new_id("DF"), dataset, name, file_format, size))

    @tool(
        writes=True,
        ask=(
            "remove {file_id} from its dataset",
            "take {file_id} out of the draft again",
            "delete {file_id} before it is published",
            "drop {file_id} from what is to be published",
        ),
        reply=("{name} is out of the {dataset_name} dataset; {storage_left} of storage are left.",),
        where=relations.REMOVING,
    )
    def remove_file(self, file_id: rec.FileId) -> rec.Removed:
        """Remove a file that is not yet published from a dataset of one's own.

        Args:
            file_id: File to remove.
        """
        file = self.files.require(file_id)
        dataset = rules.own(self.datasets.require(file.dataset_id))
        rules.check_removable(file)
        self.files.delete(file.id)
        self.datasets.replace(dataset.evolve(ready=bool(self._files(dataset).new)))
        return rules.removed(file, self._give_back(file.size))

    @tool(
        writes=True,
        ask=(
            "publish {dataset_id}[, with an embargo until {embargo_until}]",
            "make {dataset_id} public[, but keep its files back until {embargo_until}]",
            "release {dataset_id}[, under embargo until {embargo_until}]",
            "put {dataset_id} out[ and hold the files back until {embargo_until}]",
        ),
        reply=("Version {version} of the {name} dataset is published, {size} in all.",),
        where=relations.PUBLISHING,
    )
    def publish_dataset(self, dataset_id: rec.DatasetId, embargo_until: dt.date | None = None) -> rec.Dataset:
        """Publish the next version of a dataset, with the files that were uploaded since the last one.

        Args:
            dataset_id: Dataset to publish.
            embargo_until: Day until which only the owner has the files that come out now, a year ahead at most.
        """
        dataset, today = rules.own(self.datasets.require(dataset_id)), self.now.date()
        standing(dataset, ("unpublished", "reopened"), "published")
        new = self._files(dataset).to_publish()
        rules.check_embargo(embargo_until, today)
        for file in new:
            self.files.replace(file.evolve(published=True, embargo_until=embargo_until))
        return self.datasets.replace(rules.published(dataset, self._files(dataset).published, today))

    @tool(
        writes=True,
        ask=(
            "begin a new version of {dataset_id}",
            "open {dataset_id} for revision",
            "start revising {dataset_id}",
            "make a new draft version of {dataset_id}",
        ),
        reply=("The {name} dataset is open for a new version; version {version} stays published.",),
        where=relations.REVISING,
    )
    def revise_dataset(self, dataset_id: rec.DatasetId) -> rec.Dataset:
        """Begin a new version of a published dataset, which stays as it is until the new one is published.

        Args:
            dataset_id: Dataset to revise.
        """
        dataset = standing(rules.own(self.datasets.require(dataset_id)), ("published",), "revised")
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
        where=relations.DISCARDING,
    )
    def discard_draft(self, dataset_id: rec.DatasetId) -> rec.Discarded:
        """Throw away a draft, or what a revision has brought, with the files that are not yet published.

        Args:
            dataset_id: Dataset that is a draft or under revision.
        """
        dataset = rules.own(self.datasets.require(dataset_id))
        standing(dataset, ("unpublished", "reopened"), "discarded")
        new = self._files(dataset).new
        for file in new:
            self.files.delete(file.id)
        if dataset.version:
            self.datasets.replace(dataset.evolve(status="published", ready=False))
        else:
            self.datasets.delete(dataset.id)
        return rules.discarded(dataset, new, self._give_back(sum(file.size for file in new)))

    @property
    def _account(self) -> rec.RegistryAccount:
        return self.accounts.require(self.account_id)

    def _give_back(self, size: int) -> int:
        """Storage that is left once so much of it is free again."""
        account = self._account
        return self.accounts.replace(account.evolve(storage_left=account.storage_left + size)).storage_left

    def _transfer_left(self) -> int:
        """What can still be downloaded in the month of the clock."""
        return rules.transfer_left(self._account, self.downloads.values(), self.now.date())

    def _files(self, dataset: rec.Dataset) -> Files:
        return Files(dataset, self.files.values())

    @classmethod
    def scenario(cls, world: World, size: int) -> Self:
        """A busy field with two pages of datasets, others, and one's own in every condition, with requests for them."""
        return cls.model_validate(registry(world, size))
