"""The chat completions dialect: a request as the body that is sent, what comes back as a reply.

Servers differ in small things (where reasoning stands, whether arguments are text, whether usage is told). What can be
read without guessing is read; what cannot be is a `BadReply`, which is the server's fault, not the model's.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, cast

import orjson

from envfactory.llm.chat import Message, Reply, Request, ToolCall, Usage
from envfactory.llm.errors import BadReply, EmptyReply, WrongModel
from envfactory.llm.settings import EndpointSettings

__all__ = ["Pieces", "body_of", "check_reply", "estimated_usage", "reply_of"]

CHARACTERS_A_TOKEN = 4
"""Where a server does not count, and before it has."""

DATED = re.compile(r"[-:@](latest|v?\d[\w.-]*)")
"""What a provider adds to a model's name to tell its versions apart."""

THINK = re.compile(r"\s*<think>(.*?)(?:</think>|\Z)\s*", re.DOTALL)

MAX_CHARACTERS = 4_000_000
"""A reply that is longer never ends, as far as anybody can tell."""


def body_of(request: Request, settings: EndpointSettings) -> dict[str, Any]:
    """Return the body of a request, as the endpoint's settings want it written."""
    body: dict[str, Any] = {
        "model": settings.model,
        "messages": [_message(message, settings) for message in request.messages],
    }
    if request.tools:
        body["tools"] = [
            {
                "type": "function",
                "function": {"name": tool.name, "description": tool.description, "parameters": tool.parameters},
            }
            for tool in request.tools
        ]
    if request.tool_choice in ("auto", "none", "required"):
        body["tool_choice"] = request.tool_choice
    elif request.tool_choice is not None:
        body["tool_choice"] = {"type": "function", "function": {"name": request.tool_choice}}
    if request.output is not None and settings.output_style == "json_schema":
        shape = {"name": request.output.name, "schema": request.output.shape, "strict": True}
        body["response_format"] = {"type": "json_schema", "json_schema": shape}
    sent = {
        "parallel_tool_calls": request.parallel_calls,
        "seed": request.seed,
        "temperature": request.temperature,
        "top_p": request.top_p,
        settings.max_tokens_field: request.max_tokens,
        "stop": list(request.stop) or None,
    }
    body |= {name: value for name, value in sent.items() if value is not None}
    extra = dict(settings.extra)
    if request.thinking is not None:
        if settings.thinking_style == "chat_template":
            template = {**extra.get("chat_template_kwargs", {}), "enable_thinking": request.thinking is not False}
            extra["chat_template_kwargs"] = template
        elif settings.thinking_style == "reasoning_effort":
            effort = {True: "medium", False: "none"}.get(cast("bool", request.thinking), request.thinking)
            body["reasoning_effort"] = effort
    if settings.stream:
        body |= {"stream": True, "stream_options": {"include_usage": True}}
    return {**body, **extra}


