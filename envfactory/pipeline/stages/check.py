"""Stage `check`: validates one data file by row and field; on demand, leaves nothing in the store."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

from pydantic import JsonValue

from envfactory.pipeline.stage import Stage, StageContext, StageError


def run(context: StageContext) -> Mapping[str, JsonValue]:
    """Check the file, print what is wrong with it, and fail if anything is."""
    from envfactory.dataset.check import check_file

    named = context.config.check.path
    assert named is not None, "the configuration demands it of this stage"
    try:
        checked = check_file(Path(named))
    except OSError as error:
        raise StageError(f"check.path={named}: {error.strerror or error}") from error
    except ValueError as error:
        raise StageError(f"check.path={named}: {error}") from error
    for line in checked.lines():
        sys.stdout.write(f"{line}\n")
    if not checked.ok:
        raise StageError(f"check.path={named}: something is wrong with this file, see above")
    return {"kind": checked.kind, "rows": checked.rows, "problems": checked.total}


STAGE = Stage(name="check", version=1, reads=(), takes=(), modules=("envfactory.dataset",), run=run, environments=False)
