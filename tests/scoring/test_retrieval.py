"""Worked cases of retrieval; the arithmetic stands beside each."""

from __future__ import annotations

from math import log2
from typing import TYPE_CHECKING

import pytest

from goldsmith.errors import InputError
from goldsmith.records import Kind
from goldsmith.scoring.gold_readers import read_gold
from goldsmith.scoring.records import Columns, Metric
from goldsmith.scoring.retrieval import retrieval_columns
from goldsmith.scoring.scan import Scan, ScanRules
from goldsmith.scoring.scan_parts import scan_run
from goldsmith.scoring.slices import slices_of
from goldsmith.scoring.summary import Summarizer
from tests.support.gold import answerable, evidence, gold_of, qrels_file, run_file, trec_file

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from goldsmith.scoring.gold import Gold

Figures = dict[tuple[str, str], Metric]


def figures(gold: Gold, run: Path, cutoffs: tuple[int, ...], **rules: object) -> Figures:
    """Metrics by (name, slice)."""
    scan = scan_run(run, gold, ScanRules(**rules))  # type: ignore[arg-type]
    return scored(gold, scan, cutoffs)


def scored(gold: Gold, scan: Scan, cutoffs: tuple[int, ...]) -> Figures:
    lazy = retrieval_columns(gold, scan, cutoffs=cutoffs, seed=7)
    columns = Columns(gold.query_ids, lazy, slices_of(gold, scan))
    found = Summarizer(seed=7, resamples=50).figures(columns)
    return {(metric.name, metric.slice): metric for metric in found}


def values(found: Figures, part: str = "all") -> dict[str, float | None]:
    return {name: metric.value for (name, slice_), metric in found.items() if slice_ == part}


def expect(found: Figures, expected: Mapping[str, float], part: str = "all") -> None:
    mine = values(found, part)
    assert {name: mine[name] for name in expected} == pytest.approx(dict(expected), abs=1e-9)


def test_alternatives_count_once(tmp_path: Path) -> None:
    gold = gold_of(tmp_path, answerable("q", evidence("a", "a'"), evidence("b")))
    run = run_file(tmp_path, {"q": ["x", "a'", "a", "b"]})
    found = figures(gold, run, (1, 2, 3, 4))
    expect(
        found,
        {
            "recall@2": 1 / 2,
            "recall@4": 1,
            "hit@1": 0,
            "hit@2": 1,
            "all_hit@3": 0,
            "all_hit@4": 1,
            "mrr": 1 / 2,
            # a', a and b all carry evidence.
            "precision@4": 3 / 4,
            # First fact at rank 2, second at rank 4; a adds nothing at rank 3.
            "ndcg@4": (1 / log2(3) + 1 / log2(5)) / (1 + 1 / log2(3)),
            # By chunk there are three relevant ones.
            "recall_strict@2": 1 / 3,
            "ndcg_strict@4": (1 / log2(3) + 1 / log2(4) + 1 / log2(5))
            / (1 + 1 / log2(3) + 1 / log2(4)),
        },
    )
    assert round(found["ndcg@4", "all"].value or 0, 4) == 0.6509


def test_a_chunk_listed_twice_gains_nothing(tmp_path: Path) -> None:
    gold = read_gold(qrels_file(tmp_path, {"q": {"A": 1, "B": 1}}))
    scan = scan_run(run_file(tmp_path, {"q": ["A", "A"]}), gold)
    assert scan.duplicates == 1
    expected = {"recall@2": 1 / 2, "precision@2": 1 / 2, "ndcg@2": 1 / (1 + 1 / log2(3))}
    found = scored(gold, scan, (2,))
    expect(found, expected)
    assert round(found["ndcg@2", "all"].value or 0, 4) == 0.6131
    # The copy holds its slot, and it is judged.
    expect(found, {"unjudged@2": 0})


def test_duplicates_never_lift_a_figure_above_one(tmp_path: Path) -> None:
    gold = read_gold(qrels_file(tmp_path, {"q": {"A": 1}}))
    run = run_file(tmp_path, {"q": ["A", "A", "X"]})
    found = figures(gold, run, (3,))
    expect(found, {"recall@3": 1, "precision@3": 1 / 3, "ndcg@3": 1, "unjudged@3": 1 / 3})
    with pytest.raises(InputError, match=r"line 1: retrieved: duplicate_chunk_id: found 'A'"):
        scan_run(run, gold, ScanRules(strict=True))


