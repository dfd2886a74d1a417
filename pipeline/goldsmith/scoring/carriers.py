"""Which of a record's chunks carry each evidence: by id, or by span on another chunking."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from goldsmith.scoring.spans import span_hits

if TYPE_CHECKING:
    from collections.abc import Container

    from goldsmith.scoring.gold import GoldEvidence, GoldQuery
    from goldsmith.scoring.run_records import Retrieved, RunRecord


def evidences_in(
    query: GoldQuery, record: RunRecord, known: Container[str], min_overlap: float
) -> tuple[GoldEvidence, ...]:
    """The query's evidences, with the record's own items as members where they hold the quote.

    `known` are the chunk ids of gold's corpus: those are matched by id alone.
    """
    foreign = [
        (rank, item)
        for rank, item in enumerate(record.retrieved, 1)
        if not isinstance(item, str)
        and item.start is not None
        and item.end is not None
        and item.chunk_id not in known
    ]
    if not foreign:
        return query.evidences
    return tuple(_widened(evidence, foreign, min_overlap) for evidence in query.evidences)


def _widened(
    evidence: GoldEvidence, foreign: list[tuple[int, Retrieved]], min_overlap: float
) -> GoldEvidence:
    alone = [
        (item.chunk_id,)
        for rank, item in foreign
        if span_hits([evidence], [(rank, item)], min_overlap).evidence_ranks[0] is not None
    ]
    members: list[tuple[str, ...]] = list(alone)
    if not alone:
        hits = span_hits([evidence], foreign, min_overlap)
        parts = {rank for rank, _ in hits.item_ranks}
        joint = tuple(item.chunk_id for rank, item in foreign if rank in parts)
        members += [joint] if joint else []
    return replace(evidence, members=(*evidence.members, *members))


def held(evidence: GoldEvidence, chunk_ids: Container[str]) -> bool:
    """Whether a set of chunks holds a member whole."""
    return any(all(c in chunk_ids for c in member) for member in evidence.members)
