"""Rules of the cloud: who may do what, what fits where, what the limits of a project leave, and what a month costs."""

import datetime as dt
from collections.abc import Iterable
from typing import TypeVar

from envfactory.catalogue.utilities._cloud_records import (
    CloudProject,
    Machine,
    MachineDetails,
    MachineImage,
    MachineType,
    ProjectUsage,
    Region,
    Standing,
    TypeOffer,
    Volume,
)
from envfactory.environment import ToolError, cents

FACTORS: dict[Region, float] = {"Frankfurt": 1.0, "Helsinki": 0.9, "Virginia": 1.1, "Singapore": 1.3}
"""What a machine costs in a region, in prices of Frankfurt."""
STORAGE_GB = 0.05
"""What a gigabyte costs a month: of volumes, of snapshots, and of the disks of machines that are off."""
KEPT_DAYS = 30
"""How many days a snapshot is kept."""
MOST_VOLUMES = 3
"""Volumes of one machine."""
CHANGING: tuple[Standing, ...] = ("owner", "operator")
SEEING: tuple[Standing, ...] = ("owner", "operator", "viewer")
R = TypeVar("R", Machine, Volume)


def check_role(record: CloudProject | Machine | Volume, among: tuple[Standing, ...] = CHANGING) -> None:
    """Refuse a person whose role in the project of a record is none of these.

    Raises:
        ToolError: `permission_denied`, with whom to ask.
    """
    if record.role == "none":
        raise ToolError("permission_denied", "You are no member of that project; ask one of its owners for access.")
    if record.role not in among:
        project = record.name if isinstance(record, CloudProject) else record.project_name
        words = f"Your role in {project} is {record.role}; ask an {' or '.join(among)} of it to do this."
        raise ToolError("permission_denied", words)


def check_off(machine: Machine, done: str) -> None:
    """Refuse what cannot be done to a running machine.

    Raises:
        ToolError: `precondition_failed`.
    """
    if machine.on:
        raise ToolError("precondition_failed", f"{machine.name} is running; shut it down before it is {done}.")


def check_deletable(machine: Machine) -> None:
    """Refuse to delete a machine that is protected or running.

    Raises:
        ToolError: `precondition_failed`, with who can lift the protection.
    """
    if machine.protected:
        words = f"{machine.name} is protected from deletion; an owner of {machine.project_name} can lift that first."
        raise ToolError("precondition_failed", words)
    check_off(machine, "deleted")


def check_available(kind: MachineType, region: Region) -> None:
    """Refuse a machine type that cannot be had in a region at present.

    Raises:
        ToolError: `precondition_failed`, with where it can be had.
    """
    if region not in kind.regions:
        where = " and ".join(kind.regions)
        words = f"; it can be had in {where}." if where else ", nor anywhere else; choose another type."
        raise ToolError("precondition_failed", f"The {kind.name} type cannot be had in {region} at present{words}")


def check_image(image: MachineImage, kind: MachineType, today: dt.date) -> None:
    """Refuse an image that may not be used, or does not fit a machine type.

    Raises:
        ToolError: says which other image or type would do.
    """
    if not image.usable:
        words = "That image is of a project in which you may change nothing; choose one that is listed."
        raise ToolError("permission_denied", words)
    if image.status == "retired" or expired(image, today):
        words = f"expired on {image.expires_on}" if image.expires_on else "is retired"
        raise ToolError("precondition_failed", f"The {image.name} image {words}; choose one that is listed.")
    if image.architecture != kind.architecture:
        words = f"The {image.name} image is for {image.architecture}, but the {kind.name} type is {kind.architecture}"
        raise ToolError("precondition_failed", f"{words}; choose an image for {kind.architecture}.")
    if image.needs_gb > kind.disk_gb:
        words = f"The {image.name} image needs a disk of {image.needs_gb} gigabytes, the {kind.name} type has"
        raise ToolError("precondition_failed", f"{words} {kind.disk_gb}; choose a type with a larger disk.")


def check_new(name: str, project: CloudProject, machines: Iterable[Machine]) -> None:
    """Refuse a machine with the name of another one, or more machines than a project may have.

    Raises:
        ToolError: `conflict` or `limit_exceeded`.
    """
    names = [machine.name for machine in machines if machine.project_id == project.id]
    if name in names:
        raise ToolError("conflict", f"{project.name} has a machine called {name} already; choose another name.")
    if len(names) >= project.machine_limit:
        words = f"{project.name} has {len(names)} machines and may have {project.machine_limit}; delete one first."
        raise ToolError("limit_exceeded", words)


