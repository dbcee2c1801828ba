"""Replay: the same calls give the same bytes, wherever and beside whatever they run."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

from envfactory.environment.backend import Start
from envfactory.environment.checks.sources import unrepeatable_calls
from envfactory.environment.checks.subject import Subject, Transcript, Walk, attempt
from envfactory.environment.states import dump_state, load_state

THREADS = 4


def deterministic(subject: Subject) -> Iterator[str]:
    """The same seed and calls give the same bytes in other processes, under other hash seeds."""
    where = "in two processes with different hash seeds"
    yield from _differences(subject.walks, subject.backwards, subject.hashed_otherwise, where)
    yield from unrepeatable_calls(subject.environment)


def backends_agree(subject: Subject) -> Iterator[str]:
    """A worker process gives the same bytes as running in process."""
    # What two runs of one kind do not agree on is no question of the backend.
    again = tuple(subject.transcript(subject.backend(), walk) for walk in subject.walks)
    if again == subject.alone and subject.forwards == subject.hashed_otherwise:
        yield from _differences(subject.walks, subject.alone, subject.forwards, "in process and in a worker")


def sessions_isolated(subject: Subject) -> Iterator[str]:
    """Sessions that run before, after or beside each other, in turns or in threads, do not notice each other."""
    backend = subject.backend()
    opened = [backend.open(subject.name, walk.start) for walk in (*subject.walks, *subject.walks)]
    texts: list[list[str]] = [[] for _ in opened]
    walks = (*subject.walks, *subject.walks)
    befores = [instance.dump() for instance in opened]
    for number in range(max(len(walk.steps) for walk in walks)):
        for instance, walk, said in zip(opened, walks, texts, strict=True):
            if number < len(walk.steps):
                step = walk.steps[number]
                said.append(attempt(instance, step.tool, step.arguments).text)
    taken = [
        Transcript(before, tuple(said), instance.dump(), instance.diff().model_dump_json())
        for before, said, instance in zip(befores, texts, opened, strict=True)
    ]
    yield from _differences(walks, (*subject.alone, *subject.alone), taken, "alone and with others in turns")
    yield from _differences(walks, (*subject.alone, *subject.alone), _threaded(subject, walks), "alone and in threads")
    # What this process has seen already may answer for a session as well; a fresh one has not seen it.
    yield from _differences(subject.walks, subject.forwards, subject.backwards, "before and after other sessions")


def _threaded(subject: Subject, walks: Sequence[Walk]) -> list[Transcript]:
    backend = subject.backend()
    ready = threading.Barrier(THREADS)

    def play(walk: Walk) -> Transcript:
        return subject.transcript(backend, walk)

    with ThreadPoolExecutor(THREADS, initializer=ready.wait, initargs=(30,)) as pool:
        return list(pool.map(play, walks))


def state_round_trips(subject: Subject) -> Iterator[str]:
    """A dumped state loads, dumps to the same bytes, and behaves the same afterwards."""
    for walk, whole in zip(subject.walks, subject.alone, strict=True):
        count = len(walk.steps)
        for cut in (0, count // 3, 2 * count // 3):
            yield from _resumed(subject, walk, whole, cut)


def _resumed(subject: Subject, walk: Walk, whole: Transcript, cut: int) -> Iterator[str]:
    where = f"The state after {cut} calls from seed {walk.start.seed}"
    instance = subject.open(walk.start.seed)
    for step in walk.steps[:cut]:
        attempt(instance, step.tool, step.arguments)
    document = instance.dump()
    try:
        again = dump_state(load_state(subject.environment, document))
    except ValueError as error:
        yield f"{where} does not load: {error}"
        return
    if again != document:
        yield f"{where} is another one after it is loaded and dumped: {_apart(document, again)}"
        return
    start = Start(now=walk.start.now, document=document.decode())
    rest = subject.transcript(subject.backend(), Walk(start, walk.steps[cut:]))
    for step, before, after in zip(walk.steps[cut:], whole.texts[cut:], rest.texts, strict=True):
        if before != after:
            yield f"{step.tool} gives something else once the state was dumped and loaded: {_apart(before, after)}"
            return
    if rest.after != whole.after:
        yield f"{where}, loaded, leads to another state by the same calls: {_apart(whole.after, rest.after)}"


def _differences(
    walks: Sequence[Walk], one: Sequence[Transcript], two: Sequence[Transcript], where: str
) -> Iterator[str]:  # fmt: skip
    """The first difference of each pair of transcripts, as a sentence."""
    for walk, left, right in zip(walks, one, two, strict=True):
        if left == right:
            continue
        if left.before != right.before:
            yield f"The scenario of seed {walk.start.seed} differs {where}: {_apart(left.before, right.before)}"
            continue
        for step, said, other in zip(walk.steps, left.texts, right.texts, strict=True):
            if said != other:
                yield f"{step.tool} gives different results {where}: {_apart(said, other)}"
                break
        else:
            yield f"The same calls lead to different states {where}: {_apart(left.after, right.after)}"


def _apart(one: str | bytes, two: str | bytes) -> str:
    """Where two texts part, with a little of what is around."""
    left, right = (text.decode() if isinstance(text, bytes) else text for text in (one, two))
    at = next((n for n, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), min(len(left), len(right)))
    begin = max(0, at - 30)
    return f"...{left[begin : at + 30]!r} against ...{right[begin : at + 30]!r}"
