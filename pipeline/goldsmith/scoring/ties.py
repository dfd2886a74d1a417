"""What a metric could be when scores are equal: lowest, highest, and expected over random orders.

trec_eval breaks ties by id, so renaming a document changes its score. Within a tie every order is
as good as any other; for plain gold the three values have closed forms, computed here.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import comb
from typing import TYPE_CHECKING

import numpy as np

from goldsmith.scoring.ideal import discounts, exponential, linear
from goldsmith.scoring.standing import RankTable, Standing

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from goldsmith.scoring.measures import Measure

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Ties:
    """Found relevant chunks and the ties that they stand in, sorted by query and tie."""

    owners: Ints
    starts: Ints
    """How many items have a higher score."""
    sizes: Ints
    """How many items have the same score."""
    gains: Floats
    queries: int

    @classmethod
    def of(cls, owners: Ints, starts: Ints, sizes: Ints, gains: Floats, queries: int) -> Ties:
        order = np.lexsort((gains, starts, owners))
        return cls(owners[order], starts[order], sizes[order], gains[order], queries)

    def arranged(self, standing: Standing, *, best: bool) -> Standing:
        """The standing if ties fell as well, or as badly, as they can for every metric at once.

        Best: relevant chunks first, higher grades before lower. Worst: last, and lower first.
        """
        groups = self._groups()
        place = np.arange(len(self.owners)) - groups.firsts[groups.number]
        count = groups.counts[groups.number]
        # Rows of a tie are in ascending order of gain.
        ranks = self.starts + (count - place if best else self.sizes - count + place + 1)
        table = RankTable(self.owners, ranks, self.gains)
        return Standing(standing.wanted, table, table, standing.ideals)

    def expected(self, measure: Measure, standing: Standing) -> Floats:
        """Expected numerator of a metric over random orders within ties, by query."""
        k = measure.k or 0
        if measure.name in ("recall", "precision"):
            return self._summed(np.clip(k - self.starts, 0, self.sizes) / self.sizes)
        if measure.name in ("ndcg", "ndcg_exp"):
            gain = linear if measure.name == "ndcg" else exponential
            return self._summed(self._mean_discount(k) * gain(self.gains))
        if measure.name == "mrr":
            return self._mean_reciprocal_rank()
        groups = self._groups()
        in_reach = np.clip(k - groups.starts, 0, groups.sizes)
        if measure.name == "hit":
            missed = self._product(groups, in_reach, _none_in_reach)
            return np.where(standing.wanted > 0, 1 - missed, 0.0)
        found = np.bincount(self.owners, minlength=self.queries)
        whole = (found >= standing.wanted) & (standing.wanted > 0)
        return np.where(whole, self._product(groups, in_reach, _all_in_reach), 0.0)

    def _summed(self, weights: Floats) -> Floats:
        return np.bincount(self.owners, weights=weights, minlength=self.queries).astype(np.float64)

    def _mean_discount(self, k: int) -> Floats:
        """The discount of a random rank of each row's tie; ranks beyond k count 0."""
        depth = int((self.starts + self.sizes).max(initial=0))
        weights = discounts(max(depth, k))
        weights[k + 1 :] = 0
        summed = np.cumsum(weights)
        return np.asarray(
            (summed[self.starts + self.sizes] - summed[self.starts]) / self.sizes, dtype=np.float64
        )

    def _mean_reciprocal_rank(self) -> Floats:
        groups = self._groups()
        expected = np.zeros(self.queries)
        # Groups stand in the order of their starts: the first of a query decides.
        first = np.flatnonzero(np.diff(groups.owners, prepend=-1))
        expected[groups.owners[first]] = 1 / (groups.starts[first] + 1)
        for place in first[groups.sizes[first] > 1].tolist():
            expected[groups.owners[place]] = _mean_reciprocal(
                int(groups.starts[place]), int(groups.sizes[place]), int(groups.counts[place])
            )
        return expected

    def _product(
        self, groups: _Groups, in_reach: Ints, chance: Callable[[int, int, int], float]
    ) -> Floats:
        """Over the ties of a query, the product of chances."""
        chances = np.array([chance(1, 1, 0), chance(1, 1, 1)])[np.minimum(in_reach, 1)]
        # One item alone is no tie; only the others are worth a look each.
        for place in np.flatnonzero(groups.sizes > 1).tolist():
            chances[place] = chance(
                int(groups.sizes[place]), int(groups.counts[place]), int(in_reach[place])
            )
        product = np.ones(self.queries)
        np.multiply.at(product, groups.owners, chances)
        return product

    def _groups(self) -> _Groups:
        """The different ties, in order."""
        changed = (np.diff(self.owners, prepend=-1) != 0) | (np.diff(self.starts, prepend=-1) != 0)
        firsts = np.flatnonzero(changed)
        counts = np.diff(np.concatenate((firsts, [len(self.owners)])))
        return _Groups(
            number=np.cumsum(changed) - 1,
            firsts=firsts,
            owners=self.owners[firsts],
            starts=self.starts[firsts],
            sizes=self.sizes[firsts],
            counts=counts,
        )


@dataclass(frozen=True, slots=True)
class _Groups:
    number: Ints
    """Of the tie that each row stands in."""
    firsts: Ints
    owners: Ints
    starts: Ints
    sizes: Ints
    counts: Ints
    """Relevant chunks of the tie."""


@lru_cache(maxsize=65536)
def _none_in_reach(size: int, count: int, reach: int) -> float:
    """Chance that of `count` chunks among `size` none is in the first `reach` places."""
    return comb(size - count, reach) / comb(size, reach)


@lru_cache(maxsize=65536)
def _all_in_reach(size: int, count: int, reach: int) -> float:
    """Chance that all of them are."""
    return comb(size - count, reach - count) / comb(size, reach) if reach >= count else 0.0


@lru_cache(maxsize=65536)
def _mean_reciprocal(start: int, size: int, count: int) -> float:
    """Expected 1 / rank of the first of `count` chunks among `size` after `start` others."""
    orders = comb(size, count)
    return sum(
        comb(size - place, count - 1) / orders / (start + place)
        for place in range(1, size - count + 2)
    )
