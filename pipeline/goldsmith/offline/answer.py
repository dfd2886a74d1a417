"""Answer a question from the sources given, and from nothing else."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from goldsmith.corpus.agreement import numbers
from goldsmith.llm.tasks import AnswerReply, AnswerVariables
from goldsmith.offline.asked import asked_words, parts_of, stems
from goldsmith.offline.passages import statements

if TYPE_CHECKING:
    from collections.abc import Sequence

    from goldsmith.llm.tasks import Source
    from goldsmith.offline.library import Library

_COVERED, _TELLING = 0.8, 3
_AMOUNT = re.compile(r"\bhow (?:many|much|long|often)|percentage|\bwhen\b", re.IGNORECASE)


def answer_from(variables: AnswerVariables, library: Library) -> AnswerReply:
    """Every part that the question joins by "and" must be answered; without sources none is."""
    answers = [_answer(p, variables.sources, library) for p in parts_of(variables.question)]
    stated = len(list(filter(None, answers)))
    return AnswerReply(
        reasoning=f"{stated} of {len(answers)} parts stated",
        answerable=all(answers),
        answer="; ".join(answers) if all(answers) else "",
    )


def _answer(part: str, sources: Sequence[Source], library: Library) -> str:
    """That of a fact with this very question, or else a statement with nearly all its words."""
    for source in sources:
        if fact := library.fact_for(part, source):
            return fact.answer
    asked = asked_words(part)
    for statement in (one for source in sources for one in statements(source)):
        own = stems(statement.text)
        measured = not _AMOUNT.search(part) or numbers(statement.text) - numbers(part)
        if (
            len(asked) >= _TELLING
            and statement.share(asked) >= _COVERED
            and asked & own
            and own - asked
            and measured
        ):
            return statement.text
    return ""
