"""Run one coroutine for each item, on this machine, with a bound on how many are under way."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine, Sequence

T = TypeVar("T")
U = TypeVar("U")


class Engine(Protocol):
    """Where a stage's calls run. A stage knows this much and no more."""

    async def map(self, function: Callable[[T], Awaitable[U]], items: Sequence[T]) -> list[U]:
        """Results in the order of `items`."""
        ...


@dataclass(frozen=True, slots=True)
class LocalEngine:
    """asyncio in this process: at most `concurrency` coroutines exist at a time.

    `advance` is called once an item is done; it is display code and must not raise. The first
    exception stops the others and is raised as it is, so that a caller sees `ModelError`, not a
    group.
    """

    concurrency: int = 8
    advance: Callable[[], None] = lambda: None

    async def map(self, function: Callable[[T], Awaitable[U]], items: Sequence[T]) -> list[U]:
        results: dict[int, U] = {}
        # Workers share one iterator: there are never more pending coroutines than workers.
        queue = iter(enumerate(items))

        async def work() -> None:
            for index, item in queue:
                results[index] = await function(item)
                self.advance()

        workers = [asyncio.create_task(work()) for _ in range(min(self.concurrency, len(items)))]
        try:
            await asyncio.gather(*workers)
        finally:
            for worker in workers:
                worker.cancel()
            await asyncio.gather(*workers, return_exceptions=True)
        return [results[index] for index in range(len(items))]


def run_async(main: Coroutine[None, None, T]) -> T:
    """`asyncio.run`, for a result of any size.

    Asking which handler an interrupt has, asyncio lets `enum` write an error that names the task,
    with the repr of all that it returned: seconds for the rows of a large stage.
    """
    results: list[T] = []

    async def kept() -> None:
        results.append(await main)

    asyncio.run(kept())
    return results[0]
