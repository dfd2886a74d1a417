"""Both halves, triage and report put together: what `goldsmith score` does, as one function.

report = await make_report(Path("run.jsonl"), gold=read_gold(release), judge=offline_judge())
write_report(Path("out"), report)
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from goldsmith.errors import BudgetExceededError, InputError, ModelError
from goldsmith.scoring.answered import AnswerRules
from goldsmith.scoring.ceilings import ceiling_metrics
from goldsmith.scoring.components import answer_correctness
from goldsmith.scoring.corrected import corrected_accuracy
from goldsmith.scoring.gold import Corpus
from goldsmith.scoring.judged_reading import read_by_judge
from goldsmith.scoring.label_check import check_labels
from goldsmith.scoring.labelled import ScoreSetup, score
from goldsmith.scoring.records import Columns
from goldsmith.scoring.report import Listing, ReleaseInfo, Report, RunInfo
from goldsmith.scoring.runs import holds_answers, is_json_lines, read_run
from goldsmith.scoring.summary import Summarizer
from goldsmith.scoring.triage import cases_of, triage
from goldsmith.scoring.unlabelled import UnlabelledSetup, score_unlabelled

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from goldsmith.scoring.audit import AuditReport
    from goldsmith.scoring.gold import Gold, GoldQuery
    from goldsmith.scoring.judge import Judge
    from goldsmith.scoring.labelled import ScoreResult
    from goldsmith.scoring.records import Column, Metric
    from goldsmith.scoring.run_records import RunRecord
    from goldsmith.scoring.unlabelled import UnlabelledScore


@dataclass(frozen=True, slots=True)
class ReportSetup:
    """Everything about a report that can be set."""

    labelled: ScoreSetup = field(default_factory=ScoreSetup)
    unlabelled: UnlabelledSetup = field(default_factory=UnlabelledSetup)
    audit: AuditReport | None = None
    """Of the judge: shown, and used to correct the citation accuracy."""
    strict: bool = False
    """Unknown fields in the run are errors."""


_OUT_OF_REACH = (ModelError, BudgetExceededError)
"""A judge that is down, or at its budget: what needs no judge still comes out."""


@dataclass(slots=True)
class _Draft:
    """A report in the making."""

    metrics: list[Metric] = field(default_factory=list)
    columns: list[Columns] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    listings: list[Listing] = field(default_factory=list)
    unjudged: ModelError | BudgetExceededError | None = None


async def make_report(
    run: Path,
    *,
    gold: Gold | None = None,
    judge: Judge | None = None,
    setup: ReportSetup | None = None,
) -> Report:
    """Score a run file: against `gold` (labelled half), by `judge` (unlabelled half), or both.

    A judge that cannot be asked any more costs the judged figures, not the labelled ones: the
    report then says so, and has the error as `unjudged`. Raises `InputError` when neither gold nor
    judge is given, for a TREC run without gold, and as the halves do.
    """
    setup = setup or ReportSetup()
    has_answers = _refuse_hopeless(run, gold, judge)
    draft = _Draft()
    records = read_run(run, strict=setup.strict) if has_answers else []
    if gold is not None:
        records = [record for record in records if record.query_id in gold.numbers]
    corpus = gold.load_corpus() if gold is not None and gold.load_corpus else Corpus(frozenset())
    if gold is not None and judge is not None and not judge.by_rules:
        try:
            setup = await _with_judged_reading(setup, gold, records, corpus, judge)
        except _OUT_OF_REACH as error:
            draft.unjudged, judge = error, None
    result = _labelled(gold, run, setup, draft) if gold is not None else None
    judged: UnlabelledScore | None = None
    if judge is not None and any(r.answer is not None or r.claims is not None for r in records):
        try:
            judged = await _judged(records, judge, corpus, result, setup, draft)
        except _OUT_OF_REACH as error:
            if result is None:
                raise
            draft.unjudged = error
    report = Report(
        run=_run_info(run, records, result, judged, draft),
        metrics=tuple(draft.metrics),
        release=_release(gold),
        columns=tuple(draft.columns),
        kinds=_kinds(gold),
        unlabelled=judged,
        audit=setup.audit,
        notices=_notices(draft),
        unjudged=draft.unjudged,
        listings=tuple(draft.listings),
        texts=corpus.texts,
    )
    if result is None or not records:
        return report
    return _triaged(report, result, records, corpus, setup)


def _notices(draft: _Draft) -> tuple[str, ...]:
    if draft.unjudged is None:
        return ()
    return (f"Nothing was judged, because the judge could not be asked: {draft.unjudged}",)


def _run_info(
    run: Path,
    records: Sequence[RunRecord],
    result: ScoreResult | None,
    judged: UnlabelledScore | None,
    draft: _Draft,
) -> RunInfo:
    # A TREC run has no records to count, only queries that it answers.
    answered = result.counts["queries"] - result.counts["missing_in_run"] if result else 0
    return RunInfo(
        name=run.name,
        digest=_digest(run),
        records=len(records) or answered,
        judge=judged.judge if judged else None,
        judge_note=judged.judge_note if judged else "",
        decomposer=judged.decomposer if judged else None,
        counts=draft.counts,
    )


def _refuse_hopeless(run: Path, gold: Gold | None, judge: Judge | None) -> bool:
    """Raise when there is nothing to score with; else say whether the run may hold answers."""
    if gold is None and judge is None:
        raise InputError("nothing to score with: give gold labels (--gold) or a judge (--judge)")
    if is_json_lines(run):
        return gold is None or holds_answers(run)
    if gold is None:
        raise InputError(f"run {run} is a TREC run: it has no answers, so it needs --gold")
    return False


async def _judged(
    records: Sequence[RunRecord],
    judge: Judge,
    corpus: Corpus,
    result: ScoreResult | None,
    setup: ReportSetup,
    draft: _Draft,
) -> UnlabelledScore:
    queries = [result.gold.query(r.query_id) for r in records] if result is not None else []
    told = _told(setup.unlabelled, queries, corpus, result)
    judged = await score_unlabelled(records, judge, told)
    # Nothing goes into the report before the judge has said all that it is asked.
    correct = await _correctness(records, queries, judge) if told.components and queries else []
    _add_judged(judged, setup, draft)
    if correct:
        columns = Columns([r.query_id for r in records], {c.name: c for c in correct})
        draft.metrics.extend(_summarizer(setup).figures(columns))
        draft.columns.append(columns)
    return judged


def _digest(run: Path) -> str:
    with run.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _kinds(gold: Gold | None) -> dict[str, str]:
    details = gold.details.values() if gold is not None else ()
    return {query.query_id: query.kind.value for query in details if query.kind}


async def _with_judged_reading(
    setup: ReportSetup, gold: Gold, records: Sequence[RunRecord], corpus: Corpus, judge: Judge
) -> ReportSetup:
    """Let the judge say who abstained, unless the caller brought a reading of its own."""
    answers = setup.labelled.answers or AnswerRules()
    if answers.reading is not None:
        return setup
    pairs = [(record, gold.query(record.query_id)) for record in records]
    reading = await read_by_judge(pairs, judge, corpus.texts)
    return replace(
        setup, labelled=replace(setup.labelled, answers=replace(answers, reading=reading))
    )


def _labelled(gold: Gold, run: Path, setup: ReportSetup, draft: _Draft) -> ScoreResult:
    result = score(gold, run, setup.labelled)
    draft.metrics.extend(result.metrics)
    draft.columns.append(result.columns)
    draft.counts.update(result.counts)
    if result.ignored_fields:
        draft.listings.append(
            Listing(
                "Fields of the run that were passed over",
                "They are no part of a run record. A misspelt field looks like this too.",
                ("field", "first on line"),
                tuple((name, str(line)) for name, line in result.ignored_fields.items()),
            )
        )
    return result


def _told(
    setup: UnlabelledSetup,
    queries: Sequence[GoldQuery],
    corpus: Corpus,
    result: ScoreResult | None,
) -> UnlabelledSetup:
    """What gold knows and the run need not say."""
    if result is None:
        return setup
    return replace(
        setup,
        questions={q.query_id: q.question for q in queries},
        languages={q.query_id: q.language for q in queries},
        kinds={q.query_id: q.kind.value for q in queries if q.kind},
        texts=corpus.texts,
        known=corpus.chunk_ids,
        abstained=result.abstained,
    )


def _add_judged(judged: UnlabelledScore, setup: ReportSetup, draft: _Draft) -> None:
    draft.metrics.extend(_summarizer(setup).figures(judged.columns))
    draft.metrics.extend(judged.metrics)
    if setup.audit is not None:
        corrected = corrected_accuracy(judged, setup.audit)
        draft.metrics.extend([corrected] if corrected else [])
    draft.columns.append(judged.columns)
    draft.counts.update({f"answers_{name}": count for name, count in judged.outcomes.items()})
    draft.counts["duplicate_markers"] = judged.duplicate_markers
    if judged.near_markers:
        draft.listings.append(
            Listing(
                "Brackets that nearly are markers",
                "They cite nothing. Where they should, change the marker grammar.",
                ("query", "found"),
                tuple((i, ", ".join(found)) for i, found in judged.near_markers.items()),
            )
        )


async def _correctness(
    records: Sequence[RunRecord], queries: Sequence[GoldQuery], judge: Judge
) -> list[Column]:
    return await answer_correctness(
        [query.question for query in queries],
        [record.answer or "" for record in records],
        [query.statements for query in queries],
        judge,
    )


def _summarizer(setup: ReportSetup) -> Summarizer:
    return Summarizer(seed=setup.labelled.seed, resamples=setup.labelled.resamples)


def _release(gold: Gold | None) -> ReleaseInfo | None:
    if gold is None:
        return None
    return ReleaseInfo(
        source=gold.source, digest=gold.digest, version=gold.version, notice=gold.notice
    )


def _triaged(
    report: Report,
    result: ScoreResult,
    records: Sequence[RunRecord],
    corpus: Corpus,
    setup: ReportSetup,
) -> Report:
    """With labels, answers: a label for each answerable query, and gold against verdict."""
    gold = result.gold
    queries = [gold.query(query_id) for query_id in gold.query_ids]
    answers = report.unlabelled.answers if report.unlabelled else ()
    judged = {answer.trial.claimed.query_id: answer for answer in answers}
    found = triage(
        cases_of(
            queries,
            {record.query_id: record for record in records},
            # What was judged is what triage reads: decomposed claims, where there are such.
            {**result.claimed, **{i: answer.trial.claimed for i, answer in judged.items()}},
            judged,
            result.abstained,
        ),
        known=corpus.chunk_ids,
        min_overlap=setup.labelled.rules.min_overlap,
    )
    labels = check_labels(queries, judged)
    more = [
        *ceiling_metrics(queries, seed=setup.labelled.seed),
        *found.metrics(),
        *(labels.metrics() if judged else ()),
    ]
    return replace(
        report,
        metrics=(*report.metrics, *more),
        triage=found,
        listings=(*report.listings, *labels.listings()),
    )
