from __future__ import annotations

from typing import TYPE_CHECKING

from goldsmith.cli.steps.source import code_digest
from goldsmith.cli.workspace import Account
from goldsmith.corpus.search import Index
from goldsmith.records import Draft, Kind, Necessity, Query, Rating, Usage
from goldsmith.stages import select
from goldsmith.tables import read_table, write_table

if TYPE_CHECKING:
    from goldsmith.cli.context import Context
    from goldsmith.funnel import FunnelRow

KINDS = (Kind.FACTOID, Kind.MULTI_SOURCE)


def run(context: Context) -> list[FunnelRow]:
    code = code_digest("select")
    workspace = context.workspace
    drafts: list[Draft] = []
    ratings: list[Rating] = []
    proofs: list[Necessity] = []
    for kind in KINDS:
        drafts += read_table(workspace.table("generate", "drafts", kind), Draft)
        ratings += read_table(workspace.table("critique", "ratings", kind), Rating)
        proofs += read_table(workspace.table("critique", "necessity", kind), Necessity)
    chunks = workspace.chunks()
    result = select.run(
        drafts,
        ratings,
        proofs,
        {chunk.chunk_id: chunk for chunk in chunks},
        Index(chunks),
        context.build.select,
        necessity=context.build.critique.necessity,
    )
    write_table(workspace.table("select", "kept"), Query, result.kept)
    workspace.write_account("select", Account(tuple(result.funnel), Usage(), code), result.dropped)
    return result.funnel
