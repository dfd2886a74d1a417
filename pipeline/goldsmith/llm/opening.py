"""Open the model that the settings name: the one place where the layers are put together."""

from __future__ import annotations

import logging
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

from goldsmith.errors import SettingsError
from goldsmith.llm.batch_desk import BatchDesk
from goldsmith.llm.batch_journal import calls_out
from goldsmith.llm.batched import Batched
from goldsmith.llm.budgeted import Budget, Budgeted
from goldsmith.llm.cache import ResponseCache
from goldsmith.llm.cached import Cached
from goldsmith.llm.chat import OpenAIClient
from goldsmith.llm.clock import SystemClock
from goldsmith.llm.connection import Connection
from goldsmith.llm.embedding import Embedder, EmbeddingClient
from goldsmith.llm.limited import Limited
from goldsmith.llm.openai import account
from goldsmith.llm.prompted import PromptedModel
from goldsmith.llm.rates import Limits, Pace
from goldsmith.llm.retrying import Patience, Persistence, Retrying
from goldsmith.llm.session import Session
from goldsmith.settings import CallMode

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from goldsmith.llm.clock import Clock
    from goldsmith.llm.request import Sender
    from goldsmith.settings import ModelSettings, RuntimeSettings

_log = logging.getLogger(__name__)

_PENDING_IN_BATCHES = 50_000
_RENDERED = 4
"""Prompts in memory for each call under way: those that wait for another attempt are among them."""


@asynccontextmanager
async def open_model(
    model: ModelSettings,
    runtime: RuntimeSettings,
    *,
    prompts_folder: Path,
    cache_folder: Path,
    clock: Clock | None = None,
    patience: Patience | None = None,
    session: Session | None = None,
    stage: str | None = None,
) -> AsyncIterator[PromptedModel]:
    """The model at an endpoint, behind cache, budget, retries and limits; closed on the way out.

    Raises `ModelError` without a key, `SettingsError` for a limit on cost without a price, and
    `CacheError` when the cache cannot be opened. With `runtime.offline_cache` nothing is sent and
    no key is needed: a call that is not in the cache is a `CacheError`.
    Models that share a `session` keep to one budget, and know what the others found out of the
    endpoint; `stage` is their row in its ledger.
    """
    session = session or Session.of(model, runtime)
    async with (
        _endpoint(model.name, model, runtime, cache_folder, clock, patience) as endpoint,
        _sender(endpoint, session, runtime) as sender,
    ):
        yield PromptedModel(
            Cached(sender, endpoint.cache),
            prompts_folder,
            name=model.name,
            seed=model.seed,
            max_reasks=runtime.max_reasks,
            ledger=session.ledger,
            stage=stage,
            most_rendered=_RENDERED * pending_calls(runtime),
        )


@asynccontextmanager
async def open_embedder(
    name: str,
    model: ModelSettings,
    runtime: RuntimeSettings,
    *,
    cache_folder: Path,
    clock: Clock | None = None,
    patience: Patience | None = None,
    session: Session | None = None,
) -> AsyncIterator[Embedder]:
    """The embedding model `name` at the endpoint of `runtime`, behind the same layers.

    Its tokens count against the same budget, at the price of `model`. Never in batches: a search
    waits for it. Raises as `open_model` does.
    """
    session = session or Session.of(model, runtime)
    async with _endpoint(name, model, runtime, cache_folder, clock, patience) as endpoint:
        sender: Sender | None = None
        if endpoint.connection is not None:
            # A pace of its own: what an account allows, it allows for each model.
            pace = Pace(Limits.of(runtime))
            limited = Limited(EmbeddingClient(endpoint.connection), pace, endpoint.clock)
            retrying = Retrying(limited, endpoint.persistence)
            sender = Budgeted(retrying, endpoint.budget, session.spent)
        yield Embedder(sender, endpoint.cache, name)


@dataclass(frozen=True, slots=True)
class _Endpoint:
    """What every model at an endpoint is opened with."""

    connection: Connection | None
    """None: no call is allowed."""
    cache: ResponseCache
    budget: Budget
    persistence: Persistence
    clock: Clock


@asynccontextmanager
async def _endpoint(
    name: str,
    model: ModelSettings,
    runtime: RuntimeSettings,
    cache_folder: Path,
    clock: Clock | None,
    patience: Patience | None,
) -> AsyncIterator[_Endpoint]:
    """For the model `name`, at the price and with the seed of `model`."""
    clock = clock or SystemClock()
    budget = _budget(model, runtime)
    # Seeded, so that a build waits alike whenever the endpoint behaves alike.
    random = Random(model.seed or 0)  # noqa: S311 - jitter
    persistence = Persistence(patience or Patience(seconds=runtime.retry_seconds), clock, random)
    async with AsyncExitStack() as stack:
        cache = stack.enter_context(ResponseCache(cache_folder))
        connection: Connection | None = None
        if not runtime.offline_cache:
            connection = await stack.enter_async_context(
                Connection(
                    account(name, runtime.base_url),
                    clock,
                    seconds=runtime.timeout_seconds,
                    width=runtime.concurrency,
                )
            )
        yield _Endpoint(connection, cache, budget, persistence, clock)


@asynccontextmanager
async def _sender(
    endpoint: _Endpoint, session: Session, runtime: RuntimeSettings
) -> AsyncIterator[Sender | None]:
    """Chat calls on the way to the endpoint, one by one or in batches; None: none is allowed."""
    connection, persistence, clock = endpoint.connection, endpoint.persistence, endpoint.clock
    if connection is None:
        yield None
    elif runtime.mode is CallMode.BATCH:
        desk = BatchDesk(connection, endpoint.cache, persistence, clock)
        async with Batched(desk, clock, dialect=session.dialect) as batched:
            yield Budgeted(batched, endpoint.budget, session.spent)
    else:
        _warn_of_batches(calls_out(endpoint.cache.path))
        limited = Limited(OpenAIClient(connection, session.dialect), session.pace, clock)
        yield Budgeted(Retrying(limited, persistence), endpoint.budget, session.spent)


def _warn_of_batches(calls: int) -> None:
    if calls:
        _log.warning(
            "%d calls of an earlier run are out in batches; with mode: batch they are collected, "
            "and now they may be paid a second time",
            calls,
        )


def pending_calls(runtime: RuntimeSettings) -> int:
    """How many items a stage should have under way: what an engine is opened with.

    A batch takes what waits when it is sent, so in that mode a stage asks for all it has at once.
    """
    return _PENDING_IN_BATCHES if runtime.mode is CallMode.BATCH else runtime.concurrency


def _budget(model: ModelSettings, runtime: RuntimeSettings) -> Budget:
    price = runtime.prices.get(model.name)
    if runtime.max_cost is not None and price is None:
        raise SettingsError(
            f"max_cost is set, but model {model.name!r} has no price in runtime.yaml; "
            f"known prices: {sorted(runtime.prices) or 'none'}"
        )
    return Budget(runtime.max_calls, runtime.max_tokens, runtime.max_cost, price)
