"""Cut documents into chunks with exact spans, content ids and duplicate groups.

The rules are those of langchain-text-splitters, which makes the pieces where they overlap or are
counted in tokens; `spans` then finds them in the text again. Without overlap `cutting` applies the
same rules to offsets.

- `recursive`: at blank lines, then lines, then words, then anywhere; sizes in characters.
- `token`: the same, sizes in tokens. A token is a run of up to eight letters or digits, a single
  character of a script that writes no spaces, or any other single mark. No model's vocabulary is
  consulted: each would have to be fetched, and every model has another. On English documentation
  this comes to three and a half characters a token.
- `markdown`: never across a heading of level 1 or 2, except that headings with no text of their
  own stay with what follows them; within such a section at deeper headings, rules, blank lines,
  lines, words; tables and code stay whole where they fit into a chunk. Sections and blocks come
  from the document's outline, so this holds for reStructuredText and HTML as well.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

from langchain_text_splitters import Language, RecursiveCharacterTextSplitter
from pydantic import TypeAdapter

from goldsmith.corpus.cutting import Cutter
from goldsmith.corpus.sections import Sections
from goldsmith.corpus.spans import LostPieceError, Overlap, Span, located, trimmed
from goldsmith.corpus.whole import with_hidden_places
from goldsmith.errors import ConservationError
from goldsmith.ids import SEPARATOR, bytes_ids
from goldsmith.records import Chunk
from goldsmith.settings import Splitter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from goldsmith.records import Document
    from goldsmith.settings import ChunkSettings

_SECTION_LEVEL = 2
"""Headings of this level and above begin a section that no chunk crosses."""

_UNSPACED = r"\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
"""Thai, kana, Chinese characters and Hangul."""
_TOKEN = re.compile(rf"[{_UNSPACED}]|[^\W_{_UNSPACED}]{{1,8}}|[^\w\s]|_")

_SEPARATORS = ["\n\n", "\n", " ", ""]
"""Of plain text: langchain's own, which it keeps to itself."""

# Cut at the end of a code fence, langchain would leave the fence to the next chunk.
_MARKDOWN_SEPARATORS = [
    separator
    for separator in RecursiveCharacterTextSplitter.get_separators_for_language(Language.MARKDOWN)
    if "`" not in separator
]
_CHUNKS = TypeAdapter(list[Chunk])
"""Validates the chunks of a document in one call, for two thirds of the time."""

_FIRST_COPY = SEPARATOR + b"1"
_WHITE_SPACE = b" \t\n\r\v\f\x1c\x1d\x1e\x1f"


def count_tokens(text: str) -> int:
    """Tokens of a text as the `token` splitter counts them."""
    return len(_TOKEN.findall(text))


class Chunker:
    """Cuts documents by one set of settings; keeps nothing between them."""

    def __init__(self, settings: ChunkSettings) -> None:
        markdown = settings.splitter is Splitter.MARKDOWN
        separators = _MARKDOWN_SEPARATORS if markdown else _SEPARATORS
        length = count_tokens if settings.splitter is Splitter.TOKEN else len
        self._size = settings.chunk_size
        self._overlap = Overlap(settings.chunk_overlap, length)
        self._by_section = markdown
        self._cutter = Cutter(separators, settings.chunk_size)
        self._splitter = RecursiveCharacterTextSplitter(
            separators=separators,
            is_separator_regex=True,
            chunk_size=settings.chunk_size,
            chunk_overlap=settings.chunk_overlap,
            length_function=length,
        )

    def chunks(self, document: Document) -> list[Chunk]:
        """The chunks of a document in order; none for a text of white space.

        Raises `ConservationError` when a piece cannot be found in the text again.
        """
        sections = Sections(document)
        return _chunks(document, sections, self._spans(document, sections))

    def _spans(self, document: Document, sections: Sections) -> list[Span]:
        """Where the chunks stand, in order."""
        if not self._by_section:
            return self._cut(document.text, 0, document.source)
        spans: list[Span] = []
        for start, end in pairwise([0, *sections.borders(_SECTION_LEVEL), len(document.text)]):
            if end - start <= self._size:
                # A splitter would say so too, after trying to cut it.
                spans += trimmed(document.text, start, end)
                continue
            section = Span(start, end)
            text = with_hidden_places(document, sections.heads(section), section, self._size)
            spans += self._cut(text, start, document.source)
        return spans

    def _cut(self, text: str, offset: int, source: str) -> list[Span]:
        if self._overlap == Overlap(0, len):
            return self._cutter.cut(text, offset)
        pieces = self._splitter.split_text(text)
        try:
            return _without_contained(located(text, pieces, self._overlap, offset))
        except LostPieceError as error:
            raise ConservationError(
                f"document {source!r} cannot be cut without loss: {error}; a defect of goldsmith, "
                "please report it"
            ) from error


def chunks_at(document: Document, spans: Sequence[Span]) -> list[Chunk]:
    """The chunks of a document that somebody else has cut; `spans` are in order."""
    return _chunks(document, Sections(document), spans)


def _chunks(document: Document, sections: Sections, spans: Sequence[Span]) -> list[Chunk]:
    text, doc_id, title = document.text, document.doc_id, document.title
    passages = [text[span.start : span.end] for span in spans]
    contents = [passage.encode() for passage in passages]
    groups = bytes_ids("g", map(_without_space, passages, contents))
    columns = zip(
        _chunk_ids(document.source, contents, groups),
        sections.paths(spans),
        spans,
        passages,
        groups,
        strict=True,
    )
    rows = [
        {
            "chunk_id": chunk_id,
            "doc_id": doc_id,
            "title": title,
            "section": section,
            "text": passage,
            "start": span.start,
            "end": span.end,
            "duplicate_group": group,
        }
        for chunk_id, section, span, passage, group in columns
    ]
    return _CHUNKS.validate_python(rows)


def _chunk_ids(source: str, contents: Sequence[bytes], groups: Sequence[str]) -> list[str]:
    """Of source and text; a further copy of a text in its document is told apart by its number."""
    head = source.encode() + SEPARATOR
    if len(set(groups)) == len(groups):  # the usual case: no copies at all
        return bytes_ids("p", [head + content + _FIRST_COPY for content in contents])
    seen: Counter[bytes] = Counter()
    payloads: list[bytes] = []
    for content in contents:
        seen[content] += 1
        payloads.append(head + content + SEPARATOR + b"%d" % seen[content])
    return bytes_ids("p", payloads)


def _without_space(passage: str, content: bytes) -> bytes:
    """What a passage has in common with all that differ from it in white space only."""
    if passage.isascii():
        return content.translate(None, _WHITE_SPACE)
    return "".join(passage.split()).encode()


def _without_contained(spans: list[Span]) -> list[Span]:
    """Leave out what repeats the end of the chunk before it and adds nothing."""
    kept: list[Span] = []
    for span in spans:
        if not kept or span.end > kept[-1].end:
            kept.append(span)
    return kept
