"""The layer that tries again: which failures, how often, and how long it waits in between."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from goldsmith.errors import ModelError
from goldsmith.llm.faults import ThrottledError, TransientError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from random import Random

    from goldsmith.llm.clock import Clock
    from goldsmith.llm.request import Reply, Request, Sender

T = TypeVar("T")

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Patience:
    """How long one call is worth, and when the endpoint as a whole is given up."""

    attempts: int = 6
    """Of a call; being told to slow down (429) does not count."""
    seconds: float = 300.0
    """From the first attempt on; an attempt that would start later is not made."""
    first_wait: float = 0.5
    """Seconds; doubles with each attempt."""
    longest_wait: float = 30.0
    dead_after: int = 3
    """Calls given up in a row, of an endpoint that cannot be reached."""
    failing_after: int = 20
    """Likewise of one that answers, but with errors: some requests make a server stumble."""


class Persistence:
    """Repeats what failed in passing; calls the endpoint dead when nothing gets through."""

    def __init__(self, patience: Patience, clock: Clock, random: Random) -> None:
        self._patience = patience
        self._clock = clock
        self._random = random
        self._given_up = 0
        self._failing_since: float | None = None
        """When the first attempt failed after the last reply."""

    async def repeat(self, attempt: Callable[[], Awaitable[T]]) -> T:
        """The result of the first attempt that has one, else the error of the last."""
        started = self._clock.now()
        attempts = failed = 0
        while True:
            attempts += 1
            try:
                result = await attempt()
            except TransientError as error:
                self._refuse_to_wait(error)
                if self._failing_since is None:
                    self._failing_since = self._clock.now()
                failed += not isinstance(error, ThrottledError)
                wait = self._wait(attempts, error)
                late = self._clock.now() + wait - started > self._patience.seconds
                if late or failed >= self._patience.attempts:
                    self._give_up(error)
                    raise
                _log.debug("%s; next attempt in %.1f s", error, wait)
                await self._clock.sleep(wait)
            else:
                self._given_up = 0
                self._failing_since = None
                return result

    def _wait(self, attempts: int, error: TransientError) -> float:
        """Half to all of the doubled wait; where the endpoint named a time, a little more."""
        patience = self._patience
        jitter = self._random.random()
        if error.retry_after is not None:
            return error.retry_after + patience.first_wait * jitter
        longest = min(patience.longest_wait, patience.first_wait * 2.0 ** (attempts - 1))
        return longest * (0.5 + 0.5 * jitter)

    def _refuse_to_wait(self, error: TransientError) -> None:
        """A wait beyond all patience is for the whole account: no call gets through."""
        if error.retry_after is not None and error.retry_after > self._patience.seconds:
            raise ModelError(
                f"{error}; it asks to wait {error.retry_after:.0f} s, longer than retry_seconds "
                f"({self._patience.seconds:.0f}): run again later; what was answered is kept"
            ) from error

    def _give_up(self, error: TransientError) -> None:
        """Raise `ModelError` when this looks like the endpoint and not like the one call."""
        self._given_up += 1
        now = self._clock.now()
        silent = now - (now if self._failing_since is None else self._failing_since)
        allowed = self._patience.failing_after if error.reached else self._patience.dead_after
        if self._given_up < allowed and silent < self._patience.seconds:
            return
        raise ModelError(
            f"the endpoint does not answer: {error} (calls given up in a row: {self._given_up}; "
            f"no reply for {silent:.0f} s); what was answered is in the cache, so run again later"
        ) from error


class Retrying:
    """The layer: every call as often as it takes."""

    def __init__(self, inner: Sender, persistence: Persistence) -> None:
        self._inner = inner
        self._persistence = persistence

    async def send(self, request: Request) -> Reply:
        return await self._persistence.repeat(lambda: self._inner.send(request))
