"""The tables of a release: names, columns, and how each row is read off the records.

Six of them are configs, which `datasets.load_dataset(folder, name)` opens; `rejected` lies beside
them. `queries` and `qrels` repeat what `questions` says in the shape of BEIR and MTEB.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from goldsmith.ids import digest_of, rows_digest
from goldsmith.records import Chunk, Document, Dropped, Judgement, Query
from goldsmith.tables import arrow_schema

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from goldsmith.records import Record
    from goldsmith.release.contents import Contents

Row = dict[str, Any]
"""A row as JSON would hold it; its columns are those of the table's schema."""

SPLIT = "test"
MANIFEST = "manifest.json"
CARD = "README.md"
LEDGER = "ledger.jsonl"


@dataclass(frozen=True, slots=True)
class Table:
    """One Parquet file of a release."""

    name: str
    schema: pa.Schema
    key: tuple[str, ...]
    """Columns that name a row; the rows are sorted by them."""
    rows: Callable[[Contents], Iterator[Row]]

    @property
    def file(self) -> str:
        return f"{self.name}.parquet"

    def name_of(self, row: Row) -> str:
        """The row's id as messages print it."""
        return " / ".join(str(row[column]) for column in self.key)


def relevant_chunks(query: Query) -> list[str]:
    """Every chunk of every member of every evidence, sorted: what `qrels` lists for a query."""
    return sorted({chunk for found in query.evidence for chunk in found.all_chunk_ids})


def _dumped(records: Iterable[Record]) -> Iterator[Row]:
    for record in records:
        yield record.model_dump(mode="json")


def _corpus(contents: Contents) -> Iterator[Row]:
    for row in _dumped(contents.chunks):
        yield {"_id": row["chunk_id"], **row}


def _queries(contents: Contents) -> Iterator[Row]:
    for query in contents.queries:
        yield {"_id": query.query_id, "text": query.question}


def _qrels(contents: Contents) -> Iterator[Row]:
    for query in contents.queries:
        for chunk_id in relevant_chunks(query):
            yield {"query-id": query.query_id, "corpus-id": chunk_id, "score": 1}


QUESTIONS = Table(
    "questions", arrow_schema(Query), ("query_id",), lambda contents: _dumped(contents.queries)
)
CORPUS = Table(
    "corpus",
    pa.schema([pa.field("_id", pa.string()), *arrow_schema(Chunk)]),
    ("chunk_id",),
    _corpus,
)
DOCUMENTS = Table(
    "documents", arrow_schema(Document), ("doc_id",), lambda contents: _dumped(contents.documents)
)
QUERIES = Table(
    "queries", pa.schema([("_id", pa.string()), ("text", pa.string())]), ("_id",), _queries
)
QRELS = Table(
    "qrels",
    pa.schema([("query-id", pa.string()), ("corpus-id", pa.string()), ("score", pa.int64())]),
    ("query-id", "corpus-id"),
    _qrels,
)
JUDGEMENTS = Table(
    "judgements",
    arrow_schema(Judgement),
    ("query_id", "chunk_id", "judge"),
    lambda contents: _dumped(contents.judgements),
)
REJECTED = Table(
    "rejected",
    arrow_schema(Dropped),
    ("stage", "kind", "item_id", "reason"),
    lambda contents: _dumped(contents.dropped),
)

CONFIGS: tuple[Table, ...] = (QUESTIONS, CORPUS, DOCUMENTS, QUERIES, QRELS, JUDGEMENTS)
"""In the order in which a card lists them; the first is the default."""
TABLES: tuple[Table, ...] = (*CONFIGS, REJECTED)


def row_counts(contents: Contents) -> dict[str, int]:
    """Rows of every table, by name."""
    return {
        QUESTIONS.name: len(contents.queries),
        CORPUS.name: len(contents.chunks),
        DOCUMENTS.name: len(contents.documents),
        QUERIES.name: len(contents.queries),
        QRELS.name: sum(len(relevant_chunks(query)) for query in contents.queries),
        JUDGEMENTS.name: len(contents.judgements),
        REJECTED.name: len(contents.dropped),
    }


def table_digests(rows: Mapping[str, Iterable[Row]]) -> dict[str, str]:
    """sha256 over the canonical rows of every table, by name."""
    return {table.name: rows_digest({table.name: rows[table.name]}) for table in TABLES}


def release_digest(digests: Mapping[str, str]) -> str:
    """sha256 over the digests of the six configs.

    `rejected` stays outside: the digest names what a system is scored against, and two builds that
    agree in every published row are one release, though a call failed in one of them.
    """
    return digest_of({table.name: digests[table.name] for table in CONFIGS})


def corpus_digest(digests: Mapping[str, str]) -> str:
    """sha256 over the digests of `documents` and `corpus`: which corpus labels belong to."""
    return digest_of({table.name: digests[table.name] for table in (CORPUS, DOCUMENTS)})


def rows_of(contents: Contents) -> dict[str, Iterator[Row]]:
    """The rows of every table, by name, of records that are in no file yet."""
    return {table.name: table.rows(contents) for table in TABLES}
