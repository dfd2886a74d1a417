"""What `bench_llm` measures, each in a process of its own: prints one JSON object.

python -m benchmarks.llm_runners NAME URL CALLS CONCURRENCY
"""

from __future__ import annotations

import asyncio
import os
import resource
import sys
import tempfile
import time
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import orjson

from goldsmith.engine.local import LocalEngine
from goldsmith.llm.opening import open_model
from goldsmith.llm.schema import strict_schema
from goldsmith.llm.tasks import GROUNDEDNESS, GroundednessVariables, RatingReply, Source
from goldsmith.settings import ModelKind, ModelSettings, RuntimeSettings

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from goldsmith.llm.prompted import PromptedModel

PROMPTS = Path(__file__).resolve().parents[1] / "prompts"
PASSAGE = "The quick brown fox jumps over the lazy dog, and the dog does not mind at all. " * 15


def variables(number: int) -> GroundednessVariables:
    source = Source(label="A", title="Animals", section="Foxes", text=PASSAGE)
    return GroundednessVariables(
        question=f"What does the fox jump over in story {number}?",
        answer="The lazy dog.",
        sources=(source,),
    )


@asynccontextmanager
async def a_model(url: str, folder: str, concurrency: int) -> AsyncIterator[PromptedModel]:
    async with open_model(
        ModelSettings(kind=ModelKind.OPENAI, name="scripted"),
        RuntimeSettings(base_url=url, concurrency=concurrency),
        prompts_folder=PROMPTS,
        cache_folder=Path(folder),
    ) as model:
        yield model


@dataclass(frozen=True, slots=True)
class Watch:
    """Time on the wall and on the processor since it was made."""

    wall: float = field(default_factory=time.perf_counter)
    processor: float = field(default_factory=time.process_time)

    def read(self, calls: int) -> dict[str, float]:
        """Seconds on the wall, and milliseconds of processor time for each call."""
        spent = time.process_time() - self.processor
        return {"seconds": time.perf_counter() - self.wall, "cpu_ms": 1000 * spent / calls}


async def ask_all(model: PromptedModel, calls: int, pending: int) -> dict[str, float]:
    """Time for `calls`, `pending` of them started at a time."""
    watch = Watch()

    async def ask(number: int) -> bool:
        outcome = await model.run(GROUNDEDNESS, variables(number))
        return outcome.value is not None

    answered = await LocalEngine(pending).map(ask, range(calls))
    assert all(answered), f"{answered.count(False)} calls failed"
    return watch.read(calls)


async def goldsmith(url: str, calls: int, concurrency: int) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        async with a_model(url, folder, concurrency) as model:
            return await ask_all(model, calls, concurrency)


async def cached(url: str, calls: int, concurrency: int) -> dict[str, float]:
    """The second build, by a model that was just opened; one call at a time, as nothing waits."""
    with tempfile.TemporaryDirectory() as folder:
        async with a_model(url, folder, concurrency) as model:
            await ask_all(model, calls, concurrency)
        async with a_model(url, folder, concurrency) as model:
            turns = [await ask_all(model, calls, 1) for _ in range(3)]
    return min(turns, key=lambda turn: turn["seconds"])


async def pending(url: str, calls: int, concurrency: int) -> dict[str, float]:
    """Peak memory with all calls under way at once, until the first tenth is answered."""
    with tempfile.TemporaryDirectory() as folder:
        async with a_model(url, folder, concurrency) as model:
            enough = asyncio.Event()
            answered = 0

            async def ask(number: int) -> None:
                nonlocal answered
                await model.run(GROUNDEDNESS, variables(number))
                answered += 1
                if answered >= calls // 10:
                    enough.set()

            tasks = [asyncio.create_task(ask(number)) for number in range(calls)]
            await enough.wait()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
    return {"megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}


async def bare(url: str, calls: int, concurrency: int) -> dict[str, float]:
    """What one would write without goldsmith: AsyncOpenAI, a semaphore, `gather`."""
    from openai import AsyncOpenAI  # noqa: PLC0415 - only here

    with tempfile.TemporaryDirectory() as folder:
        async with a_model(url, folder, concurrency) as model:
            requests = [model.request_for(GROUNDEDNESS, variables(n)) for n in range(calls)]
    slots = asyncio.Semaphore(concurrency)
    schema = orjson.loads(strict_schema(RatingReply))

    async with AsyncOpenAI(base_url=url) as client:

        async def ask(number: int) -> None:
            request = requests[number]
            async with slots:
                completion = await client.chat.completions.create(
                    model=request.model,
                    messages=[
                        {"role": "system", "content": request.messages[0].content},
                        {"role": "user", "content": request.messages[1].content},
                    ],
                    temperature=request.temperature,
                    max_tokens=request.max_tokens,
                    response_format={
                        "type": "json_schema",
                        "json_schema": {"name": "reply", "strict": True, "schema": schema},
                    },
                )
            RatingReply.model_validate_json(completion.choices[0].message.content or "")

        watch = Watch()
        await asyncio.gather(*(ask(number) for number in range(calls)))
        return watch.read(calls)


RUNNERS = {run.__name__: run for run in (goldsmith, cached, pending, bare)}


def main() -> None:
    os.environ.setdefault("OPENAI_API_KEY", "any")
    name, url, calls, concurrency = sys.argv[1:]
    result = asyncio.run(RUNNERS[name](url, int(calls), int(concurrency)))
    sys.stdout.write(orjson.dumps(result).decode())


if __name__ == "__main__":
    main()
