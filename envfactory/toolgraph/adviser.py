"""Advice on the graph by a language model: which outputs feed an input, and whether a person knows its value.

The model is asked once a tool. Of each input it sees the outputs of its environment that the text proposed or the
declarations suggest, and the next closest ones beside them, so that it can prune and add. It never sees `Ref`, `Value`
or what execution proved; `build` holds its advice against the proof.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Protocol

from pydantic import BaseModel, ConfigDict, Field

from envfactory.environment import Spec
from envfactory.llm.errors import AnswerError
from envfactory.llm.prompt import Prompt
from envfactory.llm.voice import Voice
from envfactory.toolgraph.graph import Kind
from envfactory.toolgraph.leaves import Leaf, Leaves
from envfactory.toolgraph.propose import Pair, Texts, compatible

BESIDE = 3
"""Outputs shown for an input beside those that are suggested: the closest by text of the right type."""

PROMPT = Path(__file__).parent / "prompts" / "adviser.jinja"


@dataclass(frozen=True, slots=True)
class Advice:
    """What is advised.

    Attributes:
        kept: pairs that were shown and are said to be right.
        refused: pairs that were shown and are said to be wrong.
        kinds: by input leaf, whether a person knows its value.
    """

    kept: frozenset[Pair]
    refused: frozenset[Pair]
    kinds: Mapping[Leaf, Kind]


class Adviser(Protocol):
    """Advises on the pairs and inputs of a graph."""

    def advise(self, leaves: Leaves, texts: Texts, suggested: Collection[Pair]) -> Advice:
        """Advise.

        Args:
            leaves: of all tools.
            texts: their texts, embedded.
            suggested: the pairs that text or declarations suggest.
        """
        ...


class InputAnswer(BaseModel):
    """What the model answers of one input."""

    model_config = ConfigDict(extra="forbid")

    input: str
    kind: Kind
    sources: Annotated[list[int], Field(max_length=12)]


class ToolAnswer(BaseModel):
    """What the model answers of one tool."""

    model_config = ConfigDict(extra="forbid")

    inputs: Annotated[list[InputAnswer], Field(min_length=1, max_length=24)]


class ModelAdviser:
    """Asks a model; of a tool on which it does not answer as asked, nothing is advised."""

    role = "graph"

    def __init__(self, voice: Voice, specs: Mapping[str, Spec], seed: int = 0) -> None:
        self.voice, self.specs, self.seed = voice, specs, seed
        self.prompt = Prompt(PROMPT)

    def advise(self, leaves: Leaves, texts: Texts, suggested: Collection[Pair]) -> Advice:
        """Ask for advice on every tool that has inputs."""
        shown = self._shown(leaves, texts, suggested)
        kept: set[Pair] = set()
        refused: set[Pair] = set()
        kinds: dict[Leaf, Kind] = {}
        places = {leaf: index for index, leaf in enumerate(leaves.inputs)}
        for tool, inputs in enumerate(leaves.inputs_of):
            if not inputs:
                continue
            numbered = [(output, places[leaf]) for leaf in inputs for output in shown.get(places[leaf], ())]
            try:
                answers = self._ask(leaves, tool, inputs, numbered)
            except AnswerError:
                self.voice.fell_back(self.role)
                continue
            said = {numbered[number - 1] for answer in answers for number in answer.sources}
            kept |= said
            refused |= set(numbered) - said
            kinds.update({leaf: answer.kind for leaf, answer in zip(inputs, answers, strict=True)})
        return Advice(frozenset(kept), frozenset(refused), kinds)

    def _ask(self, leaves: Leaves, tool: int, inputs: Sequence[Leaf], numbered: Sequence[Pair]) -> list[InputAnswer]:
        number_of = {pair: number for number, pair in enumerate(numbered, start=1)}
        spec = leaves.tools[tool]
        told = [
            {
                "name": leaf.path,
                "kind": leaf.parameter.format or leaf.parameter.type,
                "description": leaf.parameter.description,
                "sources": [
                    f"{number}. {_output(leaves, leaves.outputs[pair[0]])}"
                    for pair, number in number_of.items()
                    if leaves.inputs[pair[1]] is leaf
                ],
            }
            for leaf in inputs
        ]
        messages = self.prompt.messages(
            service=self.specs[spec.environment].description,
            tool=f"{spec.name}: {spec.description.splitlines()[0]}",
            inputs=told,
        )
        numbers = {
            leaf.path: {number for pair, number in number_of.items() if leaves.inputs[pair[1]] is leaf}
            for leaf in inputs
        }

        def problems(answer: ToolAnswer) -> Iterator[str]:
            if [each.input for each in answer.inputs] != [leaf.path for leaf in inputs]:
                wanted = ", ".join(leaf.path for leaf in inputs)
                yield f"inputs: expected one entry for each of {wanted}, in this order"
                return
            for each in answer.inputs:
                if wrong := sorted(set(each.sources) - numbers[each.input]):
                    listed = ", ".join(map(str, sorted(numbers[each.input]))) or "none, so []"
                    yield f"{each.input}: sources {wrong} are not among those listed for it ({listed})"

        # A call of a seeded generator, so that tools do not share a seed and every run asks the same.
        seed = random.Random(f"{self.seed} {spec.wire_name}").getrandbits(31)
        answer = self.voice.ask(self.role, messages, ToolAnswer, problems, seed=seed, max_tokens=60 + 40 * len(inputs))
        return answer.inputs

    def _shown(self, leaves: Leaves, texts: Texts, suggested: Collection[Pair]) -> dict[int, list[int]]:
        """By input, the outputs of other tools of its environment that the model is asked about."""
        shown: dict[int, list[int]] = {}
        known = set(suggested)
        for index, leaf in enumerate(leaves.inputs):
            home = leaves.environments[leaf.tool]
            near = [
                (output, index)
                for output, other in enumerate(leaves.outputs)
                if other.tool != leaf.tool
                and leaves.environments[other.tool] == home
                and compatible(other.form, leaf.form)
            ]
            ranked = sorted(zip(texts.cosines(near), near, strict=True), key=lambda item: (-item[0], item[1]))
            beside = [pair for _, pair in ranked if pair not in known][:BESIDE]
            shown[index] = [output for output, _ in (*(pair for pair in near if pair in known), *beside)]
        return shown


def _output(leaves: Leaves, leaf: Leaf) -> str:
    kind = leaf.parameter.format or leaf.parameter.type
    return f"{leaves.tools[leaf.tool].name}, {leaf.path} ({kind}): {leaf.parameter.description}"
