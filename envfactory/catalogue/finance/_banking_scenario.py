"""The bank of a scenario: the user's accounts in every condition with what belongs to them, and other people's."""

from __future__ import annotations

import datetime as dt
from typing import Any

from envfactory.catalogue.finance._banking_records import (
    AccountKind,
    BankAccount,
    BankCard,
    BankTransaction,
    CardDispute,
    CardKind,
    CardStatus,
    Category,
    Holder,
    Payee,
    ScheduledPayment,
    TransactionStatus,
)
from envfactory.environment import World, by_id, cents

# Nickname, kind, about how much is on it, overdraft.
_MINE: tuple[tuple[str, AccountKind, int, int], ...] = (
    ("everyday", "checking", 2600, 500),
    ("household", "checking", 1400, 0),
    ("travel", "checking", -180, 400),
    ("rainy day", "savings", 4300, 0),
    ("holiday", "savings", 2100, 0),
    ("old student", "checking", 0, 0),
)
# Which account, kind, status.
_MY_CARDS: tuple[tuple[int, CardKind, CardStatus], ...] = (
    (0, "debit", "active"),
    (0, "virtual", "frozen"),
    (1, "debit", "frozen"),
    (1, "virtual", "active"),
    (2, "debit", "blocked"),
    (5, "debit", "expired"),
)
# Name, category, lowest and highest amount.
_SHOPS: tuple[tuple[str, Category, int, int], ...] = (
    ("Fresh Market", "groceries", 15, 90),
    ("Corner Bakery", "eating_out", 4, 18),
    ("City Energy", "bills", 40, 140),
    ("Loom and Thread", "shopping", 110, 260),
    ("Metro Transit", "transport", 3, 40),
    ("Grand Cinema", "entertainment", 10, 45),
    ("Trattoria Lucia", "eating_out", 20, 90),
    ("Summit Outdoors", "shopping", 120, 340),
    ("Bluebird Books", "shopping", 9, 70),
    ("Northline Telecom", "bills", 20, 60),
)

_SECURITY_WORDS = (
    "marigold", "lantern", "walnut", "thimble", "saffron", "juniper", "pebble", "falcon", "teacup", "cobalt", "tulip",
    "hazelnut", "dragonfly", "cinnamon", "origami", "periwinkle", "tambourine", "bramble", "clementine", "snowdrop",
)  # fmt: skip


