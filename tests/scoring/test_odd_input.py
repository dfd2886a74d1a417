"""Inputs that other scorers stumble over, from the file to the report."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import orjson
import pytest

from goldsmith.errors import InputError
from goldsmith.scoring.assembly import make_report
from goldsmith.scoring.gold_readers import read_gold
from goldsmith.scoring.judge import Judge
from goldsmith.scoring.judge_offline import offline_judge
from goldsmith.scoring.report import write_report
from tests.support.gold import qrels_file, run_file
from tests.support.judging import facts_model

if TYPE_CHECKING:
    from pathlib import Path

    from goldsmith.scoring.report import Report


def beir(folder: Path, judged: dict[str, str]) -> Path:
    """A BEIR folder in which each query has one relevant passage of the same text as its id."""
    (folder / "qrels").mkdir(parents=True)
    queries = [{"_id": q, "text": f"What of {q[:20]}?"} for q in judged]
    corpus = [{"_id": c, "title": "", "text": "Kept for ninety days."} for c in judged.values()]
    (folder / "queries.jsonl").write_bytes(b"\n".join(map(orjson.dumps, queries)))
    (folder / "corpus.jsonl").write_bytes(b"\n".join(map(orjson.dumps, corpus)))
    rows = "".join(f"{q}\t{c}\t1\n" for q, c in judged.items())
    (folder / "qrels" / "test.tsv").write_text(f"query-id\tcorpus-id\tscore\n{rows}", "utf-8")
    return folder


def run_of(folder: Path, *rows: dict[str, object]) -> Path:
    path = folder / "run.jsonl"
    path.write_bytes(b"\n".join(map(orjson.dumps, rows)))
    return path


def answered(query_id: str, chunk_id: str, answer: str) -> dict[str, object]:
    item = {"chunk_id": chunk_id, "text": "Kept for ninety days."}
    return {"query_id": query_id, "retrieved": [item], "question": "?", "answer": answer}


def value(report: Report, name: str) -> float | None:
    (found,) = (m for m in report.metrics if (m.name, m.slice) == (name, "all"))
    return found.value


IDS = {"ein Käse 🧀": "p 1", "質問": "文書 二", "x" * 10_000: "y" * 10_000, "q|<b>": "p|</td>"}


def test_ids_of_any_kind_reach_the_report(tmp_path: Path) -> None:
    gold = read_gold(beir(tmp_path / "beir", IDS))
    rows = [answered(q, c, f"Kept for ninety days. [{c}]") for q, c in IDS.items()]
    report = asyncio.run(make_report(run_of(tmp_path, *rows), gold=gold, judge=offline_judge()))
    assert value(report, "recall@1") == 1
    assert value(report, "citation_accuracy") == 1
    assert value(report, "citation_precision") == 1
    paths = write_report(tmp_path / "out", report)
    assert "<b>" not in paths["report.html"].read_text("utf-8")


def test_an_empty_answer_and_one_of_a_megabyte(tmp_path: Path) -> None:
    """The long one is 2,500 times the same cited sentence: judged once, counted each time."""
    gold = read_gold(beir(tmp_path / "beir", {"q1": "p-1", "q2": "p-2", "q3": "p-3"}))
    sentence = f"{'Kept for ninety days':<392}. [p-1] "
    rows = [
        answered("q1", "p-1", sentence * 2_500),
        answered("q2", "p-2", ""),
        answered("q3", "p-3", " \n\t "),
    ]
    assert len(sentence * 2_500) == 1_000_000
    judge = offline_judge()
    report = asyncio.run(make_report(run_of(tmp_path, *rows), gold=gold, judge=judge))
    assert report.run.counts["answers_empty_output"] == 2
    (coverage,) = (m for m in report.metrics if m.name == "citation_coverage" and m.slice == "all")
    assert (coverage.numerator, coverage.denominator) == (2_500, 2_500)
    assert judge.questions_asked <= 2


def test_a_claim_that_cites_fifty_passages(tmp_path: Path) -> None:
    """Fact 37 of 50: together they support it, and of the singles one does. 1 + 1 + 50 questions;
    "each" fails, because 49 of them support no part."""
    ids = [f"p-{n}" for n in range(50)]
    items = [{"chunk_id": i, "text": "a" if i == "p-37" else "b"} for i in ids]
    row: dict[str, object] = {
        "query_id": "q",
        "question": "?",
        "retrieved": items,
        "answer": f"a [{', '.join(ids)}]",
    }
    model = facts_model()
    report = asyncio.run(make_report(run_of(tmp_path, row), judge=Judge(model)))
    assert value(report, "citation_accuracy") == 1
    assert value(report, "citation_accuracy_single") == 0
    assert value(report, "citation_accuracy_each") == 0
    assert value(report, "ids_per_claim") == 50
    # 48 passages say the same: an equal question is asked once.
    assert len(model.calls) == len({str(call) for call in model.calls}) <= 1 + 1 + 50


def test_a_run_of_another_release_is_refused(tmp_path: Path) -> None:
    gold = read_gold(qrels_file(tmp_path, {"301": {"d1": 1}, "302": {"d2": 1}}))
    other = run_file(tmp_path, {"301.1": ["d1"], "302.1": ["d2"]})
    with pytest.raises(InputError, match="0 of 2"):
        asyncio.run(make_report(other, gold=gold))
    half = run_file(tmp_path, {"301": ["d1"], "999": ["d2"]})
    with pytest.raises(InputError, match="999"):
        asyncio.run(make_report(half, gold=gold))


def test_markers_in_code_and_links_cite_nothing(tmp_path: Path) -> None:
    answer = "Call `a[p-1]`, see [p-1](https://x.example).\n\n```\nb[p-1]\n```"
    report = asyncio.run(
        make_report(run_of(tmp_path, answered("q", "p-1", answer)), judge=Judge(facts_model()))
    )
    assert value(report, "citation_coverage") == 0
    assert value(report, "citation_accuracy") is None
