"""Parquet as a release has it: the same rows give the same bytes, and damage is noticed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from goldsmith.release.layout import Row

ROW_GROUP_ROWS = 8192
_ROW_GROUP_CHARACTERS = 64_000_000


class UnreadableTableError(ValueError):
    """A file is no Parquet, is damaged, or has other columns; the message says which."""


def write_rows(
    path: Path, schema: pa.Schema, rows: Iterable[Row], *, row_group_rows: int = ROW_GROUP_ROWS
) -> int:
    """Write a new file and return the number of rows.

    Pages carry checksums, so that a flipped bit is an error and not another letter. Boundaries
    follow the content, so that a store which keeps chunks of files sends only what changed between
    two versions. Nothing of the machine or of the hour is written. Without rows there is no row
    group either: the datasets library fails on an empty one.
    """
    count = 0
    with pq.ParquetWriter(
        path,
        schema,
        compression="zstd",
        write_page_checksum=True,
        write_page_index=True,
        use_content_defined_chunking=True,
    ) as writer:
        for batch in _batches(rows, row_group_rows):
            writer.write_table(pa.Table.from_pylist(batch, schema=schema))
            count += len(batch)
    return count


def _batches(rows: Iterable[Row], most: int) -> Iterator[list[Row]]:
    """Row groups: at most so many rows, and about so many characters; documents can be long."""
    batch: list[Row] = []
    characters = 0
    for row in rows:
        batch.append(row)
        characters += sum(len(value) for value in row.values() if isinstance(value, str))
        if len(batch) == most or characters >= _ROW_GROUP_CHARACTERS:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch


def read_rows(content: bytes, schema: pa.Schema) -> list[Row]:
    """All rows of a file that is held in memory; raises `UnreadableTableError`."""
    try:
        with pq.ParquetFile(pa.BufferReader(content), page_checksum_verification=True) as file:
            found = file.schema_arrow.remove_metadata()
            rows = [row for batch in file.iter_batches() for row in _rows_of(batch)]
    # A footer has no checksum: damage there surfaces as text that is not UTF-8, sizes beyond
    # memory, or columns of different lengths.
    except (pa.ArrowException, OSError, ValueError, MemoryError) as error:
        raise UnreadableTableError(f"no readable Parquet: {error}") from error
    if found != schema:
        raise UnreadableTableError(_other_columns(found, schema))
    return rows


def _rows_of(batch: pa.RecordBatch) -> Iterator[Row]:
    # Column by column: several times faster than row by row, and without pandas.
    names = batch.schema.names
    columns = [column.to_pylist() for column in batch.columns]
    return (dict(zip(names, values, strict=True)) for values in zip(*columns, strict=True))


def _other_columns(found: pa.Schema, expected: pa.Schema) -> str:
    missing = [name for name in expected.names if name not in found.names]
    unknown = [name for name in found.names if name not in expected.names]
    if missing or unknown:
        return f"columns missing: {missing or 'none'}, unknown: {unknown or 'none'}"
    for name in expected.names:
        if found.field(name).type != expected.field(name).type:
            return f"column {name!r} is {found.field(name).type}, not {expected.field(name).type}"
    return f"columns in the order {found.names}, not {expected.names}"
