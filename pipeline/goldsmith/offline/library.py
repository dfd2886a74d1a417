"""The corpus as the offline tasks consult it: its words, its facts, and a search over it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from goldsmith.corpus.agreement import disagreements, numbers, same_answer
from goldsmith.corpus.search import Index
from goldsmith.corpus.wellformed import question_fault
from goldsmith.llm.sources import as_source
from goldsmith.offline.asked import asked_words, stems, unresolved
from goldsmith.offline.lexicon import NAME, Lexicon
from goldsmith.offline.passages import statements
from goldsmith.offline.patterns import wordings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from goldsmith.llm.tasks import Source
    from goldsmith.offline.patterns import Wording
    from goldsmith.records import Chunk


@dataclass(frozen=True, slots=True)
class Fact:
    """One question with its answer; `statement` is the plain words of the verbatim `quote`."""

    pattern: str
    question: str
    answer: str
    quote: str
    statement: str


@dataclass(frozen=True, slots=True)
class Declined:
    """What a task returns when its rules do not reach: a snake_case reason and a sentence."""

    reason: str
    detail: str


_READABLE = re.compile(r"[\w\s.,;:'’()%$€£/+&@#=\"“”?-]+[.!?][)\"'”’]*")
_ELSEWHERE = re.compile(
    r"^(?:see|check|refer|read|visit|consult)\b|\b(?:this|these|those|above|below|here|such"
    r"|as follows|following)\b|[a-z]\. [A-Z]",
    re.IGNORECASE,
)
_DATED = re.compile(
    r"\b(?:(?:version|release|changes in) v?|[A-Za-z] v?(?=\d+\.\d)|(?=\d{4}-\d\d))(\d+)",
    re.IGNORECASE,
)
_IDENTIFIER = re.compile(r"\b[A-Z]{3,}\b|\w_\w|\w\(\)|--\w|\b[a-z]+[A-Z]\w")
_FEW = {"definition": 1, "function": 1, "purpose": 1, "value": 3}
"""Content words that a question needs when it names a thing or the topic; two elsewhere."""
_MAX_QUESTION, _MAX_ANSWER = 28, 40
_SAME_QUESTION, _SPOKEN_OF = 0.8, 0.9
_DEPTH = 6


class Library:
    """Everything is made at the first use: a critic of relevance needs no index."""

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self._chunks = {chunk.chunk_id: chunk for chunk in chunks}

    @cached_property
    def lexicon(self) -> Lexicon:
        return Lexicon(tuple(self._chunks.values()))

    @cached_property
    def _index(self) -> Index:
        return Index(tuple(self._chunks.values()))

    def nearest(self, query: str, depth: int) -> list[Source]:
        """The passages that BM25 ranks first, best first."""
        return [as_source(self._chunks[hit.chunk_id]) for hit in self._index.search(query, depth)]

    @lru_cache(maxsize=50_000)  # noqa: B019 - a library lives as long as the process
    def facts_of(self, source: Source) -> tuple[Fact, ...]:
        """Facts of a passage that can be asked for by themselves, in reading order.

        What is said under the heading of a version holds for that one only, so it is named.
        """
        headings = f"{source.title}\n{source.section}"
        dated, topic = _DATED.search(headings), stems(headings)
        return tuple(
            Fact(wording.pattern, wording.question, wording.answer, one.quote, one.text)
            for one in statements(source)
            if _READABLE.fullmatch(one.text.replace(" > ", " "))
            for wording in wordings(one.text, self.lexicon)
            if (dated is None or dated[1] in wording.question)
            and self._is_sound(wording, one.quote, topic)
        )

    def _is_sound(self, wording: Wording, quote: str, topic: frozenset[str]) -> bool:
        question, answer = wording.question, wording.answer
        asked = asked_words(question)
        # What a question does not name, its reader cannot know: a thing, the topic, or much else.
        named = NAME.search(question) or _IDENTIFIER.search(question)
        held = named is not None or not asked.isdisjoint(topic)
        return (
            len(asked) >= (_FEW.get(wording.pattern, 2) if held else 4)
            and len(question.split()) <= _MAX_QUESTION
            and len(answer.split()) <= _MAX_ANSWER
            and not _ELSEWHERE.search(answer)
            and question_fault(question, answer, "en") is None
            and not disagreements(answer, quote)
            and not unresolved(question, self.lexicon)
        )

    def fact_for(self, question: str, source: Source) -> Fact | None:
        """The fact of the passage whose question is the one asked, in nearly these words."""
        asked, opening = stems(question), question.partition(" ")[0].casefold()
        for fact in self.facts_of(source):
            own = stems(fact.question)
            alike = len(asked & own) >= _SAME_QUESTION * len(asked | own)
            kind = fact.question.casefold().startswith(opening)
            if alike and kind and numbers(question) == numbers(fact.question):
                return fact
        return None

    @lru_cache(maxsize=50_000)  # noqa: B019 - see above
    def answers_to(self, question: str) -> tuple[str, ...]:
        """The different answers that the corpus gives to a question of one part."""
        found: list[str] = []
        asked = asked_words(question)
        for source in self.nearest(question, _DEPTH):
            said = stems(f"{source.title}\n{source.section}\n{source.text}")
            spoken_of = len(asked & said) >= _SPOKEN_OF * len(asked)
            fact = self.fact_for(question, source) if spoken_of else None
            if fact and not any(_agree(fact.answer, answer) for answer in found):
                found.append(fact.answer)
        return tuple(found)


def _agree(left: str, right: str) -> bool:
    return same_answer(left, right) or same_answer(right, left)
