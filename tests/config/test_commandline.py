"""Every problem of a command line is told at once, with what would be right; good ones pass as Hydra needs them."""

from __future__ import annotations

from pathlib import Path

import pytest

from envfactory.config import ConfigError
from envfactory.config.commandline import flags_first, read_command
from envfactory.config.places import conf_dir

EXPERIMENTS = ", ".join(sorted(path.stem for path in (conf_dir() / "experiment").glob("*.yaml")))


def refusal(*arguments: str) -> str:
    with pytest.raises(ConfigError) as caught:
        read_command(arguments)
    return str(caught.value)


@pytest.mark.parametrize(
    ("argument", "line"),
    [
        ("+sampler.typo=1", "sampler.typo=1: unknown key; sampler has min_tools, max_tools"),
        ("sampler.typo=1", "sampler.typo=1: unknown key; sampler has min_tools, max_tools"),
        ("sampler.d_mox=1", "(did you mean d_max?)"),
        ("sampler.alpha=1", "(did you mean reward.alpha?)"),
        ("sampler.p=abc", "sampler.p=abc: expected a number from 0 to 1"),
        ("sampler.p=nan", "sampler.p=nan: expected a number from 0 to 1"),
        ("reward.alpha=1.5", "reward.alpha=1.5: expected a number from 0 to 1"),
        ("sampler.d_max=-1", "sampler.d_max=-1: expected a whole number, 0 or more"),
        ("sampler.k=2.5", "sampler.k=2.5: expected a whole number, 1 or more"),
        ("sampler.k=true", "sampler.k=true: expected a whole number, 1 or more"),
        ("graph.prove=yes please", "graph.prove=yes please: expected true or false"),
        ("stages=[nonsense]", "stages=nonsense: expected a list, not empty, of graph, sample,"),
        ("stages=[scor]", "(did you mean score?)"),
        ("stages=[]", "stages=[]: expected a list, not empty, of graph"),
        ("stages=[check]", "check.path=null: expected the path of a file, since stage check runs"),
        ("domain=nowhere", "domain=nowhere: no such choice; one of all, commerce, finance, first, hotels"),
        ("domain.names=[nowhere]", "domain.names=nowhere: no such domain; expected all or some of commerce, finance"),
        ("domain.names=[travl]", "(did you mean travel?)"),
        ("domain.environments=1000", "domain.environments=1000: expected at most "),
        ("domain.environments=0", "domain.environments=0: expected all or a whole number, 1 or more"),
        ("domain.environments=[hotel_reservation]", "(did you mean hotel_reservations?)"),
        ("reward.mode=bynary", "reward.mode=bynary: expected one of binary, graded (did you mean binary?)"),
        ("sampler.kind=walk", "sampler.kind=walk: expected one of topology, coverage, random_walk"),
        ("seed=???", "seed=???: a value is missing; expected a whole number, 0 or more"),
        ("~sampler.k", "sampler.k: a value is missing; expected a whole number, 1 or more"),
        ("foo=[", "foo=[: cannot be read: "),
        ("smoke", "smoke: cannot be read: no value is given"),
        ("smoke", "(did you mean +experiment=smoke?)"),
        ("foo=1", "foo=1: unknown key; the root has stages, seed"),
        ("reward=1", "reward=1: no such choice; one of composite, paper"),
        ("embedder=lexicl", "(did you mean lexical?)"),
        ("experiment=quickstart", "(did you mean +experiment=quickstart?)"),
        ("+reward=paper", "+reward=paper: this group has its choice, so no + is needed (did you mean reward=paper?)"),
        ("+sampler.k=2", "+sampler.k=2: the key exists, so no + is needed (did you mean sampler.k=2?)"),
        ("+experiment=smok", f"experiment=smok: no such choice; one of {EXPERIMENTS} (did you mean smoke?)"),
        ("reward.alpha=0,1", "reward.alpha=0,1: several values need a sweep: add -m"),
        ("check.path=${nowhere}", "check.path=${nowhere}: does not resolve: Interpolation key 'nowhere' not found"),
        ("scale.trajectories=5", "scale.trajectories=5: expected at least sft + rl = 200"),
        ("querygen.turn_calls=[5,1]", "querygen.turn_calls=[5,1]: expected the first no greater than the second"),
        ("sampler.min_tools=99", "sampler.min_tools=99: expected at most max_tools = 16"),
        ("querygen.turn_calls=[1]", "querygen.turn_calls=[1]: expected a list of 2: a whole number, 1 or more,"),
        ("seed=99999999999999999999", "seed=99999999999999999999: expected a whole number, 0 or more, below 2**63"),
        ("sampler.k=99999999999999999999", "expected a whole number, 1 or more, below 2**63"),
        ("paths.outputs=", "paths.outputs=: expected text, not empty"),
        ("name=..", "name=..: expected text that matches"),
        ("backbone.context=50000", "backbone.context=50000: expected at most 40960, what qwen3 can read"),
        ("vllm.context=40961", "vllm.context=40961: expected at most 40960, what qwen3 can read, or null"),
        ("name=latest", "name=latest: the outputs have something else of this name; expected another"),
        ("name=artifacts", "name=artifacts: the outputs have something else of this name; expected another"),
        ("domain=[travel,finance]", "domain=[travel,finance]: expected one choice of all, commerce"),
        ("domain=[travel,finance]", "(for a sweep over them: -m domain=travel,finance)"),
        ("experimnt=smoke", "(did you mean +experiment?)"),
        ("=5", "=5: no key is given; write key=value"),
        ("hydra.sweeper.params.x=1", "hydra.sweeper.params.x: does not compose: "),
        ("--experimental-rerun=x", "--experimental-rerun=x: not used here; the same command continues a run"),
        ("dataset=3", "dataset=3: expected a group of keys: name"),
        ("hydra.nonsense=1", "hydra.nonsense: does not compose: "),
        ("+refinement.domains={1:{ambiguity:2}}", "refinement.domains=1: expected text for a name; quote it: '1'"),
        ("--config-dir=/nowhere/at/all", "--config-dir=/nowhere/at/all: no such folder"),
    ],
)  # fmt: skip
def test_a_problem_names_key_value_and_what_is_expected(argument: str, line: str) -> None:
    assert line in refusal(argument)


