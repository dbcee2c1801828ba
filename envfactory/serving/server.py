"""What servers that are child processes have in common: a port of 127.0.0.1, and the wait until they are healthy."""

from __future__ import annotations

import http.client
import socket
import time
from collections.abc import Iterable
from contextlib import closing, suppress
from typing import Literal

__all__ = ["HOST", "free_port", "is_taken", "wait_until_healthy"]

HOST = "127.0.0.1"
LOOK_TIMEOUT_S = 5.0


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def is_taken(port: int) -> bool:
    """Whether somebody listens on a port."""
    with socket.socket() as probe:
        # As servers themselves do: what one left a moment ago does not count.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return True
        return False


def wait_until_healthy(looks: Iterable[None], port: int, timeout_s: float) -> Literal["healthy", "late", "ended"]:
    """Look at a server until its ``/health`` answers.

    Args:
        looks: yields now and then while the server runs (`envfactory.training.process.running`).
        port: that it is to listen on.
        timeout_s: seconds after which it is late.
    """
    deadline = time.monotonic() + timeout_s
    for _ in looks:
        if _healthy(port):
            return "healthy"
        if time.monotonic() > deadline:
            return "late"
    return "ended"


def _healthy(port: int) -> bool:
    # Straight to this machine, whatever proxy leads out of it.
    connection = http.client.HTTPConnection(HOST, port, timeout=LOOK_TIMEOUT_S)
    with closing(connection), suppress(OSError, http.client.HTTPException):
        connection.request("GET", "/health")
        return connection.getresponse().status == http.client.OK
    return False
