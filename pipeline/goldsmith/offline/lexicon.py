"""What the corpus as a whole says about its words: which are names, which need no introduction.

Counted once, by regular expressions, over all chunks.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from goldsmith.corpus.words import content_words, stop_words
from goldsmith.offline.grammar import tag

if TYPE_CHECKING:
    from collections.abc import Sequence

    from goldsmith.records import Chunk

_ARTICLE = re.compile(r"\b(the|an?)\s+([a-z][a-z-]+)(?=[\s.,;:)])", re.IGNORECASE)
_LOWER = re.compile(r"(?<![\w.`/-])[a-z][a-z-]+\b(?![._/(=])")
_ALONE = re.compile(r"(?<=[a-z,] )[A-Z][a-z]+\b(?! [A-Z])(?![._/(])")
NAME = re.compile(r"\b[A-Z][\w-]*(?:\s+[A-Z][\w-]*)+|(?<=[a-z,] )[A-Z][a-z]\w+\b")
"""Capitalised words in a row, or one in the middle of a sentence."""
_NOUN_AFTER = re.compile(r"(?<=[a-z,] )([A-Z][a-z]\w+)\s+([a-z]{3,})\b")
_VERSION = re.compile(r"\b([A-Z][\w-]+|version|release)\s+v?(\d{1,2}\.\d{1,2})\b")
_VERSION_WORD = {"Version": "version", "Release": "release"}
_SCOPE = re.compile(r"\b([A-Z]\w+|version|release) v?(\d+(?:\.\d+)*)\b")
_YEAR = re.compile(
    r"\b(?:January|February|March|April|May|June|July|August|September|October|November|December"
    r"|in|since|until|of|before|after|©) ((?:19|20)\d\d)\b"
)
_HABIT = 3
"""Documents in which a noun must stand with "the" before it counts as known to every reader."""


class Lexicon:
    """Counts over a corpus."""

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        definite: dict[str, set[str]] = defaultdict(set)
        indefinite: dict[str, set[str]] = defaultdict(set)
        following: dict[str, Counter[str]] = defaultdict(Counter)
        self.lowercase: Counter[str] = Counter()
        self.names: Counter[str] = Counter()
        self.alone: Counter[str] = Counter()
        self._things: Counter[str] = Counter()
        self._company: dict[str, Counter[str]] = defaultdict(Counter)
        self.versions: dict[str, Counter[str]] = defaultdict(Counter)
        years: Counter[int] = Counter()
        stops = stop_words("en")
        for chunk in chunks:
            for article, noun in _ARTICLE.findall(chunk.text):
                seen = definite if article.lower() == "the" else indefinite
                seen[noun.lower()].add(chunk.doc_id)
            self.lowercase.update(_LOWER.findall(chunk.text))
            self.alone.update(_ALONE.findall(chunk.text))
            self._note_names(chunk.text)
            for name, noun in _NOUN_AFTER.findall(chunk.text):
                following[name][noun] += noun not in stops
            for product, version in _VERSION.findall(chunk.text):
                self.versions[_VERSION_WORD.get(product, product)][version] += 1
            years.update(int(year) for year in _YEAR.findall(chunk.text))
        self.years = {year for year, often in years.items() if often >= _HABIT}
        enough = max(_HABIT, 0.05 * len({chunk.doc_id for chunk in chunks}))
        self._habitual = frozenset(
            noun
            for noun, documents in definite.items()
            if len(documents) >= enough and len(documents) > 4 * len(indefinite[noun])
        )
        self._following = following

    def _note_names(self, text: str) -> None:
        """Count names, and the words that stand beside each."""
        for found in NAME.finditer(text):
            name = _WITHOUT_ARTICLE.sub("", found.group())
            self.names[name] += 1
            # In headings and tables anything has capitals; within a sentence only names have.
            inner = re.match(r"[a-z,] ", text[max(0, found.start() - 2) : found.start()])
            self._things[name] += inner is not None or name != found.group()
            beside = text[max(0, found.start() - _BESIDE) : found.end() + _BESIDE]
            self._company[name].update(content_words(beside))

    def things_in(self, text: str) -> list[str]:
        """Names of several words that the corpus knows and the text mentions, longest first."""
        known = {_WITHOUT_ARTICLE.sub("", found) for found in NAME.findall(text)}
        things = [name for name in known if " " in name and self._things[name] >= _HABIT]
        return sorted(things, key=lambda name: (-len(name), name))

    def similar_to(self, name: str) -> list[str]:
        """Other names of several words and of the same number, those in like company first."""
        plural = name.endswith("s")
        others = [
            other
            for other, often in self._things.items()
            if often >= _HABIT and " " in other and other.endswith("s") == plural and other != name
        ]
        likeness = {other: _cosine(self._company[name], self._company[other]) for other in others}
        return sorted(others, key=lambda other: (-likeness[other], other))[:_NEIGHBOURS]

    def scope_of(self, heading: str) -> str:
        """The version that a heading speaks of, as a question would name it, or an empty text."""
        for found in _SCOPE.finditer(heading):
            if found[1].lower() in {"version", "release"}:
                return found.group().lower()
            if len(self.versions[found[1]]) >= _HABIT and "." in found[2]:
                return found.group()
        return ""

    def is_habitual(self, noun: str) -> bool:
        """Whether writers of this corpus say "the `noun`" without having introduced one."""
        return noun.lower() in self._habitual

    def type_noun(self, name: str) -> str | None:
        """The common noun that follows a name as a rule: "plan" for "Team"; None without a rule."""
        counts = self._following.get(name)
        if not counts:
            return None
        noun, often = counts.most_common(1)[0]
        return noun if often >= _HABIT and 2 * often > counts.total() else None

    def sentence_inner(self, words: str) -> str:
        """`words` from the start of a sentence as they would stand in the middle of one."""
        first, _, others = words.partition(" ")
        if first.lower() in _ARTICLES:
            return first.lower() + words[len(first) :]
        if _INNER_CAPITAL.search(first) or others[:1].isupper():
            return words
        stem = re.sub(r"['’]s$", "", first)
        common = self.lowercase[stem.lower()] > 2 * self.alone[stem]
        inflected = stem.endswith(("s", "ed", "ing")) and not self.alone[stem]
        # A name would stand with its capital in the middle of some sentence too.
        unknown = not self.alone[stem] and not any(n.startswith(f"{stem} ") for n in self.names)
        epithet = unknown and others != "" and tag(words)[1].is_noun
        return first.lower() + words[len(first) :] if common or inflected or epithet else words

    def heading_inner(self, words: str) -> str:
        """Likewise from a heading or table cell, which begin with a capital letter by custom."""
        if words in self.names:
            return words
        parts = words.split(" ")
        titled = all(part[:1].isupper() for part in parts)
        return " ".join(
            part.lower()
            if (at == 0 or titled) and self._is_common(part) and not self._begins_name(parts[at:])
            else part
            for at, part in enumerate(parts)
        )

    def _is_common(self, word: str) -> bool:
        return not _INNER_CAPITAL.search(word) and self.alone[word] <= self.lowercase[word.lower()]

    def _begins_name(self, parts: Sequence[str]) -> bool:
        return " ".join(parts[:2]) in self.names and len(parts) > 1


def _cosine(left: Counter[str], right: Counter[str]) -> float:
    shared = sum(left[word] * right[word] for word in left.keys() & right.keys())
    norms = sum(v * v for v in left.values()) * sum(v * v for v in right.values())
    return shared / math.sqrt(norms) if norms else 0.0


_WITHOUT_ARTICLE = re.compile(r"^(?:The|An?|Each|Every|All|No|One|When|If|In|On|For|This|Your) ")
_BESIDE = 60
"""Characters to each side of a name that count as its company."""
_NEIGHBOURS = 12
_INNER_CAPITAL = re.compile(r".[A-Z\d]")
_ARTICLES = frozenset(
    {"a", "an", "the", "each", "every", "all", "some", "most", "any", "one", "no", "your"}
)
