"""Rules of the bank that need nothing but the rows: limits, what an account allows, disputes and savings goals."""

import datetime as dt
from collections.abc import Iterable

from envfactory.catalogue.finance._banking_records import (
    AccountDetails,
    BankAccount,
    BankCard,
    BankTransaction,
    CardDispute,
    Every,
    Holder,
    Payee,
    Reason,
    Receipt,
    SavingsPlan,
    ScheduledPayment,
    Speed,
)
from envfactory.environment import ToolError, add_workdays, cents, standing

INSTANT_FEE = 1.5
NEW_PAYEE_LIMIT = 500.0
CREDITED_AT_ONCE = 100
DISPUTE_DAYS = 90
DELIVERY_DAYS = 7
WITHDRAWALS = 3
WITHDRAWAL_DAYS = 30


def in_use(account: BankAccount) -> BankAccount:
    """An account that is not closed."""
    if account.status == "closed":
        raise ToolError("precondition_failed", f"The account {account.nickname} is closed.")
    return account


def paying(account: BankAccount) -> BankAccount:
    """An account that payments can leave from."""
    if in_use(account).kind != "checking":
        raise ToolError("precondition_failed", "Payments leave from checking accounts only.")
    return account


def can_pay(account: BankAccount) -> bool:
    """Whether payments can leave from an account."""
    return (account.status, account.kind) == ("open", "checking")


def details(account: BankAccount, cards: Iterable[BankCard], left_today: float) -> AccountDetails:
    """An account with those of the cards that are on it."""
    return AccountDetails(
        account_id=account.id, nickname=account.nickname, number=account.number, status=account.status,
        balance=account.balance, available=account.available, left_today=left_today,
        cards=tuple(card for card in cards if card.account_id == account.id),
    )  # fmt: skip


def is_with(transaction: BankTransaction, counterparty: str | None) -> bool:
    """Whether it is with somebody whose name contains this."""
    return counterparty is None or counterparty.lower() in transaction.counterparty.lower()


def is_between(transaction: BankTransaction, since: dt.date | None, until: dt.date | None) -> bool:
    """Whether it was booked in a span of days, which may be open at either end."""
    return (since is None or transaction.booked_on >= since) and (until is None or transaction.booked_on <= until)


def spent(transactions: Iterable[BankTransaction]) -> float:
    """The money out in all, fees included."""
    return cents(sum(t.amount + t.fee for t in transactions if t.direction == "out"))


def check_covered(account: BankAccount, amount: float) -> None:
    """Refuse to take more from an account than it has, overdraft included."""
    if amount > account.available:
        has = f"{account.available:.2f} dollars available"
        raise ToolError("precondition_failed", f"The account {account.nickname} has {has}, not {amount:.2f}.")


def moved(account: BankAccount, amount: float) -> BankAccount:
    """The account after money has come in, or gone out if the amount is negative."""
    balance = cents(account.balance + amount)
    return account.evolve(balance=balance, available=max(0.0, cents(balance + account.overdraft_limit)))


def left_of_limit(holder: Holder, own: Iterable[BankTransaction], today: dt.date) -> float:
    """What a holder's daily limit leaves for payments to payees."""
    paid = sum(t.amount for t in own if (t.direction, t.channel, t.booked_on) == ("out", "payment", today))
    return max(0.0, cents(holder.daily_limit - paid))


def check_payment(payee: Payee, amount: float, left_today: float, today: dt.date) -> None:
    """Refuse to pay a new payee too much, or more than is left for today."""
    if payee.added_on == today and amount > NEW_PAYEE_LIMIT:
        raise ToolError("limit_exceeded", f"Send at most {NEW_PAYEE_LIMIT:.0f} dollars to a new payee.")
    if amount > left_today:
        raise ToolError("limit_exceeded", f"Your daily limit leaves {left_today:.2f} dollars.")


def sent(speed: Speed, today: dt.date) -> tuple[float, dt.date]:
    """What a payment costs and when it arrives."""
    return (INSTANT_FEE, today) if speed == "instant" else (0.0, add_workdays(today, 1))


def receipt(payment: BankTransaction, arrives_on: dt.date, left_today: float) -> Receipt:
    """What is told of a payment that was sent."""
    return Receipt(
        transaction_id=payment.id, payee_name=payment.counterparty, amount=payment.amount, fee=payment.fee,
        arrives_on=arrives_on, left_today=left_today,
    )  # fmt: skip


def check_new_payee(number: str, accounts: Iterable[BankAccount], payees: Iterable[Payee]) -> None:
    """Refuse an account number that is the person's own, or on their list already."""
    if any(account.number == number for account in accounts):
        raise ToolError("invalid_argument", "That is an account of your own, not a payee.")
    for payee in payees:
        if payee.account_number == number:
            raise ToolError("conflict", f"You have this account on your list already, as {payee.name}.")


def check_two(from_account_id: str, to_account_id: str) -> None:
    """Refuse to move money from an account to itself."""
    if from_account_id == to_account_id:
        raise ToolError("invalid_argument", "Name two different accounts.")


def check_withdrawals(account: BankAccount, transactions: Iterable[BankTransaction], today: dt.date) -> None:
    """Refuse to draw on savings once too often."""
    since = today - dt.timedelta(days=WITHDRAWAL_DAYS)
    drawn = [t for t in transactions if t.account_id == account.id and t.direction == "out" and t.booked_on > since]
    if account.kind == "savings" and len(drawn) >= WITHDRAWALS:
        raise ToolError("limit_exceeded", f"Savings can be drawn on {WITHDRAWALS} times in {WITHDRAWAL_DAYS} days.")


