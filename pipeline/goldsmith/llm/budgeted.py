"""The layer that stops before a limit is exceeded, with nothing lost that was paid for."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from goldsmith.errors import BudgetExceededError
from goldsmith.llm.costs import money_for, prompt_tokens_at_most

if TYPE_CHECKING:
    from goldsmith.llm.request import Reply, Request, Sender
    from goldsmith.settings import Price


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits of one run; None: no limit."""

    max_calls: int | None = None
    max_tokens: int | None = None
    max_cost: float | None = None
    price: Price | None = None
    """Needed when `max_cost` is set."""


@dataclass(slots=True)
class Spent:
    """Calls and tokens, to count against a budget."""

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0

    def add(self, other: Spent, sign: int = 1) -> None:
        self.calls += sign * other.calls
        self.tokens_in += sign * other.tokens_in
        self.tokens_out += sign * other.tokens_out


class Budgeted:
    """Admits a call when the budget holds even if all calls under way cost the most they can.

    When it would not hold, the call waits for those under way to report what they did cost. Only
    when none is left is it refused, so every reply that was paid for has reached the cache.
    """

    def __init__(self, inner: Sender, budget: Budget, spent: Spent | None = None) -> None:
        """`spent` is added to: a command whose stages share it keeps to one budget."""
        self._inner = inner
        self._budget = budget
        self._spent = Spent() if spent is None else spent
        self._reserved = Spent()
        self._changed = asyncio.Event()
        self._refused: str | None = None
        """The limit that stopped the first call. A smaller one might still fit, but the build is
        ending, and what is admitted now would be paid for and cancelled."""

    async def send(self, request: Request) -> Reply:
        bound = Spent(1, prompt_tokens_at_most(request), request.max_tokens)
        while (limit := self._limit_reached(bound)) is not None:
            if self._reserved.calls == 0:
                self._refused = limit
                raise BudgetExceededError(self._message(limit))
            await self._changed.wait()
        self._reserved.add(bound)
        cost = Spent(calls=1)
        try:
            reply = await self._inner.send(request)
            cost = Spent(1, reply.tokens_in, reply.tokens_out)
        finally:
            self._settle(bound, cost)
        return reply

    def _settle(self, bound: Spent, cost: Spent) -> None:
        self._reserved.add(bound, -1)
        self._spent.add(cost)
        self._changed.set()
        self._changed = asyncio.Event()

    def _limit_reached(self, bound: Spent) -> str | None:
        """The setting that a call of at most `bound` might exceed."""
        if self._refused is not None:
            return self._refused
        budget, parts = self._budget, (self._spent, self._reserved, bound)
        calls = sum(part.calls for part in parts)
        tokens_in = sum(part.tokens_in for part in parts)
        tokens_out = sum(part.tokens_out for part in parts)
        if budget.max_calls is not None and calls > budget.max_calls:
            return f"max_calls: {budget.max_calls}"
        if budget.max_tokens is not None and tokens_in + tokens_out > budget.max_tokens:
            return f"max_tokens: {budget.max_tokens}"
        money = money_for(budget.price, tokens_in, tokens_out)
        if budget.max_cost is not None and money is not None and money > budget.max_cost:
            return f"max_cost: {budget.max_cost}"
        return None

    def _message(self, limit: str) -> str:
        spent = self._spent
        money = money_for(self._budget.price, spent.tokens_in, spent.tokens_out)
        cost = "" if money is None else f" for {money:.4f}"
        return (
            f"stopped before {limit} would be exceeded, after {spent.calls} calls with "
            f"{spent.tokens_in + spent.tokens_out} tokens{cost}; every reply is in the cache: "
            "raise the limit in runtime.yaml and run again to go on from here"
        )
