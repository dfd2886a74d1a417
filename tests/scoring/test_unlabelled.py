from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from goldsmith.errors import InputError
from goldsmith.scoring.claims import claim_answer
from goldsmith.scoring.corrected import corrected_accuracy
from goldsmith.scoring.judge import Judge
from goldsmith.scoring.records import Verdict
from goldsmith.scoring.run_records import CitationTiming, RecordedClaim, Retrieved, RunRecord
from goldsmith.scoring.summary import Summarizer
from goldsmith.scoring.unlabelled import UnlabelledScore, UnlabelledSetup, score_unlabelled
from tests.support.judging import facts_judge, facts_model, table_judge
from tests.support.reporting import audited, scored

if TYPE_CHECKING:
    from goldsmith.scoring.judge_tasks import SupportVariables
    from goldsmith.scoring.records import Metric

A, B = Retrieved("p-a", text="a"), Retrieved("p-b", text="b c")


def score(*records: RunRecord, setup: UnlabelledSetup | None = None) -> UnlabelledScore:
    return asyncio.run(score_unlabelled(records, facts_judge(), setup))


def figures(found: UnlabelledScore) -> dict[str, Metric]:
    metrics = [*Summarizer(seed=7, resamples=100).figures(found.columns), *found.metrics]
    return {f"{m.name}/{m.slice}": m for m in metrics}


def test_perfect_half_and_abstained() -> None:
    """2/2, 1/2, and an abstention: 3/4 over the answered, and nothing undefined is a number."""
    found = score(
        RunRecord("q1", [A, B], "?", answer="a [p-a]\n\nb [p-b]"),
        RunRecord("q2", [A, B], "?", answer="a [p-a]\n\nb [p-a]"),
        RunRecord("q3", [A, B], "?", answer="I cannot answer that.", abstained=True),
    )
    accuracy = figures(found)["citation_accuracy/all"]
    assert (accuracy.numerator, accuracy.denominator, accuracy.value) == (3, 4, 0.75)
    assert accuracy.n == 2
    assert found.abstained == {"q3"}
    assert found.outcomes == {
        "abstained": 1,
        "claims": 2,
        "empty_output": 0,
        "extraction_failed": 0,
    }


def test_an_abstention_is_inferred_where_the_system_does_not_say() -> None:
    found = score(
        RunRecord("q1", [A], "?", answer="The context does not mention it."),
        RunRecord("q2", [A], "?", answer="The context does not mention it.", abstained=False),
    )
    assert found.abstained == {"q1"}
    assert len(found.answers[1].claims) == 1


def test_timing_and_kind_are_slices() -> None:
    found = score(
        RunRecord("q1", [A], "?", answer="a [p-a]", citation_timing=CitationTiming.DURING),
        RunRecord("q2", [A], "?", answer="z [p-a]", citation_timing=CitationTiming.POST_HOC),
        setup=UnlabelledSetup(kinds={"q2": "factoid"}),
    )
    by_slice = figures(found)
    assert by_slice["citation_accuracy/timing=during"].value == 1
    assert by_slice["citation_accuracy/timing=post_hoc"].value == 0
    assert by_slice["citation_accuracy/kind=factoid"].value == 0


def test_an_undefined_figure_is_null() -> None:
    found = figures(score(RunRecord("q1", [A], "?", answer="a")))
    assert found["citation_accuracy/all"].value is None
    assert found["citation_presence_lr/all"].value is None
    assert found["citation_presence_lr/all"].low is None


def test_what_is_missing_is_named_before_anything_is_asked() -> None:
    model = facts_model()
    records = [RunRecord("q1", ["p-a"], answer="a"), RunRecord("q2", [A], "?", ("p-a", "p-z"))]
    with pytest.raises(InputError) as caught:
        asyncio.run(score_unlabelled(records, Judge(model)))
    for said in ("'q1' has no question", "'p-a' has no text", "'q2': supplied passage 'p-z'"):
        assert said in str(caught.value)
    assert model.calls == []


def test_questions_and_texts_may_come_from_a_release() -> None:
    setup = UnlabelledSetup(questions={"q1": "?"}, texts={"p-a": "a"})
    found = score(RunRecord("q1", ["p-a"], answer="a [p-a]"), setup=setup)
    assert figures(found)["citation_accuracy/all"].value == 1


def test_only_what_was_supplied_is_shown_to_the_judge() -> None:
    found = score(RunRecord("q1", [A, B], "?", ("p-b",), answer="a [p-a]\n\nb [p-b]"))
    assert figures(found)["faithfulness/all"].value == 0.5
    assert figures(found)["failed_unresolved_marker/all"].numerator == 1


def test_components_are_columns_of_their_own() -> None:
    found = {name: m.value for name, m in figures(scored()).items()}
    for name in ("answer_relevance", "retrieval_relevance@5", "context_sufficiency"):
        assert found[f"{name}/all"] is not None
    attribution = figures(scored())["chunk_attribution/all"]
    assert 0 < attribution.numerator < attribution.denominator


def test_a_second_judge_of_the_same_mind_agrees() -> None:
    agreement = scored().agreement
    assert agreement is not None
    assert agreement.agreement == 1
    assert agreement.kappa == 1
    assert agreement.n > 10


def test_two_judges_that_differ_beyond_chance() -> None:
    """Of four claims both support two, both reject one, and differ on the fourth.

    Agreement 3/4; the first says yes three times, the second twice, so chance is
    (3 x 2 + 1 x 2) / 16 = 1/2 and kappa (3/4 - 1/2) / (1 - 1/2) = 1/2.
    """

    def lenient(asked: SupportVariables) -> Verdict:
        return Verdict.DOES_NOT_SUPPORT if asked.claim == "d" else Verdict.SUPPORTS

    def severe(asked: SupportVariables) -> Verdict:
        return Verdict.SUPPORTS if asked.claim in "ab" else Verdict.DOES_NOT_SUPPORT

    passage = Retrieved("p", text="x")
    records = [
        RunRecord(f"q{c}", [passage], "?", claims=(RecordedClaim(c, ("p",)),)) for c in "abcd"
    ]
    setup = UnlabelledSetup(second_judge=table_judge(severe))
    found = asyncio.run(score_unlabelled(records, table_judge(lenient), setup))
    named = {metric.name: metric for metric in found.metrics}
    agreement, kappa = named["judge_agreement"], named["judge_kappa"]
    assert (agreement.value, agreement.numerator, agreement.denominator) == (0.75, 3, 4)
    assert kappa.value == pytest.approx(0.5)
    assert (kappa.numerator, kappa.denominator) == pytest.approx((0.25, 0.5))
    assert agreement.low is not None
    assert agreement.low < 0.75


def test_the_corrected_accuracy_stands_beside_the_raw_one() -> None:
    found = corrected_accuracy(scored(), audited())
    assert found is not None
    assert found.value is not None
    assert found.low is not None
    assert found.low <= found.value
    with pytest.raises(InputError, match="audit the same judge"):
        corrected_accuracy(score(RunRecord("q1", [A], "?", answer="a [p-a]")), audited())


def test_an_empty_run_has_no_figures_and_no_error() -> None:
    found = score()
    assert all(metric.value is None for metric in figures(found).values())


def test_near_markers_and_duplicates_are_counted() -> None:
    record = RunRecord("q1", [A], "?", answer="a [p-a] [p-a] [P-a]")
    found = score(record)
    assert found.duplicate_markers == 1
    assert found.near_markers == {"q1": ("[P-a] (not_an_id)",)}
    assert claim_answer(record).claims[0].cited_ids == ("p-a",)
