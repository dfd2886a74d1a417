"""Rare terms that several documents share: what multi-source questions are built around."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from goldsmith.corpus.sentences import sentences
from goldsmith.corpus.words import stop_words, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from goldsmith.records import Chunk

# Names of two to four capitalised words; identifiers; runs of katakana.
_NAME = re.compile(r"\b[A-Z][a-z]+(?:[ -][A-Z][a-z]+){1,3}\b")
_IDENTIFIER = re.compile(r"\b(?:[a-z]+(?:_[a-z0-9]+)+|[A-Z][a-z]+(?:[A-Z][a-z0-9]+)+)\b")
_KATAKANA = re.compile(r"[\u30a1-\u30ff]{4,}")
_MIN_LENGTH = 5
_MAX_DOCUMENTS = 12
_MAX_SHARE = 0.25
"""A term of more documents than this share of the corpus links nothing in particular."""


@dataclass(frozen=True, slots=True)
class Term:
    """A term and the chunks that hold it, by document."""

    name: str
    by_document: dict[str, tuple[Chunk, ...]]

    def is_subject_of(self, chunk: Chunk) -> bool:
        """Whether the term stands in the headings above the chunk."""
        return self.name.casefold() in f"{chunk.title} {chunk.section}".casefold()

    def facts_in(self, chunk: Chunk) -> int:
        """Sentences of the chunk that name the term beside a number: what can be asked for."""
        return sum(
            self.name in sentence.text and any(map(str.isdigit, sentence.text))
            for sentence in sentences(chunk.text, "en")
        )


def shared_terms(chunks: Sequence[Chunk]) -> list[Term]:
    """Terms of two to a dozen documents, in the order of their names."""
    holders: defaultdict[str, defaultdict[str, list[Chunk]]] = defaultdict(
        lambda: defaultdict(list)
    )
    documents = len({chunk.doc_id for chunk in chunks})
    for chunk in chunks:
        for name in _names(chunk.text):
            holders[name][chunk.doc_id].append(chunk)
    most = max(2, min(_MAX_DOCUMENTS, int(_MAX_SHARE * documents)))
    return [
        Term(name, {doc_id: tuple(held) for doc_id, held in sorted(by_document.items())})
        for name, by_document in sorted(holders.items())
        if 2 <= len(by_document) <= most  # noqa: PLR2004 - a term links at least two
    ]


def _names(text: str) -> Iterable[str]:
    found = Counter(_IDENTIFIER.findall(text)) + Counter(_KATAKANA.findall(text))
    for match in _NAME.finditer(text):
        name = _without_leading_stop_word(re.sub(r"\s+", " ", match.group()))
        if name:
            found[name] += 1
    return (name for name in found if len(name) >= _MIN_LENGTH)


def _without_leading_stop_word(name: str) -> str:
    """Make one term of "The Relay Buffer" and "Relay Buffer", and none of a single word."""
    parts = name.split(" ")
    while parts and (parts[0].casefold() in stop_words("en") or not words(parts[0])):
        parts = parts[1:]
    return " ".join(parts) if len(parts) > 1 or "-" in name else ""
