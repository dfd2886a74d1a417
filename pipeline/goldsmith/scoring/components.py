"""Component figures, on request: each a question of its own to the judge, with its own strictness.

None of them is a part of another figure. `context_sufficiency` has a labelled counterpart that
needs no judge (`attributable_statement_coverage`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from goldsmith.scoring.judge import Asked, Judge
from goldsmith.scoring.judge_tasks import (
    ANSWER_RELEVANCE,
    CORRECTNESS,
    PASSAGE_RELEVANCE,
    SUFFICIENCY,
    AnswerRelevanceVariables,
    CorrectnessVariables,
    PassageRelevanceVariables,
    Stated,
    SufficiencyVariables,
    YesNo,
    YesNoReply,
    shown,
)
from goldsmith.scoring.records import Aggregation, Column, Half, Layer, Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from goldsmith.llm.task import Outcome
    from goldsmith.records import Statement
    from goldsmith.scoring.judged import AnswerOnTrial

    Pairs = list[list[float]]

DEPTH = 5
"""Passages of an answer that are judged for `retrieval_relevance@k`."""


async def unlabelled_components(
    trials: Sequence[AnswerOnTrial],
    answers: Sequence[str],
    judge: Judge,
    *,
    depth: int = DEPTH,
) -> list[Column]:
    """`answers` are the texts as given, empty where there is none; an answer a place."""
    return [
        *await _answer_relevance(trials, answers, judge),
        *await _retrieval_relevance(trials, judge, depth),
        *await _context_sufficiency(trials, judge),
        *await _chunk_attribution(trials, judge),
    ]


async def answer_correctness(
    questions: Sequence[str],
    answers: Sequence[str],
    statements: Sequence[Sequence[Statement]],
    judge: Judge,
) -> list[Column]:
    """Statements of the gold answer that the answer states, contradicts or leaves out (labelled).

    An empty answer leaves out every statement, without asking anyone.
    """
    asked = [
        (i, CorrectnessVariables(question=question, statement=statement.text, answer=answer))
        for i, (question, answer, gold) in enumerate(
            zip(questions, answers, statements, strict=True)
        )
        for statement in gold
    ]
    outcomes = await judge.ask(CORRECTNESS, [a for _, a in asked if a.answer.strip()])
    replies = iter(outcomes)
    pairs = {stated: _zeros(len(questions)) for stated in Stated}
    failed = _zeros(len(questions))
    for i, question in asked:
        verdict: Stated | None = Stated.LEAVES_OUT
        if question.answer.strip():
            outcome = next(replies)
            verdict = None if outcome.value is None else outcome.value.verdict
        failed[i][1] += 1
        failed[i][0] += verdict is None
        for stated in Stated if verdict is not None else ():
            pairs[stated][i][0] += stated is verdict
            pairs[stated][i][1] += 1
    names = {
        Stated.STATES: "answer_correctness",
        Stated.CONTRADICTS: "answer_contradicts",
        Stated.LEAVES_OUT: "answer_leaves_out",
    }
    found = [
        _column(name, pairs[stated], Half.LABELLED, Aggregation.POOLED)
        for stated, name in names.items()
    ]
    return [*found, *_failed("answer_correctness", failed, Half.LABELLED)]


async def _answer_relevance(
    trials: Sequence[AnswerOnTrial], answers: Sequence[str], judge: Judge
) -> list[Column]:
    places = [i for i, answer in enumerate(answers) if answer.strip()]
    outcomes = await judge.ask(
        ANSWER_RELEVANCE,
        [AnswerRelevanceVariables(question=trials[i].question, answer=answers[i]) for i in places],
    )
    return _yes_no("answer_relevance", len(trials), places, outcomes)


async def _retrieval_relevance(
    trials: Sequence[AnswerOnTrial], judge: Judge, depth: int
) -> list[Column]:
    """A lenient judge a passage: only wholly unrelated ones fail."""
    asked = [
        (i, PassageRelevanceVariables(question=trial.question, passage=passage.text))
        for i, trial in enumerate(trials)
        for passage in trial.supplied[:depth]
    ]
    outcomes = await judge.ask(PASSAGE_RELEVANCE, [question for _, question in asked])
    return _yes_no(f"retrieval_relevance@{depth}", len(trials), [i for i, _ in asked], outcomes)


async def _context_sufficiency(trials: Sequence[AnswerOnTrial], judge: Judge) -> list[Column]:
    places = [i for i, trial in enumerate(trials) if trial.supplied]
    outcomes = await judge.ask(
        SUFFICIENCY,
        [
            SufficiencyVariables(
                question=trials[i].question,
                passages=shown(tuple(p.text for p in trials[i].supplied)),
            )
            for i in places
        ],
    )
    return _yes_no("context_sufficiency", len(trials), places, outcomes)


async def _chunk_attribution(trials: Sequence[AnswerOnTrial], judge: Judge) -> list[Column]:
    """Share of the supplied passages that support at least one claim of the answer."""
    asked = [
        (i, passage.chunk_id, Asked(claim.text, (passage.text,)))
        for i, trial in enumerate(trials)
        for passage in trial.supplied
        for claim in trial.claimed.claims
    ]
    rulings = await judge.support([question for _, _, question in asked])
    supports = {
        (i, chunk_id)
        for (i, chunk_id, _), ruling in zip(asked, rulings, strict=True)
        if ruling.verdict is Verdict.SUPPORTS
    }
    pairs = _zeros(len(trials))
    for i, trial in enumerate(trials):
        if trial.claimed.claims:
            pairs[i][0] = sum((i, p.chunk_id) in supports for p in trial.supplied)
            pairs[i][1] = len(trial.supplied)
    return [_column("chunk_attribution", pairs, Half.UNLABELLED, Aggregation.POOLED)]


def _yes_no(
    name: str, count: int, places: Sequence[int], outcomes: Sequence[Outcome[YesNoReply]]
) -> list[Column]:
    """Pooled share of yes; words that could not be read are counted beside it."""
    pairs, failed = _zeros(count), _zeros(count)
    for i, outcome in zip(places, outcomes, strict=True):
        failed[i][0] += outcome.value is None
        failed[i][1] += 1
        if outcome.value is not None:
            pairs[i][0] += outcome.value.verdict is YesNo.YES
            pairs[i][1] += 1
    return [
        _column(name, pairs, Half.UNLABELLED, Aggregation.POOLED),
        *_failed(name, failed, Half.UNLABELLED),
    ]


def _failed(name: str, pairs: Pairs, half: Half) -> list[Column]:
    column = _column(f"{name}_judge_failed", pairs, half, Aggregation.POOLED)
    return [column] if column.numerator.any() else []


def _zeros(count: int) -> Pairs:
    return [[0.0, 0.0] for _ in range(count)]


def _column(name: str, pairs: Pairs, half: Half, aggregation: Aggregation) -> Column:
    sums = np.asarray(pairs, dtype=np.float64).reshape(len(pairs), 2)
    return Column(
        name=name,
        half=half,
        layer=Layer.COMPONENT,
        numerator=sums[:, 0],
        denominator=sums[:, 1],
        aggregation=aggregation,
    )
