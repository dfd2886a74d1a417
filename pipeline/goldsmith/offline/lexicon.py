"""What the corpus as a whole says about its words; counted once, by regular expressions."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from goldsmith.records import Chunk

NAME = re.compile(r"\b[A-Z][\w-]*(?: [A-Z][\w-]*)+|(?<=[a-z,] )[A-Z][a-z]\w+\b")
"""Capitalised words in a row, or one in the middle of a sentence."""
_LEADING = re.compile(
    r"^(?:The|An?|One|Each|Every|All|No|When|If|In|On|For|This|Your|To|Once|After) "
)
_ARTICLE = re.compile(r"\b([Tt]he|[Aa]n?) ([a-z][a-z-]+)(?=[\s.,;:)])")
_LOWER = re.compile(r"(?<![\w.`/-])[a-z][a-z-]+\b(?![._/(=])")
_INNER = re.compile(r"(?<=[a-z,] )[A-Z][a-z]+\b")
_VERSION = re.compile(r"\b([A-Z][\w-]+|version|release) v?(\d{1,2}\.\d{1,2})\b")
_WORDED = {"Version": "version", "Release": "release"}
_HABIT = 3
"""Times from which something is no accident: documents of a noun with "the", uses of a name."""


class Lexicon:
    """Counts over a corpus."""

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self.names: Counter[str] = Counter()
        self.versions: defaultdict[str, set[str]] = defaultdict(set)
        self._definite: defaultdict[str, set[str]] = defaultdict(set)
        self._indefinite: defaultdict[str, set[str]] = defaultdict(set)
        self._lower: Counter[str] = Counter()
        self._inner: Counter[str] = Counter()
        for chunk in chunks:
            for article, noun in _ARTICLE.findall(chunk.text):
                seen = self._definite if article in {"the", "The"} else self._indefinite
                seen[noun].add(chunk.doc_id)
            for product, version in _VERSION.findall(chunk.text):
                self.versions[_WORDED.get(product, product)].add(version)
            self.names.update(names_in(chunk.text))
            self._lower.update(_LOWER.findall(chunk.text))
            self._inner.update(_INNER.findall(chunk.text))
        self._enough = max(_HABIT, 0.05 * len({chunk.doc_id for chunk in chunks}))

    def is_habitual(self, noun: str) -> bool:
        """Whether writers of this corpus say "the `noun`" without having introduced one."""
        often = len(self._definite.get(noun, ()))
        return often >= self._enough and often > 4 * len(self._indefinite.get(noun, ()))

    def things_in(self, text: str) -> list[str]:
        """Names of several words that the corpus knows and the text mentions, longest first."""
        known = {n for n in names_in(text) if " " in n and self.names[n] >= _HABIT}
        return sorted(known, key=lambda name: (-len(name), name))

    def inner(self, words: str) -> str:
        """`words` from the start of a sentence as they would stand in the middle of one."""
        first, _, others = words.partition(" ")
        common = self._lower[first.lower()] > self._inner[first] and first[1:].islower()
        if _LEADING.match(f"{first} ") or (common and not others[:1].isupper()):
            return words[0].lower() + words[1:]
        return words


def names_in(text: str) -> list[str]:
    """Names in order, without the article or conjunction that a sentence begins with."""
    return [_LEADING.sub("", found) for found in NAME.findall(text)]
