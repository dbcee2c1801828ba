"""The task board, through its tools: what each gives, what it refuses, and what exactly changes."""

from __future__ import annotations

from typing import Any

import pytest

from envfactory.catalogue.office.task_board import TaskBoard
from envfactory.environment import DEFAULT_NOW, build_scenario
from tests.catalogue.support import Desk, Row, Rows, keyed

# The clock stands at 2 March 2026, 9:00.

MOVES = {
    "backlog": ["todo"], "todo": ["backlog", "in_progress"], "in_progress": ["todo", "in_review"],
    "in_review": ["in_progress", "done"], "done": ["todo"],
}  # fmt: skip
NAMES = {"M-1": "Ada Bauer", "M-2": "Leo Rossi", "M-3": "Mei Abara", **{f"M-{n}": f"Zoe {n}" for n in range(11, 15)}}
PROJECTS = keyed(
    {"id": "P-1", "name": "Cedar", "role": "admin", "most_in_progress": 2},
    {"id": "P-2", "name": "Beacon", "role": "contributor", "most_in_progress": 1},
    {"id": "P-3", "name": "Aurora", "role": "viewer", "most_in_progress": 3},
    *({"id": f"P-{n}", "name": f"Delta {n}", "role": "viewer", "most_in_progress": 3} for n in (4, 5, 6)),
)


def sprint(key: str, project: str, ends_on: str, status: str, planned: int, capacity: int) -> Row:
    return {
        "id": key, "project_id": project, "name": f"sprint {key[2:]}", "ends_on": ends_on, "capacity": capacity,
        "planned": planned, "status": status,
    }  # fmt: skip


def task(key: str, status: str = "todo", who: str = "", project: str = "P-1", **changes: Any) -> Row:
    row: Row = {
        "id": key, "project_id": project, "project_name": PROJECTS[project]["name"], "title": f"job {key[2:]}",
        "status": status, "moves": MOVES[status], "priority": "medium", "points": 3, "editable": project != "P-3",
        "mine": who == "me", **changes,
    }  # fmt: skip
    if who and who != "me":
        row |= {"assignee_id": who, "assignee_name": NAMES[who]}
    if "sprint_id" in row:
        row["sprint_name"] = f"sprint {row['sprint_id'][2:]}"
    return row


TASKS = keyed(
    task("T-1", "backlog", due="2026-03-20"),
    task("T-2", "todo", "me", priority="urgent", points=5, sprint_id="S-1"),
    task("T-3", "todo", "M-1", priority="low", due="2026-03-10"),
    task("T-4", "in_progress", "me", priority="high"),
    task("T-5", "in_progress", "M-1", points=8),
    task("T-6", "in_review", "M-2", priority="urgent"),
    task("T-7", "done", "M-2", points=13),
    task("T-8", "todo", "M-2", "P-2"),
    task("T-9", "in_progress", "M-2", "P-2"),
    task("T-10", "todo", "me", "P-3"),
    task("T-11", "todo", "me", "P-2"),
    task("T-12", "todo", "me", points=2),
)


def wait(key: str, task_id: str, blocker_id: str) -> Row:
    return {"id": key, "task_id": task_id, "blocker_id": blocker_id}


def comment(key: str, task_id: str, text: str, day: str) -> Row:
    return {"id": key, "task_id": task_id, "author": "Leo Rossi", "text": text, "written_at": f"{day}T10:00:00"}


STATE: dict[str, Any] = {
    "user_id": "U-1",
    "users": keyed({"id": "U-1", "name": "Maya Novak", "email": "maya@mail.example"}),
    "members": keyed(
        *(
            {"id": key, "name": name, "email": f"{key}@mail.example", "skill": "design" if key == "M-2" else "backend"}
            for key, name in NAMES.items()
        )
    ),
    "projects": PROJECTS,
    "sprints": keyed(
        sprint("S-1", "P-1", "2026-03-10", "active", 5, 10),
        sprint("S-2", "P-1", "2026-03-24", "planned", 0, 5),
        sprint("S-3", "P-1", "2026-02-20", "closed", 0, 50),
        sprint("S-4", "P-2", "2026-03-10", "active", 0, 50),
    ),
    "tasks": TASKS,
    "waits": keyed(wait("W-1", "T-2", "T-6"), wait("W-2", "T-3", "T-7"), wait("W-3", "T-12", "T-6")),
    "comments": keyed(
        comment("C-1", "T-2", "soon", "2026-02-20"),
        comment("C-2", "T-3", "later", "2026-02-21"),
        comment("C-3", "T-2", "very soon", "2026-02-22"),
    ),
}


