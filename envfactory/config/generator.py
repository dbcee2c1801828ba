"""Group `generator`: who plays the roles of a conversation, by rules or by a language model."""

# Annotations are read at run time by Pydantic, so they are not postponed here.
from collections.abc import Iterable
from typing import Annotated, Final, Literal

from pydantic import Field

from envfactory.config.group import NOT_IDENTITY, Count, Group
from envfactory.llm.settings import BudgetSettings, EndpointSettings

__all__ = [
    "GeneratorConfig",
    "LocalGeneratorConfig",
    "ModelGeneratorConfig",
    "ModelsConfig",
    "ReplayGeneratorConfig",
    "RolesConfig",
    "RulesGeneratorConfig",
]

Player = Literal["rules", "model"]

CONCERNS: Final[dict[str, frozenset[str]]] = {
    "calling": frozenset({"assistant"}),
    "fallback": frozenset({"planner", "writer"}),
    "added_records": frozenset({"planner"}),
}
"""Settings that decide nothing for other roles than these."""


class RulesGeneratorConfig(Group):
    """Every role by rules: no model, no key, the same words everywhere."""

    kind: Literal["rules"] = Field(description="every role by rules")

    def played(self, roles: Iterable[str]) -> tuple[str, ...]:
        """Which of some roles a model plays: none."""
        del roles
        return ()

    def deciding(self, roles: Iterable[str]) -> tuple[str, ...]:
        """Keys that decide what a model says in some roles: none."""
        del roles
        return ()


class RolesConfig(Group):
    """Which roles the model plays."""

    planner: Player = Field(description="who asks, and how calls fall into turns")
    writer: Player = Field(description="what the user says")
    refiner: Player = Field(description="how refined requests are worded")
    user: Player = Field(description="what the user answers when asked")
    assistant: Player = Field(description="calls and answers")
    judge: Player = Field(description="which of equally good candidates is the best")
    graph: Player = Field(description="edges added and pruned, and inputs classed, beside the rules")


class ModelsConfig(Group):
    """What all choices with a model have."""

    roles: RolesConfig
    temperature: Annotated[float, Field(ge=0, le=2)] = Field(description="of the sampling")
    thinking: bool | None = Field(description="whether the model reasons before it answers; null: as it does by itself")
    calling: Literal["native", "schema"] = Field(
        description="how the assistant calls tools: as the endpoint has it, or as JSON that is held to a schema"
    )
    added_records: Annotated[int, Field(ge=0, le=20)] = Field(
        description="records that the planner may add to the scenario of each environment, at most; 0: none"
    )
    rounds: Count = Field(description="times that a role is asked for one answer, told what was wrong each time")
    fallback: bool = Field(
        description="planner and writer go by rules where they still have no right answer; false: the chain is dropped"
    )

    def played(self, roles: Iterable[str]) -> tuple[str, ...]:
        """Which of some roles the model plays; the user is asked only by an assistant that is a model."""
        mine = [role for role in roles if getattr(self.roles, role) == "model"]
        return tuple(role for role in mine if role != "user" or self.roles.assistant == "model")

    def deciding(self, roles: Iterable[str]) -> tuple[str, ...]:
        """Return the keys that decide what the model says in some roles.

        Args:
            roles: of one stage.

        Returns:
            Names within the group, such as ``("kind", "endpoint", "roles.graph")``; none where no role is the model's,
            so that whatever else is set makes nothing anew.
        """
        roles = tuple(roles)
        played = self.played(roles)
        if not played:
            return ()
        fields = {name for name, field in type(self).model_fields.items() if field.json_schema_extra != NOT_IDENTITY}
        for name, concerned in CONCERNS.items():
            if concerned.isdisjoint(played):
                fields.discard(name)
        return (*sorted(fields - {"roles"}), *(f"roles.{role}" for role in roles))


class ModelGeneratorConfig(ModelsConfig):
    """A model behind an OpenAI-compatible endpoint."""

    kind: Literal["openai", "vllm"] = Field(
        description="an endpoint of one's choice, or the one that stage serve starts"
    )
    endpoint: EndpointSettings
    budget: BudgetSettings = Field(json_schema_extra=NOT_IDENTITY)
    records: str = Field(
        description="folder of the replies so far; what it holds is not asked again",
        min_length=1,
        json_schema_extra=NOT_IDENTITY,
    )


class LocalGeneratorConfig(ModelsConfig):
    """A GGUF model on this machine's processors, served while a stage runs."""

    kind: Literal["local"] = Field(description="what launchers/local_model/setup.sh built, or another GGUF file")
    model: str = Field(description="GGUF file; auto: the one that setup.sh built", min_length=1)
    python: str = Field(
        description="interpreter with xllamacpp; auto: the one that setup.sh built",
        min_length=1,
        json_schema_extra=NOT_IDENTITY,
    )
    context: Count = Field(description="tokens of a conversation at most")
    threads: Count = Field(description="threads that reckon", json_schema_extra=NOT_IDENTITY)
    start_timeout_s: Annotated[float, Field(gt=0)] = Field(
        description="until the model must answer", json_schema_extra=NOT_IDENTITY
    )
    timeout_s: Annotated[float, Field(gt=0)] = Field(description="for one whole reply", json_schema_extra=NOT_IDENTITY)
    records: str = Field(
        description="folder of the replies so far; what it holds is not asked again",
        min_length=1,
        json_schema_extra=NOT_IDENTITY,
    )


class ReplayGeneratorConfig(ModelsConfig):
    """Recorded replies alone; what was not recorded is an error."""

    kind: Literal["replay"] = Field(description="recorded replies alone")
    endpoint: EndpointSettings
    records: str = Field(description="folder of records, or a pack of them (*.jsonl)", min_length=1)


GeneratorConfig = Annotated[
    RulesGeneratorConfig | ModelGeneratorConfig | LocalGeneratorConfig | ReplayGeneratorConfig,
    Field(discriminator="kind"),
]
