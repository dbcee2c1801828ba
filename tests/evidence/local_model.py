"""Thirty turns by the local model in every role, and the page that shows them.

    python -m tests.evidence.local_model make [SECONDS [THREADS]]    asks the model for all, or until time is over
    python -m tests.evidence.local_model page                        writes the page anew

`make` needs launchers/local_model/setup.sh; stopped or killed, it goes on from the replies that it has. All that the
page shows comes from docs/evidence/local_model: the tasks (gold programs), the model's replies as recorded, and what a
reader said of each turn. A test plays the replies again and compares, so the page is stale as soon as a prompt, a role,
an environment or a check on which it rests is another one.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from envfactory.catalogue import backend
from envfactory.environment import Session, StateDiff
from envfactory.environment.equivalence import compare_states
from envfactory.files import read_json, read_jsonl, write_bytes_atomic
from envfactory.gold import Gold, replay
from envfactory.llm import (
    AnswerError,
    BlockingClient,
    Client,
    EndpointSettings,
    FolderRecords,
    LimitSettings,
    ModelLedger,
    PackedRecords,
    Record,
    ReplayMiss,
    Reply,
)
from envfactory.llm.records import pack
from envfactory.llm.voice import Speech, Voice
from envfactory.querygen import RulePlanner, RuleWriter, base_documents
from envfactory.querygen.assistant import system_prompt
from envfactory.querygen.choose import RuleJudge
from envfactory.querygen.draft import Unsayable
from envfactory.querygen.model import ModelAssistant, ModelJudge, ModelPlanner, ModelRefiner, ModelUser, ModelWriter
from envfactory.querygen.model.play import Spoken, play
from envfactory.querygen.planner import Plan
from envfactory.querygen.program import Program
from envfactory.querygen.refine import RefinementSettings, RuleRefiner, Strength
from envfactory.querygen.request import Request
from envfactory.querygen.solvable import problems
from envfactory.reward.matching import match_calls
from envfactory.serving.local import NAME, LocalModel, local_model
from envfactory.training.places import cache_folder
from envfactory.trajectory import Change, PlayedCall, Turn

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "evidence"
PAGE = FOLDER / "local_model.md"
TASKS = FOLDER / "local_model" / "tasks.jsonl"
REPLIES = FOLDER / "local_model" / "replies.jsonl"
VERDICTS = FOLDER / "local_model" / "verdicts.json"
COMMAND = "python -m tests.evidence.local_model make"

GOALS = (6, 12, 20, 30)
"""Turns; each goal reached is kept, since the model is slow."""
ROLES = ("planner", "writer", "refiner", "assistant", "judge")
"""In the order in which a conversation needs them; the user plays together with the assistant."""
SPEECH = Speech(temperature=0.2, rounds=2)
REFINEMENTS = RefinementSettings(
    implicit_reference=Strength(probability=0.8),
    action_compression=Strength(probability=0.6),
    ambiguity=Strength(enabled=False, probability=0),
    goal_expansion=Strength(enabled=False, probability=0),
)
MOST_CALLS, MOST_TURNS = 3, 4

INTRODUCTION = f"""`{NAME}` (launchers/local_model/setup.sh) as planner, writer, refiner, user, assistant and judge, on
chains of `hotel_reservations`. What it says is checked as docs/conversations.md describes; where it does not answer as
asked in two rounds, rules go on, and the page says so. *Natural* is the verdict of a reader, *solvable* the checker's;
*done* says whether the model as assistant made the gold calls of the turn, *accepted* that all three hold and the
conversation ended in gold's state."""


@dataclass
class Conversation:
    """One task, as far as it was brought."""

    number: int
    gold: Gold
    plan: Plan | None = None
    program: Program | None = None
    dropped: str = ""
    drafts: list[Request] = field(default_factory=list[Request])
    written: list[Request] = field(default_factory=list[Request])
    requests: list[Request] = field(default_factory=list[Request])
    changes: tuple[Change, ...] = ()
    unsolvable: dict[int, str] = field(default_factory=dict[int, str])
    spoken: list[Spoken] = field(default_factory=list[Spoken])
    done: list[bool] = field(default_factory=list[bool])
    equivalent: bool = False
    grades: str = ""


def conversations(voice: Voice, last: str = ROLES[-1], turns: int = GOALS[-1]) -> list[Conversation]:
    """Bring as many tasks as make some turns up to a role.

    Raises:
        ReplayMiss: replies are missing: the page is stale.
    """
    found: list[Conversation] = []
    for number, row in enumerate(read_jsonl(TASKS)):
        if sum(len(each.drafts) for each in found) >= turns:
            break
        conversation = Conversation(number, Gold.model_validate(row))
        try:
            _bring(conversation, voice, ROLES.index(last))
        except ReplayMiss as miss:
            raise ReplayMiss(f"conversation {number}: {miss}; python -m tests.evidence.local_model make") from None
        found.append(conversation)
    return found


