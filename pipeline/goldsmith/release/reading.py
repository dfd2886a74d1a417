"""Open a release as records. Nothing is verified here: `verify` does that."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from pydantic import TypeAdapter, ValidationError

from goldsmith.errors import CheckError, InputError
from goldsmith.records import Chunk, Document, Dropped, Judgement, Query, Record
from goldsmith.release.contents import Contents
from goldsmith.release.layout import (
    CORPUS,
    DOCUMENTS,
    JUDGEMENTS,
    MANIFEST,
    QUESTIONS,
    REJECTED,
    corpus_digest,
    rows_of,
    table_digests,
)
from goldsmith.release.manifest import ManifestError, parse_manifest
from goldsmith.release.parquet import UnreadableTableError, read_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from goldsmith.release.layout import Row, Table
    from goldsmith.release.manifest import Manifest

R = TypeVar("R", bound=Record)

# A whole table at a time: several times faster than row by row.
_QUESTIONS = TypeAdapter(tuple[Query, ...])
_CORPUS = TypeAdapter(tuple[Chunk, ...])
_DOCUMENTS = TypeAdapter(tuple[Document, ...])
_JUDGEMENTS = TypeAdapter(tuple[Judgement, ...])
_REJECTED = TypeAdapter(tuple[Dropped, ...])


@dataclass(frozen=True, slots=True)
class Release:
    """A frozen dataset in memory."""

    manifest: Manifest
    contents: Contents


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a release; `InputError` when the folder is none, or the file is damaged."""
    try:
        content = (folder / MANIFEST).read_bytes()
    except OSError as error:
        raise InputError(
            f"{str(folder)!r} is no release: it has no readable {MANIFEST}; expected a folder that "
            "`goldsmith freeze` or `goldsmith pull` wrote"
        ) from error
    try:
        return parse_manifest(content, str(folder))
    except ManifestError as error:
        raise InputError(f"{str(folder)!r}: {error}: see `goldsmith verify`") from error


def read_release(folder: Path) -> Release:
    """Read all tables; raises `InputError` naming the file that is missing or damaged."""
    manifest = read_manifest(folder)
    tables = (QUESTIONS, CORPUS, DOCUMENTS, JUDGEMENTS, REJECTED)
    return Release(manifest, contents_of({t.name: _rows(folder, t) for t in tables}))


def contents_of(rows: Mapping[str, list[Row]]) -> Contents:
    """The records behind the rows of five tables (`queries` and `qrels` follow from them).

    Raises `RowError` for a row that no record can be made of.
    """
    return Contents.of(
        queries=_records(_QUESTIONS, QUESTIONS, rows),
        chunks=_records(_CORPUS, CORPUS, rows),
        documents=_records(_DOCUMENTS, DOCUMENTS, rows),
        judgements=_records(_JUDGEMENTS, JUDGEMENTS, rows),
        dropped=_records(_REJECTED, REJECTED, rows),
    )


class RowError(InputError):
    """A row holds what no record of its table may hold."""

    def __init__(self, file: str, row: str, column: str, found: str, expected: str) -> None:
        super().__init__(f"{file}, row {row!r}, {column}: found {found}, expected {expected}")
        self.file = file
        self.row = row
        self.column = column
        self.found = found
        self.expected = expected


def _rows(folder: Path, table: Table) -> list[Row]:
    path = folder / table.file
    try:
        return read_rows(path.read_bytes(), table.schema)
    except FileNotFoundError as error:
        raise InputError(f"{str(path)!r} is missing from the release") from error
    except UnreadableTableError as error:
        raise InputError(f"{str(path)!r}: {error}: see `goldsmith verify`") from error


def _records(
    adapter: TypeAdapter[tuple[R, ...]], table: Table, rows: Mapping[str, list[Row]]
) -> tuple[R, ...]:
    try:
        # BEIR's own name for the id stands beside ours, and in no record.
        return adapter.validate_python(rows[table.name], extra="ignore")
    except ValidationError as error:
        first = error.errors()[0]
        number, *path = first["loc"]
        row = table.name_of(rows[table.name][int(number)])
        column = ".".join(str(part) for part in path)
        raise RowError(table.file, row, column, repr(first["input"]), first["msg"]) from error


def require_corpus(
    release: Release, documents: Iterable[Document], chunks: Iterable[Chunk]
) -> None:
    """Raise `CheckError` unless the release was frozen on this very corpus.

    The message has both digests, and how many of the gold chunks are gone.
    """
    corpus = Contents.of(queries=(), chunks=chunks, documents=documents)
    found = corpus_digest(table_digests(rows_of(corpus)))
    if found == release.manifest.corpus_digest:
        return
    here = {chunk.chunk_id for chunk in corpus.chunks}
    gold = {c for query in release.contents.queries for c in query.gold_citations}
    gone = sorted(gold - here)
    first = f", the first {gone[0]!r}" if gone else ""
    raise CheckError(
        f"release {release.manifest.name!r} {release.manifest.version} was frozen on the corpus "
        f"{release.manifest.corpus_digest}, this one is {found}: {len(gone)} of {len(gold)} gold "
        f"chunks are not in it{first}; score against the release's own corpus, or carry the labels "
        "over with `goldsmith migrate`"
    )
