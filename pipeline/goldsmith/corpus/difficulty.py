"""How easy the gold chunk is to find by the question's own words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from goldsmith.corpus.words import longest_copied_run, overlap, words
from goldsmith.records import Difficulty

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from goldsmith.corpus.search import Index
    from goldsmith.records import Chunk

RANK_DEPTH = 100
"""Beyond this rank a gold chunk counts as not found."""


def difficulty_of(
    question: str,
    language: str,
    sources: Sequence[str],
    chunks: Mapping[str, Chunk],
    index: Index,
) -> Difficulty:
    """Of a question that was written from the chunks `sources`."""
    texts = [chunks[chunk_id].text for chunk_id in sources]
    asked = words(question)
    return Difficulty(
        question_overlap=overlap(question, "\n".join(texts), language),
        longest_copied_ngram=max(longest_copied_run(asked, words(text)) for text in texts),
        bm25_rank=index.rank_of(question, sources, RANK_DEPTH),
    )
