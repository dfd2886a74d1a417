"""The gate: paired, corrected, and honest about what it cannot tell."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from rich.console import Console

from goldsmith.errors import ExitStatus, InputError, SettingsError
from goldsmith.scoring.gate import Decision, GateResult, GateRow, Test, run_gate
from goldsmith.scoring.gate_report import gate_json, gate_junit, gate_markdown, gate_view
from goldsmith.scoring.gate_settings import GateSettings
from goldsmith.scoring.gate_sides import Side, read_side, save_side, side_of
from goldsmith.scoring.gold_readers import read_gold
from goldsmith.scoring.labelled import score
from goldsmith.scoring.records import Aggregation, Column, Columns, Half, Layer
from goldsmith.settings import load_settings
from tests.support.gold import qrels_file, run_file

CONFIG = Path(__file__).resolve().parents[2] / "configs" / "gate.yaml"


def column(
    name: str,
    numerator: list[float],
    denominator: list[float] | None = None,
    aggregation: Aggregation = Aggregation.MEAN,
) -> Column:
    below = np.ones(len(numerator)) if denominator is None else np.array(denominator)
    return Column(
        name, Half.UNLABELLED, Layer.CITATION, np.array(numerator, float), below, aggregation
    )


def side(name: str, *columns: Column, judge: str | None = "j", digest: str | None = "d") -> Side:
    ids = [f"q{n}" for n in range(len(columns[0].numerator))]
    halves = [Columns(ids, {one.name: one for one in columns})]
    return side_of(name, halves, digest=digest, judge=judge)


def gate(candidate: Side, baseline: Side | None, *entries: dict[str, Any]) -> GateResult:
    settings = GateSettings.model_validate({"metrics": entries, "flips": 2000})
    return run_gate(settings, candidate, baseline)


def only(result: GateResult) -> GateRow:
    (row,) = result.rows
    return row


def right(hits: list[int]) -> Column:
    return column("hit", [float(hit) for hit in hits])


# 100 queries: A is right on 60, B on 68, discordant 1 and 9.
A = right([1] * 59 + [1] + [0] * 9 + [0] * 31)
B = right([1] * 59 + [0] + [1] * 9 + [0] * 31)


def test_a_yes_no_metric_is_compared_by_its_discordant_pairs() -> None:
    row = only(gate(side("A", A), side("B", B), {"metric": "hit", "tolerance": 0.05}))
    assert row.comparison is not None
    assert row.comparison.test is Test.MCNEMAR
    assert round(row.comparison.p, 6) == 0.021484
    assert row.comparison.difference == pytest.approx(-0.08)
    assert row.comparison.pairs == 100
    assert row.decision is Decision.FAIL
    assert "worse than the baseline by 0.0800, more than the tolerance 0.0500" in row.reason


def test_five_lost_and_none_won_is_not_yet_significant() -> None:
    base, worse = right([1] * 10), right([0] * 5 + [1] * 5)
    row = only(gate(side("A", worse), side("B", base), {"metric": "hit", "tolerance": 0.0}))
    assert row.comparison is not None
    assert row.comparison.p == pytest.approx(0.0625)
    assert row.decision is Decision.PASS
    # sd of (-1 x 5, 0 x 5) is sqrt(10/36) = .5270; (1.95996 + .84162) * .5270 / sqrt(10)
    assert row.comparison.detectable == pytest.approx(0.46693, abs=1e-4)


def test_within_tolerance_passes_though_significant() -> None:
    row = only(gate(side("A", A), side("B", B), {"metric": "hit", "tolerance": 0.10}))
    assert row.decision is Decision.PASS


def test_a_rise_of_what_should_fall_is_a_drop() -> None:
    entry = {"metric": "hit", "tolerance": 0.01, "better": "lower"}
    assert gate(side("B", B), side("A", A), entry).decision is Decision.FAIL
    assert gate(side("A", A), side("B", B), entry).decision is Decision.PASS


def test_graded_values_are_permuted_and_shares_of_claims_in_clusters() -> None:
    rng = np.random.default_rng(3)
    theirs = rng.random(60)
    graded = column("ndcg", (theirs * 0.8).tolist())
    row = only(
        gate(
            side("A", graded),
            side("B", column("ndcg", theirs.tolist())),
            {"metric": "ndcg", "tolerance": 0.01},
        )
    )
    assert row.comparison is not None
    assert row.comparison.test is Test.PERMUTATION
    # Every query is worse: of 2,000 random patterns hardly one is as extreme.
    assert row.comparison.p == pytest.approx(1 / 2001)
    assert row.decision is Decision.FAIL
    claims = [4.0] * 60
    worse, base = (
        column("accuracy", [kept] * 60, claims, Aggregation.POOLED) for kept in (2.0, 3.0)
    )
    row = only(gate(side("A", worse), side("B", base), {"metric": "accuracy", "tolerance": 0.1}))
    assert row.comparison is not None
    assert row.comparison.test is Test.CLUSTERED_PERMUTATION
    assert row.comparison.difference == pytest.approx(-0.25)
    assert row.decision is Decision.FAIL


def test_p_values_are_corrected_for_the_number_of_metrics() -> None:
    twice = [Column(**{**fields(A), "name": name}) for name in ("one", "two", "three")]
    base = [Column(**{**fields(B), "name": name}) for name in ("one", "two", "three")]
    entries = [{"metric": name, "tolerance": 0.01} for name in ("one", "two", "three")]
    result = gate(side("A", *twice), side("B", *base), *entries)
    # 3 x .021484 = .0645: not significant any more.
    assert [round(r.comparison.p_adjusted, 4) for r in result.rows if r.comparison] == [0.0645] * 3
    assert result.decision is Decision.PASS


def fields(one: Column) -> dict[str, Any]:
    return {name: getattr(one, name) for name in Column.__slots__}


def test_another_gold_or_judge_is_refused() -> None:
    entry = {"metric": "hit", "tolerance": 0.1}
    with pytest.raises(InputError, match="'A' was scored with release digest 'd', 'B' with 'e'"):
        gate(side("A", A), side("B", B, digest="e"), entry)
    with pytest.raises(InputError, match="with judge 'j', 'B' with None"):
        gate(side("A", A), side("B", B, judge=None), entry)


def test_thresholds_without_a_baseline() -> None:
    assert gate(side("A", A), None, {"metric": "hit", "min": 0.6}).decision is Decision.PASS
    row = only(gate(side("A", A), None, {"metric": "hit", "min": 0.61}))
    assert (row.decision, row.reason) == (Decision.FAIL, "0.6000 is below the minimum 0.6100")
    row = only(gate(side("A", A), None, {"metric": "hit", "max": 0.5}))
    assert (row.decision, row.reason) == (Decision.FAIL, "0.6000 is above the maximum 0.5000")


def test_an_answer_without_markers_fails_on_coverage() -> None:
    coverage = column("coverage", [0.0], [3.0], Aggregation.POOLED)
    accuracy = column("accuracy", [0.0], [0.0], Aggregation.POOLED)
    result = gate(
        side("A", coverage, accuracy),
        None,
        {"metric": "coverage", "min": 0.9},
        {"metric": "accuracy", "min": 0.9},
    )
    covered, accurate = result.rows
    assert covered.decision is Decision.FAIL
    assert (accurate.candidate, accurate.decision) == (None, Decision.CANNOT_JUDGE)
    assert result.exit_status is ExitStatus.CHECK_FAILED


def test_what_cannot_be_judged_is_no_pass() -> None:
    result = gate(side("A", A), None, {"metric": "hit", "min": 0.1}, {"metric": "mrr", "min": 0.1})
    assert result.rows[1].reason == "'mrr' was not measured"
    assert result.exit_status is ExitStatus.BAD_INPUT
    row = only(gate(side("A", A), None, {"metric": "hit", "min": 0.1, "slice": "kind=x"}))
    assert row.reason == "'hit' has no slice 'kind=x': found all"
    # Undefined on one side for every query: there is nothing to pair.
    undefined = column("hit", [0.0, 1.0], [0.0, 1.0])
    other = column("hit", [1.0, 0.0], [1.0, 0.0])
    row = only(gate(side("A", undefined), side("B", other), {"metric": "hit", "tolerance": 0.1}))
    assert row.decision is Decision.CANNOT_JUDGE
    # A tolerance alone asks for a baseline.
    assert (
        gate(side("A", A), None, {"metric": "hit", "tolerance": 0.1}).exit_status
        is ExitStatus.BAD_INPUT
    )


def test_judged_metrics_are_passed_over_without_a_judge() -> None:
    entries = ({"metric": "hit", "min": 0.1}, {"metric": "ais", "min": 0.9, "judged": True})
    result = gate(side("A", A, judge=None), None, *entries)
    assert result.rows[1].decision is Decision.PASSED_OVER
    assert result.exit_status is ExitStatus.DONE
    assert gate(side("A", A), None, *entries).rows[1].decision is Decision.CANNOT_JUDGE


def test_a_threshold_may_be_a_share_of_the_ceiling() -> None:
    # No system can have more than 3/4 right with one citation a claim; it has 2/3 of that.
    accuracy = column("single", [2.0], [4.0], Aggregation.POOLED)
    ceiling = column("single_ceiling", [3.0], [4.0], Aggregation.POOLED)
    entry = {"metric": "single", "min": 0.66, "of_ceiling": True}
    assert gate(side("A", accuracy, ceiling), None, entry).decision is Decision.PASS
    row = only(gate(side("A", accuracy, ceiling), None, entry | {"min": 0.7}))
    assert row.reason == "0.5000 is below the minimum 0.5250 (0.7 of the ceiling 0.7500)"
    assert gate(side("A", accuracy), None, entry).decision is Decision.FAIL


def test_queries_on_one_side_only_are_left_out_and_counted() -> None:
    one = Columns(["a", "b", "c"], {"hit": right([1, 0, 1])})
    other = Columns(["c", "a", "d"], {"hit": right([1, 1, 0])})
    row = only(
        gate(
            side_of("A", [one], digest=None, judge=None),
            side_of("B", [other], digest=None, judge=None),
            {"metric": "hit", "tolerance": 0.1},
        )
    )
    assert row.comparison is not None
    # a and c are right on both sides; b and d have no partner.
    assert (row.comparison.pairs, row.comparison.unpaired) == (2, 2)
    assert row.comparison.difference == 0


def test_two_scored_runs_of_one_gold(tmp_path: Path) -> None:
    gold = read_gold(qrels_file(tmp_path, {f"q{n}": {"a": 1} for n in range(12)}))
    sides = []
    for name, lists in (
        ("better", {f"q{n}": ["a"] for n in range(12)}),
        ("worse", {f"q{n}": ["x", "a"] for n in range(12)}),
    ):
        scored = score(gold, run_file(tmp_path, lists))
        sides.append(side_of(name, [scored.columns], digest=gold.digest, judge=None))
    path = tmp_path / "baseline.parquet"
    save_side(path, sides[0])
    kept = read_side(path)
    result = gate(sides[1], kept, {"metric": "mrr", "tolerance": 0.1})
    row = only(result)
    assert (row.candidate, row.baseline) == (0.5, 1.0)
    # All twelve worse, by the same half: 2 of the 4,096 patterns of swaps.
    assert row.comparison is not None
    assert row.comparison.p == pytest.approx(2 / 4096)
    assert result.exit_status is ExitStatus.CHECK_FAILED


def test_a_file_that_is_no_baseline(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    path.write_text("no")
    with pytest.raises(InputError, match="cannot be read"):
        read_side(path)
    with pytest.raises(InputError, match="cannot be read"):
        read_side(tmp_path / "absent.parquet")


# -- output --------------------------------------------------------------------------------------


@pytest.fixture
def mixed() -> GateResult:
    return gate(
        side("cand|idate\x00", A, column("nothing", [0.0] * 100, [0.0] * 100)),
        side("base", B, column("nothing", [0.0] * 100, [0.0] * 100)),
        {"metric": "hit", "tolerance": 0.05},
        {"metric": "hit", "min": 0.5},
        {"metric": "nothing", "min": 0.5},
        {"metric": "absent", "slice": "kind=a", "min": 0.5},
    )


def test_junit_is_xml_with_a_case_a_metric(mixed: GateResult) -> None:
    suite = ET.fromstring(gate_junit(mixed)).find("testsuite")
    assert suite is not None
    assert suite.attrib == {
        "name": "goldsmith gate",
        "tests": "4",
        "failures": "1",
        "errors": "2",
        "skipped": "0",
    }
    assert [[child.tag for child in case] for case in suite] == [
        ["failure", "system-out"],
        ["system-out"],
        ["error", "system-out"],
        ["error", "system-out"],
    ]


def test_markdown_is_a_table_and_escapes_its_cells(mixed: GateResult) -> None:
    text = gate_markdown(mixed)
    assert text.startswith("## Gate: fail\n")
    assert "| absent [kind=a] | \u2014 |" in text
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert len({line.count("|") - line.count("\\|") for line in rows}) == 1


def test_json_has_every_number(mixed: GateResult) -> None:
    document = json.loads(json.dumps(gate_json(mixed)))
    assert document["decision"] == "fail"
    assert document["exit_status"] == 1
    assert document["metrics"][0]["comparison"]["p"] == pytest.approx(22 / 1024)
    assert document["metrics"][2]["candidate"] is None


@pytest.mark.parametrize("width", [80, 250])
def test_a_terminal_shows_every_word_at_any_width(mixed: GateResult, width: int) -> None:
    buffer = io.StringIO()
    Console(file=buffer, width=width).print(gate_view(mixed))
    shown = buffer.getvalue()
    assert "[kind=a]" in shown
    assert "\u2026" not in shown
    assert "difference" in shown
    assert all(len(line) <= width for line in shown.splitlines())
    flat = " ".join(shown.split())
    for row in mixed.rows:
        assert row.entry.metric in flat
        assert all(word in flat for word in row.reason.split())


# -- settings ------------------------------------------------------------------------------------


def test_the_settings_that_ship() -> None:
    settings = load_settings(CONFIG, GateSettings)
    assert {entry.metric for entry in settings.metrics} >= {"recall@10", "citation_accuracy"}
    assert settings.alpha == 0.05


def test_an_entry_that_asks_nothing_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "gate.yaml"
    path.write_text("metrics: [{metric: mrr}]")
    with pytest.raises(SettingsError, match="'mrr' has no min, no max and no tolerance"):
        load_settings(path, GateSettings)
    path.write_text("metrics: [{metric: mrr, mim: 0.5}]")
    with pytest.raises(SettingsError, match=r"unknown key .metrics\.0\.mim.; known: metric, slice"):
        load_settings(path, GateSettings)
