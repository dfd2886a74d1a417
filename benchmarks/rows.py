"""What a benchmark reports."""

from __future__ import annotations

from typing import TypedDict


class Row(TypedDict):
    """One figure; `ok` is None where there is no target to meet."""

    name: str
    value: float
    unit: str
    target: str
    ok: bool | None
