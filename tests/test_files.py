"""Files appear whole or not at all, and equal values have equal bytes."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envfactory.files import (
    JsonlError,
    JsonlWriter,
    canonical_json,
    digest_json,
    file_digest,
    read_json,
    read_jsonl,
    read_lines,
    sha256_hex,
    write_bytes_atomic,
    write_json_atomic,
)

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.text(), JSON, max_size=5))
def test_key_order_changes_neither_bytes_nor_digest(value: dict[str, object]) -> None:
    turned = dict(reversed(list(value.items())))
    assert canonical_json(value) == canonical_json(turned)
    assert digest_json(value) == digest_json(turned) == sha256_hex(canonical_json(value))


def test_a_file_that_could_not_be_finished_leaves_the_old_one_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b'"old"\n')

    def stop_halfway() -> None:
        with JsonlWriter(path) as writer:
            writer.write(1)
            raise RuntimeError("halfway")

    with pytest.raises(RuntimeError, match="halfway"):
        stop_halfway()
    assert path.read_bytes() == b'"old"\n'
    assert [entry.name for entry in tmp_path.iterdir()] == ["rows.jsonl"]


@given(rows=st.lists(JSON, max_size=6))
def test_rows_come_back_as_they_were_written(rows: list[object], tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("rows") / "rows.jsonl"
    with JsonlWriter(path) as writer:
        for row in rows:
            writer.write(row)
    assert writer.rows == len(rows)
    assert list(read_jsonl(path)) == rows
    again = path.with_name("again.jsonl")
    with JsonlWriter(again) as copy:
        for line in read_lines(path):
            copy.write_line(line)
    assert (copy.rows, copy.digest) == (writer.rows, writer.digest)
    assert again.read_bytes() == path.read_bytes()


@pytest.mark.parametrize(("data", "row"), [(b"1\n\n2\n", 2), (b"1\n2\n{\n", 3), (b"1\n2", 2)])
def test_a_bad_row_is_named_by_file_and_number(tmp_path: Path, data: bytes, row: int) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(data)
    with pytest.raises(JsonlError, match=rf"rows\.jsonl, row {row}:"):
        list(read_jsonl(path))


def test_a_cut_row_is_not_read_as_a_line_either(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b"1\n{")
    with pytest.raises(JsonlError, match=r"rows\.jsonl, row 2: the file ends inside"):
        list(read_lines(path))


def test_a_file_that_is_not_json_is_named(tmp_path: Path) -> None:
    path = tmp_path / "status.json"
    path.write_bytes(b"{")
    with pytest.raises(ValueError, match=r"status\.json: not JSON"):
        read_json(path)


@pytest.mark.parametrize("durable", [True, False])
def test_writing_makes_the_folder_and_replaces_the_file(tmp_path: Path, durable: bool) -> None:
    path = tmp_path / "deep" / "file"
    write_bytes_atomic(path, b"one", durable=durable)
    write_bytes_atomic(path, b"two", durable=durable)
    assert path.read_bytes() == b"two"
    assert file_digest(path) == sha256_hex(b"two")
    assert path.stat().st_mode & 0o444 == (path.parent.stat().st_mode & 0o444)
    write_json_atomic(path, {"b": 1, "a": [2]})
    assert read_json(path) == {"a": [2], "b": 1}
    assert [entry.name for entry in path.parent.iterdir()] == ["file"]


def test_a_closed_writer_refuses_a_row(tmp_path: Path) -> None:
    writer = JsonlWriter(tmp_path / "rows.jsonl")
    with pytest.raises(ValueError, match="not open"):
        writer.write(1)
