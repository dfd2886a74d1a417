"""Correct a judge's figure by what people found wrong with the judge.

Prediction-powered inference (Angelopoulos et al., Science 382, 2023): the mean over many rows that
only the judge saw, plus the judge's mean error on the few rows that people saw too.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class Corrected:
    """A share with its interval; `low` and `high` may lie outside 0 to 1, and then `clipped`."""

    value: float
    low: float
    high: float
    labelled: int
    """Rows with a human label."""
    unlabelled: int
    """Rows with the judge's word only."""

    @property
    def clipped(self) -> bool:
        return self.low < 0 or self.high > 1

    @property
    def clipped_low(self) -> float:
        return min(max(self.low, 0.0), 1.0)

    @property
    def clipped_high(self) -> float:
        return min(max(self.high, 0.0), 1.0)


def corrected_share(
    human: Sequence[bool],
    judge: Sequence[bool],
    unlabelled_judge: Sequence[bool],
    *,
    level: float = 0.95,
) -> Corrected | None:
    """mean(unlabelled judge) + mean(human - judge), normal interval; None when a side is empty.

    The labelled rows must be a random sample of what the unlabelled rows are drawn from. Variances
    are the population's (divisor n), as in the paper's reference implementation.
    """
    if not human or not unlabelled_judge:
        return None
    errors = np.asarray(human, dtype=np.float64) - np.asarray(judge, dtype=np.float64)
    predicted = np.asarray(unlabelled_judge, dtype=np.float64)
    value = float(predicted.mean() + errors.mean())
    spread = np.sqrt(predicted.var() / len(predicted) + errors.var() / len(errors))
    half = float(NormalDist().inv_cdf((1 + level) / 2) * spread)
    return Corrected(value, value - half, value + half, len(errors), len(predicted))