def check_cores(project: CloudProject, cores: int, machines: Iterable[Machine]) -> None:
    """Refuse to run more cores than a project may.

    Raises:
        ToolError: `limit_exceeded`, with how many are left.
    """
    left = project.core_limit - running_cores(project, machines)
    if cores > left:
        words = f"{project.name} has {left} of its {project.core_limit} cores left, and this needs {cores}"
        raise ToolError("limit_exceeded", f"{words}; shut a machine down or take a smaller type.")


def check_attachable(volume: Volume, machine: Machine, others: int) -> None:
    """Refuse to attach a volume that is in use, or to a machine elsewhere or with all the volumes it may have.

    Raises:
        ToolError: says why not, and which machine would do.
    """
    if volume.machine_id == machine.id:
        raise ToolError("conflict", f"{volume.name} is attached to {machine.name} already; nothing to do.")
    if volume.machine_id:
        raise ToolError("conflict", f"{volume.name} is attached to {volume.machine_name}; detach it first.")
    if volume.project_id != machine.project_id:
        words = f"{volume.name} is of {volume.project_name}, but {machine.name} of {machine.project_name}"
        raise ToolError("precondition_failed", f"{words}; choose a machine of {volume.project_name}.")
    if volume.region != machine.region:
        words = f"{volume.name} is in {volume.region}, but {machine.name} in {machine.region}"
        raise ToolError("precondition_failed", f"{words}; choose a machine in {volume.region}.")
    if others >= MOST_VOLUMES:
        words = f"{machine.name} has {others} volumes already, which is the most; detach one first."
        raise ToolError("limit_exceeded", words)


def seen(records: Iterable[R], project: CloudProject | None, region: Region | None) -> list[R]:
    """The machines or volumes of the person's projects, or of one of them, everywhere or in a region.

    Raises:
        ToolError: `permission_denied`, they are no member of that project.
    """
    if project:
        check_role(project, SEEING)
    found = [each for each in records if each.role in SEEING and region in (None, each.region)]
    return [each for each in found if project is None or each.project_id == project.id]


def running_cores(project: CloudProject, machines: Iterable[Machine]) -> int:
    """How many cores the running machines of a project have."""
    return sum(machine.cores for machine in machines if machine.on and machine.project_id == project.id)


def price(kind: MachineType, region: Region) -> float:
    """What a machine costs in a month in which it runs."""
    return cents(kind.monthly * FACTORS[region])


def costs(machine: Machine) -> float:
    """What a machine costs a month as it is now: one that is off pays for its disk alone."""
    return machine.monthly if machine.on else storage([machine.disk_gb])


def storage(sizes: Iterable[int]) -> float:
    """What so many gigabytes cost a month."""
    return cents(sum(sizes) * STORAGE_GB)


def expired(image: MachineImage, today: dt.date) -> bool:
    """Whether the last day of a snapshot is over."""
    return image.expires_on is not None and image.expires_on < today


def offer(kind: MachineType, region: Region) -> TypeOffer:
    """A type as it can be had in a region."""
    return TypeOffer(
        id=kind.id, name=kind.name, region=region, architecture=kind.architecture, cores=kind.cores,
        memory_gb=kind.memory_gb, disk_gb=kind.disk_gb, monthly=price(kind, region),
    )  # fmt: skip


def usage(
    project: CloudProject, machines: Iterable[Machine], volumes: Iterable[Volume], images: Iterable[MachineImage],
    today: dt.date,
) -> ProjectUsage:  # fmt: skip
    """A project with what it uses of its limits, and what it costs a month as it is now."""
    own = [machine for machine in machines if machine.project_id == project.id]
    parts = {
        "machine_costs": cents(sum(map(costs, own))),
        "volume_costs": storage(volume.size_gb for volume in volumes if volume.project_id == project.id),
        "snapshot_costs": storage(
            i.needs_gb for i in images if i.project_name == project.name and not expired(i, today)
        ),
    }
    return ProjectUsage.model_validate({
        **project.model_dump(), "machines": len(own), "cores": running_cores(project, own), **parts,
        "monthly_total": cents(sum(parts.values())),
    })  # fmt: skip


