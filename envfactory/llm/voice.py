"""`Voice`: one model as a stage's roles speak to it, with the settings that all of them share.

A role hands over messages and gets back a validated answer, or `AnswerError` after as many rounds as are allowed; it
then goes on by rules (`fell_back`) or gives up. Any number of threads may use one voice.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

from pydantic import BaseModel

from envfactory.llm.blocking import BlockingClient
from envfactory.llm.chat import JsonOutput, Message, Reply, Request, Tool
from envfactory.llm.errors import AnswerError
from envfactory.llm.ledger import Purpose

__all__ = ["Speech", "Voice"]

M = TypeVar("M", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Speech:
    """How a model speaks.

    Attributes:
        temperature: of the sampling.
        thinking: whether, or how much, it reasons first; None: as the endpoint has it.
        rounds: how often it is asked for an answer of a certain form, the first time included.
    """

    temperature: float = 0.7
    thinking: bool | None = None
    rounds: int = 3


class Voice:
    """See the module docstring."""

    def __init__(self, client: BlockingClient, stage: str, speech: Speech | None = None) -> None:
        """Speak through a client.

        Args:
            client: who asks.
            stage: what costs are noted under.
            speech: how the model speaks.
        """
        self.client, self.stage, self.speech = client, stage, speech or Speech()
        self._counts: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._mine = threading.local()

    @contextmanager
    def making(self, trajectory: str) -> Generator[Counter[str]]:
        """Note what this thread asks inside the block under a trajectory, by whatever name it goes (see `Purpose`).

        Yields:
            What `counts` tells, of the block alone; it grows as the block goes on.
        """
        counts: Counter[str] = Counter()
        self._mine.trajectory, self._mine.counts = trajectory, counts
        try:
            yield counts
        finally:
            self._mine.trajectory = self._mine.counts = None

    def ask(
        self,
        role: str,
        messages: Sequence[Message],
        answer: type[M],
        problems: Callable[[M], Iterable[str]] = lambda _: (),
        *,
        seed: int,
        max_tokens: int,
    ) -> M:
        """Ask for an answer of a certain form.

        Args:
            role: who asks; what is spent is counted under it.
            messages: the conversation so far.
            answer: the form.
            problems: says what is wrong with an answer of the right form, in sentences for the model.
            seed: of the sampling.
            max_tokens: of one reply.

        Raises:
            AnswerError: no answer was right, in as many rounds as there are.
            InfrastructureError: the endpoint, the line, the budget or the records failed.
        """
        request = self._request(messages, seed, max_tokens)
        try:
            found = self.client.ask(
                request,
                answer,
                self._purpose(role),
                rounds=self.speech.rounds,
                check=lambda value: list(problems(value)),
            )
        except AnswerError:
            self._count(f"{role}:unanswered")
            raise
        self._count(f"{role}:answered")
        if found.rounds > 1:
            self._count(f"{role}:repaired")
        return found.value

    def chat(
        self,
        role: str,
        messages: Sequence[Message],
        *,
        tools: Sequence[Tool] = (),
        output: JsonOutput | None = None,
        seed: int,
        max_tokens: int,
    ) -> Reply:
        """Ask for the next message of a conversation, whatever it is.

        Raises:
            InfrastructureError: the endpoint, the line, the budget or the records failed.
        """
        request = self._request(messages, seed, max_tokens)
        reply = self.client.complete(
            request.model_copy(update={"tools": tuple(tools), "output": output}), self._purpose(role)
        )
        self._count(f"{role}:messages")
        return reply

    def fell_back(self, role: str) -> None:
        """Note that a role went on by rules, since the model did not answer as asked."""
        self._count(f"{role}:by_rules")

    def ran_full(self, role: str) -> None:
        """Note that a conversation ended because it was longer than the model can read."""
        self._count(f"{role}:too_long")

    def counts(self) -> Mapping[str, int]:
        """How often each role answered, did so only after repair, did not, went on by rules, ran full; sorted."""
        with self._lock:
            return dict(sorted(self._counts.items()))

    def _request(self, messages: Sequence[Message], seed: int, max_tokens: int) -> Request:
        return Request(
            messages=tuple(messages),
            seed=seed,
            temperature=self.speech.temperature,
            thinking=self.speech.thinking,
            max_tokens=max_tokens,
        )

    def _purpose(self, role: str) -> Purpose:
        return Purpose(self.stage, role, getattr(self._mine, "trajectory", None))

    def _count(self, name: str) -> None:
        with self._lock:
            self._counts[name] += 1
        mine: Counter[str] | None = getattr(self._mine, "counts", None)
        if mine is not None:
            mine[name] += 1
