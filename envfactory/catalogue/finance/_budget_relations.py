"""How the arguments of real calls to the budget hang together, tool by tool."""

from envfactory.environment import (
    AtMost,
    Dated,
    Differing,
    Differs,
    FieldOf,
    FromNow,
    Having,
    NamedIn,
    Owned,
    Some,
    Within,
)


def _mine(parameter: str) -> Owned:
    """A record of the household's own."""
    return Owned(parameter=parameter, field="household_id", by="household_id")


def _for_spending(parameter: str) -> Having:
    """An envelope that money is spent from."""
    return Having(parameter=parameter, field="group", among=("bills", "everyday", "savings"))


_FROM = (_mine("from_id"), Having(parameter="from_id", field="state", among=("free",)))
_TRANSACTION = (_mine("transaction_id"), Dated(parameter="transaction_id", field="day", days=(-27, 0)))
"""A recent one: of this month or the one before, which are not closed."""

LOOKING = (
    _mine("envelope_id"),
    _for_spending("envelope_id"),
    _mine("month_id"),
    Dated(parameter="month_id", field="starts", days=(-100, 0)),
)
FINDING = (_mine("month_id"), Dated(parameter="month_id", field="starts", days=(-100, 0)))
LISTING = (_mine("envelope_id"), _for_spending("envelope_id"), FromNow(parameter="since", days=(-40, -3)))
COMING = (
    NamedIn(parameter="envelope_id", entity="BudgetPayment", field="envelope_id"),
    FromNow(parameter="until", days=(5, 60)),
)
MOVING = (
    *_FROM,
    _mine("to_id"),
    Differs(parameter="to_id", other="from_id"),
    Within(parameter="amount", low=5, high=60, step=5),
    AtMost(parameter="amount", other="from_id", field="spare"),
)
COVERING = (*_FROM, _mine("envelope_id"), Having(parameter="envelope_id", field="state", among=("overspent",)))
FILING = (
    *_TRANSACTION,
    Having(parameter="transaction_id", field="filing", among=("uncategorised", "partly_categorised")),
    FieldOf(parameter="envelope_id", other="transaction_id", field="usual_ids[]"),
    Within(parameter="amount", low=2, high=40, step=1),
    AtMost(parameter="amount", other="transaction_id", field="left", share=0.7),
)
UNFILING = (
    *_TRANSACTION,
    Having(parameter="transaction_id", field="filing", among=("partly_categorised", "categorised", "split")),
    FieldOf(parameter="envelope_id", other="transaction_id", field="parts[].envelope_id"),
)
AIMING = (
    _mine("envelope_id"),
    _for_spending("envelope_id"),
    Dated(parameter="envelope_id", field="target_by", days=(1, 4000)),
    Within(parameter="amount", low=100, high=1500, step=50),
    Differing(parameter="amount", other="envelope_id", field="target"),
    FromNow(parameter="by", days=(40, 500)),
    Some("amount", "by"),
)
RECONCILING = (_mine("account_id"), FieldOf(parameter="balance", other="account_id", field="reported"))
CLOSING = (
    _mine("month_id"),
    Having(parameter="month_id", field="status", among=("open",)),
    Dated(parameter="month_id", field="ends", days=(-62, -1)),
)
REOPENING = (
    _mine("month_id"),
    Having(parameter="month_id", field="status", among=("closed",)),
    Dated(parameter="month_id", field="ends", days=(-62, -1)),
)
