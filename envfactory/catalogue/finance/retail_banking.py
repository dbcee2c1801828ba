"""A retail bank: a person's accounts, cards, payees, payments now or later, disputed purchases and savings goals.

Every movement of money is a transaction on an account, booked together with the new balance; what has been paid out
today, and how often savings were drawn on, is counted from the transactions and never kept apart.
"""

from __future__ import annotations

import datetime as dt
from typing import Annotated, Literal, TypeVar

from pydantic import Field

from envfactory.catalogue.finance._banking_records import (
    AccountDetails,
    AccountId,
    AccountKind,
    AccountList,
    AccountNumber,
    AccountStatus,
    AmountDue,
    BankAccount,
    BankCard,
    BankTransaction,
    CardDispute,
    CardId,
    Category,
    ConfirmedLimit,
    DailyLimit,
    Every,
    Holder,
    HolderId,
    NewPayee,
    OwnTransfer,
    Payee,
    PayeeId,
    PayeeName,
    PayeePage,
    Personal,
    Reason,
    Receipt,
    Saving,
    SavingsPlan,
    ScheduledId,
    ScheduledPage,
    ScheduledPayment,
    SecurityWord,
    TransactionId,
    TransactionPage,
)
from envfactory.catalogue.finance._banking_scenario import bank
from envfactory.environment import (
    AtMost,
    Differs,
    Ends,
    Environment,
    FreeText,
    FromNow,
    Having,
    Money,
    New,
    Owned,
    PageNumber,
    Some,
    Table,
    Together,
    ToolError,
    Value,
    Within,
    World,
    cents,
    check_span,
    owned,
    standing,
    tool,
)

INSTANT_FEE = 1.5
NEW_PAYEE_LIMIT = 500.0
CREDITED_AT_ONCE = 100
DISPUTE_DAYS = 90
DELIVERY_DAYS = 7
WITHDRAWALS = 3
WITHDRAWAL_DAYS = 30

OWN_ACCOUNT = Owned(parameter="account_id", field="holder_id", by="holder_id")
OWN_PAYEE = Owned(parameter="payee_id", field="holder_id", by="holder_id")
OWN_CARD = Owned(parameter="card_id", field="holder_id", by="holder_id")
OPEN = Having(parameter="account_id", field="status", among=("open",))
CHECKING = Having(parameter="account_id", field="kind", among=("checking",))

LIMIT = Within(parameter="daily_limit", low=250, high=5000, step=250)

NewLimit = Annotated[Money, Field(ge=100, le=5000)]
P = TypeVar("P", bound=Personal)


