"""The code host, through its tools: what each gives, what it refuses, and what exactly changes."""

from __future__ import annotations

from typing import Any

import pytest

from envfactory.catalogue.utilities.code_hosting import CodeHosting
from envfactory.environment import DEFAULT_NOW, build_scenario
from tests.catalogue.support import Desk, Row, Rows, keyed

# The clock stands at Monday, 2 March 2026, 9:00.


def repository(key: str, name: str, team: str, role: str, **changes: Any) -> Row:
    return {"id": key, "name": name, "team": team, "role": role, "approvals_needed": 1, "commits": 50, **changes}


REPOSITORIES = keyed(
    repository("R-1", "store", "web", "maintainer"),
    repository("R-2", "atlas", "data", "contributor", commits=90),
    repository("R-3", "mail", "web", "reader", commits=70, approvals_needed=0),
)
BELONGS = {
    key: {"repository_id": key, "repository_name": r["name"], "role": r["role"]} for key, r in REPOSITORIES.items()
}


def branch(key: str, status: str = "active", repository_id: str = "R-1", **changes: Any) -> Row:
    return {
        "id": key, **BELONGS[repository_id], "name": f"work-{key[2:]}", "status": status, "commits": 2, "behind": 0,
        "files": ["README.md", "docs/a.md"], "main_files": [], **changes,
    }  # fmt: skip


BRANCHES = keyed(
    branch("B-1", "in_review"),
    branch("B-2", "in_review", behind=3, main_files=["Makefile", "docs/a.md"]),
    branch("B-3", "in_review", failing_file="docs/a.md"),
    branch("B-4", commits=0, files=[]),
    branch("B-5", "merged", commits=0),
    branch("B-6", commits=5, behind=1, main_files=["Makefile"]),
    branch("B-7", "in_review", "R-2"),
    branch("B-8", "in_review", "R-2"),
    branch("B-9", "active", "R-3"),
    branch("B-10", "in_review", "R-3"),
    branch("B-11", "in_review", files=["docs/b.md"]),
)


def pull(key: str, repository_id: str = "R-1", **changes: Any) -> Row:
    """An open pull request of Leo Rossi that lacks approvals, but for the changes."""
    author = {"author": "Maya Novak"} if changes.get("mine") else {"author": "Leo Rossi", "author_id": "D-2"}
    state = {"merge_state": "unapproved"} if changes.get("status", "open") == "open" else {}
    return {
        "id": key, **BELONGS[repository_id], "team": REPOSITORIES[repository_id]["team"], "branch_id": f"B-{key[2:]}",
        "branch_name": f"work-{key[2:]}", "title": f"change {key[2:]}", **author, "mine": False, "asks_me": False,
        "status": "open", **state, "approvals": 0, "opened_on": "2026-02-20", **changes,
    }  # fmt: skip


PULLS = keyed(
    pull("P-1", merge_state="ready", approvals=1),
    pull("P-2", merge_state="conflicting", opened_on="2026-02-25"),
    pull("P-3", merge_state="failing", mine=True, opened_on="2026-02-24"),
    pull("P-5", status="merged"),
    pull("P-7", "R-2", mine=True),
    pull("P-8", "R-2", asks_me=True),
    pull("P-10", "R-3", merge_state="ready"),
    pull("P-11", merge_state="contested", opened_on="2026-02-28"),
)


def review(key: str, pull_id: str, verdict: str, developer_id: str | None = "D-1", **changes: Any) -> Row:
    who = {"D-1": "Ada Kim", "D-2": "Leo Rossi", "D-3": "Omar Sato", None: "Maya Novak"}.get(developer_id, "Ines Costa")
    by = {} if developer_id is None else {"developer_id": developer_id}
    return {
        "id": key, "pull_id": pull_id, **by, "reviewer": who, "verdict": verdict, "asked_again": False, **changes,
    }  # fmt: skip


REVIEWS = keyed(
    review("V-1", "P-1", "approve"),
    review("V-2", "P-11", "request_changes", comment="add a test"),
    review("V-3", "P-8", "asked", None),
    review("V-4", "P-5", "asked"),
    review("V-5", "P-3", "asked"),
)


