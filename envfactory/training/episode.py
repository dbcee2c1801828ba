"""`Episode`: one rollout of a user turn in a private session; no torch, no trainer.

    with Episode(row, tasks, limits, tokenizer=tokenizer) as episode:
        while not episode.done:
            reply = episode.step(generate(...))     # the model's raw text; what is said to it in turn
        outcome = episode.finish()                  # a score with its terms, or a FailedRollout

A message without calls ends the turn, unless a simulated user is in the loop, is asked for something, and what they
want is not done yet: then they answer, and the episode goes on. What only they can do they do when they are told to; it
is no call of the policy's, and what comes of it is not shown. Calls that name no tool, have bad arguments, cannot be
read, or are too many are answered in band, and count as calls beyond gold. What infrastructure breaks makes the rollout
a `FailedRollout`, whatever was played before: it is never a reward of 0. The session is released in any case.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Annotated, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from envfactory.dataset import RLRow
from envfactory.environment import EnvironmentFailure, Result, Session, ToolError, tool_of
from envfactory.environment.trusted import trusted
from envfactory.gold import Call, ReplayError
from envfactory.querygen.knowledge import asks
from envfactory.querygen.telling import told_of
from envfactory.reward import COMPOSITE, FailedRollout, RewardSettings, Score, score_against
from envfactory.training.cut import Tokenizer, cut_result
from envfactory.training.hermes import ParsedCall, parse_message
from envfactory.training.simulated import SimulatedUser
from envfactory.training.task import Task, Tasks

if TYPE_CHECKING:
    from envfactory.config.training import GrpoRlConfig

T = TypeVar("T")

TERMS = (
    "reward",
    "r_traj",
    "r_state",
    "p_length",
    "calls",
    "gold_calls",
    "matched",
    "refused",
    "malformed",
    "undecided",
)
"""Members of a score that are logged, each apart."""


class EpisodeLimits(BaseModel):
    """How long an episode may be; the limit of one call is the backend's (`open_backend`).

    Attributes:
        max_steps: messages of the assistant.
        max_calls: calls, malformed ones included; further ones are refused in band and not executed.
        max_result_tokens: tokens of a result that the model is shown; longer ones are cut in the middle.
        max_user_replies: answers of the simulated user, who then gives up; 0: there is none.
        episode_timeout_s: seconds in environments, opening and all calls together; an overrun is a failed rollout.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    max_steps: Annotated[int, Field(ge=1)] = 10
    max_calls: Annotated[int, Field(ge=1)] = 30
    max_result_tokens: Annotated[int, Field(ge=32)] = 1024
    max_user_replies: Annotated[int, Field(ge=0)] = 0
    episode_timeout_s: Annotated[float, Field(gt=0)] = 60.0

    @classmethod
    def of(cls, rl: GrpoRlConfig) -> Self:
        """Return what the configuration says."""
        return cls(
            max_steps=rl.episode.max_messages,
            max_calls=rl.episode.max_calls,
            max_result_tokens=rl.episode.max_result_tokens,
            max_user_replies=rl.episode.max_user_replies if rl.simulate_user else 0,
            episode_timeout_s=rl.episode.timeout_s,
        )

    @property
    def simulated(self) -> bool:
        """Whether a simulated user is in the loop."""
        return self.max_user_replies > 0


@dataclass(slots=True)
class Counts:
    """What happened in an episode beside what the score tells.

    Attributes:
        steps: messages of the assistant.
        unknown_tools: calls of a tool that is not there or not offered.
        unreadable: calls that could not be read.
        repaired: calls that were executed although their form was not quite right.
        over_limit: calls beyond `max_calls`, which were not executed.
        cut_results: results that the model was shown in part.
        user_replies: answers of the simulated user.
        gave_up: whether the user was asked once more than they answer.
        answered: whether the last message had no calls.
    """

    steps: int = 0
    unknown_tools: int = 0
    unreadable: int = 0
    repaired: int = 0
    over_limit: int = 0
    cut_results: int = 0
    user_replies: int = 0
    gave_up: bool = False
    answered: bool = False


