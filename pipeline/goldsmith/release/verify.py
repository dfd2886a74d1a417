"""Is a release what its manifest says?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from goldsmith.errors import CheckError
from goldsmith.release.differences import differences
from goldsmith.release.reading import read_manifest

if TYPE_CHECKING:
    from pathlib import Path

    from goldsmith.release.manifest import Manifest


@dataclass(frozen=True, slots=True)
class Verified:
    """A release that is what its manifest says."""

    folder: Path
    manifest: Manifest
    rows: int
    bytes: int


def verify(folder: Path) -> Verified:
    """Compute everything again. Raises `CheckError` with the first difference.

    Raises `InputError` when the folder is no release, or was written by a newer goldsmith.
    """
    for difference in differences(folder):
        raise CheckError(f"{str(folder)!r} is not what was frozen: {difference}")
    manifest = read_manifest(folder)
    return Verified(
        folder=folder,
        manifest=manifest,
        rows=sum(manifest.counts.rows.values()),
        bytes=sum(entry.bytes for entry in manifest.files.values()),
    )
