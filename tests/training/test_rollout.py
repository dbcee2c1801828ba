"""A rollout as a trainer gets it: tokens and masks, what fails, and that nothing stays open."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from envfactory.dataset import ChatMessage
from envfactory.environment import EnvironmentFailure
from envfactory.training.episode import EpisodeLimits
from envfactory.training.rollout import Generated, GenerationFailed, Player, Rollout
from envfactory.training.task import Tasks
from envfactory.training.tokens import END_OF_TURN, render, render_results
from tests.dataset.support import asking, booking, hotels
from tests.training.support import Bytes, Counting, call, rows_of, rows_with_user, words

LIST = call("hotel_reservations-list_reservations")
BYTES = Bytes()


@pytest.fixture
def backend() -> Counting:
    return Counting(hotels())


@pytest.fixture
def threads() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(2) as pool:
        yield pool


@pytest.fixture
def player(backend: Counting, threads: ThreadPoolExecutor) -> Callable[..., Player]:
    def make(most: int = 100_000, **limits) -> Player:
        return Player(
            Tasks(backend), threads, BYTES, thinking=False, max_response_tokens=most, limits=EpisodeLimits(**limits)
        )

    return make


class Model:
    """Says given messages, one after the other, and keeps what it was asked with."""

    def __init__(self, *messages: str, end: str = END_OF_TURN) -> None:
        self.messages = list(messages)
        self.end = end
        self.asked: list[tuple[str, int]] = []

    async def __call__(self, ids: list[int], room: int) -> Generated:
        self.asked.append((BYTES.decode(ids), room))
        await asyncio.sleep(0)
        said = BYTES.encode(self.messages.pop(0) + self.end)
        return Generated(said, [-0.5] * len(said))


def played(player: Player, model: Model, turn: int = 0) -> Rollout:
    return asyncio.run(player.play(rows_of(booking())[turn], model))


def test_a_rollout_is_the_prompt_what_was_generated_and_what_was_answered(player, backend: Counting) -> None:
    row = rows_of(booking())[0]
    said = [text.removeprefix("<think>\n\n</think>\n\n") for text in words(booking(), 0)]
    model = Model(*said)
    rollout = played(player(), model)
    assert rollout.reward == 1
    assert rollout.failure == ""
    assert rollout.messages == len(said)
    assert BYTES.decode(rollout.prompt) == render(row.prompt, row.tools, thinking=False)
    generated = bytes(token for token, learned in zip(rollout.response, rollout.mask, strict=True) if learned)
    assert generated.decode() == "".join(text + END_OF_TURN for text in said)
    assert len(rollout.log_probs) == len(rollout.mask)
    assert {chance for chance, learned in zip(rollout.log_probs, rollout.mask, strict=True) if learned} == {-0.5}
    assert rollout.metrics["calls"] == len(row.gold)
    assert rollout.metrics["failed"] == 0
    # Each message was asked for with everything before it, and with the room that was left.
    assert model.asked[0][0] == BYTES.decode(rollout.prompt)
    assert all(100_000 - (len(text.encode()) - len(rollout.prompt)) == room for text, room in model.asked)
    assert backend.open_now == 0


def test_with_a_simulated_user_the_rollout_is_the_whole_template_and_their_words_are_not_learned(player) -> None:
    row = rows_with_user(asking())[1]
    said = ["Which one, and for when?", *words(booking(), 1)]
    model = Model(*said)
    rollout = asyncio.run(player(max_user_replies=2).play(row, model))
    assert (rollout.reward, rollout.metrics["user_replies"]) == (1, 1)
    opening = row.opening(simulated=True)
    assert BYTES.decode(rollout.prompt) == render(opening, row.tools, thinking=False)
    generated = bytes(token for token, learned in zip(rollout.response, rollout.mask, strict=True) if learned)
    assert generated.decode() == "".join(text + END_OF_TURN for text in said)
    assert {chance for chance, learned in zip(rollout.log_probs, rollout.mask, strict=True) if not learned} == {0.0}
    # Told anew from its messages it is the history of the row, and then the turn.
    history = row.prompt[len(opening) :]
    assert [message.role for message in history] == ["assistant", "user"]
    whole = [*row.prompt]
    for step, text in zip(booking().conversation.turns[1].steps, words(booking(), 1), strict=True):
        whole.append(ChatMessage(role="assistant", content=text))
        whole += [ChatMessage(role="tool", content=played.result) for played in step.calls]
    full = render(whole, row.tools, thinking=False, answer=False)
    assert BYTES.decode(rollout.prompt + rollout.response) + "\n" == full


def test_a_question_that_was_cut_is_answered_by_nobody(player) -> None:
    row = rows_with_user(asking())[1]
    rollout = asyncio.run(player(max_user_replies=2).play(row, Model("Which one?", end="")))
    assert (rollout.metrics["user_replies"], set(rollout.mask)) == (0, {1})


def test_the_users_words_without_room_for_an_answer_end_the_rollout(player) -> None:
    row = rows_with_user(asking())[1]
    question = "Which one?"
    model = Model(question)
    rollout = asyncio.run(player(len(question + END_OF_TURN) + 20, max_user_replies=2).play(row, model))
    assert rollout.failure == ""
    assert BYTES.decode(rollout.response) == question + END_OF_TURN


def test_a_message_that_was_cut_ends_the_rollout(player, backend: Counting) -> None:
    rollout = played(player(), Model(LIST, end=""))
    assert rollout.mask == [1] * len(LIST)
    assert rollout.metrics["calls"] == 1
    assert backend.open_now == 0


def test_results_without_room_for_an_answer_end_the_rollout(player) -> None:
    most = len(LIST) + len(END_OF_TURN) + 50
    rollout = played(player(most), Model(LIST))
    assert set(rollout.mask) == {1}
    assert rollout.failure == ""


def test_limits_reach_the_episode(player) -> None:
    rollout = played(player(max_steps=2), Model(LIST, LIST, "Done."))
    assert rollout.messages == 2
    # After the last message nothing is answered: nobody would read it.
    shown = BYTES.decode(rollout.response)
    assert shown.endswith(LIST + END_OF_TURN)
    assert shown.count(render_results([""], thinking=False)[:25]) == 1


def test_a_model_that_cannot_be_asked_fails_the_rollout_which_is_no_reward_of_zero(player, backend: Counting) -> None:
    class Gone(Model):
        async def __call__(self, ids: list[int], room: int) -> Generated:
            if not self.messages:
                raise GenerationFailed("the server is gone")
            return await super().__call__(ids, room)

    late = played(player(), Gone(LIST))
    assert late.failure == "generation: the server is gone"
    assert late.metrics == {"failed": 1.0}
    assert late.reward == 0
    assert set(late.mask) == {0}
    assert len(late.mask) == len(late.response) == len(late.log_probs) > len(LIST)
    early = played(player(), Gone())
    assert BYTES.decode(early.response) == END_OF_TURN
    assert set(early.mask) == {0}
    assert len(early.log_probs) == len(early.response)
    assert backend.open_now == 0


def test_an_empty_message_fails_the_rollout(player) -> None:
    assert played(player(), Model("", end="")).failure == "generation: the message is empty"


def test_what_infrastructure_breaks_fails_the_rollout(backend: Counting, threads: ThreadPoolExecutor) -> None:
    tasks = Tasks(backend)
    row = rows_of(booking())[0]
    tasks.of(row)

    def crash(environment: str, start: object) -> None:
        raise EnvironmentFailure("crash", "the worker is gone")

    backend.open = crash  # pyright: ignore[reportAttributeAccessIssue]
    player = Player(tasks, threads, BYTES, thinking=False, max_response_tokens=1000)
    rollout = asyncio.run(player.play(row, Model("Done.")))
    assert rollout.failure == "crash: the worker is gone"
    assert set(rollout.mask) == {0}


def test_who_is_cancelled_leaves_no_session_open(player, backend: Counting, threads: ThreadPoolExecutor) -> None:
    async def cancelled() -> None:
        asked = asyncio.Event()

        async def silent(ids: list[int], room: int) -> Generated:
            asked.set()
            await asyncio.Event().wait()
            raise AssertionError

        rollout = asyncio.create_task(player().play(rows_of(booking())[0], silent))
        await asked.wait()
        assert backend.open_now == 1
        rollout.cancel()
        with pytest.raises(asyncio.CancelledError):
            await rollout

    asyncio.run(cancelled())
    threads.shutdown()
    assert backend.opened
    assert backend.open_now == 0


def test_who_is_cancelled_while_opening_leaves_no_session_open(player, backend: Counting, threads) -> None:
    async def cancelled() -> None:
        rollout = asyncio.create_task(player().play(rows_of(booking())[0], Model("Done.")))
        await asyncio.sleep(0)
        rollout.cancel()
        with pytest.raises(asyncio.CancelledError):
            await rollout

    asyncio.run(cancelled())
    threads.shutdown()
    assert backend.open_now == 0


def test_a_row_of_other_environments_is_an_error_and_no_failure(player, backend: Counting) -> None:
    row = rows_of(booking())[0]
    other = row.model_copy(update={"gold": (row.gold[0].model_copy(update={"tool": "hotel_reservations-nothing"}),)})
    with pytest.raises(ValueError, match="make the file anew"):
        asyncio.run(player().play(other, Model("Done.")))
    assert backend.open_now == 0


def test_rollouts_of_one_row_side_by_side_do_not_see_each_other(player) -> None:
    one = player()

    async def group() -> list[Rollout]:
        row = rows_of(booking())[0]
        said = [text.removeprefix("<think>\n\n</think>\n\n") for text in words(booking(), 0)]
        return await asyncio.gather(*(one.play(row, Model(*said)) for _ in range(8)))

    found = asyncio.run(group())
    assert {rollout.reward for rollout in found} == {1}
    assert len({bytes(rollout.response) for rollout in found}) == 1
