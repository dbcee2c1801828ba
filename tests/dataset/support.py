"""Small real trajectories: gold written by hand, every result and state from a session of the hotel environment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import orjson

from envfactory.catalogue import backend, digests
from envfactory.dataset import write_tools
from envfactory.environment import Reference, Session
from envfactory.files import JsonlWriter
from envfactory.gold import Const, FromUser, Gold, GoldCall, Out, Pick, replay
from envfactory.querygen.program import divided
from envfactory.trajectory import Candidate, Persona, PlayedCall, Step, Trajectory, Turn

NAMES = ("hotel_reservations",)


@cache
def hotels():
    return backend(NAMES)


@dataclass(frozen=True)
class Say:
    """A turn: what the user says, how many calls each step takes, and the answer, filled from the turn's outputs."""

    user: str
    steps: tuple[int, ...]
    answer: str


def play(identifier: str, calls: Sequence[GoldCall], says: Sequence[Say], seed: int = 1) -> Trajectory:
    """Execute gold in a session and tell it as a conversation."""
    turns = tuple(sum(say.steps) for say in says)
    reference = Reference(environments=digests(NAMES), seed=seed)
    gold = Gold(reference=reference, calls=tuple(calls), turns=turns)
    played: list[Turn] = []
    with Session(hotels(), reference) as session:
        whole = replay(gold, session, keep_snapshots=True)
        for say, indexes in zip(says, gold.turn_slices(), strict=True):
            session.restore(whole.snapshots[indexes.stop])
            left = list(indexes)
            steps = [
                Step(calls=tuple(PlayedCall(**whole.calls[left.pop(0)].model_dump(), gold=indexes.stop - len(left) - 1)
                                 for _ in range(size)))
                for size in say.steps
            ]  # fmt: skip
            answer = Step(text=say.answer.format(*(whole.outputs[index] for index in indexes)))
            played.append(Turn(user=say.user, steps=(*steps, answer), diff=session.diff()))
    return Trajectory(
        id=identifier,
        domains=("travel",),
        persona=Persona(name="Ada Example", manner="brief"),
        system=hotels().specs["hotel_reservations"].policy,
        tools=tuple(tool.wire_name for tool in hotels().specs["hotel_reservations"].agent_tools),
        gold=gold.model_copy(update={"diff": whole.diff}),
        candidates=(Candidate(turns=tuple(played), equivalent=True),),
        chosen=0,
    )


def call(tool: str, **arguments) -> GoldCall:
    return GoldCall(tool=f"hotel_reservations-{tool}", arguments=arguments)


@cache
def a_city() -> str:
    """A city that has hotels in the scenario of seed 1."""
    with Session(hotels(), Reference(environments=digests(NAMES), seed=1)) as session:
        return next(iter(orjson.loads(session.dump()["hotel_reservations"])["hotels"].values()))["city"]


def booking(identifier: str = "t-0001") -> Trajectory:
    """Two turns: find a hotel and read about it (two parallel calls), then book the cheapest and cancel it again."""
    city = a_city()
    cheapest = Out(call=0, path="hotels[0].id", pick=Pick(by="low", field="from_rate"))
    calls = [
        call("search_hotels", city=FromUser(value=city)),
        call("get_hotel", hotel_id=cheapest),
        call("list_reviews", hotel_id=cheapest),
        call(
            "book_room",
            hotel_id=cheapest,
            room_kind=Out(call=1, path="rooms[0].kind"),
            check_in=FromUser(value="2026-04-07", turn=1),
            check_out=FromUser(value="2026-04-09", turn=1),
        ),
        call("cancel_reservation", reservation_id=Out(call=3, path="id")),
    ]
    asked = f"I need a hotel in {city}. What do people say about the cheapest one?"
    says = (
        Say(asked, (1, 2), "{1[name]} is rated {1[rating]}."),
        Say("Book it from 7 April to 9 April - no, call it off.", (1, 1), "Cancelled; {1[refund]} is paid back."),
    )
    return play(identifier, calls, says)


def looking(identifier: str = "t-0002") -> Trajectory:
    """One turn that only reads."""
    says = (Say("Which stays do I have?", (1,), "You have {0[total]}."),)
    return play(identifier, [call("list_reservations", page=Const(value=1))], says)


def asking(identifier: str = "t-0003") -> Trajectory:
    """The booking, where the assistant asks back before it books: a turn without calls, and the answer after it."""
    trajectory = booking(identifier)
    first, second = trajectory.conversation.turns
    question = Turn(user="Book a hotel for me.", steps=(Step(text="Which one, and for when?"),), diff=first.diff)
    turns = (first, question, second)
    gold = divided(trajectory.gold, (3, 0, 2))
    candidate = trajectory.conversation.model_copy(update={"turns": turns})
    return trajectory.model_copy(update={"gold": gold, "candidates": (candidate,)})


def write(folder: Path, trajectories: Sequence[Trajectory]) -> Path:
    """`trajectories.jsonl` with its `tools.json`; returns the former."""
    write_tools(folder / "tools.json", hotels().specs)
    path = folder / "trajectories.jsonl"
    with JsonlWriter(path) as writer:
        for trajectory in trajectories:
            writer.write(trajectory.model_dump(mode="json"))
    return path
