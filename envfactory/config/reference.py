"""Writes ``docs/configuration.md`` from the schema and the config groups: ``python -m envfactory.config.reference``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from omegaconf import OmegaConf
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from envfactory.config.commandline import read_command
from envfactory.config.describe import expected, kinds_of, models_of, row_of
from envfactory.config.group import NOT_IDENTITY
from envfactory.config.places import conf_dir
from envfactory.config.problems import shown
from envfactory.config.schema import STAGE_NAMES, Config
from envfactory.files import write_bytes_atomic

__all__ = ["reference"]

HEAD = f"""# Configuration

Written by `make docs` from `envfactory/config` and `conf/`; a test keeps it true.

A run is composed by [Hydra](https://hydra.cc): choose a group's option with `group=option`, set a key with
`group.key=value`, sweep with `-m group.key=a,b`. Everything is checked before anything runs, and every problem is told
in one message (exit code 2). `python -m envfactory --cfg job` shows the composed configuration, `--info defaults` where
each part comes from.

Shell completion of groups, options and keys, for the command `envfactory` that is installed with the package (in an
activated virtual environment): `eval "$(envfactory -sc install=bash)"`; also `zsh` and `fish`.

Keys marked with `-` under *identity* say where things go or what is shown; they decide no result, so changing them
makes nothing anew.

Stages, in order: {", ".join(STAGE_NAMES)}; the last two run only when they are named.
"""


def reference() -> str:
    """Return the reference page, as Markdown."""
    default = read_command([]).cells[0].config.model_dump(mode="json")
    root = {name: field for name, field in Config.model_fields.items() if not models_of(field.annotation)}
    parts = [HEAD, "## The root\n", _table(root, default, "")]
    for name, field in Config.model_fields.items():
        models = models_of(field.annotation)
        for number, model in enumerate(models):
            kinds = kinds_of(model) if len(models) > 1 else ()
            parts.append(" ".join([f"## {name}", *([f"({', '.join(kinds)})"] if kinds else [])]) + "\n")
            parts.append(f"{(model.__doc__ or '').strip()}\n")
            if number == 0 and (options := _options(name)):
                parts.append(options)
            values = default[name] if not kinds or default[name]["kind"] in kinds else _option_of(name, kinds[0])
            parts.append(_table(model.model_fields, values, f"{name}.", whole=field.json_schema_extra != NOT_IDENTITY))
    parts += ["## experiment\n", "Chosen with a plus: `+experiment=smoke`.\n", _options("experiment")]
    return "\n".join(parts).rstrip() + "\n"


def _table(fields: dict[str, FieldInfo], values: dict[str, Any], prefix: str, *, whole: bool = True) -> str:
    head = ["| key | default | takes | what | identity |", "|---|---|---|---|---|"]
    return "\n".join([*head, *_rows(fields, values, prefix, whole=whole)]) + "\n"


def _rows(fields: dict[str, FieldInfo], values: dict[str, Any], prefix: str, *, whole: bool) -> Iterator[str]:
    for name, field in fields.items():
        identity = whole and field.json_schema_extra != NOT_IDENTITY
        annotation = field.annotation
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            yield from _rows(annotation.model_fields, values.get(name, {}), f"{prefix}{name}.", whole=identity)
            continue
        value = shown(values[name] if name in values else field.get_default(call_default_factory=True))
        yield (
            f"| `{prefix}{name}` | `{value}` | {_cell(expected(field))} | {_cell(field.description)} | "
            f"{'yes' if identity else '-'} |"
        )
        if (row := row_of(annotation)) is not None:
            needed = {member: "???" for member, inner in row.model_fields.items() if inner.is_required()}
            yield from _rows(row.model_fields, needed, f"{prefix}{name}.<name>.", whole=identity)


def _cell(text: str | None) -> str:
    return (text or "").replace("|", "\\|")


def _options(group: str) -> str:
    files = sorted((conf_dir() / group).glob("*.yaml"))
    return "".join(f"- `{path.stem}`: {_comment(path)}\n" for path in files)


def _option_of(group: str, kind: str) -> dict[str, Any]:
    """Return the first choice of a group that is of a kind."""
    loaded: list[Any] = [
        OmegaConf.to_container(OmegaConf.load(path)) for path in sorted((conf_dir() / group).glob("*.yaml"))
    ]
    return next(choice for choice in loaded if choice["kind"] == kind)


def _comment(path: Path) -> str:
    """Return the first comment of a config file that is no instruction to Hydra."""
    lines = (line for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("# "))
    return next((line[2:] for line in lines if not re.match(r"# @", line)), "")


if __name__ == "__main__":
    target = conf_dir().parent / "docs" / "configuration.md"
    write_bytes_atomic(target, reference().encode())
    print(target)
