"""One request over the wire, once: the only module that knows the openai SDK.

The SDK is imported when the first request is sent, so that composing a configuration stays quick. Its own retries are
off, since what is sent again, when, and at whose cost is decided above. Keys are read from the environment when the
connection is opened, and cut out of whatever a server says before it is shown.
"""

from __future__ import annotations

import asyncio
import os
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, cast

import orjson

from envfactory.llm.chat import Reply
from envfactory.llm.clock import Clock
from envfactory.llm.errors import (
    BadReply,
    ContextExceeded,
    Disconnected,
    InfrastructureError,
    PermanentError,
    RateLimited,
    ServerError,
    TimedOut,
    TransientError,
)
from envfactory.llm.settings import EndpointSettings
from envfactory.llm.waits import retry_after_s
from envfactory.llm.wire import Pieces, reply_of

if TYPE_CHECKING:
    from openai import AsyncOpenAI, Omit
    from openai._types import RequestOptions

__all__ = ["Transport"]

PATH = "/chat/completions"
SHOWN_CHARACTERS = 300
KEY = "<api key>"
"""What stands where a server repeated the key."""

PASSING = frozenset({408, 409, 425})
"""Statuses below 500 that pass by themselves, beside 429."""

EXHAUSTED = ("insufficient_quota", "billing")
TOO_LONG = ("context_length_exceeded", "maximum context length", "context size", "exceeds the model's context")


