"""Write a question that one passage answers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from goldsmith.ids import uniform_hash
from goldsmith.llm.tasks import FactoidReply, FactoidVariables
from goldsmith.offline.reply import Declined
from goldsmith.offline.standalone import stands_alone

if TYPE_CHECKING:
    from goldsmith.offline.facts import Fact
    from goldsmith.offline.library import Library

_PATTERNS = (
    frozenset(
        {"quantity", "identified", "value", "reason", "definition", "instruction", "meaning"}
    ),
    frozenset({"person", "occasion", "condition", "place", "table"}),
    frozenset({"object", "first_step", "function"}),
)
"""From the patterns that read best to those that do least."""
_SEED = 0


def write_factoid(variables: FactoidVariables, library: Library) -> FactoidReply | Declined:
    """The passage's best fact, drawn by hash among those of the best pattern.

    A fact that the corpus answers in two ways, or whose question leans on its passage, is passed
    over while there is another.
    """
    if variables.language != "en":
        return Declined(
            "unsupported_language", f"rules for English only, not {variables.language!r}"
        )
    found = (f for f in library.facts_of(variables.source) if not _is_second_best(f, library))
    facts = sorted(found, key=_preference)
    if not facts:
        return Declined("no_fact", "no statement of the passage fits a pattern")
    fact = next((f for f in facts if stands_alone(f.question, library)), facts[0])
    return FactoidReply(
        reasoning=f"pattern {fact.pattern}; statement: {fact.statement}",
        quotes=(fact.quote,),
        answer=fact.answer,
        question=fact.question,
    )


def _is_second_best(fact: Fact, library: Library) -> bool:
    """What a thing does is not asked where the corpus says what it is."""
    named = _FUNCTION.fullmatch(fact.question) if fact.pattern == "function" else None
    return named is not None and bool(library.answers_to(f"What is {named[1]}?"))


_FUNCTION = re.compile(r"What do(?:es)? (.+) do\?")


def _preference(fact: Fact) -> tuple[int, int]:
    rank = next(i for i, patterns in enumerate(_PATTERNS) if fact.pattern in patterns)
    return rank, uniform_hash(_SEED, fact.question)
