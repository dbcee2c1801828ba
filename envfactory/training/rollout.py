"""Plays one row with a model that is asked over a network: an `Episode` beside a `TokenLine`, without blocking.

Environments run in threads, the model is awaited. Whoever is cancelled here leaves nothing open: an episode is closed
as soon as what it is doing ends. No torch, no trainer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from typing import Any

from envfactory.dataset import RLRow
from envfactory.reward import COMPOSITE, FailedRollout, RewardSettings
from envfactory.training.cut import Tokenizer
from envfactory.training.episode import Episode, EpisodeLimits
from envfactory.training.task import Tasks
from envfactory.training.tokens import TokenLine, render


@dataclass(frozen=True, slots=True)
class Generated:
    """A message of the model: its tokens, and the log probability of each if the sampler tells."""

    ids: Sequence[int]
    log_probs: Sequence[float] | None = None


Generate = Callable[[list[int], int], Awaitable[Generated]]
"""Given the tokens so far and how many may follow, the next message."""


class GenerationFailed(RuntimeError):
    """The model could not be asked; raised by a `Generate`, it makes the rollout a failed one."""


@dataclass(frozen=True, slots=True)
class Rollout:
    """What a trainer needs of a rollout.

    Attributes:
        prompt: tokens that it began with.
        response: tokens after it; of a rollout that failed before the model said anything, one end of turn.
        mask: 1 for each token of the response that is learned from; of a failed rollout, 0 for all.
        log_probs: as the sampler told; 0 for what was not generated.
        reward: R; 0 for a failed rollout, which the empty mask tells from a reward of 0.
        metrics: each term apart, see `envfactory.training.episode.Outcome.metrics`.
        messages: how many the model wrote.
        failure: why it failed; empty if it did not.
    """

    prompt: list[int]
    response: list[int]
    mask: list[int]
    log_probs: list[float]
    reward: float
    metrics: dict[str, float]
    messages: int
    failure: str = ""


class Player:
    """Plays rows; see the module docstring. Made once a process, used by any number of rollouts at a time."""

    def __init__(
        self,
        tasks: Tasks,
        threads: Executor,
        tokenizer: Tokenizer,
        *,
        thinking: bool,
        max_response_tokens: int,
        limits: EpisodeLimits | None = None,
        settings: RewardSettings = COMPOSITE,
    ) -> None:
        """Prepare.

        Args:
            tasks: opens the rows' environments.
            threads: runs environments.
            tokenizer: of the model.
            thinking: whether the model thinks.
            max_response_tokens: of a rollout, results included.
            limits: of an episode.
            settings: of the reward.
        """
        self._tasks = tasks
        self._threads = threads
        self._tokenizer = tokenizer
        self._thinking = thinking
        self._most = max_response_tokens
        self._limits = limits or EpisodeLimits()
        self._settings = settings

    async def play(self, row: RLRow, generate: Generate) -> Rollout:
        """Play a row.

        Raises:
            ValueError: the row's programs do not run, so the environments are not those that it was made with.
            KeyError: an environment that is not there.
        """
        opening: Future[tuple[TokenLine, Episode]] = self._threads.submit(self._open, row)
        work: Future[Any] = opening
        messages = 0
        try:
            line, episode = await asyncio.wrap_future(opening)
            while not episode.done and line.room > 0:
                try:
                    generated = await generate(line.ids, line.room)
                except GenerationFailed as error:
                    return _failed(line, messages, f"generation: {error}")
                if not generated.ids:
                    return _failed(line, messages, "generation: the message is empty")
                text = line.add_generated(generated.ids, generated.log_probs)
                messages += 1
                work = stepping = self._threads.submit(episode.step, text, whole=line.ended)
                reply = await asyncio.wrap_future(stepping)
                if reply.done:
                    break
                if not (line.add_words(reply.said) if reply.said else line.add_results(reply.results)):
                    break
            work = finishing = self._threads.submit(episode.finish)
            outcome = await asyncio.wrap_future(finishing)
        finally:
            # An episode is not disturbed at what it is doing; unless this was cancelled, that is over.
            work.add_done_callback(lambda _: _close(opening))
        if isinstance(outcome.score, FailedRollout):
            return _failed(line, messages, outcome.score.reason)
        return Rollout(
            line.prompt, line.response, line.mask, line.log_probs, outcome.score.reward, outcome.metrics(), messages
        )

    def _open(self, row: RLRow) -> tuple[TokenLine, Episode]:
        prompt = render(row.opening(simulated=self._limits.simulated), row.tools, thinking=self._thinking)
        line = TokenLine(self._tokenizer, prompt, thinking=self._thinking, max_response_tokens=self._most)
        return line, Episode(row, self._tasks, self._limits, self._settings, tokenizer=self._tokenizer)


def _close(opening: Future[tuple[TokenLine, Episode]]) -> None:
    if not opening.cancelled() and opening.exception() is None:
        _, episode = opening.result()
        episode.close()


def _failed(line: TokenLine, messages: int, reason: str) -> Rollout:
    response = line.response or line.end
    nothing = [0] * len(response)
    log_probs = line.log_probs or [0.0] * len(response)
    return Rollout(line.prompt, response, nothing, log_probs, 0.0, {"failed": 1.0}, messages, failure=reason)
