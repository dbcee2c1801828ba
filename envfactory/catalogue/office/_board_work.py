"""Who has how much to do, and what still waits for what: counted over all tasks of the board, as they go on."""

from collections.abc import Iterable
from typing import NamedTuple

from envfactory.catalogue.office._board_records import (
    MOVES,
    BoardMember,
    BoardProject,
    BoardTask,
    BoardUser,
    Comment,
    MemberLoad,
    Moved,
    Points,
    Status,
    TaskDetails,
    Wait,
)
from envfactory.catalogue.office._board_rules import MOST_POINTS, check_step
from envfactory.environment import Table, ToolError


class Work(NamedTuple):
    """All work on the board; a member is named by id, and the signed-in user by None."""

    user: BoardUser
    projects: Table[BoardProject]
    tasks: Table[BoardTask]
    waits: Iterable[Wait]

    def assignee(self, task: BoardTask) -> str | None:
        """Name of whoever does a task."""
        return self.user.name if task.mine else task.assignee_name

    def open_tasks(self, member_id: str | None) -> list[BoardTask]:
        """Tasks that a member does and has not done."""
        open_now = [task for task in self.tasks.values() if task.status != "done"]
        return [task for task in open_now if (task.mine if member_id is None else task.assignee_id == member_id)]

    def open_points(self, member_id: str | None) -> int:
        """Points of the tasks that a member has not done."""
        return sum(task.points for task in self.open_tasks(member_id))

    def open_blockers(self, task: BoardTask) -> list[BoardTask]:
        """Tasks that must still be done before this one."""
        blockers = [self.tasks.require(wait.blocker_id) for wait in self.waits if wait.task_id == task.id]
        return [blocker for blocker in blockers if blocker.status != "done"]

    def unblocked(self, task: BoardTask) -> tuple[BoardTask, ...]:
        """Tasks that waited for one, and for which nothing is to be done any more: none before that one is done."""
        waiting = [self.tasks.require(wait.task_id) for wait in self.waits if wait.blocker_id == task.id]
        return tuple(each for each in waiting if not self.open_blockers(each))

    def load(self, member: BoardMember) -> MemberLoad:
        """A member with how much is to be done."""
        return MemberLoad(id=member.id, name=member.name, skill=member.skill, open_points=self.open_points(member.id))

    def details(self, task: BoardTask, comments: Iterable[Comment]) -> TaskDetails:
        """A task with what hangs on it."""
        return TaskDetails(
            task_id=task.id, project_name=task.project_name, title=task.title, status=task.status, moves=task.moves,
            priority=task.priority, points=task.points, due=task.due, sprint_name=task.sprint_name,
            assignee=self.assignee(task), open_blockers=tuple(self.open_blockers(task)),
            comments=tuple(comment for comment in comments if comment.task_id == task.id),
        )  # fmt: skip

    def moved(self, task: BoardTask, status: Status) -> BoardTask:
        """A task at another status, if it can go there."""
        self.check_move(task, status)
        return task.evolve(status=status, moves=MOVES[status])

    def told(self, moved: BoardTask) -> Moved:
        """What is told of a task that was moved: where it stands, and which others can go on."""
        return Moved(task_id=moved.id, title=moved.title, status=moved.status, unblocked=self.unblocked(moved))

    def handed_over(self, task: BoardTask, new: BoardTask) -> BoardTask:
        """A task with whoever does it from now on, if they can bear it."""
        self.check_load(new, new.points)
        if task.status == "in_progress":
            self.check_in_progress(task, new.assignee_id)
        return new

    def check_move(self, task: BoardTask, status: Status) -> None:
        """Refuse to move a task where it cannot go, or not yet."""
        check_step(task, status)
        if status == "in_progress":
            self.check_startable(task)
        if status == "done":
            self.check_unblocked(task)
        if task.status == "done":
            self.check_load(task, task.points)

    def check_unblocked(self, task: BoardTask) -> None:
        """Refuse to go on with a task that waits for another one."""
        blockers = self.open_blockers(task)
        if blockers:
            raise ToolError("precondition_failed", f"The {task.title} task waits for the {blockers[0].title} task.")

    def check_startable(self, task: BoardTask) -> None:
        """Refuse to start a task that nobody does, that is blocked, or that is one too many."""
        if self.assignee(task) is None:
            raise ToolError("precondition_failed", f"Nobody does the {task.title} task yet; assign it first.")
        self.check_unblocked(task)
        self.check_in_progress(task, task.assignee_id)

    def check_in_progress(self, task: BoardTask, member_id: str | None) -> None:
        """Refuse more tasks in progress than the project allows to one person."""
        most = self.projects.require(task.project_id).most_in_progress
        under_way = [t for t in self.open_tasks(member_id) if t.status == "in_progress"]
        if sum(t.project_id == task.project_id for t in under_way) >= most:
            raise ToolError("limit_exceeded", f"{task.project_name} allows a person {most} tasks in progress.")

    def check_load(self, task: BoardTask, points: int) -> None:
        """Refuse more open points of whoever does a task than one person may have."""
        name, has = self.assignee(task), self.open_points(task.assignee_id)
        if name is not None and has + points > MOST_POINTS:
            raise ToolError("limit_exceeded", f"{name} has {has} points open, {MOST_POINTS} at most.")

    def check_growth(self, task: BoardTask, points: Points) -> None:
        """Refuse to make a task larger if whoever does it cannot bear more."""
        if points > task.points:
            self.check_load(task, points - task.points)
