"""The command line: `goldsmith COMMAND`. Exit status 0 done, 1 a check failed, 2 bad input or
settings, 3 stopped at its budget.
"""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer
from rich.markup import escape

from goldsmith import __version__
from goldsmith.cli import (
    building,
    calls,
    hub,
    migrating,
    planning,
    projects,
    reading,
    scoring,
    stages,
)
from goldsmith.cli.terminal import err
from goldsmith.errors import ExitStatus, GoldsmithError

_INTERRUPTED = 130
"""What a shell reports for a process that Ctrl-C ended."""

app = typer.Typer(
    name="goldsmith",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)


@app.callback(invoke_without_command=True)
def root(
    *,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
    debug: Annotated[  # noqa: ARG001 - taken out of argv by main; here for --help
        bool, typer.Option("--debug", help="Show the traceback of an error.")
    ] = False,
) -> None:
    """Build gold datasets for RAG evaluation, and score retrieval and citations against them.

    Start with [bold]goldsmith init my-dataset[/], or build at once:

    [cyan]goldsmith build --corpus docs/ --out gold/[/]
    """
    if version:
        typer.echo(__version__)


for family in (projects, building, stages, reading, hub, migrating, scoring, calls, planning):
    family.register(app)


def main() -> None:
    """Entry point of the console script: errors become one line and an exit status."""
    arguments = sys.argv[1:]
    debug = "--debug" in arguments
    try:
        app([argument for argument in arguments if argument != "--debug"])
    except GoldsmithError as error:
        if debug:
            raise
        _complain(str(error))
        sys.exit(error.exit_status)
    except BrokenPipeError:
        # The reader of a pipe has seen enough; python would complain again while shutting down.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        if debug:
            raise
        _complain(f"{error}: check the path, its permissions and the free space")
        sys.exit(ExitStatus.BAD_INPUT)
    except KeyboardInterrupt:
        _complain("interrupted; what was finished is kept, run the same command to go on")
        sys.exit(_INTERRUPTED)


def _complain(message: str) -> None:
    err.print(f"[bold red]error:[/] {escape(' '.join(message.split()))}", soft_wrap=True)
