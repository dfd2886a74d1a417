"""What is out in batches: written down before it is sent, so that a kill never sends it twice."""

from __future__ import annotations

import sqlite3
import zlib
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import uuid4

import orjson

from goldsmith.errors import CacheError
from goldsmith.llm.cache_file import connect

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable
    from pathlib import Path

    from goldsmith.llm.clock import Clock
    from goldsmith.llm.request import Request

_TABLE = """
CREATE TABLE IF NOT EXISTS batches (
    label    TEXT PRIMARY KEY,  -- our name for it, in its metadata at the endpoint
    address  TEXT NOT NULL,     -- of the endpoint
    calls    BLOB NOT NULL,     -- zlib of JSON: [key, task, model, identity] of each request
    batch_id TEXT               -- the endpoint's name; NULL until it is known to exist
)
"""
_LOCK_NAME = "batches.lock"
_LOCK_WAIT = 0.5


@dataclass(frozen=True, slots=True)
class Call:
    """What stays known of a request: enough to store its reply without it."""

    key: str
    task: str
    model: str
    identity: bytes


@dataclass(frozen=True, slots=True)
class Sent:
    """A batch that is out, or about to be."""

    label: str
    calls: dict[str, Call]
    batch_id: str | None


class BatchJournal:
    """The batches of one endpoint that are out, in the file of the cache."""

    def __init__(self, cache_file: Path, address: str) -> None:
        """Raises `CacheError`."""
        self._address = address
        self._lock_path = cache_file.with_name(_LOCK_NAME)
        try:
            self._connection = connect(cache_file)
            self._connection.execute(_TABLE)
        except sqlite3.Error as error:
            raise CacheError(f"the journal of batches cannot be opened: {error}") from error

    def close(self) -> None:
        self._connection.close()

    def plan(self, requests: Iterable[Request]) -> Sent:
        """Write down a batch that is about to be sent."""
        calls = [Call(r.key, r.task, r.model, r.identity) for r in requests]
        sent = Sent(f"goldsmith-{uuid4().hex}", {call.key: call for call in calls}, None)
        packed = zlib.compress(
            orjson.dumps([[c.key, c.task, c.model, c.identity.decode()] for c in calls])
        )
        self._write(
            "INSERT INTO batches VALUES (?, ?, ?, NULL)", (sent.label, self._address, packed)
        )
        return sent

    def confirm(self, label: str, batch_id: str) -> None:
        """The endpoint has it."""
        self._write("UPDATE batches SET batch_id = ? WHERE label = ?", (batch_id, label))

    def forget(self, label: str) -> None:
        """Its replies are in the cache, or it never was."""
        self._write("DELETE FROM batches WHERE label = ?", (label,))

    def out(self) -> list[Sent]:
        """Everything that is out, in the order in which it was planned."""
        rows = self._connection.execute(
            "SELECT label, calls, batch_id FROM batches WHERE address = ? ORDER BY rowid",
            (self._address,),
        ).fetchall()
        return [Sent(label, _unpacked(calls), batch_id) for label, calls, batch_id in rows]

    @asynccontextmanager
    async def sending(self, clock: Clock) -> AsyncIterator[None]:
        """Only one process sends at a time, or it would take a batch on its way for a lost one."""
        lock = sqlite3.connect(self._lock_path, timeout=0.0, isolation_level=None)
        try:
            while True:
                try:
                    lock.execute("BEGIN EXCLUSIVE")
                    break
                except sqlite3.OperationalError as error:
                    if error.sqlite_errorcode != sqlite3.SQLITE_BUSY:
                        raise CacheError(f"{str(self._lock_path)!r}: {error}") from error
                    await clock.sleep(_LOCK_WAIT)
            yield
        finally:
            lock.close()

    def _write(self, statement: str, values: tuple[object, ...]) -> None:
        try:
            self._connection.execute(statement, values)
        except sqlite3.Error as error:
            raise CacheError(f"the journal of batches cannot be written: {error}") from error


def calls_out(cache_file: Path) -> int:
    """How many calls are in batches of earlier runs, to any endpoint."""
    connection = connect(cache_file)
    try:
        connection.execute(_TABLE)
        packed = connection.execute("SELECT calls FROM batches").fetchall()
        return sum(len(_unpacked(calls)) for (calls,) in packed)
    except sqlite3.Error as error:
        raise CacheError(f"the journal of batches cannot be read: {error}") from error
    finally:
        connection.close()


def _unpacked(packed: bytes) -> dict[str, Call]:
    rows = orjson.loads(zlib.decompress(packed))
    return {key: Call(key, task, model, text.encode()) for key, task, model, text in rows}
