"""Rollouts: what is executed, what is answered in band, what it earns, and that nothing is left open."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envfactory.dataset import RLRow
from envfactory.environment import (
    Backend,
    Environment,
    EnvironmentFailure,
    InProcess,
    Record,
    Ref,
    Result,
    Table,
    ToolError,
    World,
    tool,
)  # fmt: skip
from envfactory.environment.worker import Worker
from envfactory.gold import Const, GoldCall
from envfactory.reward import COMPOSITE, PAPER, FailedRollout, Score
from envfactory.training.episode import Episode, EpisodeLimits
from envfactory.training.task import Tasks, open_backend
from tests.dataset.support import asking, booking, hotels
from tests.training.support import Bytes, Counting, call, play, row_of, rows_of, rows_with_user, words

HOSTILE = {"hostile": "tests.environment.hostile:Hostile"}
LIST = call("hotel_reservations-list_reservations")


@cache
def tasks() -> Tasks:
    return Tasks(hotels())


def row_at(turn: int) -> RLRow:
    return rows_of(booking())[turn]


def scored(outcome) -> Score:
    assert isinstance(outcome.score, Score), outcome.score
    return outcome.score


def failed(outcome) -> str:
    assert isinstance(outcome.score, FailedRollout), outcome.score
    assert outcome.reward is None
    assert outcome.metrics() == {"failed": 1.0}
    return outcome.score.reason


@pytest.mark.parametrize("where", ["in_process", "worker"])
@pytest.mark.parametrize("turn", [0, 1])
def test_gold_in_a_models_words_earns_everything(turn, where) -> None:
    backend = open_backend(("hotel_reservations",), where, 5.0)
    try:
        outcome = play(row_at(turn), Tasks(backend), words(booking(), turn))
        assert (scored(outcome).reward, scored(outcome).r_traj, scored(outcome).p_length) == (1.0, 1.0, 0.0)
        assert scored(outcome).calls == len(row_at(turn).gold)
        assert outcome.counts.answered
    finally:
        if isinstance(backend, Worker):
            backend.close()


def test_results_are_those_of_the_history_byte_for_byte() -> None:
    turn = booking().conversation.turns[1]
    with Episode(row_at(1), tasks()) as episode:
        for step, text in zip(turn.steps, words(booking(), 1), strict=True):
            assert episode.step(text).results == tuple(played.result for played in step.calls)
        assert episode.done


def test_parallel_calls_are_answered_in_their_order() -> None:
    with Episode(row_at(0), tasks()) as episode:
        reply = episode.step(f"{LIST}\n{call('hotel_reservations-nap')}\n{LIST}")
    assert reply.results[0] == reply.results[2] != reply.results[1]
    assert not reply.done


def test_every_term_is_told_apart() -> None:
    metrics = play(row_at(0), tasks(), [f"{LIST}{LIST}", *words(booking(), 0)]).metrics()
    expected = {
        "failed": 0, "reward": 0.9, "r_traj": 1, "r_state": 1, "p_length": 0.1, "calls": 5, "gold_calls": 3,
        "matched": 3, "refused": 0, "malformed": 0, "undecided": 0, "steps": 4, "unknown_tools": 0, "unreadable": 0,
        "repaired": 0, "over_limit": 0, "cut_results": 0, "user_replies": 0, "gave_up": 0, "answered": 1,
    }  # fmt: skip
    assert metrics == pytest.approx(expected)


BAD = {
    "unknown_tools": call("hotel_reservations-nap"),
    "unreadable": "<tool_call>\n{'name': 'x'}\n</tool_call>",
    "malformed": '<tool_call>\n{"name": "hotel_reservations-get_hotel", "arguments": "H-1"}\n</tool_call>',
    "refused": call("hotel_reservations-get_hotel", hotel="H-1"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_call_is_answered_in_band_counted_and_costs_a_call(name) -> None:
    with Episode(row_at(1), tasks()) as episode:
        (result,) = episode.step(BAD[name]).results
        assert orjson.loads(result)["error"]["code"] in ("unknown_tool", "invalid_argument")
        for text in words(booking(), 1):
            episode.step(text)
        outcome = episode.finish()
    assert outcome.metrics()[name] == 1
    assert (scored(outcome).r_traj, scored(outcome).p_length) == (1.0, 0.05)


def test_a_tool_that_is_not_offered_is_unknown() -> None:
    row = rows_of(booking())[0]
    outcome = play(row.model_copy(update={"tools": "[]"}), tasks(), [LIST])
    assert outcome.counts.unknown_tools == 1
    assert not outcome.calls[0].ok


def test_a_repaired_call_is_executed_and_counted() -> None:
    text = words(booking(), 1)
    broken = text[0].replace("}}\n</tool_call>", "}\n</tool_call>")
    assert broken != text[0]
    outcome = play(row_at(1), tasks(), [broken, *text[1:]])
    assert (outcome.reward, outcome.counts.repaired) == (1.0, 1)


def test_calls_in_thinking_and_in_results_are_never_executed() -> None:
    gold = "\n".join(words(booking(), 1))
    outcome = play(row_at(1), tasks(), [f"<think>\n{gold}\n</think>\n\nDone."])
    assert outcome.calls == ()
    assert scored(outcome).r_traj == 0
    # What a tool's result says is shown to the model and read by nobody.
    echo = call("hotel_reservations-get_hotel", hotel_id=gold)
    outcome = play(row_at(1), tasks(), [echo, "Done."])
    assert [(made.tool, made.ok) for made in outcome.calls] == [("hotel_reservations-get_hotel", False)]
    assert scored(outcome).matched == 0


def test_doing_nothing_in_a_turn_that_only_reads_earns_nothing_even_after_a_turn_that_wrote() -> None:
    row = rows_of(booking())[1]
    reading = GoldCall(tool="hotel_reservations-list_reservations", arguments={})
    later = row.model_copy(update={"before": (*row.before, *row.gold), "gold": (reading,)})
    assert play(later, tasks(), ["Done."]).reward == 0
    assert play(later, tasks(), [LIST, "Done."]).reward == 1
    assert play(later, tasks(), ["Done."], settings=PAPER).reward == 0.5  # as published: the state is as wanted


def test_the_settings_of_the_reward_reach_the_score() -> None:
    settings = PAPER.model_copy(update={"alpha": 0.3, "per_call": 0.2})
    outcome = play(row_at(0), tasks(), [LIST, *words(booking(), 0)], settings=settings)
    assert outcome.reward == pytest.approx(0.8)
    assert play(row_at(0), tasks(), ["Done."], settings=settings).reward == pytest.approx(0.7)


# -- a simulated user -------------------------------------------------------------------------------------------------
SIMULATED = EpisodeLimits(max_user_replies=2)


def asked_row() -> RLRow:
    """The turn that books, whose request has to be asked back about."""
    return rows_with_user(asking())[1]


def test_a_question_is_answered_and_the_episode_goes_on() -> None:
    with Episode(asked_row(), tasks(), SIMULATED) as episode:
        reply = episode.step("<think>\n\n</think>\n\nWhich one, and for when?<|im_end|>")
        assert (reply.results, reply.done, reply.said) == ((), False, asking().conversation.turns[2].user)
        for text in words(booking(), 1):
            reply = episode.step(text)
        assert (reply.done, reply.said) == (True, "")
        outcome = episode.finish()
    assert outcome.reward == 1
    assert (outcome.metrics()["user_replies"], outcome.metrics()["gave_up"], outcome.counts.answered) == (1, 0, True)


def test_an_answer_or_an_offer_of_help_ends_the_turn_although_it_is_not_served() -> None:
    for text in ("Done.", "Anything else?", "<think>\nWhich one?\n</think>\n\nI booked it."):
        with Episode(asked_row(), tasks(), SIMULATED) as episode:
            reply = episode.step(text)
            assert (reply.done, reply.said) == (True, "")
            assert episode.finish().reward == 0


def test_whoever_is_served_answers_no_more() -> None:
    *calls, _ = words(booking(), 1)
    with Episode(asked_row(), tasks(), SIMULATED) as episode:
        for text in calls:
            assert not episode.step(text).done
        reply = episode.step("Shall I book another one?")
        assert (reply.done, reply.said) == (True, "")
        outcome = episode.finish()
    assert (outcome.reward, outcome.counts.user_replies, outcome.counts.gave_up) == (1, 0, False)


def test_whoever_is_asked_too_often_gives_up_and_that_is_counted() -> None:
    with Episode(asked_row(), tasks(), SIMULATED) as episode:
        assert [bool(episode.step("Really?").said) for _ in range(3)] == [True, True, False]
        assert episode.done
        metrics = episode.finish().metrics()
    assert (metrics["user_replies"], metrics["gave_up"], metrics["answered"], metrics["failed"]) == (2, 1, 1, 0)


def test_nobody_answers_what_nobody_could_hear_or_would_read() -> None:
    with Episode(asked_row(), tasks(), SIMULATED) as episode:
        assert episode.step("Which one?", whole=False).said == ""
        assert episode.done
    with Episode(asked_row(), tasks(), SIMULATED.model_copy(update={"max_steps": 1})) as episode:
        assert episode.step("Which one?").said == ""
        assert episode.finish().counts.user_replies == 0


def test_without_a_simulated_user_a_question_ends_the_turn() -> None:
    for row, limits in ((asked_row(), EpisodeLimits()), (row_at(1), SIMULATED)):
        with Episode(row, tasks(), limits) as episode:
            reply = episode.step("Which one?")
            assert (reply.done, reply.said) == (True, "")


def test_infrastructure_that_breaks_before_the_user_answers_fails_the_rollout() -> None:
    ticks = iter([0.0, 1.0, 2.0, 99.0])
    limits = SIMULATED.model_copy(update={"episode_timeout_s": 20})
    with Episode(asked_row(), tasks(), limits, clock=lambda: next(ticks)) as episode:
        assert episode.step("Which one?").done
        assert failed(episode.finish()) == "timeout: the episode took over 20 s"


# -- limits -----------------------------------------------------------------------------------------------------------
def test_steps_are_limited() -> None:
    with Episode(row_at(0), tasks(), EpisodeLimits(max_steps=2)) as episode:
        assert not episode.step(LIST).done
        assert episode.step(LIST).done
        with pytest.raises(RuntimeError, match="t-0001/0: the episode is over"):
            episode.step(LIST)
        outcome = episode.finish()
    assert (outcome.counts.steps, outcome.counts.answered) == (2, False)


def test_calls_beyond_the_limit_are_refused_unexecuted_and_cost_what_calls_cost() -> None:
    booked = words(booking(), 1)[0]
    with Episode(row_at(1), tasks(), EpisodeLimits(max_calls=2)) as episode:
        reply = episode.step(f"{LIST}\n{LIST}\n{booked}")
        assert [orjson.loads(text).get("error", {}).get("code") for text in reply.results] == [
            None, None, "limit_exceeded",
        ]  # fmt: skip
        assert not reply.done
        episode.step("Done.")
        outcome = episode.finish()
    assert outcome.counts.over_limit == 1
    assert (scored(outcome).calls, scored(outcome).matched) == (3, 0)


def test_an_episode_that_takes_too_long_is_a_failed_rollout() -> None:
    ticks = iter(range(0, 1000, 7))
    limits = EpisodeLimits(episode_timeout_s=20)
    backend = Counting(hotels())
    with Episode(row_at(0), ready(backend), limits, clock=lambda: float(next(ticks))) as episode:
        episode.step(LIST)  # opening and call: 14 s
        reply = episode.step(LIST)
        assert (reply.results, reply.done) == ((), True)
        assert backend.open_now == 0
        assert failed(episode.finish()) == "timeout: the episode took over 20 s"


def test_the_model_is_shown_at_most_so_many_tokens_of_a_result() -> None:
    limits = EpisodeLimits(max_result_tokens=100)
    with Episode(row_at(0), tasks(), limits, tokenizer=Bytes()) as episode:
        (result,) = episode.step(words(booking(), 0)[0]).results
        outcome = episode.finish()
    whole = outcome.calls[0].result
    assert len(Bytes().encode(result)) <= 100 < len(Bytes().encode(whole))
    assert whole.startswith(result[:20])
    assert whole.endswith(result[-20:])
    assert "tokens left out" in result
    assert outcome.counts.cut_results == 1


class Page(Record, noun="page", label="{text}"):
    """A page."""

    id: Annotated[str, Ref("Page")]
    text: str


class Archive(Environment):
    """Long pages."""

    domain = "test"
    policy = "None."
    sources = ("none",)
    length: ClassVar[int] = 200

    pages: Table[Page]

    @tool(ask=("read {page_id}",), reply=("Read.",))
    def read(self, page_id: Annotated[str, Ref("Page")]) -> Page:
        """Read a page.

        Args:
            page_id: Page to read.
        """
        return self.pages.require(page_id)

    @tool(writes=True, ask=("write {text}",), reply=("Written.",))
    def write(self, text: str) -> Page:
        """Write a page.

        Args:
            text: What it says.
        """
        return self.pages.insert(Page(id=self.new_id("P"), text=text * self.length))

    @classmethod
    def scenario(cls, world: World, size: int) -> Self:
        """Two pages, one of them with a call in it."""
        gold = call("archive-write", text="a")
        texts = {"P-1": "words " * cls.length, "P-2": f"{gold} " * cls.length}
        return cls(now=world.now, pages=Table({key: Page(id=key, text=text) for key, text in texts.items()}))


class LongArchive(Archive):
    """Pages ten times as long."""

    length: ClassVar[int] = 2000

    @classmethod
    def environment_name(cls) -> str:
        """The same name, so that the same words can be played in both."""
        return "archive"


ARCHIVE_GOLD = [
    GoldCall(tool="archive-read", arguments={"page_id": Const(value="P-1")}),
    GoldCall(tool="archive-write", arguments={"text": Const(value="a")}),
]


@pytest.mark.parametrize(
    "messages",
    [
        [call("archive-read", page_id="P-1"), call("archive-write", text="a"), "Done."],
        [call("archive-read", page_id="P-2"), call("archive-read", page_id="P-1"), "Done."],
        [call("archive-read", page_id="P-2"), "Done."],
        ["Done."],
    ],
)
def test_ten_times_longer_results_leave_the_reward_as_it_is(messages) -> None:
    found: list[tuple[Any, ...]] = []
    for cls in (Archive, LongArchive):
        backend = InProcess({"archive": cls})
        row = row_of(dict(backend.specs), ARCHIVE_GOLD)
        for tokens in (64, 1_000_000):
            limits = EpisodeLimits(max_result_tokens=tokens)
            outcome = play(row, Tasks(backend), messages, limits=limits, tokenizer=Bytes())
            found.append((outcome.score, outcome.counts.steps))
            assert max((len(made.result) for made in outcome.calls), default=1000) >= 200
    assert found == [found[0]] * 4


ARCHIVE_CALLS = [
    call("archive-read", page_id="P-1"),
    call("archive-read", page_id="P-2"),
    call("archive-read", page_id="P-9"),
    call("archive-write", text="a"),
    call("archive-write", text="b"),
    call("archive-burn"),
    "<tool_call>\n{'name': 'archive-read'}\n</tool_call>",
    "<think>\n" + call("archive-write", text="a") + "\n</think>",
]


@cache
def archives() -> list[tuple[RLRow, Tasks]]:
    """The same turn where pages are short and where they are long."""
    backends = [InProcess({"archive": cls}) for cls in (Archive, LongArchive)]
    return [(row_of(dict(backend.specs), ARCHIVE_GOLD), Tasks(backend)) for backend in backends]


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.lists(st.sampled_from(ARCHIVE_CALLS), max_size=3).map("\n".join), max_size=6),
    st.sampled_from([64, 250, 1_000_000]),
    st.sampled_from([COMPOSITE, PAPER]),
)
def test_whatever_is_played_ten_times_longer_results_leave_the_reward_as_it_is(
    messages, tokens, given_settings
) -> None:
    limits = EpisodeLimits(max_result_tokens=tokens)
    short, long = (
        play(row, own, messages, limits=limits, settings=given_settings, tokenizer=Bytes()) for row, own in archives()
    )
    assert short.score == long.score
    assert [made.ok for made in short.calls] == [made.ok for made in long.calls]


# -- faults -----------------------------------------------------------------------------------------------------------
class Faulty(Counting):
    """A backend in which one verb of an instance, or the opening, fails as infrastructure does."""

    def __init__(self, inner, verb: str, error: BaseException) -> None:
        super().__init__(inner)
        self.verb, self.error, self.broken = verb, error, False
        self.answer: Result | None = None

    def open(self, environment, start):
        if self.broken and self.verb == "open":
            raise self.error
        counted = super().open(environment, start)

        def fail(*_: object) -> None:
            raise self.error

        if self.broken:
            setattr(counted, self.verb, fail)
        if self.answer is not None:
            counted.call = lambda *_: self.answer
        return counted


def ready(backend: Backend) -> Tasks:
    """Tasks in which both turns are ready, so that only rollouts open sessions."""
    own = Tasks(backend)
    for turn in (0, 1):
        own.of(row_at(turn))
    return own


def breaking(backend: Faulty) -> Tasks:
    own = ready(backend)
    backend.broken = True
    return own


@pytest.mark.parametrize("error", [EnvironmentFailure("crash", "the worker died"), OSError("no more processes")])
@pytest.mark.parametrize("verb", ["open", "call", "diff"])
def test_what_infrastructure_breaks_is_a_failed_rollout_and_is_released(verb, error) -> None:
    backend = Faulty(hotels(), verb, error)
    outcome = play(row_at(0), breaking(backend), words(booking(), 0))
    assert str(error) in failed(outcome)
    assert failed(outcome).startswith("crash")
    assert backend.open_now == 0


@pytest.mark.parametrize("verb", ["open", "call", "dump"])
def test_a_failure_while_a_turn_is_made_ready_fails_the_rollout_and_no_later_one(verb) -> None:
    backend = Faulty(hotels(), verb, EnvironmentFailure("bug", "KeyError"))
    backend.broken = True
    own = Tasks(backend)
    assert failed(play(row_at(1), own, words(booking(), 1))) == "bug: KeyError"
    assert backend.open_now == 0
    backend.broken = False
    assert play(row_at(1), own, words(booking(), 1)).reward == 1


def test_where_a_mark_is_gone_the_turns_before_are_replayed() -> None:
    backend = Faulty(hotels(), "restore", EnvironmentFailure("crash", "the worker is gone"))
    assert play(row_at(1), breaking(backend), words(booking(), 1)).reward == 1


def test_a_turn_that_no_longer_begins_as_it_did_is_a_failure_of_infrastructure() -> None:
    backend = Faulty(hotels(), "restore", EnvironmentFailure("crash", "the worker is gone"))
    own = breaking(backend)
    refusal = Result.refusal(ToolError("conflict", "Not now."))
    backend.answer = refusal
    assert "no longer runs" in failed(play(row_at(1), own, words(booking(), 1)))
    assert backend.open_now == 0


@pytest.mark.parametrize(("tool_name", "kind"), [("loop", "timeout"), ("die", "crash")])
def test_a_tool_that_hangs_or_kills_its_process_fails_the_rollout_and_no_later_one(tool_name, kind) -> None:
    gold = [GoldCall(tool="hostile-write", arguments={"text": Const(value="a")})]
    with Worker(HOSTILE, call_seconds=1.0) as worker:
        row, ready_made = row_of(dict(worker.specs), gold), Tasks(worker)
        outcome = play(row, ready_made, [call("hostile-write", text="a"), call(f"hostile-{tool_name}"), "Done."])
        assert failed(outcome).startswith(kind)
        assert len(outcome.calls) == 1  # what was played is told, and earns nothing
        assert play(row, ready_made, [call("hostile-write", text="a"), "Done."]).reward == 1


def test_a_worker_that_is_killed_in_the_middle_of_a_call_fails_the_rollout_and_no_later_one() -> None:
    gold = [GoldCall(tool="hostile-write", arguments={"text": Const(value="a")})]
    with Worker(HOSTILE, call_seconds=60.0) as worker:
        backend = Counting(worker)
        row, ready_made = row_of(dict(worker.specs), gold), Tasks(backend)
        with Episode(row, ready_made) as episode, ThreadPoolExecutor(1) as pool:
            pid = worker.pid
            assert pid is not None
            waiting = pool.submit(episode.step, call("hostile-loop"))
            used = _processor_ticks(pid)
            while _processor_ticks(pid) < used + 5 and not waiting.done():  # until the tool runs
                pass
            os.kill(pid, signal.SIGKILL)
            assert waiting.result(timeout=30).done
            assert failed(episode.finish()).startswith("crash")
        assert backend.open_now == 0
        assert play(row, ready_made, [call("hostile-write", text="a"), "Done."]).reward == 1
        assert backend.open_now == 0


def _processor_ticks(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11])


class Unable(Bytes):
    """A tokenizer that gives up, with an error or because the program is being stopped."""

    def __init__(self, error: BaseException) -> None:
        self.error = error

    def encode(self, text: str, *, add_special_tokens: bool = True) -> list[int]:
        raise self.error


@pytest.mark.parametrize("error", [ValueError("no such token"), OSError("no memory"), asyncio.CancelledError()])
def test_a_tokenizer_that_fails_releases_the_session_and_is_no_failed_rollout(error) -> None:
    backend = Counting(hotels())
    own = ready(backend)
    limits = EpisodeLimits(max_result_tokens=32)
    episode = Episode(row_at(0), own, limits, tokenizer=Unable(error))
    with pytest.raises(type(error)):
        episode.step(words(booking(), 0)[0])
    assert backend.open_now == 0  # although nobody has closed the episode
    assert episode.failure is None


@pytest.mark.parametrize("verb", ["open", "call", "diff"])
def test_what_stops_the_program_releases_the_session_and_goes_on(verb) -> None:
    for error in (asyncio.CancelledError(), KeyboardInterrupt(), SystemExit(1)):
        backend = Faulty(hotels(), verb, error)
        with pytest.raises(type(error)):
            play(row_at(0), breaking(backend), words(booking(), 0))
        assert backend.open_now == 0


def test_an_episode_in_a_thread_whose_waiter_is_cancelled_releases_its_session() -> None:
    backend = Counting(hotels())
    own = ready(backend)
    entered, go_on = threading.Event(), threading.Event()

    def rollout() -> None:
        with Episode(row_at(0), own) as episode:
            episode.step(LIST)
            entered.set()
            assert go_on.wait(30)
            episode.step(LIST)

    async def cancelled() -> None:
        with ThreadPoolExecutor(1) as pool:
            waiting = asyncio.get_running_loop().run_in_executor(pool, rollout)
            await asyncio.to_thread(entered.wait, 30)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
            assert backend.open_now == 1  # nothing ends a thread from outside
            go_on.set()

    asyncio.run(cancelled())
    assert backend.open_now == 0


def test_a_session_is_released_however_its_episode_ends() -> None:
    backend = Counting(hotels())
    own = ready(backend)
    backend.opened.clear()
    play(row_at(0), own, words(booking(), 0))
    assert backend.open_now == 0
    with pytest.raises(KeyboardInterrupt), Episode(row_at(0), own) as episode:
        raise KeyboardInterrupt
    assert backend.open_now == 0
    with Episode(row_at(0), own) as episode:
        episode.step(LIST)
        assert backend.open_now == 1
    assert backend.open_now == 0
    assert len(backend.opened) == 3
    with pytest.raises(RuntimeError, match="closed"):
        episode.finish()


def test_a_mistake_of_the_program_is_no_failure_of_infrastructure_and_releases_too() -> None:
    backend = Faulty(hotels(), "call", TypeError("a bug of ours"))
    with Episode(row_at(0), breaking(backend)) as episode, pytest.raises(TypeError, match="a bug of ours"):
        episode.step(LIST)
    assert backend.open_now == 0


def test_rollouts_do_not_see_each_other() -> None:
    first, second = Episode(row_at(1), tasks()), Episode(row_at(1), tasks())
    with first, second:
        for text in words(booking(), 1):
            assert first.step(text) == second.step(text)
        assert first.finish().reward == second.finish().reward == 1


def test_rollouts_in_threads_are_each_as_if_alone() -> None:
    own = Tasks(hotels())
    turns = [index % 2 for index in range(32)]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda turn: play(row_at(turn), own, words(booking(), turn)), turns))
    assert [outcome.reward for outcome in found] == [1.0] * 32
    for turn, outcome in zip(turns, found, strict=True):
        assert outcome == found[turn]


def test_arguments_beyond_json_are_answered_in_band() -> None:
    strange = [
        '<tool_call>{"name": "hotel_reservations-get_hotel", "arguments": {"hotel_id": "\\ud800"}}</tool_call>',
        '<tool_call>{"name": "hotel_reservations-get_hotel", "arguments": {"hotel_id": 1'
        + "0" * 400
        + "}}</tool_call>",
        f"<tool_call>{json.dumps({'name': 'x' * 150 + chr(0xD800), 'arguments': {}})}</tool_call>",
        '<tool_call>{"name": "hotel_reservations-get_hotel", "arguments": null}</tool_call>',
    ]
    outcome = play(row_at(0), tasks(), [*strange, "Done."])
    assert [made.ok for made in outcome.calls] == [False] * 4
    assert scored(outcome).p_length == pytest.approx(0.05)