def developer(key: str, name: str, team: str = "web") -> Row:
    return {"id": key, "name": name, "email": f"{key}@mail.example", "team": team}


COMMIT: Row = {
    "id": "C-1", "branch_id": "B-1", "path": "docs/a.md", "line": "hello", "author": "Leo Rossi",
    "made_at": "2026-02-19T10:00:00", "mine": False,
}  # fmt: skip
STATE: dict[str, Any] = {
    "user_id": "U-1",
    "users": keyed({"id": "U-1", "name": "Maya Novak", "email": "maya@mail.example"}),
    "developers": keyed(
        developer("D-1", "Ada Kim"),
        developer("D-2", "Leo Rossi"),
        developer("D-3", "Omar Sato", "data"),
        developer("D-4", "Ines Costa"),
    ),
    "repositories": REPOSITORIES,
    "branches": BRANCHES,
    "commits": keyed(COMMIT, {**COMMIT, "id": "C-2", "branch_id": "B-2"}),
    "pulls": PULLS,
    "reviews": REVIEWS,
}


def desk(rows: dict[str, Rows] | None = None, **changes: Any) -> Desk:
    return Desk(CodeHosting, STATE, rows=rows, **changes)


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["R-2", "R-3", "R-1"]),
        ({"team": "web"}, ["R-3", "R-1"]),
        ({"role": "contributor"}, ["R-2"]),
        ({"team": "mobile"}, []),
        ({"page": 2}, []),
    ],
)
def test_repositories_are_found(arguments: Row, found: list[str]) -> None:
    assert desk().ids("search_repositories", **arguments) == found


def test_repositories_come_by_name_or_by_size() -> None:
    more = keyed(*(repository(f"R-{n}", f"x{9 - n}", "data", "reader", commits=50 + n) for n in range(4, 8)))
    at = desk({"repositories": more})
    assert at.ids("search_repositories") == ["R-2", "R-3", "R-1", "R-7", "R-6"]
    assert at.ids("search_repositories", page=2) == ["R-5", "R-4"]
    assert at.ids("search_repositories", sort="size") == ["R-2", "R-3", "R-7", "R-6", "R-5"]


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["B-6", "B-1", "B-11", "B-2", "B-3"]),
        ({"page": 2}, ["B-4", "B-5"]),
        ({"status": "in_review"}, ["B-1", "B-11", "B-2", "B-3"]),
        ({"status": "merged"}, ["B-5"]),
        ({"repository_id": "R-3"}, ["B-10", "B-9"]),
    ],
)
def test_branches_of_a_repository_are_listed(arguments: Row, found: list[str]) -> None:
    assert desk().ids("list_branches", **{"repository_id": "R-1", **arguments}) == found


def test_branches_of_no_repository_are_refused() -> None:
    desk().refuses("list_branches", "not_found", "R-9", repository_id="R-9")


def test_a_branch_starts_even_with_main() -> None:
    at = desk()
    made = at.gives("create_branch", repository_id="R-2", name="dark-mode")
    assert made == branch("BR-1001", "active", "R-2", name="dark-mode", commits=0, files=[])
    assert at.changed() == {"branches.created": {"BR-1001": made}}
    at.refuses("create_branch", "conflict", "a branch called dark-mode", repository_id="R-2", name="dark-mode")
    at.refuses("create_branch", "conflict", "a branch called main", repository_id="R-2", name="main")
    at.refuses("create_branch", "invalid_argument", "name", repository_id="R-2", name="Dark mode")
    at.refuses("create_branch", "permission_denied", "You can only read mail", repository_id="R-3", name="dark-mode")
    at.refuses("create_branch", "not_found", "R-9", repository_id="R-9", name="dark-mode")
    assert at.gives("create_branch", repository_id="R-1", name="dark-mode")["id"] == "BR-1002"


