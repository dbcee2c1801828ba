"""Stage synthesize while the model of each role, and of all of them, misbehaves.

What the line does changes no conversation and is never counted against the model. What the model itself does wrong is
told to it, or bounded; a conversation that stood before is never lost.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.llm.server import (
    Body,
    Fault,
    breaks_off,
    completion,
    cuts_stream,
    digest,
    fails,
    hangs,
    replies,
    resets,
    says,
    stalls_stream,
    streams_calls_for_ever,
    well,
)
from tests.pipeline.roleplay import ROLES, WRONG, Actor, Made, calling, chains_of, serving, synthesize

CASTS: dict[str, tuple[str, ...]] = {
    **{role: (role,) for role in ROLES if role != "user"},
    # A user who is a model is only asked by an assistant who is one.
    "user": ("user", "assistant"),
    "assistant by schema": ("assistant",),
    "all": ROLES,
    "all by schema": ROLES,
}
EACH = [pytest.param(cast, marks=() if cast == "all" else pytest.mark.heavy) for cast in CASTS]
LINE: tuple[Fault, ...] = (
    fails(429, retry_after="0.02"), fails(500), breaks_off, resets, hangs, says(b'{"choices": [{"mess'),
    replies(content=""), replies(content="", reasoning_content="Let me see."), replies(model="another-model"),
    replies(choices=[]), says(b'{"error": {"code": 502, "message": "upstream"}}'),
)  # fmt: skip
STREAM: tuple[Fault, ...] = (
    cuts_stream(3, clean=False), cuts_stream(3, clean=True), stalls_stream(2), streams_calls_for_ever, fails(429),
    replies(content=""), replies(model="another-model"),
    says(b"data: {nonsense\n\n", kind={"content-type": "text/event-stream"}),
)  # fmt: skip
PATIENT = ("+generator.endpoint.retry.attempts=20", "generator.endpoint.timeout_s=1.5")
GARBAGE = (
    "Sure, I can do that for you.", '{"request": "He', "[1, 2]", '{"and": "now"}', '"{\\"done\\": true}"', "null", "{}",
)  # fmt: skip


def settings(cast: str) -> tuple[str, ...]:
    return ("generator.calling=schema",) if cast.endswith("by schema") else ()


class Stand:
    """Chains once for all tests, and what comes of them undisturbed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.by_rules = synthesize(self.new(), None, ())
        self.actor = Actor(chains_of(folder / "0"))
        self.undisturbed = cache(self._undisturbed)

    def new(self) -> Path:
        """Outputs in which graph and chains stand already."""
        outputs = self.folder / str(len(list(self.folder.iterdir())))
        outputs.mkdir()
        for stage in ("graph", "sample"):
            if (self.folder / "0" / "artifacts").exists():
                shutil.copytree(self.folder / "0" / "artifacts" / stage, outputs / "artifacts" / stage)
        return outputs

    def _undisturbed(self, cast: str) -> tuple[Made, Sequence[Body]]:
        with serving(self.actor) as server:
            made = synthesize(self.new(), server, CASTS[cast], *settings(cast))
            assert made.outcome.state == "done", made.said
            return made, tuple(server.requests)


@pytest.fixture(scope="module")
def stand(tmp_path_factory: pytest.TempPathFactory) -> Stand:
    return Stand(tmp_path_factory.mktemp("roles"))


@pytest.mark.parametrize("cast", EACH)
def test_a_model_that_answers_well_plays_its_roles(cast: str, stand: Stand) -> None:
    made, asked = stand.undisturbed(cast)
    assert {name.partition(":")[0] for name in made.answers} == set(CASTS[cast])
    for role in CASTS[cast]:
        assert made.answers["assistant:messages" if role == "assistant" else f"{role}:answered"] > 0
    # The rules' assistant has its flaws; this one has none.
    assert "assistant" not in CASTS[cast] or [row["pass_rate"] for row in made.rows] == [1.0, 1.0]
    prompts = [each["messages"][-1]["content"] for each in asked if "You play a person" in str(each["messages"][0])]
    assert bool(prompts) == ("user" in CASTS[cast])
    # Who plays the user is who was planned, by whomever.
    planned = {_introduced(row["persona"]) for row in made.rows}
    told = {line for text in prompts for line in text.splitlines() if line.startswith("You are ")}
    assert told >= planned if prompts else not told


