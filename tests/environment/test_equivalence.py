"""Two final states mean the same up to a renaming of what was made in the session."""

from __future__ import annotations

import datetime as dt
import random
from typing import Annotated, Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envfactory.environment import (
    DEFAULT_NOW,
    Environment,
    FreeText,
    Record,
    Ref,
    StateDiff,
    Table,
    TableDiff,
    Volatile,
    describe,
    dump_state,
)  # fmt: skip
from envfactory.environment.equivalence import Comparison, Verdict, Wanted, compare_states, names_in
from envfactory.environment.records import Argument

OrderId = Annotated[str, Ref("Order")]


class Line(Argument):
    part: str
    """What is ordered."""
    quantity: int
    """How many."""
    remark: Annotated[str | None, FreeText()] = None
    """What to watch out for."""


class Order(Record, noun="order", label="{id}"):
    id: OrderId
    """Identifier."""
    amount: float
    """What it costs."""
    lines: tuple[Line, ...] = ()
    """What is in it."""
    after: OrderId | None = None
    """The order that this one follows."""
    note: Annotated[str | None, FreeText()] = None
    """What the customer wishes."""
    seen: Annotated[int, Volatile()] = 0
    """How often it was looked at."""


class Payment(Record, noun="payment", label="{id}"):
    id: Annotated[str, Ref("Payment")]
    """Identifier."""
    order_id: OrderId
    """What is paid."""
    refund_of: OrderId | None = None
    """What is paid back."""


class Workshop(Environment):
    """Take orders and payments."""

    domain = "test"
    policy = "None."
    sources = ("none",)

    current: OrderId | None = None
    """The order in hand."""
    motto: Annotated[str | None, FreeText()] = None
    """What stands over the door."""
    orders: Table[Order]
    payments: Table[Payment]


class Ledger(Environment):
    """Keep orders of its own beside the workshop's."""

    domain = "test"
    policy = "None."
    sources = ("none",)

    orders: Table[Order]


SPECS = {"workshop": describe(Workshop), "ledger": describe(Ledger)}
_ORDERS: Any = {"ORD-1": Order(id="ORD-1", amount=1.0, note="soon"), "ORD-2": Order(id="ORD-2", amount=2.0)}
_FIRST: Any = {"ORD-1": _ORDERS["ORD-1"]}
_NONE: Any = {}
BASES = {
    "workshop": orjson.loads(dump_state(Workshop(now=DEFAULT_NOW, orders=_ORDERS, payments=_NONE))),
    "ledger": orjson.loads(dump_state(Ledger(now=DEFAULT_NOW, orders=_FIRST))),
}


def order(identifier: str, amount: float = 5.0, **more: Any) -> dict[str, Any]:
    return {"id": identifier, "amount": amount, "lines": [], "seen": 0, **more}


def payment(identifier: str, order_id: str, **more: Any) -> dict[str, Any]:
    return {"id": identifier, "order_id": order_id, **more}


def changes(
    *created: dict[str, Any],
    changed: dict[str, dict[str, Any]] | None = None,
    deleted: tuple[str, ...] = (),
    **fields: Any,
) -> StateDiff:
    """Changes of a workshop or ledger: rows go to the table that their id belongs to."""
    orders = {row["id"]: row for row in created if "order_id" not in row}
    payments = {row["id"]: row for row in created if "order_id" in row}
    tables = {
        "orders": TableDiff(created=orders, changed=changed or {}, deleted=deleted),
        "payments": TableDiff(created=payments),
    }
    return StateDiff(tables={name: table for name, table in tables.items() if table}, fields=fields)


def compare(left: StateDiff, right: StateDiff, **options: Any) -> Comparison:
    specs = {"workshop": SPECS["workshop"]}
    return compare_states(specs, BASES, {"workshop": left}, {"workshop": right}, **options)


def equal(left: StateDiff, right: StateDiff) -> bool:
    """Whether two sessions are equivalent, asked both ways round."""
    first, second = compare(left, right), compare(right, left)
    assert first.equal == second.equal
    return first.equal


