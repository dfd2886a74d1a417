"""The judge is an instrument: what it says against what people say, on the same evidence."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from goldsmith.ids import digest_of
from goldsmith.records import Record
from goldsmith.scoring.confusion import (
    CONVENTIONS,
    Confusion,
    accuracy,
    confusion,
    expected_calibration_error,
    kappa,
    macro_f1,
)
from goldsmith.scoring.intervals import bootstrap_of, wilson
from goldsmith.scoring.judge import Asked, Judge, Ruling
from goldsmith.scoring.records import Verdict
from goldsmith.scoring.routing import ROUTE_OF, LedgerRow, ledger

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from goldsmith.scoring.confusion import ClassFigures
    from goldsmith.scoring.human_labels import LabelledClaim, Labels
    from goldsmith.scoring.intervals import Interval

    Floats = NDArray[np.float64]

BINARY: dict[Verdict, str] = {
    Verdict.SUPPORTS: "supports",
    Verdict.PARTIALLY_SUPPORTS: "not_supports",
    Verdict.DOES_NOT_SUPPORT: "not_supports",
    Verdict.CONTRADICTS: "not_supports",
}
"""Partial support is no support. Never pooled with a finer scale: both are reported apart."""
WITHOUT_CONTRADICTION: dict[Verdict, str] = {
    Verdict.SUPPORTS: "supports",
    Verdict.PARTIALLY_SUPPORTS: "partially_supports",
    Verdict.DOES_NOT_SUPPORT: "does_not_support",
    Verdict.CONTRADICTS: "does_not_support",
}
"""For people whose scale has no contradiction: the judge's own is then a form of no support."""
FINE: dict[Verdict, str] = {verdict: verdict.value for verdict in BINARY}
"""The labels as they are."""
_ROUTES: dict[Verdict, str] = {verdict: route.value for verdict, route in ROUTE_OF.items()}


class Estimate(Record):
    value: float | None
    low: float | None = None
    high: float | None = None
    method: str = ""


class ClassRow(Record):
    label: str
    support: int
    """Rows that people put in the class."""
    predicted: int
    prevalence: float | None
    precision: Estimate
    recall: Estimate
    f1: float | None


class AuditTable(Record):
    """Judge against people on one scale of labels."""

    scale: str
    labels: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]
    """Rows people, columns the judge."""
    unparsed: tuple[int, ...]
    """By human label: rows without a readable verdict."""
    n: int
    accuracy: Estimate
    macro_f1: Estimate
    kappa: Estimate
    classes: tuple[ClassRow, ...]


class RaterPair(Record):
    """Agreement of two people, before anything is said of the judge."""

    first: str
    second: str
    n: int
    agreement: float
    kappa: float | None


class AuditedRow(Record):
    """One claim: the people's word and the judge's, for `audit.py` and for reading."""

    id: str
    answer_id: str
    claim: str
    human: Verdict
    judge: Verdict | None
    failure: str | None
    probability: float | None
    lowered: tuple[str, ...]
    rationale: str
    evidence_digest: str


class AuditReport(Record):
    """Everything `goldsmith audit` measured; `audit.json`."""

    judge: str
    labels_digest: str
    rows: int
    refused: tuple[str, ...]
    tied: int
    """Claims on which the raters tie: in no figure."""
    raters: tuple[RaterPair, ...]
    tables: tuple[AuditTable, ...]
    calibration_error: float | None
    """Expected calibration error, ten bins; None where the judge gives no probability."""
    ledger: tuple[LedgerRow, ...]
    conventions: tuple[str, ...] = CONVENTIONS
    audited: tuple[AuditedRow, ...]

    def table(self, scale: str) -> AuditTable | None:
        return next((table for table in self.tables if table.scale == scale), None)


class AuditSettings(Record):
    seed: int = 7
    resamples: int = 1000
    minutes_a_review: float = 3.0
    escalating_share: float = 0.0
    volume: float | None = None
    """Claims that the ledger is for; None: as many as were labelled."""


async def audit(labels: Labels, judge: Judge, settings: AuditSettings | None = None) -> AuditReport:
    """Ask the judge about every labelled claim and compare."""
    settings = settings or AuditSettings()
    decided = [claim for claim in labels.claims if claim.label is not None]
    rulings = await judge.support(
        [Asked(c.row.claim, tuple(p.text for p in c.row.passages)) for c in decided]
    )
    audited = [
        _audited(claim, claim.label, ruling)
        for claim, ruling in zip(decided, rulings, strict=True)
        if claim.label is not None
    ]
    stated = [row for row in audited if row.probability is not None]
    return AuditReport(
        judge=judge.name,
        labels_digest=digest_of([[row.id, row.evidence_digest, row.human] for row in audited]),
        rows=len(audited),
        refused=labels.refused,
        tied=len(labels.tied),
        raters=_raters(labels.claims),
        tables=tuple(
            _table(name, scale, audited, settings) for name, scale in _scales(audited).items()
        ),
        calibration_error=expected_calibration_error(
            [row.probability for row in stated if row.probability is not None],
            [row.human is Verdict.SUPPORTS for row in stated],
        ),
        ledger=tuple(_ledger(audited, settings)),
        audited=tuple(audited),
    )


