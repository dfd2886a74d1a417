from __future__ import annotations

from typing import TYPE_CHECKING

from goldsmith.cli.model import engine_of, model_of
from goldsmith.cli.steps.source import code_digest
from goldsmith.cli.terminal import progress
from goldsmith.cli.workspace import Account
from goldsmith.engine.local import run_async
from goldsmith.records import Draft, Kind, Necessity, Rating
from goldsmith.stages import critique
from goldsmith.tables import read_table, write_table

if TYPE_CHECKING:
    from goldsmith.cli.context import Context
    from goldsmith.funnel import FunnelRow


def run(context: Context, kind: Kind) -> list[FunnelRow]:
    code = code_digest("critique")
    workspace = context.workspace
    result = run_async(_critique(context, kind))
    write_table(workspace.table("critique", "ratings", kind), Rating, result.ratings)
    write_table(workspace.table("critique", "necessity", kind), Necessity, result.necessity)
    workspace.write_account(
        "critique", Account(tuple(result.funnel), result.usage, code), result.dropped, kind
    )
    return result.funnel


async def _critique(context: Context, kind: Kind) -> critique.Critiqued:
    workspace = context.workspace
    drafts = read_table(workspace.table("generate", "drafts", kind), Draft)
    chunks = workspace.chunks()
    proofs = kind is Kind.MULTI_SOURCE and context.build.critique.necessity
    with progress(f"critique {kind.value}", len(drafts) * (1 + proofs)) as advance:
        async with model_of(context, chunks, "critique") as model:
            return await critique.run(
                drafts,
                {chunk.chunk_id: chunk for chunk in chunks},
                kind,
                context.build.generate,
                context.build.critique,
                model,
                engine_of(context, advance),
            )
