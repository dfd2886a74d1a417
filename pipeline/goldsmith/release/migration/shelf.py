"""The two chunkings, and what of the old one a place in the new one stands for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from goldsmith.corpus.projection import Carriers, Projection
from goldsmith.release.migration.places import Place, Places

if TYPE_CHECKING:
    from collections.abc import Sequence

    from goldsmith.records import Chunk, Document
    from goldsmith.release.contents import Contents


class Shelf:
    """Old chunks by id, new chunks by place."""

    def __init__(
        self, old: Contents, documents: Sequence[Document], chunks: Sequence[Chunk]
    ) -> None:
        self.places = Places(old.documents, documents)
        self.old = {chunk.chunk_id: chunk for chunk in old.chunks}
        self.new = {chunk.chunk_id: chunk for chunk in chunks}
        self._projection = Projection(chunks)
        self._placed: dict[str, Place | None] = {}
        self._held: dict[Place, Carriers] = {}

    def placed(self, old_chunk_id: str) -> Place | None:
        """Where the text of an old chunk stands now; None when it was changed or is gone."""
        if old_chunk_id not in self._placed:
            chunk = self.old[old_chunk_id]
            self._placed[old_chunk_id] = self.places.of_words(chunk.doc_id, chunk.start, chunk.end)
        return self._placed[old_chunk_id]

    def carriers(self, place: Place) -> Carriers:
        """Chunks that hold the whole place, their copies, and groups that hold it together."""
        found = self._holding(place)
        return Carriers(self._projection.copies(found.single), found.joint)

    def touching(self, place: Place) -> list[Chunk]:
        """New chunks that share at least one character with the place."""
        return self._projection.touching(place.doc_id, place.start, place.end)

    def nearest(self, place: Place, among: Sequence[str] = ()) -> str | None:
        """The new chunk that shares most with a place; `among`: of these only."""
        chunks = [self.new[chunk_id] for chunk_id in among] or self.touching(place)
        return (
            min(chunks, key=lambda c: (-_shared(c, place), c.chunk_id)).chunk_id if chunks else None
        )

    def covering(self, place: Place) -> tuple[str, ...]:
        """The chunks that hold the whole place; where none does, those that do so together."""
        found = self._holding(place)
        return found.single or tuple(c for member in found.joint for c in member)

    def _holding(self, place: Place) -> Carriers:
        """Asked for the members of an evidence, and again for the source that it stands in."""
        if place not in self._held:
            self._held[place] = self._projection.carriers(
                place.doc_id, place.start, place.end, self.places.text(place)
            )
        return self._held[place]


def _shared(chunk: Chunk, place: Place) -> int:
    if chunk.doc_id != place.doc_id:
        return 0
    return max(min(chunk.end, place.end) - max(chunk.start, place.start), 0)
