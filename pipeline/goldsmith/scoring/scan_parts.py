"""Scan a large run file in several processes: parsing text is all the cost, and it divides.

The helpers are fresh interpreters that run this module, so that a caller's script is not run again
and no thread is forked. This process scans too. Whatever is not in order, here or there, makes the
attempt void: the file is then scanned in one piece, which finds and names it.
"""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from array import array
from collections import deque
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Self

import msgspec
import numpy as np

from goldsmith.scoring.scan import Scan, ScanRules
from goldsmith.scoring.scanners import scan_part, scan_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import IO

    from goldsmith.scoring.gold import Gold, GoldQuery, Ints

log = logging.getLogger(__name__)

WORTH_BYTES = 48 << 20
"""Below this the start of an interpreter costs more than it saves."""
MOST_QUERIES = 250_000
"""Every helper holds gold: above this, memory is dearer than time."""
_PARTS_A_WORKER = 4
_LENGTH_BYTES = 8

Bounds = tuple[int, int]


class _Job(msgspec.Struct, frozen=True):
    """What a helper needs to know; MessagePack, because pickle holds everything twice."""

    path: str
    query_ids: list[str]
    offsets: bytes
    chunk_ids: list[str]
    rules: ScanRules

    @classmethod
    def of(cls, path: Path, gold: Gold, rules: ScanRules) -> Self:
        offsets = gold.offsets.astype(np.int64).tobytes()
        return cls(str(path), gold.query_ids, offsets, list(gold.chunk_ids), rules)

    def judged(self) -> _Judged:
        offsets = np.frombuffer(self.offsets, dtype=np.int64)
        return _Judged(_numbered(self.query_ids), offsets, self.chunk_ids)


def _numbered(query_ids: list[str]) -> dict[str, int]:
    return {query_id: number for number, query_id in enumerate(query_ids)}


@dataclass(frozen=True, slots=True)
class _Judged:
    """Gold as far as a scan looks at it; the whole would cost a helper pydantic and a second."""

    numbers: Mapping[str, int]
    offsets: Ints
    chunk_ids: Sequence[str]
    source: str = ""
    details: Mapping[int, GoldQuery] = field(default_factory=dict)
    load_corpus: None = None

    def __len__(self) -> int:
        return len(self.offsets) - 1


class _Found(msgspec.Struct, frozen=True):
    """The scan of a part, on its way back; None where something was not in order."""

    arrays: dict[str, bytes] | None
    counts: dict[str, int] = {}

    @classmethod
    def of(cls, scan: Scan | None) -> Self:
        if scan is None:
            return cls(None)
        arrays = {name: bytes(getattr(scan, name)) for name in ("answered", *_ARRAYS)}
        return cls(arrays, {name: getattr(scan, name) for name in _COUNTS})

    def scan(self) -> Scan | None:
        if self.arrays is None:
            return None
        arrays = {name: array("i", self.arrays[name]) for name in _ARRAYS}
        return Scan(answered=bytearray(self.arrays["answered"]), **arrays, **self.counts)  # type: ignore[arg-type]


_ARRAYS = (
    "lengths",
    "places",
    "ranks",
    "tie_starts",
    "tie_sizes",
    "copy_owners",
    "copy_ranks",
)
_COUNTS = ("duplicates", "extra", "with_answers")


def scan_run(
    path: Path, gold: Gold, rules: ScanRules | None = None, *, workers: int | None = None
) -> Scan:
    """Scan a run file of either kind.

    A large file is read by `workers` processes (None: one a processor) that give the same scan.
    Raises `InputError` with every fault of the file, and when no query of gold is in the run.
    """
    rules = rules or ScanRules()
    found = scan_in_parts(path, gold, rules, workers=workers)
    return scan_whole(path, gold, rules) if found is None else found


