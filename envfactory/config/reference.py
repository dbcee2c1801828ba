"""Writes ``docs/configuration.md`` from the schema and the config groups: ``python -m envfactory.config.reference``."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from omegaconf import OmegaConf
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from envfactory.config.commandline import read_command
from envfactory.config.describe import expected, models_of
from envfactory.config.places import conf_dir
from envfactory.config.problems import shown
from envfactory.config.schema import NOT_IDENTITY, STAGE_NAMES, Config
from envfactory.files import write_bytes_atomic

__all__ = ["reference"]

HEAD = f"""# Configuration

Written by `make docs` from `envfactory/config/schema.py` and `conf/`; a test keeps it true.

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
            kind = _kind(model) if len(models) > 1 else ""
            parts.append(f"## {name}{f' ({kind})' if kind else ''}\n")
            parts.append(f"{(model.__doc__ or '').strip()}\n")
            if number == 0 and (options := _options(name)):
                parts.append(options)
            values = default[name] if not kind or kind == default[name]["kind"] else _option_of(name, kind)
            parts.append(_table(model.model_fields, values, f"{name}.", whole=field.json_schema_extra != NOT_IDENTITY))
    parts += ["## experiment\n", "Chosen with a plus: `+experiment=smoke`.\n", _options("experiment")]
    return "\n".join(parts).rstrip() + "\n"


def _table(fields: dict[str, FieldInfo], values: dict[str, Any], prefix: str, *, whole: bool = True) -> str:
    rows = ["| key | default | takes | what | identity |", "|---|---|---|---|---|"]
    for name, field in fields.items():
        identity = "yes" if whole and field.json_schema_extra != NOT_IDENTITY else "-"
        value = shown(values[name])
        rows.append(
            f"| `{prefix}{name}` | `{value}` | {_cell(expected(field))} | {_cell(field.description)} | {identity} |"
        )
    return "\n".join(rows) + "\n"


def _cell(text: str | None) -> str:
    return (text or "").replace("|", "\\|")


def _kind(model: type[BaseModel]) -> str:
    return expected(model.model_fields["kind"])


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
