"""``python -m envfactory``: one entrypoint, composed by Hydra, checked before anything runs.

Exit codes: 0 all is done, 1 a stage or a cell failed, 2 the command or its configuration cannot be used, 3 another
process held what was needed for too long, 130 and 143 stopped by a person or the system.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, NoReturn

import hydra
from hydra.core.hydra_config import HydraConfig
from hydra.errors import HydraException
from omegaconf import DictConfig
from omegaconf.errors import OmegaConfBaseException

from envfactory.config import ConfigError, conf_dir, parse_config
from envfactory.config.commandline import CONFIG_NAME, Cell, Command, read_command, run_name

if TYPE_CHECKING:
    from envfactory.pipeline.runner import Outcome
    from envfactory.pipeline.stage import Stage
    from envfactory.pipeline.sweep import Sweep


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line and return its exit code.

    Args:
        arguments: the command line without the program; the process's own if None.
    """
    given = sys.argv[1:] if arguments is None else list(arguments)
    try:
        command = read_command(given)
        return _run(command) if command.runs else _show(command)
    except ConfigError as error:
        print(f"envfactory: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("envfactory: stopped before anything ran", file=sys.stderr)
        return 128 + signal.SIGINT


def _show(command: Command) -> int:
    """Let Hydra show what was asked for: help, the composed configuration, where parts come from, completion."""

    def nothing(composed: DictConfig) -> None:
        del composed

    try:
        _hydra(command.argv, nothing)
    except (HydraException, OmegaConfBaseException, ValueError) as error:
        print(f"envfactory: {' '.join(str(error).split())}", file=sys.stderr)
        return 2
    return 0


def _run(command: Command) -> int:
    from envfactory.pipeline.needs import unmet_needs
    from envfactory.pipeline.runner import TerminatedError, plan_stages
    from envfactory.pipeline.stage import StageError
    from envfactory.pipeline.sweep import Sweep

    try:
        planned = [(cell, plan_stages(cell.config)) for cell in command.cells]
        if any(cell.config.dry_run for cell in command.cells):
            for cell, stages in planned:
                _tell_plans(cell, stages)
            return 0
        unmet = [problem for cell, stages in planned for problem in unmet_needs(cell.config, stages, _environments)]
        if unmet:
            raise ConfigError(unmet)
    except StageError as error:
        print(f"envfactory: {error}", file=sys.stderr)
        return 1
    first = command.cells[0]
    sweep = None
    # Paths are relative to where the command was given, and configurations are written masked or not at all.
    argv = (*command.argv, "hydra.job.chdir=false", "hydra.output_subdir=null", "hydra.run.dir=.")
    if command.multirun:
        sweep = Sweep(Path(first.config.paths.outputs) / first.name, [cell.overrides for cell in command.cells])
        try:
            sweep.begin()
        except OSError as error:
            where = "choose another place: paths.outputs=FOLDER"
            print(f"envfactory: {sweep.folder} cannot be written: {error}; {where}", file=sys.stderr)
            return 1
        quoted = str(sweep.folder).replace("'", "\\'")
        argv = (*argv, f"hydra.sweep.dir='{quoted}'")
    outcomes: list[Outcome] = []

    def job(composed: DictConfig) -> None:
        outcome = _run_cell(composed)
        outcomes.append(outcome)
        if sweep is not None:
            try:
                sweep.record(HydraConfig.get().job.num, outcome)
            except OSError as error:
                print(f"envfactory: how a cell ended cannot be noted: {error}", file=sys.stderr)
            if outcome.state == "interrupted":
                # Who stops one cell stops the sweep.
                raise KeyboardInterrupt if outcome.exit_code == 128 + signal.SIGINT else TerminatedError

    def stop(number: int, frame: FrameType | None) -> NoReturn:
        raise TerminatedError

    before = signal.signal(signal.SIGTERM, stop)
    stopped = 0
    try:
        _hydra(argv, job)
    except KeyboardInterrupt:
        stopped = 128 + signal.SIGINT
    except TerminatedError:
        stopped = 128 + signal.SIGTERM
    finally:
        signal.signal(signal.SIGTERM, before)
    if sweep is not None:
        try:
            done = _finish(sweep, command)
        except OSError as error:
            print(f"envfactory: the table cannot be written: {error}", file=sys.stderr)
            done = False
        return stopped or (0 if done else 1)
    return stopped or (outcomes[0].exit_code if outcomes else 1)


def _tell_plans(cell: Cell, stages: Sequence[Stage]) -> None:
    """Print what the stages of a cell would start."""
    plans = [stage.plan(cell.config) for stage in stages if stage.plan is not None]
    print("\n".join(plans) or f"no program is started by the stages {', '.join(stage.name for stage in stages)}")


def _run_cell(composed: DictConfig) -> Outcome:
    from envfactory.pipeline.display import Display
    from envfactory.pipeline.runner import Runner

    config = parse_config(composed)
    name = run_name(config, HydraConfig.get().runtime.choices)
    display = Display(config.logger.progress)
    outcome = Runner(config, name, environments=_environments, display=display).run()
    if outcome.folder is not None and outcome.state == "done":
        display.results(outcome.stages, outcome.folder)
    return outcome


def _finish(sweep: Sweep, command: Command) -> bool:
    from envfactory.pipeline.display import Display

    # Hydra's own record of the sweep shows the configuration unmasked.
    (sweep.folder / "multirun.yaml").unlink(missing_ok=True)
    return sweep.finish(Display(command.cells[0].config.logger.progress))


def _environments(names: tuple[str, ...]) -> Mapping[str, str]:
    from envfactory.catalogue import digests

    return digests(names)


def _hydra(argv: Sequence[str], job: Callable[[DictConfig], None]) -> None:
    """Hand a command line to Hydra itself."""
    before = sys.argv
    sys.argv = ["envfactory", *argv]
    try:
        hydra.main(version_base="1.3", config_path=str(conf_dir()), config_name=CONFIG_NAME)(job)()
    finally:
        sys.argv = before


if __name__ == "__main__":
    sys.exit(main())
