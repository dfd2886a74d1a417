"""A run, scored: the report, and what DVC keeps of it in git."""

from __future__ import annotations

from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from goldsmith.cli.judges import open_judge
from goldsmith.scoring.assembly import ReportSetup, make_report
from goldsmith.scoring.corrected import read_audit
from goldsmith.scoring.gold_readers import read_gold
from goldsmith.scoring.labelled import ScoreSetup
from goldsmith.scoring.report_view import headline_values, retrieval_by_k
from goldsmith.scoring.scan import ScanRules
from goldsmith.scoring.unlabelled import UnlabelledSetup
from goldsmith.tables import write_bytes, write_json

if TYPE_CHECKING:
    from pathlib import Path

    from goldsmith.cli.judges import JudgeChoice
    from goldsmith.scoring.report import Report


@dataclass(frozen=True, slots=True)
class Scoring:
    """What is scored, against what, and by whom."""

    run: Path
    gold: Path | None
    judge: JudgeChoice
    second: JudgeChoice | None = None
    audit: Path | None = None
    """What `goldsmith audit --json` said of the judge."""
    components: bool = False
    strict: bool = False
    allow_extra: bool = False


async def run(scoring: Scoring) -> Report:
    """Open the judges, read gold, score. Raises as `make_report` and the readers do."""
    audit = read_audit(scoring.audit) if scoring.audit else None
    gold = read_gold(scoring.gold) if scoring.gold else None
    async with AsyncExitStack() as stack:
        opened = await stack.enter_async_context(open_judge(scoring.judge))
        second = (
            await stack.enter_async_context(open_judge(scoring.second)) if scoring.second else None
        )
        unlabelled = UnlabelledSetup(components=scoring.components)
        if opened is not None:
            second_judge = second.judge if second else None
            unlabelled = replace(
                unlabelled, decomposer=opened.decomposer, second_judge=second_judge
            )
        setup = ReportSetup(
            labelled=ScoreSetup(
                rules=ScanRules(strict=scoring.strict, allow_extra=scoring.allow_extra)
            ),
            unlabelled=unlabelled,
            audit=audit,
            strict=scoring.strict,
        )
        judge = opened.judge if opened else None
        return await make_report(scoring.run, gold=gold, judge=judge, setup=setup)


def write_for_dvc(report: Report, *, metrics: Path | None, plot: Path | None) -> None:
    """The small files that are compared from commit to commit."""
    if metrics:
        write_json(metrics, headline_values(report))
    if plot:
        write_bytes(plot, retrieval_by_k(report).encode())
