"""A task board: projects with their tasks, who does them, what blocks them, and sprints they are planned for.

A task moves along a fixed course, one step at a time. Whether it may start depends on others: nobody has more in
progress than the project allows, and what blocks a task must be done first. Loads are counted, never kept apart.
"""

import datetime as dt
from collections.abc import Iterator
from typing import Annotated, Literal, Self

from pydantic import Field

from envfactory.catalogue.office._board_records import (
    MOVES,
    PRIORITIES,
    BoardMember,
    BoardProject,
    BoardTask,
    BoardUser,
    BoardUserId,
    Comment,
    MemberId,
    MemberLoad,
    MemberPage,
    Moved,
    Planned,
    Points,
    Priority,
    ProjectId,
    ProjectPage,
    Role,
    Skill,
    Sprint,
    SprintId,
    SprintPage,
    SprintStatus,
    Status,
    TaskDetails,
    TaskId,
    TaskPage,
    Wait,
)
from envfactory.catalogue.office._board_rules import (
    all_blockers,
    check_load,
    check_room,
    not_done,
    open_blockers,
    open_tasks,
    said,
)
from envfactory.catalogue.office._board_scenario import boards
from envfactory.environment import (
    Differing,
    Differs,
    Environment,
    FieldOf,
    FreeText,
    FromNow,
    Having,
    NamedIn,
    PageNumber,
    Sharing,
    Some,
    Table,
    ToolError,
    Within,
    World,
    tool,
)

EDITABLE = Having(parameter="task_id", field="editable", among=(True,))
OPEN = Having(parameter="task_id", field="status", among=("backlog", "todo", "in_progress", "in_review"))
EASY = Within(parameter="points", low=1, high=8)
SOON = FromNow(parameter="due", days=(2, 40))