def test_a_commit_adds_a_line_to_a_file() -> None:
    at = desk()
    made = at.gives("commit_line", branch_id="B-6", path="docs/new.md", line="hello there")
    assert made == {**BRANCHES["B-6"], "commits": 6, "files": ["README.md", "docs/a.md", "docs/new.md"]}
    commit = {
        "id": "CM-1001", "branch_id": "B-6", "path": "docs/new.md", "line": "hello there", "author": "Maya Novak",
        "made_at": "2026-03-02T09:00:00", "mine": True,
    }  # fmt: skip
    changed = at.changed()
    assert changed["commits.created"] == {"CM-1001": commit}
    assert changed["branches.changed"] == {"B-6": {"commits": 6, "files": made["files"]}}
    assert set(changed) == {"commits.created", "branches.changed"}
    again = at.gives("commit_line", branch_id="B-6", path="docs/new.md", line="and again")
    assert (again["commits"], again["files"]) == (7, made["files"])


def test_a_commit_dismisses_the_approvals_of_its_pull_request_alone() -> None:
    others = keyed(review("V-6", "P-1", "request_changes", "D-4"), review("V-7", "P-7", "approve", "D-3"))
    at = desk({"reviews": others})
    at.gives("commit_line", branch_id="B-1", path="docs/a.md", line="hello")
    changed = at.changed()
    assert changed["reviews.changed"] == {"V-1": {"verdict": "dismissed"}}
    assert changed["pulls.changed"] == {"P-1": {"approvals": 0, "merge_state": "contested"}}


def test_a_commit_to_the_file_that_breaks_the_checks_repairs_them() -> None:
    at = desk()
    at.gives("commit_line", branch_id="B-3", path="README.md", line="hello")
    assert at.gives("get_pull_request", pull_id="P-3")["failing_file"] == "docs/a.md"
    assert "failing_file" not in at.gives("commit_line", branch_id="B-3", path="docs/a.md", line="hello")
    assert at.gives("get_pull_request", pull_id="P-3")["merge_state"] == "unapproved"


CHANGES: list[tuple[str, Row]] = [
    ("commit_line", {"path": "docs/a.md", "line": "hello"}),
    ("update_branch", {"keep": "main"}),
    ("open_pull_request", {"title": "clearer errors"}),
]


@pytest.mark.parametrize(("tool", "more"), CHANGES)
def test_only_live_branches_of_writable_repositories_change(tool: str, more: Row) -> None:
    desk().refuses(tool, "permission_denied", "You can only read mail", branch_id="B-9", **more)
    desk().refuses(tool, "precondition_failed", "is merged, so it cannot be changed", branch_id="B-5", **more)
    desk().refuses(tool, "not_found", "B-99", branch_id="B-99", **more)


@pytest.mark.parametrize("path", ["/etc/x", "docs//a.md", "docs/", "a b.md"])
def test_a_path_leads_to_a_file_of_the_repository(path: str) -> None:
    desk().refuses("commit_line", "invalid_argument", "path", branch_id="B-6", path=path, line="hello")


@pytest.mark.parametrize(("keep", "files"), [("branch", ["README.md", "docs/a.md"]), ("main", ["README.md"])])
def test_a_branch_catches_up_and_its_conflicts_are_settled(keep: str, files: list[str]) -> None:
    at = desk()
    assert at.gives("update_branch", branch_id="B-2", keep=keep) == {
        **BRANCHES["B-2"], "commits": 3, "behind": 0, "main_files": [], "files": files
    }  # fmt: skip
    merge = {
        "id": "CM-1001", "branch_id": "B-2", "author": "Maya Novak", "made_at": "2026-03-02T09:00:00", "mine": True,
    }  # fmt: skip
    changed = at.changed()
    assert set(changed) == {"branches.changed", "pulls.changed", "commits.created"}
    assert changed["pulls.changed"] == {"P-2": {"merge_state": "unapproved"}}
    assert changed["commits.created"] == {"CM-1001": merge}
    assert at.gives("get_pull_request", pull_id="P-2")["commits"][-1] == merge
    at.refuses("update_branch", "conflict", "work-2 branch has all of main already", branch_id="B-2", keep=keep)


