"""Limits that hold, ledgers that add up."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldsmith.engine.local import LocalEngine
from goldsmith.errors import BudgetExceededError, ExitStatus, SettingsError
from goldsmith.llm.budgeted import Budget, Budgeted
from goldsmith.llm.costs import cost_per_kept, money_for, prompt_tokens_at_most
from goldsmith.llm.ledger import Ledger
from goldsmith.llm.request import Reply, Request
from goldsmith.llm.tasks import STANDALONE, StandaloneVariables
from goldsmith.prompts import Message
from goldsmith.records import Usage
from goldsmith.settings import Price
from tests.support.asking import GOOD, Asker, questions
from tests.support.llm_server import Answer, Chat, LLMServer, Status

PRICE = Price(input=2.0, output=10.0)


def a_request(number: int = 0, *, length: int = 300, max_tokens: int = 100) -> Request:
    text = f"{number:09}".ljust(length, "x")
    return Request(
        task="critique/standalone",
        model="m",
        messages=(Message(role="user", content=text),),
        temperature=0.0,
        max_tokens=max_tokens,
    )


@dataclass
class Costing:
    """A sender whose replies cost what they are told to, and take a turn of the loop each."""

    tokens_in: int = 90
    tokens_out: int = 10
    sent: list[Request] = field(default_factory=list)
    answered: int = 0

    async def send(self, request: Request) -> Reply:
        self.sent.append(request)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        self.answered += 1
        return Reply("{}", tokens_in=self.tokens_in, tokens_out=self.tokens_out)


def spend(budget: Budget, inner: Costing, calls: int = 50) -> list[Reply | BaseException]:
    async def run() -> list[Reply | BaseException]:
        budgeted = Budgeted(inner, budget)
        sent = (budgeted.send(a_request(number)) for number in range(calls))
        return await asyncio.gather(*sent, return_exceptions=True)

    return asyncio.run(run())


def test_the_bound_of_a_prompt_is_on_the_high_side() -> None:
    # 300 bytes / 3 = 100 tokens, and 8 for the message.
    assert prompt_tokens_at_most(a_request()) == 108


def test_calls_stop_at_the_limit_and_those_under_way_end_first() -> None:
    inner = Costing()
    results = spend(Budget(max_calls=20), inner)
    assert [type(r) for r in results] == [Reply] * 20 + [BudgetExceededError] * 30
    assert len(inner.sent) == inner.answered == 20


def test_tokens_stop_before_the_limit_and_use_it_up() -> None:
    """A call costs 100 tokens, and 208 at most: 10 fit in 1,150, for 1,150 - 1,000 < 208."""
    inner = Costing()
    results = spend(Budget(max_tokens=1150), inner)
    assert sum(isinstance(r, Reply) for r in results) == 10
    assert inner.answered == 10


def test_money_stops_before_the_limit() -> None:
    """A call costs 90 x 2 + 10 x 10 = 280 millionths, and 108 x 2 + 100 x 10 = 1,216 at most.

    Five calls cost 1,400; a sixth might bring 2,616, which is more than 2,600.
    """
    inner = Costing()
    results = spend(Budget(max_cost=0.0026, price=PRICE), inner)
    assert sum(isinstance(r, Reply) for r in results) == 5
    error = next(r for r in results if isinstance(r, BudgetExceededError))
    assert error.exit_status is ExitStatus.BUDGET
    assert "max_cost: 0.0026" in str(error)
    assert "5 calls with 500 tokens for 0.0014" in str(error)


def test_after_the_first_refusal_no_smaller_call_slips_in_to_be_cancelled() -> None:
    """Of 1,000 tokens the first call uses 500. The second might use 2,376 / 3 + 8 + 100 = 900 and
    is refused; the third, which waited beside it and needs no more than 208, would still fit."""
    inner = Costing(tokens_in=490, tokens_out=10)
    budgeted = Budgeted(inner, Budget(max_tokens=1000))

    async def send(length: int) -> Reply:
        return await budgeted.send(a_request(length=length))

    with pytest.raises(BudgetExceededError):
        asyncio.run(LocalEngine(3).map(send, [2376, 2376, 300]))
    assert len(inner.sent) == inner.answered == 1


@given(
    max_tokens=st.integers(0, 3000),
    tokens_in=st.integers(0, 108),
    tokens_out=st.integers(0, 100),
    calls=st.integers(1, 40),
)
def test_no_limit_is_ever_exceeded(
    max_tokens: int, tokens_in: int, tokens_out: int, calls: int
) -> None:
    inner = Costing(tokens_in, tokens_out)
    results = spend(Budget(max_tokens=max_tokens), inner, calls)
    answered = sum(isinstance(r, Reply) for r in results)
    assert answered * (tokens_in + tokens_out) <= max_tokens
    # And no call that surely fits is refused: 208 is the most that one can cost.
    assert answered == calls or answered * (tokens_in + tokens_out) + 208 > max_tokens


def test_a_stopped_build_goes_on_from_where_it_stopped(asker: Asker) -> None:
    with LLMServer(default=Chat(GOOD)) as server:
        with pytest.raises(BudgetExceededError, match="max_calls: 25"):
            asker.ask(server.url, questions(40), max_calls=25)
        assert len(server.seen) == 25
        # What the first run paid for is free now, so 15 calls are enough for the rest.
        assert len(asker.ask(server.url, questions(40), max_calls=15)) == 40
        assert len(server.seen) == 40


def test_a_limit_on_money_needs_a_price(asker: Asker) -> None:
    with LLMServer() as server, pytest.raises(SettingsError, match="no price"):
        asker.ask(server.url, max_cost=1.0, prices={"another": PRICE})
    assert server.seen == []


def test_the_ledger_tells_what_was_paid_from_what_was_used(asker: Asker) -> None:
    prices = {"small-model": PRICE}

    async def run(url: str) -> Ledger:
        async with asker.model(url, prices=prices) as model:
            for question in ("one?", "two?", "three?"):
                await model.run(STANDALONE, StandaloneVariables(question=question))
            return model.ledger

    script: list[Answer] = [Chat(GOOD), Chat("no object"), Chat(GOOD), Status(400, "too long")]
    with LLMServer(script, default=Status(400, "too long")) as server:
        (first,) = asyncio.run(run(server.url)).rows()
        (again,) = asyncio.run(run(server.url)).rows()
    # One reply, one faulty with its re-ask, one request that was refused.
    assert (first.stage, first.calls, first.cached, first.reasks, first.failed) == (
        "critique", 3, 0, 1, 1,
    )  # fmt: skip
    # 3 x 100 tokens in, 3 x 20 out: 300 x 2 + 60 x 10 = 1,200 millionths.
    assert (first.tokens_in, first.tokens_out, first.money) == (300, 60, 0.0012)
    assert first.paid_money == first.money
    assert again.calls == again.cached == 3
    assert (again.money, again.paid_money) == (0.0012, 0.0)


def test_totals_are_the_sum_of_the_stages() -> None:
    ledger = Ledger("m", PRICE)
    ledger.answered("generate", Reply("", tokens_in=10, tokens_out=1), reask=False)
    ledger.answered("critique", Reply("", tokens_in=20, tokens_out=2), reask=True)
    ledger.answered("critique", Reply("", tokens_in=30, cached=True), reask=False)
    ledger.failed("critique")
    assert [(row.stage, row.calls) for row in ledger.rows()] == [("generate", 1), ("critique", 2)]
    total = ledger.total()
    assert (total.stage, total.calls, total.cached, total.reasks, total.failed) == (
        "total", 3, 1, 1, 1,
    )  # fmt: skip
    assert (total.tokens_in, total.paid_tokens_in) == (60, 30)


def test_a_model_without_a_price_has_tokens_and_no_money() -> None:
    ledger = Ledger("m")
    ledger.answered("generate", Reply("", tokens_in=10), reask=False)
    assert ledger.total().money is None
    assert money_for(None, 10, 10) is None


def test_the_cost_of_a_kept_question_bears_the_rejected_ones() -> None:
    usage = Usage(calls=50, reasks=2, tokens_in=100_000, tokens_out=10_000)
    cost = cost_per_kept(usage, 10, PRICE)
    # 100,000 x 2 + 10,000 x 10 = 300,000 millionths, over ten questions.
    assert (cost.calls_per_kept, cost.tokens_per_kept, cost.money) == (5.0, 11_000.0, 0.3)
    assert cost.money_per_kept == pytest.approx(0.03)
    assert cost_per_kept(usage, 0, PRICE).money_per_kept is None
    assert cost_per_kept(usage, 10, None).money_per_kept is None
