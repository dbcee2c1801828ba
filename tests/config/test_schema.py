"""Identity: what decides a result enters its key, and nothing else does."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from omegaconf import OmegaConf

from envfactory.config import STAGE_NAMES, Config, catalogue_names, conf_dir, masked_yaml
from envfactory.config.commandline import read_command
from envfactory.config.describe import leaves
from envfactory.config.load import _masked
from envfactory.config.problems import ConfigError
from envfactory.config.reference import reference
from envfactory.pipeline import ON_DEMAND
from envfactory.pipeline.cell import cell_id


@pytest.fixture(scope="module")
def config() -> Config:
    return read_command([]).cells[0].config


def chosen(*overrides: str) -> Config:
    return read_command(list(overrides)).cells[0].config


@pytest.mark.parametrize(
    "override", ["stages=[graph]", "force=[graph]", "name=other", "logger.level=debug", "paths.outputs=elsewhere"]
)
def test_where_and_how_a_cell_runs_is_not_part_of_its_id(config: Config, override: str) -> None:
    assert cell_id(read_command([override]).cells[0].config) == cell_id(config)


@pytest.mark.parametrize(
    "override", ["seed=1", "reward.alpha=0.25", "domain=travel", "sampler=random_walk", "scale=smoke"]
)
def test_what_decides_results_is_part_of_a_cells_id(config: Config, override: str) -> None:
    assert cell_id(read_command([override]).cells[0].config) != cell_id(config)


def test_identity_of_some_keys_is_plain_json_by_dotted_key(config: Config) -> None:
    assert config.identity(("scale.trajectories", "embedder")) == {
        "embedder": {"kind": "lexical", "ngrams": [2, 4], "threshold": config.embedder.threshold},
        "scale.trajectories": 200,
    }


def test_what_embeds_decides_the_graph_and_where_it_is_reckoned_does_not() -> None:
    minilm = chosen("embedder=minilm").identity(("embedder",))
    assert minilm == {"embedder": {"kind": "minilm", "threshold": 0.78, "batch_size": 32}}
    assert chosen("embedder=minilm", "embedder.device=cuda", "embedder.vectors=null").identity(("embedder",)) == minilm
    model = {"model": "BAAI/bge-m3", "revision": "5617a9f61b028005a4858fdac845db406aefb181"}
    bge = chosen("embedder=bge_m3").identity(("embedder",))
    assert bge == {"embedder": {"kind": "bge_m3", **model, "threshold": 0.85, "batch_size": 32}}


@pytest.mark.parametrize("key", ["paths", "paths.outputs", "nonsense", "sampler.nonsense", "stages"])
def test_a_key_outside_the_identity_decides_no_result(config: Config, key: str) -> None:
    with pytest.raises(KeyError, match=key):
        config.identity((key,))


def test_a_narrowed_config_holds_what_was_declared_and_no_more(config: Config) -> None:
    narrow = config.narrowed(("sampler", "scale.trajectories"))
    assert narrow.sampler == config.sampler
    assert narrow.scale.trajectories == 200
    assert narrow.paths == config.paths
    for read in (lambda: narrow.seed, lambda: narrow.scale.sft, lambda: narrow.reward):
        with pytest.raises(AttributeError):
            read()


def test_a_config_cannot_be_changed(config: Config) -> None:
    with pytest.raises(ValueError, match="frozen"):
        config.seed = 1  # pyright: ignore[reportAttributeAccessIssue]


def test_secrets_are_masked_in_what_is_written() -> None:
    raw = {"a": {"api_key": "x", "hf_token": "y", "PASSWORD": "z", "keys": "shown", "secret": None}, "b": [1]}
    assert _masked(raw) == {
        "a": {"api_key": "********", "hf_token": "********", "PASSWORD": "********", "keys": "shown", "secret": None},
        "b": [1],
    }


def test_an_address_with_a_secret_is_refused_without_repeating_it() -> None:
    model = ["generator=openai", "generator.endpoint.model=some"]
    with pytest.raises(ConfigError, match="base_url: expected an address without user") as error:
        read_command([*model, "generator.endpoint.base_url=https://me:hush@somewhere/v1"])
    assert "hush" not in str(error.value)


def test_where_a_model_stands_is_not_part_of_a_cells_id_and_its_name_is() -> None:
    def cell(*overrides: str) -> str:
        return cell_id(read_command(["generator=openai", "generator.endpoint.model=some", *overrides]).cells[0].config)

    assert cell() == cell("generator.endpoint.base_url=http://127.0.0.1:1/v1", "generator.endpoint.limits.in_flight=3")
    assert cell() == cell("generator.records=elsewhere", "generator.budget.requests=9")
    assert cell() == cell("+generator.endpoint.prices={some:{input:2,output:8}}")
    assert len({cell(), cell("generator.endpoint.model=other"), cell("generator.roles.judge=rules")}) == 3


def test_a_wrong_row_of_the_price_table_is_named_with_its_keys() -> None:
    row = "+generator.endpoint.prices={some*:{input:-1,cached:2}}"
    with pytest.raises(ConfigError) as error:
        read_command(["generator=openai", "generator.endpoint.model=some", row])
    problems = {
        problem.key.removeprefix("generator.endpoint.prices."): str(problem) for problem in error.value.problems
    }
    assert set(problems) == {"some*.input", "some*.cached", "some*.output"}
    assert problems["some*.input"].endswith("some*.input=-1: expected a number, 0 or more")
    assert "has input, cached_input, output, reasoning" in problems["some*.cached"]
    assert "a value is missing" in problems["some*.output"]


def test_money_is_only_budgeted_where_a_models_price_is_known() -> None:
    command = ["generator=openai", "generator.endpoint.model=some", "generator.budget.money=5.0"]
    for more in ([], ["+generator.endpoint.prices={other:{input:2,output:8}}"]):
        with pytest.raises(ConfigError, match=r"generator.budget.money=5.0: nothing is known of what some costs"):
            read_command([*command, *more])
    assert read_command([*command, "+generator.endpoint.prices={som*:{input:2,output:8}}"])


def test_the_written_config_can_be_read_back(config: Config) -> None:
    raw = OmegaConf.to_container(OmegaConf.create(masked_yaml(config)))
    assert raw == config.model_dump(mode="json")


def test_every_key_is_described() -> None:
    undescribed = [key for key, field, _ in leaves(Config) if not field.description]
    assert undescribed == []


def test_the_reference_page_is_true() -> None:
    page = conf_dir().parent / "docs" / "configuration.md"
    assert page.read_text(encoding="utf-8") == reference(), "run: make docs"


def _left_open(raw: Any, prefix: str = "") -> Iterator[str]:
    for key, value in raw.items():
        if isinstance(value, dict):
            yield from _left_open(value, f"{prefix}{key}.")
        elif value == "???":
            yield f"{prefix}{key}"


def test_every_choice_of_every_group_is_valid() -> None:
    for path in sorted(conf_dir().glob("*/*.yaml")):
        if path.parent.name != "experiment":
            group = path.parent.name
            missing = [f"{group}.{key}=given" for key in _left_open(OmegaConf.to_container(OmegaConf.load(path)))]
            (cell,) = read_command([f"{group}={path.stem}", *missing]).cells
            assert cell.config is not None


def test_stages_on_demand_are_stages() -> None:
    assert set(ON_DEMAND) < set(STAGE_NAMES)


def test_names_of_the_catalogue_come_from_files_alone(tmp_path: Path) -> None:
    for name in ("travel/hotels.py", "travel/_names.py", "travel/__init__.py", "finance/banking.py", "_shared/x.py"):
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text("raise RuntimeError('imported')")
    (tmp_path / "__init__.py").write_text("")
    assert catalogue_names(tmp_path) == {"finance": ("banking",), "travel": ("hotels",)}
    assert catalogue_names(tmp_path / "nowhere") == {}


def test_a_stage_depends_on_what_the_model_says_in_its_own_roles_alone() -> None:
    model = ("generator=openai", "generator.endpoint.model=m")
    plain = chosen(*model).generator
    assert plain.deciding(("graph",)) == ()
    asked = chosen(*model, "generator.roles.graph=model").generator
    assert set(asked.deciding(("graph",))) == {
        "kind", "temperature", "thinking", "rounds", "endpoint", "roles.graph"
    }  # fmt: skip
    assert set(plain.deciding(("planner", "user"))) == {
        "kind", "temperature", "thinking", "rounds", "endpoint", "fallback", "added_records", "roles.planner",
        "roles.user",
    }  # fmt: skip
    assert "calling" in plain.deciding(("assistant",))
    assert chosen("generator=rules").generator.deciding(("graph", "planner")) == ()


def test_zero_candidates_are_one_problem() -> None:
    with pytest.raises(ConfigError) as raised:
        chosen("querygen.candidates=0")
    assert [problem.key for problem in raised.value.problems] == ["querygen.candidates"]
