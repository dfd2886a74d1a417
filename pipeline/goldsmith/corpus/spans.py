"""Find the pieces that a splitter made of a text in it again, exactly.

A splitter returns strings. Its own word for where they stand cannot be trusted: a search finds the
first of several equal passages, and an overlap counted in tokens misleads it. But what a splitter
does is known. It cuts a text into pieces that follow each other, strips white space off their
ends, and may begin a piece with the last words of the one before.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence


@dataclass(frozen=True, slots=True)
class Span:
    """Code points `start` to `end` of a text, `end` exclusive."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Overlap:
    """How much of the piece before a piece may repeat: at most `most`, as `length` measures it."""

    most: int
    length: Callable[[str], int]


class LostPieceError(Exception):
    """A piece does not stand where it has to: a defect, never a property of the input."""


def located(text: str, pieces: Sequence[str], overlap: Overlap, offset: int = 0) -> list[Span]:
    """One span a piece, in order; nothing but white space is left out. `offset` is added.

    In repetitive text a piece fits in several places, and a wrong choice leaves a later piece
    without any: then the choice is taken back. A place once refuted is not tried again, so the
    work is bounded by pieces times places. Raises `LostPieceError` when no chain reaches the end.
    """
    last = len(text.rstrip())
    chain: list[Span] = []
    untried: list[Iterator[int]] = []
    refuted: set[tuple[int, int]] = set()
    while len(chain) < len(pieces):
        index = len(chain)
        if index == len(untried):
            before = chain[-1] if chain else Span(0, 0)
            untried.append(_places(text, pieces[index], before, overlap))
        place = next((p for p in untried[-1] if (index, p) not in refuted), None)
        if place is not None:
            span = Span(place, place + len(pieces[index]))
            if index < len(pieces) - 1 or span.end == last:
                chain.append(span)
            continue
        untried.pop()
        if not chain:
            raise LostPieceError(f"no chain of places for {len(pieces)} pieces: {pieces[0][:40]!r}")
        refuted.add((index - 1, chain.pop().start))
    if not pieces and last:
        raise LostPieceError(f"no piece holds {text[:40]!r}")
    return [Span(span.start + offset, span.end + offset) for span in chain]


def _places(text: str, piece: str, before: Span, overlap: Overlap) -> Iterator[int]:
    """Where `piece` may begin: no gap after the piece before, and no end before its end."""
    latest = before.end
    while latest < len(text) and text[latest].isspace():
        latest += 1
    place = max(before.start, before.end - len(piece)) - 1
    while (place := text.find(piece, place + 1, latest + len(piece))) >= 0:
        if overlap.length(text[place : before.end]) <= overlap.most:
            yield place


def trimmed(text: str, start: int, end: int, offset: int = 0) -> list[Span]:
    """The span from `start` to `end` without white space at its ends; none when it is all space."""
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    return [Span(start + offset, end + offset)] if start < end else []
