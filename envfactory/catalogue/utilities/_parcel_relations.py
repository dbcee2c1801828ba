"""How the arguments of real calls to the parcel service hang together: what people call each tool with."""

from envfactory.catalogue.utilities._parcel_rules import CLAIM_DAYS, LATE_DAYS
from envfactory.environment import Dated, Differing, Ends, FieldOf, FromNow, Having, Sharing, Within

CHANGEABLE = (
    Having(parameter="parcel_id", field="direction", among=("incoming",)),
    Having(parameter="parcel_id", field="status", among=("announced", "in_transit")),
)
REDIRECTING = (
    *CHANGEABLE,
    Sharing(parameter="point_id", other="parcel_id", fields=("city",)),
    Differing(parameter="point_id", other="parcel_id", field="point_id"),
)
PUTTING_OFF = (
    *CHANGEABLE,
    FieldOf(parameter="day", other="parcel_id", field="other_days[]"),
    FromNow(parameter="day", days=(1, 14)),
)
CHOOSING = (*CHANGEABLE, Differing(parameter="window", other="parcel_id", field="window"))
LEAVING = (*CHANGEABLE, Differing(parameter="place", other="parcel_id", field="left_at"))
SENDING = (Within(parameter="insured", low=50, high=500, step=50),)
CANCELLING = (
    Having(parameter="parcel_id", field="direction", among=("outgoing",)),
    Having(parameter="parcel_id", field="status", among=("announced",)),
    Ends(parameter="parcel_id"),
)
CLAIMING = (
    Having(parameter="parcel_id", field="status", among=("delivered", "in_transit")),
    Dated(parameter="parcel_id", field="expected_on", days=(-CLAIM_DAYS, -LATE_DAYS - 1)),
    Ends(parameter="parcel_id"),
)
