"""What a question asks: its parts, the words a passage must speak of, and what points outside."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from goldsmith.corpus.wellformed import refers_to_source
from goldsmith.corpus.words import content_words

if TYPE_CHECKING:
    from goldsmith.offline.lexicon import Lexicon

_NEXT_PART = re.compile(
    r",? and (?=(?:how|what|which|who|when|where|why|[a-z]+ (?:how|what|which))\b)"
)
_FRAME = frozenset(content_words("happens do mean many much long often time when called used"))
"""Words about the shape of the answer, which a passage need not repeat."""
_POINTERS = re.compile(
    r"\b(?:it|they|them|he|she|his|her|we|us|our|this|these|those|such|here|following|above|below"
    r"|former|latter|another|others?|otherwise|therefore|however|then|thus|same|remaining|mentioned"
    r"|described|previous|next|both|either|neither|respectively|earlier|too|also|there|instead"
    r"|\w+sel(?:f|ves)|the (?:page|guide|tutorial|handbook|chapter|example|article|manual|list"
    r"|table|code|figure))\b|^(?:\S+ ){0,3}(?:its|their)\b|\bones?(?= (?:is|are|of|can)\b|\?)",
    re.IGNORECASE,
)
_DEFINITE = re.compile(r"\b[Tt]he ([a-z][\w-]*)(?: (\S+))?")
_ORDINAL = re.compile(
    r"(?:first|second|third|fourth|last|final|left|right|old|new|whole|original|usual|given|selected"
    r"|resulting|chosen|current|entire|only|restored)\b"
)
_NO_NOUN = re.compile(
    r"(?:is|are|was|were|be|can|must|may|should|will|has|have|not|an?|the|to|and|or|at|by|with|until"
    r"|during|per|without|after|before|when|if|on|in|from|as|\w+ed|\w+ly)\b|\W"
)


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


def unresolved(question: str, lexicon: Lexicon) -> str:
    """The first word that only a reader of the passage can resolve, or an empty text."""
    if found := _POINTERS.search(question):
        return found.group()
    if refers_to_source(question):
        return "the passage"
    for found in _DEFINITE.finditer(question.rstrip("?")):
        # As in: "the gate": a noun with an article and nothing that says which one.
        alone = not found[2] or _NO_NOUN.match(found[2])
        if _ORDINAL.match(found[1]) or (alone and not lexicon.is_habitual(found[1])):
            return f"the {found[1]}"
    return ""
