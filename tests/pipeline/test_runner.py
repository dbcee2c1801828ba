"""What is made, what is reused, and what the run folder says about it."""

from __future__ import annotations

import dataclasses
import errno
import io
import logging
import os
import shutil
from pathlib import Path

import pytest
from rich.console import Console

from envfactory.config import Config, ConfigError
from envfactory.files import read_json, write_json_atomic
from envfactory.pipeline import Outcome, Runner, StageContext, load_stage
from envfactory.pipeline.display import Display
from tests.pipeline import toys
from tests.pipeline.conftest import MakeConfig

ALL = ["graph", "sample", "synthesize", "score", "export", "report"]


class Said:
    """A terminal that keeps what it was told."""

    def __init__(self) -> None:
        self.stream = io.StringIO()
        self.display = Display("plain", Console(file=self.stream, width=500))

    @property
    def text(self) -> str:
        return self.stream.getvalue()


@pytest.fixture
def said() -> Said:
    return Said()


def run(config: Config, said: Said, name: str = "toy") -> Outcome:
    return Runner(config, name, environments=toys.digests, display=said.display, stages=toys.STAGES.__getitem__).run()


def test_the_same_command_reuses_everything(make_config: MakeConfig, said: Said) -> None:
    first, second = run(make_config(), said), run(make_config(), said)
    assert (first.state, first.exit_code, first.stages_in("made")) == ("done", 0, ALL)
    assert (second.state, second.stages_in("reused"), second.stages_in("made")) == ("done", ALL, [])
    assert first.cell_id == second.cell_id
    assert second.folder is not None
    assert [path.name for path in sorted((second.folder / "attempts").iterdir())] == ["1", "2"]


def test_the_configuration_may_choose_what_a_stage_takes(make_config: MakeConfig, said: Said) -> None:
    def takes(config: Config) -> tuple[str, ...]:
        return ("sample",) if config.reward.alpha else ()

    stages = {**toys.STAGES, "score": dataclasses.replace(toys.STAGES["graph"], name="score", takes=takes)}
    made: list[list[str]] = []
    for alpha in (0, 1):
        config = make_config(f"reward.alpha={alpha}", "stages=[score]")
        runner = Runner(config, "toy", environments=toys.digests, display=said.display, stages=stages.__getitem__)
        made.append(runner.run().stages_in("made"))
    assert made == [["score"], ["graph", "sample", "score"]]


def test_another_alpha_makes_score_and_report_alone(make_config: MakeConfig, said: Said) -> None:
    run(make_config("reward.alpha=0"), said)
    outcome = run(make_config("reward.alpha=1"), said)
    assert outcome.stages_in("made") == ["score", "report"]
    assert outcome.stages_in("reused") == ["graph", "sample", "synthesize", "export"]


@pytest.mark.parametrize(
    "override", ["logger.level=debug", "paths.lock_timeout_s=5", "scale.sft=3", "serving.scenario_size=9"]
)
def test_what_no_stage_reads_makes_nothing_anew(make_config: MakeConfig, said: Said, override: str) -> None:
    run(make_config(), said)
    assert run(make_config(override), said).stages_in("made") == []


