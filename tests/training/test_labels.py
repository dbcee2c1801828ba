"""What is learned from the training files, as LlamaFactory's own loader and Qwen3's own tokenizer have it.

The labels are decoded: loss falls on exactly the steps that are kept, and the history is what chat templates render.
"""

from __future__ import annotations

import itertools
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
import pytest

from envfactory.dataset import Sample, dataset_info, samples, step_text, tool_file, write_samples
from envfactory.dataset.sft import RESULT_SEPARATOR
from envfactory.files import write_json_atomic
from envfactory.training.places import Interpreter
from envfactory.training.process import run_to_end
from envfactory.training.recipe import sft_recipe
from envfactory.training.sft import CHECK
from envfactory.training.tokens import TEMPLATE
from envfactory.trajectory import Step, Trajectory
from tests.dataset.support import booking, hotels, looking
from tests.training.conftest import make_config

pytestmark = [pytest.mark.training, pytest.mark.timeout(400)]

END = "<|im_end|>\n"
EMPTY = "<think>\n\n</think>\n\n"
THOUGHT = "<think>\nThe cheapest one is asked for.\n</think>\n\n"
BESIDE = "Let me look at the cheapest one."
RENDER = Path(__file__).parent / "inside" / "render.py"


def changed(trajectory: Trajectory, identifier: str, steps: dict[tuple[int, int], dict[str, Any]]) -> Trajectory:
    """The trajectory under another id, with other fields in some of its steps, by turn and step."""
    candidate = trajectory.conversation
    turns = tuple(
        turn.model_copy(
            update={"steps": tuple(s.model_copy(update=steps.get((t, i), {})) for i, s in enumerate(turn.steps))}
        )
        for t, turn in enumerate(candidate.turns)
    )
    return trajectory.model_copy(
        update={"id": identifier, "candidates": (candidate.model_copy(update={"turns": turns}),)}
    )


TRAJECTORIES = {
    "plain": changed(booking(), "plain", {}),
    "reading": changed(looking(), "reading", {}),
    "hidden": changed(booking(), "hidden", {(0, 1): {"label": "hide"}}),
    "removed": changed(booking(), "removed", {(0, 1): {"label": "remove"}}),
    "beside": changed(booking(), "beside", {(0, 1): {"text": BESIDE}}),
    "thinking": changed(booking(), "thinking", {(0, 1): {"text": THOUGHT + BESIDE}, (1, 0): {"text": THOUGHT.strip()}}),
}


@dataclass(frozen=True)
class Read:
    """What the loader made of the samples: for each its whole text, what is learned, its tokens; who is too long."""

    context: int
    samples: list[Sample]
    found: list[dict[str, Any]]
    too_long: list[int]

    def of(self, trajectory: str) -> list[tuple[Sample, dict[str, Any]]]:
        return [pair for pair in zip(self.samples, self.found, strict=True) if pair[0].id.startswith(f"{trajectory}/")]


def read(folder: Path, interpreter: Interpreter, *, preserve: bool, context: int) -> Read:
    every = [sample for one in TRAJECTORIES.values() for sample in samples(one, tool_file(hotels().specs))]
    write_samples(folder / "sft.json", every)
    write_json_atomic(folder / "dataset_info.json", dataset_info({"envfactory": "sft.json"}))
    config = make_config(
        "training.hardware=cpu", f"training.preserve_thinking={str(preserve).lower()}", f"backbone.context={context}"
    )
    (folder / "sft.yaml").write_text(sft_recipe(config, folder, validation=False).yaml())
    variables = interpreter.variables() | {"HF_DATASETS_CACHE": str(folder / "datasets")}
    run_to_end(
        [interpreter.python, CHECK, "sft.yaml", "report.json", "--decode"],
        folder=folder, log=folder / "log.txt", variables=variables, timeout_s=300,
    )  # fmt: skip
    report = json.loads((folder / "report.json").read_text())["train"]
    assert report["samples"] == len(every)
    assert report["nothing_learned"] == []
    return Read(context, every, report["texts"], report["too_long"])


@pytest.fixture(scope="module")
def preserved(tmp_path_factory: pytest.TempPathFactory, interpreter: Interpreter, tiny: Path) -> Read:
    return read(tmp_path_factory.mktemp("preserved"), interpreter, preserve=True, context=16384)


