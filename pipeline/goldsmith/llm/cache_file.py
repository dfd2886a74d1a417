"""The SQLite file of the response cache: its layout, and what happens when it is damaged."""

from __future__ import annotations

import logging
import sqlite3
from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn

from goldsmith.errors import CacheError
from goldsmith.llm.entry import Entry

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_log = logging.getLogger(__name__)

_LAYOUT = 1
_SMALLEST_ROW = 256
"""Bytes; three digests and a little text."""
_RANGE = 32
LOCK_SECONDS = 30.0
"""How long a write waits for another process; a write takes well under a millisecond."""

COLUMNS = "key, task, model, identity, reply, checksum"
_TABLE = """
CREATE TABLE IF NOT EXISTS replies (
    key      TEXT PRIMARY KEY,  -- sha256 of `identity`
    reply    BLOB NOT NULL,     -- canonical JSON of what came back
    checksum TEXT NOT NULL,     -- sha256 of `reply`
    task     TEXT NOT NULL,
    model    TEXT NOT NULL,
    identity BLOB NOT NULL      -- canonical JSON of the request; last, because it is long
)
"""
INSERT = f"INSERT OR IGNORE INTO replies ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)"  # noqa: S608 - a constant


def connect(path: Path) -> sqlite3.Connection:
    """Open the file, laying it out when it is new. Raises `sqlite3.Error`, or `CacheError`."""
    connection = _open(path)
    try:
        layout = _layout_of(connection)
        if layout > _LAYOUT:
            _refuse(path, layout)
        if layout < _LAYOUT:
            with _lock_beside(path):
                _lay_out(connection)
        connection.execute("PRAGMA synchronous = NORMAL")
        # 32 MB: each checkpoint waits for the disk, and every call under way with it.
        connection.execute("PRAGMA wal_autocheckpoint = 8000")
        connection.execute("SELECT key FROM replies LIMIT 1").fetchone()
    except BaseException:
        connection.close()
        raise
    return connection


def _open(path: Path) -> sqlite3.Connection:
    # Autocommit: each reply is a transaction of its own, durable against a killed process.
    return sqlite3.connect(path, timeout=LOCK_SECONDS, isolation_level=None)


def _layout_of(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _lay_out(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute(_TABLE)
    connection.execute(f"PRAGMA user_version = {_LAYOUT}")


def _refuse(path: Path, layout: int) -> NoReturn:
    raise CacheError(
        f"cache {str(path)!r} has layout {layout}, and this goldsmith knows only {_LAYOUT}: use "
        "a newer goldsmith, or set GOLDSMITH_CACHE to another folder"
    )


def is_damage(error: sqlite3.Error) -> bool:
    """Whether the file itself is at fault, and not a lock, a full disk or a missing right."""
    code = getattr(error, "sqlite_errorcode", None)
    return code is not None and code & 0xFF in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}


def set_aside(path: Path) -> Path:
    """Rename a damaged cache, take over every sound row that can be read; the new name.

    Guarded by a lock, so that of two processes that meet the damage only one acts.
    """
    with _lock_beside(path):
        if _reads_to_the_end(path):
            return path  # another process was here first
        number = 1
        while (aside := path.with_name(f"{path.stem}.damaged-{number}{path.suffix}")).exists():
            number += 1
        path.rename(aside)
        for suffix in ("-wal", "-shm"):
            beside = path.with_name(path.name + suffix)
            if beside.exists():
                beside.rename(aside.with_name(aside.name + suffix))
        saved = _salvage(aside, path)
    _log.warning("the cache was damaged: %d replies saved, the old file is %s", saved, aside)
    return aside


def _salvage(damaged: Path, path: Path) -> int:
    """Copy every sound row that can be read; the rows of a damaged page are lost."""
    source, target = _open(damaged), _open(path)
    _lay_out(target)
    # Short ranges of rows, each walked from both ends, get at what is around a damaged page: a
    # walk ends where it meets one. How many rows there are may be unreadable, so more are tried.
    most = damaged.stat().st_size // _SMALLEST_ROW
    for start in range(0, most + 1, _RANGE):
        for order in ("ASC", "DESC"):
            _copy_range(source, target, (start, start + _RANGE), order)
    (saved,) = target.execute("SELECT count(*) FROM replies").fetchone()
    source.close()
    target.close()
    return int(saved)


def _copy_range(
    source: sqlite3.Connection, target: sqlite3.Connection, bounds: tuple[int, int], order: str
) -> None:
    query = f"SELECT {COLUMNS} FROM replies WHERE rowid >= ? AND rowid < ? ORDER BY rowid {order}"  # noqa: S608 - constants
    rows = []
    try:
        for row in source.execute(query, bounds):
            rows.append(row)  # noqa: PERF402 - what was read before an error counts
    except sqlite3.Error as error:
        _log.debug("a walk through the damaged cache ended with: %s", error)
    target.executemany(INSERT, (row for row in rows if Entry(*row).is_sound))


def _reads_to_the_end(path: Path) -> bool:
    connection = _open(path)
    try:
        (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
        connection.execute("SELECT key FROM replies LIMIT 1").fetchone()
    except sqlite3.Error as error:
        if is_damage(error):
            return False
        raise
    finally:
        connection.close()
    return bool(verdict == "ok")


@contextmanager
def _lock_beside(path: Path) -> Iterator[None]:
    """Only one process at a time; SQLite's own lock, so that it works wherever the cache does."""
    lock = sqlite3.connect(
        path.with_name("repair.lock"), timeout=LOCK_SECONDS, isolation_level=None
    )
    try:
        lock.execute("BEGIN EXCLUSIVE")
        yield
    finally:
        lock.close()
