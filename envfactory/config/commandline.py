"""The command line: flags and overrides in any order, every problem found before Hydra takes over.

Hydra stops at the first problem it meets and shows the rest one at a time; here all overrides are parsed, all choices
of groups looked up, and every cell of a sweep is composed and validated, so that a person corrects them in one go.
"""

from __future__ import annotations

import argparse
import functools
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hydra._internal.config_loader_impl import ConfigLoaderImpl
from hydra._internal.core_plugins.basic_sweeper import BasicSweeper
from hydra._internal.utils import create_config_search_path, get_args_parser
from hydra.core.config_search_path import SearchPathQuery
from hydra.core.object_type import ObjectType
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override
from hydra.errors import HydraException
from hydra.types import RunMode
from omegaconf import DictConfig, OmegaConf, open_dict
from omegaconf.errors import OmegaConfBaseException

from envfactory.config.load import parse_config
from envfactory.config.places import conf_dir
from envfactory.config.problems import ConfigError, Problem, nearest, shown
from envfactory.config.schema import Config

__all__ = ["CONFIG_NAME", "Cell", "Command", "flags_first", "read_command", "run_name"]

CONFIG_NAME = "config"

COMPLETION = re.compile(r"(install|uninstall|query)=(bash|fish|zsh)")

COMPOSING_FAILED = (HydraException, OmegaConfBaseException, AssertionError)
"""What Hydra raises where something does not compose; OmegaConf asserts what it did not expect of a person."""


@dataclass(frozen=True)
class Cell:
    """One configuration that a command asks for.

    Attributes:
        overrides: what was said on the command line or by a sweep, such as ``reward.alpha=0.5``.
        config: the validated configuration.
        name: the folder of its runs: ``name``, else the chosen experiment, else ``main``.
    """

    overrides: tuple[str, ...]
    config: Config
    name: str


@dataclass(frozen=True)
class Command:
    """A command line that was understood.

    Attributes:
        argv: flags first, then overrides: what Hydra accepts.
        runs: whether something is to be run; otherwise Hydra shows something.
        multirun: whether it is a sweep.
        cells: exactly one where it is no sweep; none where nothing is composed.
    """

    argv: tuple[str, ...]
    runs: bool
    multirun: bool
    cells: tuple[Cell, ...]


def run_name(config: Config, choices: Mapping[str, Any]) -> str:
    """Return the folder name of a configuration's runs, given the choices of groups that Hydra made."""
    return config.name or str(choices.get("experiment") or "main").replace("/", "-")


def flags_first(arguments: Sequence[str]) -> list[str]:
    """Reorder a command line so that flags, each with its value, come before overrides; Hydra needs it so.

    Args:
        arguments: the command line without the program.

    Returns:
        The same arguments; the order among flags and among overrides is kept.
    """
    takes_value: dict[str, argparse.Action] = {
        option: action
        for action in get_args_parser()._actions  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
        if action.option_strings and action.nargs != 0
        for option in action.option_strings
    }
    flags: list[str] = []
    overrides: list[str] = []
    rest = list(arguments)
    while rest:
        argument = rest.pop(0)
        if not argument.startswith("-"):
            overrides.append(argument)
            continue
        flags.append(argument)
        action = takes_value.get(argument)
        # An optional value (--info) is taken only if it is one of the choices: an override may follow instead.
        if action is not None and rest and (action.nargs != "?" or rest[0] in (action.choices or ())):
            flags.append(rest.pop(0))
    # After an optional value left out, argparse would swallow an override; the explicit default prevents it.
    if flags and flags[-1] in ("--info", "-i"):
        flags.append("all")
    return flags + overrides


def read_command(arguments: Sequence[str]) -> Command:
    """Understand a command line and check everything it asks for.

    Args:
        arguments: the command line without the program.

    Returns:
        What to hand to Hydra.

    Raises:
        ConfigError: with every problem of every cell.
        SystemExit: a flag is not known (code 2), or ``--version`` was asked for.
    """
    argv = flags_first(arguments)
    flags = get_args_parser().parse_args(argv)
    if flags.experimental_rerun:
        known = "not used here; the same command continues a run"
        raise ConfigError([Problem("--experimental-rerun", flags.experimental_rerun, known)])
    if flags.shell_completion:
        wrong = [text for text in flags.overrides or [""] if not COMPLETION.fullmatch(text)]
        if wrong:
            expected = "expected install, uninstall or query of bash, fish or zsh, such as install=bash"
            raise ConfigError(Problem("--shell-completion", text, expected) for text in wrong)
    if flags.help or flags.hydra_help or flags.info or flags.shell_completion:
        return Command(tuple(argv), runs=False, multirun=False, cells=())
    checker = _checker(flags.config_path, flags.config_dir, flags.config_name or CONFIG_NAME)
    problems, cells, multirun = checker.check(flags.overrides, multirun=flags.multirun)
    if problems:
        raise ConfigError(problems)
    return Command(tuple(argv), flags.cfg is None, multirun, tuple(cells))


