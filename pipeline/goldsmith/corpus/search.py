"""Search over the chunks of a corpus: one BM25 index for every stage, and what retrievers share."""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from goldsmith.corpus.scanning import compiled_scan
from goldsmith.corpus.words import content_words, stem, stop_words, words

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from goldsmith.records import Chunk

_LARGE = 20_000
"""Chunks from which compiling pays."""
_K1, _B = 1.5, 0.75
_ROUNDING = 1 - 1e-9
"""A bound is compared with room for the rounding of sums."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk that a search found; `rank` counts from 1."""

    chunk_id: str
    rank: int
    score: float


class Retriever(Protocol):
    """Anything that ranks the chunks of a whole corpus."""

    name: str

    def __len__(self) -> int:
        """Chunks that every search looks over."""
        ...

    async def find(self, queries: Sequence[str], depth: int) -> list[list[Hit]]:
        """For each query the best `depth` chunks, best first; equal scores by chunk id."""
        ...


@dataclass(frozen=True, slots=True)
class _Term:
    """A word of a query: where its postings lie, and the most that it can add to a score."""

    start: int
    end: int
    weight: int
    bound: float


class _Spellings(dict[str, int]):
    """The number of the stem of each spelling, -1 for a stop word; each is stemmed once."""

    def __init__(self, vocabulary: dict[str, int], language: str) -> None:
        super().__init__()
        self._vocabulary = vocabulary
        self._language = language
        self._stops = stop_words(language)

    def __missing__(self, spelling: str) -> int:
        known, number = self._vocabulary, -1
        if spelling not in self._stops:
            number = known.setdefault(stem(spelling, self._language), len(known))
        self[spelling] = number
        return number


