"""A code host: repositories, branches beside their main branch, and pull requests that bring the work of one onto main.

Whether a pull request can be merged follows from the files: those that its branch and main have both changed since they
parted are in conflict. What is merged therefore moves main away from every other branch, and may put it in conflict.
"""

from typing import Annotated, Literal, Self

from pydantic import Field

from envfactory.catalogue.utilities._code_records import (
    Branch,
    BranchId,
    BranchPage,
    BranchStatus,
    Coder,
    CoderId,
    Commit,
    Developer,
    DeveloperId,
    FilePath,
    Merged,
    MergeState,
    Method,
    PullDetails,
    PullId,
    PullPage,
    PullRequest,
    PullStatus,
    Repository,
    RepositoryId,
    RepositoryPage,
    Review,
    Reviewer,
    ReviewerPage,
    Role,
    Team,
    Title,
    Verdict,
    Version,
)
from envfactory.catalogue.utilities._code_rules import (
    MOST_WAITING,
    check_ready,
    check_reviewer,
    check_writable,
    landing,
    merge_state_of,
    up_to_date,
)
from envfactory.catalogue.utilities._code_scenario import code_base
from envfactory.environment import (
    Ends,
    Environment,
    FreeText,
    Having,
    PageNumber,
    Sharing,
    Table,
    ToolError,
    World,
    standing,
    tool,
)

WRITABLE = Having(parameter="branch_id", field="role", among=("maintainer", "contributor"))
LIVE = Having(parameter="branch_id", field="status", among=("active", "in_review"))
OPEN = Having(parameter="pull_id", field="status", among=("open",))
OWN = Having(parameter="pull_id", field="mine", among=(True,))
OTHERS = Having(parameter="pull_id", field="mine", among=(False,))
SOME_COMMITS = tuple(range(1, 60))


