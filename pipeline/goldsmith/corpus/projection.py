"""Which chunks carry a span of a document: alone, or only together."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from goldsmith.records import Chunk


@dataclass(frozen=True, slots=True)
class Carriers:
    """Members of an evidence: `single` are alternatives, each of `joint` is one alternative."""

    single: tuple[str, ...]
    joint: tuple[tuple[str, ...], ...]


class Projection:
    """Spans onto chunks, for one chunking of a corpus.

    Cost of a question: logarithmic in the chunks of its document, plus the answer.
    """

    def __init__(self, chunks: Iterable[Chunk]) -> None:
        by_document: defaultdict[str, list[Chunk]] = defaultdict(list)
        for chunk in chunks:
            by_document[chunk.doc_id].append(chunk)
        self._chunks = {
            doc_id: sorted(members, key=lambda c: (c.start, c.end, c.chunk_id))
            for doc_id, members in by_document.items()
        }
        self._by_id = {c.chunk_id: c for members in self._chunks.values() for c in members}
        self._groups: defaultdict[str, list[str]] = defaultdict(list)
        for chunk_id in sorted(self._by_id):
            self._groups[self._by_id[chunk_id].duplicate_group].append(chunk_id)
        self._starts = {d: [c.start for c in members] for d, members in self._chunks.items()}
        self._longest = {
            d: max(c.end - c.start for c in members) for d, members in self._chunks.items()
        }

    def group_of(self, chunk_id: str) -> str:
        """The duplicate group of a chunk: one verdict serves all of it."""
        return self._by_id[chunk_id].duplicate_group

    def copies(self, chunk_ids: Iterable[str]) -> tuple[str, ...]:
        """The chunks and then, chunk by chunk, all with the same text."""
        found = dict.fromkeys(chunk_ids)
        for chunk_id in tuple(found):
            found.update(dict.fromkeys(self._groups[self.group_of(chunk_id)]))
        return tuple(found)

    def touching(self, doc_id: str, start: int, end: int) -> list[Chunk]:
        """Chunks that share at least one code point with the span, in order of their start."""
        if doc_id not in self._chunks:
            return []
        starts = self._starts[doc_id]
        first = bisect_right(starts, start - self._longest[doc_id])
        last = bisect_right(starts, end - 1)
        return [c for c in self._chunks[doc_id][first:last] if c.end > start and c.start < end]

    def carriers(self, doc_id: str, start: int, end: int, text: str) -> Carriers:
        """Chunks that contain [start, end) whole, and the groups that cover it only together.

        `text` is the span's own text: white space at its ends, or lost between two chunks (a
        splitter strips it), does not count as a gap. A joint member is minimal: without any of its
        chunks it would not cover the span.
        """
        if stripped := text.strip():
            start += len(text) - len(text.lstrip())
            text, end = stripped, start + len(stripped)
        touching = self.touching(doc_id, start, end)
        single = tuple(c.chunk_id for c in touching if c.start <= start and c.end >= end)
        parts = [c for c in touching if c.chunk_id not in single]
        return Carriers(single, _joint_members(parts, start, end, text))


def _joint_members(
    parts: Sequence[Chunk], start: int, end: int, text: str
) -> tuple[tuple[str, ...], ...]:
    """The cover that always takes the chunk reaching farthest: minimal in number of chunks."""
    chosen: list[Chunk] = []
    reached = start
    while reached < end:
        reachable = [
            c for c in parts if c.end > reached and _is_blank(text, reached, c.start, start)
        ]
        if not reachable:
            return ()
        farthest = max(reachable, key=lambda c: (c.end, c.chunk_id))
        chosen.append(farthest)
        reached = farthest.end
        if not text[max(reached - start, 0) :].strip():
            break
    return (tuple(c.chunk_id for c in chosen),) if len(chosen) > 1 else ()


def _is_blank(text: str, reached: int, next_start: int, origin: int) -> bool:
    """Nothing but white space lies between what is covered and the next chunk."""
    return next_start <= reached or not text[reached - origin : next_start - origin].strip()
