"""The assistant by a language model: reads the request, calls tools in a live session, reads results, answers.

It is shown the system prompt, the tools and the conversation; never gold. How it calls is a setting: `native` is the
endpoint's own tool calling; `schema` is for models whose own calling is not to be relied upon: the tools stand in the
system prompt, and every message is one JSON object that names a tool or answers, held to a schema by the server. What
is kept are the same calls either way.

A message without calls ends the turn. Calls that name no tool or have bad arguments are answered in band. Nothing that
the model does can go on for ever: messages of a turn, calls of a message and characters of a result are bounded; what
becomes longer than its context all the same ends there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

import orjson

from envfactory.environment import Session, Snapshot, ToolSpec
from envfactory.llm.chat import JsonOutput, Message, Reply, Tool, assistant, system, user
from envfactory.llm.errors import ContextExceeded
from envfactory.llm.voice import Voice
from envfactory.querygen.model.prompts import prompt
from envfactory.trajectory import PlayedCall, Step

Calling = Literal["native", "schema"]

REPLY = "reply_to_user"
"""Name by which a model that calls by schema answers the user."""


@dataclass(frozen=True, slots=True)
class AssistantLimits:
    """Bounds of a turn.

    Attributes:
        messages: of the assistant.
        calls: of one message; further ones are left out.
        result: characters of a result that the model is shown; longer ones are cut.
        tokens: of one message.
    """

    messages: int = 8
    calls: int = 8
    result: int = 4000
    tokens: int = 400


class ModelAssistant:
    """Plays turns by asking a model; see the module docstring."""

    role = "assistant"

    def __init__(self, voice: Voice, calling: Calling, limits: AssistantLimits | None = None) -> None:
        self.voice, self.calling, self.limits = voice, calling, limits or AssistantLimits()

    def conversation(self, session: Session, instructions: str) -> Conversation:
        """Begin a conversation in a session.

        Args:
            session: what calls are executed in.
            instructions: the system prompt.
        """
        return Conversation(self, session, instructions)


@dataclass(frozen=True, slots=True)
class Made:
    """A call as it was made: the state before it, and its parsed output; None if it was refused."""

    call: PlayedCall
    before: Snapshot
    output: Any


class Conversation:
    """One conversation of the assistant.

    Attributes:
        made: every call, in the order of the steps.
        full: whether it has become longer than what the model can read; then it is over.
    """

    def __init__(self, player: ModelAssistant, session: Session, instructions: str) -> None:
        self._player, self._session = player, session
        self.made: list[Made] = []
        self.full = self._heard = False
        tools = list(session.tools())
        self._tools: tuple[Tool, ...] = ()
        self._output: JsonOutput | None = None
        if player.calling == "native":
            self._tools = tuple(
                Tool(name=tool.wire_name, description=tool.description, parameters=orjson.loads(tool.parameters))
                for tool in tools
            )
            self._messages = [system(instructions)]
        else:
            lines = [signature(tool) for tool in tools]
            self._messages = list(prompt(player.role).messages(system=instructions, tools=lines, reply=REPLY))
            self._output = JsonOutput(name="call", shape=call_schema(tools))

    def turn(self, request: str, seed: int) -> list[Step]:
        """Play one turn.

        Args:
            request: what the user says.
            seed: of the sampling.

        Returns:
            The steps; the last one has text and no calls, unless the model did not come to an end in its messages.

        Raises:
            ContextExceeded: the model cannot read even the tools and the first request.
            InfrastructureError: the endpoint, the line, the budget or the records failed.
            EnvironmentFailure: the session failed.
        """
        self._messages.append(user(request))
        steps: list[Step] = []
        for number in range(self._player.limits.messages):
            try:
                reply = self._player.voice.chat(
                    self._player.role, self._messages, tools=self._tools, output=self._output,
                    seed=seed + number, max_tokens=self._player.limits.tokens,
                )  # fmt: skip
            except ContextExceeded:
                if not self._heard:
                    raise
                self.full = True
                self._player.voice.ran_full(self._player.role)
                break
            self._heard = True
            step = self._native(reply) if self._output is None else self._by_schema(reply)
            if step is None:
                continue
            steps.append(step)
            if not step.calls:
                break
        return steps

    def _native(self, reply: Reply) -> Step:
        kept = reply.calls[: self._player.limits.calls]
        self._messages.append(reply.message().model_copy(update={"calls": kept}))
        played: list[PlayedCall] = []
        for call in kept:
            arguments = call.mapping()
            done = self._call(call.name, call.arguments if arguments is None else arguments)
            played.append(done)
            self._messages.append(Message(role="tool", text=self._shown(done.result), call_id=call.id))
        return Step(text=reply.text, calls=tuple(played))

    def _by_schema(self, reply: Reply) -> Step | None:
        """The step of a message; None if it was no call, which the model is told."""
        self._messages.append(assistant(reply.text))
        try:
            found: Any = orjson.loads(reply.text)
        except orjson.JSONDecodeError:
            found = None
        written = cast("dict[str, Any]", found) if isinstance(found, dict) else {}
        name, arguments = written.get("tool"), written.get("arguments")
        if not isinstance(name, str):
            wanted = 'Answer with one JSON object: {"tool": <name>, "arguments": {...}}.'
            self._messages.append(user(f"That was {'cut off' if reply.cut else 'no call'}. {wanted}"))
            return None
        if name == REPLY:
            said = cast("dict[str, Any]", arguments).get("message") if isinstance(arguments, dict) else arguments
            return Step(text=said if isinstance(said, str) else orjson.dumps(said).decode())
        done = self._call(name, arguments)
        self._messages.append(user(f"Result: {self._shown(done.result)}"))
        return Step(calls=(done,))

    def _call(self, name: str, arguments: Any) -> PlayedCall:
        before = self._session.snapshot()
        result = self._session.call(name, arguments)
        played = PlayedCall(tool=name, arguments=arguments, result=result.text, ok=result.ok)
        self.made.append(Made(played, before, result.value if result.ok else None))
        return played

    def _shown(self, text: str) -> str:
        most = self._player.limits.result
        return text if len(text) <= most else f"{text[:most]}... ({len(text) - most} more characters)"


def call_schema(tools: Sequence[ToolSpec]) -> dict[str, Any]:
    """JSON Schema of one call of one of the tools, or of the reply."""
    text = {"type": "object", "properties": {"message": {"type": "string"}}, "required": ["message"]}
    forms = [(tool.wire_name, orjson.loads(tool.parameters)) for tool in tools] + [(REPLY, text)]
    return {
        "anyOf": [
            {
                "type": "object",
                "properties": {"tool": {"const": name}, "arguments": {**parameters, "additionalProperties": False}},
                "required": ["tool", "arguments"],
                "additionalProperties": False,
            }
            for name, parameters in forms
        ]
    }


def signature(tool: ToolSpec) -> str:
    """A tool in one line: its name, its arguments with what may stand there, and what it does."""
    schema = orjson.loads(tool.parameters)
    words = [_argument(name, form, name in schema.get("required", ())) for name, form in schema["properties"].items()]
    return f"{tool.wire_name}({', '.join(words)}): {tool.description.splitlines()[0]}"


def _argument(name: str, form: dict[str, Any], required: bool) -> str:
    kind = _form(form)
    return f"{name}{'' if required else '?'}{f': {kind}' if kind else ''}"


def _form(form: dict[str, Any]) -> str:
    if "enum" in form:
        return "|".join(str(option) for option in form["enum"])
    match form.get("type"):
        case "array":
            return f"[{_form(form['items'])}, ...]"
        case "object":
            required = form.get("required", ())
            return "{" + ", ".join(_argument(name, f, name in required) for name, f in form["properties"].items()) + "}"
        case "string":
            return str(form.get("format", ""))
        case kind:
            return str(kind)


__all__ = ["REPLY", "AssistantLimits", "Calling", "Conversation", "ModelAssistant", "call_schema", "signature"]
