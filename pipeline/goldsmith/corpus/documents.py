"""A folder of files to documents: found, decoded, normalised once, with their outline.

Normalisation, in order: decoding without byte order mark; line ends to line feeds; Unicode NFC;
control characters other than line feed and tab removed; YAML front matter of Markdown taken out of
the text and kept as metadata; HTML reduced to its main content as Markdown; trailing white space
of the whole removed. Markdown and reStructuredText stay as their authors wrote them.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

import orjson
import yaml

from goldsmith.corpus.decoding import decode
from goldsmith.corpus.formats import Format, format_of, refined
from goldsmith.corpus.languages import detect_language
from goldsmith.corpus.outline import blocks, outline
from goldsmith.corpus.rendering import MissingLibraryError, docx_text, html_text, pdf_text
from goldsmith.errors import InputError
from goldsmith.ids import content_id, text_digest
from goldsmith.records import Document, Dropped, Loss

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from goldsmith.settings import ChunkSettings

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\x80-\x9f\ufeff]")
_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(?P<yaml>.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Source:
    """A file below the corpus folder."""

    path: Path
    name: str
    """Relative, with forward slashes."""


class _RefusedError(Exception):
    """A file that becomes no document; only its reason leaves this module."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail


def sources(folder: Path) -> list[Source]:
    """Every file below `folder` in the order of its name; hidden ones and links to folders are not
    followed. Raises `InputError` when there is no such folder.
    """
    if not folder.is_dir():
        raise InputError(f"corpus folder {str(folder)!r} does not exist or is no folder")
    found = [
        Source(path, name)
        for path in folder.rglob("*")
        if path.is_file()
        and not any(part.startswith(".") for part in path.relative_to(folder).parts)
        and (name := path.relative_to(folder).as_posix())
    ]
    return sorted(found, key=lambda source: source.name)


def read(files: list[Source], settings: ChunkSettings) -> Iterator[Document | Dropped]:
    """One document, or the reason why there is none, for each file; one at a time in memory."""
    for source in files:
        try:
            yield _document(source, settings)
        except _RefusedError as refused:
            yield Dropped(
                stage="chunk",
                kind="document",
                item_id=source.name,
                loss=Loss.REJECTED,
                reason=refused.reason,
                detail=refused.detail,
            )


def _document(source: Source, settings: ChunkSettings) -> Document:
    content = _content(source, settings.max_document_bytes)
    text, text_format, encoding = _text(source, content)
    text, metadata = _front_matter(_normalised(text), text_format)
    if not any(character.isalnum() for character in text):
        raise _RefusedError("no_text", "it holds no letter and no digit")
    headings = outline(text, text_format)
    title = str(metadata.get("title") or (headings[0].title if headings else _stem(source)))
    language = detect_language(text) if settings.language == "auto" else settings.language
    return Document(
        doc_id=content_id("d", source.name, text),
        source=source.name,
        title=title,
        text=text,
        sha256=text_digest(text),
        format=text_format.value,
        encoding=encoding,
        language=language,
        metadata=orjson.dumps(metadata, default=str, option=orjson.OPT_NON_STR_KEYS).decode(),
        headings=headings,
        blocks=blocks(text),
    )


def _content(source: Source, most: int) -> bytes:
    try:
        size = source.path.stat().st_size
        if size > most:
            raise _RefusedError(
                "too_large", f"{size:,} bytes; chunk.max_document_bytes is {most:,}"
            )
        return source.path.read_bytes()
    except OSError as error:
        raise _RefusedError("unreadable", str(error)) from error


def _text(source: Source, content: bytes) -> tuple[str, Format, str]:
    """Text before normalisation, its format, and the encoding that it was read with."""
    text_format = format_of(source.name)
    if text_format is None:
        raise _RefusedError("unsupported_format", f"{PurePosixPath(source.name).suffix or 'none'}")
    try:
        if text_format is Format.PDF:
            return pdf_text(content), text_format, "pdf"
        if text_format is Format.DOCX:
            return docx_text(content), text_format, "docx"
    except MissingLibraryError as error:
        raise _RefusedError("missing_extra", str(error)) from error
    except ValueError as error:
        raise _RefusedError("undecodable", str(error)) from error
    decoded = decode(content, source.name)
    if decoded is None:
        raise _RefusedError("undecodable", "no encoding fits its bytes")
    if text_format is Format.HTML:
        return html_text(decoded.text), text_format, decoded.encoding
    text_format = refined(text_format, source.name, decoded.text)
    if text_format is None:
        raise _RefusedError("unsupported_format", "its lines are those of a program")
    return decoded.text, text_format, decoded.encoding


def _normalised(text: str) -> str:
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _CONTROL.sub("", unicodedata.normalize("NFC", text))


def _front_matter(text: str, text_format: Format) -> tuple[str, dict[str, object]]:
    """The text without its front matter, and what stood there.

    A block that is no YAML mapping is text: a page may begin with a rule.
    """
    match = _FRONT_MATTER.match(text) if text_format is Format.MARKDOWN else None
    if match is None:
        return text.strip("\n").rstrip(), {}
    try:
        metadata = yaml.safe_load(match["yaml"])
    except yaml.YAMLError:
        return text.strip("\n").rstrip(), {}
    if not isinstance(metadata, dict):
        return text.strip("\n").rstrip(), {}
    return text[match.end() :].strip("\n").rstrip(), metadata


def _stem(source: Source) -> str:
    return PurePosixPath(source.name).stem.replace("_", " ").replace("-", " ")
