"""Records and results of the practice portal, and what a visit costs."""

import datetime as dt
from typing import Annotated, Literal

from pydantic import Field

from envfactory.environment import FreeText, Money, Output, Page, Ranked, Record, Ref, Unit, Value, cents

PatientId = Annotated[str, Ref("Patient")]
DoctorId = Annotated[str, Ref("Doctor")]
SlotId = Annotated[str, Ref("DoctorSlot")]
AppointmentId = Annotated[str, Ref("DoctorAppointment")]
NoteId = Annotated[str, Ref("VisitNote")]
ReferralId = Annotated[str, Ref("Referral")]
PlaceId = Annotated[str, Ref("WaitingPlace")]
City = Annotated[str, Value("city", "City, by its English name.")]
DoctorName = Annotated[str, Value("doctor_name", "Name of a doctor.")]
AmountDue = Annotated[Money, Value("amount_due", "Amount to be paid.")]
Specialty = Annotated[
    Literal["general_practice", "dermatology", "cardiology", "orthopaedics", "eye_care"],
    Value("medical_specialty", "Field of medicine."),
]
Language = Annotated[Literal["English", "French", "German", "Spanish"], Value("language", "Language that is spoken.")]
Plan = Annotated[Literal["basic", "plus"], Value("health_plan", "Health plan of a patient.")]
Visit = Annotated[
    Literal["consultation", "check_up", "follow_up", "vaccination"], Value("visit_kind", "What a visit is for.")
]
Mode = Annotated[Literal["in_person", "video"], Value("visit_mode", "Whether patients come or call by video.")]
DayPart = Annotated[Literal["morning", "afternoon"], Value("day_part", "Half of the day.")]
Starts = Annotated[dt.datetime, Ranked("earliest", "latest")]
AppointmentStatus = Annotated[
    Literal["booked", "checked_in", "completed", "missed", "cancelled"],
    Value("appointment_status", "Where an appointment stands."),
]
ReferralStatus = Annotated[Literal["active", "used", "expired"], Value("referral_status", "Where a referral stands.")]
Reason = Annotated[
    Literal["illness", "travel", "work", "recovery"], Value("cancel_reason", "Why an appointment is cancelled.")
]
PlaceStatus = Annotated[
    Literal["waiting", "offered", "taken", "given_up"], Value("waiting_status", "Where a place on the list stands.")
]
Concern = Annotated[str, FreeText(("back pain", "a rash", "headaches", "trouble sleeping", "a blood test"))]
Medicines = Annotated[str, FreeText(("ibuprofen", "a blood thinner", "allergy tablets", "thyroid tablets"))]

SHARE = {"consultation": 1.0, "check_up": 1.5, "follow_up": 0.5, "vaccination": 0.25}
"""What a visit costs, in consultations."""
OWN_SHARE = 0.2
"""What of it the patient pays if the plan covers the doctor."""
REFERRED: tuple[Specialty, ...] = ("dermatology", "cardiology", "orthopaedics")
"""Specialists whom patients see on referral only."""


class Patient(Record, noun="patient", label="{name}"):
    """Somebody with an account."""

    id: PatientId
    """Identifier of the patient."""
    name: str
    """Full name."""
    email: Annotated[str, Value("email", "E-mail address.")]
    plan: Plan


class Doctor(Record, noun="doctor", label="{name}[ in {city}]", listing="{name} in {city} ({fee}, rated {rating})"):
    """A doctor who takes bookings."""

    id: DoctorId
    """Identifier of the doctor."""
    name: DoctorName
    specialty: Specialty
    address: Annotated[str, Value("address", "Street and number.")]
    city: City
    languages: tuple[Language, ...]
    """Languages that the doctor speaks."""
    fee: Annotated[Money, Ranked("cheapest", "most expensive")]
    """What a consultation costs without a plan."""
    rating: Annotated[float, Field(ge=1, le=5), Ranked("", "best rated")]
    """How patients rate the doctor, 5 at best."""
    takes_new: bool
    """Whether patients are taken who have not been there."""
    plans: tuple[Plan, ...]
    """Health plans that cover the doctor."""


class DoctorSlot(
    Record,
    noun="slot",
    label="the slot with {doctor} on {starts}",
    listing="{starts} ({minutes}, {mode})",
):
    """Time that a doctor has for one patient."""

    id: SlotId
    """Identifier of the slot."""
    doctor_id: DoctorId
    """Doctor whose time it is."""
    doctor: DoctorName
    starts: Starts
    """When it starts."""
    minutes: Annotated[int, Field(ge=10), Unit("minute")]
    """How long it is."""
    mode: Mode
    visits: tuple[Visit, ...]
    """What it can be booked for."""
    status: Literal["free", "held", "busy"] = "free"
    """Whether it is to be had; held: offered to somebody on the waiting list."""

    @property
    def ends(self) -> dt.datetime:
        """When it is over."""
        return self.starts + dt.timedelta(minutes=self.minutes)


