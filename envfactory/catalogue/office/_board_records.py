"""Records and results of the task board: projects, tasks and what blocks them, sprints, members, comments."""

import datetime as dt
from typing import Annotated, Literal

from pydantic import Field

from envfactory.environment import FreeText, Output, Page, Ranked, Record, Ref, Unit, Value

BoardUserId = Annotated[str, Ref("BoardUser")]
MemberId = Annotated[str, Ref("BoardMember")]
ProjectId = Annotated[str, Ref("BoardProject")]
TaskId = Annotated[str, Ref("BoardTask")]
SprintId = Annotated[str, Ref("Sprint")]
PersonName = Annotated[str, Value("person_name", "Full name of a person.")]
Status = Annotated[
    Literal["backlog", "todo", "in_progress", "in_review", "done"],
    Value("task_status", "Status of a task on the board."),
]
Priority = Annotated[Literal["low", "medium", "high", "urgent"], Value("priority", "Priority of a task.")]
Skill = Annotated[Literal["backend", "frontend", "design", "testing"], Value("skill", "What somebody works on.")]
Points = Annotated[int, Field(ge=1, le=13), Unit("point")]
Load = Annotated[int, Unit("point")]
Role = Literal["admin", "contributor", "viewer"]
SprintStatus = Annotated[Literal["planned", "active", "closed"], Value("sprint_status", "Where a sprint stands.")]
Title = Annotated[str, FreeText()]
NewTitle = Annotated[
    str,
    Field(min_length=3, max_length=80),
    FreeText(("footer links", "status badges", "weekly digest", "cookie banner", "welcome tour")),
]
Words = Annotated[
    str,
    Field(min_length=3, max_length=500),
    FreeText(("talked to the customer", "see the notes of last week", "only on small screens", "cannot reproduce it")),
]

MOVES: dict[Status, tuple[Status, ...]] = {
    "backlog": ("todo",),
    "todo": ("backlog", "in_progress"),
    "in_progress": ("todo", "in_review"),
    "in_review": ("in_progress", "done"),
    "done": ("todo",),
}
"""Where a task can go from where it stands."""
Sort = Literal["priority", "due_date"]
"""What a search puts first: the most urgent task, or the one that is due soonest."""
PRIORITIES: tuple[Priority, ...] = ("urgent", "high", "medium", "low")


class BoardUser(Record, noun="user", label="{name}"):
    """Who is signed in."""

    id: BoardUserId
    """Identifier of the user."""
    name: PersonName
    email: Annotated[str, Value("email", "E-mail address.")]


class BoardMember(Record, noun="member", label="{name}"):
    """Somebody else who works on tasks."""

    id: MemberId
    """Identifier of the member."""
    name: PersonName
    email: Annotated[str, Value("email", "E-mail address.")]
    skill: Skill


class BoardProject(Record, noun="project", label="{name}", listing="{name} ({role})"):
    """A board of its own."""

    id: ProjectId
    """Identifier of the project."""
    name: Annotated[str, Value("project_name", "Name of a project.")]
    role: Role
    """What the signed-in person may do: a viewer only reads."""
    most_in_progress: Annotated[int, Field(ge=1)]
    """How many tasks one person may have in progress."""


class Sprint(Record, noun="sprint", label="{name}", listing="{name} until {ends_on} ({status}, {planned} planned)"):
    """A stretch of days for which tasks of a project are planned."""

    id: SprintId
    """Identifier of the sprint."""
    project_id: ProjectId
    """Project whose tasks are planned."""
    name: str
    """Name of the sprint."""
    ends_on: dt.date
    """Last day."""
    capacity: Annotated[Load, Ranked("smallest", "largest")]
    """How many points fit."""
    planned: Load
    """How many points are planned."""
    status: SprintStatus


class BoardTask(Record, noun="task", label="the {title} task", listing="{title} ({status}, {priority})"):
    """A piece of work."""

    id: TaskId
    """Identifier of the task."""
    project_id: ProjectId
    """Project that it belongs to."""
    project_name: Annotated[str, Value("project_name")]
    title: Title
    """What is to be done."""
    status: Status
    moves: tuple[Status, ...]
    """Each status that it can go to."""
    priority: Priority
    points: Annotated[Points, Ranked("smallest", "biggest")]
    """How much work it is."""
    editable: bool
    """Whether the signed-in person may change it."""
    mine: bool = False
    """Whether the signed-in person does it."""
    assignee_id: MemberId | None = None
    """Other member who does it."""
    assignee_name: PersonName | None = None
    due: dt.date | None = None
    """When it should be done."""
    sprint_id: SprintId | None = None
    """Sprint that it is planned for."""
    sprint_name: str | None = None
    """Name of that sprint."""


class Wait(Record, noun="dependency", label="the dependency"):
    """A task that waits for another one."""

    id: Annotated[str, Ref("TaskWait")]
    """Identifier of the dependency."""
    task_id: TaskId
    """Task that waits."""
    blocker_id: TaskId
    """Task that must be done first."""


class Comment(Record, noun="comment", label="the comment of {written_at}"):
    """What somebody says about a task."""

    id: Annotated[str, Ref("TaskComment")]
    """Identifier of the comment."""
    task_id: TaskId
    """Task that it is about."""
    author: PersonName
    text: Annotated[str, FreeText()]
    """What it says."""
    written_at: dt.datetime
    """When it was written."""


class MemberLoad(Record, noun="member", label="{name}", listing="{name} ({skill}, {open_points} open)"):
    """A member and how much is on that desk."""

    id: MemberId
    """Identifier of the member."""
    name: PersonName
    skill: Skill
    open_points: Annotated[Load, Ranked("least busy", "busiest")]
    """Points of all tasks that are not done."""


class ProjectPage(Page):
    """A page of projects."""

    projects: tuple[BoardProject, ...]
    """The projects on this page."""


class TaskPage(Page):
    """A page of tasks."""

    tasks: tuple[BoardTask, ...]
    """The tasks on this page."""
    points: Load
    """How much work all that match are."""


class SprintPage(Page):
    """A page of sprints."""

    sprints: tuple[Sprint, ...]
    """The sprints on this page."""


class MemberPage(Page):
    """A page of members."""

    members: tuple[MemberLoad, ...]
    """The members on this page."""


class TaskDetails(Output):
    """A task with what hangs on it."""

    task_id: TaskId
    """Task asked about."""
    project_name: Annotated[str, Value("project_name")]
    title: Title
    """What is to be done."""
    status: Status
    moves: tuple[Status, ...]
    """Each status that it can go to."""
    priority: Priority
    points: Points
    """How much work it is."""
    due: dt.date | None = None
    """When it should be done."""
    sprint_name: str | None = None
    """Sprint that it is planned for."""
    assignee: PersonName | None = None
    open_blockers: tuple[BoardTask, ...]
    """Tasks that must still be done first."""
    comments: tuple[Comment, ...]
    """What was said about it."""


class Moved(Output):
    """What moving a task comes to."""

    task_id: TaskId
    """Task that was moved."""
    title: Title
    """What is to be done."""
    status: Status
    unblocked: tuple[BoardTask, ...]
    """Tasks that nothing blocks any more."""


class Planned(Output):
    """What planning a task comes to."""

    task_id: TaskId
    """Task that was planned."""
    sprint_name: str
    """Sprint that it is planned for."""
    left: Load
    """How many points still fit."""
