"""What can go wrong with a language model, told apart by whose fault it is.

`InfrastructureError` is everybody's but the model's: the line, the server, the money, the records. Whoever meets one
stops or puts the work aside; nothing may be counted against the model. `AnswerError` is the model's: it was asked, told
what was wrong, and still did not answer as asked.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = [
    "AnswerError",
    "BadReply",
    "BudgetExceeded",
    "ContextExceeded",
    "Disconnected",
    "EmptyReply",
    "InfrastructureError",
    "LlmError",
    "PermanentError",
    "RateLimited",
    "ReplayMiss",
    "ServerError",
    "TimedOut",
    "TransientError",
    "WrongModel",
]


class LlmError(Exception):
    """Something went wrong with a language model."""


class InfrastructureError(LlmError):
    """Not the model's fault: what was being made is not finished, and nobody failed at it."""


class TransientError(InfrastructureError):
    """May pass; it was tried as often as the settings allow, and did not.

    Attributes:
        retry_after_s: how long the server asked to wait, in seconds; None if it did not say.
    """

    def __init__(self, message: str, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class RateLimited(TransientError):
    """Too many requests or tokens (HTTP 429)."""


class ServerError(TransientError):
    """The server failed (HTTP 5xx, 408, 409, 425)."""


class TimedOut(TransientError):
    """No connection, no byte or no whole reply within the time allowed."""


class Disconnected(TransientError):
    """No server there, or the line broke before the reply was whole."""


class BadReply(TransientError):
    """What came back is not a chat completion."""


class EmptyReply(TransientError):
    """Neither text nor a call came back: nothing at all, or reasoning alone."""


class WrongModel(TransientError):
    """Another model answered than the one that was asked."""


class PermanentError(InfrastructureError):
    """Will not pass by itself: a wrong key, an unknown model, a refused request."""


class ContextExceeded(PermanentError):
    """The conversation is longer than the model's context."""


class BudgetExceeded(InfrastructureError):
    """The next request could cost more than is left; it was not sent."""


class ReplayMiss(InfrastructureError):
    """Only recorded replies may be used, and there is none to this request."""


class AnswerError(LlmError):
    """The model did not answer as asked, in as many rounds as it had.

    Attributes:
        problems: what was wrong with its last answer.
        rounds: how often it was asked, the first time included.
        text: its last answer.
    """

    def __init__(self, message: str, *, problems: Sequence[str], rounds: int, text: str) -> None:
        super().__init__(message)
        self.problems = tuple(problems)
        self.rounds = rounds
        self.text = text