@pytest.mark.parametrize("cast", EACH)
def test_faults_of_the_line_change_no_conversation_and_are_no_failure_of_the_model(cast: str, stand: Stand) -> None:
    calm, asked = stand.undisturbed(cast)
    with serving(stand.actor, *LINE) as server:
        made = synthesize(stand.new(), server, CASTS[cast], *settings(cast), *PATIENT)
        assert made.outcome.state == "done", made.said
        assert not server.script
        assert len(server.requests) >= len(asked) + len(LINE)
    assert made.trajectories == calm.trajectories
    assert made.answers == calm.answers


def test_streams_that_are_cut_or_stall_or_do_not_end_change_no_conversation(stand: Stand) -> None:
    calm, _ = stand.undisturbed("all")
    streaming = ("generator.endpoint.stream=true", "+generator.endpoint.idle_timeout_s=1.5", PATIENT[0])
    with serving(stand.actor, *STREAM) as server:
        made = synthesize(stand.new(), server, ROLES, *streaming)
        assert made.outcome.state == "done", made.said
        assert not server.script
    assert made.trajectories == calm.trajectories
    assert made.answers == calm.answers


@pytest.mark.parametrize(
    ("cast", "fault"),
    [pytest.param(*each.values, fault, marks=each.marks) for each, fault in zip(EACH, LINE, strict=False)],
)
def test_a_fault_that_stays_stops_the_stage_and_what_was_answered_is_not_asked_again(
    cast: str, fault: Fault, stand: Stand
) -> None:
    calm, asked = stand.undisturbed(cast)
    outputs = stand.new()
    half = len(asked) // 2
    impatient = ("+generator.endpoint.retry.attempts=2", "generator.endpoint.timeout_s=1.5")
    with serving(stand.actor, *[well] * half, *[fault] * 400) as server:
        made = synthesize(outputs, server, CASTS[cast], *settings(cast), *impatient)
        assert (made.outcome.state, made.outcome.exit_code) == ("failed", 1)
        assert "the same command goes on from here" in made.said
        assert len(server.script) > 300  # it was given up, not tried for ever
        answered = server.requests[:half]
    with serving(stand.actor) as server:
        made = synthesize(outputs, server, CASTS[cast], *settings(cast), *PATIENT)
        assert made.outcome.state == "done", made.said
        assert not [body for body in server.requests if body in answered]
    assert made.trajectories == calm.trajectories
    assert made.answers == calm.answers


class Garbling(Actor):
    """Answers each question first with something that is no answer, and as it should when it is told so."""

    def __call__(self, body: Body) -> Body | Fault:
        text = str(body["messages"][-1]["content"])
        by_schema = "response_format" in body and body["response_format"]["json_schema"]["name"] == "call"
        first = len(body["messages"]) == 2 if by_schema else not text.startswith(WRONG)
        if body.get("tools") or not first:
            return super().__call__(body)
        return completion(body, content=GARBAGE[int(digest(body), 16) % len(GARBAGE)])


@pytest.mark.parametrize("cast", [each for each in EACH if each.values != ("assistant",)])
def test_answers_that_are_none_are_told_to_the_model_and_asked_for_again(cast: str, stand: Stand) -> None:
    calm, asked = stand.undisturbed(cast)
    with serving(Garbling(stand.actor.chains)) as server:
        # One round more, for the garbage.
        made = synthesize(stand.new(), server, CASTS[cast], *settings(cast), "generator.rounds=4")
        assert made.outcome.state == "done", made.said
        assert len(server.requests) <= 3 * len(asked)
    for role in set(CASTS[cast]) - {"assistant"}:
        assert made.answers[f"{role}:repaired"] == made.answers[f"{role}:answered"]
        assert made.answers.get(f"{role}:unanswered") == calm.answers.get(f"{role}:unanswered")
    assert [(row["id"], row["pass_rate"]) for row in made.rows] == [(row["id"], row["pass_rate"]) for row in calm.rows]
    if "by schema" not in cast:  # there, what was no call took one of the turn's messages
        assert made.trajectories == calm.trajectories


