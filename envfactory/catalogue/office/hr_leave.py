"""Leave in a company, for the lead of a team: their own leave and days, and the leave and illness of their team.

Days are workdays of the office of whoever takes them, without its holidays. Leave is asked for, decided on, taken; it
can be changed until it begins. What adjoins other leave counts with it, so splitting a leave avoids no rule.
"""

import datetime as dt
from typing import Self

from envfactory.catalogue.office import _leave_records as rec
from envfactory.catalogue.office import _leave_relations as relations
from envfactory.catalogue.office import _leave_rules as rules
from envfactory.catalogue.office._leave_roster import Roster
from envfactory.catalogue.office._leave_scenario import company
from envfactory.environment import Environment, PageNumber, Table, World, owned, tool


class HrLeave(Environment):
    """Plan a team lead's own leave and decide on the team's: balances, requests, covers, illness, days bought."""

    domain = "office"
    policy = """Leave takes workdays of the person's office and no days that overlap. It is asked for ahead: annual 3
    workdays, compensatory 1, study 10, unpaid 15, parental 30, and 15 at least for more than 5 days in a row. Leave
    that adjoins counts together. Up to 2 days of the lead's own are approved at once, more is decided by their own
    lead, a changed leave again. More than 5 days need a cover for all of them whom the lead leads, who is there and
    covers nobody else then. Except parental leave, nobody takes leave in a blackout or when too few would be at work,
    holidays of an office apart. In probation 2 days in a row at most, no study or unpaid leave. Days carried over are
    used first, until they lapse. Leave can be changed, cancelled or declined until the day before it begins. Leads
    decide on their own team only, and report its sick leave up to 3 days after it began: for 3 days in a row without a
    certificate, which extends it, to 28 days from today at most, until 7 days after it ended. Up to 5 days a year can
    be bought or sold on balance, for a while. Never make up days, reasons or a certificate."""
    sources = (
        "BambooHR API, Time Off: Requests, Balance Estimates, Who's Out, Adjustments",
        "Personio API, Absence Periods, Absence Types and Absence Balances (half days, certificates, substitutes)",
        "SAP SuccessFactors Time Off, Employee Time and Time Account; Workday Absence Management, Time Off Requests",
    )

    employee_id: rec.EmployeeId
    """Lead whose session this is."""
    team_id: rec.TeamId
    """Team that they lead and work in."""
    year_end: dt.date
    """Last day of the leave year."""
    trade_until: dt.date
    """Last day on which days are bought and sold."""
    employees: Table[rec.Employee]
    teams: Table[rec.LeaveTeam]
    holidays: Table[rec.OfficeHoliday]
    accounts: Table[rec.LeaveAccount]
    own_leaves: Table[rec.OwnLeave]
    team_leaves: Table[rec.TeamLeave]
    sick_leaves: Table[rec.SickLeave]

    @tool(
        ask=(
            "tell me how many days of[ {kind}] leave I have left[ on {day}]",
            "check my[ {kind}] leave balance[ as of {day}]",
            "look up what I have left of my[ {kind}] leave[ on {day}]",
            "see how much[ {kind}] leave I can still take[ on {day}]",
        ),
        reply=("On {day} you have {balances}.",),
        where=relations.BALANCES,
    )
    def get_balances(self, kind: rec.AnyKind | None = None, day: dt.date | None = None) -> rec.Balances:
        """Get how much leave the signed-in employee has left by kind, on a day of this leave year.

        Args:
            kind: Only this kind of leave.
            day: Day to reckon for, today if not given; days carried over lapse in between.
        """
        asked, today = [each for each in self.accounts.values() if kind in (None, each.kind)], self.now.date()
        return rules.balances(asked, day or today, today, self.year_end, self.trade_until)

    @tool(
        ask=(
            "find colleagues[ in the {team} team][ at the {city} office][in_probation? who are in probation]",
            "look for people[ of the {team} team][ who work in {city}][in_probation? and are still in probation]",
            "show me who works with us[ in {team}][ at our office in {city}][in_probation? and is in probation]",
            "list the employees[ of {team}][ in {city}][in_probation? whose probation is not over]",
        ),
        noun="colleague[ in the {team} team][ at the {city} office][in_probation? who is in probation]",
        reply=("I found {employees}.", "There is nobody like that."),
    )
    def find_colleagues(
        self, team: rec.TeamName | None = None, city: rec.City | None = None, in_probation: bool = False,
        page: PageNumber = 1,
    ) -> rec.EmployeePage:  # fmt: skip
        """Find other people of the company, by name.

        Args:
            team: Only people of the team of this name.
            city: Only people whose office is in this city.
            in_probation: Only people whose probation is not over.
            page: Page of the results, five people each.
        """
        there = [x for x in self.employees.values() if team in (None, x.team) and city in (None, x.city)]
        others = [x for x in there if x.id != self.employee_id]
        found = [x for x in others if not in_probation or rules.in_probation(x, self.now.date())]
        return rec.EmployeePage.of(sorted(found, key=rules.by_name), page)

    @tool(
        ask=(
            "list my own[ {status}][ {kind}] leave",
            "show me the[ {status}][ {kind}] leave that I asked for",
            "look up my own[ {status}] requests for[ {kind}] leave",
            "go through the[ {status}][ {kind}] leave of mine",
        ),
        noun="[{status} ][{kind} ]leave of mine",
        reply=("Your leave: {leaves}.", "You have no such leave."),
    )
    def list_my_leave(
        self, status: rec.Status | None = None, kind: rec.AnyKind | None = None, page: PageNumber = 1
    ) -> rec.OwnLeavePage:
        """List the signed-in employee's own leave, past and future, the latest first.

        Args:
            status: Only leave that stands like this.
            kind: Only leave of this kind.
            page: Page of the results, five leaves each.
        """
        found = [x for x in self.own_leaves.values() if status in (None, x.status) and kind in (None, x.kind)]
        return rec.OwnLeavePage.of(sorted(found, key=rules.by_first_day, reverse=True), page)

    @tool(
        writes=True,
        ask=(
            "request {kind} leave for me from {first_day} to {last_day}[, half on the {half}][, covered by {cover_id}]",
            "ask for {kind} leave from {first_day} to {last_day}[, only half of the {half}][ with {cover_id} as cover]",
            "put me down for {kind} leave, {first_day} to {last_day}[, the {half} half][ with {cover_id} standing in]",
            "book {kind} leave for me, {first_day} until {last_day}[, half of the {half}][, with cover by {cover_id}]",
        ),
        reply=("Your {kind} leave from {first_day} to {last_day} is {status}: it takes {days}[, {cover} stands in].",),
        where=relations.REQUESTING,
    )
    def request_leave(
        self, kind: rec.Kind, first_day: rec.FirstDay, last_day: rec.LastDay, half: rec.Half | None = None,
        cover_id: rec.EmployeeId | None = None,
    ) -> rec.OwnLeave:  # fmt: skip
        """Ask for leave of the signed-in employee's own; up to 2 days in a row are approved at once.

        Args:
            kind: Kind of leave.
            first_day: First day of it.
            last_day: Last day of it, in this leave year.
            half: Which of the two is only half a day off.
            cover_id: Who of the team stands in; needed for more than 5 days in a row.
        """
        draft = rec.OwnLeave(
            id=self.new_id("OL"), employee_id=self.employee_id, kind=kind, first_day=first_day, last_day=last_day,
            half=half, days=0.0, status="pending", cover_id=cover_id,
        )  # fmt: skip
        return self.own_leaves.insert(self._planned(draft))

    @tool(
        writes=True,
        ask=(
            "move {leave_id} to {first_day} until {last_day}[, half on the {half}][, covered by {cover_id}]",
            "change {leave_id} to be from {first_day} to {last_day}[, half of the {half}][ with {cover_id} as cover]",
            "shift {leave_id} to the days {first_day} to {last_day}[, the {half} half][ with {cover_id} standing in]",
            "reschedule {leave_id} for {first_day} to {last_day}[ with half of the {half}][, with cover by {cover_id}]",
        ),
        reply=("It goes from {first_day} to {last_day} now and takes {days}; it is {status}[, {cover} stands in].",),
        where=relations.CHANGING,
    )
    def change_leave(
        self, leave_id: rec.OwnLeaveId, first_day: rec.FirstDay, last_day: rec.LastDay, half: rec.Half | None = None,
        cover_id: rec.EmployeeId | None = None,
    ) -> rec.OwnLeave:  # fmt: skip
        """Change the days of the signed-in employee's own leave before it begins; it is decided on as if new.

        Args:
            leave_id: Leave that is pending or approved.
            first_day: New first day.
            last_day: New last day.
            half: Which of the two is only half a day off; neither if not given.
            cover_id: Who stands in; as before if not given.
        """
        old = rules.ahead(self.own_leaves.require(leave_id), self.now.date(), "changed")
        cover_id = old.cover_id if cover_id is None else cover_id
        draft = old.evolve(first_day=first_day, last_day=last_day, half=half, cover_id=cover_id)
        rules.check_changed(old, draft)
        rules.refund(self.accounts, old)
        return self.own_leaves.replace(self._planned(draft))

    @tool(
        writes=True,
        ask=("cancel {leave_id}", "withdraw {leave_id}", "call off {leave_id}", "drop {leave_id}"),
        reply=("Your {kind} leave from {first_day} is cancelled, with {days} given back.",),
        where=relations.CANCELLING,
    )
    def cancel_leave(self, leave_id: rec.OwnLeaveId) -> rec.OwnLeave:
        """Cancel the signed-in employee's own leave before it begins; its days are given back, carried ones as such.

        Args:
            leave_id: Leave that is pending or approved.
        """
        leave = rules.ahead(self.own_leaves.require(leave_id), self.now.date(), "cancelled")
        rules.refund(self.accounts, leave)
        return self.own_leaves.replace(leave.evolve(status="cancelled"))

    @tool(
        ask=(
            "list the[ {status}][ {kind}] leave in my team[, only that of {colleague_id}]",
            "show me my team's[ {status}][ {kind}] leave[ for {colleague_id}]",
            "look up which[ {status}][ {kind}] leave my people have[, just {colleague_id}]",
            "go through the[ {status}][ {kind}] leave of my team[, only for {colleague_id}]",
        ),
        noun="[{status} ][{kind} ]team leave[ for {colleague_id}]",
        reply=("I found {leaves}.", "There is no such leave in your team."),
        where=relations.MEMBER,
    )
    def list_team_leave(
        self, status: rec.Status | None = None, kind: rec.Kind | None = None,
        colleague_id: rec.EmployeeId | None = None, page: PageNumber = 1,
    ) -> rec.TeamLeavePage:  # fmt: skip
        """List planned leave on which the signed-in lead decides: what is to come on top, past leave at the end.

        Args:
            status: Only leave that stands like this.
            kind: Only leave of this kind.
            colleague_id: Only leave of this member of the team.
            page: Page of the results, five leaves each.
        """
        led = rules.of_people(self.team_leaves, self._mates(colleague_id))
        found = [x for x in led if status in (None, x.status) and kind in (None, x.kind)]
        found.sort(key=lambda leave: (leave.first_day <= self.now.date(), leave.first_day, leave.id))
        return rec.TeamLeavePage.of(found, page)

    @tool(
        ask=(
            "show me who is away between {first_day} and {last_day}",
            "check the team calendar from {first_day} to {last_day}",
            "see how many of us are at work from {first_day} to {last_day}",
            "look up my team's absences from {first_day} until {last_day}",
        ),
        reply=(
            "Away are {away}. On {tightest_day} only {fewest_present} are at work, and {min_present} have to be.",
            "Nobody is away; on {tightest_day} {fewest_present} are at work, and {min_present} have to be.",
        ),
        where=relations.CALENDAR,
    )
    def team_calendar(self, first_day: dt.date, last_day: dt.date, page: PageNumber = 1) -> rec.TeamCalendar:
        """See who of the signed-in lead's team is away in a time, with holidays, blackouts and the tightest day.

        Args:
            first_day: First day to look at.
            last_day: Last day to look at, at most 62 days in all.
            page: Page of those who are away, five each.
        """
        return self._roster().calendar(first_day, last_day, page)

    @tool(
        writes=True,
        ask=(
            "name {cover_id} as the cover for {leave_id}",
            "let {cover_id} stand in during {leave_id}",
            "have {cover_id} cover {leave_id}",
            "make {cover_id} the substitute for {leave_id}",
        ),
        reply=("{cover} stands in for {name} from {first_day} to {last_day}.",),
        where=relations.COVERING,
    )
    def name_cover(self, leave_id: rec.TeamLeaveId, cover_id: rec.EmployeeId) -> rec.TeamLeave:
        """Name who of the team stands in during somebody's leave, in place of whoever was named before.

        Args:
            leave_id: Leave of the team that is pending or approved and has not begun.
            cover_id: Member of the team who is there all the time and covers nobody else then.
        """
        leave = self._decidable(leave_id, "covered")
        return self.team_leaves.replace(self._roster().covered(leave, self._mate(cover_id)))

    @tool(
        writes=True,
        ask=("approve {leave_id}", "give the go-ahead for {leave_id}", "grant {leave_id}", "sign off on {leave_id}"),
        reply=("The {kind} leave of {name} from {first_day} to {last_day} is approved[, {cover} stands in].",),
        where=relations.APPROVING,
    )
    def approve_leave(self, leave_id: rec.TeamLeaveId) -> rec.TeamLeave:
        """Approve a request of the team if cover, staffing, blackouts and probation allow it, also one declined before.

        Args:
            leave_id: Request that is pending or declined; its first day is ahead.
        """
        leave = self._decidable(leave_id, "approved", ("pending", "declined"))
        self._roster().check_approval(leave)
        return self.team_leaves.replace(leave.evolve(status="approved", reason=None, decided_on=self.now.date()))

    @tool(
        writes=True,
        ask=(
            "decline {leave_id} because of {reason}",
            "turn down {leave_id}, because of {reason}",
            "refuse {leave_id}, the reason being {reason}",
            "reject {leave_id} on account of {reason}",
        ),
        reply=("The {kind} leave of {name} from {first_day} is declined because of {reason}.",),
        where=relations.DECLINING,
    )
    def decline_leave(self, leave_id: rec.TeamLeaveId, reason: rec.DeclineReason) -> rec.TeamLeave:
        """Decline leave of the team, or take an approval back before it begins; approving it again undoes this.

        Args:
            leave_id: Leave that is pending or approved.
            reason: Why.
        """
        leave = self._decidable(leave_id, "declined")
        return self.team_leaves.replace(leave.evolve(status="declined", reason=reason, decided_on=self.now.date()))

    @tool(
        ask=(
            "list the[ {status}] sick leave[uncertified? without a certificate] in my team[, just for {colleague_id}]",
            "show me my team's[ {status}] sick leave[uncertified? that lacks a certificate][, only for {colleague_id}]",
            "look up the[ {status}] illnesses[uncertified? with no certificate] in my team[, just of {colleague_id}]",
            "go through my people's[ {status}] sick leave[uncertified? without certificate][, only of {colleague_id}]",
        ),
        noun="[{status} ]team sick leave[ for {colleague_id}][uncertified? without a certificate]",
        reply=("I found {leaves}.", "There is no such sick leave in your team."),
        where=relations.MEMBER,
    )
    def list_sick_leave(
        self, status: rec.SickStatus | None = None, colleague_id: rec.EmployeeId | None = None,
        uncertified: bool = False, page: PageNumber = 1,
    ) -> rec.SickLeavePage:  # fmt: skip
        """See who is or was ill among the people whom the signed-in lead leads; what lasts longest is on top.

        Args:
            status: Only illnesses that are over, or that are not.
            colleague_id: Only illnesses of this person.
            uncertified: Only illnesses for which no doctor's certificate was filed.
            page: Page of the results, five illnesses each.
        """
        ill = rules.of_people(self.sick_leaves, self._mates(colleague_id))
        shown = [x for x in ill if status in (None, x.status) and not (uncertified and x.certified)]
        return rec.SickLeavePage.of(sorted(shown, key=rules.by_last_day, reverse=True), page)

    @tool(
        writes=True,
        ask=(
            "report {employee_id} sick from {first_day} to {last_day}",
            "book {employee_id} off sick from {first_day}, probably until {last_day}",
            "put {employee_id} down as sick, {first_day} until {last_day}",
            "enter an illness of {employee_id} from {first_day} up to {last_day}",
        ),
        reply=("{name} is on sick leave from {first_day} to {last_day}, {days} of work.",),
        where=relations.REPORTING,
    )
    def report_sick(
        self, employee_id: rec.EmployeeId, first_day: rec.SickFrom, last_day: rec.SickUntil
    ) -> rec.SickLeave:
        """Report that a member of the team is ill; for 3 days in a row at most, more takes a certificate.

        Args:
            employee_id: Who is ill.
            first_day: First day of the illness, at most 3 days ago.
            last_day: Last day as far as it is known.
        """
        who = self._mate(employee_id)
        return self.sick_leaves.insert(self._roster().reported(self.new_id("SL"), who, first_day, last_day))

    @tool(
        writes=True,
        ask=(
            "file a doctor's certificate until {until} for {leave_id}",
            "extend {leave_id} to {until}, there is a certificate",
            "add the certificate for {leave_id}, which is valid to {until}",
            "enter that a doctor certified {leave_id} up to {until}",
        ),
        reply=("{name} is certified ill from {first_day} to {last_day}, {days} of work.",),
        where=relations.CERTIFYING,
    )
    def file_certificate(self, leave_id: rec.SickLeaveId, until: dt.date) -> rec.SickLeave:
        """File a doctor's certificate, with which a sick leave can go on for longer, even one that was closed.

        Args:
            leave_id: Sick leave to certify, over for at most 7 days.
            until: Last day of the certificate, at most 28 days from today.
        """
        leave = owned(self.sick_leaves.require(leave_id), "team_id", self.team_id)
        return self.sick_leaves.replace(self._roster().certified(leave, until))

    @tool(
        writes=True,
        ask=(
            "close {leave_id}, back at work on {back_on}",
            "end {leave_id}, with the return on {back_on}",
            "note the return to work on {back_on} after {leave_id}",
            "finish {leave_id} as of {back_on}, the first day back",
        ),
        reply=("{name} was on sick leave from {first_day} to {last_day}, {days} of work.",),
        where=relations.CLOSING,
    )
    def close_sickness(self, leave_id: rec.SickLeaveId, back_on: dt.date) -> rec.SickLeave:
        """Note that somebody of the team is back, which closes the sick leave, earlier than expected or not.

        Args:
            leave_id: Illness that is reported and not closed.
            back_on: First day at work again, tomorrow at the latest.
        """
        leave = owned(self.sick_leaves.require(leave_id), "team_id", self.team_id)
        return self.sick_leaves.replace(self._roster().closed(leave, back_on))

    @tool(
        writes=True,
        ask=(
            "put in for me to {direction} {days} of annual leave",
            "help me {direction} {days} of annual leave",
            "arrange for me to {direction} {days} of annual leave",
            "let me {direction} {days} of my annual leave for this year",
        ),
        reply=("That comes to {amount}, and you have {left} of annual leave now.",),
        where=relations.TRADING,
    )
    def trade_days(self, direction: rec.Direction, days: rec.Traded) -> rec.Trade:
        """Buy or sell days of this year's annual leave at the employee's daily rate; each undoes the other.

        Args:
            direction: Whether to buy or to sell.
            days: How many days; at most 5 on balance in a year.
        """
        return rules.trade(self.accounts, direction, days, self.trade_until, self.now.date())

    def _roster(self) -> Roster:
        """The lead's team with all its leave, the lead's own included."""
        leaves = (*self.own_leaves.values(), *self.team_leaves.values(), *self.sick_leaves.values())
        team = self.teams.require(self.team_id)
        return Roster.of_team(team, self.employees.values(), leaves, self.holidays.values(), self.now.date())

    def _mate(self, employee_id: str) -> rec.Employee:
        return self._roster().mate(self.employees.require(employee_id))

    def _mates(self, only: str | None) -> list[str]:
        """Those whom the lead leads, or only the one who is named."""
        return list(self._roster().members) if only is None else [self._mate(only).id]

    def _decidable(self, leave_id: str, done: str, among: tuple[str, ...] = rules.OPEN) -> rec.TeamLeave:
        """Leave of the team that has not begun, at one of these steps."""
        leave = owned(self.team_leaves.require(leave_id), "team_id", self.team_id)
        return rules.ahead(leave, self.now.date(), done, among)

    def _planned(self, draft: rec.OwnLeave) -> rec.OwnLeave:
        """Leave of the lead's own with these days, charged to its account; refused if a rule is against it."""
        roster, cover = self._roster(), None if draft.cover_id is None else self._mate(draft.cover_id)
        leave = roster.planned(draft, cover, self.year_end)
        return rules.charge(self.accounts, leave, roster.off(leave))

    @classmethod
    def scenario(cls, world: World, size: int) -> Self:
        """A team with leave at every step, illness, blackouts and holidays ahead, and other teams beside it."""
        return cls.model_validate(company(world, size))