class RetailBanking(Environment):
    """Look after a person's own bank accounts: balances, cards, payees, payments, disputes and savings."""

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
        where=(OWN_ACCOUNT,),
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
        where=(
            OWN_ACCOUNT,
            FromNow(parameter="since", days=(-90, -40)),
            FromNow(parameter="until", days=(-5, -1)),
            Together("since", "until"),
            Some("category", "counterparty", "since", "min_amount"),
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
        check_span(since, until)
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
        return TransactionPage.of(found, page, spent=spent)

    @tool(
        writes=True,
        ask=(
            "dispute {transaction_id}, the reason is {reason}",
            "report {transaction_id} to the bank as {reason}",
            "contest {transaction_id} and give {reason} as the reason",
            "open a dispute over {transaction_id} for {reason}",
        ),
        reply=("The dispute over {amount} is opened and now {status}.",),
        where=(
            Owned(parameter="transaction_id", field="holder_id", by="holder_id"),
            Having(parameter="transaction_id", field="channel", among=("card",)),
            Having(parameter="transaction_id", field="status", among=("booked",)),
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
            "show me my saved payees[ by the name of {name}]",
            "look through my payees[ for {name}]",
            "check my list of payees[ for {name}]",
        ),
        noun="payee[ {name}]",
        reply=("On your list I see {payees}.", "You have no such payee."),
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
        return PayeePage.of(found, page)

    @tool(
        writes=True,
        ask=(
            "add {name} with the account number {account_number} as a payee",
            "save {name}, account {account_number}, as somebody I can pay",
            "set up a new payee called {name} with the account {account_number}",
            "put {name} on my list of payees, account number {account_number}",
        ),
        reply=("{name} is now on your list of payees; today you can send up to {most_today} at a time.",),
        where=(
            New(parameter="name", entity="Payee", field="name"),
            New(parameter="account_number", entity="Payee", field="account_number"),
        ),
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
            "send {amount} to {payee_id} from {account_id}[ by {speed} transfer][ with the reference '{reference}']",
            "pay {payee_id} {amount} from {account_id}[ by {speed} payment][, reference '{reference}']",
            "transfer {amount} from {account_id} to {payee_id}[ by {speed} payment][ and write '{reference}' on it]",
            "make a payment of {amount} to {payee_id} from {account_id}[ by {speed} transfer][, saying '{reference}']",
        ),
        reply=("I sent {amount} to {payee_name}; the fee is {fee} and it arrives on {arrives_on}.",),
        where=(
            OWN_ACCOUNT,
            CHECKING,
            OPEN,
            OWN_PAYEE,
            Within(parameter="amount", low=20, high=300, step=10),
            AtMost(parameter="amount", other="account_id", field="balance", share=0.5),
        ),
    )
    def send_payment(
        self,
        account_id: AccountId,
        payee_id: PayeeId,
        amount: Annotated[AmountDue, Field(ge=1)],
        speed: Literal["standard", "instant"] = "standard",
        reference: Annotated[str, FreeText(("as agreed", "my share", "with thanks", "for last month"))] | None = None,
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
            "transfer {amount} from {from_account_id} to {to_account_id}",
        ),
        reply=("Done. There is {from_balance} left on the one account, and {to_balance} on the other.",),
        where=(
            Owned(parameter="from_account_id", field="holder_id", by="holder_id"),
            Having(parameter="from_account_id", field="status", among=("open",)),
            Owned(parameter="to_account_id", field="holder_id", by="holder_id"),
            Having(parameter="to_account_id", field="status", among=("open",)),
            Differs(parameter="to_account_id", other="from_account_id"),
            Within(parameter="amount", low=20, high=300, step=10),
            AtMost(parameter="amount", other="from_account_id", field="balance", share=0.5),
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
            "schedule a payment of {amount} to {payee_id} from {account_id} for {starts_on}[ and then {every}]",
            "set up a payment of {amount} from {account_id} to {payee_id} on {starts_on}[, repeating {every}]",
            "arrange for {payee_id} to get {amount} from {account_id} on {starts_on}[ and {every} after that]",
            "plan a transfer of {amount} from {account_id} to {payee_id} on {starts_on}[, then {every}]",
        ),
        reply=("The payment of {amount} to {payee_name} is set up for {next_on} ({every}).",),
        where=(
            OWN_ACCOUNT,
            CHECKING,
            OPEN,
            OWN_PAYEE,
            Within(parameter="amount", low=20, high=400, step=10),
            FromNow(parameter="starts_on", days=(2, 60)),
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
            id=self.new_id("SCH"), holder_id=self.holder_id, account_id=account.id,
            account_nickname=account.nickname, payee_id=payee.id, payee_name=payee.name,
            amount=cents(amount), next_on=starts_on, every=every,
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
        reply=("I see these scheduled payments: {scheduled}.", "There are no such scheduled payments."),
        where=(OWN_ACCOUNT,),
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
        return ScheduledPage.of(found, page)

    @tool(
        writes=True,
        ask=(
            "cancel {scheduled_id}",
            "stop {scheduled_id} from going out",
            "call off {scheduled_id}",
            "make sure {scheduled_id} does not go out",
        ),
        reply=("The payment of {amount} to {payee_name} is cancelled.",),
        where=(
            Owned(parameter="scheduled_id", field="holder_id", by="holder_id"),
            Having(parameter="scheduled_id", field="status", among=("active",)),
            Ends(parameter="scheduled_id"),
        ),
    )
    def cancel_scheduled_payment(self, scheduled_id: ScheduledId) -> ScheduledPayment:
        """Cancel a scheduled payment, on the day before it is due at the latest.

        Args:
            scheduled_id: Scheduled payment to cancel.
        """
        payment = standing(self._mine(self.scheduled, scheduled_id), ("active",), "cancelled")
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
            OWN_CARD,
            Having(parameter="card_id", field="status", among=("active",)),
        ),
    )
    def freeze_card(self, card_id: CardId) -> BankCard:
        """Freeze a card: nothing can be paid with it until it is unfrozen.

        Args:
            card_id: Card to freeze.
        """
        card = standing(self._mine(self.cards, card_id), ("active",), "frozen")
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
            OWN_CARD,
            Having(parameter="card_id", field="status", among=("frozen",)),
            Within(parameter="daily_limit", low=100, high=1000, step=50),
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
        card = standing(self._mine(self.cards, card_id), ("frozen",), "unfrozen")
        return self.cards.replace(card.evolve(status="active", daily_limit=daily_limit or card.daily_limit))

    @tool(
        writes=True,
        ask=(
            "order a replacement for {card_id}",
            "get me a new card in place of {card_id}",
            "replace {card_id} with a new one",
            "have {card_id} replaced",
        ),
        reply=("A new {kind} card ending in {last_four} is on its way, and the old one no longer works.",),
        where=(
            OWN_CARD,
            Having(parameter="card_id", field="status", among=("active", "frozen", "blocked", "expired")),
            Ends(parameter="card_id"),
        ),
    )
    def replace_card(self, card_id: CardId, security_word: SecurityWord) -> BankCard:
        """Replace a card by a new one with the same account and limit; the old one stops working at once.

        Args:
            card_id: Card to replace.
            security_word: The word that the account holder has agreed on with the bank; ask them for it.
        """
        card = self._mine(self.cards, card_id)
        if security_word != self.holders.require(self.holder_id).security_word:
            raise ToolError("permission_denied", "That is not the security word of the account holder.")
        if card.status == "replaced":
            raise ToolError("conflict", "The card has been replaced already.")
        account = self._open(card.account_id)
        self.cards.replace(card.evolve(status="replaced"))
        fresh = BankCard(
            id=self.new_id("CARD"), holder_id=self.holder_id, account_id=account.id, kind=card.kind,
            last_four=_next_four(card.last_four), daily_limit=card.daily_limit,
        )  # fmt: skip
        return self.cards.insert(fresh)

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
            OWN_ACCOUNT,
            Having(parameter="account_id", field="kind", among=("savings",)),
            OPEN,
            Within(parameter="target", low=6000, high=12000, step=500),
            FromNow(parameter="reached_by", days=(60, 700)),
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

    @tool(
        writes=True,
        by="user",
        ask=(
            "confirm the new daily limit of {daily_limit} in the banking app",
            "approve the daily limit of {daily_limit} in the banking app",
            "open the banking app and confirm {daily_limit} as the daily limit",
            "go to the banking app and approve {daily_limit} as the new daily limit",
        ),
        reply=(
            "I have confirmed it in the app",
            "done, I confirmed {confirmed_limit}",
            "confirmed, the app says {confirmed_limit}",
            "it is approved in the app now",
        ),
        where=(LIMIT,),
    )
    def confirm_limit(self, daily_limit: NewLimit) -> ConfirmedLimit:
        """Confirm in the banking app that the daily limit for payments shall be another one.

        Args:
            daily_limit: New limit, 100 to 5000 dollars.
        """
        me = self.holders.require(self.holder_id)
        if cents(daily_limit) == me.daily_limit:
            raise ToolError("invalid_argument", f"The daily limit is {me.daily_limit:.2f} dollars already.")
        self.holders.replace(me.evolve(confirmed_limit=cents(daily_limit)))
        return ConfirmedLimit(confirmed_limit=cents(daily_limit))

    @tool(
        writes=True,
        ask=(
            "set my daily limit for payments to {daily_limit}",
            "change the daily limit for my payments to {daily_limit}",
            "make {daily_limit} the most that I can pay in a day",
            "let me pay up to {daily_limit} a day from now on",
        ),
        reply=(
            "Your daily limit is {daily_limit} now, and {left_today} of it is left today. It holds for {accounts}.",
            "Your daily limit is {daily_limit} now, and {left_today} of it is left today.",
        ),
        where=(LIMIT,),
        first="confirm_limit",
    )
    def set_daily_limit(self, daily_limit: NewLimit) -> DailyLimit:
        """Set the most that may be paid to payees in a day, once the account holder has confirmed it in the app.

        Args:
            daily_limit: New limit, 100 to 5000 dollars.
        """
        me = self.holders.require(self.holder_id)
        if me.confirmed_limit != cents(daily_limit):
            asked = f"a daily limit of {daily_limit:.2f} dollars in the banking app first"
            raise ToolError("permission_denied", f"The account holder has to confirm {asked}.")
        self.holders.replace(me.evolve(daily_limit=cents(daily_limit), confirmed_limit=None))
        paying = (
            account
            for account in self.accounts.values()
            if (account.holder_id, account.kind, account.status) == (self.holder_id, "checking", "open")
        )
        return DailyLimit(daily_limit=cents(daily_limit), left_today=self._left_today(), accounts=tuple(paying))

    def _mine(self, table: Table[P], key: str) -> P:
        return owned(table.require(key), "holder_id", self.holder_id)

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
            id=self.new_id("TX"), holder_id=self.holder_id, account_id=account.id,
            account_nickname=account.nickname, booked_on=self.now.date(),
            direction=direction, amount=amount, fee=fee, counterparty=counterparty, category=category,
            channel=channel, reference=reference,
        )  # fmt: skip
        return self.transactions.insert(transaction)

    @classmethod
    def scenario(cls, world: World, size: int) -> RetailBanking:
        """The user's six accounts in every condition with what belongs to them, and other people's accounts."""
        return cls.model_validate(bank(world, size))


def _next_four(last_four: str) -> str:
    """The last digits of the card that replaces one: never the same, whatever else was replaced before."""
    return f"{(int(last_four) + 3571) % 10_000:04d}"


def _next_working_day(day: dt.date) -> dt.date:
    friday, saturday = 4, 5
    return day + dt.timedelta(days={friday: 3, saturday: 2}.get(day.weekday(), 1))
