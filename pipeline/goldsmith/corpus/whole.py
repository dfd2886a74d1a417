"""Hide from a splitter the places where it should not cut.

Line feeds and spaces there are replaced, one for one, by characters that no normalised text holds:
the splitter sees nothing to cut at, and its offsets hold for the text as it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from goldsmith.corpus.spans import Span
    from goldsmith.records import Document

_LINE_FEED, _SPACE = "\x01", "\x02"
_MARGIN = 8
"""What may stand on a block's first line before it: a quote mark, a bar, the line feed itself."""


def with_hidden_places(document: Document, heads: Sequence[Span], size: int) -> str:
    """The document's text, of the same length, in which a splitter of chunks of `size` leaves
    whole the tables and code that fit into a chunk, and leaves each heading with what it heads.
    """
    text, pieces, end = document.text, [], 0
    for start, stop in _places(document, heads, size):
        hidden = text[start:stop].replace("\n", _LINE_FEED).replace(" ", _SPACE)
        pieces += [text[end:start], hidden]
        end = stop
    return "".join([*pieces, text[end:]]) if pieces else text


def _places(document: Document, heads: Sequence[Span], size: int) -> list[tuple[int, int]]:
    """Stretches to hide, in order and apart from each other."""
    fitting = [b for b in document.blocks if b.end - b.start < size - _MARGIN]
    ends = {block.start: block.end for block in fitting}
    gaps = []
    for head in heads:
        # A heading does not stay with a block that would no longer fit with it.
        first_end = ends.get(head.end, head.end)
        if first_end - head.start < size - _MARGIN and head.end - head.start < size // 2:
            gaps.append((head.start, head.end))
    return sorted([*((b.start, b.end) for b in fitting), *gaps])
