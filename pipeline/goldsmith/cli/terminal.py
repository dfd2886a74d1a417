"""What people see: tables on stdout, progress on stderr, one line for an error."""

from __future__ import annotations

import logging
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
)
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from goldsmith.funnel import FunnelRow
    from goldsmith.llm.ledger import LedgerRow

log = logging.getLogger(__name__)

_FILE_WIDTH = 120
"""Columns where there is no terminal to ask: tables in a log must stay readable."""


def _console(*, stderr: bool) -> Console:
    console = Console(stderr=stderr)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = _FILE_WIDTH
    return console


out = _console(stderr=False)
err = _console(stderr=True)


class _Rate(ProgressColumn):
    """Items a second, once there is something to divide."""

    def render(self, task: Task) -> Text:
        return Text(f"{task.speed:.1f}/s" if task.speed else "")


@contextmanager
def progress(title: str, total: int | None) -> Iterator[Callable[[], None]]:
    """A bar with counts and rate on stderr; nothing where stderr is no terminal.

    Yields a function to call after each item. It never raises: display code must not cost a
    finished row.
    """
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        _Rate(),
        TimeElapsedColumn(),
        console=err,
        transient=True,
        disable=not err.is_terminal,
    )
    task = bar.add_task(title, total=total)
    with _undisturbed():
        bar.start()

    def advance() -> None:
        with _undisturbed():
            bar.advance(task)

    try:
        yield advance
    finally:
        with _undisturbed():
            bar.stop()


@contextmanager
def _undisturbed() -> Iterator[None]:
    """What fails in here is display, and is not worth a row that was paid for."""
    try:
        yield
    except Exception:
        log.debug("progress display failed", exc_info=True)


def ledger_table(rows: Sequence[LedgerRow]) -> Table:
    """What the stages asked: `cached` and `paid now` are of this run, the rest of the release."""
    table = Table(title="Calls", title_justify="left")
    table.add_column("stage", no_wrap=True)
    for column in ("calls", "cached", "re-asked", "failed", "tokens in", "tokens out", "money"):
        table.add_column(column, justify="right")
    table.add_column("paid now", justify="right")
    for row in rows:
        counts = (row.calls, row.cached, row.reasks, row.failed, row.tokens_in, row.tokens_out)
        amounts = ("—" if m is None else f"{m:.4f}" for m in (row.money, row.paid_money))
        table.add_row(row.stage, *(f"{count:,}" for count in counts), *amounts)
    return table


def funnel_table(rows: Sequence[FunnelRow]) -> Table:
    """Requested = kept + rejected + failed, a row for each stage and kind."""
    table = Table(title="Funnel", title_justify="left")
    for column in ("stage", "kind"):
        table.add_column(column, no_wrap=True)
    for column in ("requested", "kept", "rejected", "failed"):
        table.add_column(column, justify="right")
    table.add_column("reasons", overflow="fold")
    for row in rows:
        reasons = {**row.rejected, **{f"{k} (failed)": n for k, n in row.failed.items()}}
        table.add_row(
            row.stage,
            row.kind,
            str(row.requested),
            str(row.kept),
            str(sum(row.rejected.values())),
            str(sum(row.failed.values())),
            ", ".join(f"{reason} {count}" for reason, count in reasons.items()),
        )
    return table
