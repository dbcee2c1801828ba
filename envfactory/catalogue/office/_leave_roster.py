"""A team with all that is known of who is away when, and what that means for leave and illness."""

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self, TypeVar

from envfactory.catalogue.office import _leave_records as rec
from envfactory.catalogue.office import _leave_rules as rules
from envfactory.environment import ToolError, days_after, is_workday

L = TypeVar("L", bound=rules.Leave)


@dataclass(frozen=True)
class Roster:
    """A team, the leave of its members, and the holidays of its offices.

    Attributes:
        team: the team.
        members: who is in it, the lead included, by id.
        leaves: their leave, of any status.
        holidays: holidays of their offices.
        today: the date of the clock.
    """

    team: rec.LeaveTeam
    members: dict[str, rec.Employee]
    leaves: tuple[rules.Leave, ...]
    holidays: tuple[rec.OfficeHoliday, ...]
    today: dt.date

    @classmethod
    def of_team(
        cls, team: rec.LeaveTeam, employees: Iterable[rec.Employee], leaves: Iterable[rules.Leave],
        holidays: Iterable[rec.OfficeHoliday], today: dt.date,
    ) -> Self:  # fmt: skip
        """What there is of a team among the people, leave and holidays of a company."""
        members = {each.id: each for each in employees if each.team_id == team.id}
        cities = {each.city for each in members.values()}
        return cls(
            team, members, tuple(each for each in leaves if each.employee_id in members),
            tuple(each for each in holidays if each.city in cities), today,
        )  # fmt: skip

    # -- days

    def works_on(self, who: rec.Employee, day: dt.date) -> bool:
        """Whether a day is a workday of somebody's office."""
        return is_workday(day) and not any((each.city, each.day) == (who.city, day) for each in self.holidays)

    def workdays(self, who: rec.Employee, first: dt.date, last: dt.date) -> list[dt.date]:
        """The workdays of somebody's office in a span."""
        return [day for day in rules.days_from(first, last) if self.works_on(who, day)]

    def off(self, leave: rules.Leave) -> list[dt.date]:
        """The workdays that a leave takes."""
        return self.workdays(self.member(leave), leave.first_day, leave.last_day)

    def staffed(self, first: dt.date, last: dt.date) -> list[dt.date]:
        """The days of a span on which some of the team have to be at work: workdays of all its offices."""
        closed = {each.day for each in self.holidays}
        return [day for day in rules.days_from(first, last) if is_workday(day) and day not in closed]

    def member(self, leave: rules.Leave) -> rec.Employee:
        """Whose leave it is."""
        return self.members[leave.employee_id]

    def mate(self, who: rec.Employee) -> rec.Employee:
        """Somebody of the team other than its lead; refused if they are not."""
        if who.id not in self.members or who.id == self.team.lead_id:
            words = f"{who.name} is not one of the people whom the signed-in lead leads"
            raise ToolError("permission_denied", f"{words}; only their own lead can do this.")
        return who

    def of(self, who: rec.Employee, among: tuple[str, ...], ignored: str = "") -> list[rules.Leave]:
        """Somebody's leave with one of these statuses, the earliest first."""
        found = [x for x in self.leaves if x.employee_id == who.id and x.status in among and x.id != ignored]
        return sorted(found, key=rules.by_first_day)

    def present(self, day: dt.date, without: str = "") -> int:
        """How many members are at work on a workday of all offices, without somebody."""
        return len(self.members.keys() - {leave.employee_id for leave in self.away(day, day)} - {without})

    def away(self, first: dt.date, last: dt.date) -> list[rules.Leave]:
        """Leave that keeps somebody away in a span, the earliest first."""
        found = [x for x in self.leaves if x.status in rules.AWAY and rules.overlapping(x, first, last)]
        return sorted(found, key=rules.by_first_day)

    def tightest(self, first: dt.date, last: dt.date) -> tuple[int, dt.date]:
        """How many are at work on the workday of a span with the fewest, and the first such day."""
        days = self.staffed(first, last)
        if not days:
            words = f"From {first} to {last} there is no workday of all the team's offices"
            raise ToolError("invalid_argument", f"{words}; choose days with one among them.")
        return min((self.present(day), day) for day in days)

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

    def in_a_row(self, leave: L, among: tuple[str, ...]) -> list[L]:
        """A leave with the person's leave of its sort that adjoins it, without a workday between, in their order."""
        who, row = self.member(leave), list[L]()
        others = [x for x in self.of(who, among, leave.id) if isinstance(x, type(leave))]
        for each in sorted([*others, leave], key=rules.by_first_day):
            if row and self.workdays(who, days_after(row[-1].last_day, 1), days_after(each.first_day, -1)):
                if leave in row:
                    break
                row = []
            row.append(each)
        return row

    def stretch(self, leave: rules.Planned) -> float:
        """How many days off in a row a leave makes with what adjoins it."""
        return sum(each.days for each in self.in_a_row(leave, rules.OPEN))

    def calendar(self, first: dt.date, last: dt.date, page: int) -> rec.TeamCalendar:
        """Who is away in a span, a page of it, and what else there is in it."""
        rules.check_order(first, last)
        if (last - first).days >= rules.CALENDAR_DAYS:
            words = f"The calendar shows {rules.CALENDAR_DAYS} days at most; choose a last day closer to {first}."
            raise ToolError("invalid_argument", words)
        fewest, tightest = self.tightest(first, last)
        closed = sorted((x for x in self.holidays if first <= x.day <= last), key=lambda x: (x.day, x.city))
        away = [
            rec.Away(
                employee_id=x.employee_id, name=self.member(x).name, kind=x.kind, first_day=x.first_day,
                last_day=x.last_day, cover=None if isinstance(x, rec.SickLeave) else x.cover,
            )
            for x in self.away(first, last)
        ]  # fmt: skip
        return rec.TeamCalendar.of(
            away, page, holidays=tuple(closed),
            blackouts=tuple(x for x in self.team.blackouts if rules.overlapping(x, first, last)),
            fewest_present=fewest, tightest_day=tightest, min_present=self.team.min_present,
        )  # fmt: skip

    # -- what leave has to keep to

    def planned(self, draft: rec.OwnLeave, cover: rec.Employee | None, year_end: dt.date) -> rec.OwnLeave:
        """Leave of the lead's own as it is asked for; refused if a rule is against it."""
        who, first, last = self.member(draft), draft.first_day, draft.last_day
        rules.check_order(first, last)
        days = self.measured(who, first, last, draft.half)
        leave = draft.evolve(days=days, cover=cover and cover.name)
        if last > year_end:
            words = f"The leave year ends on {year_end}; ask for days of the next one when it has begun."
            raise ToolError("invalid_argument", words)
        self._check_free(leave, rules.LIVE)
        if len(self.workdays(who, days_after(self.today, 1), first)) < (needed := self.notice(leave)):
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

    def covered(self, leave: rec.TeamLeave, cover: rec.Employee) -> rec.TeamLeave:
        """Leave of the team with another cover."""
        if leave.cover_id == cover.id:
            raise ToolError("conflict", f"{cover.name} is the cover already; name somebody else, or leave it so.")
        self.check_cover(leave, cover)
        return leave.evolve(cover_id=cover.id, cover=cover.name)

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
                taken = f"There is {other.kind} leave from {other.first_day} to {other.last_day} ({other.status})"
                only = f"only days outside of it are possible{rules.unless(other, self.today)}"
                raise ToolError("conflict", f"{taken} already; {only}.")

    def _check_absence(self, leave: rules.Planned) -> None:
        """Refuse leave for what it would mean for the team."""
        who = self.member(leave)
        if rules.in_probation(who, leave.first_day):
            self._check_probation(leave, who)
        self._check_covers(leave)
        for other in self._covered_by(who, leave):
            words = f"{who.name} stands in for {self.member(other).name} from {other.first_day} to {other.last_day}"
            ahead = other.first_day > self.today
            way = "another cover has to be named for that first" if ahead else "only days outside of that are possible"
            raise ToolError("conflict", f"{words}; {way}.")
        if leave.kind != "parental":
            self._check_team(leave)

    def _check_probation(self, leave: rules.Planned, who: rec.Employee) -> None:
        """Refuse what nobody takes in probation; parental leave is as for all, and does not count."""
        if leave.kind in ("study", "unpaid"):
            words = f"There is no {leave.kind} leave in probation, which ends on {who.probation_until}"
            raise ToolError("precondition_failed", f"{words}; it is possible afterwards.")
        days = sum(each.days for each in self.in_a_row(leave, rules.OPEN) if each.kind != "parental")
        if leave.kind != "parental" and days > rules.SHORT:
            words = f"In probation, until {who.probation_until}, {rules.amount(rules.SHORT)} in a row are possible"
            raise ToolError("limit_exceeded", f"{words}, not {rules.amount(days)}; only shorter leave is.")

    def _check_covers(self, leave: rules.Planned) -> None:
        """Refuse long leave without a cover for all of it, however it is split."""
        if (days := self.stretch(leave)) <= rules.LONG:
            return
        for each in [leave, *self.in_a_row(leave, rules.OPEN)]:
            if each.cover_id is None:
                words = f"Leave of more than {rules.LONG} days in a row needs a cover, and this makes {days:g}"
                way, that = "name somebody of the team who stands in", f"the {each.kind} leave from {each.first_day}"
                if each.first_day <= self.today:
                    way = f"only days that do not adjoin {that} are possible"
                elif each.id != leave.id:
                    way += f" for {that} first"
                raise ToolError("precondition_failed", f"{words}; {way}.")

    def _check_team(self, leave: rules.Planned) -> None:
        """Refuse leave in a blackout, or when too few would be at work."""
        for blackout in self.team.blackouts:
            if rules.overlapping(blackout, leave.first_day, leave.last_day):
                words = f"The team takes no leave from {blackout.since} to {blackout.until} ({blackout.reason})"
                raise ToolError("precondition_failed", f"{words}; only days outside of that are possible.")
        for day in self.staffed(leave.first_day, leave.last_day):
            if (left := self.present(day, leave.employee_id)) < self.team.min_present:
                words = f"Only {left} of the team would be at work on {day}, and {self.team.min_present} have to be"
                raise ToolError("limit_exceeded", f"{words}; other days are needed (team_calendar).")

    # -- illness

    def reported(self, key: str, who: rec.Employee, first: dt.date, last: dt.date) -> rec.SickLeave:
        """Sick leave that is reported; refused if it cannot be like this."""
        rules.check_order(first, last)
        leave = rec.SickLeave(
            id=key, employee_id=who.id, name=who.name, team_id=self.team.id, first_day=first, last_day=last,
            days=self.measured(who, first, last, None), status="reported",
        )  # fmt: skip
        if not days_after(self.today, -rules.REPORT_BACK) <= first <= self.today:
            words = f"Sick leave is reported on its first day or up to {rules.REPORT_BACK} days later, not for {first}."
            raise ToolError("invalid_argument", words)
        self._check_free(leave, rules.LIVE)
        row = self.in_a_row(leave, rules.ILL)
        begun, most = row[0].first_day, f"{rules.UNCERTIFIED} days of illness in a row"
        if (row[-1].last_day - begun).days + 1 > rules.UNCERTIFIED:
            words = f"Without a certificate {most} are possible, since {begun} here"
            if begun < first:
                way = "extend the earlier sick leave with a certificate instead (file_certificate)"
            elif row[-1].last_day > last:
                way = f"report only days that do not adjoin the sick leave from {row[1].first_day}"
            else:
                way = "report fewer days, and extend them with a certificate (file_certificate)"
            raise ToolError("limit_exceeded", f"{words}; {way}.")
        return leave

    def certified(self, leave: rec.SickLeave, until: dt.date) -> rec.SickLeave:
        """Sick leave with a certificate, which goes on if that reaches further."""
        rules.check_certificate(leave, until, self.today)
        longer = leave.evolve(last_day=until, certified=True)
        if until > leave.last_day:
            longer = longer.evolve(status="reported", closed_on=None)
        self._check_free(longer, rules.LIVE)
        return self.counted(longer)

    def closed(self, leave: rec.SickLeave, back_on: dt.date) -> rec.SickLeave:
        """Sick leave that ends with somebody's return."""
        if leave.closed_on:
            words = f"The sick leave was closed already, on {leave.closed_on}; there is nothing to do."
            raise ToolError("precondition_failed", words)
        who = self.member(leave)
        if not leave.first_day < back_on <= days_after(self.today, 1):
            words = f"{who.name} is ill since {leave.first_day}; the return is after that, and tomorrow at the latest."
            raise ToolError("invalid_argument", words)
        if not self.works_on(who, back_on):
            raise ToolError("invalid_argument", f"{back_on} is no workday; give the first workday after the illness.")
        if self.workdays(who, days_after(leave.last_day, 1), days_after(back_on, -1)):
            words = f"The sick leave was until {leave.last_day}; days after that need a certificate (file_certificate)"
            raise ToolError("precondition_failed", f"{words}, or an earlier return.")
        last = min(leave.last_day, days_after(back_on, -1))
        return self.counted(leave.evolve(last_day=last, status="closed", closed_on=self.today))

    def counted(self, leave: rec.SickLeave) -> rec.SickLeave:
        """A sick leave with as many days as its span has now."""
        return leave.evolve(days=float(len(self.off(leave))))
