"""Retrieval figures of a run: columns by evidence, and their strict twins by chunk."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from goldsmith.scoring.measures import CUTOFFS, STRICT, Measure, Values, measures
from goldsmith.scoring.records import Bounds, Column, Half, Layer
from goldsmith.scoring.standing import chunk_standing, evidence_standing
from goldsmith.scoring.tie_orders import OrdersTried, TiedChunk, try_orders
from goldsmith.scoring.ties import Ties

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from goldsmith.scoring.gold import Gold
    from goldsmith.scoring.scan import Scan
    from goldsmith.scoring.standing import Standing

    Ints = NDArray[np.int64]


class LazyColumns(Mapping[str, Column]):
    """Columns by name, each computed when it is asked for and not kept.

    A million queries times sixty metrics are a gigabyte; one metric at a time is 16 MB.
    """

    def __init__(self, factories: Mapping[str, Callable[[], Column]]) -> None:
        self._factories = dict(factories)

    def __getitem__(self, name: str) -> Column:
        return self._factories[name]()

    def __iter__(self) -> Iterator[str]:
        return iter(self._factories)

    def __len__(self) -> int:
        return len(self._factories)

    def followed_by(self, columns: Iterable[Column]) -> LazyColumns:
        """These columns, and further ones that are at hand."""
        held = {column.name: partial(_held, column) for column in columns}
        return LazyColumns({**self._factories, **held})


def retrieval_columns(
    gold: Gold, scan: Scan, *, cutoffs: Iterable[int] = CUTOFFS, seed: int
) -> LazyColumns:
    """All retrieval metrics of a scanned run; `seed` is for ties that must be sampled."""
    cutoffs = sorted(set(cutoffs))
    chunks = chunk_standing(gold, scan)
    evidences = evidence_standing(gold, scan, chunks)
    by_chunk, by_evidence = _Tied(gold, scan, chunks), _Tied(gold, scan, evidences, seed=seed)
    factories: dict[str, Callable[[], Column]] = {}
    for measure in measures(cutoffs):
        factories[measure.label()] = partial(_column, measure, by_evidence)
    for k in cutoffs:
        factories[f"unjudged@{k}"] = partial(_unjudged, gold, scan, k)
    for measure in measures(cutoffs):
        if measure.name in STRICT:
            make = _undefined if scan.spans else _column
            factories[measure.label("_strict")] = partial(make, measure, by_chunk, "_strict")
    return LazyColumns(factories)


def _held(column: Column) -> Column:
    return column


class _Tied:
    """A standing of one run, with what its ties could make of it."""

    def __init__(self, gold: Gold, scan: Scan, standing: Standing, *, seed: int = 0) -> None:
        self.standing = standing
        self._gold, self._scan, self._seed = gold, scan, seed
        self._ties = _ties(gold, scan) if scan.has_ties else None
        self._orders = self._try_orders() if scan.has_ties else None

    def bounds(self, measure: Measure, values: Values) -> Bounds | None:
        """None where no order is in doubt."""
        if self._ties is None:
            return None
        lowest, highest = (
            measure.compute(self._ties.arranged(self.standing, best=best)).value
            for best in (False, True)
        )
        expected = Values(self._ties.expected(measure, self.standing), values.denominator).value
        if self._orders is not None:
            for number, found in self._orders.bounds(measure).items():
                lowest[number], highest[number], expected[number] = found
        return Bounds(lowest, highest, expected)

    def _try_orders(self) -> OrdersTried | None:
        """Queries whose evidence has alternatives or joint members have no closed form."""
        if self.standing.evidences is self.standing.relevant:
            return None
        special = {
            number: query.evidences
            for number, query in self._gold.details.items()
            if query.answerable and not query.plain
        }
        owners, places = _found(self._gold, self._scan)
        chunks: dict[int, list[TiedChunk]] = {number: [] for number in special}
        rows = zip(
            owners.tolist(), places, self._scan.tie_starts, self._scan.tie_sizes, strict=True
        )
        for owner, place, start, size in rows:
            if owner in chunks:
                chunks[owner].append(TiedChunk(self._gold.chunk_ids[place], start, size))
        return try_orders(special, chunks, seed=self._seed)


def _ties(gold: Gold, scan: Scan) -> Ties:
    owners, places = _found(gold, scan)
    gains = gold.relevance[places].astype(np.float64)
    starts, sizes = np.array(scan.tie_starts, np.int64), np.array(scan.tie_sizes, np.int64)
    kept = gains > 0
    return Ties.of(owners[kept], starts[kept], sizes[kept], gains[kept], len(gold))


def _found(gold: Gold, scan: Scan) -> tuple[Ints, Sequence[int]]:
    places = np.array(scan.places, dtype=np.int64)
    return gold.owners[places], scan.places


def _column(measure: Measure, tied: _Tied, suffix: str = "") -> Column:
    values = measure.compute(tied.standing)
    return Column(
        name=measure.label(suffix),
        half=Half.LABELLED,
        layer=Layer.RETRIEVAL,
        numerator=values.numerator,
        denominator=values.denominator,
        applies=tied.standing.wanted > 0,
        bounds=tied.bounds(measure, values),
    )


def _undefined(measure: Measure, tied: _Tied, suffix: str) -> Column:
    """The run is on another chunking: its chunks are not those that the qrels judge."""
    nothing = np.zeros(tied.standing.queries)
    return Column(
        name=measure.label(suffix),
        half=Half.LABELLED,
        layer=Layer.RETRIEVAL,
        numerator=nothing,
        denominator=nothing,
        applies=tied.standing.wanted > 0,
        note="the run is on another chunking than the qrels",
    )


def _unjudged(gold: Gold, scan: Scan, k: int) -> Column:
    """Items in the first k that nobody judged / k: how far the other figures can be trusted.

    A high value says that gold is silent, not that the run is bad. trec_eval `unj_k`.
    """
    owners, _ = _found(gold, scan)
    judged = np.bincount(owners[np.array(scan.ranks) <= k], minlength=len(gold))
    copies = np.array(scan.copy_owners, dtype=np.int64)[np.array(scan.copy_ranks) <= k]
    judged += np.bincount(copies, minlength=len(gold))
    listed = np.minimum(np.array(scan.lengths), k)
    answerable = gold.answerable
    return Column(
        name=f"unjudged@{k}",
        half=Half.LABELLED,
        layer=Layer.RETRIEVAL,
        numerator=(listed - judged).astype(np.float64),
        denominator=np.where(answerable, float(k), 0.0),
        applies=answerable,
    )
