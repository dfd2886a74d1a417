from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from goldsmith.scoring.intervals import (
    bootstrap,
    bootstrap_of,
    clustered,
    distinct_rows,
    resampled_sums,
    share_interval,
    wilson,
)


def test_wilson_of_39_in_50_and_75_in_100() -> None:
    # p = .78, z = 1.96: (.78 + .038415) / 1.076829 -/+ ... = [.6476, .8725]
    found = wilson(39, 50)
    assert found is not None
    assert (round(found.low, 4), round(found.high, 4)) == (0.6476, 0.8725)
    found = wilson(75, 100)
    assert found is not None
    assert (round(found.low, 6), round(found.high, 6)) == (0.656955, 0.824548)


@given(st.integers(1, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_is_scipys(case: tuple[int, int]) -> None:
    hits, trials = case
    expected = binomtest(hits, trials).proportion_ci(0.95, method="wilson")
    found = wilson(hits, trials)
    assert found is not None
    assert found.low == pytest.approx(expected.low, abs=1e-12)
    assert found.high == pytest.approx(expected.high, abs=1e-12)
    assert 0 <= found.low <= hits / trials <= found.high <= 1


def test_nothing_tried_has_no_interval() -> None:
    assert wilson(0, 0) is None
    assert bootstrap(np.empty(0), np.empty(0), seed=1) is None
    assert bootstrap(np.zeros(3), np.zeros(3), seed=1) is None


def test_the_seed_decides() -> None:
    values = np.random.default_rng(3).random(50)
    ones = np.ones(50)
    first, again, other = (bootstrap(values, ones, seed=seed) for seed in (7, 7, 8))
    assert first == again
    assert first != other
    assert first is not None
    assert first.method == "bootstrap(1000, seed 7)"


@pytest.mark.parametrize("levels", [2, 10_000], ids=["drawn as counts", "drawn one by one"])
def test_a_bootstrap_spreads_as_the_standard_error_says(levels: int) -> None:
    rng = np.random.default_rng(5)
    values = rng.integers(levels, size=2000) / levels
    found = bootstrap(values, np.ones(2000), seed=7, resamples=4000)
    assert found is not None
    expected = 2 * 1.96 * values.std() / 2000**0.5
    assert found.high - found.low == pytest.approx(expected, rel=0.1)
    assert found.low < values.mean() < found.high


def test_a_cluster_enters_a_resample_whole() -> None:
    # Two answers: four right claims, four wrong ones. By claim the share would hardly leave .5;
    # by answer a resample has both, or one of them twice: the interval is the whole range.
    clusters = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    right = clustered(np.array([1.0, 1, 1, 1, 0, 0, 0, 0]), clusters, 2)
    claims = clustered(np.ones(8), clusters, 2)
    found = bootstrap(right, claims, seed=7)
    assert found is not None
    assert (found.low, found.high) == (0.0, 1.0)


def test_a_bootstrap_that_collapses_gives_way_to_wilson() -> None:
    """138 of 138 claims in 40 answers: every resample has 1. Wilson of 40 of 40 is
    [1 / (1 + z^2 / 40), 1] = [0.9124, 1]; of 138 claims it would be a bold [0.9729, 1]."""
    claims = np.array([4.0] * 18 + [3.0] * 22)
    assert claims.sum() == 138
    plain = bootstrap(claims, claims, seed=7)
    assert plain is not None
    assert (plain.low, plain.high) == (1.0, 1.0)
    found = share_interval(claims, claims, seed=7)
    assert found is not None
    assert (round(found.low, 4), found.high, found.method) == (0.9124, 1.0, "wilson")
    none = share_interval(np.zeros(40), claims, seed=7)
    assert none is not None
    assert (none.low, round(none.high, 4)) == (0.0, 0.0876)


def test_where_units_differ_the_bootstrap_stands() -> None:
    values, ones = np.array([1.0, 0.0, 1.0, 1.0]), np.ones(4)
    assert share_interval(values, ones, seed=7) == bootstrap(values, ones, seed=7)
    assert share_interval(np.zeros(2), np.zeros(2), seed=7) is None


def test_a_figure_of_several_sums() -> None:
    rows = np.array([[1.0, 2.0], [3.0, 4.0]] * 50)
    found = bootstrap_of(rows, lambda sums: sums[:, 1] - sums[:, 0], seed=1)
    assert found is not None
    # Every unit has difference 1, so every resample of 100 has 100.
    assert (found.low, found.high) == (100.0, 100.0)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=60))
def test_distinct_rows_are_a_partition(pairs: list[tuple[int, int]]) -> None:
    rows = np.array(pairs, dtype=np.float64)
    distinct, counts = distinct_rows(rows)
    assert counts.sum() == len(rows)
    assert len({tuple(row) for row in distinct.tolist()}) == len(distinct)
    assert np.allclose(counts @ distinct, rows.sum(axis=0))


def test_resampled_sums_are_those_of_as_many_units() -> None:
    sums = resampled_sums(np.ones((500, 1)), seed=2, resamples=20)
    assert sums.shape == (20, 1)
    assert set(sums.ravel()) == {500.0}
