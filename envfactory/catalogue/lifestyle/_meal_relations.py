"""How the arguments of real calls to the kitchen hang together, tool by tool."""

from envfactory.environment import AtMost, Differing, Ends, FromNow, Having, Owned, Within

_MEAL = (
    Owned(parameter="plan_id", field="cook_id", by="cook_id"),
    Having(parameter="plan_id", field="status", among=("planned",)),
)
_LINE = (
    Owned(parameter="line_id", field="cook_id", by="cook_id"),
    Having(parameter="line_id", field="status", among=("open",)),
)
_SERVINGS = Within(parameter="servings", low=2, high=8)

NEEDING = (_SERVINGS,)
PLANNING = (FromNow(parameter="day", days=(7, 20)), _SERVINGS)
VIEWING = (FromNow(parameter="since", days=(-4, 2)), FromNow(parameter="until", days=(3, 8)))
MOVING = (*_MEAL, FromNow(parameter="day", days=(1, 15)))
CHANGING = (*_MEAL, _SERVINGS, Differing(parameter="servings", other="plan_id", field="servings"))
REMOVING = (*_MEAL, Ends(parameter="plan_id"))
SHOPPING = (*_MEAL, Having(parameter="plan_id", field="shopped", among=(False,)))
CROSSING_OFF = (*_LINE, Ends(parameter="line_id"))
BUYING = (*_LINE, Within(parameter="grams", low=50, high=600, step=50))
LOOKING = (FromNow(parameter="expires_by", days=(1, 9)),)
COOKING = (*_MEAL, Ends(parameter="plan_id"))
THROWING_AWAY = (
    Owned(parameter="stock_id", field="cook_id", by="cook_id"),
    Within(parameter="grams", low=50, high=300, step=50),
    AtMost(parameter="grams", other="stock_id", field="grams", share=0.6),
)
