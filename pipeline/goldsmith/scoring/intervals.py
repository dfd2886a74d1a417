"""Intervals around a figure: Wilson's for a share of independent trials, the bootstrap otherwise.

The unit that is resampled is the query (or the answer): claims of one answer stand or fall
together, so a cluster enters a resample whole. Equal units are drawn as counts, which makes the
cost of a resample that of the *distinct* values: 100,000 reciprocal ranks are a hundred of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from goldsmith.proportions import LEVEL, wilson_bounds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

RESAMPLES = 1000

_ROUNDING = 1e-12
_DRAWS_AT_ONCE = 1 << 20
"""Numbers held at a time: 8 MB."""
_COUNTING_PAYS = 20
"""Drawing counts of one distinct row costs about as much as drawing this many indices."""


@dataclass(frozen=True, slots=True)
class Interval:
    low: float
    high: float
    method: str


def wilson(successes: float, trials: float, *, level: float = LEVEL) -> Interval | None:
    """Wilson's interval of a share; None without trials."""
    bounds = wilson_bounds(successes, trials, level=level)
    return None if bounds is None else Interval(*bounds, "wilson")


def bootstrap(
    numerator: Floats,
    denominator: Floats,
    *,
    seed: int,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
) -> Interval | None:
    """Percentile interval of sum(numerator) / sum(denominator) over resampled units.

    A mean over queries is the case of denominators 1. None when no resample has a denominator.
    """
    rows = np.column_stack([numerator, denominator])

    def ratio(sums: Floats) -> Floats:
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(sums[:, 0] / sums[:, 1], dtype=np.float64)

    return bootstrap_of(rows, ratio, seed=seed, resamples=resamples, level=level)


def share_interval(
    numerator: Floats, denominator: Floats, *, seed: int, resamples: int = RESAMPLES
) -> Interval | None:
    """Of a figure that lies in 0 to 1: the bootstrap's, or Wilson's where that collapses.

    Where all units say the same, every resample does, and [1, 1] would claim a certainty that a
    handful of units cannot give. Wilson's trials are then the units, not what they are made of:
    138 claims of 40 answers count as 40. It is never too narrow: no value in 0 to 1 spreads more
    than a yes or no of the same mean.
    """
    interval = bootstrap(numerator, denominator, seed=seed, resamples=resamples)
    if interval is None or interval.high - interval.low > _ROUNDING:
        return interval
    units = int(np.count_nonzero(denominator))
    share = min(max(float(numerator.sum() / denominator.sum()), 0.0), 1.0)
    return wilson(share * units, units)


def bootstrap_of(
    rows: Floats,
    statistic: Callable[[Floats], Floats],
    *,
    seed: int,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
) -> Interval | None:
    """Percentile interval of a statistic of column sums.

    `rows` has a unit a row; `statistic` maps (resamples, columns) sums to a figure each. Figures
    that are not finite (no denominator in this resample) are left out.
    """
    if not len(rows):
        return None
    figures = statistic(resampled_sums(rows, seed=seed, resamples=resamples))
    figures = figures[np.isfinite(figures)]
    if not len(figures):
        return None
    low, high = np.quantile(figures, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high), f"bootstrap({resamples}, seed {seed})")


def clustered(values: Floats, clusters: NDArray[np.int64], count: int) -> Floats:
    """Sums of `values` by cluster number, 0 to count - 1: the rows of a clustered bootstrap."""
    return np.bincount(clusters, weights=values, minlength=count).astype(np.float64)


def resampled_sums(rows: Floats, *, seed: int, resamples: int) -> Floats:
    """Column sums of `resamples` draws of len(rows) rows with replacement; (resamples, columns)."""
    rng = np.random.default_rng(seed)
    units = len(rows)
    distinct, counts = distinct_rows(rows)
    if len(distinct) * _COUNTING_PAYS <= units or len(distinct) == 1:
        drawn = [
            rng.multinomial(units, counts / units, size=size) @ distinct
            for size in _portions(resamples, len(distinct))
        ]
    else:
        drawn = [
            rows[rng.integers(units, size=(size, units), dtype=np.uint32)].sum(axis=1)
            for size in _portions(resamples, units * rows.shape[1])
        ]
    return np.concatenate(drawn)


def distinct_rows(rows: Floats) -> tuple[Floats, NDArray[np.int64]]:
    """The different rows and how often each occurs, in sorted order."""
    # A column that is the same throughout, as the denominators of a mean are, sorts nothing.
    varying = [column for column in rows.T if np.any(column != column[0])]
    order = np.lexsort(varying[::-1]) if varying else np.arange(len(rows))
    ordered = rows[order]
    changes = np.flatnonzero(np.any(ordered[1:] != ordered[:-1], axis=1)) + 1
    starts = np.concatenate(([0], changes))
    return ordered[starts], np.diff(np.concatenate((starts, [len(rows)])))


def _portions(total: int, width: int) -> Iterator[int]:
    """Split `total` draws of `width` numbers so that no portion holds too many."""
    step = max(1, _DRAWS_AT_ONCE // max(1, width))
    for start in range(0, total, step):
        yield min(step, total - start)
