from __future__ import annotations

import tracemalloc
from itertools import product
from math import erfc
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldsmith.scoring.comparisons import (
    holm,
    mcnemar,
    minimum_detectable_difference,
    paired_interval,
    paired_permutation,
)

if TYPE_CHECKING:
    from goldsmith.scoring.intervals import Floats


def means(values: Floats) -> Floats:
    """Numerators over denominators of 1: the pairs of a mean."""
    return np.column_stack([values, np.ones(len(values))])


def test_mcnemar_of_discordant_pairs() -> None:
    # 1 and 9: 2 * (C(10,0) + C(10,1)) / 2^10 = 22/1024
    assert mcnemar(1, 9) == pytest.approx(22 / 1024)
    assert round(mcnemar(9, 1), 6) == 0.021484
    # 0 and 5: 2 / 2^5
    assert mcnemar(0, 5) == pytest.approx(0.0625)
    assert mcnemar(0, 0) == 1.0


def test_one_hundred_paired_queries() -> None:
    # A right on 60, B on 68, discordant 1 and 9: what they share says nothing.
    right_in_a = np.array([1] * 59 + [1] + [0] * 9 + [0] * 31)
    right_in_b = np.array([1] * 59 + [0] + [1] * 9 + [0] * 31)
    assert (right_in_a.sum(), right_in_b.sum()) == (60, 68)
    only_b = int(np.sum(right_in_b > right_in_a))
    only_a = int(np.sum(right_in_a > right_in_b))
    assert round(mcnemar(only_b, only_a), 4) == 0.0215
    # The permutation test of the same pairs is the same test.
    p = paired_permutation(means(right_in_b * 1.0), means(right_in_a * 1.0), seed=7)
    assert p == pytest.approx(22 / 1024)


def test_few_pairs_are_enumerated() -> None:
    # Differences 3, 2, -1: |sum| >= 4 in +3+2+1, +3+2-1 and their mirror images: 4 of 8.
    p = paired_permutation(means(np.array([3.0, 2, 0])), means(np.array([0.0, 0, 1])), seed=1)
    assert p == 4 / 8


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=9),
)
def test_the_exact_test_is_brute_force(pairs: list[tuple[int, int]]) -> None:
    ours = np.array([a for a, _ in pairs], dtype=np.float64)
    theirs = np.array([b for _, b in pairs], dtype=np.float64)
    difference = ours - theirs
    sums = [abs(np.dot(signs, difference)) for signs in product((1, -1), repeat=len(pairs))]
    expected = np.mean([s >= abs(difference.sum()) - 1e-9 for s in sums])
    assert paired_permutation(means(ours), means(theirs), seed=1) == pytest.approx(expected)


@pytest.mark.parametrize("levels", [3, 100_000], ids=["drawn as counts", "drawn as signs"])
def test_random_swaps_agree_with_the_normal_limit(levels: int) -> None:
    rng = np.random.default_rng(11)
    theirs = rng.integers(levels, size=4000) / levels
    ours = rng.integers(levels, size=4000) / levels + 0.01
    difference = ours - theirs
    z = abs(difference.sum()) / np.sqrt(np.sum(difference**2))
    p = paired_permutation(means(ours), means(theirs), seed=7)
    assert p == pytest.approx(erfc(z / 2**0.5), abs=0.02)
    assert p == paired_permutation(means(ours), means(theirs), seed=7)


def test_ratios_swap_numerator_and_denominator_together() -> None:
    # One query: 3 of 4 claims against 1 of 2. The swap mirrors the difference: p = 1.
    assert paired_permutation(np.array([[3.0, 4.0]]), np.array([[1.0, 2.0]]), seed=1) == 1.0
    # Equal runs.
    same = np.array([[3.0, 4.0], [1.0, 2.0]])
    assert paired_permutation(same, same, seed=1) == 1.0


def test_a_permutation_of_100_000_queries_is_done_in_portions() -> None:
    rng = np.random.default_rng(2)
    ours, theirs = rng.random(100_000), rng.random(100_000)
    tracemalloc.start()
    p = paired_permutation(means(ours), means(theirs), seed=7, flips=200)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert 0 < p <= 1
    # 10,000 flips at once would be 8 GB; a portion does not grow with their number.
    assert peak < 100e6


def test_the_paired_interval_is_narrower_than_two_intervals() -> None:
    rng = np.random.default_rng(4)
    theirs = rng.random(500)
    ours = theirs + 0.05 + rng.normal(0, 0.01, 500)
    found = paired_interval(means(ours), means(theirs), seed=7)
    assert found is not None
    assert 0.04 < found.low < 0.05 < found.high < 0.06


def test_the_smallest_difference_that_100_queries_show() -> None:
    # sd of 50 ones and 50 minus ones is sqrt(100/99); (1.959964 + 0.841621) * sd / 10
    differences = np.array([1.0, -1.0] * 50)
    found = minimum_detectable_difference(differences)
    assert found == pytest.approx(2.801585 * (100 / 99) ** 0.5 / 10, rel=1e-6)
    assert minimum_detectable_difference(np.zeros(10)) is None
    assert minimum_detectable_difference(np.ones(1)) is None


def test_holm_steps_down() -> None:
    # Sorted .01 .02 .04: times 3, 2, 1 = .03 .04 .04; never below the one before.
    assert holm([0.04, 0.01, 0.02]) == pytest.approx([0.04, 0.03, 0.04])
    assert holm([0.5, 0.9]) == pytest.approx([1.0, 1.0])
    assert holm([]) == []
