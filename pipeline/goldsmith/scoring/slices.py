"""The slices of a labelled report: which queries belong to which."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from goldsmith.scoring.gold import Gold, GoldQuery
    from goldsmith.scoring.scan import Scan

    Mask = NDArray[np.bool_]

ANSWERED = "answered"
"""Queries that the run has: a mean over them flatters a run that leaves the hard ones out."""


def slices_of(gold: Gold, scan: Scan) -> dict[str, Mask]:
    """Masks by slice name, over query numbers; those of kinds and bands only where gold says."""
    return {ANSWERED: np.frombuffer(scan.answered, dtype=np.bool_)} | described_slices(gold)


def described_slices(gold: Gold) -> dict[str, Mask]:
    """`kind=...`, `band=...`, for probes `probe=...`, and the strata of difficulty."""
    masks: dict[str, Mask] = {}
    for number, query in gold.details.items():
        for name in _names(query):
            masks.setdefault(name, np.zeros(len(gold), dtype=np.bool_))[number] = True
    return dict(sorted(masks.items()))


def _names(query: GoldQuery) -> list[str]:
    words: Mapping[str, str | None] = {
        "kind": query.kind,
        "band": query.band,
        "probe": query.probe_kind,
    }
    words = {**words, **query.strata}
    return [f"{key}={value}" for key, value in words.items() if value]
