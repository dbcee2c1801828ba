"""Prompts as text and tokens: what is shown of the schemas, and appending against rendering the whole."""

from __future__ import annotations

import json
import os
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import orjson
import pytest

from envfactory.dataset.rl import ChatMessage
from envfactory.training.tokens import NO_THOUGHT, TokenLine, render, render_results
from tests.dataset.support import asking, booking
from tests.training.conftest import make_config
from tests.training.support import Bytes, rows_of, rows_with_user, words

ROOT = Path(__file__).parents[2]
CACHE = Path(os.environ.get("ENVFACTORY_CACHE") or Path.home() / ".cache" / "envfactory")
PYTHON = CACHE / "training-cpu" / "bin" / "python"
BACKBONES = sorted(path.stem for path in (ROOT / "conf" / "backbone").glob("*.yaml"))
STRANGE = 'ü "q" \\ \n\n  {"a": [1, 2]}   é漢字 '
TOKENIZERS = {"qwen3": CACHE / "tokenizer-qwen3-3.7.2"}
"""By a backbone's template. The sizes of Qwen3 share one: docs/training.md says where that is known from."""


def steps_of(turn: int, thought: str = "") -> list[tuple[str, list[str]]]:
    """The assistant's messages of a turn, each behind a thought, with the results of their calls."""
    steps = booking().conversation.turns[turn].steps
    block = f"<think>\n{thought}\n</think>\n\n"
    return [
        (block + text, [played.result for played in step.calls])
        for step, text in zip(steps, words(booking(), turn), strict=True)
    ]


def test_the_schemas_are_shown_with_every_member_in_their_order() -> None:
    row = rows_of(booking())[0]
    shown = render(row.prompt, row.tools, thinking=True).partition("<tools>\n")[2].partition("\n</tools>")[0]
    assert [orjson.loads(line) for line in shown.splitlines()] == orjson.loads(row.tools)
    assert [json.dumps(tool, ensure_ascii=False) for tool in orjson.loads(row.tools)] == shown.splitlines()


def test_the_prompt_begins_the_answer_with_an_empty_thought_unless_the_model_thinks() -> None:
    row = rows_of(booking())[0]
    thinking, silent = (render(row.prompt, row.tools, thinking=each) for each in (True, False))
    assert thinking.endswith("<|im_end|>\n<|im_start|>assistant\n")
    assert silent == thinking + NO_THOUGHT
    assert thinking.startswith(f"<|im_start|>system\n{row.prompt[0].content}\n\n# Tools\n\n")


def test_every_message_of_the_history_has_its_think_block() -> None:
    row = rows_of(booking())[1]
    shown = render(row.prompt, row.tools, thinking=True)
    spoken = [message.content for message in row.prompt if message.role == "assistant"]
    for text in spoken:
        assert f"<|im_start|>assistant\n{NO_THOUGHT}{text}<|im_end|>\n" in shown
    assert shown.count("<|im_start|>assistant\n") == len(spoken) + 1


@pytest.mark.parametrize("thinking", [True, False])
@pytest.mark.parametrize("turn", [0, 1])
def test_what_is_appended_is_what_the_template_renders(turn, thinking) -> None:
    row = rows_of(booking())[turn]
    thought = "Let me see." if thinking else ""
    line = TokenLine(Bytes(), render(row.prompt, row.tools, thinking=thinking), thinking=thinking,
                     max_response_tokens=100_000)  # fmt: skip
    whole = list(row.prompt)
    for text, results in steps_of(turn, thought):
        said = text if thinking else text.removeprefix(NO_THOUGHT)
        assert line.add_generated(Bytes().encode(f"{said}<|im_end|>")) == f"{said}<|im_end|>"
        whole.append(ChatMessage(role="assistant", content=text))
        if results:
            assert line.add_results(results)
            whole += [ChatMessage(role="tool", content=result) for result in results]
    full = render(whole, row.tools, thinking=thinking, answer=False)
    assert Bytes().decode(line.ids) + "\n" == full
    assert len(line.response) == len(line.mask) == len(line.log_probs)


def test_only_generated_tokens_are_marked() -> None:
    line = TokenLine(Bytes(), "prompt", thinking=True, max_response_tokens=1000)
    line.add_generated(Bytes().encode("a<|im_end|>"), [-0.5] * 11)
    assert line.add_results(["r"])
    line.add_generated(Bytes().encode("b"))
    between = len(render_results(["r"], thinking=True))
    assert line.mask == [1] * 11 + [0] * between + [1]
    assert line.log_probs == [-0.5] * 11 + [0.0] * (between + 1)
    assert line.room == 1000 - 12 - between


def test_nothing_follows_a_message_that_was_cut() -> None:
    line = TokenLine(Bytes(), "prompt", thinking=True, max_response_tokens=1000)
    assert not line.ended
    line.add_generated(Bytes().encode("<tool_call>\n{"))
    assert not line.ended
    assert not line.add_results(["r"])
    assert Bytes().decode(line.response) == "<tool_call>\n{"


def test_the_response_never_grows_beyond_its_limit() -> None:
    line = TokenLine(Bytes(), "prompt", thinking=False, max_response_tokens=100)
    with pytest.raises(ValueError, match="101 tokens was generated where there is room for 100"):
        line.add_generated([65] * 101)
    line.add_generated(Bytes().encode("a<|im_end|>"))
    assert not line.add_results(["r"])  # the next message would have no token
    assert len(line.response) == 11
    with pytest.raises(ValueError, match="1 probabilities were given for 2 tokens"):
        line.add_generated([65, 66], [0.0])


