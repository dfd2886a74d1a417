from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, TypeVar

import pytest

from goldsmith.corpus.agreement import same_answer
from goldsmith.llm.task import Outcome, Task
from goldsmith.llm.tasks import (
    ABSENCE,
    ANSWER,
    FACTOID,
    FALSE_PREMISE,
    GROUNDEDNESS,
    MISSING,
    MULTI_SOURCE,
    OUTDATED,
    PROBES,
    RELEVANCE,
    STANDALONE,
    TASKS,
    AbsenceVariables,
    AnswerVariables,
    FactoidVariables,
    GroundednessVariables,
    MultiSourceVariables,
    ProbeVariables,
    RelevanceVariables,
    StandaloneVariables,
)
from goldsmith.offline.model import RULES, OfflineModel
from goldsmith.records import Answering, LinkType, Record
from tests.offline.passages import HANDBOOK, SOURCES

if TYPE_CHECKING:
    from collections.abc import Sequence

V = TypeVar("V", bound=Record)
O = TypeVar("O", bound=Record)  # noqa: E741 - as in Task[V, O]

MODEL = OfflineModel(HANDBOOK)


def run(task: Task[V, O], variables: V) -> Outcome[O]:
    return asyncio.run(MODEL.run(task, variables))


def value(task: Task[V, O], variables: V) -> O:
    outcome = run(task, variables)
    assert outcome.value is not None, outcome
    assert isinstance(outcome.value, task.output)
    return outcome.value


def answer(question: str, titles: Sequence[str]) -> str:
    sources = tuple(SOURCES[title] for title in titles)
    reply = value(ANSWER, AnswerVariables(question=question, sources=sources))
    return reply.answer if reply.answerable else ""


def test_there_are_rules_for_every_task() -> None:
    assert set(RULES) == {task.name for task in TASKS}


def test_an_unknown_task_is_a_failed_outcome() -> None:
    odd = Task("judge/odd", StandaloneVariables, StandaloneVariables)
    assert run(odd, StandaloneVariables(question="Why?")).failure == "unsupported_task"


def test_a_factoid_quotes_its_passage_and_comes_out_the_same_each_time() -> None:
    variables = FactoidVariables(source=SOURCES["Gates"], audience="users", language="en")
    reply = value(FACTOID, variables)
    assert reply.quotes[0] in SOURCES["Gates"].text
    again = asyncio.run(OfflineModel(HANDBOOK).run(FACTOID, variables))
    assert again.value == reply
    assert again.model == "offline-2"


def test_other_languages_are_declined() -> None:
    source = SOURCES["Gates"]
    german = FactoidVariables(source=source, audience="users", language="de")
    assert run(FACTOID, german).failure == "unsupported_language"
    for task in PROBES.values():
        twin = ProbeVariables(
            twin_question="Wie viele?", twin_answer="8", source=source, audience="", language="de"
        )
        assert run(task, twin).failure == "unsupported_language"


def test_a_passage_without_a_fact_fails_with_its_reason() -> None:
    bare = SOURCES["Gates"].model_copy(update={"text": "Not every decision is easy."})
    variables = FactoidVariables(source=bare, audience="users", language="en")
    assert run(FACTOID, variables).failure == "no_fact"


# -- several sources ----------------------------------------------------------------------------


def joint_question() -> tuple[str, str]:
    sources = (
        SOURCES["Buffers"].model_copy(update={"label": "A"}),
        SOURCES["Retention"].model_copy(update={"label": "B"}),
    )
    reply = value(
        MULTI_SOURCE,
        MultiSourceVariables(
            sources=sources,
            link=LinkType.COMPARISON,
            term="Relay Buffer",
            audience="users",
            language="en",
        ),
    )
    assert [statement.source for statement in reply.statements] == ["A", "B"]
    for statement, source in zip(reply.statements, sources, strict=True):
        assert statement.quote in source.text
    return reply.question, reply.answer


def test_a_joint_question_needs_both_its_sources() -> None:
    question, gold = joint_question()
    assert question.count("Relay Buffer") == 2
    assert same_answer(gold, answer(question, ["Buffers", "Retention"]))
    assert answer(question, ["Buffers"]) == ""
    assert answer(question, ["Retention"]) == ""


def test_nothing_is_known_by_heart() -> None:
    question, _ = joint_question()
    assert answer(question, []) == ""


# -- critics ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer_given", "least", "most"),
    [("up to 8 reviewers", 4, 5), ("up to 9 reviewers", 1, 1), ("a purple elephant", 1, 2)],
)
def test_groundedness_holds_the_answer_against_the_source(
    answer_given: str, least: int, most: int
) -> None:
    variables = GroundednessVariables(
        question="How many reviewers can an Approval Gate have?",
        answer=answer_given,
        sources=(SOURCES["Gates"],),
    )
    reply = value(GROUNDEDNESS, variables)
    assert least <= reply.rating <= most, reply.rationale