def desk(rows: dict[str, Rows] | None = None, **changes: Any) -> Desk:
    return Desk(TaskBoard, STATE, rows=rows, **changes)


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["P-3", "P-2", "P-1", "P-4", "P-5"]),
        ({"page": 2}, ["P-6"]),
        ({"role": "admin"}, ["P-1"]),
        ({"role": "viewer"}, ["P-3", "P-4", "P-5", "P-6"]),
    ],
)
def test_projects_are_listed_by_name(arguments: Row, found: list[str]) -> None:
    assert desk().ids("list_projects", **arguments) == found


@pytest.mark.parametrize(
    ("arguments", "found", "points"),
    [
        ({"project_id": "P-1"}, ["T-2", "T-6", "T-4", "T-1", "T-12"], 40),
        ({"project_id": "P-1", "page": 2}, ["T-5", "T-7", "T-3"], 40),
        ({"project_id": "P-1", "sort": "due_date"}, ["T-3", "T-1", "T-12", "T-2", "T-4"], 40),
        ({"status": "in_progress"}, ["T-4", "T-5", "T-9"], 14),
        ({"priority": "urgent"}, ["T-2", "T-6"], 8),
        ({"mine": True}, ["T-2", "T-4", "T-10", "T-11", "T-12"], 16),
        ({"mine": True, "status": "done"}, [], 0),
    ],
)
def test_tasks_are_searched_and_sorted(arguments: Row, found: list[str], points: int) -> None:
    assert desk().ids("search_tasks", **arguments) == found
    assert desk().gives("search_tasks", **arguments)["points"] == points


def test_an_unknown_project_has_no_tasks_or_sprints() -> None:
    for tool in ("search_tasks", "list_sprints"):
        desk().refuses(tool, "not_found", "no project with the id 'P-99'", project_id="P-99")


def test_a_task_is_shown_with_what_blocks_it_and_its_comments() -> None:
    assert desk().gives("get_task", task_id="T-2") == {
        "task_id": "T-2", "project_name": "Cedar", "title": "job 2", "status": "todo", "moves": MOVES["todo"],
        "priority": "urgent", "points": 5, "sprint_name": "sprint 1", "assignee": "Maya Novak",
        "open_blockers": [TASKS["T-6"]], "comments": [STATE["comments"]["C-1"], STATE["comments"]["C-3"]],
    }  # fmt: skip
    assert desk().gives("get_task", task_id="T-3")["due"] == "2026-03-10"
    other = desk().gives("get_task", task_id="T-3")
    assert (other["assignee"], other["open_blockers"]) == ("Ada Bauer", [])
    assert "assignee" not in desk().gives("get_task", task_id="T-1")
    desk().refuses("get_task", "not_found", "no task with the id 'T-99'", task_id="T-99")


NEW = {"project_id": "P-1", "title": "footer links", "priority": "high"}


def test_a_task_is_created_in_the_backlog() -> None:
    at = desk()
    created = at.gives("create_task", **NEW, points=8, due="2026-03-02")
    expected = task("TASK-1001", "backlog", title="footer links", priority="high", points=8, due="2026-03-02")
    assert created == expected
    assert at.changed() == {"tasks.created": {"TASK-1001": created}}
    at.refuses(
        "create_task", "conflict", "Cedar has an open task called footer links", **{**NEW, "title": "Footer LINKS"}
    )
    assert at.gives("create_task", **{**NEW, "project_id": "P-2"})["points"] == 3
    assert at.gives("create_task", **{**NEW, "title": "job 7"})["id"] == "TASK-1003"  # the other one is done


