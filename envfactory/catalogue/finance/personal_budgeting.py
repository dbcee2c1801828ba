"""A household's envelope budget: money set aside by purpose, purchases put into envelopes, months that are closed.

All money is in one envelope; income goes into the unassigned one. What an envelope's scheduled payments take next
cannot be moved out of it. Spending may overspend an envelope, which is then covered from another one.
"""

import datetime as dt
from typing import Literal, Self

from envfactory.catalogue.finance import _budget_records as rec
from envfactory.catalogue.finance import _budget_relations as relations
from envfactory.catalogue.finance import _budget_rules as rules
from envfactory.catalogue.finance._budget_scenario import household_budget
from envfactory.environment import Environment, PageNumber, Table, World, cents, owned, tool


class PersonalBudgeting(Environment):
    """Keep a household's budget: move money between envelopes, categorise what was spent, reconcile, close months."""

    domain = "finance"
    policy = """Income goes into the unassigned envelope and is moved from there. Only what an envelope has to spare
    can be moved out of it: what is in it less what its scheduled payments take next. An overspent envelope is covered
    from one other that can spare all that it lacks. A transaction is categorised whole or by amounts, which splits
    it; what is in an envelope has to be uncategorised before it goes into another one. Income is not categorised, and
    nothing is spent from the unassigned envelope. A target lies after today and within ten years. Reconciling makes
    an account agree with the bank by an adjustment, at most 100 dollars a month, ups less downs: what is missing
    becomes a transaction to categorise, what is too much becomes income. A month can be closed, in order, once it is
    over, all that was spent in it is in envelopes, and the accounts it was spent from were reconciled after its end.
    In a closed month nothing is categorised or uncategorised; only the latest closed month can be reopened. Never
    guess which envelope a transaction belongs in."""
    sources = (
        "YNAB API, Categories, Months, Transactions with subtransactions, Scheduled Transactions and Money Movements",
        "Lunch Money API, Budgets, Categories, Transactions, split and unsplit, Recurring Items",
        "Firefly III API, Budgets, Piggy Banks, Bills and Transactions with splits",
        "Actual Budget API, budget months, category amounts, carry-over and reconciled transactions",
    )

    household_id: rec.HouseholdId
    """Household whose session this is."""
    households: Table[rec.BudgetHousehold]
    envelopes: Table[rec.BudgetEnvelope]
    transactions: Table[rec.BudgetTransaction]
    moves: Table[rec.BudgetMove]
    accounts: Table[rec.BudgetAccount]
    payments: Table[rec.BudgetPayment]
    months: Table[rec.BudgetMonth]

    @tool(
        ask=(
            "list the[ {state}][ {group}] envelopes of our budget[, by {sort}]",
            "show me our[ {state}][ {group}] budget envelopes[, sorted by {sort}]",
            "see which[ {state}][ {group}] envelopes we have and what is in them[, by {sort}]",
            "go through our[ {group}] envelopes[ that are {state}][, ordered by {sort}]",
        ),
        noun="[{state} ][{group} ]envelope of mine",
        reply=("Your envelopes: {envelopes}.", "You have no such envelope."),
    )
    def list_envelopes(
        self,
        group: rec.Group | None = None,
        state: rec.State | None = None,
        sort: Literal["name", "balance"] = "name",
        page: PageNumber = 1,
    ) -> rec.EnvelopePage:
        """List the household's envelopes, with what is in them, what can be moved out, and their targets.

        Args:
            group: Only envelopes of this group: bills, everyday, savings or unassigned.
            state: Only envelopes like this: overspent, empty, reserved (nothing to spare) or free (some to spare).
            sort: Order: by name, or the emptiest first.
            page: Page of the results, five envelopes each.
        """
        found = [e for e in self._own(self.envelopes) if group in (None, e.group) and state in (None, e.state)]
        found.sort(key=lambda e: (e.available if sort == "balance" else 0, e.name, e.id))
        return rec.EnvelopePage.of(found, page)

    @tool(
        ask=(
            "show me what was spent from {envelope_id}[ in {month_id}] and what its target needs",
            "tell me how much went into and out of {envelope_id}[ in {month_id}]",
            "check how {envelope_id} is doing[ in {month_id}]",
            "work out what we have to put into {envelope_id} each month[, and what was spent in {month_id}]",
        ),
        reply=(
            "{name} in {month}: {spent} spent and {left} left; for {target} by {target_by} it needs {need} a month.",
            "{name} in {month}: {assigned} assigned, {left} left.",
        ),
        where=relations.LOOKING,
    )
    def check_envelope(self, envelope_id: rec.EnvelopeId, month_id: rec.MonthId | None = None) -> rec.EnvelopeMonth:
        """Check an envelope in a month: carried over, assigned, spent, left; and what its target needs every month.

        Args:
            envelope_id: Envelope to look at.
            month_id: Month to look at; the present one if not given.
        """
        envelope, today = self._envelope(envelope_id), self.now.date()
        month = self._month(month_id) if month_id is not None else rules.calendar_month(today)
        return rules.month_report(envelope, month, self._own(self.transactions), self._own(self.moves), today)

    @tool(
        writes=True,
        ask=(
            "move {amount} from {from_id} to {to_id}",
            "take {amount} out of {from_id} and put it into {to_id}",
            "shift {amount} out of {from_id} into {to_id}",
            "put {amount} into {to_id} from {from_id}",
        ),
        reply=("{amount} went from {source} to {to}.",),
        where=relations.MOVING,
    )
    def move_money(self, from_id: rec.EnvelopeId, to_id: rec.EnvelopeId, amount: rec.Amount) -> rec.BudgetMove:
        """Move money between two envelopes, the unassigned one included; moving it back undoes it.

        Args:
            from_id: Envelope that it is taken from, which has so much to spare.
            to_id: Envelope that it is put into.
            amount: How much, in US dollars, from 0.01 on.
        """
        source, to = self._envelope(from_id), self._envelope(to_id)
        return self._moved(rules.moved(self.new_id("MV"), source, to, cents(amount), self.now.date()))

    @tool(
        writes=True,
        ask=(
            "cover what is overspent in {envelope_id} from {from_id}",
            "make up for the overspending of {envelope_id} with money from {from_id}",
            "bring {envelope_id} back to zero with money from {from_id}",
            "balance the overspent amount of {envelope_id} out of {from_id}",
        ),
        reply=("{amount} from {source} covered what was overspent on {to}.",),
        where=relations.COVERING,
    )
    def cover_overspending(self, envelope_id: rec.EnvelopeId, from_id: rec.EnvelopeId) -> rec.BudgetMove:
        """Bring an overspent envelope to zero with money from one other, which has to have all of that to spare.

        Args:
            envelope_id: Envelope with less than nothing in it.
            from_id: Envelope that pays for it.
        """
        envelope, source = self._envelope(envelope_id), self._envelope(from_id)
        lacking, today = rules.shortage(envelope), self.now.date()
        return self._moved(rules.moved(self.new_id("MV"), source, envelope, lacking, today, covering=True))

    @tool(
        ask=(
            "list the money that was moved between our envelopes[ since {since}][, only for {envelope_id}]",
            "show me what we moved[ into or out of {envelope_id}][ since {since}]",
            "look up the moves between envelopes[ from {since} on][ that concern {envelope_id}]",
            "see how money was moved around in our budget[ from {since} on][ for {envelope_id}]",
        ),
        noun="move of mine between envelopes[ since {since}][ for {envelope_id}]",
        reply=("This was moved: {moves}.", "Nothing was moved."),
        where=relations.LISTING,
    )
    def list_moves(
        self, envelope_id: rec.EnvelopeId | None = None, since: dt.date | None = None, page: PageNumber = 1
    ) -> rec.MovePage:
        """List what was moved between the household's envelopes, the latest on top.

        Args:
            envelope_id: Only moves into or out of this envelope.
            since: Only moves on this day or later.
            page: Page of the results, five moves each.
        """
        own = [move for move in self._own(self.moves) if since is None or move.day >= since]
        if envelope_id is not None:
            self._envelope(envelope_id)
            own = [move for move in own if envelope_id in (move.from_id, move.to_id)]
        own.sort(key=lambda move: (-move.day.toordinal(), move.id))
        return rec.MovePage.of(own, page)

    @tool(
        ask=(
            "find our[ {filing}] transactions[ of {month_id}][, by {sort}]",
            "list what we spent and earned[ in {month_id}][, only {filing} transactions][, by {sort}]",
            "show me the[ {filing}] transactions[ in {month_id}][, ordered by {sort}]",
            "look through our[ {filing}] transactions[ from {month_id}][, sorted by {sort}]",
        ),
        noun="[{filing} ]transaction of mine[ in {month_id}]",
        reply=("I found {transactions}.", "There is no such transaction."),
        where=relations.FINDING,
    )
    def find_transactions(
        self,
        filing: rec.Filing | None = None,
        month_id: rec.MonthId | None = None,
        sort: Literal["day", "amount"] = "day",
        page: PageNumber = 1,
    ) -> rec.TransactionPage:
        """Find the household's transactions, with the envelopes that bear them.

        Args:
            filing: Only transactions like this: uncategorised, partly_categorised, categorised, split or income.
            month_id: Only transactions of this month.
            sort: Order: latest first, or highest amount first.
            page: Page of the results, five transactions each.
        """
        found = self._own(self.transactions)
        if month_id is not None:
            found = rules.in_month(self._month(month_id), found)
        found = [t for t in found if filing in (None, t.filing)]
        found.sort(key=lambda t: (-t.amount if sort == "amount" else -t.day.toordinal(), t.id))
        return rec.TransactionPage.of(found, page)

    @tool(
        writes=True,
        ask=(
            "categorise[ {amount} of] {transaction_id} as spent from {envelope_id}",
            "file[ {amount} of] {transaction_id} under {envelope_id}",
            "charge[ {amount} of] {transaction_id} to {envelope_id}",
            "book[ {amount} of] {transaction_id} to {envelope_id}",
        ),
        reply=("It is {filing} now, with {left} of its {amount} still in no envelope.",),
        where=relations.FILING,
    )
    def categorise_transaction(
        self, transaction_id: rec.TransactionId, envelope_id: rec.EnvelopeId, amount: rec.Amount | None = None
    ) -> rec.BudgetTransaction:
        """Let an envelope bear a transaction, or an amount of it, which splits it; the envelope may be overspent so.

        Args:
            transaction_id: Transaction that is not wholly in envelopes, of a month that is not closed.
            envelope_id: Envelope for bills, everyday or savings.
            amount: How much of it, in US dollars; all that is in no envelope yet if not given.
        """
        row, envelope = self._transaction(transaction_id), self._envelope(envelope_id)
        filed = rules.filed(row, envelope, row.left if amount is None else cents(amount))
        self._put(envelope, filed.left - row.left)
        return self.transactions.replace(filed)

    @tool(
        writes=True,
        ask=(
            "uncategorise {transaction_id}[, only the part in {envelope_id}]",
            "take {transaction_id} out of its envelopes again[, but only out of {envelope_id}]",
            "undo the categorising of {transaction_id}[ for {envelope_id}]",
            "pull {transaction_id} out of its envelopes[, just the part in {envelope_id}]",
        ),
        reply=("It is {filing} now, and {left} of its {amount} is in no envelope.",),
        where=relations.UNFILING,
    )
    def uncategorise_transaction(
        self, transaction_id: rec.TransactionId, envelope_id: rec.EnvelopeId | None = None
    ) -> rec.BudgetTransaction:
        """Take a transaction out of its envelopes, or out of one, which get the money back.

        Args:
            transaction_id: Transaction that is in some envelope, of a month that is not closed.
            envelope_id: Only the part in this envelope; all parts if not given.
        """
        row = self._transaction(transaction_id)
        if envelope_id is not None:
            self._envelope(envelope_id)
        row, taken = rules.unfiled(row, envelope_id)
        for part in taken:
            self._put(self.envelopes.require(part.envelope_id), part.amount)
        return self.transactions.replace(row)

    @tool(
        writes=True,
        ask=(
            "set the target of {envelope_id}[ to {amount}][ with {by} as its date]",
            "change the target of {envelope_id}[ to {amount}][, to be reached on {by}]",
            "update the target of {envelope_id}[ to {amount}][, due on {by}]",
            "adjust the target of {envelope_id}[ to {amount}][, with {by} as the day to reach it]",
        ),
        reply=("The target of {name} is {target} by {target_by}.",),
        where=relations.AIMING,
    )
    def set_target(
        self, envelope_id: rec.EnvelopeId, amount: rec.Amount | None = None, by: dt.date | None = None
    ) -> rec.BudgetEnvelope:
        """Change what should be in an envelope, the day by which, or both; setting the former ones undoes it.

        Args:
            envelope_id: Envelope for bills, everyday or savings.
            amount: What should be in it, in US dollars; as before if not given.
            by: Day by which, after today and within ten years; as before if not given.
        """
        amount = None if amount is None else cents(amount)
        return self.envelopes.replace(rules.aimed(self._envelope(envelope_id), amount, by, self.now.date()))

    @tool(
        ask=(
            "preview our bills[ from {envelope_id}][ until {until}]",
            "show me which bills are coming up[ by {until}][ from {envelope_id}]",
            "look up our recurring bills[ that come out of {envelope_id}][ up to {until}]",
            "see what will be paid[ from {envelope_id}][ by {until}]",
        ),
        noun="bill of ours[ from {envelope_id}][ until {until}]",
        reply=("These come to {sum}: {payments}.", "Nothing is scheduled."),
        where=relations.COMING,
    )
    def preview_bills(
        self, envelope_id: rec.EnvelopeId | None = None, until: dt.date | None = None, page: PageNumber = 1
    ) -> rec.PaymentPage:
        """Show which bills the household's envelopes will pay, by the day of the next one, and what they come to.

        Args:
            envelope_id: Only bills from this envelope.
            until: Only those whose next payment is on this day or before.
            page: Page of the results, five bills each.
        """
        if envelope_id is not None:
            self._envelope(envelope_id)
        found = [each for each in self._own(self.payments) if envelope_id in (None, each.envelope_id)]
        found = [each for each in found if until is None or each.next_on <= until]
        found.sort(key=lambda each: (each.next_on, each.id))
        return rec.PaymentPage.of(found, page, sum=cents(sum(each.amount for each in found)))

    @tool(
        ask=(
            "list our[ {kind}] accounts with what the bank says is on them",
            "show me the[ {kind}] accounts of our budget",
            "check what is on our[ {kind}] accounts and when they were reconciled",
            "see which[ {kind}] accounts our budget has",
        ),
        noun="[{kind} ]account of mine",
        reply=("Your accounts: {accounts}.", "You have no such account."),
    )
    def list_accounts(self, kind: rec.Kind | None = None) -> rec.AccountList:
        """List the household's accounts, by name: cleared and pending amounts, what the bank says, last reconciled.

        Args:
            kind: Only accounts of this kind: checking, savings or cash.
        """
        own = [account for account in self._own(self.accounts) if kind in (None, account.kind)]
        return rec.AccountList(accounts=tuple(sorted(own, key=lambda account: account.name)))

    @tool(
        writes=True,
        ask=(
            "reconcile {account_id} with a balance of {balance}",
            "reconcile {account_id} to the {balance} that the bank shows",
            "match {account_id} with the bank, which has {balance} on it",
            "square {account_id} with my statement, which says {balance}",
        ),
        reply=("The {name} account is reconciled, with {cleared} on it.",),
        where=relations.RECONCILING,
    )
    def reconcile_account(self, account_id: rec.AccountId, balance: rec.Statement) -> rec.BudgetAccount:
        """Make an account agree with the bank, today: what differs becomes an adjustment, cleared ones are reconciled.

        Args:
            account_id: Account to reconcile.
            balance: What is on it by the bank, in US dollars, pending ones not counted.
        """
        account, today = owned(self.accounts.require(account_id), "household_id", self.household_id), self.now.date()
        off = rules.adjustment(account, cents(balance), self._own(self.transactions), today)
        for row in self._own(self.transactions):
            if row.account_id == account.id and row.bank == "cleared":
                self.transactions.replace(row.evolve(bank="reconciled"))
        if off:
            self.transactions.insert(rules.adjusted(self.new_id("TX"), account, off, today))
        if off > 0:
            self._put(next(e for e in self._own(self.envelopes) if e.group == "unassigned"), off)
        return self.accounts.replace(account.evolve(cleared=cents(balance), reconciled_on=today))

    @tool(
        ask=(
            "list the[ {status}] months of our budget",
            "show me which months are[ {status}] in our budget",
            "look up our[ {status}] budget months",
            "check which[ {status}] months there are, with what came in and was spent",
        ),
        noun="[{status} ]month of mine",
        reply=("These are the months: {months}.", "There is no such month."),
    )
    def list_months(self, status: rec.Standing | None = None) -> rec.MonthList:
        """List the months of the household's budget, the latest on top; closed ones with income and spending.

        Args:
            status: Only open or only closed months.
        """
        found = [month for month in self._own(self.months) if status in (None, month.status)]
        return rec.MonthList(months=tuple(sorted(found, key=lambda month: month.starts, reverse=True)))

    @tool(
        writes=True,
        ask=(
            "close {month_id} in our budget",
            "close the books on {month_id}",
            "wrap up {month_id} in the budget",
            "lock {month_id} in the budget now that it is complete",
        ),
        reply=("{name} is closed: {income} came in and {spent} was spent.",),
        where=relations.CLOSING,
    )
    def close_month(self, month_id: rec.MonthId) -> rec.BudgetMonth:
        """Close a month that is over and complete, so that what was spent in it stays as it is.

        Args:
            month_id: Earliest open month.
        """
        month, own, today = self._month(month_id), self._own(self.transactions), self.now.date()
        rules.check_closable(month, self._own(self.months), own, self._own(self.accounts), today)
        return self.months.replace(rules.closed(month, own, today))

    @tool(
        writes=True,
        ask=(
            "reopen {month_id} in our budget",
            "open {month_id} again",
            "unlock {month_id} so that we can correct it",
            "make {month_id} open again in the budget",
        ),
        reply=("{name} is open again.",),
        where=relations.REOPENING,
    )
    def reopen_month(self, month_id: rec.MonthId) -> rec.BudgetMonth:
        """Open the latest closed month again, to correct what was spent in it.

        Args:
            month_id: Latest closed month.
        """
        return self.months.replace(rules.reopened(self._month(month_id), self._own(self.months)))

    def _own(self, table: Table[rec.Kept]) -> list[rec.Kept]:
        return [record for record in table.values() if record.household_id == self.household_id]

    def _envelope(self, envelope_id: str) -> rec.BudgetEnvelope:
        return owned(self.envelopes.require(envelope_id), "household_id", self.household_id)

    def _month(self, month_id: str) -> rec.BudgetMonth:
        return owned(self.months.require(month_id), "household_id", self.household_id)

    def _transaction(self, transaction_id: str) -> rec.BudgetTransaction:
        """A transaction of a month that is not closed."""
        row = owned(self.transactions.require(transaction_id), "household_id", self.household_id)
        rules.check_open(row, self._own(self.months))
        return row

    def _put(self, envelope: rec.BudgetEnvelope, amount: float) -> None:
        self.envelopes.replace(rules.holding(envelope, envelope.available + amount))

    def _moved(self, move: rec.BudgetMove) -> rec.BudgetMove:
        self._put(self.envelopes.require(move.from_id), -move.amount)
        self._put(self.envelopes.require(move.to_id), move.amount)
        return self.moves.insert(move)

    @classmethod
    def scenario(cls, world: World, size: int) -> Self:
        """Envelopes in every state, two months of transactions before today, and a month that can be closed."""
        return cls.model_validate(household_budget(world, size))
