"""Groups that decide what data are made: environments, graph, chains, conversations, rewards, files."""

# Annotations are read at run time by Pydantic, so they are not postponed here.
from collections.abc import Iterable, Iterator, Mapping
from itertools import zip_longest
from typing import Annotated, Literal

from pydantic import Field

from envfactory.config.group import NOT_IDENTITY, Count, Group, Natural, Probability
from envfactory.config.places import catalogue_names
from envfactory.config.problems import Problem, nearest, shown

__all__ = [
    "BgeM3EmbedderConfig",
    "CoverageSamplerConfig",
    "DatasetConfig",
    "DomainConfig",
    "EmbedderConfig",
    "GraphConfig",
    "ImperfectionsConfig",
    "LexicalEmbedderConfig",
    "MinilmEmbedderConfig",
    "QuerygenConfig",
    "RandomWalkSamplerConfig",
    "RefinementConfig",
    "RewardConfig",
    "SamplerConfig",
    "ScaleConfig",
    "StrengthConfig",
    "TopologySamplerConfig",
]


class DomainConfig(Group):
    """Which environments take part."""

    names: Literal["all"] | Annotated[tuple[str, ...], Field(min_length=1)] = Field(
        description="`all` domains of the catalogue, or a list of some"
    )
    environments: Literal["all"] | Count | Annotated[tuple[str, ...], Field(min_length=1)] = Field(
        description="`all` of these domains, a list of names, or how many: the first of every domain, then the second "
        "of every domain, and so on; fewer are always among more"
    )

    def rules(self) -> Iterator[Problem]:
        """Domains and environments exist, and as many as wanted."""
        known = catalogue_names()
        unknown = [name for name in self._domains(known) if name not in known]
        for name in unknown:
            wanted = f"no such domain; expected all or some of {', '.join(known)}"
            yield Problem("names", name, wanted, nearest(name, list(known)))
        if unknown:
            return
        offered = self._offered(known)
        if isinstance(self.environments, int):
            if self.environments > len(offered):
                wanted = f"expected at most {len(offered)}, all that there are in {self.shown()}"
                yield Problem("environments", shown(self.environments), wanted)
            return
        for name in () if self.environments == "all" else self.environments:
            if name not in offered:
                wanted = f"no such environment in {self.shown()}; expected some of {', '.join(offered)}"
                yield Problem("environments", name, wanted, nearest(name, offered))

    def chosen(self) -> tuple[str, ...]:
        """Return the names of the environments chosen, sorted, each once."""
        if isinstance(self.environments, tuple):
            return tuple(sorted(set(self.environments)))
        offered = self._offered(catalogue_names())
        return tuple(sorted(offered if self.environments == "all" else offered[: self.environments]))

    def shown(self) -> str:
        """The domains, as told to people."""
        return "the catalogue" if self.names == "all" else f"domain {', '.join(self.names)}"

    def _domains(self, known: Iterable[str]) -> tuple[str, ...]:
        return tuple(known) if self.names == "all" else tuple(dict.fromkeys(self.names))

    def _offered(self, known: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
        """The environments of the domains in turn: the first of each, the second of each, and so on."""
        domains = self._domains(known)
        rounds = zip_longest(*(names for domain, names in known.items() if domain in domains))
        return tuple(name for names in rounds for name in names if name is not None)


class LexicalEmbedderConfig(Group):
    """Embeds text by its characters."""

    kind: Literal["lexical"] = Field(description="character n-gram TF-IDF (scikit-learn)")
    ngrams: tuple[Count, Count] = Field(description="shortest and longest n-gram, in characters")
    threshold: Probability = Field(description="cosine above which an edge is proposed")

    def rules(self) -> Iterator[Problem]:
        """The range of n-grams is one."""
        if self.ngrams[0] > self.ngrams[1]:
            yield Problem("ngrams", shown(self.ngrams), "expected the first no greater than the second")


class _SentenceEmbedderConfig(Group):
    threshold: Probability = Field(description="cosine above which an edge is proposed")
    batch_size: Count = Field(description="texts at a time; decides a vector's last bits")
    # Where it is reckoned decides a cosine's last decimal at most.
    device: str = Field(
        description="as torch names it; auto: a GPU if there is one", min_length=1, json_schema_extra=NOT_IDENTITY
    )
    vectors: Annotated[str, Field(min_length=1)] | None = Field(
        description="folder of the vectors so far; what it holds is not embedded again; null: none are kept",
        json_schema_extra=NOT_IDENTITY,
    )


class MinilmEmbedderConfig(_SentenceEmbedderConfig):
    """Embeds text by all-MiniLM-L6-v2; needs the extra `embeddings`, which brings its weights."""

    kind: Literal["minilm"] = Field(description="all-MiniLM-L6-v2 (sentence-transformers), without a network")


class BgeM3EmbedderConfig(_SentenceEmbedderConfig):
    """Embeds text by bge-m3 (arXiv 2605.18703, section 3.2); needs the extra `embeddings`, and the hub or a folder."""

    kind: Literal["bge_m3"] = Field(description="BAAI/bge-m3 (sentence-transformers)")
    model: str = Field(description="repository of the hub, or folder", min_length=1)
    revision: str = Field(description="commit of the repository", min_length=1)


EmbedderConfig = Annotated[
    LexicalEmbedderConfig | MinilmEmbedderConfig | BgeM3EmbedderConfig, Field(discriminator="kind")
]


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


class _Satisfied(_Chains):
    d_max: Natural = Field(description="how deep an unmet input may be traced back to a producer")
    p: Probability = Field(description="chance of adding a prior tool although the input is already valid")
    k: Count = Field(description="at most this many out-neighbours a forward step")


class TopologySamplerConfig(_Satisfied):
    """Samples chains in which every required input is satisfied (arXiv 2605.18703, section 3.2)."""

    kind: Literal["topology"] = Field(description="topology-aware sampling")


class CoverageSamplerConfig(_Satisfied):
    """Samples such chains so that tools and edges are used evenly."""

    kind: Literal["coverage"] = Field(description="what was used least comes first")


class RandomWalkSamplerConfig(_Chains):
    """Walks along edges at random: the baseline."""

    kind: Literal["random_walk"] = Field(description="random walk")


SamplerConfig = Annotated[
    TopologySamplerConfig | CoverageSamplerConfig | RandomWalkSamplerConfig, Field(discriminator="kind")
]


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
    candidates: Count = Field(le=100, description="conversations played for each task; the best is the trajectory")
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
        elif self.candidates >= 1 and not any(
            least <= passed / self.candidates <= most for passed in range(1, self.candidates + 1)
        ):
            wanted = f"no number of {self.candidates} candidates gives such a pass rate; widen it, or raise candidates"
            yield Problem("difficulty", shown(self.difficulty), wanted)

    def _some_rate(self, least: float, most: float) -> bool:
        return any(least <= passed / self.candidates <= most for passed in range(1, self.candidates + 1))


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
                yield Problem(f"domains.{name}", name, wanted, nearest(name, list(known)))


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
