"""The cuts of langchain's recursive splitter, worked out on offsets.

RecursiveCharacterTextSplitter makes strings of its pieces, joins them, and forgets where they
stood. Without overlap and with sizes in characters its rule is short: cut at the coarsest separator
that stands in the text, keep each separator with what follows it, join neighbours while they fit,
and cut a piece that is too long at the next finer separator. Here the same rule is applied to
positions, which gives every span exactly and takes a quarter of the time. Tests hold the result
against the library's, chunk for chunk.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING

from goldsmith.corpus.spans import Span, trimmed

if TYPE_CHECKING:
    from collections.abc import Sequence


class Cutter:
    """Cuts at `separators` (regular expressions, coarsest first) into at most `size` characters.

    An empty separator cuts anywhere; without one a piece may stay longer than `size`.
    """

    def __init__(self, separators: Sequence[str], size: int) -> None:
        self._patterns = [re.compile(separator) for separator in separators]
        self._size = size

    def cut(self, text: str, offset: int = 0) -> list[Span]:
        """The spans of a text in order, without white space at their ends; `offset` is added."""
        return self._cut(text, Span(0, len(text)), 0, offset)

    def _cut(self, text: str, within: Span, coarsest: int, offset: int) -> list[Span]:
        start, end = within.start, within.end
        level = self._level(text, within, coarsest)
        borders = self._borders(text, within, level)
        spans: list[Span] = []
        index = 0
        while start < end:
            stop = borders[index]
            if stop - start >= self._size and level + 1 < len(self._patterns):
                index += 1
                spans += self._cut(text, Span(start, stop), level + 1, offset)
            else:
                # As many pieces as fit, but never none.
                index = max(bisect_right(borders, start + self._size, index), index + 1)
                stop = borders[index - 1]
                spans += trimmed(text, start, stop, offset)
            start = stop
        return spans

    def _level(self, text: str, within: Span, coarsest: int) -> int:
        """Index of the first separator that stands in the text."""
        last = len(self._patterns) - 1
        for level in range(coarsest, last):
            if self._patterns[level].search(text, within.start, within.end):
                return level
        return last

    def _borders(self, text: str, within: Span, level: int) -> Sequence[int]:
        """Where pieces end, in order."""
        pattern = self._patterns[level]
        if not pattern.pattern:
            return range(within.start + 1, within.end + 1)
        matches = pattern.finditer(text, within.start, within.end)
        found = [match.start() for match in matches]
        # A separator at the very start has no piece before it.
        return [*(found[1:] if found[:1] == [within.start] else found), within.end]
