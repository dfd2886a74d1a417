"""How much an endpoint is given: a sliding minute, and a width that follows its complaints."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from goldsmith.settings import RuntimeSettings

_MINUTE = 60.0
_SHORTEST_DELAY = 0.001
"""Seconds; a remainder of rounding must not be waited for again and again."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What the account at the endpoint allows; None: not known."""

    concurrency: int
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None

    @classmethod
    def of(cls, runtime: RuntimeSettings) -> Self:
        return cls(runtime.concurrency, runtime.requests_per_minute, runtime.tokens_per_minute)


@dataclass(slots=True)
class Taken:
    """An amount that counts for a minute from `time` on."""

    time: float
    amount: float


class SlidingMinute:
    """At most `limit` units in any sixty seconds. A single larger amount fits an empty minute."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._taken: deque[Taken] = deque()
        self._sum = 0.0

    def delay(self, amount: float, now: float) -> float:
        """Seconds until `amount` fits; 0 when it does."""
        while self._taken and self._taken[0].time <= now - _MINUTE:
            self._sum -= self._taken.popleft().amount
        room = self._limit - self._sum
        if amount <= room or not self._taken:
            return 0.0
        free_at = self._taken[-1].time
        for entry in self._taken:
            room += entry.amount
            if amount <= room:
                free_at = entry.time
                break
        return max(_SHORTEST_DELAY, free_at + _MINUTE - now)

    def take(self, amount: float, now: float) -> Taken:
        entry = Taken(now, amount)
        self._taken.append(entry)
        self._sum += amount
        return entry

    def correct(self, entry: Taken, amount: float) -> None:
        """Replace an estimate by what it was; an entry older than a minute no longer counts."""
        if self._taken and entry.time >= self._taken[0].time:
            self._sum += amount - entry.amount
            entry.amount = amount


class Width:
    """How many calls may be under way: one more a round that goes well, half when told to slow."""

    def __init__(self, ceiling: int) -> None:
        self._ceiling = ceiling
        self._width = float(ceiling)
        self._cut_at = float("-inf")

    @property
    def slots(self) -> int:
        return int(self._width)

    def widen(self) -> None:
        """A call went well: a whole round of them widens by one."""
        self._width = min(float(self._ceiling), self._width + 1 / self._width)

    def halve(self, started: float, now: float) -> None:
        """A call that started at `started` was told to slow down.

        Calls that were under way at the last cut say nothing new, so a burst of complaints halves
        once.
        """
        if started >= self._cut_at:
            self._width = max(1.0, self._width / 2)
            self._cut_at = now


class Pace:
    """How fast an endpoint is asked: what is used up of its minutes, and its width."""

    def __init__(self, limits: Limits) -> None:
        self.width = Width(limits.concurrency)
        self.requests = _minute(limits.requests_per_minute)
        self.tokens = _minute(limits.tokens_per_minute)
        self.not_before = float("-inf")
        """It named a time: no call before that."""


def _minute(limit: int | None) -> SlidingMinute | None:
    return None if limit is None else SlidingMinute(limit)
