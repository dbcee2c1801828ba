"""`ModelPlayer`: candidates played by a language model, in the form in which all candidates are compared and filtered.

What the model called is bound by value (`binding`), so that its conversation can be replayed without a call, and held
against gold call by call. Which results an answer tells of is read off the answer.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any, cast

from envfactory.environment import SEPARATOR, Session
from envfactory.environment.equivalence import compare_states
from envfactory.gold import Call, GoldCall
from envfactory.llm.voice import Voice
from envfactory.querygen.assistant import system_prompt
from envfactory.querygen.model.assistant import Made, ModelAssistant
from envfactory.querygen.model.binding import Results, bound
from envfactory.querygen.model.play import Spoken, play
from envfactory.querygen.model.user import ModelUser
from envfactory.querygen.played import Move, Played, PlayedTurn
from envfactory.querygen.support import unsupported
from envfactory.querygen.task import Task
from envfactory.querygen.user import RuleUser, User
from envfactory.reward.matching import match_calls
from envfactory.trajectory import Persona


class ModelPlayer:
    """Plays tasks with a model as the assistant."""

    def __init__(self, assistant: ModelAssistant, user: Voice | None) -> None:
        """Put it together.

        Args:
            assistant: acts and answers.
            user: the model that plays the user; None: rules do.
        """
        self.assistant, self.user = assistant, user

    def play(self, task: Task, persona: Persona, session: Session, rng: random.Random) -> Played:
        """Play a task once; see `Assistant`.

        Raises:
            InfrastructureError: the endpoint, the line, the budget or the records failed.
            EnvironmentFailure: infrastructure failed.
        """
        instructions = system_prompt(task.specs.values(), persona.name, task.gold.reference.now)
        conversation = self.assistant.conversation(session, instructions)
        if self.user is None:
            user: User = RuleUser(task.program, task.requests, session)
        else:
            own = random.Random(rng.getrandbits(64))
            user = ModelUser(self.user, task.program, task.requests, persona, own, session)
        spoken = play(conversation, user, session, rng)
        played = Played()
        results = Results()
        heard: list[str] = []
        made = iter(conversation.made)
        for turn in spoken:
            heard.append(turn.user)
            self._add(task, played, turn, made, results, heard)
        _match(task, played)
        return played

    def _add(
        self, task: Task, played: Played, spoken: Spoken, made: Iterator[Made], results: Results, heard: list[str]
    ) -> None:
        turn = PlayedTurn(spoken.user, spoken.request, answer=spoken.answer, diff=spoken.diff)
        for act in spoken.acts:
            tool = task.program.tool(act.gold)
            call = bound(tool, act.executed.arguments, results, heard, task.gold.reference.now)
            turn.done.append(len(played.moves))
            played.moves.append(Move(call, act.executed, act.output, act.before, act.gold))
        for step in spoken.steps:
            places: list[int] = []
            for _ in step.calls:
                place = len(played.moves)
                each = next(made)
                environment, _, name = each.call.tool.partition(SEPARATOR)
                spec = task.specs.get(environment)
                tool = spec.tool_by_name.get(name) if spec else None
                given: Any = each.call.arguments
                arguments: dict[str, Any] = cast("dict[str, Any]", given) if isinstance(given, dict) else {}
                if tool is None:
                    call = GoldCall(tool=each.call.tool, arguments={})
                else:
                    call = bound(tool, arguments, results, heard, task.gold.reference.now)
                if each.call.ok and tool is not None:
                    results.add(place, tool, each.output)
                executed = Call(
                    tool=each.call.tool, arguments=each.call.arguments, result=each.call.result, ok=each.call.ok
                )
                played.moves.append(Move(call, executed, each.output, each.before))
                places.append(place)
            if places:
                turn.steps.append(tuple(places))
        turn.reports = list(_told(played, turn, heard))
        played.turns.append(turn)


def _told(played: Played, turn: PlayedTurn, heard: list[str]) -> list[int]:
    """The calls of a turn whose results its answer tells of: each supports a fact that nothing before it does."""
    found: list[int] = []
    sources = list(heard)
    missing = len(unsupported(turn.answer, sources))
    for step in turn.steps:
        for place in step:
            sources.append(played.moves[place].executed.result)
            left = len(unsupported(turn.answer, sources))
            if left < missing:
                found.append(place)
            missing = left
    return found


def _match(task: Task, played: Played) -> None:
    """Note which gold call each call plays."""
    comparison = compare_states(task.specs, task.program.bases, played.diff, task.gold.diff)
    calls = [move.executed for move in played.moves]
    for gold, place in match_calls(task.gold, task.executed, calls, comparison, task.specs).items():
        played.moves[place].gold = gold
