"""A cloud: make machines of a type and an image, switch, resize and delete them, and move volumes between them.

What somebody may do follows from their role in a project, what fits from types, images and regions, and what is left
from the limits of the project: of machines in all, and of cores in those that run. Whatever is off costs its disk.
"""

from typing import Annotated, Literal, Self

from pydantic import Field

from envfactory.catalogue.utilities import _cloud_records as cloud
from envfactory.catalogue.utilities import _cloud_rules as rules
from envfactory.catalogue.utilities._cloud_rules import CHANGING, SEEING
from envfactory.catalogue.utilities._cloud_scenario import data_centre
from envfactory.environment import (
    Dated,
    Differing,
    Ends,
    Environment,
    FieldOf,
    Having,
    PageNumber,
    Sharing,
    Table,
    ToolError,
    Within,
    World,
    tool,
)

CHANGED = Having(parameter="machine_id", field="role", among=CHANGING)
SEEN = Having(parameter="machine_id", field="role", among=SEEING)
OWNED = Having(parameter="machine_id", field="role", among=("owner",))
UNPROTECTED = Having(parameter="machine_id", field="protected", among=(False,))
OFF = Having(parameter="machine_id", field="on", among=(False,))
PROJECT = Having(parameter="project_id", field="role", among=SEEING)
VOLUME = Having(parameter="volume_id", field="role", among=CHANGING)


