"""What a complete label costs to find: an index of a large corpus, and searches in it.

The corpus is generated: words of an invented language, as rare and as common as words are (Zipf).
Seconds are of processor time: one core does it all, and other work on the machine hardly counts.
"""

from __future__ import annotations

import asyncio
import random
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.rows import Row
from goldsmith.corpus.pooling import pooled
from goldsmith.corpus.search import Index
from goldsmith.records import Chunk

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[1]
CHUNKS = 100_000
SEARCHES = 10_000
WORDS = 120
DEPTH = 20
SEED = 7
MOST_SECONDS = 30
MOST_MEGABYTES = 1500
LEAST_RATE = 400
_VOCABULARY = 50_000


def run(chunks: int = CHUNKS, searches: int = SEARCHES) -> list[Row]:
    """A process of its own for each size, so that each says how much memory it took."""
    whole, quarter = _measured(chunks, searches), _measured(chunks // 4, searches // 4)
    # Of one search: a quarter of the searches were made in a quarter of the corpus.
    growth = whole["search"] / (4 * quarter["search"])
    linear = whole["first_half"] / whole["search"]
    rate = searches / whole["search"]
    return [
        _row("gold.index_seconds", whole["index"], "s", MOST_SECONDS),
        _row("gold.index_peak_memory", whole["megabytes"], "MB", MOST_MEGABYTES),
        Row(
            name="gold.pooled_searches",
            value=rate,
            unit="1/s",
            target=f">= {LEAST_RATE} on a quiet machine",
            ok=rate >= LEAST_RATE,
        ),
        _row("gold.search_in_four_times_the_corpus", growth, "x", 4),
        _row("gold.half_of_the_searches", linear, "of the time", 0.6),
    ]


def _row(name: str, value: float, unit: str, most: float) -> Row:
    return Row(name=name, value=value, unit=unit, target=f"< {most:g}", ok=value < most)


def _measured(chunks: int, searches: int) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.bench_gold", str(chunks), str(searches)]
    out = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    names = ("index", "megabytes", "search", "first_half")
    return dict(zip(names, map(float, out.split()), strict=True))


def _generated(count: int) -> Iterator[Chunk]:
    draw, numbers = random.Random(SEED), np.random.default_rng(SEED)
    letters = "abcdefghijklmnoprstu"
    words = ["".join(draw.choices(letters, k=draw.randint(3, 9))) for _ in range(_VOCABULARY)]
    # Content words alone: the head of the distribution, which stop words hold, is cut off.
    shares = 1 / (np.arange(_VOCABULARY) + 30.0)
    until = np.cumsum(shares / shares.sum())
    for number in range(count):
        drawn = np.minimum(np.searchsorted(until, numbers.random(WORDS)), _VOCABULARY - 1)
        text = " ".join(words[one] for one in drawn.tolist())
        yield Chunk(
            chunk_id=f"p-{number:07d}",
            doc_id="d",
            title="",
            section="",
            text=text,
            start=0,
            end=len(text),
            duplicate_group="g",
        )


def _asked(chunks: list[Chunk], count: int) -> list[tuple[str, str]]:
    """A question of 8 words and an answer of 4, from a place in a chunk: what a pool is made of."""
    draw = random.Random(SEED)
    asked: list[tuple[str, str]] = []
    for _ in range(count):
        words = draw.choice(chunks).text.split()
        start = draw.randrange(WORDS - 20)
        found = words[start : start + 20]
        asked.append((" ".join(draw.sample(found, 8)), " ".join(found[:4])))
    return asked


def _measure(count: int, searches: int) -> None:
    """Prints seconds of the index, peak megabytes, and seconds of all and half of the searches."""
    chunks = list(_generated(count))
    start = time.process_time()
    index = Index(chunks)
    indexed = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    asked = _asked(chunks, searches)
    asyncio.run(pooled([index], asked[:1], DEPTH))  # compiled once, not in each search
    seconds: list[float] = []
    for part in (asked[: searches // 2], asked[searches // 2 :]):
        start = time.process_time()
        asyncio.run(pooled([index], part, DEPTH))
        seconds.append(time.process_time() - start)
    print(indexed, peak, sum(seconds), seconds[0])


if __name__ == "__main__":
    _measure(int(sys.argv[1]), int(sys.argv[2]))
