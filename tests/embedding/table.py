"""What docs/chains.md says of the embedders, from what was measured: `python -m tests.embedding.table` writes it.

It takes the embedding interpreter, which launchers/embedding/setup.sh builds, and a minute or two.
"""

from __future__ import annotations

import json
import re
import tempfile
from typing import Any

from envfactory.files import write_bytes_atomic
from tests.embedding.conftest import ROOT, run

PAGE = ROOT / "docs" / "chains.md"
COMPARE = "tests/embedding/inside/compare.py"
NAMES = (
    "marketplace_orders", "inventory_warehouse", "retail_banking", "hotel_reservations", "rail_tickets",
    "calendar_scheduling", "task_board", "parcel_tracking",
)  # fmt: skip
"""The environments that the embedders are compared on."""
_BEGINS, _ENDS = "<!-- by tests.embedding.table -->\n", "<!-- end -->\n"
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")


def section(scores: dict[str, Any]) -> str:
    """The figures of a comparison (inside/compare.py) as the page gives them."""
    lexical, minilm = scores["lexical"], scores["minilm"]
    rows = "\n".join(_row(name, scores[name]) for name in ("lexical", "minilm"))
    free = [
        _figures(score["curve"][str(score["threshold"])], "precision", "recall", "f1") for score in (lexical, minilm)
    ]
    refined = [_figures(score["refined"], "precision", "recall") for score in (lexical, minilm)]
    return f"""\
*Declared*: {scores["pairs_declared"]:,} pairs whose `Ref` or `Value` agree. *Proved*: {scores["proved"]:,} pairs that
execution proved, among all that the declarations or either embedder suggest.

| embedder | threshold | pairs proposed | declared: precision | recall | F1 | proved: precision | recall | F1 |
|---|---|---|---|---|---|---|---|---|
{rows}

Precision, recall and F1 against what is declared, without the limit of 8: {", ".join(free[0])} (`lexical`);
{", ".join(free[1])} (`minilm`). Rules and proof then level most of it: {lexical["edges"]:,} and {minilm["edges"]:,}
edges remain, {lexical["proved_edges"]:,} and {minilm["proved_edges"]:,} of them proved, {lexical["by_text_alone"]} and
{minilm["by_text_alone"]} by text alone; precision and recall against what is declared are then
{" and ".join(refined[0])}, and {" and ".join(refined[1])}.
"""


def _figures(score: dict[str, float], *keys: str) -> list[str]:
    return [f"{score[key]:.2f}" for key in keys]


def _row(name: str, score: dict[str, Any]) -> str:
    cells = [f"`{name}`", str(score["threshold"]), f"{score['pairs']:,}"]
    for truth in ("declared", "proved"):
        cells += _figures(score[truth], "precision", "recall", "f1")
    return f"| {' | '.join(cells)} |"


def written() -> str:
    """The section as it stands on the page."""
    return PAGE.read_text(encoding="utf-8").split(_BEGINS)[1].split(_ENDS)[0]


def words_and_numbers(text: str) -> tuple[str, list[float]]:
    """A text without its numbers, and these."""
    return _NUMBER.sub("_", text), [float(number.replace(",", "")) for number in _NUMBER.findall(text)]


def main() -> None:
    """Measure, and write the section."""
    with tempfile.TemporaryDirectory() as folder:
        ended = run(COMPARE, folder, *NAMES)
    if ended.returncode != 0:
        raise SystemExit(ended.stderr)
    page = PAGE.read_text(encoding="utf-8")
    before, rest = page.split(_BEGINS)
    _, after = rest.split(_ENDS)
    text = f"{before}{_BEGINS}{section(json.loads(ended.stdout))}{_ENDS}{after}"
    write_bytes_atomic(PAGE, text.encode())


if __name__ == "__main__":
    main()
