"""How the arguments of real calls to the dataset registry hang together: what people call each tool with."""

from envfactory.environment import Ends, FieldOf, FromNow, Having, Within

_OWN = Having(parameter="dataset_id", field="mine", among=(True,))
_PUBLISHED = Having(parameter="dataset_id", field="status", among=("published", "reopened"))
_OPEN = Having(parameter="dataset_id", field="status", among=("unpublished", "reopened"))

SEARCHING = (Within(parameter="max_size", low=150, high=500, step=50),)
CITING = (_PUBLISHED,)
DOWNLOADING = (
    _PUBLISHED,
    Having(parameter="dataset_id", field="my_access", among=("own", "open", "granted")),
    FieldOf(parameter="file_format", other="dataset_id", field="formats[]"),
)
REQUESTING = (Having(parameter="dataset_id", field="my_access", among=("none",)), _PUBLISHED)
WITHDRAWING = (Having(parameter="dataset_id", field="my_access", among=("asked",)), _PUBLISHED)
LISTING = (_OWN, _PUBLISHED, Having(parameter="dataset_id", field="gated", among=(True,)))
ANSWERING = (Having(parameter="request_id", field="status", among=("pending",)),)
UPLOADING = (_OWN, _OPEN, Within(parameter="size", low=20, high=400, step=20))
REMOVING = (Having(parameter="file_id", field="published", among=(False,)), Ends(parameter="file_id"))
PUBLISHING = (
    _OWN,
    Having(parameter="dataset_id", field="ready", among=(True,)),
    FromNow(parameter="embargo_until", days=(20, 300)),
)
REVISING = (_OWN, Having(parameter="dataset_id", field="status", among=("published",)))
DISCARDING = (_OWN, _OPEN, Ends(parameter="dataset_id"))
