"""Records cannot change, and tables change only where they may."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from envfactory.environment import DeclarationError, Output, ReadOnlyError, Record, Table, ToolError


class Cup(Record, noun="cup", label="{colour} cup"):
    id: str
    colour: str
    size: float = 1
    note: str | None = None


def table(*cups: Cup) -> Table[Cup]:
    rows = {cup.id: cup.model_dump() for cup in cups}
    return TypeAdapter(Table[Cup]).validate_python(rows).fork()


def test_a_record_cannot_be_changed_in_place():
    cup = Cup(id="C-1", colour="red")
    with pytest.raises(ValidationError, match="frozen"):
        cup.colour = "blue"
    with pytest.raises(ValidationError, match="frozen"):
        del cup.colour
    assert cup.colour == "red"


def test_evolving_gives_another_record_and_validates_it():
    cup = Cup(id="C-1", colour="red")
    assert cup.evolve(colour="blue") == Cup(id="C-1", colour="blue")
    assert cup.colour == "red"
    with pytest.raises(ValidationError, match="size"):
        cup.evolve(size="large")
    with pytest.raises(ValidationError, match="shape"):
        cup.evolve(shape="round")


@pytest.mark.parametrize("size", [float("nan"), float("inf"), float("-inf"), "1", True, None])
def test_a_number_that_is_none_is_no_value_of_a_record(size: Any):
    with pytest.raises(ValidationError, match="size"):
        Cup(id="C-1", colour="red", size=size)


def test_what_may_be_none_must_be_none_by_default():
    with pytest.raises(DeclarationError, match=r"Bowl\.note may be None, so its default must be None"):

        class Bowl(Record, noun="bowl"):
            id: str
            note: str | None

    with pytest.raises(DeclarationError, match=r"Plate\.note may be None"):

        class Plate(Record, noun="plate"):
            id: str
            note: Annotated[str | None, "said"] = "none"


@pytest.mark.parametrize(
    "kind", [list[str], dict[str, int], set[int], tuple[list[int], ...], list[int] | None, list, dict]
)
def test_a_field_that_could_change_in_place_is_refused_by_name(kind: Any):
    with pytest.raises(DeclarationError, match=r"Holder\.things is a .* immutable"):
        type("Holder", (Output,), {"__annotations__": {"things": kind}, "things": None})


def test_what_is_said_of_a_record_is_inherited_and_a_listing_falls_back_on_the_label():
    class Mug(Cup, noun="mug"):
        pass

    assert (Mug.noun, Mug.label, Mug.listing) == ("mug", "{colour} cup", "{colour} cup")


def test_a_table_inserts_replaces_and_deletes():
    cups = table(Cup(id="C-1", colour="red"))
    blue = Cup(id="C-2", colour="blue")
    assert cups.insert(blue) is blue
    assert cups.replace(green := Cup(id="C-1", colour="green")) is green
    assert dict(cups) == {"C-1": green, "C-2": blue}
    assert cups.delete("C-1") is green
    assert list(cups) == ["C-2"]
    assert cups.require("C-2") is blue


def test_a_missing_record_is_refused_in_the_words_of_the_domain():
    cups = table()
    for refused in (cups.require, cups.delete):
        with pytest.raises(ToolError, match="There is no cup with the id 'C-9'") as caught:
            refused("C-9")
        assert caught.value.code == "not_found"


def test_a_table_refuses_what_would_lose_or_overwrite_a_record():
    cups = table(Cup(id="C-1", colour="red"))
    with pytest.raises(ValueError, match="Cup 'C-1' exists already; use replace"):
        cups.insert(Cup(id="C-1", colour="blue"))
    with pytest.raises(ValueError, match="Cup 'C-2' does not exist; use insert"):
        cups.replace(Cup(id="C-2", colour="blue"))
    assert dict(cups) == {"C-1": Cup(id="C-1", colour="red")}


def test_a_table_holds_records_of_exactly_its_own_kind():
    class Mug(Cup, noun="mug"):
        pass

    cups = table()
    for wrong in (Mug(id="C-1", colour="red"), {"id": "C-1", "colour": "red"}):
        with pytest.raises(TypeError, match="this table holds Cup, not"):
            cups.insert(wrong)  # pyright: ignore[reportArgumentType]
    assert not cups


DICT_WRITES: dict[str, Any] = {
    "set": lambda t: t.__setitem__("C-1", None),
    "del": lambda t: t.__delitem__("C-1"),
    "update": lambda t: t.update({}),
    "or": lambda t: t.__ior__({}),
    "pop": lambda t: t.pop("C-1"),
    "popitem": lambda t: t.popitem(),
    "clear": lambda t: t.clear(),
    "setdefault": lambda t: t.setdefault("C-1", None),
}


@pytest.mark.parametrize("write", DICT_WRITES.values(), ids=DICT_WRITES)
def test_every_other_way_to_write_a_dict_is_closed(write: Any):
    cups = table(Cup(id="C-1", colour="red"))
    with pytest.raises(TypeError, match="insert, replace and delete only"):
        write(cups)
    assert list(cups) == ["C-1"]


def test_a_sealed_table_refuses_every_write():
    cups = table(Cup(id="C-1", colour="red"))
    cups.seal()
    for write in (
        lambda: cups.insert(Cup(id="C-2", colour="red")),
        lambda: cups.replace(Cup(id="C-1", colour="blue")),
        lambda: cups.delete("C-1"),
        lambda: cups.delete("C-9"),
    ):
        with pytest.raises(ReadOnlyError, match="writes=True"):
            write()
    assert dict(cups) == {"C-1": Cup(id="C-1", colour="red")}


def test_a_fork_that_was_not_written_gives_way_to_what_it_is_a_copy_of():
    cups = table(Cup(id="C-1", colour="red")).seal()
    assert cups.fork().seal() is cups
    written = cups.fork()
    written.delete("C-1")
    assert written.seal() is written
    assert list(cups) == ["C-1"]


def test_a_row_stands_under_its_own_id():
    with pytest.raises(ValidationError, match="Cup is stored under 'C-2' but has the id 'C-1'"):
        TypeAdapter(Table[Cup]).validate_python({"C-2": {"id": "C-1", "colour": "red"}})


def test_what_is_kept_in_a_table_needs_an_id_and_a_noun():
    class Nameless(Record):
        id: str

    class Keyless(Record, noun="thing"):
        name: str

    for kind in (Nameless, Keyless):
        with pytest.raises(DeclarationError, match=f"{kind.__name__} is kept in a table, so it needs"):
            TypeAdapter(Table[kind])  # pyright: ignore[reportInvalidTypeForm]


Write = tuple[str, str]
writes = st.lists(st.tuples(st.sampled_from(["insert", "replace", "delete"]), st.sampled_from("abcd")), max_size=20)


@given(writes)
def test_a_table_does_as_a_dict_does_and_leaves_what_it_was_forked_from(steps: list[Write]):
    base = table(Cup(id="a", colour="0"), Cup(id="b", colour="0")).seal()
    before = dict(base)
    fork, model = base.fork(), dict(before)
    for number, (verb, key) in enumerate(steps, 1):
        cup = Cup(id=key, colour=str(number))
        act: dict[str, Callable[[], Cup]] = {
            "insert": lambda cup=cup: fork.insert(cup),
            "replace": lambda cup=cup: fork.replace(cup),
            "delete": lambda key=key: fork.delete(key),
        }
        if (key in model) == (verb == "insert"):
            with pytest.raises((ValueError, ToolError)):
                act[verb]()
            continue
        act[verb]()
        if verb == "delete":
            del model[key]
        else:
            model[key] = cup
    assert list(fork.items()) == list(model.items())
    assert dict(base) == before
