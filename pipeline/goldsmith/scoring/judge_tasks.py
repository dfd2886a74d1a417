"""What a judge can be asked: one task a question, rationale before verdict, closed verdicts.

Prompts stand in `prompts/judge/`. A passage is shown under a short label (`A`, `B`, …), so that a
verdict can never rest on an id that gives itself away.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import Field

from goldsmith.llm.task import Task
from goldsmith.records import Record
from goldsmith.scoring.records import Verdict

Words = Annotated[str, Field(min_length=1)]

SupportVerdict = Literal[
    Verdict.SUPPORTS, Verdict.PARTIALLY_SUPPORTS, Verdict.DOES_NOT_SUPPORT, Verdict.CONTRADICTS
]
"""What the support question may be answered with; `untested` is ours alone to say."""


class Interpretability(StrEnum):
    """Can a claim be understood from the question alone?"""

    INTERPRETABLE = "interpretable"
    NOT_INTERPRETABLE = "not_interpretable"


class Stated(StrEnum):
    """What an answer does with a statement of the gold answer."""

    STATES = "states"
    CONTRADICTS = "contradicts"
    LEAVES_OUT = "leaves_out"


class Response(StrEnum):
    """What a system did with a question."""

    ABSTAINS = "abstains"
    ANSWERS = "answers"


class YesNo(StrEnum):
    YES = "yes"
    NO = "no"


class Shown(Record):
    """A passage as a judge sees it: no id, no score, no rank."""

    label: str
    text: str


class DecomposeVariables(Record):
    question: str
    before: str
    """The answer up to the sentence; empty at its beginning."""
    sentence: str


class DecomposeReply(Record):
    reasoning: str
    claims: tuple[Words, ...] = Field(max_length=12)


class InterpretableVariables(Record):
    question: str
    claim: str


class InterpretableReply(Record):
    rationale: str
    verdict: Interpretability


class SupportVariables(Record):
    claim: str
    passages: tuple[Shown, ...]


class SupportReply(Record):
    rationale: str
    verdict: SupportVerdict
    probability: float | None = Field(default=None, ge=0, le=1)
    """Of `supports`, where the judge can say."""


class CorrectnessVariables(Record):
    question: str
    statement: str
    answer: str


class CorrectnessReply(Record):
    rationale: str
    verdict: Stated


class AnswerRelevanceVariables(Record):
    question: str
    answer: str


class AbstentionVariables(Record):
    question: str
    answer: str


class AbstentionReply(Record):
    rationale: str
    verdict: Response


class PassageRelevanceVariables(Record):
    question: str
    passage: str


class SufficiencyVariables(Record):
    question: str
    passages: tuple[Shown, ...]


class YesNoReply(Record):
    rationale: str
    verdict: YesNo


DECOMPOSE = Task("judge/decompose", DecomposeVariables, DecomposeReply)
INTERPRETABLE = Task("judge/interpretable", InterpretableVariables, InterpretableReply)
SUPPORT = Task("judge/support", SupportVariables, SupportReply)
ABSTENTION = Task("judge/abstention", AbstentionVariables, AbstentionReply)
CORRECTNESS = Task("judge/correctness", CorrectnessVariables, CorrectnessReply)
ANSWER_RELEVANCE = Task("judge/answer_relevance", AnswerRelevanceVariables, YesNoReply)
PASSAGE_RELEVANCE = Task("judge/passage_relevance", PassageRelevanceVariables, YesNoReply)
SUFFICIENCY = Task("judge/sufficiency", SufficiencyVariables, YesNoReply)

JUDGE_TASKS: tuple[Task[Any, Any], ...] = (
    DECOMPOSE,
    INTERPRETABLE,
    SUPPORT,
    ABSTENTION,
    CORRECTNESS,
    ANSWER_RELEVANCE,
    PASSAGE_RELEVANCE,
    SUFFICIENCY,
)


def shown(texts: tuple[str, ...]) -> tuple[Shown, ...]:
    """Passages under the labels A to Z, then A1, B1, …"""
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    rounds = len(alphabet)
    return tuple(
        Shown(label=alphabet[i % rounds] + (str(i // rounds) if i >= rounds else ""), text=text)
        for i, text in enumerate(texts)
    )
