"""Abstention where it is right and where it is wrong; everything worked by hand."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pytest

from goldsmith.records import Expected, Kind, ProbeKind
from goldsmith.scoring.gold import Corpus
from goldsmith.scoring.labelled import score
from tests.scoring.test_citations_labelled import fraction, run_of, value
from tests.support.gold import answerable, evidence, gold_of

if TYPE_CHECKING:
    from pathlib import Path

    from goldsmith.scoring.gold import GoldQuery
    from goldsmith.scoring.labelled import ScoreResult

CORRECTION = "The retention period cannot be changed from the dashboard."


def probe(query_id: str, kind: ProbeKind, *traps: str) -> GoldQuery:
    false_premise = kind is ProbeKind.FALSE_PREMISE
    return answerable(
        query_id,
        kind=Kind.UNANSWERABLE,
        probe_kind=kind,
        trap_chunk_ids=traps,
        answer=CORRECTION if false_premise else "",
        expected=Expected.CORRECT_THE_PREMISE if false_premise else Expected.ABSTAIN,
    )


def scored(folder: Path, *cases: tuple[GoldQuery, dict[str, Any]]) -> ScoreResult:
    gold = gold_of(folder, *(query for query, _ in cases))
    rows = ({"query_id": query.query_id, "retrieved": []} | record for query, record in cases)
    return score(gold, run_of(folder, *rows))


def test_both_figures_always_together(tmp_path: Path) -> None:
    silent = {"answer": "I don't know."}
    result = scored(
        tmp_path,
        (probe("p1", ProbeKind.MISSING), silent),
        (probe("p2", ProbeKind.MISSING), {"answer": "It is 30 days."}),
        (probe("p3", ProbeKind.OUTDATED), silent),
        (answerable("q1", evidence("a")), silent),
        (answerable("q2", evidence("a")), {"answer": "90 days [a]."}),
        (answerable("q3", evidence("a")), {"answer": "90 days [a]."}),
    )
    assert fraction(result, "abstention_rate") == (2, 3, 3)
    assert fraction(result, "answered_anyway") == (1, 3, 3)
    assert fraction(result, "false_abstention_rate") == (1, 3, 3)
    assert value(result, "abstention_rate", "probe=missing") == 1 / 2
    assert value(result, "abstention_rate", "probe=outdated") == 1
    assert result.counts["abstained_inferred"] == 3
    assert result.abstained == {"p1", "p3", "q1"}


def test_abstaining_on_a_probe_is_no_failed_claim(tmp_path: Path) -> None:
    # Perfect, half right, and silent where silence is right: nothing is NaN, nothing an error.
    claims = [{"text": "so", "cited_ids": ["a"]}, {"text": "so", "cited_ids": ["a"]}]
    half = [{"text": "so", "cited_ids": ["a"]}, {"text": "so", "cited_ids": ["x"]}]
    result = scored(
        tmp_path,
        (answerable("q1", evidence("a")), {"retrieved": ["a"], "claims": claims}),
        (answerable("q2", evidence("a")), {"retrieved": ["a", "x"], "claims": half}),
        (probe("p", ProbeKind.MISSING), {"abstained": True, "answer": ""}),
    )
    assert fraction(result, "citation_precision_pooled") == (3, 4, 2)
    assert fraction(result, "abstention_rate") == (1, 1, 1)
    assert result.counts["abstained_flagged"] == 1
    for metric in result.metrics:
        assert metric.value is None or math.isfinite(metric.value)


def test_the_flag_wins_over_markers(tmp_path: Path) -> None:
    said = {"retrieved": ["x"], "answer": "30 days [x].", "abstained": True}
    result = scored(tmp_path, (probe("p", ProbeKind.MISSING), said))
    assert value(result, "abstention_rate") == 1
    assert value(result, "cited_anyway") is None


def test_of_those_that_answered_who_cited_and_who_fell_for_the_trap(tmp_path: Path) -> None:
    result = scored(
        tmp_path,
        (
            probe("p1", ProbeKind.OUTDATED, "t"),
            {"claims": [{"text": "so", "cited_ids": ["u", "t"]}]},
        ),
        (probe("p2", ProbeKind.OUTDATED, "t"), {"claims": [{"text": "so", "cited_ids": ["t"]}]}),
        (probe("p3", ProbeKind.OUTDATED, "t"), {"answer": "It is 30 days."}),
        (probe("p4", ProbeKind.OUTDATED, "t"), {"abstained": True}),
        (probe("p5", ProbeKind.MISSING), {"claims": [{"text": "so", "cited_ids": ["u"]}]}),
    )
    assert fraction(result, "answered_anyway") == (4, 5, 5)
    assert fraction(result, "cited_anyway") == (3, 4, 4)
    # Only a probe that has a trap can be trapped.
    assert fraction(result, "fell_for_trap") == (2, 3, 3)


def test_stating_the_trap_without_citing_it_is_falling_for_it(tmp_path: Path) -> None:
    trap = "In version 4 the audit log is kept for thirty days on every plan."
    query = probe("p", ProbeKind.OUTDATED, "t")
    gold = gold_of(tmp_path, query)
    corpus = Corpus(frozenset({"t"}), texts={"t": trap})
    object.__setattr__(gold, "load_corpus", lambda: corpus)
    for answer, fell in (
        ("The audit log is kept for thirty days on every plan.", 1),
        ("The log is kept for a month.", 0),
    ):
        run = run_of(tmp_path, {"query_id": "p", "retrieved": [], "answer": answer})
        assert value(score(gold, run), "fell_for_trap") == fell


@pytest.mark.parametrize(
    ("answer", "corrected", "answered", "abstained"),
    [
        ("The retention period can't be changed from the dashboard [t].", 1, 0, 0),
        ("Sure. Retention period changes cannot be made from the dashboard.", 1, 0, 0),
        ("Open Settings and change the retention period from the dashboard.", 0, 1, 0),
        ("I don't know.", 0, 0, 1),
        ("", 0, 0, 0),
    ],
)
def test_a_false_premise_is_corrected_answered_or_declined(
    tmp_path: Path, answer: str, corrected: int, answered: int, abstained: int
) -> None:
    query = probe("p", ProbeKind.FALSE_PREMISE, "t")
    result = scored(tmp_path, (query, {"retrieved": ["t"], "answer": answer}))
    assert value(result, "premise_corrected") == corrected
    assert value(result, "answered_anyway") == answered
    assert value(result, "abstention_rate") == abstained
    assert result.counts.get("probes_empty_output", 0) == (answer == "")


def test_shares_of_trials_have_an_interval_that_does_not_collapse(tmp_path: Path) -> None:
    result = scored(tmp_path, (probe("p", ProbeKind.MISSING), {"abstained": True}))
    (metric,) = (m for m in result.metrics if (m.name, m.slice) == ("abstention_rate", "all"))
    assert metric.method == "wilson"
    # 1 of 1: [1 / (1 + z^2), 1]
    assert metric.low == pytest.approx(1 / (1 + 1.959964**2), abs=1e-6)
    assert metric.high == 1


def test_a_run_of_rankings_says_nothing_of_probes(tmp_path: Path) -> None:
    gold = gold_of(tmp_path, answerable("q", evidence("a")), probe("p", ProbeKind.MISSING))
    run = run_of(tmp_path, {"query_id": "q", "retrieved": ["a"]})
    result = score(gold, run)
    assert "abstention_rate" not in {metric.name for metric in result.metrics}
    assert result.counts["probes"] == 1
    assert result.counts["missing_in_run"] == 1
