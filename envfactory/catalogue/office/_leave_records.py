"""Records and results of leave in a company: employees, teams, holidays, accounts of days, leave, illness."""

import datetime as dt
from typing import Annotated, Literal

from pydantic import Field

from envfactory.environment import Money, Output, Page, Ranked, Record, Ref, Unit, Value

EmployeeId = Annotated[str, Ref("Employee")]
TeamId = Annotated[str, Ref("LeaveTeam")]
OwnLeaveId = Annotated[str, Ref("OwnLeave")]
TeamLeaveId = Annotated[str, Ref("TeamLeave")]
SickLeaveId = Annotated[str, Ref("SickLeave")]
City = Annotated[str, Value("city", "City, by its English name.")]
PersonName = Annotated[str, Value("person_name", "Full name of a person.")]
TeamName = Annotated[str, Value("company_team", "What a team of the company is called.")]
JobTitle = Annotated[str, Value("job_title", "What somebody works as.")]
Plannable = Literal["annual", "compensatory", "study", "unpaid", "parental"]
"""Kinds of leave that are planned and asked for."""
Kind = Annotated[Plannable, Value("leave_kind", "Kind of leave; compensatory is for overtime.")]
AnyKind = Annotated[
    Literal["annual", "compensatory", "study", "unpaid", "parental", "sick"],
    Value("absence_kind", "Kind of leave, sick leave included; compensatory is for overtime."),
]
Status = Annotated[
    Literal["pending", "approved", "declined", "cancelled"],
    Value("leave_status", "Where a leave stands."),
]
SickStatus = Annotated[
    Literal["reported", "closed"],
    Value("sick_leave_status", "Where a sick leave stands: closed is with the return to work."),
]
Half = Annotated[Literal["first_day", "last_day"], Value("leave_half", "Which day of a leave is only half a day off.")]
DeclineReason = Annotated[
    Literal["too_few_people", "the_deadline", "short_notice", "a_blackout", "missing_cover"],
    Value("decline_reason", "Why leave is declined."),
]
Direction = Annotated[Literal["buy", "sell"], Value("leave_trade", "Whether days of annual leave are bought or sold.")]
FirstDay = Annotated[dt.date, Value("first_day_off", "First day of a leave.")]
LastDay = Annotated[dt.date, Value("last_day_off", "Last day of a leave.")]
SickFrom = Annotated[dt.date, Value("first_sick_day", "First day on which somebody is ill.")]
SickUntil = Annotated[dt.date, Value("last_sick_day", "Last day on which somebody is expected to be ill.")]
Days = Annotated[float, Field(ge=0), Unit("day")]
NetDays = Annotated[int, Unit("day")]
Traded = Annotated[int, Field(ge=1, le=10), Unit("day"), Value("traded_days", "Days of leave to buy or sell.")]
TradeRoom = Annotated[int, Field(ge=0), Unit("day"), Value("traded_days")]
Count = Annotated[int, Field(ge=0)]


class Employee(Record, noun="colleague", label="{name}[ in {team}]", listing="{name} ({job}, {team}, {city})"):
    """Somebody who works in the company."""

    id: EmployeeId
    """Identifier of the employee."""
    name: PersonName
    email: Annotated[str, Value("email", "E-mail address.")]
    job: JobTitle
    team_id: TeamId
    """Team that they work in."""
    team: TeamName
    city: City
    """City of their office, whose holidays they have."""
    joined_on: Annotated[dt.date, Ranked("longest serving", "newest")]
    """Day on which they joined the company."""
    probation_until: dt.date | None = None
    """Last day of their probation, if they are in it."""


class Blackout(Record, noun="blackout", label="{reason}", listing="{reason} from {since} to {until}"):
    """A period in which a team takes no leave but parental leave."""

    since: dt.date
    """First day."""
    until: dt.date
    """Last day."""
    reason: str
    """What everybody is needed for."""


class LeaveTeam(Record, noun="team", label="{name}"):
    """A team, with what its lead has to see to."""

    id: TeamId
    """Identifier of the team."""
    name: TeamName
    lead_id: EmployeeId
    """Who leads it and decides on its leave."""
    min_present: Count
    """How many of its members, the lead included, have to be at work on a workday."""
    blackouts: tuple[Blackout, ...] = ()
    """When nobody takes leave."""


class OfficeHoliday(Record, noun="holiday", label="{name}[ in {city}]", listing="{name} on {day} in {city}"):
    """A public holiday of an office; it costs nobody a day of leave."""

    id: Annotated[str, Ref("OfficeHoliday")]
    """Identifier of the holiday."""
    city: City
    day: dt.date
    """Which day it is."""
    name: str
    """What it is called."""


class LeaveAccount(Record, noun="leave account", label="my {kind} leave"):
    """The signed-in employee's days of a kind in this leave year."""

    id: Annotated[str, Ref("LeaveAccount")]
    """Identifier of the account."""
    kind: AnyKind
    entitled: Days
    """Days for this year; of compensatory leave, those that overtime gave."""
    bought: NetDays = 0
    """Days bought, less days sold."""
    used: Days = 0.0
    """Days of pending, approved and past leave, without those that were carried over."""
    carried: Days = 0.0
    """Days carried over from last year."""
    carried_used: Days = 0.0
    """How many of these are used."""
    carried_until: dt.date | None = None
    """Last day on which they can be taken."""
    day_rate: Money = 0.0
    """What a day is bought or sold for, in US dollars."""