def test_graded_relevance(tmp_path: Path) -> None:
    gold = read_gold(qrels_file(tmp_path, {"q": {"a": 3, "b": 1}}))
    found = figures(gold, run_file(tmp_path, {"q": ["b", "a"]}), (10,))
    expect(
        found,
        {
            "ndcg@10": (1 + 3 / log2(3)) / (3 + 1 / log2(3)),
            # 2^1 - 1 and 2^3 - 1.
            "ndcg_exp@10": (1 + 7 / log2(3)) / (7 + 1 / log2(3)),
        },
    )
    assert round(found["ndcg@10", "all"].value or 0, 4) == 0.7967
    assert round(found["ndcg_exp@10", "all"].value or 0, 4) == 0.7098


def test_the_ideal_is_over_gold_not_over_what_was_retrieved(tmp_path: Path) -> None:
    gold = read_gold(qrels_file(tmp_path, {"q": {"a": 1, "b": 1}}))
    found = figures(gold, run_file(tmp_path, {"q": ["a", "x", "y"]}), (3,))
    expect(found, {"recall@3": 0.5, "ndcg@3": 1 / (1 + 1 / log2(3)), "hit@3": 1, "all_hit@3": 0})


def test_a_query_that_the_run_lacks_scores_zero_and_is_counted(tmp_path: Path) -> None:
    gold = read_gold(qrels_file(tmp_path, {"q1": {"b": 1}, "q2": {"b": 1}}))
    found = figures(gold, run_file(tmp_path, {"q1": ["b"]}), (1, 5))
    expect(found, {"mrr": 0.5, "recall@1": 0.5, "ndcg@5": 0.5})
    expect(found, {"mrr": 1.0, "recall@1": 1.0, "ndcg@5": 1.0}, part="answered")
    assert {metric.n for (_, part), metric in found.items() if part == "all"} == {2}
    assert {metric.n for (_, part), metric in found.items() if part == "answered"} == {1}


def test_precision_divides_by_k_also_for_a_shorter_list(tmp_path: Path) -> None:
    gold = read_gold(qrels_file(tmp_path, {"q": {"a": 1}}))
    found = figures(gold, run_file(tmp_path, {"q": ["a"]}), (10,))
    expect(found, {"precision@10": 0.1, "unjudged@10": 0})


# -- joint members -------------------------------------------------------------------------------


def test_a_joint_member_counts_at_the_rank_of_its_last_chunk(tmp_path: Path) -> None:
    gold = gold_of(tmp_path, answerable("q", evidence("j1+j2")))
    found = figures(gold, run_file(tmp_path, {"q": ["j2", "x", "j1"]}), (1, 2, 3))
    expect(
        found,
        {
            "recall@1": 0,
            "recall@2": 0,
            "recall@3": 1,
            "mrr": 1 / 3,
            # Half a quote proves nothing; once it is whole both halves were needed.
            "precision@2": 0,
            "precision@3": 2 / 3,
            # At best the second half stands at rank 2.
            "ndcg@3": (1 / log2(4)) / (1 / log2(3)),
            "ndcg@2": 0,
        },
    )
    # Nothing can be covered by one chunk: the first rank has no ideal, so no nDCG.
    assert found["ndcg@1", "all"].value is None
    assert found["ndcg@1", "all"].undefined == 1


def test_a_quote_cut_in_four_needs_all_four(tmp_path: Path) -> None:
    gold = gold_of(tmp_path, answerable("q", evidence("c1+c2+c3+c4")))
    first = figures(gold, run_file(tmp_path, {"q": ["c1"]}), (4,))
    expect(first, {"recall@4": 0, "hit@4": 0, "mrr": 0, "recall_strict@4": 1 / 4})
    whole = figures(gold, run_file(tmp_path, {"q": ["c4", "c3", "c2", "c1"]}), (4,))
    expect(whole, {"recall@4": 1, "ndcg@4": 1, "precision@4": 1, "mrr": 1 / 4})


def test_both_overlapping_windows_add_nothing(tmp_path: Path) -> None:
    gold = gold_of(tmp_path, answerable("q", evidence("w1", "w2")))
    one = figures(gold, run_file(tmp_path, {"q": ["w1", "x"]}), (2,))
    both = figures(gold, run_file(tmp_path, {"q": ["w1", "w2"]}), (2,))
    for name in ("recall@2", "ndcg@2", "mrr", "hit@2"):
        assert values(one)[name] == values(both)[name] == 1


