"""Relations of the smart home: records of the own home, devices that can do something, values that change."""

from envfactory.catalogue.lifestyle._home_records import Capability
from envfactory.environment import After, Differing, FromNow, Having, Owned, Relation

DAYS = (FromNow(parameter="since", days=(-12, -5)), After(parameter="until", other="since", days=(1, 4)))
"""Days of which there are energy readings."""


def own(parameter: str) -> Owned:
    """The record is of the signed-in member's home."""
    return Owned(parameter=parameter, field="owner_id", by="member_id")


def changing(parameter: str, *fields: str) -> tuple[Relation, ...]:
    """A record of the own home, and arguments that give its fields of their names another value."""
    return own(parameter), *(Differing(parameter=field, other=parameter, field=field) for field in fields)


def having(field: str, value: str | bool) -> Having:
    """The device has this value in a field."""
    return Having(parameter="device_id", field=field, among=(value,))


ONLINE = having("online", True)


def able(capability: Capability, field: str) -> tuple[Relation, ...]:
    """A device of the own home that can be reached and can do this, and an argument that changes a field of it."""
    return *changing("device_id", field), ONLINE, having("capabilities[]", capability)
