"""The typed configuration: one frozen model a group, and the root that holds them.

The composed YAML is validated against `Config` before anything runs. A key that is not part of a result's *identity*
(where files go, how much is logged) is marked so; it enters neither a cell's id nor a stage's key.
"""

# Annotations are read at run time by Pydantic, so they are not postponed here.
from collections.abc import Iterator
from typing import Annotated, Any, Final, Literal, Self, TypeVar, cast, get_args

from pydantic import BaseModel, ConfigDict, Field, JsonValue, model_validator
from pydantic_core import PydanticCustomError

from envfactory.config.generator import GeneratorConfig
from envfactory.config.places import catalogue_names
from envfactory.config.problems import Problem, nearest, shown

__all__ = [
    "STAGE_NAMES",
    "BackboneConfig",
    "CheckConfig",
    "Config",
    "DatasetConfig",
    "DomainConfig",
    "EpisodeConfig",
    "FullSftConfig",
    "GraphConfig",
    "GrpoRlConfig",
    "HeldoutEvaluationConfig",
    "HubBackboneConfig",
    "ImperfectionsConfig",
    "LayoutConfig",
    "LexicalEmbedderConfig",
    "LoggerConfig",
    "LoraSftConfig",
    "McpServingConfig",
    "ModelName",
    "PathsConfig",
    "QuerygenConfig",
    "RandomWalkSamplerConfig",
    "RefinementConfig",
    "RewardConfig",
    "SamplerConfig",
    "ScaleConfig",
    "ServingConfig",
    "SftConfig",
    "StageName",
    "StrengthConfig",
    "TinyBackboneConfig",
    "TopologySamplerConfig",
    "TrainingConfig",
    "VllmConfig",
    "VllmServingConfig",
]

StageName = Literal[
    "graph", "sample", "synthesize", "score", "export", "sft", "rl", "evaluate", "report", "check", "serve"
]  # fmt: skip
STAGE_NAMES: Final[tuple[StageName, ...]] = get_args(StageName)
"""Every stage, in the order in which they run."""

NOT_IDENTITY: Final[dict[str, JsonValue]] = {"identity": False}

RESERVED: Final = ("artifacts", "latest")
"""What lies beside the folders of runs."""

RULE: Final = "rule"
"""The kind of Pydantic's error where a rule of a group is broken."""

M = TypeVar("M", bound=BaseModel)

Probability = Annotated[float, Field(ge=0, le=1)]
# Below 2**63: a digest is taken of JSON, whose integers have 64 bits.
Count = Annotated[int, Field(ge=1, lt=2**63)]
Natural = Annotated[int, Field(ge=0, lt=2**63)]


