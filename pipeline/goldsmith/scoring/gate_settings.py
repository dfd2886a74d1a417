"""`configs/gate.yaml`: what a candidate must reach, and how far it may fall behind."""

from __future__ import annotations

from enum import StrEnum
from typing import Self

from pydantic import Field, model_validator

from goldsmith.settings import Settings


class Better(StrEnum):
    """In which direction a metric should move."""

    HIGHER = "higher"
    LOWER = "lower"


class GateEntry(Settings):
    """One metric that the gate looks at."""

    metric: str
    slice: str = "all"
    min: float | None = None
    max: float | None = None
    tolerance: float | None = Field(default=None, ge=0)
    """How much worse than the baseline it may be, in the metric's own unit."""
    better: Better = Better.HIGHER
    of_ceiling: bool = False
    """`min` is a share of the column `<metric>_ceiling`: of what the question mix allows."""
    judged: bool = False
    """Needs a judge: passed over, and said so, when none was asked."""

    @model_validator(mode="after")
    def _asks_something(self) -> Self:
        if self.min is None and self.max is None and self.tolerance is None:
            raise ValueError(f"metric {self.metric!r} has no min, no max and no tolerance")
        return self

    @property
    def label(self) -> str:
        return self.metric if self.slice == "all" else f"{self.metric} [{self.slice}]"


class GateSettings(Settings):
    """Everything in `configs/gate.yaml`."""

    alpha: float = Field(default=0.05, gt=0, lt=1)
    power: float = Field(default=0.8, gt=0, lt=1)
    seed: int = 7
    flips: int = Field(default=10_000, ge=100)
    metrics: tuple[GateEntry, ...] = Field(min_length=1)