def sizes(kind: MachineType, region: Region, disk_gb: int, types: Iterable[MachineType]) -> tuple[str, ...]:
    """Identifiers of the types that a machine of a type can be resized to with the disk it has, the cheapest first."""
    found = sorted(
        (each.monthly, each.id)
        for each in types
        if each.id != kind.id
        and each.architecture == kind.architecture
        and region in each.regions
        and each.disk_gb >= disk_gb
    )
    return tuple(key for _, key in found)


def fitted(machine: Machine, kind: MachineType, types: Iterable[MachineType]) -> Machine:
    """The machine as one of a type, its disk as it is."""
    return machine.evolve(
        type_id=kind.id, type_name=kind.name, cores=kind.cores, monthly=price(kind, machine.region),
        sizes=sizes(kind, machine.region, machine.disk_gb, types),
    )  # fmt: skip


def switched(machine: Machine, *, on: bool) -> Machine:
    """The machine as one that is running, or as one that is off."""
    return machine.evolve(on=on, power="running" if on else "off")


def resized(machine: Machine, kind: MachineType, types: Iterable[MachineType], *, grow_disk: bool) -> Machine:
    """The machine as one of another type, its disk as it was or as large as that type has it.

    Raises:
        ToolError: the type is its own or another architecture's, cannot be had, or has too small a disk.
    """
    if kind.id == machine.type_id:
        raise ToolError("conflict", f"{machine.name} is of the {kind.name} type already; choose another.")
    if kind.architecture != machine.architecture:
        words = f"{machine.name} is {machine.architecture}, but the {kind.name} type {kind.architecture}"
        raise ToolError("precondition_failed", f"{words}; choose a type for {machine.architecture}.")
    check_available(kind, machine.region)
    if kind.disk_gb < machine.disk_gb:
        words = f"The disk of {machine.name} has {machine.disk_gb} gigabytes and cannot shrink to {kind.disk_gb}"
        raise ToolError("precondition_failed", f"{words}; choose a type with a disk as large.")
    return fitted(machine.evolve(disk_gb=kind.disk_gb) if grow_disk else machine, kind, types)


def new(
    key: str, name: str, project: CloudProject, kind: MachineType, region: Region, image: MachineImage,
    types: Iterable[MachineType],
) -> Machine:  # fmt: skip
    """A new machine, which is running."""
    return Machine(
        id=key, project_id=project.id, project_name=project.name, role=project.role, name=name, type_id=kind.id,
        type_name=kind.name, architecture=kind.architecture, cores=kind.cores, disk_gb=kind.disk_gb, region=region,
        image_name=image.name, on=True, power="running", monthly=price(kind, region),
        sizes=sizes(kind, region, kind.disk_gb, types),
    )  # fmt: skip


def snapshot(key: str, machine: Machine, today: dt.date) -> MachineImage:
    """What is kept of the disk of a machine."""
    return MachineImage(
        id=key, name=f"{machine.name} snapshot", kind="snapshot", architecture=machine.architecture,
        needs_gb=machine.disk_gb, made_on=today, project_name=machine.project_name,
        expires_on=today + dt.timedelta(days=KEPT_DAYS),
    )  # fmt: skip


def attached(volume: Volume, machine: Machine | None) -> Volume:
    """The volume as one of a machine, or as free."""
    return volume.evolve(
        status="attached" if machine else "free", machine_id=machine and machine.id,
        machine_name=machine and machine.name, machine_on=machine and machine.on,
    )  # fmt: skip


def details(
    machine: Machine, memory_gb: int, volumes: tuple[Volume, ...], others: Iterable[MachineType]
) -> MachineDetails:
    """A machine with its volumes and the types that it can be resized to, and what it costs as it is now."""
    return MachineDetails(
        machine_id=machine.id, name=machine.name, project_name=machine.project_name, type_name=machine.type_name,
        cores=machine.cores, memory_gb=memory_gb, disk_gb=machine.disk_gb, region=machine.region,
        image_name=machine.image_name, on=machine.on, protected=machine.protected, volumes=volumes,
        resizable_to=tuple(kind.name for kind in others),
        monthly_costs=cents(costs(machine) + storage(volume.size_gb for volume in volumes)),
    )  # fmt: skip