@pytest.mark.heavy
@pytest.mark.parametrize("cast", ["planner", "writer", "refiner", "user", "judge"])
def test_a_role_whose_model_never_answers_as_asked_goes_by_rules(cast: str, stand: Stand) -> None:
    def reply(body: Body) -> Body | Fault:
        return stand.actor(body) if body.get("tools") else completion(body, content="I would rather not.")

    with serving(reply) as server:
        made = synthesize(stand.new(), server, CASTS[cast], "generator.rounds=2")
        assert made.outcome.state == "done", made.said
    assert made.answers[f"{cast}:by_rules"] == made.answers[f"{cast}:unanswered"] > 0
    assert f"{cast}:answered" not in made.answers
    assert len(made.rows) == 2
    if cast == "judge":
        assert made.trajectories == stand.by_rules.trajectories


class Calling(Actor):
    """Calls in a way of its own: `before` the calls of the chain, and with arguments `written` otherwise."""

    before: tuple[tuple[str, str], ...] = ()

    def written(self, arguments: str) -> str:
        return arguments

    def native(self, body: Body) -> Body:
        if self.before and not any(message["role"] == "assistant" for message in body["messages"]):
            return calling(body, {f"b{at}": call for at, call in enumerate(self.before)})
        odd = {f"b{at}" for at in range(len(self.before))}
        messages = [each for each in body["messages"] if not {call["id"] for call in each.get("tool_calls", ())} & odd]
        said = super().native({**body, "messages": messages})
        for call in said["choices"][0]["message"].get("tool_calls", ()):
            call["function"]["arguments"] = self.written(call["function"]["arguments"])
        return said


class Stringing(Calling):
    """Writes its arguments as a string that holds them."""

    def written(self, arguments: str) -> str:
        return orjson.dumps(arguments).decode()


class Erring(Calling):
    """Calls first what is no tool, and tools in no way that they can be called."""

    before = (
        ("fly_to_the_moon", "{}"),
        ("", "{}"),
        ("hotel_reservations-search_hotels", '{"city": "Lis'),
        ("hotel_reservations-search_hotels", "Lisbon"),
        ("hotel_reservations-search_hotels", "[]"),
        ("hotel_reservations-search_hotels", '{"town": 3}'),
    )


def test_arguments_as_strings_are_the_arguments_they_hold(stand: Stand) -> None:
    calm, _ = stand.undisturbed("assistant")
    with serving(Stringing(stand.actor.chains)) as server:
        made = synthesize(stand.new(), server, CASTS["assistant"])
    assert made.trajectories == calm.trajectories


def test_wrong_names_and_arguments_are_refused_in_band_and_not_learned_from(stand: Stand) -> None:
    calm, _ = stand.undisturbed("assistant")
    with serving(Erring(stand.actor.chains)) as server:
        made = synthesize(stand.new(), server, CASTS["assistant"])
        assert made.outcome.state == "done", made.said
    assert [(row["id"], row["pass_rate"]) for row in made.rows] == [(row["id"], 1.0) for row in calm.rows]
    for row in made.rows:
        chosen = row["candidates"][row["chosen"]]
        first = chosen["turns"][0]["steps"][0]
        assert [call["tool"] for call in first["calls"]] == [name for name, _ in Erring.before]
        assert not any(call["ok"] for call in first["calls"])
        assert first["label"] in ("hide", "remove")


