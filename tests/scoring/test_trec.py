"""Equal to trec_eval: on its own files, on random runs, and in how ties fall."""

from __future__ import annotations

import json
import math
from itertools import permutations, product
from typing import TYPE_CHECKING

import numpy as np
import pytest
import pytrec_eval
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from goldsmith.scoring.gold_readers import read_gold
from goldsmith.scoring.records import Columns
from goldsmith.scoring.retrieval import retrieval_columns
from goldsmith.scoring.scan_parts import scan_run
from goldsmith.scoring.summary import Summarizer
from tests.support.gold import answerable, evidence, gold_of, qrels_file, run_file, trec_file

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from goldsmith.scoring.gold import Gold
    from goldsmith.scoring.records import Bounds, Column, Metric

KS = (1, 2, 5, 10, 20, 100)
TREC_NAMES = {
    **{f"recall_strict@{k}": f"recall_{k}" for k in KS},
    **{f"hit_strict@{k}": f"success_{k}" for k in KS},
    **{f"precision_strict@{k}": f"P_{k}" for k in KS},
    **{f"ndcg_strict@{k}": f"ndcg_cut_{k}" for k in KS},
    "mrr_strict": "recip_rank",
}
_CUTS = ",".join(map(str, KS))
MEASURES = {f"{name}.{_CUTS}" for name in ("recall", "success", "P", "ndcg_cut")} | {"recip_rank"}


def columns(gold: Gold, run: Path, cutoffs: tuple[int, ...] = KS) -> Mapping[str, Column]:
    return retrieval_columns(gold, scan_run(run, gold), cutoffs=cutoffs, seed=7)


def means(gold: Gold, run: Path, cutoffs: tuple[int, ...] = KS) -> dict[str, Metric]:
    found = Summarizer(seed=7, resamples=20).figures(
        Columns(gold.query_ids, columns(gold, run, cutoffs))
    )
    return {metric.name: metric for metric in found}


def by_query(gold: Gold, column: Column) -> dict[str, float]:
    with np.errstate(invalid="ignore"):
        values = column.numerator / column.denominator
    return dict(zip(gold.query_ids, values.tolist(), strict=True))


# -- trec_eval's own files -----------------------------------------------------------------------


def test_the_values_of_trec_evals_test_files(shared_data: Path) -> None:
    folder = shared_data / "trec" / "trec_eval_test"
    expected = json.loads((folder / "results.test.expected.json").read_text())
    gold = read_gold(folder / "qrels.test")
    run = folder / "results.test"
    found = means(gold, run)
    for ours, theirs in TREC_NAMES.items():
        if theirs in expected["mean"]:
            assert found[ours].value == pytest.approx(expected["mean"][theirs], abs=1e-9), ours
    lazy = columns(gold, run)
    for ours, theirs in TREC_NAMES.items():
        for query_id, value in by_query(gold, lazy[ours]).items():
            if theirs in expected["per_topic"][query_id]:
                wanted = expected["per_topic"][query_id][theirs]
                assert value == pytest.approx(wanted, abs=1e-9), (ours, query_id)


@pytest.mark.parametrize(
    ("qrels", "run", "output"),
    [
        ("qrels.test", "results.test", "out.test.a"),
        ("qrels.test.with-comments", "results.test", "out.test.a"),
    ],
)
def test_trec_evals_printed_output(shared_data: Path, qrels: str, run: str, output: str) -> None:
    """Four printed decimals, unjudged passages among them."""
    folder = shared_data / "trec" / "trec_eval_test"
    rows = (line.split() for line in (folder / output).read_text().splitlines())
    printed = {name: value for name, topic, value in rows if topic == "all"}
    names = {**TREC_NAMES, **{f"unjudged@{k}": f"unj_{k}" for k in (5, 10, 20)}}
    found = means(read_gold(folder / qrels), folder / run)
    compared = 0
    for ours, theirs in names.items():
        if theirs in printed:
            assert f"{found[ours].value:.4f}" == printed[theirs], ours
            compared += 1
    assert compared >= 15


def test_rows_of_a_query_may_lie_apart(shared_data: Path) -> None:
    """`results.trunc` has two of the three topics, their rows mixed, words after the tag."""
    folder = shared_data / "trec" / "trec_eval_test"
    gold = read_gold(folder / "qrels.test")
    run = folder / "results.trunc"
    ranked: dict[str, dict[str, float]] = {}
    for line in run.read_text().splitlines():
        query, _, chunk, _, score = line.split()[:5]
        ranked.setdefault(query, {})[chunk] = float(score)
    assert set(ranked) == {"301", "303"}
    assert_equal_to_trec_eval(gold, run, judged_of(gold), ranked)
    scan = scan_run(run, gold)
    assert list(scan.answered) == [1, 0, 1]
    # trec_eval -c: the missing topic counts 0.
    assert means(gold, run)["recall@100"].n == 3


