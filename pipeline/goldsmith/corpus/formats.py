"""Which kind of document a file is."""

from __future__ import annotations

import mimetypes
import re
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
    ".pdf": Format.PDF,
    ".docx": Format.DOCX,
}
_NO_DOCUMENTS = frozenset({"LICENSE", "LICENCE", "COPYING", "NOTICE", "AUTHORS", "Makefile"})
"""Names of files about a project; in small letters they may be pages of its documentation."""

_TYPES = mimetypes.MimeTypes(filenames=())
"""The table that comes with Python: the machine's own would make a corpus depend on it."""

_UNTYPED = frozenset(
    {".bib", ".cfg", ".cmake", ".conf", ".dart", ".diff", ".go", ".gradle", ".ini", ".ipynb"}
    | {".java", ".jl", ".jsonl", ".jsx", ".kt", ".lock", ".log", ".lua", ".patch", ".php", ".po"}
    | {".pot", ".properties", ".proto", ".r", ".rb", ".rs", ".rtf", ".scala", ".scss", ".sql"}
    | {".svelte", ".swift", ".tmp", ".toml", ".tsx", ".vue", ".yaml", ".yml"}
)
"""Suffixes of code and data that the table leaves out."""


def format_of(name: str) -> Format | None:
    """The format of a file by its name; None for what is no document.

    A suffix that names no other type says nothing (`tutor.ja`, `tutor.ja.sjis`, `notes.2024`): such
    a file is text, if it can be decoded (see also `is_code`).
    """
    path = PurePosixPath(name)
    if path.name.split(".")[0] in _NO_DOCUMENTS:
        return None
    suffix = path.suffix.casefold()
    if suffix in _BY_SUFFIX:
        return _BY_SUFFIX[suffix]
    known, packed = _TYPES.guess_type(path.name.casefold(), strict=False)
    is_other = known not in {None, "text/plain"} or packed is not None or suffix in _UNTYPED
    return None if is_other else Format.TEXT


def refined(text_format: Format, name: str, text: str) -> Format | None:
    """The format of a file whose text is known: plain text may be RST, or no document after all."""
    if text_format is not Format.TEXT:
        return text_format
    if PurePosixPath(name).suffix.casefold() not in _BY_SUFFIX and _is_code(text):
        return None
    return Format.RST if _is_rst(text) else Format.TEXT


_RST_HEADING = re.compile(
    r"^(?P<title>\S.*)\r?\n(?P<rule>([=\-~^*+#\"'`.:_])\3{2,})[ \t]*\r?$", re.MULTILINE
)
_RST_MARK = re.compile(
    r"^([=\-~^*+#])\1{2,}\r?\n ?[^\W_].*\r?\n\1{3,}\r?$"  # a heading with a line above it too
    r"|^\.\. [\w-]+::|^\.\. _[^:\n]+:"  # directives, targets
    r"|:[a-z]+(?::[a-z]+)?:`[^`]+`|``\S(?:[^`\n]*\S)?``|`[^`\n]+`_\b",  # roles, literals, links
    re.MULTILINE,
)


def _is_rst(text: str) -> bool:
    """Text is reStructuredText when it has its headings and anything that only it has."""
    headings = _RST_HEADING.finditer(text)
    underlined = any(len(m["rule"]) >= len(m["title"].rstrip()) for m in headings)
    return underlined and bool(_RST_MARK.search(text))


_CODE_SHARE = 0.2


def _is_code(text: str) -> bool:
    """Whether every fifth line ends as statements do: `.cs` may be C#, or a page in Czech."""
    lines = [line for raw in text.splitlines() if (line := raw.rstrip())]
    return sum(line[-1] in ";{}" for line in lines) > _CODE_SHARE * len(lines)
