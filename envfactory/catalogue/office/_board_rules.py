"""Rules of the task board that need no more than the rows they speak of: what can be done with a task, what fits."""

import datetime as dt
from collections.abc import Iterable

from envfactory.catalogue.office._board_records import (
    MOVES,
    PRIORITIES,
    BoardMember,
    BoardProject,
    BoardTask,
    Points,
    Priority,
    Sort,
    Sprint,
    Status,
    Wait,
)
from envfactory.environment import ToolError, said

MOST_POINTS = 30
"""Open points that one person may have."""
OPEN: tuple[Status, ...] = ("backlog", "todo", "in_progress", "in_review")
"""Where a task stands that is not done."""


def ordered(tasks: Iterable[BoardTask], sort: Sort) -> list[BoardTask]:
    """Tasks in one of the orders of a search; those without a due date are due last."""
    if sort == "priority":
        return sorted(tasks, key=lambda task: (PRIORITIES.index(task.priority), task.id))
    return sorted(tasks, key=lambda task: (task.due or dt.date.max, task.id))


def editable(task: BoardTask) -> BoardTask:
    """A task that the signed-in user may change."""
    if not task.editable:
        raise ToolError("permission_denied", f"You can only look at {task.project_name}.")
    return task


def not_done(task: BoardTask) -> BoardTask:
    """A task that is not done."""
    if task.status == "done":
        raise ToolError("precondition_failed", f"The {task.title} task is done; reopen it first.")
    return task


def check_due(due: dt.date | None, today: dt.date) -> None:
    """Refuse a due date that is past."""
    if due is not None and due < today:
        raise ToolError("invalid_argument", f"Nothing can be due on {due}, which is past.")


def check_contributing(project: BoardProject) -> None:
    """Refuse to add to a project that the signed-in user only sees."""
    if project.role == "viewer":
        raise ToolError("permission_denied", f"You can only look at {project.name}.")


def new_title(title: str) -> str:
    """A title without idle blanks."""
    title = " ".join(title.split())
    if len(title) < 3:
        raise ToolError("invalid_argument", "Say in three letters or more what is to be done.")
    return title


def check_no_namesake(title: str, project: BoardProject, tasks: Iterable[BoardTask]) -> None:
    """Refuse a title that an open task of the project has."""
    for task in tasks:
        if task.project_id == project.id and task.status != "done" and task.title.lower() == title.lower():
            raise ToolError("conflict", f"{project.name} has an open task called {task.title} already.")


def new_task(
    key: str, project: BoardProject, title: str, priority: Priority, points: Points, due: dt.date | None
) -> BoardTask:
    """A task in the backlog of a project."""
    return BoardTask(
        id=key, project_id=project.id, project_name=project.name, title=title, status="backlog",
        moves=MOVES["backlog"], priority=priority, points=points, editable=True, due=due,
    )  # fmt: skip


def check_step(task: BoardTask, status: Status) -> None:
    """Refuse more than one step along the board."""
    if status not in task.moves:
        to = said(" or ".join(task.moves))
        raise ToolError("precondition_failed", f"The {task.title} task is {said(task.status)}; it can go to {to}.")


def planned(task: BoardTask, sprint: Sprint) -> BoardTask:
    """The task planned for a sprint."""
    return task.evolve(sprint_id=sprint.id, sprint_name=sprint.name)


def unplanned(task: BoardTask) -> BoardTask:
    """The task planned for no sprint any more."""
    if not_done(task).sprint_id is None:
        raise ToolError("conflict", f"The {task.title} task is planned for no sprint.")
    return task.evolve(sprint_id=None, sprint_name=None)


def assigned(task: BoardTask, member: BoardMember) -> BoardTask:
    """The task done by another member."""
    if not_done(task).assignee_id == member.id:
        raise ToolError("conflict", f"{member.name} does the {task.title} task already.")
    return task.evolve(assignee_id=member.id, assignee_name=member.name, mine=False)


def taken(task: BoardTask) -> BoardTask:
    """The task done by the signed-in user."""
    if not_done(task).mine:
        raise ToolError("conflict", f"You do the {task.title} task already.")
    return task.evolve(mine=True, assignee_id=None, assignee_name=None)


def unassigned(task: BoardTask) -> BoardTask:
    """The task done by nobody."""
    if not (not_done(task).mine or task.assignee_id):
        raise ToolError("conflict", f"Nobody does the {task.title} task.")
    if task.status not in ("backlog", "todo"):
        raise ToolError("precondition_failed", f"The {task.title} task is {said(task.status)}; move it back first.")
    return task.evolve(mine=False, assignee_id=None, assignee_name=None)


def updated(
    task: BoardTask, priority: Priority | None, points: Points | None, due: dt.date | None, today: dt.date
) -> BoardTask:
    """The task with what shall be different of it."""
    not_done(task)
    check_due(due, today)
    new = task.evolve(priority=priority or task.priority, points=points or task.points, due=due or task.due)
    if new == task:
        raise ToolError("invalid_argument", "Say what shall be different: priority, points or due date.")
    return new


def wait_between(task: BoardTask, blocker: BoardTask, waits: Iterable[Wait]) -> Wait | None:
    """That one task waits for another, if it does."""
    both = (task.id, blocker.id)
    return next((wait for wait in waits if (wait.task_id, wait.blocker_id) == both), None)


def wait_of(task: BoardTask, blocker: BoardTask, waits: Iterable[Wait]) -> Wait:
    """That one task waits for another."""
    wait = wait_between(task, blocker, waits)
    if wait is None:
        raise ToolError("conflict", f"The {task.title} task does not wait for the {blocker.title} task.")
    return wait


def check_blocking(task: BoardTask, blocker: BoardTask, waits: Iterable[Wait]) -> None:
    """Refuse to let a task wait for what is done, elsewhere, waited for already, or waits for it in turn."""
    not_done(task)
    if blocker.project_id != task.project_id:
        raise ToolError("invalid_argument", f"The {blocker.title} task belongs to {blocker.project_name}.")
    if wait_between(task, blocker, waits) is not None:
        raise ToolError("conflict", f"The {task.title} task waits for the {blocker.title} task already.")
    if blocker.status == "done":
        raise ToolError("precondition_failed", f"The {blocker.title} task is done, so nothing waits for it.")
    if task.id in all_blockers(blocker, waits):
        raise ToolError("conflict", f"The {blocker.title} task waits for the {task.title} task itself.")


def all_blockers(task: BoardTask, waits: Iterable[Wait]) -> set[str]:
    """Ids of the task and of everything that it waits for, however far."""
    known = list(waits)
    found: set[str] = set()
    waiting = [task.id]
    while waiting:
        key = waiting.pop()
        if key not in found:
            found.add(key)
            waiting += [wait.blocker_id for wait in known if wait.task_id == key]
    return found


def check_sprint(task: BoardTask, sprint: Sprint) -> None:
    """Refuse to plan a task for a sprint that is over, of another project, or its own already."""
    not_done(task)
    if sprint.project_id != task.project_id:
        raise ToolError("invalid_argument", f"{sprint.name} takes tasks of its own project.")
    if sprint.status == "closed":
        raise ToolError("precondition_failed", f"{sprint.name} is closed.")
    if task.sprint_id == sprint.id:
        raise ToolError("conflict", f"The {task.title} task is planned for {sprint.name} already.")


def check_room(sprint: Sprint, points: int) -> int:
    """Refuse more points than a sprint has left; return how many are left with them."""
    left = sprint.capacity - sprint.planned
    if points > left:
        raise ToolError("limit_exceeded", f"{sprint.name} has {left} points left, not {points}.")
    return left - points
