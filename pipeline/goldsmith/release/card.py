"""The dataset card: what a reader must know before trusting a number made with a release."""

from __future__ import annotations

import re
from importlib.resources import files
from typing import TYPE_CHECKING

import jinja2

from goldsmith.records import Kind
from goldsmith.release.card_head import yaml_head
from goldsmith.release.layout import CONFIGS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from goldsmith.release.manifest import Manifest
    from goldsmith.release.shares import Rate, Share, Spread

_NULL = "—"
_TEMPLATE = "card.md.jinja"
_STATED = re.compile(
    r"^\| (?P<name>version|digest|corpus digest|canary) \| `?(?P<value>[^`|]+?)`? \|$", re.MULTILINE
)

CONTENTS = {
    "questions": "one row a question, with answer, evidence, critics and proofs",
    "corpus": "the chunks that questions are asked of",
    "documents": "the documents that the chunks were cut from",
    "queries": "the same questions in the shape of BEIR and MTEB",
    "qrels": "query, chunk, score: every member of every evidence",
    "judgements": "who said of a chunk that it carries a query's evidence, negatives too",
}


def render_card(manifest: Manifest) -> str:
    """`README.md` of the release that `manifest` describes."""
    environment = jinja2.Environment(
        undefined=jinja2.StrictUndefined,
        autoescape=False,  # noqa: S701 - the output is Markdown
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "share": share_cells,
        "rate": rate_cells,
        "spread": spread_cells,
        "reasons": _reasons,
        "cell": _cell,
        "money": _money,
    }
    template = files("goldsmith.release").joinpath(_TEMPLATE).read_text("utf-8")
    body = environment.from_string(template).render(
        manifest=manifest,
        figures=manifest.figures,
        configs=[(table.name, CONTENTS[table.name]) for table in CONFIGS],
        shortfalls=_shortfalls(manifest),
        asking={stage: spent for stage, spent in manifest.usage.items() if spent.calls},
        kinds=Kind,
    )
    return yaml_head(manifest) + body


def stated_by(card: str) -> dict[str, str]:
    """What the table at the top of a card states, by the name in its first column."""
    return {match["name"]: match["value"] for match in _STATED.finditer(card)}


def share_cells(share: Share) -> str:
    """`numerator | denominator | value | interval`, as cells of a table."""
    if share.value is None:
        return f"{share.numerator} | 0 | {_NULL} | {_NULL}"
    interval = f"[{share.low:.4f}, {share.high:.4f}]"
    return f"{share.numerator} | {share.denominator} | {share.value:.4f} | {interval}"


def rate_cells(rate: Rate | None) -> str:
    """The cells of a total spread over what was kept."""
    if rate is None:
        return f"{_NULL} | {_NULL} | {_NULL} | {_NULL}"
    value = _NULL if rate.value is None else f"{rate.value:,.2f}"
    interval = _NULL if rate.low is None else f"[{rate.low:,.2f}, {rate.high:,.2f}]"
    total = f"{rate.total:,.0f}" if rate.total.is_integer() else f"{rate.total:,.4f}"
    return f"{total} | {rate.kept} | {value} | {interval}"


def spread_cells(spread: Spread) -> str:
    """`count | 10% | median | 90%`."""
    points = (spread.low, spread.median, spread.high)
    return " | ".join([str(spread.count), *(_NULL if p is None else f"{p:.2f}" for p in points)])


def _reasons(row: Mapping[str, int]) -> str:
    return ", ".join(f"{reason} {count}" for reason, count in row.items())


def _money(amount: float | None) -> str:
    return _NULL if amount is None else f"{amount:,.4f}"


def _cell(text: object) -> str:
    """Text that cannot end a cell of a table."""
    return str(text).replace("|", "\\|").replace("\n", " ")


def _shortfalls(manifest: Manifest) -> list[str]:
    """Kinds of which fewer questions stand in the release than were asked for."""
    found = manifest.counts.by_kind
    return [
        f"{asked} {kind} questions were asked for, {found.get(kind, 0)} are here"
        for kind, asked in sorted(manifest.rules.requested.items())
        if found.get(kind, 0) < asked
    ]
