"""What a judge's mistakes cost: review hours and unsupported claims released unseen.

The three-way matrix is human by judge over `supported`, `insufficient`, `contradicted`; its counts
are claims, or are scaled to the volume that the ledger is for.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from goldsmith.records import Record
from goldsmith.scoring.records import Verdict

if TYPE_CHECKING:
    from goldsmith.scoring.confusion import Confusion


class Routed(StrEnum):
    """The three verdicts that routing tells apart, in the order of the matrix."""

    SUPPORTED = "supported"
    INSUFFICIENT = "insufficient"
    CONTRADICTED = "contradicted"


ROUTE_OF = {
    Verdict.SUPPORTS: Routed.SUPPORTED,
    Verdict.PARTIALLY_SUPPORTS: Routed.INSUFFICIENT,
    Verdict.DOES_NOT_SUPPORT: Routed.INSUFFICIENT,
    Verdict.CONTRADICTS: Routed.CONTRADICTED,
}
_MINUTES_AN_HOUR = 60


class Routing(StrEnum):
    """Where failed claims go."""

    ALL_TO_PEOPLE = "all_failed_to_people"
    CONTRADICTIONS_TO_PEOPLE = "contradictions_to_people"
    """Insufficient claims are retried; the share that fails again goes to people too."""


class LedgerRow(Record):
    """One policy over `claims` claims."""

    routing: Routing
    claims: float
    reviewed: float
    hours: float
    retried: float
    released: float
    """Without a person's look: what the judge called supported."""
    unsupported_released: float
    """Of these, not supported according to people."""


def ledger(
    matrix: Confusion,
    *,
    minutes_a_review: float,
    escalating_share: float = 0.0,
    claims: float | None = None,
) -> list[LedgerRow]:
    """Both policies. `claims` scales the counts (None: as they are).

    `escalating_share` is the share of retried claims that end with a person all the same.
    """
    if matrix.labels != tuple(Routed):
        raise ValueError(f"expected the labels {[r.value for r in Routed]}, found {matrix.labels}")
    scale = 1.0 if claims is None or not matrix.n else claims / matrix.n
    counts = matrix.counts * scale
    released, insufficient, contradicted = (float(total) for total in counts.sum(axis=0))
    unsupported = float(counts[1:, 0].sum())
    rows = []
    for routing in Routing:
        retried = 0.0 if routing is Routing.ALL_TO_PEOPLE else insufficient
        by_people = insufficient if routing is Routing.ALL_TO_PEOPLE else retried * escalating_share
        reviewed = contradicted + by_people
        rows.append(
            LedgerRow(
                routing=routing,
                claims=float(counts.sum()),
                reviewed=reviewed,
                hours=reviewed * minutes_a_review / _MINUTES_AN_HOUR,
                retried=retried,
                released=released,
                unsupported_released=unsupported,
            )
        )
    return rows
