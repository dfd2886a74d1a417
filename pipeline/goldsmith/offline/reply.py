"""What a task returns in place of its output when its rules do not reach."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Declined:
    """A failed outcome to be: a snake_case reason and a sentence."""

    reason: str
    detail: str