class CodeHosting(Environment):
    """Work on branches of code repositories, and open, review, merge and close pull requests."""

    domain = "utilities"
    policy = """Work goes onto main by pull requests alone. One can be merged when it is open, in conflict with nothing,
    passes its checks, has the approvals that its repository needs, and no reviewer asks for changes. Maintainers merge
    and close any, contributors only their own; readers change nothing. Nobody reviews their own pull request, or one
    to whose branch they have committed. Reviews are asked of developers of the repository's team who have fewer than 4
    to do; whoever is asked again stands by the former review until the next. A commit dismisses approvals, and so does
    settling a conflict, but not an update without one. Checks fail until the file that breaks them is changed. Never
    merge or close a pull request that was not named."""
    sources = (
        "GitHub REST API, Branches, Pulls, Pull request reviews and Merging",
        "GitLab REST API v4, Merge requests, Approvals and Commits",
        "Bitbucket Cloud REST API 2.0, Pull requests and Refs",
        "Gitea API 1.21, Repository and Pull request endpoints",
    )

    user_id: CoderId
    """User whose session this is."""
    users: Table[Coder]
    developers: Table[Developer]
    repositories: Table[Repository]
    branches: Table[Branch]
    commits: Table[Commit]
    pulls: Table[PullRequest]
    reviews: Table[Review]

    @tool(
        ask=(
            "list the repositories[ of the {team} team][ in which I am a {role}][, by {sort}]",
            "show me which repositories there are[ in the {team} team][ where I am a {role}][, sorted by {sort}]",
            "look up the code repositories[ of the {team} team][ that I can use as a {role}][, by {sort}]",
            "tell me what repositories I can see[ from the {team} team][ as a {role}][, ordered by {sort}]",
        ),
        noun="repository[ of the {team} team][ in which I am a {role}]",
        reply=("I found {repositories}.", "There is no such repository."),
    )
    def search_repositories(
        self,
        team: Team | None = None,
        role: Role | None = None,
        sort: Literal["name", "size"] = "name",
        page: PageNumber = 1,
    ) -> RepositoryPage:
        """Search the repositories that the signed-in user can see.

        Args:
            team: Only repositories of this team.
            role: Only repositories in which the user has this role.
            sort: Order: by name, or most commits first.
            page: Page of the results, five repositories each.
        """
        found = [r for r in self.repositories.values() if team in (None, r.team) and role in (None, r.role)]
        found.sort(key=lambda each: (each.name if sort == "name" else -each.commits, each.id))
        return RepositoryPage.of(found, page)

    @tool(
        ask=(
            "list the branches of {repository_id}[ that are {status}]",
            "show me which branches {repository_id} has[, only the ones that are {status}]",
            "check the branches in {repository_id}[ that are {status}]",
            "see how the branches of {repository_id} compare with main[, just those that are {status}]",
        ),
        noun="[{status} ]branch of {repository_id}",
        reply=("There are {branches}.", "There is no such branch."),
    )
    def list_branches(
        self, repository_id: RepositoryId, status: BranchStatus | None = None, page: PageNumber = 1
    ) -> BranchPage:
        """List the branches of a repository, those with the most commits ahead of main first.

        Args:
            repository_id: Repository whose branches to list.
            status: Only branches that stand like this.
            page: Page of the results, five branches each.
        """
        self.repositories.require(repository_id)
        found = [b for b in self.branches.values() if b.repository_id == repository_id and status in (None, b.status)]
        found.sort(key=lambda branch: (-branch.commits, branch.id))
        return BranchPage.of(found, page)

    @tool(
        writes=True,
        ask=(
            "create a branch called '{name}' in {repository_id}",
            "start a new branch, '{name}', in {repository_id}",
            "open up a branch named '{name}' off the main branch of {repository_id}",
            "make me a '{name}' branch in {repository_id}",
        ),
        reply=("The {name} branch of {repository_name} is there, even with main.",),
        where=(Having(parameter="repository_id", field="role", among=("maintainer", "contributor")),),
    )
    def create_branch(
        self,
        repository_id: RepositoryId,
        name: Annotated[
            Title,
            Field(pattern=r"^[a-z0-9]+([-/][a-z0-9]+)*$"),
            FreeText(
                ("fix-typos", "spring-cleaning", "dark-mode", "new-logo", "faster-start", "try-sso", "docs-update")
            ),
        ],
    ) -> Branch:
        """Create a branch that is even with main.

        Args:
            repository_id: Repository that it is made in.
            name: What to call it, in small letters with hyphens.
        """
        repository = self.repositories.require(repository_id)
        check_writable(repository, repository.name)
        if name == "main" or any(b.repository_id == repository.id and b.name == name for b in self.branches.values()):
            raise ToolError("conflict", f"{repository.name} has a branch called {name} already.")
        return self.branches.insert(
            Branch(
                id=self.new_id("BR"), repository_id=repository.id, repository_name=repository.name,
                role=repository.role, name=name, status="active",
            )
        )  # fmt: skip

    @tool(
        writes=True,
        ask=(
            "add the line '{line}' to {path} on {branch_id}",
            "commit the line '{line}' in {path} to {branch_id}",
            "put '{line}' into {path} on {branch_id}",
            "change {path} on {branch_id}: add '{line}'",
        ),
        reply=("{path} is changed; the {name} branch is {commits} ahead of main now.",),
        where=(WRITABLE, LIVE),
    )
    def commit_line(
        self,
        branch_id: BranchId,
        path: FilePath,
        line: Annotated[
            str,
            Field(min_length=3, max_length=120),
            FreeText(("owner: web team", "version: 2", "last checked in spring", "ask the team first", "timeout: 30")),
        ],
    ) -> Branch:
        """Commit one more line of a file to a branch; the file is created if need be, and approvals are dismissed.

        Args:
            branch_id: Branch to commit to.
            path: Path of the file.
            line: Line to add at its end.
        """
        branch = self._live(branch_id)
        self._commit(branch, path, line)
        self._dismiss(branch)
        files = branch.files if path in branch.files else (*branch.files, path)
        failing = None if path == branch.failing_file else branch.failing_file
        return self._put(branch.evolve(commits=branch.commits + 1, files=files, failing_file=failing))

    @tool(
        writes=True,
        ask=(
            "bring {branch_id} up to date with main[, and keep the {keep} version where both changed a file]",
            "update {branch_id} from main[, keeping the {keep} version of files that are in conflict]",
            "merge main into {branch_id}[ and settle any conflicts in favour of the {keep} version]",
            "catch {branch_id} up with main[; in case of conflict take the {keep} version]",
        ),
        reply=(
            "The {name} branch has all of main now and is {commits} ahead; it changes {files}.",
            "The {name} branch has all of main now.",
        ),
        where=(WRITABLE, LIVE, Having(parameter="branch_id", field="behind", among=SOME_COMMITS)),
    )
    def update_branch(self, branch_id: BranchId, keep: Version | None = None) -> Branch:
        """Merge main into a branch that is behind it, which is a commit of its own if the branch has work.

        Args:
            branch_id: Branch to bring up to date.
            keep: Whose version of a file to keep where both have changed it; needed if there is such a file.
        """
        branch = self._live(branch_id)
        after = up_to_date(branch, keep)
        if branch.clashes:
            self._dismiss(branch)
        if branch.commits:
            self._commit(branch)
        return self._put(after)

    @tool(
        writes=True,
        ask=(
            "open a pull request for {branch_id} called '{title}'",
            "propose {branch_id} for merging, under the title '{title}'",
            "make a pull request out of {branch_id} and call it '{title}'",
            "put {branch_id} up for review as '{title}'",
        ),
        reply=("The {title} pull request is open in {repository_name}; it is {merge_state}.",),
        where=(
            WRITABLE,
            Having(parameter="branch_id", field="status", among=("active",)),
            Having(parameter="branch_id", field="commits", among=SOME_COMMITS),
        ),
    )
    def open_pull_request(
        self,
        branch_id: BranchId,
        title: Annotated[
            Title, FreeText(("clearer errors", "small cleanup", "quicker builds", "better defaults", "safer imports"))
        ],
    ) -> PullRequest:
        """Open a pull request for a branch that has commits and no open pull request yet.

        Args:
            branch_id: Branch that is to be merged into main.
            title: What it is about.
        """
        branch = self._live(branch_id)
        if branch.status == "in_review":
            raise ToolError("conflict", f"There is an open pull request for the {branch.name} branch already.")
        if branch.commits == 0:
            raise ToolError("precondition_failed", f"The {branch.name} branch has no commits to merge.")
        pull = self.pulls.insert(
            PullRequest(
                id=self.new_id("PR"), repository_id=branch.repository_id, repository_name=branch.repository_name,
                role=branch.role, team=self.repositories.require(branch.repository_id).team, branch_id=branch.id,
                branch_name=branch.name, title=title, author=self.users.require(self.user_id).name,
                mine=True, opened_on=self.now.date(),
            )
        )  # fmt: skip
        self._put(branch.evolve(status="in_review"))
        return self.pulls.require(pull.id)

    @tool(
        ask=(
            "find[mine? my][ {status}][ {merge_state}] pull requests[ in {repository_id}][asks_me? for me to review]",
            "list[mine? my][ {status}][ {merge_state}] pull requests[ of {repository_id}][asks_me? I should review]",
            "show me[mine? my][ {status}][ {merge_state}] pull requests[ in {repository_id}][asks_me? I am to review]",
            "look for[mine? my][ {status}][ {merge_state}] pull requests[ in {repository_id}][asks_me? I must review]",
        ),
        noun="[{status} ][{merge_state} ]pull request[mine? of mine][ in {repository_id}][asks_me? I should review]",
        reply=("I found {pull_requests}.", "There is no such pull request."),
    )
    def search_pull_requests(
        self,
        repository_id: RepositoryId | None = None,
        status: PullStatus | None = None,
        merge_state: MergeState | None = None,
        mine: bool = False,
        asks_me: bool = False,
        page: PageNumber = 1,
    ) -> PullPage:
        """Search the pull requests of all repositories, the latest opened first.

        Args:
            repository_id: Only those of this repository.
            status: Only those that stand like this.
            merge_state: Only open ones that are ready to be merged, or are not for this reason.
            mine: Only those that the signed-in user opened.
            asks_me: Only those that the signed-in user is asked to review.
            page: Page of the results, five pull requests each.
        """
        if repository_id is not None:
            self.repositories.require(repository_id)
        if merge_state is not None and status not in (None, "open"):
            raise ToolError("invalid_argument", f"Only open pull requests are ready or not, not {status} ones.")
        if mine and asks_me:
            raise ToolError("invalid_argument", "Nobody is asked to review their own pull requests.")
        found = [
            pull
            for pull in self.pulls.values()
            if repository_id in (None, pull.repository_id)
            and status in (None, pull.status)
            and merge_state in (None, pull.merge_state)
            and (pull.mine or not mine)
            and (pull.asks_me or not asks_me)
        ]
        found.sort(key=lambda pull: (pull.opened_on, pull.id), reverse=True)
        return PullPage.of(found, page)

    @tool(
        ask=(
            "tell me what stands in the way of {pull_id}",
            "look into {pull_id} for me",
            "check what {pull_id} changes and who reviewed it",
            "give me the details of {pull_id}",
        ),
        reply=(
            "{author} opened it and it is {merge_state}: main has changed {clashes}, too.",
            "{author} opened it and it is {merge_state}: {failing_file} breaks the checks.",
            "{author} opened it and it is {merge_state}; it has {approvals} and changes {files}.",
            "{author} opened it; it is {status}.",
        ),
    )
    def get_pull_request(self, pull_id: PullId) -> PullDetails:
        """Get a pull request with its commits, files, conflicts, checks and reviews.

        Args:
            pull_id: Pull request to look at.
        """
        pull = self.pulls.require(pull_id)
        branch = self.branches.require(pull.branch_id)
        return PullDetails(
            pull_id=pull.id, title=pull.title, author=pull.author, branch_id=branch.id, branch_name=branch.name,
            status=pull.status, merge_state=pull.merge_state, approvals=pull.approvals,
            approvals_needed=self.repositories.require(pull.repository_id).approvals_needed,
            files=branch.files, clashes=branch.clashes, failing_file=branch.failing_file,
            commits=tuple(self._commits(branch.id)),
            reviews=tuple(self._reviews(pull)),
        )  # fmt: skip

    @tool(
        ask=(
            "suggest somebody who could review {pull_id}",
            "find out who could look at {pull_id}",
            "see who is free to review {pull_id}",
            "look for reviewers for {pull_id}",
        ),
        noun="reviewer for {pull_id}",
        reply=("You could ask {reviewers}.", "There is nobody left to ask."),
        where=(OPEN,),
    )
    def suggest_reviewers(self, pull_id: PullId, page: PageNumber = 1) -> ReviewerPage:
        """Suggest developers of the team who have nothing to do with a pull request yet, the least busy first.

        Args:
            pull_id: Pull request that needs a review.
            page: Page of the results, five developers each.
        """
        pull = standing(self.pulls.require(pull_id), ("open",), "reviewed")
        known = {pull.author_id, *(review.developer_id for review in self._reviews(pull))}
        found = [
            Reviewer(developer_id=each.id, name=each.name, waiting=waiting)
            for each in self.developers.values()
            if each.team == pull.team and each.id not in known and (waiting := self._waiting(each)) < MOST_WAITING
        ]
        found.sort(key=lambda reviewer: (reviewer.waiting, reviewer.developer_id))
        return ReviewerPage.of(found, page)

    @tool(
        writes=True,
        ask=(
            "ask {developer_id} to review {pull_id}",
            "have {pull_id} reviewed by {developer_id}",
            "have {developer_id} look over {pull_id}",
            "get {developer_id} to check {pull_id}",
        ),
        reply=("{reviewer} is asked for a review.",),
        where=(OPEN, OWN, Sharing(parameter="developer_id", other="pull_id", fields=("team",))),
    )
    def request_review(self, pull_id: PullId, developer_id: DeveloperId) -> Review:
        """Ask a developer of the team for a review, or for another one; until it comes, the former one counts.

        Args:
            pull_id: Pull request that needs a review.
            developer_id: Who is asked.
        """
        pull, developer = self._managed(pull_id, "reviewed"), self.developers.require(developer_id)
        if developer.team != pull.team:
            raise ToolError("invalid_argument", f"{developer.name} is not in the {pull.team} team.")
        if developer.id == pull.author_id:
            raise ToolError("conflict", f"{developer.name} opened this pull request.")
        former = next((r for r in self._reviews(pull) if r.developer_id == developer.id), None)
        if former is not None and former.due:
            raise ToolError("conflict", f"{developer.name} is asked for a review already.")
        if self._waiting(developer) >= MOST_WAITING:
            raise ToolError("limit_exceeded", f"{developer.name} has {MOST_WAITING} reviews to do already.")
        if former is not None:
            return self.reviews.replace(former.evolve(asked_again=True))
        return self.reviews.insert(
            Review(
                id=self.new_id("RV"), pull_id=pull.id, developer_id=developer.id, reviewer=developer.name,
                verdict="asked",
            )
        )  # fmt: skip

    @tool(
        writes=True,
        ask=(
            "review {pull_id} and {verdict}[, with the comment '{comment}']",
            "go over {pull_id} and {verdict}[, saying '{comment}']",
            "do my review of {pull_id} and {verdict}[, with the words '{comment}']",
            "give {pull_id} a review for me and {verdict}[, with the note '{comment}']",
        ),
        reply=("Your review is in; the {title} pull request has {approvals} and is {merge_state}.",),
        where=(OPEN, OTHERS, Having(parameter="pull_id", field="role", among=("maintainer", "contributor"))),
    )
    def review_pull_request(
        self,
        pull_id: PullId,
        verdict: Verdict,
        comment: Annotated[
            str,
            Field(min_length=3, max_length=300),
            FreeText(("I went through every file", "I tried it on my machine", "I only looked at the code")),
        ]
        | None = None,
    ) -> PullRequest:
        """Review somebody else's pull request; an earlier review by the signed-in user is replaced.

        Args:
            pull_id: Pull request to review.
            verdict: What the review comes to.
            comment: What to say about it.
        """
        pull = standing(self.pulls.require(pull_id), ("open",), "reviewed")
        check_reviewer(pull, self._commits(pull.branch_id))
        former = next((r for r in self._reviews(pull) if r.developer_id is None), None)
        if former is not None:
            self.reviews.delete(former.id)
        reviewer = self.users.require(self.user_id).name
        self.reviews.insert(
            Review(id=self.new_id("RV"), pull_id=pull.id, reviewer=reviewer, verdict=verdict, comment=comment)
        )
        self.pulls.replace(pull.evolve(asks_me=False))
        self._settle(pull.repository_id)
        return self.pulls.require(pull.id)

    @tool(
        writes=True,
        ask=(
            "merge {pull_id}[ with the {method} method]",
            "bring {pull_id} onto main[ by {method}]",
            "land {pull_id}[ by way of {method}]",
            "go ahead and merge {pull_id}[, using {method}]",
        ),
        reply=(
            "It is merged, with {landed} on main. These are in conflict with main now: {now_conflicting}.",
            "It is merged, with {landed} on main.",
        ),
        where=(
            OPEN,
            Having(parameter="pull_id", field="role", among=("maintainer",)),
            Having(parameter="pull_id", field="merge_state", among=("ready",)),
        ),
    )
    def merge_pull_request(self, pull_id: PullId, method: Method = "squash") -> Merged:
        """Merge a pull request into main; every other branch of the repository falls behind by what lands there.

        Args:
            pull_id: Pull request to merge.
            method: As one commit, as the commits it has, or as those with a merge commit.
        """
        pull = self._managed(pull_id, "merged")
        check_ready(pull)
        branch, repository = self.branches.require(pull.branch_id), self.repositories.require(pull.repository_id)
        landed = landing(branch, method)
        before = {p.id for p in self.pulls.values() if p.merge_state == "conflicting"}
        self.repositories.replace(repository.evolve(commits=repository.commits + landed))
        self.pulls.replace(pull.evolve(status="merged", merge_state=None))
        self.branches.replace(branch.evolve(status="merged", commits=0, behind=0, main_files=()))
        for other in list(self.branches.values()):
            if other.repository_id == repository.id and other.status != "merged":
                added = tuple(path for path in branch.files if path not in other.main_files)
                self.branches.replace(
                    other.evolve(behind=other.behind + landed, main_files=(*other.main_files, *added))
                )
        self._settle(repository.id)
        now = (p for p in self.pulls.values() if p.merge_state == "conflicting" and p.id not in before)
        return Merged(pull_id=pull.id, title=pull.title, landed=landed, now_conflicting=tuple(now))

    @tool(
        writes=True,
        ask=(
            "close {pull_id} without merging it",
            "withdraw {pull_id}",
            "reject {pull_id} for good",
            "close {pull_id}, since we are not going to merge it",
        ),
        reply=("The {title} pull request is closed; its branch is still there.",),
        where=(
            OPEN,
            Having(parameter="pull_id", field="role", among=("maintainer",)),
            Ends(parameter="pull_id"),
        ),
    )
    def close_pull_request(self, pull_id: PullId) -> PullRequest:
        """Close a pull request without merging it; its branch stays and can be worked on.

        Args:
            pull_id: Pull request to close.
        """
        pull = self._managed(pull_id, "closed")
        branch = self.branches.require(pull.branch_id)
        self.branches.replace(branch.evolve(status="active"))
        return self.pulls.replace(pull.evolve(status="closed", merge_state=None, asks_me=False))

    def _live(self, branch_id: str) -> Branch:
        """A branch that the user can still change."""
        branch = self.branches.require(branch_id)
        check_writable(branch, branch.repository_name)
        return standing(branch, ("active", "in_review"), "changed")

    def _managed(self, pull_id: str, done: str) -> PullRequest:
        """An open pull request that the user opened, or that is in a repository the user maintains."""
        pull = self.pulls.require(pull_id)
        if pull.role != "maintainer" and not pull.mine:
            raise ToolError("permission_denied", f"Only {pull.author} or a maintainer of {pull.repository_name} can.")
        return standing(pull, ("open",), done)

    def _reviews(self, pull: PullRequest) -> list[Review]:
        return [review for review in self.reviews.values() if review.pull_id == pull.id]

    def _commits(self, branch_id: str) -> list[Commit]:
        return [commit for commit in self.commits.values() if commit.branch_id == branch_id]

    def _waiting(self, developer: Developer) -> int:
        return sum(
            review.developer_id == developer.id and review.due and self.pulls.require(review.pull_id).status == "open"
            for review in self.reviews.values()
        )

    def _commit(self, branch: Branch, path: str | None = None, line: str | None = None) -> None:
        """Record a commit by the user: a line of a file, or a merge of main."""
        author = self.users.require(self.user_id).name
        self.commits.insert(
            Commit(
                id=self.new_id("CM"), branch_id=branch.id, path=path, line=line, author=author, mine=True,
                made_at=self.now,
            )
        )  # fmt: skip

    def _dismiss(self, branch: Branch) -> None:
        """Take back the approvals of work that has changed since."""
        for pull in self.pulls.values():
            for review in self._reviews(pull) if pull.branch_id == branch.id and pull.status == "open" else ():
                if review.verdict == "approve":
                    self.reviews.replace(review.evolve(verdict="dismissed"))

    def _put(self, branch: Branch) -> Branch:
        branch = self.branches.replace(branch)
        self._settle(branch.repository_id)
        return branch

    def _settle(self, repository_id: str) -> None:
        """Bring approvals and merge state of a repository's open pull requests up to date."""
        needed = self.repositories.require(repository_id).approvals_needed
        for pull in list(self.pulls.values()):
            if pull.repository_id == repository_id and pull.status == "open":
                reviews = self._reviews(pull)
                approvals = sum(review.verdict == "approve" for review in reviews)
                state = merge_state_of(self.branches.require(pull.branch_id), reviews, needed)
                self.pulls.replace(pull.evolve(approvals=approvals, merge_state=state))

    @classmethod
    def scenario(cls, world: World, size: int) -> Self:
        """Repositories in every role, branches ahead, behind and in conflict, pull requests in every state."""
        return cls.model_validate(code_base(world, size))
