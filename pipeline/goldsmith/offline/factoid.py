"""Write a question that one passage answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from goldsmith.ids import uniform_hash
from goldsmith.llm.tasks import FactoidReply, FactoidVariables
from goldsmith.offline.library import Declined
from goldsmith.offline.standalone import stands_alone

if TYPE_CHECKING:
    from goldsmith.offline.library import Library

_SEED = 0


def write_factoid(variables: FactoidVariables, library: Library) -> FactoidReply | Declined:
    """One fact of the passage, drawn by hash; none that the corpus answers in two ways."""
    facts = sorted(
        library.facts_of(variables.source), key=lambda fact: uniform_hash(_SEED, fact.question)
    )
    fact = next((fact for fact in facts if stands_alone(fact.question, library)), None)
    if fact is None:
        return Declined("no_fact", "no statement of the passage fits a pattern and stands alone")
    return FactoidReply(
        reasoning=f"pattern {fact.pattern}; statement: {fact.statement}",
        quotes=(fact.quote,),
        answer=fact.answer,
        question=fact.question,
    )
