"""The cloud of a scenario: projects in every role and at their limits, machines on and off, volumes in use and free."""

import datetime as dt
from typing import Any

from envfactory.catalogue.utilities import _cloud_rules as rules
from envfactory.catalogue.utilities._cloud_records import (
    Architecture,
    CloudProject,
    CloudUser,
    Machine,
    MachineImage,
    MachineType,
    Region,
    Standing,
    Volume,
)
from envfactory.environment import World, by_id

_REGIONS: tuple[Region, ...] = tuple(rules.FACTORS)
_PROJECTS: tuple[tuple[str, Standing], ...] = (
    ("web shop", "owner"), ("analytics", "operator"), ("mobile app", "owner"), ("intranet", "viewer"),
    ("customer portal", "owner"), ("game server", "operator"), ("press office", "none"), ("ticket sale", "none"),
    ("data lake", "owner"), ("newsletter", "operator"),
)  # fmt: skip
_FULL_OF_CORES, _FULL_OF_MACHINES = 1, 2
_TYPES: tuple[tuple[str, Architecture, int, int, int, int], ...] = (
    ("standard-2", "x86", 2, 4, 40, 6), ("standard-4", "x86", 4, 8, 80, 12), ("standard-8", "x86", 8, 16, 160, 25),
    ("standard-16", "x86", 16, 32, 320, 50), ("memory-2", "x86", 2, 16, 80, 15), ("memory-4", "x86", 4, 32, 160, 30),
    ("compute-8", "x86", 8, 16, 240, 36), ("arm-2", "arm", 2, 4, 40, 4), ("arm-4", "arm", 4, 8, 80, 8),
    ("arm-8", "arm", 8, 16, 160, 17), ("arm-16", "arm", 16, 32, 320, 33), ("compute-32", "x86", 32, 64, 600, 140),
)  # fmt: skip
"""Name, architecture, cores, memory, disk and about the price of a month; the first of a kind is to be had anywhere."""
_EVERYWHERE = ("standard-2", "standard-4", "arm-2", "arm-4")
_NOWHERE = "compute-32"
_SYSTEMS: tuple[tuple[str, Architecture, int, bool], ...] = (
    ("Ubuntu 24.04", "x86", 10, True), ("Debian 13", "x86", 10, True), ("Rocky Linux 10", "x86", 20, True),
    ("Fedora 43", "x86", 20, True), ("Ubuntu 24.04 for arm", "arm", 10, True), ("Debian 13 for arm", "arm", 10, True),
    ("CentOS 7", "x86", 20, False), ("Ubuntu 18.04 for arm", "arm", 10, False),
)  # fmt: skip
"""Name, architecture, the least disk, and whether new machines are still made from it."""
_SNAPSHOTS = (
    (0, "shop-old", "x86", 80, 12), (1, "etl-test", "x86", 40, 25), (4, "portal-beta", "arm", 40, 3),
    (0, "shop-archive", "x86", 320, 18), (2, "app-trial", "x86", 40, 34), (3, "wiki-old", "x86", 40, 8),
    (6, "press-old", "x86", 40, 5),
)  # fmt: skip
"""Project, machine, architecture, disk, and how many days ago: the fifth has expired, the last two are not for use."""
_PURPOSES = ("web", "db", "cache", "queue", "mail", "search", "proxy", "report", "render", "crawler", "metrics", "auth")
_FIRST = (
    (0, True, True), (0, False, False), (1, True, False), (2, False, False), (0, True, False), (4, False, True),
    (1, False, False), (2, True, False), (4, True, False), (5, False, False), (3, True, False), (0, False, False),
    (3, False, True), (5, True, False), (4, False, False), (6, False, False), (0, False, True), (2, False, True),
    (8, True, False), (9, False, False), (8, False, False), (9, True, True),
)  # fmt: skip
"""Project of a machine, whether it runs, and whether it is protected."""
_CONTENTS = ("media", "backup", "logs", "uploads", "index", "archive", "exports")


