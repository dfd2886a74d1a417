"""Citation markers as they stand in an answer, read before the text is cleaned.

A marker is a bracket whose every part is an id: `[p-3310]`, `[p-1, p-2]`, `[p-1; p-2]`, `[2]`, and
for plain integers a range `[1-3]`. What nearly is one is listed with the reason, never dropped in
silence; a link is no marker; nothing inside code is one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import Field, field_validator

from goldsmith.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Sequence

_WIDEST_RANGE = 50
"""`[1-500]` is a page range or a slip, not five hundred citations."""

_FENCE = re.compile(
    r"^ {0,3}(`{3,}|~{3,})[^\n]*\n.*?(?:^ {0,3}\1[`~]*[ \t]*$|\Z)", re.MULTILINE | re.DOTALL
)
_CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)(?:(?!\n\s*\n).)+?(?<!`)\1(?!`)", re.DOTALL)
_INLINE_LINK = re.compile(
    r"!?\[(?P<text>(?:[^\[\]\n]|\[[^\[\]\n]*\])*)\]\((?P<target>[^()\s]*(?:\([^()\s]*\)[^()\s]*)*)(?:\s+\"[^\"]*\")?\)"
)
_DEFINITION = re.compile(
    r"^ {0,3}\[(?P<label>[^\[\]\n]+)\]:[ \t]*(?P<target>\S+)[^\n]*$", re.MULTILINE
)
_AUTOLINK = re.compile(r"<(?P<target>https?://[^\s<>]+)>")
_BRACKET = re.compile(r"(?P<escape>\\?)\[(?P<inside>[^\[\]\n]*)\]")
_RANGE = re.compile(r"(\d+)\s*[-\u2013\u2014]\s*(\d+)\Z")
_INTEGER = re.compile(r"\d+\Z")
_OTHER_BRACKETS = re.compile(
    r"\((?P<round>[^()\n]{1,80})\)|\u3010(?P<lens>[^\u3010\u3011\n]{1,80})\u3011"
)
_UNCLOSED = re.compile(r"\[(?P<inside>[^\[\]\s]{1,40})(?![^\[\]\n]*\])")


class MarkerGrammar(Settings):
    """What counts as a marker in inline answers. Ids of the run itself are always known."""

    id_pattern: str = r"p-[0-9A-Za-z]+|p[0-9]+"
    """Regular expression of a chunk id, matched whole."""
    separators: str = Field(default=",;", min_length=1)
    """Characters that part the ids of a list."""
    integers: bool = True
    """`[2]` is a marker: the chunk with the id `2` where the run's ids are integers, else the
    second passage supplied. `[0]` names no passage."""

    @field_validator("id_pattern")
    @classmethod
    def _compiles(cls, value: str) -> str:
        try:
            re.compile(value)
        except re.error as error:
            raise ValueError(f"not a regular expression: {error}") from error
        return value


@dataclass(frozen=True, slots=True)
class Marker:
    """`answer[start:end]` names `ids`, in order and as often as written."""

    start: int
    end: int
    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NearMiss:
    """A bracket that looks like a marker and is none, for a person to look at."""

    start: int
    end: int
    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class Link:
    """A link; its text is no marker, its target is checked apart."""

    start: int
    end: int
    text: str
    target: str
    text_start: int
    text_end: int


@dataclass(frozen=True, slots=True)
class Marks:
    """All that stands in an answer beside its prose."""

    markers: tuple[Marker, ...]
    near_misses: tuple[NearMiss, ...]
    links: tuple[Link, ...]
    code: tuple[tuple[int, int], ...]
    """Blocks and spans of code: nothing in them is a marker."""
    definitions: tuple[tuple[int, int], ...]
    """Lines such as `[1]: https://…`: targets of reference links."""


class KnownIds:
    """Ids that exist: an answer's own, and those of a corpus, which is not copied for each."""

    def __init__(self, own: frozenset[str], others: Container[str]) -> None:
        self._own, self._others = own, others

    def __contains__(self, item: object) -> bool:
        return item in self._own or item in self._others


@dataclass(frozen=True, slots=True)
class _Ids:
    """Which strings are ids, and what an integer stands for."""

    pattern: re.Pattern[str]
    known: Container[str]
    supplied: Sequence[str]
    integers: bool
    by_name: bool
    """Integers are ids of their own, not positions."""

    def ids_of(self, part: str) -> tuple[str, ...] | None:
        if self.integers and (span := _RANGE.match(part)):
            first, last = int(span[1]), int(span[2])
            if first <= last < first + _WIDEST_RANGE:
                return tuple(self._numbered(str(n)) for n in range(first, last + 1))
            return None
        if part in self.known or self.pattern.fullmatch(part):
            return (part,)
        if self.integers and _INTEGER.match(part):
            return (self._numbered(part),)
        return None

    def _numbered(self, digits: str) -> str:
        if self.by_name or digits in self.known:
            return digits
        number = int(digits)
        return self.supplied[number - 1] if 1 <= number <= len(self.supplied) else digits

    def looks_like(self, text: str) -> bool:
        """Does an id, in whatever case, stand somewhere in it?"""
        folded = text.casefold()
        if re.search(rf"(?<!\w)(?:{self.pattern.pattern})(?!\w)", text, re.IGNORECASE):
            return True
        return any(word in folded.split() for word in (k.casefold() for k in self.supplied))