@pytest.mark.parametrize("thinking", [True, False])
def test_what_the_user_says_is_appended_as_the_template_renders_it_and_not_learned(thinking) -> None:
    row = rows_with_user(asking())[1]
    opening = row.opening(simulated=True)
    block = "<think>\nI ask.\n</think>\n\n" if thinking else NO_THOUGHT
    said = [f"{block}Which one?", f"{block}For when?", f"{block}It is booked."]
    line = TokenLine(Bytes(), render(opening, row.tools, thinking=thinking), thinking=thinking, max_response_tokens=999)
    whole = list(opening)
    for text, answer in zip(said, ["That one.", STRANGE, ""], strict=True):
        line.add_generated(Bytes().encode(f"{text if thinking else text.removeprefix(NO_THOUGHT)}<|im_end|>"))
        whole.append(ChatMessage(role="assistant", content=text))
        if answer:
            assert line.add_words(answer)
            whole.append(ChatMessage(role="user", content=answer))
    assert Bytes().decode(line.ids) + "\n" == render(whole, row.tools, thinking=thinking, answer=False)
    learned = bytes(token for token, mask in zip(line.response, line.mask, strict=True) if mask).decode()
    own = "" if thinking else NO_THOUGHT
    assert learned == "".join(f"{text.removeprefix(own)}<|im_end|>" for text in said)


def test_words_without_room_for_an_answer_are_not_appended() -> None:
    line = TokenLine(Bytes(), "prompt", thinking=True, max_response_tokens=60)
    line.add_generated(Bytes().encode("a?<|im_end|>"))
    assert not line.add_words("b" * 60)
    assert len(line.response) == 12
    assert not TokenLine(Bytes(), "prompt", thinking=True, max_response_tokens=999).add_words("b")


@pytest.fixture(scope="module", params=BACKBONES)
def with_tokenizer(request: pytest.FixtureRequest) -> list[dict[str, Any]]:
    """Cases with what a backbone's own tokenizer makes of them."""
    template = make_config(f"backbone={request.param}").backbone.template
    assert template in TOKENIZERS, f"backbone {request.param} has the template {template}: give its tokenizer here"
    return cases_with(TOKENIZERS[template])


@cache
def cases_with(tokenizer: Path) -> list[dict[str, Any]]:
    if not (PYTHON.parents[1] / ".ready").is_file():
        pytest.fail(f"there is no {PYTHON}; build it with launchers/training/setup.sh cpu")
    strange = STRANGE * 12
    cases: list[dict[str, Any]] = []
    for turn, row in enumerate(rows_of(booking())):
        for thinking, thought, tokens in ((True, "First I look.", 10_000), (False, "", 10_000), (False, "", 60)):
            steps = steps_of(turn, thought)
            (text, results), last = steps[0], steps[-1]
            block = f"<think>\n{thought}\n</think>\n\n"
            odd = text.replace("</tool_call>", f"{strange}\n</tool_call>"), [strange, *results]
            compact = text.replace('", "arguments": ', '","arguments":'), results
            cases.append(
                {
                    "prompt": [message.model_dump() for message in row.prompt],
                    "tools": row.tools,
                    "steps": [*steps[:-1], odd, (f"{block}Which one?", []), compact, (f"{block}For when?", []), last],
                    # What the user says after each message that has no calls, but for the last.
                    "said": ["The second one, please.", strange],
                    "thinking": thinking,
                    "max_result_tokens": tokens,
                }
            )
    ended = subprocess.run(
        [PYTHON, Path(__file__).parent / "inside" / "tokens.py", tokenizer],
        input=json.dumps(cases), capture_output=True, text=True, timeout=170, check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT), "CUDA_VISIBLE_DEVICES": ""},
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    found = [json.loads(line) for line in ended.stdout.splitlines() if line.startswith("{")]
    return [{**case, **made} for case, made in zip(cases, found, strict=True)]


@pytest.mark.training
def test_appended_tokens_are_those_of_the_whole_template_with_the_backbones_tokenizer(with_tokenizer) -> None:
    for case in with_tokenizer:
        assert len([results for _, results in case["steps"] if results]) >= 3
        assert case["appended"] == case["whole"] == case["rendered_whole"]


@pytest.mark.training
def test_transformers_renders_the_template_as_it_is_rendered_here(with_tokenizer) -> None:
    for case in with_tokenizer:
        assert case["ours"] == case["theirs"]


@pytest.mark.training
def test_the_mask_holds_exactly_what_the_assistant_said(with_tokenizer) -> None:
    for case in with_tokenizer:
        said = [text if case["thinking"] else text.removeprefix(NO_THOUGHT) for text, _ in case["steps"]]
        assert case["generated"] == "".join(f"{text}<|im_end|>" for text in said)


@pytest.mark.training
def test_shown_results_have_at_most_so_many_tokens_with_the_backbones_tokenizer(with_tokenizer) -> None:
    assert {case["max_result_tokens"] for case in with_tokenizer} == {60, 10_000}
    for case in with_tokenizer:
        assert case["longest"] <= case["max_result_tokens"]
        longest = max(len(result) for _, results in case["steps"] for result in results)
        assert longest > 60 * 4
