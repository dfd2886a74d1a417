from __future__ import annotations

from typing import TYPE_CHECKING

from goldsmith import __version__
from goldsmith.cli.model import engine_of, model_of
from goldsmith.cli.retrieval import retrievers_of
from goldsmith.cli.steps.source import code_digest
from goldsmith.cli.terminal import err, progress
from goldsmith.corpus.chunking import Chunker
from goldsmith.corpus.cutfile import read_cut
from goldsmith.corpus.documents import read, sources
from goldsmith.corpus.search import Index
from goldsmith.engine.local import LocalEngine, run_async
from goldsmith.errors import InputError
from goldsmith.ids import refuse_collisions
from goldsmith.llm.absence import AbsenceSearch
from goldsmith.records import Document, Kind
from goldsmith.release.manifest import Code
from goldsmith.release.migration import migrate
from goldsmith.release.migration.freezing import freeze_migrated, next_major
from goldsmith.release.migration.places import same_documents

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pydantic import JsonValue

    from goldsmith.cli.context import Context
    from goldsmith.records import Chunk
    from goldsmith.release.migration import Migrated
    from goldsmith.release.migration.report import MigrationReport
    from goldsmith.release.reading import Release
    from goldsmith.settings import ChunkSettings


def run(
    context: Context,
    before: Release,
    settings: ChunkSettings,
    *,
    chunks: Path | None = None,
    corpus: Path | None = None,
    version: str | None = None,
) -> MigrationReport:
    """Migrate and freeze; see `goldsmith.release.migration`."""
    documents = _documents(before, corpus, settings)
    if chunks is None:
        found, cut = _cut(documents, settings), settings.model_dump(mode="json")
    else:
        found, cut = read_cut(chunks, documents), {"file": chunks.name}
    migrated = run_async(_migrate(context, before, documents, found))
    section: dict[str, JsonValue] = {"chunk": cut}
    _, report = freeze_migrated(
        before.manifest,
        migrated,
        version=version or next_major(before.manifest.version),
        cut=section,
        code=Code(version=__version__, digest=code_digest("migrate")),
        root=context.workspace.releases,
        ledger=context.workspace.ledger,
    )
    return report


async def _migrate(
    context: Context, before: Release, documents: Sequence[Document], chunks: Sequence[Chunk]
) -> Migrated:
    """A model and retrievers are opened, and vectors paid for, only where a document changed."""
    if same_documents(before.contents.documents, documents):
        return await migrate(before, documents, chunks, Index(chunks), None, LocalEngine())
    by_id = {chunk.chunk_id: chunk for chunk in chunks}
    probes = sum(query.kind is Kind.UNANSWERABLE for query in before.contents.queries)
    with progress("probes", probes) as advance:
        async with (
            model_of(context, chunks, "migrate") as model,
            retrievers_of(context, chunks) as opened,
        ):
            search = AbsenceSearch(opened.retrievers, by_id, model, context.build.probe.depth)
            engine = engine_of(context, advance)
            return await migrate(before, documents, chunks, opened.index, search, engine)


def _documents(before: Release, corpus: Path | None, settings: ChunkSettings) -> Sequence[Document]:
    if corpus is None:
        return before.contents.documents
    found = list(read(sources(corpus), settings))
    documents = [item for item in found if isinstance(item, Document)]
    for item in found:
        if not isinstance(item, Document):
            err.print(f"left out {item.item_id}: {item.reason}, {item.detail}", markup=False)
    if not documents:
        raise InputError(f"no document in {str(corpus)!r}: of {len(found)} files none can be used")
    return documents


def _cut(documents: Sequence[Document], settings: ChunkSettings) -> list[Chunk]:
    chunker = Chunker(settings)
    chunks = [chunk for document in documents for chunk in chunker.chunks(document)]
    refuse_collisions((chunk.chunk_id for chunk in chunks), "chunks")
    return chunks