class TaskBoard(Environment):
    """Find, create, assign, plan and move tasks on the boards of a team's projects."""

    domain = "office"
    policy = """Tasks move from backlog over todo, in progress and in review to done, one step at a time, forwards or
    back; a done task can be reopened to todo. A task starts only when somebody does it, nothing blocks it, and that
    person has not as many in progress as the project allows; nor is it done while another blocks it. A person, the
    user included, has up to 30 open points. Sprints take tasks of their own project while points are left and the
    sprint is not closed. Projects in which the user is a viewer cannot be changed. Never assign a task without knowing
    to whom."""
    sources = (
        "Jira Cloud REST API v3, Issues, Transitions and Issue Links",
        "Linear GraphQL API, Issues, Cycles and Workflow States",
        "Trello REST API, Boards, Lists and Cards",
        "Azure DevOps REST API 7.1, Work Items and Iterations",
    )

    user_id: BoardUserId
    """User whose session this is."""
    users: Table[BoardUser]
    members: Table[BoardMember]
    projects: Table[BoardProject]
    sprints: Table[Sprint]
    tasks: Table[BoardTask]
    waits: Table[Wait]
    comments: Table[Comment]

    @tool(
        ask=(
            "list the projects[ in which I have the {role} role]",
            "show me which projects there are[ where I have the {role} role]",
            "look up the boards that I can see[ as {role}]",
            "tell me what projects I have[ as {role}]",
        ),
        noun="project[ in which I am {role}]",
        reply=("These projects are open to you: {projects}.", "There is no such project."),
    )
    def list_projects(self, role: Role | None = None, page: PageNumber = 1) -> ProjectPage:
        """List the projects that the signed-in user can see, by name.

        Args:
            role: Only projects in which the user has this role.
            page: Page of the results, five projects each.
        """
        found = [project for project in self.projects.values() if role in (None, project.role)]
        found.sort(key=lambda project: project.name)
        return ProjectPage.of(found, page)

    @tool(
        ask=(
            "find[mine? my][ {priority} priority] tasks[ in the {status} column][ of {project_id}][, by {sort}]",
            "list[mine? my][ {priority} priority] tasks[ in {project_id}][ with the status {status}][, by {sort}]",
            "show me[mine? my][ {status}] tasks[ of {priority} priority][ on the board of {project_id}][, by {sort}]",
            "look up[mine? my][ {status}] tasks[ of {priority} priority][ in {project_id}][, by {sort}]",
        ),
        noun="[{priority} priority ]task[mine? of mine][ in {project_id}][ with the status {status}]",
        reply=("I found {tasks}, which come to {points}.", "There is no such task."),
        where=(Some("status", "priority", "mine"),),
    )
    def search_tasks(
        self,
        project_id: ProjectId | None = None,
        status: Status | None = None,
        priority: Priority | None = None,
        mine: bool = False,
        sort: Literal["priority", "due_date"] = "priority",
        page: PageNumber = 1,
    ) -> TaskPage:
        """Search the tasks of all projects.

        Args:
            project_id: Only tasks of this project.
            status: Only tasks of this status.
            priority: Only tasks of this priority.
            mine: Only tasks that the signed-in user does.
            sort: Order: most urgent first, or soonest due first, those without a date last.
            page: Page of the results, five tasks each.
        """
        if project_id is not None:
            self.projects.require(project_id)
        found = [
            task
            for task in self.tasks.values()
            if project_id in (None, task.project_id)
            and status in (None, task.status)
            and priority in (None, task.priority)
            and (task.mine or not mine)
        ]
        if sort == "priority":
            found.sort(key=lambda task: (PRIORITIES.index(task.priority), task.id))
        else:
            found.sort(key=lambda task: (task.due or dt.date.max, task.id))
        return TaskPage.of(found, page, points=sum(task.points for task in found))

    @tool(
        ask=(
            "tell me more about {task_id}",
            "check what holds up {task_id}",
            "give me the details of {task_id}",
            "see who does {task_id} and what was said about it",
        ),
        reply=(
            "The {title} task stands at {status} ({priority}); {assignee} does it. It waits for {open_blockers}.",
            "The {title} task stands at {status} with {priority} priority, done by {assignee}. Nothing blocks it.",
            "The {title} task stands at {status} with {priority} priority; nobody does it yet.",
        ),
    )
    def get_task(self, task_id: TaskId) -> TaskDetails:
        """Get a task with who does it, when, what still blocks it, and the comments on it.

        Args:
            task_id: Task to look at.
        """
        task = self.tasks.require(task_id)
        return TaskDetails(
            task_id=task.id, project_name=task.project_name, title=task.title, status=task.status, moves=task.moves,
            priority=task.priority, points=task.points, due=task.due, sprint_name=task.sprint_name,
            assignee=self._assignee(task), open_blockers=tuple(self._open_blockers(task)),
            comments=tuple(comment for comment in self.comments.values() if comment.task_id == task.id),
        )  # fmt: skip

    @tool(
        writes=True,
        ask=(
            "create a task called '{title}' in {project_id} with {priority} priority[, worth {points}][, due {due}]",
            "add '{title}' to the board of {project_id} with {priority} priority[ and {points}][, to be done by {due}]",
            "open a new task in {project_id}, '{title}', {priority} priority[, {points}][, with {due} as its due date]",
            "put '{title}' into the backlog of {project_id} at {priority} priority[, {points}][, due on {due}]",
        ),
        reply=("The {title} task is in the backlog of {project_name}, with {priority} priority and {points}.",),
        where=(Having(parameter="project_id", field="role", among=("admin", "contributor")), EASY, SOON),
    )
    def create_task(
        self,
        project_id: ProjectId,
        title: Annotated[
            str,
            Field(min_length=3, max_length=80),
            FreeText(("footer links", "status badges", "weekly digest", "cookie banner", "welcome tour")),
        ],
        priority: Priority,
        points: Points = 3,
        due: dt.date | None = None,
    ) -> BoardTask:
        """Create a task in the backlog of a project.

        Args:
            project_id: Project that it belongs to.
            title: What is to be done, different from every open task of the project.
            priority: How much it matters.
            points: How much work it is.
            due: When it should be done.
        """
        project = self.projects.require(project_id)
        if project.role == "viewer":
            raise ToolError("permission_denied", f"You can only look at {project.name}.")
        title = " ".join(title.split())
        if len(title) < 3:
            raise ToolError("invalid_argument", "Say in three letters or more what is to be done.")
        self._not_past(due)
        for task in self.tasks.values():
            if task.project_id == project.id and task.status != "done" and task.title.lower() == title.lower():
                raise ToolError("conflict", f"{project.name} has an open task called {task.title} already.")
        return self.tasks.insert(
            BoardTask(
                id=self.new_id("TASK"), project_id=project.id, project_name=project.name, title=title,
                status="backlog", moves=MOVES["backlog"], priority=priority, points=points, editable=True, due=due,
            )
        )  # fmt: skip

    @tool(
        writes=True,
        ask=(
            "move {task_id} to {status}",
            "set {task_id} to {status}",
            "put {task_id} into the {status} column",
            "mark {task_id} as {status}",
        ),
        reply=(
            "The {title} task stands at {status} now, and these can go on: {unblocked}.",
            "The {title} task stands at {status} now.",
        ),
        where=(EDITABLE, FieldOf(parameter="status", other="task_id", field="moves[]")),
    )
    def move_task(self, task_id: TaskId, status: Status) -> Moved:
        """Move a task one step along the board, forwards or back.

        Args:
            task_id: Task to move.
            status: Status that it goes to.
        """
        task = self._editable(task_id)
        if status not in task.moves:
            to = " or ".join(task.moves).replace("_", " ")
            raise ToolError("precondition_failed", f"The {task.title} task is {said(task.status)}; it can go to {to}.")
        if status == "in_progress":
            self._startable(task)
        if status == "done":
            self._unblocked(task)
        if task.status == "done":
            self._bearable(task, task.points)
        waiting = [w.task_id for w in self.waits.values() if w.blocker_id == task.id] if status == "done" else []
        moved = self.tasks.replace(task.evolve(status=status, moves=MOVES[status]))
        unblocked = tuple(t for key in waiting if not any(self._open_blockers(t := self.tasks.require(key))))
        return Moved(task_id=moved.id, title=moved.title, status=status, unblocked=unblocked)

    @tool(
        writes=True,
        ask=(
            "assign {task_id} to {member_id}",
            "hand {task_id} over to {member_id}",
            "give {task_id} to {member_id}",
            "let {member_id} do {task_id}",
        ),
        reply=("{name} does it now and has {open_points} open.",),
        where=(EDITABLE, OPEN, Differing(parameter="member_id", other="task_id", field="assignee_id")),
    )
    def assign_task(self, task_id: TaskId, member_id: MemberId) -> MemberLoad:
        """Assign a task that is not done to another member, who can have up to 30 open points.

        Args:
            task_id: Task to assign.
            member_id: Who does it.
        """
        task, member = self._editable(task_id), self.members.require(member_id)
        not_done(task)
        if task.assignee_id == member.id:
            raise ToolError("conflict", f"{member.name} does the {task.title} task already.")
        new = task.evolve(assignee_id=member.id, assignee_name=member.name, mine=False)
        self._bearable(new, task.points)
        if task.status == "in_progress":
            self._in_progress(task, member.id)
        self.tasks.replace(new)
        return self._load(member)

    @tool(
        writes=True,
        ask=(
            "assign {task_id} to me",
            "put me down for {task_id}",
            "let me take over {task_id}",
            "give {task_id} to me",
        ),
        reply=("The {title} task is yours now; it stands at {status}.",),
        where=(EDITABLE, OPEN, Having(parameter="task_id", field="mine", among=(False,))),
    )
    def take_task(self, task_id: TaskId) -> BoardTask:
        """Assign a task that is not done to the signed-in user, who can have up to 30 open points.

        Args:
            task_id: Task to take.
        """
        task = self._editable(task_id)
        not_done(task)
        if task.mine:
            raise ToolError("conflict", f"You do the {task.title} task already.")
        new = task.evolve(mine=True, assignee_id=None, assignee_name=None)
        self._bearable(new, task.points)
        if task.status == "in_progress":
            self._in_progress(task, None)
        return self.tasks.replace(new)

    @tool(
        writes=True,
        ask=(
            "unassign {task_id}",
            "take whoever does {task_id} off it",
            "leave {task_id} open for anybody to take",
            "make {task_id} free to be taken again",
        ),
        reply=("Nobody does the {title} task now.",),
        where=(EDITABLE, Having(parameter="task_id", field="status", among=("todo",))),
    )
    def unassign_task(self, task_id: TaskId) -> BoardTask:
        """Leave a task that has not begun to nobody.

        Args:
            task_id: Task that nobody shall do for now.
        """
        task = self._editable(task_id)
        not_done(task)
        if self._assignee(task) is None:
            raise ToolError("conflict", f"Nobody does the {task.title} task.")
        if task.status not in ("backlog", "todo"):
            raise ToolError("precondition_failed", f"The {task.title} task is {said(task.status)}; move it back first.")
        return self.tasks.replace(task.evolve(mine=False, assignee_id=None, assignee_name=None))

    @tool(
        writes=True,
        ask=(
            "update {task_id} so that it is[ {priority} priority,][ worth {points},][ due {due}]",
            "make {task_id}[ {priority} priority,][ worth {points},][ due {due}]",
            "change {task_id} to be[ {priority} priority,][ worth {points},][ due {due}]",
            "set {task_id} to be[ {priority} priority,][ worth {points},][ due on {due}]",
        ),
        reply=(
            "The {title} task has {priority} priority and {points}, and is due {due}.",
            "The {title} task has {priority} priority and {points}.",
        ),
        where=(EDITABLE, OPEN, Some("priority", "points", "due"), EASY, SOON),
    )
    def update_task(
        self,
        task_id: TaskId,
        priority: Priority | None = None,
        points: Points | None = None,
        due: dt.date | None = None,
    ) -> BoardTask:
        """Change priority, points or due date of a task that is not done.

        Args:
            task_id: Task to change.
            priority: How much it matters now.
            points: How much work it is now; it must still fit into its sprint.
            due: When it should be done now.
        """
        task = self._editable(task_id)
        not_done(task)
        self._not_past(due)
        new = task.evolve(priority=priority or task.priority, points=points or task.points, due=due or task.due)
        if new == task:
            raise ToolError("invalid_argument", "Say what shall be different: priority, points or due date.")
        more = new.points - task.points
        if more > 0:
            self._bearable(task, more)
        if task.sprint_id is not None and more:
            sprint = self.sprints.require(task.sprint_id)
            if more > 0:
                check_room(sprint, more)
            self.sprints.replace(sprint.evolve(planned=sprint.planned + more))
        return self.tasks.replace(new)

    @tool(
        writes=True,
        ask=(
            "mark {task_id} as blocked by {blocker_id}",
            "make {task_id} wait for {blocker_id}",
            "note that {task_id} cannot go on before {blocker_id} is done",
            "link {task_id} so that it depends on {blocker_id}",
        ),
        reply=("The {title} task waits for {open_blockers} now.",),
        where=(
            EDITABLE,
            OPEN,
            Differs(parameter="blocker_id", other="task_id"),
            Sharing(parameter="blocker_id", other="task_id", fields=("project_id",)),
            Having(parameter="blocker_id", field="status", among=("backlog", "todo", "in_progress", "in_review")),
        ),
    )
    def block_task(self, task_id: TaskId, blocker_id: TaskId) -> TaskDetails:
        """Let a task wait for another open task of its project; nothing may wait for itself in a circle.

        Args:
            task_id: Task that waits.
            blocker_id: Task that must be done first.
        """
        task, blocker = self._editable(task_id), self.tasks.require(blocker_id)
        not_done(task)
        if blocker.project_id != task.project_id:
            raise ToolError("invalid_argument", f"The {blocker.title} task belongs to {blocker.project_name}.")
        if self._wait(task, blocker) is not None:
            raise ToolError("conflict", f"The {task.title} task waits for the {blocker.title} task already.")
        if blocker.status == "done":
            raise ToolError("precondition_failed", f"The {blocker.title} task is done, so nothing waits for it.")
        if task.id in all_blockers(blocker, self.waits.values()):
            raise ToolError("conflict", f"The {blocker.title} task waits for the {task.title} task itself.")
        self.waits.insert(Wait(id=self.new_id("WAIT"), task_id=task.id, blocker_id=blocker.id))
        return self.get_task(task.id)

    @tool(
        writes=True,
        ask=(
            "let {task_id} wait for {blocker_id} no longer",
            "unlink {task_id} from {blocker_id}, which does not block it any more",
            "note that {task_id} does not depend on {blocker_id}",
            "remove {blocker_id} as what blocks {task_id}",
        ),
        reply=("The {title} task still waits for {open_blockers}.", "Nothing blocks the {title} task now."),
        where=(
            EDITABLE,
            NamedIn(parameter="task_id", entity="Wait", field="task_id"),
            NamedIn(parameter="blocker_id", entity="Wait", field="blocker_id"),
            Sharing(parameter="blocker_id", other="task_id", fields=("project_id",)),
        ),
    )
    def unblock_task(self, task_id: TaskId, blocker_id: TaskId) -> TaskDetails:
        """Let a task no longer wait for another one.

        Args:
            task_id: Task that waits.
            blocker_id: Task that it waits for.
        """
        task, blocker = self._editable(task_id), self.tasks.require(blocker_id)
        wait = self._wait(task, blocker)
        if wait is None:
            raise ToolError("conflict", f"The {task.title} task does not wait for the {blocker.title} task.")
        self.waits.delete(wait.id)
        return self.get_task(task.id)

    @tool(
        ask=(
            "list the[ {status}] sprints of {project_id}",
            "show me which[ {status}] sprints there are for {project_id}",
            "look up the[ {status}] sprints in {project_id}",
            "check the[ {status}] sprints on the board of {project_id}",
        ),
        noun="[{status} ]sprint of {project_id}",
        reply=("There are {sprints}.", "There is no such sprint."),
    )
    def list_sprints(
        self, project_id: ProjectId, status: SprintStatus | None = None, page: PageNumber = 1
    ) -> SprintPage:
        """List the sprints of a project, the one that ends first on top.

        Args:
            project_id: Project whose sprints to list.
            status: Only sprints of this status.
            page: Page of the results, five sprints each.
        """
        project = self.projects.require(project_id)
        found = [s for s in self.sprints.values() if s.project_id == project.id and status in (None, s.status)]
        found.sort(key=lambda sprint: (sprint.ends_on, sprint.id))
        return SprintPage.of(found, page)

    @tool(
        writes=True,
        ask=(
            "plan {task_id} for {sprint_id}",
            "put {task_id} into {sprint_id}",
            "schedule {task_id} within {sprint_id}",
            "add {task_id} to {sprint_id}",
        ),
        reply=("It is planned for {sprint_name}, where {left} are left.",),
        where=(
            EDITABLE,
            OPEN,
            Sharing(parameter="sprint_id", other="task_id", fields=("project_id",)),
            Having(parameter="sprint_id", field="status", among=("planned", "active")),
            Differing(parameter="sprint_id", other="task_id", field="sprint_id"),
        ),
    )
    def plan_task(self, task_id: TaskId, sprint_id: SprintId) -> Planned:
        """Plan a task that is not done for a sprint of its project, if it fits; it leaves the sprint it was in.

        Args:
            task_id: Task to plan.
            sprint_id: Sprint in which it shall be done.
        """
        task, sprint = self._editable(task_id), self.sprints.require(sprint_id)
        not_done(task)
        if sprint.project_id != task.project_id:
            raise ToolError("invalid_argument", f"{sprint.name} takes tasks of its own project.")
        if sprint.status == "closed":
            raise ToolError("precondition_failed", f"{sprint.name} is closed.")
        if task.sprint_id == sprint.id:
            raise ToolError("conflict", f"The {task.title} task is planned for {sprint.name} already.")
        left = check_room(sprint, task.points)
        self._leave_sprint(task)
        self.sprints.replace(sprint.evolve(planned=sprint.planned + task.points))
        self.tasks.replace(task.evolve(sprint_id=sprint.id, sprint_name=sprint.name))
        return Planned(task_id=task.id, sprint_name=sprint.name, left=left)

    @tool(
        writes=True,
        ask=(
            "take {task_id} out of its sprint",
            "remove {task_id} from the sprint that it is planned for",
            "unplan {task_id}",
            "drop {task_id} from its sprint",
        ),
        reply=("The {title} task is planned for no sprint now.",),
        where=(EDITABLE, OPEN),
    )
    def unplan_task(self, task_id: TaskId) -> BoardTask:
        """Take a task that is not done out of its sprint, which has its points left again.

        Args:
            task_id: Task that is not to be done in its sprint.
        """
        task = self._editable(task_id)
        not_done(task)
        if task.sprint_id is None:
            raise ToolError("conflict", f"The {task.title} task is planned for no sprint.")
        self._leave_sprint(task)
        return self.tasks.replace(task.evolve(sprint_id=None, sprint_name=None))

    @tool(
        ask=(
            "show me who could take on work[ in {skill}]",
            "list the team members[ who do {skill}] and how busy they are",
            "check how much everybody[ in {skill}] has to do",
            "find out who[ in {skill}] has time",
        ),
        noun="team member[ in {skill}]",
        reply=("The members are {members}.", "There is nobody like that."),
    )
    def list_members(self, skill: Skill | None = None, page: PageNumber = 1) -> MemberPage:
        """List the other members with the points of their tasks that are not done, the least busy first.

        Args:
            skill: Only members who do this.
            page: Page of the results, five members each.
        """
        found = [self._load(member) for member in self.members.values() if skill in (None, member.skill)]
        found.sort(key=lambda load: (load.open_points, load.id))
        return MemberPage.of(found, page)

    @tool(
        writes=True,
        ask=(
            "comment on {task_id} with '{text}'",
            "write '{text}' under {task_id}",
            "leave the note '{text}' on {task_id}",
            "add '{text}' as a comment to {task_id}",
        ),
        reply=("Your comment stands under the task.",),
        where=(EDITABLE,),
    )
    def add_comment(
        self,
        task_id: TaskId,
        text: Annotated[
            str,
            Field(min_length=3, max_length=500),
            FreeText(
                ("talked to the customer", "see the notes of last week", "only on small screens", "cannot reproduce it")
            ),
        ],
    ) -> Comment:
        """Comment on a task.

        Args:
            task_id: Task to comment on.
            text: What to say.
        """
        task = self._editable(task_id)
        author = self.users.require(self.user_id).name
        return self.comments.insert(
            Comment(id=self.new_id("COM"), task_id=task.id, author=author, text=text, written_at=self.now)
        )

    def _editable(self, task_id: str) -> BoardTask:
        task = self.tasks.require(task_id)
        if not task.editable:
            raise ToolError("permission_denied", f"You can only look at {task.project_name}.")
        return task

    def _not_past(self, due: dt.date | None) -> None:
        if due is not None and due < self.now.date():
            raise ToolError("invalid_argument", f"Nothing can be due on {due}, which is past.")

    def _startable(self, task: BoardTask) -> None:
        if self._assignee(task) is None:
            raise ToolError("precondition_failed", f"Nobody does the {task.title} task yet; assign it first.")
        self._unblocked(task)
        self._in_progress(task, task.assignee_id)

    def _unblocked(self, task: BoardTask) -> None:
        blocker = next(self._open_blockers(task), None)
        if blocker is not None:
            raise ToolError("precondition_failed", f"The {task.title} task waits for the {blocker.title} task.")

    def _bearable(self, task: BoardTask, points: int) -> None:
        """Refuse more open points of whoever does the task than one person may have."""
        name = self._assignee(task)
        if name is not None:
            check_load(name, sum(t.points for t in open_tasks(self.tasks.values(), task.assignee_id)), points)

    def _in_progress(self, task: BoardTask, member_id: str | None) -> None:
        """Refuse more tasks in progress than the project allows to one person; None is the signed-in user."""
        most = self.projects.require(task.project_id).most_in_progress
        under_way = sum(
            (t.project_id, t.status) == (task.project_id, "in_progress")
            for t in open_tasks(self.tasks.values(), member_id)
        )
        if under_way >= most:
            raise ToolError("limit_exceeded", f"{task.project_name} allows a person {most} tasks in progress.")

    def _assignee(self, task: BoardTask) -> str | None:
        if task.mine:
            return self.users.require(self.user_id).name
        return task.assignee_name

    def _open_blockers(self, task: BoardTask) -> Iterator[BoardTask]:
        return open_blockers(task, self.tasks, self.waits.values())

    def _wait(self, task: BoardTask, blocker: BoardTask) -> Wait | None:
        both = (task.id, blocker.id)
        return next((wait for wait in self.waits.values() if (wait.task_id, wait.blocker_id) == both), None)

    def _leave_sprint(self, task: BoardTask) -> None:
        if task.sprint_id is not None:
            former = self.sprints.require(task.sprint_id)
            self.sprints.replace(former.evolve(planned=former.planned - task.points))

    def _load(self, member: BoardMember) -> MemberLoad:
        open_points = sum(t.points for t in open_tasks(self.tasks.values(), member.id))
        return MemberLoad(id=member.id, name=member.name, skill=member.skill, open_points=open_points)

    @classmethod
    def scenario(cls, world: World, size: int) -> Self:
        """Projects in every role, sprints in every state, tasks in every status, some of them blocked."""
        return cls.model_validate(boards(world, size))
