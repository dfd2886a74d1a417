"""The worked cases and the properties of part 4 of the scoring contract."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goldsmith.scoring.citations_judged import (
    Policy,
    columns,
    passes,
    presence_counts,
    presence_ratio,
)
from goldsmith.scoring.intervals import wilson
from goldsmith.scoring.judge import Judge
from goldsmith.scoring.judged import AnswerOnTrial, JudgedAnswer, Passage, judge_answers
from goldsmith.scoring.records import FailureKind, Verdict
from tests.support.judging import facts_judge, facts_model, table_judge, trial

if TYPE_CHECKING:
    from random import Random


def judged(*trials: AnswerOnTrial) -> list[JudgedAnswer]:
    return asyncio.run(judge_answers(trials, facts_judge()))


def figures(answers: list[JudgedAnswer]) -> dict[str, tuple[float, float]]:
    return {
        column.name: (float(column.numerator.sum()), float(column.denominator.sum()))
        for column in columns(answers)
    }


# -- worked cases ---------------------------------------------------------------------------------


def test_right_claims_with_wrong_ids() -> None:
    """p-3310 states the days, p-3311 the dashboard, p-3312 the terms of Enterprise."""
    answers = judged(
        trial(
            [
                ("days", ["p-3310"]),
                ("enterprise-terms", ["p-3310"]),
                ("not-dashboard", ["p-3312"]),
            ],
            {"p-3310": "days", "p-3311": "not-dashboard", "p-3312": "enterprise-terms"},
        )
    )
    found = figures(answers)
    assert found["faithfulness"] == (3, 3)
    assert found["citation_accuracy"] == (1, 3)
    assert found["citation_coverage"] == (3, 3)
    assert found["failed_misattributed"] == (2, 2)
    assert found["failed_hallucinated"] == (0, 2)
    assert [claim.supported_by for claim in answers[0].claims] == [
        (),
        ("p-3312",),
        ("p-3311",),
    ]


def test_ais() -> None:
    """50 sentences, 3 uninterpretable, 8 of 47 fail (5 insufficient, 3 contradicted)."""
    claims = [("? a", ["p"])] * 3 + [("a", ["p"])] * 39 + [("z", ["p"])] * 5 + [("b", ["p"])] * 3
    answers = judged(trial(claims, {"p": "a !b"}))
    found = figures(answers)
    assert found["ais_interpretable"] == (47, 50)
    assert found["citation_accuracy"] == (39, 47)
    assert found["ais"] == (39, 50)
    assert found["failed_contradicted"] == (3, 8)
    assert found["failed_hallucinated"] == (5, 8)
    assert [c.verdict for c in answers[0].claims[:3]] == [Verdict.UNTESTED] * 3
    interval = wilson(39, 50)
    assert interval is not None
    assert (interval.low, interval.high) == pytest.approx((0.6476, 0.8725), abs=5e-5)


def test_half_of_the_verdicts_missing() -> None:
    """Four claims, verdicts for two (yes, no): 1/2 over 2, judge_failed 2, bounds 1/4 and 3/4."""
    verdicts = {"a": Verdict.SUPPORTS, "b": Verdict.DOES_NOT_SUPPORT}
    judge = table_judge(lambda asked: verdicts.get(asked.claim))
    claims = [(text, ["p"]) for text in "abcd"]
    found = figures(asyncio.run(judge_answers([trial(claims, {"p": "x"})], judge)))
    assert found["citation_accuracy"] == (1, 2)
    assert found["citation_accuracy_judge_failed"] == (2, 4)
    assert found["citation_accuracy_if_all_wrong"] == (1, 4)
    assert found["citation_accuracy_if_all_right"] == (3, 4)
    assert found["faithfulness"] == (1, 2)
    assert found["faithfulness_judge_failed"] == (2, 4)


def test_an_uncited_answer_has_coverage_zero_and_no_accuracy() -> None:
    found = figures(judged(trial([("a", []), ("b", []), ("c", [])], {"p": "a b"})))
    assert found["citation_coverage"] == (0, 3)
    assert found["citation_accuracy"] == (0, 0)
    assert found["ids_per_claim"] == (0, 0)
    assert found["faithfulness"] == (2, 3)


def test_policies_side_by_side() -> None:
    supplied = {"p": "a", "q": "b", "r": "c", "s": "a"}
    answers = judged(
        trial(
            [
                ("a b", ["p", "q"]),  # needs both: no single citation is right
                ("a", ["p", "r"]),  # r adds nothing
                ("a", ["p"]),
                ("a b", ["p"]),  # half of it
                ("a", ["p", "gone"]),  # one id points nowhere
                ("a", ["p", "s"]),  # the same words twice: one citation
            ],
            supplied,
        )
    )
    claims = answers[0].claims
    assert [passes(c, Policy.JOINT) for c in claims] == [True, True, True, False, True, True]
    assert [passes(c, Policy.SINGLE) for c in claims] == [False, False, True, False, False, True]
    assert [passes(c, Policy.EACH) for c in claims] == [True, False, True, False, False, True]
    assert passes(claims[3], Policy.JOINT, lenient=True) is True
    found = figures(answers)
    assert found["citation_accuracy_single_ceiling"] == (5, 6)
    assert found["ids_per_claim"] == (10, 6)


@pytest.mark.parametrize(
    ("claim", "ids", "kind"),
    [
        ("a", ["q"], FailureKind.MISATTRIBUTED),
        ("a b", ["p"], FailureKind.MISATTRIBUTED),  # p and q together state it
        ("a z", ["p"], FailureKind.HALLUCINATED),
        ("d", ["r"], FailureKind.CONTRADICTED),
        ("a", ["gone"], FailureKind.UNRESOLVED_MARKER),
        ("a", ["p"], None),
        ("a", [], None),
        ("? a", ["q"], None),
        ("# a", ["q"], None),
    ],
)
def test_every_failed_claim_has_one_kind(
    claim: str, ids: list[str], kind: FailureKind | None
) -> None:
    answers = judged(trial([(claim, ids)], {"p": "a", "q": "b", "r": "!d"}))
    assert answers[0].claims[0].failure is kind


def test_what_was_not_supplied_cannot_carry_a_claim() -> None:
    found = figures(judged(trial([("a", ["retrieved-only"])], {"p": "a"})))
    assert found["citation_accuracy"] == (0, 1)
    assert found["failed_unresolved_marker"] == (1, 1)


def test_markers_that_inform() -> None:
    """Supported: 3 of 4 cited. Unsupported: 1 of 2 cited. 0.75 / 0.5 = 1.5."""
    answers = judged(
        trial([("a", ["p"]), ("a", ["p"]), ("a", ["p"]), ("a", [])], {"p": "a"}),
        trial([("z", ["p"]), ("z", [])], {"p": "a"}),
    )
    counts = presence_counts(answers)
    assert counts.tolist() == [[3, 4, 0, 0], [0, 0, 1, 2]]
    assert presence_ratio(counts.sum(axis=0, keepdims=True)).tolist() == [1.5]
    assert np.isnan(presence_ratio(counts[:1])).all()


def test_a_judge_is_asked_gate_by_gate_and_singles_only_where_needed() -> None:
    model = facts_model()
    asyncio.run(
        judge_answers([trial([("? a", ["p"]), ("a", ["p"])], {"p": "a", "q": "b"})], Judge(model))
    )
    tasks = [call.task for call in model.calls]
    assert tasks == ["judge/interpretable"] * 2 + ["judge/support"] * 2


# -- properties -----------------------------------------------------------------------------------

FACTS = "abcd"
texts = st.lists(st.sampled_from([*FACTS, "!a"]), min_size=1, max_size=3).map(" ".join)
claim_texts = st.lists(st.sampled_from([*FACTS, "z"]), min_size=1, max_size=2, unique=True).map(
    " ".join
)
supplied_passages = st.lists(texts, min_size=1, max_size=4).map(
    lambda found: {f"p-{i}": text for i, text in enumerate(found)}
)


@st.composite
def trials(draw: st.DrawFn) -> AnswerOnTrial:
    supplied = draw(supplied_passages)
    ids = st.lists(st.sampled_from([*supplied, "p-x"]), max_size=3, unique=True)
    prefix = st.sampled_from(["", "", "", "? ", "# "])
    claims = draw(st.lists(st.tuples(st.tuples(prefix, claim_texts).map("".join), ids), max_size=4))
    return trial(claims, supplied)


@settings(max_examples=40, deadline=None)
@given(trials())
def test_the_failure_split_adds_up(one: AnswerOnTrial) -> None:
    found = figures(judged(one))
    right, asked = found["citation_accuracy"]
    split = [found[f"failed_{kind}"] for kind in FailureKind]
    assert sum(numerator for numerator, _ in split) == asked - right
    assert {denominator for _, denominator in split} == {asked - right}


@settings(max_examples=40, deadline=None)
@given(trials())
def test_a_claim_that_passes_the_citation_check_passes_faithfulness(one: AnswerOnTrial) -> None:
    for claim in judged(one)[0].claims:
        for policy in Policy:
            if passes(claim, policy):
                assert claim.faithful
            if passes(claim, policy, lenient=True):
                assert claim.faithful_leniently
            if passes(claim, policy):
                assert passes(claim, policy, lenient=True)
                assert passes(claim, Policy.JOINT)


@settings(max_examples=40, deadline=None)
@given(trials(), st.randoms(use_true_random=False))
def test_shuffling_ids_among_claims_leaves_faithfulness(
    one: AnswerOnTrial, generator: Random
) -> None:
    ids = [claim.cited_ids for claim in one.claimed.claims]
    generator.shuffle(ids)
    shuffled = trial(
        [(c.text, i) for c, i in zip(one.claimed.claims, ids, strict=True)],
        dict(one.texts),
    )
    before, after = figures(judged(one)), figures(judged(shuffled))
    assert before["faithfulness"] == after["faithfulness"]


def test_shuffling_ids_changes_accuracy() -> None:
    supplied = {"p": "a", "q": "b"}
    right = figures(judged(trial([("a", ["p"]), ("b", ["q"])], supplied)))
    wrong = figures(judged(trial([("a", ["q"]), ("b", ["p"])], supplied)))
    assert right["citation_accuracy"] == (2, 2)
    assert wrong["citation_accuracy"] == (0, 2)


@settings(max_examples=40, deadline=None)
@given(trials())
def test_citing_everything_makes_accuracy_faithfulness(one: AnswerOnTrial) -> None:
    everything = trial([(c.text, list(one.texts)) for c in one.claimed.claims], dict(one.texts))
    found = figures(judged(everything))
    assert found["citation_accuracy"] == found["faithfulness"]


@settings(max_examples=40, deadline=None)
@given(trials())
def test_the_bounds_hold_the_figure(one: AnswerOnTrial) -> None:
    found = figures(judged(one))
    if "citation_accuracy_judge_failed" in found:
        low = found["citation_accuracy_if_all_wrong"]
        high = found["citation_accuracy_if_all_right"]
        right, asked = found["citation_accuracy"]
        failed = found["citation_accuracy_judge_failed"][0]
        assert low == (right, asked + failed)
        assert high == (right + failed, asked + failed)


def test_an_overlapping_neighbour_with_the_same_span_is_the_same_citation() -> None:
    def answer(ids: list[str]) -> list[JudgedAnswer]:
        one = trial([("a", ids)], {})
        passages = (
            Passage("left", "x a", "d", 0, 30),
            Passage("right", "a y", "d", 20, 50),
            Passage("far", "a y", "other", 20, 50),
        )
        return judged(AnswerOnTrial(one.question, one.claimed, passages))

    by_left, by_right = figures(answer(["left"])), figures(answer(["right"]))
    assert by_left == by_right
    assert figures(answer(["left", "right"]))["citation_accuracy_single"] == (1, 1)
    assert figures(answer(["left", "far"]))["citation_accuracy_single"] == (0, 1)