@pytest.fixture(scope="module")
def dropped(tmp_path_factory: pytest.TempPathFactory, interpreter: Interpreter, preserved: Read) -> Read:
    """In a context that some samples fill, and some do not."""
    lengths = sorted(len(described["input_ids"]) for described in preserved.found)
    context = lengths[len(lengths) // 2]
    return read(tmp_path_factory.mktemp("dropped"), interpreter, preserve=False, context=context)


def rendered(
    conversations: list[dict[str, Any]], template: str, folder: Path, interpreter: Interpreter, tiny: Path
) -> list[list[int]]:
    (folder / "asked.json").write_text(json.dumps(conversations))
    run_to_end(
        [interpreter.python, RENDER, tiny, template, "asked.json", "answer.json"],
        folder=folder, log=folder / "log.txt", variables=interpreter.variables(), timeout_s=300,
    )  # fmt: skip
    return json.loads((folder / "answer.json").read_text())


def conversation(sample: Sample, *, calls_apart: bool) -> dict[str, Any]:
    """A sample as the messages that chat templates render, calls as text or apart."""
    messages: list[dict[str, Any]] = [{"role": "system", "content": sample.system}]
    for message in sample.messages:
        if message.author == "human":
            messages.append({"role": "user", "content": message.value})
        elif message.author == "observation":
            results = message.value.split(RESULT_SEPARATOR)
            messages += [{"role": "tool", "content": result} for result in results]
        elif calls_apart and "<tool_call>" in message.value:
            text, *blocks = message.value.split("<tool_call>\n")
            calls = [orjson.loads(block.partition("\n</tool_call>")[0]) for block in blocks]
            messages.append(
                {
                    "role": "assistant",
                    "content": text.removesuffix("\n"),
                    "tool_calls": [{"type": "function", "function": call} for call in calls],
                }
            )
        else:
            messages.append({"role": "assistant", "content": message.value})
    return {"messages": messages, "tools": orjson.loads(sample.tools)}


def kept(trajectory: Trajectory) -> list[Step]:
    return [step for turn in trajectory.conversation.turns for step in turn.steps if step.label == "keep"]


@pytest.mark.parametrize("name", TRAJECTORIES)
@pytest.mark.parametrize("history", ["preserved", "dropped"])
def test_loss_falls_on_every_kept_step_once_and_on_nothing_else(
    name: str, history: str, request: pytest.FixtureRequest
) -> None:
    found: Read = request.getfixturevalue(history)
    learned = [described["learned"] for _, described in found.of(name)]
    assert learned == [step_text(step) + END for step in kept(TRAJECTORIES[name])]


def test_a_hidden_step_is_in_the_history_and_has_no_loss(preserved: Read) -> None:
    text = step_text(TRAJECTORIES["hidden"].conversation.turns[0].steps[1])
    found = [described for _, described in preserved.of("hidden")]
    assert len(found) == 5
    assert [text in described["text"] for described in found] == [False, True, True, True, True]
    assert not any(text in described["learned"] for described in found)


def test_a_removed_step_and_its_results_are_gone(preserved: Read) -> None:
    step = TRAJECTORIES["removed"].conversation.turns[0].steps[1]
    everything = "".join(described["text"] for _, described in preserved.of("removed"))
    assert step_text(step) not in everything
    # The other call's result, the hotel, stands in the search before it too.
    assert step.calls[1].result not in everything


def test_text_beside_a_call_is_learned_and_stays_in_the_history(preserved: Read) -> None:
    found = [described for _, described in preserved.of("beside")]
    assert found[1]["learned"].startswith(f"{BESIDE}\n<tool_call>\n")
    assert [BESIDE in described["text"] for described in found] == [False, True, True, True, True, True]


def test_parallel_calls_are_one_message_and_their_results_another(preserved: Read) -> None:
    step = TRAJECTORIES["plain"].conversation.turns[0].steps[1]
    (_, described) = preserved.of("plain")[2]
    first, second = (f"<tool_response>\n{call.result}\n</tool_response>" for call in step.calls)
    asked = f"<|im_start|>assistant\n{EMPTY}{step_text(step)}{END}"
    assert f"{asked}<|im_start|>user\n{first}\n{second}{END}" in described["text"]


def test_every_step_keeps_its_think_block_or_only_the_last_has_one(preserved: Read, dropped: Read) -> None:
    for name in TRAJECTORIES:
        for (sample, whole), (_, short) in zip(preserved.of(name), dropped.of(name), strict=True):
            steps = sum(message.author == "gpt" for message in sample.messages)
            assert whole["text"].count("<think>") == steps
            assert short["text"].count("<think>") == 1
            # What nobody thought is not learned.
            assert EMPTY not in whole["learned"] + short["learned"]
    thoughts = [described["text"].count(THOUGHT) for _, described in preserved.of("thinking")]
    assert thoughts == [0, 1, 1, 2, 2, 2]
    thoughts = [described["text"].count(THOUGHT) for _, described in dropped.of("thinking")]
    assert thoughts == [0, 1, 0, 1, 0, 0]


def test_what_is_longer_than_the_context_is_told_and_never_cut(preserved: Read, dropped: Read) -> None:
    lengths = [len(described["input_ids"]) for described in dropped.found]
    assert min(lengths) <= dropped.context < max(lengths)
    assert dropped.too_long == [index for index, length in enumerate(lengths) if length > dropped.context]
    assert preserved.too_long == []


def test_the_tokens_are_those_of_the_template_that_the_checkpoint_gets(
    preserved: Read, tmp_path: Path, interpreter: Interpreter, tiny: Path
) -> None:
    asked = [conversation(sample, calls_apart=apart) for apart in (False, True) for sample in preserved.samples]
    learned = [described["input_ids"] for described in preserved.found]
    assert rendered(asked, str(TEMPLATE), tmp_path, interpreter, tiny) == learned * 2


def test_without_thoughts_the_tokens_are_those_of_qwen3s_own_template(
    dropped: Read, tmp_path: Path, interpreter: Interpreter, tiny: Path
) -> None:
    pairs = [pair for name in TRAJECTORIES if name != "thinking" for pair in dropped.of(name)]
    asked = [conversation(sample, calls_apart=True) for sample, _ in pairs]
    assert rendered(asked, "own", tmp_path, interpreter, tiny) == [described["input_ids"] for _, described in pairs]


def test_each_prompt_grows_by_appending(preserved: Read) -> None:
    for name in TRAJECTORIES:
        texts = [described["text"] for _, described in preserved.of(name)]
        for shorter, longer in itertools.pairwise(texts):
            assert longer.startswith(shorter)
