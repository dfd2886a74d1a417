"""Search over the chunks of a corpus: one BM25 index for every stage, and what retrievers share."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import bm25s
import numpy as np

from goldsmith.corpus.scanning import compiled_scan
from goldsmith.corpus.words import content_words, words

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from goldsmith.records import Chunk

_LARGE = 20_000
"""Chunks from which compiling pays."""
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
        self._spellings: dict[str, int] = {}
        numbered = [self._numbered(searchable(chunk)) for chunk in ordered]
        if self._vocabulary:
            bm25 = bm25s.BM25()
            bm25.index((numbered, self._vocabulary), create_empty_token=False, show_progress=False)
            self._weights: npt.NDArray[np.float32] = bm25.scores["data"]
            self._positions: npt.NDArray[np.int32] = bm25.scores["indices"]
            self._starts: list[int] = bm25.scores["indptr"].tolist()
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
        """Best rank of any of `chunk_ids` among the first `depth` with a score, else None."""
        depth = min(depth, len(self._ids))
        if depth <= 0:
            return None
        found, scores = self._matching(self._terms(query), depth)
        best = np.lexsort((found, -scores))[:depth]
        places = ((bisect_left(self._ids, chunk_id), chunk_id) for chunk_id in chunk_ids)
        wanted = {place for place, c in places if self._ids[place : place + 1] == [c]}
        ranked = zip(found[best].tolist(), scores[best].tolist(), strict=True)
        return next((n for n, (p, score) in enumerate(ranked, 1) if p in wanted and score), None)

    def _numbered(self, text: str) -> list[int]:
        """The numbers of the content words of `text`; each spelling is stemmed once."""
        known = self._spellings
        numbers: list[int] = []
        for word in words(text):
            number = known.get(word)
            if number is None:
                number = known[word] = self._number_of(word)
            if number >= 0:
                numbers.append(number)
        return numbers

    def _number_of(self, spelling: str) -> int:
        """Of its stem; -1 for a stop word."""
        stems = content_words(spelling, self._language)
        return self._vocabulary.setdefault(stems[0], len(self._vocabulary)) if stems else -1

    def _terms(self, query: str) -> list[_Term]:
        """Words of the query that the corpus has, those that can add most first."""
        counts = Counter(content_words(query, self._language))
        terms: list[_Term] = []
        for word, count in sorted(counts.items()):
            number = self._vocabulary.get(word)
            if number is not None:
                start, end = self._starts[number], self._starts[number + 1]
                most = float(self._weights[start:end].max())
                terms.append(_Term(start, end, count, count * most))
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
        self, terms: Sequence[_Term], depth: int
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
        """`_candidates` in Python: MaxScore, so that numpy has less to read."""
        sums, count, least = self._sums, 0, 0.0
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
            if count >= looked_at and read < len(terms):
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

    def _given(self, term: _Term, found: npt.NDArray[np.int32]) -> npt.NDArray[np.float64]:
        """What `term` adds to the scores of the chunks at the sorted positions `found`."""
        positions = self._positions[term.start : term.end]
        places = np.minimum(np.searchsorted(positions, found), len(positions) - 1)
        holds = positions[places] == found
        weights = self._weights[term.start + places].astype(np.float64)
        given: npt.NDArray[np.float64] = np.where(holds, weights, 0.0)
        return term.weight * given


def searchable(chunk: Chunk) -> str:
    """What retrievers look at."""
    return f"{chunk.title}\n{chunk.section}\n{chunk.text}"
