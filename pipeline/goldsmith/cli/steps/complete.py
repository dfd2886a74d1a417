from __future__ import annotations

from typing import TYPE_CHECKING

from goldsmith.cli.steps.source import code_digest
from goldsmith.cli.workspace import Account
from goldsmith.records import Judgement, Query, Usage
from goldsmith.stages import complete
from goldsmith.tables import read_table, write_table

if TYPE_CHECKING:
    from goldsmith.cli.context import Context
    from goldsmith.funnel import FunnelRow


def run(context: Context) -> list[FunnelRow]:
    code = code_digest("complete")
    workspace = context.workspace
    kept = read_table(workspace.table("select", "kept"), Query)
    result = complete.run(kept, workspace.chunks())
    write_table(workspace.table("complete", "queries"), Query, result.queries)
    write_table(workspace.table("complete", "judgements"), Judgement, result.judgements)
    workspace.write_account("complete", Account(tuple(result.funnel), Usage(), code), [])
    return result.funnel
