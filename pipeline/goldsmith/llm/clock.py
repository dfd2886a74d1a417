"""Time, passed in: the layers wait on a `Clock`, so that tests wait for nothing."""

from __future__ import annotations

import asyncio
import time
from typing import Protocol


class Clock(Protocol):
    def now(self) -> float:
        """Seconds that only ever grow, from an arbitrary start."""
        ...

    def wall(self) -> float:
        """Seconds since 1970, to read dates in headers with; it may jump."""
        ...

    async def sleep(self, seconds: float) -> None: ...


class SystemClock:
    """The clock of this machine."""

    def now(self) -> float:
        return time.monotonic()

    def wall(self) -> float:
        return time.time()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
