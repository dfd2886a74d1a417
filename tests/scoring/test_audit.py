"""The worked cases of part 7 of the scoring contract."""

from __future__ import annotations

import asyncio
import io
from typing import TYPE_CHECKING

import numpy as np
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from goldsmith.errors import InputError
from goldsmith.llm.scripted import Failure, ScriptedModel
from goldsmith.scoring.audit import AuditSettings, audit
from goldsmith.scoring.audit_view import audit_view
from goldsmith.scoring.confusion import (
    CONVENTIONS,
    Confusion,
    confusion,
    expected_calibration_error,
)
from goldsmith.scoring.human_labels import LabelledPassage, LabelRow, gather, read_labels
from goldsmith.scoring.judge import Judge
from goldsmith.scoring.judge_tasks import SUPPORT, SupportReply, SupportVariables
from goldsmith.scoring.prediction_powered import corrected_share
from goldsmith.scoring.records import Verdict
from goldsmith.scoring.routing import Routed, Routing, ledger
from tests.support.judging import facts_judge

if TYPE_CHECKING:
    from pathlib import Path

    from goldsmith.llm.scripted import Answer


def matrix(*rows: list[int]) -> Confusion:
    labels = tuple("abcd"[: len(rows)])
    return Confusion(labels, np.array(rows, dtype=np.float64), (0,) * len(rows))


def binary(tp: int, fn: int, fp: int, tn: int) -> Confusion:
    return matrix([tp, fn], [fp, tn])


def test_binary_worked_cases() -> None:
    good = binary(27, 3, 3, 7)
    assert [c.f1 for c in good.classes] == pytest.approx([0.9, 0.7])
    assert good.macro_f1 == pytest.approx(0.8)
    assert good.accuracy == pytest.approx(0.85)
    lenient = binary(50, 0, 20, 30)
    assert lenient.accuracy == pytest.approx(0.80)
    assert lenient.macro_f1 == pytest.approx(19 / 24)


def test_always_supports_at_prevalence_095() -> None:
    """F1 of the one class 2 x 95 / 195 = 0.974359, of the other 0: mean 0.487179."""
    found = binary(95, 0, 5, 0)
    assert found.accuracy == pytest.approx(0.95)
    assert found.macro_f1 == pytest.approx(0.487179, abs=5e-7)
    assert found.classes[1].precision is None
    assert found.classes[1].f1 == 0


def test_three_classes() -> None:
    found = matrix([40, 5, 5], [6, 10, 4], [2, 3, 25])
    assert found.accuracy == pytest.approx(0.75)
    assert [c.f1 for c in found.classes] == pytest.approx([0.816327, 0.526316, 0.78125], abs=5e-7)
    assert found.macro_f1 == pytest.approx(0.707964, abs=5e-7)
    assert found.kappa == pytest.approx(0.598071, abs=5e-7)


def test_a_class_that_neither_side_used_leaves_the_macro_mean() -> None:
    found = matrix([27, 3, 0], [3, 7, 0], [0, 0, 0])
    assert found.macro_f1 == pytest.approx(0.8)
    assert found.classes[2].f1 is None


def test_no_rows_have_no_figures() -> None:
    found = confusion([], [], ["a", "b"])
    assert (found.macro_f1, found.accuracy, found.kappa) == (None, None, None)


def test_unreadable_verdicts_are_a_column_of_their_own() -> None:
    found = confusion(["a", "a", "b"], ["a", None, None], ["a", "b"])
    assert found.unparsed == (1, 1)
    assert (found.n, found.accuracy) == (1, 1.0)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), min_size=1))
def test_figures_lie_where_they_must(pairs: list[tuple[str, str]]) -> None:
    found = confusion([h for h, _ in pairs], [j for _, j in pairs], list("abc"))
    assert found.macro_f1 is not None
    assert 0 <= found.macro_f1 <= 1
    assert found.accuracy == sum(h == j for h, j in pairs) / len(pairs)
    assert found.kappa is None or found.kappa <= 1
    swapped = confusion([j for _, j in pairs], [h for h, _ in pairs], list("abc"))
    assert swapped.macro_f1 == pytest.approx(found.macro_f1)


def test_calibration() -> None:
    """Bin 0.9 to 1: stated 0.95, right 1/2, gap 0.45; bin 0.1: stated 0.15, right 0, gap 0.15."""
    error = expected_calibration_error([0.95, 0.95, 0.15, 0.15], [True, False, False, False])
    assert error == pytest.approx(0.5 * 0.45 + 0.5 * 0.15)
    assert expected_calibration_error([1.0], [True]) == 0
    assert expected_calibration_error([], []) is None


