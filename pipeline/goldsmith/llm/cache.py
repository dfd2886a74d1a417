"""The response cache: every reply that was paid for, by the digest of what was asked.

One SQLite file in WAL mode, which several processes may use at once. A row holds the canonical
request beside the reply, so that a check can recompute its key. It lies outside DVC's outputs,
because DVC deletes the outputs of a stage that failed.
"""

from __future__ import annotations

import logging
import sqlite3
from contextlib import contextmanager
from typing import TYPE_CHECKING, Self

from goldsmith.errors import CacheError
from goldsmith.llm.cache_file import COLUMNS, INSERT, LOCK_SECONDS, connect, is_damage, set_aside
from goldsmith.llm.entry import Entry, has_digest, reply_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path
    from types import TracebackType

    from goldsmith.llm.request import Reply, Request

_log = logging.getLogger(__name__)

FILE_NAME = "responses.sqlite"
_ALL = f"SELECT {COLUMNS} FROM replies ORDER BY key"  # noqa: S608 - a constant
_SELECT = "SELECT reply, checksum FROM replies WHERE key = ?"


class ResponseCache:
    """Replies by request key; a context manager. The first reply stored for a key stays."""

    def __init__(self, folder: Path) -> None:
        """Open, or make, the cache in `folder`.

        A file that is damaged is set aside under another name, and what can be read of it is
        taken over. Raises `CacheError` when no cache can be had.
        """
        self.path = folder / FILE_NAME
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise CacheError(f"cache folder {str(folder)!r} cannot be made: {error}") from error
        with self._guarded("opened"):
            self._connection = self._opened()

    def _opened(self) -> sqlite3.Connection:
        try:
            return connect(self.path)
        except sqlite3.Error as error:
            if not is_damage(error):
                raise
            set_aside(self.path)
            return connect(self.path)

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
        try:
            row = self._connection.execute(_SELECT, (key,)).fetchone()
        except sqlite3.Error as error:
            raise self._translated(error, "read") from error
        if row is None:
            return None
        reply, checksum = row
        if not has_digest(reply, checksum):
            _log.warning("cache: the reply %s is damaged and is asked for again", key[:12])
            with self._guarded("written"):
                self._connection.execute("DELETE FROM replies WHERE key = ?", (key,))
            return None
        return reply_of(reply)

    def put(self, request: Request, reply: Reply) -> None:
        """Store `reply`; when this returns, a killed process no longer loses it."""
        with self._guarded("written"):
            self._connection.execute(INSERT, Entry.of(request, reply).row)

    def entries(self) -> Iterator[Entry]:
        """Every row in the order of keys, damaged ones too."""
        with self._guarded("read"):
            for row in self._connection.execute(_ALL):
                yield Entry(*row)

    def add(self, entries: Iterable[Entry]) -> int:
        """Store rows all at once, or none; returns how many were new."""
        with self._guarded("written"):
            before = self._connection.total_changes
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                self._connection.executemany(INSERT, (entry.row for entry in entries))
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:  # a full disk has rolled back by itself
                    self._connection.execute("ROLLBACK")
                raise
            return self._connection.total_changes - before

    def remove(self, keys: Iterable[str]) -> None:
        with self._guarded("written"):
            self._connection.executemany(
                "DELETE FROM replies WHERE key = ?", ((key,) for key in keys)
            )

    @contextmanager
    def _guarded(self, verb: str) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise self._translated(error, verb) from error

    def _translated(self, error: sqlite3.Error, verb: str) -> CacheError:
        advice = "check the folder, or set GOLDSMITH_CACHE to another one"
        if is_damage(error):
            advice = "run `goldsmith cache verify`, which saves what can be read"
        elif "full" in str(error) or "disk I/O" in str(error):
            advice = "make room and run again; the replies so far are safe"
        elif "locked" in str(error):
            advice = f"another process has held it for {LOCK_SECONDS:.0f} s; run again after it"
        return CacheError(f"cache {str(self.path)!r} cannot be {verb}: {error}; {advice}")
