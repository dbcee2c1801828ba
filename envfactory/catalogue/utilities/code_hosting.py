"""A code host: repositories, branches beside their main branch, and pull requests that bring the work of one onto main.

Whether a pull request can be merged follows from the files: those that its branch and main have both changed since they
parted are in conflict. What is merged therefore moves main away from every other branch, and may put it in conflict.
"""

from typing import Literal, Self

from envfactory.catalogue.utilities import _code_records as rec
from envfactory.catalogue.utilities import _code_relations as relations
from envfactory.catalogue.utilities import _code_rules as rules
from envfactory.catalogue.utilities._code_scenario import code_base
from envfactory.catalogue.utilities._code_work import Work
from envfactory.environment import Environment, PageNumber, Table, World, standing, tool


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

    user_id: rec.CoderId
    """User whose session this is."""
    users: Table[rec.Coder]
    developers: Table[rec.Developer]
    repositories: Table[rec.Repository]
    branches: Table[rec.Branch]
    commits: Table[rec.Commit]
    pulls: Table[rec.PullRequest]
    reviews: Table[rec.Review]

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
        team: rec.Team | None = None,
        role: rec.Role | None = None,
        sort: Literal["name", "size"] = "name",
        page: PageNumber = 1,
    ) -> rec.RepositoryPage:
        """Search the repositories that the signed-in user can see.

        Args:
            team: Only repositories of this team.
            role: Only repositories in which the user has this role.
            sort: Order: by name, or most commits first.
            page: Page of the results, five repositories each.
        """
        found = [r for r in self.repositories.values() if team in (None, r.team) and role in (None, r.role)]
        found.sort(key=lambda each: (each.name if sort == "name" else -each.commits, each.id))
        return rec.RepositoryPage.of(found, page)

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
        self, repository_id: rec.RepositoryId, status: rec.BranchStatus | None = None, page: PageNumber = 1
    ) -> rec.BranchPage:
        """List the branches of a repository, those with the most commits ahead of main first.

        Args:
            repository_id: Repository whose branches to list.
            status: Only branches that stand like this.
            page: Page of the results, five branches each.
        """
        self.repositories.require(repository_id)
        found = [b for b in self.branches.values() if b.repository_id == repository_id and status in (None, b.status)]
        found.sort(key=lambda branch: (-branch.commits, branch.id))
        return rec.BranchPage.of(found, page)

    @tool(
        writes=True,
        ask=(
            "create a branch called '{name}' in {repository_id}",
            "start a new branch, '{name}', in {repository_id}",
            "open up a branch named '{name}' off the main branch of {repository_id}",
            "make me a '{name}' branch in {repository_id}",
        ),
        reply=("The {name} branch of {repository_name} is there, even with main.",),
        where=relations.BRANCHING,
    )
    def create_branch(self, repository_id: rec.RepositoryId, name: rec.NewBranchName) -> rec.Branch:
        """Create a branch that is even with main.

        Args:
            repository_id: Repository that it is made in.
            name: What to call it, in small letters with hyphens.
        """
        repository = self.repositories.require(repository_id)
        return self.branches.insert(rules.new_branch(self.new_id("BR"), repository, name, self.branches.values()))

    @tool(
        writes=True,
        ask=(
            "add the line '{line}' to {path} on {branch_id}",
            "commit the line '{line}' in {path} to {branch_id}",
            "put '{line}' into {path} on {branch_id}",
            "change {path} on {branch_id}: add '{line}'",
        ),
        reply=("{path} is changed; the {name} branch is {commits} ahead of main now.",),
        where=relations.COMMITTING,
    )
    def commit_line(self, branch_id: rec.BranchId, path: rec.FilePath, line: rec.Line) -> rec.Branch:
        """Commit one more line of a file to a branch; the file is created if need be, and approvals are dismissed.

        Args:
            branch_id: Branch to commit to.
            path: Path of the file.
            line: Line to add at its end.
        """
        work = self._work
        branch = work.branch(branch_id)
        work.commit(self.new_id("CM"), branch, path, line)
        work.dismiss(branch)
        files = branch.files if path in branch.files else (*branch.files, path)
        failing = None if path == branch.failing_file else branch.failing_file
        return work.put(branch.evolve(commits=branch.commits + 1, files=files, failing_file=failing))

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
        where=relations.UPDATING,
    )
    def update_branch(self, branch_id: rec.BranchId, keep: rec.Version | None = None) -> rec.Branch:
        """Merge main into a branch that is behind it, which is a commit of its own if the branch has work.

        Args:
            branch_id: Branch to bring up to date.
            keep: Whose version of a file to keep where both have changed it; needed if there is such a file.
        """
        work = self._work
        branch = work.branch(branch_id)
        after = rules.up_to_date(branch, keep)
        if branch.clashes:
            work.dismiss(branch)
        if branch.commits:
            work.commit(self.new_id("CM"), branch)
        return work.put(after)

    @tool(
        writes=True,
        ask=(
            "open a pull request for {branch_id} called '{title}'",
            "propose {branch_id} for merging, under the title '{title}'",
            "make a pull request out of {branch_id} and call it '{title}'",
            "put {branch_id} up for review as '{title}'",
        ),
        reply=("The {title} pull request is open in {repository_name}; it is {merge_state}.",),
        where=relations.PROPOSING,
    )
    def open_pull_request(self, branch_id: rec.BranchId, title: rec.NewTitle) -> rec.PullRequest:
        """Open a pull request for a branch that has commits and no open pull request yet.

        Args:
            branch_id: Branch that is to be merged into main.
            title: What it is about.
        """
        work = self._work
        branch = work.branch(branch_id)
        rules.check_proposable(branch)
        team = self.repositories.require(branch.repository_id).team
        pull = self.pulls.insert(rules.new_pull(self.new_id("PR"), branch, team, title, work.user, self.now.date()))
        work.put(branch.evolve(status="in_review"))
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
        repository_id: rec.RepositoryId | None = None,
        status: rec.PullStatus | None = None,
        merge_state: rec.MergeState | None = None,
        mine: bool = False,
        asks_me: bool = False,
        page: PageNumber = 1,
    ) -> rec.PullPage:
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
        rules.check_search(status, merge_state, mine=mine, asks_me=asks_me)
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
        return rec.PullPage.of(found, page)

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
    def get_pull_request(self, pull_id: rec.PullId) -> rec.PullDetails:
        """Get a pull request with its commits, files, conflicts, checks and reviews.

        Args:
            pull_id: Pull request to look at.
        """
        pull, work = self.pulls.require(pull_id), self._work
        needed = self.repositories.require(pull.repository_id).approvals_needed
        branch = self.branches.require(pull.branch_id)
        return rules.details(pull, branch, needed, work.commits_of(branch.id), work.reviews_of(pull))

    @tool(
        ask=(
            "suggest somebody who could review {pull_id}",
            "find out who could look at {pull_id}",
            "see who is free to review {pull_id}",
            "look for reviewers for {pull_id}",
        ),
        noun="reviewer for {pull_id}",
        reply=("You could ask {reviewers}.", "There is nobody left to ask."),
        where=relations.SUGGESTING,
    )
    def suggest_reviewers(self, pull_id: rec.PullId, page: PageNumber = 1) -> rec.ReviewerPage:
        """Suggest developers of the team who have nothing to do with a pull request yet, the least busy first.

        Args:
            pull_id: Pull request that needs a review.
            page: Page of the results, five developers each.
        """
        pull = standing(self.pulls.require(pull_id), ("open",), "reviewed")
        return rec.ReviewerPage.of(self._work.reviewers(pull, self.developers.values()), page)

    @tool(
        writes=True,
        ask=(
            "ask {developer_id} to review {pull_id}",
            "have {pull_id} reviewed by {developer_id}",
            "have {developer_id} look over {pull_id}",
            "get {developer_id} to check {pull_id}",
        ),
        reply=("{reviewer} is asked for a review.",),
        where=relations.ASKING,
    )
    def request_review(self, pull_id: rec.PullId, developer_id: rec.DeveloperId) -> rec.Review:
        """Ask a developer of the team for a review, or for another one; until it comes, the former one counts.

        Args:
            pull_id: Pull request that needs a review.
            developer_id: Who is asked.
        """
        work = self._work
        pull, developer = work.pull(pull_id, "reviewed"), self.developers.require(developer_id)
        former = work.review_by(developer.id, pull)
        rules.check_askable(pull, developer, former, work.waiting(developer))
        if former is not None:
            return self.reviews.replace(former.evolve(asked_again=True))
        return self.reviews.insert(rules.asked(self.new_id("RV"), pull, developer))

    @tool(
        writes=True,
        ask=(
            "review {pull_id} and {verdict}[, with the comment '{comment}']",
            "go over {pull_id} and {verdict}[, saying '{comment}']",
            "do my review of {pull_id} and {verdict}[, with the words '{comment}']",
            "give {pull_id} a review for me and {verdict}[, with the note '{comment}']",
        ),
        reply=("Your review is in; the {title} pull request has {approvals} and is {merge_state}.",),
        where=relations.REVIEWING,
    )
    def review_pull_request(
        self, pull_id: rec.PullId, verdict: rec.Verdict, comment: rec.ReviewComment | None = None
    ) -> rec.PullRequest:
        """Review somebody else's pull request; an earlier review by the signed-in user is replaced.

        Args:
            pull_id: Pull request to review.
            verdict: What the review comes to.
            comment: What to say about it.
        """
        pull, work = standing(self.pulls.require(pull_id), ("open",), "reviewed"), self._work
        rules.check_reviewer(pull, work.commits_of(pull.branch_id))
        former = work.review_by(None, pull)
        if former is not None:
            self.reviews.delete(former.id)
        self.reviews.insert(rules.reviewed(self.new_id("RV"), pull, work.user, verdict, comment))
        self.pulls.replace(pull.evolve(asks_me=False))
        work.settle(pull.repository_id)
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
        where=relations.MERGING,
    )
    def merge_pull_request(self, pull_id: rec.PullId, method: rec.Method = "squash") -> rec.Merged:
        """Merge a pull request into main; every other branch of the repository falls behind by what lands there.

        Args:
            pull_id: Pull request to merge.
            method: As one commit, as the commits it has, or as those with a merge commit.
        """
        work = self._work
        pull = work.pull(pull_id, "merged")
        rules.check_ready(pull)
        branch = self.branches.require(pull.branch_id)
        landed, before = rules.landing(branch, method), work.conflicting()
        self.pulls.replace(pull.evolve(status="merged", merge_state=None))
        work.land(branch, landed)
        now = tuple(other for key, other in work.conflicting().items() if key not in before)
        return rec.Merged(pull_id=pull.id, title=pull.title, landed=landed, now_conflicting=now)

    @tool(
        writes=True,
        ask=(
            "close {pull_id} without merging it",
            "withdraw {pull_id}",
            "reject {pull_id} for good",
            "close {pull_id}, since we are not going to merge it",
        ),
        reply=("The {title} pull request is closed; its branch is still there.",),
        where=relations.CLOSING,
    )
    def close_pull_request(self, pull_id: rec.PullId) -> rec.PullRequest:
        """Close a pull request without merging it; its branch stays and can be worked on.

        Args:
            pull_id: Pull request to close.
        """
        pull = self._work.pull(pull_id, "closed")
        branch = self.branches.require(pull.branch_id)
        self.branches.replace(branch.evolve(status="active"))
        return self.pulls.replace(pull.evolve(status="closed", merge_state=None, asks_me=False))

    @property
    def _work(self) -> Work:
        user = self.users.require(self.user_id)
        return Work(user, self.now, self.repositories, self.branches, self.commits, self.pulls, self.reviews)

    @classmethod
    def scenario(cls, world: World, size: int) -> Self:
        """Repositories in every role, branches ahead, behind and in conflict, pull requests in every state."""
        return cls.model_validate(code_base(world, size))
