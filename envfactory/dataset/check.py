"""`check_file`: validate a data file by row and field, and say what is expected where.

What a file holds is told by its name, or by its first row where the name says nothing. The schema of every row is
checked strictly; trajectories and training samples are checked beyond it (`trajectory_check`, `sft_check`). The first
problems are kept and all are counted, so that a broken file of any size gives a short report.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from envfactory.dataset.problems import M, Problem, parse, rows_of_lines, rows_of_list
from envfactory.dataset.rl import RLRow, documents
from envfactory.dataset.rl_check import RLRowCheck
from envfactory.dataset.sft_check import SampleCheck, SampleRow
from envfactory.dataset.split import Splits
from envfactory.dataset.tools import ToolFile, read_tools
from envfactory.dataset.trajectory_check import TrajectoryCheck
from envfactory.gold import Gold
from envfactory.reward import ScoreRow
from envfactory.sampling.chain import Link
from envfactory.toolgraph import ToolGraph
from envfactory.trajectory import SCHEMA, Trajectory

LIMIT = 50
"""Problems that are kept, unless told otherwise."""

_Rows = Iterator[tuple[int, bytes | Problem]]


@dataclass(slots=True)
class Checked:
    """What a check found.

    Attributes:
        path: the file.
        kind: what it was checked as.
        rows: how many rows it has; none in a file that is one thing.
        problems: the first of them, in order.
        total: how many there are.
    """

    path: Path
    kind: str
    rows: int = 0
    problems: list[Problem] = field(default_factory=list[Problem])
    total: int = 0

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return self.total == 0

    def lines(self) -> Iterator[str]:
        """The report, line by line."""
        count = "1 problem" if self.total == 1 else f"{self.total or 'no'} problems"
        rows = f", {self.rows} {'row' if self.rows == 1 else 'rows'}" if self.rows else ""
        yield f"{self.path}: {self.kind}{rows}, {count}"
        yield from (f"  {problem}" for problem in self.problems)
        if self.total > len(self.problems):
            yield f"  ... and {self.total - len(self.problems)} more"


def check_file(path: Path, limit: int = LIMIT) -> Checked:
    """Check one file.

    Args:
        path: a file that the pipeline writes.
        limit: how many problems to keep.

    Raises:
        ValueError: it cannot be told what the file should hold.
        OSError: the file cannot be read.
    """
    kind = kind_of(path)
    checked = Checked(path, kind)
    for row, found in _KINDS[kind](path):
        checked.rows = max(checked.rows, row)
        for problem in found:
            checked.total += 1
            if len(checked.problems) < limit:
                checked.problems.append(problem)
    return checked


def kind_of(path: Path) -> str:
    """What a file should hold, by its name or else by its first row.

    Raises:
        ValueError: neither tells.
        OSError: the file cannot be read.
    """
    with path.open("rb") as stream:
        head = stream.read(2048)
    named = {
        "trajectories.jsonl": "trajectories",
        "sft.json": "samples",
        "sft_validation.json": "samples",
        "rl_train.parquet": "turns for reinforcement learning",
        "rl_val.parquet": "turns for reinforcement learning",
        "tools.json": "tools",
        "splits.json": "splits",
        "chains.jsonl": "chains",
        "scores.jsonl": "scores",
        "tool_graph.json": "tool graph",
    }
    if path.name in named:
        return named[path.name]
    if head.startswith(b"PAR1"):
        return "turns for reinforcement learning"
    if f'"{SCHEMA}"'.encode() in head or b'"candidates":' in head:
        return "trajectories"
    if b'"conversations":' in head:
        return "samples"
    raise ValueError(f"{path}: cannot tell what this file should hold; give it one of the names {', '.join(named)}")


def _trajectories(path: Path) -> Iterator[tuple[int, Iterable[Problem]]]:
    beside = path.with_name("tools.json")
    tools: ToolFile | None = None
    try:
        tools = read_tools(beside)
    except (OSError, ValueError) as error:
        yield 0, [Problem(0, "", f"expected tools.json beside it, with the tools that are offered: {error}")]
    check = TrajectoryCheck(tools)
    yield from _each(rows_of_lines(path), Trajectory, check.problems)


def _samples(path: Path) -> Iterator[tuple[int, Iterable[Problem]]]:
    check = SampleCheck()
    yield from _each(rows_of_list(path), SampleRow, check.problems)


def _turns(path: Path) -> Iterator[tuple[int, Iterable[Problem]]]:
    check = RLRowCheck()
    yield from _each(documents(path), RLRow, check.problems)


class ChainRow(BaseModel):
    """A row of `chains.jsonl`: a grounded chain.

    Attributes:
        chain: its number in the sampler's sequence.
        tools, links: the chain (`envfactory.sampling.chain`).
        gold: the program that it became.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    chain: int
    tools: tuple[str, ...]
    links: tuple[Link, ...]
    gold: Gold


