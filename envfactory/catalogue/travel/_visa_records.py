"""Records and results of the visa service: passports, stays, visas, appointments, applications."""

import datetime as dt
from typing import Annotated, Literal

from pydantic import Field

from envfactory.environment import Money, Output, Page, Ranked, Record, Ref, Unit, Value

TravellerId = Annotated[str, Ref("Traveller")]
PassportId = Annotated[str, Ref("Passport")]
VisaId = Annotated[str, Ref("VisaKind")]
SlotId = Annotated[str, Ref("VisaSlot")]
ApplicationId = Annotated[str, Ref("VisaApplication")]
Country = Annotated[str, Value("visa_country", "Country to travel to, by its English name.")]
Nationality = Annotated[str, Value("nationality", "Nationality that a passport gives, as an adjective.")]
City = Annotated[str, Value("city", "City, by its English name.")]
Arrival = Annotated[dt.date, Value("arrival_day", "Day on which somebody enters a country.")]
Departure = Annotated[
    dt.date, Value("departure_day", "Day on which somebody leaves a country; it counts as a day there.")
]
AmountDue = Annotated[Money, Value("amount_due", "Amount to be paid, or paid back.")]
Purpose = Annotated[
    Literal["tourism", "business", "family_visits", "study"], Value("travel_purpose", "What somebody travels for.")
]
Entries = Annotated[
    Literal["single_entry", "multiple_entry"],
    Value("visa_entries", "Whether a visa is for one journey or for several."),
]
Document = Annotated[
    Literal["photo", "bank_statement", "travel_insurance", "hotel_booking", "invitation_letter", "admission_letter"],
    Value("visa_document", "Document that an application needs."),
]
Speed = Annotated[
    Literal["standard", "express", "urgent"],
    Value(
        "processing_speed",
        "standard: 15 working days, no surcharge; express: 5 working days, $45; urgent: 2 working days, $90.",
    ),
]
Status = Annotated[
    Literal["draft", "submitted", "granted", "refused", "withdrawn"],
    Value("application_status", "Where an application stands."),
]
Obstacle = Annotated[
    Literal["passport_expires_too_soon", "too_few_blank_pages", "too_many_days_in_180", "no_fitting_visa"],
    Value("entry_obstacle", "What is in the way of a journey."),
]
Days = Annotated[int, Field(ge=0), Unit("day")]
Pages = Annotated[int, Field(ge=0), Unit("page")]


class Traveller(Record, noun="traveller", label="{name}"):
    """Somebody with an account."""

    id: TravellerId
    """Identifier of the traveller."""
    name: Annotated[str, Value("person_name", "Full name of a person.")]
    email: Annotated[str, Value("email", "E-mail address.")]


class Passport(
    Record, noun="passport", label="my {nationality} passport[ that runs until {expires_on}]",
    listing="{nationality} passport, valid to {expires_on} ({blank_pages} blank)",
):  # fmt: skip
    """A passport of a traveller, expired ones included."""

    id: PassportId
    """Identifier of the passport."""
    traveller_id: TravellerId
    """Whose it is."""
    nationality: Nationality
    expires_on: Annotated[dt.date, Ranked("shortest valid", "longest valid")]
    """Last day on which it is valid."""
    blank_pages: Pages
    """Pages without a stamp or visa."""


class Destination(Record, noun="country", label="{country}"):
    """What a country asks of everybody who comes."""

    id: Annotated[str, Ref("Destination")]
    """Identifier of the country."""
    country: Country
    passport_months: Annotated[int, Field(ge=0), Unit("month")]
    """For how many months after leaving the passport has to be valid."""
    pages_needed: Pages
    """Blank pages that the passport has to have."""
    days_in_180: Days
    """Days in any 180 on which a traveller may be there."""
    exempt: tuple[Nationality, ...]
    """Nationalities that need no visa for short journeys for tourism or business."""
    exempt_days: Days
    """How long such a journey may be."""


class VisaKind(
    Record, noun="visa", label="the {entries} visa for {purpose} in {country}",
    listing="{entries} visa for {purpose} in {country} (up to {max_days}, {fee})",
):  # fmt: skip
    """A visa that can be applied for."""

    id: VisaId
    """Identifier of the visa."""
    country: Country
    purpose: Purpose
    entries: Entries
    max_days: Annotated[Days, Ranked("shortest", "longest")]
    """How long the journey may be, both days of travel included."""
    fee: Annotated[Money, Ranked("cheapest", "most expensive")]
    """What it costs with standard processing."""
    documents: tuple[Document, ...]
    """What has to be attached to the application."""


class VisaSlot(
    Record, noun="appointment", label="the appointment on {starts_at} at the {office}",
    listing="{starts_at} at the {office}",
):  # fmt: skip
    """A time at which an office takes passports and fingerprints."""

    id: SlotId
    """Identifier of the time at this office."""
    country: Country
    office: Annotated[str, Value("visa_office", "Name of a visa office.")]
    city: City
    address: Annotated[str, Value("address", "Street and number.")]
    starts_at: Annotated[dt.datetime, Ranked("earliest", "latest")]
    """When it begins."""
    free: Annotated[int, Field(ge=0), Unit("place")]
    """How many people can still be booked."""


