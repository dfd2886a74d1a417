"""Where gold stands in a run: the found ranks of all queries, in flat arrays.

Every retrieval metric is a function of a `Standing`. There are two of each run: by chunk (each
relevant chunk for itself, as trec_eval counts) and by evidence (alternatives and joint members
understood). For gold whose evidences all have one chunk of their own they are the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from goldsmith.scoring.ideal import Ideals

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from goldsmith.scoring.gold import Gold, GoldEvidence
    from goldsmith.scoring.scan import Scan
    from goldsmith.scoring.spans import SpanHits

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class RankTable:
    """Found things: the number of their query, their rank from 1, their gain."""

    owners: Ints
    ranks: Ints
    gains: Floats

    @classmethod
    def of(cls, rows: Iterable[tuple[int, int, float]]) -> RankTable:
        table = np.array(list(rows), dtype=np.float64).reshape(-1, 3)
        return cls(table[:, 0].astype(np.int64), table[:, 1].astype(np.int64), table[:, 2])

    def keep(self, mask: NDArray[np.bool_]) -> RankTable:
        return RankTable(self.owners[mask], self.ranks[mask], self.gains[mask])

    def joined(self, other: RankTable) -> RankTable:
        return RankTable(
            np.concatenate((self.owners, other.owners)),
            np.concatenate((self.ranks, other.ranks)),
            np.concatenate((self.gains, other.gains)),
        )


@dataclass(frozen=True, slots=True)
class Standing:
    """All that retrieval metrics are computed from, by query number."""

    wanted: Floats
    """How many evidences (or relevant chunks) each query has; 0: the query is not scored."""
    evidences: RankTable
    """Evidences that were found, at the rank where they were covered."""
    relevant: RankTable
    """Items that carry them, at the rank from which they count."""
    ideals: Ideals

    @property
    def queries(self) -> int:
        return len(self.wanted)


def chunk_standing(gold: Gold, scan: Scan) -> Standing:
    """Each relevant chunk for itself."""
    found = found_relevant(gold, scan)
    relevant = gold.relevance > 0
    counts = np.bincount(gold.owners[relevant], minlength=len(gold)).astype(np.float64)
    counts[~gold.answerable] = 0
    return Standing(counts, found, found, Ideals.of_chunks(gold))


def evidence_standing(gold: Gold, scan: Scan, chunks: Standing) -> Standing:
    """Evidence by evidence; `chunks` is the standing of the same run by chunk."""
    special = {
        number: query.evidences
        for number, query in gold.details.items()
        if query.answerable and (number in scan.spans or not query.plain)
    }
    if not special:
        return chunks
    ranks = ranks_by_query(gold, scan, special)
    evidences, relevant = tables_of(special, ranks, scan.spans)
    plain = np.ones(len(gold), dtype=np.bool_)
    plain[list(special)] = False
    counts = chunks.wanted.copy()
    counts[list(special)] = [len(found) for found in special.values()]
    kept = chunks.relevant.keep(plain[chunks.relevant.owners])
    judged = (gold.relevance > 0) & plain[gold.owners]
    ideals = Ideals(
        len(gold), gold.owners[judged], gold.relevance[judged].astype(np.float64), special
    )
    return Standing(counts, kept.joined(evidences), kept.joined(relevant), ideals)


def found_relevant(gold: Gold, scan: Scan) -> RankTable:
    """The relevant chunks that the run holds, at their ranks."""
    places = np.array(scan.places, dtype=np.int64)
    gains = gold.relevance[places].astype(np.float64)
    table = RankTable(gold.owners[places], np.array(scan.ranks, dtype=np.int64), gains)
    return table.keep(gains > 0)


def ranks_by_query(gold: Gold, scan: Scan, numbers: Iterable[int]) -> dict[int, dict[str, int]]:
    """Rank by id of the judged chunks found, for the queries of these numbers."""
    wanted: dict[int, dict[str, int]] = {number: {} for number in numbers}
    owners = gold.owners[np.array(scan.places, dtype=np.int64)]
    for owner, place, rank in zip(owners.tolist(), scan.places, scan.ranks, strict=True):
        if owner in wanted:
            wanted[owner][gold.chunk_ids[place]] = rank
    return wanted


def tables_of(
    evidences: Mapping[int, Sequence[GoldEvidence]],
    ranks: Mapping[int, Mapping[str, int]],
    spans: Mapping[int, SpanHits],
) -> tuple[RankTable, RankTable]:
    """(evidences found, items that carry them) of the queries given, from ranks by chunk id."""
    covered: list[tuple[int, int, float]] = []
    carrying: list[tuple[int, int, float]] = []
    for number, wanted in evidences.items():
        hits = spans.get(number)
        parts: dict[int, int] = dict(hits.item_ranks) if hits else {}
        for index, evidence in enumerate(wanted):
            found = hits.evidence_ranks[index] if hits else None
            for done, members in _complete(evidence, ranks[number]):
                found = done if found is None else min(found, done)
                for rank in members:
                    parts[rank] = min(done, parts.get(rank, done))
            if found is not None:
                covered.append((number, found, evidence.gain))
        carrying += [(number, since, 1.0) for since in parts.values()]
    return RankTable.of(covered), RankTable.of(carrying)


def _complete(evidence: GoldEvidence, ranks: Mapping[str, int]) -> Iterable[tuple[int, list[int]]]:
    """(rank of the last chunk, ranks of all its chunks) of every member that was found whole."""
    for member in evidence.members:
        if all(chunk_id in ranks for chunk_id in member):
            found = [ranks[chunk_id] for chunk_id in member]
            yield max(found), found
