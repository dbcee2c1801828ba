"""Tasks of which every call is known to be needed, and assistants that add what is known not to be."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import combinations
from typing import Any

import orjson

from envfactory.catalogue import backend
from envfactory.environment import InProcess, Reference, Session, tool_of
from envfactory.environment.equivalence import compare_states
from envfactory.environment.paths import spec_path
from envfactory.gold import Call, FromUser, Gold, GoldCall, ReplayError, bindings_of, replay
from envfactory.gold.program import resolve
from envfactory.querygen.assistant import RuleAssistant
from envfactory.querygen.filter import Filtered, filtered
from envfactory.querygen.imperfect import Imperfections
from envfactory.querygen.planner import divided
from envfactory.querygen.played import Label, Move, Played, PlayedTurn
from envfactory.querygen.program import Program
from envfactory.querygen.request import Request
from envfactory.querygen.task import Task, calls_read, play_gold
from envfactory.querygen.wording import say
from envfactory.sampling import Chain, Link
from envfactory.sampling.grounding import Grounder, GroundingSettings
from envfactory.sampling.search import Ungroundable
from envfactory.trajectory import Persona
from tests.grounded import catalogue, grounded_golds

HOTELS, BANK = "hotel_reservations", "retail_banking"
NAMES = (HOTELS, BANK)
ADA = Persona(name="Ada Bauer", manner="plain")
REFERENCE = Reference(environments=dict.fromkeys(NAMES, ""), seed=1, size=40)

# Every look-up feeds a later call, and every change lasts: all of it is needed, though only the last call of a turn is
# told of. (consumer, input, producer, output)
CHAINS: list[tuple[list[str], list[tuple[int, str, int, str]], list[tuple[int, ...]]]] = [
    (
        [f"{HOTELS}-search_hotels", f"{HOTELS}-book_room", f"{HOTELS}-change_dates"],
        [(1, "hotel_id", 0, "hotels[].id"), (2, "reservation_id", 1, "id")],
        [(3,), (2, 1), (1, 2), (1, 1, 1)],
    ),
    (
        [f"{HOTELS}-list_reservations", f"{HOTELS}-change_room", f"{HOTELS}-search_hotels", f"{HOTELS}-book_room"],
        [(1, "reservation_id", 0, "reservations[].id"), (3, "hotel_id", 2, "hotels[].id")],
        [(4,), (2, 2), (1, 1, 2)],
    ),
    (
        [f"{BANK}-list_accounts", f"{BANK}-get_account", f"{BANK}-freeze_card", f"{BANK}-list_payees",
         f"{BANK}-send_payment"],
        [(1, "account_id", 0, "accounts[].id"), (2, "card_id", 1, "cards[].id"), (4, "payee_id", 3, "payees[].id"),
         (4, "account_id", 0, "accounts[].id")],
        [(5,), (3, 2), (1, 2, 2), (2, 1, 2)],
    ),
]  # fmt: skip

INTERNAL = {
    (tool, path)
    for tool, path in (
        (f"{HOTELS}-book_room", "hotel_id"), (f"{HOTELS}-change_dates", "reservation_id"),
        (f"{HOTELS}-change_room", "reservation_id"), (f"{BANK}-get_account", "account_id"),
        (f"{BANK}-freeze_card", "card_id"), (f"{BANK}-send_payment", "payee_id"),
        (f"{BANK}-send_payment", "account_id"),
    )
}  # fmt: skip

SURPLUS = Imperfections(
    redundant_read=0.25, failed_call=0.25, recovery_read=0.5, dead_end=0.15, detour=0.8, question=0.4
)
"""Much that nobody needs, and nothing wrong."""

TRUTH: dict[str | None, Label] = {
    None: "keep", "redundant_read": "remove", "dead_end": "remove", "detour": "remove",
    "failed_call": "hide", "recovery_read": "hide",
}  # fmt: skip


@cache
def environments() -> InProcess:
    return backend(NAMES)


@cache
def golds(count: int) -> list[Gold]:
    """Programs of the chains above, in turns."""
    found: list[Gold] = []
    grounder = Grounder(environments(), INTERNAL, GroundingSettings(sensible=False))
    seed = 0
    while len(found) < count:
        tools, links, divisions = CHAINS[seed % len(CHAINS)]
        rng = random.Random(seed)
        reference = Reference(environments=dict.fromkeys(NAMES, ""), seed=seed // 2, size=40)
        seed += 1
        try:
            grounded = grounder.ground(Chain(tuple(tools), tuple(Link(*link) for link in links)), reference, rng)
        except Ungroundable:
            continue
        if len(grounded.gold.calls) == len(tools):
            found.append(divided(grounded.gold, rng.choice(divisions)))
    return found


@cache
def drawn_golds(count: int) -> list[Gold]:
    """Programs over the whole catalogue, drawn as a run draws them, in turns of two calls."""
    return [divided(gold, _in_twos(gold)) for gold in grounded_golds(count, 11)]


def _in_twos(gold: Gold) -> tuple[int, ...]:
    """Turns of two calls; what is for the person to do begins one, as whoever plans a conversation has it."""
    turns: list[int] = []
    length = 0
    for call in gold.calls:
        by_user = tool_of(catalogue().specs, call.tool).by == "user"
        if by_user and length:
            turns.append(length)
            length = 0
        length += 1
        if length == 2 and not by_user:
            turns.append(length)
            length = 0
    return (*turns, length) if length else tuple(turns)


@contextmanager
def task_of(gold: Gold) -> Generator[Task]:
    """The task of a program; only the last call of each turn is asked for."""
    asked = [frozenset(list(calls)[-1:]) for calls in gold.turn_slices()]
    with _task(environments(), gold, asked) as task:
        yield task


@contextmanager
def drawn_task_of(gold: Gold) -> Generator[Task]:
    """The task of a drawn program; asked for is what is not needed otherwise.

    That is the last call of each turn, look-ups that no later call takes anything of, and changes without which the
    program, played from its beginning, ends no differently: those are left out in every combination.
    """
    taken = {other for call in gold.calls for other in calls_read(call)}
    told = {calls[-1] for calls in gold.turn_slices()}
    writes = [place for place, call in enumerate(gold.calls) if tool_of(catalogue().specs, call.tool).writes]
    told |= {place for place in range(len(gold.calls)) if place not in taken and place not in writes}
    doubtful = [place for place in writes if place not in told]
    for size in range(1, len(doubtful) + 1):
        for group in combinations(doubtful, size):
            if not told.intersection(group) and _ends_alike_without(gold, group):
                told |= set(group)
    asked = [told.intersection(calls) for calls in gold.turn_slices()]
    with _task(catalogue(), gold, [frozenset(calls) for calls in asked]) as task:
        yield task


def _ends_alike_without(gold: Gold, group: tuple[int, ...]) -> bool:
    """Whether a program ends where it does without some calls, and those that take their outputs."""
    left_out = set(group)
    for place, call in enumerate(gold.calls):
        if left_out & calls_read(call):
            left_out.add(place)
    with Session(catalogue(), gold.reference) as session:
        bases = session.documents()
        try:
            diff = replay(gold, session, drop=left_out).diff
        except ReplayError:
            return False
        return compare_states(session.specs, bases, diff, gold.diff).equal


@contextmanager
def _task(opened: InProcess, gold: Gold, asked: list[frozenset[int]]) -> Generator[Task]:
    with Session(opened, gold.reference) as session:
        program = Program(gold, session.specs, {}, {}, session.documents())
        requests = [
            Request(f"Please do what is to be done now, part {number}{_said(session, gold, calls)}.", told)
            for number, (calls, told) in enumerate(zip(gold.turn_slices(), asked, strict=True))
        ]
        yield play_gold(program, requests, session)


def _said(session: Session, gold: Gold, calls: range) -> str:
    """What only the user knows of some calls: answers repeat it, and whoever is asked has nothing to add."""
    found: list[str] = []
    for call in calls:
        leaves = tool_of(session.specs, gold.calls[call].tool).input_by_path
        for path, binding in bindings_of(gold.calls[call]):
            # A flag is said by how something is asked for: its "yes" stands in no request.
            if isinstance(binding, FromUser) and not isinstance(binding.value, bool):
                found.append(say(binding.value, leaves.get(spec_path(path)), gold.reference.now))
    return "".join(f", {words}" for words in found)


def drawn_plays(golds: Sequence[Gold], times: int, imperfections: Imperfections) -> Iterator[tuple[Task, Played]]:
    """The tasks of drawn programs, each played so many times."""
    assistant = RuleAssistant(catalogue(), imperfections)
    for number, gold in enumerate(golds):
        with drawn_task_of(gold) as task:
            for again in range(times):
                task.session.restore(task.snapshots[0])
                yield task, assistant.play(task, ADA, task.session, random.Random(f"drawn/{number}/{again}"))


def plays(count: int, imperfections: Imperfections) -> Iterator[tuple[Task, Played, random.Random]]:
    """Tasks, each played many times."""
    assistant = RuleAssistant(environments(), imperfections)
    programs = golds(12)
    for number, gold in enumerate(programs):
        with task_of(gold) as task:
            for again in range(-(-count // len(programs))):
                rng = random.Random(f"{number}/{again}")
                task.session.restore(task.snapshots[0])
                yield task, assistant.play(task, ADA, task.session, rng), rng


def check_planted(task: Task, played: Played) -> Counter[str]:
    """Filter a conversation and hold what is found against what was planted; returns how much there was of each."""
    found: Filtered = filtered(task, played)
    counts: Counter[str] = Counter()
    for place, move in enumerate(played.moves):
        label = found.labels.get(place, "keep")
        assert label == TRUTH[move.planted], (place, label, move.planted, move.executed)
        counts[str(move.planted)] += 1
    exchanges = list(played.exchanges())
    assert found.needless == frozenset(exchanges)
    counts["question"] += len(exchanges)
    rest = found.cleaned or played
    needed = [move for move in rest.moves if move.planted is None]
    assert [(move.executed.tool, move.executed.arguments, move.executed.result) for move in needed] == [
        (call.tool, call.arguments, call.result) for call in task.executed
    ], "without what is redundant it is what gold is, call by call, ids and results included"
    assert orjson.dumps({name: diff.model_dump() for name, diff in rest.diff.items()}) == orjson.dumps(
        {name: diff.model_dump() for name, diff in task.gold.diff.items()}
    )
    assert [turn.user for turn in rest.turns] == [request.text for request in task.requests]
    if found.cleaned is None:
        assert not exchanges
        assert all(move.planted in (None, "failed_call", "recovery_read") for move in played.moves)
    return counts


def executed(task: Task, calls: list[GoldCall]) -> Played:
    """A conversation of one turn in which some calls are executed, and the answer tells of the last."""
    moves: list[Move] = []
    outputs: dict[int, Any] = {}
    task.session.restore(task.snapshots[0])
    for place, call in enumerate(calls):
        before = task.session.snapshot()
        arguments = {name: resolve(binding, outputs) for name, binding in call.arguments.items()}
        result = task.session.call(call.tool, arguments)
        outputs[place] = result.value
        done = Call(tool=call.tool, arguments=arguments, result=result.text, ok=result.ok)
        moves.append(Move(call, done, result.value, before))
    last = len(moves) - 1
    steps = [(place,) for place in range(len(moves))]
    turn = PlayedTurn(task.requests[0].text, 0, steps, "It is done.", [last], task.session.diff())
    return Played([turn], moves)


def documents_of(environment: str) -> dict[str, Any]:
    """The state with which sessions of `REFERENCE` open."""
    with Session(environments(), REFERENCE) as session:
        return session.documents()[environment]
