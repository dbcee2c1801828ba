from __future__ import annotations

from typing import Any

import orjson
import pytest

from envfactory.environment import InProcess, Reference, Session
from envfactory.querygen.model import AssistantLimits, ModelAssistant
from envfactory.querygen.model.assistant import REPLY, call_schema, signature
from tests.answering import calls, voice

SEARCH = "hotel_reservations-search_hotels"
ARGUMENTS = {"city": "Rome"}


@pytest.fixture
def session(hotels: InProcess):
    with Session(hotels, Reference(environments={"hotel_reservations": ""}, seed=1)) as session:
        yield session


def by_schema(name: str, **arguments: Any) -> dict[str, Any]:
    return {"tool": name, "arguments": arguments}


def test_calls_by_schema_are_carried_out_and_shown_until_the_reply(session: Session):
    with voice(by_schema(SEARCH, **ARGUMENTS), by_schema(REPLY, message="Here they are.")) as (model, endpoint):
        steps = ModelAssistant(model, "schema").conversation(session, "You help.").turn("Hotels in Rome?", 1)
    assert [(call.tool, call.ok) for step in steps for call in step.calls] == [(SEARCH, True)]
    assert steps[-1].text == "Here they are."
    assert steps[0].calls[0].result in endpoint.prompt(1)
    assert endpoint.asked[0]["response_format"]["json_schema"]["schema"] == call_schema(list(session.tools()))


def test_native_calls_are_carried_out_and_answered_by_their_ids(session: Session):
    said = calls((SEARCH, ARGUMENTS), (SEARCH, {"city": "Oslo"}), text="One moment.")
    with voice(said, "Done.") as (model, endpoint):
        steps = ModelAssistant(model, "native").conversation(session, "You help.").turn("Hotels?", 1)
    assert [len(step.calls) for step in steps] == [2, 0]
    assert steps[0].text == "One moment."
    sent = endpoint.asked[1]["messages"]
    assert [message.get("tool_call_id") for message in sent if message["role"] == "tool"] == ["c0", "c1"]
    schemas = [tool.function_schema() for tool in session.tools()]
    assert endpoint.asked[0]["tools"] == schemas


@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        ("hotel_reservations-fly", {}, "unknown_tool"),
        (SEARCH, "{not json", "invalid_argument"),
        (SEARCH, {"town": "Rome"}, "invalid_argument"),
    ],
)
def test_what_cannot_be_called_is_answered_in_band(session: Session, name: str, arguments: Any, code: str):
    before = session.digest()
    with voice(calls((name, arguments)), "Sorry.") as (model, _):
        steps = ModelAssistant(model, "native").conversation(session, "You help.").turn("Hotels?", 1)
    (call,) = steps[0].calls
    assert not call.ok
    assert orjson.loads(call.result)["error"]["code"] == code
    assert session.digest() == before


def test_arguments_written_as_a_string_are_read(session: Session):
    with voice(calls((SEARCH, orjson.dumps('{"city": "Rome"}').decode())), "Done.") as (model, _):
        steps = ModelAssistant(model, "native").conversation(session, "You help.").turn("Hotels?", 1)
    assert steps[0].calls[0].ok
    assert steps[0].calls[0].arguments == ARGUMENTS


def test_endless_calls_come_to_an_end(session: Session):
    limits = AssistantLimits(messages=3, calls=2)
    with voice(*[calls(*[(SEARCH, ARGUMENTS)] * 9)] * 5) as (model, endpoint):
        steps = ModelAssistant(model, "native", limits).conversation(session, "You help.").turn("Hotels?", 1)
    assert [len(step.calls) for step in steps] == [2, 2, 2]
    assert len(endpoint.asked) == 3


def test_a_message_that_is_no_call_is_told_and_does_not_count_as_a_step(session: Session):
    with voice("Sure!", by_schema(REPLY, message="Done.")) as (model, endpoint):
        steps = ModelAssistant(model, "schema").conversation(session, "You help.").turn("Hotels?", 1)
    assert [step.text for step in steps] == ["Done."]
    assert "That was no call." in endpoint.prompt(1)


def test_a_second_turn_goes_on_where_the_first_ended(session: Session):
    with voice("One.", "Two.") as (model, endpoint):
        conversation = ModelAssistant(model, "native").conversation(session, "You help.")
        conversation.turn("First?", 1)
        conversation.turn("Second?", 2)
    assert [m["content"] for m in endpoint.asked[1]["messages"]] == ["You help.", "First?", "One.", "Second?"]


def test_long_results_are_cut_for_the_model_and_kept_whole(session: Session):
    with voice(calls((SEARCH, ARGUMENTS)), "Done.") as (model, endpoint):
        player = ModelAssistant(model, "native", AssistantLimits(result=20))
        steps = player.conversation(session, "You help.").turn("Hotels?", 1)
    result = steps[0].calls[0].result
    assert len(result) > 20
    assert result not in endpoint.prompt(1)
    assert f"{result[:20]}... ({len(result) - 20} more characters)" in endpoint.prompt(1)


def test_a_signature_says_what_may_stand_where(hotels: InProcess):
    line = signature(hotels.specs["hotel_reservations"].tool_by_name["book_room"])
    assert line == (
        "hotel_reservations-book_room(hotel_id, room_kind: single|double|twin|family, check_in: date, check_out: date, "
        "guests?: integer, request?): Book a room for the signed-in guest."
    )