def test_a_conflict_is_not_settled_without_a_word_on_what_to_keep() -> None:
    words = "Both changed docs/a.md, so say whether to keep the version of the branch or of main"
    desk().refuses("update_branch", "invalid_argument", words, branch_id="B-2")
    assert desk().gives("update_branch", branch_id="B-6") == {
        **BRANCHES["B-6"], "commits": 6, "behind": 0, "main_files": []
    }  # fmt: skip


def updated(files: list[str], **arguments: Any) -> dict[str, Any]:
    """What changes if main has these files more than the approved branch B-1, which is brought up to date."""
    at = desk({"branches": keyed(branch("B-1", "in_review", behind=2, main_files=files))})
    at.gives("update_branch", branch_id="B-1", **arguments)
    return at.changed()


@pytest.mark.parametrize("keep", ["branch", "main"])
def test_settling_a_conflict_dismisses_approvals(keep: str) -> None:
    changed = updated(["docs/a.md"], keep=keep)
    assert changed["reviews.changed"] == {"V-1": {"verdict": "dismissed"}}
    assert changed["pulls.changed"] == {"P-1": {"approvals": 0, "merge_state": "unapproved"}}


def test_an_update_without_a_conflict_leaves_approvals_alone() -> None:
    assert set(updated(["Makefile"])) == {"branches.changed", "commits.created"}


def test_a_branch_without_work_moves_on_without_a_commit() -> None:
    at = desk({"branches": keyed(branch("B-4", commits=0, files=[], behind=2, main_files=["Makefile"]))})
    assert at.gives("update_branch", branch_id="B-4")["commits"] == 0
    assert set(at.changed()) == {"branches.changed"}


def test_work_is_not_given_up_whole() -> None:
    rows = {"branches": keyed(branch("B-6", files=["Makefile"], behind=1, main_files=["Makefile"]))}
    words = "Nothing of the work-6 branch would be left"
    desk(rows).refuses("update_branch", "precondition_failed", words, branch_id="B-6", keep="main")
    assert desk(rows).gives("update_branch", branch_id="B-6", keep="branch")["files"] == ["Makefile"]


@pytest.mark.parametrize(("failing", "kept"), [("docs/a.md", None), ("README.md", "README.md")])
def test_what_main_replaces_breaks_no_checks_any_more(failing: str, kept: str | None) -> None:
    rows = {"branches": keyed({**BRANCHES["B-2"], "failing_file": failing})}
    assert desk(rows).gives("update_branch", branch_id="B-2", keep="main").get("failing_file") == kept
    assert desk(rows).gives("update_branch", branch_id="B-2", keep="branch")["failing_file"] == failing


def test_a_pull_request_is_opened() -> None:
    at = desk()
    made = at.gives("open_pull_request", branch_id="B-6", title="clearer errors")
    assert made == pull(
        "PR-1001",
        branch_id="B-6",
        branch_name="work-6",
        title="clearer errors",
        mine=True,
        opened_on="2026-03-02",
    )
    assert at.changed() == {
        "pulls.created": {"PR-1001": made},
        "branches.changed": {"B-6": {"status": "in_review"}},
    }
    at.refuses("open_pull_request", "conflict", "an open pull request for the work-6", branch_id="B-6", title="again")
    at.refuses("open_pull_request", "precondition_failed", "work-4 branch has no commits", branch_id="B-4", title="abc")


def test_a_pull_request_knows_from_the_start_what_is_in_its_way() -> None:
    rows = {"branches": keyed(branch("B-6", behind=1, main_files=["README.md"]))}
    assert desk(rows).gives("open_pull_request", branch_id="B-6", title="abc")["merge_state"] == "conflicting"
    rows = {"branches": keyed(branch("B-6", commits=1))}
    assert desk(rows).gives("open_pull_request", branch_id="B-6", title="abc")["merge_state"] == "unapproved"


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["P-11", "P-2", "P-3", "P-8", "P-7"]),
        ({"page": 2}, ["P-5", "P-10", "P-1"]),
        ({"repository_id": "R-2"}, ["P-8", "P-7"]),
        ({"status": "merged"}, ["P-5"]),
        ({"merge_state": "ready"}, ["P-10", "P-1"]),
        ({"status": "open", "merge_state": "unapproved"}, ["P-8", "P-7"]),
        ({"mine": True}, ["P-3", "P-7"]),
        ({"asks_me": True}, ["P-8"]),
    ],
)
def test_pull_requests_are_found(arguments: Row, found: list[str]) -> None:
    assert desk().ids("search_pull_requests", **arguments) == found


