"""`goldsmith build`: every stage in one process, without DVC."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import orjson
import typer

from goldsmith.cli.options import Config, Json, Prompts, Set
from goldsmith.errors import GoldsmithError
from goldsmith.records import Kind
from goldsmith.settings import ModelKind

if TYPE_CHECKING:
    from goldsmith.cli.context import Context
    from goldsmith.cli.steps.freeze import Frozen
    from goldsmith.funnel import FunnelRow


def register(app: typer.Typer) -> None:
    app.command("build")(build)


def build(
    corpus: Annotated[Path, typer.Option(help="Folder of documents: Markdown, RST, HTML, text.")],
    output: Annotated[Path, typer.Option("--out", help="Folder for tables and release.")],
    model: Annotated[ModelKind | None, typer.Option(help="Who writes and rates.")] = None,
    model_name: Annotated[str | None, typer.Option(help="Name of the model there.")] = None,
    config: Config = None,
    prompts: Prompts = None,
    overrides: Set = None,
    *,
    as_json: Json = False,
) -> None:
    """Build and freeze a gold dataset from a folder of documents, in one process.

    [cyan]goldsmith build --corpus docs/ --out gold/[/]

    [cyan]OPENAI_API_KEY=... goldsmith build --corpus docs/ --out gold/ --model openai
    --model-name gpt-5-mini[/]

    Interrupted and run again it goes on: answered calls are in the response cache.
    """
    from goldsmith.cli.context import load_context
    from goldsmith.cli.terminal import err, funnel_table
    from goldsmith.cli.workspace import Workspace

    chosen = list(overrides or ())
    chosen += [f"model.kind={model.value}"] if model else []
    chosen += [f"model.name={model_name}"] if model_name else []
    context = load_context(Workspace.in_folder(output), config, prompts, chosen)
    funnel: list[FunnelRow] = []
    try:
        frozen = run_all(context, corpus, funnel)
    except GoldsmithError:
        if funnel and not as_json:
            err.print(funnel_table(funnel))
        raise
    _report(frozen, funnel, as_json=as_json)


def run_all(context: Context, corpus: Path, funnel: list[FunnelRow]) -> Frozen:
    """Every stage in order; `funnel` grows stage by stage, so that it is there after an error."""
    from goldsmith.cli.steps import (
        chunk,
        complete,
        critique,
        freeze,
        generate,
        probe,
        sample,
        select,
    )

    kinds = (Kind.FACTOID, Kind.MULTI_SOURCE)
    funnel += chunk.run(context, corpus)
    funnel += sample.run(context)
    for kind in kinds:
        funnel += generate.run(context, kind)
    for kind in kinds:
        funnel += critique.run(context, kind)
    funnel += select.run(context)
    funnel += complete.run(context)
    funnel += probe.run(context)
    return freeze.freeze_release(context)


def _report(frozen: Frozen, funnel: list[FunnelRow], *, as_json: bool) -> None:
    from goldsmith.cli.terminal import funnel_table, out

    if as_json:
        document = {
            "release": str(frozen.folder),
            "version": frozen.version,
            "digest": frozen.digest,
            "kept": frozen.kept,
            "funnel": [row.model_dump(mode="json") for row in funnel],
        }
        typer.echo(orjson.dumps(document).decode())
        return
    out.print(funnel_table(funnel))
    counts = ", ".join(f"{count} {kind}" for kind, count in frozen.kept.items())
    out.print(f"[bold green]frozen[/] {frozen.folder} ({counts})", soft_wrap=True)
    out.print(f"digest {frozen.digest}", soft_wrap=True)
    out.print(f"read it: [cyan]goldsmith show {frozen.folder}[/]", soft_wrap=True)