def scan_in_parts(
    path: Path, gold: Gold, rules: ScanRules, *, workers: int | None = None
) -> Scan | None:
    """The scan of the whole file, or None when it is not worth it or did not come off."""
    count = workers or _processors()
    if count < 2 or gold.details or len(gold) > MOST_QUERIES:  # noqa: PLR2004 - several
        return None
    if not path.is_file() or (workers is None and path.stat().st_size < WORTH_BYTES):
        return None
    parts = deque(pairwise(part_bounds(path, count * _PARTS_A_WORKER)))
    found: list[Scan | None] = []
    with ExitStack() as stack:
        job = _Job.of(path, gold, rules)
        helpers = [stack.enter_context(_Helper(job, parts, found)) for _ in range(count - 1)]
        _drain(parts, found, lambda bounds: scan_part(path, gold, rules, *bounds))
        for helper in helpers:
            helper.join()
    return _merged(found)


def part_bounds(path: Path, parts: int) -> list[int]:
    """Offsets that cut a file between lines, and between the queries of a TREC run."""
    size = path.stat().st_size
    with path.open("rb") as file:
        wanted = (size * part // parts for part in range(1, parts))
        return sorted({0, size, *(_next_beginning(file, offset) for offset in wanted)})


def _next_beginning(file: IO[bytes], offset: int) -> int:
    """Where the first record, or the first list of another query, begins behind an offset."""
    file.seek(offset)
    file.readline()
    place = file.tell()
    first: list[bytes] = []
    while line := file.readline():
        query = line.split(None, 1)[:1]
        if line[:1] in b"{[" or (first and query and query != first):
            return place
        first, place = first or query, file.tell()
    return place


def _processors() -> int:
    """Those that this process may use, where the system says."""
    allowed = getattr(os, "sched_getaffinity", None)
    return len(allowed(0)) if allowed else os.cpu_count() or 1


def _drain(
    parts: deque[Bounds], found: list[Scan | None], scan: Callable[[Bounds], Scan | None]
) -> None:
    """Scan parts until there are none left; one that is void voids the others."""
    while True:
        try:
            bounds = parts.popleft()
        except IndexError:
            return
        found.append(scan(bounds))
        if found[-1] is None:
            parts.clear()


class _Helper:
    """A process that scans parts, and the thread that hands them over."""

    def __init__(self, job: _Job, parts: deque[Bounds], found: list[Scan | None]) -> None:
        self._job, self._parts, self._found = job, parts, found
        self._process = subprocess.Popen(  # noqa: S603 - this interpreter, this module
            [sys.executable, "-m", __name__], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self._thread = Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe:
                pipe.close()

    def join(self) -> None:
        self._thread.join()

    def _run(self) -> None:
        try:
            self._send(self._job)
            _drain(self._parts, self._found, self._ask)
        except (OSError, EOFError, msgspec.DecodeError) as error:
            log.warning("a process that helped to scan %s ended early: %r", self._job.path, error)
            self._found.append(None)
            self._parts.clear()

    def _ask(self, bounds: Bounds) -> Scan | None:
        self._send(bounds)
        assert self._process.stdout is not None
        return msgspec.msgpack.decode(_receive(self._process.stdout), type=_Found).scan()

    def _send(self, value: object) -> None:
        assert self._process.stdin is not None
        _send(self._process.stdin, value)


def _send(pipe: IO[bytes], value: object) -> None:
    message = msgspec.msgpack.encode(value)
    pipe.write(len(message).to_bytes(_LENGTH_BYTES, "big") + message)
    pipe.flush()


def _receive(pipe: IO[bytes]) -> bytes:
    """The next message; raises `EOFError` when the other side is gone."""
    length = pipe.read(_LENGTH_BYTES)
    if len(length) < _LENGTH_BYTES:
        raise EOFError("no further message")
    return pipe.read(int.from_bytes(length, "big"))


def _merged(found: list[Scan | None]) -> Scan | None:
    first, *others = found
    if first is None:
        return None
    for other in others:
        if other is None or not first.merge(other):
            return None
    # Only a scan of the whole can say that nothing of it is in gold.
    return first if any(first.answered) else None


def serve() -> None:
    """What a helper does: take a job, then bounds until there are no more."""
    job = msgspec.msgpack.decode(_receive(sys.stdin.buffer), type=_Job)
    path, gold = Path(job.path), job.judged()
    while True:
        try:
            bounds = msgspec.msgpack.decode(_receive(sys.stdin.buffer), type=Bounds)
        except EOFError:
            return
        _send(sys.stdout.buffer, _Found.of(scan_part(path, gold, job.rules, *bounds)))


if __name__ == "__main__":
    serve()