@functools.cache
def _checker(config_path: str | None, config_dir: str | None, config_name: str) -> _Checker:
    # Composing is what takes time: the cells of a sweep, and all commands of one process, share it.
    return _Checker(config_path, config_dir, config_name)


class _Checker:
    def __init__(self, config_path: str | None, config_dir: str | None, config_name: str) -> None:
        search_path = create_config_search_path(str(Path(config_path or conf_dir()).resolve()))
        if config_dir is not None:
            if not Path(config_dir).is_dir():
                raise ConfigError([Problem("--config-dir", config_dir, "no such folder")])
            folder = f"file://{Path(config_dir).resolve()}"
            search_path.prepend("command-line", folder, SearchPathQuery(provider="schema"))  # pyright: ignore[reportArgumentType]
        self._loader = ConfigLoaderImpl(config_search_path=search_path)
        self._parser = OverridesParser.create(config_loader=self._loader)
        self._name = config_name
        self._composed: dict[tuple[str, ...], DictConfig] = {}
        self._offered: dict[str, list[str]] = {}

    def check(self, texts: Sequence[str], *, multirun: bool) -> tuple[list[Problem], list[Cell], bool]:
        """Return the problems, the cells, and whether this is a sweep (a config may ask for one too)."""
        problems: list[Problem] = []
        overrides = list(self._parse(texts, problems))
        plain = [override for override in overrides if not override.is_sweep_override()]
        base = self._compose(self._valid_choices(plain, []))
        if base is None:
            # Whatever stops even the choices from composing is Hydra's to say.
            return [*problems, *self._last_resort([item.input_line or "" for item in plain])], [], multirun
        multirun = multirun or str(OmegaConf.select(base, "hydra.mode")).endswith("MULTIRUN")
        if not multirun:
            problems += [
                Problem(item.key_or_group, item.get_value_string(), "several values need a sweep: add -m")
                for item in overrides
                if item.is_sweep_override()
            ]
            cells = [[item.input_line or "" for item in plain]]
        else:
            params: Mapping[str, Any] = OmegaConf.select(base, "hydra.sweeper.params") or {}
            swept = list(self._parse([f"{key}={value}" for key, value in params.items()], problems))
            try:
                cells = BasicSweeper.split_arguments([*swept, *overrides], None)[0]
            except HydraException as error:
                return [*problems, Problem("-m", None, str(error))], [], True
        checked: list[Cell] = []
        for cell in cells:
            found, config, choices = self._check_cell(cell)
            problems += found
            if config is not None:
                checked.append(Cell(tuple(cell), config, run_name(config, choices)))
        if not problems and any(override.package is not None for override in overrides):
            # The checks above know nothing of packages (group@package=choice).
            problems += self._last_resort(cells[0])
        return list(dict.fromkeys(problems)), checked, multirun

    def _parse(self, texts: Iterable[str], problems: list[Problem]) -> Iterable[Override]:
        for text in texts:
            try:
                override = self._parser.parse_overrides([text])[0]
                if override.key_or_group:
                    yield override
                    continue
                problems.append(Problem(text, None, "no key is given; write key=value"))
            except HydraException as error:
                key, equals, value = text.partition("=")
                reason = str(error).splitlines()[0] if equals else "no value is given"
                hint = (
                    "" if equals else f"did you mean +experiment={text}?" if text in self._options("experiment") else ""
                )
                problems.append(
                    Problem(key, value if equals else None, f"cannot be read: {reason}; write key=value, and quote "
                            "what the shell would change: 'stages=[graph,sample]'", hint)
                )  # fmt: skip

    def _check_cell(self, cell: Sequence[str]) -> tuple[list[Problem], Config | None, Mapping[str, Any]]:
        problems: list[Problem] = []
        overrides = list(self._parse(cell, problems))
        base = self._compose(self._valid_choices(overrides, problems))
        if base is None:
            return [*problems, *self._last_resort(cell)], None, {}
        config = OmegaConf.masked_copy(base, [str(key) for key in base if key != "hydra"])
        for override in overrides:
            if not self._is_choice(override) and not override.is_hydra_override():
                problems += _apply(override, config)
        try:
            return problems, parse_config(config), base.hydra.runtime.choices
        except ConfigError as error:
            return [*problems, *error.problems], None, {}

    def _valid_choices(self, overrides: Iterable[Override], problems: list[Problem]) -> tuple[str, ...]:
        """Return the choices of groups that can be composed, and Hydra's own overrides; report the others."""
        valid: list[str] = []
        in_defaults = self._chosen()
        seen: dict[str, str] = {}
        for override in overrides:
            text = override.input_line or ""
            if not self._is_choice(override):
                if override.is_hydra_override() and not override.is_sweep_override():
                    # Hydra's own keys are Hydra's to judge, each by itself.
                    wrong_here = self._last_resort([text], key=override.key_or_group)
                    problems += wrong_here
                    valid += [] if wrong_here else [text]
                continue
            group, value = override.key_or_group, override.value()
            options = self._options(group)
            names = value if isinstance(value, list) else [value]
            wrong = [name for name in names if str(name) not in options]
            if override.is_delete():
                valid.append(text)
            elif wrong:
                for name in wrong:
                    hint = nearest(str(name), options)
                    problems.append(Problem(group, shown(name), f"no such choice; one of {', '.join(options)}", hint))
            elif isinstance(value, list) and isinstance(in_defaults.get(group), str):
                # Hydra would merge them, and the last would win.
                hint = f"for a sweep over them: -m {group}={','.join(map(str, names))}"
                problems.append(Problem(group, shown(value), f"expected one choice of {', '.join(options)}", hint))
            elif group in seen:
                wanted = f"expected one choice; {seen[group]} stands on the command line already"
                problems.append(Problem(group, shown(value), wanted))
            elif not override.is_add() and group not in in_defaults:
                hint = f"did you mean +{group}={shown(value)}?"
                problems.append(
                    Problem(group, shown(value), "this group has no choice yet, so it is added with a +", hint)
                )
            elif override.is_add() and group in in_defaults:
                hint = f"did you mean {group}={shown(value)}?"
                problems.append(
                    Problem(f"+{group}", shown(value), "this group has its choice, so no + is needed", hint)
                )
            else:
                seen[group] = text
                valid.append(text)
        return tuple(valid)

    def _is_choice(self, override: Override) -> bool:
        if override.is_sweep_override():
            return False
        return bool(self._options(override.key_or_group)) and not isinstance(override.value(), dict)

    def _options(self, group: str) -> list[str]:
        if group not in self._offered:
            self._offered[group] = self._loader.get_group_options(group, ObjectType.CONFIG)
        return self._offered[group]

    def _chosen(self) -> dict[str, Any]:
        base = self._compose(())
        return dict(base.hydra.runtime.choices) if base is not None else {}

    def _compose(self, choices: tuple[str, ...]) -> DictConfig | None:
        """Return the configuration with these choices, or None; it is everybody's and is not to be changed."""
        if choices not in self._composed:
            try:
                self._composed[choices] = self._loader.load_configuration(self._name, list(choices), RunMode.MULTIRUN)
            except COMPOSING_FAILED:
                return None
        return self._composed[choices]

    def _last_resort(self, texts: Sequence[str], key: str = "the configuration") -> list[Problem]:
        """Let Hydra itself compose, for whatever the checks above do not know of."""
        try:
            self._loader.load_configuration(self._name, list(texts), RunMode.RUN)
        except COMPOSING_FAILED as error:
            lines = [
                line.strip() for one in (error, error.__cause__) if one is not None for line in str(one).splitlines()
            ]
            reason = " ".join(line for line in lines if line and not line.startswith("See https:"))
            return [Problem(key, None, f"does not compose: {reason}")]
        return []


def _apply(override: Override, config: DictConfig) -> list[Problem]:
    """Apply one override of a value; an unknown key is let in, since the schema has the better words for it."""
    key, value = override.key_or_group, override.value()
    try:
        if override.is_delete():
            parent, _, leaf = key.rpartition(".")
            node = OmegaConf.select(config, parent) if parent else config
            with open_dict(config):
                del node[leaf]
        else:
            exists = OmegaConf.select(config, key, throw_on_missing=False) is not None
            if override.is_add() and exists and not isinstance(value, dict | list):
                given = shown(value)
                return [Problem(f"+{key}", given, "the key exists, so no + is needed", f"did you mean {key}={given}?")]
            OmegaConf.update(config, key, value, merge=True, force_add=True)
    except (OmegaConfBaseException, AttributeError, KeyError, TypeError, ValueError) as error:
        return [Problem(key, shown(value), f"cannot be set: {str(error).splitlines()[0]}")]
    return []
