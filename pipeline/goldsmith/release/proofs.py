"""What counts as proof: of needing every source, and of having no answer in the corpus."""

from __future__ import annotations

from typing import TYPE_CHECKING

from goldsmith.records import Answering

if TYPE_CHECKING:
    from goldsmith.records import Nearest, Query


def needs_every_source(query: Query) -> bool:
    """Leave-one-out was executed: all sources gave the gold answer, no set with one left out did.

    A trial that failed proves nothing.
    """
    sources = frozenset(query.source_chunk_ids)
    tried = {frozenset(t.chunk_ids): t for t in query.necessity if t.failure is None}
    whole = tried.get(sources)
    if len(sources) < 2 or whole is None or not whole.matches_gold:  # noqa: PLR2004 - "multi"
        return False
    parts = [tried.get(sources - {source}) for source in sources]
    return all(part is not None and not part.matches_gold for part in parts)


def absence_is_proven(query: Query, corpus_size: int) -> bool:
    """The whole corpus was searched, and no passage looked at answers the probe, even partly."""
    proof = query.proof
    return (
        proof is not None
        and proof.chunks_searched >= corpus_size
        and bool(proof.retrievers and proof.queries and proof.nearest)
        and not answering_passages(query)
    )


def answering_passages(query: Query) -> list[Nearest]:
    """Passages of a probe's proof that answer it, or half-answer it.

    A trap half-answers by design (it holds the stale state, or contradicts the premise): only a
    whole answer in it counts.
    """
    return [
        near
        for near in (query.proof.nearest if query.proof else ())
        if near.verdict is Answering.ANSWERS
        or (near.verdict is Answering.PARTLY and near.chunk_id not in query.trap_chunk_ids)
    ]
