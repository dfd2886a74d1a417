"""Chunk: documents to chunks with spans, ids and duplicate groups, as a stream.

A corpus need not fit into memory: what stays between documents are fourteen bytes for each id, and
what was dropped.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from goldsmith.corpus.chunking import Chunker
from goldsmith.funnel import FunnelRow, account
from goldsmith.ids import IdLedger
from goldsmith.records import Chunk, Document, Dropped, Loss

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from goldsmith.settings import ChunkSettings

STAGE = "chunk"
_KIND = "document"


class ChunkedDocument(NamedTuple):
    """A document and its chunks, in order."""

    document: Document
    chunks: list[Chunk]


@dataclass(slots=True)
class Tally:
    """What became of the files; complete when the stream has ended."""

    documents: int = 0
    chunks: int = 0
    dropped: list[Dropped] = field(default_factory=list)

    def funnel(self) -> list[FunnelRow]:
        """Requested = files found."""
        requested = self.documents + len(self.dropped)
        return [
            account(STAGE, _KIND, requested=requested, kept=self.documents, dropped=self.dropped)
        ]


def run(
    found: Iterable[Document | Dropped], settings: ChunkSettings, tally: Tally
) -> Iterator[ChunkedDocument]:
    """Each document with its chunks, one at a time; what was dropped goes to `tally`.

    Raises `InputError` at the end of the stream when two documents or two chunks have the same id,
    and `ConservationError` when a chunk cannot be found in its document.
    """
    chunker = Chunker(settings)
    document_ids, chunk_ids = IdLedger("d", "documents"), IdLedger("p", "chunks")
    for item in found:
        if isinstance(item, Dropped):
            tally.dropped.append(item)
            continue
        chunks = chunker.chunks(item)
        if not chunks:
            tally.dropped.append(_without_text(item))
            continue
        document_ids.add([item.doc_id])
        chunk_ids.add([chunk.chunk_id for chunk in chunks])
        tally.documents += 1
        tally.chunks += len(chunks)
        yield ChunkedDocument(item, chunks)
    document_ids.refuse_collisions()
    chunk_ids.refuse_collisions()


def _without_text(document: Document) -> Dropped:
    return Dropped(
        stage=STAGE,
        kind=_KIND,
        item_id=document.source,
        loss=Loss.REJECTED,
        reason="no_text",
        detail="it holds nothing but white space",
    )
