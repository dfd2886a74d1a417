"""What a release holds, as records: rows in one order, whatever order a build made them in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Iterable

    from goldsmith.records import Chunk, Document, Dropped, Judgement, Query


@dataclass(frozen=True, slots=True)
class Contents:
    """The rows of a release, each table sorted by its id (code point order).

    Made by `Contents.of`; the order is part of what a digest is taken of.
    """

    queries: tuple[Query, ...]
    chunks: tuple[Chunk, ...]
    documents: tuple[Document, ...]
    judgements: tuple[Judgement, ...]
    dropped: tuple[Dropped, ...]

    @classmethod
    def of(
        cls,
        *,
        queries: Iterable[Query],
        chunks: Iterable[Chunk],
        documents: Iterable[Document],
        judgements: Iterable[Judgement] = (),
        dropped: Iterable[Dropped] = (),
    ) -> Self:
        """Sort every table; nothing is checked here (`soundness.faults_of` does)."""
        return cls(
            queries=tuple(sorted(queries, key=lambda row: row.query_id)),
            chunks=tuple(sorted(chunks, key=lambda row: row.chunk_id)),
            documents=tuple(sorted(documents, key=lambda row: row.doc_id)),
            judgements=tuple(
                sorted(judgements, key=lambda row: (row.query_id, row.chunk_id, row.judge))
            ),
            # The whole row breaks ties: one set can fail twice for one reason.
            dropped=tuple(
                sorted(
                    dropped,
                    key=lambda row: (row.stage, row.kind, row.item_id, row.reason, repr(row)),
                )
            ),
        )