class Group(BaseModel):
    """A group of keys; `rules` says what must hold between values that are each right by themselves."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    def rules(self) -> Iterator[Problem]:
        """Yield every rule that the values break; keys are relative to the group."""
        yield from ()

    @model_validator(mode="after")
    def _keeps_its_rules(self) -> Self:
        for problem in self.rules():
            raise PydanticCustomError(RULE, "{problem}", {"problem": str(problem)})
        return self


class DomainConfig(Group):
    """Which environments take part."""

    name: str = Field(description="domain of the catalogue, or `all`")
    environments: Literal["all"] | Annotated[tuple[str, ...], Field(min_length=1)] = Field(
        description="`all` of the domain, or a list of names"
    )

    def rules(self) -> Iterator[Problem]:
        """Domain and environments exist."""
        known = catalogue_names()
        if self.name != "all" and self.name not in known:
            domains = ["all", *known]
            wanted = f"no such domain; expected one of {', '.join(domains)}"
            yield Problem("name", self.name, wanted, nearest(self.name, domains))
            return
        offered = self._offered(known)
        for name in () if self.environments == "all" else self.environments:
            if name not in offered:
                wanted = f"no such environment in this domain; expected one of {', '.join(offered)}"
                yield Problem("environments", name, wanted, nearest(name, offered))

    def names(self) -> tuple[str, ...]:
        """Return the names of the environments chosen, sorted, each once."""
        chosen = self._offered(catalogue_names()) if self.environments == "all" else self.environments
        return tuple(sorted(set(chosen)))

    def _offered(self, known: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
        return tuple(name for domain, names in known.items() if self.name in ("all", domain) for name in names)


class LexicalEmbedderConfig(Group):
    """Embeds text by its characters."""

    kind: Literal["lexical"] = Field(description="character n-gram TF-IDF (scikit-learn)")
    ngrams: tuple[Count, Count] = Field(description="shortest and longest n-gram, in characters")
    threshold: Probability = Field(description="cosine above which an edge is proposed")

    def rules(self) -> Iterator[Problem]:
        """The range of n-grams is one."""
        if self.ngrams[0] > self.ngrams[1]:
            yield Problem("ngrams", shown(self.ngrams), "expected the first no greater than the second")


class GraphConfig(Group):
    """How the tool graph is built (arXiv 2605.18703, section 3.2)."""

    threshold: Probability | None = Field(
        description="cosine above which an edge is proposed; null: the embedder's own"
    )
    propose_top: Count = Field(description="at most this many producers are proposed for an input")
    prove: bool = Field(
        description="prove edges by execution: produce the value in a scenario, feed it to the consumer"
    )
    scenario_size: Count = Field(description="size of the scenarios in which edges are proved")


class _Chains(Group):
    min_tools: Count = Field(description="shorter chains are dropped")
    max_tools: Count = Field(description="a chain ends here")
    max_environments: Count = Field(description="a chain stays within this many environments")
    max_attempts_per_chain: Count = Field(description="tries for one chain before the sampler gives up and says so")

    def rules(self) -> Iterator[Problem]:
        """A chain may be as long as it must be."""
        if self.min_tools > self.max_tools:
            yield Problem("min_tools", shown(self.min_tools), f"expected at most max_tools = {self.max_tools}")


class TopologySamplerConfig(_Chains):
    """Samples chains in which every required input is satisfied (arXiv 2605.18703, section 3.2)."""

    kind: Literal["topology"] = Field(description="topology-aware sampling")
    d_max: Natural = Field(description="how deep an unmet input may be traced back to a producer")
    p: Probability = Field(description="chance of adding a prior tool although the input is already valid")
    k: Count = Field(description="at most this many out-neighbours a forward step")


class RandomWalkSamplerConfig(_Chains):
    """Walks along edges at random: the baseline."""

    kind: Literal["random_walk"] = Field(description="random walk")


SamplerConfig = Annotated[TopologySamplerConfig | RandomWalkSamplerConfig, Field(discriminator="kind")]


class ScaleConfig(Group):
    """How much is made."""

    trajectories: Count = Field(description="trajectories to make")
    sft: Natural = Field(description="of these, for supervised fine-tuning")
    rl: Natural = Field(description="of these, for reinforcement learning")
    validation: Annotated[float, Field(ge=0, le=0.5)] = Field(description="share of each set held out, by whole groups")
    scenario_size: Count = Field(description="size of the scenario that a trajectory plays in")
    max_turns: Count = Field(description="a trajectory has at most this many turns")

    def rules(self) -> Iterator[Problem]:
        """The sets fit into what is made."""
        if (needed := self.sft + self.rl) > self.trajectories:
            wanted = f"expected at least sft + rl = {needed}; lower scale.sft and scale.rl, or raise scale.trajectories"
            yield Problem("trajectories", shown(self.trajectories), wanted)


class ImperfectionsConfig(Group):
    """What the assistant by rules does beside what is needed, and what it does wrong."""

    redundant_read: Probability = Field(description="before a call, a look-up that nothing uses")
    failed_call: Probability = Field(description="before a call, the same call refused for a wrong argument")
    recovery_read: Probability = Field(description="after such a refusal, a look-up before the call is made again")
    dead_end: Probability = Field(description="before a call, a refused call of a tool that is not tried again")
    wrong_argument: Probability = Field(description="a call is made with another valid value in one argument")
    omitted_call: Probability = Field(description="a call is left out")
    detour: Probability = Field(description="in a conversation, two calls that undo each other")
    question: Probability = Field(description="in a conversation, the assistant asks the user whether it should")
    wrong_state: Probability = Field(description="in a conversation, a change that nobody asked for")
    wrong_answer: Probability = Field(description="in a conversation, an answer with a number that no result has")


class QuerygenConfig(Group):
    """How a chain becomes a conversation."""

    turn_calls: tuple[Count, Count] = Field(description="fewest and most calls a turn")
    grounding_draws: Count = Field(description="draws of arguments for one call before going back")
    grounding_backtracks: Natural = Field(description="steps back in a chain before it is dropped")
    chains_per_trajectory: Annotated[float, Field(ge=1)] = Field(
        description="chains grounded for each trajectory wanted: some cannot be said, or are dropped by difficulty"
    )
    candidates: Count = Field(description="conversations played for each task; the best is the trajectory")
    difficulty: tuple[Probability, Probability] = Field(
        description="least and most pass rate (share of the candidates that serve the task); others are dropped"
    )
    mask_variations: Natural = Field(
        description="other values tried to see whether an argument matters; 0: only prose does not"
    )
    processes: Natural = Field(
        description="processes that make conversations; 0: as many as there are cores, if there is enough to do",
        json_schema_extra=NOT_IDENTITY,
    )
    imperfections: ImperfectionsConfig

    def rules(self) -> Iterator[Problem]:
        """The ranges are ranges, and some candidate may fall into them."""
        if self.turn_calls[0] > self.turn_calls[1]:
            yield Problem("turn_calls", shown(self.turn_calls), "expected the first no greater than the second")
        least, most = self.difficulty
        if least > most:
            yield Problem("difficulty", shown(self.difficulty), "expected the first no greater than the second")
        elif not any(least <= passed / self.candidates <= most for passed in range(1, self.candidates + 1)):
            wanted = f"no number of {self.candidates} candidates gives such a pass rate; widen it, or raise candidates"
            yield Problem("difficulty", shown(self.difficulty), wanted)


class StrengthConfig(Group):
    """How often one refinement is used."""

    enabled: bool = Field(description="whether it is used at all")
    probability: Probability = Field(description="how often, wherever it can be")


Refinement = Literal["implicit_reference", "action_compression", "ambiguity", "goal_expansion"]
Weight = Annotated[float, Field(ge=0)]


class RefinementConfig(Group):
    """How explicit requests become like people's (arXiv 2605.18703, section 3.3)."""

    implicit_reference: StrengthConfig = Field(description="records are referred to by context, not by name")
    action_compression: StrengthConfig = Field(description="calls that can be inferred are not asked for")
    ambiguity: StrengthConfig = Field(description="a turn's request fits several records until the user is asked")
    goal_expansion: StrengthConfig = Field(description="a turn gets a further goal, grounded and added to gold")
    domains: dict[str, dict[Refinement, Weight]] = Field(
        description="by domain and refinement, factors for these probabilities: +refinement.domains.travel.ambiguity=2"
    )

    def rules(self) -> Iterator[Problem]:
        """The domains exist."""
        known = list(catalogue_names())
        for name in self.domains:
            if name not in known:
                wanted = f"no such domain; expected one of {', '.join(known)}"
                yield Problem(f"domains.{name}", name, wanted, nearest(name, known))