class DoctorAppointment(
    Record,
    noun="appointment",
    label="the appointment with {doctor}[ on {starts}]",
    listing="{doctor} on {starts} ({visit}, {status})",
):
    """A patient's visit to a doctor."""

    id: AppointmentId
    """Identifier of the appointment."""
    patient_id: PatientId
    """Whose visit it is."""
    doctor_id: DoctorId
    """Doctor who is visited."""
    doctor: DoctorName
    specialty: Specialty
    slot_id: str
    """Slot that is taken up."""
    starts: Starts
    """When it starts."""
    ends: dt.datetime
    """When it is over."""
    visit: Visit
    mode: Mode
    copay: AmountDue
    """What the patient pays for it."""
    paid: bool = False
    """Whether that is paid."""
    referral_id: ReferralId | None = None
    """Referral that it draws on."""
    concern: Annotated[str | None, FreeText()] = None
    """What the patient wants to talk about."""
    medicines: Annotated[str | None, FreeText()] = None
    """What the patient takes."""
    moves: Annotated[int, Field(ge=0)] = 0
    """How often it was moved, earlier times from the waiting list included."""
    status: AppointmentStatus = "booked"
    cancelled_for: Reason | None = None
    """Why it was cancelled."""
    fee: Annotated[Money, Field(ge=0)] | None = None
    """Fee for cancelling it."""


class VisitNote(Record, noun="visit note", label="the visit note of {doctor}[ from {day}]"):
    """What a doctor wrote after a visit."""

    id: NoteId
    """Identifier of the note."""
    patient_id: PatientId
    """Patient whom it is about."""
    appointment_id: AppointmentId
    """Visit that it is about."""
    doctor: DoctorName
    day: dt.date
    """Day of the visit."""
    findings: str
    """What was found."""
    advised: tuple[Specialty, ...] = ()
    """Specialties that the patient should be seen in."""


class Referral(
    Record,
    noun="referral",
    label="the {specialty} referral[ until {valid_until}]",
    listing="{specialty} until {valid_until} ({visits_left} left, {status})",
):
    """What lets a patient see a specialist."""

    id: ReferralId
    """Identifier of the referral."""
    patient_id: PatientId
    """Patient whom it is for."""
    specialty: Specialty
    issued_by: DoctorName
    valid_until: dt.date
    """Last day on which it is good."""
    visits_left: Annotated[int, Field(ge=0), Unit("visit")]
    """How many visits it is still good for."""
    note_id: NoteId | None = None
    """Visit note that it was given on."""
    status: ReferralStatus = "active"


class WaitingPlace(
    Record,
    noun="place on the waiting list",
    label="my waiting list spot with {doctor}[ for the visit on {visit_on}]",
    listing="{doctor} ({status})",
):
    """A wish to have an appointment earlier."""

    id: PlaceId
    """Identifier of the place."""
    patient_id: PatientId
    """Who waits."""
    appointment_id: AppointmentId
    """Appointment that is to be earlier."""
    doctor: DoctorName
    visit_on: dt.date
    """Day of the appointment when the patient joined the list."""
    part: DayPart | None = None
    """Half of the day that it must be in, if any."""
    not_before: dt.date | None = None
    """First day that would do, if any."""
    slot_id: str | None = None
    """Slot that is held for the patient."""
    offered: dt.datetime | None = None
    """When the slot on offer starts."""
    status: PlaceStatus = "waiting"


class DoctorPage(Page):
    """A page of doctors."""

    doctors: tuple[Doctor, ...]
    """The doctors on this page."""


class SlotPage(Page):
    """A page of slots."""

    slots: tuple[DoctorSlot, ...]
    """The slots on this page."""
    doctor: DoctorName


class AppointmentPage(Page):
    """A page of appointments."""

    appointments: tuple[DoctorAppointment, ...]
    """The appointments on this page."""


class ReferralPage(Page):
    """A page of referrals."""

    referrals: tuple[Referral, ...]
    """The referrals on this page."""


class PlacePage(Page):
    """A page of places on waiting lists."""

    places: tuple[WaitingPlace, ...]
    """The places on this page."""


class CalledOff(Output):
    """What calling an appointment off comes to."""

    appointment_id: AppointmentId
    """Appointment that is cancelled."""
    doctor: DoctorName
    fee: AmountDue
    """Fee for cancelling late."""
    refund: AmountDue | None = None
    """Share that was paid and goes back to the patient."""


def copay_of(doctor: Doctor, plan: Plan, visit: Visit) -> float:
    """What a patient pays for a visit."""
    return cents(doctor.fee * SHARE[visit] * (OWN_SHARE if plan in doctor.plans else 1.0))


def part_of(moment: dt.datetime) -> DayPart:
    """Half of the day that a time lies in."""
    return "morning" if moment.hour < 12 else "afternoon"
