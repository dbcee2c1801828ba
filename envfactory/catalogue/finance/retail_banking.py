"""A retail bank: a person's accounts, cards, payees, payments now or later, disputed purchases and savings goals.

Every movement of money is a transaction on an account, booked together with the new balance; what has been paid out
today, and how often savings were drawn on, is counted from the transactions and never kept apart.
"""

from __future__ import annotations

import datetime as dt
from typing import Annotated, Literal, TypeVar

from pydantic import Field

from envfactory.environment import (
    AtMost,
    Balance,
    Differs,
    Environment,
    FreeText,
    FromNow,
    Having,
    Money,
    Output,
    Owned,
    Page,
    Ranked,
    Record,
    Ref,
    Table,
    ToolError,
    Value,
    Within,
    World,
    cents,
    page_of,
    page_rows,
    tool,
)  # fmt: skip

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
CardStatus = Literal["active", "frozen", "blocked", "expired"]
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
PageNumber = Annotated[int, Field(ge=1)]

PAGE_SIZE = 5
INSTANT_FEE = 1.5
NEW_PAYEE_LIMIT = 500.0
CREDITED_AT_ONCE = 100
DISPUTE_DAYS = 90
DELIVERY_DAYS = 7
WITHDRAWALS = 3
WITHDRAWAL_DAYS = 30


class Personal(Record):
    """What belongs to one account holder."""

    id: str
    """Identifier."""
    holder_id: HolderId
    """Account holder it belongs to."""


P = TypeVar("P", bound=Personal)


class Holder(Record, noun="account holder", label="{name}"):
    """A customer of the bank."""

    id: HolderId
    """Identifier of the account holder."""
    name: PayeeName
    email: Annotated[str, Value("email", "E-mail address.")]
    daily_limit: Money
    """Most that may be paid to payees in a day."""


class BankAccount(Personal, noun="account", label="the {nickname} account", listing="{nickname} ({kind}, {balance})"):
    """An account; its balance moves only together with a transaction."""

    id: AccountId
    """Identifier of the account."""
    nickname: str
    """What its holder calls it."""
    kind: AccountKind
    """Kind of account."""
    number: AccountNumber
    balance: Annotated[Balance, Ranked("emptiest", "fullest")]
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
    """Whether it works: frozen can be lifted, blocked and expired cannot."""


class BankTransaction(
    Personal, noun="transaction", label="the {counterparty} transaction of {booked_on}",
    listing="{counterparty} on {booked_on} ({amount} {direction})",
):  # fmt: skip
    """A movement of money on one account."""

    id: TransactionId
    """Identifier of the transaction."""
    account_id: AccountId
    """Account it was booked on."""
    booked_on: dt.date
    """Date of the transaction."""
    direction: Literal["in", "out"]
    """Whether money came in or went out."""
    amount: Annotated[Money, Ranked("smallest", "largest")]
    """How much, without fees."""
    fee: Money = 0
    """What the bank charged on top."""
    counterparty: Annotated[str, Value("counterparty", "Who was paid, or who paid.")]
    category: Category
    channel: Literal["card", "direct_debit", "payment", "own_transfer", "credit"]
    """How the money moved."""
    status: TransactionStatus = "booked"
    """Where it stands."""
    reference: Annotated[str | None, FreeText()] = None
    """What the payer wrote on it."""


class Payee(Personal, noun="payee", label="{name}", listing="{name} ({account_number})"):
    """Somebody whom an account holder can pay."""

    id: PayeeId
    """Identifier of the payee."""
    name: PayeeName
    account_number: AccountNumber
    added_on: dt.date
    """When the payee was added."""


class ScheduledPayment(
    Personal, noun="scheduled payment", label="the scheduled payment of {amount} to {payee_name}",
    listing="{amount} to {payee_name} on {next_on} ({every})",
):  # fmt: skip
    """A payment to a payee for a later day."""

    id: ScheduledId
    """Identifier of the scheduled payment."""
    account_id: AccountId
    """Account it is paid from."""
    payee_id: PayeeId
    """Who is paid."""
    payee_name: PayeeName
    amount: Annotated[AmountDue, Ranked("smallest", "largest")]
    next_on: dt.date
    """Date of the next payment."""
    every: Every
    status: Literal["active", "cancelled", "completed"] = "active"
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


