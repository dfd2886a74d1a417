"""`goldsmith baseline | score | inspect | gate | audit`: runs, measured against a release."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import orjson
import typer

from goldsmith.cli.options import Config, Json, Prompts, Set
from goldsmith.cli.terminal import out
from goldsmith.errors import InputError, SettingsError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from contextlib import AbstractAsyncContextManager

    from goldsmith.scoring.audit import AuditReport
    from goldsmith.scoring.gate_sides import Side
    from goldsmith.scoring.judge import Judge
    from goldsmith.scoring.report import Report

    Opener = Callable[[], AbstractAsyncContextManager[Judge | None]]
    """Opens the chosen judge when it is needed; None for `none`."""

_PANEL = "Scoring"
_GOLD = "Release folder, BEIR folder, or TREC qrels."


class JudgeName(StrEnum):
    """Who decides whether a passage supports a claim."""

    NONE = "none"
    OFFLINE = "offline"
    OPENAI = "openai"


Gold = Annotated[Path | None, typer.Option("--gold", help=_GOLD)]
JudgeOption = Annotated[JudgeName, typer.Option("--judge", help="Who judges citations.")]
ModelName = Annotated[str | None, typer.Option(help="Name of the judge's model (openai).")]
Strict = Annotated[bool, typer.Option("--strict", help="Unknown fields and repeats are errors.")]
Extra = Annotated[
    bool, typer.Option("--allow-extra", help="Count queries that the release lacks, do not refuse.")
]


def register(app: typer.Typer) -> None:
    for command in (baseline, score, inspect, gate, audit):
        app.command(command.__name__, rich_help_panel=_PANEL)(command)


def baseline(
    release: Annotated[Path, typer.Argument(metavar="RELEASE", help="Folder of a release.")],
    output: Annotated[Path, typer.Option("--out", help="Run file to write (JSON Lines).")],
    depth: Annotated[int, typer.Option(min=1, help="Passages retrieved for each query.")] = 10,
) -> None:
    """A BM25 system's run on a release: extractive answers with citations, to see the whole loop.

    [cyan]goldsmith baseline gold/release/1.0.0 --out run.jsonl[/]
    """
    from goldsmith.release.reading import read_release
    from goldsmith.scoring.baseline import baseline as answer_all
    from goldsmith.scoring.baseline import write_run
    from goldsmith.scoring.gold_readers import read_gold

    gold = read_gold(release)
    chunks = read_release(release).contents.chunks
    queries = [gold.query(query_id) for query_id in gold.query_ids]
    count = write_run(output, answer_all(chunks, queries, depth=depth))
    out.print(f"[bold green]wrote[/] {output}: {count} records", soft_wrap=True)


def score(
    run: Annotated[Path, typer.Option(help="Run of a system: JSON Lines, or TREC.")],
    output: Annotated[Path, typer.Option("--out", help="Folder of the report.")],
    gold: Gold = None,
    judge: JudgeOption = JudgeName.OFFLINE,
    model_name: ModelName = None,
    config: Config = None,
    prompts: Prompts = None,
    overrides: Set = None,
    *,
    components: Annotated[
        bool, typer.Option("--components", help="The component figures.")
    ] = False,
    strict: Strict = False,
    allow_extra: Extra = False,
    as_json: Json = False,
) -> None:
    """Retrieval, faithfulness and citations of a run, apart; report.html, .md, .json, rows.parquet.

    [cyan]goldsmith score --gold gold/release/1.0.0 --run run.jsonl --out report/[/]

    Without --gold the unlabelled half only: it needs a judge and works on production traffic.
    """
    from goldsmith.scoring.report import report_json, write_report

    opener = _opener(judge, model_name, config, prompts, overrides)
    report = asyncio.run(
        _report(run, gold, opener, components=components, strict=strict, allow_extra=allow_extra)
    )
    written = write_report(output, report)
    if as_json:
        typer.echo(orjson.dumps(report_json(report)).decode())
        return
    _print_headlines(report)
    out.print(f"report: {written['report.html']}", soft_wrap=True)


def inspect(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Run of a system: JSON Lines.")],
    query_id: Annotated[str | None, typer.Argument(help="Only this answer.")] = None,
    *,
    as_json: Json = False,
) -> None:
    """Read the sentences, claims and citations of a run side by side, before believing a figure.

    [cyan]goldsmith inspect run.jsonl[/]
    """
    from goldsmith.scoring.claims import claim_answer
    from goldsmith.scoring.inspect import inspect as view
    from goldsmith.scoring.inspect import inspect_json
    from goldsmith.scoring.runs import read_run

    records = [r for r in read_run(run) if query_id in (None, r.query_id)]
    if not records:
        raise InputError(f"run {str(run)!r} has no answer to query {query_id!r}")
    answers = [claim_answer(record) for record in records]
    if as_json:
        typer.echo(orjson.dumps(inspect_json(answers)).decode())
    else:
        out.print(view(answers))


def gate(
    candidate: Annotated[Path, typer.Option(help="Run of the release candidate.")],
    gold: Annotated[Path, typer.Option(help=_GOLD)],
    baseline: Annotated[Path | None, typer.Option(help="Run to compare with.")] = None,
    gate: Annotated[
        Path | None, typer.Option("--gate", help="Thresholds. Default: configs/gate.yaml.")
    ] = None,
    judge: JudgeOption = JudgeName.OFFLINE,
    model_name: ModelName = None,
    junit: Annotated[Path | None, typer.Option(help="Write JUnit XML here.")] = None,
    markdown: Annotated[Path | None, typer.Option(help="Write a Markdown summary here.")] = None,
    config: Config = None,
    prompts: Prompts = None,
    overrides: Set = None,
    *,
    as_json: Json = False,
) -> None:
    """Decide on a release candidate: exit status 0 pass, 1 fail, 2 cannot judge.

    [cyan]goldsmith gate --candidate new.jsonl --baseline old.jsonl --gold gold/release/1.0.0[/]
    """
    from goldsmith.cli.context import shipped
    from goldsmith.scoring.gate import run_gate
    from goldsmith.scoring.gate_report import gate_json, gate_junit, gate_markdown, gate_table
    from goldsmith.scoring.gate_settings import GateSettings
    from goldsmith.scoring.gate_sides import side_of
    from goldsmith.settings import load_settings
    from goldsmith.tables import write_bytes

    settings = load_settings(gate or shipped("configs") / "gate.yaml", GateSettings)
    opener = _opener(judge, model_name, config, prompts, overrides)

    def measured(run: Path) -> Side:
        report = asyncio.run(_report(run, gold, opener))
        digest = report.release.digest if report.release else None
        return side_of(run.name, report.columns, digest=digest, judge=report.run.judge)

    result = run_gate(settings, measured(candidate), measured(baseline) if baseline else None)
    if junit:
        write_bytes(junit, gate_junit(result))
    if markdown:
        write_bytes(markdown, gate_markdown(result).encode())
    if as_json:
        typer.echo(orjson.dumps(gate_json(result)).decode())
    else:
        out.print(gate_table(result))
        out.print(f"[bold]{result.decision.value}[/]")
    raise typer.Exit(result.exit_status)


def audit(
    labels: Annotated[Path, typer.Argument(metavar="LABELS", help="Human verdicts, JSON Lines.")],
    judge: JudgeOption = JudgeName.OFFLINE,
    model_name: ModelName = None,
    config: Config = None,
    prompts: Prompts = None,
    overrides: Set = None,
    *,
    as_json: Json = False,
) -> None:
    """The judge against people on the same evidence: confusion, F1, kappa, review hours.

    [cyan]goldsmith audit labels.jsonl --judge offline[/]
    """
    from goldsmith.scoring.audit import audit as measure
    from goldsmith.scoring.audit_view import audit_view
    from goldsmith.scoring.human_labels import read_labels

    found = read_labels(labels)
    opener = _opener(judge, model_name, config, prompts, overrides)

    async def run() -> AuditReport:
        async with opener() as opened:
            if opened is None:
                raise SettingsError("an audit needs a judge: --judge offline or openai")
            return await measure(found, opened)

    report = asyncio.run(run())
    if as_json:
        typer.echo(report.model_dump_json())
    else:
        out.print(audit_view(report))


def _opener(
    judge: JudgeName,
    model_name: str | None,
    config: Path | None,
    prompts: Path | None,
    overrides: list[str] | None,
) -> Opener:
    @asynccontextmanager
    async def opened() -> AsyncIterator[Judge | None]:
        if judge is JudgeName.NONE:
            yield None
            return
        if judge is JudgeName.OFFLINE:
            from goldsmith.scoring.judge_offline import offline_judge

            yield offline_judge()
            return
        from goldsmith.cli.context import load_context
        from goldsmith.cli.workspace import Workspace
        from goldsmith.engine.local import LocalEngine
        from goldsmith.llm.opening import open_model
        from goldsmith.scoring.judge import Judge

        context = load_context(Workspace.in_project(Path()), config, prompts, overrides or ())
        settings = context.build.model
        if model_name:
            settings = settings.model_copy(update={"name": model_name})
        async with open_model(
            settings, context.runtime, prompts_folder=context.prompts, cache_folder=context.cache
        ) as model:
            yield Judge(model, engine=LocalEngine(context.runtime.concurrency))

    return opened


async def _report(
    run: Path,
    gold: Path | None,
    opener: Opener,
    *,
    components: bool = False,
    strict: bool = False,
    allow_extra: bool = False,
) -> Report:
    from goldsmith.scoring.assembly import ReportSetup, make_report
    from goldsmith.scoring.gold_readers import read_gold
    from goldsmith.scoring.labelled import ScoreSetup
    from goldsmith.scoring.scan import ScanRules
    from goldsmith.scoring.unlabelled import UnlabelledSetup

    setup = ReportSetup(
        labelled=ScoreSetup(rules=ScanRules(strict=strict, allow_extra=allow_extra)),
        unlabelled=UnlabelledSetup(components=components),
        strict=strict,
    )
    async with opener() as judge:
        return await make_report(
            run, gold=read_gold(gold) if gold else None, judge=judge, setup=setup
        )


def _print_headlines(report: Report) -> None:
    from rich.table import Table

    from goldsmith.scoring.records import Half
    from goldsmith.scoring.report_figures import headlines

    for half in Half:
        figures = headlines(report.metrics, half)
        if not figures:
            continue
        table = Table(title=f"{half.value} half", title_justify="left")
        for column in ("metric", "value", "of", "n", "95%"):
            table.add_column(column, justify="left" if column == "metric" else "right")
        for f in figures:
            table.add_row(f.name, f.value, f.fraction, str(f.metric.n), f.interval)
        out.print(table)
