"""Cut documents into chunks with exact spans, content ids and duplicate groups.

The pieces come from langchain-text-splitters, the only library that is asked for them; where they
stand is worked out here (see `spans`).

- `recursive`: at blank lines, then lines, then words, then anywhere; sizes in characters.
- `token`: the same, sizes in tokens. A token is a run of up to eight letters or digits, a single
  character of a script that writes no spaces, or any other single mark. No model's vocabulary is
  consulted (each would have to be fetched, and every model has another); on English prose this
  comes to about four characters a token, as it does with the usual ones.
- `markdown`: never across a heading of level 1 or 2, except that headings with no text of their
  own stay with what follows them; within such a section at deeper headings, rules, blank lines,
  lines, words; tables and code stay whole where they fit into a chunk. Sections and blocks come
  from the document's outline, so this holds for reStructuredText and HTML as well.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from langchain_text_splitters import Language, RecursiveCharacterTextSplitter
from pydantic import TypeAdapter

from goldsmith.corpus.sections import Sections
from goldsmith.corpus.spans import LostPieceError, Overlap, Span, adjoining, overlapping
from goldsmith.corpus.whole import with_hidden_places
from goldsmith.errors import ConservationError
from goldsmith.ids import SEPARATOR, bytes_id, content_id
from goldsmith.records import Chunk
from goldsmith.settings import Splitter

if TYPE_CHECKING:
    from collections.abc import Iterable

    from goldsmith.records import Document
    from goldsmith.settings import ChunkSettings

_SECTION_LEVEL = 2
"""Headings of this level and above begin a section that no chunk crosses."""

_TOKEN = re.compile(
    r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]"
    r"|[^\W_\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]{1,8}"
    r"|[^\w\s]|_"
)

# Cut at the end of a code fence, langchain would leave the fence to the next chunk.
_MARKDOWN_SEPARATORS = [
    separator
    for separator in RecursiveCharacterTextSplitter.get_separators_for_language(Language.MARKDOWN)
    if "`" not in separator
]
_CHUNKS = TypeAdapter(list[Chunk])
"""Validates the chunks of a document in one call, for two thirds of the time."""

_WHITE_SPACE = b" \t\n\r\v\f\x1c\x1d\x1e\x1f"


def count_tokens(text: str) -> int:
    """Tokens of a text as the `token` splitter counts them."""
    return len(_TOKEN.findall(text))


class _Splitter(RecursiveCharacterTextSplitter):
    """Joins the pieces up to the chunk size as its parent does, by sums instead of one by one.

    Where the parent gives this step another name the override is idle, and the result the same.
    """

    def _merge_splits(self, splits: Iterable[str], separator: str) -> list[str]:
        if self._chunk_overlap or separator:
            return super()._merge_splits(splits, separator)
        splits = list(splits)
        ends = list(accumulate(map(self._length_function, splits)))
        merged: list[str] = []
        first = end = 0
        while first < len(splits):
            # As many as fit, but never none.
            last = max(bisect_right(ends, end + self._chunk_size, first), first + 1)
            merged.append("".join(splits[first:last]).strip())
            first, end = last, ends[last - 1]
        return [piece for piece in merged if piece]


class Chunker:
    """Cuts documents by one set of settings; keeps nothing between them."""

    def __init__(self, settings: ChunkSettings) -> None:
        markdown = settings.splitter is Splitter.MARKDOWN
        length = count_tokens if settings.splitter is Splitter.TOKEN else len
        self._size = settings.chunk_size
        self._overlap = Overlap(settings.chunk_overlap, length)
        self._by_section = markdown
        self._splitter = _Splitter(
            separators=_MARKDOWN_SEPARATORS if markdown else None,
            is_separator_regex=markdown,
            chunk_size=settings.chunk_size,
            chunk_overlap=settings.chunk_overlap,
            length_function=length,
        )

    def chunks(self, document: Document) -> list[Chunk]:
        """The chunks of a document in order; none for a text of white space.

        Raises `ConservationError` when a piece cannot be found in the text again.
        """
        sections = Sections(document)
        source = document.source.encode()
        copies: dict[str, int] = {}
        rows: list[dict[str, object]] = []
        for span in self._spans(document, sections):
            passage = document.text[span.start : span.end]
            number = copies[passage] = copies.get(passage, 0) + 1
            content = passage.encode()
            rows.append(
                {
                    "chunk_id": bytes_id("p", SEPARATOR.join((source, content, b"%d" % number))),
                    "doc_id": document.doc_id,
                    "title": document.title,
                    "section": sections.path(span),
                    "text": passage,
                    "start": span.start,
                    "end": span.end,
                    "duplicate_group": _duplicate_group(passage, content),
                }
            )
        return _CHUNKS.validate_python(rows)

    def _spans(self, document: Document, sections: Sections) -> list[Span]:
        """Where the chunks stand, in order; what lies within the chunk before it is left out."""
        text, borders = document.text, [0, len(document.text)]
        if self._by_section:
            text = with_hidden_places(document, sections.heads(), self._size)
            borders[1:1] = sections.borders(_SECTION_LEVEL)
        spans: list[Span] = []
        for start, end in pairwise(borders):
            spans += self._located(text, Span(start, end), document.source)
        return spans if not self._overlap.most else _without_contained(spans)

    def _located(self, text: str, within: Span, source: str) -> list[Span]:
        pieces = self._pieces(text[within.start : within.end])
        try:
            if self._overlap.most:
                return overlapping(text, pieces, within, self._overlap)
            return adjoining(text, pieces, within)
        except LostPieceError as error:
            raise ConservationError(
                f"document {source!r} cannot be cut without loss: {error}; a defect of goldsmith, "
                "please report it"
            ) from error

    def _pieces(self, text: str) -> list[str]:
        # What fits into a chunk is one; the splitter would say so too, after trying to cut it.
        if self._overlap.length(text) <= self._size:
            whole = text.strip()
            return [whole] if whole else []
        return self._splitter.split_text(text)


def _duplicate_group(passage: str, content: bytes) -> str:
    """The id that a passage shares with all that differ from it in white space only."""
    if not passage.isascii():
        return content_id("g", "".join(passage.split()))
    return bytes_id("g", content.translate(None, _WHITE_SPACE))


def _without_contained(spans: list[Span]) -> list[Span]:
    """Leave out what repeats the end of the chunk before it and adds nothing."""
    kept: list[Span] = []
    for span in spans:
        if not kept or span.end > kept[-1].end:
            kept.append(span)
    return kept
