"""Small corpora by hand: documents as lists of chunk texts."""

from __future__ import annotations

from goldsmith.ids import content_id, text_digest
from goldsmith.records import Chunk, Document


def make_document(source: str, text: str, *, language: str = "en") -> Document:
    return Document(
        doc_id=content_id("d", source, text),
        source=source,
        title=source,
        text=text,
        sha256=text_digest(text),
        language=language,
    )


def make_chunks(source: str, *texts: str, separator: str = "\n\n") -> list[Chunk]:
    """Chunks that lie one after the other in one document, without overlap."""
    doc_id = content_id("d", source, separator.join(texts))
    chunks: list[Chunk] = []
    start = 0
    for text in texts:
        chunks.append(
            Chunk(
                chunk_id=content_id("p", source, text),
                doc_id=doc_id,
                title=source,
                section="",
                text=text,
                start=start,
                end=start + len(text),
                duplicate_group=content_id("g", " ".join(text.split())),
            )
        )
        start += len(text) + len(separator)
    return chunks


def by_id(chunks: list[Chunk]) -> dict[str, Chunk]:
    return {chunk.chunk_id: chunk for chunk in chunks}


def languages(chunks: list[Chunk], language: str = "en") -> dict[str, str]:
    return {chunk.doc_id: language for chunk in chunks}
