"""Chunk: documents to chunks with spans, ids and duplicate groups, as a stream."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from goldsmith.corpus.chunking import Chunker
from goldsmith.errors import InputError
from goldsmith.funnel import FunnelRow, account
from goldsmith.records import Chunk, Document, Dropped

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from goldsmith.settings import ChunkSettings

STAGE = "chunk"


@dataclass(slots=True)
class Tally:
    """What became of the files, and how many chunks there are, once the stream has ended."""

    documents: int = 0
    chunks: int = 0
    dropped: list[Dropped] = field(default_factory=list)

    def funnel(self) -> list[FunnelRow]:
        """Requested = files found."""
        requested = self.documents + len(self.dropped)
        return [
            account(
                STAGE,
                "document",
                requested=requested,
                kept=self.documents,
                dropped=self.dropped,
            )
        ]


def run(
    found: Iterable[Document | Dropped], settings: ChunkSettings, tally: Tally
) -> Iterator[tuple[Document, list[Chunk]]]:
    """Each document with its chunks, one at a time; what was dropped goes to `tally`.

    Memory grows by an id a document and chunk only. Raises `InputError` when two ids collide.
    """
    chunker = Chunker(settings)
    seen: set[str] = set()
    for item in found:
        if isinstance(item, Dropped):
            tally.dropped.append(item)
            continue
        chunks = chunker.chunks(item)
        for new in (item.doc_id, *(chunk.chunk_id for chunk in chunks)):
            if new in seen:
                raise InputError(
                    f"two different passages have the id {new!r} (one of them in {item.source!r}): "
                    "change one by a character, or leave one out of the corpus"
                )
            seen.add(new)
        tally.documents += 1
        tally.chunks += len(chunks)
        yield item, chunks
