"""Which kind of document a file is."""

from __future__ import annotations

import mimetypes
from enum import StrEnum
from pathlib import PurePosixPath


class Format(StrEnum):
    MARKDOWN = "markdown"
    RST = "rst"
    HTML = "html"
    TEXT = "text"
    PDF = "pdf"
    DOCX = "docx"


_BY_SUFFIX = {
    ".md": Format.MARKDOWN,
    ".markdown": Format.MARKDOWN,
    ".mdx": Format.MARKDOWN,
    ".rst": Format.RST,
    ".rest": Format.RST,
    ".html": Format.HTML,
    ".htm": Format.HTML,
    ".xhtml": Format.HTML,
    ".txt": Format.TEXT,
    ".text": Format.TEXT,
    "": Format.TEXT,
    ".pdf": Format.PDF,
    ".docx": Format.DOCX,
}
_NO_DOCUMENTS = frozenset({"license", "licence", "copying", "notice", "authors", "makefile"})
_DATA = frozenset({".yml", ".yaml", ".toml", ".ini", ".cfg", ".conf", ".lock", ".log", ".tmp"})
"""Known to hold settings or records; the system's table of types does not know them."""


def format_of(name: str) -> Format | None:
    """The format of a file by its name; None for what is no document.

    A suffix that names no other type says nothing (`tutor.ja`, `tutor.ja.sjis`, `notes.2024`): such
    a file is text, if it can be decoded.
    """
    path = PurePosixPath(name)
    if path.name.split(".")[0].casefold() in _NO_DOCUMENTS:
        return None
    suffix = path.suffix.casefold()
    if suffix in _BY_SUFFIX:
        return _BY_SUFFIX[suffix]
    known, packed = mimetypes.guess_type(path.name, strict=False)
    is_other = known not in {None, "text/plain"} or packed is not None or suffix in _DATA
    return None if is_other else Format.TEXT
