"""Where the rows of a release contradict each other, or what its manifest says of them."""

from __future__ import annotations

from itertools import pairwise, zip_longest
from operator import itemgetter
from typing import TYPE_CHECKING

from goldsmith.release.difference import Difference, manifest_difference
from goldsmith.release.layout import (
    CORPUS,
    MANIFEST,
    QRELS,
    QUERIES,
    TABLES,
    corpus_digest,
    release_digest,
    table_digests,
)
from goldsmith.release.manifest import canary_of
from goldsmith.release.measuring import counts_of, figures_of
from goldsmith.release.reading import RowError, contents_of
from goldsmith.release.soundness import faults_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from goldsmith.release.contents import Contents
    from goldsmith.release.layout import Row, Table
    from goldsmith.release.manifest import Manifest

_DERIVED = (QUERIES, QRELS)
"""Tables that follow from `questions`, their order too."""


def row_differences(rows: Mapping[str, list[Row]], manifest: Manifest) -> Iterator[Difference]:
    """Order, derived tables, soundness, counts, figures and digests, computed again from the rows.

    `rows` of every table, by name. Where no record can be made of a row, the search ends with it.
    """
    try:
        contents = contents_of(rows)
    except RowError as error:
        yield Difference(
            file=error.file,
            row=error.row,
            column=error.column,
            found=error.found,
            expected=error.expected,
        )
        return
    for table in TABLES:
        if table not in _DERIVED:
            yield from _order_differences(table, rows[table.name])
    for table in _DERIVED:
        yield from _derived_differences(table, rows[table.name], contents)
    for row in rows[CORPUS.name]:
        if row["_id"] != row["chunk_id"]:
            yield _cell(CORPUS, row, "_id", row["_id"], row["chunk_id"])
    for fault in faults_of(contents, manifest.funnel, manifest.rules):
        file = MANIFEST if fault.table == "funnel" else f"{fault.table}.parquet"
        yield Difference(
            file=file,
            row=fault.row,
            column=fault.column,
            found=f"{fault.rule} ({fault.detail})",
            expected="a sound release",
        )
    yield from _figure_differences(contents, manifest)
    yield from _digest_differences(rows, manifest)


def _order_differences(table: Table, rows: list[Row]) -> Iterator[Difference]:
    key = itemgetter(*table.key)
    keys = [key(row) for row in rows]
    if keys == sorted(keys):
        return
    number = next(n for n, (before, after) in enumerate(pairwise(keys), start=1) if after < before)
    yield Difference(
        file=table.file,
        row=table.name_of(rows[number]),
        column=table.key[0],
        found=f"the row after {table.name_of(rows[number - 1])!r}",
        expected="rows sorted by id",
    )


def _derived_differences(table: Table, rows: list[Row], contents: Contents) -> Iterator[Difference]:
    """Rows of `queries` or `qrels` that do not follow from `questions`."""
    for found, expected in zip_longest(rows, table.rows(contents)):
        if found == expected:
            continue
        if found is None or expected is None or table.name_of(found) != table.name_of(expected):
            yield Difference(
                file=table.file,
                row=table.name_of(found or expected),
                found="no such row" if found is None else "the row",
                expected="none" if expected is None else repr(table.name_of(expected)),
            )
            return
        for column in table.schema.names:
            if found[column] != expected[column]:
                yield _cell(table, found, column, found[column], expected[column])


def _cell(table: Table, row: Row, column: str, found: object, expected: object) -> Difference:
    return Difference(
        file=table.file,
        row=table.name_of(row),
        column=column,
        found=repr(found),
        expected=repr(expected),
    )


def _figure_differences(contents: Contents, manifest: Manifest) -> Iterator[Difference]:
    counts = counts_of(contents)
    figures = figures_of(contents, manifest.funnel, manifest.usage, manifest.price)
    for name, stated, computed in (
        ("counts", manifest.counts, counts),
        ("figures", manifest.figures, figures),
    ):
        yield from _field_differences(
            name, stated.model_dump(mode="json"), computed.model_dump(mode="json")
        )


def _field_differences(path: str, stated: object, computed: object) -> Iterator[Difference]:
    if isinstance(stated, dict) and isinstance(computed, dict):
        for key in sorted({*stated, *computed}):
            yield from _field_differences(f"{path}.{key}", stated.get(key), computed.get(key))
    elif stated != computed:
        yield manifest_difference(path, repr(stated), f"{computed!r}, as computed from the rows")


def _digest_differences(rows: Mapping[str, list[Row]], manifest: Manifest) -> Iterator[Difference]:
    digests = table_digests(rows)
    digest = release_digest(digests)
    stated = {f"tables.{name}": value for name, value in manifest.tables.items()}
    computed = {f"tables.{name}": value for name, value in digests.items()}
    stated |= {
        "corpus_digest": manifest.corpus_digest,
        "digest": manifest.digest,
        "canary": manifest.canary,
    }
    computed |= {
        "corpus_digest": corpus_digest(digests),
        "digest": digest,
        "canary": canary_of(manifest.name, digest),
    }
    for field, value in computed.items():
        if stated.get(field) != value:
            found = stated.get(field, "nothing")
            yield manifest_difference(field, found, f"{value}, as computed from the rows")