class SavingsPlan(Output):
    """A goal and how to get there."""

    target: Money
    """Amount to be reached."""
    missing: Money
    """What is still missing."""
    monthly: Saving
    """What to put aside every month to get there in time."""


class RetailBanking(Environment):
    """Look after a person's own bank accounts: balances, cards, payees, payments, disputes and savings."""

    domain = "finance"
    policy = """Payments to payees leave from checking accounts and count towards a daily limit; to a payee added today
    one payment is 500 dollars at most. Instant payments cost 1.50 dollars, standard ones arrive on the next working
    day. Savings can be drawn on three times in thirty days and never be overdrawn. Card purchases can be disputed once,
    within ninety days; missing goods a week after the purchase at the earliest. Never send money without knowing
    payee, amount and account."""
    sources = (
        "Open Banking UK Read/Write API 3.1, Account and Transaction, Payment Initiation",
        "Monzo API, Accounts, Transactions and Pots",
        "Plaid API, Transactions and Transfer",
        "GoCardless Bank Account Data API v2",
    )

    holder_id: HolderId
    """Account holder whose session this is."""
    holders: Table[Holder]
    accounts: Table[BankAccount]
    cards: Table[BankCard]
    payees: Table[Payee]
    transactions: Table[BankTransaction]
    scheduled: Table[ScheduledPayment]
    disputes: Table[CardDispute]

    @tool(
        ask=(
            "list my[ {status}][ {kind}] accounts",
            "show me which[ {status}][ {kind}] accounts I have",
            "tell me what is on my[ {status}][ {kind}] accounts",
            "give me an overview of my[ {status}][ {kind}] accounts",
        ),
        noun="[{status} ][{kind} ]account",
        reply=("You have {total_balance} in all: {accounts}.", "You have no such account."),
    )
    def list_accounts(self, kind: AccountKind | None = None, status: AccountStatus = "open") -> AccountList:
        """List the signed-in person's accounts with their balances.

        Args:
            kind: Only accounts of this kind.
            status: Accounts in use, or closed ones.
        """
        found = [
            a
            for a in self.accounts.values()
            if (a.holder_id, a.status) == (self.holder_id, status) and kind in (None, a.kind)
        ]
        return AccountList(accounts=tuple(found), total_balance=cents(sum(account.balance for account in found)))

    @tool(
        ask=(
            "check the balance of {account_id}",
            "tell me how much I can spend from {account_id}",
            "look up {account_id} and its cards",
            "show me the details of {account_id}",
        ),
        reply=(
            "Your {nickname} account holds {balance}, and you can spend {available}. Its cards: {cards}.",
            "Your {nickname} account holds {balance}, and you can spend {available}. It has no card.",
        ),
        where=(Owned("account_id", field="holder_id", by="holder_id"),),
    )
    def get_account(self, account_id: AccountId) -> AccountDetails:
        """Get one account: its balance, what can be spent from it, its cards.

        Args:
            account_id: Account to look at.
        """
        account = self._mine(self.accounts, account_id)
        return AccountDetails(
            account_id=account.id, nickname=account.nickname, number=account.number, status=account.status,
            balance=account.balance, available=account.available, left_today=self._left_today(),
            cards=tuple(card for card in self.cards.values() if card.account_id == account.id),
        )  # fmt: skip

    @tool(
        ask=(
            (
                "show me my[ {category}] transactions[ with {counterparty}][ on {account_id}][ since {since}]"
                "[ until {until}][ of {min_amount} or more][, {sort} first]"
            ),
            (
                "look up what I paid or got[ for {category}][ with {counterparty}][ on {account_id}][ from {since} on]"
                "[ up to {until}][, {min_amount} and up][, the {sort} first]"
            ),
            (
                "search my account history[ for {category}][ with {counterparty}][ on {account_id}][ since {since}]"
                "[ until {until}][ for at least {min_amount}][ with the {sort} on top]"
            ),
            (
                "go through my[ {category}] transactions[ with {counterparty}][ on {account_id}][ from {since}]"
                "[ through {until}][ of at least {min_amount}][, {sort} ones first]"
            ),
        ),
        noun="[{category} ]transaction[ with {counterparty}][ on {account_id}][ since {since}][ until {until}]"
        "[ of at least {min_amount}]",
        reply=(
            "Page {page} of {pages}: {transactions}. The money out comes to {spent} in all.",
            "No transaction matches.",
        ),
        where=(
            Owned("account_id", field="holder_id", by="holder_id"),
            FromNow("since", days=(-90, -40)),
            FromNow("until", days=(-5, -1)),
        ),
    )
    def search_transactions(
        self,
        account_id: AccountId | None = None,
        category: Category | None = None,
        counterparty: Annotated[str, Value("counterparty")] | None = None,
        since: dt.date | None = None,
        until: dt.date | None = None,
        min_amount: Annotated[Money, Field(gt=0)] | None = None,
        sort: Literal["newest", "largest"] = "newest",
        page: PageNumber = 1,
    ) -> TransactionPage:
        """Search the transactions on the signed-in person's accounts.

        Args:
            account_id: Only those on this account.
            category: Only those of this category.
            counterparty: Only those with somebody whose name contains this.
            since: Only those on this date or later.
            until: Only those on this date or earlier.
            min_amount: Only those of at least this amount.
            sort: Order: newest first, or largest first.
            page: Page of the results, five transactions each.
        """
        if account_id is not None:
            self._mine(self.accounts, account_id)
        if since and until and until < since:
            raise ToolError("invalid_argument", f"The search would end on {until}, before it begins on {since}.")
        found = [
            t
            for t in self.transactions.values()
            if t.holder_id == self.holder_id
            and account_id in (None, t.account_id)
            and category in (None, t.category)
            and (counterparty is None or counterparty.lower() in t.counterparty.lower())
            and (since is None or t.booked_on >= since)
            and (until is None or t.booked_on <= until)
            and (min_amount is None or t.amount >= min_amount)
        ]
        if sort == "newest":
            found.sort(key=lambda t: (-t.booked_on.toordinal(), t.id))
        else:
            found.sort(key=lambda t: (-t.amount, t.id))
        spent = cents(sum(t.amount + t.fee for t in found if t.direction == "out"))
        return TransactionPage(
            transactions=page_rows(found, page, PAGE_SIZE), spent=spent, **page_of(found, page, PAGE_SIZE)
        )

    @tool(
        writes=True,
        ask=(
            "dispute {transaction_id}, the reason is {reason}",
            "report {transaction_id} to the bank for {reason}",
            "contest {transaction_id} and give {reason} as the reason",
            "open a dispute for {transaction_id} with the reason {reason}",
        ),
        reply=("The dispute over {amount} is opened and now {status}.",),
        where=(
            Owned("transaction_id", field="holder_id", by="holder_id"),
            Having("transaction_id", field="channel", among=("card",)),
            Having("transaction_id", field="status", among=("booked",)),
        ),
    )
    def dispute_transaction(self, transaction_id: TransactionId, reason: Reason) -> CardDispute:
        """Dispute a card purchase; up to 100 dollars are credited at once, more is reviewed first.

        Args:
            transaction_id: Purchase that is wrong.
            reason: What is wrong with it.
        """
        purchase = self._mine(self.transactions, transaction_id)
        if purchase.channel != "card":
            raise ToolError("precondition_failed", "Only card purchases can be disputed.")
        if purchase.status == "disputed":
            raise ToolError("conflict", f"The purchase at {purchase.counterparty} is disputed already.")
        if purchase.status == "pending":
            raise ToolError("precondition_failed", "The purchase is still pending, not booked yet.")
        age = (self.now.date() - purchase.booked_on).days
        if age > DISPUTE_DAYS:
            raise ToolError("precondition_failed", f"The purchase is {age} days old, more than {DISPUTE_DAYS}.")
        if reason == "missing_goods" and age < DELIVERY_DAYS:
            raise ToolError("precondition_failed", f"Merchants have {DELIVERY_DAYS} days to deliver, not {age}.")
        account = self._open(purchase.account_id)
        self.transactions.replace(purchase.evolve(status="disputed"))
        at_once = purchase.amount <= CREDITED_AT_ONCE
        if at_once:
            self._book(account, "in", purchase.amount, purchase.counterparty, purchase.category, "credit")
        dispute = CardDispute(
            id=self.new_id("DIS"), holder_id=self.holder_id, transaction_id=purchase.id, amount=purchase.amount,
            reason=reason, opened_on=self.now.date(), status="credited" if at_once else "under_review",
        )  # fmt: skip
        return self.disputes.insert(dispute)

    @tool(
        ask=(
            "list my payees[ called {name}]",
            "show me the people I have saved for payments[ under the name {name}]",
            "find[ {name} among] my payees",
            "check whom I can send money to[ by the name of {name}]",
        ),
        noun="payee[ called {name}]",
        reply=("Page {page} of {pages}: {payees}.", "You have no such payee."),
    )
    def list_payees(self, name: PayeeName | None = None, page: PageNumber = 1) -> PayeePage:
        """List the signed-in person's payees by name.

        Args:
            name: Only payees whose name contains this.
            page: Page of the results, five payees each.
        """
        found = [
            payee
            for payee in self.payees.values()
            if payee.holder_id == self.holder_id and (name is None or name.lower() in payee.name.lower())
        ]
        found.sort(key=lambda payee: (payee.name, payee.id))
        return PayeePage(payees=page_rows(found, page, PAGE_SIZE), **page_of(found, page, PAGE_SIZE))

    @tool(
        writes=True,
        ask=(
            "add {name} with the account number {account_number} as a payee",
            "save {name}, account {account_number}, as somebody I can pay",
            "set up a new payee called {name} with the account {account_number}",
            "put {name} on my list of payees, account number {account_number}",
        ),
        reply=("{name} is now on your list of payees; today you can send up to {most_today} at a time.",),
    )
    def add_payee(self, name: PayeeName, account_number: AccountNumber) -> NewPayee:
        """Add a payee; for the rest of the day one payment to a new payee is 500 dollars at most.

        Args:
            name: Who is to be paid.
            account_number: Where the money goes, eight digits.
        """
        if any((a.holder_id, a.number) == (self.holder_id, account_number) for a in self.accounts.values()):
            raise ToolError("invalid_argument", "That is an account of your own, not a payee.")
        for payee in self.payees.values():
            if (payee.holder_id, payee.account_number) == (self.holder_id, account_number):
                raise ToolError("conflict", f"You have this account on your list already, as {payee.name}.")
        payee = Payee(
            id=self.new_id("PAY"), holder_id=self.holder_id, name=name, account_number=account_number,
            added_on=self.now.date(),
        )  # fmt: skip
        self.payees.insert(payee)
        return NewPayee(payee_id=payee.id, name=name, most_today=min(NEW_PAYEE_LIMIT, self._left_today()))

    @tool(
        writes=True,
        ask=(
            "send {amount} to {payee_id} from {account_id}[ by {speed} transfer][ with the reference {reference}]",
            "pay {payee_id} {amount} from {account_id}[ by {speed} payment][, reference {reference}]",
            "transfer {amount} from {account_id} to {payee_id}[ with {speed} delivery][ and write {reference} on it]",
            "make a payment of {amount} to {payee_id} from {account_id}[, {speed} if you can][, reference {reference}]",
        ),
        reply=("I sent {amount} to {payee_name}; the fee is {fee} and it arrives on {arrives_on}.",),
        where=(
            Owned("account_id", field="holder_id", by="holder_id"),
            Having("account_id", field="kind", among=("checking",)),
            Having("account_id", field="status", among=("open",)),
            Owned("payee_id", field="holder_id", by="holder_id"),
            Within("amount", low=20, high=300, step=10),
            AtMost("amount", "account_id", field="available", share=0.5),
        ),
    )
    def send_payment(
        self,
        account_id: AccountId,
        payee_id: PayeeId,
        amount: Annotated[AmountDue, Field(ge=1)],
        speed: Literal["standard", "instant"] = "standard",
        reference: Annotated[
            str, FreeText(("'rent for March'", "'thanks for dinner'", "'concert tickets'", "'my share'"))
        ]
        | None = None,
    ) -> Receipt:
        """Pay a payee from a checking account now.

        Args:
            account_id: Checking account to pay from.
            payee_id: Who is paid.
            amount: How much.
            speed: Standard is free and arrives on the next working day; instant arrives today for 1.50 dollars.
            reference: What the payee reads on the statement.
        """
        account, payee = self._checking(account_id), self._mine(self.payees, payee_id)
        amount = cents(amount)
        if payee.added_on == self.now.date() and amount > NEW_PAYEE_LIMIT:
            raise ToolError("limit_exceeded", f"Send at most {NEW_PAYEE_LIMIT:.0f} dollars to a new payee.")
        if amount > self._left_today():
            raise ToolError("limit_exceeded", f"Your daily limit leaves {self._left_today():.2f} dollars.")
        fee = INSTANT_FEE if speed == "instant" else 0.0
        self._covered(account, cents(amount + fee))
        booked = self._book(account, "out", amount, payee.name, "transfer", "payment", fee, reference)
        return Receipt(
            transaction_id=booked.id, payee_name=payee.name, amount=amount, fee=fee,
            arrives_on=self.now.date() if speed == "instant" else _next_working_day(self.now.date()),
            left_today=self._left_today(),
        )  # fmt: skip

    @tool(
        writes=True,
        ask=(
            "move {amount} from {from_account_id} to {to_account_id}",
            "put {amount} from {from_account_id} into {to_account_id}",
            "shift {amount} out of {from_account_id} over to {to_account_id}",
            "take {amount} from {from_account_id} and add it to {to_account_id}",
        ),
        reply=("Done. There is {from_balance} left on the one account, and {to_balance} on the other.",),
        where=(
            Owned("from_account_id", field="holder_id", by="holder_id"),
            Having("from_account_id", field="status", among=("open",)),
            Owned("to_account_id", field="holder_id", by="holder_id"),
            Having("to_account_id", field="status", among=("open",)),
            Differs("to_account_id", "from_account_id"),
            Within("amount", low=20, high=300, step=10),
            AtMost("amount", "from_account_id", field="available", share=0.5),
        ),
    )
    def move_money(
        self, from_account_id: AccountId, to_account_id: AccountId, amount: Annotated[Saving, Field(ge=1)]
    ) -> OwnTransfer:
        """Move money between two of the signed-in person's own accounts, at once and free of charge.

        Args:
            from_account_id: Account the money comes from.
            to_account_id: Account it goes to.
            amount: How much.
        """
        if from_account_id == to_account_id:
            raise ToolError("invalid_argument", "Name two different accounts.")
        source, target, amount = self._open(from_account_id), self._open(to_account_id), cents(amount)
        since = self.now.date() - dt.timedelta(days=WITHDRAWAL_DAYS)
        drawn = [
            t
            for t in self.transactions.values()
            if t.account_id == source.id and t.direction == "out" and t.booked_on > since
        ]
        if source.kind == "savings" and len(drawn) >= WITHDRAWALS:
            raise ToolError("limit_exceeded", f"Savings can be drawn on {WITHDRAWALS} times in {WITHDRAWAL_DAYS} days.")
        self._covered(source, amount)
        self._book(source, "out", amount, target.nickname, "transfer", "own_transfer")
        self._book(target, "in", amount, source.nickname, "transfer", "own_transfer")
        return OwnTransfer(
            from_balance=self.accounts.require(source.id).balance, to_balance=self.accounts.require(target.id).balance
        )

    @tool(
        writes=True,
        ask=(
            "schedule a payment of {amount} to {payee_id} from {account_id} for {starts_on}[, to be made {every}]",
            "set up {amount} for {payee_id} from {account_id} on {starts_on}[, paid {every}]",
            "arrange for {payee_id} to get {amount} from {account_id} on {starts_on}[, to be sent {every}]",
            "plan a transfer of {amount} from {account_id} to {payee_id}, starting {starts_on}[ and going out {every}]",
        ),
        reply=("The payment of {amount} to {payee_name} is set up for {next_on} ({every}).",),
        where=(
            Owned("account_id", field="holder_id", by="holder_id"),
            Having("account_id", field="kind", among=("checking",)),
            Having("account_id", field="status", among=("open",)),
            Owned("payee_id", field="holder_id", by="holder_id"),
            Within("amount", low=20, high=400, step=10),
            FromNow("starts_on", days=(2, 60)),
        ),
    )
    def schedule_payment(
        self,
        account_id: AccountId,
        payee_id: PayeeId,
        amount: Annotated[AmountDue, Field(ge=1)],
        starts_on: dt.date,
        every: Every = "once",
    ) -> ScheduledPayment:
        """Set up a payment to a payee for a later day, once or again and again.

        Args:
            account_id: Checking account to pay from.
            payee_id: Who is paid.
            amount: How much each time.
            starts_on: Day of the first payment, from tomorrow until a year from now.
            every: How often it is paid.
        """
        account, payee = self._checking(account_id), self._mine(self.payees, payee_id)
        if not 1 <= (starts_on - self.now.date()).days <= 365:
            raise ToolError("invalid_argument", f"{starts_on} is not within the year from tomorrow.")
        limit = self.holders.require(self.holder_id).daily_limit
        if amount > limit:
            raise ToolError("limit_exceeded", f"No payment can be above your daily limit of {limit:.2f} dollars.")
        payment = ScheduledPayment(
            id=self.new_id("SCH"), holder_id=self.holder_id, account_id=account.id, payee_id=payee.id,
            payee_name=payee.name, amount=cents(amount), next_on=starts_on, every=every,
        )  # fmt: skip
        return self.scheduled.insert(payment)

    @tool(
        ask=(
            "list my[ {status}] scheduled payments[ from {account_id}]",
            "show me which[ {status}] payments I have scheduled[ from {account_id}]",
            "look up my[ {status}] scheduled payments[ out of {account_id}]",
            "tell me what[ {status}] scheduled payments there are[ on {account_id}]",
        ),
        noun="[{status} ]scheduled payment[ from {account_id}]",
        reply=("Page {page} of {pages}: {scheduled}.", "There are no such scheduled payments."),
        where=(Owned("account_id", field="holder_id", by="holder_id"),),
    )
    def list_scheduled_payments(
        self,
        account_id: AccountId | None = None,
        status: Literal["active", "cancelled", "completed"] = "active",
        page: PageNumber = 1,
    ) -> ScheduledPage:
        """List the signed-in person's scheduled payments, the next one first.

        Args:
            account_id: Only those from this account.
            status: Only those that stand like this.
            page: Page of the results, five scheduled payments each.
        """
        if account_id is not None:
            self._mine(self.accounts, account_id)
        found = [
            payment
            for payment in self.scheduled.values()
            if (payment.holder_id, payment.status) == (self.holder_id, status)
            and account_id in (None, payment.account_id)
        ]
        found.sort(key=lambda payment: (payment.next_on, payment.id))
        return ScheduledPage(scheduled=page_rows(found, page, PAGE_SIZE), **page_of(found, page, PAGE_SIZE))

    @tool(
        writes=True,
        ask=(
            "cancel {scheduled_id}",
            "stop {scheduled_id} from going out",
            "call off {scheduled_id}",
            "make sure that {scheduled_id} is not paid any more",
        ),
        reply=("The payment of {amount} to {payee_name} is cancelled.",),
        where=(
            Owned("scheduled_id", field="holder_id", by="holder_id"),
            Having("scheduled_id", field="status", among=("active",)),
        ),
    )
    def cancel_scheduled_payment(self, scheduled_id: ScheduledId) -> ScheduledPayment:
        """Cancel a scheduled payment, on the day before it is due at the latest.

        Args:
            scheduled_id: Scheduled payment to cancel.
        """
        payment = self._mine(self.scheduled, scheduled_id)
        if payment.status != "active":
            raise ToolError("precondition_failed", f"The scheduled payment is {payment.status} already.")
        if payment.next_on <= self.now.date():
            raise ToolError("precondition_failed", f"The payment to {payment.payee_name} is due today and on its way.")
        return self.scheduled.replace(payment.evolve(status="cancelled"))

    @tool(
        writes=True,
        ask=(
            "freeze {card_id}",
            "block {card_id} for now",
            "put a hold on {card_id}",
            "lock {card_id} until I say otherwise",
        ),
        reply=("The card ending in {last_four} is frozen.",),
        where=(
            Owned("card_id", field="holder_id", by="holder_id"),
            Having("card_id", field="status", among=("active",)),
        ),
    )
    def freeze_card(self, card_id: CardId) -> BankCard:
        """Freeze a card: nothing can be paid with it until it is unfrozen.

        Args:
            card_id: Card to freeze.
        """
        card = self._mine(self.cards, card_id)
        if card.status != "active":
            raise ToolError("precondition_failed", f"The card is {card.status}, so it cannot be frozen.")
        return self.cards.replace(card.evolve(status="frozen"))

    @tool(
        writes=True,
        ask=(
            "unfreeze {card_id}[ with a daily limit of {daily_limit}]",
            "unlock {card_id}[ and set its daily limit to {daily_limit}]",
            "make {card_id} work again[, but with a limit of {daily_limit} a day]",
            "lift the freeze on {card_id}[ and allow {daily_limit} a day]",
        ),
        reply=("The card ending in {last_four} works again, up to {daily_limit} a day.",),
        where=(
            Owned("card_id", field="holder_id", by="holder_id"),
            Having("card_id", field="status", among=("frozen",)),
            Within("daily_limit", low=100, high=1000, step=50),
        ),
    )
    def unfreeze_card(
        self, card_id: CardId, daily_limit: Annotated[Money, Field(ge=50, le=2000)] | None = None
    ) -> BankCard:
        """Let a frozen card work again, if wanted with another daily limit.

        Args:
            card_id: Card to unfreeze.
            daily_limit: Most that can be spent with it in a day, 50 to 2000 dollars; as before if not given.
        """
        card = self._mine(self.cards, card_id)
        if card.status != "frozen":
            raise ToolError("precondition_failed", f"The card is {card.status}, not frozen.")
        return self.cards.replace(card.evolve(status="active", daily_limit=daily_limit or card.daily_limit))

    @tool(
        writes=True,
        ask=(
            "set a savings goal of {target} by {reached_by} for {account_id}",
            "plan for {target} on {account_id} by {reached_by}",
            "work out how I get to {target} on {account_id} by {reached_by}, and make that my goal",
            "make {target} by {reached_by} the goal for {account_id}",
        ),
        reply=("The goal of {target} is set: {missing} to go, which is {monthly} a month.",),
        where=(
            Owned("account_id", field="holder_id", by="holder_id"),
            Having("account_id", field="kind", among=("savings",)),
            Having("account_id", field="status", among=("open",)),
            Within("target", low=6000, high=12000, step=500),
            FromNow("reached_by", days=(60, 700)),
        ),
    )
    def set_savings_goal(
        self, account_id: AccountId, target: Annotated[Money, Field(gt=0)], reached_by: dt.date
    ) -> SavingsPlan:
        """Set the amount that a savings account shall reach, and learn what to put aside every month.

        Args:
            account_id: Savings account.
            target: Amount to reach.
            reached_by: Date by which it shall be reached, next month at the earliest.
        """
        account = self._open(account_id)
        if account.kind != "savings":
            raise ToolError("precondition_failed", "Goals are for savings accounts.")
        missing = cents(target - account.balance)
        if missing < 1:
            raise ToolError("invalid_argument", f"There is {account.balance:.2f} on the account already; aim higher.")
        months = (reached_by.year - self.now.year) * 12 + reached_by.month - self.now.month
        if months < 1:
            raise ToolError("invalid_argument", f"{reached_by} is too early for a goal.")
        self.accounts.replace(account.evolve(goal=cents(target), goal_on=reached_by))
        return SavingsPlan(target=cents(target), missing=missing, monthly=cents(missing / months))

    def _mine(self, table: Table[P], key: str) -> P:
        record = table.require(key)
        if record.holder_id != self.holder_id:
            raise ToolError("permission_denied", f"That {record.noun} belongs to somebody else.")
        return record

    def _open(self, account_id: str) -> BankAccount:
        account = self._mine(self.accounts, account_id)
        if account.status == "closed":
            raise ToolError("precondition_failed", f"The account {account.nickname} is closed.")
        return account

    def _checking(self, account_id: str) -> BankAccount:
        account = self._open(account_id)
        if account.kind != "checking":
            raise ToolError("precondition_failed", "Payments leave from checking accounts only.")
        return account

    def _covered(self, account: BankAccount, amount: float) -> None:
        if amount > account.available:
            has = f"{account.available:.2f} dollars available"
            raise ToolError("precondition_failed", f"The account {account.nickname} has {has}, not {amount:.2f}.")

    def _left_today(self) -> float:
        """What the daily limit leaves for payments to payees."""
        paid = sum(
            t.amount
            for t in self.transactions.values()
            if (t.holder_id, t.direction, t.channel) == (self.holder_id, "out", "payment")
            and t.booked_on == self.now.date()
        )
        return max(0.0, cents(self.holders.require(self.holder_id).daily_limit - paid))

    def _book(
        self,
        account: BankAccount,
        direction: Literal["in", "out"],
        amount: float,
        counterparty: str,
        category: Category,
        channel: Literal["payment", "own_transfer", "credit"],
        fee: float = 0.0,
        reference: str | None = None,
    ) -> BankTransaction:
        """Book a movement of money and the balance that follows from it."""
        balance = cents(account.balance + (amount if direction == "in" else -(amount + fee)))
        available = max(0.0, cents(balance + account.overdraft_limit))
        self.accounts.replace(account.evolve(balance=balance, available=available))
        transaction = BankTransaction(
            id=self.new_id("TX"), holder_id=self.holder_id, account_id=account.id, booked_on=self.now.date(),
            direction=direction, amount=amount, fee=fee, counterparty=counterparty, category=category,
            channel=channel, reference=reference,
        )  # fmt: skip
        return self.transactions.insert(transaction)

    @classmethod
    def scenario(cls, world: World, size: int) -> RetailBanking:
        """The user's six accounts in every condition with what belongs to them, and other people's accounts."""
        people = [world.user, *world.people(max(4, size // 8))]
        holders = [
            Holder(id=f"AH-{11 + n}", name=person.name, email=person.email, daily_limit=2000 if n == 0 else 1000)
            for n, person in enumerate(people)
        ]
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
        transactions += [_withdrawal(world, n, accounts[4]) for n in range(WITHDRAWALS)]  # no more from this one
        scheduled = [
            _scheduled(world, n, payee, theirs.get(payee.holder_id, accounts[n % 2]))
            for n, payee in enumerate(payees[:8] + payees[: max(16, size // 4)])
        ]
        disputes = [
            _dispute(n, purchase) for n, purchase in enumerate(t for t in transactions if t.status == "disputed")
        ]
        return cls(
            now=world.now, holder_id=me.id, holders={holder.id: holder for holder in holders},
            accounts={account.id: account for account in accounts}, cards={card.id: card for card in cards},
            payees={payee.id: payee for payee in payees},
            transactions={transaction.id: transaction for transaction in transactions},
            scheduled={payment.id: payment for payment in scheduled},
            disputes={dispute.id: dispute for dispute in disputes},
        )  # fmt: skip


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


def _next_working_day(day: dt.date) -> dt.date:
    friday, saturday = 4, 5
    return day + dt.timedelta(days={friday: 3, saturday: 2}.get(day.weekday(), 1))


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
    elif card and low > CREDITED_AT_ONCE and number % 30 < 20:
        status = "disputed"
    return BankTransaction(
        id=f"TX-{401 + number}", holder_id=account.holder_id, account_id=account.id,
        booked_on=world.today - dt.timedelta(days=age), direction="in" if category == "income" else "out",
        amount=world.money(low, high, world.choice((0.0, 0.5, 0.95))), counterparty=shop, category=category,
        channel="card" if card else "direct_debit" if category == "bills" else "payment", status=status,
    )  # fmt: skip


def _withdrawal(world: World, number: int, account: BankAccount) -> BankTransaction:
    return BankTransaction(
        id=f"TX-{381 + number}", holder_id=account.holder_id, account_id=account.id, booked_on=world.date(-20, -2),
        direction="out", amount=world.integer(5, 30) * 10, counterparty="everyday", category="transfer",
        channel="own_transfer",
    )  # fmt: skip


def _scheduled(world: World, number: int, payee: Payee, account: BankAccount) -> ScheduledPayment:
    """One to come, but the first is due today and every fifth is over."""
    over = number % 5 == 4
    return ScheduledPayment(
        id=f"SCH-{501 + number}", holder_id=account.holder_id, account_id=account.id, payee_id=payee.id,
        payee_name=payee.name, amount=world.integer(2, 40) * 10,
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
