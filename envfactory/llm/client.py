"""The client: asks a model, remembers what it said, counts what it cost, and stops where it must.

A request goes through records (what was asked before is not asked again), the budget, the limits and the wire. A
failure that may pass is tried again after a wait; what still fails is raised as what it is. From the moment a reply is
whole until it is recorded nothing else runs in the process, so a kill can only lose replies that had not arrived.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack
from types import TracebackType
from typing import Any, Literal, Self, TypeVar

from pydantic import BaseModel

from envfactory.llm.budget import Budget, Cost
from envfactory.llm.chat import Reply, Request, Usage
from envfactory.llm.clock import Clock, SystemClock
from envfactory.llm.errors import AnswerError, EmptyReply, ReplayMiss, TransientError
from envfactory.llm.ledger import HOUR_S, Entry, ModelLedger, Purpose, Spent
from envfactory.llm.limits import Limits
from envfactory.llm.meter import Meter
from envfactory.llm.prices import most_of, price_for, price_of
from envfactory.llm.records import Record, Records, asked, key_of, nearest
from envfactory.llm.settings import BudgetSettings, EndpointSettings
from envfactory.llm.structured import Answer, Check, read_answer, repair, shaped
from envfactory.llm.transport import Transport
from envfactory.llm.waits import backoff_s
from envfactory.llm.wire import body_of, check_reply, estimated_usage

__all__ = ["Client", "Mode"]

M = TypeVar("M", bound=BaseModel)

Mode = Literal["use", "record", "replay"]
"""Records are used and added to; are only added to, everything is asked anew; are all there is."""

SEEDS = 2**63


class Client:
    """Asks one endpoint, from one event loop; use it in an ``async with`` block.

    Example:
        >>> async with Client(settings, records=FolderRecords(folder)) as client:  # doctest: +SKIP
        ...     reply = await client.complete(Request(messages=(user("Hello"),)), Purpose("synthesize", "user"))
    """

    def __init__(
        self,
        settings: EndpointSettings,
        *,
        records: Records | None = None,
        mode: Mode = "use",
        ledger: ModelLedger | None = None,
        budget: BudgetSettings | None = None,
        budget_key: str = "budget",
        clock: Clock | None = None,
    ) -> None:
        """Make a client; nothing is opened, and no key is read, before the first request.

        Args:
            settings: who is asked, and how.
            records: what was asked before; None: each request is sent.
            mode: how records are used.
            ledger: where costs are noted; needed for a budget.
            budget: what may be spent.
            budget_key: where the budget stands in the configuration, for messages.
            clock: of waits and limits.

        Raises:
            ValueError: replay without records, or a budget without a ledger.
        """
        if mode == "replay" and records is None:
            raise ValueError("mode=replay: needs records; pass records=open_records(path)")
        if budget is not None and ledger is None:
            raise ValueError(f"{budget_key}: needs a ledger to be kept over attempts; pass ledger=ModelLedger(path)")
        self.settings = settings
        self._price = price_for(settings.model, settings.prices)
        self._records = records
        self._mode: Mode = mode
        self._ledger = ledger
        self._budget = Budget(budget, ledger, budget_key) if budget is not None and ledger is not None else None
        self._clock = SystemClock() if clock is None else clock
        self._limits = Limits(settings.limits, self._clock)
        self._meter = Meter(self._clock)
        self._transport = Transport(settings, self._clock)
        self._asking: dict[str, asyncio.Event] = {}

    async def complete(self, request: Request, purpose: Purpose) -> Reply:
        """Return the reply to a request.

        Requests that are equal and made at the same time are sent once, where there are records.

        Raises:
            TransientError: it failed each time that it was sent.
            PermanentError: it cannot succeed.
            BudgetExceeded: it could cost more than is left.
            ReplayMiss: there is no record of it, and nothing else may be used.
        """
        records = self._records
        what = asked(request, self.settings)
        key = key_of(what)
        if records is None or self._mode == "record":
            return await self._send(request, what, key, purpose)
        while True:
            reply = records.get(key)
            if reply is not None:
                self._note(purpose, Spent(replayed=1))
                return reply.model_copy(update={"from_cache": True})
            if self._mode == "replay":
                told = nearest(records, what)
                raise ReplayMiss(f"no record of request {key[:12]} ({purpose.stage}, {purpose.role}): {told}")
            leader = self._asking.get(key)
            if leader is None:
                break
            await leader.wait()
        self._asking[key] = asyncio.Event()
        try:
            return await self._send(request, what, key, purpose)
        finally:
            # If it failed, one of those that wait asks in its place.
            self._asking.pop(key).set()

    async def ask(
        self,
        request: Request,
        answer: type[M],
        purpose: Purpose,
        *,
        rounds: int = 3,
        check: Check[M] | None = None,
    ) -> Answer[M]:
        """Return an answer that fits a model, asked for at most ``rounds`` times.

        Args:
            request: what is asked; its `output` is set here.
            answer: what the answer is to be.
            purpose: what it is for.
            rounds: the first time and the repairs, 1 or more.
            check: says what is wrong with an answer that fits the model, in sentences for whoever answers.

        Raises:
            AnswerError: the last answer did not fit either; this alone is the model's failure.
            InfrastructureError: as `complete`.
        """
        current = shaped(request, answer, self.settings)
        for number in range(1, rounds + 1):
            reply = await self.complete(current, purpose)
            value, problems = read_answer(reply.text, answer, check)
            if value is not None:
                return Answer(value, reply, number)
            if number == rounds:
                told = "; ".join(problems)
                raise AnswerError(
                    f"{self.settings.model} as {purpose.role}: no {answer.__name__} in {rounds} rounds: {told}",
                    problems=problems,
                    rounds=number,
                    text=reply.text,
                )
            current = repair(current, reply, problems)
        raise ValueError(f"rounds={rounds}: expected 1 or more")

    async def close(self) -> None:
        """Close the connections."""
        await self._transport.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def _send(self, request: Request, what: dict[str, Any], key: str, purpose: Purpose) -> Reply:
        """Send a request until it has a reply, and record that."""

        def keep(reply: Reply) -> None:
            if self._records is not None:
                self._records.put(Record(asked=what, reply=reply))

        retry = self.settings.retry
        body = body_of(request, self.settings)
        estimate = estimated_usage(request, self.settings)
        for sent in range(1, retry.attempts + 1):
            try:
                return await self._once(body, estimate, purpose, keep)
            except TransientError as error:
                wait = backoff_s(retry, key, sent) if error.retry_after_s is None else error.retry_after_s
                if sent == retry.attempts:
                    raise type(error)(f"{error} (sent {sent} times, see retry.attempts)", wait) from None
                if wait > retry.longest_wait_s:
                    raise type(error)(
                        f"{error} (it asks to wait {wait:g} s, more than retry.longest_wait_s="
                        f"{retry.longest_wait_s:g})",
                        wait,
                    ) from None
                if error.retry_after_s is not None:
                    # It holds for all that would be sent to this server.
                    self._limits.rest(wait)
                if isinstance(error, EmptyReply) and request.seed is not None:
                    # The same seed would give the same nothing.
                    body = {**body, "seed": (request.seed + sent) % SEEDS}
                await self._clock.sleep(wait)
        raise AssertionError("attempts is 1 or more")

    async def _once(
        self, body: dict[str, Any], estimate: Usage, purpose: Purpose, keep: Callable[[Reply], None]
    ) -> Reply:
        async with AsyncExitStack() as held:
            if self._budget is not None:
                cost = Cost(1, estimate.total, most_of(estimate, self._price))
                await held.enter_async_context(self._budget.aside(cost))
            await held.enter_async_context(self._limits.place(estimate.total))
            began, share = self._clock.monotonic(), self._meter.start()
            usage, failed = Usage(), 1
            try:
                reply = await self._transport.send(body)
                usage = reply.usage
                check_reply(reply, self.settings)
                # Before anything else, and before anything else can run: what was paid for is kept.
                keep(reply)
                failed = 0
                return reply
            finally:
                busy = self._meter.stop(share)
                self._limits.settle(estimate.total, usage.total)
                self._note(purpose, self._spent(usage, failed, self._clock.monotonic() - began, busy))

    def _spent(self, usage: Usage, failed: int, seconds: float, busy: float) -> Spent:
        return Spent(
            requests=1,
            failed=failed,
            prompt=usage.prompt,
            cached=usage.cached,
            completion=usage.completion,
            reasoning=usage.reasoning,
            seconds=seconds,
            gpu_hours=busy * self.settings.gpus / HOUR_S,
            money=price_of(usage, self._price),
        )

    def _note(self, purpose: Purpose, spent: Spent) -> None:
        if self._ledger is not None:
            self._ledger.add(Entry(purpose, self.settings.model, spent))
