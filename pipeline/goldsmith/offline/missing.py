"""A natural question whose answer the corpus does not hold.

The twin's question is asked of another thing: the one that the corpus speaks of in the most similar
words and of which no passage says what is asked.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from goldsmith.llm.tasks import AbsenceVariables, MissingReply, ProbeVariables
from goldsmith.offline.absence import judge_absence
from goldsmith.offline.reference import unresolved
from goldsmith.offline.reply import Declined
from goldsmith.records import Answering

if TYPE_CHECKING:
    from collections.abc import Iterator

    from goldsmith.offline.library import Library

_DEPTH = 10
_TRIED = 8


def write_missing(variables: ProbeVariables, library: Library) -> MissingReply | Declined:
    """Swap the thing asked about, until the corpus has no answer."""
    if variables.language != "en":
        return Declined(
            "unsupported_language", f"rules for English only, not {variables.language!r}"
        )
    tried = 0
    for name, other in _swaps(variables.twin_question, library):
        question = _swapped(variables.twin_question, name, other)
        if unresolved(question, library.lexicon) or (tried := tried + 1) > _TRIED:
            continue
        if is_absent(question, library):
            reasoning = f"the corpus says this of {name!r}, and nothing of the sort of {other!r}"
            return MissingReply(reasoning=reasoning, question=question)
    return Declined("no_absent_question", "no thing to ask about of which the corpus says nothing")


def _swaps(question: str, library: Library) -> Iterator[tuple[str, str]]:
    """The first name in the question, with things that could stand in its place."""
    for name in library.lexicon.things_in(question):
        for other in library.lexicon.similar_to(name):
            if other.casefold() not in question.casefold():
                yield name, other


def _swapped(question: str, name: str, other: str) -> str:
    article = "an" if other[0].lower() in "aeiou" else "a"
    question = re.sub(
        rf"\b(A|a)n? {re.escape(name)}\b", lambda m: f"{m[1]}{article[1:]} {other}", question
    )
    return re.sub(rf"\b{re.escape(name)}\b", other, question)


def is_absent(question: str, library: Library) -> bool:
    """Whether none of the nearest passages answers, or half-answers, the question."""
    return all(
        judge_absence(AbsenceVariables(question=question, source=source), library).verdict
        is Answering.NO
        for source in library.nearest(question, _DEPTH)
    )
