"""The assistant: plays a task in a live session, and answers from what the tools really returned.

`RuleAssistant` plays gold, with whatever imperfections it is told to have. It starts from the state in which gold
started; as long as it has done nothing else than gold, what a gold call gives is known from gold's own run and is not
executed again.
"""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Collection
from typing import Any, Protocol

import orjson

from envfactory.environment import Backend, Result, Session, Snapshot, Spec, StateDiff, tool_of
from envfactory.environment.states import State
from envfactory.gold import Binding, Call, FromUser, Gold, GoldCall
from envfactory.gold.program import resolve
from envfactory.querygen.imperfect import Imperfections, Lapses, Wrong, wrong_number
from envfactory.querygen.played import Fault, Move, Played, PlayedTurn, Surplus, gold_as_played
from envfactory.querygen.program import Program
from envfactory.querygen.replies import report
from envfactory.querygen.task import Task, calls_read, rebound
from envfactory.querygen.undoing import Undoing
from envfactory.querygen.user import RuleUser
from envfactory.trajectory import Persona

QUESTIONS = ("Shall I go ahead with that?", "Would you like me to do that now?", "Is it all right if I go ahead?")
"""What a flawed assistant asks although nothing is unclear."""


class Assistant(Protocol):
    """Plays conversations."""

    def play(self, task: Task, persona: Persona, session: Session, rng: random.Random) -> Played:
        """Play a task once.

        Args:
            task: what is asked for.
            persona: who asks, as planned.
            session: stands where the task begins, and is left anywhere.
            rng: source of every choice.

        Raises:
            EnvironmentFailure: infrastructure failed.
        """
        ...


def system_prompt(specs: Collection[Spec], user: str, now: dt.datetime) -> str:
    """The system prompt: whom the assistant serves, the date, the policies."""
    lines = [
        f"You are the assistant of {user}, who is signed in. You act through the tools you are given.",
        f"It is {now:%A}, {now.day} {now:%B %Y}, {now:%H:%M}.",
        "Use only what the tools return, never make up ids or facts, and close every turn with a short answer.",
    ]
    lines += [f"{spec.title}: {spec.policy}" for spec in specs]
    return "\n".join(lines)


class RuleAssistant:
    """Plays gold, with imperfections."""

    def __init__(self, backend: Backend, imperfections: Imperfections | None = None) -> None:
        """Prepare for the environments of a backend; without imperfections it plays gold as it is."""
        self.imperfections = imperfections or Imperfections()
        self.wrong = Wrong(backend.specs)
        self.undoing = Undoing(backend)

    def play(self, task: Task, persona: Persona, session: Session, rng: random.Random) -> Played:
        """Play a task once, alike for everybody; see `Assistant`."""
        del persona
        acting = [turn for turn, calls in enumerate(task.gold.turn_slices()) if len(calls)]
        lapses = self.imperfections.lapses(len(task.gold.calls), acting, rng)
        if not lapses:
            return gold_as_played(task)
        return _Playing(self, task, session, lapses, rng).played()


