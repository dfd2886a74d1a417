"""BM25 over the chunks of a corpus: one index for probes, completion, difficulty and baseline."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import bm25s
import numpy as np

from goldsmith.corpus.words import content_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from goldsmith.records import Chunk


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk that a search found; `rank` counts from 1."""

    chunk_id: str
    rank: int
    score: float


class Index:
    """BM25 (Lucene's variant, k1 1.5, b 0.75) over title, section and text of every chunk.

    Equal scores are ordered by chunk id, so that the same corpus gives the same ranking on every
    machine and in whatever order its files were read. A search deeper than there are matches goes
    on with chunks of score 0: over a small corpus an absence search looks at every chunk.
    """

    name = "bm25"

    def __init__(self, chunks: Sequence[Chunk], language: str = "en") -> None:
        self._language = language
        ordered = sorted(chunks, key=lambda chunk: chunk.chunk_id)
        self._ids = [chunk.chunk_id for chunk in ordered]
        self._position = {chunk_id: position for position, chunk_id in enumerate(self._ids)}
        self._bm25: bm25s.BM25 | None = None
        if ordered:
            self._bm25 = bm25s.BM25()
            corpus = [content_words(_searchable(chunk), language) for chunk in ordered]
            self._bm25.index(corpus, show_progress=False)

    def __len__(self) -> int:
        return len(self._ids)

    def search(self, query: str, depth: int) -> list[Hit]:
        """The best `depth` chunks (fewer only when the corpus has fewer), best first."""
        scores = self._scores(query)
        depth = min(depth, len(scores))
        if depth == 0:
            return []
        # All that tie with the last place are sorted too: a partition alone would pick among them
        # by an accident of memory.
        threshold = np.partition(scores, -depth)[-depth]
        candidates = np.flatnonzero(scores >= threshold)
        best = candidates[np.argsort(-scores[candidates], kind="stable")][:depth]
        return [
            Hit(self._ids[position], rank, float(scores[position]))
            for rank, position in enumerate(best, start=1)
        ]

    def rank_of(self, query: str, chunk_ids: Sequence[str], depth: int) -> int | None:
        """Best rank of any of `chunk_ids` among the first `depth` with a score, else None."""
        wanted = set(chunk_ids)
        found = (
            hit.rank for hit in self.search(query, depth) if hit.chunk_id in wanted and hit.score
        )
        return next(found, None)

    def _scores(self, query: str) -> npt.NDArray[np.float32]:
        tokens = content_words(query, self._language)
        if self._bm25 is None:
            return np.zeros(0, dtype=np.float32)
        known = self._bm25.get_tokens_ids(tokens)
        if not known:
            return np.zeros(len(self._ids), dtype=np.float32)
        scores: npt.NDArray[np.float32] = self._bm25.get_scores_from_ids(known)
        return scores


def _searchable(chunk: Chunk) -> str:
    return f"{chunk.title}\n{chunk.section}\n{chunk.text}"
