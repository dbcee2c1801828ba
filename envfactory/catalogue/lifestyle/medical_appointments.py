"""A portal of medical practices: find doctors and free slots, book visits, wait for earlier ones, get referrals.

A slot says what it can be booked for. Specialists are seen on referral, which a doctor's note of an earlier visit gives
reason to. Whoever waits for an earlier time has a slot held at once, or as soon as one comes free.
"""

import datetime as dt
from typing import Literal, Self

from envfactory.catalogue.lifestyle import _appointment_records as rec
from envfactory.catalogue.lifestyle import _appointment_relations as relations
from envfactory.catalogue.lifestyle import _appointment_rules as rules
from envfactory.catalogue.lifestyle._appointment_file import PatientFile
from envfactory.catalogue.lifestyle._appointment_scenario import practices
from envfactory.environment import Environment, PageNumber, Table, World, standing, tool


class MedicalAppointments(Environment):
    """Find doctors, book and move visits, check in, get referrals and wait for earlier times, for one patient."""

    domain = "lifestyle"
    policy = """Dermatologists, cardiologists and orthopaedists are seen on a referral that is good on the day and has
    visits left; follow-ups need none, but a completed visit with the doctor within 180 days. Some doctors take no new
    patients. Slots can be booked until an hour before. A patient has two open appointments with a doctor at most, and
    none online after missing two within a year. Appointments can be moved twice, taking an earlier time from one of at
    most four waiting lists included, until two days before and until check-in, which opens 7 days before. Cancelling
    later than two days before costs 25 dollars, unless the reason is illness. A visit note of the last 60 days gives
    one referral for each specialty it advises. Plans cover some doctors only. Medical advice is not given. Never book
    without knowing slot and kind of visit."""
    sources = (
        "HL7 FHIR R4, Appointment, Slot, Schedule and ServiceRequest resources",
        "athenahealth API, Open Appointment Slots, Appointment Booking and Check-In",
        "NHS e-Referral Service API, Booking and Referral Standard",
        "Epic on FHIR, Appointment.$find and $book, Fast Pass waiting list",
    )

    patient_id: rec.PatientId
    """Patient whose session this is."""
    patients: Table[rec.Patient]
    doctors: Table[rec.Doctor]
    slots: Table[rec.DoctorSlot]
    appointments: Table[rec.DoctorAppointment]
    notes: Table[rec.VisitNote]
    referrals: Table[rec.Referral]
    places: Table[rec.WaitingPlace]

    @tool(
        ask=(
            (
                "find me a doctor for {specialty}[ in {city}][ who speaks {language}][covered?, on my plan]"
                "[, free by {free_by}]"
            ),
            (
                "look for {specialty} doctors[ in {city}][ who speak {language}][covered?, on my plan]"
                "[, with time by {free_by}]"
            ),
            (
                "search for a doctor in {specialty}[ in {city}][, speaking {language}][covered?, covered by my plan]"
                "[, who can see me by {free_by}][, sorted by {sort}]"
            ),
            (
                "see which doctors there are for {specialty}[ in {city}][, {language} speakers][covered?, on my plan]"
                "[, available by {free_by}][, ordered by {sort}]"
            ),
        ),
        noun="doctor for {specialty}[ in {city}][ who speaks {language}][covered?, on my plan][, free by {free_by}]",
        reply=("I found {doctors}.", "There is no such doctor."),
        where=relations.SEARCHING,
    )
    def search_doctors(
        self, specialty: rec.Specialty, city: rec.City | None = None, language: rec.Language | None = None,
        covered: bool = False, free_by: dt.date | None = None, sort: Literal["rating", "fee"] = "rating",
        page: PageNumber = 1,
    ) -> rec.DoctorPage:  # fmt: skip
        """Search the doctors of a specialty.

        Args:
            specialty: Field of medicine.
            city: Only doctors in this city, by its English name.
            language: Only doctors who speak this.
            covered: Only doctors whom the signed-in patient's plan covers.
            free_by: Only doctors who have a free slot on this day or before.
            sort: Order: best rated first, or lowest fee first.
            page: Page of the results, five doctors each.
        """
        plan, soonest = self._file.me.plan, self.now + rules.LEAD
        doctors = [d for d in self.doctors.values() if d.specialty == specialty and city in (None, d.city)]
        found = [d for d in doctors if language in (None, *d.languages) and (plan in d.plans or not covered)]
        if free_by is not None:
            found = [d for d in found if rules.is_free_by(self.slots, d.id, soonest, free_by)]
        found.sort(key=lambda doctor: (-doctor.rating if sort == "rating" else doctor.fee, doctor.id))
        return rec.DoctorPage.of(found, page)

    @tool(
        ask=(
            "look up the free[ {mode}] slots of {doctor_id}[ for a {visit}][ from {since} on]",
            "tell me when {doctor_id} has time[ for a {visit}][, {mode} only][, starting {since}]",
            "check the[ {mode}] openings that {doctor_id} has[ for a {visit}][ from {since} on]",
            "find out when I could see {doctor_id}[ for a {visit}][, {mode}][, not before {since}]",
        ),
        noun="free[ {mode}] slot of {doctor_id}[ for a {visit}][ from {since} on]",
        reply=("With {doctor} these are free: {slots}.", "{doctor} has no such slot."),
        where=relations.FINDING,
    )
    def find_slots(
        self, doctor_id: rec.DoctorId, visit: rec.Visit | None = None, mode: rec.Mode | None = None,
        since: dt.date | None = None, page: PageNumber = 1,
    ) -> rec.SlotPage:  # fmt: skip
        """Find the free slots of a doctor that can still be booked, the earliest first.

        Args:
            doctor_id: Doctor to see.
            visit: Only slots that can be booked for this.
            mode: Only slots on the spot, or only by video.
            since: Only slots on this day or later.
            page: Page of the results, five slots each.
        """
        doctor = self.doctors.require(doctor_id)
        free = rules.free_slots(self.slots, doctor.id, self.now + rules.LEAD)
        found = [slot for slot in free if visit in (None, *slot.visits) and mode in (None, slot.mode)]
        found = [slot for slot in found if since is None or slot.starts.date() >= since]
        return rec.SlotPage.of(found, page, doctor=doctor.name)

    @tool(
        writes=True,
        ask=(
            "book {slot_id} for a {visit}[ about {concern}]",
            "get me {slot_id} for a {visit}[, it is about {concern}]",
            "reserve {slot_id} for a {visit}[ because of {concern}]",
            "make me an appointment for a {visit} in {slot_id}[, about {concern}]",
        ),
        reply=("You have a {visit} with {doctor} on {starts}; your share is {copay}.",),
        where=relations.BOOKING,
    )
    def book_appointment(
        self, slot_id: rec.SlotId, visit: rec.Visit, concern: rec.Concern | None = None
    ) -> rec.DoctorAppointment:
        """Book a free slot for the signed-in patient; a specialist's visit draws on a referral.

        Args:
            slot_id: Slot to book.
            visit: What the visit is for, one of what the slot can be booked for.
            concern: What the patient wants to talk about.
        """
        slot, file = self.slots.require(slot_id), self._file
        doctor = self.doctors[slot.doctor_id]
        rules.check_slot(slot, visit, self.now, file.appointments)
        rules.check_patient(doctor, visit, slot.starts.date(), self.now, file.appointments)
        referral = file.draw_on_referral(doctor, visit, slot.starts.date())
        self.slots.replace(slot.evolve(status="busy"))
        return self.appointments.insert(
            rules.booked(self.new_id("AP"), file.me, doctor, slot, visit, referral, concern)
        )

    @tool(
        ask=(
            "list my[ {status}] appointments[ in {specialty}]",
            "show me my[ {status}] visits to doctors[ in {specialty}]",
            "check which[ {status}] medical appointments I have[ for {specialty}]",
            "remind me what[ {status}] doctor's appointments I have[ in {specialty}]",
        ),
        noun="[{status} ][{specialty} ]appointment of mine",
        reply=("Your appointments: {appointments}.", "You have no such appointment."),
    )
    def list_appointments(
        self, status: rec.AppointmentStatus | None = None, specialty: rec.Specialty | None = None, page: PageNumber = 1
    ) -> rec.AppointmentPage:
        """List the signed-in patient's appointments, the latest first.

        Args:
            status: Only appointments that stand like this.
            specialty: Only appointments in this field of medicine.
            page: Page of the results, five appointments each.
        """
        found = rules.sought(self._file.appointments, status, specialty)
        found.sort(key=lambda row: (row.starts, row.id), reverse=True)
        return rec.AppointmentPage.of(found, page)

    @tool(
        writes=True,
        ask=(
            "move {appointment_id} to {slot_id}",
            "reschedule {appointment_id} to {slot_id}",
            "change {appointment_id} to {slot_id}",
            "swap {appointment_id} for {slot_id}",
        ),
        reply=("Your {visit} with {doctor} is on {starts} now.",),
        where=relations.MOVING,
    )
    def move_appointment(self, appointment_id: rec.AppointmentId, slot_id: rec.SlotId) -> rec.DoctorAppointment:
        """Move an appointment to another free slot of the same doctor, until two days before; possible twice.

        Args:
            appointment_id: Appointment to move.
            slot_id: Slot to take instead.
        """
        file = self._file
        row, slot = file.ahead(appointment_id, "moved"), self.slots.require(slot_id)
        referral = self.referrals[row.referral_id] if row.referral_id else None
        rules.check_move(row, slot, referral, self.now, file.appointments)
        moved = self.appointments.replace(rules.moved(row, slot))
        file.pass_on(row, slot)
        return moved

    @tool(
        writes=True,
        ask=(
            "cancel {appointment_id} because of {reason}",
            "call off {appointment_id}, the reason is {reason}",
            "tell the practice that I cannot make {appointment_id} because of {reason}",
            "drop {appointment_id} on account of {reason}",
        ),
        reply=("The appointment with {doctor} is cancelled; the fee is {fee}[, and {refund} goes back to you].",),
        where=relations.CANCELLING,
    )
    def cancel_appointment(self, appointment_id: rec.AppointmentId, reason: rec.Reason) -> rec.CalledOff:
        """Cancel an appointment that has not begun; the visit goes back to its referral, a paid share to the patient.

        Args:
            appointment_id: Appointment to cancel.
            reason: Why; illness costs no fee, however late.
        """
        file = self._file
        row = file.ahead(appointment_id, "cancelled", rules.OPEN)
        fee = rules.late_fee(row, reason, self.now)
        self.appointments.replace(row.evolve(status="cancelled", paid=False, cancelled_for=reason, fee=fee))
        file.give_back(row)
        return rec.CalledOff(appointment_id=row.id, doctor=row.doctor, fee=fee, refund=row.copay if row.paid else None)

    @tool(
        writes=True,
        ask=(
            "check me in for {appointment_id}[pay? and pay my share][, noting that I take {medicines}]",
            "do the online check-in for {appointment_id}[pay? and pay what I owe][, I take {medicines}]",
            "sign me in for {appointment_id}[pay?, paying my share now][, and note that I take {medicines}]",
            "complete the check-in for {appointment_id}[pay? and settle my share][, saying that I take {medicines}]",
        ),
        reply=("You are checked in with {doctor} on {starts}.",),
        where=relations.CHECKING_IN,
    )
    def check_in(
        self, appointment_id: rec.AppointmentId, pay: bool = False, medicines: rec.Medicines | None = None
    ) -> rec.DoctorAppointment:
        """Check in for an appointment, from 7 days before; it can no longer be moved then.

        Args:
            appointment_id: Appointment to check in for.
            pay: Whether the patient's share is paid at once.
            medicines: What the patient takes.
        """
        file = self._file
        row = file.ahead(appointment_id, "checked in")
        arrived = self.appointments.replace(rules.checked_in(row, pay, medicines, self.now))
        file.stop_waiting(row)
        return arrived

    @tool(
        writes=True,
        ask=(
            "pay my share of {appointment_id}",
            "settle what I owe for {appointment_id}",
            "pay what is still open for {appointment_id}",
            "take care of my part of the bill for {appointment_id}",
        ),
        reply=("Your share of {copay} for the {visit} with {doctor} is paid.",),
        where=relations.PAYING,
    )
    def pay_share(self, appointment_id: rec.AppointmentId) -> rec.DoctorAppointment:
        """Pay the patient's share of a visit after checking in for it, or later.

        Args:
            appointment_id: Appointment to pay for.
        """
        return self.appointments.replace(rules.settled(self._file.appointment(appointment_id)))

    @tool(
        ask=(
            "show me the note of {appointment_id}",
            "tell me what came of {appointment_id}",
            "look up what the doctor wrote after {appointment_id}",
            "get me the findings of {appointment_id}",
        ),
        reply=("{doctor} found {findings} and advises: {advised}.", "{doctor} found {findings} and advises nothing."),
        where=relations.NOTES,
    )
    def get_visit_note(self, appointment_id: rec.AppointmentId) -> rec.VisitNote:
        """Get what the doctor wrote after a visit: findings, and specialties that the patient should be seen in.

        Args:
            appointment_id: Appointment that is completed.
        """
        return rules.note_on(self._file.appointment(appointment_id), self.notes.values())

    @tool(
        writes=True,
        ask=(
            "ask for a referral for {specialty}, going by {note_id}",
            "get me referred for {specialty} on the strength of {note_id}",
            "request a {specialty} referral as advised in {note_id}",
            "order the {specialty} referral that {note_id} advises",
        ),
        reply=("{issued_by} refers you for {specialty}: {visits_left} until {valid_until}.",),
        where=relations.REFERRING,
    )
    def request_referral(self, note_id: rec.NoteId, specialty: rec.Specialty) -> rec.Referral:
        """Get a referral that a visit note of the last 60 days advises, once: three visits within 90 days.

        Args:
            note_id: Visit note that advises it.
            specialty: Specialty to be referred for, one of those that the note advises.
        """
        note, today = self._file.note(note_id), self.now.date()
        rules.check_advice(note, specialty, today, self._file.referrals)
        return self.referrals.insert(rules.referral_by(self.new_id("RF"), note, specialty, today))

    @tool(
        ask=(
            "list my[ {status}] referrals[ for {specialty}]",
            "show me the[ {status}] referrals I have[ for {specialty}]",
            "check whether I have any[ {status}] referrals[ for {specialty}]",
            "pull up my[ {status}] referrals[ for {specialty}]",
        ),
        noun="[{status} ][{specialty} ]referral of mine",
        reply=("Your referrals: {referrals}.", "You have no such referral."),
    )
    def list_referrals(
        self, status: rec.ReferralStatus | None = None, specialty: rec.Specialty | None = None, page: PageNumber = 1
    ) -> rec.ReferralPage:
        """List the signed-in patient's referrals, those that are good longest first.

        Args:
            status: Only referrals that stand like this.
            specialty: Only referrals for this field of medicine.
            page: Page of the results, five referrals each.
        """
        found = rules.sought(self._file.referrals, status, specialty)
        found.sort(key=lambda row: (row.valid_until, row.id), reverse=True)
        return rec.ReferralPage.of(found, page)

    @tool(
        writes=True,
        ask=(
            "put me on the waiting list to have {appointment_id} earlier[, in the {part}][, from {not_before} on]",
            "put me on the list in case {appointment_id} can be earlier[, {part} only][, not before {not_before}]",
            "sign me up for an earlier time than {appointment_id}[, in the {part}][, not before {not_before}]",
            "have me wait for an earlier slot in place of {appointment_id}[, in the {part}][, from {not_before} on]",
        ),
        reply=(
            "{doctor} could see you on {offered}; the slot is held for you.",
            "You are on the waiting list of {doctor}.",
        ),
        where=relations.WAITING,
    )
    def join_waiting_list(
        self, appointment_id: rec.AppointmentId, part: rec.DayPart | None = None, not_before: dt.date | None = None
    ) -> rec.WaitingPlace:
        """Wait for an earlier time with the same doctor; if there is one, two days from now or later, it is held.

        Args:
            appointment_id: Appointment to have earlier.
            part: Half of the day that the time must be in.
            not_before: First day that would do.
        """
        file = self._file
        row = file.ahead(appointment_id, "put on the waiting list")
        rules.check_wish(row, not_before, file.open_places)
        place = self.places.insert(rules.waiting(self.new_id("WP"), row, part, not_before))
        file.offer_earlier()
        return self.places[place.id]

    @tool(
        ask=(
            "list my[ {status}] waiting list spots",
            "show me the waiting lists I am on[, only the {status} spots]",
            "check whether any doctor has offered me an earlier time[, only in the {status} spots]",
            "tell me where I am waiting for an earlier appointment[, only the {status} spots]",
        ),
        noun="[{status} ]place on a waiting list of mine",
        reply=("Your places: {places}.", "You have no such place."),
    )
    def list_waiting_places(self, status: rec.PlaceStatus | None = None, page: PageNumber = 1) -> rec.PlacePage:
        """List the signed-in patient's places on waiting lists, the newest first.

        Args:
            status: Only places that stand like this.
            page: Page of the results, five places each.
        """
        found = [place for place in self._file.places if status in (None, place.status)]
        return rec.PlacePage.of(found[::-1], page)

    @tool(
        writes=True,
        ask=(
            "accept the earlier time I was offered through {place_id}",
            "take the earlier slot from {place_id}",
            "say yes to the offer for {place_id}",
            "let me have the earlier appointment that came up through {place_id}",
        ),
        reply=("Your {visit} with {doctor} is on {starts} now.",),
        where=relations.ACCEPTING,
    )
    def accept_offer(self, place_id: rec.PlaceId) -> rec.DoctorAppointment:
        """Take the earlier slot that is held for the patient; it counts as moving the appointment.

        Args:
            place_id: Place on the waiting list that has an offer.
        """
        file = self._file
        place = standing(file.place(place_id), ("offered",), "accepted")
        row, slot = file.offer(place)
        self.places.replace(place.evolve(status="taken"))
        moved = self.appointments.replace(rules.moved(row, slot))
        file.pass_on(row, slot)
        return moved

    @tool(
        writes=True,
        ask=(
            "give up {place_id}",
            "cancel {place_id}",
            "let go of {place_id}",
            "drop {place_id}, I'll keep the time I have",
        ),
        reply=("You no longer wait for {doctor}.",),
        where=relations.LEAVING,
    )
    def leave_waiting_list(self, place_id: rec.PlaceId) -> rec.WaitingPlace:
        """Give up a place on a waiting list; a slot that is held for it is free again.

        Args:
            place_id: Place to give up.
        """
        file = self._file
        place = standing(file.place(place_id), rules.STILL_WAITING, "given up")
        given_up = self.places.replace(place.evolve(status="given_up"))
        file.release(place)
        return given_up

    @property
    def _file(self) -> PatientFile:
        me = self.patients[self.patient_id]
        return PatientFile(me, self.now, self.slots, self.appointments, self.notes, self.referrals, self.places)

    @classmethod
    def scenario(cls, world: World, size: int) -> Self:
        """Doctors with and without room, and the user's visits, referrals and waiting places in every condition."""
        return cls.model_validate(practices(world, size))