@pytest.mark.parametrize(
    ("change", "code", "words"),
    [
        ({"project_id": "P-3"}, "permission_denied", "only look at Aurora"),
        ({"project_id": "P-99"}, "not_found", "P-99"),
        ({"due": "2026-03-01"}, "invalid_argument", "due on 2026-03-01"),
        ({"points": 14}, "invalid_argument", "points"),
        ({"title": "ab"}, "invalid_argument", "title"),
        ({"title": "    "}, "invalid_argument", "three letters"),
        ({"title": "  ab "}, "invalid_argument", "three letters"),
    ],
)
def test_a_task_that_cannot_be_is_refused(change: Row, code: str, words: str) -> None:
    desk().refuses("create_task", code, words, **{**NEW, **change})


def test_a_title_has_no_blanks_around_it() -> None:
    at = desk()
    assert at.gives("create_task", **{**NEW, "title": " footer   links "})["title"] == "footer links"
    at.refuses("create_task", "conflict", "has an open task called footer links", **NEW)
    assert at.gives("create_task", **{**NEW, "title": " faq  "})["title"] == "faq"


ON_TASKS: list[tuple[str, Row]] = [
    ("move_task", {"status": "todo"}),
    ("assign_task", {"member_id": "M-3"}),
    ("take_task", {}),
    ("update_task", {"points": 1}),
    ("block_task", {"blocker_id": "T-4"}),
    ("plan_task", {"sprint_id": "S-1"}),
    ("unassign_task", {}),
    ("unplan_task", {}),
    ("unblock_task", {"blocker_id": "T-4"}),
    ("add_comment", {"text": "all right"}),
]


FREE = ("move_task", "unblock_task", "add_comment")
"""What can be done with a task that is done."""


@pytest.mark.parametrize(("tool", "more"), ON_TASKS)
def test_a_task_of_a_project_one_only_looks_at_cannot_be_changed(tool: str, more: Row) -> None:
    desk().refuses(tool, "permission_denied", "You can only look at Aurora", task_id="T-10", **more)
    desk().refuses(tool, "not_found", "T-99", task_id="T-99", **more)


@pytest.mark.parametrize(("tool", "more"), [pair for pair in ON_TASKS if pair[0] not in FREE])
def test_a_done_task_stays_as_it_is(tool: str, more: Row) -> None:
    desk().refuses(tool, "precondition_failed", "The job 7 task is done", task_id="T-7", **more)


@pytest.mark.parametrize(
    ("task_id", "status"),
    [("T-1", "todo"), ("T-2", "backlog"), ("T-5", "in_review"), ("T-5", "todo"), ("T-7", "todo"), ("T-6", "done")],
)
def test_a_task_moves_one_step(task_id: str, status: str) -> None:
    at = desk()
    moved = at.gives("move_task", task_id=task_id, status=status)
    assert (moved["task_id"], moved["title"], moved["status"]) == (task_id, f"job {task_id[2:]}", status)
    assert at.changed() == {"tasks.changed": {task_id: {"status": status, "moves": MOVES[status]}}}


@pytest.mark.parametrize(("task_id", "status", "to"), [("T-1", "done", "todo"), ("T-4", "done", "todo or in review")])
def test_no_step_is_left_out(task_id: str, status: str, to: str) -> None:
    desk().refuses("move_task", "precondition_failed", f"can go to {to}", task_id=task_id, status=status)


def test_what_is_done_unblocks_what_waits_for_nothing_else() -> None:
    at = desk({"waits": keyed(wait("W-4", "T-12", "T-4"))})
    assert at.gives("move_task", task_id="T-6", status="done")["unblocked"] == [TASKS["T-2"]]
    assert desk().gives("move_task", task_id="T-6", status="in_progress")["unblocked"] == []


def test_a_task_is_not_done_while_another_blocks_it() -> None:
    at = desk({"waits": keyed(wait("W-4", "T-6", "T-4"))})
    at.refuses("move_task", "precondition_failed", "waits for the job 4 task", task_id="T-6", status="done")
    at.gives("unblock_task", task_id="T-6", blocker_id="T-4")
    at.gives("move_task", task_id="T-6", status="done")


