"""A hotel booking service: search and compare hotels, book rooms by the night, change and cancel for a fee.

Rooms are counted by night: a stay takes one room of its kind on every night from check-in until the night before
check-out, so whether a change is possible depends on everybody else's stays.
"""

import datetime as dt
from typing import Annotated, Literal, Self

from pydantic import Field

from envfactory.catalogue.travel._hotel_records import (
    SLEEPS,
    Amenity,
    Availability,
    Cancellation,
    City,
    Guest,
    GuestId,
    Guests,
    Hotel,
    HotelId,
    HotelPage,
    Offer,
    Reservation,
    ReservationId,
    ReservationPage,
    Review,
    ReviewPage,
    Room,
    RoomKind,
    Status,
)  # fmt: skip
from envfactory.catalogue.travel._hotel_scenario import hotel_world
from envfactory.environment import (
    After,
    Differing,
    Ends,
    Environment,
    FieldOf,
    FreeText,
    FromNow,
    Graded,
    Having,
    Money,
    NamedIn,
    Owned,
    PageNumber,
    Table,
    ToolError,
    Within,
    World,
    cents,
    owned,
    standing,
    tool,
)  # fmt: skip

TITLES = (
    (4, ("too loud to sleep", "the room was not clean", "not worth the money", "we would not go back")),
    (
        7,
        ("all right for a night", "good location, but small rooms", "nothing special", "friendly but a bit worn"),
    ),
    (10, ("lovely stay", "spotless and quiet", "great staff and a good breakfast", "we will be back")),
)
"""What guests write with such a score at most."""


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

    guest_id: GuestId
    """Guest whose session this is."""
    hotels: Table[Hotel]
    guests: Table[Guest]
    reservations: Table[Reservation]
    reviews: Table[Review]

    @tool(
        ask=(
            "find me hotels in {city}[ that have {amenity}][, at least {min_stars} stars][, under {max_rate} a night]",
            "look up hotels in {city}[ with {amenity}][ of {min_stars} stars or more][ up to {max_rate} a night]",
            "show me the hotels in {city}[ with {amenity}][, {min_stars} stars and up][, at most {max_rate} a night]",
            "see what hotels {city} has[ with {amenity}][, {min_stars} or more stars][, below {max_rate} a night]",
        ),
        noun="hotel in {city}[ with {amenity}][ with at least {min_stars} stars][ under {max_rate} a night]",
        reply=("I found {hotels}.", "I found no hotel in {city} that fits."),
        where=(Within(parameter="max_rate", low=90, high=220, step=10),),
    )
    def search_hotels(
        self,
        city: City,
        amenity: Amenity | None = None,
        min_stars: Annotated[int, Field(ge=1, le=5)] | None = None,
        max_rate: Annotated[Money, Field(gt=0)] | None = None,
        sort: Literal["rate", "rating", "stars"] = "rate",
        page: PageNumber = 1,
    ) -> HotelPage:
        """Search the hotels of a city.

        Args:
            city: City to stay in, by its English name.
            amenity: Only hotels that offer this.
            min_stars: Only hotels with at least as many stars.
            max_rate: Only hotels with a room at or below this price a night.
            sort: Order: lowest rate first, best rating first, or most stars first.
            page: Page of the results, five hotels each.
        """
        found = [
            hotel
            for hotel in self.hotels.values()
            if hotel.city == city
            and (amenity is None or amenity in hotel.amenities)
            and (min_stars is None or hotel.stars >= min_stars)
            and (max_rate is None or hotel.from_rate <= max_rate)
        ]
        order = {
            hotel.id: {"rate": hotel.from_rate, "rating": -hotel.rating, "stars": -hotel.stars}[sort] for hotel in found
        }
        found.sort(key=lambda hotel: (order[hotel.id], hotel.id))
        return HotelPage.of(found, page)

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
    def get_hotel(self, hotel_id: HotelId) -> Hotel:
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
        where=(
            FromNow(parameter="check_in", days=(4, 80)),
            After(parameter="check_out", other="check_in", days=(1, 7)),
            Within(parameter="guests", low=1, high=4),
        ),
    )
    def check_availability(
        self, hotel_id: HotelId, check_in: dt.date, check_out: dt.date, guests: Guests = 2
    ) -> Availability:
        """List the kinds of rooms of a hotel that are free for a whole stay, with the price of the stay.

        Args:
            hotel_id: Hotel to ask.
            check_in: First night of the stay.
            check_out: Day of departure.
            guests: How many people stay in the room.
        """
        hotel = self.hotels.require(hotel_id)
        nights = self._nights(check_in, check_out)
        offers = tuple(
            Offer(room_kind=room.kind, rooms_left=left, total=cents(room.nightly_rate * nights))
            for room in hotel.rooms
            if SLEEPS[room.kind] >= guests and (left := self._rooms_left(hotel, room, check_in, check_out)) > 0
        )
        return Availability(hotel_id=hotel.id, nights=nights, offers=offers)

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
        where=(
            FromNow(parameter="check_in", days=(4, 80)),
            After(parameter="check_out", other="check_in", days=(1, 7)),
            FieldOf(parameter="room_kind", other="hotel_id", field="rooms[].kind"),
            Within(parameter="guests", low=1, high=2),
        ),
    )
    def book_room(
        self,
        hotel_id: HotelId,
        room_kind: RoomKind,
        check_in: dt.date,
        check_out: dt.date,
        guests: Guests = 1,
        request: Annotated[str, FreeText(("a late check-in", "a cot", "extra pillows", "a view of the garden"))]
        | None = None,
    ) -> Reservation:
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
        room = self._fitting_room(hotel, room_kind, guests)
        nights = self._nights(check_in, check_out)
        if self._rooms_left(hotel, room, check_in, check_out) < 1:
            raise ToolError("conflict", f"{hotel.name} has no {room_kind} room left from {check_in} to {check_out}.")
        return self.reservations.insert(
            Reservation(
                id=self.new_id("RES"),
                hotel_id=hotel.id,
                hotel_name=hotel.name,
                guest_id=self.guest_id,
                room_kind=room_kind,
                check_in=check_in,
                check_out=check_out,
                guests=guests,
                total=cents(room.nightly_rate * nights),
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
    def list_reservations(self, status: Status | None = None, page: PageNumber = 1) -> ReservationPage:
        """List the signed-in guest's reservations, the next stay first.

        Args:
            status: Only reservations that stand like this.
            page: Page of the results, five reservations each.
        """
        mine = [r for r in self.reservations.values() if r.guest_id == self.guest_id and status in (None, r.status)]
        mine.sort(key=lambda r: (r.check_in, r.id))
        return ReservationPage.of(mine, page)

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
        where=(Owned(parameter="reservation_id", field="guest_id", by="guest_id"),),
    )
    def get_reservation(self, reservation_id: ReservationId) -> Reservation:
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
        where=(
            Owned(parameter="reservation_id", field="guest_id", by="guest_id"),
            Having(parameter="reservation_id", field="status", among=("confirmed",)),
            FromNow(parameter="check_in", days=(4, 80)),
            After(parameter="check_out", other="check_in", days=(1, 7)),
        ),
    )
    def change_dates(self, reservation_id: ReservationId, check_in: dt.date, check_out: dt.date) -> Reservation:
        """Move a reservation to other dates at the same hotel, for a fee of 15 dollars.

        Args:
            reservation_id: Reservation to move.
            check_in: New first night.
            check_out: New day of departure.
        """
        stay = self._changeable(reservation_id)
        nights = self._nights(check_in, check_out)
        if (stay.check_in, stay.check_out) == (check_in, check_out):
            raise ToolError("invalid_argument", "The reservation has these dates already.")
        hotel = self.hotels.require(stay.hotel_id)
        room = self._fitting_room(hotel, stay.room_kind, stay.guests)
        if self._rooms_left(hotel, room, check_in, check_out, besides=stay.id) < 1:
            raise ToolError(
                "conflict", f"{hotel.name} has no {stay.room_kind} room left from {check_in} to {check_out}."
            )
        total = cents(room.nightly_rate * nights)
        return self.reservations.replace(
            stay.evolve(check_in=check_in, check_out=check_out, total=total, fee=cents(stay.fee + 15))
        )

    @tool(
        writes=True,
        ask=(
            "change {reservation_id} to a {room_kind} room",
            "switch {reservation_id} to a {room_kind} room",
            "change the room of {reservation_id} to a {room_kind} one",
            "have {reservation_id} changed to a {room_kind} room",
        ),
        reply=("You now have a {room_kind} room at {hotel_name}; the stay costs {total}.",),
        where=(
            Owned(parameter="reservation_id", field="guest_id", by="guest_id"),
            Having(parameter="reservation_id", field="status", among=("confirmed",)),
            Differing(parameter="room_kind", other="reservation_id", field="room_kind"),
        ),
    )
    def change_room(self, reservation_id: ReservationId, room_kind: RoomKind) -> Reservation:
        """Switch a reservation to another kind of room at that room's rate.

        Args:
            reservation_id: Reservation to change.
            room_kind: Kind of room wanted.
        """
        stay = self._changeable(reservation_id)
        if stay.room_kind == room_kind:
            raise ToolError("invalid_argument", f"The reservation is for a {room_kind} room already.")
        hotel = self.hotels.require(stay.hotel_id)
        room = self._fitting_room(hotel, room_kind, stay.guests)
        if self._rooms_left(hotel, room, stay.check_in, stay.check_out) < 1:
            raise ToolError("conflict", f"{hotel.name} has no {room_kind} room left on those nights.")
        nights = (stay.check_out - stay.check_in).days
        return self.reservations.replace(stay.evolve(room_kind=room_kind, total=cents(room.nightly_rate * nights)))

    @tool(
        writes=True,
        ask=(
            "cancel {reservation_id}",
            "call off {reservation_id}",
            "cancel {reservation_id}, since I can't make it",
            "cancel {reservation_id} for me",
        ),
        reply=("The stay is cancelled. The fee is {fee}, and {refund} will be paid back.",),
        where=(
            Owned(parameter="reservation_id", field="guest_id", by="guest_id"),
            Having(parameter="reservation_id", field="status", among=("confirmed",)),
            Ends(parameter="reservation_id"),
        ),
    )
    def cancel_reservation(self, reservation_id: ReservationId) -> Cancellation:
        """Cancel a reservation; free until three days before check-in, after that the first night is charged.

        Args:
            reservation_id: Reservation to cancel.
        """
        stay = self._changeable(reservation_id)
        nights = (stay.check_out - stay.check_in).days
        late = (stay.check_in - self.now.date()).days < 3
        fee = cents(stay.total / nights) if late else 0.0
        self.reservations.replace(stay.evolve(status="cancelled", fee=cents(stay.fee + fee)))
        return Cancellation(reservation_id=stay.id, fee=fee, refund=cents(stay.total - fee))

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
        hotel_id: HotelId,
        min_score: Annotated[int, Field(ge=1, le=10)] = 1,
        page: PageNumber = 1,
    ) -> ReviewPage:
        """Read the reviews of a hotel, the best first.

        Args:
            hotel_id: Hotel that is reviewed.
            min_score: Only reviews with at least this score.
            page: Page of the results, five reviews each.
        """
        self.hotels.require(hotel_id)
        found = [r for r in self.reviews.values() if r.hotel_id == hotel_id and r.score >= min_score]
        found.sort(key=lambda r: (-r.score, r.id))
        average = round(sum(r.score for r in found) / len(found), 1) if found else 0.0
        return ReviewPage.of(found, page, average=average)

    @tool(
        writes=True,
        ask=(
            "leave a review of {score} out of 10 for {hotel_id}, saying '{title}'",
            "give {hotel_id} {score} out of 10 and write '{title}'",
            "rate {hotel_id} {score} out of 10 with the comment '{title}'",
            "post a {score} out of 10 review for {hotel_id}: '{title}'",
        ),
        reply=("Your review with a score of {score} is posted. Thank you!",),
        where=(
            NamedIn(
                parameter="hotel_id", entity="Reservation", field="hotel_id", status="status", among=("completed",)
            ),
            Graded(parameter="title", other="score", bands=TITLES),
        ),
    )
    def write_review(
        self,
        hotel_id: HotelId,
        score: Annotated[int, Field(ge=1, le=10)],
        title: Annotated[
            str,
            Field(min_length=3, max_length=120),
            FreeText(),
        ],
    ) -> Review:
        """Review a hotel where the signed-in guest has completed a stay; one review a hotel.

        Args:
            hotel_id: Hotel to review.
            score: Score, 1 to 10.
            title: What you want to say, in a line.
        """
        hotel = self.hotels.require(hotel_id)
        stays = [r for r in self.reservations.values() if (r.guest_id, r.hotel_id) == (self.guest_id, hotel_id)]
        if not any(stay.status == "completed" for stay in stays):
            raise ToolError("precondition_failed", f"Only guests who have stayed at {hotel.name} can review it.")
        if any((r.guest_id, r.hotel_id) == (self.guest_id, hotel_id) for r in self.reviews.values()):
            raise ToolError("conflict", f"You have reviewed {hotel.name} already.")
        return self.reviews.insert(
            Review(id=self.new_id("REV"), hotel_id=hotel_id, guest_id=self.guest_id, score=score, title=title)
        )

    def _nights(self, check_in: dt.date, check_out: dt.date) -> int:
        nights = (check_out - check_in).days
        if check_in < self.now.date():
            raise ToolError("invalid_argument", f"The stay cannot begin on {check_in}, which is past.")
        if not 1 <= nights <= 14:
            raise ToolError("invalid_argument", f"A stay is one to fourteen nights, not {nights}.")
        return nights

    def _fitting_room(self, hotel: Hotel, kind: str, guests: int) -> Room:
        room = next((room for room in hotel.rooms if room.kind == kind), None)
        if room is None:
            has = ", ".join(room.kind for room in hotel.rooms)
            raise ToolError("not_found", f"{hotel.name} has no {kind} rooms; it has {has}.")
        if guests > SLEEPS[kind]:
            raise ToolError("limit_exceeded", f"A {kind} room sleeps {SLEEPS[kind]}, not {guests}.")
        return room

    def _rooms_left(self, hotel: Hotel, room: Room, check_in: dt.date, check_out: dt.date, besides: str = "") -> int:
        """Rooms of this kind that are free on every night of the stay."""
        stays = [
            stay
            for stay in self.reservations.values()
            if stay.hotel_id == hotel.id
            and stay.room_kind == room.kind
            and stay.status == "confirmed"
            and stay.id != besides
            and stay.check_in < check_out
            and stay.check_out > check_in
        ]
        if not stays:
            return room.rooms
        nights = [check_in + dt.timedelta(days=offset) for offset in range((check_out - check_in).days)]
        return room.rooms - max(sum(stay.check_in <= night < stay.check_out for stay in stays) for night in nights)

    def _mine(self, reservation_id: str) -> Reservation:
        return owned(self.reservations.require(reservation_id), "guest_id", self.guest_id)

    def _changeable(self, reservation_id: str) -> Reservation:
        stay = standing(self._mine(reservation_id), ("confirmed",), "changed")
        if stay.check_in <= self.now.date():
            raise ToolError("precondition_failed", "The stay has begun, so it cannot be changed.")
        return stay

    @classmethod
    def scenario(cls, world: World, size: int) -> Self:
        """Hotels in the world's cities, the user's own stays in every status, and other guests who take up rooms."""
        return cls.model_validate(hotel_world(world, size))
