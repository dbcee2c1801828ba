"""What only the person can do in rollouts: done at the beginning, or, with a simulated user, when they are told to."""

from __future__ import annotations

from functools import cache

import pytest

from envfactory.dataset import RLRow, rl_rows, tool_file
from envfactory.dataset.rl import RowUser
from envfactory.dataset.rl_check import RLRowCheck
from envfactory.environment import Session
from envfactory.querygen.knowledge import knowledge_by_turn
from envfactory.training.episode import Episode, EpisodeLimits
from envfactory.training.task import Tasks, make_task
from tests.querygen.acting import CONFIRM, SET, SIGN, services, stories
from tests.training.support import call, play

SIMULATED = EpisodeLimits(max_steps=20, max_user_replies=3)


@cache
def rows() -> tuple[RLRow, ...]:
    """The rows of a few trajectories, as stage export makes them."""
    tools = tool_file(services().specs)
    found: list[RLRow] = []
    for story in stories(6):
        gold = story.trajectory.gold
        found += rl_rows(story.trajectory, tools, "train", len(found), knowledge_by_turn(services(), gold))
    return tuple(found)


@cache
def tasks() -> Tasks:
    return Tasks(services())


def acting() -> list[RLRow]:
    return [row for row in rows() if row.user is not None and row.user.acts]


def limit_row() -> RLRow:
    return next(row for row in acting() if row.gold[0].tool == SET)


def telling(row: RLRow) -> str:
    """What the assistant of the conversation told the person to do."""
    return row.prompt[-2].content


def gold_of(row: RLRow, *, simulated: bool) -> list[str]:
    task = tasks().of(row, simulated=simulated)
    own = {tool.wire_name for spec in task.specs.values() for tool in spec.agent_tools}
    return [call(made.tool, **made.arguments) for made in task.gold_calls if made.tool in own]


def test_the_rows_have_no_problems_and_their_gold_is_the_assistants_alone() -> None:
    check = RLRowCheck()
    users = {tool.wire_name for spec in services().specs.values() for tool in spec.tools if tool.by == "user"}
    assert len(acting()) >= 6
    for number, row in enumerate(rows(), 1):
        assert list(check.problems(row, number)) == []
        assert users.isdisjoint(step.tool for step in row.gold)
        assert not any(name in row.tools for name in users)
    for row in acting():
        assert row.user is not None
        assert users.issuperset(step.tool for step in row.before[-row.user.acts :])
        assert row.user.begins == len(row.prompt) - 2, "such a rollout begins with the request"


def test_without_a_simulated_user_it_is_done_when_the_turn_begins() -> None:
    for row in acting():
        assert play(row, tasks(), [*gold_of(row, simulated=False), "Done."]).reward == 1
        assert play(row, tasks(), ["Done."]).reward == 0


def test_with_one_they_act_when_told_and_gold_earns_everything_after_that() -> None:
    for row in acting():
        with Episode(row, tasks(), SIMULATED) as episode:
            reply = episode.step(telling(row))
            assert (reply.results, reply.done, reply.said) == ((), False, row.prompt[-1].content)
            for text in gold_of(row, simulated=True):
                assert not episode.step(text).done
            episode.step("Done.")
            outcome = episode.finish()
        assert outcome.reward == 1, row.id
        assert outcome.counts.user_replies == 1
        assert all(made.tool != CONFIRM for made in outcome.calls), "what the user does is no call of the policy's"


def test_whoever_does_not_tell_them_does_not_reach_golds_state() -> None:
    row = limit_row()
    for messages in (gold_of(row, simulated=True), ["Done."], [*gold_of(row, simulated=True), "Which limit is it?"]):
        with Episode(row, tasks(), SIMULATED) as episode:
            for text in messages:
                episode.step(text)
            score = episode.finish().score
        assert not all(score.states.values())  # pyright: ignore[reportAttributeAccessIssue]


def test_a_policy_that_only_tells_them_earns_nothing() -> None:
    row = limit_row()
    with Episode(row, tasks(), SIMULATED) as episode:
        assert episode.step(telling(row)).said
        episode.step("It is done.")
        assert episode.finish().reward == 0