def _scales(rows: Sequence[AuditedRow]) -> dict[str, Mapping[Verdict, str]]:
    """Supported or not, always; and as finely as people labelled, where they did."""
    used = {row.human for row in rows}
    scales: dict[str, Mapping[Verdict, str]] = {"binary": BINARY}
    if Verdict.CONTRADICTS in used:
        scales["verdicts"] = FINE
    elif Verdict.PARTIALLY_SUPPORTS in used:
        scales["three_way"] = WITHOUT_CONTRADICTION
    return scales


def _audited(claim: LabelledClaim, human: Verdict, ruling: Ruling) -> AuditedRow:
    return AuditedRow(
        id=claim.row.id,
        answer_id=claim.row.answer_id or claim.row.id,
        claim=claim.row.claim,
        human=human,
        judge=ruling.verdict,
        failure=ruling.failure,
        probability=ruling.probability,
        lowered=ruling.lowered,
        rationale=ruling.rationale,
        evidence_digest=claim.row.digest,
    )


def matrix_of(rows: Sequence[AuditedRow], scale: Mapping[Verdict, str]) -> Confusion:
    """The confusion matrix on a scale; its classes are those that the scale has, in order."""
    return confusion(
        [scale[row.human] for row in rows],
        [None if row.judge is None else scale[row.judge] for row in rows],
        list(dict.fromkeys(scale.values())),
    )


def _table(
    name: str,
    scale: Mapping[Verdict, str],
    rows: Sequence[AuditedRow],
    settings: AuditSettings,
) -> AuditTable:
    matrix = matrix_of(rows, scale)
    answers: dict[str, list[AuditedRow]] = {}
    for row in rows:
        answers.setdefault(row.answer_id, []).append(row)
    rows_of_cells = np.array([matrix_of(group, scale).counts.ravel() for group in answers.values()])
    shared = len(answers) < len(rows)
    size = len(matrix.labels)

    def bootstrap(value: float | None, figure: Callable[[Floats], Floats]) -> Estimate:
        interval = bootstrap_of(
            rows_of_cells,
            lambda sums: figure(sums.reshape(len(sums), size, size)),
            seed=settings.seed,
            resamples=settings.resamples,
        )
        return _estimate(value, interval, f" over {'answers' if shared else 'rows'}")

    exact = _wilson(matrix.right, matrix.n)
    return AuditTable(
        scale=name,
        labels=matrix.labels,
        counts=tuple(tuple(int(cell) for cell in row) for row in matrix.counts),
        unparsed=matrix.unparsed,
        n=matrix.n,
        accuracy=bootstrap(matrix.accuracy, accuracy) if shared else exact,
        macro_f1=bootstrap(matrix.macro_f1, macro_f1),
        kappa=bootstrap(matrix.kappa, kappa),
        classes=tuple(_class_row(figures, matrix.n) for figures in matrix.classes),
    )


def _class_row(figures: ClassFigures, n: int) -> ClassRow:
    return ClassRow(
        label=figures.label,
        support=figures.support,
        predicted=figures.predicted,
        prevalence=figures.support / n if n else None,
        precision=_wilson(figures.right, figures.predicted),
        recall=_wilson(figures.right, figures.support),
        f1=figures.f1,
    )


def _estimate(value: float | None, interval: Interval | None, unit: str = "") -> Estimate:
    if value is None or interval is None:
        return Estimate(value=value)
    return Estimate(
        value=value, low=interval.low, high=interval.high, method=interval.method + unit
    )


def _wilson(right: int, n: int) -> Estimate:
    return _estimate(right / n if n else None, wilson(right, n))


def _raters(claims: Sequence[LabelledClaim]) -> tuple[RaterPair, ...]:
    names = sorted({name for claim in claims for name in claim.by_rater})
    pairs = []
    for first, second in combinations(names, 2):
        both = [c.by_rater for c in claims if first in c.by_rater and second in c.by_rater]
        if not both:
            continue
        matrix = confusion(
            [FINE[c[first]] for c in both], [FINE[c[second]] for c in both], list(FINE.values())
        )
        pairs.append(
            RaterPair(
                first=first,
                second=second,
                n=matrix.n,
                agreement=matrix.right / matrix.n,
                kappa=matrix.kappa,
            )
        )
    return tuple(pairs)


def _ledger(rows: Sequence[AuditedRow], settings: AuditSettings) -> list[LedgerRow]:
    return ledger(
        matrix_of(rows, _ROUTES),
        minutes_a_review=settings.minutes_a_review,
        escalating_share=settings.escalating_share,
        claims=settings.volume,
    )
