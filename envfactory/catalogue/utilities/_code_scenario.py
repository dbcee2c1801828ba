"""The code base of a scenario: branches ahead, behind and in conflict, and pull requests in every state."""

import datetime as dt
from typing import Any

from envfactory.catalogue.utilities._code_records import (
    Branch,
    Coder,
    Commit,
    Developer,
    PullRequest,
    Repository,
    Review,
    Role,
    Team,
)
from envfactory.catalogue.utilities._code_rules import merge_state_of
from envfactory.environment import World, by_id

_NAMES = ("storefront", "harbour", "atlas", "ledger", "lantern", "courier")
_TEAMS: tuple[Team, ...] = ("web", "data", "mobile", "platform")
_ROLES: tuple[Role, ...] = ("maintainer", "contributor", "maintainer", "reader", "maintainer", "contributor")
_TOPICS = ("webhook", "avatar", "token", "locale", "cookie", "thumbnail", "queue", "parser", "cache", "index", "banner")
_ASPECTS = ("retry", "cleanup", "fallback", "limit", "rename", "speedup", "warning", "refresh")
_PATHS = (
    "README.md", "docs/setup.md", "docs/releases.md", "config/limits.yaml", "config/routes.yaml", "templates/mail.html",
    "data/countries.json", "scripts/release.sh", "locales/fr.json", "assets/styles.css",
)  # fmt: skip
_LINES = ("retries: 3", "see the wiki for more", "enabled: true", "cache: 10 minutes", "reviewed in winter")
_READY, _LOOSE, _CLASHING, _MERGED, _FAILING, _UNREVIEWED, _CLOSED, _CRITICISED = range(8)
_UP_FOR_MERGE = (_READY, _CLASHING, _FAILING, _UNREVIEWED, _CRITICISED)


def code_base(world: World, size: int) -> dict[str, Any]:
    """Draw the fields of the state, about `size` records in all."""
    user = Coder(id="U-1", name=world.user.name, email=world.user.email)
    developers = [
        Developer(id=f"DEV-{11 + n}", name=p.name, email=p.email, team=_TEAMS[n % 4])
        for n, p in enumerate(world.people(max(12, size // 6)))
    ]
    repositories = [
        Repository(
            id=f"REPO-{31 + n}", name=name, team=_TEAMS[n % 4], role=_ROLES[n], approvals_needed=(2, 2, 1, 1, 0, 1)[n],
            commits=world.integer(40, 900),
        )
        for n, name in enumerate(_NAMES)
    ]  # fmt: skip
    branches: list[Branch] = []
    commits: list[Commit] = []
    pulls: list[PullRequest] = []
    reviews: list[Review] = []
    titles = world.sample([f"{topic} {aspect}" for topic in _TOPICS for aspect in _ASPECTS], max(17, size // 4))
    for n, title in enumerate(titles):
        kind = n % 8
        repository = repositories[0 if n < 9 else 1 + n % 5]  # the first has several pages
        team = [each for each in developers if each.team == repository.team]
        mine = (kind == _UNREVIEWED or n % 16 in (_LOOSE, _CLASHING, _FAILING)) and repository.role != "reader"
        author = user.name if mine else team[1].name
        paths = world.sample(_PATHS, 6)
        files = paths[: 0 if n % 16 == 9 else world.integer(2, 3)]  # every other loose one is still even with main
        main_files = paths[2:4] if kind == _CLASHING else paths[3:5] if kind in (_LOOSE, _CLOSED) else []
        branch = Branch(
            id=f"BR-{101 + n}", repository_id=repository.id, repository_name=repository.name, role=repository.role,
            name=title.replace(" ", "-"), status="active", commits=len(files), files=tuple(files),
            behind=world.integer(2, 9) if main_files else 0, main_files=tuple(main_files),
            failing_file=files[0] if kind == _FAILING else None,
        )  # fmt: skip
        if kind == _CLASHING:
            branch = branch.evolve(main_files=(files[0], *main_files))
        commits += [
            Commit(
                id=f"CM-{len(commits) + 301 + k}", branch_id=branch.id, path=path, line=world.choice(_LINES),
                author=author, mine=mine, made_at=world.moment(-25, -3),
            )
            for k, path in enumerate(files)
        ]  # fmt: skip
        if kind in _UP_FOR_MERGE:
            branch = branch.evolve(status="in_review")
        elif kind == _MERGED:
            branch = branch.evolve(status="merged", commits=0)
        branches.append(branch)
        if kind == _LOOSE:
            continue
        made = [each.made_at.date() for each in commits if each.branch_id == branch.id]
        own_word = kind == _CRITICISED and n % 16 != _CRITICISED and repository.role != "reader"
        pull = PullRequest(
            id=f"PR-{501 + n}", repository_id=repository.id, repository_name=repository.name, role=repository.role,
            team=repository.team, branch_id=branch.id, branch_name=branch.name, title=title,
            author=author, author_id=None if mine else team[1].id, mine=mine,
            asks_me=kind == _CRITICISED and not own_word and repository.role != "reader",
            status="merged" if kind == _MERGED else "closed" if kind == _CLOSED else "open",
            opened_on=(min if kind == _FAILING else max)(made) + dt.timedelta(days=world.integer(0, 1)),
        )  # fmt: skip
        given: list[Review] = []
        if kind in (_READY, _MERGED):
            given += [_review(pull, each).evolve(verdict="approve") for each in team[2:] + team[:1]]
        given = given[: repository.approvals_needed]
        if kind == _UNREVIEWED and repository.approvals_needed > 1:
            given.append(_review(pull, team[2]).evolve(verdict="approve"))  # one of two
        if kind == _FAILING:  # the commit that broke the checks came later
            given.append(_review(pull, team[2]).evolve(verdict="dismissed"))
        if kind == _CRITICISED:
            critic = _review(pull, None).evolve(reviewer=user.name) if own_word else _review(pull, team[2])
            given.append(critic.evolve(verdict="request_changes", comment="please add a test"))
        if pull.asks_me:
            given.append(_review(pull, None).evolve(reviewer=user.name))
        if n < 8 and kind in _UP_FOR_MERGE[1:]:
            given.append(_review(pull, team[0]))  # who has no time for any more
        reviews += [each.evolve(id=f"RV-{len(reviews) + 701 + k}") for k, each in enumerate(given)]
        pull = pull.evolve(approvals=sum(each.verdict == "approve" for each in given))
        if pull.status == "open":
            pull = pull.evolve(merge_state=merge_state_of(branch, given, repository.approvals_needed))
        pulls.append(pull)
    return {
        "now": world.now,
        "user_id": user.id,
        "users": by_id([user]),
        "developers": by_id(developers),
        "repositories": by_id(repositories),
        "branches": by_id(branches),
        "commits": by_id(commits),
        "pulls": by_id(pulls),
        "reviews": by_id(reviews),
    }


def _review(pull: PullRequest, developer: Developer | None) -> Review:
    """A review that is asked for."""
    name = developer.name if developer else "nobody"
    return Review(id="RV-0", pull_id=pull.id, developer_id=developer and developer.id, reviewer=name, verdict="asked")
