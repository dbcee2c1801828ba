"""The report page: whole, self-contained, the same every time, and safe whatever the data say."""

from __future__ import annotations

import base64
import hashlib
import re
import shutil
import subprocess
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import orjson
import pytest

from envfactory.dataset import Sizes, group_of, split, write_splits
from envfactory.embedding import Lexical
from envfactory.files import JsonlWriter
from envfactory.querygen.figures import RequestFigures, Variety
from envfactory.reporting import ReportInputs, build_report, facts
from envfactory.reporting.page import script_json
from envfactory.reward import Rescorer
from envfactory.sampling import TopologySettings
from envfactory.sampling.batches import compare_samplers
from envfactory.toolgraph.build import Settings, build_graph
from envfactory.trajectory import Trajectory
from tests.dataset.support import booking, hotels, looking, write

HOSTILE = "</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\"><!--\u2028"
VOID = {"meta", "input", "br", "link", "img"}


class Outline(HTMLParser):
    """Elements, ids and attributes of a page; an element that is not closed in order is an error."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.ids: list[str] = []
        self.texts: dict[str, list[str]] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        self.tags.append((tag, attributes))
        if identifier := attributes.get("id"):
            self.ids.append(identifier)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open:
            self.texts.setdefault(self.open[-1], []).append(data)


def outline(page: Path) -> Outline:
    parser = Outline()
    parser.feed(page.read_text(encoding="utf-8"))
    parser.close()
    assert parser.open == []
    return parser


def inputs(folder: Path, trajectories: list[Trajectory]) -> ReportInputs:
    """Artifacts of a small run: everything in them was made by the package."""
    folder.mkdir(exist_ok=True)
    graph = build_graph(hotels().specs.values(), Lexical(), Settings(scenario_size=30), hotels())
    graph.save(folder / "tool_graph.json")
    path = write(folder, trajectories)
    with JsonlWriter(folder / "scores.jsonl") as writer:
        for trajectory in trajectories:
            for row in Rescorer(hotels()).rows(trajectory):
                writer.write(row.model_dump(mode="json"))
    with JsonlWriter(folder / "chains.jsonl") as writer:
        for number, trajectory in enumerate(trajectories):
            writer.write({"chain": number, "gold": trajectory.gold.model_dump(mode="json")})
    groups = {trajectory.id: group_of(call.tool for call in trajectory.gold.calls) for trajectory in trajectories}
    write_splits(folder / "splits.json", split(groups, Sizes(1, 0, 1, 0), 0))
    figures = compare_samplers(graph, "topology", TopologySettings(), 50, 0)
    return ReportInputs(
        graph=folder / "tool_graph.json",
        chains=folder / "chains.jsonl",
        trajectories=path,
        scores=folder / "scores.jsonl",
        splits=folder / "splits.json",
        metrics={
            "graph": graph.statistics(),
            "sample": {"chains": 2, "rejects": {"refused:conflict": 7}, "diversity": figures},
            "synthesize": {"trajectories": len(trajectories), "rejects": {"unsayable": 3}},
        },
        costs={
            "graph": {"seconds": 1.25, "counts": {"calls": 40, "dropped:unfit": 2}},
            "synthesize": {"seconds": 75.0, "counts": {}},
        },
        about={"seed": "0"},
        backend=hotels(),
    )


@pytest.fixture
def made(tmp_path: Path) -> Path:
    build_report(inputs(tmp_path / "run", [booking(), looking()]), tmp_path / "report")
    return tmp_path / "report" / "index.html"


def data_of(page: Path) -> list[dict[str, Any]]:
    (text,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page.read_text(encoding="utf-8"))
    return orjson.loads(text)


def test_the_page_is_well_formed_and_its_ids_are_unique(made) -> None:
    found = outline(made)
    assert len(found.ids) == len(set(found.ids))
    for name in ("cost", "graph", "sampling", "lengths", "rewards", "sets", "conversations", "data"):
        assert name in found.ids
    targets = [attributes["href"] for tag, attributes in found.tags if tag == "a"]
    assert all(target and target[1:] in found.ids for target in targets)


def test_every_trajectory_is_in_it_with_set_reward_and_changes(made) -> None:
    first, second = data_of(made)
    assert [first["id"], second["id"]] == ["t-0001", "t-0002"]
    assert {first["set"], second["set"]} == {"sft", "rl"}
    assert first["terms"] == {"reward": 1.0, "r_traj": 1.0, "r_state": 1.0, "p_length": 0.0}
    assert first["turns"][0]["changes"] == []
    assert [change["id"] for change in first["turns"][1]["changes"]] == ["RES-1001"]
    assert first["turns"][0]["steps"][1]["calls"][0]["tool"] == "hotel_reservations-get_hotel"
    assert len(first["turns"][0]["steps"][1]["calls"]) == 2


def test_it_tells_counts_costs_rejects_diversity_and_the_papers_lengths(made) -> None:
    text = re.sub(r"<[^>]+>", " ", made.read_text(encoding="utf-8"))
    text = re.sub(r"\s+", " ", text)
    for told in (
        "11 tools in 1 environment",
        "2 trajectories",
        "1 min 16 s",
        "40 calls",
        "Chains dropped Reason Times refused: conflict 7",
        "Conversations dropped Reason Times unsayable 3",
        "Valid by the independent check 100.0%",
        "Edges covered",
        "random walk",
        "paper 4.82",
        "paper 3.29",
        "here 1.50",
        "SFT, training 1 1",
    ):
        assert told in text, told


def test_nothing_is_loaded_from_anywhere_and_only_its_own_script_may_run(made) -> None:
    found = outline(made)
    for tag, attributes in found.tags:
        assert not {"src", "srcset", "action", "data", "poster"} & attributes.keys(), tag
        assert tag not in {"link", "iframe", "object", "embed", "base", "img"}
        assert not [name for name in attributes if name.startswith("on")]
    text = made.read_text(encoding="utf-8")
    assert "@import" not in text
    assert "url(" not in text
    assert not re.findall(r"https?://", text)
    (policy,) = [a["content"] for tag, a in found.tags if tag == "meta" and "http-equiv" in a]
    scripts = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    assert len(scripts) == 1
    digest = base64.b64encode(hashlib.sha256(scripts[0].encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in str(policy)
    assert str(policy).startswith("default-src 'none';")


def test_equal_inputs_give_equal_bytes(tmp_path) -> None:
    given = inputs(tmp_path / "run", [booking(), looking()])
    metrics = [build_report(given, tmp_path / name) for name in ("one", "two")]
    one, two = ((tmp_path / name / "index.html").read_bytes() for name in ("one", "two"))
    assert one == two
    assert metrics[0] == metrics[1] == {"conversations": 2, "shown": 2, "bytes": len(one)}


def test_an_empty_run_has_a_page_that_says_what_is_missing(tmp_path) -> None:
    assert build_report(ReportInputs(), tmp_path)["shown"] == 0
    text = (tmp_path / "index.html").read_text(encoding="utf-8")
    outline(tmp_path / "index.html")
    for told in ("no tool graph", "no trajectories", "Nothing was scored", "no conversations to show"):
        assert told in text


def test_the_first_conversations_are_shown_and_all_are_counted(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(facts, "SHOWN", 3)
    many = [looking(f"t-{number:04d}") for number in range(7)]
    assert build_report(inputs(tmp_path / "run", many), tmp_path) | {"bytes": 0} == {
        "conversations": 7, "shown": 3, "bytes": 0,
    }  # fmt: skip
    assert [item["id"] for item in data_of(tmp_path / "index.html")] == ["t-0000", "t-0001", "t-0002"]
    assert "The first 3 of 7" in (tmp_path / "index.html").read_text(encoding="utf-8")


def test_a_long_result_is_cut_and_says_so(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(facts, "RESULT_CHARACTERS", 10)
    build_report(inputs(tmp_path / "run", [looking()]), tmp_path)
    (item,) = data_of(tmp_path / "index.html")
    shown = item["turns"][0]["steps"][0]["calls"][0]
    whole = looking().conversation.turns[0].steps[0].calls[0].result
    assert (shown["result"], shown["cut"]) == (whole[:10], len(whole) - 10)


def hostile(trajectory: Trajectory) -> Trajectory:
    """The same conversation, in which every text that a person or a model writes is hostile."""
    document = trajectory.model_dump(mode="json")
    document["persona"] = {"name": HOSTILE, "manner": HOSTILE}
    for turn in document["candidates"][0]["turns"]:
        turn["user"] = HOSTILE
        turn["steps"][-1]["text"] = HOSTILE
        turn["steps"][0]["calls"][0]["arguments"] = {HOSTILE: HOSTILE}
        turn["steps"][0]["calls"][0]["result"] = orjson.dumps({HOSTILE: HOSTILE}).decode()
    document["candidates"][0]["turns"][-1]["diff"]["hotel_reservations"]["tables"]["reservations"]["created"][
        "RES-1001"
    ]["request"] = HOSTILE
    return Trajectory.model_validate(document)


def hostile_page(folder: Path) -> Path:
    given = inputs(folder / "run", [hostile(booking())])
    metrics = {"sample": {"rejects": {HOSTILE: 3}, "diversity": {HOSTILE: {"chains": 5}}, HOSTILE: 1}, HOSTILE: {}}
    build_report(replace(given, metrics=metrics, about={HOSTILE: HOSTILE}), folder)
    return folder / "index.html"


def test_hostile_text_stays_text(tmp_path) -> None:
    page = hostile_page(tmp_path)
    found = outline(page)
    assert [attributes for tag, attributes in found.tags if tag == "script"] == [
        {"type": "application/json", "id": "data"},
        {},
    ]
    assert "img" not in [tag for tag, _ in found.tags]
    assert data_of(page)[0]["turns"][0]["user"] == HOSTILE
    assert any(HOSTILE in text for text in found.texts["dd"])


def test_json_in_a_script_cannot_end_it_and_comes_back_whole() -> None:
    text = script_json({"x": HOSTILE + "&\u2029"})
    assert not set("<>&\u2028\u2029") & set(text)
    assert orjson.loads(str(text)) == {"x": HOSTILE + "&\u2029"}


@pytest.mark.browser
@pytest.mark.skipif(shutil.which("chromium") is None, reason="needs Chromium")
def test_a_browser_shows_the_conversation_and_runs_nothing_hostile(tmp_path) -> None:
    page = hostile_page(tmp_path)
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--disable-sync"]  # fmt: skip
    command = [
        "chromium",
        *flags,
        f"--user-data-dir={tmp_path / 'profile'}",
        "--virtual-time-budget=4000",
        "--dump-dom",
    ]
    run = subprocess.run([*command, page.as_uri()], capture_output=True, text=True, timeout=90, check=True)
    assert "<title>EnvFactory report</title>" in run.stdout
    assert "owned" not in run.stdout.partition("</title>")[0]
    assert 'aria-current="true"' in run.stdout
    assert "Turn 1 of 2" in run.stdout
    assert "1 conversation</p>" in run.stdout
    assert "<img" not in run.stdout


def test_evaluated_models_stand_side_by_side_and_only_if_there_are_any(tmp_path, made: Path) -> None:
    assert 'id="models"' not in made.read_text(encoding="utf-8")
    assert "#models" not in made.read_text(encoding="utf-8")
    given = inputs(tmp_path / "more", [booking(), looking()])
    figures = {"base": {"turns": 4, "reward": 0.125, "called": 0.5}, "sft": {"turns": 4, "failed": 4}}
    build_report(replace(given, metrics={**given.metrics, "evaluate": figures}), tmp_path / "shown")
    page = tmp_path / "shown" / "index.html"
    outline(page)
    text = page.read_text(encoding="utf-8").partition('id="models"')[2].partition("</section>")[0]
    assert re.findall(r'class="number">(?:<span[^>]*>)?([^<]*)', text) == [
        "backbone", "SFT", "4", "4", "", "4", "0.12", "", "50.0%", "",
    ]  # fmt: skip


def test_variety_of_requests_stands_beside_that_of_the_phrasings_and_only_if_it_was_measured(
    tmp_path, made: Path
) -> None:
    assert 'wording"' not in made.read_text(encoding="utf-8")
    given = inputs(tmp_path / "more", [booking(), looking()])
    counted = RequestFigures(hotels().specs)
    for trajectory in (booking(), looking()):
        counted.add(trajectory.model_dump(mode="json"))
    requests = counted.metrics()
    metrics = {**given.metrics, "synthesize": {**given.metrics["synthesize"], "requests": requests}}
    build_report(replace(given, metrics=metrics), tmp_path / "shown")
    page = tmp_path / "shown" / "index.html"
    outline(page)
    text = page.read_text(encoding="utf-8").partition('<section id="wording"')[2].partition("</section>")[0]
    rows = {
        name: re.findall(r'<td class="number">(?:<span[^>]*>)?([^<]*)', cells)
        for name, cells in re.findall(r'<th scope="row">([^<]*)</th>(.*)</tr>', text)
    }
    phrasings = Variety()
    for tool in hotels().specs["hotel_reservations"].agent_tools:
        for asked in tool.ask:
            phrasings.add(asked)
    declared = phrasings.metrics()
    for name, figure in (("Distinct-3", "distinct_3"), ("Self-similarity", "self_similarity")):
        assert rows[name] == [f"{requests[figure]:.3f}", f"{declared[figure]:.3f}"]
    assert float(rows["Distinct-3"][1]) > 0
    assert rows["Calls asked for outright"] == ["100.0%", ""]


def test_what_models_cost_is_shown_only_if_any_was_asked(tmp_path, made: Path) -> None:
    assert 'id="spending"' not in made.read_text(encoding="utf-8")
    given = inputs(tmp_path / "more", [booking(), looking()])
    told = {"spent": {HOSTILE: {"requests": 12, "money": 0.75}}, "trajectories": [{"id": HOSTILE, "requests": 7}]}
    metrics = {**given.metrics, "synthesize": {**given.metrics["synthesize"], "model": told}}
    build_report(replace(given, metrics=metrics), tmp_path / "shown")
    page = tmp_path / "shown" / "index.html"
    found = outline(page)
    assert any(HOSTILE in text for text in found.texts["th"])
    text = page.read_text(encoding="utf-8").partition('id="spending"')[2].partition("</section>")[0]
    assert re.findall(r'<td class="number">([^<]*)', text)[:2] == ["12", "0.75"]