def data_centre(world: World, size: int) -> dict[str, Any]:
    """Draw the fields of the state, about `size` records in all."""
    user = CloudUser(id="CU-1", name=world.user.name, email=world.user.email)
    types = [_type(world, n) for n in range(len(_TYPES))]
    projects = [
        CloudProject(id=f"PJ-{11 + n}", name=name, role=role, machine_limit=0, core_limit=0)
        for n, (name, role) in enumerate(_PROJECTS)
    ]
    images = [
        MachineImage(
            id=f"IMG-{31 + n}", name=name, kind="system", architecture=architecture, needs_gb=needs,
            status="current" if current else "retired", made_on=world.date(-400, -60),
        )
        for n, (name, architecture, needs, current) in enumerate(_SYSTEMS)
    ]  # fmt: skip
    for n, (project, name, architecture, disk, days) in enumerate(_SNAPSHOTS):
        day = world.today - dt.timedelta(days=days)
        images.append(
            MachineImage(
                id=f"IMG-{51 + n}", name=f"{name} snapshot", kind="snapshot", needs_gb=disk, made_on=day,
                architecture=architecture,  # pyright: ignore[reportArgumentType] (checked by the record)
                project_name=projects[project].name, usable=projects[project].role in rules.CHANGING,
                expires_on=day + dt.timedelta(days=rules.KEPT_DAYS),
            )
        )  # fmt: skip
    purposes, machines = world.sample(_PURPOSES, len(_PURPOSES)), list[Machine]()
    for n in range(max(len(_FIRST), size // 2)):
        place, on, protected = _FIRST[n] if n < len(_FIRST) else (n % len(projects), n % 5 < 3, n % 7 == 0)
        kind = types[world.integer(0, 1) if n in (0, 1) else n * 3 % (len(types) - 1)]
        system = world.choice([i for i in images[: len(_SYSTEMS)] if i.architecture == kind.architecture])
        region = "Frankfurt" if n in (0, 1) else world.choice(kind.regions)
        name = f"{purposes[n % len(purposes)]}-{1 + n // len(purposes)}"
        made = rules.new(f"VM-{101 + n}", name, projects[place], kind, region, system, types)
        machines.append(rules.switched(made, on=on).evolve(protected=protected))
    contents = tuple(world.sample(_CONTENTS, len(_CONTENTS)))
    return {
        "now": world.now,
        "user_id": user.id,
        "users": by_id([user]),
        "projects": by_id(_limited(world, n, project, machines) for n, project in enumerate(projects)),
        "types": by_id(types),
        "images": by_id(images),
        "machines": by_id(machines),
        "volumes": by_id(_volume(world, n, contents, machines) for n in range(max(14, size // 4))),
    }


def _type(world: World, n: int) -> MachineType:
    """A machine type, to be had in two or three regions unless its kind is special."""
    name, architecture, cores, memory, disk, monthly = _TYPES[n]
    regions = set(_REGIONS if name in _EVERYWHERE else () if name == _NOWHERE else world.sample(_REGIONS, 2 + n % 2))
    return MachineType(
        id=f"MT-{1 + n}", name=name, architecture=architecture, cores=cores, memory_gb=memory, disk_gb=disk,
        monthly=world.money(monthly, monthly * 1.2, 0.5), regions=tuple(r for r in _REGIONS if r in regions),
    )  # fmt: skip


def _limited(world: World, n: int, project: CloudProject, machines: list[Machine]) -> CloudProject:
    """A project with its limits: one has hardly a core left, and one no machine."""
    count = sum(machine.project_id == project.id for machine in machines)
    cores = rules.running_cores(project, machines)
    return project.evolve(
        machine_limit=count + (0 if n == _FULL_OF_MACHINES else world.integer(2, 6)),
        core_limit=cores + (1 if n == _FULL_OF_CORES else 4 * world.integer(9, 16)),
    )


def _volume(world: World, n: int, contents: tuple[str, ...], machines: list[Machine]) -> Volume:
    """A volume beside a machine; the second machine has three, and every third volume is free."""
    machine = machines[1 if n < 3 else (n - 3) % len(machines)]
    free = Volume(
        id=f"VOL-{401 + n}", project_id=machine.project_id, project_name=machine.project_name, role=machine.role,
        name=f"{contents[n % len(contents)]}-{1 + n // len(contents)}", region=machine.region,
        size_gb=world.choice((10, 20, 50, 100, 200, 500)), status="free",
    )  # fmt: skip
    return free if n > 2 and (n % 3 == 0 or machine is machines[1]) else rules.attached(free, machine)
