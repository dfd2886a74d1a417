"""`goldsmith plan`: how many questions, and what they will cost."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from goldsmith.cli.options import Json

if TYPE_CHECKING:
    from rich.table import Table

    from goldsmith.scoring.planning import PlanRow, Wanted


def register(app: typer.Typer) -> None:
    app.command("plan", rich_help_panel="Calls")(plan)


def plan(
    precision: Annotated[
        float, typer.Option(help="Wanted: a share is known to plus or minus this (95%).")
    ] = 0.05,
    detect: Annotated[
        float, typer.Option(help="Wanted: a difference of two runs as small as this is found.")
    ] = 0.03,
    rate: Annotated[float, typer.Option(help="Share expected; 0.5 is the worst case.")] = 0.5,
    discordance: Annotated[
        float, typer.Option(help="Share of questions on which two runs disagree.")
    ] = 0.1,
    power: Annotated[float, typer.Option(help="Chance to find the difference.")] = 0.8,
    release: Annotated[
        Path | None, typer.Option(help="Release whose keep rate and cost are assumed.")
    ] = None,
    *,
    as_json: Json = False,
) -> None:
    """How many questions of each kind a wanted precision needs, and what they cost.

    [cyan]goldsmith plan --precision 0.05 --detect 0.03 --release gold/release/1.0.0[/]
    """
    import orjson

    from goldsmith.cli.terminal import out
    from goldsmith.release.reading import read_manifest
    from goldsmith.scoring.planning import Wanted
    from goldsmith.scoring.planning import plan as foresee

    wanted = Wanted(precision, rate, detect, discordance, power)
    manifest = None if release is None else read_manifest(release)
    rows = foresee(wanted, manifest)
    if as_json:
        typer.echo(orjson.dumps([row.model_dump(mode="json") for row in rows]).decode())
        return
    out.print(_table(rows, wanted))
    if manifest is None:
        out.print(
            "Without --release nothing is known of keep rate and cost: `goldsmith estimate` "
            "foresees them from the settings.",
            soft_wrap=True,
        )
        return
    out.print(
        f"Keep rates and costs are those of {manifest.name} {manifest.version}, rejected drafts "
        "included; a cost is the mean over all kinds.",
        soft_wrap=True,
    )


def _table(rows: tuple[PlanRow, ...], wanted: Wanted) -> Table:
    from rich.table import Table

    table = Table(
        title=f"Questions for ±{wanted.precision:g} at a rate of {wanted.rate:g}, and to find a "
        f"difference of {wanted.detect:g} where runs disagree on {wanted.discordance:g} "
        f"(power {wanted.power:g})",
        title_justify="left",
    )
    table.add_column("kind", no_wrap=True)
    for column in ("precision", "difference", "needed", "have", "missing", "keep rate"):
        table.add_column(column, justify="right")
    for column in ("drafts", "calls", "tokens", "money"):
        table.add_column(column, justify="right")
    for row in rows:
        counts = (row.for_precision, row.for_detection, row.needed, row.have, row.missing)
        table.add_row(
            row.kind,
            *(_cell(count, ",.0f") for count in counts),
            _cell(row.keep_rate, ".2f"),
            *(_cell(value, ",.0f") for value in (row.drafts, row.calls, row.tokens)),
            _cell(row.money, ",.2f"),
        )
    return table


def _cell(value: float | None, form: str) -> str:
    return "—" if value is None else format(value, form)
