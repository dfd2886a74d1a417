"""Citations against gold labels: no model is asked. These are lower bounds.

A gold label says which chunks prove the answer; a chunk that nobody labelled may prove it too. The
unit is the occurrence: one claim, one id; repeats within a claim were dropped before.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from goldsmith.scoring.carriers import evidences_in, held
from goldsmith.scoring.records import Aggregation, Column, Half, Layer, MarkerStatus

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from goldsmith.scoring.gold import Corpus, Gold, GoldEvidence, GoldQuery
    from goldsmith.scoring.records import ClaimedAnswer
    from goldsmith.scoring.run_records import RunRecord

    Floats = NDArray[np.float64]

POOLED = "_pooled"


@dataclass(frozen=True, slots=True)
class Response:
    """What a system answered to a query of gold, taken apart."""

    query: GoldQuery
    record: RunRecord
    claimed: ClaimedAnswer

    @property
    def occurrences(self) -> list[str]:
        """Every cited id, once for each claim that cites it."""
        return [chunk_id for claim in self.claimed.claims for chunk_id in claim.cited_ids]


@dataclass(frozen=True, slots=True)
class _Pair:
    """Numerators and denominators of one metric, by query number."""

    numerator: Floats
    denominator: Floats

    def put(self, number: int, numerator: float, denominator: float) -> None:
        self.numerator[number], self.denominator[number] = numerator, denominator


@dataclass(slots=True)
class CitationCounter:
    """Takes responses one by one and gives columns over all queries of gold."""

    gold: Gold
    corpus: Corpus
    min_overlap: float = 1.0
    counts: Counter[str] = field(default_factory=Counter)
    """`markers_retrieved`, `markers_not_retrieved`, `markers_unknown`, the same for links, and
    `duplicate_markers`.
    """
    _pairs: dict[str, _Pair] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in _METRICS:
            self._pairs[name] = _Pair(np.zeros(len(self.gold)), np.zeros(len(self.gold)))
        for query_id, number in self.gold.numbers.items():
            # A query that the run lacks cites nothing and covers nothing.
            query = self.gold.query(query_id)
            if query.answerable:
                self._put_recalled(number, query, 0, len(query.evidences), 0)

    def add(self, response: Response) -> None:
        """Count one response; those to probes have no gold citations and are passed over."""
        query, record = response.query, response.record
        if not query.answerable:
            return
        number = self.gold.numbers[query.query_id]
        evidences = evidences_in(query, record, self.corpus.chunk_ids, self.min_overlap)
        statuses = [(c, self._status(c, record)) for c in response.occurrences]
        gold_ids = frozenset(c for e in evidences for c in e.chunk_ids)
        right = sum(c in gold_ids and s is MarkerStatus.RETRIEVED for c, s in statuses)
        resolved = [chunk_id for chunk_id, status in statuses if status is MarkerStatus.RETRIEVED]
        self._pairs["citation_precision"].put(number, right, len(statuses))
        self._pairs["marker_resolution"].put(number, len(resolved), len(statuses))
        found = sum(held(evidence, set(resolved)) for evidence in evidences)
        covered = self._covered(query, evidences, set(record.supplied_ids))
        self._put_recalled(number, query, found, len(evidences), covered)
        self._put_f1(number)
        self._put_links(number, response)
        self.counts.update(f"markers_{status}" for _, status in statuses)
        self.counts["duplicate_markers"] += sum(
            claim.duplicate_markers for claim in response.claimed.claims
        )

    def columns(self) -> list[Column]:
        """The mean over queries of every metric, and its pooled twin over occurrences."""
        applies = self.gold.answerable
        return [
            Column(
                name=f"{name}{POOLED}" if aggregation is Aggregation.POOLED else name,
                half=Half.LABELLED,
                layer=_METRICS[name],
                numerator=pair.numerator,
                denominator=pair.denominator,
                aggregation=aggregation,
                applies=applies,
                note="a lower bound: chunks that nobody labelled count as wrong"
                if name in ("citation_precision", "citation_f1")
                else "",
            )
            for name, pair in self._pairs.items()
            for aggregation in Aggregation
            # F1 of sums is no sum of F1s.
            if name != "citation_f1" or aggregation is Aggregation.MEAN
        ]

    def _put_recalled(
        self, number: int, query: GoldQuery, found: int, wanted: int, covered: int
    ) -> None:
        statements = sum(bool(statement.evidence) for statement in query.statements)
        self._pairs["citation_recall"].put(number, found, wanted)
        self._pairs["attributable_statement_coverage"].put(number, covered, statements)
        self._pairs["citation_f1"].put(number, 0.0, 1.0)

    def _put_f1(self, number: int) -> None:
        """Harmonic mean of precision and recall; 0 when nothing is cited, because recall is 0."""
        precision = self._pairs["citation_precision"]
        recall = self._pairs["citation_recall"]
        p = precision.numerator[number] / (precision.denominator[number] or 1.0)
        r = recall.numerator[number] / recall.denominator[number]
        self._pairs["citation_f1"].put(number, 2 * p * r / (p + r) if p + r else 0.0, 1.0)

    def _put_links(self, number: int, response: Response) -> None:
        links = response.claimed.links
        statuses = [self._link_status(target, response.record) for target in links]
        right = statuses.count(MarkerStatus.RETRIEVED)
        self._pairs["link_validity"].put(number, right, len(statuses))
        self.counts.update(f"links_{status}" for status in statuses)

    def _status(self, chunk_id: str, record: RunRecord) -> MarkerStatus:
        if chunk_id in record.supplied_ids or chunk_id in record.chunk_ids:
            return MarkerStatus.RETRIEVED
        known = chunk_id in self.corpus.chunk_ids
        return MarkerStatus.NOT_RETRIEVED if known else MarkerStatus.UNKNOWN

    def _link_status(self, target: str, record: RunRecord) -> MarkerStatus:
        """A link leads to a document, by id or source path, or to a chunk; fragments aside."""
        name = target.partition("#")[0].removeprefix("./")
        document = self.corpus.documents.get(name)
        if document is None:
            return self._status(name, record)
        shown = {
            self.corpus.chunk_documents.get(item.chunk_id, item.doc_id) for item in record.items
        }
        return MarkerStatus.RETRIEVED if document in shown else MarkerStatus.NOT_RETRIEVED

    @staticmethod
    def _covered(query: GoldQuery, evidences: tuple[GoldEvidence, ...], supplied: set[str]) -> int:
        """Statements of the gold answer whose evidences were all supplied."""
        return sum(
            all(held(evidences[index], supplied) for index in statement.evidence)
            for statement in query.statements
            if statement.evidence
        )


_METRICS: Mapping[str, Layer] = {
    "citation_precision": Layer.CITATION,
    "citation_recall": Layer.CITATION,
    "citation_f1": Layer.CITATION,
    "attributable_statement_coverage": Layer.RETRIEVAL,
    "marker_resolution": Layer.CITATION,
    "link_validity": Layer.CITATION,
}
"""In the order of a report; coverage is retrieval's to mend: could it have been answered?"""
