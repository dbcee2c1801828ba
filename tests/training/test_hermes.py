"""Reading a model's raw words: a corpus of good and malformed outputs, and text that nobody foresaw."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envfactory.dataset import step_text
from envfactory.training import hermes
from envfactory.training.hermes import ParsedCall, parse_message
from envfactory.trajectory import PlayedCall, Step

CALL = '{"name": "a-get", "arguments": {"x": 1}}'
OTHER = '{"name": "a-put", "arguments": {"y": "z"}}'
GET, PUT = ("a-get", {"x": 1}), ("a-put", {"y": "z"})


def block(*lines: str) -> str:
    return "\n".join(["<tool_call>", *lines, "</tool_call>"])


def executable(text: str) -> list[tuple[str, Any]]:
    return [(call.name, call.arguments) for call in parse_message(text).calls if not call.problem]


def problems(text: str) -> list[str]:
    return [call.problem for call in parse_message(text).calls if call.problem]


WELL_FORMED = {
    "one call": (block(CALL), [GET]),
    "text before": (f"Let me look.\n{block(CALL)}", [GET]),
    "parallel calls": (f"{block(CALL)}\n{block(OTHER)}", [GET, PUT]),
    "thinking before": (f"<think>\nhm\n</think>\n\n{block(CALL)}", [GET]),
    "an empty thought": (f"<think>\n\n</think>\n\n{block(CALL)}", [GET]),
    "the prompt began the thought": (f"hm\n</think>\n\n{block(CALL)}", [GET]),
    "end of message": (f"{block(CALL)}<|im_end|>", [GET]),
    "end of text": (f"{block(CALL)}<|im_end|>\n<|endoftext|>\n", [GET]),
    "trailing text": (f"{block(CALL)}\nI am looking it up.", [GET]),
    "on one line": (f"<tool_call>{CALL}</tool_call>", [GET]),
    "compact JSON": (block('{"name":"a-get","arguments":{"x":1}}'), [GET]),
    "arguments first": (block('{"arguments": {"x": 1}, "name": "a-get"}'), [GET]),
    "no arguments": (block('{"name": "a-get", "arguments": {}}'), [("a-get", {})]),
    "tags in a string": (
        block('{"name": "a-put", "arguments": {"y": "</tool_call><think></think>{"}}'),
        [("a-put", {"y": "</tool_call><think></think>{"})],
    ),
    "the end of a thought in a string": (
        f"{block(CALL)}\n" + block('{"name": "a-put", "arguments": {"y": "</think>"}}'),
        [GET, ("a-put", {"y": "</think>"})],
    ),
    "escapes": (block(r'{"name": "a-put", "arguments": {"y": "\u00fc \"q\" \\"}}'), [("a-put", {"y": 'ü "q" \\'})]),
}

REPAIRED = {
    "a brace missing": (block(CALL[:-1]), [GET]),
    "all braces missing": (block(CALL[:-2]), [GET]),
    "a bracket and braces missing": (block('{"name": "a-get", "arguments": {"x": [1, {"y": 2'),
                                     [("a-get", {"x": [1, {"y": 2}]})]),
    "no end tag": (f"<tool_call>\n{CALL}", [GET]),
    "no end tag before the next call": (f"<tool_call>\n{CALL}\n{block(OTHER)}", [GET, PUT]),
    "two calls in a block": (block(CALL, OTHER), [GET, PUT]),
    "two calls in a line": (block(CALL + OTHER), [GET, PUT]),
    "two calls with a comma": (block(CALL + ",", OTHER), [GET, PUT]),
    "a list of calls": (block(f"[{CALL}, {OTHER}]"), [GET, PUT]),
    "the second of two without its brace": (block(CALL, OTHER[:-1]), [GET, PUT]),
    "a code fence inside": (block("```json", CALL, "```"), [GET]),
    "a code fence without a language": (block("```", CALL, "```"), [GET]),
    "arguments as a string": (block('{"name": "a-get", "arguments": "{\\"x\\": 1}"}'), [("a-get", '{"x": 1}')]),
    "arguments as a list": (block('{"name": "a-get", "arguments": [1]}'), [("a-get", [1])]),
    "arguments left out": (block('{"name": "a-get"}'), [("a-get", {})]),
    "arguments as null": (block('{"name": "a-get", "arguments": null}'), [("a-get", None)]),
    "arguments as a string that is no JSON": (block('{"name": "a-get", "arguments": "x=1"}'), [("a-get", "x=1")]),
    "arguments as a string that is cut": (block('{"name": "a-get", "arguments": "{\\"x\\": "}'),
                                          [("a-get", '{"x": ')]),
    "arguments as a string of a string": (block(json.dumps({"name": "a-get", "arguments": json.dumps('{"x": 1}')})),
                                          [("a-get", json.dumps('{"x": 1}'))]),
    "two calls, the second with arguments as a string": (
        block(CALL, '{"name": "a-get", "arguments": "{\\"x\\": 2}"}'), [GET, ("a-get", '{"x": 2}')]),
    "a brace too many": (block(CALL + "}"), [GET]),
    "two braces too many": (block(CALL + "}}"), [GET]),
    "words after the call": (block(CALL, "That should do."), [GET]),
    "three calls in a block": (block(CALL, OTHER, CALL), [GET, PUT, GET]),
    "two calls in a block and one in another": (f"{block(CALL, OTHER)}\n{block(CALL)}", [GET, PUT, GET]),
}  # fmt: skip

NOT_READABLE = {
    "cut in the middle": ('<tool_call>\n{"name": "a-put", "arguments": {"y": "z', "no end"),
    "cut after the arguments": (f"<tool_call>\n{CALL[:-1]}", "no end"),
    "cut before the next call": (f"<tool_call>\n{CALL[:-5]}\n{block()}", "no end"),
    "no JSON": (block("get x=1"), "not valid JSON"),
    "quotes of Python": (block("{'name': 'a-get', 'arguments': {}}"), "not valid JSON"),
    "a string without its end": (block('{"name": "a-put", "arguments": {"y": "z}}'), "not valid JSON"),
    "a number that is none": (block('{"name": "a-get", "arguments": {"x": NaN}}'), "not valid JSON"),
    "nothing": (block(), "empty"),
    "an empty list": (block("[]"), "empty list"),
    "a list of names": (block('["a-get"]'), "no name of a tool"),
    "no name": (block('{"arguments": {"x": 1}}'), "no name of a tool"),
    "a name that is no text": (block('{"name": 3, "arguments": {}}'), "no name of a tool"),
    "a very long name": (block(json.dumps({"name": "a" * 10_000, "arguments": {}})), "no name of a tool"),
    "another word for arguments": (block('{"name": "a-get", "parameters": {"x": 1}}'), "a member 'parameters'"),
    "arguments beside the name": (block('{"name": "a-get", "x": 1}'), "a member 'x'"),
    "a comma too many": (block('{"name": "a-get", "arguments": {"x": 1,}}'), "not valid JSON"),
    "a name without quotes": (block('{name: "a-get", "arguments": {}}'), "not valid JSON"),
    "None of Python": (block('{"name": "a-get", "arguments": {"x": None}}'), "not valid JSON"),
    "a comment": (block('{"name": "a-get", /* one */ "arguments": {}}'), "not valid JSON"),
    "words before the call": (block(f"Calling: {CALL}"), "not valid JSON"),
    "tags of functions and parameters": (
        block("<function=a-get>", "<parameter=x>", "1", "</parameter>", "</function>"),
        "not valid JSON",
    ),
    "the form of another interface": (block(f'{{"type": "function", "function": {CALL}}}'), "no name of a tool"),
    "the first of two without its brace": (block(CALL[:-1], OTHER), "not valid JSON"),
    "a number of five thousand digits": (
        block('{"name": "a-get", "arguments": {"x": 1' + "0" * 5000 + "}}"),
        "not valid JSON",
    ),
    "a thought in the block": (block(f"<think>hm</think>{CALL}"), "empty"),
    "very deep": (block("[" * 100_000), "not valid JSON"),
}

NOT_CALLS = {
    "words": "You have two stays.",
    "nothing at all": "",
    "in a thought": f"<think>\nI could do {block(CALL)}\n</think>\n\nNo.",
    "in a thought without its end": f"<think>\nI could do {block(CALL)}",
    "in a thought that the prompt began": f"I could do {block(CALL)}\n</think>\n\nNo.",
    "in a thought in a thought": f"<think>a <think>b</think> {block(CALL)}</think> No.",
    "in a second thought": f"<think>a</think> b <think>{block(CALL)}</think> No.",
    "half in a thought": f"<think>so <tool_call>\n{CALL}</think>\n No.",
    "without tags": CALL,
    "in a fence without tags": f"```json\n{CALL}\n```",
    "an end tag alone": f"{CALL}\n</tool_call>",
    "tags of another form": f"<tool-call>{CALL}</tool-call>",
    "tags in capitals": f"<TOOL_CALL>{CALL}</TOOL_CALL>",
    "tags with spaces": f"< tool_call >{CALL}</ tool_call >",
    "a block that a thought's end cuts": f"<think>hm\n<tool_call>\n</think>\n{CALL}\n</tool_call>",
    "two in one thought": f"<think>{block(CALL)}\n{block(OTHER)}</think> No.",
    "two in a block in a thought": f"<think>{block(CALL, OTHER)}</think> No.",
}


@pytest.mark.parametrize("name", WELL_FORMED)
def test_what_is_in_the_form_is_read_as_it_stands(name) -> None:
    text, calls = WELL_FORMED[name]
    assert executable(text) == calls
    assert problems(text) == []
    assert [call.repaired for call in parse_message(text).calls] == [False] * len(calls)


@pytest.mark.parametrize("name", REPAIRED)
def test_what_is_nearly_in_the_form_is_read_and_told_apart(name) -> None:
    text, calls = REPAIRED[name]
    assert executable(text) == calls
    assert problems(text) == []
    assert any(call.repaired for call in parse_message(text).calls)


@pytest.mark.parametrize("name", NOT_READABLE)
def test_what_cannot_be_read_is_a_call_with_a_problem(name) -> None:
    text, problem = NOT_READABLE[name]
    assert executable(text) == []
    assert problem in problems(text)[0]


@pytest.mark.parametrize("name", NOT_CALLS)
def test_what_is_no_call_is_none(name) -> None:
    assert parse_message(NOT_CALLS[name]).calls == ()


def test_a_readable_call_counts_beside_one_that_is_not() -> None:
    text = f"{block('{')}\n{block(CALL)}"
    assert executable(text) == [GET]
    assert len(problems(text)) == 1


def test_a_call_in_a_thought_hides_no_call_after_it() -> None:
    assert executable(f"<think>\n<tool_call>\n{CALL[:-3]}</think>\n{block(OTHER)}") == [PUT]
    assert executable(f"maybe <tool_call>\n{CALL[:-3]}</think>\n{block(OTHER)}") == [PUT]


def test_a_tag_too_many_hides_no_call() -> None:
    for text in (block(block(CALL)), f"<tool_call>\n{block(CALL)}", f"{block(CALL)}\n</tool_call>"):
        assert executable(text) == [GET]


def test_thinking_words_and_calls_are_told_apart() -> None:
    text = f"<think>\nLook first.\n</think>\n\nOne moment.\n{block(CALL)}\nThere.<|im_end|>"
    message = parse_message(text)
    assert message.raw == text
    assert message.thinking == "Look first."
    assert message.text == "One moment.\n\nThere."
    assert message.calls == (ParsedCall("a-get", {"x": 1}, CALL),)


def test_words_after_a_call_in_its_block_do_no_harm() -> None:
    assert executable(block(CALL, "That should do.")) == [GET]
    assert problems(block(CALL, "That should do.")) == []


def test_what_the_training_samples_say_is_read_back() -> None:
    played = [
        PlayedCall(tool="a-get", arguments={"x": 1, "t": 'ü "</tool_call>" {'}, result="{}", ok=True),
        PlayedCall(tool="a-put", arguments={"y": [{"z": None}]}, result="{}", ok=True),
    ]
    message = parse_message(step_text(Step(text="Both.", calls=tuple(played))))
    assert [(call.name, call.arguments, call.repaired) for call in message.calls] == [
        (call.tool, call.arguments, False) for call in played
    ]
    assert message.text == "Both."


PIECES = st.sampled_from(
    ["<think>", "</think>", "<tool_call>", "</tool_call>", "```json", "```", CALL, OTHER, CALL[:-1], "[", "]", "{", "}",
     '"', "\\", "\n", ",", " ", "word", "<|im_end|>", "\ud800", "\u0000"]
)  # fmt: skip


@given(st.lists(PIECES, max_size=30).map("".join) | st.text())
def test_no_text_raises_and_none_of_it_is_executed_from_a_thought(text) -> None:
    message = parse_message(text)
    assert message.raw == text
    assert parse_message(f"<think>{text.replace('</think>', '')}").calls == ()
    before = parse_message(f"{text.replace('<', '')}</think>")
    assert before.calls == ()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


@given(st.lists(st.tuples(st.sampled_from(["a-get", "b-put"]), st.dictionaries(st.text(), JSON)), max_size=4))
def test_every_call_in_the_form_is_read_back(calls) -> None:
    text = "\n".join(block(json.dumps({"name": name, "arguments": arguments})) for name, arguments in calls)
    assert executable(text) == calls


PARTS = (
    CALL, OTHER, CALL[:-1], f"[{CALL}]", "{}", '{"y": "</tool_call>"}', '{"y": "<think>"}', "```json", "```", ",",
    "words", "<tool_call>", "</tool_call>", "<think>", "</think>", "\n", " ", "\u00a0", "<|im_end|>", "NaN", "[]",
)  # fmt: skip


@given(st.lists(st.sampled_from(PARTS), max_size=9), st.lists(st.sampled_from(PARTS), max_size=3))
def test_a_block_with_one_call_alone_is_read_as_any_other(inside: list[str], after: list[str]) -> None:
    """The short way through a block gives what the long one gives."""
    text = "".join(["<tool_call>", *inside, "</tool_call>", *after])
    quickly = parse_message(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hermes, "_alone", lambda _text, _start: None)
        assert parse_message(text) == quickly
