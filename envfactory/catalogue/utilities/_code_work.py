"""The work on the code as the signed-in user has it at a moment: branches, their commits, reviews of pull requests.

Whatever changes here brings the approvals and the merge state of open pull requests up to date.
"""

import datetime as dt
from collections.abc import Iterable

from envfactory.catalogue.utilities import _code_rules as rules
from envfactory.catalogue.utilities._code_records import (
    Branch,
    Coder,
    Commit,
    Developer,
    PullRequest,
    Repository,
    Review,
    Reviewer,
)
from envfactory.environment import Table, standing


class Work:
    """What the user sees and changes of the code."""

    def __init__(
        self,
        user: Coder,
        now: dt.datetime,
        repositories: Table[Repository],
        branches: Table[Branch],
        commits: Table[Commit],
        pulls: Table[PullRequest],
        reviews: Table[Review],
    ) -> None:
        self.user, self.now = user, now
        self._repositories, self._branches, self._commits = repositories, branches, commits
        self._pulls, self._reviews = pulls, reviews

    def branch(self, branch_id: str) -> Branch:
        """A branch that the user can still change."""
        branch = self._branches.require(branch_id)
        rules.check_writable(branch, branch.repository_name)
        return standing(branch, ("active", "in_review"), "changed")

    def pull(self, pull_id: str, done: str) -> PullRequest:
        """An open pull request that the user opened, or that is in a repository the user maintains."""
        pull = self._pulls.require(pull_id)
        rules.check_managed(pull)
        return standing(pull, ("open",), done)

    def commits_of(self, branch_id: str) -> list[Commit]:
        """Commits that were made on a branch."""
        return [commit for commit in self._commits.values() if commit.branch_id == branch_id]

    def reviews_of(self, pull: PullRequest) -> list[Review]:
        """Reviews of a pull request, given and asked for."""
        return [review for review in self._reviews.values() if review.pull_id == pull.id]

    def review_by(self, developer_id: str | None, pull: PullRequest) -> Review | None:
        """The review that a developer, or the user (None), has given or is asked for."""
        return next((review for review in self.reviews_of(pull) if review.developer_id == developer_id), None)

    def waiting(self, developer: Developer) -> int:
        """How many reviews of open pull requests a developer still has to give."""
        return sum(
            review.developer_id == developer.id and review.due and self._pulls.require(review.pull_id).status == "open"
            for review in self._reviews.values()
        )

    def reviewers(self, pull: PullRequest, developers: Iterable[Developer]) -> list[Reviewer]:
        """Those of the team who have nothing to do with a pull request yet and may be asked, the least busy first."""
        known = {pull.author_id, *(review.developer_id for review in self.reviews_of(pull))}
        strangers = [each for each in developers if each.team == pull.team and each.id not in known]
        found = [
            Reviewer(developer_id=each.id, name=each.name, waiting=waiting)
            for each in strangers
            if (waiting := self.waiting(each)) < rules.MOST_WAITING
        ]
        return sorted(found, key=lambda reviewer: (reviewer.waiting, reviewer.developer_id))

    def conflicting(self) -> dict[str, PullRequest]:
        """Pull requests that are in conflict with main."""
        return {key: pull for key, pull in self._pulls.items() if pull.merge_state == "conflicting"}

    def commit(self, key: str, branch: Branch, path: str | None = None, line: str | None = None) -> None:
        """Record a commit by the user: a line of a file, or a merge of main."""
        self._commits.insert(
            Commit(
                id=key, branch_id=branch.id, path=path, line=line, author=self.user.name, mine=True, made_at=self.now
            )
        )

    def dismiss(self, branch: Branch) -> None:
        """Take back the approvals of work that has changed since."""
        for pull in self._pulls.values():
            for review in self.reviews_of(pull) if pull.branch_id == branch.id and pull.status == "open" else ():
                if review.verdict == "approve":
                    self._reviews.replace(review.evolve(verdict="dismissed"))

    def put(self, branch: Branch) -> Branch:
        """Keep a branch as it has become."""
        branch = self._branches.replace(branch)
        self.settle(branch.repository_id)
        return branch

    def land(self, branch: Branch, landed: int) -> None:
        """Bring a branch onto main as so many commits; all others fall behind by them."""
        repository = self._repositories.require(branch.repository_id)
        self._repositories.replace(repository.evolve(commits=repository.commits + landed))
        self._branches.replace(branch.evolve(status="merged", commits=0, behind=0, main_files=()))
        for other in list(self._branches.values()):
            if other.repository_id == repository.id and other.status != "merged":
                self._branches.replace(rules.left_behind(other, branch, landed))
        self.settle(repository.id)

    def settle(self, repository_id: str) -> None:
        """Bring approvals and merge state of a repository's open pull requests up to date."""
        needed = self._repositories.require(repository_id).approvals_needed
        for pull in list(self._pulls.values()):
            if pull.repository_id == repository_id and pull.status == "open":
                reviews = self.reviews_of(pull)
                approvals = sum(review.verdict == "approve" for review in reviews)
                state = rules.merge_state_of(self._branches.require(pull.branch_id), reviews, needed)
                self._pulls.replace(pull.evolve(approvals=approvals, merge_state=state))
