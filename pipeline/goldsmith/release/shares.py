"""Numbers with their interval: a share, a rate, a spread.

A figure whose denominator is 0 is null, never 0 and never 1.
"""

from __future__ import annotations

from statistics import median, quantiles
from typing import TYPE_CHECKING, Self

from goldsmith.proportions import wilson_bounds
from goldsmith.records import Record

if TYPE_CHECKING:
    from collections.abc import Sequence

_DIGITS = 6
"""Decimals that are published: beyond them the last bit depends on the machine."""


class Share(Record):
    """numerator / denominator, with Wilson's 95% interval (1927); null for an empty denominator."""

    numerator: int
    denominator: int
    low: float | None
    high: float | None

    @classmethod
    def of(cls, numerator: int, denominator: int) -> Self:
        bounds = wilson_bounds(numerator, denominator)
        if bounds is None:
            return cls(numerator=numerator, denominator=0, low=None, high=None)
        low, high = (round(bound, _DIGITS) for bound in bounds)
        return cls(numerator=numerator, denominator=denominator, low=low, high=high)

    @property
    def value(self) -> float | None:
        return self.numerator / self.denominator if self.denominator else None


class Rate(Record):
    """A total spread over what was kept.

    The interval comes from that of the yield: `total / drafts` is what one draft costs, and the
    Wilson interval of kept / drafts says how many drafts a kept question takes. It is null when the
    funnel says nothing of drafts.
    """

    total: float
    kept: int
    low: float | None
    high: float | None

    @classmethod
    def of(cls, total: float, kept: int, drafts: int) -> Self:
        low = high = None
        if 0 < kept <= drafts:
            share = Share.of(kept, drafts)
            if share.low and share.high:
                low = round(total / drafts / share.high, _DIGITS)
                high = round(total / drafts / share.low, _DIGITS)
        return cls(total=round(total, _DIGITS), kept=kept, low=low, high=high)

    @property
    def value(self) -> float | None:
        return self.total / self.kept if self.kept else None


class Spread(Record):
    """Of a value over queries: how many have it, and its 10%, 50% and 90% points."""

    count: int
    low: float | None
    median: float | None
    high: float | None

    @classmethod
    def of(cls, values: Sequence[float]) -> Self:
        if not values:
            return cls(count=0, low=None, median=None, high=None)
        tenths = quantiles(values, n=10, method="inclusive") if len(values) > 1 else [values[0]]
        return cls(
            count=len(values),
            low=round(tenths[0], _DIGITS),
            median=round(median(values), _DIGITS),
            high=round(tenths[-1], _DIGITS),
        )
