"""A parcel service: follow parcels, change when and where they are delivered, send some, and claim for what went wrong.

What can still be changed follows from where a parcel stands: nothing once it waits or was delivered. A pickup point has
so many lockers, and takes no parcel larger than it can keep.
"""

import datetime as dt
from typing import Self

from envfactory.catalogue.utilities import _parcel_records as rec
from envfactory.catalogue.utilities import _parcel_relations as relations
from envfactory.catalogue.utilities import _parcel_rules as rules
from envfactory.catalogue.utilities._parcel_scenario import parcels
from envfactory.environment import Environment, PageNumber, Table, ToolError, World, tool


class ParcelTracking(Environment):
    """Track parcels, change their delivery, send parcels, and report what went wrong with them."""

    domain = "utilities"
    policy = """Only incoming parcels that are announced or in transit can be delivered at another time or place. A new
    day lies within the week after the expected one. Nothing comes on Sundays. Evening delivery costs 3 dollars, which
    are given back with the evening. To be left somewhere without a signature at the door, a parcel has to be released
    by its recipient, who signs in the app: tell them to do so first. Pickup points take parcels up to a size while
    lockers are free. A shipment can be cancelled until it is handed in, for 1 dollar. Damage is reported within 7 days
    of delivery; a parcel is late, and missing, when it is over 3 days behind. A damaged or missing parcel pays the
    insured value, or 50 dollars without insurance, and a missing one its price too to whom has sent it; a late one pays
    its price to whom has sent it, 5 dollars to whom waits for it. What was reported missing is lost. Never send a
    parcel without knowing its recipient, address and size."""
    sources = (
        "DHL Shipment Tracking Unified API and Parcel DE Shipping",
        "UPS Tracking API and My Choice delivery changes",
        "FedEx Track API and Delivery Manager",
        "PostNord Developer Portal, Track and Trace, Service Points",
    )

    user_id: rec.RecipientId
    """User whose session this is."""
    users: Table[rec.ParcelUser]
    cities: Table[rec.ServedCity]
    points: Table[rec.PickupPoint]
    parcels: Table[rec.Parcel]
    scans: Table[rec.Scan]
    claims: Table[rec.ParcelClaim]

    @tool(
        ask=(
            "list my[ {direction}] parcels[ that are {status}]",
            "show me which[ {direction}] parcels I have[ that are {status}]",
            "check on my[ {direction}] parcels[ that are {status}]",
            "go through my[ {direction}] shipments[ that are {status}]",
        ),
        noun="[{direction} ]parcel of mine[ that is {status}]",
        reply=("You have {parcels}.", "You have no such parcel."),
    )
    def list_parcels(
        self, direction: rec.Direction | None = None, status: rec.Status | None = None, page: PageNumber = 1
    ) -> rec.ParcelPage:
        """List the signed-in user's parcels, the one expected last on top.

        Args:
            direction: Only parcels that come, or only parcels that were sent.
            status: Only parcels that stand like this.
            page: Page of the results, five parcels each.
        """
        found = [
            parcel
            for parcel in self.parcels.values()
            if direction in (None, parcel.direction) and status in (None, parcel.status)
        ]
        found.sort(key=lambda parcel: (parcel.expected_on, parcel.id), reverse=True)
        return rec.ParcelPage.of(found, page)

    @tool(
        ask=(
            "track {parcel_id}",
            "tell me where {parcel_id} is",
            "find out when {parcel_id} arrives",
            "look up where {parcel_id} has been so far",
        ),
        reply=(
            "The {partner} parcel is {status}, expected on {expected_on}: {scans}.",
            "The {partner} parcel is {status}, expected on {expected_on}; it was not seen anywhere yet.",
        ),
    )
    def track_parcel(self, parcel_id: rec.ParcelId) -> rec.Track:
        """Get where a parcel stands, where it was seen, the latest first, and what was claimed for it.

        Args:
            parcel_id: Parcel to track.
        """
        parcel = self.parcels.require(parcel_id)
        return rules.track(parcel, self.scans.values(), self.claims.values())

    @tool(
        ask=(
            "find pickup points in {city}[ that take {size} parcels][open_late? and are open late][, by {sort}]",
            "look for a pickup point in {city}[ for {size} parcels][open_late?, open late][, sorted by {sort}]",
            "see which pickup points {city} has[ for {size} parcels][open_late? that are open late][, by {sort}]",
            "show me the pickup points of {city}[ for a {size} parcel][open_late?, those open late][, by {sort}]",
        ),
        noun="pickup point in {city}[ for {size} parcels][open_late? that is open late]",
        reply=("There are {points}.", "There is no such pickup point in {city}."),
    )
    def find_pickup_points(
        self,
        city: rec.City,
        size: rec.Size | None = None,
        open_late: bool = False,
        sort: rec.PointOrder = "distance",
        page: PageNumber = 1,
    ) -> rec.PointPage:
        """Find pickup points of a city that have a free locker.

        Args:
            city: City to look in.
            size: Only those that keep parcels of this size.
            open_late: Only those where parcels can be fetched after 20:00.
            sort: Order: nearest first, or most free lockers first.
            page: Page of the results, five pickup points each.
        """
        rules.check_served(city, self.cities.values())
        found = rules.points_with_room(self.points.values(), city, size)
        if open_late:
            found = [point for point in found if point.open_late]
        return rec.PointPage.of(rules.ranked(found, sort), page)

    @tool(
        writes=True,
        ask=(
            "have {parcel_id} delivered to {point_id}",
            "send {parcel_id} to {point_id} instead",
            "redirect {parcel_id} to {point_id}",
            "let me pick {parcel_id} up at {point_id}",
        ),
        reply=("The {partner} parcel goes to the pickup point; it is expected on {expected_on}.",),
        where=relations.REDIRECTING,
    )
    def redirect_parcel(self, parcel_id: rec.ParcelId, point_id: rec.PointId) -> rec.Parcel:
        """Have an incoming parcel delivered to a pickup point of its city.

        Args:
            parcel_id: Parcel to redirect.
            point_id: Pickup point that it shall go to.
        """
        parcel, point = self._changeable(parcel_id), self.points.require(point_id)
        rules.check_point(point, parcel)
        self._free_locker(parcel)
        self.points.replace(point.evolve(lockers=point.lockers - 1))
        fees = rules.fees_with(parcel, None)
        return self.parcels.replace(parcel.evolve(point_id=point.id, window=None, left_at=None, fees=fees))

    @tool(
        writes=True,
        ask=(
            "have {parcel_id} brought to my door after all",
            "deliver {parcel_id} to my home rather than to the pickup point",
            "undo the pickup of {parcel_id} and bring it to the door",
            "let {parcel_id} come to my address again",
        ),
        reply=("The {partner} parcel comes to {address}; it is expected on {expected_on}.",),
        where=relations.CHANGEABLE,
    )
    def deliver_to_door(self, parcel_id: rec.ParcelId) -> rec.Parcel:
        """Have an incoming parcel that was to go to a pickup point delivered to the door again.

        Args:
            parcel_id: Parcel to bring to the door.
        """
        parcel = self._changeable(parcel_id)
        if parcel.point_id is None:
            raise ToolError("conflict", f"The {parcel.partner} parcel comes to the door already.")
        self._free_locker(parcel)
        return self.parcels.replace(parcel.evolve(point_id=None))

    @tool(
        writes=True,
        ask=(
            "have {parcel_id} come on {day} instead",
            "move the delivery of {parcel_id} to {day}",
            "put off {parcel_id} until {day}",
            "change the day of {parcel_id} to {day}",
        ),
        reply=("The {partner} parcel comes on {expected_on} now.",),
        where=relations.PUTTING_OFF,
    )
    def change_day(self, parcel_id: rec.ParcelId, day: dt.date) -> rec.Parcel:
        """Have an incoming parcel delivered on another of the days that it offers; possible once.

        Args:
            parcel_id: Parcel to put off.
            day: Day on which it shall come.
        """
        parcel = self._changeable(parcel_id)
        rules.check_day(day, parcel, self.now.date())
        return self.parcels.replace(parcel.evolve(expected_on=day, other_days=()))

    @tool(
        writes=True,
        ask=(
            "have {parcel_id} delivered in the {window}",
            "ask for {parcel_id} to come in the {window}",
            "book the {window} for the delivery of {parcel_id}",
            "set the delivery of {parcel_id} to the {window}",
        ),
        reply=("The {partner} parcel comes in the {window} of {expected_on}; the fees for it are {fees}.",),
        where=relations.CHOOSING,
    )
    def choose_window(self, parcel_id: rec.ParcelId, window: rec.Window) -> rec.Parcel:
        """Choose the part of the day in which an incoming parcel comes to the door; the evening costs 3 dollars.

        Args:
            parcel_id: Parcel to be delivered.
            window: Part of the day.
        """
        parcel = self._changeable(parcel_id)
        if parcel.point_id is not None:
            raise ToolError("precondition_failed", "The parcel goes to a pickup point, not to the door.")
        if parcel.window == window:
            raise ToolError("conflict", f"The parcel comes in the {window} already.")
        return self.parcels.replace(parcel.evolve(window=window, fees=rules.fees_with(parcel, window)))

    @tool(
        writes=True,
        ask=(
            "tell the driver of {parcel_id}: '{text}'",
            "leave the note '{text}' for the delivery of {parcel_id}",
            "add the delivery instruction '{text}' to {parcel_id}",
            "let the courier of {parcel_id} know: '{text}'",
        ),
        reply=("The driver of the {partner} parcel will know.",),
        where=relations.CHANGEABLE,
    )
    def leave_instructions(self, parcel_id: rec.ParcelId, text: rec.Instructions) -> rec.Parcel:
        """Tell the driver of an incoming parcel something; what was told before is replaced.

        Args:
            parcel_id: Parcel to be delivered.
            text: What the driver should know.
        """
        return self.parcels.replace(self._changeable(parcel_id).evolve(instructions=text))

    @tool(
        ask=(
            "find out what a {size} parcel to {city} costs[, insured for {insured}]",
            "get me the postage for a {size} parcel to {city}[ with {insured} of insurance]",
            "check how much a {size} parcel to {city} would be[ if I insure it for {insured}]",
            "compare the prices of sending a {size} parcel to {city}[, insured for {insured}]",
        ),
        reply=("You can send it {offers}.",),
        where=relations.SENDING,
    )
    def get_quote(self, city: rec.City, size: rec.Size, insured: rec.Insured | None = None) -> rec.Quote:
        """Get the prices of sending a parcel from the signed-in user's city, for each speed.

        Args:
            city: City that it goes to.
            size: Size of the parcel.
            insured: Value to insure, 1000 dollars at most.
        """
        rules.check_served(city, self.cities.values())
        return rules.quote(city, size, insured, self.now.date(), away=self._away(city))

    @tool(
        writes=True,
        ask=(
            "send a {size} parcel by {speed} delivery to {partner}, {address} in {city}[, insured for {insured}]",
            "ship a {size} parcel to {partner} at {address} in {city}, {speed}[, with {insured} of insurance]",
            "post a {size} parcel for {partner}, {address}, {city}, by {speed} delivery[ and insure it for {insured}]",
            "mail {partner} a {size} parcel to {address} in {city}, by {speed} delivery[, insured for {insured}]",
        ),
        reply=("The {size} parcel to {partner} is announced for {price}; it should arrive on {expected_on}.",),
        where=relations.SENDING,
    )
    def send_parcel(
        self,
        partner: rec.Partner,
        address: rec.Street,
        city: rec.City,
        size: rec.Size,
        speed: rec.Speed,
        insured: rec.Insured | None = None,
    ) -> rec.Parcel:
        """Announce a parcel to somebody; it is paid for at once.

        Args:
            partner: Who the parcel goes to.
            address: Street and number.
            city: City, by its English name.
            size: Size of the parcel.
            speed: How fast it travels.
            insured: Value to insure, 1000 dollars at most.
        """
        rules.check_served(city, self.cities.values())
        price = rules.price_of(size, speed, away=self._away(city), insured=insured)
        return self.parcels.insert(
            rec.Parcel(
                id=self.new_id("PC"), direction="outgoing", partner=partner, size=size, speed=speed, address=address,
                city=city, expected_on=rules.arrival(self.now.date(), speed), insured=insured, price=price,
                status="announced",
            )
        )  # fmt: skip

    @tool(
        writes=True,
        ask=(
            "cancel the shipment of {parcel_id}",
            "call off {parcel_id} before it is sent",
            "stop {parcel_id} from being sent",
            "take back {parcel_id}, which is not to be sent after all",
        ),
        reply=("The parcel is not sent, and {refund} will be paid back.",),
        where=relations.CANCELLING,
    )
    def cancel_shipment(self, parcel_id: rec.ParcelId) -> rec.Cancelled:
        """Cancel an outgoing parcel that is not yet handed in; the label costs 1 dollar.

        Args:
            parcel_id: Parcel that is not sent after all.
        """
        parcel = self.parcels.require(parcel_id)
        rules.check_cancellable(parcel)
        self.parcels.replace(parcel.evolve(status="cancelled"))
        return rec.Cancelled(parcel_id=parcel.id, refund=rules.refund(parcel))

    @tool(
        writes=True,
        ask=(
            "report {parcel_id} as {reason}",
            "file a claim because {parcel_id} is {reason}",
            "make a complaint that {parcel_id} is {reason}",
            "ask for compensation since {parcel_id} is {reason}",
        ),
        reply=("The claim about the {partner} parcel is filed; it pays {amount}.",),
        where=relations.CLAIMING,
    )
    def report_problem(self, parcel_id: rec.ParcelId, reason: rec.Reason) -> rec.ParcelClaim:
        """Claim for a parcel that came damaged, is late or missing; once a parcel.

        Damage and loss pay the insured value or 50 dollars; lateness, and loss too, the price of what the user sent.
        What is reported missing is lost.

        Args:
            parcel_id: Parcel that something is wrong with.
            reason: What is wrong.
        """
        parcel, today = self.parcels.require(parcel_id), self.now.date()
        rules.check_claim(parcel, reason, self.claims.values(), today)
        if reason == "missing":
            self._free_locker(parcel)
            self.parcels.replace(parcel.evolve(status="lost", point_id=None, other_days=()))
        return self.claims.insert(rules.new_claim(self.new_id("CLM"), parcel, reason, today))

    @tool(
        writes=True,
        by="user",
        ask=(
            "sign the release of {parcel_id} in the app",
            "give your signature for the release of {parcel_id} in the app",
            "open the app and sign the release of {parcel_id}",
            "confirm the release of {parcel_id} in the app with your signature",
        ),
        reply=(
            "I have signed it",
            "done, it is signed in the app",
            "signed, it is in the app now",
            "I put my signature under it",
        ),
        where=relations.CHANGEABLE,
    )
    def sign_release(self, parcel_id: rec.ParcelId) -> rec.Release:
        """Sign in the app that an incoming parcel may be left without a signature at the door.

        Args:
            parcel_id: Parcel to release.
        """
        parcel = self.parcels.replace(self._changeable(parcel_id).evolve(signed_on=self.now.date()))
        return rec.Release(parcel_id=parcel.id, signed_on=self.now.date())

    @tool(
        writes=True,
        ask=(
            "have {parcel_id} left at the {place} if nobody is at home",
            "let the driver leave {parcel_id} at the {place}",
            "tell them to put {parcel_id} down at the {place} when I am out",
            "arrange for {parcel_id} to be left at the {place} without me signing at the door",
        ),
        reply=("The {partner} parcel will be left at the {left_at} if nobody is at home.",),
        where=relations.LEAVING,
        first="sign_release",
    )
    def leave_unattended(self, parcel_id: rec.ParcelId, place: rec.Place) -> rec.Parcel:
        """Have an incoming parcel left at a place near the door, once its recipient has signed its release in the app.

        Args:
            parcel_id: Parcel to leave.
            place: Where it is left if nobody is at home.
        """
        parcel = self._changeable(parcel_id)
        rules.check_place(place, parcel)
        return self.parcels.replace(parcel.evolve(left_at=place, signed_on=None))

    def _changeable(self, parcel_id: str) -> rec.Parcel:
        """An incoming parcel whose delivery can still be changed."""
        return rules.changeable(self.parcels.require(parcel_id))

    def _free_locker(self, parcel: rec.Parcel) -> None:
        if parcel.point_id is not None:
            former = self.points.require(parcel.point_id)
            self.points.replace(former.evolve(lockers=former.lockers + 1))

    def _away(self, city: str) -> bool:
        return city != self.users.require(self.user_id).city

    @classmethod
    def scenario(cls, world: World, size: int) -> Self:
        """Parcels announced, under way, late, waiting and delivered, and pickup points full and free."""
        return cls.model_validate(parcels(world, size))