def test_the_values_of_the_cwl_examples(shared_data: Path) -> None:
    folder = shared_data / "trec" / "ir_measures_cwl"
    gold = read_gold(folder / "cwl.qrels")
    lazy = columns(gold, folder / "cwl.run", (5, 10))
    ndcg5, ndcg10 = by_query(gold, lazy["ndcg@5"]), by_query(gold, lazy["ndcg@10"])
    assert {q: round(v, 6) for q, v in ndcg5.items()} == {"T1": 0.654809, "T2": 0.684352, "T3": 0}
    assert {q: round(v, 6) for q, v in ndcg10.items()} == {
        "T1": 0.869959,
        "T2": 0.898006,
        "T3": 0.505179,
    }
    assert by_query(gold, lazy["precision@5"])["T1"] == pytest.approx(0.6)
    assert by_query(gold, lazy["recall@5"])["T1"] == pytest.approx(0.6)
    assert by_query(gold, lazy["precision@10"])["T1"] == pytest.approx(0.5)
    assert by_query(gold, lazy["mrr"]) == pytest.approx({"T1": 1, "T2": 1, "T3": 1 / 6})


def test_a_large_graded_example(shared_data: Path) -> None:
    folder = shared_data / "trec" / "ir_measures_cwl"
    gold = read_gold(folder / "compat.qrels")
    with (folder / "compat.run").open() as file:
        ranked = pytrec_eval.parse_run(file)
    assert_equal_to_trec_eval(gold, folder / "compat.run", judged_of(gold), ranked)


# -- random runs ---------------------------------------------------------------------------------


def judged_of(gold: Gold) -> dict[str, dict[str, int]]:
    judged: dict[str, dict[str, int]] = {query_id: {} for query_id in gold.query_ids}
    for owner, chunk, grade in zip(gold.owners, gold.chunk_ids, gold.relevance, strict=True):
        judged[gold.query_ids[owner]][chunk] = int(grade)
    return judged


def assert_equal_to_trec_eval(
    gold: Gold,
    run: Path,
    judged: dict[str, dict[str, int]],
    ranked: dict[str, dict[str, float]],
) -> None:
    expected = pytrec_eval.RelevanceEvaluator(judged, MEASURES).evaluate(ranked)
    lazy = columns(gold, run)
    for ours, theirs in TREC_NAMES.items():
        found = by_query(gold, lazy[ours])
        plain = by_query(gold, lazy[ours.replace("_strict", "")])
        for query_id, grades in judged.items():
            if not any(grades.values()):
                # Nothing to find: undefined here, 0 in trec_eval.
                assert math.isnan(found[query_id])
                continue
            wanted = expected.get(query_id, {}).get(theirs, 0.0)
            assert found[query_id] == pytest.approx(wanted, abs=1e-9), (ours, query_id)
            # Every evidence has a chunk of its own, so the figures by evidence are the same.
            assert plain[query_id] == pytest.approx(wanted, abs=1e-9), (ours, query_id)


IDS = st.text(st.sampled_from("aZ0é漢🧀-"), min_size=1, max_size=3)
# Few different scores, some of them different beyond single precision: many ties.
SCORES = st.sampled_from([0.0, 1.0, 1.00000001, 1.5, -2.0, 3e-39, 1e10, 1e10 + 1])
JUDGED = st.dictionaries(IDS, st.dictionaries(IDS, st.integers(0, 3), min_size=1), min_size=1)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(judged=JUDGED, data=st.data())
def test_random_runs_with_ties(
    tmp_path: Path, judged: dict[str, dict[str, int]], data: st.DataObject
) -> None:
    ranked = {
        query_id: data.draw(st.dictionaries(IDS, SCORES, min_size=1))
        for query_id in data.draw(st.lists(st.sampled_from(sorted(judged)), min_size=1))
    }
    gold = read_gold(qrels_file(tmp_path, judged))
    assert_equal_to_trec_eval(gold, trec_file(tmp_path, ranked), judged, ranked)


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(judged=JUDGED, data=st.data())
def test_random_ranked_lists(
    tmp_path: Path, judged: dict[str, dict[str, int]], data: st.DataObject
) -> None:
    lists = {
        query_id: data.draw(st.lists(IDS, unique=True, min_size=1))
        for query_id in data.draw(st.lists(st.sampled_from(sorted(judged)), min_size=1))
    }
    ranked = {q: {c: 1.0 / (n + 1) for n, c in enumerate(ids)} for q, ids in lists.items()}
    gold = read_gold(qrels_file(tmp_path, judged))
    assert_equal_to_trec_eval(gold, run_file(tmp_path, lists), judged, ranked)


