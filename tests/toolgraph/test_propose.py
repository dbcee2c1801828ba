from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from envfactory.environment import Parameter
from envfactory.toolgraph.leaves import leaves_of
from envfactory.toolgraph.propose import Texts, compatible, propose
from envfactory.toolgraph.score import agree, declared_pairs, scores, threshold_curve
from tests.toolgraph.worlds import made, spec

WORDS = ("hotel", "city", "room", "price", "guest")


class ByWords:
    """Counts of a few words, as unit vectors: cosines that can be told by hand."""

    name = "words"
    threshold = 0.5

    def embed(self, texts):
        rows = np.array([[text.lower().count(word) for word in WORDS] for text in texts], dtype=np.float32)
        rows = rows.reshape(-1, len(WORDS))
        length = np.linalg.norm(rows, axis=1, keepdims=True)
        return (rows / np.where(length == 0, 1, length)).astype(np.float32)


def parameter(path: str, **more) -> Parameter:
    return Parameter(path=path, type=more.pop("type", "string"), description=more.pop("description", ""), **more)


def proposed(specs, threshold=0.5, top=9):
    leaves = leaves_of(specs)
    pairs = propose(leaves, Texts.embed(leaves, ByWords()), threshold, top)
    tools = leaves.tools
    return {
        (
            tools[leaves.outputs[o].tool].wire_name, leaves.outputs[o].path,
            tools[leaves.inputs[i].tool].wire_name, leaves.inputs[i].path,
        ): cosine
        for (o, i), cosine in pairs.items()
    }  # fmt: skip


def test_close_texts_of_other_tools_are_proposed_with_their_cosine():
    found = proposed(
        [
            spec(
                "a",
                made("a", "search", outputs=(parameter("hotel"), parameter("hotel_room"))),
                made("a", "take", inputs=(parameter("hotel"),)),
            )
        ]
    )
    assert found == {
        ("a-search", "hotel", "a-take", "hotel"): 1.0,
        ("a-search", "hotel_room", "a-take", "hotel"): round(1 / 2**0.5, 4),
    }


def test_a_tool_does_not_feed_itself_and_types_must_fit():
    both = made("a", "both", inputs=(parameter("city"),), outputs=(parameter("city"),))
    number = made("a", "number", outputs=(parameter("city", type="integer"),))
    day = made("a", "day", outputs=(parameter("city", format="date"),))
    assert proposed([spec("a", both, number, day)]) == {}
    assert compatible(("integer", ""), ("number", ""))
    assert not compatible(("number", ""), ("integer", ""))


def test_declarations_do_not_change_what_is_proposed():
    def world(**more):
        return [
            spec(
                "a",
                made("a", "give", outputs=(parameter("city", **more),)),
                made("a", "take", inputs=(parameter("city"),)),
            )
        ]

    assert proposed(world()) == proposed(world(ref="Hotel")) == proposed(world(value="email")) != {}


def test_a_limit_keeps_the_closest_producers_and_prefers_the_own_environment():
    far = [spec(f"b{n}", made(f"b{n}", "give", outputs=(parameter("city"), parameter("city_room")))) for n in range(4)]
    near = spec("z", made("z", "give", outputs=(parameter("city"),)), made("z", "take", inputs=(parameter("city"),)))
    assert set(proposed([*far, near], top=2)) == {
        ("z-give", "city", "z-take", "city"),
        ("b0-give", "city", "z-take", "city"),
    }
    assert len(proposed([*far, near], top=9)) == 9


def test_a_tool_that_gives_what_it_takes_is_no_declared_pair_with_itself():
    both = made("a", "both", inputs=(parameter("x", value="v"),), outputs=(parameter("y", value="v"),))
    assert declared_pairs(leaves_of([spec("a", both)])) == 0
    assert declared_pairs(leaves_of([spec("a", both, made("a", "give", outputs=both.outputs))])) == 1


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(WORDS), st.booleans(), st.sampled_from(["", "x", "y"])), max_size=12))
def test_scores_count_what_a_double_loop_counts(rows):
    tools = [
        made("a", f"t{n}", **{"outputs" if out else "inputs": (parameter(word, value=value),)})
        for n, (word, out, value) in enumerate(rows)
    ]
    leaves = leaves_of([spec("a", *tools)])
    everything = [(o, i) for o in range(len(leaves.outputs)) for i in range(len(leaves.inputs))]
    right = sum(agree(leaves.outputs[o], leaves.inputs[i]) for o, i in everything)
    assert declared_pairs(leaves) == right
    found = propose(leaves, Texts.embed(leaves, ByWords()), 0.5, 99)
    hit = sum(agree(leaves.outputs[o], leaves.inputs[i]) for o, i in found)
    assert scores(leaves, found, right).precision == (round(hit / len(found), 4) if found else 0)
    if leaves.inputs and leaves.outputs:
        point = dict(threshold_curve(leaves, ByWords(), step=0.25).points)[0.5]
        assert (point.pairs, point.precision) == (len(found), scores(leaves, found, right).precision)
