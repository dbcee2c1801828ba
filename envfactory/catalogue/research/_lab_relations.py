"""How the arguments of real calls to the laboratory's inventory hang together, tool by tool."""

from envfactory.environment import AtMost, Dated, Ends, FromNow, Having, NamedIn, Owned, Sharing, Within

_HELD = (
    Owned(parameter="container_id", field="holder_id", by="member_id"),
    Having(parameter="container_id", field="status", among=("checked_out",)),
)
_GOOD = Dated(parameter="container_id", field="use_by", days=(4, 2000))
_IN_TIME = Dated(parameter="container_id", field="back_by", days=(0, 14))
_THERE = Sharing(parameter="place_id", other="container_id", fields=("temperature",))
_ROOM = Having(parameter="place_id", field="free", among=tuple(range(6, 20)))
_CLEARED = ("harmless", "flammable", "acid", "base", "toxic")
_MINE = Owned(parameter="request_id", field="member_id", by="member_id")

CERTIFICATES = (FromNow(parameter="valid_on", days=(5, 90)),)
FINDING = (Within(parameter="at_least_ml", low=50, high=200, step=50),)
PLACES = (*_HELD, _GOOD)
OUT = (
    Having(parameter="container_id", field="status", among=("stored",)),
    Having(parameter="container_id", field="hazard", among=_CLEARED),
    Having(parameter="container_id", field="temperature", among=("room", "fridge")),
    _GOOD,
    FromNow(parameter="back_by", days=(1, 3)),
)
AWAY = (*_HELD, _GOOD, _THERE, _ROOM)
TAKING = (
    *_HELD,
    _GOOD,
    _IN_TIME,
    Within(parameter="amount_ml", low=5, high=35, step=5),
    AtMost(parameter="amount_ml", other="container_id", field="amount_ml"),
)
LOG = (
    NamedIn(parameter="container_id", entity="LabUsage", field="container_id"),
    FromNow(parameter="since", days=(-20, -3)),
)
STRIKING = (
    Owned(parameter="usage_id", field="member_id", by="member_id"),
    Dated(parameter="usage_id", field="taken_on", days=(0, 0)),
    Ends(parameter="usage_id"),
)
SPLITTING = (
    *_HELD,
    _GOOD,
    _IN_TIME,
    _THERE,
    _ROOM,
    Having(parameter="container_id", field="aliquot", among=(False,)),
    Within(parameter="parts", low=2, high=5),
    Within(parameter="amount_ml", low=5, high=25, step=5),
    AtMost(parameter="amount_ml", other="container_id", field="amount_ml", share=0.2),
)
DISPOSING = (*_HELD, Ends(parameter="container_id"))
REQUESTING = (
    Having(parameter="chemical_id", field="hazard", among=_CLEARED),
    Within(parameter="packs", low=1, high=4),
)
CANCELLING = (
    _MINE,
    Having(parameter="request_id", field="status", among=("waiting", "ordered")),
    Dated(parameter="request_id", field="arrives_on", days=(1, 30)),
    Ends(parameter="request_id"),
)
