from __future__ import annotations

import asyncio

import pytest

from goldsmith.engine.local import LocalEngine, run_async
from goldsmith.errors import ModelError


def test_results_come_in_the_order_of_the_items() -> None:
    finished: list[int] = []

    async def work(item: int) -> int:
        # Later items finish first: they yield to the loop fewer times.
        for _ in range(10 - item):
            await asyncio.sleep(0)
        finished.append(item)
        return item * item

    results = asyncio.run(LocalEngine(concurrency=10).map(work, list(range(10))))
    assert results == [n * n for n in range(10)]
    assert finished != sorted(finished)


def test_no_more_than_the_bound_are_under_way() -> None:
    under_way, most = 0, 0

    async def work(_: int) -> None:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await asyncio.sleep(0)
        under_way -= 1

    asyncio.run(LocalEngine(concurrency=3).map(work, list(range(20))))
    assert most == 3


def test_the_first_error_stops_the_rest_and_comes_out_as_it_is() -> None:
    started: list[int] = []

    async def work(item: int) -> None:
        started.append(item)
        await asyncio.sleep(0)
        raise ModelError("the endpoint is gone")

    with pytest.raises(ModelError, match="the endpoint is gone"):
        asyncio.run(LocalEngine(concurrency=2).map(work, list(range(100))))
    assert len(started) <= 4


def test_an_item_is_counted_when_it_is_done() -> None:
    ticks: list[None] = []

    async def work(item: int) -> int:
        await asyncio.sleep(0)
        return item

    engine = LocalEngine(concurrency=2, advance=lambda: ticks.append(None))
    asyncio.run(engine.map(work, [1, 2, 3]))
    assert len(ticks) == 3
    assert asyncio.run(engine.map(work, [])) == []


class Large:
    """A result whose repr would take long."""

    def __repr__(self) -> str:
        raise AssertionError("nobody needs to read it")


def test_a_result_is_returned_without_being_written_out() -> None:
    result = Large()

    async def work() -> Large:
        return result

    assert run_async(work()) is result
