"""A passage read for what can be asked about: sentences, table rows and first steps.

Each keeps its verbatim quote beside the plain words of it, so that questions are written from the
one and proved by the other.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from goldsmith.corpus.markup import PartKind
from goldsmith.corpus.sentences import sentences

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence. `lead` is the plain heading or line that introduces it as a first step."""

    quote: str
    text: str
    lead: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table, with the header above it."""

    quote: str
    header: tuple[str, ...]
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Passage:
    """What was read, in reading order."""

    sentences: tuple[Sentence, ...]
    rows: tuple[Row, ...]


_MARKUP: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"!\[[^\]]*\]\([^)]*\)|<!--.*?-->|\[\^[^\]]*\]", re.DOTALL), ""),
    (re.compile(r"\[([^\]]+)\](?:\([^)]*\)|\[[^\]]*\])"), r"\1"),
    (re.compile(r"(?::[\w:.+-]+:)?`([^`<]+?)\s*<[^`]*>`(?:__?)?"), r"\1"),
    (re.compile(r":[\w:.+-]+:`[~!]?([^`]+)`"), r"\1"),
    (re.compile(r"`+([^`]+)`+(?:__?)?"), r"\1"),
    (re.compile(r"</?[a-zA-Z][^>]*>|(?<=\n)\s*>\s?"), ""),
    (re.compile(r"\*\*(\S(?:.*?\S)?)\*\*|(?<![\w*])\*(\S(?:.*?\S)?)\*(?![\w*])"), r"\1\2"),
    (re.compile(r"(?<!\w)_(\S(?:.*?\S)?)_(?!\w)"), r"\1"),
    (re.compile(r"\s*\{\s*[#.][^}]*\}|(?<=\w)__?(?=[\s.,;:)]|$)"), ""),
    (re.compile(r"\\([_*|<>\[\]`~-])"), r"\1"),
    (re.compile(r"\s+"), " "),
)
_FINISHED = re.compile(r"[.!?][)\"'”’]*$")
_FIRST = re.compile(r"(?:^|\n)[ \t]*(?:1[.)]|#\.)[ \t]+$")
_RULED = re.compile(r"[ \t]*\|?[ \t]*\n[ \t]*\|?[ \t]*:?-{2,}")


@lru_cache(maxsize=100_000)
def plain(text: str) -> str:
    """The words of `text` without inline markup, on one line."""
    for pattern, replacement in _MARKUP:
        text = pattern.sub(replacement, text)
    return text.strip()


def read_passage(text: str) -> Passage:
    """Finished sentences of paragraphs and list items, and rows of ruled tables; no code."""
    found: list[Sentence] = []
    rows: list[Row] = []
    header: tuple[str, ...] = ()
    lead = ""
    for part in sentences(text):
        if part.kind is PartKind.ROW:
            cells = _cells(part.text)
            if _RULED.match(text, part.end):
                header = cells
            elif len(cells) == len(header):
                rows.append(Row(part.text, header, cells))
            continue
        header = ()
        words = plain(part.text)
        if part.kind is PartKind.HEADING or words.endswith(":"):
            lead = words
        elif part.kind is not PartKind.CODE:
            first_step = part.kind is PartKind.ITEM and _FIRST.search(text, 0, part.start)
            if _FINISHED.search(words):
                found.append(Sentence(part.text, words, lead if first_step else ""))
            lead = ""
    return Passage(tuple(found), tuple(rows))


def _cells(line: str) -> tuple[str, ...]:
    return tuple(plain(cell) for cell in re.split(r"(?<!\\)\|", line))


def texts(passage: Passage) -> Iterator[str]:
    """The plain words of every sentence, with what introduces it, and of every row."""
    for sentence in passage.sentences:
        yield f"{sentence.lead} {sentence.text}".strip()
    for row in passage.rows:
        yield "; ".join(f"{name} {cell}" for name, cell in zip(row.header, row.cells, strict=True))
