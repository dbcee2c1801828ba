"""What can go wrong inside an environment, and whose fault it is.

Three kinds are kept apart, because they are answered differently: a `ToolError` is the domain's refusal and goes back
to the agent in band; a `ReadOnlyError` is a bug of the environment's author; an `EnvironmentFailure` is infrastructure
(a timeout, a crash) and never counts as the agent's mistake.
"""

from __future__ import annotations

from typing import Literal, get_args

Code = Literal[
    "not_found",
    "invalid_argument",
    "conflict",
    "precondition_failed",
    "permission_denied",
    "limit_exceeded",
    "unknown_tool",
]
CODES: frozenset[str] = frozenset(get_args(Code))

FailureKind = Literal["timeout", "crash", "bug", "closed"]


class ToolError(Exception):
    """A tool's refusal in the words of the domain; the session's state stays as it was.

    Attributes:
        code: one of `CODES`, stable for programs.
        message: one sentence for the person or agent who called.
    """

    def __init__(self, code: Code, message: str) -> None:
        if code not in CODES:
            raise ValueError(f"ToolError code {code!r} is not one of {', '.join(sorted(CODES))}")
        super().__init__(message)
        self.code: Code = code
        self.message = message


class ReadOnlyError(RuntimeError):
    """A tool that is not marked `writes=True` tried to change the state."""


class DeclarationError(TypeError):
    """An environment class breaks a rule of its own declaration; raised when the class is defined."""


class EnvironmentFailure(RuntimeError):
    """Infrastructure failed, not the agent: the call counts for nothing and is reported apart.

    Attributes:
        kind: `timeout` (a call overran its limit), `crash` (the worker died), `bug` (the tool raised something that is
            not a `ToolError`) or `closed` (the session was used after `close`).
    """

    def __init__(self, kind: FailureKind, message: str) -> None:
        super().__init__(message)
        self.kind: FailureKind = kind
