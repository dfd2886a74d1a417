"""Find the JSON objects that a reply offers, strictly: nothing is ever completed or invented.

A repairing parser was tried (json-repair 0.64) and left out. It turns the cut-off
`{"question": "What is` into a whole question, a missing rating into "", and takes the first thought
of a reply that was cut in its second. Here only two defects are undone, because neither can change
a value: trailing commas, and line breaks that stand raw inside a string.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_DEPTH = 64
"""Levels of nesting; the deepest schema of the catalogue has 3."""

_STRING = r'"(?:[^"\\]+|\\.)*+(?:"|\\?\Z)'
"""A string, or the unclosed rest of the text: matched at once, so that scanning stays linear."""
_TOKEN = re.compile(rf"{_STRING}|[{{}}\[\]]", re.DOTALL)
_START = re.compile(r"\{(?=\s*[\"}'])")
"""An object starts with a key or is empty; a lone brace in prose starts nothing."""
_TRAILING_COMMA = re.compile(rf"({_STRING})|,(?=\s*[}}\]])", re.DOTALL)
_THOUGHTS = re.compile(
    r"\A\s*<(think|thinking|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE
)
"""What a model thinks aloud first; all of the text when it never ends."""

Json = dict[str, "Json"] | list["Json"] | str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Offer:
    """One outermost object of a reply, or what stands where one should be."""

    text: str
    value: dict[str, Json] | None
    """None: balanced, but no JSON; `complaint` says why."""
    complaint: str = ""
    unfinished: bool = False
    """The text ends before the object does."""


class _AmbiguousError(ValueError):
    """A key that stands twice with different values."""


def offers(text: str) -> Iterator[Offer]:
    """The outermost objects of `text` in order, braces inside strings not counted.

    Objects in an outermost list are offers of their own, so a stray bracket costs nothing.
    """
    text = _THOUGHTS.sub("", text, count=1)
    position = 0
    while start := _START.search(text, position):
        end, depth = _balance(text, start.start())
        if end is None:
            yield Offer(text[start.start() :], None, "it ends in the middle", unfinished=True)
            return
        yield _read(text[start.start() : end], depth)
        position = end


def _balance(text: str, start: int) -> tuple[int | None, int]:
    """Where the bracket at `start` is closed (None: nowhere), and how deep it nests."""
    depth = deepest = 0
    for token in _TOKEN.finditer(text, start):
        mark = token.group()[0]
        if mark in "{[":
            depth += 1
            deepest = max(deepest, depth)
        elif mark in "}]":
            depth -= 1
            if depth == 0:
                return token.end(), deepest
    return None, deepest


def _read(text: str, depth: int) -> Offer:
    if depth > MAX_DEPTH:
        return Offer(text, None, f"it nests more than {MAX_DEPTH} levels deep")
    complaint = ""
    for undo in (str, _without_trailing_commas):
        try:
            value = _DECODER.decode(undo(text))
        except ValueError as error:
            complaint = complaint or str(error)
        else:
            return Offer(text, value)
    return Offer(text, None, f"it is not JSON: {complaint}")


def _without_trailing_commas(text: str) -> str:
    return _TRAILING_COMMA.sub(r"\1", text)


def _distinct(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    value: dict[str, Json] = {}
    for key, item in pairs:
        if key in value and value[key] != item:
            raise _AmbiguousError(f"the key {key!r} stands twice with different values")
        value[key] = item
    return value


def _no_constant(name: str) -> Json:
    raise ValueError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(strict=False, object_pairs_hook=_distinct, parse_constant=_no_constant)
