"""PDF and DOCX to text. Both libraries come with the extra `docs` and are imported when needed."""

from __future__ import annotations

import io
import zipfile

from goldsmith.corpus.html import Page, read_page

_EXTRA = "pip install 'goldsmith[docs]'"


class MissingLibraryError(Exception):
    """An office format without the extra that reads it; the message says what to install."""


class DamagedFileError(Exception):
    """The library could make nothing of the file; the message is its own."""


class InflatedFileError(Exception):
    """A small file that unpacks to more than is allowed."""


def read_docx(content: bytes, most: int) -> Page:
    """A Word document by way of HTML. `most` is the size in bytes that its text may unpack to."""
    try:
        import mammoth  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise MissingLibraryError(f"reading DOCX needs the extra: {_EXTRA}") from error
    try:
        size = _unpacked(content)
        body = mammoth.convert_to_html(io.BytesIO(content)).value if size <= most else None
    except Exception as error:  # a damaged file makes it raise anything
        raise DamagedFileError(f"no Word document: {error!r}") from error
    if body is None:
        raise InflatedFileError(f"its text unpacks to {size:,} bytes")
    return read_page(f"<html><body><article>{body}</article></body></html>")


def _unpacked(content: bytes) -> int:
    """Size in bytes of the text of a Word document, as its directory gives it."""
    with zipfile.ZipFile(io.BytesIO(content)) as parts:
        return sum(part.file_size for part in parts.infolist() if part.filename.endswith(".xml"))


def read_pdf(content: bytes) -> str:
    """The text of a PDF, page after page; empty for pages that are pictures."""
    try:
        import pypdf  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise MissingLibraryError(f"reading PDF needs the extra: {_EXTRA}") from error
    try:
        pages = pypdf.PdfReader(io.BytesIO(content)).pages
        return "\n\n".join(page.extract_text() for page in pages)
    except Exception as error:  # a damaged file makes it raise anything
        raise DamagedFileError(f"no readable PDF: {error!r}") from error
