"""An agent loop whose model and infrastructure do as a test says; run inside verl, in the training interpreter.

The first message of every rollout is gold's first call, so that a tool is executed whatever the model knows; rewards
are the number of the rollout in its group, so that they differ; and of each group the last rollout fails.
"""

import json
from dataclasses import replace
from functools import cache

from envfactory.environment import EnvironmentFailure
from envfactory.training.inside.agent_loop import AgentLoop, _threads
from envfactory.training.rollout import Generated, Player
from envfactory.training.task import Tasks


class Injected(AgentLoop):
    """See above."""

    async def play(self, row, generate, columns):
        number = columns["session_id"]
        last = number == self.rollout_config.n - 1
        said = []

        async def scripted(ids, room):
            if said:
                return await generate(ids, room)
            call = self.player._tasks.of(row).gold_calls[0]
            words = json.dumps({"name": call.tool, "arguments": call.arguments})
            said.append(f"<tool_call>\n{words}\n</tool_call><|im_end|>")
            tokens = self.tokenizer.encode(said[0], add_special_tokens=False)
            return Generated(tokens, [-1.0] * len(tokens))

        player = _broken(self.player) if last else self.player
        rollout = await player.play(row, scripted)
        return rollout if last else replace(rollout, reward=float(number))


class Breaking:
    """A backend of which every process crashes at the first call."""

    def __init__(self, inner):
        self.inner = inner
        self.specs = inner.specs

    def open(self, environment, start):
        return _Instance(self.inner.open(environment, start))


class _Instance:
    def __init__(self, inner):
        self.inner = inner

    def call(self, tool, arguments):
        raise EnvironmentFailure("crash", "injected")

    def __getattr__(self, name):
        return getattr(self.inner, name)


@cache
def _broken(player):
    # Tasks are made where nothing breaks; what breaks is the rollout.
    tasks = Tasks(Breaking(player._tasks.backend))
    tasks.of = player._tasks.of
    return Player(
        tasks, _threads(), player._tokenizer,
        thinking=player._thinking, max_response_tokens=player._most, limits=player._limits, settings=player._settings,
    )  # fmt: skip
