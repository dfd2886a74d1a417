"""The layer that sends what is missing as batches, in place of one call at a time.

Requests are gathered until no more come, sent as a few files, and answered when the endpoint has
worked through them.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from goldsmith.errors import ModelError
from goldsmith.llm.dialect import Dialect
from goldsmith.llm.faults import RejectedError, TransientError
from goldsmith.llm.request import Reply

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import TracebackType

    from goldsmith.llm.batch_desk import BatchDesk
    from goldsmith.llm.batch_journal import Sent
    from goldsmith.llm.batches import Batch, Result
    from goldsmith.llm.clock import Clock
    from goldsmith.llm.request import Request

_log = logging.getLogger(__name__)

_LINGER = 0.5
"""Seconds without a further request after which a batch is sent."""


@dataclass(frozen=True, slots=True)
class BatchLimits:
    """Of one batch; the endpoint's own are 50,000 requests and 200 MB."""

    requests: int = 20_000
    bytes: int = 100_000_000
    rounds: int = 5
    """Times that a call is sent which a batch left unfinished: expired, 5xx, another dialect."""


class Batched:
    """A `Sender`; an async context manager that stops waiting on the way out."""

    def __init__(
        self,
        desk: BatchDesk,
        clock: Clock,
        limits: BatchLimits | None = None,
        dialect: Dialect | None = None,
    ) -> None:
        self._desk = desk
        self._clock = clock
        self._limits = limits or BatchLimits()
        self._most = self._limits.requests
        self._dialect = dialect or Dialect()
        self._waiting: dict[str, tuple[Request, asyncio.Future[Reply]]] = {}
        self._worker: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._worker is not None:
            self._worker.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._worker
        self._desk.close()

    async def send(self, request: Request) -> Reply:
        future: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self._waiting[request.key] = (request, future)
        if self._worker is None or self._worker.done():
            self._worker = asyncio.create_task(self._work())
        return await future

    async def _work(self) -> None:
        """Send and follow until nobody waits; an error is everybody's."""
        try:
            while self._waiting:
                await self._all_gathered()
                await self._settle([request for request, _ in self._waiting.values()])
        except Exception as error:  # noqa: BLE001 - it is raised in every call that waits
            for key in list(self._waiting):
                self._answer(key, error)

    async def _all_gathered(self) -> None:
        before = -1
        while before != len(self._waiting):
            before = len(self._waiting)
            await self._clock.sleep(_LINGER)

    async def _settle(self, requests: list[Request]) -> None:
        """Have every request answered, in as many rounds as it takes."""
        for _ in range(self._limits.rounds):
            as_sent = deepcopy(self._dialect)
            async with self._desk.sending():
                sent = await self._desk.take_up({request.key for request in requests})
                covered = {key for batch in sent for key in batch.calls}
                for group in self._groups(r for r in requests if r.key not in covered):
                    sent.append(await self._desk.submit(group, as_sent))
            followed = (self._follow(batch, as_sent) for batch in sent)
            # All of them to their end, so that every reply is filed before an error is raised.
            for ended in await asyncio.gather(*followed, return_exceptions=True):
                if isinstance(ended, BaseException):
                    raise ended
            requests = [request for request in requests if request.key in self._waiting]
            if not requests:
                return
        for request in requests:
            message = f"{self._limits.rounds} batches left the call unfinished"
            self._answer(request.key, TransientError(message))

    def _groups(self, requests: Iterable[Request]) -> Iterator[list[Request]]:
        group: list[Request] = []
        size = 0
        for request in requests:
            length = len(request.identity)
            if group and (len(group) >= self._most or size + length > self._limits.bytes):
                yield group
                group, size = [], 0
            group.append(request)
            size += length
        if group:
            yield group

    async def _follow(self, sent: Sent, as_sent: Dialect) -> None:
        batch, results = await self._desk.follow(sent)
        for key, result in results.items():
            self._resolve(key, result, as_sent)
        if batch is not None:
            self._check_ending(batch, len(sent.calls), len(results))

    def _resolve(self, key: str, result: Result, as_sent: Dialect) -> None:
        """Answer the call, unless the next round may do better."""
        if key not in self._waiting or isinstance(result, TransientError):
            return
        if isinstance(result, RejectedError):
            body = as_sent.body(self._waiting[key][0])
            if self._dialect.learn(body, result.said):
                return
        self._answer(key, result)

    def _answer(self, key: str, result: Reply | Exception) -> None:
        _, future = self._waiting.pop(key)
        if future.done():
            return  # the call was cancelled meanwhile
        if isinstance(result, Reply):
            future.set_result(result)
        else:
            future.set_exception(result)

    def _check_ending(self, batch: Batch, calls: int, results: int) -> None:
        """Raise `ModelError` for a batch that ended in a way which another round would not cure."""
        if batch.status == "failed" and batch.is_too_large and calls > 1:
            self._most = max(1, calls // 2)
            _log.info("the endpoint takes fewer calls at a time: %d in a batch", self._most)
        elif batch.status in {"failed", "cancelled"}:
            raise ModelError(
                f"batch {batch.batch_id!r} was {batch.status} after {results} of {calls} calls: "
                f"{batch.complaint or 'no reason given'}; what it answered is in the cache"
            )