class RewardConfig(Group):
    """R = alpha*R_traj + (1-alpha)*R_state - P_length (arXiv 2605.18703, section 3.4)."""

    mode: Literal["binary", "graded"] = Field(description="R_traj: all gold calls matched or not, or the share matched")
    alpha: Probability = Field(description="weight of R_traj; the rest is R_state's")
    per_call: Annotated[float, Field(ge=0)] = Field(description="P_length for one call beyond gold")
    cap: Annotated[float, Field(ge=0)] = Field(description="P_length at most")
    gate: bool = Field(description="R_state pays on an environment that gold leaves unchanged only if R_traj = 1")
    floor: float | None = Field(description="R at least; null: no floor")


class DatasetConfig(Group):
    """The training files."""

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")] = Field(description="name in dataset_info.json")


class LayoutConfig(Group):
    """How training is laid out on one kind of hardware."""

    devices: Count = Field(description="accelerators that train together; 1 on the CPU")
    device_batch: Count = Field(description="samples that one of them holds at once")
    zero: Literal[0, 3] = Field(description="DeepSpeed ZeRO stage of full fine-tuning; 0: no DeepSpeed")
    rollout_parallel: Count = Field(description="accelerators that generate together (tensor parallel) in rollouts")

    def rules(self) -> Iterator[Problem]:
        """Those that generate together are some of those that train together."""
        if self.devices % self.rollout_parallel:
            yield Problem("rollout_parallel", shown(self.rollout_parallel), f"expected a divisor of {self.devices}")


