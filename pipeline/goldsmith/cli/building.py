"""`goldsmith build`: every stage in one process, without DVC."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import orjson
import typer

from goldsmith.cli.options import Config, Json, OfflineCache, Prompts, Set
from goldsmith.errors import GoldsmithError
from goldsmith.funnel import calls_saved
from goldsmith.records import Kind
from goldsmith.settings import ModelKind

if TYPE_CHECKING:
    from goldsmith.cli.context import Context
    from goldsmith.cli.steps.freeze import Frozen
    from goldsmith.funnel import FunnelRow


def register(app: typer.Typer) -> None:
    app.command("build")(build)


def build(
    corpus: Annotated[Path, typer.Option(help="Folder of documents: Markdown, RST, HTML, text.")],
    output: Annotated[Path, typer.Option("--out", help="Folder for tables and release.")],
    model: Annotated[ModelKind | None, typer.Option(help="Who writes and rates.")] = None,
    model_name: Annotated[str | None, typer.Option(help="Name of the model there.")] = None,
    config: Config = None,
    prompts: Prompts = None,
    overrides: Set = None,
    *,
    offline_cache: OfflineCache = False,
    as_json: Json = False,
) -> None:
    """Build and freeze a gold dataset from a folder of documents, in one process.

    [cyan]goldsmith build --corpus docs/ --out gold/[/]

    [cyan]OPENAI_API_KEY=... goldsmith build --corpus docs/ --out gold/ --model openai
    --model-name gpt-5-mini[/]

    Interrupted and run again it goes on: answered calls are in the response cache.
    """
    from goldsmith.cli.context import load_context
    from goldsmith.cli.terminal import err, funnel_table, ledger_table
    from goldsmith.cli.workspace import Workspace

    chosen = list(overrides or ())
    chosen += [f"model.kind={model.value}"] if model else []
    chosen += [f"model.name={model_name}"] if model_name else []
    chosen += ["offline_cache=true"] if offline_cache else []
    context = load_context(Workspace.in_folder(output), config, prompts, chosen)
    funnel: list[FunnelRow] = []
    try:
        frozen = run_all(context, corpus, funnel)
    except GoldsmithError:
        if funnel and not as_json:
            err.print(funnel_table(funnel))
            if rows := context.session.ledger.rows():
                err.print(ledger_table(rows))
        raise
    _report(frozen, funnel, context, as_json=as_json)


def run_all(context: Context, corpus: Path, funnel: list[FunnelRow]) -> Frozen:
    """Every stage in order; `funnel` grows stage by stage, so that it is there after an error."""
    from goldsmith.cli.steps import (
        chunk,
        complete,
        critique,
        freeze,
        generate,
        probe,
        sample,
        select,
    )

    kinds = (Kind.FACTOID, Kind.MULTI_SOURCE)
    funnel += chunk.run(context, corpus)
    funnel += sample.run(context)
    announce_calls(context)
    for kind in kinds:
        funnel += generate.run(context, kind)
    for kind in kinds:
        funnel += critique.run(context, kind)
    funnel += select.run(context)
    funnel += complete.run(context)
    funnel += probe.run(context)
    return freeze.freeze_release(context)


def announce_calls(context: Context) -> None:
    """Say on stderr how many calls are to come, before the first of them is paid."""
    from goldsmith.cli.terminal import err
    from goldsmith.llm.estimate import Corpus, estimate

    if context.build.model.kind is ModelKind.OFFLINE:
        return
    name, chunks = context.build.model.name, context.workspace.chunks()
    mean = sum(len(chunk.text) for chunk in chunks) / len(chunks) if chunks else 0.0
    *_, total = estimate(
        context.build,
        context.prompts,
        Corpus(chunks=len(chunks), mean_characters=mean),
        context.runtime.prices.get(name),
    )
    money = "" if total.money is None else f", {total.money:.2f} money"
    err.print(
        f"estimate: {total.calls:,} calls of {name}, at most {total.most_calls:,}{money}; replies "
        "in the cache are free, and [cyan]--set max_calls=N[/] is a limit",
        soft_wrap=True,
    )


def _report(frozen: Frozen, funnel: list[FunnelRow], context: Context, *, as_json: bool) -> None:
    from goldsmith.cli.terminal import funnel_table, out

    if as_json:
        ledger = context.session.ledger
        document = {
            "release": str(frozen.folder),
            "version": frozen.version,
            "digest": frozen.digest,
            "kept": frozen.kept,
            "funnel": [row.model_dump(mode="json") for row in funnel],
            "ledger": [row.model_dump(mode="json") for row in (*ledger.rows(), ledger.total())],
            "calls_saved": calls_saved(funnel),
        }
        typer.echo(orjson.dumps(document).decode())
        return
    out.print(funnel_table(funnel))
    _report_cost(frozen, funnel, context)
    counts = ", ".join(f"{count} {kind}" for kind, count in frozen.kept.items())
    out.print(f"[bold green]frozen[/] {frozen.folder} ({counts})", soft_wrap=True)
    out.print(f"digest {frozen.digest}", soft_wrap=True)
    out.print(f"read it: [cyan]goldsmith show {frozen.folder}[/]", soft_wrap=True)


def _report_cost(frozen: Frozen, funnel: list[FunnelRow], context: Context) -> None:
    """The ledger, and what a kept question cost; nothing for a model that costs nothing."""
    from goldsmith.cli.terminal import ledger_table, out
    from goldsmith.llm.costs import cost_per_kept
    from goldsmith.records import Usage

    ledger, name = context.session.ledger, context.build.model.name
    if not ledger.rows():
        return
    total = ledger.total()
    out.print(ledger_table((*ledger.rows(), total)))
    used = Usage(calls=total.calls, tokens_in=total.tokens_in, tokens_out=total.tokens_out)
    cost = cost_per_kept(used, sum(frozen.kept.values()), context.runtime.prices.get(name))
    money = f"no price for {name!r} in runtime.yaml"
    if cost.money_per_kept is not None:
        money = f"{cost.money_per_kept:.4f} money"
    out.print(
        f"a kept question cost {cost.calls_per_kept:.1f} calls, {cost.tokens_per_kept:,.0f} tokens"
        f", {money}; the rejected ones are paid in it",
        soft_wrap=True,
    )
    if saved := calls_saved(funnel):
        out.print(f"saved {saved:,} calls of critics after a low standalone rating")
