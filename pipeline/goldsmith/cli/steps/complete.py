from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from goldsmith.cli.model import engine_of, model_of
from goldsmith.cli.retrieval import retrievers_of
from goldsmith.cli.steps.source import code_digest
from goldsmith.cli.terminal import progress
from goldsmith.cli.workspace import Account
from goldsmith.engine.local import run_async
from goldsmith.records import Judgement, Query
from goldsmith.stages import complete
from goldsmith.tables import read_table, write_table

if TYPE_CHECKING:
    from goldsmith.cli.context import Context
    from goldsmith.funnel import FunnelRow


def run(context: Context) -> list[FunnelRow]:
    code = code_digest("complete")
    workspace = context.workspace
    result = run_async(_complete(context))
    write_table(workspace.table("complete", "queries"), Query, result.queries)
    write_table(workspace.table("complete", "judgements"), Judgement, result.judgements)
    workspace.write_account(
        "complete", Account(tuple(result.funnel), result.usage, code), result.dropped
    )
    return result.funnel


async def _complete(context: Context) -> complete.Completed:
    workspace = context.workspace
    kept = read_table(workspace.table("select", "kept"), Query)
    chunks = workspace.chunks()
    with progress("complete", None) as advance:
        async with (
            model_of(context, chunks, "complete") as model,
            retrievers_of(context, chunks) as search,
        ):
            result = await complete.run(
                kept,
                chunks,
                context.build.complete,
                search.retrievers,
                model,
                engine_of(context, advance),
            )
            return replace(result, usage=result.usage + search.spent)
