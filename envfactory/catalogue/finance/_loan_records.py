"""Records and results of a lender's servicing desk: loans, what borrowers ask for, late fees, accounts, documents."""

import datetime as dt
from typing import Annotated, Literal

from pydantic import Field

from envfactory.environment import Money, Output, Page, Ranked, Record, Ref, Unit, Value

BorrowerId = Annotated[str, Ref("Borrower")]
LoanId = Annotated[str, Ref("Loan")]
RequestId = Annotated[str, Ref("LoanRequest")]
FeeId = Annotated[str, Ref("LateFee")]
AccountId = Annotated[str, Ref("RepaymentAccount")]
AmountDue = Annotated[Money, Value("amount_due", "Amount to be paid.")]
LoanKind = Annotated[Literal["home", "car", "personal"], Value("loan_kind", "Kind of loan; a home loan is a mortgage.")]
Purpose = Annotated[str, Value("loan_purpose", "What the loan was taken out for.")]
LoanStatus = Annotated[
    Literal["active", "late", "paid_off"],
    Value("loan_status", "How a loan stands; late means that an instalment is overdue."),
]
Effect = Annotated[
    Literal["shorten_the_term", "lower_the_instalment"],
    Value("payment_effect", "What an extra payment does: fewer instalments, or smaller ones."),
]
RequestKind = Annotated[
    Literal["extra_payment", "due_date_move", "payment_holiday", "autopay", "payoff_quote"],
    Value("loan_request_kind", "What was asked for."),
]
RequestStatus = Annotated[
    Literal["pending", "in_effect", "booked", "final", "declined", "cancelled", "replaced"],
    Value(
        "loan_request_status",
        "Where a request stands: pending waits for the lender's answer, in_effect holds at present, booked was "
        "carried out and may be cancelled until its day, final is over for good.",
    ),
]
FeeStatus = Annotated[
    Literal["charged", "collected", "waived"],
    Value("late_fee_status", "Where a late fee stands; a charged one is collected with the next instalment."),
]
DocumentKind = Annotated[
    Literal["contract", "yearly_statement", "interest_certificate", "payoff_letter"],
    Value("loan_document_kind", "Kind of document of a loan."),
]
AccountStatus = Annotated[
    Literal["verified", "unverified", "closed"],
    Value("repayment_account_status", "Whether money can be collected from an account; only from a verified one."),
]
Extra = Annotated[Money, Field(ge=0.01, le=1_000_000)]
DueDay = Annotated[int, Field(ge=1, le=28)]
HolidayMonths = Annotated[int, Field(ge=1, le=3), Unit("instalment")]
Count = Annotated[int, Field(ge=0), Unit("instalment")]
Percent = Annotated[float, Field(ge=0), Unit("percent")]
Year = Annotated[
    str, Field(pattern=r"^20\d\d$"), Value("document_year", "Calendar year that a document is about, in four digits.")
]


class Borrower(Record, noun="borrower", label="{name}"):
    """Somebody who has loans."""

    id: BorrowerId
    """Identifier of the borrower."""
    name: str
    """Full name."""
    email: Annotated[str, Value("email", "E-mail address.")]


class Loan(
    Record,
    noun="loan",
    label="the loan for {purpose}[ of {started_on}]",
    listing="{kind} loan for {purpose} ({principal_left} left, {status})",
):
    """A loan that is paid back in monthly instalments of one amount; the last one is what remains."""

    id: LoanId
    """Identifier of the loan."""
    borrower_id: BorrowerId
    """Whose loan it is."""
    kind: LoanKind
    purpose: Purpose
    borrowed: Money
    """What was lent, in US dollars."""
    rate: Annotated[Percent, Ranked("cheapest", "most expensive")]
    """Interest, in percent a year, counted by the day."""
    started_on: dt.date
    """Day on which the money was lent."""
    status: LoanStatus
    principal_left: Annotated[Money, Ranked("smallest", "biggest")]
    """What is still to be paid back, without interest, fees and what is overdue, in US dollars."""
    instalment: Money
    """What is due every month, in US dollars."""
    due_day: DueDay
    """Day of the month on which instalments are due."""
    interest_from: dt.date
    """Day up to which interest has been billed."""
    next_due: dt.date | None = None
    """Day of the next instalment, whether a payment holiday skips it or not."""
    instalments_left: Count = 0
    """How many instalments are still to be paid."""
    ends_on: dt.date | None = None
    """Day of the last instalment."""
    overdue: Money = 0.0
    """What was due and is not paid, in US dollars."""
    extra_left: Money
    """What can still be paid this year beyond the instalments, in US dollars."""
    day_fixed_until: dt.date | None = None
    """Last day on which the due date cannot be moved because it was moved lately."""
    holiday_from: dt.date | None = None
    """Earliest day on which another payment holiday can begin; unset if there was none lately."""
    autopay_account_id: AccountId | None = None
    """Account from which instalments are collected."""
    autopay_bank: str | None = None
    """Where that account is held."""