@pytest.mark.parametrize(
    ("rows", "line"),
    [
        ("{true:{input:2,output:1}}", "prices=true: expected text for a name; quote it: 'True'"),
        ("{m-1.5*:{input:2,output:${nothing}}}", "prices.m-1.5*.output=null: does not resolve: "),
        ("{m*:3}", "prices.m*=3: expected a group of keys"),
    ],
)
def test_a_price_table_that_cannot_be_read_is_told(rows: str, line: str) -> None:
    text = refusal("generator=openai", "generator.endpoint.model=m", f"+generator.endpoint.prices={rows}")
    assert line in text


def test_all_problems_come_at_once() -> None:
    wrong = ["foo=[", "domain=nowhere", "sampler.p=abc", "reward.alpha=1.5", "sampler.typo=1", "bar=2", "stages=[x]"]
    text = refusal(*wrong)
    assert text.startswith(f"{len(wrong)} problems in the configuration, nothing was run:")
    assert len(text.splitlines()) == len(wrong) + 1


def test_a_broken_rule_is_told_beside_a_value_that_is_wrong_by_itself() -> None:
    text = refusal("sampler.min_tools=99", "sampler.p=abc", "scale.trajectories=5", "scale.validation=7")
    assert sorted(line.partition(":")[0].strip() for line in text.splitlines()[1:]) == [
        "sampler.min_tools=99", "sampler.p=abc", "scale.trajectories=5", "scale.validation=7",
    ]  # fmt: skip


def test_every_unknown_environment_is_named() -> None:
    text = refusal("domain=finance", "domain.environments=[hotel_reservations,nope]", "seed=x")
    assert text.count("no such environment in domain finance") == 2
    assert "seed=x" in text


def test_a_rule_is_not_judged_on_a_value_of_another_type() -> None:
    text = refusal("domain.environments=hotel_reservations", "sampler.min_tools=many", "querygen.turn_calls=[1]")
    assert text.startswith("3 problems")


def test_two_choices_for_one_group_are_told_with_the_other_problems() -> None:
    text = refusal("+experiment=smoke", "+experiment=quickstart", "stages=[nope]")
    assert "experiment=quickstart: expected one choice; +experiment=smoke stands on the command line already" in text
    assert "stages=nope" in text


def test_a_key_of_another_choice_is_told_apart_from_a_typo() -> None:
    assert "(it belongs to another choice of sampler: sampler=coverage, sampler=topology)" in refusal(
        "sampler=random_walk", "sampler.d_max=1"
    )


def test_every_cell_of_a_sweep_is_checked() -> None:
    text = refusal("-m", "reward.alpha=0,2,3", "sampler=topology,walk", "seed=1,2")
    assert sorted(line.partition(":")[0].strip() for line in text.splitlines()[1:]) == [
        "reward.alpha=2", "reward.alpha=3", "sampler=walk",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        (["+experiment=quickstart", "-m", "a=0,1"], ["-m", "+experiment=quickstart", "a=0,1"]),
        (["-m", "+experiment=quickstart", "a=0,1"], ["-m", "+experiment=quickstart", "a=0,1"]),
        (["a=1", "--cfg", "job", "b=2", "-p", "sampler"], ["--cfg", "job", "-p", "sampler", "a=1", "b=2"]),
        (["a=1", "-cd", "x", "--package=reward"], ["-cd", "x", "--package=reward", "a=1"]),
        (["a=1", "--info", "defaults"], ["--info", "defaults", "a=1"]),
        (["--info", "a=1"], ["--info", "all", "a=1"]),
        (["~a.b", "-r"], ["-r", "~a.b"]),
        ([], []),
    ],
)
def test_flags_come_first_and_keep_their_values(given: list[str], wanted: list[str]) -> None:
    assert flags_first(given) == wanted


def test_both_spellings_of_a_sweep_mean_the_same_cells() -> None:
    one = read_command(["+experiment=quickstart", "-m", "reward.alpha=0,0.5"])
    two = read_command(["-m", "+experiment=quickstart", "reward.alpha=0,0.5"])
    assert one == two
    assert [cell.config.reward.alpha for cell in one.cells] == [0, 0.5]
    assert {cell.name for cell in one.cells} == {"quickstart"}


def test_an_experiment_brings_its_own_sweep() -> None:
    cells = read_command(["-m", "+experiment=quickstart"]).cells
    assert [cell.config.reward.alpha for cell in cells] == [0, 0.5, 1]


def test_a_config_folder_of_ones_own_adds_choices(tmp_path: Path) -> None:
    (tmp_path / "scale").mkdir()
    (tmp_path / "scale" / "mine.yaml").write_text(
        "trajectories: 7\nsft: 4\nrl: 3\nvalidation: 0\nscenario_size: 9\nmax_turns: 2\n"
    )
    (cell,) = read_command(["scale=mine", "--config-dir", str(tmp_path)]).cells
    assert cell.config.scale.trajectories == 7


@pytest.mark.parametrize("experiment", ["smoke", "quickstart"])
def test_every_experiment_composes(experiment: str) -> None:
    (cell,) = read_command([f"+experiment={experiment}"]).cells
    assert cell.name == experiment
