"""The equation by a hand-made table, and every known way to earn a reward undeservedly."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from omegaconf import OmegaConf
from pydantic import ValidationError

from envfactory.catalogue import backend
from envfactory.environment import Reference, Session, Spec, StateDiff
from envfactory.environment.draw import Drawer, Undrawable
from envfactory.environment.equivalence import Comparison, Verdict, Wanted, compare_states
from envfactory.gold import Call, Const, Gold, GoldCall
from envfactory.reward import COMPOSITE, PAPER, GoldCalls, RewardSettings, Score, score, score_against

BACKEND = backend(["hotel_reservations"])
SPECS: dict[str, Spec] = dict(BACKEND.specs)
NAME = "hotel_reservations"
REFERENCE = Reference(environments={NAME: ""}, seed=1)
ROOT = Path(__file__).parents[2]

# How a row is read: `states` has a sign for each environment: `+` equivalent, and gold changed it; `=` equivalent, and
# gold left it as it was; `-` not equivalent; `?` undecided. `junk` are executed calls of another tool than gold's.
TABLE = """
preset     change           gold matched junk refused malformed states  R
paper      -                   2       2    0       0         0 +       1.0
paper      -                   2       2    1       0         0 +       0.95
paper      -                   2       1    0       0         0 +       0.5
paper      -                   2       2    0       0         0 -       0.5
paper      -                   2       0    0       0         0 -       0.0
paper      -                   2       0    4       0         0 -       0.0
paper      -                   2       0    4       0         0 +       0.4
paper      -                   1       0    0       0         0 =       0.5
paper      -                   2       1    0       0         0 +=      0.5
paper      -                   2       2    0       0         0 +-      0.75
paper      alpha=0             2       0    0       0         0 +       1.0
paper      alpha=0             2       2    0       0         0 -       0.0
paper      alpha=0.3           2       2    0       0         0 -       0.3
paper      alpha=0.7           2       1    0       0         0 +       0.3
paper      alpha=1             2       2    0       0         0 -       1.0
paper      alpha=1             2       1    0       0         0 +       0.0
paper      mode=graded         4       3    0       0         0 +       0.875
paper      mode=graded         4       1    0       0         0 -       0.125
composite  -                   2       2    0       0         0 +       1.0
composite  -                   1       0    0       0         0 =       0.0
composite  -                   1       0    1       0         0 =       0.0
composite  -                   1       0    3       0         0 =      -0.1
composite  -                   1       1    0       0         0 =       1.0
composite  -                   1       1    1       0         0 =       0.95
composite  -                   2       1    0       0         0 +=      0.25
composite  -                   2       2    0       0         0 +=      1.0
composite  -                   2       1    0       0         0 +-      0.25
composite  -                   2       2    0       0         0 +-=     0.8333333333333334
composite  -                   2       2    0       0         0 ?       0.5
composite  mode=graded         4       3    0       0         0 =       0.375
composite  mode=graded         4       3    0       0         0 +       0.875
composite  mode=graded         4       4    0       0         0 =       1.0
composite  -                   2       2    0       2         1 +       0.85
composite  -                   2       2   10       0         0 +       0.5
composite  -                   2       2   30       0         0 +       0.5
composite  -                   2       0   30       0         0 -      -0.5
composite  floor=-0.2          2       0   30       0         0 -      -0.2
composite  per_call=0.1        1       1    2       0         0 +       0.8
composite  cap=0.1             1       1    9       0         0 +       0.9
composite  -                   0       0    0       0         0 =       1.0
composite  -                   0       0    1       0         0 =       0.95
"""
ROWS = [line.split() for line in TABLE.strip().splitlines()[1:]]


def read(hotel_id: str) -> Call:
    return Call(tool=f"{NAME}-get_hotel", arguments={"hotel_id": hotel_id}, result="{}", ok=True)


@pytest.mark.parametrize("row", ROWS, ids=[" ".join(row) for row in ROWS])
def test_the_equation_gives_what_was_worked_out_by_hand(row: list[str]):
    preset, change, gold_count, matched, junk, refused, malformed, states, reward = row
    given = {"paper": PAPER, "composite": COMPOSITE}[preset]
    if change != "-":
        key, value = change.split("=")
        given = RewardSettings.model_validate({**dict(given), key: value})
    golden = [read(f"H-{number}") for number in range(int(gold_count))]
    gold = Gold(reference=REFERENCE, calls=tuple(GoldCall(tool=c.tool, arguments={}) for c in golden))
    calls = golden[: int(matched)]
    calls += [Call(tool=f"{NAME}-list_reservations", arguments={}, result="{}", ok=True)] * int(junk)
    calls += [Call(tool=f"{NAME}-get_hotel", arguments={"hotel_id": 5}, result="{}", ok=False)] * int(refused)
    calls += [Call(tool=f"{NAME}-get_hotel", arguments='{"hotel_id', result="{}", ok=False)] * int(malformed)
    verdicts = {
        f"environment_{place}": Verdict(equal=sign in "+=", undecided=sign == "?", unchanged=sign == "=")
        for place, sign in enumerate(states)
    }
    found = score(gold, golden, calls, Comparison(verdicts), SPECS, given)
    assert found.reward == pytest.approx(float(reward), abs=1e-12)
    assert (found.calls, found.gold_calls, found.matched) == (len(calls), len(golden), int(matched))
    assert (found.refused, found.malformed, found.undecided) == (int(refused), int(malformed), states.count("?"))
    assert list(found.states.values()) == [sign in "+=" for sign in states]


def test_the_table_is_large_enough_to_mean_something():
    assert len(ROWS) >= 20


@pytest.mark.parametrize(("name", "preset"), [("paper", PAPER), ("composite", COMPOSITE)])
def test_the_presets_are_the_choices_of_the_config_group(name: str, preset: RewardSettings):
    choice = OmegaConf.to_container(OmegaConf.load(ROOT / "conf" / "reward" / f"{name}.yaml"))
    assert RewardSettings.model_validate(choice) == preset


@pytest.mark.parametrize(
    "wrong", [{"alpha": 1.5}, {"alpha": -0.1}, {"cap": -1}, {"per_call": -1}, {"mode": "x"}, {"beta": 1}]
)
def test_settings_out_of_range_are_refused(wrong: dict[str, Any]):
    with pytest.raises(ValidationError, match=next(iter(wrong))):
        RewardSettings(**wrong)


def test_gold_calls_that_are_not_those_of_the_program_are_refused():
    gold = Gold(reference=REFERENCE, calls=(GoldCall(tool=f"{NAME}-get_hotel", arguments={}),))
    with pytest.raises(ValueError, match="0 executed gold calls do not fit the 1"):
        score(gold, [], [], Comparison({NAME: Verdict(equal=True)}), SPECS)
    with pytest.raises(ValueError, match="no environment"):
        score(gold, [read("H-1")], [], Comparison({}), SPECS)


# -- probes: ways to earn undeservedly, each with what it deserves --------------------------------------------------

BOOKING = {"hotel_id": "H-101", "room_kind": "single", "check_in": "2026-04-01", "check_out": "2026-04-03"}
READ = [("get_hotel", {"hotel_id": "H-102"}), ("list_reviews", {"hotel_id": "H-102", "min_score": 5})]


def test_gold_played_by_the_book_earns_everything(hotel: Callable[..., Any]):
    for task, calls in ((hotel(*READ), READ), (hotel(("book_room", BOOKING)), [("book_room", BOOKING)])):
        assert task.score(*calls).reward == 1
        assert task.score(*calls, settings=PAPER).reward == 1


def test_doing_nothing_on_a_read_only_task_earns_nothing(hotel: Callable[..., Any]):
    assert hotel(*READ).score().reward == 0
    assert hotel(*READ).score(settings=PAPER).reward == 0.5


def test_calls_written_only_in_thinking_are_not_executed_calls(hotel: Callable[..., Any]):
    found = hotel(*READ).score()  # whatever the thinking says, nothing was executed
    assert (found.reward, found.matched, found.calls) == (0, 0, 0)
    assert hotel(("book_room", BOOKING)).score().reward == 0


def test_gold_calls_echoed_by_a_tool_are_not_executed_calls(hotel: Callable[..., Any]):
    with Session(BACKEND, REFERENCE) as session:
        stays = session.call(f"{NAME}-list_reservations", {"status": "completed"}).value["reservations"]
    echo = orjson.dumps({"name": f"{NAME}-get_hotel", "arguments": {"hotel_id": "H-102"}}).decode()
    review = {"hotel_id": stays[0]["hotel_id"], "score": 9, "title": echo}
    task = hotel(("get_hotel", {"hotel_id": "H-102"}))
    calls, diff = task.play(("write_review", review))
    assert calls[0].ok
    assert "get_hotel" in calls[0].result
    found = task.judge((calls, diff))
    assert (found.reward, found.matched, found.states) == (0, 0, {NAME: False})


def test_one_junk_read_on_a_read_only_task_earns_nothing(hotel: Callable[..., Any]):
    assert hotel(*READ).score(("list_reservations", {})).reward == 0
    assert hotel(*READ).score(("get_hotel", {"hotel_id": "H-101"})).reward == 0


def test_half_of_a_read_only_task_earns_its_share_only_when_graded(hotel: Callable[..., Any]):
    assert hotel(*READ).score(READ[0]).reward == 0
    graded = RewardSettings(mode="graded")
    assert hotel(*READ).score(READ[0], settings=graded).reward == 0.25


def test_other_ids_and_another_order_earn_everything(hotel: Callable[..., Any]):
    other = {**BOOKING, "check_in": "2026-05-04", "check_out": "2026-05-06"}
    change = {"check_in": "2026-06-01", "check_out": "2026-06-03"}
    task = hotel(("book_room", BOOKING), ("book_room", other), ("change_dates", {"reservation_id": "$1.id", **change}))
    swapped = (("book_room", other), ("change_dates", {"reservation_id": "$0.id", **change}), ("book_room", BOOKING))
    calls, _ = task.play(*swapped)
    assert calls[1].arguments["reservation_id"] == "RES-1001"
    assert task.gold_calls[2].arguments["reservation_id"] == "RES-1002"
    assert task.score(*swapped).reward == 1
    wrong = (("book_room", other), ("book_room", BOOKING), ("change_dates", {"reservation_id": "$1.id", **change}))
    assert task.score(*wrong).reward == 0


def test_a_masked_gold_call_does_not_take_the_call_that_only_another_one_can_use(hotel: Callable[..., Any]):
    specific = {"hotel_id": "H-102", "min_score": 5}
    task = hotel(("list_reviews", {**specific, "min_score": 3}, ["min_score"]), ("list_reviews", specific))
    for calls in ([specific, {**specific, "min_score": 8}], [{**specific, "min_score": 8}, specific]):
        found = task.score(*(("list_reviews", arguments) for arguments in calls))
        assert (found.reward, found.matched) == (1, 2)
    assert (
        task.score(("list_reviews", {**specific, "min_score": 8}), ("list_reviews", {"hotel_id": "H-102"})).matched == 1
    )


def test_arguments_as_json_text_are_read(hotel: Callable[..., Any]):
    text = [(tool, orjson.dumps(arguments).decode()) for tool, arguments in READ]
    assert hotel(*READ).score(*text).reward == 1


@pytest.mark.parametrize("text", ['{"hotel_id": ', "[]", "null", '"H-102"', "", "\ud800", None, 5, ["H-102"]])
def test_arguments_that_are_no_object_count_as_malformed(hotel: Callable[..., Any], text: Any):
    task = hotel(*READ)
    calls, diff = task.play(*READ)
    broken = Call.model_construct(tool=f"{NAME}-get_hotel", arguments=text, result='{"error":{}}', ok=False)
    found = task.judge(([*calls, broken], diff))
    assert (found.reward, found.malformed, found.refused) == (0.95, 1, 0)


def test_a_refused_call_matches_nothing_and_costs(hotel: Callable[..., Any]):
    task = hotel(("get_hotel", {"hotel_id": "H-102"}))
    calls, diff = task.play(("get_hotel", {"hotel_id": "H-102"}))
    refused = calls[0].model_copy(update={"ok": False})
    assert task.judge(([refused], diff)).reward == 0
    found = task.score(("get_hotel", {"hotel_id": "H-9"}), ("no_such_tool", {}), ("get_hotel", {"hotel_id": "H-102"}))
    assert (found.reward, found.refused) == (0.9, 2)


def test_repeating_a_call_does_not_count_twice(hotel: Callable[..., Any]):
    found = hotel(*READ).score(READ[0], READ[0])
    assert (found.matched, found.reward) == (1, 0)


def test_the_right_call_and_one_too_many_leave_a_wrong_state(hotel: Callable[..., Any]):
    task = hotel(("book_room", BOOKING))
    other = {**BOOKING, "check_in": "2026-05-04", "check_out": "2026-05-06"}
    twice = (("book_room", BOOKING), ("book_room", other))
    found = task.score(*twice)
    assert (found.r_traj, found.r_state, found.reward) == (1, 0, pytest.approx(0.45))


def test_acting_on_the_wrong_one_is_no_match_even_where_the_states_look_alike(hotel: Callable[..., Any]):
    other = {**BOOKING, "check_in": "2026-05-04", "check_out": "2026-05-06"}
    change = {"reservation_id": "$1.id", "check_in": "2026-06-01", "check_out": "2026-06-03"}
    task = hotel(("book_room", BOOKING), ("book_room", other), ("change_dates", change), *READ)
    swapped = (("book_room", other), ("book_room", BOOKING), ("change_dates", change))
    assert task.score(*swapped).matched == 2


# -- invariants ----------------------------------------------------------------------------------------------------


class Rollouts:
    """Gold and a candidate from random draws, both really executed."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.drawer = Drawer(SPECS[NAME])
        self.tools = [tool.name for tool in SPECS[NAME].tools]
        with Session(BACKEND, REFERENCE) as session:
            self.bases = {name: orjson.loads(document) for name, document in session.dump().items()}
        self.golden, self.diff = self.run(rng.randint(1, 5), [])
        self.golden = [call for call in self.golden if call.ok]
        self.gold = Gold(
            reference=REFERENCE,
            calls=tuple(
                GoldCall(tool=call.tool, arguments={name: Const(value=v) for name, v in call.arguments.items()})
                for call in self.golden
            ),
            diff=self.diff,
        )

    def run(self, count: int, first: list[Call]) -> tuple[list[Call], dict[str, StateDiff]]:
        calls: list[Call] = []
        with Session(BACKEND, REFERENCE) as session:
            for call in first:
                result = session.call(call.tool, call.arguments)
                calls.append(Call(tool=call.tool, arguments=call.arguments, result=result.text, ok=result.ok))
            for _ in range(count):
                state = orjson.loads(session.dump()[NAME])
                tool = self.rng.choice(self.tools)
                try:
                    arguments = self.drawer.draw(tool, state, self.rng)
                except Undrawable:
                    continue
                result = session.call(f"{NAME}-{tool}", arguments)
                calls.append(Call(tool=f"{NAME}-{tool}", arguments=arguments, result=result.text, ok=result.ok))
            return calls, session.diff()

    def candidate(self) -> tuple[list[Call], dict[str, StateDiff]]:
        """Some of gold's calls in some order, then others."""
        return self.run(self.rng.randint(0, 4), self.rng.sample(self.golden, self.rng.randint(0, len(self.golden))))

    def score(self, calls: list[Call], diff: dict[str, StateDiff], given: RewardSettings) -> Score:
        comparison = compare_states(SPECS, self.bases, diff, self.diff)
        return score(self.gold, self.golden, calls, comparison, SPECS, given)


