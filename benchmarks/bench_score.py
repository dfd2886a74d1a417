"""Scoring beside pytrec_eval, ir_measures and ranx: the same rankings, from files to figures.

Each scorer runs in a process of its own. The peers read the TREC run; goldsmith reads JSON Lines in
each of its forms (bare ids, objects, objects with scores) and, for comparison, the very TREC file.
Runs alternate, and the best of each counts: what else a machine does is no property of a scorer.
"""

from __future__ import annotations

import contextlib
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import orjson

from benchmarks.judge_calls import GATES, calls_a_claim
from benchmarks.rows import Row

if TYPE_CHECKING:
    from collections.abc import Iterator

QUERIES = 100_000
MANY_QUERIES = 1_000_000
DEPTH = 100
CORPUS = 1_000_000
SEED = 7
SAMPLE_SECONDS = 0.02
ROUNDS = 3

Measured = dict[str, Any]
"""`seconds`, `megabytes`, `means`."""


@dataclass(frozen=True, slots=True)
class Files:
    """One set of rankings in every format."""

    qrels: Path
    ids: Path
    objects: Path
    scored: Path
    trec: Path


def run(queries: int = QUERIES, many: int = MANY_QUERIES) -> list[Row]:
    """All rows; needs about three gigabytes of disk for the files, for a while."""
    with tempfile.TemporaryDirectory(prefix="goldsmith-bench-") as folder:
        files = write_files(Path(folder), queries)
        rows = [*_beside_peers(files), *_many(Path(folder), files, queries, many)]
    permutation = measure("permutation", Path(), Path())
    rows.append(_at_most("permutation_100k_megabytes", permutation["megabytes"], "MB", 300))
    return [*rows, *_judged()]


def _beside_peers(files: Files) -> Iterator[Row]:
    forms = {"ids": files.ids, "objects": files.objects, "scored": files.scored}
    theirs, ours = _alternating(files, forms | {"trec": files.trec})
    yield _plain("pytrec_eval_seconds", theirs["seconds"], "s")
    yield _plain("pytrec_eval_megabytes", theirs["megabytes"], "MB")
    for name in forms:
        faster = theirs["seconds"] / ours[name]["seconds"]
        share = ours[name]["megabytes"] / theirs["megabytes"]
        yield _plain(f"{name}_seconds", ours[name]["seconds"], "s")
        if name == "scored":
            yield _plain("scored_vs_pytrec_eval", faster, "x faster")
        else:
            yield _at_least(f"{name}_vs_pytrec_eval", faster, "x faster", 10)
        yield _at_most(f"{name}_memory_vs_pytrec_eval", share, "of its memory", 0.1)
    faster = theirs["seconds"] / ours["trec"]["seconds"]
    yield _plain("trec_vs_pytrec_eval", faster, "x faster, same file")
    apart = max(
        abs(one["means"][name] - value)
        for one in ours.values()
        for name, value in theirs["means"].items()
    )
    yield _at_most("difference_from_pytrec_eval", apart, "largest, of means", 1e-9)
    for peer in ("ir_measures", "ranx"):
        found = measure(peer, files.qrels, files.trec)
        yield _plain(f"ids_vs_{peer}", found["seconds"] / ours["ids"]["seconds"], "x faster")
        share = ours["ids"]["megabytes"] / found["megabytes"]
        yield _plain(f"ids_memory_vs_{peer}", share, "of its memory")


def _judged() -> Iterator[Row]:
    calls, repeated = calls_a_claim(wrong_every=None)
    more, repeated_more = calls_a_claim(wrong_every=5)
    yield _at_most("judged_calls", calls, "a claim that holds", GATES)
    yield _plain("judged_calls_a_fifth_fails", more, "a claim, five passages each")
    yield _at_most("judged_asked_twice", repeated + repeated_more, "questions", 0)


def _alternating(files: Files, runs: dict[str, Path]) -> tuple[Measured, dict[str, Measured]]:
    """(pytrec_eval, goldsmith by run file), each the best of `ROUNDS` rounds."""
    theirs: list[Measured] = []
    ours: dict[str, list[Measured]] = {name: [] for name in runs}
    for _ in range(ROUNDS):
        theirs.append(measure("pytrec_eval", files.qrels, files.trec))
        for name, path in runs.items():
            ours[name].append(measure("goldsmith", files.qrels, path))
    return _best(theirs), {name: _best(found) for name, found in ours.items()}


def _best(found: list[Measured]) -> Measured:
    """The shortest time, and the largest memory."""
    quickest = min(found, key=lambda one: float(one["seconds"]))
    return quickest | {"megabytes": max(one["megabytes"] for one in found)}


