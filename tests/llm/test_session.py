"""Models that one command opens one after the other know what the others found out."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import pytest

from goldsmith.errors import BudgetExceededError
from goldsmith.llm.session import Session
from goldsmith.settings import ModelSettings, RuntimeSettings
from tests.support.asking import GOOD, ManualClock, questions
from tests.support.llm_server import Answer, Chat, LLMServer, Seen, Status

if TYPE_CHECKING:
    from tests.support.asking import Asker


def a_session(requests_per_minute: int | None = None) -> Session:
    runtime = RuntimeSettings(requests_per_minute=requests_per_minute)
    return Session.of(ModelSettings(name="small-model"), runtime)


def without_seed(seen: Seen) -> Answer:
    return Status(400, "seed is not supported") if "seed" in seen.body else Chat(GOOD)


def test_what_an_endpoint_refuses_is_learned_and_said_once_a_command(
    asker: Asker, caplog: pytest.LogCaptureFixture
) -> None:
    session = a_session()
    with caplog.at_level(logging.WARNING), LLMServer(default=without_seed) as server:
        for question in questions(3):
            (outcome,) = asker.ask(server.url, [question], session=session)
            assert outcome.value is not None
    # One refusal and three replies; without the session each of the three would be refused first.
    assert len(server.seen) == 4
    assert len([record for record in caplog.records if "seed" in record.message]) == 1


def test_a_minute_goes_on_from_one_model_to_the_next(asker: Asker) -> None:
    session, clock = a_session(requests_per_minute=4), ManualClock()
    with LLMServer(default=Chat(GOOD)) as server:
        for question in questions(6):
            asker.ask(server.url, [question], session=session, clock=clock)
    # Four fit into the first minute; the fifth waits for its end.
    assert clock.time == pytest.approx(60, abs=0.1)


def test_a_budget_is_one_for_all(asker: Asker) -> None:
    session = a_session()
    with LLMServer(default=Chat(GOOD)) as server:
        for question in questions(3):
            asker.ask(server.url, [question], session=session, max_calls=3)
        with pytest.raises(BudgetExceededError, match="after 3 calls"):
            asker.ask(server.url, ["One more?"], session=session, max_calls=3)
        assert len(server.seen) == 3
    assert session.ledger.total().calls == 3
