"""The pooled search: passages of the whole corpus that might carry an evidence, and their judge."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from goldsmith.corpus.pooling import pooled
from goldsmith.ids import uniform_hash
from goldsmith.llm.sources import as_source
from goldsmith.llm.tasks import CARRIES, CarriesReply, CarriesVariables

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from goldsmith.corpus.pooling import Pooled
    from goldsmith.corpus.projection import Projection
    from goldsmith.corpus.search import Retriever
    from goldsmith.llm.task import Model, Outcome
    from goldsmith.records import Chunk, Evidence, Query
    from goldsmith.settings import CompleteSettings


@dataclass(frozen=True, slots=True)
class Look:
    """One passage to be judged for one evidence of a query."""

    query: Query
    evidence: int
    chunk: Chunk
    retrievers: tuple[str, ...]
    audit: bool
    """It lies deeper than `complete.depth`: only the audit of a sample looks at it."""

    @property
    def item_id(self) -> str:
        return f"{self.query.query_id}/{self.evidence}/{self.chunk.chunk_id}"


@dataclass(frozen=True, slots=True)
class Judged:
    """What the judge said of a look."""

    look: Look
    outcome: Outcome[CarriesReply]


async def looks(
    queries: Sequence[Query],
    chunks: Mapping[str, Chunk],
    projection: Projection,
    retrievers: Sequence[Retriever],
    settings: CompleteSettings,
) -> list[Look]:
    """The passages that a judge must read, for every evidence of `queries` in order.

    Members that are known already are not asked about, nor is the same text twice.
    """
    if not settings.depth:
        return []
    evidences = [(query, number) for query in queries for number in range(len(query.evidence))]
    depth = max(settings.depth, settings.audit_depth if settings.audit_share else 0)
    asked = [_queries(query, number) for query, number in evidences]
    # Members stand among the best of every list, and take no place from what is to be judged.
    known = max((len(query.evidence[n].chunk_ids) for query, n in evidences), default=0)
    pools = await pooled(retrievers, asked, depth + known)
    found: list[Look] = []
    for (query, number), pool in zip(evidences, pools, strict=True):
        most = depth if _is_audited(query, number, settings) else settings.depth
        new = islice(_new(pool, query.evidence[number], projection), most)
        found += (
            Look(query, number, chunks[one.chunk_id], one.retrievers, place >= settings.depth)
            for place, one in enumerate(new)
        )
    return found


async def judge(look: Look, model: Model) -> Judged:
    """Ask whether the passage alone carries the evidence."""
    evidence = look.query.evidence[look.evidence]
    variables = CarriesVariables(
        question=look.query.question,
        fact=fact_of(look.query, look.evidence),
        quote=evidence.quote,
        source=as_source(look.chunk),
    )
    return Judged(look, await model.run(CARRIES, variables))


def fact_of(query: Query, number: int) -> str:
    """What the evidence proves: the statements that name it, else the whole answer."""
    stated = [one.text for one in query.statements if number in one.evidence]
    return " ".join(stated) or query.answer


def _queries(query: Query, number: int) -> tuple[str, ...]:
    quote = query.evidence[number].quote
    return tuple(dict.fromkeys((query.question, quote, fact_of(query, number))))


def _is_audited(query: Query, number: int, settings: CompleteSettings) -> bool:
    """Drawn by hash: the same evidences on every machine."""
    drawn = uniform_hash(settings.seed, "audit", query.query_id, str(number))
    return drawn < settings.audit_share * 2**64


def _new(pool: Sequence[Pooled], evidence: Evidence, projection: Projection) -> Iterator[Pooled]:
    """Best first, without members and without texts that stand in the pool before."""
    seen = {projection.group_of(chunk_id) for chunk_id in evidence.chunk_ids}
    for one in pool:
        group = projection.group_of(one.chunk_id)
        if group not in seen:
            seen.add(group)
            yield one
