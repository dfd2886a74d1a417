"""A fault: where it is, which rule it breaks, what was found."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fault:
    """One row that contradicts the release, or itself."""

    table: str
    row: str
    """The row's id; of the funnel: `stage/kind`."""
    rule: str
    """A snake_case word for the rule that is broken."""
    column: str
    detail: str
    """What was found and what was expected."""

    def __str__(self) -> str:
        return f"{self.table} {self.row!r}, {self.column}: {self.rule}: {self.detail}"
