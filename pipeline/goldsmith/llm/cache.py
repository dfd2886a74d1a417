"""The response cache: every reply that was paid for, by the digest of what was asked.

One SQLite file in WAL mode, which several processes may use at once. A row holds the canonical
request beside the reply, so that `verify` can recompute its key. It lies outside DVC's outputs,
because DVC deletes the outputs of a stage that failed.
"""

from __future__ import annotations

import hashlib
import logging
import sqlite3
from contextlib import contextmanager
from typing import TYPE_CHECKING, Self

import orjson

from goldsmith.errors import CacheError
from goldsmith.ids import canonical_json
from goldsmith.llm.request import Finish, Reply, Request

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import TracebackType

_log = logging.getLogger(__name__)

FILE_NAME = "responses.sqlite"
_LAYOUT = 1
_LOCK_SECONDS = 30.0
"""How long a write waits for another process; a write takes well under a millisecond."""

_TABLE = """
CREATE TABLE IF NOT EXISTS replies (
    key      TEXT PRIMARY KEY,  -- sha256 of `identity`
    task     TEXT NOT NULL,
    model    TEXT NOT NULL,
    identity BLOB NOT NULL,     -- canonical JSON of the request
    reply    BLOB NOT NULL,     -- canonical JSON of what came back
    checksum TEXT NOT NULL      -- sha256 of `reply`
) WITHOUT ROWID
"""
_INSERT = "INSERT OR IGNORE INTO replies VALUES (?, ?, ?, ?, ?, ?)"
_SELECT = "SELECT reply, checksum FROM replies WHERE key = ?"


class ResponseCache:
    """Replies by request key; a context manager. The first reply stored for a key stays."""

    def __init__(self, folder: Path) -> None:
        """Open, or make, the cache in `folder`. Raises `CacheError`."""
        self.path = folder / FILE_NAME
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise CacheError(f"cache folder {str(folder)!r} cannot be made: {error}") from error
        self._connection = self._open()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        self._connection.close()

    def get(self, key: str) -> Reply | None:
        """The stored reply, marked as cached; None when there is none, or a damaged one."""
        with self._translated("read"):
            row = self._connection.execute(_SELECT, (key,)).fetchone()
        if row is None:
            return None
        reply, checksum = row
        if hashlib.sha256(reply).hexdigest() != checksum:
            _log.warning("cache %r: the reply %s is damaged and is asked for again", self.path, key)
            self._forget(key)
            return None
        return reply_of(reply)

    def put(self, request: Request, reply: Reply) -> None:
        """Store `reply`; when this returns, a killed process no longer loses it."""
        content = canonical_json(
            {
                "text": reply.text,
                "finish": reply.finish.value,
                "tokens_in": reply.tokens_in,
                "tokens_out": reply.tokens_out,
                "model": reply.model,
            }
        )
        checksum = hashlib.sha256(content).hexdigest()
        row = (request.key, request.task, request.model, request.identity, content, checksum)
        with self._translated("written"):
            self._connection.execute(_INSERT, row)

    def _forget(self, key: str) -> None:
        with self._translated("written"):
            self._connection.execute("DELETE FROM replies WHERE key = ?", (key,))

    def _open(self) -> sqlite3.Connection:
        with self._translated("opened"):
            # Autocommit: each reply is a transaction of its own, durable against a killed process.
            connection = sqlite3.connect(self.path, timeout=_LOCK_SECONDS, isolation_level=None)
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute(_TABLE)
            connection.execute(f"PRAGMA user_version = {_LAYOUT}")
            return connection

    @contextmanager
    def _translated(self, verb: str) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise CacheError(f"cache {str(self.path)!r} cannot be {verb}: {error}") from error


def reply_of(content: bytes) -> Reply:
    """The reply in a row of the cache."""
    values = orjson.loads(content)
    return Reply(
        text=values["text"],
        finish=Finish(values["finish"]),
        tokens_in=values["tokens_in"],
        tokens_out=values["tokens_out"],
        model=values["model"],
        cached=True,
    )
