"""Hide from a splitter the places where it should not cut.

Line feeds and spaces there are replaced, one for one, by characters that no normalised text holds:
the splitter sees nothing to cut at, and its offsets hold for the text as it is.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from goldsmith.corpus.spans import Span
    from goldsmith.records import Block, Document

_LINE_FEED, _SPACE = "\x1c", "\x1d"
"""White space too, so that what is left of it at the ends of a chunk is trimmed as any other."""
_MARGIN = 8
"""What may stand on a block's first line before it: a quote mark, a bar, the line feed itself."""


def with_hidden_places(document: Document, heads: Sequence[Span], within: Span, size: int) -> str:
    """The text of a section, of the same length, in which a splitter of chunks of `size` leaves
    whole the tables and code that fit into a chunk, and leaves each heading with what it heads.
    """
    text, pieces, end = document.text, [], within.start
    for start, stop in _places(document, heads, within, size):
        # Where a grammar and its lines disagree, a heading may stand in a block: the first wins.
        if start >= end and stop <= within.end:
            hidden = text[start:stop].replace("\n", _LINE_FEED).replace(" ", _SPACE)
            pieces += [text[end:start], hidden]
            end = stop
    return "".join([*pieces, text[end : within.end]])


def _places(
    document: Document, heads: Sequence[Span], within: Span, size: int
) -> list[tuple[int, int]]:
    """Stretches to hide, in order."""
    first = bisect_left(document.blocks, within.start, key=_start)
    last = bisect_left(document.blocks, within.end, key=_start)
    fitting = [b for b in document.blocks[first:last] if b.end - b.start < size - _MARGIN]
    ends = {block.start: block.end for block in fitting}
    places = list(ends.items())
    for head in heads:
        # A heading does not stay with a block that would no longer fit with it.
        first_end = ends.get(head.end, head.end)
        if first_end - head.start < size - _MARGIN and head.end - head.start < size // 2:
            places.append((head.start, head.end))
    return sorted(places)


def _start(block: Block) -> int:
    return block.start
