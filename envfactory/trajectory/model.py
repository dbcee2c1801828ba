"""One line of `trajectories.jsonl`: a task, and the conversations in which it was played.

    Trajectory
      gold        the program: session reference, calls by binding, split into turns, state diff
      persona     who asks
      system      the system prompt, with the policies of the environments
      tools       wire names offered; their schemas stand once in `tools.json` beside the file
      candidates  the conversations, each: turns -> steps -> calls with results, and the state diff after each turn
      chosen      which candidate is the trajectory; the others are kept for scoring
      cleaned     the chosen candidate played anew without what is labelled `remove`, where something is
      pass_rate   share of the candidates that pass: how easy the task is
      changes     what the refinements changed

A *turn* begins with what the user says (and has done, where something is for them alone to do); a *step* is one
assistant message: calls (with text beside them, or not), or the turn's closing answer. Nothing is lost: states are
diffs against the session reference, from which they can be rebuilt byte for byte.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from envfactory.environment import StateDiff
from envfactory.gold import Call, Gold
from envfactory.trajectory.change import Change

SCHEMA = "envfactory.trajectory/2"


class _Plain(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Persona(_Plain):
    """Who asks: a name and a manner of writing; where a language model planned, also who that is and why they ask."""

    name: str
    manner: str
    about: str = ""
    situation: str = ""


class PlayedCall(Call):
    """An executed call in a conversation; `gold` is the index of the gold call it plays, if it plays one."""

    gold: int | None = None


class Step(_Plain):
    """One assistant message.

    Attributes:
        text: what it says; with calls, what it says beside them.
        calls: executed in order; several in one step are parallel calls.
        label: `keep` (trained on), `hide` (a refused call and what led from it to the one that succeeded: in the
            history, without loss) or `remove` (redundant: left out of what is learned). Only the chosen candidate is
            labelled.
    """

    text: str = ""
    calls: tuple[PlayedCall, ...] = ()
    label: Literal["keep", "hide", "remove"] = "keep"


class Turn(_Plain):
    """What the user says, the assistant's steps, and the state afterwards as a diff against the session reference.

    Attributes:
        user: what they say.
        done: what they have done themselves before saying so; no call of the assistant's, and never shown to it.
        steps: of the assistant.
        diff: what had changed by then.
    """

    user: str
    done: tuple[PlayedCall, ...] = ()
    steps: tuple[Step, ...]
    diff: dict[str, StateDiff] = {}


class Candidate(_Plain):
    """One conversation.

    Attributes:
        turns: in order.
        equivalent: whether its final state is equivalent to gold's.
        undecided: whether the comparison gave up, which counts as not equivalent.
        complete: whether it made every gold call.
        supported: whether its answers tell only what results gave and the user said.
    """

    turns: tuple[Turn, ...]
    equivalent: bool
    undecided: bool = False
    complete: bool = True
    supported: bool = True

    @property
    def passed(self) -> bool:
        """Whether it serves the task."""
        return self.equivalent and self.complete and self.supported

    def calls(self) -> Iterator[PlayedCall]:
        """Every executed call of the assistant, in order."""
        for turn in self.turns:
            for step in turn.steps:
                yield from step.calls


class Trajectory(_Plain):
    """See the module docstring."""

    format: Literal["envfactory.trajectory/2"] = SCHEMA
    id: str
    domains: tuple[str, ...]
    persona: Persona
    system: str
    tools: tuple[str, ...]
    gold: Gold
    candidates: tuple[Candidate, ...] = Field(min_length=1)
    chosen: int = Field(ge=0)
    cleaned: Candidate | None = None
    pass_rate: float = Field(default=1.0, ge=0, le=1)
    changes: tuple[Change, ...] = ()

    @property
    def conversation(self) -> Candidate:
        """What is learned from: the chosen candidate, cleaned of what is redundant."""
        return self.cleaned or self.candidates[self.chosen]
