"""How the arguments of real calls to the servicing desk hang together, tool by tool."""

from envfactory.catalogue.finance._loan_rules import OPEN
from envfactory.environment import (
    AtMost,
    Dated,
    Differing,
    Ends,
    FromNow,
    Having,
    Owned,
    Together,
    Within,
)

_MINE = Owned(parameter="loan_id", field="borrower_id", by="borrower_id")
_OPEN = Having(parameter="loan_id", field="status", among=("active", "late"))
_CURRENT = Having(parameter="loan_id", field="status", among=("active",))
_ACCOUNT = (
    Owned(parameter="account_id", field="borrower_id", by="borrower_id"),
    Having(parameter="account_id", field="status", among=("verified",)),
)

LOAN = (_MINE,)
SCHEDULE = (
    _MINE,
    _CURRENT,
    Together("extra", "effect"),
    Within(parameter="extra", low=250, high=2000, step=50),
    AtMost(parameter="extra", other="loan_id", field="extra_left"),
    AtMost(parameter="extra", other="loan_id", field="principal_left", share=0.9),
)
PAYING = (
    _MINE,
    _OPEN,
    *_ACCOUNT,
    Within(parameter="amount", low=250, high=1500, step=50),
    AtMost(parameter="amount", other="loan_id", field="extra_left"),
    AtMost(parameter="amount", other="loan_id", field="principal_left", share=0.9),
)
MOVING = (
    _MINE,
    _CURRENT,
    Dated(parameter="loan_id", field="next_due", days=(5, 80)),
    Dated(parameter="loan_id", field="day_fixed_until", days=(-400, -1), unset=True),
    Within(parameter="due_day", low=1, high=28),
    Differing(parameter="due_day", other="loan_id", field="due_day"),
)
RESTING = (
    _MINE,
    _CURRENT,
    Dated(parameter="loan_id", field="holiday_from", days=(-400, 10), unset=True),
    Dated(parameter="loan_id", field="ends_on", days=(300, 20000)),
    FromNow(parameter="starts_on", days=(12, 90)),
)
COLLECTING = (_MINE, _OPEN, *_ACCOUNT, Differing(parameter="account_id", other="loan_id", field="autopay_account_id"))
QUOTING = (_MINE, _OPEN, FromNow(parameter="good_until", days=(3, 28)))
LEAVING = (
    Owned(parameter="quote_id", field="borrower_id", by="borrower_id"),
    Having(parameter="quote_id", field="kind", among=("payoff_quote",)),
    Having(parameter="quote_id", field="status", among=("in_effect",)),
    Dated(parameter="quote_id", field="good_until", days=(0, 60)),
    *_ACCOUNT,
    Ends(parameter="quote_id"),
)
CANCELLING = (
    Owned(parameter="request_id", field="borrower_id", by="borrower_id"),
    Having(parameter="request_id", field="status", among=OPEN),
    Dated(parameter="request_id", field="cancel_until", days=(0, 400), unset=True),
    Ends(parameter="request_id"),
)
WAIVING = (
    Owned(parameter="fee_id", field="borrower_id", by="borrower_id"),
    Having(parameter="fee_id", field="waivable", among=(True,)),
    Ends(parameter="fee_id"),
)
