from __future__ import annotations

from itertools import permutations
from math import log2

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goldsmith.errors import InputError
from goldsmith.scoring import ideal
from goldsmith.scoring.gold import GoldEvidence
from goldsmith.scoring.ideal import Ideals, exponential, ideal_dcg, linear

CHUNKS = ("a", "b", "c", "d")
MEMBER = st.lists(st.sampled_from(CHUNKS), min_size=1, max_size=2, unique=True).map(tuple)
EVIDENCE = st.builds(
    GoldEvidence,
    members=st.lists(MEMBER, min_size=1, max_size=3, unique=True).map(tuple),
    gain=st.integers(1, 2),
)


def dcg(order: tuple[str, ...], evidences: list[GoldEvidence], k: int) -> float:
    """Of one ranking, straight from the definition."""
    total, covered = 0.0, set()
    for rank in range(1, min(k, len(order)) + 1):
        held = set(order[:rank])
        for index, evidence in enumerate(evidences):
            if index not in covered and any(held.issuperset(m) for m in evidence.members):
                covered.add(index)
                total += evidence.gain / log2(rank + 1)
    return total


@settings(max_examples=150, deadline=None)
@given(st.lists(EVIDENCE, min_size=1, max_size=3), st.integers(1, 4))
def test_the_ideal_is_the_best_of_all_rankings(evidences: list[GoldEvidence], k: int) -> None:
    best = max(dcg(order, evidences, k) for order in permutations(CHUNKS))
    assert ideal_dcg(evidences, k, linear) == pytest.approx(best)


def test_an_evidence_by_a_shared_chunk_is_not_missed() -> None:
    # By fewest chunks both facts could also take a and c, one after the other: b has both.
    shared = [GoldEvidence((("a",), ("b",))), GoldEvidence((("c",), ("b",)))]
    assert ideal_dcg(shared, None, linear) == 2.0
    # A pair against a single chunk: the single one first.
    pair = [GoldEvidence((("a", "b"),)), GoldEvidence((("c",),))]
    assert ideal_dcg(pair, None, linear) == pytest.approx(1 + 1 / log2(4))


def test_plain_ideals_are_the_gains_in_descending_order() -> None:
    owners = np.array([1, 0, 1, 1])
    grades = np.array([1.0, 2.0, 3.0, 1.0])
    ideals = Ideals(3, owners, grades, {})
    assert ideals.at(None, linear).tolist() == pytest.approx([2, 3 + 1 / log2(3) + 1 / 2, 0])
    assert ideals.at(1, exponential).tolist() == pytest.approx([3, 7, 0])


def test_more_ways_than_can_be_tried_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ideal, "MOST_STATES", 20)
    tangled = [
        GoldEvidence(tuple((f"{n}{m}", f"{(n + 1) % 6}{m}") for m in range(3))) for n in range(6)
    ]
    with pytest.raises(InputError, match="6 evidences of a query share chunks in more than 20"):
        ideal_dcg(tangled, None, linear)
