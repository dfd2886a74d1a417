"""A natural question whose answer the corpus does not hold.

The twin's question is asked of another thing, one that the corpus speaks of nearby and of which no
passage says what is asked.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from goldsmith.llm.tasks import AbsenceVariables, MissingReply, ProbeVariables
from goldsmith.offline.absence import judge_absence
from goldsmith.offline.asked import asked_words, stems
from goldsmith.offline.library import Declined
from goldsmith.offline.passages import statements
from goldsmith.records import Answering

if TYPE_CHECKING:
    from collections.abc import Iterator

    from goldsmith.offline.library import Library

_DEPTH, _NEAR, _TRIED = 10, 100, 30


def write_missing(variables: ProbeVariables, library: Library) -> MissingReply | Declined:
    """Swap the thing asked about, until the corpus has no answer."""
    for name, other in islice(_swaps(variables.twin_question, library), _TRIED):
        question = re.sub(rf"\b{name}\b", other, variables.twin_question)
        if is_absent(question, library):
            reasoning = f"the corpus says this of {name!r}, and nothing of the sort of {other!r}"
            return MissingReply(reasoning=reasoning, question=question)
    return Declined("no_absent_question", "no thing to ask about of which the corpus says nothing")


def _swaps(question: str, library: Library) -> Iterator[tuple[str, str]]:
    """A thing that the question names, with others of its make that are spoken of in its words."""
    near = library.nearest(question, _NEAR)
    told = [one.text for source in near for one in statements(source)]

    def make(name: str) -> tuple[bool, bool, bool]:
        """Plural; which article it would take; whether it takes "the"."""
        return name.endswith("s"), name[0] in "AEIOU", any(f"he {name}" in text for text in told)

    for name in library.lexicon.things_in(question):
        asked = asked_words(question) - stems(name)
        beside = (text for text in told if not asked.isdisjoint(stems(text)))
        others = (other for text in beside for other in library.lexicon.things_in(text))
        for other in dict.fromkeys(others):
            if make(other) == make(name) and other not in question:
                yield name, other


def is_absent(question: str, library: Library) -> bool:
    """Whether none of the nearest passages answers, or half-answers, the question."""
    return all(
        judge_absence(AbsenceVariables(question=question, source=source), library).verdict
        is Answering.NO
        for source in library.nearest(question, _DEPTH)
    )
