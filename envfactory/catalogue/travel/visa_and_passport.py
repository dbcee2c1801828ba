"""A visa service: what a journey needs, applications with their documents, and appointments at visa offices.

A draft is submitted once everything is attached and an appointment is booked, and decided some working days after that
appointment, before arrival. Days in a country are counted over any 180; open applications take up blank pages.
"""

import datetime as dt
from typing import Self

from envfactory.catalogue.travel import _visa_journeys as journeys
from envfactory.catalogue.travel import _visa_relations as relations
from envfactory.catalogue.travel import _visa_rules as rules
from envfactory.catalogue.travel._visa_journeys import Journey
from envfactory.catalogue.travel._visa_records import (
    ApplicationDetails,
    ApplicationId,
    ApplicationPage,
    Arrival,
    City,
    Country,
    DayCount,
    Departure,
    Destination,
    Document,
    EntryCheck,
    Passport,
    PassportId,
    PassportPage,
    Purpose,
    SlotId,
    SlotPage,
    Speed,
    Status,
    Stay,
    Traveller,
    TravellerId,
    VisaApplication,
    VisaId,
    VisaKind,
    VisaSlot,
    Withdrawn,
)
from envfactory.catalogue.travel._visa_rules import open_now
from envfactory.catalogue.travel._visa_scenario import visa_service
from envfactory.environment import Environment, PageNumber, Table, World, owned, standing, tool


