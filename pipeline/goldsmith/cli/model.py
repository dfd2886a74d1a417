"""Open the model that the settings name, and the engine that its calls run in."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from goldsmith.engine.local import LocalEngine
from goldsmith.settings import ModelKind

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

    from goldsmith.cli.context import Context
    from goldsmith.llm.task import Model
    from goldsmith.records import Chunk


@asynccontextmanager
async def model_of(context: Context, chunks: Sequence[Chunk], stage: str) -> AsyncIterator[Model]:
    """The model of the build, on the account of `stage`; the offline one reads the corpus."""
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
        session=context.session,
        stage=stage,
    ) as model:
        yield model


def engine_of(context: Context, advance: Callable[[], None]) -> LocalEngine:
    """As many items under way as the model wants to see: in batches, all that a stage has."""
    if context.build.model.kind is ModelKind.OFFLINE:
        return LocalEngine(context.runtime.concurrency, advance)
    from goldsmith.llm.opening import pending_calls

    return LocalEngine(pending_calls(context.runtime), advance)