# -- ties ----------------------------------------------------------------------------------------


def bounds(column: Column, number: int = 0) -> tuple[float, float, float]:
    found: Bounds | None = column.bounds
    assert found is not None
    assert found.expected is not None
    return (
        float(found.lowest[number]),
        float(found.highest[number]),
        float(found.expected[number]),
    )


def test_renaming_a_document_changes_the_value_not_the_bounds(tmp_path: Path) -> None:
    for name, value in (("a", 1 / math.log2(3)), ("c", 1.0)):
        gold = read_gold(qrels_file(tmp_path, {"q": {name: 1}}))
        run = trec_file(tmp_path, {"q": {name: 1.0, "b": 1.0}})
        metric = means(gold, run, (2,))["ndcg@2"]
        assert metric.value == pytest.approx(value)
        assert metric.lowest == pytest.approx(1 / math.log2(3))
        assert metric.highest == pytest.approx(1.0)
        assert metric.expected == pytest.approx((1 + 1 / math.log2(3)) / 2)
        assert [round(v or 0, 4) for v in (metric.lowest, metric.highest, metric.expected)] == [
            0.6309,
            1.0,
            0.8155,
        ]


def test_a_ranked_list_has_no_ties(tmp_path: Path) -> None:
    gold = read_gold(qrels_file(tmp_path, {"q": {"a": 1}}))
    items = [{"chunk_id": "b", "score": 1.0}, {"chunk_id": "a", "score": 1.0}]
    metric = means(gold, run_file(tmp_path, {"q": items}), (2,))["mrr"]
    assert metric.value == 0.5
    assert metric.lowest is None


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    grades=st.lists(st.integers(0, 2), min_size=1, max_size=5).filter(any),
    scores=st.lists(st.sampled_from([1.0, 2.0]), min_size=5, max_size=5),
    unretrieved=st.integers(0, 1),
)
def test_bounds_and_expectation_are_those_of_all_orders(
    tmp_path: Path, grades: list[int], scores: list[float], unretrieved: int
) -> None:
    names = [f"d{n}" for n in range(len(grades))]
    judged = dict(zip(names, grades, strict=True))
    ranked = dict(zip(names, scores, strict=False))
    for name in names[:unretrieved]:
        if len(ranked) > 1:
            del ranked[name]
    gold = read_gold(qrels_file(tmp_path, {"q": judged}))
    lazy = columns(gold, trec_file(tmp_path, {"q": ranked}), (1, 2, 4))
    tried: dict[str, list[float]] = {name: [] for name in lazy}
    for order in all_orders(ranked):
        plain = columns(gold, run_file(tmp_path, {"q": order}), (1, 2, 4))
        for name in lazy:
            tried[name].append(by_query(gold, plain[name])["q"])
    for name, seen in tried.items():
        if not name.startswith("unjudged"):
            expected = (min(seen), max(seen), float(np.mean(seen)))
            value = by_query(gold, lazy[name])["q"]
            # Without a tie around a relevant chunk there is one value.
            found = (value,) * 3 if lazy[name].bounds is None else bounds(lazy[name])
            assert found == pytest.approx(expected, abs=1e-9), name


def all_orders(ranked: Mapping[str, float]) -> list[list[str]]:
    levels = sorted(set(ranked.values()), reverse=True)
    groups = [[name for name, score in ranked.items() if score == level] for level in levels]
    return [
        [name for group in chosen for name in group]
        for chosen in product(*(permutations(group) for group in groups))
    ]


@pytest.mark.parametrize("size", [5, 9], ids=["every order", "a sample of them"])
def test_ties_among_alternatives_and_joint_members(tmp_path: Path, size: int) -> None:
    query = answerable("q", evidence("a", "b"), evidence("c+d"))
    gold = gold_of(tmp_path, query)
    names = ["a", "b", "c", "d", "w", "x", "y", "z", "zz"][:size]
    lazy = columns(gold, trec_file(tmp_path, {"q": dict.fromkeys(names, 1.0)}), (3,))
    # At best one of the alternatives comes first and the pair after it, or the pair last.
    lowest, highest, expected = bounds(lazy["mrr"])
    assert highest == 1.0
    # At worst the others come first, then one half of the pair; what follows covers something.
    assert lowest == pytest.approx(1 / (size - 2))
    seen = []
    for order in permutations(range(size), 4):
        rank = dict(zip("abcd", order, strict=True))
        first = min(rank["a"], rank["b"], max(rank["c"], rank["d"]))
        seen.append(1 / (first + 1))
    tolerance = 1e-9 if size == 5 else 0.05
    assert expected == pytest.approx(float(np.mean(seen)), abs=tolerance)
    assert lowest == pytest.approx(min(seen))
