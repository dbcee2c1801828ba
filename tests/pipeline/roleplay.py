"""A model that plays every role well, and stage synthesize with it, in this process.

What it says depends on what it is shown alone: as the assistant it makes the calls of the chain whose person it
serves, one a message, told by how many of them the conversation holds. So whatever happens on the way to it, the same
conversations come of it.
"""

from __future__ import annotations

import asyncio
import io
import re
import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import orjson
from rich.console import Console

from envfactory.catalogue import backend, digests
from envfactory.config.commandline import read_command
from envfactory.environment import Session, World
from envfactory.files import read_json, read_jsonl
from envfactory.gold import Gold, replay
from envfactory.pipeline import Outcome, Runner
from envfactory.pipeline.display import Display
from envfactory.querygen.assistant import system_prompt
from envfactory.querygen.model.assistant import REPLY
from tests.llm.server import Body, Fault, FaultServer, completion

ROLES = ("planner", "writer", "refiner", "user", "assistant", "judge")
SMALL = (
    "+experiment=smoke", "domain=hotels", "refinement=wording", "scale.trajectories=2", "scale.sft=1", "scale.rl=1",
    "querygen.candidates=2", "querygen.mask_variations=0", "stages=[synthesize]", "seed=4", "logger.progress=off",
)  # fmt: skip

WRONG = "That answer cannot be used:"
"""How a model is told that its answer is not as it was asked for."""

Call = tuple[str, dict[str, Any]]


class Actor:
    """The model; `chains` are the calls of each person's chain, by what the assistant is told first."""

    def __init__(self, chains: Mapping[str, Sequence[Call]]) -> None:
        self.chains = chains

    def __call__(self, body: Body) -> Body | Fault:
        """What it says to a request."""
        form = body.get("response_format")
        name = form["json_schema"]["name"] if form else ""
        if body.get("tools"):
            return self.native(body)
        if name == "call":
            return completion(body, content=orjson.dumps(self.by_schema(body)).decode())
        return completion(body, content=orjson.dumps(self.answer(name, body)).decode())

    def answer(self, form: str, body: Body) -> Body:
        """An answer of one of the forms of the other roles."""
        said = [message["content"] for message in body["messages"] if message["role"] == "user"]
        text = [each for each in said if not each.startswith(WRONG)][-1]
        match form:
            case "PlanAnswer":
                (steps,) = re.findall(r"The steps, (\d+) in all", text)
                (name,) = re.findall(r"The person: (.*), a customer", text)
                begins = {*range(1, int(steps) + 1, 2)}
                for told in re.findall(r"step (\d+) changes again", said[-1]):
                    begins = begins - {int(told) - 1, int(told) + 1} | {1, int(told)}
                return {
                    "about": f"{name} is a nurse.",
                    "situation": "A free week.",
                    "manner": "polite",
                    "begins": sorted(begins),
                }
            case "RequestAnswer":
                return {"goals": ["what the draft says"], "request": f"{_draft(text)} That is all for now."}
            case "RefinedAnswer":
                return {"request": f"{_draft(text)} That would be good."}
            case "UserAnswer":
                heard = text.rpartition("Assistant: ")[2]
                return {"message": "Yes, please." if "?" in heard else "Fine.", "done": "?" not in heard}
            case "Grades":
                return {"natural": 4, "helpful": 5 if "?" in text else 4, "reason": "It reads well."}
            case _:
                raise AssertionError(form)

    def native(self, body: Body) -> Body:
        """The next call of the chain; an answer when all are made."""
        made = [call for message in body["messages"] for call in message.get("tool_calls", ())]
        wanted = self.next_call(body["messages"][0]["content"], len(made))
        if wanted is None:
            return completion(body, content=self.closing(body))
        name, arguments = wanted
        return calling(body, {f"c{len(made)}": (name, orjson.dumps(arguments).decode())})

    def by_schema(self, body: Body) -> Body:
        """The same for a model whose calls are JSON."""
        said = [str(each["content"]) for each in body["messages"] if each["role"] == "assistant"]
        made = [text for text in said if text.startswith('{"tool":') and REPLY not in text]
        instructions = body["messages"][0]["content"].partition("\n\nAnswer every message")[0]
        wanted = self.next_call(instructions, len(made))
        if wanted is None:
            return {"tool": REPLY, "arguments": {"message": self.closing(body)}}
        return {"tool": wanted[0], "arguments": wanted[1]}

    def next_call(self, instructions: str, made: int) -> Call | None:
        """The call after so many."""
        calls = self.chains[instructions]
        return calls[made] if made < len(calls) else None

    def closing(self, body: Body) -> str:
        """What the assistant says at the end of a turn: it asks once, so that the user has to answer."""
        asked = any("?" in str(each["content"]) for each in body["messages"] if each["role"] == "assistant")
        return "It is all done." if asked else "It is all done. Is there anything else?"


