"""Records and results of a household's budget: envelopes, what was spent from them, moves, accounts, months."""

import datetime as dt
from typing import Annotated, Literal, TypeVar

from pydantic import Field

from envfactory.environment import Balance, Money, Output, Page, Ranked, Record, Ref, Unit, Value

HouseholdId = Annotated[str, Ref("BudgetHousehold")]
EnvelopeId = Annotated[str, Ref("BudgetEnvelope")]
TransactionId = Annotated[str, Ref("BudgetTransaction")]
MoveId = Annotated[str, Ref("BudgetMove")]
AccountId = Annotated[str, Ref("BudgetAccount")]
PaymentId = Annotated[str, Ref("BudgetPayment")]
MonthId = Annotated[str, Ref("BudgetMonth")]
Group = Annotated[
    Literal["bills", "everyday", "savings", "unassigned"],
    Value("envelope_group", "What an envelope is for; unassigned is the one that income goes into."),
]
State = Annotated[
    Literal["overspent", "empty", "reserved", "free"],
    Value("envelope_state", "Below zero, at zero, all needed for scheduled payments, or with money to spare."),
]
Filing = Annotated[
    Literal["uncategorised", "partly_categorised", "categorised", "split", "income"],
    Value("transaction_filing", "How far a transaction is put into envelopes; split is all of it, into several."),
]
Kind = Annotated[Literal["checking", "savings", "cash"], Value("budget_account_kind", "Kind of account.")]
Standing = Annotated[Literal["open", "closed"], Value("budget_month_status", "Whether a month is closed.")]
Amount = Annotated[Money, Field(ge=0.01, le=100_000)]
Statement = Annotated[Balance, Field(ge=-100_000, le=10_000_000)]
Months = Annotated[int, Field(ge=1), Unit("month")]


class BudgetHousehold(Record, noun="household", label="{name}"):
    """People who share a budget."""

    id: HouseholdId
    """Identifier of the household."""
    name: str
    """What it is called."""
    email: Annotated[str, Value("email", "E-mail address of who keeps its budget.")]


class BudgetEnvelope(
    Record, noun="envelope", label="the {name} envelope", listing="{name} ({available} in it, {spare} to spare)"
):
    """Money that is set aside for one thing; it may come from any account."""

    id: EnvelopeId
    """Identifier of the envelope."""
    household_id: HouseholdId
    """Whose envelope it is."""
    name: str
    """What it is for."""
    group: Group
    available: Annotated[Balance, Ranked("emptiest", "fullest")]
    """What is in it, in US dollars; below zero it is overspent."""
    reserved: Money = 0.0
    """What its scheduled payments take next, in US dollars."""
    spare: Money
    """What can be moved out of it: what is available less what is reserved."""
    state: State
    target: Money | None = None
    """What should be in it by the day of the target; the unassigned one has none."""
    target_by: dt.date | None = None
    """Day of the target."""


class Part(Output):
    """What an envelope bears of a transaction."""

    envelope_id: EnvelopeId
    """Envelope that bears it."""
    envelope: str
    """What that is for."""
    amount: Money
    """How much of the transaction, in US dollars."""


class BudgetTransaction(
    Record,
    noun="transaction",
    label="the {payee} transaction[ of {day}][ over {amount}]",
    listing="{payee} on {day} ({amount}, {filing})",
):
    """Money that was spent or came in."""

    id: TransactionId
    """Identifier of the transaction."""
    household_id: HouseholdId
    """Whose transaction it is."""
    account_id: AccountId
    """Account that it went through."""
    account: str
    """What that is called."""
    payee: str
    """Who was paid, or who paid."""
    day: Annotated[dt.date, Ranked("oldest", "latest")]
    """Day on which it was made."""
    amount: Annotated[Money, Ranked("smallest", "biggest")]
    """What was spent, or came in, in US dollars."""
    filing: Filing
    left: Money
    """What of it is in no envelope yet, in US dollars."""
    parts: tuple[Part, ...] = ()
    """The envelopes that bear it."""
    usual_ids: tuple[EnvelopeId, ...] = ()
    """Envelopes that are usual for the payee, if there are any."""
    bank: Literal["pending", "cleared", "reconciled"]
    """Whether the bank has booked it, and whether it was reconciled since."""


