"""Freeze: the last gate. What a build made becomes the contents of a release, or is refused.

No file is written here; `release.writing` puts what comes out of this stage into its place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from goldsmith.release.contents import Contents
from goldsmith.release.soundness import refuse_unsound

if TYPE_CHECKING:
    from collections.abc import Sequence

    from goldsmith.funnel import FunnelRow
    from goldsmith.records import Chunk, Document, Dropped, Judgement, Query
    from goldsmith.release.manifest import Rules

STAGE = "freeze"


def run(
    queries: Sequence[Query],
    probes: Sequence[Query],
    chunks: Sequence[Chunk],
    documents: Sequence[Document],
    judgements: Sequence[Judgement],
    dropped: Sequence[Dropped],
    funnel: Sequence[FunnelRow],
    rules: Rules,
) -> Contents:
    """Sort the rows of every stage into one release.

    `dropped` and `funnel` are those of all stages. Raises `UnsoundReleaseError` listing every row
    that contradicts another, the corpus, or `rules`.
    """
    contents = Contents.of(
        queries=[*queries, *probes],
        chunks=chunks,
        documents=documents,
        judgements=judgements,
        dropped=dropped,
    )
    refuse_unsound(contents, funnel, rules)
    return contents
