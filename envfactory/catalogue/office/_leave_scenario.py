"""The company of a scenario: a team with leave at every step, its lead's own leave and days, and other teams."""

import datetime as dt
from typing import Any, NamedTuple

from envfactory.catalogue.office import _leave_records as rec
from envfactory.catalogue.office import _leave_rules as rules
from envfactory.catalogue.office._leave_roster import Roster
from envfactory.environment import Person, World, by_id, days_after, is_workday, workday

_TEAMS = (
    "Payments", "Platform", "Customer Care", "Data", "Mobile", "Logistics", "Security", "Finance Systems", "Search",
    "Design", "Marketing", "Operations",
)  # fmt: skip
_JOBS = ("engineer", "analyst", "designer", "tester", "support specialist", "product manager")
_MATES = 21
"""How many people the lead leads."""
_MIN_PRESENT = 15
_PROBATION = 182
"""Days of probation."""


class _Planned(NamedTuple):
    """Leave of a member of the team or of the lead, in workdays from today."""

    who: int
    """Place in the team; 0 is the lead."""
    kind: rec.Plannable
    start: int
    days: int
    status: rec.Status
    half: rec.Half | None = None
    cover: int | None = None
    reason: rec.DeclineReason | None = None


_TEAM_LEAVE = (
    # over, or under way
    _Planned(16, "annual", -25, 5, "approved"),
    _Planned(17, "annual", -18, 3, "approved"),
    _Planned(18, "unpaid", -30, 5, "approved"),
    _Planned(19, "study", -12, 2, "approved"),
    _Planned(6, "unpaid", -9, 2, "cancelled"),
    _Planned(15, "annual", -2, 6, "approved", cover=16),
    # approved: in one week no more can be away
    _Planned(10, "annual", 6, 2, "approved"),
    _Planned(11, "annual", 9, 3, "approved"),
    _Planned(14, "annual", 12, 1, "approved", "first_day"),
    _Planned(7, "annual", 19, 7, "approved", cover=8),
    _Planned(1, "annual", 20, 5, "approved"),
    _Planned(2, "annual", 20, 5, "approved"),
    _Planned(3, "annual", 21, 4, "approved"),
    _Planned(4, "compensatory", 20, 3, "approved"),
    _Planned(5, "study", 20, 5, "approved"),
    _Planned(6, "annual", 22, 3, "approved"),
    _Planned(12, "parental", 28, 24, "approved", cover=13),
    # to be decided on
    _Planned(19, "compensatory", 8, 1, "pending"),
    _Planned(16, "annual", 10, 4, "pending"),
    _Planned(17, "annual", 13, 3, "pending"),
    _Planned(18, "annual", 14, 5, "pending"),
    _Planned(20, "annual", 15, 2, "pending", "last_day"),
    _Planned(1, "annual", 45, 5, "pending"),
    _Planned(10, "annual", 46, 3, "pending"),
    _Planned(2, "study", 47, 3, "pending"),
    _Planned(3, "unpaid", 50, 4, "pending"),
    _Planned(11, "annual", 52, 5, "pending"),
    _Planned(6, "annual", 56, 2, "pending"),
    _Planned(7, "annual", 58, 5, "pending"),
    _Planned(14, "parental", 60, 4, "pending"),
    _Planned(9, "annual", 21, 3, "pending"),  # too few would be left
    _Planned(8, "annual", 23, 2, "pending"),  # stands in for somebody then
    _Planned(4, "annual", 37, 3, "pending"),  # in a blackout
    _Planned(5, "annual", 55, 8, "pending"),  # has no cover
    _Planned(21, "annual", 12, 3, "pending"),  # in probation
    # not to be
    _Planned(9, "annual", 10, 2, "declined", reason="too_few_people"),
    _Planned(13, "study", 11, 2, "declined", reason="the_deadline"),
    _Planned(2, "annual", 13, 4, "declined", reason="short_notice"),
    _Planned(15, "annual", 38, 2, "declined", reason="a_blackout"),
    _Planned(19, "annual", 32, 3, "cancelled"),
)
_OWN_LEAVE = (
    _Planned(0, "annual", -35, 4, "approved"),
    _Planned(0, "annual", -14, 2, "approved", "last_day"),
    _Planned(0, "compensatory", -7, 1, "approved"),
    _Planned(0, "annual", 5, 1, "approved"),
    _Planned(0, "annual", 8, 2, "approved", "first_day"),
    _Planned(0, "compensatory", 11, 1, "approved"),
    _Planned(0, "annual", 15, 3, "approved", cover=20),
    _Planned(0, "annual", 34, 2, "approved"),
    _Planned(0, "annual", 26, 4, "pending", cover=18),
    _Planned(0, "study", 47, 3, "pending"),
    _Planned(0, "unpaid", 31, 2, "pending"),
    _Planned(0, "annual", 42, 3, "pending", cover=9),
    _Planned(0, "annual", 20, 5, "declined"),
    _Planned(0, "study", 24, 2, "cancelled"),
)