class LoanRequest(
    Record,
    noun="request",
    label="the {kind}[ for {purpose}][ of {made_on}][ over {amount}]",
    listing="{kind} for {purpose} ({status}, made on {made_on})",
):
    """Something that a borrower asked for on a loan."""

    id: RequestId
    """Identifier of the request."""
    borrower_id: BorrowerId
    """Who asked."""
    loan_id: LoanId
    """Loan that it is about."""
    purpose: Purpose
    kind: RequestKind
    made_on: dt.date
    """Day on which it was made."""
    status: RequestStatus
    cancel_until: dt.date | None = None
    """Last day on which it can be cancelled; without one that is possible while it is in effect."""
    amount: Money | None = None
    """What was paid extra, or what pays the loan off, in US dollars."""
    account_id: AccountId | None = None
    """Account that is paid from."""
    bank: str | None = None
    """Where that account is held."""
    effect: Effect | None = None
    to_overdue: Money | None = None
    """How much of an extra payment went to what was overdue, in US dollars."""
    instalment_before: Money | None = None
    """Instalment before an extra payment, in US dollars."""
    due_day: DueDay | None = None
    """Day of the month to which the due date was moved."""
    due_before: dt.date | None = None
    """Next due date before it was moved."""
    starts_on: dt.date | None = None
    """Day from which a payment holiday skips instalments."""
    months: HolidayMonths | None = None
    """How many instalments a payment holiday skips."""
    answer_by: dt.date | None = None
    """Day by which the lender answers."""
    good_until: dt.date | None = None
    """Last day on which a payoff quote can be paid."""


class LateFee(
    Record,
    noun="late fee",
    label="the late fee[ for {purpose}][ of {charged_on}]",
    listing="{amount} for {purpose} on {charged_on} ({status})",
):
    """What an instalment that was paid late costs."""

    id: FeeId
    """Identifier of the late fee."""
    borrower_id: BorrowerId
    """Who has to pay it."""
    loan_id: LoanId
    """Loan that it is about."""
    purpose: Purpose
    due_on: dt.date
    """Day on which the instalment was due."""
    charged_on: dt.date
    """Day on which the fee was charged."""
    amount: Annotated[Money, Ranked("smallest", "biggest")]
    """How much it is, in US dollars."""
    status: FeeStatus
    waivable: bool = False
    """Whether the lender waives it on request."""
    waived_as: Literal["courtesy", "weekend"] | None = None
    """Why it was waived: once in 12 months as a courtesy, or because the instalment was due on a weekend."""
    waived_on: dt.date | None = None
    """Day on which it was waived."""


class RepaymentAccount(
    Record, noun="account", label="the {bank} account", listing="{bank} ending in {last_four} ({status})"
):
    """A bank account that the lender can collect from."""

    id: AccountId
    """Identifier of the account."""
    borrower_id: BorrowerId
    """Whose account it is."""
    bank: str
    """Where it is held."""
    last_four: str
    """Last four digits of its number."""
    status: AccountStatus


