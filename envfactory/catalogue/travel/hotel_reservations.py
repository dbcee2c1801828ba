"""A hotel booking service: search and compare hotels, book rooms by the night, change and cancel for a fee.

Rooms are counted by night: a stay takes one room of its kind on every night from check-in until the night before
check-out, so whether a change is possible depends on everybody else's stays.
"""

import datetime as dt
from typing import Annotated, Self, TypeVar

from pydantic import Field

from envfactory.catalogue.travel import _hotel_records as rec
from envfactory.catalogue.travel import _hotel_relations as relations
from envfactory.catalogue.travel import _hotel_rules as rules
from envfactory.catalogue.travel._hotel_scenario import hotel_world
from envfactory.environment import Environment, FreeText, Money, PageNumber, Table, World, cents, owned, tool

R = TypeVar("R", rec.Reservation, rec.Review)


class HotelReservations(Environment):
    """Search hotels, compare rooms and prices, and manage a guest's own reservations."""

    domain = "travel"
    policy = """Stays are one to fourteen nights. Cancelling is free until three days before check-in; after that the
    first night is charged. Changing the dates of a stay costs 15 dollars. A stay that has begun can be neither changed
    nor cancelled. Reviews are for guests who completed a stay at the hotel, one each. Never book without the guest's
    dates."""
    sources = (
        "Booking.com Demand API 3.1, Accommodations and Orders",
        "Amadeus Self-Service APIs, Hotel Search and Hotel Booking",
        "Hotelbeds APItude Booking API 1.0",
    )

    guest_id: rec.GuestId
    """Guest whose session this is."""
    hotels: Table[rec.Hotel]
    guests: Table[rec.Guest]
    reservations: Table[rec.Reservation]
    reviews: Table[rec.Review]

    @tool(
        ask=(
            "find me hotels in {city}[ that have {amenity}][, at least {min_stars} stars][, under {max_rate} a night]",
            "look up hotels in {city}[ with {amenity}][ of {min_stars} stars or more][ up to {max_rate} a night]",
            "show me the hotels in {city}[ with {amenity}][, {min_stars} stars and up][, at most {max_rate} a night]",
            "see what hotels {city} has[ with {amenity}][, {min_stars} or more stars][, below {max_rate} a night]",
        ),
        noun="hotel in {city}[ with {amenity}][ with at least {min_stars} stars][ under {max_rate} a night]",
        reply=("I found {hotels}.", "I found no hotel in {city} that fits."),
        where=relations.SEARCHING,
    )
    def search_hotels(
        self,
        city: rec.City,
        amenity: rec.Amenity | None = None,
        min_stars: Annotated[int, Field(ge=1, le=5)] | None = None,
        max_rate: Annotated[Money, Field(gt=0)] | None = None,
        sort: rec.Sort = "rate",
        page: PageNumber = 1,
    ) -> rec.HotelPage:
        """Search the hotels of a city.

        Args:
            city: City to stay in, by its English name.
            amenity: Only hotels that offer this.
            min_stars: Only hotels with at least as many stars.
            max_rate: Only hotels with a room at or below this price a night.
            sort: Order: lowest rate first, best rating first, or most stars first.
            page: Page of the results, five hotels each.
        """
        there = [hotel for hotel in self.hotels.values() if hotel.city == city]
        found = [hotel for hotel in there if rules.suits(hotel, amenity, min_stars, max_rate)]
        found.sort(key=lambda hotel: rules.rank(hotel, sort))
        return rec.HotelPage.of(found, page)

    @tool(
        ask=(
            "tell me more about {hotel_id}",
            "give me the details of {hotel_id}",
            "tell me what {hotel_id} offers",
            "pull up the address and amenities of {hotel_id}",
        ),
        reply=(
            "{name} is at {address} in {city}; it has {stars} stars, a rating of {rating}, and offers {amenities}.",
            "{name} is at {address} in {city}; it has {stars} stars and a rating of {rating}.",
        ),
    )
    def get_hotel(self, hotel_id: rec.HotelId) -> rec.Hotel:
        """Get everything about one hotel: address, amenities, kinds of rooms.

        Args:
            hotel_id: Hotel to look at.
        """
        return self.hotels.require(hotel_id)

    @tool(
        ask=(
            "check which rooms {hotel_id} has from {check_in} to {check_out}[ for {guests}]",
            "see whether {hotel_id} is free between {check_in} and {check_out}[ for {guests}]",
            "find out what a stay at {hotel_id} costs from {check_in} to {check_out}[ for {guests}]",
            "get me the prices at {hotel_id} for {check_in} to {check_out}[, {guests}]",
        ),
        reply=("For {nights} there is {offers}.", "There is nothing free on those dates."),
        where=relations.COMPARING,
    )
    def check_availability(
        self, hotel_id: rec.HotelId, check_in: dt.date, check_out: dt.date, guests: rec.Guests = 2
    ) -> rec.Availability:
        """List the kinds of rooms of a hotel that are free for a whole stay, with the price of the stay.

        Args:
            hotel_id: Hotel to ask.
            check_in: First night of the stay.
            check_out: Day of departure.
            guests: How many people stay in the room.
        """
        hotel = self.hotels.require(hotel_id)
        rules.check_dates(check_in, check_out, self.now.date())
        return rules.availability(hotel, check_in, check_out, guests, list(self.reservations.values()))

    @tool(
        writes=True,
        ask=(
            "book me a {room_kind} room at {hotel_id} from {check_in} to {check_out}[ for {guests}][, with {request}]",
            "reserve a {room_kind} room at {hotel_id}, {check_in} to {check_out}[, {guests}][, with {request}]",
            "get me a {room_kind} room at {hotel_id} for {check_in} to {check_out}[, {guests}][, with {request}]",
            "put me down for a {room_kind} room at {hotel_id}, {check_in} to {check_out}[, {guests}][, with {request}]",
        ),
        reply=(
            "Your {room_kind} room at {hotel_name} is booked from {check_in} to {check_out}; the stay costs {total}.",
        ),
        where=relations.BOOKING,
    )
    def book_room(
        self,
        hotel_id: rec.HotelId,
        room_kind: rec.RoomKind,
        check_in: dt.date,
        check_out: dt.date,
        guests: rec.Guests = 1,
        request: Annotated[str, FreeText(("a late check-in", "a cot", "extra pillows", "a view of the garden"))]
        | None = None,
    ) -> rec.Reservation:
        """Book a room for the signed-in guest.

        Args:
            hotel_id: Hotel to book.
            room_kind: Kind of room.
            check_in: First night of the stay.
            check_out: Day of departure.
            guests: How many people stay in the room.
            request: Anything the hotel should know.
        """
        hotel = self.hotels.require(hotel_id)
        room = rules.fitting_room(hotel, room_kind, guests)
        rules.check_dates(check_in, check_out, self.now.date())
        rules.check_free(hotel, room, check_in, check_out, self.reservations.values())
        return self.reservations.insert(
            rec.Reservation(
                id=self.new_id("RES"),
                hotel_id=hotel.id,
                hotel_name=hotel.name,
                guest_id=self.guest_id,
                room_kind=room_kind,
                check_in=check_in,
                check_out=check_out,
                guests=guests,
                total=rules.price_of(room, check_in, check_out),
                request=request,
            )
        )

    @tool(
        ask=(
            "list my reservations[ that are {status}]",
            "show me my[ {status}] hotel bookings",
            "tell me which[ {status}] stays I have",
            "pull up my[ {status}] hotel reservations",
        ),
        noun="[{status} ]stay of mine",
        reply=("You have {reservations}.", "You have no such reservations."),
    )
    def list_reservations(self, status: rec.Status | None = None, page: PageNumber = 1) -> rec.ReservationPage:
        """List the signed-in guest's reservations, the next stay first.

        Args:
            status: Only reservations that stand like this.
            page: Page of the results, five reservations each.
        """
        found = [stay for stay in self._own(self.reservations) if status in (None, stay.status)]
        found.sort(key=lambda stay: (stay.check_in, stay.id))
        return rec.ReservationPage.of(found, page)

    @tool(
        ask=(
            "show me the details of {reservation_id}",
            "tell me how things stand with {reservation_id}",
            "look up {reservation_id} for me",
            "check the dates and the price of {reservation_id}",
        ),
        reply=(
            "That is a {room_kind} room at {hotel_name} from {check_in} to {check_out} for {total}; it is {status}.",
        ),
        where=relations.LOOKING,
    )
    def get_reservation(self, reservation_id: rec.ReservationId) -> rec.Reservation:
        """Get one of the signed-in guest's reservations.

        Args:
            reservation_id: Reservation to look at.
        """
        return self._mine(reservation_id)

    @tool(
        writes=True,
        ask=(
            "move {reservation_id} so that it runs from {check_in} to {check_out}",
            "change the dates of {reservation_id} to {check_in} through {check_out}",
            "reschedule {reservation_id} so that I arrive on {check_in} and leave on {check_out}",
            "shift the dates of {reservation_id} to {check_in} until {check_out}",
        ),
        reply=(
            "You now stay at {hotel_name} from {check_in} to {check_out}. The price is {total}, plus {fee} in fees.",
        ),
        where=relations.MOVING,
    )
    def change_dates(self, reservation_id: rec.ReservationId, check_in: dt.date, check_out: dt.date) -> rec.Reservation:
        """Move a reservation to other dates at the same hotel, for a fee of 15 dollars.

        Args:
            reservation_id: Reservation to move.
            check_in: New first night.
            check_out: New day of departure.
        """
        stay = self._changeable(reservation_id)
        rules.check_dates(check_in, check_out, self.now.date())
        rules.check_moved(stay, check_in, check_out)
        hotel = self.hotels.require(stay.hotel_id)
        room = rules.fitting_room(hotel, stay.room_kind, stay.guests)
        others = [other for other in self.reservations.values() if other.id != stay.id]
        rules.check_free(hotel, room, check_in, check_out, others)
        return self.reservations.replace(rules.moved(stay, room, check_in, check_out))

    @tool(
        writes=True,
        ask=(
            "change {reservation_id} to a {room_kind} room",
            "switch {reservation_id} to a {room_kind} room",
            "change the room of {reservation_id} to a {room_kind} one",
            "have {reservation_id} changed to a {room_kind} room",
        ),
        reply=("You now have a {room_kind} room at {hotel_name}; the stay costs {total}.",),
        where=relations.SWITCHING,
    )
    def change_room(self, reservation_id: rec.ReservationId, room_kind: rec.RoomKind) -> rec.Reservation:
        """Switch a reservation to another kind of room at that room's rate.

        Args:
            reservation_id: Reservation to change.
            room_kind: Kind of room wanted.
        """
        stay = self._changeable(reservation_id)
        hotel = self.hotels.require(stay.hotel_id)
        return self.reservations.replace(rules.switched(stay, hotel, room_kind, self.reservations.values()))

    @tool(
        writes=True,
        ask=(
            "cancel {reservation_id}",
            "call off {reservation_id}",
            "cancel {reservation_id}, since I can't make it",
            "cancel {reservation_id} for me",
        ),
        reply=("The stay is cancelled. The fee is {fee}, and {refund} will be paid back.",),
        where=relations.CANCELLING,
    )
    def cancel_reservation(self, reservation_id: rec.ReservationId) -> rec.Cancellation:
        """Cancel a reservation; free until three days before check-in, after that the first night is charged.

        Args:
            reservation_id: Reservation to cancel.
        """
        stay = self._changeable(reservation_id)
        fee = rules.cancellation_fee(stay, self.now.date())
        self.reservations.replace(stay.evolve(status="cancelled", fee=cents(stay.fee + fee)))
        return rec.Cancellation(reservation_id=stay.id, fee=fee, refund=cents(stay.total - fee))

    @tool(
        ask=(
            "tell me what guests say about {hotel_id}[, only those who gave {min_score} or more]",
            "read me the reviews of {hotel_id}[ with scores of at least {min_score}]",
            "check the reviews for {hotel_id}[ that score {min_score} or more]",
            "find out how people liked {hotel_id}[, only scores of {min_score} and up]",
        ),
        reply=("Guests give the hotel {average} on average: {reviews}.", "There are no such reviews of this hotel."),
    )
    def list_reviews(
        self,
        hotel_id: rec.HotelId,
        min_score: Annotated[int, Field(ge=1, le=10)] = 1,
        page: PageNumber = 1,
    ) -> rec.ReviewPage:
        """Read the reviews of a hotel, the best first.

        Args:
            hotel_id: Hotel that is reviewed.
            min_score: Only reviews with at least this score.
            page: Page of the results, five reviews each.
        """
        self.hotels.require(hotel_id)
        found = [
            review for review in self.reviews.values() if review.hotel_id == hotel_id and review.score >= min_score
        ]
        found.sort(key=lambda review: (-review.score, review.id))
        return rec.ReviewPage.of(found, page, average=rules.average_of(found))

    @tool(
        writes=True,
        ask=(
            "leave a review of {score} out of 10 for {hotel_id}, saying '{title}'",
            "give {hotel_id} {score} out of 10 and write '{title}'",
            "rate {hotel_id} {score} out of 10 with the comment '{title}'",
            "post a {score} out of 10 review for {hotel_id}: '{title}'",
        ),
        reply=("Your review with a score of {score} is posted. Thank you!",),
        where=relations.REVIEWING,
    )
    def write_review(
        self,
        hotel_id: rec.HotelId,
        score: Annotated[int, Field(ge=1, le=10)],
        title: Annotated[str, Field(min_length=3, max_length=120), FreeText()],
    ) -> rec.Review:
        """Review a hotel where the signed-in guest has completed a stay; one review a hotel.

        Args:
            hotel_id: Hotel to review.
            score: Score, 1 to 10.
            title: What you want to say, in a line.
        """
        hotel = self.hotels.require(hotel_id)
        rules.check_reviewable(hotel, self._own(self.reservations), self._own(self.reviews))
        return self.reviews.insert(
            rec.Review(id=self.new_id("REV"), hotel_id=hotel_id, guest_id=self.guest_id, score=score, title=title)
        )

    def _own(self, table: Table[R]) -> list[R]:
        return [row for row in table.values() if row.guest_id == self.guest_id]

    def _mine(self, reservation_id: str) -> rec.Reservation:
        return owned(self.reservations.require(reservation_id), "guest_id", self.guest_id)

    def _changeable(self, reservation_id: str) -> rec.Reservation:
        return rules.changeable(self._mine(reservation_id), self.now.date())

    @classmethod
    def scenario(cls, world: World, size: int) -> Self:
        """Hotels in the world's cities, the user's own stays in every status, and other guests who take up rooms."""
        return cls.model_validate(hotel_world(world, size))
