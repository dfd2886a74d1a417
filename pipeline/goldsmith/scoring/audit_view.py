"""An audit for a terminal: agreement of people first, then the judge, then what it costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group
from rich.table import Table
from rich.text import Text

from goldsmith.scoring.report_figures import number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from goldsmith.scoring.audit import AuditReport, AuditTable, Estimate


def audit_view(report: AuditReport) -> Group:
    """Everything in the report but the rows."""
    return Group(*_parts(report))


def _parts(report: AuditReport) -> Iterator[RenderableType]:
    yield Text(f"judge {report.judge}, {report.rows} claims labelled by people", style="bold")
    if report.raters:
        yield _raters(report)
    for table in report.tables:
        yield _confusion(table)
        yield _figures(table)
    if report.calibration_error is not None:
        yield Text(f"expected calibration error {number(report.calibration_error)}, ten bins")
    yield _ledger(report)
    if report.tied:
        yield Text(f"{report.tied} claims on which the raters tie are in no figure")
    for refused in report.refused:
        yield Text(f"refused: {refused}")
    for convention in report.conventions:
        yield Text(convention, style="dim")


def _raters(report: AuditReport) -> Table:
    table = Table("rater", "rater", "n", "agreement", "kappa", title="people among themselves")
    for pair in report.raters:
        table.add_row(
            pair.first, pair.second, str(pair.n), number(pair.agreement), number(pair.kappa)
        )
    return table


def _confusion(table: AuditTable) -> Table:
    view = Table(title=f"{table.scale}: people by judge")
    for column in ("people", *table.labels, "unreadable", "precision", "recall", "F1"):
        view.add_column(column, justify="left" if column == "people" else "right")
    for row, counts, unparsed in zip(table.classes, table.counts, table.unparsed, strict=True):
        figures = (row.precision.value, row.recall.value, row.f1)
        view.add_row(
            row.label, *map(str, counts), str(unparsed), *(number(figure) for figure in figures)
        )
    return view


def _figures(table: AuditTable) -> Text:
    named = (("macro-F1", table.macro_f1), ("accuracy", table.accuracy), ("kappa", table.kappa))
    said = ", ".join(f"{name} {_with_interval(found)}" for name, found in named)
    return Text(f"{said}, n = {table.n}\n")


def _with_interval(found: Estimate) -> str:
    if found.low is None or found.high is None:
        return number(found.value)
    return f"{number(found.value)} [{number(found.low)}, {number(found.high)}]"


def _ledger(report: AuditReport) -> Table:
    table = Table(title="routing")
    for column in ("policy", "claims", "reviewed", "hours", "retried", "released unsupported"):
        table.add_column(column, justify="left" if column == "policy" else "right")
    for row in report.ledger:
        counts = (row.claims, row.reviewed, row.hours, row.retried, row.unsupported_released)
        table.add_row(row.routing.value, *(f"{count:,.1f}" for count in counts))
    return table
