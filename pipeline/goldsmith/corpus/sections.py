"""What the headings of a document say about a place in it."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property
from typing import TYPE_CHECKING

from goldsmith.corpus.spans import Span

if TYPE_CHECKING:
    from goldsmith.records import Document

_HEADING_LINES = re.compile(
    r"(?:[ \t]*([^\w\s])\1+[ \t]*\n)?[^\n]*\n?(?:[ \t]*([^\w\s])\2+[ \t]*(?:\n|\Z))?\s*"
)
"""Overline, title and underline (Markdown: the title alone, or with a line below) and the gap."""


class Sections:
    """The headings of one document."""

    def __init__(self, document: Document) -> None:
        self._text = document.text
        self._headings = document.headings
        self._starts = [heading.start for heading in document.headings]

    def borders(self, level: int) -> list[int]:
        """Where the headings of `level` and above begin a section, in order.

        A heading that follows a higher one directly, with no text between them, begins none: what
        stands below it belongs to both.
        """
        return [
            heading.start
            for index, heading in enumerate(self._headings)
            if heading.level <= level and not self._continues(index)
        ]

    def heads(self) -> list[Span]:
        """Of each heading its lines and the gap below them: from its start to the next text."""
        return [Span(start, self._text_below(start)) for start in self._starts]

    def path(self, span: Span) -> str:
        """Titles of the headings above a chunk, joined by ' > '.

        The headings that a chunk begins with are above it too, down to its first own text.
        """
        above = bisect_right(self._starts, span.start)
        if above and self._starts[above - 1] == span.start:
            while self._continues(above) and self._starts[above] < span.end:
                above += 1
        return self._paths[above]

    @cached_property
    def _paths(self) -> list[str]:
        """Of no heading, and then of each: its title below those of the headings that hold it."""
        paths, holding = [""], [(0, "")]
        for heading in self._headings:
            while holding[-1][0] >= heading.level:
                holding.pop()
            above = holding[-1][1]
            paths.append(f"{above} > {heading.title}" if above else heading.title)
            holding.append((heading.level, paths[-1]))
        return paths

    def _continues(self, index: int) -> bool:
        """Whether a heading stands directly below the higher one before it."""
        return (
            0 < index < len(self._headings)
            and self._headings[index].level > self._headings[index - 1].level
            and self._text_below(self._starts[index - 1]) >= self._starts[index]
        )

    def _text_below(self, start: int) -> int:
        lines = _HEADING_LINES.match(self._text, start)
        return lines.end() if lines else start
