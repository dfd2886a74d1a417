from __future__ import annotations

import asyncio

from goldsmith.llm.scripted import Answer, Failure, ScriptedModel
from goldsmith.records import Expected, Kind
from goldsmith.scoring.citations_labelled import Response
from goldsmith.scoring.claims import claim_answer
from goldsmith.scoring.gold import GoldQuery
from goldsmith.scoring.judge import Judge
from goldsmith.scoring.judge_tasks import (
    ABSTENTION,
    CORRECTNESS,
    SUPPORT,
    AbstentionReply,
    AbstentionVariables,
    CorrectnessReply,
    Stated,
    SupportReply,
)
from goldsmith.scoring.judge_tasks import Response as Responded
from goldsmith.scoring.judged_reading import JudgedReading, read_by_judge
from goldsmith.scoring.records import Verdict
from goldsmith.scoring.run_records import RunRecord

PROBE = GoldQuery(
    "q",
    (),
    question="On which page is it changed?",
    kind=Kind.UNANSWERABLE,
    answer="It cannot be changed.",
    expected=Expected.CORRECT_THE_PREMISE,
    trap_chunk_ids=("p-trap",),
)


def read(record: RunRecord, *, abstains: Answer, stated: Stated, verdict: Verdict) -> JudgedReading:
    model = ScriptedModel(
        {
            ABSTENTION.name: abstains,
            CORRECTNESS.name: CorrectnessReply(rationale="", verdict=stated),
            SUPPORT.name: SupportReply.model_validate({"rationale": "", "verdict": verdict}),
        }
    )
    return asyncio.run(read_by_judge([(record, PROBE)], Judge(model), {"p-trap": "Page four."}))


def response(record: RunRecord) -> Response:
    return Response(PROBE, record, claim_answer(record))


DECLINES = AbstentionReply(rationale="", verdict=Responded.ABSTAINS)
ANSWERS = AbstentionReply(rationale="", verdict=Responded.ANSWERS)


def test_the_judge_hears_what_no_phrase_list_does() -> None:
    record = RunRecord("q", [], answer="Beats me.")
    found = read(record, abstains=DECLINES, stated=Stated.LEAVES_OUT, verdict=Verdict.SUPPORTS)
    assert found.abstention(response(record)).abstained
    assert found.abstention(response(record)).inferred


def test_the_flag_wins_over_the_judge() -> None:
    record = RunRecord("q", [], answer="Beats me.", abstained=False)
    found = read(record, abstains=DECLINES, stated=Stated.STATES, verdict=Verdict.SUPPORTS)
    assert not found.abstention(response(record)).abstained
    assert not found.abstention(response(record)).inferred


def test_premise_and_trap_are_judged() -> None:
    record = RunRecord("q", [], answer="Nothing there lets one do so.")
    found = read(record, abstains=ANSWERS, stated=Stated.STATES, verdict=Verdict.DOES_NOT_SUPPORT)
    assert found.corrects_premise(response(record))
    assert not found.states_trap(response(record))
    record = RunRecord("q", [], answer="On the fourth.")
    found = read(record, abstains=ANSWERS, stated=Stated.LEAVES_OUT, verdict=Verdict.SUPPORTS)
    assert not found.corrects_premise(response(record))
    assert found.states_trap(response(record))


def test_without_a_readable_word_the_words_of_the_answer_decide() -> None:
    record = RunRecord("q", [], answer="I don't know.")
    found = read(
        record,
        abstains=Failure("unparseable"),
        stated=Stated.LEAVES_OUT,
        verdict=Verdict.DOES_NOT_SUPPORT,
    )
    assert found.abstention(response(record)).abstained


def test_an_empty_answer_is_not_put_to_the_judge() -> None:
    def refuse(asked: AbstentionVariables) -> Answer:
        raise AssertionError(asked)

    record = RunRecord("q", [], answer="")
    model = ScriptedModel({ABSTENTION.name: refuse})
    found = asyncio.run(read_by_judge([(record, PROBE)], Judge(model), {}))
    assert model.calls == []
    assert not found.abstention(response(record)).abstained
