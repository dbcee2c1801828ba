"""What is made without validation is what validation would have made."""

from __future__ import annotations

import pickle

from hypothesis import given
from hypothesis import strategies as st

from envfactory.environment.trusted import trusted
from envfactory.gold import Call, Out
from envfactory.gold.program import ObjectOf

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.text(), st.dictionaries(st.text(), JSON, max_size=4), st.text(), st.booleans())
def test_it_is_equal_to_what_was_validated_and_is_written_alike(
    tool: str, arguments: dict[str, object], result: str, ok: bool
) -> None:
    made = trusted(Call, tool=tool, arguments=arguments, result=result, ok=ok)
    whole = Call(tool=tool, arguments=arguments, result=result, ok=ok)
    assert made == whole
    assert made.model_dump(mode="json") == whole.model_dump(mode="json")
    assert made.model_dump_json() == whole.model_dump_json()
    assert made.model_fields_set == whole.model_fields_set
    assert pickle.loads(pickle.dumps(made)) == whole
    assert made.model_copy(update={"ok": not ok}).ok is not ok


def test_it_may_hold_others_and_be_hashed() -> None:
    out = trusted(Out, source="call", call=1, path="id", pick=None)
    assert out == Out(call=1, path="id")
    assert hash(out) == hash(Out(call=1, path="id"))
    held = trusted(ObjectOf, source="object", fields={"id": out})
    assert ObjectOf.model_validate(held.model_dump(mode="json")) == held
