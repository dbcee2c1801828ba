"""Records: a key is what was asked, all of it and nothing else."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from hypothesis import strategies as st

from envfactory.llm import (
    EndpointSettings,
    FolderRecords,
    JsonOutput,
    Message,
    PackedRecords,
    Record,
    Reply,
    Request,
    RetrySettings,
    Tool,
    ToolCall,
    Usage,
    assistant,
    open_records,
    user,
)
from envfactory.llm.records import asked, key_of, nearest
from tests.llm.support import HELLO

SETTINGS = EndpointSettings(model="m")

texts = st.text(max_size=8)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-99, 99) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
schemas = st.dictionaries(texts, json_values, max_size=4)
calls = st.builds(ToolCall, id=texts, name=texts, arguments=texts)
messages = (
    st.builds(user, texts)
    | st.builds(assistant, texts, st.lists(calls, max_size=2), texts)
    | st.builds(Message, role=st.just("tool"), text=texts, call_id=texts)
)
tools = st.builds(Tool, name=st.text(min_size=1, max_size=5), description=texts, parameters=schemas)
requests = st.builds(
    Request,
    messages=st.lists(messages, min_size=1, max_size=4).map(tuple),
    tools=st.lists(tools, max_size=3, unique_by=lambda tool: tool.name).map(tuple),
    tool_choice=st.sampled_from([None, "auto", "required"]),
    parallel_calls=st.none() | st.booleans(),
    output=st.none() | st.builds(JsonOutput, name=st.sampled_from(["A", "B"]), shape=schemas),
    seed=st.none() | st.integers(0, 2**63 - 1),
    temperature=st.none() | st.floats(0, 2),
    top_p=st.none() | st.floats(0.1, 1),
    max_tokens=st.none() | st.integers(1, 9999),
    stop=st.lists(texts, max_size=2).map(tuple),
    thinking=st.sampled_from([None, True, False, "low"]),
    sample=st.integers(0, 3),
)
settings = st.builds(
    EndpointSettings,
    model=st.sampled_from(["m", "n"]),
    revision=texts,
    thinking_style=st.sampled_from(["none", "chat_template"]),
    extra=schemas,
)


def shuffled(value: Any, draw: random.Random) -> Any:
    """The same value with the members of every object in another order."""
    if isinstance(value, dict):
        names = list(value)
        draw.shuffle(names)
        return {name: shuffled(value[name], draw) for name in names}
    return [shuffled(item, draw) for item in value] if isinstance(value, list) else value


# A request is a large thing to draw.
drawn = examples(deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow])


@drawn
@given(requests, settings, st.integers(0, 99))
def test_the_order_of_members_does_not_change_a_key(request: Request, endpoint: EndpointSettings, seed: int) -> None:
    draw = random.Random(seed)
    other = Request.model_validate_json(orjson.dumps(shuffled(request.model_dump(mode="json"), draw)))
    again = EndpointSettings.model_validate_json(orjson.dumps(shuffled(endpoint.model_dump(mode="json"), draw)))
    assert key_of(asked(request, endpoint)) == key_of(asked(other, again))
    assert key_of(shuffled(asked(request, endpoint), draw)) == key_of(asked(request, endpoint))


@drawn
@given(requests, requests, settings, settings)
def test_different_requests_and_endpoints_have_different_keys(
    first: Request, second: Request, one: EndpointSettings, other: EndpointSettings
) -> None:
    same = first.model_dump_json() == second.model_dump_json() and one.identity() == other.identity()
    assert (key_of(asked(first, one)) == key_of(asked(second, other))) == same


CHANGES: dict[str, Any] = {
    "messages": (user("Hello!"),),
    "tools": (Tool(name="f", parameters={}),),
    "tool_choice": "auto",
    "parallel_calls": False,
    "output": JsonOutput(name="A", shape={}),
    "seed": 8,
    "temperature": 0.5,
    "top_p": 0.5,
    "max_tokens": 5,
    "stop": ("x",),
    "thinking": False,
    "sample": 1,
}


@pytest.mark.parametrize("name", Request.model_fields)
def test_every_member_of_a_request_is_part_of_its_key(name: str) -> None:
    other = HELLO.model_copy(update={name: CHANGES[name]})
    assert key_of(asked(other, SETTINGS)) != key_of(asked(HELLO, SETTINGS))


def test_of_the_endpoint_only_what_decides_replies_is_part_of_a_key() -> None:
    same: dict[str, Any] = {
        "base_url": "http://127.0.0.1:9/v1",
        "api_key_env": "X",
        "stream": True,
        "timeout_s": 1.0,
        "retry": RetrySettings(attempts=1),
        "gpus": 1.0,
    }
    for name, value in same.items():
        other = SETTINGS.model_copy(update={name: value})
        assert asked(HELLO, other) == asked(HELLO, SETTINGS)
    for name, value in {"model": "n", "revision": "2", "extra": {"top_k": 1}, "output_style": "text"}.items():
        other = SETTINGS.model_copy(update={name: value})
        assert key_of(asked(HELLO, other)) != key_of(asked(HELLO, SETTINGS))
    assert "127.0.0.1" not in str(asked(HELLO, SETTINGS.model_copy(update=same)))


def record(seed: int, text: str = "Hi.") -> Record:
    reply = Reply(text=text, calls=(ToolCall(id="1", name="f", arguments="{"),), usage=Usage(prompt=3, cached=1))
    return Record(asked=asked(HELLO.model_copy(update={"seed": seed}), SETTINGS), reply=reply)


def test_a_folder_and_its_pack_hold_the_same_records(tmp_path: Path) -> None:
    folder = FolderRecords(tmp_path / "folder")
    for seed in range(20):
        folder.put(record(seed))
    assert folder.pack(tmp_path / "pack.jsonl") == 20
    pack = open_records(tmp_path / "pack.jsonl")
    assert isinstance(pack, PackedRecords)
    assert isinstance(open_records(tmp_path / "folder"), FolderRecords)
    assert list(pack) == list(folder)
    assert [found.key for found in pack] == sorted(record(seed).key for seed in range(20))
    for records in (folder, pack):
        assert records.get(record(3).key) == record(3).reply
        assert records.get(record(99).key) is None
    with pytest.raises(TypeError, match="only read"):
        pack.put(record(1))
    # Packing again, in whatever order they were recorded, gives the same bytes.
    other = FolderRecords(tmp_path / "other")
    for seed in reversed(range(20)):
        other.put(record(seed))
    other.pack(tmp_path / "again.jsonl")
    assert (tmp_path / "again.jsonl").read_bytes() == (tmp_path / "pack.jsonl").read_bytes()


@pytest.mark.parametrize("damage", [b"", b"{", b'{"asked": {}}', record(2).line()])
def test_a_damaged_or_misplaced_record_is_none(tmp_path: Path, damage: bytes) -> None:
    folder = FolderRecords(tmp_path)
    folder.put(record(1))
    (path,) = tmp_path.rglob("*.json")
    path.write_bytes(damage)
    assert folder.get(record(1).key) is None
    folder.put(record(1))
    assert folder.get(record(1).key) == record(1).reply


def test_a_row_of_a_pack_that_is_no_record_is_named(tmp_path: Path) -> None:
    path = tmp_path / "pack.jsonl"
    path.write_bytes(record(1).line() + b"\n{}\n")
    with pytest.raises(ValueError, match=r"pack.jsonl, row 2: no record of a request"):
        open_records(path)


def test_the_nearest_record_is_the_one_with_the_fewest_differences(tmp_path: Path) -> None:
    folder = FolderRecords(tmp_path)
    assert nearest(folder, asked(HELLO, SETTINGS)) == "there are no records at all"
    far = Record(asked=asked(Request(messages=(user("Bye"), user("Bye")), seed=7), SETTINGS), reply=Reply(text="Bye."))
    near = record(70)
    for one in (far, near):
        folder.put(one)
    told = nearest(folder, asked(HELLO.model_copy(update={"temperature": 0.5}), SETTINGS))
    assert told == (
        f"the nearest record is {near.key[:12]}: request.seed is 7 instead of 70; "
        "request.temperature is 0.5 instead of null"
    )
