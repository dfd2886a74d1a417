"""Answers to probes, read by a judge: who abstained, who corrected the premise, who was trapped.

The record's own flag always wins. Where the judge gives no readable word, the words of the answer
decide, as they do without a judge.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from goldsmith.records import Expected
from goldsmith.scoring.abstention import Abstention
from goldsmith.scoring.judge import Asked
from goldsmith.scoring.judge_tasks import (
    ABSTENTION,
    CORRECTNESS,
    AbstentionVariables,
    CorrectnessVariables,
    Stated,
)
from goldsmith.scoring.judge_tasks import Response as Responded
from goldsmith.scoring.probes import WordReading
from goldsmith.scoring.records import Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from goldsmith.scoring.citations_labelled import Response
    from goldsmith.scoring.gold import GoldQuery
    from goldsmith.scoring.judge import Judge
    from goldsmith.scoring.run_records import RunRecord

    Pair = tuple[RunRecord, GoldQuery]


@dataclass(frozen=True, slots=True)
class JudgedReading:
    """What a judge said of each answer, by query id; a query that is not there is read by words."""

    words: WordReading
    abstained: Mapping[str, bool] = field(default_factory=dict)
    corrected: Mapping[str, bool] = field(default_factory=dict)
    trapped: Mapping[str, bool] = field(default_factory=dict)

    def abstention(self, response: Response) -> Abstention:
        said = self.abstained.get(response.query.query_id)
        if said is None or response.record.abstained is not None:
            return self.words.abstention(response)
        return Abstention(said, inferred=True)

    def states_trap(self, response: Response) -> bool:
        said = self.trapped.get(response.query.query_id)
        return self.words.states_trap(response) if said is None else said

    def corrects_premise(self, response: Response) -> bool:
        said = self.corrected.get(response.query.query_id)
        return self.words.corrects_premise(response) if said is None else said


async def read_by_judge(
    pairs: Sequence[Pair], judge: Judge, texts: Mapping[str, str]
) -> JudgedReading:
    """Ask the judge about every answer without a flag, and about every probe that has a trap or a
    false premise. `texts` are the corpus by chunk id.
    """
    said = [(record, query) for record, query in pairs if _said(record)]
    return JudgedReading(
        words=WordReading(texts),
        abstained=await _abstained([p for p in said if p[0].abstained is None], judge),
        corrected=await _corrected(
            [p for p in said if p[1].expected is Expected.CORRECT_THE_PREMISE], judge
        ),
        trapped=await _trapped([p for p in said if p[1].trap_chunk_ids], judge, texts),
    )


def _said(record: RunRecord) -> str:
    return record.answer or " ".join(claim.text for claim in record.claims or ())


async def _abstained(pairs: Sequence[Pair], judge: Judge) -> dict[str, bool]:
    outcomes = await judge.ask(
        ABSTENTION,
        [AbstentionVariables(question=q.question, answer=_said(r)) for r, q in pairs],
    )
    return {
        query.query_id: outcome.value.verdict is Responded.ABSTAINS
        for (_, query), outcome in zip(pairs, outcomes, strict=True)
        if outcome.value is not None
    }


async def _corrected(pairs: Sequence[Pair], judge: Judge) -> dict[str, bool]:
    """The gold answer of a false premise is its correction: does the answer state it?"""
    outcomes = await judge.ask(
        CORRECTNESS,
        [
            CorrectnessVariables(question=q.question, statement=q.answer, answer=_said(r))
            for r, q in pairs
        ],
    )
    return {
        query.query_id: outcome.value.verdict is Stated.STATES
        for (_, query), outcome in zip(pairs, outcomes, strict=True)
        if outcome.value is not None
    }


async def _trapped(
    pairs: Sequence[Pair], judge: Judge, texts: Mapping[str, str]
) -> dict[str, bool]:
    """Does the trap support what the answer says? Then the answer was taken from it."""
    rulings = await judge.support(
        [Asked(_said(r), tuple(texts[i] for i in q.trap_chunk_ids if i in texts)) for r, q in pairs]
    )
    return {
        query.query_id: ruling.verdict is Verdict.SUPPORTS
        for (_, query), ruling in zip(pairs, rulings, strict=True)
        if ruling.verdict is not None
    }
