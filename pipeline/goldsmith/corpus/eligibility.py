"""Which chunks can carry a fact at all. Money is not spent on the others; they are counted."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from goldsmith.corpus.words import words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from goldsmith.records import Chunk

_REPEATED_DOCUMENTS = 5
"""A line that stands in this many documents is page furniture, not a fact of a page."""
_MOSTLY = 0.5

_FENCE = re.compile(r"^(`{3,}|~{3,}).*?(?:^\1[`~]*\s*$|\Z)", re.MULTILINE | re.DOTALL)
_TEMPLATE = re.compile(
    r"\{%.*?%\}|\{\{.*?\}\}|\{\*.*?\*\}|\{!.*?!\}|^\.\. (?:include|literalinclude)::[^\n]*$"
    r"|<!--.*?-->|\[\[autodoc\]\][^\n]*$|^::: [^\n]*(?:\n[ \t]+[^\n]*)*",
    re.MULTILINE | re.DOTALL,
)
_UNEXPANDED = re.compile(
    r"\{\*.*?\*\}|\{!.*?!\}|\{%|^\.\. (?:literal)?include::|^::: |\[\[autodoc", re.MULTILINE
)
_LINK_ITEM = re.compile(r"^\s*(?:[-*+•]|\d+[.)])\s*\[[^\]]+\]\([^)]*\)[^\n]{0,20}$", re.MULTILINE)
_TOCTREE = re.compile(r"^\.\. toctree::.*?(?=^\S|\Z)", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class PassedOver:
    """A chunk that is not asked about, and why."""

    chunk: Chunk
    reason: str
    detail: str


class Eligibility:
    """Decides on the chunks of one corpus: repeated furniture is known only from all of them."""

    def __init__(self, chunks: Sequence[Chunk], min_words: int) -> None:
        self._min_words = min_words
        self._furniture = _repeated_lines(chunks)

    def fault(self, chunk: Chunk) -> PassedOver | None:
        """None when the chunk can be asked about."""
        total = len(words(chunk.text))
        if total < self._min_words:
            return PassedOver(chunk, "too_short", f"{total} words")
        furniture = sum(len(line) for line in _lines(chunk) if line in self._furniture)
        if furniture > _MOSTLY * sum(len(line) for line in _lines(chunk)):
            return PassedOver(chunk, "boilerplate", "most of its text is repeated over pages")
        navigation = "".join(_LINK_ITEM.findall(chunk.text)) + "".join(_TOCTREE.findall(chunk.text))
        if len(navigation) > _MOSTLY * len(chunk.text):
            return PassedOver(chunk, "navigation", "most of its text is a list of links")
        prose = len(words(_TEMPLATE.sub(" ", _FENCE.sub(" ", chunk.text))))
        if prose < self._min_words:
            reason = "template_code" if _UNEXPANDED.search(chunk.text) else "mostly_code"
            return PassedOver(chunk, reason, f"{prose} of {total} words are prose")
        return None


def _lines(chunk: Chunk) -> Iterator[str]:
    for line in chunk.text.splitlines():
        if stripped := line.strip():
            yield stripped


def _repeated_lines(chunks: Iterable[Chunk]) -> frozenset[str]:
    documents: defaultdict[str, set[str]] = defaultdict(set)
    for chunk in chunks:
        for line in _lines(chunk):
            if len(words(line)) > 2:  # noqa: PLR2004 - "---" or "Note:" repeats without being furniture
                documents[line].add(chunk.doc_id)
    return frozenset(line for line, seen in documents.items() if len(seen) >= _REPEATED_DOCUMENTS)


class NearDuplicates:
    """Remembers drawn chunks and recognises one that says nearly the same (word 5-shingles)."""

    def __init__(self, threshold: float = 0.8) -> None:
        self._threshold = threshold
        self._drawn: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
        self._sizes: dict[str, int] = {}

    def original_of(self, chunk: Chunk) -> str | None:
        """The id of a drawn chunk of which this is a near-duplicate, by Jaccard."""
        shingles = _shingles(chunk.text)
        shared = Counter(drawn for shingle in shingles for drawn in self._drawn.get(shingle, ()))
        for drawn, common in sorted(shared.items()):
            if common >= self._threshold * (len(shingles) + self._sizes[drawn] - common):
                return drawn
        return None

    def add(self, chunk: Chunk) -> None:
        shingles = _shingles(chunk.text)
        self._sizes[chunk.chunk_id] = len(shingles)
        for shingle in shingles:
            self._drawn[shingle].append(chunk.chunk_id)


def _shingles(text: str, width: int = 5) -> set[tuple[str, ...]]:
    found = words(text)
    return {tuple(found[i : i + width]) for i in range(max(len(found) - width + 1, 1))}
