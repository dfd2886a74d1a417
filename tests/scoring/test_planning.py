"""How many questions: worked by hand, and checked against the interval and the test themselves."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from goldsmith.cli.main import app
from goldsmith.errors import InputError
from goldsmith.proportions import wilson_bounds
from goldsmith.records import Kind
from goldsmith.release.measuring import describe
from goldsmith.scoring.planning import (
    Wanted,
    plan,
    questions_for_difference,
    questions_for_precision,
)
from tests.support.releases import small_contents, small_origin


def test_the_worst_case_by_hand() -> None:
    # z² / 4h² - z² = 3.8415 / 0.01 - 3.8415 = 384.15 - 3.84 = 380.3: one more is 381.
    assert questions_for_precision(0.05, 0.5) == 381
    # pq = 0.09; sqrt(0.0081 + 0.0025 * 0.64) = 0.098489;
    # 3.8415 * (0.09 - 0.005 + 0.098489) / 0.005 = 140.97
    assert questions_for_precision(0.05, 0.9) == 141


@given(st.floats(0.01, 0.3), st.floats(0.05, 0.95))
def test_the_number_is_the_least_whose_interval_is_narrow_enough(half: float, rate: float) -> None:
    def width(n: int) -> float:
        bounds = wilson_bounds(rate * n, n)
        assert bounds is not None
        return (bounds[1] - bounds[0]) / 2

    n = questions_for_precision(half, rate)
    assert width(n) <= half + 1e-6
    if n > 1:
        assert width(n - 1) >= half - 1e-6


def test_a_difference_by_hand() -> None:
    # z_a sqrt(0.1) = 1.95996 * 0.316228 = 0.619796; z_b sqrt(0.1 - 0.0009) = 0.841621 * 0.314802
    # = 0.264944; (0.884740)² / 0.0009 = 869.7
    assert questions_for_difference(0.03, 0.1, 0.8) == 870
    # Half the difference takes about four times as many.
    assert 3.9 < questions_for_difference(0.015, 0.1, 0.8) / 870 < 4.1


def test_costs_are_those_of_the_release() -> None:
    # 26 calls, 5200 + 800 tokens for 5 kept questions; 2 of 4 factoid drafts, 1 of 1, 2 of 3.
    manifest = describe(small_contents(), small_origin(), None)
    rows = {row.kind: row for row in plan(Wanted(precision=0.1, detect=0.1), manifest)}
    factoid = rows["factoid"]
    # z²/0.04 - z² = 92.2: 93; (1.95996 sqrt(0.1) + 0.841621 sqrt(0.09))² / 0.01 = 76.1: 77.
    assert (factoid.for_precision, factoid.for_detection, factoid.needed) == (93, 77, 93)
    assert (factoid.have, factoid.missing, factoid.keep_rate) == (2, 91, 0.5)
    assert factoid.drafts == 182
    assert factoid.calls == pytest.approx(91 * 26 / 5)
    assert factoid.tokens == pytest.approx(91 * 6000 / 5)
    assert factoid.money is None
    assert rows[Kind.UNANSWERABLE].keep_rate == pytest.approx(2 / 3)
    assert rows[Kind.UNANSWERABLE].drafts == math.ceil(91 * 3 / 2)
    assert rows["total"].needed == 3 * 93


def test_without_a_release_the_cost_is_null_and_said_to_be_unknown() -> None:
    assert all(row.calls is None and row.have is None for row in plan(Wanted()))
    told = CliRunner().invoke(app, ["plan"], catch_exceptions=False)
    assert "Without --release nothing is known" in told.stdout
    as_json = CliRunner().invoke(app, ["plan", "--json"], catch_exceptions=False)
    assert [row["needed"] for row in json.loads(as_json.stdout)] == [870, 870, 870, 2610]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"precision": 0.0}, "--precision is 0.0"),
        ({"rate": 1.0}, "--rate is 1.0"),
        ({"detect": 0.2}, "cannot differ by more"),
    ],
)
def test_what_cannot_be_wanted_is_refused(values: dict[str, float], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Wanted(**values)
