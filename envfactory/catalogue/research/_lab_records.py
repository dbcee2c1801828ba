"""Records and results of a laboratory's inventory: chemicals, places, containers, requests, use, certificates."""

import datetime as dt
from typing import Annotated, Literal

from pydantic import Field

from envfactory.environment import Money, Output, Page, Ranked, Record, Ref, Unit, Value

MemberId = Annotated[str, Ref("LabMember")]
CertificateId = Annotated[str, Ref("LabCertificate")]
ChemicalId = Annotated[str, Ref("LabChemical")]
PlaceId = Annotated[str, Ref("LabPlace")]
ContainerId = Annotated[str, Ref("LabContainer")]
RequestId = Annotated[str, Ref("LabRequest")]
UsageId = Annotated[str, Ref("LabUsage")]
Hazard = Annotated[
    Literal["flammable", "oxidising", "acid", "base", "toxic", "harmless"],
    Value("hazard_class", "Hazard class of a chemical: flammable, oxidising, acid, base, toxic or harmless."),
]
Temperature = Annotated[
    Literal["room", "fridge", "freezer"],
    Value("keeping_temperature", "Where a chemical is kept: at room temperature, in a fridge or in a freezer."),
]
Training = Annotated[
    Literal["general_safety", "solvents", "oxidisers", "corrosives", "toxics"],
    Value("lab_training", "Safety training: general_safety, solvents, oxidisers, corrosives or toxics."),
]
Room = Annotated[str, Value("lab_room", "Room of the laboratory, such as B204.")]
ChemicalName = Annotated[str, Value("chemical_name", "Name of a chemical.")]
ContainerStatus = Annotated[
    Literal["stored", "checked_out", "waste"],
    Value("container_status", "Where a container is: stored in a place, checked out by somebody, or given to waste."),
]
RequestStatus = Annotated[
    Literal["waiting", "ordered", "delivered", "cancelled", "declined"],
    Value("chemical_request_status", "Where a request stands; waiting ones need the head of the lab to approve."),
]
AmountDue = Annotated[Money, Value("amount_due", "Amount to be paid.")]
Millilitres = Annotated[int, Field(ge=0), Unit("millilitre")]
Amount = Annotated[int, Field(ge=1, le=5000), Unit("millilitre")]
Parts = Annotated[int, Field(ge=2, le=10), Unit("aliquot")]
Packs = Annotated[int, Field(ge=1, le=10), Unit("pack")]
Days = Annotated[int, Field(ge=0), Unit("day")]
UseBy = Annotated[dt.date, Ranked("soonest expiring", "longest lasting")]


class LabMember(Record, noun="member", label="{name}"):
    """Somebody who works in the laboratory."""

    id: MemberId
    """Identifier of the member."""
    name: Annotated[str, Value("person_name", "Full name of a person.")]
    email: Annotated[str, Value("email", "E-mail address.")]


class LabCertificate(
    Record, noun="certificate", label="my {training} certificate", listing="{training} until {valid_until}"
):
    """What a member may work with, after a safety training."""

    id: CertificateId
    """Identifier of the certificate."""
    member_id: MemberId
    """Whose it is."""
    training: Training
    valid_until: Annotated[dt.date, Ranked("first to end", "longest valid")]
    """Last day on which it is valid."""


class LabChemical(
    Record, noun="chemical", label="{name}", listing="{name} ({hazard}, {pack_ml} for {price})",
):  # fmt: skip
    """A chemical that the laboratory may order."""

    id: ChemicalId
    """Identifier of the chemical."""
    name: ChemicalName
    hazard: Hazard
    temperature: Temperature
    training: Training
    pack_ml: Annotated[Amount, Ranked("smallest", "biggest")]
    """What a pack holds, in millilitres."""
    price: Annotated[Money, Ranked("cheapest", "most expensive")]
    """What a pack costs, in US dollars."""
    open_days: Days
    """How long it is good once a container is opened."""
    limit_ml: Millilitres
    """The most that the laboratory may hold of it, in millilitres, ordered packs included."""


class LabPlace(
    Record, noun="storage place", label="the {name} in {room}", listing="the {name} in {room} ({free} free)"
):
    """A cabinet, shelf, fridge or freezer."""

    id: PlaceId
    """Identifier of the place."""
    name: Annotated[str, Value("lab_place", "Name of a storage place.")]
    room: Room
    temperature: Temperature
    free: Annotated[int, Field(ge=0), Unit("container"), Ranked("fullest", "emptiest")]
    """How many containers can still be put there."""


