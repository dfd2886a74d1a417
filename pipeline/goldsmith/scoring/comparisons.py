"""Is a candidate worse than a baseline on the same queries? Paired tests, and what they can show.

An unpaired test on paired runs throws away what they share and misses real differences.
"""

from __future__ import annotations

from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import binomtest

from goldsmith.scoring.intervals import Interval, bootstrap_of, distinct_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

FLIPS = 10_000
_EXACT_UP_TO = 13
"""Pairs that differ: 2^13 = 8,192 sign patterns are fewer than `FLIPS`, so all are enumerated."""
_SIGNS_AT_ONCE = 1 << 20
_COUNTING_PAYS = 8
_TOLERANCE = 1e-12


def mcnemar(only_candidate: int, only_baseline: int) -> float:
    """Two-sided exact p-value (McNemar 1947) of a yes/no metric, from its discordant pairs.

    `only_candidate` queries are right in the candidate only, `only_baseline` in the baseline only.
    """
    discordant = only_candidate + only_baseline
    return float(binomtest(only_candidate, discordant).pvalue) if discordant else 1.0


def paired_permutation(
    candidate: Floats, baseline: Floats, *, seed: int, flips: int = FLIPS
) -> float:
    """Two-sided p-value of the difference of two ratios of sums, under swaps within each pair.

    Both arrays are (units, 2): numerator and denominator of each unit. A difference of means is
    the case of denominators 1. Few pairs that differ: every pattern of swaps is tried (exact);
    otherwise `flips` seeded ones, and the observed one counts among them (Phipson and Smyth 2010),
    so that p is never 0.
    """
    moved = candidate - baseline
    moved = moved[np.any(moved != 0, axis=1)]
    if not len(moved):
        return 1.0
    totals = candidate.sum(axis=0), baseline.sum(axis=0)
    observed = float(_gap(*totals, np.zeros((1, 2)))[0])
    exact = len(moved) <= _EXACT_UP_TO
    swapped = _every_swap(moved) if exact else _random_swaps(moved, flips, seed)
    threshold = abs(observed) - _TOLERANCE
    extreme = tried = 0
    for sums in swapped:
        gaps = np.abs(_gap(*totals, sums))
        extreme += int(np.count_nonzero(gaps >= threshold))
        tried += len(gaps)
    return extreme / tried if exact else (extreme + 1) / (tried + 1)


def _gap(candidate: Floats, baseline: Floats, moved: Floats) -> Floats:
    """Difference of the two ratios once the sums `moved` have changed sides; a row a pattern."""
    ours, theirs = candidate - moved, baseline + moved
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(ours[:, 0] / ours[:, 1] - theirs[:, 0] / theirs[:, 1], dtype=np.float64)


def _every_swap(moved: Floats) -> Iterator[Floats]:
    patterns = np.arange(1 << len(moved))[:, None] >> np.arange(len(moved)) & 1
    yield patterns.astype(np.float64) @ moved


def _random_swaps(moved: Floats, flips: int, seed: int) -> Iterator[Floats]:
    """Sums that change sides in random patterns, a portion at a time.

    Of units with the same difference only the number that swaps matters: a binomial draw.
    """
    rng = np.random.default_rng(seed)
    distinct, counts = distinct_rows(moved)
    draw: Callable[[int], Floats]
    if len(distinct) * _COUNTING_PAYS <= len(moved):
        width = len(distinct)

        def draw(size: int) -> Floats:
            return rng.binomial(counts, 0.5, size=(size, width)) @ distinct
    else:
        width = len(moved)

        def draw(size: int) -> Floats:
            packed = rng.integers(256, size=(size, -(-width // 8)), dtype=np.uint8)
            bits = np.unpackbits(packed, axis=1, count=width)
            return bits.astype(np.float64) @ moved

    step = max(1, _SIGNS_AT_ONCE // width)
    for start in range(0, flips, step):
        yield draw(min(step, flips - start))


def paired_interval(candidate: Floats, baseline: Floats, *, seed: int) -> Interval | None:
    """Bootstrap interval of the difference of two ratios of sums; arrays as for the test."""

    def difference(sums: Floats) -> Floats:
        with np.errstate(invalid="ignore", divide="ignore"):
            ours, theirs = sums[:, 0] / sums[:, 1], sums[:, 2] / sums[:, 3]
        return np.asarray(ours - theirs, dtype=np.float64)

    return bootstrap_of(np.hstack([candidate, baseline]), difference, seed=seed)


def minimum_detectable_difference(
    differences: Floats, *, alpha: float = 0.05, power: float = 0.8
) -> float | None:
    """The smallest true mean difference that this many pairs show with this power.

    (z of 1 - alpha/2 + z of power) * sd / sqrt(n), two-sided. None for fewer than two pairs, and
    when no pair differs: there is no spread to go by.
    """
    if len(differences) < 2:  # noqa: PLR2004 - a spread needs two
        return None
    deviation = float(np.std(differences, ddof=1))
    if deviation == 0:
        return None
    z = NormalDist().inv_cdf(1 - alpha / 2) + NormalDist().inv_cdf(power)
    return float(z * deviation / len(differences) ** 0.5)


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's (1979) adjusted p-values, in the order given.

    The chance of even one false alarm among all of them stays below the level.
    """
    adjusted = [1.0] * len(p_values)
    floor = 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        floor = max(floor, min(1.0, p_values[place] * (len(p_values) - rank)))
        adjusted[place] = floor
    return adjusted
