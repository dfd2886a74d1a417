"""The layer that keeps within the rates of an endpoint: one limiter for every call of a build."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from goldsmith.llm.costs import prompt_tokens_at_most
from goldsmith.llm.faults import ThrottledError
from goldsmith.llm.rates import SlidingMinute, Taken, Width

if TYPE_CHECKING:
    from goldsmith.llm.clock import Clock
    from goldsmith.llm.request import Reply, Request, Sender

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Limits:
    """What the account at the endpoint allows; None: not known."""

    concurrency: int
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None


class Limited:
    """Lets calls through one by one, in the order in which they came, as fast as is allowed.

    A 429 halves the number of calls under way, and its time to wait holds back every call.
    """

    def __init__(self, inner: Sender, limits: Limits, clock: Clock) -> None:
        self._inner = inner
        self._clock = clock
        self._width = Width(limits.concurrency)
        self._requests = _minute(limits.requests_per_minute)
        self._tokens = _minute(limits.tokens_per_minute)
        self._busy = 0
        self._not_before = float("-inf")
        self._turn = asyncio.Lock()  # first come, first served
        self._freed = asyncio.Event()

    async def send(self, request: Request) -> Reply:
        async with self._turn:
            booked = await self._admitted(request)
        started = self._clock.now()
        try:
            reply = await self._inner.send(request)
        except ThrottledError as error:
            self._slow_down(started, error.retry_after)
            raise
        else:
            self._width.widen()
            if booked is not None and self._tokens is not None:
                self._tokens.correct(booked, reply.tokens_in + reply.tokens_out)
            return reply
        finally:
            self._busy -= 1
            self._freed.set()

    async def _admitted(self, request: Request) -> Taken | None:
        """Wait for time and a slot, and take both; the tokens booked, where they are limited."""
        tokens = prompt_tokens_at_most(request) + request.max_tokens if self._tokens else 0
        while True:
            now = self._clock.now()
            delay = max(
                self._not_before - now,
                self._requests.delay(1, now) if self._requests else 0.0,
                self._tokens.delay(tokens, now) if self._tokens else 0.0,
            )
            if delay > 0:
                await self._wait(delay)
            elif self._busy >= self._width.slots:
                self._freed.clear()
                await self._freed.wait()
            else:
                break
        self._busy += 1
        if self._requests:
            self._requests.take(1, now)
        return self._tokens.take(tokens, now) if self._tokens else None

    async def _wait(self, delay: float) -> None:
        """Until `delay` has passed, or a call ended: it may have used less than was booked."""
        self._freed.clear()
        waits: list[asyncio.Task[object]] = [
            asyncio.create_task(self._clock.sleep(delay)),
            asyncio.create_task(self._freed.wait()),
        ]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()

    def _slow_down(self, started: float, retry_after: float | None) -> None:
        now = self._clock.now()
        before = self._width.slots
        self._width.halve(started, now)
        if retry_after is not None:
            self._not_before = max(self._not_before, now + retry_after)
        if self._width.slots < before:
            _log.info("the endpoint asks for fewer calls: %d at a time", self._width.slots)


def _minute(limit: int | None) -> SlidingMinute | None:
    return None if limit is None else SlidingMinute(limit)
