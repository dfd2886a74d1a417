"""A judge for tests whose word follows from what passages say: each passage states facts.

A passage text is a list of facts, `a b c`; a claim text is the facts that it needs, `a b`. All
there: supports; some: partially; none: does not; a passage with `!a` contradicts a claim of `a`.
Such a judge is sound: more passages never support less.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from goldsmith.llm.scripted import Answer, Failure, ScriptedModel
from goldsmith.scoring.judge import Judge
from goldsmith.scoring.judge_tasks import (
    Interpretability,
    InterpretableReply,
    InterpretableVariables,
    SupportReply,
    SupportVariables,
)
from goldsmith.scoring.judged import AnswerOnTrial, Passage
from goldsmith.scoring.records import AnswerOutcome, Claim, ClaimedAnswer, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

UNINTERPRETABLE = "?"
"""A claim that begins with this cannot be understood."""
UNREADABLE = "#"
"""A claim that begins with this gets no readable support verdict."""


def facts_model() -> ScriptedModel:
    return ScriptedModel({"judge/interpretable": _interpretable, "judge/support": _support})


def facts_judge() -> Judge:
    return Judge(facts_model())


def table_judge(verdict: Callable[[SupportVariables], Verdict | None]) -> Judge:
    """A judge that understands everything and says what `verdict` says; None: no readable word."""

    def support(asked: SupportVariables) -> Answer:
        said = verdict(asked)
        if said is None or said is Verdict.UNTESTED:
            return Failure("unparseable", raw="Well ...")
        return SupportReply(rationale="scripted", verdict=said)

    return Judge(ScriptedModel({"judge/interpretable": _interpretable, "judge/support": support}))


def _interpretable(asked: InterpretableVariables) -> Answer:
    dangling = asked.claim.startswith(UNINTERPRETABLE)
    return InterpretableReply(
        rationale="scripted",
        verdict=Interpretability.NOT_INTERPRETABLE if dangling else Interpretability.INTERPRETABLE,
    )


def _support(asked: SupportVariables) -> Answer:
    if asked.claim.startswith(UNREADABLE):
        return Failure("unparseable", raw="Well ...")
    needed = set(asked.claim.split())
    stated = {fact for passage in asked.passages for fact in passage.text.split()}
    if needed <= stated:
        return SupportReply(rationale="all stated", verdict=Verdict.SUPPORTS)
    if any(f"!{fact}" in stated for fact in needed):
        return SupportReply(rationale="denied", verdict=Verdict.CONTRADICTS)
    if needed & stated:
        return SupportReply(rationale="some stated", verdict=Verdict.PARTIALLY_SUPPORTS)
    return SupportReply(rationale="nothing stated", verdict=Verdict.DOES_NOT_SUPPORT)


def trial(
    claims: Sequence[tuple[str, Sequence[str]]],
    supplied: Mapping[str, str],
    *,
    query_id: str = "q",
    question: str = "what?",
) -> AnswerOnTrial:
    """An answer of (claim, cited ids) pairs over passages by id."""
    return AnswerOnTrial(
        question=question,
        claimed=ClaimedAnswer(
            query_id=query_id,
            outcome=AnswerOutcome.CLAIMS,
            claims=tuple(Claim(text, tuple(ids)) for text, ids in claims),
        ),
        supplied=tuple(Passage(chunk_id, text) for chunk_id, text in supplied.items()),
    )
