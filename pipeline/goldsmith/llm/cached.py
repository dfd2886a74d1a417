"""The outermost layer: ask only for what is not in the cache, and only once at a time."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from goldsmith.errors import CacheError
from goldsmith.llm.entry import Entry
from goldsmith.llm.refusals import reads_as_refusal
from goldsmith.llm.request import Finish

if TYPE_CHECKING:
    from goldsmith.llm.cache import ResponseCache
    from goldsmith.llm.request import Reply, Request, Sender


class Cached:
    """Replies from the cache, else from `inner`; stored before they are returned.

    Equal requests that are under way at the same time share one call. Without `inner` nothing is
    asked: a request that is not in the cache is a `CacheError`.
    """

    def __init__(self, inner: Sender | None, cache: ResponseCache) -> None:
        self._inner = inner
        self._cache = cache
        self._under_way: dict[str, asyncio.Future[Reply]] = {}
        self._unstored: list[tuple[Entry, asyncio.Future[None]]] = []
        self._full: CacheError | None = None
        """The cache took no more: nothing further is paid for."""

    async def send(self, request: Request) -> Reply:
        if (reply := self._cache.get(request.key)) is not None:
            return reply
        while (shared := self._under_way.get(request.key)) is not None:
            try:
                return replace(await asyncio.shield(shared), cached=True)
            except asyncio.CancelledError:
                if not shared.cancelled() or _is_cancelled():
                    raise  # this call was cancelled, and not only the one it waits for
        return await self._ask(request)

    async def _ask(self, request: Request) -> Reply:
        if self._inner is None:
            raise CacheError(
                f"a call of task {request.task!r} (key {request.key[:12]}) is not in the cache, "
                "and the build was told to make no calls: allow calls, or import the cache it needs"
            )
        if self._full is not None:
            raise self._full
        future: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self._under_way[request.key] = future
        try:
            reply = await self._inner.send(request)
            if is_worth_keeping(reply):
                await self._keep(request, reply)
        except BaseException as error:
            if isinstance(error, asyncio.CancelledError):
                future.cancel()
            else:
                future.set_exception(error)
                future.exception()  # retrieved: nobody else may be waiting for it
            raise
        else:
            future.set_result(reply)
            return reply
        finally:
            del self._under_way[request.key]

    async def _keep(self, request: Request, reply: Reply) -> None:
        """Return once `reply` is stored; replies that come together share one transaction."""
        loop = asyncio.get_running_loop()
        stored: asyncio.Future[None] = loop.create_future()
        if not self._unstored:
            loop.call_soon(self._store)
        self._unstored.append((Entry.of(request, reply), stored))
        await stored

    def _store(self) -> None:
        together, self._unstored = self._unstored, []
        try:
            self._cache.add(entry for entry, _ in together)
        except CacheError as error:
            self._full = error
        for _, stored in together:
            if stored.done():
                continue  # the call was cancelled; its reply is stored all the same
            if self._full is not None:
                stored.set_exception(self._full)
            else:
                stored.set_result(None)


def _is_cancelled() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def is_worth_keeping(reply: Reply) -> bool:
    """Refused, filtered, cut-off and empty replies are not stored: the next build may fare better.

    A reply that cannot be parsed is stored: it was paid for, and asking again says the same.
    """
    if reply.finish is not Finish.STOP or not reply.text.strip():
        return False
    return "{" in reply.text or not reads_as_refusal(reply.text)
