"""How the arguments of real calls to the bank hang together, tool by tool."""

from envfactory.catalogue.finance._banking_records import CardStatus
from envfactory.environment import AtMost, Differs, Ends, FromNow, Having, New, Owned, Some, Together, Within


def _mine(parameter: str) -> Owned:
    """Something of the signed-in person's own."""
    return Owned(parameter=parameter, field="holder_id", by="holder_id")


def _open(parameter: str) -> Having:
    """Accounts in use."""
    return Having(parameter=parameter, field="status", among=("open",))


def _cards(*among: CardStatus) -> tuple[Owned, Having]:
    """The person's cards in one of these conditions."""
    return _mine("card_id"), Having(parameter="card_id", field="status", among=among)


_PAYING = (
    _mine("account_id"),
    Having(parameter="account_id", field="kind", among=("checking",)),
    _open("account_id"),
    _mine("payee_id"),
)
_A_SUM = Within(parameter="amount", low=20, high=300, step=10)

ACCOUNT = (_mine("account_id"),)
SEARCHING = (
    _mine("account_id"),
    FromNow(parameter="since", days=(-90, -40)),
    FromNow(parameter="until", days=(-5, -1)),
    Together("since", "until"),
    Some("category", "counterparty", "since", "min_amount"),
)
DISPUTING = (
    _mine("transaction_id"),
    Having(parameter="transaction_id", field="channel", among=("card",)),
    Having(parameter="transaction_id", field="status", among=("booked",)),
)
NEW_PAYEE = (
    New(parameter="name", entity="Payee", field="name"),
    New(parameter="account_number", entity="Payee", field="account_number"),
)
SENDING = (*_PAYING, _A_SUM, AtMost(parameter="amount", other="account_id", field="balance", share=0.5))
MOVING = (
    _mine("from_account_id"),
    _open("from_account_id"),
    _mine("to_account_id"),
    _open("to_account_id"),
    Differs(parameter="to_account_id", other="from_account_id"),
    _A_SUM,
    AtMost(parameter="amount", other="from_account_id", field="balance", share=0.5),
)
SCHEDULING = (
    *_PAYING,
    Within(parameter="amount", low=20, high=400, step=10),
    FromNow(parameter="starts_on", days=(2, 60)),
)
CANCELLING = (
    _mine("scheduled_id"),
    Having(parameter="scheduled_id", field="status", among=("active",)),
    Ends(parameter="scheduled_id"),
)
FREEZING = _cards("active")
UNFREEZING = (*_cards("frozen"), Within(parameter="daily_limit", low=100, high=1000, step=50))
REPLACING = (*_cards("active", "frozen", "blocked", "expired"), Ends(parameter="card_id"))
SAVING = (
    _mine("account_id"),
    Having(parameter="account_id", field="kind", among=("savings",)),
    _open("account_id"),
    Within(parameter="target", low=6000, high=12000, step=500),
    FromNow(parameter="reached_by", days=(60, 700)),
)
LIMIT = (Within(parameter="daily_limit", low=250, high=5000, step=250),)
