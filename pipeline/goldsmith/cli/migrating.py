"""`goldsmith migrate`: a release on other chunks, or on documents that have changed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from goldsmith.cli.options import Config, Json, Prompts, Set
from goldsmith.errors import InputError, SettingsError
from goldsmith.settings import ModelKind, Splitter

if TYPE_CHECKING:
    from rich.table import Table

    from goldsmith.release.migration.report import MigrationReport
    from goldsmith.release.reading import Release
    from goldsmith.settings import ChunkSettings

_SHOWN = 20
"""Lines of the report that a terminal shows; the file has all."""


def register(app: typer.Typer) -> None:
    app.command("migrate", rich_help_panel="Releases")(migrate)


def migrate(
    release: Annotated[Path, typer.Argument(metavar="RELEASE", help="Folder of a release.")],
    output: Annotated[Path, typer.Option("--out", help="Folder for release and report.")],
    chunks: Annotated[
        Path | None, typer.Option(help="Chunks of yours: .jsonl or .parquet of spans.")
    ] = None,
    chunk_size: Annotated[int | None, typer.Option(help="Or cut anew: largest size.")] = None,
    chunk_overlap: Annotated[int | None, typer.Option(help="Shared by neighbours.")] = None,
    splitter: Annotated[Splitter | None, typer.Option(help="How to cut.")] = None,
    corpus: Annotated[
        Path | None, typer.Option(help="Folder of the documents as they are now.")
    ] = None,
    version: Annotated[
        str | None, typer.Option(help="Of the new release. Default: the next major one.")
    ] = None,
    model: Annotated[
        ModelKind | None, typer.Option(help="Who judges probes on changed documents.")
    ] = None,
    model_name: Annotated[str | None, typer.Option(help="Name of the model there.")] = None,
    config: Config = None,
    prompts: Prompts = None,
    overrides: Set = None,
    *,
    as_json: Json = False,
) -> None:
    """Carry a release onto another chunking, or onto changed documents, without relabelling.

    [cyan]goldsmith migrate gold/release/1.0.0 --chunk-size 600 --out gold/[/]

    [cyan]goldsmith migrate gold/release/1.0.0 --chunks mine.jsonl --corpus docs/ --out gold/[/]
    """
    from goldsmith.cli.context import load_context
    from goldsmith.cli.steps import migrate as step
    from goldsmith.cli.workspace import Workspace
    from goldsmith.release.reading import read_release

    chosen = list(overrides or ())
    chosen += [f"model.kind={model.value}"] if model else []
    chosen += [f"model.name={model_name}"] if model_name else []
    context = load_context(Workspace.in_folder(output), config, prompts, chosen)
    before = read_release(release)
    cut = {"chunk_size": chunk_size, "chunk_overlap": chunk_overlap, "splitter": splitter}
    settings = _cut_settings(before, {k: v for k, v in cut.items() if v is not None})
    if chunks is None and corpus is None and not any(v is not None for v in cut.values()):
        raise InputError(
            "nothing to migrate to: give --chunks FILE or --chunk-size N for another chunking, "
            "--corpus DIR for changed documents"
        )
    if chunks is not None and any(v is not None for v in cut.values()):
        raise InputError("--chunks and --chunk-size exclude each other: your file is cut already")
    report = step.run(context, before, settings, chunks=chunks, corpus=corpus, version=version)
    if as_json:
        typer.echo(report.model_dump_json())
    else:
        _print(report, output)


def _cut_settings(before: Release, changed: dict[str, object]) -> ChunkSettings:
    """As the release was cut, but for what the command says otherwise."""
    from pydantic import ValidationError

    from goldsmith.settings import ChunkSettings

    known = before.manifest.settings.get("chunk")
    same = known if isinstance(known, dict) and "file" not in known else {}
    try:
        return ChunkSettings.model_validate({**same, **changed})
    except ValidationError as error:
        first = error.errors()[0]
        raise SettingsError(f"cannot cut like that: {first['msg']}, found {changed}") from error


def _print(report: MigrationReport, output: Path) -> None:
    from goldsmith.cli.terminal import out

    out.print(_balance_table(report))
    out.print(
        f"documents: {report.documents}; chunks: {report.chunks_before} before, "
        f"{report.chunks_after} after; members: {report.members_single} single, "
        f"{report.members_joint} joint, {len(report.members_cut)} cut; verdicts left behind: "
        f"{report.judgements_left_behind} of {report.judgements_before}; probes searched again: "
        f"{report.probes_searched}",
        soft_wrap=True,
    )
    for move in report.lost[:_SHOWN]:
        out.print(
            f"lost {move.query_id}: {move.reason}, {move.detail}", markup=False, soft_wrap=True
        )
    if len(report.lost) > _SHOWN:
        out.print(f"and {len(report.lost) - _SHOWN} more, in the report")
    version = report.after.split()[0]
    folder = output / "release"
    out.print(f"[bold green]frozen[/] {folder / version}", soft_wrap=True)
    out.print(f"report {folder / version}.migration.md", soft_wrap=True)


def _balance_table(report: MigrationReport) -> Table:
    from rich.table import Table

    table = Table(title=f"{report.name} {report.before} to {report.after}", title_justify="left")
    table.add_column("")
    for column in ("before", "carried", "moved", "lost"):
        table.add_column(column, justify="right")
    table.add_column("reasons", overflow="fold")
    for name, balance in (*report.questions.items(), ("evidence", report.evidence)):
        numbers = (balance.before, balance.carried, balance.moved, sum(balance.lost.values()))
        reasons = ", ".join(f"{reason} {count}" for reason, count in balance.lost.items())
        table.add_row(name, *(f"{number:,}" for number in numbers), reasons)
    return table
