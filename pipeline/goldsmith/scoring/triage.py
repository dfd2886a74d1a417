"""One label for each answerable query: what went wrong first, and whose it is to mend."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from goldsmith.scoring.carriers import evidences_in, held
from goldsmith.scoring.intervals import wilson
from goldsmith.scoring.records import AnswerOutcome, FailureKind, Half, Layer, Metric, RowLabel

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence

    from goldsmith.scoring.gold import GoldEvidence, GoldQuery
    from goldsmith.scoring.judged import JudgedAnswer, JudgedClaim
    from goldsmith.scoring.records import Claim, ClaimedAnswer
    from goldsmith.scoring.run_records import RunRecord

WORST = 10

OWNERS: dict[RowLabel, str] = {
    RowLabel.EMPTY_OUTPUT: "the generator: it returned nothing",
    RowLabel.ABSTAINED: "grounding instructions: too cautious",
    RowLabel.RETRIEVAL_MISS: "retrieval: embeddings, chunking, top-k, reranker",
    RowLabel.EXTRACTION_FAILED: "the answer's format: no claim could be read in it",
    RowLabel.HALLUCINATION: "the generator and its grounding instructions",
    RowLabel.MISCITATION: "how the generator attaches markers",
    RowLabel.CORRECT: "",
}


@dataclass(frozen=True, slots=True)
class TriageCase:
    """Everything that is known of one answerable query."""

    query: GoldQuery
    record: RunRecord | None
    """None: the run lacks the query."""
    claimed: ClaimedAnswer | None = None
    judged: JudgedAnswer | None = None
    abstained: bool = False


@dataclass(frozen=True, slots=True)
class TriageRow:
    """A labelled query."""

    label: RowLabel
    case: TriageCase
    missing_evidence: tuple[GoldEvidence, ...]
    """Evidence that was not supplied."""
    faults: int
    """Claims, or evidences, that earned the label: what "worst" is sorted by."""


@dataclass(frozen=True, slots=True)
class Triage:
    """All answerable queries, labelled; `judged` says whether a judge had a part in it."""

    rows: tuple[TriageRow, ...]
    judged: bool

    def counts(self) -> dict[RowLabel, int]:
        counted = dict.fromkeys(RowLabel, 0)
        for row in self.rows:
            counted[row.label] += 1
        return counted

    def worst(self, label: RowLabel, limit: int = WORST) -> list[TriageRow]:
        """The rows with most faults, ties in the order of query ids."""
        rows = [row for row in self.rows if row.label is label]
        return sorted(rows, key=lambda row: (-row.faults, row.case.query.query_id))[:limit]

    def metrics(self) -> list[Metric]:
        """The share of each label; they add up to one."""
        n = len(self.rows)
        return [_share(label, count, n) for label, count in self.counts().items()]


def _share(label: RowLabel, count: int, n: int) -> Metric:
    interval = wilson(count, n)
    return Metric(
        name=f"triage_{label}",
        half=Half.LABELLED,
        layer=Layer.COMPONENT,
        value=count / n if n else None,
        numerator=count,
        denominator=n,
        n=n,
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        method=interval.method if interval else "",
    )


def triage(
    cases: Sequence[TriageCase], *, known: Container[str] = (), min_overlap: float = 1.0
) -> Triage:
    """Label each case. `known` and `min_overlap` are as for the labelled half: a passage of another
    chunking carries an evidence when it holds that share of its quote.

    Without a judge nothing can be called a hallucination, and a miscitation is
    a citation of what gold does not name.
    """
    return Triage(
        tuple(_label(case, _missing_evidence(case, known, min_overlap)) for case in cases),
        any(case.judged is not None for case in cases),
    )


def _label(case: TriageCase, missing: tuple[GoldEvidence, ...]) -> TriageRow:
    label, faults = _first_that_fits(case, missing)
    return TriageRow(label, case, missing, faults)


def _first_that_fits(case: TriageCase, missing: Sequence[GoldEvidence]) -> tuple[RowLabel, int]:
    outcome = case.claimed.outcome if case.claimed else AnswerOutcome.EMPTY_OUTPUT
    hallucinated, miscited = _hallucinated(case), _miscited(case)
    checks = (
        # A flag of abstention says more than the missing text that comes with it.
        (RowLabel.EMPTY_OUTPUT, outcome is AnswerOutcome.EMPTY_OUTPUT and not case.abstained, 1),
        (RowLabel.ABSTAINED, case.abstained, 1),
        (RowLabel.RETRIEVAL_MISS, bool(missing), len(missing)),
        (RowLabel.EXTRACTION_FAILED, outcome is AnswerOutcome.EXTRACTION_FAILED, 1),
        (RowLabel.HALLUCINATION, bool(hallucinated), hallucinated),
        (RowLabel.MISCITATION, bool(miscited), miscited),
    )
    return next(((name, n) for name, fits, n in checks if fits), (RowLabel.CORRECT, 0))


def _missing_evidence(
    case: TriageCase, known: Container[str], min_overlap: float
) -> tuple[GoldEvidence, ...]:
    """Evidence that no member of was supplied whole, by id or by its span."""
    if case.record is None:
        return case.query.evidences
    supplied = set(case.record.supplied_ids)
    evidences = evidences_in(case.query, case.record, known, min_overlap)
    return tuple(evidence for evidence in evidences if not held(evidence, supplied))


def _hallucinated(case: TriageCase) -> int:
    """Claims that nothing supplied supports, cited or not."""
    if case.judged is None:
        return 0
    return sum(_is_hallucinated(claim) for claim in case.judged.claims)


def _is_hallucinated(claim: JudgedClaim) -> bool:
    return claim.faithful is False or claim.failure in {
        FailureKind.HALLUCINATED,
        FailureKind.CONTRADICTED,
    }


def _miscited(case: TriageCase) -> int:
    """Claims whose citation fails; all of them when the answer cites nothing at all."""
    claims: Sequence[Claim] = case.claimed.claims if case.claimed else ()
    if claims and not any(claim.cited_ids for claim in claims):
        return len(claims)
    if case.judged is not None:
        return sum(claim.failure is not None for claim in case.judged.claims)
    gold = case.query.gold_ids
    return sum(bool(set(claim.cited_ids) - gold) for claim in claims)


def cases_of(
    queries: Sequence[GoldQuery],
    records: Mapping[str, RunRecord],
    claimed: Mapping[str, ClaimedAnswer],
    judged: Mapping[str, JudgedAnswer],
    abstained: frozenset[str],
) -> list[TriageCase]:
    """Bring together what was found by query id; probes have no part in triage."""
    return [
        TriageCase(
            query=query,
            record=records.get(query.query_id),
            claimed=claimed.get(query.query_id),
            judged=judged.get(query.query_id),
            abstained=query.query_id in abstained,
        )
        for query in queries
        if query.answerable
    ]
