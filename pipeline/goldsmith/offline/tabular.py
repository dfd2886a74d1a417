"""Cells of a table: row header by column header, one question a cell."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from goldsmith.offline.grammar import head_of, tag
from goldsmith.offline.wordings import Wording

if TYPE_CHECKING:
    from collections.abc import Iterator

    from goldsmith.offline.lexicon import Lexicon
    from goldsmith.offline.passages import Row

_EMPTY = re.compile(r"[\W_]*|(?:n/?a|none|yes|no)\b.*", re.IGNORECASE)
_BARE_NUMBER = re.compile(r"\d[\d,.]*")
_GENERIC = frozenset({"kind", "type", "name", "item", "term", "feature", "resource", "setting"})
_MAX_CELL = 8
_MAX_CORNER = 2


def table_wordings(row: Row, lexicon: Lexicon) -> Iterator[Wording]:
    """Questions of a row whose first cell names it.

    Usually columns are attributes ("Plan | Storage"); where a column's name is that of a thing
    which the corpus calls by a common noun ("Team", as in "the Team plan"), rows are.
    """
    holder, corner = row.cells[0], row.header[0]
    for column, answer in zip(row.header[1:], row.cells[1:], strict=True):
        if _EMPTY.fullmatch(answer) or len(answer.split()) > _MAX_CELL:
            continue
        if noun := lexicon.type_noun(column):
            attribute, key = lexicon.heading_inner(holder), f"the {column} {noun}"
        elif any(lexicon.type_noun(word) for word in column.split()):
            continue
        else:
            attribute, key = lexicon.heading_inner(column), _key(corner, holder, lexicon)
        if question := _question(attribute, key, answer):
            yield Wording(question, answer, "table")


def _key(corner: str, name: str, lexicon: Lexicon) -> str:
    """How the row is called: "the Team plan", "version 5.1", "the share of failed records"."""
    tokens = tag(corner.lower())
    nominal = 0 < len(tokens) <= _MAX_CORNER and all(token.is_noun for token in tokens)
    if not nominal or not name or len(name.split()) > _MAX_CELL:
        return ""
    if _BARE_NUMBER.fullmatch(name):
        return f"{corner.lower()} {name}"
    words = name.split()
    if len(words) > 1 and (words[-1].islower() or corner.lower() in _GENERIC):
        return f"the {lexicon.heading_inner(name)}"
    return f"the {name} {corner.lower()}"


def _question(attribute: str, key: str, answer: str) -> str:
    tokens = tag(attribute)
    head = head_of(tokens)
    thin = len(tokens) < 2 and key.startswith("the ")  # noqa: PLR2004
    unfit = any(token.is_finite or token.text == "," for token in tokens)
    if not key or head is None or thin or unfit:
        return ""
    if head.tag == "NN2" and _BARE_NUMBER.fullmatch(answer):
        participle = any(token.tag in {"VVN", "VVD"} for token in tokens)
        return "" if participle else f"How many {attribute} does {key} have?"
    verb = "are" if head.tag == "NN2" else "is"
    linking = "for" if any(token.tag in {"PRF", "PRP"} for token in tokens) else "of"
    return f"What {verb} the {attribute} {linking} {key}?"


def cell_statement(question: str, answer: str) -> str:
    """The cell in a sentence: "The release date of version 5.1 is 18 June 2024."."""
    if found := re.fullmatch(r"What (is|are) (the .+)\?", question):
        return f"{found[2][0].upper()}{found[2][1:]} {found[1]} {answer}."
    if found := re.fullmatch(r"How many (.+) does (the .+) have\?", question):
        return f"{found[2][0].upper()}{found[2][1:]} has {answer} {found[1]}."
    return answer
