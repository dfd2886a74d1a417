"""A question that takes for granted what its passage contradicts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from goldsmith.corpus.agreement import numbers
from goldsmith.ids import uniform_hash
from goldsmith.llm.tasks import FalsePremiseReply, ProbeVariables
from goldsmith.offline.grammar import before_aside, clause_of
from goldsmith.offline.reference import unresolved
from goldsmith.offline.reply import Declined

if TYPE_CHECKING:
    from goldsmith.offline.facts import Fact
    from goldsmith.offline.library import Library

_WORDS = (
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
)
_DIGITS = re.compile(
    rf"\b(?:{'|'.join(_WORDS)})\b|(?<![\w.,-])\d[\d,]*(?:\.\d+)?(?![\w.,-]*\d)", re.IGNORECASE
)
_FORMS = ("Why", "Why", "Since when", "Under what circumstances")
_LABELS = frozenset({"value", "identified", "first_step"})
"""Patterns whose numbers name something (a version, a port): twice as much makes no sense."""
_SEPARATED_FROM = 10_000
_FACTORS = (2, 3, 1.5, 0.5, 4)


def write_false_premise(
    variables: ProbeVariables, library: Library
) -> FalsePremiseReply | Declined:
    """Change the amount that the passage states, and ask on as if it were so."""
    if variables.language != "en":
        return Declined(
            "unsupported_language", f"rules for English only, not {variables.language!r}"
        )
    source = variables.source
    fact = library.fact_for(variables.twin_question, source)
    counts = fact is not None and fact.pattern not in _LABELS and not fact.answer.isdigit()
    found = _DIGITS.search(fact.answer) if fact and counts else None
    if fact is None or found is None:
        return Declined("no_premise", "the twin's answer holds no amount to change")
    draw = uniform_hash(2, variables.twin_question)
    wrong = _changed(found.group(), draw, numbers(source.text))
    if not wrong:
        return Declined("no_premise", f"no amount beside {found.group()} that the passage lacks")
    premise = _premise(fact, found.group(), wrong)
    question = _asked(premise, draw, library)
    if not question or unresolved(question, library.lexicon):
        return Declined("no_question", f"no question takes {premise!r} for granted")
    return FalsePremiseReply(
        reasoning=f"the passage says {found.group()}, not {wrong}",
        premise=premise,
        quote=fact.quote,
        correction=fact.statement,
        question=question,
    )


def _changed(number: str, draw: int, taken: frozenset[str]) -> str:
    """Another amount of the same make: neither stated nor implausible."""
    if number.lower() in _WORDS:
        return _WORDS[(_WORDS.index(number.lower()) + 1 + draw % 3) % len(_WORDS)]
    value = float(number.replace(",", ""))
    decimals = len(number.partition(".")[2])
    for turn in range(len(_FACTORS)):
        changed = value * _FACTORS[(draw + turn) % len(_FACTORS)]
        separated = "," in number or changed >= _SEPARATED_FROM
        written = f"{changed:,.{decimals}f}" if separated else f"{changed:.{decimals}f}"
        exact = float(written.replace(",", "")) == changed
        if exact and changed > (0 if decimals else 1) and written.replace(",", "") not in taken:
            return written
    return ""


def _premise(fact: Fact, right: str, wrong: str) -> str:
    """The clause that states the amount, with the wrong one."""
    stated = before_aside(fact.statement.rstrip("."))
    return re.sub(rf"(?<![\w.,]){re.escape(right)}(?![\w]|[.,]\d)", wrong, stated, count=1)


def _asked(premise: str, draw: int, library: Library) -> str:
    """A question that makes sense only if the premise holds."""
    clause = clause_of(premise)
    if clause is None or clause.has_inner_clause() or clause.coordinates_verbs():
        return ""
    parts = (clause.core(library.lexicon), clause.words(clause.rest), clause.lead)
    return f"{_FORMS[draw // 11 % len(_FORMS)]} {' '.join(part for part in parts if part)}?"
