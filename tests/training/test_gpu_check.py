"""The check of a GPU machine: its turns, its fallbacks, and the same file run on the CPU."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from envfactory.training.hermes import parse_message
from envfactory.training.places import Interpreter, shipped
from envfactory.training.tokens import render_results

SCRIPT = shipped("gpu_check.sh")
END = "<|im_end|>"


@pytest.fixture
def rows(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[ModuleType, ModuleType]]:
    """The modules beside the script that need no torch."""
    monkeypatch.syspath_prepend(str(SCRIPT.parent))
    yield importlib.import_module("gpu_check_rows"), importlib.import_module("gpu_check_tokens")
    for name in ("gpu_check_rows", "gpu_check_tokens"):
        del sys.modules[name]


def checked(*options: str, python: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [SCRIPT, *options], capture_output=True, text=True, timeout=560, check=False,
        env={**os.environ, "PYTHON": str(python), **variables},
    )  # fmt: skip


def test_bytes_are_tokens_that_give_the_text_back(rows) -> None:
    tokenizer = rows[1].ByteTokenizer()
    text = f"<think>\n\n</think>\n\nü {END}<tool_call> 漢 <|im_start|>"
    assert tokenizer.decode(tokenizer.encode(text)) == text
    assert len(tokenizer.encode(END)) == 1
    assert tokenizer.decode([300, 195]) == "\ufffd\ufffd"


def test_its_turns_are_the_same_each_time_and_earn_everything_by_heart(rows) -> None:
    tokenizer = rows[1].ByteTokenizer()
    found = rows[0].made_turns()
    assert found == rows[0].made_turns()
    for row, words in found:
        line = rows[0].by_heart(row, words, tokenizer)
        said = [piece for place, piece in enumerate(rows[0].pieces(line, tokenizer)) if place % 2]
        assert said == [word + END for word in words]


def test_a_turn_that_earns_less_by_heart_is_refused(rows) -> None:
    row, words = rows[0].made_turns(1)[0]
    with pytest.raises(ValueError, match="check-0/0: played by heart it earns 0"):
        rows[0].by_heart(row, words[-1:], rows[1].ByteTokenizer())


def test_what_is_learned_from_without_the_package_are_whole_conversations() -> None:
    for pieces in json.loads((SCRIPT.parent / "gpu_check_samples.json").read_text(encoding="utf-8")):
        given, said = pieces[::2], pieces[1::2]
        assert given[0].startswith("<|im_start|>system\n")
        assert all(text.startswith("\n<|im_start|>user\n<tool_response>\n{") for text in given[1:])
        assert all(text.endswith(render_results((), thinking=False).rpartition(END)[2]) for text in given)
        assert all(text.endswith(END) for text in said)
        calls = [parse_message(text).calls for text in said]
        assert [len(made) for made in calls] == [1] * (len(said) - 1) + [0]
        assert not any(call.problem or call.repaired for made in calls for call in made)


def test_without_torch_it_says_what_to_do() -> None:
    ended = checked(python=Path(sys.executable))
    assert ended.returncode == 2
    assert "has no torch and transformers; name a Python that has: PYTHON=" in ended.stderr


@pytest.mark.training
def test_without_a_gpu_it_says_so(interpreter: Interpreter) -> None:
    ended = checked(python=interpreter.python, CUDA_VISIBLE_DEVICES="")
    assert ended.returncode == 2
    assert "torch finds no GPU here; to run the same parts on the CPU: --device cpu" in ended.stderr


@pytest.mark.training
def test_without_the_package_the_conversations_beside_it_are_learned(interpreter: Interpreter) -> None:
    code = (
        "import gpu_check, gpu_check_tokens, json; t = gpu_check_tokens.ByteTokenizer(); "
        "print(json.dumps([t.decode([i for i, s in zip(l.ids, l.said) if s]) for l in gpu_check.committed_lines(t)]))"
    )
    ended = subprocess.run(
        [interpreter.python, "-c", code], cwd=SCRIPT.parent, capture_output=True, text=True, timeout=170, check=True
    )
    written = json.loads((SCRIPT.parent / "gpu_check_samples.json").read_text(encoding="utf-8"))
    assert json.loads(ended.stdout) == ["".join(pieces[1::2]) for pieces in written]


@pytest.mark.training
@pytest.mark.timeout(600)
def test_on_the_cpu_every_part_holds(interpreter: Interpreter) -> None:
    ended = checked("--device", "cpu", python=interpreter.python)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    told = [line.partition("  ")[2].strip() for line in ended.stdout.splitlines() if line.startswith("verified")]
    for words in (
        "bf16 product", "loss falls", "were executed in environments", "its turns were scored",
        "has no reward", "changes the weights", "became likelier", "forward and backward",
    ):  # fmt: skip
        assert any(words in line for line in told), (words, ended.stdout)
    assert "0 failed" in ended.stdout
    assert "not verified  verl, vLLM, LlamaFactory and DeepSpeed" in ended.stdout
    assert "not verified  memory and speed of the 1.7B shape" in ended.stdout
