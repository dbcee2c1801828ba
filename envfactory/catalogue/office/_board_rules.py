"""Rules of the task board that need nothing but the rows: what waits for what, what fits, what somebody can bear."""

from collections.abc import Iterable, Iterator

from envfactory.catalogue.office._board_records import BoardTask, Sprint, Wait
from envfactory.environment import Table, ToolError

MOST_POINTS = 30
"""Open points that one person may have."""


def said(status: str) -> str:
    """A status as people say it."""
    return status.replace("_", " ")


def not_done(task: BoardTask) -> None:
    """Refuse a task that is done."""
    if task.status == "done":
        raise ToolError("precondition_failed", f"The {task.title} task is done; reopen it first.")


def open_tasks(tasks: Iterable[BoardTask], member_id: str | None) -> list[BoardTask]:
    """Tasks that a member does and has not done; None is the signed-in user."""
    return [t for t in tasks if t.status != "done" and (t.mine if member_id is None else t.assignee_id == member_id)]


def check_load(name: str, has: int, points: int) -> None:
    """Refuse more open points than one person may have."""
    if has + points > MOST_POINTS:
        raise ToolError("limit_exceeded", f"{name} has {has} points open, {MOST_POINTS} at most.")


def check_room(sprint: Sprint, points: int) -> int:
    """Refuse more points than a sprint has left; return how many are left with them."""
    left = sprint.capacity - sprint.planned
    if points > left:
        raise ToolError("limit_exceeded", f"{sprint.name} has {left} points left, not {points}.")
    return left - points


def open_blockers(task: BoardTask, tasks: Table[BoardTask], waits: Iterable[Wait]) -> Iterator[BoardTask]:
    """Tasks that must still be done before this one."""
    blockers = (tasks.require(wait.blocker_id) for wait in waits if wait.task_id == task.id)
    return (blocker for blocker in blockers if blocker.status != "done")


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
