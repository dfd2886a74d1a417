"""The conservation law: requested = kept + rejected (by reason) + failed (by reason)."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Self

from pydantic import model_validator

from goldsmith.errors import ConservationError
from goldsmith.records import SKIPPED_AFTER_STANDALONE, Dropped, Loss, Record

if TYPE_CHECKING:
    from collections.abc import Iterable


class FunnelRow(Record):
    """The account of one stage and kind. A row that does not add up cannot be made."""

    stage: str
    kind: str
    requested: int
    kept: int
    rejected: dict[str, int]
    failed: dict[str, int]

    @model_validator(mode="after")
    def _conserved(self) -> Self:
        accounted = self.kept + sum(self.rejected.values()) + sum(self.failed.values())
        if accounted != self.requested:
            raise ConservationError(
                f"stage {self.stage!r}, kind {self.kind!r}: requested {self.requested}, but "
                f"kept + rejected + failed = {accounted}; a defect of goldsmith, please report it"
            )
        return self


def account(
    stage: str, kind: str, *, requested: int, kept: int, dropped: Iterable[Dropped]
) -> FunnelRow:
    """Count what was dropped by reason; raises `ConservationError` when the sum is off."""
    by_loss: dict[Loss, Counter[str]] = {Loss.REJECTED: Counter(), Loss.FAILED: Counter()}
    for item in dropped:
        by_loss[item.loss][item.reason] += 1
    return FunnelRow(
        stage=stage,
        kind=kind,
        requested=requested,
        kept=kept,
        rejected=dict(sorted(by_loss[Loss.REJECTED].items())),
        failed=dict(sorted(by_loss[Loss.FAILED].items())),
    )


def calls_saved(rows: Iterable[FunnelRow]) -> int:
    """Calls that critics were spared, because standalone had settled the matter."""
    return sum(row.failed.get(SKIPPED_AFTER_STANDALONE, 0) for row in rows)
