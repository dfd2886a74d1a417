"""`docs/metrics.md` and `docs/qrels.md` are worked examples: their numbers must come out."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from goldsmith.records import Kind, Statement
from goldsmith.scoring.abstention_phrases import PHRASES
from goldsmith.scoring.gold_readers import read_gold
from goldsmith.scoring.labelled import ScoreResult, ScoreSetup, score
from goldsmith.scoring.qrels import read_qrels_file
from tests.support.gold import answerable, evidence, gold_of, qrels_file, run_file, trec_file

DOCS = Path(__file__).resolve().parents[2] / "docs"
METRICS = (DOCS / "metrics.md").read_text("utf-8")
QRELS = (DOCS / "qrels.md").read_text("utf-8")
ROW = re.compile(r"^\| `(?P<name>[a-z_0-9]+(?:@\d+)?)` \|.*\| (?P<value>[\d.]+) \|$", re.MULTILINE)


@pytest.fixture(scope="module")
def worked(tmp_path_factory: pytest.TempPathFactory) -> ScoreResult:
    folder = tmp_path_factory.mktemp("case")
    query = answerable(
        "q-audit",
        evidence("p-3310", "p-4102"),
        evidence("p-3312", "p-5001+p-5002"),
        kind=Kind.MULTI_SOURCE,
        statements=(
            Statement(text="90 days", evidence=(0,)),
            Statement(text="customers with an Enterprise agreement", evidence=(1,)),
        ),
    )
    gold = gold_of(folder, query, corpus=["p-3311", "p-7000"])
    (block,) = re.findall(r"```json\n(.*?)```", METRICS, re.DOTALL)
    run = folder / "run.jsonl"
    run.write_text(json.dumps(json.loads(block)), "utf-8")
    return score(gold, run, ScoreSetup(cutoffs=(1, 3, 5, 10)))


def test_every_figure_of_the_case(worked: ScoreResult) -> None:
    found = {m.name: m.value for m in worked.metrics if m.slice == "all"}
    printed = {match["name"]: float(match["value"]) for match in ROW.finditer(METRICS)}
    assert len(printed) >= 24
    for name, value in printed.items():
        assert found[name] == pytest.approx(value, abs=5e-5), name


def test_counts_of_the_case(worked: ScoreResult) -> None:
    assert worked.counts["duplicate_markers"] == 1
    assert worked.counts["markers_unknown"] == 1
    assert worked.counts["markers_retrieved"] == 3


def test_every_count_is_explained(worked: ScoreResult) -> None:
    for name in worked.counts:
        prefix = f"{name.partition('_')[0]}_…" if name.startswith("links_") else name
        assert f"`{prefix}`" in METRICS, name


def test_languages_as_the_page_says() -> None:
    assert len(PHRASES) == 13
    assert "thirteen languages" in METRICS


def test_the_tie_table(tmp_path: Path) -> None:
    rows = re.findall(r"^\| gold `(.)`; run .*?\| (.*) \|$", QRELS, re.MULTILINE)
    assert len(rows) == 2
    for name, printed in rows:
        gold = read_gold(qrels_file(tmp_path, {"q": {name: 1}}))
        run = trec_file(tmp_path, {"q": {name: 1.0, "b": 1.0}})
        result = score(gold, run, ScoreSetup(cutoffs=(2,)))
        (metric,) = (m for m in result.metrics if (m.name, m.slice) == ("ndcg@2", "all"))
        values = (metric.value, metric.lowest, metric.highest, metric.expected)
        assert [round(value or 0, 4) for value in values] == [float(v) for v in printed.split("|")]


def test_the_two_gains(tmp_path: Path) -> None:
    gold = read_gold(qrels_file(tmp_path, {"q": {"a": 3, "b": 1}}))
    result = score(gold, run_file(tmp_path, {"q": ["b", "a"]}), ScoreSetup(cutoffs=(10,)))
    found = {m.name: round(m.value or 0, 4) for m in result.metrics if m.slice == "all"}
    assert f"`ndcg@10` is {found['ndcg@10']} and `ndcg_exp@10` is {found['ndcg_exp@10']}" in QRELS


def test_the_formats_of_the_page_are_read(tmp_path: Path) -> None:
    qrels, lines = re.findall(r"```(?:json)?\n(301 0.*?|\{\"query_id.*?)```", QRELS, re.DOTALL)
    path = tmp_path / "topics.qrels"
    path.write_text(qrels, "utf-8")
    gold = read_qrels_file(path)
    run = tmp_path / "run.jsonl"
    run.write_text(lines.splitlines()[0], "utf-8")
    result = score(gold, run, ScoreSetup(cutoffs=(1,)))
    assert {m.value for m in result.metrics if (m.name, m.slice) == ("recall@1", "all")} == {1.0}
