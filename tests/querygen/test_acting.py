"""What only the person can do: they are told to, do it then and not before, and it is no call of the assistant's."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import pytest

from envfactory.dataset import samples
from envfactory.dataset.problems import Problem
from envfactory.dataset.tools import tool_file
from envfactory.dataset.trajectory_check import TrajectoryCheck
from envfactory.environment import DEFAULT_NOW, Session, Spec, tool_of
from envfactory.gold import ReplayError, replay
from envfactory.querygen import RulePlanner
from envfactory.querygen.acting import _TELLING, tell_to_act
from envfactory.querygen.draft import Unsayable
from envfactory.querygen.filter import needed_calls
from envfactory.querygen.model.planner import steps_in_words
from envfactory.querygen.played import gold_as_played
from envfactory.querygen.related import is_misplaced
from envfactory.querygen.solvable import problems
from envfactory.querygen.telling import told_of
from envfactory.querygen.user import RuleUser
from envfactory.querygen.wording import listed
from envfactory.trajectory import Change, Step, Trajectory, Turn
from tests.grounded import catalogue
from tests.querygen.acting import (
    BANK,
    BOTH,
    CONFIRM,
    LIMIT,
    RELEASE,
    SET,
    SIGN,
    grounded,
    is_told,
    services,
    stories,
    told,
)

SPECS = services().specs
USERS = frozenset(tool.wire_name for spec in SPECS.values() for tool in spec.tools if tool.by == "user")
COUNT = 12


@pytest.fixture(scope="module", params=[False, True], ids=["gold", "flawed"])
def made(request: pytest.FixtureRequest) -> list[Trajectory]:
    """Trajectories as a file gives them back."""
    found = [story.trajectory for story in stories(COUNT, request.param)]
    return [Trajectory.model_validate_json(each.model_dump_json()) for each in found]


# -- being told -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tool", "heard", "told_to"),
    [
        (CONFIRM, "Please confirm the new daily limit of $2,000 in the banking app.", True),
        (CONFIRM, "You need to approve this daily limit in your banking app first.", True),
        (CONFIRM, "Once you confirm the limit, I can go on.", True),
        (CONFIRM, "Which limit do you want?", False),
        (CONFIRM, "Your daily limit is $2,000 now.", False),
        (CONFIRM, "Open the banking app, please.", False),
        (CONFIRM, "Shall I go ahead?", False),
        (SIGN, "Please sign the release of the Oakwell parcel in the app.", True),
        (SIGN, "Could you give your signature for the release in the app?", True),
        (SIGN, "The Oakwell parcel will be left at the porch.", False),
        (SIGN, "Please sign in.", False),
    ],
)
def test_a_person_knows_when_they_are_told_to_act(tool: str, heard: str, told_to: bool) -> None:
    assert is_told(tool_of(SPECS, tool), heard) is told_to


def test_every_tool_of_the_users_is_understood_from_each_of_its_phrasings_and_from_no_reply() -> None:
    specs: dict[str, Spec] = dict(catalogue().specs)
    found = [tool for spec in specs.values() for tool in spec.tools if tool.by == "user"]
    assert {tool.environment for tool in found} >= {"retail_banking", "parcel_tracking"}
    for tool in found:
        assert len(set(tool.ask)) == 4
        assert all(is_told(tool, re.sub(r"\{\w+\}", "the one", f"Please {text}.")) for text in tool.ask)
        replies = [text for other in specs[tool.environment].agent_tools for text in other.reply]
        assert not any(is_told(tool, text) for text in replies)


@pytest.mark.parametrize(
    "heard",
    [
        "Please approve it in your banking app, then tell me.",
        "authorise the new limit in the banking app",
        "accept the new daily limit in the banking app",
        "You have to do that yourself in the banking app first",
        "Please confirm it in the app",
        "You need to do this in the app yourself first.",
        "I can't do that for you, please confirm the limit in the banking app.",
        "The limit has to be confirmed in the banking app first.",
        "Once you have approved the new limit in the app, I will set it.",
        "I need you to confirm the limit in the app.",
        "This change requires your approval in the banking app.",
    ],
)
def test_whoever_has_one_thing_to_do_is_told_in_many_ways(heard: str) -> None:
    assert is_told(tool_of(SPECS, CONFIRM), heard, alone=True)


@pytest.mark.parametrize(
    "heard",
    [
        "You do not need to confirm the daily limit.",
        "Please do not confirm any limit in the app.",
        "Just to confirm, you want the daily limit at that amount?",
        "I will confirm the limit in the banking app for you.",
        "I will open the banking app and confirm the limit.",
        "I can confirm that your daily limit has been changed.",
        "Did you confirm a limit of $1?",
        "Do I need to confirm the limit in the app?",
        "You have confirmed the limit in the app.",
        "The limit does not need to be confirmed in the app.",
        "Please confirm the limit in the app. Never mind.",
        "Please confirm the daily limit.",
        "confirm limit",
        "confirm limit sign release",
    ],
)
@pytest.mark.parametrize("tool", [CONFIRM, SIGN])
def test_nobody_acts_who_is_not_told_to(tool: str, heard: str) -> None:
    assert not is_told(tool_of(SPECS, tool), heard, alone=True)


@pytest.mark.parametrize("negation", ["do not", "don't", "never", "you do not have to", "there is no need to"])
@pytest.mark.parametrize("telling", _TELLING)
@pytest.mark.parametrize("tool", [CONFIRM, SIGN])
def test_a_telling_that_is_negated_tells_nothing(tool: str, telling: str, negation: str) -> None:
    other = tool_of(SPECS, SIGN if tool == CONFIRM else CONFIRM)
    for text in tool_of(SPECS, tool).ask:
        for acts in (text, *(listed([text, more], most=2) for more in other.ask)):
            said = telling.format(acts=re.sub(r"\{\w+\}", "the one", acts))
            assert is_told(tool_of(SPECS, tool), said)
            negated = said.replace("please", negation)
            assert not is_told(tool_of(SPECS, tool), negated, alone=True), negated
            negated = said.replace("please", f"please {negation}")
            assert not is_told(tool_of(SPECS, tool), negated, alone=True), negated


# -- programs ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("heard", "places"),
    [
        ("Please sign the release of parcel PC-116 in the app.", [0]),
        ("Please sign the release of pc-101 in the app.", [1]),
        ("Please sign the release of parcel PC-999 in the app.", []),
        ("Please sign the release in the app.", [0, 1]),
        ("Please sign the release of PC-116 in the app if it rains.", []),
        ("Please sign the release of PC-116 in the app, but not yet.", []),
    ],
)
def test_of_several_acts_a_message_tells_those_that_it_names_now_and_on_no_condition(
    heard: str, places: list[int]
) -> None:
    release = tool_of(SPECS, SIGN)
    acts = [(release, {"parcel_id": "PC-116"}), (release, {"parcel_id": "PC-101"})]
    assert told_of(acts, heard, DEFAULT_NOW)[0] == places


@pytest.mark.parametrize("amount", ["\u20ac500", "500 euros", "500 GBP", "$500k", "$5 thousand", "$400"])
def test_another_amount_or_currency_is_not_confirmed(amount: str) -> None:
    acts = [(tool_of(SPECS, CONFIRM), {"daily_limit": 500.0})]
    told, against = told_of(acts, f"Please confirm the new daily limit of {amount} in your banking app.", DEFAULT_NOW)
    assert not told
    assert "$500" in against


def test_an_act_stands_in_the_program_right_before_the_call_that_needs_it_and_takes_the_same_values() -> None:
    gold = grounded(BOTH)
    tools = [call.tool for call in gold.calls]
    assert [
        (SPECS[a.partition("-")[0]].tool_by_name[a.partition("-")[2]].by, b) for a, b in pairwise(tools) if a in USERS
    ]
    for act, call in pairwise(gold.calls):
        if act.tool in USERS:
            needs = tool_of(SPECS, call.tool)
            assert act.tool == f"{needs.environment}-{needs.first}"
            assert act.arguments.items() <= call.arguments.items()
    assert Counter(tools)[CONFIRM] == Counter(tools)[SIGN] == 1
    assert set(BOTH.tools).isdisjoint(USERS)


@pytest.mark.parametrize("chain", [LIMIT, RELEASE, BOTH])
def test_without_what_the_person_does_the_program_does_not_run(chain) -> None:
    gold = grounded(chain)
    with Session(services(), gold.reference) as session:
        assert replay(gold, session).diff == gold.diff
    for index, call in enumerate(gold.calls):
        if call.tool in USERS:
            with Session(services(), gold.reference) as session, pytest.raises(ReplayError, match="permission_denied"):
                replay(gold, session, drop={index})


@pytest.mark.parametrize("seed", range(10, 22))
def test_what_was_tried_in_vain_leaves_nothing_signed(seed: int) -> None:
    gold = grounded(RELEASE, seed)  # some parcels can be signed for and not be left
    (parcel,) = gold.diff["parcel_tracking"].tables["parcels"].changed.values()
    assert parcel.keys() == {"left_at"}


def test_no_agent_can_make_the_call_of_the_users() -> None:
    gold = grounded(LIMIT)
    with Session(services(), gold.reference) as session:
        done = replay(gold, session)
        for index, call in done.calls.items():
            by_agent = session.call(call.tool, call.arguments)
            assert (by_agent.code == "unknown_tool") is (gold.calls[index].tool in USERS)
            assert session.actor(call.tool) == ("user" if gold.calls[index].tool in USERS else "agent")
    assert session.actor("nowhere-nothing") == "agent"


# -- turns ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("users", "misplaced"),
    [
        ([False, False], False),
        ([True, False], False),
        ([True, True, False], False),
        ([True], True),
        ([True, True], True),
        ([False, True, False], True),
        ([True, False, True, False], True),
        ([], False),
    ],
)
def test_what_the_person_does_comes_first_in_a_turn_and_not_alone(users: list[bool], misplaced: bool) -> None:
    assert is_misplaced(users) is misplaced


@pytest.mark.parametrize("seed", range(20))
def test_the_planner_begins_a_turn_with_what_the_person_does(seed: int) -> None:
    gold = RulePlanner().plan(grounded(BOTH, seed), SPECS, random.Random(seed)).gold
    for calls in gold.turn_slices():
        assert not is_misplaced([gold.calls[call].tool in USERS for call in calls])


def test_the_model_that_plans_is_told_which_steps_are_the_persons() -> None:
    steps = list(steps_in_words(grounded(LIMIT), SPECS))
    assert [step.startswith("The person themselves: ") for step in steps] == [True, False]


def test_whoever_would_have_to_act_in_the_middle_of_a_turn_cannot_be_told() -> None:
    with told(grounded(RELEASE), 1, 2) as task:
        assert [request.done for request in task.requests] == [False, False, True]
    with pytest.raises(Unsayable, match="before the calls of a turn"), told(grounded(RELEASE), 3):
        pass


def test_changes_of_later_turns_are_counted_anew() -> None:
    with told(grounded(BOTH), 1, 2, 1, 3) as task:
        assert task.gold.turns == (1, 0, 2, 1, 0, 3)
    program = task.program.in_turns((1, 2, 1, 3))
    requests = [request for request in task.requests if not request.done]
    changes = [Change(kind="action_compression", turn=turn, before="a", after="b", detail={}) for turn in range(4)]
    again = tell_to_act(program, requests, changes, random.Random(1))
    assert [change.turn for change in again.changes] == [0, 1, 3, 4]


# -- conversations ----------------------------------------------------------------------------------------------------


def test_the_assistant_tells_them_they_say_it_is_done_and_only_then_it_calls(made: list[Trajectory]) -> None:
    acts = 0
    for trajectory in made:
        for candidate in (*trajectory.candidates, trajectory.conversation):
            heard = ""
            for turn in candidate.turns:
                for call in turn.done:
                    acts += 1
                    assert call.tool in USERS
                    assert is_told(tool_of(SPECS, call.tool), heard), (call.tool, heard)
                heard = turn.steps[-1].text
            assert not any(call.tool in USERS for call in candidate.calls())
    assert acts > COUNT


def test_every_act_of_gold_is_done_once_and_knows_it(made: list[Trajectory]) -> None:
    for trajectory in made:
        wanted = [index for index, call in enumerate(trajectory.gold.calls) if call.tool in USERS]
        for candidate in (*trajectory.candidates, trajectory.conversation):
            done = [call for turn in candidate.turns for call in turn.done]
            assert [call.gold for call in done] == [
                index if call.ok else None for index, call in zip(wanted, done, strict=True)
            ]
            assert all(call.ok for call in done) or not candidate.passed


def test_a_file_of_such_trajectories_has_no_problems(made: list[Trajectory]) -> None:
    check = TrajectoryCheck(None)
    for row, trajectory in enumerate(made, 1):
        assert list(check.problems(trajectory, row)) == []


def problems_of(trajectory: Trajectory, turns: Sequence[Turn]) -> list[Problem]:
    """What is wrong with a trajectory whose chosen conversation has other turns."""
    candidates = list(trajectory.candidates)
    candidates[trajectory.chosen] = candidates[trajectory.chosen].model_copy(update={"turns": tuple(turns)})
    return list(TrajectoryCheck(None).problems(trajectory.model_copy(update={"candidates": tuple(candidates)}), 1))


def test_what_the_user_did_is_checked_like_every_other_call(made: list[Trajectory]) -> None:
    trajectory = made[0]

    def problems_with(**change: object) -> list[str]:
        turns = [
            turn.model_copy(update={"done": tuple(call.model_copy(update=change) for call in turn.done)})
            for turn in trajectory.candidates[trajectory.chosen].turns
        ]
        return [f"{found.field}: {found.message}" for found in problems_of(trajectory, turns)]

    assert any("done[0].result" in found for found in problems_with(result='{"confirmed_limit":1}'))
    assert any("done[0].gold" in found for found in problems_with(gold=99))
    assert any("done[0].gold" in found for found in problems_with(tool=SET))
    assert any("done[0].result" in found for found in problems_with(tool=SET, gold=None))
    assert any("done[0].result" in found for found in problems_with(tool=f"{BANK}-no_such_tool", gold=None))


def test_what_the_user_did_unasked_is_a_problem_of_the_file(made: list[Trajectory]) -> None:
    trajectory = made[0]

    def silent(step: Step) -> Step:
        return step.model_copy(update={"text": "One moment."} if step.text else {})

    turns = [
        turn.model_copy(update={"steps": tuple(silent(step) for step in turn.steps)})
        for turn in trajectory.candidates[trajectory.chosen].turns
    ]
    found = [problem for problem in problems_of(trajectory, turns) if "told the user" in problem.message]
    assert (
        [problem.field for problem in found]
        == [
            f"candidates[{trajectory.chosen}].turns[{place}].done[{index}]"
            for place, turn in enumerate(turns)
            for index in range(len(turn.done))
        ]
        != []
    )


def test_nothing_is_filtered_of_what_the_user_did() -> None:
    found = 0
    for story in stories(COUNT, flawed=True):
        played = story.candidates[story.trajectory.chosen]
        assert played.users().isdisjoint(story.filtered.labels)
        found += len(story.filtered.labels)
        cleaned = story.filtered.cleaned
        if cleaned is not None:
            done = [[played.moves[place].executed for place in sorted(played.users())]]
            done.append([cleaned.moves[place].executed for place in sorted(cleaned.users())])
            assert [call.tool for call in done[0]] == [call.tool for call in done[1]]
            assert cleaned.diff == story.trajectory.gold.diff
    assert found, "something was filtered"


@pytest.mark.parametrize("chain", [LIMIT, RELEASE])
def test_leave_one_out_needs_what_the_user_does(chain) -> None:
    with told(grounded(chain), *((2,) if chain is LIMIT else (1, 2))) as task:
        needed = needed_calls(task, gold_as_played(task))
        assert {index for index, call in enumerate(task.gold.calls) if call.tool in USERS} <= needed


def test_masks_are_for_calls_of_the_assistants() -> None:
    for story in stories(COUNT):
        for call in story.trajectory.gold.calls:
            assert not (call.tool in USERS and call.masked)


def test_the_request_need_not_say_what_the_user_does_and_the_rest_is_solvable() -> None:
    with told(grounded(RELEASE), 1, 2) as task:
        assert list(problems(task.program, task.requests)) == []


# -- credit -----------------------------------------------------------------------------------------------------------


def test_the_assistant_gets_no_credit_for_what_the_user_does() -> None:
    with told(grounded(LIMIT), 2) as task:
        assert len(task.to_match) == 1
        confirmed, was_set = task.executed
        assert task.to_match.match([confirmed], task.same) == {}
        assert task.to_match.match([confirmed, was_set], task.same) == {1: 1}
        assert task.to_match.match([was_set], task.same) == {1: 0}


def test_a_user_who_is_not_told_does_nothing_and_gold_is_not_reached() -> None:
    with told(grounded(LIMIT), 2) as task:
        user = RuleUser(task.program, task.requests, task.session)
        assert user.speak() is not None
        assert user.speak("Your limit cannot be changed.") is None
        assert user.outcome == "served"
        call = task.executed[1]
        refused = task.session.call(call.tool, call.arguments)
        assert (refused.ok, refused.code) == (False, "permission_denied")
        assert task.session.diff() == {}


def test_a_user_who_is_told_acts_and_says_so_and_gold_is_reached() -> None:
    with told(grounded(LIMIT), 2) as task:
        user = RuleUser(task.program, task.requests, task.session)
        opening = user.speak()
        assert opening is not None
        assert not opening.acts
        said = user.speak(task.requests[0].question)
        assert said is not None
        assert (said.text, said.turn, said.opens) == (task.requests[1].text, 1, True)
        assert [(act.gold, act.executed) for act in said.acts] == [(0, task.executed[0])]
        call = task.executed[1]
        assert task.session.call(call.tool, call.arguments).text == call.result
        assert task.session.diff() == task.gold.diff
        assert user.speak("It is set.") is None


def test_whoever_is_told_another_amount_does_nothing_and_says_so() -> None:
    with told(grounded(LIMIT), 2) as task:
        user = RuleUser(task.program, task.requests, task.session)
        user.speak()
        said = user.speak("Please confirm the new daily limit of $1 in the banking app.")
        assert said is not None
        assert said.text.startswith("I have not done that: I want $")
        assert (said.acts, said.opens, task.session.diff()) == ((), False, {})
        said = user.speak(task.requests[0].question)
        assert said is not None
        assert said.acts


def test_without_a_session_what_they_do_counts_as_done() -> None:
    with told(grounded(LIMIT), 2) as task:
        user = RuleUser(task.program, task.requests)
        user.speak()
        said = user.speak(task.requests[0].question)
        assert said is not None
        assert (said.text, said.acts) == (task.requests[1].text, ())


def test_what_does_not_work_is_told_and_may_be_tried_again() -> None:
    with told(grounded(LIMIT), 2) as task:
        call = task.executed[0]
        task.session.call(call.tool, call.arguments, by="user")
        after = task.executed[1]
        task.session.call(after.tool, after.arguments)  # the limit is what it should be: there is nothing to confirm
        user = RuleUser(task.program, task.requests, task.session)
        user.speak()
        for _ in range(2):
            said = user.speak(task.requests[0].question)
            assert said is not None
            assert said.text.startswith("That did not work: The daily limit is ")
            assert [act.executed.ok for act in said.acts] == [False]
            assert not said.opens


# -- export -----------------------------------------------------------------------------------------------------------


def test_supervised_fine_tuning_learns_no_call_of_the_users(made: list[Trajectory]) -> None:
    tools = tool_file(SPECS)
    assert USERS.isdisjoint(tools.tools)
    for trajectory in made:
        assert USERS.isdisjoint(trajectory.tools)
        text = "".join(str(sample.row()) for sample in samples(trajectory, tools))
        assert not any(name in text for name in USERS)
        assert any(turn.user in text for turn in trajectory.conversation.turns if turn.done)
