"""What the tiny model is taught: real requests, rendered as in a rollout, and calls that their prompts offer."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys

import orjson
import pytest

from envfactory.catalogue import backend
from envfactory.training import lessons as module
from envfactory.training.hermes import parse_message
from envfactory.training.lessons import BATCH, ENVIRONMENT, STEPS, WHOLE, Lesson, first_steps, lessons, messages_of
from envfactory.training.tiny import tiny_folder
from envfactory.training.tokens import END_OF_TURN, NO_THOUGHT, render
from tests.training.conftest import make_config


@pytest.fixture(scope="module")
def taught() -> list[Lesson]:
    return list(lessons())


def tools_of(prompt: str) -> list[str]:
    listed = prompt.partition("<tools>\n")[2].partition("\n</tools>")[0]
    return [orjson.loads(line)["function"]["name"] for line in listed.splitlines()]


def test_there_is_a_batch_for_each_step_and_most_of_it_calls(taught: list[Lesson]) -> None:
    assert len(taught) == STEPS * BATCH
    assert sum("<tool_call>" in answer for _, answer in taught) > 0.75 * len(taught)


def test_what_is_called_is_offered_and_can_be_read(taught: list[Lesson]) -> None:
    for prompt, answer in taught:
        assert answer.endswith(END_OF_TURN)
        for call in parse_message(answer).calls:
            assert not call.problem
            assert not call.repaired
            assert call.name in tools_of(prompt)


def test_half_of_the_answers_begin_with_the_block_that_the_other_prompts_end_with(taught: list[Lesson]) -> None:
    begun = [prompt.endswith(NO_THOUGHT) for prompt, _ in taught]
    assert begun == [not answer.startswith(NO_THOUGHT) for _, answer in taught]
    assert sum(begun) == len(taught) // 2


def test_all_tools_are_offered_at_the_end_and_few_before(taught: list[Lesson]) -> None:
    every = len(backend((ENVIRONMENT,)).specs[ENVIRONMENT].agent_tools)
    counts = [len(tools_of(prompt)) for prompt, _ in taught]
    assert set(counts[-WHOLE * BATCH :]) == {every}
    assert max(counts[: -WHOLE * BATCH]) == 2


def test_a_prompt_is_that_of_a_rollout() -> None:
    sample = next(sample for sample in first_steps(3, seed=5) if len(sample.messages) > 2)
    roles = [message.role for message in messages_of(sample)]
    assert roles[:4] == ["system", "user", "assistant", "tool"]
    text = render(messages_of(sample), sample.tools, thinking=False)
    assert f"<tool_response>\n{sample.messages[2].value}\n</tool_response>" in text


def test_lessons_are_the_same_in_any_process(taught: list[Lesson]) -> None:
    code = (
        "import hashlib, envfactory.training.lessons as m; "
        "print(hashlib.sha256(repr(list(m.lessons())).encode()).hexdigest())"
    )
    other = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    told = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=True,
        env={**os.environ, "PYTHONHASHSEED": other},
    ).stdout  # fmt: skip
    assert told.strip() == hashlib.sha256(repr(taught).encode()).hexdigest()


def test_the_models_folder_is_named_by_its_shape_and_by_what_makes_it(monkeypatch, tmp_path) -> None:
    backbone = make_config("backbone=tiny").backbone
    wider = make_config("backbone=tiny", "backbone.hidden=128").backbone
    assert backbone.kind == "tiny"
    assert wider.kind == "tiny"
    before = tiny_folder(backbone)
    assert before == tiny_folder(backbone)
    assert before.name.startswith("tiny-qwen3-2x64-")
    assert tiny_folder(wider).name.startswith("tiny-qwen3-2x128-")
    other = tmp_path / "lessons.py"
    other.write_text("CONVERSATIONS = 1\n")
    monkeypatch.setattr(module, "__file__", str(other))
    assert tiny_folder(backbone) != before