def test_prediction_powered_correction() -> None:
    """0.8 + mean(0, 0, -1, 0) = 0.55; variance 0.16 / 10 + 0.1875 / 4 = 0.062875."""
    found = corrected_share(
        [True, True, False, False], [True, True, True, False], [True] * 8 + [False] * 2
    )
    assert found is not None
    assert found.value == pytest.approx(0.55)
    assert (found.low, found.high) == pytest.approx((0.058541, 1.041459), abs=5e-7)
    assert found.clipped
    assert found.clipped_high == 1
    assert corrected_share([], [], [True]) is None


def test_routing_ledger() -> None:
    """1,000 claims, 180 insufficient, 120 contradicted, 3 minutes: 300 x 3 / 60 = 15 h, or 6 h."""
    counts = np.diag([700.0, 180.0, 120.0])
    rows = ledger(Confusion(tuple(Routed), counts, (0, 0, 0)), minutes_a_review=3)
    by_routing = {row.routing: row for row in rows}
    assert by_routing[Routing.ALL_TO_PEOPLE].hours == 15
    assert by_routing[Routing.CONTRADICTIONS_TO_PEOPLE].hours == 6
    assert by_routing[Routing.CONTRADICTIONS_TO_PEOPLE].retried == 180
    assert {row.unsupported_released for row in rows} == {0}


def test_routing_counts_what_is_released_unsupported_and_what_escalates() -> None:
    counts = np.array([[60, 5, 5], [6, 10, 4], [2, 3, 5]], dtype=np.float64)
    _, retried = ledger(
        Confusion(tuple(Routed), counts, (0, 0, 0)),
        minutes_a_review=6,
        escalating_share=0.5,
        claims=1000,
    )
    assert retried.unsupported_released == pytest.approx(80)
    assert retried.reviewed == pytest.approx(140 + 0.5 * 180)
    assert retried.hours == pytest.approx(23)


# -- labels and the judge -------------------------------------------------------------------------


def label(row_id: str, claim: str, text: str, verdict: Verdict, **fields: str) -> LabelRow:
    passages = (LabelledPassage(id="p", text=text),)
    return LabelRow(id=row_id, claim=claim, passages=passages, label=verdict, **fields)


def test_the_judge_against_people() -> None:
    rows = [
        label("1", "a", "a", Verdict.SUPPORTS),
        label("2", "a b", "a", Verdict.PARTIALLY_SUPPORTS),
        label("3", "a", "b", Verdict.SUPPORTS),
        label("4", "# a", "a", Verdict.SUPPORTS),
    ]
    report = asyncio.run(audit(gather(rows), facts_judge(), AuditSettings(resamples=50)))
    table = report.table("binary")
    assert table is not None
    assert table.counts == ((1, 1), (0, 1))
    assert table.unparsed == (1, 0)
    assert table.accuracy.value == pytest.approx(2 / 3)
    assert table.accuracy.method == "wilson"
    fine = report.table("three_way")
    assert fine is not None
    assert fine.labels == ("supports", "partially_supports", "does_not_support")
    assert fine.counts[0] == (1, 0, 1)
    assert [row.judge for row in report.audited] == [
        Verdict.SUPPORTS,
        Verdict.PARTIALLY_SUPPORTS,
        Verdict.DOES_NOT_SUPPORT,
        None,
    ]
    assert report.conventions


def test_scales_are_as_fine_as_people_labelled_and_never_pooled() -> None:
    def scales(*labels: Verdict) -> list[str]:
        rows = [label(str(i), "a", "a", given) for i, given in enumerate(labels)]
        return [table.scale for table in asyncio.run(audit(gather(rows), facts_judge())).tables]

    yes, no = Verdict.SUPPORTS, Verdict.DOES_NOT_SUPPORT
    assert scales(yes, no) == ["binary"]
    assert scales(yes, no, Verdict.PARTIALLY_SUPPORTS) == ["binary", "three_way"]
    assert scales(yes, Verdict.CONTRADICTS) == ["binary", "verdicts"]


