"""The worst rows of a triage, ready to be read: question, claims, cited and gold passages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from goldsmith.scoring.triage import OWNERS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from goldsmith.scoring.judged import JudgedClaim
    from goldsmith.scoring.records import Claim
    from goldsmith.scoring.triage import Triage, TriageCase, TriageRow

_AROUND = 260
"""Characters shown on each side of a highlighted span."""
_UNMARKED = 600
"""Characters shown of a passage without one."""


@dataclass(frozen=True, slots=True)
class ShownPassage:
    """A passage with the gold quote in it set apart; `marked` is empty where it is not there."""

    chunk_id: str
    before: str
    marked: str
    after: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class ShownClaim:
    text: str
    cited_ids: tuple[str, ...]
    verdict: str
    failure: str
    supported_by: tuple[str, ...]
    rationale: str


@dataclass(frozen=True, slots=True)
class ShownRow:
    query_id: str
    kind: str
    question: str
    answer: str
    gold_answer: str
    claims: tuple[ShownClaim, ...]
    cited: tuple[ShownPassage, ...]
    gold: tuple[ShownPassage, ...]


@dataclass(frozen=True, slots=True)
class ShownLabel:
    """One triage label: how many queries, whose they are, and the worst of them."""

    label: str
    count: int
    owner: str
    rows: tuple[ShownRow, ...]


def shown_labels(triage: Triage, texts: Mapping[str, str]) -> list[ShownLabel]:
    """Every label with its count; rows for those that need mending."""
    return [
        ShownLabel(
            label=label.value,
            count=count,
            owner=OWNERS[label],
            rows=tuple(_row(row, texts) for row in triage.worst(label)) if OWNERS[label] else (),
        )
        for label, count in triage.counts().items()
    ]


def _row(row: TriageRow, texts: Mapping[str, str]) -> ShownRow:
    case = row.case
    held = {**texts, **_texts_of(case)}
    quotes = [evidence.quote for evidence in case.query.evidences if evidence.quote]
    claims: Sequence[Claim] = case.claimed.claims if case.claimed else ()
    cited = dict.fromkeys(i for claim in claims for i in claim.cited_ids)
    gold = dict.fromkeys(i for e in case.query.evidences for i in e.chunk_ids)
    supplied = set(case.record.supplied_ids) if case.record else set()
    return ShownRow(
        query_id=case.query.query_id,
        kind=case.query.kind.value if case.query.kind else "",
        question=case.query.question or (case.record.question or "" if case.record else ""),
        answer=(case.record.answer or "") if case.record else "(missing in the run)",
        gold_answer=case.query.answer,
        claims=tuple(_judged_claims(case) or (_claim(claim) for claim in claims)),
        cited=tuple(
            _passage(i, held, quotes, "" if i in supplied else "not supplied") for i in cited
        ),
        gold=tuple(
            _passage(i, held, quotes, "" if i in supplied else "not supplied") for i in gold
        ),
    )


def _texts_of(case: TriageCase) -> dict[str, str]:
    items = case.record.items if case.record else []
    return {item.chunk_id: item.text for item in items if item.text}


def _judged_claims(case: TriageCase) -> list[ShownClaim]:
    return [_judged(claim) for claim in case.judged.claims] if case.judged else []


def _claim(claim: Claim) -> ShownClaim:
    return ShownClaim(claim.text, claim.cited_ids, "", "", (), "")


def _judged(claim: JudgedClaim) -> ShownClaim:
    ruling = claim.joint or claim.together
    verdict = claim.verdict or (ruling.verdict if ruling else None)
    return ShownClaim(
        text=claim.claim.text,
        cited_ids=claim.claim.cited_ids,
        verdict=verdict.value if verdict else "no readable verdict",
        failure=claim.failure.value if claim.failure else "",
        supported_by=claim.supported_by if claim.failure else (),
        rationale=ruling.rationale if ruling else claim.understood.rationale,
    )


def _passage(
    chunk_id: str, texts: Mapping[str, str], quotes: Sequence[str], note: str
) -> ShownPassage:
    text = texts.get(chunk_id)
    if text is None:
        return ShownPassage(chunk_id, "", "", "", note or "text not at hand")
    for quote in quotes:
        start = text.find(quote)
        if start >= 0:
            end = start + len(quote)
            return ShownPassage(
                chunk_id,
                _clipped_before(text[:start]),
                quote,
                _clipped_after(text[end:], _AROUND),
                note,
            )
    return ShownPassage(chunk_id, _clipped_after(text, _UNMARKED), "", "", note)


def _clipped_before(text: str) -> str:
    return text if len(text) <= _AROUND else f"\u2026{text[-_AROUND:]}"


def _clipped_after(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[:limit]}\u2026"
