"""Stage `evaluate`: the held-out turns, played by each model, to `results.jsonl` (see `envfactory.evaluation`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pydantic import JsonValue

from envfactory.config import Config
from envfactory.files import JsonlWriter
from envfactory.pipeline.programs import needs_server
from envfactory.pipeline.stage import Stage, StageContext, StageError, told_by_stage

if TYPE_CHECKING:
    from envfactory.dataset import RLRow
    from envfactory.evaluation.heldout import PlayedTurn
    from envfactory.training.task import Tasks


def run(context: StageContext) -> Mapping[str, JsonValue]:
    """Serve one model after the other, and let each play the same turns."""
    from contextlib import ExitStack
    from itertools import islice

    from envfactory.dataset import read_rl_rows
    from envfactory.environment.worker import Worker
    from envfactory.evaluation.heldout import summary
    from envfactory.training.places import TrainingError
    from envfactory.training.task import Tasks, open_backend

    config = context.config
    rows = list(islice(read_rl_rows(context.inputs["export"] / "rl_val.parquet"), config.evaluation.turns))
    if not rows:
        raise StageError("there are no held-out turns; raise scale.rl or scale.validation")
    found: dict[str, JsonValue] = {}
    names = tuple(sorted({name for row in rows for name in row.reference.environments}))
    # Turns are made ready once, for all models.
    tasks = Tasks(open_backend(names, config.rl.backend, config.rl.episode.call_timeout_s))
    with ExitStack() as held:
        if isinstance(tasks.backend, Worker):
            held.enter_context(tasks.backend)
        writer = held.enter_context(JsonlWriter(context.output / "results.jsonl"))
        for model in config.evaluation.models:
            with told_by_stage(TrainingError, of=f"model {model}: "):
                turns = _played(context, model, rows, tasks)
            for turn in turns:
                writer.write(turn.model_dump(mode="json"))
            failures = [turn.failure for turn in turns if turn.failure]
            if len(failures) == len(turns):
                raise StageError(f"model {model}: every turn failed, the first by {failures[0]}")
            for failure in failures:
                context.log.warning("model %s: a turn failed: %s", model, failure)
            found[model] = {**summary(turns)}
            context.ledger.count(turns=len(turns), calls=sum(len(turn.calls) for turn in turns))
    return found


def _played(context: StageContext, model: str, rows: list[RLRow], tasks: Tasks) -> list[PlayedTurn]:
    from contextlib import closing

    from envfactory.evaluation.heldout import TurnLimits, play, play_all
    from envfactory.evaluation.kept import KeptTurns
    from envfactory.reward import RewardSettings
    from envfactory.serving.chat import Chat, ServedTokenizer
    from envfactory.serving.models import ready_model
    from envfactory.serving.vllm import serve_recipe, served
    from envfactory.training.episode import EpisodeLimits
    from envfactory.training.places import VLLM_SEEDS, find_interpreter

    config = context.config
    settings, rl = config.evaluation, config.rl
    limits = TurnLimits(EpisodeLimits.of(rl), rl.prompt_tokens, rl.response_tokens, rl.thinking)
    recipe = serve_recipe(
        config, ready_model(config, model, context.inputs), parsed=False, context=conversation_tokens(config)
    )
    interpreter = find_interpreter(config.training.python, recipe.hardware)
    work = context.partial.resolve() / model
    work.mkdir(parents=True, exist_ok=True)
    reward = RewardSettings(**config.reward.model_dump())
    timeout_s = settings.answer_timeout_s
    # The server ends first, and with it what is asked of it: a turn that is then still under way can keep nothing.
    with KeptTurns(work / "turns.jsonl") as kept:
        left = [row for row in rows if row.id not in kept.turns]
        found = dict(kept.turns)
        if left:
            with served(recipe, interpreter, work) as endpoint:
                chat = Chat(
                    endpoint, temperature=settings.temperature, seed=context.seed % VLLM_SEEDS, timeout_s=timeout_s
                )
                tokenizer = ServedTokenizer(endpoint, timeout_s)

                def played(row: RLRow) -> PlayedTurn:
                    turn = play(row, model, chat, tasks, limits, reward, tokenizer)
                    kept.add(turn)
                    return turn

                with closing(play_all(left, played, concurrency=settings.concurrency)) as turns:
                    for turn in context.progress.track(turns, len(left), f"turns of {model}"):
                        found[turn.id] = turn
    return [found[row.id] for row in rows]


def conversation_tokens(config: Config) -> int:
    """Tokens that a turn may come to: as many as in a rollout.

    Raises:
        TrainingError: the server is to read less.
    """
    from envfactory.training.places import TrainingError

    needed = config.rl.prompt_tokens + config.rl.response_tokens
    given = config.vllm.context or needed
    if given < needed:
        raise TrainingError(
            f"vllm.context={given}: expected at least rl.prompt_tokens + rl.response_tokens = {needed}; raise it, or "
            "leave it null"
        )
    return given


def inputs(config: Config) -> tuple[str, ...]:
    """The stages that give the turns and the models."""
    return "export", *(model for model in ("sft", "rl") if model in config.evaluation.models)


def plan(config: Config) -> str:
    """Say what would be started."""
    from envfactory.serving.models import expected_model
    from envfactory.serving.vllm import plan as plan_serving
    from envfactory.training.places import TrainingError

    with told_by_stage(TrainingError):
        served = {model: expected_model(config, model) for model in config.evaluation.models}
        return f"stage evaluate\n\n{plan_serving(config, served, parsed=False, context=conversation_tokens(config))}\n"


STAGE = Stage(
    name="evaluate",
    version=4,
    reads=(
        "evaluation", "reward", "backbone", "training.preserve_thinking", "seed",
        "rl.thinking", "rl.prompt_tokens", "rl.response_tokens", "rl.episode",
        "rl.simulate_user",
    ),
    takes=inputs,
    modules=(
        "envfactory.evaluation", "envfactory.serving", "envfactory.training", "envfactory.reward",
        "envfactory.querygen.knowledge", "envfactory.querygen.moods", "envfactory.querygen.telling",
    ),
    run=run,
    plan=plan,
    needs=needs_server,
)  # fmt: skip
