"""One list of passages from several queries and several retrievers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from goldsmith.corpus.search import Hit, Retriever


@dataclass(frozen=True, slots=True)
class Pooled:
    """A chunk of a pool: its best rank in any list, and the retrievers that found it."""

    chunk_id: str
    rank: int
    score: float
    """In the list where it has that rank."""
    retrievers: tuple[str, ...]


async def pooled(
    retrievers: Sequence[Retriever], asked: Sequence[Sequence[str]], depth: int
) -> list[list[Pooled]]:
    """For each group of queries the union of the first `depth` of every list.

    Ordered by best rank, then by chunk id. Every retriever is given all queries at once. The head
    of a deep pool is the shallow one: its first n (for n up to `depth`) are those of depth n.
    """
    queries = list(dict.fromkeys(query for group in asked for query in group))
    lists = {
        retriever.name: dict(zip(queries, await retriever.find(queries, depth), strict=True))
        for retriever in retrievers
    }
    return [
        _union(
            (name, hit) for query in group for name, found in lists.items() for hit in found[query]
        )
        for group in asked
    ]


def _union(hits: Iterable[tuple[str, Hit]]) -> list[Pooled]:
    best: dict[str, Hit] = {}
    found_by: dict[str, dict[str, None]] = {}
    for name, hit in hits:
        found_by.setdefault(hit.chunk_id, {})[name] = None
        known = best.get(hit.chunk_id)
        if known is None or hit.rank < known.rank:
            best[hit.chunk_id] = hit
    ordered = sorted(best.values(), key=lambda hit: (hit.rank, hit.chunk_id))
    return [
        Pooled(hit.chunk_id, hit.rank, hit.score, tuple(found_by[hit.chunk_id])) for hit in ordered
    ]
