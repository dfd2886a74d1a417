"""Do the sources state the answer, where they speak of what was asked?"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from goldsmith.corpus.agreement import content_coverage, disagreements, is_negated
from goldsmith.llm.tasks import GroundednessVariables, RatingReply
from goldsmith.offline.asked import asked_words, parts_of, stems
from goldsmith.offline.passages import read_passage, texts

if TYPE_CHECKING:
    from goldsmith.llm.tasks import Source
    from goldsmith.offline.library import Library

_JOINTS = re.compile(r"[,;] | and | but ")
_STATED = 0.8
_LEVELS = ((0.8, 5), (0.65, 4), (0.45, 3))


def rate_groundedness(variables: GroundednessVariables, _: Library) -> RatingReply:
    """1: contradicted or not stated; 2: negated otherwise; 3 to 5: by how much of the question
    stands beside the answer, in its sentence and its headings.
    """
    whole = "\n".join(f"{s.title}\n{s.section}\n{s.text}" for s in variables.sources)
    wrong = disagreements(variables.answer, f"{whole}\n{variables.question}")
    if wrong:
        said = ", ".join(f"{item.aspect.value} {item.said!r}" for item in wrong)
        return RatingReply(rationale=f"the sources do not state {said}", rating=1)
    places = [_place(part, variables) for part in parts_of(variables.question)]
    stated = content_coverage(variables.answer, "\n".join(text for text, _ in places))
    if stated < _STATED:
        rationale = f"{stated:.0%} of the answer's words stand where the question is spoken of"
        return RatingReply(rationale=rationale, rating=2 if stated else 1)
    asked = f"{variables.question} {variables.answer}"
    negated = [part for text, _ in places if is_negated(part := _stating(text, asked))]
    if negated and not is_negated(asked):
        return RatingReply(rationale=f"negated in the source: {negated[0]!r}", rating=2)
    covered = min(share for _, share in places)
    rating = next((rating for least, rating in _LEVELS if covered >= least), 2)
    rationale = (
        f"answer stated; {covered:.0%} of the question's words stand in its sentence or headings"
    )
    return RatingReply(rationale=rationale, rating=rating)


def _place(part: str, variables: GroundednessVariables) -> tuple[str, float]:
    """The statement that shares most with the part asked and with the answer, and the share of the
    question's words that it and its headings hold.
    """
    asked, answer = asked_words(part), stems(variables.answer)
    best = ("", -1.0, 0.0)
    for source in variables.sources:
        for text in _statements(source):
            said = stems(text)
            covered = len(asked & (said | stems(f"{source.title} {source.section}"))) / max(
                len(asked), 1
            )
            rank = covered + len(answer & said) / max(len(answer), 1)
            if rank > best[1]:
                best = (text, rank, covered)
    return best[0], best[2]


def _stating(text: str, asked: str) -> str:
    """The part of a statement, between commas and conjunctions, that shares most with `asked`."""
    wanted = stems(asked)
    return max(_JOINTS.split(text), key=lambda part: len(wanted & stems(part)))


def _statements(source: Source) -> tuple[str, ...]:
    return tuple(texts(read_passage(source.text)))
