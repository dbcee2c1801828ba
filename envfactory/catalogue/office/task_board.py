"""A task board: projects with their tasks, who does them, what blocks them, and sprints they are planned for.

A task moves along a fixed course, one step at a time. Whether it may start depends on others: nobody has more in
progress than the project allows, and what blocks a task must be done first. Loads are counted, never kept apart.
"""

import datetime as dt
from typing import Self

from envfactory.catalogue.office import _board_records as rec
from envfactory.catalogue.office import _board_relations as relations
from envfactory.catalogue.office import _board_rules as rules
from envfactory.catalogue.office._board_plans import Plans
from envfactory.catalogue.office._board_scenario import boards
from envfactory.catalogue.office._board_work import Work
from envfactory.environment import Environment, PageNumber, Table, World, tool


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

    user_id: rec.BoardUserId
    """User whose session this is."""
    users: Table[rec.BoardUser]
    members: Table[rec.BoardMember]
    projects: Table[rec.BoardProject]
    sprints: Table[rec.Sprint]
    tasks: Table[rec.BoardTask]
    waits: Table[rec.Wait]
    comments: Table[rec.Comment]

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
    def list_projects(self, role: rec.Role | None = None, page: PageNumber = 1) -> rec.ProjectPage:
        """List the projects that the signed-in user can see, by name.

        Args:
            role: Only projects in which the user has this role.
            page: Page of the results, five projects each.
        """
        found = [project for project in self.projects.values() if role in (None, project.role)]
        found.sort(key=lambda project: project.name)
        return rec.ProjectPage.of(found, page)

    @tool(
        ask=(
            "find[mine? my][ {priority} priority] tasks[ in the {status} column][ of {project_id}][, by {sort}]",
            "list[mine? my][ {priority} priority] tasks[ in {project_id}][ with the status {status}][, by {sort}]",
            "show me[mine? my][ {status}] tasks[ of {priority} priority][ on the board of {project_id}][, by {sort}]",
            "look up[mine? my][ {status}] tasks[ of {priority} priority][ in {project_id}][, by {sort}]",
        ),
        noun="[{priority} priority ]task[mine? of mine][ in {project_id}][ with the status {status}]",
        reply=("I found {tasks}, which come to {points}.", "There is no such task."),
        where=relations.SEARCHING,
    )
    def search_tasks(
        self,
        project_id: rec.ProjectId | None = None,
        status: rec.Status | None = None,
        priority: rec.Priority | None = None,
        mine: bool = False,
        sort: rec.Sort = "priority",
        page: PageNumber = 1,
    ) -> rec.TaskPage:
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
        found = [t for t in self.tasks.values() if project_id in (None, t.project_id) and (t.mine or not mine)]
        found = [t for t in found if status in (None, t.status) and priority in (None, t.priority)]
        return rec.TaskPage.of(rules.ordered(found, sort), page, points=sum(task.points for task in found))

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
    def get_task(self, task_id: rec.TaskId) -> rec.TaskDetails:
        """Get a task with who does it, when, what still blocks it, and the comments on it.

        Args:
            task_id: Task to look at.
        """
        return self._work().details(self.tasks.require(task_id), self.comments.values())

    @tool(
        writes=True,
        ask=(
            "create a task called '{title}' in {project_id} with {priority} priority[, worth {points}][, due {due}]",
            "add '{title}' to the board of {project_id} with {priority} priority[ and {points}][, to be done by {due}]",
            "open a new task in {project_id}, '{title}', {priority} priority[, {points}][, with {due} as its due date]",
            "put '{title}' into the backlog of {project_id} at {priority} priority[, {points}][, due on {due}]",
        ),
        reply=("The {title} task is in the backlog of {project_name}, with {priority} priority and {points}.",),
        where=relations.CREATING,
    )
    def create_task(
        self,
        project_id: rec.ProjectId,
        title: rec.NewTitle,
        priority: rec.Priority,
        points: rec.Points = 3,
        due: dt.date | None = None,
    ) -> rec.BoardTask:
        """Create a task in the backlog of a project.

        Args:
            project_id: Project that it belongs to.
            title: What is to be done, different from every open task of the project.
            priority: How much it matters.
            points: How much work it is.
            due: When it should be done.
        """
        project = self.projects.require(project_id)
        rules.check_contributing(project)
        title = rules.new_title(title)
        rules.check_due(due, self.now.date())
        rules.check_no_namesake(title, project, self.tasks.values())
        return self.tasks.insert(rules.new_task(self.new_id("TASK"), project, title, priority, points, due))

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
        where=relations.MOVING,
    )
    def move_task(self, task_id: rec.TaskId, status: rec.Status) -> rec.Moved:
        """Move a task one step along the board, forwards or back.

        Args:
            task_id: Task to move.
            status: Status that it goes to.
        """
        work = self._work()
        moved = self.tasks.replace(work.moved(self._editable(task_id), status))
        return work.told(moved)

    @tool(
        writes=True,
        ask=(
            "assign {task_id} to {member_id}",
            "hand {task_id} over to {member_id}",
            "give {task_id} to {member_id}",
            "let {member_id} do {task_id}",
        ),
        reply=("{name} does it now and has {open_points} open.",),
        where=relations.ASSIGNING,
    )
    def assign_task(self, task_id: rec.TaskId, member_id: rec.MemberId) -> rec.MemberLoad:
        """Assign a task that is not done to another member, who can have up to 30 open points.

        Args:
            task_id: Task to assign.
            member_id: Who does it.
        """
        task, member = self._editable(task_id), self.members.require(member_id)
        work = self._work()
        self.tasks.replace(work.handed_over(task, rules.assigned(task, member)))
        return work.load(member)

    @tool(
        writes=True,
        ask=(
            "assign {task_id} to me",
            "put me down for {task_id}",
            "let me take over {task_id}",
            "give {task_id} to me",
        ),
        reply=("The {title} task is yours now; it stands at {status}.",),
        where=relations.TAKING,
    )
    def take_task(self, task_id: rec.TaskId) -> rec.BoardTask:
        """Assign a task that is not done to the signed-in user, who can have up to 30 open points.

        Args:
            task_id: Task to take.
        """
        task = self._editable(task_id)
        return self.tasks.replace(self._work().handed_over(task, rules.taken(task)))

    @tool(
        writes=True,
        ask=(
            "unassign {task_id}",
            "take whoever does {task_id} off it",
            "leave {task_id} open for anybody to take",
            "make {task_id} free to be taken again",
        ),
        reply=("Nobody does the {title} task now.",),
        where=relations.UNASSIGNING,
    )
    def unassign_task(self, task_id: rec.TaskId) -> rec.BoardTask:
        """Leave a task that has not begun to nobody.

        Args:
            task_id: Task that nobody shall do for now.
        """
        return self.tasks.replace(rules.unassigned(self._editable(task_id)))

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
        where=relations.UPDATING,
    )
    def update_task(
        self,
        task_id: rec.TaskId,
        priority: rec.Priority | None = None,
        points: rec.Points | None = None,
        due: dt.date | None = None,
    ) -> rec.BoardTask:
        """Change priority, points or due date of a task that is not done.

        Args:
            task_id: Task to change.
            priority: How much it matters now.
            points: How much work it is now; it must still fit into its sprint.
            due: When it should be done now.
        """
        task = self._editable(task_id)
        new = rules.updated(task, priority, points, due, self.now.date())
        self._work().check_growth(task, new.points)
        Plans(self.sprints).resize(task, new.points)
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
        where=relations.BLOCKING,
    )
    def block_task(self, task_id: rec.TaskId, blocker_id: rec.TaskId) -> rec.TaskDetails:
        """Let a task wait for another open task of its project; nothing may wait for itself in a circle.

        Args:
            task_id: Task that waits.
            blocker_id: Task that must be done first.
        """
        task, blocker = self._editable(task_id), self.tasks.require(blocker_id)
        rules.check_blocking(task, blocker, self.waits.values())
        self.waits.insert(rec.Wait(id=self.new_id("WAIT"), task_id=task.id, blocker_id=blocker.id))
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
        where=relations.UNBLOCKING,
    )
    def unblock_task(self, task_id: rec.TaskId, blocker_id: rec.TaskId) -> rec.TaskDetails:
        """Let a task no longer wait for another one.

        Args:
            task_id: Task that waits.
            blocker_id: Task that it waits for.
        """
        task, blocker = self._editable(task_id), self.tasks.require(blocker_id)
        self.waits.delete(rules.wait_of(task, blocker, self.waits.values()).id)
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
        self, project_id: rec.ProjectId, status: rec.SprintStatus | None = None, page: PageNumber = 1
    ) -> rec.SprintPage:
        """List the sprints of a project, the one that ends first on top.

        Args:
            project_id: Project whose sprints to list.
            status: Only sprints of this status.
            page: Page of the results, five sprints each.
        """
        project = self.projects.require(project_id)
        found = [s for s in self.sprints.values() if s.project_id == project.id and status in (None, s.status)]
        found.sort(key=lambda sprint: (sprint.ends_on, sprint.id))
        return rec.SprintPage.of(found, page)

    @tool(
        writes=True,
        ask=(
            "plan {task_id} for {sprint_id}",
            "put {task_id} into {sprint_id}",
            "schedule {task_id} within {sprint_id}",
            "add {task_id} to {sprint_id}",
        ),
        reply=("It is planned for {sprint_name}, where {left} are left.",),
        where=relations.PLANNING,
    )
    def plan_task(self, task_id: rec.TaskId, sprint_id: rec.SprintId) -> rec.Planned:
        """Plan a task that is not done for a sprint of its project, if it fits; it leaves the sprint it was in.

        Args:
            task_id: Task to plan.
            sprint_id: Sprint in which it shall be done.
        """
        task, sprint = self._editable(task_id), self.sprints.require(sprint_id)
        left = Plans(self.sprints).put(task, sprint)
        self.tasks.replace(rules.planned(task, sprint))
        return rec.Planned(task_id=task.id, sprint_name=sprint.name, left=left)

    @tool(
        writes=True,
        ask=(
            "take {task_id} out of its sprint",
            "remove {task_id} from the sprint that it is planned for",
            "unplan {task_id}",
            "drop {task_id} from its sprint",
        ),
        reply=("The {title} task is planned for no sprint now.",),
        where=relations.UNPLANNING,
    )
    def unplan_task(self, task_id: rec.TaskId) -> rec.BoardTask:
        """Take a task that is not done out of its sprint, which has its points left again.

        Args:
            task_id: Task that is not to be done in its sprint.
        """
        task = self._editable(task_id)
        unplanned = self.tasks.replace(rules.unplanned(task))
        Plans(self.sprints).leave(task)
        return unplanned

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
    def list_members(self, skill: rec.Skill | None = None, page: PageNumber = 1) -> rec.MemberPage:
        """List the other members with the points of their tasks that are not done, the least busy first.

        Args:
            skill: Only members who do this.
            page: Page of the results, five members each.
        """
        work = self._work()
        found = [work.load(member) for member in self.members.values() if skill in (None, member.skill)]
        found.sort(key=lambda load: (load.open_points, load.id))
        return rec.MemberPage.of(found, page)

    @tool(
        writes=True,
        ask=(
            "comment on {task_id} with '{text}'",
            "write '{text}' under {task_id}",
            "leave the note '{text}' on {task_id}",
            "add '{text}' as a comment to {task_id}",
        ),
        reply=("Your comment stands under the task.",),
        where=relations.COMMENTING,
    )
    def add_comment(self, task_id: rec.TaskId, text: rec.Words) -> rec.Comment:
        """Comment on a task.

        Args:
            task_id: Task to comment on.
            text: What to say.
        """
        task = self._editable(task_id)
        author = self.users.require(self.user_id).name
        comment = rec.Comment(id=self.new_id("COM"), task_id=task.id, author=author, text=text, written_at=self.now)
        return self.comments.insert(comment)

    def _editable(self, task_id: str) -> rec.BoardTask:
        return rules.editable(self.tasks.require(task_id))

    def _work(self) -> Work:
        return Work(self.users.require(self.user_id), self.projects, self.tasks, self.waits.values())

    @classmethod
    def scenario(cls, world: World, size: int) -> Self:
        """Projects in every role, sprints in every state, tasks in every status, some of them blocked."""
        return cls.model_validate(boards(world, size))
