"""Records and results of an insurer's claims desk: policies and their covers, claims, visits of adjusters, accounts."""

import datetime as dt
from typing import Annotated, Literal

from pydantic import Field

from envfactory.environment import Money, Output, Page, Ranked, Record, Ref, Unit, Value

HolderId = Annotated[str, Ref("PolicyHolder")]
PolicyId = Annotated[str, Ref("InsurancePolicy")]
CoverId = Annotated[str, Ref("InsuranceCover")]
ClaimId = Annotated[str, Ref("InsuranceClaim")]
SlotId = Annotated[str, Ref("AdjusterSlot")]
AccountId = Annotated[str, Ref("PayoutAccount")]
City = Annotated[str, Value("city", "City, by its English name.")]
AmountDue = Annotated[Money, Value("amount_due", "Amount to be paid.")]
Insured = Annotated[str, Value("insured_thing", "What a policy insures: a home, a car, a trip or a pet.")]
Line = Annotated[Literal["home", "car", "travel", "pet"], Value("insurance_line", "What kind of thing is insured.")]
Peril = Annotated[
    Literal[
        "water_damage", "burglary", "fire", "storm", "broken_glass", "bicycle_theft", "collision", "hail", "windscreen",
        "car_theft", "trip_cancellation", "lost_baggage", "illness_abroad", "vet_treatment", "surgery",
    ],
    Value("insured_peril", "What a cover pays for."),
]  # fmt: skip
Document = Annotated[
    Literal[
        "photos", "police_report", "receipts", "repair_estimate", "medical_report", "vet_invoice",
        "booking_confirmation", "airline_report",
    ],
    Value("claim_document", "Kind of document that proves a loss."),
]  # fmt: skip
Status = Annotated[
    Literal["incomplete", "ready", "in_review", "offered", "disputed", "paid", "declined", "withdrawn"],
    Value("claim_status", "Where a claim stands; ready is complete but not submitted yet."),
]
Contention = Annotated[
    Literal["the_costs_are_higher", "something_was_left_out", "the_deductible_is_wrong"],
    Value("offer_contention", "What is wrong with an offer."),
]
LossDay = Annotated[dt.date, Value("day_of_loss", "Day on which something happened.")]
Loss = Annotated[Money, Field(ge=0.01, le=1_000_000), Value("loss_amount", "What a loss comes to, in US dollars.")]
Days = Annotated[int, Field(ge=0), Unit("day")]
Starts = Annotated[dt.datetime, Value("visit_time", "When a visit begins.")]


class PolicyHolder(Record, noun="policy holder", label="{name}"):
    """Somebody who is insured."""

    id: HolderId
    """Identifier of the policy holder."""
    name: str
    """Full name."""
    email: Annotated[str, Value("email", "E-mail address.")]


class InsurancePolicy(
    Record,
    noun="policy",
    label="the {line} policy for {insured}[ until {until}]",
    listing="{line} policy for {insured} (until {until})",
):
    """A contract for one period; the next period is another one."""

    id: PolicyId
    """Identifier of the policy."""
    holder_id: HolderId
    """Whose policy it is."""
    line: Line
    insured: Insured
    city: City
    since: dt.date
    """First day of the period."""
    until: dt.date
    """Last day of the period."""
    premium: Annotated[Money, Ranked("cheapest", "most expensive")]
    """What the period costs, in US dollars."""


class InsuranceCover(
    Record,
    noun="cover",
    label="the {peril} cover[ for {insured}][ until {covered_until}]",
    listing="{peril} for {insured} ({left} left, deductible {deductible})",
):
    """What a policy pays for: one peril, for its period."""

    id: CoverId
    """Identifier of the cover."""
    policy_id: PolicyId
    """Policy that it belongs to."""
    holder_id: HolderId
    """Whose policy that is."""
    line: Line
    insured: Insured
    peril: Peril
    covered_from: dt.date
    """First day on which it pays: that of the policy, or the one after the waiting period."""
    covered_until: dt.date
    """Last day on which it pays."""
    sum_insured: Annotated[Money, Ranked("smallest", "biggest")]
    """Most that is paid for the whole period, in US dollars."""
    left: Money
    """What earlier claims of the period left of that."""
    deductible: Money
    """What the holder bears of every loss, in US dollars."""
    report_days: Days
    """A claim has to be filed within so many days of the event."""
    documents: tuple[Document, ...]
    """What a claim needs."""
    inspected: bool
    """Whether an adjuster has to see losses of 1,500 dollars or more."""