class VisaAndPassport(Environment):
    """Check what a journey needs, and look after a traveller's visa applications, documents and appointments."""

    domain = "travel"
    policy = """A passport has to be valid some months after leaving (three or six) and have blank pages, less those
    that open applications for other countries need. Days in a country are counted over any 180, days of travel, past
    stays and granted journeys included. An application is started 7 to 180 days before arrival, one for each country at
    a time, and not where no visa is needed or one is granted for those days. Documents must be recent, also when it is
    submitted: bank statements 30 days, invitation letters 90, photos and hotel bookings 180, insurance and admission
    letters 365. It is submitted, complete, before the day of its appointment; after that only the appointment can be
    moved, until the day before. It is decided 15 working days after the appointment, or 5 for 45 dollars (express) or 2
    for 90 (urgent), which must be before arrival. Submitting charges the fee. Withdrawing before the day of the
    appointment costs 30 dollars, later the whole fee; a draft costs nothing. Never start an application without knowing
    both days of travel."""
    sources = (
        "European Union, ETIAS, EES and Schengen short-stay calculator pages",
        "GOV.UK, Standard Visitor visa, apply for a visa and get a faster decision",
        "IATA Timatic, passport validity, blank page and visa requirements",
        "VFS Global, schedule, reschedule and cancel an appointment",
    )

    traveller_id: TravellerId
    """Traveller whose session this is."""
    travellers: Table[Traveller]
    passports: Table[Passport]
    destinations: Table[Destination]
    visas: Table[VisaKind]
    slots: Table[VisaSlot]
    stays: Table[Stay]
    applications: Table[VisaApplication]

    @tool(
        ask=(
            "list my passports[ that are valid until {valid_until} or longer]",
            "show me which passports I have[, valid until {valid_until} at least]",
            "check which of my passports can be used[ until {valid_until}]",
            "look up my passports[, only those still good on {valid_until}]",
        ),
        noun="passport of mine[ valid until {valid_until}]",
        reply=("Your passports: {passports}.", "You have no such passport."),
        where=relations.PASSPORTS,
    )
    def list_passports(self, valid_until: dt.date | None = None, page: PageNumber = 1) -> PassportPage:
        """List the signed-in traveller's passports, expired ones included, the one that is valid longest first.

        Args:
            valid_until: Only passports that are still valid on this day.
            page: Page of the results, five passports each.
        """
        mine = [p for p in self.passports.values() if p.traveller_id == self.traveller_id]
        found = [p for p in mine if valid_until is None or p.expires_on >= valid_until]
        found.sort(key=lambda passport: (passport.expires_on, passport.id), reverse=True)
        return PassportPage.of(found, page)

    @tool(
        ask=(
            "count how many days I have left in {country} as of {on}",
            "work out how long I may still be in {country} as of {on}",
            "tell me how many of my days in {country} are used up by {on}",
            "check how many days of my 180-day allowance for {country} are left on {on}",
        ),
        reply=("By {on} you have used {used} in {country}[ ({stays})], and {left} are left.",),
        where=relations.COUNTING,
    )
    def count_days(self, country: Country, on: dt.date) -> DayCount:
        """Count the signed-in traveller's days in a country in the 180 days up to a day, and how many are left.

        Args:
            country: Country to count for.
            on: Last of the 180 days.
        """
        place = journeys.place_of(country, self.destinations.values())
        return journeys.day_count(place, on, self._days(country), self._stays())

    @tool(
        ask=(
            "check what {passport_id} needs for {purpose} in {country} from {arrive_on} to {leave_on}",
            "find out if I need a visa for {purpose} in {country}, {arrive_on} to {leave_on}, with {passport_id}",
            "see whether {passport_id} will do for {country}, {arrive_on} to {leave_on}, for {purpose}",
            "tell me what it takes to enter {country} for {purpose} on {passport_id} from {arrive_on} to {leave_on}",
        ),
        reply=(
            "For {days} in {country} this is in the way: {obstacles}.",
            "You need a visa for {country}; these fit: {visas}.",
            "You need no visa for these {days} in {country}, and your passport will do.",
        ),
        where=relations.ENTERING,
    )
    def check_entry(
        self, country: Country, purpose: Purpose, passport_id: PassportId, arrive_on: Arrival, leave_on: Departure
    ) -> EntryCheck:
        """Check a journey: whether passport and days allow it, whether a visa is needed, and which visas fit.

        Args:
            country: Country to travel to.
            purpose: tourism, business, family_visits or study.
            passport_id: Passport to travel on.
            arrive_on: First day there.
            leave_on: Last day there.
        """
        journey = self._journey(country, passport_id, arrive_on, leave_on)
        return journeys.entry_check(journey, purpose, self.visas.values())

    @tool(
        writes=True,
        ask=(
            "start an application for {visa_id} on {passport_id}, arriving on {arrive_on} and leaving on {leave_on}",
            "apply for {visa_id} with {passport_id} for {arrive_on} to {leave_on}",
            "open an application for {visa_id}, {arrive_on} to {leave_on}, using {passport_id}",
            "begin a draft for {visa_id} from {arrive_on} to {leave_on}, on {passport_id}",
        ),
        reply=("Your {country} application for {arrive_on} to {leave_on} is a draft for {fee}; it needs {missing}.",),
        where=relations.STARTING,
    )
    def start_application(
        self, visa_id: VisaId, passport_id: PassportId, arrive_on: Arrival, leave_on: Departure
    ) -> VisaApplication:
        """Start an application as a draft; documents, an appointment and the fee come later.

        Args:
            visa_id: Visa to apply for.
            passport_id: Passport that it goes into.
            arrive_on: First day there, 7 to 180 days from today.
            leave_on: Last day there.
        """
        visa = self.visas.require(visa_id)
        journey = self._journey(visa.country, passport_id, arrive_on, leave_on)
        journeys.check_start(journey, visa, self._mine(), self.now.date())
        return self.applications.insert(journeys.draft(self.new_id("VA"), visa, journey.passport, arrive_on, leave_on))

    @tool(
        ask=(
            "list my[ {status}] visa applications[ for {country}]",
            "show me the[ {status}] visa applications that I have[ for {country}]",
            "see how my[ {status}] visa applications[ for {country}] stand",
            "look up my[ {status}] applications for visas[ to {country}]",
        ),
        noun="[{status} ]visa application of mine[ for {country}]",
        reply=("These are yours: {applications}.", "You have no such application."),
    )
    def list_applications(
        self, status: Status | None = None, country: Country | None = None, page: PageNumber = 1
    ) -> ApplicationPage:
        """List the signed-in traveller's applications, drafts and submitted ones first, by the day of arrival.

        Args:
            status: Only applications that stand like this: draft, submitted, granted, refused or withdrawn.
            country: Only applications for this country.
            page: Page of the results, five applications each.
        """
        found = [row for row in self._mine() if status in (None, row.status) and country in (None, row.country)]
        found.sort(key=lambda row: (not open_now(row), row.arrive_on, row.id))
        return ApplicationPage.of(found, page)

    @tool(
        ask=(
            "check what is still missing for {application_id}",
            "show me the details of {application_id}",
            "tell me how far {application_id} is and what it costs",
            "see where {application_id} stands",
        ),
        reply=(
            "The {country} application ({status}) lacks {missing}[; the appointment is on {appointment_at} in {city}].",
            "Too old for the {country} application: {outdated}[; the appointment is on {appointment_at} in {city}].",
            "The {country} application could be decided {speeds}; the appointment is on {appointment_at} in {city}.",
            "The {country} application ({status}) costs {fee}[ and is decided by {decision_by}].",
        ),
        where=relations.LOOKING,
    )
    def get_application(self, application_id: ApplicationId) -> ApplicationDetails:
        """Get an application: documents attached, missing and outdated, appointment, and the speeds with their fees.

        Args:
            application_id: Application to look at.
        """
        row = self._own(application_id)
        slot = self.slots.require(row.slot_id) if row.slot_id else None
        return rules.details(row, self.visas.require(row.visa_id), slot, self.now.date())

    @tool(
        writes=True,
        ask=(
            "attach the {document} of {dated} to {application_id}",
            "add my {document} from {dated} to {application_id}",
            "upload the {document}, dated {dated}, for {application_id}",
            "put the {document} from {dated} with {application_id}",
        ),
        reply=(
            "It is attached; the {country} application still needs {missing}.",
            "It is attached, and the {country} application is complete.",
        ),
        where=relations.ATTACHING,
    )
    def attach_document(self, application_id: ApplicationId, document: Document, dated: dt.date) -> VisaApplication:
        """Attach a document to a draft, one of those that the visa asks for.

        Args:
            application_id: Draft to attach it to.
            document: Kind of document.
            dated: Day of issue, at most 30 days ago (bank_statement), 90 (invitation_letter), 180 (photo,
                hotel_booking) or 365 (travel_insurance, admission_letter).
        """
        row, today = self._draft(application_id, "given documents"), self.now.date()
        return self.applications.replace(rules.attached(row, self.visas.require(row.visa_id), document, dated, today))

    @tool(
        writes=True,
        ask=(
            "take the {document} off {application_id}",
            "remove the {document} from {application_id}",
            "delete the {document} that is attached to {application_id}",
            "detach the {document} from {application_id}",
        ),
        reply=("It is taken off; the {country} application needs {missing} now.",),
        where=relations.REMOVING,
    )
    def remove_document(self, application_id: ApplicationId, document: Document) -> VisaApplication:
        """Take a document off a draft, to leave it out or to attach a newer one.

        Args:
            application_id: Draft that it is attached to.
            document: Kind of document.
        """
        row = self._draft(application_id, "changed")
        return self.applications.replace(rules.detached(row, self.visas.require(row.visa_id), document))

    @tool(
        ask=(
            "find a free appointment for {application_id}[ in {city}][ by {by}]",
            "look for office appointments for {application_id}[ in {city}][, {by} at the latest]",
            "see when I could hand in the passport for {application_id}[ in {city}][, not after {by}]",
            "show me the free times for {application_id}[ at an office in {city}][ until {by}]",
        ),
        reply=("You could have {appointments}.", "Nothing is free there; offices are in {cities}."),
        where=relations.FINDING,
    )
    def find_appointments(
        self,
        application_id: ApplicationId,
        city: City | None = None,
        by: dt.date | None = None,
        page: PageNumber = 1,
    ) -> SlotPage:
        """Find the free appointments that an open application could have instead of its own, the earliest first.

        Args:
            application_id: Draft or submitted application.
            city: Only offices in this city.
            by: Only appointments on this day or before.
            page: Page of the results, five appointments each.
        """
        row, today = self._open(application_id, "given an appointment"), self.now.date()
        there = [slot for slot in self.slots.values() if slot.country == row.country]
        found = [s for s in rules.choices(row, there, self._mine(), today) if city in (None, s.city)]
        found = [slot for slot in found if by is None or slot.starts_at.date() <= by]
        return SlotPage.of(found, page, cities=tuple(sorted({slot.city for slot in there})))

    @tool(
        writes=True,
        ask=(
            "book {slot_id} for {application_id}",
            "reserve {slot_id} for {application_id}",
            "schedule {application_id} for {slot_id}",
            "get me {slot_id} for {application_id}",
        ),
        reply=("You are expected at the {office} on {appointment_at}.",),
        where=relations.BOOKING,
    )
    def book_appointment(self, application_id: ApplicationId, slot_id: SlotId) -> VisaApplication:
        """Book an appointment for a draft that has none.

        Args:
            application_id: Draft to book for.
            slot_id: Free appointment of that country, tomorrow or later.
        """
        return self._take(rules.without_slot(self._draft(application_id, "given an appointment")), slot_id)

    @tool(
        writes=True,
        ask=(
            "move the appointment for {application_id} to {slot_id}",
            "change the appointment for {application_id} to {slot_id}",
            "switch {application_id} over to {slot_id}",
            "reschedule {application_id} to {slot_id}",
        ),
        reply=("You are expected at the {office} on {appointment_at} now[; it is decided by {decision_by}].",),
        where=relations.MOVING,
    )
    def move_appointment(self, application_id: ApplicationId, slot_id: SlotId) -> VisaApplication:
        """Move the appointment of an open application; of a submitted one until the day before it.

        Args:
            application_id: Application with an appointment.
            slot_id: Free appointment to have instead.
        """
        row = self._open(application_id, "given another appointment")
        return self._take(rules.movable(row, self.now.date()), slot_id)

    @tool(
        writes=True,
        ask=(
            "cancel the appointment for {application_id}",
            "call off the appointment for {application_id}",
            "give up the appointment for {application_id}",
            "release the appointment that is booked for {application_id}",
        ),
        reply=("The {country} application has no appointment now.",),
        where=relations.CANCELLING,
    )
    def cancel_appointment(self, application_id: ApplicationId) -> VisaApplication:
        """Cancel the appointment of a draft; a submitted application keeps one until it is withdrawn.

        Args:
            application_id: Draft with an appointment.
        """
        row = self._release(rules.cancellable(self._own(application_id)))
        return self.applications.replace(rules.with_slot(row, None))

    @tool(
        writes=True,
        ask=(
            "submit {application_id}[ with {speed} processing]",
            "hand in {application_id} and pay the fee[, {speed} processing]",
            "send {application_id} off[ for {speed} processing]",
            "file {application_id} now[ and pay for {speed} processing]",
        ),
        reply=("The {country} application is submitted for {fee} and decided by {decision_by}.",),
        where=relations.SUBMITTING,
    )
    def submit_application(self, application_id: ApplicationId, speed: Speed = "standard") -> VisaApplication:
        """Submit a complete draft before the day of its appointment, and pay its fee.

        Args:
            application_id: Draft to submit.
            speed: standard (15 working days after the appointment), express (5, $45 more) or urgent (2, $90 more).
        """
        row = self._draft(application_id, "submitted")
        after = rules.submitted(row, self.visas.require(row.visa_id), speed, self.now.date())
        return self.applications.replace(after)

    @tool(
        writes=True,
        ask=(
            "withdraw {application_id}",
            "retract {application_id}",
            "withdraw {application_id}, as our plans have changed",
            "pull out of {application_id}",
        ),
        reply=("The {country} application is withdrawn[; {kept} is kept and {refund} is paid back].",),
        where=relations.WITHDRAWING,
    )
    def withdraw_application(self, application_id: ApplicationId) -> Withdrawn:
        """Withdraw an open application for good; all but 30 dollars is paid back until the day before the appointment.

        Args:
            application_id: Draft or submitted application.
        """
        row = self._release(self._open(application_id, "withdrawn"))
        return rules.settled(row, self.applications.replace(rules.withdrawn(row, self.now.date())))

    def _own(self, application_id: str) -> VisaApplication:
        return owned(self.applications.require(application_id), "traveller_id", self.traveller_id)

    def _mine(self) -> list[VisaApplication]:
        return [row for row in self.applications.values() if row.traveller_id == self.traveller_id]

    def _draft(self, application_id: str, done: str) -> VisaApplication:
        return standing(self._own(application_id), ("draft",), done)

    def _open(self, application_id: str, done: str) -> VisaApplication:
        return standing(self._own(application_id), rules.OPEN, done)

    def _stays(self) -> list[Stay]:
        return [stay for stay in self.stays.values() if stay.traveller_id == self.traveller_id]

    def _days(self, country: str) -> set[int]:
        return journeys.days_there(country, self._stays(), self._mine())

    def _journey(self, country: str, passport_id: str, arrive_on: dt.date, leave_on: dt.date) -> Journey:
        """Some days in a country, if they can be."""
        place = journeys.place_of(country, self.destinations.values())
        passport = owned(self.passports.require(passport_id), "traveller_id", self.traveller_id)
        journeys.check_days(arrive_on, leave_on, self.now.date())
        pages = journeys.pages_left(passport, place, self._mine(), self.destinations.values())
        return Journey(place, passport, arrive_on, leave_on, self._days(country), pages)

    def _take(self, row: VisaApplication, slot_id: str) -> VisaApplication:
        """Give an application a free appointment in place of what it has."""
        slot = self.slots.require(slot_id)
        rules.check_slot(row, slot, self._mine(), self.now.date())
        self.slots.replace(slot.evolve(free=slot.free - 1))
        return self.applications.replace(rules.with_slot(self._release(row), slot))

    def _release(self, row: VisaApplication) -> VisaApplication:
        """Let others have the appointment of an application, unless its day has come."""
        if row.slot_id and (slot := self.slots.require(row.slot_id)).starts_at.date() > self.now.date():
            self.slots.replace(slot.evolve(free=slot.free + 1))
        return row

    @classmethod
    def scenario(cls, world: World, size: int) -> Self:
        """Countries with their rules, free and taken times, and the user's applications in every condition."""
        return cls.model_validate(visa_service(world, size))