def estimated_usage(request: Request, settings: EndpointSettings) -> Usage:
    """Return about how many tokens a request may take: what limits and budgets set aside for it.

    The reply counts with its bound; without one nothing is known of it.
    """
    said = sum(len(message.text) + sum(len(call.arguments) for call in message.calls) for message in request.messages)
    offered = sum(len(tool.description) + len(str(tool.parameters)) for tool in request.tools)
    bound = request.max_tokens or settings.extra.get(settings.max_tokens_field)
    return Usage(
        prompt=-(-(said + offered) // CHARACTERS_A_TOKEN),
        completion=bound if isinstance(bound, int) else 0,
        estimated=True,
    )


def reply_of(payload: Any) -> Reply:
    """Read a whole chat completion.

    Raises:
        BadReply: it is none; the message says what is missing.
    """
    completion = _mapping(payload, "the body")
    choices = _list(completion.get("choices"), "choices")
    if not choices:
        raise BadReply("no choices in the body")
    choice = _mapping(choices[0], "choices[0]")
    message = _mapping(choice.get("message"), "choices[0].message")
    calls = _list(message.get("tool_calls"), "choices[0].message.tool_calls")
    read = tuple(_call(call, index) for index, call in enumerate(calls))
    said = _text(message.get("content")) or _text(message.get("refusal"))
    reasoning, text = _apart(_text(message.get("reasoning_content")) or _text(message.get("reasoning")), said)
    finish = _text(choice.get("finish_reason")) or "stop"
    if finish == "error":
        raise BadReply("the server broke off (finish_reason error)")
    usage = _usage(completion.get("usage"), text, reasoning, read)
    return Reply(
        text=text, reasoning=reasoning, calls=read, finish=finish, model=_text(completion.get("model")), usage=usage
    )


def check_reply(reply: Reply, settings: EndpointSettings) -> None:
    """Refuse a reply that says nothing, or that another model gave.

    A name may carry a version (``-2026-05-01``, ``:latest``) or a path more or less than the one asked; another word in
    it is another model.

    Raises:
        WrongModel: another model answered.
        EmptyReply: there is neither text nor a call.
    """
    if reply.model and not any(_same_model(reply.model, name) for name in (settings.model, *settings.served_as)):
        raise WrongModel(
            f"model={settings.model}: {reply.model!r} answered; if that is the same model, add it to served_as"
        )
    if reply.empty:
        what = "reasoning alone" if reply.reasoning else "nothing"
        fix = "; its tokens were used up: raise max_tokens or think less" if reply.cut else ""
        raise EmptyReply(f"model={settings.model}: the reply holds {what} (finish_reason {reply.finish}){fix}")


class Pieces:
    """Puts a streamed reply together."""

    def __init__(self) -> None:
        self._model = ""
        self._finish: str | None = None
        self._usage: Any = None
        self._texts: dict[str, list[str]] = {"content": [], "reasoning_content": [], "reasoning": [], "refusal": []}
        self._calls: dict[int, dict[str, Any]] = {}
        self._characters = 0

    def add(self, chunk: Any) -> None:
        """Take one piece.

        Raises:
            BadReply: it is no piece of a chat completion, or the reply does not end.
        """
        piece = _mapping(chunk, "a piece of the stream")
        self._model = _text(piece.get("model")) or self._model
        self._usage = piece.get("usage") or self._usage
        # The last piece may hold the usage alone.
        for choice in _list(piece.get("choices"), "choices of a piece of the stream")[:1]:
            held = _mapping(choice, "choices[0] of a piece of the stream")
            self._finish = _text(held.get("finish_reason")) or self._finish
            delta = _mapping(held.get("delta") or {}, "choices[0].delta")
            for name, texts in self._texts.items():
                texts.append(self._counted(_text(delta.get(name))))
            for call in _list(delta.get("tool_calls"), "choices[0].delta.tool_calls"):
                self._add_call(_mapping(call, "a piece of a call"))

    def reply(self) -> Reply:
        """Return the whole reply.

        Raises:
            BadReply: the stream ended before the reply did.
        """
        if self._finish is None:
            raise BadReply("the stream ended before the reply did")
        message: dict[str, Any] = {name: "".join(texts) for name, texts in self._texts.items()}
        message["tool_calls"] = [self._calls[index] for index in sorted(self._calls)]
        choices = [{"message": message, "finish_reason": self._finish}]
        return reply_of({"model": self._model, "choices": choices, "usage": self._usage})

    def _add_call(self, piece: Mapping[str, Any]) -> None:
        index = piece.get("index")
        # A server that leaves the index out sends each call whole.
        call = self._calls.setdefault(
            index if isinstance(index, int) else len(self._calls), {"id": "", "function": {"name": "", "arguments": ""}}
        )
        function = _mapping(piece.get("function") or {}, "function of a piece of a call")
        call["id"] = _text(piece.get("id")) or call["id"]
        call["function"]["name"] += self._counted(_text(function.get("name")))
        call["function"]["arguments"] += self._counted(_arguments(function.get("arguments")))

    def _counted(self, text: str) -> str:
        self._characters += len(text)
        if self._characters > MAX_CHARACTERS or len(self._calls) > MAX_CHARACTERS // 100:
            raise BadReply(f"the reply does not end: more than {MAX_CHARACTERS:,} characters have come")
        return text


def _message(message: Message, settings: EndpointSettings) -> dict[str, Any]:
    written: dict[str, Any] = {"role": message.role, "content": message.text}
    if message.calls:
        written["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in message.calls
        ]
        # Templates take an empty text for a text.
        written["content"] = message.text or None
    if message.call_id is not None:
        written["tool_call_id"] = message.call_id
    if settings.reasoning_field is not None and message.reasoning:
        written[settings.reasoning_field] = message.reasoning
    return written


def _mapping(value: Any, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise BadReply(f"{what} is not a JSON object")
    return cast("dict[str, Any]", value)


def _list(value: Any, what: str) -> list[Any]:
    if value is not None and not isinstance(value, list):
        raise BadReply(f"{what} is not a list")
    return cast("list[Any]", value or [])


def _text(value: Any) -> str:
    """Return text, also where it comes as a list of parts; what is no text says nothing."""
    if isinstance(value, list):
        parts = [cast("dict[str, Any]", part) for part in cast("list[Any]", value) if isinstance(part, dict)]
        return "".join(_text(part.get("text")) for part in parts)
    return value if isinstance(value, str) else ""


def _arguments(value: Any) -> str:
    """Return the text of arguments; some servers send the object itself."""
    if value is None or isinstance(value, str):
        return value or ""
    return orjson.dumps(value).decode()


def _call(value: Any, index: int) -> ToolCall:
    call = _mapping(value, f"choices[0].message.tool_calls[{index}]")
    function = _mapping(call.get("function"), f"choices[0].message.tool_calls[{index}].function")
    return ToolCall(
        id=_text(call.get("id")) or f"call_{index}",
        name=_text(function.get("name")),
        arguments=_arguments(function.get("arguments")),
    )


def _apart(reasoning: str, text: str) -> tuple[str, str]:
    """Move a think block at the beginning of the text to the reasoning; one that is never closed is all there is."""
    found = THINK.match(text)
    if found is None:
        return reasoning, text
    return "\n".join(filter(None, (reasoning, found[1].strip()))), text[found.end() :]


def _usage(value: Any, text: str, reasoning: str, calls: tuple[ToolCall, ...]) -> Usage:
    told = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
    prompt, completion = _number(told.get("prompt_tokens")), _number(told.get("completion_tokens"))
    if not prompt and not completion:
        written = len(text) + len(reasoning) + sum(len(call.name) + len(call.arguments) for call in calls)
        return Usage(completion=-(-written // CHARACTERS_A_TOKEN), estimated=True)
    cached = _detail(told, "prompt_tokens_details", "cached_tokens") or _number(told.get("prompt_cache_hit_tokens"))
    thought = _detail(told, "completion_tokens_details", "reasoning_tokens")
    return Usage(prompt=prompt, cached=min(cached, prompt), completion=completion, reasoning=min(thought, completion))


def _detail(told: Mapping[str, Any], group: str, name: str) -> int:
    details = told.get(group)
    return _number(cast("dict[str, Any]", details).get(name)) if isinstance(details, dict) else 0


def _number(value: Any) -> int:
    return value if isinstance(value, int) and value > 0 else 0


def _same_model(answered: str, asked: str) -> bool:
    answered, asked = (name.rpartition("/")[2].removesuffix(".gguf").lower() for name in (answered, asked))
    if answered == asked:
        return True
    return any(
        longer.startswith(shorter) and DATED.fullmatch(longer[len(shorter) :]) is not None
        for longer, shorter in ((answered, asked), (asked, answered))
    )
