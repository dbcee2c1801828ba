"""Asking a served model: chat completions with our own schemas, and its tokenizer, over plain HTTP.

Not over `envfactory.llm`, which keeps thoughts apart from what is said and takes an answer of nothing for a failure
that is sent again with another seed: here a model is judged by its text as it wrote it, the think block and nothing
included, and token counts come from vLLM's own ``/tokenize``, which no other client asks. Nothing is sent twice: the
server is this process's own child, so what it refuses once it refuses again, and a turn that fails is counted.
"""

from __future__ import annotations

import http.client
import json
import urllib.error
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from envfactory.dataset.rl import ChatMessage
from envfactory.serving.vllm import Endpoint

__all__ = ["Answer", "Chat", "ChatError", "ServedTokenizer"]

DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))
"""Opens what is on this machine, whatever proxy leads out of it."""

SHOWN = 500
"""Characters of a refusal that a message repeats."""


class ChatError(RuntimeError):
    """The server refused, broke off, or did not answer in time."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model said.

    Attributes:
        text: as it wrote it.
        whole: whether it came to its end; false: it was cut by the limit of tokens.
        tokens: of the prompt and the answer together.
    """

    text: str
    whole: bool
    tokens: int


class Chat:
    """Chat completions of one endpoint; safe to use from many threads."""

    def __init__(self, endpoint: Endpoint, *, temperature: float, seed: int, timeout_s: float) -> None:
        """Say how it is asked.

        Args:
            endpoint: which answers with raw text.
            temperature: of sampling; 0: always the likeliest token.
            seed: of sampling.
            timeout_s: seconds for one answer.
        """
        self._endpoint, self._temperature, self._seed, self._timeout_s = endpoint, temperature, seed, timeout_s

    def ask(self, messages: Sequence[ChatMessage], tools: list[dict[str, Any]], max_tokens: int) -> Answer:
        """Return the next message of the assistant.

        Args:
            messages: the conversation; an assistant's message is raw text.
            tools: function schemas.
            max_tokens: of the answer, at most.

        Raises:
            ChatError: see there.
        """
        body = {
            "model": self._endpoint.model,
            "messages": [message.model_dump() for message in messages],
            "tools": tools,
            # The model may call; its calls are not taken out of the text.
            "tool_choice": "none",
            "max_tokens": max_tokens,
            "temperature": self._temperature,
            "seed": self._seed,
        }
        found = _post(f"{self._endpoint.url}/chat/completions", body, self._timeout_s)
        try:
            choice = found["choices"][0]
            text, why = choice["message"]["content"] or "", choice["finish_reason"]
            return Answer(str(text), why != "length", int(found["usage"]["total_tokens"]))
        except (KeyError, IndexError, TypeError) as error:
            raise ChatError(f"the server's answer is no chat completion: {error!r}") from None


class ServedTokenizer:
    """The tokenizer of a served model."""

    def __init__(self, endpoint: Endpoint, timeout_s: float) -> None:
        """Name the endpoint; `timeout_s` are the seconds of one request."""
        self._root, self._model, self._timeout_s = endpoint.url.removesuffix("/v1"), endpoint.model, timeout_s

    def encode(self, text: str, *, add_special_tokens: bool = True) -> list[int]:
        """Token ids of a text.

        Raises:
            ChatError: see there.
        """
        body = {"model": self._model, "prompt": text, "add_special_tokens": add_special_tokens}
        return list(_post(f"{self._root}/tokenize", body, self._timeout_s)["tokens"])

    def decode(self, token_ids: list[int], /, **_: Any) -> str:
        """The text of token ids.

        Raises:
            ChatError: see there.
        """
        body = {"model": self._model, "tokens": token_ids}
        return str(_post(f"{self._root}/detokenize", body, self._timeout_s)["prompt"])


def _post(url: str, body: dict[str, Any], timeout_s: float) -> Any:
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)  # noqa: S310 - our own server
    try:
        with DIRECT.open(request, timeout=timeout_s) as reply:
            return json.loads(reply.read())
    except urllib.error.HTTPError as error:
        said = error.read().decode("utf-8", "replace")[:SHOWN]
        raise ChatError(f"{url} answered {error.code}: {said}") from None
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise ChatError(f"{url}: {error or type(error).__name__}") from None
