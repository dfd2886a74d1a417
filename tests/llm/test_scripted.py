from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from goldsmith.errors import BudgetExceededError, ModelError
from goldsmith.llm.scripted import Failure, ScriptedModel
from goldsmith.llm.tasks import RELEVANCE, STANDALONE, RatingReply, StandaloneVariables

if TYPE_CHECKING:
    from goldsmith.llm.task import Outcome

FIVE = RatingReply(rationale="clear", rating=5)


def ask(model: ScriptedModel, question: str = "Why?") -> Outcome[RatingReply]:
    return asyncio.run(model.run(STANDALONE, StandaloneVariables(question=question)))


def test_answers_in_order_and_remembers_the_calls() -> None:
    model = ScriptedModel(
        {STANDALONE.name: [FIVE, '{"rationale": "raw", "rating": 2}', "no object", Failure("late")]}
    )
    outcomes = [ask(model, question) for question in ("one?", "two?", "three?", "four?")]
    assert [o.value.rating if o.value else o.failure for o in outcomes] == [
        5,
        2,
        "unparseable",
        "late",
    ]
    assert [v.question for v in model.calls_of(STANDALONE)] == ["one?", "two?", "three?", "four?"]
    assert model.calls_of(RELEVANCE) == []


def test_one_answer_is_given_every_time_and_a_function_sees_the_variables() -> None:
    model = ScriptedModel({STANDALONE.name: FIVE})
    assert [ask(model).value, ask(model).value] == [FIVE, FIVE]
    rated = ScriptedModel({STANDALONE.name: lambda v: RatingReply(rationale=v.question, rating=3)})
    assert ask(rated, "How?").value == RatingReply(rationale="How?", rating=3)


def test_raises_what_it_is_told_to() -> None:
    with pytest.raises(BudgetExceededError):
        ask(ScriptedModel({STANDALONE.name: [BudgetExceededError("enough")]}))


@pytest.mark.parametrize("scripts", [{}, {STANDALONE.name: []}])
def test_a_script_that_runs_out_is_said(scripts: dict[str, list[str]]) -> None:
    with pytest.raises(ModelError, match=STANDALONE.name):
        ask(ScriptedModel(scripts))


def test_an_answer_of_another_task_does_not_pass() -> None:
    with pytest.raises(ValueError, match="rationale"):
        ask(ScriptedModel({STANDALONE.name: StandaloneVariables(question="?")}))
