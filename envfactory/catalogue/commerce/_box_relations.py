"""How the arguments of real calls about subscription boxes hang together, tool by tool."""

from envfactory.catalogue.commerce._box_records import BoxStatus, Status
from envfactory.catalogue.commerce._box_rules import REPORT_DAYS
from envfactory.environment import (
    Dated,
    Differing,
    Ends,
    FieldOf,
    FromNow,
    Having,
    New,
    Owned,
    Sharing,
    Within,
)


def _subscription(*among: Status) -> tuple[Owned, Having]:
    """The shopper's own subscriptions at one of these steps."""
    own = Owned(parameter="subscription_id", field="shopper_id", by="shopper_id")
    return own, Having(parameter="subscription_id", field="status", among=among)


def _box(*among: BoxStatus) -> tuple[Owned, Having]:
    """The shopper's own boxes at one of these steps."""
    own = Owned(parameter="box_id", field="shopper_id", by="shopper_id")
    return own, Having(parameter="box_id", field="status", among=among)


_OPEN = Dated(parameter="box_id", field="change_until", days=(0, 400))
_INSIDE = FieldOf(parameter="item", other="box_id", field="lines[].item")
_VARIANT = FieldOf(parameter="variant", other="plan_id", field="variants[]")
_TAKES = Having(parameter="plan_id", field="status", among=("open",))

FINDING_PLANS = (Within(parameter="max_price", low=25, high=60, step=5),)
STARTING = (_TAKES, _VARIANT, New(parameter="plan_id", entity="BoxSubscription", field="plan_id"))
CHECKING = _subscription("active", "paused")
LISTING_BOXES = (_subscription("active", "paused")[0],)
CHANGING = (
    *_subscription("active"),
    _TAKES,
    Sharing(parameter="plan_id", other="subscription_id", fields=("theme",)),
    New(parameter="plan_id", entity="BoxSubscription", field="plan_id"),
    Differing(parameter="frequency", other="subscription_id", field="frequency"),
)
PAUSING = (
    *_subscription("active"),
    Having(parameter="subscription_id", field="may_pause", among=(True,)),
    FromNow(parameter="until", days=(40, 88)),
)
CANCELLING = (*_subscription("active", "paused"), Ends(parameter="subscription_id"))
RESTARTING = (
    *_subscription("paused", "cancelled"),
    Dated(parameter="subscription_id", field="restart_until", days=(0, 60), unset=True),
)
FINDING_ITEMS = (
    *_box("upcoming"),
    _OPEN,
    Within(parameter="max_price", low=8, high=24, step=2),
)
SWAPPING = (
    *_box("upcoming"),
    _OPEN,
    Having(parameter="box_id", field="swaps_left", among=(1, 2)),
    _INSIDE,
    Having(parameter="new_item_id", field="status", among=("in_stock",)),
    Sharing(parameter="new_item_id", other="box_id", fields=("theme", "variant")),
    Differing(parameter="new_item_id", other="box_id", field="lines[].item_id"),
)
ADDING = (
    *_box("upcoming"),
    _OPEN,
    Differing(parameter="item_id", other="box_id", field="lines[].item_id"),
    Having(parameter="item_id", field="status", among=("in_stock",)),
    Within(parameter="pieces", low=1, high=2),
)
SKIPPING = (*_box("upcoming"), _OPEN)
UNSKIPPING = (*_box("skipped"), _OPEN)
REPORTING = (
    *_box("delivered"),
    Dated(parameter="box_id", field="delivers_on", days=(-REPORT_DAYS, 0)),
    _INSIDE,
)
RATING = (*_box("delivered"), _INSIDE, Within(parameter="stars", low=1, high=5))
GIVING = (
    _TAKES,
    _VARIANT,
    Within(parameter="boxes", low=3, high=12, step=3),
    FromNow(parameter="first_on", days=(8, 58)),
)
