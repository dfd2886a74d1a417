"""Citations against gold labels: hand-worked answers, no model."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from goldsmith.records import Kind, Statement
from goldsmith.scoring.labelled import ScoreResult, score
from tests.support.gold import answerable, evidence, gold_of

if TYPE_CHECKING:
    from pathlib import Path

    from goldsmith.scoring.gold import Gold, GoldQuery


def run_of(folder: Path, *records: dict[str, Any]) -> Path:
    path = folder / "run.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    return path


def scored(
    folder: Path, query: GoldQuery, record: dict[str, Any], corpus: tuple[str, ...] = ()
) -> ScoreResult:
    gold = gold_of(folder, query, corpus=corpus)
    return score(gold, run_of(folder, {"query_id": query.query_id} | record))


def value(result: ScoreResult, name: str, part: str = "all") -> float | None:
    (found,) = (m.value for m in result.metrics if (m.name, m.slice) == (name, part))
    return found


def fraction(result: ScoreResult, name: str) -> tuple[float, float, int]:
    (found,) = (m for m in result.metrics if (m.name, m.slice) == (name, "all"))
    return found.numerator, found.denominator, found.n


def claim(*cited: str) -> dict[str, Any]:
    return {"text": "It is so.", "cited_ids": list(cited)}


def test_nine_right_uses_and_one_wrong(tmp_path: Path) -> None:
    query = answerable("q", evidence("p1"))
    claims = [claim("p1")] * 9 + [claim("p2")]
    result = scored(tmp_path, query, {"retrieved": ["p1", "p2"], "claims": claims})
    assert value(result, "citation_precision") == 0.9
    assert value(result, "citation_recall") == 1
    # 2 * .9 * 1 / 1.9
    assert value(result, "citation_f1") == pytest.approx(1.8 / 1.9)


def test_a_fabricated_id_is_a_wrong_citation(tmp_path: Path) -> None:
    query = answerable("q", evidence("p-1"))
    answer = "ok [p-1]. bad [p-9]."
    result = scored(tmp_path, query, {"retrieved": ["p-1"], "answer": answer})
    assert value(result, "citation_precision") == 1 / 2
    assert value(result, "marker_resolution") == 1 / 2
    assert result.counts["markers_unknown"] == 1
    assert result.counts["markers_retrieved"] == 1


def test_a_gold_chunk_that_was_not_retrieved_cannot_be_known(tmp_path: Path) -> None:
    query = answerable("q", evidence("p-1", "p-2"))
    result = scored(tmp_path, query, {"retrieved": ["p-1"], "claims": [claim("p-2")]})
    assert value(result, "citation_precision") == 0
    assert value(result, "citation_recall") == 0
    assert result.counts["markers_not_retrieved"] == 1


def test_the_same_id_twice_on_one_claim_counts_once(tmp_path: Path) -> None:
    query = answerable("q", evidence("p1"))
    record = {"retrieved": ["p1", "p2"], "claims": [claim("p1", "p1", "p2")]}
    result = scored(tmp_path, query, record)
    assert fraction(result, "citation_precision_pooled") == (1, 2, 1)
    assert result.counts["duplicate_markers"] == 1


def test_nothing_cited_has_no_precision_and_no_recall_to_show(tmp_path: Path) -> None:
    query = answerable("q", evidence("p1"))
    result = scored(tmp_path, query, {"retrieved": ["p1"], "answer": "It is so."})
    assert value(result, "citation_precision") is None
    assert value(result, "marker_resolution") is None
    assert value(result, "citation_recall") == 0
    # An answer without a citation does not escape F1.
    assert value(result, "citation_f1") == 0


def test_the_headline_is_a_mean_over_queries_and_the_pooled_twin_is_not(tmp_path: Path) -> None:
    gold = gold_of(tmp_path, *(answerable(q, evidence("p1")) for q in ("q1", "q2", "q3")))
    run = run_of(
        tmp_path,
        {"query_id": "q1", "retrieved": ["p1", "x"], "claims": [claim("x")] * 9 + [claim("p1")]},
        {"query_id": "q2", "retrieved": ["p1"], "claims": [claim("p1")]},
    )
    result = score(gold, run)
    # (1/10 + 1/1) / 2 over the two that cite, and 2 of 11 occurrences.
    assert value(result, "citation_precision") == pytest.approx(0.55)
    assert value(result, "citation_precision_pooled") == pytest.approx(2 / 11)
    # The query that the run lacks recalls nothing, and cites nothing.
    assert fraction(result, "citation_recall") == (2, 3, 3)
    assert value(result, "citation_recall", "answered") == 1


def test_a_joint_member_is_cited_when_all_its_chunks_are(tmp_path: Path) -> None:
    query = answerable("q", evidence("a+b"), evidence("c", "d"))
    half = {"retrieved": ["a", "b", "c"], "claims": [claim("a"), claim("c")]}
    assert value(scored(tmp_path, query, half), "citation_recall") == 1 / 2
    whole = {"retrieved": ["a", "b", "d"], "claims": [claim("a", "d"), claim("b")]}
    result = scored(tmp_path, query, whole)
    assert value(result, "citation_recall") == 1
    assert value(result, "citation_precision") == 1


def statements(*evidence: tuple[int, ...]) -> tuple[Statement, ...]:
    return tuple(Statement(text="so", evidence=indices) for indices in evidence)


def test_could_it_have_been_answered_from_what_was_supplied(tmp_path: Path) -> None:
    query = answerable(
        "q", evidence("a"), evidence("b", "b'"), statements=statements((0,), (0, 1), ())
    )
    record = {"retrieved": ["a", "b'", "x"], "supplied": ["a"], "answer": "so [a]."}
    # Supplied is a: the first statement only; one that names no evidence is not counted.
    assert fraction(scored(tmp_path, query, record), "attributable_statement_coverage") == (
        0.5,
        1,
        1,
    )
    del record["supplied"]
    assert value(scored(tmp_path, query, record), "attributable_statement_coverage") == 1


def test_links_are_checked_and_their_text_is_no_marker(tmp_path: Path) -> None:
    query = answerable("q", evidence("p-1"))
    answer = "See [p-1](p-1#top), [more](p-2) and [home](https://nowhere.example)."
    result = scored(tmp_path, query, {"retrieved": ["p-1"], "answer": answer}, corpus=("p-2",))
    assert value(result, "link_validity") == pytest.approx(1 / 3)
    assert value(result, "citation_precision") is None
    assert {k: v for k, v in result.counts.items() if k.startswith("links_")} == {
        "links_retrieved": 1,
        "links_not_retrieved": 1,
        "links_unknown": 1,
    }


def test_a_citation_on_another_chunking_is_right_where_the_item_holds_the_quote(
    tmp_path: Path,
) -> None:
    query = answerable("q", evidence("a", span=("d", 0, 100)), statements=statements((0,)))
    items = [
        {"chunk_id": "n1", "doc_id": "d", "start": 0, "end": 60},
        {"chunk_id": "n2", "doc_id": "d", "start": 60, "end": 120},
        {"chunk_id": "n3", "doc_id": "d", "start": 200, "end": 300},
    ]
    parts = {"retrieved": items, "claims": [claim("n1", "n2"), claim("n3")]}
    result = scored(tmp_path, query, parts)
    # n1 and n2 hold the quote together; n3 holds nothing of it.
    assert value(result, "citation_precision") == pytest.approx(2 / 3)
    assert value(result, "citation_recall") == 1
    assert value(result, "attributable_statement_coverage") == 1
    one = {"retrieved": items, "claims": [claim("n1")]}
    assert value(scored(tmp_path, query, one), "citation_recall") == 0


def test_slices_by_when_the_markers_were_attached(tmp_path: Path) -> None:
    gold = gold_of(tmp_path, answerable("q1", evidence("p1")), answerable("q2", evidence("p1")))
    run = run_of(
        tmp_path,
        {
            "query_id": "q1",
            "retrieved": ["p1"],
            "claims": [claim("p1")],
            "citation_timing": "during",
        },
        {
            "query_id": "q2",
            "retrieved": ["p1", "x"],
            "claims": [claim("x")],
            "citation_timing": "post_hoc",
        },
    )
    result = score(gold, run)
    assert value(result, "citation_precision", "timing=during") == 1
    assert value(result, "citation_precision", "timing=post_hoc") == 0
    assert value(result, "citation_precision") == 0.5


def test_a_probe_has_no_gold_citations(tmp_path: Path) -> None:
    probe = answerable("p", kind=Kind.UNANSWERABLE)
    gold: Gold = gold_of(tmp_path, answerable("q", evidence("p1")), probe)
    run = run_of(
        tmp_path,
        {"query_id": "q", "retrieved": ["p1"], "claims": [claim("p1")]},
        {"query_id": "p", "retrieved": ["p1"], "claims": [claim("p1")]},
    )
    assert fraction(score(gold, run), "citation_precision") == (1, 1, 1)
