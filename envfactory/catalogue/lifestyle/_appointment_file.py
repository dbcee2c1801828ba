"""What one patient has at the practices at a moment, and the slots that pass from one patient to the next."""

import datetime as dt

from envfactory.catalogue.lifestyle import _appointment_rules as rules
from envfactory.catalogue.lifestyle._appointment_records import (
    REFERRED,
    Doctor,
    DoctorAppointment,
    DoctorSlot,
    Patient,
    Referral,
    Visit,
    VisitNote,
    WaitingPlace,
)
from envfactory.environment import Table, owned


class PatientFile:
    """A patient's appointments, notes, referrals and waiting places; whoever waits is offered what comes free."""

    def __init__(
        self,
        me: Patient,
        now: dt.datetime,
        slots: Table[DoctorSlot],
        appointments: Table[DoctorAppointment],
        notes: Table[VisitNote],
        referrals: Table[Referral],
        places: Table[WaitingPlace],
    ) -> None:
        self.me, self.now = me, now
        self._slots, self._appointments, self._notes = slots, appointments, notes
        self._referrals, self._places = referrals, places

    @property
    def appointments(self) -> list[DoctorAppointment]:
        """The patient's appointments."""
        return [row for row in self._appointments.values() if row.patient_id == self.me.id]

    @property
    def referrals(self) -> list[Referral]:
        """The patient's referrals as they stand today."""
        mine = [row for row in self._referrals.values() if row.patient_id == self.me.id]
        return [rules.referral_on(row, self.now.date()) for row in mine]

    @property
    def places(self) -> list[WaitingPlace]:
        """The patient's places on waiting lists."""
        return [place for place in self._places.values() if place.patient_id == self.me.id]

    @property
    def open_places(self) -> list[WaitingPlace]:
        """The places at which the patient still waits, or has an offer."""
        return [place for place in self.places if place.status in rules.STILL_WAITING]

    def appointment(self, appointment_id: str) -> DoctorAppointment:
        """One of the patient's appointments; other people's are refused."""
        return owned(self._appointments.require(appointment_id), "patient_id", self.me.id)

    def note(self, note_id: str) -> VisitNote:
        """A note on one of the patient's visits; other people's are refused."""
        return owned(self._notes.require(note_id), "patient_id", self.me.id)

    def place(self, place_id: str) -> WaitingPlace:
        """One of the patient's waiting places; other people's are refused."""
        return owned(self._places.require(place_id), "patient_id", self.me.id)

    def ahead(self, appointment_id: str, done: str, among: tuple[str, ...] = ("booked",)) -> DoctorAppointment:
        """One of the patient's appointments, booked unless more will do, that has not begun."""
        return rules.ahead(self.appointment(appointment_id), done, self.now, among)

    def beside(self, row: DoctorAppointment) -> list[DoctorAppointment]:
        """The other appointments of whoever has this one."""
        rows = self._appointments.values()
        return [other for other in rows if other.patient_id == row.patient_id and other.id != row.id]

    def draw_on_referral(self, doctor: Doctor, visit: Visit, day: dt.date) -> Referral | None:
        """Have a visit draw on one of the patient's referrals if it needs one; refuse it if there is none."""
        if doctor.specialty not in REFERRED or visit == "follow_up":
            return None
        referral = rules.referral_for(doctor.specialty, day, self.referrals)
        return self._referrals.replace(rules.used(referral))

    def offer(self, place: WaitingPlace) -> tuple[DoctorAppointment, DoctorSlot]:
        """The appointment that a waiting place is for and the slot held for it, if it can still be moved there."""
        row, slot = self._appointments[place.appointment_id], self._slots[place.slot_id or ""]
        rules.check_moves(row)
        rules.check_time(slot, self.now, self.beside(row))
        return row, slot

    def pass_on(self, row: DoctorAppointment, slot: DoctorSlot) -> None:
        """Take up a slot for an appointment that was moved; the one it had before is for whoever waits."""
        self._close_places(row)
        self._slots.replace(self._slots[row.slot_id].evolve(status="free"))
        self._slots.replace(slot.evolve(status="busy"))
        self.offer_earlier()

    def give_back(self, row: DoctorAppointment) -> None:
        """Give back what a cancelled appointment took: the visit to its referral, the slot to whoever waits."""
        if row.referral_id:
            self._referrals.replace(rules.given_back(self._referrals[row.referral_id]))
        self._close_places(row)
        self._slots.replace(self._slots[row.slot_id].evolve(status="free"))
        self.offer_earlier()

    def stop_waiting(self, row: DoctorAppointment) -> None:
        """Have an appointment wait for no earlier time any more; what was held for it is for whoever else waits."""
        self._close_places(row)
        self.offer_earlier()

    def release(self, place: WaitingPlace) -> None:
        """Let go of what was held for a waiting place; it is for whoever else waits."""
        self._free_held(place)
        self.offer_earlier()

    def offer_earlier(self) -> None:
        """Hold an earlier slot, if there is one now, for each who waits; who joined first has the first choice."""
        for place in tuple(self._places.values()):
            row = self._appointments[place.appointment_id]
            if (place.status, row.status) != ("waiting", "booked"):
                continue
            free = rules.free_slots(self._slots, row.doctor_id, self.now + rules.NOTICE)
            if slot := rules.earlier_slot(free, place, row, self.beside(row)):
                self._slots.replace(slot.evolve(status="held"))
                self._places.replace(place.evolve(slot_id=slot.id, offered=slot.starts, status="offered"))

    def _close_places(self, row: DoctorAppointment) -> None:
        """Close the waiting place that an appointment has, if any; what is held for it is free again."""
        for place in self.open_places:
            if place.appointment_id == row.id:
                self._free_held(place)
                self._places.replace(place.evolve(status="given_up"))

    def _free_held(self, place: WaitingPlace) -> None:
        if place.slot_id:
            self._slots.replace(self._slots[place.slot_id].evolve(status="free"))
