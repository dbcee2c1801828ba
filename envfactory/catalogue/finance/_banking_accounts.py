"""A person's accounts at the bank: what the bank keeps, its rules in words, and the tools for accounts and bookings.

Every movement of money is a transaction on an account, booked together with the new balance; what has been paid out
today, and how often savings were drawn on, is counted from the transactions and never kept apart.
"""

import datetime as dt
from typing import Literal, TypeVar

from envfactory.catalogue.finance import _banking_records as rec
from envfactory.catalogue.finance import _banking_relations as relations
from envfactory.catalogue.finance import _banking_rules as rules
from envfactory.environment import Environment, PageNumber, Table, cents, check_span, owned, tool

P = TypeVar("P", bound=rec.Personal)
A = TypeVar("A", rec.BankTransaction, rec.ScheduledPayment)


class AccountService(Environment):
    """Look at a person's own accounts and what was booked on them, and dispute purchases."""

    domain = "finance"
    policy = """Payments to payees leave from checking accounts and count towards a daily limit; to a payee added today
    one payment is 500 dollars at most. Instant payments cost 1.50 dollars, standard ones arrive on the next working
    day. Savings can be drawn on three times in thirty days and never be overdrawn. Card purchases can be disputed once,
    within ninety days; missing goods a week after the purchase at the earliest. Replacing a card takes the person's
    security word: ask for it, never guess. A new daily limit takes the person's own confirmation in the banking app:
    tell them to confirm it there first. Never send money without knowing payee, amount and account."""
    sources = (
        "Open Banking UK Read/Write API 3.1, Account and Transaction, Payment Initiation",
        "Monzo API, Accounts, Transactions and Pots",
        "Plaid API, Transactions and Transfer",
        "GoCardless Bank Account Data API v2",
    )

    holder_id: rec.HolderId
    """Account holder whose session this is."""
    holders: Table[rec.Holder]
    accounts: Table[rec.BankAccount]
    cards: Table[rec.BankCard]
    payees: Table[rec.Payee]
    transactions: Table[rec.BankTransaction]
    scheduled: Table[rec.ScheduledPayment]
    disputes: Table[rec.CardDispute]

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
    def list_accounts(self, kind: rec.AccountKind | None = None, status: rec.AccountStatus = "open") -> rec.AccountList:
        """List the signed-in person's accounts with their balances.

        Args:
            kind: Only accounts of this kind.
            status: Accounts in use, or closed ones.
        """
        own = self._own(self.accounts)
        found = [account for account in own if account.status == status and kind in (None, account.kind)]
        return rec.AccountList(accounts=tuple(found), total_balance=cents(sum(account.balance for account in found)))

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
        where=relations.ACCOUNT,
    )
    def get_account(self, account_id: rec.AccountId) -> rec.AccountDetails:
        """Get one account: its balance, what can be spent from it, its cards.

        Args:
            account_id: Account to look at.
        """
        account = self._mine(self.accounts, account_id)
        return rules.details(account, self.cards.values(), self._left_today())

    @tool(
        ask=(
            (
                "show me my transactions[ in the {category} category][ with {counterparty}][ on {account_id}]"
                "[ from {since} to {until}][ of {min_amount} or more][, {sort} first]"
            ),
            (
                "pull up my transactions[ under {category}][ with {counterparty}][ on {account_id}]"
                "[ between {since} and {until}][, {min_amount} and up][, the {sort} first]"
            ),
            (
                "find my transactions[ in the {category} category][ with {counterparty}][ on {account_id}]"
                "[ from {since} up to {until}][ of at least {min_amount}][ and put the {sort} on top]"
            ),
            (
                "go through my[ {category}] transactions[ with {counterparty}][ on {account_id}]"
                "[ from {since} through {until}][ of at least {min_amount}][, {sort} ones first]"
            ),
        ),
        noun="[{category} ]transaction[ with {counterparty}][ on {account_id}][ from {since} to {until}]"
        "[ of at least {min_amount}]",
        reply=(
            "The transactions I found: {transactions}. The money out comes to {spent} in all.",
            "No transaction matches.",
        ),
        where=relations.SEARCHING,
    )
    def search_transactions(
        self, account_id: rec.AccountId | None = None, category: rec.Category | None = None,
        counterparty: rec.Counterparty | None = None, since: dt.date | None = None, until: dt.date | None = None,
        min_amount: rec.AtLeast | None = None, sort: Literal["newest", "largest"] = "newest", page: PageNumber = 1,
    ) -> rec.TransactionPage:  # fmt: skip
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
        own = self._on(self.transactions, account_id)
        check_span(since, until)
        found = [t for t in own if category in (None, t.category) and rules.is_with(t, counterparty)]
        found = [t for t in found if rules.is_between(t, since, until)]
        found = [t for t in found if min_amount is None or t.amount >= min_amount]
        found.sort(key=lambda t: (-t.booked_on.toordinal() if sort == "newest" else -t.amount, t.id))
        return rec.TransactionPage.of(found, page, spent=rules.spent(found))

    @tool(
        writes=True,
        ask=(
            "dispute {transaction_id}, the reason is {reason}",
            "report {transaction_id} to the bank as {reason}",
            "contest {transaction_id} and give {reason} as the reason",
            "open a dispute over {transaction_id} for {reason}",
        ),
        reply=("The dispute over {amount} is opened and now {status}.",),
        where=relations.DISPUTING,
    )
    def dispute_transaction(self, transaction_id: rec.TransactionId, reason: rec.Reason) -> rec.CardDispute:
        """Dispute a card purchase; up to 100 dollars are credited at once, more is reviewed first.

        Args:
            transaction_id: Purchase that is wrong.
            reason: What is wrong with it.
        """
        purchase = self._mine(self.transactions, transaction_id)
        rules.check_dispute(purchase, reason, self.now.date())
        account = self._open(purchase.account_id)
        self.transactions.replace(purchase.evolve(status="disputed"))
        if rules.credited_at_once(purchase):
            self._book(account, "in", purchase.amount, purchase.counterparty, purchase.category, "credit")
        return self.disputes.insert(rules.dispute(self.new_id("DIS"), purchase, reason, self.now.date()))

    def _me(self) -> rec.Holder:
        return self.holders.require(self.holder_id)

    def _mine(self, table: Table[P], key: str) -> P:
        return owned(table.require(key), "holder_id", self.holder_id)

    def _own(self, table: Table[P]) -> list[P]:
        return [record for record in table.values() if record.holder_id == self.holder_id]

    def _on(self, table: Table[A], account_id: str | None) -> list[A]:
        """The person's rows of a table, on one of their accounts if one is named."""
        if account_id is not None:
            self._mine(self.accounts, account_id)
        return [record for record in self._own(table) if account_id in (None, record.account_id)]

    def _open(self, account_id: str) -> rec.BankAccount:
        return rules.in_use(self._mine(self.accounts, account_id))

    def _left_today(self) -> float:
        """What the daily limit leaves for payments to payees."""
        return rules.left_of_limit(self._me(), self._own(self.transactions), self.now.date())

    def _book(
        self, account: rec.BankAccount, direction: rec.Direction, amount: float, counterparty: str,
        category: rec.Category, channel: rec.Channel, fee: float = 0, reference: str | None = None,
    ) -> rec.BankTransaction:  # fmt: skip
        """Book a movement of money and the balance that follows from it."""
        self.accounts.replace(rules.moved(account, amount if direction == "in" else -(amount + fee)))
        transaction = rec.BankTransaction(
            id=self.new_id("TX"), holder_id=self.holder_id, account_id=account.id, account_nickname=account.nickname,
            booked_on=self.now.date(), direction=direction, amount=amount, fee=fee, counterparty=counterparty,
            category=category, channel=channel, reference=reference,
        )  # fmt: skip
        return self.transactions.insert(transaction)
