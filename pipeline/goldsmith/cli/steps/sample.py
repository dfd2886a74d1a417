from __future__ import annotations

from typing import TYPE_CHECKING

from goldsmith.cli.steps.source import code_digest
from goldsmith.cli.workspace import Account
from goldsmith.records import SourceSet, Usage
from goldsmith.stages import sample
from goldsmith.tables import write_table

if TYPE_CHECKING:
    from goldsmith.cli.context import Context
    from goldsmith.funnel import FunnelRow


def run(context: Context) -> list[FunnelRow]:
    code = code_digest("sample")
    workspace = context.workspace
    result = sample.run(workspace.chunks(), context.build.sample)
    write_table(workspace.table("sample", "source_sets"), SourceSet, result.sets)
    workspace.write_account("sample", Account(tuple(result.funnel), Usage(), code), result.dropped)
    return result.funnel
