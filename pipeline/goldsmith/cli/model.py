"""Open the model that the settings name."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from goldsmith.settings import ModelKind

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from goldsmith.cli.context import Context
    from goldsmith.llm.task import Model
    from goldsmith.records import Chunk


@asynccontextmanager
async def model_of(context: Context, chunks: Sequence[Chunk]) -> AsyncIterator[Model]:
    """The model of the build; the offline one reads the corpus."""
    if context.build.model.kind is ModelKind.OFFLINE:
        from goldsmith.offline.model import OfflineModel

        yield OfflineModel(chunks)
        return
    from goldsmith.llm.opening import open_model

    async with open_model(
        context.build.model,
        context.runtime,
        prompts_folder=context.prompts,
        cache_folder=context.cache,
    ) as model:
        yield model