class BudgetMove(
    Record,
    noun="move",
    label="the move of {amount} on {day}[ to {to}]",
    listing="{amount} from {source} to {to} on {day}",
):
    """Money that went from one envelope to another."""

    id: MoveId
    """Identifier of the move."""
    household_id: HouseholdId
    """Whose money it is."""
    day: dt.date
    """Day on which it was moved."""
    amount: Annotated[Money, Ranked("smallest", "biggest")]
    """How much, in US dollars."""
    from_id: EnvelopeId
    """Envelope that it was taken from."""
    source: str
    """What that is for."""
    to_id: EnvelopeId
    """Envelope that it was put into."""
    to: str
    """What that is for."""
    covering: bool = False
    """Whether it made up for what was overspent."""


class BudgetAccount(
    Record,
    noun="account",
    label="the {name} account",
    listing="{name} ({cleared} cleared, {reported} says the bank, reconciled on {reconciled_on})",
):
    """Where the money is."""

    id: AccountId
    """Identifier of the account."""
    household_id: HouseholdId
    """Whose account it is."""
    name: str
    """What it is called."""
    kind: Kind
    cleared: Balance
    """What is on it by the transactions that are booked, in US dollars."""
    pending: Money
    """What is spent but not booked yet, in US dollars."""
    reported: Balance
    """What the bank said last is on it, in US dollars."""
    reconciled_on: dt.date
    """Day on which it was reconciled last."""


class BudgetPayment(
    Record,
    noun="scheduled payment",
    label="the {payee} payment",
    listing="{payee} on {next_on} ({amount} from {envelope})",
):
    """A payment that comes again and again."""

    id: PaymentId
    """Identifier of the scheduled payment."""
    household_id: HouseholdId
    """Who pays."""
    payee: str
    """Who is paid."""
    amount: Annotated[Money, Ranked("smallest", "biggest")]
    """How much each time, in US dollars."""
    every: Literal["week", "month", "quarter", "year"]
    """How often."""
    next_on: Annotated[dt.date, Ranked("next", "last")]
    """Day of the next payment."""
    envelope_id: EnvelopeId
    """Envelope that bears it."""
    envelope: str
    """What that is for."""


class BudgetMonth(Record, noun="month", label="{name}", listing="{name} ({status})"):
    """A month of the budget; what was spent in a closed one stays as it is."""

    id: MonthId
    """Identifier of the month."""
    household_id: HouseholdId
    """Whose month it is."""
    name: str
    """Month and year."""
    starts: dt.date
    """Its first day."""
    ends: dt.date
    """Its last day."""
    status: Standing
    closed_on: dt.date | None = None
    """Day on which it was closed."""
    income: Money | None = None
    """What came in, in US dollars, once it is closed."""
    spent: Money | None = None
    """What was spent, in US dollars, once it is closed."""


Kept = TypeVar(
    "Kept", BudgetEnvelope, BudgetTransaction, BudgetMove, BudgetAccount, BudgetPayment, BudgetMonth
)  # fmt: skip
"""What belongs to a household."""


class EnvelopePage(Page):
    """A page of envelopes."""

    envelopes: tuple[BudgetEnvelope, ...]
    """The envelopes on this page."""


class TransactionPage(Page):
    """A page of transactions."""

    transactions: tuple[BudgetTransaction, ...]
    """The transactions on this page."""


class MovePage(Page):
    """A page of moves."""

    moves: tuple[BudgetMove, ...]
    """The moves on this page."""


class PaymentPage(Page):
    """A page of scheduled payments."""

    payments: tuple[BudgetPayment, ...]
    """The scheduled payments on this page."""
    sum: Money
    """What all that match come to, in US dollars."""


class MonthList(Output):
    """Months, all of them."""

    months: tuple[BudgetMonth, ...]
    """The months."""


class AccountList(Output):
    """Accounts, all of them."""

    accounts: tuple[BudgetAccount, ...]
    """The accounts."""


class EnvelopeMonth(Output):
    """What came into and went out of an envelope in a month, and what its target asks for."""

    envelope_id: EnvelopeId
    """Envelope asked about."""
    name: str
    """What it is for."""
    month: str
    """Month and year."""
    carried: Balance
    """What was in it when the month began, in US dollars."""
    assigned: Balance
    """What was put into it in the month, less what was taken out again."""
    spent: Money
    """What was spent from it in the month."""
    left: Balance
    """What was in it when the month ended, or is now."""
    spare: Money
    """What can be moved out of it today."""
    target: Money | None = None
    """What should be in it by the day of the target."""
    target_by: dt.date | None = None
    """Day of the target."""
    months_left: Months | None = None
    """Months until then, this one and the last included."""
    need: Money | None = None
    """What has to be put into it in each of them to reach the target, in US dollars."""
