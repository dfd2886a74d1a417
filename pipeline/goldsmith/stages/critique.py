"""Critique: three critics rate every draft, and multi-source drafts must prove their sources.

No threshold is known here: whatever the critics say is written down, and `select` decides.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING

from goldsmith.corpus.agreement import same_answer
from goldsmith.funnel import FunnelRow, account
from goldsmith.ids import rated_digest
from goldsmith.llm.sources import labelled
from goldsmith.llm.task import provenance_of
from goldsmith.llm.tasks import (
    ANSWER,
    CRITICS,
    AnswerVariables,
    GroundednessVariables,
    RelevanceVariables,
    StandaloneVariables,
)
from goldsmith.records import (
    SKIPPED_AFTER_STANDALONE,
    Chunk,
    Critic,
    Draft,
    Dropped,
    Kind,
    Loss,
    Necessity,
    Rating,
    Record,
    Trial,
    Usage,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from goldsmith.engine.local import Engine
    from goldsmith.llm.task import Model, Outcome
    from goldsmith.llm.tasks import AnswerReply
    from goldsmith.settings import CritiqueSettings, GenerateSettings

STAGE = "critique"
NECESSITY = "necessity"


@dataclass(frozen=True, slots=True)
class Critiqued:
    """Ratings of every draft; `dropped` lists the ratings and trials that could not be had.

    A draft is never lost here: an unscored rating stays in `ratings` with its failure.
    """

    ratings: list[Rating]
    necessity: list[Necessity]
    dropped: list[Dropped]
    funnel: list[FunnelRow]
    usage: Usage


async def run(
    drafts: Sequence[Draft],
    chunks: Mapping[str, Chunk],
    kind: Kind,
    generate: GenerateSettings,
    settings: CritiqueSettings,
    model: Model,
    engine: Engine,
) -> Critiqued:
    """Rate each draft of `kind` and, for multi-source drafts, execute the necessity proof.

    The funnel counts ratings (three a draft) and, apart from them, proofs.
    """
    desk = _Desk(chunks, generate.audience, settings, model)
    wanted = [draft for draft in drafts if draft.kind is kind]
    rated = await engine.map(desk.rate, wanted)
    proving = wanted if kind is Kind.MULTI_SOURCE and settings.necessity else []
    proved = await engine.map(partial(prove, chunks=chunks, model=model), proving)
    ratings = [rating for one in rated for rating in one.ratings]
    dropped = [_unscored(rating, kind) for rating in ratings if rating.failure is not None]
    failed_proofs = [_unproved(proof) for proof, _ in proved if _failure(proof)]
    funnel = [
        account(
            STAGE,
            kind.value,
            requested=len(wanted) * len(Critic),
            kept=len(ratings) - len(dropped),
            dropped=dropped,
        )
    ]
    if proving:
        funnel.append(
            account(
                NECESSITY,
                kind.value,
                requested=len(proving),
                kept=len(proving) - len(failed_proofs),
                dropped=failed_proofs,
            )
        )
    usage = sum((one.usage for one in rated), Usage())
    usage = sum((spent for _, spent in proved), usage)
    return Critiqued(
        ratings, [proof for proof, _ in proved], dropped + failed_proofs, funnel, usage
    )


@dataclass(frozen=True, slots=True)
class _Rated:
    ratings: tuple[Rating, ...]
    usage: Usage


@dataclass(frozen=True, slots=True)
class _Desk:
    """What every critic has at hand."""

    chunks: Mapping[str, Chunk]
    audience: str
    settings: CritiqueSettings
    model: Model

    async def rate(self, draft: Draft) -> _Rated:
        """Ratings in the order of cost: standalone sees the question only."""
        ratings: list[Rating] = []
        usage = Usage()
        for critic in (Critic.STANDALONE, Critic.RELEVANCE, Critic.GROUNDEDNESS):
            if self._may_stop(ratings):
                ratings.append(_skipped(draft, critic, self.model.name))
                continue
            outcome = await self.model.run(CRITICS[critic], self._variables(draft, critic))
            usage += outcome.usage
            ratings.append(
                Rating(
                    draft_id=draft.draft_id,
                    critic=critic,
                    rating=outcome.value.rating if outcome.value else None,
                    rationale=outcome.value.rationale if outcome.value else outcome.detail,
                    text_digest=rated_digest(draft.question, draft.answer),
                    failure=outcome.failure,
                    raw=outcome.raw if outcome.failure else None,
                    provenance=provenance_of([outcome], outcome.model),
                )
            )
        return _Rated(tuple(ratings), usage)

    def _may_stop(self, ratings: Sequence[Rating]) -> bool:
        stop_below = self.settings.stop_below
        return stop_below is not None and any(
            rating.rating is not None and rating.rating < stop_below for rating in ratings[:1]
        )

    def _variables(self, draft: Draft, critic: Critic) -> Record:
        if critic is Critic.STANDALONE:
            return StandaloneVariables(question=draft.question)
        if critic is Critic.RELEVANCE:
            return RelevanceVariables(question=draft.question, audience=self.audience)
        return GroundednessVariables(
            question=draft.question,
            answer=draft.answer,
            sources=labelled([self.chunks[c] for c in draft.source_chunk_ids]),
        )


async def prove(draft: Draft, chunks: Mapping[str, Chunk], model: Model) -> tuple[Necessity, Usage]:
    """Answer from all sources, from every set with one left out, and from none."""
    trials: list[Trial] = []
    outcomes: list[Outcome[AnswerReply]] = []
    for chunk_ids in _subsets(draft.source_chunk_ids):
        sources = labelled([chunks[chunk_id] for chunk_id in chunk_ids])
        outcome = await model.run(ANSWER, AnswerVariables(question=draft.question, sources=sources))
        outcomes.append(outcome)
        trials.append(_trial(draft, chunk_ids, outcome))
    proof = Necessity(
        draft_id=draft.draft_id,
        text_digest=rated_digest(draft.question, draft.answer),
        trials=tuple(trials),
        provenance=provenance_of(outcomes, model.name),
    )
    return proof, sum((outcome.usage for outcome in outcomes), Usage())


def _subsets(chunk_ids: Sequence[str]) -> Iterator[tuple[str, ...]]:
    yield tuple(chunk_ids)
    yield from combinations(chunk_ids, len(chunk_ids) - 1)
    yield ()


def _trial(draft: Draft, chunk_ids: tuple[str, ...], outcome: Outcome[AnswerReply]) -> Trial:
    reply = outcome.value
    answer = reply.answer if reply and reply.answerable else None
    return Trial(
        chunk_ids=chunk_ids,
        answer=answer,
        matches_gold=answer is not None and same_answer(draft.answer, answer, draft.language),
        failure=outcome.failure,
        raw=outcome.raw if outcome.failure else None,
    )


def _skipped(draft: Draft, critic: Critic, model: str) -> Rating:
    return Rating(
        draft_id=draft.draft_id,
        critic=critic,
        rating=None,
        text_digest=rated_digest(draft.question, draft.answer),
        failure=SKIPPED_AFTER_STANDALONE,
        provenance=provenance_of([], model),
    )


def _unscored(rating: Rating, kind: Kind) -> Dropped:
    return Dropped(
        stage=STAGE,
        kind=kind.value,
        item_id=f"{rating.draft_id}/{rating.critic.value}",
        loss=Loss.FAILED,
        reason=rating.failure or "",
        detail=rating.rationale,
        raw=rating.raw,
    )


def _failure(proof: Necessity) -> Trial | None:
    return next((trial for trial in proof.trials if trial.failure is not None), None)


def _unproved(proof: Necessity) -> Dropped:
    failed = _failure(proof)
    return Dropped(
        stage=NECESSITY,
        kind=Kind.MULTI_SOURCE.value,
        item_id=proof.draft_id,
        loss=Loss.FAILED,
        reason=(failed and failed.failure) or "",
        detail=f"sources {failed.chunk_ids if failed else ()}",
        raw=failed.raw if failed else None,
    )
