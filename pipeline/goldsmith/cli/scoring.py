"""`goldsmith baseline | score | inspect | gate | audit`: runs, measured against a release."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import orjson
import typer

from goldsmith.cli.judges import JudgeChoice, JudgeName, open_judge, second_choice
from goldsmith.cli.options import Config, Json, Prompts, Set
from goldsmith.cli.references import release_folder
from goldsmith.cli.terminal import out
from goldsmith.engine.local import run_async
from goldsmith.errors import InputError, SettingsError

if TYPE_CHECKING:
    from goldsmith.scoring.audit import AuditReport
    from goldsmith.scoring.gate_sides import Side

_PANEL = "Scoring"
_GOLD = "Release folder, ORG/NAME@v1.0.0 on the Hub, BEIR folder, or TREC qrels."

Gold = Annotated[Path | None, typer.Option("--gold", help=_GOLD)]
JudgeOption = Annotated[JudgeName, typer.Option("--judge", help="Who judges citations.")]
ModelName = Annotated[str | None, typer.Option(help="Name of the judge's model (openai).")]
SecondJudge = Annotated[
    JudgeName | None, typer.Option(help="Ask another judge too, and print how far they agree.")
]
SecondModel = Annotated[str | None, typer.Option(help="Name of the second judge's model (openai).")]
Audit = Annotated[
    Path | None,
    typer.Option(help="What `goldsmith audit --json` said of the judge: corrects its figure."),
]
Metrics = Annotated[Path | None, typer.Option(help="Also write the headline values here (JSON).")]
Plot = Annotated[Path | None, typer.Option(help="Also write recall and nDCG by k here (CSV).")]
Strict = Annotated[bool, typer.Option("--strict", help="Unknown fields and repeats are errors.")]
Extra = Annotated[
    bool, typer.Option("--allow-extra", help="Count queries that the release lacks, do not refuse.")
]


def register(app: typer.Typer) -> None:
    for command in (baseline, score, inspect, gate, audit):
        app.command(command.__name__, rich_help_panel=_PANEL)(command)


def baseline(
    release: Annotated[Path, typer.Argument(metavar="RELEASE", help="Folder, or ORG/NAME@v1.0.0.")],
    output: Annotated[Path, typer.Option("--out", help="Run file to write (JSON Lines).")],
    depth: Annotated[int, typer.Option(min=1, help="Passages retrieved for each query.")] = 10,
) -> None:
    """A BM25 system's run on a release: extractive answers with citations, to see the whole loop.

    [cyan]goldsmith baseline gold/release/1.0.0 --out run.jsonl[/]
    """
    from goldsmith.cli.steps import baseline as step

    count = step.run(release_folder(release), output, depth)
    out.print(f"[bold green]wrote[/] {output}: {count} records", soft_wrap=True)


def score(
    run: Annotated[Path, typer.Option(help="Run of a system: JSON Lines, or TREC.")],
    output: Annotated[Path, typer.Option("--out", help="Folder of the report.")],
    gold: Gold = None,
    judge: JudgeOption = JudgeName.OFFLINE,
    model_name: ModelName = None,
    second_judge: SecondJudge = None,
    second_model: SecondModel = None,
    audit: Audit = None,
    metrics: Metrics = None,
    plot: Plot = None,
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
    from goldsmith.cli.steps import score as step
    from goldsmith.scoring.report import report_json, write_report
    from goldsmith.scoring.report_view import report_view

    first = JudgeChoice(judge, model_name, config, prompts, tuple(overrides or ()))
    second = second_choice(first, second_judge, second_model) if second_judge else None
    report = run_async(
        step.run(
            step.Scoring(
                run,
                release_folder(gold) if gold else None,
                first,
                second=second,
                audit=audit,
                components=components,
                strict=strict,
                allow_extra=allow_extra,
            )
        )
    )
    written = write_report(output, report)
    step.write_for_dvc(report, metrics=metrics, plot=plot)
    document = report_json(report)
    if as_json:
        typer.echo(orjson.dumps(document).decode())
    else:
        out.print(report_view(document))
        out.print(f"report: {written['report.html']}", soft_wrap=True)
    if report.unjudged:
        # What needs no judge is written; the exit status says that something is missing.
        raise report.unjudged


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
    from goldsmith.cli.steps import score as step
    from goldsmith.scoring.gate import run_gate
    from goldsmith.scoring.gate_report import gate_json, gate_junit, gate_markdown, gate_view
    from goldsmith.scoring.gate_settings import GateSettings
    from goldsmith.scoring.gate_sides import side_of
    from goldsmith.settings import load_settings
    from goldsmith.tables import write_bytes

    settings = load_settings(gate or shipped("configs") / "gate.yaml", GateSettings)
    chosen = JudgeChoice(judge, model_name, config, prompts, tuple(overrides or ()))

    found = release_folder(gold)

    def measured(run: Path) -> Side:
        report = run_async(step.run(step.Scoring(run, found, chosen)))
        if report.unjudged:
            raise report.unjudged
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
        out.print(gate_view(result))
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
    chosen = JudgeChoice(judge, model_name, config, prompts, tuple(overrides or ()))

    async def run() -> AuditReport:
        async with open_judge(chosen) as opened:
            if opened is None:
                raise SettingsError("an audit needs a judge: --judge offline or openai")
            return await measure(found, opened.judge)

    report = run_async(run())
    if as_json:
        typer.echo(report.model_dump_json())
    else:
        out.print(audit_view(report))
