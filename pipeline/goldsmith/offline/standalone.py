"""Can the question be understood on its own, and does it mean one thing in this corpus?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from goldsmith.llm.tasks import RatingReply, StandaloneVariables
from goldsmith.offline.asked import parts_of, stems, unresolved
from goldsmith.offline.lexicon import NAME

if TYPE_CHECKING:
    from goldsmith.offline.library import Library

_THIN = 3


def rate_standalone(variables: StandaloneVariables, library: Library) -> RatingReply:
    """1: points outside itself; 2: nothing to hold on to; 3: answered in two ways; 4, 5: stands."""
    question = variables.question
    if pointer := unresolved(question, library.lexicon):
        return RatingReply(rationale=f"{pointer!r} is resolved only by the passage", rating=1)
    content, names = len(stems(question)), NAME.findall(question)
    if content == 0:
        return RatingReply(rationale="no word of content", rating=2)
    for part in parts_of(question):
        answers = library.answers_to(part)
        if len(answers) > 1:
            listed = " / ".join(map(repr, answers))
            return RatingReply(rationale=f"the corpus answers {part!r} in ways: {listed}", rating=3)
    rationale = f"no pointer outside; holds on to {', '.join(names) or f'{content} words'}"
    return RatingReply(rationale=rationale, rating=5 if names or content >= _THIN else 4)


def stands_alone(question: str, library: Library) -> bool:
    """What the writers ask before they offer a question."""
    return rate_standalone(StandaloneVariables(question=question), library).rating > _THIN
