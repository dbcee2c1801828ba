"""How the arguments of real calls to the task board hang together, tool by tool."""

from envfactory.catalogue.office._board_rules import OPEN
from envfactory.environment import Differing, Differs, FieldOf, FromNow, Having, NamedIn, Sharing, Some, Within


def _open(parameter: str) -> Having:
    """Tasks that are not done."""
    return Having(parameter=parameter, field="status", among=OPEN)


def _same_project(parameter: str) -> Sharing:
    """Something of the project of the task."""
    return Sharing(parameter=parameter, other="task_id", fields=("project_id",))


_EDITABLE = Having(parameter="task_id", field="editable", among=(True,))
_EASY = Within(parameter="points", low=1, high=8)
_SOON = FromNow(parameter="due", days=(2, 40))

SEARCHING = (Some("status", "priority", "mine"),)
CREATING = (Having(parameter="project_id", field="role", among=("admin", "contributor")), _EASY, _SOON)
MOVING = (_EDITABLE, FieldOf(parameter="status", other="task_id", field="moves[]"))
ASSIGNING = (_EDITABLE, _open("task_id"), Differing(parameter="member_id", other="task_id", field="assignee_id"))
TAKING = (_EDITABLE, _open("task_id"), Having(parameter="task_id", field="mine", among=(False,)))
UNASSIGNING = (_EDITABLE, Having(parameter="task_id", field="status", among=("todo",)))
UPDATING = (_EDITABLE, _open("task_id"), Some("priority", "points", "due"), _EASY, _SOON)
BLOCKING = (
    _EDITABLE,
    _open("task_id"),
    Differs(parameter="blocker_id", other="task_id"),
    _same_project("blocker_id"),
    _open("blocker_id"),
)
UNBLOCKING = (
    _EDITABLE,
    NamedIn(parameter="task_id", entity="Wait", field="task_id"),
    NamedIn(parameter="blocker_id", entity="Wait", field="blocker_id"),
    _same_project("blocker_id"),
)
PLANNING = (
    _EDITABLE,
    _open("task_id"),
    _same_project("sprint_id"),
    Having(parameter="sprint_id", field="status", among=("planned", "active")),
    Differing(parameter="sprint_id", other="task_id", field="sprint_id"),
)
UNPLANNING = (_EDITABLE, _open("task_id"))
COMMENTING = (_EDITABLE,)
