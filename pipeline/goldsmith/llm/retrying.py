"""The layer that tries again: which failures, how often, and how long it waits in between."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from goldsmith.errors import ModelError
from goldsmith.llm.faults import TransientError

if TYPE_CHECKING:
    from random import Random

    from goldsmith.llm.clock import Clock
    from goldsmith.llm.request import Reply, Request, Sender

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Patience:
    """How long one call is worth. Waits double from `first_wait` to `longest_wait` seconds."""

    attempts: int = 6
    seconds: float = 300.0
    """From the first attempt on; an attempt that would start later is not made."""
    first_wait: float = 0.5
    longest_wait: float = 30.0
    dead_after: int = 3
    """Calls in a row that ran out of attempts, with no reply to any call in between."""


class Retrying:
    """Sends again what failed in passing; calls the endpoint dead when nothing gets through."""

    def __init__(self, inner: Sender, patience: Patience, clock: Clock, random: Random) -> None:
        self._inner = inner
        self._patience = patience
        self._clock = clock
        self._random = random
        self._given_up = 0

    async def send(self, request: Request) -> Reply:
        started = self._clock.now()
        attempt = 0
        while True:
            attempt += 1
            try:
                reply = await self._inner.send(request)
            except TransientError as error:
                wait = self._wait(attempt, error)
                late = self._clock.now() + wait - started > self._patience.seconds
                if attempt >= self._patience.attempts or late:
                    self._give_up(error, attempt)
                    raise
                _log.debug("attempt %d failed (%s); next in %.1f s", attempt, error, wait)
                await self._clock.sleep(wait)
            else:
                self._given_up = 0
                return reply

    def _wait(self, attempt: int, error: TransientError) -> float:
        """Half to all of the doubled wait, and never less than the endpoint asked for."""
        longest = min(self._patience.longest_wait, self._patience.first_wait * 2.0 ** (attempt - 1))
        jittered = longest * (0.5 + 0.5 * self._random.random())
        if error.retry_after is None:
            return jittered
        # A little later than asked, and not all at the same moment.
        return error.retry_after + self._patience.first_wait * self._random.random()

    def _give_up(self, error: TransientError, attempts: int) -> None:
        self._given_up += 1
        if self._given_up >= self._patience.dead_after:
            raise ModelError(
                f"the endpoint does not answer: {error} ({self._given_up} calls in a row, the last "
                f"tried {attempts} times); what was answered is in the cache, so run again later"
            ) from error
