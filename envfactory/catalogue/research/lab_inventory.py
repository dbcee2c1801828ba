"""A laboratory's inventory: find containers, check them out, take from them or split them, put them away, buy, dispose.

Containers are everybody's but aliquots, which are their maker's. Certificates say who may handle one.
"""

import datetime as dt
from typing import Self

from envfactory.catalogue.research import _lab_records as rec
from envfactory.catalogue.research import _lab_relations as relations
from envfactory.catalogue.research import _lab_rules as rules
from envfactory.catalogue.research._lab_scenario import laboratory
from envfactory.environment import Environment, PageNumber, Table, World, owned, tool


class LabInventory(Environment):
    """Look after the chemicals of a laboratory: containers, storage, amounts taken, requests and waste."""

    domain = "research"
    policy = """Whoever handles a chemical needs a valid certificate: solvents (flammable), oxidisers (oxidising),
    corrosives (acid, base), toxics (toxic) or general_safety (harmless), until what is checked out is back, and on the
    day that what is requested arrives. Containers are out for at most 14 days (room temperature), 3 (fridge) or 1
    (freezer), never past their use-by day, and 8 at a time. Amounts are taken and aliquots split off only from a
    container that one has checked out and that is not overdue; the first time opens it, which may bring its use-by day
    forward. Of toxic chemicals a member takes at most 50 ml a day. Nothing is poured back: a log entry can be struck on
    its day while one has the container, aliquots stay apart and are not split again. Flammable and oxidising, acid and
    base, acid and toxic do not stand together, and places have their temperature. What is expired or empty goes to
    waste, collected on the next Friday; until then whoever gave it up can put it away again, if it is good and not
    contaminated. Requests up to 400 dollars are ordered at once, others wait 2 workdays for approval; delivery takes 5
    workdays, or 1 by express for 30 dollars. A member has one open request for a chemical; the laboratory's limit for
    it holds for requests and for what is struck or comes out of the waste. Never give to waste as contaminated what
    nobody called so."""
    sources = (
        "Benchling API, Inventory: Containers, Locations, Boxes, Transfers and Checkout",
        "eLabFTW API, Containers, Storage Units, Compounds with hazard classes, and Items",
        "Quartzy API, Inventory Items, Order Requests and Approvals",
        "Stanford University Environmental Health and Safety, Compatible Storage Groups and Chemical Waste",
    )

    member_id: rec.MemberId
    """Member whose session this is."""
    members: Table[rec.LabMember]
    certificates: Table[rec.LabCertificate]
    chemicals: Table[rec.LabChemical]
    places: Table[rec.LabPlace]
    containers: Table[rec.LabContainer]
    requests: Table[rec.LabRequest]
    usages: Table[rec.LabUsage]

    @tool(
        ask=(
            "list my safety certificates[ that are valid on {valid_on}]",
            "show me which lab trainings I have certificates for[, valid on {valid_on}]",
            "check what I am cleared to work with in the lab[ on {valid_on}]",
            "look up how long my safety certificates run[, only those good on {valid_on}]",
        ),
        noun="safety certificate of mine[ valid on {valid_on}]",
        reply=("Your certificates: {certificates}.", "You have no such certificate."),
        where=relations.CERTIFICATES,
    )
    def list_certificates(self, valid_on: dt.date | None = None) -> rec.CertificateList:
        """List the signed-in member's safety certificates, ended ones included, the first to end on top.

        Args:
            valid_on: Only certificates that are valid on this day.
        """
        found = [c for c in self._certificates() if valid_on is None or c.valid_until >= valid_on]
        return rec.CertificateList(certificates=tuple(sorted(found, key=lambda each: (each.valid_until, each.id))))

    @tool(
        ask=(
            "search the chemicals that the lab orders[, {hazard} ones][, for {training} training]",
            "find a[ {hazard}] chemical to order for the lab[ within my {training} training]",
            "show me which[ {hazard}] chemicals we can order[ with a {training} certificate]",
            "look through the chemical catalogue[ for {hazard} ones][ that go with the {training} training]",
        ),
        noun="[{hazard} ]chemical to order[ with {training} training]",
        reply=("These can be ordered: {chemicals}.", "No such chemical is in the catalogue."),
    )
    def search_chemicals(
        self, hazard: rec.Hazard | None = None, training: rec.Training | None = None, page: PageNumber = 1
    ) -> rec.ChemicalPage:
        """Search the chemicals that the laboratory may order, by name, with packs, prices, hazards and limits.

        Args:
            hazard: Only this hazard class.
            training: Only what this training is for, such as corrosives for acids and bases.
            page: Page of the results, five chemicals each.
        """
        rows = sorted(self.chemicals.values(), key=lambda row: row.name)
        found = [row for row in rows if hazard in (None, row.hazard) and training in (None, row.training)]
        return rec.ChemicalPage.of(found, page)

    @tool(
        ask=(
            "find[mine? my][ {status}][expired? expired] containers[ that hold {chemical_id}][, {at_least_ml} or more]",
            "look for[mine? my][expired? expired][ {status}] containers[ with {chemical_id}][, {at_least_ml} at least]",
            "show me[mine? my][ {status}][expired? expired] containers[ holding {chemical_id}][, {at_least_ml} and up]",
            "list[mine? my][ {status}][expired? expired] containers[ storing {chemical_id}][, {at_least_ml} or more]",
        ),
        noun="[expired? expired ][{status} ]container[mine? of mine][ holding {chemical_id}][ with {at_least_ml} left]",
        reply=("I found {containers}.", "There is no such container."),
        where=relations.FINDING,
    )
    def find_containers(
        self,
        chemical_id: rec.ChemicalId | None = None,
        status: rec.ContainerStatus | None = None,
        at_least_ml: rec.Amount | None = None,
        expired: bool = False,
        mine: bool = False,
        page: PageNumber = 1,
    ) -> rec.ContainerPage:
        """Find containers of the laboratory and the member's own aliquots, the first to expire on top.

        Args:
            chemical_id: Only containers of this chemical.
            status: Only containers that are stored, checked_out or waste.
            at_least_ml: Only containers with so many millilitres left.
            expired: Only containers whose use-by day is over.
            mine: Only the member's own aliquots and what the member has checked out or gave to waste.
            page: Page of the results, five containers each.
        """
        if chemical_id is not None:
            self.chemicals.require(chemical_id)
        me, before = self.member_id, self.now.date() if expired else None
        rows = [row for row in self.containers.values() if row.owner_id in (None, me)]
        rows = [row for row in rows if not mine or me in (row.holder_id, row.owner_id)]
        return rec.ContainerPage.of(rules.matching(rows, chemical_id, status, at_least_ml or 0, before), page)

    @tool(
        ask=(
            "show me all there is on {container_id}",
            "check where {container_id} is and who has it",
            "tell me how much {container_id} still holds and how long it is good",
            "look {container_id} up in the inventory",
        ),
        reply=(
            "{amount_ml} of {chemical}, good until {use_by}, in the {place} ({room})[; yours to {out_until}].",
            "{amount_ml} of {chemical}, good until {use_by}, {status} ({holder})[, back by {back_by}].",
            "{amount_ml} of {chemical}, good until {use_by}, {status}[, collected on {collected_on}].",
        ),
    )
    def get_container(self, container_id: rec.ContainerId) -> rec.ContainerDetails:
        """Get a container: what is left, where it is, and whether and until when the member may check it out.

        Args:
            container_id: Container to look at.
        """
        row = self._container(container_id)
        place, holder = self.places.get(row.place_id or ""), self.members.get(row.holder_id or "")
        return rules.details(row, place, holder, self._certificates(), self.now.date())

    @tool(
        writes=True,
        ask=(
            "check out {container_id} until {back_by}",
            "sign {container_id} out to me until {back_by}",
            "get {container_id} out of storage for me, I will bring it back by {back_by}",
            "book {container_id} out in my name until {back_by}",
        ),
        reply=("You have {amount_ml} of {chemical}, lot {lot}, until {back_by}.",),
        where=relations.OUT,
    )
    def check_out(self, container_id: rec.ContainerId, back_by: dt.date) -> rec.LabContainer:
        """Check a stored container out to the signed-in member; putting it away ends that.

        Args:
            container_id: Container that is stored.
            back_by: Last day of use, at most 14 days from today (room temperature), 3 (fridge) or 1 (freezer).
        """
        row, today = self._container(container_id), self.now.date()
        after = rules.checked_out(row, self.member_id, back_by, self.containers.values(), today)
        rules.check_cleared(row.hazard, self._certificates(), back_by, today)
        self._fill(row.place_id, -1)
        return self.containers.replace(after)

    @tool(
        ask=(
            "find a storage place for {container_id}[ in {room}]",
            "see where {container_id} may stand[ in {room}]",
            "look for a cabinet, fridge or freezer that will do for {container_id}[ in {room}]",
            "check which places have room for {container_id}[ in {room}]",
        ),
        noun="place[ in {room}] for {container_id}",
        reply=("It could stand in {places}.", "It fits nowhere there; try {rooms}.", "It fits nowhere at the moment."),
        where=relations.PLACES,
    )
    def find_places(
        self, container_id: rec.ContainerId, room: rec.Room | None = None, page: PageNumber = 1
    ) -> rec.PlacePage:
        """Find places of its temperature, with room and no bad neighbours, for a container, the emptiest on top.

        Args:
            container_id: Container to put away, move or split.
            room: Only places in this room.
            page: Page of the results, five places each.
        """
        row = rules.storable(self._container(container_id), self.member_id, self.now.date())
        fitting = rules.fitting(row, self.places.values(), self.containers.values())
        found, rooms = [e for e in fitting if room in (None, e.room)], tuple(sorted({e.room for e in fitting}))
        return rec.PlacePage.of(found, page, apart_from=rules.APART[row.hazard], rooms=rooms)

    @tool(
        writes=True,
        ask=(
            "put {container_id} away in {place_id}",
            "return {container_id} to {place_id}",
            "store {container_id} in {place_id}",
            "have {container_id} put into {place_id}",
        ),
        reply=("The {chemical} of lot {lot} is in the {place} now.",),
        where=relations.AWAY,
    )
    def put_away(self, container_id: rec.ContainerId, place_id: rec.PlaceId) -> rec.LabContainer:
        """Put a container in a place: one that the member has, a stored one to move it, or one out of the waste.

        Args:
            container_id: Container that is good and not empty.
            place_id: Place of its temperature, with room and no hazard class that must be apart.
        """
        row, today = self._container(container_id), self.now.date()
        rules.storable(row, self.member_id, today)
        if row.status != "checked_out":
            rules.check_cleared(row.hazard, self._certificates(), today, today)
        if row.status == "waste":
            self._check_back(row, row.amount_ml)
        place = self.places.require(place_id)
        rules.check_place(row, place, self.containers.values())
        self._fill(row.place_id, -1)
        self._fill(place.id, 1)
        return self.containers.replace(rules.stored(row, place))

    @tool(
        writes=True,
        ask=(
            "take {amount_ml} from {container_id}",
            "use up {amount_ml} from {container_id}",
            "log that I take {amount_ml} from {container_id}",
            "record {amount_ml} as taken from {container_id}",
        ),
        reply=("You have taken {amount_ml} of {chemical}; lot {lot} holds {left_ml} now.",),
        where=relations.TAKING,
    )
    def take_amount(self, container_id: rec.ContainerId, amount_ml: rec.Amount) -> rec.LabUsage:
        """Take an amount from a container that the member has checked out, with an entry in the log.

        Args:
            container_id: Container that is checked out, not overdue and good.
            amount_ml: How many millilitres, at most what is left; of toxic chemicals 50 a day in all.
        """
        row, today = self._held(container_id), self.now.date()
        rules.check_toxic(row, amount_ml, self.usages.values(), today)
        left = self.containers.replace(rules.opened(row, amount_ml, self.chemicals.require(row.chemical_id), today))
        return self.usages.insert(rules.logged(self.new_id("LU"), row, left, self.member_id, today))

    @tool(
        ask=(
            "list what I took[ from {container_id}][ since {since}]",
            "show me my entries in the usage log[ for {container_id}][ from {since} on]",
            "look up how much I used[ from {container_id}][ since {since}]",
            "go through my usage log[ for {container_id}][, starting {since}]",
        ),
        noun="log entry of mine[ for {container_id}][ since {since}]",
        reply=("{total_ml} in all: {usages}.", "There is no such entry of yours."),
        where=relations.LOG,
    )
    def list_usage(
        self, container_id: rec.ContainerId | None = None, since: dt.date | None = None, page: PageNumber = 1
    ) -> rec.UsagePage:
        """List the signed-in member's log entries, the latest first, with what they come to.

        Args:
            container_id: Only entries for this container.
            since: Only entries of this day or later.
            page: Page of the results, five entries each.
        """
        if container_id is not None:
            self._container(container_id)
        rows = sorted(self.usages.values(), key=lambda row: (row.taken_on, row.id), reverse=True)
        mine = [row for row in rows if row.member_id == self.member_id and container_id in (None, row.container_id)]
        found = [row for row in mine if since is None or row.taken_on >= since]
        return rec.UsagePage.of(found, page, total_ml=sum(row.amount_ml for row in found))

    @tool(
        writes=True,
        ask=(
            "strike {usage_id}",
            "delete {usage_id}, it was a slip of the pen",
            "remove {usage_id}, I wrote it down by mistake",
            "correct the log and strike {usage_id}",
        ),
        reply=("The entry is struck; lot {lot} holds {amount_ml} of {chemical} again.",),
        where=relations.STRIKING,
    )
    def strike_usage(self, usage_id: rec.UsageId) -> rec.LabContainer:
        """Strike a log entry of today that was wrong, while the member has the container; it stays opened.

        Args:
            usage_id: Entry of the member, made today.
        """
        usage = owned(self.usages.require(usage_id), "member_id", self.member_id)
        row = self.containers.require(usage.container_id)
        rules.check_strike(usage, row, self.now.date())
        self._check_back(row, usage.amount_ml)
        self.usages.delete(usage.id)
        return self.containers.replace(row.evolve(amount_ml=row.amount_ml + usage.amount_ml))

    @tool(
        writes=True,
        ask=(
            "split {container_id} into {parts} of {amount_ml} and store them in {place_id}",
            "make {parts} of {amount_ml} from {container_id}, to be kept in {place_id}",
            "divide {container_id} into {parts} with {amount_ml} each, going into {place_id}",
            "fill {parts} of {amount_ml} each from {container_id} and put them in {place_id}",
        ),
        reply=("You have {aliquots}; {left_ml} are left in the container.",),
        where=relations.SPLITTING,
    )
    def split_container(
        self, container_id: rec.ContainerId, parts: rec.Parts, amount_ml: rec.Amount, place_id: rec.PlaceId
    ) -> rec.SplitResult:
        """Split equal aliquots off a container that the member has checked out; they are the member's own.

        Args:
            container_id: Container that is checked out, not overdue, good, and no aliquot.
            parts: How many aliquots, 2 to 10.
            amount_ml: What each holds, in millilitres.
            place_id: Place for them, of the container's temperature, with room and no bad neighbours.
        """
        row, today, place = self._held(container_id), self.now.date(), self.places.require(place_id)
        rules.check_whole(row)
        rules.check_place(row, place, self.containers.values(), parts)
        left = rules.opened(row, parts * amount_ml, self.chemicals.require(row.chemical_id), today)
        numbers, rows = [self.new_id("LC") for _ in range(parts)], self.containers.values()
        aliquots = tuple(map(self.containers.insert, rules.aliquots(left, numbers, amount_ml, place, rows)))
        self._fill(place.id, parts)
        self.containers.replace(left)
        return rec.SplitResult(container_id=row.id, chemical=row.chemical, aliquots=aliquots, left_ml=left.amount_ml)

    @tool(
        writes=True,
        ask=(
            "give {container_id} to the waste[contaminated?, it is contaminated]",
            "throw {container_id} away[contaminated? as contaminated]",
            "put {container_id} out for disposal[contaminated?, it got contaminated]",
            "discard {container_id}[contaminated?, as it is contaminated]",
        ),
        reply=("The {chemical} of lot {lot} is waste[contaminated?, as contaminated], collected on {collected_on}.",),
        where=relations.DISPOSING,
    )
    def dispose_container(self, container_id: rec.ContainerId, contaminated: bool = False) -> rec.LabContainer:
        """Give a container to waste: one that the member has checked out, or a stored one that is expired.

        Args:
            container_id: Container to dispose of.
            contaminated: Whether an opened container was contaminated; it can never be put away again then.
        """
        row, today = self._container(container_id), self.now.date()
        after = rules.disposed(row, self.member_id, contaminated, today)
        if row.status == "stored":
            rules.check_cleared(row.hazard, self._certificates(), today, today)
        self._fill(row.place_id, -1)
        return self.containers.replace(after)

    @tool(
        writes=True,
        ask=(
            "request {chemical_id} for the lab, {packs} in all[express?, by express]",
            "order {chemical_id} for the lab, {packs}[express?, express delivery]",
            "ask for {chemical_id} to be bought, {packs}[express?, by express]",
            "put in a request for {chemical_id}, {packs} in all[express?, to come by express]",
        ),
        reply=("Your request for {packs} of {chemical} ({total}) is {status}, due {arrives_on}[express? by express].",),
        where=relations.REQUESTING,
    )
    def request_chemical(self, chemical_id: rec.ChemicalId, packs: rec.Packs, express: bool = False) -> rec.LabRequest:
        """Request packs of a chemical; up to 400 dollars are ordered at once, the rest waits for approval.

        Args:
            chemical_id: Chemical that the member is cleared for on the day it arrives.
            packs: How many packs, 1 to 10, within what the laboratory may hold.
            express: Delivery in 1 workday instead of 5, for 30 dollars.
        """
        chemical, today = self.chemicals.require(chemical_id), self.now.date()
        request = rules.requested(self.new_id("LR"), self.member_id, chemical, packs, express, today)
        rules.check_cleared(chemical.hazard, self._certificates(), request.arrives_on, today, "an earlier delivery")
        rules.check_request(request, chemical, self.requests.values(), self.containers.values())
        return self.requests.insert(request)

    @tool(
        ask=(
            "list my[ {status}] requests for chemicals",
            "show me how my[ {status}] chemical requests stand",
            "see which[ {status}] chemical requests of mine there are",
            "check on my[ {status}] requests to the lab",
        ),
        noun="[{status} ]chemical request of mine",
        reply=("Your requests: {requests}.", "You have no such request."),
    )
    def list_requests(self, status: rec.RequestStatus | None = None, page: PageNumber = 1) -> rec.RequestPage:
        """List the signed-in member's requests, the last to arrive on top.

        Args:
            status: Only requests that are waiting, ordered, delivered, cancelled or declined.
            page: Page of the results, five requests each.
        """
        rows = sorted(self.requests.values(), key=lambda row: (row.arrives_on, row.id), reverse=True)
        found = [row for row in rows if row.member_id == self.member_id and status in (None, row.status)]
        return rec.RequestPage.of(found, page)

    @tool(
        writes=True,
        ask=("cancel {request_id}", "call off {request_id}", "withdraw {request_id}", "scrap {request_id}"),
        reply=("The request for {packs} of {chemical} is cancelled.",),
        where=relations.CANCELLING,
    )
    def cancel_request(self, request_id: rec.RequestId) -> rec.LabRequest:
        """Cancel a request that is waiting, or one that is ordered until the day before it arrives.

        Args:
            request_id: Request of the member.
        """
        row = owned(self.requests.require(request_id), "member_id", self.member_id)
        return self.requests.replace(rules.cancelled(row, self.now.date()))

    def _container(self, container_id: str) -> rec.LabContainer:
        return rules.shared(self.containers.require(container_id), self.member_id)

    def _held(self, container_id: str) -> rec.LabContainer:
        row, today = self._container(container_id), self.now.date()
        rules.check_cleared(rules.held(row, self.member_id, today).hazard, self._certificates(), today, today)
        return row

    def _check_back(self, row: rec.LabContainer, amount_ml: int) -> None:
        chemical = self.chemicals.require(row.chemical_id)
        rules.check_back(chemical, amount_ml, self.requests.values(), self.containers.values())

    def _certificates(self) -> list[rec.LabCertificate]:
        return [row for row in self.certificates.values() if row.member_id == self.member_id]

    def _fill(self, place_id: str | None, count: int) -> None:
        if place_id:
            place = self.places.require(place_id)
            self.places.replace(place.evolve(free=place.free - count))

    @classmethod
    def scenario(cls, world: World, size: int) -> Self:
        """Containers of every hazard, opened, expired and given up; the user's at every step; requests of all kinds."""
        return cls.model_validate(laboratory(world, size))
