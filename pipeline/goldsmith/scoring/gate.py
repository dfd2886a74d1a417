"""The release gate: a candidate against a baseline on the same queries, or against thresholds.

It fails a candidate below a threshold, or significantly worse than the baseline by more than the
tolerance. It says how small a difference so many queries can show, because "no significant drop"
on thirty queries means little.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from goldsmith.errors import ExitStatus, InputError
from goldsmith.scoring.comparisons import (
    holm,
    mcnemar,
    minimum_detectable_difference,
    paired_interval,
    paired_permutation,
)
from goldsmith.scoring.gate_settings import Better
from goldsmith.scoring.gate_sides import per_query
from goldsmith.scoring.records import Aggregation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from goldsmith.scoring.gate_settings import GateEntry, GateSettings
    from goldsmith.scoring.gate_sides import Measured, Side

    Floats = NDArray[np.float64]


class Decision(StrEnum):
    PASS = "pass"  # noqa: S105 - a decision
    FAIL = "fail"
    CANNOT_JUDGE = "cannot_judge"
    PASSED_OVER = "passed_over"
    """It needs a judge, and none was asked."""


class Test(StrEnum):
    """Which paired test a comparison used."""

    __test__ = False

    MCNEMAR = "mcnemar"
    PERMUTATION = "permutation"
    CLUSTERED_PERMUTATION = "clustered permutation"


@dataclass(frozen=True, slots=True)
class Comparison:
    """Candidate minus baseline on the queries that both have."""

    difference: float
    low: float | None
    high: float | None
    """95% bootstrap interval of the difference."""
    p: float
    p_adjusted: float
    test: Test
    pairs: int
    unpaired: int
    """Queries left out: on one side only, or undefined on one."""
    detectable: float | None
    """The smallest difference that so many queries show."""


@dataclass(frozen=True, slots=True)
class GateRow:
    """What became of one entry."""

    entry: GateEntry
    decision: Decision
    reason: str
    candidate: float | None = None
    baseline: float | None = None
    comparison: Comparison | None = None


@dataclass(frozen=True, slots=True)
class GateResult:
    candidate: str
    baseline: str | None
    digest: str | None
    judge: str | None
    rows: tuple[GateRow, ...]

    @property
    def decision(self) -> Decision:
        """A failure outweighs what could not be judged; that outweighs a pass."""
        found = {row.decision for row in self.rows}
        for decision in (Decision.FAIL, Decision.CANNOT_JUDGE):
            if decision in found:
                return decision
        return Decision.PASS if Decision.PASS in found else Decision.CANNOT_JUDGE

    @property
    def exit_status(self) -> ExitStatus:
        return {
            Decision.PASS: ExitStatus.DONE,
            Decision.FAIL: ExitStatus.CHECK_FAILED,
            Decision.CANNOT_JUDGE: ExitStatus.BAD_INPUT,
        }[self.decision]


def run_gate(settings: GateSettings, candidate: Side, baseline: Side | None = None) -> GateResult:
    """Decide on every entry of the settings.

    Raises `InputError` when the two sides were not measured with the same gold and judge.
    """
    if baseline is not None:
        _refuse_other_measure(candidate, baseline)
    compared = [_compare(entry, settings, candidate, baseline) for entry in settings.metrics]
    known = [place for place, comparison in enumerate(compared) if comparison is not None]
    adjusted = holm([compared[place].p for place in known])  # type: ignore[union-attr]
    for place, p in zip(known, adjusted, strict=True):
        compared[place] = replace(compared[place], p_adjusted=p)  # type: ignore[type-var]
    rows = tuple(
        _decide(entry, settings, candidate, baseline, comparison)
        for entry, comparison in zip(settings.metrics, compared, strict=True)
    )
    return GateResult(
        candidate=candidate.name,
        baseline=baseline.name if baseline else None,
        digest=candidate.digest,
        judge=candidate.judge,
        rows=rows,
    )


def _refuse_other_measure(candidate: Side, baseline: Side) -> None:
    for what, ours, theirs in (
        ("release digest", candidate.digest, baseline.digest),
        ("judge", candidate.judge, baseline.judge),
    ):
        if ours != theirs:
            raise InputError(
                f"comparison refused: {candidate.name!r} was scored with {what} {ours!r}, "
                f"{baseline.name!r} with {theirs!r}; score both with the same one"
            )


def _compare(
    entry: GateEntry, settings: GateSettings, candidate: Side, baseline: Side | None
) -> Comparison | None:
    """None where there is nothing to compare: no baseline, no tolerance, no common query."""
    if baseline is None or entry.tolerance is None:
        return None
    key = (entry.metric, entry.slice)
    if key not in candidate.columns or key not in baseline.columns:
        return None
    ours, theirs, unpaired = _paired(candidate.columns[key], baseline.columns[key])
    if not len(ours) or not ours[:, 1].sum() or not theirs[:, 1].sum():
        return None
    test, p = _test(ours, theirs, candidate.columns[key].aggregation, settings)
    interval = paired_interval(ours, theirs, seed=settings.seed)
    detectable = minimum_detectable_difference(
        _influence(ours) - _influence(theirs), alpha=settings.alpha, power=settings.power
    )
    return Comparison(
        difference=_ratio(ours) - _ratio(theirs),
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        p=p,
        p_adjusted=p,
        test=test,
        pairs=len(ours),
        unpaired=unpaired,
        detectable=detectable,
    )


def _paired(candidate: Measured, baseline: Measured) -> tuple[Floats, Floats, int]:
    """Rows of the queries that both sides have, in one order, and how many were left out.

    Of a mean a query must be defined on both sides; of a pooled figure it may be empty on one.
    """
    place = {query_id: n for n, query_id in enumerate(baseline.query_ids)}
    common = [(n, place[q]) for n, q in enumerate(candidate.query_ids) if q in place]
    everyone = len(place) + len(candidate.query_ids) - len(common)
    ours = candidate.pairs[[n for n, _ in common]]
    theirs = baseline.pairs[[n for _, n in common]]
    if candidate.aggregation is Aggregation.MEAN:
        defined = (ours[:, 1] > 0) & (theirs[:, 1] > 0)
        ours, theirs = per_query(ours[defined]), per_query(theirs[defined])
    return ours, theirs, everyone - len(ours)


def _test(
    ours: Floats, theirs: Floats, aggregation: Aggregation, settings: GateSettings
) -> tuple[Test, float]:
    if aggregation is Aggregation.POOLED:
        p = paired_permutation(ours, theirs, seed=settings.seed, flips=settings.flips)
        return Test.CLUSTERED_PERMUTATION, p
    yes_no = np.isin(ours[:, 0], (0, 1)).all() and np.isin(theirs[:, 0], (0, 1)).all()
    if yes_no:
        better = int(np.count_nonzero(ours[:, 0] > theirs[:, 0]))
        worse = int(np.count_nonzero(ours[:, 0] < theirs[:, 0]))
        return Test.MCNEMAR, mcnemar(better, worse)
    p = paired_permutation(ours, theirs, seed=settings.seed, flips=settings.flips)
    return Test.PERMUTATION, p


def _ratio(pairs: Floats) -> float:
    above, below = pairs.sum(axis=0)
    return float(above / below)


def _influence(pairs: Floats) -> Floats:
    """What each query adds to the figure: its mean is the figure, its spread that of the figure.

    For denominators of 1 the values themselves; of a ratio its linearised form.
    """
    ratio, mean_denominator = _ratio(pairs), pairs[:, 1].mean()
    return np.asarray(ratio + (pairs[:, 0] - ratio * pairs[:, 1]) / mean_denominator)


def _decide(
    entry: GateEntry,
    settings: GateSettings,
    candidate: Side,
    baseline: Side | None,
    comparison: Comparison | None,
) -> GateRow:
    key = (entry.metric, entry.slice)
    measured = candidate.columns.get(key)
    if measured is None:
        if entry.judged and candidate.judge is None:
            return GateRow(entry, Decision.PASSED_OVER, "it needs a judge, and none was asked")
        return GateRow(entry, Decision.CANNOT_JUDGE, _unknown(entry, candidate))
    theirs = baseline.columns.get(key) if baseline else None
    row = GateRow(
        entry,
        Decision.PASS,
        "",
        candidate=measured.value,
        baseline=theirs.value if theirs else None,
        comparison=comparison,
    )
    if row.candidate is None:
        reason = "undefined for the candidate: nothing to divide by"
        return replace(row, decision=Decision.CANNOT_JUDGE, reason=reason)
    faults = [*_threshold_faults(entry, candidate, row.candidate), *_drop_faults(row, settings)]
    if faults:
        return replace(row, decision=Decision.FAIL, reason="; ".join(faults))
    return _judged_enough(row, baseline)


def _judged_enough(row: GateRow, baseline: Side | None) -> GateRow:
    """A pass, unless a comparison was asked for and could not be made."""
    entry = row.entry
    if baseline is not None and entry.tolerance is not None and row.comparison is None:
        reason = "no query has a value on both sides"
        return replace(row, decision=Decision.CANNOT_JUDGE, reason=reason)
    if baseline is None and entry.min is None and entry.max is None:
        reason = "no threshold, and no baseline to compare with"
        return replace(row, decision=Decision.PASSED_OVER, reason=reason)
    return row


def _threshold_faults(entry: GateEntry, candidate: Side, value: float) -> Sequence[str]:
    lowest, note = entry.min, ""
    if entry.min is not None and entry.of_ceiling:
        ceiling = candidate.columns.get((f"{entry.metric}_ceiling", entry.slice))
        if ceiling is None or ceiling.value is None:
            return [f"its ceiling {entry.metric}_ceiling was not measured"]
        lowest = entry.min * ceiling.value
        note = f" ({entry.min:g} of the ceiling {ceiling.value:.4f})"
    faults = []
    if lowest is not None and value < lowest:
        faults.append(f"{value:.4f} is below the minimum {lowest:.4f}{note}")
    if entry.max is not None and value > entry.max:
        faults.append(f"{value:.4f} is above the maximum {entry.max:.4f}")
    return faults


def _drop_faults(row: GateRow, settings: GateSettings) -> Sequence[str]:
    comparison, tolerance = row.comparison, row.entry.tolerance
    if comparison is None or tolerance is None:
        return []
    sign = 1 if row.entry.better is Better.LOWER else -1
    worse = sign * comparison.difference
    if worse <= tolerance or comparison.p_adjusted >= settings.alpha:
        return []
    excess = f"worse than the baseline by {worse:.4f}, more than the tolerance {tolerance:.4f}"
    return [f"{excess} (adjusted p = {comparison.p_adjusted:.4g})"]


def _unknown(entry: GateEntry, candidate: Side) -> str:
    names = sorted({name for name, _ in candidate.columns})
    if entry.metric not in names:
        return f"{entry.metric!r} was not measured"
    parts = sorted(part for name, part in candidate.columns if name == entry.metric)
    return f"{entry.metric!r} has no slice {entry.slice!r}: found {', '.join(parts)}"
