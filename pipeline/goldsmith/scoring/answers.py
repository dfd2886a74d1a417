"""An answer as sentences with the ids that their markers name.

Markers are read first, then the text is cleaned of them (and of links' addresses and emphasis) and
split. A marker binds backwards: to the sentence that the character before it belongs to, also
across a full stop.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

from goldsmith.corpus.markup import PartKind, parts
from goldsmith.corpus.sentences import sentences
from goldsmith.scoring.markers import Marker, MarkerGrammar, Marks, NearMiss, read_marks

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Sequence

_CLAIMING = {PartKind.PROSE, PartKind.ITEM, PartKind.ROW}
"""Headings and code make no claim."""
_SOURCES = re.compile(
    r"^[\s#*_]*(?:sources?|references?|citations?|quellen|literatur|fuentes|r\u00e9f\u00e9rences|"
    r"\u53c2\u8003\u6587\u732e|\u51fa\u5178|\u53c2\u7167)[\s*_]*[:\uff1a]?[\s*_]*$",
    re.IGNORECASE | re.MULTILINE,
)
_TABLE_HEAD = re.compile(r"[ \t|]*\n[ \t]*\|?(?:[ \t]*:?-+:?[ \t]*\|)+[ \t:-]*(?:\n|$)")
"""What follows the head of a table: it names columns and claims nothing."""
_EMPHASIS = re.compile(r"\*\*|(?<!\w)__(?=\S)|(?<=\S)__(?!\w)")
_STOP = re.compile(r"[.!?](?=\s)")
_KANA = re.compile(r"[\u3041-\u30ff]")


@dataclass(frozen=True, slots=True)
class AnswerSentence:
    """A sentence of an answer: cleaned text, its place in the answer, the ids bound to it."""

    text: str
    start: int
    end: int
    ids: tuple[str, ...]
    """Without repeats, in the order of the markers."""
    duplicate_markers: int = 0


@dataclass(frozen=True, slots=True)
class ReadAnswer:
    """What was read in an answer: nothing of it is lost in silence."""

    sentences: tuple[AnswerSentence, ...]
    marks: Marks
    unbound: tuple[NearMiss, ...]
    """Markers with no sentence before them (a list item that begins with one, say)."""
    sources_section: str = ""
    """A closing list of sources: no claims, its markers cite nothing."""

    @property
    def listed(self) -> tuple[NearMiss, ...]:
        """Every bracket that a person should look at, in order."""
        return tuple(sorted((*self.marks.near_misses, *self.unbound), key=lambda n: n.start))


@dataclass(frozen=True, slots=True)
class _Cleaned:
    """`text[i]` stands at `origin[i]` in the answer."""

    text: str
    origin: tuple[int, ...]

    def position(self, offset: int) -> int:
        """Where the answer's `offset` is, or would be had it not been cleaned away."""
        return bisect_left(self.origin, offset)


def read_answer(
    answer: str,
    *,
    language: str = "en",
    supplied: Sequence[str] = (),
    known: Container[str] = (),
    grammar: MarkerGrammar | None = None,
) -> ReadAnswer:
    """Split an answer into sentences and bind its markers; see `read_marks` for the ids."""
    marks = read_marks(answer, supplied=supplied, known=known, grammar=grammar)
    sources = _SOURCES.search(answer)
    body_end = sources.start() if sources else len(answer)
    cited = [marker for marker in marks.markers if marker.end <= body_end]
    cleaned = _clean(answer[:body_end], marks, cited)
    language = "ja" if _KANA.search(answer) else language
    stops = [cleaned.position(m.end) + 1 for m in cited if _STOP.match(answer, m.end)]
    spans = [
        span
        for sentence in sentences(cleaned.text, language)
        if sentence.kind in _CLAIMING and not _TABLE_HEAD.match(cleaned.text, sentence.end)
        for span in _split_behind_markers(sentence.start, sentence.end, cleaned, stops)
        if any(map(str.isalnum, cleaned.text[slice(*span)]))
    ]
    bound, unbound = _bind(cited, cleaned, spans)
    return ReadAnswer(
        sentences=tuple(
            _sentence(cleaned, span, bound.get(number, [])) for number, span in enumerate(spans)
        ),
        marks=marks,
        unbound=tuple(
            NearMiss(m.start, m.end, answer[m.start : m.end], "no_sentence_before") for m in unbound
        ),
        sources_section=answer[body_end:],
    )


def _split_behind_markers(
    start: int, end: int, cleaned: _Cleaned, stops: Sequence[int]
) -> Iterator[tuple[int, int]]:
    """Cut where a marker stands before a full stop: `ok [p1]. bad [p9].` is two sentences.

    `stops` are the places behind such full stops, in order. No abbreviation ends in a marker, so
    this is certain where a splitter would want a capital.
    """
    for stop in stops[bisect_right(stops, start) : bisect_left(stops, end)]:
        if start < stop:
            yield start, stop
            start = stop + len(cleaned.text[stop:end]) - len(cleaned.text[stop:end].lstrip())
    yield start, end


def _clean(answer: str, marks: Marks, cited: Sequence[Marker]) -> _Cleaned:
    """The answer without markers, the space before them, link targets and emphasis."""
    drop = [False] * len(answer)

    def remove(start: int, end: int) -> None:
        end = min(end, len(answer))
        drop[start:end] = [True] * max(0, end - start)

    for marker in cited:
        start = marker.start
        while start and answer[start - 1] in " \t\u00a0":
            start -= 1
        remove(start, marker.end)
    for link in marks.links:
        remove(link.start, link.text_start)
        remove(link.text_end, link.end)
    for start, end in marks.definitions:
        remove(start, end)
    code = {i for start, end in marks.code for i in range(start, end)}
    for match in _EMPHASIS.finditer(answer):
        if match.start() not in code:
            remove(*match.span())
    kept = [i for i, dropped in enumerate(drop) if not dropped]
    return _Cleaned("".join(answer[i] for i in kept), tuple(kept))


def _bind(
    markers: Sequence[Marker], cleaned: _Cleaned, spans: Sequence[tuple[int, int]]
) -> tuple[dict[int, list[str]], list[Marker]]:
    """Ids by index of sentence; and the markers that no sentence precedes."""
    heads = _heads(cleaned.text, spans)
    lines = [start for start, _ in heads]
    bound: dict[int, list[str]] = {}
    unbound: list[Marker] = []
    for marker in markers:
        position = cleaned.position(marker.end)
        before = bisect_left(spans, (position, -1)) - 1
        # Both ends of the heads rise, so the last that begins before the marker reaches furthest.
        head = bisect_right(lines, position) - 1
        if before < 0 or (head >= 0 and position <= heads[head][1]):
            unbound.append(marker)
        else:
            bound.setdefault(before, []).extend(marker.ids)
    return bound, unbound


def _heads(text: str, spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """(start of the line, start of its first sentence): between them stands a leading marker."""
    starts = [start for start, _ in spans]
    heads = []
    for part in parts(text):
        index = bisect_left(starts, part.start)
        if index < len(starts) and starts[index] < part.end:
            heads.append((text.rfind("\n", 0, part.start) + 1, starts[index]))
    return heads


def _sentence(cleaned: _Cleaned, span: tuple[int, int], ids: Sequence[str]) -> AnswerSentence:
    start, end = span
    unique = tuple(dict.fromkeys(ids))
    return AnswerSentence(
        text=re.sub(r"\s+", " ", cleaned.text[start:end]),
        start=cleaned.origin[start],
        end=cleaned.origin[end - 1] + 1,
        ids=unique,
        duplicate_markers=len(ids) - len(unique),
    )
