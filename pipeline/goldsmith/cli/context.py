"""What a command works with: settings, folders, and the model that the settings name."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from goldsmith.errors import SettingsError
from goldsmith.llm.session import Session
from goldsmith.llm.tasks import TASKS
from goldsmith.prompts import load_prompt
from goldsmith.settings import BuildSettings, RuntimeSettings, load_settings

if TYPE_CHECKING:
    from collections.abc import Iterable

    from goldsmith.cli.workspace import Workspace

_RUNTIME_SECTIONS = frozenset(RuntimeSettings.model_fields)


@dataclass(frozen=True, slots=True)
class Context:
    """Everything that a step is given beside its tables."""

    build: BuildSettings
    runtime: RuntimeSettings
    prompts: Path
    cache: Path
    workspace: Workspace
    session: Session
    """Of this command: all its stages spend together, and learn from each other."""


def load_context(
    workspace: Workspace, configs: Path | None, prompts: Path | None, overrides: Iterable[str]
) -> Context:
    """Read both settings files; folders that are not given are the project's, else the package's.

    An override goes to the file that knows its first word.
    """
    configs = configs or shipped("configs")
    if configs.is_file():
        configs = configs.parent
    prompts = prompts or shipped("prompts")
    for task in TASKS:
        # A faulty prompt is found before anything is paid, not when its stage comes up.
        load_prompt(prompts, task.name, task.variables.model_fields)
    build: list[str] = []
    runtime: list[str] = []
    for override in overrides:
        section = override.partition("=")[0].split(".")[0]
        (runtime if section in _RUNTIME_SECTIONS else build).append(override)
    settings = load_settings(configs / "build.yaml", BuildSettings, build)
    running = load_settings(configs / "runtime.yaml", RuntimeSettings, runtime)
    return Context(
        build=settings,
        runtime=running,
        prompts=prompts,
        cache=cache_folder(),
        workspace=workspace,
        session=Session.of(settings.model, running),
    )


def shipped(name: str) -> Path:
    """The folder `name` of the project in the current folder, else the one in the package."""
    local = Path(name)
    if local.is_dir():
        return local
    return packaged(name)


def packaged(name: str) -> Path:
    """`prompts`, `configs` or `dvc.yaml` as they ship: in the wheel, or in a source checkout."""
    package = Path(__file__).resolve().parents[1]
    for path in (package / "scaffold" / name, package.parents[1] / name):
        if path.exists():
            return path
    raise SettingsError(f"{name!r} is missing from this installation of goldsmith")


def cache_folder() -> Path:
    """`GOLDSMITH_CACHE`, or `goldsmith` in the user's cache folder."""
    if chosen := os.environ.get("GOLDSMITH_CACHE"):
        return Path(chosen)
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    return base / "goldsmith"
