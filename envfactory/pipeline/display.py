"""What a person sees: progress, how each stage ended, a last table.

Bars on a terminal; elsewhere a few plain lines, limited by count and not by time, so that a log stays short. Everything
goes to standard error, because a stage that serves MCP owns standard output.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, TypeVar

from pydantic import JsonValue
from rich.console import Console
from rich.logging import RichHandler
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.progress import Progress as RichProgress
from rich.table import Table

from envfactory.pipeline.cell import StageRecord

__all__ = ["Display", "flat", "summary"]

T = TypeVar("T")
NUMBERS = ("seconds", "when made")
WIDE = 200
"""Columns where there is no terminal, so that a log's tables are not folded."""
PLAIN_LINES = 5
"""At most this many lines of progress for one thing tracked."""


class _Terminal(Console):
    """A console that falls silent when nobody reads any more (``| head``): a run goes on without listeners."""

    def on_broken_pipe(self) -> None:
        self.quiet = True


class Display:
    """The terminal of one command.

    Args:
        style: as the configuration's ``logger.progress``.
        console: where to write; standard error if None.
    """

    def __init__(self, style: Literal["auto", "bars", "plain", "off"], console: Console | None = None) -> None:
        width = None if sys.stderr.isatty() else WIDE
        self.console = console or _Terminal(stderr=True, highlight=False, soft_wrap=True, width=width)
        self._style = style if style != "auto" else ("bars" if self.console.is_terminal else "plain")

    def say(self, text: str) -> None:
        """Write one line, whatever the style."""
        self.console.print(text, markup=False)

    def track(self, items: Iterable[T], total: int | None, label: str) -> Iterator[T]:
        """Yield the items, telling progress; see `envfactory.pipeline.stage.Progress`."""
        if self._style == "bars":
            yield from self._bars(items, total, label)
        elif self._style == "plain":
            yield from self._lines(items, total, label)
        else:
            yield from items

    @contextmanager
    def warnings_of(self, log: logging.Logger) -> Generator[None]:
        """Show a logger's warnings and errors while the block runs, but for records marked ``terminal=False``."""
        handler = RichHandler(logging.WARNING, self.console, show_time=False, show_path=False, markup=False)
        handler.addFilter(lambda record: getattr(record, "terminal", True))
        log.addHandler(handler)
        try:
            yield
        finally:
            log.removeHandler(handler)

    def table(self, title: str, columns: Iterable[str], rows: Iterable[Iterable[str]]) -> None:
        """Write a table; on a terminal as wide as that is, elsewhere as wide as its content."""
        table = Table(
            title=title, title_justify="left", title_style="bold", box=None, pad_edge=False, header_style="dim"
        )
        for column in columns:
            table.add_column(column, overflow="fold", justify="right" if column in NUMBERS else "left")
        for row in rows:
            table.add_row(*row)
        self.console.print()
        self.console.print(table, markup=False)

    def results(self, stages: Mapping[str, StageRecord], folder: Path) -> None:
        """Show what came out of every stage, what it cost and where it is."""
        rows = [
            (name, record.state, summary(record.metrics), f"{record.seconds:.2f}", f"{record.cost.seconds:.2f}")
            for name, record in stages.items()
        ]
        total = f"{sum(record.seconds for record in stages.values()):.2f}"
        made = f"{sum(record.cost.seconds for record in stages.values()):.2f}"
        rows.append(("", "", "", total, made))
        self.table("results", ("stage", "state", "what came out", *NUMBERS), rows)
        self.say(f"files: {folder.parent.parent}/latest/artifacts -> {folder}/artifacts")

    def _bars(self, items: Iterable[T], total: int | None, label: str) -> Iterator[T]:
        columns = (TextColumn("  {task.description}"), BarColumn(), MofNCompleteColumn())
        with RichProgress(
            *columns, TimeElapsedColumn(), TimeRemainingColumn(), console=self.console, transient=True
        ) as bars:
            yield from bars.track(items, total=total, description=label)

    def _lines(self, items: Iterable[T], total: int | None, label: str) -> Iterator[T]:
        # Without a total a line comes at every doubling, so their number grows with the logarithm.
        step = max(1, (total or 0) // PLAIN_LINES)
        due = step if total else 64
        for done, item in enumerate(items, start=1):
            yield item
            if done == due and done != total:
                self.say(f"  {done}{f'/{total}' if total else ''} {label}")
                due = done + step if total else done * 2


def flat(metrics: Mapping[str, JsonValue], prefix: str = "") -> dict[str, JsonValue]:
    """Return nested metrics as one level of dotted names; lists are left out."""
    result: dict[str, JsonValue] = {}
    for name, value in metrics.items():
        if isinstance(value, dict):
            result |= flat(value, f"{prefix}{name}.")
        elif not isinstance(value, list):
            result[prefix + name] = value
    return result


def summary(metrics: Mapping[str, JsonValue], most: int = 4) -> str:
    """Return the first few numbers of a stage's metrics, in the order in which the stage gave them."""
    numbers = [(name, value) for name, value in flat(metrics).items() if isinstance(value, int | float)]
    shown = (f"{name.replace('_', ' ')} {round(value, 3):g}" for name, value in numbers[:most])
    return ", ".join(shown)
