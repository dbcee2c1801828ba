"""Which tasks are planned for which sprint: a sprint has as many points planned as its tasks come to."""

from typing import NamedTuple

from envfactory.catalogue.office._board_records import BoardTask, Planned, Points, Sprint
from envfactory.catalogue.office._board_rules import check_room, unplanned
from envfactory.environment import Table


class Plans(NamedTuple):
    """The sprints of all projects, and the tasks that are planned for them."""

    sprints: Table[Sprint]
    tasks: Table[BoardTask]

    def put(self, task: BoardTask, sprint: Sprint) -> Planned:
        """Plan a task for a sprint that it fits into, and no longer for the one it was in."""
        left = check_room(sprint, task.points)
        self.leave(task)
        self.sprints.replace(sprint.evolve(planned=sprint.planned + task.points))
        self.tasks.replace(task.evolve(sprint_id=sprint.id, sprint_name=sprint.name))
        return Planned(task_id=task.id, sprint_name=sprint.name, left=left)

    def take_out(self, task: BoardTask) -> BoardTask:
        """Plan a task for no sprint any more."""
        new = unplanned(task)
        self.leave(task)
        return self.tasks.replace(new)

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