class _Backbone(Group):
    template: Literal["qwen3"] = Field(description="LlamaFactory's name of the chat template")
    context: Count = Field(description="longest sample, in tokens; a longer one is refused, never cut")
    learning_rate: Annotated[float, Field(gt=0)] = Field(description="of full fine-tuning")
    lora_learning_rate: Annotated[float, Field(gt=0)] = Field(description="of LoRA")
    rl_learning_rate: Annotated[float, Field(gt=0)] = Field(description="of reinforcement learning")
    parameters: Count = Field(description="of the model, as a count; what memory is needed is reckoned from it")
    # What the hardware decides is speed and memory: the samples of a step are the same on all.
    cpu: LayoutConfig | None = Field(description="layout on the CPU; null: too big", json_schema_extra=NOT_IDENTITY)
    gpu_80gb: LayoutConfig | None = Field(description="layout on 80 GB GPUs", json_schema_extra=NOT_IDENTITY)
    gpu_141gb: LayoutConfig | None = Field(description="layout on 141 GB GPUs", json_schema_extra=NOT_IDENTITY)


class HubBackboneConfig(_Backbone):
    """A model of the Hugging Face hub."""

    kind: Literal["hub"] = Field(description="from the hub, or a folder of the same form")
    model: str = Field(description="repository, or folder", min_length=1)
    revision: str = Field(description="commit of the repository", min_length=1)


class TinyBackboneConfig(_Backbone):
    """A small Qwen3 with Qwen3's own tokenizer, made and taught on the spot and kept in the cache."""

    kind: Literal["tiny"] = Field(description="made on the spot")
    layers: Count = Field(description="decoder layers")
    hidden: Annotated[int, Field(ge=16, multiple_of=16)] = Field(description="hidden size")


BackboneConfig = Annotated[HubBackboneConfig | TinyBackboneConfig, Field(discriminator="kind")]


class _Sft(Group):
    batch_size: Count = Field(description="samples a step, over all devices")
    epochs: Annotated[float, Field(gt=0)] = Field(description="passes over the training set")
    max_steps: Count | None = Field(description="steps; null: as many as the epochs take")
    schedule: Literal["cosine", "linear", "constant"] = Field(description="of the learning rate")
    warmup: Annotated[float, Field(ge=0, lt=1)] = Field(description="share of the steps in which it rises")
    save_steps: Count = Field(description="steps between checkpoints to continue from", json_schema_extra=NOT_IDENTITY)


class FullSftConfig(_Sft):
    """Every weight is trained."""

    kind: Literal["full"] = Field(description="full fine-tuning")