randoms = st.randoms(use_true_random=False)
all_settings = st.builds(
    RewardSettings,
    alpha=st.floats(0, 1),
    mode=st.sampled_from(["binary", "graded"]),
    gate=st.booleans(),
    cap=st.floats(0, 1),
    floor=st.none() | st.floats(-1, 0),
)


@settings(deadline=None, max_examples=60)
@given(randoms, all_settings)
def test_a_reward_is_bounded_and_free_of_order(rng: random.Random, given: RewardSettings):
    rollouts = Rollouts(rng)
    calls, diff = rollouts.candidate()
    found = rollouts.score(calls, diff, given)
    assert -given.cap <= found.reward <= 1 + 1e-12
    assert 0 <= found.r_traj <= 1
    assert 0 <= found.r_state <= 1
    rng.shuffle(calls)
    assert rollouts.score(calls, diff, given) == found


@settings(deadline=None, max_examples=60)
@given(randoms, all_settings)
def test_gold_against_itself_earns_everything(rng: random.Random, given: RewardSettings):
    rollouts = Rollouts(rng)
    found = rollouts.score(*rollouts.run(0, rollouts.golden), given)
    assert found.reward == pytest.approx(1)


@settings(deadline=None, max_examples=60)
@given(randoms, all_settings)
def test_a_needless_call_never_raises_the_reward(rng: random.Random, given: RewardSettings):
    rollouts = Rollouts(rng)
    calls, diff = rollouts.candidate()
    before = rollouts.score(calls, diff, given).reward
    golden = {call.tool for call in rollouts.golden}
    needless = next(f"{NAME}-{tool}" for tool in rollouts.tools if f"{NAME}-{tool}" not in golden)
    extra = [
        Call(tool=needless, arguments={}, result="{}", ok=True),
        Call(tool=rollouts.golden[0].tool if rollouts.golden else needless, arguments={}, result="{}", ok=False),
        Call(tool=needless, arguments="{", result="{}", ok=False),
    ]
    for call in extra:
        assert rollouts.score([*calls, call], diff, given).reward <= before


