"""Write one question that needs every passage of a linked set."""

from __future__ import annotations

from itertools import pairwise, product
from typing import TYPE_CHECKING

from goldsmith.corpus.words import content_words
from goldsmith.ids import uniform_hash
from goldsmith.llm.tasks import (
    AnswerVariables,
    MultiSourceReply,
    MultiSourceVariables,
    StatementReply,
)
from goldsmith.offline.answer import answer_from
from goldsmith.offline.asked import stems
from goldsmith.offline.reply import Declined
from goldsmith.offline.standalone import stands_alone

if TYPE_CHECKING:
    from collections.abc import Sequence

    from goldsmith.llm.tasks import Source
    from goldsmith.offline.facts import Fact
    from goldsmith.offline.library import Library

_MAX_WORDS = 40
_DISTINCT = 0.5
"""Jaccard of content words from which two questions ask nearly the same."""
_TRIED = 6
"""Facts of each passage that are combined with those of the others."""
_PLAIN = frozenset({"quantity", "identified", "value", "table", "person", "definition", "place"})


def write_multi_source(
    variables: MultiSourceVariables, library: Library
) -> MultiSourceReply | Declined:
    """Join one fact about the linking term from each passage; none may stand in another."""
    if variables.language != "en":
        return Declined(
            "unsupported_language", f"rules for English only, not {variables.language!r}"
        )
    term = frozenset(content_words(variables.term))
    choices = [_about(term, source, library) for source in variables.sources]
    if not all(choices):
        without = next(
            s.label for s, facts in zip(variables.sources, choices, strict=True) if not facts
        )
        return Declined("no_fact", f"passage {without} has no fact about {variables.term!r}")
    ranked = sorted(product(*choices), key=_awkwardness)
    for facts in ranked:
        if _needs_all(facts, variables.sources, library):
            return _joined(facts, variables)
    return Declined(
        "no_joint_question", "every combination of facts is long or told by one passage"
    )


def _about(term: frozenset[str], source: Source, library: Library) -> list[Fact]:
    """Facts whose question names the term; clear ones first."""
    found = [
        fact
        for fact in library.facts_of(source)
        if term <= stems(fact.question) and stands_alone(fact.question, library)
    ]
    return sorted(found, key=lambda fact: fact.pattern not in _PLAIN)[:_TRIED]


def _awkwardness(facts: Sequence[Fact]) -> tuple[int, int]:
    roundabout = sum(fact.pattern not in _PLAIN for fact in facts)
    return roundabout, uniform_hash(0, *(fact.question for fact in facts))


def _needs_all(facts: Sequence[Fact], sources: Sequence[Source], library: Library) -> bool:
    asked = [stems(fact.question) for fact in facts]
    distinct = all(len(a & b) < _DISTINCT * len(a | b) for a, b in pairwise(asked))
    if not distinct or sum(len(fact.question.split()) for fact in facts) >= _MAX_WORDS:
        return False
    for fact, own in zip(facts, sources, strict=True):
        others = tuple(source for source in sources if source is not own)
        if answer_from(AnswerVariables(question=fact.question, sources=others), library).answerable:
            return False
    return True


def _joined(facts: Sequence[Fact], variables: MultiSourceVariables) -> MultiSourceReply:
    first, *others = (fact.question.removesuffix("?") for fact in facts)
    tail = "".join(f", and {other[0].lower()}{other[1:]}" for other in others)
    return MultiSourceReply(
        reasoning=f"one fact about {variables.term!r} from each passage, told by no other",
        statements=tuple(
            StatementReply(source=source.label, quote=fact.quote, text=fact.statement)
            for fact, source in zip(facts, variables.sources, strict=True)
        ),
        answer="; ".join(fact.answer for fact in facts),
        question=f"{first}{tail}?",
    )
