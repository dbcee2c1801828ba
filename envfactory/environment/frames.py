"""Frames: one JSON line and bytes as they are, over a stream socket, by a deadline."""

from __future__ import annotations

import socket
import time

_SIZE_BYTES = 4


def send(connection: socket.socket, header: bytes, payload: bytes, deadline: float | None = None) -> None:
    """Send a frame.

    Args:
        connection: a stream socket; its timeout is set.
        header: JSON without line breaks.
        payload: any bytes.
        deadline: on the clock of `time.monotonic`; None waits as long as it takes.

    Raises:
        TimeoutError: the deadline came first.
        OSError: the other side is gone.
    """
    frame = b"%s\n%s" % (header, payload)
    connection.settimeout(_left(deadline))
    connection.sendall(len(frame).to_bytes(_SIZE_BYTES) + frame)


def receive(connection: socket.socket, deadline: float | None = None) -> tuple[bytes, bytes]:
    """Receive a frame: its header and its payload; see `send`.

    Raises:
        TimeoutError: the deadline came first.
        EOFError: the other side closed the connection.
        OSError: the other side is gone.
    """
    frame = _exactly(connection, int.from_bytes(_exactly(connection, _SIZE_BYTES, deadline)), deadline)
    header, _, payload = frame.partition(b"\n")
    return header, payload


def _exactly(connection: socket.socket, count: int, deadline: float | None) -> bytes:
    parts: list[bytes] = []
    while count:
        connection.settimeout(_left(deadline))
        part = connection.recv(min(count, 1 << 20))
        if not part:
            raise EOFError
        parts.append(part)
        count -= len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def _left(deadline: float | None) -> float | None:
    if deadline is None:
        return None
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left
