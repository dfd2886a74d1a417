"""The layer that keeps within the rates of an endpoint: one limiter for every call of a build."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from goldsmith.llm.request import Reply, Request, Sender


class Limited:
    """At most `concurrency` calls under way at a time."""

    def __init__(self, inner: Sender, concurrency: int) -> None:
        self._inner = inner
        self._slots = asyncio.Semaphore(concurrency)

    async def send(self, request: Request) -> Reply:
        async with self._slots:
            return await self._inner.send(request)
