from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace

import pytest

from goldsmith.records import Kind
from goldsmith.scoring.claims import claim_answer
from goldsmith.scoring.gold import GoldEvidence, GoldQuery, Span
from goldsmith.scoring.judged import AnswerOnTrial, Passage, judge_answers
from goldsmith.scoring.records import RowLabel
from goldsmith.scoring.report_rows import shown_labels
from goldsmith.scoring.run_records import Retrieved, RunRecord
from goldsmith.scoring.triage import OWNERS, TriageCase, cases_of, triage
from tests.support.judging import facts_judge
from tests.support.reporting import full_report

QUERY = GoldQuery(
    "q",
    (GoldEvidence((("p-a",), ("p-1", "p-2"))), GoldEvidence((("p-b",),))),
    question="which?",
    kind=Kind.MULTI_SOURCE,
)
TEXTS = {"p-a": "a", "p-b": "b", "p-c": "c", "p-1": "x", "p-2": "y"}


def case(answer: str | None, *ids: str, abstained: bool = False, judged: bool = True) -> TriageCase:
    record = RunRecord("q", list(ids), answer=answer, abstained=abstained)
    claimed = claim_answer(record)
    if abstained:
        claimed = replace(claimed, claims=())
    trial = AnswerOnTrial("which?", claimed, tuple(Passage(i, TEXTS[i]) for i in ids))
    found = asyncio.run(judge_answers([trial], facts_judge()))[0] if judged else None
    return TriageCase(QUERY, record, claimed, found, abstained)


@pytest.mark.parametrize(
    ("one", "label"),
    [
        (case("", "p-a", "p-b"), RowLabel.EMPTY_OUTPUT),
        (TriageCase(QUERY, None), RowLabel.EMPTY_OUTPUT),
        (case("I do not know.", "p-a", abstained=True), RowLabel.ABSTAINED),
        (case("", "p-a", abstained=True), RowLabel.ABSTAINED),
        (case("a [p-a]", "p-a", "p-c"), RowLabel.RETRIEVAL_MISS),
        (case("[p-a]", "p-a"), RowLabel.RETRIEVAL_MISS),
        (case("[p-a]", "p-a", "p-b"), RowLabel.EXTRACTION_FAILED),
        (case("a [p-a]\n\nz [p-b]", "p-a", "p-b"), RowLabel.HALLUCINATION),
        (case("a [p-a]\n\nz", "p-a", "p-b"), RowLabel.HALLUCINATION),
        (case("a [p-b]", "p-a", "p-b"), RowLabel.MISCITATION),
        (case("a [p-9]", "p-a", "p-b"), RowLabel.MISCITATION),
        (case("a\n\nb", "p-a", "p-b"), RowLabel.MISCITATION),
        (case("a [p-a]\n\nb", "p-a", "p-b"), RowLabel.CORRECT),
        (case("a [p-a]\n\nb [p-b]", "p-1", "p-2", "p-a", "p-b"), RowLabel.CORRECT),
        (case("x [p-1]", "p-1", "p-2", "p-b"), RowLabel.CORRECT),
        (case("a [p-a]\n\nc [p-c]", "p-a", "p-b", "p-c", judged=False), RowLabel.MISCITATION),
        (case("a [p-a]\n\nz [p-b]", "p-a", "p-b", judged=False), RowLabel.CORRECT),
    ],
)
def test_the_first_label_that_fits(one: TriageCase, label: RowLabel) -> None:
    assert triage([one]).rows[0].label is label


def test_evidence_of_another_chunking_is_found_by_its_span() -> None:
    query = GoldQuery("q", (GoldEvidence((("p-old",),), span=Span("d", 10, 20)),))
    within = [Retrieved("new", doc_id="d", start=5, end=25, text="a")]
    cut = [Retrieved("new", doc_id="d", start=15, end=25, text="a")]
    for items, label in ((within, RowLabel.CORRECT), (cut, RowLabel.RETRIEVAL_MISS)):
        record = RunRecord("q", list(items), answer="a [new]")
        found = triage([TriageCase(query, record, claim_answer(record))])
        expected = RowLabel.MISCITATION if label is RowLabel.CORRECT else label
        assert found.rows[0].label is expected


def test_every_label_is_counted_and_has_an_owner() -> None:
    report = full_report()
    assert report.triage is not None
    counts = report.triage.counts()
    assert sum(counts.values()) == len(report.triage.rows) == 24
    assert counts == {**dict.fromkeys(RowLabel, 0), **Counter(r.label for r in report.triage.rows)}
    assert all(OWNERS[label] for label in RowLabel if label is not RowLabel.CORRECT)
    shares = [metric.value for metric in report.triage.metrics()]
    assert sum(value for value in shares if value is not None) == pytest.approx(1)


def test_the_worst_come_first() -> None:
    two = case("z [p-a]\n\nz z [p-b]", "p-a", "p-b")
    one = case("a [p-a]\n\nz [p-b]", "p-a", "p-b")
    named = replace(two, query=replace(QUERY, query_id="q2"))
    found = triage([one, named]).worst(RowLabel.HALLUCINATION)
    assert [row.case.query.query_id for row in found] == ["q2", "q"]
    assert len(triage([one] * 30).worst(RowLabel.HALLUCINATION)) == 10


def test_probes_have_no_part() -> None:
    probe = GoldQuery("p", (), kind=Kind.UNANSWERABLE)
    assert cases_of([probe], {}, {}, {}, frozenset()) == []


def test_rows_are_shown_with_claims_and_passages_side_by_side() -> None:
    report = full_report()
    assert report.triage is not None
    shown = {label.label: label for label in shown_labels(report.triage, report.texts)}
    row = shown[RowLabel.MISCITATION].rows[0]
    assert row.claims[0].failure == "misattributed"
    assert row.claims[0].supported_by == (row.gold[0].chunk_id,)
    assert row.gold[0].marked in report.texts[row.gold[0].chunk_id]
    assert row.cited[0].chunk_id == row.claims[0].cited_ids[0]
    assert shown[RowLabel.CORRECT].rows == ()
    missed = shown[RowLabel.RETRIEVAL_MISS].rows[0]
    assert missed.gold[0].note == "not supplied"
