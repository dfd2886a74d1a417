"""Select: the only place that knows thresholds. No model is called here.

Each draft is kept, or rejected for the first of these reasons: a critic's verdict is missing, is
on another wording, or is too low; the necessity proof is missing, failed, or shows that a source
is not needed; another kept draft asks the same.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from goldsmith.corpus.agreement import same_answer
from goldsmith.corpus.difficulty import difficulty_of
from goldsmith.corpus.samequestion import SameQuestion
from goldsmith.funnel import FunnelRow, account
from goldsmith.ids import rated_digest
from goldsmith.records import (
    Critic,
    Critics,
    CriticScore,
    Draft,
    Dropped,
    Evidence,
    Kind,
    Loss,
    Provenance,
    Query,
    Trial,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from goldsmith.corpus.search import Index
    from goldsmith.records import Chunk, Necessity, Rating
    from goldsmith.settings import SelectSettings

STAGE = "select"


@dataclass(frozen=True, slots=True)
class Selected:
    """Both sides of the stage, all kinds together."""

    kept: list[Query]
    dropped: list[Dropped]
    funnel: list[FunnelRow]


@dataclass(frozen=True, slots=True)
class Verdict:
    reason: str
    detail: str
    loss: Loss = Loss.REJECTED


def run(
    drafts: Sequence[Draft],
    ratings: Iterable[Rating],
    proofs: Iterable[Necessity],
    chunks: Mapping[str, Chunk],
    index: Index,
    settings: SelectSettings,
    *,
    necessity: bool,
) -> Selected:
    """Decide on every draft; `necessity` says whether multi-source drafts need a proof."""
    by_draft: defaultdict[str, dict[Critic, Rating]] = defaultdict(dict)
    for rating in ratings:
        by_draft[rating.draft_id][rating.critic] = rating
    proof_of = {proof.draft_id: proof for proof in proofs}
    passed: list[Query] = []
    dropped: list[Dropped] = []
    for draft in sorted(drafts, key=lambda d: d.draft_id):
        proof = proof_of.get(draft.draft_id)
        verdict = _judge(draft, by_draft[draft.draft_id], settings.min_rating)
        if verdict is None and necessity and draft.kind is Kind.MULTI_SOURCE:
            verdict = judge_proof(draft, proof)
        if verdict is None:
            passed.append(_query(draft, by_draft[draft.draft_id], proof, chunks, index))
        else:
            dropped.append(_dropped(draft, verdict))
    kept, merged = _merge(passed, settings.near_duplicate)
    dropped += merged
    return Selected(kept, dropped, _funnel(drafts, kept, dropped))


def _judge(draft: Draft, ratings: Mapping[Critic, Rating], minimum: int) -> Verdict | None:
    digest = rated_digest(draft.question, draft.answer)
    for critic in (Critic.STANDALONE, Critic.RELEVANCE, Critic.GROUNDEDNESS):
        rating = ratings.get(critic)
        if rating is None:
            return Verdict("unrated", f"no rating by {critic.value}", Loss.FAILED)
        if rating.text_digest != digest:
            return Verdict("rated_other_wording", f"{critic.value} rated another wording")
        if rating.rating is None:
            detail = f"{critic.value}: {rating.failure}"
            return Verdict("critic_failed", detail, Loss.FAILED)
        if rating.rating < minimum:
            detail = f"{rating.rating} of 5: {rating.rationale}"
            return Verdict(f"low_{critic.value}", detail)
    return None


def judge_proof(draft: Draft, proof: Necessity | None) -> Verdict | None:
    """Why a multi-source draft is not kept; None: it needs each of its sources."""
    if proof is None:
        return Verdict("unproved", "no necessity proof", Loss.FAILED)
    if proof.text_digest != rated_digest(draft.question, draft.answer):
        return Verdict("proved_other_wording", "the necessity proof is of another wording")
    whole = set(draft.source_chunk_ids)
    for trial in proof.trials:
        if trial.failure is not None:
            return Verdict("necessity_failed", f"{trial.chunk_ids}: {trial.failure}", Loss.FAILED)
        if set(trial.chunk_ids) == whole and not trial.matches_gold:
            detail = f"from all its sources the answer was {trial.answer!r}"
            return Verdict("not_answered_from_sources", detail)
        if trial.chunk_ids and set(trial.chunk_ids) < whole and trial.matches_gold:
            return Verdict("not_all_needed", f"{trial.chunk_ids} suffice: {trial.answer!r}")
    return None


def _query(
    draft: Draft,
    ratings: Mapping[Critic, Rating],
    proof: Necessity | None,
    chunks: Mapping[str, Chunk],
    index: Index,
) -> Query:
    trials = proof.trials if proof else ()
    parts = [draft.provenance, *(rating.provenance for rating in ratings.values())]
    parts += [proof.provenance] if proof else []
    return Query(
        query_id=draft.draft_id,
        kind=draft.kind,
        question=draft.question,
        answer=draft.answer,
        statements=draft.statements,
        evidence=draft.evidence,
        closed_book=_closed_book(trials),
        difficulty=difficulty_of(
            draft.question, draft.language, draft.source_chunk_ids, chunks, index
        ),
        critics=Critics(**{critic.value: _score(rating) for critic, rating in ratings.items()}),
        language=draft.language,
        link=draft.link,
        term=draft.term,
        necessity=trials,
        source_chunk_ids=draft.source_chunk_ids,
        provenance=_joined(parts),
    )


def _closed_book(trials: Sequence[Trial]) -> bool | None:
    return next((t.matches_gold for t in trials if not t.chunk_ids and t.failure is None), None)


def _score(rating: Rating) -> CriticScore:
    if rating.rating is None:
        raise ValueError(f"draft {rating.draft_id!r} was kept without a rating")
    return CriticScore(
        rating=rating.rating,
        normalised=(rating.rating - 1) / 4,
        rationale=rating.rationale,
        text_digest=rating.text_digest,
    )


def _joined(parts: Sequence[Provenance]) -> Provenance:
    return Provenance(
        model=parts[0].model,
        prompts=tuple(dict.fromkeys(prompt for part in parts for prompt in part.prompts)),
        requests=tuple(dict.fromkeys(key for part in parts for key in part.requests)),
    )


def _merge(passed: Sequence[Query], threshold: float) -> tuple[list[Query], list[Dropped]]:
    """One question of each group of near-identical ones.

    When their answers agree, the evidence of the others becomes an alternative. When they do not,
    the question has two answers in this corpus, and none of the group can be gold.
    """
    kept: list[Query] = []
    dropped: list[Dropped] = []
    for group in SameQuestion(threshold).groups(passed):
        first, *others = group
        if all(same_answer(first.answer, other.answer, first.language) for other in others):
            kept.append(_united(group))
            dropped += [
                _dropped(other, Verdict("duplicate", f"asks the same as {first.query_id}"))
                for other in others
            ]
        else:
            ids = ", ".join(query.query_id for query in group)
            verdict = Verdict("ambiguous", f"asked with different answers by {ids}")
            dropped += [_dropped(query, verdict) for query in group]
    return sorted(kept, key=lambda query: query.query_id), dropped


def _united(group: Sequence[Query]) -> Query:
    """The first query, with the other queries' chunks as alternatives of its evidences."""
    first, *others = group
    evidence = list(first.evidence)
    for other in others:
        if len(other.evidence) == len(evidence) == 1:
            evidence = [_with_members(evidence[0], other.evidence[0].chunk_ids)]
    return first.model_copy(update={"evidence": tuple(evidence)})


def _with_members(evidence: Evidence, chunk_ids: Iterable[str]) -> Evidence:
    members = tuple(dict.fromkeys((*evidence.chunk_ids, *chunk_ids)))
    return evidence.model_copy(update={"chunk_ids": members})


def _dropped(item: Draft | Query, verdict: Verdict) -> Dropped:
    return Dropped(
        stage=STAGE,
        kind=item.kind.value,
        item_id=item.draft_id if isinstance(item, Draft) else item.query_id,
        loss=verdict.loss,
        reason=verdict.reason,
        detail=verdict.detail,
        question=item.question,
        answer=item.answer,
    )


def _funnel(
    drafts: Sequence[Draft], kept: Sequence[Query], dropped: Sequence[Dropped]
) -> list[FunnelRow]:
    return [
        account(
            STAGE,
            kind.value,
            requested=sum(draft.kind is kind for draft in drafts),
            kept=sum(query.kind is kind for query in kept),
            dropped=[item for item in dropped if item.kind == kind.value],
        )
        for kind in (Kind.FACTOID, Kind.MULTI_SOURCE)
    ]