def test_a_task_starts_when_somebody_does_it_and_nothing_blocks_it() -> None:
    desk().refuses("move_task", "precondition_failed", "waits for the job 6 task", task_id="T-2", status="in_progress")
    assert desk().gives("move_task", task_id="T-3", status="in_progress")["status"] == "in_progress"
    nobody = desk({"tasks": keyed(task("T-3"))})
    nobody.refuses("move_task", "precondition_failed", "Nobody does the job 3", task_id="T-3", status="in_progress")


def test_nobody_has_more_in_progress_than_the_project_allows() -> None:
    start = {"status": "in_progress"}
    words = "Beacon allows a person 1 tasks in progress"
    desk().refuses("move_task", "limit_exceeded", words, task_id="T-8", **start)
    assert desk().gives("move_task", task_id="T-11", **start)["status"] == "in_progress"  # none there is mine
    free = {"waits": keyed(wait("W-3", "T-12", "T-7"))}
    at = desk(free)
    at.gives("move_task", task_id="T-12", **start)  # the second of two
    third = desk({**free, "tasks": keyed(task("T-20", "in_progress", "me"))})
    third.refuses("move_task", "limit_exceeded", "Cedar allows a person 2 tasks", task_id="T-12", **start)


def test_a_task_is_assigned_within_what_a_member_can_bear() -> None:
    at = desk()
    assert at.gives("assign_task", task_id="T-12", member_id="M-1") == {
        "id": "M-1", "name": "Ada Bauer", "skill": "backend", "open_points": 13
    }  # fmt: skip
    assert at.changed() == {
        "tasks.changed": {"T-12": {"mine": False, "assignee_id": "M-1", "assignee_name": "Ada Bauer"}}
    }
    at.refuses("assign_task", "conflict", "Ada Bauer does the job 3 task already", task_id="T-3", member_id="M-1")
    at.refuses("assign_task", "not_found", "no member with the id 'M-99'", task_id="T-3", member_id="M-99")


@pytest.mark.parametrize(("points", "allowed"), [(8, True), (9, False)])
@pytest.mark.parametrize("status", ["backlog", "todo", "in_progress", "in_review"])
def test_thirty_points_are_the_most(status: str, points: int, *, allowed: bool) -> None:
    busy = [task(f"T-2{n}", who="M-3", points=11) for n in (1, 2)]
    rows = {"tasks": keyed(task("T-1", status, points=points), task("T-23", "done", "M-3"), *busy)}
    at, arguments = desk(rows), {"task_id": "T-1", "member_id": "M-3"}
    if allowed:
        assert at.gives("assign_task", **arguments)["open_points"] == 30
    else:
        at.refuses("assign_task", "limit_exceeded", "Mei Abara has 22 points open, 30 at most", **arguments)