def read_marks(
    answer: str,
    *,
    supplied: Sequence[str] = (),
    known: Container[str] = (),
    grammar: MarkerGrammar | None = None,
) -> Marks:
    """Find markers, near misses, links and code blocks; offsets count in `answer`.

    `supplied` are the chunk ids in the order of the prompt (what `[2]` counts in); `known` are
    further ids that exist, such as those of the corpus.
    """
    grammar = grammar or MarkerGrammar()
    ids = _Ids(
        pattern=re.compile(grammar.id_pattern),
        known=KnownIds(frozenset(supplied), known),
        supplied=supplied,
        integers=grammar.integers,
        by_name=any(_INTEGER.match(item) for item in supplied),
    )
    blocks = tuple(match.span() for match in _FENCE.finditer(answer))
    spans = tuple(m.span() for m in _CODE_SPAN.finditer(_blank(answer, blocks)))
    prose = _blank(answer, (*blocks, *spans))
    definitions = tuple(_DEFINITION.finditer(prose))
    links = tuple(sorted(_links(answer, prose, definitions), key=lambda link: link.start))
    rest = _blank(prose, [*((k.start, k.end) for k in links), *(d.span() for d in definitions)])
    markers, near = _brackets(rest, ids, re.compile(f"[{re.escape(grammar.separators)}]"))
    near.extend(_near_misses(_blank(rest, [(m.start, m.end) for m in markers]), ids))
    return Marks(
        markers=tuple(markers),
        near_misses=tuple(sorted(near, key=lambda item: item.start)),
        links=links,
        code=(*blocks, *spans),
        definitions=tuple(match.span() for match in definitions),
    )


def _blank(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """The text with spans overwritten by a character that no pattern matches: offsets stay."""
    characters = list(text)
    for start, end in spans:
        characters[start:end] = ["\x00" if c != "\n" else c for c in characters[start:end]]
    return "".join(characters)


def _links(answer: str, prose: str, definitions: Sequence[re.Match[str]]) -> Iterator[Link]:
    taken: list[tuple[int, int]] = [match.span() for match in definitions]
    for match in _INLINE_LINK.finditer(prose):
        taken.append(match.span())
        start, end = match.span("text")
        yield Link(*match.span(), answer[start:end], match["target"], start, end)
    for match in _AUTOLINK.finditer(prose):
        taken.append(match.span())
        start, end = match.span("target")
        yield Link(*match.span(), match["target"], match["target"], start, end)
    targets = {match["label"].casefold(): match["target"] for match in definitions}
    if not targets:
        return
    # `[text][label]`, or `[label]` alone, is a link only where the label is defined.
    rest = _blank(prose, taken)
    for match in re.finditer(r"\[([^\[\]\n]+)\](?:\[([^\[\]\n]*)\])?", rest):
        target = targets.get((match[2] or match[1]).casefold())
        if target is not None:
            yield Link(*match.span(), match[1], target, match.start(1), match.end(1))


def _brackets(
    text: str, ids: _Ids, separator: re.Pattern[str]
) -> tuple[list[Marker], list[NearMiss]]:
    markers: list[Marker] = []
    near: list[NearMiss] = []
    for match in _BRACKET.finditer(text):
        inside = match["inside"]
        found = [ids.ids_of(part.strip()) for part in separator.split(inside)]
        if not match["escape"] and all(found):
            named = tuple(item for part in found if part for item in part)
            markers.append(Marker(*match.span(), named))
        elif reason := _why_near(inside, escaped=bool(match["escape"]), found=found, ids=ids):
            near.append(NearMiss(*match.span(), match[0].replace("\x00", "\u2026"), reason))
    return markers, near


def _why_near(
    inside: str, *, escaped: bool, found: Sequence[tuple[str, ...] | None], ids: _Ids
) -> str | None:
    if any(found):
        return "escaped" if escaped else "not_all_ids"
    if inside.startswith("^"):
        return "footnote"
    if _RANGE.match(inside.strip()):
        return "bad_range"
    if ids.looks_like(inside):
        return "not_an_id"
    # Numbers with a little around them: `[ref 3]`, `[3:0†source]`, `[-1]`.
    return "not_an_id" if re.search(r"\d", inside) and len(inside.split()) <= 3 else None  # noqa: PLR2004 - words


def _near_misses(text: str, ids: _Ids) -> Iterator[NearMiss]:
    for match in _OTHER_BRACKETS.finditer(text):
        inside = match["round"] or match["lens"]
        if (match["lens"] and re.search(r"\d", inside)) or ids.looks_like(inside):
            yield NearMiss(*match.span(), match[0], "other_brackets")
    for match in _UNCLOSED.finditer(text):
        if ids.looks_like(match["inside"]):
            yield NearMiss(*match.span(), match[0], "unclosed")
