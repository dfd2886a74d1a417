"""`goldsmith estimate | cache`: what calls will cost, and the replies that were paid for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from goldsmith.cli.options import Config, Json, Project, Prompts, Set
from goldsmith.cli.terminal import out

if TYPE_CHECKING:
    from goldsmith.cli.workspace import Workspace
    from goldsmith.records import Record
    from goldsmith.settings import ChunkSettings

_PANEL = "Calls"
_FILE = "File of the export (.jsonl, or .jsonl.gz)."


def register(app: typer.Typer) -> None:
    app.command("estimate", rich_help_panel=_PANEL)(estimate)
    cache = typer.Typer(no_args_is_help=True, help="The response cache: nothing is paid twice.")
    for name, command in (
        ("stats", stats),
        ("verify", verify),
        ("export", export),
        ("import", import_),
    ):
        cache.command(name)(command)
    app.add_typer(cache, name="cache", rich_help_panel=_PANEL)


def estimate(
    corpus: Annotated[
        Path | None, typer.Option(help="Folder of documents. Default: the project's chunks.")
    ] = None,
    project: Project = Path(),
    config: Config = None,
    prompts: Prompts = None,
    overrides: Set = None,
    *,
    as_json: Json = False,
) -> None:
    """Calls, tokens and money of a build by stage, before any of it is paid.

    [cyan]goldsmith estimate --corpus docs/ --set model.name=gpt-5-mini[/]
    """
    from rich.table import Table

    from goldsmith.cli.context import load_context
    from goldsmith.cli.workspace import Workspace
    from goldsmith.llm.estimate import Corpus
    from goldsmith.llm.estimate import estimate as foresee

    context = load_context(Workspace.in_project(project), config, prompts, overrides or ())
    lengths = _chunk_lengths(context.workspace, corpus, context.build.chunk)
    mean = sum(lengths) / len(lengths) if lengths else 0.0
    rows = foresee(
        context.build,
        context.prompts,
        Corpus(chunks=len(lengths), mean_characters=mean),
        context.runtime.prices.get(context.build.model.name),
    )
    if as_json:
        typer.echo(f"[{','.join(row.model_dump_json() for row in rows)}]")
        return
    table = Table(title=f"Estimate for {len(lengths)} chunks", title_justify="left")
    for column in ("stage", "calls", "tokens in", "tokens out", "money", "at most", "assumption"):
        table.add_column(column, justify="left" if column in {"stage", "assumption"} else "right")
    for row in rows:
        table.add_row(
            row.stage,
            f"{row.calls:,}",
            f"{row.tokens_in:,}",
            f"{row.tokens_out:,}",
            "—" if row.money is None else f"{row.money:.2f}",
            f"{row.most_calls:,} calls"
            + ("" if row.most_money is None else f", {row.most_money:.2f}"),
            row.assumption,
        )
    out.print(table)
    if (name := context.build.model.name) not in context.runtime.prices:
        out.print(f"no price for {name!r} in runtime.yaml: tokens only", soft_wrap=True)


def stats(*, as_json: Json = False) -> None:
    """Replies, tokens and size by model. [cyan]goldsmith cache stats[/]"""
    from goldsmith.cli.context import cache_folder
    from goldsmith.llm.cache_upkeep import cache_stats

    _say(cache_stats(cache_folder()), as_json=as_json)


def verify(*, as_json: Json = False) -> None:
    """Recompute every key and checksum; damaged replies are removed, and the exit status is 1.

    [cyan]goldsmith cache verify[/]
    """
    from goldsmith.cli.context import cache_folder
    from goldsmith.llm.cache_upkeep import verify_cache

    checked = verify_cache(cache_folder())
    _say(checked, as_json=as_json)
    if checked.removed or checked.set_aside:
        raise typer.Exit(1)


def export(
    file: Annotated[Path, typer.Argument(metavar="FILE", help=_FILE)], *, as_json: Json = False
) -> None:
    """Write the cache to a file, with which a colleague rebuilds a release without a call.

    [cyan]goldsmith cache export replies.jsonl.gz[/]
    """
    from goldsmith.cli.context import cache_folder
    from goldsmith.llm.cache_upkeep import export_cache

    count = export_cache(cache_folder(), file)
    if as_json:
        typer.echo(f'{{"exported":{count}}}')
    else:
        out.print(f"[bold green]exported[/] {count:,} replies to {file}", soft_wrap=True)


def import_(
    file: Annotated[Path, typer.Argument(metavar="FILE", help=_FILE)], *, as_json: Json = False
) -> None:
    """Add the replies of an export; those that are there already stay as they are.

    [cyan]goldsmith cache import replies.jsonl.gz[/]
    """
    from goldsmith.cli.context import cache_folder
    from goldsmith.llm.cache_upkeep import import_cache

    _say(import_cache(cache_folder(), file), as_json=as_json)


def _say(record: Record, *, as_json: bool) -> None:
    if as_json:
        typer.echo(record.model_dump_json())
        return
    for name, value in record.model_dump(mode="json").items():
        out.print(f"{name.replace('_', ' ')}: {value}", soft_wrap=True)


def _chunk_lengths(workspace: Workspace, corpus: Path | None, settings: ChunkSettings) -> list[int]:
    if corpus is None:
        return [len(chunk.text) for chunk in workspace.chunks()]
    from goldsmith.corpus.chunking import Chunker
    from goldsmith.corpus.documents import read, sources
    from goldsmith.records import Document

    chunker = Chunker(settings)
    return [
        len(chunk.text)
        for item in read(sources(corpus), settings)
        if isinstance(item, Document)
        for chunk in chunker.chunks(item)
    ]
