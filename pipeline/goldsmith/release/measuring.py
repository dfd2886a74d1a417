"""Counts, figures and digests of a release, computed from its rows, its funnel and its cost.

`verify` computes them again, so nothing here may know what a build knew beside them.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from goldsmith.corpus.instructions import instruction_in
from goldsmith.funnel import calls_saved
from goldsmith.records import Kind, Usage
from goldsmith.release.completeness import completeness_of
from goldsmith.release.figures import (
    CostFigures,
    Difficulties,
    Figures,
    Instruction,
    ProbeProof,
)
from goldsmith.release.layout import (
    corpus_digest,
    release_digest,
    row_counts,
    rows_of,
    table_digests,
)
from goldsmith.release.manifest import (
    OFFLINE_NOTICE,
    SCHEMA_VERSION,
    Counts,
    Manifest,
    canary_of,
)
from goldsmith.release.proofs import absence_is_proven, needs_every_source
from goldsmith.release.separability import twins_told_apart
from goldsmith.release.shares import Rate, Share, Spread

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from goldsmith.funnel import FunnelRow
    from goldsmith.records import Query
    from goldsmith.release.contents import Contents
    from goldsmith.release.manifest import Origin, Parent
    from goldsmith.settings import Price


_SHOWN = 120
"""Characters of an instruction that the manifest repeats."""


def describe(contents: Contents, origin: Origin, parent: Parent | None) -> Manifest:
    """The manifest of rows that are in no file yet: without `files`, and not sealed."""
    tables = table_digests(rows_of(contents))
    digest = release_digest(tables)
    return Manifest(
        schema_version=SCHEMA_VERSION,
        name=origin.name,
        version=origin.version,
        digest=digest,
        tables=tables,
        notice=OFFLINE_NOTICE if origin.offline else None,
        canary=canary_of(origin.name, digest),
        licence=origin.licence,
        corpus_digest=corpus_digest(tables),
        files={},
        counts=counts_of(contents),
        figures=figures_of(contents, origin.funnel, origin.usage, origin.price),
        funnel=origin.funnel,
        settings=origin.settings,
        rules=origin.rules,
        prompts=origin.prompts,
        models=origin.models,
        code=origin.code,
        usage=origin.usage,
        price=origin.price,
        parent=parent,
        seal="",
    )


def counts_of(contents: Contents) -> Counts:
    """Count what the release holds; zero counts are left out."""
    queries = contents.queries
    return Counts(
        rows=row_counts(contents),
        by_kind=_tally(query.kind for query in queries),
        by_probe_kind=_tally(query.probe_kind for query in queries if query.probe_kind),
        by_language=_tally(query.language for query in queries),
        by_reason=_tally(
            f"{row.stage}/{row.kind}/{row.loss}/{row.reason}" for row in contents.dropped
        ),
    )


def _tally(names: Iterable[str]) -> dict[str, int]:
    return {str(name): count for name, count in sorted(Counter(names).items())}


def figures_of(
    contents: Contents,
    funnel: Sequence[FunnelRow],
    usage: Mapping[str, Usage],
    price: Price | None,
) -> Figures:
    """All figures of a release."""
    answerable = [query for query in contents.queries if query.kind is not Kind.UNANSWERABLE]
    multi = [query for query in answerable if query.kind is Kind.MULTI_SOURCE]
    kinds = sorted({query.kind for query in answerable})
    return Figures(
        cost=_cost(len(contents.queries), funnel, usage, price),
        completeness=completeness_of(contents),
        multi_source_proof=Share.of(sum(map(needs_every_source, multi)), len(multi)),
        probe_proof=_probe_proof(contents),
        difficulty=_difficulties(answerable),
        difficulty_by_kind={
            kind.value: _difficulties([query for query in answerable if query.kind is kind])
            for kind in kinds
        },
        instructions=tuple(_instructions(contents)),
    )


def _instructions(contents: Contents) -> Iterator[Instruction]:
    for chunk in contents.chunks:
        if words := instruction_in(chunk.text):
            written = (q.query_id for q in contents.queries if chunk.chunk_id in q.source_chunk_ids)
            yield Instruction(
                chunk_id=chunk.chunk_id, words=words[:_SHOWN], questions=tuple(written)
            )


def money_of(usage: Usage, price: Price) -> float:
    """In the currency of the price list; prices are for a million tokens."""
    return (usage.tokens_in * price.input + usage.tokens_out * price.output) / 1_000_000


def drafts_of(funnel: Iterable[FunnelRow]) -> int:
    """Questions that were tried: what `generate` and `probe` were asked for."""
    return sum(row.requested for row in funnel if row.stage in {"generate", "probe"})


def _cost(
    kept: int, funnel: Sequence[FunnelRow], usage: Mapping[str, Usage], price: Price | None
) -> CostFigures:
    total = sum(usage.values(), Usage())
    drafts = drafts_of(funnel)
    return CostFigures(
        drafts=drafts,
        calls=Rate.of(total.calls, kept, drafts),
        tokens_in=Rate.of(total.tokens_in, kept, drafts),
        tokens_out=Rate.of(total.tokens_out, kept, drafts),
        money=None if price is None else Rate.of(money_of(total, price), kept, drafts),
        money_by_stage=None if price is None else _money_by_stage(usage, price),
        calls_saved=calls_saved(funnel),
    )


def _money_by_stage(usage: Mapping[str, Usage], price: Price) -> dict[str, float]:
    return {stage: money_of(spent, price) for stage, spent in usage.items() if spent.calls}


def _probe_proof(contents: Contents) -> ProbeProof:
    probes = [query for query in contents.queries if query.kind is Kind.UNANSWERABLE]
    proofs = [query.proof for query in probes if query.proof is not None]
    proven = sum(absence_is_proven(query, len(contents.chunks)) for query in probes)
    return ProbeProof(
        proven=Share.of(proven, len(probes)),
        retrievers=tuple(sorted({name for proof in proofs for name in proof.retrievers})),
        least_depth=min((proof.depth for proof in proofs), default=None),
        passages_judged=sum(len(proof.nearest) for proof in proofs),
        twins_told_apart=twins_told_apart(contents.queries),
    )


def _difficulties(queries: Sequence[Query]) -> Difficulties:
    measured = [query.difficulty for query in queries if query.difficulty is not None]
    tried = [query.closed_book for query in queries if query.closed_book is not None]
    return Difficulties(
        bm25_hit_at_1=Share.of(sum(one.bm25_rank == 1 for one in measured), len(measured)),
        question_overlap=Spread.of([one.question_overlap for one in measured]),
        longest_copied_ngram=Spread.of([float(one.longest_copied_ngram) for one in measured]),
        closed_book=Share.of(sum(tried), len(tried)),
    )
