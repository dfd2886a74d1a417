"""`goldsmith show | verify | diff`: read releases."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import orjson
import typer

from goldsmith.cli.options import Json
from goldsmith.cli.references import release_folder
from goldsmith.cli.terminal import out
from goldsmith.errors import InputError
from goldsmith.records import Kind

_NEWEST = "Folder of a release. Default: the newest in data/release/."


def register(app: typer.Typer) -> None:
    for name, command in (("show", show), ("verify", verify), ("diff", diff)):
        app.command(name, rich_help_panel="Releases")(command)


def show(
    release: Annotated[Path | None, typer.Argument(metavar="RELEASE", help=_NEWEST)] = None,
    query_id: Annotated[str | None, typer.Argument(help="Show this question whole.")] = None,
    kind: Annotated[Kind | None, typer.Option(help="Only questions of this kind.")] = None,
    *,
    funnel: Annotated[bool, typer.Option("--funnel", help="How they came about instead.")] = False,
    as_json: Json = False,
) -> None:
    """Read the questions of a release: answers, quotes in their passages, critics' words. Or the
    headline figures of a report, where RELEASE is a folder that `goldsmith score` wrote.

    [cyan]goldsmith show gold/release/1.0.0[/]

    [cyan]goldsmith show gold/release/1.0.0 q-3k7qabcd2345[/]
    """
    from goldsmith.cli.terminal import funnel_table
    from goldsmith.release.reading import read_release
    from goldsmith.release.show import query_view, release_view

    folder = release_folder(release) if release else _newest()
    if (folder / "report.json").is_file():
        _show_report(folder, as_json=as_json)
        return
    found = read_release(folder)
    if as_json:
        queries = [
            query.model_dump(mode="json")
            for query in found.contents.queries
            if query_id in (None, query.query_id) and kind in (None, query.kind)
        ]
        typer.echo(orjson.dumps(queries).decode())
    elif funnel:
        out.print(funnel_table(found.manifest.funnel))
        counts = ", ".join(f"{n} {k}" for k, n in found.manifest.counts.by_kind.items())
        out.print(f"[bold]{folder}[/] {counts}; digest {found.manifest.digest}", soft_wrap=True)
    elif query_id:
        out.print(query_view(found, query_id))
    else:
        out.print(release_view(found, kind))


def verify(
    release: Annotated[Path, typer.Argument(metavar="DIR", help="Folder, or ORG/NAME@v1.0.0.")],
    *,
    as_json: Json = False,
) -> None:
    """Recompute everything that a release says of itself; name the first difference.

    [cyan]goldsmith verify gold/release/1.0.0[/]
    """
    from goldsmith.release.verify import verify as recompute

    verified = recompute(release_folder(release))
    manifest = verified.manifest
    if as_json:
        document = {
            "release": str(release),
            "version": manifest.version,
            "digest": manifest.digest,
            "rows": verified.rows,
            "bytes": verified.bytes,
        }
        typer.echo(orjson.dumps(document).decode())
        return
    out.print(
        f"[bold green]verified[/] {manifest.name} {manifest.version}: {verified.rows} rows, "
        f"{verified.bytes:,} bytes, digest {manifest.digest}",
        soft_wrap=True,
    )


def diff(
    before: Annotated[Path, typer.Argument(metavar="A", help="Folder, or ORG/NAME@v1.0.0.")],
    after: Annotated[Path, typer.Argument(metavar="B", help="Another.")],
    *,
    markdown: Annotated[bool, typer.Option("--markdown", help="Markdown on stdout.")] = False,
    as_json: Json = False,
) -> None:
    """What changed between two releases: questions, labels, corpus, settings, prompts.

    [cyan]goldsmith diff gold/release/1.0.0 gold/release/1.1.0[/]
    """
    from goldsmith.release.diff import diff_releases
    from goldsmith.release.diff_view import diff_markdown, diff_view
    from goldsmith.release.reading import read_release

    difference = diff_releases(
        read_release(release_folder(before)), read_release(release_folder(after))
    )
    if as_json:
        typer.echo(difference.model_dump_json())
    elif markdown:
        typer.echo(diff_markdown(difference))
    else:
        out.print(diff_view(difference))


def _show_report(folder: Path, *, as_json: bool) -> None:
    from goldsmith.scoring.report import read_report
    from goldsmith.scoring.report_view import report_view

    document = read_report(folder)
    if as_json:
        typer.echo(orjson.dumps(document).decode())
        return
    out.print(report_view(document))
    out.print(f"report: {folder / 'report.html'}", soft_wrap=True)


def _newest() -> Path:
    root = Path("data/release")
    versions = [path for path in root.glob("*.*.*") if (path / "manifest.json").is_file()]
    if not versions:
        raise InputError(f"no release in {str(root)!r}: name one, or build it with `dvc repro`")
    return max(versions, key=lambda path: [int(part) for part in path.name.split(".")])