class InsuranceClaim(
    Record,
    noun="claim",
    label="the {peril} claim[ for {insured}][ of {happened_on}]",
    listing="{peril} for {insured} on {happened_on} ({amount}, {status})",
):
    """What a holder asks for after one event."""

    id: ClaimId
    """Identifier of the claim."""
    holder_id: HolderId
    """Who claims."""
    cover_id: CoverId
    """Cover that shall pay."""
    line: Line
    insured: Insured
    city: City
    peril: Peril
    happened_on: LossDay
    amount: Annotated[Loss, Ranked("smallest", "biggest")]
    deductible: Money
    """What the holder bears of it, in US dollars."""
    filed_on: dt.date
    """Day on which it was filed."""
    submit_by: dt.date
    """Last day on which it can be submitted."""
    missing: tuple[Document, ...]
    """Documents that it still needs."""
    documents: tuple[Document, ...] = ()
    """Documents that it has."""
    visit_needed: bool
    """Whether an adjuster has to see the loss."""
    visit_missing: bool = False
    """Whether a visit still has to be booked before it can be submitted."""
    status: Status
    disputable: bool = False
    """Whether a second assessor might raise the offer: it was less than the cover could pay, and is undisputed."""
    slot_id: SlotId | None = None
    """Visit that is booked."""
    visit_at: Starts | None = None
    """When that is."""
    offer: Money | None = None
    """What the insurer offers to pay, in US dollars."""
    offer_until: dt.date | None = None
    """Last day on which that can be accepted or disputed."""
    disputed_because: Contention | None = None
    answer_by: dt.date | None = None
    """Day by which the second assessor answers."""
    paid: Money | None = None
    """What was paid out, in US dollars."""
    paid_to: str | None = None
    """Where the account is held that it was paid to."""
    closed_on: dt.date | None = None
    """Day on which it was paid, declined or withdrawn."""


class AdjusterSlot(
    Record, noun="visit", label="the visit on {starts}[ with {adjuster}]", listing="{starts} with {adjuster}"
):
    """An hour in which an adjuster can come and see a loss."""

    id: SlotId
    """Identifier of the visit."""
    adjuster: str
    """Who comes."""
    line: Line
    city: City
    starts: Annotated[Starts, Ranked("earliest", "latest")]
    status: Literal["free", "taken"] = "free"
    """Whether it can be booked."""


class PayoutAccount(Record, noun="account", label="the {bank} account", listing="{bank} ending in {last_four}"):
    """An account that pay-outs can go to."""

    id: AccountId
    """Identifier of the account."""
    holder_id: HolderId
    """Whose account it is."""
    bank: str
    """Where it is held."""
    last_four: str
    """Last four digits of its number."""
    verified: bool
    """Whether the insurer has checked whose it is; only then money is paid to it."""


class PolicyPage(Page):
    """A page of policies."""

    policies: tuple[InsurancePolicy, ...]
    """The policies on this page."""


class CoverPage(Page):
    """A page of covers."""

    covers: tuple[InsuranceCover, ...]
    """The covers on this page."""


class ClaimPage(Page):
    """A page of claims."""

    claims: tuple[InsuranceClaim, ...]
    """The claims on this page."""


class SlotPage(Page):
    """A page of visits."""

    visits: tuple[AdjusterSlot, ...]
    """The visits on this page."""


class AccountList(Output):
    """Accounts, all of them."""

    accounts: tuple[PayoutAccount, ...]
    """The accounts."""


class Estimate(Output):
    """What a cover would pay for a loss."""

    cover_id: CoverId
    """Cover asked about."""
    peril: Peril
    happened_on: LossDay
    amount: Loss
    deductible: Money
    """What the holder bears of it, in US dollars."""
    left: Money
    """What the cover can still pay in its period, in US dollars."""
    pays: Money
    """What it would pay, in US dollars."""
    report_by: dt.date
    """Last day on which it can be filed."""
    visit_needed: bool
    """Whether an adjuster has to see the loss."""
    documents: tuple[Document, ...]
    """What the claim would need."""


class Payout(Output):
    """What is paid for a claim."""

    claim_id: ClaimId
    """Claim that is settled."""
    peril: Peril
    paid: AmountDue
    account_id: AccountId
    """Account that it goes to."""
    bank: str
    """Where that is held."""
    arrives_on: dt.date
    """Day by which it is there."""
    left: Money
    """What is left of the cover for its period, in US dollars."""