@dataclass(frozen=True, slots=True)
class Reply:
    """What is said to one message.

    Attributes:
        results: what the environments say, in the order of the calls.
        done: whether the episode is over.
        said: what the simulated user says to a message without calls; empty if they say nothing.
    """

    results: tuple[str, ...]
    done: bool
    said: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an episode came to.

    Attributes:
        score: the reward and its terms, or why there is none.
        counts: what happened beside it.
        calls: every call, whole results included.
    """

    score: Score | FailedRollout
    counts: Counts
    calls: tuple[Call, ...] = field(repr=False)

    @property
    def reward(self) -> float | None:
        """R; None if infrastructure failed."""
        return self.score.reward if isinstance(self.score, Score) else None

    def metrics(self) -> dict[str, float]:
        """Each term and each count apart, as numbers; of a failed rollout, only that it failed."""
        if isinstance(self.score, FailedRollout):
            return {"failed": 1.0}
        terms = {name: float(getattr(self.score, name)) for name in TERMS}
        return {"failed": 0.0, **terms, **{name: float(value) for name, value in asdict(self.counts).items()}}


class Episode:
    """See the module docstring. Use as a context manager, or `close` it."""

    def __init__(
        self,
        row: RLRow,
        tasks: Tasks,
        limits: EpisodeLimits | None = None,
        settings: RewardSettings = COMPOSITE,
        tokenizer: Tokenizer | None = None,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        """Open a session and bring it to where the turn begins; if that fails, the episode is over.

        Args:
            row: the turn.
            tasks: makes it ready if it is not, and opens its environments.
            limits: of the episode.
            settings: of the reward.
            tokenizer: counts the tokens of results; None: results are shown whole.
            clock: tells seconds.

        Raises:
            ValueError: the row's programs do not run, so the environments are not those that it was made with.
            KeyError: an environment that is not there.
        """
        self.row = row
        self.limits = limits or EpisodeLimits()
        self.settings = settings
        self.counts = Counts()
        self.calls: list[Call] = []
        self.failure: FailedRollout | None = None
        simulated = row.user is not None and self.limits.simulated
        self._user = SimulatedUser(row, self.limits.max_user_replies) if simulated else None
        self._acts: list[Call] = []
        self._tokenizer = tokenizer
        self._clock = clock
        self._left_s = self.limits.episode_timeout_s
        self._task: Task | None = None
        self._session: Session | None = None
        self._guarded(lambda: self._open(tasks))

    @property
    def done(self) -> bool:
        """Whether no further message is taken."""
        return self.failure is not None or self.counts.answered or self.counts.steps >= self.limits.max_steps

    def step(self, text: str, *, whole: bool = True) -> Reply:
        """Execute the calls of a message; to one without calls the simulated user may have something to say.

        Args:
            text: the assistant's message as the model wrote it, special tokens or not.
            whole: whether it was written to its end; nobody answers a question that was cut.

        Raises:
            RuntimeError: the episode is over.
        """
        if self.done:
            raise RuntimeError(f"row {self.row.id}: the episode is over, it takes no further message")
        message = parse_message(text)
        self.counts.steps += 1
        if not message.calls:
            said = self._answer(message.text) if whole else ""
            self.counts.answered = not said
            return Reply((), self.done, said)
        results: list[str] = []
        for call in message.calls:
            result = self._guarded(lambda call=call: self._call(call))
            if result is None:
                return Reply((), True)
            self.calls.append(trusted(Call, tool=call.name, arguments=call.arguments, result=result.text, ok=result.ok))
            results.append(self._shown(result.text))
        return Reply(tuple(results), self.done)

    def finish(self) -> Outcome:
        """Score what was played, and release the session.

        Raises:
            RuntimeError: the episode was closed before.
        """
        if self.failure is None and self._session is None:
            raise RuntimeError(f"row {self.row.id}: the episode was closed, there is nothing to score")
        found = self._guarded(self._score)
        self.close()
        calls = tuple(self.calls)
        if found is None:
            assert self.failure is not None
            return Outcome(self.failure, self.counts, calls)
        return Outcome(found, self.counts, calls)

    def close(self) -> None:
        """Release the session; closing twice is fine."""
        session, self._session = self._session, None
        if session is not None:
            session.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _guarded(self, act: Callable[[], T]) -> T | None:
        """What an act gives; None if infrastructure failed now or before, or the episode took too long."""
        if self.failure is not None:
            return None
        began = self._clock()
        try:
            found = act()
        except EnvironmentFailure as error:
            self._fail(f"{error.kind}: {error}")
            return None
        except ReplayError as error:  # it ran when the task was made
            self._fail(f"bug: the program before the turn no longer runs: {error}")
            return None
        except OSError as error:  # no process, no memory, no pipe
            self._fail(f"crash: {error}")
            return None
        except BaseException:
            self.close()
            raise
        self._left_s -= self._clock() - began
        if self._left_s < 0:
            self._fail(f"timeout: the episode took over {self.limits.episode_timeout_s:g} s")
            return None
        return found

    def _fail(self, reason: str) -> None:
        self.failure = FailedRollout(reason)
        self.close()

    def _open(self, tasks: Tasks) -> None:
        self._task = tasks.of(self.row, simulated=self._user is not None)
        self._acts = list(self._task.acts)
        self._session = Session(tasks.backend, self.row.reference)
        self._task.begin(self._session)

    def _call(self, call: ParsedCall) -> Result:
        assert self._session is not None
        assert self._task is not None
        if call.problem:
            self.counts.unreadable += 1
            return Result.refusal(ToolError("invalid_argument", call.problem))
        if len(self.calls) - self.counts.over_limit >= self.limits.max_calls:
            self.counts.over_limit += 1
            return Result.refusal(ToolError("limit_exceeded", f"At most {self.limits.max_calls} calls are allowed."))
        self.counts.repaired += call.repaired
        if call.name in self._task.hidden:
            result = Result.refusal(ToolError("unknown_tool", f"There is no tool {call.name!r}."))
        else:
            result = self._session.call(call.name, call.arguments)
        self.counts.unknown_tools += result.code == "unknown_tool"
        return result

    def _answer(self, heard: str) -> str:
        """What the simulated user says to a message; nothing if nobody would read it."""
        if self._user is None or self.counts.steps >= self.limits.max_steps:
            return ""
        told, against = self._told(heard)
        if not told and not against and not asks(heard):
            return ""
        if self._guarded(self._served) is not False:  # they have what they want, or it is over
            return ""
        if told and self._user.replies < self.limits.max_user_replies:
            refusal = self._guarded(lambda: self._act(told))
            if refusal is None:
                return ""
            said = self._user.done(refusal)
        elif against:
            said = self._user.objects(against)
        else:
            said = self._user.reply(heard)
        self.counts.user_replies, self.counts.gave_up = self._user.replies, not said
        return said

    def _told(self, heard: str) -> tuple[list[Call], str]:
        """What a message tells the user to do that they have not done, and what they have against the rest of it."""
        task = self._task
        assert task is not None
        acts = [(tool_of(task.specs, call.tool), call.arguments) for call in self._acts]
        told, against = told_of(acts, heard, self.row.reference.now)
        return [self._acts[place] for place in told], against

    def _act(self, told: list[Call]) -> str:
        """Do what the user was told to; why something was refused, which they may be told again, or nothing."""
        assert self._session is not None
        refusal = ""
        for call in told:
            result = self._session.call(call.tool, call.arguments, by="user")
            if result.ok:
                self._acts.remove(call)
            else:
                refusal = result.value["error"]["message"]
        return refusal

    def _served(self) -> bool:
        """Whether the turn is done: every gold call was made, and the state is gold's."""
        score = self._score()
        return score.matched == score.gold_calls and all(score.states.values())

    def _shown(self, text: str) -> str:
        if self._tokenizer is None:
            return text
        try:
            shown = cut_result(text, self.limits.max_result_tokens, self._tokenizer)
        except BaseException:
            self.close()
            raise
        self.counts.cut_results += shown != text
        return shown

    def _score(self) -> Score:
        task = self._task
        assert self._session is not None
        assert task is not None
        comparison = task.wanted.compare(task.changes(self._session.diff()))
        return score_against(task.answer, self.calls, comparison, self.settings)
