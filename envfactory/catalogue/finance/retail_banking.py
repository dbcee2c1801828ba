"""A retail bank: a person's accounts, cards, payees, payments now or later, disputed purchases and savings goals.

Accounts, what is booked on them and disputes are in the service below it; here are the tools for payees, payments,
cards, savings goals and the daily limit of payments.
"""

import datetime as dt
from typing import Self

from envfactory.catalogue.finance import _banking_records as rec
from envfactory.catalogue.finance import _banking_relations as relations
from envfactory.catalogue.finance import _banking_rules as rules
from envfactory.catalogue.finance._banking_accounts import AccountService
from envfactory.catalogue.finance._banking_scenario import bank
from envfactory.environment import PageNumber, World, cents, tool


class RetailBanking(AccountService):
    """Look after a person's own bank accounts: balances, cards, payees, payments, disputes and savings."""

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
    def list_payees(self, name: rec.PayeeName | None = None, page: PageNumber = 1) -> rec.PayeePage:
        """List the signed-in person's payees by name.

        Args:
            name: Only payees whose name contains this.
            page: Page of the results, five payees each.
        """
        own = self._own(self.payees)
        found = [payee for payee in own if name is None or name.lower() in payee.name.lower()]
        found.sort(key=lambda payee: (payee.name, payee.id))
        return rec.PayeePage.of(found, page)

    @tool(
        writes=True,
        ask=(
            "add {name} with the account number {account_number} as a payee",
            "save {name}, account {account_number}, as somebody I can pay",
            "set up a new payee called {name} with the account {account_number}",
            "put {name} on my list of payees, account number {account_number}",
        ),
        reply=("{name} is now on your list of payees; today you can send up to {most_today} at a time.",),
        where=relations.NEW_PAYEE,
    )
    def add_payee(self, name: rec.PayeeName, account_number: rec.AccountNumber) -> rec.NewPayee:
        """Add a payee; for the rest of the day one payment to a new payee is 500 dollars at most.

        Args:
            name: Who is to be paid.
            account_number: Where the money goes, eight digits.
        """
        rules.check_new_payee(account_number, self._own(self.accounts), self._own(self.payees))
        payee = self.payees.insert(
            rec.Payee(
                id=self.new_id("PAY"), holder_id=self.holder_id, name=name, account_number=account_number,
                added_on=self.now.date(),
            )
        )  # fmt: skip
        return rec.NewPayee(payee_id=payee.id, name=name, most_today=min(rules.NEW_PAYEE_LIMIT, self._left_today()))

    @tool(
        writes=True,
        ask=(
            "send {amount} to {payee_id} from {account_id}[ by {speed} transfer][ with the reference '{reference}']",
            "pay {payee_id} {amount} from {account_id}[ by {speed} payment][, reference '{reference}']",
            "transfer {amount} from {account_id} to {payee_id}[ by {speed} payment][ and write '{reference}' on it]",
            "make a payment of {amount} to {payee_id} from {account_id}[ by {speed} transfer][, saying '{reference}']",
        ),
        reply=("I sent {amount} to {payee_name}; the fee is {fee} and it arrives on {arrives_on}.",),
        where=relations.SENDING,
    )
    def send_payment(
        self, account_id: rec.AccountId, payee_id: rec.PayeeId, amount: rec.ToPay, speed: rec.Speed = "standard",
        reference: rec.Reference | None = None,
    ) -> rec.Receipt:  # fmt: skip
        """Pay a payee from a checking account now.

        Args:
            account_id: Checking account to pay from.
            payee_id: Who is paid.
            amount: How much.
            speed: Standard is free and arrives on the next working day; instant arrives today for 1.50 dollars.
            reference: What the payee reads on the statement.
        """
        account, payee = self._paying(account_id), self._mine(self.payees, payee_id)
        amount, today = cents(amount), self.now.date()
        rules.check_payment(payee, amount, self._left_today(), today)
        fee, arrives_on = rules.sent(speed, today)
        rules.check_covered(account, cents(amount + fee))
        booked = self._book(account, "out", amount, payee.name, "transfer", "payment", fee, reference)
        return rules.receipt(booked, arrives_on, self._left_today())

    @tool(
        writes=True,
        ask=(
            "move {amount} from {from_account_id} to {to_account_id}",
            "put {amount} from {from_account_id} into {to_account_id}",
            "shift {amount} out of {from_account_id} over to {to_account_id}",
            "transfer {amount} from {from_account_id} to {to_account_id}",
        ),
        reply=("Done. There is {from_balance} left on the one account, and {to_balance} on the other.",),
        where=relations.MOVING,
    )
    def move_money(
        self, from_account_id: rec.AccountId, to_account_id: rec.AccountId, amount: rec.ToMove
    ) -> rec.OwnTransfer:
        """Move money between two of the signed-in person's own accounts, at once and free of charge.

        Args:
            from_account_id: Account the money comes from.
            to_account_id: Account it goes to.
            amount: How much.
        """
        rules.check_two(from_account_id, to_account_id)
        source, target, amount = self._open(from_account_id), self._open(to_account_id), cents(amount)
        rules.check_withdrawals(source, self.transactions.values(), self.now.date())
        rules.check_covered(source, amount)
        self._book(source, "out", amount, target.nickname, "transfer", "own_transfer")
        self._book(target, "in", amount, source.nickname, "transfer", "own_transfer")
        return rec.OwnTransfer(
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
        where=relations.SCHEDULING,
    )
    def schedule_payment(
        self, account_id: rec.AccountId, payee_id: rec.PayeeId, amount: rec.ToPay, starts_on: dt.date,
        every: rec.Every = "once",
    ) -> rec.ScheduledPayment:  # fmt: skip
        """Set up a payment to a payee for a later day, once or again and again.

        Args:
            account_id: Checking account to pay from.
            payee_id: Who is paid.
            amount: How much each time.
            starts_on: Day of the first payment, from tomorrow until a year from now.
            every: How often it is paid.
        """
        account, payee = self._paying(account_id), self._mine(self.payees, payee_id)
        rules.check_schedule(amount, starts_on, self._me().daily_limit, self.now.date())
        return self.scheduled.insert(rules.scheduled(self.new_id("SCH"), account, payee, amount, starts_on, every))

    @tool(
        ask=(
            "list my[ {status}] scheduled payments[ from {account_id}]",
            "show me which[ {status}] payments I have scheduled[ from {account_id}]",
            "look up my[ {status}] scheduled payments[ out of {account_id}]",
            "tell me what[ {status}] scheduled payments there are[ on {account_id}]",
        ),
        noun="[{status} ]scheduled payment[ from {account_id}]",
        reply=("I see these scheduled payments: {scheduled}.", "There are no such scheduled payments."),
        where=relations.ACCOUNT,
    )
    def list_scheduled_payments(
        self, account_id: rec.AccountId | None = None, status: rec.PaymentStatus = "active", page: PageNumber = 1
    ) -> rec.ScheduledPage:
        """List the signed-in person's scheduled payments, the next one first.

        Args:
            account_id: Only those from this account.
            status: Only those that stand like this.
            page: Page of the results, five scheduled payments each.
        """
        found = [payment for payment in self._on(self.scheduled, account_id) if payment.status == status]
        found.sort(key=lambda payment: (payment.next_on, payment.id))
        return rec.ScheduledPage.of(found, page)

    @tool(
        writes=True,
        ask=(
            "cancel {scheduled_id}",
            "stop {scheduled_id} from going out",
            "call off {scheduled_id}",
            "make sure {scheduled_id} does not go out",
        ),
        reply=("The payment of {amount} to {payee_name} is cancelled.",),
        where=relations.CANCELLING,
    )
    def cancel_scheduled_payment(self, scheduled_id: rec.ScheduledId) -> rec.ScheduledPayment:
        """Cancel a scheduled payment, on the day before it is due at the latest.

        Args:
            scheduled_id: Scheduled payment to cancel.
        """
        return self.scheduled.replace(rules.cancelled(self._mine(self.scheduled, scheduled_id), self.now.date()))

    @tool(
        writes=True,
        ask=(
            "freeze {card_id}",
            "block {card_id} for now",
            "put a hold on {card_id}",
            "lock {card_id} until I say otherwise",
        ),
        reply=("The card ending in {last_four} is frozen.",),
        where=relations.FREEZING,
    )
    def freeze_card(self, card_id: rec.CardId) -> rec.BankCard:
        """Freeze a card: nothing can be paid with it until it is unfrozen.

        Args:
            card_id: Card to freeze.
        """
        return self.cards.replace(rules.frozen(self._mine(self.cards, card_id)))

    @tool(
        writes=True,
        ask=(
            "unfreeze {card_id}[ with a daily limit of {daily_limit}]",
            "unlock {card_id}[ and set its daily limit to {daily_limit}]",
            "make {card_id} work again[, but with a limit of {daily_limit} a day]",
            "lift the freeze on {card_id}[ and allow {daily_limit} a day]",
        ),
        reply=("The card ending in {last_four} works again, up to {daily_limit} a day.",),
        where=relations.UNFREEZING,
    )
    def unfreeze_card(self, card_id: rec.CardId, daily_limit: rec.CardLimit | None = None) -> rec.BankCard:
        """Let a frozen card work again, if wanted with another daily limit.

        Args:
            card_id: Card to unfreeze.
            daily_limit: Most that can be spent with it in a day, 50 to 2000 dollars; as before if not given.
        """
        return self.cards.replace(rules.unfrozen(self._mine(self.cards, card_id), daily_limit))

    @tool(
        writes=True,
        ask=(
            "order a replacement for {card_id}",
            "get me a new card in place of {card_id}",
            "replace {card_id} with a new one",
            "have {card_id} replaced",
        ),
        reply=("A new {kind} card ending in {last_four} is on its way, and the old one no longer works.",),
        where=relations.REPLACING,
    )
    def replace_card(self, card_id: rec.CardId, security_word: rec.SecurityWord) -> rec.BankCard:
        """Replace a card by a new one with the same account and limit; the old one stops working at once.

        Args:
            card_id: Card to replace.
            security_word: The word that the account holder has agreed on with the bank; ask them for it.
        """
        card = self._mine(self.cards, card_id)
        rules.check_word(self._me(), security_word)
        fresh = rules.replacement(self.new_id("CARD"), card, self.accounts.require(card.account_id))
        self.cards.replace(card.evolve(status="replaced"))
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
        where=relations.SAVING,
    )
    def set_savings_goal(self, account_id: rec.AccountId, target: rec.Target, reached_by: dt.date) -> rec.SavingsPlan:
        """Set the amount that a savings account shall reach, and learn what to put aside every month.

        Args:
            account_id: Savings account.
            target: Amount to reach.
            reached_by: Date by which it shall be reached, next month at the earliest.
        """
        account = self._open(account_id)
        plan = rules.savings_plan(account, target, reached_by, self.now.date())
        self.accounts.replace(account.evolve(goal=plan.target, goal_on=reached_by))
        return plan

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
        where=relations.LIMIT,
    )
    def confirm_limit(self, daily_limit: rec.NewLimit) -> rec.ConfirmedLimit:
        """Confirm in the banking app that the daily limit for payments shall be another one.

        Args:
            daily_limit: New limit, 100 to 5000 dollars.
        """
        me, limit = self._me(), cents(daily_limit)
        rules.check_another_limit(me, limit)
        self.holders.replace(me.evolve(confirmed_limit=limit))
        return rec.ConfirmedLimit(confirmed_limit=limit)

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
        where=relations.LIMIT,
        first="confirm_limit",
    )
    def set_daily_limit(self, daily_limit: rec.NewLimit) -> rec.DailyLimit:
        """Set the most that may be paid to payees in a day, once the account holder has confirmed it in the app.

        Args:
            daily_limit: New limit, 100 to 5000 dollars.
        """
        me, limit = self._me(), cents(daily_limit)
        rules.check_confirmed(me, daily_limit)
        self.holders.replace(me.evolve(daily_limit=limit, confirmed_limit=None))
        paying = tuple(account for account in self._own(self.accounts) if rules.can_pay(account))
        return rec.DailyLimit(daily_limit=limit, left_today=self._left_today(), accounts=paying)

    def _paying(self, account_id: str) -> rec.BankAccount:
        return rules.paying(self._mine(self.accounts, account_id))

    @classmethod
    def scenario(cls, world: World, size: int) -> Self:
        """The user's six accounts in every condition with what belongs to them, and other people's accounts."""
        return cls.model_validate(bank(world, size))