def bank(world: World, size: int) -> dict[str, Any]:
    """Return the fields of a state: the user's six accounts with what belongs to them, and other people's.

    Args:
        world: seeded source of people, dates and amounts.
        size: roughly how many records.
    """
    people = [world.user, *world.people(max(4, size // 8))]
    holders = [
        Holder(
            id=f"AH-{11 + n}", name=person.name, email=person.email, daily_limit=2000 if n == 0 else 1000,
            security_word=_SECURITY_WORDS[0],
        )
        for n, person in enumerate(people)
    ]  # fmt: skip
    me, others = holders[0], holders[1:]
    accounts = [_account(world, n, me, *about) for n, about in enumerate(_MINE)]
    accounts += [
        _account(world, len(_MINE) + n, holder, "everyday", "checking", world.integer(-2, 30) * 90, 200)
        for n, holder in enumerate(others)
    ]
    payees = [
        _payee(world, n, me if n < 8 else world.choice(others), person.name)
        for n, person in enumerate(world.people(max(24, size // 3)))
    ]
    theirs = {account.holder_id: account for account in accounts[len(_MINE) :]}
    cards = [_card(world, n, accounts[of], kind, status) for n, (of, kind, status) in enumerate(_MY_CARDS)]
    cards += [_card(world, len(cards) + n, of, "debit", "active") for n, of in enumerate(theirs.values())]
    transactions = [
        _purchase(world, n, accounts[n % 3] if n < 28 else world.choice(list(theirs.values())))
        for n in range(max(34, size * 3 // 5))
    ]
    transactions += [_withdrawal(world, n, accounts[4]) for n in range(3)]  # no more from this one
    scheduled = [
        _scheduled(world, n, payee, theirs.get(payee.holder_id, accounts[n % 2]))
        for n, payee in enumerate(payees[:8] + payees[: max(16, size // 4)])
    ]
    disputes = [_dispute(n, purchase) for n, purchase in enumerate(t for t in transactions if t.status == "disputed")]
    words = world.sample(_SECURITY_WORDS, len(_SECURITY_WORDS))
    holders = [holder.evolve(security_word=words[n % len(words)]) for n, holder in enumerate(holders)]
    tables: dict[str, list[Any]] = {
        "holders": holders,
        "accounts": accounts,
        "cards": cards,
        "payees": payees,
        "transactions": transactions,
        "scheduled": scheduled,
        "disputes": disputes,
    }
    keyed = {name: by_id(rows) for name, rows in tables.items()}
    return {"now": world.now, "holder_id": me.id, **keyed}


def _account(
    world: World, number: int, holder: Holder, nickname: str, kind: AccountKind, about: int, overdraft: int
) -> BankAccount:
    balance = 0.0 if about == 0 else cents(about + world.integer(0, 9000) / 100)
    return BankAccount(
        id=f"ACC-{101 + number}", holder_id=holder.id, nickname=nickname, kind=kind,
        number=str(40_000_000 + number * 1009 + world.integer(0, 1008)), balance=balance, overdraft_limit=overdraft,
        available=max(0.0, cents(balance + overdraft)), status="closed" if nickname == "old student" else "open",
    )  # fmt: skip


def _card(world: World, number: int, account: BankAccount, kind: CardKind, status: CardStatus) -> BankCard:
    return BankCard(
        id=f"CARD-{201 + number}", holder_id=account.holder_id, account_id=account.id, kind=kind,
        last_four=str(world.integer(1000, 9999)), daily_limit=world.integer(2, 8) * 100, status=status,
    )  # fmt: skip


def _payee(world: World, number: int, holder: Holder, name: str) -> Payee:
    return Payee(
        id=f"PAY-{301 + number}",
        holder_id=holder.id,
        name=name,
        account_number=str(70_000_000 + number * 1013 + world.integer(0, 1012)),
        added_on=world.today if number == 0 else world.date(-900, -20),  # the first is too new for large payments
    )


def _purchase(world: World, number: int, account: BankAccount) -> BankTransaction:
    """A card purchase, a bill or income; some pending, disputed, too old to dispute, or too new for missing goods."""
    shop, category, low, high = _SHOPS[number % len(_SHOPS)]
    if number % 8 == 6:
        shop, category, low, high = "Harbour Design Studio", "income", 1400, 2900
    card = category not in ("bills", "income")
    age = {4: world.integer(100, 150), 5: world.integer(1, 5)}.get(number % 10, world.integer(8, 40))
    status: TransactionStatus = "booked"
    if card and number % 11 == 0:
        status, age = "pending", 0
    elif card and low > 100 and number % 30 < 20:
        status = "disputed"
    return BankTransaction(
        id=f"TX-{401 + number}", holder_id=account.holder_id, account_id=account.id, account_nickname=account.nickname,
        booked_on=world.today - dt.timedelta(days=age), direction="in" if category == "income" else "out",
        amount=world.money(low, high, world.choice((0.0, 0.5, 0.95))), counterparty=shop, category=category,
        channel="card" if card else "direct_debit" if category == "bills" else "payment", status=status,
    )  # fmt: skip


def _withdrawal(world: World, number: int, account: BankAccount) -> BankTransaction:
    return BankTransaction(
        id=f"TX-{381 + number}", holder_id=account.holder_id, account_id=account.id,
        account_nickname=account.nickname, booked_on=world.date(-20, -2),
        direction="out", amount=world.integer(5, 30) * 10, counterparty="everyday", category="transfer",
        channel="own_transfer",
    )  # fmt: skip


def _scheduled(world: World, number: int, payee: Payee, account: BankAccount) -> ScheduledPayment:
    """One to come, but the first is due today and every fifth is over."""
    over = number % 5 == 4
    return ScheduledPayment(
        id=f"SCH-{501 + number}", holder_id=account.holder_id, account_id=account.id,
        account_nickname=account.nickname, payee_id=payee.id, payee_name=payee.name, amount=world.integer(2, 40) * 10,
        next_on=world.today if number == 0 else world.date(-90, -5) if over else world.date(2, 45),
        every=("monthly", "weekly", "once")[number % 3],
        status=("cancelled", "completed")[number // 5 % 2] if over else "active",
    )  # fmt: skip


def _dispute(number: int, purchase: BankTransaction) -> CardDispute:
    return CardDispute(
        id=f"DIS-{601 + number}", holder_id=purchase.holder_id, transaction_id=purchase.id, amount=purchase.amount,
        reason=("duplicate_charge", "wrong_amount", "fraud", "missing_goods")[number % 4],
        opened_on=purchase.booked_on + dt.timedelta(days=8), status="under_review",
    )  # fmt: skip