def check_dispute(purchase: BankTransaction, reason: Reason, today: dt.date) -> None:
    """Refuse to dispute what is no booked card purchase of late, and goods that may still come."""
    if purchase.channel != "card":
        raise ToolError("precondition_failed", "Only card purchases can be disputed.")
    if purchase.status == "disputed":
        raise ToolError("conflict", f"The purchase at {purchase.counterparty} is disputed already.")
    if purchase.status == "pending":
        raise ToolError("precondition_failed", "The purchase is still pending, not booked yet.")
    age = (today - purchase.booked_on).days
    if age > DISPUTE_DAYS:
        raise ToolError("precondition_failed", f"The purchase is {age} days old, more than {DISPUTE_DAYS}.")
    if reason == "missing_goods" and age < DELIVERY_DAYS:
        raise ToolError("precondition_failed", f"Merchants have {DELIVERY_DAYS} days to deliver, not {age}.")


def credited_at_once(purchase: BankTransaction) -> bool:
    """Whether a disputed purchase is paid back before it is looked into."""
    return purchase.amount <= CREDITED_AT_ONCE


def dispute(key: str, purchase: BankTransaction, reason: Reason, today: dt.date) -> CardDispute:
    """The dispute over a purchase, as it is opened."""
    return CardDispute(
        id=key, holder_id=purchase.holder_id, transaction_id=purchase.id, amount=purchase.amount, reason=reason,
        opened_on=today, status="credited" if credited_at_once(purchase) else "under_review",
    )  # fmt: skip


def check_schedule(amount: float, starts_on: dt.date, daily_limit: float, today: dt.date) -> None:
    """Refuse a first day today or over a year away, and payments that no day's limit would let through."""
    if not 1 <= (starts_on - today).days <= 365:
        raise ToolError("invalid_argument", f"{starts_on} is not within the year from tomorrow.")
    if amount > daily_limit:
        raise ToolError("limit_exceeded", f"No payment can be above your daily limit of {daily_limit:.2f} dollars.")


def scheduled(
    key: str, account: BankAccount, payee: Payee, amount: float, starts_on: dt.date, every: Every
) -> ScheduledPayment:
    """The payment from an account to a payee, as it is set up."""
    return ScheduledPayment(
        id=key, holder_id=account.holder_id, account_id=account.id, account_nickname=account.nickname,
        payee_id=payee.id, payee_name=payee.name, amount=cents(amount), next_on=starts_on, every=every,
    )  # fmt: skip


def cancelled(payment: ScheduledPayment, today: dt.date) -> ScheduledPayment:
    """The payment called off, unless it is due."""
    standing(payment, ("active",), "cancelled")
    if payment.next_on <= today:
        raise ToolError("precondition_failed", f"The payment to {payment.payee_name} is due today and on its way.")
    return payment.evolve(status="cancelled")


def frozen(card: BankCard) -> BankCard:
    """The card as long as nothing can be paid with it."""
    return standing(card, ("active",), "frozen").evolve(status="frozen")


def unfrozen(card: BankCard, daily_limit: float | None) -> BankCard:
    """The card that works again, with its old limit if there is no other."""
    standing(card, ("frozen",), "unfrozen")
    return card.evolve(status="active", daily_limit=daily_limit or card.daily_limit)


def check_word(holder: Holder, word: str) -> None:
    """Refuse a security word that is another one."""
    if word != holder.security_word:
        raise ToolError("permission_denied", "That is not the security word of the account holder.")


def replacement(key: str, card: BankCard, account: BankAccount) -> BankCard:
    """The card that comes in place of another; its last digits are never the same."""
    if card.status == "replaced":
        raise ToolError("conflict", "The card has been replaced already.")
    in_use(account)
    last_four = f"{(int(card.last_four) + 3571) % 10_000:04d}"
    return card.evolve(id=key, last_four=last_four, status="active")


def check_another_limit(holder: Holder, limit: float) -> None:
    """Refuse to confirm the daily limit that a holder has."""
    if limit == holder.daily_limit:
        raise ToolError("invalid_argument", f"The daily limit is {holder.daily_limit:.2f} dollars already.")


def check_confirmed(holder: Holder, limit: float) -> None:
    """Refuse a daily limit that its holder has not confirmed."""
    if holder.confirmed_limit != cents(limit):
        asked = f"a daily limit of {limit:.2f} dollars in the banking app first"
        raise ToolError("permission_denied", f"The account holder has to confirm {asked}.")


def savings_plan(account: BankAccount, target: float, reached_by: dt.date, today: dt.date) -> SavingsPlan:
    """What is missing of a goal, and what that is every month until its date."""
    if account.kind != "savings":
        raise ToolError("precondition_failed", "Goals are for savings accounts.")
    missing = cents(target - account.balance)
    if missing < 1:
        raise ToolError("invalid_argument", f"There is {account.balance:.2f} on the account already; aim higher.")
    months = (reached_by.year - today.year) * 12 + reached_by.month - today.month
    if months < 1:
        raise ToolError("invalid_argument", f"{reached_by} is too early for a goal.")
    return SavingsPlan(target=cents(target), missing=missing, monthly=cents(missing / months))
