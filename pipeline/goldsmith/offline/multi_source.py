"""Write one question that needs every passage of a linked set."""

from __future__ import annotations

from itertools import pairwise, product
from typing import TYPE_CHECKING

from goldsmith.ids import uniform_hash
from goldsmith.llm.tasks import (
    AnswerVariables,
    MultiSourceReply,
    MultiSourceVariables,
    StatementReply,
)
from goldsmith.offline.answer import answer_from
from goldsmith.offline.asked import stems
from goldsmith.offline.library import Declined
from goldsmith.offline.standalone import stands_alone

if TYPE_CHECKING:
    from collections.abc import Sequence

    from goldsmith.llm.tasks import Source
    from goldsmith.offline.library import Fact, Library

_MAX_WORDS, _DISTINCT = 40, 0.6
"""Of a joint question; Jaccard of content words from which two questions ask nearly the same."""


def write_multi_source(
    variables: MultiSourceVariables, library: Library
) -> MultiSourceReply | Declined:
    """Join one fact about the linking term from each passage; none may stand in another."""
    term, sources = stems(variables.term), variables.sources
    choices = [_about(term, source, library) for source in sources]
    if not all(choices):
        return Declined("no_fact", f"a passage has no fact about {variables.term!r}")
    joint = [facts for facts in product(*choices) if _needs_all(facts, term, sources, library)]
    if not joint:
        return Declined("no_joint_question", "every joint question is long or told by one passage")
    facts = min(joint, key=lambda facts: uniform_hash(0, *(fact.question for fact in facts)))
    first, *others = (fact.question.removesuffix("?") for fact in facts)
    return MultiSourceReply(
        reasoning=f"one fact about {variables.term!r} from each passage, told by no other",
        statements=tuple(
            StatementReply(source=source.label, quote=fact.quote, text=fact.statement)
            for fact, source in zip(facts, sources, strict=True)
        ),
        answer="; ".join(fact.answer for fact in facts),
        question=first + "".join(f", and {other[0].lower()}{other[1:]}" for other in others) + "?",
    )


def _about(term: frozenset[str], source: Source, library: Library) -> list[Fact]:
    """Facts whose question or answer names the term."""
    facts = library.facts_of(source)
    told = [fact for fact in facts if term <= stems(f"{fact.question} {fact.answer}")]
    return [fact for fact in told if stands_alone(fact.question, library)]


def _needs_all(
    facts: Sequence[Fact], term: frozenset[str], sources: Sequence[Source], library: Library
) -> bool:
    """Whether the questions differ, one names the term, and no passage answers two."""
    asked = [stems(fact.question) for fact in facts]
    if sum(len(fact.question.split()) for fact in facts) >= _MAX_WORDS or not any(
        term <= words for words in asked
    ):
        return False
    if any(len(a & b) >= _DISTINCT * len(a | b) for a, b in pairwise(asked)):
        return False
    asides = [tuple(other for other in sources if other is not source) for source in sources]
    return not any(
        answer_from(AnswerVariables(question=fact.question, sources=aside), library).answerable
        for fact, aside in zip(facts, asides, strict=True)
    )
