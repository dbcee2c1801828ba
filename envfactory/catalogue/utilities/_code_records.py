"""Records and results of the code host: repositories, branches and their commits, pull requests and their reviews."""

import datetime as dt
from typing import Annotated, Literal

from pydantic import Field

from envfactory.environment import FreeText, Output, Page, Ranked, Record, Ref, Unit, Value

CoderId = Annotated[str, Ref("Coder")]
DeveloperId = Annotated[str, Ref("Developer")]
RepositoryId = Annotated[str, Ref("Repository")]
BranchId = Annotated[str, Ref("Branch")]
PullId = Annotated[str, Ref("PullRequest")]
PersonName = Annotated[str, Value("person_name", "Full name of a person.")]
FilePath = Annotated[
    str,
    Field(min_length=3, max_length=80, pattern=r"^[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)*$"),
    Value("file_path", "Path of a file in a repository."),
]
Team = Annotated[Literal["web", "data", "mobile", "platform"], Value("dev_team", "Team of developers.")]
Role = Annotated[
    Literal["maintainer", "contributor", "reader"],
    Value("repository_role", "What the signed-in person may do in the repository."),
]
BranchStatus = Annotated[
    Literal["active", "in_review", "merged"], Value("branch_status", "Whether a pull request is open for the branch.")
]
PullStatus = Annotated[
    Literal["open", "merged", "closed"], Value("pull_request_status", "Where a pull request stands.")
]
MergeState = Annotated[
    Literal["ready", "conflicting", "failing", "contested", "unapproved"],
    Value(
        "merge_state",
        "Ready to be merged, or not: changes are asked for if contested, approvals missing if unapproved.",
    ),
]
Verdict = Annotated[Literal["approve", "request_changes"], Value("review_verdict", "What a review comes to.")]
Method = Annotated[Literal["squash", "rebase", "merge_commit"], Value("merge_method", "How commits come into main.")]
Version = Annotated[Literal["branch", "main"], Value("kept_version", "Whose version of a file is kept.")]
Commits = Annotated[int, Field(ge=0), Unit("commit")]
Title = Annotated[str, Field(min_length=3, max_length=60)]
NewBranchName = Annotated[
    Title,
    Field(pattern=r"^[a-z0-9]+([-/][a-z0-9]+)*$"),
    FreeText(("fix-typos", "spring-cleaning", "dark-mode", "new-logo", "faster-start", "try-sso", "docs-update")),
]
NewTitle = Annotated[
    Title, FreeText(("clearer errors", "small cleanup", "quicker builds", "better defaults", "safer imports"))
]
Line = Annotated[
    str,
    Field(min_length=3, max_length=120),
    FreeText(("owner: web team", "version: 2", "last checked in spring", "ask the team first", "timeout: 30")),
]
ReviewComment = Annotated[
    str,
    Field(min_length=3, max_length=300),
    FreeText(("I went through every file", "I tried it on my machine", "I only looked at the code")),
]


class Coder(Record, noun="user", label="{name}"):
    """Who is signed in."""

    id: CoderId
    """Identifier of the user."""
    name: PersonName
    email: Annotated[str, Value("email", "E-mail address.")]


class Developer(Record, noun="developer", label="{name}"):
    """Somebody else who writes and reviews code."""

    id: DeveloperId
    """Identifier of the developer."""
    name: PersonName
    email: Annotated[str, Value("email", "E-mail address.")]
    team: Team


class Repository(
    Record, noun="repository", label="the {name} repository", listing="{name} of the {team} team ({role})"
):
    """A code base; everything is merged into its branch main."""

    id: RepositoryId
    """Identifier of the repository."""
    name: Annotated[str, Value("repository_name", "Name of a repository.")]
    team: Team
    role: Role
    approvals_needed: Annotated[int, Field(ge=0, le=3), Unit("approval")]
    """How many approvals a pull request needs."""
    commits: Annotated[Commits, Ranked("smallest", "largest")]
    """How many commits are on main."""


class Branch(
    Record,
    noun="branch",
    label="the {name} branch[ of {repository_name}]",
    listing="{name} ({status}, {commits} ahead of main, {behind} behind)",
):
    """A line of work beside main."""

    id: BranchId
    """Identifier of the branch."""
    repository_id: RepositoryId
    """Repository that it belongs to."""
    repository_name: Annotated[str, Value("repository_name")]
    role: Role
    name: Title
    """What it is called."""
    status: BranchStatus
    commits: Annotated[Commits, Ranked(high="most advanced")] = 0
    """How many commits it has that are not on main."""
    behind: Annotated[Commits, Ranked(high="most outdated")] = 0
    """How many commits of main it does not have."""
    files: tuple[FilePath, ...] = ()
    """Files that it changes, or brought onto main."""
    main_files: tuple[FilePath, ...] = ()
    """Files that main has changed and the branch does not have."""
    failing_file: FilePath | None = None
    """File that makes the checks fail until it is changed."""

    @property
    def clashes(self) -> tuple[str, ...]:
        """Files that both the branch and main have changed."""
        return tuple(path for path in self.files if path in self.main_files)


