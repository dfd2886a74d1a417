"""Complete: every evidence gets all the chunks that carry it.

First without a model (`spans`): chunks whose span contains the quote, copies, joint members. Then
the whole corpus is searched, and a judge decides for each passage of the pool whether it alone
carries the evidence (`pool`). What it reads is published, negatives too.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from goldsmith.corpus.projection import Projection
from goldsmith.funnel import FunnelRow, account
from goldsmith.llm.task import provenance_of
from goldsmith.records import (
    JUDGED_BY_SOURCE,
    JUDGED_BY_SPAN,
    Answering,
    Dropped,
    Judgement,
    Loss,
    Provenance,
    Query,
    Usage,
)
from goldsmith.stages.complete.pool import Judged, judge, looks
from goldsmith.stages.complete.spans import with_spans

if TYPE_CHECKING:
    from collections.abc import Sequence

    from goldsmith.corpus.search import Retriever
    from goldsmith.engine.local import Engine
    from goldsmith.llm.task import Model
    from goldsmith.records import Chunk
    from goldsmith.settings import CompleteSettings

STAGE = "complete"
POOL = "pool"
"""In the funnel: passages to be judged, beside the questions of `STAGE`."""


@dataclass(frozen=True, slots=True)
class Completed:
    """The queries with their members, and everything that was judged on the way.

    No query is dropped here; `dropped` lists the passages on which no verdict could be had.
    """

    queries: list[Query]
    judgements: list[Judgement]
    dropped: list[Dropped]
    funnel: list[FunnelRow]
    usage: Usage


async def run(
    queries: Sequence[Query],
    chunks: Sequence[Chunk],
    settings: CompleteSettings,
    retrievers: Sequence[Retriever],
    model: Model,
    engine: Engine,
) -> Completed:
    """Add members to every evidence and gather each query's gold citations.

    The funnel counts queries, all of them kept, and apart from them the passages that were judged.
    """
    projection = Projection(chunks)
    by_id = {chunk.chunk_id: chunk for chunk in chunks}
    spanned = [_with_spans(query, projection) for query in queries]
    to_read = await looks(spanned, by_id, projection, retrievers, settings)
    judged = await engine.map(partial(judge, model=model), to_read)
    of_query: defaultdict[str, list[Judged]] = defaultdict(list)
    for one in judged:
        of_query[one.look.query.query_id].append(one)
    completed = [_with_accepted(query, of_query[query.query_id], projection) for query in spanned]
    judgements = [
        row
        for before, after in zip(queries, completed, strict=True)
        for row in _judgements(before, after, of_query[after.query_id], projection, model.name)
    ]
    dropped = [_unjudged(one) for one in judged if one.outcome.value is None]
    return Completed(
        completed,
        judgements,
        dropped,
        _funnel(completed, judged, dropped),
        sum((one.outcome.usage for one in judged), Usage()),
    )


def _with_spans(query: Query, projection: Projection) -> Query:
    evidence = tuple(with_spans(found, projection) for found in query.evidence)
    return query.model_copy(update={"evidence": evidence})


def _with_accepted(query: Query, judged: Sequence[Judged], projection: Projection) -> Query:
    """The query with the passages that the judge accepted, and their copies, as members."""
    accepted: defaultdict[int, list[str]] = defaultdict(list)
    for one in judged:
        if one.outcome.value is not None and one.outcome.value.verdict is Answering.ANSWERS:
            accepted[one.look.evidence].append(one.look.chunk.chunk_id)
    evidence = tuple(
        found.model_copy(
            update={"chunk_ids": projection.copies((*found.chunk_ids, *accepted[number]))}
        )
        for number, found in enumerate(query.evidence)
    )
    gold = tuple(dict.fromkeys(c for found in evidence for c in found.all_chunk_ids))
    return query.model_copy(
        update={
            "evidence": evidence,
            "gold_citations": gold,
            "provenance": _with_calls(query.provenance, judged),
        }
    )


def _with_calls(provenance: Provenance, judged: Sequence[Judged]) -> Provenance:
    calls = provenance_of([one.outcome for one in judged], provenance.model)
    return provenance.model_copy(
        update={
            "prompts": tuple(dict.fromkeys((*provenance.prompts, *calls.prompts))),
            "requests": tuple(dict.fromkeys((*provenance.requests, *calls.requests))),
        }
    )


def _judgements(
    before: Query, after: Query, judged: Sequence[Judged], projection: Projection, judge_name: str
) -> list[Judgement]:
    """What the judge said, and how each other member came to be one without it.

    A chunk can have both rows: a source of one evidence is read for the others.
    """
    pool = _from_pool(after.query_id, judged, projection, judge_name)
    accepted = {row.chunk_id for row in pool if row.verdict is Answering.ANSWERS}
    without: dict[str, Judgement] = {}
    for old, new in zip(before.evidence, after.evidence, strict=True):
        for chunk_id in new.all_chunk_ids:
            is_source = chunk_id in old.chunk_ids
            if chunk_id in accepted and not is_source:
                continue
            verdict = Answering.ANSWERS if chunk_id in new.chunk_ids else Answering.PARTLY
            row = Judgement(
                query_id=after.query_id,
                chunk_id=chunk_id,
                verdict=verdict,
                judge=JUDGED_BY_SOURCE if is_source else JUDGED_BY_SPAN,
            )
            without.setdefault(chunk_id, row)
    return [*without.values(), *pool]


def _from_pool(
    query_id: str, judged: Sequence[Judged], projection: Projection, judge_name: str
) -> list[Judgement]:
    """The verdicts on a query's pool, one row a chunk, the evidences it was read for together."""
    of_chunk: defaultdict[str, list[Judged]] = defaultdict(list)
    for one in judged:
        if one.outcome.value is not None:
            for chunk_id in projection.copies([one.look.chunk.chunk_id]):
                of_chunk[chunk_id].append(one)
    return [_row(query_id, chunk_id, said, judge_name) for chunk_id, said in of_chunk.items()]


