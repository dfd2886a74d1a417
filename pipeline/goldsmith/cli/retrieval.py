"""Open the retrievers that the settings name, over the chunks of a build."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from goldsmith.corpus.search import Index
from goldsmith.records import Usage

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from goldsmith.cli.context import Context
    from goldsmith.corpus.search import Retriever
    from goldsmith.llm.embedding import Embedder
    from goldsmith.records import Chunk


@dataclass(frozen=True, slots=True)
class Opened:
    """BM25, and embeddings when they are configured."""

    index: Index
    dense: Retriever | None = None
    embedder: Embedder | None = None
    corpus: Usage = Usage()  # noqa: RUF009 - frozen
    """What the vectors of the corpus cost."""

    @property
    def retrievers(self) -> tuple[Retriever, ...]:
        return (self.index, self.dense) if self.dense else (self.index,)

    @property
    def spent(self) -> Usage:
        """By now, the corpus included."""
        return self.embedder.usage if self.embedder else Usage()

    @property
    def spent_on_queries(self) -> Usage:
        return Usage(
            calls=self.spent.calls - self.corpus.calls,
            tokens_in=self.spent.tokens_in - self.corpus.tokens_in,
        )


@asynccontextmanager
async def retrievers_of(context: Context, chunks: Sequence[Chunk]) -> AsyncIterator[Opened]:
    """Every retriever over `chunks`; the vectors of a corpus are paid for once, then cached."""
    index, name = Index(chunks), context.build.search.embeddings
    if name is None:
        yield Opened(index)
        return
    from goldsmith.llm.dense import DenseIndex
    from goldsmith.llm.opening import open_embedder

    async with open_embedder(
        name,
        context.build.model,
        context.runtime,
        cache_folder=context.cache,
        session=context.session,
    ) as embedder:
        dense = await DenseIndex.of(chunks, embedder)
        yield Opened(index, dense, embedder, embedder.usage)
