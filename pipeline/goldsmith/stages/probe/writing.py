"""Write one probe and put it through every gate: wording, critics, absence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from goldsmith.corpus.quotes import locate
from goldsmith.corpus.statements import as_statement
from goldsmith.corpus.wellformed import Fault, question_fault
from goldsmith.corpus.words import content_words
from goldsmith.ids import content_id, rated_digest
from goldsmith.llm.sources import as_source
from goldsmith.llm.task import provenance_of
from goldsmith.llm.tasks import (
    PROBES,
    RELEVANCE,
    STANDALONE,
    FalsePremiseReply,
    MissingReply,
    OutdatedReply,
    ProbeVariables,
    RelevanceVariables,
    StandaloneVariables,
)
from goldsmith.records import (
    Answering,
    Critic,
    Critics,
    CriticScore,
    Dropped,
    Expected,
    Kind,
    Loss,
    ProbeKind,
    Query,
    Usage,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from goldsmith.llm.absence import AbsenceSearch, Searched
    from goldsmith.llm.task import Model, Outcome
    from goldsmith.llm.tasks import RatingReply
    from goldsmith.records import Chunk

    Reply = MissingReply | OutdatedReply | FalsePremiseReply

STAGE = "probe"
_CRITICS = (Critic.STANDALONE, Critic.RELEVANCE)


@dataclass(frozen=True, slots=True)
class Attempt:
    """One probe to write: of a kind, beside a twin, about a chunk of the twin's evidence."""

    kind: ProbeKind
    twin: Query
    chunks: Mapping[str, Chunk]
    """Of the whole corpus, by id."""

    @property
    def chunk(self) -> Chunk:
        return self.chunks[self.twin.source_chunk_ids[0]]

    @property
    def item_id(self) -> str:
        return f"{self.kind.value}/{self.twin.query_id}"


@dataclass(frozen=True, slots=True)
class Tried:
    result: Query | Dropped
    usage: Usage


@dataclass(frozen=True, slots=True)
class Desk:
    """Writes one probe and puts it through every gate, the cheapest first."""

    min_rating: int
    audience: str
    search: AbsenceSearch
    model: Model

    async def attempt(self, attempt: Attempt) -> Tried:
        twin = attempt.twin
        outcome: Outcome[Reply] = await self.model.run(
            PROBES[attempt.kind],
            ProbeVariables(
                twin_question=twin.question,
                twin_answer=twin.answer,
                source=as_source(attempt.chunk),
                audience=self.audience,
                language=twin.language,
            ),
        )
        if outcome.value is None:
            return Tried(_failed(attempt, outcome), outcome.usage)
        fault = _wording_fault(attempt, outcome.value)
        if fault is not None:
            return Tried(_rejected(attempt, outcome.value, fault), outcome.usage)
        return await self._criticise(attempt, outcome.value, outcome)

    async def _criticise(self, attempt: Attempt, reply: Reply, written: Outcome[Reply]) -> Tried:
        """Two critics: there is nothing that a probe could be grounded in."""
        rated = [await self._rate(reply.question, critic) for critic in _CRITICS]
        usage = sum((one.usage for one in rated), written.usage)
        for critic, one in zip(_CRITICS, rated, strict=True):
            if one.value is None:
                return Tried(_failed(attempt, one, "critic_failed", reply), usage)
            if one.value.rating < self.min_rating:
                detail = f"{one.value.rating} of 5: {one.value.rationale}"
                fault = Fault(f"low_{critic.value}", detail)
                return Tried(_rejected(attempt, reply, fault), usage)
        return await self._prove(attempt, reply, [written, *rated], usage)

    async def _prove(
        self, attempt: Attempt, reply: Reply, outcomes: Sequence[Outcome[Any]], usage: Usage
    ) -> Tried:
        language = attempt.twin.language
        shaped = _answer_shaped(reply, language)
        searched = await self.search.search(reply.question, shaped, language)
        usage += searched.usage
        if searched.failed is not None:
            return Tried(_failed(attempt, searched.failed, "absence_unproved", reply), usage)
        fault = _presence_fault(attempt, reply, searched)
        if fault is not None:
            return Tried(_rejected(attempt, reply, fault), usage)
        return Tried(_probe(attempt, reply, outcomes, searched), usage)

    async def _rate(self, question: str, critic: Critic) -> Outcome[RatingReply]:
        if critic is Critic.STANDALONE:
            return await self.model.run(STANDALONE, StandaloneVariables(question=question))
        variables = RelevanceVariables(question=question, audience=self.audience)
        return await self.model.run(RELEVANCE, variables)


