"""How good is a judge? Against people, on three public sets of claims (`docs/judges.md`).

    python -m benchmarks.judges                                   # the offline judge, all rows
    python -m benchmarks.judges --tune                            # its thresholds, dev splits only
    python -m benchmarks.judges --judge openai --model-name NAME --rows 100

The sets lie in `../shared/data/support` (or `--data`): JSON Lines as `goldsmith audit` reads them,
with a `split`. Splits are never mixed, and neither are label scales.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import sys
import tempfile
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import orjson
from rich.console import Console

from goldsmith.ids import uniform_hash
from goldsmith.llm.opening import open_model
from goldsmith.scoring import judge_offline
from goldsmith.scoring.audit import audit
from goldsmith.scoring.audit_view import audit_view
from goldsmith.scoring.confusion import confusion
from goldsmith.scoring.human_labels import LabelRow, gather
from goldsmith.scoring.judge import Judge
from goldsmith.scoring.judge_offline import Evidence, OfflineJudge, evidence_of, verdict_of
from goldsmith.scoring.records import Verdict
from goldsmith.settings import ModelSettings, RuntimeSettings

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from goldsmith.llm.task import Model

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


@asynccontextmanager
async def opened(arguments: argparse.Namespace) -> AsyncIterator[Model]:
    """The judge's model, and a response cache of its own for one at an endpoint."""
    if arguments.judge == "offline":
        yield OfflineJudge()
        return
    cache = arguments.cache or Path(tempfile.gettempdir()) / "goldsmith-judge-bench"
    async with open_model(
        ModelSettings.model_validate({"kind": "openai", "name": arguments.model_name}),
        RuntimeSettings(
            base_url=arguments.base_url,
            concurrency=arguments.concurrency,
            timeout_seconds=arguments.timeout,
            retry_seconds=2 * arguments.timeout,
        ),
        prompts_folder=ROOT / "prompts",
        cache_folder=cache,
    ) as model:
        yield model


async def measure(arguments: argparse.Namespace) -> None:
    """Print one table a set and split; each is printed as soon as it is known."""
    console = Console(width=140)
    async with opened(arguments) as model:
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
    parser.add_argument("--judge", choices=("offline", "openai"), default="offline")
    parser.add_argument("--model-name", default="offline")
    parser.add_argument("--base-url")
    parser.add_argument("--concurrency", type=int, default=1)
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--rows", type=int, help="of each split; all when left out")
    parser.add_argument("--split", help="dev or test; both when left out")
    parser.add_argument("--timeout", type=float, default=120, help="seconds for one attempt")
    parser.add_argument("--tune", action="store_true")
    arguments = parser.parse_args()
    if not arguments.data.is_dir():
        print(f"no labelled claims in {arguments.data}: see --data", file=sys.stderr)
        return 2
    if arguments.tune:
        tune(arguments)
    else:
        asyncio.run(measure(arguments))
    return 0


if __name__ == "__main__":
    sys.exit(main())
