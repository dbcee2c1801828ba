"""Prompts as files that people read: Jinja templates, divided into messages.

    --- system ---
    You write what a person types to an assistant.
    --- user ---
    {{ name }} wants: {{ wish }}

Every value that a template names must be given. A value is text and nothing else: what looks like a template or like
the line that begins a message stays what it is.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import jinja2

from envfactory.llm.chat import Message

__all__ = ["Prompt"]

_HEAD = re.compile(r"^--- (system|user|assistant) ---\n", re.MULTILINE)
_TEMPLATES = jinja2.Environment(
    undefined=jinja2.StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    autoescape=False,  # noqa: S701 - the text goes to a model, not into a page
)


class Prompt:
    """A prompt file."""

    def __init__(self, path: Path) -> None:
        """Read a prompt.

        Raises:
            ValueError: something stands before its first message, or it has none.
            OSError: it cannot be read.
            jinja2.TemplateSyntaxError: a message is no template.
        """
        self.path = path
        before, *rest = _HEAD.split(path.read_text(encoding="utf-8"))
        if before.strip() or not rest:
            raise ValueError(f"{path}: expected a line such as '--- system ---' before the first message")
        self._parts = [
            (role, _TEMPLATES.from_string(text.strip())) for role, text in zip(rest[::2], rest[1::2], strict=True)
        ]

    def messages(self, **values: Any) -> tuple[Message, ...]:
        """Fill in the values.

        Raises:
            jinja2.UndefinedError: the template names a value that is not given.
        """
        return tuple(
            Message.model_validate({"role": role, "text": template.render(values).strip()})
            for role, template in self._parts
        )
