"""The model that a measurement asks: the offline one, or one at an endpoint."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from goldsmith.llm.opening import open_model
from goldsmith.settings import ModelSettings, RuntimeSettings

if TYPE_CHECKING:
    import argparse
    from collections.abc import AsyncIterator, Callable, Coroutine

    from goldsmith.llm.task import Model

ROOT = Path(__file__).resolve().parents[1]


def add_model_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--model", choices=("offline", "openai"), default="offline")
    parser.add_argument("--model-name", default="offline")
    parser.add_argument("--base-url")
    parser.add_argument("--concurrency", type=int, default=1)
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--timeout", type=float, default=120, help="seconds for one attempt")


@asynccontextmanager
async def opened(
    arguments: argparse.Namespace, offline: Callable[[], Model]
) -> AsyncIterator[Model]:
    """The model that the options name; its replies are kept, so that a run can go on."""
    if arguments.model == "offline":
        yield offline()
        return
    cache = arguments.cache or Path(tempfile.gettempdir()) / "goldsmith-bench"
    async with open_model(
        ModelSettings.model_validate({"kind": "openai", "name": arguments.model_name}),
        RuntimeSettings(
            base_url=arguments.base_url,
            concurrency=arguments.concurrency,
            timeout_seconds=arguments.timeout,
            retry_seconds=2 * arguments.timeout,
        ),
        prompts_folder=ROOT / "prompts",
        cache_folder=cache,
    ) as model:
        yield model


def ask(
    parser: argparse.ArgumentParser,
    measure: Callable[[argparse.Namespace], Coroutine[None, None, None]],
) -> int:
    """Read the options and measure; exit status 2 where `--data` names no folder."""
    add_model_options(parser)
    arguments = parser.parse_args()
    if not arguments.data.is_dir():
        print(f"{arguments.data} is no folder: --data names that of the rows", file=sys.stderr)
        return 2
    asyncio.run(measure(arguments))
    return 0
