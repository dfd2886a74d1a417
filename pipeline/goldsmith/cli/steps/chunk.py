from __future__ import annotations

from typing import TYPE_CHECKING

from goldsmith.cli.steps.source import code_digest
from goldsmith.cli.terminal import progress
from goldsmith.cli.workspace import Account
from goldsmith.corpus import documents
from goldsmith.errors import InputError
from goldsmith.records import Chunk, Document, Usage
from goldsmith.stages import chunk
from goldsmith.tables import table_writer

if TYPE_CHECKING:
    from pathlib import Path

    from goldsmith.cli.context import Context
    from goldsmith.funnel import FunnelRow


def run(context: Context, corpus: Path) -> list[FunnelRow]:
    """Raises `InputError` when no file of the folder becomes a document, with the reasons."""
    code = code_digest("chunk")
    workspace, settings = context.workspace, context.build.chunk
    files = documents.sources(corpus)
    tally = chunk.Tally()
    with (
        progress("chunk", len(files)) as advance,
        table_writer(workspace.table("chunk", "documents"), Document) as document_table,
        table_writer(workspace.table("chunk", "chunks"), Chunk) as chunk_table,
    ):
        for document, chunks in chunk.run(documents.read(files, settings), settings, tally):
            document_table.write(document)
            for one in chunks:
                chunk_table.write(one)
            advance()
    funnel = tally.funnel()
    workspace.write_account("chunk", Account(tuple(funnel), Usage(), code), tally.dropped)
    if not tally.documents:
        raise InputError(f"no document in {str(corpus)!r}: {_why(funnel[0])}")
    return funnel


def _why(row: FunnelRow) -> str:
    if not row.requested:
        return "the folder holds no file; put Markdown, RST, HTML or text files there"
    lost = {**row.rejected, **row.failed}
    reasons = ", ".join(f"{count} {reason}" for reason, count in lost.items())
    return f"of {row.requested} files none could be used ({reasons})"
