"""Columns become figures: one mechanism for every metric, slice and interval of a report."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np

from goldsmith.scoring.intervals import RESAMPLES, Interval, bootstrap, share_interval, wilson
from goldsmith.scoring.records import Aggregation, Metric

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from goldsmith.scoring.records import Bounds, Column, Columns

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]

ALL = "all"
_ROUNDING = 1e-12


class Summarizer:
    """Sums columns up; columns with the same numbers share one interval.

    Each interval starts from the same seed, so that it does not depend on which other figures
    stand in the report.
    """

    def __init__(self, *, seed: int, resamples: int = RESAMPLES) -> None:
        self.seed, self.resamples = seed, resamples
        self._intervals: dict[bytes, Interval | None] = {}
        self._in_doubt: Mask | None = None

    @property
    def in_doubt(self) -> int:
        """Queries with a value, in any column so far, that depends on how ties fall."""
        return 0 if self._in_doubt is None else int(self._in_doubt.sum())

    def figures(self, columns: Columns) -> list[Metric]:
        """Every column over all queries and over each slice, in the order of the columns."""
        return [
            metric
            for name in columns.columns
            for metric in self.over_slices(columns.columns[name], columns.slices)
        ]

    def over_slices(self, column: Column, slices: Mapping[str, Mask]) -> list[Metric]:
        """A slice that no query of the column belongs to has no figure."""
        if column.bounds is not None:
            tied = column.bounds.highest > column.bounds.lowest + _ROUNDING
            self._in_doubt = tied if self._in_doubt is None else self._in_doubt | tied
        whole = np.ones(len(column.numerator), dtype=np.bool_)
        applies = whole if column.applies is None else column.applies
        overall = self.figure(column, ALL, whole)
        figures = [overall]
        for name, mask in slices.items():
            held = mask & applies
            if not np.any(held):
                continue
            whole_again = np.array_equal(held, applies)
            figures.append(
                overall.model_copy(update={"slice": name})
                if whole_again
                else self.figure(column, name, mask)
            )
        return figures

    def figure(self, column: Column, name: str, mask: Mask) -> Metric:
        """One column over the queries of a slice. No denominator, no value: never 0, never 1."""
        chosen = mask if column.applies is None else mask & column.applies
        defined = chosen & (column.denominator > 0)
        numerator, denominator = column.numerator[defined], column.denominator[defined]
        if column.aggregation is Aggregation.MEAN:
            numerator, denominator = numerator / denominator, np.ones(len(denominator))
        above, below = float(numerator.sum()), float(denominator.sum())
        interval = (
            wilson(above, below)
            if column.trials
            else self._interval(column, numerator, denominator)
        )
        lowest, highest, expected = _averaged(column.bounds, defined)
        return Metric(
            name=column.name,
            half=column.half,
            layer=column.layer,
            slice=name,
            value=above / below if below else None,
            numerator=above,
            denominator=below,
            n=int(np.count_nonzero(defined)),
            undefined=int(np.count_nonzero(chosen) - np.count_nonzero(defined)),
            low=interval.low if interval else None,
            high=interval.high if interval else None,
            method=interval.method if interval else "",
            lowest=lowest,
            highest=highest,
            expected=expected,
            note=column.note,
        )

    def _interval(self, column: Column, numerator: Floats, denominator: Floats) -> Interval | None:
        interval_of = share_interval if column.share else bootstrap
        # A digest, not the arrays: those of sixty columns over a million queries are a gigabyte.
        key = hashlib.sha256(b"share" if column.share else b"")
        key.update(numerator.tobytes())
        key.update(denominator.tobytes())
        if key.digest() not in self._intervals:
            self._intervals[key.digest()] = interval_of(
                numerator, denominator, seed=self.seed, resamples=self.resamples
            )
        return self._intervals[key.digest()]


def _averaged(bounds: Bounds | None, defined: Mask) -> tuple[float | None, ...]:
    """Means of (lowest, highest, expected) over queries; None where nothing is in doubt."""
    if bounds is None or not defined.any():
        return None, None, None
    arrays = (bounds.lowest, bounds.highest, bounds.expected)
    return tuple(None if values is None else float(values[defined].mean()) for values in arrays)
