"""What a question asks: its parts, and the words that a passage would have to speak of."""

from __future__ import annotations

import re
from functools import lru_cache

from goldsmith.corpus.words import content_words, words

_NEXT_PART = re.compile(
    r",? and (?=(?:how|what|which|who|when|where|why|(?:in|on|at|for|after|within|to|by|with|from) "
    r"(?:how|what|which))\b)"
)
_ASKING = re.compile(
    r"\b(?:how (?:many|much|long|often|\w+)|what|which|who|when|where|why)\b", re.IGNORECASE
)
_FRAME = frozenset(
    content_words(
        "happens do mean many much long often time when year called known type kind name"
        " circumstances"
    )
)
"""Words about the shape of the answer, which a passage need not repeat."""


@lru_cache(maxsize=50_000)
def stems(text: str) -> frozenset[str]:
    """Content words, without repeats."""
    return frozenset(content_words(text))


def asked_words(question: str) -> frozenset[str]:
    """Content words of a question but for those about the shape of its answer."""
    return stems(question) - _FRAME


def parts_of(question: str) -> list[str]:
    """The questions that "and" joins into one."""
    return [part.strip(" ?") + "?" for part in _NEXT_PART.split(question)]


def kind_of(question: str) -> str:
    """What sort of thing is asked for: the asking words, and whether it is what something does."""
    found = _ASKING.search(question)
    doing = " do" if question.endswith(" do?") else ""
    return " ".join(words(found.group())) + doing if found else doing