def test_rows_of_one_answer_are_resampled_together() -> None:
    rows = [
        label(str(i), "a", "a" if i < 8 else "b", Verdict.SUPPORTS, answer_id=str(i // 4))
        for i in range(12)
    ]
    report = asyncio.run(audit(gather(rows), facts_judge()))
    table = report.table("binary")
    assert table is not None
    assert "over answers" in table.accuracy.method
    # Three answers, one of them wrong in all its rows: anything from none to all can be drawn.
    assert (table.accuracy.low, table.accuracy.high) == (0.0, 1.0)


def test_a_row_on_other_text_is_refused() -> None:
    first = label("1", "a", "a", Verdict.SUPPORTS, rater="x")
    changed = label("1", "a", "a!", Verdict.SUPPORTS, rater="y")
    stale = label("2", "a", "a", Verdict.SUPPORTS, evidence_digest="0" * 64)
    fresh = label("3", "a", "a", Verdict.SUPPORTS, evidence_digest=first.digest)
    found = gather([first, changed, stale, fresh])
    assert [claim.row.id for claim in found.claims] == ["1", "3"]
    assert len(found.refused) == 2
    assert "changed since" in found.refused[1]


def test_agreement_among_raters_comes_first() -> None:
    yes, no = Verdict.SUPPORTS, Verdict.DOES_NOT_SUPPORT
    words = {"1": (yes, yes, no), "2": (no, no, no), "3": (yes, no, no)}
    rows = [
        label(row_id, "a", "a", word, rater=rater)
        for row_id, given in words.items()
        for rater, word in zip("xyz", given, strict=True)
    ]
    rows.append(label("4", "a", "a", yes, rater="x"))
    rows.append(label("4", "a", "a", no, rater="y"))
    report = asyncio.run(audit(gather(rows), facts_judge()))
    assert [(p.first, p.second, p.n) for p in report.raters] == [
        ("x", "y", 4),
        ("x", "z", 3),
        ("y", "z", 3),
    ]
    assert [p.agreement for p in report.raters] == pytest.approx([0.5, 1 / 3, 2 / 3])
    assert report.tied == 1
    assert [row.human for row in report.audited] == [yes, no, no]


def test_probabilities_are_checked_for_calibration() -> None:
    def support(asked: SupportVariables) -> Answer:
        if asked.claim == "x":
            return Failure("refused")
        return SupportReply(rationale="", verdict=Verdict.SUPPORTS, probability=0.95)

    rows = [label(str(i), claim, "p", Verdict.SUPPORTS) for i, claim in enumerate("abx")]
    report = asyncio.run(audit(gather(rows), Judge(ScriptedModel({SUPPORT.name: support}))))
    assert report.calibration_error == pytest.approx(0.05)


def test_every_malformed_line_is_named(tmp_path: Path) -> None:
    good = {"id": "1", "claim": "a", "passages": [{"id": "p", "text": "a"}], "label": "supports"}
    lines = [
        orjson.dumps(good | {"source": "x", "meta": {"k": 1}}),
        b"{",
        orjson.dumps(good | {"id": "2", "label": "supported"}),
        orjson.dumps({"id": "3"}),
    ]
    path = tmp_path / "labels.jsonl"
    path.write_bytes(b"\n".join(lines))
    with pytest.raises(InputError) as caught:
        read_labels(path)
    for said in ("line 2", "line 3, label", "'supported'", "line 4, claim"):
        assert said in str(caught.value)
    path.write_bytes(lines[0] + b"\n\n")
    assert len(read_labels(path).claims) == 1
    path.write_bytes(b"\n")
    with pytest.raises(InputError, match="no row"):
        read_labels(path)
    with pytest.raises(InputError, match="cannot be read"):
        read_labels(tmp_path / "none.jsonl")


def test_an_audit_is_printed_with_its_conventions() -> None:
    rows = [
        label("1", "a", "a", Verdict.SUPPORTS, rater="x"),
        label("1", "a", "a", Verdict.SUPPORTS, rater="y"),
        label("2", "# a", "b", Verdict.DOES_NOT_SUPPORT, rater="x"),
        label("2", "# a", "b!", Verdict.DOES_NOT_SUPPORT, rater="y"),
    ]
    report = asyncio.run(audit(gather(rows), facts_judge()))
    console = Console(file=io.StringIO(), width=120, color_system=None)
    console.print(audit_view(report))
    assert isinstance(console.file, io.StringIO)
    printed = console.file.getvalue()
    for said in ("people among themselves", "unreadable", "macro-F1 1.000", "routing", "refused:"):
        assert said in printed, said
    assert all(convention in printed for convention in CONVENTIONS)


def test_real_labels_are_read_as_they_are(shared_data: Path) -> None:
    found = read_labels(shared_data / "support" / "scifact.jsonl")
    assert len(found.claims) == 208
    assert {claim.label for claim in found.claims} == {Verdict.SUPPORTS, Verdict.CONTRADICTS}
