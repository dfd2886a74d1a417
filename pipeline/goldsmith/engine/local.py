"""Run one coroutine for each item, on this machine, with a bound on how many are under way."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

T = TypeVar("T")
U = TypeVar("U")


async def map_ordered(
    function: Callable[[T], Awaitable[U]],
    items: Sequence[T],
    *,
    concurrency: int,
    advance: Callable[[], None] = lambda: None,
) -> list[U]:
    """Results in the order of `items`; at most `concurrency` coroutines exist at a time.

    `advance` is called once an item is done. The first exception stops the others and is raised
    as it is, so that a caller sees `ModelError`, not a group.
    """
    results: dict[int, U] = {}
    queue = iter(enumerate(items))

    async def work() -> None:
        # Workers share one iterator: there are never more pending coroutines than workers.
        for index, item in queue:
            results[index] = await function(item)
            advance()

    workers = [asyncio.create_task(work()) for _ in range(min(concurrency, len(items)))]
    try:
        await asyncio.gather(*workers)
    finally:
        for worker in workers:
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)
    return [results[index] for index in range(len(items))]
