"""Records and results of the cloud: projects, machine types and images, machines, and volumes."""

import datetime as dt
from typing import Annotated, Literal

from pydantic import Field

from envfactory.environment import FreeText, Money, Output, Page, Ranked, Record, Ref, Unit, Value

UserId = Annotated[str, Ref("CloudUser")]
ProjectId = Annotated[str, Ref("CloudProject")]
TypeId = Annotated[str, Ref("MachineType")]
ImageId = Annotated[str, Ref("MachineImage")]
MachineId = Annotated[str, Ref("Machine")]
VolumeId = Annotated[str, Ref("Volume")]
Region = Annotated[
    Literal["Frankfurt", "Helsinki", "Virginia", "Singapore"],
    Value("cloud_region", "Region of the data centre: Frankfurt, Helsinki, Virginia or Singapore."),
]
Role = Annotated[
    Literal["owner", "operator", "viewer"],
    Value("project_role", "What the signed-in person is in a project: owner, operator or viewer."),
]
Standing = Literal["owner", "operator", "viewer", "none"]
Architecture = Annotated[Literal["x86", "arm"], Value("architecture", "What a processor is built like: x86 or arm.")]
ImageKind = Annotated[
    Literal["system", "snapshot"], Value("image_kind", "A plain system, or a snapshot of a deleted machine.")
]
Power = Annotated[Literal["running", "off"], Value("machine_power", "Whether a machine is running or off.")]
VolumeStatus = Annotated[Literal["attached", "free"], Value("volume_status", "Whether a machine has the volume.")]
Gigabytes = Annotated[int, Field(ge=1), Unit("gigabyte")]
Cores = Annotated[int, Field(ge=0), Unit("core")]
Count = Annotated[int, Field(ge=0), Unit("machine")]
ProjectName = Annotated[str, Value("cloud_project", "Name of a project.")]
TypeName = Annotated[str, Value("machine_type", "Name of a machine type.")]
ImageName = Annotated[str, Value("machine_image", "Name of an image.")]
NewName = Annotated[
    str,
    Field(min_length=3, max_length=30, pattern=r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$"),
    FreeText(("blog-2", "staging", "build-agent", "demo-box", "mail-relay", "test-bench", "vpn-gate", "wiki")),
]
MachineName = Annotated[str, Value("machine_name", "Name of a machine.")]


class CloudUser(Record, noun="user", label="{name}"):
    """Who is signed in."""

    id: UserId
    """Identifier of the user."""
    name: Annotated[str, Value("person_name", "Full name of a person.")]
    email: Annotated[str, Value("email", "E-mail address.")]


class CloudProject(Record, noun="project", label="the {name} project", listing="{name} (your role is {role})"):
    """What machines and volumes belong to; its limits hold for all of its members."""

    id: ProjectId
    """Identifier of the project."""
    name: ProjectName
    role: Standing
    """What the signed-in person is in it; none if they are no member."""
    machine_limit: Count
    """How many machines it may have, running or not."""
    core_limit: Cores
    """How many cores its running machines may have together."""


class MachineType(Record, noun="machine type", label="the {name} type"):
    """How large a machine is, where it can be had, and what it costs in Frankfurt."""

    id: TypeId
    """Identifier of the type."""
    name: TypeName
    architecture: Architecture
    cores: Cores
    """How many cores."""
    memory_gb: Gigabytes
    """How much memory, in gigabytes."""
    disk_gb: Gigabytes
    """How large the disk is, in gigabytes."""
    monthly: Money
    """Price of a running month in Frankfurt; other regions are cheaper or dearer."""
    regions: tuple[Region, ...]
    """Where it can be had at present."""


class MachineImage(Record, noun="image", label="the {name} image[ of {made_on}]", listing="{name} ({architecture})"):
    """What the disk of a new machine starts from."""

    id: ImageId
    """Identifier of the image."""
    name: ImageName
    kind: ImageKind
    architecture: Architecture
    needs_gb: Gigabytes
    """The least disk that it fits on, in gigabytes."""
    status: Literal["current", "retired"] = "current"
    """Whether new machines can still be made from it."""
    made_on: dt.date
    """When it was made."""
    project_name: ProjectName | None = None
    """Project that pays for a snapshot; none of a plain system."""
    usable: bool = True
    """Whether the signed-in person may use it: snapshots of projects where they are owner or operator, and systems."""
    expires_on: dt.date | None = None
    """Last day of a snapshot; none of a plain system."""


class Machine(
    Record,
    noun="machine",
    label="{name}[ of {project_name}]",
    listing="{name} ({type_name} in {region}, {power})",
):
    """A virtual machine of a project."""

    id: MachineId
    """Identifier of the machine."""
    project_id: ProjectId
    """Project that it belongs to."""
    project_name: ProjectName
    role: Standing
    """What the signed-in person is in that project."""
    name: MachineName
    type_id: TypeId
    """Its type."""
    type_name: TypeName
    architecture: Architecture
    cores: Cores
    """How many cores it has."""
    disk_gb: Gigabytes
    """How large its disk is, in gigabytes."""
    region: Region
    image_name: ImageName
    on: bool
    """Whether it is running."""
    power: Power
    """The same in a word: running or off."""
    protected: bool = False
    """Whether it is protected from deletion."""
    monthly: Annotated[Money, Ranked("cheapest", "most expensive")]
    """Price of a month in which it runs, in dollars."""
    sizes: tuple[str, ...] = ()
    """Identifiers of the types that it can be resized to with the disk that it has, the cheapest first."""


class Volume(
    Record,
    noun="volume",
    label="the {name} volume[ of {project_name}]",
    listing="{name} ({size_gb} in {region}, {status})",
):
    """Storage that is kept apart from machines, and attached to one of them at a time."""

    id: VolumeId
    """Identifier of the volume."""
    project_id: ProjectId
    """Project that it belongs to."""
    project_name: ProjectName
    role: Standing
    """What the signed-in person is in that project."""
    name: Annotated[str, Value("volume_name", "Name of a volume.")]
    region: Region
    size_gb: Annotated[Gigabytes, Ranked("smallest", "largest")]
    """How much it holds, in gigabytes."""
    status: VolumeStatus
    machine_id: MachineId | None = None
    """Machine that has it."""
    machine_name: MachineName | None = None
    machine_on: bool | None = None
    """Whether that machine is running."""


class ProjectUsage(
    Output, noun="project", label="the {name} project", listing="{name} ({machines}, {monthly_total} a month)"
):
    """A project with what it uses of its limits, and what a month like today would cost."""

    id: ProjectId
    """Identifier of the project."""
    name: ProjectName
    role: Role
    machines: Count
    """How many machines it has, running or not."""
    machine_limit: Count
    """How many it may have."""
    cores: Cores
    """How many cores its running machines have together."""
    core_limit: Cores
    """How many they may have."""
    machine_costs: Money
    """For running machines, and the disks of those that are off, in dollars a month."""
    volume_costs: Money
    """For volumes, attached or not, in dollars a month."""
    snapshot_costs: Money
    """For snapshots that have not expired, in dollars a month."""
    monthly_total: Money
    """All of it, in dollars a month."""


class TypeOffer(
    Output, noun="machine type", label="the {name} type", listing="{name} ({cores}, {memory_gb}, {monthly} a month)"
):
    """A machine type that can be had in a region."""

    id: TypeId
    """Identifier of the type."""
    name: TypeName
    region: Region
    architecture: Architecture
    cores: Annotated[Cores, Ranked(high="most powerful")]
    """How many cores."""
    memory_gb: Gigabytes
    """How much memory, in gigabytes."""
    disk_gb: Gigabytes
    """How large the disk is, in gigabytes."""
    monthly: Annotated[Money, Ranked("cheapest", "most expensive")]
    """Price of a running month in this region, in dollars."""


class ProjectPage(Page):
    """A page of projects."""

    projects: tuple[ProjectUsage, ...]
    """The projects on this page."""


class TypePage(Page):
    """A page of machine types."""

    types: tuple[TypeOffer, ...]
    """The types on this page."""


class ImagePage(Page):
    """A page of images."""

    images: tuple[MachineImage, ...]
    """The images on this page."""


class MachinePage(Page):
    """A page of machines."""

    machines: tuple[Machine, ...]
    """The machines on this page."""


class VolumePage(Page):
    """A page of volumes."""

    volumes: tuple[Volume, ...]
    """The volumes on this page."""


class MachineDetails(Output):
    """A machine with its volumes, and what it costs as it is now."""

    machine_id: MachineId
    """Machine asked about."""
    name: MachineName
    project_name: ProjectName
    type_name: TypeName
    cores: Cores
    """How many cores it has."""
    memory_gb: Gigabytes
    """How much memory it has, in gigabytes."""
    disk_gb: Gigabytes
    """How large its disk is, in gigabytes."""
    region: Region
    image_name: ImageName
    on: bool
    """Whether it is running."""
    protected: bool
    """Whether it is protected from deletion."""
    volumes: tuple[Volume, ...]
    """Volumes that it has."""
    resizable_to: tuple[TypeName, ...]
    """Names of the types that it can be resized to, the cheapest first."""
    monthly_costs: Money
    """What it and its volumes cost a month as they are now, in dollars."""


class DeletedMachine(Output):
    """What deleting a machine leaves."""

    name: MachineName
    project_name: ProjectName
    image_id: ImageId | None = None
    """Snapshot that was kept of it."""
    image_name: ImageName | None = None
    expires_on: dt.date | None = None
    """Last day of that snapshot."""
    freed: tuple[Volume, ...]
    """Volumes that it had, which are free now."""
