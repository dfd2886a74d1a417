"""`goldsmith chunk | sample | generate | ...`: one stage, as dvc.yaml calls it."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from goldsmith.cli.options import Config, Json, OfflineCache, Project, Prompts, Set
from goldsmith.records import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from goldsmith.cli.context import Context
    from goldsmith.funnel import FunnelRow

_ANSWERABLE = "factoid or multi_source"


_STAGES = {
    "chunk": "Read documents, cut them into chunks. [dim]goldsmith chunk --corpus data/corpus[/]",
    "sample": "Draw source sets from the chunks. [dim]goldsmith sample[/]",
    "generate": "Write drafts. [dim]goldsmith generate --kind factoid[/]",
    "critique": "Rate drafts with three critics. [dim]goldsmith critique --kind factoid[/]",
    "select": "Decide which drafts are kept; calls no model. [dim]goldsmith select[/]",
    "complete": "Give each evidence every chunk that carries it. [dim]goldsmith complete[/]",
    "probe": "Plant unanswerable probes and prove their absence. [dim]goldsmith probe[/]",
    "freeze": "Freeze the release, or say why it is not sound. [dim]goldsmith freeze[/]",
}
"""In the order of the walk."""


def register(app: typer.Typer) -> None:
    for name, help_text in _STAGES.items():
        if name == "chunk":
            command = chunk
        elif name in {"generate", "critique"}:
            command = _command_by_kind(name)
        else:
            command = _command(name)
        app.command(name, help=help_text, rich_help_panel="Stages")(command)


def chunk(
    corpus: Annotated[Path, typer.Option(help="Folder of documents.")] = Path("data/corpus"),
    project: Project = Path(),
    config: Config = None,
    overrides: Set = None,
    *,
    as_json: Json = False,
) -> None:
    from goldsmith.cli.steps import chunk as step

    context = _context(project, config, None, overrides)
    _report(step.run(context, corpus), context, as_json=as_json)


def _command(name: str):  # type: ignore[no-untyped-def]  # noqa: ANN202 - typer reads the signature below
    def command(
        project: Project = Path(),
        config: Config = None,
        prompts: Prompts = None,
        overrides: Set = None,
        *,
        offline_cache: OfflineCache = False,
        as_json: Json = False,
    ) -> None:
        context = _context(project, config, prompts, overrides, offline_cache=offline_cache)
        step = import_module(f"goldsmith.cli.steps.{name}")
        _report(step.run(context), context, as_json=as_json)

    return command


def _command_by_kind(name: str):  # type: ignore[no-untyped-def]  # noqa: ANN202 - likewise
    def command(
        kind: Annotated[Kind, typer.Option(help=_ANSWERABLE)],
        project: Project = Path(),
        config: Config = None,
        prompts: Prompts = None,
        overrides: Set = None,
        *,
        offline_cache: OfflineCache = False,
        as_json: Json = False,
    ) -> None:
        if kind is Kind.UNANSWERABLE:
            raise typer.BadParameter(f"expected {_ANSWERABLE}; probes have a stage of their own")
        context = _context(project, config, prompts, overrides, offline_cache=offline_cache)
        step = import_module(f"goldsmith.cli.steps.{name}")
        _report(step.run(context, kind), context, as_json=as_json)

    return command


def _context(
    project: Path,
    config: Path | None,
    prompts: Path | None,
    overrides: Iterable[str] | None,
    *,
    offline_cache: bool = False,
) -> Context:
    # Imported when a stage runs: `goldsmith --help` answers at once.
    from goldsmith.cli.context import load_context
    from goldsmith.cli.workspace import Workspace

    chosen = [*(overrides or ()), *(["offline_cache=true"] if offline_cache else [])]
    return load_context(Workspace.in_project(project), config, prompts, chosen)


def _report(funnel: list[FunnelRow], context: Context, *, as_json: bool) -> None:
    from goldsmith.cli.terminal import funnel_table, ledger_table, out

    if as_json:
        typer.echo(f"[{','.join(row.model_dump_json() for row in funnel)}]")
    else:
        out.print(funnel_table(funnel))
        if rows := context.session.ledger.rows():
            out.print(ledger_table(rows))
