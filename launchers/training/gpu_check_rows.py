"""Turns for `gpu_check.py`: made of the catalogue's first environment on the spot, and played in real sessions.

    PYTHONPATH=. python launchers/training/gpu_check_rows.py

writes gpu_check_samples.json, their text: what is learned from where the package cannot be imported.
"""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
from gpu_check_tokens import ByteTokenizer

from envfactory.catalogue import backend, environment_names
from envfactory.dataset import RLRow, step_text, tool_file
from envfactory.dataset.rl import ChatMessage, ExtraInfo, RewardModel
from envfactory.environment import InProcess, Reference, Session
from envfactory.environment.draw import Drawer, Undrawable
from envfactory.files import write_bytes_atomic
from envfactory.gold import Const, GoldCall
from envfactory.training.episode import Episode, EpisodeLimits, Outcome
from envfactory.training.task import Tasks
from envfactory.training.tokens import END_OF_TURN, TokenLine, render
from envfactory.trajectory import PlayedCall, Step

LIMITS = EpisodeLimits(max_steps=5, max_calls=10, max_result_tokens=96)
OVERDUE = LIMITS.model_copy(update={"episode_timeout_s": 1e-9})
"""Of a rollout that is to fail as one does whose environment takes too long."""


def made_turns(count: int = 2, calls: int = 3) -> list[tuple[RLRow, list[str]]]:
    """Turns of so many calls with what is to be said in each, the same each time."""
    found = backend(environment_names()[:1])
    return [_made_turn(found, seed, calls) for seed in range(count)]


def _made_turn(found: InProcess, seed: int, calls: int) -> tuple[RLRow, list[str]]:
    (spec,) = found.specs.values()
    reference = Reference(environments={spec.name: ""}, seed=seed, size=20)
    rng, drawer = random.Random(seed), Drawer(spec)
    played: list[PlayedCall] = []
    with Session(found, reference) as session:
        for tool in rng.sample(spec.agent_tools, len(spec.agent_tools)):
            try:
                arguments = drawer.draw(tool.name, orjson.loads(session.dump_of(spec.name)), rng, include=0.0)
            except Undrawable:
                continue
            result = session.call(tool.wire_name, arguments)
            if result.ok:
                played.append(PlayedCall(tool=tool.wire_name, arguments=arguments, result=result.text, ok=True))
            if len(played) == calls:
                break
    asked = "; ".join(f"{call.tool} {orjson.dumps(call.arguments).decode()}" for call in played)
    row = RLRow(
        id=f"check-{seed}/0",
        data_source=f"envfactory/{spec.domain}",
        prompt=(
            ChatMessage(role="system", content="You serve one person."),
            ChatMessage(role="user", content=f"Please do this: {asked}."),
        ),
        tools=tool_file(found.specs).schemas(call.tool for call in played),
        reference=reference,
        before=(),
        gold=tuple(
            GoldCall(tool=call.tool, arguments={name: Const(value=value) for name, value in call.arguments.items()})
            for call in played
        ),
        reward_model=RewardModel(ground_truth=f"check-{seed}/0"),
        extra_info=ExtraInfo(index=seed, split="train"),
    )
    return row, [*(step_text(Step(text="", calls=(call,))) for call in played), "It is done."]


def play(
    row: RLRow, tokenizer: Any, speak: Callable[[TokenLine], list[int]], limits: EpisodeLimits = LIMITS
) -> tuple[TokenLine, Outcome]:
    """Play a turn as an agent loop does.

    Args:
        row: the turn.
        tokenizer: Qwen3's, or one that knows its special tokens.
        speak: gives the tokens of the next message.
        limits: of the episode.
    """
    tasks = Tasks(backend(list(row.reference.environments)))
    line = TokenLine(tokenizer, render(row.prompt, row.tools, thinking=False), thinking=False, max_response_tokens=2048)
    with Episode(row, tasks, limits, tokenizer=tokenizer) as episode:
        while not episode.done:
            reply = episode.step(line.add_generated(speak(line)))
            if reply.done or not line.add_results(reply.results):
                break
        return line, episode.finish()


def by_heart(row: RLRow, words: list[str], tokenizer: Any) -> TokenLine:
    """The tokens of a turn in which exactly these messages are said."""
    rest = iter(words)
    line, outcome = play(row, tokenizer, lambda _: tokenizer.encode(next(rest) + END_OF_TURN, add_special_tokens=False))
    if outcome.reward != 1:
        raise ValueError(f"row {row.id}: played by heart it earns {outcome.reward}, expected 1: {outcome.score}")
    return line


def pieces(line: TokenLine, tokenizer: Any) -> list[str]:
    """The text of a conversation in pieces: what the assistant is given, and what it says, in turn."""
    marked = zip(line.ids, [0] * len(line.prompt) + line.mask, strict=True)
    groups = itertools.groupby(marked, key=lambda pair: pair[1])
    return [str(tokenizer.decode([token for token, _ in group])) for _, group in groups]


def main() -> None:
    """Write the file."""
    tokenizer = ByteTokenizer()
    found = [pieces(by_heart(row, words, tokenizer), tokenizer) for row, words in made_turns()]
    text = json.dumps(found, ensure_ascii=False, indent=1)
    write_bytes_atomic(Path(__file__).parent / "gpu_check_samples.json", f"{text}\n".encode())


if __name__ == "__main__":
    main()
