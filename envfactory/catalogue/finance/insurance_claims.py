"""An insurer's claims desk: see what is covered, file a claim after an event, complete and submit it, settle the offer.

A claim belongs to one cover and one event. It is ready once it has the documents and the adjuster's visit that it
needs; small claims get an offer at once. What is paid out leaves less of the cover for the rest of its period.
"""

import datetime as dt
from typing import Literal, Self, TypeVar

from envfactory.catalogue.finance import _claims_records as rec
from envfactory.catalogue.finance import _claims_relations as relations
from envfactory.catalogue.finance._claims_rules import (
    booked,
    disputed,
    estimate,
    filed,
    free_visits,
    settled,
    submitted,
    with_document,
    withdrawn,
    without_visit,
)
from envfactory.catalogue.finance._claims_scenario import claims_desk
from envfactory.environment import Environment, PageNumber, Table, World, cents, owned, tool

H = TypeVar("H", rec.InsurancePolicy, rec.InsuranceCover, rec.InsuranceClaim, rec.PayoutAccount)


class InsuranceClaims(Environment):
    """Look after a policy holder's insurance claims: covers, documents, adjusters' visits, offers and pay-outs."""

    domain = "finance"
    policy = """A cover pays for its peril from its first to its last day; waiting periods are counted in. An event
    has to be filed within the days that its cover gives, and a cover takes one claim for a day. Only what is above
    the deductible is paid, up to what earlier claims left of the sum insured. A claim has 30 days from filing to
    get its documents and be submitted; documents that were sent stay with it. Losses of 1500 dollars or more on
    covers that are inspected need a visit of an adjuster, booked, moved or cancelled until the day before; once a
    claim is submitted its visit can only be moved. Up to 500 dollars are offered at once if nobody has to come;
    everything else is reviewed first. Offers stand for 14 days; one below what the cover could
    pay can be disputed once, and be accepted until its day all the same. What is accepted is final and goes
    to a verified account. A claim can be withdrawn until it is paid or declined, and its event filed anew while
    there is time, but not after an offer. Never file a claim without knowing the day and the amount of the loss."""
    sources = (
        "Guidewire ClaimCenter Cloud API, Claims, First Notice of Loss, Service Requests and Documents",
        "Root Platform API, Policies, Claims, Claim Blocks and Payout Requests",
        "Socotra Insurance Platform API, Policies, Perils, Claims and Reserves",
        "Snapsheet Claims API, Exposures, Appraisal Assignments and Payments",
    )

    holder_id: rec.HolderId
    """Policy holder whose session this is."""
    holders: Table[rec.PolicyHolder]
    policies: Table[rec.InsurancePolicy]
    covers: Table[rec.InsuranceCover]
    claims: Table[rec.InsuranceClaim]
    slots: Table[rec.AdjusterSlot]
    accounts: Table[rec.PayoutAccount]

    @tool(
        ask=(
            "list my[ {line}] insurance policies[current? that run today]",
            "show me which[ {line}] insurance I have[current? at present]",
            "look up my[current? current][ {line}] policies",
            "see what[ {line}] policies there are in my name[current? today]",
        ),
        noun="[current? current ][{line} ]policy of mine",
        reply=("Your policies: {policies}.", "You have no such policy."),
    )
    def list_policies(
        self, line: rec.Line | None = None, current: bool = False, page: PageNumber = 1
    ) -> rec.PolicyPage:
        """List the signed-in holder's policies, the one that ends last on top.

        Args:
            line: Only policies of this line.
            current: Only policies whose period it is today.
            page: Page of the results, five policies each.
        """
        today = self.now.date()
        own = [policy for policy in self._own(self.policies) if line in (None, policy.line)]
        found = [policy for policy in own if not current or policy.since <= today <= policy.until]
        found.sort(key=lambda policy: (-policy.until.toordinal(), policy.id))
        return rec.PolicyPage.of(found, page)

    @tool(
        ask=(
            "find my insurance covers[ against {peril}][ under {policy_id}]",
            "list my covers[ for {peril}][ under {policy_id}]",
            "see what[ {peril}] cover I have[ with {policy_id}]",
            "look up the deductible and what is left of my[ {peril}] cover[ under {policy_id}]",
        ),
        noun="cover of mine[ against {peril}][ under {policy_id}]",
        reply=("I found {covers}.", "You have no such cover."),
        where=relations.COVERS,
    )
    def find_covers(
        self, policy_id: rec.PolicyId | None = None, peril: rec.Peril | None = None, page: PageNumber = 1
    ) -> rec.CoverPage:
        """Find the signed-in holder's covers, with sums insured, what is left of them, deductibles and terms.

        Args:
            policy_id: Only covers of this policy.
            peril: Only covers that pay for this.
            page: Page of the results, five covers each, by policy.
        """
        if policy_id is not None:
            owned(self.policies.require(policy_id), "holder_id", self.holder_id)
        own = self._own(self.covers)
        found = [each for each in own if policy_id in (None, each.policy_id) and peril in (None, each.peril)]
        found.sort(key=lambda cover: (cover.policy_id, cover.id))
        return rec.CoverPage.of(found, page)

    @tool(
        ask=(
            "estimate what {cover_id} would pay for a loss of {amount} on {happened_on}",
            "work out what I would get from {cover_id} for a loss of {amount} on {happened_on}",
            "tell me how much of a loss of {amount} on {happened_on} would be paid by {cover_id}",
            "calculate the pay-out of {cover_id} for {amount}, with {happened_on} as the day of the loss",
        ),
        reply=(
            "Of {amount} it would pay {pays}; the deductible is {deductible}, and it has to be filed by {report_by}.",
        ),
        where=relations.LOSS,
    )
    def estimate_payout(self, cover_id: rec.CoverId, happened_on: rec.LossDay, amount: rec.Loss) -> rec.Estimate:
        """Estimate what a cover would pay for a loss, and what the claim would need; nothing is filed.

        Args:
            cover_id: Cover that would pay.
            happened_on: Day of the event.
            amount: What the loss comes to, in US dollars.
        """
        return estimate(self._cover(cover_id), happened_on, cents(amount), self.now.date())

    @tool(
        writes=True,
        ask=(
            "file a claim with {cover_id} for a loss of {amount} on {happened_on}",
            "claim {amount} from {cover_id} for what happened on {happened_on}",
            "report a loss of {amount} on {happened_on} under {cover_id}",
            "start a claim over {amount} on {cover_id}, it happened on {happened_on}",
        ),
        reply=(
            "The {peril} claim over {amount} is filed; by {submit_by} it needs {missing}[visit_missing? and a visit].",
            "The {peril} claim over {amount} is filed; it has to be submitted by {submit_by}.",
        ),
        where=relations.LOSS,
    )
    def file_claim(self, cover_id: rec.CoverId, happened_on: rec.LossDay, amount: rec.Loss) -> rec.InsuranceClaim:
        """File a claim with one of the signed-in holder's covers; it is looked at once it is submitted.

        Args:
            cover_id: Cover that shall pay.
            happened_on: Day of the event.
            amount: What the loss comes to, in US dollars, deductible included.
        """
        cover = self._cover(cover_id)
        city, claims = self.policies.require(cover.policy_id).city, self._own(self.claims)
        draft = filed(self.new_id("CL"), cover, city, happened_on, cents(amount), self.now.date(), claims)
        return self.claims.insert(draft)

    @tool(
        ask=(
            "list my[ {status}][ {line}] insurance claims[, by {sort}]",
            "show me how my[ {status}][ {line}] claims stand[, by {sort}]",
            "go through my[ {line}] insurance claims[ that are {status}][, sorted by {sort}]",
            "check which[ {status}][ {line}] claims I have with the insurer[, ordered by {sort}]",
        ),
        noun="[{status} ][{line} ]claim of mine",
        reply=("Your claims: {claims}.", "You have no such claim."),
    )
    def list_claims(
        self,
        status: rec.Status | None = None,
        line: rec.Line | None = None,
        sort: Literal["day", "amount"] = "day",
        page: PageNumber = 1,
    ) -> rec.ClaimPage:
        """List the signed-in holder's claims.

        Args:
            status: Only claims that stand like this.
            line: Only claims of this line.
            sort: Order: latest event first, or highest amount first.
            page: Page of the results, five claims each.
        """
        found = [c for c in self._own(self.claims) if status in (None, c.status) and line in (None, c.line)]
        found.sort(key=lambda c: (-c.amount if sort == "amount" else -c.happened_on.toordinal(), c.id))
        return rec.ClaimPage.of(found, page)

    @tool(
        ask=(
            "show me the details of {claim_id}",
            "look up where {claim_id} stands",
            "check what {claim_id} still needs and by when",
            "tell me what has become of {claim_id}",
        ),
        reply=(
            "{peril} on {happened_on} over {amount} ({status}): {offer} is offered until {offer_until}.",
            "{peril} on {happened_on} ({amount}, {status}): {missing}[visit_missing? and a visit] due by {submit_by}.",
            "{peril} on {happened_on} over {amount}: {status}[visit_missing?; it only needs an adjuster's visit].",
        ),
        where=relations.LOOKING,
    )
    def get_claim(self, claim_id: rec.ClaimId) -> rec.InsuranceClaim:
        """Get one of the signed-in holder's claims: what it has and needs, its visit, offer and pay-out.

        Args:
            claim_id: Claim to look at.
        """
        return self._mine(claim_id)

    @tool(
        writes=True,
        ask=(
            "send in the {document} for {claim_id}",
            "add the {document} to {claim_id}",
            "upload the {document} for {claim_id}",
            "attach the {document} to {claim_id}",
        ),
        reply=(
            "The claim has that now; it still needs {missing}[visit_missing? and an adjuster's visit].",
            "The claim has that now[!visit_missing? and is {status}][visit_missing?; it still needs a visit].",
        ),
        where=relations.SENDING,
    )
    def add_document(self, claim_id: rec.ClaimId, document: rec.Document) -> rec.InsuranceClaim:
        """Add a document to a claim that is not submitted yet; it stays with the claim.

        Args:
            claim_id: Claim that needs it.
            document: Kind of document, one of those that the claim is missing.
        """
        return self.claims.replace(with_document(self._mine(claim_id), document, self.now.date()))

    @tool(
        ask=(
            "find a[ {part}] time at which an adjuster can see {claim_id}[ from {since} on]",
            "look for free[ {part}] visits of an adjuster for {claim_id}[, {since} or later]",
            "check when an adjuster could come for {claim_id}[ in the {part}][ from {since} on]",
            "see which[ {part}] adjuster visits are free for {claim_id}[, starting {since}]",
        ),
        noun="free[ {part}] adjuster visit for {claim_id}[ from {since} on]",
        reply=("These are free: {visits}.", "No adjuster is free then."),
        where=relations.FINDING,
    )
    def find_visits(
        self,
        claim_id: rec.ClaimId,
        part: Literal["morning", "afternoon"] | None = None,
        since: dt.date | None = None,
        page: PageNumber = 1,
    ) -> rec.SlotPage:
        """Find free visits of adjusters for a claim that needs one, from tomorrow on, the earliest first.

        Args:
            claim_id: Claim whose loss is to be seen.
            part: Only visits before noon, or only later ones.
            since: Only visits on this day or later.
            page: Page of the results, five visits each.
        """
        found = [
            slot
            for slot in free_visits(self._mine(claim_id), self.slots.values(), self.now.date())
            if (part is None or (slot.starts.hour < 12) == (part == "morning"))
            and (since is None or slot.starts.date() >= since)
        ]
        return rec.SlotPage.of(found, page)

    @tool(
        writes=True,
        ask=(
            "book {slot_id} for {claim_id}",
            "put {claim_id} down for {slot_id}",
            "reserve {slot_id} for {claim_id}",
            "take {slot_id} for {claim_id}",
        ),
        reply=(
            "The adjuster comes on {visit_at}; the claim still needs {missing}.",
            "The adjuster comes on {visit_at}; the claim is {status}.",
        ),
        where=relations.BOOKING,
    )
    def book_visit(self, claim_id: rec.ClaimId, slot_id: rec.SlotId) -> rec.InsuranceClaim:
        """Book a free visit of an adjuster for a claim that needs one; a visit that it has already is moved there.

        Args:
            claim_id: Claim whose loss is to be seen.
            slot_id: Visit to book, of the claim's line and city.
        """
        claim, slot = self._mine(claim_id), self.slots.require(slot_id)
        seen = booked(claim, slot, self._own(self.claims), self.now.date())
        self._free(claim)
        self.slots.replace(slot.evolve(status="taken"))
        return self.claims.replace(seen)

    @tool(
        writes=True,
        ask=(
            "cancel the adjuster's visit for {claim_id}",
            "call off the visit of the adjuster for {claim_id}",
            "give up the adjuster's visit for {claim_id}",
            "drop the adjuster's visit from {claim_id}",
        ),
        reply=("The visit is cancelled; the claim is {status} and has to be submitted by {submit_by}.",),
        where=relations.UNBOOKING,
    )
    def cancel_visit(self, claim_id: rec.ClaimId) -> rec.InsuranceClaim:
        """Cancel the visit for a claim that is not submitted yet, until the day before.

        Args:
            claim_id: Claim whose visit is cancelled.
        """
        claim = self._mine(claim_id)
        without = without_visit(claim, self.now.date())
        self._free(claim)
        return self.claims.replace(without)

    @tool(
        writes=True,
        ask=(
            "submit {claim_id}",
            "hand in {claim_id}",
            "send {claim_id} off to the insurer",
            "turn in {claim_id} for review",
        ),
        reply=("{offer} is offered at once, until {offer_until}.", "The claim is submitted and {status}."),
        where=relations.SUBMITTING,
    )
    def submit_claim(self, claim_id: rec.ClaimId) -> rec.InsuranceClaim:
        """Submit a claim that is ready; a small one gets an offer at once, others are reviewed.

        Args:
            claim_id: Claim that has its documents, and its visit if it needs one.
        """
        claim = self._mine(claim_id)
        return self.claims.replace(submitted(claim, self.covers.require(claim.cover_id), self.now.date()))

    @tool(
        writes=True,
        ask=(
            "withdraw {claim_id}",
            "take back {claim_id}",
            "drop {claim_id}, I will pay for it myself",
            "pull {claim_id}, as I want to bear the loss myself",
        ),
        reply=("The {peril} claim of {happened_on} is withdrawn.",),
        where=relations.WITHDRAWING,
    )
    def withdraw_claim(self, claim_id: rec.ClaimId) -> rec.InsuranceClaim:
        """Withdraw a claim that is not paid or declined; a visit that is still to come is called off.

        Args:
            claim_id: Claim to withdraw.
        """
        claim = self._mine(claim_id)
        dropped = withdrawn(claim, self.now.date())
        if dropped.slot_id is None:
            self._free(claim)
        return self.claims.replace(dropped)

    @tool(
        ask=(
            "list the accounts that a pay-out can go to[verified? and that are verified]",
            "show me my[verified? verified] accounts for pay-outs",
            "see which[verified? verified] bank accounts of mine the insurer has on file",
            "check where the insurer can send money to me[verified?, verified accounts only]",
        ),
        noun="[verified? verified ]pay-out account of mine",
        reply=("Your accounts: {accounts}.", "You have no such account."),
    )
    def list_accounts(self, verified: bool = False) -> rec.AccountList:
        """List the signed-in holder's accounts for pay-outs, by bank.

        Args:
            verified: Only accounts that money can be paid to.
        """
        own = [account for account in self._own(self.accounts) if account.verified or not verified]
        return rec.AccountList(accounts=tuple(sorted(own, key=lambda account: account.bank)))

    @tool(
        writes=True,
        ask=(
            "accept the offer for {claim_id} and have it paid to {account_id}",
            "take what is offered for {claim_id}, to be paid into {account_id}",
            "say yes to the offer on {claim_id}, with the money going to {account_id}",
            "settle {claim_id} as offered and pay it out to {account_id}",
        ),
        reply=("{paid} goes to your {bank} account and is there by {arrives_on}; the cover has {left} left.",),
        where=relations.ACCEPTING,
    )
    def accept_offer(self, claim_id: rec.ClaimId, account_id: rec.AccountId) -> rec.Payout:
        """Accept what is offered for a claim, which is final; no more is paid than is left of the cover.

        Args:
            claim_id: Claim with an offer, disputed or not, until its last day.
            account_id: Verified account that the money goes to.
        """
        claim, account = self._mine(claim_id), owned(self.accounts.require(account_id), "holder_id", self.holder_id)
        today, cover = self.now.date(), self.covers.require(claim.cover_id)
        payout = settled(claim, cover, account, self._own(self.accounts), today)
        self.covers.replace(cover.evolve(left=payout.left))
        paid = claim.evolve(status="paid", paid=payout.paid, paid_to=account.bank, disputable=False, closed_on=today)
        self.claims.replace(paid)
        return payout

    @tool(
        writes=True,
        ask=(
            "dispute the offer for {claim_id} because {reason}",
            "contest what they offer for {claim_id}, since {reason}",
            "object to the offer on {claim_id}, as {reason}",
            "ask for a second assessment of {claim_id} because {reason}",
        ),
        reply=("The offer is disputed; a second assessor answers by {answer_by}, and it stands until {offer_until}.",),
        where=relations.DISPUTING,
    )
    def dispute_offer(self, claim_id: rec.ClaimId, reason: rec.Contention) -> rec.InsuranceClaim:
        """Have a second assessor look at an offer below what the cover could pay, once; it can still be accepted.

        Args:
            claim_id: Claim with an offer.
            reason: What is wrong with it: the costs are higher (answered in 14 days), something was left out (10), or
                the deductible is wrong (5).
        """
        claim = self._mine(claim_id)
        cover = self.covers.require(claim.cover_id)
        return self.claims.replace(disputed(claim, cover, reason, self.now.date()))

    def _cover(self, cover_id: str) -> rec.InsuranceCover:
        return owned(self.covers.require(cover_id), "holder_id", self.holder_id)

    def _mine(self, claim_id: str) -> rec.InsuranceClaim:
        return owned(self.claims.require(claim_id), "holder_id", self.holder_id)

    def _own(self, table: Table[H]) -> list[H]:
        return [record for record in table.values() if record.holder_id == self.holder_id]

    def _free(self, claim: rec.InsuranceClaim) -> None:
        """Let others have the visit of a claim."""
        if claim.slot_id:
            self.slots.replace(self.slots.require(claim.slot_id).evolve(status="free"))

    @classmethod
    def scenario(cls, world: World, size: int) -> Self:
        """Policies, covers new, running and used up, and the user's claims at every step."""
        return cls.model_validate(claims_desk(world, size))
