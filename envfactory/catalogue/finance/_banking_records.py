"""What a retail bank keeps and tells: accounts, cards, transactions, payees, scheduled payments, disputes."""

from __future__ import annotations

import datetime as dt
from typing import Annotated, Literal

from pydantic import Field

from envfactory.environment import Balance, FreeText, Money, Output, Page, Ranked, Record, Ref, Secret, Value

HolderId = Annotated[str, Ref("Holder")]
AccountId = Annotated[str, Ref("BankAccount")]
CardId = Annotated[str, Ref("BankCard")]
PayeeId = Annotated[str, Ref("Payee")]
TransactionId = Annotated[str, Ref("BankTransaction")]
ScheduledId = Annotated[str, Ref("ScheduledPayment")]
Category = Annotated[
    Literal["groceries", "eating_out", "transport", "bills", "shopping", "entertainment", "income", "transfer"],
    Value("spending_category", "What the money was for."),
]
AccountKind = Literal["checking", "savings"]
AccountStatus = Literal["open", "closed"]
CardKind = Literal["debit", "virtual"]
CardStatus = Literal["active", "frozen", "blocked", "expired", "replaced"]
TransactionStatus = Literal["pending", "booked", "disputed"]
Every = Annotated[Literal["once", "weekly", "monthly"], Value("payment_rhythm", "How often it is paid.")]
Reason = Annotated[
    Literal["fraud", "duplicate_charge", "missing_goods", "wrong_amount"],
    Value("dispute_reason", "What is wrong with it."),
]
PayeeName = Annotated[str, Field(min_length=2, max_length=60), Value("payee_name", "Name of the payee.")]
AccountNumber = Annotated[str, Field(pattern=r"^\d{8}$"), Value("account_number", "Account number, eight digits.")]
AmountDue = Annotated[Money, Value("amount_due", "Amount to be paid.")]
Saving = Annotated[Money, Value("amount_to_save", "Amount to be put aside.")]
Counterparty = Annotated[str, Value("counterparty", "Who was paid, or who paid.")]
Direction = Literal["in", "out"]
Channel = Literal["card", "direct_debit", "payment", "own_transfer", "credit"]
PaymentStatus = Literal["active", "cancelled", "completed"]
Speed = Literal["standard", "instant"]
AtLeast = Annotated[Money, Field(gt=0)]
ToPay = Annotated[AmountDue, Field(ge=1)]
ToMove = Annotated[Saving, Field(ge=1)]
Target = Annotated[Money, Field(gt=0)]
NewLimit = Annotated[Money, Field(ge=100, le=5000)]
CardLimit = Annotated[Money, Field(ge=50, le=2000)]
Reference = Annotated[str, FreeText(("as agreed", "my share", "with thanks", "for last month"))]
SecurityWord = Annotated[str, Secret("security word")]


class Personal(Record):
    """What belongs to one account holder."""

    id: str
    """Identifier."""
    holder_id: HolderId
    """Account holder it belongs to."""


class Holder(Record, noun="account holder", label="{name}"):
    """A customer of the bank."""

    id: HolderId
    """Identifier of the account holder."""
    name: PayeeName
    email: Annotated[str, Value("email", "E-mail address.")]
    daily_limit: Money
    """Most that may be paid to payees in a day."""
    security_word: SecurityWord
    """Word by which the bank knows its customer."""
    confirmed_limit: Money | None = None
    """Limit that they have confirmed in the app and that is not set yet."""


class BankAccount(Personal, noun="account", label="the {nickname} account", listing="{nickname} ({kind}, {balance})"):
    """An account; its balance moves only together with a transaction."""

    id: AccountId
    """Identifier of the account."""
    nickname: str
    """What its holder calls it."""
    kind: AccountKind
    """Kind of account."""
    number: AccountNumber
    balance: Annotated[Balance, Ranked("", "biggest")]
    """What is on it; negative when overdrawn."""
    overdraft_limit: Money = 0
    """How far it may be overdrawn."""
    available: Money
    """What can be spent from it: the balance and what is left of the overdraft."""
    status: AccountStatus = "open"
    """Whether it is in use."""
    goal: Money | None = None
    """Amount its holder is saving up to."""
    goal_on: dt.date | None = None
    """Date by which the goal shall be reached."""


class BankCard(
    Personal,
    noun="card",
    label="the {kind} card ending in {last_four}",
    listing="{kind} card ending in {last_four} ({status})",
):
    """A card that draws on an account."""

    id: CardId
    """Identifier of the card."""
    account_id: AccountId
    """Account it draws on."""
    kind: CardKind
    """Kind of card."""
    last_four: str
    """Last four digits of its number."""
    daily_limit: Money
    """Most that can be spent with it in a day."""
    status: CardStatus = "active"
    """Whether it works: frozen can be lifted, blocked, expired and replaced cannot."""


