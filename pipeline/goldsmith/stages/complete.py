"""Complete: every evidence gets all the chunks that carry it.

Without a model: chunks whose span contains the quote (overlap), exact duplicates of a member, and
groups of chunks that cover the quote only together (joint members).
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from goldsmith.corpus.projection import Projection
from goldsmith.funnel import FunnelRow, account
from goldsmith.records import (
    JUDGED_BY_SOURCE,
    JUDGED_BY_SPAN,
    Answering,
    Evidence,
    Judgement,
    Query,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from goldsmith.records import Chunk

STAGE = "complete"


@dataclass(frozen=True, slots=True)
class Completed:
    """The queries with their members; a judgement for each member that was added."""

    queries: list[Query]
    judgements: list[Judgement]
    funnel: list[FunnelRow]


def run(queries: Sequence[Query], chunks: Sequence[Chunk]) -> Completed:
    """Add members to every evidence and gather each query's gold citations; none is dropped."""
    carriers = _Carriers(chunks)
    completed: list[Query] = []
    judgements: list[Judgement] = []
    for query in queries:
        evidence = tuple(carriers.complete(found) for found in query.evidence)
        gold = tuple(dict.fromkeys(c for found in evidence for c in found.all_chunk_ids))
        completed.append(query.model_copy(update={"evidence": evidence, "gold_citations": gold}))
        judgements += _judgements(query, evidence)
    kinds = dict.fromkeys(query.kind.value for query in queries)
    counts = {kind: sum(query.kind.value == kind for query in queries) for kind in kinds}
    funnel = [account(STAGE, k, requested=n, kept=n, dropped=()) for k, n in counts.items()]
    return Completed(completed, judgements, funnel)


class _Carriers:
    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self._projection = Projection(chunks)
        self._group_of = {chunk.chunk_id: chunk.duplicate_group for chunk in chunks}
        self._groups: defaultdict[str, list[str]] = defaultdict(list)
        for chunk in chunks:
            self._groups[chunk.duplicate_group].append(chunk.chunk_id)

    def complete(self, evidence: Evidence) -> Evidence:
        found = self._projection.carriers(
            evidence.doc_id, evidence.start, evidence.end, evidence.quote
        )
        members = dict.fromkeys((*evidence.chunk_ids, *found.single))
        for member in tuple(members):
            members.update(dict.fromkeys(sorted(self._groups[self._group_of[member]])))
        joint = dict.fromkeys((*evidence.joint_members, *found.joint))
        return evidence.model_copy(
            update={"chunk_ids": tuple(members), "joint_members": tuple(joint)}
        )


def _judgements(query: Query, evidence: Sequence[Evidence]) -> list[Judgement]:
    """One a query and chunk: how it came to be a member."""
    by_chunk: dict[str, Judgement] = {}
    for before, after in zip(query.evidence, evidence, strict=True):
        for chunk_id in after.all_chunk_ids:
            source = chunk_id in before.chunk_ids
            judge = JUDGED_BY_SOURCE if source else JUDGED_BY_SPAN
            verdict = Answering.ANSWERS if chunk_id in after.chunk_ids else Answering.PARTLY
            by_chunk.setdefault(
                chunk_id,
                Judgement(query_id=query.query_id, chunk_id=chunk_id, verdict=verdict, judge=judge),
            )
    return list(by_chunk.values())
