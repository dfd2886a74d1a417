"""The language-model stack beside a bare AsyncOpenAI loop, against an endpoint on this machine.

The endpoint and each contestant run in processes of their own. `ideal` is what an endpoint with
this latency allows when the client costs nothing: calls / concurrency x latency.
"""

from __future__ import annotations

import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import orjson

from benchmarks.rows import Row

if TYPE_CHECKING:
    from collections.abc import Iterator

LATENCY = 0.2
WIDTHS = ((64, 2_000, 1.10), (256, 8_000, 1.25))
"""Calls at once, calls, and the most that wall time may be of the ideal."""
CACHED_CALLS, CACHED_RATE = 5_000, 5_000
PENDING, MEGABYTES = 20_000, 250


def run() -> list[Row]:
    rows: list[Row] = []
    with endpoint(LATENCY) as url:
        for width, calls, target in WIDTHS:
            rows += beside_bare(url, width, calls, target)
    with endpoint(0.0) as url:
        rate = CACHED_CALLS / measure("cached", url, CACHED_CALLS, 64)["seconds"]
        rows.append(row("cached_calls", rate, "calls/s", f">= {CACHED_RATE}", rate >= CACHED_RATE))
        peak = measure("pending", url, PENDING, 64)["megabytes"]
        rows.append(row("pending_memory", peak, "MB", f"< {MEGABYTES}", peak < MEGABYTES))
    return rows


def beside_bare(url: str, width: int, calls: int, target: float) -> list[Row]:
    ideal = calls / width * LATENCY
    of_bare = measure("bare", url, calls, width)
    of_ours = measure("goldsmith", url, calls, width)
    bare, ours = of_bare["seconds"], of_ours["seconds"]
    return [
        row(f"wall_{width}", ours / ideal, "x ideal", f"<= {target}", ours / ideal <= target),
        row(f"bare_{width}", bare / ideal, "x ideal", "", None),
        row(f"beside_bare_{width}", ours / bare, "x bare", "<= 1", ours <= bare),
        row(f"cpu_{width}", of_ours["cpu_ms"], "ms a call", "", None),
        row(f"bare_cpu_{width}", of_bare["cpu_ms"], "ms a call", "", None),
    ]


def row(name: str, value: float, unit: str, target: str, ok: bool | None) -> Row:
    return Row(name=f"llm.{name}", value=value, unit=unit, target=target, ok=ok)


@contextmanager
def endpoint(latency: float) -> Iterator[str]:
    """The URL of a loopback endpoint in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.llm_endpoint", str(latency)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        yield server.stdout.readline().strip()
        server.stdin.close()


def measure(name: str, url: str, calls: int, concurrency: int) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.llm_runners", name, url]
    done = subprocess.run([*command, str(calls), str(concurrency)], check=True, capture_output=True)
    result: dict[str, float] = orjson.loads(done.stdout)
    return result
