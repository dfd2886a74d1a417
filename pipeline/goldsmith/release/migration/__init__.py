"""Carry a release onto another chunking of its documents, or onto changed documents.

No label is made here: every evidence is followed by its span, and what cannot be followed is lost
with a reason. `docs/migrate.md` says what carries and what does not.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from goldsmith.funnel import FunnelRow, account
from goldsmith.records import Dropped, Judgement, Kind, Loss, Usage
from goldsmith.release.contents import Contents
from goldsmith.release.migration.probes import CarriedProbe, carry_probe
from goldsmith.release.migration.questions import Carried, carry
from goldsmith.release.migration.report import Balance, Fate, MigrationReport, Move
from goldsmith.release.migration.shelf import Shelf

if TYPE_CHECKING:
    from collections.abc import Sequence

    from goldsmith.corpus.search import Index
    from goldsmith.engine.local import Engine
    from goldsmith.llm.absence import AbsenceSearch
    from goldsmith.records import Chunk, Document, Query
    from goldsmith.release.reading import Release

__all__ = ["STAGE", "Migrated", "migrate"]

STAGE = "migrate"


@dataclass(frozen=True, slots=True)
class Migrated:
    """Rows of the new release, and the account of what became of the old ones."""

    contents: Contents
    funnel: tuple[FunnelRow, ...]
    """Of this migration; it goes after that of the release."""
    judge: str | None
    """The model that was asked about probes; None: no document changed, so nobody was."""
    usage: Usage
    report: MigrationReport


async def migrate(
    release: Release,
    documents: Sequence[Document],
    chunks: Sequence[Chunk],
    index: Index,
    search: AbsenceSearch | None,
    engine: Engine,
) -> Migrated:
    """Every question of `release` on `chunks`, which `index` searches.

    `search` is for probes, and is asked only where a document changed; None where none did.
    """
    old = release.contents
    shelf = Shelf(old, documents, chunks)
    if search is None and not shelf.places.are_same:
        raise ValueError("documents changed, and there is no search for probes")
    said: defaultdict[str, list[Judgement]] = defaultdict(list)
    for row in old.judgements:
        said[row.query_id].append(row)
    answerable = [query for query in old.queries if query.kind is not Kind.UNANSWERABLE]
    probes = [query for query in old.queries if query.kind is Kind.UNANSWERABLE]
    carried = [carry(query, said[query.query_id], shelf, index) for query in answerable]
    by_id = {one.before.query_id: one for one in carried}
    searching = None if shelf.places.are_same else search

    async def carry_one(probe: Query) -> CarriedProbe:
        return await carry_probe(probe, by_id.get(probe.twin_id or ""), shelf, searching)

    tried = await engine.map(carry_one, probes)
    both: list[Carried | CarriedProbe] = [*carried, *tried]
    lost = [_dropped(one.before, one.move) for one in both if one.after is None]
    contents = Contents.of(
        queries=[one.after for one in both if one.after is not None],
        chunks=chunks,
        documents=documents,
        judgements=[row for one in carried for row in one.judgements],
        dropped=[*old.dropped, *lost],
    )
    report = _report(release, contents, shelf, carried, tried)
    return Migrated(
        contents,
        _funnel(old.queries, contents.queries, lost),
        searching.model.name if searching else None,
        sum((one.usage for one in tried), Usage()),
        report,
    )


def _dropped(query: Query, move: Move) -> Dropped:
    return Dropped(
        stage=STAGE,
        kind=query.kind.value,
        item_id=query.query_id,
        loss=Loss.FAILED if move.reason == "absence_unproved" else Loss.REJECTED,
        reason=move.reason,
        detail=move.detail,
        question=query.question,
        answer=query.answer,
    )


def _funnel(
    before: Sequence[Query], after: Sequence[Query], lost: Sequence[Dropped]
) -> tuple[FunnelRow, ...]:
    return tuple(
        account(
            STAGE,
            kind.value,
            requested=sum(query.kind is kind for query in before),
            kept=sum(query.kind is kind for query in after),
            dropped=[item for item in lost if item.kind == kind.value],
        )
        for kind in Kind
        if any(query.kind is kind for query in before)
    )


def _report(
    release: Release,
    contents: Contents,
    shelf: Shelf,
    carried: Sequence[Carried],
    tried: Sequence[CarriedProbe],
) -> MigrationReport:
    evidence = [found for query in contents.queries for found in query.evidence]
    both: list[Carried | CarriedProbe] = [*carried, *tried]
    fates = {one.before.query_id: one.move for one in both}
    evidence_moves = [move for one in carried for move in one.moves]
    kinds = {query.query_id: query.kind for query in release.contents.queries}
    told = [m for m in (*fates.values(), *evidence_moves) if m.fate is not Fate.CARRIED]
    return MigrationReport(
        name=release.manifest.name,
        before=f"{release.manifest.version} ({release.manifest.digest[:12]})",
        documents=_documents(release.contents, contents, shelf),
        chunks_before=len(release.contents.chunks),
        chunks_after=len(contents.chunks),
        questions={
            kind.value: Balance.of(
                sum(found is kind for found in kinds.values()),
                [move for query_id, move in fates.items() if kinds[query_id] is kind],
            )
            for kind in Kind
            if kind in kinds.values()
        },
        evidence=Balance.of(
            sum(len(query.evidence) for query in release.contents.queries), evidence_moves
        ),
        probes_searched=0 if shelf.places.are_same else sum(_was_searched(one) for one in tried),
        members_single=sum(len(found.chunk_ids) for found in evidence),
        members_joint=sum(len(found.joint_members) for found in evidence),
        members_cut=tuple(line for one in carried for line in one.cut),
        judgements_before=len(release.contents.judgements),
        judgements_left_behind=sum(one.left_behind for one in carried),
        moves=tuple(told),
    )


def _was_searched(one: CarriedProbe) -> bool:
    return one.move.reason not in {"twin_lost", "trap_lost"}


def _documents(before: Contents, after: Contents, shelf: Shelf) -> str:
    if shelf.places.are_same:
        return f"the same {len(after.documents)}"
    old = {document.doc_id for document in before.documents}
    new = {document.doc_id for document in after.documents}
    return f"{len(old & new)} as they were, {len(old - new)} changed or gone, {len(new - old)} new"