class Index:
    """BM25 (Lucene's variant, k1 1.5, b 0.75) over title, section and text of every chunk.

    Equal scores are ordered by chunk id, so that the same corpus gives the same ranking on every
    machine and in whatever order its files were read. A search deeper than there are matches goes
    on with chunks of score 0: over a small corpus an absence search looks at every chunk.

    The ranking is exact. Where numba is installed all postings of a large corpus are read by
    compiled code; elsewhere not every posting is read (MaxScore; Turtle and Flood 1995): the rarest
    words of a query say which chunks can still be among the best, and common words are looked up
    for those alone.
    """

    name = "bm25"

    def __init__(self, chunks: Sequence[Chunk], language: str = "en") -> None:
        self._language = language
        ordered = sorted(chunks, key=lambda chunk: chunk.chunk_id)
        self._ids = [chunk.chunk_id for chunk in ordered]
        self._vocabulary: dict[str, int] = {}
        if ordered:
            numbers, lengths = self._numbered(ordered)
            found = _postings(numbers, lengths, len(self._vocabulary))
            self._positions, self._weights, starts = found
            self._starts: list[int] = starts.tolist()
            # Each word stands in a chunk: no part is empty.
            most = np.maximum.reduceat(self._weights, starts[:-1]) if self._vocabulary else starts
            self._most: list[float] = most.tolist()
        self._scan = compiled_scan() if len(ordered) >= _LARGE else None
        # Sums of a few float32 are exact in float64: no order of adding makes or breaks a tie.
        self._sums = np.zeros(len(ordered))

    def __len__(self) -> int:
        return len(self._ids)

    async def find(self, queries: Sequence[str], depth: int) -> list[list[Hit]]:
        """`search` for each of `queries`: this retriever waits for nobody."""
        return [self.search(query, depth) for query in queries]

    def search(self, query: str, depth: int) -> list[Hit]:
        """The best `depth` chunks (fewer only when the corpus has fewer), best first."""
        depth = min(depth, len(self._ids))
        if depth <= 0:
            return []
        found, scores = self._candidates(self._terms(query), depth)
        best = np.lexsort((found, -scores))[:depth]
        ranked = [*zip(found[best].tolist(), scores[best].tolist(), strict=True)]
        if len(ranked) < depth:
            others = np.setdiff1d(np.arange(depth), found)[: depth - len(ranked)]
            ranked += [(position, 0.0) for position in others.tolist()]
        return [
            Hit(self._ids[position], rank, score)
            for rank, (position, score) in enumerate(ranked, start=1)
        ]

    def rank_of(self, query: str, chunk_ids: Sequence[str], depth: int) -> int | None:
        """Best rank of any of `chunk_ids` among the first `depth` with a score, else None.

        Their own score is known first, so that of the others only those that reach it are looked
        for: for a chunk near the top, next to nothing is read.
        """
        terms = self._terms(query)
        places = ((bisect_left(self._ids, one), one) for one in chunk_ids)
        held = sorted({place for place, one in places if self._ids[place : place + 1] == [one]})
        if not terms or not held or depth <= 0:
            return None
        score, place = max(((self._score(terms, one), one) for one in held), key=lambda own: own[0])
        if not score:
            return None
        found, scores = self._matching(terms, depth, score)
        before = (scores > score) | ((scores == score) & (found < place))
        rank = 1 + int(np.count_nonzero(before))
        return rank if rank <= depth else None

    def _numbered(
        self, chunks: Sequence[Chunk]
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
        """Numbers of the content words of all chunks in a row, and how many each chunk has."""
        spellings = _Spellings(self._vocabulary, self._language)
        numbers, ends = array("i"), [0]
        for chunk in chunks:
            numbers.extend(map(spellings.__getitem__, words(searchable(chunk))))
            ends.append(len(numbers))
        everything = np.frombuffer(numbers, dtype=np.int32) if numbers else np.zeros(0, np.int32)
        carries = everything >= 0
        before = np.concatenate([[0], np.cumsum(carries)])
        return everything[carries], np.diff(before[ends])

    def _terms(self, query: str) -> list[_Term]:
        """Words of the query that the corpus has, those that can add most first."""
        counts = Counter(content_words(query, self._language))
        terms: list[_Term] = []
        for word, count in sorted(counts.items()):
            number = self._vocabulary.get(word)
            if number is not None:
                start, end = self._starts[number], self._starts[number + 1]
                terms.append(_Term(start, end, count, count * self._most[number]))
        return sorted(terms, key=lambda term: -term.bound)

    def _candidates(
        self, terms: Sequence[_Term], depth: int
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
        """Positions that can be among the best `depth`, with their scores."""
        if self._scan is None or not terms:
            return self._matching(terms, depth)
        spans = np.array([(term.start, term.end, term.weight) for term in terms])
        return self._scan(spans, self._positions, self._weights, self._sums, depth)

    def _matching(
        self, terms: Sequence[_Term], depth: int, floor: float = 0.0
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
        """`_candidates` in Python: MaxScore, so that numpy has less to read.

        `floor`: all that reach this score are wanted, whatever the depth.
        """
        sums, count, least = self._sums, 0, floor * _ROUNDING
        met: list[npt.NDArray[np.int32]] = []
        bound_of_rest, looked_at, read = sum(term.bound for term in terms), depth, 0
        while read < len(terms) and bound_of_rest >= least:
            term = terms[read]
            positions = self._positions[term.start : term.end]
            new = positions[sums[positions] == 0]
            weights = self._weights[term.start : term.end]
            sums[positions] += np.multiply(weights, term.weight, dtype=np.float64)
            met.append(new)
            count, read = count + len(new), read + 1
            bound_of_rest -= term.bound
            if not floor and count >= looked_at and read < len(terms):
                # What is met later, if at all, must beat the best of what is met by now.
                least = self._least(np.concatenate(met), terms[read:], depth) * _ROUNDING
                looked_at = 2 * count
        touched = np.concatenate(met) if met else np.zeros(0, dtype=np.int32)
        found = np.sort(touched[sums[touched] + max(bound_of_rest, 0.0) >= least])
        scores = sums[found]
        sums[touched] = 0
        for term in terms[read:]:
            scores += self._given(term, found)
            bound_of_rest -= term.bound
            stays = scores + max(bound_of_rest, 0.0) >= least
            found, scores = found[stays], scores[stays]
        return found.astype(np.int64), scores

    def _least(self, met: npt.NDArray[np.int32], rest: Sequence[_Term], depth: int) -> float:
        """A score that the last of the best `depth` has at least: that of `depth` chunks met."""
        sums = self._sums[met]
        chosen = np.argpartition(sums, len(sums) - depth)[len(sums) - depth :]
        found = np.sort(met[chosen])
        scores = self._sums[found]
        for term in rest:
            scores += self._given(term, found)
        return float(scores.min())

    def _score(self, terms: Sequence[_Term], place: int) -> float:
        """Of one chunk."""
        score = 0.0
        for term in terms:
            at = term.start + int(self._positions[term.start : term.end].searchsorted(place))
            if at < term.end and self._positions[at] == place:
                score += term.weight * float(self._weights[at])
        return score

    def _given(self, term: _Term, found: npt.NDArray[np.int32]) -> npt.NDArray[np.float64]:
        """What `term` adds to the scores of the chunks at the sorted positions `found`."""
        positions = self._positions[term.start : term.end]
        places = np.minimum(np.searchsorted(positions, found), len(positions) - 1)
        holds = positions[places] == found
        weights = self._weights[term.start + places].astype(np.float64)
        given: npt.NDArray[np.float64] = np.where(holds, weights, 0.0)
        return term.weight * given


def _postings(
    numbers: npt.NDArray[np.int32], lengths: npt.NDArray[np.int64], words: int
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float32], npt.NDArray[np.int64]]:
    """For each word the chunks that hold it and its weight in them, and where each word starts.

    The weights are those of `bm25s.BM25()` to the last bit; whole arrays are read where it counts
    chunk by chunk.
    """
    chunks = np.repeat(np.arange(len(lengths)), lengths)
    places = (numbers.astype(np.int64) << 32) | chunks
    places.sort()
    first = np.flatnonzero(np.diff(places, prepend=-1))
    times = np.diff(first, append=len(places))
    places = places[first]
    positions, word = (places & 0xFFFFFFFF).astype(np.int32), places >> 32
    holding = np.bincount(word, minlength=words)
    starts = np.concatenate([[0], np.cumsum(holding)])
    if not len(places):
        return positions, np.zeros(0, dtype=np.float32), starts
    norms = _K1 * ((1 - _B) + _B * lengths / lengths.mean())
    weights = times / (norms[positions] + times)
    weights *= np.repeat(_rarities(holding, len(lengths)), holding)
    return positions, weights.astype(np.float32), starts


def _rarities(holding: npt.NDArray[np.int64], chunks: int) -> npt.NDArray[np.float32]:
    """Inverse document frequency of words that so many of the chunks hold."""
    counts, which = np.unique(holding, return_inverse=True)
    # `math.log`, not numpy's: they may differ in the last bit.
    found = [math.log(1 + (chunks - n + 0.5) / (n + 0.5)) for n in counts.tolist()]
    return np.array(found, dtype=np.float32)[which]


def searchable(chunk: Chunk) -> str:
    """What retrievers look at."""
    return f"{chunk.title}\n{chunk.section}\n{chunk.text}"