def _wording_fault(attempt: Attempt, reply: Reply) -> Fault | None:
    question, language = reply.question.strip(), attempt.twin.language
    # A probe has no answer; any word that the question does not hold passes the leak check.
    fault = question_fault(question, "-", language)
    if fault is not None:
        return fault
    if set(content_words(question, language)) == set(
        content_words(attempt.twin.question, language)
    ):
        return Fault("same_as_twin", "the probe asks what its twin asks")
    if isinstance(reply, OutdatedReply) and reply.as_of.casefold() not in question.casefold():
        return Fault("as_of_not_in_question", f"{reply.as_of!r} does not stand in the question")
    if isinstance(reply, FalsePremiseReply) and locate(reply.quote, attempt.chunk.text) is None:
        return Fault("quote_not_found", f"{reply.quote!r} does not stand in the passage")
    return None


def _answer_shaped(reply: Reply, language: str) -> str:
    """A sentence like the one that would answer: what a passage that answers would resemble."""
    if isinstance(reply, FalsePremiseReply):
        return reply.premise
    return as_statement(reply.question, language)


def _presence_fault(attempt: Attempt, reply: Reply, searched: Searched) -> Fault | None:
    near = searched.refutation(_traps(attempt, reply))
    if near is None:
        return None
    if near.verdict is Answering.ANSWERS:
        return Fault("answer_found", f"{near.chunk_id} answers it: {near.rationale}")
    return Fault("murky", f"{near.chunk_id} half-answers it: {near.rationale}")


def _traps(attempt: Attempt, reply: Reply) -> tuple[str, ...]:
    """The passage that misleads, and every other one that says the same.

    Outdated: all that carry the stale state, which the twin asks for. False premise: of those, the
    ones that hold the contradicting words.
    """
    if attempt.kind is ProbeKind.MISSING:
        return ()
    own = attempt.chunk.chunk_id
    same = (e.chunk_ids for e in attempt.twin.evidence if own in e.chunk_ids)
    found = dict.fromkeys((own, *(chunk_id for members in same for chunk_id in members)))
    if isinstance(reply, FalsePremiseReply):
        return tuple(c for c in found if locate(reply.quote, attempt.chunks[c].text) is not None)
    return tuple(found)


def _probe(
    attempt: Attempt, reply: Reply, outcomes: Sequence[Outcome[Any]], searched: Searched
) -> Query:
    question = reply.question.strip()
    corrects = isinstance(reply, FalsePremiseReply)
    answer = reply.correction.strip() if isinstance(reply, FalsePremiseReply) else ""
    digest = rated_digest(question, answer)
    _, standalone, relevance = outcomes
    return Query(
        query_id=content_id("q", question, attempt.kind.value, attempt.twin.query_id),
        kind=Kind.UNANSWERABLE,
        probe_kind=attempt.kind,
        question=question,
        answer=answer,
        trap_chunk_ids=_traps(attempt, reply),
        expected_response=Expected.CORRECT_THE_PREMISE if corrects else Expected.ABSTAIN,
        critics=Critics(
            groundedness=None,
            relevance=_score(relevance, digest),
            standalone=_score(standalone, digest),
        ),
        twin_id=attempt.twin.query_id,
        language=attempt.twin.language,
        proof=searched.proof,
        source_chunk_ids=(attempt.chunk.chunk_id,),
        provenance=provenance_of([*outcomes, *searched.outcomes], outcomes[0].model),
    )


def _score(outcome: Outcome[RatingReply], digest: str) -> CriticScore:
    if outcome.value is None:
        raise ValueError("a probe was kept without a rating")
    rating = outcome.value.rating
    return CriticScore(
        rating=rating,
        normalised=(rating - 1) / 4,
        rationale=outcome.value.rationale,
        text_digest=digest,
    )


def _failed(
    attempt: Attempt, outcome: Outcome[Any], reason: str | None = None, reply: Reply | None = None
) -> Dropped:
    return Dropped(
        stage=STAGE,
        kind=attempt.kind.value,
        item_id=attempt.item_id,
        loss=Loss.FAILED,
        reason=reason or outcome.failure or "",
        detail=outcome.detail if reason is None else f"{outcome.failure}: {outcome.detail}",
        question=reply.question if reply else None,
        raw=outcome.raw,
    )


def _rejected(attempt: Attempt, reply: Reply, fault: Fault) -> Dropped:
    return Dropped(
        stage=STAGE,
        kind=attempt.kind.value,
        item_id=attempt.item_id,
        loss=Loss.REJECTED,
        reason=fault.reason,
        detail=fault.detail,
        question=reply.question,
    )
