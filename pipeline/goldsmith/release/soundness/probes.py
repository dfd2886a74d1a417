"""Probes: absence that was searched, and a twin that can be answered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from goldsmith.records import Answering, Kind
from goldsmith.release.proofs import absence_is_proven, answering_passages
from goldsmith.release.soundness.questions import fault_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from goldsmith.records import Query
    from goldsmith.release.contents import Contents
    from goldsmith.release.soundness.fault import Fault


def probe_faults(contents: Contents) -> Iterator[Fault]:
    """Probes without proof or twin, answered probes, and twins that lead nowhere."""
    by_id = {query.query_id: query for query in contents.queries}
    answered = {
        (row.query_id, row.chunk_id)
        for row in contents.judgements
        if row.verdict is Answering.ANSWERS
    }
    for query in contents.queries:
        if query.kind is Kind.UNANSWERABLE:
            yield from _proof_faults(query, len(contents.chunks))
            yield from _label_faults(query, answered)
        yield from _twin_faults(query, by_id)


def _proof_faults(query: Query, corpus_size: int) -> Iterator[Fault]:
    if query.proof is None:
        yield fault_in(query, "probe_without_proof", "proof", "its absence was not searched")
        return
    answering = answering_passages(query)
    for near in answering:
        detail = f"{near.chunk_id!r} answers it ({near.verdict.value}): it is no probe"
        yield fault_in(query, "probe_answered", "proof.nearest", detail)
    if not answering and not absence_is_proven(query, corpus_size):
        proof = query.proof
        detail = (
            f"{proof.chunks_searched} of {corpus_size} chunks searched with {len(proof.queries)} "
            f"queries and {len(proof.retrievers)} retrievers, {len(proof.nearest)} passages judged"
        )
        yield fault_in(query, "absence_not_proven", "proof", detail)


def _label_faults(query: Query, answered: set[tuple[str, str]]) -> Iterator[Fault]:
    if query.evidence or query.gold_citations:
        yield fault_in(query, "probe_with_evidence", "evidence", "a probe has no gold passage")
    for query_id, chunk_id in sorted(answered):
        if query_id == query.query_id:
            detail = f"a judge says that {chunk_id!r} answers it: it is no probe"
            yield fault_in(query, "probe_answered", "judgements", detail)


def _twin_faults(query: Query, by_id: Mapping[str, Query]) -> Iterator[Fault]:
    is_probe = query.kind is Kind.UNANSWERABLE
    if query.twin_id is None:
        if is_probe:
            yield fault_in(query, "twin_missing", "twin_id", "a probe needs an answerable twin")
        return
    twin = by_id.get(query.twin_id)
    if twin is None:
        detail = f"twin {query.twin_id!r} is not in the release"
        yield fault_in(query, "twin_missing", "twin_id", detail)
    elif is_probe is (twin.kind is Kind.UNANSWERABLE):
        detail = f"twin {query.twin_id!r} is of kind {twin.kind.value!r} too"
        yield fault_in(query, "twin_missing", "twin_id", detail)
