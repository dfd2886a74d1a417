"""Where a span of an old document stands among the new ones.

In this order: the same document; the same text under another path; the document of the same path,
changed; any document. A verdict carries over to the very same words only, an evidence also to its
quote in another layout (`corpus.quotes`).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING

from goldsmith.corpus.quotes import Span, folded, locate

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from goldsmith.records import Document

LEAST_WORDS = 5
"""Of a quote that is followed into another document: "90 days" stands in many by chance."""
_CONTEXT = 200
"""Characters on either side that tell the places of a repeated quote apart."""


@dataclass(frozen=True, slots=True)
class Place:
    """A half-open range of code points in a new document."""

    doc_id: str
    start: int
    end: int


def same_documents(before: Iterable[Document], after: Iterable[Document]) -> bool:
    """No document came, went or changed: an id is a hash of path and text."""
    return {one.doc_id for one in before} == {one.doc_id for one in after}


class Places:
    """Old spans among the new documents."""

    def __init__(self, before: Iterable[Document], after: Iterable[Document]) -> None:
        self._before = {document.doc_id: document for document in before}
        self._after = {document.doc_id: document for document in after}
        ordered = sorted(self._after.values(), key=lambda document: document.source)
        self._ordered = ordered
        self._by_text = {document.sha256: document for document in reversed(ordered)}
        self._by_source = {document.source: document for document in ordered}
        self._folded: dict[str, str] = {}

    @property
    def are_same(self) -> bool:
        """No document came, went or changed."""
        return same_documents(self._before.values(), self._after.values())

    def text(self, place: Place) -> str:
        return self._after[place.doc_id].text[place.start : place.end]

    def of_words(self, doc_id: str, start: int, end: int) -> Place | None:
        """The place of the very same words in the same document, or in what became of it."""
        if doc_id in self._after:
            return Place(doc_id, start, end)
        old = self._before[doc_id]
        if (same := self._by_text.get(old.sha256)) is not None:
            return Place(same.doc_id, start, end)
        changed = self._by_source.get(old.source)
        return None if changed is None else _likeliest(old, Span(start, end), changed)

    def of_quote(self, doc_id: str, start: int, end: int) -> Place | None:
        """Likewise, or the quote in another layout, or in another document."""
        found = self.of_words(doc_id, start, end)
        if found is not None:
            return found
        old = self._before[doc_id]
        quote = old.text[start:end]
        changed = self._by_source.get(old.source)
        if changed is not None and (span := self._located(quote, changed)) is not None:
            return Place(changed.doc_id, span.start, span.end)
        return next(self._anywhere(quote), None) if len(quote.split()) >= LEAST_WORDS else None

    def _anywhere(self, quote: str) -> Iterator[Place]:
        for document in self._ordered:
            at = document.text.find(quote)
            if at >= 0:
                yield Place(document.doc_id, at, at + len(quote))
        for document in self._ordered:
            span = self._located(quote, document)
            if span is not None:
                yield Place(document.doc_id, span.start, span.end)

    def _located(self, quote: str, document: Document) -> Span | None:
        """`locate`, for many quotes in one document: most are seen to be absent at once."""
        if document.doc_id not in self._folded:
            self._folded[document.doc_id] = folded(document.text)
        if folded(quote) not in self._folded[document.doc_id]:
            return None
        return locate(quote, document.text)


def _likeliest(old: Document, span: Span, new: Document) -> Place | None:
    """Of all places of the same words the one whose surroundings changed least."""
    words = old.text[span.start : span.end]
    starts = list(_occurrences(words, new.text))
    if not starts:
        return None
    before, after = _context(old.text, span)

    def likeness(start: int) -> int:
        other_before, other_after = _context(new.text, Span(start, start + len(words)))
        return _alike(before, other_before) + _alike(after, other_after)

    best = max(starts, key=likeness)
    return Place(new.doc_id, best, best + len(words))


def _context(text: str, span: Span) -> tuple[str, str]:
    """What stands before the span, read backwards, and what stands after it."""
    return text[max(span.start - _CONTEXT, 0) : span.start][::-1], text[
        span.end : span.end + _CONTEXT
    ]


def _alike(left: str, right: str) -> int:
    """Characters that two texts begin with alike."""
    return sum(
        1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(left, right, strict=False))
    )


def _occurrences(words: str, text: str) -> Iterator[int]:
    at = text.find(words)
    while words and at >= 0:
        yield at
        at = text.find(words, at + 1)
