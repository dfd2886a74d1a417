"""Accounts: what was asked for is in the release, or among the rejected with a reason."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

from goldsmith.records import Kind, Loss
from goldsmith.release.soundness.fault import Fault

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from goldsmith.funnel import FunnelRow
    from goldsmith.release.contents import Contents
    from goldsmith.release.manifest import Rules

FUNNEL = "funnel"

_COUNTING_QUESTIONS = ("sample", "generate", "select", "complete", "migrate")
"""Stages whose items are questions to be, in their order: what one keeps is asked of the next.

`critique` counts ratings and `necessity` proofs; `probe` starts anew. A release can have been
migrated more than once: its rows of `migrate` follow each other.
"""


def account_faults(
    contents: Contents, funnel: Sequence[FunnelRow], rules: Rules
) -> Iterator[Fault]:
    """A funnel that disagrees with the rows, with itself, or with what was asked for."""
    yield from _reason_faults(contents, funnel)
    for kind in (Kind.FACTOID, Kind.MULTI_SOURCE):
        yield from _chain_faults(contents, funnel, kind, rules.requested.get(kind.value, 0))
    yield from _probe_faults(contents, funnel)


def _reason_faults(contents: Contents, funnel: Sequence[FunnelRow]) -> Iterator[Fault]:
    """Each rejection is counted once, each count has its rejections."""
    listed = Counter((row.stage, row.kind, row.loss, row.reason) for row in contents.dropped)
    counted: Counter[tuple[str, str, Loss, str]] = Counter()
    for row in funnel:
        for loss, reasons in ((Loss.REJECTED, row.rejected), (Loss.FAILED, row.failed)):
            for reason, count in reasons.items():
                counted[row.stage, row.kind, loss, reason] += count
    for key in sorted({*listed, *counted}):
        if listed[key] != counted[key]:
            stage, kind, loss, reason = key
            detail = f"{reason!r} is counted {counted[key]} times, {listed[key]} rows are rejected"
            yield Fault(FUNNEL, f"{stage}/{kind}", "reasons_not_listed", loss.value, detail)


def _chain_faults(
    contents: Contents, funnel: Sequence[FunnelRow], kind: Kind, requested: int
) -> Iterator[Fault]:
    chain = [
        row
        for stage in _COUNTING_QUESTIONS
        for row in funnel
        if row.stage == stage and row.kind == kind
    ]
    if not chain:
        if requested:
            detail = f"{requested} were asked for, and no stage accounts for them"
            yield Fault(FUNNEL, f"-/{kind}", "requested_not_accounted", "requested", detail)
        return
    if requested and chain[0].requested < requested:
        detail = f"found {chain[0].requested}, {requested} were asked for"
        yield _fault(chain[0], "requested_not_accounted", "requested", detail)
    for before, after in pairwise(chain):
        if before.kept != after.requested:
            detail = f"found {after.requested}, but {before.stage!r} kept {before.kept}"
            yield _fault(after, "lost_between_stages", "requested", detail)
    published = sum(query.kind is kind for query in contents.queries)
    if chain[-1].kept != published:
        detail = f"found {chain[-1].kept}, the release has {published}"
        yield _fault(chain[-1], "kept_not_published", "kept", detail)


def _probe_faults(contents: Contents, funnel: Sequence[FunnelRow]) -> Iterator[Fault]:
    published = sum(query.kind is Kind.UNANSWERABLE for query in contents.queries)
    rows = [row for row in funnel if row.stage == "probe"]
    kept = sum(row.kept for row in rows)
    for row in funnel:
        if row.stage == "migrate" and row.kind == Kind.UNANSWERABLE:
            if row.requested != kept:
                detail = f"found {row.requested}, {kept} were kept before"
                yield _fault(row, "lost_between_stages", "requested", detail)
            kept = row.kept
    if kept != published:
        detail = f"found {kept}, the release has {published}"
        yield Fault(FUNNEL, "probe", "kept_not_published", "kept", detail)


def _fault(row: FunnelRow, rule: str, column: str, detail: str) -> Fault:
    return Fault(FUNNEL, f"{row.stage}/{row.kind}", rule, column, detail)
