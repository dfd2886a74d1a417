"""What the gate compares: a run's numbers query by query, and what they were measured with.

A side can be kept in a file, so that CI holds on to a baseline without its run.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.parquet as pq

from goldsmith.errors import InputError
from goldsmith.scoring.records import Aggregation
from goldsmith.tables import replacing

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from goldsmith.scoring.records import Column, Columns

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]

_KEY = b"goldsmith_gate"
_EMPTY = pa.list_(pa.float64())


@dataclass(frozen=True, slots=True, repr=False)
class Measured:
    """One metric of one side: (numerator, denominator) rows by query id, where it applies."""

    pairs: Floats
    query_ids: tuple[str, ...]
    aggregation: Aggregation

    @property
    def value(self) -> float | None:
        """As a report prints it."""
        rows = per_query(self.pairs) if self.aggregation is Aggregation.MEAN else self.pairs
        above, below = rows.sum(axis=0)
        return float(above / below) if below else None


@dataclass(frozen=True, slots=True, repr=False)
class Side:
    """A scored run."""

    name: str
    digest: str | None
    """Of the gold; None: the unlabelled half alone."""
    judge: str | None
    columns: Mapping[tuple[str, str], Measured]
    """By metric and slice."""


def side_of(
    name: str, columns: Iterable[Columns], *, digest: str | None, judge: str | None
) -> Side:
    """Bring a run's halves together; undefined values stay in, as denominator 0."""
    found = {
        (metric, part): _measured(half.columns[metric], half.query_ids, mask)
        for half in columns
        for metric in half.columns
        for part, mask in ({"all": None} | dict(half.slices)).items()
    }
    return Side(name, digest, judge, found)


def _measured(column: Column, query_ids: Iterable[str], mask: Mask | None) -> Measured:
    chosen = np.ones(len(column.numerator), dtype=np.bool_)
    for condition in (mask, column.applies):
        chosen &= True if condition is None else condition
    ids = tuple(i for i, taken in zip(query_ids, chosen.tolist(), strict=True) if taken)
    pairs = np.column_stack([column.numerator[chosen], column.denominator[chosen]])
    return Measured(pairs, ids, column.aggregation)


def per_query(pairs: Floats) -> Floats:
    """(value, 1) of every defined row: a mean over queries as a ratio of sums."""
    defined = pairs[pairs[:, 1] > 0]
    return np.column_stack([defined[:, 0] / defined[:, 1], np.ones(len(defined))])


def save_side(path: Path, side: Side) -> None:
    """Write a side to a Parquet file, for a later comparison."""
    rows = [
        {
            "metric": metric,
            "slice": part,
            "aggregation": measured.aggregation.value,
            "query_ids": list(measured.query_ids),
            "numerators": measured.pairs[:, 0].tolist(),
            "denominators": measured.pairs[:, 1].tolist(),
        }
        for (metric, part), measured in side.columns.items()
    ]
    text = pa.string()
    schema = pa.schema(
        [
            ("metric", text),
            ("slice", text),
            ("aggregation", text),
            ("query_ids", pa.list_(text)),
            ("numerators", _EMPTY),
            ("denominators", _EMPTY),
        ],
        metadata={
            _KEY: orjson.dumps({"name": side.name, "digest": side.digest, "judge": side.judge})
        },
    )
    with replacing(path) as temporary:
        pq.write_table(pa.Table.from_pylist(rows, schema=schema), temporary)


def read_side(path: Path) -> Side:
    """Read what `save_side` wrote; raises `InputError` for anything else."""
    try:
        table = pq.read_table(path)
    except (OSError, pa.ArrowInvalid) as error:
        raise InputError(f"baseline {path} cannot be read: {error}") from error
    held = (table.schema.metadata or {}).get(_KEY)
    if held is None:
        raise InputError(f"{path} is no saved baseline of the gate: save one from a scored run")
    columns = {
        (row["metric"], row["slice"]): Measured(
            np.column_stack([row["numerators"], row["denominators"]]).astype(np.float64),
            tuple(row["query_ids"]),
            Aggregation(row["aggregation"]),
        )
        for row in table.to_pylist()
    }
    return Side(**orjson.loads(held), columns=columns)
