"""Sets are disjoint by group, and as large as whole groups allow."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from envfactory.dataset import SETS, Sizes, group_of, read_splits, split, write_splits

TOOLS = st.lists(st.sampled_from(["a-x", "a-y", "b-x", "b-z"]), min_size=1, max_size=4)
CASES = st.dictionaries(st.integers(0, 999).map(str), TOOLS.map(group_of), max_size=60)
SIZES = st.builds(Sizes, *[st.integers(0, 30)] * 4)


@given(TOOLS, st.randoms(use_true_random=False))
def test_a_group_is_a_multiset_of_tools(tools, random) -> None:
    shuffled = random.sample(tools, len(tools))
    assert group_of(shuffled) == group_of(tools)
    assert group_of([*tools, tools[0]]) != group_of(tools)


@given(CASES, SIZES, st.integers(0, 3))
def test_no_group_is_in_two_sets_and_every_trajectory_is_in_one(groups, sizes, seed) -> None:
    found = split(groups, sizes, seed)
    assert found.sets.keys() == groups.keys()
    where: dict[str, str] = {}
    for identifier, name in found.sets.items():
        assert where.setdefault(groups[identifier], name) == name
    assert found.counts == {name: list(found.sets.values()).count(name) for name in SETS}
    assert found.groups == {name: list(where.values()).count(name) for name in SETS}


@given(CASES, SIZES, st.integers(0, 3))
def test_a_set_is_never_too_large_and_short_only_of_what_no_left_over_group_fits(groups, sizes, seed) -> None:
    found = split(groups, sizes, seed)
    left = [group for identifier, group in groups.items() if found.sets[identifier] == "unused"]
    smallest = min((left.count(group) for group in left), default=None)
    for name in SETS[:-1]:
        room = getattr(sizes, name) - found.counts[name]
        assert room >= 0
        assert smallest is None or room < smallest


@given(CASES, SIZES, st.integers(0, 3), st.randoms(use_true_random=False))
def test_the_order_of_the_trajectories_does_not_matter(groups, sizes, seed, random) -> None:
    shuffled = dict(random.sample(list(groups.items()), len(groups)))
    assert split(shuffled, sizes, seed).model_dump_json() == split(groups, sizes, seed).model_dump_json()


def test_another_seed_takes_other_groups() -> None:
    groups = {str(number): group_of([f"a-{number}"]) for number in range(40)}
    sizes = Sizes(sft=20, sft_validation=0, rl=20, rl_validation=0)
    one, two = split(groups, sizes, 0), split(groups, sizes, 1)
    assert one.counts == two.counts == {"sft": 20, "sft_validation": 0, "rl": 20, "rl_validation": 0, "unused": 0}
    assert one.sets != two.sets


def test_a_share_is_held_out_of_each_set_and_counts_as_part_of_it() -> None:
    assert Sizes.of(sft=1622, rl=953, validation=0.05) == Sizes(1541, 81, 905, 48)
    assert Sizes.of(sft=12, rl=1, validation=0.01) == Sizes(11, 1, 1, 0)
    assert Sizes.of(sft=12, rl=8, validation=0) == Sizes(12, 0, 8, 0)


def test_splits_come_back_as_they_were_written(tmp_path) -> None:
    found = split({"t-1": group_of(["a-x"]), "t-2": group_of(["a-y"])}, Sizes(1, 0, 1, 0), seed=7)
    write_splits(tmp_path / "splits.json", found)
    assert read_splits(tmp_path / "splits.json") == found