def _many(folder: Path, files: Files, queries: int, many: int) -> Iterator[Row]:
    """Ten times the queries, in one process both times."""
    few = _best([measure("goldsmith", files.qrels, files.ids, workers=1) for _ in range(ROUNDS)])
    for path in (files.objects, files.scored, files.trec):
        path.unlink()
    larger = write_files(folder / "many", many, only_ids=True)
    found = _best([measure("goldsmith", larger.qrels, larger.ids, workers=1) for _ in range(2)])
    growth = (found["seconds"] / many) / (few["seconds"] / queries)
    yield _plain("many_seconds", found["seconds"], "s")
    yield _at_most("many_megabytes", found["megabytes"], "MB", 500)
    yield _at_most("many_time_a_query", growth, "of that at a tenth", 1.25)


def measure(runner: str, qrels: Path, run: Path, workers: int | None = None) -> Measured:
    """What `score_runners` prints, and the peak memory of it and its helpers in `megabytes`."""
    command = [sys.executable, "-m", "benchmarks.score_runners", runner, str(qrels), str(run)]
    if workers is not None:
        command.append(str(workers))
    root = Path(__file__).resolve().parents[1]
    peak = 0.0
    with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE) as process:
        while process.poll() is None:
            peak = max(peak, resident_megabytes(process.pid))
            time.sleep(SAMPLE_SECONDS)
        printed = process.stdout.read() if process.stdout else b""
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    found: Measured = orjson.loads(printed.splitlines()[-1])
    return found | {"megabytes": peak}


def resident_megabytes(pid: int) -> float:
    """Memory that a process and its descendants hold at this moment (Linux)."""
    pages = 0
    waiting = [pid]
    while waiting:
        folder = Path("/proc") / str(waiting.pop())
        # A process may end while it is looked at.
        with contextlib.suppress(OSError):
            pages += int((folder / "statm").read_text().split()[1])
            for task in (folder / "task").iterdir():
                waiting += map(int, (task / "children").read_text().split())
    return pages * resource.getpagesize() / (1 << 20)


def write_files(folder: Path, queries: int, *, only_ids: bool = False) -> Files:
    """Draw rankings: 100 of a million chunks a query, one to three of them relevant."""
    folder.mkdir(exist_ok=True)
    names = ("gold.qrels", "ids.jsonl", "objects.jsonl", "scored.jsonl", "run.trec")
    files = Files(*(folder / name for name in names))
    rng = np.random.default_rng(SEED)
    with contextlib.ExitStack() as stack:
        qrels, ids, objects, scored, trec = (
            stack.enter_context((folder / name).open("wb")) for name in names
        )
        for number in range(queries):
            query_id = f"q{number}"
            chunks = [f"d{n}" for n in dict.fromkeys(rng.integers(CORPUS, size=DEPTH).tolist())]
            ids.write(_line(query_id, chunks))
            for chunk in _relevant(rng, chunks):
                qrels.write(f"{query_id} 0 {chunk} 1\n".encode())
            if only_ids:
                continue
            # Distinct scores, so that every scorer has the same order.
            scores = (np.sort(rng.choice(1 << 20, DEPTH, replace=False))[::-1] / 1024).tolist()
            pairs = list(zip(chunks, scores, strict=False))
            objects.write(_line(query_id, [{"chunk_id": chunk} for chunk in chunks]))
            scored.write(_line(query_id, [{"chunk_id": c, "score": s} for c, s in pairs]))
            rows = (f"{query_id} Q0 {c} {r} {s!r} bench\n" for r, (c, s) in enumerate(pairs, 1))
            trec.write("".join(rows).encode())
    return files


def _line(query_id: str, retrieved: list[Any]) -> bytes:
    record = {"query_id": query_id, "retrieved": retrieved}
    return orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE)


def _relevant(rng: np.random.Generator, chunks: list[str]) -> list[str]:
    """The first at a rank that favours the top, the others anywhere, or not retrieved at all."""
    wanted = int(rng.integers(1, 4))
    first = chunks[min(int(rng.exponential(8)), len(chunks) - 1)]
    others = [chunks[int(rng.integers(len(chunks)))] for _ in range(wanted - 1)]
    absent = [f"absent{int(rng.integers(CORPUS))}"] if wanted > 1 else []
    return list(dict.fromkeys([first, *others[1:], *absent]))


def _plain(name: str, value: float, unit: str) -> Row:
    return Row(name=f"score.{name}", value=value, unit=unit, target="", ok=None)


def _at_least(name: str, value: float, unit: str, target: float) -> Row:
    return Row(
        name=f"score.{name}", value=value, unit=unit, target=f">= {target:g}", ok=value >= target
    )


def _at_most(name: str, value: float, unit: str, target: float) -> Row:
    return Row(
        name=f"score.{name}", value=value, unit=unit, target=f"<= {target:g}", ok=value <= target
    )
