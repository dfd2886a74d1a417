from __future__ import annotations

import asyncio

from goldsmith.scoring.gold import GoldEvidence, GoldQuery
from goldsmith.scoring.judged import judge_answers
from goldsmith.scoring.label_check import check_labels
from tests.support.judging import facts_judge, trial


def test_gold_against_verdict() -> None:
    """p is gold and q is not; p states a, q states b: one citation in each cell."""
    one = trial([("a", ["p"]), ("b", ["p", "q"]), ("a", ["q"])], {"p": "a", "q": "b"})
    (answer,) = asyncio.run(judge_answers([one], facts_judge()))
    query = GoldQuery("q", (GoldEvidence((("p",),)),))
    found = check_labels([query], {"q": answer})
    assert [(c.chunk_id, c.claim) for c in found.suspect_labels] == [("p", "b")]
    assert [(c.chunk_id, c.claim) for c in found.missing_labels] == [("q", "b")]
    assert [metric.numerator for metric in found.metrics()] == [1, 1, 1, 1]
    assert [metric.value for metric in found.metrics()] == [0.25] * 4
    assert [listing.title for listing in found.listings()] == ["Suspect labels", "Missing labels"]


def test_nothing_cited_has_no_shares() -> None:
    found = check_labels([], {})
    assert all(metric.value is None for metric in found.metrics())
    assert found.listings() == []