def calling(body: Body, calls: Mapping[str, tuple[str, str]]) -> Body:
    """A message that makes calls, by their ids: tools and arguments as text."""
    made = [
        {"id": each, "type": "function", "function": {"name": name, "arguments": arguments}}
        for each, (name, arguments) in calls.items()
    ]
    return completion(body, content="", tool_calls=made, finish_reason="tool_calls")


def _draft(text: str) -> str:
    return text.rpartition("Draft: ")[2]


@contextmanager
def serving(reply: Callable[[Body], Body | Fault], *script: Fault) -> Generator[FaultServer]:
    """A server in a thread of its own; see `FaultServer`."""
    loop = asyncio.new_event_loop()
    server = FaultServer(script, reply=reply)
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    asyncio.run_coroutine_threadsafe(server.__aenter__(), loop).result(10)
    try:
        yield server
    finally:
        asyncio.run_coroutine_threadsafe(server.__aexit__(None, None, None), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()


class Made(NamedTuple):
    """What came of a run of the stage."""

    outcome: Outcome
    said: str
    folder: Path

    @property
    def trajectories(self) -> bytes:
        """The file."""
        return (self.folder / "trajectories.jsonl").read_bytes()

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The conversations."""
        return list(read_jsonl(self.folder / "trajectories.jsonl"))

    @property
    def metrics(self) -> dict[str, Any]:
        """Of the stage."""
        return read_json(self.folder / "manifest.json")["metrics"]

    @property
    def answers(self) -> dict[str, int]:
        """How often each role of the model answered as asked, and how often not."""
        return self.metrics["model"]["answers"]


def asking(server: FaultServer) -> tuple[str, ...]:
    """What makes a model at a server the generator."""
    return (
        "generator=openai", "generator.endpoint.model=scripted", f"generator.endpoint.base_url={server.url}",
        "generator.endpoint.api_key_env=null", "+generator.endpoint.retry.first_wait_s=0.01",
    )  # fmt: skip


def run(command: Sequence[str]) -> tuple[Outcome, str]:
    """Run a command in this process, and what it says."""
    heard = io.StringIO()
    display = Display("plain", Console(file=heard, width=500))
    outcome = Runner(read_command(command).cells[0].config, "smoke", environments=digests, display=display).run()
    return outcome, heard.getvalue()


def synthesize(outputs: Path, server: FaultServer | None, roles: Sequence[str], *arguments: str) -> Made:
    """Run the stage with a model in some roles; without a server, by rules."""
    command = [*SMALL, f"paths.outputs={outputs}"]
    if server is not None:
        command += [
            *asking(server), "generator.added_records=0", "generator.endpoint.timeout_s=2",
            *(f"generator.roles.{role}={'model' if role in roles else 'rules'}" for role in ROLES),
        ]  # fmt: skip
    outcome, said = run([*command, *arguments])
    (folder, *_) = [*(outputs / "artifacts" / "synthesize").glob("[0-9a-f]*"), outputs]
    return Made(outcome, said, folder)


def chains_of(outputs: Path) -> dict[str, list[Call]]:
    """The calls of all chains that stage sample left, as they are executed, by what the assistant is told first."""
    (path,) = (outputs / "artifacts" / "sample").glob("[0-9a-f]*/chains.jsonl")
    found: dict[str, list[Call]] = {}
    for row in read_jsonl(path):
        gold = Gold.model_validate(row["gold"])
        world = backend(list(gold.reference.environments))
        with Session(world, gold.reference) as session:
            calls = replay(gold, session).calls
            name = World(gold.reference.seed, gold.reference.now, "persona").user.name
            told = system_prompt(session.specs.values(), name, gold.reference.now)
        assert told not in found, f"two chains of {name}: choose another seed"
        found[told] = [(calls[index].tool, calls[index].arguments) for index in range(len(gold.calls))]
    return found
