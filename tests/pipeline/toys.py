"""Six small stages of the real contract: they sample, work in shards, score and export, on numbers.

Environment variables let a test watch and steer another process: `TOY_TRACE` names a file that gets a line for
every piece of work, `TOY_GATE` a stage that waits for a line on standard input, `TOY_FAIL` a stage that raises
(`TOY_FAIL_SEED` a seed on which one does, `TOY_REFUSE` a stage that says that it cannot).
"""

from __future__ import annotations

import os
import random
import sys
import types
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from envfactory.files import JsonlWriter, read_json, read_jsonl, write_json_atomic
from envfactory.pipeline import Ledger, Stage, StageContext, StageError, join, make_shards

ROWS_PER_SHARD = 4


def trace(line: str) -> None:
    if path := os.environ.get("TOY_TRACE"):
        with Path(path).open("a") as stream:
            stream.write(line + "\n")


def enter(name: str) -> None:
    trace(name)
    if os.environ.get("TOY_GATE") == name:
        print("ready", flush=True)
        sys.stdin.readline()
    if os.environ.get("TOY_FAIL") == name:
        raise ValueError("the toy broke")
    if os.environ.get("TOY_REFUSE") == name:
        raise StageError("nothing to work on; give it something")


def graph(context: StageContext) -> Mapping[str, Any]:
    enter("graph")
    write_json_atomic(context.output / "graph.json", {"nodes": sorted(context.environments), "top": 3})
    return {"nodes": len(context.environments), "edges": {"kept": 3}}


def sample(context: StageContext) -> Mapping[str, Any]:
    enter("sample")
    if os.environ.get("TOY_FAIL_SEED") == str(context.seed):
        raise ValueError(f"the toy broke on seed {context.seed}")
    draw = random.Random(context.seed)
    top = read_json(context.inputs["graph"] / "graph.json")["top"]
    with JsonlWriter(context.output / "chains.jsonl") as writer:
        for number in context.progress.track(range(12), 12, "chains"):
            writer.write(
                {"id": number, "chain": [draw.randrange(top) for _ in range(context.config.sampler.min_tools)]}
            )
    return {"chains": writer.rows}


def synthesize(context: StageContext) -> Mapping[str, Any]:
    enter("synthesize")
    chains = list(read_jsonl(context.inputs["sample"] / "chains.jsonl"))

    def make(number: int, ledger: Ledger) -> Iterator[Any]:
        trace(f"shard {number}")
        for chain in chains[number * ROWS_PER_SHARD :][:ROWS_PER_SHARD]:
            ledger.count(calls=len(chain["chain"]))
            yield {**chain, "words": ["w" * item for item in chain["chain"]]}

    join(make_shards(context, "trajectories", 3, make), context.output / "trajectories.jsonl")
    return {"trajectories": len(chains)}


def score(context: StageContext) -> Mapping[str, Any]:
    enter("score")
    alpha = context.config.reward.alpha
    rows = [alpha * sum(row["chain"]) for row in read_jsonl(context.inputs["synthesize"] / "trajectories.jsonl")]
    with JsonlWriter(context.output / "scores.jsonl") as writer:
        for row in rows:
            writer.write(row)
    return {"mean": sum(rows) / len(rows), "alpha": alpha}


def export(context: StageContext) -> Mapping[str, Any]:
    enter("export")
    rows = list(read_jsonl(context.inputs["synthesize"] / "trajectories.jsonl"))
    (context.output / "deep").mkdir()
    write_json_atomic(context.output / "deep" / "sft.json", {context.config.dataset.name: rows})
    return {"sft": len(rows)}


def report(context: StageContext) -> Mapping[str, Any]:
    enter("report")
    lines = [f"{name}: {dict(metrics)}" for name, metrics in sorted(context.metrics.items())]
    (context.output / "index.html").write_text("\n".join(lines))
    return {"pages": 1}


def check(context: StageContext) -> Mapping[str, Any]:
    enter("check")
    path = context.config.check.path
    assert path is not None
    if not Path(path).exists():
        raise StageError(f"{path}: no such file")
    return {"rows": sum(1 for _ in read_jsonl(Path(path)))}


TAKEN: dict[str, tuple[Any, tuple[str, ...], tuple[str, ...]]] = {
    "graph": (graph, ("embedder", "graph"), ()),
    "sample": (sample, ("sampler", "seed"), ("graph",)),
    "synthesize": (synthesize, ("querygen",), ("sample",)),
    "score": (score, ("reward",), ("synthesize",)),
    "export": (export, ("dataset",), ("synthesize",)),
    "report": (report, (), ("graph", "sample", "synthesize", "score", "export")),
    "check": (check, (), ()),
}

STAGES = {
    name: Stage(name, version=1, reads=reads, takes=takes, modules=(), run=run, environments=name == "graph")
    for name, (run, reads, takes) in TAKEN.items()
}


def digests(names: tuple[str, ...]) -> dict[str, str]:
    return {name: f"source of {name}" for name in names}


def install() -> None:
    """Let the real entrypoint of this process load the toys as its stages."""
    for name, stage in STAGES.items():
        module = types.ModuleType(f"envfactory.pipeline.stages.{name}")
        module.STAGE = stage  # pyright: ignore[reportAttributeAccessIssue]
        sys.modules[module.__name__] = module
