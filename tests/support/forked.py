"""The command line in processes of its own, without the seconds that each start costs.

One process imports everything and waits; each command is a fork of it, with its own arguments,
environment and streams, that can be killed like any other::

    with Forked() as forked:
        running = forked.start("build", "--corpus", ..., env={"GOLDSMITH_CACHE": ...})
        os.kill(running.pid, signal.SIGKILL)
        assert running.wait().status == -9

POSIX only.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import traceback
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Self

from tests.support.command import ROOT, Finished

_STEPS = ("chunk", "sample", "generate", "critique", "select", "complete", "probe", "freeze")
_MODULES = (
    *(f"goldsmith.cli.steps.{step}" for step in _STEPS),
    *("goldsmith.cli.main", "goldsmith.llm.opening", "goldsmith.llm.cache_upkeep"),
    *("aiohttp", "bm25s", "langchain_text_splitters", "openai"),
    "pandas",  # which pyarrow loads when it first writes a table
)


@dataclass(frozen=True, slots=True)
class Running:
    pid: int
    _forked: Forked
    _streams: Path

    def wait(self) -> Finished:
        status = self._forked.say({"wait": self.pid})
        texts = (self._streams / f"{self.pid}.{name}" for name in ("out", "err"))
        return Finished(status, *(text.read_text("utf-8") for text in texts))


class Forked:
    """A context manager; the environment holds no key and nothing of the user's own cache."""

    def __enter__(self) -> Self:
        self._folder = TemporaryDirectory()
        inherited = {k: v for k, v in os.environ.items() if not k.startswith(("OPENAI_", "HF_"))}
        self._mother = subprocess.Popen(
            [sys.executable, "-m", "tests.support.forked", self._folder.name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env=inherited | {"COLUMNS": "200", "PYTHONPATH": str(ROOT)},
        )
        return self

    def __exit__(self, *_: object) -> None:
        self._mother.communicate()
        self._folder.cleanup()

    def start(
        self,
        *arguments: str | Path,
        env: dict[str, str],
        impatient: bool = False,
        most_bytes: int | None = None,
    ) -> Running:
        """`goldsmith ARGUMENTS`.

        `impatient`: hardly any wait is slept through. `most_bytes`: of a file, as on a full disk.
        """
        order = {
            "arguments": [str(argument) for argument in arguments],
            "env": env,
            "impatient": impatient,
            "most_bytes": most_bytes,
        }
        return Running(self.say(order), self, Path(self._folder.name))

    def run(self, *arguments: str | Path, **options: Any) -> Finished:  # noqa: ANN401 - of `start`
        return self.start(*arguments, **options).wait()

    def say(self, order: dict[str, Any]) -> int:
        assert self._mother.stdin is not None
        assert self._mother.stdout is not None
        self._mother.stdin.write(json.dumps(order) + "\n")
        self._mother.stdin.flush()
        return int(self._mother.stdout.readline())


def main() -> None:
    from importlib import import_module  # noqa: PLC0415 - only in the process that forks

    streams = Path(sys.argv[1])
    for name in _MODULES:
        import_module(name)
    source = import_module("goldsmith.cli.steps.source")
    for step in _STEPS:
        source.code_digest(step)  # read and parsed once for all
    for line in sys.stdin:
        order = json.loads(line)
        if "wait" in order:
            answer = os.waitstatus_to_exitcode(os.waitpid(order["wait"], 0)[1])
        else:
            answer = os.fork()
            if not answer:
                _become(order, streams)
        print(answer, flush=True)  # noqa: T201 - how the test learns it


def _become(order: dict[str, Any], streams: Path) -> None:
    """Be the command; never returns."""
    status = 1
    try:
        for number, name in ((1, "out"), (2, "err")):
            flags = os.O_WRONLY | os.O_CREAT
            os.dup2(os.open(streams / f"{os.getpid()}.{name}", flags), number)
        os.environ.update(order["env"])
        if order["impatient"]:
            _make_impatient()
        if order["most_bytes"] is not None:
            import resource  # noqa: PLC0415 - POSIX

            resource.setrlimit(resource.RLIMIT_FSIZE, (order["most_bytes"],) * 2)
        from goldsmith.cli.main import main as command  # noqa: PLC0415 - imported by now

        sys.argv = ["goldsmith", *order["arguments"]]
        command()
        status = 0
    except SystemExit as ended:
        status = ended.code if isinstance(ended.code, int) else 0
    except BaseException:  # noqa: BLE001 - a fork must not go on with its mother's work
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _make_impatient() -> None:
    from goldsmith.llm.clock import SystemClock  # noqa: PLC0415 - imported by now

    async def sleep(_: SystemClock, seconds: float) -> None:
        await asyncio.sleep(min(seconds, 0.01))

    SystemClock.sleep = sleep  # type: ignore[method-assign, assignment]


if __name__ == "__main__":
    main()