@pytest.mark.parametrize(("points", "allowed"), [(8, True), (9, False)])
@pytest.mark.parametrize("who", ["me", "M-3"])
def test_thirty_points_are_the_most_however_they_come(who: str, points: int, *, allowed: bool) -> None:
    calls: list[tuple[str, Row, Row]] = [
        ("move_task", {"status": "todo"}, task("T-1", "done", who, points=points)),
        ("update_task", {"points": points + 2}, task("T-1", "todo", who, points=2)),
    ]
    if who == "me":
        calls.append(("take_task", {}, task("T-1", points=points)))
    for tool, more, about in calls:
        full = 22 - (2 if tool == "update_task" else 0)  # with the two points that it has
        rows = keyed(about, *(task(f"T-2{n}", "todo", who, points=full // 2) for n in (1, 2)))
        at = desk(tasks=rows, waits={})
        if allowed:
            at.gives(tool, task_id="T-1", **more)
        else:
            at.refuses(tool, "limit_exceeded", "has 22 points open, 30 at most", task_id="T-1", **more)


def test_who_has_too_much_may_still_go_on_and_have_less() -> None:
    at = desk({"tasks": keyed(*(task(f"T-2{n}", who="M-3", points=13) for n in (1, 2, 3)))})
    assert at.gives("update_task", task_id="T-21", points=12)["points"] == 12
    assert at.gives("move_task", task_id="T-21", status="in_progress")["status"] == "in_progress"


def test_a_task_in_progress_is_taken_or_assigned_within_the_limit() -> None:
    two = {"tasks": keyed(task("T-20", "in_progress", "M-1"), task("T-21", "in_progress", "me"))}
    desk(two).refuses("assign_task", "limit_exceeded", "Cedar allows a person 2", task_id="T-4", member_id="M-1")
    desk(two).refuses("take_task", "limit_exceeded", "Cedar allows a person 2", task_id="T-5")
    assert desk().gives("take_task", task_id="T-5")["mine"]
    assert desk(two).gives("take_task", task_id="T-3")["mine"]  # it is not in progress
    assert desk(two).gives("assign_task", task_id="T-12", member_id="M-1")["open_points"] == 16


def test_a_task_is_taken() -> None:
    at = desk()
    taken = at.gives("take_task", task_id="T-3")
    assert taken == {**task("T-3", "todo", "me", priority="low", due="2026-03-10")}
    assert at.changed() == {"tasks.changed": {"T-3": {"mine": True, "assignee_id": None, "assignee_name": None}}}
    at.refuses("take_task", "conflict", "You do the job 3 task already", task_id="T-3")


@pytest.mark.parametrize(
    "change", [{"priority": "low"}, {"points": 1}, {"due": "2026-03-02"}, {"priority": "high", "points": 2}]
)
def test_a_task_is_updated_in_what_is_said(change: Row) -> None:
    at = desk()
    assert at.gives("update_task", task_id="T-1", **change) == {**TASKS["T-1"], **change}
    assert at.changed() == {"tasks.changed": {"T-1": change}}


def test_a_sprint_follows_the_points_of_its_tasks() -> None:
    at = desk()
    at.gives("update_task", task_id="T-2", points=8)
    assert at.changed()["sprints.changed"] == {"S-1": {"planned": 8}}
    at.gives("update_task", task_id="T-2", points=1)
    assert at.changed()["sprints.changed"] == {"S-1": {"planned": 1}}
    at.gives("update_task", task_id="T-2", priority="low")
    assert at.changed()["sprints.changed"] == {"S-1": {"planned": 1}}


@pytest.mark.parametrize(("points", "allowed"), [(10, True), (11, False)])
def test_a_task_must_still_fit_into_its_sprint(points: int, *, allowed: bool) -> None:
    at = desk()
    if allowed:
        assert at.gives("update_task", task_id="T-2", points=points)["points"] == points
    else:
        words = "sprint 1 has 5 points left, not 6"
        at.refuses("update_task", "limit_exceeded", words, task_id="T-2", points=points)
    full = desk({"sprints": keyed(sprint("S-1", "P-1", "2026-03-10", "active", 12, 10))})
    assert full.gives("update_task", task_id="T-2", points=4)["points"] == 4


def test_an_update_says_something_new() -> None:
    words = "Say what shall be different"
    desk().refuses("update_task", "invalid_argument", words, task_id="T-1")
    desk().refuses("update_task", "invalid_argument", words, task_id="T-1", points=3, priority="medium")
    desk().refuses("update_task", "invalid_argument", "due on 2026-03-01", task_id="T-1", due="2026-03-01")


def test_a_task_waits_for_another() -> None:
    at = desk()
    blocked = at.gives("block_task", task_id="T-4", blocker_id="T-5")
    assert blocked["open_blockers"] == [TASKS["T-5"]]
    assert at.changed() == {"waits.created": {"WAIT-1001": wait("WAIT-1001", "T-4", "T-5")}}
    assert [t["id"] for t in at.gives("block_task", task_id="T-4", blocker_id="T-2")["open_blockers"]] == ["T-5", "T-2"]


@pytest.mark.parametrize(
    ("task_id", "blocker_id", "code", "words"),
    [
        ("T-2", "T-8", "invalid_argument", "The job 8 task belongs to Beacon"),
        ("T-2", "T-6", "conflict", "waits for the job 6 task already"),
        ("T-2", "T-7", "precondition_failed", "The job 7 task is done"),
        ("T-6", "T-2", "conflict", "The job 2 task waits for the job 6 task itself"),
        ("T-6", "T-6", "conflict", "itself"),
        ("T-2", "T-99", "not_found", "T-99"),
    ],
)
def test_a_wait_that_cannot_be_is_refused(task_id: str, blocker_id: str, code: str, words: str) -> None:
    desk().refuses("block_task", code, words, task_id=task_id, blocker_id=blocker_id)


def test_no_circle_is_closed_however_long() -> None:
    at = desk()
    at.gives("block_task", task_id="T-6", blocker_id="T-4")
    at.gives("block_task", task_id="T-4", blocker_id="T-1")
    at.refuses("block_task", "conflict", "job 2 task waits for the job 1", task_id="T-1", blocker_id="T-2")
    at.gives("block_task", task_id="T-1", blocker_id="T-5")


def test_a_task_waits_no_longer() -> None:
    at = desk({"waits": keyed(wait("W-4", "T-2", "T-4"))})
    assert at.gives("unblock_task", task_id="T-2", blocker_id="T-6")["open_blockers"] == [TASKS["T-4"]]
    assert at.changed() == {"waits.deleted": ("W-1",)}
    words = "job 2 task does not wait for the job 6 task"
    at.refuses("unblock_task", "conflict", words, task_id="T-2", blocker_id="T-6")
    at.refuses("unblock_task", "conflict", "does not wait", task_id="T-6", blocker_id="T-2")
    at.refuses("unblock_task", "not_found", "T-99", task_id="T-2", blocker_id="T-99")
    at.gives("block_task", task_id="T-2", blocker_id="T-6")
    desk().gives("unblock_task", task_id="T-3", blocker_id="T-7")  # though that is done


@pytest.mark.parametrize(("task_id", "who"), [("T-2", {"mine": False}), ("T-3", {})])
def test_a_task_is_left_to_nobody(task_id: str, who: Row) -> None:
    at = desk()
    left = at.gives("unassign_task", task_id=task_id)
    nobody = {k: v for k, v in TASKS[task_id].items() if k not in ("assignee_id", "assignee_name")}
    assert left == {**nobody, "mine": False}
    freed = {} if who else {"assignee_id": None, "assignee_name": None}
    assert at.changed() == {"tasks.changed": {task_id: {**who, **freed}}}
    words = f"Nobody does the job {task_id[2:]} task"
    at.refuses("unassign_task", "conflict", words, task_id=task_id)


def test_what_has_begun_is_not_left_to_nobody() -> None:
    for task_id, stands in (("T-5", "in progress"), ("T-6", "in review")):
        desk().refuses("unassign_task", "precondition_failed", f"is {stands}; move it back", task_id=task_id)
    later = desk({"tasks": keyed(task("T-3", "backlog", "M-1"))})
    assert "assignee_id" not in later.gives("unassign_task", task_id="T-3")


def test_a_task_leaves_its_sprint() -> None:
    at = desk()
    left = at.gives("unplan_task", task_id="T-2")
    assert left == {k: v for k, v in TASKS["T-2"].items() if k not in ("sprint_id", "sprint_name")}
    assert at.changed() == {
        "sprints.changed": {"S-1": {"planned": 0}},
        "tasks.changed": {"T-2": {"sprint_id": None, "sprint_name": None}},
    }
    at.refuses("unplan_task", "conflict", "job 2 task is planned for no sprint", task_id="T-2")


def test_sprints_are_listed_in_pages() -> None:
    many = {"sprints": keyed(*(sprint(f"S-{n}", "P-1", "2026-04-10", "planned", 0, 9) for n in (11, 12, 13)))}
    assert desk(many).ids("list_sprints", project_id="P-1") == ["S-3", "S-1", "S-2", "S-11", "S-12"]
    assert desk(many).ids("list_sprints", project_id="P-1", page=2) == ["S-13"]


@pytest.mark.parametrize(("status", "found"), [(None, ["S-3", "S-1", "S-2"]), ("active", ["S-1"])])
def test_sprints_are_listed_by_their_end(status: str | None, found: list[str]) -> None:
    arguments = {} if status is None else {"status": status}
    assert desk().ids("list_sprints", project_id="P-1", **arguments) == found
    page = desk().gives("list_sprints", project_id="P-4")
    assert page == {"total": 0, "page": 1, "pages": 1, "sprints": []}


def test_a_task_is_planned_and_leaves_its_former_sprint() -> None:
    at = desk()
    assert at.gives("plan_task", task_id="T-2", sprint_id="S-2") == {
        "task_id": "T-2", "sprint_name": "sprint 2", "left": 0
    }  # fmt: skip
    assert at.changed() == {
        "sprints.changed": {"S-1": {"planned": 0}, "S-2": {"planned": 5}},
        "tasks.changed": {"T-2": {"sprint_id": "S-2", "sprint_name": "sprint 2"}},
    }
    assert at.gives("plan_task", task_id="T-1", sprint_id="S-1")["left"] == 7
    assert at.changed()["sprints.changed"]["S-1"] == {"planned": 3}


@pytest.mark.parametrize(
    ("task_id", "sprint_id", "code", "words"),
    [
        ("T-1", "S-4", "invalid_argument", "sprint 4 takes tasks of its own project"),
        ("T-1", "S-3", "precondition_failed", "sprint 3 is closed"),
        ("T-2", "S-1", "conflict", "planned for sprint 1 already"),
        ("T-5", "S-2", "limit_exceeded", "sprint 2 has 5 points left, not 8"),
        ("T-1", "S-99", "not_found", "no sprint with the id 'S-99'"),
    ],
)
def test_a_sprint_that_cannot_take_a_task_refuses(task_id: str, sprint_id: str, code: str, words: str) -> None:
    desk().refuses("plan_task", code, words, task_id=task_id, sprint_id=sprint_id)


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, [("M-11", 0), ("M-12", 0), ("M-13", 0), ("M-14", 0), ("M-3", 0)]),
        ({"page": 2}, [("M-2", 9), ("M-1", 11)]),
        ({"skill": "design"}, [("M-2", 9)]),
        ({"skill": "testing"}, []),
    ],
)
def test_members_are_listed_with_their_loads(arguments: Row, found: list[tuple[str, int]]) -> None:
    members = desk().gives("list_members", **arguments)["members"]
    assert [(row["id"], row["open_points"]) for row in members] == found


