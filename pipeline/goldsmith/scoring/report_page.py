"""What a report page shows, in its order; and the two renderings of it.

The Markdown and the HTML are templates over the same `Page`, so that they cannot disagree.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import jinja2

from goldsmith.scoring.records import FailureKind, Half
from goldsmith.scoring.report_figures import (
    HALF_TITLES,
    NULL,
    Figure,
    Group,
    by_k,
    groups,
    headlines,
    number,
    plain,
    sliced,
    whole,
)
from goldsmith.scoring.report_plots import LinePlot, Part, line_plot, stacked
from goldsmith.scoring.report_rows import ShownLabel, shown_labels

if TYPE_CHECKING:
    from collections.abc import Sequence

    from goldsmith.scoring.records import Metric
    from goldsmith.scoring.report import Report

_POLICIES = (
    ("joint", "citation_accuracy", "the named passages together support the claim"),
    ("single", "citation_accuracy_single", "one passage named, and it supports the claim"),
    ("each", "citation_accuracy_each", "every named passage supports a part"),
)


@dataclass(frozen=True, slots=True)
class HalfPage:
    """One half of the report."""

    half: Half
    title: str
    headlines: tuple[Figure, ...]
    groups: tuple[Group, ...]
    sliced: tuple[Figure, ...]


@dataclass(frozen=True, slots=True)
class PolicyRow:
    """One policy for several ids: strict and lenient side by side."""

    policy: str
    meaning: str
    strict: Figure | None
    lenient: Figure | None


@dataclass(frozen=True, slots=True)
class Page:
    """Everything on the page."""

    report: Report
    halves: tuple[HalfPage, ...]
    plots: tuple[LinePlot, ...]
    policies: tuple[PolicyRow, ...]
    ceilings: tuple[Figure, ...]
    failures: tuple[Part, ...]
    failed_claims: int
    labels: tuple[ShownLabel, ...]
    label_parts: tuple[Part, ...]


def page_of(report: Report) -> Page:
    failures = _failures(report.metrics)
    labels = shown_labels(report.triage, report.texts) if report.triage else []
    plots = (
        line_plot(f"{title} by k", by_k(report.metrics, name))
        for name, title in (("recall", "Recall"), ("ndcg", "NDCG"))
    )
    return Page(
        report=report,
        halves=tuple(_half(report.metrics, half) for half in Half if _measured(report, half)),
        plots=tuple(plot for plot in plots if plot is not None),
        policies=_policies(report.metrics),
        ceilings=tuple(
            Figure(m) for m in whole(report.metrics) if m.name.endswith("single_ceiling")
        ),
        failures=tuple(stacked(failures)),
        failed_claims=sum(failures.values()),
        labels=tuple(labels),
        label_parts=tuple(stacked({label.label: label.count for label in labels})),
    )


def _measured(report: Report, half: Half) -> bool:
    return any(metric.half is half for metric in report.metrics)


def _half(metrics: Sequence[Metric], half: Half) -> HalfPage:
    return HalfPage(
        half=half,
        title=HALF_TITLES[half],
        headlines=tuple(headlines(metrics, half)),
        groups=tuple(groups(metrics, half)),
        sliced=tuple(sliced(metrics, half)),
    )


def _policies(metrics: Sequence[Metric]) -> tuple[PolicyRow, ...]:
    found = {m.name: Figure(m) for m in whole(metrics) if m.half is Half.UNLABELLED}
    rows = tuple(
        PolicyRow(policy, meaning, found.get(name), found.get(f"{name}_lenient"))
        for policy, name, meaning in _POLICIES
    )
    return rows if any(row.strict for row in rows) else ()


def _failures(metrics: Sequence[Metric]) -> dict[str, int]:
    found = {m.name: m for m in whole(metrics)}
    return {
        kind.value: int(found[f"failed_{kind}"].numerator)
        for kind in FailureKind
        if f"failed_{kind}" in found
    }


@cache
def _templates(suffix: str) -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("goldsmith.scoring", "templates"),
        autoescape=suffix == "html",  # noqa: S701 - Markdown is escaped by its own filter
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["number"] = number
    environment.filters["plain"] = plain
    environment.filters["cell"] = _cell
    environment.globals["NULL"] = NULL
    return environment


def _cell(text: str) -> str:
    """Text in a cell of a Markdown table: no pipe and no line break of its own."""
    return " ".join(text.split()).replace("|", "\\|")


def render_html(report: Report) -> str:
    """One file that needs no network: for a phone, a desk and a printer, in light and dark."""
    return _templates("html").get_template("report.html.jinja").render(page=page_of(report))


def render_markdown(report: Report) -> str:
    """The same figures, for a pull request or a terminal; the worst rows by their ids only."""
    return _templates("md").get_template("report.md.jinja").render(page=page_of(report))
