"""Runs on another chunking: an item carries evidence when it holds the quote's characters.

Items that only together cover the quote count as a joint member does: at the rank of the last.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from goldsmith.scoring.gold import GoldEvidence, Span
    from goldsmith.scoring.run_records import Retrieved


@dataclass(frozen=True, slots=True)
class SpanHits:
    """What one ranked list holds of each evidence, judged by offsets; ranks count from 1."""

    evidence_ranks: tuple[int | None, ...]
    """Rank at which each evidence is covered; None: never."""
    item_ranks: tuple[tuple[int, int], ...]
    """(own rank, rank from which it counts) of every item that has a part in a covered evidence."""


def span_hits(
    evidences: Sequence[GoldEvidence],
    ranked: Sequence[tuple[int, Retrieved]],
    min_overlap: float,
) -> SpanHits:
    """Match `ranked` (rank, item) pairs, in rank order, with the spans of the evidences."""
    ranks: list[int | None] = []
    counted: dict[int, int] = {}
    for evidence in evidences:
        found = None if evidence.span is None else _covering(evidence.span, ranked, min_overlap)
        ranks.append(found and found[0])
        for rank, since in (found[1] if found else {}).items():
            counted[rank] = min(since, counted.get(rank, since))
    return SpanHits(tuple(ranks), tuple(sorted(counted.items())))


def _covering(
    span: Span, ranked: Sequence[tuple[int, Retrieved]], min_overlap: float
) -> tuple[int, dict[int, int]] | None:
    """The rank at which `min_overlap` of the span is covered, and the items that matter for it."""
    needed = min_overlap * (span.end - span.start)
    covered: set[int] = set()
    parts: dict[int, int] = {}
    done: int | None = None
    for rank, item in ranked:
        held = _held(span, item)
        if not held:
            continue
        alone = len(held) >= needed
        if done is None and not covered.issuperset(held):
            parts[rank] = rank
            covered.update(held)
            if len(covered) >= needed:
                done = rank
        elif alone:
            parts[rank] = rank
    if done is None:
        return None
    # Before the quote is covered, a part of it proves nothing: it counts from then on.
    return done, {rank: max(rank, done) for rank in parts}


def _held(span: Span, item: Retrieved) -> Collection[int]:
    """The characters of the span that an item holds."""
    if item.doc_id != span.doc_id or item.start is None or item.end is None:
        return ()
    return range(max(span.start, item.start), min(span.end, item.end))
