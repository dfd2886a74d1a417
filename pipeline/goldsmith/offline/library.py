"""The corpus as the offline tasks consult it: words, search and facts, each prepared once."""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from goldsmith.corpus.agreement import numbers, same_answer
from goldsmith.corpus.search import Index
from goldsmith.llm.sources import as_source
from goldsmith.offline.asked import asked_words, kind_of, stems
from goldsmith.offline.facts import Fact, FactFinder
from goldsmith.offline.lexicon import Lexicon

if TYPE_CHECKING:
    from collections.abc import Sequence

    from goldsmith.llm.tasks import Source
    from goldsmith.records import Chunk

_SAME_QUESTION = 0.8
"""Jaccard of content words from which a fact's own question is taken for the one asked."""
_DEPTH = 6
_ALL_BUT_ONE_IN_TEN = 0.9


class Library:
    """Everything is made at the first use: a critic of relevance needs no index."""

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self._chunks = {chunk.chunk_id: chunk for chunk in chunks}

    @cached_property
    def lexicon(self) -> Lexicon:
        return Lexicon(tuple(self._chunks.values()))

    @cached_property
    def index(self) -> Index:
        return Index(tuple(self._chunks.values()))

    @cached_property
    def _finder(self) -> FactFinder:
        return FactFinder(self.lexicon)

    def facts_of(self, source: Source) -> tuple[Fact, ...]:
        """All facts of a passage, in reading order."""
        return self._finder.facts_of(source)

    def nearest(self, query: str, depth: int) -> list[Source]:
        """The passages that BM25 ranks first, best first."""
        return [as_source(self._chunks[hit.chunk_id]) for hit in self.index.search(query, depth)]

    def fact_for(self, question: str, source: Source) -> Fact | None:
        """The fact of the passage whose question is the one asked, in nearly these words."""
        asked = stems(question)
        best, likeness = None, _SAME_QUESTION
        for fact in self.facts_of(source):
            own = stems(fact.question)
            shared = len(asked & own) / max(len(asked | own), 1)
            alike = kind_of(question) == kind_of(fact.question)
            if alike and shared >= likeness and numbers(question) == numbers(fact.question):
                best, likeness = fact, shared + 1e-9
        return best

    @lru_cache(maxsize=50_000)  # noqa: B019 - a library lives as long as the process
    def answers_to(self, question: str) -> tuple[str, ...]:
        """The different answers that the corpus gives to a question of one part."""
        found: list[str] = []
        asked = asked_words(question)
        for source in self.nearest(question, _DEPTH):
            said = stems(f"{source.title}\n{source.section}\n{source.text}")
            if len(asked & said) < _ALL_BUT_ONE_IN_TEN * len(asked):
                continue
            fact = self.fact_for(question, source)
            if fact and not any(_agree(fact.answer, answer) for answer in found):
                found.append(fact.answer)
        return tuple(found)


def _agree(left: str, right: str) -> bool:
    return same_answer(left, right) or same_answer(right, left)
