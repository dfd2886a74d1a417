from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from goldsmith.cli.model import engine_of, model_of
from goldsmith.cli.retrieval import retrievers_of
from goldsmith.cli.steps.source import code_digest
from goldsmith.cli.terminal import progress
from goldsmith.cli.workspace import Account
from goldsmith.engine.local import run_async
from goldsmith.llm.absence import AbsenceSearch
from goldsmith.records import Query
from goldsmith.stages import probe
from goldsmith.tables import read_table, write_table

if TYPE_CHECKING:
    from goldsmith.cli.context import Context
    from goldsmith.funnel import FunnelRow


def run(context: Context) -> list[FunnelRow]:
    code = code_digest("probe")
    workspace = context.workspace
    result = run_async(_probe(context))
    write_table(workspace.table("probe", "probes"), Query, result.probes)
    workspace.write_account(
        "probe", Account(tuple(result.funnel), result.usage, code), result.dropped
    )
    return result.funnel


async def _probe(context: Context) -> probe.Probed:
    build, workspace = context.build, context.workspace
    queries = read_table(workspace.table("complete", "queries"), Query)
    chunks = workspace.chunks()
    by_id = {chunk.chunk_id: chunk for chunk in chunks}
    # How many attempts it takes is not known beforehand: counts and rate, no end.
    with progress("probe", None) as advance:
        async with (
            model_of(context, chunks, "probe") as model,
            retrievers_of(context, chunks) as search,
        ):
            result = await probe.run(
                queries,
                by_id,
                build.probe,
                build.select.min_rating,
                build.generate.audience,
                AbsenceSearch(search.retrievers, by_id, model, build.probe.depth),
                model,
                engine_of(context, advance),
            )
            # The vectors of the corpus are on the account of `complete`, which had them made.
            return replace(result, usage=result.usage + search.spent_on_queries)