def test_a_comment_is_kept_with_its_time() -> None:
    at = desk()
    written = at.gives("add_comment", task_id="T-7", text="all right")
    assert written == {
        "id": "COM-1001", "task_id": "T-7", "author": "Maya Novak", "text": "all right",
        "written_at": "2026-03-02T09:00:00",
    }  # fmt: skip
    assert at.changed() == {"comments.created": {"COM-1001": written}}
    at.refuses("add_comment", "invalid_argument", "text", task_id="T-7", text="ok")


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("size", [20, 60])
def test_a_scenario_has_its_edge_cases(seed: int, size: int) -> None:
    world = build_scenario(TaskBoard, seed, size, DEFAULT_NOW)
    tasks = list(world.tasks.values())
    assert {row.status for row in tasks} == set(MOVES)
    assert {row.editable for row in tasks} == {True, False}
    assert {row.status for row in world.sprints.values()} == {"closed", "active", "planned"}
    assert all(row.planned <= row.capacity for row in world.sprints.values())
    for row in world.sprints.values():
        assert row.planned == sum(t.points for t in tasks if t.sprint_id == row.id)
    assert any(world.tasks[row.blocker_id].status != "done" for row in world.waits.values())
    assert all(world.tasks[row.task_id].status in ("backlog", "todo") for row in world.waits.values())
    people = {row.id for row in world.members.values()} | {None}  # nobody else is the user
    for who in people:
        theirs = [
            row for row in tasks if row.status != "done" and (row.mine if who is None else row.assignee_id == who)
        ]
        assert sum(row.points for row in theirs) <= 30
        for project in world.projects.values():
            started = sum((row.project_id, row.status) == (project.id, "in_progress") for row in theirs)
            assert started <= project.most_in_progress
    user = world.users[world.user_id].name
    assert {row.author == user for row in world.comments.values()} == {True, False}
    assert all(world.tasks[row.task_id].editable for row in world.comments.values() if row.author == user)
    assert sum(row.mine for row in tasks) > 5, "a list has a second page"
    assert len({row.title for row in tasks}) == len(tasks)