def test_a_source_that_changed_makes_what_uses_it_anew(
    make_config: MakeConfig, said: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(make_config(), said)
    monkeypatch.setattr(toys, "digests", lambda names: dict.fromkeys(names, "another source"))
    # The graph comes out the same, so nothing that depends on it is made.
    assert run(make_config(), said).stages_in("made") == ["graph"]


def test_force_makes_a_stage_anew_and_keeps_what_still_fits(make_config: MakeConfig, said: Said) -> None:
    before = run(make_config(), said)
    outcome = run(make_config("force=[sample]"), said)
    assert outcome.cell_id == before.cell_id
    assert outcome.stages_in("made") == ["sample"]


def test_force_on_a_stage_without_a_part_is_refused(make_config: MakeConfig, said: Said) -> None:
    with pytest.raises(ConfigError, match=r"force=score: has no part in this run; graph, sample have"):
        run(make_config("stages=[sample]", "force=[score]"), said)


def test_forcing_a_stage_whose_result_changed_replaces_it(
    make_config: MakeConfig, said: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(make_config(), said)
    stage = toys.STAGES["export"]

    def changed(context: StageContext) -> dict[str, int]:
        (context.output / "other.txt").write_text("other")
        return {"sft": 0}

    monkeypatch.setitem(toys.STAGES, "export", dataclasses.replace(stage, run=changed))
    outcome = run(make_config("force=[export]"), said)
    assert outcome.stages_in("made") == ["export", "report"]
    assert outcome.folder is not None
    assert [path.name for path in sorted((outcome.folder / "artifacts" / "export").iterdir())] == [
        "manifest.json",
        "other.txt",
    ]


@pytest.mark.parametrize("stage", ["graph", "export"])
@pytest.mark.parametrize("edit", ["change", "add", "remove", "manifest", "metrics"])
def test_an_artifact_edited_by_hand_is_noticed_and_made_anew(
    make_config: MakeConfig, said: Said, stage: str, edit: str
) -> None:
    outcome = run(make_config(), said)
    assert outcome.folder is not None
    folder = (outcome.folder / "artifacts" / stage).resolve()
    file = next(path for path in sorted(folder.rglob("*.json")) if path.name != "manifest.json")
    good = file.read_bytes()
    if edit == "change":
        file.write_bytes(good.replace(b"3", b"4", 1))
    elif edit == "add":
        (folder / "more.txt").write_text("more")
    elif edit == "remove":
        file.unlink()
    elif edit == "metrics":
        manifest = read_json(folder / "manifest.json")
        write_json_atomic(folder / "manifest.json", {**manifest, "metrics": {"nodes": 1000}})
    else:
        (folder / "manifest.json").write_text("{}")
    again = run(make_config(), said)
    # What is made is what was there before, so nothing after it changes.
    assert again.stages_in("made") == [stage]
    assert file.read_bytes() == good
    assert "is damaged and is made anew" in said.text
    assert (folder.parent / f"{folder.name}.damaged-1").is_dir()


def test_a_file_that_stands_where_an_artifact_belongs_is_moved_aside(make_config: MakeConfig, said: Said) -> None:
    outcome = run(make_config(), said)
    assert outcome.folder is not None
    folder = (outcome.folder / "artifacts" / "export").resolve()
    shutil.rmtree(folder)
    folder.write_text("mine")
    assert run(make_config(), said).stages_in("made") == ["export"]
    assert folder.with_name(f"{folder.name}.damaged-1").read_text() == "mine"


def test_outputs_that_cannot_be_written_are_told_in_a_line(make_config: MakeConfig, said: Said, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    outcome = run(make_config(outputs=tmp_path / "taken"), said)
    assert (outcome.state, outcome.exit_code) == ("failed", 1)
    assert "cannot be written" in said.text
    assert "paths.outputs=FOLDER" in said.text


def test_a_folder_that_stands_where_a_link_belongs_is_told_in_a_line(
    make_config: MakeConfig, said: Said, tmp_path: Path
) -> None:
    (tmp_path / "outputs" / "latest" / "mine").mkdir(parents=True)
    outcome = run(make_config(), said)
    assert (outcome.state, outcome.exit_code) == ("failed", 1)
    assert "outputs/latest" in said.text


def test_a_full_disk_is_told_in_a_line_and_the_same_command_continues(
    make_config: MakeConfig, said: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(context: StageContext) -> dict[str, int]:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(context.output / "sft.json"))

    with monkeypatch.context() as patch:
        patch.setitem(toys.STAGES, "export", dataclasses.replace(toys.STAGES["export"], run=full))
        outcome = run(make_config(), said)
    assert (outcome.state, outcome.exit_code) == ("failed", 1)
    assert "No space left on device" in said.text
    assert "once that is mended, the same command continues" in said.text
    assert run(make_config(), said).stages_in("made") == ["export", "report"]


def test_stages_not_listed_are_made_if_needed_and_reused_if_there(make_config: MakeConfig, said: Said) -> None:
    assert run(make_config("stages=[score]"), said).stages_in("made") == ["graph", "sample", "synthesize", "score"]
    assert run(make_config("stages=[export]"), said).stages_in("made") == ["export"]


def test_what_a_stage_takes_may_depend_on_the_configuration(make_config: MakeConfig, said: Said) -> None:
    def taken(config: Config) -> tuple[str, ...]:
        return ("graph", "sample") if config.seed else ("graph",)

    stages = toys.STAGES | {"report": dataclasses.replace(toys.STAGES["report"], takes=taken)}

    def run_report(*overrides: str) -> list[str]:
        config = make_config("stages=[report]", *overrides)
        runner = Runner(config, "toy", environments=toys.digests, display=said.display, stages=stages.__getitem__)
        return runner.run().stages_in("made")

    assert run_report("seed=0") == ["graph", "report"]
    assert run_report("seed=1") == ["sample", "report"]


def test_a_stage_that_raises_ends_the_run_and_the_log_has_the_traceback(
    make_config: MakeConfig, said: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOY_FAIL", "score")
    outcome = run(make_config(), said)
    assert (outcome.state, outcome.exit_code) == ("failed", 1)
    assert outcome.error == "stage score: ValueError: the toy broke"
    assert outcome.folder is not None
    status = read_json(outcome.folder / "status.json")
    assert (status["state"], status["error"]) == ("failed", outcome.error)
    assert status["stages"]["score"]["state"] == "failed"
    log = outcome.folder / "attempts" / "1" / "log.txt"
    assert "Traceback" in log.read_text()
    assert "Traceback" not in said.text
    assert str(log) in said.text
    monkeypatch.delenv("TOY_FAIL")
    assert run(make_config(), said).stages_in("made") == ["score", "export", "report"]


def test_a_stage_that_refuses_is_told_without_a_traceback(
    make_config: MakeConfig, said: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOY_REFUSE", "export")
    outcome = run(make_config(), said)
    assert outcome.error == "stage export: nothing to work on; give it something"
    assert outcome.folder is not None
    assert "Traceback" not in (outcome.folder / "attempts" / "1" / "log.txt").read_text()


@pytest.mark.parametrize(("stop", "code"), [(KeyboardInterrupt, 130)])
def test_a_run_that_is_stopped_says_so_and_continues(
    make_config: MakeConfig, said: Said, monkeypatch: pytest.MonkeyPatch, stop: type[BaseException], code: int
) -> None:
    stage = toys.STAGES["score"]

    def stopped(context: StageContext) -> dict[str, int]:
        del context
        raise stop

    with monkeypatch.context() as patch:
        patch.setitem(toys.STAGES, "score", dataclasses.replace(stage, run=stopped))
        outcome = run(make_config(), said)
    assert (outcome.state, outcome.exit_code) == ("interrupted", code)
    assert outcome.folder is not None
    assert read_json(outcome.folder / "status.json")["stages"]["score"]["state"] == "interrupted"
    assert run(make_config(), said).stages_in("reused") == ["graph", "sample", "synthesize"]


def test_a_stage_sees_nothing_that_it_does_not_declare(
    make_config: MakeConfig, said: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = toys.STAGES["score"]

    def curious(context: StageContext) -> dict[str, int]:
        return {"seed": context.seed}

    monkeypatch.setitem(toys.STAGES, "score", dataclasses.replace(stage, run=curious))
    outcome = run(make_config(), said)
    assert outcome.error is not None
    assert "'Config' object has no attribute 'seed'" in outcome.error


def test_the_run_folder_tells_what_came_out_and_what_it_cost(
    make_config: MakeConfig, said: Said, tmp_path: Path
) -> None:
    run(make_config(), said)
    outcome = run(make_config("force=[synthesize]"), said)
    folder = outcome.folder
    assert folder is not None
    assert folder == tmp_path / "outputs" / "toy" / outcome.cell_id
    assert (tmp_path / "outputs" / "latest").resolve() == folder.resolve()
    assert read_json(folder / "metrics.json")["sample"] == {"chains": 12}
    cost = read_json(folder / "cost.json")
    assert cost["synthesize"]["this_attempt"]["counts"] == {"calls": 12 * make_config().sampler.min_tools}
    assert cost["sample"]["this_attempt"]["counts"] == {}
    status = read_json(folder / "status.json")
    assert (status["state"], status["attempt"], status["error"]) == ("done", 2, None)
    assert list(status["stages"]) == ALL
    for name, record in status["stages"].items():
        assert (folder / "artifacts" / name).resolve() == Path(record["artifact"]).resolve()
        assert read_json(Path(record["artifact"]) / "manifest.json")["key"] == record["key"]


def test_the_log_holds_what_its_level_lets_through(make_config: MakeConfig, said: Said) -> None:
    outcome = run(make_config("logger.level=error"), said)
    assert outcome.folder is not None
    assert (outcome.folder / "attempts" / "1" / "log.txt").read_text() == ""
    assert logging.getLogger("envfactory").handlers == []


def test_a_stage_on_demand_runs_every_time_and_leaves_nothing(
    make_config: MakeConfig, said: Said, tmp_path: Path
) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text("1\n2\n")
    for _ in range(2):
        outcome = run(make_config("stages=[check]", f"check.path='{rows}'"), said)
        assert (outcome.state, outcome.stages_in("ran"), outcome.folder) == ("done", ["check"], None)
        assert outcome.stages["check"].metrics == {"rows": 2}
    assert not (tmp_path / "outputs").exists()
    missing = run(make_config("stages=[check]", "check.path=nowhere"), said)
    assert (missing.exit_code, missing.error) == (1, "stage check: nowhere: no such file")


def test_progress_is_a_few_plain_lines_where_there_is_no_terminal(make_config: MakeConfig, said: Said) -> None:
    run(make_config(), said)
    assert [line.strip() for line in said.text.splitlines() if "chains" in line and "/" in line] == [
        f"{done}/12 chains" for done in (2, 4, 6, 8, 10)
    ]


def test_an_unknown_stage_is_no_stage() -> None:
    with pytest.raises(KeyError, match="nonsense: no such stage"):
        load_stage("nonsense")


def test_what_serves_until_it_is_stopped_leaves_its_cell_done(
    make_config: MakeConfig, said: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that takes a stage's result shares its cell: stopping it undoes nothing that is made."""

    def takes(config: Config) -> tuple[str, ...]:
        del config
        return ("sample",)

    def stopped(context: StageContext) -> dict[str, int]:
        del context
        raise KeyboardInterrupt

    serve = dataclasses.replace(toys.STAGES["report"], name="serve", takes=takes, run=stopped)
    monkeypatch.setitem(toys.STAGES, "serve", serve)
    outcome = run(make_config("stages=[serve]"), said)
    assert (outcome.state, outcome.exit_code) == ("interrupted", 130)
    assert "stopped in stage serve\n" in said.text
    assert outcome.folder is not None
    status = read_json(outcome.folder / "status.json")
    assert (status["state"], status["error"]) == ("done", None)
    assert {name: stage["state"] for name, stage in status["stages"].items()} == {
        "graph": "made", "sample": "made", "serve": "interrupted",
    }  # fmt: skip
