"""How many questions the judged half asks: counted at the model, in front of any cache.

Three gates: can the claim be understood, do the supplied passages support it, do the named ones?
Claims that cite one passage and hold cost no more. Only a claim that fails, or names several, is
put to passages one by one: that is how a misattributed claim finds its passage.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import TYPE_CHECKING, Any

from goldsmith.scoring.judge import Judge
from goldsmith.scoring.judge_offline import OfflineJudge
from goldsmith.scoring.run_records import RecordedClaim, Retrieved, RunRecord
from goldsmith.scoring.unlabelled import score_unlabelled

if TYPE_CHECKING:
    from goldsmith.llm.task import Outcome, Task

GATES = 3
ANSWERS = 500
FACTS = (
    "Invoices are archived by the ledger",
    "Snapshots expire after the quarterly review",
    "Webhooks deliver signed events to the gateway",
    "Guests may comment on shared documents",
    "Backups travel nightly to another region",
)


class Counting:
    """The offline judge, and how often each question reached it."""

    name = "counting"

    def __init__(self) -> None:
        self.questions: Counter[tuple[str, str]] = Counter()
        self._judge = OfflineJudge()

    async def run(self, task: Task[Any, Any], variables: Any) -> Outcome[Any]:  # noqa: ANN401 - of any task
        self.questions[task.name, variables.model_dump_json()] += 1
        return await self._judge.run(task, variables)


def records(*, wrong_every: int | None) -> list[RunRecord]:
    """Answers of two claims over five passages; every n-th cites the neighbour of its passage."""
    found = []
    for number in range(ANSWERS):
        texts = [f"{fact} of tenant {number}." for fact in FACTS]
        wrong = wrong_every is not None and number % wrong_every == 0
        claims = tuple(
            RecordedClaim(texts[place], (f"p-{place + 1 if wrong else place}",)) for place in (0, 1)
        )
        items: list[str | Retrieved] = [
            Retrieved(f"p-{place}", text=text) for place, text in enumerate(texts)
        ]
        found.append(
            RunRecord(f"q-{number}", items, f"What is true of tenant {number}?", claims=claims)
        )
    return found


def calls_a_claim(*, wrong_every: int | None) -> tuple[float, int]:
    """(questions a claim, questions that were asked more than once) of a whole run."""
    model = Counting()
    run = records(wrong_every=wrong_every)
    score = asyncio.run(score_unlabelled(run, Judge(model)))
    claims = sum(len(answer.claims) for answer in score.answers)
    repeated = sum(times > 1 for times in model.questions.values())
    return model.questions.total() / claims, repeated