class BankTransaction(
    Personal, noun="transaction", label="the {counterparty} transaction of {booked_on}[ over {amount}]",
    listing="{counterparty} on {booked_on} ({amount} {direction})",
):  # fmt: skip
    """A movement of money on one account."""

    id: TransactionId
    """Identifier of the transaction."""
    account_id: AccountId
    """Account it was booked on."""
    account_nickname: str
    """What its holder calls the account."""
    booked_on: dt.date
    """Date of the transaction."""
    direction: Direction
    """Whether money came in or went out."""
    amount: Annotated[Money, Ranked("smallest", "largest")]
    """How much, without fees."""
    fee: Money = 0
    """What the bank charged on top."""
    counterparty: Counterparty
    category: Category
    channel: Channel
    """How the money moved."""
    status: TransactionStatus = "booked"
    """Where it stands."""
    reference: Annotated[str | None, FreeText()] = None
    """What the payer wrote on it."""


class Payee(
    Personal,
    noun="payee",
    label="{name}[ with the account number {account_number}]",
    listing="{name} ({account_number})",
):
    """Somebody whom an account holder can pay."""

    id: PayeeId
    """Identifier of the payee."""
    name: PayeeName
    account_number: AccountNumber
    added_on: dt.date
    """When the payee was added."""


class ScheduledPayment(
    Personal, noun="scheduled payment", label="the scheduled payment of {amount} to {payee_name}[ on {next_on}]",
    listing="{amount} to {payee_name} on {next_on} ({every}, {status})",
):  # fmt: skip
    """A payment to a payee for a later day."""

    id: ScheduledId
    """Identifier of the scheduled payment."""
    account_id: AccountId
    """Account it is paid from."""
    account_nickname: str
    """What its holder calls the account."""
    payee_id: PayeeId
    """Who is paid."""
    payee_name: PayeeName
    amount: Annotated[AmountDue, Ranked("smallest", "largest")]
    next_on: dt.date
    """Date of the next payment."""
    every: Every
    status: PaymentStatus = "active"
    """Where it stands."""


class CardDispute(Personal, noun="dispute", label="the dispute over {amount}"):
    """A card purchase that its holder says is wrong."""

    id: Annotated[str, Ref("CardDispute")]
    """Identifier of the dispute."""
    transaction_id: TransactionId
    """Purchase that is disputed."""
    amount: AmountDue
    reason: Reason
    opened_on: dt.date
    """When it was opened."""
    status: Literal["credited", "under_review"]
    """Credited: the money is back already. Under review: the bank asks the merchant first."""


class AccountList(Output):
    """Accounts, all of them."""

    accounts: tuple[BankAccount, ...]
    """The accounts."""
    total_balance: Balance
    """What is on them together."""


class AccountDetails(Output):
    """One account with its cards."""

    account_id: AccountId
    """Account asked about."""
    nickname: str
    """What its holder calls it."""
    number: AccountNumber
    status: AccountStatus
    """Whether it is in use."""
    balance: Balance
    """What is on it; negative when overdrawn."""
    available: Money
    """What can be spent from it, overdraft included."""
    left_today: Money
    """What may still be paid to payees today, over all accounts."""
    cards: tuple[BankCard, ...]
    """Cards that draw on it."""


class TransactionPage(Page):
    """A page of transactions."""

    transactions: tuple[BankTransaction, ...]
    """The transactions on this page."""
    spent: Money
    """Money out over all that match, on every page."""


class PayeePage(Page):
    """A page of payees."""

    payees: tuple[Payee, ...]
    """The payees on this page."""


class ScheduledPage(Page):
    """A page of scheduled payments."""

    scheduled: tuple[ScheduledPayment, ...]
    """The scheduled payments on this page."""


class NewPayee(Output):
    """A payee just added."""

    payee_id: PayeeId
    """Payee that was added."""
    name: PayeeName
    most_today: Money
    """Most that one payment to the payee can be today."""


class Receipt(Output):
    """What became of a payment."""

    transaction_id: TransactionId
    """Transaction that was booked."""
    payee_name: PayeeName
    amount: Money
    """What was sent."""
    fee: Money
    """What the bank charged for it."""
    arrives_on: dt.date
    """When the payee has it."""
    left_today: Money
    """What may still be paid to payees today."""


class OwnTransfer(Output):
    """Both accounts after a move of money."""

    from_balance: Balance
    """What is left on the account the money came from."""
    to_balance: Balance
    """What is now on the account it went to."""


class ConfirmedLimit(Output):
    """What the account holder has confirmed."""

    confirmed_limit: Money
    """Daily limit that can now be set."""


class DailyLimit(Output):
    """What may be paid to payees in a day."""

    daily_limit: Money
    """Most that may be paid to payees in a day, from now on."""
    left_today: Money
    """What it leaves for today."""
    accounts: tuple[BankAccount, ...]
    """Accounts whose payments it limits."""


class SavingsPlan(Output):
    """A goal and how to get there."""

    target: Money
    """Amount to be reached."""
    missing: Money
    """What is still missing."""
    monthly: Saving
    """What to put aside every month to get there in time."""