def _row(query_id: str, chunk_id: str, said: Sequence[Judged], judge_name: str) -> Judgement:
    replies = [one.outcome.value for one in said if one.outcome.value is not None]
    best = max(replies, key=lambda reply: reply.verdict.strength)
    return Judgement(
        query_id=query_id,
        chunk_id=chunk_id,
        verdict=best.verdict,
        judge=judge_name,
        rationale=best.rationale,
        evidence=tuple(sorted({one.look.evidence for one in said})),
        audit=tuple(sorted({one.look.evidence for one in said if one.look.audit})),
        found_by=tuple(sorted({name for one in said for name in one.look.retrievers})),
    )


def _unjudged(one: Judged) -> Dropped:
    """No verdict is neither a yes nor a no: it is counted, with the reply as it came."""
    return Dropped(
        stage=POOL,
        kind=one.look.query.kind.value,
        item_id=one.look.item_id,
        loss=Loss.FAILED,
        reason=one.outcome.failure or "",
        detail=one.outcome.detail,
        question=one.look.query.question,
        raw=one.outcome.raw,
    )


def _funnel(
    queries: Sequence[Query], judged: Sequence[Judged], dropped: Sequence[Dropped]
) -> list[FunnelRow]:
    rows: list[FunnelRow] = []
    for kind in dict.fromkeys(query.kind.value for query in queries):
        count = sum(query.kind.value == kind for query in queries)
        rows.append(account(STAGE, kind, requested=count, kept=count, dropped=()))
    for kind in dict.fromkeys(one.look.query.kind.value for one in judged):
        read = sum(one.look.query.kind.value == kind for one in judged)
        lost = [item for item in dropped if item.kind == kind]
        rows.append(account(POOL, kind, requested=read, kept=read - len(lost), dropped=lost))
    return rows