def test_one_chunk_may_carry_several_evidences(tmp_path: Path) -> None:
    # b carries both facts: the ideal has them at rank 1, gain 2.
    gold = gold_of(tmp_path, answerable("q", evidence("a", "b"), evidence("c", "b")))
    at_once = figures(gold, run_file(tmp_path, {"q": ["b"]}), (5,))
    expect(at_once, {"ndcg@5": 1, "recall@5": 1, "precision@5": 1 / 5})
    apart = figures(gold, run_file(tmp_path, {"q": ["a", "c"]}), (5,))
    expect(apart, {"ndcg@5": (1 + 1 / log2(3)) / 2, "recall@5": 1})


# -- other chunkings -----------------------------------------------------------------------------


def item(chunk_id: str, start: int, end: int, doc_id: str = "d") -> dict[str, object]:
    return {"chunk_id": chunk_id, "doc_id": doc_id, "start": start, "end": end}


def test_a_run_on_another_chunking_is_matched_by_span(tmp_path: Path) -> None:
    gold = gold_of(tmp_path, answerable("q", evidence("a", span=("d", 100, 200))))
    run = run_file(tmp_path, {"q": [item("n1", 0, 150), item("n2", 90, 210)]})
    found = figures(gold, run, (1, 2))
    # n1 holds half of the quote, n2 all of it.
    expect(found, {"recall@1": 0, "recall@2": 1, "mrr": 1 / 2})
    assert found["recall_strict@2", "all"].value is None
    assert "another chunking" in found["recall_strict@2", "all"].note
    half = figures(gold, run, (1,), min_overlap=0.5)
    expect(half, {"recall@1": 1, "mrr": 1})


def test_items_that_together_cover_a_quote_are_a_joint_member(tmp_path: Path) -> None:
    gold = gold_of(tmp_path, answerable("q", evidence("a", span=("d", 0, 1000))))
    quarters = [item(f"n{n}", 250 * n, 250 * (n + 1)) for n in range(4)]
    one = figures(gold, run_file(tmp_path, {"q": quarters[:1]}), (4,))
    expect(one, {"recall@4": 0, "precision@4": 0})
    four = figures(gold, run_file(tmp_path, {"q": quarters}), (3, 4))
    expect(four, {"recall@3": 0, "recall@4": 1, "mrr": 1 / 4, "precision@4": 1})


def test_an_item_that_carries_two_facts_at_once_gains_no_more_than_the_ideal(
    tmp_path: Path,
) -> None:
    """Gold's ideal is two chunks, 1 + 1/log2 3 = 1.6309; one item with both has 1 + 1 = 2 at rank
    1, which is 1, and 2/log2 3 = 1.2619 at rank 2, which is .7737."""
    facts = (evidence("a", span=("d", 0, 10)), evidence("b", span=("d", 10, 20)))
    gold = gold_of(tmp_path, answerable("q", *facts))
    both, none = item("n", 0, 20), item("m", 30, 40)
    expect(figures(gold, run_file(tmp_path, {"q": [both, none]}), (2,)), {"ndcg@2": 1})
    later = figures(gold, run_file(tmp_path, {"q": [none, both]}), (2,))
    value = later["ndcg@2", "all"].value
    assert value == pytest.approx(0.7737, abs=1e-4)


def test_another_document_or_no_offsets_carry_nothing(tmp_path: Path) -> None:
    gold = gold_of(tmp_path, answerable("q", evidence("a", span=("d", 0, 10))))
    run = run_file(tmp_path, {"q": [item("n", 0, 10, "e"), {"chunk_id": "m", "doc_id": "d"}]})
    expect(figures(gold, run, (2,)), {"recall@2": 0})


def test_a_known_chunk_is_matched_by_id_though_it_says_where_it_stands(tmp_path: Path) -> None:
    # p-x holds the characters, but a judge of passages saw it and gold does not list it.
    query = answerable("q", evidence("a", span=("d", 0, 10)))
    gold = gold_of(tmp_path, query, corpus=["p-x"])
    expect(figures(gold, run_file(tmp_path, {"q": [item("p-x", 0, 10)]}), (1,)), {"recall@1": 0})


