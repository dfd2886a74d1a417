"""Ties where evidence has alternatives or joint members: the orders are tried one by one.

All of them when they are few; else a seeded sample for the expected value, and the orders that
put gold first or last for the bounds.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain, islice, permutations, product
from math import perm, prod
from typing import TYPE_CHECKING

import numpy as np

from goldsmith.scoring.ideal import Ideals
from goldsmith.scoring.standing import Standing, tables_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from goldsmith.scoring.gold import GoldEvidence
    from goldsmith.scoring.measures import Measure

    Floats = NDArray[np.float64]

ALL_UP_TO = 720
SAMPLED = 500
_EXTREMES = 120


@dataclass(frozen=True, slots=True)
class TiedChunk:
    chunk_id: str
    better: int
    """Items with a higher score."""
    tied: int
    """Items with the same score."""


@dataclass(frozen=True, slots=True)
class OrdersTried:
    """A standing whose queries are orders; `owners` says of which query each is one."""

    standing: Standing
    owners: NDArray[np.int64]
    drawn: NDArray[np.bool_]
    """Orders that make up the expected value; the others only widen the bounds."""

    def bounds(self, measure: Measure) -> dict[int, tuple[float, float, float]]:
        """(lowest, highest, expected) value of a metric by query number."""
        values = measure.compute(self.standing).value
        found: dict[int, tuple[float, float, float]] = {}
        for number in np.unique(self.owners).tolist():
            mine = self.owners == number
            seen = values[mine]
            expected = values[mine & self.drawn].mean()
            found[number] = (float(seen.min()), float(seen.max()), float(expected))
        return found


def try_orders(
    evidences: Mapping[int, Sequence[GoldEvidence]],
    found: Mapping[int, Sequence[TiedChunk]],
    *,
    seed: int,
) -> OrdersTried:
    """Orders of the ties of every query in `found`, as a standing."""
    owners: list[int] = []
    drawn: list[bool] = []
    ranks: dict[int, dict[str, int]] = {}
    wanted: dict[int, Sequence[GoldEvidence]] = {}
    for number, chunks in found.items():
        for is_drawn, order in _orders(chunks, np.random.default_rng((seed, number))):
            place = len(owners)
            owners.append(number)
            drawn.append(is_drawn)
            ranks[place], wanted[place] = order, evidences[number]
    covered, carrying = tables_of(wanted, ranks, {})
    empty = np.empty(0, dtype=np.int64)
    others = {place: tuple(listed) for place, listed in wanted.items()}
    ideals = Ideals(len(owners), empty, np.empty(0), others)
    counts = np.array([len(listed) for listed in wanted.values()], dtype=np.float64)
    standing = Standing(counts, covered, carrying, ideals)
    return OrdersTried(standing, np.array(owners, dtype=np.int64), np.array(drawn, dtype=np.bool_))


def _orders(
    chunks: Sequence[TiedChunk], rng: np.random.Generator
) -> Iterator[tuple[bool, dict[str, int]]]:
    """(whether it counts for the expected value, rank by chunk id) of the orders to try."""
    groups: dict[int, list[TiedChunk]] = {}
    for chunk in chunks:
        groups.setdefault(chunk.better, []).append(chunk)
    tied = list(groups.values())
    if prod(perm(group[0].tied, len(group)) for group in tied) <= ALL_UP_TO:
        every = (permutations(range(group[0].tied), len(group)) for group in tied)
        for places in product(*every):
            yield True, _ranks(tied, places)
        return
    for _ in range(SAMPLED):
        drawn = [tuple(rng.permutation(group[0].tied)[: len(group)].tolist()) for group in tied]
        yield True, _ranks(tied, drawn)
    for last in (False, True):
        packed = (_packed(group, last=last) for group in tied)
        for places in islice(product(*packed), _EXTREMES):
            yield False, _ranks(tied, places)


def _packed(group: Sequence[TiedChunk], *, last: bool) -> list[tuple[int, ...]]:
    """Places that put a tie's gold before, or after, everything else in it, in any order."""
    first = group[0].tied - len(group) if last else 0
    places = range(first, first + len(group))
    return list(islice(permutations(places), _EXTREMES))


def _ranks(tied: Sequence[Sequence[TiedChunk]], places: Sequence[Sequence[int]]) -> dict[str, int]:
    pairs = chain.from_iterable(zip(g, p, strict=True) for g, p in zip(tied, places, strict=True))
    return {chunk.chunk_id: chunk.better + place + 1 for chunk, place in pairs}