def test_the_same_changes_are_equivalent():
    diff = changes(order("ORD-1001"), changed={"ORD-1": {"amount": 3.0}}, deleted=("ORD-2",))
    assert equal(diff, diff)
    assert equal(changes(), changes())


def test_nothing_done_is_not_something_done():
    assert not equal(changes(), changes(order("ORD-1001")))
    assert not equal(changes(), changes(changed={"ORD-1": {"amount": 3.0}}))
    assert not equal(changes(), changes(deleted=("ORD-1",)))
    assert not equal(changes(), changes(current="ORD-1"))


def test_ids_made_in_the_session_may_differ():
    found = compare(changes(order("ORD-1001")), changes(order("ORD-1007")))
    assert found.equal
    assert found.renaming == {("workshop", "ORD-1001"): ("workshop", "ORD-1007")}


def test_a_record_with_other_content_is_not_the_same():
    found = compare(changes(order("ORD-1001", amount=5.0)), changes(order("ORD-1001", amount=6.0)))
    assert not found.equal
    assert not found.verdicts["workshop"].undecided
    assert found.renaming == {}


def test_ids_of_base_records_are_not_renamed():
    assert not equal(changes(payment("PAY-1001", "ORD-1")), changes(payment("PAY-1001", "ORD-2")))
    assert not equal(changes(changed={"ORD-1": {"amount": 9.0}}), changes(changed={"ORD-2": {"amount": 9.0}}))


def test_one_record_more_of_the_same_kind_counts():
    assert not equal(changes(order("ORD-1001")), changes(order("ORD-1001"), order("ORD-1002")))


def test_records_that_name_each_other_in_a_chain_are_followed():
    left = changes(order("ORD-1001"), order("ORD-1002", after="ORD-1001"), payment("PAY-1001", "ORD-1002"))
    right = changes(order("ORD-1005", after="ORD-1009"), payment("PAY-1001", "ORD-1005"), order("ORD-1009"))
    assert equal(left, right)
    assert not equal(
        left, changes(order("ORD-1001"), order("ORD-1002", after="ORD-1001"), payment("PAY-1", "ORD-1001"))
    )


def test_swapped_ids_are_told_apart_by_content():
    left = changes(order("ORD-1001", 5.0), order("ORD-1002", 7.0), payment("PAY-1001", "ORD-1001"))
    right = changes(order("ORD-1001", 7.0), order("ORD-1002", 5.0), payment("PAY-1001", "ORD-1002"))
    assert equal(left, right)
    assert not equal(left, changes(order("ORD-1001", 7.0), order("ORD-1002", 5.0), payment("PAY-1001", "ORD-1001")))


def test_duplicates_are_told_apart_by_who_names_them():
    left = changes(order("ORD-1001"), order("ORD-1002"), payment("PAY-1001", "ORD-1001"))
    right = changes(order("ORD-1001"), order("ORD-1002"), payment("PAY-1001", "ORD-1002"))
    found = compare(left, right)
    assert found.equal
    assert found.renaming["workshop", "ORD-1001"] == ("workshop", "ORD-1002")


def test_duplicates_with_a_payment_each_are_paired_consistently():
    left = changes(
        order("ORD-1001"), order("ORD-1002"), payment("PAY-1001", "ORD-1001"), payment("PAY-1002", "ORD-1002")
    )
    right = changes(
        order("ORD-1001"), order("ORD-1002"), payment("PAY-1001", "ORD-1002"), payment("PAY-1002", "ORD-1001")
    )
    found = compare(left, right)
    assert found.equal
    pairs = {mine[1]: other[1] for mine, other in found.renaming.items()}
    assert (pairs["ORD-1001"] == "ORD-1001") == (pairs["PAY-1001"] == "PAY-1002")


def test_two_payments_for_one_of_two_orders_are_not_one_for_each():
    left = changes(
        order("ORD-1001"), order("ORD-1002"), payment("PAY-1001", "ORD-1001"), payment("PAY-1002", "ORD-1002")
    )
    right = changes(
        order("ORD-1001"), order("ORD-1002"), payment("PAY-1001", "ORD-1001"), payment("PAY-1002", "ORD-1001")
    )
    assert not equal(left, right)


