"""The agent loop that verl plays our rows with: `envfactory.training.rollout` behind verl's interface.

verl makes a loop for every rollout; what is made once a process (environments, threads, tasks) is kept beside it.
A rollout that infrastructure broke keeps its row, with an empty mask and a reward of 0, so that the estimator can leave
it out; in validation, where means are taken over everything, it has no row.
"""

import logging
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from uuid import uuid4

import orjson
from ray.exceptions import RayError
from verl.experimental.agent_loop.agent_loop import AgentLoopBase, AgentLoopMetrics, AgentLoopOutput

from envfactory.dataset.rl import NESTED, RLRow
from envfactory.reward import RewardSettings
from envfactory.training.episode import EpisodeLimits
from envfactory.training.rollout import Generated, GenerationFailed, Player, Rollout
from envfactory.training.task import Tasks, open_backend

log = logging.getLogger(__name__)

THREADS = 16
"""Environments take turns at the interpreter, or at a worker's pipe; more threads would only wait."""


@cache
def _threads():
    return ThreadPoolExecutor(THREADS, thread_name_prefix="envfactory")


@cache
def _tasks(environments, backend, call_timeout_s):
    return Tasks(open_backend(environments, backend, call_timeout_s))


class AgentLoop(AgentLoopBase):
    """Plays one row; every member of `settings` comes from `agent_loop.yaml`, see `envfactory.training.grpo`."""

    def __init__(self, *args, settings, **kwargs):
        super().__init__(*args, **kwargs)
        self.player = Player(
            _tasks(tuple(settings["environments"]), settings["backend"], settings["call_timeout_s"]),
            _threads(),
            self.tokenizer,
            thinking=settings["thinking"],
            max_response_tokens=self.rollout_config.response_length,
            limits=EpisodeLimits(**settings["limits"]),
            settings=RewardSettings(**settings["reward"]),
        )

    async def run(self, sampling_params, **columns):
        """Play a row: verl gives its columns, and beside them `global_steps` and `session_id`."""
        asked = uuid4().hex
        metrics = AgentLoopMetrics()
        versions = [columns["global_steps"]]
        told = {}

        async def generate(ids, room):
            try:
                output = await self.server_manager.generate(
                    request_id=asked, prompt_ids=ids, sampling_params={**sampling_params, "max_tokens": room}
                )
            except RayError as error:
                raise GenerationFailed(str(error)) from error
            told.update(output.extra_fields)
            versions.append(output.extra_fields.get("global_steps"))
            return Generated(output.token_ids, output.log_probs or None)

        row = row_of(columns)
        rollout = await self.play(row, generate, columns)
        if rollout.failure:
            log.warning("rollout of %s failed: %s", row.id, rollout.failure)
            if row.extra_info.split == "validation":
                return []
        versions = [version for version in versions[1:] if version is not None] or versions[:1]
        return AgentLoopOutput(
            prompt_ids=rollout.prompt,
            response_ids=rollout.response,
            response_mask=rollout.mask,
            response_logprobs=rollout.log_probs,
            reward_score=rollout.reward,
            num_turns=2 * rollout.messages,
            metrics=metrics,
            extra_fields={
                **told,
                "min_global_steps": min(versions),
                "max_global_steps": max(versions),
                "failure": rollout.failure,
                "reward_extra_info": rollout.metrics,
            },
        )

    async def play(self, row, generate, columns) -> Rollout:
        """Play a row; apart, so that tests may break it."""
        return await self.player.play(row, generate)


def row_of(columns):
    """The row that verl was given, from its columns."""
    found = {name: columns[name] for name in RLRow.model_fields if name in columns}
    # The name of the loop was taken to choose it; messages reach it as they are in the file.
    found.pop("agent_name", None)
    return RLRow.model_validate_json(
        orjson.dumps({name: orjson.loads(value) if name in NESTED else value for name, value in found.items()})
    )
