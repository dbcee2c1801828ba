"""What the main job exports can be played: in both backends, gold earns everything and doing nothing earns nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from envfactory.dataset import RLRow, read_rl_rows
from envfactory.dataset.check import check_file
from envfactory.environment.worker import Worker
from envfactory.training.episode import Episode, EpisodeLimits
from envfactory.training.task import Tasks, open_backend
from tests.training.support import call, play

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The export of a small main job over every environment."""
    outputs = tmp_path_factory.mktemp("job") / "outputs"
    ended = subprocess.run(
        [sys.executable, "-m", "envfactory", f"paths.outputs='{outputs}'", "scale=smoke", "stages=[export]"],
        cwd=ROOT, capture_output=True, text=True, timeout=170, check=False, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    return outputs / "latest" / "artifacts" / "export"


@pytest.fixture(scope="module")
def rows(exported: Path) -> list[RLRow]:
    return [row for name in ("rl_train", "rl_val") for row in read_rl_rows(exported / f"{name}.parquet")]


def test_the_files_have_no_problems(exported: Path) -> None:
    for name, split in (("rl_train", "train"), ("rl_val", "validation")):
        checked = check_file(exported / f"{name}.parquet")
        assert checked.rows
        assert checked.ok, checked.problems
        found = list(read_rl_rows(exported / f"{name}.parquet"))
        assert {row.extra_info.split for row in found} == {split}
        assert [row.extra_info.index for row in found] == list(range(len(found)))


@pytest.mark.parametrize("where", ["in_process", "worker"])
def test_gold_earns_everything_and_doing_nothing_earns_nothing(rows: list[RLRow], where) -> None:
    backend = open_backend(tuple(sorted({name for row in rows for name in row.reference.environments})), where, 5.0)
    tasks = Tasks(backend)
    try:
        for row in rows:
            gold = [call(made.tool, **made.arguments) for made in tasks.of(row).gold_calls]
            assert play(row, tasks, [*gold, "Done."]).reward == 1, row.id
            assert play(row, tasks, ["Done."]).reward == 0, row.id
    finally:
        if isinstance(backend, Worker):
            backend.close()


def test_with_a_simulated_user_every_question_is_answered_and_gold_still_earns_everything(rows: list[RLRow]) -> None:
    names = tuple(sorted({name for row in rows for name in row.reference.environments}))
    tasks = Tasks(open_backend(names, "in_process", 5.0))
    limits = EpisodeLimits(max_steps=40, max_user_replies=4)
    for row in rows:
        assert row.user is not None
        rest = [said.content for said in row.prompt[row.user.begins :]]
        exchanges = list(zip(rest[::2], rest[1::2], strict=True)) or [("Which one do you mean?", "")]
        with Episode(row, tasks, limits) as episode:
            for question, answer in exchanges:
                secrets = [fact.secret for fact in row.user.knows.facts if fact.secret and fact.secret in answer]
                said = episode.step(question).said
                # A secret may be told in other words than when the row was made.
                assert all(secret in said for secret in secrets) if secrets else said == answer or (said and not answer)
            assert episode.step("Shall I go ahead?").said == "Yes, please go ahead."
            for made in tasks.of(row).gold_calls:
                assert not episode.step(call(made.tool, **made.arguments)).done
            assert episode.step("It is done. Shall I do it again?").done
            outcome = episode.finish()
        assert (outcome.reward, outcome.counts.gave_up) == (1, False), row.id
        assert outcome.counts.user_replies == len(exchanges) + 1
