"""Language models: one client for any OpenAI-compatible endpoint.

    settings = EndpointSettings(model="qwen3-8b", base_url="http://127.0.0.1:8000/v1")
    with ModelLedger(folder / "models.jsonl") as ledger:
        client = Client(settings, records=FolderRecords(folder / "records"), ledger=ledger)
        async with client:
            reply = await client.complete(Request(messages=(user("Hello"),)), Purpose("synthesize", "user"))
            answer = await client.ask(request, Plan, Purpose("synthesize", "planner", trajectory), rounds=3)

For code that is not async, ``with BlockingClient(client) as models:`` offers the same two methods to any number of
threads.

- `Request` in, `Reply` out (`envfactory.llm.chat`); arguments of calls stay the model's own text.
- Settings (`envfactory.llm.settings`) say who is asked, how patiently, how fast and at what price. A key is named there
  by its environment variable and read when the first request is sent.
- `records=` keeps every reply by what was asked: a run that is killed pays nothing twice, ``mode="replay"`` needs no
  server at all.
- `ledger=` adds up what a stage, a role, a model and an accepted trajectory cost; `budget=` stops before a limit.
- Errors: an `InfrastructureError` is never the model's failure; an `AnswerError` is.

The openai SDK is imported when the first request is sent.
"""

from envfactory.llm.blocking import BlockingClient
from envfactory.llm.chat import JsonOutput, Message, Reply, Request, Tool, ToolCall, Usage, assistant, system, user
from envfactory.llm.client import Client, Mode
from envfactory.llm.errors import (
    AnswerError,
    BadReply,
    BudgetExceeded,
    ContextExceeded,
    Disconnected,
    EmptyReply,
    InfrastructureError,
    LlmError,
    PermanentError,
    RateLimited,
    ReplayMiss,
    ServerError,
    TimedOut,
    TransientError,
    WrongModel,
)
from envfactory.llm.ledger import Entry, ModelLedger, Purpose, Spent
from envfactory.llm.records import FolderRecords, PackedRecords, Record, Records, open_records
from envfactory.llm.settings import BudgetSettings, EndpointSettings, LimitSettings, PriceSettings, RetrySettings
from envfactory.llm.structured import Answer, strict_schema

__all__ = [
    "Answer",
    "AnswerError",
    "BadReply",
    "BlockingClient",
    "BudgetExceeded",
    "BudgetSettings",
    "Client",
    "ContextExceeded",
    "Disconnected",
    "EmptyReply",
    "EndpointSettings",
    "Entry",
    "FolderRecords",
    "InfrastructureError",
    "JsonOutput",
    "LimitSettings",
    "LlmError",
    "Message",
    "Mode",
    "ModelLedger",
    "PackedRecords",
    "PermanentError",
    "PriceSettings",
    "Purpose",
    "RateLimited",
    "Record",
    "Records",
    "ReplayMiss",
    "Reply",
    "Request",
    "RetrySettings",
    "ServerError",
    "Spent",
    "TimedOut",
    "Tool",
    "ToolCall",
    "TransientError",
    "Usage",
    "WrongModel",
    "assistant",
    "open_records",
    "strict_schema",
    "system",
    "user",
]
