"""One place where a release is not what it should be."""

from __future__ import annotations

from goldsmith.records import Record
from goldsmith.release.layout import MANIFEST


class Difference(Record):
    """Where a release is not what it should be."""

    file: str
    row: str | None = None
    """The id of the row; None for the whole file."""
    column: str | None = None
    """Of a table; of the manifest: the path of the field."""
    found: str
    expected: str

    def __str__(self) -> str:
        row = f", row {self.row!r}" if self.row is not None else ""
        column = f", {self.column}" if self.column is not None else ""
        return f"{self.file}{row}{column}: found {self.found}, expected {self.expected}"


def manifest_difference(field: str | None, found: str, expected: str) -> Difference:
    """A difference in the manifest; `field` is a dotted path, None for the whole file."""
    return Difference(file=MANIFEST, column=field, found=found, expected=expected)
