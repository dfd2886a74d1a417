from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING

import orjson
import pytest

from goldsmith.llm.scripted import Failure, ScriptedModel
from goldsmith.scoring.audit import AuditSettings, audit
from goldsmith.scoring.checks import failed_checks
from goldsmith.scoring.human_labels import LabelRow, gather
from goldsmith.scoring.judge import Asked, Judge
from goldsmith.scoring.judge_offline import OfflineJudge, offline_judge
from goldsmith.scoring.judge_tasks import (
    CORRECTNESS,
    SUPPORT,
    CorrectnessVariables,
    Stated,
    SupportReply,
    shown,
)
from goldsmith.scoring.records import Verdict
from tests.support.judging import facts_model

if TYPE_CHECKING:
    from pathlib import Path


def says(verdict: Verdict) -> ScriptedModel:
    reply = SupportReply.model_validate({"rationale": "because", "verdict": verdict})
    return ScriptedModel({SUPPORT.name: reply})


def test_the_same_question_is_never_asked_twice() -> None:
    model = facts_model()
    judge = Judge(model)
    asked = [Asked("a", ("a b",)), Asked("a", ("a b",)), Asked("c", ("a b",))]
    first = asyncio.run(judge.support(asked))
    second = asyncio.run(judge.support(asked[:1]))
    assert [ruling.verdict for ruling in first] == [
        Verdict.SUPPORTS,
        Verdict.SUPPORTS,
        Verdict.DOES_NOT_SUPPORT,
    ]
    assert second == first[:1]
    assert len(model.calls_of(SUPPORT)) == judge.questions_asked == 2


def test_the_judge_sees_the_claim_and_the_named_passages_only() -> None:
    model = facts_model()
    asyncio.run(Judge(model).support([Asked("a", ("a b", "c"))]))
    (seen,) = model.calls_of(SUPPORT)
    assert seen.model_dump() == {
        "claim": "a",
        "passages": ({"label": "A", "text": "a b"}, {"label": "B", "text": "c"}),
    }


def test_labels_stay_apart_beyond_the_alphabet() -> None:
    labels = [passage.label for passage in shown(tuple("x" * 60))]
    assert len(set(labels)) == 60
    assert labels[25:28] == ["Z", "A1", "B1"]


def test_no_passage_supports_nothing_and_costs_nothing() -> None:
    model = facts_model()
    (ruling,) = asyncio.run(Judge(model).support([Asked("a", ())]))
    assert ruling.verdict is Verdict.DOES_NOT_SUPPORT
    assert model.calls == []


def test_a_support_that_fails_a_check_is_lowered_and_says_which() -> None:
    judge = Judge(says(Verdict.SUPPORTS))
    kept, wrong = asyncio.run(
        judge.support(
            [
                Asked("Kept for 90 days.", ("Records are kept 90 days.",)),
                Asked("Kept for 365 days.", ("Records are kept 90 days.",)),
            ]
        )
    )
    assert (kept.verdict, kept.lowered) == (Verdict.SUPPORTS, ())
    assert wrong.verdict is Verdict.PARTIALLY_SUPPORTS
    assert wrong.lowered == ("number 365",)


@pytest.mark.parametrize(
    "verdict", [Verdict.PARTIALLY_SUPPORTS, Verdict.DOES_NOT_SUPPORT, Verdict.CONTRADICTS]
)
def test_checks_lower_supports_only(verdict: Verdict) -> None:
    (ruling,) = asyncio.run(Judge(says(verdict)).support([Asked("365 days.", ("90 days.",))]))
    assert (ruling.verdict, ruling.lowered) == (verdict, ())


@pytest.mark.parametrize(
    "reply",
    [
        '{"rationale": "x", "verdict": "untested"}',
        '{"rationale": "x", "verdict": "supported"}',
        '{"rationale": "x", "verdict": 1}',
        '{"rationale": "x"}',
        "supports",
        "",
    ],
)
def test_a_verdict_outside_the_closed_set_is_no_verdict(reply: str) -> None:
    model = ScriptedModel({SUPPORT.name: reply})
    (ruling,) = asyncio.run(Judge(model).support([Asked("a", ("a",))]))
    assert ruling.verdict is None
    assert ruling.failure


