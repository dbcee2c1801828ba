"""Our own benchmark: the held-out turns of a run, played live and scored as in reinforcement learning.

A turn is played in a private session by `Episode`, with the same limits and the same reward as a rollout; the model is
asked through its served endpoint, with the same schemas and the same text as there. What infrastructure breaks is a
failed turn: it is counted, and has no reward.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from statistics import fmean
from typing import Annotated, Any, Protocol

import orjson
from pydantic import BaseModel, ConfigDict, Field

from envfactory.dataset import ChatMessage, RLRow
from envfactory.gold import Call
from envfactory.reward import FailedRollout, RewardSettings
from envfactory.serving.chat import Answer, ChatError
from envfactory.training.cut import Tokenizer
from envfactory.training.episode import Episode, EpisodeLimits
from envfactory.training.task import Tasks
from envfactory.training.tokens import render, render_results, render_words

__all__ = ["Asks", "PlayedTurn", "TurnLimits", "play", "play_all", "summary"]

MEANS = (
    "reward",
    "r_traj",
    "r_state",
    "p_length",
    "calls",
    "refused",
    "malformed",
    "unknown_tools",
    "unreadable",
    "user_replies",
    "steps",
)
"""Terms and counts of which the mean over the turns is told."""


class Asks(Protocol):
    """Who answers: `envfactory.serving.chat.Chat`, or what stands for it."""

    def ask(self, messages: Sequence[ChatMessage], tools: list[dict[str, Any]], max_tokens: int) -> Answer:
        """Return the next message of the assistant."""
        ...


@dataclass(frozen=True, slots=True)
class TurnLimits:
    """How long a turn may be.

    Attributes:
        episode: messages, calls, results, and whether a simulated user is in the loop.
        prompt_tokens: of the prompt; a turn with a longer one is left out, as in reinforcement learning.
        response_tokens: of all that comes after it, results included.
        thinking: whether the model thinks.
    """

    episode: EpisodeLimits
    prompt_tokens: int
    response_tokens: int
    thinking: bool


class PlayedTurn(BaseModel):
    """One turn as a model played it; a row of `results.jsonl`.

    Attributes:
        model: `base`, `sft` or `rl`.
        id: of the turn, `<trajectory>/<turn>`.
        prompt_tokens: of the prompt that it began with.
        messages: what followed the prompt: the model's raw messages, results as it was shown them, and what the
            simulated user said.
        calls: every call as executed, whole results included.
        terms: the reward, its terms and counts, each apart; of a turn that failed, only that it failed.
        failure: why infrastructure failed; empty if it did not.
        left_out: whether the prompt was too long to be played.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: str
    id: str
    prompt_tokens: Annotated[int, Field(ge=0)]
    messages: tuple[ChatMessage, ...] = ()
    calls: tuple[Call, ...] = ()
    terms: dict[str, float] = Field(default_factory=dict)
    failure: str = ""
    left_out: bool = False


def play(
    row: RLRow, model: str, asks: Asks, tasks: Tasks, limits: TurnLimits, reward: RewardSettings, tokenizer: Tokenizer
) -> PlayedTurn:
    """Play one turn.

    Raises:
        ValueError: the row's programs do not run in the present environments.
        KeyError: an environment that is not there.
    """
    prompt = 0
    said: list[ChatMessage] = []
    try:
        opening = row.opening(simulated=limits.episode.simulated)
        prompt = _count(tokenizer, render(opening, row.tools, thinking=limits.thinking))
        if prompt > limits.prompt_tokens:
            return PlayedTurn(model=model, id=row.id, prompt_tokens=prompt, left_out=True)
        with Episode(row, tasks, limits.episode, reward, tokenizer) as episode:
            _converse(row, episode, asks, prompt, limits, tokenizer, said)
            outcome = episode.finish()
    except ChatError as error:
        return PlayedTurn(
            model=model, id=row.id, prompt_tokens=prompt, messages=tuple(said), terms={"failed": 1.0},
            failure=f"endpoint: {error}",
        )  # fmt: skip
    failure = outcome.score.reason if isinstance(outcome.score, FailedRollout) else ""
    return PlayedTurn(
        model=model, id=row.id, prompt_tokens=prompt, messages=tuple(said), calls=outcome.calls,
        terms=outcome.metrics(), failure=failure,
    )  # fmt: skip


def play_all(
    rows: Iterable[RLRow], played: Callable[[RLRow], PlayedTurn], *, concurrency: int
) -> Generator[PlayedTurn]:
    """Play turns, several at once, and yield them as they end.

    Who closes this, or is interrupted in it, waits for none of the turns that are under way: each ends with its server.

    Args:
        rows: the turns.
        played: plays one; called from several threads.
        concurrency: how many are under way at once.
    """
    threads = ThreadPoolExecutor(concurrency)
    try:
        for future in as_completed([threads.submit(played, row) for row in rows]):
            yield future.result()
    finally:
        threads.shutdown(wait=False, cancel_futures=True)


def summary(turns: Sequence[PlayedTurn]) -> dict[str, float]:
    """Return what a model came to: counts of turns, and means over those that were played to their end.

    `solved` is the share with R_traj = 1, `called` the share in which at least one call was executed and answered.
    """
    played = [turn for turn in turns if not turn.left_out and not turn.failure]
    found: dict[str, float] = {
        "turns": len(turns),
        "left_out": sum(turn.left_out for turn in turns),
        "failed": sum(bool(turn.failure) for turn in turns),
    }
    if played:
        found["solved"] = _mean(turn.terms["r_traj"] == 1 for turn in played)
        found["called"] = _mean(any(call.ok for call in turn.calls) for turn in played)
        found |= {name: _mean(turn.terms[name] for turn in played) for name in MEANS}
    return found


def _converse(
    row: RLRow, episode: Episode, asks: Asks, prompt: int, limits: TurnLimits, tokenizer: Tokenizer,
    said: list[ChatMessage],
) -> None:  # fmt: skip
    """Ask and execute until the turn is over; `said` grows by what is said."""
    tools = orjson.loads(row.tools)
    opening = row.opening(simulated=limits.episode.simulated)
    room = limits.response_tokens
    while not episode.done and room > 0:
        answer = asks.ask((*opening, *said), tools, room)
        said.append(ChatMessage(role="assistant", content=answer.text))
        reply = episode.step(answer.text, whole=answer.whole)
        said.extend(ChatMessage(role="tool", content=result) for result in reply.results)
        if reply.said:
            said.append(ChatMessage(role="user", content=reply.said))
        if reply.done or not answer.whole:
            return
        room = limits.response_tokens - (answer.tokens - prompt)
        shown = (
            render_words(reply.said, thinking=limits.thinking)
            if reply.said
            else render_results(reply.results, thinking=limits.thinking)
        )
        room -= _count(tokenizer, shown)


def _count(tokenizer: Tokenizer, text: str) -> int:
    return len(tokenizer.encode(text, add_special_tokens=False))


def _mean(values: Iterable[float]) -> float:
    return round(fmean(float(value) for value in values), 6)
