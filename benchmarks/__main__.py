"""`make bench`: run every area, print one table, write benchmarks/results.json.

    python -m benchmarks [AREA ...]

Figures are ratios measured in one run, or sizes. The few with a target in seconds name the machine
that it is meant for: read them on a quiet one.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import orjson
from rich.console import Console
from rich.table import Table

if TYPE_CHECKING:
    from benchmarks.rows import Row

AREAS = tuple(
    path.stem.removeprefix("bench_") for path in sorted(Path(__file__).parent.glob("bench_*.py"))
)


def main(wanted: list[str]) -> int:
    unknown = set(wanted) - set(AREAS)
    if unknown:
        print(f"no such area: {', '.join(sorted(unknown))}; known: {', '.join(AREAS)}")
        return 2
    rows: list[Row] = []
    for area in wanted or AREAS:
        rows += import_module(f"benchmarks.bench_{area}").run()
    table = Table("name", "value", "unit", "target", "ok")
    for row in rows:
        mark = {True: "yes", False: "NO", None: ""}[row["ok"]]
        table.add_row(row["name"], f"{row['value']:.4g}", row["unit"], row["target"], mark)
    Console().print(table)
    target = Path(__file__).parent / "results.json"
    target.write_bytes(orjson.dumps(rows, option=orjson.OPT_INDENT_2))
    return 1 if any(row["ok"] is False for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
