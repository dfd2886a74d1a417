"""Faults of a file that someone brings: all of them in one message, not only the first."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from goldsmith.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

LISTED = 20
"""Faults that a message shows; the rest is counted."""
_SHOWN = 80
"""Characters of a found value that a message shows."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong in one place. `found` and `expected` are for a reader."""

    line: int
    field: str
    code: str
    """A snake_case name that scripts can look for."""
    found: str
    expected: str

    def __str__(self) -> str:
        return (
            f"line {self.line}: {self.field}: {self.code}: "
            f"found {self.found}, expected {self.expected}"
        )


@dataclass(slots=True)
class FaultList:
    """Collects the faults of one file and refuses the file when there are any."""

    path: Path
    faults: list[Fault] = field(default_factory=list)
    count: int = 0

    def add(self, line: int, name: str, code: str, found: object, expected: str) -> None:
        """Note a fault; `found` is shown by its repr, shortened."""
        self.count += 1
        if len(self.faults) < LISTED:
            self.faults.append(Fault(line, name, code, shown(found), expected))

    def refuse(self) -> None:
        """Raise `InputError` with every fault noted; nothing happens when there is none."""
        if not self.count:
            return
        listed = "\n".join(f"  {fault}" for fault in sorted(self.faults, key=lambda f: f.line))
        more = self.count - len(self.faults)
        raise InputError(
            f"{self.path}: {self.count} fault{'s' if self.count > 1 else ''}; nothing was scored\n"
            f"{listed}" + (f"\n  and {more} more" if more else "")
        )


def shown(value: object) -> str:
    """The repr of a value, cut in the middle when it is long."""
    text = repr(value)
    if len(text) <= _SHOWN:
        return text
    return f"{text[: _SHOWN // 2]}…{text[-_SHOWN // 2 :]} ({len(text)} characters)"