@pytest.mark.parametrize("status", ["merged", "closed"])
def test_only_an_open_pull_request_is_ready_or_not(status: str) -> None:
    words = f"Only open pull requests are ready or not, not {status} ones"
    desk().refuses("search_pull_requests", "invalid_argument", words, status=status, merge_state="ready")


@pytest.mark.parametrize("tool", ["merge_pull_request", "close_pull_request"])
def test_what_has_ended_is_not_found_among_what_is_ready(tool: str) -> None:
    at = desk()
    at.gives(tool, pull_id="P-1")
    assert at.ids("search_pull_requests", merge_state="ready") == ["P-10"]
    assert "merge_state" not in at.gives("get_pull_request", pull_id="P-1")


def test_nobody_is_asked_to_review_their_own() -> None:
    words = "Nobody is asked to review their own"
    desk().refuses("search_pull_requests", "invalid_argument", words, mine=True, asks_me=True)


def test_pull_requests_of_no_repository_are_refused() -> None:
    desk().refuses("search_pull_requests", "not_found", "R-9", repository_id="R-9")


def test_a_pull_request_is_shown_with_what_stands_in_its_way() -> None:
    assert desk().gives("get_pull_request", pull_id="P-1") == {
        "pull_id": "P-1", "title": "change 1", "author": "Leo Rossi", "branch_id": "B-1", "branch_name": "work-1",
        "status": "open", "merge_state": "ready", "approvals": 1, "approvals_needed": 1,
        "files": ["README.md", "docs/a.md"], "clashes": [],
        "commits": [COMMIT], "reviews": [REVIEWS["V-1"]],
    }  # fmt: skip
    assert desk().gives("get_pull_request", pull_id="P-2")["clashes"] == ["docs/a.md"]
    assert desk().gives("get_pull_request", pull_id="P-3")["failing_file"] == "docs/a.md"
    desk().refuses("get_pull_request", "not_found", "P-99", pull_id="P-99")


def asked(developer_id: str, pulls: list[str]) -> Rows:
    return keyed(*(review(f"V-{20 + n}", pull_id, "asked", developer_id) for n, pull_id in enumerate(pulls)))


def test_reviewers_of_the_team_are_suggested() -> None:
    suggested = desk().gives("suggest_reviewers", pull_id="P-2")
    assert suggested == {
        "total": 2, "page": 1, "pages": 1, "reviewers": [
            {"developer_id": "D-4", "name": "Ines Costa", "waiting": 0},
            {"developer_id": "D-1", "name": "Ada Kim", "waiting": 1},
        ],
    }  # fmt: skip
    assert desk().gives("suggest_reviewers", pull_id="P-2", page=2)["reviewers"] == []
    assert [row["name"] for row in desk().gives("suggest_reviewers", pull_id="P-1")["reviewers"]] == ["Ines Costa"]
    assert [row["name"] for row in desk().gives("suggest_reviewers", pull_id="P-7")["reviewers"]] == ["Omar Sato"]
    busy = desk({"reviews": asked("D-4", ["P-1", "P-3", "P-7", "P-8"])})
    assert [row["name"] for row in busy.gives("suggest_reviewers", pull_id="P-2")["reviewers"]] == ["Ada Kim"]
    desk().refuses("suggest_reviewers", "precondition_failed", "is merged", pull_id="P-5")
    desk().refuses("suggest_reviewers", "not_found", "P-99", pull_id="P-99")


def test_a_review_is_asked_for() -> None:
    at = desk()
    made = at.gives("request_review", pull_id="P-3", developer_id="D-4")
    assert made == review("RV-1001", "P-3", "asked", "D-4")
    assert at.changed() == {"reviews.created": {"RV-1001": made}}
    at.refuses("request_review", "conflict", "Ines Costa is asked", pull_id="P-3", developer_id="D-4")


