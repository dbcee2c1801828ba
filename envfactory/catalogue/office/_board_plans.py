"""Which tasks are planned for which sprint: a sprint has as many points planned as its tasks come to."""

from typing import NamedTuple

from envfactory.catalogue.office._board_records import BoardTask, Points, Sprint
from envfactory.catalogue.office._board_rules import check_room, check_sprint
from envfactory.environment import Table


class Plans(NamedTuple):
    """The sprints of all projects, whose points follow what becomes of tasks."""

    sprints: Table[Sprint]

    def put(self, task: BoardTask, sprint: Sprint) -> int:
        """Have a sprint take a task that its own sprint lets go of; return how many points it has left then."""
        check_sprint(task, sprint)
        left = check_room(sprint, task.points)
        self.leave(task)
        self.sprints.replace(sprint.evolve(planned=sprint.planned + task.points))
        return left

    def leave(self, task: BoardTask) -> None:
        """Give the points of a task back to its sprint, if it is planned for one."""
        if task.sprint_id is not None:
            former = self.sprints.require(task.sprint_id)
            self.sprints.replace(former.evolve(planned=former.planned - task.points))

    def resize(self, task: BoardTask, points: Points) -> None:
        """Have the sprint of a task follow its points, if it is planned for one; what gets larger must still fit."""
        if task.sprint_id is None or points == task.points:
            return
        sprint, more = self.sprints.require(task.sprint_id), points - task.points
        if points > task.points:
            check_room(sprint, more)
        self.sprints.replace(sprint.evolve(planned=sprint.planned + more))
