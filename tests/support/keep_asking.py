"""A process that asks many questions: to be killed, or to be run twice at once.

`python -m tests.support.keep_asking URL FOLDER COUNT CONCURRENCY [MODE]`
"""

from __future__ import annotations

import sys
from pathlib import Path

from goldsmith.llm.clock import SystemClock
from goldsmith.settings import CallMode
from tests.support.asking import Asker, questions


def main() -> None:
    url, folder, count, concurrency, *mode = sys.argv[1:]
    asker = Asker(Path(folder) / "prompts", Path(folder) / "cache")
    options = {"mode": CallMode(mode[0])} if mode else {}
    outcomes = asker.ask(
        url, questions(int(count)), concurrency=int(concurrency), clock=SystemClock(), **options
    )
    print(sum(outcome.value is not None for outcome in outcomes), flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