class LoraSftConfig(_Sft):
    """Low-rank adapters are trained and merged at the end."""

    kind: Literal["lora"] = Field(description="LoRA on every linear layer")
    rank: Count = Field(description="rank of the adapters")
    lora_alpha: Count = Field(description="scale of the adapters; twice the rank as a rule")


SftConfig = Annotated[FullSftConfig | LoraSftConfig, Field(discriminator="kind")]


class EpisodeConfig(Group):
    """How long one rollout of a turn may be."""

    max_messages: Count = Field(description="messages of the model")
    max_calls: Count = Field(description="calls; further ones are refused in band")
    max_result_tokens: Annotated[int, Field(ge=32)] = Field(
        description="tokens of a result that the model is shown; a longer one is cut in the middle"
    )
    timeout_s: Annotated[float, Field(gt=0)] = Field(
        description="seconds in environments; an overrun is a failed rollout, which is never a reward of 0"
    )
    call_timeout_s: Annotated[float, Field(gt=0)] = Field(description="seconds of one call; likewise")


class GrpoRlConfig(Group):
    """GRPO by verl: a group of rollouts a turn, each compared with the others."""

    kind: Literal["grpo"] = Field(description="group relative policy optimization")
    init: Literal["sft", "base"] = Field(description="what is trained: what stage sft gives, or the backbone as it is")
    thinking: bool = Field(description="the model thinks; false: its messages begin behind an empty think block")
    batch_size: Count = Field(description="turns a step")
    mini_batch_size: Count = Field(description="turns an update of the weights; a divisor of batch_size")
    group_size: Annotated[int, Field(ge=2)] = Field(description="rollouts a turn")
    epochs: Count = Field(description="passes over the turns")
    max_steps: Count | None = Field(description="steps; null: as many as the epochs take")
    temperature: Annotated[float, Field(gt=0)] = Field(description="of sampling")
    top_p: Annotated[float, Field(gt=0, le=1)] = Field(description="of sampling")
    clip_low: Annotated[float, Field(gt=0, lt=1)] = Field(description="the ratio of probabilities is clipped below")
    clip_high: Annotated[float, Field(gt=0)] = Field(description="and above")
    clip_dual: Annotated[float, Field(gt=1)] = Field(description="and, where the advantage is negative, at this")
    kl: Annotated[float, Field(ge=0)] = Field(description="weight of the distance to the initial model; 0: none")
    prompt_tokens: Count = Field(description="longest prompt; a turn with a longer one is left out, never cut")
    response_tokens: Count = Field(description="longest rollout after the prompt, results included")
    episode: EpisodeConfig
    backend: Literal["in_process", "worker"] = Field(
        description="where environments run; worker: a process that is killed when a call overruns",
        json_schema_extra=NOT_IDENTITY,
    )
    validate_steps: Count | None = Field(description="steps between validations on the held-out turns; null: none")
    save_steps: Count = Field(description="steps between checkpoints to continue from", json_schema_extra=NOT_IDENTITY)

    def rules(self) -> Iterator[Problem]:
        """An update is a part of a step."""
        if self.batch_size % self.mini_batch_size:
            wanted = f"expected a divisor of batch_size = {self.batch_size}"
            yield Problem("mini_batch_size", shown(self.mini_batch_size), wanted)


class TrainingConfig(Group):
    """What training programs run in, and on."""

    python: str = Field(
        description="interpreter with the training programs; auto: what launchers/training/setup.sh built",
        min_length=1,
        json_schema_extra=NOT_IDENTITY,
    )
    hardware: Literal["auto", "cpu", "gpu_80gb", "gpu_141gb"] = Field(
        description="which of the backbone's layouts; auto: as nvidia-smi says", json_schema_extra=NOT_IDENTITY
    )
    preserve_thinking: bool = Field(
        description="the think block of every step stays in the history; false: as Qwen3's own template drops it"
    )
    timeout_s: Annotated[float, Field(gt=0)] = Field(
        description="a training that takes longer is ended; the same command continues it",
        json_schema_extra=NOT_IDENTITY,
    )


