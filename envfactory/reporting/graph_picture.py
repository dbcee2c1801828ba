"""The tool graph as inline SVG: a card an environment, a row a tool, curves from producers to consumers.

Within a card, tools that feed others stand above those they feed, and curves run left of the names: most run down,
those that run up have another colour. Between cards, curves run beneath them, so that hundreds of tools stay readable;
the page's script brings those of one tool to the front. The layout depends on the graph alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape

from markupsafe import Markup

from envfactory.environment.spec import SEPARATOR
from envfactory.toolgraph import ToolGraph

ROW, HEADER, PAD = 19, 34, 12
COLUMN_GAP = 24
WIDTH = 1110
MOST_COLUMNS = 4
NARROWEST, WIDEST = 246, 310
"""Width of a card."""

NAMES = 182
"""Space for the names in a card; the curves have the rest."""

NAME_CHARACTERS = 25


@dataclass(frozen=True, slots=True)
class Pair:
    """A tool that feeds another, by however many outputs and inputs; `proved` if one of these was executed."""

    producer: str
    consumer: str
    fields: tuple[str, ...]
    proved: bool


@dataclass(frozen=True, slots=True)
class _Place:
    """A tool's row: the sides of its card, where its dot stands, how far apart cards are."""

    number: int
    left: float
    right: float
    x: float
    y: float
    gap: float


def pairs_of(graph: ToolGraph) -> list[Pair]:
    """The graph's edges by pair of tools, sorted; a tool that feeds itself is left out."""
    fields: dict[tuple[str, str], list[str]] = {}
    proved: dict[tuple[str, str], bool] = {}
    for edge in graph.edges:
        key = (edge.producer, edge.consumer)
        if edge.producer != edge.consumer:
            fields.setdefault(key, []).append(f"{edge.output} -> {edge.input}")
            proved[key] = proved.get(key, False) or edge.proof.state == "proved"
    return [Pair(*key, tuple(sorted(fields[key])), proved[key]) for key in sorted(fields)]


