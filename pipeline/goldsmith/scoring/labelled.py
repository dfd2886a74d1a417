"""The labelled half of a report: a run against a frozen gold source, without a model.

    gold = read_gold(Path("data/release/1.0.0"))
    result = score(gold, Path("run.jsonl"))
    result.metrics, result.counts, result.columns

Retrieval is computed from one pass over the file that keeps ranks only. A second pass, over the
records that hold answers, counts citations and abstentions; a run of bare rankings has none.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from goldsmith.scoring.measures import CUTOFFS
from goldsmith.scoring.records import Columns
from goldsmith.scoring.retrieval import retrieval_columns
from goldsmith.scoring.scan import ScanRules
from goldsmith.scoring.scan_parts import scan_run
from goldsmith.scoring.slices import slices_of
from goldsmith.scoring.summary import Summarizer

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from goldsmith.scoring.answered import AnswerRules, AnswerScore
    from goldsmith.scoring.gold import Gold
    from goldsmith.scoring.records import ClaimedAnswer, Metric
    from goldsmith.scoring.scan import Scan

SEED = 7


@dataclass(frozen=True, slots=True)
class ScoreSetup:
    """Everything about labelled scoring that can be set."""

    cutoffs: tuple[int, ...] = CUTOFFS
    seed: int = SEED
    resamples: int = 1000
    rules: ScanRules = field(default_factory=ScanRules)
    workers: int | None = None
    """Processes that read a large run; None: one a processor. Changes no figure."""
    answers: AnswerRules | None = None
    """How answers are read; None: without a judge."""


@dataclass(frozen=True, slots=True, repr=False)
class ScoreResult:
    """The labelled half. `claimed` and `abstained` are for who goes on to judge and triage."""

    gold: Gold
    columns: Columns
    metrics: tuple[Metric, ...]
    counts: Mapping[str, int]
    """What was counted and not averaged in; see `docs/metrics.md`."""
    ignored_fields: Mapping[str, int]
    """Unknown fields of the run that were passed over, with the line of the first."""
    claimed: Mapping[str, ClaimedAnswer] = field(default_factory=dict)
    """Answers taken apart, by query id."""
    abstained: frozenset[str] = frozenset()


def score(gold: Gold, run: Path, setup: ScoreSetup | None = None) -> ScoreResult:
    """Score a run file against gold.

    Raises `InputError` with all faults of the file; nothing is computed from half a run.
    """
    setup = setup or ScoreSetup()
    scan = scan_run(run, gold, setup.rules, workers=setup.workers)
    retrieval = retrieval_columns(gold, scan, cutoffs=setup.cutoffs, seed=setup.seed)
    answers = _answers(gold, run, setup) if scan.with_answers else None
    columns = Columns(
        query_ids=gold.query_ids,
        columns=retrieval.followed_by(answers.columns if answers else ()),
        slices=slices_of(gold, scan) | dict(answers.slices if answers else {}),
    )
    summarizer = Summarizer(seed=setup.seed, resamples=setup.resamples)
    metrics = tuple(summarizer.figures(columns))
    counts = scan_counts(gold, scan) | {"tie_affected": summarizer.in_doubt}
    return ScoreResult(
        gold=gold,
        columns=columns,
        metrics=metrics,
        counts=counts | dict(answers.counts if answers else {}),
        ignored_fields=scan.ignored,
        claimed=answers.claimed if answers else {},
        abstained=answers.abstained if answers else frozenset(),
    )


def scan_counts(gold: Gold, scan: Scan) -> dict[str, int]:
    """What the scan counted: every query and record is in one of these."""
    answered = np.frombuffer(scan.answered, dtype=np.bool_)
    answerable = gold.answerable
    probes = sum(query.is_probe for query in gold.details.values())
    return {
        "queries": len(gold),
        "answerable": int(answerable.sum()),
        "probes": probes,
        "without_relevant": len(gold) - int(answerable.sum()) - probes,
        "missing_in_run": int((~answered).sum()),
        "extra_in_run": scan.extra,
        "duplicate_chunks": scan.duplicates,
        "matched_by_span": len(scan.spans),
    }


def _answers(gold: Gold, run: Path, setup: ScoreSetup) -> AnswerScore:
    # Its libraries (sentence splitter, stemmers) are of no use to a run of bare rankings.
    from goldsmith.scoring.answered import score_answers  # noqa: PLC0415 - see above

    return score_answers(gold, run, setup.answers, min_overlap=setup.rules.min_overlap)
