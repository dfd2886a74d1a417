"""A report in brief: headline figures for a terminal, and for the files that DVC compares."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.console import Group
from rich.table import Table
from rich.text import Text

from goldsmith.scoring.records import Half, Layer, Metric
from goldsmith.scoring.report_figures import HALF_TITLES, Figure, by_k, headlines, number

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.console import RenderableType

    from goldsmith.scoring.report import Report

_BY_K = ("recall", "all_hit", "ndcg")


def report_view(document: Mapping[str, Any]) -> Group:
    """The headline figures of a `report.json`, the halves apart, and what must be known of them."""
    metrics = _metrics(document)
    parts: list[RenderableType] = [_title(document)]
    for half in Half:
        figures = [*headlines(metrics, half), *_on_request(metrics, half)]
        if figures:
            parts.append(_table(half, figures))
    if note := document["run"]["judge_note"]:
        parts.append(Text(note, style="dim"))
    return Group(*parts)


def headline_values(report: Report) -> dict[str, dict[str, float | None]]:
    """Headline values by half, for `dvc metrics show` and `diff`."""
    return {
        half.value: {f.name: f.metric.value for f in headlines(report.metrics, half)}
        for half in Half
        if headlines(report.metrics, half)
    }


def retrieval_by_k(report: Report) -> str:
    """CSV for `dvc plots`: a row a cutoff, over all queries."""
    series = {}
    for name in _BY_K:
        found = [one for one in by_k(report.metrics, name) if one.label == "all"]
        series[name] = dict(found[0].points) if found else {}
    depths = sorted({k for points in series.values() for k in points})
    rows = [",".join(("k", *_BY_K))]
    rows += [",".join((str(k), *(number(series[name].get(k)) for name in _BY_K))) for k in depths]
    return "\n".join(rows) + "\n"


def _metrics(document: Mapping[str, Any]) -> list[Metric]:
    # The contract of report.json has no layers; a component figure is known by its own name here.
    return [Metric(layer=Layer.COMPONENT, **fields) for fields in document["metrics"]]


_ON_REQUEST = (
    "answer_correctness",
    "answer_relevance",
    "retrieval_relevance@5",
    "context_sufficiency",
    "chunk_attribution",
    "judge_agreement",
    "judge_kappa",
)
"""Figures that are made on request: where they are, somebody asked for them."""


def _on_request(metrics: Sequence[Metric], half: Half) -> list[Figure]:
    found = {m.name: m for m in metrics if m.half is half and m.slice == "all"}
    return [Figure(found[name]) for name in _ON_REQUEST if name in found]


def _title(document: Mapping[str, Any]) -> Text:
    release, run = document["release"], document["run"]
    against = "no release"
    if release is not None:
        version = f", version {release['version']}" if release["version"] else ""
        against = f"{release['source']}{version}, digest {release['digest'][:12]}"
    judge = f"judge {run['judge']}" if run["judge"] else "no judge"
    return Text(f"{run['name']}: {run['records']} records, {against}, {judge}", style="bold")


def _table(half: Half, figures: Sequence[Figure]) -> Table:
    table = Table(title=HALF_TITLES[half], title_justify="left")
    for column in ("metric", "value", "of", "n", "95%"):
        table.add_column(
            column, justify="left" if column == "metric" else "right", no_wrap=column != "metric"
        )
    for f in figures:
        table.add_row(f.name, f.value, f.fraction, str(f.metric.n), f.interval)
    return table
