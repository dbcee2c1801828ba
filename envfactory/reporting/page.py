"""`build_report`: one HTML page that tells what a run made, what it cost and what it looks like, and needs no network.

Style, script, pictures and data are all inside the page. Text is escaped where it enters markup; conversations travel
as JSON that cannot end its script element, and the page's script shows them as text only. A content security policy
lets nothing run but that one script, by its hash, and nothing load from anywhere.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any

import jinja2
import orjson
from markupsafe import Markup

from envfactory.dataset import SETS, SetName
from envfactory.files import write_bytes_atomic
from envfactory.reporting.charts import Mark, histogram
from envfactory.reporting.facts import BINS, Facts, gather, mean
from envfactory.reporting.graph_picture import neighbours, pairs_of, picture
from envfactory.reporting.inputs import TERMS, ReportInputs
from envfactory.reporting.spending import spending
from envfactory.toolgraph import ToolGraph

PAPER_TURNS = 4.82
"""Turns a conversation (arXiv 2605.18703, section 4)."""

PAPER_STEPS = 3.29
"""Steps a turn (likewise)."""

FIGURES: dict[str, tuple[str, str]] = {
    "chains": ("Chains drawn", "count"),
    "valid_share": ("Valid by the independent check", "share"),
    "distinct_share": ("Distinct", "share"),
    "tool_coverage": ("Tools covered", "share"),
    "edge_coverage": ("Edges covered", "share"),
    "tool_entropy_bits": ("Entropy of tools, bits", "number"),
    "tool_entropy_normalised": ("Entropy, of the most possible", "share"),
    "length_mean": ("Tools a chain, mean", "number"),
    "links_mean": ("Links a chain, mean", "number"),
    "across_share": ("Across environments", "share"),
}
"""The figures of diversity that are shown: what they are called, and how they are written."""

WORDING: dict[str, tuple[str, str]] = {
    "words_mean": ("Words, mean", "number"),
    "distinct_3": ("Distinct-3", "decimal"),
    "self_similarity": ("Self-similarity", "decimal"),
    "named_share": ("Records called by their names", "share"),
    "asked_share": ("Calls asked for outright", "share"),
    "exchanges": ("Turns in which the assistant asks back", "count"),
}
"""The figures of requests that are shown."""

WORDING_NAMES = {"requests": "requests made", "phrasings": "phrasings declared"}

MODEL_FIGURES: dict[str, tuple[str, str]] = {
    "turns": ("Turns", "count"),
    "left_out": ("Left out, too long", "count"),
    "failed": ("Failed by infrastructure", "count"),
    "reward": ("R", "number"),
    "r_traj": ("R_traj", "number"),
    "r_state": ("R_state", "number"),
    "called": ("A call was executed", "share"),
    "solved": ("R_traj = 1", "share"),
    "malformed": ("Malformed calls a turn", "number"),
}
"""The figures of an evaluated model that are shown."""

TERM_NAMES = {"reward": "R", "r_traj": "R_traj", "r_state": "R_state", "p_length": "P_length"}
MODEL_NAMES = {"base": "backbone", "sft": "SFT", "rl": "SFT and RL"}
SET_NAMES: dict[SetName, str] = {
    "sft": "SFT, training",
    "sft_validation": "SFT, validation",
    "rl": "RL, training",
    "rl_validation": "RL, validation",
    "unused": "left over",
}


def build_report(inputs: ReportInputs, output_dir: Path) -> dict[str, Any]:
    """Write `index.html`; equal inputs give equal bytes.

    Args:
        inputs: what there is to show.
        output_dir: where to write.

    Returns:
        Metrics: conversations counted and shown, and the size of the page in bytes.

    Raises:
        ValueError: a file is not what it must be.
        OSError: a file cannot be read or written.
    """
    facts = gather(inputs)
    page = render(inputs, facts).encode()
    write_bytes_atomic(output_dir / "index.html", page)
    return {"conversations": facts.trajectories, "shown": len(facts.shown), "bytes": len(page)}


def render(inputs: ReportInputs, facts: Facts) -> str:
    """The page."""
    folder = resources.files("envfactory.reporting") / "templates"
    script = (folder / "report.js").read_text(encoding="utf-8")
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("envfactory.reporting"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update({"count": _count, "seconds": _seconds, "words": _words})
    graph = inputs.tool_graph()
    return environment.get_template("report.html").render(
        style=Markup((folder / "report.css").read_text(encoding="utf-8")),  # noqa: S704 - our own file
        script=Markup(script),  # noqa: S704 - our own file
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        about=inputs.about,
        tiles=_tiles(inputs, facts, graph),
        stages=_stages(inputs),
        spending=spending(inputs.metrics),
        graph=graph,
        graph_picture=picture(graph) if graph else None,
        neighbours=neighbours(graph) if graph else (),
        diversity=_table(FIGURES, inputs.diversity()),
        samplers=list(inputs.diversity()),
        rejects=inputs.rejects(),
        wording=_table(WORDING, inputs.wording()),
        wording_names=[WORDING_NAMES[texts] for texts in inputs.wording()],
        lengths=_lengths(facts),
        environments_called=sorted(facts.environments.items()),
        rewards=_rewards(facts),
        sets=_sets(inputs),
        models=_table(MODEL_FIGURES, inputs.evaluated()),
        model_names=[MODEL_NAMES.get(name, name) for name in inputs.evaluated()],
        most_called=facts.tools.most_common(12),
        facts=facts,
        data=script_json(facts.shown),
    )


def script_json(value: Any) -> Markup:
    """A value as JSON that may stand in a script element: nothing in it can end the element or begin another."""
    text = orjson.dumps(value).decode()
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)  # noqa: S704 - no character above is left


def _tiles(inputs: ReportInputs, facts: Facts, graph: ToolGraph | None) -> list[tuple[str, str, str]]:
    """The figures at the head: value, what it is, a remark."""
    tiles: list[tuple[str, str, str]] = []
    if graph:
        pairs = pairs_of(graph)
        environments = len({node.environment for node in graph.tools})
        name = f"tools in {_count(environments)} environment{'' if environments == 1 else 's'}"
        tiles.append(
            (_count(len(graph.tools)), name, f"{_count(sum(node.writes for node in graph.tools))} of them write")
        )
        proved = sum(edge.proof.state == "proved" for edge in graph.edges)
        # Rounded down: all of them are proved only where none is left.
        share = f"{1000 * proved // len(graph.edges) / 10:g}%" if graph.edges else "none"
        tiles.append((_count(len(graph.edges)), "edges", f"{share} proved by execution, {len(pairs)} pairs of tools"))
    if (chains := inputs.chain_count()) is not None:
        tiles.append((_count(chains), "grounded chains", ""))
    if facts.trajectories:
        turns = sum(facts.steps.values())
        tiles.append((_count(facts.trajectories), "trajectories", f"{_count(turns)} turns"))
        remark = f"{facts.calls / facts.trajectories:.1f} a trajectory, {_count(facts.refused)} refused"
        tiles.append((_count(facts.calls), "calls executed", remark))
    if (reward := facts.mean_term("reward")) is not None:
        tiles.append((f"{reward:.3f}", "mean reward", f"of {_count(facts.scored)} candidates"))
    if splits := inputs.split_sets():
        learned, rl = splits.counts["sft"], splits.counts["rl"]
        tiles.append((f"{_count(learned)} + {_count(rl)}", "for SFT and RL", "no kind of task in both"))
    if inputs.costs:
        total = sum(float(cost.get("seconds", 0)) for cost in inputs.costs.values())
        tiles.append((_seconds(total), "to make it all", "reused stages at what they once took"))
    return tiles


def _stages(inputs: ReportInputs) -> list[dict[str, Any]]:
    """What each stage gave and what it cost."""
    names = list(dict.fromkeys([*inputs.metrics, *inputs.costs]))
    seconds = {name: float(inputs.costs.get(name, {}).get("seconds", 0)) for name in names}
    most = max(seconds.values(), default=0)
    return [
        {
            "name": name,
            "gave": _scalars(inputs.metrics.get(name, {})),
            "seconds": seconds[name],
            "share": seconds[name] / most if most else 0,
            "counts": _scalars({key: n for key, n in _counts(inputs, name).items() if ":" not in key}),
        }
        for name in names
    ]


def _counts(inputs: ReportInputs, stage: str) -> Mapping[str, Any]:
    """What a stage counted; the names with a colon are reasons, which have tables of their own."""
    return inputs.costs.get(stage, {}).get("counts", {})


def _scalars(values: Mapping[str, Any], most: int = 8) -> list[tuple[str, str]]:
    """The plain numbers among some values, written out."""
    found = [
        (_words(name), f"{value:,.3g}" if isinstance(value, float) and not value.is_integer() else _count(value))
        for name, value in values.items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    ]
    return found[:most]


def _table(
    figures: Mapping[str, tuple[str, str]], columns: Mapping[str, Mapping[str, Any]]
) -> list[tuple[str, list[tuple[str, float | None]]]]:
    """Rows of a table: a figure's name, and for each column its text and, for a share, its length."""
    return [
        (name, [_figure(column.get(figure), form) for column in columns.values()])
        for figure, (name, form) in figures.items()
        if any(figure in column for column in columns.values())
    ]


