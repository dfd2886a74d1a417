"""Members without a model: what follows from the spans of the chunks, and from their copies."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from goldsmith.corpus.projection import Projection

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from goldsmith.records import Chunk, Evidence


class Carriers:
    """Chunks that hold a quote (overlap), copies of those, and groups that hold it together."""

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self._projection = Projection(chunks)
        self._group_of = {chunk.chunk_id: chunk.duplicate_group for chunk in chunks}
        self._groups: defaultdict[str, list[str]] = defaultdict(list)
        for chunk in chunks:
            self._groups[chunk.duplicate_group].append(chunk.chunk_id)

    def group_of(self, chunk_id: str) -> str:
        """The duplicate group of a chunk: one verdict serves all of it."""
        return self._group_of[chunk_id]

    def copies(self, chunk_ids: Iterable[str]) -> list[str]:
        """The chunks and then, chunk by chunk, all with the same text."""
        found = dict.fromkeys(chunk_ids)
        for chunk_id in tuple(found):
            found.update(dict.fromkeys(sorted(self._groups[self._group_of[chunk_id]])))
        return list(found)

    def complete(self, evidence: Evidence) -> Evidence:
        """The evidence with the members that need no judge."""
        found = self._projection.carriers(
            evidence.doc_id, evidence.start, evidence.end, evidence.quote
        )
        members = self.copies((*evidence.chunk_ids, *found.single))
        joint = dict.fromkeys((*evidence.joint_members, *found.joint))
        return evidence.model_copy(
            update={"chunk_ids": tuple(members), "joint_members": tuple(joint)}
        )