def _bring(conversation: Conversation, voice: Voice, last: int) -> None:
    world = backend(list(conversation.gold.reference.environments))
    rng = random.Random(f"evidence/{conversation.number}")
    rules = RulePlanner(1, MOST_CALLS, MOST_TURNS)
    planner = ModelPlanner(voice, fewest=1, most=MOST_CALLS, turns=MOST_TURNS, fallback=rules)
    plan = conversation.plan = planner.plan(conversation.gold, world.specs, rng)
    with Session(world, plan.gold.reference) as session:
        run = replay(plan.gold, session)
    program = Program(plan.gold, world.specs, run.calls, run.outputs, base_documents(world, plan.gold.reference))
    conversation.program = program
    try:
        conversation.drafts = RuleWriter().write(program, plan.persona, random.Random(conversation.number))
    except Unsayable as error:
        conversation.dropped = f"unsayable: {error}"
        return
    if last < ROLES.index("writer"):
        return
    writer = ModelWriter(voice, RuleWriter(), fallback=True)
    conversation.written = writer.write(program, plan.persona, random.Random(conversation.number))
    if last < ROLES.index("refiner"):
        return
    refiner = ModelRefiner(voice, RuleRefiner(world, REFINEMENTS, MOST_CALLS, MOST_TURNS))
    refined = refiner.refine(program, conversation.written, plan.persona, rng)
    conversation.requests, conversation.changes = refined.requests, refined.changes
    for problem in problems(program, refined.requests):
        conversation.unsolvable.setdefault(problem.turn, str(problem))
    if last < ROLES.index("assistant"):
        return
    with Session(world, plan.gold.reference) as session:
        prompt = system_prompt(world.specs.values(), plan.persona.name, plan.gold.reference.now)
        assistant = ModelAssistant(voice, "schema").conversation(session, prompt)
        user = ModelUser(voice, program, refined.requests, plan.persona, random.Random(rng.getrandbits(64)))
        conversation.spoken = play(assistant, user, session, rng)
    _hold_against_gold(conversation, program)
    if last < ROLES.index("judge"):
        return
    turns = [Turn(user=turn.user, steps=turn.steps, diff=turn.diff) for turn in conversation.spoken]
    try:
        verdict = ModelJudge(voice, RuleJudge()).grades(turns, conversation.number)
        conversation.grades = f"natural {verdict.natural}, helpful {verdict.helpful}: {verdict.reason}"
    except AnswerError:
        conversation.grades = "none: it did not answer as asked"


def _hold_against_gold(conversation: Conversation, program: Program) -> None:
    """Which turns' gold calls were made, and whether the end is gold's."""
    calls: list[PlayedCall] = [call for turn in conversation.spoken for step in turn.steps for call in step.calls]
    diff: dict[str, StateDiff] = conversation.spoken[-1].diff if conversation.spoken else {}
    comparison = compare_states(program.specs, program.bases, diff, program.gold.diff)
    golden = [program.calls[index] for index in range(len(program.gold.calls))]
    matched = match_calls(program.gold, golden, calls, comparison, program.specs)
    conversation.done = [all(call in matched for call in turn) for turn in program.gold.turn_slices()]
    conversation.equivalent = comparison.equal


# -- the page ---------------------------------------------------------------------------------------------------------


def page(voice: Voice) -> str:
    """The page, from the recorded replies."""
    return "\n".join(_page(conversations(voice), read_json(VERDICTS) if VERDICTS.exists() else {}, voice))


def _page(found: list[Conversation], verdicts: dict[str, str], voice: Voice) -> Iterator[str]:
    shown = [each for each in found if not each.dropped]
    keys = [(each, turn) for each in shown for turn in range(len(each.requests))]
    said = {f"{each.number}.{turn + 1}": each.requests[turn].text for each, turn in keys}
    natural = [verdicts.get(_key(key, text), "") for key, text in said.items()]
    solvable = sum(turn not in each.unsolvable for each, turn in keys)
    done = sum(each.done[turn] for each, turn in keys)
    accepted = sum(
        verdict.startswith("natural") and turn not in each.unsolvable and each.done[turn] and each.equivalent
        for verdict, (each, turn) in zip(natural, keys, strict=True)
    )
    yield "# A language model in every role"
    yield ""
    yield f"Written by `{COMMAND}`; a test plays the recorded replies again and fails when this page is stale."
    yield ""
    yield from INTRODUCTION.splitlines()
    yield ""
    yield "| turns | natural | solvable | done | accepted | conversations in gold's state |"
    yield "|---|---|---|---|---|---|"
    states = sum(each.equivalent for each in shown)
    count = sum(verdict.startswith("natural") for verdict in natural)
    yield f"| {len(keys)} | {count} | {solvable} | {done} | {accepted} | {states} of {len(shown)} |"
    yield ""
    yield f"Answers by role: {', '.join(f'{name} {number}' for name, number in voice.counts().items())}."
    for each in shown:
        yield from _told(each, verdicts)


