"""Does a passage alone carry a fact? By words, numbers and negation; no meaning is read."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from goldsmith.corpus.agreement import is_negated, numbers
from goldsmith.corpus.sentences import sentences
from goldsmith.corpus.words import content_words
from goldsmith.llm.tasks import CarriesReply, CarriesVariables
from goldsmith.records import Answering

if TYPE_CHECKING:
    from goldsmith.offline.library import Library

_CARRIES_FROM, _HALF = 0.85, 0.5
_IDENTIFIER = re.compile(r"\b\w*_\w+")


def judge_carries(variables: CarriesVariables, _library: Library) -> CarriesReply:
    """`answers` when one sentence, or two in a row, hold the fact and nearly all of the quote.

    Every number and identifier must be there, every word of the fact, and the same negation.
    Headings count for the subject; a version that the question names may stand anywhere.
    """
    source, quote, stated = variables.source, variables.quote, _words(variables.fact)
    headings, claim = f"{source.title}\n{source.section}\n", f"{variables.fact}\n{quote}"
    if other := numbers(variables.question) - numbers(headings + source.text):
        rationale = f"the passage does not speak of {min(other)!r}"
        return CarriesReply(rationale=rationale, verdict=Answering.NO)
    best, where = 0.0, ""
    for window in _windows(source.text):
        held, wanted = _words(window), _words(quote)
        share = len(wanted & (held | _words(headings))) / max(len(wanted), 1)
        agrees = numbers(claim) <= numbers(window) and is_negated(quote) == is_negated(window)
        named = all(name in window for name in _IDENTIFIER.findall(claim))
        if share > best and stated <= held and agrees and named:
            best, where = share, window
    if best >= _CARRIES_FROM:
        rationale = f"{best:.0%} of the quote's words in {where[:200]!r}"
        return CarriesReply(rationale=rationale, verdict=Answering.ANSWERS)
    verdict = Answering.PARTLY if best >= _HALF else Answering.NO
    rationale = f"no place holds the fact and more than {best:.0%} of the quote's words"
    return CarriesReply(rationale=rationale, verdict=verdict)


@lru_cache(maxsize=50_000)
def _words(text: str) -> frozenset[str]:
    # `numbers` compares those, and knows that 10,000 is 10000.
    return frozenset(word for word in content_words(text) if not word[0].isdigit())


@lru_cache(maxsize=10_000)
def _windows(text: str) -> tuple[str, ...]:
    found = [one.text for one in sentences(text)]
    return (*found, *(f"{first} {second}" for first, second in pairwise(found)))
