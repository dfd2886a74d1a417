"""Sentences, claims and ids of a run side by side, for reading before any figure is believed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.console import Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import RenderableType

    from goldsmith.scoring.records import Claim, ClaimedAnswer


def inspect(answers: Iterable[ClaimedAnswer]) -> Group:
    """A block an answer, for a `rich` console."""
    return Group(*(part for answer in answers for part in _blocks(answer)))


def inspect_json(answers: Iterable[ClaimedAnswer]) -> list[dict[str, Any]]:
    """The same as plain data, for `--json`."""
    return [
        {
            "query_id": answer.query_id,
            "outcome": answer.outcome.value,
            "detail": answer.detail,
            "claims": [
                {
                    "sentence": claim.sentence,
                    "claim": claim.text,
                    "cited_ids": list(claim.cited_ids),
                    "duplicate_markers": claim.duplicate_markers,
                }
                for claim in answer.claims
            ],
            "links": list(answer.links),
            "near_markers": list(answer.near_markers),
        }
        for answer in answers
    ]


def _blocks(answer: ClaimedAnswer) -> Iterable[RenderableType]:
    yield Text(f"{answer.query_id}  {answer.outcome.value}", style="bold")
    if answer.detail:
        yield Padding(Text(answer.detail, style="italic"), (0, 0, 0, 2))
    if answer.claims:
        yield _table(answer.claims)
    for title, items in (("near markers", answer.near_markers), ("links", answer.links)):
        if items:
            yield Padding(Text(f"{title}: {', '.join(items)}"), (0, 0, 0, 2))
    yield Text("")


def _table(claims: Iterable[Claim]) -> Table:
    table = Table(show_lines=True, padding=(0, 1))
    # Text, not markup: `[p-3310]` in an answer is no style.
    for column, ratio in (("sentence", 4), ("claim", 4), ("cites", 2)):
        table.add_column(column, ratio=ratio, overflow="fold")
    sentence = ""
    for claim in claims:
        shown = claim.sentence or "(recorded by the system)"
        ids = ", ".join(claim.cited_ids) or "nothing"
        repeats = f" ({claim.duplicate_markers} repeated)" if claim.duplicate_markers else ""
        table.add_row(
            Text("" if shown == sentence else shown), Text(claim.text), Text(ids + repeats)
        )
        sentence = shown
    return table