@pytest.mark.parametrize(
    "heard",
    ["confirm limit", "Did you confirm a limit of $1?", "You do not need to confirm the limit in the banking app?"],
)
def test_a_message_that_does_not_tell_them_earns_nothing(heard: str) -> None:
    row = limit_row()
    with Episode(row, tasks(), SIMULATED) as episode:
        for text in (heard, *gold_of(row, simulated=True), "Done."):
            if not episode.done:
                episode.step(text)
        assert episode.finish().reward == 0


def test_another_amount_than_theirs_they_do_not_confirm() -> None:
    row = limit_row()
    with Episode(row, tasks(), SIMULATED) as episode:
        said = episode.step("Please confirm the new daily limit of $1 in the banking app.").said
        assert said.startswith("I have not done that: I want $")
        assert episode.step(telling(row)).said == row.prompt[-1].content


def test_a_policy_that_was_refused_first_pays_for_one_call_and_goes_on() -> None:
    row = limit_row()
    (gold,) = gold_of(row, simulated=True)
    with Episode(row, tasks(), SIMULATED) as episode:
        (result,) = episode.step(gold).results
        assert "permission_denied" in result
        assert episode.step("Please confirm the new daily limit in the banking app.").said == row.prompt[-1].content
        assert "daily_limit" in episode.step(gold).results[0]
        episode.step("Done.")
        outcome = episode.finish()
    assert outcome.reward == pytest.approx(0.95)


def test_the_policy_cannot_do_it_itself() -> None:
    row = limit_row()
    limit = make_task(services(), row, simulated=True).acts[0].arguments
    with Episode(row, tasks(), SIMULATED) as episode:
        assert "unknown_tool" in episode.step(call(CONFIRM, **limit)).results[0]
        assert episode.finish().counts.unknown_tools == 1


def test_they_act_once_however_often_they_are_told_and_give_up_in_the_end() -> None:
    row = limit_row()
    with Episode(row, tasks(), SIMULATED.model_copy(update={"max_user_replies": 1})) as episode:
        assert episode.step(telling(row)).said == row.prompt[-1].content
        assert episode.step("Did you confirm the limit in the app?").done
        counts = episode.finish().counts
    assert (counts.user_replies, counts.gave_up) == (1, True)


def test_what_does_not_work_is_told() -> None:
    row = limit_row()
    with Episode(row, tasks(), SIMULATED) as episode:
        task = make_task(services(), row, simulated=True)
        (confirmed,) = task.acts
        session = episode._session
        assert isinstance(session, Session)
        session.call(CONFIRM, confirmed.arguments, by="user")
        session.call(SET, confirmed.arguments)
        session.call(CONFIRM, {"daily_limit": 123}, by="user")  # the limit stands, what is served is not as gold has it
        said = episode.step(telling(row)).said
    assert said.startswith("That did not work: The daily limit is ")


def test_the_same_row_is_two_tasks() -> None:
    row = limit_row()
    plain, simulated = tasks().of(row), tasks().of(row, simulated=True)
    assert plain is tasks().of(row)
    assert simulated is tasks().of(row, simulated=True)
    assert (len(plain.before.calls) - len(simulated.before.calls), plain.acts) == (1, ())
    assert [made.tool for made in simulated.acts] == [CONFIRM]
    assert len(plain.answer) == len(simulated.answer) == 1


def test_more_acts_than_the_person_has_are_a_problem() -> None:
    row = limit_row()
    assert row.user is not None
    for acts in (2, 99):
        user = RowUser(begins=row.user.begins, knows=row.user.knows, acts=acts)
        found = list(RLRowCheck().problems(row.model_copy(update={"user": user}), row.extra_info.index + 1))
        assert [problem.field for problem in found] == ["user.acts"]


def test_turns_after_it_begin_with_what_was_done() -> None:
    later = [row for row in rows() if row not in acting() and any(step.tool in (CONFIRM, SIGN) for step in row.before)]
    assert later
    for row in later:
        for limits in (EpisodeLimits(), SIMULATED):
            simulated = limits is SIMULATED
            assert play(row, tasks(), [*gold_of(row, simulated=simulated), "Done."], limits=limits).reward == 1