@pytest.mark.parametrize("verdict", ["request_changes", "approve", "dismissed"])
def test_another_review_is_asked_for_and_the_former_counts_until_it_comes(verdict: str) -> None:
    former = review("V-2", "P-11", verdict, comment="add a test")
    at = desk({"reviews": keyed(former)})
    assert at.gives("request_review", pull_id="P-11", developer_id="D-1") == {**former, "asked_again": True}
    assert at.changes().tables["reviews"].changed == {"V-2": {"asked_again": True}}
    at.refuses("request_review", "conflict", "Ada Kim is asked", pull_id="P-11", developer_id="D-1")


def test_asking_again_does_not_lift_an_objection() -> None:
    at = desk({"repositories": keyed({**REPOSITORIES["R-1"], "approvals_needed": 0})})
    at.gives("request_review", pull_id="P-11", developer_id="D-1")
    assert set(at.changed()) == {"reviews.changed"}
    at.refuses("merge_pull_request", "precondition_failed", "a reviewer asked for", pull_id="P-11")


def test_a_review_asked_for_again_is_one_more_to_do() -> None:
    rows = asked("D-1", ["P-7", "P-8"]) | keyed(review("V-5", "P-3", "approve", asked_again=True))
    at = desk({"reviews": rows})
    at.gives("request_review", pull_id="P-11", developer_id="D-1")
    at.refuses("request_review", "limit_exceeded", "Ada Kim has 4 reviews", pull_id="P-2", developer_id="D-1")


@pytest.mark.parametrize(
    ("pull_id", "developer_id", "code", "words"),
    [
        ("P-3", "D-3", "invalid_argument", "Omar Sato is not in the web team"),
        ("P-1", "D-2", "conflict", "Leo Rossi opened this"),
        ("P-3", "D-1", "conflict", "Ada Kim is asked for a review already"),
        ("P-8", "D-3", "permission_denied", "Only Leo Rossi or a maintainer of atlas can"),
        ("P-5", "D-4", "precondition_failed", "is merged, so it cannot be reviewed"),
        ("P-99", "D-4", "not_found", "P-99"),
        ("P-3", "D-99", "not_found", "D-99"),
    ],
)
def test_a_review_that_nobody_can_give_is_refused(pull_id: str, developer_id: str, code: str, words: str) -> None:
    desk().refuses("request_review", code, words, pull_id=pull_id, developer_id=developer_id)


def test_nobody_is_asked_for_more_than_four_reviews() -> None:
    rows = asked("D-4", ["P-1", "P-2", "P-7"])
    assert desk({"reviews": rows}).gives("request_review", pull_id="P-3", developer_id="D-4")["verdict"] == "asked"
    rows = asked("D-4", ["P-1", "P-2", "P-7", "P-8"])
    words = "Ines Costa has 4 reviews to do already"
    desk({"reviews": rows}).refuses("request_review", "limit_exceeded", words, pull_id="P-3", developer_id="D-4")
    rows = asked("D-4", ["P-1", "P-2", "P-7", "P-5"])
    assert desk({"reviews": rows}).gives("request_review", pull_id="P-3", developer_id="D-4")["verdict"] == "asked"


def test_a_pull_request_is_approved() -> None:
    at = desk()
    given = at.gives("review_pull_request", pull_id="P-8", verdict="approve", comment="well done")
    assert given == pull("P-8", "R-2", approvals=1, merge_state="ready")
    mine = review("RV-1001", "P-8", "approve", None, comment="well done")
    assert at.changed() == {
        "reviews.deleted": ("V-3",),
        "reviews.created": {"RV-1001": mine},
        "pulls.changed": {"P-8": {"asks_me": False, "approvals": 1, "merge_state": "ready"}},
    }


def test_changes_are_requested_after_an_approval() -> None:
    at = desk()
    assert at.gives("review_pull_request", pull_id="P-1", verdict="approve")["approvals"] == 2
    given = at.gives("review_pull_request", pull_id="P-1", verdict="request_changes")
    assert (given["approvals"], given["merge_state"]) == (1, "contested")
    assert at.changed()["reviews.created"] == {"RV-1002": review("RV-1002", "P-1", "request_changes", None)}


