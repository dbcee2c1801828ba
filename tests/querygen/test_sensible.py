"""Requests that a person would make: sixty conversations over the whole catalogue, drawn as a run draws them.

What is looked at is the finished text and the calls behind it, not how either was chosen.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import orjson
import pytest

from envfactory.catalogue.commerce._marketplace_relations import COMMENTS
from envfactory.catalogue.travel._hotel_relations import TITLES
from envfactory.environment import InProcess, tool_of
from envfactory.environment.draw import Drawer
from envfactory.environment.paths import values_at
from envfactory.gold import FromUser, Out, bindings_of
from envfactory.querygen import base_documents
from envfactory.sampling.news import Fact, facts, has_news
from envfactory.trajectory import PlayedCall, Trajectory
from tests.grounded import catalogue, conversations, grounded_golds

COUNT = 100
MAKING = ("place_order", "book_room", "schedule_payment", "add_payee", "save_address")


@pytest.fixture(scope="module")
def environments() -> InProcess:
    return catalogue()


@pytest.fixture(scope="module")
def trajectories() -> list[Trajectory]:
    golds = grounded_golds(COUNT, 5)
    found, _ = conversations(golds)
    assert len(found) >= 0.95 * len(golds)
    return found


@pytest.fixture(scope="module")
def messages(trajectories: list[Trajectory]) -> list[tuple[str, str]]:
    """Manner and text of every request."""
    return [(row.persona.manner, turn.user) for row in trajectories for turn in row.conversation.turns]


def played(row: Trajectory) -> dict[int, PlayedCall]:
    """The calls that follow gold, by number; what the person does themselves among them."""
    turns = row.conversation.turns
    made = [call for turn in turns for call in (*turn.done, *(call for step in turn.steps for call in step.calls))]
    return {call.gold: call for call in made if call.gold is not None and call.ok}


def calls_of(row: Trajectory, environments: InProcess) -> Iterator[tuple[Any, Any, dict[str, Any]]]:
    """Tool, gold call and executed arguments of every gold call, in order."""
    made = played(row)
    for index, call in enumerate(row.gold.calls):
        yield tool_of(environments.specs, call.tool), call, made[index].arguments


def outputs_of(row: Trajectory) -> Iterator[Any]:
    """The parsed output of every gold call, in order."""
    made = played(row)
    yield from (orjson.loads(made[index].result) for index in range(len(row.gold.calls)))


def test_what_is_written_goes_with_the_grade(environments: InProcess) -> None:
    graded = 0
    for row in conversations(grounded_golds(40, 5, "hotel_reservations", "marketplace_orders"))[0]:
        for tool, _, arguments in calls_of(row, environments):
            for name, number, text, bands in (
                ("write_review", "score", "title", TITLES),
                ("rate_seller", "stars", "comment", COMMENTS),
            ):
                if tool.name == name and text in arguments:
                    texts = next(texts for bound, texts in bands if arguments[number] <= bound)
                    assert arguments[text] in texts
                    graded += 1
    assert graded


def test_only_stays_that_are_over_are_rated_and_nothing_else_is_asked_about_their_hotels(
    environments: InProcess,
) -> None:
    rated = 0
    for row in conversations(grounded_golds(40, 5, "hotel_reservations"))[0]:
        made = list(calls_of(row, environments))
        for tool, _, arguments in made:
            if tool.name == "write_review":
                rated += 1
                others = [given for other, _, given in made if other.name != "write_review"]
                assert arguments["hotel_id"] not in [given.get("hotel_id") for given in others]
                state = base_documents(environments, row.gold.reference)["hotel_reservations"]
                stays = [stay for stay in state["reservations"].values() if stay["guest_id"] == state["guest_id"]]
                assert "completed" in [s["status"] for s in stays if s["hotel_id"] == arguments["hotel_id"]]
    assert rated


def test_what_is_saved_is_not_there_yet(trajectories: list[Trajectory], environments: InProcess) -> None:
    saved = 0
    for row in trajectories:
        state = base_documents(environments, row.gold.reference)
        for tool, _, arguments in calls_of(row, environments):
            if tool.name == "save_address":
                found = state["marketplace_orders"]
                mine = [a for a in found["addresses"].values() if a["customer_id"] == found["customer_id"]]
                assert arguments["address"] not in [address["address"] for address in mine]
                assert arguments["nickname"] not in [address["nickname"] for address in mine]
                saved += 1
            elif tool.name == "add_payee":
                found = state["retail_banking"]
                mine = [p for p in found["payees"].values() if p["holder_id"] == found["holder_id"]]
                assert arguments["name"] not in [payee["name"] for payee in mine]
                saved += 1
    assert saved


def test_what_was_made_or_changed_is_not_ended_and_nothing_comes_after_an_end(
    trajectories: list[Trajectory], environments: InProcess
) -> None:
    ended = 0
    for row in trajectories:
        over: set[str] = set()
        touched: set[str] = set()
        for tool, _, arguments in calls_of(row, environments):
            given = {v for leaf in tool.inputs if leaf.ref for v in values_at(arguments, leaf.path)}
            assert not given & over
            ends = [r.parameter for r in tool.where if r.kind == "ends"]
            for path in ends:
                assert arguments[path] not in touched
                over.add(arguments[path])
                ended += 1
            if tool.writes:
                touched |= given
    assert ended


def test_a_search_of_transactions_looks_for_something_and_a_period_has_two_ends(
    trajectories: list[Trajectory], environments: InProcess
) -> None:
    searches = [g for row in trajectories for t, _, g in calls_of(row, environments) if t.name == "search_transactions"]
    assert searches
    for given in searches:
        assert ("since" in given) == ("until" in given)
        assert given.keys() & {"category", "counterparty", "since", "min_amount"}


def test_what_goes_without_saying_is_not_said(messages: list[tuple[str, str]]) -> None:
    for _, text in messages:
        assert not re.search(
            r"\b1 piece\b|(?<!more than )\bonce\b|\bstandard (?:payment|transfer)\b|\bthe \w+ you find\b", text
        ), text


def test_an_amount_is_not_taken_twice(trajectories: list[Trajectory], environments: InProcess) -> None:
    for row in trajectories:
        seen: Counter[float] = Counter()
        for tool, call, arguments in calls_of(row, environments):
            for path, binding in bindings_of(call):
                value = next(values_at(arguments, re.sub(r"\[\d+\]", "[]", path)), None)
                if isinstance(value, float) and not isinstance(binding, FromUser):
                    assert value not in seen, (tool.name, value)
                if isinstance(value, float):
                    seen[value] += 1


def test_a_request_points_once_and_says_no_long_name_three_times(
    messages: list[tuple[str, str]], environments: InProcess
) -> None:
    nouns = "|".join(re.escape(table.noun) for spec in environments.specs.values() for table in spec.tables)
    for _, text in messages:
        assert len(re.findall(rf"\bthat (?:{nouns})\b", text)) <= 1, text
        names = re.findall(r"(?:[A-Z][a-z]+ ){2,3}[A-Z][a-z]+", text)
        assert all(times <= 2 for times in Counter(names).values()), text
        assert not re.search(r" of it\b", text)
        assert " it for me" not in text


def test_a_name_that_only_a_search_can_tell_is_not_said_with_the_search(
    trajectories: list[Trajectory], environments: InProcess
) -> None:
    together = apart = 0
    for row in trajectories:
        turn_of = {call: turn for turn, calls in enumerate(row.gold.turn_slices()) for call in calls}
        for index, call in enumerate(row.gold.calls):
            for _, binding in bindings_of(call):
                if not isinstance(binding, Out) or "[" not in binding.path or binding.pick is None:
                    continue
                tool = tool_of(environments.specs, row.gold.calls[binding.call].tool)
                spec = environments.specs[tool.environment]
                tables = [spec.table_of_entity.get(shape.entity) for shape in tool.output_shapes if shape.record]
                if tool.writes or not all(table and not Drawer(spec).has_owner(table) for table in tables):
                    continue
                if binding.pick.by in ("low", "high"):
                    continue
                together += turn_of[index] == turn_of[binding.call]
                apart += turn_of[index] != turn_of[binding.call]
    assert apart >= 5 * together


def test_few_things_are_asked_for_at_once(trajectories: list[Trajectory], environments: InProcess) -> None:
    sizes = [len(calls) for row in trajectories for calls in row.gold.turn_slices()]
    assert sum(size > 3 for size in sizes) <= 0.08 * len(sizes)
    homes = [
        len({tool_of(environments.specs, row.gold.calls[call].tool).environment for call in calls})
        for row in trajectories
        for calls in row.gold.turn_slices()
    ]
    assert sum(count > 1 for count in homes) <= 0.08 * len(homes)


def test_a_street_is_not_taken_from_a_result_without_its_city(
    trajectories: list[Trajectory], environments: InProcess
) -> None:
    addressed = 0
    for row in trajectories:
        for _, call, _ in calls_of(row, environments):
            bound = dict(bindings_of(call))
            if {"address", "city"} <= bound.keys():
                assert isinstance(bound["address"], FromUser) or isinstance(bound["city"], Out)
                addressed += 1
    assert addressed


def test_nobody_asks_for_the_details_of_what_an_answer_has_just_told_in_full(
    trajectories: list[Trajectory], environments: InProcess
) -> None:
    asked = 0
    for row in trajectories:
        made = list(calls_of(row, environments))
        for index, (tool, call, _) in enumerate(made):
            whole = next((shape for shape in tool.output_shapes if shape.record and not shape.path), None)
            if whole is None or tool.writes:
                continue
            for _, binding in bindings_of(call):
                if isinstance(binding, Out):
                    asked += 1
                    between = [b for _, other, _ in made[binding.call + 1 : index] for _, b in bindings_of(other)]
                    told = binding.path == "id" and whole in made[binding.call][0].output_shapes
                    assert not told or binding in between
    assert asked


def test_nobody_asks_about_what_they_have_just_made_or_what_an_answer_has_just_told(
    trajectories: list[Trajectory], environments: InProcess
) -> None:
    asked = 0
    for row in trajectories:
        told: list[frozenset[Fact]] = []
        made = set[str]()
        for (tool, _, arguments), output in zip(calls_of(row, environments), outputs_of(row), strict=True):
            if tool.writes and not any(leaf.ref and leaf.path in tool.required for leaf in tool.inputs):
                made |= {value for leaf in tool.outputs if leaf.path == "id" for value in values_at(output, "id")}
            elif not tool.writes:
                asked += 1
                assert has_news(tool, arguments, output, told, made), (tool.name, arguments, output)
            told.append(facts(tool, arguments, output))
    assert asked


def test_what_is_looked_for_by_several_marks_is_there(trajectories: list[Trajectory], environments: InProcess) -> None:
    searched = 0
    for row in trajectories:
        for (tool, _, arguments), output in zip(calls_of(row, environments), outputs_of(row), strict=True):
            lists = [leaf.path for leaf in tool.outputs if re.fullmatch(r"\w+\[\]\.id", leaf.path) and leaf.ref]
            about = any(leaf.ref and leaf.top in arguments for leaf in tool.inputs)
            if not tool.writes and len(arguments) > 1 and not about and lists:
                searched += 1
                assert all(list(values_at(output, path)) for path in lists), (tool.name, arguments)
    assert searched


def _names_of(row: dict[str, Any]) -> list[str]:
    """What a record is called, as far as that is text."""
    return [value for key, value in row.items() if key in ("name", "title", "partner") and isinstance(value, str)]


def test_of_several_that_an_answer_has_just_named_nobody_says_my_or_the(trajectories: list[Trajectory]) -> None:
    one_of = 0
    for row in trajectories:
        for change in row.changes:
            if change.kind != "ambiguity" or not change.turn:
                continue
            before = row.conversation.turns[change.turn - 1]
            words = str(change.detail["words"])
            fits = change.detail["records"]
            assert isinstance(fits, list)
            answer = before.steps[-1].text
            results = [orjson.loads(call.result) for step in before.steps for call in step.calls if call.ok]
            rows = [row for found in results for rows in found.values() if isinstance(rows, list) for row in rows]
            shown = {
                row["id"]
                for row in rows
                if isinstance(row, dict) and row.get("id") in fits and _names_of(row) and _names_of(row)[0] in answer
            }
            if words.startswith("one of"):
                assert re.search(r"one of (?:my|the) ", change.after)
                one_of += 1
            else:
                assert len(shown) < 2 or " more" in answer, (words, answer)
    assert one_of


def test_one_is_not_said_of_two_things_in_a_breath(messages: list[tuple[str, str]]) -> None:
    assert not any(re.search(r"\bone on the \w+ one\b", text) for _, text in messages)


def test_nobody_searches_by_name_for_what_they_name_in_the_same_request(
    trajectories: list[Trajectory], environments: InProcess
) -> None:
    requests = searched = 0
    for row in trajectories:
        for calls in row.gold.turn_slices():
            requests += 1
            named, taken = set[tuple[int, str]](), set[tuple[int, str]]()
            for index in calls:
                tool = tool_of(environments.specs, row.gold.calls[index].tool)
                for path, binding in bindings_of(row.gold.calls[index]):
                    if isinstance(binding, Out) and "[" in binding.path:
                        item = binding.call, binding.path.rpartition(".")[0]
                        leaf = tool.input_by_path[re.sub(r"\[\d+\]", "[]", path)]
                        if leaf.ref:
                            taken.add(item)
                        elif not tool.writes and not any(leaf.ref for leaf in tool.inputs):
                            named.add(item)
            searched += bool(named & taken)
    assert searched <= 0.01 * requests


def test_no_comma_is_left_over(messages: list[tuple[str, str]]) -> None:
    for _, text in messages:
        assert not re.search(r",[.,?!]|,$| ,", text), text


def test_nobody_makes_something_and_asks_to_see_it_in_one_breath(
    trajectories: list[Trajectory], environments: InProcess
) -> None:
    breaths = bad = 0
    for row in trajectories:
        for calls in row.gold.turn_slices():
            breaths += 1
            made = set[int]()
            for index in calls:
                tool = tool_of(environments.specs, row.gold.calls[index].tool)
                taken = {b.call for _, b in bindings_of(row.gold.calls[index]) if isinstance(b, Out)}
                bad += bool(taken & made) and tool.name.startswith("get_")
                if tool.name in MAKING:
                    made.add(index)
    assert bad <= 0.01 * breaths


def test_messages_begin_in_many_ways_and_their_sentences_all_alike(messages: list[tuple[str, str]]) -> None:
    for manner, text in messages:
        if manner != "casual":
            assert text[0].isupper()
            assert not re.search(r"[.!?] [a-z]", text), text
    beginnings = Counter(" ".join(text.split()[:3]) for _, text in messages)
    assert len(beginnings) >= 0.4 * len(messages)
