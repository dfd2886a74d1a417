from __future__ import annotations

from typing import TYPE_CHECKING

from goldsmith.cli.model import engine_of, model_of
from goldsmith.cli.steps.source import code_digest
from goldsmith.cli.terminal import progress
from goldsmith.cli.workspace import Account
from goldsmith.engine.local import run_async
from goldsmith.records import Draft, SourceSet
from goldsmith.stages import generate
from goldsmith.tables import read_table, write_table

if TYPE_CHECKING:
    from goldsmith.cli.context import Context
    from goldsmith.funnel import FunnelRow
    from goldsmith.records import Kind


def run(context: Context, kind: Kind) -> list[FunnelRow]:
    code = code_digest("generate")
    workspace = context.workspace
    result = run_async(_generate(context, kind))
    write_table(workspace.table("generate", "drafts", kind), Draft, result.drafts)
    workspace.write_account(
        "generate", Account((result.funnel,), result.usage, code), result.dropped, kind
    )
    return [result.funnel]


async def _generate(context: Context, kind: Kind) -> generate.Generated:
    workspace = context.workspace
    sets = read_table(workspace.table("sample", "source_sets"), SourceSet)
    chunks = workspace.chunks()
    total = sum(source_set.kind is kind for source_set in sets)
    with progress(f"generate {kind.value}", total) as advance:
        async with model_of(context, chunks, "generate") as model:
            return await generate.run(
                sets,
                {chunk.chunk_id: chunk for chunk in chunks},
                workspace.languages(),
                kind,
                context.build.generate,
                model,
                engine_of(context, advance),
            )
