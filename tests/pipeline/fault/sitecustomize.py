"""Kills its own process at a chosen file operation: what SIGKILL, a power cut or the out-of-memory killer would do.

An audit hook sees every operation that changes something under `FAULT_UNDER`, before it happens. `FAULT_AT` is the
number of the operation that never comes to be, counting those alone whose path holds `FAULT_IN`; `FAULT_LOG` names a
file that lists them all.
"""

import os
import signal
import sys

WRITING = os.O_WRONLY | os.O_RDWR
CHANGES = {"os.rename", "os.mkdir", "os.remove", "os.rmdir", "os.symlink"}


def _watch(under: str, inside: str, at: int, log: str | None) -> None:
    count = 0

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal count
        if event == "open":
            path, _, flags = arguments
            if not isinstance(flags, int) or not flags & WRITING:
                return
        elif event in CHANGES:
            path = arguments[1] if event in ("os.rename", "os.symlink") else arguments[0]
        else:
            return
        # A path may be given as bytes or by descriptor, where it is none of ours.
        name = os.fspath(path) if isinstance(path, str | os.PathLike) else ""
        if not isinstance(name, str) or not os.path.abspath(name).startswith(under):  # noqa: PTH100
            return
        count += inside in name
        if count == at:
            os.kill(os.getpid(), signal.SIGKILL)
        if log is not None:
            descriptor = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
            os.write(descriptor, f"{event} {name}\n".encode())
            os.close(descriptor)

    sys.addaudithook(hook)


if "FAULT_UNDER" in os.environ:
    _watch(
        os.environ["FAULT_UNDER"],
        os.environ.get("FAULT_IN", ""),
        int(os.environ.get("FAULT_AT", "-1")),
        os.environ.get("FAULT_LOG"),
    )
