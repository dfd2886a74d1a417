"""Where prose, headings, list items, table rows and code stand in a text.

Markdown and reStructuredText are read by their lines. A grammar would need the whole document;
this is asked of answers and chunks too, which may begin within a list and end within code, so each
line is judged by itself and by what is open above it. (For the headings of whole documents see
`outline`, which asks the parsers of the two languages.)
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


class PartKind(StrEnum):
    """What a part of a text is made of."""

    PROSE = "prose"
    HEADING = "heading"
    ITEM = "item"
    """A list item: prose after a bullet or number."""
    ROW = "row"
    """One row of a table."""
    CODE = "code"


@dataclass(frozen=True, slots=True)
class Part:
    """A run of lines that belong together, `text[start:end]`; its marker stands before it."""

    start: int
    end: int
    kind: PartKind


_QUOTE = re.compile(r"(?:[ \t]*>)+[ \t]?")
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})([^`\n]*)$")
_HEADING = re.compile(r"[ ]{0,3}#{1,6}[ \t]+")
_ROW = re.compile(r"[ \t]*\|.*\|[ \t]*$")
_ROW_EDGE = re.compile(r"[ \t]*\|[ \t]*")
_DELIMITER = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)+\|?[ \t]*$")
_SIMPLE_TABLE = re.compile(r"[ \t]*=+(?:[ ]+=+)+[ \t]*$")
_BULLET = re.compile(r"[ \t]*(?:[-*+•‣◦]|#\.)[ \t]+")
_NUMBER = re.compile(r"[ \t]*\(?(\d{1,3}|[a-z])[.)][ \t]+")
_DIRECTIVE = re.compile(r"[ \t]*\.\.[ \t]+([\w:+-]+)::(?:[ \t]+|$)")
_CODE_DIRECTIVES = frozenset(
    {"code", "code-block", "console", "doctest", "graphviz", "literalinclude", "math"}
    | {"parsed-literal", "productionlist", "sourcecode", "testcode", "testoutput"}
)
_FIELD = re.compile(r"[ \t]*:[^\s:`][^:`\n]*:(?:[ \t]+|$)")
# Nothing to read in these: tags, comments, template commands, fences of admonitions, RST targets.
_MACHINERY = re.compile(
    r"[ \t]*(?:(?:<[^<>\n]+>[ \t]*)+|<!--.*-->|\{[%*#{].*[%*#}]\}|(?:/{3}|:{3}|!{3}|\?{3}).*"
    r"|\.\.(?:[ \t]+(?:_.*:.*|\[.*\].*|\|.*\|.*))?)[ \t]*$"
)
_ADORNMENT = re.compile(r"[ \t]*([^\w\s])\1+[ \t]*$")
_WORD = re.compile(r"[^\W_]")


def parts(text: str) -> list[Part]:
    """The parts of `text` in order; between them stand only markers, rules and white space."""
    return list(_Reader(text).read())


@dataclass(slots=True)
class _Open:
    """The part that lines are being added to."""

    start: int
    end: int
    kind: PartKind
    indent: int
    hanging: bool = False
    """Its marker stands on its first line, so the lines below stand deeper."""
    lines: int = 1
    literal_next: bool = False
    """Its last line ends with `::`: what stands deeper below is code."""


class _Reader:
    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")
        self._open: _Open | None = None
        self._fence: str | None = None
        self._literal: int | None = None
        """Indentation that lines of a literal block exceed."""
        self._in_table = False
        self._in_list = False
        self._in_quote = False

    def read(self) -> Iterator[Part]:
        start = 0
        for number, line in enumerate(self._lines):
            if self._fence is not None:
                yield from self._within_fence(start, line)
            elif self._literal is not None and self._is_literal(line):
                self._take_literal(start, line)
            else:
                if self._literal is not None:
                    self._literal = None
                    yield from self._close()
                yield from self._line(start, line, number)
            start += len(line) + 1
        yield from self._close()

    def _within_fence(self, start: int, line: str) -> Iterator[Part]:
        assert self._fence is not None
        assert self._open is not None
        self._open.end = start + len(line)
        bare = line.strip().lstrip("> ")
        if bare.startswith(self._fence) and not bare.strip(self._fence[0]):
            self._fence = None
            yield from self._close()

    def _is_literal(self, line: str) -> bool:
        """Code stands deeper than what announced it; blank lines belong to it."""
        assert self._literal is not None
        return not line.strip() or _indent(line) > self._literal

    def _take_literal(self, start: int, line: str) -> None:
        if not line.strip():
            return
        if self._open is None:
            self._open = _Open(start + _indent(line), 0, PartKind.CODE, _indent(line))
        self._open.end = start + len(line)

    def _line(self, start: int, line: str, number: int) -> Iterator[Part]:
        quote = _QUOTE.match(line)
        if (quote is not None) != self._in_quote:
            yield from self._close()
            self._in_quote = quote is not None
        if quote:
            start, line = start + quote.end(), line[quote.end() :]
        if not line.strip():
            yield from self._blank()
        elif fence := self._opening_fence(line):
            yield from self._close()
            self._fence = fence
            self._open = _Open(start + _indent(line), start + len(line), PartKind.CODE, 0)
        elif not _WORD.search(line):
            yield from self._rule(line, number)
        elif _MACHINERY.match(line):
            yield from self._close()
        elif directive := _DIRECTIVE.match(line):
            yield from self._directive(start, line, directive)
        else:
            yield from self._content(start, line)

    def _blank(self) -> Iterator[Part]:
        announced = self._open if self._open and self._open.literal_next else None
        yield from self._close()
        if announced:
            self._literal = announced.indent
        self._in_table = False

    def _opening_fence(self, line: str) -> str | None:
        fence = _FENCE.match(line)
        if not fence:
            return None
        # `~~~~~` below a line of its length is how RST underlines a heading.
        above = self._open
        underlines = (
            above is not None
            and above.lines == 1
            and fence[1][0] == "~"
            and not fence[2]
            and len(fence[1]) >= above.end - above.start
        )
        return None if underlines else str(fence[1])

    def _rule(self, line: str, number: int) -> Iterator[Part]:
        """A line without a word: it underlines a heading, rules a table, or just separates."""
        if self._open and self._open.lines == 1 and self._open.kind is PartKind.PROSE:
            if _DELIMITER.match(line):
                self._open.kind = PartKind.ROW
            elif _ADORNMENT.match(line) and len(line.strip()) > 1:
                self._open.kind = PartKind.HEADING
        yield from self._close()
        if line.strip() == "::":
            self._literal = _indent(line)
        elif _DELIMITER.match(line):
            self._in_table = True
        elif _SIMPLE_TABLE.match(line):
            below = self._lines[number + 1 : number + 2]
            self._in_table = bool(below and below[0].strip())

    def _directive(self, start: int, line: str, directive: re.Match[str]) -> Iterator[Part]:
        yield from self._close()
        if directive[1] in _CODE_DIRECTIVES:
            self._open = _Open(
                start + _indent(line), start + len(line), PartKind.CODE, _indent(line)
            )
            self._literal = _indent(line)
        else:
            self._start(start, line, directive.end(), PartKind.PROSE)

    def _content(self, start: int, line: str) -> Iterator[Part]:
        if heading := _HEADING.match(line):
            yield from self._close()
            self._start(start, line, heading.end(), PartKind.HEADING)
            yield from self._close()
        elif self._in_table or _ROW.match(line):
            yield from self._close()
            edge = _ROW_EDGE.match(line)
            self._start(start, line, edge.end() if edge else 0, PartKind.ROW)
            yield from self._close()
        elif marker := self._item_marker(line):
            yield from self._close()
            self._start(start, line, marker.end(), PartKind.ITEM)
            self._in_list = True
        elif field := _FIELD.match(line):
            yield from self._close()
            self._start(start, line, field.end(), PartKind.PROSE)
        else:
            yield from self._prose(start, line)

    def _item_marker(self, line: str) -> re.Match[str] | None:
        bullet = _BULLET.match(line)
        if bullet:
            return bullet
        number = _NUMBER.match(line)
        # A wrapped line may begin with a number; only a first item interrupts a paragraph.
        within_paragraph = self._open is not None and not self._in_list
        return number if number and (not within_paragraph or number[1] in {"1", "a"}) else None

    def _prose(self, start: int, line: str) -> Iterator[Part]:
        # A deeper line below a single one: that was the term of a definition.
        above = self._open
        is_term = above is not None and above.lines == 1 and not above.hanging
        if above and is_term and _indent(line) >= above.indent + 2:
            yield from self._close()
        if self._open is None:
            self._in_list = self._in_list and _indent(line) > 0
            self._start(start, line, 0, PartKind.PROSE)
            return
        self._open.end = start + len(line)
        self._open.lines += 1
        self._open.literal_next = line.rstrip().endswith("::")

    def _start(self, start: int, line: str, offset: int, kind: PartKind) -> None:
        hanging = offset > 0
        offset += _indent(line[offset:])
        if offset == len(line):
            return
        # The other paragraphs of an item stand below its text, not below its marker.
        indent = offset if kind is PartKind.ITEM else _indent(line)
        self._open = _Open(start + offset, start + len(line), kind, indent, hanging)
        self._open.literal_next = line.rstrip().endswith("::")

    def _close(self) -> Iterator[Part]:
        part, self._open = self._open, None
        if part is not None:
            yield Part(part.start, part.end, part.kind)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
