"""The stages that are run on demand, through the command line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import anyio
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

COMMAND = (sys.executable, "-m", "envfactory")


def command(*arguments: str, outputs: Path) -> subprocess.CompletedProcess[str]:
    paths = (f"paths.outputs={outputs}", f"paths.artifacts={outputs}/artifacts")
    return subprocess.run(
        [*COMMAND, *arguments, *paths], capture_output=True, text=True, timeout=120, check=False, cwd=outputs
    )


def test_stage_serve_is_an_mcp_server_for_a_client(tmp_path: Path) -> None:
    async def ask() -> tuple[list[str], str]:
        arguments = ["-m", "envfactory", "stages=[serve]", "domain=travel", f"paths.outputs={tmp_path}"]
        server = StdioServerParameters(command=sys.executable, args=arguments)
        with anyio.fail_after(60):
            async with Client(stdio_client(server)) as client:
                tools = [tool.name for tool in (await client.list_tools()).tools]
                result = await client.call_tool("hotel_reservations-list_reservations", {"status": "cancelled"})
                return tools, result.content[0].text  # type: ignore[union-attr]

    tools, text = anyio.run(ask)
    assert "hotel_reservations-book_room" in tools
    assert '"status":"cancelled"' in text


@pytest.mark.parametrize(
    ("name", "content", "code", "said"),
    [
        ("trajectories.jsonl", '{"format": "envfactory.trajectory/2"}\n', 1, "row 1"),
        ("trajectories.jsonl", "not json\n", 1, "row 1"),
        ("trajectories.jsonl", "", 1, "expected tools.json beside it"),
        ("other.txt", "x", 1, "cannot tell what this file should hold"),
    ],
)
def test_stage_check_names_row_and_field(tmp_path: Path, name: str, content: str, code: int, said: str) -> None:
    (tmp_path / name).write_text(content)
    done = command("stages=[check]", f"check.path={tmp_path / name}", outputs=tmp_path)
    assert done.returncode == code, done.stderr
    assert said in done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr


def test_stage_check_says_when_there_is_nothing_to_check(tmp_path: Path) -> None:
    missing = command("stages=[check]", f"check.path={tmp_path}/nothing.jsonl", outputs=tmp_path)
    unnamed = command("stages=[check]", outputs=tmp_path)
    assert (missing.returncode, unnamed.returncode) == (1, 2)
    assert "No such file" in missing.stderr
    assert "check.path" in unnamed.stderr
