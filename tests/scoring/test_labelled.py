"""The labelled half as a whole, on a frozen release and over formats."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from goldsmith.scoring.gold_readers import read_gold
from goldsmith.scoring.labelled import ScoreSetup, score
from goldsmith.scoring.scan import ScanRules
from tests.scoring.test_citations_labelled import fraction, run_of, value
from tests.support.gold import qrels_file, run_file, trec_file
from tests.support.releases import freeze_small

if TYPE_CHECKING:
    from pathlib import Path

    from goldsmith.scoring.gold import Gold


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Gold:
    return read_gold(freeze_small(tmp_path_factory.mktemp("release")).folder)


def test_a_run_against_a_release(release: Gold, tmp_path: Path) -> None:
    """Overlapping windows, exact duplicates, a joint member, two probes."""
    run = run_of(
        tmp_path,
        {
            "query_id": "q-days",
            "retrieved": ["p-plans-2", "p-plans-1"],
            "answer": "90 days [p-plans-2].",
        },
        {
            "query_id": "q-change",
            "retrieved": ["p-dash-2", "p-dash-copy"],
            "answer": "No, it cannot [p-dash-copy].",
        },
        {
            "query_id": "q-both",
            "retrieved": ["p-plans-2", "p-deals-1", "p-deals-2"],
            "answer": "365 days [p-plans-2], up to ten years [p-deals-1].",
        },
        {"query_id": "q-starter", "retrieved": [], "answer": "", "abstained": True},
        {
            "query_id": "q-page",
            "retrieved": ["p-dash-1"],
            "answer": "It cannot be changed: the retention period, from the dashboard [p-dash-1].",
        },
    )
    result = score(release, run, ScoreSetup(cutoffs=(1, 3)))
    # Rank 1, rank 2, and ranks 1 and 3 of two facts.
    assert value(result, "mrr") == pytest.approx((1 + 1 / 2 + 1) / 3)
    assert value(result, "recall@1") == pytest.approx((1 + 0 + 1 / 2) / 3)
    assert value(result, "all_hit@3") == 1
    assert value(result, "recall@3", "kind=multi_source") == 1
    assert value(result, "citation_precision") == 1
    # Of the second fact of q-both only half of a joint member is cited.
    assert value(result, "citation_recall") == pytest.approx((1 + 1 + 1 / 2) / 3)
    assert value(result, "attributable_statement_coverage") == 1
    assert value(result, "abstention_rate") == 1 / 2
    assert value(result, "premise_corrected") == 1
    assert fraction(result, "recall@3")[2] == 3
    assert result.counts["missing_in_run"] == 0
    assert result.counts["probes"] == 2
    # Not everything in the first 3 was judged for its query.
    assert value(result, "unjudged@3") == pytest.approx((0 + 1 / 3 + 0) / 3)


def test_every_query_is_in_one_count(release: Gold, tmp_path: Path) -> None:
    result = score(release, run_file(tmp_path, {"q-days": ["p-plans-1"]}))
    counts = result.counts
    assert counts["queries"] == (
        counts["answerable"] + counts["probes"] + counts["without_relevant"]
    )
    assert counts["missing_in_run"] == 4
    assert {m.n for m in result.metrics if m.slice == "all"} == {3}


def test_no_column_holds_what_no_query_can_have(release: Gold, tmp_path: Path) -> None:
    result = score(release, run_file(tmp_path, {"q-both": ["p-deals-2", "p-plans-2"]}))
    for metric in result.metrics:
        assert metric.value is not None, metric.name
        assert 0 <= metric.value <= 1
        assert metric.low is not None
        assert metric.high is not None
        assert metric.low <= metric.value <= metric.high


def test_the_same_ranking_in_either_format_gives_the_same_figures(tmp_path: Path) -> None:
    gold = read_gold(qrels_file(tmp_path, {"q1": {"a": 2, "b": 1, "c": 0}, "q2": {"d": 1}}))
    scores = {"q1": {"c": 3.0, "b": 2.0, "a": 1.0}, "q2": {"x": 2.0, "d": 1.0}}
    lists = {q: list(chunks) for q, chunks in scores.items()}
    one = score(gold, trec_file(tmp_path, scores))
    other = score(gold, run_file(tmp_path, lists))
    assert [(m.name, m.slice, m.value) for m in one.metrics] == [
        (m.name, m.slice, m.value) for m in other.metrics
    ]
    assert one.counts == other.counts
    assert one.counts["tie_affected"] == 0


def test_queries_whose_value_depends_on_ties_are_counted(tmp_path: Path) -> None:
    gold = read_gold(qrels_file(tmp_path, {"q1": {"a": 1}, "q2": {"a": 1}, "q3": {"a": 1}}))
    tied = {"a": 1.0, "b": 1.0}
    run = trec_file(tmp_path, {"q1": tied, "q2": {"a": 2.0, "b": 1.0}, "q3": {"b": 1.0}})
    assert score(gold, run).counts["tie_affected"] == 1


def test_extra_and_ignored_are_reported(tmp_path: Path) -> None:
    gold = read_gold(qrels_file(tmp_path, {"q": {"a": 1}}))
    run = run_of(
        tmp_path,
        {"query_id": "q", "retrieved": ["a", "a"], "model": "m"},
        {"query_id": "z", "retrieved": []},
    )
    result = score(gold, run, ScoreSetup(rules=ScanRules(allow_extra=True)))
    assert result.counts["extra_in_run"] == 1
    assert result.counts["duplicate_chunks"] == 1
    assert result.ignored_fields == {"model": 1}


def test_equal_inputs_give_equal_figures(release: Gold, tmp_path: Path) -> None:
    run = run_file(tmp_path, {"q-both": ["p-plans-2"], "q-days": ["x"], "q-change": []})
    first, again = (
        json.dumps([m.model_dump(mode="json") for m in score(release, run).metrics])
        for _ in range(2)
    )
    assert first == again
