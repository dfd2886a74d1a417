"""Look after a response cache: count it, check it, and carry it to another machine.

An export is JSON Lines (gzipped when its name ends in `.gz`), one reply a line in the order of
keys, so equal caches give equal bytes. A build on an imported export makes no call.
"""

from __future__ import annotations

import gzip
import sqlite3
import zlib
from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

import orjson

from goldsmith.errors import CacheError, InputError
from goldsmith.ids import canonical_json
from goldsmith.llm.cache import FILE_NAME, ResponseCache
from goldsmith.llm.cache_file import set_aside
from goldsmith.llm.entry import Entry, reply_of, sha256
from goldsmith.records import Record
from goldsmith.tables import replacing

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path
    from typing import IO


class CacheStats(Record):
    """What a cache holds."""

    path: str
    replies: int
    damaged: int
    """Rows beside them that are not what was stored: see `verify_cache`."""
    bytes: int
    """Of the file."""
    tokens_in: int
    tokens_out: int
    by_model: dict[str, int]
    by_task: dict[str, int]


class CacheCheck(Record):
    """What a check of every row found."""

    path: str
    replies: int
    """Sound ones, after the check."""
    removed: tuple[str, ...]
    """Keys of rows whose content was not what their digests say; they will be asked for again."""
    set_aside: str | None
    """Where the old file is, when it could not be read to its end and was rebuilt."""


class CacheImport(Record):
    """What an import did with the lines of its file: read = added + present."""

    read: int
    added: int
    present: int


def cache_stats(folder: Path) -> CacheStats:
    """Count replies and tokens by model and task. Raises `CacheError` when there is no cache."""
    tokens_in = tokens_out = damaged = 0
    by_model: Counter[str] = Counter()
    by_task: Counter[str] = Counter()
    with _existing(folder) as cache:
        for entry in cache.entries():
            if not entry.is_sound:
                damaged += 1
                continue
            reply = reply_of(entry.reply)
            tokens_in += reply.tokens_in
            tokens_out += reply.tokens_out
            by_model[entry.model] += 1
            by_task[entry.task] += 1
        return CacheStats(
            path=str(cache.path),
            replies=by_model.total(),
            damaged=damaged,
            bytes=cache.path.stat().st_size,
            tokens_in=tokens_in,
            tokens_out=tokens_out,
            by_model=dict(sorted(by_model.items())),
            by_task=dict(sorted(by_task.items())),
        )


def verify_cache(folder: Path) -> CacheCheck:
    """Recompute every key and checksum, remove what is damaged, and rebuild a damaged file."""
    path = folder / FILE_NAME
    if not path.is_file():
        raise CacheError(f"there is no cache at {str(path)!r}")
    try:
        aside = set_aside(path)
    except sqlite3.Error as error:
        raise CacheError(f"cache {str(path)!r} cannot be checked: {error}") from error
    with ResponseCache(folder) as cache:
        damaged, sound = [], 0
        for entry in cache.entries():
            if entry.is_sound:
                sound += 1
            else:
                damaged.append(entry.key)
        cache.remove(damaged)
    return CacheCheck(
        path=str(path),
        replies=sound,
        removed=tuple(damaged),
        set_aside=None if aside == path else str(aside),
    )


def export_cache(folder: Path, path: Path, keys: Collection[str] | None = None) -> int:
    """Write the replies to `path` (only those of `keys`, where given); returns how many."""
    count = 0
    with (
        _existing(folder) as cache,
        replacing(path) as temporary,
        _writer(temporary, zipped=path.suffix == ".gz") as file,
    ):
        for entry in cache.entries():
            if entry.is_sound and (keys is None or entry.key in keys):
                file.write(_line(entry))
                count += 1
    return count


def import_cache(folder: Path, path: Path) -> CacheImport:
    """Add the replies of an export; those that are there already stay as they are.

    All or nothing: raises `InputError` with the first line that is not sound.
    """
    read = 0

    def counted() -> Iterator[Entry]:
        nonlocal read
        for entry in _read(path):
            read += 1
            yield entry

    with ResponseCache(folder) as cache:
        added = cache.add(counted())
    return CacheImport(read=read, added=added, present=read - added)


def _existing(folder: Path) -> ResponseCache:
    if not (folder / FILE_NAME).is_file():
        raise CacheError(f"there is no cache at {str(folder / FILE_NAME)!r}")
    return ResponseCache(folder)


def _line(entry: Entry) -> bytes:
    return (
        canonical_json(
            {
                "key": entry.key,
                "task": entry.task,
                "model": entry.model,
                "request": orjson.Fragment(entry.identity),
                "reply": orjson.Fragment(entry.reply),
            }
        )
        + b"\n"
    )


def _read(path: Path) -> Iterator[Entry]:
    try:
        with _reader(path) as file:
            for number, line in enumerate(file, start=1):
                yield _entry(path, number, line)
    except FileNotFoundError as error:
        raise InputError(f"{str(path)!r} does not exist") from error
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{str(path)!r} cannot be read: {error}") from error


def _entry(path: Path, number: int, line: bytes) -> Entry:
    try:
        values: dict[str, Any] = orjson.loads(line)
        reply = canonical_json(values["reply"])
        reply_of(reply)
        entry = Entry(
            key=values["key"],
            task=str(values["task"]),
            model=str(values["model"]),
            identity=canonical_json(values["request"]),
            reply=reply,
            checksum=sha256(reply),
        )
    except (orjson.JSONDecodeError, KeyError, TypeError, ValueError) as error:
        raise InputError(f"{str(path)!r}, line {number}: no reply of an export: {error}") from error
    if not entry.is_sound:
        raise InputError(
            f"{str(path)!r}, line {number}: the request does not have the key {entry.key!r}; the "
            "file was changed, or made by a version that names its requests otherwise"
        )
    return entry


@contextmanager
def _writer(path: Path, *, zipped: bool) -> Iterator[IO[bytes]]:
    with path.open("wb") as file:
        if not zipped:
            yield file
            return
        # No name and no time inside: equal caches give equal bytes.
        with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
            yield cast("IO[bytes]", packed)


def _reader(path: Path) -> IO[bytes]:
    if path.suffix == ".gz":
        return cast("IO[bytes]", gzip.open(path, "rb"))
    return path.open("rb")