class Stay(Record, noun="stay", label="the stay in {country}[ from {arrived_on}]", listing="{arrived_on} to {left_on}"):
    """Days that a traveller spent in a country."""

    id: Annotated[str, Ref("Stay")]
    """Identifier of the stay."""
    traveller_id: TravellerId
    """Who was there."""
    country: Country
    arrived_on: dt.date
    """First day."""
    left_on: dt.date
    """Last day, which counts as well."""


class Attached(Output, noun="document", label="the {kind}", listing="{kind} of {dated}"):
    """A document that is attached to an application."""

    kind: Document
    dated: dt.date
    """Day on which it was issued or taken."""


class VisaApplication(
    Record,
    noun="application",
    label="my {country} visa application[ for {arrive_on}]",
    listing="{country} for {purpose}, {arrive_on} to {leave_on} ({status})",
):
    """An application for a visa, from its first day as a draft on."""

    id: ApplicationId
    """Identifier of the application."""
    traveller_id: TravellerId
    """Who applies."""
    visa_id: str
    """Identifier of the visa that is applied for."""
    passport_id: PassportId
    """Passport that the visa goes into."""
    nationality: Nationality
    country: Country
    purpose: Purpose
    entries: Entries
    arrive_on: Arrival
    leave_on: Departure
    documents: tuple[Attached, ...] = ()
    """What is attached."""
    missing: tuple[Document, ...]
    """What still has to be attached."""
    complete: bool
    """Whether nothing has to be attached any more."""
    booked: bool = False
    """Whether there is an appointment."""
    slot_id: str | None = None
    """Identifier of the appointment."""
    office: Annotated[str, Value("visa_office")] | None = None
    appointment_at: dt.datetime | None = None
    """When the appointment is."""
    speed: Speed | None = None
    fee: Annotated[AmountDue, Ranked("cheapest", "most expensive")]
    """What it costs: of a draft with standard processing, of a withdrawn one what was kept."""
    decision_by: dt.date | None = None
    """Day by which it is decided, once it is submitted."""
    status: Status = "draft"


class SpeedOffer(Output, noun="speed", label="{speed} processing", listing="{speed} by {decision_by} for {fee}"):
    """A speed at which an application could be processed."""

    speed: Speed
    fee: Money
    """What the application costs at this speed."""
    decision_by: dt.date
    """Day by which it would be decided."""


class ApplicationDetails(Output):
    """An application with what it needs and the speeds that are fast enough."""

    application_id: ApplicationId
    """Application asked about."""
    country: Country
    purpose: Purpose
    nationality: Nationality
    arrive_on: Arrival
    leave_on: Departure
    status: Status
    documents: tuple[Attached, ...]
    """What is attached."""
    missing: tuple[Document, ...]
    """What still has to be attached."""
    outdated: tuple[Document, ...]
    """What is attached to a draft, but too old by now."""
    office: Annotated[str, Value("visa_office")] | None = None
    city: City | None = None
    address: Annotated[str, Value("address")] | None = None
    appointment_at: dt.datetime | None = None
    """When the appointment is."""
    speeds: tuple[SpeedOffer, ...]
    """Of a draft with an appointment: the speeds at which it would be decided before arrival."""
    speed: Speed | None = None
    fee: AmountDue
    decision_by: dt.date | None = None
    """Day by which it is decided, once it is submitted."""


class PassportPage(Page):
    """A page of passports."""

    passports: tuple[Passport, ...]
    """The passports on this page."""


class SlotPage(Page):
    """A page of appointments that can be booked."""

    appointments: tuple[VisaSlot, ...]
    """The appointments on this page."""
    cities: tuple[City, ...]
    """Cities with an office for the country."""


class ApplicationPage(Page):
    """A page of applications."""

    applications: tuple[VisaApplication, ...]
    """The applications on this page."""


class EntryCheck(Output):
    """What a journey needs, and what is in its way."""

    country: Country
    nationality: Nationality
    days: Days
    """How long the journey is, both days of travel included."""
    visa_needed: bool
    """Whether a visa is needed."""
    passport_needed_until: dt.date
    """Day on which the passport still has to be valid."""
    blank_pages: Pages
    """Blank pages, less those that open applications for other countries need."""
    pages_needed: Pages
    """Blank pages that the country asks for."""
    days_used: Days
    """Most days in any 180 with this journey, its own included."""
    days_in_180: Days
    """Days in any 180 that the country allows."""
    obstacles: tuple[Obstacle, ...]
    """What is in the way."""
    visas: tuple[VisaKind, ...]
    """Visas that fit, the cheapest first; none if none is needed."""


class DayCount(Output):
    """How many days of the 180 up to a day are used."""

    country: Country
    on: dt.date
    """Day up to which it is counted."""
    used: Days
    """Days of stays and of granted journeys among the 180."""
    left: Days
    """Days that may still be spent there."""
    allowed: Days
    """Days in any 180 that the country allows."""
    stays: tuple[Stay, ...]
    """Stays that count, the last first."""


class Withdrawn(Output):
    """What withdrawing an application comes to."""

    application_id: ApplicationId
    """Application that was withdrawn."""
    country: Country
    kept: Money
    """What of the fee is kept."""
    refund: AmountDue | None = None
    """What is paid back, if anything was paid."""