def _told(each: Conversation, verdicts: dict[str, str]) -> Iterator[str]:
    assert each.plan is not None
    persona = each.plan.persona
    yield ""
    yield f"## Conversation {each.number}"
    yield ""
    yield f"Planner: {persona.name}, {persona.manner}. {persona.about or '(by rules)'} {persona.situation}".rstrip()
    yield f"Judge: {each.grades}. Gold's state: {'reached' if each.equivalent else 'not reached'}."
    for turn, request in enumerate(each.requests):
        verdict = verdicts.get(_key(f"{each.number}.{turn + 1}", request.text), "not yet read")
        yield ""
        yield f"**Turn {each.number}.{turn + 1}** {verdict}; {each.unsolvable.get(turn, 'solvable')}; " + (
            "done" if each.done[turn] else "not done"
        )
        yield ""
        yield f"- draft: {each.drafts[turn].text}"
        written = each.written[turn].text
        yield f"- writer: {written if written != each.drafts[turn].text else '(the draft)'}"
        for change in each.changes:
            if change.turn == turn:
                yield f"- refiner, {change.kind}: {change.after}"
        for spoken in each.spoken:
            if spoken.request == turn:
                yield f"- **user:** {spoken.user}"
                for step in spoken.steps:
                    for call in step.calls:
                        name = call.tool.partition("-")[2]
                        yield f"  - `{name} {_short(call.arguments)}`{'' if call.ok else ' refused'}"
                yield f"- **assistant:** {spoken.answer or '(came to no end)'}"


def _key(number: str, text: str) -> str:
    """What a verdict is filed under: it holds for these words alone."""
    return f"{number}: {text}"


def _short(arguments: object) -> str:
    text = str(arguments)
    return text if len(text) <= 140 else f"{text[:140]}..."


def replayed() -> str:
    """The page, from the replies in the repository alone."""
    with BlockingClient(Client(_settings(), records=PackedRecords(REPLIES), mode="replay")) as client:
        return page(Voice(client, "evidence", SPEECH))


# -- asking -----------------------------------------------------------------------------------------------------------


class _OutOfTime(Exception):
    pass


class _Noting:
    """Records, those in the repository among them, that note which were used and begin no request after a moment."""

    def __init__(self, records: FolderRecords, until: float) -> None:
        self.records, self.until = records, until
        self.used: set[str] = set()
        for record in PackedRecords(REPLIES) if REPLIES.exists() else ():
            if records.get(record.key) is None:
                records.put(record)

    def get(self, key: str) -> Reply | None:
        self.used.add(key)
        found = self.records.get(key)
        if found is None and time.monotonic() > self.until:
            raise _OutOfTime
        return found

    def put(self, record: Record) -> None:
        self.records.put(record)

    def __iter__(self) -> Iterator[Record]:
        return (record for record in self.records if record.key in self.used)


def _settings(url: str = "http://127.0.0.1:1/v1") -> EndpointSettings:
    return EndpointSettings(model=NAME, base_url=url, timeout_s=900.0, limits=LimitSettings(in_flight=1))


def make(seconds: float, threads: int) -> bool:
    """Ask the model, role by role, since it reads the same instructions only once in a row; whether all is there."""
    records = _Noting(FolderRecords(cache_folder() / "local-model-evidence"), time.monotonic() + seconds)
    with ExitStack() as held:
        folder = Path(held.enter_context(tempfile.TemporaryDirectory()))
        url = held.enter_context(local_model(LocalModel(), threads=threads))
        ledger = held.enter_context(ModelLedger(folder / "models.jsonl"))
        client = held.enter_context(BlockingClient(Client(_settings(url), records=records, ledger=ledger)))
        try:
            for turns in GOALS:
                for role in ROLES:
                    conversations(Voice(client, "evidence", SPEECH), role, turns)
                    print(f"{turns} turns, {role}: done", flush=True)
            pack(records, REPLIES)
            write_bytes_atomic(PAGE, replayed().encode())
        except _OutOfTime:
            print("out of time", flush=True)
            return False
        finally:
            for name, spent in ledger.by("role").items():
                print(f"  {name}: {spent.requests} requests, {spent.tokens} tokens, {spent.seconds:.0f} s", flush=True)
    return True


if __name__ == "__main__":
    numbers = [*sys.argv[2:], *(str(24 * 3600), "2")[len(sys.argv[2:]) :]]
    if sys.argv[1:2] == ["make"]:
        sys.exit(not make(float(numbers[0]), int(numbers[1])))
    write_bytes_atomic(PAGE, replayed().encode())
