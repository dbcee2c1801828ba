"""A lender's servicing desk: the loans of one borrower, from their schedules to the day on which they are paid off.

A schedule is never kept but follows from the terms. What borrowers ask for is a request; cancelling it undoes it.
"""

import datetime as dt
from typing import Literal, Self, TypeVar

from envfactory.catalogue.finance import _loan_records as rec
from envfactory.catalogue.finance import _loan_relations as relations
from envfactory.catalogue.finance import _loan_rules as rules
from envfactory.catalogue.finance._loan_scenario import servicing_desk
from envfactory.catalogue.finance._loan_schedule import restated
from envfactory.environment import Environment, PageNumber, Record, Table, World, cents, owned, tool

R = TypeVar("R", bound=Record)


class LoanServicing(Environment):
    """Look after a borrower's loans: schedules, extra payments, due dates, payment holidays, late fees and payoffs."""

    domain = "finance"
    policy = """Money is collected from verified accounts only. An extra payment of 50 dollars or more covers what is
    overdue first; what remains shortens the term or lowers the instalment, a year up to 10 percent of what was lent on
    home loans, 25 on car loans and 50 on personal ones. It can be cancelled on the day it was made, the newest first,
    unless it covered what was overdue. The due date moves once in 12 months, to a day from 1 to 28, at least 5 days
    before the next instalment, which is never due sooner; that can be cancelled the same day. A payment holiday begins
    10 to 180 days ahead, once a year; its interest is added to what is left. One instalment is granted at once except
    on home loans, more is answered in 5 workdays. Late loans get no holiday and no other due date. A late fee is waived
    if the instalment was due on a weekend, else once in 12 months for a loan. A payoff quote holds up to 30 days, until
    what is owed changes or another is asked for; leaving a home loan early costs 1 percent. A payoff is final: never
    make one without knowing loan and account."""
    sources = (
        "LoanPro API, Loan Payments, Payoff, Due Date Changes, Charges, Autopays and Loan Modifications",
        "Mambu API v2, Loan Accounts, Repayment Schedule and Preview, Payment Holidays, Early Repayments",
        "Canopy Servicing API, Loans, Line Items, Amortisation, Autopay and Statements",
    )

    borrower_id: rec.BorrowerId
    """Borrower whose session this is."""
    borrowers: Table[rec.Borrower]
    loans: Table[rec.Loan]
    requests: Table[rec.LoanRequest]
    fees: Table[rec.LateFee]
    accounts: Table[rec.RepaymentAccount]
    documents: Table[rec.LoanDocument]

    @tool(
        ask=(
            "list my[ {status}][ {kind}] loans[, by {sort}]",
            "show me what I still owe on my[ {status}][ {kind}] loans[, sorted by {sort}]",
            "give me an overview of my[ {kind}] loans[ that are {status}][, by {sort}]",
            "see which[ {status}][ {kind}] loans I am paying back[, ordered by {sort}]",
        ),
        noun="[{status} ][{kind} ]loan of mine",
        reply=("Your loans: {loans}.", "You have no such loan."),
    )
    def list_loans(
        self, kind: rec.LoanKind | None = None, status: rec.LoanStatus | None = None,
        sort: Literal["next_due_date", "rate", "what_is_left"] = "next_due_date", page: PageNumber = 1,
    ) -> rec.LoanPage:  # fmt: skip
        """List the signed-in borrower's loans with what is left, instalments, rates and due dates.

        Args:
            kind: Only home loans (mortgages), car loans or personal loans.
            status: Only loans that are active, late, or paid off.
            sort: Order: next due date first, highest rate first, or most left first.
            page: Page of the results, five loans each.
        """
        found = self._own(self.loans, kind=kind, status=status)
        return rec.LoanPage.of(sorted(found, key=rules.LOAN_ORDER[sort]), page)

    @tool(
        ask=(
            "show me how {loan_id} stands",
            "look up {loan_id}",
            "tell me what is left on {loan_id} and what is asked for on it",
            "check when the next instalment of {loan_id} is due and how much it is",
        ),
        reply=(
            "{loan.principal_left} is left; {loan.autopay_bank} pays {due_amount} on {due_on}.",
            "{loan.principal_left} is left ({loan.status}); {due_amount} is due on {due_on}.",
            "The {loan.kind} loan for {loan.purpose} is {loan.status}.",
        ),
        where=relations.LOAN,
    )
    def get_loan(self, loan_id: rec.LoanId) -> rec.LoanStanding:
        """Get one of the signed-in borrower's loans: what is left, overdue and charged, autopay, open requests.

        Args:
            loan_id: Loan to look at.
        """
        loan, requests = self._loan(loan_id), self._own(self.requests, loan_id=loan_id)
        return rules.standing(loan, self._charged(loan), requests, self.now.date())

    @tool(
        ask=(
            "show me the schedule of {loan_id}[ with {extra} paid extra to {effect}]",
            "list the instalments of {loan_id} with their interest[, as if I paid {extra} extra to {effect}]",
            "work out how {loan_id} is paid back[ if {extra} goes on top to {effect}]",
            "lay out the payment plan of {loan_id}[ after {extra} extra to {effect}]",
        ),
        noun="instalment of {loan_id}[ with {extra} paid extra to {effect}]",
        reply=(
            "{instalment} is due a month until {ends_on}, with {total_interest} of interest to come: {instalments}.",
            "There is nothing more on that page; the last instalment is due on {ends_on}.",
        ),
        where=relations.SCHEDULE,
    )
    def get_schedule(
        self, loan_id: rec.LoanId, extra: rec.Extra | None = None, effect: rec.Effect | None = None,
        page: PageNumber = 1,
    ) -> rec.SchedulePage:  # fmt: skip
        """Get the instalments to come of a loan, as they are or as they would be after an extra payment; none is made.

        Args:
            loan_id: Loan to look at, not paid off.
            extra: Extra payment to reckon with, in US dollars.
            effect: What it would do: shorten the term, or lower the instalment; with `extra` only.
            page: Page of the results, six instalments each.
        """
        return rules.planned(self._loan(loan_id), self._own(self.requests), extra, effect, page)

    @tool(
        writes=True,
        ask=(
            "pay {amount} extra on {loan_id} from {account_id} to {effect}",
            "put {amount} towards {loan_id} from {account_id} to {effect}",
            "make an extra payment of {amount} on {loan_id} from {account_id} to {effect}",
            "pay {loan_id} down by {amount} from {account_id} to {effect}",
        ),
        reply=("{principal_left} is left; {instalment} is due on {next_due} and monthly until {ends_on}.",),
        where=relations.PAYING,
    )
    def make_extra_payment(
        self, loan_id: rec.LoanId, account_id: rec.AccountId, amount: rec.Extra, effect: rec.Effect
    ) -> rec.Receipt:
        """Pay on a loan beyond its instalments; what is overdue is covered first, the rest comes off what is left.

        Args:
            loan_id: Loan to pay on.
            account_id: Verified account to collect from.
            amount: How much, in US dollars: 50 or more, or what is overdue or more.
            effect: What it does: shorten the term, or lower the instalment.
        """
        loan, account = self._loan(loan_id), self._account(account_id)
        paid = rules.with_extra(loan, cents(amount), effect)
        made = rules.extra_request(self.new_id("RQ"), loan, account, cents(amount), effect, self.now.date())
        return self._settle(paid, self.requests.insert(made))

    @tool(
        writes=True,
        ask=(
            "move the due date of {loan_id} to day {due_day} of the month",
            "have the instalments of {loan_id} fall due on day {due_day} of each month",
            "change the due day of {loan_id} to {due_day}",
            "switch {loan_id} to day {due_day} of the month for its instalments",
        ),
        reply=("The next {instalment} is due on {next_due}; you can take that back until {cancel_until}.",),
        where=relations.MOVING,
    )
    def move_due_date(self, loan_id: rec.LoanId, due_day: rec.DueDay) -> rec.Receipt:
        """Move the day of the month on which a loan's instalments are due; days added to a period bear interest.

        Args:
            loan_id: Loan that is neither late nor paid off.
            due_day: Day of the month, from 1 to 28.
        """
        changed, made = rules.moved(self.new_id("RQ"), self._loan(loan_id), due_day, self.now.date())
        return self._settle(changed, self.requests.insert(made))

    @tool(
        writes=True,
        ask=(
            "ask for a payment holiday of {months} on {loan_id} from {starts_on} on",
            "pause {loan_id} for {months} from {starts_on} on",
            "request a break of {months} from paying {loan_id}, beginning {starts_on}",
            "skip {months} of {loan_id} from {starts_on} on",
        ),
        reply=(
            "The payment holiday is asked for and will be answered by {answer_by}.",
            "The payment holiday is granted; the next instalment is due on {next_due} and the last on {ends_on}.",
        ),
        where=relations.RESTING,
    )
    def request_holiday(self, loan_id: rec.LoanId, starts_on: dt.date, months: rec.HolidayMonths) -> rec.Receipt:
        """Ask for a payment holiday: instalments are skipped, and their interest is added to what is left.

        Args:
            loan_id: Loan that is neither late nor paid off.
            starts_on: Day from which instalments are skipped, 10 to 180 days from today.
            months: How many instalments are skipped, 1 to 3.
        """
        loan, today = self._loan(loan_id), self.now.date()
        rules.check_holiday(loan, starts_on, months, self._own(self.requests), today)
        made = rules.holiday(self.new_id("RQ"), loan, starts_on, months, today)
        return self._settle(loan, self.requests.insert(made))

    @tool(
        writes=True,
        ask=(
            "set up autopay for {loan_id} from {account_id}",
            "have {loan_id} collected from {account_id} every month",
            "let the instalments of {loan_id} be debited from {account_id}",
            "put {loan_id} on autopay with {account_id}",
        ),
        reply=("From {next_due} on the {instalment} for {purpose} is collected from there.",),
        where=relations.COLLECTING,
    )
    def set_up_autopay(self, loan_id: rec.LoanId, account_id: rec.AccountId) -> rec.Receipt:
        """Have a loan's instalments collected from an account; a mandate that it has already is replaced.

        Args:
            loan_id: Loan that is not paid off.
            account_id: Verified account to collect from, another one than now.
        """
        loan, account = self._loan(loan_id), self._account(account_id)
        rules.check_mandate(loan, account)
        self._replace_open(loan, "autopay")
        changed, made = rules.with_autopay(self.new_id("RQ"), loan, account, self.now.date())
        return self._settle(changed, self.requests.insert(made))

    @tool(
        writes=True,
        ask=(
            "get me a payoff quote for {loan_id} that is good until {good_until}",
            "quote me what it takes to pay off {loan_id} by {good_until}",
            "request the payoff amount of {loan_id} as of {good_until}",
            "have a payoff statement made for {loan_id}, valid until {good_until}",
        ),
        reply=("Until {good_until} {amount} pays it off, {fees} of it late fees and {early_fee} for leaving early.",),
        where=relations.QUOTING,
    )
    def quote_payoff(self, loan_id: rec.LoanId, good_until: dt.date) -> rec.PayoffQuote:
        """Get a binding quote of what pays a loan off; it replaces an earlier one and ends when what is owed changes.

        Args:
            loan_id: Loan that is not paid off.
            good_until: Last day on which it can be paid, today or up to 30 days ahead; interest is counted up to it.
        """
        loan, today = self._loan(loan_id), self.now.date()
        rules.check_quote_day(loan, good_until, today)
        self._replace_open(loan, "payoff_quote")
        quote = rules.quote(self.new_id("RQ"), loan, self._charged(loan), good_until)
        self.requests.insert(rules.quote_request(quote, loan, today))
        return quote

    @tool(
        writes=True,
        ask=(
            "pay {quote_id} in full from {account_id}",
            "pay off the loan as in {quote_id}, with the money from {account_id}",
            "use {account_id} to settle the amount in {quote_id}",
            "make the payoff in {quote_id} from {account_id}",
        ),
        reply=("The loan for {purpose} is paid off: {paid} was collected from your {bank} account.",),
        where=relations.LEAVING,
    )
    def pay_off_loan(self, quote_id: rec.RequestId, account_id: rec.AccountId) -> rec.Payoff:
        """Pay a loan off by a payoff quote in effect, which is final; a letter says so, and late fees are settled.

        Args:
            quote_id: Payoff quote, until its last day.
            account_id: Verified account to collect from.
        """
        request, account = self._request(quote_id), self._account(account_id)
        today, loan = self.now.date(), self._loan(request.loan_id)
        paid = rules.check_quote(request, today)
        for each in self._own(self.requests, loan_id=loan.id):
            self.requests.replace(rules.closed(each))
        for fee in self._own(self.fees, loan_id=loan.id, status="charged"):
            self.fees.replace(fee.evolve(status="collected", waivable=False))
        self.loans.replace(rules.paid_off(loan))
        letter = self.documents.insert(rules.payoff_letter(self.new_id("DC"), loan, paid, today))
        return rec.Payoff(loan_id=loan.id, purpose=loan.purpose, paid=paid, bank=account.bank, document_id=letter.id)

    @tool(
        ask=(
            "list what I have asked for on my loans[, {kind} only][ with the status {status}][, just {loan_id}]",
            "show me my[ {kind}] requests to the lender[ that are {status}][ on {loan_id}]",
            "go through what I requested on my loans[, {kind} only][, {status} ones][, just for {loan_id}]",
            "check where my loan requests stand[, just {kind}][ and only {status}][, those on {loan_id}]",
        ),
        noun="[{kind} ]request of mine[ on {loan_id}][ that is {status}]",
        reply=("Your requests: {requests}.", "There is no such request."),
        where=relations.LOAN,
    )
    def list_requests(
        self, loan_id: rec.LoanId | None = None, kind: rec.RequestKind | None = None,
        status: rec.RequestStatus | None = None, page: PageNumber = 1,
    ) -> rec.RequestPage:  # fmt: skip
        """List extra payments, moved due dates, payment holidays, autopay mandates and payoff quotes, newest first.

        Args:
            loan_id: Only requests on this loan.
            kind: Only requests of this kind.
            status: Only requests that stand like this.
            page: Page of the results, five requests each.
        """
        rows = [rules.as_of(r, self.now.date()) for r in self._own(self.requests, loan_id=loan_id, kind=kind)]
        found = rules.picked(rows, status=status)
        found.sort(key=rules.by_age, reverse=True)
        return rec.RequestPage.of(found, page)

    @tool(
        writes=True,
        ask=("cancel {request_id}", "call off {request_id}", "take back {request_id}", "undo {request_id}"),
        reply=("The {kind} for {purpose} is cancelled; {instalment} is due monthly, and {principal_left} is left.",),
        where=relations.CANCELLING,
    )
    def cancel_request(self, request_id: rec.RequestId) -> rec.Receipt:
        """Cancel what was asked for on a loan: a payment or a move is undone; a holiday, autopay or a quote ends.

        Args:
            request_id: Extra payment or moved due date of today, payment holiday that has not begun, autopay, or quote.
        """
        request = self._request(request_id)
        rules.check_cancel(request, self._own(self.requests), self.now.date())
        cancelled = self.requests.replace(request.evolve(status="cancelled"))
        return self._settle(rules.without(self._loan(request.loan_id), request), cancelled)

    @tool(
        ask=(
            "list the late fees[ on {loan_id}][ that are {status}]",
            "show me which[ {status}] late fees I have[ on {loan_id}]",
            "see what[ {status}] late fees there are[ on {loan_id}]",
            "check my loans for[ {status}] late fees[, just {loan_id}]",
        ),
        noun="[{status} ]late fee[ on {loan_id}]",
        reply=("{charged} is still to be collected; the late fees: {fees}.", "There is no such late fee."),
        where=relations.LOAN,
    )
    def list_fees(
        self, loan_id: rec.LoanId | None = None, status: rec.FeeStatus | None = None, page: PageNumber = 1
    ) -> rec.FeePage:
        """List late fees on the signed-in borrower's loans and whether they can be waived, the latest first.

        Args:
            loan_id: Only fees on this loan.
            status: Only fees that are charged and not collected yet, collected, or waived.
            page: Page of the results, five fees each.
        """
        own, found = self._own(self.fees), self._own(self.fees, loan_id=loan_id, status=status)
        found.sort(key=lambda fee: (-fee.charged_on.toordinal(), fee.id))
        charged = cents(sum(fee.amount for fee in found if fee.status == "charged"))
        return rec.FeePage.of([rules.assessed(f, own, self.now.date()) for f in found], page, charged=charged)

    @tool(
        writes=True,
        ask=("have {fee_id} waived", "apply to waive {fee_id}", "let me off {fee_id}", "request a waiver of {fee_id}"),
        reply=("The late fee of {amount} for {purpose} is waived.",),
        where=relations.WAIVING,
    )
    def waive_late_fee(self, fee_id: rec.FeeId) -> rec.LateFee:
        """Have a charged late fee waived: if its instalment was due on a weekend, else once in 12 months for a loan.

        Args:
            fee_id: Late fee that is not collected yet.
        """
        fee, today = owned(self.fees.require(fee_id), "borrower_id", self.borrower_id), self.now.date()
        why = rules.waiver(fee, self._own(self.fees), today)
        waived = self.fees.replace(fee.evolve(status="waived", waived_as=why, waived_on=today, waivable=False))
        for other in self._own(self.fees, loan_id=fee.loan_id, status="charged"):
            self.fees.replace(rules.assessed(other, self._own(self.fees), today))
        self._replace_open(self._loan(fee.loan_id), "payoff_quote")
        return waived

    @tool(
        ask=(
            "list the accounts that my loans can be paid from[, only {status} ones]",
            "show me my[ {status}] accounts for loan payments",
            "see which[ {status}] bank accounts the lender has for me",
            "look up my[ {status}] repayment accounts",
        ),
        noun="[{status} ]repayment account of mine",
        reply=("Your accounts: {accounts}.", "You have no such account."),
    )
    def list_repayment_accounts(self, status: rec.AccountStatus | None = None) -> rec.AccountList:
        """List the accounts that the lender has on file for the signed-in borrower.

        Args:
            status: Only accounts that are verified, and can be collected from, unverified or closed.
        """
        found = self._own(self.accounts, status=status)
        return rec.AccountList(accounts=tuple(sorted(found, key=lambda account: account.bank)))

    @tool(
        ask=(
            "find my loan documents[ of the type {kind}][ for {year}][, those of {loan_id}]",
            "look for loan documents[ of the kind {kind}][ from {year}][ for {loan_id}]",
            "pull up my loan papers[ for {loan_id}][, {kind} only][, from {year}]",
            "bring up what the lender sent me[, just the {kind}][, for {year}][, about {loan_id}]",
        ),
        noun="[{kind} ]loan document[ for {year}][ of {loan_id}]",
        reply=("I found {documents}.", "There is no such document."),
        where=relations.LOAN,
    )
    def find_documents(
        self, loan_id: rec.LoanId | None = None, kind: rec.DocumentKind | None = None, year: rec.Year | None = None,
        page: PageNumber = 1,
    ) -> rec.DocumentPage:  # fmt: skip
        """Find contracts, yearly statements, interest certificates and payoff letters, the latest first.

        Args:
            loan_id: Only documents of this loan.
            kind: Only documents of this kind.
            year: Only documents about this calendar year, in four digits.
            page: Page of the results, five documents each.
        """
        found = self._own(self.documents, loan_id=loan_id, kind=kind, year=year)
        found.sort(key=lambda paper: (-paper.issued_on.toordinal(), paper.id))
        return rec.DocumentPage.of(found, page)

    def _own(self, table: Table[R], **wanted: str | int | None) -> list[R]:
        if wanted.get("loan_id") is not None:
            self._loan(str(wanted["loan_id"]))
        return rules.picked(table.values(), borrower_id=self.borrower_id, **wanted)

    def _loan(self, loan_id: str) -> rec.Loan:
        return owned(self.loans.require(loan_id), "borrower_id", self.borrower_id)

    def _request(self, request_id: str) -> rec.LoanRequest:
        return owned(self.requests.require(request_id), "borrower_id", self.borrower_id)

    def _account(self, account_id: str) -> rec.RepaymentAccount:
        account = owned(self.accounts.require(account_id), "borrower_id", self.borrower_id)
        rules.check_account(account, self._own(self.accounts))
        return account

    def _charged(self, loan: rec.Loan) -> float:
        return cents(sum(f.amount for f in self._own(self.fees, loan_id=loan.id, status="charged")))

    def _replace_open(self, loan: rec.Loan, kind: rec.RequestKind) -> None:
        for request in self._own(self.requests, loan_id=loan.id, kind=kind, status="in_effect"):
            self.requests.replace(request.evolve(status="replaced"))

    def _settle(self, loan: rec.Loan, request: rec.LoanRequest) -> rec.Receipt:
        """Keep what a request made of its loan; a payoff quote for a loan that changed in what is owed ends."""
        before = self.loans.require(loan.id)
        loan = self.loans.replace(restated(loan, self._own(self.requests)))
        if (loan.principal_left, loan.overdue) != (before.principal_left, before.overdue):
            self._replace_open(loan, "payoff_quote")
        return rules.receipt(loan, request, self._own(self.requests))

    @classmethod
    def scenario(cls, world: World, size: int) -> Self:
        """Loans of every kind and status, and requests on the user's in every state."""
        return cls.model_validate(servicing_desk(world, size))