class CloudMachines(Environment):
    """Make, switch, resize, protect and delete the virtual machines of cloud projects, and attach volumes to them."""

    domain = "utilities"
    policy = """Everything belongs to a project. Viewers only look; operators and owners make and change machines and
    volumes; owners alone switch deletion protection. A project has a limit of machines, running or not, and one of
    cores, which counts those that run, so shutting a machine down makes room. A machine is resized, deleted and parted
    from a volume only while it is off. Disks grow but never shrink, so a disk that has grown rules smaller types out.
    Type and image are of one architecture. Volumes are attached to machines of their own project and region, one
    machine at a time, three to a machine. Deleting cannot be undone, but a snapshot can be kept for 30 days to make new
    machines from; volumes become free. What is off still costs its disk. Never delete a machine that was not named."""
    sources = (
        "Hetzner Cloud API, Servers, Server Types, Server Actions, Images and Volumes",
        "DigitalOcean API v2, Droplets, Droplet Actions, Block Storage and Projects",
        "Amazon EC2 API, RunInstances, ModifyInstanceAttribute, AttachVolume and Service Quotas",
    )

    user_id: cloud.UserId
    """User whose session this is."""
    users: Table[cloud.CloudUser]
    projects: Table[cloud.CloudProject]
    types: Table[cloud.MachineType]
    images: Table[cloud.MachineImage]
    machines: Table[cloud.Machine]
    volumes: Table[cloud.Volume]

    @tool(
        ask=(
            "list my cloud projects[ in which my role is {role}][, by {sort}]",
            "show me what my cloud projects cost a month[, where my role is {role}][, sorted by {sort}]",
            "check how much of their limits my cloud projects use[, where my role is {role}][, by {sort}]",
            "look up my cloud projects[ with the role of {role}][, ordered by {sort}]",
        ),
        noun="cloud project of mine[ with the role of {role}]",
        reply=("Your projects: {projects}.", "You are in no such project."),
    )
    def list_projects(
        self, role: cloud.Role | None = None, sort: Literal["name", "costs"] = "name", page: PageNumber = 1
    ) -> cloud.ProjectPage:
        """List the signed-in person's projects, with what each uses of its limits and would cost in a month like today.

        Args:
            role: Only projects in which they are owner, operator or viewer.
            sort: Order: by name, or the highest costs first.
            page: Page of the results, five projects each.
        """
        everything = self.machines.values(), self.volumes.values(), self.images.values(), self.now.date()
        wanted = (role,) if role else SEEING
        found = [rules.usage(each, *everything) for each in self.projects.values() if each.role in wanted]
        found.sort(key=lambda each: (each.name if sort == "name" else -each.monthly_total, each.id))
        return cloud.ProjectPage.of(found, page)

    @tool(
        ask=(
            "find[ {architecture}] machine types in {region}[ with {min_cores} or more][, sorted by {sort}]",
            "show me which[ {architecture}] machine types {region} has[ with at least {min_cores}][, by {sort}]",
            "look for[ {architecture}] machine types to be had in {region}[ with {min_cores} at least][, by {sort}]",
            "see what[ {architecture}] machine types cost in {region}[ from {min_cores} up][, ordered by {sort}]",
        ),
        noun="[{architecture} ]machine type in {region}[ with at least {min_cores}]",
        reply=("You can have {types}.", "There is no such type in {region} at present."),
        where=(Within(parameter="min_cores", low=4, high=8, step=4),),
    )
    def search_machine_types(
        self,
        region: cloud.Region,
        architecture: cloud.Architecture | None = None,
        min_cores: Annotated[cloud.Cores, Field(ge=1)] = 1,
        sort: Literal["price", "memory"] = "price",
        page: PageNumber = 1,
    ) -> cloud.TypePage:
        """Search the machine types that can be had in a region at present, with their prices there.

        Args:
            region: Frankfurt, Helsinki, Virginia or Singapore.
            architecture: Only types of this architecture, x86 or arm.
            min_cores: Only types with so many cores or more.
            sort: Order: lowest price first, or most memory first.
            page: Page of the results, five types each.
        """
        found = [
            rules.offer(each, region)
            for each in self.types.values()
            if region in each.regions and architecture in (None, each.architecture) and each.cores >= min_cores
        ]
        found.sort(key=lambda each: (each.monthly if sort == "price" else -each.memory_gb, each.name))
        return cloud.TypePage.of(found, page)

    @tool(
        ask=(
            "list the[ {architecture}][ {kind}] images for new machines",
            "show me which[ {kind}] images there are[ for {architecture}]",
            "find[ {kind}] images that a machine can be made from[, for {architecture}]",
            "look up the[ {kind}] images I can use[ on {architecture}]",
        ),
        noun="[{kind} ]image[ for {architecture}]",
        reply=("You can use {images}.", "There is no such image."),
    )
    def list_images(
        self, kind: cloud.ImageKind | None = None, architecture: cloud.Architecture | None = None, page: PageNumber = 1
    ) -> cloud.ImagePage:
        """List the images that the signed-in person can make machines from, the latest first.

        Args:
            kind: Only plain systems, or only snapshots of deleted machines.
            architecture: Only images for this architecture, x86 or arm.
            page: Page of the results, five images each.
        """
        today = self.now.date()
        found = [e for e in self.images.values() if e.usable and e.status == "current" and not rules.expired(e, today)]
        found = [e for e in found if kind in (None, e.kind) and architecture in (None, e.architecture)]
        found.sort(key=lambda image: (image.made_on, image.id), reverse=True)
        return cloud.ImagePage.of(found, page)

    @tool(
        ask=(
            "list the[on? running][!on? switched-off] machines[ of {project_id}][ in {region}][, by {sort}]",
            "show me the[on? running][!on? powered-off] machines[ in {region}][ that {project_id} has][, by {sort}]",
            "find[on? running][!on? switched-off] machines[ of {project_id}][ in {region}][, sorted by {sort}]",
            "see which machines[ of {project_id}][ in {region}] there are[on? and run][!on? and are off][, by {sort}]",
        ),
        noun="[on? running ][!on? switched-off ]machine[ of {project_id}][ in {region}]",
        reply=("I found {machines}.", "There is no such machine."),
        where=(PROJECT,),
    )
    def list_machines(
        self,
        project_id: cloud.ProjectId | None = None,
        region: cloud.Region | None = None,
        on: bool | None = None,
        sort: Literal["name", "price"] = "name",
        page: PageNumber = 1,
    ) -> cloud.MachinePage:
        """List the machines of the signed-in person's projects.

        Args:
            project_id: Only machines of this project.
            region: Only machines in Frankfurt, Helsinki, Virginia or Singapore.
            on: Only machines that are running (true), or only those that are off (false).
            sort: Order: by name, or the highest price first.
            page: Page of the results, five machines each.
        """
        project = self.projects.require(project_id) if project_id is not None else None
        found = [m for m in rules.seen(self.machines.values(), project, region) if on in (None, m.on)]
        found.sort(key=lambda each: (each.name if sort == "name" else -each.monthly, each.id))
        return cloud.MachinePage.of(found, page)

    @tool(
        ask=(
            "show me the details of {machine_id}",
            "check which volumes {machine_id} has and what it could be resized to",
            "tell me how large {machine_id} is and what it costs",
            "look into how {machine_id} is set up",
        ),
        reply=(
            "{name} ({type_name}) costs {monthly_costs} a month[; it has {volumes}][; it could become {resizable_to}].",
        ),
        where=(SEEN,),
    )
    def get_machine(self, machine_id: cloud.MachineId) -> cloud.MachineDetails:
        """Get a machine with its volumes, what it costs as it is now, and what it can be resized to.

        Args:
            machine_id: Machine of a project that the signed-in person is a member of.
        """
        machine = self.machines.require(machine_id)
        rules.check_role(machine, SEEING)
        memory, sizes = self.types.require(machine.type_id).memory_gb, map(self.types.require, machine.sizes)
        return rules.details(machine, memory, self._volumes_of(machine), sizes)

    @tool(
        ask=(
            "list the[ {status}] volumes[ of {project_id}][ in {region}]",
            "show me which[ {status}] volumes there are[ in {region}][ for {project_id}]",
            "find[ {status}] volumes[ of {project_id}][ in {region}]",
            "look up the[ {status}] volumes[ in {region}][ that belong to {project_id}]",
        ),
        noun="[{status} ]volume[ of {project_id}][ in {region}]",
        reply=("I found {volumes}.", "There is no such volume."),
        where=(PROJECT,),
    )
    def list_volumes(
        self,
        project_id: cloud.ProjectId | None = None,
        region: cloud.Region | None = None,
        status: cloud.VolumeStatus | None = None,
        page: PageNumber = 1,
    ) -> cloud.VolumePage:
        """List the volumes of the signed-in person's projects, the largest first.

        Args:
            project_id: Only volumes of this project.
            region: Only volumes in Frankfurt, Helsinki, Virginia or Singapore.
            status: Only volumes that are attached, or only those that are free.
            page: Page of the results, five volumes each.
        """
        project = self.projects.require(project_id) if project_id is not None else None
        found = [v for v in rules.seen(self.volumes.values(), project, region) if status in (None, v.status)]
        found.sort(key=lambda volume: (-volume.size_gb, volume.id))
        return cloud.VolumePage.of(found, page)

    @tool(
        writes=True,
        ask=(
            "create a machine called '{name}' in {project_id}: {type_id} in {region} with {image_id}",
            "set up '{name}', a new machine of {type_id} in {region} with {image_id}, for {project_id}",
            "make a new machine '{name}' for {project_id} in {region}, {type_id} and {image_id}",
            "launch a machine named '{name}' in {region} with {image_id} and {type_id} for {project_id}",
        ),
        reply=("{name} is running in {region}; it costs {monthly} a month.",),
        where=(
            Having(parameter="project_id", field="role", among=CHANGING),
            FieldOf(parameter="region", other="type_id", field="regions[]"),
            Sharing(parameter="image_id", other="type_id", fields=("architecture",)),
            Having(parameter="image_id", field="usable", among=(True,)),
            Having(parameter="image_id", field="status", among=("current",)),
            Dated(parameter="image_id", field="expires_on", days=(1, rules.KEPT_DAYS), unset=True),
        ),
    )
    def create_machine(
        self,
        project_id: cloud.ProjectId,
        name: cloud.NewName,
        type_id: cloud.TypeId,
        region: cloud.Region,
        image_id: cloud.ImageId,
    ) -> cloud.Machine:
        """Create a machine, which is running at once, if the limits of the project allow it.

        Args:
            project_id: Project that it shall belong to.
            name: New name within the project, 3 to 30 small letters and digits with hyphens.
            type_id: Machine type that can be had in the region.
            region: Frankfurt, Helsinki, Virginia or Singapore.
            image_id: Plain system or snapshot of the type's architecture that fits on its disk.
        """
        project, kind = self.projects.require(project_id), self.types.require(type_id)
        image = self.images.require(image_id)
        rules.check_role(project)
        rules.check_new(name, project, self.machines.values())
        rules.check_available(kind, region)
        rules.check_image(image, kind, self.now.date())
        rules.check_cores(project, kind.cores, self.machines.values())
        types = self.types.values()
        return self.machines.insert(rules.new(self.new_id("VM"), name, project, kind, region, image, types))

    @tool(
        writes=True,
        ask=(
            "[on? start {machine_id}][!on? shut {machine_id} down]",
            "turn {machine_id} [on? on][!on? off]",
            "power {machine_id} [on? up][!on? down]",
            "[on? get {machine_id} running again][!on? switch {machine_id} off]",
        ),
        reply=("{name} is [on? running][!on? off] now.",),
        where=(CHANGED, Differing(parameter="on", other="machine_id", field="on")),
    )
    def switch_power(self, machine_id: cloud.MachineId, on: bool) -> cloud.Machine:
        """Start a machine, if the project may run so many cores more, or shut it down.

        Args:
            machine_id: Machine to start or shut down.
            on: Whether it is started (true) or shut down (false).
        """
        machine = self.machines.require(machine_id)
        rules.check_role(machine)
        if on == machine.on:
            raise ToolError("conflict", f"{machine.name} is {'running' if on else 'off'} already; nothing to do.")
        if on:
            rules.check_cores(self.projects.require(machine.project_id), machine.cores, self.machines.values())
        after = self.machines.replace(rules.switched(machine, on=on))
        for volume in self._volumes_of(machine):
            self.volumes.replace(rules.attached(volume, after))
        return after

    @tool(
        writes=True,
        ask=(
            "resize {machine_id} to {type_id}[grow_disk? and let its disk grow along]",
            "change {machine_id} to {type_id}[grow_disk?, with the larger disk]",
            "move {machine_id} to {type_id}[grow_disk? and grow its disk too]",
            "turn {machine_id} into {type_id}[grow_disk?, disk included]",
        ),
        reply=("{name} is a {type_name} now, with a disk of {disk_gb}; it costs {monthly} a month while it runs.",),
        where=(CHANGED, OFF, FieldOf(parameter="type_id", other="machine_id", field="sizes[]")),
    )
    def resize_machine(
        self, machine_id: cloud.MachineId, type_id: cloud.TypeId, grow_disk: bool = False
    ) -> cloud.Machine:
        """Change the type of a machine that is off to another one of its architecture, to be had in its region.

        Args:
            machine_id: Machine to resize.
            type_id: Type that it shall have, with a disk at least as large as the machine's.
            grow_disk: Whether the disk becomes as large as that of the type, for good; else it stays as it is.
        """
        machine, kind = self.machines.require(machine_id), self.types.require(type_id)
        rules.check_role(machine)
        rules.check_off(machine, "resized")
        return self.machines.replace(rules.resized(machine, kind, self.types.values(), grow_disk=grow_disk))

    @tool(
        writes=True,
        ask=(
            "[protected? protect {machine_id} from deletion][!protected? unprotect {machine_id}]",
            "turn deletion protection [protected? on][!protected? off] for {machine_id}",
            "[protected? lock {machine_id} against deletion][!protected? lift the deletion lock of {machine_id}]",
            "switch the deletion protection of {machine_id} [protected? on][!protected? off]",
        ),
        reply=("{name} is[protected? protected from deletion][!protected? without deletion protection] now.",),
        where=(OWNED, Differing(parameter="protected", other="machine_id", field="protected")),
    )
    def set_protection(self, machine_id: cloud.MachineId, protected: bool) -> cloud.Machine:
        """Protect a machine from deletion, or lift the protection; only owners of its project do.

        Args:
            machine_id: Machine to protect.
            protected: Whether it is protected from now on.
        """
        machine = self.machines.require(machine_id)
        rules.check_role(machine, ("owner",))
        if protected == machine.protected:
            words = "protected" if protected else "unprotected"
            raise ToolError("conflict", f"{machine.name} is {words} already; nothing to do.")
        return self.machines.replace(machine.evolve(protected=protected))

    @tool(
        writes=True,
        ask=(
            "attach {volume_id} to {machine_id}",
            "connect {volume_id} to {machine_id}",
            "mount {volume_id} on {machine_id}",
            "hook {volume_id} up to {machine_id}",
        ),
        reply=("The {name} volume is attached to {machine_name} now.",),
        where=(
            VOLUME,
            Having(parameter="volume_id", field="status", among=("free",)),
            Sharing(parameter="machine_id", other="volume_id", fields=("project_id", "region")),
        ),
    )
    def attach_volume(self, volume_id: cloud.VolumeId, machine_id: cloud.MachineId) -> cloud.Volume:
        """Attach a free volume to a machine of its project and region that has fewer than three.

        Args:
            volume_id: Volume to attach.
            machine_id: Machine that gets it, running or not.
        """
        volume, machine = self.volumes.require(volume_id), self.machines.require(machine_id)
        for each in (volume, machine):
            rules.check_role(each)
        rules.check_attachable(volume, machine, len(self._volumes_of(machine)))
        return self.volumes.replace(rules.attached(volume, machine))

    @tool(
        writes=True,
        ask=("detach {volume_id}", "take {volume_id} off its machine", "disconnect {volume_id}", "free up {volume_id}"),
        reply=("The {name} volume is free now.",),
        where=(VOLUME, Having(parameter="volume_id", field="machine_on", among=(False,))),
    )
    def detach_volume(self, volume_id: cloud.VolumeId) -> cloud.Volume:
        """Detach a volume from its machine, which has to be off; it keeps its data and its price.

        Args:
            volume_id: Volume to detach.
        """
        volume = self.volumes.require(volume_id)
        rules.check_role(volume)
        if volume.machine_id is None:
            raise ToolError("conflict", f"The {volume.name} volume is free already; it can be attached to a machine.")
        rules.check_off(self.machines.require(volume.machine_id), "parted from a volume")
        return self.volumes.replace(rules.attached(volume, None))

    @tool(
        writes=True,
        ask=(
            "delete {machine_id}[keep_snapshot? and keep a snapshot of it]",
            "destroy {machine_id}[keep_snapshot?, but keep a snapshot]",
            "remove {machine_id} for good[keep_snapshot? and save a snapshot first]",
            "get rid of {machine_id}[keep_snapshot?, with a snapshot kept]",
        ),
        reply=("{name} is deleted[; the {image_name} image is kept until {expires_on}][. Free now: {freed}].",),
        where=(CHANGED, OFF, UNPROTECTED, Ends(parameter="machine_id")),
    )
    def delete_machine(self, machine_id: cloud.MachineId, keep_snapshot: bool = False) -> cloud.DeletedMachine:
        """Delete a machine that is off and not protected, for good; its volumes become free.

        Args:
            machine_id: Machine to delete.
            keep_snapshot: Whether a snapshot of its disk is kept for 30 days, at 5 cents a gigabyte and month.
        """
        machine = self.machines.require(machine_id)
        rules.check_role(machine)
        rules.check_deletable(machine)
        freed = tuple(self.volumes.replace(rules.attached(each, None)) for each in self._volumes_of(machine))
        image = rules.snapshot(self.new_id("IMG"), machine, self.now.date()) if keep_snapshot else None
        if image:
            self.images.insert(image)
        self.machines.delete(machine.id)
        return cloud.DeletedMachine(
            name=machine.name, project_name=machine.project_name, image_id=image and image.id,
            image_name=image and image.name, expires_on=image and image.expires_on, freed=freed,
        )  # fmt: skip

    def _volumes_of(self, machine: cloud.Machine) -> tuple[cloud.Volume, ...]:
        return tuple(volume for volume in self.volumes.values() if volume.machine_id == machine.id)

    @classmethod
    def scenario(cls, world: World, size: int) -> Self:
        """Projects in every role and at their limits, machines in every condition, volumes in use and free."""
        return cls.model_validate(data_centre(world, size))