class _Ill(NamedTuple):
    """Sick leave of a member of the team, in days from today."""

    who: int
    first: int
    last: int
    certified: bool = False
    closed: bool = False


_SICK = (
    _Ill(3, -20, -18, closed=True),
    _Ill(5, -14, -10, certified=True, closed=True),
    _Ill(10, -6, -4, closed=True),
    _Ill(20, -7, -5, closed=True),
    _Ill(4, 0, 2),
    _Ill(8, -3, -1),
    _Ill(13, -6, 3, certified=True),
    _Ill(17, -11, 9, certified=True),
    _Ill(21, -4, 1, certified=True),
)
_OTHERS = (
    _Planned(1, "annual", 9, 4, "pending"),
    _Planned(2, "annual", 17, 3, "approved"),
    _Planned(3, "study", 23, 2, "pending"),
    _Planned(4, "annual", 13, 2, "declined", reason="the_deadline"),
)
"""Leave in every other team."""
_ENTITLED: dict[rec.AnyKind, float] = {
    "annual": 28.0,
    "compensatory": 4.5,
    "study": 10.0,
    "unpaid": 20.0,
    "parental": 60.0,
    "sick": 30.0,
}
_CARRIED = 6


def company(world: World, size: int) -> dict[str, Any]:
    """Draw the fields of the state, about `size` records and a hundred more."""
    it = _Company(world)
    it.close_offices()
    people = world.people(_MATES + 1 + 5 * max(2, size // 20) + 10)
    names = [each for each in people if each.name != world.user.name]
    it.team(_TEAMS[0], [world.user, *names[:_MATES]])
    for n in range(max(2, size // 20)):
        again, place = divmod(n + 1, len(_TEAMS))
        start = _MATES + 1 + 5 * n
        it.team(_TEAMS[place] + (f" {again + 1}" if again else ""), names[start : start + 5])
    for plan in _TEAM_LEAVE:
        it.planned(0, plan)
    for ill in _SICK:
        it.ill(ill)
    for n in range(1, len(it.teams)):
        for plan in _OTHERS:
            it.planned(n, plan)
    own, accounts = it.own()
    return {
        "now": world.now,
        "employee_id": it.crews[0][0].id,
        "team_id": it.teams[0].id,
        "year_end": it.year_end,
        "trade_until": days_after(world.today, 29),
        "employees": by_id([each for crew in it.crews for each in crew]),
        "teams": by_id(it.teams),
        "holidays": by_id(it.holidays),
        "accounts": by_id(accounts),
        "own_leaves": by_id(own),
        "team_leaves": by_id(it.leaves),
        "sick_leaves": by_id(it.sick),
    }


class _Company:
    """Teams, holidays and leave as they are added."""

    def __init__(self, world: World) -> None:
        self.world, self.today = world, world.today
        self.cities = [name for name, _ in world.cities[:4]]
        self.teams: list[rec.LeaveTeam] = []
        self.crews: list[list[rec.Employee]] = []
        self.holidays: list[rec.OfficeHoliday] = []
        self.closed: set[dt.date] = set()
        self.leaves: list[rec.TeamLeave] = []
        self.sick: list[rec.SickLeave] = []

    def team(self, name: str, people: list[Person]) -> None:
        """Add a team of people, the lead first, in two cities; the last two of it are in probation."""
        number = len(self.teams)
        own = number == 0
        places = self.cities[:2] if own else self.cities[number % 3 : number % 3 + 2]
        blackouts = (
            rec.Blackout(since=self.ahead(36), until=self.ahead(40), reason="launch of the new release"),
            rec.Blackout(since=self.ahead(190), until=self.ahead(195), reason="yearly audit"),
        )
        crew: list[rec.Employee] = []
        for n, each in enumerate(people):
            new = n >= len(people) - (2 if own else 1)
            joined = days_after(self.today, -(90 + 10 * n % 80) if new else -self.world.integer(300, 3200))
            crew.append(
                rec.Employee(
                    id=f"EM-{101 + sum(map(len, self.crews)) + n}", name=each.name, email=each.email,
                    job=self.world.choice(_JOBS) if n else "team lead", team_id=f"TE-{11 + number}", team=name,
                    city=places[n % 3 == 2], joined_on=workday(joined),
                    probation_until=days_after(workday(joined), _PROBATION) if new else None,
                )
            )  # fmt: skip
        self.crews.append(crew)
        self.teams.append(
            rec.LeaveTeam(
                id=f"TE-{11 + number}",
                name=name,
                lead_id=crew[0].id,
                min_present=_MIN_PRESENT if own else 2,
                blackouts=blackouts if own else (),
            )
        )

    @property
    def year_end(self) -> dt.date:
        """The leave year of the company ends with a month, nine months after that of today."""
        years, month = divmod(self.today.month + 9, 12)
        return days_after(dt.date(self.today.year + years, month + 1, 1), -1)

    def close_offices(self) -> None:
        """Add the holidays of the time with leave: of every city the same, and one of its own."""
        days: list[tuple[dt.date, str]] = []
        for year in range(days_after(self.today, -60).year, self.year_end.year + 1):
            spring = dt.date(year, 4, 1)
            days += [
                (dt.date(year, 1, 1), "New Year's Day"),
                (days_after(spring, -spring.weekday() % 7), "Spring Holiday"),
                (dt.date(year, 5, 1), "Labour Day"),
                (dt.date(year, 12, 25), "Christmas Day"),
            ]
        self.closed = {day for day, _ in days}
        for n, city in enumerate(self.cities):
            for day, name in [*days, (self.ahead(30 + n), f"{city} Day")]:
                new = rec.OfficeHoliday(id=f"OH-{201 + len(self.holidays)}", city=city, day=day, name=name)
                self.holidays.append(new)
                self.closed.add(day)

    def ahead(self, count: int) -> dt.date:
        """The day so many workdays of all offices from today."""
        day, step = self.today, 1 if count > 0 else -1
        while count:
            day = days_after(day, step)
            count -= step * (is_workday(day) and day not in self.closed)
        return day

    def roster(self, team: int) -> Roster:
        """A team with what was added so far."""
        return Roster.of_team(self.teams[team], self.crews[team], self.leaves, self.holidays, self.today)

    def span(self, team: int, plan: _Planned) -> dict[str, Any]:
        """What a planned leave of either kind has."""
        first, last, crew = self.ahead(plan.start), self.ahead(plan.start + plan.days - 1), self.crews[team]
        cover = None if plan.cover is None else crew[plan.cover]
        return {
            "employee_id": crew[plan.who].id, "kind": plan.kind, "first_day": first, "last_day": last,
            "half": plan.half, "days": self.roster(team).measured(crew[plan.who], first, last, plan.half),
            "cover_id": cover and cover.id, "cover": cover and cover.name, "status": plan.status,
        }  # fmt: skip

    def planned(self, team: int, plan: _Planned) -> None:
        """Add leave of somebody who is led."""
        decided = min(self.ahead(plan.start - 8), self.ahead(-1 - plan.who % 4))
        self.leaves.append(
            rec.TeamLeave(
                id=f"TL-{301 + len(self.leaves)}", name=self.crews[team][plan.who].name,
                team_id=self.teams[team].id, reason=plan.reason,
                decided_on=decided if plan.status in ("approved", "declined") else None, **self.span(team, plan),
            )
        )  # fmt: skip

    def ill(self, ill: _Ill) -> None:
        """Add sick leave in the lead's team."""
        who, first, last = self.crews[0][ill.who], *(days_after(self.today, n) for n in (ill.first, ill.last))
        leave = rec.SickLeave(
            id=f"SL-{701 + len(self.sick)}", team_id=self.teams[0].id, employee_id=who.id, name=who.name,
            first_day=first, last_day=last, days=0.0, certified=ill.certified,
            status="closed" if ill.closed else "reported",
            closed_on=workday(days_after(last, 1)) if ill.closed else None,
        )  # fmt: skip
        self.sick.append(self.roster(0).counted(leave))

    def own(self) -> tuple[list[rec.OwnLeave], list[rec.LeaveAccount]]:
        """The lead's own leave, and the accounts with what it took."""
        accounts = {
            kind: rec.LeaveAccount(id=f"LA-{501 + n}", kind=kind, entitled=days)
            for n, (kind, days) in enumerate(_ENTITLED.items())
        }
        accounts["annual"] = accounts["annual"].evolve(
            carried=_CARRIED, carried_until=days_after(self.today, 29), day_rate=self.world.money(180, 320)
        )
        me = self.crews[0][0]
        leaves: list[rec.OwnLeave] = []
        for n, plan in enumerate(sorted(_OWN_LEAVE, key=lambda plan: plan.start)):
            leave = rec.OwnLeave(id=f"OL-{401 + n}", **self.span(0, plan))
            if leave.status in rules.OPEN:
                accounts[leave.kind], leave = rules.charged(accounts[leave.kind], leave, self.roster(0).off(leave))
            leaves.append(leave)
        first, last = self.ahead(-22), self.ahead(-21)
        ill = rec.OwnLeave(
            id=f"OL-{401 + len(leaves)}", employee_id=me.id, kind="sick", first_day=first, last_day=last,
            days=self.roster(0).measured(me, first, last, None), status="approved",
        )  # fmt: skip
        accounts["sick"] = accounts["sick"].evolve(used=ill.days)
        return [*leaves, ill], list(accounts.values())
