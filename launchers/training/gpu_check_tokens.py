"""A tokenizer for `gpu_check.py` that needs no files."""

from __future__ import annotations

from typing import Any

BYTES = 288
"""Enough for bytes and special tokens."""
END = "<|im_end|>"
SPECIALS = (
    "<|endoftext|>", "<|im_start|>", END, "<think>", "</think>", "<tool_call>", "</tool_call>", "<tool_response>",
    "</tool_response>",
)  # fmt: skip


class ByteTokenizer:
    """Bytes as tokens, with the special tokens of Qwen3's template; where the real tokenizer is not at hand."""

    def encode(self, text: str, *, add_special_tokens: bool = False) -> list[int]:
        """Token ids of a text."""
        del add_special_tokens
        ids: list[int] = []
        while text:
            place, name = min(((text.find(name), name) for name in SPECIALS if name in text), default=(len(text), ""))
            ids += text[:place].encode()
            ids += [256 + SPECIALS.index(name)] if name else []
            text = text[place + len(name) :]
        return ids

    def decode(self, token_ids: list[int], /, **_: Any) -> str:
        """The text of token ids; ids beyond those that there are count as unknown."""
        text, run = "", bytearray()
        for token in token_ids:
            if token < 256:
                run.append(token)
                continue
            text += run.decode(errors="replace")
            run.clear()
            text += SPECIALS[token - 256] if token - 256 < len(SPECIALS) else "\ufffd"
        return text + run.decode(errors="replace")