class CheckConfig(Group):
    """Stage `check`."""

    path: str | None = Field(description="file of trajectories or of training data to validate by row and field")


ModelName = Literal["base", "sft", "rl"]
"""A model of a configuration: the backbone as it is, what stage `sft` gives, what stage `rl` gives."""


class McpServingConfig(Group):
    """Stage `serve`: environments by MCP over standard input and output."""

    kind: Literal["mcp"] = Field(description="environments, as an MCP server")
    scenario_size: Count = Field(description="size of the scenario served")


class VllmServingConfig(Group):
    """Stage `serve`: a model behind vLLM's OpenAI-compatible server, until it is stopped."""

    kind: Literal["vllm"] = Field(description="a model, behind vLLM; needs the training interpreter")
    model: str = Field(
        description="`base`, `sft` or `rl` of this configuration, made if it is not there; or a checkpoint's folder",
        min_length=1,
    )
    port: Annotated[int, Field(ge=0, lt=65536)] = Field(description="on 127.0.0.1; 0: a free one")


ServingConfig = Annotated[McpServingConfig | VllmServingConfig, Field(discriminator="kind")]


class VllmConfig(Group):
    """How vLLM serves a model, to stage `serve` and to stage `evaluate`; what a CPU takes is fixed."""

    devices: Count = Field(description="accelerators that hold a model together (tensor parallel)")
    gpu_memory: Annotated[float, Field(gt=0, le=1)] = Field(
        description="share of an accelerator's memory that it takes"
    )
    context: Count | None = Field(description="longest conversation, in tokens; null: backbone.context")
    start_timeout_s: Annotated[float, Field(gt=0)] = Field(description="seconds in which a server must be ready")


class HeldoutEvaluationConfig(Group):
    """Stage `evaluate`: the held-out turns, played live with the limits of `rl` and the reward of `reward`."""

    kind: Literal["heldout"] = Field(description="our own benchmark: the turns of `rl_val.parquet`")
    models: Annotated[tuple[ModelName, ...], Field(min_length=1)] = Field(
        description="which models are compared: base, sft, rl; what is not there is made"
    )
    turns: Count | None = Field(description="turns that each model plays, the first ones; null: all")
    temperature: Annotated[float, Field(ge=0)] = Field(description="of sampling; 0: always the likeliest token")
    concurrency: Count = Field(description="turns that are played at once", json_schema_extra=NOT_IDENTITY)
    answer_timeout_s: Annotated[float, Field(gt=0)] = Field(
        description="seconds for one message of a model; a turn that takes longer fails, and is counted",
        json_schema_extra=NOT_IDENTITY,
    )

    def rules(self) -> Iterator[Problem]:
        """No model is played twice."""
        if len(set(self.models)) < len(self.models):
            yield Problem("models", shown(self.models), "expected each once")


class LoggerConfig(Group):
    """What is told while a run is going on."""

    level: Literal["debug", "info", "warning", "error"] = Field(
        description="least level in log.txt; the terminal shows warnings and errors"
    )
    progress: Literal["auto", "bars", "plain", "off"] = Field(
        description="auto: bars on a terminal, plain lines elsewhere"
    )


class PathsConfig(Group):
    """Where runs write."""

    outputs: str = Field(description="folder of run folders", min_length=1)
    artifacts: str = Field(description="folder of the artifact store; may be shared by machines", min_length=1)
    lock_timeout_s: Annotated[float, Field(ge=0)] = Field(
        description="seconds to wait for a cell or an artifact that another process holds"
    )