class Leave(Record):
    """Days on which somebody is away."""

    first_day: Annotated[FirstDay, Ranked("earliest", "latest")]
    last_day: LastDay
    days: Days
    """How many workdays it takes, without holidays of their office."""


class PlannedLeave(Leave):
    """Leave that is asked for."""

    half: Half | None = None
    cover: PersonName | None = None
    """Who stands in."""


class OwnLeave(
    PlannedLeave,
    noun="leave of mine",
    label="my {kind} leave starting {first_day}",
    listing="{kind} leave from {first_day} to {last_day} ({days}, {status})",
):
    """Leave of the signed-in employee."""

    id: OwnLeaveId
    """Identifier of the leave."""
    employee_id: EmployeeId
    """The signed-in employee."""
    kind: AnyKind
    status: Status
    cover_id: EmployeeId | None = None
    """Identifier of who stands in."""
    from_carried: Days = 0.0
    """How many of its days were carried over from last year."""


class TeamLeave(
    PlannedLeave,
    noun="team leave",
    label="the {kind} leave of {name} starting {first_day}",
    listing="{kind} leave of {name} from {first_day} to {last_day} ({days}, {status})",
):
    """Planned leave of somebody else, on which the lead of their team decides."""

    id: TeamLeaveId
    """Identifier of the leave."""
    team_id: TeamId
    """Team that they work in, whose lead decides."""
    employee_id: EmployeeId
    """Whose leave it is."""
    name: PersonName
    kind: Kind
    status: Status
    cover_id: EmployeeId | None = None
    """Identifier of who stands in."""
    reason: DeclineReason | None = None
    decided_on: dt.date | None = None
    """Day on which it was approved or declined."""


class SickLeave(
    Leave,
    noun="sick leave",
    label="the sick leave of {name} starting {first_day}",
    listing="sick leave of {name} from {first_day} to {last_day} ({status})",
):
    """Days on which somebody else is ill."""

    id: SickLeaveId
    """Identifier of the sick leave."""
    team_id: TeamId
    """Team that they work in, whose lead decides."""
    employee_id: EmployeeId
    """Whose leave it is."""
    name: PersonName
    kind: Literal["sick"] = "sick"
    """What it is."""
    status: SickStatus
    certified: bool = False
    """Whether there is a doctor's certificate."""
    closed_on: dt.date | None = None
    """Day on which it was closed."""


class LeaveBalance(Output, noun="balance", label="{kind} leave", listing="{left} of {kind} leave"):
    """What is left of a kind of leave."""

    kind: AnyKind
    entitled: Days
    """Days for this year; of compensatory leave, those that overtime gave."""
    bought: NetDays
    """Days bought, less days sold."""
    used: Days
    """Days of pending, approved and past leave, without those that were carried over."""
    carried_left: Days
    """Days carried over that can still be taken on the day asked about."""
    carried_until: dt.date | None = None
    """Last day on which they can be taken."""
    left: Days
    """Days left on the day asked about."""
    can_buy: TradeRoom | None = None
    """Days that can still be bought today, of annual leave."""
    can_sell: TradeRoom | None = None
    """Days that can still be sold today, of annual leave."""


class Balances(Output):
    """The signed-in employee's leave by kind."""

    day: dt.date
    """Day asked about."""
    balances: tuple[LeaveBalance, ...]
    """What is left on that day."""
    total_left: Days
    """All of it together."""


class EmployeePage(Page):
    """A page of employees."""

    employees: tuple[Employee, ...]
    """The employees on this page."""


class OwnLeavePage(Page):
    """A page of one's own leave."""

    leaves: tuple[OwnLeave, ...]
    """The leaves on this page."""


class TeamLeavePage(Page):
    """A page of leave in the team."""

    leaves: tuple[TeamLeave, ...]
    """The leaves on this page."""


class SickLeavePage(Page):
    """A page of sick leave in the team."""

    leaves: tuple[SickLeave, ...]
    """The sick leaves on this page."""


class Away(Output, noun="absence", label="{name}", listing="{name} ({kind}, {first_day} to {last_day})"):
    """Somebody of the team who is away."""

    employee_id: EmployeeId
    """Who it is; the lead may be among them."""
    name: PersonName
    kind: AnyKind
    first_day: dt.date
    """First day of the absence."""
    last_day: dt.date
    """Last day of it."""
    cover: PersonName | None = None


class TeamCalendar(Page):
    """Who of the team is away between two days, a page at a time, and what else there is to know."""

    away: tuple[Away, ...]
    """Those on approved leave or sick leave, on this page."""
    holidays: tuple[OfficeHoliday, ...]
    """Holidays of the team's offices in that time."""
    blackouts: tuple[Blackout, ...]
    """Blackouts of the team in that time."""
    fewest_present: Count
    """How many of the team are at work on the workday with the fewest."""
    tightest_day: dt.date
    """The first day on which it is that few."""
    min_present: Count
    """How many have to be."""


class Trade(Output):
    """Days of annual leave that were bought or sold."""

    direction: Direction
    days: Traded
    """How many."""
    amount: Money
    """What they cost or bring, in US dollars."""
    bought: NetDays
    """Days bought this year, less days sold."""
    left: Days
    """Annual leave that is left."""
