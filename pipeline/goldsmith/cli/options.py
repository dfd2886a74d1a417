"""Options that several commands share, so that they read and mean the same everywhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Config = Annotated[
    Path | None,
    typer.Option(
        "--config",
        help="Folder with build.yaml and runtime.yaml. Default: configs/.",
        metavar="DIR",
    ),
]
Prompts = Annotated[
    Path | None,
    typer.Option("--prompts", help="Folder of the prompt files. Default: prompts/.", metavar="DIR"),
]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", help="One setting, such as sample.factoid=50. Repeatable."),
]
OfflineCache = Annotated[
    bool,
    typer.Option(
        "--offline-cache", help="Make no calls: one that is not in the response cache is an error."
    ),
]
Json = Annotated[bool, typer.Option("--json", help="One JSON document on stdout, no tables.")]
Project = Annotated[
    Path,
    typer.Option(
        "--project", help="Root of the dataset project: its data/ is used.", metavar="DIR"
    ),
]
