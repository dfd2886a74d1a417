"""One report, four files: `report.json`, `report.md`, `report.html`, `rows.parquet`.

    write_report(Path("out"), Report(release=..., run=..., metrics=..., ...))

`report.json` is the contract (`report.schema.json`, `docs/report.md`): it is validated before it is
written. The page and the Markdown are made of the same metrics, never of figures of their own.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import jsonschema
import numpy as np
import orjson
import pyarrow as pa
import pyarrow.parquet as pq

from goldsmith.errors import InputError
from goldsmith.scoring.report_page import render_html, render_markdown
from goldsmith.tables import read_json, replacing, write_bytes, write_json

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from goldsmith.errors import GoldsmithError
    from goldsmith.scoring.audit import AuditReport
    from goldsmith.scoring.records import Columns, Metric
    from goldsmith.scoring.triage import Triage
    from goldsmith.scoring.unlabelled import UnlabelledScore

SCHEMA_VERSION = 1
_METRIC_FIELDS = (
    "name",
    "half",
    "slice",
    "value",
    "numerator",
    "denominator",
    "n",
    "low",
    "high",
)


@dataclass(frozen=True, slots=True)
class ReleaseInfo:
    """What the run was scored against."""

    source: str
    digest: str
    version: str | None = None
    notice: str | None = None
    """What a reader of any figure must know first."""


@dataclass(frozen=True, slots=True)
class RunInfo:
    """The run that was scored, and the judge that scored it."""

    name: str
    digest: str
    records: int
    judge: str | None = None
    judge_note: str = ""
    decomposer: str | None = None
    counts: Mapping[str, int] = field(default_factory=dict)
    """What was counted and never averaged in: `missing_in_run`, `duplicate_markers`, …"""


@dataclass(frozen=True, slots=True)
class Listing:
    """Rows for a person to look at: suspect labels, brackets that nearly are markers."""

    title: str
    explanation: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True, repr=False)
class Report:
    """Everything that a report prints. Only `run` and `metrics` are always there."""

    run: RunInfo
    metrics: tuple[Metric, ...]
    release: ReleaseInfo | None = None
    columns: tuple[Columns, ...] = ()
    """By half; the source of `rows.parquet`."""
    kinds: Mapping[str, str] = field(default_factory=dict)
    """Kind by query id."""
    triage: Triage | None = None
    unlabelled: UnlabelledScore | None = None
    audit: AuditReport | None = None
    notices: tuple[str, ...] = ()
    unjudged: GoldsmithError | None = None
    """Why a judge that was asked for judged nothing."""
    listings: tuple[Listing, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict)
    """Corpus text by chunk id, for the worst rows."""


def write_report(folder: Path, report: Report) -> dict[str, Path]:
    """Write the four files into `folder` (made if absent) and return them by name.

    Each file is whole or absent. Equal reports give equal bytes: no time and no machine is in them.
    """
    paths = {
        name: folder / name for name in ("report.json", "report.md", "report.html", "rows.parquet")
    }
    document = report_json(report)
    jsonschema.validate(document, report_schema())
    write_json(paths["report.json"], document)
    write_bytes(paths["report.md"], render_markdown(report).encode())
    write_bytes(paths["report.html"], render_html(report).encode())
    _write_rows(paths["rows.parquet"], report)
    return paths


def report_json(report: Report) -> dict[str, Any]:
    """The document of `report.json`."""
    release, run = report.release, report.run
    return {
        "schema_version": SCHEMA_VERSION,
        "release": None
        if release is None
        else {"source": release.source, "version": release.version, "digest": release.digest},
        "run": {
            "name": run.name,
            "digest": run.digest,
            "records": run.records,
            "judge": run.judge,
            "judge_note": run.judge_note,
            "decomposer": run.decomposer,
            "counts": dict(run.counts),
        },
        "metrics": [
            {name: getattr(metric, name) for name in _METRIC_FIELDS} for metric in report.metrics
        ],
    }


def read_report(folder: Path) -> dict[str, Any]:
    """The document of a report that was written; `InputError` when it is of another shape."""
    document: dict[str, Any] = read_json(folder / "report.json")
    try:
        jsonschema.validate(document, report_schema())
    except jsonschema.ValidationError as error:
        raise InputError(
            f"{str(folder / 'report.json')!r} is no report of this version: {error.message}; "
            "score the run again"
        ) from error
    return document


@cache
def report_schema() -> dict[str, Any]:
    """The JSON Schema of `report.json`, as it ships in the package."""
    text = files("goldsmith.scoring").joinpath("report.schema.json").read_bytes()
    schema: dict[str, Any] = orjson.loads(text)
    return schema


def _write_rows(path: Path, report: Report) -> None:
    """A row a query: kind, triage label, and the value of each metric, null where undefined."""
    ids = list(dict.fromkeys(i for columns in report.columns for i in columns.query_ids))
    labels = (
        {row.case.query.query_id: row.label for row in report.triage.rows} if report.triage else {}
    )
    arrays: dict[str, pa.Array] = {
        "query_id": pa.array(ids, pa.string()),
        "kind": pa.array([report.kinds.get(i) for i in ids], pa.string()),
        "label": pa.array([labels.get(i) for i in ids], pa.string()),
    }
    position = {query_id: i for i, query_id in enumerate(ids)}
    for columns in report.columns:
        places = [position[i] for i in columns.query_ids]
        for name, column in columns.columns.items():
            arrays[name] = _spread(column.numerator, column.denominator, places, len(ids))
    with replacing(path) as temporary:
        pq.write_table(pa.table(arrays), temporary)


def _spread(
    numerator: NDArray[np.float64],
    denominator: NDArray[np.float64],
    places: Sequence[int],
    length: int,
) -> pa.Array:
    values, undefined = np.zeros(length), np.ones(length, dtype=np.bool_)
    defined = denominator > 0
    values[places] = np.divide(numerator, denominator, out=np.zeros(len(places)), where=defined)
    undefined[places] = ~defined
    return pa.array(values, pa.float64(), mask=undefined)
