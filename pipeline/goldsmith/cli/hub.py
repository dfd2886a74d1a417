"""`goldsmith push | pull | log`: releases on the Hugging Face Hub."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import orjson
import typer
from rich.table import Table

from goldsmith.cli.options import Json
from goldsmith.cli.terminal import out


def register(app: typer.Typer) -> None:
    for command in (push, pull, log):
        app.command(command.__name__, rich_help_panel="Releases")(command)


def push(
    release: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of a release.")],
    repository: Annotated[str, typer.Option("--repo", metavar="ORG/NAME", help="Dataset.")],
    *,
    public: Annotated[
        bool, typer.Option("--public", help="A repository made now is open to all.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Verify a release and publish it: one commit, and the tag of its version.

    [cyan]goldsmith push gold/release/1.0.0 --repo my-org/my-gold[/]

    Interrupted, it goes on where it stopped. The token is read from HF_TOKEN or `hf auth login`.
    """
    from goldsmith.release.hub.push import push as publish

    pushed = publish(release, repository, public=public)
    if as_json:
        document = {
            "repository": pushed.repository,
            "tag": pushed.tag,
            "commit": pushed.commit,
            "digest": pushed.digest,
            "is_new": pushed.is_new,
        }
        typer.echo(orjson.dumps(document).decode())
        return
    done = "pushed" if pushed.is_new else "already there"
    out.print(
        f"[bold green]{done}[/] {pushed.repository}@{pushed.tag}, commit {pushed.commit}, "
        f"digest {pushed.digest}",
        soft_wrap=True,
    )


def pull(
    reference: Annotated[str, typer.Argument(metavar="ORG/NAME@TAG", help="Or @ a commit.")],
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where the release goes.")],
    *,
    as_json: Json = False,
) -> None:
    """Fetch a release and verify it: the version that was asked for, or an error.

    [cyan]goldsmith pull my-org/my-gold@v1.0.0 gold/[/]
    """
    from goldsmith.cli.references import store
    from goldsmith.release.hub.pull import pull as fetch
    from goldsmith.release.hub.reference import parse_reference

    pulled = fetch(parse_reference(reference), folder, store())
    manifest = pulled.release.manifest
    if as_json:
        document = {
            "folder": str(folder),
            "version": manifest.version,
            "commit": pulled.commit,
            "digest": manifest.digest,
        }
        typer.echo(orjson.dumps(document).decode())
        return
    out.print(
        f"[bold green]pulled[/] {folder}: {manifest.name} {manifest.version}, commit "
        f"{pulled.commit}, digest {manifest.digest}",
        soft_wrap=True,
    )


def log(
    repository: Annotated[str, typer.Argument(metavar="ORG/NAME", help="Dataset.")],
    *,
    as_json: Json = False,
) -> None:
    """The versions of a repository, newest first, with their counts.

    [cyan]goldsmith log my-org/my-gold[/]
    """
    from goldsmith.release.hub.history import versions

    found = versions(repository)
    if as_json:
        typer.echo(orjson.dumps([version.model_dump(mode="json") for version in found]).decode())
        return
    table = Table(title=repository, title_justify="left")
    for column in ("version", "questions", "documents", "chunks", "commit", "digest"):
        table.add_column(column, no_wrap=True)
    for one in found:
        kinds = ", ".join(f"{count} {kind}" for kind, count in one.questions.items())
        sizes = (str(one.documents), str(one.chunks))
        table.add_row(one.version, kinds, *sizes, one.commit[:12], one.digest[:12])
    out.print(table)