def test_which_field_names_a_record_counts():
    twins = (order("ORD-1001"), order("ORD-1002", 6.0))
    left = changes(*twins, payment("PAY-1001", "ORD-1001", refund_of="ORD-1002"))
    assert not equal(left, changes(*twins, payment("PAY-1001", "ORD-1002", refund_of="ORD-1001")))
    same = (order("ORD-1001"), order("ORD-1002"))
    left = changes(*same, payment("PAY-1001", "ORD-1001", refund_of="ORD-1002"))
    assert equal(left, changes(*same, payment("PAY-1001", "ORD-1002", refund_of="ORD-1001")))


def test_a_base_record_and_a_field_may_name_what_was_made():
    left = changes(order("ORD-1001"), order("ORD-1002"), changed={"ORD-1": {"after": "ORD-1001"}}, current="ORD-1002")
    right = changes(order("ORD-1001"), order("ORD-1002"), changed={"ORD-1": {"after": "ORD-1002"}}, current="ORD-1001")
    both = changes(order("ORD-1001"), order("ORD-1002"), changed={"ORD-1": {"after": "ORD-1002"}}, current="ORD-1002")
    assert equal(left, right)
    assert not equal(left, both)


def test_a_name_on_one_side_is_not_the_same_letters_on_the_other():
    left = changes(order("ORD-1001"), order("ORD-1002", 9.0), changed={"ORD-1": {"after": "ORD-1001"}})
    right = changes(order("ORD-1001", 9.0), order("ORD-1002"), changed={"ORD-1": {"after": "ORD-1001"}})
    assert not equal(left, right)


def ring(*sizes: int, start: int = 1001) -> list[dict[str, Any]]:
    """Orders that follow each other in circles of these sizes."""
    rows: list[dict[str, Any]] = []
    for size in sizes:
        ids = [f"ORD-{start + position}" for position in range(size)]
        rows += [order(mine, after=other) for mine, other in zip(ids, [*ids[1:], ids[0]], strict=True)]
        start += size
    return rows


def test_what_colours_cannot_tell_apart_is_decided_by_trying():
    assert not equal(changes(*ring(6)), changes(*ring(3, 3)))
    assert not compare(changes(*ring(6)), changes(*ring(3, 3))).verdicts["workshop"].undecided
    assert equal(changes(*ring(6, 3, 3)), changes(*ring(3, 3, 6)))
    assert equal(changes(*ring(2, 4, 2)), changes(*reversed(ring(4, 2, 2))))


def test_the_renaming_of_tied_records_keeps_what_they_name():
    left, right = ring(6, 3, 3), ring(3, 3, 6, start=2001)
    renaming = compare(changes(*left), changes(*right)).renaming
    follows = {row["id"]: row["after"] for row in right}
    for row in left:
        mine, after = renaming["workshop", row["id"]], renaming["workshop", row["after"]]
        assert follows[mine[1]] == after[1]


def test_a_search_that_gives_up_is_undecided_and_not_equal():
    verdict = compare(changes(*ring(6)), changes(*ring(6, start=2001)), limit=2).verdicts["workshop"]
    assert verdict == Verdict(equal=True)
    verdict = compare(changes(*ring(6)), changes(*ring(6, start=2001)), limit=0).verdicts["workshop"]
    assert verdict == Verdict(equal=False, undecided=True)
    verdict = compare(changes(*ring(6)), changes(*ring(3, 3)), limit=2).verdicts["workshop"]
    assert verdict == Verdict(equal=False, undecided=True)


def test_giving_up_on_one_environment_leaves_the_verdict_on_another():
    left = {"workshop": changes(*ring(4)), "ledger": changes(order("ORD-1001", 3.0))}
    right = {"workshop": changes(*ring(2, 2)), "ledger": changes(order("ORD-1004", 3.0))}
    assert compare_states(SPECS, BASES, left, right).verdicts == {
        "workshop": Verdict(equal=False),
        "ledger": Verdict(equal=True),
    }
    assert compare_states(SPECS, BASES, left, right, limit=0).verdicts == {
        "workshop": Verdict(equal=False, undecided=True),
        "ledger": Verdict(equal=True),
    }


