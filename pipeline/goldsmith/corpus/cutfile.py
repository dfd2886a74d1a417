"""Chunks that somebody else has cut: a file of spans, one row a chunk.

JSON Lines or Parquet with `doc_id`, `start` and `end` (code points in the document's text), and
where wanted `chunk_id`, `text`, `title` and `section`. A `text` is compared with the document's.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

import orjson
import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from goldsmith.corpus.chunking import chunks_at
from goldsmith.corpus.spans import Span
from goldsmith.errors import InputError
from goldsmith.ids import refuse_collisions

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from goldsmith.records import Chunk, Document


class CutRow(BaseModel):
    """One row; columns beside these are of no concern here."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    doc_id: str
    """Of the document; its path below the corpus folder will do."""
    start: int = Field(ge=0)
    end: int = Field(ge=1)
    text: str | None = None
    chunk_id: str | None = None
    title: str | None = None
    section: str | None = None


def read_cut(path: Path, documents: Sequence[Document]) -> list[Chunk]:
    """The chunks of the file, document by document, in order of their start.

    Raises `InputError` naming the row of which no chunk can be made, and what was expected.
    """
    by_name = {document.source: document for document in documents}
    by_name |= {document.doc_id: document for document in documents}
    rows: defaultdict[str, list[CutRow]] = defaultdict(list)
    for number, values in enumerate(_rows(path), start=1):
        row, document = _checked(values, by_name, f"{path}, row {number}")
        rows[document.doc_id].append(row)
    if not rows:
        raise InputError(f"{str(path)!r} holds no chunk: expected rows with doc_id, start, end")
    chunks = [c for doc_id, found in rows.items() for c in _chunks(by_name[doc_id], found)]
    refuse_collisions((chunk.chunk_id for chunk in chunks), "chunks")
    return chunks


def _chunks(document: Document, rows: Sequence[CutRow]) -> Iterator[Chunk]:
    ordered = sorted(rows, key=lambda row: (row.start, row.end))
    made = chunks_at(document, [Span(row.start, row.end) for row in ordered])
    for row, chunk in zip(ordered, made, strict=True):
        given = {"chunk_id": row.chunk_id, "title": row.title, "section": row.section}
        yield chunk.model_copy(update={k: v for k, v in given.items() if v is not None})


def _checked(
    values: Any,  # noqa: ANN401 - a row as it was found
    documents: dict[str, Document],
    where: str,
) -> tuple[CutRow, Document]:
    try:
        row = CutRow.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        column = ".".join(str(part) for part in first["loc"]) or "row"
        raise InputError(f"{where}: {column}: {first['msg']}, found {first['input']!r}") from error
    document = documents.get(row.doc_id)
    if document is None:
        raise InputError(
            f"{where}: there is no document {row.doc_id!r}: expected the id or the source of one "
            f"of the {len(documents) // 2}, such as {next(iter(documents), None)!r}"
        )
    if not row.start < row.end <= len(document.text):
        raise InputError(
            f"{where}: [{row.start}:{row.end}] is no span of {row.doc_id!r}, whose text has "
            f"{len(document.text)} code points"
        )
    found = document.text[row.start : row.end]
    if row.text is not None and row.text != found:
        raise InputError(
            f"{where}: text is {row.text[:40]!r}, but {row.doc_id!r}[{row.start}:{row.end}] is "
            f"{found[:40]!r}: offsets count code points in the release's text of the document"
        )
    return row, document


def _rows(path: Path) -> Iterator[Any]:
    try:
        if path.suffix == ".parquet":
            yield from pq.read_table(path).to_pylist()
            return
        with path.open("rb") as lines:
            yield from (orjson.loads(line) for line in lines if line.strip())
    except OSError as error:
        raise InputError(f"{str(path)!r} cannot be read: {error.strerror}") from error
    except (orjson.JSONDecodeError, pa.ArrowInvalid) as error:
        raise InputError(f"{str(path)!r} is neither JSON Lines nor Parquet: {error}") from error
