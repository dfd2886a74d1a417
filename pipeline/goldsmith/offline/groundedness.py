"""Do the sources state the answer, where they speak of what was asked?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from goldsmith.corpus.agreement import content_coverage, disagreements
from goldsmith.llm.tasks import GroundednessVariables, RatingReply
from goldsmith.offline.asked import asked_words, parts_of, stems
from goldsmith.offline.passages import statements

if TYPE_CHECKING:
    from collections.abc import Sequence

    from goldsmith.offline.library import Library
    from goldsmith.offline.passages import Statement

_STATED = 0.8
_LEVELS = ((0.8, 5), (0.65, 4), (0.45, 3), (0.0, 2))


def rate_groundedness(variables: GroundednessVariables, _: Library) -> RatingReply:
    """1: the sources lack a number, unit or name of the answer; 2: its words stand elsewhere.

    3 to 5: by how much of the question stands beside the answer, in its sentence and headings.
    """
    question, answer = variables.question, variables.answer
    whole = "\n".join(f"{s.title}\n{s.section}\n{s.text}" for s in variables.sources)
    told = [one for source in variables.sources for one in statements(source)]
    if (wrong := disagreements(answer, f"{whole}\n{question}")) or not told:
        said = ", ".join(f"{item.aspect.value} {item.said!r}" for item in wrong) or "anything"
        return RatingReply(rationale=f"the sources do not state {said}", rating=1)
    parts = parts_of(question)
    places = [_place(part, answer, told) for part in parts]
    stated = content_coverage(answer, "\n".join(place.text for place in places))
    covered = min(p.share(asked_words(part)) for part, p in zip(parts, places, strict=True))
    rationale = f"where the question is spoken of stand {stated:.0%} of the answer's words and "
    rating = 2 if stated < _STATED else next(r for least, r in _LEVELS if covered >= least)
    return RatingReply(rationale=f"{rationale}{covered:.0%} of its own", rating=rating)


def _place(part: str, answer: str, told: Sequence[Statement]) -> Statement:
    """The statement that shares most with the part asked and with the answer."""
    asked, given = asked_words(part), stems(answer)
    return max(told, key=lambda one: one.share(asked) + one.share(given))
