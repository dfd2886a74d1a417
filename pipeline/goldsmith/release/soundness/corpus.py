"""Documents and chunks: spans that hold, ids that are one row each."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from goldsmith.ids import text_digest
from goldsmith.release.layout import CORPUS, DOCUMENTS
from goldsmith.release.soundness.fault import Fault

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from goldsmith.records import Chunk, Document
    from goldsmith.release.contents import Contents

_SHOWN = 60
"""Characters of a text that a message repeats."""


@dataclass(frozen=True, slots=True)
class Shelf:
    """Documents and chunks by id."""

    documents: dict[str, Document]
    chunks: dict[str, Chunk]

    @classmethod
    def of(cls, contents: Contents) -> Shelf:
        return cls(
            documents={document.doc_id: document for document in contents.documents},
            chunks={chunk.chunk_id: chunk for chunk in contents.chunks},
        )


def shown(text: str) -> str:
    """A text as messages repeat it: quoted, its middle left out when it is long."""
    half = _SHOWN // 2
    return repr(text if len(text) <= _SHOWN else f"{text[:half]} … {text[-half:]}")


def repeated(table: str, column: str, ids: Iterable[str]) -> Iterator[Fault]:
    """A fault for each id that names more than one row."""
    for name, count in Counter(ids).items():
        if count > 1:
            yield Fault(table, name, "duplicate_id", column, f"found in {count} rows")


def corpus_faults(contents: Contents, shelf: Shelf) -> Iterator[Fault]:
    """Documents whose digest is off, chunks that are not the text of their span."""
    yield from repeated(DOCUMENTS.name, "doc_id", (row.doc_id for row in contents.documents))
    for document in contents.documents:
        digest = text_digest(document.text)
        if document.sha256 != digest:
            detail = f"found {document.sha256}, its text has {digest}"
            yield Fault(DOCUMENTS.name, document.doc_id, "wrong_sha256", "sha256", detail)
    yield from repeated(CORPUS.name, "chunk_id", (row.chunk_id for row in contents.chunks))
    for chunk in contents.chunks:
        yield from _chunk_faults(chunk, shelf)


def _chunk_faults(chunk: Chunk, shelf: Shelf) -> Iterator[Fault]:
    document = shelf.documents.get(chunk.doc_id)
    if document is None:
        detail = f"document {chunk.doc_id!r} is not in the release"
        yield Fault(CORPUS.name, chunk.chunk_id, "unknown_document", "doc_id", detail)
    elif document.text[chunk.start : chunk.end] != chunk.text:
        spanned = shown(document.text[chunk.start : chunk.end])
        detail = (
            f"found {shown(chunk.text)}, but {chunk.doc_id}[{chunk.start}:{chunk.end}] is {spanned}"
        )
        yield Fault(CORPUS.name, chunk.chunk_id, "chunk_not_its_span", "text", detail)
