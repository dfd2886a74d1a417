"""Where batches leave and arrive: each is in the journal before it is at the endpoint, and until
its replies are in the cache. A process that is killed at any point takes it up again, and sends
nothing twice.
"""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING

from goldsmith.llm.batch_journal import BatchJournal, Sent
from goldsmith.llm.batches import BatchApi, input_file, results_of
from goldsmith.llm.cached import is_worth_keeping
from goldsmith.llm.entry import Entry
from goldsmith.llm.faults import NotFoundError
from goldsmith.llm.request import Reply

if TYPE_CHECKING:
    from collections.abc import Collection
    from contextlib import AbstractAsyncContextManager

    from goldsmith.llm.batches import Batch, Results
    from goldsmith.llm.cache import ResponseCache
    from goldsmith.llm.clock import Clock
    from goldsmith.llm.connection import Connection
    from goldsmith.llm.dialect import Dialect
    from goldsmith.llm.request import Request
    from goldsmith.llm.retrying import Persistence

_log = logging.getLogger(__name__)

_FIRST_LOOK, _LONGEST_LOOK, _LONGER = 5.0, 60.0, 1.5
"""Seconds between looks at a batch, and by how much each pause is longer than the last."""


class BatchDesk:
    """Sends batches of requests to one endpoint, and files what comes back in the cache."""

    def __init__(
        self, connection: Connection, cache: ResponseCache, persistence: Persistence, clock: Clock
    ) -> None:
        self._api = BatchApi(connection)
        self._where = connection.address
        self._model = connection.model
        self._cache = cache
        self._journal = BatchJournal(cache.path, connection.address)
        self._repeat = persistence.repeat
        self._clock = clock

    def close(self) -> None:
        self._journal.close()

    def sending(self) -> AbstractAsyncContextManager[None]:
        """Hold this while taking up and submitting: see `BatchJournal.sending`."""
        return self._journal.sending(self._clock)

    async def take_up(self, keys: Collection[str]) -> list[Sent]:
        """The batches of an earlier run that hold some of `keys`, as far as they were created."""
        taken_up = []
        for planned in self._journal.out():
            if planned.calls.keys().isdisjoint(keys):
                continue
            sent = planned if planned.batch_id else await self._found(planned)
            if sent is None:
                self._journal.forget(planned.label)
            else:
                _log.info("taking up batch %s with %d calls", sent.batch_id, len(sent.calls))
                taken_up.append(sent)
        return taken_up

    async def submit(self, group: list[Request], dialect: Dialect) -> Sent:
        """Plan, upload, create, confirm: a kill between any two is found out by the label."""
        planned = self._journal.plan(group)
        content = input_file(group, dialect)
        file_id = await self._repeat(partial(self._api.upload, planned.label, content))
        tried = False

        async def create() -> Batch:
            # After a failure nobody can know whether the batch was created: look before trying.
            nonlocal tried
            found = await self._api.find(planned.label) if tried else None
            tried = True
            return found or await self._api.create(file_id, planned.label)

        batch = await self._repeat(create)
        _log.info("batch %s has %d calls", batch.batch_id, len(group))
        return self._confirmed(planned, batch)

    async def follow(self, sent: Sent) -> tuple[Batch | None, Results]:
        """Wait for the end of a batch and file its replies; None when it is gone."""
        assert sent.batch_id is not None
        batch = await self._over(sent.batch_id)
        results: Results = {}
        for file_id in batch.files if batch else ():
            content = await self._repeat(partial(self._api.read, file_id))
            results.update(results_of(content, self._model, self._where))
        self._cache.add(
            Entry.of(sent.calls[key], reply)
            for key, reply in results.items()
            if isinstance(reply, Reply) and key in sent.calls and is_worth_keeping(reply)
        )
        self._journal.forget(sent.label)
        return batch, results

    async def _found(self, planned: Sent) -> Sent | None:
        batch = await self._repeat(partial(self._api.find, planned.label))
        return None if batch is None else self._confirmed(planned, batch)

    def _confirmed(self, planned: Sent, batch: Batch) -> Sent:
        self._journal.confirm(planned.label, batch.batch_id)
        return Sent(planned.label, planned.calls, batch.batch_id)

    async def _over(self, batch_id: str) -> Batch | None:
        """The batch once it is over; None when the endpoint does not know it any more."""
        pause = _FIRST_LOOK
        while True:
            try:
                batch = await self._repeat(partial(self._api.look, batch_id))
            except NotFoundError:
                _log.warning("the endpoint knows no batch %r: its calls are sent again", batch_id)
                return None
            if batch.is_over:
                return batch
            await self._clock.sleep(pause)
            pause = min(_LONGEST_LOOK, pause * _LONGER)
