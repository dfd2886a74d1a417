"""Critique writes down what critics say; select alone decides. Tested together and apart."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from goldsmith.corpus.search import Index
from goldsmith.engine.local import LocalEngine
from goldsmith.ids import content_id
from goldsmith.llm.scripted import Answer, Script, ScriptedModel
from goldsmith.llm.tasks import AnswerReply, AnswerVariables, RatingReply
from goldsmith.records import (
    Chunk,
    Critic,
    Draft,
    Evidence,
    Kind,
    Provenance,
    Statement,
)
from goldsmith.settings import CritiqueSettings, GenerateSettings, SelectSettings
from goldsmith.stages import critique, select
from tests.support.corpora import by_id, make_chunks

if TYPE_CHECKING:
    from collections.abc import Sequence

BUFFER, PLANS = (
    make_chunks("buffer.md", "The Relay Buffer holds at most 10,000 events.")[0],
    make_chunks("plans.md", "The Relay Buffer is part of the Business plan.")[0],
)
CHUNKS = [BUFFER, PLANS]


def draft(
    question: str = "How many events does the Relay Buffer hold?",
    answer: str = "10,000 events",
    chunks: Sequence[Chunk] = (BUFFER,),
    kind: Kind = Kind.FACTOID,
) -> Draft:
    evidence = tuple(
        Evidence(doc_id=c.doc_id, start=c.start, end=c.end, quote=c.text, chunk_ids=(c.chunk_id,))
        for c in chunks
    )
    return Draft(
        draft_id=content_id("q", question, answer, *(c.chunk_id for c in chunks)),
        kind=kind,
        set_id="s-1",
        question=question,
        answer=answer,
        statements=(Statement(text=answer, evidence=tuple(range(len(evidence)))),),
        evidence=evidence,
        language="en",
        provenance=Provenance(model="scripted"),
    )


JOINED = draft(
    "How many events does the Relay Buffer hold, and which plan has it?",
    "10,000 events; the Business plan",
    CHUNKS,
    Kind.MULTI_SOURCE,
)


def rating(value: int) -> RatingReply:
    return RatingReply(rationale="because", rating=value)


def critics(
    standalone: Answer = rating(5),  # noqa: B008 - frozen
    relevance: Answer = rating(5),  # noqa: B008
    groundedness: Answer = rating(5),  # noqa: B008
) -> dict[str, Script]:
    return {
        "critique/standalone": standalone,
        "critique/relevance": relevance,
        "critique/groundedness": groundedness,
    }


def critiqued(
    drafts: Sequence[Draft],
    scripts: dict[str, Script],
    settings: CritiqueSettings = CritiqueSettings(),  # noqa: B008 - frozen
) -> tuple[critique.Critiqued, ScriptedModel]:
    model = ScriptedModel(scripts)
    result = asyncio.run(
        critique.run(
            drafts,
            by_id(CHUNKS),
            drafts[0].kind,
            GenerateSettings(),
            settings,
            model,
            LocalEngine(),
        )
    )
    return result, model


def selected(
    drafts: Sequence[Draft], result: critique.Critiqued, *, necessity: bool = True
) -> select.Selected:
    return select.run(
        drafts,
        result.ratings,
        result.necessity,
        by_id(CHUNKS),
        Index(CHUNKS),
        SelectSettings(),
        necessity=necessity,
    )


def reason_of(result: select.Selected) -> str:
    assert result.kept == []
    (dropped,) = result.dropped
    return dropped.reason


def test_three_calls_a_draft_and_every_rating_written_down() -> None:
    result, model = critiqued([draft()], critics())
    assert len(model.calls) == 3
    assert {r.critic: r.rating for r in result.ratings} == dict.fromkeys(Critic, 5)
    assert result.usage.calls == 3


def test_kept_with_ratings_normalised() -> None:
    drafts = [draft()]
    result, _ = critiqued(drafts, critics(relevance=rating(4)))
    (query,) = selected(drafts, result).kept
    assert query.critics is not None
    # 4 of 5 is (4 - 1) / 4 of the way from 1 to 5.
    assert query.critics.relevance.normalised == 0.75
    assert query.critics.relevance.rationale == "because"


@pytest.mark.parametrize("critic", [c.value for c in Critic])
def test_each_critic_alone_can_reject(critic: str) -> None:
    drafts = [draft()]
    result, _ = critiqued(drafts, critics(**{critic: rating(3)}))
    assert reason_of(selected(drafts, result)) == f"low_{critic}"


@pytest.mark.parametrize("raw", ["", "I'm sorry, I can't.", "no rating here", '{"rating": 9}'])
def test_an_unreadable_critic_is_unscored_never_a_pass_or_a_zero(raw: str) -> None:
    drafts = [draft()]
    result, _ = critiqued(drafts, critics(relevance=raw))
    unscored = next(r for r in result.ratings if r.critic is Critic.RELEVANCE)
    assert unscored.rating is None
    assert unscored.raw == raw
    # Three ratings requested, two had.
    assert (result.funnel[0].requested, result.funnel[0].kept) == (3, 2)
    chosen = selected(drafts, result)
    assert reason_of(chosen) == "critic_failed"
    assert chosen.dropped[0].loss == "failed"


def test_a_draft_edited_after_its_critics_is_not_kept() -> None:
    result, _ = critiqued([draft()], critics())
    edited = draft().model_copy(update={"question": "How large is the Relay Buffer?"})
    assert reason_of(selected([edited], result)) == "rated_other_wording"


def test_a_draft_without_ratings_is_not_kept() -> None:
    result, _ = critiqued([draft()], critics())
    other = draft("What is the limit of the Relay Buffer?")
    assert reason_of(selected([other], result)) == "unrated"


def test_a_changed_threshold_needs_no_model() -> None:
    drafts = [draft()]
    result, model = critiqued(drafts, critics(relevance=rating(3)))
    calls = len(model.calls)
    lenient = SelectSettings(min_rating=3)
    kept = select.run(
        drafts, result.ratings, [], by_id(CHUNKS), Index(CHUNKS), lenient, necessity=True
    ).kept
    assert len(kept) == 1
    assert len(model.calls) == calls


def test_early_stop_asks_the_cheapest_critic_first() -> None:
    result, model = critiqued(
        [draft()], critics(standalone=rating(2)), CritiqueSettings(stop_below=4)
    )
    assert [call.task for call in model.calls] == ["critique/standalone"]
    assert result.funnel[0].failed == {"skipped_after_standalone": 2}
    assert reason_of(selected([draft()], result)) == "low_standalone"


# -- necessity ----------------------------------------------------------------------------------


def answerer(*sufficing: frozenset[str]) -> Script:
    """Gives the gold answer when the passages include one of the sufficing sets of texts."""

    def answer(variables: AnswerVariables) -> Answer:
        given = {source.text for source in variables.sources}
        if any(needed <= given for needed in sufficing):
            return AnswerReply(reasoning="", answerable=True, answer=JOINED.answer)
        return AnswerReply(reasoning="missing", answerable=False, answer="")

    return answer


BOTH = frozenset({BUFFER.text, PLANS.text})


def proved(*sufficing: frozenset[str]) -> select.Selected:
    scripts = critics() | {"critique/answer": answerer(*sufficing)}
    result, _ = critiqued([JOINED], scripts)
    return selected([JOINED], result)


def test_kept_when_only_all_sources_together_answer() -> None:
    (query,) = proved(BOTH).kept
    # All, each one left out, and closed book.
    assert [len(trial.chunk_ids) for trial in query.necessity] == [2, 1, 1, 0]
    assert [trial.matches_gold for trial in query.necessity] == [True, False, False, False]
    assert query.closed_book is False


def test_answerable_from_one_source_is_rejected_with_the_subset() -> None:
    result = proved(BOTH, frozenset({BUFFER.text}))
    assert reason_of(result) == "not_all_needed"
    assert BUFFER.chunk_id in result.dropped[0].detail
    assert PLANS.chunk_id not in result.dropped[0].detail


def test_not_answered_from_all_its_sources_is_rejected() -> None:
    assert reason_of(proved()) == "not_answered_from_sources"


def test_closed_book_stratifies_and_does_not_reject() -> None:
    result = proved(BOTH, frozenset())
    # An answerer that needs nothing also answers from each subset: not all are needed.
    assert reason_of(result) == "not_all_needed"


def test_a_failed_trial_is_a_failure_not_a_proof() -> None:
    result, _ = critiqued([JOINED], critics() | {"critique/answer": "garbage"})
    chosen = selected([JOINED], result)
    assert reason_of(chosen) == "necessity_failed"
    assert chosen.dropped[0].loss == "failed"


# -- duplicates ---------------------------------------------------------------------------------


def kept_of(*drafts: Draft) -> select.Selected:
    result, _ = critiqued(drafts, critics())
    return selected(drafts, result)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("What was the revenue of Acme in 2021?", "What was the revenue of Acme in 2022?"),
        ("When does the API return HTTP 404?", "When does the API return HTTP 500?"),
        ("How many seats must a team have at least?", "How many seats must a team have at most?"),
        ("How do you enable the Relay Buffer?", "How do you disable the Relay Buffer?"),
        ("Which plans have the Relay Buffer?", "Which plans have the Echo Buffer?"),
    ],
)
def test_questions_that_differ_in_one_decisive_word_stay_apart(one: str, other: str) -> None:
    result = kept_of(draft(one), draft(other))
    assert len(result.kept) == 2


def test_a_paraphrase_from_another_chunk_merges_and_unites_the_members() -> None:
    result = kept_of(
        draft("How many events does the Relay Buffer hold?"),
        draft("The Relay Buffer holds how many events?", chunks=[PLANS]),
    )
    (query,) = result.kept
    assert set(query.evidence[0].chunk_ids) == {BUFFER.chunk_id, PLANS.chunk_id}
    assert [item.reason for item in result.dropped] == ["duplicate"]


def test_one_question_with_two_answers_is_no_gold() -> None:
    result = kept_of(draft(), draft(answer="500 events", chunks=[PLANS]))
    assert result.kept == []
    assert [item.reason for item in result.dropped] == ["ambiguous", "ambiguous"]


def test_difficulty_is_recorded() -> None:
    (query,) = kept_of(draft()).kept
    assert query.difficulty is not None
    # {many, event, relay, buffer, hold}: all but "many" stand in the chunk.
    assert query.difficulty.question_overlap == 4 / 5
    # "the relay buffer"
    assert query.difficulty.longest_copied_ngram == 3
    assert query.difficulty.bm25_rank == 1
