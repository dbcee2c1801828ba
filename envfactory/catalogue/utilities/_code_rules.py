"""Rules of the code host on single records: who may write, what a merge of main leaves, what stands in the way."""

from envfactory.catalogue.utilities._code_records import (
    Branch,
    Commit,
    MergeState,
    Method,
    PullRequest,
    Repository,
    Review,
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
