"""What the headings of a document say about a place in it."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING

from goldsmith.corpus.spans import Span

if TYPE_CHECKING:
    from collections.abc import Sequence

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
        self._below: dict[int, int] = {}

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

    def heads(self, within: Span) -> list[Span]:
        """Of each heading its lines and the gap below them: from its start to the next text."""
        first, last = bisect_left(self._starts, within.start), bisect_left(self._starts, within.end)
        return [Span(start, self._text_below(start)) for start in self._starts[first:last]]

    def paths(self, spans: Sequence[Span]) -> list[str]:
        """For each chunk the titles of the headings above it, joined by ' > '.

        The headings that a chunk begins with are above it too, down to its first own text. `spans`
        are in order.
        """
        starts, headings = [*self._starts, len(self._text) + 1], self._headings
        paths, levels, holding = [], [0], [""]
        above = 0
        for span in spans:
            begins = span.start
            while starts[above] <= begins:
                level, title = headings[above].level, headings[above].title
                while levels[-1] >= level:
                    levels.pop()
                    holding.pop()
                holding.append(f"{holding[-1]} > {title}" if holding[-1] else title)
                levels.append(level)
                above += 1
                at_heading = starts[above - 1] == begins
                if at_heading and starts[above] < span.end and self._continues(above):
                    begins = starts[above]
            paths.append(holding[-1])
        return paths

    def _continues(self, index: int) -> bool:
        """Whether a heading stands directly below the higher one before it."""
        return (
            0 < index < len(self._headings)
            and self._headings[index].level > self._headings[index - 1].level
            and self._text_below(self._starts[index - 1]) >= self._starts[index]
        )

    def _text_below(self, start: int) -> int:
        below = self._below.get(start)
        if below is None:
            lines = _HEADING_LINES.match(self._text, start)
            below = self._below[start] = lines.end() if lines else start
        return below