@pytest.mark.parametrize("share", [0, -1, 1.5, float("nan")])
def test_min_overlap_is_a_share(share: float) -> None:
    with pytest.raises(InputError, match="min_overlap is a share"):
        ScanRules(min_overlap=share)


# -- slices --------------------------------------------------------------------------------------


def test_slices_by_kind_and_band_and_no_probe_among_them(tmp_path: Path) -> None:
    gold = gold_of(
        tmp_path,
        answerable("f", evidence("a"), band="easy"),
        answerable("m", evidence("a"), evidence("b"), kind=Kind.MULTI_SOURCE, band="hard"),
        answerable("p", kind=Kind.UNANSWERABLE),
    )
    found = figures(gold, run_file(tmp_path, {"f": ["a"], "m": ["a"], "p": ["a"]}), (1,))
    expect(found, {"recall@1": 0.75})
    expect(found, {"recall@1": 1}, part="kind=factoid")
    expect(found, {"recall@1": 0.5}, part="kind=multi_source")
    expect(found, {"recall@1": 0.5}, part="band=hard")
    assert found["recall@1", "all"].n == 2
    assert ("recall@1", "kind=unanswerable") not in found


def test_a_figure_carries_what_it_is_made_of(tmp_path: Path) -> None:
    gold = read_gold(qrels_file(tmp_path, {"q1": {"a": 1}, "q2": {"a": 1}, "q3": {"a": 0}}))
    run = run_file(tmp_path, {"q1": ["a"], "q2": ["x"], "q3": ["a"]})
    metric = figures(gold, run, (1,))["recall@1", "all"]
    assert (metric.numerator, metric.denominator, metric.n) == (1.0, 2.0, 2)
    assert metric.method == "bootstrap(50, seed 7)"
    assert (metric.low, metric.high) == (0.0, 1.0)
    assert metric.lowest is None


# -- refusals ------------------------------------------------------------------------------------


def test_no_overlap_of_ids_is_refused_before_scoring(tmp_path: Path) -> None:
    gold = read_gold(qrels_file(tmp_path, {"301": {"a": 1}}))
    with pytest.raises(InputError, match=r"0 of 1 queries .*like '301\.1', in the gold like '301'"):
        scan_run(run_file(tmp_path, {"301.1": ["a"]}), gold)
    with pytest.raises(InputError, match="0 of 1 queries"):
        scan_run(trec_file(tmp_path, {"301.1": {"a": 1.0}}), gold, ScanRules(allow_extra=True))


def test_extra_queries_are_refused_or_counted(tmp_path: Path) -> None:
    gold = read_gold(qrels_file(tmp_path, {"q": {"a": 1}}))
    run = run_file(tmp_path, {"q": ["a"], "extra": ["a"]})
    with pytest.raises(InputError, match="line 2: query_id: unknown_query_id: found 'extra'"):
        scan_run(run, gold)
    scan = scan_run(run, gold, ScanRules(allow_extra=True))
    assert scan.extra == 1
    expect(scored(gold, scan, (1,)), {"recall@1": 1})
    assert scored(gold, scan, (1,))["recall@1", "all"].n == 1


def test_a_repeated_query_is_refused(tmp_path: Path) -> None:
    gold = read_gold(qrels_file(tmp_path, {"q": {"a": 1}}))
    run = tmp_path / "run.jsonl"
    run.write_text('{"query_id": "q", "retrieved": ["a"]}\n' * 2, "utf-8")
    with pytest.raises(InputError, match="line 2: query_id: repeated_query_id: found 'q'"):
        scan_run(run, gold)


def test_faults_of_a_trec_run_are_named(tmp_path: Path) -> None:
    gold = read_gold(qrels_file(tmp_path, {"q": {"a": 1}}))
    run = tmp_path / "run.trec"
    run.write_text("q Q0 a 1 0.5 t\n\nq Q0 b 2 x t\nq Q0 c 3 nan t\nq Q0 d 4 0.1\n", "utf-8")
    with pytest.raises(InputError) as refusal:
        scan_run(run, gold)
    message = str(refusal.value)
    assert "3 faults" in message
    assert "line 3: score: not_finite: found 'x', expected a finite number" in message
    assert "line 4: score: not_finite: found 'nan'" in message
    assert "line 5: line: fields: found 'q Q0 d 4 0.1'" in message