def _chains(path: Path) -> Iterator[tuple[int, Iterable[Problem]]]:
    numbers: dict[int, int] = {}

    def deep(chain: ChainRow, row: int) -> Iterator[Problem]:
        first = numbers.setdefault(chain.chain, row)
        if first != row:
            yield Problem(row, "chain", f"numbers are unique; {chain.chain} stands in row {first} already")
        if chain.tools != tuple(call.tool for call in chain.gold.calls):
            yield Problem(row, "gold.calls", "expected one call for each tool of the chain, in its order")
        for index, link in enumerate(chain.links):
            if not 0 <= link.producer < link.consumer < len(chain.tools):
                message = (
                    f"expected an earlier producer and a consumer below {len(chain.tools)}, found {link.producer} "
                )
                yield Problem(row, f"links[{index}]", f"{message}and {link.consumer}")

    yield from _each(rows_of_lines(path), ChainRow, deep)


def _scores(path: Path) -> Iterator[tuple[int, Iterable[Problem]]]:
    seen: dict[tuple[str, int], int] = {}

    def deep(score: ScoreRow, row: int) -> Iterator[Problem]:
        first = seen.setdefault((score.id, score.candidate), row)
        if first != row:
            yield Problem(row, "candidate", f"candidate {score.candidate} of {score.id} stands in row {first} already")
        for name, value in (("r_traj", score.r_traj), ("r_state", score.r_state)):
            if not 0 <= value <= 1:
                yield Problem(row, name, f"expected a share, 0 to 1, found {value}")
        if not 0 <= score.matched <= score.gold_calls:
            yield Problem(row, "matched", f"expected at most {score.gold_calls} gold calls, found {score.matched}")

    yield from _each(rows_of_lines(path), ScoreRow, deep)


def _each(
    rows: _Rows, model: type[M], deep: Callable[[M, int], Iterable[Problem]]
) -> Iterator[tuple[int, Iterable[Problem]]]:
    for row, data in rows:
        if isinstance(data, Problem):
            yield row, [data]
            continue
        found = parse(model, data, row)
        yield row, found if isinstance(found, list) else deep(found, row)


def _whole(model: type[BaseModel]) -> Callable[[Path], Iterator[tuple[int, Iterable[Problem]]]]:
    """Check a file that is one JSON value; its row is 0."""

    def check(path: Path) -> Iterator[tuple[int, Iterable[Problem]]]:
        found = parse(model, path.read_bytes(), 0)
        yield 0, found if isinstance(found, list) else ()

    return check


_KINDS: dict[str, Callable[[Path], Iterator[tuple[int, Iterable[Problem]]]]] = {
    "trajectories": _trajectories,
    "samples": _samples,
    "turns for reinforcement learning": _turns,
    "tools": _whole(ToolFile),
    "splits": _whole(Splits),
    "chains": _chains,
    "scores": _scores,
    "tool graph": _whole(ToolGraph),
}