def _figure(value: Any, form: str) -> tuple[str, float | None]:
    if not isinstance(value, int | float):
        return "", None
    if form == "share":
        return f"{value:.1%}", float(value)
    return (_count(value) if form == "count" else f"{value:.{3 if form == 'decimal' else 2}f}"), None


def _lengths(facts: Facts) -> list[dict[str, Any]]:
    """Histograms of turns and steps, each with our mean beside the paper's."""
    charts: list[dict[str, Any]] = []
    for counts, name, axis, paper in (
        (facts.turns, "Turns a conversation", "turns", PAPER_TURNS),
        (facts.steps, "Steps a turn", "steps", PAPER_STEPS),
    ):
        ours = mean(counts)
        if ours is not None:
            marks = (Mark(ours, f"here {ours:.2f}", "ours"), Mark(paper, f"paper {paper:.2f}", "paper"))
            drawn = histogram({float(value): count for value, count in counts.items()}, name, axis, marks)
            charts.append({"name": name, "ours": ours, "paper": paper, "chart": drawn})
    return charts


def _rewards(facts: Facts) -> list[dict[str, Any]]:
    """Histograms of the reward and its terms."""
    charts: list[dict[str, Any]] = []
    for term in TERMS:
        average = facts.mean_term(term)
        if average is not None:
            name = TERM_NAMES[term]
            marks = (Mark(average, f"mean {average:.3f}", "ours"),)
            drawn = histogram(
                facts.terms[term], f"{name} of all candidates", name, marks, step=1 / BINS, span=(0.0, 1.0)
            )
            charts.append({"name": name, "chart": drawn})
    return charts


def _sets(inputs: ReportInputs) -> list[tuple[str, int, int]]:
    splits = inputs.split_sets()
    return [(SET_NAMES[name], splits.counts[name], splits.groups[name]) for name in SETS] if splits else []


def _count(value: float) -> str:
    return f"{value:,.0f}"


def _seconds(value: float) -> str:
    if value < 60:
        return f"{value:.1f} s"
    minutes = round(value / 60)
    return f"{minutes // 60} h {minutes % 60} min" if minutes >= 60 else f"{int(value // 60)} min {int(value % 60)} s"


def _words(name: str) -> str:
    return name.replace("_", " ").replace(":", ": ")
