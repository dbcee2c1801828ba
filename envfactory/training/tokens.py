"""A conversation as text and tokens: the prompt rendered once, and then appended to, never rendered again.

What was generated stays as it was generated, token by token, and results, or the user's words, are appended as the chat
template would render them. With a template that keeps every message's think block that is the whole conversation as the
template gives it (but for the newline after the last message), so what was rolled out, trained on and served are the
same tokens. Calls that are parsed and rendered anew would not be: spaces, the order of members and escapes would
change.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import orjson
from jinja2 import Template
from jinja2.sandbox import ImmutableSandboxedEnvironment

from envfactory.dataset.rl import ChatMessage
from envfactory.training.cut import Tokenizer

TEMPLATE = Path(__file__).parent / "templates" / "preserve_thinking.jinja"
"""Qwen3's chat template, but that every message of the assistant has a think block, empty if nothing was thought."""

END_OF_TURN = "<|im_end|>"
NO_THOUGHT = "<think>\n\n</think>\n\n"


def render(messages: Sequence[ChatMessage], tools: str, *, thinking: bool, answer: bool = True) -> str:
    """Render messages as the model reads them.

    Args:
        messages: the history; an assistant's message is raw text.
        tools: JSON text of the function schemas, which are shown with every member that they have, in their order.
        thinking: whether the model thinks; if not, its answer begins behind an empty think block.
        answer: whether the assistant's next message is begun.
    """
    return _template().render(
        messages=[message.model_dump() for message in messages],
        tools=orjson.loads(tools),
        add_generation_prompt=answer,
        enable_thinking=thinking,
    )


def render_results(results: Sequence[str], *, thinking: bool) -> str:
    """What stands between the end of a message with calls and the next message of the assistant.

    Args:
        results: in the order of the calls.
        thinking: as for `render`.
    """
    shown = "".join(f"\n<tool_response>\n{result}\n</tool_response>" for result in results)
    return _between(shown, thinking=thinking)


def render_words(text: str, *, thinking: bool) -> str:
    """What stands between the end of a message without calls and the next message of the assistant.

    Args:
        text: what the user says.
        thinking: as for `render`.
    """
    return _between(f"\n{text}", thinking=thinking)


class TokenLine:
    """The tokens of one rollout.

    Attributes:
        end: ids that end a message.
        prompt: ids that the rollout began with.
        response: ids after it, of generated messages, of results and of the user's words.
        mask: for each id of the response, 1 if it was generated, else 0.
        log_probs: likewise, as the sampler told; 0 for what was not generated.
    """

    def __init__(self, tokenizer: Tokenizer, prompt: str, *, thinking: bool, max_response_tokens: int) -> None:
        """Begin with a rendered prompt.

        Args:
            tokenizer: knows the special tokens of the template.
            prompt: as `render` gives it.
            thinking: as for `render`.
            max_response_tokens: of the response as a whole.
        """
        self._tokenizer = tokenizer
        self._thinking = thinking
        self._most = max_response_tokens
        self.end = self._encode(END_OF_TURN)
        self.prompt = self._encode(prompt)
        self.response: list[int] = []
        self.mask: list[int] = []
        self.log_probs: list[float] = []

    @property
    def ids(self) -> list[int]:
        """All tokens so far: what the next message is generated from."""
        return self.prompt + self.response

    @property
    def room(self) -> int:
        """How many tokens the response may still grow by."""
        return self._most - len(self.response)

    @property
    def ended(self) -> bool:
        """Whether the last message was generated to its end; after one that was cut, nothing may follow."""
        return bool(self.mask) and self.mask[-1] == 1 and self.response[-len(self.end) :] == self.end

    def add_generated(self, ids: Sequence[int], log_probs: Sequence[float] | None = None) -> str:
        """Append a message as it was generated.

        Args:
            ids: its tokens, the end of the turn included if it was reached.
            log_probs: of each; None if the sampler does not tell.

        Returns:
            Its text, special tokens included.

        Raises:
            ValueError: there is no room for it, or not one probability for each token.
        """
        if len(ids) > self.room:
            raise ValueError(f"a message of {len(ids)} tokens was generated where there is room for {self.room}")
        if log_probs is not None and len(log_probs) != len(ids):
            raise ValueError(f"{len(log_probs)} probabilities were given for {len(ids)} tokens")
        self._append(ids, 1, [0.0] * len(ids) if log_probs is None else log_probs)
        return str(self._tokenizer.decode(list(ids)))

    def add_results(self, results: Sequence[str]) -> bool:
        """Append results and begin the assistant's next message.

        Returns:
            Whether that was done; if not, since the last message did not end or the next would have no room, nothing
            was appended and the rollout is over.
        """
        return self._add(render_results(results, thinking=self._thinking))

    def add_words(self, text: str) -> bool:
        """Append what the user says and begin the assistant's next message.

        Returns:
            As for `add_results`.
        """
        return self._add(render_words(text, thinking=self._thinking))

    def _add(self, text: str) -> bool:
        found = self._encode(text)
        if not self.ended or len(found) >= self.room:
            return False
        self._append(found, 0, [0.0] * len(found))
        return True

    def _append(self, ids: Sequence[int], mask: int, log_probs: Sequence[float]) -> None:
        self.response.extend(ids)
        self.mask.extend([mask] * len(ids))
        self.log_probs.extend(log_probs)

    def _encode(self, text: str) -> list[int]:
        return self._tokenizer.encode(text, add_special_tokens=False)


def _between(content: str, *, thinking: bool) -> str:
    begun = "" if thinking else NO_THOUGHT
    return f"\n<|im_start|>user{content}{END_OF_TURN}\n<|im_start|>assistant\n{begun}"


@cache
def _template() -> Template:
    # As transformers sets templates up, so that the same file renders the same text there and here.
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
    )
    environment.filters["tojson"] = _to_json
    return environment.from_string(TEMPLATE.read_text(encoding="utf-8"))


def _to_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
