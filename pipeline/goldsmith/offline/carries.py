"""Does a passage alone carry a fact? By words, numbers and negation; no meaning is read."""

from __future__ import annotations

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


def judge_carries(variables: CarriesVariables, _library: Library) -> CarriesReply:
    """`answers` when one sentence, or two in a row, hold the fact and nearly all of the quote.

    Every number of fact and quote must be there, every word of the fact, and the same negation.
    Headings count for the subject, not for the fact.
    """
    source, fact, quote = variables.source, variables.fact, variables.quote
    above = _words(f"{source.title}\n{source.section}")
    wanted, stated, needed = _words(quote), _words(fact), numbers(fact) | numbers(quote)
    best, where = 0.0, ""
    for window in _windows(source.text):
        held = _words(window)
        share = len(wanted & (held | above)) / len(wanted) if wanted else 0.0
        agrees = needed <= numbers(window) and is_negated(quote) == is_negated(window)
        if share > best and stated <= held and agrees:
            best, where = share, window
    if best >= _CARRIES_FROM:
        rationale = f"{best:.0%} of the quote's words in {where[:200]!r}"
        return CarriesReply(rationale=rationale, verdict=Answering.ANSWERS)
    verdict = Answering.PARTLY if best >= _HALF else Answering.NO
    rationale = f"no place holds the fact and more than {best:.0%} of the quote's words"
    return CarriesReply(rationale=rationale, verdict=verdict)


@lru_cache(maxsize=50_000)
def _words(text: str) -> frozenset[str]:
    return frozenset(content_words(text))


@lru_cache(maxsize=10_000)
def _windows(text: str) -> tuple[str, ...]:
    found = [one.text for one in sentences(text)]
    return (*found, *(f"{first} {second}" for first, second in pairwise(found)))
