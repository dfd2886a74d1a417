"""Run the command line as a user does: another process, its exit status, its two streams."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Finished:
    status: int
    out: str
    err: str


def goldsmith(
    *arguments: str | Path, env: dict[str, str] | None = None, cwd: Path = ROOT
) -> Finished:
    """`goldsmith ARGUMENTS`; the environment holds no key and nothing of the user's own cache."""
    return run_module("goldsmith.cli", *arguments, env=env, cwd=cwd)


def run_module(
    module: str, *arguments: str | Path, env: dict[str, str] | None = None, cwd: Path = ROOT
) -> Finished:
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("OPENAI_", "HF_"))}
    done = subprocess.run(
        [sys.executable, "-m", module, *map(str, arguments)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=cwd,
        env=inherited | {"COLUMNS": "200", "PYTHONPATH": str(ROOT)} | (env or {}),
        check=False,
    )
    return Finished(done.returncode, done.stdout, done.stderr)
