"""HTML, DOCX and PDF to text: what a reader would read, as Markdown where there is structure."""

from __future__ import annotations

import io

_OFFICE = "pip install 'goldsmith[docs]'"


class MissingLibraryError(Exception):
    """An office format without the extra that reads it."""


def html_text(page: str) -> str:
    """The main content of a page as Markdown, without navigation and other furniture (trafilatura).

    Where it finds no main content, all visible text; empty for a page without any.
    """
    import trafilatura  # noqa: PLC0415 - a second to import, and most corpora hold no HTML

    content = trafilatura.extract(
        page,
        output_format="markdown",
        include_formatting=True,
        include_tables=True,
        include_comments=False,
        favor_recall=True,
        fast=True,
    )
    return str(content or trafilatura.html2txt(page) or "")


def docx_text(content: bytes) -> str:
    """A Word document by way of HTML. Raises `ValueError` for a damaged file."""
    try:
        import mammoth  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise MissingLibraryError(f"reading DOCX needs the extra: {_OFFICE}") from error
    from zipfile import BadZipFile  # noqa: PLC0415 - only needed beside mammoth

    try:
        page = mammoth.convert_to_html(io.BytesIO(content)).value
    except (BadZipFile, KeyError) as error:
        raise ValueError(f"no Word document: {error}") from error
    return html_text(f"<html><body><article>{page}</article></body></html>")


def pdf_text(content: bytes) -> str:
    """The text of a PDF, page after page. Raises `ValueError` for a damaged or locked file."""
    try:
        import pypdf  # noqa: PLC0415 - an extra
        from pypdf.errors import PyPdfError  # noqa: PLC0415
    except ImportError as error:
        raise MissingLibraryError(f"reading PDF needs the extra: {_OFFICE}") from error
    try:
        return "\n\n".join(
            page.extract_text() for page in pypdf.PdfReader(io.BytesIO(content)).pages
        )
    except PyPdfError as error:
        raise ValueError(f"no readable PDF: {error}") from error
