"""Files to documents: decoded, normalised once, with their outline.

Normalisation, in order: decoding without byte order mark; every kind of line end to a line feed;
control characters other than line feed and tab removed; Unicode NFC; YAML front matter of Markdown
taken out of the text and kept as metadata; HTML, DOCX and PDF reduced to their content; blank
lines at the start and white space at the end removed. Markdown and reStructuredText stay as their
authors wrote them.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

import orjson

from goldsmith.corpus.decoding import decode
from goldsmith.corpus.folder import RefusedError, Source, content_of, sources
from goldsmith.corpus.formats import Format, format_of, refined
from goldsmith.corpus.frontmatter import split_front_matter
from goldsmith.corpus.languages import detect_language
from goldsmith.corpus.outline import blocks, outline
from goldsmith.ids import content_id, text_digest
from goldsmith.records import Document, Dropped, Loss

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from goldsmith.settings import ChunkSettings

__all__ = ["Source", "read", "sources"]

_FAILED = frozenset({"unreadable", "undecodable", "missing_extra"})
"""Reasons that say nothing about the document itself: nobody could read it."""

_LINE_END = re.compile(r"\r\n|[\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f\ufeff]")


@dataclass(frozen=True, slots=True)
class _Readout:
    """What a file says, whatever its format."""

    text: str
    text_format: Format
    encoding: str
    title: str = ""
    """From the head of a page."""
    metadata: str = "{}"


def read(files: Iterable[Source], settings: ChunkSettings) -> Iterator[Document | Dropped]:
    """One document, or the reason why there is none, for each file; one at a time in memory."""
    for source in files:
        try:
            yield _document(source, settings)
        except RefusedError as refused:
            yield Dropped(
                stage="chunk",
                kind="document",
                item_id=source.name,
                loss=Loss.FAILED if refused.reason in _FAILED else Loss.REJECTED,
                reason=refused.reason,
                detail=refused.detail,
            )


def _document(source: Source, settings: ChunkSettings) -> Document:
    page = _readout(source, settings.max_document_bytes)
    text = page.text.strip("\n").rstrip()
    if not any(map(str.isalnum, text)):
        raise RefusedError("no_text", "it holds no letter and no digit")
    headings = outline(text, page.text_format)
    first = headings[0].title if headings else ""
    # The head of a web page often names the site too, so its first heading is the better title.
    titles = (first, page.title) if page.text_format is Format.HTML else (page.title, first)
    return Document(
        doc_id=content_id("d", source.name, text),
        source=source.name,
        title=next(filter(None, titles), _words_of(source.name)),
        text=text,
        sha256=text_digest(text),
        format=page.text_format.value,
        encoding=page.encoding,
        language=detect_language(text) if settings.language == "auto" else settings.language,
        metadata=page.metadata,
        headings=headings,
        blocks=blocks(text),
    )


def _readout(source: Source, most: int) -> _Readout:
    text_format = format_of(source.name)
    if text_format is None:
        suffix = PurePosixPath(source.name).suffix
        raise RefusedError(
            "unsupported_format", f"no document by its name ({suffix or 'no suffix'})"
        )
    content = content_of(source, most)
    if text_format in {Format.PDF, Format.DOCX}:
        return _office(content, text_format, most)
    decoded = decode(content, source.name)
    if decoded is None:
        raise RefusedError("undecodable", "no encoding fits its bytes")
    if text_format is Format.HTML:
        return _web_page(decoded.text, decoded.encoding)
    known = refined(text_format, source.name, decoded.text)
    if known is None:
        raise RefusedError("unsupported_format", "its lines are those of a program")
    text = _normalised(decoded.text)
    if known is not Format.MARKDOWN:
        return _Readout(text, known, decoded.encoding)
    page = split_front_matter(text)
    return _Readout(page.text, known, decoded.encoding, page.title, page.metadata)


def _web_page(text: str, encoding: str) -> _Readout:
    from goldsmith.corpus.html import read_page  # noqa: PLC0415 - a second to import

    page = read_page(text)
    metadata = orjson.dumps({"title": page.title} if page.title else {}).decode()
    return _Readout(_normalised(page.markdown), Format.HTML, encoding, page.title, metadata)


def _office(content: bytes, text_format: Format, most: int) -> _Readout:
    from goldsmith.corpus import office  # noqa: PLC0415 - a second to import

    try:
        if text_format is Format.PDF:
            text = office.read_pdf(content)
        else:
            text = office.read_docx(content, most).markdown
    except office.MissingLibraryError as error:
        raise RefusedError("missing_extra", str(error)) from error
    except office.InflatedFileError as error:
        raise RefusedError("too_large", str(error)) from error
    except office.DamagedFileError as error:
        raise RefusedError("undecodable", str(error)) from error
    return _Readout(_normalised(text), text_format, "binary")


def _normalised(text: str) -> str:
    return unicodedata.normalize("NFC", _CONTROL.sub("", _LINE_END.sub("\n", text)))


def _words_of(name: str) -> str:
    """`how-to/rate_limits.md` is about rate limits."""
    return PurePosixPath(name).stem.replace("_", " ").replace("-", " ")
