"""A team with all that is known of who is away when, and what that means for leave and illness."""

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass

from envfactory.catalogue.office import _leave_records as rec
from envfactory.catalogue.office import _leave_rules as rules
from envfactory.environment import ToolError, is_workday


@dataclass(frozen=True)
class Roster:
    """A team, the leave of its members, and the holidays of its offices.

    Attributes:
        team: the team.
        members: who is in it, the lead included, by id.
        leaves: leave of any status.
        holidays: city and day.
        today: the date of the clock.
    """

    team: rec.LeaveTeam
    members: dict[str, rec.Employee]
    leaves: tuple[rules.Leave, ...]
    holidays: frozenset[tuple[str, dt.date]]
    today: dt.date

    # -- days

    def works_on(self, who: rec.Employee, day: dt.date) -> bool:
        """Whether a day is a workday of somebody's office."""
        return is_workday(day) and (who.city, day) not in self.holidays

    def workdays(self, who: rec.Employee, first: dt.date, last: dt.date) -> list[dt.date]:
        """The workdays of somebody's office in a span."""
        span = (rules.days_after(first, n) for n in range((last - first).days + 1))
        return [day for day in span if self.works_on(who, day)]

    def member(self, leave: rules.Leave) -> rec.Employee:
        """Whose leave it is."""
        return self.members[leave.employee_id]

    def of(self, who: rec.Employee, among: tuple[str, ...], ignored: str = "") -> list[rules.Leave]:
        """Somebody's leave with one of these statuses, the earliest first."""
        found = [x for x in self.leaves if x.employee_id == who.id and x.status in among and x.id != ignored]
        return sorted(found, key=rules.by_first_day)

    def present(self, day: dt.date, without: str = "") -> int:
        """How many members are at work on a day, without somebody."""
        away = {leave.employee_id for leave in self.away(day, day)}
        here = [who for who in self.members.values() if who.id != without and who.id not in away]
        return sum(self.works_on(who, day) for who in here)

    def away(self, first: dt.date, last: dt.date) -> list[rules.Leave]:
        """Leave that keeps somebody away in a span, the earliest first."""
        found = [x for x in self.leaves if x.status in rules.AWAY and rules.overlapping(x, first, last)]
        return sorted(found, key=rules.by_first_day)

    def tightest(self, first: dt.date, last: dt.date) -> tuple[int, dt.date]:
        """How many are at work on the workday of a span with the fewest, and the first such day."""
        span = (rules.days_after(first, n) for n in range((last - first).days + 1))
        open_days = [day for day in span if any(self.works_on(who, day) for who in self.members.values())]
        if not open_days:
            words = f"Nobody works between {first} and {last} anyway; choose days with a workday among them."
            raise ToolError("invalid_argument", words)
        return min((self.present(day), day) for day in open_days)

    def measured(self, who: rec.Employee, first: dt.date, last: dt.date, half: rec.Half | None) -> float:
        """How many days of leave a span takes."""
        days = self.workdays(who, first, last)
        if not days:
            words = f"There is no workday from {first} to {last}, so no leave is needed; choose other days."
            raise ToolError("invalid_argument", words)
        if half and not self.works_on(who, first if half == "first_day" else last):
            words = f"The {half.replace('_', ' ')} is no workday, so it cannot be half a day off; ask for whole days."
            raise ToolError("invalid_argument", words)
        return len(days) - (0.5 if half else 0)

    def stretch(self, leave: rules.Planned) -> float:
        """How many days off in a row a leave makes with the person's other leave that adjoins it."""
        who, first, last, total = self.member(leave), leave.first_day, leave.last_day, leave.days
        others = self.of(who, rules.OPEN, leave.id)
        earlier = [x for x in others if x.last_day < first]
        for other in reversed(earlier):
            if self.workdays(who, rules.days_after(other.last_day, 1), rules.days_after(first, -1)):
                break
            first, total = other.first_day, total + other.days
        for other in [x for x in others if x.first_day > last]:
            if self.workdays(who, rules.days_after(last, 1), rules.days_after(other.first_day, -1)):
                break
            last, total = other.last_day, total + other.days
        return total

    def calendar(
        self, first: dt.date, last: dt.date, holidays: Iterable[rec.OfficeHoliday], page: int
    ) -> rec.TeamCalendar:
        """Who is away in a span, a page of it, and what else there is in it."""
        cities = {member.city for member in self.members.values()}
        closed = [x for x in holidays if x.city in cities and first <= x.day <= last]
        fewest, tightest = self.tightest(first, last)
        away = [
            rec.Away(
                employee_id=x.employee_id, name=self.member(x).name, kind=x.kind, first_day=x.first_day,
                last_day=x.last_day, cover=None if isinstance(x, rec.SickLeave) else x.cover,
            )
            for x in self.away(first, last)
        ]  # fmt: skip
        return rec.TeamCalendar.of(
            away, page, holidays=tuple(sorted(closed, key=lambda x: (x.day, x.city))),
            blackouts=tuple(x for x in self.team.blackouts if rules.overlapping(x, first, last)),
            fewest_present=fewest, tightest_day=tightest, min_present=self.team.min_present,
        )  # fmt: skip

    # -- what leave has to keep to

    def planned(self, draft: rec.OwnLeave, cover: rec.Employee | None, year_end: dt.date) -> rec.OwnLeave:
        """Leave of the lead's own as it is asked for; refused if a rule is against it."""
        who, first, last = self.member(draft), draft.first_day, draft.last_day
        leave = draft.evolve(cover_id=cover and cover.id, cover=cover and cover.name)
        if last > year_end:
            words = f"The leave year ends on {year_end}; ask for days of the next one when it has begun."
            raise ToolError("invalid_argument", words)
        self._check_free(leave, rules.LIVE)
        if len(self.workdays(who, rules.days_after(self.today, 1), first)) < (needed := self.notice(leave)):
            words = f"Such {leave.kind} leave is asked for {needed} workdays ahead; choose a later day than {first}."
            raise ToolError("precondition_failed", words)
        if cover:
            self.check_cover(leave, cover)
        self._check_absence(leave)
        return leave.evolve(status="approved" if self.stretch(leave) <= rules.SHORT else "pending")

    def notice(self, leave: rules.Planned) -> int:
        """How many workdays ahead a leave is asked for."""
        needed = rules.NOTICE[leave.kind]
        return max(needed, rules.LONG_NOTICE) if self.stretch(leave) > rules.LONG else needed

    def check_approval(self, leave: rec.TeamLeave) -> None:
        """Refuse to approve leave that the team's rules do not allow."""
        self._check_free(leave, rules.AWAY)
        if leave.cover_id:
            self.check_cover(leave, self.members[leave.cover_id])
        self._check_absence(leave)

    def check_cover(self, leave: rules.Planned, cover: rec.Employee) -> None:
        """Refuse somebody as a cover who cannot stand in."""
        if cover.id == leave.employee_id:
            words = "Nobody stands in for themselves; name somebody else of the team as the cover."
            raise ToolError("invalid_argument", words)
        for other in self.of(cover, rules.AWAY):
            if rules.overlapping(other, leave.first_day, leave.last_day):
                away = f"{cover.name} is away from {other.first_day} to {other.last_day}"
                raise ToolError("conflict", f"{away}; name another cover (find_colleagues, team_calendar).")
        for other in self._covered_by(cover, leave):
            words = f"{cover.name} stands in for {self.member(other).name} in that time; name another cover."
            raise ToolError("conflict", words)

    def _covered_by(self, who: rec.Employee, leave: rules.Planned) -> list[rules.Planned]:
        """Leave of others for whom somebody stands in on days of a leave."""
        found = [
            x for x in self.leaves if not isinstance(x, rec.SickLeave) and x.cover_id == who.id and x.id != leave.id
        ]
        live = [x for x in found if x.status in rules.OPEN]
        return [x for x in live if rules.overlapping(x, leave.first_day, leave.last_day)]

    def _check_free(self, leave: rules.Leave, among: tuple[str, ...]) -> None:
        for other in self.of(self.member(leave), among, leave.id):
            if rules.overlapping(other, leave.first_day, leave.last_day):
                taken = (
                    f"There is {other.kind} leave from {other.first_day} to {other.last_day} ({other.status}) already"
                )
                if isinstance(other, rec.OwnLeave):
                    way = "choose other days, or change or cancel that first"
                elif other.kind == "sick":
                    way = "choose days outside of it, or close it with an earlier return (close_sickness)"
                else:
                    way = "choose days outside of it, or decline it first (decline_leave)"
                raise ToolError("conflict", f"{taken}; {way}.")

    def _check_absence(self, leave: rules.Planned) -> None:
        """Refuse leave for what it would mean for the team."""
        who, stretch = self.member(leave), self.stretch(leave)
        if rules.in_probation(who, leave.first_day):
            if leave.kind in ("study", "unpaid"):
                words = f"There is no {leave.kind} leave in probation, which ends on {who.probation_until}"
                raise ToolError("precondition_failed", f"{words}; it is possible afterwards.")
            if leave.kind != "parental" and stretch > rules.SHORT:
                words = f"In probation, until {who.probation_until}, {rules.amount(rules.SHORT)} in a row are possible"
                raise ToolError("limit_exceeded", f"{words}, not {rules.amount(stretch)}; only shorter leave is.")
        if stretch > rules.LONG and not leave.cover_id:
            words = f"Leave of more than {rules.LONG} days in a row needs a cover, and this makes {stretch:g}"
            raise ToolError("precondition_failed", f"{words}; name somebody of the team who stands in.")
        for other in self._covered_by(who, leave):
            words = f"{who.name} stands in for {self.member(other).name} from {other.first_day} to {other.last_day}"
            raise ToolError("conflict", f"{words}; another cover has to be named for that first.")
        if leave.kind != "parental":
            self._check_team(leave)

    def _check_team(self, leave: rules.Planned) -> None:
        """Refuse leave in a blackout, or when too few would be at work."""
        for blackout in self.team.blackouts:
            if rules.overlapping(blackout, leave.first_day, leave.last_day):
                words = f"The team takes no leave from {blackout.since} to {blackout.until} ({blackout.reason})"
                raise ToolError("precondition_failed", f"{words}; only days outside of that are possible.")
        for day in self.workdays(self.member(leave), leave.first_day, leave.last_day):
            if (left := self.present(day, leave.employee_id)) < self.team.min_present:
                words = f"Only {left} of the team would be at work on {day}, and {self.team.min_present} have to be"
                raise ToolError("limit_exceeded", f"{words}; other days are needed (team_calendar).")

    # -- illness

    def check_sickness(self, leave: rec.SickLeave) -> None:
        """Refuse sick leave that cannot be reported like this."""
        who, first = self.member(leave), leave.first_day
        if not rules.days_after(self.today, -rules.REPORT_BACK) <= first <= self.today:
            words = f"Sick leave is reported on its first day or up to {rules.REPORT_BACK} days later, not for {first}."
            raise ToolError("invalid_argument", words)
        self._check_free(leave, rules.LIVE)
        begun = first
        for other in reversed(self.of(who, rules.ILL)):
            if not self.workdays(who, rules.days_after(other.last_day, 1), rules.days_after(begun, -1)):
                begun = other.first_day
        if (leave.last_day - begun).days + 1 > rules.UNCERTIFIED:
            words = (
                f"Without a certificate {rules.UNCERTIFIED} days of illness in a row are possible, since {begun} here"
            )
            way = "report fewer days" if begun == first else "extend the earlier sick leave instead"
            raise ToolError("limit_exceeded", f"{words}; {way} with a certificate (file_certificate).")

    def illnesses(self, who: rec.Employee) -> list[rec.SickLeave]:
        """Somebody's sick leave."""
        return [x for x in self.leaves if isinstance(x, rec.SickLeave) and x.employee_id == who.id]

    def extended(self, leave: rec.SickLeave) -> rec.SickLeave:
        """Sick leave that got another last day; refused if the person has other leave then."""
        self._check_free(leave, rules.LIVE)
        return self.counted(leave)

    def closed(self, leave: rec.SickLeave, back_on: dt.date) -> rec.SickLeave:
        """Sick leave that ends with somebody's return."""
        if leave.closed_on:
            words = f"The sick leave was closed already, on {leave.closed_on}; there is nothing to do."
            raise ToolError("precondition_failed", words)
        who = self.member(leave)
        if not leave.first_day < back_on <= rules.days_after(self.today, 1):
            words = f"{who.name} is ill since {leave.first_day}; the return is after that, and tomorrow at the latest."
            raise ToolError("invalid_argument", words)
        if not self.works_on(who, back_on):
            raise ToolError("invalid_argument", f"{back_on} is no workday; give the first workday after the illness.")
        if self.workdays(who, rules.days_after(leave.last_day, 1), rules.days_after(back_on, -1)):
            words = f"The sick leave was until {leave.last_day}; days after that need a certificate (file_certificate)"
            raise ToolError("precondition_failed", f"{words}, or an earlier return.")
        last = min(leave.last_day, rules.days_after(back_on, -1))
        return self.counted(leave.evolve(last_day=last, status="closed", closed_on=self.today))

    def counted(self, leave: rec.SickLeave) -> rec.SickLeave:
        """A sick leave with as many days as its span has now."""
        return leave.evolve(days=float(len(self.workdays(self.member(leave), leave.first_day, leave.last_day))))