class LabContainer(
    Record,
    noun="container",
    label="the {chemical} of lot {lot}",
    listing="{chemical} of lot {lot} ({amount_ml}, good until {use_by})",
):
    """A bottle or tube; an aliquot belongs to the member who split it off, everything else to the laboratory."""

    id: ContainerId
    """Identifier of the container."""
    chemical_id: ChemicalId
    """What is in it."""
    chemical: ChemicalName
    hazard: Hazard
    temperature: Temperature
    lot: Annotated[str, Value("lot_number", "Lot number on a container; those of aliquots end in A1, A2 and so on.")]
    amount_ml: Annotated[Millilitres, Ranked("emptiest", "fullest")]
    """What is left in it, in millilitres."""
    use_by: UseBy
    """Last day on which it may be used; opening it may bring that forward."""
    opened_on: dt.date | None = None
    """Day on which it was opened."""
    status: ContainerStatus = "stored"
    place_id: str | None = None
    """Identifier of the place where it is stored."""
    place: Annotated[str, Value("lab_place")] | None = None
    holder_id: str | None = None
    """Identifier of the member who has it checked out, or gave it to waste."""
    back_by: dt.date | None = None
    """Last day on which whoever has it may use it before it is put away."""
    owner_id: str | None = None
    """Identifier of the member whose aliquot it is."""
    aliquot: bool = False
    """Whether it was split off another container; aliquots are not split again."""
    split_from: str | None = None
    """Identifier of the container that an aliquot was split off from."""
    contaminated: bool = False
    """Whether it went to waste because it was contaminated."""
    collected_on: dt.date | None = None
    """Friday on which the waste that it is in is collected."""


class LabUsage(
    Record,
    noun="log entry",
    label="the log entry of {amount_ml} of {chemical}[ from lot {lot}][ on {taken_on}]",
    listing="{amount_ml} of {chemical} from lot {lot} on {taken_on}",
):
    """An amount that a member took out of a container."""

    id: UsageId
    """Identifier of the entry."""
    member_id: MemberId
    """Who took it."""
    container_id: ContainerId
    """What it was taken from."""
    chemical: ChemicalName
    hazard: Hazard
    lot: Annotated[str, Value("lot_number")]
    amount_ml: Annotated[Amount, Ranked("smallest", "biggest")]
    """How much was taken, in millilitres."""
    left_ml: Millilitres
    """What was left in the container afterwards, in millilitres."""
    taken_on: dt.date
    """Day on which it was taken."""


class LabRequest(
    Record,
    noun="request",
    label="my request for {packs} of {chemical}[ from {requested_on}]",
    listing="{packs} of {chemical} for {total} ({status})",
):
    """What a member asks the laboratory to buy."""

    id: RequestId
    """Identifier of the request."""
    member_id: MemberId
    """Who asks for it."""
    chemical_id: ChemicalId
    """What is asked for."""
    chemical: ChemicalName
    packs: Packs
    """How many packs."""
    total: Annotated[AmountDue, Ranked("cheapest", "most expensive")]
    express: bool
    """Whether it comes by express."""
    requested_on: dt.date
    """Day on which it was made."""
    arrives_on: dt.date
    """Day of delivery, of a waiting one if it is approved in time."""
    status: RequestStatus


class CertificateList(Output):
    """Certificates, all of them."""

    certificates: tuple[LabCertificate, ...]
    """The certificates."""


class ChemicalPage(Page):
    """A page of chemicals."""

    chemicals: tuple[LabChemical, ...]
    """The chemicals on this page."""


class ContainerPage(Page):
    """A page of containers."""

    containers: tuple[LabContainer, ...]
    """The containers on this page."""


class PlacePage(Page):
    """A page of places that a container may be put in."""

    places: tuple[LabPlace, ...]
    """The places on this page."""
    apart_from: tuple[Hazard, ...]
    """Hazard classes that must not stand beside it."""
    rooms: tuple[Room, ...]
    """Rooms with such a place."""


class UsagePage(Page):
    """A page of log entries."""

    usages: tuple[LabUsage, ...]
    """The entries on this page."""
    total_ml: Millilitres
    """What was taken by all that match, in millilitres."""


class RequestPage(Page):
    """A page of requests."""

    requests: tuple[LabRequest, ...]
    """The requests on this page."""


class ContainerDetails(Output):
    """A container, what it takes to work with it, and what has to be done next."""

    container_id: ContainerId
    """Container asked about."""
    chemical: ChemicalName
    lot: Annotated[str, Value("lot_number")]
    hazard: Hazard
    status: ContainerStatus
    amount_ml: Millilitres
    """What is left in it, in millilitres."""
    use_by: dt.date
    """Last day on which it may be used."""
    expired: bool
    """Whether that day is over."""
    opened_on: dt.date | None = None
    """Day on which it was opened."""
    place: Annotated[str, Value("lab_place")] | None = None
    room: Room | None = None
    holder: Annotated[str, Value("person_name")] | None = None
    """Who has it, or gave it to waste."""
    back_by: dt.date | None = None
    """Day by which it has to be put away."""
    collected_on: dt.date | None = None
    """Day on which the waste is collected."""
    training: Training
    cleared_until: dt.date | None = None
    """Last day on which the signed-in member may work with it, if there is a valid certificate."""
    out_until: dt.date | None = None
    """Latest day that it could be checked out until today, if it can be."""


class SplitResult(Output):
    """What splitting a container gave."""

    container_id: ContainerId
    """Container that was split."""
    chemical: ChemicalName
    aliquots: tuple[LabContainer, ...]
    """The aliquots."""
    left_ml: Millilitres
    """What is left in the container, in millilitres."""