def test_two_tied_environments_are_judged_one_by_one():
    left = {"workshop": changes(*ring(6)), "ledger": changes(*ring(4))}
    right = {"workshop": changes(*ring(3, 3)), "ledger": changes(*ring(4, start=1003))}
    verdicts = compare_states(SPECS, BASES, left, right).verdicts
    assert (verdicts["workshop"].equal, verdicts["ledger"].equal) == (False, True)


def test_environments_may_make_the_same_id():
    left = {"workshop": changes(order("ORD-1001", 5.0)), "ledger": changes(order("ORD-1001", 8.0))}
    right = {"workshop": changes(order("ORD-1002", 5.0)), "ledger": changes(order("ORD-1001", 8.0))}
    found = compare_states(SPECS, BASES, left, right)
    assert found.equal
    assert found.renaming == {
        ("workshop", "ORD-1001"): ("workshop", "ORD-1002"),
        ("ledger", "ORD-1001"): ("ledger", "ORD-1001"),
    }


def test_an_environment_may_name_what_another_one_made():
    left = {"workshop": changes(order("ORD-1001")), "ledger": changes(changed={"ORD-1": {"after": "ORD-1001"}})}
    right = {"workshop": changes(order("ORD-1002")), "ledger": changes(changed={"ORD-1": {"after": "ORD-1002"}})}
    other = {"workshop": changes(order("ORD-1002")), "ledger": changes(changed={"ORD-1": {"after": "ORD-1001"}})}
    assert compare_states(SPECS, BASES, left, right).equal
    verdicts = compare_states(SPECS, BASES, left, other).verdicts
    assert (verdicts["workshop"].equal, verdicts["ledger"].equal) == (True, False)


def test_a_wrong_environment_does_not_make_an_independent_one_wrong():
    left = {"workshop": changes(order("ORD-1001")), "ledger": changes(order("ORD-1001", 3.0))}
    right = {"workshop": changes(order("ORD-1001", 6.0)), "ledger": changes(order("ORD-1002", 3.0))}
    verdicts = compare_states(SPECS, BASES, left, right).verdicts
    assert (verdicts["workshop"].equal, verdicts["ledger"].equal) == (False, True)


def test_counters_do_not_count_and_the_clock_does():
    assert equal(changes(counters={"ORD": 1004}), changes())
    assert not equal(changes(now=(DEFAULT_NOW + dt.timedelta(days=1)).isoformat()), changes())


def test_volatile_fields_do_not_count():
    assert equal(changes(order("ORD-1001", seen=4)), changes(order("ORD-1001", seen=5)))
    assert equal(changes(changed={"ORD-1": {"seen": 3}}), changes())


def test_prose_is_compared_by_presence():
    assert equal(changes(order("ORD-1001", note="red")), changes(order("ORD-1001", note="in red please")))
    assert not equal(changes(order("ORD-1001", note="red")), changes(order("ORD-1001")))
    assert equal(changes(order("ORD-1001", note="")), changes(order("ORD-1001")))
    assert equal(changes(changed={"ORD-1": {"note": "later"}}), changes())
    assert not equal(changes(changed={"ORD-1": {"note": None}}), changes())
    assert not equal(changes(changed={"ORD-2": {"note": "later"}}), changes())
    assert equal(changes(motto="Fast"), changes(motto="Quick"))
    assert not equal(changes(motto="Fast"), changes())


def test_prose_inside_lists_is_compared_by_presence():
    def with_line(**line: Any) -> StateDiff:
        return changes(order("ORD-1001", lines=[{"part": "bolt", "quantity": 1, **line}]))

    assert equal(with_line(remark="long"), with_line(remark="short"))
    assert not equal(with_line(remark="long"), with_line())
    assert not equal(with_line(), with_line(quantity=2))


