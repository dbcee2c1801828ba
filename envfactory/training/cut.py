"""Cutting a tool's result to what a model is shown: in the middle, by a number of tokens.

Only what the model reads is cut. What was executed, and so the reward, knows the whole result.
"""

from __future__ import annotations

from typing import Any, Protocol


class Tokenizer(Protocol):
    """The part of a Hugging Face tokenizer that is used here."""

    def encode(self, text: str, *, add_special_tokens: bool = ...) -> list[int]:
        """Token ids of a text."""
        ...

    def decode(self, token_ids: list[int], /, **kwargs: Any) -> Any:
        """The text of token ids."""
        ...


def cut_result(text: str, tokens: int, tokenizer: Tokenizer) -> str:
    """Return a text of at most `tokens` tokens: as it is, or its beginning and end around a mark that says what is out.

    Raises:
        ValueError: the limit has no room for the mark.
    """
    if len(text.encode("utf-8", "replace")) <= tokens:  # no token is less than a byte
        return text
    ids = tokenizer.encode(text, add_special_tokens=False)
    if len(ids) <= tokens:
        return text
    room = tokens - len(tokenizer.encode(_mark(len(ids)), add_special_tokens=False))
    while room > 0:
        head, tail = room - room // 2, room // 2
        # A cut inside a character leaves a replacement character, which was not in the result.
        first = str(tokenizer.decode(ids[:head])).rstrip("\ufffd")
        last = str(tokenizer.decode(ids[len(ids) - tail :])).lstrip("\ufffd")
        found = f"{first}{_mark(len(ids) - room)}{last}"
        over = len(tokenizer.encode(found, add_special_tokens=False)) - tokens
        if over <= 0:
            return found
        room -= over
    raise ValueError(f"a result cannot be cut to {tokens} tokens: there is no room for the mark that says so")


def _mark(count: int) -> str:
    return f"\n[... {count} tokens left out ...]\n"