class Commit(Record, noun="commit", label="the commit of {made_at}", listing="{author} on {made_at}[, {path}]"):
    """A change of one file on a branch, or a merge of main into it."""

    id: Annotated[str, Ref("Commit")]
    """Identifier of the commit."""
    branch_id: BranchId
    """Branch that it was made on."""
    path: FilePath | None = None
    """File that it changes; none if it brings in main."""
    line: Annotated[str | None, FreeText()] = None
    """Line that was added to the file."""
    author: PersonName
    mine: bool
    """Whether the signed-in person made it."""
    made_at: dt.datetime
    """When it was made."""


class PullRequest(
    Record,
    noun="pull request",
    label="the {title} pull request",
    listing="{title} ({status}[, {merge_state}])",
):
    """Work on a branch that is to be merged into main."""

    id: PullId
    """Identifier of the pull request."""
    repository_id: RepositoryId
    """Repository that it belongs to."""
    repository_name: Annotated[str, Value("repository_name")]
    role: Role
    team: Team
    branch_id: BranchId
    """Branch that it merges."""
    branch_name: Title
    """What that branch is called."""
    title: Annotated[Title, FreeText()]
    """What it is about."""
    author: PersonName
    author_id: DeveloperId | None = None
    """Other developer who opened it; none is the signed-in person."""
    mine: bool
    """Whether the signed-in person opened it."""
    asks_me: bool = False
    """Whether the signed-in person is asked for a review."""
    status: PullStatus = "open"
    merge_state: MergeState | None = None
    """Whether it can be merged, or what stands in the way most; none once it is merged or closed."""
    approvals: Annotated[int, Field(ge=0), Unit("approval")] = 0
    """How many reviewers approve of it."""
    opened_on: dt.date
    """When it was opened."""


class Review(Record, noun="review", label="the review by {reviewer}", listing="{reviewer}: {verdict}"):
    """What somebody makes of a pull request, or is asked to."""

    id: Annotated[str, Ref("CodeReview")]
    """Identifier of the review."""
    pull_id: PullId
    """Pull request that it is about."""
    developer_id: DeveloperId | None = None
    """Other developer who reviews; none is the signed-in person."""
    reviewer: PersonName
    verdict: Literal["asked", "approve", "request_changes", "dismissed"]
    """What it comes to; asked for and not yet given, or dismissed since the work has changed."""
    asked_again: bool = False
    """Whether another one is asked for; until it comes, this one counts."""
    comment: Annotated[str | None, FreeText()] = None
    """What the reviewer says."""

    @property
    def due(self) -> bool:
        """Whether the reviewer still has one to give."""
        return self.verdict == "asked" or self.asked_again


class Reviewer(Output, noun="reviewer", label="{name}", listing="{name} ({waiting} to do)"):
    """Somebody who could review a pull request."""

    developer_id: DeveloperId
    """The developer."""
    name: PersonName
    waiting: Annotated[int, Unit("review"), Ranked("least busy", "busiest")]
    """How many reviews are asked of them, again or for the first time, and not yet given."""


class RepositoryPage(Page):
    """A page of repositories."""

    repositories: tuple[Repository, ...]
    """The repositories on this page."""


class BranchPage(Page):
    """A page of branches."""

    branches: tuple[Branch, ...]
    """The branches on this page."""


class PullPage(Page):
    """A page of pull requests."""

    pull_requests: tuple[PullRequest, ...]
    """The pull requests on this page."""


class ReviewerPage(Page):
    """A page of reviewers."""

    reviewers: tuple[Reviewer, ...]
    """The reviewers on this page."""


class PullDetails(Output):
    """A pull request with what it changes and what was said about it."""

    pull_id: PullId
    """Pull request asked about."""
    title: Annotated[Title, FreeText()]
    """What it is about."""
    author: PersonName
    branch_id: BranchId
    """Branch that it merges."""
    branch_name: Title
    """What that branch is called."""
    status: PullStatus
    merge_state: MergeState | None = None
    """Whether it can be merged, or what stands in the way most; none once it is merged or closed."""
    approvals: Annotated[int, Unit("approval")]
    """How many reviewers approve of it."""
    approvals_needed: Annotated[int, Unit("approval")]
    """How many it needs."""
    files: tuple[FilePath, ...]
    """Files that it changes, or brought onto main."""
    clashes: tuple[FilePath, ...]
    """Files that main has changed as well."""
    failing_file: FilePath | None = None
    """File that makes the checks fail."""
    commits: tuple[Commit, ...]
    """Commits that were made for it."""
    reviews: tuple[Review, ...]
    """Reviews given and asked for."""


class Merged(Output):
    """What merging a pull request comes to."""

    pull_id: PullId
    """Pull request that was merged."""
    title: Annotated[Title, FreeText()]
    """What it is about."""
    landed: Commits
    """How many commits came onto main."""
    now_conflicting: tuple[PullRequest, ...]
    """Other pull requests that are in conflict with main now."""