def picture(graph: ToolGraph) -> Markup:
    """Draw the graph."""
    pairs = pairs_of(graph)
    cards: dict[str, list[str]] = {}
    for node in graph.tools:
        cards.setdefault(node.environment, []).append(node.tool)
    columns = max(1, min(MOST_COLUMNS, len(cards)))
    gap = 90.0 if columns < MOST_COLUMNS else 34.0
    card = min(WIDEST, max(NARROWEST, (WIDTH - 2 * PAD - gap * (columns - 1)) // columns))
    places: dict[str, _Place] = {}
    bottoms = [float(PAD)] * columns
    boxes: list[str] = []
    own: dict[str, list[Pair]] = {}
    for pair in pairs:
        if not _far(pair):
            own.setdefault(pair.producer.partition(SEPARATOR)[0], []).append(pair)
    for environment in sorted(cards):
        column = bottoms.index(min(bottoms))
        left, top = PAD + column * (card + gap), bottoms[column]
        height = HEADER + ROW * len(cards[environment]) + PAD
        bottoms[column] += height + COLUMN_GAP
        title = environment.replace("_", " ")
        boxes.append(
            f'<rect class="card" x="{left:g}" y="{top:g}" width="{card:g}" height="{height}" rx="10"/>'
            f'<text class="environment" x="{left + 14:g}" y="{top + 22:g}">{escape(title)}</text>'
        )
        for row, tool in enumerate(_ordered(cards[environment], own.get(environment, ()))):
            y = top + HEADER + ROW * (row + 0.5)
            places[tool] = _Place(len(places), left, left + card, left + card - NAMES, y, gap)
    writes = {node.tool: node.writes for node in graph.tools}
    inside = [pair for pair in pairs if not _far(pair)]
    across = [pair for pair in pairs if _far(pair)]
    fed, feeds = _degrees(pairs)
    faint = max(0.16, min(0.7, 24 / max(1, len(across))))
    width = 2 * PAD + columns * card + (columns - 1) * gap
    height = max(bottoms) - COLUMN_GAP + PAD
    parts = [
        f'<g class="across" style="--faint:{faint:.2f}">{"".join(_across(pair, places) for pair in across)}</g>',
        *boxes,
        f'<g class="inside">{"".join(_inside(pair, places) for pair in inside)}</g>',
        "".join(_node(tool, places[tool], writes[tool], fed[tool], feeds[tool]) for tool in places),
    ]
    label = f"{len(graph.tools)} tools of {len(cards)} environments; {len(pairs)} pairs in which one feeds the other"
    return Markup(  # noqa: S704 - every text above is escaped
        f'<svg class="graph" viewBox="0 0 {width:g} {height:g}" width="{width:g}" height="{height:g}" role="img" '
        f'aria-label="{label}">{"".join(parts)}</svg>'
    )


def neighbours(graph: ToolGraph) -> list[tuple[str, bool, int, int]]:
    """The picture as a table: tool, whether it writes, how many tools feed it, how many it feeds."""
    fed, feeds = _degrees(pairs_of(graph))
    return [(node.tool, node.writes, fed[node.tool], feeds[node.tool]) for node in graph.tools]


def _degrees(pairs: Iterable[Pair]) -> tuple[Counter[str], Counter[str]]:
    """How many tools feed a tool, and how many it feeds."""
    fed: Counter[str] = Counter()
    feeds: Counter[str] = Counter()
    for pair in pairs:
        fed[pair.consumer] += 1
        feeds[pair.producer] += 1
    return fed, feeds


def _far(pair: Pair) -> bool:
    return pair.producer.partition(SEPARATOR)[0] != pair.consumer.partition(SEPARATOR)[0]


def _ordered(tools: Iterable[str], pairs: Iterable[Pair]) -> list[str]:
    """Tools of one environment, those that feed more than they are fed first."""
    balance = dict.fromkeys(tools, 0)
    for pair in pairs:
        balance[pair.producer] += 1
        balance[pair.consumer] -= 1
    return sorted(balance, key=lambda tool: (-balance[tool], tool))


def _inside(pair: Pair, places: Mapping[str, _Place]) -> str:
    start, end = places[pair.producer], places[pair.consumer]
    room = start.x - start.left - 14
    # A cubic curve reaches three quarters of the way to its handles.
    reach = start.x - min(room, 8 + 8 * abs(end.y - start.y) / ROW) / 0.75
    path = f"M{start.x - 6:g} {start.y:g}C{reach:.1f} {start.y:g} {reach:.1f} {end.y:g} {start.x - 6:g} {end.y:g}"
    return _curve(pair, places, path, "down" if end.y > start.y else "up")


def _across(pair: Pair, places: Mapping[str, _Place]) -> str:
    start, end = places[pair.producer], places[pair.consumer]
    bend = start.gap * 0.9
    # A card in the same column is reached around its side, another one from side to side.
    if start.left <= end.left:
        x1, x2 = start.right, end.right if start.left == end.left else end.left
        bend1, bend2 = x1 + bend, x2 + bend if start.left == end.left else x2 - bend
    else:
        x1, x2 = start.left, end.right
        bend1, bend2 = x1 - bend, x2 + bend
    path = f"M{x1:g} {start.y:g}C{bend1:g} {start.y:g} {bend2:g} {end.y:g} {x2:g} {end.y:g}"
    return _curve(pair, places, path, "over")


def _curve(pair: Pair, places: Mapping[str, _Place], path: str, kind: str) -> str:
    told = f"{pair.producer} feeds {pair.consumer}: {', '.join(pair.fields[:6])}"
    classes = f"edge {kind}" if pair.proved else f"edge {kind} unproved"
    ends = f'data-a="{places[pair.producer].number}" data-b="{places[pair.consumer].number}"'
    return f'<path class="{classes}" {ends} d="{path}"><title>{escape(told)}</title></path>'


def _node(tool: str, place: _Place, writes: bool, fed: int, feeds: int) -> str:
    name = tool.partition(SEPARATOR)[2]
    short = name if len(name) <= NAME_CHARACTERS else f"{name[: NAME_CHARACTERS - 1]}…"
    told = f"{tool} ({'writes' if writes else 'reads'}): fed by {fed} tools, feeds {feeds}"
    return (
        f'<g class="tool {"writes" if writes else "reads"}" data-tool="{escape(tool)}" data-number="{place.number}">'
        f"<title>{escape(told)}</title>"
        f'<rect class="hit" x="{place.x - 8:g}" y="{place.y - ROW / 2:g}" width="{NAMES}" height="{ROW}"/>'
        f'<circle cx="{place.x:g}" cy="{place.y:g}" r="4"/>'
        f'<text x="{place.x + 10:g}" y="{place.y + 4:g}">{escape(short)}</text></g>'
    )
