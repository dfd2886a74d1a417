"""The unlabelled half: a run, its questions and a judge; no gold label is looked at.

    score = await score_unlabelled(records, judge)
    score.columns, score.metrics, score.answers

It may run on production traffic: the texts of the passages come from the run, or from a corpus.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from goldsmith.engine.local import LocalEngine
from goldsmith.errors import InputError
from goldsmith.scoring.abstention import abstention_of
from goldsmith.scoring.citations_judged import columns as judged_columns
from goldsmith.scoring.citations_judged import presence_counts, presence_ratio
from goldsmith.scoring.claims import SentenceDecomposer, claim_answer, decompose_answer
from goldsmith.scoring.components import unlabelled_components
from goldsmith.scoring.intervals import bootstrap_of
from goldsmith.scoring.judged import AnswerOnTrial, JudgedAnswer, Passage, judge_answers
from goldsmith.scoring.records import AnswerOutcome, Columns, Half, Layer, Metric
from goldsmith.scoring.second_opinion import second_opinion

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence

    from numpy.typing import NDArray

    from goldsmith.engine.local import Engine
    from goldsmith.scoring.claims import Decomposer
    from goldsmith.scoring.judge import Judge
    from goldsmith.scoring.markers import MarkerGrammar
    from goldsmith.scoring.run_records import Retrieved, RunRecord
    from goldsmith.scoring.second_opinion import Agreement

    Mask = NDArray[np.bool_]

_LISTED = 20


@dataclass(frozen=True, slots=True)
class UnlabelledSetup:
    """What the unlabelled half may be told; the defaults need the run alone."""

    questions: Mapping[str, str] = field(default_factory=dict)
    """By query id, where the records do not hold them."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """By chunk id, where the records do not hold them."""
    known: Container[str] = ()
    """Chunk ids that exist beside those of a record: the corpus."""
    kinds: Mapping[str, str] = field(default_factory=dict)
    """By query id, where gold is at hand: slices of the report."""
    languages: Mapping[str, str] = field(default_factory=dict)
    """By query id; English where nothing is said."""
    grammar: MarkerGrammar | None = None
    decomposer: Decomposer = field(default_factory=SentenceDecomposer)
    second_judge: Judge | None = None
    components: bool = False
    abstained: frozenset[str] | None = None
    """Ids of the queries on which the system abstained, where the labelled half has read them;
    None: read here, by the same rules."""
    seed: int = 7
    resamples: int = 1000
    engine: Engine = field(default_factory=LocalEngine)


@dataclass(frozen=True, slots=True)
class UnlabelledScore:
    """Everything that the unlabelled half found, a record a place."""

    columns: Columns
    metrics: tuple[Metric, ...]
    """Figures that are no ratio of sums."""
    answers: tuple[JudgedAnswer, ...]
    abstained: frozenset[str]
    outcomes: Mapping[str, int]
    """Answers by what came of them: `claims`, `abstained`, `empty_output`, `extraction_failed`."""
    duplicate_markers: int
    near_markers: Mapping[str, tuple[str, ...]]
    """By query id: brackets that nearly match the marker grammar."""
    judge: str
    judge_note: str
    decomposer: str
    questions_asked: int
    agreement: Agreement | None = None


async def score_unlabelled(
    records: Sequence[RunRecord], judge: Judge, setup: UnlabelledSetup | None = None
) -> UnlabelledScore:
    """Raises `InputError` when a question, or the text of a supplied passage, is nowhere to be had;
    `ModelError` and `BudgetExceededError` as the judge's model does.
    """
    setup = setup or UnlabelledSetup()
    _refuse_incomplete(records, setup)
    abstained = setup.abstained
    if abstained is None:
        abstained = frozenset(r.query_id for r in records if _abstained(r, setup))
    trials = await _trials(records, setup, abstained)
    answers = await judge_answers(trials, judge)
    columns = judged_columns(answers)
    if setup.components:
        texts = [record.answer or "" for record in records]
        columns += await unlabelled_components(trials, texts, judge)
    agreement = await second_opinion(answers, setup.second_judge) if setup.second_judge else None
    return UnlabelledScore(
        columns=Columns(
            [r.query_id for r in records], {c.name: c for c in columns}, _slices(records, setup)
        ),
        metrics=(
            _presence(answers, setup),
            *(agreement.metrics(seed=setup.seed, resamples=setup.resamples) if agreement else ()),
        ),
        answers=tuple(answers),
        abstained=abstained,
        outcomes=_outcomes(trials, abstained),
        duplicate_markers=sum(c.duplicate_markers for t in trials for c in t.claimed.claims),
        near_markers={
            t.claimed.query_id: t.claimed.near_markers for t in trials if t.claimed.near_markers
        },
        judge=judge.name,
        judge_note=judge.note,
        decomposer=setup.decomposer.name,
        questions_asked=judge.questions_asked,
        agreement=agreement,
    )


def _refuse_incomplete(records: Sequence[RunRecord], setup: UnlabelledSetup) -> None:
    problems: list[str] = []
    for record in records:
        if not (record.question or setup.questions.get(record.query_id)):
            problems.append(f"query {record.query_id!r} has no question")
        held = {item.chunk_id for item in record.items if item.text}
        problems.extend(
            f"query {record.query_id!r}: supplied passage {chunk_id!r} has no text"
            for chunk_id in record.supplied_ids
            if chunk_id not in held and chunk_id not in setup.texts
        )
    if problems:
        more = len(problems) - _LISTED
        raise InputError(
            "; ".join(problems[:_LISTED])
            + (f"; and {more} more" if more > 0 else "")
            + ": the judged half needs `question` in each record and `text` in each retrieved item,"
            " or a release (--gold) that holds them"
        )


async def _trials(
    records: Sequence[RunRecord], setup: UnlabelledSetup, abstained: frozenset[str]
) -> list[AnswerOnTrial]:
    async def take_apart(record: RunRecord) -> AnswerOnTrial:
        question = record.question or setup.questions[record.query_id]
        claimed = claim_answer(
            record,
            language=setup.languages.get(record.query_id, "en"),
            known=setup.known,
            grammar=setup.grammar,
        )
        if record.query_id in abstained:
            # A refusal states nothing that a passage could support.
            claimed = replace(claimed, claims=())
        else:
            claimed = await decompose_answer(claimed, question, setup.decomposer)
        return AnswerOnTrial(question, claimed, _supplied(record, setup.texts))

    return await setup.engine.map(take_apart, records)


def _supplied(record: RunRecord, texts: Mapping[str, str]) -> tuple[Passage, ...]:
    items: dict[str, Retrieved] = {}
    for item in record.items:
        items.setdefault(item.chunk_id, item)
    passages = []
    for chunk_id in record.supplied_ids:
        found = items.get(chunk_id)
        if found is None:
            passages.append(Passage(chunk_id, texts[chunk_id]))
        else:
            text = found.text or texts[chunk_id]
            passages.append(Passage(chunk_id, text, found.doc_id, found.start, found.end))
    return tuple(passages)


def _abstained(record: RunRecord, setup: UnlabelledSetup) -> bool:
    return abstention_of(record, setup.languages.get(record.query_id, "en")).abstained


def _slices(records: Sequence[RunRecord], setup: UnlabelledSetup) -> dict[str, Mask]:
    """`kind=...` and `timing=...`, for what the records and gold say."""
    masks: dict[str, Mask] = {}
    for place, record in enumerate(records):
        words = {"kind": setup.kinds.get(record.query_id), "timing": record.citation_timing}
        for key, value in words.items():
            if value:
                name = f"{key}={value}"
                masks.setdefault(name, np.zeros(len(records), dtype=np.bool_))[place] = True
    return dict(sorted(masks.items()))


def _outcomes(trials: Sequence[AnswerOnTrial], abstained: frozenset[str]) -> dict[str, int]:
    counted = Counter(
        "abstained" if t.claimed.query_id in abstained else t.claimed.outcome.value for t in trials
    )
    return {name: counted[name] for name in ("abstained", *AnswerOutcome)}


def _presence(answers: Sequence[JudgedAnswer], setup: UnlabelledSetup) -> Metric:
    counts = presence_counts(answers)
    sums = counts.sum(axis=0, keepdims=True)
    value = float(presence_ratio(sums)[0]) if len(counts) else float("nan")
    defined = value == value  # noqa: PLR0124 - NaN is what differs from itself
    interval = bootstrap_of(counts, presence_ratio, seed=setup.seed, resamples=setup.resamples)
    cited, supported, cited_else, unsupported = sums[0] if len(counts) else (0, 0, 0, 0)
    return Metric(
        name="citation_presence_lr",
        half=Half.UNLABELLED,
        layer=Layer.CITATION,
        value=value if defined else None,
        numerator=float(cited / supported) if supported else 0.0,
        denominator=float(cited_else / unsupported) if unsupported else 0.0,
        n=len(answers),
        low=interval.low if interval and defined else None,
        high=interval.high if interval and defined else None,
        method=interval.method if interval and defined else "",
        note="P(cited given supported) / P(cited given unsupported); near 1: markers inform nobody",
    )
