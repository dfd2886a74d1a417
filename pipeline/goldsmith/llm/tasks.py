"""The catalogue of tasks: what each prompt is given, and the shape of what it returns.

Output fields are in the order in which a model should write them: reasoning first, result last.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from goldsmith.llm.task import Task
from goldsmith.records import Answering, Critic, LinkType, ProbeKind, Record

Words = Annotated[str, Field(min_length=1)]


class Source(Record):
    """A passage as a prompt shows it."""

    label: str
    """`A`, `B`, ...: short names that a small model repeats without error."""
    title: str
    section: str
    text: str


# -- generate -----------------------------------------------------------------------------------


class FactoidVariables(Record):
    source: Source
    audience: str
    language: str


class FactoidReply(Record):
    reasoning: str
    quotes: tuple[Words, ...] = Field(min_length=1, max_length=3)
    """Verbatim from the passage."""
    answer: Words
    question: Words


class MultiSourceVariables(Record):
    sources: tuple[Source, ...]
    link: LinkType
    term: str
    audience: str
    language: str


class StatementReply(Record):
    source: Words
    """The label of the passage that proves the statement."""
    quote: Words
    text: Words


class MultiSourceReply(Record):
    reasoning: str
    statements: tuple[StatementReply, ...] = Field(min_length=1, max_length=6)
    answer: Words
    question: Words


# -- critique -----------------------------------------------------------------------------------


class GroundednessVariables(Record):
    question: str
    answer: str
    sources: tuple[Source, ...]


class RelevanceVariables(Record):
    question: str
    audience: str


class StandaloneVariables(Record):
    question: str


class RatingReply(Record):
    rationale: str
    rating: int = Field(ge=1, le=5)


class AnswerVariables(Record):
    question: str
    sources: tuple[Source, ...]
    """Empty: closed book."""


class AnswerReply(Record):
    reasoning: str
    answerable: bool
    answer: str


# -- complete -----------------------------------------------------------------------------------


class CarriesVariables(Record):
    """Does the passage alone carry one fact of an answer? The quote is where it is known to be."""

    question: str
    fact: str
    """The part of the gold answer that the evidence proves."""
    quote: str
    source: Source


class CarriesReply(Record):
    rationale: str
    verdict: Answering


# -- probe --------------------------------------------------------------------------------------


class ProbeVariables(Record):
    """A probe is written beside its answerable twin, so that both share topic and length."""

    twin_question: str
    twin_answer: str
    source: Source
    audience: str
    language: str


class MissingReply(Record):
    reasoning: str
    question: Words


class OutdatedReply(Record):
    reasoning: str
    as_of: Words
    """The date or version that the question asks about; it stands in the question."""
    question: Words


class FalsePremiseReply(Record):
    reasoning: str
    premise: Words
    quote: Words
    """Verbatim from the passage: what contradicts the premise."""
    correction: Words
    question: Words


class AbsenceVariables(Record):
    question: str
    source: Source


class AbsenceReply(Record):
    rationale: str
    verdict: Answering


FACTOID = Task("generate/factoid", FactoidVariables, FactoidReply)
MULTI_SOURCE = Task("generate/multi_source", MultiSourceVariables, MultiSourceReply)
GROUNDEDNESS = Task("critique/groundedness", GroundednessVariables, RatingReply)
RELEVANCE = Task("critique/relevance", RelevanceVariables, RatingReply)
STANDALONE = Task("critique/standalone", StandaloneVariables, RatingReply)
ANSWER = Task("critique/answer", AnswerVariables, AnswerReply)
CARRIES = Task("complete/carries", CarriesVariables, CarriesReply)
MISSING = Task("probe/missing", ProbeVariables, MissingReply)
OUTDATED = Task("probe/outdated", ProbeVariables, OutdatedReply)
FALSE_PREMISE = Task("probe/false_premise", ProbeVariables, FalsePremiseReply)
ABSENCE = Task("probe/absence", AbsenceVariables, AbsenceReply)

TASKS: tuple[Task[Any, Any], ...] = (
    FACTOID,
    MULTI_SOURCE,
    GROUNDEDNESS,
    RELEVANCE,
    STANDALONE,
    ANSWER,
    CARRIES,
    MISSING,
    OUTDATED,
    FALSE_PREMISE,
    ABSENCE,
)

CRITICS: dict[Critic, Task[Any, RatingReply]] = {
    Critic.GROUNDEDNESS: GROUNDEDNESS,
    Critic.RELEVANCE: RELEVANCE,
    Critic.STANDALONE: STANDALONE,
}
PROBES: dict[ProbeKind, Task[ProbeVariables, Any]] = {
    ProbeKind.MISSING: MISSING,
    ProbeKind.OUTDATED: OUTDATED,
    ProbeKind.FALSE_PREMISE: FALSE_PREMISE,
}