@pytest.mark.parametrize(
    ("question", "low"),
    [
        ("How many reviewers can an Approval Gate have?", False),
        ("Which chapter does this page belong to?", True),
        ("Tell me about the Relay Buffer.", True),
        ("What is it?", True),
    ],
)
def test_relevance(question: str, *, low: bool) -> None:
    variables = RelevanceVariables(question=question, audience="users")
    assert (value(RELEVANCE, variables).rating < 4) is low


@pytest.mark.parametrize(
    ("question", "low"),
    [
        ("How many reviewers can an Approval Gate have?", False),
        ("How long does it wait?", True),
        ("What does the passage say about reviewers of an Approval Gate?", True),
        ("Which of the following limits apply to the Relay Buffer?", True),
        ("How many characters can the instruction have?", True),
        ("How do you configure the above option of a workspace?", True),
    ],
)
def test_standalone(question: str, *, low: bool) -> None:
    assert (value(STANDALONE, StandaloneVariables(question=question)).rating < 4) is low


def test_a_question_with_two_answers_in_the_corpus_does_not_stand_alone() -> None:
    other = HANDBOOK[0].model_copy(
        update={
            "chunk_id": "p-other",
            "doc_id": "d-other",
            "text": "An Approval Gate can have up to 12 reviewers.",
        }
    )
    model = OfflineModel((*HANDBOOK, other))
    question = StandaloneVariables(question="How many reviewers can an Approval Gate have?")
    outcome = asyncio.run(model.run(STANDALONE, question))
    assert outcome.value is not None
    assert outcome.value.rating == 3
    assert "8 reviewers" in outcome.value.rationale
    assert "12 reviewers" in outcome.value.rationale


# -- probes -------------------------------------------------------------------------------------


def twin(question: str, given: str, title: str) -> ProbeVariables:
    return ProbeVariables(
        twin_question=question,
        twin_answer=given,
        source=SOURCES[title],
        audience="users",
        language="en",
    )


REVIEWERS = twin("How many reviewers can an Approval Gate have?", "up to 8 reviewers", "Gates")


def test_a_false_premise_is_contradicted_by_its_quote() -> None:
    reply = value(FALSE_PREMISE, REVIEWERS)
    assert reply.quote in SOURCES["Gates"].text
    assert "8 reviewers" in reply.correction
    assert " 8 " not in reply.question
    assert reply.premise != reply.correction
    assert absence(reply.question, "Gates") is not Answering.ANSWERS


def test_no_premise_is_made_of_an_answer_without_an_amount() -> None:
    definition = twin("What is an Approval Gate?", "a step", "Gates")
    assert run(FALSE_PREMISE, definition).failure == "no_premise"


def test_an_outdated_probe_asks_about_a_time_of_which_the_corpus_is_silent() -> None:
    reply = value(OUTDATED, REVIEWERS)
    assert reply.as_of in reply.question
    assert all(reply.as_of not in chunk.text for chunk in HANDBOOK)


def test_a_twin_that_asks_about_a_time_itself_has_no_outdated_probe() -> None:
    dated = twin("When was version 5.5 current?", "until May 2025", "Release notes")
    assert run(OUTDATED, dated).failure == "timeless_twin"


def test_a_missing_probe_is_absent_from_every_passage() -> None:
    outcome = run(MISSING, REVIEWERS)
    # "Relay Buffer" is the one other thing that the handbook speaks of often enough.
    if outcome.value is None:
        assert outcome.failure == "no_absent_question"
    else:
        verdicts = {absence(outcome.value.question, title) for title in SOURCES}
        assert verdicts == {Answering.NO}


# -- absence ------------------------------------------------------------------------------------


def absence(question: str, title: str) -> Answering:
    variables = AbsenceVariables(question=question, source=SOURCES[title])
    return value(ABSENCE, variables).verdict


@pytest.mark.parametrize(
    ("question", "title", "verdict"),
    [
        ("How many reviewers can an Approval Gate have?", "Gates", Answering.ANSWERS),
        ("What is the capacity of the Relay Buffer for the Business plan?", "Buffers", "partly"),
        ("How many reviewers can a Relay Buffer have?", "Gates", Answering.NO),
        ("Why can an Approval Gate have up to 12 reviewers?", "Gates", Answering.NO),
        ("How many penguins of an ice shelf swim to a gate?", "Gates", Answering.NO),
        ("Which human decision does an Approval Gate prefer?", "Gates", Answering.PARTLY),
    ],
)
def test_a_passage_answers_half_answers_or_does_not(
    question: str, title: str, verdict: Answering
) -> None:
    assert absence(question, title) == verdict