class Endless(Actor):
    """Calls for ever in every other conversation, a hundred calls a message."""

    def native(self, body: Body) -> Body:
        if not _odd(body):
            return super().native(body)
        said = [message for message in body["messages"] if message["role"] == "assistant"]
        call = ("hotel_reservations-list_reservations", '{"status": "cancelled"}')
        return calling(body, {f"c{len(said)}-{at}": call for at in range(100)})


@pytest.mark.heavy
def test_calls_without_end_end_the_turn_and_lose_no_other_conversation(stand: Stand) -> None:
    with serving(Endless(stand.actor.chains)) as server:
        made = synthesize(stand.new(), server, CASTS["assistant"], "querygen.candidates=4")
        assert made.outcome.state == "done", made.said
    assert len(made.rows) == 2
    candidates = [candidate for row in made.rows for candidate in row["candidates"]]
    endless = [each for each in candidates if len(each["turns"][0]["steps"][0]["calls"]) > 1]
    assert endless
    for candidate in endless:
        assert not candidate["complete"]
        for turn in candidate["turns"]:
            assert [len(step["calls"]) for step in turn["steps"]] == [*[8] * 8, 0]
    for row in made.rows:
        assert row["candidates"][row["chosen"]] not in endless
        assert row["pass_rate"] == 1 - sum(each in endless for each in row["candidates"]) / 4


TOO_LONG = fails(400, {"code": "context_length_exceeded", "message": "maximum context length is 4096 tokens"})


class Overflowing(Endless):
    """Endless calls until the endpoint takes no more."""

    def __call__(self, body: Body) -> Body | Fault:
        return TOO_LONG if len(body["messages"]) > 20 and _odd(body) else super().__call__(body)


def test_a_conversation_that_runs_full_ends_there_and_loses_no_other(stand: Stand) -> None:
    with serving(Overflowing(stand.actor.chains)) as server:
        made = synthesize(stand.new(), server, CASTS["assistant"], "querygen.candidates=4")
        assert made.outcome.state == "done", made.said
    assert len(made.rows) == 2
    assert made.answers["assistant:too_long"] > 0
    assert min(row["pass_rate"] for row in made.rows) < 1
    for row in made.rows:
        assert row["candidates"][row["chosen"]]["complete"]


def test_chains_whose_first_request_the_model_cannot_read_are_dropped_and_counted(stand: Stand) -> None:
    with serving(lambda _: TOO_LONG) as server:
        made = synthesize(stand.new(), server, CASTS["assistant"])
    assert made.outcome.state == "failed"
    assert "no trajectory came: " in made.said
    assert "too_long_for_the_model" in made.said


@pytest.mark.heavy
@pytest.mark.parametrize("form", ["Grades", "UserAnswer"])
def test_what_is_too_long_to_be_judged_or_answered_is_left_to_rules(form: str, stand: Stand) -> None:
    def reply(body: Body) -> Body | Fault:
        asked = body.get("response_format", {"json_schema": {"name": ""}})["json_schema"]["name"]
        return TOO_LONG if asked == form else stand.actor(body)

    role = {"Grades": "judge", "UserAnswer": "user"}[form]
    with serving(reply) as server:
        made = synthesize(stand.new(), server, CASTS[role])
        assert made.outcome.state == "done", made.said
    assert made.answers[f"{role}:by_rules"] > 0
    assert "rejects" not in made.metrics or "too_long_for_the_model" not in made.metrics["rejects"]
    if role == "judge":
        assert made.trajectories == stand.by_rules.trajectories


def _odd(body: Body) -> bool:
    """Whether a conversation is one of those in which the assistant does not come to an end."""
    said = [message for message in body["messages"] if message["role"] == "assistant"]
    return len(said[0].get("tool_calls", ())) > 1 if said else body["seed"] % 2 == 0


def _introduced(persona: Mapping[str, Any]) -> str:
    """How the model that plays the user is told who it is."""
    about = f": {persona['about'].rstrip('.')}" if persona["about"] else ""
    why = f" Why you ask: {persona['situation']}" if persona["situation"] else ""
    return f"You are {persona['name']}{about}. You write in a {persona['manner']} manner.{why}"
