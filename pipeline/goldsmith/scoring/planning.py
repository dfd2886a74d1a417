"""How many questions a wanted precision needs, and what they cost at the rates seen so far.

- *precision*: Wilson's 95% interval of a proportion p is at most `precision` to either side with
  n = z² (pq - 2h² + sqrt(p²q² + h² (1 - 4pq))) / 2h² questions (Piegorsch 2004, "Sample sizes for
  improved binomial confidence intervals", CSDA 46). p = 1/2 is the worst case.
- *detect*: of two runs over the same questions, McNemar's test at 5% (two-sided) finds a true
  difference d of their shares, where they disagree on the share c of the questions, with the given
  power by n = (z_a sqrt(c) + z_b sqrt(c - d²))² / d² questions (Connor 1987, Biometrics 43).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING

from goldsmith.errors import InputError
from goldsmith.proportions import LEVEL
from goldsmith.records import Kind, Record

if TYPE_CHECKING:
    from collections.abc import Sequence

    from goldsmith.funnel import FunnelRow
    from goldsmith.release.manifest import Manifest

_Z = NormalDist().inv_cdf((1 + LEVEL) / 2)
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a figure of each kind of question shall be good for."""

    precision: float = 0.05
    """Half of the width of the interval."""
    rate: float = 0.5
    """Expected share; 1/2 needs most questions."""
    detect: float = 0.03
    """Difference of two runs."""
    discordance: float = 0.1
    """Share of the questions on which the two runs disagree."""
    power: float = 0.8

    def __post_init__(self) -> None:
        for name, value, most in (
            ("precision", self.precision, 0.5),
            ("rate", self.rate, 1.0),
            ("detect", self.detect, 1.0),
            ("discordance", self.discordance, 1.0),
            ("power", self.power, 1.0),
        ):
            if not 0 < value < most and not (name == "discordance" and value == 1):
                raise InputError(f"--{name} is {value}: expected a number between 0 and {most:g}")
        if self.detect > self.discordance:
            raise InputError(
                f"--detect {self.detect} is larger than --discordance {self.discordance}: two runs "
                "cannot differ by more than the share of questions on which they disagree"
            )


class PlanRow(Record):
    """One kind. What a release would have to say is null without one."""

    kind: str
    for_precision: int
    for_detection: int
    needed: int
    """The larger of the two."""
    have: int | None = None
    missing: int | None = None
    keep_rate: float | None = None
    """Questions published of the drafts that were tried."""
    drafts: int | None = None
    """To try, for as many questions as are missing."""
    calls: float | None = None
    tokens: float | None = None
    money: float | None = None


def questions_for_precision(half_width: float, rate: float) -> int:
    """Least n at which Wilson's interval of `rate` reaches no farther than `half_width`."""
    spread, square = rate * (1 - rate), half_width**2
    root = math.sqrt(spread**2 + square * (1 - 4 * spread))
    return max(1, math.ceil(_Z**2 * (spread - 2 * square + root) / (2 * square) - _ROUNDING))


def questions_for_difference(difference: float, discordance: float, power: float) -> int:
    """Least n at which McNemar's test finds `difference` with probability `power`."""
    needed = _Z * math.sqrt(discordance) + NormalDist().inv_cdf(power) * math.sqrt(
        discordance - difference**2
    )
    return math.ceil(needed**2 / difference**2 - _ROUNDING)


def plan(wanted: Wanted, manifest: Manifest | None = None) -> tuple[PlanRow, ...]:
    """One row a kind, as every kind has a figure of its own in a report, and their total.

    Costs are those of the release per kept question, over all kinds: its manifest counts calls by
    stage, not by kind.
    """
    precision = questions_for_precision(wanted.precision, wanted.rate)
    detection = questions_for_difference(wanted.detect, wanted.discordance, wanted.power)
    rows = [_row(kind, precision, detection, manifest) for kind in Kind]
    return (*rows, _total(rows))


def _row(kind: Kind, precision: int, detection: int, manifest: Manifest | None) -> PlanRow:
    needed = max(precision, detection)
    row = PlanRow(kind=kind.value, for_precision=precision, for_detection=detection, needed=needed)
    if manifest is None:
        return row
    have = manifest.counts.by_kind.get(kind.value, 0)
    missing = max(needed - have, 0)
    rate, cost = keep_rate(manifest.funnel, kind, have), manifest.figures.cost
    money = None if cost.money is None else cost.money.value
    tokens = _sum(cost.tokens_in.value, cost.tokens_out.value)
    return row.model_copy(
        update={
            "have": have,
            "missing": missing,
            "keep_rate": rate,
            "drafts": math.ceil(missing / rate - _ROUNDING) if rate else None,
            "calls": _times(missing, cost.calls.value),
            "tokens": _times(missing, tokens),
            "money": _times(missing, money),
        }
    )


def keep_rate(funnel: Sequence[FunnelRow], kind: Kind, published: int) -> float | None:
    """Questions of `kind` in the release of the drafts tried; None when none was tried."""
    if kind is Kind.UNANSWERABLE:
        tried = sum(row.requested for row in funnel if row.stage == "probe")
    else:
        tried = sum(r.requested for r in funnel if r.stage == "generate" and r.kind == kind)
    return published / tried if tried else None


def _total(rows: Sequence[PlanRow]) -> PlanRow:
    return PlanRow(
        kind="total",
        for_precision=sum(row.for_precision for row in rows),
        for_detection=sum(row.for_detection for row in rows),
        needed=sum(row.needed for row in rows),
        have=_count([row.have for row in rows]),
        missing=_count([row.missing for row in rows]),
        drafts=_count([row.drafts for row in rows]),
        calls=_sum(*(row.calls for row in rows)),
        tokens=_sum(*(row.tokens for row in rows)),
        money=_sum(*(row.money for row in rows)),
    )


def _count(values: Sequence[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None


def _times(count: int, value: float | None) -> float | None:
    return None if value is None else count * value


def _sum(*values: float | None) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None
