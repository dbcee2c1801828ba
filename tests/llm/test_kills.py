"""A run that is killed, again and again, pays for no reply twice."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from envfactory.llm import (
    Client,
    EndpointSettings,
    FolderRecords,
    LimitSettings,
    ModelLedger,
    Purpose,
    Request,
    user,
)

SERVER = Path(__file__).with_name("server.py")
REQUESTS = 80
AT_ONCE = 4


def main(port: str, folder: str) -> None:
    """The run: tells of each reply, and can be killed after any of them."""

    async def ask() -> None:
        settings = EndpointSettings(
            model="m", base_url=f"http://127.0.0.1:{port}/v1", limits=LimitSettings(in_flight=AT_ONCE)
        )
        with ModelLedger(Path(folder) / "ledger.jsonl") as ledger:
            async with Client(settings, records=FolderRecords(Path(folder) / "records"), ledger=ledger) as client:

                async def one(number: int) -> None:
                    await client.complete(Request(messages=(user(f"{number}"),)), Purpose("synthesize", "user", "t"))
                    print(number, flush=True)

                await asyncio.gather(*(one(number) for number in range(REQUESTS)))

    asyncio.run(ask())


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """The server in a process of its own: its port, and its log of what it answered in full."""
    log = tmp_path / "answered.txt"
    command = [sys.executable, str(SERVER), str(log), "0.005"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        yield process.stdout.readline().strip(), log
        process.stdin.close()
        process.wait(timeout=20)


def killed_after(replies: int, port: str, folder: Path) -> int:
    """Run; kill once that many replies were told of. Return how many replies the run told of until its end."""
    command = [sys.executable, __file__, port, str(folder)]
    told = 0
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for told, _ in enumerate(process.stdout, start=1):
            if told == replies:
                process.kill()
        process.wait(timeout=60)
    return told


@pytest.mark.slow
def test_no_reply_that_arrived_is_paid_for_again(served: tuple[str, Path], tmp_path: Path) -> None:
    port, log = served
    records = FolderRecords(tmp_path / "run" / "records")
    kills = 0
    for replies in (1, 50):
        killed_after(replies, port, tmp_path / "run")
        kills += 1
        assert replies <= len(list(records)) < REQUESTS
    assert killed_after(REQUESTS + 1, port, tmp_path / "run") == REQUESTS
    answered = Counter(log.read_text().split())
    assert len(answered) == len(list(records)) == REQUESTS
    # What was on its way when the process died is all that can be lost.
    twice = sum(count - 1 for count in answered.values())
    assert twice <= kills * AT_ONCE
    with ModelLedger(tmp_path / "run" / "ledger.jsonl") as ledger:
        # A reply is recorded before its cost, so a kill between the two leaves out a line, never a record.
        assert REQUESTS - kills <= ledger.total().requests <= REQUESTS + twice
        assert ledger.total().replayed >= 1 + 50


@pytest.mark.slow
def test_processes_at_once_leave_whole_records_and_one_ledger(served: tuple[str, Path], tmp_path: Path) -> None:
    port, _ = served
    command = [sys.executable, __file__, port, str(tmp_path / "run")]
    processes = [subprocess.Popen(command, stdout=subprocess.DEVNULL) for _ in range(2)]
    assert [process.wait(timeout=150) for process in processes] == [0, 0]
    assert len(list(FolderRecords(tmp_path / "run" / "records"))) == REQUESTS
    with ModelLedger(tmp_path / "run" / "ledger.jsonl") as ledger:
        spent = ledger.total()
    assert spent.requests + spent.replayed == 2 * REQUESTS
    assert spent.failed == 0


if __name__ == "__main__":
    main(*sys.argv[1:])
