"""Charts as inline SVG: numbers in, markup out; colours come from the page's style sheet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from markupsafe import Markup


@dataclass(frozen=True, slots=True)
class Mark:
    """A vertical line at a value, with a label; `kind` is `ours` or `paper`."""

    value: float
    label: str
    kind: str


WIDTH, HEIGHT = 420, 210
_LEFT, _RIGHT, _TOP, _BOTTOM = 40, 12, 40, 34


def histogram(
    counts: Mapping[float, int],
    title: str,
    axis: str,
    marks: Sequence[Mark] = (),
    step: float = 1.0,
    span: tuple[float, ...] = (),
) -> Markup:
    """Bars of counts over evenly spaced values.

    Args:
        counts: value to how often; values are multiples of `step`.
        title: what it shows, for who cannot see it.
        axis: what stands on the horizontal axis.
        marks: lines at means.
        step: distance of neighbouring values.
        span: values that the axis shows in any case.
    """
    values = [value for value, count in counts.items() if count]
    edges = [*values, *span, *(mark.value for mark in marks)]
    if not values:
        return Markup('<p class="none">Nothing to show.</p>')
    low = round(min(edges) / step) * step
    bars = round((max(edges) - low) / step) + 1
    highest = max(counts.values())
    slot = (WIDTH - _LEFT - _RIGHT) / bars
    base = HEIGHT - _BOTTOM

    def x(value: float) -> float:
        return _LEFT + ((value - low) / step + 0.5) * slot

    parts = [f'<text class="axis" x="{_LEFT - 6}" y="{_TOP + 4}" text-anchor="end">{highest:,}</text>']
    parts += [f'<line class="base" x1="{_LEFT}" x2="{WIDTH - _RIGHT}" y1="{base}" y2="{base}"/>']
    every = max(1, -(-bars // 11))
    for index in range(bars):
        value = round(low + index * step, 6)
        count = sum(number for at, number in counts.items() if abs(at - value) < step / 2)
        height = (base - _TOP) * count / highest
        if count:
            parts.append(
                f'<rect class="bar" x="{x(value) - slot * 0.42:.1f}" y="{base - height:.1f}" '
                f'width="{slot * 0.84:.1f}" height="{height:.1f}" rx="2"><title>{value:g}: {count:,}</title></rect>'
            )
        if index % every == 0:
            parts.append(f'<text class="axis" x="{x(value):.1f}" y="{base + 15}" text-anchor="middle">{value:g}</text>')
    for row, mark in enumerate(marks):
        at, y = x(mark.value), 12 + 14 * row
        end = at > WIDTH - 100
        parts.append(f'<line class="mark {mark.kind}" x1="{at:.1f}" x2="{at:.1f}" y1="{y}" y2="{base}"/>')
        parts.append(
            f'<text class="mark {mark.kind}" x="{at + (-5 if end else 5):.1f}" y="{y + 4}" '
            f'text-anchor="{"end" if end else "start"}">{escape(mark.label)}</text>'
        )
    parts.append(
        f'<text class="axis" x="{(WIDTH + _LEFT) / 2}" y="{HEIGHT - 3}" text-anchor="middle">{escape(axis)}</text>'
    )
    told = "; ".join(f"{value:g}: {counts[value]}" for value in sorted(values))
    return Markup(  # noqa: S704 - every text above is escaped
        f'<svg class="chart" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="{escape(title)}. {escape(told)}">{"".join(parts)}</svg>'
    )