class LoanDocument(
    Record, noun="document", label="the {kind}[ for {purpose}][ of {year}]", listing="{kind} of {year} for {purpose}"
):
    """A document that the lender issued."""

    id: Annotated[str, Ref("LoanDocument")]
    """Identifier of the document."""
    borrower_id: BorrowerId
    """Whose it is."""
    loan_id: LoanId
    """Loan that it is about."""
    purpose: Purpose
    kind: DocumentKind
    year: Year
    issued_on: dt.date
    """Day on which it was issued."""
    amount: Money
    """What was lent (contract), left at the end of the year (statement), or paid (interest, payoff), in US dollars."""


class Instalment(Output, listing="{amount} on {due_on}, {interest} of it interest"):
    """One line of a schedule."""

    due_on: dt.date
    """Day on which it is due."""
    amount: Money
    """What is due, in US dollars; nothing in a payment holiday."""
    interest: Money
    """Interest of the period, in US dollars; in a payment holiday it is added to what is left."""
    principal: Money
    """What is paid back, in US dollars."""
    left: Money
    """What is left afterwards, in US dollars."""


class LoanPage(Page):
    """A page of loans."""

    loans: tuple[Loan, ...]
    """The loans on this page."""


class SchedulePage(Page):
    """A page of a schedule, with what holds for the whole of it."""

    instalments: tuple[Instalment, ...]
    """The instalments on this page."""
    instalment: Money
    """What is due every month, in US dollars."""
    ends_on: dt.date
    """Day of the last instalment."""
    total_interest: Money
    """Interest that is still to come in all, in US dollars."""
    saved: Money
    """Interest that the extra payment asked about would save, in US dollars."""


class FeePage(Page):
    """A page of late fees."""

    fees: tuple[LateFee, ...]
    """The late fees on this page."""
    charged: Money
    """What of all that match is still to be collected, in US dollars."""


class RequestPage(Page):
    """A page of requests."""

    requests: tuple[LoanRequest, ...]
    """The requests on this page."""


class AccountList(Output):
    """Accounts, all of them."""

    accounts: tuple[RepaymentAccount, ...]
    """The accounts."""


class DocumentPage(Page):
    """A page of documents."""

    documents: tuple[LoanDocument, ...]
    """The documents on this page."""


class LoanStanding(Output):
    """How a loan stands today."""

    loan: Loan
    """The loan."""
    interest_so_far: Money
    """Interest since the last instalment, in US dollars."""
    fees: Money
    """Late fees that come with the next instalment, in US dollars."""
    requests: tuple[LoanRequest, ...]
    """What is pending or in effect."""
    due_on: dt.date | None = None
    """Day of the next instalment that is not skipped."""
    due_amount: Money | None = None
    """How much that is, in US dollars."""


class Receipt(Output):
    """What became of a request, and how the loan stands now."""

    request_id: RequestId
    """The request."""
    kind: RequestKind
    request_status: RequestStatus
    loan_id: LoanId
    """Loan that it is about."""
    purpose: Purpose
    cancel_until: dt.date | None = None
    """Last day on which it can be cancelled."""
    answer_by: dt.date | None = None
    """Day by which the lender answers."""
    loan_status: LoanStatus
    principal_left: Money
    """What is still to be paid back, in US dollars."""
    instalment: Money
    """What is due every month, in US dollars."""
    next_due: dt.date | None = None
    """Day of the next instalment that is not skipped."""
    ends_on: dt.date | None = None
    """Day of the last instalment."""


class PayoffQuote(Output):
    """What pays a loan off."""

    request_id: RequestId
    """The quote."""
    loan_id: LoanId
    """Loan that it is about."""
    purpose: Purpose
    good_until: dt.date
    """Last day on which it can be paid."""
    principal: Money
    """What is left to be paid back, in US dollars."""
    interest: Money
    """Interest up to the last day of the quote, in US dollars."""
    overdue: Money
    """What is overdue, in US dollars."""
    fees: Money
    """Late fees, in US dollars."""
    early_fee: Money
    """What leaving a home loan early costs, in US dollars."""
    amount: Money
    """All of it, in US dollars."""


class Payoff(Output):
    """A loan that is paid off."""

    loan_id: LoanId
    """The loan."""
    purpose: Purpose
    paid: AmountDue
    bank: str
    """Where it was collected."""
    document_id: Annotated[str, Ref("LoanDocument")]
    """Letter that says so."""