class Config(Group):
    """The whole configuration of one cell."""

    stages: Annotated[tuple[StageName, ...], Field(min_length=1)] = Field(
        description="stages to run; what they need and the store lacks is made too", json_schema_extra=NOT_IDENTITY
    )
    seed: Annotated[int, Field(ge=0, lt=2**63)] = Field(description="decides every random choice")
    force: tuple[StageName, ...] = Field(
        description="stages to make anew although the store has them", json_schema_extra=NOT_IDENTITY
    )
    dry_run: bool = Field(
        description="print what would be started, with its config and what it needs; run nothing",
        json_schema_extra=NOT_IDENTITY,
    )
    name: Annotated[str, Field(pattern=r"^\w[\w.-]*$")] | None = Field(
        description="folder of the runs under paths.outputs; null: the chosen experiment, or main",
        json_schema_extra=NOT_IDENTITY,
    )
    domain: DomainConfig
    embedder: LexicalEmbedderConfig
    graph: GraphConfig
    sampler: SamplerConfig
    scale: ScaleConfig
    generator: GeneratorConfig
    querygen: QuerygenConfig
    refinement: RefinementConfig
    reward: RewardConfig
    dataset: DatasetConfig
    backbone: BackboneConfig
    sft: SftConfig
    rl: GrpoRlConfig
    training: TrainingConfig
    evaluation: HeldoutEvaluationConfig
    vllm: VllmConfig = Field(json_schema_extra=NOT_IDENTITY)
    check: CheckConfig = Field(json_schema_extra=NOT_IDENTITY)
    serving: ServingConfig = Field(json_schema_extra=NOT_IDENTITY)
    logger: LoggerConfig = Field(json_schema_extra=NOT_IDENTITY)
    paths: PathsConfig = Field(json_schema_extra=NOT_IDENTITY)

    def rules(self) -> Iterator[Problem]:
        """The folder of runs is not that of something else."""
        if self.name in RESERVED:
            yield Problem("name", self.name, "the outputs have something else of this name; expected another")

    def identity(self, fields: tuple[str, ...] | None = None) -> dict[str, Any]:
        """Return what decides results, as plain JSON.

        Args:
            fields: dotted keys, such as ``("domain", "scale.trajectories")``; None means every identity key.

        Returns:
            Dotted key to its value; keys that are not identity are left out, also inside a group.

        Raises:
            KeyError: a field is not a key of the configuration, or is not part of its identity.
        """
        if fields is None:
            fields = tuple(name for name, field in type(self).model_fields.items() if _is_identity(field))
        return {dotted: _plain(self, dotted) for dotted in sorted(fields)}

    def narrowed(self, reads: tuple[str, ...]) -> Self:
        """Return a copy that holds only some identity keys, so that nothing undeclared can decide a result.

        Args:
            reads: dotted keys, as for `identity`; keys that are not identity are kept all.

        Returns:
            A configuration whose other keys raise AttributeError when they are read.
        """
        self.identity(reads)
        return _narrow(self, reads)


def _narrow(model: M, reads: tuple[str, ...]) -> M:
    kept: dict[str, Any] = {}
    for name, field in type(model).model_fields.items():
        inner = tuple(read.partition(".")[2] for read in reads if read.partition(".")[0] == name)
        value = getattr(model, name)
        if not _is_identity(field) or "" in inner:
            kept[name] = value
        elif inner:
            kept[name] = _narrow(value, inner)
    return type(model).model_construct(**kept)


def _is_identity(field: Any) -> bool:
    return field.json_schema_extra != NOT_IDENTITY


def _plain(model: BaseModel, dotted: str) -> Any:
    """Return the identity of what a dotted key names, as plain JSON."""
    value: Any = model
    for part in dotted.split("."):
        field = type(value).model_fields.get(part) if isinstance(value, BaseModel) else None
        if field is None:
            raise KeyError(f"{dotted}: no such key in the configuration")
        if not _is_identity(field):
            raise KeyError(f"{dotted}: is not part of the identity, so no result may depend on it")
        value = getattr(value, part)
    return _identity_of(value)


def _identity_of(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return {
            name: _identity_of(getattr(value, name))
            for name, field in type(value).model_fields.items()
            if _is_identity(field)
        }
    return list(cast("tuple[Any, ...]", value)) if isinstance(value, tuple) else value
