"""An answerable question on another chunking: all of its evidences, or none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from goldsmith.corpus.difficulty import difficulty_of
from goldsmith.records import Evidence, Judgement, Kind, Query
from goldsmith.release.migration.labels import Projected, carry_verdicts, project
from goldsmith.release.migration.report import Fate, Move

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from goldsmith.corpus.search import Index
    from goldsmith.records import Trial
    from goldsmith.release.migration.shelf import Shelf

WITH_ITS_QUESTION = "question_lost"
"""Reason of an evidence that could be carried, of a question that could not."""


@dataclass(frozen=True, slots=True)
class Carried:
    """Both sides of one question."""

    before: Query
    move: Move
    moves: tuple[Move, ...]
    """Of its evidences."""
    after: Query | None
    sources: Mapping[str, str]
    """For each old chunk that it was written from the new one that stands for it."""
    judgements: list[Judgement]
    left_behind: int
    cut: tuple[str, ...]


def carry(query: Query, said: Sequence[Judgement], shelf: Shelf, index: Index) -> Carried:
    """The question with its labels on the new chunks, or the reason why it is lost."""
    projected = [project(query, number, shelf) for number in range(len(query.evidence))]
    moves = tuple(one.move for one in projected)
    missing = next((move for move in moves if move.fate is Fate.LOST), None)
    if missing is not None:
        return _lost(query, moves, said, missing.reason, missing.detail)
    evidence = tuple(one.evidence for one in projected if one.evidence is not None)
    sources = {
        chunk_id: _source(query, chunk_id, projected, shelf) for chunk_id in query.source_chunk_ids
    }
    if query.kind is Kind.MULTI_SOURCE:
        alone = set.intersection(*(set(found.chunk_ids) for found in evidence))
        if alone or len(set(sources.values())) < len(sources):
            detail = f"{sorted(alone or set(sources.values()))} carries every evidence alone"
            return _lost(query, moves, said, "sources<2", detail)
    after = _with_labels(query, evidence, sources, shelf, index)
    verdicts = carry_verdicts(query, after, said, projected, shelf)
    fate = Fate.MOVED if any(m.fate is Fate.MOVED for m in moves) else Fate.CARRIED
    return Carried(
        before=query,
        move=Move(query_id=query.query_id, fate=fate),
        moves=moves,
        after=after,
        sources=sources,
        judgements=verdicts.rows,
        left_behind=verdicts.left_behind,
        cut=tuple(
            f"{query.query_id} {number} {chunk_id}"
            for number, one in enumerate(projected)
            for chunk_id in one.cut
        ),
    )


def _with_labels(
    query: Query,
    evidence: tuple[Evidence, ...],
    sources: Mapping[str, str],
    shelf: Shelf,
    index: Index,
) -> Query:
    source_ids = tuple(dict.fromkeys(sources.values()))
    measured = difficulty_of(query.question, query.language, source_ids, shelf.new, index)
    return query.model_copy(
        update={
            "evidence": evidence,
            "gold_citations": tuple(dict.fromkeys(c for e in evidence for c in e.all_chunk_ids)),
            "source_chunk_ids": source_ids,
            "necessity": tuple(_renamed(trial, sources) for trial in query.necessity),
            "difficulty": measured if query.difficulty else None,
        }
    )


def _renamed(trial: Trial, sources: Mapping[str, str]) -> Trial:
    """The trial was run on the old passages; its ids name the chunks that stand for them now."""
    chunk_ids = tuple(sources[c] for c in trial.chunk_ids if c in sources)
    return trial.model_copy(update={"chunk_ids": chunk_ids})


def _source(query: Query, chunk_id: str, projected: Sequence[Projected], shelf: Shelf) -> str:
    """The new chunk that stands for an old source: of those that carry most of the evidences
    quoted from it, the one that shares most with it.
    """
    old = shelf.old[chunk_id]
    quoted = [
        one
        for one, found in zip(projected, query.evidence, strict=True)
        if found.doc_id == old.doc_id and old.start <= found.start and found.end <= old.end
    ] or projected
    carriers = [(one, _own_carriers(one, shelf)) for one in quoted]
    counts: dict[str, int] = {}
    for _, found in carriers:
        for candidate in found:
            counts[candidate] = counts.get(candidate, 0) + 1
    most = max(counts.values())
    place = shelf.placed(chunk_id) or quoted[0].place
    best = [candidate for candidate, count in counts.items() if count == most]
    if place is None:
        return min(best)
    return shelf.nearest(place, best) or min(best)


def _own_carriers(one: Projected, shelf: Shelf) -> tuple[str, ...]:
    """Chunks over the evidence's own span: those that hold it whole, else the largest part."""
    if one.place is None or one.evidence is None:
        raise ValueError("a source was asked for of a lost evidence")
    found = shelf.covering(one.place)
    if not found:  # only copies or other passages carry it
        return one.evidence.chunk_ids or one.evidence.joint_members[0][:1]
    if found[0] in one.evidence.chunk_ids:
        return found
    largest = shelf.nearest(one.place, found)
    return (largest,) if largest else found


def _lost(
    query: Query, moves: tuple[Move, ...], said: Sequence[Judgement], reason: str, detail: str
) -> Carried:
    return Carried(
        before=query,
        move=Move(query_id=query.query_id, fate=Fate.LOST, reason=reason, detail=detail),
        moves=tuple(
            move
            if move.fate is Fate.LOST
            else move.model_copy(update={"fate": Fate.LOST, "reason": WITH_ITS_QUESTION})
            for move in moves
        ),
        after=None,
        sources={},
        judgements=[],
        left_behind=len(said),
        cut=(),
    )
