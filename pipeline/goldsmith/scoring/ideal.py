"""The best discounted gain that any ranking could have: what nDCG is divided by.

With one chunk for each evidence it is the gains in descending order. With alternatives, joint
members and chunks that carry several evidences it is the best over all orders of the evidences and
all choices of a member for each; a question has few, so they are tried.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING

import numpy as np

from goldsmith.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from goldsmith.scoring.gold import Gold, GoldEvidence

    Floats = NDArray[np.float64]
    Structure = tuple[tuple[frozenset[int], ...], ...]

MOST_STATES = 100_000
"""Sets of placed chunks that a search may see; a question with four facts of five passages each
has fewer than 1,300."""


def linear(gain: Floats) -> Floats:
    """Gain as graded: trec_eval's `ndcg_cut` (Järvelin and Kekäläinen 2002)."""
    return gain


def exponential(gain: Floats) -> Floats:
    """2^grade - 1 (Burges et al. 2005): what most learning-to-rank papers print as nDCG."""
    return np.exp2(gain) - 1


def discounts(depth: int) -> Floats:
    """1 / log2(rank + 1) for ranks 1 to `depth`; index 0 stands for no rank and is 0."""
    return np.concatenate(([0.0], 1 / np.log2(np.arange(2, depth + 2))))


class Ideals:
    """Ideal DCG of every query of a gold source, by cutoff and gain.

    `plain_gains` (owner, grade) are the evidences of queries whose evidences have one chunk each;
    `others` are the evidences of the rest, by query number.
    """

    def __init__(
        self,
        queries: int,
        owners: NDArray[np.int64],
        grades: Floats,
        others: dict[int, tuple[GoldEvidence, ...]],
    ) -> None:
        order = np.lexsort((-grades, owners))
        self._queries = queries
        self._owners, self._grades = owners[order], grades[order]
        firsts = np.searchsorted(self._owners, self._owners)
        self._positions = np.arange(1, len(order) + 1) - firsts
        self._others = others

    @classmethod
    def of_chunks(cls, gold: Gold) -> Ideals:
        """Of the relevant chunks, each for itself: what trec_eval divides by."""
        relevant = gold.relevance > 0
        grades = gold.relevance[relevant].astype(np.float64)
        return cls(len(gold), gold.owners[relevant], grades, {})

    def at(self, k: int | None, gain: Callable[[Floats], Floats]) -> Floats:
        """Ideal DCG of the first `k` ranks (None: of all), by query number."""
        deepest = int(self._positions.max(initial=0))
        weights = discounts(deepest)[self._positions] * gain(self._grades)
        if k is not None:
            weights[self._positions > k] = 0
        # Without owners numpy counts in whole numbers, weights or not.
        ideal = np.bincount(self._owners, weights=weights, minlength=self._queries).astype(float)
        for number, evidences in self._others.items():
            ideal[number] = ideal_dcg(evidences, k, gain)
        return ideal


def ideal_dcg(
    evidences: Sequence[GoldEvidence], k: int | None, gain: Callable[[Floats], Floats]
) -> float:
    """The best DCG of the first `k` ranks for evidences of any structure.

    Raises `InputError` when they share chunks in more ways than can be tried.
    """
    gains = gain(np.array([evidence.gain for evidence in evidences], dtype=np.float64))
    return _best(_structure(evidences), tuple(gains.tolist()), k)


def _structure(evidences: Sequence[GoldEvidence]) -> Structure:
    """The members of each evidence as sets of small numbers, without those that cannot help.

    A member that contains another of the same evidence adds nothing, and of chunks that play the
    very same parts one is as good as the other.
    """
    parts: dict[str, set[tuple[int, frozenset[str]]]] = {}
    for index, evidence in enumerate(evidences):
        for member in evidence.members:
            for chunk_id in member:
                parts.setdefault(chunk_id, set()).add((index, frozenset(member) - {chunk_id}))
    twins: dict[frozenset[tuple[int, frozenset[str]]], int] = {}
    number = {chunk: twins.setdefault(frozenset(p), len(twins)) for chunk, p in parts.items()}
    return tuple(
        _smallest({frozenset(number[chunk] for chunk in member) for member in evidence.members})
        for evidence in evidences
    )


def _smallest(members: set[frozenset[int]]) -> tuple[frozenset[int], ...]:
    kept = [m for m in members if not any(other < m for other in members)]
    return tuple(sorted(kept, key=sorted))


@lru_cache(maxsize=4096)
def _best(structure: Structure, gains: tuple[float, ...], k: int | None) -> float:
    """Search over sets of placed chunks; each step completes one more evidence."""

    @cache
    def best(placed: frozenset[int]) -> float:
        if best.cache_info().currsize > MOST_STATES:
            raise InputError(
                f"{len(structure)} evidences of a query share chunks in more than {MOST_STATES} "
                "ways: its ideal ranking cannot be searched; split the question"
            )
        found = 0.0
        for members in structure:
            if any(member <= placed for member in members):
                continue
            for member in members:
                after = placed | member
                if k is not None and len(after) > k:
                    continue
                covered = sum(
                    gains[n]
                    for n, others in enumerate(structure)
                    if any(m <= after for m in others) and not any(m <= placed for m in others)
                )
                found = max(found, covered / np.log2(len(after) + 1) + best(after))
        return found

    return float(best(frozenset()))
