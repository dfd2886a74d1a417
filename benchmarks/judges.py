"""How good is a judge? Against people, on three public sets of claims (`docs/judges.md`).

    python -m benchmarks.judges                                   # the offline judge, all rows
    python -m benchmarks.judges --tune                            # its thresholds, dev splits only
    python -m benchmarks.judges --model openai --model-name NAME --rows 100

The sets lie in `../shared/data/support` (or `--data`): JSON Lines as `goldsmith audit` reads them,
with a `split`. Splits are never mixed, and neither are label scales.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import orjson
from rich.console import Console

from benchmarks.asked import ask, opened
from goldsmith.ids import uniform_hash
from goldsmith.scoring import judge_offline
from goldsmith.scoring.audit import audit
from goldsmith.scoring.audit_view import audit_view
from goldsmith.scoring.confusion import confusion
from goldsmith.scoring.human_labels import LabelRow, gather
from goldsmith.scoring.judge import Judge
from goldsmith.scoring.judge_offline import Evidence, OfflineJudge, evidence_of, verdict_of
from goldsmith.scoring.records import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator


ROOT = Path(__file__).resolve().parents[1]
SETS = ("wice", "begin_wow", "scifact")
SEED = 7


class Part(NamedTuple):
    """One split of one set."""

    name: str
    split: str
    rows: list[LabelRow]


def read_parts(folder: Path, limit: int | None, split_wanted: str | None = None) -> list[Part]:
    """The splits of every set; `limit` rows of each are drawn by hash, the same every time."""
    parts: list[Part] = []
    for name in SETS:
        raw = [orjson.loads(line) for line in (folder / f"{name}.jsonl").read_bytes().splitlines()]
        splits = {row["split"] for row in raw}
        for split in sorted(splits & {split_wanted} if split_wanted else splits):
            rows = [LabelRow.model_validate(row) for row in raw if row["split"] == split]
            drawn = sorted(rows, key=lambda row: uniform_hash(SEED, row.id))[:limit]
            parts.append(Part(name, split, drawn))
    return parts


async def measure(arguments: argparse.Namespace) -> None:
    """Print one table a set and split; each is printed as soon as it is known."""
    if arguments.tune:
        tune(arguments)
        return
    console = Console(width=140)
    async with opened(arguments, OfflineJudge) as model:
        judge = Judge(model)
        for part in read_parts(arguments.data, arguments.rows, arguments.split):
            report = await audit(gather(part.rows), judge)
            console.rule(f"{part.name}, {part.split} split")
            console.print(audit_view(report))


# -- tuning ---------------------------------------------------------------------------------------


def tune(arguments: argparse.Namespace) -> None:
    """Choose the thresholds of the offline judge on development splits, by mean macro-F1.

    First the bar of `supports` (with the penalty of a missing name), supported or not, on both
    sets; then the bar of partial support on the one set that has the label.
    """
    dev = {p.name: p.rows for p in read_parts(arguments.data, None) if p.split == "dev"}
    read = {
        name: [(row.label, evidence_of(row.claim, [p.text for p in row.passages])) for row in rows]
        for name, rows in dev.items()
    }
    steps = [round(0.3 + 0.02 * i, 2) for i in range(30)]
    penalties = (0.0, 0.1, 0.2, 0.3, 0.4)
    best = max(
        itertools.product(steps, penalties),
        key=lambda pair: sum(_binary(rows, *pair) for rows in read.values()) / len(read),
    )
    lower = [round(0.05 + 0.02 * i, 2) for i in range(25)]
    partial = max(lower, key=lambda bar: _three_way(read["wice"], bar, *best))
    print(f"supports from {best[0]}, name penalty {best[1]}, partially from {partial}")
    for name, rows in read.items():
        print(f"{name} dev, supported or not: macro-F1 {_binary(rows, *best):.3f}")
    print(f"wice dev, three-way: macro-F1 {_three_way(read['wice'], partial, *best):.3f}")
    print(
        f"in the code: {judge_offline.SUPPORTS_FROM}, {judge_offline.NAME_PENALTY}, "
        f"{judge_offline.PARTIALLY_FROM}"
    )


Read = list[tuple[Verdict, Evidence]]


def _verdicts(rows: Read, supports: float, penalty: float, partially: float) -> Iterator[Verdict]:
    for _, evidence in rows:
        yield verdict_of(
            evidence, supports_from=supports, name_penalty=penalty, partially_from=partially
        )


def _binary(rows: Read, supports: float, penalty: float) -> float:
    judged = [str(v is Verdict.SUPPORTS) for v in _verdicts(rows, supports, penalty, 0.0)]
    people = [str(label is Verdict.SUPPORTS) for label, _ in rows]
    return confusion(people, judged, ["True", "False"]).macro_f1 or 0.0


def _three_way(rows: Read, partially: float, supports: float, penalty: float) -> float:
    fold = {Verdict.CONTRADICTS: Verdict.DOES_NOT_SUPPORT}
    judged = [fold.get(v, v).value for v in _verdicts(rows, supports, penalty, partially)]
    people = [label.value for label, _ in rows]
    return confusion(people, judged, [v.value for v in Verdict]).macro_f1 or 0.0


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data" / "support")
    parser.add_argument("--rows", type=int, help="of each split; all when left out")
    parser.add_argument("--split", help="dev or test; both when left out")
    parser.add_argument("--tune", action="store_true")
    return ask(parser, measure)


if __name__ == "__main__":
    sys.exit(main())
