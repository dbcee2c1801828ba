"""The dialect: what is sent, and what is read of what servers send."""

from __future__ import annotations

from typing import Any

import pytest

from envfactory.llm import (
    EmptyReply,
    EndpointSettings,
    JsonOutput,
    Message,
    Reply,
    Request,
    ToolCall,
    Usage,
    WrongModel,
    assistant,
    system,
    user,
)
from envfactory.llm.wire import body_of, check_reply, estimated_usage, reply_of
from tests.llm.server import completion
from tests.llm.support import HELLO

PLAIN = EndpointSettings(model="m")


def test_a_conversation_is_written_as_endpoints_want_it() -> None:
    call = ToolCall(id="c1", name="search", arguments='{"city": "Rome"}')
    talk = (system("Help."), user("Hello"), assistant(calls=[call], reasoning="Search."))
    request = Request(messages=(*talk, Message(role="tool", text="[]", call_id="c1")))
    assert body_of(request, PLAIN) == {
        "model": "m",
        "messages": [
            {"role": "system", "content": "Help."},
            {"role": "user", "content": "Hello"},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {"id": "c1", "type": "function", "function": {"name": "search", "arguments": '{"city": "Rome"}'}}
                ],
            },
            {"role": "tool", "content": "[]", "tool_call_id": "c1"},
        ],
    }
    kept = body_of(request, EndpointSettings(model="m", reasoning_field="reasoning_content"))
    assert kept["messages"][2]["reasoning_content"] == "Search."


@pytest.mark.parametrize(
    ("style", "thinking", "told"),
    [
        ("none", True, {}),
        ("chat_template", True, {"chat_template_kwargs": {"enable_thinking": True}}),
        ("chat_template", False, {"chat_template_kwargs": {"enable_thinking": False}}),
        ("chat_template", "low", {"chat_template_kwargs": {"enable_thinking": True}}),
        ("chat_template", None, {}),
        ("reasoning_effort", "high", {"reasoning_effort": "high"}),
        ("reasoning_effort", True, {"reasoning_effort": "medium"}),
        ("reasoning_effort", False, {"reasoning_effort": "none"}),
    ],
)
def test_thinking_is_asked_for_in_the_endpoints_way(style: Any, thinking: Any, told: dict[str, Any]) -> None:
    request = HELLO.model_copy(update={"thinking": thinking, "seed": None})
    body = body_of(request, EndpointSettings(model="m", thinking_style=style))
    assert {name: value for name, value in body.items() if name not in ("model", "messages")} == told


def test_a_schema_is_sent_only_where_the_server_takes_one() -> None:
    request = HELLO.model_copy(update={"output": JsonOutput(name="Plan", shape={"type": "object"})})
    sent = body_of(request, PLAIN)["response_format"]
    assert sent["json_schema"] == {"name": "Plan", "schema": {"type": "object"}, "strict": True}
    assert "response_format" not in body_of(request, EndpointSettings(model="m", output_style="text"))


@pytest.mark.parametrize(
    ("message", "reasoning", "text"),
    [
        ({"content": "Hi.", "reasoning_content": "A"}, "A", "Hi."),
        ({"content": "Hi.", "reasoning": "B"}, "B", "Hi."),
        ({"content": "<think>\nC\n</think>\n\nHi."}, "C", "Hi."),
        ({"content": "<think>never closed"}, "never closed", ""),
        ({"content": "I <think> so."}, "", "I <think> so."),
        ({"content": None, "refusal": "No."}, "", "No."),
        ({"content": [{"type": "text", "text": "Hi"}, {"type": "text", "text": "."}]}, "", "Hi."),
    ],
)
def test_reasoning_is_kept_apart_wherever_it_stands(message: dict[str, Any], reasoning: str, text: str) -> None:
    reply = reply_of(completion({"model": "m"}, **message))
    assert (reply.reasoning, reply.text) == (reasoning, text)


def test_arguments_that_are_an_object_become_their_text_and_ids_are_given_where_none_is() -> None:
    calls = [{"function": {"name": "search", "arguments": {"city": "Rome"}}}, {"function": {"name": "search"}}]
    first, second = reply_of(completion({"model": "m"}, tool_calls=calls)).calls
    assert (first.id, first.arguments, first.mapping()) == ("call_0", '{"city":"Rome"}', {"city": "Rome"})
    assert (second.id, second.arguments, second.mapping()) == ("call_1", "", {})


@pytest.mark.parametrize("usage", [None, {}, "many", {"prompt_tokens": None}])
def test_tokens_that_are_not_told_are_estimated_and_said_to_be(usage: Any) -> None:
    reply = reply_of(completion({"model": "m"}, usage=usage, content="12345678"))
    assert reply.usage == Usage(completion=2, estimated=True)


def test_the_estimate_of_a_request_counts_its_texts_and_the_bound_of_its_reply() -> None:
    request = Request(messages=(user("12345678"),), max_tokens=50)
    assert estimated_usage(request, PLAIN) == Usage(prompt=2, completion=50, estimated=True)
    assert estimated_usage(request.model_copy(update={"max_tokens": None}), PLAIN).completion == 0


@pytest.mark.parametrize(
    ("asked", "answered"),
    [
        ("m", "m"),
        ("m", ""),
        ("gpt-5", "gpt-5-2026-05-01"),
        ("qwen3-8b", "Qwen/Qwen3-8B"),
        ("org/qwen3:latest", "qwen3"),
        ("qwen2.5", "/models/qwen2.5.gguf"),
        ("known", "alias"),
    ],
)
def test_the_same_model_under_another_spelling_is_taken(asked: str, answered: str) -> None:
    settings = EndpointSettings(model=asked, served_as=("alias",))
    check_reply(Reply(text="Hi.", model=answered), settings)


@pytest.mark.parametrize(("asked", "answered"), [("gpt-5", "gpt-5-mini"), ("qwen3-8b", "qwen3-4b"), ("m", "other")])
def test_another_model_is_not_taken_for_the_one_asked(asked: str, answered: str) -> None:
    with pytest.raises(WrongModel, match=rf"model={asked}: '{answered}' answered.*served_as"):
        check_reply(Reply(text="Hi.", model=answered), EndpointSettings(model=asked))


def test_white_space_says_nothing() -> None:
    with pytest.raises(EmptyReply, match="nothing"):
        check_reply(Reply(text=" \n"), PLAIN)
    check_reply(Reply(calls=(ToolCall(id="1", name="f", arguments=""),)), PLAIN)


def test_a_message_fits_its_role() -> None:
    with pytest.raises(ValueError, match="only an assistant's message has calls"):
        Message(role="user", reasoning="Hm.")
    with pytest.raises(ValueError, match="names its call"):
        Message(role="tool", text="[]")
    with pytest.raises(ValueError, match="expected auto, none, required or one of"):
        Request(messages=(user("Hello"),), tool_choice="search")


def test_a_reply_becomes_the_next_message() -> None:
    call = ToolCall(id="1", name="f", arguments="{}")
    message = Reply(text="Hi.", reasoning="Hm.", calls=(call,)).message()
    assert message == assistant("Hi.", [call], "Hm.")
    assert HELLO.then(message).messages[-1] == message
