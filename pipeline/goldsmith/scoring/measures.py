"""The retrieval metrics, each a function of a `Standing`; definitions beside their names.

A value is a (numerator, denominator) pair of arrays over queries. The cutoff of `name@k` is `k`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from goldsmith.scoring.ideal import discounts, exponential, linear

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

    from goldsmith.scoring.standing import RankTable, Standing

    Floats = NDArray[np.float64]
    Gain = Callable[[Floats], Floats]

CUTOFFS = (1, 3, 5, 10, 20)


@dataclass(frozen=True, slots=True)
class Values:
    """A metric over all queries: value = numerator / denominator, undefined where that is 0."""

    numerator: Floats
    denominator: Floats

    @property
    def value(self) -> Floats:
        """NaN where undefined."""
        with np.errstate(invalid="ignore", divide="ignore"):
            defined = self.numerator / self.denominator
        return np.where(self.denominator > 0, defined, np.nan)


def recall(standing: Standing, k: int) -> Values:
    """Share of the evidences that are found in the first k. trec_eval `recall_k`."""
    return Values(_within(standing.evidences, k, standing.queries), standing.wanted)


def hit(standing: Standing, k: int) -> Values:
    """Is any evidence found in the first k? trec_eval `success_k`.

    Called recall@k by papers that have one relevant passage a query: there they are the same.
    """
    found = _within(standing.evidences, k, standing.queries) > 0
    return Values(found.astype(np.float64), _one(standing))


def all_hit(standing: Standing, k: int) -> Values:
    """Are all evidences found in the first k? What an answer from several sources needs."""
    found = _within(standing.evidences, k, standing.queries)
    whole = (found >= standing.wanted) & (standing.wanted > 0)
    return Values(whole.astype(np.float64), _one(standing))


def precision(standing: Standing, k: int) -> Values:
    """Items in the first k that carry evidence / k: always k, also for a shorter list.

    trec_eval `P_k`. An item of a joint member counts once the first k hold the member whole.
    """
    found = _within(standing.relevant, k, standing.queries)
    return Values(found, _one(standing) * k)


def mrr(standing: Standing) -> Values:
    """1 / rank of the first evidence found, else 0. trec_eval `recip_rank`, without a cutoff."""
    best = np.zeros(standing.queries)
    np.maximum.at(best, standing.evidences.owners, 1 / standing.evidences.ranks)
    return Values(best, _one(standing))


def ndcg(standing: Standing, k: int, gain: Gain = linear) -> Values:
    """Discounted gain of the first k / the best that any ranking could have.

    An evidence gains once, at the rank where it is covered; discount 1 / log2(rank + 1), gain as
    graded. trec_eval `ndcg_cut_k` (Järvelin and Kekäläinen 2002, with log2 throughout).

    The ideal is that of gold's own chunks. A run on another chunking may carry in one item what
    gold has in two, and gain more than that: its value ends at 1.
    """
    found = standing.evidences.keep(standing.evidences.ranks <= k)
    weights = discounts(k)[found.ranks] * gain(found.gains)
    gained = np.bincount(found.owners, weights=weights, minlength=standing.queries)
    ideal = np.where(standing.wanted > 0, standing.ideals.at(k, gain), 0.0)
    return Values(np.minimum(gained, ideal), ideal)


@dataclass(frozen=True, slots=True)
class Measure:
    """A metric with its cutoff, ready to be computed."""

    name: str
    """Without the cutoff."""
    k: int | None
    compute: Callable[[Standing], Values]

    def label(self, suffix: str = "") -> str:
        """`recall@5`; with a suffix `recall_strict@5`."""
        return f"{self.name}{suffix}" + ("" if self.k is None else f"@{self.k}")


_AT_K: dict[str, Callable[[Standing, int], Values]] = {
    "recall": recall,
    "hit": hit,
    "all_hit": all_hit,
    "precision": precision,
    "ndcg": ndcg,
    "ndcg_exp": partial(ndcg, gain=exponential),
}
STRICT = ("recall", "hit", "precision", "mrr", "ndcg", "ndcg_exp")
"""Metrics that are also given chunk by chunk."""


def measures(cutoffs: Iterable[int] = CUTOFFS) -> list[Measure]:
    """All retrieval metrics, in the order of a report."""
    at_k = [
        Measure(name, k, partial(_at, compute, k))
        for name, compute in _AT_K.items()
        for k in sorted(set(cutoffs))
    ]
    return [*at_k, Measure("mrr", None, mrr)]


def _at(compute: Callable[[Standing, int], Values], k: int, standing: Standing) -> Values:
    return compute(standing, k)


def _within(table: RankTable, k: int, queries: int) -> Floats:
    """How many rows of each query stand in the first k."""
    owners = table.owners[table.ranks <= k]
    return np.bincount(owners, minlength=queries).astype(np.float64)


def _one(standing: Standing) -> Floats:
    """Denominator 1 for the queries that are scored, 0 for the others."""
    return (standing.wanted > 0).astype(np.float64)