def test_a_review_that_is_not_due_is_refused() -> None:
    at, more = desk(), {"verdict": "approve"}
    at.refuses("review_pull_request", "permission_denied", "Nobody reviews their own", pull_id="P-3", **more)
    at.refuses("review_pull_request", "permission_denied", "You can only read mail", pull_id="P-10", **more)
    at.refuses("review_pull_request", "precondition_failed", "is merged", pull_id="P-5", **more)
    at.refuses("review_pull_request", "not_found", "P-99", pull_id="P-99", **more)


def test_nobody_reviews_what_they_committed_to() -> None:
    at = desk()
    at.gives("commit_line", branch_id="B-1", path="docs/a.md", line="hello")
    words = "You have committed to the work-1 branch yourself"
    at.refuses("review_pull_request", "permission_denied", words, pull_id="P-1", verdict="approve")
    at.gives("review_pull_request", pull_id="P-11", verdict="approve")


def test_two_approvals_may_be_needed() -> None:
    at = desk({"repositories": keyed({**REPOSITORIES["R-1"], "approvals_needed": 2})})
    ready = at.gives("review_pull_request", pull_id="P-1", verdict="approve")
    assert (ready["approvals"], ready["merge_state"]) == (2, "ready")
    at = desk({"repositories": keyed({**REPOSITORIES["R-1"], "approvals_needed": 3})})
    assert at.gives("review_pull_request", pull_id="P-1", verdict="approve")["merge_state"] == "unapproved"


@pytest.mark.parametrize(
    ("arguments", "landed"),
    [({}, 1), ({"method": "squash"}, 1), ({"method": "rebase"}, 2), ({"method": "merge_commit"}, 3)],
)
def test_what_is_merged_moves_main_away_from_every_other_branch(arguments: Row, landed: int) -> None:
    at = desk()
    merged = at.gives("merge_pull_request", pull_id="P-1", **arguments)
    now = {**PULLS["P-3"], "merge_state": "conflicting"}
    assert merged == {"pull_id": "P-1", "title": "change 1", "landed": landed, "now_conflicting": [now]}
    changed = at.changed()
    assert changed["repositories.changed"] == {"R-1": {"commits": 50 + landed}}
    assert changed["pulls.changed"] == {
        "P-1": {"status": "merged", "merge_state": None},
        "P-3": {"merge_state": "conflicting"},
    }
    both = ["README.md", "docs/a.md"]
    assert changed["branches.changed"] == {
        "B-1": {"status": "merged", "commits": 0},
        "B-2": {"behind": 3 + landed, "main_files": ["Makefile", "docs/a.md", "README.md"]},
        "B-3": {"behind": landed, "main_files": both},
        "B-4": {"behind": landed, "main_files": both},
        "B-6": {"behind": 1 + landed, "main_files": ["Makefile", *both]},
        "B-11": {"behind": landed, "main_files": both},
    }
    assert set(changed) == {"repositories.changed", "pulls.changed", "branches.changed"}
    at.refuses("merge_pull_request", "precondition_failed", "is merged, so it cannot be merged", pull_id="P-1")
    shown = at.gives("get_pull_request", pull_id="P-1")
    assert (shown["files"], shown["clashes"], shown["commits"]) == (both, [], [COMMIT])


def test_a_branch_that_is_behind_without_a_conflict_is_merged_and_even() -> None:
    at = desk({"branches": keyed(branch("B-1", "in_review", behind=2, main_files=["Makefile"]))})
    at.gives("merge_pull_request", pull_id="P-1")
    merged = at.changed()["branches.changed"]["B-1"]
    assert merged == {"status": "merged", "commits": 0, "behind": 0, "main_files": []}


@pytest.mark.parametrize(
    ("pull_id", "words"),
    [
        ("P-2", "is in conflict with main"),
        ("P-3", "fails its checks"),
        ("P-7", "needs more approvals"),
        ("P-11", "needs the changes that a reviewer asked for"),
        ("P-5", "is merged, so it cannot be merged"),
    ],
)
def test_what_is_not_ready_is_not_merged(pull_id: str, words: str) -> None:
    desk().refuses("merge_pull_request", "precondition_failed", words, pull_id=pull_id)