def test_prose_that_looks_like_an_id_is_still_prose():
    left = changes(order("ORD-1001"), order("ORD-1002", note="see ORD-1001"))
    assert equal(left, changes(order("ORD-1001", note="see ORD-1002"), order("ORD-1002")))


def test_whole_numbers_are_equal_however_they_are_written():
    assert equal(changes(order("ORD-1001", amount=5)), changes(order("ORD-1002", amount=5.0)))


def test_the_order_of_rows_does_not_count():
    first, second = order("ORD-1001", 5.0), order("ORD-1002", 6.0)
    assert equal(changes(first, second), changes(second, first))
    change = {"ORD-1": {"amount": 8.0}, "ORD-2": {"amount": 9.0}}
    assert equal(changes(changed=change), changes(changed=dict(reversed(change.items()))))


def test_the_order_of_fields_does_not_count():
    twins = (order("ORD-1001"), order("ORD-1002", 6.0))
    one = payment("PAY-1001", "ORD-1001", refund_of="ORD-1002")
    assert equal(changes(*twins, one), changes(*twins, dict(reversed(one.items())), counters={}))


def test_deleted_records_count():
    assert not equal(changes(deleted=("ORD-1",)), changes(deleted=("ORD-2",)))
    assert equal(changes(deleted=("ORD-1", "ORD-2")), changes(deleted=("ORD-2", "ORD-1")))


def test_a_row_taken_out_and_put_back_is_the_same_row():
    moved = StateDiff(
        tables={"orders": TableDiff(created={"ORD-1": BASES["workshop"]["orders"]["ORD-1"]}, deleted=("ORD-1",))}
    )
    assert equal(moved, changes())
    edited = {**BASES["workshop"]["orders"]["ORD-1"], "amount": 4.0}
    moved = StateDiff(tables={"orders": TableDiff(created={"ORD-1": edited}, deleted=("ORD-1",))})
    assert equal(moved, changes(changed={"ORD-1": {"amount": 4.0}}))
    assert names_in(compare(moved, changes()).made[0], "workshop").get("ORD-1") is None


def test_what_was_made_and_is_gone_may_still_be_named():
    left = changes(payment("PAY-1001", "ORD-1002"), counters={"ORD": 1002, "PAY": 1001})
    right = changes(payment("PAY-1001", "ORD-1001"), counters={"ORD": 1001, "PAY": 1001})
    found = compare(left, right)
    assert found.equal
    assert found.renaming["workshop", "ORD-1002"] == ("workshop", "ORD-1001")
    assert not equal(left, changes(payment("PAY-1001", "ORD-1"), counters={"ORD": 1001, "PAY": 1001}))
    both = changes(payment("PAY-1001", "ORD-1001"), payment("PAY-1002", "ORD-1002"), counters={"ORD": 1002})
    same = changes(payment("PAY-1001", "ORD-1001"), payment("PAY-1002", "ORD-1001"), counters={"ORD": 1002})
    assert not equal(both, same)


def test_counters_tell_what_was_made():
    made = compare(changes(order("ORD-1002"), counters={"ORD": 1003}), changes()).made
    assert made == ({"workshop": frozenset({"ORD-1001", "ORD-1002", "ORD-1003"})}, {})
    assert names_in(made[0], "workshop").get("ORD-1003") == ("workshop", "ORD-1003")
    assert names_in(made[0], "ledger").get("ORD-1003") == ("workshop", "ORD-1003")
    assert names_in(made[0], "workshop").get("ORD-1004") is None


def test_counting_goes_on_from_where_the_base_stood():
    base = {**BASES["workshop"], "counters": {"ORD": 1002}}
    diff = {"workshop": changes(counters={"ORD": 1003})}
    found = compare_states({"workshop": SPECS["workshop"]}, {"workshop": base}, diff, {})
    assert found.made[0] == {"workshop": frozenset({"ORD-1003"})}


