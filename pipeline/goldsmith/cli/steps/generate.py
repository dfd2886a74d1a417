from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from goldsmith.cli.terminal import progress
from goldsmith.engine.local import LocalEngine
from goldsmith.records import Draft, SourceSet
from goldsmith.stages import generate
from goldsmith.tables import read_table, write_table

if TYPE_CHECKING:
    from goldsmith.cli.context import Context
    from goldsmith.funnel import FunnelRow
    from goldsmith.records import Kind


def run(context: Context, kind: Kind) -> list[FunnelRow]:
    workspace = context.workspace
    result = asyncio.run(_generate(context, kind))
    write_table(workspace.table("generate", "drafts", kind), Draft, result.drafts)
    workspace.write_account("generate", [result.funnel], result.dropped, result.usage, kind)
    return [result.funnel]


async def _generate(context: Context, kind: Kind) -> generate.Generated:
    workspace = context.workspace
    sets = read_table(workspace.table("sample", "source_sets"), SourceSet)
    chunks = workspace.chunks()
    total = sum(source_set.kind is kind for source_set in sets)
    with progress(f"generate {kind.value}", total) as advance:
        async with context.model(chunks) as model:
            return await generate.run(
                sets,
                {chunk.chunk_id: chunk for chunk in chunks},
                workspace.languages(),
                kind,
                context.build.generate,
                model,
                LocalEngine(context.runtime.concurrency, advance),
            )
