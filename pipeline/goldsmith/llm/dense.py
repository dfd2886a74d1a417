"""The second retriever: the cosine of embeddings, over every chunk of the corpus."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import numpy as np

from goldsmith.corpus.search import Hit, searchable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from goldsmith.llm.embedding import Embedder, Vectors
    from goldsmith.records import Chunk

_DIGITS = 5
"""Of a cosine; its last bits depend on the machine, and would order what is equal."""
_QUERIES_AT_ONCE = 64


class DenseIndex:
    """A `Retriever` with the interface of `search.Index`; equal scores are ordered by chunk id.

    Memory: 4 bytes a number, so 100,000 chunks of 1,536 take 0.6 GB. Every search compares the
    query with every chunk: what it finds is exact.
    """

    def __init__(self, chunk_ids: Sequence[str], vectors: Vectors, embedder: Embedder) -> None:
        """`vectors`: a row of unit length for each of the sorted `chunk_ids`."""
        self.name = embedder.name
        self._ids = chunk_ids
        self._vectors = vectors
        self._embedder = embedder

    @classmethod
    async def of(cls, chunks: Sequence[Chunk], embedder: Embedder) -> Self:
        """Embed title, section and text of every chunk: what BM25 looks at too."""
        ordered = sorted(chunks, key=lambda chunk: chunk.chunk_id)
        vectors = await embedder.embed([searchable(chunk) for chunk in ordered])
        return cls([chunk.chunk_id for chunk in ordered], vectors, embedder)

    def __len__(self) -> int:
        return len(self._ids)

    async def find(self, queries: Sequence[str], depth: int) -> list[list[Hit]]:
        """For each query the best `depth` chunks, best first."""
        depth = min(depth, len(self._ids))
        if depth <= 0 or not queries:
            return [[] for _ in queries]
        asked = await self._embedder.embed(queries)
        found: list[list[Hit]] = []
        for start in range(0, len(queries), _QUERIES_AT_ONCE):
            scores = np.round(asked[start : start + _QUERIES_AT_ONCE] @ self._vectors.T, _DIGITS)
            found += (self._best(row, depth) for row in scores)
        return found

    def _best(self, scores: Vectors, depth: int) -> list[Hit]:
        # All that tie with the last place are sorted too: a partition alone would pick among them
        # by an accident of memory.
        least = np.partition(scores, len(scores) - depth)[len(scores) - depth]
        candidates = np.flatnonzero(scores >= least)
        best = candidates[np.lexsort((candidates, -scores[candidates]))][:depth]
        return [
            Hit(self._ids[position], rank, float(scores[position]))
            for rank, position in enumerate(best.tolist(), start=1)
        ]
