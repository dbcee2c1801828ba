"""What is said to a model and what it says: messages, tools, requests, replies.

All of it is frozen data, the same for every endpoint. A `Request` holds everything that can change the reply, and
nothing else, so that a record of it can stand for the reply. Arguments of calls are kept as the text that the model
wrote; its reasoning is kept apart from its text.
"""

# Annotations are read at run time by Pydantic, so they are not postponed here.
from collections.abc import Iterable
from typing import Annotated, Any, Literal, Self, cast

import orjson
from pydantic import BaseModel, ConfigDict, Field, model_validator

__all__ = ["JsonOutput", "Message", "Reply", "Request", "Tool", "ToolCall", "Usage", "assistant", "system", "user"]

Thinking = bool | Literal["low", "medium", "high"]


class Plain(BaseModel):
    """Frozen data without members that nobody reads."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class ToolCall(Plain):
    """A call as the model wrote it.

    Attributes:
        id: what its result refers to.
        name: the tool's name; perhaps of no tool that exists.
        arguments: the text of the arguments; perhaps not JSON.
    """

    id: str
    name: str
    arguments: str

    def mapping(self) -> dict[str, Any] | None:
        """Return the arguments by name, None where they are not a JSON object.

        Some models write the object as a JSON string; that is read as the object it holds. No text means no arguments.
        """
        value: Any = self.arguments.strip() or "{}"
        for _ in range(2):
            if not isinstance(value, str):
                break
            try:
                value = orjson.loads(value)
            except orjson.JSONDecodeError:
                return None
        return cast("dict[str, Any]", value) if isinstance(value, dict) else None


class Message(Plain):
    """One message of a conversation.

    Attributes:
        role: who speaks.
        text: what is said; empty beside calls alone.
        calls: of an assistant.
        call_id: of a tool's result: the call it answers.
        reasoning: of an assistant; sent again only where the endpoint's settings say so.
    """

    role: Literal["system", "user", "assistant", "tool"]
    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    call_id: str | None = None
    reasoning: str = ""

    @model_validator(mode="after")
    def _fits_its_role(self) -> Self:
        if self.role != "assistant" and (self.calls or self.reasoning):
            raise ValueError(f"role={self.role}: only an assistant's message has calls or reasoning")
        if (self.role == "tool") != (self.call_id is not None):
            raise ValueError(
                f"role={self.role}, call_id={self.call_id}: a tool's message, and no other, names its call"
            )
        return self


def system(text: str) -> Message:
    """Return a system message."""
    return Message(role="system", text=text)


def user(text: str) -> Message:
    """Return a user's message."""
    return Message(role="user", text=text)


def assistant(text: str = "", calls: Iterable[ToolCall] = (), reasoning: str = "") -> Message:
    """Return an assistant's message."""
    return Message(role="assistant", text=text, calls=tuple(calls), reasoning=reasoning)


class Tool(Plain):
    """A tool that is offered.

    Attributes:
        name: as the model is to call it.
        description: what it does.
        parameters: JSON Schema of its arguments.
    """

    name: Annotated[str, Field(min_length=1)]
    description: str = ""
    parameters: dict[str, Any]


class JsonOutput(Plain):
    """A reply that is to be JSON.

    Attributes:
        name: of the schema, in letters, digits, ``_`` and ``-``.
        shape: JSON Schema of the reply.
    """

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
    shape: dict[str, Any]


class Request(Plain):
    """One request; what is None is left to the endpoint.

    Attributes:
        messages: the conversation so far.
        tools: what may be called.
        tool_choice: ``auto``, ``none``, ``required``, or the name of the tool to call.
        parallel_calls: whether several calls may come at once.
        output: the reply is JSON of this schema.
        seed: of the sampling, where the server knows seeds.
        temperature: of the sampling.
        top_p: of the sampling.
        max_tokens: of the reply, reasoning included.
        stop: texts at which the reply ends.
        thinking: whether, or how much, the model reasons before it answers.
        sample: which of several independent replies to one request this is; not sent, but told apart by the records.
    """

    messages: Annotated[tuple[Message, ...], Field(min_length=1)]
    tools: tuple[Tool, ...] = ()
    tool_choice: str | None = None
    parallel_calls: bool | None = None
    output: JsonOutput | None = None
    seed: Annotated[int, Field(ge=0, lt=2**63)] | None = None
    temperature: Annotated[float, Field(ge=0)] | None = None
    top_p: Annotated[float, Field(gt=0, le=1)] | None = None
    max_tokens: Annotated[int, Field(ge=1)] | None = None
    stop: tuple[str, ...] = ()
    thinking: Thinking | None = None
    sample: Annotated[int, Field(ge=0)] = 0

    @model_validator(mode="after")
    def _asks_for_tools_it_offers(self) -> Self:
        names = [tool.name for tool in self.tools]
        if len(set(names)) != len(names):
            raise ValueError(f"tools={names}: each name once")
        if self.tool_choice not in (None, "auto", "none", "required", *names):
            raise ValueError(f"tool_choice={self.tool_choice}: expected auto, none, required or one of {names}")
        return self

    def then(self, *messages: Message) -> Self:
        """Return the same request with messages added to its end."""
        return self.model_copy(update={"messages": self.messages + messages})


class Usage(Plain):
    """Tokens of one request.

    Attributes:
        prompt: tokens read, the cached ones among them.
        cached: of them, those that the server had already.
        completion: tokens written, those of the reasoning among them.
        reasoning: of them, those of the reasoning, where the server says.
        estimated: the server did not say; four characters are taken for a token.
    """

    prompt: int = 0
    cached: int = 0
    completion: int = 0
    reasoning: int = 0
    estimated: bool = False

    @property
    def total(self) -> int:
        """Tokens read and written."""
        return self.prompt + self.completion


class Reply(Plain):
    """What came back.

    Attributes:
        text: what the model says, or why it refuses.
        reasoning: what it thought before, from whichever member, or from a think block before the text.
        calls: what it wants called, as it wrote them; the names and arguments may be wrong.
        finish: why it ended: ``stop``, ``length``, ``tool_calls``, ``content_filter`` or the server's own word.
        model: who says that it answered.
        usage: tokens.
        from_cache: it was recorded earlier, and cost nothing now.
    """

    text: str = ""
    reasoning: str = ""
    calls: tuple[ToolCall, ...] = ()
    finish: str = "stop"
    model: str = ""
    usage: Usage = Usage()
    from_cache: Annotated[bool, Field(exclude=True)] = False

    @property
    def empty(self) -> bool:
        """Whether nothing was said and nothing called."""
        return not self.text.strip() and not self.calls

    @property
    def cut(self) -> bool:
        """Whether it ended because there were no tokens left."""
        return self.finish == "length"

    def message(self) -> Message:
        """Return it as the conversation's next message."""
        return Message(role="assistant", text=self.text, calls=self.calls, reasoning=self.reasoning)
