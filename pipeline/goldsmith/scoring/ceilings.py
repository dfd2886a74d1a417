"""The ceiling of the policy `single`: what one citation a claim can reach on a mix of questions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from goldsmith.scoring.intervals import share_interval
from goldsmith.scoring.records import Half, Layer, Metric

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from goldsmith.scoring.gold import GoldEvidence, GoldQuery

    Share = tuple[float, float]


def single_ceiling(queries: Sequence[GoldQuery]) -> Mapping[str, Share]:
    """By answerable query: (statements of the gold answer that one chunk proves, statements).

    A statement whose evidences lie in different chunks has no correct single citation.
    """
    return {query.query_id: _single_share(query) for query in queries if query.answerable}


def _single_share(query: GoldQuery) -> Share:
    needed = [statement.evidence for statement in query.statements] or [
        tuple(range(len(query.evidences)))
    ]
    provable = 0
    for evidence in needed:
        carriers = [_alone(query.evidences[index]) for index in evidence]
        provable += bool(not carriers or set.intersection(*carriers))
    return float(provable), float(len(needed))


def _alone(evidence: GoldEvidence) -> set[str]:
    """Chunks that carry the evidence by themselves."""
    return {member[0] for member in evidence.members if len(member) == 1}


def ceiling_metrics(queries: Sequence[GoldQuery], *, seed: int) -> list[Metric]:
    """What the best system could reach under the policy `single` on this mix of questions."""
    shares = single_ceiling(queries)
    provable = sum(top for top, _ in shares.values())
    statements = sum(bottom for _, bottom in shares.values())
    if not statements:
        return []
    pairs = np.array(list(shares.values()))
    interval = share_interval(pairs[:, 0], pairs[:, 1], seed=seed)
    return [
        Metric(
            name="citation_single_ceiling",
            half=Half.LABELLED,
            layer=Layer.CITATION,
            value=provable / statements,
            numerator=provable,
            denominator=statements,
            n=len(shares),
            low=interval.low if interval else None,
            high=interval.high if interval else None,
            method=interval.method if interval else "",
            note="gold statements that one passage proves",
        )
    ]