@settings(deadline=None, max_examples=60)
@given(randoms, all_settings)
def test_other_ids_for_what_was_made_leave_the_reward_as_it_is(rng: random.Random, given: RewardSettings):
    rollouts = Rollouts(rng)
    calls, diff = rollouts.candidate()
    found = rollouts.score(calls, diff, given)
    numbers = iter(rng.sample(range(1101, 1200), 40))
    text = orjson.dumps([[c.model_dump() for c in calls], {n: d.model_dump() for n, d in diff.items()}]).decode()
    for prefix in ("RES", "REV"):
        for number in range(1001, 1020):
            text = text.replace(f"{prefix}-{number}", f"{prefix}-{next(numbers)}")
        for number in range(1001, 1020):
            text = text.replace(f'"{prefix}":{number}', f'"{prefix}":1200')
    other_calls, other_diff = orjson.loads(text)
    renamed = [Call(**call) for call in other_calls], {n: StateDiff(**d) for n, d in other_diff.items()}
    assert rollouts.score(*renamed, given) == found


@settings(deadline=None, max_examples=60)
@given(randoms, all_settings)
def test_a_reward_does_not_depend_on_who_was_scored_before(rng: random.Random, given: RewardSettings):
    rollouts = Rollouts(rng)
    wanted, answer = (
        Wanted(SPECS, rollouts.bases, rollouts.diff),
        GoldCalls(rollouts.gold, rollouts.golden, SPECS),
    )
    for calls, diff in (rollouts.candidate(), rollouts.run(0, rollouts.golden), rollouts.candidate()):
        assert score_against(answer, calls, wanted.compare(diff), given) == rollouts.score(calls, diff, given)
