"""Geometry of the report's plots: numbers in, positions out; the template draws them as SVG."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from goldsmith.scoring.report_figures import Series

WIDTH, HEIGHT = 460, 240
_LEFT, _RIGHT, _TOP, _BOTTOM = 40, 20, 12, 34
_INNER_WIDTH, _INNER_HEIGHT = WIDTH - _LEFT - _RIGHT, HEIGHT - _TOP - _BOTTOM


@dataclass(frozen=True, slots=True)
class Tick:
    position: float
    label: str


@dataclass(frozen=True, slots=True)
class Line:
    """One series: `points` in SVG's own form, the dots apart for their titles."""

    label: str
    points: str
    dots: tuple[tuple[float, float, str], ...]


@dataclass(frozen=True, slots=True)
class LinePlot:
    """Shares from 0 to 1 over k; k on a logarithmic axis, because depths double."""

    title: str
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    lines: tuple[Line, ...]
    left: float = _LEFT
    right: float = _LEFT + _INNER_WIDTH
    top: float = _TOP
    bottom: float = _TOP + _INNER_HEIGHT


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a stacked bar, in percent of its width."""

    label: str
    count: int
    start: float
    width: float
    colour: int
    """By its place among all labels, so that a label keeps its colour from report to report."""

    @property
    def share(self) -> str:
        return f"{self.width:.0f}%"


def line_plot(title: str, series: Sequence[Series]) -> LinePlot | None:
    """None when there is nothing to draw: a line needs two depths."""
    depths = sorted({k for one in series for k, _ in one.points})
    if len(depths) < 2:  # noqa: PLR2004 - two points make a line
        return None
    low, high = math.log(depths[0]), math.log(depths[-1])

    def x(k: int) -> float:
        return round(_LEFT + (math.log(k) - low) / (high - low) * _INNER_WIDTH, 1)

    def y(value: float) -> float:
        return round(_TOP + (1 - min(max(value, 0.0), 1.0)) * _INNER_HEIGHT, 1)

    return LinePlot(
        title=title,
        x_ticks=tuple(Tick(x(k), str(k)) for k in depths),
        y_ticks=tuple(Tick(y(v), f"{v:g}") for v in (0.0, 0.25, 0.5, 0.75, 1.0)),
        lines=tuple(
            Line(
                label=one.label,
                points=" ".join(f"{x(k)},{y(value)}" for k, value in one.points),
                dots=tuple(
                    (x(k), y(value), f"{one.label}: {value:.3f} at k = {k}")
                    for k, value in one.points
                ),
            )
            for one in series
        ),
    )


def stacked(counts: Mapping[str, int]) -> list[Part]:
    """Parts of a bar, in the order given; empty ones are left out."""
    total = sum(counts.values())
    parts, start = [], 0.0
    for place, (label, count) in enumerate(counts.items(), 1):
        if count:
            width = 100 * count / total
            parts.append(Part(label, count, start, width, place))
            start += width
    return parts
