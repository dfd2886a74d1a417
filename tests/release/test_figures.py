"""The figures of a release, worked by hand, and their intervals."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from goldsmith.records import Answering, Judgement, Kind, Usage
from goldsmith.release.completeness import _clustered
from goldsmith.release.measuring import counts_of, drafts_of, figures_of, money_of
from goldsmith.release.separability import _hanley_mcneil, twins_told_apart
from goldsmith.release.shares import Rate, Share, Spread
from goldsmith.settings import Price
from tests.support.releases import (
    DAYS,
    dropped,
    evidence,
    funnel,
    queries,
    small_contents,
    small_origin,
    with_query,
)

if TYPE_CHECKING:
    from goldsmith.records import Query
    from goldsmith.release.contents import Contents
    from goldsmith.release.figures import Figures


def figures(contents: Contents | None = None, price: Price | None = None) -> Figures:
    origin = small_origin()
    return figures_of(contents or small_contents(), origin.funnel, origin.usage, price)


# -- intervals ----------------------------------------------------------------------------------


@given(st.integers(1, 5000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_interval_is_wilsons(pair: tuple[int, int]) -> None:
    right, asked = pair
    share = Share.of(right, asked)
    reference = binomtest(right, asked).proportion_ci(0.95, method="wilson")
    assert share.low == pytest.approx(reference.low, abs=1e-6)
    assert share.high == pytest.approx(reference.high, abs=1e-6)


def test_a_published_interval_is_reproduced() -> None:
    # 39 of 50: Wilson 95% [0.6476, 0.8725]. Of none at all: null, neither 0 nor 1.
    share = Share.of(39, 50)
    assert (round(share.low or 0, 4), round(share.high or 0, 4)) == (0.6476, 0.8725)
    empty = Share.of(0, 0)
    assert (empty.value, empty.low, empty.high) == (None, None, None)


def test_a_rate_has_the_interval_of_the_yield() -> None:
    # 26 calls for 8 drafts of which 5 were kept: 3.25 a draft; Wilson of 5/8: [0.305742, 0.863156].
    rate = Rate.of(26, 5, 8)
    share = Share.of(5, 8)
    assert share.low is not None
    assert share.high is not None
    assert rate.value == 26 / 5
    assert rate.low == pytest.approx(3.25 / share.high, abs=1e-5)
    assert rate.high == pytest.approx(3.25 / share.low, abs=1e-5)
    assert Rate.of(26, 0, 8).value is None
    assert Rate.of(26, 5, 0).low is None


def test_a_spread_names_how_many_it_is_of() -> None:
    assert Spread.of([]) == Spread(count=0, low=None, median=None, high=None)
    assert Spread.of([0.5]) == Spread(count=1, low=0.5, median=0.5, high=0.5)
    # 0 to 10: the 10% point is 1, the median 5, the 90% point 9.
    assert Spread.of([float(n) for n in range(11)]) == Spread(count=11, low=1, median=5, high=9)


# -- the four figures ---------------------------------------------------------------------------


def test_cost_counts_rejected_drafts_too() -> None:
    # generate was asked for 4 + 1, probe for 2 + 1: 8 drafts for 5 kept questions.
    assert drafts_of(funnel(dropped())) == 8
    cost = figures().cost
    assert (cost.drafts, cost.calls.total, cost.calls.kept) == (8, 26, 5)
    assert (cost.tokens_in.total, cost.tokens_out.total) == (5200, 800)
    assert cost.money is None


def test_money_is_that_of_a_price_list() -> None:
    # 5,200 tokens in at 2 and 800 out at 10 for a million: 0.0104 + 0.008 = 0.0184.
    price = Price(input=2, output=10)
    assert money_of(Usage(tokens_in=5200, tokens_out=800), price) == pytest.approx(0.0184)
    money = figures(price=price).cost.money
    assert money is not None
    assert money.total == pytest.approx(0.0184)
    assert money.value == pytest.approx(0.0184 / 5)


def test_members_by_span_are_no_search() -> None:
    """Further members: p-plans-2; p-dash-copy; p-deals-1 and -2. Three of four evidences."""
    completeness = figures().completeness
    assert (completeness.searched.numerator, completeness.searched.denominator) == (0, 4)
    assert completeness.evidences_with_more.numerator == 3
    assert completeness.found_by_span == 4
    assert completeness.found_by_merging == completeness.found_by_search == 0
    assert completeness.still_missing is None


def test_a_judge_who_looked_further_counts_as_search() -> None:
    days = evidence("d-plans", DAYS, "p-plans-1", "p-plans-2", "p-dash-2")
    contents = with_query(
        small_contents(), "q-days", evidence=(days,), gold_citations=days.chunk_ids
    )
    judged = [
        Judgement(query_id="q-days", chunk_id=chunk_id, verdict=verdict, judge="m")
        for chunk_id, verdict in (("p-dash-2", Answering.ANSWERS), ("p-deals-2", Answering.NO))
    ]
    contents = replace(contents, judgements=(*contents.judgements, *judged))
    completeness = figures(contents).completeness
    assert (completeness.searched.numerator, completeness.searched.denominator) == (1, 4)
    assert completeness.found_by_search == 1
    assert completeness.found_by_span == 4


def _read(chunk_id: str, verdict: Answering = Answering.NO, **fields: object) -> Judgement:
    row = Judgement(query_id="q-days", chunk_id=chunk_id, verdict=verdict, judge="m", evidence=(0,))
    return row.model_copy(update=fields)


def _with_rows(members: tuple[str, ...], *rows: Judgement) -> Contents:
    found = evidence("d-plans", DAYS, *members)
    contents = with_query(small_contents(), "q-days", evidence=(found,), gold_citations=members)
    return replace(contents, judgements=(*contents.judgements, *rows))


def test_what_only_an_audit_found_is_what_the_others_miss() -> None:
    """One audited evidence: p-plans-1 and -2 and, by the audit alone, p-dash-2: 1 of 3 missing.

    Another searched evidence, not audited, has 2 members: 2 / (1 - 1/3) = 3, so one is missing.
    """
    contents = _with_rows(
        ("p-plans-1", "p-plans-2", "p-dash-2"),
        _read("p-deals-2"),
        _read("p-dash-2", Answering.ANSWERS, audit=(0,)),
        _read("p-deals-1", audit=(0,)),
        _read("p-plans-2", query_id="q-change"),
    )
    missing = figures(contents).completeness.missing
    assert missing is not None
    assert (missing.method, missing.evidences) == ("audit", 1)
    assert (missing.share.numerator, missing.share.denominator) == (1, 3)
    assert missing.members == pytest.approx(1.0, abs=1e-6)
    reference = binomtest(1, 3).proportion_ci(0.95, method="wilson")
    assert missing.share.low == pytest.approx(reference.low, abs=1e-6)
    assert missing.high == pytest.approx(2 * reference.high / (1 - reference.high), abs=1e-4)
    assert figures(contents).completeness.still_missing == missing.share


def test_members_that_are_missed_together_widen_the_interval() -> None:
    """Ten evidences of 4 members: five with 2 missing each, or ten with 1 missing each."""
    together = _clustered([(2, 4)] * 5 + [(0, 4)] * 5)
    apart = _clustered([(1, 4)] * 10)
    assert together.value == apart.value == 10 / 40
    assert together.low is not None
    assert apart.low is not None
    assert together.low < apart.low
    # No variance between evidences: as many as there are members.
    assert (apart.low, apart.high) == (Share.of(10, 40).low, Share.of(10, 40).high)


def test_two_retrievers_estimate_what_neither_found() -> None:
    """bm25 found 2 accepted passages, dense 2, both 1: (3 * 3 / 2) - 1 = 3.5 in all, 0.5 unseen."""
    contents = _with_rows(
        ("p-plans-1", "p-plans-2", "p-dash-2", "p-deals-1", "p-deals-2"),
        _read("p-dash-2", Answering.ANSWERS, found_by=("bm25", "dense")),
        _read("p-deals-1", Answering.ANSWERS, found_by=("bm25",)),
        _read("p-deals-2", Answering.ANSWERS, found_by=("dense",)),
    )
    missing = figures(contents).completeness.missing
    assert missing is not None
    assert (missing.method, missing.members) == ("recapture", 0.5)
    # Seber: 3 * 3 * 1 * 1 / (4 * 3) = 0.75; 0.5 + 1.96 * 0.866 = 2.197, and never below 0.
    assert missing.low == 0.0
    assert missing.high == pytest.approx(2.197379, abs=1e-5)


def test_proofs_are_shares_of_what_needs_one() -> None:
    assert figures().multi_source_proof.numerator == 1
    unproved = figures(with_query(small_contents(), "q-both", necessity=()))
    assert (unproved.multi_source_proof.numerator, unproved.multi_source_proof.denominator) == (
        0,
        1,
    )
    proof = figures().probe_proof
    assert (proof.proven.numerator, proof.proven.denominator) == (2, 2)
    assert (proof.retrievers, proof.least_depth, proof.passages_judged) == (("bm25",), 10, 16)
    without = figures(with_query(small_contents(), "q-starter", proof=None)).probe_proof
    assert (without.proven.numerator, without.proven.denominator) == (1, 2)


def test_figures_without_a_denominator_are_null() -> None:
    contents = small_contents()
    factoids = tuple(q for q in contents.queries if q.kind is Kind.FACTOID)
    only = figures(replace(contents, queries=factoids))
    assert only.multi_source_proof.value is None
    assert only.probe_proof.proven.value is None
    assert only.probe_proof.least_depth is None
    assert only.difficulty.closed_book.value is None


def test_difficulty_is_over_answerable_questions() -> None:
    difficulty = figures().difficulty
    hit = difficulty.bm25_hit_at_1
    assert (hit.numerator, hit.denominator) == (2, 3)
    assert difficulty.question_overlap.median == 0.8
    assert difficulty.longest_copied_ngram.median == 4
    assert figures().difficulty_by_kind["factoid"].bm25_hit_at_1.denominator == 2


def test_counts_are_by_kind_and_reason() -> None:
    counts = counts_of(small_contents())
    assert counts.by_kind == {"factoid": 2, "multi_source": 1, "unanswerable": 2}
    assert counts.by_probe_kind == {"false_premise": 1, "missing": 1}
    assert counts.by_reason["sample/multi_source/failed/no_linked_chunks"] == 1
    assert sum(counts.by_reason.values()) == counts.rows["rejected"] == 5
    # q-days 2, q-change 2, q-both 1 + 3.
    assert counts.rows["qrels"] == 8


# -- twins --------------------------------------------------------------------------------------


def _asked(pairs: list[tuple[str, str]]) -> list[Query]:
    factoid, probe = queries()[0], queries()[3]
    made: list[Query] = []
    for number, (twin, asked) in enumerate(pairs):
        made.append(factoid.model_copy(update={"query_id": f"t{number}", "question": twin}))
        made.append(
            probe.model_copy(
                update={"query_id": f"u{number}", "question": asked, "twin_id": f"t{number}"}
            )
        )
    return made


def test_probes_with_a_word_of_their_own_are_told_apart() -> None:
    """Each probe says "purple", no twin does: every probe is above every twin, and that leaks."""
    topics = ["cats", "dogs", "ships", "trees", "roads", "clocks"]
    pairs = [(f"how many {t} are there", f"how many purple {t} are there") for t in topics]
    told = twins_told_apart(_asked(pairs))
    assert (told.probes, told.twins, told.auc) == (6, 6, 1.0)
    assert told.warning is not None
    assert "AUC 1.00, above 0.65" in told.warning


def test_probes_in_the_words_of_their_twins_are_not() -> None:
    """The same words on both sides: never one likelier than the other, every pair a tie."""
    pairs = [(f"how many {t} are there", f"are there how many {t}") for t in ("cats", "dogs")]
    told = twins_told_apart(_asked(pairs))
    assert (told.auc, told.warning) == (0.5, None)


def test_the_interval_of_the_area_is_hanley_and_mcneils() -> None:
    """Their worked form: A = 0.5, 20 and 20: Q1 = Q2 = 1/3, so the variance is
    (0.25 + 2 * 19 * (1/3 - 1/4)) / 400 = 0.0085417, and the half width 1.96 * 0.092421.
    """
    low, high = _hanley_mcneil(0.5, 20, 20)
    assert low == pytest.approx(0.5 - 1.959964 * 0.0924211, abs=1e-5)
    assert high == pytest.approx(0.5 + 1.959964 * 0.0924211, abs=1e-5)


def test_one_pair_teaches_nothing() -> None:
    told = twins_told_apart(_asked([("how many", "how few")]))
    assert (told.probes, told.auc, told.warning) == (1, None, None)
