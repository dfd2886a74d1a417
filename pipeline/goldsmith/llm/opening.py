"""Open the model that the settings name: the one place where the layers are put together."""

from __future__ import annotations

from contextlib import asynccontextmanager
from random import Random
from typing import TYPE_CHECKING

from goldsmith.llm.cache import ResponseCache
from goldsmith.llm.cached import Cached
from goldsmith.llm.clock import SystemClock
from goldsmith.llm.limited import Limited
from goldsmith.llm.openai import Endpoint, OpenAIClient
from goldsmith.llm.prompted import PromptedModel
from goldsmith.llm.retrying import Patience, Retrying

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from goldsmith.llm.clock import Clock
    from goldsmith.settings import ModelSettings, RuntimeSettings


@asynccontextmanager
async def open_model(
    model: ModelSettings,
    runtime: RuntimeSettings,
    *,
    prompts_folder: Path,
    cache_folder: Path,
    clock: Clock | None = None,
    offline_cache: bool = False,
) -> AsyncIterator[PromptedModel]:
    """The model at an endpoint, behind cache, retries and limits; closed on the way out.

    Raises `ModelError` without a key, and `CacheError` when the cache cannot be opened. With
    `offline_cache` nothing is sent: a call that is not in the cache is a `CacheError`.
    """
    clock = clock or SystemClock()
    endpoint = Endpoint(model.name, runtime.base_url, runtime.timeout_seconds)
    with ResponseCache(cache_folder) as cache:
        async with OpenAIClient(endpoint, clock) as client:
            limited = Limited(client, runtime.concurrency)
            # Seeded, so that a build waits alike whenever the endpoint behaves alike.
            retrying = Retrying(limited, Patience(), clock, Random(model.seed or 0))  # noqa: S311
            yield PromptedModel(
                Cached(retrying, cache, offline=offline_cache),
                prompts_folder,
                name=model.name,
                seed=model.seed,
                max_reasks=runtime.max_reasks,
            )
