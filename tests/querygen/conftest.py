"""Programs to talk about: chains of the hotel service, grounded and replayed."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from envfactory.catalogue import backend
from envfactory.environment import InProcess, Reference
from envfactory.gold import Gold
from envfactory.querygen import RuleWriter
from envfactory.querygen.program import Program, divided
from envfactory.querygen.refine import Refined, RefinementSettings, RuleRefiner, Strength
from envfactory.sampling import Chain, Link
from envfactory.sampling.grounding import Grounder, GroundingSettings
from envfactory.trajectory import REFINEMENTS, Persona
from tests.grounded import replayed

HOTELS = "hotel_reservations"
INTERNAL = {
    (f"{HOTELS}-{tool}", path)
    for tool, path in (
        ("get_hotel", "hotel_id"),
        ("check_availability", "hotel_id"),
        ("book_room", "hotel_id"),
        ("change_dates", "reservation_id"),
        ("cancel_reservation", "reservation_id"),
        ("get_reservation", "reservation_id"),
    )
}

Grounding = Callable[..., Gold]
Programming = Callable[..., Program]
Refining = Callable[..., Refined]


@pytest.fixture(scope="session")
def hotels() -> InProcess:
    return backend([HOTELS])


@pytest.fixture(scope="session")
def grounding(hotels: InProcess) -> Grounding:
    """Ground tools of the hotel service; links are (consumer, input, producer, output)."""

    def ground(tools: list[str], links: list[tuple[int, str, int, str]], seed: int = 0) -> Gold:
        chain = Chain(tuple(f"{HOTELS}-{tool}" for tool in tools), tuple(Link(*link) for link in links))
        reference = Reference(environments={HOTELS: ""}, seed=seed)
        grounded = Grounder(hotels, INTERNAL, GroundingSettings(sensible=False)).ground(
            chain, reference, random.Random(seed)
        )
        assert grounded.chain == chain, grounded.left_out
        return grounded.gold

    return ground


@pytest.fixture(scope="session")
def programming(hotels: InProcess) -> Programming:
    """Divide a gold program into turns and replay it."""

    def program(gold: Gold, *turns: int) -> Program:
        return replayed(hotels, divided(gold, turns))

    return program


@pytest.fixture(scope="session")
def refining(hotels: InProcess) -> Refining:
    """Write the requests of a program, and refine them in some ways wherever that can be."""

    def refine(program: Program, *kinds: str, seed: int = 0, manner: str = "brief", probability: float = 1) -> Refined:
        strengths = {kind: Strength(enabled=kind in kinds, probability=probability) for kind in REFINEMENTS}
        persona = Persona(name="Ada Bauer", manner=manner)
        requests = RuleWriter().write(program, persona, random.Random(seed))
        refiner = RuleRefiner(hotels, RefinementSettings.model_validate(strengths))
        return refiner.refine(program, requests, persona, random.Random(seed))

    return refine
