"""What in a question points outside it: pronouns, "the gate", "the following", "this page"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from goldsmith.corpus.wellformed import refers_to_source
from goldsmith.offline.grammar import tag

if TYPE_CHECKING:
    from goldsmith.offline.lexicon import Lexicon

_POINTERS = re.compile(
    r"\b(?:it|they|them|he|she|his|her|we|us|our|this|these|those|such|here|following|above|below"
    r"|former|latter|another|other|others|otherwise|therefore|however|nevertheless|instead|then"
    r"|thus|hence|same|remaining|mentioned|described|previous|next|ones|(?:the|that|which|each) one"
    r"|both|either|neither|respectively|earlier|too|also|there|do so|\w+sel(?:f|ves)|that is)\b",
    re.IGNORECASE,
)
_POSSESSIVE = re.compile(r"\b(?:its|their)\b")
_KNOWN_BY = frozenset({"PRF", "PRP", "CJT", "DTQ", "PNQ", "VVN", "POS", "CRD", "NP0", "TO0"})
_RELATIVE_ADJECTIVES = frozenset(
    {"old", "new", "whole", "original", "usual", "given", "selected", "first", "second", "last"}
    | {"final", "resulting", "chosen", "right", "current", "entire", "only"}
)
_PAGE = re.compile(
    r"\b(?:this|the|our) (?:page|guide|tutorial|handbook|chapter|article|manual|release notes|docs?"
    r"|documentation|appendix|example|list|table|snippet|code|diagram|figure|image|screenshot)\b",
    re.IGNORECASE,
)


def unresolved(question: str, lexicon: Lexicon) -> str:
    """The first word that only a reader of the passage can resolve, or an empty text."""
    for pattern in (_POINTERS, _PAGE):
        if found := pattern.search(question):
            return found.group()
    if refers_to_source(question):
        return "the passage"
    if (found := _POSSESSIVE.search(question)) and len(question[: found.start()].split()) < 4:  # noqa: PLR2004
        return found.group()
    return bare_definite(question, lexicon)


def bare_definite(question: str, lexicon: Lexicon) -> str:
    """As in: "the gate": a noun with an article and nothing that says which one."""
    tokens = tag(question)
    for at, token in enumerate(tokens[:-1]):
        if token.text.lower() != "the":
            continue
        if tokens[at + 1].tag == "CRD":
            return f"the {tokens[at + 1].text}"
        noun = at + 1
        while noun + 1 < len(tokens) and tokens[noun].text.lower() in _RELATIVE_ADJECTIVES:
            noun += 1
        after = tokens[noun + 1] if noun + 1 < len(tokens) else tokens[noun]
        alone = tokens[noun].is_noun and tokens[noun].text.islower() and not after.is_noun
        relative = noun > at + 1
        told = after.tag in _KNOWN_BY and (after.tag == "TO0" or after.text.lower() not in _LOOSE)
        if alone and not told and (relative or not lexicon.is_habitual(tokens[noun].text)):
            return f"the {tokens[noun].text}"
    return ""


_LOOSE = frozenset(
    {"after", "before", "by", "at", "with", "to", "until", "during", "per", "without"}
)


_SUBJECT = re.compile(
    r"\b[Tt]he ([a-z]+) (?:is|are|was|were|can|cannot|may|must|will|should|has|have|does|do) "
)


def bare_subject(statement: str, lexicon: Lexicon) -> str:
    """Likewise, where a statement's verb shows that the noun ends there: "the sample is set"."""
    found = _SUBJECT.search(statement)
    return found.group().strip() if found and not lexicon.is_habitual(found[1]) else ""
