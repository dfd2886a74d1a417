"""A passage read statement by statement: sentences of paragraphs and lists, rows of tables."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from goldsmith.corpus.markup import PartKind
from goldsmith.corpus.sentences import sentences
from goldsmith.offline.asked import stems

if TYPE_CHECKING:
    from goldsmith.llm.tasks import Source


@dataclass(frozen=True, slots=True)
class Statement:
    """The verbatim `quote`, its plain words, and its stems with those of the headings above."""

    quote: str
    text: str
    stems: frozenset[str]

    def share(self, asked: frozenset[str]) -> float:
        """Share of the words asked that it and its headings hold; 0 where nothing is asked."""
        return len(asked & self.stems) / len(asked) if asked else 0.0


_MARKUP: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"!\[[^\]]*\]\([^)]*\)|<!--.*?-->|</?[a-zA-Z][^>]*>", re.DOTALL), ""),
    (re.compile(r"(?<=\n)[ \t]*>"), ""),
    (re.compile(r"\[([^\]]+)\](?:\([^)]*\)|\[[^\]]*\])"), r"\1"),
    (re.compile(r"(?::[\w:.+-]+:)?`+[~!]?([^`<]+?)\s*(?:<[^`]*>)?`+(?:__?)?"), r"\1"),
    (re.compile(r"\*\*(\S(?:.*?\S)?)\*\*|(?<![\w*])\*(\S(?:.*?\S)?)\*(?![\w*])"), r"\1\2"),
    (re.compile(r"(?<!\w)_(\S(?:.*?\S)?)_(?!\w)|\\([_*|<>\[\]`~-])"), r"\1\2"),
    (re.compile(r"\s+"), " "),
)


def _plain(text: str) -> str:
    for pattern, replacement in _MARKUP:
        text = pattern.sub(replacement, text)
    return text.strip()


@lru_cache(maxsize=20_000)
def statements(source: Source) -> tuple[Statement, ...]:
    """All that the passage states, in reading order; no headings, no code."""
    above = stems(f"{source.title}\n{source.section}")
    return tuple(
        Statement(part.text, text, stems(text) | above)
        for part in sentences(source.text)
        if part.kind not in {PartKind.HEADING, PartKind.CODE} and (text := _plain(part.text))
    )
