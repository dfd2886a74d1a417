"""Answer a question from the sources given, and from nothing else."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from goldsmith.corpus.agreement import numbers
from goldsmith.llm.tasks import AnswerReply, AnswerVariables
from goldsmith.offline.asked import asked_words, parts_of, stems
from goldsmith.offline.passages import read_passage, texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from goldsmith.llm.tasks import Source
    from goldsmith.offline.library import Library

_COVERED = 0.8
_AMOUNT = re.compile(r"\bhow (?:many|much|long|often)|percentage|\bwhen\b", re.IGNORECASE)


def answer_from(variables: AnswerVariables, library: Library) -> AnswerReply:
    """Every part that the question joins by "and" must be answered; without sources none is."""
    answers: list[str] = []
    for part in parts_of(variables.question):
        answer = _answer(part, variables.sources, library)
        if not answer:
            return AnswerReply(
                reasoning=f"no source states an answer to {part!r}", answerable=False, answer=""
            )
        answers.append(answer)
    return AnswerReply(
        reasoning=f"{len(answers)} of {len(answers)} parts stated",
        answerable=True,
        answer="; ".join(answers),
    )


def _answer(part: str, sources: Sequence[Source], library: Library) -> str:
    for source in sources:
        if fact := library.fact_for(part, source):
            return fact.answer
    return next((said for source in sources if (said := _statement(part, source))), "")


def _statement(part: str, source: Source) -> str:
    """A statement that holds nearly all words of the question, its headings counted in."""
    asked = asked_words(part)
    headings = stems(f"{source.title} {source.section}")
    for text in texts(read_passage(source.text)):
        new = stems(text) - asked
        covered = len(asked & (stems(text) | headings)) >= _COVERED * len(asked)
        measured = not _AMOUNT.search(part) or numbers(text) - numbers(part)
        if asked and covered and new and measured and asked & stems(text):
            return text
    return ""
