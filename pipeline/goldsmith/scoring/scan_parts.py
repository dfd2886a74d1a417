"""Scan a large run file in several processes: parsing text is all the cost, and it divides.

The helpers are fresh interpreters that run this module, so that a caller's script is not run again
and no thread is forked. This process scans too. Whatever is not in order, here or there, makes the
attempt void: the file is then scanned in one piece, which finds and names it.
"""

from __future__ import annotations

import logging
import os
import pickle
import subprocess
import sys
from collections import deque
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import pairwise
from threading import Thread
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import BinaryIO

    from goldsmith.scoring.gold import Gold
    from goldsmith.scoring.scan import Scan, ScanRules

log = logging.getLogger(__name__)

WORTH_BYTES = 48 << 20
"""Below this the start of an interpreter costs more than it saves."""
MOST_QUERIES = 250_000
"""Every helper holds gold: above this, memory is dearer than time."""
_PARTS_A_WORKER = 4
_MODULE = "goldsmith.scoring.scan_parts"

Bounds = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Job:
    path: Path
    gold: Gold
    rules: ScanRules


def scan_in_parts(
    path: Path, gold: Gold, rules: ScanRules, *, workers: int | None = None
) -> Scan | None:
    """The scan of the whole file, or None when it is not worth it or did not come off."""
    count = workers or _processors()
    if count < 2 or gold.details or len(gold) > MOST_QUERIES:  # noqa: PLR2004 - several
        return None
    if workers is None and path.stat().st_size < WORTH_BYTES:
        return None
    # What a helper needs of gold can be sent; its readers of corpus and questions cannot.
    job = _Job(path, replace(gold, load_corpus=None, load_questions=None), rules)
    parts = deque(pairwise(part_bounds(path, count * _PARTS_A_WORKER)))
    found: list[Scan | None] = []
    with ExitStack() as stack:
        helpers = [stack.enter_context(_Helper(job, parts, found)) for _ in range(count - 1)]
        _drain(parts, found, lambda bounds: _scan(job, bounds))
        for helper in helpers:
            helper.join()
    return _merged(found)


def part_bounds(path: Path, parts: int) -> list[int]:
    """Offsets that cut a file between lines, and between the queries of a TREC run."""
    size = path.stat().st_size
    with path.open("rb") as file:
        wanted = (size * part // parts for part in range(1, parts))
        return sorted({0, size, *(_next_beginning(file, offset) for offset in wanted)})


def _next_beginning(file: BinaryIO, offset: int) -> int:
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


def _scan(job: _Job, bounds: Bounds) -> Scan | None:
    # It imports this module too.
    from goldsmith.scoring.scan import scan_part  # noqa: PLC0415 - see above

    return scan_part(job.path, job.gold, job.rules, *bounds)


class _Helper:
    """A process that scans parts, and the thread that hands them over."""

    def __init__(self, job: _Job, parts: deque[Bounds], found: list[Scan | None]) -> None:
        self._job, self._parts, self._found = job, parts, found
        self._process = subprocess.Popen(  # noqa: S603 - this interpreter, this module
            [sys.executable, "-m", _MODULE], stdin=subprocess.PIPE, stdout=subprocess.PIPE
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
        except (OSError, EOFError, pickle.UnpicklingError) as error:
            log.warning("a process that helped to scan %s ended early: %r", self._job.path, error)
            self._found.append(None)
            self._parts.clear()

    def _ask(self, bounds: Bounds) -> Scan | None:
        self._send(bounds)
        assert self._process.stdout is not None
        found: Scan | None = pickle.load(self._process.stdout)  # noqa: S301 - our own process
        return found

    def _send(self, value: object) -> None:
        assert self._process.stdin is not None
        pickle.dump(value, self._process.stdin, protocol=pickle.HIGHEST_PROTOCOL)
        self._process.stdin.flush()


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
    """What a helper does: read a job, then bounds until there are no more."""
    job = pickle.load(sys.stdin.buffer)  # noqa: S301 - from the process that started this one
    while True:
        try:
            bounds = pickle.load(sys.stdin.buffer)  # noqa: S301 - likewise
        except EOFError:
            return
        pickle.dump(_scan(job, bounds), sys.stdout.buffer, protocol=pickle.HIGHEST_PROTOCOL)
        sys.stdout.flush()


if __name__ == "__main__":
    serve()
