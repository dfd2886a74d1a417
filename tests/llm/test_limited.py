"""Rates, width and order of the one limiter."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldsmith.llm.faults import ThrottledError
from goldsmith.llm.limited import Limited
from goldsmith.llm.rates import Limits, Pace, SlidingMinute, Width
from goldsmith.llm.request import Reply, Request
from goldsmith.llm.retrying import Patience, Persistence, Retrying
from tests.llm.test_budget import a_request
from tests.support.asking import ManualClock


@dataclass
class Timed:
    """A sender that notes when it was called; some calls may be told to slow down."""

    clock: ManualClock
    takes: float = 1.0
    tokens: int = 100
    throttle: frozenset[int] = frozenset()
    most: int = 0
    starts: list[tuple[float, str]] = field(default_factory=list)
    busy: int = 0

    async def send(self, request: Request) -> Reply:
        self.starts.append((self.clock.now(), request.messages[0].content[:9]))
        number = len(self.starts)
        self.busy += 1
        self.most = max(self.most, self.busy)
        await self.clock.sleep(self.takes)
        self.busy -= 1
        if number in self.throttle:
            raise ThrottledError("slow down")
        return Reply("{}", tokens_in=self.tokens, tokens_out=0)


def run_all(limits: Limits, inner: Timed, calls: int) -> None:
    async def run() -> None:
        clock = inner.clock
        limited = Limited(inner, Pace(limits), clock)
        persistence = Persistence(Patience(seconds=1e9), clock, Random(7))
        stack = Retrying(limited, persistence)
        await asyncio.gather(*(stack.send(a_request(number)) for number in range(calls)))

    asyncio.run(run())


def most_in_a_minute(times: list[float]) -> int:
    return max(sum(start <= t < start + 60 for t in times) for start in times)


@given(limit=st.integers(1, 30), calls=st.integers(1, 60), takes=st.floats(0, 20))
def test_no_minute_has_more_requests_than_allowed(limit: int, calls: int, takes: float) -> None:
    inner = Timed(ManualClock(), takes)
    run_all(Limits(8, requests_per_minute=limit), inner, calls)
    assert len(inner.starts) == calls
    assert most_in_a_minute([time for time, _ in inner.starts]) <= limit


def test_a_minute_is_used_up() -> None:
    """30 calls at 10 a minute: the last ten start two minutes after the first."""
    inner = Timed(ManualClock(), takes=0.1)
    run_all(Limits(8, requests_per_minute=10), inner, 30)
    assert inner.starts[-1][0] == pytest.approx(120, abs=2)


def test_tokens_are_booked_at_the_most_and_corrected_by_what_they_were() -> None:
    """A call books 108 + 100 tokens and uses 50: the next one starts while 50 n + 208 <= 1,000.

    So n = 15 at the last start, and 16 calls are in the first minute.
    """
    inner = Timed(ManualClock(), takes=0.1, tokens=50)
    run_all(Limits(4, tokens_per_minute=1000), inner, 40)
    first = [time for time, _ in inner.starts if time < 60]
    assert len(first) == 16


def test_a_call_larger_than_its_minute_goes_alone() -> None:
    inner = Timed(ManualClock(), takes=0.1)
    run_all(Limits(4, tokens_per_minute=50), inner, 3)
    times = [time for time, _ in inner.starts]
    assert times[1] - times[0] >= 60
    assert times[2] - times[1] >= 60


def test_calls_start_in_the_order_in_which_they_came() -> None:
    inner = Timed(ManualClock())
    run_all(Limits(3), inner, 20)
    names = [name for _, name in inner.starts]
    assert names == sorted(names)
    assert inner.most == 3


def test_a_burst_of_complaints_halves_once() -> None:
    width = Width(64)
    for _ in range(64):
        width.halve(started=0.0, now=1.0)
    assert width.slots == 32
    width.halve(started=1.5, now=2.0)
    assert width.slots == 16


def test_width_grows_by_one_a_round_and_stays_within_its_bounds() -> None:
    width = Width(8)
    for time in range(10):
        width.halve(started=float(time), now=time + 0.5)
    assert width.slots == 1
    width.widen()
    assert width.slots == 2
    for _ in range(3):
        width.widen()
    assert width.slots == 3
    for _ in range(100):
        width.widen()
    assert width.slots == 8


def test_an_endpoint_that_complains_gets_fewer_at_a_time_and_all_are_answered() -> None:
    inner = Timed(ManualClock(), throttle=frozenset(range(1, 200)))
    run_all(Limits(32), inner, 100)
    late = Timed(ManualClock())
    run_all(Limits(32), late, 100)
    assert inner.most == late.most == 32
    assert len(inner.starts) == 100 + 199
    # Of the last complaints, hardly any met another call under way.
    assert inner.starts[-1][0] > late.starts[-1][0]


def test_rounding_is_never_waited_for_forever() -> None:
    minute = SlidingMinute(1)
    minute.take(1, 1e9 + 0.1)
    now, steps = 1e9 + 0.1, 0
    while (delay := minute.delay(1, now)) > 0:
        now += delay
        steps += 1
    assert steps <= 2
