"""How the arguments of real calls to the paper library hang together: what a reader would call each tool with."""

from envfactory.environment import AtMost, Differing, Ends, FromNow, Having, NamedIn, Owned, Some, Within

_OWN_READING = Owned(parameter="reading_id", field="reader_id", by="reader_id")
_READABLE = Having(parameter="reading_id", field="full_text", among=(True,))
_GOOD = Having(parameter="paper_id", field="retracted", among=(False,))

SEARCHING = (Some("topic", "lead", "subject"), Within(parameter="years", low=2, high=8))
CITED = (NamedIn(parameter="paper_id", entity="Citation", field="cited_id"),)
SAVING = (_GOOD, Having(parameter="paper_id", field="saved", among=(False,)))
MOVING = (_OWN_READING, Differing(parameter="shelf", other="reading_id", field="shelf"))
READING = (
    _OWN_READING,
    _READABLE,
    Having(parameter="reading_id", field="status", among=("unread", "started")),
    AtMost(parameter="page_reached", other="reading_id", field="pages"),
    Differing(parameter="page_reached", other="reading_id", field="bookmark"),
)
NOTING = (_OWN_READING, _READABLE, AtMost(parameter="on_page", other="reading_id", field="pages"))
NOTES = (_OWN_READING,)
ERASING = (Owned(parameter="note_id", field="reader_id", by="reader_id"), Ends(parameter="note_id"))
DROPPING = (_OWN_READING, Ends(parameter="reading_id"))
ORDERING = (
    _GOOD,
    Having(parameter="paper_id", field="access", among=("closed",)),
    Having(parameter="paper_id", field="copy_state", among=("none",)),
    FromNow(parameter="needed_by", days=(9, 30)),
)
CANCELLING = (
    Owned(parameter="request_id", field="reader_id", by="reader_id"),
    Having(parameter="request_id", field="status", among=("ordered",)),
    Ends(parameter="request_id"),
)
