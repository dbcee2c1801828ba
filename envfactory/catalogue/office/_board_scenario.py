"""The boards of a scenario: projects in every role, sprints in every state, tasks in every status, some blocked."""

import datetime as dt
from collections import Counter
from typing import Any, get_args

from envfactory.catalogue.office._board_records import (
    MOVES,
    BoardMember,
    BoardProject,
    BoardTask,
    BoardUser,
    Comment,
    Priority,
    Role,
    Skill,
    Sprint,
    SprintStatus,
    Wait,
)
from envfactory.catalogue.office._board_rules import MOST_POINTS
from envfactory.environment import World, by_id

_NAMES = ("Aurora", "Beacon", "Cedar", "Delta", "Ember", "Falcon")
_ROLES: tuple[Role, ...] = ("admin", "contributor", "contributor", "viewer", "contributor", "viewer")
_TOPICS = ("login", "invoice", "search", "payment", "profile", "report", "upload", "backup", "map", "chat", "billing")
_ASPECTS = ("timeout", "export", "redesign", "tests", "migration", "cleanup", "shortcuts", "filters", "colours")
_STATUSES = tuple(MOVES)
_SPRINTS: tuple[SprintStatus, ...] = ("closed", "active", "planned")
_SAID = (
    "waiting for the new design",
    "reproduced on my machine",
    "the numbers look right now",
    "needs a second pair of eyes",
)


def boards(world: World, size: int) -> dict[str, Any]:
    """Draw the fields of the state, about `size` records in all."""
    user = BoardUser(id="U-1", name=world.user.name, email=world.user.email)
    members = [
        BoardMember(id=f"M-{11 + n}", name=p.name, email=p.email, skill=get_args(get_args(Skill)[0])[n % 4])
        for n, p in enumerate(world.people(max(7, size // 9)))
    ]
    projects = [
        BoardProject(id=f"PRJ-{31 + n}", name=name, role=_ROLES[n], most_in_progress=3 + n % 2)
        for n, name in enumerate(_NAMES)
    ]
    names = world.sample([f"{topic} {aspect}" for topic in _TOPICS for aspect in _ASPECTS], max(28, size // 2))
    tasks: list[BoardTask] = []
    loads, busy = Counter[str](), Counter[tuple[str, str]]()  # open points; tasks in progress on one board
    for n, title in enumerate(names):
        project = projects[0] if n < 12 else world.choice(projects[1:])  # the first board has several pages
        status = _STATUSES[n % 5]
        mine = n % 5 in (1, 2, 3) and n < 12
        points = world.choice((1, 2, 3) if mine else (1, 2, 3, 5, 8))
        bearing = [m for m in members if loads[m.id] + points <= MOST_POINTS and busy[m.id, project.id] < 3]
        doer = None if mine or status == "backlog" else world.choice(bearing)
        if doer and status != "done":
            loads[doer.id] += points
            busy[doer.id, project.id] += status == "in_progress"
        tasks.append(
            BoardTask(
                id=f"TASK-{101 + n}", project_id=project.id, project_name=project.name, title=title, status=status,
                moves=MOVES[status], priority=world.choice(get_args(get_args(Priority)[0])),
                points=points, editable=project.role != "viewer", mine=mine,
                assignee_id=doer.id if doer else None, assignee_name=doer.name if doer else None,
                due=None if n % 4 == 0 else world.date(-5, 40),
            )
        )  # fmt: skip
    waits: list[Wait] = []
    ahead = [n for n, task in enumerate(tasks) if n >= 5 and task.status in ("backlog", "todo")]
    for n in ahead[::2]:  # some tasks that have not begun wait for an older one of their project
        older = [t.id for t in tasks[:n] if t.project_id == tasks[n].project_id and t.status != "done"]
        if older:
            waits.append(Wait(id=f"WAIT-{801 + n}", task_id=tasks[n].id, blocker_id=world.choice(older)))
    sprints: list[Sprint] = []
    for n, project in enumerate(projects):
        for m, status in enumerate(_SPRINTS):
            sprint_id, name = f"SPR-{501 + len(sprints)}", f"{project.name} sprint {12 + m}"
            planned = [k for k, t in enumerate(tasks) if t.project_id == project.id and t.sprint_id is None][m::4][:2]
            for k in planned:
                tasks[k] = tasks[k].evolve(sprint_id=sprint_id, sprint_name=name)
            load = sum(tasks[k].points for k in planned)
            sprints.append(
                Sprint(
                    id=sprint_id, project_id=project.id, name=name,
                    ends_on=world.today + dt.timedelta(14 * m - 8), status=status, planned=load,
                    capacity=load + (1 if (n + m) % 3 == 2 else world.integer(8, 25)),  # every third is all but full
                )
            )  # fmt: skip
    comments = [
        Comment(
            id=f"COM-{701 + n}", author=user.name if n % 2 else world.choice(members).name,
            task_id=world.choice([task for task in tasks if task.editable or not n % 2]).id, text=text,
            written_at=world.moment(-20, -1),
        )
        for n, text in enumerate(_SAID * max(1, size // 30))
    ]  # fmt: skip
    return {
        "now": world.now,
        "user_id": user.id,
        "users": by_id([user]),
        "members": by_id(members),
        "projects": by_id(projects),
        "sprints": by_id(sprints),
        "tasks": by_id(tasks),
        "waits": by_id(waits),
        "comments": by_id(comments),
    }
