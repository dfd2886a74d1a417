"""A whole offline build of a real corpus, and what DVC adds when there is nothing to do."""

from __future__ import annotations

import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.rows import Row

ROOT = Path(__file__).resolve().parents[1]
CORPUS = ROOT.parent / "shared" / "data" / "corpora" / "django_rst"
BUNDLED = ROOT / "data" / "corpus"
"""Used where the real corpus is absent."""

MOST_SECONDS = 180
MOST_TIMES_STATUS = 2.0
TURNS = 5


def run() -> list[Row]:
    with tempfile.TemporaryDirectory(prefix="goldsmith-bench-") as folder:
        return [*_whole_build(Path(folder)), _nothing_to_do(Path(folder) / "project")]


def _whole_build(folder: Path) -> list[Row]:
    """`goldsmith build` of 617 documents; the target is for two cores with nothing else."""
    corpus = CORPUS if CORPUS.is_dir() else BUNDLED
    seconds = _timed("goldsmith.cli", "build", "--corpus", corpus, "--out", folder / "out")
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1e3
    return [
        Row(
            name=f"build.offline.{corpus.name}",
            value=seconds,
            unit="s",
            target=f"<= {MOST_SECONDS} on two cores",
            ok=seconds <= MOST_SECONDS,
        ),
        Row(name="build.offline.peak", value=peak, unit="MB", target="", ok=None),
    ]


def _nothing_to_do(project: Path) -> Row:
    """A second `dvc repro` beside `dvc status`, by turns, on a project that is up to date."""
    _timed("goldsmith.cli", "init", project)
    for page in sorted(BUNDLED.rglob("*.md"))[:6]:
        shutil.copy(page, project / "data" / "corpus" / f"{page.parent.name}-{page.name}")
    _timed("dvc", "repro", "--quiet", cwd=project)
    pairs = [
        (_timed("dvc", "repro", cwd=project), _timed("dvc", "status", cwd=project))
        for _ in range(TURNS)
    ]
    ratio = statistics.median(repro for repro, _ in pairs) / statistics.median(
        status for _, status in pairs
    )
    return Row(
        name="build.repro_nothing_to_do",
        value=ratio,
        unit="x dvc status",
        target=f"< {MOST_TIMES_STATUS:g}",
        ok=ratio < MOST_TIMES_STATUS,
    )


def _timed(module: str, *arguments: str | Path, cwd: Path = ROOT) -> float:
    """Seconds of a command from its start to its end; its output is shown when it fails."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", module, *map(str, arguments)],
        cwd=cwd,
        env=os.environ | {"PATH": path, "DVC_NO_ANALYTICS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    seconds = time.perf_counter() - start
    if done.returncode:
        raise RuntimeError(f"{module} {arguments}: {done.stdout}{done.stderr}")
    return seconds
