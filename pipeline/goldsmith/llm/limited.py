"""The layer that keeps within the rates of an endpoint: one limiter for every call of a build."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from goldsmith.llm.costs import prompt_tokens_at_most
from goldsmith.llm.faults import ThrottledError

if TYPE_CHECKING:
    from goldsmith.llm.clock import Clock
    from goldsmith.llm.rates import Pace, Taken
    from goldsmith.llm.request import Reply, Request, Sender

_log = logging.getLogger(__name__)


class Limited:
    """Lets calls through one by one, in the order in which they came, as fast as is allowed.

    A 429 halves the number of calls under way, and its time to wait holds back every call.
    """

    def __init__(self, inner: Sender, pace: Pace, clock: Clock) -> None:
        """`pace` goes on from stage to stage, as the minutes of the endpoint do."""
        self._inner = inner
        self._clock = clock
        self._pace = pace
        self._busy = 0
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
            self._pace.width.widen()
            if booked is not None and self._pace.tokens is not None:
                self._pace.tokens.correct(booked, reply.tokens_in + reply.tokens_out)
            return reply
        finally:
            self._busy -= 1
            self._freed.set()

    async def _admitted(self, request: Request) -> Taken | None:
        """Wait for time and a slot, and take both; the tokens booked, where they are limited."""
        tokens = prompt_tokens_at_most(request) + request.max_tokens if self._pace.tokens else 0
        while True:
            now = self._clock.now()
            delay = max(
                self._pace.not_before - now,
                self._pace.requests.delay(1, now) if self._pace.requests else 0.0,
                self._pace.tokens.delay(tokens, now) if self._pace.tokens else 0.0,
            )
            if delay > 0:
                await self._wait(delay)
            elif self._busy >= self._pace.width.slots:
                self._freed.clear()
                await self._freed.wait()
            else:
                break
        self._busy += 1
        if self._pace.requests:
            self._pace.requests.take(1, now)
        return self._pace.tokens.take(tokens, now) if self._pace.tokens else None

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
        before = self._pace.width.slots
        self._pace.width.halve(started, now)
        if retry_after is not None:
            self._pace.not_before = max(self._pace.not_before, now + retry_after)
        if self._pace.width.slots < before:
            _log.info("the endpoint asks for fewer calls: %d at a time", self._pace.width.slots)
