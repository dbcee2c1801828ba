"""Settings of an endpoint: who is asked, how patiently, how fast, for what price, up to which budget.

Keys that decide what a model answers (its name, its revision, how it is asked) are identity; where it stands, how long
to wait and how many requests may be on their way are not. A key for the endpoint's door never stands here: settings
name the environment variable that holds it.
"""

# Annotations are read at run time by Pydantic, so they are not postponed here.
from typing import Annotated, Any, Final, Literal, Self
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, JsonValue, model_validator

__all__ = ["BudgetSettings", "EndpointSettings", "LimitSettings", "PriceSettings", "RetrySettings"]

# As the configuration marks keys that decide no result.
NOT_IDENTITY: Final[dict[str, JsonValue]] = {"identity": False}

Seconds = Annotated[float, Field(gt=0)]
Count = Annotated[int, Field(ge=1, lt=2**63)]
Amount = Annotated[float, Field(ge=0)]


class _Settings(BaseModel):
    # An address may hold a secret, so what was given is not repeated by Pydantic.
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False, hide_input_in_errors=True)


class RetrySettings(_Settings):
    """How often, and after what waits, a request is sent again."""

    attempts: Count = Field(default=5, description="times that a request is sent at most, the first included")
    first_wait_s: Amount = Field(default=0.5, description="before the second time; doubled each time")
    longest_wait_s: Seconds = Field(
        default=60.0, description="longest wait; a server that asks for a longer one is given up at once"
    )


class LimitSettings(_Settings):
    """How much may be asked at a time; of each process."""

    in_flight: Count = Field(default=16, description="requests on their way at once")
    requests_per_minute: Count | None = Field(default=None, description="requests in any minute; null: no limit")
    tokens_per_minute: Count | None = Field(
        default=None, description="tokens, read and written, in any minute; null: no limit"
    )


class PriceSettings(_Settings):
    """A row of the price table: money a million tokens, in whatever currency the table is in."""

    input: Amount = Field(description="of a million tokens read")
    cached_input: Amount | None = Field(default=None, description="of those that the server had cached; null: as input")
    output: Amount = Field(description="of a million tokens written")
    reasoning: Amount | None = Field(default=None, description="of those of reasoning; null: as output")


class BudgetSettings(_Settings):
    """What a stage may spend over all its attempts; null: no limit."""

    requests: Count | None = Field(default=None, description="requests sent, those sent again included")
    tokens: Count | None = Field(default=None, description="tokens, read and written")
    money: Amount | None = Field(default=None, description="money, in what the price table is in")


class EndpointSettings(_Settings):
    """An OpenAI-compatible endpoint and the model behind it."""

    model: str = Field(description="the model's name, as the endpoint knows it", min_length=1)
    base_url: str = Field(
        default="https://api.openai.com/v1",
        description="address of the endpoint, up to and without /chat/completions",
        json_schema_extra=NOT_IDENTITY,
    )
    revision: str = Field(
        default="", description="which weights, where the name does not tell; told apart in the records, not sent"
    )
    api_key_env: Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")] | None = Field(
        default=None,
        description="environment variable that holds the key; null: the endpoint wants none",
        json_schema_extra=NOT_IDENTITY,
    )
    served_as: tuple[str, ...] = Field(
        default=(),
        description="other names under which the same model may say that it answered",
        json_schema_extra=NOT_IDENTITY,
    )
    thinking_style: Literal["none", "chat_template", "reasoning_effort"] = Field(
        default="none",
        description="how the endpoint is told to think: not at all, chat_template_kwargs.enable_thinking (vLLM, "
        "llama.cpp), or reasoning_effort",
    )
    reasoning_field: Literal["reasoning_content", "reasoning"] | None = Field(
        default=None, description="member in which the reasoning of earlier messages is sent again; null: it is not"
    )
    output_style: Literal["json_schema", "text"] = Field(
        default="json_schema",
        description="JSON replies: held to their schema by the server, or only told in words",
    )
    max_tokens_field: Literal["max_tokens", "max_completion_tokens"] = Field(
        default="max_tokens",
        description="member that bounds the reply; reasoning models of OpenAI want max_completion_tokens",
        json_schema_extra=NOT_IDENTITY,
    )
    extra: dict[str, Any] = Field(default_factory=dict, description="members added to each request as they stand")
    stream: bool = Field(
        default=False,
        description="have replies sent in pieces, so that silence is noticed",
        json_schema_extra=NOT_IDENTITY,
    )
    connect_timeout_s: Seconds = Field(default=10.0, description="to connect", json_schema_extra=NOT_IDENTITY)
    idle_timeout_s: Seconds = Field(
        default=120.0, description="without a byte; counts where replies are streamed", json_schema_extra=NOT_IDENTITY
    )
    timeout_s: Seconds = Field(default=600.0, description="for one whole reply", json_schema_extra=NOT_IDENTITY)
    retry: RetrySettings = Field(default=RetrySettings(), json_schema_extra=NOT_IDENTITY)
    limits: LimitSettings = Field(default=LimitSettings(), json_schema_extra=NOT_IDENTITY)
    prices: dict[Annotated[str, Field(min_length=1)], PriceSettings] = Field(
        default_factory=dict,
        description="price table: a row for each pattern of model names (* and ?), of which the closest one holds; "
        "what it has no row for costs nothing",
        json_schema_extra=NOT_IDENTITY,
    )
    gpus: Amount = Field(
        default=0.0, description="GPUs that serve the model, to count GPU-hours", json_schema_extra=NOT_IDENTITY
    )

    @model_validator(mode="after")
    def _is_an_address_without_secrets(self) -> Self:
        parts = urlsplit(self.base_url)
        # The address is shown in messages, so what could hold a secret is refused without being repeated.
        if parts.username or parts.password or parts.query or parts.fragment:
            raise ValueError(
                "base_url: expected an address without user, password, query or fragment; put the key into an "
                "environment variable and name it in api_key_env"
            )
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"base_url={self.base_url}: expected http://... or https://...")
        return self

    @property
    def local(self) -> bool:
        """Whether the endpoint is on this machine, where no proxy stands between."""
        return urlsplit(self.base_url).hostname in ("localhost", "127.0.0.1", "::1")

    def identity(self) -> dict[str, Any]:
        """Return what decides the replies, as plain JSON: part of every record's key."""
        names = [name for name, field in type(self).model_fields.items() if field.json_schema_extra != NOT_IDENTITY]
        return self.model_dump(mode="json", include=set(names))
