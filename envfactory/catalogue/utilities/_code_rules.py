"""Rules of the code host on single records: who may write, what a merge of main leaves, what stands in the way."""

import datetime as dt
from collections.abc import Iterable

from envfactory.catalogue.utilities._code_records import (
    Branch,
    Coder,
    Commit,
    Developer,
    MergeState,
    Method,
    PullDetails,
    PullRequest,
    PullStatus,
    Repository,
    Review,
    Team,
    Verdict,
    Version,
)
from envfactory.environment import ToolError

MOST_WAITING = 4
"""Reviews that one developer may be asked for at a time."""

_IN_THE_WAY = {
    "conflicting": "is in conflict with main; bring its branch up to date first",
    "failing": "fails its checks",
    "contested": "needs the changes that a reviewer asked for",
    "unapproved": "needs more approvals",
}


def merge_state_of(branch: Branch, reviews: list[Review], needed: int) -> MergeState:
    """Whether the pull request of a branch can be merged, or what stands in the way most."""
    verdicts = [review.verdict for review in reviews]
    if branch.clashes:
        return "conflicting"
    if branch.failing_file is not None:
        return "failing"
    if "request_changes" in verdicts:
        return "contested"
    return "ready" if verdicts.count("approve") >= needed else "unapproved"


def check_writable(record: Repository | Branch | PullRequest, name: str) -> None:
    """Refuse a reader of the repository called `name`.

    Raises:
        ToolError: `permission_denied`.
    """
    if record.role == "reader":
        raise ToolError("permission_denied", f"You can only read {name}.")


def check_managed(pull: PullRequest) -> None:
    """Refuse a user who neither opened a pull request nor maintains its repository.

    Raises:
        ToolError: `permission_denied`.
    """
    if pull.role != "maintainer" and not pull.mine:
        raise ToolError("permission_denied", f"Only {pull.author} or a maintainer of {pull.repository_name} can.")


def new_branch(key: str, repository: Repository, name: str, branches: Iterable[Branch]) -> Branch:
    """A branch that is even with main.

    Raises:
        ToolError: the repository can only be read, or has a branch of this name.
    """
    check_writable(repository, repository.name)
    if name == "main" or any(each.repository_id == repository.id and each.name == name for each in branches):
        raise ToolError("conflict", f"{repository.name} has a branch called {name} already.")
    return Branch(
        id=key, repository_id=repository.id, repository_name=repository.name, role=repository.role, name=name,
        status="active",
    )  # fmt: skip


def check_proposable(branch: Branch) -> None:
    """Refuse a second open pull request for a branch, and one that brings nothing.

    Raises:
        ToolError: `conflict` or `precondition_failed`.
    """
    if branch.status == "in_review":
        raise ToolError("conflict", f"There is an open pull request for the {branch.name} branch already.")
    if branch.commits == 0:
        raise ToolError("precondition_failed", f"The {branch.name} branch has no commits to merge.")


def new_pull(key: str, branch: Branch, team: Team, title: str, user: Coder, today: dt.date) -> PullRequest:
    """The user's pull request for a branch."""
    return PullRequest(
        id=key, repository_id=branch.repository_id, repository_name=branch.repository_name, role=branch.role,
        team=team, branch_id=branch.id, branch_name=branch.name, title=title, author=user.name, mine=True,
        opened_on=today,
    )  # fmt: skip


def check_search(status: PullStatus | None, merge_state: MergeState | None, *, mine: bool, asks_me: bool) -> None:
    """Refuse to look for pull requests that there cannot be.

    Raises:
        ToolError: `invalid_argument`.
    """
    if merge_state is not None and status not in (None, "open"):
        raise ToolError("invalid_argument", f"Only open pull requests are ready or not, not {status} ones.")
    if mine and asks_me:
        raise ToolError("invalid_argument", "Nobody is asked to review their own pull requests.")


