"""How the arguments of real calls to the code host hang together: what people call each tool with."""

from envfactory.environment import Ends, Having, Sharing

_SOME_COMMITS = tuple(range(1, 60))
_WRITERS = ("maintainer", "contributor")
_WRITABLE = (
    Having(parameter="branch_id", field="role", among=_WRITERS),
    Having(parameter="branch_id", field="status", among=("active", "in_review")),
)
_OPEN = Having(parameter="pull_id", field="status", among=("open",))
_MAINTAINED = Having(parameter="pull_id", field="role", among=("maintainer",))

BRANCHING = (Having(parameter="repository_id", field="role", among=_WRITERS),)
COMMITTING = _WRITABLE
UPDATING = (*_WRITABLE, Having(parameter="branch_id", field="behind", among=_SOME_COMMITS))
PROPOSING = (
    Having(parameter="branch_id", field="role", among=_WRITERS),
    Having(parameter="branch_id", field="status", among=("active",)),
    Having(parameter="branch_id", field="commits", among=_SOME_COMMITS),
)
SUGGESTING = (_OPEN,)
ASKING = (
    _OPEN,
    Having(parameter="pull_id", field="mine", among=(True,)),
    Sharing(parameter="developer_id", other="pull_id", fields=("team",)),
)
REVIEWING = (
    _OPEN,
    Having(parameter="pull_id", field="mine", among=(False,)),
    Having(parameter="pull_id", field="role", among=_WRITERS),
)
MERGING = (_OPEN, _MAINTAINED, Having(parameter="pull_id", field="merge_state", among=("ready",)))
CLOSING = (_OPEN, _MAINTAINED, Ends(parameter="pull_id"))
