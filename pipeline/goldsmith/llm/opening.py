"""Open the model that the settings name: the one place where the layers are put together."""

from __future__ import annotations

from contextlib import asynccontextmanager
from random import Random
from typing import TYPE_CHECKING

from goldsmith.errors import SettingsError
from goldsmith.llm.budgeted import Budget, Budgeted
from goldsmith.llm.cache import ResponseCache
from goldsmith.llm.cached import Cached
from goldsmith.llm.chat import OpenAIClient
from goldsmith.llm.clock import SystemClock
from goldsmith.llm.ledger import Ledger
from goldsmith.llm.limited import Limited, Limits
from goldsmith.llm.openai import Connection, Endpoint
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
    patience: Patience | None = None,
    offline_cache: bool = False,
) -> AsyncIterator[PromptedModel]:
    """The model at an endpoint, behind cache, budget, retries and limits; closed on the way out.

    Raises `ModelError` without a key, `SettingsError` for a limit on cost without a price, and
    `CacheError` when the cache cannot be opened. With `offline_cache`, here or in `runtime`,
    nothing is sent: a call that is not in the cache is a `CacheError`.
    """
    clock = clock or SystemClock()
    price = runtime.prices.get(model.name)
    budget = _budget(model, runtime)
    patience = patience or Patience(seconds=runtime.retry_seconds)
    endpoint = Endpoint(model.name, runtime.base_url, runtime.timeout_seconds, runtime.concurrency)
    limits = Limits(runtime.concurrency, runtime.requests_per_minute, runtime.tokens_per_minute)
    with ResponseCache(cache_folder) as cache:
        async with Connection(endpoint, clock) as connection:
            limited = Limited(OpenAIClient(connection), limits, clock)
            # Seeded, so that a build waits alike whenever the endpoint behaves alike.
            retrying = Retrying(limited, patience, clock, Random(model.seed or 0))  # noqa: S311
            budgeted = Budgeted(retrying, budget)
            yield PromptedModel(
                Cached(budgeted, cache, offline=offline_cache or runtime.offline_cache),
                prompts_folder,
                name=model.name,
                seed=model.seed,
                max_reasks=runtime.max_reasks,
                ledger=Ledger(model.name, price),
            )


def _budget(model: ModelSettings, runtime: RuntimeSettings) -> Budget:
    price = runtime.prices.get(model.name)
    if runtime.max_cost is not None and price is None:
        raise SettingsError(
            f"max_cost is set, but model {model.name!r} has no price in runtime.yaml; "
            f"known prices: {sorted(runtime.prices) or 'none'}"
        )
    return Budget(runtime.max_calls, runtime.max_tokens, runtime.max_cost, price)
