"""Which judge a command asks, and how it is opened."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from goldsmith.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from goldsmith.scoring.claims import Decomposer
    from goldsmith.scoring.judge import Judge


class JudgeName(StrEnum):
    """Who decides whether a passage supports a claim."""

    NONE = "none"
    OFFLINE = "offline"
    OPENAI = "openai"


@dataclass(frozen=True, slots=True)
class JudgeChoice:
    """A judge as the command line names it; `model` is for `openai` and overrides build.yaml."""

    name: JudgeName
    model: str | None = None
    config: Path | None = None
    prompts: Path | None = None
    overrides: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OpenJudge:
    """A judge, and who makes claims of sentences when it judges."""

    judge: Judge
    decomposer: Decomposer


def second_choice(first: JudgeChoice, name: JudgeName, model: str | None) -> JudgeChoice:
    """The judge that gives a second opinion; `SettingsError` where that says nothing."""
    second = JudgeChoice(name, model, first.config, first.prompts, first.overrides)
    if JudgeName.NONE in (first.name, name):
        raise SettingsError("a second opinion needs two judges: --judge and --second-judge")
    if first == second or first.name is name is JudgeName.OFFLINE:
        raise SettingsError(
            f"--second-judge is the same judge as --judge ({name.value}): name another, or another "
            "model with --second-model"
        )
    return second


@asynccontextmanager
async def open_judge(choice: JudgeChoice) -> AsyncIterator[OpenJudge | None]:
    """None for `none`. Raises `ModelError` when the judge's model has no key."""
    if choice.name is JudgeName.NONE:
        yield None
        return
    # Imported when it is asked for: `goldsmith --help` answers at once.
    from goldsmith.scoring.claims import PromptedDecomposer, SentenceDecomposer
    from goldsmith.scoring.judge import Judge
    from goldsmith.scoring.judge_offline import offline_judge

    if choice.name is JudgeName.OFFLINE:
        yield OpenJudge(offline_judge(), SentenceDecomposer())
        return
    from goldsmith.cli.context import load_context
    from goldsmith.cli.workspace import Workspace
    from goldsmith.engine.local import LocalEngine
    from goldsmith.llm.opening import open_model, pending_calls

    context = load_context(
        Workspace.in_project(Path()), choice.config, choice.prompts, choice.overrides
    )
    settings = context.build.model
    if choice.model:
        settings = settings.model_copy(update={"name": choice.model})
    async with open_model(
        settings, context.runtime, prompts_folder=context.prompts, cache_folder=context.cache
    ) as model:
        engine = LocalEngine(pending_calls(context.runtime))
        yield OpenJudge(Judge(model, engine=engine), PromptedDecomposer(model))
