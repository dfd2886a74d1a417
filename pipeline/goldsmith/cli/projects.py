"""`goldsmith init`: a dataset project of one's own, ready for `dvc repro`."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Annotated

import typer

from goldsmith.cli.context import packaged
from goldsmith.cli.terminal import out
from goldsmith.errors import InputError

_README = """\
# {name}

A gold dataset for RAG evaluation, built by goldsmith.

1. Put your documents (Markdown, RST, HTML, text) into `data/corpus/`.
2. Read `configs/build.yaml`: who asks, how many questions, which model.
3. Run `dvc repro`. The release is in `data/release/<version>/`; read it with
   `goldsmith show data/release/<version>`.
4. Open `data/score/baseline/report.html`: how a plain word search does on it. Put the run of your
   own system into `data/runs/<name>.jsonl`, list it in `configs/score.yaml`, run `dvc repro` again.

`prompts/` holds what the model is told; an edited prompt re-runs only the stages that use it.
`data/ledger.jsonl` lists every version that was ever frozen: keep it in git.
"""

_GITIGNORE = "__pycache__/\n"
_DVCIGNORE = "__pycache__/\n*.pyc\n"


def register(app: typer.Typer) -> None:
    app.command("init")(init)


def init(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A new or empty folder.")],
) -> None:
    """Start a dataset project: configs, prompts, dvc.yaml, ready for your own documents.

    [cyan]goldsmith init my-dataset && cp docs/*.md my-dataset/data/corpus/ && cd my-dataset &&
    dvc repro[/]
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"{str(folder)!r} is not empty: name a new folder")
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copytree(packaged("prompts"), folder / "prompts")
    shutil.copytree(packaged("configs"), folder / "configs")
    _name_release(folder / "configs" / "build.yaml", folder.resolve().name)
    (folder / "data" / "corpus").mkdir(parents=True)
    (folder / "dvc.yaml").write_text(_without_own_code(packaged("dvc.yaml").read_text("utf-8")))
    for name, content in (
        ("README.md", _README.format(name=folder.resolve().name)),
        (".gitignore", _GITIGNORE),
        (".dvcignore", _DVCIGNORE),
    ):
        (folder / name).write_text(content, "utf-8")
    _start_dvc(folder)
    out.print(f"[bold green]ready[/] {folder}: put documents into {folder / 'data' / 'corpus'},")
    out.print(f"then [cyan]cd {folder} && dvc repro[/]")


def _name_release(build: Path, name: str) -> None:
    lines = build.read_text("utf-8").splitlines(keepends=True)
    renamed = [
        f"  name: {name.casefold().replace(' ', '-')}\n"
        if line.strip().endswith("# of the dataset")
        else line
        for line in lines
    ]
    build.write_text("".join(renamed), "utf-8")


def _without_own_code(pipeline: str) -> str:
    """The stages without goldsmith's source: in a user's project that is an installed package."""
    return "".join(
        line
        for line in pipeline.splitlines(keepends=True)
        if not line.strip().startswith("- pipeline/goldsmith")
    )


def _start_dvc(folder: Path) -> None:
    """What `dvc init` writes, which needs no repository: users may not have git here."""
    dvc = folder / ".dvc"
    dvc.mkdir()
    (dvc / ".gitignore").write_text("/config.local\n/tmp\n/cache\n", "utf-8")
    no_scm = "" if _in_git(folder) else "    no_scm = true\n"
    (dvc / "config").write_text(
        f"[core]\n{no_scm}    analytics = false\n    check_update = false\n", "utf-8"
    )


def _in_git(folder: Path) -> bool:
    return any((parent / ".git").exists() for parent in folder.resolve().parents)