@pytest.mark.parametrize(
    ("claim", "passage", "failed"),
    [
        ("Kept 10,000 rows.", "It keeps 10000 rows.", ()),
        ("Kept 90 days.", "Kept 90 minutes.", ("unit 90 day",)),
        ("Since 2.1.", "Since version 2.0.", ("number 2.1",)),
        ("It ended on 3 May 2024.", "End: 2024-05-03.", ()),
        ("It ended on May 3rd, 2024.", "Es endete am 3. Mai 2024.", ()),
        ("It ended on 4 May 2024.", "End: 2024-05-03.", ("date 2024-05-04",)),
        ("2024年5月3日に終了。", "Ended 3 May 2024.", ()),
        ("It cannot be changed.", "It can be changed.", ("negation",)),
        ("It cannot be changed.", "It can't be changed.", ()),
        ("Acme keeps it.", "The company keeps it.", ()),
    ],
)
def test_checks(claim: str, passage: str, failed: tuple[str, ...]) -> None:
    assert failed_checks(claim, passage) == failed


def support_offline(claim: str, *passages: str) -> Verdict | None:
    (ruling,) = asyncio.run(Judge(OfflineJudge()).support([Asked(claim, passages)]))
    return ruling.verdict


PLANS = "Business plans keep audit records for 90 days. Enterprise plans keep them for 365 days."


@pytest.mark.parametrize(
    ("claim", "passage", "verdict"),
    [
        ("Audit records are kept for 90 days on Business plans.", PLANS, Verdict.SUPPORTS),
        ("Business plans keep audit records for 30 days.", PLANS, Verdict.CONTRADICTS),
        ("Business plans don't keep audit records for 90 days.", PLANS, Verdict.CONTRADICTS),
        ("Audit records are kept in Frankfurt and Dublin.", PLANS, Verdict.PARTIALLY_SUPPORTS),
        ("Invoices are sent by mail each month.", PLANS, Verdict.DOES_NOT_SUPPORT),
        (
            "The period can be changed from the dashboard.",
            "The period cannot be changed from the dashboard.",
            Verdict.CONTRADICTS,
        ),
    ],
)
def test_the_offline_judge(claim: str, passage: str, verdict: Verdict) -> None:
    assert support_offline(claim, passage) is verdict


def test_the_offline_judge_reads_passages_together() -> None:
    first, second = "Alpha ships on Monday.", "Beta needs Alpha first."
    claim = "Beta needs Alpha, which ships on Monday."
    assert support_offline(claim, first, second) is Verdict.SUPPORTS
    assert support_offline(claim, second) is not Verdict.SUPPORTS


@pytest.mark.parametrize(
    ("answer", "stated"),
    [
        ("They are kept for 90 days.", Stated.STATES),
        ("They are kept for 30 days.", Stated.CONTRADICTS),
        ("Ask your administrator.", Stated.LEAVES_OUT),
    ],
)
def test_offline_correctness_is_exact_in_numbers(answer: str, stated: Stated) -> None:
    asked = CorrectnessVariables(question="?", statement="Kept for 90 days.", answer=answer)
    outcome = asyncio.run(OfflineJudge().run(CORRECTNESS, asked))
    assert outcome.value is not None
    assert outcome.value.verdict is stated


def test_a_failure_of_the_model_is_passed_on() -> None:
    model = ScriptedModel({SUPPORT.name: Failure("refused")})
    (ruling,) = asyncio.run(Judge(model).support([Asked("a", ("a",))]))
    assert (ruling.verdict, ruling.failure) == (None, "refused")


def test_what_the_offline_judge_says_of_itself_is_what_it_does(shared_data: Path) -> None:
    """Its own sentence, measured again on the set that moves most when a rule changes."""
    judge = offline_judge()
    lines = (shared_data / "support" / "wice.jsonl").read_bytes().splitlines()
    rows = [row for row in map(orjson.loads, lines) if row["split"] == "test"]
    labels = gather([LabelRow.model_validate(row) for row in rows])
    table = asyncio.run(audit(labels, judge, AuditSettings(resamples=20))).table("binary")
    said = re.search(r"([\d.]+) on WiCE", judge.note)
    assert table is not None
    assert table.macro_f1.value is not None
    assert said is not None
    assert float(said[1]) == pytest.approx(table.macro_f1.value, abs=0.006)