@pytest.mark.parametrize("tool", ["merge_pull_request", "close_pull_request"])
def test_only_author_and_maintainers_decide(tool: str) -> None:
    desk().refuses(tool, "permission_denied", "Only Leo Rossi or a maintainer of atlas", pull_id="P-8")
    desk().refuses(tool, "permission_denied", "a maintainer of mail", pull_id="P-10")
    desk().refuses(tool, "not_found", "P-99", pull_id="P-99")


def test_contributors_merge_their_own() -> None:
    at = desk({"pulls": keyed({**PULLS["P-7"], "merge_state": "ready"})})
    merged = at.gives("merge_pull_request", pull_id="P-7")
    assert (merged["landed"], [row["id"] for row in merged["now_conflicting"]]) == (1, ["P-8"])


def test_a_pull_request_is_closed_and_its_branch_lives_on() -> None:
    at = desk()
    closed = at.gives("close_pull_request", pull_id="P-2")
    assert closed == pull("P-2", status="closed", opened_on="2026-02-25")
    assert at.changed() == {
        "pulls.changed": {"P-2": {"status": "closed", "merge_state": None}},
        "branches.changed": {"B-2": {"status": "active"}},
    }
    at.refuses("close_pull_request", "precondition_failed", "is closed, so it cannot be closed", pull_id="P-2")
    at.gives("update_branch", branch_id="B-2", keep="branch")
    reopened = at.gives("open_pull_request", branch_id="B-2", title="once more")
    assert reopened["merge_state"] == "unapproved"
    assert at.gives("get_pull_request", pull_id="P-2")["status"] == "closed"


def test_a_closed_pull_request_asks_nobody() -> None:
    at = desk({"pulls": keyed(pull("P-1", asks_me=True))})
    assert at.gives("close_pull_request", pull_id="P-1")["asks_me"] is False


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("size", [20, 60])
def test_a_scenario_has_its_edge_cases(seed: int, size: int) -> None:
    world = build_scenario(CodeHosting, seed, size, DEFAULT_NOW)
    pulls, branches = list(world.pulls.values()), list(world.branches.values())
    still = [row for row in pulls if row.status == "open"]
    assert {row.status for row in pulls} == {"open", "merged", "closed"}
    assert {row.merge_state for row in still} == {
        "ready", "conflicting", "failing", "contested", "unapproved",
    }  # fmt: skip
    assert {row.status for row in branches} == {"active", "in_review", "merged"}
    assert {row.role for row in world.repositories.values()} == {"maintainer", "contributor", "reader"}
    assert any(row.mine for row in still)
    assert any(row.asks_me for row in still)
    assert any(row.status == "active" and row.commits == 0 for row in branches), "even with main"
    assert sum(row.repository_id == branches[0].repository_id for row in branches) > 5, "several pages"
    verdicts = {row.verdict for row in world.reviews.values()}
    assert verdicts == {"asked", "approve", "request_changes", "dismissed"}
    assert any(row.merge_state == "unapproved" and row.approvals for row in still), "one approval of two"
    objections = [row for row in world.reviews.values() if row.verdict == "request_changes"]
    assert {row.developer_id is None for row in objections} == {True, False}, "one that the user can take back"
    for row in pulls:
        made = [each for each in world.commits.values() if each.branch_id == row.branch_id]
        assert min(each.made_at.date() for each in made) <= row.opened_on < world.now.date()
        assert world.branches[row.branch_id].files, "what it changes, or brought onto main"
        assert (row.merge_state is None) == (row.status != "open")
        assert (row.author_id is None) == row.mine
        assert row.author_id is None or world.developers[row.author_id].name == row.author
        assert [each.mine for each in made] == [row.mine] * len(made)
    for row in still:
        assert (row.mine, row.status) == (row.author == world.users[world.user_id].name, "open")
        given = [each.verdict for each in world.reviews.values() if each.pull_id == row.id]
        assert row.approvals == given.count("approve")