class Transport:
    """The connection to an endpoint; open it with ``async with``, in the event loop that uses it."""

    def __init__(self, settings: EndpointSettings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._sdk: AsyncOpenAI | None = None
        self._secret = ""
        self._options: RequestOptions = {}

    async def send(self, body: dict[str, Any]) -> Reply:
        """Send a request once and wait for the whole reply.

        Raises:
            TransientError: it may go better another time.
            PermanentError: it will not.
        """
        sdk = self._opened()
        limit = self._settings.timeout_s
        try:
            async with asyncio.timeout(limit):
                return self._without_key(await self._asked(sdk, body))
        except TimeoutError:
            raise TimedOut(f"{self._where()}: no whole reply within timeout_s={limit:g}") from None

    async def close(self) -> None:
        """Close the connections."""
        sdk, self._sdk = self._sdk, None
        if sdk is not None:
            await sdk.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def _asked(self, sdk: AsyncOpenAI, body: dict[str, Any]) -> Reply:
        import aiohttp
        import httpx2
        import openai

        # Written here once, instead of copied and written by the SDK.
        content, options = orjson.dumps(body), self._options
        try:
            if body.get("stream") is True:
                pieces = Pieces()
                stream = await sdk.post(
                    PATH,
                    cast_to=object,
                    content=content,
                    options=options,
                    stream=True,
                    stream_cls=openai.AsyncStream[object],
                )
                async with stream:
                    async for piece in stream:
                        pieces.add(piece)
                return pieces.reply()
            response = await sdk.post(PATH, cast_to=httpx2.Response, content=content, options=options)
            return reply_of(self._checked(orjson.loads(response.content)))
        except BadReply as error:
            raise BadReply(f"{self._where()}: {error}") from None
        except orjson.JSONDecodeError as error:
            raise BadReply(f"{self._where()}: the body is not JSON: {error}") from None
        except openai.APIStatusError as error:
            raise self._refused(error.status_code, error.body, dict(error.response.headers)) from None
        except (openai.APIConnectionError, httpx2.HTTPError, aiohttp.ClientError) as error:
            raise self._broken(error) from None
        except openai.APIError as error:
            # In the middle of a stream, under status 200.
            raise self._refused(200, error.body or error.message, {}) from None
        except ValueError as error:
            raise BadReply(f"{self._where()}: a piece of the stream is not JSON: {self._shown(str(error))}") from None

    def _opened(self) -> AsyncOpenAI:
        if self._sdk is not None:
            return self._sdk
        import httpx2
        from openai import AsyncOpenAI, DefaultAioHttpClient, Omit

        settings = self._settings
        name = settings.api_key_env
        self._secret = "" if name is None else os.environ.get(name, "")
        if name is not None and not self._secret:
            raise PermanentError(
                f"api_key_env={name}: this environment variable is not set; export it, or set api_key_env to null if "
                f"{settings.base_url} wants no key"
            )
        read = settings.idle_timeout_s if settings.stream else settings.timeout_s
        timeout = httpx2.Timeout(read, connect=settings.connect_timeout_s)
        connections = settings.limits.in_flight
        # Over httpx's own transport 64 requests at once cost twice the time: it looks through all its connections each.
        http = DefaultAioHttpClient(
            timeout=timeout,
            limits=httpx2.Limits(max_connections=connections, max_keepalive_connections=connections),
            # A redirect would carry the key elsewhere, and no proxy stands before this very machine.
            follow_redirects=False,
            trust_env=not settings.local,
        )
        sdk = AsyncOpenAI(
            api_key=self._secret or "none",
            base_url=settings.base_url,
            max_retries=0,
            timeout=timeout,
            http_client=http,
        )
        headers: dict[str, str | Omit] = {"Content-Type": "application/json"}
        if name != "OPENAI_API_KEY":
            # What the SDK takes from the environment by itself belongs to OpenAI's own endpoint.
            sdk.organization = sdk.project = None
            lines = os.environ.get("OPENAI_CUSTOM_HEADERS", "").split("\n")
            headers |= {line.partition(":")[0].strip(): Omit() for line in lines if ":" in line}
            headers["Authorization"] = f"Bearer {self._secret}" if self._secret else Omit()
        self._options = {"headers": headers}
        self._sdk = sdk
        return sdk

    def _broken(self, error: BaseException) -> TransientError:
        """Tell silence from a line that broke; what the SDK and its transport make of it says little."""
        causes = [error]
        while (cause := causes[-1].__cause__) is not None:
            causes.append(cause)
        if any(isinstance(cause, TimeoutError) for cause in causes):
            limits = "connect_timeout_s, idle_timeout_s or timeout_s"
            return TimedOut(f"{self._where()}: {type(causes[-1]).__name__}, see {limits}")
        said = self._shown(str(causes[-1]))
        return Disconnected(f"{self._where()}: {type(causes[-1]).__name__}: {said}; is the server running?")

    def _checked(self, payload: Any) -> Any:
        """Refuse an error that comes under status 200, as some gateways send it."""
        if isinstance(payload, dict) and "choices" not in payload and "error" in payload:
            error = cast("dict[str, Any]", payload)["error"]
            raise self._refused(200, error, {})
        return cast("Any", payload)

    def _refused(self, status: int, body: object, headers: dict[str, str]) -> InfrastructureError:
        said = self._shown(_message(body))
        code = _member(body, "code")
        if status == 200:
            status = int(code) if code.isdecimal() else 500
        where = f"{self._where()}: status {status}{': ' if said else ''}{said}"
        lower = f"{code} {said}".lower()
        if status == 429 and not any(word in lower for word in EXHAUSTED):
            return RateLimited(where, retry_after_s(headers, self._clock))
        if status >= 500 or status in PASSING:
            return ServerError(where, retry_after_s(headers, self._clock))
        if any(word in lower for word in TOO_LONG):
            return ContextExceeded(where)
        if status in (401, 403):
            where += f" (the key is that of api_key_env={self._settings.api_key_env})"
        return PermanentError(where)

    def _where(self) -> str:
        return f"{self._settings.model} at {self._settings.base_url}"

    def _without_key(self, reply: Reply) -> Reply:
        """A reply as it may be kept: a server that repeats what it was sent repeats the key, too."""
        if not self._secret:
            return reply
        told = reply.model_dump_json()
        # As it stands inside of JSON.
        secret = orjson.dumps(self._secret).decode()[1:-1]
        if secret not in told:
            return reply
        return Reply.model_validate_json(told.replace(secret, KEY))

    def _shown(self, text: str) -> str:
        """Cut the key out of a text, and the text to what is worth showing."""
        if self._secret:
            text = text.replace(self._secret, KEY)
        text = " ".join(text.split())
        return text if len(text) <= SHOWN_CHARACTERS else text[:SHOWN_CHARACTERS] + "..."


def _member(body: object, name: str) -> str:
    value = cast("dict[str, Any]", body).get(name) if isinstance(body, dict) else None
    return "" if value is None else str(value)


def _message(body: object) -> str:
    if isinstance(body, dict):
        return (
            _member(cast("object", body), "message")
            or _member(cast("object", body), "detail")
            or str(cast("object", body))
        )
    return "" if body is None else str(body)
