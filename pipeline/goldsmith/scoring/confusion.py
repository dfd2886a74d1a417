"""Two raters' labels on the same rows, and what can be said of their agreement.

Conventions, printed with every table:
- a class that neither side used has no part in the macro mean;
- a class that was never predicted has no precision, and F1 0;
- a verdict that could not be read stands in a column of its own, never as a wrong label;
- 1 - macro-F1 is no error rate; accuracy has the error rate, macro-F1 has none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

CONVENTIONS = (
    "A class that neither side used is left out of the macro mean.",
    "A class that the judge never used has no precision, and F1 0.",
    "An unreadable verdict is counted in a column of its own and is in no other figure.",
    "1 - macro-F1 is not an error rate; 1 - accuracy is.",
)


@dataclass(frozen=True, slots=True)
class ClassFigures:
    """One class; `support` is how often the human used it, `predicted` how often the judge did."""

    label: str
    support: int
    predicted: int
    right: int
    precision: float | None
    recall: float | None
    f1: float | None
    """None for a class that neither side used."""


@dataclass(frozen=True, slots=True)
class Confusion:
    """`counts[i, j]`: rows that the human labelled `labels[i]` and the judge `labels[j]`."""

    labels: tuple[str, ...]
    counts: NDArray[np.float64]
    unparsed: tuple[int, ...]
    """By human label: rows without a readable verdict."""

    @property
    def n(self) -> int:
        """Rows with a readable verdict."""
        return int(self.counts.sum())

    @property
    def classes(self) -> list[ClassFigures]:
        return [self._class(i) for i in range(len(self.labels))]

    def _class(self, i: int) -> ClassFigures:
        right, support = self.counts[i, i], self.counts[i].sum()
        predicted = self.counts[:, i].sum()
        return ClassFigures(
            label=self.labels[i],
            support=int(support),
            predicted=int(predicted),
            right=int(right),
            precision=float(right / predicted) if predicted else None,
            recall=float(right / support) if support else None,
            f1=float(2 * right / (support + predicted)) if support + predicted else None,
        )

    @property
    def macro_f1(self) -> float | None:
        value = float(macro_f1(self.counts))
        return None if np.isnan(value) else value

    @property
    def right(self) -> int:
        return int(np.trace(self.counts))

    @property
    def accuracy(self) -> float | None:
        return self.right / self.n if self.n else None

    @property
    def kappa(self) -> float | None:
        value = float(kappa(self.counts))
        return None if np.isnan(value) else value


def confusion(
    human: Sequence[str], judge: Sequence[str | None], labels: Sequence[str]
) -> Confusion:
    """Count pairs; `labels` fixes the order and must hold every label that occurs."""
    position = {label: i for i, label in enumerate(labels)}
    counts = np.zeros((len(labels), len(labels)))
    unparsed = [0] * len(labels)
    for said, judged in zip(human, judge, strict=True):
        if judged is None:
            unparsed[position[said]] += 1
        else:
            counts[position[said], position[judged]] += 1
    return Confusion(tuple(labels), counts, tuple(unparsed))


def macro_f1(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean F1 over the classes that either side used; NaN for no rows.

    `counts` may have leading axes (resampled matrices): the last two are human by judge.
    """
    right = np.diagonal(counts, axis1=-2, axis2=-1)
    used = counts.sum(axis=-1) + counts.sum(axis=-2)
    with np.errstate(divide="ignore", invalid="ignore"):
        f1 = np.where(used > 0, 2 * right / used, 0.0)
        mean: NDArray[np.float64] = f1.sum(axis=-1) / (used > 0).sum(axis=-1)
    return mean


def accuracy(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Share on the diagonal; NaN for no rows. Leading axes as for `macro_f1`."""
    with np.errstate(divide="ignore", invalid="ignore"):
        share: NDArray[np.float64] = np.trace(counts, axis1=-2, axis2=-1) / counts.sum(
            axis=(-2, -1)
        )
    return share


def kappa(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Cohen's kappa (1960); NaN where chance agreement is total. Leading axes as for `macro_f1`."""
    total = counts.sum(axis=(-2, -1))
    with np.errstate(divide="ignore", invalid="ignore"):
        observed = np.trace(counts, axis1=-2, axis2=-1) / total
        chance = (counts.sum(axis=-1) * counts.sum(axis=-2)).sum(axis=-1) / total**2
        value: NDArray[np.float64] = (observed - chance) / (1 - chance)
    return np.where(np.isfinite(value), value, np.nan)


def expected_calibration_error(
    probability: Sequence[float], right: Sequence[bool], bins: int = 10
) -> float | None:
    """Mean gap between stated probability and observed share, over equal-width bins (Naeini 2015).

    `probability` is of the positive class, `right` whether the row is in it. None for no rows.
    """
    if not probability:
        return None
    stated, true = np.asarray(probability), np.asarray(right, dtype=np.float64)
    # The last bin is closed: a probability of 1 belongs to it.
    bin_of = np.minimum((stated * bins).astype(int), bins - 1)
    gaps = [
        abs(stated[bin_of == b].mean() - true[bin_of == b].mean()) * (bin_of == b).sum()
        for b in np.unique(bin_of)
    ]
    return float(np.sum(gaps) / len(stated))
