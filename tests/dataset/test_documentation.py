"""docs/data.md tells every field of every file, and its examples are what it says they are."""

from __future__ import annotations

import re
from pathlib import Path

import orjson
import pytest
from pydantic import BaseModel

from envfactory.dataset import RLRow, Splits, ToolEntry, ToolFile, dataset_info
from envfactory.dataset.check import ChainRow
from envfactory.dataset.problems import parse
from envfactory.dataset.rl import ChatMessage, ExtraInfo, RewardModel, RowUser
from envfactory.dataset.sft_check import SampleRow
from envfactory.environment import Reference, StateDiff, TableDiff
from envfactory.gold import Const, FromUser, Gold, GoldCall, ListOf, ObjectOf, Out, Pick
from envfactory.querygen.knowledge import Fact, Knowledge
from envfactory.reward import ScoreRow
from envfactory.sampling import Link
from envfactory.toolgraph import Edge, Input, Proof, Pruned, Scores, ToolGraph, ToolNode
from envfactory.trajectory import Candidate, Change, Persona, PlayedCall, Step, Trajectory, Turn

TEXT = (Path(__file__).parents[2] / "docs" / "data.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## `([^`]+)`\n(.*?)(?=^## |\Z)", TEXT, re.MULTILINE | re.DOTALL))
GOLD = (Gold, GoldCall, Reference, Const, FromUser, Out, Pick, ListOf, ObjectOf, StateDiff, TableDiff)
MODELS: dict[str, tuple[type[BaseModel], ...]] = {
    "trajectories.jsonl": (Trajectory, Persona, Change, Candidate, Turn, Step, PlayedCall, *GOLD),
    "tools.json": (ToolFile, ToolEntry),
    "sft.json": (SampleRow,),
    "rl_train.parquet": (RLRow, ChatMessage, RewardModel, ExtraInfo, RowUser, Knowledge, Fact),
    "splits.json": (Splits,),
    "scores.jsonl": (ScoreRow,),
    "chains.jsonl": (ChainRow,),
    "tool_graph.json": (ToolGraph, ToolNode, Input, Edge, Proof, Pruned, Scores),
}


def example(file: str) -> bytes:
    (block,) = re.findall(r"```json\n(.*?)```", SECTIONS[file], re.DOTALL)
    return orjson.dumps(orjson.loads(block))


@pytest.mark.parametrize("file", MODELS)
def test_the_example_is_valid(file) -> None:
    found = parse(MODELS[file][0], example(file), 1)
    assert not isinstance(found, list), found


@pytest.mark.parametrize("file", MODELS)
def test_every_field_is_told(file) -> None:
    prose = re.sub(r"```json\n.*?```", "", SECTIONS[file], flags=re.DOTALL)
    told = set(re.findall(r"`([\w.]+)`", prose))
    for model in MODELS[file]:
        assert set(model.model_fields) <= told, (model.__name__, set(model.model_fields) - told)


def test_links_are_told() -> None:
    told = set(re.findall(r"`(\w+)`", SECTIONS["chains.jsonl"]))
    assert set(Link.__slots__) <= told


def test_the_description_of_the_data_set_is_the_one_that_is_written() -> None:
    assert orjson.loads(example("dataset_info.json")) == dataset_info({"envfactory": "sft.json"})
