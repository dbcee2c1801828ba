"""Answers that are data: asked for with a schema, read tolerantly, checked, and asked for again with what was wrong.

What surrounds the JSON (a code fence, a sentence before it) is not held against a model; what the JSON says is. Each
further round shows the model its own answer and every complaint about it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast

import orjson
from pydantic import BaseModel, ValidationError

from envfactory.llm.chat import JsonOutput, Reply, Request, assistant, user
from envfactory.llm.settings import EndpointSettings

__all__ = ["Answer", "complaints_about", "read_answer", "repair", "shaped", "strict_schema"]

M = TypeVar("M", bound=BaseModel)

Check = Callable[[M], Sequence[str]]

FENCE = re.compile(r"```(?:json)?\s*\n(.*?)(?:```|\Z)", re.DOTALL)
SHOWN_PROBLEMS = 12
FORBIDDEN_IN_STRICT = ("default", "title")


@dataclass(frozen=True)
class Answer(Generic[M]):
    """An answer that is as it was asked for.

    Attributes:
        value: the data.
        reply: the last reply, which holds it.
        rounds: how often the model was asked, the first time included.
    """

    value: M
    reply: Reply
    rounds: int


def strict_schema(model: type[BaseModel]) -> dict[str, Any]:
    """Return a model's JSON Schema in the form that strict servers take: every object closed, every member required."""
    return cast("dict[str, Any]", _closed(model.model_json_schema()))


def shaped(request: Request, model: type[BaseModel], settings: EndpointSettings) -> Request:
    """Return the request with the schema of the answer: for the server, or in words where it takes none."""
    schema = strict_schema(model)
    request = request.model_copy(update={"output": JsonOutput(name=model.__name__, shape=schema)})
    if settings.output_style == "json_schema":
        return request
    told = (
        f"Answer with one JSON object, and nothing else, that fits this JSON Schema:\n{orjson.dumps(schema).decode()}"
    )
    last = request.messages[-1]
    if last.role != "user":
        return request.then(user(told))
    return request.model_copy(update={"messages": (*request.messages[:-1], user(f"{last.text}\n\n{told}"))})


def read_answer(text: str, model: type[M], check: Check[M] | None = None) -> tuple[M | None, list[str]]:
    """Read an answer.

    Args:
        text: what the model wrote.
        model: what it is to be.
        check: returns what is wrong with a value that fits the schema, as sentences for the model.

    Returns:
        The value and no problems, or None and at least one problem.
    """
    found, data = _json_in(text)
    if not found:
        return None, ["it is not JSON"]
    try:
        value = model.model_validate_json(orjson.dumps(data))
    except ValidationError as error:
        return None, complaints_about(error)
    problems = [] if check is None else list(check(value))
    return (None, problems) if problems else (value, [])


def repair(request: Request, reply: Reply, problems: Sequence[str]) -> Request:
    """Return the request for the next round: the answer, and what is wrong with it."""
    told = "".join(f"\n- {problem}" for problem in problems[:SHOWN_PROBLEMS])
    cut = "\nIt was cut off before its end: answer more briefly." if reply.cut else ""
    again = f"That answer cannot be used:{told}{cut}\nGive the whole answer again, corrected, as one JSON object."
    # Some servers refuse a message without text, such as one that was a call.
    return request.then(assistant(reply.text or "(no text)"), user(again))


def complaints_about(error: ValidationError) -> list[str]:
    """Say what does not fit, a sentence a member: where, what, and what stood there."""
    complaints: list[str] = []
    for item in error.errors(include_url=False, include_context=False):
        path = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in item["loc"]).lstrip(".")
        given = "" if item["type"] == "missing" else f" (it is {_short(item['input'])})"
        complaints.append(f"{path or 'the answer'}: {item['msg']}{given}")
    return complaints


def _json_in(text: str) -> tuple[bool, Any]:
    """Find the JSON in a text: the whole of it, a fenced block, or from the first brace to the last."""
    pieces = [text, *(match[1] for match in FENCE.finditer(text)), text[text.find("{") : text.rfind("}") + 1]]
    for piece in pieces:
        try:
            return True, orjson.loads(piece)
        except orjson.JSONDecodeError:
            continue
    return False, None


def _closed(node: Any) -> Any:
    if isinstance(node, list):
        return [_closed(item) for item in cast("list[Any]", node)]
    if not isinstance(node, dict):
        return node
    schema: dict[str, Any] = {}
    for name, value in cast("dict[str, Any]", node).items():
        if name in ("properties", "$defs"):
            # Their members are names that the model's author chose, not words of JSON Schema.
            schema[name] = {inner: _closed(value[inner]) for inner in value}
        elif name not in FORBIDDEN_IN_STRICT:
            schema[name] = _closed(value)
    if schema.get("type") == "object" and "properties" in schema:
        schema["required"] = list(schema["properties"])
        schema["additionalProperties"] = False
    return schema


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:80]}..."
