"""How easy the gold chunk is to find by the question's own words."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from goldsmith.corpus.words import content_of, longest_copied_run, share_held, words
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
    texts = [words(chunks[chunk_id].text) for chunk_id in sources]
    asked = words(question)
    held = content_of(chain.from_iterable(texts), language)
    return Difficulty(
        question_overlap=share_held(content_of(asked, language), held),
        longest_copied_ngram=max(longest_copied_run(asked, text) for text in texts),
        bm25_rank=index.rank_of(question, sources, RANK_DEPTH),
    )