@pytest.mark.parametrize(
    ("right", "unchanged"),
    [
        (changes(), True),
        (changes(counters={"ORD": 1001}), True),
        (changes(now=(DEFAULT_NOW + dt.timedelta(days=1)).isoformat()), True),
        (changes(changed={"ORD-1": {"seen": 9}}), True),
        (changes(changed={"ORD-1": {"note": "otherwise"}}), True),
        (changes(changed={"ORD-1": {"amount": 9.0}}), False),
        (changes(order("ORD-1001")), False),
        (changes(deleted=("ORD-1",)), False),
        (changes(current="ORD-1"), False),
    ],
)
def test_whether_gold_changed_an_environment_is_a_matter_of_meaning(right: StateDiff, unchanged: bool):
    assert compare(changes(order("ORD-1001")), right).verdicts["workshop"].unchanged is unchanged
    assert compare(right, right).verdicts["workshop"].unchanged is unchanged


def test_changes_of_an_environment_that_is_not_in_the_session_are_refused():
    with pytest.raises(KeyError, match="changes in bakery"):
        compare_states(SPECS, BASES, {"bakery": changes()}, {})


# -- invariants ----------------------------------------------------------------------------------------------------


@st.composite
def sessions(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Orders and payments that name each other at random, with few different amounts so that many are alike."""
    count = draw(st.integers(1, 8))
    ids = [f"ORD-{1001 + position}" for position in range(count)]
    targets = st.sampled_from(["ORD-1", *ids])
    rows = [order(key, draw(st.sampled_from([1.0, 2.0])), after=draw(targets)) for key in ids]
    payments = draw(st.lists(st.tuples(targets, targets), max_size=6))
    rows += [payment(f"PAY-{1001 + n}", to, refund_of=of) for n, (to, of) in enumerate(payments)]
    return rows


def renamed(rows: list[dict[str, Any]], rng: random.Random) -> list[dict[str, Any]]:
    """The same rows in another order under other ids."""
    numbers = rng.sample(range(1001, 1100), len(rows))
    names = {row["id"]: f"{row['id'][:3]}-{number}" for row, number in zip(rows, numbers, strict=True)}
    result = [
        {key: names.get(value, value) if isinstance(value, str) else value for key, value in row.items()}
        for row in rows
    ]
    rng.shuffle(result)
    return result


@settings(deadline=None)
@given(sessions(), st.randoms(use_true_random=False))
def test_any_renaming_in_any_order_is_equivalent(rows: list[dict[str, Any]], rng: random.Random):
    found = compare(changes(*rows), changes(*renamed(rows, rng)))
    assert found.equal
    assert len(set(found.renaming.values())) == len(found.renaming) == len(rows)


@settings(deadline=None)
@given(sessions(), st.randoms(use_true_random=False), st.sampled_from(["amount", "loss", "addition", "name", "base"]))
def test_any_single_edit_that_means_something_is_not_equivalent(
    rows: list[dict[str, Any]], rng: random.Random, kind: str
):
    edited = renamed(rows, rng)
    change: dict[str, dict[str, Any]] = {}
    target = rng.choice([row for row in edited if "amount" in row])
    match kind:
        case "amount":
            target["amount"] = 77.0
        case "loss":
            edited.remove(rng.choice(edited))
        case "addition":
            edited.append(order("ORD-1200", after="ORD-1"))
        case "name":
            target["after"] = "ORD-2"  # which nothing else names
        case _:
            change = {"ORD-2": {"amount": 77.0}}
    assert not equal(changes(*rows), changes(*edited, changed=change))


@settings(deadline=None)
@given(sessions(), st.lists(sessions(), max_size=3), st.randoms(use_true_random=False))
def test_what_was_compared_before_changes_no_verdict(
    rows: list[dict[str, Any]], others: list[list[dict[str, Any]]], rng: random.Random
):
    specs, right = {"workshop": SPECS["workshop"]}, {"workshop": changes(*rows)}
    wanted = Wanted(specs, BASES, right)
    for each in (renamed(rows, rng), *others, rows, renamed(rows, rng)):
        left = {"workshop": changes(*each)}
        assert wanted.compare(left) == compare_states(specs, BASES, left, right)
