"""Find a quote in a text: exactly, or as a reader would who ignores layout.

Models copy words faithfully and layout carelessly: they straighten quotation marks, drop Markdown
emphasis, join lines. What must not be forgiven is a changed word, number or sign.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True, slots=True)
class Span:
    """Half-open range of code points."""

    start: int
    end: int


# What is compared: letters and digits, and the punctuation that changes a number's value.
_COMPARED = re.compile(r"(?<![^\W_])[-+−](?=\d)|(?<=\d)[.,:](?=\d)|[%°€$£¥<>=]|[^\W_]", re.UNICODE)


def locate(quote: str, text: str) -> Span | None:
    """The first place of `quote` in `text`, as offsets in `text`, or None.

    Exact first; then ignoring case, white space and punctuation, except signs, decimal points,
    comparison and currency marks. A match begins and ends at the border of a word.
    """
    wanted = quote.strip()
    if not wanted:
        return None
    start = text.find(wanted)
    if start >= 0:
        return Span(start, start + len(wanted))
    needle = "".join(character for character, _, _ in _compared(wanted))
    if not needle:
        return None
    haystack = list(_compared(text))
    return _first_whole_words(needle, haystack, text)


def folded(text: str) -> str:
    """What `locate` compares: a quote that is in no folded text is located in none of them."""
    return "".join(character for character, _, _ in _compared(text))


def _first_whole_words(needle: str, haystack: list[tuple[str, int, int]], text: str) -> Span | None:
    # One entry may fold to several characters ("ß" to "ss"): positions are kept per character.
    folded = "".join(character for character, _, _ in haystack)
    starts = [start for character, start, _ in haystack for _ in character]
    ends = [end for character, _, end in haystack for _ in character]
    at = folded.find(needle)
    while at >= 0:
        span = Span(starts[at], ends[at + len(needle) - 1])
        if _is_border(text, span.start) and _is_border(text, span.end):
            return span
        at = folded.find(needle, at + 1)
    return None


def _compared(text: str) -> Iterator[tuple[str, int, int]]:
    for match in _COMPARED.finditer(text):
        character = unicodedata.normalize("NFKC", match.group()).casefold().replace("−", "-")
        yield character, match.start(), match.end()


def _is_border(text: str, offset: int) -> bool:
    if offset in (0, len(text)):
        return True
    before, after = text[offset - 1], text[offset]
    return not (_is_latin_like(before) and _is_latin_like(after))


def _is_latin_like(character: str) -> bool:
    # Unspaced scripts have no visible word borders.
    return character.isalnum() and unicodedata.category(character) != "Lo"