def details(
    pull: PullRequest, branch: Branch, needed: int, commits: Iterable[Commit], reviews: Iterable[Review]
) -> PullDetails:
    """A pull request with what its branch changes and what was said about it."""
    return PullDetails(
        pull_id=pull.id, title=pull.title, author=pull.author, branch_id=branch.id, branch_name=branch.name,
        status=pull.status, merge_state=pull.merge_state, approvals=pull.approvals, approvals_needed=needed,
        files=branch.files, clashes=branch.clashes, failing_file=branch.failing_file, commits=tuple(commits),
        reviews=tuple(reviews),
    )  # fmt: skip


def check_askable(pull: PullRequest, developer: Developer, former: Review | None, waiting: int) -> None:
    """Refuse to ask for a review of whoever is not in the team, opened it, is asked already, or has `waiting` enough.

    Raises:
        ToolError: `invalid_argument`, `conflict` or `limit_exceeded`.
    """
    if developer.team != pull.team:
        raise ToolError("invalid_argument", f"{developer.name} is not in the {pull.team} team.")
    if developer.id == pull.author_id:
        raise ToolError("conflict", f"{developer.name} opened this pull request.")
    if former is not None and former.due:
        raise ToolError("conflict", f"{developer.name} is asked for a review already.")
    if waiting >= MOST_WAITING:
        raise ToolError("limit_exceeded", f"{developer.name} has {MOST_WAITING} reviews to do already.")


def asked(key: str, pull: PullRequest, developer: Developer) -> Review:
    """A review that a developer is asked for."""
    return Review(id=key, pull_id=pull.id, developer_id=developer.id, reviewer=developer.name, verdict="asked")


def reviewed(key: str, pull: PullRequest, user: Coder, verdict: Verdict, comment: str | None) -> Review:
    """The review that the user gives."""
    return Review(id=key, pull_id=pull.id, reviewer=user.name, verdict=verdict, comment=comment)


def check_reviewer(pull: PullRequest, commits: list[Commit]) -> None:
    """Refuse a review by whoever opened a pull request or made one of its `commits`.

    Raises:
        ToolError: `permission_denied`.
    """
    check_writable(pull, pull.repository_name)
    if pull.mine:
        raise ToolError("permission_denied", "Nobody reviews their own pull request.")
    if any(commit.mine for commit in commits):
        raise ToolError("permission_denied", f"You have committed to the {pull.branch_name} branch yourself.")


def check_ready(pull: PullRequest) -> None:
    """Refuse to merge what is not ready.

    Raises:
        ToolError: `precondition_failed`, with what stands in the way.
    """
    if pull.merge_state is not None and pull.merge_state != "ready":
        raise ToolError("precondition_failed", f"This pull request {_IN_THE_WAY[pull.merge_state]}.")


def up_to_date(branch: Branch, keep: Version | None) -> Branch:
    """A branch with all of main in it; where both changed a file, the version to `keep` is left.

    Raises:
        ToolError: it is so already, `keep` is needed, or nothing of the branch would be left.
    """
    if branch.behind == 0:
        raise ToolError("conflict", f"The {branch.name} branch has all of main already.")
    if branch.clashes and keep is None:
        both = " and ".join(branch.clashes)
        raise ToolError(
            "invalid_argument", f"Both changed {both}, so say whether to keep the version of the branch or of main."
        )
    lost = branch.clashes if keep == "main" else ()
    files = tuple(path for path in branch.files if path not in lost)
    if lost and not files:
        raise ToolError("precondition_failed", f"Nothing of the {branch.name} branch would be left.")
    failing = None if branch.failing_file in lost else branch.failing_file
    commits = branch.commits + 1 if branch.commits else 0  # without work of its own it just moves on
    return branch.evolve(behind=0, main_files=(), files=files, failing_file=failing, commits=commits)


def landing(branch: Branch, method: Method) -> int:
    """How many commits come onto main."""
    return {"squash": 1, "rebase": branch.commits, "merge_commit": branch.commits + 1}[method]


def left_behind(branch: Branch, merged: Branch, landed: int) -> Branch:
    """A branch after another one came onto main as so many commits."""
    added = tuple(path for path in merged.files if path not in branch.main_files)
    return branch.evolve(behind=branch.behind + landed, main_files=(*branch.main_files, *added))
