"""What the backbone `tiny` is taught with: requests of one environment and the calls that answer them.

Made on the spot by the steps that a run takes - graph, chains, grounding, conversations, samples - from fixed small
settings, and rendered as in a rollout: a prompt is what a model reads there. Most lessons offer only the tool that is
called and one other, since short prompts are what a CPU can teach in two minutes; the last ones offer all tools.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

import orjson

from envfactory.catalogue import backend, digests
from envfactory.config.making import GraphConfig, LexicalEmbedderConfig, TopologySamplerConfig
from envfactory.dataset import ChatMessage, Sample, samples, tool_file
from envfactory.dataset.sft import RESULT_SEPARATOR
from envfactory.embedding import Lexical
from envfactory.gold import Gold
from envfactory.querygen import Rejected, RulePlanner, RuleWriter, Synthesizer
from envfactory.sampling.batches import GroundedBatches, internal_inputs, make_sampler
from envfactory.sampling.grounding import Grounder, GroundingSettings
from envfactory.toolgraph import build_graph
from envfactory.training.tokens import END_OF_TURN, NO_THOUGHT, render

__all__ = ["BATCH", "ENVIRONMENT", "STEPS", "WHOLE", "first_steps", "lessons", "messages_of"]

ENVIRONMENT = "hotel_reservations"
"""The environment whose tools take the shortest prompt."""

STEPS = 450
BATCH = 4
"""Lessons a step."""
WHOLE = 45
"""The last steps, in which all tools are offered."""
CONVERSATIONS = 150
ANSWERS = 30
"""Steps that answer from a result, the shortest ones; all others call a tool."""

EMBEDDER = LexicalEmbedderConfig(kind="lexical", ngrams=(2, 4), threshold=0.6)
GRAPH = GraphConfig(threshold=None, propose_top=8, prove=False, scenario_size=50)
CHAINS = TopologySamplerConfig(
    kind="topology", d_max=3, p=0.1, k=3, min_tools=1, max_tools=2, max_environments=1, max_attempts_per_chain=50
)
SCENARIO_SIZE = 50

Lesson = tuple[str, str]
"""A prompt, and what is to be answered."""


def lessons() -> Iterator[Lesson]:
    """Yield `STEPS` times `BATCH` lessons in the order in which they are learned, the same in any process."""
    found = list(first_steps(CONVERSATIONS, seed=1))
    answers = sorted((sample for sample in found if not _calls(sample)), key=_length)[:ANSWERS]
    taught = [sample for sample in found if _calls(sample)] + answers
    chance = random.Random(0)
    waiting: list[Sample] = []
    for step in range(STEPS):
        for place in range(BATCH):
            if not waiting:
                waiting = chance.sample(taught, len(taught))
            others = None if step >= STEPS - WHOLE else 1
            prompt, answer = _text(waiting.pop(), others, chance)
            # A model that is asked to think begins with the block that a prompt otherwise ends with.
            yield (prompt.removesuffix(NO_THOUGHT), NO_THOUGHT + answer) if place % 2 else (prompt, answer)


def first_steps(conversations: int, seed: int) -> Iterator[Sample]:
    """Yield the samples of the first turn of conversations in which a turn has one call: that call, and the answer.

    Args:
        conversations: how many chains are made into conversations; those that cannot be said give none.
        seed: decides them.
    """
    environments = backend((ENVIRONMENT,))
    graph = build_graph(environments.specs.values(), Lexical(EMBEDDER.ngrams, EMBEDDER.threshold), GRAPH, environments)
    grounder = Grounder(environments, internal_inputs(graph), GroundingSettings(8, 2, CHAINS.min_tools))
    batches = GroundedBatches(
        make_sampler(graph, CHAINS.kind, CHAINS), graph, grounder, digests((ENVIRONMENT,)), SCENARIO_SIZE, seed
    )
    synthesizer = Synthesizer(environments, RulePlanner(1, 1, CHAINS.max_tools), RuleWriter(), 1)
    tools = tool_file(environments.specs)
    for index, row in enumerate(batches.rows(0, conversations, _Uncounted())):
        try:
            trajectory = synthesizer.synthesize(Gold.model_validate(row["gold"]), random.Random(f"{seed}/{index}"))
        except Rejected:
            continue
        yield from (sample for sample in samples(trajectory, tools) if sample.id.split("/")[1] == "0")


def messages_of(sample: Sample) -> list[ChatMessage]:
    """Return the messages of a sample before the one that is learned, as a chat."""
    messages = [ChatMessage(role="system", content=sample.system)]
    for message in sample.messages[:-1]:
        if message.author == "observation":
            results = message.value.split(RESULT_SEPARATOR)
            messages += [ChatMessage(role="tool", content=result) for result in results]
        else:
            role = "user" if message.author == "human" else "assistant"
            messages.append(ChatMessage(role=role, content=message.value))
    return messages


def _text(sample: Sample, others: int | None, chance: random.Random) -> Lesson:
    """A lesson, with the tools that it calls and some others; None: with all."""
    tools = sample.tools
    if others is not None:
        listed = orjson.loads(tools)
        said = " ".join(message.value for message in sample.messages)
        needless = [tool for tool in listed if f'"{tool["function"]["name"]}"' not in said]
        cut = chance.sample(needless, len(needless) - others)
        tools = orjson.dumps([tool for tool in listed if tool not in cut]).decode()
    return render(messages_of(sample), tools, thinking=False), sample.messages[-1].value + END_OF_TURN


def _calls(sample: Sample) -> bool:
    return "<tool_call>" in sample.messages[-1].value


def _length(sample: Sample) -> int:
    return sum(len(message.value) for message in sample.messages)


class _Uncounted:
    """Nothing is told of what a batch spends."""

    def count(self, **amounts: float) -> None:
        del amounts
