"""Gold label against verdict, citation by citation: what the next release should look at.

A citation of a gold passage that the judge finds unsupported is a *suspect label* (or a judge's
mistake); one of another passage that the judge finds supported is a *missing label*.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from goldsmith.scoring.intervals import share_interval
from goldsmith.scoring.records import Half, Layer, Metric, Verdict
from goldsmith.scoring.report import Listing

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from goldsmith.scoring.gold import GoldQuery
    from goldsmith.scoring.judged import JudgedAnswer, JudgedClaim

_COLUMNS = ("query", "passage", "claim")


@dataclass(frozen=True, slots=True)
class Cited:
    """One citation with both words on it."""

    query_id: str
    chunk_id: str
    claim: str
    gold: bool
    supported: bool


@dataclass(frozen=True, slots=True)
class LabelCheck:
    """All citations that have both a gold label and a verdict of their own."""

    citations: tuple[Cited, ...]

    def of(self, *, gold: bool, supported: bool) -> list[Cited]:
        """One cell of the 2x2 table."""
        return [c for c in self.citations if c.gold is gold and c.supported is supported]

    @property
    def suspect_labels(self) -> list[Cited]:
        return self.of(gold=True, supported=False)

    @property
    def missing_labels(self) -> list[Cited]:
        return self.of(gold=False, supported=True)

    def metrics(self, *, seed: int = 7) -> list[Metric]:
        """The four cells as shares of all citations; they add up to one."""
        return [
            self._cell(gold=gold, supported=supported, seed=seed)
            for gold in (True, False)
            for supported in (True, False)
        ]

    def _cell(self, *, gold: bool, supported: bool, seed: int) -> Metric:
        by_query: dict[str, list[float]] = {}
        for cited in self.citations:
            sums = by_query.setdefault(cited.query_id, [0.0, 0.0])
            sums[0] += cited.gold is gold and cited.supported is supported
            sums[1] += 1
        pairs = np.array(list(by_query.values())).reshape(-1, 2)
        count, n = pairs.sum(axis=0)
        interval = share_interval(pairs[:, 0], pairs[:, 1], seed=seed)
        return Metric(
            name=f"{'gold' if gold else 'not_gold'}_{'supported' if supported else 'unsupported'}",
            half=Half.LABELLED,
            layer=Layer.CITATION,
            value=float(count / n) if n else None,
            numerator=float(count),
            denominator=float(n),
            n=len(by_query),
            low=interval.low if interval else None,
            high=interval.high if interval else None,
            method=interval.method if interval else "",
        )

    def listings(self) -> list[Listing]:
        """Both lists for the report, where they are not empty."""
        listed = (
            ("Suspect labels", "A gold passage was cited, and the judge finds no support in it.",
             self.suspect_labels),
            ("Missing labels", "The judge finds support in a passage that gold does not name.",
             self.missing_labels),
        )  # fmt: skip
        return [
            Listing(title, why, _COLUMNS, tuple((c.query_id, c.chunk_id, c.claim) for c in found))
            for title, why, found in listed
            if found
        ]


def check_labels(queries: Sequence[GoldQuery], answers: Mapping[str, JudgedAnswer]) -> LabelCheck:
    """Compare every citation of an answerable query that has a verdict of its own."""
    return LabelCheck(
        tuple(
            Cited(query.query_id, chunk_id, claim.claim.text, chunk_id in query.gold_ids, supported)
            for query in queries
            if query.answerable and query.query_id in answers
            for claim in answers[query.query_id].claims
            for chunk_id in claim.resolved
            if (supported := _alone(claim, chunk_id)) is not None
        )
    )


def _alone(claim: JudgedClaim, chunk_id: str) -> bool | None:
    """Does this passage alone support the claim? None without a readable verdict."""
    ruling = claim.joint if len(claim.resolved) == 1 else claim.singly.get(chunk_id)
    if ruling is None or ruling.verdict is None:
        return None
    return ruling.verdict is Verdict.SUPPORTS
