"""Ask an endpoint as a build does: a prompt, a cache, and any number of runs on them."""

from __future__ import annotations

import asyncio
import heapq
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from goldsmith.engine.local import LocalEngine
from goldsmith.llm.opening import open_model
from goldsmith.llm.tasks import STANDALONE, RatingReply, StandaloneVariables
from goldsmith.settings import ModelKind, ModelSettings, RuntimeSettings

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence
    from pathlib import Path

    from goldsmith.llm.clock import Clock
    from goldsmith.llm.prompted import PromptedModel
    from goldsmith.llm.retrying import Patience
    from goldsmith.llm.session import Session
    from goldsmith.llm.task import Outcome

PROMPT = """---
task: critique/standalone
summary: Can the question be understood on its own?
temperature: 0.0
max_tokens: 300
---
## system
You rate questions. Reply in JSON.
## user
Question: {{ question }}
"""
GOOD = '{"rationale": "clear", "rating": 4}'
KEY = "sk-planted-secret-0123456789"


class ManualClock:
    """Time that passes only when everybody waits for it: it then moves on to the first to wake."""

    _PATIENCE = 10
    """Turns of the event loop in which somebody may still have something to do."""

    def __init__(self, wall: float = 1_800_000_000.0) -> None:
        self.time = 0.0
        self.waits: list[float] = []
        self._wall = wall
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._turning: asyncio.AbstractEventLoop | None = None

    def now(self) -> float:
        return self.time

    def wall(self) -> float:
        return self._wall + self.time

    def set_wall(self, wall: float) -> None:
        """Let the clock on the wall jump, as after a suspend or a correction by the network."""
        self._wall = wall - self.time

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        loop = asyncio.get_running_loop()
        future: asyncio.Future[None] = loop.create_future()
        heapq.heappush(self._sleepers, (self.time + seconds, len(self.waits), future))
        self._turn(loop)
        await future

    def _turn(self, loop: asyncio.AbstractEventLoop) -> None:
        if self._turning is not loop:
            self._turning = loop
            loop.call_soon(self._tick, loop, self._PATIENCE)

    def _tick(self, loop: asyncio.AbstractEventLoop, left: int) -> None:
        if left:
            loop.call_soon(self._tick, loop, left - 1)
            return
        self._turning = None
        while self._sleepers:
            time, _, future = heapq.heappop(self._sleepers)
            if not future.done():
                self.time = max(self.time, time)
                future.set_result(None)
                break
        if self._sleepers:
            self._turn(loop)


def questions(count: int) -> list[str]:
    return [f"What is item {number}?" for number in range(count)]


@dataclass(frozen=True)
class Asker:
    """Runs that share prompts and a cache."""

    prompts: Path
    cache: Path

    @asynccontextmanager
    async def model(
        self,
        url: str,
        *,
        clock: Clock | None = None,
        patience: Patience | None = None,
        session: Session | None = None,
        **runtime: Any,  # noqa: ANN401 - any of the settings
    ) -> AsyncIterator[PromptedModel]:
        async with open_model(
            ModelSettings(kind=ModelKind.OPENAI, name="small-model"),
            RuntimeSettings(base_url=url, **runtime),
            prompts_folder=self.prompts,
            cache_folder=self.cache,
            clock=clock or ManualClock(),
            patience=patience,
            session=session,
        ) as model:
            yield model

    def ask(
        self,
        url: str,
        asked: Sequence[str] = ("What is the limit?",),
        **options: Any,  # noqa: ANN401 - as `model` takes them
    ) -> list[Outcome[RatingReply]]:
        """Each question in a call of its own, as many at a time as the settings say."""

        async def run() -> list[Outcome[RatingReply]]:
            async with self.model(url, **options) as model:

                async def one(question: str) -> Outcome[RatingReply]:
                    return await model.run(STANDALONE, StandaloneVariables(question=question))

                return await LocalEngine(options.get("concurrency", 8)).map(one, asked)

        return asyncio.run(run())


def write_prompt(folder: Path) -> Path:
    (folder / "critique").mkdir(parents=True)
    (folder / "critique" / "standalone.md").write_text(PROMPT, "utf-8")
    return folder
