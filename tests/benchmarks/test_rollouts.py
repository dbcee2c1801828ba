"""How much time environments take of reinforcement learning.

python -m pytest --benchmark-enable -p no:xdist tests/benchmarks/test_rollouts.py

A batch is 256 turns with 8 rollouts each, as is usual. Every rollout opens a session, brings it to its turn, plays five
calls (two of them writing) written in a model's words, is scored and releases the session. Every turn has a world of
its own. Time is that of the processor, since it is one core's that counts; where two processes share the work, as a
trainer's workers do, it is the clock's.
"""

from __future__ import annotations

import gc
import json
import random
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import orjson
import pytest

from envfactory.catalogue import backend
from envfactory.dataset import RLRow, tool_file
from envfactory.dataset.rl import ChatMessage, ExtraInfo, RewardModel
from envfactory.environment import InProcess, Reference, Session
from envfactory.environment.draw import Drawer
from envfactory.gold import Call, Const, Gold, GoldCall, Out, replay
from envfactory.training.episode import Episode
from envfactory.training.task import Tasks

NAME = "hotel_reservations"
TURNS, GROUP = 256, 8
SIZE = 50
"""Of a scenario, as in `scale=quickstart`."""


def _row(hotels: InProcess, index: int) -> tuple[RLRow, list[str]]:
    """A turn in a world of its own after a turn that wrote, and what a model says that gets it right."""
    reference = Reference(environments={NAME: ""}, seed=index, size=SIZE)
    with Session(hotels, reference) as session:
        state = orjson.loads(session.dump_of(NAME))
        rng = random.Random(index)
        drawer = Drawer(hotels.specs[NAME])
        booking = drawer.draw("book_room", state, rng, {}, include=0.0)
        while not session.call(f"{NAME}-book_room", booking).ok:
            booking = drawer.draw("book_room", state, rng, {}, include=0.0)
    bound: dict[str, Any] = {name: Const(value=value) for name, value in booking.items()}
    hotel = {"hotel_id": bound["hotel_id"]}
    calls = [
        GoldCall(tool=f"{NAME}-list_reservations", arguments={}),
        GoldCall(tool=f"{NAME}-get_hotel", arguments=hotel),
        GoldCall(tool=f"{NAME}-list_reviews", arguments=hotel),
        GoldCall(tool=f"{NAME}-book_room", arguments=bound),
        GoldCall(tool=f"{NAME}-get_reservation", arguments={"reservation_id": Out(call=3, path="id")}),
        GoldCall(tool=f"{NAME}-cancel_reservation", arguments={"reservation_id": Out(call=3, path="id")}),
    ]
    with Session(hotels, reference) as session:
        executed = list(replay(Gold(reference=reference, calls=tuple(calls)), session).calls.values())
    row = RLRow(
        id=f"t-{index}/1",
        data_source="envfactory/travel",
        prompt=(ChatMessage(role="system", content="Serve."), ChatMessage(role="user", content="Go.")),
        tools=tool_file(hotels.specs).schemas(tool.wire_name for tool in hotels.specs[NAME].agent_tools),
        reference=reference,
        before=tuple(calls[:1]),
        gold=tuple(calls[1:]),
        reward_model=RewardModel(ground_truth=f"t-{index}/1"),
        extra_info=ExtraInfo(index=index, split="train"),
    )
    return row, [*map(_words, executed[1:]), "It is done."]


def _words(call: Call) -> str:
    written = json.dumps({"name": call.tool, "arguments": call.arguments})
    return f"<think>\n\n</think>\n\n<tool_call>\n{written}\n</tool_call><|im_end|>"


@pytest.fixture(scope="module")
def turns() -> Iterator[list[tuple[RLRow, list[str]]]]:
    hotels = backend([NAME])
    rows = [_row(hotels, index) for index in range(TURNS)]
    gc.collect()
    gc.freeze()  # what the test runner holds is not searched for garbage again and again
    yield rows
    gc.unfreeze()


def _batch(tasks: Tasks, turns: list[tuple[RLRow, list[str]]]) -> float:
    earned = 0.0
    for row, words in turns:
        for _ in range(GROUP):
            with Episode(row, tasks) as episode:
                for text in words:
                    episode.step(text)
                earned += episode.finish().reward or 0.0
    return earned


@pytest.mark.benchmark(timer=time.process_time)
def test_a_batch_of_rollouts(benchmark: Any, turns: list[tuple[RLRow, list[str]]]) -> None:
    """2,048 rollouts on one core: under 2 s."""
    tasks = Tasks(backend([NAME]))
    assert _batch(tasks, turns) == benchmark.pedantic(lambda: _batch(tasks, turns), rounds=3) == TURNS * GROUP


@pytest.mark.benchmark(timer=time.process_time)
def test_a_batch_of_rollouts_in_new_worlds(benchmark: Any, turns: list[tuple[RLRow, list[str]]]) -> None:
    """The same with the making of 256 worlds and the replay of gold in each."""
    assert benchmark.pedantic(lambda: _batch(Tasks(backend([NAME])), turns), rounds=3) == TURNS * GROUP


def test_a_batch_of_rollouts_in_new_worlds_on_two_cores(benchmark: Any, turns: list[tuple[RLRow, list[str]]]) -> None:
    """All of that in two processes, each with half of the turns: under 2 s by the clock."""
    halves = [turns[: TURNS // 2], turns[TURNS // 2 :]]
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        list(pool.map(_new_batch, [turns[:1]] * 8))  # both have imported what they need
        earned = benchmark.pedantic(lambda: sum(pool.map(_new_batch, halves)), rounds=3)
    assert earned == TURNS * GROUP


def _new_batch(turns: list[tuple[RLRow, list[str]]]) -> float:
    return _batch(Tasks(backend([NAME])), turns)


@pytest.mark.benchmark(timer=time.process_time)
def test_one_rollout(benchmark: Any, turns: list[tuple[RLRow, list[str]]]) -> None:
    """A rollout whose turn is ready."""
    tasks = Tasks(backend([NAME]))
    row, words = turns[0]

    def rollout() -> float | None:
        with Episode(row, tasks) as episode:
            for text in words:
                episode.step(text)
            return episode.finish().reward

    assert benchmark(rollout) == 1