class _Playing:
    """One conversation as it is being played.

    `position` is the gold call before which the state stands, as long as it is exactly gold's there; then the session
    itself may stand anywhere. Once the state is another one it is None, and the session stands in that state.
    """

    def __init__(
        self, assistant: RuleAssistant, task: Task, session: Session, lapses: Lapses, rng: random.Random
    ) -> None:
        self.assistant, self.task, self.session, self.lapses, self.rng = assistant, task, session, lapses, rng
        self.position: int | None = 0
        self.place: dict[int, int] = {}
        self.outputs: dict[int, object] = {}
        self.result = Played()

    def played(self) -> Played:
        gold = self.task.gold
        for number, calls in enumerate(gold.turn_slices()):
            request = self.task.requests[number]
            user = request.text
            done = [place for index in calls if self.task.program.is_users(index) for place in self._act(index)]
            if number == self.lapses.question:
                question = PlayedTurn(user, number, done=done, answer=self.rng.choice(QUESTIONS), diff=self._diff())
                self.result.turns.append(question)
                user, done = _answer_to(question.answer, self.task, number), []
            turn = PlayedTurn(user, number, done=done)
            for index in calls:
                if not self.task.program.is_users(index):
                    self._play(index, turn)
            self._answer(turn)
            turn.diff = self._diff()
            self.result.turns.append(turn)
        return self.result

    def _act(self, index: int) -> list[int]:
        """What the user does themselves when the assistant has told them to, which it does without fail; its place."""
        turn = PlayedTurn("", 0)
        gold = self.task.gold.calls[index]
        if self.place.keys() >= calls_read(gold):
            self._make(index, turn)
        else:  # they know what it is about, whether the assistant has looked it up or not
            known: dict[str, Any] = self.task.program.calls[index].arguments
            arguments: dict[str, Binding] = {name: FromUser(value=value) for name, value in known.items()}
            self._execute(GoldCall(tool=gold.tool, arguments=arguments), index, turn)
        return [place for step in turn.steps for place in step]

    def _play(self, index: int, turn: PlayedTurn) -> None:
        """Play a gold call, and what happens before it."""
        gold = self.task.gold.calls[index]
        happens = self.lapses.before.get(index, ())
        if "redundant_read" in happens:
            self._look_up(turn, "redundant_read")
        if "dead_end" in happens:
            self._dead_end(index, turn)
        if "detour" in happens:
            self._detour(turn)
        if "wrong_state" in happens:
            self._wrong_state(turn)
        takes = calls_read(gold)
        if "omitted_call" in happens or not self.place.keys() >= takes:
            self._fault("omitted_call")
            if self.position == index and not tool_of(self.task.specs, gold.tool).writes:
                self.position = index + 1
            return
        failed = "failed_call" in happens and self._fail(self._bound(gold), turn, "failed_call")
        if failed and "recovery_read" in happens:
            self._look_up(turn, "recovery_read")
        if "wrong_argument" in happens and self._wrong_argument(index, turn):
            return
        self._make(index, turn)

    def _make(self, index: int, turn: PlayedTurn) -> None:
        """Make a gold call as gold has it."""
        gold = self.task.gold.calls[index]
        takes = calls_read(gold)
        known = self.task.program.outputs
        if self.position == index and all(self.outputs.get(self.place[other]) is known[other] for other in takes):
            done, output, before = self.task.program.calls[index], self.task.program.outputs[index], self._here()
            self.position = index + 1
            self._move(Move(self._bound(gold), done, output, before, index), turn)
        elif not self._execute(self._bound(gold), index, turn):
            return
        self.place[index] = len(self.result.moves) - 1

    def _answer(self, turn: PlayedTurn) -> None:
        """Close a turn: what each call that was asked for has given."""
        number = turn.task
        if self.task.requests[number].question:
            turn.answer = self.task.requests[number].question
            return
        sentences: list[str] = []
        for index in self.task.reported[number]:
            place = self.place.get(index)
            if place is None:
                continue
            turn.reports.append(place)
            sentences.append(self._sentence(index, place))
        turn.answer = " ".join(sentences) or "I am sorry, I could not do that."
        if number == self.lapses.answer:
            wrong = wrong_number(turn.answer, self.rng)
            if wrong is not None:
                turn.answer = wrong
                self._fault("wrong_answer")

    def _sentence(self, index: int, place: int) -> str:
        move = self.result.moves[place]
        if not move.executed.ok:
            return f"That did not work: {orjson.loads(move.executed.result)['error']['message']}"
        known = self.task.program.calls[index]
        if (move.executed.result, move.executed.arguments) == (known.result, known.arguments):
            return self.task.sentence(index)
        return report(self._program(), place)

    def _program(self) -> Program:
        """What has been played so far as a program."""
        moves = self.result.moves
        gold = self.task.gold
        so_far = Gold.model_construct(
            reference=gold.reference, calls=tuple(move.call for move in moves), turns=(), diff=self._diff()
        )
        program = self.task.program
        calls = {place: move.executed for place, move in enumerate(moves) if move.executed.ok}
        return Program(so_far, program.specs, calls, self.outputs, program.bases)

    # -- calls ----------------------------------------------------------------------------------------------------

    def _here(self) -> Snapshot:
        """The present state; the session stands in it, or it is one of gold's."""
        return self.session.snapshot() if self.position is None else self.task.snapshots[self.position]

    def _diff(self) -> dict[str, StateDiff]:
        """What has changed so far."""
        return self.session.diff() if self.position is None else self.task.diff(self.position)

    def _enter(self) -> Snapshot:
        """Bring the session into the present state."""
        before = self._here()
        if self.position is not None:
            self.session.restore(before)
        return before

    def _bound(self, call: GoldCall) -> GoldCall:
        """A gold call with its outputs counted in this conversation's moves."""
        return rebound(call, self.place)

    def _try(self, call: GoldCall) -> tuple[Call, Result] | None:
        """Make a call in the session; None if it takes what was never given."""
        try:
            arguments = {name: resolve(binding, self.outputs) for name, binding in call.arguments.items()}
        except KeyError:
            return None
        result = self.session.call(call.tool, arguments, by=self.session.actor(call.tool))
        return Call.model_construct(tool=call.tool, arguments=arguments, result=result.text, ok=result.ok), result

    def _execute(self, call: GoldCall, index: int, turn: PlayedTurn) -> bool:
        """Make a gold call in a state that is not gold's; whether it could be made."""
        before = self._enter()
        made = self._try(call)
        if made is None:
            self._fault("omitted_call")
            return False
        done, result = made
        if tool_of(self.task.specs, call.tool).writes:
            self.position = None
        elif self.position == index:
            self.position = index + 1
        output, plays = (result.value, index) if result.ok else (None, None)
        self._move(Move(call, done, output, before, plays), turn)
        return True

    def _move(self, move: Move, turn: PlayedTurn) -> None:
        place = len(self.result.moves)
        self.result.moves.append(move)
        if move.executed.ok:
            self.outputs[place] = move.output
        turn.steps.append((place,))

    # -- lapses ---------------------------------------------------------------------------------------------------

    def _fault(self, fault: Fault) -> None:
        if fault not in self.result.faults:
            self.result.faults.append(fault)

    def _look_up(self, turn: PlayedTurn, planted: Surplus) -> None:
        """Look up something again, or something that nobody asked for."""
        reads = [
            move.call
            for move in self.result.moves
            if move.executed.ok and not tool_of(self.task.specs, move.call.tool).writes
        ]
        if reads and (planted == "recovery_read" or self.rng.random() < 0.5):
            call = self.rng.choice(reads)
        else:
            call = self.assistant.wrong.look_up(self.task.specs, self.task.program.bases, self.rng)
        if call is not None:
            before = self._enter()
            made = self._try(call)
            if made is not None and made[1].ok:
                self._move(Move(call, made[0], made[1].value, before, None, planted), turn)

    def _dead_end(self, index: int, turn: PlayedTurn) -> None:
        """A refused call of a tool that the rest of the turn does not use."""
        rest = {self.task.gold.calls[i].tool for i in self.task.gold.turn_slices()[turn.task] if i >= index}
        call = self.assistant.wrong.look_up(self.task.specs, self.task.program.bases, self.rng)
        if call is not None and call.tool not in rest:
            self._fail(call, turn, "dead_end")

    def _fail(self, call: GoldCall, turn: PlayedTurn, planted: Surplus) -> bool:
        """Make a call in a way that is refused."""
        before = self._enter()
        for wrong in self.assistant.wrong.refusable(call, tool_of(self.task.specs, call.tool), self.rng):
            made = self._try(wrong)
            if made is not None and not made[1].ok:
                self._move(Move(wrong, made[0], None, before, None, planted), turn)
                return True
            self.session.restore(before)
        return False

    def _detour(self, turn: PlayedTurn) -> None:
        """Two calls that undo each other."""
        undoing = self.assistant.undoing
        pairs = [pair for environment in self.task.specs for pair in undoing.pairs(environment)]
        if not pairs:
            return
        self._enter()
        base = self._diff()
        for pair in self.rng.sample(pairs, min(3, len(pairs))):
            state = self._state(pair.environment)
            made = undoing.make(pair, state, len(self.result.moves), self.session, self.rng)
            if made is not None:
                for each in made:
                    done = Call.model_construct(
                        tool=each.call.tool, arguments=each.arguments, result=each.result.text, ok=True
                    )
                    self._move(Move(each.call, done, each.result.value, each.before, None, "detour"), turn)
                if self.session.diff() != base:
                    self.position = None
                return

    def _state(self, environment: str) -> State:
        """The present state document of an environment; the session stands in it."""
        if self.position is not None:
            state = self.task.state(self.position, environment)
            self._enter()
            return state
        return orjson.loads(self.session.dump_of(environment))

    def _wrong_state(self, turn: PlayedTurn) -> None:
        """A change that nobody asked for."""
        for _ in range(3):
            call = self.assistant.wrong.change(self.task.specs, self.task.program.bases, self.rng)
            if call is None:
                continue
            before = self._enter()
            made = self._try(call)
            if made is not None and made[1].ok:
                self.position = None
                self._move(Move(call, made[0], made[1].value, before), turn)
                self._fault("wrong_state")
                return

    def _wrong_argument(self, index: int, turn: PlayedTurn) -> bool:
        """The gold call with another value in one argument; whether it was made."""
        gold = self.task.gold.calls[index]
        tool = tool_of(self.task.specs, gold.tool)
        call = self._bound(gold)
        try:
            arguments = {name: resolve(binding, self.outputs) for name, binding in call.arguments.items()}
        except KeyError:
            return False
        other = self.assistant.wrong.other_value(call, arguments, tool, self._state(tool.environment), self.rng)
        if other is None:
            return False
        before = self._enter()
        made = self._try(other)
        if made is None or not made[1].ok:
            return False
        if tool.writes:
            self.position = None
        elif self.position == index:
            self.position = index + 1  # a look-up leaves the state as it is, whatever it asks for
        self._move(Move(other, made[0], made[1].value, before), turn)
        self.place[index] = len(self.result.moves) - 1
        self._fault("wrong_argument")
        return True


def _answer_to(question: str, task: Task, turn: int) -> str:
    """What the user says to a question in a turn; what they had to do for it is done."""
    user = RuleUser(task.program, task.requests)
    user.speak()
    for request in task.requests[:turn]:
        user.speak(request.question)
    said = user.speak(question)
    assert said is not None, "a user has an answer to every question"
    return said.text
