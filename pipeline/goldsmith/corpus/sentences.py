"""Sentences of a text with their exact offsets."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import sentencex

from goldsmith.corpus.markup import PartKind, parts

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True, slots=True)
class Sentence:
    """`source[start:end] == text`, without white space around it.

    A heading, a table row and a block of code are one sentence each, whatever they hold.
    """

    start: int
    end: int
    text: str
    kind: PartKind


def sentences(text: str, language: str = "en") -> list[Sentence]:
    """The sentences of `text` in order; they never overlap, and every word is in one of them.

    `language` is an ISO 639-1 code: it decides about abbreviations and final marks. Markers of
    lists and headings, rules and lines of bare markup belong to no sentence. A citation marker
    behind a full stop (`... done. [p-3310] Next`) belongs to the sentence before it.
    """
    found: list[Sentence] = []
    for part in parts(text):
        if part.kind in {PartKind.PROSE, PartKind.ITEM}:
            spans = _prose_spans(text[part.start : part.end], language)
        else:
            spans = iter([(0, part.end - part.start)])
        for start, end in spans:
            sentence = _trimmed(text, part.start + start, part.start + end, part.kind)
            if sentence is not None:
                found.append(sentence)
    return found


def _trimmed(text: str, start: int, end: int, kind: PartKind) -> Sentence | None:
    raw = text[start:end]
    if kind is PartKind.ROW:
        raw = raw.rstrip().removesuffix("|")
    end = start + len(raw.rstrip())
    start += len(raw) - len(raw.lstrip())
    return Sentence(start, end, text[start:end], kind) if start < end else None


def _prose_spans(prose: str, language: str) -> Iterator[tuple[int, int]]:
    """Spans of the sentences of one paragraph; what has no word in it joins the one before."""
    quiet = _quieted(prose, language)
    start = end = 0
    for boundary in sentencex.get_sentence_boundaries(language, quiet):
        ahead = prose[boundary["start_index"] : boundary["end_index"]]
        if end > start and any(map(str.isalnum, ahead)) and any(map(str.isalnum, prose[start:end])):
            yield start, end
            start = boundary["start_index"]
        end = boundary["end_index"]
    yield start, end


# -- marks that end no sentence -----------------------------------------------------------------
#
# The splitter sees a copy of the same length in which such marks are hidden, so its offsets hold
# for the original.

_OPAQUE = re.compile(
    r"`+[^`]+`+"  # code
    r"|(?<=\])\([^()\s]*\)"  # the target of a link
    r"|\b[a-z][a-z+.-]*://[^\s<>()\[\]]*[^\s<>()\[\].,;:!?'\"*_]"
    r"|<[^<>\s][^<>\n]*>"
)
_MARKERS = re.compile(r"(?<=[.!?])[ \t]*(?:\[[^\[\]\n]*\d[^\[\]\n]*\](?!\()[ \t]?)+(?=\s|$)")
_EMPHASIS_END = re.compile(r"([.!?]+)([*_~]+)(?=\s|$)")
_FULL_WIDTH_END = re.compile(r"(?<=[。！？])[a-z]")
_TIME_ZONE = re.compile(r"\b[ap]\.m\.(?=\s+\(?(?:UTC|GMT|MSK|[A-Z]{1,3}[SD]?T)\b)", re.IGNORECASE)

# What sentencex does not know, or knows only within a text and not at its start.
_ABBREVIATIONS = {
    "da": r"bl\.a",
    "de": r"[Ii]nkl|[Ee]xkl|[Bb]spw|[Aa]bzgl|[Zz]zgl",
    "en": r"[Aa]pprox|[Rr]esp|[Ii]ncl|[Ee]xcl",
    "es": r"[Aa]prox",
    "fr": r"M|MM|Mme|Mlle",
    "nl": r"[Mm]evr|[Ii]ncl|[Ee]xcl",
    "pl": r"m\.in|tj",
    "pt": r"[Aa]prox",
    "sv": r"t\.ex",
}
_BEFORE_A_NUMBER = re.compile(
    r"\b(?:abb|approx|art|ca|cap|chap|fig|kap|max|min|mind|no|nr|núm|p|pag|pág|pp|sec|tab|ver|vol|ziff)"
    r"\.(?=\s+\d)",
    re.IGNORECASE,
)
_INLINE_NUMBER = re.compile(r"\b\d{1,2}\.(?=\s+[a-zà-ÿ])")
_ORDINALS = {
    "de": r"(?i:der|die|das|dem|den|des|am|im|zum|zur|vom|beim|bis|ab|jede[rsnm]?) \d{1,2}",
    "da": r"(?i:den|det|de) \d{1,2}",
    "no": r"(?i:den|det|de) \d{1,2}",
}
"""Before a full stop: a number that is read as an ordinal (`die 2. Version`)."""


@cache
def _unfinished(language: str) -> re.Pattern[str] | None:
    """A full stop, and what makes it no end of a sentence in this language."""
    words = _ABBREVIATIONS.get(language)
    stems = [rf"(?:{words})"] if words else []
    if language in _ORDINALS:
        stems.append(_ORDINALS[language])
    return re.compile(rf"\b(?:{'|'.join(stems)})\.(?=\s+\w)") if stems else None


def _quieted(prose: str, language: str) -> str:
    """A copy of the same length whose remaining final marks are worth looking at."""
    quiet = prose.replace("\n", " ")
    quiet = _OPAQUE.sub(lambda match: "x" * len(match[0]), quiet)
    quiet = _TIME_ZONE.sub("xxxx", quiet)
    for inner in (_BEFORE_A_NUMBER, _INLINE_NUMBER, _unfinished(language)):
        if inner is not None:
            quiet = inner.sub(lambda match: match[0][:-1] + "x", quiet)
    # Scripts that end a sentence so may go on with a small letter: "です。v2.1 で".
    quiet = _FULL_WIDTH_END.sub(lambda match: match[0].upper(), quiet)
    quiet = _EMPHASIS_END.sub(r"\2\1", quiet)
    # "Done. [p-3310] Next" becomes "Done         . Next": the marker stays with its sentence.
    return _MARKERS.sub(_behind_markers, quiet)


def _behind_markers(match: re.Match[str]) -> str:
    return "x" * (len(match[0].rstrip()) - 1) + "." + " " * (len(match[0]) - len(match[0].rstrip()))
