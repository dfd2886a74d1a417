"""A question that takes for granted what its passage contradicts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from goldsmith.corpus.agreement import numbers
from goldsmith.ids import uniform_hash
from goldsmith.llm.tasks import FalsePremiseReply, ProbeVariables
from goldsmith.offline.asked import unresolved
from goldsmith.offline.clauses import clause_of, main_clause
from goldsmith.offline.library import Declined

if TYPE_CHECKING:
    from goldsmith.offline.library import Library

_NUMBER = re.compile(r"(?<![\w.,-])\d[\d,]*(?:\.\d+)?\b")
_FACTORS = (2, 3, 1.5, 0.5, 4)


def write_false_premise(
    variables: ProbeVariables, library: Library
) -> FalsePremiseReply | Declined:
    """Change the amount that the passage states, and ask why it is so."""
    source, twin = variables.source, variables.twin_question
    fact = library.fact_for(twin, source)
    found = _NUMBER.search(fact.answer) if fact and fact.pattern == "amount" else None
    if fact is None or found is None:
        return Declined("no_premise", "the twin's answer holds no amount to change")
    wrong = _changed(found.group(), uniform_hash(2, twin), numbers(source.text))
    premise = main_clause(fact.statement).replace(found.group(), wrong, 1)
    clause = clause_of(premise) if wrong else None
    if clause is None:
        return Declined("no_premise", f"no amount beside {found.group()} that the passage lacks")
    question = f"Why {clause.core(library.lexicon.inner(clause.subject))} {clause.rest}?"
    if pointer := unresolved(question, library.lexicon):
        return Declined("no_question", f"{pointer!r} points outside {question!r}")
    return FalsePremiseReply(
        reasoning=f"the passage says {found.group()}, not {wrong}",
        premise=premise,
        quote=fact.quote,
        correction=fact.statement,
        question=question,
    )


def _changed(number: str, draw: int, taken: frozenset[str]) -> str:
    """Another amount of the same make, neither stated nor implausible; empty without one."""
    decimals = len(number.partition(".")[2])
    for turn in range(len(_FACTORS)):
        changed = float(number.replace(",", "")) * _FACTORS[(draw + turn) % len(_FACTORS)]
        written = f"{changed:,.{decimals}f}" if "," in number else f"{changed:.{decimals}f}"
        plain = written.replace(",", "")
        if float(plain) == changed > 1 and plain not in taken:
            return written
    return ""
