"""From files to report: what `goldsmith score` does, on a frozen release."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from goldsmith.errors import InputError, ModelError
from goldsmith.llm.scripted import ScriptedModel
from goldsmith.records import Statement
from goldsmith.scoring.assembly import ReportSetup, make_report
from goldsmith.scoring.baseline import baseline, write_run
from goldsmith.scoring.components import answer_correctness
from goldsmith.scoring.gold_readers import read_gold
from goldsmith.scoring.judge import Judge
from goldsmith.scoring.judge_offline import MEASURED, OfflineJudge, offline_judge
from goldsmith.scoring.judge_tasks import (
    ABSTENTION,
    CORRECTNESS,
    INTERPRETABLE,
    SUPPORT,
    CorrectnessReply,
    Stated,
)
from goldsmith.scoring.records import Half, RowLabel
from goldsmith.scoring.report import report_json, write_report
from goldsmith.scoring.run_records import RunRecord
from goldsmith.scoring.unlabelled import UnlabelledSetup
from tests.support.releases import chunks, freeze_small, small_contents

if TYPE_CHECKING:
    from pathlib import Path

    from goldsmith.llm.task import Outcome, Task
    from goldsmith.scoring.gold import Gold
    from goldsmith.scoring.report import Report


@pytest.fixture(scope="module")
def gold(tmp_path_factory: pytest.TempPathFactory) -> Gold:
    data = tmp_path_factory.mktemp("data")
    freeze_small(data)
    return read_gold(data / "release" / "1.0.0")


@pytest.fixture
def run(gold: Gold, tmp_path: Path) -> Path:
    path = tmp_path / "run.jsonl"
    write_run(path, baseline(chunks(), [gold.query(i) for i in gold.query_ids]))
    return path


def made(run: Path, **given: object) -> Report:
    return asyncio.run(make_report(run, **given))  # type: ignore[arg-type]  # keywords of the test


def value(report: Report, name: str, part: str = "all") -> float | None:
    (found,) = (m for m in report.metrics if (m.name, m.slice) == (name, part))
    return found.value


def test_both_halves_of_a_release(gold: Gold, run: Path, tmp_path: Path) -> None:
    setup = ReportSetup(unlabelled=UnlabelledSetup(components=True))
    report = made(run, gold=gold, judge=offline_judge(), setup=setup)
    assert {metric.half for metric in report.metrics} == set(Half)
    names = [(m.name, m.slice, m.half) for m in report.metrics]
    assert len(names) == len(set(names))
    assert value(report, "citation_accuracy") == 1
    assert value(report, "answer_correctness") is not None
    assert report.run.judge_note == MEASURED
    assert report.triage is not None
    assert len(report.triage.rows) == 3
    assert report.release is not None
    assert report.release.version == "1.0.0"
    assert report.run.records == len(small_contents().queries)
    paths = write_report(tmp_path / "out", report)
    assert MEASURED.split(":")[0] in paths["report.html"].read_text("utf-8")


def test_the_labelled_half_needs_no_judge(gold: Gold, run: Path) -> None:
    report = made(run, gold=gold)
    assert {metric.half for metric in report.metrics} == {Half.LABELLED}
    assert report.run.judge is None
    assert report.triage is not None
    assert not report.triage.judged


def test_the_unlabelled_half_needs_no_gold(run: Path) -> None:
    report = made(run, judge=offline_judge())
    assert {metric.half for metric in report.metrics} == {Half.UNLABELLED}
    assert report_json(report)["release"] is None
    assert report.triage is None


def test_both_halves_use_one_set_of_queries(gold: Gold, run: Path) -> None:
    """A query that the run lacks scores 0 in the labelled half and is triaged as empty."""
    lines = run.read_bytes().splitlines(keepends=True)
    first = next(line for line in lines if b'"q-days"' in line)
    run.write_bytes(b"".join(line for line in lines if line is not first))
    report = made(run, gold=gold, judge=offline_judge())
    assert report.run.counts["missing_in_run"] == 1
    assert report.triage is not None
    labels = {row.case.query.query_id: row.label for row in report.triage.rows}
    assert labels["q-days"] is RowLabel.EMPTY_OUTPUT


def test_nothing_to_score_with_is_an_error(run: Path, gold: Gold, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nothing to score with"):
        made(run)
    trec = tmp_path / "run.txt"
    trec.write_text("q-days Q0 p-plans-1 1 2.5 x\n", "utf-8")
    with pytest.raises(InputError, match="TREC"):
        made(trec, judge=offline_judge())
    report = made(trec, gold=gold, judge=offline_judge())
    assert report.unlabelled is None
    assert report.triage is None
    assert report.run.records == 1


def test_a_bare_ranking_is_not_judged(gold: Gold, tmp_path: Path) -> None:
    path = tmp_path / "bare.jsonl"
    write_run(path, [RunRecord("q-days", ["p-plans-1"])])
    assert made(path, gold=gold, judge=offline_judge()).unlabelled is None


def test_the_ceiling_of_one_citation_a_claim(gold: Gold, run: Path) -> None:
    report = made(run, gold=gold, judge=offline_judge())
    assert value(report, "citation_single_ceiling") == 1
    number = gold.numbers["q-both"]
    joined = replace(gold.query("q-both"), statements=(Statement(text="both", evidence=(0, 1)),))
    needs_two = replace(gold, details={**gold.details, number: joined})
    report = made(run, gold=needs_two, judge=offline_judge())
    assert value(report, "citation_single_ceiling") == pytest.approx(2 / 3)


def test_statements_stated_contradicted_and_left_out() -> None:
    """Three statements, one of each; a second answer is empty and leaves its one out unasked."""
    says = [Stated.STATES, Stated.CONTRADICTS, Stated.LEAVES_OUT]
    model = ScriptedModel(
        {CORRECTNESS.name: [CorrectnessReply(rationale="", verdict=word) for word in says]}
    )
    statements = [Statement(text=text, evidence=(0,)) for text in "abc"]
    columns = asyncio.run(
        answer_correctness(["?", "?"], ["said", ""], [statements, statements[:1]], Judge(model))
    )
    found = {c.name: (c.numerator.tolist(), c.denominator.tolist()) for c in columns}
    assert found == {
        "answer_correctness": ([1, 0], [3, 1]),
        "answer_contradicts": ([1, 0], [3, 1]),
        "answer_leaves_out": ([1, 1], [3, 1]),
    }
    assert len(model.calls) == 3


def test_unreadable_words_on_statements_are_counted_apart() -> None:
    model = ScriptedModel({CORRECTNESS.name: "no verdict"})
    statements = [[Statement(text="a", evidence=(0,))]]
    columns = asyncio.run(answer_correctness(["?"], ["said"], statements, Judge(model)))
    found = {c.name: (c.numerator.sum(), c.denominator.sum()) for c in columns}
    assert found["answer_correctness"] == (0, 0)
    assert found["answer_correctness_judge_failed"] == (1, 1)


class Down:
    """A model that answers some tasks by rules, and is out of reach for the others."""

    name = "down"

    def __init__(self, *answers: Task[Any, Any]) -> None:
        self._answers, self._rules = answers, OfflineJudge()

    async def run(self, task: Task[Any, Any], variables: Any) -> Outcome[Any]:  # noqa: ANN401 - of any task
        if task in self._answers:
            return await self._rules.run(task, variables)
        raise ModelError("endpoint 'x' does not answer: start it, or name another")


@pytest.mark.parametrize(
    "judge",
    [
        Judge(Down()),  # nothing
        Judge(Down(ABSTENTION, CORRECTNESS, SUPPORT)),  # who abstained, but not what was claimed
        Judge(Down(INTERPRETABLE), by_rules=True),  # the first gate, not the second
        Judge(Down(INTERPRETABLE, SUPPORT), by_rules=True),  # both gates, not the components
    ],
)
def test_a_judge_that_goes_down_leaves_the_labelled_half_as_it_is(
    gold: Gold, run: Path, tmp_path: Path, judge: Judge
) -> None:
    setup = ReportSetup(unlabelled=UnlabelledSetup(components=True))
    report = made(run, gold=gold, judge=judge, setup=setup)
    assert isinstance(report.unjudged, ModelError)
    without = made(run, gold=gold)
    assert without.unjudged is None
    assert report_json(report) == report_json(without)
    paths = write_report(tmp_path / "out", report)
    for name in ("report.html", "report.md"):
        assert "endpoint &#39;x&#39;" in paths[name].read_text("utf-8").replace("'", "&#39;")


def test_without_gold_a_judge_that_is_down_leaves_nothing_to_report(run: Path) -> None:
    with pytest.raises(ModelError, match="does not answer"):
        made(run, judge=Judge(Down()))


def test_fields_that_were_passed_over_are_listed(gold: Gold, tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text('{"query_id": "q-days", "retrieved": ["p-plans-1"], "latency": 3}\n', "utf-8")
    (listing,) = made(path, gold=gold).listings
    assert listing.title == "Fields of the run that were passed over"
    assert listing.rows == (("latency", "1"),)
