from __future__ import annotations

import datetime as dt
import gc
import os
import random
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from envfactory.catalogue.travel.hotel_reservations import HotelReservations
from envfactory.environment import (
    DEFAULT_NOW,
    EnvironmentFailure,
    InProcess,
    Instance,
    Reference,
    Session,
    Start,
    describe,
)
from envfactory.environment.draw import Drawer, Undrawable
from envfactory.environment.worker import Worker
from tests.environment.hostile import Hostile

HOTEL = {"hotel_reservations": "envfactory.catalogue.travel.hotel_reservations:HotelReservations"}
HOSTILE = {"hostile": "tests.environment.hostile:Hostile"}
START = Start(seed=3, size=20, now=DEFAULT_NOW)


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    with Worker({**HOTEL, **HOSTILE}) as shared:
        yield shared


@pytest.fixture
def quick() -> Iterator[Worker]:
    with Worker(HOSTILE, call_seconds=0.5) as own:
        yield own


def alive(pid: int) -> bool:
    """Whether a process runs; one that ended and waits to be reaped by its new parent does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def wait_until_gone(pid: int) -> None:
    """Block until a process ends, for ten seconds at most."""
    descriptor = os.pidfd_open(pid)
    try:
        assert select.select([descriptor], [], [], 10)[0], f"process {pid} is still there"
    finally:
        os.close(descriptor)


def failure(instance: Instance, tool: str) -> EnvironmentFailure:
    with pytest.raises(EnvironmentFailure) as caught:
        instance.call(tool, {})
    return caught.value


def test_the_child_describes_its_environments_as_the_parent_would(worker: Worker) -> None:
    assert worker.specs == {"hotel_reservations": describe(HotelReservations), "hostile": describe(Hostile)}


@pytest.mark.parametrize("seed", range(4))
def test_both_backends_agree_byte_for_byte_over_random_sequences(worker: Worker, seed: int) -> None:
    rng = random.Random(f"sequence/{seed}")
    start = Start(seed=seed, size=40, now=DEFAULT_NOW)
    local = InProcess({"hotel_reservations": HotelReservations})
    ours, theirs = local.open("hotel_reservations", start), worker.open("hotel_reservations", start)
    spec = worker.specs["hotel_reservations"]
    drawer = Drawer(spec)
    marks = [(ours.snapshot(), theirs.snapshot())]
    odd: list[Any] = [None, 5, "[", "{", {}, {"page": 0}, {"hotel_id": 2**70}, {"hotel_id": "\ud800"}]
    odd += ['{"hotel_id": "\ud800"}', b'{"a":"\xff"}']
    for step in range(60):
        match rng.randrange(12):
            case 0:
                marks.append((ours.snapshot(), theirs.snapshot()))
            case 1:
                mine, yours = rng.choice(marks)
                ours.restore(mine)
                theirs.restore(yours)
            case 2:
                now = ours.state.now + dt.timedelta(hours=rng.randrange(1, 40))
                ours.advance(now)
                theirs.advance(now)
            case 3:
                tool, arguments = rng.choice([*spec.tool_by_name, "book_rooms"]), rng.choice(odd)
                assert ours.call(tool, arguments) == theirs.call(tool, arguments)
            case _:
                tool = rng.choice(list(spec.tool_by_name))
                try:
                    arguments = drawer.draw(tool, orjson.loads(ours.dump()), rng)
                except Undrawable:
                    continue
                assert ours.call(tool, arguments) == theirs.call(tool, arguments)
        if step % 5 == 0:
            assert ours.dump() == theirs.dump()
            assert ours.diff() == theirs.diff()
            assert ours.diff().model_dump_json() == theirs.diff().model_dump_json()
    again = Start(now=DEFAULT_NOW, document=theirs.dump().decode())
    assert worker.open("hotel_reservations", again).dump() == theirs.dump() == ours.dump()


def test_fields_beside_the_tables_differ_by_the_same_json(worker: Worker) -> None:
    ours, theirs = InProcess({"hostile": Hostile}).open("hostile", START), worker.open("hostile", START)
    for instance in (ours, theirs):
        assert instance.call("write", {"text": "x"}).ok
    assert ours.diff() == theirs.diff()
    assert ours.diff().fields == {"counters": {"N": 1001}, "day": "2026-03-03", "tags": ["x"]}


def test_a_session_on_a_worker_is_the_same_as_one_in_process(worker: Worker) -> None:
    reference = Reference(environments={"hostile": "x", "hotel_reservations": "y"}, seed=5, size=30)
    local = InProcess({"hostile": Hostile, "hotel_reservations": HotelReservations})
    with Session(local, reference) as ours, Session(worker, reference) as theirs:
        for session in (ours, theirs):
            mark = session.snapshot()
            session.call("hostile-write", {"text": "lost"})
            session.restore(mark)
            session.call("hostile-write", {"text": "kept"})
        assert ours.digest() == theirs.digest()
        assert ours.diff() == theirs.diff()


def test_a_loop_is_cut_off_and_takes_every_instance_of_its_child_with_it(quick: Worker) -> None:
    looping, bystander = quick.open("hostile", START), quick.open("hostile", START)
    mark, pid = bystander.snapshot(), quick.pid
    assert pid is not None
    caught = failure(looping, "loop")
    assert (caught.kind, "tool 'loop' took over 0.5 s" in str(caught)) == ("timeout", True)
    assert not Path(f"/proc/{pid}").exists()  # killed and waited for
    assert failure(bystander, "count").kind == "timeout"
    fresh = quick.open("hostile", START)
    assert quick.pid != pid
    assert fresh.call("count", {}).value == {"number": 20}
    with pytest.raises(EnvironmentFailure, match="another worker process"):
        fresh.restore(mark)


def test_a_tool_that_holds_the_interpreter_is_cut_off_too(quick: Worker) -> None:
    assert failure(quick.open("hostile", START), "hold").kind == "timeout"


@pytest.mark.parametrize(("tool", "how"), [("die", "signal 9"), ("leave", "exit status 0")])
def test_a_tool_that_ends_its_process_is_a_crash(quick: Worker, tool: str, how: str) -> None:
    dying, bystander = quick.open("hostile", START), quick.open("hostile", START)
    caught = failure(dying, tool)
    assert caught.kind == "crash"
    assert f"died in tool '{tool}'" in str(caught)
    assert how in str(caught)
    assert failure(bystander, "count").kind == "crash"
    assert quick.open("hostile", START).call("count", {}).ok


def test_a_child_that_dies_between_calls_is_noticed_by_the_next_one(quick: Worker) -> None:
    instance, pid = quick.open("hostile", START), quick.pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    assert failure(instance, "count").kind == "crash"


def test_a_child_that_stops_reading_does_not_block_a_large_request(quick: Worker) -> None:
    instance, pid = quick.open("hostile", START), quick.pid
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    with pytest.raises(EnvironmentFailure) as caught:
        instance.call("write", {"text": "x" * 10_000_000})
    assert caught.value.kind == "timeout"


def test_what_a_tool_starts_ends_with_the_child(quick: Worker) -> None:
    instance = quick.open("hostile", START)
    grandchild = instance.call("spawn", {}).value["number"]
    assert alive(grandchild)
    assert failure(instance, "die").kind == "timeout"  # the grandchild holds the socket, so no end of it is seen
    if alive(grandchild):
        wait_until_gone(grandchild)


def test_bugs_and_refusals_leave_the_child_alive(worker: Worker) -> None:
    instance = worker.open("hostile", START)
    pid, before = worker.pid, instance.dump()
    caught = failure(instance, "stumble")
    assert (caught.kind, str(caught)) == ("bug", "Hostile.stumble: ZeroDivisionError: no reason")
    assert instance.call("refuse", {}) == InProcess({"hostile": Hostile}).open("hostile", START).call("refuse", {})
    assert instance.call("chatter", {}).value == {"number": 0}
    assert (worker.pid, instance.dump()) == (pid, before)


def test_an_open_that_fails_says_why(quick: Worker) -> None:
    with pytest.raises(KeyError, match="no environment 'hotel'; there are hostile"):
        quick.open("hotel", START)
    with pytest.raises(ValueError, match="notes"):
        quick.open(
            "hostile", Start(now=DEFAULT_NOW, document='{"now":"2026-03-02T09:00:00","day":"2026-03-02","notes":5}')
        )
    with pytest.raises(EnvironmentFailure, match="ZeroDivisionError: unlucky"):
        quick.open("hostile", Start(size=13, now=DEFAULT_NOW))
    assert quick.open("hostile", START).call("count", {}).ok


def test_a_scenario_that_never_ends_is_cut_off() -> None:
    with Worker(HOSTILE, start_seconds=3) as worker, pytest.raises(EnvironmentFailure) as caught:
        worker.open("hostile", Start(size=14, now=DEFAULT_NOW))
    assert caught.value.kind == "timeout"


@pytest.mark.parametrize(
    ("place", "problem"),
    [
        ("no_such.module:X", "No module named 'no_such'"),
        ("os:getcwd", "not an Environment"),
        ("os:Nothing", "no attribute"),
    ],
)
def test_an_environment_that_cannot_be_imported_says_so(place: str, problem: str) -> None:
    with Worker({"x": place}) as worker, pytest.raises(EnvironmentFailure, match=problem):
        _ = worker.specs


@pytest.mark.parametrize(
    ("options", "named"), [({"call_seconds": 0}, "call_seconds"), ({"start_seconds": float("inf")}, "start_seconds")]
)
def test_a_deadline_is_a_positive_number(options: dict[str, Any], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        Worker(HOSTILE, **options)
    with pytest.raises(ValueError, match="module:Class"):
        Worker({"hostile": "tests.environment.hostile"})


def test_misuse_is_refused_as_in_process(worker: Worker) -> None:
    instance, other = worker.open("hostile", START), worker.open("hotel_reservations", START)
    with pytest.raises(TypeError, match="not a snapshot"):
        instance.restore(other.snapshot())
    with pytest.raises(TypeError, match="not a snapshot"):
        instance.restore(b"mark")
    with pytest.raises(ValueError, match="does not go back"):
        instance.advance(DEFAULT_NOW - dt.timedelta(days=1))
    instance.close()
    instance.close()
    assert failure(instance, "count").kind == "closed"


def test_a_snapshot_outlives_the_instance_it_was_taken_of(worker: Worker) -> None:
    first = worker.open("hostile", START)
    first.call("write", {"text": "kept"})
    mark, document = first.snapshot(), first.dump()
    first.close()
    second = worker.open("hostile", START)
    second.restore(mark)
    assert second.dump() == document


def test_what_the_parent_lets_go_of_the_child_forgets(quick: Worker) -> None:
    kept = quick.open("hostile", START)
    child = quick._child
    assert child is not None
    for _ in range(5):
        kept.snapshot()
        quick.open("hostile", START).close()
    gc.collect()
    assert len(child.dropped) in (1, 2)  # the others went with the requests in between
    kept.dump()
    assert not child.dropped


def test_threads_share_a_worker_without_mixing_answers(worker: Worker) -> None:
    problems: list[object] = []
    barrier = threading.Barrier(8, timeout=30)

    def play(number: int) -> None:
        try:
            instance = worker.open("hostile", START)
            barrier.wait()
            for turn in range(40):
                text = f"{number}/{turn}"
                if instance.call("write", {"text": text}).value != {"id": f"N-{1001 + turn}", "text": text}:
                    problems.append((number, turn))
            created = instance.diff().tables["notes"].created
            if [row["text"] for row in created.values()] != [f"{number}/{turn}" for turn in range(40)]:
                problems.append((number, created))
        except Exception as error:  # noqa: BLE001 (whatever it is, the test fails by it)
            problems.append(error)

    threads = [threading.Thread(target=play, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert problems == []


def test_closing_ends_the_child_and_leaves_nothing_open() -> None:
    before = set(Path("/proc/self/fd").iterdir())
    worker = Worker(HOSTILE)
    instance, pid = worker.open("hostile", START), worker.pid
    worker.close()
    worker.close()
    assert not Path(f"/proc/{pid}").exists()
    assert failure(instance, "count").kind == "closed"
    with pytest.raises(EnvironmentFailure, match="closed"):
        worker.open("hostile", START)
    assert set(Path("/proc/self/fd").iterdir()) == before


def test_a_worker_that_is_forgotten_ends_its_child() -> None:
    worker = Worker(HOSTILE)
    _ = worker.specs
    pid = worker.pid
    del worker
    gc.collect()
    assert not Path(f"/proc/{pid}").exists()


def test_a_fork_of_the_parent_leaves_the_child_alone() -> None:
    script = (
        "import os\n"
        "from envfactory.environment import Start, DEFAULT_NOW\n"
        "from envfactory.environment.worker import Worker\n"
        f"with Worker({HOSTILE!r}) as worker:\n"
        "    instance = worker.open('hostile', Start(now=DEFAULT_NOW))\n"
        "    fork = os.fork()\n"
        "    if fork:\n"
        "        assert os.waitpid(fork, 0)[1] == 0\n"
        "        print(instance.call('count', {}).text)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, timeout=60, check=True)
    assert done.stdout == b'{"number":60}\n'


def test_closing_wakes_a_call_in_progress() -> None:
    with Worker(HOSTILE, call_seconds=60) as worker:
        instance = worker.open("hostile", START)
        child = worker._child
        assert child is not None
        kinds: list[str] = []
        thread = threading.Thread(target=lambda: kinds.append(failure(instance, "loop").kind))
        thread.start()
        while not child._lock.locked():  # the request is under way
            threading.Event().wait(0.01)
        worker.close()
        thread.join(10)
        assert kinds == ["closed"]


@pytest.mark.parametrize("tool", ["", "hold"])
def test_a_child_does_not_outlive_its_parent(tool: str) -> None:
    script = (
        "import sys, threading, time\n"
        "from envfactory.environment import Start, DEFAULT_NOW\n"
        "from envfactory.environment.worker import Worker\n"
        f"worker = Worker({HOSTILE!r}, call_seconds=1)\n"
        "instance = worker.open('hostile', Start(now=DEFAULT_NOW))\n"
        f"call = threading.Thread(target=instance.call, args=({tool!r}, {{}}), daemon=True)\n"
        f"if {tool!r}: call.start(); time.sleep(0.1)\n"
        "print(worker.pid, flush=True)\n"
        "sys.stdin.read()\n"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        parent.send_signal(signal.SIGKILL)
        parent.wait(10)
        if alive(pid):
            wait_until_gone(pid)
