"""Charts are well-formed SVG that says what it shows."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st

from envfactory.reporting.charts import Mark, histogram

COUNTS = st.dictionaries(st.integers(-20, 20), st.integers(0, 10_000), min_size=1)
SVG = "{http://www.w3.org/2000/svg}"


def drawn(markup: str) -> ET.Element:
    return ET.fromstring(markup)


@given(COUNTS, st.floats(-20, 20))
def test_every_count_is_a_bar_within_the_picture(counts, mean) -> None:
    markup = histogram(
        {value / 20: count for value, count in counts.items()}, "t", "a", [Mark(mean / 20, "m", "ours")], 0.05
    )
    if not any(counts.values()):
        assert "Nothing to show" in markup
        return
    picture = drawn(markup)
    _, _, width, height = map(float, picture.attrib["viewBox"].split())
    bars = [element for element in picture if element.get("class") == "bar"]
    assert len(bars) == sum(count > 0 for count in counts.values())
    for bar in bars:
        assert 0 <= float(bar.attrib["x"]) <= float(bar.attrib["x"]) + float(bar.attrib["width"]) <= width
        assert 0 <= float(bar.attrib["y"]) <= float(bar.attrib["y"]) + float(bar.attrib["height"]) <= height


def test_the_highest_bar_fills_the_picture_and_others_are_in_proportion() -> None:
    picture = drawn(histogram({1: 4, 2: 2}, "t", "a"))
    high, low = (float(element.attrib["height"]) for element in picture if element.get("class") == "bar")
    assert high == 2 * low


def test_the_span_is_shown_although_nothing_is_there() -> None:
    labels = [element.text for element in drawn(histogram({1.0: 3}, "t", "a", step=0.5, span=(0.0, 1.0)))]
    assert {"0", "0.5", "1"} <= set(labels)


def test_texts_are_escaped() -> None:
    markup = histogram({1: 1}, 'a"<b>', "<i>", [Mark(1, "</svg><script>", "ours")])
    assert "<script" not in markup
    assert drawn(markup).attrib["aria-label"].startswith('a"<b>')
